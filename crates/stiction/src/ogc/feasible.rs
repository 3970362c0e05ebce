//! Which points belong to a vertex or an edge of the surface.
//!
//! A surface thickened by a radius consists of prisms over its faces, wedges around its edges and balls around its
//! vertices. A point belongs to a vertex or an edge only where it is in none of the prisms or wedges next to it. \[Chen2025\]
//!
//! ```text
//! vertex v    (p − x_v)·(x_v − x_w) ≥ 0    for every neighbour w of v
//! edge e      0 < t < 1 , t the coordinate of the foot of p on e , and
//!             (p − f_w)·(f_w − x_w) ≥ 0    for every face (e, w) of e , f_w the foot of w on the line through e
//! ```
//! The inside of a face, and of an edge in 2D, has all points whose foot is inside.
//!
//! Over a flat surface the part of a vertex or an edge is a line or a plane, which rounding misses. So what is outside by no more
//! than rounding counts as inside: a pair may count for two features there, but never for none.

use crate::closest::{EdgePart, FacePart};
use crate::math::Vector;
use crate::mesh::Surface;

/// Whether `point` belongs to a vertex of the surface at positions `x`. A vertex without neighbours has all points.
///
/// # Panics
/// If `x` is shorter than the surface's vertex array, or there is no such vertex.
pub fn belongs_to_vertex<const D: usize>(
    surface: &Surface<D>,
    x: &[Vector<D>],
    point: Vector<D>,
    vertex: u32,
) -> bool {
    let at = x[vertex as usize];
    let neighbours = surface.adjacency().vertex_vertices.of(vertex);
    neighbours.iter().all(|w| is_behind(point, at, x[*w as usize]))
}

/// Whether `(p − o)·(o − w) ≥ 0`, but for rounding of the positions.
fn is_behind<const D: usize>(p: Vector<D>, o: Vector<D>, w: Vector<D>) -> bool {
    let size = [p, o, w].iter().flat_map(|x| x.0).fold(0.0, |size: f64, entry| size.max(entry.abs()));
    let (away, along) = (p - o, o - w);
    away.dot(along) >= -64.0 * f64::EPSILON * size * (away.norm() + along.norm())
}

/// Whether `point` belongs to the inside of an edge of the surface at positions `x`.
///
/// # Panics
/// If `x` is shorter than the surface's vertex array, or there is no such edge.
pub fn belongs_to_edge<const D: usize>(
    surface: &Surface<D>,
    x: &[Vector<D>],
    point: Vector<D>,
    edge: u32,
) -> bool {
    let ends = surface.edges()[edge as usize];
    let line = ends.map(|v| x[v as usize]);
    let faces = surface.adjacency().edge_faces.of(edge);
    let mut opposite = faces.iter().flat_map(|f| surface.faces()[*f as usize]).filter(|v| !ends.contains(v));
    is_behind(point, line[0], line[0] + (line[0] - line[1]))
        && is_behind(point, line[1], line[1] + (line[1] - line[0]))
        && opposite.all(|w| is_behind(point, on_line(line, x[w as usize]), x[w as usize]))
}

/// Whether a vertex and an edge that share no vertex, whose closest part is `part`, count as a contact: where that is an end,
/// each of the two vertices has to belong to the other.
///
/// # Panics
/// If `x` is shorter than the surface's vertex array, or there is no such primitive.
pub fn vertex_edge<const D: usize>(
    surface: &Surface<D>,
    x: &[Vector<D>],
    (vertex, edge): (u32, u32),
    part: EdgePart,
) -> bool {
    match part {
        EdgePart::Inside => true,
        _ => belong_to_each_other(surface, x, vertex, end(surface, edge, part)),
    }
}

/// Whether two edges that share no vertex, whose closest parts are `first_part` and `second_part`, count as a contact: an end has to have the
/// closest point of the other edge.
///
/// # Panics
/// If `x` is shorter than the surface's vertex array, or there is no such primitive.
pub fn edge_edge<const D: usize>(
    surface: &Surface<D>,
    x: &[Vector<D>],
    (first, second): (u32, u32),
    first_part: EdgePart,
    second_part: EdgePart,
) -> bool {
    let has_foot = |vertex: u32, edge: u32| {
        let line = surface.edges()[edge as usize].map(|v| x[v as usize]);
        belongs_to_vertex(surface, x, on_line(line, x[vertex as usize]), vertex)
    };
    match (first_part, second_part) {
        (EdgePart::Inside, EdgePart::Inside) => true,
        (EdgePart::Inside, part) => has_foot(end(surface, second, part), first),
        (part, EdgePart::Inside) => has_foot(end(surface, first, part), second),
        (p, q) => belong_to_each_other(surface, x, end(surface, first, p), end(surface, second, q)),
    }
}

/// Whether a vertex and a face that share no vertex, whose closest part is `part`, count as a contact: the vertex has to belong
/// to that part, and the other way round where it is a vertex.
///
/// # Panics
/// If `x` is shorter than the surface's vertex array, or there is no such primitive.
pub fn vertex_face<const D: usize>(
    surface: &Surface<D>,
    x: &[Vector<D>],
    (vertex, face): (u32, u32),
    part: FacePart,
) -> bool {
    match part {
        FacePart::Vertex(k) => belong_to_each_other(surface, x, vertex, surface.faces()[face as usize][k]),
        FacePart::Edge(k) => {
            let edge = surface.faces_to_edges()[face as usize][k];
            belongs_to_edge(surface, x, x[vertex as usize], edge)
        }
        FacePart::Inside => true,
    }
}

fn belong_to_each_other<const D: usize>(surface: &Surface<D>, x: &[Vector<D>], v: u32, w: u32) -> bool {
    belongs_to_vertex(surface, x, x[v as usize], w) && belongs_to_vertex(surface, x, x[w as usize], v)
}

/// The vertex at an end of an edge; the second one also for its inside.
fn end<const D: usize>(surface: &Surface<D>, edge: u32, part: EdgePart) -> u32 {
    surface.edges()[edge as usize][usize::from(part != EdgePart::Start)]
}

/// `t` of the foot of a point on the line from `a` to `b`, 0 at `a` and 1 at `b`; NaN where the two are the same.
fn coordinate<const D: usize>([a, b]: [Vector<D>; 2], point: Vector<D>) -> f64 {
    let along = b - a;
    (point - a).dot(along) / along.norm_squared()
}

fn on_line<const D: usize>(line: [Vector<D>; 2], point: Vector<D>) -> Vector<D> {
    line[0] + (line[1] - line[0]) * coordinate(line, point)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles that meet in the edge from 0 to 1, a roof with slopes of 45° whose ridge is along y.
    fn roof() -> Surface<3> {
        let x = [[0.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]].map(Vector);
        Surface::new(x.to_vec(), vec![], vec![[0, 1, 2], [1, 0, 3]]).unwrap()
    }

    #[test]
    fn the_ridge_of_a_roof_has_what_is_between_its_normals() {
        let roof = roof();
        let has = |p| belongs_to_edge(&roof, roof.rest(), Vector(p), 0);
        assert!(has([0.0, 1.0, 1.5]) && has([0.4, 0.5, 1.5]) && has([-0.4, 1.5, 1.5]));
        // Over a slope, under the roof, before its end.
        assert!(!has([0.6, 1.0, 1.5]) && !has([0.0, 1.0, 0.5]) && !has([0.0, -0.1, 1.5]));
    }

    #[test]
    fn a_corner_has_what_is_behind_no_edge() {
        let roof = roof();
        let has = |p| belongs_to_vertex(&roof, roof.rest(), Vector(p), 0);
        assert!(has([0.0, -0.5, 1.5]) && has([0.0, 0.0, 1.5]));
        assert!(!has([0.0, 0.1, 1.1]) && !has([0.5, 0.0, 0.7]));
    }

    #[test]
    fn a_chain_in_2d_ends_in_half_planes() {
        let x = [[0.0, 0.0], [1.0, 0.0], [2.0, 1.0]].map(Vector);
        let chain = Surface::new(x.to_vec(), vec![[0, 1], [1, 2]], vec![]).unwrap();
        assert!(belongs_to_vertex(&chain, chain.rest(), Vector([-0.1, 5.0]), 0));
        assert!(!belongs_to_vertex(&chain, chain.rest(), Vector([0.1, 5.0]), 0));
        // Outside of the bend, and inside of it.
        assert!(belongs_to_vertex(&chain, chain.rest(), Vector([1.2, -1.0]), 1));
        assert!(!belongs_to_vertex(&chain, chain.rest(), Vector([1.0, 1.0]), 1));
    }
}
