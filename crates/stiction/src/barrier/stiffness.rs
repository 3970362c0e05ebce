//! Published rules for the barrier stiffness: one κ for all contacts that follows forces and clearances \[Li2020\], or one for each \[Ando2024\].
//!
//! The simulator does not follow them but [`StiffnessPolicy`](super::policy::StiffnessPolicy), which depends neither on units nor on how steps are cut.

use super::{Barrier, BarrierLaw};
use crate::assemble;
use crate::contact::{Contacts, PerContact};
use crate::distance::Separation;
use crate::error::{Error, Result};
use crate::math::{Matrix, Vector};
use crate::obstacle::Obstacle;
use crate::stencil::{EDGE_EDGE, Pair, Stencil, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX};

/// Bounds of the automatic stiffness κ, in J/m⁴ for the clamped logarithm and counted contacts, otherwise in the units that the law asks for.
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

/// A clearance is tiny below this part of the diagonal.
const TINY: f64 = 1e-9;

impl StiffnessRange {
    /// ```text
    /// κ_min = 10¹¹ m̄ / (scale · 4 d₀² f″(d₀²))      d₀ = d_min + 10⁻⁸ · diagonal ,   κ_max = 100 κ_min
    /// ```
    /// `f` is the law with its units, so that `κ f` does not depend on them. Where `d₀` is out of the barrier's reach, it is
    /// halfway in: `d₀² = d_min² + ½ ŝ`. Neither is a number where the barrier has no curvature at `d₀`, or the scale is zero.
    pub fn new<B: Barrier>(law: &BarrierLaw<B>, of: &StiffnessScale) -> Self {
        let near = REFERENCE_DISTANCE * of.diagonal + law.dmin();
        let (s, low) = (near * near, law.dmin() * law.dmin());
        let s = if s - low >= law.s_hat() { low + 0.5 * law.s_hat() } else { s };
        let min = REFERENCE_RATIO * of.mean_mass / (of.scale * 4.0 * s * law.second(s));
        Self { min, max: RANGE * min }
    }

    /// The κ that balances the gradient of the barrier (at κ = 1) with that of all other energies, within
    /// the range: `κ = −g_b·g / |g_b|²`, and the smallest κ where there is no contact. Gradients, not forces: a sign less is
    /// a κ that never balances anything.
    ///
    /// Of arrays of different lengths, what both have counts.
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

    /// Doubles κ, up to the maximum, when the smallest clearance is below `tiny`, `before` and now, and shrinks.
    ///
    /// Clearances are distances less the minimum distance, not squared, in m; [`tiny_clearance`] is the usual bound.
    pub fn update(&self, kappa: f64, before: f64, clearance: f64, tiny: f64) -> f64 {
        if before < tiny && clearance < tiny && clearance < before {
            (2.0 * kappa).min(self.max.max(kappa))
        } else {
            kappa
        }
    }
}

/// `10⁻⁹ (diagonal + d_min)`, in m: clearances below this ask for a stiffer barrier.
pub fn tiny_clearance(diagonal: f64, dmin: f64) -> f64 {
    TINY * (diagonal + dmin)
}

/// A stiffness that begins with contact and grows where clearances become tiny.
///
/// ```text
///              begin: contact appears                    after_step: tiny clearance shrinks
/// no κ yet ───────────────────────────▶ κ = balanced ────────────────────────────────▶ κ = 2κ, at most κ_max
/// ```
/// For whoever has a solver of their own: call [`begin`](Self::begin) in every iteration, with the gradients at hand, and
/// [`after_step`](Self::after_step) with the smallest clearance after every step (or every converged increment). A value of this type is
/// the whole state: keep a copy at the start of an increment and go back to it if the increment fails.
///
/// ```
/// use stiction::barrier::stiffness::{AdaptiveStiffness, StiffnessScale};
/// use stiction::barrier::{BarrierKind, BarrierLaw};
/// use stiction::math::Vector;
///
/// let law = BarrierLaw::new(BarrierKind::ClampedLog, 1e-3)?;
/// let scale = StiffnessScale { diagonal: 1.0, mean_mass: 0.1, scale: 1.0 };
/// let mut stiffness = AdaptiveStiffness::new(&law, &scale)?;
/// // Nothing touches: there is no κ yet.
/// let weight = [Vector([0.0, 9.81])];
/// assert_eq!(stiffness.begin(&[Vector([0.0, 0.0])], &weight)?, None);
/// // Contact appears: the barrier's gradient, at κ = 1, is balanced with that of all other energies.
/// let kappa = stiffness.begin(&[Vector([0.0, -1e-9])], &weight)?.unwrap();
/// assert!(kappa >= stiffness.range().min);
/// // A clearance that is tiny and shrinks doubles it.
/// stiffness.after_step(2e-10);
/// stiffness.after_step(1e-10);
/// assert_eq!(stiffness.kappa(), Some((2.0 * kappa).min(stiffness.range().max)));
/// # Ok::<(), stiction::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptiveStiffness {
    range: StiffnessRange,
    tiny: f64,
    kappa: Option<f64>,
    clearance: f64,
}

impl AdaptiveStiffness {
    /// A stiffness that waits for contact.
    ///
    /// # Errors
    /// If the range that follows from the scale is not one of positive numbers.
    pub fn new<B: Barrier>(law: &BarrierLaw<B>, of: &StiffnessScale) -> Result<Self> {
        let range = StiffnessRange::new(law, of);
        if !(range.min > 0.0 && range.max < f64::INFINITY) {
            let (name, must) = (
                "smallest stiffness",
                "positive and finite: look at the diagonal, the mean mass and the scale",
            );
            return Err(Error::BadParameter { name, value: range.min, must });
        }
        let tiny = tiny_clearance(of.diagonal, law.dmin());
        Ok(Self { range, tiny, kappa: None, clearance: f64::INFINITY })
    }

    /// The same with another clearance, in m, below which κ grows.
    #[must_use]
    pub fn with_tiny_clearance(self, tiny: f64) -> Self {
        Self { tiny, ..self }
    }

    /// The same at another κ, or at none, and with another smallest clearance so far, in m: to go on from somewhere else.
    #[must_use]
    pub fn at(self, kappa: Option<f64>, clearance: f64) -> Self {
        Self { kappa, clearance, ..self }
    }

    /// The bounds of κ.
    pub fn range(&self) -> StiffnessRange {
        self.range
    }

    /// κ; none before there was contact.
    pub fn kappa(&self) -> Option<f64> {
        self.kappa
    }

    /// Sets κ by [`StiffnessRange::balance`] if there is none yet and there is contact now: the gradient of the barrier (at
    /// κ = 1) is not zero. Gives κ.
    ///
    /// # Errors
    /// If the gradients have different lengths.
    pub fn begin<const D: usize>(
        &mut self,
        barrier: &[Vector<D>],
        others: &[Vector<D>],
    ) -> Result<Option<f64>> {
        if barrier.len() != others.len() {
            let (found, expected) = (others.len(), barrier.len());
            return Err(Error::WrongLength { what: "the gradient of the other energies", found, expected });
        }
        if self.kappa.is_none() && barrier.iter().any(|b| *b != Vector::ZERO) {
            self.kappa = Some(self.range.balance(barrier, others));
        }
        Ok(self.kappa)
    }

    /// Like [`begin`](Self::begin), and raises a κ that is there already to what balances now, for example at the start of every
    /// increment; it never lowers it.
    ///
    /// # Errors
    /// As for [`begin`](Self::begin).
    pub fn raise<const D: usize>(
        &mut self,
        barrier: &[Vector<D>],
        others: &[Vector<D>],
    ) -> Result<Option<f64>> {
        let before = self.kappa.take();
        let balanced = self.begin(barrier, others);
        self.kappa = before.into_iter().chain(self.kappa).reduce(f64::max);
        balanced.map(|_| self.kappa)
    }

    /// Takes note of the smallest clearance (distance less the minimum distance, not squared, in m; infinite without contact) and doubles κ if it
    /// is tiny and shrinks. Gives κ.
    pub fn after_step(&mut self, clearance: f64) -> Option<f64> {
        let before = std::mem::replace(&mut self.clearance, clearance);
        self.kappa = self.kappa.map(|kappa| self.range.update(kappa, before, clearance, self.tiny));
        self.kappa
    }
}

/// One stiffness for each contact, from its mass, its clearance and what is behind it: semi-implicit stiffness. \[Ando2024\]
///
/// ```text
/// κ = m̄/(d − d_min)² + wᵀHw        w = c⊗n / |c| ,   m̄ = cᵀMc / |c|²
/// ```
/// `c` are the weights of the contact's vertices in the vector between the closest points, `n` its direction, `H` the Hessian of
/// all other energies, asked for block by block, and `M` the masses. `wᵀHw` is the stiffness that the contact feels; `H` should have no
/// negative curvature. Both terms are in N/m where the masses are multiplied by the square of a speed (1 m/s as published).
/// Infinite at `d ≤ d_min`. The result is meant to be held while derivatives are taken:
/// [`Kappa::Each`](super::Kappa::Each).
#[derive(Clone, Copy)]
pub struct SemiImplicit<'a, const D: usize> {
    /// Positions of the vertices, in m.
    pub x: &'a [Vector<D>],
    /// Masses of the vertices, in kg.
    pub masses: &'a [f64],
    /// The block of `H` in the rows of one vertex and the columns of another, in N/m.
    pub hessian: &'a (dyn Fn(u32, u32) -> Matrix<D> + Sync),
    /// `d_min` in m.
    pub dmin: f64,
}

impl<const D: usize> SemiImplicit<'_, D> {
    /// The stiffnesses of all contacts.
    ///
    /// # Errors
    /// If there is not one mass for each vertex.
    ///
    /// # Panics
    /// If `x` or `obstacles` is not the array that the contacts were built with.
    pub fn stiffnesses(&self, contacts: &Contacts, obstacles: &[Obstacle<D>]) -> Result<PerContact<f64>> {
        let (found, expected) = (self.masses.len(), self.x.len());
        if found != expected {
            return Err(Error::WrongLength { what: "masses", found, expected });
        }
        let obstacle = |stencil: Stencil<1>, obstacle: u32| {
            let (solid, y) = (&obstacles[obstacle as usize], stencil.gather(self.x)[0]);
            self.stiffness(stencil, &[1.0], solid.normal(y), solid.distance(y))
        };
        Ok(PerContact {
            vv: assemble::each(&contacts.vv, |_, c| self.pair(c.stencil, &VERTEX_VERTEX)),
            ve: assemble::each(&contacts.ve, |_, c| self.pair(c.stencil, &VERTEX_EDGE)),
            ee: assemble::each(&contacts.ee, |_, c| self.pair(c.stencil, &EDGE_EDGE)),
            vf: assemble::each(&contacts.vf, |_, c| self.pair(c.stencil, &VERTEX_FACE)),
            parallel: assemble::each(&contacts.parallel, |_, c| self.pair(c.contact.stencil, &c.pair())),
            obstacle: assemble::each(&contacts.obstacle, |_, c| obstacle(c.stencil, c.obstacle)),
        })
    }

    fn pair<const N: usize>(&self, stencil: Stencil<N>, pair: &Pair<N>) -> f64 {
        let separation = Separation::new(pair, &stencil.gather(self.x));
        self.stiffness(stencil, &separation.c, separation.normal(), separation.distance())
    }

    fn stiffness<const N: usize>(
        &self,
        stencil: Stencil<N>,
        c: &[f64; N],
        n: Vector<D>,
        distance: f64,
    ) -> f64 {
        let clearance = distance - self.dmin;
        if clearance.is_nan() || clearance <= 0.0 {
            return f64::INFINITY;
        }
        let (mut mass, mut behind, mut square) = (0.0, 0.0, 0.0);
        for (i, &v) in stencil.0.iter().enumerate() {
            mass += c[i] * c[i] * self.masses[v as usize];
            square += c[i] * c[i];
            for (j, &w) in stencil.0.iter().enumerate() {
                if c[i] * c[j] != 0.0 {
                    behind += c[i] * c[j] * n.dot((self.hessian)(v, w) * n);
                }
            }
        }
        (mass / (clearance * clearance) + behind) / square
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
    fn kappa_doubles_only_while_a_tiny_clearance_shrinks() {
        let (range, tiny) = (StiffnessRange { min: 1.0, max: 3.0 }, tiny_clearance(1.0, 0.0));
        assert_eq!(range.update(1.0, 2e-10, 1e-10, tiny), 2.0);
        assert_eq!(range.update(2.0, 2e-10, 1e-10, tiny), 3.0);
        assert_eq!(range.update(1.0, 1e-10, 2e-10, tiny), 1.0);
        assert_eq!(range.update(1.0, 1e-3, 1e-4, tiny), 1.0);
        assert_eq!(range.update(7.0, 2e-10, 1e-10, tiny), 7.0);
    }

    #[test]
    fn the_range_is_a_matter_of_the_barriers_curvature_near_contact() {
        for kind in BarrierKind::ALL {
            for dmin in [0.0, 3e-3] {
                let law = BarrierLaw::new(kind, 1e-3).unwrap().with_dmin(dmin).unwrap();
                let range = StiffnessRange::new(&law, &SCALE);
                let d = 2e-8 + dmin;
                let curvature = 4.0 * d * d * law.second(d * d);
                assert!((range.min * curvature * 1e-4 / (1e11 * 0.1) - 1.0).abs() < 1e-12, "{kind:?} {dmin}");
                // The same energy in other units.
                let physical = law.with_physical_units(true);
                let other = StiffnessRange::new(&physical, &SCALE);
                let s = dmin * dmin + 0.3 * law.s_hat();
                let ratio = other.min * physical.value(s) / (range.min * law.value(s));
                assert!((ratio - 1.0).abs() < 1e-12, "{kind:?} {dmin}");
            }
        }
    }

    #[test]
    fn a_reference_distance_out_of_reach_is_taken_halfway() {
        let huge = StiffnessScale { diagonal: 1e6, ..SCALE };
        for dmin in [0.0, 5e-3] {
            let law = BarrierLaw::new(BarrierKind::ClampedLog, 1e-3).unwrap().with_dmin(dmin).unwrap();
            let range = StiffnessRange::new(&law, &huge);
            let s = dmin * dmin + 0.5 * law.s_hat();
            let expected = 1e11 * 0.1 / (1e-4 * 4.0 * s * law.second(s));
            assert!((range.min / expected - 1.0).abs() < 1e-14 && range.min > 0.0);
        }
    }

    #[test]
    fn stiffness_waits_for_contact_then_grows() {
        let law = BarrierLaw::new(BarrierKind::ClampedLog, 1e-3).unwrap();
        let mut stiffness = AdaptiveStiffness::new(&law, &SCALE).unwrap();
        let weight = [Vector([0.0, 2.0])];
        assert_eq!(stiffness.begin(&[Vector::ZERO], &weight), Ok(None));
        assert_eq!(stiffness.after_step(f64::INFINITY), None);
        let start = stiffness;
        let push = |kappa: f64| [Vector([0.0, -2.0 / kappa])];
        let range = stiffness.range();
        let kappa = stiffness.begin(&push(5.0 * range.min), &weight).unwrap().unwrap();
        assert!((kappa / (5.0 * range.min) - 1.0).abs() < 1e-14);
        // Only the first contact counts, unless it is to be raised.
        assert_eq!(stiffness.begin(&push(9.0 * range.min), &weight), Ok(Some(kappa)));
        assert_eq!(stiffness.raise(&push(2.0 * range.min), &weight), Ok(Some(kappa)));
        assert_eq!(stiffness.raise(&[Vector::ZERO], &weight), Ok(Some(kappa)));
        let raised = stiffness.raise(&push(7.0 * range.min), &weight).unwrap().unwrap();
        assert!((raised / (7.0 * range.min) - 1.0).abs() < 1e-14);
        // One tiny clearance is not enough: it must shrink.
        assert_eq!(stiffness.after_step(1e-9), Some(raised));
        assert_eq!(stiffness.after_step(5e-10), Some(2.0 * raised));
        assert_eq!(stiffness.after_step(6e-10), Some(2.0 * raised));
        // Back to the start of the increment.
        assert_eq!(start.kappa(), None);
        let message = stiffness.begin(&[Vector([0.0, 1.0])], &[]).unwrap_err().to_string();
        assert!(message.contains("other energies"), "{message}");
        assert!(
            stiffness.raise(&[Vector([0.0, 1.0])], &[]).is_err() && stiffness.kappa() == Some(2.0 * raised)
        );
    }

    #[test]
    fn a_scale_without_mass_is_refused() {
        let law = BarrierLaw::new(BarrierKind::ClampedLog, 1e-3).unwrap();
        for mean_mass in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = AdaptiveStiffness::new(&law, &StiffnessScale { mean_mass, ..SCALE }).unwrap_err();
            assert!(message.to_string().contains("smallest stiffness"));
        }
    }
}
