//! A fine surface that a coarse solid carries.

use stiction::math::{Matrix, Vector};
use stiction::mesh::surface::check_indices;

use super::Body;
use crate::error::{Error, Result};

/// The part of an element by which a vertex may be outside of it and still count as on its boundary: rounding of files.
const SLACK: f64 = 1e-6;

/// The weight of a node that counts as none.
const NOTHING: f64 = 1e-12;

/// What touches and is drawn in place of the boundary of a solid: a closed or open surface inside its elements, moved by them.
///
/// ```text
/// xᵢ = Σₖ wₖ(Xᵢ) qₖ        wₖ(Xᵢ): barycentric coordinates at rest in the element around Xᵢ
/// ```
/// So a linear motion of the nodes `q` moves the surface exactly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin<const D: usize> {
    /// Positions of its vertices at rest, in m.
    pub vertices: Vec<Vector<D>>,
    /// Its segments, in 2D.
    pub edges: Vec<[u32; 2]>,
    /// Its triangles, in 3D.
    pub triangles: Vec<[u32; 3]>,
}

/// A vertex of a skin in its element: the element's nodes, in the numbers of the body, and their weights.
pub(super) type Carried = Vec<(u32, f64)>;

impl<const D: usize> Skin<D> {
    /// Checks lists and numbers.
    pub(super) fn check(&self) -> Result<()> {
        if let Some(vertex) = self.vertices.iter().position(|x| !x.is_finite()) {
            return Err(stiction::error::Error::NotFinite { what: "surface vertex", index: vertex }.into());
        }
        check_indices("surface edge", &self.edges, self.vertices.len())?;
        check_indices("surface triangle", &self.triangles, self.vertices.len())?;
        let found = if D == 2 { self.triangles.len() } else { self.edges.len() };
        if found > 0 {
            let what = if D == 2 { "triangles of a surface in 2D" } else { "loose edges of a surface in 3D" };
            return Err(stiction::error::Error::WrongLength { what, found, expected: 0 }.into());
        }
        Ok(())
    }

    /// The weights of its vertices in the solid elements of a body.
    ///
    /// # Errors
    /// Naming the first vertex that no element contains.
    pub(super) fn weights(&self, body: &Body<D>) -> Result<Vec<Carried>> {
        if D == 2 { self.weights_in(body, &body.triangles) } else { self.weights_in(body, &body.tetrahedra) }
    }

    fn weights_in<const N: usize>(&self, body: &Body<D>, elements: &[[u32; N]]) -> Result<Vec<Carried>> {
        let ordered = Ordered::new(&body.vertices, elements);
        let mut out = Vec::with_capacity(self.vertices.len());
        for (vertex, &point) in self.vertices.iter().enumerate() {
            let found = ordered.around(point).filter(|(least, _)| *least >= -SLACK);
            let Some((_, carried)) = found else {
                return Err(Error::OutsideCarrier {
                    body: body.name.clone(),
                    vertex,
                    place: format!("{:?}", point.0),
                });
            };
            out.push(carried);
        }
        Ok(out)
    }

    /// Whether the surface is closed and a point inside it.
    pub(super) fn contains(&self, point: Vector<D>) -> bool {
        if D == 2 {
            is_within_edges(point, &self.vertices, &self.edges)
        } else {
            is_within_faces(point, &self.vertices, &self.triangles)
        }
    }
}

/// Whether a surface of edges with vertices at `x`, in 2D, is closed and a point inside it.
pub(super) fn is_within_edges<'a, const D: usize>(
    point: Vector<D>,
    x: &[Vector<D>],
    edges: impl IntoIterator<Item = &'a [u32; 2]>,
) -> bool {
    let edges: Vec<_> = edges.into_iter().collect();
    meets_twice(edges.iter().flat_map(|edge| **edge)) && is_odd(point, x, &edges)
}

/// Whether a surface of faces with vertices at `x`, in 3D, is closed and a point inside it.
pub(super) fn is_within_faces<'a, const D: usize>(
    point: Vector<D>,
    x: &[Vector<D>],
    faces: impl IntoIterator<Item = &'a [u32; 3]>,
) -> bool {
    let faces: Vec<_> = faces.into_iter().collect();
    meets_twice(sides(&faces)) && is_odd(point, x, &faces)
}

/// Whether a ray from a point crosses an odd number of edges (2D) or faces (3D).
fn is_odd<const D: usize, const N: usize>(
    point: Vector<D>,
    x: &[Vector<D>],
    primitives: &[&[u32; N]],
) -> bool {
    // A direction that no mesh has by design.
    let direction = Vector(std::array::from_fn(|k| [0.8127, 0.3391, 0.4739][k]));
    let crossed = |primitive: &&&[u32; N]| crosses(point, direction, &primitive.map(|v| x[v as usize]));
    primitives.iter().filter(crossed).count() % 2 == 1
}

/// The sides of faces, each as often as faces have it.
fn sides(faces: &[&[u32; 3]]) -> impl Iterator<Item = [u32; 2]> {
    let side = |a: u32, b: u32| [a.min(b), a.max(b)];
    faces.iter().flat_map(move |f| [side(f[0], f[1]), side(f[1], f[2]), side(f[2], f[0])])
}

/// Whether everything occurs just twice, as the sides of a closed surface do.
fn meets_twice<T: Ord>(items: impl Iterator<Item = T>) -> bool {
    let mut all: Vec<T> = items.collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).all(|same| same.len() == 2)
}

/// Whether the ray from a point goes through a segment (2D) or triangle (3D).
fn crosses<const D: usize, const N: usize>(
    point: Vector<D>,
    direction: Vector<D>,
    corners: &[Vector<D>; N],
) -> bool {
    // point + t d = c₀ + Σ sₖ (cₖ − c₀), for the unknowns (s, t).
    let column = |k: usize| if k + 1 < N { corners[k + 1] - corners[0] } else { -direction };
    let solved = Matrix::from_columns(std::array::from_fn(column)).inverse() * (point - corners[0]);
    let (along, inside) = (solved[D - 1], &solved.0[..D - 1]);
    along >= 0.0 && inside.iter().all(|s| *s >= 0.0) && inside.iter().sum::<f64>() <= 1.0
}

/// Elements by where they begin along the first axis.
struct Ordered<'a, const D: usize, const N: usize> {
    rest: &'a [Vector<D>],
    /// Where each begins along the axis, ascending, and its nodes.
    elements: Vec<(f64, [u32; N])>,
    /// The longest of them along the axis.
    widest: f64,
}

impl<'a, const D: usize, const N: usize> Ordered<'a, D, N> {
    fn new(rest: &'a [Vector<D>], elements: &[[u32; N]]) -> Self {
        let along = |v: &u32| rest[*v as usize][0];
        let (mut list, mut widest) = (Vec::with_capacity(elements.len()), 0.0_f64);
        for element in elements {
            let start = element.iter().map(along).fold(f64::INFINITY, f64::min);
            let end = element.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
            widest = widest.max(end - start);
            list.push((start, *element));
        }
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { rest, elements: list, widest }
    }

    /// The element that contains a point best: its smallest weight, and all weights with their nodes.
    fn around(&self, point: Vector<D>) -> Option<(f64, Carried)> {
        let slack = 2.0 * SLACK * self.widest;
        let first = self.elements.partition_point(|(start, _)| *start < point[0] - self.widest - slack);
        let near = self.elements[first..].iter().take_while(|(start, _)| *start <= point[0] + slack);
        let weighed = near.map(|(_, element)| {
            let weights = barycentric(&element.map(|v| self.rest[v as usize]), point);
            (weights.iter().copied().fold(f64::INFINITY, f64::min), *element, weights)
        });
        let mut best: Option<(f64, [u32; N], [f64; N])> = None;
        for found in weighed {
            // The first of several that are as good.
            if best.is_none_or(|best| found.0 > best.0) {
                best = Some(found);
            }
        }
        best.map(|(least, element, weights)| (least, carried(element, weights)))
    }
}

/// Nodes with their weights, without those of no weight: a vertex on a side of an element moves with the nodes of that side alone.
fn carried<const N: usize>(element: [u32; N], weights: [f64; N]) -> Carried {
    let mut out: Carried =
        element.into_iter().zip(weights).filter(|(_, weight)| weight.abs() > NOTHING).collect();
    let rest = 1.0 - out.iter().map(|(_, weight)| weight).sum::<f64>();
    if let Some(largest) = out.iter_mut().max_by(|a, b| a.1.total_cmp(&b.1)) {
        largest.1 += rest;
    }
    out
}

/// The weights that add up to 1 with which the corners of a simplex have their mean at a point.
fn barycentric<const D: usize, const N: usize>(corners: &[Vector<D>; N], point: Vector<D>) -> [f64; N] {
    let edges = Matrix::from_columns(std::array::from_fn(|k| corners[k + 1] - corners[0]));
    let beyond = edges.inverse() * (point - corners[0]);
    let mut weights = [0.0; N];
    weights[1..].copy_from_slice(&beyond.0);
    weights[0] = 1.0 - beyond.0.iter().sum::<f64>();
    weights
}
