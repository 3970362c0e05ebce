//! Every material in 2D and 3D: stresses and Hessians against differences, rest, rotations, and Hooke's law for small strains.

use std::array::from_fn;

use crate::support::Random;
use stiction::math::Matrix;
use stiction_sim::material::{Lame, Material, MaterialKind};

const STEP: f64 = 1e-5;

fn materials() -> impl Iterator<Item = Material> {
    let lame = Lame::new(2.0, 0.3).unwrap();
    MaterialKind::ALL.into_iter().map(move |kind| Material { kind, lame })
}

/// A deformation: near a rotation, stretched and sheared; inverted where the material takes it.
fn deformation<const D: usize>(random: &mut Random, inverted: bool) -> Matrix<D> {
    let mut f = Matrix(from_fn(|i| from_fn(|j| f64::from(u8::from(i == j)) + 0.6 * (random.number() - 0.5))));
    if (f.det() < 0.0) != inverted {
        for row in &mut f.0 {
            row[0] = -row[0];
        }
    }
    f
}

fn moved<const D: usize>(f: &Matrix<D>, (i, j): (usize, usize), by: f64) -> Matrix<D> {
    let mut f = *f;
    f.0[i][j] += by;
    f
}

/// The Hessian in the direction of one entry, from its eigen-matrices.
fn bend<const D: usize>(material: &Material, f: &Matrix<D>, (i, j): (usize, usize)) -> Matrix<D> {
    let mut out = Matrix::ZERO;
    for (value, mode) in &material.modes(f)[..D * D] {
        out += *mode * (value * mode.0[i][j]);
    }
    out
}

fn derivatives<const D: usize>() {
    let mut random = Random::new(5 + D as u64);
    for material in materials() {
        let kind = material.kind;
        for round in 0..40 {
            let f = deformation::<D>(&mut random, kind != MaterialKind::NeoHookean && round % 4 == 0);
            let stress = material.stress(&f);
            let scale = stress.norm_squared().sqrt().max(1.0);
            for i in 0..D {
                for j in 0..D {
                    let (up, down) = (moved(&f, (i, j), STEP), moved(&f, (i, j), -STEP));
                    let slope = (material.energy(&up) - material.energy(&down)) / (2.0 * STEP);
                    assert!((slope - stress.0[i][j]).abs() < 1e-8 * scale, "{kind} {D}D: stress of {f:?}");
                    let difference = (material.stress(&up) - material.stress(&down)) * (0.5 / STEP);
                    let found = bend(&material, &f, (i, j));
                    let off = (difference - found).norm_squared().sqrt();
                    assert!(
                        off < 1e-6 * difference.norm_squared().sqrt().max(1.0),
                        "{kind} {D}D: Hessian of {f:?}: {off}"
                    );
                }
            }
        }
    }
}

#[test]
fn stresses_and_hessians_are_derivatives() {
    derivatives::<2>();
    derivatives::<3>();
}

fn eigen_matrices<const D: usize>() {
    let mut random = Random::new(9);
    for material in materials() {
        let modes = material.modes(&deformation::<D>(&mut random, false));
        for (k, (_, a)) in modes[..D * D].iter().enumerate() {
            for (l, (_, b)) in modes[..D * D].iter().enumerate() {
                let dot: f64 = (0..D)
                    .flat_map(|i| (0..D).map(move |j| (i, j)))
                    .map(|(i, j)| a.0[i][j] * b.0[i][j])
                    .sum();
                let expected = if k == l { 1.0 } else { 0.0 };
                assert!((dot - expected).abs() < 1e-13, "{}: {k} {l}: {dot}", material.kind);
            }
        }
    }
}

/// So that clamping eigenvalues projects the Hessian.
#[test]
fn eigen_matrices_are_orthonormal() {
    eigen_matrices::<2>();
    eigen_matrices::<3>();
}

fn rotation<const D: usize>(random: &mut Random) -> Matrix<D> {
    stiction_sim::material::svd::svd(deformation::<D>(random, false)).u
}

fn rest_and_rotation<const D: usize>() {
    let mut random = Random::new(11);
    for material in materials() {
        let kind = material.kind;
        let turn = rotation::<D>(&mut random);
        assert!(material.energy(&turn).abs() < 1e-14, "{kind}: energy of a rotation");
        assert!(material.stress(&turn).norm_squared().sqrt() < 1e-14, "{kind}: stress of a rotation");
        let f = deformation::<D>(&mut random, false);
        let (before, after) = (material.energy(&f), material.energy(&(turn * f)));
        assert!(
            (before - after).abs() < 1e-13 * before.max(1.0),
            "{kind}: a rotation changes {before} to {after}"
        );
        let turned = material.stress(&(turn * f)) - turn * material.stress(&f);
        assert!(turned.norm_squared().sqrt() < 1e-12, "{kind}: stress does not rotate");
        let isotropic = material.energy(&(f * turn));
        assert!((before - isotropic).abs() < 1e-13 * before.max(1.0), "{kind} is not isotropic");
    }
}

#[test]
fn nothing_at_rest_and_nothing_by_rotation() {
    rest_and_rotation::<2>();
    rest_and_rotation::<3>();
}

fn small_strains<const D: usize>() {
    let mut random = Random::new(13);
    for material in materials() {
        let Lame { shear, lambda } = material.lame;
        let u: Matrix<D> = Matrix(from_fn(|_| from_fn(|_| 1e-6 * (random.number() - 0.5))));
        let strain = (u + u.transpose()) * 0.5;
        let trace: f64 = (0..D).map(|k| strain.0[k][k]).sum();
        let hooke = strain * (2.0 * shear) + Matrix::scalar(lambda * trace);
        let off = (material.stress(&(Matrix::scalar(1.0) + u)) - hooke).norm_squared().sqrt();
        assert!(off < 1e-5 * hooke.norm_squared().sqrt(), "{}: {off}", material.kind);
    }
}

/// σ = 2G ε + λ tr ε.
#[test]
fn small_strains_follow_hooke() {
    small_strains::<2>();
    small_strains::<3>();
}

#[test]
fn only_neo_hookean_forbids_inversion() {
    let inverted = Matrix([[1.0, 0.0], [0.0, -0.5]]);
    for material in materials() {
        let energy = material.energy(&inverted);
        assert_eq!(energy == f64::INFINITY, material.kind == MaterialKind::NeoHookean, "{}", material.kind);
        assert!(material.kind == MaterialKind::NeoHookean || energy.is_finite() && energy > 0.0);
    }
    // What is squeezed pushes back, however small it is.
    let stable = Material { kind: MaterialKind::StableNeoHookean, lame: Lame::new(2.0, 0.0).unwrap() };
    for size in [0.5, 0.1, 1e-3] {
        assert!(stable.stress(&Matrix::<3>::scalar(size)).0[0][0] < 0.0, "{size}");
    }
    // Flat and collapsed elements have finite derivatives, too.
    for f in [Matrix([[1.0, 0.0], [0.0, 0.0]]), Matrix([[0.0; 2]; 2])] {
        for material in materials().filter(|material| material.kind != MaterialKind::NeoHookean) {
            assert!(material.stress(&f).0.iter().flatten().all(|entry| entry.is_finite()));
            assert!(
                material.modes(&f)[..4]
                    .iter()
                    .all(|(value, mode)| value.is_finite() && mode.norm_squared().is_finite())
            );
        }
    }
}

#[test]
fn names_lead_to_materials_and_back() {
    for kind in MaterialKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(kind));
    }
    assert!(
        "rubber".parse::<MaterialKind>().unwrap_err().to_string().contains("neo_hookean, stable_neo_hookean")
    );
}
