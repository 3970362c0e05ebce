//! How much of the surface each vertex stands for.

use std::collections::BTreeSet;

use stiction::math::Vector;
use stiction::math::vector::cross;

use crate::model::Model;

/// The area of each vertex of the surface at positions `x`, in m²; 0 inside solids.
///
/// ```text
/// ⅓ Σ area of its faces                  of solids and sheets in 3D
/// ½ Σ length × width of its edges        of solids in 2D, as wide as they are thick; of rods, as wide as their diameter
/// ```
/// A sheet has the area of one of its sides.
///
/// # Panics
/// If there is not one position for each vertex.
pub fn areas_at<const D: usize>(model: &Model<D>, x: &[Vector<D>]) -> Vec<f64> {
    let mut areas = vec![0.0; x.len()];
    for face in model.surface.faces() {
        let area = face_area(*face, x);
        for v in face {
            areas[*v as usize] += area / 3.0;
        }
    }
    // Edges of faces are no lines of their own.
    let has_faces: Vec<bool> = areas.iter().map(|area| *area > 0.0).collect();
    for [a, b] in model.surface.edges() {
        let length = (x[*a as usize] - x[*b as usize]).norm();
        for v in [*a, *b].into_iter().filter(|v| !has_faces[*v as usize]) {
            areas[v as usize] += 0.5 * length * model.parts[model.body_of(v)].width;
        }
    }
    areas
}

/// The area in m² of the faces, or in 2D and of rods the edges, all of whose vertices are among some.
pub(super) fn covered<const D: usize>(model: &Model<D>, x: &[Vector<D>], vertices: &BTreeSet<u32>) -> f64 {
    let is_inside = |primitive: &[u32]| primitive.iter().all(|v| vertices.contains(v));
    let around = |v: &u32| model.surface.adjacency().vertex_faces.of(*v).iter().copied();
    let faces: BTreeSet<u32> = vertices.iter().flat_map(around).collect();
    let faces = faces.iter().map(|f| model.surface.faces()[*f as usize]).filter(|face| is_inside(face));
    let area = faces.fold(0.0, |sum, face| sum + face_area(face, x));
    let around = |v: &u32| model.surface.adjacency().vertex_edges.of(*v).iter().copied();
    let edges: BTreeSet<u32> = vertices.iter().flat_map(around).collect();
    let lines = edges.iter().filter(|e| model.surface.adjacency().edge_faces.of(**e).is_empty());
    let lines = lines.map(|e| model.surface.edges()[*e as usize]).filter(|edge| is_inside(edge));
    lines.fold(area, |sum, [a, b]| {
        sum + (x[a as usize] - x[b as usize]).norm() * model.parts[model.body_of(a)].width
    })
}

fn face_area<const D: usize>(face: [u32; 3], x: &[Vector<D>]) -> f64 {
    let [a, b, c] = face.map(|v| in_space(x[v as usize]));
    0.5 * cross(b - a, c - a).norm()
}

/// The areas of the vertices at rest, in m².
pub fn rest_areas<const D: usize>(model: &Model<D>) -> Vec<f64> {
    areas_at(model, model.surface.rest())
}

fn in_space<const D: usize>(x: Vector<D>) -> Vector<3> {
    Vector(std::array::from_fn(|k| x.0.get(k).copied().unwrap_or(0.0)))
}
