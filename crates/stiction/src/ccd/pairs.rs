//! Candidates on their way, one by one or all of a kind.

use std::ops::Range;

use super::Query;
use super::motion::{PairMotion, SLACK};
use super::slab::Between;
use crate::broad_phase::Candidates;
use crate::error::Result;
use crate::math::Vector;
use crate::math::vector::flat;
use crate::mesh::Surface;
use crate::stencil::{EdgeEdge, Stencil, VertexEdge, VertexFace, VertexVertex};
use crate::threads;

/// Candidates that one task looks at.
const CHUNK: usize = 2048;

/// The list that a candidate is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Vv,
    Ve,
    Ee,
    Vf,
}

/// Where a candidate is: its list, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub kind: Kind,
    pub index: u32,
}

/// What to do with every pair of a surface that moves.
pub(super) trait Visit<const D: usize>: Sync {
    /// What becomes of a chunk of pairs.
    type Sum: Default + Send;

    /// Whether nothing more needs to be looked at.
    #[inline]
    fn is_done(&self) -> bool {
        false
    }

    /// Looks at the pair at this place.
    fn visit<K: Between<D, N>, const N: usize>(
        &self,
        sum: &mut Self::Sum,
        place: Place,
        start: &[Vector<D>; N],
        end: &[Vector<D>; N],
    );
}

/// Candidates of a surface on its way, checked.
pub(super) struct Pairs<'a, const D: usize> {
    surface: &'a Surface<D>,
    candidates: &'a Candidates,
    start: &'a [Vector<D>],
    end: &'a [Vector<D>],
}

impl<'a, const D: usize> Pairs<'a, D> {
    pub fn new(
        surface: &'a Surface<D>,
        candidates: &'a Candidates,
        start: &'a [Vector<D>],
        end: &'a [Vector<D>],
    ) -> Result<Self> {
        surface.check_positions(start)?;
        surface.check_positions(end)?;
        candidates.check(surface)?;
        Ok(Self::trusted(surface, candidates, start, end))
    }

    /// Without checks.
    pub fn trusted(
        surface: &'a Surface<D>,
        candidates: &'a Candidates,
        start: &'a [Vector<D>],
        end: &'a [Vector<D>],
    ) -> Self {
        Self { surface, candidates, start, end }
    }

    /// What rounding can do to a gap along a unit direction of any of the pairs, in m.
    pub fn slack(&self) -> f64 {
        let both = [self.start, self.end];
        let largest = both.map(|x| threads::in_chunks(x.len(), &|range| largest_entry(&x[range])));
        let largest = largest.concat().into_iter().fold(0.0, f64::max);
        SLACK * (D as f64).sqrt() * largest
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    /// How many there are of a kind.
    fn count(&self, kind: Kind) -> usize {
        match kind {
            Kind::Vv => self.candidates.vv.len(),
            Kind::Ve => self.candidates.ve.len(),
            Kind::Ee => self.candidates.ee.len(),
            Kind::Vf => self.candidates.vf.len(),
        }
    }

    #[inline]
    fn vv(&self, index: u32) -> Stencil<2> {
        let (v, w) = self.candidates.vv[index as usize];
        Stencil([v, w])
    }

    #[inline]
    fn ve(&self, index: u32) -> Stencil<3> {
        let (v, e) = self.candidates.ve[index as usize];
        let [a, b] = self.surface.edges()[e as usize];
        Stencil([v, a, b])
    }

    #[inline]
    fn ee(&self, index: u32) -> Stencil<4> {
        let (e, f) = self.candidates.ee[index as usize];
        let ([a, b], [c, d]) = (self.surface.edges()[e as usize], self.surface.edges()[f as usize]);
        Stencil([a, b, c, d])
    }

    #[inline]
    fn vf(&self, index: u32) -> Stencil<4> {
        let (v, f) = self.candidates.vf[index as usize];
        let [a, b, c] = self.surface.faces()[f as usize];
        Stencil([v, a, b, c])
    }

    #[inline]
    fn ends<const N: usize>(&self, stencil: Stencil<N>) -> ([Vector<D>; N], [Vector<D>; N]) {
        (stencil.gather(self.start), stencil.gather(self.end))
    }

    pub fn query(&self, Place { kind, index }: Place) -> Query<D> {
        match kind {
            Kind::Vv => {
                let (start, end) = self.ends(self.vv(index));
                Query::VertexVertex(start, end)
            }
            Kind::Ve => {
                let (start, end) = self.ends(self.ve(index));
                Query::VertexEdge(start, end)
            }
            Kind::Ee => {
                let (start, end) = self.ends(self.ee(index));
                Query::EdgeEdge(start, end)
            }
            Kind::Vf => {
                let (start, end) = self.ends(self.vf(index));
                Query::VertexFace(start, end)
            }
        }
    }

    /// Calls `f` for the vertices of a pair.
    pub fn for_vertices(&self, Place { kind, index }: Place, f: impl FnMut(u32)) {
        match kind {
            Kind::Vv => self.vv(index).0.into_iter().for_each(f),
            Kind::Ve => self.ve(index).0.into_iter().for_each(f),
            Kind::Ee => self.ee(index).0.into_iter().for_each(f),
            Kind::Vf => self.vf(index).0.into_iter().for_each(f),
        }
    }

    /// Visits every `stride`-th pair; what becomes of the chunks, in their order.
    pub fn visit_all<V: Visit<D>>(&self, stride: usize, visitor: &V) -> Vec<V::Sum> {
        let mut sums = self.visit_list::<V, VertexVertex, 2>(Kind::Vv, stride, visitor, Self::vv);
        sums.extend(self.visit_list::<V, VertexEdge, 3>(Kind::Ve, stride, visitor, Self::ve));
        sums.extend(self.visit_list::<V, EdgeEdge, 4>(Kind::Ee, stride, visitor, Self::ee));
        sums.extend(self.visit_list::<V, VertexFace, 4>(Kind::Vf, stride, visitor, Self::vf));
        sums
    }

    fn visit_list<V: Visit<D>, K: Between<D, N>, const N: usize>(
        &self,
        kind: Kind,
        stride: usize,
        visitor: &V,
        stencil: impl Fn(&Self, u32) -> Stencil<N> + Sync,
    ) -> Vec<V::Sum> {
        let count = self.count(kind);
        if count == 0 {
            return Vec::new();
        }
        let of_range = |range: Range<usize>| {
            let mut sum = V::Sum::default();
            for k in range {
                if visitor.is_done() {
                    break;
                }
                let index = (k * stride) as u32;
                let (start, end) = self.ends(stencil(self, index));
                visitor.visit::<K, N>(&mut sum, Place { kind, index }, &start, &end);
            }
            sum
        };
        threads::in_chunks_of(CHUNK, count.div_ceil(stride), &of_range)
    }
}

/// The largest absolute value of a coordinate.
pub(super) fn largest_entry<const D: usize>(x: &[Vector<D>]) -> f64 {
    flat(x).iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()))
}

/// A pair's motion, and what `f` says of it; `otherwise` where a position is not finite.
#[inline]
pub(super) fn with_motion<const D: usize, const N: usize, R>(
    start: &[Vector<D>; N],
    end: &[Vector<D>; N],
    otherwise: R,
    f: impl FnOnce(&PairMotion<D, N>) -> R,
) -> R {
    PairMotion::new(start, end).map_or(otherwise, |motion| f(&motion))
}
