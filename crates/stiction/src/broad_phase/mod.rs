//! Which primitives may be close: a superset, found by bounding boxes.

pub mod aabb;
mod brute_force;
mod bvh;

pub use aabb::Aabb;

use crate::math::Vector;
use crate::mesh::Surface;

/// Pairs of primitives that may come close, by their numbers in the surface, ascending.
///
/// In 2D `ve` is filled, in 3D `ee` and `vf`, and `vv` and (3D) `ve` with what is loose. Primitives that share a vertex
/// are never listed.
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

/// The methods by name. All find the same candidates, in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BroadPhaseKind {
    /// Every box against every other: the yardstick.
    BruteForce,
    /// A tree of boxes in the order of a space-filling curve.
    #[default]
    Bvh,
}

impl BroadPhaseKind {
    /// Candidates of a surface that moves from `start` to `end` on straight lines.
    ///
    /// Every box is grown by `inflation`, so pairs that come within `2·inflation` (in m) are all found.
    /// For a surface at rest pass the same positions twice.
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
        let Boxes { vertices, edges, faces } = Boxes::new(surface, start, end, inflation);
        let is_loose = |v: &&Boxed<D, 1>| surface.loose_vertices().binary_search(&v.number).is_ok();
        let loose: Vec<_> = vertices.iter().filter(is_loose).copied().collect();
        let vv = self.pairs(&loose, &loose, true);
        if D == 2 {
            Candidates { vv, ve: self.pairs(&vertices, &edges, false), ..Candidates::default() }
        } else {
            let rods: Vec<_> = surface.loose_edges().iter().map(|e| edges[*e as usize]).collect();
            let (ee, vf) = (self.pairs(&edges, &edges, true), self.pairs(&vertices, &faces, false));
            Candidates { vv, ve: self.pairs(&loose, &rods, false), ee, vf }
        }
    }

    /// Edges and faces, by their numbers, whose boxes at positions `x` meet and that share no vertex; ascending.
    ///
    /// # Panics
    /// If `x` is shorter than the surface's vertex array.
    pub fn edge_faces<const D: usize>(self, surface: &Surface<D>, x: &[Vector<D>]) -> Vec<(u32, u32)> {
        let Boxes { edges, faces, .. } = Boxes::new(surface, x, x, 0.0);
        self.pairs(&edges, &faces, false)
    }

    /// Like [`edge_faces`](Self::edge_faces), for two edges.
    ///
    /// # Panics
    /// If `x` is shorter than the surface's vertex array.
    pub fn edge_edges<const D: usize>(self, surface: &Surface<D>, x: &[Vector<D>]) -> Vec<(u32, u32)> {
        let Boxes { edges, .. } = Boxes::new(surface, x, x, 0.0);
        self.pairs(&edges, &edges, true)
    }

    /// All pairs that may touch, ascending; of one list with itself (`same`), each pair once.
    fn pairs<const D: usize, const N: usize, const M: usize>(
        self,
        first: &[Boxed<D, N>],
        second: &[Boxed<D, M>],
        same: bool,
    ) -> Vec<(u32, u32)> {
        match self {
            Self::BruteForce => brute_force::pairs(first, second, same),
            Self::Bvh => bvh::pairs(first, second, same),
        }
    }
}

/// A primitive: its number, its vertices and its box.
#[derive(Clone, Copy, Debug)]
struct Boxed<const D: usize, const N: usize> {
    number: u32,
    vertices: [u32; N],
    aabb: Aabb<D>,
}

impl<const D: usize, const N: usize> Boxed<D, N> {
    /// Whether the boxes meet and the primitives share no vertex.
    #[inline]
    fn may_touch<const M: usize>(&self, other: &Boxed<D, M>) -> bool {
        self.aabb.meets(&other.aabb) && !self.vertices.iter().any(|v| other.vertices.contains(v))
    }
}

/// The primitives of a surface with the boxes of their motion.
struct Boxes<const D: usize> {
    vertices: Vec<Boxed<D, 1>>,
    edges: Vec<Boxed<D, 2>>,
    faces: Vec<Boxed<D, 3>>,
}

impl<const D: usize> Boxes<D> {
    fn new(surface: &Surface<D>, start: &[Vector<D>], end: &[Vector<D>], inflation: f64) -> Self {
        let around = |vertices: &[u32]| {
            let points = vertices.iter().flat_map(|&v| [start[v as usize], end[v as usize]]);
            Aabb::around(points, inflation)
        };
        let vertex = |&v: &u32| Boxed { number: v, vertices: [v], aabb: around(&[v]) };
        Self {
            vertices: surface.vertices().iter().map(vertex).collect(),
            edges: boxed(surface.edges(), around),
            faces: boxed(surface.faces(), around),
        }
    }
}

fn boxed<const D: usize, const N: usize>(
    primitives: &[[u32; N]],
    around: impl Fn(&[u32]) -> Aabb<D>,
) -> Vec<Boxed<D, N>> {
    let one = |(i, p): (usize, &[u32; N])| Boxed { number: i as u32, vertices: *p, aabb: around(p) };
    primitives.iter().enumerate().map(one).collect()
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
}
