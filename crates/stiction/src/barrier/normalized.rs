//! The clamped logarithm without units.

use super::{Barrier, ClampedLog};

/// ```text
/// b  = −(q − 1)² ln q           q = s/ŝ ,  0 < s < ŝ          [1]
/// b′ = (1 − q)(2 ln q − 1/q + 1)/ŝ                            [1/m²]
/// b″ = ((1/q + 2)/q − 2 ln q − 3)/ŝ²                          [1/m⁴]
/// ```
/// [`ClampedLog`] divided by `ŝ²`: its size does not depend on `d̂`. \[Li2023\]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NormalizedClampedLog;

impl Barrier for NormalizedClampedLog {
    #[inline]
    fn value(&self, s: f64, s_hat: f64) -> f64 {
        ClampedLog.value(s, s_hat) / (s_hat * s_hat)
    }

    #[inline]
    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64) {
        let (b1, b2) = ClampedLog.derivatives(s, s_hat);
        let scale = 1.0 / (s_hat * s_hat);
        (b1 * scale, b2 * scale)
    }

    #[inline]
    fn units(&self, _s_hat: f64) -> f64 {
        1.0
    }
}
