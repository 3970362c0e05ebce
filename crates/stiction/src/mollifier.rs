//! The factor that makes the contact of two nearly parallel edges differentiable.
//!
//! ```text
//! s = |u×v|² = (u·u)(v·v) − (u·v)²      u = x₁ − x₀ ,  v = x₃ − x₂        [m⁴]
//! m(s) = (2 − s/ε) s/ε   for s < ε ,    1 beyond
//! ε = 10⁻³ |U|²|V|²   of the edges at rest: edges within 1.8° of parallel   [m⁴]
//! ```
//! `m` is C¹; it is 0 for parallel edges. \[Li2020\]

use std::array::from_fn;

use crate::math::{Matrix, Vector, span};

/// `ε` for a pair of edges (a₀, a₁, b₀, b₁) at rest, in m⁴.
pub fn threshold<const D: usize>(rest: &[Vector<D>; 4]) -> f64 {
    1e-3 * (rest[1] - rest[0]).norm_squared() * (rest[3] - rest[2]).norm_squared()
}

/// `s = |u×v|²` of a pair of edges, in m⁴.
pub fn cross_squared<const D: usize>(x: &[Vector<D>; 4]) -> f64 {
    span::area_squared(x[1] - x[0], x[3] - x[2])
}

/// `m(s)`.
pub fn value(s: f64, threshold: f64) -> f64 {
    let q = s / threshold;
    if q < 1.0 { (2.0 - q) * q } else { 1.0 }
}

/// `m′(s)` and `m″(s)`, in m⁻⁴ and m⁻⁸.
pub fn derivatives(s: f64, threshold: f64) -> (f64, f64) {
    let q = s / threshold;
    if q < 1.0 { (2.0 * (1.0 - q) / threshold, -2.0 / (threshold * threshold)) } else { (0.0, 0.0) }
}

/// Which edge a vertex of (a₀, a₁, b₀, b₁) belongs to and the sign with which it enters `u` or `v`.
const SIGNS: [(usize, f64); 4] = [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)];

/// Gradient of `s`, in m³.
pub fn cross_squared_gradient<const D: usize>(x: &[Vector<D>; 4]) -> [Vector<D>; 4] {
    let (u, v) = (x[1] - x[0], x[3] - x[2]);
    let by_u = (u * v.norm_squared() - v * u.dot(v)) * 2.0;
    let by_v = (v * u.norm_squared() - u * u.dot(v)) * 2.0;
    SIGNS.map(|(edge, sign)| [by_u, by_v][edge] * sign)
}

/// Hessian of `s`, in m².
pub fn cross_squared_hessian<const D: usize>(x: &[Vector<D>; 4]) -> [[Matrix<D>; 4]; 4] {
    let (u, v) = (x[1] - x[0], x[3] - x[2]);
    let uu = (Matrix::scalar(v.norm_squared()) - v.outer(v)) * 2.0;
    let vv = (Matrix::scalar(u.norm_squared()) - u.outer(u)) * 2.0;
    let uv = (u.outer(v) * 2.0 - v.outer(u) - Matrix::scalar(u.dot(v))) * 2.0;
    let blocks = [[uu, uv], [uv.transpose(), vv]];
    from_fn(|i| {
        from_fn(|j| {
            let ((edge_i, sign_i), (edge_j, sign_j)) = (SIGNS[i], SIGNS[j]);
            blocks[edge_i][edge_j] * (sign_i * sign_j)
        })
    })
}
