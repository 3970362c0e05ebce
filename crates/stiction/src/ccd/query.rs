//! One pair of primitives that moves, and how far it may.

use super::Ccd;
use super::CcdKind;
use super::additive::{Reached, Wanted, advance, begin, begin_with, follow};
use super::motion::PairMotion;
use super::slab::Between;
use super::tight_inclusion::{Target, first_contact};
use crate::math::Vector;
use crate::stencil::{EdgeEdge, VertexEdge, VertexFace, VertexVertex};

/// Tolerance of tight inclusion for steps, as a part of the distance that is kept beyond the minimum.
const STEP_TOLERANCE: f64 = 1e-3;

/// Its tolerance for the question whether a motion is free, as a part of the distance of the pair from the origin.
const FREE_TOLERANCE: f64 = 1e-9;

/// Positions of one pair of primitives at the start and at the end of a straight motion, in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Query<const D: usize> {
    /// (v, w).
    VertexVertex([Vector<D>; 2], [Vector<D>; 2]),
    /// (v, e₀, e₁).
    VertexEdge([Vector<D>; 3], [Vector<D>; 3]),
    /// (a₀, a₁, b₀, b₁).
    EdgeEdge([Vector<D>; 4], [Vector<D>; 4]),
    /// (v, f₀, f₁, f₂).
    VertexFace([Vector<D>; 4], [Vector<D>; 4]),
}

/// Calls a function of the kind of pair and its motion, if that has finite positions.
macro_rules! of_kind {
    ($query:expr, $otherwise:expr, $call:ident $arguments:tt) => {
        match $query {
            Query::VertexVertex(start, end) => of_kind!(@ VertexVertex, start, end, $otherwise, $call $arguments),
            Query::VertexEdge(start, end) => of_kind!(@ VertexEdge, start, end, $otherwise, $call $arguments),
            Query::EdgeEdge(start, end) => of_kind!(@ EdgeEdge, start, end, $otherwise, $call $arguments),
            Query::VertexFace(start, end) => of_kind!(@ VertexFace, start, end, $otherwise, $call $arguments),
        }
    };
    (@ $kind:ident, $start:expr, $end:expr, $otherwise:expr, $call:ident ($($argument:expr),*)) => {
        PairMotion::new($start, $end).map_or($otherwise, |motion| $call::<$kind, D, _>(&motion, $($argument),*))
    };
}

impl Ccd {
    /// The largest fraction of the motion of one pair, at most 1, that is proven to keep its distance; 0
    /// where it is too close from the start or a number is not finite.
    pub fn largest_step_of<const D: usize>(&self, query: &Query<D>) -> f64 {
        self.wanted_step_of(query, &self.wanted(f64::INFINITY))
    }

    pub(super) fn wanted_step_of<const D: usize>(&self, query: &Query<D>, wanted: &Wanted) -> f64 {
        match self.kind {
            CcdKind::Additive => of_kind!(query, 0.0, follow_and_enclose(wanted)),
            CcdKind::TightInclusion => of_kind!(query, 0.0, enclose(wanted)),
        }
    }

    /// The distance of a pair at the start beyond the minimum distance, in m; not positive where it is too close.
    pub(super) fn room<const D: usize>(&self, query: &Query<D>) -> f64 {
        of_kind!(query, 0.0, room_at_start(&self.wanted(0.0)))
    }

    /// Whether one pair is proven to stay further apart than the minimum distance during the whole motion.
    pub fn is_free_of<const D: usize>(&self, query: &Query<D>) -> bool {
        self.with_nothing_kept().largest_step_of(query) >= 1.0
    }

    /// What to keep of distances that count up to `at_most` beyond the minimum distance, in m.
    pub(super) fn wanted(&self, at_most: f64) -> Wanted {
        let at_most = at_most.min(self.most_kept / self.keep);
        Wanted { min_distance: self.min_distance, keep: self.keep, at_most }
    }

    /// The same, for motions that may end as close as the minimum distance.
    pub(super) fn with_nothing_kept(self) -> Self {
        Self { keep: 0.0, ..self }
    }

    /// What the first slab of a pair proves.
    pub(super) fn look<const D: usize>(query: &Query<D>, wanted: &Wanted) -> Reached {
        of_kind!(query, Reached::STUCK, begin(wanted))
    }

    /// One more look at a pair that has been followed up to `from`.
    pub(super) fn look_again<const D: usize>(
        &self,
        query: &Query<D>,
        from: Reached,
        wanted: &Wanted,
    ) -> Reached {
        let boxes = from.is_tired() || (self.kind == CcdKind::TightInclusion && from.advances > 1);
        if boxes { of_kind!(query, from, finish(from, wanted)) } else { of_kind!(query, from, advance(from)) }
    }
}

fn room_at_start<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    wanted: &Wanted,
) -> f64 {
    begin_with::<K, D, N>(motion, wanted).1
}

/// Slabs, and boxes where slabs do not come to an end.
fn follow_and_enclose<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    wanted: &Wanted,
) -> f64 {
    let reached = follow::<K, D, N>(motion, wanted);
    finish::<K, D, N>(motion, reached, wanted).time
}

/// What two slabs prove, then boxes.
fn enclose<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    wanted: &Wanted,
) -> f64 {
    let first = begin::<K, D, N>(motion, wanted);
    let second = if first.done { first } else { advance::<K, D, N>(motion, first) };
    finish::<K, D, N>(motion, second, wanted).time
}

/// Boxes from where a pair has been followed to.
fn finish<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    from: Reached,
    wanted: &Wanted,
) -> Reached {
    if from.done {
        return from;
    }
    let kept = from.keep - wanted.least(motion);
    let tolerance = if kept > 0.0 { STEP_TOLERANCE * kept } else { FREE_TOLERANCE * motion.size() };
    let target = Target {
        // The slack is in `keep` already; the search adds it again.
        distance: from.keep - motion.slack,
        tolerance: tolerance.max(4.0 * motion.slack),
        normal: K::slab(&motion.at(from.time)).normal,
        from: from.time,
        to: 1.0,
    };
    let time = first_contact::<K, D, N>(motion, &target).min(1.0);
    Reached { time: time.max(from.time), done: true, ..from }
}
