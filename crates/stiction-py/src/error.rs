//! Errors as Python sees them: `ValueError`, with the argument and the place in it.

use std::fmt::Display;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use stiction::error::Error;

/// `argument: message`.
pub fn at(argument: &str, message: impl Display) -> PyErr {
    PyValueError::new_err(format!("{argument}: {message}"))
}

/// An error that names its parameter itself.
pub fn plain(error: &Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An error with a file: an `OSError` with its number and name if it cannot be read or written, else a `ValueError`.
pub fn file_error(py: Python<'_>, error: &stiction_sim::error::Error) -> PyErr {
    let stiction_sim::error::Error::File { path, source } = error else {
        return PyValueError::new_err(error.to_string());
    };
    let Some(code) = source.raw_os_error() else { return PyOSError::new_err(error.to_string()) };
    let say = || py.import("os")?.getattr("strerror")?.call1((code,))?.extract::<String>();
    PyOSError::new_err((code, say().unwrap_or_default(), path.clone()))
}

/// `value` if it is at least 0 and finite.
pub fn not_negative(name: &'static str, value: f64) -> PyResult<f64> {
    check(name, value, value >= 0.0, "a number, 0 or larger")
}

/// `value` if it is larger than 0 and finite.
pub fn positive(name: &'static str, value: f64) -> PyResult<f64> {
    check(name, value, value > 0.0, "a number larger than 0")
}

fn check(name: &'static str, value: f64, possible: bool, must: &'static str) -> PyResult<f64> {
    if possible && value.is_finite() {
        return Ok(value);
    }
    Err(plain(&Error::BadParameter { name, value, must }))
}
