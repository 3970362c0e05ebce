//! Quick proofs that two primitives are further apart than some distance.
//!
//! Seen along the direction m from the middle of one primitive to that of the other, the two cover intervals; the gap
//! between these is a lower bound of the distance:
//! ```text
//! d |m| ≥ |m|² − max (pᵢ − p̄)·m − max (q̄ − qⱼ)·m
//! ```
//! Of two sheets at half the reach, this settles half of the pairs of edges and four fifths of the pairs of a vertex and a
//! face that are no contacts, at a fraction of what their closest points cost: building takes 14 % less time.

use crate::math::Vector;

/// Square of the factor by which the bound has to exceed the distance: far more than rounding can do to either, unless the distance
/// is below 1e-13 of the edges, so that the closest points decide wherever there is a doubt.
const MARGIN: f64 = 1.0 + 1e-6;

/// Whether two edges are further apart than the square root of `d2`. Never true if they are not, for distances above 1e-13 of
/// the edges; false if a number is NaN.
#[inline]
pub(super) fn edges<const D: usize>(a: [Vector<D>; 2], b: [Vector<D>; 2], d2: f64) -> bool {
    let (u, v) = (a[1] - a[0], b[1] - b[0]);
    // Twice the vector between the middles.
    let m = (a[0] - b[0]) + (a[1] - b[1]);
    let mm = m.norm_squared();
    exceeds(0.5 * (mm - u.dot(m).abs() - v.dot(m).abs()), mm, d2)
}

/// The same for a vertex and a face.
#[inline]
pub(super) fn vertex_and_face<const D: usize>(p: Vector<D>, face: [Vector<D>; 3], d2: f64) -> bool {
    let m = p - (face[0] + face[1] + face[2]) * (1.0 / 3.0);
    let [a, b, c] = face.map(|f| (p - f).dot(m));
    exceeds(smaller(smaller(a, b), c), m.norm_squared(), d2)
}

/// Whether `gap ≥ 0` and `gap²/|m|² > d²`.
#[inline]
fn exceeds(gap: f64, mm: f64, d2: f64) -> bool {
    gap > 0.0 && gap * gap > MARGIN * d2 * mm
}

/// Unlike `f64::min`, one instruction; NaN if `b` is.
#[inline]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closest;

    #[test]
    fn far_primitives_are_seen_and_close_ones_never_taken_for_far() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let (mut far, mut seen) = (0, 0);
        for _ in 0..100_000 {
            let x: [Vector<3>; 4] = std::array::from_fn(|_| Vector(std::array::from_fn(|_| random())));
            let reach2 = (random() + 0.5).powi(2) * 0.3;
            let (ee, vf) = (
                closest::edge_edge([x[0], x[1]], [x[2], x[3]]).1,
                closest::vertex_face(x[0], [x[1], x[2], x[3]]).1,
            );
            for (d2, is_apart) in [
                (ee, edges([x[0], x[1]], [x[2], x[3]], reach2)),
                (vf, vertex_and_face(x[0], [x[1], x[2], x[3]], reach2)),
            ] {
                assert!(!is_apart || d2 > reach2);
                far += u32::from(d2 > reach2);
                seen += u32::from(is_apart);
            }
        }
        assert!(far > 50_000 && seen > far / 2, "{seen} of {far}");
    }

    #[test]
    fn numbers_that_are_none_prove_nothing() {
        let (o, lost) = (Vector([0.0; 3]), Vector([f64::NAN; 3]));
        assert!(!edges([o, lost], [o, o], 1.0) && !vertex_and_face(lost, [o; 3], 1.0));
        assert!(!edges([o; 2], [o; 2], 0.0) && !vertex_and_face(o, [o; 3], 0.0));
    }
}
