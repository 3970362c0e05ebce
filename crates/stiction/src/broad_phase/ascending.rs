//! Pairs in ascending order, by counting.
//!
//! The lists of pairs are first dealt out by runs of first places; then each run is put in order by itself, in a part
//! of memory that stays in cache, straight into its piece of the result.

use wide::{CmpGt, i32x4};

use super::group::Places;
use crate::threads;

/// First places that are put in order together.
const RUN: usize = 512;

/// Lists are dealt out in so many parts at most.
const DEALS: usize = 128;

/// The pairs of a list, dealt out by run.
struct Dealt {
    pairs: Vec<Places>,
    /// Where the pairs of each run start; one more entry than there are runs.
    starts: Vec<u32>,
}

impl Dealt {
    fn new(found: &[Vec<Places>], runs: usize) -> Self {
        let mut starts = vec![0; runs + 1];
        for pair in found.iter().flatten() {
            starts[run_of(*pair) + 1] += 1;
        }
        for run in 0..runs {
            starts[run + 1] += starts[run];
        }
        let mut next = starts.clone();
        let mut pairs = vec![0; found.iter().map(Vec::len).sum()];
        for pair in found.iter().flatten() {
            let next = &mut next[run_of(*pair)];
            pairs[*next as usize] = *pair;
            *next += 1;
        }
        Self { pairs, starts }
    }

    fn of_run(&self, run: usize) -> &[Places] {
        &self.pairs[self.starts[run] as usize..self.starts[run + 1] as usize]
    }
}

fn run_of(pair: Places) -> usize {
    (pair >> 32) as usize / RUN
}

/// The pairs of all lists, in ascending order of their places, each turned into numbers.
///
/// `count` is the number of first places. The lists hold every pair once, in any order.
pub(super) fn ascending(
    found: Vec<Vec<Places>>,
    count: usize,
    number: impl Fn(u32, u32) -> (u32, u32) + Sync,
) -> Vec<(u32, u32)> {
    let runs = count.div_ceil(RUN);
    // A bounded number of deals: each has an entry for every run.
    let lists = found.len().div_ceil(DEALS).max(1);
    let dealt = threads::in_chunks_of(lists, found.len(), &|range| Dealt::new(&found[range], runs));
    drop(found);
    let lengths: Vec<usize> = (0..runs).map(|run| dealt.iter().map(|d| d.of_run(run).len()).sum()).collect();
    let mut out = vec![(0, 0); lengths.iter().sum()];
    threads::for_each(pieces(&mut out, &lengths), &|run, piece| fill(piece, run, &dealt, &number));
    out
}

/// The slice cut into pieces of the given lengths.
fn pieces<'a, T>(mut rest: &'a mut [T], lengths: &[usize]) -> Vec<&'a mut [T]> {
    let mut out = Vec::with_capacity(lengths.len());
    for length in lengths {
        let (piece, tail) = std::mem::take(&mut rest).split_at_mut(*length);
        out.push(piece);
        rest = tail;
    }
    out
}

/// Writes the pairs of one run in order.
fn fill(
    piece: &mut [(u32, u32)],
    run: usize,
    dealt: &[Dealt],
    number: &(impl Fn(u32, u32) -> (u32, u32) + Sync),
) {
    let (mut seconds, ends) = by_row(run, dealt, piece.len());
    let mut start = 0;
    for (first, &end) in (run * RUN..).zip(&ends) {
        let row = &mut seconds[start..end];
        sort(row);
        for (out, second) in piece[start..end].iter_mut().zip(row) {
            *out = number(first as u32, *second);
        }
        start = end;
    }
}

/// The second places of a run's pairs, dealt out by first place, and where those of each end.
fn by_row(run: usize, dealt: &[Dealt], count: usize) -> (Vec<u32>, [usize; RUN]) {
    let row = |pair: Places| (pair >> 32) as usize % RUN;
    let mut next = [0; RUN];
    for list in dealt {
        for &pair in list.of_run(run) {
            next[row(pair)] += 1;
        }
    }
    let mut sum = 0;
    for entry in &mut next {
        sum += std::mem::replace(entry, sum);
    }
    let mut seconds = vec![0; count];
    for list in dealt {
        for &pair in list.of_run(run) {
            let next: &mut usize = &mut next[row(pair)];
            seconds[*next] = pair as u32;
            *next += 1;
        }
    }
    // Each start has moved on to the end of its row.
    (seconds, next)
}

/// Rows up to this length are sorted by [`sort_short`].
const SHORT: usize = 32;

fn sort(row: &mut [u32]) {
    match row.len() {
        0 | 1 => (),
        2..=SHORT => sort_short(row),
        _ => row.sort_unstable(),
    }
}

/// Sorts different numbers by counting how many are smaller than each: without branches, so faster than
/// comparing neighbours for the rows of about ten that are usual.
fn sort_short(row: &mut [u32]) {
    // The same order among signed numbers, which is what can be compared.
    let signed = |value: u32| (value ^ 1 << 31).cast_signed();
    let mut sorted = [0; SHORT];
    for four in row.chunks(4) {
        let mut values = [0; 4];
        values[..four.len()].copy_from_slice(four);
        let values = i32x4::new(values.map(signed));
        let mut smaller = i32x4::ZERO;
        for value in &*row {
            // The comparison is -1 where it holds.
            smaller -= values.cmp_gt(i32x4::splat(signed(*value)));
        }
        for (value, place) in four.iter().zip(smaller.to_array()) {
            sorted[place.unsigned_abs() as usize % SHORT] = *value;
        }
    }
    for (out, value) in row.iter_mut().zip(sorted) {
        *out = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad_phase::group::places;

    #[test]
    fn any_order_becomes_ascending() {
        let count = 3 * RUN + 1;
        let mut pairs = Vec::new();
        for k in 0..2000_u32 {
            pairs.push((k.wrapping_mul(2_654_435_761) % count as u32, k.wrapping_mul(40_503) % 9999));
        }
        let lists = pairs.chunks(300).map(|list| list.iter().map(|&(a, b)| places(a, b)).collect());
        let found = ascending(lists.collect(), count, |a, b| (a, b));
        pairs.sort_unstable();
        assert_eq!(found, pairs);
        assert!(ascending(vec![], 0, |a, b| (a, b)).is_empty());
    }
}
