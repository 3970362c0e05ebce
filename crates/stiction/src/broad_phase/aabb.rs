//! Axis-aligned boxes.

use crate::math::Vector;

/// A closed box with sides along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb<const D: usize> {
    low: Vector<D>,
    high: Vector<D>,
}

impl<const D: usize> Aabb<D> {
    /// The smallest box around the points, grown by `inflation` (in m) on every side and rounded outwards.
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

    /// Whether the boxes share a point.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        (0..D).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }

    /// The length of the diagonal, in m; 0 for a box around nothing.
    pub fn diagonal(&self) -> f64 {
        let diagonal = (self.high - self.low).norm();
        if self.low[0] <= self.high[0] { diagonal } else { 0.0 }
    }
}
