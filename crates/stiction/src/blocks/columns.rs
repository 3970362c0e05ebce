//! A matrix of small blocks at any places, by columns.

use super::FullBlocks;
use crate::math::Matrix;
use crate::threads;

/// A block of a matrix that is not symmetric: row, column, values.
pub type Entry<const D: usize> = (u32, u32, Matrix<D>);

/// Columns that a task sorts.
const COLUMNS: usize = 256;

/// A matrix of `D × D` blocks by columns, rows ascending, every place once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryColumns<const D: usize> {
    /// Where each column starts; one more entry than columns.
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<Matrix<D>>,
}

/// Some columns: how many rows each has, and the blocks of all of them.
type Part<const D: usize> = (Vec<usize>, Vec<(u32, Matrix<D>)>);

impl<const D: usize> EntryColumns<D> {
    /// The sum of a matrix and of entries, of which several may have the same place; they are added in their order. In time
    /// proportional to their number, as long as columns do not grow with it; the same bits for any number of threads.
    ///
    /// # Panics
    /// If an entry is beyond the columns of the matrix.
    pub fn sum(full: &FullBlocks<D>, entries: &[Entry<D>]) -> Self {
        Self::by_columns(full.vertices(), entries, &|column, out| {
            out.extend(full.column(column).map(|(row, block)| (row, *block)));
        })
    }

    /// The sum of entries of a matrix with so many rows and columns of blocks, of which several may have the same place; they are
    /// added in their order.
    ///
    /// # Panics
    /// If an entry is beyond `vertices`.
    pub fn new(vertices: usize, entries: &[Entry<D>]) -> Self {
        Self::by_columns(vertices, entries, &|_, _| {})
    }

    /// `first` appends what a column has before all entries.
    fn by_columns(
        vertices: usize,
        entries: &[Entry<D>],
        first: &(dyn Fn(usize, &mut Vec<(u32, Matrix<D>)>) + Sync),
    ) -> Self {
        let (ends, order) = sorted(vertices, entries);
        let parts = threads::in_chunks_of(COLUMNS, vertices, &|columns| {
            let (mut lengths, mut blocks): Part<D> = (Vec::with_capacity(columns.len()), Vec::new());
            let mut column_blocks = Vec::new();
            for column in columns {
                column_blocks.clear();
                first(column, &mut column_blocks);
                let start = if column == 0 { 0 } else { ends[column - 1] };
                let own = order[start..ends[column]].iter().map(|&k| &entries[k as usize]);
                column_blocks.extend(own.map(|(row, _, block)| (*row, *block)));
                lengths.push(merge(&mut column_blocks, &mut blocks));
            }
            (lengths, blocks)
        });
        Self::joined(&parts)
    }

    fn joined(parts: &[Part<D>]) -> Self {
        let count = parts.iter().map(|(_, blocks)| blocks.len()).sum();
        let mut out =
            Self { starts: vec![0], rows: Vec::with_capacity(count), values: Vec::with_capacity(count) };
        let mut end = 0;
        for (lengths, blocks) in parts {
            out.starts.extend(lengths.iter().map(|length| {
                end += length;
                end
            }));
            out.rows.extend(blocks.iter().map(|(row, _)| row));
            out.values.extend(blocks.iter().map(|(_, block)| block));
        }
        out
    }

    /// How many rows and columns of blocks there are.
    pub fn vertices(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Where each column starts in the list of blocks; one more entry than columns.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Row and values of each block of a column, rows ascending.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (u32, &Matrix<D>)> {
        let range = self.starts[column]..self.starts[column + 1];
        self.rows[range.clone()].iter().copied().zip(&self.values[range])
    }
}

/// The numbers of the entries by columns, in their order in each, and where each column ends.
///
/// # Panics
/// If an entry is beyond `vertices`, or there are 2³² entries or more.
fn sorted<const D: usize>(vertices: usize, entries: &[Entry<D>]) -> (Vec<usize>, Vec<u32>) {
    assert!(u32::try_from(entries.len()).is_ok(), "a matrix is made of fewer than 2³² entries");
    let mut ends = vec![0; vertices];
    for &(row, column, _) in entries {
        assert!((row as usize) < vertices, "row {row} of a matrix with {vertices} rows of blocks");
        ends[column as usize] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        (*end, sum) = (sum, sum + *end);
    }
    let mut order = vec![0; entries.len()];
    for (k, &(_, column, _)) in entries.iter().enumerate() {
        let end = &mut ends[column as usize];
        order[*end] = k as u32;
        *end += 1;
    }
    (ends, order)
}

/// Appends the blocks of one column, rows ascending, those of the same row added up; returns how many.
fn merge<const D: usize>(column: &mut [(u32, Matrix<D>)], out: &mut Vec<(u32, Matrix<D>)>) -> usize {
    // Stable: blocks of the same row stay in their order.
    column.sort_by_key(|(row, _)| *row);
    let first = out.len();
    for same in column.chunk_by(|a, b| a.0 == b.0) {
        let mut sum = same[0];
        for (_, block) in &same[1..] {
            sum.1 += *block;
        }
        out.push(sum);
    }
    out.len() - first
}
