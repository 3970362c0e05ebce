//! The empty space between two primitives along one direction.
//!
//! For any unit vector `n` the gap
//! ```text
//! g(n) = minᵢ n·aᵢ − maxⱼ n·bⱼ        i: vertices of the first primitive, j: of the second
//! ```
//! is a lower bound of their distance, and with `n` along their closest points it is the distance. So `n` is
//! made from the features that are closest: their normal, or the vector between them without its part along
//! an edge.
//!
//! Vertices that move on straight lines have heights `n·x` that are linear in time, so the gap along a fixed
//! `n` is concave in time: where it is large enough at two times, it is so between them.

use super::motion::PairMotion;
use crate::closest::{self, EdgePart, FacePart};
use crate::math::Vector;
use crate::math::span::normal;
use crate::math::vector::{cross, turn};
use crate::stencil::{EdgeEdge, PairKind, VertexEdge, VertexFace, VertexVertex};

/// Squares of lengths below this have too few digits left.
pub(super) const SHORTEST: f64 = 1e-280;

/// A direction and the gap along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab<const D: usize> {
    /// Unit vector from the second primitive to the first.
    pub normal: Vector<D>,
    /// The gap, exact but for the slack of the motion; negative or zero where the direction separates nothing.
    pub gap: f64,
}

impl<const D: usize> Slab<D> {
    /// Along `n` (of any length) or against it, whichever has the larger gap; `split` vertices make the first
    /// primitive.
    #[inline]
    fn along<const N: usize>(n: Vector<D>, x: &[Vector<D>; N], split: usize) -> Self {
        // A direction too short to be made a unit vector, or none at all, separates nothing.
        let normal = if n.norm_squared() > SHORTEST { n.normalized() } else { Vector::ZERO };
        let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        for i in 0..N {
            let (height, [low, high]) = (normal.dot(x[i]), &mut range[usize::from(i >= split)]);
            (*low, *high) = (low.min(height), high.max(height));
        }
        let (up, down) = (range[0][0] - range[1][1], range[1][0] - range[0][1]);
        if up >= down { Self { normal, gap: up } } else { Self { normal: -normal, gap: down } }
    }

    fn or(self, other: Self) -> Self {
        if other.gap > self.gap { other } else { self }
    }
}

/// A kind of pair, and how to find the slab between its primitives.
pub(super) trait Between<const D: usize, const N: usize>: PairKind<N> {
    /// How many vertices make the first primitive.
    const SPLIT: usize;

    /// Whether the coordinates of the pair are those of a triangle, so that their sum is at most 1.
    const TRIANGLE: bool = false;

    /// The widest slab that the closest features give at positions `x`.
    fn slab(x: &[Vector<D>; N]) -> Slab<D>;

    /// The distance at positions `x`, in m, as exact as [`closest`].
    fn distance(x: &[Vector<D>; N]) -> f64;

    /// The normal of the lines or planes through the primitives, of any length: a guess at a direction that
    /// separates them, good enough for most pairs and quickly made. Zero where there is none.
    fn level(x: &[Vector<D>; N]) -> Vector<D>;

    /// From the middle of the second primitive to that of the first, of any length: another guess.
    #[inline]
    fn middle(x: &[Vector<D>; N]) -> Vector<D> {
        let sum = |vertices: &[Vector<D>]| vertices.iter().fold(Vector::ZERO, |sum, x| sum + *x);
        let (first, second) = x.split_at(Self::SPLIT);
        sum(first) * second.len() as f64 - sum(second) * first.len() as f64
    }

    /// Whether a slab that turns from `n₀` at time `t₀` to `n₁` at `t₁` stays more than `keep` wide.
    ///
    /// ```text
    /// n(τ) = (1 − τ) n₀ + τ n₁        n·Δ = (1 − τ)² n₀·Δ₀ + 2τ(1 − τ) ½(n₀·Δ₁ + n₁·Δ₀) + τ² n₁·Δ₁
    /// ```
    /// for every difference `Δ` of a vertex of the first and one of the second primitive: a mean of three
    /// numbers, so not smaller than the smallest. And `|n| ≤ 1`, so the distance is not smaller than `n·Δ`.
    /// Primitives that turn together keep such a slab, however far their vertices are from each other.
    fn turns(motion: &PairMotion<D, N>, ends: [(f64, Vector<D>); 2], keep: f64) -> bool {
        let [(x, n), (y, m)] = ends.map(|(t, normal)| (motion.at(t), normal));
        (0..Self::SPLIT).all(|i| {
            (Self::SPLIT..N).all(|j| {
                let (now, then) = (x[i] - x[j], y[i] - y[j]);
                n.dot(now) > keep && m.dot(then) > keep && 0.5 * (n.dot(then) + m.dot(now)) > keep
            })
        })
    }

    /// How long the slab along `n` stays at least `keep` wide; infinite if until the end, and 0 at the least.
    #[inline]
    fn holds_until(motion: &PairMotion<D, N>, n: Vector<D>, keep: f64) -> f64 {
        let height: [f64; N] = motion.start.map(|a| n.dot(a));
        let rise: [f64; N] = motion.step.map(|p| n.dot(p));
        let mut until = f64::INFINITY;
        for i in 0..Self::SPLIT {
            for j in Self::SPLIT..N {
                let (gap, opening) = (height[i] - height[j], rise[i] - rise[j]);
                if gap + opening < keep {
                    until = until.min(((gap - keep) / -opening).max(0.0));
                }
            }
        }
        until
    }
}

impl<const D: usize> Between<D, 2> for VertexVertex {
    const SPLIT: usize = 1;

    #[inline]
    fn distance(x: &[Vector<D>; 2]) -> f64 {
        (x[0] - x[1]).norm()
    }

    #[inline]
    fn level(x: &[Vector<D>; 2]) -> Vector<D> {
        x[0] - x[1]
    }

    #[inline]
    fn slab(x: &[Vector<D>; 2]) -> Slab<D> {
        Slab::along(x[0] - x[1], x, 1)
    }
}

impl<const D: usize> Between<D, 3> for VertexEdge {
    const SPLIT: usize = 1;

    #[inline]
    fn distance(x: &[Vector<D>; 3]) -> f64 {
        closest::vertex_edge(x[0], x[1], x[2]).1.sqrt()
    }

    #[inline]
    fn level(x: &[Vector<D>; 3]) -> Vector<D> {
        turn(x[2] - x[1])
    }

    #[inline]
    fn slab(x: &[Vector<D>; 3]) -> Slab<D> {
        let (part, r) = closest::vertex_edge_vector(x[0], x[1], x[2]);
        let n = if part == EdgePart::Inside { across(r, x[2] - x[1]) } else { r };
        Slab::along(n, x, 1)
    }
}

impl<const D: usize> Between<D, 4> for EdgeEdge {
    const SPLIT: usize = 2;

    #[inline]
    fn distance(x: &[Vector<D>; 4]) -> f64 {
        closest::edge_edge([x[0], x[1]], [x[2], x[3]]).1.sqrt()
    }

    #[inline]
    fn level(x: &[Vector<D>; 4]) -> Vector<D> {
        cross(x[1] - x[0], x[3] - x[2])
    }

    #[inline]
    fn slab(x: &[Vector<D>; 4]) -> Slab<D> {
        let (u, v) = (x[1] - x[0], x[3] - x[2]);
        let (parts, r) = closest::edge_edge_vector([x[0], x[1]], [x[2], x[3]]);
        let n = match parts {
            (EdgePart::Inside, EdgePart::Inside) => normal(u, v),
            (EdgePart::Inside, _) => across(r, u),
            (_, EdgePart::Inside) => across(r, v),
            _ => r,
        };
        let slab = Slab::along(n, x, 2);
        // Which features of nearly parallel edges are closest is a matter of rounding: look at the other
        // direction, too.
        if is_thin(u, v) {
            let parallel = across(across(r, u), v);
            return slab.or(Slab::along(normal(u, v), x, 2)).or(Slab::along(parallel, x, 2));
        }
        slab
    }
}

impl<const D: usize> Between<D, 4> for VertexFace {
    const SPLIT: usize = 1;
    const TRIANGLE: bool = true;

    #[inline]
    fn distance(x: &[Vector<D>; 4]) -> f64 {
        closest::vertex_face(x[0], [x[1], x[2], x[3]]).1.sqrt()
    }

    #[inline]
    fn level(x: &[Vector<D>; 4]) -> Vector<D> {
        cross(x[2] - x[1], x[3] - x[1])
    }

    #[inline]
    fn slab(x: &[Vector<D>; 4]) -> Slab<D> {
        let (part, r) = closest::vertex_face_vector(x[0], [x[1], x[2], x[3]]);
        let n = match part {
            FacePart::Inside => normal(x[2] - x[1], x[3] - x[1]),
            FacePart::Edge(k) => across(r, x[1 + (k + 1) % 3] - x[1 + k]),
            FacePart::Vertex(_) => r,
        };
        Slab::along(n, x, 1)
    }
}

/// `r` without what rounding left of it along the edge: a small `r` is a difference of large numbers, and a tilt
/// of the direction costs the length of the edge.
#[inline]
fn across<const D: usize>(r: Vector<D>, edge: Vector<D>) -> Vector<D> {
    r - edge * (r.dot(edge) / edge.norm_squared())
}

/// Whether two directions are close to parallel: sin² < 10⁻⁴.
#[inline]
fn is_thin<const D: usize>(u: Vector<D>, v: Vector<D>) -> bool {
    let (uu, uv, vv) = (u.norm_squared(), u.dot(v), v.norm_squared());
    uu * vv - uv * uv < 1e-4 * uu * vv
}
