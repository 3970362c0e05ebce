//! Friction laws by name.

use super::law::{FrictionLaw, Mu};
use super::peak::Peak;

/// The choice of a friction law.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum FrictionKind {
    /// [`Peak`].
    #[default]
    Peak,
}

impl FrictionLaw for FrictionKind {
    #[inline]
    fn integral(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        Peak.integral(y, mu, eps)
    }

    #[inline]
    fn ratio(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        Peak.ratio(y, mu, eps)
    }

    #[inline]
    fn ratio_slope(&self, y: f64, mu: Mu, eps: f64) -> f64 {
        Peak.ratio_slope(y, mu, eps)
    }

    fn ratio_by_mu(&self, y: f64, mu: Mu, eps: f64) -> [f64; 2] {
        Peak.ratio_by_mu(y, mu, eps)
    }

    fn creep_bound(&self, mu: Mu, eps: f64) -> f64 {
        Peak.creep_bound(mu, eps)
    }
}
