//! Which primitives may be close: a superset, found by bounding boxes.
//!
//! All methods find the pairs whose boxes meet, by the same exact comparison of `f64` boxes, in the same
//! order. They differ in time and memory only.

pub mod aabb;
mod ascending;
mod group;
mod brute_force;
mod hash_grid;
mod spatial_hash;
mod sweep_and_prune;
mod block;
mod curve;
mod bvh;
mod nearby;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

pub use aabb::Aabb;
use group::{Group, Rule, Test};
pub use nearby::Nearby;

use crate::error::{Error, Result};
use crate::math::Vector;
use crate::mesh::{MovingSurface, Surface};
use crate::threads;

/// Pairs of primitives that may come close, by their numbers in the surface, ascending.
///
/// Primitives that share a vertex and those that the surface's filter keeps apart are never listed.
///
/// | | 2D | 3D |
/// | --- | --- | --- |
/// | `vv` | loose vertices | loose vertices |
/// | `ve` | all vertices, all edges | loose vertices, loose edges |
/// | `ee` | – | all edges |
/// | `vf` | – | all vertices, all faces |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Two vertices (numbers in the full vertex array), both loose.
    pub vv: Vec<(u32, u32)>,
    /// A vertex (number in the full vertex array) and an edge.
    pub ve: Vec<(u32, u32)>,
    /// Two edges.
    pub ee: Vec<(u32, u32)>,
    /// A vertex (number in the full vertex array) and a face.
    pub vf: Vec<(u32, u32)>,
}

impl Candidates {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.vv.len() + self.ve.len() + self.ee.len() + self.vf.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks that every candidate names primitives of the surface.
    ///
    /// # Errors
    /// If one does not.
    pub fn check<const D: usize>(&self, surface: &Surface<D>) -> Result<()> {
        let (vertices, edges, faces) = (surface.rest().len(), surface.edges().len(), surface.faces().len());
        for (what, pairs, first, second) in [
            ("vertex-vertex candidate", &self.vv, vertices, vertices),
            ("vertex-edge candidate", &self.ve, vertices, edges),
            ("edge-edge candidate", &self.ee, edges, edges),
            ("vertex-face candidate", &self.vf, vertices, faces),
        ] {
            let wrong = |&(a, b): &(u32, u32)| a as usize >= first || b as usize >= second;
            if let Some(index) = pairs.iter().position(wrong) {
                return Err(Error::UnknownCandidate { what, index, pair: pairs[index] });
            }
        }
        let (edges, faces) = (surface.edges(), surface.faces());
        check_apart("vertex-vertex candidate", &self.vv, |v, w| (v == w).then_some(v))?;
        check_apart("vertex-edge candidate", &self.ve, |v, e| shared(v, &edges[e as usize]))?;
        check_apart("vertex-face candidate", &self.vf, |v, f| shared(v, &faces[f as usize]))?;
        check_apart("edge-edge candidate", &self.ee, |e, f| {
            let [a, b] = edges[e as usize];
            shared(a, &edges[f as usize]).or(shared(b, &edges[f as usize]))
        })
    }
}

/// The vertex, if it is one of the others.
fn shared(v: u32, others: &[u32]) -> Option<u32> {
    others.contains(&v).then_some(v)
}

/// Checks that no pair has a vertex in common.
fn check_apart(
    what: &'static str,
    pairs: &[(u32, u32)],
    common: impl Fn(u32, u32) -> Option<u32>,
) -> Result<()> {
    let found = pairs.iter().enumerate().find_map(|(index, &(a, b))| Some((index, common(a, b)?)));
    found.map_or(Ok(()), |(index, vertex)| Err(Error::RepeatedVertex { what, index, vertex }))
}

/// A kind of primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// A vertex of the surface.
    Vertex,
    /// An edge.
    Edge,
    /// A face.
    Face,
}

/// The methods by name. All find the same candidates, in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BroadPhaseKind {
    /// `brute_force`: every box against every other; the yardstick.
    BruteForce,
    /// `hash_grid`: boxes entered into all cells of one grid, sorted by cell.
    HashGrid,
    /// `spatial_hash`: boxes entered into a hash table of cells, of a size that suits each box.
    SpatialHash,
    /// `sweep_and_prune`: boxes sorted along the axis on which they are spread most.
    SweepAndPrune,
    /// `bvh`: a tree of boxes in the order of a space-filling curve.
    #[default]
    Bvh,
}

impl BroadPhaseKind {
    /// All methods.
    pub const ALL: [Self; 5] =
        [Self::BruteForce, Self::HashGrid, Self::SpatialHash, Self::SweepAndPrune, Self::Bvh];

    /// The name of the method.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BruteForce => "brute_force",
            Self::HashGrid => "hash_grid",
            Self::SpatialHash => "spatial_hash",
            Self::SweepAndPrune => "sweep_and_prune",
            Self::Bvh => "bvh",
        }
    }
}

impl fmt::Display for BroadPhaseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BroadPhaseKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let unknown = || Error::UnknownName {
            what: "broad phase",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        };
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(unknown)
    }
}

impl BroadPhaseKind {
    /// Candidates of a surface that moves from `start` to `end` on straight lines.
    ///
    /// Every box is grown by `inflation`, so pairs that come within `2·inflation` (in m) are all found.
    /// For a surface at rest pass the same positions twice. Positions must be finite and `inflation` not negative:
    /// [`try_candidates`](Self::try_candidates) checks it.
    ///
    /// # Panics
    /// If `start` or `end` is shorter than the surface's vertex array.
    pub fn candidates<const D: usize>(
        self,
        surface: &Surface<D>,
        start: &[Vector<D>],
        end: &[Vector<D>],
        inflation: f64,
    ) -> Candidates {
        let search = Search::new(self, surface, start, end, inflation);
        if D == 2 { search.in_2d() } else { search.in_3d() }
    }

    /// Like [`candidates`](Self::candidates), with its input checked.
    ///
    /// # Errors
    /// If `start` or `end` has not one finite position for every vertex, or `inflation` is not a finite number, 0
    /// or larger.
    pub fn try_candidates<const D: usize>(
        self,
        surface: &Surface<D>,
        start: &[Vector<D>],
        end: &[Vector<D>],
        inflation: f64,
    ) -> Result<Candidates> {
        surface.check_positions(start)?;
        surface.check_positions(end)?;
        check_inflation(inflation)?;
        Ok(self.candidates(surface, start, end, inflation))
    }

    /// All pairs of two kinds of primitives, vertices of the surface, edges and faces, that meet as
    /// [`candidates`](Self::candidates) do; also those that cannot touch before others do. Ascending, and where both are of one
    /// kind, with the smaller number first.
    ///
    /// # Errors
    /// As for [`try_candidates`](Self::try_candidates).
    pub fn pairs<const D: usize>(
        self,
        moving: &MovingSurface<'_, D>,
        kinds: [Primitive; 2],
        inflation: f64,
    ) -> Result<Vec<(u32, u32)>> {
        moving.check()?;
        check_inflation(inflation)?;
        let MovingSurface { surface, start, end } = *moving;
        let search = Search::new(self, surface, start, end, inflation);
        let (vertices, edges, faces) = (search.vertices(surface.vertices()), search.edges(), search.faces());
        Ok(match kinds {
            [Primitive::Vertex, Primitive::Vertex] => search.within(&vertices),
            [Primitive::Vertex, Primitive::Edge] => search.between(&vertices, &edges),
            [Primitive::Vertex, Primitive::Face] => search.between(&vertices, &faces),
            [Primitive::Edge, Primitive::Vertex] => search.between(&edges, &vertices),
            [Primitive::Edge, Primitive::Edge] => search.within(&edges),
            [Primitive::Edge, Primitive::Face] => search.between(&edges, &faces),
            [Primitive::Face, Primitive::Vertex] => search.between(&faces, &vertices),
            [Primitive::Face, Primitive::Edge] => search.between(&faces, &edges),
            [Primitive::Face, Primitive::Face] => search.within(&faces),
        })
    }

    /// Edges and faces, by their numbers, whose boxes at positions `x` meet, that share no vertex and that the
    /// filter lets touch; ascending.
    ///
    /// # Panics
    /// If `x` is shorter than the surface's vertex array.
    pub fn edge_faces<const D: usize>(self, surface: &Surface<D>, x: &[Vector<D>]) -> Vec<(u32, u32)> {
        let search = Search::new(self, surface, x, x, 0.0);
        search.between(&search.edges(), &search.faces())
    }

    /// Whether `test` holds for some of the [`candidates`](Self::candidates). They come in batches, of one
    /// kind each and in no order, and are not looked for any more once the answer is known.
    ///
    /// # Panics
    /// If the positions at the start or at the end are fewer than the surface's vertices.
    pub fn any_candidate<const D: usize>(
        self,
        moving: &MovingSurface<'_, D>,
        inflation: f64,
        test: &(dyn Fn(&Candidates) -> bool + Sync),
    ) -> bool {
        let MovingSurface { surface, start, end } = *moving;
        let search = Search::new(self, surface, start, end, inflation);
        let none = Candidates::default;
        let vertices = search.vertices(surface.vertices());
        let loose = search.vertices(surface.loose_vertices());
        search.any_within(&loose, &|vv| test(&Candidates { vv, ..none() }))
            || if D == 2 {
                search.any_between(&vertices, &search.edges(), &|ve| test(&Candidates { ve, ..none() }))
            } else {
                search.any_between(&loose, &search.loose_edges(), &|ve| test(&Candidates { ve, ..none() }))
                    || search
                        .any_between(&vertices, &search.faces(), &|vf| test(&Candidates { vf, ..none() }))
                    || search.any_within(&search.edges(), &|ee| test(&Candidates { ee, ..none() }))
            }
    }

    /// Whether `test` holds for some of the [`edge_faces`](Self::edge_faces), asked like
    /// [`any_candidate`](Self::any_candidate).
    ///
    /// # Panics
    /// If `x` is shorter than the surface's vertex array.
    pub fn any_edge_face<const D: usize>(
        self,
        surface: &Surface<D>,
        x: &[Vector<D>],
        test: &(dyn Fn(Vec<(u32, u32)>) -> bool + Sync),
    ) -> bool {
        let search = Search::new(self, surface, x, x, 0.0);
        search.any_between(&search.edges(), &search.faces(), test)
    }

    /// Like [`any_edge_face`](Self::any_edge_face), for two edges.
    ///
    /// # Panics
    /// If `x` is shorter than the surface's vertex array.
    pub fn any_edge_edge<const D: usize>(
        self,
        surface: &Surface<D>,
        x: &[Vector<D>],
        test: &(dyn Fn(Vec<(u32, u32)>) -> bool + Sync),
    ) -> bool {
        let search = Search::new(self, surface, x, x, 0.0);
        search.any_within(&search.edges(), test)
    }

    /// The pairs at rest with a loose vertex, and of two loose edges in 3D: few, so quickly found.
    ///
    /// # Panics
    /// If `x` is shorter than the surface's vertex array.
    pub fn loose_candidates<const D: usize>(self, surface: &Surface<D>, x: &[Vector<D>]) -> Candidates {
        let search = Search::new(self, surface, x, x, 0.0);
        let (vertices, edges) = (search.vertices(surface.loose_vertices()), search.loose_edges());
        let vv = search.within(&vertices);
        if D == 2 {
            let ve = search.between(&vertices, &search.edges());
            return Candidates { vv, ve, ..Candidates::default() };
        }
        let ve = search.between(&vertices, &edges);
        let (ee, vf) = (search.within(&edges), search.between(&vertices, &search.faces()));
        Candidates { vv, ve, ee, vf }
    }

    /// Like [`edge_faces`](Self::edge_faces), for two edges.
    ///
    /// # Panics
    /// If `x` is shorter than the surface's vertex array.
    pub fn edge_edges<const D: usize>(self, surface: &Surface<D>, x: &[Vector<D>]) -> Vec<(u32, u32)> {
        let search = Search::new(self, surface, x, x, 0.0);
        search.within(&search.edges())
    }
}

/// Checks that boxes can be grown by this much.
pub(crate) fn check_inflation(inflation: f64) -> Result<()> {
    if inflation >= 0.0 && inflation.is_finite() {
        return Ok(());
    }
    Err(Error::BadParameter { name: "inflation", value: inflation, must: "a finite number, 0 or larger" })
}

/// The box of every vertex of the surface on its way; the other vertices have empty ones.
fn vertex_boxes<const D: usize>(
    surface: &Surface<D>,
    start: &[Vector<D>],
    end: &[Vector<D>],
    inflation: f64,
) -> Vec<Aabb<D>> {
    let mut boxes = vec![Aabb::EMPTY; surface.rest().len()];
    for &v in surface.vertices() {
        let v = v as usize;
        boxes[v] = Aabb::around([start[v], end[v]], inflation);
    }
    boxes
}

/// A surface whose vertices have boxes, and how to find pairs in it.
struct Search<'a, const D: usize> {
    kind: BroadPhaseKind,
    surface: &'a Surface<D>,
    boxes: Vec<Aabb<D>>,
}

impl<'a, const D: usize> Search<'a, D> {
    fn new(
        kind: BroadPhaseKind,
        surface: &'a Surface<D>,
        start: &[Vector<D>],
        end: &[Vector<D>],
        inflation: f64,
    ) -> Self {
        Self { kind, surface, boxes: vertex_boxes(surface, start, end, inflation) }
    }

    fn in_2d(&self) -> Candidates {
        let vv = self.within(&self.vertices(self.surface.loose_vertices()));
        let ve = self.between(&self.vertices(self.surface.vertices()), &self.edges());
        Candidates { vv, ve, ..Candidates::default() }
    }

    fn in_3d(&self) -> Candidates {
        let loose = self.vertices(self.surface.loose_vertices());
        let vv = self.within(&loose);
        let ve = self.between(&loose, &self.loose_edges());
        let items = self.surface.edges().len() + self.surface.faces().len();
        let (ee, vf) = threads::join(
            items,
            || self.within(&self.edges()),
            || self.between(&self.vertices(self.surface.vertices()), &self.faces()),
        );
        Candidates { vv, ve, ee, vf }
    }

    fn vertices(&self, vertices: &'a [u32]) -> Group<'_, D, 1> {
        let primitives = Cow::Borrowed(bytemuck::cast_slice(vertices));
        Group { boxes: &self.boxes, primitives, numbers: Some(vertices) }
    }

    fn edges(&self) -> Group<'_, D, 2> {
        Group { boxes: &self.boxes, primitives: Cow::Borrowed(self.surface.edges()), numbers: None }
    }

    fn loose_edges(&self) -> Group<'_, D, 2> {
        let (edges, loose) = (self.surface.edges(), self.surface.loose_edges());
        let primitives = loose.iter().map(|&e| edges[e as usize]).collect();
        Group { boxes: &self.boxes, primitives, numbers: Some(loose) }
    }

    fn faces(&self) -> Group<'_, D, 3> {
        Group { boxes: &self.boxes, primitives: Cow::Borrowed(self.surface.faces()), numbers: None }
    }

    /// All pairs of a group that may touch, ascending.
    fn within<const N: usize>(&self, group: &Group<'_, D, N>) -> Vec<(u32, u32)> {
        let rule = Rule { filter: self.surface.filter() };
        match self.kind {
            _ if group.len() < 2 => Vec::new(),
            BroadPhaseKind::BruteForce => brute_force::within(group, rule),
            BroadPhaseKind::HashGrid => hash_grid::within(group, rule),
            BroadPhaseKind::SpatialHash => spatial_hash::within(group, rule),
            BroadPhaseKind::SweepAndPrune => sweep_and_prune::within(group, rule),
            BroadPhaseKind::Bvh => bvh::within(group, rule),
        }
    }

    /// Whether `is_it` holds for some of the pairs of a group. Only the tree looks for pairs while it asks.
    fn any_within<const N: usize>(
        &self,
        group: &Group<'_, D, N>,
        is_it: &(dyn Fn(Vec<(u32, u32)>) -> bool + Sync),
    ) -> bool {
        let holds = AtomicBool::new(false);
        let test = Test::new(is_it, &holds);
        if self.kind == BroadPhaseKind::Bvh && group.len() >= 2 {
            bvh::test_within(group, Rule { filter: self.surface.filter() }, &test);
        } else {
            test.ask(self.within(group));
        }
        holds.into_inner()
    }

    /// The same for the pairs of two groups.
    fn any_between<const N: usize, const M: usize>(
        &self,
        first: &Group<'_, D, N>,
        second: &Group<'_, D, M>,
        is_it: &(dyn Fn(Vec<(u32, u32)>) -> bool + Sync),
    ) -> bool {
        let holds = AtomicBool::new(false);
        let test = Test::new(is_it, &holds);
        if self.kind == BroadPhaseKind::Bvh && first.len() > 0 && second.len() > 0 {
            bvh::test_between(first, second, Rule { filter: self.surface.filter() }, &test);
        } else {
            test.ask(self.between(first, second));
        }
        holds.into_inner()
    }

    /// All pairs of two groups that may touch, ascending.
    fn between<const N: usize, const M: usize>(
        &self,
        first: &Group<'_, D, N>,
        second: &Group<'_, D, M>,
    ) -> Vec<(u32, u32)> {
        let rule = Rule { filter: self.surface.filter() };
        match self.kind {
            _ if first.len() == 0 || second.len() == 0 => Vec::new(),
            BroadPhaseKind::BruteForce => brute_force::between(first, second, rule),
            BroadPhaseKind::HashGrid => hash_grid::between(first, second, rule),
            BroadPhaseKind::SpatialHash => spatial_hash::between(first, second, rule),
            BroadPhaseKind::SweepAndPrune => sweep_and_prune::between(first, second, rule),
            BroadPhaseKind::Bvh => bvh::between(first, second, rule),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharing_a_vertex_is_no_candidate_and_distance_counts_once_inflated() {
        let x = vec![Vector([0.0, 0.0]), Vector([1.0, 0.0]), Vector([0.0, 0.1]), Vector([1.0, 0.1])];
        let surface = Surface::new(x.clone(), vec![[0, 1], [2, 3]], vec![]).unwrap();
        assert!(BroadPhaseKind::BruteForce.candidates(&surface, &x, &x, 0.04).ve.is_empty());
        assert_eq!(
            BroadPhaseKind::BruteForce.candidates(&surface, &x, &x, 0.06).ve,
            [(0, 1), (1, 1), (2, 0), (3, 0)]
        );
        let mut end = x.clone();
        end[2][1] = -0.1;
        end[3][1] = -0.1;
        assert_eq!(BroadPhaseKind::BruteForce.candidates(&surface, &x, &end, 0.0).ve.len(), 4);
    }

    #[test]
    fn names_lead_to_methods_and_back() {
        for kind in BroadPhaseKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let message = "octree".parse::<BroadPhaseKind>().unwrap_err().to_string();
        assert!(message.contains("octree") && message.contains("sweep_and_prune, bvh"), "{message}");
    }
}
