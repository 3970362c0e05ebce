//! Candidates of a surface that moves little from one question to the next.

use super::{Aabb, BroadPhaseKind, Candidates, Search};
use crate::math::Vector;
use crate::mesh::Surface;
use crate::threads;

/// A search that remembers: the pairs of one search in boxes larger than asked for serve all questions whose boxes lie inside these.
///
/// Every answer is pair by pair that of a new search, since the boxes of the pairs that were kept are compared once more. It is
/// meant for solvers, which ask again and again after small motions; whoever asks once pays nothing.
#[derive(Clone, Debug, Default)]
pub struct Nearby<const D: usize> {
    kind: BroadPhaseKind,
    /// The largest margin in m by which boxes are grown; beyond, more pairs are kept than a search takes time.
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
    candidates: Candidates,
}

/// The margin is so many times the pace.
const AHEAD: f64 = 4.0;

/// The largest margin by the mean length of an edge.
const MOST: f64 = 0.25;

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
        let mut held = self.kept.as_ref().is_some_and(|kept| kept.holds(surface, (start, end), inflation));
        if !held && let Some(margin) = self.margin(surface, pace) {
            let radius = self.last.as_ref().map_or(inflation, |last| inflation.max(last.inflation)) + margin;
            let candidates = self.kind.candidates(surface, end, end, radius);
            self.searches += 1;
            let kept = Kept { at: end.to_vec(), radius, candidates };
            held = kept.holds(surface, (start, end), inflation);
            self.kept = Some(kept);
        }
        self.note(end, inflation, pace);
        match &self.kept {
            Some(kept) if held => {
                Search::new(self.kind, surface, (start, end), inflation).among(&kept.candidates)
            }
            _ => {
                self.searches += 1;
                self.kind.candidates(surface, start, end, inflation)
            }
        }
    }

    /// Keeps what the next question is compared with.
    fn note(&mut self, end: &[Vector<D>], inflation: f64, pace: f64) {
        let mut place = self.last.take().map_or_else(Vec::new, |last| last.end);
        place.clear();
        place.extend_from_slice(end);
        self.last = Some(Question { end: place, inflation, pace });
    }

    /// How many searches all questions have taken so far.
    pub fn searches(&self) -> usize {
        self.searches
    }

    /// How far the surface goes from one question to the next, in m. It is soon forgotten, but not by questions in one place.
    fn pace(&self, surface: &Surface<D>, start: &[Vector<D>], end: &[Vector<D>]) -> f64 {
        let Some(last) = &self.last else { return farthest(surface, start, end) };
        let moved = farthest(surface, start, end).max(farthest(surface, &last.end, end));
        if moved == 0.0 { last.pace } else { moved.max(0.5 * last.pace) }
    }

    /// How much boxes should be grown in m beyond what is asked for; nothing for the first question and for motions so
    /// large that a search for this question alone is cheaper.
    fn margin(&mut self, surface: &Surface<D>, pace: f64) -> Option<f64> {
        self.last.as_ref()?;
        let most = *self.most.get_or_insert_with(|| MOST * mean_edge(surface));
        (pace <= most).then_some(most.min(AHEAD * pace))
    }
}

impl<const D: usize> Kept<D> {
    /// Whether all boxes of a question lie inside those that were searched.
    fn holds(
        &self,
        surface: &Surface<D>,
        (start, end): (&[Vector<D>], &[Vector<D>]),
        inflation: f64,
    ) -> bool {
        let ends = if std::ptr::eq(start, end) { 0.0 } else { farthest(surface, &self.at, start) };
        let moved = farthest(surface, &self.at, end).max(ends);
        // Boxes are rounded by less than this.
        let rounding = || 8.0 * f64::EPSILON * (largest(surface, &self.at) + self.radius);
        moved == 0.0 && inflation <= self.radius || moved + inflation <= self.radius - rounding()
    }
}

/// The largest difference of a coordinate of the surface's vertices, in m.
fn farthest<const D: usize>(surface: &Surface<D>, a: &[Vector<D>], b: &[Vector<D>]) -> f64 {
    if std::ptr::eq(a, b) {
        return 0.0;
    }
    let difference = |v: &u32| (a[*v as usize] - b[*v as usize]).max_abs();
    surface.vertices().iter().map(difference).fold(0.0, f64::max)
}

/// The largest coordinate of the surface's vertices, in m.
fn largest<const D: usize>(surface: &Surface<D>, x: &[Vector<D>]) -> f64 {
    surface.vertices().iter().map(|v| x[*v as usize].max_abs()).fold(0.0, f64::max)
}

/// The mean length of an edge at rest, in m; 0 without edges.
fn mean_edge<const D: usize>(surface: &Surface<D>) -> f64 {
    let (rest, edges) = (surface.rest(), surface.edges());
    let length = |&[a, b]: &[u32; 2]| (rest[b as usize] - rest[a as usize]).norm();
    edges.iter().map(length).sum::<f64>() / edges.len().max(1) as f64
}

impl<const D: usize> Search<'_, D> {
    /// Those of some candidates whose boxes meet, in the same order.
    fn among(&self, candidates: &Candidates) -> Candidates {
        let (edges, faces) = (self.edges(), self.faces());
        let vertex = |v: u32| self.boxes[v as usize];
        let (edge, face) = (|e: u32| edges.aabb(e as usize), |f: u32| faces.aabb(f as usize));
        Candidates {
            vv: meeting(&candidates.vv, vertex, vertex),
            ve: meeting(&candidates.ve, vertex, edge),
            ee: meeting(&candidates.ee, edge, edge),
            vf: meeting(&candidates.vf, vertex, face),
        }
    }
}

/// The pairs whose boxes meet.
fn meeting<const D: usize>(
    pairs: &[(u32, u32)],
    first: impl Fn(u32) -> Aabb<D> + Sync,
    second: impl Fn(u32) -> Aabb<D> + Sync,
) -> Vec<(u32, u32)> {
    let meets = |&(a, b): &(u32, u32)| first(a).meets(&second(b));
    threads::collect(pairs.len(), &|range| pairs[range].iter().copied().filter(meets).collect())
}
