//! The smoothed step from stick to slip.
//!
//! ```text
//! f₀(y) = −y³/(3ε²) + y²/ε + ε/3      f₁(y) = f₀′ = −y²/ε² + 2y/ε      0 ≤ y < ε
//! f₀(y) = y                           f₁(y) = 1                        y ≥ ε
//! ```
//! `y` and `ε` in the same unit, m or m/s; `f₀` in that unit, `f₁` without. f₀ is C², convex and ascending.
//! `ε` must be positive: for `ε = 0` nothing is defined at rest. \[Li2020\]

/// `f₀(y)`.
#[inline]
pub fn f0(y: f64, eps: f64) -> f64 {
    if y >= eps { y } else { y * y / eps * (1.0 - y / (3.0 * eps)) + eps / 3.0 }
}

/// `f₁(y) = f₀′(y)`.
#[inline]
pub fn f1(y: f64, eps: f64) -> f64 {
    if y >= eps { 1.0 } else { y / eps * (2.0 - y / eps) }
}

/// `f₁(y)/y`, finite also at `y = 0`.
#[inline]
pub fn f1_over_y(y: f64, eps: f64) -> f64 {
    if y >= eps { 1.0 / y } else { (2.0 - y / eps) / eps }
}

/// `f₂(y) = f₁′(y)`.
#[inline]
pub fn f2(y: f64, eps: f64) -> f64 {
    if y >= eps { 0.0 } else { 2.0 * (1.0 - y / eps) / eps }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_match_differences() {
        for eps in [1e-5, 1e-3, 2.0] {
            for k in 1..60 {
                let y = eps * f64::from(k) / 40.0;
                let h = eps * 1e-5;
                assert!(((f0(y + h, eps) - f0(y - h, eps)) / (2.0 * h) - f1(y, eps)).abs() < 1e-9);
                let slope = (f1(y + h, eps) - f1(y - h, eps)) / (2.0 * h);
                // At y = ε the slope has a corner: a difference sees half of it.
                if k != 40 {
                    assert!((slope - f2(y, eps)).abs() < 1e-9 / eps);
                }
                assert!((f1_over_y(y, eps) * y - f1(y, eps)).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn nothing_is_infinite_at_rest() {
        assert_eq!(f1(0.0, 1e-3), 0.0);
        assert_eq!(f1_over_y(0.0, 1e-3), 2000.0);
    }
}
