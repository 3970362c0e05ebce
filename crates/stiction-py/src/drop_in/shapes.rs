//! Potentials that refuse nothing, gradients in one row and Hessians as matrices of `SciPy`: what ipctk's programs expect.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::PyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::math::vector::flat;

use crate::barrier_potential::BarrierPotential;
use crate::contacts::{AnyContacts, Contacts};
use crate::error::plain;
use crate::friction_potential::FrictionPotential;
use crate::slides::Slides;
use crate::sparse::{Columns, scipy_sparse};
use crate::surface::either;

/// The same potential, which takes contacts of any reach, and whose derivatives where there are none are not finite.
#[pyfunction]
pub fn lenient(potential: &BarrierPotential) -> BarrierPotential {
    BarrierPotential(potential.0.lenient())
}

/// `BarrierPotential.gradient` in one row, shape (n·D,).
#[pyfunction]
pub fn gradient_row<'py>(
    potential: &BarrierPotential,
    contacts: &Contacts,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let setting = &potential.0;
    either!(AnyContacts, &contacts.0, touching => {
        let positions = touching.field("x", x)?;
        let found = setting.on(x.py(), touching, |barrier| setting.gradient(barrier, &positions))?;
        let found = found.map_err(|error| plain(&error))?;
        Ok(PyArray1::from_slice(x.py(), flat(&found)))
    })
}

/// `BarrierPotential.hessian` as a `scipy.sparse.csc_matrix`.
#[pyfunction]
pub fn barrier_matrix<'py>(
    potential: &BarrierPotential,
    contacts: &Contacts,
    x: &Bound<'py, PyAny>,
    psd: &str,
) -> PyResult<Bound<'py, PyAny>> {
    into_matrix(potential.columns(contacts, x, psd)?, x.py())
}

/// `FrictionPotential.hessian` as a `scipy.sparse.csc_matrix`.
#[pyfunction]
pub fn friction_matrix<'py>(
    potential: &FrictionPotential,
    slides: &Slides,
    v: &Bound<'py, PyAny>,
    psd: &str,
) -> PyResult<Bound<'py, PyAny>> {
    into_matrix(potential.columns(slides, v, psd)?, v.py())
}

/// An empty `csc_matrix` of so many rows: its class and what it consists of.
struct Empty {
    size: usize,
    class: Py<PyAny>,
    parts: Py<PyDict>,
}

static EMPTY: Mutex<Option<Empty>> = Mutex::new(None);

/// A square `csc_matrix` of `SciPy`.
///
/// Its constructor checks once more what is known to be in order, which takes longer than a small Hessian: a copy of an empty matrix
/// gets the arrays instead.
fn into_matrix(columns: Columns, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let (class, parts) = empty_matrix(py, columns.size())?;
    let (data, indices, indptr) =
        columns.into_arrays(py)?.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
    parts.set_item(intern!(py, "data"), data)?;
    parts.set_item(intern!(py, "indices"), indices)?;
    parts.set_item(intern!(py, "indptr"), indptr)?;
    let make = py.get_type::<PyAny>().getattr(intern!(py, "__new__"))?;
    let matrix = make.call1((class,))?;
    matrix.setattr(intern!(py, "__dict__"), parts)?;
    Ok(matrix)
}

/// The class of matrices, and a copy of what an empty one of this size consists of.
fn empty_matrix(py: Python<'_>, size: usize) -> PyResult<(Bound<'_, PyAny>, Bound<'_, PyDict>)> {
    let known = {
        let empty = locked(&EMPTY);
        let same = empty.as_ref().filter(|empty| empty.size == size);
        same.map(|empty| (empty.class.clone_ref(py), empty.parts.clone_ref(py)))
    };
    // What follows not with the lock: Python may run anything meanwhile, also another thread that asks.
    if let Some((class, parts)) = known {
        return Ok((class.into_bound(py), parts.bind(py).copy()?));
    }
    let class = scipy_sparse(py)?.getattr("csc_matrix")?;
    let empty = class.call1(((size, size),))?;
    let parts = empty.getattr("__dict__")?.cast_into::<PyDict>()?;
    let new = Empty { size, class: class.clone().unbind(), parts: parts.clone().unbind() };
    let old = locked(&EMPTY).replace(new);
    drop(old);
    Ok((class, parts.copy()?))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
