//! Which places of a symmetric block matrix are not zero.

use std::ops::Range;

use super::stencils::{StencilList, Stencils, pair_count};
use crate::threads;

/// Stencils in a task.
const CHUNK: usize = 4096;

/// Columns longer than this are searched by halving.
const LONG: usize = 32;

/// The places of the blocks of a symmetric matrix: the lower triangle by columns, rows ascending, every place once, and
/// where the transposes of its blocks lie above the diagonal.
///
/// A column that any stencil touches begins with its diagonal block; the others are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    starts: Vec<u32>,
    rows: Vec<u32>,
    upper_starts: Vec<u32>,
    upper_rows: Vec<u32>,
    upper_blocks: Vec<u32>,
}

impl Pattern {
    /// How many rows and columns of blocks there are.
    pub fn vertices(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Where each column starts in [`rows`](Self::rows); one more entry than columns.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The row of each block on or below the diagonal.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The blocks of a column on and below the diagonal.
    #[inline]
    pub fn lower(&self, column: usize) -> Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// The rows of a column above the diagonal, ascending, and which blocks to transpose for them.
    #[inline]
    pub fn upper(&self, column: usize) -> (&[u32], &[u32]) {
        let range = self.upper_starts[column] as usize..self.upper_starts[column + 1] as usize;
        (&self.upper_rows[range.clone()], &self.upper_blocks[range])
    }

    /// How many blocks lie left of and above this column's, in both triangles.
    #[inline]
    pub(super) fn full_start(&self, column: usize) -> usize {
        self.starts[column] as usize + self.upper_starts[column] as usize
    }

    /// The block at a row and column, row ≥ column, that is known to exist.
    #[inline]
    fn find(&self, row: u32, column: u32) -> u32 {
        let range = self.lower(column as usize);
        let rows = &self.rows[range];
        let before = if rows.len() > LONG {
            rows.partition_point(|&other| other < row) as u32
        } else {
            rows.iter().map(|&other| u32::from(other < row)).sum()
        };
        self.starts[column as usize] + before
    }

    /// Columns in ranges with about as many blocks each, as many as there are threads.
    pub(super) fn ranges(&self) -> Vec<Range<usize>> {
        balanced(self.vertices(), threads::count(), |column| self.full_start(column))
    }

    /// The pattern with these rows on and below the diagonal, ascending in each column, given how many each column has: none, or the diagonal first.
    pub(super) fn of_columns(lengths: &[u32], rows: Vec<u32>) -> Self {
        let end = |sum: &mut u32, length: &u32| {
            *sum += length;
            Some(*sum)
        };
        let starts = std::iter::once(0).chain(lengths.iter().scan(0, end)).collect();
        let mut pattern = Self { starts, rows, ..Self::default() };
        pattern.transpose();
        pattern
    }

    fn set(&mut self, columns: &[Columns]) {
        self.starts.clear();
        self.starts.push(0);
        self.rows.clear();
        for part in columns {
            for length in &part.lengths {
                self.starts.push(self.starts[self.starts.len() - 1] + length);
            }
            self.rows.extend_from_slice(&part.rows);
        }
        assert!(u32::try_from(self.rows.len()).is_ok(), "a matrix has fewer than 2³² blocks");
        self.transpose();
    }

    /// The places above the diagonal, by counting.
    fn transpose(&mut self) {
        let vertices = self.vertices();
        self.upper_starts.clear();
        self.upper_starts.resize(vertices + 1, 0);
        for column in 0..vertices {
            for block in self.lower(column).skip(1) {
                self.upper_starts[self.rows[block] as usize + 1] += 1;
            }
        }
        for row in 0..vertices {
            self.upper_starts[row + 1] += self.upper_starts[row];
        }
        let mut next = self.upper_starts.clone();
        let count = self.upper_starts.last().map_or(0, |&count| count as usize);
        self.upper_rows.resize(count, 0);
        self.upper_blocks.resize(count, 0);
        for column in 0..vertices {
            for block in self.lower(column).skip(1) {
                let next = &mut next[self.rows[block] as usize];
                self.upper_rows[*next as usize] = column as u32;
                self.upper_blocks[*next as usize] = block as u32;
                *next += 1;
            }
        }
    }
}

/// Blocks that are worth a thread.
const LEAST: usize = 512;

/// How many parts work on so many blocks is worth.
fn worthwhile(parts: usize, blocks: usize) -> usize {
    parts.min(blocks / LEAST).max(1)
}

/// `0..count` in at most `parts` ranges of about the same weight, given the weight before each place and in total.
fn balanced(count: usize, parts: usize, weight: impl Fn(usize) -> usize) -> Vec<Range<usize>> {
    if count == 0 {
        return Vec::new();
    }
    let total = weight(count);
    let parts = worthwhile(parts, total);
    let mut ranges = Vec::with_capacity(parts);
    let mut start = 0;
    for part in 1..=parts {
        let (mut low, mut high) = (start, count);
        while part < parts && low < high {
            let middle = low.midpoint(high);
            // In this order a product does not leave the range of numbers.
            if weight(middle) < total / parts * part { low = middle + 1 } else { high = middle }
        }
        ranges.push(start..high);
        start = high;
    }
    ranges
}

/// Memory for finding patterns.
#[derive(Clone, Debug, Default)]
pub(super) struct Builder {
    parts: Vec<Part>,
    columns: Vec<Columns>,
}

impl Builder {
    /// Makes the pattern of the stencils and the `slots` of their pairs of vertices in it.
    ///
    /// The work is parted by stencils, then by columns, then by stencils again. The pattern is a set, ordered, so how it
    /// is parted leaves no trace.
    ///
    /// # Panics
    /// If a stencil names a vertex beyond `vertices`, or there are 2³² blocks or more.
    pub(super) fn build(
        &mut self,
        stencils: &Stencils,
        vertices: usize,
        pattern: &mut Pattern,
        slots: &mut Vec<u32>,
    ) {
        // After a panic below, the pattern is not taken for that of the stencils.
        pattern.starts.clear();
        let chunks = stencils.chunks(CHUNK);
        let pairs = chunks.iter().map(|chunk| chunk.count() * pair_count(chunk.n)).sum();
        let threads = worthwhile(threads::count(), pairs);
        let groups: Vec<_> = chunks.chunks(chunks.len().div_ceil(threads).max(1)).collect();
        self.parts.resize_with(groups.len(), Part::default);
        let work: Vec<_> = self.parts.iter_mut().zip(groups).collect();
        threads::for_each(work, &|_, (part, chunks)| part.fill(chunks, vertices));
        let parts = &self.parts;
        let before = |column| parts.iter().map(|part| part.begin(column)).sum::<usize>();
        let ranges = balanced(vertices, threads, before);
        self.columns.resize_with(ranges.len(), Columns::default);
        let work: Vec<_> = self.columns.iter_mut().zip(ranges).collect();
        threads::for_each(work, &|_, (columns, range)| columns.fill(parts, vertices, range));
        pattern.set(&self.columns);
        find_slots(&chunks, pattern, slots);
    }
}

/// Where each pair of each stencil lies in the pattern.
fn find_slots(chunks: &[StencilList<'_>], pattern: &Pattern, slots: &mut Vec<u32>) {
    let lengths = chunks.iter().map(|chunk| chunk.count() * pair_count(chunk.n));
    let count = lengths.clone().sum();
    slots.resize(count, 0);
    let (mut work, mut rest) = (Vec::with_capacity(chunks.len()), &mut slots[..]);
    for (chunk, length) in chunks.iter().zip(lengths) {
        let (own, others) = rest.split_at_mut(length);
        work.push((chunk, own));
        rest = others;
    }
    threads::for_each_of(count, work, &|_, (chunk, slots)| {
        let mut slots = slots.iter_mut();
        chunk.pairs(|row, column| {
            if let Some(slot) = slots.next() {
                *slot = pattern.find(row, column);
            }
        });
    });
}

/// The pairs of some stencils, sorted by column.
#[derive(Clone, Debug, Default)]
struct Part {
    /// Whether a vertex is in any of the stencils.
    touched: Vec<bool>,
    /// Where each column ends in `rows`; the next begins there.
    ends: Vec<usize>,
    /// The rows of all pairs below the diagonal, by columns, as often as they occur.
    rows: Vec<u32>,
}

impl Part {
    fn fill(&mut self, chunks: &[StencilList<'_>], vertices: usize) {
        self.touched.clear();
        self.touched.resize(vertices, false);
        self.ends.clear();
        self.ends.resize(vertices, 0);
        for chunk in chunks {
            for &v in chunk.vertices {
                self.touched[v as usize] = true;
            }
            chunk.pairs(|row, column| self.ends[column as usize] += usize::from(row != column));
        }
        let mut sum = 0;
        for end in &mut self.ends {
            (*end, sum) = (sum, sum + *end);
        }
        self.rows.resize(sum, 0);
        for chunk in chunks {
            chunk.pairs(|row, column| {
                if row != column {
                    let end = &mut self.ends[column as usize];
                    self.rows[*end] = row;
                    *end += 1;
                }
            });
        }
    }

    /// Where a column begins in `rows`.
    fn begin(&self, column: usize) -> usize {
        if column == 0 { 0 } else { self.ends[column - 1] }
    }
}

/// The rows of a range of columns, each once, ascending.
#[derive(Clone, Debug, Default)]
struct Columns {
    /// The column that saw a row last.
    seen: Vec<u32>,
    /// How many rows each column has.
    lengths: Vec<u32>,
    /// The rows of all columns.
    rows: Vec<u32>,
}

impl Columns {
    fn fill(&mut self, parts: &[Part], vertices: usize, range: Range<usize>) {
        self.seen.clear();
        self.seen.resize(vertices, u32::MAX);
        self.lengths.clear();
        self.rows.clear();
        for column in range {
            let first = self.rows.len();
            if parts.iter().any(|part| part.touched[column]) {
                self.rows.push(column as u32);
            }
            for part in parts {
                self.add_new(&part.rows[part.begin(column)..part.ends[column]], column as u32);
            }
            self.rows[first..].sort_unstable();
            self.lengths.push((self.rows.len() - first) as u32);
        }
    }

    /// Adds the rows that the column has not seen. Written always, kept if new: there is nothing to guess for branches.
    fn add_new(&mut self, rows: &[u32], column: u32) {
        let mut length = self.rows.len();
        self.rows.resize(length + rows.len(), 0);
        for &row in rows {
            let seen = &mut self.seen[row as usize];
            self.rows[length] = row;
            length += usize::from(*seen != column);
            *seen = column;
        }
        self.rows.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_all_and_share_the_weight() {
        // Column c weighs c.
        let weight = |c: usize| c * c.saturating_sub(1) / 2;
        for (count, parts) in [(0, 3), (1, 4), (100, 1), (100, 4)] {
            let ranges = balanced(count, parts, weight);
            assert_eq!(ranges.iter().cloned().flatten().collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
            let total = weight(count);
            let heaviest = ranges.iter().map(|r| weight(r.end) - weight(r.start)).max().unwrap_or(0);
            assert!(heaviest <= total / parts.max(1) + 100, "{ranges:?}");
        }
    }
}
