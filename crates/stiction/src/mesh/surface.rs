//! The edges and faces that can touch each other.

use super::Filter;
use crate::error::{Error, Result};
use crate::math::Vector;

/// The primitives that take part in contact, over the full vertex array.
///
/// In 2D these are the edges, in 3D the faces and all their edges; `vertices` are those that any of
/// them uses. Constant during a simulation: positions are handed to every query.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface<const D: usize> {
    rest: Vec<Vector<D>>,
    vertices: Vec<u32>,
    edges: Vec<[u32; 2]>,
    faces: Vec<[u32; 3]>,
    loose_vertices: Vec<u32>,
    loose_edges: Vec<u32>,
    filter: Option<Filter>,
}

impl<const D: usize> Surface<D> {
    /// A surface of `edges` (2D) or `faces` (3D, with further `edges` if any) over vertices at `rest`.
    ///
    /// The edges of the faces are added by themselves; an edge given twice counts once.
    ///
    /// # Errors
    /// If a position is not finite, an index is out of range, a primitive repeats a vertex, an edge has
    /// no length or a face no area, or there are faces in 2D.
    pub fn new(rest: Vec<Vector<D>>, edges: Vec<[u32; 2]>, faces: Vec<[u32; 3]>) -> Result<Self> {
        check_finite("vertex", &rest)?;
        check_indices("edge", &edges, rest.len())?;
        check_indices("face", &faces, rest.len())?;
        if D == 2 && !faces.is_empty() {
            return Err(Error::WrongLength {
                what: "faces of a surface in 2D",
                found: faces.len(),
                expected: 0,
            });
        }
        check_extent(&rest, &edges, &faces)?;
        let edges = all_edges(edges, &faces);
        let mut vertices: Vec<u32> = edges.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let loose_edges = if D == 2 { Vec::new() } else { edges_of_no_face(&edges, &faces) };
        Ok(Self { rest, vertices, edges, faces, loose_vertices: Vec::new(), loose_edges, filter: None })
    }

    /// The same surface with vertices that belong to no edge: particles. Those that an edge uses count once.
    ///
    /// # Errors
    /// If an index is out of range.
    pub fn with_loose_vertices(mut self, mut vertices: Vec<u32>) -> Result<Self> {
        let wrapped: Vec<[u32; 1]> = vertices.iter().map(|v| [*v]).collect();
        check_indices("loose vertex", &wrapped, self.rest.len())?;
        vertices.retain(|v| self.vertices.binary_search(v).is_err());
        vertices.sort_unstable();
        vertices.dedup();
        self.vertices.extend(&vertices);
        self.vertices.sort_unstable();
        self.loose_vertices = vertices;
        Ok(self)
    }

    /// The same surface with a rule about what never touches.
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filter = Some(filter);
        self
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

    /// The edges, each with its smaller vertex first, ascending.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The faces; none in 2D.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// Checks that `positions` has one finite entry for every vertex.
    ///
    /// # Errors
    /// If it has not.
    pub fn check_positions(&self, positions: &[Vector<D>]) -> Result<()> {
        if positions.len() != self.rest.len() {
            let (found, expected) = (positions.len(), self.rest.len());
            return Err(Error::WrongLength { what: "positions", found, expected });
        }
        check_finite("vertex", positions)
    }
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

fn edges_of_no_face(edges: &[[u32; 2]], faces: &[[u32; 3]]) -> Vec<u32> {
    let sides = all_edges(Vec::new(), faces);
    (0..edges.len() as u32).filter(|&e| sides.binary_search(&edges[e as usize]).is_err()).collect()
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
    let at = |v: u32| rest[v as usize];
    if let Some(index) = edges.iter().position(|&[a, b]| at(a) == at(b)) {
        return Err(Error::Degenerate { what: "edge", index });
    }
    let flat = |&[a, b, c]: &[u32; 3]| {
        let (u, v) = (at(b) - at(a), at(c) - at(a));
        u.norm_squared() * v.norm_squared() - u.dot(v) * u.dot(v) <= 0.0
    };
    match faces.iter().position(flat) {
        Some(index) => Err(Error::Degenerate { what: "face", index }),
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
