//! Barriers by name.

use super::{
    Barrier, ClampedLog, ClampedLogSquared, Cubic, LinearLog, LinearLogSquared, NormalizedClampedLog,
    TwoStage,
};
use crate::error::{Error, Result};

/// The choice of a barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BarrierKind {
    /// [`ClampedLog`].
    #[default]
    ClampedLog,
    /// [`NormalizedClampedLog`].
    NormalizedClampedLog,
    /// [`ClampedLogSquared`].
    ClampedLogSquared,
    /// [`Cubic`].
    Cubic,
    /// [`TwoStage`].
    TwoStage,
    /// [`LinearLog`].
    LinearLog,
    /// [`LinearLogSquared`].
    LinearLogSquared,
}

impl BarrierKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::ClampedLog,
        Self::NormalizedClampedLog,
        Self::ClampedLogSquared,
        Self::Cubic,
        Self::TwoStage,
        Self::LinearLog,
        Self::LinearLogSquared,
    ];

    /// Its name in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClampedLog => "clamped_log",
            Self::NormalizedClampedLog => "normalized_clamped_log",
            Self::ClampedLogSquared => "clamped_log_squared",
            Self::Cubic => "cubic",
            Self::TwoStage => "two_stage",
            Self::LinearLog => "linear_log",
            Self::LinearLogSquared => "linear_log_squared",
        }
    }
}

impl std::str::FromStr for BarrierKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| Error::UnknownName {
            what: "barrier",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// What `$result` is for the barrier of that kind.
macro_rules! each {
    ($kind:expr, $barrier:ident => $result:expr) => {
        each!($kind, $barrier => $result; ClampedLog NormalizedClampedLog ClampedLogSquared Cubic TwoStage LinearLog LinearLogSquared)
    };
    ($kind:expr, $barrier:ident => $result:expr; $($name:ident)*) => {
        match $kind {
            $(BarrierKind::$name => { let $barrier = $name; $result })*
        }
    };
}

/// The usual barrier is computed in place, the others by a call: a choice among all of them in every loop over contacts costs
/// 3 ns for each.
impl Barrier for BarrierKind {
    #[inline]
    fn value(&self, s: f64, s_hat: f64) -> f64 {
        if *self == Self::ClampedLog { ClampedLog.value(s, s_hat) } else { self.other_value(s, s_hat) }
    }

    #[inline]
    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64) {
        if *self == Self::ClampedLog {
            ClampedLog.derivatives(s, s_hat)
        } else {
            self.other_derivatives(s, s_hat)
        }
    }

    fn units(&self, s_hat: f64) -> f64 {
        each!(self, barrier => barrier.units(s_hat))
    }

    fn is_interior(&self) -> bool {
        each!(self, barrier => barrier.is_interior())
    }
}

impl BarrierKind {
    #[inline(never)]
    fn other_value(self, s: f64, s_hat: f64) -> f64 {
        each!(self, barrier => barrier.value(s, s_hat))
    }

    #[inline(never)]
    fn other_derivatives(self, s: f64, s_hat: f64) -> (f64, f64) {
        each!(self, barrier => barrier.derivatives(s, s_hat))
    }
}
