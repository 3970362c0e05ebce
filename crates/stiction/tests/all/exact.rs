//! Distances in exact rational arithmetic: every number below is the number itself.

use dashu_ratio::RBig;
use stiction::math::Vector;
use stiction::stencil::Pair;

type Point = Vec<RBig>;

fn point<const D: usize>(x: Vector<D>) -> Point {
    x.0.iter().map(|c| RBig::try_from(*c).unwrap()).collect()
}

fn minus(a: &Point, b: &Point) -> Point {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// `a + s b`.
fn along(a: &Point, s: &RBig, b: &Point) -> Point {
    a.iter().zip(b).map(|(a, b)| a + s * b).collect()
}

fn dot(a: &Point, b: &Point) -> RBig {
    a.iter().zip(b).map(|(a, b)| a * b).fold(RBig::ZERO, |sum, term| sum + term)
}

fn inside(s: &RBig) -> bool {
    *s > RBig::ZERO && *s < RBig::ONE
}

/// The distance of a vertex from an edge.
pub fn vertex_edge<const D: usize>(p: Vector<D>, a: Vector<D>, b: Vector<D>) -> f64 {
    root(&vertex_edge_squared(&point(p), &point(a), &point(b)))
}

/// The distance of a vertex from a face.
pub fn vertex_face<const D: usize>(p: Vector<D>, face: [Vector<D>; 3]) -> f64 {
    let (p, face) = (point(p), face.map(point));
    let (u, v, w) = (minus(&face[1], &face[0]), minus(&face[2], &face[0]), minus(&p, &face[0]));
    let (uu, uv, vv, wu, wv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&w, &u), dot(&w, &v));
    let det = &uu * &vv - &uv * &uv;
    if det > RBig::ZERO {
        let (s, t) = ((&vv * &wu - &uv * &wv) / &det, (&uu * &wv - &uv * &wu) / &det);
        if s > RBig::ZERO && t > RBig::ZERO && &s + &t < RBig::ONE {
            let r = along(&along(&w, &-s, &u), &-t, &v);
            return root(&dot(&r, &r));
        }
    }
    let sides = (0..3).map(|k| vertex_edge_squared(&p, &face[k], &face[(k + 1) % 3]));
    root(&sides.min().unwrap())
}

/// The distance between two edges.
pub fn edge_edge<const D: usize>(a: [Vector<D>; 2], b: [Vector<D>; 2]) -> f64 {
    let (a, b) = (a.map(point), b.map(point));
    let (u, v, w) = (minus(&a[1], &a[0]), minus(&b[1], &b[0]), minus(&a[0], &b[0]));
    let (uu, uv, vv, wu, wv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&w, &u), dot(&w, &v));
    let det = &uu * &vv - &uv * &uv;
    if det > RBig::ZERO {
        let (s, t) = ((&uv * &wv - &vv * &wu) / &det, (&uu * &wv - &uv * &wu) / &det);
        if inside(&s) && inside(&t) {
            let r = along(&along(&w, &s, &u), &-t, &v);
            return root(&dot(&r, &r));
        }
    }
    let ends = [
        vertex_edge_squared(&a[0], &b[0], &b[1]),
        vertex_edge_squared(&a[1], &b[0], &b[1]),
        vertex_edge_squared(&b[0], &a[0], &a[1]),
        vertex_edge_squared(&b[1], &a[0], &a[1]),
    ];
    root(ends.iter().min().unwrap())
}

fn vertex_edge_squared(p: &Point, a: &Point, b: &Point) -> RBig {
    let (edge, from_a) = (minus(b, a), minus(p, a));
    let (length2, along_edge) = (dot(&edge, &edge), dot(&from_a, &edge));
    let s = if along_edge <= RBig::ZERO {
        RBig::ZERO
    } else if along_edge >= length2 {
        RBig::ONE
    } else {
        along_edge / length2
    };
    let r = along(&from_a, &-s, &edge);
    dot(&r, &r)
}

/// The root, rounded.
fn root(square: &RBig) -> f64 {
    square.to_f64().value().sqrt()
}

/// Gradient and Hessian of d² for a pair with two coordinates, by the formula of `stiction::distance`, row by row.
pub fn derivatives<const D: usize>(pair: &Pair<4>, x: &[Vector<D>; 4]) -> (Vec<f64>, Vec<f64>) {
    let rational = |weights: [f64; 4]| weights.map(|c| RBig::try_from(c).unwrap());
    let (base, directions) = (rational(pair.base), pair.directions.map(rational));
    let x = x.map(point);
    let combine = |c: &[RBig; 4]| x.iter().zip(c).fold(vec![RBig::ZERO; D], |sum, (x, c)| along(&sum, c, x));
    let (a, r0) = ([combine(&directions[0]), combine(&directions[1])], combine(&base));
    let (g00, g01, g11) = (dot(&a[0], &a[0]), dot(&a[0], &a[1]), dot(&a[1], &a[1]));
    let det = &g00 * &g11 - &g01 * &g01;
    let g = [[&g11 / &det, -&g01 / &det], [-&g01 / &det, &g00 / &det]];
    let b = [dot(&a[0], &r0), dot(&a[1], &r0)];
    let alpha = [0, 1].map(|p: usize| -(&g[p][0] * &b[0] + &g[p][1] * &b[1]));
    let c: [RBig; 4] =
        std::array::from_fn(|i| &base[i] + &alpha[0] * &directions[0][i] + &alpha[1] * &directions[1][i]);
    let r = combine(&c);
    // Column (i, k) of F, halved.
    let f = |p: usize, i: usize, k: usize| &directions[p][i] * &r[k] + &c[i] * &a[p][k];
    let two = RBig::from(2);
    let (mut gradient, mut hessian) = (Vec::new(), Vec::new());
    for (i, k) in (0..4).flat_map(|i| (0..D).map(move |k| (i, k))) {
        gradient.push((&two * &c[i] * &r[k]).to_f64().value());
        for (j, l) in (0..4).flat_map(|j| (0..D).map(move |l| (j, l))) {
            let mut entry = if k == l { &c[i] * &c[j] } else { RBig::ZERO };
            for (p, q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                entry -= f(p, i, k) * &g[p][q] * f(q, j, l);
            }
            hessian.push((&two * entry).to_f64().value());
        }
    }
    (gradient, hessian)
}
