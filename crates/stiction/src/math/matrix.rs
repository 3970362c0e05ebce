//! A `D × D` matrix.

use std::array::from_fn;
use std::ops::{Add, AddAssign, Mul, Sub};

use bytemuck::{Pod, Zeroable};

use super::Vector;

/// A square matrix, stored by rows.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Matrix<const D: usize>(pub [[f64; D]; D]);

impl<const D: usize> Matrix<D> {
    /// The zero matrix.
    pub const ZERO: Self = Self([[0.0; D]; D]);

    /// `s` on the diagonal, zero elsewhere.
    #[inline]
    pub fn scalar(s: f64) -> Self {
        Self(from_fn(|i| from_fn(|j| if i == j { s } else { 0.0 })))
    }

    /// `[v]×`, with which `[v]× w = v × w`, in 3D; zero in other dimensions.
    #[inline]
    pub fn cross(v: Vector<D>) -> Self {
        // v × eⱼ has v[i] with a sign at the third index.
        let entry = |i: usize, j: usize| match (j + 3 - i) % 3 {
            1 => -v[3 - i - j],
            2 => v[3 - i - j],
            _ => 0.0,
        };
        if D == 3 { Self(from_fn(|i| from_fn(|j| entry(i, j)))) } else { Self::ZERO }
    }

    /// The matrix with these columns.
    #[inline]
    pub fn from_columns(columns: [Vector<D>; D]) -> Self {
        Self(from_fn(|i| from_fn(|j| columns[j][i])))
    }

    /// Column `j`.
    #[inline]
    pub fn column(self, j: usize) -> Vector<D> {
        Vector(from_fn(|i| self.0[i][j]))
    }

    /// `Aᵀ`.
    #[inline]
    pub fn transpose(self) -> Self {
        Self(from_fn(|i| from_fn(|j| self.0[j][i])))
    }

    /// The sum of the squares of all entries.
    #[inline]
    pub fn norm_squared(self) -> f64 {
        self.0.iter().flatten().map(|a| a * a).sum()
    }

    /// The determinant.
    ///
    /// # Panics
    /// For `D` other than 1, 2 and 3, which no part of this crate uses.
    #[inline]
    pub fn det(self) -> f64 {
        let a = &self.0;
        match D {
            1 => a[0][0],
            2 => a[0][0] * a[1][1] - a[0][1] * a[1][0],
            3 => {
                a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1])
                    - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
                    + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0])
            }
            _ => panic!("determinants are for 1, 2 and 3 dimensions"),
        }
    }

    /// `det(A) A⁻¹`, the adjugate: finite also where `A` is singular.
    ///
    /// # Panics
    /// For `D` other than 1, 2 and 3, which no part of this crate uses.
    #[inline]
    pub fn adjugate(self) -> Self {
        let a = &self.0;
        match D {
            1 => Self::scalar(1.0),
            2 => Self(from_fn(|i| from_fn(|j| if i == j { a[1 - i][1 - j] } else { -a[i][j] }))),
            3 => Self(from_fn(|i| {
                from_fn(|j| {
                    let (r, s) = ((j + 1) % 3, (j + 2) % 3);
                    let (p, q) = ((i + 1) % 3, (i + 2) % 3);
                    a[r][p] * a[s][q] - a[r][q] * a[s][p]
                })
            })),
            _ => panic!("inverses are for 1, 2 and 3 dimensions"),
        }
    }

    /// `A⁻¹`; its entries are not finite where `A` is singular.
    #[inline]
    pub fn inverse(self) -> Self {
        self.adjugate() * (1.0 / self.det())
    }
}

impl<const D: usize> Add for Matrix<D> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(from_fn(|i| from_fn(|j| self.0[i][j] + other.0[i][j])))
    }
}

impl<const D: usize> Sub for Matrix<D> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(from_fn(|i| from_fn(|j| self.0[i][j] - other.0[i][j])))
    }
}

impl<const D: usize> AddAssign for Matrix<D> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const D: usize> Mul<f64> for Matrix<D> {
    type Output = Self;
    #[inline]
    fn mul(self, factor: f64) -> Self {
        Self(from_fn(|i| from_fn(|j| self.0[i][j] * factor)))
    }
}

impl<const D: usize> Mul<Vector<D>> for Matrix<D> {
    type Output = Vector<D>;
    #[inline]
    fn mul(self, v: Vector<D>) -> Vector<D> {
        Vector(from_fn(|i| Vector(self.0[i]).dot(v)))
    }
}

impl<const D: usize> Mul<Matrix<D>> for Matrix<D> {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Self(from_fn(|i| {
            from_fn(|j| {
                let mut sum = 0.0;
                for k in 0..D {
                    sum += self.0[i][k] * other.0[k][j];
                }
                sum
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_times_matrix_is_one() {
        let a = Matrix([[2.0, -1.0, 0.5], [0.3, 3.0, 1.0], [-1.0, 0.2, 1.5]]);
        let one = a.inverse() * a;
        let b = Matrix([[2.0, -1.0], [0.3, 3.0]]);
        let two = b.inverse() * b;
        for i in 0..3 {
            for j in 0..3 {
                assert!((one.0[i][j] - Matrix::<3>::scalar(1.0).0[i][j]).abs() < 1e-15);
                if i < 2 && j < 2 {
                    assert!((two.0[i][j] - Matrix::<2>::scalar(1.0).0[i][j]).abs() < 1e-15);
                }
            }
        }
        assert!((a.transpose().det() - a.det()).abs() < 1e-14);
    }

    #[test]
    fn cross_matrices_multiply_like_cross_products() {
        let (v, w) = (Vector([1.0, 2.0, 3.0]), Vector([-4.0, 0.5, 7.0]));
        assert_eq!(Matrix::cross(v) * w, crate::math::vector::cross(v, w));
        assert_eq!(Matrix::cross(Vector([1.0, 2.0])), Matrix::ZERO);
    }
}
