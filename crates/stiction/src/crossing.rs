//! Whether a configuration intersects itself, decided exactly.
//!
//! Signs of determinants come from exact arithmetic \[Shewchuk1997\], so the answer is right for every finite
//! input, whatever overflows or underflows. Touching counts as crossing. Primitives that share a vertex are
//! not compared, so a touch is seen where an edge of the one does not begin at the other: two triangles with
//! a common edge that are folded flat onto each other, and nothing else, are not seen.
//!
//! The broad phase is shared with collision detection in time; distances and motions are not. So it is an
//! independent check of both if another broad phase is chosen, as tests and the simulator do.
//!
//! | | 2D | 3D |
//! | --- | --- | --- |
//! | edges | with edges | with faces; loose ones with each other |
//! | loose vertices | with each other, with edges | with each other, with loose edges, with faces |

mod exact;
mod place;

use std::fmt;
use std::ops::Range;

pub use exact::{segment_meets_triangle, segments_meet};

use crate::broad_phase::BroadPhaseKind;
use crate::error::Result;
use crate::math::Vector;
use crate::mesh::Surface;
use crate::mesh::orientation::{is_tame, space};
use crate::threads;

/// Two primitives that share a point though they share no vertex, by number: vertices in the full vertex
/// array, edges and faces in the surface's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CrossingPair {
    /// Two loose vertices at one place.
    VertexVertex(u32, u32),
    /// A loose vertex on an edge.
    VertexEdge(u32, u32),
    /// Two edges; in 3D two loose ones.
    EdgeEdge(u32, u32),
    /// A loose vertex on a face.
    VertexFace(u32, u32),
    /// An edge and a face.
    EdgeFace(u32, u32),
}

impl CrossingPair {
    /// The numbers, in the order of the name.
    pub fn numbers(self) -> [u32; 2] {
        match self {
            Self::VertexVertex(a, b)
            | Self::VertexEdge(a, b)
            | Self::EdgeEdge(a, b)
            | Self::VertexFace(a, b)
            | Self::EdgeFace(a, b) => [a, b],
        }
    }
}

/// What crosses, whose it is and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing<const D: usize> {
    /// The primitives, by number.
    pub pair: CrossingPair,
    /// The vertices of the first.
    pub first: Vec<u32>,
    /// The vertices of the second.
    pub second: Vec<u32>,
    /// The bodies they belong to: those of their first vertices.
    pub bodies: [Option<u32>; 2],
    /// A point that they share, in m, good to rounding.
    pub place: Vector<D>,
}

impl<const D: usize> fmt::Display for Crossing<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        primitive(f, &self.first, self.bodies[0])?;
        f.write_str(" crosses ")?;
        primitive(f, &self.second, self.bodies[1])?;
        let place: Vec<_> = self.place.0.iter().map(|x| format!("{:?}", rounded(*x))).collect();
        write!(f, " near ({}): move them apart, or exclude the pair by a filter", place.join(", "))
    }
}

/// The number with six digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x) + 0.0
}

fn primitive(f: &mut fmt::Formatter<'_>, vertices: &[u32], body: Option<u32>) -> fmt::Result {
    let what = ["vertex", "edge", "face"][vertices.len().clamp(1, 3) - 1];
    let numbers: Vec<_> = vertices.iter().map(u32::to_string).collect();
    write!(f, "{what} ({})", numbers.join(", "))?;
    body.map_or(Ok(()), |body| write!(f, " of body {body}"))
}

/// How to look for crossings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Whether pairs that the surface's filter keeps apart count as well.
    pub filtered: bool,
    /// How to find boxes that meet; the result is the same for all.
    pub broad_phase: BroadPhaseKind,
}

impl Check {
    /// All crossings of a surface at `positions`, by kind in the order of [`CrossingPair`], then by number.
    ///
    /// # Errors
    /// If there is not one finite position for each vertex.
    pub fn crossings<const D: usize>(
        self,
        surface: &Surface<D>,
        positions: &[Vector<D>],
    ) -> Result<Vec<Crossing<D>>> {
        self.search(surface, positions, |search| {
            let lists = search.candidates(self.broad_phase);
            let found: Vec<_> = lists.iter().flat_map(|list| search.crossing(list)).collect();
            threads::collect(found.len(), &|range| {
                found[range].iter().map(|pair| search.described(*pair)).collect()
            })
        })
    }

    /// Whether there is a crossing: the same answer as from all of them, sooner if there is one.
    ///
    /// # Errors
    /// If there is not one finite position for each vertex.
    pub fn any<const D: usize>(self, surface: &Surface<D>, positions: &[Vector<D>]) -> Result<bool> {
        self.search(surface, positions, |search| search.any(self.broad_phase))
    }

    fn search<const D: usize, R>(
        self,
        surface: &Surface<D>,
        x: &[Vector<D>],
        answer: impl Fn(&Search<'_, D>) -> R,
    ) -> Result<R> {
        surface.check_positions(x)?;
        let bare = (self.filtered && surface.filter().is_some()).then(|| surface.clone().without_filter());
        let surface = bare.as_ref().unwrap_or(surface);
        Ok(answer(&Search::new(surface, x)))
    }
}

/// All crossings of a surface at `positions` that its filter does not excuse; see [`Check::crossings`].
///
/// # Errors
/// If there is not one finite position for each vertex.
pub fn crossings<const D: usize>(surface: &Surface<D>, positions: &[Vector<D>]) -> Result<Vec<Crossing<D>>> {
    Check::default().crossings(surface, positions)
}

/// Whether a surface at `positions` crosses itself where its filter does not excuse it; see [`Check::any`].
///
/// # Errors
/// If there is not one finite position for each vertex.
pub fn has_crossings<const D: usize>(surface: &Surface<D>, positions: &[Vector<D>]) -> Result<bool> {
    Check::default().any(surface, positions)
}

/// Pairs of one kind whose boxes meet, ascending.
struct List {
    kind: fn(u32, u32) -> CrossingPair,
    pairs: Vec<(u32, u32)>,
}

/// Those with loose vertices, and those of two loose edges in 3D.
fn loose_candidates<const D: usize>(
    surface: &Surface<D>,
    x: &[Vector<D>],
    broad_phase: BroadPhaseKind,
) -> Vec<List> {
    let all = broad_phase.loose_candidates(surface, x);
    vec![
        List { kind: CrossingPair::VertexVertex, pairs: all.vv },
        List { kind: CrossingPair::VertexEdge, pairs: all.ve },
        List { kind: CrossingPair::EdgeEdge, pairs: all.ee },
        List { kind: CrossingPair::VertexFace, pairs: all.vf },
    ]
}

/// A surface somewhere.
struct Search<'a, const D: usize> {
    surface: &'a Surface<D>,
    x: &'a [Vector<D>],
    /// Whether plain numbers can be trusted for what is far from a decision.
    tame: bool,
}

impl<'a, const D: usize> Search<'a, D> {
    fn new(surface: &'a Surface<D>, x: &'a [Vector<D>]) -> Self {
        let tame = surface.vertices().iter().all(|v| is_tame(x[*v as usize]));
        Self { surface, x, tame }
    }

    /// The pairs that may cross, by kind.
    fn candidates(&self, broad_phase: BroadPhaseKind) -> Vec<List> {
        let (surface, x) = (self.surface, self.x);
        let mut lists = self.loose_candidates(broad_phase);
        let pairs =
            if D == 2 { broad_phase.edge_edges(surface, x) } else { broad_phase.edge_faces(surface, x) };
        lists.push(List { kind: Self::EDGES, pairs });
        lists
    }

    /// Those of them with loose vertices or edges.
    fn loose_candidates(&self, broad_phase: BroadPhaseKind) -> Vec<List> {
        let surface = self.surface;
        if surface.loose_vertices().is_empty() && surface.loose_edges().is_empty() {
            return Vec::new();
        }
        loose_candidates(surface, self.x, broad_phase)
    }

    /// What edges cross: each other, or faces.
    const EDGES: fn(u32, u32) -> CrossingPair =
        if D == 2 { CrossingPair::EdgeEdge } else { CrossingPair::EdgeFace };

    /// The pairs of a list that cross.
    fn crossing(&self, list: &List) -> Vec<CrossingPair> {
        threads::collect(list.pairs.len(), &|range| self.crossing_in(list, range).collect())
    }

    /// Whether anything crosses.
    fn any(&self, broad_phase: BroadPhaseKind) -> bool {
        let any_of = |pairs: Vec<(u32, u32)>| {
            let list = List { kind: Self::EDGES, pairs };
            self.crossing_in(&list, 0..list.pairs.len()).next().is_some()
        };
        self.loose_candidates(broad_phase).iter().any(|list| !self.crossing(list).is_empty())
            || if D == 2 {
                broad_phase.any_edge_edge(self.surface, self.x, &any_of)
            } else {
                broad_phase.any_edge_face(self.surface, self.x, &any_of)
            }
    }

    /// The pairs of a part of a list that cross.
    fn crossing_in(&self, list: &List, range: Range<usize>) -> impl Iterator<Item = CrossingPair> {
        let kind = list.kind;
        let pairs = &list.pairs[range];
        let with_faces = matches!(kind(0, 0), CrossingPair::EdgeFace(..));
        let pairs = if self.tame && with_faces { self.undecided(pairs) } else { pairs.to_vec() };
        pairs.into_iter().map(move |(a, b)| kind(a, b)).filter(|pair| self.cross(*pair))
    }

    /// Whether a pair meets and the filter does not excuse it.
    fn cross(&self, pair: CrossingPair) -> bool {
        self.meet(pair)
            && self.surface.filter().is_none_or(|filter| self.with_vertices(pair, |a, b| filter.allows(a, b)))
    }

    fn meet(&self, pair: CrossingPair) -> bool {
        match pair {
            CrossingPair::VertexVertex(a, b) => self.at(a) == self.at(b),
            CrossingPair::VertexEdge(v, e) => exact::segments_meet([self.at(v); 2], self.edge(e)),
            CrossingPair::EdgeEdge(a, b) => exact::segments_meet(self.edge(a), self.edge(b)),
            CrossingPair::VertexFace(v, f) => self.meets_face([self.at(v); 2], f),
            CrossingPair::EdgeFace(e, f) => self.meets_face(self.edge(e), f),
        }
    }

    fn meets_face(&self, p: [Vector<D>; 2], f: u32) -> bool {
        exact::segment_meets_triangle(p.map(space), self.face(f).map(space))
    }

    /// Those of pairs of edges and faces, best with equal edges one after the other, that plain numbers do
    /// not part: a few in a hundred.
    fn undecided(&self, pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let at = |v: u32| space(self.x[v as usize]);
        let (edges, faces) = (self.surface.edges(), self.surface.faces());
        let mut out = Vec::new();
        for same_edge in pairs.chunk_by(|a, b| a.0 == b.0) {
            let [a, b] = edges[same_edge[0].0 as usize];
            let p = [at(a), at(b)];
            for &(e, f) in same_edge {
                let [a, b, c] = faces[f as usize];
                if !exact::certainly_apart(p, [at(a), at(b), at(c)]) {
                    out.push((e, f));
                }
            }
        }
        out
    }

    fn at(&self, v: u32) -> Vector<D> {
        self.x[v as usize]
    }

    fn edge(&self, e: u32) -> [Vector<D>; 2] {
        self.surface.edges()[e as usize].map(|v| self.at(v))
    }

    fn face(&self, f: u32) -> [Vector<D>; 3] {
        self.surface.faces()[f as usize].map(|v| self.at(v))
    }

    /// The result of `f` for the vertices of both primitives.
    fn with_vertices<R>(&self, pair: CrossingPair, f: impl Fn(&[u32], &[u32]) -> R) -> R {
        let (edges, faces) = (self.surface.edges(), self.surface.faces());
        match pair {
            CrossingPair::VertexVertex(a, b) => f(&[a], &[b]),
            CrossingPair::VertexEdge(v, e) => f(&[v], &edges[e as usize]),
            CrossingPair::EdgeEdge(a, b) => f(&edges[a as usize], &edges[b as usize]),
            CrossingPair::VertexFace(v, t) => f(&[v], &faces[t as usize]),
            CrossingPair::EdgeFace(e, t) => f(&edges[e as usize], &faces[t as usize]),
        }
    }

    /// A point that the primitives share.
    fn place(&self, pair: CrossingPair) -> Vector<D> {
        match pair {
            CrossingPair::VertexVertex(v, _)
            | CrossingPair::VertexEdge(v, _)
            | CrossingPair::VertexFace(v, _) => self.at(v),
            CrossingPair::EdgeEdge(a, b) => place::of_segments(self.edge(a), self.edge(b)),
            CrossingPair::EdgeFace(e, f) => place::of_edge_and_face(self.edge(e), self.face(f)),
        }
    }

    fn described(&self, pair: CrossingPair) -> Crossing<D> {
        let place = self.place(pair);
        let (first, second) = self.with_vertices(pair, |a, b| (a.to_vec(), b.to_vec()));
        let bodies = [self.surface.body(first[0]), self.surface.body(second[0])];
        Crossing { pair, first, second, bodies, place }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face_and_needle(tip: f64) -> (Surface<3>, Vec<Vector<3>>) {
        let x: Vec<_> = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, tip], [0.2, 0.2, 1.0]]
            .map(Vector)
            .to_vec();
        (Surface::new(x.clone(), vec![[3, 4]], vec![[0, 1, 2]]).unwrap(), x)
    }

    #[test]
    fn a_needle_crosses_when_its_tip_is_below() {
        for (tip, count) in [(1e-300, 0), (f64::from_bits(1), 0), (0.0, 1), (-1e-300, 1)] {
            let (surface, x) = face_and_needle(tip);
            assert_eq!(crossings(&surface, &x).unwrap().len(), count, "tip at {tip}");
            assert_eq!(has_crossings(&surface, &x).unwrap(), count > 0);
        }
    }

    #[test]
    fn a_crossing_says_who_and_where() {
        let (surface, x) = face_and_needle(-0.25);
        let message = crossings(&surface, &x).unwrap()[0].to_string();
        let start = "edge (3, 4) of body 1 crosses face (0, 1, 2) of body 0 near (0.2, 0.2, 0.0): move";
        assert!(message.starts_with(start), "{message}");
    }
}
