//! Stable neo-Hookean elasticity: no barrier at J = 0, so it recovers from any state.
//!
//! ```text
//! Ψ(F) = G/2 (tr FᵀF − D) − G (J − 1) + (λ + G)/2 (J − 1)²            [J/m³]
//! P(F) = G F + q ∂J/∂F        q = (λ + G)(J − 1) − G                  [Pa]
//! Aᵢⱼ = G δᵢⱼ + (λ + G) JᵢJⱼ + q Jᵢⱼ      quotients G ∓ q Jᵢⱼ           Jᵢ = ∂J/∂σᵢ, Jᵢⱼ = ∂²J/∂σᵢ∂σⱼ
//! ```
//! λ + G in place of λ makes small strains those of Hooke's law. Elements may invert, at a finite energy. Reference: \[Smith2018\].

use std::array::from_fn;

use stiction::math::{Matrix, Vector};

use super::Lame;
use super::stretch::{Curvature, cofactors, without_one, without_two};

/// `Ψ(F)`.
pub fn energy<const D: usize>(lame: &Lame, f: &Matrix<D>) -> f64 {
    let grown = f.det() - 1.0;
    let volume = 0.5 * (lame.lambda + lame.shear) * grown * grown - lame.shear * grown;
    0.5 * lame.shear * (f.norm_squared() - D as f64) + volume
}

/// `P(F)`.
pub fn stress<const D: usize>(lame: &Lame, f: &Matrix<D>) -> Matrix<D> {
    *f * lame.shear + cofactors(f) * slope(lame, f.det())
}

/// `q`.
fn slope(lame: &Lame, j: f64) -> f64 {
    (lame.lambda + lame.shear) * (j - 1.0) - lame.shear
}

/// Second derivatives by the stretches.
pub fn curvature<const D: usize>(lame: &Lame, s: Vector<D>) -> Curvature<D> {
    let (g, j) = (lame.shear, without_one(s));
    let q = slope(lame, s.0.iter().product());
    let stretch = |i: usize, k: usize| {
        let same = if i == k { g } else { 0.0 };
        same + (lame.lambda + g) * j[i] * j[k] + q * without_two(s, i, k)
    };
    Curvature {
        stretch: from_fn(|i| from_fn(|k| stretch(i, k))),
        minus: from_fn(|i| from_fn(|k| g - q * without_two(s, i, k))),
        plus: from_fn(|i| from_fn(|k| g + q * without_two(s, i, k))),
    }
}
