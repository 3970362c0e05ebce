//! Closest features and distances where formulas break: slivers, nearly and exactly parallel edges, coincident
//! vertices, edges without length, gaps from 10⁻¹² to 10⁶, against exact rational arithmetic.
//!
//! `cargo test -p stiction --test all degenerate:: -- --nocapture` prints the largest errors.

use crate::exact;
use crate::support::{Random, largest};
use stiction::closest::{self, EdgePart, FacePart};
use stiction::contact::{Contact, ParallelContact};
use stiction::distance::{self, Psd, Separation};
use stiction::math::Vector;
use stiction::math::vector::flat;
use stiction::stencil::{EDGE_EDGE, Pair, Stencil, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX};

/// The bound that `closest` states, in `ε L`.
const BOUND: f64 = 32.0;

/// The largest errors met, in `ε L`, by where.
#[derive(Default)]
struct Worst(std::collections::BTreeMap<&'static str, f64>);

impl Worst {
    fn note(&mut self, place: &'static str, error: f64) {
        let worst = self.0.entry(place).or_default();
        *worst = worst.max(error);
    }
}

/// `|d − exact|` in units of `ε L`, asserted to be within the bound.
fn error<const D: usize>(x: &[Vector<D>], d: f64, exact: f64) -> f64 {
    let size = x.iter().flat_map(|a| x.iter().map(|b| (*a - *b).norm())).fold(0.0, f64::max);
    let error = (d - exact).abs();
    assert!(error <= BOUND * f64::EPSILON * size, "{d:e} is not {exact:e} at {x:?}");
    if error > 0.0 { error / (f64::EPSILON * size) } else { 0.0 }
}

/// The pair that `closest` names has the distance that it gives, and finite derivatives, whose sum is zero.
fn check_pair<const D: usize, const N: usize>(
    (pair, x): (&Pair<N>, &[Vector<D>; N]),
    whole: &[Vector<D>],
    exact: f64,
) -> f64 {
    let separation = Separation::new(pair, x);
    let gradient = separation.gradient(1.0);
    let scale = largest(flat(&gradient));
    for k in 0..D {
        let sum: f64 = gradient.iter().map(|g| g[k]).sum();
        assert!(sum.abs() <= 8.0 * f64::EPSILON * scale, "gradient {gradient:?} at {x:?}");
    }
    for psd in [Psd::None, Psd::Clamp, Psd::Abs, Psd::GaussNewton] {
        let hessian = separation.hessian(1.0, 0.0, psd);
        let finite =
            hessian.as_flattened().iter().all(|block| block.0.as_flattened().iter().all(|v| v.is_finite()));
        assert!(finite && scale.is_finite(), "{psd:?} Hessian at {x:?}");
    }
    error(whole, separation.distance_squared().sqrt(), exact)
}

fn edge_edge_pair(parts: (EdgePart, EdgePart)) -> Pair<4> {
    let contact = Contact { stencil: Stencil([0, 1, 2, 3]), weight: 1.0 };
    ParallelContact { contact, parts, threshold: 1.0 }.pair()
}

fn check_edge_edge<const D: usize>(x: &[Vector<D>; 4], worst: &mut Worst) {
    let exact = exact::edge_edge([x[0], x[1]], [x[2], x[3]]);
    let (parts, d2) = closest::edge_edge([x[0], x[1]], [x[2], x[3]]);
    worst.note("edge-edge, closest", error(x, d2.sqrt(), exact));
    worst.note("edge-edge, derivatives", check_pair((&edge_edge_pair(parts), x), x, exact));
    let (swapped, same) = closest::edge_edge([x[2], x[3]], [x[0], x[1]]);
    worst.note("edge-edge, swapped", error(x, same.sqrt(), exact));
    worst.note(
        "edge-edge, swapped",
        check_pair((&edge_edge_pair(swapped), &[x[2], x[3], x[0], x[1]]), x, exact),
    );
}

fn check_vertex_face<const D: usize>(x: &[Vector<D>; 4], worst: &mut Worst) {
    let face = [x[1], x[2], x[3]];
    let exact = exact::vertex_face(x[0], face);
    let (part, d2) = closest::vertex_face(x[0], face);
    worst.note("vertex-face, closest", error(x, d2.sqrt(), exact));
    let error = match part {
        FacePart::Vertex(k) => check_pair((&VERTEX_VERTEX, &[x[0], face[k]]), x, exact),
        FacePart::Edge(k) => check_pair((&VERTEX_EDGE, &[x[0], face[k], face[(k + 1) % 3]]), x, exact),
        FacePart::Inside => check_pair((&VERTEX_FACE, x), x, exact),
    };
    worst.note("vertex-face, derivatives", error);
}

fn check_vertex_edge<const D: usize>(x: &[Vector<D>; 3], worst: &mut Worst) {
    let exact = exact::vertex_edge(x[0], x[1], x[2]);
    let (part, d2) = closest::vertex_edge(x[0], x[1], x[2]);
    worst.note("vertex-edge, closest", error(x, d2.sqrt(), exact));
    let error = match part {
        EdgePart::Start => check_pair((&VERTEX_VERTEX, &[x[0], x[1]]), x, exact),
        EdgePart::End => check_pair((&VERTEX_VERTEX, &[x[0], x[2]]), x, exact),
        EdgePart::Inside => check_pair((&VERTEX_EDGE, x), x, exact),
    };
    worst.note("vertex-edge, derivatives", error);
}

/// A number of any magnitude between two powers of ten.
fn magnitude(random: &mut Random, low: f64, high: f64) -> f64 {
    10.0_f64.powf(random.between(low, high))
}

/// A number from 0 to `count − 1`.
#[expect(clippy::cast_sign_loss, reason = "it is not negative")]
fn one_of(random: &mut Random, count: usize) -> usize {
    random.between(0.0, count as f64) as usize % count
}

/// One of the things that can be wrong with a configuration.
fn spoil<const D: usize, const N: usize>(random: &mut Random, x: &mut [Vector<D>; N]) {
    let (i, j) = (one_of(random, N), one_of(random, N));
    match one_of(random, 4) {
        0 => x[i] = x[j],
        1 => x[i] = x[j] + x[(j + 1) % N] * 1e-12,
        _ => {}
    }
}

/// Moved and turned at random, so that no coordinate is special.
fn place<const D: usize, const N: usize>(x: [Vector<D>; N], random: &mut Random) -> [Vector<D>; N] {
    let (rotation, [shift]) = (random.rotation::<D>(), random.points::<D, 1>(3.0));
    let shift = if random.between(0.0, 1.0) < 0.5 { Vector::ZERO } else { shift };
    x.map(|p| rotation * p + shift)
}

/// A point with these two coordinates, and `z` in 3D.
fn at<const D: usize>(x: f64, y: f64, z: f64) -> Vector<D> {
    Vector(std::array::from_fn(|k| [x, y, z][k]))
}

/// Two edges at an angle from 10⁻¹⁶ to 10⁻¹ rad, one up to 10⁸ times shorter, at any gap, shifted along each other.
fn thin_edges<const D: usize>(random: &mut Random) -> [Vector<D>; 4] {
    let wide = random.between(0.0, 1.0) < 0.3;
    let angle = if wide { random.between(0.05, 1.6) } else { magnitude(random, -16.0, -1.0) };
    let length = if random.between(0.0, 1.0) < 0.7 { 1.0 } else { magnitude(random, -8.0, 0.0) };
    let gap = if random.between(0.0, 1.0) < 0.2 { 0.0 } else { magnitude(random, -12.0, 6.0) };
    let (offset, before) = (random.between(-1.5, 1.5), random.between(-0.5, 1.5) * length);
    let (sin, cos) = angle.sin_cos();
    let (start, end) = (-before, length - before);
    // In 2D the gap is in the plane of the edges.
    let (lift, z) = if D == 2 { (gap * angle, 0.0) } else { (0.0, gap) };
    [
        at(-0.5, 0.0, 0.0),
        at(0.5, 0.0, 0.0),
        at(offset + start * cos, start * sin + lift, z),
        at(offset + end * cos, end * sin + lift, z),
    ]
}

/// Exactly parallel edges: whole numbers of a small unit, one edge a multiple of the other.
fn parallel_edges<const D: usize>(random: &mut Random) -> [Vector<D>; 4] {
    let unit = magnitude(random, -9.0, 3.0);
    let unit = 2.0_f64.powi(unit.log2() as i32);
    let mut whole =
        |reach: f64| Vector(std::array::from_fn(|_| random.between(-reach, reach).round() * unit));
    let (a, u, b) = (whole(1e6), whole(1e3), whole(1e6));
    let factor = random.between(-4.0, 4.0).round();
    // Half of them on one line, touching or overlapping.
    let b = if random.between(0.0, 1.0) < 0.5 { a + u * random.between(-4.0, 4.0).round() } else { b };
    [a, a + u, b, b + u * factor]
}

/// A face of aspect down to 10⁻¹² and a vertex above, inside or beside it, at any gap.
fn sliver<const D: usize>(random: &mut Random) -> [Vector<D>; 4] {
    let thin = if random.between(0.0, 1.0) < 0.3 { 1e-8 } else { magnitude(random, -12.0, 0.0) };
    // From a needle to a face with an angle of nearly 180°.
    let top = if random.between(0.0, 1.0) < 0.5 {
        random.between(-0.2, 1.2)
    } else {
        magnitude(random, -9.0, -1.0)
    };
    let gap = if random.between(0.0, 1.0) < 0.2 { 0.0 } else { magnitude(random, -12.0, 6.0) };
    let (s, t) = (random.between(-0.2, 1.0), random.between(-0.2, 1.0));
    let turn = one_of(random, 3);
    let face = [at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(top, thin, 0.0)];
    let vertex = face[1] * s + face[2] * t + at(0.0, 0.0, gap);
    [vertex, face[turn], face[(turn + 1) % 3], face[(turn + 2) % 3]]
}

/// A vertex near an edge of any length, at any gap.
fn near_edge<const D: usize>(random: &mut Random) -> [Vector<D>; 3] {
    let length = magnitude(random, -12.0, 6.0);
    let gap = magnitude(random, -12.0, 6.0);
    [at(random.between(-0.3, 1.3) * length, gap, 0.0), at(0.0, 0.0, 0.0), at(length, 0.0, 0.0)]
}

fn check_all<const D: usize>(random: &mut Random, worst: &mut Worst) {
    for _ in 0..20_000 {
        let mut edges = place(thin_edges::<D>(random), random);
        check_edge_edge(&edges, worst);
        spoil(random, &mut edges);
        check_edge_edge(&edges, worst);
        check_edge_edge(&parallel_edges::<D>(random), worst);
        let mut face = place(sliver::<D>(random), random);
        check_vertex_face(&face, worst);
        spoil(random, &mut face);
        check_vertex_face(&face, worst);
        let mut edge = place(near_edge::<D>(random), random);
        check_vertex_edge(&edge, worst);
        spoil(random, &mut edge);
        check_vertex_edge(&edge, worst);
    }
}

#[test]
fn distances_are_within_the_bound() {
    let (mut random, mut worst) = (Random::new(1), Worst::default());
    check_all::<2>(&mut random, &mut worst);
    check_all::<3>(&mut random, &mut worst);
    for (place, error) in &worst.0 {
        println!("{place:28} {error:6.2} ε L");
    }
}

/// Pairs on which plain products lose most of what they may lose before accurate ones take over.
#[test]
#[expect(clippy::unreadable_literal, reason = "as they were found")]
fn distances_at_middling_angles_are_within_the_bound() {
    let edges = [
        [-0.9147029039707638, -0.6311703233745661],
        [-0.9507833709665617, 0.36817856460284426],
        [-0.9498816493738844, 0.3448370753973952],
        [-0.9504385635447831, 0.34887197948440923],
    ];
    let face = [
        [-0.3106098903678202, 1.1397069392277088],
        [-0.00935986574825165, 0.9224358184900439],
        [-0.26406006912380764, 1.1475666364792658],
        [-0.3198246311802936, 1.1451706393124101],
    ];
    let mut worst = Worst::default();
    let in_space = |x: [f64; 2]| Vector([x[0], x[1], 0.0]);
    check_edge_edge(&edges.map(Vector), &mut worst);
    check_edge_edge(&edges.map(in_space), &mut worst);
    check_vertex_face(&face.map(Vector), &mut worst);
    check_vertex_face(&face.map(in_space), &mut worst);
}

/// Lengths whose fourth powers nearly vanish.
#[test]
fn tiny_pairs_have_finite_derivatives() {
    for (h, angle) in [(1e-72, 1e-12_f64), (1e-74, 1e-8), (1e-76, 1e-4), (1e-76, 1.0)] {
        let (sin, gap) = (angle.sin(), 1.0);
        let x = [[0.0; 3], [h, 0.0, 0.0], [0.0, -0.5 * sin * h, gap], [h, 0.5 * sin * h, gap]].map(Vector);
        let separation = Separation::new(&EDGE_EDGE, &x);
        assert!((separation.distance_squared() - 1.0).abs() < 1e-14, "{h:e} {angle:e}");
        let hessian = separation.hessian(1.0, 0.0, Psd::None);
        assert!(hessian.as_flattened().iter().all(|m| m.0.as_flattened().iter().all(|v| v.is_finite())));
    }
}

/// Edges at this angle whose vertices are whole numbers of 2⁻⁴⁰, so that their differences have no rounding.
fn crossing_at(random: &mut Random, angle: f64) -> [Vector<3>; 4] {
    let around = random.between(0.0, 6.0);
    let turn = Vector([0.0, around.cos() * angle, around.sin() * angle]);
    let u = Vector([random.between(0.5, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)]);
    let (v, w) = (u + turn, random.points::<3, 1>(0.5)[0]);
    [Vector::ZERO, u, w, w + v]
        .map(|p| Vector(p.0.map(|c| (c * 2.0_f64.powi(40)).round() * 2.0_f64.powi(-40))))
}

/// Gradient and Hessian of d² between lines are right to 128 units in the last place of their largest entry at any
/// angle, where the distance itself is not small against the edges.
#[test]
fn derivatives_of_nearly_parallel_lines() {
    let mut random = Random::new(2);
    for exponent in 1..=9 {
        let (mut first, mut second) = (0.0_f64, 0.0_f64);
        for _ in 0..60 {
            let x = crossing_at(&mut random, 10.0_f64.powi(-exponent));
            if distance::distance_squared(&EDGE_EDGE, &x) < 1e-2 {
                continue;
            }
            let (gradient, hessian) = exact::derivatives(&EDGE_EDGE, &x);
            let ours = distance::hessian(&EDGE_EDGE, &x);
            let ours: Vec<f64> = (0..144).map(|k| ours[k / 36][k % 12 / 3].0[k / 12 % 3][k % 3]).collect();
            first = first.max(relative_error(flat(&distance::gradient(&EDGE_EDGE, &x)), &gradient));
            second = second.max(relative_error(&ours, &hessian));
        }
        println!("angle 1e-{exponent}: gradient {first:5.2} ε, Hessian {second:5.2} ε");
        assert!(first > 0.0 && first <= 128.0 && second > 0.0 && second <= 128.0);
    }
}

/// The largest difference over the largest entry, in units of `ε`.
fn relative_error(a: &[f64], b: &[f64]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    largest(&difference) / (largest(b) * f64::EPSILON)
}
