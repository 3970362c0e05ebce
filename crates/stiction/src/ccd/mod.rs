//! How far vertices may move on straight lines before anything touches.

pub mod additive;

use std::ops::Range;

use crate::broad_phase::Candidates;
use crate::math::Vector;
use crate::mesh::Surface;
use crate::stencil::Stencil;
use crate::threads::in_chunks;
use additive::Query;

/// The largest safe fraction (at most 1) of the motion `x + t p`, over all candidates.
///
/// Along that fraction every pair keeps a part of its present distance, so nothing touches. Zero where the
/// primitives of a pair touch already and move relative to each other. The candidates must hold every
/// pair whose boxes meet on the way.
///
/// # Panics
/// If `x` or `p` is shorter than the surface's vertex array.
pub fn largest_step<const D: usize>(
    surface: &Surface<D>,
    candidates: &Candidates,
    x: &[Vector<D>],
    p: &[Vector<D>],
) -> f64 {
    let (edges, faces) = (surface.edges(), surface.faces());
    let ve = smallest(&candidates.ve, |&(v, e)| {
        let [a, b] = edges[e as usize];
        let stencil = Stencil([v, a, b]);
        Query::VertexEdge(stencil.gather(x), stencil.gather(p)).largest_step()
    });
    let ee = smallest(&candidates.ee, |&(e, f)| {
        let ([a, b], [c, d]) = (edges[e as usize], edges[f as usize]);
        let stencil = Stencil([a, b, c, d]);
        Query::EdgeEdge(stencil.gather(x), stencil.gather(p)).largest_step()
    });
    let vf = smallest(&candidates.vf, |&(v, f)| {
        let [a, b, c] = faces[f as usize];
        let stencil = Stencil([v, a, b, c]);
        Query::VertexFace(stencil.gather(x), stencil.gather(p)).largest_step()
    });
    ve.min(ee).min(vf)
}

/// The smallest value, at most 1.
fn smallest<T: Sync>(items: &[T], f: impl Fn(&T) -> f64 + Sync) -> f64 {
    let of_chunk = |range: Range<usize>| items[range].iter().map(&f).fold(1.0, f64::min);
    in_chunks(items.len(), &of_chunk).into_iter().fold(1.0, f64::min)
}
