//! St. Venant–Kirchhoff elasticity: Hooke's law for large rotations and small strains.
//!
//! ```text
//! Ψ(F) = G |E|² + λ/2 (tr E)²            E = ½(FᵀF − I)                     [J/m³]
//! P(F) = F (2G E + λ tr E I)                                               [Pa]
//! Aᵢⱼ = δᵢⱼ (2G eᵢ + λ tr E + 2G σᵢ²) + λ σᵢσⱼ            eᵢ = ½(σᵢ² − 1)
//! quotients  G (σᵢ² ± σᵢσⱼ + σⱼ² − 1) + λ tr E
//! ```
//! It softens under compression, below σ = 1/√3 it gives way: not for large ones. Elements may invert, at a finite energy.

use stiction::math::{Matrix, Vector};

use super::Lame;
use super::stretch::{Curvature, pairs, symmetric};

/// `E`.
fn strain<const D: usize>(f: &Matrix<D>) -> Matrix<D> {
    (f.transpose() * *f - Matrix::scalar(1.0)) * 0.5
}

fn trace<const D: usize>(a: &Matrix<D>) -> f64 {
    (0..D).map(|k| a.0[k][k]).sum()
}

/// `Ψ(F)`.
pub fn energy<const D: usize>(lame: &Lame, f: &Matrix<D>) -> f64 {
    let strain = strain(f);
    let grown = trace(&strain);
    lame.shear * strain.norm_squared() + 0.5 * lame.lambda * grown * grown
}

/// `P(F)`.
pub fn stress<const D: usize>(lame: &Lame, f: &Matrix<D>) -> Matrix<D> {
    let strain = strain(f);
    *f * (strain * (2.0 * lame.shear) + Matrix::scalar(lame.lambda * trace(&strain)))
}

/// Second derivatives by the stretches.
#[inline]
pub fn curvature<const D: usize>(lame: &Lame, s: Vector<D>) -> Curvature<D> {
    let (g, lambda) = (lame.shear, lame.lambda);
    let strain = |i: usize| 0.5 * (s[i] * s[i] - 1.0);
    let pressure = lambda * (0..D).map(strain).sum::<f64>();
    let stretch = |i: usize, k: usize| {
        let same = if i == k { 2.0 * g * (strain(i) + s[i] * s[i]) + pressure } else { 0.0 };
        same + lambda * s[i] * s[k]
    };
    let quotient =
        |i: usize, k: usize, sign: f64| g * (s[i] * s[i] + sign * s[i] * s[k] + s[k] * s[k] - 1.0) + pressure;
    Curvature {
        stretch: symmetric(stretch),
        minus: pairs(|i, k| quotient(i, k, 1.0)),
        plus: pairs(|i, k| quotient(i, k, -1.0)),
    }
}
