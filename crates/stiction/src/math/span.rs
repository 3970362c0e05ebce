//! The plane that two vectors span: its normal and the vectors dual to the two.

// Inlined into kernels that use only a part of it.
#![allow(clippy::inline_always)]

use super::Vector;
use super::vector::{accurate_cross, cross, flat_cross, turn};

/// Sine squared below which plain cross products have lost too many digits: they are done again accurately.
pub(crate) const THIN: f64 = 1e-3;

/// Sine below which two directions count as parallel. Treating them so moves an end by at most this part of its
/// length, which is the order of rounding.
const PARALLEL: f64 = 16.0 * f64::EPSILON;

/// What two vectors `u`, `v` that are not parallel span, in 2D or 3D.
///
/// ```text
/// n = u × v     |n|² = (u·u)(v·v) − (u·v)²
/// u* = v × n/|n|² ,  v* = n × u/|n|²        u*·u = v*·v = 1 ,  u*·v = v*·u = 0
/// ```
/// `n` has full precision also for nearly parallel vectors, where the difference of dot products has none; with it,
/// coordinates in the plane, `w·u*` and `w·v*`, have errors of `ε|w|/(|u| sin)` and not of `ε|w|/(|u| sin²)`.
#[derive(Clone, Copy, Debug)]
pub struct Span<const D: usize> {
    /// `n` in 3D; zero in 2D.
    pub normal: Vector<D>,
    /// `|n|²`.
    pub area2: f64,
    /// `u*` and `v*`.
    pub dual: [Vector<D>; 2],
}

impl<const D: usize> Span<D> {
    /// Nothing where the vectors are parallel to within `16 ε` rad, or one of them is zero.
    #[inline(always)]
    pub fn new(u: Vector<D>, v: Vector<D>) -> Option<Self> {
        let (uu, vv) = (u.norm_squared(), v.norm_squared());
        if D == 2 {
            let area = flat_cross(u, v);
            let scale = 1.0 / area;
            let span =
                Self { normal: Vector::ZERO, area2: area * area, dual: [turn(v) * -scale, turn(u) * scale] };
            return span.unless_parallel(uu * vv);
        }
        let (normal, area2) = normal_and_area(u, v, uu * vv);
        let scale = 1.0 / area2;
        let span = Self { normal, area2, dual: [cross(v, normal) * scale, cross(normal, u) * scale] };
        span.unless_parallel(uu * vv)
    }

    /// Also nothing where a number, or the inverse of the area, is not finite.
    #[inline(always)]
    fn unless_parallel(self, lengths: f64) -> Option<Self> {
        (self.area2 > PARALLEL * PARALLEL * lengths && self.area2 > f64::MIN_POSITIVE).then_some(self)
    }
}

/// `|u × v|²`, the squared area between two vectors, in m⁴.
#[inline(always)]
pub fn area_squared<const D: usize>(u: Vector<D>, v: Vector<D>) -> f64 {
    if D == 2 {
        return flat_cross(u, v).powi(2);
    }
    normal_and_area(u, v, u.norm_squared() * v.norm_squared()).1
}

/// Gradient of [`area_squared`] by `u` and `v`, in m³, to full precision also for nearly parallel vectors.
///
/// ```text
/// n = u × v        ∂|n|²/∂u = 2 v × n        ∂|n|²/∂v = 2 n × u
/// ```
pub fn area_squared_gradient<const D: usize>(u: Vector<D>, v: Vector<D>) -> [Vector<D>; 2] {
    if D == 2 {
        let area = flat_cross(u, v);
        return [turn(v) * (-2.0 * area), turn(u) * (2.0 * area)];
    }
    let n = normal(u, v);
    [cross(v, n) * 2.0, cross(n, u) * 2.0]
}

/// `u × v` in 3D, to full precision also for nearly parallel vectors.
#[inline(always)]
pub fn normal<const D: usize>(u: Vector<D>, v: Vector<D>) -> Vector<D> {
    normal_and_area(u, v, u.norm_squared() * v.norm_squared()).0
}

#[inline(always)]
fn normal_and_area<const D: usize>(u: Vector<D>, v: Vector<D>, lengths: f64) -> (Vector<D>, f64) {
    let normal = cross(u, v);
    let area2 = normal.norm_squared();
    if area2 > THIN * lengths {
        return (normal, area2);
    }
    accurate_normal_and_area(u, v)
}

// Apart and rare: its calls would cost the common case its registers.
#[cold]
#[inline(never)]
fn accurate_normal_and_area<const D: usize>(u: Vector<D>, v: Vector<D>) -> (Vector<D>, f64) {
    let normal = accurate_cross(u, v);
    (normal, normal.norm_squared())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dual_vectors_measure_coordinates() {
        let (u, v) = (Vector([2.0, 0.5, -1.0]), Vector([0.3, 1.0, 0.7]));
        let span = Span::new(u, v).unwrap();
        let w = u * 0.25 + v * -3.0 + span.normal;
        assert!((w.dot(span.dual[0]) - 0.25).abs() < 1e-15 && (w.dot(span.dual[1]) + 3.0).abs() < 1e-14);
        let (u, v) = (Vector([2.0, 0.5]), Vector([0.3, 1.0]));
        let span = Span::new(u, v).unwrap();
        let w = u * 0.25 + v * -3.0;
        assert!((w.dot(span.dual[0]) - 0.25).abs() < 1e-15 && (w.dot(span.dual[1]) + 3.0).abs() < 1e-15);
        assert!((area_squared(u, v) - span.area2).abs() < 1e-15);
    }

    #[test]
    fn parallel_vectors_span_nothing() {
        let u = Vector([1.0, 2.0, 3.0]);
        assert!(Span::new(u, u * -3.0).is_none() && Span::new(u, Vector::ZERO).is_none());
        assert!(Span::new(Vector([1.0, 2.0]), Vector([2.0, 4.0])).is_none());
        assert!(Span::new(u, Vector([f64::NAN, 0.0, 0.0])).is_none());
        assert!(Span::new(Vector([1.0, 0.0, 0.0]), Vector([1.0, 1e-12, 0.0])).is_some());
    }
}
