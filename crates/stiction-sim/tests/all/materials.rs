//! Every material in 2D and 3D: stresses and Hessians against differences, rest, rotations, and Hooke's law for small strains.

use std::array::from_fn;

use crate::support::Random;
use stiction::distance::Psd;
use stiction::math::{Matrix, Vector, eigen};
use stiction_sim::material::{Lame, Material, MaterialKind, Tangent};

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

/// The Hessian in the direction of one entry.
fn bend<const D: usize>(tangent: &Tangent<D>, (i, j): (usize, usize)) -> Matrix<D> {
    tangent.times(&moved(&Matrix::ZERO, (i, j), 1.0))
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
                    let found = bend(&material.tangent(&f, Psd::None), (i, j));
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

/// The Hessian of a deformation as a plain matrix.
fn dense<const D: usize>(tangent: &Tangent<D>) -> [[f64; 9]; 9] {
    let mut out = [[0.0; 9]; 9];
    for k in 0..D * D {
        let column = bend(tangent, (k / D, k % D));
        for l in 0..D * D {
            out[l][k] = column.0[l / D][l % D];
        }
    }
    out
}

/// The Hessian by positions against that of the deformation, `H x = ∂P/∂F(x bⱼᵀ) bᵢ`.
fn compare_blocks<const D: usize, const N: usize>(material: &Material, f: &Matrix<D>, b: &[Vector<D>; N]) {
    for psd in [Psd::None, Psd::Clamp, Psd::Abs] {
        let (found, tangent) = (material.hessian(f, b, psd), material.tangent(f, psd));
        let size = largest(&dense(&tangent));
        for (i, j, k) in (1..N).flat_map(|i| (1..=i).flat_map(move |j| (0..D).map(move |k| (i, j, k)))) {
            let expected = tangent.times(&Vector::axis(k).outer(b[j])) * b[i];
            let off = (found[i][j].column(k) - expected).max_abs();
            assert!(off <= 1e-11 * size, "{} {D}D, {psd:?} of {f:?}: {off} of {size}", material.kind);
        }
    }
}

fn largest(a: &[[f64; 9]; 9]) -> f64 {
    a.iter().flatten().fold(0.0, |m: f64, a| m.max(a.abs()))
}

/// Projections in closed form against those of a general eigen-solver.
fn compare_projections<const D: usize>(material: &Material, f: &Matrix<D>) {
    let exact = dense(&material.tangent(f, Psd::None));
    let size = largest(&exact);
    compare_blocks(material, f, &[[0.0; D], [1.0; D], from_fn(|k| 0.7 - k as f64)].map(Vector));
    for psd in [Psd::Clamp, Psd::Abs, Psd::GaussNewton] {
        let found = dense(&material.tangent(f, psd));
        let expected = eigen::map_eigenvalues(exact, D * D, |value| psd.apply(value));
        for (k, l) in (0..D * D).flat_map(|k| (0..D * D).map(move |l| (k, l))) {
            let off = (found[k][l] - expected[k][l]).abs();
            assert!(off <= 1e-12 * size, "{} {D}D, {psd:?} of {f:?}: {off} of {size}", material.kind);
        }
    }
}

/// A deformation with these stretches.
fn stretched<const D: usize>(random: &mut Random, stretches: [f64; D]) -> Matrix<D> {
    let stretch = Matrix(from_fn(|i| from_fn(|j| if i == j { stretches[i] } else { 0.0 })));
    rotation::<D>(random) * stretch * rotation::<D>(random).transpose()
}

/// Random deformations; equal, nearly equal, tiny, huge and negative stretches.
fn projections<const D: usize>() {
    let mut random = Random::new(9);
    let all = [1.0, 1.0 + 1e-14, 1.0 - 1e-8, 1.05, 0.7, 0.1, 1e-4, 4.0, 50.0, -0.02, -1.0, -1.3];
    for material in materials() {
        let takes_all = material.kind != MaterialKind::NeoHookean;
        for round in 0..200 {
            compare_projections(&material, &deformation::<D>(&mut random, takes_all && round % 4 == 0));
        }
        for k in 0..all.len().pow(D as u32) {
            let stretches: [f64; D] = from_fn(|i| all[k / all.len().pow(i as u32) % all.len()]);
            let f = stretched(&mut random, stretches);
            if takes_all || f.det() > 1e-9 {
                compare_projections(&material, &f);
            }
        }
    }
}

#[test]
fn closed_forms_project_like_a_general_eigen_solver() {
    projections::<2>();
    projections::<3>();
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

/// Neo-Hookean laws from the stretches themselves, for deformations far from rest that keep the volume or nearly do.
#[test]
fn high_stretches_have_the_energy_of_the_formula() {
    let mut random = Random::new(17);
    for stretch in [3.0, 30.0, 1e3, 1e5] {
        for swell in [1.0, 1.1] {
            let s = [stretch, stretch, swell / (stretch * stretch)];
            let diagonal = Matrix(from_fn(|i| from_fn(|j| if i == j { s[i] } else { 0.0 })));
            let f = rotation::<3>(&mut random) * diagonal;
            for material in materials() {
                let Lame { shear, lambda } = material.lame;
                let (square, log): (f64, f64) = (s.iter().map(|s| s * s).sum(), swell.ln());
                let expected = match material.kind {
                    MaterialKind::NeoHookean => {
                        0.5 * shear * (square - 3.0) - shear * log + 0.5 * lambda * log * log
                    }
                    MaterialKind::StableNeoHookean => {
                        let (mu, bulk) = (shear * 4.0 / 3.0, lambda + shear * 5.0 / 6.0);
                        let rising = 0.5 * mu * (square - 3.0 - ((square + 1.0) / 4.0).ln());
                        rising - shear * (swell - 1.0) + 0.5 * bulk * (swell - 1.0).powi(2)
                    }
                    _ => continue,
                };
                let ratio = material.energy(&f) / expected;
                assert!((ratio - 1.0).abs() < 1e-13, "{} at {s:?}: {:e} off", material.kind, ratio - 1.0);
            }
        }
    }
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
            for psd in [Psd::None, Psd::Clamp, Psd::Abs] {
                assert!(dense(&material.tangent(&f, psd)).iter().flatten().all(|entry| entry.is_finite()));
            }
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
