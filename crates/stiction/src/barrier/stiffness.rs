//! How stiff the barrier should be. \[Li2020\]

use super::{Barrier, BarrierLaw};
use crate::math::Vector;

/// Bounds of the automatic stiffness κ, in J/m⁴.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StiffnessRange {
    /// The smallest κ.
    pub min: f64,
    /// The largest κ that the automatic increase reaches.
    pub max: f64,
}

/// What the range of κ follows from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StiffnessScale {
    /// Diagonal of the bounding box, in m.
    pub diagonal: f64,
    /// Mean mass of a vertex, in kg.
    pub mean_mass: f64,
    /// The factor (h² for implicit Euler, in s²) with which potentials enter the incremental potential.
    pub scale: f64,
}

/// Distance, relative to the diagonal, at which the smallest κ makes the barrier this much
/// stiffer than inertia.
const REFERENCE_DISTANCE: f64 = 1e-8;
const REFERENCE_RATIO: f64 = 1e11;
const RANGE: f64 = 100.0;

impl StiffnessRange {
    /// ```text
    /// κ_min = 10¹¹ m̄ / (scale · 4 d₀² b″(d₀²))      d₀ = 10⁻⁸ · diagonal ,   κ_max = 100 κ_min
    /// ```
    pub fn new<B: Barrier>(law: &BarrierLaw<B>, of: &StiffnessScale) -> Self {
        let s0 = (REFERENCE_DISTANCE * of.diagonal).powi(2).min(law.dhat().powi(2) * 0.25);
        let min = REFERENCE_RATIO * of.mean_mass / (of.scale * 4.0 * s0 * law.second(s0));
        Self { min, max: RANGE * min }
    }

    /// The κ that balances the gradient of the barrier (at κ = 1) with that of all other energies, within
    /// the range: `κ = −g_b·g / |g_b|²`.
    ///
    /// # Panics
    /// If the gradients differ in length.
    pub fn balance<const D: usize>(&self, barrier: &[Vector<D>], others: &[Vector<D>]) -> f64 {
        let (mut product, mut square) = (0.0, 0.0);
        for (b, g) in barrier.iter().zip(others) {
            product += b.dot(*g);
            square += b.norm_squared();
        }
        let kappa = if square > 0.0 { -product / square } else { self.min };
        // Not `clamp`, which panics where the range is not one of numbers.
        kappa.max(self.min).min(self.max)
    }

    /// Doubles κ, up to the maximum, when the smallest gap (in m) is tiny and shrinks.
    ///
    /// Tiny is 10⁻⁹ of the diagonal.
    pub fn update(&self, kappa: f64, gap_before: f64, gap: f64, diagonal: f64) -> f64 {
        let tiny = 1e-9 * diagonal;
        if gap_before < tiny && gap < tiny && gap < gap_before {
            (2.0 * kappa).min(self.max.max(kappa))
        } else {
            kappa
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::barrier::BarrierKind;

    const SCALE: StiffnessScale = StiffnessScale { diagonal: 2.0, mean_mass: 0.1, scale: 1e-4 };

    #[test]
    fn balance_is_the_least_squares_factor_within_the_range() {
        let range = StiffnessRange::new(&BarrierLaw::new(BarrierKind::ClampedLog, 1e-3).unwrap(), &SCALE);
        assert!(range.min > 0.0 && range.max == 100.0 * range.min);
        let target = 5.0 * range.min;
        let barrier = [Vector([1.0, 2.0]), Vector([0.0, 3.0])];
        assert!((range.balance(&barrier, &barrier.map(|b| b * -target)) / target - 1.0).abs() < 1e-14);
        assert_eq!(range.balance(&barrier, &barrier), range.min);
        assert_eq!(range.balance(&[Vector([0.0, 0.0])], &[Vector([1.0, 0.0])]), range.min);
        assert_eq!(range.balance(&barrier, &barrier.map(|b| b * -1e300)), range.max);
    }

    #[test]
    fn kappa_doubles_only_while_a_tiny_gap_shrinks() {
        let range = StiffnessRange { min: 1.0, max: 3.0 };
        assert_eq!(range.update(1.0, 2e-10, 1e-10, 1.0), 2.0);
        assert_eq!(range.update(2.0, 2e-10, 1e-10, 1.0), 3.0);
        assert_eq!(range.update(1.0, 1e-10, 2e-10, 1.0), 1.0);
        assert_eq!(range.update(1.0, 1e-3, 1e-4, 1.0), 1.0);
        assert_eq!(range.update(7.0, 2e-10, 1e-10, 1.0), 7.0);
    }
}
