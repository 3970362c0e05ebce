//! A matrix of small blocks that is not symmetric, though its pattern is.

use std::sync::Arc;

use super::layout::{Layout, Places};
use super::{Pattern, Stencils};
use crate::math::{Matrix, Vector};

/// A matrix of `D × D` blocks, one row and column of blocks a vertex, as a sum of local matrices that need not be symmetric.
///
/// As [`Blocks`](super::Blocks), with both triangles kept: [`begin`](Self::begin) says where local matrices will be added,
/// [`assemble::jacobian`](crate::assemble::jacobian) adds them and [`finish`](Self::finish) ends the sum.
#[derive(Clone, Debug, Default)]
pub struct FullBlocks<const D: usize> {
    layout: Layout,
    /// For each block of the pattern the one there and the one at the mirrored place, which is zero on the diagonal: close to each
    /// other, as they are added at the same time.
    values: Vec<[Matrix<D>; 2]>,
}

impl<const D: usize> FullBlocks<D> {
    /// Begins a sum of local matrices at stencils that `list` lists: all values are zero then.
    ///
    /// # Panics
    /// If a stencil names a vertex beyond `vertices`, or there are 2³¹ blocks or more on and below the diagonal.
    pub fn begin(&mut self, vertices: usize, list: impl FnOnce(&mut Stencils)) {
        self.layout.begin(vertices, list);
        let count = self.pattern().rows().len();
        assert!(count < 1 << 31, "a matrix that is not symmetric has fewer than 2³² blocks");
        self.values.clear();
        self.values.resize(count, [Matrix::ZERO; 2]);
    }

    /// Where the next list is added, and the blocks: twice the number of a place, one more for the mirrored one.
    ///
    /// # Panics
    /// If `count` stencils of `N` vertices were not what was listed next.
    pub(crate) fn next_list<const N: usize>(&mut self, count: usize) -> (Places<'_>, &mut [Matrix<D>]) {
        (self.layout.next_list::<N>(count), self.values.as_flattened_mut())
    }

    /// Ends the sum.
    ///
    /// # Panics
    /// If not every list was added.
    pub fn finish(&mut self) {
        self.layout.finish();
    }

    /// How many rows and columns of blocks there are.
    pub fn vertices(&self) -> usize {
        self.pattern().vertices()
    }

    /// Where the blocks on and below the diagonal are; the others are at the mirrored places.
    pub fn pattern(&self) -> &Arc<Pattern> {
        self.layout.pattern()
    }

    /// Row and values of each block of a column, rows ascending.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (u32, &Matrix<D>)> {
        let (rows, above) = self.pattern().upper(column);
        let upper = rows.iter().zip(above).map(|(&row, &block)| (row, &self.values[block as usize][1]));
        let lower = self.pattern().lower(column);
        upper.chain(lower.map(|block| (self.pattern().rows()[block], &self.values[block][0])))
    }

    /// `out = A p`.
    ///
    /// # Panics
    /// If `p` or `out` is shorter than there are [`vertices`](Self::vertices).
    pub fn multiply(&self, p: &[Vector<D>], out: &mut [Vector<D>]) {
        out[..self.vertices()].fill(Vector::ZERO);
        for column in 0..self.vertices() {
            for (row, block) in self.column(column) {
                out[row as usize] += *block * p[column];
            }
        }
    }
}
