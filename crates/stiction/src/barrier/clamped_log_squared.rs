//! The clamped logarithm, squared.

use super::Barrier;

/// ```text
/// b  = (s − ŝ)² L²                              L = ln(s/ŝ) ,  0 < s < ŝ          [m⁴]
/// b′ = 2(s − ŝ) L (L + (s − ŝ)/s)                                                 [m²]
/// b″ = 2(L² + (1 − L)(ŝ − s)²/s² − 4L(ŝ − s)/s)                                   [1]
/// ```
/// C³ at `ŝ`. Infinite for `s ≤ 0`. \[Huang2024\]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClampedLogSquared;

impl Barrier for ClampedLogSquared {
    #[inline]
    fn value(&self, s: f64, s_hat: f64) -> f64 {
        if s <= 0.0 {
            return f64::INFINITY;
        }
        let root = (s - s_hat) * (s / s_hat).ln();
        root * root
    }

    #[inline]
    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64) {
        if s <= 0.0 {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        let (log, gap) = ((s / s_hat).ln(), s_hat - s);
        let relative = gap / s;
        let first = -2.0 * gap * log * (log - relative);
        (first, 2.0 * (log * log + (1.0 - log) * relative * relative - 4.0 * log * relative))
    }

    #[inline]
    fn units(&self, s_hat: f64) -> f64 {
        s_hat * s_hat
    }
}
