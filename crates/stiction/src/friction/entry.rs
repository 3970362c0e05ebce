//! Friction between two surfaces.

use super::anisotropy::{Anisotropy, Axes};
use super::law::{Mu, MuOrder};
use crate::error::Result;

/// Friction between two surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Entry<const D: usize> {
    /// `μ_s`, `μ_k`.
    pub mu: Mu,
    /// How it depends on the direction of the slide.
    pub anisotropy: Anisotropy,
    /// Where the first axis points.
    pub axes: Axes<D>,
}

impl<const D: usize> From<Mu> for Entry<D> {
    fn from(mu: Mu) -> Self {
        Self { mu, anisotropy: Anisotropy::None, axes: Axes::Contact }
    }
}

impl<const D: usize> From<f64> for Entry<D> {
    fn from(mu: f64) -> Self {
        Mu::same(mu).into()
    }
}

impl<const D: usize> Entry<D> {
    /// The associated elliptic cone with `mu[0]` along the first axis and `mu[1]` across it: see [`Anisotropy::elliptic`].
    ///
    /// # Errors
    /// If a coefficient is negative or not finite.
    pub fn elliptic(mu: [f64; 2], axes: Axes<D>) -> Result<Self> {
        let (mu, anisotropy) = Anisotropy::elliptic(mu)?;
        Ok(Self { mu, anisotropy, axes })
    }

    /// Whether it is no friction in any direction.
    pub fn is_zero(&self) -> bool {
        self.mu == Mu::default() && self.anisotropy.ellipses() == [[0.0; 2]; 2]
    }

    /// Checks that the numbers are possible.
    ///
    /// # Errors
    /// If a number is negative or not finite, `μ_s < μ_k`, or a direction of the world has no length.
    pub fn check(&self) -> Result<()> {
        self.check_with(self.mu, MuOrder::Descending)
    }

    /// Like [`check`](Self::check), where coefficients `mu` of others take the place of those of the entry, and for any order of them.
    pub(super) fn check_with(&self, mu: Mu, order: MuOrder) -> Result<()> {
        order.check(self.mu)?;
        self.anisotropy.check_in(mu, order)?;
        self.axes.check()
    }
}
