//! Barriers by name, and barriers written in Python.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use stiction::barrier::{Adhesion, Barrier, BarrierKind, SteadyForce};
use stiction::error::Result;

use crate::error::at;
use crate::trouble::Trouble;

/// What a caller gives as a barrier.
#[derive(Clone)]
pub enum BarrierChoice {
    /// One of ours.
    Named(BarrierKind),
    /// An object of Python.
    Own(Arc<Py<PyAny>>),
    /// Adhesion, with the distance of its largest force, in m, and that force, in N.
    Adhesion { peak: f64, strength: f64 },
    /// A force that is the same at all distances, in N.
    Steady(f64),
}

impl BarrierChoice {
    /// A name, or an object with `__call__`, `first_derivative`, `second_derivative` and `units`.
    pub fn read(barrier: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(name) = barrier.extract::<String>() {
            return name.parse().map(Self::Named).map_err(|error| at("barrier", error));
        }
        let methods = ["__call__", "first_derivative", "second_derivative", "units"];
        if methods.iter().all(|method| barrier.hasattr(method).unwrap_or(false)) {
            return Ok(Self::Own(Arc::new(barrier.clone().unbind())));
        }
        let must = "expected a name, or an object with __call__(s, s_hat), first_derivative(s, s_hat), second_derivative(s, s_hat) and units(s_hat)";
        Err(at("barrier", must))
    }

    /// The barrier below a distance `dhat` beyond `dmin`; its errors go to `trouble`.
    pub fn with(&self, trouble: &Trouble, dhat: f64, dmin: f64) -> Result<AnyBarrier> {
        Ok(match self {
            Self::Named(kind) => AnyBarrier::Named(*kind),
            Self::Own(object) => {
                AnyBarrier::Other(Arc::new(OwnBarrier { object: object.clone(), trouble: trouble.clone() }))
            }
            Self::Adhesion { peak, strength } => {
                AnyBarrier::Other(Arc::new(Adhesion::new(*peak, dhat, dmin, *strength)?))
            }
            Self::Steady(force) => AnyBarrier::Other(Arc::new(SteadyForce { force: *force, dmin })),
        })
    }
}

/// A barrier of any sort.
#[derive(Clone)]
pub enum AnyBarrier {
    Named(BarrierKind),
    Other(Arc<dyn Barrier>),
}

impl Barrier for AnyBarrier {
    #[inline]
    fn value(&self, s: f64, s_hat: f64) -> f64 {
        match self {
            Self::Named(kind) => kind.value(s, s_hat),
            Self::Other(other) => other.value(s, s_hat),
        }
    }

    #[inline]
    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64) {
        match self {
            Self::Named(kind) => kind.derivatives(s, s_hat),
            Self::Other(other) => other.derivatives(s, s_hat),
        }
    }

    fn units(&self, s_hat: f64) -> f64 {
        match self {
            Self::Named(kind) => kind.units(s_hat),
            Self::Other(other) => other.units(s_hat),
        }
    }

    fn is_interior(&self) -> bool {
        match self {
            Self::Named(kind) => kind.is_interior(),
            Self::Other(other) => other.is_interior(),
        }
    }
}

/// A barrier written in Python.
struct OwnBarrier {
    object: Arc<Py<PyAny>>,
    trouble: Trouble,
}

impl Barrier for OwnBarrier {
    fn value(&self, s: f64, s_hat: f64) -> f64 {
        self.ask("__call__", &[s, s_hat])
    }

    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64) {
        (self.ask("first_derivative", &[s, s_hat]), self.ask("second_derivative", &[s, s_hat]))
    }

    fn units(&self, s_hat: f64) -> f64 {
        self.ask("units", &[s_hat])
    }

    fn is_interior(&self) -> bool {
        // Nobody knows; then only the bound of steps keeps primitives apart.
        false
    }
}

impl OwnBarrier {
    /// What a method returns, or 0 after an error.
    fn ask(&self, method: &str, numbers: &[f64]) -> f64 {
        if self.trouble.is_there() {
            return 0.0;
        }
        Python::attach(|py| self.call(py, method, numbers)).unwrap_or_else(|error| {
            self.trouble.note(error);
            0.0
        })
    }

    fn call(&self, py: Python<'_>, method: &str, numbers: &[f64]) -> PyResult<f64> {
        let answer = self.object.bind(py).call_method1(method, PyTuple::new(py, numbers)?)?;
        answer.extract().map_err(|_| at("barrier", format!("{method} returned no number")))
    }
}
