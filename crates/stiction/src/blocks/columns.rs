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

/// Appends blocks of a column.
type First<'a, const D: usize> = dyn Fn(usize, &mut Vec<(u32, Matrix<D>)>) + Sync + 'a;

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
    fn by_columns(vertices: usize, entries: &[Entry<D>], first: &First<'_, D>) -> Self {
        let (ends, order) = sorted(vertices, entries);
        let parts = threads::in_chunks_of(COLUMNS, vertices, &|columns| {
            let (mut lengths, mut blocks): Part<D> = (Vec::with_capacity(columns.len()), Vec::new());
            let (mut before, mut keys) = (Vec::new(), Vec::new());
            for column in columns {
                before.clear();
                first(column, &mut before);
                let start = if column == 0 { 0 } else { ends[column - 1] };
                let own = Column { before: &before, entries, order: &order[start..ends[column]] };
                lengths.push(own.merge(&mut keys, &mut blocks));
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

/// What one column is the sum of.
struct Column<'a, const D: usize> {
    before: &'a [(u32, Matrix<D>)],
    entries: &'a [Entry<D>],
    /// Which entries belong to it.
    order: &'a [u32],
}

impl<const D: usize> Column<'_, D> {
    fn term(&self, k: usize) -> (u32, &Matrix<D>) {
        if let Some((row, block)) = self.before.get(k) {
            return (*row, block);
        }
        let (row, _, block) = &self.entries[self.order[k - self.before.len()] as usize];
        (*row, block)
    }

    /// Appends the blocks, rows ascending, those of the same row added up in their order; returns how many. Sorts their numbers:
    /// blocks are large.
    fn merge(&self, keys: &mut Vec<u64>, out: &mut Vec<(u32, Matrix<D>)>) -> usize {
        keys.clear();
        let count = self.before.len() + self.order.len();
        keys.extend((0..count).map(|k| u64::from(self.term(k).0) << 32 | k as u64));
        keys.sort_unstable();
        let first = out.len();
        for key in keys {
            let (row, block) = self.term(*key as u32 as usize);
            match out[first..].last_mut() {
                Some((last, sum)) if *last == row => *sum += *block,
                _ => out.push((row, *block)),
            }
        }
        out.len() - first
    }
}
