//! Whether two primitives share a point, decided exactly for every finite input, also where they have no extent.

use crate::math::Vector;
use crate::math::vector::cross;
use crate::mesh::orientation::{is_flat, side, space, turn, view};

/// Whether two closed segments share a point. Segments without length are points.
pub(super) fn segments_meet<const D: usize>(p: [Vector<D>; 2], q: [Vector<D>; 2]) -> bool {
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
pub(super) fn segment_meets_triangle(p: [Vector<3>; 2], t: [Vector<3>; 3]) -> bool {
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

/// The plane of a triangle in plain numbers: on which side a point is, where that is certain.
///
/// ```text
/// s = n·(p − a),  n = (b − a) × (c − a)        |error| ≤ 7ε Σ |pₖ − aₖ| mₖ,  mₖ = |uᵢvⱼ| + |uⱼvᵢ|
/// ```
///
/// ε = 2⁻⁵³; the bound for this way of adding up a determinant is that of \[Shewchuk1997\]. It holds for tame points.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    a: Vector<3>,
    n: Vector<3>,
    m: Vector<3>,
}

/// More than 7ε, so that the rounding of the bound itself does not matter.
const MARGIN: f64 = 8.0 * f64::EPSILON / 2.0;

impl Plane {
    pub(super) fn new([a, b, c]: [Vector<3>; 3]) -> Self {
        let (u, v) = (b - a, c - a);
        let m = Vector(std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            (u[i] * v[j]).abs() + (u[j] * v[i]).abs()
        }));
        Self { a, n: cross(u, v), m }
    }

    /// Whether both points are certainly on the same side, and on none of them the plane.
    #[inline]
    pub(super) fn parts_from(&self, p: [Vector<3>; 2]) -> bool {
        let [(s0, e0), (s1, e1)] = p.map(|p| self.height(p));
        (s0 > e0 && s1 > e1) || (s0 < -e0 && s1 < -e1)
    }

    /// The height times the length of the normal, and how wrong it may be.
    #[inline]
    fn height(&self, p: Vector<3>) -> (f64, f64) {
        let w = p - self.a;
        let size = w[0].abs() * self.m[0] + w[1].abs() * self.m[1] + w[2].abs() * self.m[2];
        (w.dot(self.n), MARGIN * size)
    }
}
