//! Errors of Python functions that Rust calls, on any thread.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::{PyErr, PyResult};

/// The first error that a function of Python made.
#[derive(Clone, Default)]
pub struct Trouble(Arc<Mutex<Option<PyErr>>>);

impl Trouble {
    /// Keeps the error if it is the first.
    pub fn note(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Whether there is one: then nothing more needs to be asked.
    pub fn is_there(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Raises the error, if there is one.
    pub fn raise(&self) -> PyResult<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}
