//! A symmetric matrix as a list of small blocks, and its compressed form.

use crate::math::Matrix;
use crate::stencil::Stencil;

/// Where local matrices will be added: lists of stencils, one for each kind of term, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stencils {
    /// How many vertices the stencils of each list have, and how many stencils there are.
    lists: Vec<(usize, usize)>,
    /// The vertices of all of them.
    vertices: Vec<u32>,
}

impl Stencils {
    /// Adds a list, which may be empty.
    pub fn push<const N: usize>(&mut self, stencils: impl Iterator<Item = Stencil<N>>) {
        let before = self.vertices.len();
        self.vertices.extend(stencils.flat_map(|stencil| stencil.0));
        self.lists.push((N, (self.vertices.len() - before) / N.max(1)));
    }
}

/// One block of a [`Blocks`] matrix: row, column (row ≥ column) and values.
pub type Block<const D: usize> = (u32, u32, Matrix<D>);

/// A symmetric matrix of `D × D` blocks, one row and column of blocks a vertex, as a sum of entries.
///
/// Only blocks on and below the diagonal are kept. The same place may occur many times; the values
/// add up in the order in which they were pushed, so the sum does not depend on threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blocks<const D: usize> {
    entries: Vec<Block<D>>,
}

impl<const D: usize> Blocks<D> {
    /// Removes all entries and keeps the memory.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The entries in the order in which they were pushed.
    pub fn entries(&self) -> &[Block<D>] {
        &self.entries
    }

    /// Adds a symmetric local matrix at the vertices of a stencil.
    #[inline]
    pub fn push<const N: usize>(&mut self, stencil: &Stencil<N>, local: &[[Matrix<D>; N]; N]) {
        for i in 0..N {
            for j in 0..N {
                let (row, column) = (stencil.0[i], stencil.0[j]);
                if row > column || i == j {
                    self.entries.push((row, column, local[i][j]));
                }
            }
        }
    }

    /// Adds entries made elsewhere.
    pub fn extend(&mut self, other: &Self) {
        self.entries.extend_from_slice(&other.entries);
    }

    /// The same matrix with every place once: see [`Compressed`].
    ///
    /// # Panics
    /// If an entry lies outside `vertices`.
    pub fn compress(&self, vertices: usize) -> Compressed<D> {
        let mut start = vec![0_usize; vertices + 1];
        for &(_, column, _) in &self.entries {
            start[column as usize + 1] += 1;
        }
        for column in 0..vertices {
            start[column + 1] += start[column];
        }
        // Stable: within a column, and then within a place, the order of pushing is kept.
        let mut next = start.clone();
        let mut order = vec![0_u32; self.entries.len()];
        for (index, &(_, column, _)) in self.entries.iter().enumerate() {
            order[next[column as usize]] = index as u32;
            next[column as usize] += 1;
        }
        let mut out = Compressed { starts: vec![0], rows: Vec::new(), blocks: Vec::new() };
        for column in 0..vertices {
            let places = &mut order[start[column]..start[column + 1]];
            places.sort_by_key(|&index| (self.entries[index as usize].0, index));
            out.push_column(places.iter().map(|&index| &self.entries[index as usize]));
        }
        out
    }
}

/// The lower triangle of a symmetric block matrix by columns, rows ascending, every place once.
#[derive(Clone, Debug, PartialEq)]
pub struct Compressed<const D: usize> {
    /// Where each column starts in `rows` and `blocks`; one more entry than columns.
    pub starts: Vec<usize>,
    /// The row of each block.
    pub rows: Vec<u32>,
    /// The blocks.
    pub blocks: Vec<Matrix<D>>,
}

impl<const D: usize> Compressed<D> {
    fn push_column<'a>(&mut self, entries: impl Iterator<Item = &'a Block<D>>) {
        let first = self.rows.len();
        for (row, _, block) in entries {
            if self.rows.len() > first && self.rows.last() == Some(row) {
                if let Some(sum) = self.blocks.last_mut() {
                    *sum += *block;
                }
            } else {
                self.rows.push(*row);
                self.blocks.push(*block);
            }
        }
        self.starts.push(self.rows.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_places_add_up() {
        let mut blocks = Blocks::<2>::default();
        let local = [[Matrix::scalar(1.0), Matrix::scalar(2.0)], [Matrix::scalar(2.0), Matrix::scalar(3.0)]];
        blocks.push(&Stencil([2, 0]), &local);
        blocks.push(&Stencil([0, 2]), &local);
        let sum = blocks.compress(3);
        assert_eq!(sum.starts, [0, 2, 2, 3]);
        assert_eq!(sum.rows, [0, 2, 2]);
        assert_eq!(sum.blocks, [4.0, 4.0, 4.0].map(Matrix::scalar));
        assert_eq!(Blocks::<2>::default().compress(1).starts, [0, 0]);
    }
}
