//! Which coefficients belong to a contact.

use super::anisotropy::{Anisotropy, Axes};
use super::law::Mu;
use crate::math::Vector;

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

/// Friction coefficients of all contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficients<const D: usize> {
    /// Of contacts for which nothing else is said.
    pub default: Entry<D>,
}

impl<const D: usize> From<Entry<D>> for Coefficients<D> {
    fn from(default: Entry<D>) -> Self {
        Self { default }
    }
}

impl<const D: usize> From<Mu> for Coefficients<D> {
    fn from(mu: Mu) -> Self {
        Entry::from(mu).into()
    }
}

impl<const D: usize> From<f64> for Coefficients<D> {
    fn from(mu: f64) -> Self {
        Mu::same(mu).into()
    }
}

impl<const D: usize> Coefficients<D> {
    /// Whether there is no friction at all.
    pub fn is_zero(&self) -> bool {
        self.default == Entry::from(Mu::default())
    }

    /// Of a contact, given its vertices with their weights `c`.
    pub fn of<const N: usize>(&self, _vertices: &[u32; N], _c: &[f64; N], _place: Vector<D>) -> Entry<D> {
        self.default
    }
}
