//! How stiff each contact is.

use crate::contact::PerContact;

/// The stiffness κ of the contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kappa<'a> {
    /// The same for all.
    Same(f64),
    /// One for each contact.
    Each(&'a PerContact<f64>),
}

impl From<f64> for Kappa<'_> {
    fn from(kappa: f64) -> Self {
        Self::Same(kappa)
    }
}

impl<'a> Kappa<'a> {
    /// The stiffnesses of one kind of contact.
    pub(super) fn of(self, kind: impl Fn(&'a PerContact<f64>) -> &'a [f64]) -> KindKappa<'a> {
        match self {
            Self::Same(kappa) => KindKappa { same: kappa, each: &[] },
            Self::Each(all) => KindKappa { same: 0.0, each: kind(all) },
        }
    }
}

/// The stiffnesses of the contacts of one kind.
#[derive(Clone, Copy)]
pub(super) struct KindKappa<'a> {
    same: f64,
    /// Empty where all are the same.
    each: &'a [f64],
}

impl KindKappa<'_> {
    #[inline]
    pub(super) fn at(&self, k: usize) -> f64 {
        self.each.get(k).copied().unwrap_or(self.same)
    }
}
