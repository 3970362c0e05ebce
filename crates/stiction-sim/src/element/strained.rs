//! What an element is under.

use stiction::math::Matrix;

/// Stress and strain of an element, in the axes of the scene.
///
/// ```text
/// σ = P Fᵀ / det F [Pa]        e = ½ (F Fᵀ − 1)
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strained<const D: usize> {
    /// `σ`: the Cauchy stress; of a sheet the force by its thickness at rest.
    pub stress: Matrix<D>,
    /// `e`: the Finger strain; of a sheet in its plane.
    pub strain: Matrix<D>,
}

impl<const D: usize> Strained<D> {
    /// From the deformation gradient and the first Piola–Kirchhoff stress.
    pub(super) fn new(f: &Matrix<D>, p: &Matrix<D>) -> Self {
        let stress = *p * f.transpose() * (1.0 / f.det());
        Self { stress, strain: (*f * f.transpose() - Matrix::scalar(1.0)) * 0.5 }
    }
}
