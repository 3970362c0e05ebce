//! Gradient, Hessian and projection of every element at random configurations, also strongly deformed ones; rest and rotation.

use crate::support::Random;
use stiction::distance::Psd;
use stiction::math::{Matrix, Vector, eigen};
use stiction::stencil::Stencil;
use stiction_sim::element::{Bend, Element, Hinge, Membrane, Simplex, Spring};
use stiction_sim::material::{Lame, Material, MaterialKind};

const STEP: f64 = 1e-6;
const ROWS: usize = 12;

fn lame() -> Lame {
    Lame::new(3.0, 0.3).unwrap()
}

fn moved<const D: usize, const N: usize>(x: &[Vector<D>; N], k: usize, by: f64) -> [Vector<D>; N] {
    let mut x = *x;
    x[k / D][k % D] += by;
    x
}

fn dense<const D: usize, const N: usize>(h: &[[Matrix<D>; N]; N]) -> [[f64; ROWS]; ROWS] {
    let mut out = [[0.0; ROWS]; ROWS];
    for (k, l) in (0..D * N).flat_map(|k| (0..D * N).map(move |l| (k, l))) {
        out[k][l] = h[k / D][l / D].0[k % D][l % D];
    }
    out
}

fn largest(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().map(f64::abs).fold(0.0, f64::max)
}

/// Derivatives against central differences.
fn check_derivatives<const D: usize, const N: usize>(
    name: &str,
    element: &impl Element<D, N>,
    x: &[Vector<D>; N],
) {
    let g = element.gradient(x);
    let h = dense(&element.hessian(x, Psd::None));
    let (g_scale, h_scale) =
        (largest(g.iter().flat_map(|g| g.0)).max(1e-3), largest(h.iter().flatten().copied()));
    for k in 0..D * N {
        let (up, down) = (moved(x, k, STEP), moved(x, k, -STEP));
        let slope = (element.energy(&up) - element.energy(&down)) / (2.0 * STEP);
        let found = g[k / D][k % D];
        assert!((slope - found).abs() < 1e-6 * g_scale, "{name}: gradient {k}: {found} for {slope} at {x:?}");
        let (up, down) = (element.gradient(&up), element.gradient(&down));
        for l in 0..D * N {
            let bend = (up[l / D][l % D] - down[l / D][l % D]) / (2.0 * STEP);
            assert!(
                (bend - h[l][k]).abs() < 1e-6 * h_scale,
                "{name}: Hessian {l} {k}: {} for {bend} at {x:?}",
                h[l][k]
            );
        }
    }
}

/// Whether the exact Hessian has no negative eigenvalue; its projections have none, and are the same then.
fn check_projection<const D: usize, const N: usize>(
    name: &str,
    element: &impl Element<D, N>,
    x: &[Vector<D>; N],
) -> bool {
    let least = |h: &[[f64; ROWS]; ROWS]| {
        eigen::symmetric(*h, D * N).0[..D * N].iter().fold(f64::INFINITY, |a, b| a.min(*b))
    };
    let exact = dense(&element.hessian(x, Psd::None));
    let scale = largest(exact.iter().flatten().copied());
    let positive = least(&exact) > -1e-10 * scale;
    for psd in [Psd::Clamp, Psd::Abs, Psd::GaussNewton] {
        let projected = dense(&element.hessian(x, psd));
        assert!(least(&projected) > -1e-10 * scale, "{name}: {psd:?} leaves {}", least(&projected));
        let off =
            largest((0..ROWS * ROWS).map(|k| projected[k / ROWS][k % ROWS] - exact[k / ROWS][k % ROWS]));
        assert!(
            !positive || psd == Psd::GaussNewton || off < 1e-8 * scale,
            "{name}: {psd:?} is off by {off}"
        );
    }
    positive
}

/// A rotation.
fn rotation<const D: usize>(random: &mut Random) -> Matrix<D> {
    stiction_sim::material::svd::svd(Matrix(std::array::from_fn(|_| random.vector().0))).u
}

/// No energy and no force at rest, and a rotation changes neither the energy nor, but for turning it, the force.
fn check_rest<const D: usize, const N: usize>(
    name: &str,
    element: &impl Element<D, N>,
    (rest, x): (&[Vector<D>; N], &[Vector<D>; N]),
    random: &mut Random,
) {
    let force = |x: &[Vector<D>; N]| largest(element.gradient(x).iter().flat_map(|g| g.0));
    assert!(element.energy(rest).abs() < 1e-14, "{name}: energy at rest");
    assert!(force(rest) < 1e-13, "{name}: force at rest {}", force(rest));
    let (turn, shift) = (rotation::<D>(random), random.vector());
    let turned = |x: &[Vector<D>; N]| x.map(|x| turn * x + shift);
    let (before, after) = (element.energy(x), element.energy(&turned(x)));
    assert!((before - after).abs() < 1e-11 * before.max(1.0), "{name}: {before} becomes {after}");
    let (before, after) = (element.gradient(x), element.gradient(&turned(x)));
    for i in 0..N {
        assert!((turn * before[i] - after[i]).max_abs() < 1e-10 * force(x).max(1.0), "{name}: force");
    }
}

/// Runs all checks for elements at rest at random places, jiggled, stretched and compressed.
fn check<const D: usize, const N: usize, E: Element<D, N>>(
    name: &str,
    new: impl Fn(Stencil<N>, &[Vector<D>]) -> E,
    regular: [Vector<D>; N],
) {
    let mut random = Random::new(17 + D as u64);
    let stencil = Stencil(std::array::from_fn(|i| i as u32));
    let mut positive = 0;
    for round in 0..60 {
        let rest = regular.map(|x| x + random.vector() * 0.12);
        let element = new(stencil, &rest);
        // A tenth, half, the whole or twice the size.
        let size = [0.1, 0.5, 1.0, 2.0][round % 4];
        let mut x = rest.map(|x| (x + random.vector() * 0.08) * size);
        let stretch = 0.5 + random.number();
        for x in &mut x {
            x[0] *= stretch;
        }
        check_derivatives(name, &element, &x);
        positive += usize::from(check_projection(name, &element, &x));
        assert!(check_projection(name, &element, &rest), "{name} is not stable at rest");
        check_rest(name, &element, (&rest, &x), &mut random);
    }
    println!("{name} in {D}D: {positive} of 60 exact Hessians have no negative eigenvalue");
}

fn triangle<const D: usize>() -> [Vector<D>; 3] {
    [Vector::ZERO, Vector::axis(0), Vector::axis(1)]
}

fn line<const D: usize>(turned: f64) -> [Vector<D>; 3] {
    [Vector::axis(0) * -1.0, Vector::ZERO, Vector::axis(0) + Vector::axis(1) * turned]
}

/// A flap: the edge, then what is opposite to it.
fn flap(up: f64) -> [Vector<3>; 4] {
    [Vector::ZERO, Vector::axis(0), Vector([0.5, 1.0, 0.0]), Vector([0.5, -1.0, up])]
}

#[test]
fn membranes() {
    for kind in MaterialKind::ALL {
        let material = Material { kind, lame: lame() };
        let name = format!("membrane of {kind}");
        check(&name, |stencil, rest| Membrane::<2>::new(stencil, rest, material, 0.1), triangle());
        check(&name, |stencil, rest| Membrane::<3>::new(stencil, rest, material, 0.1), triangle());
    }
}

#[test]
fn solids() {
    let material = Material::from(lame());
    check("triangle", |stencil, rest| Simplex::<2, 3>::new(stencil, rest, material), triangle());
    let corner = [Vector::ZERO, Vector::axis(0), Vector::axis(1), Vector::axis(2)];
    check("tetrahedron", |stencil, rest| Simplex::<3, 4>::new(stencil, rest, material), corner);
}

#[test]
fn springs() {
    check("spring", |stencil, rest| Spring::new::<2>(stencil, rest, 2.0), [Vector::ZERO, Vector::axis(0)]);
    check("spring", |stencil, rest| Spring::new::<3>(stencil, rest, 2.0), [Vector::ZERO, Vector::axis(0)]);
    // The known eigenvalues: along, and across.
    let spring = Spring::new::<3>(Stencil([0, 1]), &[Vector::ZERO, Vector([2.0, 0.0, 0.0])], 3.0);
    let h = spring.hessian(&[Vector::ZERO, Vector([0.0, 5.0, 0.0])], Psd::None)[1][1];
    assert_eq!((h.0[1][1], h.0[0][0]), (1.5, 1.5 * (1.0 - 2.0 / 5.0)));
    // Without length there is no direction.
    let nowhere = [Vector::<3>::ZERO; 2];
    assert_eq!(spring.gradient(&nowhere), nowhere);
    assert!(dense(&spring.hessian(&nowhere, Psd::Clamp)).iter().flatten().all(|a| a.is_finite()));
}

#[test]
fn hinges() {
    for up in [0.0, 1.0, -3.0] {
        check("hinge", |stencil, rest| Hinge::new(stencil, rest, 0.7), flap(up));
    }
    assert!(Hinge::angle(&flap(0.0)).abs() < 1e-16);
    let folded = [0.0, 0.5, 1.0, 3.0, -0.5].map(|angle: f64| {
        let mut x = flap(0.0);
        x[3] = Vector([0.3, -angle.cos(), angle.sin()]);
        (angle, Hinge::angle(&x))
    });
    for (angle, found) in folded {
        assert!((angle + found).abs() < 1e-14, "{angle}: {found}");
    }
    // A triangle without area has no force.
    let hinge = Hinge::new(Stencil([0, 1, 2, 3]), &flap(1.0), 0.7);
    let mut flat = flap(1.0);
    flat[2] = flat[0];
    assert!(hinge.gradient(&flat).iter().all(|g| g.is_finite()));
    assert!(dense(&hinge.hessian(&flat, Psd::Clamp)).iter().flatten().all(|a| a.is_finite()));
}

#[test]
fn bends() {
    for turned in [0.0, 0.7, -2.0] {
        check("bend", |stencil, rest| Bend::<2>::new(stencil, rest, 0.4), line(turned));
        check("bend", |stencil, rest| Bend::<3>::new(stencil, rest, 0.4), line(turned));
    }
}

/// The Hessian of a bend by relative motion of its two segments.
fn relative<const D: usize>(h: &[[Matrix<D>; 3]; 3], x: &[Vector<D>; 3]) -> [[f64; 6]; 6] {
    let lengths = [(x[1] - x[0]).norm(), (x[2] - x[1]).norm()];
    let mut out = [[0.0; 6]; 6];
    for (i, j) in (0..2 * D).flat_map(|i| (0..2 * D).map(move |j| (i, j))) {
        let (p, q) = (i / D, j / D);
        let sign = if p == q { 1.0 } else { -1.0 };
        out[i][j] = sign * h[2 * p][2 * q].0[i % D][j % D] * lengths[p] * lengths[q];
    }
    out
}

fn check_modes<const D: usize>(bend: &Bend<D>, x: &[Vector<D>; 3]) {
    let exact = relative(&bend.hessian(x, Psd::None), x);
    let size = largest(exact.iter().flatten().copied());
    for psd in [Psd::Clamp, Psd::Abs] {
        let found = relative(&bend.hessian(x, psd), x);
        let expected = eigen::map_eigenvalues(exact, 2 * D, |value| psd.apply(value));
        let off = largest((0..36).map(|k| found[k / 6][k % 6] - expected[k / 6][k % 6]));
        assert!(off < 1e-12 * size, "{psd:?} of {bend:?} at {x:?}: off by {off} of {size}");
    }
}

fn modes_of_bends<const D: usize>() {
    let mut random = Random::new(23);
    for round in 0..400 {
        let size = [1e-9, 1e-4, 0.1, 1.0][round % 4];
        let rest = line::<D>([0.0, 0.3, 2.0][round % 3]);
        let bend = Bend::<D>::new(Stencil([0, 1, 2]), &rest, 0.4);
        let mut x = rest.map(|x| x + random.vector() * size);
        // Segments of different lengths, and angles of more than a right one.
        x[2] = x[1] + (x[2] - x[1]) * [1.0, 20.0, -0.3][round % 3];
        check_modes(&bend, &x);
    }
}

/// Closed forms of a bend's eigenvalues against a general eigen-solver: straight, bent, folded back.
#[test]
fn bends_project_like_a_general_eigen_solver() {
    modes_of_bends::<2>();
    modes_of_bends::<3>();
}

/// A rod that is straight at rest: smooth at straight, and the same energy in 2D and 3D.
#[test]
fn straight_rods_are_smooth() {
    let stencil = Stencil([0, 1, 2]);
    let flat = Bend::<2>::new(stencil, &line(0.0), 0.4);
    let space = Bend::<3>::new(stencil, &line(0.0), 0.4);
    for turned in [0.0, 1e-9, 1e-5, 5e-3, 1.1e-2, 0.3, 5.0] {
        let (in_plane, in_space) = (flat.energy(&line(turned)), space.energy(&line(turned)));
        assert!((in_plane - in_space).abs() <= 1e-14 * in_plane, "{turned}: {in_plane} {in_space}");
        assert!((in_plane - 0.5 * 0.4 * turned.atan().powi(2)).abs() <= 1e-14 * in_plane);
        check_derivatives("straight bend", &space, &line(turned));
        check_derivatives("straight bend", &flat, &line(turned));
    }
}

/// A rod that is curved at rest in 3D: stable there, as stiff as it should be to 1 %, and smooth where it is straight.
#[test]
fn curved_rods_are_smooth() {
    let rest = line::<3>(1.0);
    let bend = Bend::<3>::new(Stencil([0, 1, 2]), &rest, 1.0);
    let angle = std::f64::consts::FRAC_PI_4;
    assert!((bend.rest_angle - angle).abs() < 1e-15);
    let at = |angle: f64| bend.energy(&line(angle.tan()));
    let stiffness = (at(angle + 1e-4) + at(angle - 1e-4)) / 1e-8;
    assert!((stiffness / bend.stiffness - 1.0).abs() < 0.011, "{stiffness}");
    assert!((at(1.5) / (0.5 * bend.stiffness * (1.5 - angle).powi(2)) - 1.0).abs() < 0.03);
    for turned in [0.0, 1e-3, 0.02, 0.1] {
        check_derivatives("curved bend", &bend, &line(turned));
        check_projection("curved bend", &bend, &line(turned));
    }
}
