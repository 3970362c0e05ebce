//! Friction that falls with the speed, and viscous friction.

use super::law::{FrictionLaw, Mu};
use super::mollifier::{f0, f1, f1_over_y, f1_over_y_slope, f2};
use crate::error::{Error, Result};

/// Static friction that gives way to kinetic friction over a range of speeds, and a viscous part.
///
/// ```text
/// s = (y − ε)/v_S ,  k = 1/(1 + s²) ,  Δ = μ_s − μ_k
///
/// y        g                   g′                     G
/// 0 … ε    μ_s f₁ + c y        μ_s f₂ + c             μ_s f₀ + ½ c y²
/// ε …      μ_k + Δ k + c y     −2Δ s k²/v_S + c       μ_s ε + μ_k(y − ε) + Δ v_S atan s + ½ c y²
/// ```
/// `y`, `ε`, `v_S` and `G` in m/s, `c` in s/m: friction by normal force that each m/s adds. `g` is C¹; without viscous part its maximum is
/// `μ_s`, at ε. For `v_S` much larger than ε it falls gently, where [`Peak`](super::Peak) falls within ε. Any `μ_s, μ_k ≥ 0`.
/// \[Hess1990\]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stribeck {
    speed: f64,
    viscous: f64,
}

impl Stribeck {
    /// Half of the way from `μ_s` to `μ_k` is gone at `speed` (`v_S`, in m/s) beyond ε; `viscous` (`c`, in s/m) may be 0.
    ///
    /// # Errors
    /// If `speed` is not positive and finite or `viscous` is negative or not finite.
    pub fn new(speed: f64, viscous: f64) -> Result<Self> {
        if !(speed > 0.0 && speed.is_finite()) {
            let must = "positive and finite, a speed in m/s";
            return Err(Error::BadParameter { name: "stribeck speed", value: speed, must });
        }
        if !(viscous >= 0.0 && viscous.is_finite()) {
            let must = "0 or positive, and finite, in s/m";
            return Err(Error::BadParameter { name: "stribeck viscous", value: viscous, must });
        }
        Ok(Self { speed, viscous })
    }

    /// `v_S` in m/s.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// `c` in s/m.
    pub fn viscous(&self) -> f64 {
        self.viscous
    }

    /// `s`.
    fn beyond(&self, y: f64, eps: f64) -> f64 {
        (y - eps) / self.speed
    }

    /// `g − c y`.
    fn dry(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        if y <= eps { mu.s * f1(y, eps) } else { mu.k + (mu.s - mu.k) * fallen(self.beyond(y, eps)) }
    }

    /// `g′ − c`.
    fn dry_slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        if y <= eps {
            return mu.s * f2(y, eps);
        }
        let s = self.beyond(y, eps);
        // s k, also where s² overflows.
        let sk = 1.0 / (s + 1.0 / s);
        -2.0 * (mu.s - mu.k) * sk * fallen(s) / self.speed
    }
}

/// `k(s)`.
fn fallen(s: f64) -> f64 {
    1.0 / (1.0 + s * s)
}

impl FrictionLaw for Stribeck {
    fn integral(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        let dry = if y <= eps {
            mu.s * f0(y, eps)
        } else {
            let fall = (mu.s - mu.k) * self.speed * self.beyond(y, eps).atan();
            mu.s * eps + mu.k * (y - eps) + fall
        };
        dry + 0.5 * self.viscous * y * y
    }

    fn ratio(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        let dry = if y <= eps { mu.s * f1_over_y(y, eps) } else { self.dry(y, mu, eps) / y };
        dry + self.viscous
    }

    fn ratio_slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        if y <= eps {
            mu.s * f1_over_y_slope(y, eps)
        } else {
            (self.dry_slope(y, mu, eps) - self.dry(y, mu, eps) / y) / y
        }
    }

    fn value(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        self.dry(y, mu, eps) + self.viscous * y
    }

    fn slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        self.dry_slope(y, mu, eps) + self.viscous
    }

    fn ratio_by_mu(&self, y: f64, _mu: Mu, eps: f64) -> [f64; 2] {
        if y <= eps {
            return [f1_over_y(y, eps), 0.0];
        }
        let k = fallen(self.beyond(y, eps));
        [k / y, (1.0 - k) / y]
    }

    /// `ε`, where `g` is `μ_s` and what viscosity adds.
    fn creep_bound(&self, _mu: Mu, eps: f64) -> f64 {
        eps
    }
}
