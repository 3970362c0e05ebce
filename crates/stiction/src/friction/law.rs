//! What a friction law is.

use bytemuck::Zeroable;

use crate::error::{Error, Result};

/// Friction coefficients of a contact: static and kinetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable)]
pub struct Mu {
    /// `μ_s`: the largest friction that resists the start of a slide, by normal force.
    pub s: f64,
    /// `μ_k`: friction of a slide that goes on.
    pub k: f64,
}

impl Mu {
    /// Both coefficients the same.
    pub fn same(mu: f64) -> Self {
        Self { s: mu, k: mu }
    }

    /// `factor` times both.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { s: self.s * factor, k: self.k * factor }
    }

    /// Checks that both are possible.
    ///
    /// # Errors
    /// If one of them is negative or not finite.
    pub fn check(self) -> Result<Self> {
        for (name, value) in [("mu_s", self.s), ("mu_k", self.k)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::BadParameter { name, value, must: "0 or positive, and finite" });
            }
        }
        Ok(self)
    }

    /// Like [`check`](Self::check), and that `μ_s ≥ μ_k`, as laws with a peak want it, and unless told otherwise the coefficients of contacts.
    ///
    /// # Errors
    /// If one of them is negative or not finite, or `μ_s < μ_k`.
    pub fn check_descending(self) -> Result<Self> {
        if self.check()?.s < self.k {
            let must = "at least mu_k: friction of rest is not less than that of a slide";
            return Err(Error::BadParameter { name: "mu_s", value: self.s, must });
        }
        Ok(self)
    }
}

/// Which coefficients are taken for possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MuOrder {
    /// `μ_s ≥ μ_k`, as the law with a peak wants it.
    #[default]
    Descending,
    /// Any two, as the other laws take them.
    Any,
}

impl MuOrder {
    /// Checks that coefficients are possible.
    ///
    /// # Errors
    /// If one of them is negative or not finite, or the order is not this.
    pub fn check(self, mu: Mu) -> Result<Mu> {
        match self {
            Self::Descending => mu.check_descending(),
            Self::Any => mu.check(),
        }
    }

    /// Whether the coefficients are in this order.
    #[inline]
    pub fn allows(self, mu: Mu) -> bool {
        self == Self::Any || mu.s >= mu.k
    }
}

impl From<f64> for Mu {
    fn from(mu: f64) -> Self {
        Self::same(mu)
    }
}

/// Friction by normal force, `g(y)`, as a function of the speed `y ≥ 0` of the slide.
///
/// ```text
/// friction force  F = −λ g(|v|) v/|v|        potential  λ ĥ G(|v|) ,  G′ = g
/// g(0) = 0        g/y and (g′y − g)/y² = (g/y)′ finite for all y ≥ 0
/// ```
/// `y` and `ε` in m/s, `ε > 0`: below ε a slide counts as sticking. `g` has no unit, `G` that of `y`. Laws are total: for any
/// `μ_s, μ_k ≥ 0` they return numbers. `G` may have any additive constant; `g` should be C¹. \[Li2020\]
pub trait FrictionLaw: Copy + std::fmt::Debug + Send + Sync {
    /// `G(y)`, in m/s.
    fn integral(&self, y: f64, mu: Mu, eps: f64) -> f64;

    /// `g(y)/y`, in s/m; also at `y = 0`.
    fn ratio(&self, y: f64, mu: Mu, eps: f64) -> f64;

    /// `(g′y − g)/y²`, the derivative of `g/y`, in s²/m²; also at `y = 0`.
    fn ratio_slope(&self, y: f64, mu: Mu, eps: f64) -> f64;

    /// Derivatives of `g(y)/y` by `μ_s` and by `μ_k`, in s/m.
    fn ratio_by_mu(&self, y: f64, mu: Mu, eps: f64) -> [f64; 2];

    /// The speed, in m/s, that a slide from rest never reaches as long as its load is below the friction there: where `g` has its
    /// first maximum, or first reaches `μ_s`.
    ///
    /// A contact that holds creeps, as every smoothed law does, but slower than this.
    fn creep_bound(&self, mu: Mu, eps: f64) -> f64;

    /// Checks that the law means something for these coefficients: both at least 0 and finite, unless a law asks for more.
    ///
    /// # Errors
    /// If they are impossible.
    fn check(&self, mu: Mu) -> Result<Mu> {
        mu.check()
    }

    /// `g(y)`.
    #[inline]
    fn value(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        self.ratio(y, mu, eps) * y
    }

    /// `g′(y)`, in s/m.
    #[inline]
    fn slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        self.ratio(y, mu, eps) + self.ratio_slope(y, mu, eps) * y
    }
}

#[cfg(test)]
mod tests;
