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
//! Newton's method on `d(t) = k` from the safe side: the number of advances is small, and stopping at any of
//! them is safe. The conservative advancement of \[Li2021\] bounds the approach by speeds instead of heights;
//! parallel faces then need many advances, here one.

use super::motion::Motion;
use super::slab::Between;
use crate::math::Vector;

/// Advances after which the search stops with the safe time reached so far.
const MAX_ADVANCES: usize = 200;

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
}

impl Reached {
    /// A pair that may not move.
    pub const STUCK: Self = Self { time: 0.0, keep: 0.0, done: true };
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
    fn gap_to_keep<const D: usize, const N: usize>(&self, motion: &Motion<D, N>, gap: f64) -> Option<f64> {
        let least = self.least(motion);
        // Not `gap <= least`: a gap that is no number is no gap.
        (gap > least).then(|| least + self.keep * (gap - least).min(self.at_most * motion.unit))
    }

    /// The smallest gap that is far enough, in scaled lengths.
    #[inline]
    pub fn least<const D: usize, const N: usize>(&self, motion: &Motion<D, N>) -> f64 {
        self.min_distance * motion.unit + motion.slack
    }
}

/// The first advance. Free motions, which most are, need no other.
#[inline]
pub(super) fn begin<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &Motion<D, N>,
    wanted: &Wanted,
) -> Reached {
    begin_with::<K, D, N>(motion, wanted).0
}

/// Like [`begin`], with the distance beyond `ξ` at the start, in m.
#[inline]
pub(super) fn begin_with<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &Motion<D, N>,
    wanted: &Wanted,
) -> (Reached, f64) {
    let slab = K::slab(&motion.start);
    let reached = match wanted.gap_to_keep(motion, slab.gap) {
        Some(keep) => reach::<K, D, N>(motion, 0.0, keep, slab.normal),
        None => Reached::STUCK,
    };
    (reached, (slab.gap - wanted.least(motion)) / motion.unit)
}

/// One more advance.
pub(super) fn advance<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &Motion<D, N>,
    from: Reached,
) -> Reached {
    let slab = K::slab(&motion.at(from.time));
    if slab.gap > from.keep {
        reach::<K, D, N>(motion, from.time, from.keep, slab.normal)
    } else {
        Reached { done: true, ..from }
    }
}

#[inline]
fn reach<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &Motion<D, N>,
    from: f64,
    keep: f64,
    normal: Vector<D>,
) -> Reached {
    let time = K::holds_until(motion, normal, keep);
    if time > 1.0 {
        return Reached { time: 1.0, keep, done: true };
    }
    // A time that is no number fails both comparisons.
    let gained = time > from * (1.0 + SMALLEST_GAIN);
    Reached { time: if time > from { time } else { from }, keep, done: !gained }
}

/// All advances: the largest safe time, 1 if the whole motion is.
pub(super) fn follow<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &Motion<D, N>,
    wanted: &Wanted,
) -> f64 {
    let mut reached = begin::<K, D, N>(motion, wanted);
    for _ in 0..MAX_ADVANCES {
        if reached.done {
            break;
        }
        reached = advance::<K, D, N>(motion, reached);
    }
    reached.time
}
