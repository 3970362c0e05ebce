//! Additive collision detection: advance by what the distance and the speeds prove to be safe. \[Li2021\]
//!
//! Two primitives at distance `d` whose points approach each other by at most `l` during the whole
//! motion cannot touch before a further `d/l` of it. So
//! ```text
//! t ← t + σ d(t)/l     until d(t) ≤ (1 − σ) d(0)  or  t ≥ 1
//! ```
//! with `σ < 1`, and the `t` before the last advance is returned. The mean motion is removed first, which
//! makes `l` small for primitives that move together. Every `t` on the way is safe, so stopping early is too.

use crate::closest;
use crate::math::Vector;

/// `σ`: the part of the proven-safe advance that is used; `1 − σ` of the distance is kept.
pub const RESCALING: f64 = 0.9;

/// Advances after which the search stops with the safe time reached so far.
const MAX_ADVANCES: usize = 10_000;

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
    /// The largest fraction of the motion, at most 1, that is proven not to touch.
    pub fn largest_step(&self) -> f64 {
        match *self {
            Self::VertexEdge(x, p) => advance(x, p, 1, |[v, a, b]| closest::vertex_edge(v, a, b).1),
            Self::EdgeEdge(x, p) => advance(x, p, 2, |[a, b, c, d]| closest::edge_edge([a, b], [c, d]).1),
            Self::VertexFace(x, p) => advance(x, p, 1, |[v, a, b, c]| closest::vertex_face(v, [a, b, c]).1),
        }
    }
}

/// The search. The first `split` vertices make the first primitive.
fn advance<const D: usize, const N: usize>(
    mut x: [Vector<D>; N],
    mut p: [Vector<D>; N],
    split: usize,
    distance_squared: impl Fn([Vector<D>; N]) -> f64,
) -> f64 {
    let mean = p.iter().fold(Vector::ZERO, |sum, v| sum + *v) * (1.0 / N as f64);
    p = p.map(|v| v - mean);
    let largest = |part: &[Vector<D>]| part.iter().map(|v| v.norm()).fold(0.0, f64::max);
    let approach = largest(&p[..split]) + largest(&p[split..]);
    if approach == 0.0 {
        return 1.0;
    }
    let mut distance = distance_squared(x).sqrt();
    let keep = (1.0 - RESCALING) * distance;
    let mut t = 0.0;
    for _ in 0..MAX_ADVANCES {
        let dt = RESCALING * distance / approach;
        if t + dt >= 1.0 {
            return 1.0;
        }
        let next = std::array::from_fn(|i| x[i] + p[i] * dt);
        distance = distance_squared(next).sqrt();
        // A distance that is not a number and an advance lost to rounding end the search, too.
        let lost = distance.is_nan() || dt <= f64::EPSILON * t;
        if lost || (t > 0.0 && distance <= keep) {
            return t;
        }
        x = next;
        t += dt;
    }
    t
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
}
