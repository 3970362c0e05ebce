//! Additive collision detection: advance by what the distance and the speeds prove to be safe. \[Li2021\]
//!
//! Two primitives at distance `d` whose points approach each other by at most `l` during the whole
//! motion cannot touch before a further `d/l` of it. So
//! ```text
//! t ← t + σ d(t)/l     until d(t) ≤ (1 − σ) d(0)  or  t ≥ 1
//! ```
//! with `σ < 1`, and the `t` before the last advance is returned. The mean motion is removed first, which
//! makes `l` small for primitives that move together. Every `t` on the way is safe, so stopping early is too.
//!
//! `d` is a lower bound, also in rounded arithmetic: the gap between the primitives along some direction `n`,
//! which is a lower bound of the distance for any unit vector `n`, less the rounding of its own computation,
//! ```text
//! d = minᵢ n·aᵢ − maxⱼ n·bⱼ − 32 ε (largest coordinate)
//! ```
//! With `n` along the closest points it is the distance itself, so `n` is made from the features that are closest:
//! their normal, or the vector between them without its part along an edge.

use std::array::from_fn;

use crate::closest::{self, EdgePart, FacePart};
use crate::math::Vector;
use crate::math::vector::{accurate_cross, cross};

/// `σ`: the part of the proven-safe advance that is used; `1 − σ` of the distance is kept.
pub const RESCALING: f64 = 0.9;

/// Advances after which the search stops with the safe time reached so far.
const MAX_ADVANCES: usize = 10_000;

/// Rounding of a gap along a direction, in units of the largest coordinate.
const SLACK: f64 = 32.0 * f64::EPSILON;

/// Positions and displacements of one pair of primitives.
#[derive(Clone, Copy, Debug)]
pub enum Query<const D: usize> {
    /// (v, e₀, e₁).
    VertexEdge([Vector<D>; 3], [Vector<D>; 3]),
    /// (a₀, a₁, b₀, b₁).
    EdgeEdge([Vector<D>; 4], [Vector<D>; 4]),
    /// (v, f₀, f₁, f₂).
    VertexFace([Vector<D>; 4], [Vector<D>; 4]),
}

impl<const D: usize> Query<D> {
    /// The largest fraction of the motion, at most 1, that is proven not to touch; 0 where a number is not finite.
    pub fn largest_step(&self) -> f64 {
        match *self {
            Self::VertexEdge(x, p) => advance(x, p, 1, vertex_edge_gap),
            Self::EdgeEdge(x, p) => advance(x, p, 2, edge_edge_gap),
            Self::VertexFace(x, p) => advance(x, p, 1, vertex_face_gap),
        }
    }
}

/// The search. The first `split` vertices make the first primitive.
fn advance<const D: usize, const N: usize>(
    mut x: [Vector<D>; N],
    mut p: [Vector<D>; N],
    split: usize,
    gap: impl Fn(&[Vector<D>; N]) -> f64,
) -> f64 {
    let mean = p.iter().fold(Vector::ZERO, |sum, v| sum + *v) * (1.0 / N as f64);
    // Rounding of the positions on the way: theirs and that of the common motion.
    let slack = SLACK * longest(&x).max(longest(&p));
    p = p.map(|v| v - mean);
    let approach = longest(&p[..split]) + longest(&p[split..]);
    let mut distance = gap(&x) - slack;
    if !(approach.is_finite() && distance.is_finite()) {
        return 0.0;
    }
    if approach == 0.0 {
        return 1.0;
    }
    let keep = (1.0 - RESCALING) * distance;
    let mut t = 0.0;
    for _ in 0..MAX_ADVANCES {
        let dt = RESCALING * distance / approach;
        if t + dt >= 1.0 {
            return 1.0;
        }
        if dt <= f64::EPSILON * t {
            return t;
        }
        let next = from_fn(|i| x[i] + p[i] * dt);
        distance = gap(&next) - slack;
        if t > 0.0 && distance <= keep {
            return t;
        }
        x = next;
        t += dt;
    }
    t
}

/// The largest length; not a number if any is not.
fn longest<const D: usize>(vectors: &[Vector<D>]) -> f64 {
    let larger = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
    vectors.iter().map(|v| v.norm()).fold(0.0, larger)
}

fn vertex_edge_gap<const D: usize>(x: &[Vector<D>; 3]) -> f64 {
    let (part, r) = closest::vertex_edge_vector(x[0], x[1], x[2]);
    let n = if part == EdgePart::Inside { across(r, x[2] - x[1]) } else { r };
    gap_along(n.normalized(), x, 1)
}

fn edge_edge_gap<const D: usize>(x: &[Vector<D>; 4]) -> f64 {
    let (u, v) = (x[1] - x[0], x[3] - x[2]);
    let (parts, r) = closest::edge_edge_vector([x[0], x[1]], [x[2], x[3]]);
    let n = match parts {
        (EdgePart::Inside, EdgePart::Inside) => return gap_either_way(normal(u, v), x, 2),
        (EdgePart::Inside, _) => across(r, u),
        (_, EdgePart::Inside) => across(r, v),
        _ => r,
    };
    let gap = gap_along(n.normalized(), x, 2);
    // Nearly parallel edges may be closer inside than `closest` can tell.
    if is_thin(u, v) { gap.max(gap_either_way(normal(u, v), x, 2)) } else { gap }
}

fn vertex_face_gap<const D: usize>(x: &[Vector<D>; 4]) -> f64 {
    let (part, r) = closest::vertex_face_vector(x[0], [x[1], x[2], x[3]]);
    let n = match part {
        FacePart::Inside => return gap_either_way(normal(x[2] - x[1], x[3] - x[1]), x, 1),
        FacePart::Edge(k) => across(r, x[1 + (k + 1) % 3] - x[1 + k]),
        FacePart::Vertex(_) => r,
    };
    gap_along(n.normalized(), x, 1)
}

/// `r` without what rounding left of it along the edge: a small `r` is a difference of large numbers, and a tilt
/// of the direction costs the length of the edge.
fn across<const D: usize>(r: Vector<D>, edge: Vector<D>) -> Vector<D> {
    r - edge * (r.dot(edge) / edge.norm_squared())
}

/// Whether two directions are so close to parallel that plain products lose digits: sin² < 10⁻⁴.
fn is_thin<const D: usize>(u: Vector<D>, v: Vector<D>) -> bool {
    let (uu, uv, vv) = (u.norm_squared(), u.dot(v), v.norm_squared());
    uu * vv - uv * uv < 1e-4 * uu * vv
}

/// The unit normal of two directions in 3D.
fn normal<const D: usize>(u: Vector<D>, v: Vector<D>) -> Vector<D> {
    if is_thin(u, v) { accurate_cross(u, v).normalized() } else { cross(u, v).normalized() }
}

/// The gap between the first `split` points and the others along `n`, a lower bound of their distance.
fn gap_along<const D: usize, const N: usize>(n: Vector<D>, x: &[Vector<D>; N], split: usize) -> f64 {
    let (mut first, mut second) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..N {
        // From a common point: differences of neighbours are small, so is their rounding.
        let height = n.dot(x[i] - x[0]);
        if i < split {
            first = first.min(height);
        } else {
            second = second.max(height);
        }
    }
    first - second
}

fn gap_either_way<const D: usize, const N: usize>(n: Vector<D>, x: &[Vector<D>; N], split: usize) -> f64 {
    gap_along(n, x, split).max(gap_along(-n, x, split))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_stops_before_the_edge() {
        let x = [Vector([0.5, 1.0]), Vector([0.0, 0.0]), Vector([1.0, 0.0])];
        let p = [Vector([0.0, -4.0]), Vector::ZERO, Vector::ZERO];
        let t = Query::VertexEdge(x, p).largest_step();
        assert!(t < 0.25 && t > 0.2, "{t}");
    }

    #[test]
    fn primitives_that_move_together_are_free() {
        let x = [[0.0; 3], [1.0, 0.0, 0.0], [0.3, 0.2, 1e-3], [0.3, 1.0, 1e-3]].map(Vector);
        let p = [Vector([5.0, 1.0, -2.0]); 4];
        assert_eq!(Query::EdgeEdge(x, p).largest_step(), 1.0);
    }

    #[test]
    fn touching_primitives_may_not_move() {
        let x = [Vector([0.5, 0.0]), Vector([0.0, 0.0]), Vector([1.0, 0.0])];
        let p = [Vector([0.0, 1.0]), Vector::ZERO, Vector::ZERO];
        assert_eq!(Query::VertexEdge(x, p).largest_step(), 0.0);
    }

    #[test]
    fn a_face_is_hit_between_its_corners() {
        let x = [[0.2, 0.2, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vector);
        let p = [Vector([0.0, 0.0, -2.0]), Vector::ZERO, Vector::ZERO, Vector::ZERO];
        let t = Query::VertexFace(x, p).largest_step();
        assert!(t < 0.5 && t > 0.44, "{t}");
    }

    #[test]
    fn motions_that_are_no_numbers_may_not_begin() {
        let x = [Vector([0.5, 1.0]), Vector([0.0, 0.0]), Vector([1.0, 0.0])];
        for bad in [f64::NAN, f64::INFINITY] {
            let p = [Vector([0.0, bad]), Vector::ZERO, Vector::ZERO];
            assert_eq!(Query::VertexEdge(x, p).largest_step(), 0.0);
        }
    }

    /// Unit edges that cross at half length, at all angles and gaps: they meet at a third of the motion.
    #[test]
    fn nearly_parallel_edges_stop_in_time() {
        for angle in [1e-1, 1e-3, 1e-5, 1e-6, 1e-7, 3e-8, 1e-8, 1e-9, 1e-12, 0.0_f64] {
            for gap in [1e-2, 1e-5, 1e-8, 1e-9, 1e-10, 1e-12] {
                let (sin, cos) = angle.sin_cos();
                let end = Vector([0.5 * cos, 0.5 * sin, gap]);
                let x =
                    [Vector([-0.5, 0.0, 0.0]), Vector([0.5, 0.0, 0.0]), Vector([-end[0], -end[1], gap]), end];
                let down = Vector([0.0, 0.0, -3.0 * gap]);
                let t = Query::EdgeEdge(x, [Vector::ZERO, Vector::ZERO, down, down]).largest_step();
                assert!(t < 1.0 / 3.0 && t > 0.28, "angle {angle:e}, gap {gap:e}: {t}");
            }
        }
    }
}
