//! A symmetric block matrix with both triangles, by rows in another order.

use std::ops::Range;

use stiction::blocks::Blocks;
use stiction::math::{Matrix, Vector};
use stiction::threads;

/// Rows that a task copies.
const ROWS: usize = 512;

/// A block: its column, its number in the matrix, whether it is stored transposed.
type Place = (u32, u32, bool);

/// All blocks of a symmetric matrix, row by row, in an order in which neighbours are close to each other.
///
/// A product with a solid of 24,000 vertices takes 0.8 ms on one core, from the lower triangle alone 1.7 ms, where half of the blocks lie far from
/// each other; to copy them takes 12 ms.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows<const D: usize> {
    /// Where each row starts; one more entry than rows.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<Matrix<D>>,
}

impl<const D: usize> Rows<D> {
    /// Becomes the rows of a matrix in an order that says which vertex comes at each place, in the same memory.
    pub fn set(&mut self, matrix: &Blocks<D>, order: &[u32]) {
        let pattern = matrix.pattern();
        let mut places = vec![0; order.len()];
        self.starts.clear();
        self.starts.push(0);
        for (place, &vertex) in order.iter().enumerate() {
            places[vertex as usize] = place as u32;
            let length = pattern.lower(vertex as usize).len() + pattern.upper(vertex as usize).0.len();
            self.starts.push(self.starts[place] + length);
        }
        let count = self.starts[order.len()];
        self.columns.resize(count, 0);
        self.values.resize(count, Matrix::ZERO);
        self.fill(matrix, order, &places);
    }

    fn fill(&mut self, matrix: &Blocks<D>, order: &[u32], places: &[u32]) {
        let starts = &self.starts;
        let ranges = || (0..order.len()).step_by(ROWS).map(|first| first..order.len().min(first + ROWS));
        let blocks: Vec<_> = ranges().map(|rows| starts[rows.start]..starts[rows.end]).collect();
        let columns = split(&mut self.columns, blocks.iter().cloned());
        let values = split(&mut self.values, blocks.iter().cloned());
        let work: Vec<_> = ranges().zip(columns.into_iter().zip(values)).collect();
        threads::for_each(work, &|_, (rows, (columns, values))| {
            let mut out = columns.iter_mut().zip(values);
            let mut row = Vec::new();
            for vertex in &order[rows] {
                find(matrix, *vertex as usize, places, &mut row);
                for (&(place, block, is_transposed), (column, value)) in row.iter().zip(&mut out) {
                    let block = matrix.values()[block as usize];
                    (*column, *value) = (place, if is_transposed { block.transpose() } else { block });
                }
            }
        });
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The column and the values of each block of a row, columns ascending.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &Matrix<D>)> {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().map(|column| *column as usize).zip(&self.values[range])
    }

    /// Rows of `A p`.
    pub fn multiply(&self, p: &[Vector<D>], rows: Range<usize>, out: &mut [Vector<D>]) {
        for (row, out) in rows.zip(out) {
            let mut sum = Vector::ZERO;
            for (column, block) in self.row(row) {
                let p = p[column];
                for k in 0..D {
                    for l in 0..D {
                        sum[k] += block.0[k][l] * p[l];
                    }
                }
            }
            *out = sum;
        }
    }
}

/// The blocks of a row, columns ascending.
fn find<const D: usize>(matrix: &Blocks<D>, vertex: usize, places: &[u32], row: &mut Vec<Place>) {
    let pattern = matrix.pattern();
    let (above, blocks) = pattern.upper(vertex);
    row.clear();
    row.extend(above.iter().zip(blocks).map(|(column, block)| (places[*column as usize], *block, false)));
    let lower = pattern.lower(vertex);
    row.extend(lower.map(|block| (places[pattern.rows()[block] as usize], block as u32, true)));
    row.sort_unstable_by_key(|place| place.0);
}

/// Parts of a list, which follow each other from its start.
pub(super) fn split<T>(list: &mut [T], parts: impl Iterator<Item = Range<usize>>) -> Vec<&mut [T]> {
    let mut rest = list;
    parts
        .map(|part| {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(part.len());
            rest = others;
            own
        })
        .collect()
}
