//! Work in chunks of fixed size: the only place that knows threads.
//!
//! The chunks and the order of their results do not depend on the number of threads, so what is made of them has
//! the same bits for any number.

use std::ops::Range;

use rayon::prelude::*;

/// Items a task handles; part of the bits of sums, so never a function of the number of threads.
const CHUNK: usize = 256;

/// The results of `f` for ranges that together are `0..count`, in their order.
///
/// `f` is called through a pointer: for a chunk that costs nothing, and to compile the threads' machinery for every
/// kind of work doubles the time of a build.
pub fn in_chunks<R: Send>(count: usize, f: &(dyn Fn(Range<usize>) -> R + Sync)) -> Vec<R> {
    if count <= CHUNK {
        return vec![f(0..count)];
    }
    let range = |chunk: usize| chunk * CHUNK..count.min((chunk + 1) * CHUNK);
    (0..count.div_ceil(CHUNK)).into_par_iter().map(|chunk| f(range(chunk))).collect()
}

/// The lists that `f` makes for ranges that together are `0..count`, one behind the other.
pub fn collect<R: Send>(count: usize, f: &(dyn Fn(Range<usize>) -> Vec<R> + Sync)) -> Vec<R> {
    in_chunks(count, f).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_everything_once_and_in_order() {
        for count in [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            assert_eq!(collect(count, &|range| range.collect::<Vec<_>>()), (0..count).collect::<Vec<_>>());
        }
    }
}
