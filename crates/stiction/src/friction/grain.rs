//! The grain of a surface: a field of lines that turns with the material.

use super::axis::add_line;
use super::sides::Sides;
use crate::error::{Error, Result};
use crate::math::span::Span;
use crate::math::vector::cross;
use crate::math::{Matrix, Vector};
use crate::mesh::Surface;
use crate::threads;

/// The direction of the first axis of friction on a surface, given at rest: brushed metal, wood, a weave.
///
/// Each face carries its direction with it: the part `α e₁ + β e₂` of it along the face's edges at rest is `α e₁′ + β e₂′` now, so it turns
/// with the face and shears with it. The direction at a vertex is the mean over its faces, weighted by their areas at rest; in a contact,
/// the mean over its vertices, weighted by |cᵢ|. Grain is a line and not an arrow: signs are aligned before adding. Vertices
/// without grain (zero) do not count, and where nothing is left, the contact has its own axes.
///
/// Along rods (vertices of loose edges only) the direction turns by the smallest rotation that takes each edge to where it is now: how the
/// rod twists is not known. Particles keep it. In 2D there is one direction to slide along, so grain says nothing there.
#[derive(Clone, Debug, PartialEq)]
pub struct Grain<const D: usize> {
    /// Carriers of vertex `v` are `carriers[offsets[v]..offsets[v + 1]]`.
    offsets: Vec<u32>,
    carriers: Vec<Carrier<D>>,
}

/// What moves a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Carrier<const D: usize> {
    /// A face, with the direction's coordinates along its first and its last edge, and its area.
    Face { face: [u32; 3], along: [f64; 2], area: f64 },
    /// An edge, with its unit vector at rest and the direction there.
    Edge { edge: [u32; 2], rest: Vector<D>, line: Vector<D>, length: f64 },
    /// Nothing.
    Fixed(Vector<D>),
}

impl<const D: usize> Carrier<D> {
    /// The direction now, of any length, with its weight.
    fn line(&self, x: &[Vector<D>]) -> (Vector<D>, f64) {
        match *self {
            Self::Face { face: [a, b, c], along, area } => {
                let [a, b, c] = [a, b, c].map(|v| x[v as usize]);
                ((b - a) * along[0] + (c - a) * along[1], area)
            }
            Self::Edge { edge: [a, b], rest, line, length } => {
                let now = (x[b as usize] - x[a as usize]).normalized();
                (smallest_rotation(rest, now) * line, length)
            }
            Self::Fixed(line) => (line, 1.0),
        }
    }
}

/// The rotation around `a × b` that takes the unit vector `a` to `b`; none where they are opposite, since there are many.
///
/// ```text
/// R = I + [w]× + [w]×²/(1 + a·b) ,  w = a × b
/// ```
fn smallest_rotation<const D: usize>(a: Vector<D>, b: Vector<D>) -> Matrix<D> {
    let (w, cos) = (Matrix::cross(cross(a, b)), a.dot(b));
    if 1.0 + cos < 1e-12 {
        return Matrix::scalar(1.0);
    }
    Matrix::scalar(1.0) + w + w * w * (1.0 / (1.0 + cos))
}

impl<const D: usize> Grain<D> {
    /// Given at every vertex of the full vertex array, of any length; zero for no grain.
    ///
    /// # Errors
    /// If there is not one for each vertex, or one is not finite.
    pub fn of_vertices(surface: &Surface<D>, directions: &[Vector<D>]) -> Result<Self> {
        check("grain of vertices", "grain of vertex", directions, surface.rest().len())?;
        Ok(Self::new(surface, |v, _| directions[v as usize]))
    }

    /// Given on every face, of any length; zero for no grain. Vertices of no face have none.
    ///
    /// # Errors
    /// If there is not one for each face, or one is not finite.
    pub fn of_faces(surface: &Surface<D>, directions: &[Vector<D>]) -> Result<Self> {
        check("grain of faces", "grain of face", directions, surface.faces().len())?;
        Ok(Self::new(surface, |_, face| face.map_or(Vector::ZERO, |face| directions[face as usize])))
    }

    /// With the direction at rest of a vertex on one of its faces, if it has any.
    fn new(surface: &Surface<D>, direction: impl Fn(u32, Option<u32>) -> Vector<D>) -> Self {
        let (mut offsets, mut carriers) = (vec![0], Vec::new());
        for v in 0..surface.rest().len() as u32 {
            let faces = surface.adjacency().vertex_faces.of(v);
            if faces.is_empty() {
                on_edges(surface, v, unit(direction(v, None)), &mut carriers);
            }
            for &f in faces {
                carriers.extend(on_face(surface, f, unit(direction(v, Some(f)))));
            }
            offsets.push(carriers.len() as u32);
        }
        Self { offsets, carriers }
    }

    /// For how many vertices it is.
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The unit direction at every vertex at positions `x`; zero where there is none.
    ///
    /// # Panics
    /// If `x` is shorter than the vertex array.
    pub fn directions(&self, x: &[Vector<D>]) -> Vec<Vector<D>> {
        threads::collect(self.vertices(), &|range| range.map(|v| self.direction(v, x)).collect())
    }

    fn direction(&self, v: usize, x: &[Vector<D>]) -> Vector<D> {
        let mut mean = Vector::ZERO;
        for carrier in &self.carriers[self.offsets[v] as usize..self.offsets[v + 1] as usize] {
            let (line, weight) = carrier.line(x);
            add_line(&mut mean, line.normalized(), weight);
        }
        mean.normalized()
    }
}

/// The direction in a contact, from those of the vertices; nothing where none of its vertices has one.
pub(super) fn at_contact<const D: usize, const N: usize>(
    sides: &Sides<N>,
    directions: &[Vector<D>],
) -> Option<Vector<D>> {
    let mut mean = Vector::ZERO;
    for i in 0..N {
        add_line(&mut mean, directions[sides.vertices[i] as usize], sides.c[i].abs());
    }
    let mean = mean.normalized();
    (mean != Vector::ZERO).then_some(mean)
}

/// The part of a unit direction in the plane of a face; nothing where it is zero or along the normal.
fn on_face<const D: usize>(surface: &Surface<D>, f: u32, direction: Vector<D>) -> Option<Carrier<D>> {
    let face = surface.faces()[f as usize];
    let [a, b, c] = face.map(|v| surface.rest()[v as usize]);
    let (u, v) = (b - a, c - a);
    let span = Span::new(u, v)?;
    let along = span.dual.map(|dual| dual.dot(direction));
    let left = u * along[0] + v * along[1];
    let area = 0.5 * span.area2.sqrt();
    (left.norm() > 1e-9 && area.is_finite()).then_some(Carrier::Face { face, along, area })
}

/// The direction on each of the loose edges of a vertex, or by itself.
fn on_edges<const D: usize>(surface: &Surface<D>, v: u32, line: Vector<D>, out: &mut Vec<Carrier<D>>) {
    if line == Vector::ZERO {
        return;
    }
    let edges = surface.adjacency().vertex_edges.of(v);
    if edges.is_empty() {
        out.push(Carrier::Fixed(line));
    }
    for &e in edges {
        let edge = surface.edges()[e as usize];
        let [a, b] = edge.map(|v| surface.rest()[v as usize]);
        out.push(Carrier::Edge { edge, rest: (b - a).normalized(), line, length: (b - a).norm() });
    }
}

/// The unit vector along a direction of any length, or zero.
fn unit<const D: usize>(direction: Vector<D>) -> Vector<D> {
    let largest = direction.0.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
    if largest > 0.0 { (direction * (1.0 / largest)).normalized() } else { Vector::ZERO }
}

fn check<const D: usize>(
    whole: &'static str,
    what: &'static str,
    directions: &[Vector<D>],
    expected: usize,
) -> Result<()> {
    if directions.len() != expected {
        return Err(Error::WrongLength { what: whole, found: directions.len(), expected });
    }
    match directions.iter().position(|direction| !direction.is_finite()) {
        Some(index) => Err(Error::NotFinite { what, index }),
        None => Ok(()),
    }
}
