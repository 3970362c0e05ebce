//! Static and kinetic friction that reaches `μ_s` exactly.

use super::law::{FrictionLaw, Mu};
use super::mollifier::{f0, f1, f1_over_y, f1_over_y_slope, f2};
use crate::error::Result;

/// Two parabolas, up to `μ_s` at `p` and down to `μ_k` at `ε`; `μ f₁` where both coefficients are the same.
///
/// ```text
/// q = √(2(μ_s − μ_k)/μ_s) ,  p = ε/(1 + q) ,  m = (p + ε)/2 ,  w = (ε − y)/p
///
/// y          g                    g′                    G                                            (g/y)′
/// 0 … m      μ_s (y/p)(2 − y/p)   (2μ_s/p)(1 − y/p)     μ_s(y²/p − y³/(3p²) + p/3) − (μ_s − μ_k)m    −μ_s/p²
/// m … ε      μ_k + μ_s w²         −2μ_s w/p             μ_k y − μ_s w² (ε − y)/3                     −(μ_k + μ_s(ε² − y²)/p²)/y²
/// ε …        μ_k                  0                     μ_k y                                        −μ_k/y²
/// ```
/// `y`, `ε`, `p`, `m` and `G` in m/s. `g` is C¹, `max g = g(p) = μ_s`, and |g″| is the same in both parabolas. Under a load `φμ_s` by
/// normal force, φ < 1, a slide creeps at `p(1 − √(1 − φ))`. `G(0)` may be negative: a constant that no force sees.
///
/// Where `μ_s = μ_k` everything has the bits of `μ f₀`, `μ f₁`. `μ_s < μ_k` has no peak to reach and counts as `μ_s = μ_k`;
/// [`check`](FrictionLaw::check) refuses it.
///
/// By the coefficients `g` is as smooth as `q` is, a root: with `1/q` the derivatives grow beyond bounds as `μ_s` comes down to
/// `μ_k` (for `y < ε`). At `μ_s = μ_k` the derivative towards larger `μ_s` is infinite; what is returned
/// there is `(0, f₁/y)`, finite: the derivative of the law as it is where `μ_s` does not exceed `μ_k`. Its sum is right along
/// `μ_s = μ_k`, for calibrating one coefficient; to calibrate both, start with `μ_s > μ_k`. \[Li2020\]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peak;

/// The two parabolas, for `μ_s > μ_k` and `y < ε`.
struct Parabolas {
    mu: Mu,
    eps: f64,
    q: f64,
    p: f64,
    m: f64,
}

impl Parabolas {
    #[inline]
    fn new(mu: Mu, eps: f64) -> Self {
        // The difference is exact where the two are close, as 1 − μ_k/μ_s would not be.
        let q = (2.0 * (mu.s - mu.k) / mu.s).sqrt();
        let p = eps / (1.0 + q);
        Self { mu, eps, q, p, m: 0.5 * (p + eps) }
    }

    fn integral(&self, y: f64) -> f64 {
        let Self { mu, p, m, .. } = *self;
        if y <= m {
            mu.s * (y * y / p * (1.0 - y / (3.0 * p)) + p / 3.0) - (mu.s - mu.k) * m
        } else {
            mu.k * y - mu.s * self.w2(y) * (self.eps - y) / 3.0
        }
    }

    fn value(&self, y: f64) -> f64 {
        if y <= self.m {
            let t = y / self.p;
            self.mu.s * (t * (2.0 - t))
        } else {
            self.mu.k + self.mu.s * self.w2(y)
        }
    }

    fn slope(&self, y: f64) -> f64 {
        let from_end = if y <= self.m { self.p - y } else { y - self.eps };
        2.0 * self.mu.s * from_end / (self.p * self.p)
    }

    fn ratio(&self, y: f64) -> f64 {
        if y <= self.m { self.mu.s * ((2.0 - y / self.p) / self.p) } else { self.value(y) / y }
    }

    fn ratio_slope(&self, y: f64) -> f64 {
        let Self { mu, eps, p, m, .. } = *self;
        if y <= m { -mu.s / (p * p) } else { -(mu.k + mu.s * ((eps - y) / p * ((eps + y) / p))) / (y * y) }
    }

    /// ```text
    /// ∂p/∂μ_s = −(μ_k/μ_s) ∂p/∂μ_k        ∂p/∂μ_k = p²/(ε q μ_s)
    /// ∂(g/y)/∂p = −2μ_s (1 − y/p)/p²      y ≤ m
    /// ∂(g/y)/∂p = −2μ_s w²/(p y)          y > m
    /// ```
    fn ratio_by_mu(&self, y: f64) -> [f64; 2] {
        let Self { mu, eps, q, p, m } = *self;
        // μ_s ∂(g/y)/∂p ∂p/∂μ_k, and what the coefficients do with p held.
        let (by_p, by_s, by_k) = if y <= m {
            (-2.0 * (1.0 - y / p), (2.0 - y / p) / p, 0.0)
        } else {
            let w2 = self.w2(y);
            (-2.0 * w2 * p / y, w2 / y, 1.0 / y)
        };
        let through_p = by_p / (eps * q);
        [by_s - through_p * mu.k / mu.s, by_k + through_p]
    }

    /// `((ε − y)/p)²`.
    fn w2(&self, y: f64) -> f64 {
        let w = (self.eps - y) / self.p;
        w * w
    }
}

impl Peak {
    /// Whether there are no parabolas to look at: a slide beyond `ε`, or one coefficient.
    #[inline]
    fn is_plain(y: f64, mu: Mu, eps: f64) -> bool {
        y >= eps || mu.s <= mu.k
    }

    /// `p(1 − √(1 − φ))`: the speed in m/s at which a slide creeps under the tangential load `load` by normal force; infinite if
    /// friction at rest does not hold it.
    ///
    /// ```text
    /// φ = load/μ_s
    /// ```
    pub fn creep(&self, load: f64, mu: Mu, eps: f64) -> f64 {
        if load == 0.0 {
            return 0.0;
        }
        let left = 1.0 - load / mu.s.max(mu.k);
        if left >= 0.0 { self.creep_bound(mu, eps) * (1.0 - left.sqrt()) } else { f64::INFINITY }
    }
}

/// Without parabolas, no root is taken.
impl FrictionLaw for Peak {
    #[inline]
    fn integral(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        if Self::is_plain(y, mu, eps) { mu.k * f0(y, eps) } else { Parabolas::new(mu, eps).integral(y) }
    }

    #[inline]
    fn ratio(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        if Self::is_plain(y, mu, eps) { mu.k * f1_over_y(y, eps) } else { Parabolas::new(mu, eps).ratio(y) }
    }

    #[inline]
    fn ratio_slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        if Self::is_plain(y, mu, eps) {
            mu.k * f1_over_y_slope(y, eps)
        } else {
            Parabolas::new(mu, eps).ratio_slope(y)
        }
    }

    #[inline]
    fn value(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        if Self::is_plain(y, mu, eps) { mu.k * f1(y, eps) } else { Parabolas::new(mu, eps).value(y) }
    }

    #[inline]
    fn slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        if Self::is_plain(y, mu, eps) { mu.k * f2(y, eps) } else { Parabolas::new(mu, eps).slope(y) }
    }

    fn ratio_by_mu(&self, y: f64, mu: Mu, eps: f64) -> [f64; 2] {
        if Self::is_plain(y, mu, eps) {
            [0.0, f1_over_y(y, eps)]
        } else {
            Parabolas::new(mu, eps).ratio_by_mu(y)
        }
    }

    /// `p`.
    fn creep_bound(&self, mu: Mu, eps: f64) -> f64 {
        if mu.s <= mu.k { eps } else { Parabolas::new(mu, eps).p }
    }

    /// Also `μ_s ≥ μ_k`.
    fn check(&self, mu: Mu) -> Result<Mu> {
        mu.check_descending()
    }
}
