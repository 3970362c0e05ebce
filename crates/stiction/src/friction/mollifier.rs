//! The smoothed step from stick to slip.
//!
//! ```text
//! f₀(y) = −y³/(3ε²) + y²/ε + ε/3      f₁(y) = f₀′ = −y²/ε² + 2y/ε      0 ≤ y < ε
//! f₀(y) = y                           f₁(y) = 1                        y ≥ ε
//! ```
//! `y` and `ε` in the same unit, m or m/s; `f₀` in that unit, `f₁` without. f₀ is C², convex and ascending.
//! Everything is finite for `0 ≤ y`, also what is divided by `y` at `y = 0`. `ε` must be positive: for `ε = 0` nothing is
//! defined at rest. \[Li2020\]

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

/// `f₂(y) = f₁′(y)`: continuous, with a corner at `y = ε`.
#[inline]
pub fn f2(y: f64, eps: f64) -> f64 {
    if y >= eps { 0.0 } else { 2.0 * ((eps - y) / eps) / eps }
}

/// `f₁(y)/y`, finite also at `y = 0`.
#[inline]
pub fn f1_over_y(y: f64, eps: f64) -> f64 {
    if y >= eps { 1.0 / y } else { (2.0 - y / eps) / eps }
}

/// `(f₁/y)′ = (f₂ y − f₁)/y²`: −1/ε² up to ε, then −1/y². By another `y` it is `(f₂ y − f₁)/y³`.
#[inline]
pub fn f1_over_y_slope(y: f64, eps: f64) -> f64 {
    let larger = if y >= eps { y } else { eps };
    -1.0 / (larger * larger)
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
                assert!((f1_over_y(y, eps) * y - f1(y, eps)).abs() < 1e-15);
                let exact = (f2(y, eps) * y - f1(y, eps)) / (y * y);
                assert!((f1_over_y_slope(y, eps) / exact - 1.0).abs() < 1e-13);
                // At y = ε f₂ and (f₁/y)′ have a corner: a difference sees half of it.
                if k != 40 {
                    let slope = (f1(y + h, eps) - f1(y - h, eps)) / (2.0 * h);
                    assert!((slope - f2(y, eps)).abs() < 1e-9 / eps);
                    let slope = (f1_over_y(y + h, eps) - f1_over_y(y - h, eps)) / (2.0 * h);
                    assert!((slope - f1_over_y_slope(y, eps)).abs() < 1e-9 / (eps * eps));
                }
            }
        }
    }

    #[test]
    fn at_rest_all_is_exact() {
        let eps = 1.0 / 1024.0;
        assert_eq!(f0(0.0, eps), eps / 3.0);
        assert_eq!(f1(0.0, eps), 0.0);
        assert_eq!(f2(0.0, eps), 2048.0);
        assert_eq!(f1_over_y(0.0, eps), 2048.0);
        assert_eq!(f1_over_y_slope(0.0, eps), -1024.0 * 1024.0);
    }

    #[test]
    fn both_pieces_meet() {
        for eps in [1e-5, 1e-3, 0.3] {
            let below = eps * (1.0 - f64::EPSILON / 2.0);
            assert!((f0(below, eps) - eps).abs() < 4e-16 * eps);
            assert!((f1(below, eps) - 1.0).abs() < 4e-16);
            assert!(f2(below, eps) * eps < 1e-15);
            assert!((f1_over_y(below, eps) * eps - 1.0).abs() < 4e-16);
            assert!((f1_over_y_slope(below, eps) * eps * eps + 1.0).abs() < 4e-16);
        }
    }
}
