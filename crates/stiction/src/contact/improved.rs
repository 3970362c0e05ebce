//! What several primitives share is counted once: terms of the improved maximum. \[Li2023\]
//!
//! A vertex close to an edge is close to all n faces of that edge, so its distance to the edge would be counted n times.
//! The number n is that of the candidates: so faces and edges that a filter keeps apart are not counted.

use super::group::{by_key, pair_key, pair_of};
use super::reduce::{Found, Frame, Shared, parts_code};
use super::term::Term;
use crate::closest::EdgePart;

/// Takes the notes of what is shared out of `found`, and gives the terms that correct for it.
pub(super) fn terms<const D: usize>(frame: &Frame<'_, D>, found: &mut [Found]) -> Vec<Found> {
    let mut take = |list: fn(&mut Found) -> &mut Vec<Shared>| -> Vec<Vec<Shared>> {
        found.iter_mut().map(|part| std::mem::take(list(part))).collect()
    };
    let mut out =
        by_key(&take(|part| &mut part.vertex_of_edge), &|same, out| vertex_of_edge(frame, same, out));
    out.extend(by_key(&take(|part| &mut part.end_of_edge), &|same, out| end_of_edge(frame, same, out)));
    out.extend(by_key(&take(|part| &mut part.edge_of_face), &|same, out| edge_of_face(frame, same, out)));
    out.extend(by_key(&take(|part| &mut part.vertex_of_face), &|same, out| vertex_of_face(frame, same, out)));
    out
}

/// `1 − n`.
fn surplus(n: usize) -> f64 {
    1.0 - n as f64
}

/// A vertex close to a vertex w of n edges: `(1 − n)` times.
fn vertex_of_edge<const D: usize>(frame: &Frame<'_, D>, same: &[Shared], out: &mut Found) {
    let (v, w) = pair_of(same[0].key);
    if same.len() > 1 {
        out.push_vv(v, w, frame.weigher.of_vertex(v, surplus(same.len()), 0.5));
    }
}

/// A vertex close to an edge of n faces: `(1 − n)` times.
fn edge_of_face<const D: usize>(frame: &Frame<'_, D>, same: &[Shared], out: &mut Found) {
    let (v, e) = pair_of(same[0].key);
    if same.len() > 1 {
        let (part, _) = frame.closest_on_edge(v, e);
        let share = frame.weigher.of_vertex(v, surplus(same.len()), 0.25);
        out.push_ve(v, frame.edge(e), part, share);
    }
}

/// A vertex close to a vertex w of F faces with E edges at w: `1 − E + F` times more, so that it counts once.
///
/// That is once for a vertex inside the surface, not at all on its boundary, and twice where three sheets meet in a seam.
fn vertex_of_face<const D: usize>(frame: &Frame<'_, D>, same: &[Shared], out: &mut Found) {
    let (v, w) = pair_of(same[0].key);
    let edges = frame.surface.edges();
    let of_face = |shared: &Shared| frame.surface.adjacency().face_edges[shared.whole as usize];
    let mut around: Vec<u32> =
        same.iter().flat_map(of_face).filter(|e| edges[*e as usize].contains(&w)).collect();
    around.sort_unstable();
    around.dedup();
    if around.len() != same.len() + 1 {
        let times = surplus(around.len()) + same.len() as f64;
        out.push_vv(v, w, frame.weigher.of_vertex(v, times, 0.25));
    }
}

/// An edge e close to an end v of n edges that are not parallel to it: `(1 − n)` times; of those that are, each mollified as its
/// pair is.
fn end_of_edge<const D: usize>(frame: &Frame<'_, D>, same: &[Shared], out: &mut Found) {
    let (v, e) = pair_of(same[0].key);
    let edges = frame.surface.edges();
    let (part, _) = frame.closest_on_edge(v, e);
    for parallel in same.iter().filter(|shared| shared.is_parallel) {
        let f = parallel.whole;
        let held = if edges[f as usize][0] == v { EdgePart::Start } else { EdgePart::End };
        let (first, second) = if e < f { (part, held) } else { (held, part) };
        let share = frame.weigher.of_edge(e, -1.0, 0.25);
        let code = parts_code(first, second);
        out.parallel.push(Term::new(pair_key(e.min(f), e.max(f)), code, share));
    }
    let n = same.iter().filter(|shared| !shared.is_parallel).count();
    if n != 1 {
        out.push_ve(v, frame.edge(e), part, frame.weigher.of_edge(e, surplus(n), 0.25));
    }
}
