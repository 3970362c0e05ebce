//! What candidates come down to: pairs of closest features, each with parts of its weight.

use super::apart;
use super::group::{Keyed, pair_key};
use super::sources::AreaShare;
use super::term::{Term, Weigher};
use super::{Contact, ContactSet};
use crate::closest::{self, EdgePart, FacePart};
use crate::math::Vector;
use crate::mesh::Surface;
use crate::mollifier;
use crate::ogc::feasible;
use crate::stencil::Stencil;

/// What to select, and from what.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a, const D: usize> {
    pub surface: &'a Surface<D>,
    pub x: &'a [Vector<D>],
    /// Squared lengths of the edges at rest, in m².
    pub lengths2: &'a [f64],
    /// Square of the reach, in m².
    pub reach2: f64,
    pub set: ContactSet,
    pub weigher: Weigher<'a>,
}

/// A close pair of a primitive and a part of another: what it counts too often, if others have the same part.
#[derive(Clone, Copy, Default)]
pub(super) struct Shared {
    /// The pair, by numbers.
    pub key: u64,
    /// The primitive that the part is of.
    pub whole: u32,
    /// Whether the pair of the primitives is mollified.
    pub is_parallel: bool,
}

impl Keyed for Shared {
    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    #[inline]
    fn rank(&self) -> u64 {
        u64::from(self.whole)
    }
}

/// What some candidates come down to.
#[derive(Default)]
pub(super) struct Found {
    /// Two vertices, the smaller first.
    pub vv: Vec<Term>,
    /// A vertex and an edge.
    pub ve: Vec<Term>,
    /// Two edges, the smaller first, and the code of their parts.
    pub parallel: Vec<Term>,
    /// Contacts of which there is only one of each.
    pub ee: Vec<Contact<4>>,
    /// Contacts of which there is only one of each.
    pub vf: Vec<Contact<4>>,
    /// Vertices close to a vertex of an edge.
    pub vertex_of_edge: Vec<Shared>,
    /// Edges close to a vertex of another.
    pub end_of_edge: Vec<Shared>,
    /// Vertices close to an edge of a face.
    pub edge_of_face: Vec<Shared>,
    /// Vertices close to a vertex of a face.
    pub vertex_of_face: Vec<Shared>,
}

/// A number for each pair of parts, in their order.
pub(super) fn parts_code(first: EdgePart, second: EdgePart) -> u8 {
    first as u8 * 3 + second as u8
}

/// The parts that a number stands for.
pub(super) fn parts_of(code: u8) -> (EdgePart, EdgePart) {
    const PARTS: [EdgePart; 3] = [EdgePart::Start, EdgePart::End, EdgePart::Inside];
    (PARTS[usize::from(code / 3) % 3], PARTS[usize::from(code % 3)])
}

/// An edge of the surface.
#[derive(Clone, Copy)]
pub(super) struct NumberedEdge {
    /// Its number.
    pub number: u32,
    /// Its vertices.
    pub ends: [u32; 2],
}

impl Found {
    /// Two vertices, with a share of a weight.
    #[inline]
    pub fn push_vv(&mut self, v: u32, w: u32, share: AreaShare) {
        self.vv.push(Term::new(pair_key(v.min(w), v.max(w)), 0, share));
    }

    /// A vertex and the closest part of an edge, with a share of a weight.
    #[inline]
    pub fn push_ve(&mut self, v: u32, edge: NumberedEdge, part: EdgePart, share: AreaShare) {
        match part {
            EdgePart::Start => self.push_vv(v, edge.ends[0], share),
            EdgePart::End => self.push_vv(v, edge.ends[1], share),
            EdgePart::Inside => self.ve.push(Term::new(pair_key(v, edge.number), 0, share)),
        }
    }
}

impl<const D: usize> Frame<'_, D> {
    /// A candidate of two loose vertices.
    #[inline]
    pub fn vertex_vertex(&self, (v, w): (u32, u32), out: &mut Found) {
        if (self.at(v) - self.at(w)).norm_squared() < self.reach2 {
            out.push_vv(v, w, self.weigher.of_vertex(v, 1.0, 0.5));
            if self.weigher.is_by_area() {
                out.push_vv(v, w, self.weigher.of_vertex(w, 1.0, 0.5));
            }
        }
    }

    /// A candidate of a vertex and an edge: all in 2D, loose ones in 3D.
    #[inline]
    pub fn vertex_edge(&self, (v, e): (u32, u32), out: &mut Found) {
        let edge = self.edge(e);
        let (part, d2) = closest::vertex_edge(self.at(v), self.at(edge.ends[0]), self.at(edge.ends[1]));
        if d2 >= self.reach2 || !self.is_chosen(|| feasible::vertex_edge(self.surface, self.x, (v, e), part))
        {
            return;
        }
        let end = edge.ends[usize::from(part == EdgePart::End)];
        let around = || self.surface.adjacency().vertex_edges.of(end).len();
        let times = if part == EdgePart::Inside { 1.0 } else { self.per_element(around) };
        out.push_ve(v, edge, part, self.weigher.of_vertex(v, times, 0.5));
        if self.set == ContactSet::ImprovedMax {
            self.share_vertices(v, &edge.ends, e, &mut out.vertex_of_edge);
        }
    }

    /// Whether a vertex and a face are obviously no contact.
    #[inline]
    pub fn is_vertex_face_apart(&self, (v, f): (u32, u32)) -> bool {
        let [a, b, c] = self.surface.faces()[f as usize];
        apart::vertex_and_face(self.at(v), [self.at(a), self.at(b), self.at(c)], self.reach2)
    }

    /// Whether two edges are obviously no contact.
    #[inline]
    pub fn is_edge_edge_apart(&self, (e, f): (u32, u32)) -> bool {
        let (a, b) = (self.surface.edges()[e as usize], self.surface.edges()[f as usize]);
        apart::edges([self.at(a[0]), self.at(a[1])], [self.at(b[0]), self.at(b[1])], self.reach2)
    }

    /// A candidate of a vertex and a face.
    #[inline]
    pub fn vertex_face(&self, (v, f): (u32, u32), out: &mut Found) {
        let face = self.surface.faces()[f as usize];
        let corners = [self.at(face[0]), self.at(face[1]), self.at(face[2])];
        let (part, d2) = closest::vertex_face(self.at(v), corners);
        if d2 >= self.reach2 || !self.is_chosen(|| feasible::vertex_face(self.surface, self.x, (v, f), part))
        {
            return;
        }
        let (adjacency, of_v) = (self.surface.adjacency(), |times| self.weigher.of_vertex(v, times, 0.25));
        match part {
            FacePart::Vertex(k) => {
                out.push_vv(v, face[k], of_v(self.per_element(|| adjacency.vertex_faces.of(face[k]).len())));
            }
            FacePart::Edge(k) => {
                let e = adjacency.face_edges[f as usize][k];
                let times = self.per_element(|| adjacency.edge_faces.of(e).len());
                out.ve.push(Term::new(pair_key(v, e), 0, of_v(times)));
            }
            FacePart::Inside => {
                let weight = self.weigher.weight(of_v(1.0));
                out.vf.push(Contact { stencil: Stencil([v, face[0], face[1], face[2]]), weight });
            }
        }
        if self.set == ContactSet::ImprovedMax {
            self.share_vertices(v, &face, f, &mut out.vertex_of_face);
            self.share_edges(v, &adjacency.face_edges[f as usize], f, &mut out.edge_of_face);
        }
    }

    /// A candidate of two edges.
    #[inline]
    pub fn edge_edge(&self, (e, f): (u32, u32), out: &mut Found) {
        let (e, f) = (e.min(f), e.max(f));
        let (first, second) = (self.edge(e), self.edge(f));
        let (a, b) = (first.ends, second.ends);
        let stencil = Stencil([a[0], a[1], b[0], b[1]]);
        // Two arrays and not one that is cut in two: copies of positions just written stall the processor.
        let (p, q) = ([self.at(a[0]), self.at(a[1])], [self.at(b[0]), self.at(b[1])]);
        let ((p_part, q_part), d2) = closest::edge_edge(p, q);
        let is_feasible = || feasible::edge_edge(self.surface, self.x, (e, f), p_part, q_part);
        if d2 >= self.reach2 || !self.is_chosen(is_feasible) {
            return;
        }
        let is_parallel = self.is_parallel((e, f), p, q);
        if self.set == ContactSet::ImprovedMax {
            self.share_ends(first, second, is_parallel, &mut out.end_of_edge);
            self.share_ends(second, first, is_parallel, &mut out.end_of_edge);
        }
        if (p_part, q_part) == (EdgePart::Inside, EdgePart::Inside) && !is_parallel {
            let weight = self.edge_shares(e, f).map(|share| self.weigher.weight(share)).sum();
            out.ee.push(Contact { stencil, weight });
        } else if is_parallel {
            let term = |share| Term::new(pair_key(e, f), parts_code(p_part, q_part), share);
            out.parallel.extend(self.edge_shares(e, f).map(term));
        } else {
            self.edge_edge_parts([first, second], p_part, q_part, out);
        }
    }

    /// Whether two edges are so nearly parallel that their contact is mollified.
    #[inline]
    fn is_parallel(&self, (e, f): (u32, u32), p: [Vector<D>; 2], q: [Vector<D>; 2]) -> bool {
        let threshold = mollifier::threshold_of_lengths(self.lengths2[e as usize], self.lengths2[f as usize]);
        let (u, v) = (p[1] - p[0], q[1] - q[0]);
        let (uu, uv, vv) = (u.norm_squared(), u.dot(v), v.norm_squared());
        // Products of dot products decide wherever their rounding, a few ε, cannot matter.
        let plain = uu * vv * (1.0 - 1e-12) - uv * uv;
        plain <= threshold && mollifier::cross_squared(&[p[0], p[1], q[0], q[1]]) < threshold
    }

    /// The closest parts of two edges, not both their insides.
    #[inline]
    fn edge_edge_parts(&self, [a, b]: [NumberedEdge; 2], first: EdgePart, second: EdgePart, out: &mut Found) {
        for share in self.edge_shares(a.number, b.number) {
            match (first, second) {
                (EdgePart::Start, part) => out.push_ve(a.ends[0], b, part, share),
                (EdgePart::End, part) => out.push_ve(a.ends[1], b, part, share),
                (part, EdgePart::Start) => out.push_ve(b.ends[0], a, part, share),
                (part, _) => out.push_ve(b.ends[1], a, part, share),
            }
        }
    }

    /// The shares of a pair of edges: one of each; counted, the pair counts once.
    #[inline]
    fn edge_shares(&self, e: u32, f: u32) -> impl Iterator<Item = AreaShare> {
        let shares = [e, f].map(|edge| self.weigher.of_edge(edge, 1.0, 0.25));
        shares.into_iter().take(1 + usize::from(self.weigher.is_by_area()))
    }

    /// The closest part of an edge to a vertex, and the squared distance in m².
    #[inline]
    pub fn closest_on_edge(&self, v: u32, e: u32) -> (EdgePart, f64) {
        let edge = self.surface.edges()[e as usize];
        closest::vertex_edge(self.at(v), self.at(edge[0]), self.at(edge[1]))
    }

    /// The edge with a number.
    #[inline]
    pub fn edge(&self, number: u32) -> NumberedEdge {
        NumberedEdge { number, ends: self.surface.edges()[number as usize] }
    }

    #[inline]
    fn at(&self, v: u32) -> Vector<D> {
        self.x[v as usize]
    }

    /// Whether the set has pairs that fulfil a condition of offset geometric contact.
    #[inline]
    fn is_chosen(&self, feasible: impl FnOnce() -> bool) -> bool {
        self.set != ContactSet::Ogc || feasible()
    }

    /// How often a pair counts that comes from each of `count` elements: once altogether in offset geometric contact.
    #[inline]
    fn per_element(&self, count: impl FnOnce() -> usize) -> f64 {
        if self.set == ContactSet::Ogc { 1.0 / count().max(1) as f64 } else { 1.0 }
    }

    /// Notes the vertices of a primitive that are close to `v`.
    fn share_vertices(&self, v: u32, vertices: &[u32], whole: u32, out: &mut Vec<Shared>) {
        let close = vertices.iter().filter(|w| (self.at(v) - self.at(**w)).norm_squared() < self.reach2);
        out.extend(close.map(|w| Shared { key: pair_key(v, *w), whole, is_parallel: false }));
    }

    /// Notes the edges of a primitive that are close to `v`.
    fn share_edges(&self, v: u32, edges: &[u32], whole: u32, out: &mut Vec<Shared>) {
        let close = edges.iter().filter(|e| self.closest_on_edge(v, **e).1 < self.reach2);
        out.extend(close.map(|e| Shared { key: pair_key(v, *e), whole, is_parallel: false }));
    }

    /// Notes the ends of the edge `b` that are close to the edge `a`.
    fn share_ends(&self, a: NumberedEdge, b: NumberedEdge, is_parallel: bool, out: &mut Vec<Shared>) {
        let is_close =
            |v: u32| closest::vertex_edge(self.at(v), self.at(a.ends[0]), self.at(a.ends[1])).1 < self.reach2;
        let close = b.ends.into_iter().filter(|v| is_close(*v));
        out.extend(close.map(|v| Shared { key: pair_key(v, a.number), whole: b.number, is_parallel }));
    }
}
