//! Contacts straight from the definitions: all pairs, neighbours counted one by one, no order, no haste.

use std::collections::{BTreeSet, HashMap};

use stiction::closest::{self, EdgePart, FacePart};
use stiction::contact::{ContactSet, Contacts, Selection, Weighting};
use stiction::math::Vector;
use stiction::mesh::Surface;
use stiction::mollifier;

/// A contact by its vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    Vv([u32; 2]),
    Ve([u32; 3]),
    Ee([u32; 4]),
    Vf([u32; 4]),
    Parallel([u32; 4], u8, u8),
}

fn part_number(part: EdgePart) -> u8 {
    match part {
        EdgePart::Start => 0,
        EdgePart::End => 1,
        EdgePart::Inside => 2,
    }
}

/// What the library found, by vertices.
pub fn by_key(contacts: &Contacts) -> HashMap<Key, f64> {
    let mut map = HashMap::new();
    let mut add = |key, weight| assert!(map.insert(key, weight).is_none(), "{key:?} occurs twice");
    contacts.vv.iter().for_each(|c| add(Key::Vv(c.stencil.0), c.weight));
    contacts.ve.iter().for_each(|c| add(Key::Ve(c.stencil.0), c.weight));
    contacts.ee.iter().for_each(|c| add(Key::Ee(c.stencil.0), c.weight));
    contacts.vf.iter().for_each(|c| add(Key::Vf(c.stencil.0), c.weight));
    for c in &contacts.parallel {
        let (p, q) = c.parts;
        add(Key::Parallel(c.contact.stencil.0, part_number(p), part_number(q)), c.contact.weight);
    }
    map
}

pub struct Twin<'a, const D: usize> {
    surface: &'a Surface<D>,
    x: &'a [Vector<D>],
    selection: Selection,
    map: HashMap<Key, f64>,
}

/// The contacts and their weights.
pub fn contacts<const D: usize>(
    surface: &Surface<D>,
    x: &[Vector<D>],
    selection: Selection,
) -> HashMap<Key, f64> {
    let mut twin = Twin { surface, x, selection, map: HashMap::new() };
    twin.direct();
    if selection.set == ContactSet::ImprovedMax {
        twin.improve();
    }
    twin.map
}

impl<const D: usize> Twin<'_, D> {
    fn add(&mut self, key: Key, weight: f64) {
        *self.map.entry(key).or_default() += weight;
    }

    fn at(&self, v: u32) -> Vector<D> {
        self.x[v as usize]
    }

    fn edge(&self, e: u32) -> [u32; 2] {
        self.surface.edges()[e as usize]
    }

    fn vertices(&self) -> Vec<u32> {
        self.surface.vertices().to_vec()
    }

    fn all_edges(&self) -> Vec<u32> {
        (0..self.surface.edges().len() as u32).collect()
    }

    fn all_faces(&self) -> Vec<u32> {
        (0..self.surface.faces().len() as u32).collect()
    }

    fn vertex_weight(&self, v: u32, fraction: f64) -> f64 {
        match self.selection.weighting {
            Weighting::Area => fraction * self.surface.areas().vertices[v as usize],
            _ => 1.0,
        }
    }

    fn edge_weight(&self, e: u32) -> f64 {
        match self.selection.weighting {
            Weighting::Area => 0.25 * self.surface.areas().edges[e as usize],
            _ => 1.0,
        }
    }

    fn is_close(&self, d2: f64) -> bool {
        d2 < self.selection.reach * self.selection.reach
    }

    /// Whether two primitives may touch.
    fn allowed(&self, first: &[u32], second: &[u32]) -> bool {
        first.iter().all(|v| !second.contains(v))
            && self.surface.filter().is_none_or(|filter| filter.allows(first, second))
    }

    /// Edges that meet vertices as pairs of their own: all in 2D, loose ones with loose vertices in 3D.
    fn vertex_edge_pairs(&self) -> Vec<(u32, u32)> {
        let (vertices, edges) = if D == 2 {
            (self.vertices(), self.all_edges())
        } else {
            (self.surface.loose_vertices().to_vec(), self.surface.loose_edges().to_vec())
        };
        let pairs = vertices.iter().flat_map(|v| edges.iter().map(|e| (*v, *e)));
        pairs.filter(|(v, e)| self.allowed(&[*v], &self.edge(*e))).collect()
    }

    fn vertex_face_pairs(&self) -> Vec<(u32, u32)> {
        let faces = self.all_faces();
        let pairs =
            self.vertices().into_iter().flat_map(|v| faces.iter().map(move |f| (v, *f)).collect::<Vec<_>>());
        pairs.filter(|(v, f)| self.allowed(&[*v], &self.surface.faces()[*f as usize])).collect()
    }

    fn edge_edge_pairs(&self) -> Vec<(u32, u32)> {
        if D == 2 {
            return vec![];
        }
        let edges = self.all_edges();
        let pairs = edges.iter().flat_map(|e| edges.iter().filter(move |f| e < *f).map(|f| (*e, *f)));
        pairs.filter(|(e, f)| self.allowed(&self.edge(*e), &self.edge(*f))).collect()
    }

    fn direct(&mut self) {
        let loose = self.surface.loose_vertices().to_vec();
        for (i, &v) in loose.iter().enumerate() {
            for &w in &loose[i + 1..] {
                if self.allowed(&[v], &[w]) && self.is_close((self.at(v) - self.at(w)).norm_squared()) {
                    let both = 0.5 * (self.vertex_weight(v, 1.0) + self.vertex_weight(w, 1.0));
                    self.add_vv(v, w, both);
                }
            }
        }
        self.vertex_edge_pairs().into_iter().for_each(|(v, e)| self.vertex_edge(v, e));
        self.edge_edge_pairs().into_iter().for_each(|(e, f)| self.edge_edge(e, f));
        self.vertex_face_pairs().into_iter().for_each(|(v, f)| self.vertex_face(v, f));
    }

    fn add_vv(&mut self, v: u32, w: u32, weight: f64) {
        self.add(Key::Vv([v.min(w), v.max(w)]), weight);
    }

    fn add_ve(&mut self, v: u32, e: u32, part: EdgePart, weight: f64) {
        let [a, b] = self.edge(e);
        match part {
            EdgePart::Start => self.add_vv(v, a, weight),
            EdgePart::End => self.add_vv(v, b, weight),
            EdgePart::Inside => self.add(Key::Ve([v, a, b]), weight),
        }
    }

    fn to_edge(&self, v: u32, e: u32) -> (EdgePart, f64) {
        let [a, b] = self.edge(e);
        closest::vertex_edge(self.at(v), self.at(a), self.at(b))
    }

    fn edges_of(&self, v: u32) -> Vec<u32> {
        self.all_edges().into_iter().filter(|e| self.edge(*e).contains(&v)).collect()
    }

    fn faces_with(&self, vertices: &[u32]) -> Vec<u32> {
        let has = |f: &u32| vertices.iter().all(|v| self.surface.faces()[*f as usize].contains(v));
        self.all_faces().into_iter().filter(has).collect()
    }

    /// Whether a point is in the block of a vertex of offset geometric contact.
    fn in_vertex_block(&self, point: Vector<D>, v: u32) -> bool {
        self.edges_of(v).into_iter().all(|e| {
            let [a, b] = self.edge(e);
            let other = if a == v { b } else { a };
            (point - self.at(v)).dot(self.at(v) - self.at(other)) >= 0.0
        })
    }

    fn in_edge_block(&self, point: Vector<D>, [a, b]: [u32; 2]) -> bool {
        let foot = |p: Vector<D>| {
            let u = self.at(b) - self.at(a);
            self.at(a) + u * ((p - self.at(a)).dot(u) / u.norm_squared())
        };
        self.faces_with(&[a, b]).into_iter().all(|f| {
            let third = self.surface.faces()[f as usize].into_iter().find(|v| *v != a && *v != b).unwrap();
            let q = foot(self.at(third));
            (point - q).dot(q - self.at(third)) >= 0.0
        })
    }

    fn mutual(&self, v: u32, w: u32) -> bool {
        self.in_vertex_block(self.at(v), w) && self.in_vertex_block(self.at(w), v)
    }

    fn is_ogc(&self) -> bool {
        self.selection.set == ContactSet::Ogc
    }

    fn vertex_edge(&mut self, v: u32, e: u32) {
        let (part, d2) = self.to_edge(v, e);
        let mut weight = self.vertex_weight(v, 0.5);
        if !self.is_close(d2) {
            return;
        }
        if self.is_ogc() && part != EdgePart::Inside {
            let w = self.edge(e)[usize::from(part == EdgePart::End)];
            if !self.mutual(v, w) {
                return;
            }
            weight /= self.edges_of(w).len() as f64;
        }
        self.add_ve(v, e, part, weight);
    }

    fn vertex_face(&mut self, v: u32, f: u32) {
        let face = self.surface.faces()[f as usize];
        let (part, d2) = closest::vertex_face(self.at(v), face.map(|w| self.at(w)));
        let mut weight = self.vertex_weight(v, 0.25);
        if !self.is_close(d2) {
            return;
        }
        let corners: &[u32] = match part {
            FacePart::Vertex(k) => &[face[k]],
            FacePart::Edge(k) => &[face[k].min(face[(k + 1) % 3]), face[k].max(face[(k + 1) % 3])],
            FacePart::Inside => &face,
        };
        if self.is_ogc() {
            let fits = match *corners {
                [w] => self.mutual(v, w),
                [a, b] => self.in_edge_block(self.at(v), [a, b]),
                _ => true,
            };
            if !fits {
                return;
            }
            weight /= self.faces_with(corners).len() as f64;
        }
        match *corners {
            [w] => self.add_vv(v, w, weight),
            [a, b] => self.add(Key::Ve([v, a, b]), weight),
            _ => self.add(Key::Vf([v, face[0], face[1], face[2]]), weight),
        }
    }

    fn is_parallel(&self, stencil: [u32; 4]) -> bool {
        let rest = stencil.map(|v| self.surface.rest()[v as usize]);
        mollifier::cross_squared(&stencil.map(|v| self.at(v))) < mollifier::threshold(&rest)
    }

    fn edge_edge(&mut self, e: u32, f: u32) {
        let ([a, b], [c, d]) = (self.edge(e), self.edge(f));
        let ((p, q), d2) = closest::edge_edge([self.at(a), self.at(b)], [self.at(c), self.at(d)]);
        if !self.is_close(d2) {
            return;
        }
        let ends =
            (self.edge(e)[usize::from(p == EdgePart::End)], self.edge(f)[usize::from(q == EdgePart::End)]);
        let foot = |v: u32, [a, b]: [u32; 2]| {
            let u = self.at(b) - self.at(a);
            self.at(a) + u * ((self.at(v) - self.at(a)).dot(u) / u.norm_squared())
        };
        let inside = (p == EdgePart::Inside, q == EdgePart::Inside);
        let fits = match inside {
            (true, true) => true,
            (true, false) => self.in_vertex_block(foot(ends.1, [a, b]), ends.1),
            (false, true) => self.in_vertex_block(foot(ends.0, [c, d]), ends.0),
            (false, false) => self.mutual(ends.0, ends.1),
        };
        if self.is_ogc() && !fits {
            return;
        }
        let weight = match self.selection.weighting {
            Weighting::Area => self.edge_weight(e) + self.edge_weight(f),
            _ => 1.0,
        };
        match inside {
            _ if self.is_parallel([a, b, c, d]) => {
                self.add(Key::Parallel([a, b, c, d], part_number(p), part_number(q)), weight);
            }
            (true, true) => self.add(Key::Ee([a, b, c, d]), weight),
            (true, false) => self.add_ve(ends.1, e, EdgePart::Inside, weight),
            (false, true) => self.add_ve(ends.0, f, EdgePart::Inside, weight),
            (false, false) => self.add_vv(ends.0, ends.1, weight),
        }
    }

    /// The terms of the improved maximum, from the neighbours of every close pair of a vertex and an edge or a vertex.
    fn improve(&mut self) {
        for v in self.vertices() {
            for w in self.vertices() {
                if v != w && self.is_close((self.at(v) - self.at(w)).norm_squared()) {
                    self.improve_vertices(v, w);
                }
            }
            if D == 3 {
                for e in self.all_edges() {
                    if !self.edge(e).contains(&v) && self.is_close(self.to_edge(v, e).1) {
                        self.improve_face_edges(v, e);
                        self.improve_edge_ends(v, e);
                    }
                }
            }
        }
    }

    fn improve_vertices(&mut self, v: u32, w: u32) {
        let pairs = self.vertex_edge_pairs();
        let count = self.edges_of(w).into_iter().filter(|e| pairs.contains(&(v, *e))).count();
        if count > 1 {
            self.add_vv(v, w, (1.0 - count as f64) * self.vertex_weight(v, 0.5));
        }
        // Faces less the edges that they have at w: what is left of a vertex after its edges were taken off.
        let faces = self.faces_with(&[w]).into_iter().map(|f| self.surface.faces()[f as usize]);
        let faces: Vec<[u32; 3]> = faces.filter(|face| self.allowed(&[v], face)).collect();
        let ends: BTreeSet<u32> = faces.iter().flatten().copied().filter(|end| *end != w).collect();
        if D == 3 && !faces.is_empty() && ends.len() != faces.len() + 1 {
            self.add_vv(v, w, (1.0 - ends.len() as f64 + faces.len() as f64) * self.vertex_weight(v, 0.25));
        }
    }

    fn improve_face_edges(&mut self, v: u32, e: u32) {
        let faces = self.faces_with(&self.edge(e));
        let count = faces.iter().filter(|f| self.allowed(&[v], &self.surface.faces()[**f as usize])).count();
        if count > 1 {
            let weight = (1.0 - count as f64) * self.vertex_weight(v, 0.25);
            self.add_ve(v, e, self.to_edge(v, e).0, weight);
        }
    }

    fn improve_edge_ends(&mut self, v: u32, e: u32) {
        let (part, _) = self.to_edge(v, e);
        let others: Vec<u32> =
            self.edges_of(v).into_iter().filter(|f| self.allowed(&self.edge(e), &self.edge(*f))).collect();
        if others.is_empty() {
            return;
        }
        let weight = self.edge_weight(e);
        let mut plain = 0.0;
        for f in others {
            let ([a, b], [c, d]) = (self.edge(e.min(f)), self.edge(e.max(f)));
            if !self.is_parallel([a, b, c, d]) {
                plain += 1.0;
                continue;
            }
            let held = u8::from(self.edge(f)[1] == v);
            let (p, q) = if e < f { (part_number(part), held) } else { (held, part_number(part)) };
            self.add(Key::Parallel([a, b, c, d], p, q), -weight);
        }
        if plain != 1.0 {
            self.add_ve(v, e, part, (1.0 - plain) * weight);
        }
    }
}
