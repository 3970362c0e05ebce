//! How much of the surface at rest each vertex and edge stands for.
//!
//! ```text
//! A_v = ⅓ Σ area of its faces,   if it has faces            m²
//!     = ½ Σ length of its edges, if it has edges only       m
//!     = 1                        if it has neither          –
//! A_e = ⅓ Σ area of its faces,   if it has faces            m²
//!     = its length               if not                     m
//! ∂A/∂a of a face (a, b, c) = ½ n × (c − b),  n its unit normal
//! ∂L/∂a of an edge (a, b)   = (a − b)/L
//! ```
//!
//! A vertex of faces and of loose edges counts its faces only.

use super::adjacency::{Adjacency, Lists};
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::math::vector::cross;

/// The derivative of an area by positions: vertices with the gradient by each, ascending.
pub type AreaGradient<const D: usize> = Vec<(u32, Vector<D>)>;

/// One area for each vertex and each edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Areas {
    /// Of the vertices, of the full vertex array; 0 off the surface.
    pub vertices: Vec<f64>,
    /// Of the edges.
    pub edges: Vec<f64>,
}

impl Areas {
    /// Checks that there are so many, all finite and none negative.
    pub(crate) fn check(&self, vertices: usize, edges: usize) -> Result<()> {
        check_areas("vertex areas", "vertex area", &self.vertices, vertices)?;
        check_areas("edge areas", "edge area", &self.edges, edges)
    }
}

fn check_areas(whole: &'static str, what: &'static str, areas: &[f64], expected: usize) -> Result<()> {
    if areas.len() != expected {
        return Err(Error::WrongLength { what: whole, found: areas.len(), expected });
    }
    match areas.iter().position(|area| !(area.is_finite() && *area >= 0.0)) {
        Some(index) => {
            Err(Error::BadEntry { what, index, value: areas[index], must: "finite and not negative" })
        }
        None => Ok(()),
    }
}

/// The primitives of a surface at rest, and what is next to what.
#[derive(Clone, Copy)]
pub(crate) struct Rest<'a, const D: usize> {
    pub positions: &'a [Vector<D>],
    pub edges: &'a [[u32; 2]],
    pub faces: &'a [[u32; 3]],
    pub adjacency: &'a Adjacency,
}

impl<const D: usize> Rest<'_, D> {
    /// The areas, for `vertices` on the surface.
    ///
    /// # Errors
    /// If a length or an area is larger than the largest number.
    pub(crate) fn areas(&self, vertices: &[u32]) -> Result<Areas> {
        let lengths = finite("edge", self.edges.iter().map(|e| self.length(*e)))?;
        let areas = finite("face", self.faces.iter().map(|f| self.area(*f)))?;
        let mut of_vertices = vec![0.0; self.positions.len()];
        for &v in vertices {
            let own = self.adjacency.vertex_edges.of(v).is_empty().then_some(1.0);
            let of_edges = || 0.5 * sum(&lengths, &self.adjacency.vertex_edges, v);
            let of_faces = of_faces(&areas, &self.adjacency.vertex_faces, v);
            of_vertices[v as usize] = of_faces.or(own).unwrap_or_else(of_edges);
        }
        let of_edge = |e| of_faces(&areas, &self.adjacency.edge_faces, e).unwrap_or(lengths[e as usize]);
        let edges = finite("edge", (0..self.edges.len() as u32).map(of_edge))?;
        Ok(Areas { vertices: finite("vertex", of_vertices.into_iter())?, edges })
    }

    /// The derivative of the area of a vertex.
    pub(crate) fn vertex_area_gradient(&self, v: u32) -> AreaGradient<D> {
        let faces = self.adjacency.vertex_faces.of(v);
        if faces.is_empty() {
            gather(self.adjacency.vertex_edges.of(v).iter().flat_map(|e| self.length_gradient(*e, 0.5)))
        } else {
            gather(faces.iter().flat_map(|f| self.area_gradient(*f, 1.0 / 3.0)))
        }
    }

    /// The derivative of the area of an edge.
    pub(crate) fn edge_area_gradient(&self, e: u32) -> AreaGradient<D> {
        let faces = self.adjacency.edge_faces.of(e);
        if faces.is_empty() {
            gather(self.length_gradient(e, 1.0))
        } else {
            gather(faces.iter().flat_map(|f| self.area_gradient(*f, 1.0 / 3.0)))
        }
    }

    fn at(&self, v: u32) -> Vector<D> {
        self.positions[v as usize]
    }

    fn length(&self, [a, b]: [u32; 2]) -> f64 {
        let (scale, [u]) = unit([self.at(b) - self.at(a)]);
        u.norm() * scale
    }

    fn area(&self, [a, b, c]: [u32; 3]) -> f64 {
        let (scale, [u, v]) = unit([self.at(b) - self.at(a), self.at(c) - self.at(a)]);
        0.5 * cross(u, v).norm() * scale * scale
    }

    /// `factor` times the derivative of the length of an edge; nothing if there is no such edge.
    fn length_gradient(&self, e: u32, factor: f64) -> Vec<(u32, Vector<D>)> {
        let Some(&[a, b]) = self.edges.get(e as usize) else { return Vec::new() };
        let (_, [u]) = unit([self.at(a) - self.at(b)]);
        let along = u.normalized() * factor;
        vec![(a, along), (b, -along)]
    }

    /// `factor` times the derivative of the area of a face.
    fn area_gradient(&self, f: u32, factor: f64) -> [(u32, Vector<D>); 3] {
        let face = self.faces[f as usize];
        let [a, b, c] = face.map(|v| self.at(v));
        let (_, [u, v]) = unit([b - a, c - a]);
        let n = cross(u, v).normalized() * (0.5 * factor);
        [(face[0], cross(n, c - b)), (face[1], cross(n, a - c)), (face[2], cross(n, b - a))]
    }
}

/// The vectors divided by a power of two near their largest entry, so that products neither overflow nor underflow.
fn unit<const D: usize, const N: usize>(vectors: [Vector<D>; N]) -> (f64, [Vector<D>; N]) {
    let largest = vectors.iter().flat_map(|v| v.0).fold(0.0, |m: f64, x| m.max(x.abs()));
    // Half of the exponent twice: the inverse of the smallest number overflows.
    let exponent = if largest > 0.0 && largest.is_finite() { largest.log2().floor() as i32 } else { 0 };
    let (first, second) = (2.0_f64.powi(exponent / 2), 2.0_f64.powi(exponent - exponent / 2));
    (first * second, vectors.map(|v| v * (1.0 / first) * (1.0 / second)))
}

/// A third of the areas of the faces of a vertex or an edge, if it has faces.
fn of_faces(areas: &[f64], faces: &Lists, item: u32) -> Option<f64> {
    (!faces.of(item).is_empty()).then(|| sum(areas, faces, item) / 3.0)
}

fn sum(values: &[f64], lists: &Lists, item: u32) -> f64 {
    lists.of(item).iter().map(|k| values[*k as usize]).sum()
}

fn finite(what: &'static str, values: impl Iterator<Item = f64>) -> Result<Vec<f64>> {
    let check = |(index, value): (usize, f64)| {
        if value.is_finite() { Ok(value) } else { Err(Error::TooLarge { what, index }) }
    };
    values.enumerate().map(check).collect()
}

/// One entry for each vertex, ascending.
fn gather<const D: usize>(terms: impl IntoIterator<Item = (u32, Vector<D>)>) -> AreaGradient<D> {
    let mut terms: Vec<_> = terms.into_iter().collect();
    terms.sort_by_key(|term| term.0);
    terms.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 += later.1;
        }
        same
    });
    terms
}
