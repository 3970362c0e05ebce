//! The primitives of one kind that take part in a search, and the rule for their pairs.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Aabb;
use super::ascending::ascending;
use crate::mesh::Filter;

/// A primitive: its place in its group, its vertices and the box of its motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxed<const D: usize, const N: usize> {
    pub aabb: Aabb<D>,
    pub place: u32,
    pub vertices: [u32; N],
}

/// Primitives of `N` vertices each, in the order of their numbers.
pub(super) struct Group<'a, const D: usize, const N: usize> {
    /// The box of every vertex.
    pub boxes: &'a [Aabb<D>],
    pub primitives: Cow<'a, [[u32; N]]>,
    /// The ascending numbers by which the surface knows them; `None` if these are their places.
    pub numbers: Option<&'a [u32]>,
}

impl<const D: usize, const N: usize> Group<'_, D, N> {
    pub fn len(&self) -> usize {
        self.primitives.len()
    }

    /// The primitive at a place.
    #[inline]
    pub fn item(&self, place: usize) -> Boxed<D, N> {
        Boxed { aabb: self.aabb(place), place: place as u32, vertices: self.primitives[place] }
    }

    /// The box of the primitive at a place.
    #[inline]
    pub fn aabb(&self, place: usize) -> Aabb<D> {
        let [first, rest @ ..] = self.primitives[place].as_slice() else { return Aabb::EMPTY };
        let start = self.boxes[*first as usize];
        rest.iter().fold(start, |aabb, &v| aabb.union(&self.boxes[v as usize]))
    }

    /// All primitives.
    pub fn items(&self) -> Vec<Boxed<D, N>> {
        (0..self.len()).map(|place| self.item(place)).collect()
    }

    /// The number of the primitive at a place.
    #[inline]
    pub fn number(&self, place: u32) -> u32 {
        self.numbers.map_or(place, |numbers| numbers[place as usize])
    }
}

/// Which pairs are candidates, apart from how they are found.
#[derive(Clone, Copy)]
pub(super) struct Rule<'a> {
    pub filter: Option<&'a Filter>,
}

impl Rule<'_> {
    /// Whether the boxes meet, the primitives share no vertex and the filter lets them touch.
    #[inline]
    pub fn may_touch<const D: usize, const N: usize, const M: usize>(
        self,
        a: &Boxed<D, N>,
        b: &Boxed<D, M>,
    ) -> bool {
        a.aabb.meets(&b.aabb)
            && !share_vertex(&a.vertices, &b.vertices)
            && self.allows(|| (a.vertices, b.vertices))
    }

    /// Whether the filter, if there is one, lets the primitives with the given vertices touch.
    #[inline]
    pub fn allows<const N: usize, const M: usize>(
        self,
        vertices: impl FnOnce() -> ([u32; N], [u32; M]),
    ) -> bool {
        self.filter.is_none_or(|filter| {
            let (a, b) = vertices();
            filter.allows(&a, &b)
        })
    }
}

#[inline]
fn share_vertex<const N: usize, const M: usize>(a: &[u32; N], b: &[u32; M]) -> bool {
    a.iter().any(|v| b.contains(v))
}

/// Two places as one number; the order of the numbers is that of the pairs.
pub(super) type Places = u64;

/// The pair of places `(a, b)`.
#[inline]
pub(super) fn places(a: u32, b: u32) -> Places {
    u64::from(a) << 32 | u64::from(b)
}

/// The pair of places `(a, b)` of one group, the smaller first.
#[inline]
pub(super) fn sorted_places(a: u32, b: u32) -> Places {
    places(a.min(b), a.max(b))
}

/// The same pairs with their places exchanged.
pub(super) fn exchanged(lists: Vec<Vec<Places>>) -> impl Iterator<Item = Vec<Places>> {
    lists.into_iter().map(|list| list.into_iter().map(|pair| pair.rotate_left(32)).collect())
}

/// The numbers of pairs found in any order, ascending; the lists hold every pair once.
pub(super) fn numbered<const D: usize, const N: usize, const M: usize>(
    found: Vec<Vec<Places>>,
    first: &Group<'_, D, N>,
    second: &Group<'_, D, M>,
) -> Vec<(u32, u32)> {
    ascending(found, first.len(), |a, b| (first.number(a), second.number(b)))
}

/// A question about pairs, asked until it is answered with yes.
pub(super) struct Test<'a> {
    is_it: &'a (dyn Fn(Vec<(u32, u32)>) -> bool + Sync),
    holds: &'a AtomicBool,
}

impl<'a> Test<'a> {
    /// `is_it` gets the numbers of some pairs; `holds` is set where it says yes.
    pub fn new(is_it: &'a (dyn Fn(Vec<(u32, u32)>) -> bool + Sync), holds: &'a AtomicBool) -> Self {
        Self { is_it, holds }
    }

    /// Whether the answer was yes. It is the same in the end, whoever gives it first.
    pub fn holds(&self) -> bool {
        self.holds.load(Ordering::Relaxed)
    }

    pub fn ask(&self, pairs: Vec<(u32, u32)>) {
        if !self.holds() && !pairs.is_empty() && (self.is_it)(pairs) {
            self.holds.store(true, Ordering::Relaxed);
        }
    }

    /// Asks about pairs given by their places.
    pub fn look<const D: usize, const N: usize, const M: usize>(
        &self,
        found: &[Places],
        first: &Group<'_, D, N>,
        second: &Group<'_, D, M>,
    ) {
        let number = |pair: &Places| (first.number((pair >> 32) as u32), second.number(*pair as u32));
        self.ask(found.iter().map(number).collect());
    }
}
