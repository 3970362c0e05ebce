//! Singular values of a deformation gradient.

use stiction::math::{Matrix, Vector, eigen};

/// `F = U diag(σ) Vᵀ` of a matrix with positive determinant, so all `σ > 0`.
#[derive(Clone, Copy, Debug)]
pub struct Svd<const D: usize> {
    /// `U`.
    pub u: Matrix<D>,
    /// `σ`, unordered.
    pub sigma: Vector<D>,
    /// `V`.
    pub v: Matrix<D>,
}

/// The singular value decomposition, from the eigenvectors of `FᵀF`.
///
/// Small `σ` carry a relative error of about `10⁻¹⁶ (σ_max/σ)²`: enough for a Hessian, not used for forces.
pub fn svd<const D: usize>(f: Matrix<D>) -> Svd<D> {
    let (_, v) = eigen::symmetric((f.transpose() * f).0, D);
    let v = Matrix(v);
    let stretched = f * v;
    let sigma = Vector(std::array::from_fn(|k| stretched.column(k).norm()));
    let u = Matrix::from_columns(std::array::from_fn(|k| stretched.column(k).normalized()));
    Svd { u, sigma, v }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_give_the_matrix_back() {
        let f = Matrix([[1.2, 0.3, -0.1], [0.0, 0.8, 0.4], [0.2, 0.1, 1.1]]);
        let Svd { u, sigma, v } = svd(f);
        let scaled = Matrix::from_columns(std::array::from_fn(|k| u.column(k) * sigma[k]));
        let back = scaled * v.transpose();
        for i in 0..3 {
            for j in 0..3 {
                assert!((back.0[i][j] - f.0[i][j]).abs() < 1e-14);
            }
        }
    }
}
