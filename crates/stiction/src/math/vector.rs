//! A vector of `D` numbers.

use std::array::from_fn;
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

use super::Matrix;

/// A point or direction in `D` dimensions.
///
/// A slice of vectors is a slice of numbers, row by row: see [`flat`] and [`flat_mut`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Vector<const D: usize>(pub [f64; D]);

/// The vectors as one slice of numbers: `x₀ y₀ z₀ x₁ …`.
pub fn flat<const D: usize>(vectors: &[Vector<D>]) -> &[f64] {
    bytemuck::cast_slice(vectors)
}

/// Like [`flat`], to write into.
pub fn flat_mut<const D: usize>(vectors: &mut [Vector<D>]) -> &mut [f64] {
    bytemuck::cast_slice_mut(vectors)
}

/// `a × b` in 3D; zero in other dimensions.
#[inline]
pub fn cross<const D: usize>(a: Vector<D>, b: Vector<D>) -> Vector<D> {
    cross_by(a, b, |a, b, c, d| a * b - c * d)
}

/// Like [`cross`], every entry to full precision also where `a` and `b` are nearly parallel.
pub fn accurate_cross<const D: usize>(a: Vector<D>, b: Vector<D>) -> Vector<D> {
    cross_by(a, b, difference_of_products)
}

/// `a × b` in 2D, a number, to full precision; zero in other dimensions.
#[inline]
pub fn flat_cross<const D: usize>(a: Vector<D>, b: Vector<D>) -> f64 {
    if D == 2 { difference_of_products(a[0], b[1], a[1], b[0]) } else { 0.0 }
}

/// `a` turned by 90° from the x to the y axis in 2D: `(−y, x)`; zero in other dimensions.
#[inline]
pub fn turn<const D: usize>(a: Vector<D>) -> Vector<D> {
    if D == 2 { Vector(from_fn(|k| if k == 0 { -a[1] } else { a[0] })) } else { Vector::ZERO }
}

/// A cross product whose entries `a b − c d` are computed by `entry`.
#[inline]
fn cross_by<const D: usize>(
    a: Vector<D>,
    b: Vector<D>,
    entry: impl Fn(f64, f64, f64, f64) -> f64,
) -> Vector<D> {
    if D != 3 {
        return Vector::ZERO;
    }
    Vector(from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        entry(a[i], b[j], a[j], b[i])
    }))
}

/// `a b − c d` with an error of a few units in the last place, by Kahan's method.
fn difference_of_products(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let product = c * d;
    let error = (-c).mul_add(d, product);
    a.mul_add(b, -product) + error
}

impl<const D: usize> Vector<D> {
    /// The zero vector.
    pub const ZERO: Self = Self([0.0; D]);

    /// The unit vector along axis `k`.
    #[inline]
    pub fn axis(k: usize) -> Self {
        Self(from_fn(|i| f64::from(u8::from(i == k))))
    }

    /// `Σ aᵢ bᵢ`.
    #[inline]
    pub fn dot(self, other: Self) -> f64 {
        if D == 0 {
            return 0.0;
        }
        // Not from zero: that addition would be done, for the sign of a zero.
        let mut sum = self.0[0] * other.0[0];
        for i in 1..D {
            sum += self.0[i] * other.0[i];
        }
        sum
    }

    /// `|a|²`.
    #[inline]
    pub fn norm_squared(self) -> f64 {
        self.dot(self)
    }

    /// `|a|`.
    #[inline]
    pub fn norm(self) -> f64 {
        self.norm_squared().sqrt()
    }

    /// `a/|a|`, or zero where `a` is zero.
    #[inline]
    pub fn normalized(self) -> Self {
        let norm = self.norm();
        if norm > 0.0 { self * (1.0 / norm) } else { Self::ZERO }
    }

    /// The matrix `a bᵀ`.
    #[inline]
    pub fn outer(self, other: Self) -> Matrix<D> {
        Matrix(from_fn(|i| from_fn(|j| self.0[i] * other.0[j])))
    }

    /// The smaller of each pair of entries.
    #[inline]
    pub fn min(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i].min(other.0[i])))
    }

    /// The larger of each pair of entries.
    #[inline]
    pub fn max(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i].max(other.0[i])))
    }

    /// The largest absolute value of an entry.
    #[inline]
    pub fn max_abs(self) -> f64 {
        self.0.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()))
    }

    /// Whether every entry is a number.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.0.iter().all(|a| a.is_finite())
    }
}

impl<const D: usize> Add for Vector<D> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] + other.0[i]))
    }
}

impl<const D: usize> Sub for Vector<D> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] - other.0[i]))
    }
}

impl<const D: usize> Neg for Vector<D> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self(from_fn(|i| -self.0[i]))
    }
}

impl<const D: usize> Mul<f64> for Vector<D> {
    type Output = Self;
    #[inline]
    fn mul(self, factor: f64) -> Self {
        Self(from_fn(|i| self.0[i] * factor))
    }
}

impl<const D: usize> AddAssign for Vector<D> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const D: usize> SubAssign for Vector<D> {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<const D: usize> Index<usize> for Vector<D> {
    type Output = f64;
    #[inline]
    fn index(&self, i: usize) -> &f64 {
        &self.0[i]
    }
}

impl<const D: usize> IndexMut<usize> for Vector<D> {
    #[inline]
    fn index_mut(&mut self, i: usize) -> &mut f64 {
        &mut self.0[i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_of_vectors_is_a_slice_of_numbers() {
        let mut points = [Vector([1.0, 2.0]), Vector([3.0, 4.0])];
        flat_mut(&mut points)[2] = 5.0;
        assert_eq!(flat(&points), &[1.0, 2.0, 5.0, 4.0]);
    }

    #[test]
    fn cross_products_of_nearly_parallel_vectors_keep_their_digits() {
        // With t = 2⁻³⁰ the exact third entry is t², which plain products lose.
        let t = 2.0_f64.powi(-30);
        let cross = accurate_cross(Vector([1.0 + t, 1.0, 0.0]), Vector([1.0, 1.0 - t, 0.0]));
        assert_eq!(cross, Vector([0.0, 0.0, -t * t]));
        assert_eq!(accurate_cross(Vector([1.0, 0.0]), Vector([0.0, 1.0])), Vector::ZERO);
    }

    #[test]
    fn the_zero_vector_has_no_direction() {
        assert_eq!(Vector::<3>::ZERO.normalized(), Vector::ZERO);
    }
}
