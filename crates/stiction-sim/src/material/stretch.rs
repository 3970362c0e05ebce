//! Isotropic materials by their stretches.
//!
//! With `F = U diag(σ) Vᵀ` the energy is a function of the `σ`, and ∂P/∂F has the eigen-matrices (Uᵢ = column i of U, and so on)
//! ```text
//! U diag(w) Vᵀ            w eigenvectors of  Aᵢⱼ = ∂²Ψ/∂σᵢ∂σⱼ
//! (UᵢVⱼᵀ + UⱼVᵢᵀ)/√2      eigenvalue  (ψᵢ − ψⱼ)/(σᵢ − σⱼ)            ψᵢ = ∂Ψ/∂σᵢ
//! (UᵢVⱼᵀ − UⱼVᵢᵀ)/√2      eigenvalue  (ψᵢ + ψⱼ)/(σᵢ + σⱼ)
//! ```
//! so a projection needs no more than the eigenvectors of a D × D matrix. Materials give both quotients without their denominators, where
//! they can. Reference: \[Smith2018\].

use std::array::from_fn;
use std::f64::consts::FRAC_1_SQRT_2;

use stiction::math::{Matrix, Vector, eigen};

use super::svd::svd;

/// `tr A` and `m = det(1 + A) − 1 − tr A` of `A = FᵀF − 1`, which is small near rest whatever the rotation: energies written in them do not cancel there.
pub fn strain<const D: usize>(f: &Matrix<D>) -> (f64, f64) {
    let a = f.transpose() * *f - Matrix::scalar(1.0);
    let minor = |i: usize, j: usize| a.0[i][i] * a.0[j][j] - a.0[i][j] * a.0[j][i];
    let second: f64 = (0..D).flat_map(|i| (0..i).map(move |j| minor(i, j))).sum();
    let trace = (0..D).map(|i| a.0[i][i]).sum();
    (trace, if D == 3 { second + a.det() } else { second })
}

/// Second derivatives of an energy by its stretches, in Pa.
#[derive(Clone, Copy, Debug)]
pub struct Curvature<const D: usize> {
    /// `A`.
    pub stretch: [[f64; D]; D],
    /// `(ψᵢ − ψⱼ)/(σᵢ − σⱼ)`; only entries off the diagonal count.
    pub minus: [[f64; D]; D],
    /// `(ψᵢ + ψⱼ)/(σᵢ + σⱼ)`; the same.
    pub plus: [[f64; D]; D],
}

/// The eigenvalues, in Pa, and eigen-matrices of ∂P/∂F; the first `D²` of the entries.
pub fn modes<const D: usize>(
    f: &Matrix<D>,
    curvature: impl Fn(Vector<D>) -> Curvature<D>,
) -> [(f64, Matrix<D>); 9] {
    let svd = svd(*f);
    let of = curvature(svd.sigma);
    let mut out = [(0.0, Matrix::ZERO); 9];
    let (values, w) = eigen::symmetric(of.stretch, D);
    for k in 0..D {
        let scaled = Matrix::from_columns(from_fn(|i| svd.u.column(i) * w[i][k]));
        out[k] = (values[k], scaled * svd.v.transpose());
    }
    let mut next = D;
    for i in 0..D {
        for j in i + 1..D {
            let one = svd.u.column(i).outer(svd.v.column(j)) * FRAC_1_SQRT_2;
            let two = svd.u.column(j).outer(svd.v.column(i)) * FRAC_1_SQRT_2;
            out[next] = (of.minus[i][j], one + two);
            out[next + 1] = (of.plus[i][j], one - two);
            next += 2;
        }
    }
    out
}

/// The products of all stretches but one, `∂J/∂σᵢ`.
pub fn without_one<const D: usize>(sigma: Vector<D>) -> [f64; D] {
    from_fn(|i| (0..D).filter(|k| *k != i).map(|k| sigma[k]).product())
}

/// The product of all stretches but two, `∂²J/∂σᵢ∂σⱼ`; 0 for the same.
pub fn without_two<const D: usize>(sigma: Vector<D>, i: usize, j: usize) -> f64 {
    if i == j {
        return 0.0;
    }
    (0..D).filter(|k| *k != i && *k != j).map(|k| sigma[k]).product()
}

/// `∂J/∂F`, the cofactors of `F`.
pub fn cofactors<const D: usize>(f: &Matrix<D>) -> Matrix<D> {
    f.adjugate().transpose()
}
