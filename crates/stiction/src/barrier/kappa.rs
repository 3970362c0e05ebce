//! How stiff each contact is.

use crate::contact::PerContact;

/// The stiffness κ of the contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kappa<'a> {
    /// The same for all.
    Same(f64),
    /// One for each contact: [`PerContact::of`] checks that. With fewer, sums over contacts panic.
    Each(&'a PerContact<f64>),
}

impl From<f64> for Kappa<'_> {
    fn from(kappa: f64) -> Self {
        Self::Same(kappa)
    }
}

impl<'a> Kappa<'a> {
    /// The stiffnesses of one kind of contact.
    pub(crate) fn of(self, kind: impl Fn(&'a PerContact<f64>) -> &'a [f64]) -> KindKappa<'a> {
        match self {
            Self::Same(kappa) => KindKappa::Same(kappa),
            Self::Each(all) => KindKappa::Each(kind(all)),
        }
    }
}

/// The contacts of one kind with their stiffnesses.
#[derive(Clone, Copy)]
pub(crate) struct StiffContacts<'a, C> {
    /// The contacts.
    pub(crate) contacts: &'a [C],
    /// κ of each.
    pub(crate) kappa: KindKappa<'a>,
}

/// The stiffnesses of the contacts of one kind.
#[derive(Clone, Copy)]
pub(crate) enum KindKappa<'a> {
    Same(f64),
    Each(&'a [f64]),
}

impl KindKappa<'_> {
    /// The stiffness of contact `k`.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub(crate) fn at(&self, k: usize) -> f64 {
        match self {
            Self::Same(kappa) => *kappa,
            Self::Each(all) => all[k],
        }
    }
}
