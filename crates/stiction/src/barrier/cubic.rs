//! The cubic.

use super::Barrier;

/// ```text
/// b  = ⅔ (ŝ − s)³/ŝ             s < ŝ          [m⁴]
/// b′ = −2 (ŝ − s)²/ŝ                           [m²]
/// b″ = 4 (1 − s/ŝ)                             [1]
/// ```
/// C² at `ŝ`. Finite at contact: it alone does not keep primitives apart, it is made for a stiffness that grows as
/// they approach, see [`stiffness`](super::stiffness). \[Ando2024\]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cubic;

impl Barrier for Cubic {
    #[inline]
    fn value(&self, s: f64, s_hat: f64) -> f64 {
        let gap = s_hat - s;
        2.0 / 3.0 * gap * gap * gap / s_hat
    }

    #[inline]
    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64) {
        let gap = s_hat - s;
        let relative = gap / s_hat;
        (-2.0 * gap * relative, 4.0 * relative)
    }

    #[inline]
    fn units(&self, s_hat: f64) -> f64 {
        s_hat * s_hat
    }

    #[inline]
    fn is_interior(&self) -> bool {
        false
    }
}
