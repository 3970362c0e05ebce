//! The clamped logarithm.

use super::Barrier;

/// The barrier of incremental potential contact.
///
/// ```text
/// b  = −(s − ŝ)² ln(s/ŝ)                        0 < s < ŝ          [m⁴]
/// b′ = (ŝ − s)(2 ln(s/ŝ) − ŝ/s + 1)                                [m²]
/// b″ = (ŝ/s + 2) ŝ/s − 2 ln(s/ŝ) − 3                               [1]
/// ```
/// C² at `ŝ`. Infinite for `s ≤ 0`, with `b′ = −∞` and `b″ = ∞`. \[Li2020\]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClampedLog;

impl Barrier for ClampedLog {
    #[inline]
    fn value(&self, s: f64, s_hat: f64) -> f64 {
        if s <= 0.0 {
            return f64::INFINITY;
        }
        let gap = s - s_hat;
        -gap * gap * (s / s_hat).ln()
    }

    #[inline]
    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64) {
        if s <= 0.0 {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        let q = s_hat / s;
        let log = q.ln();
        ((s_hat - s) * (1.0 - 2.0 * log - q), (q + 2.0) * q + 2.0 * log - 3.0)
    }

    #[inline]
    fn units(&self, s_hat: f64) -> f64 {
        s_hat * s_hat
    }
}
