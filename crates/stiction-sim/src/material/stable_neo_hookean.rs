//! Stable neo-Hookean elasticity: finite for every deformation, and it comes back from all of them.
//!
//! ```text
//! Ψ(F) = μ/2 (I − D) − μ/2 ln((I + 1)/(D + 1)) − G (J − 1) + Λ/2 (J − 1)²        I = tr FᵀF            [J/m³]
//! P(F) = m F + q ∂J/∂F        m = μ I/(I + 1)        q = Λ (J − 1) − G                               [Pa]
//! Aᵢⱼ = m δᵢⱼ + 2μ σᵢσⱼ/(I + 1)² + Λ JᵢJⱼ + q Jᵢⱼ      quotients m ∓ q Jᵢⱼ           Jᵢ = ∂J/∂σᵢ, Jᵢⱼ = ∂²J/∂σᵢ∂σⱼ
//! μ = G (D + 1)/D        Λ = λ + G − 2G/(D (D + 1))
//! ```
//! These μ and Λ make small strains those of Hooke's law; in 3D they are 4/3 G and λ + 5/6 G. The logarithm keeps bodies from staying collapsed.
//! Elements may invert, at a finite energy. Reference: \[Smith2018\].

use stiction::math::{Matrix, Vector};

use super::Lame;
use super::stretch::{Curvature, cofactors, pairs, small_strain, symmetric, without_one, without_two};

/// `μ` and `Λ`, in Pa.
fn moduli<const D: usize>(lame: &Lame) -> (f64, f64) {
    let d = D as f64;
    (lame.shear * (d + 1.0) / d, lame.lambda + lame.shear * (1.0 - 2.0 / (d * (d + 1.0))))
}

/// `Ψ(F)`.
pub fn energy<const D: usize>(lame: &Lame, f: &Matrix<D>) -> f64 {
    let (mu, bulk) = moduli::<D>(lame);
    let grown = f.det() - 1.0;
    if let Some((stretched, beyond)) = small_strain(f) {
        let part = stretched / (D as f64 + 1.0);
        // (I − D)/2 − (J − 1) = ((J − 1)² − m)/2: what is linear in the strain is gone, which would cancel.
        let bulky = 0.5 * (lame.shear + bulk) * grown * grown;
        return 0.5 * mu * (part - part.ln_1p()) + bulky - 0.5 * lame.shear * beyond;
    }
    let stretched = f.norm_squared() - D as f64;
    let rising = stretched - (stretched / (D as f64 + 1.0)).ln_1p();
    0.5 * mu * rising - lame.shear * grown + 0.5 * bulk * grown * grown
}

/// `P(F)`.
pub fn stress<const D: usize>(lame: &Lame, f: &Matrix<D>) -> Matrix<D> {
    let (mu, bulk) = moduli::<D>(lame);
    let square = f.norm_squared();
    *f * (mu * square / (square + 1.0)) + cofactors(f) * (bulk * (f.det() - 1.0) - lame.shear)
}

/// Second derivatives by the stretches.
#[inline]
pub fn curvature<const D: usize>(lame: &Lame, s: Vector<D>) -> Curvature<D> {
    let (mu, bulk) = moduli::<D>(lame);
    let (square, j) = (s.norm_squared(), without_one(s));
    let m = mu * square / (square + 1.0);
    let q = bulk * (s.0.iter().product::<f64>() - 1.0) - lame.shear;
    let bend = 2.0 * mu / ((square + 1.0) * (square + 1.0));
    let stretch = |i: usize, k: usize| {
        let same = if i == k { m } else { 0.0 };
        same + bend * s[i] * s[k] + bulk * j[i] * j[k] + q * without_two(s, i, k)
    };
    Curvature {
        stretch: symmetric(stretch),
        minus: pairs(|i, k| m - q * without_two(s, i, k)),
        plus: pairs(|i, k| m + q * without_two(s, i, k)),
    }
}
