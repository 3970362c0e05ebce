//! The edges and faces that can touch each other.

use super::adjacency::components;
use super::areas::{AreaGradient, Rest};
use super::boundary::{check_once, of_placed_tetrahedra, of_placed_triangles};
use super::orientation::is_flat;
use super::{Adjacency, Areas, Filter};
use crate::error::{Error, Result};
use crate::math::Vector;

/// The primitives that take part in contact, over the full vertex array.
///
/// In 2D these are the edges, in 3D the faces and all their edges; *loose* are vertices of no edge (particles) and,
/// in 3D, edges of no face (rods); `vertices` are those that any of them uses. Constant during a simulation:
/// positions are handed to every query. An edge given twice counts once; a face given twice is an error, because
/// data on faces would no longer match.
///
/// More than two faces may share an edge (sheets that are joined); such an edge is not on the boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface<const D: usize> {
    rest: Vec<Vector<D>>,
    vertices: Vec<u32>,
    edges: Vec<[u32; 2]>,
    faces: Vec<[u32; 3]>,
    loose_vertices: Vec<u32>,
    loose_edges: Vec<u32>,
    adjacency: Adjacency,
    areas: Areas,
    areas_are_given: bool,
    components: Vec<Option<u32>>,
    bodies: Option<Vec<u32>>,
    filter: Option<Filter>,
}

/// Solids, shells, rods and particles over one vertex array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mixed {
    /// Solids in 3D, of which the boundary can touch; of either orientation. None in 2D.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Shells in 3D, which can touch on both sides; in 2D solids, of which the boundary can touch.
    pub triangles: Vec<[u32; 3]>,
    /// Edges that can touch: rods in 3D, strings in 2D.
    pub edges: Vec<[u32; 2]>,
    /// Vertices that can touch: particles.
    pub vertices: Vec<u32>,
}

impl<const D: usize> Surface<D> {
    /// A surface of `edges` (2D) or `faces` (3D, with further `edges` if any) over vertices at `rest`.
    ///
    /// The edges of the faces are added by themselves; an edge given twice counts once.
    ///
    /// # Errors
    /// If a position is not finite, an index is out of range, a primitive repeats a vertex, an edge has
    /// no length or a face no area (decided exactly) or one that overflows, a face occurs twice, or there are faces
    /// in 2D.
    pub fn new(rest: Vec<Vector<D>>, edges: Vec<[u32; 2]>, faces: Vec<[u32; 3]>) -> Result<Self> {
        const { assert!(D == 2 || D == 3, "surfaces are in 2 or 3 dimensions") };
        check_finite("vertex", &rest)?;
        check_indices("edge", &edges, rest.len())?;
        check_indices("face", &faces, rest.len())?;
        check_none_in_2d::<D>("faces of a surface in 2D", faces.len())?;
        check_once("face", &faces)?;
        check_extent(&rest, &edges, &faces)?;
        Self::assembled(rest, all_edges(edges, &faces), faces)
    }

    /// Like [`Surface::new`], with every edge kept at its place and in its direction, for callers with edges of their own:
    /// `edges` must have all those of the faces.
    ///
    /// # Errors
    /// As for [`Surface::new`], and if an edge occurs twice or one of a face is missing.
    pub fn with_numbered_edges(
        rest: Vec<Vector<D>>,
        edges: Vec<[u32; 2]>,
        faces: Vec<[u32; 3]>,
    ) -> Result<Self> {
        check_finite("vertex", &rest)?;
        check_indices("edge", &edges, rest.len())?;
        check_indices("face", &faces, rest.len())?;
        check_none_in_2d::<D>("faces of a surface in 2D", faces.len())?;
        check_once("edge", &edges)?;
        check_once("face", &faces)?;
        check_extent(&rest, &edges, &faces)?;
        check_sides(&edges, &faces)?;
        Self::assembled(rest, edges, faces)
    }

    /// The surface of solids, shells, rods and particles over vertices at `rest`.
    ///
    /// A shell on the face of a solid counts once, with the outward orientation of the solid. Shells, edges and
    /// vertices inside solids can touch like any other. Faces of solids come first, then the shells.
    ///
    /// # Errors
    /// As for [`Surface::new`], and if an element has no area (2D) or volume (3D), an element or a shell occurs twice,
    /// more than two elements share a side, or there are tetrahedra in 2D.
    pub fn of_mixed(rest: Vec<Vector<D>>, mixed: Mixed) -> Result<Self> {
        let Mixed { tetrahedra, triangles, mut edges, vertices } = mixed;
        check_finite("vertex", &rest)?;
        check_indices("tetrahedron", &tetrahedra, rest.len())?;
        check_indices("triangle", &triangles, rest.len())?;
        check_indices("edge", &edges, rest.len())?;
        check_none_in_2d::<D>("tetrahedra of a surface in 2D", tetrahedra.len())?;
        check_once("triangle", &triangles)?;
        check_extent(&rest, &edges, &[])?;
        let faces = if D == 2 {
            edges.extend(of_placed_triangles(&rest, &triangles)?);
            Vec::new()
        } else {
            check_areas("triangle", &rest, &triangles)?;
            with_shells(of_placed_tetrahedra(&rest, &tetrahedra)?, triangles)
        };
        let surface = Self::assembled(rest, all_edges(edges, &faces), faces)?;
        surface.with_loose_vertices(vertices)
    }

    /// A surface of checked primitives, `edges` with those of the faces.
    fn assembled(rest: Vec<Vector<D>>, edges: Vec<[u32; 2]>, faces: Vec<[u32; 3]>) -> Result<Self> {
        let mut vertices: Vec<u32> = edges.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let adjacency = Adjacency::new(rest.len(), &edges, &faces);
        let is_loose = |e: &u32| D != 2 && adjacency.edge_faces.of(*e).is_empty();
        let loose_edges = (0..edges.len() as u32).filter(is_loose).collect();
        let primitives = Rest { positions: &rest, edges: &edges, faces: &faces, adjacency: &adjacency };
        Ok(Self {
            areas: primitives.areas(&vertices)?,
            components: components(&adjacency.vertex_vertices, &vertices),
            areas_are_given: false,
            loose_vertices: Vec::new(),
            bodies: None,
            filter: None,
            rest,
            vertices,
            edges,
            faces,
            loose_edges,
            adjacency,
        })
    }

    /// The same surface with vertices that belong to no edge: particles. Those that an edge uses count once.
    ///
    /// Replaces the particles there were. Filters that know connected pieces or bodies are best made afterwards.
    ///
    /// # Errors
    /// If an index is out of range.
    pub fn with_loose_vertices(mut self, mut vertices: Vec<u32>) -> Result<Self> {
        let wrapped: Vec<[u32; 1]> = vertices.iter().map(|v| [*v]).collect();
        check_indices("loose vertex", &wrapped, self.rest.len())?;
        vertices.retain(|v| self.adjacency.vertex_edges.of(*v).is_empty());
        vertices.sort_unstable();
        vertices.dedup();
        self.vertices.retain(|v| !self.adjacency.vertex_edges.of(*v).is_empty());
        self.vertices.extend(&vertices);
        self.vertices.sort_unstable();
        self.loose_vertices = vertices;
        self.components = components(&self.adjacency.vertex_vertices, &self.vertices);
        if !self.areas_are_given {
            self.areas = self.primitives().areas(&self.vertices)?;
        }
        Ok(self)
    }

    /// The same surface with other areas, for example of curved elements.
    ///
    /// # Errors
    /// If there is not one for each vertex and each edge, or one is negative or not finite.
    pub fn with_areas(mut self, areas: Areas) -> Result<Self> {
        areas.check(self.rest.len(), self.edges.len())?;
        self.areas = areas;
        self.areas_are_given = true;
        Ok(self)
    }

    /// The same surface with one label for each vertex that says to which body it belongs.
    ///
    /// # Errors
    /// If there is not one for each vertex.
    pub fn with_bodies(mut self, bodies: Vec<u32>) -> Result<Self> {
        if bodies.len() != self.rest.len() {
            let (found, expected) = (bodies.len(), self.rest.len());
            return Err(Error::WrongLength { what: "bodies", found, expected });
        }
        self.bodies = Some(bodies);
        Ok(self)
    }

    /// The same surface with a rule about what never touches.
    ///
    /// # Errors
    /// If the rule does not fit the vertices.
    pub fn with_filter(mut self, filter: Filter) -> Result<Self> {
        filter.check(self.rest.len())?;
        self.filter = Some(filter);
        Ok(self)
    }

    /// The same surface without such a rule.
    pub fn without_filter(mut self) -> Self {
        self.filter = None;
        self
    }

    /// The labels of the bodies, if they were given.
    pub fn bodies(&self) -> Option<&[u32]> {
        self.bodies.as_deref()
    }

    /// Whether the areas were given, and do not follow from the positions at rest.
    pub fn has_given_areas(&self) -> bool {
        self.areas_are_given
    }

    /// What never touches, if anything is excluded.
    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// The vertices of no edge, ascending.
    pub fn loose_vertices(&self) -> &[u32] {
        &self.loose_vertices
    }

    /// The edges of no face, by number, ascending; none in 2D, where edges are the boundary.
    pub fn loose_edges(&self) -> &[u32] {
        &self.loose_edges
    }

    /// Positions at rest, of all vertices, also those that are not on the surface.
    pub fn rest(&self) -> &[Vector<D>] {
        &self.rest
    }

    /// The vertices on the surface, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The edges, each with its smaller vertex first, ascending; as they were given if the surface was made
    /// [with their numbers](Self::with_numbered_edges).
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The faces; none in 2D.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// What is next to what.
    pub fn adjacency(&self) -> &Adjacency {
        &self.adjacency
    }

    /// The number of the edge between two vertices, if there is one.
    pub fn edge_between(&self, a: u32, b: u32) -> Option<u32> {
        self.adjacency.edge_between(&self.edges, a, b)
    }

    /// For each face, the numbers of its edges: from its first vertex to its second, from there to the third, and back.
    pub fn faces_to_edges(&self) -> &[[u32; 3]] {
        &self.adjacency.face_edges
    }

    /// For each vertex, the number of its connected piece, from 0 in the order of their smallest vertices; `None` off
    /// the surface.
    pub fn components(&self) -> &[Option<u32>] {
        &self.components
    }

    /// The body of a vertex: its label if bodies are given, otherwise its connected piece; `None` off the surface.
    pub fn body(&self, vertex: u32) -> Option<u32> {
        let component = self.components.get(vertex as usize).copied().flatten()?;
        Some(self.bodies.as_ref().map_or(component, |bodies| bodies[vertex as usize]))
    }

    /// Whether a vertex is where the surface ends. In 3D it is if one of its edges is a boundary edge, in 2D if
    /// it has one edge only. Loose vertices are; vertices off the surface are not.
    pub fn is_boundary_vertex(&self, vertex: u32) -> bool {
        let edges = self.adjacency.vertex_edges.of(vertex);
        let ends = if D == 2 { edges.len() == 1 } else { edges.iter().any(|e| self.is_boundary_edge(*e)) };
        ends || self.loose_vertices.binary_search(&vertex).is_ok()
    }

    /// Whether an edge is where the surface ends: one of fewer than two faces, so also a loose edge. In 2D none is:
    /// there a surface ends at vertices.
    pub fn is_boundary_edge(&self, edge: u32) -> bool {
        D != 2 && (edge as usize) < self.edges.len() && self.adjacency.edge_faces.of(edge).len() < 2
    }

    /// How much of the surface at rest each vertex and each edge stands for.
    pub fn areas(&self) -> &Areas {
        &self.areas
    }

    /// The derivative of the area of a vertex by the positions at rest; empty where it is constant.
    pub fn vertex_area_gradient(&self, vertex: u32) -> AreaGradient<D> {
        if self.areas_are_given { Vec::new() } else { self.primitives().vertex_area_gradient(vertex) }
    }

    /// The derivative of the area of an edge by the positions at rest; empty where it is constant.
    pub fn edge_area_gradient(&self, edge: u32) -> AreaGradient<D> {
        if self.areas_are_given { Vec::new() } else { self.primitives().edge_area_gradient(edge) }
    }

    fn primitives(&self) -> Rest<'_, D> {
        Rest { positions: &self.rest, edges: &self.edges, faces: &self.faces, adjacency: &self.adjacency }
    }

    /// Checks that `positions` has one finite entry for every vertex.
    ///
    /// # Errors
    /// If it has not.
    pub fn check_positions(&self, positions: &[Vector<D>]) -> Result<()> {
        check_field("positions", "vertex", positions, self.rest.len())
    }
}

/// Outward faces of solids, then the shells that do not lie on them.
fn with_shells(mut faces: Vec<[u32; 3]>, shells: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
    let key = |mut face: [u32; 3]| {
        face.sort_unstable();
        face
    };
    let mut known: Vec<_> = faces.iter().copied().map(key).collect();
    known.sort_unstable();
    faces.extend(shells.into_iter().filter(|shell| known.binary_search(&key(*shell)).is_err()));
    faces
}

/// The given edges and those of the faces, each once.
fn all_edges(mut edges: Vec<[u32; 2]>, faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    edges.extend(faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]));
    for edge in &mut edges {
        edge.sort_unstable();
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Checks that the edges of all faces are among `edges`.
fn check_sides(edges: &[[u32; 2]], faces: &[[u32; 3]]) -> Result<()> {
    let mut known: Vec<_> = edges.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
    known.sort_unstable();
    for (face, &[a, b, c]) in faces.iter().enumerate() {
        for [u, v] in [[a, b], [b, c], [c, a]] {
            let edge = [u.min(v), u.max(v)];
            if known.binary_search(&edge).is_err() {
                return Err(Error::MissingEdge { face, edge });
            }
        }
    }
    Ok(())
}

fn check_none_in_2d<const D: usize>(what: &'static str, found: usize) -> Result<()> {
    if D == 2 && found > 0 { Err(Error::WrongLength { what, found, expected: 0 }) } else { Ok(()) }
}

/// Checks that there are so many vectors, all finite; `whole` and `what` are the words for all and for one.
fn check_field<const D: usize>(
    whole: &'static str,
    what: &'static str,
    vectors: &[Vector<D>],
    expected: usize,
) -> Result<()> {
    if vectors.len() != expected {
        return Err(Error::WrongLength { what: whole, found: vectors.len(), expected });
    }
    check_finite(what, vectors)
}

fn check_finite<const D: usize>(what: &'static str, vectors: &[Vector<D>]) -> Result<()> {
    match vectors.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(Error::NotFinite { what, index }),
        None => Ok(()),
    }
}

/// Checks that every primitive names `N` different vertices that exist.
///
/// # Errors
/// If one does not; `what` is the word for it in the message.
pub fn check_indices<const N: usize>(
    what: &'static str,
    primitives: &[[u32; N]],
    vertices: usize,
) -> Result<()> {
    for (index, primitive) in primitives.iter().enumerate() {
        for (k, &vertex) in primitive.iter().enumerate() {
            if vertex as usize >= vertices {
                return Err(Error::IndexOutOfRange { what, index, vertex, vertices });
            }
            if primitive[..k].contains(&vertex) {
                return Err(Error::RepeatedVertex { what, index, vertex });
            }
        }
    }
    Ok(())
}

fn check_extent<const D: usize>(rest: &[Vector<D>], edges: &[[u32; 2]], faces: &[[u32; 3]]) -> Result<()> {
    let is_point = |&[a, b]: &[u32; 2]| rest[a as usize] == rest[b as usize];
    if let Some(index) = edges.iter().position(is_point) {
        return Err(Error::Degenerate { what: "edge", index });
    }
    check_areas("face", rest, faces)
}

fn check_areas<const D: usize>(what: &'static str, rest: &[Vector<D>], faces: &[[u32; 3]]) -> Result<()> {
    match faces.iter().position(|face| is_flat(face.map(|v| rest[v as usize]))) {
        Some(index) => Err(Error::Degenerate { what, index }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<Vector<3>> {
        vec![Vector([0.0, 0.0, 0.0]), Vector([1.0, 0.0, 0.0]), Vector([0.0, 1.0, 0.0]), Vector([9.0; 3])]
    }

    #[test]
    fn edges_come_from_faces_once() {
        let surface = Surface::new(points(), vec![[1, 0]], vec![[0, 1, 2]]).unwrap();
        assert_eq!(surface.edges(), &[[0, 1], [0, 2], [1, 2]]);
        assert_eq!(surface.vertices(), &[0, 1, 2]);
    }

    #[test]
    fn numbered_edges_keep_their_places_and_directions() {
        let edges = vec![[2, 1], [3, 0], [0, 2], [1, 0]];
        let surface = Surface::with_numbered_edges(points(), edges.clone(), vec![[0, 1, 2]]).unwrap();
        assert_eq!(surface.edges(), edges);
        assert_eq!(surface.faces_to_edges(), &[[3, 0, 2]]);
        assert_eq!(surface.loose_edges(), &[1]);
        assert_eq!(surface.edge_between(1, 2), Some(0));
        assert_eq!(surface.edge_between(2, 3), None);
        let sorted = Surface::new(points(), edges.clone(), vec![[0, 1, 2]]).unwrap();
        for (e, &[a, b]) in edges.iter().enumerate() {
            let other = sorted.edge_between(a, b).unwrap() as usize;
            assert_eq!(surface.areas().edges[e], sorted.areas().edges[other]);
        }
        let err =
            |edges, faces| Surface::with_numbered_edges(points(), edges, faces).unwrap_err().to_string();
        let missing = err(vec![[0, 1], [2, 1]], vec![[0, 1, 2]]);
        assert!(missing.contains("face 0") && missing.contains("0 and 2"), "{missing}");
        assert!(err(vec![[0, 1], [1, 2], [1, 0]], vec![]).contains("edge 2"));
    }

    #[test]
    fn empty_input_is_an_empty_surface() {
        assert!(Surface::<2>::new(vec![], vec![], vec![]).unwrap().vertices().is_empty());
    }

    #[test]
    fn bad_input_names_the_place() {
        let err = |points, faces| Surface::<3>::new(points, vec![], faces).unwrap_err().to_string();
        assert!(err(points(), vec![[0, 1, 2], [0, 1, 7]]).contains("face 1 names vertex 7"));
        assert!(err(points(), vec![[0, 1, 1]]).contains("face 0 names vertex 1 twice"));
        let mut bad = points();
        bad[2] = Vector([f64::NAN, 0.0, 0.0]);
        assert!(err(bad, vec![[0, 1, 2]]).contains("vertex 2 is not finite"));
        let mut flat = points();
        flat[2] = Vector([2.0, 0.0, 0.0]);
        assert!(err(flat, vec![[0, 1, 2]]).contains("face 0 has no length, area or volume"));
        assert!(Surface::<2>::new(vec![Vector([0.0; 2]); 3], vec![], vec![[0, 1, 2]]).is_err());
        let surface = Surface::new(points(), vec![], vec![[0, 1, 2]]).unwrap();
        assert!(surface.check_positions(&points()[..3]).is_err());
    }
}
