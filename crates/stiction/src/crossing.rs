//! Whether a configuration intersects itself, decided exactly.
//!
//! Signs of determinants come from adaptive exact arithmetic \[Shewchuk1997\], so the answer is right for
//! any input whose products neither overflow nor underflow. Touching counts as crossing. Nothing here is shared with distances or
//! collision detection in time: it is an independent check of both.

use robust::{Coord, Coord3D};

use crate::math::Vector;
use crate::mesh::Surface;
use crate::threads;

/// Two primitives that share a point though they share no vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Crossing {
    /// Two edges, by number (2D).
    EdgeEdge(u32, u32),
    /// An edge and a face, by number (3D).
    EdgeFace(u32, u32),
}

/// All crossings of a surface at `positions`, ascending: edges with edges in 2D, with faces in 3D.
///
/// # Panics
/// If `positions` is shorter than the surface's vertex array.
pub fn crossings<const D: usize>(surface: &Surface<D>, positions: &[Vector<D>]) -> Vec<Crossing> {
    let edges = surface.edges();
    let of_edge = |e: usize| {
        if D == 2 {
            edge_crossings(edges, positions, e as u32, edges[e])
        } else {
            face_crossings(surface.faces(), positions, e as u32, edges[e])
        }
    };
    threads::collect(edges.len(), &|range| range.flat_map(of_edge).collect())
}

fn edge_crossings<const D: usize>(
    edges: &[[u32; 2]],
    x: &[Vector<D>],
    e: u32,
    edge: [u32; 2],
) -> Vec<Crossing> {
    let p = edge.map(|v| plane_point(x[v as usize]));
    (e + 1..edges.len() as u32)
        .filter(|&f| {
            let other = edges[f as usize];
            !edge.iter().any(|v| other.contains(v))
                && boxes_meet(&edge, &other, x)
                && segments_meet(p, other.map(|v| plane_point(x[v as usize])))
        })
        .map(|f| Crossing::EdgeEdge(e, f))
        .collect()
}

fn face_crossings<const D: usize>(
    faces: &[[u32; 3]],
    x: &[Vector<D>],
    e: u32,
    edge: [u32; 2],
) -> Vec<Crossing> {
    let p = edge.map(|v| space_point(x[v as usize]));
    (0..faces.len() as u32)
        .filter(|&f| {
            let face = faces[f as usize];
            !edge.iter().any(|v| face.contains(v))
                && boxes_meet(&edge, &face, x)
                && segment_meets_triangle(p, face.map(|v| space_point(x[v as usize])))
        })
        .map(|f| Crossing::EdgeFace(e, f))
        .collect()
}

fn plane_point<const D: usize>(x: Vector<D>) -> Coord<f64> {
    Coord { x: x[0], y: x[1] }
}

fn space_point<const D: usize>(x: Vector<D>) -> Coord3D<f64> {
    Coord3D { x: x[0], y: x[1], z: x[2] }
}

fn boxes_meet<const D: usize>(a: &[u32], b: &[u32], x: &[Vector<D>]) -> bool {
    let bounds = |vertices: &[u32]| {
        let points = vertices.iter().map(|&v| x[v as usize]);
        points.fold((Vector([f64::INFINITY; D]), Vector([f64::NEG_INFINITY; D])), |(low, high), p| {
            (low.min(p), high.max(p))
        })
    };
    let ((a_low, a_high), (b_low, b_high)) = (bounds(a), bounds(b));
    (0..D).all(|k| a_low[k] <= b_high[k] && b_low[k] <= a_high[k])
}

fn sign(value: f64) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}

fn turn(a: Coord<f64>, b: Coord<f64>, c: Coord<f64>) -> i8 {
    sign(robust::orient2d(a, b, c))
}

fn side(a: [Coord3D<f64>; 3], p: Coord3D<f64>) -> i8 {
    sign(robust::orient3d(a[0], a[1], a[2], p))
}

/// Whether two closed segments in the plane share a point.
fn segments_meet(p: [Coord<f64>; 2], q: [Coord<f64>; 2]) -> bool {
    let (q0, q1) = (turn(p[0], p[1], q[0]), turn(p[0], p[1], q[1]));
    let (p0, p1) = (turn(q[0], q[1], p[0]), turn(q[0], q[1], p[1]));
    if q0 == 0 && q1 == 0 && p0 == 0 && p1 == 0 {
        return ranges_meet(p.map(|a| a.x), q.map(|a| a.x)) && ranges_meet(p.map(|a| a.y), q.map(|a| a.y));
    }
    q0 * q1 <= 0 && p0 * p1 <= 0
}

fn ranges_meet(a: [f64; 2], b: [f64; 2]) -> bool {
    a[0].min(a[1]) <= b[0].max(b[1]) && b[0].min(b[1]) <= a[0].max(a[1])
}

/// Whether a closed segment and a closed triangle in space share a point.
fn segment_meets_triangle(p: [Coord3D<f64>; 2], t: [Coord3D<f64>; 3]) -> bool {
    let (s0, s1) = (side(t, p[0]), side(t, p[1]));
    if s0 == 0 && s1 == 0 {
        return meets_in_plane(p, t);
    }
    if s0 * s1 > 0 {
        return false;
    }
    // The segment crosses the plane: it meets the triangle if it passes all sides on the same hand.
    let hands = [0, 1, 2].map(|k| side([p[0], p[1], t[k]], t[(k + 1) % 3]));
    !(hands.contains(&1) && hands.contains(&-1))
}

/// The same for a segment in the plane of the triangle: exact in each coordinate plane, and it must
/// hold in all three (two of them may see the figure edge-on, where everything overlaps).
fn meets_in_plane(p: [Coord3D<f64>; 2], t: [Coord3D<f64>; 3]) -> bool {
    let views: [fn(Coord3D<f64>) -> Coord<f64>; 3] =
        [|a| Coord { x: a.x, y: a.y }, |a| Coord { x: a.y, y: a.z }, |a| Coord { x: a.z, y: a.x }];
    views.iter().all(|view| meets_flat(p.map(view), t.map(view)))
}

fn meets_flat(p: [Coord<f64>; 2], t: [Coord<f64>; 3]) -> bool {
    let inside = |a: Coord<f64>| {
        let turns = [0, 1, 2].map(|k| turn(t[k], t[(k + 1) % 3], a));
        turns != [0; 3] && !(turns.contains(&1) && turns.contains(&-1))
    };
    inside(p[0]) || (0..3).any(|k| segments_meet(p, [t[k], t[(k + 1) % 3]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron_and_needle(tip: f64) -> (Surface<3>, Vec<Vector<3>>) {
        let x: Vec<_> = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, tip], [0.2, 0.2, 1.0]]
            .map(Vector)
            .to_vec();
        (Surface::new(x.clone(), vec![[3, 4]], vec![[0, 1, 2]]).unwrap(), x)
    }

    #[test]
    fn a_needle_crosses_when_its_tip_is_below() {
        for (tip, count) in [(1e-300, 0), (0.0, 1), (-1e-300, 1)] {
            let (surface, x) = tetrahedron_and_needle(tip);
            assert_eq!(crossings(&surface, &x).len(), count, "tip at {tip}");
        }
    }

    #[test]
    fn coplanar_segments_are_seen() {
        let t = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|a| space_point(Vector(a)));
        let segment = |a: [f64; 3], b: [f64; 3]| [space_point(Vector(a)), space_point(Vector(b))];
        assert!(segment_meets_triangle(segment([0.1, 0.1, 0.0], [0.2, 0.1, 0.0]), t));
        assert!(segment_meets_triangle(segment([-1.0, 0.1, 0.0], [2.0, 0.1, 0.0]), t));
        assert!(!segment_meets_triangle(segment([1.0, 1.0, 0.0], [2.0, 1.0, 0.0]), t));
    }

    #[test]
    fn segments_in_the_plane() {
        let at = |a: [f64; 2]| Coord { x: a[0], y: a[1] };
        let meet = |p: [[f64; 2]; 2], q: [[f64; 2]; 2]| segments_meet(p.map(at), q.map(at));
        assert!(meet([[0.0, 0.0], [1.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]));
        assert!(meet([[0.0, 0.0], [1.0, 0.0]], [[0.5, 0.0], [2.0, 0.0]]));
        assert!(!meet([[0.0, 0.0], [1.0, 0.0]], [[1.5, 0.0], [2.0, 0.0]]));
        assert!(meet([[0.0, 0.0], [1.0, 0.0]], [[0.5, 0.0], [0.5, 1.0]]));
        assert!(!meet([[0.0, 0.0], [1.0, 0.0]], [[0.5, 1e-300], [0.5, 1.0]]));
    }
}
