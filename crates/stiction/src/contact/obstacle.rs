//! Things given by a formula, that do not move and that vertices cannot enter.

use crate::error::{Error, Result};
use crate::math::Vector;

/// A half-space: everything behind a plane is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane<const D: usize> {
    point: Vector<D>,
    normal: Vector<D>,
}

impl<const D: usize> Plane<D> {
    /// The plane through `point`, with free space on the side that `normal` (of any length) points to.
    ///
    /// # Errors
    /// If an entry is not finite or the normal has no length.
    pub fn new(point: Vector<D>, normal: Vector<D>) -> Result<Self> {
        for (what, vector) in [("point of plane", point), ("normal of plane", normal)] {
            if !vector.is_finite() {
                return Err(Error::NotFinite { what, index: 0 });
            }
        }
        // Scaled first, so that neither huge nor tiny normals are lost.
        let largest = normal.0.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
        let unit = (normal * (1.0 / largest)).normalized();
        if !unit.is_finite() || unit == Vector::ZERO {
            return Err(Error::Degenerate { what: "normal of plane", index: 0 });
        }
        Ok(Self { point, normal: unit })
    }

    /// A point of the plane.
    pub fn point(&self) -> Vector<D> {
        self.point
    }

    /// The unit normal.
    pub fn normal(&self) -> Vector<D> {
        self.normal
    }
}

/// A solid given by a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Obstacle<const D: usize> {
    /// A half-space.
    Plane(Plane<D>),
}

impl<const D: usize> Obstacle<D> {
    /// Signed distance of a point, in m: negative inside the solid.
    #[inline]
    pub fn distance(&self, x: Vector<D>) -> f64 {
        match self {
            Self::Plane(plane) => plane.normal.dot(x - plane.point),
        }
    }

    /// Gradient of the distance: the unit normal at the closest point.
    #[inline]
    pub fn normal(&self, _x: Vector<D>) -> Vector<D> {
        match self {
            Self::Plane(plane) => plane.normal,
        }
    }

    /// The largest fraction of the motion `x + t p`, at most 1, that keeps the part `keep` of the
    /// present distance. Zero where the point touches already.
    pub fn largest_step(&self, x: Vector<D>, p: Vector<D>, keep: f64) -> f64 {
        let now = self.distance(x);
        if now <= 0.0 {
            return 0.0;
        }
        match self {
            Self::Plane(plane) => {
                let approach = -plane.normal.dot(p);
                let room = (1.0 - keep) * now;
                if approach > room { room / approach } else { 1.0 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_stops_before_the_plane() {
        let plane = Obstacle::Plane(Plane::new(Vector([0.0, 1.0]), Vector([0.0, 2.0])).unwrap());
        assert_eq!(plane.distance(Vector([5.0, 3.0])), 2.0);
        let t = plane.largest_step(Vector([5.0, 3.0]), Vector([7.0, -4.0]), 0.1);
        assert!((t - 0.45).abs() < 1e-15);
        assert_eq!(plane.largest_step(Vector([5.0, 3.0]), Vector([7.0, 4.0]), 0.1), 1.0);
        assert_eq!(plane.largest_step(Vector([5.0, 1.0]), Vector([7.0, 4.0]), 0.1), 0.0);
    }

    #[test]
    fn bad_planes_are_refused() {
        assert!(Plane::new(Vector([0.0, 0.0]), Vector([0.0, 0.0])).is_err());
        assert!(Plane::new(Vector([0.0, f64::NAN]), Vector([0.0, 1.0])).is_err());
        for length in [1e-300, 1e200] {
            let plane = Plane::new(Vector([0.0, 0.0]), Vector([0.0, length])).unwrap();
            assert_eq!(plane.normal(), Vector([0.0, 1.0]));
        }
    }
}
