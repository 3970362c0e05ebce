//! Whether two primitives share a point, decided exactly for every finite input, also where they have no extent.

use crate::math::Vector;
use crate::math::vector::cross;
use crate::mesh::orientation::{is_flat, side, space, turn, view};

/// Whether two closed segments share a point. Segments without length are points.
pub fn segments_meet<const D: usize>(p: [Vector<D>; 2], q: [Vector<D>; 2]) -> bool {
    if D == 2 {
        return segments_meet_flat(p.map(|p| view(p, 2)), q.map(|q| view(q, 2)));
    }
    // In one plane they meet if they do in every view: one of them shows the plane (or the line) truly.
    in_one_plane(p.map(space), q.map(space))
        && (0..3).all(|k| segments_meet_flat(p.map(|p| view(p, k)), q.map(|q| view(q, k))))
}

fn in_one_plane(p: [Vector<3>; 2], q: [Vector<3>; 2]) -> bool {
    side([p[0], p[1], q[0]], q[1]) == 0
}

fn segments_meet_flat(p: [Vector<2>; 2], q: [Vector<2>; 2]) -> bool {
    let (q0, q1) = (turn(p[0], p[1], q[0]), turn(p[0], p[1], q[1]));
    if q0 * q1 > 0 {
        return false;
    }
    let (p0, p1) = (turn(q[0], q[1], p[0]), turn(q[0], q[1], p[1]));
    if q0 == 0 && q1 == 0 && p0 == 0 && p1 == 0 {
        return (0..2).all(|k| ranges_meet(p.map(|a| a[k]), q.map(|a| a[k])));
    }
    p0 * p1 <= 0
}

fn ranges_meet(a: [f64; 2], b: [f64; 2]) -> bool {
    a[0].min(a[1]) <= b[0].max(b[1]) && b[0].min(b[1]) <= a[0].max(a[1])
}

/// Whether a closed segment and a closed triangle in space share a point. A segment without length is a point, a
/// triangle without area a segment or a point.
pub fn segment_meets_triangle(p: [Vector<3>; 2], t: [Vector<3>; 3]) -> bool {
    let (s0, s1) = (side(t, p[0]), side(t, p[1]));
    if s0 * s1 > 0 {
        return false;
    }
    if s0 == 0 && s1 == 0 {
        return if is_flat(t) { sides(t).any(|side| segments_meet(p, side)) } else { meets_in_plane(p, t) };
    }
    // The segment crosses the plane: it meets the triangle if it passes all sides on the same hand.
    let hands = [0, 1, 2].map(|k| side([p[0], p[1], t[k]], t[(k + 1) % 3]));
    !(hands.contains(&1) && hands.contains(&-1))
}

/// The three sides of a triangle.
pub(super) fn sides<const D: usize>(t: [Vector<D>; 3]) -> impl Iterator<Item = [Vector<D>; 2]> {
    (0..3).map(move |k| [t[k], t[(k + 1) % 3]])
}

/// Whether a segment in the plane of a triangle meets it: exact in each coordinate plane, and it must hold in all
/// three (two of them may see the figure edge-on, where everything overlaps).
fn meets_in_plane(p: [Vector<3>; 2], t: [Vector<3>; 3]) -> bool {
    (0..3).all(|k| meets_flat(p.map(|p| view(p, k)), t.map(|t| view(t, k))))
}

fn meets_flat(p: [Vector<2>; 2], t: [Vector<2>; 3]) -> bool {
    let inside = |a: Vector<2>| {
        let turns = [0, 1, 2].map(|k| turn(t[k], t[(k + 1) % 3], a));
        turns != [0; 3] && !(turns.contains(&1) && turns.contains(&-1))
    };
    inside(p[0]) || sides(t).any(|side| segments_meet_flat(p, side))
}

/// Whether a segment certainly misses a triangle, in plain numbers: both ends are on the same side of its plane, or the
/// line passes two of its sides on different hands. Most pairs whose boxes meet need no more. For tame points only.
#[inline]
pub(super) fn certainly_apart(p: [Vector<3>; 2], t: [Vector<3>; 3]) -> bool {
    let [a, b, c] = t;
    let plane = Cross::new(b - a, c - a);
    let sides = [plane.side(p[0] - a), plane.side(p[1] - a)];
    if sides[0] * sides[1] > 0 {
        return true;
    }
    let (along, [a, b, c]) = (p[1] - p[0], [a - p[0], b - p[0], c - p[0]]);
    let hands = [(a, b), (b, c), (c, a)].map(|(a, b)| Cross::new(a, b).side(along));
    hands.contains(&1) && hands.contains(&-1)
}

/// A cross product in plain numbers, with what its entries are made of.
///
/// ```text
/// s = w·(u × v)        |error| ≤ 7ε Σₖ |wₖ| (|uᵢvⱼ| + |uⱼvᵢ|)
/// ```
///
/// ε = 2⁻⁵³; u, v and w are differences of points. The bound for this way of adding up a determinant is that of
/// \[Shewchuk1997\].
struct Cross {
    n: Vector<3>,
    size: Vector<3>,
}

impl Cross {
    #[inline]
    fn new(u: Vector<3>, v: Vector<3>) -> Self {
        let size = |i: usize, j: usize| (u[i] * v[j]).abs() + (u[j] * v[i]).abs();
        Self { n: cross(u, v), size: Vector([size(1, 2), size(2, 0), size(0, 1)]) }
    }

    /// The sign of `w·(u × v)` where it is certain, otherwise 0.
    #[inline]
    fn side(&self, w: Vector<3>) -> i8 {
        let (s, size) = (w.dot(self.n), Vector(w.0.map(f64::abs)).dot(self.size));
        i8::from(s > MARGIN * size) - i8::from(s < -MARGIN * size)
    }
}

/// 8ε: more than 7ε, so that the rounding of the bound itself does not matter.
const MARGIN: f64 = 4.0 * f64::EPSILON;

#[cfg(test)]
mod tests {
    use super::*;

    /// Points within rounding of the plane of a triangle: what plain numbers call certain is so.
    #[test]
    fn plain_numbers_are_certain_only_of_what_is_true() {
        let mut state = 1_u64;
        let mut number = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut apart, mut unsure, mut rash) = (0, 0, 0);
        for _ in 0..60_000 {
            let t: [Vector<3>; 3] = std::array::from_fn(|_| Vector([number(), number(), number()]));
            let mut near = || {
                let (r, s, lift) = (number() * 1.2 - 0.1, number() * 1.2 - 0.1, 4e-15 * (number() - 0.3));
                t[0] + (t[1] - t[0]) * r + (t[2] - t[0]) * s + Vector([0.0, 0.0, lift])
            };
            let p = [near(), near()];
            if certainly_apart(p, t) {
                assert!(!segment_meets_triangle(p, t), "{p:?} {t:?}");
                apart += 1;
            } else {
                unsure += 1;
            }
            let n = cross(t[1] - t[0], t[2] - t[0]);
            let [a, b] = p.map(|p| (p - t[0]).dot(n));
            rash += usize::from(a * b > 0.0 && segment_meets_triangle(p, t));
        }
        // Without the margin it would have been wrong here.
        assert!(apart > 1000 && unsure > 1000 && rash > 100, "{apart} {unsure} {rash}");
    }
}
