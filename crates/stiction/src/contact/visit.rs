//! All contacts in one order: `vv`, `ve`, `ee`, `vf`, then nearly parallel edges, then obstacles.
//!
//! Every list over kinds has this order: [`Contacts`], [`PerContact`], keys, counts and messages. Code that treats all
//! kinds alike and only reads, or drops some, visits them here.

use super::{Contact, Contacts, ObstacleContact, ParallelContact, PerContact};

/// A contact of any kind. Kinds are in the order in which all lists have them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnyContact<'a> {
    /// Two vertices.
    VertexVertex(&'a Contact<2>),
    /// A vertex and the inside of an edge.
    VertexEdge(&'a Contact<3>),
    /// The insides of two edges.
    EdgeEdge(&'a Contact<4>),
    /// A vertex and the inside of a face.
    VertexFace(&'a Contact<4>),
    /// Two nearly parallel edges.
    Parallel(&'a ParallelContact),
    /// A vertex and an obstacle.
    Obstacle(&'a ObstacleContact),
}

impl<'a> AnyContact<'a> {
    /// Its vertices: those of the first primitive, then those of the second.
    #[inline]
    pub fn vertices(self) -> &'a [u32] {
        match self {
            Self::VertexVertex(c) => &c.stencil.0,
            Self::VertexEdge(c) => &c.stencil.0,
            Self::EdgeEdge(c) | Self::VertexFace(c) => &c.stencil.0,
            Self::Parallel(c) => &c.contact.stencil.0,
            Self::Obstacle(c) => &c.stencil.0,
        }
    }

    /// The vertices of each primitive; an obstacle has none.
    #[inline]
    pub fn primitives(self) -> [&'a [u32]; 2] {
        let first = match self {
            Self::EdgeEdge(_) | Self::Parallel(_) => 2,
            _ => 1,
        };
        self.vertices().split_at(first).into()
    }

    /// How much it counts, see [`Weighting`](super::Weighting).
    #[inline]
    pub fn weight(self) -> f64 {
        match self {
            Self::VertexVertex(c) => c.weight,
            Self::VertexEdge(c) => c.weight,
            Self::EdgeEdge(c) | Self::VertexFace(c) => c.weight,
            Self::Parallel(c) => c.contact.weight,
            Self::Obstacle(c) => c.weight,
        }
    }
}

impl Contacts {
    /// Calls `f` with every contact, in the order of kinds.
    #[inline]
    pub fn for_each<'a>(&'a self, mut f: impl FnMut(AnyContact<'a>)) {
        self.vv.iter().for_each(|c| f(AnyContact::VertexVertex(c)));
        self.ve.iter().for_each(|c| f(AnyContact::VertexEdge(c)));
        self.ee.iter().for_each(|c| f(AnyContact::EdgeEdge(c)));
        self.vf.iter().for_each(|c| f(AnyContact::VertexFace(c)));
        self.parallel.iter().for_each(|c| f(AnyContact::Parallel(c)));
        self.obstacle.iter().for_each(|c| f(AnyContact::Obstacle(c)));
    }

    /// What `f` makes of every contact, in the order of kinds.
    #[inline]
    pub fn map<'a, T>(&'a self, mut f: impl FnMut(AnyContact<'a>) -> T) -> PerContact<T> {
        PerContact {
            vv: self.vv.iter().map(|c| f(AnyContact::VertexVertex(c))).collect(),
            ve: self.ve.iter().map(|c| f(AnyContact::VertexEdge(c))).collect(),
            ee: self.ee.iter().map(|c| f(AnyContact::EdgeEdge(c))).collect(),
            vf: self.vf.iter().map(|c| f(AnyContact::VertexFace(c))).collect(),
            parallel: self.parallel.iter().map(|c| f(AnyContact::Parallel(c))).collect(),
            obstacle: self.obstacle.iter().map(|c| f(AnyContact::Obstacle(c))).collect(),
        }
    }

    /// Drops the contacts that `keep` refuses; it sees each once, in the order of kinds.
    #[inline]
    pub fn retain(&mut self, mut keep: impl FnMut(AnyContact<'_>) -> bool) {
        self.vv.retain(|c| keep(AnyContact::VertexVertex(c)));
        self.ve.retain(|c| keep(AnyContact::VertexEdge(c)));
        self.ee.retain(|c| keep(AnyContact::EdgeEdge(c)));
        self.vf.retain(|c| keep(AnyContact::VertexFace(c)));
        self.parallel.retain(|c| keep(AnyContact::Parallel(c)));
        self.obstacle.retain(|c| keep(AnyContact::Obstacle(c)));
    }
}
