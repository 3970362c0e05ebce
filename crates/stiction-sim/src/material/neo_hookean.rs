//! Neo-Hookean elasticity.
//!
//! ```text
//! Ψ(F) = G/2 (tr FᵀF − D) − G ln J + λ/2 ln²J            J = det F            [J/m³]
//! P(F) = ∂Ψ/∂F = G (F − F⁻ᵀ) + λ ln J F⁻ᵀ                                     [Pa]
//! Aᵢᵢ = G + (G + λ − λ ln J)/σᵢ²      Aᵢⱼ = λ/(σᵢσⱼ)      quotients G ± (G − λ ln J)/(σᵢσⱼ)
//! ```
//! Infinite for J ≤ 0: an element never inverts. Reference: \[Smith2018\] for the method.

use std::array::from_fn;

use stiction::math::{Matrix, Vector};

use super::Lame;
use super::strain::Strain;
use super::stretch::Curvature;

/// `Ψ(F)`.
pub fn energy<const D: usize>(lame: &Lame, f: &Matrix<D>) -> f64 {
    let j = f.det();
    if j <= 0.0 || j.is_nan() {
        return f64::INFINITY;
    }
    // Near rest the first two terms nearly cancel.
    let strain = Strain::of(f);
    let log = strain.log_squared(j);
    0.5 * lame.shear * (strain.stretched - log) + 0.125 * lame.lambda * log * log
}

/// `P(F)`.
pub fn stress<const D: usize>(lame: &Lame, f: &Matrix<D>) -> Matrix<D> {
    let inverse = f.inverse().transpose();
    *f * lame.shear + inverse * (lame.lambda * f.det().ln() - lame.shear)
}

/// Second derivatives by the stretches, of a deformation with determinant `j`: more precise than their product where an element is nearly flat.
pub fn curvature<const D: usize>(lame: &Lame, s: Vector<D>, j: f64) -> Curvature<D> {
    let (g, lambda) = (lame.shear, lame.lambda);
    // The smallest stretch may round to 0 or below.
    let s = s.0.map(|s| s.abs().max(f64::MIN_POSITIVE.sqrt()));
    let pressure = g - lambda * j.ln();
    let stretch = |i: usize, j: usize| {
        if i == j { g + (pressure + lambda) / (s[i] * s[i]) } else { lambda / (s[i] * s[j]) }
    };
    Curvature {
        stretch: from_fn(|i| from_fn(|j| stretch(i, j))),
        minus: from_fn(|i| from_fn(|j| g + pressure / (s[i] * s[j]))),
        plus: from_fn(|i| from_fn(|j| g - pressure / (s[i] * s[j]))),
    }
}
