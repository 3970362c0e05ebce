//! How far vertices may move on straight lines before anything comes too close.
//!
//! Both methods are conservative, also in rounded arithmetic: they may stop early, never late. What they
//! return does not depend on the number of threads.

mod motion;
mod slab;
mod additive;
mod tight_inclusion;
mod query;
mod pairs;
mod search;
mod safe;
mod room;
mod divide;
mod analytic;

pub use query::Query;
pub use safe::vertex_distances;

use std::fmt;
use std::str::FromStr;

use crate::broad_phase::BroadPhaseKind;
use crate::error::{Error, Result};

/// The methods by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CcdKind {
    /// Advances that are proven to be safe, added up: fast, and close to the exact time.
    #[default]
    Additive,
    /// Boxes around all points and times, discarded until the earliest is small: does not look at closest
    /// points except to save time.
    TightInclusion,
}

impl CcdKind {
    /// All methods.
    pub const ALL: [Self; 2] = [Self::Additive, Self::TightInclusion];

    /// The name in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Additive => "additive",
            Self::TightInclusion => "tight_inclusion",
        }
    }
}

impl fmt::Display for CcdKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CcdKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| Error::UnknownName {
            what: "collision detection",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// How near pairs are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSearch {
    /// The distance up to which pairs count as near, in m.
    pub reach: f64,
    /// The method that finds them. All find the same pairs.
    pub broad_phase: BroadPhaseKind,
}

/// Continuous collision detection: a method and what it has to keep.
///
/// A pair that is `d(0)` apart at the start may use up its motion until
/// ```text
/// d(t) = ξ + k (d(0) − ξ)        [m]
/// ```
/// where `ξ` is the minimum distance and `k` the part of the rest that is kept, 0.1 unless changed; at most a length that may
/// be [given](Self::with_most_kept).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ccd {
    kind: CcdKind,
    min_distance: f64,
    keep: f64,
    most_kept: f64,
}

impl Default for Ccd {
    fn default() -> Self {
        Self::new(CcdKind::default())
    }
}

impl Ccd {
    /// A method, with minimum distance 0.
    pub fn new(kind: CcdKind) -> Self {
        Self { kind, min_distance: 0.0, keep: 0.1, most_kept: f64::INFINITY }
    }

    /// The same with another minimum distance `ξ`, in m.
    ///
    /// # Errors
    /// If it is negative or not finite.
    pub fn with_min_distance(self, min_distance: f64) -> Result<Self> {
        if min_distance.is_finite() && min_distance >= 0.0 {
            return Ok(Self { min_distance, ..self });
        }
        let must = "finite and not negative";
        Err(Error::BadParameter { name: "minimum distance", value: min_distance, must })
    }

    /// The same with another part `k` of the present distance kept.
    ///
    /// # Errors
    /// If it is not between 0 and 1, or one of them.
    pub fn with_keep(self, keep: f64) -> Result<Self> {
        if keep > 0.0 && keep < 1.0 {
            return Ok(Self { keep, ..self });
        }
        Err(Error::BadParameter {
            name: "part of the distance to keep",
            value: keep,
            must: "between 0 and 1",
        })
    }

    /// The same with at most so much kept beyond the minimum distance, in m, however far apart a pair is: infinite unless
    /// changed.
    ///
    /// # Errors
    /// If it is not positive.
    pub fn with_most_kept(self, most_kept: f64) -> Result<Self> {
        if most_kept > 0.0 {
            return Ok(Self { most_kept, ..self });
        }
        let name = "largest distance to keep";
        Err(Error::BadParameter { name, value: most_kept, must: "positive" })
    }

    /// The method.
    pub fn kind(&self) -> CcdKind {
        self.kind
    }

    /// `ξ` in m.
    pub fn min_distance(&self) -> f64 {
        self.min_distance
    }

    /// `k`.
    pub fn keep(&self) -> f64 {
        self.keep
    }

    /// The most that is kept beyond `ξ`, in m.
    pub fn most_kept(&self) -> f64 {
        self.most_kept
    }
}
