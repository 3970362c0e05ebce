//! Matrices of small blocks: where they are not zero, their values, and their other forms.

pub mod csc;
pub mod pattern;
pub mod stencils;
mod layout;
pub mod full;
pub mod columns;
mod submatrix;

use std::ops::Range;
use std::sync::Arc;

use crate::math::{Matrix, Vector};
use crate::threads;
pub use columns::{Entry, EntryColumns};
pub use csc::{Csc, Index};
pub use full::FullBlocks;
use layout::Layout;
pub(crate) use layout::Places;
pub use pattern::Pattern;
pub use stencils::Stencils;
pub(crate) use submatrix::Submatrix;

/// Rows of blocks that a task works on.
const ROWS: usize = 512;

/// Blocks that a task clears.
const BLOCKS: usize = 1 << 14;

/// A symmetric matrix of `D × D` blocks, one row and column of blocks a vertex, as a sum of local matrices.
///
/// Only blocks on and below the diagonal are kept. `Blocks::assemble` fills it with the Hessian of a potential; by hand,
/// [`begin`](Self::begin) says where local matrices will be added, [`assemble::hessian`](crate::assemble::hessian) adds
/// them and [`finish`](Self::finish) ends the sum. Filled again, it keeps its memory, and its pattern where the stencils
/// are the same.
#[derive(Clone, Debug, Default)]
pub struct Blocks<const D: usize> {
    layout: Layout,
    values: Vec<Matrix<D>>,
}

/// What adding a list of local matrices takes.
pub(crate) struct Target<'a, const D: usize> {
    /// Where the list is added.
    pub(crate) places: Places<'a>,
    /// The blocks.
    pub(crate) values: &'a mut [Matrix<D>],
}

/// Makes a block symmetric to the last bit.
fn mirror<const D: usize>(Matrix(block): &mut Matrix<D>) {
    for k in 0..D {
        for l in k + 1..D {
            block[k][l] = block[l][k];
        }
    }
}

impl<const D: usize> Blocks<D> {
    /// Begins a sum of local matrices at stencils that `list` lists: all values are zero then.
    ///
    /// # Panics
    /// If a stencil names a vertex beyond `vertices`, or there are 2³² blocks or more.
    pub fn begin(&mut self, vertices: usize, list: impl FnOnce(&mut Stencils)) {
        self.layout.begin(vertices, list);
        let count = self.pattern().rows().len();
        self.values.truncate(count);
        let parts = self.values.chunks_mut(BLOCKS).collect();
        threads::for_each(parts, &|_, part: &mut [Matrix<D>]| part.fill(Matrix::ZERO));
        self.values.resize(count, Matrix::ZERO);
    }

    /// Where the next list is added.
    ///
    /// # Panics
    /// If `count` stencils of `N` vertices were not what was listed next.
    pub(crate) fn next_list<const N: usize>(&mut self, count: usize) -> Target<'_, D> {
        Target { places: self.layout.next_list::<N>(count), values: &mut self.values }
    }

    /// Ends the sum: makes the blocks on the diagonal symmetric to the last bit.
    ///
    /// # Panics
    /// If not every list was added.
    pub fn finish(&mut self) {
        self.layout.finish();
        let pattern = self.layout.pattern();
        let (mut work, mut rest) = (Vec::new(), &mut self.values[..]);
        for first in (0..pattern.vertices()).step_by(ROWS) {
            let columns = first..pattern.vertices().min(first + ROWS);
            let count = pattern.starts()[columns.end] - pattern.starts()[first];
            let (own, others) = rest.split_at_mut(count as usize);
            work.push((columns, own));
            rest = others;
        }
        threads::for_each(work, &|_, (columns, own): (Range<usize>, &mut [Matrix<D>])| {
            let start = pattern.starts()[columns.start] as usize;
            for block in columns.filter_map(|column| pattern.lower(column).next()) {
                mirror(&mut own[block - start]);
            }
        });
    }

    /// Takes another pattern, which is not that of any stencils, and lends the blocks for it, whose values are not set.
    fn lend(&mut self, pattern: &Arc<Pattern>) -> &mut [Matrix<D>] {
        self.layout.replace(pattern);
        self.values.resize(pattern.rows().len(), Matrix::ZERO);
        &mut self.values
    }

    /// How many rows and columns of blocks there are.
    pub fn vertices(&self) -> usize {
        self.pattern().vertices()
    }

    /// Where the blocks are; the same object as long as it does not change.
    pub fn pattern(&self) -> &Arc<Pattern> {
        self.layout.pattern()
    }

    /// The blocks on and below the diagonal, in the order of the pattern.
    pub fn values(&self) -> &[Matrix<D>] {
        &self.values
    }

    /// Row, column (row ≥ column) and values of each block on and below the diagonal, by columns.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, &Matrix<D>)> {
        let places = (0..self.vertices()).flat_map(move |column| {
            self.pattern().lower(column).map(move |block| (self.pattern().rows()[block] as usize, column))
        });
        places.zip(&self.values).map(|((row, column), value)| (row, column, value))
    }

    /// The matrix as plain columns, or rows, which are the same: see [`Csc`].
    pub fn to_csc(&self) -> Csc<usize> {
        // Every index of something in memory fits.
        Csc::new(self).unwrap_or_default()
    }

    /// `out = A p`; the same bits for any number of threads.
    ///
    /// # Panics
    /// If `p` or `out` is shorter than there are [`vertices`](Self::vertices).
    pub fn multiply(&self, p: &[Vector<D>], out: &mut [Vector<D>]) {
        let parts: Vec<_> = out[..self.vertices()].chunks_mut(ROWS).collect();
        threads::for_each(parts, &|part, out| {
            let first = part * ROWS;
            self.multiply_rows(p, first..first + out.len(), out);
        });
    }

    fn multiply_rows(&self, p: &[Vector<D>], rows: Range<usize>, out: &mut [Vector<D>]) {
        for (row, out) in rows.zip(out) {
            let mut sum = Vector::ZERO;
            // A row is a column of the transpose: blocks left of the diagonal as they are, the others transposed.
            let (columns, blocks) = self.pattern().upper(row);
            for (&column, &block) in columns.iter().zip(blocks) {
                add_product(&mut sum, &self.values[block as usize], &p[column as usize]);
            }
            for block in self.pattern().lower(row) {
                let column = self.pattern().rows()[block] as usize;
                add_transposed_product(&mut sum, &self.values[block], &p[column]);
            }
            *out = sum;
        }
    }
}

#[inline]
fn add_product<const D: usize>(sum: &mut Vector<D>, block: &Matrix<D>, p: &Vector<D>) {
    for k in 0..D {
        for l in 0..D {
            sum[k] += block.0[k][l] * p[l];
        }
    }
}

#[inline]
fn add_transposed_product<const D: usize>(sum: &mut Vector<D>, block: &Matrix<D>, p: &Vector<D>) {
    for k in 0..D {
        for l in 0..D {
            sum[l] += block.0[k][l] * p[k];
        }
    }
}
