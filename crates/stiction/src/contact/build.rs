//! From candidates to contacts.

use super::group::{joined, pair_of};
use super::improved;
use super::reduce::{Found, Frame, parts_of};
use super::sources::{AreaShare, Shares, WeightSources};
use super::term::{Merged, Term, Weigher, merge};
use super::{Contact, ContactSet, Contacts, ObstacleContact, ParallelContact, Selection};
use crate::broad_phase::Candidates;
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::mesh::Surface;
use crate::mollifier;
use crate::obstacle::Obstacle;
use crate::stencil::Stencil;
use crate::threads;

/// Candidates that a task handles.
const CHUNK: usize = 2048;

impl Contacts {
    /// The contacts among the candidates that `selection` picks at positions `x`, and those of the surface's
    /// vertices with the obstacles.
    ///
    /// The candidates must be those of [`BroadPhaseKind::candidates`](crate::broad_phase::BroadPhaseKind::candidates) with an inflation
    /// of half the reach or more, in any order but each once. More of them change nothing. The input is not checked:
    /// [`try_build`](Self::try_build) does that.
    ///
    /// # Panics
    /// If `x` is shorter than the surface's vertex array, or a candidate names what the surface does not have.
    pub fn build<const D: usize>(
        surface: &Surface<D>,
        candidates: &Candidates,
        obstacles: &[Obstacle<D>],
        x: &[Vector<D>],
        selection: &Selection,
    ) -> Self {
        let lengths2 = lengths2(surface, candidates);
        let frame = Frame::new(surface, &lengths2, x, selection);
        let (mut contacts, _) = among(&frame, candidates, false);
        contacts.obstacle = near_obstacles(&frame, obstacles, selection.reach);
        contacts
    }

    /// Like [`build`](Self::build), with its input checked.
    ///
    /// # Errors
    /// If `x` has not one finite position for every vertex, the reach is not finite and larger than 0, or a candidate
    /// names what the surface does not have or occurs twice.
    pub fn try_build<const D: usize>(
        surface: &Surface<D>,
        candidates: &Candidates,
        obstacles: &[Obstacle<D>],
        x: &[Vector<D>],
        selection: &Selection,
    ) -> Result<Self> {
        Self::check_input(surface, candidates, x, selection)?;
        Ok(Self::build(surface, candidates, obstacles, x, selection))
    }

    /// Checks what [`build`](Self::build) and [`build_with_sources`](Self::build_with_sources) take for granted.
    ///
    /// # Errors
    /// As for [`try_build`](Self::try_build).
    pub fn check_input<const D: usize>(
        surface: &Surface<D>,
        candidates: &Candidates,
        x: &[Vector<D>],
        selection: &Selection,
    ) -> Result<()> {
        surface.check_positions(x)?;
        selection.check()?;
        candidates.check(surface)?;
        check_once("vertex-vertex candidate", &candidates.vv, true)?;
        check_once("vertex-edge candidate", &candidates.ve, false)?;
        check_once("edge-edge candidate", &candidates.ee, true)?;
        check_once("vertex-face candidate", &candidates.vf, false)
    }

    /// Like [`build`](Self::build), with what the weights depend on: empty lists where contacts are counted.
    ///
    /// # Panics
    /// As for [`build`](Self::build).
    pub fn build_with_sources<const D: usize>(
        surface: &Surface<D>,
        candidates: &Candidates,
        obstacles: &[Obstacle<D>],
        x: &[Vector<D>],
        selection: &Selection,
    ) -> (Self, WeightSources) {
        let lengths2 = lengths2(surface, candidates);
        let frame = Frame::new(surface, &lengths2, x, selection);
        let (mut contacts, mut sources) = among(&frame, candidates, frame.weigher.is_by_area());
        contacts.obstacle = near_obstacles(&frame, obstacles, selection.reach);
        if frame.weigher.is_by_area() {
            let edge = |a, b| surface.edge_between(a, b).unwrap_or_default();
            for Stencil([a, b, c, d]) in contacts.ee.iter().map(|c| c.stencil) {
                sources.ee.push([AreaShare::Edge(edge(a, b), 0.25), AreaShare::Edge(edge(c, d), 0.25)]);
            }
            sources.vf = of_first(contacts.vf.iter().map(|c| c.stencil.0[0]), 0.25);
            sources.obstacle = of_first(contacts.obstacle.iter().map(|c| c.stencil.0[0]), 1.0);
        }
        (contacts, sources)
    }
}

/// One share of a vertex for each contact.
fn of_first(vertices: impl Iterator<Item = u32>, factor: f64) -> Shares {
    let mut shares = Shares::default();
    vertices.for_each(|v| shares.push([AreaShare::Vertex(v, factor)]));
    shares
}

/// Checks that no pair occurs twice; `unordered` pairs also the other way round.
fn check_once(what: &'static str, pairs: &[(u32, u32)], unordered: bool) -> Result<()> {
    let key = |&(a, b): &(u32, u32)| if unordered { (a.min(b), a.max(b)) } else { (a, b) };
    if pairs.windows(2).all(|two| key(&two[0]) < key(&two[1])) {
        return Ok(());
    }
    let mut keyed: Vec<_> = pairs.iter().map(key).zip(0_usize..).collect();
    keyed.sort_unstable();
    let twice = keyed.windows(2).filter(|two| two[0].0 == two[1].0).min_by_key(|two| two[1].1);
    twice.map_or(Ok(()), |two| Err(Error::Duplicate { what, index: two[1].1, first: two[0].1 }))
}

impl<'a, const D: usize> Frame<'a, D> {
    fn new(surface: &'a Surface<D>, lengths2: &'a [f64], x: &'a [Vector<D>], selection: &Selection) -> Self {
        let reach2 = selection.reach * selection.reach;
        Self { surface, x, lengths2, reach2, set: selection.set, weigher: Weigher::new(surface, selection) }
    }
}

/// The squared lengths of the edges at rest; none if no pair of edges asks for them.
fn lengths2<const D: usize>(surface: &Surface<D>, candidates: &Candidates) -> Vec<f64> {
    if candidates.ee.is_empty() {
        return Vec::new();
    }
    let (rest, edges) = (surface.rest(), surface.edges());
    let length2 = |[a, b]: [u32; 2]| (rest[b as usize] - rest[a as usize]).norm_squared();
    threads::collect(edges.len(), &|range| edges[range].iter().map(|e| length2(*e)).collect())
}

/// The contacts of candidates, and the sources of the weights of those kinds that are merged.
fn among<const D: usize>(
    frame: &Frame<'_, D>,
    candidates: &Candidates,
    keep: bool,
) -> (Contacts, WeightSources) {
    let all = |_: (u32, u32)| false;
    let mut found = reduce(&candidates.vv, all, |pair, out| frame.vertex_vertex(pair, out));
    found.extend(reduce(&candidates.ve, all, |pair, out| frame.vertex_edge(pair, out)));
    let apart = |pair| frame.is_edge_edge_apart(pair);
    found.extend(reduce(&candidates.ee, apart, |pair, out| frame.edge_edge(pair, out)));
    let apart = |pair| frame.is_vertex_face_apart(pair);
    found.extend(reduce(&candidates.vf, apart, |pair, out| frame.vertex_face(pair, out)));
    if frame.set == ContactSet::ImprovedMax {
        let terms = improved::terms(frame, &mut found);
        found.extend(terms);
    }
    let vv = merge(&take(&mut found, |part| &mut part.vv), frame.weigher, keep, |term, weight| {
        let (v, w) = pair_of(term.key);
        Contact { stencil: Stencil([v, w]), weight }
    });
    let ve = merge(&take(&mut found, |part| &mut part.ve), frame.weigher, keep, |term, weight| {
        let (v, e) = pair_of(term.key);
        let [a, b] = frame.surface.edges()[e as usize];
        Contact { stencil: Stencil([v, a, b]), weight }
    });
    let parallel: Merged<_> =
        merge(&take(&mut found, |part| &mut part.parallel), frame.weigher, keep, |term, weight| {
            parallel(frame.surface, term, weight)
        });
    let contacts = Contacts {
        vv: vv.contacts,
        ve: ve.contacts,
        ee: ascending(joined(take(&mut found, |part| &mut part.ee))),
        vf: ascending(joined(take(&mut found, |part| &mut part.vf))),
        parallel: parallel.contacts,
        obstacle: Vec::new(),
    };
    let sources =
        WeightSources { vv: vv.shares, ve: ve.shares, parallel: parallel.shares, ..WeightSources::default() };
    (contacts, sources)
}

/// What the pairs that are not obviously apart come down to.
fn reduce(
    pairs: &[(u32, u32)],
    is_apart: impl Fn((u32, u32)) -> bool + Sync,
    f: impl Fn((u32, u32), &mut Found) + Sync,
) -> Vec<Found> {
    threads::in_chunks_of(CHUNK, pairs.len(), &|range| {
        // All pairs of a chunk are sorted out first, without a branch: no branch predictor knows the outcome.
        let (mut near, mut count) = ([(0, 0); CHUNK], 0);
        for pair in &pairs[range] {
            near[count] = *pair;
            count += usize::from(!is_apart(*pair));
        }
        let mut found = Found::default();
        near[..count].iter().for_each(|pair| f(*pair, &mut found));
        found
    })
}

fn take<T>(found: &mut [Found], list: impl Fn(&mut Found) -> &mut Vec<T>) -> Vec<Vec<T>> {
    found.iter_mut().map(|part| std::mem::take(list(part))).collect()
}

fn parallel<const D: usize>(surface: &Surface<D>, term: &Term, weight: f64) -> ParallelContact {
    let (e, f) = pair_of(term.key);
    let ([a, b], [c, d]) = (surface.edges()[e as usize], surface.edges()[f as usize]);
    let stencil = Stencil([a, b, c, d]);
    let threshold = mollifier::threshold(&stencil.gather(surface.rest()));
    ParallelContact { contact: Contact { stencil, weight }, parts: parts_of(term.parts), threshold }
}

/// The contacts that weigh something, ascending. Ascending candidates bring them in that order, but for the faces at each
/// vertex, which are numbered and not ordered by their vertices.
fn ascending(mut contacts: Vec<Contact<4>>) -> Vec<Contact<4>> {
    let first = |c: &Contact<4>| c.stencil.0[0];
    contacts.retain(|c| c.weight != 0.0);
    for same in contacts.chunk_by_mut(|a, b| first(a) == first(b)) {
        same.sort_unstable_by_key(|c| c.stencil);
    }
    if !contacts.is_sorted_by_key(first) {
        contacts.sort_unstable_by_key(|c| c.stencil);
    }
    contacts
}

fn near_obstacles<const D: usize>(
    frame: &Frame<'_, D>,
    obstacles: &[Obstacle<D>],
    reach: f64,
) -> Vec<ObstacleContact> {
    if obstacles.is_empty() {
        return Vec::new();
    }
    let vertices = frame.surface.vertices();
    threads::collect(vertices.len(), &|range| {
        let mut contacts = Vec::new();
        for &v in &vertices[range] {
            let weight = frame.weigher.weight(frame.weigher.of_vertex(v, 1.0, 1.0));
            for (index, obstacle) in obstacles.iter().enumerate() {
                if weight != 0.0 && obstacle.distance(frame.x[v as usize]) < reach {
                    contacts.push(ObstacleContact { stencil: Stencil([v]), obstacle: index as u32, weight });
                }
            }
        }
        contacts
    })
}
