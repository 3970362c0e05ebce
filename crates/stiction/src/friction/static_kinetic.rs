//! Static and kinetic friction by a coefficient that depends on the speed.

use super::law::{FrictionLaw, Mu};
use super::mollifier::{f0, f1, f1_over_y, f1_over_y_slope, f2};

/// The mollifier with a coefficient that falls smoothly from `μ_s` to `μ_k`.
///
/// ```text
/// g = μ(y) f₁(y)       Δ = μ_s − μ_k ,  z = 1 − y/ε
///
/// y           μ(y)               μ′(y)         G
/// 0 … ε/2     μ_s − 2Δ (y/ε)²    −4Δ y/ε²      μ_k f₀ + Δ ε ((y/ε)²(1 − y/(3ε) − (y/ε)² + ⅖(y/ε)³) − 11/48)
/// ε/2 … ε     μ_k + 2Δ z²        −4Δ z/ε       μ_k f₀ − Δ ε z³(⅔ − ⅖z²)
/// ε …         μ_k                0             μ_k f₀
/// ```
/// `y`, `ε` and `G` in m/s. Here for comparison with other codes, which have this law: `g` is C¹, but f₁ is still small where μ(y) is
/// large, so `max g` stays below `μ_s`: it is `μ_k` up to `μ_s = 1.5 μ_k`, and 0.61 … 0.44 `μ_s` beyond. A slope that static friction should
/// hold may slide: [`Peak`](super::Peak) does not have that. Any `μ_s, μ_k ≥ 0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmoothMu;

/// Newton steps to the peak: it converges from one side, and faster than it must.
const STEPS: usize = 8;

impl SmoothMu {
    /// `μ(y)`.
    #[inline]
    pub fn mu(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        let u = y / eps;
        if y >= eps {
            mu.k
        } else if u <= 0.5 {
            mu.s - 2.0 * (mu.s - mu.k) * (u * u)
        } else {
            let z = (eps - y) / eps;
            mu.k + 2.0 * (mu.s - mu.k) * (z * z)
        }
    }

    /// `μ′(y)`, in s/m.
    #[inline]
    pub fn mu_slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        if y >= eps { 0.0 } else { -4.0 * (mu.s - mu.k) * (y.min(eps - y) / eps) / eps }
    }

    /// Where `g` has its maximum, by ε, if it has it below `ε/2`: the root of
    /// ```text
    /// μ_s(1 − z) − 6Δz² + 4Δz³ = 0        0 < z < ½
    /// ```
    /// which falls and is concave, so that Newton's method comes from ½ without passing it.
    fn early_peak(mu: Mu) -> f64 {
        let delta = mu.s - mu.k;
        let mut z = 0.5;
        for _ in 0..STEPS {
            let value = mu.s * (1.0 - z) - delta * z * z * (6.0 - 4.0 * z);
            z += value / (mu.s + 12.0 * delta * z * (1.0 - z));
        }
        z
    }
}

impl FrictionLaw for SmoothMu {
    fn integral(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        let (u, z, delta) = (y / eps, (eps - y) / eps, mu.s - mu.k);
        let more = if y >= eps {
            0.0
        } else if u <= 0.5 {
            u * u * (1.0 - u * (1.0 / 3.0 + u * (1.0 - 0.4 * u))) - 11.0 / 48.0
        } else {
            -z * z * z * (2.0 / 3.0 - 0.4 * z * z)
        };
        mu.k * f0(y, eps) + delta * eps * more
    }

    fn ratio(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        self.mu(y, mu, eps) * f1_over_y(y, eps)
    }

    fn ratio_slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        self.mu(y, mu, eps) * f1_over_y_slope(y, eps) + self.mu_slope(y, mu, eps) * f1_over_y(y, eps)
    }

    fn value(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        self.mu(y, mu, eps) * f1(y, eps)
    }

    fn slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        self.mu(y, mu, eps) * f2(y, eps) + self.mu_slope(y, mu, eps) * f1(y, eps)
    }

    fn ratio_by_mu(&self, y: f64, _mu: Mu, eps: f64) -> [f64; 2] {
        // μ(y) is linear in the coefficients.
        let part = |s, k| self.mu(y, Mu { s, k }, eps) * f1_over_y(y, eps);
        [part(1.0, 0.0), part(0.0, 1.0)]
    }

    /// ```text
    /// ε                              Δ ≤ μ_k/2
    /// ε(1 − √((2Δ − μ_k)/(4Δ)))      μ_k/2 < Δ ≤ μ_k
    /// ```
    /// and below ε/2 for larger Δ.
    fn creep_bound(&self, mu: Mu, eps: f64) -> f64 {
        let delta = mu.s - mu.k;
        if delta <= 0.5 * mu.k {
            eps
        } else if delta <= mu.k {
            eps * (1.0 - ((2.0 * delta - mu.k) / (4.0 * delta)).sqrt())
        } else {
            eps * Self::early_peak(mu)
        }
    }
}
