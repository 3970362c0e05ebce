//! Axis-aligned boxes.

use std::array::from_fn;

use crate::math::Vector;

/// A closed box with sides along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb<const D: usize> {
    low: Vector<D>,
    high: Vector<D>,
}

impl<const D: usize> Aabb<D> {
    /// The box around nothing, which meets no bounded box.
    pub const EMPTY: Self = Self { low: Vector([f64::INFINITY; D]), high: Vector([f64::NEG_INFINITY; D]) };

    /// The smallest box around the points, grown by `inflation` (in m) on every side and rounded outwards.
    #[inline]
    pub fn around(points: impl IntoIterator<Item = Vector<D>>, inflation: f64) -> Self {
        let mut low = Vector([f64::INFINITY; D]);
        let mut high = Vector([f64::NEG_INFINITY; D]);
        for point in points {
            low = low.min(point);
            high = high.max(point);
        }
        for k in 0..D {
            low[k] = (low[k] - inflation).next_down();
            high[k] = (high[k] + inflation).next_up();
        }
        Self { low, high }
    }

    /// The lower corner.
    #[inline]
    pub fn low(&self) -> Vector<D> {
        self.low
    }

    /// The upper corner.
    #[inline]
    pub fn high(&self) -> Vector<D> {
        self.high
    }

    /// Whether the boxes share a point.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        (0..D).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        // Plain comparisons: there is no NaN to look for, as `f64::min` would.
        let smaller = |a: f64, b: f64| if a < b { a } else { b };
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        Self {
            low: Vector(from_fn(|k| smaller(self.low[k], other.low[k]))),
            high: Vector(from_fn(|k| larger(self.high[k], other.high[k]))),
        }
    }

    /// The middle; finite for finite corners, however far apart.
    #[inline]
    pub fn center(&self) -> Vector<D> {
        self.low * 0.5 + self.high * 0.5
    }

    /// Half the length of the longest side, in m; at most the largest finite number.
    #[inline]
    pub fn half_extent(&self) -> f64 {
        (0..D).map(|k| bounded(self.high[k]) * 0.5 - bounded(self.low[k]) * 0.5).fold(0.0, f64::max)
    }

    /// The length of the diagonal, in m; 0 for a box around nothing.
    pub fn diagonal(&self) -> f64 {
        let diagonal = (self.high - self.low).norm();
        if self.low[0] <= self.high[0] { diagonal } else { 0.0 }
    }
}

/// The finite number nearest to `x`.
#[inline]
pub(super) fn bounded(x: f64) -> f64 {
    x.clamp(f64::MIN, f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_large_coordinates_do_not_overflow() {
        let aabb = Aabb::around([Vector([-1.7e308, 0.0]), Vector([1.7e308, 1.0])], 1e308);
        assert_eq!(aabb.half_extent(), f64::MAX);
        assert!(Aabb::around([Vector([-1e308]), Vector([1.5e308])], 0.0).center().is_finite());
        assert!(aabb.meets(&Aabb::around([Vector([1e300, 0.5])], 0.0)));
    }
}
