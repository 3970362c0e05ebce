//! Some rows and columns of a symmetric block matrix, as a matrix of their own.

use std::sync::Arc;

use super::{Blocks, Pattern};
use crate::threads;

/// Blocks that a task copies.
const CHUNK: usize = 4096;

/// Which blocks of a pattern are left where only some rows and columns are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Submatrix {
    /// Where they are then.
    pattern: Arc<Pattern>,
    /// The number of each of them among those of the whole.
    blocks: Vec<u32>,
}

impl Submatrix {
    /// Takes rows and columns with their new `numbers`, which ascend and are below `count`, and leaves out those without.
    pub(crate) fn new(whole: &Pattern, numbers: &[Option<u32>], count: usize) -> Self {
        let (mut lengths, mut rows, mut blocks) = (vec![0; count], Vec::new(), Vec::new());
        for (column, number) in numbers.iter().enumerate() {
            let Some(number) = number else { continue };
            let start = rows.len();
            for block in whole.lower(column) {
                if let Some(row) = numbers[whole.rows()[block] as usize] {
                    rows.push(row);
                    blocks.push(block as u32);
                }
            }
            lengths[*number as usize] = (rows.len() - start) as u32;
        }
        Self { pattern: Arc::new(Pattern::of_columns(&lengths, rows)), blocks }
    }

    /// Makes `out` the submatrix of a matrix with the whole pattern.
    pub(crate) fn copy<const D: usize>(&self, whole: &Blocks<D>, out: &mut Blocks<D>) {
        let values = out.lend(&self.pattern);
        let parts: Vec<_> = values.chunks_mut(CHUNK).zip(self.blocks.chunks(CHUNK)).collect();
        threads::for_each_of(self.blocks.len(), parts, &|_, (values, blocks)| {
            for (value, block) in values.iter_mut().zip(blocks) {
                *value = whole.values()[*block as usize];
            }
        });
    }
}
