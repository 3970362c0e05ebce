//! Additive collision detection: advance by what is proven to be safe, look again, and add up.
//!
//! At time `t` take the slab between the two primitives (see [`super::slab`]). Its gap along the fixed
//! direction `n` is concave in time, so it is at least `k` until the first time `T` at which one of the
//! finitely many height differences, linear in time, falls to `k`:
//! ```text
//! T = min over i, j of the root of  n·(aᵢ − bⱼ)(t) = k         k = ξ + (1 − σ)(d(0) − ξ)  [m]
//! ```
//! Go on from `T` with a new direction until nothing is gained. `ξ` is the minimum distance, `σ` the part of
//! the rest that may be used up. The gap along `n` touches the distance from below at `t`, so this is
//! Newton's method on `d(t) = k` from the safe side, and stopping at any advance is safe. Primitives that turn
//! lose a fixed direction soon: then a slab that turns with them is tried, and what still takes many advances is
//! handed to boxes ([`super::tight_inclusion`]). The conservative advancement of \[Li2021\] bounds the approach
//! by speeds instead of heights; parallel faces then need many advances, here one.

use super::motion::PairMotion;
use super::slab::Between;
use crate::math::Vector;

/// Advances after which a pair is handed to boxes.
const MAX_ADVANCES: u32 = 16;

/// Ends of the motion, halved, at which a slab that turns is tried.
const MAX_HALVINGS: u32 = 6;

/// An advance that is smaller than this part of the time reached ends the search.
const SMALLEST_GAIN: f64 = 1e-6;

/// How far a pair has been followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    /// Nothing comes closer than asked before this time.
    pub time: f64,
    /// The gap to keep, with slack, in scaled lengths.
    pub keep: f64,
    /// Whether a further advance gains nothing.
    pub done: bool,
    /// How many advances were made.
    pub advances: u32,
}

impl Reached {
    /// A pair that may not move.
    pub const STUCK: Self = Self { time: 0.0, keep: 0.0, done: true, advances: 0 };

    /// Whether slabs have not come to an end, though many were tried.
    pub fn is_tired(&self) -> bool {
        !self.done && self.advances >= MAX_ADVANCES
    }
}

/// What a search asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// `ξ` in m.
    pub min_distance: f64,
    /// `1 − σ`.
    pub keep: f64,
    /// The distance beyond `ξ` of which a part is kept is at most this, in m.
    pub at_most: f64,
}

impl Wanted {
    /// The gap to keep for a pair that is `gap` apart at the start; nothing if that is too close already.
    #[inline]
    fn gap_to_keep<const D: usize, const N: usize>(
        &self,
        motion: &PairMotion<D, N>,
        gap: f64,
    ) -> Option<f64> {
        let least = self.least(motion);
        // Not `gap <= least`: a gap that is no number is no gap.
        (gap > least).then(|| least + self.keep * (gap - least).min(self.at_most * motion.unit))
    }

    /// The smallest gap that is far enough, in scaled lengths.
    #[inline]
    pub fn least<const D: usize, const N: usize>(&self, motion: &PairMotion<D, N>) -> f64 {
        self.min_distance * motion.unit + motion.slack
    }
}

/// The first advance. Free motions, which most are, need no other.
#[inline]
pub(super) fn begin<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    wanted: &Wanted,
) -> Reached {
    begin_with::<K, D, N>(motion, wanted).0
}

/// Like [`begin`], with the distance beyond `ξ` at the start, in m.
#[inline]
pub(super) fn begin_with<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    wanted: &Wanted,
) -> (Reached, f64) {
    let slab = K::slab(&motion.start);
    let reached = match wanted.gap_to_keep(motion, slab.gap) {
        Some(keep) => reach::<K, D, N>(motion, Reached { keep, ..Reached::STUCK }, slab.normal),
        None => Reached::STUCK,
    };
    (reached, (slab.gap - wanted.least(motion)) / motion.unit)
}

/// One more advance.
pub(super) fn advance<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    from: Reached,
) -> Reached {
    let slab = K::slab(&motion.at(from.time));
    if slab.gap <= from.keep {
        return Reached { done: true, ..from };
    }
    let reached = reach::<K, D, N>(motion, from, slab.normal);
    if reached.done { reached } else { turn::<K, D, N>(motion, from.time, slab.normal, reached) }
}

/// The same as far as a slab can prove that turns from `normal` at time `from`, if that is further than `reached`.
fn turn<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    from: f64,
    normal: Vector<D>,
    reached: Reached,
) -> Reached {
    let mut part = 1.0;
    for _ in 0..MAX_HALVINGS {
        let time = from + (1.0 - from) * part;
        if time <= reached.time {
            break;
        }
        let there = K::slab(&motion.at(time));
        if there.gap > reached.keep && K::turns(motion, [(from, normal), (time, there.normal)], reached.keep)
        {
            return Reached { time, done: time >= 1.0, ..reached };
        }
        part *= 0.5;
    }
    reached
}

#[inline]
fn reach<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    from: Reached,
    normal: Vector<D>,
) -> Reached {
    let until = K::holds_until(motion, normal, from.keep);
    if until > 1.0 {
        return Reached { time: 1.0, done: true, ..from };
    }
    // A time that is no number fails both comparisons.
    let gained = until > from.time * (1.0 + SMALLEST_GAIN);
    let time = if until > from.time { until } else { from.time };
    Reached { time, done: !gained, advances: from.advances + 1, ..from }
}

/// As many advances as are worth it.
pub(super) fn follow<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    wanted: &Wanted,
) -> Reached {
    let mut reached = begin::<K, D, N>(motion, wanted);
    while !reached.done && !reached.is_tired() {
        reached = advance::<K, D, N>(motion, reached);
    }
    reached
}
