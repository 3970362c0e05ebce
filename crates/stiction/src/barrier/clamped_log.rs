//! The clamped logarithm.

use crate::error::{Error, Result};

/// The barrier of incremental potential contact, as a function of the squared distance `s = d²` in m².
///
/// ```text
/// b(s)  = −(s − ŝ)² ln(s/ŝ)                     ŝ = d̂² ,  0 < s < ŝ          [m⁴]
/// b′(s) = (ŝ − s)(2 ln(s/ŝ) − ŝ/s + 1)                                       [m²]
/// b″(s) = (ŝ/s + 2) ŝ/s − 2 ln(s/ŝ) − 3                                      [1]
/// ```
/// Zero for `s ≥ ŝ`, C² there. Infinite for `s ≤ 0`, with `b′ = −∞` and `b″ = ∞`. \[Li2020\]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClampedLog {
    dhat: f64,
    dhat2: f64,
}

impl ClampedLog {
    /// A barrier that acts below the distance `dhat`, in m.
    ///
    /// # Errors
    /// If `dhat` is not positive and finite.
    pub fn new(dhat: f64) -> Result<Self> {
        if dhat > 0.0 && dhat.is_finite() {
            Ok(Self { dhat, dhat2: dhat * dhat })
        } else {
            Err(Error::BadParameter { name: "dhat", value: dhat, must: "a positive length" })
        }
    }

    /// `d̂` in m.
    pub fn dhat(&self) -> f64 {
        self.dhat
    }

    /// `b(s)`.
    #[inline]
    pub fn value(&self, s: f64) -> f64 {
        if s >= self.dhat2 {
            0.0
        } else if s > 0.0 {
            let gap = s - self.dhat2;
            -gap * gap * (s / self.dhat2).ln()
        } else {
            f64::INFINITY
        }
    }

    /// `b′(s)`.
    #[inline]
    pub fn first(&self, s: f64) -> f64 {
        self.derivatives(s).0
    }

    /// `b″(s)`.
    #[inline]
    pub fn second(&self, s: f64) -> f64 {
        self.derivatives(s).1
    }

    /// `b′(s)` and `b″(s)`, for the price of one logarithm.
    #[inline]
    pub fn derivatives(&self, s: f64) -> (f64, f64) {
        if s >= self.dhat2 {
            (0.0, 0.0)
        } else if s > 0.0 {
            let q = self.dhat2 / s;
            let log = q.ln();
            ((self.dhat2 - s) * (1.0 - 2.0 * log - q), (q + 2.0) * q + 2.0 * log - 3.0)
        } else {
            (f64::NEG_INFINITY, f64::INFINITY)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_match_differences() {
        let barrier = ClampedLog::new(0.1).unwrap();
        for k in 1..100 {
            let s = 0.01 * f64::from(k) / 100.0;
            let h = s * 1e-5;
            let slope = (barrier.value(s + h) - barrier.value(s - h)) / (2.0 * h);
            let bend = (barrier.first(s + h) - barrier.first(s - h)) / (2.0 * h);
            assert!((slope - barrier.first(s)).abs() < 1e-7 * barrier.first(s).abs() + 1e-10);
            assert!((bend - barrier.second(s)).abs() < 1e-7 * barrier.second(s).abs() + 1e-9);
        }
    }

    #[test]
    fn vanishes_at_the_edge_and_diverges_at_contact() {
        let barrier = ClampedLog::new(0.5).unwrap();
        assert_eq!((barrier.value(0.25), barrier.first(0.25), barrier.second(0.25)), (0.0, 0.0, 0.0));
        assert!(barrier.second(0.25 * (1.0 - 1e-9)) < 1e-7);
        assert_eq!(barrier.value(0.0), f64::INFINITY);
        assert!(ClampedLog::new(-1.0).is_err() && ClampedLog::new(f64::NAN).is_err());
    }
}
