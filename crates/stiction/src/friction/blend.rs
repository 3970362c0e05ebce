//! One coefficient from those of two surfaces.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};

/// A rule of the user's own.
pub type BlendFunction = dyn Fn(f64, f64) -> f64 + Send + Sync;

/// How the coefficients of two surfaces become that of their contact, for static and kinetic friction alike.
///
/// A stopgap: friction belongs to a pair of materials and does not follow from two numbers, see
/// [`PairTable`](super::PairTable).
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Blend {
    /// `(a + b)/2`.
    #[default]
    Mean,
    /// `a b`.
    Product,
    /// `min(a, b)`.
    Minimum,
    /// `max(a, b)`.
    Maximum,
    /// `√(a b)`.
    GeometricMean,
    /// A function of the edge's or face's coefficient and that of the vertex; of two vertices or edges in their order. Where it is
    /// not symmetric, friction jumps as contacts change their kind. Negative results count as 0, and a static coefficient below the
    /// kinetic one as that.
    Custom(Arc<BlendFunction>),
}

impl Blend {
    /// All but the user's own.
    pub const ALL: [Self; 5] = [Self::Mean, Self::Product, Self::Minimum, Self::Maximum, Self::GeometricMean];

    /// Its name in Python.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Product => "product",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::GeometricMean => "geometric_mean",
            Self::Custom(_) => "custom",
        }
    }

    /// The blend of `a` and `b`.
    #[inline]
    pub fn of(&self, a: f64, b: f64) -> f64 {
        match self {
            Self::Mean => 0.5 * (a + b),
            Self::Product => a * b,
            Self::Minimum => a.min(b),
            Self::Maximum => a.max(b),
            Self::GeometricMean => (a * b).sqrt(),
            Self::Custom(function) => function(a, b),
        }
    }
}

impl fmt::Debug for Blend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Functions are equal if they are the same object.
impl PartialEq for Blend {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Custom(a), Self::Custom(b)) => Arc::ptr_eq(a, b),
            _ => self.name() == other.name(),
        }
    }
}

impl std::str::FromStr for Blend {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|blend| blend.name() == name);
        found.ok_or_else(|| Error::UnknownName {
            what: "blend",
            name: name.to_owned(),
            known: Self::ALL.map(|blend| blend.name()).join(", "),
        })
    }
}
