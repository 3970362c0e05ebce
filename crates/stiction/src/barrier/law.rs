//! Where a barrier acts, and in which units.

use super::{Barrier, BarrierKind};
use crate::error::{Error, Result};

/// A barrier with its distances.
///
/// ```text
/// f(d²) = u b(d² − d_min², (2 d_min + d̂) d̂)        acts for d < d_min + d̂, infinite at d_min (not Cubic)
/// u = 1 ,   in physical units  d̂ / units(ŝ)
/// ```
/// With physical units `f` is in m whatever the barrier, so that κ of contacts weighted by areas is a pressure, in Pa: an
/// elastic modulus of the layer of air below d̂. \[Li2020\] \[Li2023\]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarrierLaw<B = BarrierKind> {
    barrier: B,
    dhat: f64,
    dmin: f64,
    physical: bool,
    /// `ŝ = (2 d_min + d̂) d̂`.
    s_hat: f64,
    /// `d_min²`.
    dmin2: f64,
    /// `u`.
    factor: f64,
}

impl<B: Barrier> BarrierLaw<B> {
    /// A barrier that acts below the distance `dhat`, in m.
    ///
    /// # Errors
    /// If `dhat` is not positive and finite.
    pub fn new(barrier: B, dhat: f64) -> Result<Self> {
        // Barriers have the unit of its fourth power.
        if !(dhat > 0.0 && dhat.powi(4).is_normal()) {
            let must = "a positive length whose fourth power is a number";
            return Err(Error::BadParameter { name: "dhat", value: dhat, must });
        }
        Ok(Self { barrier, dhat, dmin: 0.0, physical: false, s_hat: 0.0, dmin2: 0.0, factor: 1.0 }.prepared())
    }

    /// The same barrier, beyond a distance `dmin` (in m) that no pair may fall below.
    ///
    /// # Errors
    /// If `dmin` is negative or not finite.
    pub fn with_dmin(mut self, dmin: f64) -> Result<Self> {
        if !(dmin >= 0.0 && dmin.powi(4).is_finite()) {
            let must = "0 or a positive length whose fourth power is a number";
            return Err(Error::BadParameter { name: "dmin", value: dmin, must });
        }
        self.dmin = dmin;
        Ok(self.prepared())
    }

    /// The same barrier in physical units, or in its own.
    #[must_use]
    pub fn with_physical_units(mut self, physical: bool) -> Self {
        self.physical = physical;
        self.prepared()
    }

    fn prepared(mut self) -> Self {
        self.s_hat = (2.0 * self.dmin + self.dhat) * self.dhat;
        self.dmin2 = self.dmin * self.dmin;
        self.factor = if self.physical { self.dhat / self.barrier.units(self.s_hat) } else { 1.0 };
        self
    }

    /// `b`.
    pub fn barrier(&self) -> &B {
        &self.barrier
    }

    /// `d̂` in m.
    pub fn dhat(&self) -> f64 {
        self.dhat
    }

    /// `d_min` in m.
    pub fn dmin(&self) -> f64 {
        self.dmin
    }

    /// `d_min + d̂` in m: below this distance pairs are in contact.
    pub fn reach(&self) -> f64 {
        self.dmin + self.dhat
    }

    /// `ŝ` in m².
    pub fn s_hat(&self) -> f64 {
        self.s_hat
    }

    /// Whether the units are physical.
    pub fn is_physical(&self) -> bool {
        self.physical
    }

    /// `f(d²)`.
    #[inline]
    pub fn value(&self, d2: f64) -> f64 {
        let s = d2 - self.dmin2;
        if s >= self.s_hat { 0.0 } else { self.factor * self.barrier.value(s, self.s_hat) }
    }

    /// `f′(d²)`.
    #[inline]
    pub fn first(&self, d2: f64) -> f64 {
        self.derivatives(d2).0
    }

    /// `f″(d²)`.
    #[inline]
    pub fn second(&self, d2: f64) -> f64 {
        self.derivatives(d2).1
    }

    /// `f′` and `f″`, for the price of one logarithm.
    #[inline]
    pub fn derivatives(&self, d2: f64) -> (f64, f64) {
        let s = d2 - self.dmin2;
        if s >= self.s_hat {
            return (0.0, 0.0);
        }
        let (b1, b2) = self.barrier.derivatives(s, self.s_hat);
        (self.factor * b1, self.factor * b2)
    }

    /// Force of a contact of weight and stiffness 1: `−∂f/∂d = −2 d f′(d²)`.
    #[inline]
    pub fn force(&self, d2: f64) -> f64 {
        -2.0 * d2.sqrt() * self.first(d2)
    }

    /// [`force`](Self::force) and its derivative by the distance, `−2f′ − 4d²f″`, for the price of one logarithm.
    #[inline]
    pub fn force_and_slope(&self, d2: f64) -> (f64, f64) {
        let (f1, f2) = self.derivatives(d2);
        (-2.0 * d2.sqrt() * f1, -2.0 * f1 - 4.0 * d2 * f2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws() -> impl Iterator<Item = BarrierLaw> {
        BarrierKind::ALL.into_iter().flat_map(|kind| {
            [(0.5, 0.0), (0.1, 0.0), (0.1, 0.3), (2.0, 0.01)].into_iter().flat_map(move |(dhat, dmin)| {
                [false, true].map(|physical| {
                    BarrierLaw::new(kind, dhat)
                        .unwrap()
                        .with_dmin(dmin)
                        .unwrap()
                        .with_physical_units(physical)
                })
            })
        })
    }

    #[test]
    fn derivatives_match_differences() {
        for law in laws() {
            let (low, width) = (law.dmin().powi(2), law.s_hat());
            // 50 is the corner of the two-stage barrier.
            for k in (2..100).filter(|k| *k != 50) {
                let s = width * f64::from(k) / 100.0;
                let (d2, h) = (low + s, 1e-4 * s);
                let slope = (law.value(d2 + h) - law.value(d2 - h)) / (2.0 * h);
                let bend = (law.first(d2 + h) - law.first(d2 - h)) / (2.0 * h);
                let scale = law.value(low + 0.5 * s);
                assert!((slope - law.first(d2)).abs() < 1e-6 * scale / s, "{law:?} at {k}");
                assert!((bend - law.second(d2)).abs() < 1e-6 * scale / (s * s), "{law:?} at {k}");
            }
        }
    }

    #[test]
    fn vanishes_at_the_edge_and_diverges_at_the_minimum_distance() {
        for law in laws() {
            let edge = law.reach().powi(2);
            assert_eq!((law.value(edge * 1.001), law.derivatives(edge * 1.001)), (0.0, (0.0, 0.0)));
            let close = law.value(edge * (1.0 - 1e-9));
            assert!(
                (0.0..1e-8 * law.value(law.dmin().powi(2) + 0.1 * law.s_hat())).contains(&close),
                "{law:?}"
            );
            let contact = law.value(law.dmin().powi(2));
            assert_eq!(contact == f64::INFINITY, law.barrier().is_interior(), "{law:?}");
            assert!(contact > 0.0);
        }
    }

    #[test]
    fn barriers_fall_and_are_convex() {
        for law in laws() {
            for k in 1..100 {
                let (b1, b2) = law.derivatives(law.dmin().powi(2) + law.s_hat() * f64::from(k) / 100.0);
                assert!(b1 < 0.0 && b2 > 0.0, "{law:?} at {k}");
            }
        }
    }

    #[test]
    fn physical_units_do_not_depend_on_the_barriers_own() {
        let of = |kind| BarrierLaw::new(kind, 0.02).unwrap().with_physical_units(true);
        let (plain, normalized) = (of(BarrierKind::ClampedLog), of(BarrierKind::NormalizedClampedLog));
        assert!((plain.value(1e-4) / normalized.value(1e-4) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn bad_parameters_are_refused() {
        for dhat in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(BarrierLaw::new(BarrierKind::Cubic, dhat).is_err());
        }
        let law = BarrierLaw::new(BarrierKind::Cubic, 1.0).unwrap();
        for dmin in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(law.with_dmin(dmin).is_err());
        }
        let message = "logbarrier".parse::<BarrierKind>().unwrap_err().to_string();
        assert!(message.contains("logbarrier") && message.contains("two_stage"), "{message}");
    }
}
