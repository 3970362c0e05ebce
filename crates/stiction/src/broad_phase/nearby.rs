//! Candidates of a surface that moves little from one question to the next.

use std::ops::Range;

use super::{Aabb, BroadPhaseKind, Candidates, vertex_boxes};
use crate::math::Vector;
use crate::mesh::Surface;
use crate::threads;

/// A search that remembers: the pairs of one search in boxes larger than asked for serve all questions whose boxes lie inside these.
///
/// Every answer is pair by pair that of a new search, since the boxes of the pairs that were kept are compared once more. It is
/// meant for solvers, which ask again and again after small motions; whoever asks once pays nothing. Questions with positions that are no numbers
/// are never remembered.
#[derive(Clone, Debug, Default)]
pub struct Nearby<const D: usize> {
    kind: BroadPhaseKind,
    /// The largest margin in m by which boxes are grown; beyond, comparing the pairs that are kept takes longer than a search.
    most: Option<f64>,
    last: Option<Question<D>>,
    kept: Option<Kept<D>>,
    searches: usize,
}

/// Where the surface ended, how much boxes were grown, and how far the surface goes from question to question; in m.
#[derive(Clone, Debug)]
struct Question<const D: usize> {
    end: Vec<Vector<D>>,
    inflation: f64,
    pace: f64,
}

/// The candidates of boxes around positions.
#[derive(Clone, Debug)]
struct Kept<const D: usize> {
    at: Vec<Vector<D>>,
    /// How much the boxes were grown, in m.
    radius: f64,
    /// The same less what boxes are rounded by.
    reach: f64,
    candidates: Candidates,
    /// How many questions they have answered, and the most pairs that one of them was answered with.
    uses: usize,
    found: usize,
}

/// The margin is so many times the pace.
const AHEAD: f64 = 4.0;

/// The largest margin by the mean length of an edge.
const MOST: f64 = 0.25;

/// A search takes as long as to compare so many pairs for each pair found,
const PER_FOUND: usize = 4;
/// and so many for each vertex, edge and face.
const PER_ITEM: usize = 2;

impl<const D: usize> Nearby<D> {
    /// A search by this method.
    pub fn new(kind: BroadPhaseKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// What [`BroadPhaseKind::candidates`] finds. The surface must be the same in all questions.
    ///
    /// # Panics
    /// If `start` or `end` is shorter than the surface's vertex array.
    pub fn candidates(
        &mut self,
        surface: &Surface<D>,
        start: &[Vector<D>],
        end: &[Vector<D>],
        inflation: f64,
    ) -> Candidates {
        let pace = self.pace(surface, start, end);
        let mut held = self.kept.as_ref().is_some_and(|kept| kept.holds(surface, start, end, inflation));
        if !held && let Some(margin) = self.margin(surface, pace) {
            let radius = self.usual_inflation(inflation) + margin;
            let kept = Kept::new(surface, self.kind, end, radius);
            self.searches += 1;
            held = kept.holds(surface, start, end, inflation);
            self.kept = Some(kept);
        }
        self.note(end, inflation, pace);
        match &self.kept {
            Some(kept) if held => {
                let found = kept.candidates.among(surface, start, end, inflation);
                self.weigh(surface, found.len());
                found
            }
            _ => {
                self.searches += 1;
                self.kind.candidates(surface, start, end, inflation)
            }
        }
    }

    /// Forgets pairs that are too many to be compared for so few found, also by questions before, and keeps fewer next time.
    fn weigh(&mut self, surface: &Surface<D>, found: usize) {
        let items = surface.vertices().len() + surface.edges().len() + surface.faces().len();
        let Some(kept) = &mut self.kept else { return };
        (kept.uses, kept.found) = (kept.uses + 1, kept.found.max(found));
        let worth = PER_FOUND * kept.found + PER_ITEM * items;
        if kept.uses > 2 && kept.candidates.len() > worth {
            self.kept = None;
            self.most = self.most.map(|most| 0.5 * most);
        }
    }

    /// Keeps what the next question is compared with; nothing of a question with positions that are no numbers.
    fn note(&mut self, end: &[Vector<D>], inflation: f64, pace: f64) {
        if !pace.is_finite() {
            self.last = None;
            return;
        }
        let mut place = self.last.take().map_or_else(Vec::new, |last| last.end);
        place.clear();
        place.extend_from_slice(end);
        self.last = Some(Question { end: place, inflation, pace });
    }

    /// How many pairs are remembered.
    pub fn kept(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.candidates.len())
    }

    /// How many searches all questions have taken so far.
    pub fn searches(&self) -> usize {
        self.searches
    }

    /// How far the surface goes from one question to the next, in m. It is soon forgotten, but not by questions in one place.
    fn pace(&self, surface: &Surface<D>, start: &[Vector<D>], end: &[Vector<D>]) -> f64 {
        let Some(last) = &self.last else { return farthest(surface, start, end) };
        let moved = farthest(surface, start, end).max(farthest(surface, &last.end, end));
        if moved == 0.0 { last.pace } else { moved.max(0.25 * last.pace) }
    }

    /// How much boxes are grown in m by this question or, if it is not much more, the last one: solvers ask in turn for a motion and for
    /// contacts.
    fn usual_inflation(&self, inflation: f64) -> f64 {
        let most = inflation + 4.0 * self.most.unwrap_or(0.0);
        let last = self.last.as_ref().map_or(inflation, |last| last.inflation);
        if last <= most { inflation.max(last) } else { inflation }
    }

    /// How much boxes should be grown in m beyond what is asked for; nothing for the first question and for motions so
    /// large that a search for this question alone is cheaper.
    fn margin(&mut self, surface: &Surface<D>, pace: f64) -> Option<f64> {
        self.last.as_ref()?;
        let most = *self.most.get_or_insert_with(|| MOST * mean_edge(surface));
        // A margin that is no larger than the pace would not hold even this question.
        (pace < 0.99 * most).then_some(most.min(AHEAD * pace))
    }
}

impl<const D: usize> Kept<D> {
    fn new(surface: &Surface<D>, kind: BroadPhaseKind, at: &[Vector<D>], radius: f64) -> Self {
        let largest = surface.vertices().iter().map(|v| at[*v as usize].max_abs()).fold(0.0, f64::max);
        let reach = radius - 8.0 * f64::EPSILON * (largest + radius);
        let candidates = kind.candidates(surface, at, at, radius);
        Self { at: at.to_vec(), radius, reach, candidates, uses: 0, found: 0 }
    }

    /// Whether all boxes of a question lie inside those that were searched.
    fn holds(&self, surface: &Surface<D>, start: &[Vector<D>], end: &[Vector<D>], inflation: f64) -> bool {
        let ends = if std::ptr::eq(start, end) { 0.0 } else { farthest(surface, &self.at, start) };
        let moved = farthest(surface, &self.at, end).max(ends);
        moved == 0.0 && inflation <= self.radius || moved + inflation <= self.reach
    }
}

/// Vertices whose motions a task compares.
const CHUNK: usize = 4096;

/// The largest difference of a coordinate of the surface's vertices, in m; infinite where one is no number.
fn farthest<const D: usize>(surface: &Surface<D>, a: &[Vector<D>], b: &[Vector<D>]) -> f64 {
    if std::ptr::eq(a, b) {
        return 0.0;
    }
    let difference = |v: &u32| {
        let moved = a[*v as usize] - b[*v as usize];
        if moved.is_finite() { moved.max_abs() } else { f64::INFINITY }
    };
    let vertices = surface.vertices();
    let largest = |range: Range<usize>| vertices[range].iter().map(difference).fold(0.0, f64::max);
    threads::in_chunks_of(CHUNK, vertices.len(), &largest).into_iter().fold(0.0, f64::max)
}

/// The mean length of an edge at rest, in m; 0 without edges.
fn mean_edge<const D: usize>(surface: &Surface<D>) -> f64 {
    let (rest, edges) = (surface.rest(), surface.edges());
    let length = |&[a, b]: &[u32; 2]| (rest[b as usize] - rest[a as usize]).norm();
    edges.iter().map(length).sum::<f64>() / edges.len().max(1) as f64
}

/// Pairs that a task compares.
const PAIRS: usize = 2048;

impl Candidates {
    /// Those of them whose boxes meet as those of [`BroadPhaseKind::candidates`] do, in the same order: if these are all pairs of a larger motion or
    /// of larger boxes, what a search finds.
    ///
    /// # Panics
    /// If `start` or `end` is shorter than the surface's vertex array, or a candidate names what the surface does not have.
    pub fn among<const D: usize>(
        &self,
        surface: &Surface<D>,
        start: &[Vector<D>],
        end: &[Vector<D>],
        inflation: f64,
    ) -> Self {
        let around = |v: u32| Aabb::around([start[v as usize], end[v as usize]], inflation);
        if self.len() < surface.vertices().len() {
            let boxes = PrimitiveBoxes {
                vertex: around,
                edge: |e| surface.edges()[e as usize].map(around).into_iter().fold(Aabb::EMPTY, join),
                face: |f| surface.faces()[f as usize].map(around).into_iter().fold(Aabb::EMPTY, join),
            };
            return boxes.meeting(self);
        }
        let vertices = vertex_boxes(surface, start, end, inflation);
        let edges = all_boxes(surface.edges(), &vertices, !self.ve.is_empty() || !self.ee.is_empty());
        let faces = all_boxes(surface.faces(), &vertices, !self.vf.is_empty());
        let boxes = PrimitiveBoxes {
            vertex: |v| vertices[v as usize],
            edge: |e| edges[e as usize],
            face: |f| faces[f as usize],
        };
        boxes.meeting(self)
    }
}

fn join<const D: usize>(a: Aabb<D>, b: Aabb<D>) -> Aabb<D> {
    a.union(&b)
}

/// The boxes of all edges or faces, if they are wanted: pairs are many more, and each compares two.
fn all_boxes<const D: usize, const N: usize>(
    primitives: &[[u32; N]],
    vertices: &[Aabb<D>],
    wanted: bool,
) -> Vec<Aabb<D>> {
    let around = |vs: &[u32; N]| vs.map(|v| vertices[v as usize]).into_iter().fold(Aabb::EMPTY, join);
    let count = if wanted { primitives.len() } else { 0 };
    threads::collect(count, &|range| primitives[range].iter().map(around).collect())
}

/// The box of every primitive by its number.
struct PrimitiveBoxes<V, E, F> {
    vertex: V,
    edge: E,
    face: F,
}

impl<V, E, F> PrimitiveBoxes<V, E, F> {
    fn meeting<const D: usize>(&self, candidates: &Candidates) -> Candidates
    where
        V: Fn(u32) -> Aabb<D> + Sync,
        E: Fn(u32) -> Aabb<D> + Sync,
        F: Fn(u32) -> Aabb<D> + Sync,
    {
        Candidates {
            vv: meeting(&candidates.vv, &self.vertex, &self.vertex),
            ve: meeting(&candidates.ve, &self.vertex, &self.edge),
            ee: meeting(&candidates.ee, &self.edge, &self.edge),
            vf: meeting(&candidates.vf, &self.vertex, &self.face),
        }
    }
}

/// [`Aabb::meets`] without a branch.
#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "no branch predictor knows the outcome for pairs that are near"
)]
fn meets<const D: usize>(a: &Aabb<D>, b: &Aabb<D>) -> bool {
    let (low, high) = ([a.low(), b.low()], [a.high(), b.high()]);
    (0..D).fold(true, |meets, k| meets & (low[0][k] <= high[1][k]) & (low[1][k] <= high[0][k]))
}

/// The pairs whose boxes meet.
fn meeting<const D: usize>(
    pairs: &[(u32, u32)],
    first: &(impl Fn(u32) -> Aabb<D> + Sync),
    second: &(impl Fn(u32) -> Aabb<D> + Sync),
) -> Vec<(u32, u32)> {
    let of_range = |range: Range<usize>| {
        let (mut near, mut count) = ([(0, 0); PAIRS], 0);
        for &(a, b) in &pairs[range] {
            near[count] = (a, b);
            count += usize::from(meets(&first(a), &second(b)));
        }
        near[..count].to_vec()
    };
    let found = threads::in_chunks_of(PAIRS, pairs.len(), &of_range);
    found.concat()
}
