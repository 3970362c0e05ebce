//! The factor that makes the contact of two nearly parallel edges differentiable.
//!
//! ```text
//! s = |u×v|² = (u·u)(v·v) − (u·v)²      u = x₁ − x₀ ,  v = x₃ − x₂        [m⁴]
//! m(s) = (2 − s/ε) s/ε   for s < ε ,    1 beyond
//! ε = 10⁻³ |U|²|V|²   of the edges at rest: edges within 1.8° of parallel   [m⁴]
//! ```
//! `m` is C¹; it is 0 for parallel edges. \[Li2020\]
//!
//! Through `ε` it also depends on the edges at rest, X. With positions x held,
//! ```text
//! ∂m/∂X = m_ε ∇ε      ∂²m/∂x∂X = m_sε ∇s ∇εᵀ      m_ε = −m′ s/ε ,   m_sε = 2(2s/ε − 1)/ε²   for s < ε
//! ```
//! Where x = X + u and displacements u are held, the derivatives by x are to be added: `∂m/∂x + ∂m/∂X`, and
//! `∂²m/∂x² + ∂²m/∂x∂X` with the whole `∂²m/∂x² = m′∇²s + m″∇s∇sᵀ`.

pub(crate) mod relative;

use std::array::from_fn;

use crate::math::{Matrix, Vector, span};

/// `ε` for a pair of edges (a₀, a₁, b₀, b₁) at rest, in m⁴.
pub fn threshold<const D: usize>(rest: &[Vector<D>; 4]) -> f64 {
    threshold_of_lengths((rest[1] - rest[0]).norm_squared(), (rest[3] - rest[2]).norm_squared())
}

/// `ε` for a pair of edges with squared lengths |U|² and |V|² at rest (in m²), in m⁴.
#[inline]
pub fn threshold_of_lengths(uu: f64, vv: f64) -> f64 {
    1e-3 * uu * vv
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

/// `m_ε(s)` and `m_sε(s)`: the derivatives by the threshold of `m` and of `m′`, in m⁻⁴ and m⁻⁸.
pub fn threshold_derivatives(s: f64, threshold: f64) -> (f64, f64) {
    let q = s / threshold;
    if q < 1.0 {
        (-2.0 * (1.0 - q) * q / threshold, 2.0 * (2.0 * q - 1.0) / (threshold * threshold))
    } else {
        (0.0, 0.0)
    }
}

/// `∂ε/∂X`, in m³.
pub fn threshold_gradient<const D: usize>(rest: &[Vector<D>; 4]) -> [Vector<D>; 4] {
    let (u, v) = (rest[1] - rest[0], rest[3] - rest[2]);
    let by_u = u * (2e-3 * v.norm_squared());
    let by_v = v * (2e-3 * u.norm_squared());
    SIGNS.map(|(edge, sign)| [by_u, by_v][edge] * sign)
}

/// `∂m/∂x` at positions `x` of edges with threshold `ε`, in 1/m.
pub fn gradient<const D: usize>(x: &[Vector<D>; 4], threshold: f64) -> [Vector<D>; 4] {
    let (m1, _) = derivatives(cross_squared(x), threshold);
    cross_squared_gradient(x).map(|g| g * m1)
}

/// `∂²m/∂x²`, in 1/m².
pub fn hessian<const D: usize>(x: &[Vector<D>; 4], threshold: f64) -> [[Matrix<D>; 4]; 4] {
    let (m1, m2) = derivatives(cross_squared(x), threshold);
    let (first, second) = (cross_squared_gradient(x), cross_squared_hessian(x));
    from_fn(|i| from_fn(|j| second[i][j] * m1 + first[i].outer(first[j]) * m2))
}

/// `∂m/∂X` at positions `x` of edges that were at `rest`, x held, in 1/m.
pub fn rest_gradient<const D: usize>(x: &[Vector<D>; 4], rest: &[Vector<D>; 4]) -> [Vector<D>; 4] {
    let (by_threshold, _) = threshold_derivatives(cross_squared(x), threshold(rest));
    threshold_gradient(rest).map(|g| g * by_threshold)
}

/// `∂²m/∂xᵢ∂Xⱼ` at positions `x` of edges that were at `rest`, in 1/m²; rows belong to x, columns to X.
pub fn mixed_hessian<const D: usize>(x: &[Vector<D>; 4], rest: &[Vector<D>; 4]) -> [[Matrix<D>; 4]; 4] {
    let (_, mixed) = threshold_derivatives(cross_squared(x), threshold(rest));
    let (by_x, by_rest) = (cross_squared_gradient(x), threshold_gradient(rest));
    from_fn(|i| from_fn(|j| by_x[i].outer(by_rest[j] * mixed)))
}

/// Which edge a vertex of (a₀, a₁, b₀, b₁) belongs to and the sign with which it enters `u` or `v`.
const SIGNS: [(usize, f64); 4] = [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)];

/// Gradient of `s`, in m³.
pub fn cross_squared_gradient<const D: usize>(x: &[Vector<D>; 4]) -> [Vector<D>; 4] {
    let (u, v) = (x[1] - x[0], x[3] - x[2]);
    let [by_u, by_v] = span::area_squared_gradient(u, v);
    SIGNS.map(|(edge, sign)| [by_u, by_v][edge] * sign)
}

/// Hessian of `s`, in m².
pub fn cross_squared_hessian<const D: usize>(x: &[Vector<D>; 4]) -> [[Matrix<D>; 4]; 4] {
    let blocks = area_squared_hessian(x[1] - x[0], x[3] - x[2]);
    from_fn(|i| {
        from_fn(|j| {
            let ((edge_i, sign_i), (edge_j, sign_j)) = (SIGNS[i], SIGNS[j]);
            blocks[edge_i][edge_j] * (sign_i * sign_j)
        })
    })
}

/// Hessian of `|u×v|²` by `u` and `v`, in m².
///
/// ```text
/// 2 [ |v|²I − vvᵀ                2uvᵀ − vuᵀ − (u·v)I ]
///   [ 2vuᵀ − uvᵀ − (u·v)I        |u|²I − uuᵀ         ]
/// ```
pub(crate) fn area_squared_hessian<const D: usize>(u: Vector<D>, v: Vector<D>) -> [[Matrix<D>; 2]; 2] {
    let uu = (Matrix::scalar(v.norm_squared()) - v.outer(v)) * 2.0;
    let vv = (Matrix::scalar(u.norm_squared()) - u.outer(u)) * 2.0;
    let uv = (u.outer(v) * 2.0 - v.outer(u) - Matrix::scalar(u.dot(v))) * 2.0;
    [[uu, uv], [uv.transpose(), vv]]
}
