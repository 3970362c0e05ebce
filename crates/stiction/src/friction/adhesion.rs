//! Tangential adhesion: friction that lets go.

use super::law::{FrictionLaw, Mu};
use super::mollifier::{f1_over_y, f1_over_y_slope};
use super::static_kinetic::SmoothMu;

/// Resistance that rises up to ε, falls again and is gone from 2ε on, as glue does.
///
/// ```text
/// g = μ(y) a₁(y)        μ(y): as SmoothMu has it
///
/// y        a₁               a₁′              ∫₀ʸ a₁
/// 0 … 2ε   (y/ε)(2 − y/ε)   2(1 − y/ε)/ε     ε (y/ε)²(1 − y/(3ε))
/// 2ε …     0                0                4ε/3
/// ```
/// `y`, `ε` and `G` in m/s. Up to ε it is [`SmoothMu`], but for the constant of `G`, which is 0 at rest here. `g′` jumps at 2ε from `−2μ_k/ε`
/// to 0. Any `μ_s, μ_k ≥ 0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TangentialAdhesion;

/// `∫₀^ε (μ − μ_k) a₁` by `(μ_s − μ_k) ε`.
const MORE_AT_REST: f64 = 11.0 / 48.0;

/// Whether adhesion has let go.
#[inline]
fn is_gone(y: f64, eps: f64) -> bool {
    y >= 2.0 * eps
}

/// `a₁(y)/y`.
#[inline]
fn a1_over_y(y: f64, eps: f64) -> f64 {
    if y < eps {
        f1_over_y(y, eps)
    } else if is_gone(y, eps) {
        0.0
    } else {
        (2.0 - y / eps) / eps
    }
}

/// `(a₁/y)′`.
#[inline]
fn a1_over_y_slope(y: f64, eps: f64) -> f64 {
    if is_gone(y, eps) { 0.0 } else { f1_over_y_slope(y.min(eps), eps) }
}

/// `∫₀ʸ a₁`, in m/s.
#[inline]
fn a0(y: f64, eps: f64) -> f64 {
    let u = (y / eps).min(2.0);
    eps * u * u * (1.0 - u / 3.0)
}

impl FrictionLaw for TangentialAdhesion {
    fn integral(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        // What static friction adds: its integral is that of the other law.
        let more = SmoothMu.integral(y, Mu { s: mu.s - mu.k, k: 0.0 }, eps);
        mu.k * a0(y, eps) + more + (mu.s - mu.k) * eps * MORE_AT_REST
    }

    fn ratio(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        SmoothMu.mu(y, mu, eps) * a1_over_y(y, eps)
    }

    fn ratio_slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        SmoothMu.mu(y, mu, eps) * a1_over_y_slope(y, eps) + SmoothMu.mu_slope(y, mu, eps) * a1_over_y(y, eps)
    }

    fn ratio_by_mu(&self, y: f64, _mu: Mu, eps: f64) -> [f64; 2] {
        // μ(y) is linear in the coefficients.
        let part = |s, k| SmoothMu.mu(y, Mu { s, k }, eps) * a1_over_y(y, eps);
        [part(1.0, 0.0), part(0.0, 1.0)]
    }

    /// That of [`SmoothMu`]: up to ε they are the same, and from there on adhesion falls.
    fn creep_bound(&self, mu: Mu, eps: f64) -> f64 {
        SmoothMu.creep_bound(mu, eps)
    }
}
