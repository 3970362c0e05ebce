//! The product of a line and a logarithm.

use super::Barrier;

/// ```text
/// b  = ½(q − 1) ln q            q = s/ŝ ,  0 < s < ŝ          [1]
/// b′ = ½(ln q + 1 − 1/q)/ŝ                                    [1/m²]
/// b″ = ½(1/q + 1/q²)/ŝ²                                       [1/m⁴]
/// ```
/// C¹ at `ŝ`: the second derivative jumps there. Infinite for `s ≤ 0`. \[Li2024\]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinearLogSquared;

impl Barrier for LinearLogSquared {
    #[inline]
    fn value(&self, s: f64, s_hat: f64) -> f64 {
        if s <= 0.0 {
            return f64::INFINITY;
        }
        0.5 * (s - s_hat) / s_hat * (s / s_hat).ln()
    }

    #[inline]
    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64) {
        if s <= 0.0 {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        let inverse = s_hat / s;
        let first = 0.5 * ((s - s_hat) / s - inverse.ln()) / s_hat;
        (first, 0.5 * inverse * (1.0 + inverse) / (s_hat * s_hat))
    }

    #[inline]
    fn units(&self, _s_hat: f64) -> f64 {
        1.0
    }
}

/// ```text
/// b  = ½(p − 1) ln p            p = √(s/ŝ) ,  0 < s < ŝ          [1]
/// b′ = ¼(ln p + 1 − 1/p)/(p ŝ)                                   [1/m²]
/// b″ = ⅛(2/p − ln p)/(p³ ŝ²)                                     [1/m⁴]
/// ```
/// Without a minimum distance `p = d/d̂`. C¹ at `ŝ`: the second derivative jumps there. Infinite for `s ≤ 0`. \[Li2024\]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinearLog;

impl Barrier for LinearLog {
    #[inline]
    fn value(&self, s: f64, s_hat: f64) -> f64 {
        if s <= 0.0 {
            return f64::INFINITY;
        }
        let p = (s / s_hat).sqrt();
        0.5 * (p - 1.0) * p.ln()
    }

    #[inline]
    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64) {
        if s <= 0.0 {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        let p = (s / s_hat).sqrt();
        let (log, inverse) = (p.ln(), 1.0 / p);
        let first = 0.25 * (log + 1.0 - inverse) * inverse / s_hat;
        let second = 0.125 * (2.0 * inverse - log) * inverse.powi(3) / (s_hat * s_hat);
        (first, second)
    }

    #[inline]
    fn units(&self, _s_hat: f64) -> f64 {
        1.0
    }
}
