//! Directions across the normal of a pair: where it slides.
//!
//! One in 2D, two orthonormal ones in 3D:
//! ```text
//! vertex-vertex   d = x₁ − x₀ :   2D  d turned by 90°      3D  e × d (e: x or y axis, whichever gives the longer), d × t₀
//! vertex-edge     e = e₁ − e₀ :   2D  e                    3D  e ,  e × (v − e₀)
//! edge-edge       u, v the edges :                         3D  u ,  (u × v) × u
//! vertex-face     u, v from f₀ to f₁ and f₂ :              3D  u ,  (u × v) × u
//! ```
//! each divided by its length. The pair of vertices has no preferred direction: its basis jumps where the axis changes, so
//! nothing that depends on the choice of the basis should be built on it.
//!
//! Where a length is zero, the direction and its Jacobian are zero.

use std::array::from_fn;

use crate::math::vector::{cross, turn};
use crate::math::{Matrix, Vector, span};

/// Tangents with their derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangents<const D: usize, const N: usize> {
    /// `t₀`, `t₁`; the second is zero in 2D.
    pub basis: [Vector<D>; 2],
    /// `∂tₖ/∂xᵢ`, in 1/m.
    pub jacobian: [[Matrix<D>; N]; 2],
}

/// A vector and its derivatives by the vertices.
#[derive(Clone, Copy)]
struct Dependent<const D: usize, const N: usize> {
    value: Vector<D>,
    jacobian: [Matrix<D>; N],
}

impl<const D: usize, const N: usize> Dependent<D, N> {
    /// `x_j − x_i`.
    fn edge(x: &[Vector<D>; N], i: usize, j: usize) -> Self {
        let sign = |k: usize| f64::from(u8::from(k == j)) - f64::from(u8::from(k == i));
        Self { value: x[j] - x[i], jacobian: from_fn(|k| Matrix::scalar(sign(k))) }
    }

    /// `a × b`, to full precision.
    fn cross(&self, other: &Self) -> Self {
        let (of_b, of_a) = (Matrix::cross(self.value), Matrix::cross(other.value));
        let jacobian = from_fn(|k| of_b * other.jacobian[k] - of_a * self.jacobian[k]);
        Self { value: span::normal(self.value, other.value), jacobian }
    }

    /// A fixed linear map of it.
    fn map(&self, matrix: Matrix<D>) -> Self {
        Self { value: matrix * self.value, jacobian: self.jacobian.map(|m| matrix * m) }
    }

    /// Times a power of two that makes the largest entry about 1: products of it neither overflow nor vanish.
    fn near_one(&self) -> Self {
        let largest = self.value.0.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
        let unit = if largest > 0.0 { (-largest.log2().floor()).clamp(-1000.0, 1000.0).exp2() } else { 1.0 };
        Self { value: self.value * unit, jacobian: self.jacobian.map(|m| m * unit) }
    }

    /// `a/|a|`: `∂â = (I − ââᵀ) ∂a/|a|`.
    fn unit(&self) -> Self {
        let length = self.value.norm();
        if length == 0.0 {
            return Self { value: Vector::ZERO, jacobian: [Matrix::ZERO; N] };
        }
        let value = self.value * (1.0 / length);
        let across = (Matrix::scalar(1.0) - value.outer(value)) * (1.0 / length);
        Self { value, jacobian: self.jacobian.map(|m| across * m) }
    }
}

impl<const D: usize, const N: usize> Tangents<D, N> {
    fn one(first: &Dependent<D, N>) -> Self {
        let first = first.unit();
        Self { basis: [first.value, Vector::ZERO], jacobian: [first.jacobian, [Matrix::ZERO; N]] }
    }

    fn two(first: &Dependent<D, N>, second: &Dependent<D, N>) -> Self {
        let (first, second) = (first.unit(), second.unit());
        Self { basis: [first.value, second.value], jacobian: [first.jacobian, second.jacobian] }
    }
}

/// Of two vertices, in 2D or 3D.
pub fn vertex_vertex<const D: usize>(x: &[Vector<D>; 2]) -> Tangents<D, 2> {
    let d = Dependent::edge(x, 0, 1).near_one();
    if D == 2 {
        return Tangents::one(&d.map(Matrix::from_columns(from_fn(|k| turn(Vector::axis(k))))));
    }
    let [by_x, by_y] = [0, 1].map(|k| cross(Vector::axis(k), d.value).norm_squared());
    let axis = Vector::axis(usize::from(by_x <= by_y));
    let first = d.map(Matrix::cross(axis));
    Tangents::two(&first, &d.cross(&first))
}

/// Of a vertex and an edge (v, e₀, e₁), in 2D or 3D.
pub fn vertex_edge<const D: usize>(x: &[Vector<D>; 3]) -> Tangents<D, 3> {
    let edge = Dependent::edge(x, 1, 2).near_one();
    let to_vertex = Dependent::edge(x, 1, 0).near_one();
    if D == 2 { Tangents::one(&edge) } else { Tangents::two(&edge, &edge.cross(&to_vertex)) }
}

/// Of two edges (a₀, a₁, b₀, b₁).
pub fn edge_edge(x: &[Vector<3>; 4]) -> Tangents<3, 4> {
    in_plane(&Dependent::edge(x, 0, 1), &Dependent::edge(x, 2, 3))
}

/// Of a vertex and a face (v, f₀, f₁, f₂).
pub fn vertex_face(x: &[Vector<3>; 4]) -> Tangents<3, 4> {
    in_plane(&Dependent::edge(x, 1, 2), &Dependent::edge(x, 1, 3))
}

fn in_plane(u: &Dependent<3, 4>, v: &Dependent<3, 4>) -> Tangents<3, 4> {
    let (u, v) = (u.near_one(), v.near_one());
    Tangents::two(&u, &u.cross(&v).near_one().cross(&u))
}
