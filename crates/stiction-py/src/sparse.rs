//! Symmetric block matrices as the three arrays of a compressed sparse column matrix.

use numpy::{Element, IntoPyArray};
use pyo3::prelude::*;
use stiction::blocks::{Blocks, Compressed};

/// A square matrix by columns, rows ascending, with both triangles.
pub struct Csc {
    data: Vec<f64>,
    rows: Vec<usize>,
    starts: Vec<usize>,
}

impl Csc {
    /// The matrix of `blocks` with one row and column of blocks for each of the `vertices`.
    pub fn new<const D: usize>(blocks: &Blocks<D>, vertices: usize) -> Self {
        let lower = blocks.compress(vertices);
        let upper = upper_blocks(&lower, vertices);
        let mut out = Self { data: Vec::new(), rows: Vec::new(), starts: vec![0] };
        for column in 0..vertices {
            let diagonal_and_below = lower.starts[column]..lower.starts[column + 1];
            for l in 0..D {
                for &(row, index) in &upper[column] {
                    out.push(row, |k| lower.blocks[index].0[l][k], D);
                }
                for index in diagonal_and_below.clone() {
                    out.push(lower.rows[index] as usize, |k| lower.blocks[index].0[k][l], D);
                }
                out.starts.push(out.data.len());
            }
        }
        out
    }

    fn push(&mut self, block_row: usize, entry: impl Fn(usize) -> f64, size: usize) {
        self.rows.extend((0..size).map(|k| block_row * size + k));
        self.data.extend((0..size).map(entry));
    }

    /// The arrays `(data, indices, indptr)`; indices are `int32` where they fit, as `SciPy` prefers.
    pub fn into_arrays(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let fits = i32::try_from(self.data.len().max(self.starts.len())).is_ok();
        let (rows, starts) = if fits {
            (index_array::<i32>(py, &self.rows), index_array::<i32>(py, &self.starts))
        } else {
            (index_array::<i64>(py, &self.rows), index_array::<i64>(py, &self.starts))
        };
        Ok((self.data.into_pyarray(py), rows, starts).into_pyobject(py)?.into_any())
    }
}

/// For every column the blocks above the diagonal, rows ascending: row, and which block of `lower` it is the
/// transpose of.
fn upper_blocks<const D: usize>(lower: &Compressed<D>, vertices: usize) -> Vec<Vec<(usize, usize)>> {
    let mut upper = vec![Vec::new(); vertices];
    for column in 0..vertices {
        for index in lower.starts[column]..lower.starts[column + 1] {
            let row = lower.rows[index] as usize;
            if row > column {
                upper[row].push((column, index));
            }
        }
    }
    upper
}

/// The indices as another type, into which they must fit.
fn index_array<'py, T: Element + TryFrom<usize> + Default>(
    py: Python<'py>,
    indices: &[usize],
) -> Bound<'py, PyAny> {
    let converted: Vec<T> = indices.iter().map(|&index| T::try_from(index).unwrap_or_default()).collect();
    converted.into_pyarray(py).into_any()
}
