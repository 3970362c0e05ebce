//! The largest step of many pairs.
//!
//! The smallest of the pairs' steps is wanted, not all of them:
//! 1. A sample of the pairs gives a time at which something touches, if anything does: later times do not matter.
//! 2. Every pair that its own normal does not keep apart up to then gets the lower bound that its first slab proves.
//! 3. The pair with the smallest bound is looked at again, until the smallest bound is final.
//!
//! Few pairs are looked at twice. What is done does not depend on the number of threads.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering as Memory};

use super::additive::{Reached, Wanted, begin_with};
use super::pairs::{Pairs, Place, Visit, with_motion};
use super::slab::{Between, SHORTEST};
use super::{Ccd, CcdKind};
use crate::broad_phase::{BroadPhaseKind, Candidates};
use crate::error::Result;
use crate::math::Vector;
use crate::mesh::{MovingSurface, Surface};
use crate::threads;

/// One pair of so many is in the sample.
const STRIDE: usize = 64;

/// Fewer pairs than this are not worth a sample.
const FEW: usize = 4096;

impl Ccd {
    /// The largest fraction, at most 1, of the motion from `start` to `end` during which every candidate
    /// keeps its distance.
    ///
    /// The part of the distance that is kept is that of the closest candidate, if a pair itself is further
    /// apart: pairs that come from afar to slide along each other are not held back. Zero where a pair is at
    /// its minimum distance or closer from the start. The candidates must hold every pair whose boxes, grown
    /// by half the minimum distance, meet on the way.
    ///
    /// # Errors
    /// If an array has another length than the surface's vertex array, a position is not finite, or a
    /// candidate does not exist.
    pub fn largest_step<const D: usize>(
        &self,
        surface: &Surface<D>,
        candidates: &Candidates,
        start: &[Vector<D>],
        end: &[Vector<D>],
    ) -> Result<f64> {
        let pairs = Pairs::new(surface, candidates, start, end)?;
        let slack = pairs.slack();
        let window = self.window(&pairs, slack);
        let far = self.min_distance + slack;
        let enough = Enough {
            start: far + window.smallest,
            end: far + (self.keep * window.smallest).min(self.most_kept),
            until: window.until,
        };
        let first = First { wanted: self.wanted(window.smallest), enough };
        let Held { held, smallest } = Held::all(pairs.visit_all(1, &first));
        let wanted = self.wanted(smallest);
        let again =
            |pair: &Bounded| Bounded { reached: Self::look(&pairs.query(pair.place), &wanted), ..*pair };
        let held = threads::collect(held.len(), &|range| held[range].iter().map(again).collect());
        Ok(self.earliest(&pairs, held, &wanted).min(window.until))
    }

    /// Whether every candidate is proven to stay further apart than the minimum distance during the whole
    /// motion from `start` to `end`.
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
        let pairs = Pairs::new(surface, candidates, start, end)?;
        Ok(!self.touches(&pairs, pairs.slack()))
    }

    /// Like [`Self::is_free`], for all pairs that come near each other, which the broad phase looks for while
    /// they are tested: a motion that is not free is soon known.
    ///
    /// # Errors
    /// If an array has another length than the surface's vertex array, or a position is not finite.
    pub fn is_motion_free<const D: usize>(
        &self,
        surface: &Surface<D>,
        start: &[Vector<D>],
        end: &[Vector<D>],
        broad_phase: BroadPhaseKind,
    ) -> Result<bool> {
        let slack = Pairs::new(surface, &Candidates::default(), start, end)?.slack();
        let touch = |candidates: &Candidates| {
            // Numbers from the surface itself need no check.
            self.touches(&Pairs::trusted(surface, candidates, start, end), slack)
        };
        Ok(!broad_phase.any_candidate(
            &MovingSurface::new(surface, start, end),
            0.5 * self.min_distance,
            &touch,
        ))
    }

    /// Whether some pair cannot be proven to stay further apart than the minimum distance.
    fn touches<const D: usize>(&self, pairs: &Pairs<'_, D>, slack: f64) -> bool {
        let far = self.min_distance + slack;
        let enough = Enough { start: far, end: far, until: 1.0 };
        let ccd = self.with_nothing_kept();
        let search = Search { ccd, pairs, enough, touched: AtomicBool::new(false) };
        if pairs.len() >= FEW {
            pairs.visit_all(STRIDE, &search);
        }
        pairs.visit_all(1, &search);
        search.touched.into_inner()
    }

    /// Until when to look at a motion.
    fn window<const D: usize>(&self, pairs: &Pairs<'_, D>, slack: f64) -> Window {
        if pairs.len() < FEW {
            return Window { until: 1.0, smallest: f64::INFINITY };
        }
        let strict = Self { kind: CcdKind::Additive, ..self.with_nothing_kept() };
        // All distances are wanted, so none is enough.
        let enough = Enough { start: f64::INFINITY, end: self.min_distance + slack, until: 1.0 };
        let first = First { wanted: strict.wanted(0.0), enough };
        let Held { held, smallest } = Held::all(pairs.visit_all(STRIDE, &first));
        Window { until: strict.earliest(pairs, held, &first.wanted), smallest }
    }

    /// The smallest of the times that the pairs can be followed to.
    fn earliest<const D: usize>(&self, pairs: &Pairs<'_, D>, held: Vec<Bounded>, wanted: &Wanted) -> f64 {
        let mut waiting = BinaryHeap::from(held);
        while let Some(pair) = waiting.pop() {
            if pair.reached.done {
                return pair.reached.time;
            }
            let reached = self.look_again(&pairs.query(pair.place), pair.reached, wanted);
            waiting.push(Bounded { reached, ..pair });
        }
        1.0
    }
}

/// What a sample of the pairs says.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// Something in the sample touches about then: later times do not matter.
    until: f64,
    /// The smallest distance in the sample at the start, beyond the minimum, in m.
    smallest: f64,
}

/// Gaps that are enough for a pair not to matter: a quick test, which most pairs pass.
#[derive(Clone, Copy, Debug)]
struct Enough {
    /// At the start, in m.
    start: f64,
    /// At the end of the window, in m.
    end: f64,
    /// The end of the window.
    until: f64,
}

impl Enough {
    /// Whether the pair's own normal separates it by enough, at the start, in the end and so all the time between.
    #[inline]
    fn is_kept<K: Between<D, N>, const D: usize, const N: usize>(
        &self,
        start: &[Vector<D>; N],
        end: &[Vector<D>; N],
    ) -> bool {
        self.is_kept_along::<K, D, N>(K::level(start), start, end)
            || self.is_kept_along::<K, D, N>(K::middle(start), start, end)
    }

    #[inline]
    fn is_kept_along<K: Between<D, N>, const D: usize, const N: usize>(
        &self,
        n: Vector<D>,
        start: &[Vector<D>; N],
        end: &[Vector<D>; N],
    ) -> bool {
        let mut gaps = [[f64::INFINITY; 2]; 2];
        for j in K::SPLIT..N {
            for i in 0..K::SPLIT {
                let (now, in_the_end) = (n.dot(start[i] - start[j]), n.dot(end[i] - end[j]));
                let later = now + (in_the_end - now) * self.until;
                gaps[0] = [gaps[0][0].min(now), gaps[0][1].min(later)];
                gaps[1] = [gaps[1][0].min(-now), gaps[1][1].min(-later)];
            }
        }
        let [now, later] = if gaps[0][0] > 0.0 { gaps[0] } else { gaps[1] };
        let length2 = n.norm_squared();
        length2 > SHORTEST
            && now > 0.0
            && later > 0.0
            && now * now > self.start * self.start * length2
            && later * later > self.end * self.end * length2
    }
}

/// A candidate and how far it has been followed.
#[derive(Clone, Copy, Debug)]
struct Bounded {
    reached: Reached,
    place: Place,
}

/// The earliest is the greatest, for [`BinaryHeap`]; of equally early ones that which needs no other look.
impl Ord for Bounded {
    fn cmp(&self, other: &Self) -> Ordering {
        let earlier = other.reached.time.total_cmp(&self.reached.time);
        let place = other.place.cmp(&self.place);
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

/// Pairs that may come too close in the window, and the smallest distance at the start beyond the minimum, in m.
struct Held {
    held: Vec<Bounded>,
    smallest: f64,
}

impl Default for Held {
    fn default() -> Self {
        Self { held: Vec::new(), smallest: f64::INFINITY }
    }
}

impl Held {
    fn all(chunks: Vec<Self>) -> Self {
        chunks.into_iter().fold(Self::default(), |mut all, chunk| {
            all.held.extend(chunk.held);
            all.smallest = all.smallest.min(chunk.smallest);
            all
        })
    }
}

/// What the first slab of every pair proves.
struct First {
    wanted: Wanted,
    /// Pairs that keep this much until the end of the window are left out.
    enough: Enough,
}

impl<const D: usize> Visit<D> for First {
    type Sum = Held;

    #[inline]
    fn visit<K: Between<D, N>, const N: usize>(
        &self,
        sum: &mut Held,
        place: Place,
        start: &[Vector<D>; N],
        end: &[Vector<D>; N],
    ) {
        if self.enough.is_kept::<K, D, N>(start, end) {
            return;
        }
        let (reached, room) = with_motion(start, end, (Reached::STUCK, 0.0), |motion| {
            begin_with::<K, D, N>(motion, &self.wanted)
        });
        sum.smallest = sum.smallest.min(room);
        if reached.time < self.enough.until {
            sum.held.push(Bounded { reached, place });
        }
    }
}

/// The search for a pair that touches.
struct Search<'a, const D: usize> {
    ccd: Ccd,
    pairs: &'a Pairs<'a, D>,
    /// Pairs that keep this much are free.
    enough: Enough,
    touched: AtomicBool,
}

impl<const D: usize> Visit<D> for Search<'_, D> {
    type Sum = ();

    /// The answer is the same whoever finds it first.
    #[inline]
    fn is_done(&self) -> bool {
        self.touched.load(Memory::Relaxed)
    }

    #[inline]
    fn visit<K: Between<D, N>, const N: usize>(
        &self,
        (): &mut (),
        place: Place,
        start: &[Vector<D>; N],
        end: &[Vector<D>; N],
    ) {
        if !self.enough.is_kept::<K, D, N>(start, end)
            && self.ccd.largest_step_of(&self.pairs.query(place)) < 1.0
        {
            self.touched.store(true, Memory::Relaxed);
        }
    }
}
