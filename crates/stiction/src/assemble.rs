//! Sums over stencils, on any number of threads.
//!
//! Chunks of fixed size are added in their order, so the bits of every sum are the same for any number of threads.

use crate::blocks::Blocks;
use crate::math::{Matrix, Vector};
use crate::stencil::Stencil;
use crate::threads::{collect, in_chunks};

/// `Σ f(k, item k)`.
pub fn energy<T: Sync>(items: &[T], f: impl Fn(usize, &T) -> f64 + Sync) -> f64 {
    sum(items.len(), |k| f(k, &items[k]))
}

/// `Σ f(i)` for `i` from 0 to `count − 1`.
pub fn sum(count: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    in_chunks(count, &|range| range.map(&f).sum::<f64>()).iter().sum()
}

/// `f(k, item k)` of every item.
pub fn each<T: Sync, R: Send>(items: &[T], f: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    collect(items.len(), &|range| range.map(|k| f(k, &items[k])).collect())
}

/// Adds the local gradients `f(k, item k)` to `out`.
///
/// # Panics
/// If a stencil names a vertex beyond `out`.
pub fn gradient<T: Sync, const D: usize, const N: usize>(
    items: &[T],
    out: &mut [Vector<D>],
    f: impl Fn(usize, &T) -> (Stencil<N>, [Vector<D>; N]) + Sync,
) {
    let locals = in_chunks(items.len(), &|range| range.map(|k| f(k, &items[k])).collect::<Vec<_>>());
    for (stencil, local) in locals.iter().flatten() {
        for i in 0..N {
            out[stencil.0[i] as usize] += local[i];
        }
    }
}

/// Adds the local Hessians `f(k, item k)`, which must be symmetric, to `out`.
pub fn hessian<T: Sync, const D: usize, const N: usize>(
    items: &[T],
    out: &mut Blocks<D>,
    f: impl Fn(usize, &T) -> (Stencil<N>, [[Matrix<D>; N]; N]) + Sync,
) {
    let locals = in_chunks(items.len(), &|range| {
        let mut blocks = Blocks::default();
        for (stencil, local) in range.map(|k| f(k, &items[k])) {
            blocks.push(&stencil, &local);
        }
        blocks
    });
    for local in &locals {
        out.extend(local);
    }
}
