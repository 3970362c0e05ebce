//! Block matrices as plain arrays for other libraries.

use std::sync::Arc;

use super::{Blocks, EntryColumns, FullBlocks, Pattern};
use crate::error::{Error, Result};
use crate::math::Matrix;
use crate::threads;

/// A kind of number for the indices of a [`Csc`].
pub trait Index: Copy + Send + Sync + Default + TryFrom<usize> {}

impl Index for i32 {}
impl Index for i64 {}
impl Index for u32 {}
impl Index for usize {}

/// A matrix of numbers by compressed columns, with both triangles, rows ascending, every place once.
///
/// That of symmetric [`Blocks`] is the same transposed, bit for bit: read by rows, the arrays are those of compressed rows (CSR).
/// `x₀ y₀ z₀ x₁ …` is the order of rows and columns.
#[derive(Clone, Debug, Default)]
pub struct Csc<I> {
    /// The numbers.
    pub data: Vec<f64>,
    /// The row of each number.
    pub indices: Vec<I>,
    /// Where each column starts in `data` and `indices`; one more entry than columns.
    pub indptr: Vec<I>,
    /// Whose indices these are.
    pattern: Option<Arc<Pattern>>,
}

impl<I: Index> Csc<I> {
    /// The matrix as plain columns.
    ///
    /// # Errors
    /// If an index does not fit into `I`.
    pub fn new<const D: usize>(blocks: &Blocks<D>) -> Result<Self> {
        let mut out = Self { data: Vec::new(), indices: Vec::new(), indptr: Vec::new(), pattern: None };
        out.refill(blocks)?;
        Ok(out)
    }

    /// The matrix that is not symmetric as plain columns.
    ///
    /// # Errors
    /// If an index does not fit into `I`.
    pub fn of_full<const D: usize>(blocks: &FullBlocks<D>) -> Result<Self> {
        let mut out = Self { data: Vec::new(), indices: Vec::new(), indptr: Vec::new(), pattern: None };
        out.refill_full(blocks)?;
        Ok(out)
    }

    /// The matrix of blocks at any places as plain columns.
    ///
    /// # Errors
    /// If an index does not fit into `I`.
    pub fn of_entries<const D: usize>(blocks: &EntryColumns<D>) -> Result<Self> {
        let (vertices, len) = (blocks.vertices(), blocks.starts().last().map_or(0, |end| end * D * D));
        fit::<I>(len.max(vertices * D))?;
        let (mut data, mut indices) = (vec![0.0; len], vec![I::default(); len]);
        let mut indptr = vec![I::default(); vertices * D + 1];
        let mut end = 0;
        for column in 0..vertices {
            let height = D * (blocks.starts()[column + 1] - blocks.starts()[column]);
            for l in 0..D {
                end += height;
                indptr[column * D + l + 1] = fit(end)?;
            }
        }
        let mut parts = Vec::new();
        let (mut data_rest, mut indices_rest) = (&mut data[..], &mut indices[..]);
        for columns in chunks(vertices) {
            let count = D * D * (blocks.starts()[columns.end] - blocks.starts()[columns.start]);
            let (own, rest) = data_rest.split_at_mut(count);
            let (own_indices, rest_indices) = indices_rest.split_at_mut(count);
            parts.push((columns, own, own_indices));
            (data_rest, indices_rest) = (rest, rest_indices);
        }
        threads::for_each(parts, &|_, (columns, mut data, mut indices)| {
            for column in columns {
                let count = D * D * (blocks.starts()[column + 1] - blocks.starts()[column]);
                let (own, rest) = data.split_at_mut(count);
                let (own_indices, rest_indices) = indices.split_at_mut(count);
                write_column(blocks.column(column), own, own_indices);
                (data, indices) = (rest, rest_indices);
            }
        });
        Ok(Self { data, indices, indptr, pattern: None })
    }

    /// Replaces the numbers by those of another matrix, and the indices only if its pattern is another.
    ///
    /// # Errors
    /// If an index does not fit into `I`; the matrix is then empty.
    pub fn refill<const D: usize>(&mut self, blocks: &Blocks<D>) -> Result<()> {
        self.refill_by::<D>(blocks.pattern(), &|column, out| fill_column(blocks, column, out))
    }

    /// As [`refill`](Self::refill), of a matrix that is not symmetric.
    ///
    /// # Errors
    /// As [`refill`](Self::refill).
    pub fn refill_full<const D: usize>(&mut self, blocks: &FullBlocks<D>) -> Result<()> {
        self.refill_by::<D>(blocks.pattern(), &|column, out| fill_full_column(blocks, column, out))
    }

    /// `fill` writes the numbers of a column of blocks.
    fn refill_by<const D: usize>(
        &mut self,
        pattern: &Arc<Pattern>,
        fill: &(dyn Fn(usize, &mut [f64]) + Sync),
    ) -> Result<()> {
        let known = self.pattern.as_ref().is_some_and(|own| Arc::ptr_eq(own, pattern));
        let len = D * D * full_len(pattern);
        let whole = [self.data.len(), self.indices.len()] == [len; 2]
            && self.indptr.len() == D * pattern.vertices() + 1;
        if !known || !whole {
            self.index::<D>(pattern)?;
        }
        let parts = columns_of::<D, _>(pattern, &mut self.data);
        threads::for_each(parts, &|_, (columns, mut data)| {
            for column in columns {
                let full = pattern.full_start(column + 1) - pattern.full_start(column);
                let (own, rest) = data.split_at_mut(full * D * D);
                fill(column, own);
                data = rest;
            }
        });
        Ok(())
    }

    /// Makes the indices of a pattern.
    fn index<const D: usize>(&mut self, pattern: &Arc<Pattern>) -> Result<()> {
        *self = Self { data: Vec::new(), indices: Vec::new(), indptr: Vec::new(), pattern: None };
        let (vertices, len) = (pattern.vertices(), D * D * full_len(pattern));
        // The largest of all indices, so that the others fit too.
        fit::<I>(len.max(vertices * D))?;
        self.indptr = vec![I::default(); vertices * D + 1];
        for column in 0..vertices {
            let start = pattern.full_start(column) * D * D;
            let height = pattern.full_start(column + 1) * D - pattern.full_start(column) * D;
            for l in 0..D {
                self.indptr[column * D + l + 1] = fit(start + (l + 1) * height)?;
            }
        }
        self.indices = vec![I::default(); len];
        let parts = columns_of::<D, _>(pattern, &mut self.indices);
        threads::for_each(parts, &|_, (columns, mut indices)| {
            for column in columns {
                let full = pattern.full_start(column + 1) - pattern.full_start(column);
                let (own, rest) = indices.split_at_mut(full * D * D);
                index_column::<D, I>(pattern, column, own);
                indices = rest;
            }
        });
        self.data = vec![0.0; len];
        self.pattern = Some(Arc::clone(pattern));
        Ok(())
    }
}

/// How many blocks both triangles have.
fn full_len(pattern: &Pattern) -> usize {
    if pattern.vertices() == 0 { 0 } else { pattern.full_start(pattern.vertices()) }
}

fn fit<I: Index>(index: usize) -> Result<I> {
    let name = "number of entries of a matrix";
    let must = "small enough for the kind of index: use a wider one";
    I::try_from(index).map_err(|_| Error::BadParameter { name, value: index as f64, must })
}

/// An array with `D × D` entries for each block, in pieces of whole columns of blocks.
fn columns_of<'a, const D: usize, T>(
    pattern: &Pattern,
    mut array: &'a mut [T],
) -> Vec<(std::ops::Range<usize>, &'a mut [T])> {
    let mut parts = Vec::new();
    for columns in pattern.ranges() {
        let blocks = pattern.full_start(columns.end) - pattern.full_start(columns.start);
        let (own, rest) = array.split_at_mut(blocks * D * D);
        parts.push((columns, own));
        array = rest;
    }
    parts
}

/// The row numbers of the `D` columns of a column of blocks.
fn index_column<const D: usize, I: Index>(pattern: &Pattern, column: usize, out: &mut [I]) {
    if out.is_empty() {
        return;
    }
    let (first, others) = out.split_at_mut(out.len() / D);
    let rows = pattern.upper(column).0.iter().chain(&pattern.rows()[pattern.lower(column)]);
    for (out, &row) in first.as_chunks_mut::<D>().0.iter_mut().zip(rows) {
        for k in 0..D {
            // All fit: the largest of them was tried.
            out[k] = I::try_from(row as usize * D + k).unwrap_or_default();
        }
    }
    for other in others.chunks_exact_mut(first.len()) {
        other.copy_from_slice(first);
    }
}

/// The numbers of the `D` columns of a column of blocks.
fn fill_column<const D: usize>(blocks: &Blocks<D>, column: usize, out: &mut [f64]) {
    if out.is_empty() {
        return;
    }
    let (_, upper) = blocks.pattern().upper(column);
    let lower = &blocks.values[blocks.pattern().lower(column)];
    let height = out.len() / D;
    for (l, out) in out.chunks_exact_mut(height).enumerate() {
        let (above, below) = out.as_chunks_mut::<D>().0.split_at_mut(upper.len());
        for (out, &block) in above.iter_mut().zip(upper) {
            *out = blocks.values[block as usize].0[l];
        }
        for (out, Matrix(block)) in below.iter_mut().zip(lower) {
            for k in 0..D {
                out[k] = block[k][l];
            }
        }
    }
}

/// The same of a matrix that is not symmetric.
fn fill_full_column<const D: usize>(blocks: &FullBlocks<D>, column: usize, out: &mut [f64]) {
    let height = out.len() / D;
    for (place, (_, Matrix(block))) in blocks.column(column).enumerate() {
        for k in 0..D {
            for l in 0..D {
                out[l * height + place * D + k] = block[k][l];
            }
        }
    }
}

/// Columns that a task writes.
const COLUMNS: usize = 256;

/// All columns of blocks in ranges.
fn chunks(columns: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..columns).step_by(COLUMNS).map(move |start| start..columns.min(start + COLUMNS))
}

/// The numbers of the `D` columns of a column of blocks, and their rows.
fn write_column<'a, const D: usize, I: Index>(
    blocks: impl Iterator<Item = (u32, &'a Matrix<D>)>,
    data: &mut [f64],
    indices: &mut [I],
) {
    let height = data.len() / D;
    for (place, (row, Matrix(block))) in blocks.enumerate() {
        for k in 0..D {
            // All fit: the largest of them was tried.
            let index = I::try_from(row as usize * D + k).unwrap_or_default();
            for l in 0..D {
                data[l * height + place * D + k] = block[k][l];
                indices[l * height + place * D + k] = index;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_that_do_not_fit_are_refused() {
        assert_eq!(fit(2_147_483_647), Ok(i32::MAX));
        assert!(fit::<i32>(2_147_483_648).unwrap_err().to_string().contains("wider"));
    }
}
