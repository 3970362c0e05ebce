//! Axis-aligned boxes.

use crate::math::Vector;

/// A closed box with sides along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb<const D: usize> {
    low: Vector<D>,
    high: Vector<D>,
}

impl<const D: usize> Aabb<D> {
    /// The box around nothing, which meets no box.
    pub const EMPTY: Self = Self { low: Vector([f64::INFINITY; D]), high: Vector([f64::NEG_INFINITY; D]) };

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

    /// The smallest box around both.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The middle.
    pub fn center(&self) -> Vector<D> {
        (self.low + self.high) * 0.5
    }

    /// Where a point is between the sides: 0 to 1 along each axis; 0 along axes without extent.
    pub fn relative(&self, point: Vector<D>) -> Vector<D> {
        Vector(std::array::from_fn(|k| {
            let extent = self.high[k] - self.low[k];
            if extent > 0.0 { (point[k] - self.low[k]) / extent } else { 0.0 }
        }))
    }

    /// The length of the diagonal, in m; 0 for a box around nothing.
    pub fn diagonal(&self) -> f64 {
        let diagonal = (self.high - self.low).norm();
        if self.low[0] <= self.high[0] { diagonal } else { 0.0 }
    }
}
