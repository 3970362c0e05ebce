//! Symmetric block matrices as the three arrays of a compressed sparse column matrix.

use std::sync::{Mutex, PoisonError};

use numpy::IntoPyArray;
use pyo3::prelude::*;
use stiction::blocks::{Blocks, Csc};
use stiction::distance::Psd;
use stiction::math::Vector;
use stiction::potential::Potential;

use crate::error::at;

/// A square matrix by columns, rows ascending, with both triangles; indices are `int32` where they fit, as `SciPy`
/// prefers.
pub enum Columns {
    Narrow(Csc<i32>),
    Wide(Csc<i64>),
}

impl Columns {
    fn new<const D: usize>(blocks: &Blocks<D>) -> PyResult<Self> {
        match Csc::new(blocks) {
            Ok(narrow) => Ok(Self::Narrow(narrow)),
            Err(_) => Csc::new(blocks).map(Self::Wide).map_err(|error| at("x", error)),
        }
    }

    /// The arrays `(data, indices, indptr)`, handed over without a copy.
    pub fn into_arrays(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let arrays = match self {
            Self::Narrow(Csc { data, indices, indptr, .. }) => {
                (data.into_pyarray(py), indices.into_pyarray(py), indptr.into_pyarray(py)).into_pyobject(py)
            }
            Self::Wide(Csc { data, indices, indptr, .. }) => {
                (data.into_pyarray(py), indices.into_pyarray(py), indptr.into_pyarray(py)).into_pyobject(py)
            }
        };
        Ok(arrays?.into_any())
    }
}

/// The matrix of the last Hessian: the next one has its pattern where contacts are the same.
#[derive(Default)]
pub struct Kept<const D: usize>(Mutex<Blocks<D>>);

impl<const D: usize> Kept<D> {
    /// The Hessian of a potential.
    pub fn hessian(&self, potential: &impl Potential<D>, x: &[Vector<D>], psd: Psd) -> PyResult<Columns> {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.assemble(potential, x, 1.0, psd);
        Columns::new(&blocks)
    }
}
