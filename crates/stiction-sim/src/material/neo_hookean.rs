//! Neo-Hookean elasticity.
//!
//! ```text
//! Ψ(F) = G/2 (tr FᵀF − D) − G ln J + λ/2 ln²J            J = det F            [J/m³]
//! P(F) = ∂Ψ/∂F = G (F − F⁻ᵀ) + λ ln J F⁻ᵀ                                     [Pa]
//! Aᵢᵢ = G + (G + λ − λ ln J)/σᵢ²      Aᵢⱼ = λ/(σᵢσⱼ)      quotients G ± (G − λ ln J)/(σᵢσⱼ)
//! ```
//! Infinite for J ≤ 0: an element never inverts. Near rest the terms of the energy nearly cancel; there it is written in `A = FᵀF − 1`,
//! which is small whatever the rotation, so that its rounding error is that of the stress:
//!
//! ```text
//! Ψ = G/2 (s − ln(1 + s) − m) + λ/8 ln²(1 + s)        s = J² − 1 = tr A + m        m = II(A), + det A in 3D
//! ```
//! Reference: \[Smith2018\] for the method.

use stiction::distance::Psd;
use stiction::math::vector::turn;
use stiction::math::{Matrix, Vector};

use super::Lame;
use super::stretch::{Curvature, is_positive, pairs, small_strain, symmetric};

/// Below this `J`, relative to `|F|ᴰ`, a determinant has lost so many digits that a decomposition of `F` is worth its time.
const FLAT: f64 = 1e-4;

/// `Ψ(F)`.
pub fn energy<const D: usize>(lame: &Lame, f: &Matrix<D>) -> f64 {
    let j = f.det();
    if j <= 0.0 || j.is_nan() {
        return f64::INFINITY;
    }
    if let Some((trace, beyond)) = small_strain(f) {
        let grown = trace + beyond;
        let log = grown.ln_1p();
        return 0.5 * lame.shear * (grown - log - beyond) + 0.125 * lame.lambda * log * log;
    }
    let log = j.ln();
    0.5 * lame.shear * (f.norm_squared() - D as f64) - lame.shear * log + 0.5 * lame.lambda * log * log
}

/// `P(F)`.
pub fn stress<const D: usize>(lame: &Lame, f: &Matrix<D>) -> Matrix<D> {
    let inverse = f.inverse().transpose();
    *f * lame.shear + inverse * (lame.lambda * f.det().ln() - lame.shear)
}

/// Second derivatives by the stretches, of a deformation with determinant `j`: more precise than their product where an element is nearly flat.
#[inline]
pub fn curvature<const D: usize>(lame: &Lame, s: Vector<D>, j: f64) -> Curvature<D> {
    let (g, lambda) = (lame.shear, lame.lambda);
    // The smallest stretch may round to 0 or below.
    let inverse = s.0.map(|s| 1.0 / s.abs().max(f64::MIN_POSITIVE.sqrt()));
    let pressure = g - lambda * j.ln();
    let stretch = |i: usize, k: usize| {
        let product = inverse[i] * inverse[k];
        if i == k { g + (pressure + lambda) * product } else { lambda * product }
    };
    Curvature {
        stretch: symmetric(stretch),
        minus: pairs(|i, k| g + pressure * (inverse[i] * inverse[k])),
        plus: pairs(|i, k| g - pressure * (inverse[i] * inverse[k])),
    }
}

/// The blocks `(i, j)`, `0 < j ≤ i`, of the Hessian by positions `x` with `F = Σᵢ xᵢ bᵢᵀ`, if no decomposition of `F` is needed for them:
///
/// ```text
/// Hᵢⱼ = G bᵢ·bⱼ I + p gⱼgᵢᵀ + λ gᵢgⱼᵀ        gᵢ = F⁻ᵀbᵢ        p = G − λ ln J
/// ```
/// For p ≥ 0 only the quotients G − p/(σᵢσⱼ) can be negative. In 2D that is one, for turns against the rotation closest to `F`, which has a formula.
#[inline]
pub fn hessian<const D: usize, const N: usize>(
    lame: &Lame,
    f: &Matrix<D>,
    b: &[Vector<D>; N],
    psd: Psd,
) -> Option<[[Matrix<D>; N]; N]> {
    let j = f.det();
    // Also where it is not a number.
    if !(j > 0.0 && j * j > FLAT * FLAT * (0..D).map(|_| f.norm_squared()).product::<f64>()) {
        return None;
    }
    let pressure = lame.shear - lame.lambda * j.ln();
    let shift = shift(lame.shear, f, j, pressure, psd)?;
    let inverse = f.inverse().transpose();
    let g = b.map(|b| inverse * b);
    let mut h = [[Matrix::ZERO; N]; N];
    for i in 1..N {
        let (along, across) = (g[i] * lame.lambda, g[i] * pressure);
        for j in 1..=i {
            let same = Matrix::scalar(lame.shear * b[i].dot(b[j]));
            h[i][j] = same + g[j].outer(across) + along.outer(g[j]);
        }
    }
    if shift != 0.0 {
        add_turns(&mut h, f, b, shift);
    }
    Some(h)
}

/// What a projection adds to the eigenvalue of the turn in 2D; nothing where a decomposition is needed.
#[inline]
fn shift<const D: usize>(shear: f64, f: &Matrix<D>, j: f64, pressure: f64, psd: Psd) -> Option<f64> {
    if psd == Psd::None {
        return Some(0.0);
    }
    if pressure < 0.0 {
        return None;
    }
    if D == 2 {
        let quotient = shear - pressure / j;
        return Some(psd.apply(quotient) - quotient);
    }
    // The product of two stretches is J by the third: all are at most G J/p.
    let largest = shear * j / pressure;
    let room = Matrix::scalar(largest * largest) - f.transpose() * *f;
    is_positive(&room.0).then_some(0.0)
}

/// Adds `value qᵢqⱼᵀ` with the eigen-matrix of turns in 2D: `qᵢ = R bᵢ⊥/√2`, with the rotation `R` closest to `F`.
#[inline]
fn add_turns<const D: usize, const N: usize>(
    h: &mut [[Matrix<D>; N]; N],
    f: &Matrix<D>,
    b: &[Vector<D>; N],
    value: f64,
) {
    let (cosine, sine) = (f.0[0][0] + f.0[1][1], f.0[1][0] - f.0[0][1]);
    let weight = 0.5 * value / (cosine * cosine + sine * sine);
    let q = b.map(|b| b * -sine + turn(b) * cosine);
    for i in 1..N {
        let weighted = q[i] * weight;
        for j in 1..=i {
            h[i][j] += weighted.outer(q[j]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::array::from_fn;

    use super::*;
    use crate::material::stable_neo_hookean;

    fn turned(degrees: f64, strain: [f64; 3]) -> Matrix<3> {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let turn = Matrix::from_columns([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]].map(Vector));
        let stretch = |k: usize| Vector(from_fn(|i| if i == k { 1.0 + strain[k] } else { 0.0 }));
        turn * Matrix::from_columns(from_fn(stretch))
    }

    /// Small strains have the energy of Hooke's law to many digits, in turned bodies, too.
    #[test]
    fn nothing_cancels_near_rest() {
        let (lame, e) = (Lame { shear: 1.0, lambda: 1.5 }, 1e-7);
        let strain = [e, -2.0 * e, 0.5 * e];
        let (trace, square) = (strain.iter().sum::<f64>(), strain.iter().map(|e| e * e).sum::<f64>());
        let hooke = lame.shear * square + 0.5 * lame.lambda * trace * trace;
        for degrees in [0.0, 33.0, 200.0] {
            let ratio = energy(&lame, &turned(degrees, strain)) / hooke;
            assert!((ratio - 1.0).abs() < 1e-6, "{degrees}: {ratio}");
        }
    }

    /// Both ways to write an energy agree where one takes over from the other.
    #[test]
    fn far_and_near_meet() {
        let lame = Lame { shear: 1.0, lambda: 1.5 };
        let entries = [0.2, -0.1].map(|strain: f64| (1.0 + strain).powi(2) - 1.0);
        let edge = (0.25 - entries[0].powi(2) - entries[1].powi(2)).sqrt();
        for entry in [edge, -edge] {
            let at = |factor: f64| turned(50.0, [(1.0 + entry * factor).sqrt() - 1.0, 0.2, -0.1]);
            let (near, far) = (at(1.0 - 1e-12), at(1.0 + 1e-12));
            assert!(small_strain(&near).is_some() && small_strain(&far).is_none());
            for energy in [energy, stable_neo_hookean::energy] {
                let (before, after) = (energy(&lame, &near), energy(&lame, &far));
                assert!((before / after - 1.0).abs() < 1e-10, "{before} {after}");
            }
        }
    }
}
