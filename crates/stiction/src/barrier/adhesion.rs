//! Adhesion: a normal force that pulls.

use super::Barrier;
use crate::error::{Error, Result};

/// What holds two surfaces together at small distances, as a [`Barrier`] without a barrier: added to one, not instead of it.
///
/// ```text
/// a₂ < 0 < a₁ = a₂(1 − ŝ/p)        p = (2 d_min + d_p) d_p ,  ŝ = (2 d_min + d_a) d_a
///
/// s        b                                b′              b″
/// 0 … p    a₁s² + a₂(ŝ − p)² − a₁p²         2 a₁ s          2 a₁
/// p … ŝ    a₂ (s − ŝ)²                      2 a₂(s − ŝ)     2 a₂
/// ```
/// `s` in m², `b` in J for weight and stiffness 1. `b′` is largest at p, where `a₂ = Y ε_c/(4 (d_p + d_min)(p − ŝ))` makes the force `Y ε_c`:
/// modulus times critical strain. (By the distance, the force still grows a little beyond where `d_min + d_p < (d_min + d_a)/√3`.) b is C¹;
/// b″ jumps at p. It is negative, and convex in s up to p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adhesion {
    p: f64,
    a2: f64,
}

impl Adhesion {
    /// With the force `strength`, in N for weight 1, at the distance `peak` (`d_p`) and gone at `reach` (`d_a`), both in m beyond `dmin`. Its [`BarrierLaw`](super::BarrierLaw) must have `reach` as `d̂`, and the same `dmin`.
    ///
    /// # Errors
    /// If not `0 < peak < reach`, both finite, or `dmin` or `strength` is negative or not finite.
    pub fn new(peak: f64, reach: f64, dmin: f64, strength: f64) -> Result<Self> {
        let check = |name, value: f64, good: bool, must| {
            if good && value.is_finite() { Ok(()) } else { Err(Error::BadParameter { name, value, must }) }
        };
        check("dhat_p", peak, peak > 0.0, "positive and finite")?;
        check("dhat_a", reach, reach > peak, "more than dhat_p, and finite")?;
        check("dmin", dmin, dmin >= 0.0, "0 or positive, and finite")?;
        check("strength of adhesion", strength, strength >= 0.0, "0 or positive, and finite")?;
        let [p, s_hat] = [peak, reach].map(|d| (2.0 * dmin + d) * d);
        Ok(Self { p, a2: strength / (4.0 * (peak + dmin) * (p - s_hat)) })
    }
}

impl Barrier for Adhesion {
    fn value(&self, s: f64, s_hat: f64) -> f64 {
        let &Self { p, a2 } = self;
        if s >= p {
            return a2 * (s - s_hat) * (s - s_hat);
        }
        let a1 = a2 * (1.0 - s_hat / p);
        a1 * (s * s - p * p) + a2 * (s_hat - p) * (s_hat - p)
    }

    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64) {
        let &Self { p, a2 } = self;
        if s >= p {
            return (2.0 * a2 * (s - s_hat), 2.0 * a2);
        }
        let a1 = a2 * (1.0 - s_hat / p);
        (2.0 * a1 * s, 2.0 * a1)
    }

    fn units(&self, s_hat: f64) -> f64 {
        s_hat * s_hat
    }

    fn is_interior(&self) -> bool {
        false
    }
}

/// The same normal force at all distances: that which tangential adhesion holds with.
///
/// ```text
/// b = −F √(s + d_min²)        −∂b/∂d = F
/// ```
/// F in N for weight 1. For friction only: as an energy it ends at ŝ with a jump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyForce {
    /// F.
    pub force: f64,
    /// `d_min` in m, as its law has it.
    pub dmin: f64,
}

impl Barrier for SteadyForce {
    fn value(&self, s: f64, _s_hat: f64) -> f64 {
        -self.force * (s + self.dmin * self.dmin).max(0.0).sqrt()
    }

    fn derivatives(&self, s: f64, _s_hat: f64) -> (f64, f64) {
        let d2 = s + self.dmin * self.dmin;
        if d2 <= 0.0 {
            return (0.0, 0.0);
        }
        let slope = -0.5 * self.force / d2.sqrt();
        (slope, -0.5 * slope / d2)
    }

    fn units(&self, s_hat: f64) -> f64 {
        s_hat.sqrt()
    }

    fn is_interior(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::barrier::BarrierLaw;

    const CASES: [(f64, f64, f64); 3] = [(1e-3, 2e-3, 0.0), (0.1, 0.15, 0.02), (0.01, 1.0, 0.3)];

    #[test]
    fn derivatives_match_differences() {
        for (peak, reach, dmin) in CASES {
            let adhesion = Adhesion::new(peak, reach, dmin, 100.0).unwrap();
            let steady = SteadyForce { force: 7.0, dmin };
            let s_hat = (2.0 * dmin + reach) * reach;
            let laws: [&dyn Barrier; 2] = [&adhesion, &steady];
            for law in laws {
                for k in 1..100 {
                    let (s, h) = (s_hat * f64::from(k) / 100.0, 1e-5 * s_hat);
                    if (s - adhesion.p).abs() < 2.0 * h {
                        continue;
                    }
                    let (first, second) = law.derivatives(s, s_hat);
                    let slope = (law.value(s + h, s_hat) - law.value(s - h, s_hat)) / (2.0 * h);
                    let bend =
                        (law.derivatives(s + h, s_hat).0 - law.derivatives(s - h, s_hat).0) / (2.0 * h);
                    assert!((slope - first).abs() < 1e-6 * law.value(0.5 * s, s_hat).abs() / s, "{k}");
                    assert!((bend - second).abs() < 1e-5 * first.abs() / s, "{k}: {bend} is not {second}");
                }
            }
        }
    }

    #[test]
    fn the_force_at_the_peak_is_the_strength() {
        for (peak, reach, dmin) in CASES {
            let adhesion = Adhesion::new(peak, reach, dmin, 100.0).unwrap();
            let law = BarrierLaw::new(adhesion, reach).unwrap().with_dmin(dmin).unwrap();
            let force = |d: f64| law.force((d + dmin) * (d + dmin));
            assert!((force(peak) + 100.0).abs() < 1e-9, "{}", force(peak));
            let (p2, at_peak) = ((peak + dmin) * (peak + dmin), law.first((peak + dmin) * (peak + dmin)));
            for k in 0..200 {
                let d = 1.1 * reach * f64::from(k) / 200.0 + dmin;
                assert!((0.0..=at_peak * (1.0 + 1e-12)).contains(&law.first(d * d)), "{d}");
            }
            assert_eq!((law.value((1.01 * reach + dmin).powi(2)), force(1.01 * reach)), (0.0, 0.0));
            // C¹ where the pieces meet.
            let jump = |f: &dyn Fn(f64) -> f64| (f(p2 * (1.0 + 1e-12)) - f(p2 * (1.0 - 1e-12))).abs();
            assert!(jump(&|d2| law.value(d2)) < 1e-10 && jump(&|d2| law.first(d2)) < 1e-7 * law.first(p2));
        }
    }

    #[test]
    fn a_steady_force_is_steady() {
        let steady = SteadyForce { force: 7.0, dmin: 0.02 };
        let law = BarrierLaw::new(steady, 0.1).unwrap().with_dmin(0.02).unwrap();
        for d in [0.02, 0.05, 0.1199] {
            let (force, slope) = law.force_and_slope(d * d);
            assert!((force - 7.0).abs() < 1e-13 && slope.abs() < 1e-11);
        }
        assert_eq!(law.force(0.13 * 0.13), 0.0);
        assert_eq!(SteadyForce { force: 1.0, dmin: 0.0 }.derivatives(0.0, 1.0), (0.0, 0.0));
    }

    #[test]
    fn bad_parameters_are_refused() {
        for (peak, reach, dmin, strength) in [
            (0.0, 1.0, 0.0, 1.0),
            (1.0, 1.0, 0.0, 1.0),
            (f64::NAN, 1.0, 0.0, 1.0),
            (0.5, f64::INFINITY, 0.0, 1.0),
            (0.5, 1.0, -1.0, 1.0),
            (0.5, 1.0, 0.0, -1.0),
            (0.5, 1.0, 0.0, f64::NAN),
        ] {
            assert!(Adhesion::new(peak, reach, dmin, strength).is_err(), "{peak} {reach} {dmin} {strength}");
        }
    }
}
