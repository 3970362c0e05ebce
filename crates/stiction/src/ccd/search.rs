//! The largest step of many pairs.
//!
//! The smallest of the pairs' steps is wanted, not all of them. Every pair first gets the lower bound that its first slab proves; then the
//! pair with the smallest bound is looked at again, until the smallest bound is final. Few pairs are looked at twice.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering as Memory};

use super::additive::{self, Reached, Wanted};
use super::motion::Motion;
use super::slab::Between;
use super::{Ccd, Query};
use crate::broad_phase::Candidates;
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::mesh::Surface;
use crate::stencil::{EdgeEdge, Stencil, VertexEdge, VertexFace, VertexVertex};
use crate::threads;

impl Ccd {
    /// The largest fraction, at most 1, of the motion from `start` to `end` during which every candidate keeps its distance.
    ///
    /// The part of the distance that is kept is that of the closest candidate, if a pair itself is further apart: pairs that
    /// come from afar to slide along each other are not held back. Zero where a pair is at its minimum distance or closer from the start. The candidates must hold every pair whose boxes, grown
    /// by half the minimum distance, meet on the way.
    ///
    /// # Errors
    /// If an array has another length than the surface's vertex array, a position is not finite, or a candidate does not exist.
    pub fn largest_step<const D: usize>(
        &self,
        surface: &Surface<D>,
        candidates: &Candidates,
        start: &[Vector<D>],
        end: &[Vector<D>],
    ) -> Result<f64> {
        let moving = Moving::new(surface, candidates, start, end)?;
        let (held, smallest) = moving.first_bounds(&self.wanted(f64::INFINITY));
        let wanted = self.wanted(smallest);
        let again = |pair: &Bounded| Bounded {
            reached: Self::look(&moving.query(pair.kind, pair.index), &wanted),
            ..*pair
        };
        let held = threads::collect(held.len(), &|range| held[range].iter().map(again).collect());
        let mut waiting = BinaryHeap::from(held);
        while let Some(pair) = waiting.pop() {
            if pair.reached.done {
                return Ok(pair.reached.time);
            }
            let reached = self.look_again(&moving.query(pair.kind, pair.index), pair.reached, &wanted);
            waiting.push(Bounded { reached, ..pair });
        }
        Ok(1.0)
    }

    /// Whether every candidate is proven to stay further apart than the minimum distance during the whole motion from `start` to `end`.
    ///
    /// # Errors
    /// As for [`Self::largest_step`].
    pub fn is_free<const D: usize>(
        &self,
        surface: &Surface<D>,
        candidates: &Candidates,
        start: &[Vector<D>],
        end: &[Vector<D>],
    ) -> Result<bool> {
        let moving = Moving::new(surface, candidates, start, end)?;
        let (strict, touched) = (self.with_nothing_kept(), AtomicBool::new(false));
        for (kind, count) in moving.counts() {
            threads::in_chunks(count, &|range| {
                for index in range.start as u32..range.end as u32 {
                    // The answer is the same whoever finds it first.
                    if touched.load(Memory::Relaxed) {
                        return;
                    }
                    if strict.largest_step_of(&moving.query(kind, index)) < 1.0 {
                        touched.store(true, Memory::Relaxed);
                    }
                }
            });
        }
        Ok(!touched.into_inner())
    }
}

/// The list that a candidate is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Vv,
    Ve,
    Ee,
    Vf,
}

/// A candidate and how far it has been followed.
#[derive(Clone, Copy, Debug)]
struct Bounded {
    reached: Reached,
    kind: Kind,
    index: u32,
}

/// The earliest is the greatest, for [`BinaryHeap`]; of equally early ones that which needs no other look.
impl Ord for Bounded {
    fn cmp(&self, other: &Self) -> Ordering {
        let earlier = other.reached.time.total_cmp(&self.reached.time);
        let place = (other.kind, other.index).cmp(&(self.kind, self.index));
        earlier.then(self.reached.done.cmp(&other.reached.done)).then(place)
    }
}

impl PartialOrd for Bounded {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Bounded {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Bounded {}

/// Candidates on their way, checked.
struct Moving<'a, const D: usize> {
    surface: &'a Surface<D>,
    candidates: &'a Candidates,
    start: &'a [Vector<D>],
    end: &'a [Vector<D>],
}

impl<'a, const D: usize> Moving<'a, D> {
    fn new(
        surface: &'a Surface<D>,
        candidates: &'a Candidates,
        start: &'a [Vector<D>],
        end: &'a [Vector<D>],
    ) -> Result<Self> {
        surface.check_positions(start)?;
        surface.check_positions(end)?;
        check_candidates(surface, candidates)?;
        Ok(Self { surface, candidates, start, end })
    }

    fn counts(&self) -> [(Kind, usize); 4] {
        let Candidates { vv, ve, ee, vf } = self.candidates;
        [(Kind::Vv, vv.len()), (Kind::Ve, ve.len()), (Kind::Ee, ee.len()), (Kind::Vf, vf.len())]
    }

    fn stencil_ve(&self, index: u32) -> Stencil<3> {
        let (v, e) = self.candidates.ve[index as usize];
        let [a, b] = self.surface.edges()[e as usize];
        Stencil([v, a, b])
    }

    fn stencil_ee(&self, index: u32) -> Stencil<4> {
        let (e, f) = self.candidates.ee[index as usize];
        let ([a, b], [c, d]) = (self.surface.edges()[e as usize], self.surface.edges()[f as usize]);
        Stencil([a, b, c, d])
    }

    fn stencil_vf(&self, index: u32) -> Stencil<4> {
        let (v, f) = self.candidates.vf[index as usize];
        let [a, b, c] = self.surface.faces()[f as usize];
        Stencil([v, a, b, c])
    }

    fn stencil_vv(&self, index: u32) -> Stencil<2> {
        let (v, w) = self.candidates.vv[index as usize];
        Stencil([v, w])
    }

    fn ends<const N: usize>(&self, stencil: Stencil<N>) -> ([Vector<D>; N], [Vector<D>; N]) {
        (stencil.gather(self.start), stencil.gather(self.end))
    }

    fn query(&self, kind: Kind, index: u32) -> Query<D> {
        match kind {
            Kind::Vv => {
                let (start, end) = self.ends(self.stencil_vv(index));
                Query::VertexVertex(start, end)
            }
            Kind::Ve => {
                let (start, end) = self.ends(self.stencil_ve(index));
                Query::VertexEdge(start, end)
            }
            Kind::Ee => {
                let (start, end) = self.ends(self.stencil_ee(index));
                Query::EdgeEdge(start, end)
            }
            Kind::Vf => {
                let (start, end) = self.ends(self.stencil_vf(index));
                Query::VertexFace(start, end)
            }
        }
    }

    /// The candidates that their first slab does not prove to be free, and the smallest distance beyond the minimum at the start, in m.
    fn first_bounds(&self, wanted: &Wanted) -> (Vec<Bounded>, f64) {
        let (mut held, mut smallest) = (Vec::new(), f64::INFINITY);
        let mut add = |chunks: Vec<(Vec<Bounded>, f64)>| {
            for (more, least) in chunks {
                held.extend(more);
                smallest = smallest.min(least);
            }
        };
        let c = self.candidates;
        add(self.first_of::<VertexVertex, 2>((Kind::Vv, c.vv.len()), wanted, |k| self.stencil_vv(k)));
        add(self.first_of::<VertexEdge, 3>((Kind::Ve, c.ve.len()), wanted, |k| self.stencil_ve(k)));
        add(self.first_of::<EdgeEdge, 4>((Kind::Ee, c.ee.len()), wanted, |k| self.stencil_ee(k)));
        add(self.first_of::<VertexFace, 4>((Kind::Vf, c.vf.len()), wanted, |k| self.stencil_vf(k)));
        (held, smallest)
    }

    fn first_of<K: Between<D, N>, const N: usize>(
        &self,
        (kind, count): (Kind, usize),
        wanted: &Wanted,
        stencil: impl Fn(u32) -> Stencil<N> + Sync,
    ) -> Vec<(Vec<Bounded>, f64)> {
        let of_range = |range: Range<usize>| {
            let (mut held, mut smallest) = (Vec::new(), f64::INFINITY);
            for index in range.start as u32..range.end as u32 {
                let (start, end) = self.ends(stencil(index));
                let (reached, room) = Motion::new(&start, &end)
                    .map_or((Reached::STUCK, 0.0), |m| additive::begin_with::<K, D, N>(&m, wanted));
                smallest = smallest.min(room);
                if reached.time < 1.0 {
                    held.push(Bounded { reached, kind, index });
                }
            }
            (held, smallest)
        };
        threads::in_chunks(count, &of_range)
    }
}

/// Checks that every candidate names primitives of the surface.
pub(super) fn check_candidates<const D: usize>(surface: &Surface<D>, candidates: &Candidates) -> Result<()> {
    let (vertices, edges, faces) = (surface.rest().len(), surface.edges().len(), surface.faces().len());
    for (what, pairs, first, second) in [
        ("vertex-vertex candidate", &candidates.vv, vertices, vertices),
        ("vertex-edge candidate", &candidates.ve, vertices, edges),
        ("edge-edge candidate", &candidates.ee, edges, edges),
        ("vertex-face candidate", &candidates.vf, vertices, faces),
    ] {
        let wrong = |&(a, b): &(u32, u32)| a as usize >= first || b as usize >= second;
        if let Some(index) = pairs.iter().position(wrong) {
            return Err(Error::UnknownCandidate { what, index, pair: pairs[index] });
        }
    }
    Ok(())
}
