//! Neo-Hookean elasticity.
//!
//! ```text
//! Ψ(F) = G/2 (tr FᵀF − D) − G ln J + λ/2 ln²J            J = det F            [J/m³]
//! P(F) = ∂Ψ/∂F = G (F − F⁻ᵀ) + λ ln J F⁻ᵀ                                     [Pa]
//! ```
//! Infinite for J ≤ 0: an element never inverts. With `F = U diag(σ) Vᵀ` the Hessian ∂P/∂F has the
//! eigen-matrices (Uᵢ = column i of U, and so on)
//! ```text
//! U diag(w) Vᵀ            w eigenvectors of A ,  Aᵢᵢ = G + (G + λ − λ ln J)/σᵢ² ,  Aᵢⱼ = λ/(σᵢσⱼ)
//! (UᵢVⱼᵀ + UⱼVᵢᵀ)/√2      eigenvalue  G + (G − λ ln J)/(σᵢσⱼ)
//! (UᵢVⱼᵀ − UⱼVᵢᵀ)/√2      eigenvalue  G − (G − λ ln J)/(σᵢσⱼ)
//! ```
//! Reference: \[Smith2018\] for the method.

use std::array::from_fn;
use std::f64::consts::FRAC_1_SQRT_2;

use stiction::math::{Matrix, eigen};

use super::Lame;
use super::svd::svd;

/// `Ψ(F)`.
pub fn energy<const D: usize>(lame: &Lame, f: &Matrix<D>) -> f64 {
    let j = f.det();
    if j <= 0.0 || j.is_nan() {
        return f64::INFINITY;
    }
    let stretch: f64 = f.0.iter().flatten().map(|a| a * a).sum::<f64>() - D as f64;
    let log = j.ln();
    0.5 * lame.shear * stretch - lame.shear * log + 0.5 * lame.lambda * log * log
}

/// `P(F)`.
pub fn stress<const D: usize>(lame: &Lame, f: &Matrix<D>) -> Matrix<D> {
    let inverse = f.inverse().transpose();
    *f * lame.shear + inverse * (lame.lambda * f.det().ln() - lame.shear)
}

/// The eigenvalues, in Pa, and eigen-matrices of ∂P/∂F; the first `D²` of the entries.
pub fn modes<const D: usize>(lame: &Lame, f: &Matrix<D>) -> [(f64, Matrix<D>); 9] {
    let svd = svd(*f);
    let (g, lambda, s) = (lame.shear, lame.lambda, svd.sigma);
    let pressure = g - lambda * f.det().ln();
    let mut out = [(0.0, Matrix::ZERO); 9];
    let a: [[f64; D]; D] = from_fn(|i| {
        from_fn(|j| if i == j { g + (pressure + lambda) / (s[i] * s[i]) } else { lambda / (s[i] * s[j]) })
    });
    let (values, w) = eigen::symmetric(a, D);
    for k in 0..D {
        let scaled = Matrix::from_columns(from_fn(|i| svd.u.column(i) * w[i][k]));
        out[k] = (values[k], scaled * svd.v.transpose());
    }
    let mut next = D;
    for i in 0..D {
        for j in i + 1..D {
            let one = svd.u.column(i).outer(svd.v.column(j)) * FRAC_1_SQRT_2;
            let two = svd.u.column(j).outer(svd.v.column(i)) * FRAC_1_SQRT_2;
            let shear = pressure / (s[i] * s[j]);
            out[next] = (g + shear, one + two);
            out[next + 1] = (g - shear, one - two);
            next += 2;
        }
    }
    out
}
