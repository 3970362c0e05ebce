//! Names of contacts that stay the same from build to build.

use std::fmt;

use super::Contacts;
use super::visit::AnyContact;
use crate::error::{Error, Result};
use crate::mesh::Surface;

/// What a contact is of: its kind and the primitive of each side, by number.
///
/// The key depends on nothing else: neither on positions, nor on the order in which candidates were found, nor on the other contacts. Of
/// two vertices or two edges the smaller number comes first. A vertex of one body on a face of another and a vertex of the other on a face of
/// the one are different contacts. Nearly parallel edges have the key of their edges, whichever parts of them are closest.
///
/// Keys ascend by kind, in the order of [`Contacts`], then by numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContactKey {
    /// Two vertices.
    VertexVertex(u32, u32),
    /// A vertex and an edge.
    VertexEdge(u32, u32),
    /// Two edges.
    EdgeEdge(u32, u32),
    /// A vertex and a face.
    VertexFace(u32, u32),
    /// A vertex and an obstacle.
    VertexObstacle(u32, u32),
}

/// One side of a contact, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A vertex.
    Vertex(u32),
    /// An edge.
    Edge(u32),
    /// A face.
    Face(u32),
    /// An obstacle.
    Obstacle(u32),
}

impl Feature {
    /// Calls `f` with its vertices; an obstacle, and what the surface does not have, has none.
    #[inline]
    pub fn for_each_vertex<const D: usize>(self, surface: &Surface<D>, mut f: impl FnMut(u32)) {
        match self {
            Self::Vertex(v) => f(v),
            Self::Edge(e) => surface.edges().get(e as usize).into_iter().flatten().for_each(|v| f(*v)),
            Self::Face(t) => surface.faces().get(t as usize).into_iter().flatten().for_each(|v| f(*v)),
            Self::Obstacle(_) => {}
        }
    }

    /// The body that it is of, see [`Surface::body`].
    fn body<const D: usize>(self, surface: &Surface<D>) -> Option<u32> {
        let mut body = None;
        self.for_each_vertex(surface, |v| body = body.or_else(|| surface.body(v)));
        body
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex(v) => write!(f, "vertex {v}"),
            Self::Edge(e) => write!(f, "edge {e}"),
            Self::Face(t) => write!(f, "face {t}"),
            Self::Obstacle(o) => write!(f, "obstacle {o}"),
        }
    }
}

impl ContactKey {
    /// Its two sides.
    #[inline]
    pub fn sides(self) -> [Feature; 2] {
        match self {
            Self::VertexVertex(a, b) => [Feature::Vertex(a), Feature::Vertex(b)],
            Self::VertexEdge(v, e) => [Feature::Vertex(v), Feature::Edge(e)],
            Self::EdgeEdge(a, b) => [Feature::Edge(a), Feature::Edge(b)],
            Self::VertexFace(v, f) => [Feature::Vertex(v), Feature::Face(f)],
            Self::VertexObstacle(v, o) => [Feature::Vertex(v), Feature::Obstacle(o)],
        }
    }

    /// The number of its kind, in the order of kinds, and those of its sides: for files.
    pub fn code(self) -> (u8, [u32; 2]) {
        match self {
            Self::VertexVertex(a, b) => (0, [a, b]),
            Self::VertexEdge(a, b) => (1, [a, b]),
            Self::EdgeEdge(a, b) => (2, [a, b]),
            Self::VertexFace(a, b) => (3, [a, b]),
            Self::VertexObstacle(a, b) => (4, [a, b]),
        }
    }

    /// The key with a [`code`](Self::code); nothing if there is none.
    pub fn from_code(kind: u8, [a, b]: [u32; 2]) -> Option<Self> {
        match kind {
            0 if a < b => Some(Self::VertexVertex(a, b)),
            1 => Some(Self::VertexEdge(a, b)),
            2 if a < b => Some(Self::EdgeEdge(a, b)),
            3 => Some(Self::VertexFace(a, b)),
            4 => Some(Self::VertexObstacle(a, b)),
            _ => None,
        }
    }

    /// The bodies of its sides, see [`Surface::body`]; none of an obstacle.
    pub fn bodies<const D: usize>(self, surface: &Surface<D>) -> [Option<u32>; 2] {
        self.sides().map(|side| side.body(surface))
    }

    /// Calls `f` with each side and each vertex of the other: what neighbours have in common, see
    /// [`ContactMemory`](super::ContactMemory). Obstacles have no neighbours.
    #[inline]
    pub(super) fn for_each_hinge<const D: usize>(
        self,
        surface: &Surface<D>,
        mut f: impl FnMut((Feature, u32)),
    ) {
        if let Self::VertexObstacle(..) = self {
            return;
        }
        let [a, b] = self.sides();
        b.for_each_vertex(surface, |v| f((a, v)));
        a.for_each_vertex(surface, |v| f((b, v)));
    }

    /// Calls `f` with the four pairs of ends, if this is a pair of edges.
    #[inline]
    pub(super) fn for_each_pair_of_ends<const D: usize>(self, surface: &Surface<D>, mut f: impl FnMut(Self)) {
        if let Self::EdgeEdge(a, b) = self {
            let other = Feature::Edge(b);
            Feature::Edge(a).for_each_vertex(surface, |v| {
                other.for_each_vertex(surface, |w| f(Self::VertexVertex(v.min(w), v.max(w))));
            });
        }
    }
}

impl fmt::Display for ContactKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.sides();
        write!(f, "{first} and {second}")
    }
}

impl Contacts {
    /// The key of every contact, in the order of kinds. Nearly parallel edges may share theirs.
    ///
    /// # Errors
    /// If the surface is not the one that the contacts were built with: it does not have an edge or a face of a contact.
    pub fn keys<const D: usize>(&self, surface: &Surface<D>) -> Result<Vec<ContactKey>> {
        let (mut keys, mut unknown) = (Vec::with_capacity(self.len()), None);
        self.for_each(|contact| match key(contact, surface) {
            Some(key) => keys.push(key),
            None => unknown = unknown.or(Some(keys.len())),
        });
        match unknown {
            Some(index) => Err(Error::UnknownContact { index }),
            None => Ok(keys),
        }
    }
}

#[inline]
fn key<const D: usize>(contact: AnyContact<'_>, surface: &Surface<D>) -> Option<ContactKey> {
    let edge = |a, b| surface.edge_between(a, b);
    match (contact, contact.vertices()) {
        (AnyContact::Obstacle(c), &[v]) => Some(ContactKey::VertexObstacle(v, c.obstacle)),
        (_, &[v, w]) => Some(ContactKey::VertexVertex(v.min(w), v.max(w))),
        (_, &[v, a, b]) => Some(ContactKey::VertexEdge(v, edge(a, b)?)),
        (AnyContact::VertexFace(_), &[v, a, b, c]) => {
            Some(ContactKey::VertexFace(v, face(surface, [a, b, c])?))
        }
        (_, &[a, b, c, d]) => {
            let (e, f) = (edge(a, b)?, edge(c, d)?);
            Some(ContactKey::EdgeEdge(e.min(f), e.max(f)))
        }
        _ => None,
    }
}

/// The number of the face with these vertices, in this order.
#[inline]
fn face<const D: usize>(surface: &Surface<D>, vertices: [u32; 3]) -> Option<u32> {
    let around = surface.adjacency().vertex_faces.of(vertices[0]);
    around.iter().copied().find(|&f| surface.faces()[f as usize] == vertices)
}
