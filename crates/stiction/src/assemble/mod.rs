//! Sums over stencils, on any number of threads.
//!
//! Energies are sums of chunks of fixed size in their order; every entry of a gradient and every block of a Hessian is
//! the sum of its terms in the order of the items. So the bits are the same for any number of threads.

mod ordered;

use std::ops::Range;

use crate::blocks::stencils::pair_count;
use crate::blocks::{Blocks, FullBlocks, Places};
use crate::math::{Matrix, Vector};
use crate::stencil::Stencil;
use crate::threads::{self, collect, in_chunks};
use ordered::Sink;

/// What is made of a Hessian `H`, a sum of local matrices.
#[derive(Debug)]
pub enum Assembly<'a, const D: usize> {
    /// The matrix, whose [`begin`](Blocks::begin) said where local matrices will be added.
    Matrix(&'a mut Blocks<D>),
    /// `out += H p`; no matrix is stored.
    Product {
        /// `p`.
        p: &'a [Vector<D>],
        /// `out`.
        out: &'a mut [Vector<D>],
    },
    /// Adds the blocks on the diagonal of `H`, one for each vertex.
    Diagonal(&'a mut [Matrix<D>]),
    /// `sum += pᵀ H p`.
    Form {
        /// `p`.
        p: &'a [Vector<D>],
        /// The sum.
        sum: &'a mut f64,
    },
}

/// The blocks of a local matrix.
type Local<const D: usize, const N: usize> = [[Matrix<D>; N]; N];

/// Takes the number, the stencil and the local matrix of an item.
type Take<'a, const D: usize, const N: usize> = dyn FnMut(usize, &Stencil<N>, &Local<D, N>) + 'a;

/// Computes a range of items. Called through a pointer, so that formulas are compiled once for all that is made of them.
type Terms<'a, const D: usize, const N: usize> = dyn Fn(Range<usize>, &mut Take<'_, D, N>) + Sync + 'a;

/// `Σ f(k, item k)`.
pub fn energy<T: Sync>(items: &[T], f: impl Fn(usize, &T) -> f64 + Sync) -> f64 {
    sum(items.len(), |k| f(k, &items[k]))
}

/// `Σ f(i)` for `i` from 0 to `count − 1`.
pub fn sum(count: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    total(&in_chunks(count, &|range| range.map(&f).sum::<f64>()))
}

/// `Σ value(k, d2(k, item k))`: both for a few items at a time, as in [`gradient_along`].
pub fn energy_of<T: Sync>(
    items: &[T],
    d2: impl Fn(usize, &T) -> f64 + Sync,
    value: impl Fn(usize, f64) -> f64 + Sync,
) -> f64 {
    let of_range = |range: Range<usize>| {
        let (mut sum, mut distances) = (0.0, [0.0; BLOCK]);
        for start in range.clone().step_by(BLOCK) {
            let count = BLOCK.min(range.end - start);
            for i in 0..count {
                distances[i] = d2(start + i, &items[start + i]);
            }
            for i in 0..count {
                sum += value(start + i, distances[i]);
            }
        }
        sum
    };
    total(&in_chunks(items.len(), &of_range))
}

/// Their sum; 0 and not −0 for nothing.
fn total(parts: &[f64]) -> f64 {
    parts.iter().fold(0.0, |sum, part| sum + part)
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
    ordered::add(items.len(), N, out, &|range, sink| {
        for k in range {
            let (stencil, local) = f(k, &items[k]);
            for i in 0..N {
                sink.add(stencil.0[i], &local[i]);
            }
        }
    });
}

/// A local gradient along one vector: `factor · cᵢ r` for each vertex `i`.
#[derive(Clone, Copy, Debug)]
pub struct Along<const D: usize, const N: usize> {
    /// The vertices.
    pub stencil: Stencil<N>,
    /// `c`.
    pub c: [f64; N],
    /// `r`.
    pub r: Vector<D>,
    /// `|r|²`.
    pub d2: f64,
}

/// Items whose vectors are made before their factors.
const BLOCK: usize = 16;

/// Items whose vectors wait to be added at a time: they should stay in the cache.
const BATCH: usize = 8192;

/// Adds local gradients along vectors `along(k, item k)`, with the factors `factor(k, |r|²)`, to `out`.
///
/// Vectors, factors and terms are made for a few items at a time each: the divisions and logarithms of one item then
/// wait for nothing of another: 28 ns a contact, 33 one by one.
///
/// # Panics
/// If a stencil names a vertex beyond `out`.
pub fn gradient_along<T: Sync, const D: usize, const N: usize>(
    items: &[T],
    out: &mut [Vector<D>],
    along: impl Fn(usize, &T) -> Along<D, N> + Sync,
    factor: impl Fn(usize, f64) -> f64 + Sync,
) {
    let blocks = |range: Range<usize>, take: &mut TakeAlong<'_, D, N>| {
        let none = Along { stencil: Stencil([0; N]), c: [0.0; N], r: Vector::ZERO, d2: 0.0 };
        let (mut vectors, mut factors) = ([none; BLOCK], [0.0; BLOCK]);
        for start in range.clone().step_by(BLOCK) {
            let count = BLOCK.min(range.end - start);
            for i in 0..count {
                vectors[i] = along(start + i, &items[start + i]);
            }
            for i in 0..count {
                factors[i] = factor(start + i, vectors[i].d2);
            }
            take(&vectors[..count], &factors[..count]);
        }
    };
    add_along(items.len(), out, &blocks);
}

/// Takes the vectors and factors of a few items.
type TakeAlong<'a, const D: usize, const N: usize> = dyn FnMut(&[Along<D, N>], &[f64]) + 'a;

/// Adds what `blocks` makes of ranges, in the order of the items. On several threads vectors and factors are made at the same time, and
/// one thread adds them: that is a third of the work, and queues for several cost more.
fn add_along<const D: usize, const N: usize>(
    count: usize,
    out: &mut [Vector<D>],
    blocks: &(dyn Fn(Range<usize>, &mut TakeAlong<'_, D, N>) + Sync),
) {
    let mut add = |vectors: &[Along<D, N>], factors: &[f64]| {
        for (vector, factor) in vectors.iter().zip(factors) {
            for j in 0..N {
                out[vector.stencil.0[j] as usize] += vector.r * (factor * vector.c[j]);
            }
        }
    };
    if count <= BATCH || threads::count() == 1 {
        return blocks(0..count, &mut add);
    }
    for start in (0..count).step_by(BATCH) {
        let made = in_chunks(BATCH.min(count - start), &|range| {
            let (mut vectors, mut factors) =
                (Vec::with_capacity(range.len()), Vec::with_capacity(range.len()));
            blocks(start + range.start..start + range.end, &mut |v, f| {
                vectors.extend_from_slice(v);
                factors.extend_from_slice(f);
            });
            (vectors, factors)
        });
        for (vectors, factors) in &made {
            add(vectors, factors);
        }
    }
}

/// Adds the local Hessians `f(k, item k)`, which must be symmetric, at the vertices `stencil(k, item k)` to `out`.
///
/// The stencil comes from a function of its own: a local Hessian that is returned alone is written where it is used,
/// without a copy.
///
/// # Panics
/// If a stencil names a vertex that does not exist, or `out` is a matrix and the stencils are not those that were listed
/// for it: see [`Potential::stencils`](crate::potential::Potential::stencils).
pub fn hessian<T: Sync, const D: usize, const N: usize>(
    items: &[T],
    out: &mut Assembly<'_, D>,
    stencil: impl Fn(usize, &T) -> Stencil<N> + Sync,
    f: impl Fn(usize, &T) -> [[Matrix<D>; N]; N] + Sync,
) {
    let terms = |range: Range<usize>, take: &mut Take<'_, D, N>| {
        for k in range {
            take(k, &stencil(k, &items[k]), &f(k, &items[k]));
        }
    };
    match out {
        Assembly::Matrix(blocks) => add_matrices(items.len(), blocks, &terms),
        Assembly::Product { p, out } => add_products(items.len(), p, out, &terms),
        Assembly::Diagonal(out) => add_diagonals(items.len(), out, &terms),
        Assembly::Form { p, sum } => **sum += form(items.len(), p, &terms),
    }
}

fn add_matrices<const D: usize, const N: usize>(
    count: usize,
    blocks: &mut Blocks<D>,
    terms: &Terms<'_, D, N>,
) {
    let target = blocks.next_list::<N>(count);
    let places = target.places;
    ordered::add(count, N + pair_count(N), target.values, &|range, sink| {
        terms(range, &mut |k, stencil, local| {
            let (diagonal, slots) = places_of(&places, k, stencil);
            scatter(stencil, local, diagonal, slots, sink);
        });
    });
}

/// The blocks on the diagonal of all vertices, and those of the pairs of stencil `k`.
///
/// # Panics
/// If another stencil was listed.
#[inline]
fn places_of<'a, const N: usize>(
    places: &Places<'a>,
    k: usize,
    stencil: &Stencil<N>,
) -> (&'a [u32], &'a [u32]) {
    let (listed, pairs) = (places.vertices.as_chunks::<N>().0[k], pair_count(N));
    assert!(stencil.0 == listed, "{stencil:?} is added where {listed:?} is listed");
    (places.diagonal, &places.slots[k * pairs..][..pairs])
}

/// Adds a local matrix to the blocks of its vertices on the `diagonal` and of its pairs of vertices, `slots`.
#[inline]
fn scatter<const D: usize, const N: usize>(
    stencil: &Stencil<N>,
    local: &Local<D, N>,
    diagonal: &[u32],
    slots: &[u32],
    sink: &mut Sink<'_, Matrix<D>>,
) {
    for i in 0..N {
        sink.add(diagonal[stencil.0[i] as usize], &local[i][i]);
    }
    let mut slots = slots.iter();
    for i in 1..N {
        for j in 0..i {
            let (a, b) = (stencil.0[i], stencil.0[j]);
            if let Some(&slot) = slots.next() {
                // The block below the diagonal, by an index: a branch would be guessed wrong half of the time.
                let (row, column) = if a > b { (i, j) } else { (j, i) };
                sink.add(slot, &local[row][column]);
                if a == b {
                    sink.add(slot, &local[column][row]);
                }
            }
        }
    }
}

/// Adds the local matrices `f(k, item k)`, which need not be symmetric, at the vertices `stencil(k, item k)` to `out`.
///
/// # Panics
/// If the stencils are not those that were listed for `out`: see [`FullBlocks::begin`].
pub fn jacobian<T: Sync, const D: usize, const N: usize>(
    items: &[T],
    out: &mut FullBlocks<D>,
    stencil: impl Fn(usize, &T) -> Stencil<N> + Sync,
    f: impl Fn(usize, &T) -> [[Matrix<D>; N]; N] + Sync,
) {
    let (places, values) = out.next_list::<N>(items.len());
    ordered::add(items.len(), N * N, values, &|range, sink| {
        for k in range {
            let stencil = stencil(k, &items[k]);
            let local = f(k, &items[k]);
            let (diagonal, slots) = places_of(&places, k, &stencil);
            scatter_both(&stencil, &local, diagonal, slots, sink);
        }
    });
}

/// Adds all blocks of a local matrix: those on and below the diagonal at twice the number of their place, the mirrored ones behind
/// them.
#[inline]
fn scatter_both<const D: usize, const N: usize>(
    stencil: &Stencil<N>,
    local: &Local<D, N>,
    diagonal: &[u32],
    slots: &[u32],
    sink: &mut Sink<'_, Matrix<D>>,
) {
    for i in 0..N {
        sink.add(2 * diagonal[stencil.0[i] as usize], &local[i][i]);
    }
    let mut slots = slots.iter();
    for i in 1..N {
        for j in 0..i {
            let (a, b) = (stencil.0[i], stencil.0[j]);
            if let Some(&slot) = slots.next() {
                let (row, column) = if a > b { (i, j) } else { (j, i) };
                sink.add(2 * slot, &local[row][column]);
                // A vertex named twice has both on the diagonal.
                sink.add(2 * slot + u32::from(a != b), &local[column][row]);
            }
        }
    }
}

fn add_products<const D: usize, const N: usize>(
    count: usize,
    p: &[Vector<D>],
    out: &mut [Vector<D>],
    terms: &Terms<'_, D, N>,
) {
    ordered::add(count, N, out, &|range, sink| {
        terms(range, &mut |_, stencil, local| {
            let p = stencil.gather(p);
            for i in 0..N {
                sink.add(stencil.0[i], &row_product(&local[i], &p));
            }
        });
    });
}

fn add_diagonals<const D: usize, const N: usize>(
    count: usize,
    out: &mut [Matrix<D>],
    terms: &Terms<'_, D, N>,
) {
    ordered::add(count, N, out, &|range, sink| {
        terms(range, &mut |_, stencil, local| {
            for i in 0..N {
                for j in 0..N {
                    if stencil.0[i] == stencil.0[j] {
                        sink.add(stencil.0[i], &local[i][j]);
                    }
                }
            }
        });
    });
}

fn form<const D: usize, const N: usize>(count: usize, p: &[Vector<D>], terms: &Terms<'_, D, N>) -> f64 {
    let parts = in_chunks(count, &|range| {
        let mut sum = 0.0;
        terms(range, &mut |_, stencil, local| {
            let p = stencil.gather(p);
            for i in 0..N {
                sum += p[i].dot(row_product(&local[i], &p));
            }
        });
        sum
    });
    parts.iter().sum()
}

/// `Σⱼ Hᵢⱼ pⱼ`.
#[inline]
fn row_product<const D: usize, const N: usize>(row: &[Matrix<D>; N], p: &[Vector<D>; N]) -> Vector<D> {
    let mut sum = Vector::ZERO;
    for j in 0..N {
        for k in 0..D {
            for l in 0..D {
                sum[k] += row[j].0[k][l] * p[j][l];
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests;
