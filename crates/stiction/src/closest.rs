//! Which features of two primitives are closest to each other, and how far apart they are.
//!
//! Every function is total: primitives without extent are treated as their first vertex.

use crate::math::Vector;

/// The part of an edge that is closest to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgePart {
    /// Its first vertex.
    Start,
    /// Its second vertex.
    End,
    /// Its inside.
    Inside,
}

/// The part of a face that is closest to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FacePart {
    /// Vertex 0, 1 or 2.
    Vertex(usize),
    /// The inside of the edge from vertex `k` to vertex `k + 1` (modulo 3).
    Edge(usize),
    /// Its inside.
    Inside,
}

/// The closest part of an edge to a vertex, and the squared distance in m².
#[inline]
pub fn vertex_edge<const D: usize>(p: Vector<D>, a: Vector<D>, b: Vector<D>) -> (EdgePart, f64) {
    let (part, r) = vertex_edge_vector(p, a, b);
    (part, r.norm_squared())
}

/// Like [`vertex_edge`], with the vector from the closest point of the edge to the vertex, in m.
///
/// ```text
/// t = (p − a)·(b − a) / |b − a|²        inside where 0 < t < 1
/// ```
#[inline]
pub fn vertex_edge_vector<const D: usize>(p: Vector<D>, a: Vector<D>, b: Vector<D>) -> (EdgePart, Vector<D>) {
    let (edge, from_a) = (b - a, p - a);
    let along = from_a.dot(edge);
    let length2 = edge.norm_squared();
    if along <= 0.0 || length2 <= 0.0 {
        (EdgePart::Start, from_a)
    } else if along >= length2 {
        (EdgePart::End, p - b)
    } else {
        (EdgePart::Inside, from_a - edge * (along / length2))
    }
}

/// The closest part of a face to a vertex, and the squared distance in m².
#[inline]
pub fn vertex_face<const D: usize>(p: Vector<D>, face: [Vector<D>; 3]) -> (FacePart, f64) {
    let (part, r) = vertex_face_vector(p, face);
    (part, r.norm_squared())
}

/// Like [`vertex_face`], with the vector from the closest point of the face to the vertex, in m.
///
/// The inside counts only where the projection of the vertex falls inside; otherwise the distance is
/// the smallest of the distances to the three edges, since the squared distance is convex.
pub fn vertex_face_vector<const D: usize>(p: Vector<D>, face: [Vector<D>; 3]) -> (FacePart, Vector<D>) {
    let (u, v, w) = (face[1] - face[0], face[2] - face[0], p - face[0]);
    let (uu, uv, vv) = (u.norm_squared(), u.dot(v), v.norm_squared());
    let (wu, wv) = (w.dot(u), w.dot(v));
    let det = uu * vv - uv * uv;
    let (s, t) = (vv * wu - uv * wv, uu * wv - uv * wu);
    if det > 0.0 && s > 0.0 && t > 0.0 && s + t < det {
        return (FacePart::Inside, w - u * (s / det) - v * (t / det));
    }
    let mut best = (FacePart::Vertex(0), w);
    for k in 0..3 {
        let (part, r) = vertex_edge_vector(p, face[k], face[(k + 1) % 3]);
        if k == 0 || r.norm_squared() < best.1.norm_squared() {
            best = (edge_of_face(part, k), r);
        }
    }
    best
}

fn edge_of_face(part: EdgePart, k: usize) -> FacePart {
    match part {
        EdgePart::Start => FacePart::Vertex(k),
        EdgePart::End => FacePart::Vertex((k + 1) % 3),
        EdgePart::Inside => FacePart::Edge(k),
    }
}

/// Edges whose squared sine is below this count as parallel: the solution for the inside of both has
/// lost all its digits there.
const PARALLEL: f64 = 1e-15;

/// The closest parts of two edges, and the squared distance in m².
#[inline]
pub fn edge_edge<const D: usize>(a: [Vector<D>; 2], b: [Vector<D>; 2]) -> ((EdgePart, EdgePart), f64) {
    let (parts, r) = edge_edge_vector(a, b);
    (parts, r.norm_squared())
}

/// Like [`edge_edge`], with the vector from the closest point of `b` to that of `a`, in m.
///
/// The insides count only where the closest points of the two lines fall inside both edges; otherwise,
/// and for parallel edges, the distance is the smallest of the four from a vertex to the other edge.
pub fn edge_edge_vector<const D: usize>(
    a: [Vector<D>; 2],
    b: [Vector<D>; 2],
) -> ((EdgePart, EdgePart), Vector<D>) {
    let best = closest_ends(a, b);
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, uv, vv) = (u.norm_squared(), u.dot(v), v.norm_squared());
    let (wu, wv) = (w.dot(u), w.dot(v));
    let det = uu * vv - uv * uv;
    if det > PARALLEL * uu * vv {
        let (s, t) = (uv * wv - vv * wu, uu * wv - uv * wu);
        if s > 0.0 && s < det && t > 0.0 && t < det {
            let r = w + u * (s / det) - v * (t / det);
            let shorter = if r.norm_squared() <= best.1.norm_squared() { r } else { best.1 };
            return ((EdgePart::Inside, EdgePart::Inside), shorter);
        }
    }
    best
}

/// The closest of the four pairs of an end of one edge with the other edge.
fn closest_ends<const D: usize>(a: [Vector<D>; 2], b: [Vector<D>; 2]) -> ((EdgePart, EdgePart), Vector<D>) {
    let (first, r) = vertex_edge_vector(a[0], b[0], b[1]);
    let mut best = ((EdgePart::Start, first), r);
    let mut least = r.norm_squared();
    let mut take = |parts, r: Vector<D>| {
        if r.norm_squared() < least {
            (best, least) = ((parts, r), r.norm_squared());
        }
    };
    let (part, r) = vertex_edge_vector(b[0], a[0], a[1]);
    take((part, EdgePart::Start), -r);
    let (part, r) = vertex_edge_vector(a[1], b[0], b[1]);
    take((EdgePart::End, part), r);
    let (part, r) = vertex_edge_vector(b[1], a[0], a[1]);
    take((part, EdgePart::End), -r);
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [Vector<3>; 2] = [Vector([0.0, 0.0, 0.0]), Vector([1.0, 0.0, 0.0])];

    #[test]
    fn crossing_edges_meet_inside() {
        let b = [Vector([0.5, -1.0, 0.25]), Vector([0.5, 1.0, 0.25])];
        let (parts, d2) = edge_edge(X, b);
        assert_eq!(parts, (EdgePart::Inside, EdgePart::Inside));
        assert!((d2 - 0.0625).abs() < 1e-15);
    }

    #[test]
    fn parallel_edges_are_never_inside_both() {
        let b = [Vector([0.2, 0.0, 0.5]), Vector([2.0, 0.0, 0.5])];
        let ((p, q), d2) = edge_edge(X, b);
        assert!(p != EdgePart::Inside || q != EdgePart::Inside);
        assert!((d2 - 0.25).abs() < 1e-15);
    }

    #[test]
    fn degenerate_primitives_are_points() {
        let o = Vector([0.0, 0.0, 0.0]);
        assert_eq!(vertex_edge(Vector([0.0, 3.0, 4.0]), o, o), (EdgePart::Start, 25.0));
        assert_eq!(vertex_face(Vector([0.0, 3.0, 4.0]), [o; 3]), (FacePart::Vertex(0), 25.0));
        assert!((edge_edge([o; 2], [X[1]; 2]).1 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn distance_is_the_smallest_over_sampled_points() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..500 {
            let x: [Vector<3>; 4] = std::array::from_fn(|_| Vector(std::array::from_fn(|_| random() - 0.5)));
            let (mut ee, mut vf) = (f64::INFINITY, f64::INFINITY);
            for i in 0..=40 {
                for j in 0..=40 {
                    let (s, t) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                    let a = x[0] * (1.0 - s) + x[1] * s;
                    let b = x[2] * (1.0 - t) + x[3] * t;
                    ee = ee.min((a - b).norm_squared());
                    let (p, q) = (s * (1.0 - t), s * t);
                    let f = x[1] * (1.0 - p - q) + x[2] * p + x[3] * q;
                    vf = vf.min((x[0] - f).norm_squared());
                }
            }
            let (d_ee, d_vf) =
                (edge_edge([x[0], x[1]], [x[2], x[3]]).1, vertex_face(x[0], [x[1], x[2], x[3]]).1);
            assert!(d_ee <= ee + 1e-15 && d_ee.sqrt() > ee.sqrt() - 0.05);
            assert!(d_vf <= vf + 1e-15 && d_vf.sqrt() > vf.sqrt() - 0.05);
        }
    }
}
