//! Two primitives whose vertices move on straight lines.

use std::array::from_fn;

use crate::math::Vector;

/// Rounding of a gap along a direction, in units of the largest distance of a vertex from the origin.
///
/// With u = ε/2: differences of positions carry 2u of that length at both ends of the motion, positions on
/// the way 3u more, a dot product with a unit vector 3u of a length that is at most twice as large, and a
/// time that is a quotient 4u of the relative motion: together below 80u for the two primitives. Whoever
/// moves vertices by `x + t p` rounds by another 6u. The constant is 128u.
pub(super) const SLACK: f64 = 64.0 * f64::EPSILON;

/// Lengths outside of this range are scaled: fourth powers of them must not overflow or vanish.
const RANGE: std::ops::Range<f64> = 1e-60..1e60;

/// A pair of primitives on its way, seen from its first vertex.
///
/// ```text
/// yᵢ(t) = aᵢ + t pᵢ ,   0 ≤ t ≤ 1        aᵢ = x⁰ᵢ − x⁰₀        pᵢ = (x¹ᵢ − x¹₀) − aᵢ        [m · unit]
/// ```
/// `unit` is a power of two, 1 unless the coordinates are huge or tiny.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairMotion<const D: usize, const N: usize> {
    pub start: [Vector<D>; N],
    pub step: [Vector<D>; N],
    /// What rounding can do to a gap along a unit direction.
    pub slack: f64,
    /// Scaled lengths per metre.
    pub unit: f64,
}

impl<const D: usize, const N: usize> PairMotion<D, N> {
    /// From absolute positions at both ends; nothing if one is not finite.
    #[inline]
    pub fn new(start: &[Vector<D>; N], end: &[Vector<D>; N]) -> Option<Self> {
        let (mut largest, mut sum) = (0.0_f64, 0.0);
        for x in start.iter().chain(end) {
            let squared = x.norm_squared();
            (largest, sum) = (largest.max(squared), sum + squared);
        }
        let size = largest.sqrt();
        // A maximum does not show what is no number; a sum does.
        let ordinary = RANGE.contains(&size) && sum.is_finite();
        if ordinary { Some(Self::within(start, end, size)) } else { Self::scaled(start, end) }
    }

    #[inline]
    fn within(start: &[Vector<D>; N], end: &[Vector<D>; N], size: f64) -> Self {
        let a: [_; N] = from_fn(|i| start[i] - start[0]);
        let step = from_fn(|i| (end[i] - end[0]) - a[i]);
        Self { start: a, step, slack: SLACK * size, unit: 1.0 }
    }

    #[cold]
    fn scaled(start: &[Vector<D>; N], end: &[Vector<D>; N]) -> Option<Self> {
        let entries = start.iter().chain(end).flat_map(|x| x.0);
        let mut largest: f64 = 0.0;
        for entry in entries {
            if !entry.is_finite() {
                return None;
            }
            largest = largest.max(entry.abs());
        }
        let exponent = if largest > 0.0 { largest.log2().floor().clamp(-1000.0, 1023.0) } else { 0.0 };
        let unit = (-exponent).exp2();
        let by = |x: &[Vector<D>; N]| x.map(|x| x * unit);
        Some(Self { unit, ..Self::within(&by(start), &by(end), 2.0 * (D as f64).sqrt()) })
    }

    /// The largest distance of a vertex from the origin, scaled.
    pub fn size(&self) -> f64 {
        self.slack / SLACK
    }

    /// Positions at time `t`.
    #[inline]
    pub fn at(&self, t: f64) -> [Vector<D>; N] {
        from_fn(|i| self.start[i] + self.step[i] * t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_and_tiny_motions_are_scaled_and_others_are_not() {
        for (size, scaled) in [(1.0, false), (1e-200, true), (5e-324, true), (1e300, true)] {
            let start = [Vector([size, 0.0]), Vector([0.0, size])];
            let motion = PairMotion::new(&start, &start).unwrap();
            assert_eq!(motion.unit != 1.0, scaled);
            let offset = motion.start[1][1] / motion.unit;
            assert_eq!(offset, size);
        }
        assert!(PairMotion::new(&[Vector([f64::NAN, 0.0])], &[Vector([0.0; 2])]).is_none());
        assert!(PairMotion::new(&[Vector([f64::INFINITY, 0.0])], &[Vector([0.0; 2])]).is_none());
        assert!(PairMotion::new(&[Vector([0.0; 3])], &[Vector([0.0; 3])]).unwrap().slack > 0.0);
    }
}
