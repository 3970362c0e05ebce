//! Barriers as functions of the squared distance.

use numpy::PyArray1;
use pyo3::prelude::*;
use stiction::barrier::{BarrierKind, BarrierLaw};

use crate::array::reals;
use crate::error::{at, plain};

/// The barrier f(d²) of squared distances.
///
///     f(d²) = u b(d² − dmin², (2 dmin + dhat) dhat)      0 beyond dmin + dhat, infinite at dmin (except `cubic`)
///
/// b(s, ŝ) by name, with q = s/ŝ:
///     `clamped_log`            −(s − ŝ)² ln q
///     `normalized_clamped_log` −(q − 1)² ln q
///     `clamped_log_squared`    (s − ŝ)² ln² q
///     `cubic`                  ⅔ (ŝ − s)³/ŝ
///     `two_stage`              ½(ŝ − s)² for q ≥ ½, −(ŝ²/4)(ln 2q − ½) below
///     `linear_log`             ½(p − 1) ln p,  p = √q
///     `linear_log_squared`     ½(q − 1) ln q
///
/// u is 1, or with `physical_units` dhat divided by the unit of b, so that f is in m.
///
/// `d2`: squared distances in m², shape (n,).
/// `dhat`, `dmin`: in m.
#[pyfunction]
#[pyo3(signature = (d2, dhat, dmin=0.0, barrier="clamped_log", physical_units=false))]
pub fn barrier_value<'py>(
    d2: &Bound<'py, PyAny>,
    dhat: f64,
    dmin: f64,
    barrier: &str,
    physical_units: bool,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let law = read_law(barrier, dhat, dmin, physical_units)?;
    Ok(PyArray1::from_iter(d2.py(), reals("d2", d2)?.into_iter().map(|d2| law.value(d2))))
}

/// The first and second derivative of `barrier_value` by d², each of shape (n,).
#[pyfunction]
#[pyo3(signature = (d2, dhat, dmin=0.0, barrier="clamped_log", physical_units=false))]
#[expect(clippy::type_complexity, reason = "two arrays")]
pub fn barrier_derivatives<'py>(
    d2: &Bound<'py, PyAny>,
    dhat: f64,
    dmin: f64,
    barrier: &str,
    physical_units: bool,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
    let law = read_law(barrier, dhat, dmin, physical_units)?;
    let (first, second): (Vec<_>, Vec<_>) =
        reals("d2", d2)?.into_iter().map(|d2| law.derivatives(d2)).unzip();
    Ok((PyArray1::from_vec(d2.py(), first), PyArray1::from_vec(d2.py(), second)))
}

/// The barrier called `name`, placed.
pub fn read_law(name: &str, dhat: f64, dmin: f64, physical_units: bool) -> PyResult<BarrierLaw> {
    let kind: BarrierKind = name.parse().map_err(|error| at("barrier", error))?;
    let law = BarrierLaw::new(kind, dhat).and_then(|law| law.with_dmin(dmin));
    Ok(law.map_err(|error| plain(&error))?.with_physical_units(physical_units))
}
