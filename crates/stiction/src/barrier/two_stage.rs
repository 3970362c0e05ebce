//! A parabola that goes over into a logarithm.

use super::Barrier;

/// ```text
/// b  = ½(ŝ − s)²      −(ŝ²/4)(ln(2s/ŝ) − ½)          [m⁴]
/// b′ = s − ŝ          −ŝ²/(4s)                       [m²]
/// b″ = 1              ŝ²/(4s²)                       [1]
///      s ≥ ŝ/2        0 < s < ŝ/2
/// ```
/// C² at `ŝ/2`, C¹ at `ŝ`: the second derivative jumps from 1 to 0 there. Infinite for `s ≤ 0`. \[Chen2025\]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TwoStage;

impl Barrier for TwoStage {
    #[inline]
    fn value(&self, s: f64, s_hat: f64) -> f64 {
        if s >= 0.5 * s_hat {
            let gap = s_hat - s;
            0.5 * gap * gap
        } else if s > 0.0 {
            -0.25 * s_hat * s_hat * ((2.0 * s / s_hat).ln() - 0.5)
        } else {
            f64::INFINITY
        }
    }

    #[inline]
    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64) {
        if s >= 0.5 * s_hat {
            (s - s_hat, 1.0)
        } else if s > 0.0 {
            let q = s_hat / s;
            (-0.25 * s_hat * q, 0.25 * q * q)
        } else {
            (f64::NEG_INFINITY, f64::INFINITY)
        }
    }

    #[inline]
    fn units(&self, s_hat: f64) -> f64 {
        s_hat * s_hat
    }
}
