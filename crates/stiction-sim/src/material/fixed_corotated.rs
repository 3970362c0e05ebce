//! Fixed corotated elasticity.
//!
//! ```text
//! Ψ(F) = G |F − R|² + λ/2 (J − 1)²            R = UVᵀ, the rotation closest to F            [J/m³]
//! P(F) = 2G (F − R) + λ (J − 1) ∂J/∂F                                                       [Pa]
//! Aᵢⱼ = 2G δᵢⱼ + λ JᵢJⱼ + λ (J − 1) Jᵢⱼ
//! quotients  2G − λ (J − 1) Jᵢⱼ  and  2G (1 − 2/(σᵢ + σⱼ)) + λ (J − 1) Jᵢⱼ
//! ```
//! The second quotient has no bound where σᵢ + σⱼ → 0: the closest rotation jumps there; it is taken at 10⁻⁶ of a stretch. Elements
//! may invert, at a finite energy. Reference: \[Stomakhin2012\].

use stiction::math::{Matrix, Vector};

use super::Lame;
use super::stretch::{Curvature, cofactors, pairs, symmetric, without_one, without_two};
use super::svd::svd;

/// The smallest sum of two stretches that is divided by.
const SMALLEST: f64 = 1e-6;

/// `Ψ(F)`.
pub fn energy<const D: usize>(lame: &Lame, f: &Matrix<D>) -> f64 {
    let grown = f.det() - 1.0;
    let stretch: f64 = svd(*f).sigma.0.iter().map(|s| (s - 1.0) * (s - 1.0)).sum();
    lame.shear * stretch + 0.5 * lame.lambda * grown * grown
}

/// `P(F)`.
pub fn stress<const D: usize>(lame: &Lame, f: &Matrix<D>) -> Matrix<D> {
    let svd = svd(*f);
    let rotation = svd.u * svd.v.transpose();
    (*f - rotation) * (2.0 * lame.shear) + cofactors(f) * (lame.lambda * (f.det() - 1.0))
}

/// Second derivatives by the stretches.
#[inline]
pub fn curvature<const D: usize>(lame: &Lame, s: Vector<D>) -> Curvature<D> {
    let (g, lambda, j) = (lame.shear, lame.lambda, without_one(s));
    let pressure = lambda * (s.0.iter().product::<f64>() - 1.0);
    let stretch = |i: usize, k: usize| {
        let same = if i == k { 2.0 * g } else { 0.0 };
        same + lambda * j[i] * j[k] + pressure * without_two(s, i, k)
    };
    let turn = |i: usize, k: usize| {
        let sum = s[i] + s[k];
        let sum = if sum.abs() < SMALLEST { SMALLEST } else { sum };
        2.0 * g * (1.0 - 2.0 / sum) + pressure * without_two(s, i, k)
    };
    Curvature {
        stretch: symmetric(stretch),
        minus: pairs(|i, k| 2.0 * g - pressure * without_two(s, i, k)),
        plus: pairs(turn),
    }
}
