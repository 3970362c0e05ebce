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
        let mut sum = 0.0;
        for i in 0..D {
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
    fn the_zero_vector_has_no_direction() {
        assert_eq!(Vector::<3>::ZERO.normalized(), Vector::ZERO);
    }
}
