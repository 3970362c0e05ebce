//! Static and kinetic friction that reaches `μ_s` exactly.

use super::law::{FrictionLaw, Mu};
use super::mollifier::{f0, f1_over_y};

/// Two parabolas: up to `μ_s`, then down to `μ_k`; `μ f₁` where both are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peak;

impl FrictionLaw for Peak {
    #[inline]
    fn integral(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        mu.k * f0(y, eps)
    }

    #[inline]
    fn ratio(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        mu.k * f1_over_y(y, eps)
    }

    #[inline]
    fn ratio_slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        if y >= eps { -mu.k / (y * y) } else { -mu.k / (eps * eps) }
    }

    fn ratio_by_mu(&self, y: f64, _mu: Mu, eps: f64) -> [f64; 2] {
        [0.0, f1_over_y(y, eps)]
    }

    fn creep_bound(&self, _mu: Mu, eps: f64) -> f64 {
        eps
    }
}
