//! Distances with a side: negative behind a line in 2D, behind a face, or where two lines pass on their other side.
//!
//! ```text
//! σ = n·r ,  |σ| = d        ∂σ/∂xᵢ = cᵢ n        ∂n/∂xᵢ = −Σₚ Cₚᵢ aᵖ nᵀ
//! ```
//! with the letters of [`distance`](crate::distance). All are smooth through σ = 0, where the unsigned distance has a corner.
//!
//! Where there is no side (an edge without length, parallel lines, a face without area), `σ` is the distance of the pair
//! that `distance` falls back to, and `n` its direction.

use crate::distance::Separation;
use crate::math::{Matrix, Vector};
use crate::stencil::{EDGE_EDGE, Pair, VERTEX_EDGE, VERTEX_FACE};

/// A signed distance, solved.
#[derive(Clone, Copy, Debug)]
pub struct Signed<const D: usize, const N: usize> {
    separation: Separation<D, N>,
    /// `n`: the unit normal, towards which `σ` grows.
    pub normal: Vector<D>,
    /// `σ` in m.
    pub value: f64,
}

/// A vertex and the line through an edge in 2D, vertices (v, e₀, e₁).
///
/// `n` is the direction from e₀ to e₁ turned by 90° from the x to the y axis: `σ` is positive to the left.
pub fn vertex_line(x: &[Vector<2>; 3]) -> Signed<2, 3> {
    Signed::new(&VERTEX_EDGE, x, -1.0)
}

/// A vertex and the plane through a face, vertices (v, f₀, f₁, f₂): `n = (f₁ − f₀) × (f₂ − f₀)/|…|`.
pub fn vertex_plane(x: &[Vector<3>; 4]) -> Signed<3, 4> {
    Signed::new(&VERTEX_FACE, x, 1.0)
}

/// The lines through two edges, vertices (a₀, a₁, b₀, b₁): `n = (a₁ − a₀) × (b₁ − b₀)/|…|`, `σ = n·(a₀ − b₀)`.
pub fn line_line(x: &[Vector<3>; 4]) -> Signed<3, 4> {
    Signed::new(&EDGE_EDGE, x, -1.0)
}

impl<const D: usize, const N: usize> Signed<D, N> {
    /// `sign` turns the normal of the `aₚ` into that of the convention.
    fn new(pair: &Pair<N>, x: &[Vector<D>; N], sign: f64) -> Self {
        let separation = Separation::new(pair, x);
        let normal = separation.oriented_normal().map_or_else(|| separation.normal(), |n| n * sign);
        Self { separation, normal, value: normal.dot(separation.r) }
    }

    /// `∂σ/∂xᵢ`, without unit.
    pub fn gradient(&self) -> [Vector<D>; N] {
        self.separation.along(self.normal)
    }

    /// `∂²σ/∂xᵢ∂xⱼ`, in 1/m.
    pub fn hessian(&self) -> [[Matrix<D>; N]; N] {
        self.separation.bend(self.normal)
    }

    /// `∂n/∂xᵢ`, in 1/m.
    pub fn normal_jacobian(&self) -> [Matrix<D>; N] {
        self.separation.jacobian_of(self.normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_have_signs() {
        let line = [[0.3, 2.0], [0.0, 0.0], [1.0, 0.0]].map(Vector);
        assert_eq!((vertex_line(&line).value, vertex_line(&line).normal), (2.0, Vector([0.0, 1.0])));
        let face = [[0.2, 0.2, -3.0], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vector);
        assert_eq!(vertex_plane(&face).value, -3.0);
        let lines = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, -0.5], [0.0, 1.0, -0.5]].map(Vector);
        assert_eq!(line_line(&lines).value, 0.5);
    }

    #[test]
    fn without_a_side_the_distance_is_positive() {
        let lines = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, -0.5], [2.0, 0.0, -0.5]].map(Vector);
        let signed = line_line(&lines);
        assert_eq!((signed.value, signed.normal), (0.5, Vector([0.0, 0.0, 1.0])));
        assert_eq!(vertex_line(&[Vector([3.0, 4.0]), Vector::ZERO, Vector::ZERO]).value, 5.0);
    }
}
