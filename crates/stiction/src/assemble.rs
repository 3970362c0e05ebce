//! Sums over stencils, on any number of threads.
//!
//! Work is cut into chunks of fixed size, and chunk results are added in their order, so the bits of
//! every sum are the same for any number of threads.

use rayon::prelude::*;

use crate::blocks::Blocks;
use crate::math::{Matrix, Vector};
use crate::stencil::Stencil;

/// Terms a task handles; part of the result's bits, so never a function of the number of threads.
const CHUNK: usize = 256;

/// `Σ f(item)`.
pub fn energy<T: Sync>(items: &[T], f: impl Fn(&T) -> f64 + Sync) -> f64 {
    sum(items.len(), |i| f(&items[i]))
}

/// `Σ f(i)` for `i` from 0 to `count − 1`.
pub fn sum(count: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let chunk_sum = |chunk: usize| (chunk * CHUNK..count.min((chunk + 1) * CHUNK)).map(&f).sum();
    let sums: Vec<f64> = (0..count.div_ceil(CHUNK)).into_par_iter().map(chunk_sum).collect();
    sums.iter().sum()
}

/// Adds the local gradients `f(item)` to `out`.
///
/// # Panics
/// If a stencil names a vertex beyond `out`.
pub fn gradient<T: Sync, const D: usize, const N: usize>(
    items: &[T],
    out: &mut [Vector<D>],
    f: impl Fn(&T) -> (Stencil<N>, [Vector<D>; N]) + Sync,
) {
    let locals: Vec<Vec<_>> = items.par_chunks(CHUNK).map(|chunk| chunk.iter().map(&f).collect()).collect();
    for (stencil, local) in locals.iter().flatten() {
        for i in 0..N {
            out[stencil.0[i] as usize] += local[i];
        }
    }
}

/// Adds the local Hessians `f(item)`, which must be symmetric, to `out`.
pub fn hessian<T: Sync, const D: usize, const N: usize>(
    items: &[T],
    out: &mut Blocks<D>,
    f: impl Fn(&T) -> (Stencil<N>, [[Matrix<D>; N]; N]) + Sync,
) {
    let locals: Vec<Blocks<D>> = items
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut blocks = Blocks::default();
            for (stencil, local) in chunk.iter().map(&f) {
                blocks.push(&stencil, &local);
            }
            blocks
        })
        .collect();
    for local in &locals {
        out.extend(local);
    }
}
