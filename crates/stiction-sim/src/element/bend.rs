//! Bending of a rod at a vertex between two segments.

use std::array::from_fn;

use stiction::distance::Psd;
use stiction::math::vector::{cross, flat_cross, turn};
use stiction::math::{Matrix, Vector};
use stiction::stencil::Stencil;

use super::Element;
use super::project::project;

/// Rest angles below this count as straight.
const STRAIGHT: f64 = 1e-8;

/// How far the kink of a curved rod at straight is rounded off, relative to the angle at rest.
const ROUNDED: f64 = 0.1;

/// The smallest sine of an angle that is divided by.
const SMALLEST: f64 = 1e-9;

/// The vertex between two segments of a rod: vertices (x₀, x₁, x₂) in their order.
///
/// ```text
/// 2D:  E = ½ k (φ − φ̄)²                                 φ: angle from u to v, counter-clockwise
/// 3D:  E = ½ k (√(φ² + ε²φ̄²) − √(1 + ε²) φ̄)²            φ: angle between u and v, 0 to π;  ε = 0.1
/// k = EI/ℓ̄  [J]        u = x₁ − x₀        v = x₂ − x₁        ℓ̄: mean length of the two segments at rest
/// ```
/// with the bending stiffness `EI` [N m²] and the angle at rest φ̄. A rod bent to radius R has the energy ½ EI/R² by length.
///
/// In 3D a rod without twist does not know in which direction it was curved: its energy is ½ k (φ − φ̄)² whatever the plane of the bend. For
/// φ̄ > 0 that has a kink at φ = 0, which ε rounds off (and so makes the stiffness at rest 1 % less); for φ̄ = 0 it is ½ k φ², smooth. In 2D the
/// formula is valid for |φ| < π: contact keeps segments from turning through each other.
///
/// `Psd::GaussNewton` keeps the outer product of first derivatives; other projections decompose the matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend<const D: usize> {
    /// Its vertices.
    pub stencil: Stencil<3>,
    /// `k` in J.
    pub stiffness: f64,
    /// `φ̄`.
    pub rest_angle: f64,
}

/// A function of positions by u and v: first and second derivatives.
struct Derivatives<const D: usize> {
    first: [Vector<D>; 2],
    second: [[Matrix<D>; 2]; 2],
}

impl<const D: usize> Bend<D> {
    /// The bend at the second of these vertices, at positions `rest`, in a rod of bending stiffness `EI` (N m²). Its stiffness
    /// is not finite if both segments have no length: the caller checks.
    ///
    /// # Panics
    /// If a vertex is not in `rest`.
    pub fn new(stencil: Stencil<3>, rest: &[Vector<D>], bending: f64) -> Self {
        let x = stencil.gather(rest);
        let [u, v] = [x[1] - x[0], x[2] - x[1]];
        let angle = Self::angle(&x);
        Self {
            stencil,
            stiffness: bending * 2.0 / (u.norm() + v.norm()),
            rest_angle: if angle.abs() < STRAIGHT { 0.0 } else { angle },
        }
    }

    /// `φ` with the vertices at `x`.
    pub fn angle(x: &[Vector<D>; 3]) -> f64 {
        let [u, v] = [x[1] - x[0], x[2] - x[1]];
        let sine = if D == 2 { flat_cross(u, v) } else { cross(u, v).norm() };
        sine.atan2(u.dot(v))
    }

    /// `dE/dφ` and `d²E/dφ²` in 2D.
    fn flat_response(&self, angle: f64) -> [f64; 2] {
        [self.stiffness * (angle - self.rest_angle), self.stiffness]
    }

    /// `dE/dc` and `d²E/dc²` in 3D, with c = cos φ: by way of s = φ², which is smooth where c = 1.
    fn response(&self, angle: f64) -> [f64; 2] {
        let (r, r_rest) = self.roots(angle);
        let ratio = if r_rest > 0.0 { r_rest / r } else { 0.0 };
        let by_s = 0.5 * self.stiffness * (1.0 - ratio);
        let by_ss = if r_rest > 0.0 { 0.25 * self.stiffness * ratio / (r * r) } else { 0.0 };
        let [s1, s2] = square_of_angle(angle);
        [by_s * s1, by_ss * s1 * s1 + by_s * s2]
    }

    /// `√(φ² + ε²φ̄²)` and `√(1 + ε²) φ̄`.
    fn roots(&self, angle: f64) -> (f64, f64) {
        (angle.hypot(ROUNDED * self.rest_angle), 1.0_f64.hypot(ROUNDED) * self.rest_angle)
    }

    /// Derivatives of φ (2D) or c (3D), and of `E` by it.
    fn parts(&self, x: &[Vector<D>; 3]) -> (Derivatives<D>, [f64; 2]) {
        let [u, v] = [x[1] - x[0], x[2] - x[1]];
        let angle = Self::angle(x);
        if D == 2 {
            (of_angle(u, v), self.flat_response(angle))
        } else {
            (of_cosine(u, v), self.response(angle))
        }
    }
}

/// First and second derivative of φ² by cos φ: −2φ/sin φ and 2 (sin φ − φ cos φ)/sin³φ, from their series where φ is small.
fn square_of_angle(angle: f64) -> [f64; 2] {
    if angle < 1e-2 {
        let s = angle * angle;
        return [-2.0 - s / 3.0 - 7.0 * s * s / 180.0, 2.0 / 3.0 + 4.0 * s / 15.0 + 4.0 * s * s / 63.0];
    }
    let sine = angle.sin().max(SMALLEST);
    [-2.0 * angle / sine, 2.0 * (angle.sin() - angle * angle.cos()) / sine.powi(3)]
}

/// Derivatives of the angle from u to v in 2D: the direction of v less that of u.
fn of_angle<const D: usize>(u: Vector<D>, v: Vector<D>) -> Derivatives<D> {
    let slope = |v: Vector<D>| turn(v) * (1.0 / v.norm_squared().max(f64::MIN_POSITIVE));
    let curvature = |v: Vector<D>| {
        let mixed = slope(v).outer(v);
        (mixed + mixed.transpose()) * (-1.0 / v.norm_squared().max(f64::MIN_POSITIVE))
    };
    Derivatives {
        first: [-slope(u), slope(v)],
        second: [[curvature(u) * -1.0, Matrix::ZERO], [Matrix::ZERO, curvature(v)]],
    }
}

/// Derivatives of the cosine of the angle between u and v.
///
/// ```text
/// ∂c/∂u = p/|u|        p = v̂ − c û                     ∂²c/∂u∂v = (I − v̂v̂ᵀ − û qᵀ)/|u||v|
/// ∂c/∂v = q/|v|        q = û − c v̂                     ∂²c/∂u∂u = −(p ûᵀ + û pᵀ + c (I − ûûᵀ))/|u|²
/// ```
fn of_cosine<const D: usize>(u: Vector<D>, v: Vector<D>) -> Derivatives<D> {
    let [a, b] = [u, v].map(|u| 1.0 / u.norm().max(f64::MIN_POSITIVE.sqrt()));
    let [u, v] = [u * a, v * b];
    let c = u.dot(v);
    let (p, q) = (v - u * c, u - v * c);
    let one = Matrix::scalar(1.0);
    let same = |u: Vector<D>, p: Vector<D>| p.outer(u) + u.outer(p) + (one - u.outer(u)) * c;
    let mixed = (one - v.outer(v) - u.outer(q)) * (a * b);
    Derivatives {
        first: [p * a, q * b],
        second: [[same(u, p) * (-a * a), mixed], [mixed.transpose(), same(v, q) * (-b * b)]],
    }
}

impl<const D: usize> Element<D, 3> for Bend<D> {
    fn stencil(&self) -> Stencil<3> {
        self.stencil
    }

    fn energy(&self, x: &[Vector<D>; 3]) -> f64 {
        let angle = Self::angle(x);
        let turned = if D == 2 {
            angle - self.rest_angle
        } else {
            let (r, r_rest) = self.roots(angle);
            r - r_rest
        };
        0.5 * self.stiffness * turned * turned
    }

    fn gradient(&self, x: &[Vector<D>; 3]) -> [Vector<D>; 3] {
        let (of, [slope, _]) = self.parts(x);
        of_vertices(of.first).map(|g| g * slope)
    }

    fn hessian(&self, x: &[Vector<D>; 3], psd: Psd) -> [[Matrix<D>; 3]; 3] {
        let (of, [slope, bend]) = self.parts(x);
        let g = of_vertices(of.first);
        if psd == Psd::GaussNewton {
            let bend = bend.max(0.0);
            return from_fn(|i| from_fn(|j| g[i].outer(g[j]) * bend));
        }
        // Weights of the vertices in u and v.
        let weights = [[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]];
        let mut h = from_fn(|i| from_fn(|j| g[i].outer(g[j]) * bend));
        for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
            for (p, q) in (0..4).map(|k| (k / 2, k % 2)) {
                h[i][j] += of.second[p][q] * (slope * weights[i][p] * weights[j][q]);
            }
        }
        project(&h, psd)
    }
}

/// Derivatives by the vertices from those by u and v.
fn of_vertices<const D: usize>([u, v]: [Vector<D>; 2]) -> [Vector<D>; 3] {
    [-u, u - v, v]
}
