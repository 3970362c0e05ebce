//! A symmetric block matrix as plain arrays for other libraries.

use std::sync::Arc;

use super::{Blocks, Pattern};
use crate::error::{Error, Result};
use crate::math::Matrix;
use crate::threads;

/// A kind of number for the indices of a [`Csc`].
pub trait Index: Copy + Send + Sync + Default + TryFrom<usize> {}

impl Index for i32 {}
impl Index for i64 {}
impl Index for u32 {}
impl Index for usize {}

/// A symmetric matrix of numbers by compressed columns, with both triangles, rows ascending, every place once.
///
/// Transposed it is the same, bit for bit: read by rows, the arrays are those of compressed rows (CSR).
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

    /// Replaces the numbers by those of another matrix, and the indices only if its pattern is another.
    ///
    /// # Errors
    /// If an index does not fit into `I`; the matrix is then empty.
    pub fn refill<const D: usize>(&mut self, blocks: &Blocks<D>) -> Result<()> {
        let known = self.pattern.as_ref().is_some_and(|pattern| Arc::ptr_eq(pattern, &blocks.pattern));
        let len = D * D * full_len(&blocks.pattern);
        let whole = [self.data.len(), self.indices.len()] == [len; 2]
            && self.indptr.len() == D * blocks.vertices() + 1;
        if !known || !whole {
            self.index::<D>(&blocks.pattern)?;
        }
        let parts = columns_of::<D, _>(&blocks.pattern, &mut self.data);
        threads::for_each(parts, &|_, (columns, mut data)| {
            for column in columns {
                let full = blocks.pattern.full_start(column + 1) - blocks.pattern.full_start(column);
                let (own, rest) = data.split_at_mut(full * D * D);
                fill_column(blocks, column, own);
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
    let (_, upper) = blocks.pattern.upper(column);
    let lower = &blocks.values[blocks.pattern.lower(column)];
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_that_do_not_fit_are_refused() {
        assert_eq!(fit(2_147_483_647), Ok(i32::MAX));
        assert!(fit::<i32>(2_147_483_648).unwrap_err().to_string().contains("wider"));
    }
}
