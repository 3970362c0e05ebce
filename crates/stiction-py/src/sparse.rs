//! Symmetric block matrices as the three arrays of a compressed sparse column matrix.

use std::sync::{Mutex, TryLockError};

use numpy::IntoPyArray;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::barrier::shape::Entry;
use stiction::blocks::{Blocks, Csc, EntryColumns, FullBlocks};
use stiction::distance::Psd;
use stiction::error::Error;
use stiction::math::{Matrix, Vector};
use stiction::potential::Potential;

use crate::array::{numbers, reals};
use crate::error::at;

/// A square matrix by columns, rows ascending, with both triangles; indices are `int32` where they fit, as `SciPy`
/// prefers.
pub enum Columns {
    Narrow(Csc<i32>),
    Wide(Csc<i64>),
}

impl Columns {
    /// Of a symmetric matrix.
    pub fn new<const D: usize>(blocks: &Blocks<D>) -> PyResult<Self> {
        Self::either(|| Csc::new(blocks), || Csc::new(blocks))
    }

    /// Of a matrix that is not symmetric.
    pub fn of_full<const D: usize>(blocks: &FullBlocks<D>) -> PyResult<Self> {
        Self::either(|| Csc::of_full(blocks), || Csc::of_full(blocks))
    }

    /// Of a matrix with blocks at any places.
    pub fn of_entries<const D: usize>(blocks: &EntryColumns<D>) -> PyResult<Self> {
        Self::either(|| Csc::of_entries(blocks), || Csc::of_entries(blocks))
    }

    fn either(
        narrow: impl FnOnce() -> Result<Csc<i32>, Error>,
        wide: impl FnOnce() -> Result<Csc<i64>, Error>,
    ) -> PyResult<Self> {
        match narrow() {
            Ok(narrow) => Ok(Self::Narrow(narrow)),
            Err(_) => wide().map(Self::Wide).map_err(|error| at("x", error)),
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

impl Columns {
    /// Rows and columns.
    pub fn size(&self) -> usize {
        match self {
            Self::Narrow(matrix) => matrix.indptr.len() - 1,
            Self::Wide(matrix) => matrix.indptr.len() - 1,
        }
    }

    /// A square matrix of `SciPy`.
    pub fn into_scipy(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let size = self.size();
        let keywords = PyDict::new(py);
        keywords.set_item("shape", (size, size))?;
        scipy_sparse(py)?.getattr("csc_array")?.call((self.into_arrays(py)?,), Some(&keywords))
    }
}

/// The module `scipy.sparse`, which only matrices need.
pub fn scipy_sparse(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("scipy.sparse").map_err(|_| PyImportError::new_err("matrices need SciPy: pip install scipy"))
}

/// The matrix of the last Hessian: the next one has its pattern where contacts are the same.
#[derive(Default)]
pub struct Kept<const D: usize>(Mutex<Blocks<D>>);

impl<const D: usize> Kept<D> {
    /// The Hessian of a potential. Whoever finds the matrix in use, by another thread or by a barrier of Python that asks for a Hessian
    /// itself, makes one of their own.
    pub fn hessian(&self, potential: &impl Potential<D>, x: &[Vector<D>], psd: Psd) -> PyResult<Columns> {
        let mut own = Blocks::default();
        let mut kept = match self.0.try_lock() {
            Ok(kept) => Some(kept),
            Err(TryLockError::Poisoned(broken)) => Some(broken.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        let blocks = kept.as_deref_mut().unwrap_or(&mut own);
        blocks.assemble(potential, x, 1.0, psd);
        Columns::new(blocks)
    }
}

/// Blocks at any places, of which those at the same one are added, as a square matrix of `SciPy`.
pub fn sum_of<'py, const D: usize>(
    py: Python<'py>,
    blocks: &[Entry<D>],
    size: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let count = blocks.len() * D * D;
    let (mut data, mut rows, mut columns) =
        (Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(count));
    for (row, column, block) in blocks {
        for k in 0..D {
            for l in 0..D {
                data.push(block.0[k][l]);
                rows.push(*row as usize * D + k);
                columns.push(*column as usize * D + l);
            }
        }
    }
    let places = (rows.into_pyarray(py), columns.into_pyarray(py));
    let keywords = PyDict::new(py);
    keywords.set_item("shape", (size, size))?;
    let entries = ((data.into_pyarray(py), places),);
    scipy_sparse(py)?.getattr("coo_array")?.call(entries, Some(&keywords))?.call_method0("tocsc")
}

/// A square matrix by compressed columns with ascending rows, as given from Python.
pub struct Given {
    data: Vec<f64>,
    rows: Vec<u32>,
    starts: Vec<u32>,
}

impl Given {
    /// Reads the argument called `hessian`, a matrix of `SciPy` or a dense one, which must have so many rows and columns.
    pub fn read(hessian: &Bound<'_, PyAny>, size: usize) -> PyResult<Self> {
        let class = scipy_sparse(hessian.py())?.getattr("csc_array")?;
        let mut matrix = class.call1((hessian,)).map_err(|error| at("hessian", error))?;
        if !matrix.getattr("has_canonical_format")?.extract::<bool>()? {
            // Its arrays may be those of the caller.
            matrix = matrix.call_method0("copy")?;
            matrix.call_method0("sum_duplicates")?;
        }
        let data = reals("hessian.data", &matrix.getattr("data")?)?;
        let rows = numbers("hessian.indices", &matrix.getattr("indices")?)?;
        let starts = numbers("hessian.indptr", &matrix.getattr("indptr")?)?;
        let whole = starts.len() == size + 1 && starts[0] == 0 && starts[size] as usize == data.len();
        let given = Self { data, rows, starts };
        if let Some(entry) = given.data.iter().position(|value| !value.is_finite()) {
            return Err(at("hessian", format!("entry {entry} of its data is not finite")));
        }
        if whole && given.rows.len() == given.data.len() && given.is_sorted(size) {
            return Ok(given);
        }
        Err(at("hessian", format!("expected a square matrix of size {size} with sorted columns")))
    }

    /// Whether columns follow each other and rows ascend in each.
    fn is_sorted(&self, size: usize) -> bool {
        let ascending = |rows: &[u32]| rows.windows(2).all(|two| two[0] < two[1]);
        self.starts.is_sorted()
            && self.starts.windows(2).all(|two| ascending(&self.rows[two[0] as usize..two[1] as usize]))
            && self.rows.iter().all(|row| (*row as usize) < size)
    }

    /// The block of two vertices.
    pub fn block<const D: usize>(&self, row: u32, column: u32) -> Matrix<D> {
        Matrix(std::array::from_fn(|k| {
            std::array::from_fn(|l| self.entry(row as usize * D + k, column as usize * D + l))
        }))
    }

    fn entry(&self, row: usize, column: usize) -> f64 {
        let range = self.starts[column] as usize..self.starts[column + 1] as usize;
        let found = self.rows[range.clone()].binary_search(&(row as u32));
        found.map_or(0.0, |place| self.data[range.start + place])
    }
}
