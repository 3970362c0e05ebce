//! Bending of a rod at a vertex between two segments.

use std::array::from_fn;
use std::f64::consts::FRAC_1_SQRT_2;

use stiction::distance::Psd;
use stiction::math::vector::{cross, flat_cross, turn};
use stiction::math::{Matrix, Vector};
use stiction::stencil::Stencil;

use super::Element;
use crate::material::svd::perpendicular;

/// Rest angles below this count as straight.
const STRAIGHT: f64 = 1e-8;

/// How far the kink of a curved rod at straight is rounded off, relative to the angle at rest.
const ROUNDED: f64 = 0.1;

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
/// By relative motion of the segments, in parts along them (`e`), in the direction in which they turn (`t`) and along the normal (`n`) of their plane,
///
/// ```text
/// du = |u| (e₁ û + t₁ û⊥ + n₁ n)        dv = |v| (e₂ v̂ + t₂ v̂⊥ + n₂ n)        M = dE/dφ        k = d²E/dφ²
/// d²E = k (t₂ − t₁)² + 2M (e₁t₁ − e₂t₂) + M cot φ (n₁² + n₂²) − 2M/sin φ n₁n₂
/// ```
/// so its eigenvalues are k ± √(k² + M²), ±M, M cot(φ/2) and −M tan(φ/2): projections treat these. `Psd::GaussNewton` keeps k ∇φ∇φᵀ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend<const D: usize> {
    /// Its vertices.
    pub stencil: Stencil<3>,
    /// `k` in J.
    pub stiffness: f64,
    /// `φ̄`.
    pub rest_angle: f64,
}

/// A bend at positions: frames of its segments, and first and second derivative of the energy by the angle.
struct Shape<const D: usize> {
    /// `1/|u|` and `1/|v|`.
    inverse: [f64; 2],
    /// Directions along the segments.
    along: [Vector<D>; 2],
    /// Directions in which they turn with growing φ.
    across: [Vector<D>; 2],
    /// `n`; zero in 2D.
    normal: Vector<D>,
    /// `φ`.
    angle: f64,
    /// `M/φ` in 3D.
    secant: f64,
    /// `M = dE/dφ`.
    moment: f64,
    /// `k = d²E/dφ²`.
    stiffness: f64,
}

/// An eigenvalue of the Hessian by relative motion of the segments, and its vector by u and v.
type Mode<const D: usize> = (f64, [Vector<D>; 2]);

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

    /// `√(φ² + ε²φ̄²)` and `√(1 + ε²) φ̄`.
    fn roots(&self, angle: f64) -> (f64, f64) {
        (angle.hypot(ROUNDED * self.rest_angle), 1.0_f64.hypot(ROUNDED) * self.rest_angle)
    }

    fn shape(&self, x: &[Vector<D>; 3]) -> Shape<D> {
        let edges = [x[1] - x[0], x[2] - x[1]];
        let inverse = edges.map(|u| 1.0 / u.norm().max(f64::MIN_POSITIVE.sqrt()));
        let along: [Vector<D>; 2] = from_fn(|k| edges[k] * inverse[k]);
        let angle = Self::angle(x);
        let [secant, moment, stiffness] = self.response(angle);
        // Where the bend is straight any plane will do: it is as stiff in all of them.
        let normal =
            if D == 2 { Vector::ZERO } else { perpendicular(cross(along[0], along[1]), &along[..1]) };
        let across = along.map(|u| if D == 2 { turn(u) } else { cross(normal, u) });
        Shape { inverse, along, across, normal, angle, secant, moment, stiffness }
    }

    /// `M/φ` (3D), `M` and `k`.
    fn response(&self, angle: f64) -> [f64; 3] {
        if D == 2 {
            return [0.0, self.stiffness * (angle - self.rest_angle), self.stiffness];
        }
        let (r, r_rest) = self.roots(angle);
        let ratio = if r_rest > 0.0 { r_rest / r } else { 0.0 };
        let secant = self.stiffness * (1.0 - ratio);
        let beyond = if r_rest > 0.0 { self.stiffness * ratio * (angle / r) * (angle / r) } else { 0.0 };
        [secant, secant * angle, secant + beyond]
    }
}

impl<const D: usize> Shape<D> {
    /// Derivatives of φ by u and v.
    fn slopes(&self) -> [Vector<D>; 2] {
        [self.across[0] * -self.inverse[0], self.across[1] * self.inverse[1]]
    }

    /// The vector of a motion: parts of both segments along themselves, and in the direction in which they turn.
    fn vector(&self, along: [f64; 2], across: [f64; 2]) -> [Vector<D>; 2] {
        from_fn(|k| (self.along[k] * along[k] + self.across[k] * across[k]) * self.inverse[k])
    }

    /// The modes in the plane, by pairs: each pair is a 2 × 2 matrix of a turn and a stretch.
    fn modes_in_plane(&self) -> [Mode<D>; 4] {
        let (k, m) = (self.stiffness, self.moment);
        let root = k.hypot(m);
        // The larger root without cancellation, the other from the product −M².
        let large = k + root.copysign(k);
        let small = if large == 0.0 { 0.0 } else { -m * m / large };
        let bent = |value: f64, turn: f64, stretch: f64| {
            let unit = FRAC_1_SQRT_2 / turn.hypot(stretch).max(f64::MIN_POSITIVE);
            let (turn, stretch) = (turn * unit, stretch * unit);
            (value, self.vector([stretch; 2], [-turn, turn]))
        };
        [
            bent(large, large, -m),
            bent(small, m, large),
            (-m, self.vector([-0.5, 0.5], [0.5, 0.5])),
            (m, self.vector([0.5, -0.5], [0.5, 0.5])),
        ]
    }

    /// The modes across the plane, in 3D: both segments turn to the same side, or to different ones.
    fn modes_across(&self) -> [Mode<D>; 2] {
        // At π this is large and a number, as no number is π.
        let tangent = (0.5 * self.angle).tan();
        let ratio = if self.angle > 0.0 { self.angle / tangent } else { 2.0 };
        let [u, v] = self.inverse.map(|inverse| self.normal * (inverse * FRAC_1_SQRT_2));
        [(-self.moment * tangent, [u, v]), (self.secant * ratio, [-u, v])]
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
        let shape = self.shape(x);
        of_vertices(shape.slopes()).map(|g| g * shape.moment)
    }

    fn hessian(&self, x: &[Vector<D>; 3], psd: Psd) -> [[Matrix<D>; 3]; 3] {
        let shape = self.shape(x);
        let mut h = [[Matrix::ZERO; 3]; 3];
        if psd == Psd::GaussNewton {
            add(&mut h, psd.apply(shape.stiffness), shape.slopes());
            return h;
        }
        for (value, mode) in shape.modes_in_plane() {
            add(&mut h, psd.apply(value), mode);
        }
        if D == 3 {
            for (value, mode) in shape.modes_across() {
                add(&mut h, psd.apply(value), mode);
            }
        }
        h
    }
}

/// Adds a mode.
#[inline]
fn add<const D: usize>(h: &mut [[Matrix<D>; 3]; 3], value: f64, mode: [Vector<D>; 2]) {
    if value == 0.0 {
        return;
    }
    let mode = of_vertices(mode);
    for i in 0..3 {
        let weighted = mode[i] * value;
        for j in 0..3 {
            h[i][j] += weighted.outer(mode[j]);
        }
    }
}

/// Derivatives by the vertices from those by u and v.
#[inline]
fn of_vertices<const D: usize>([u, v]: [Vector<D>; 2]) -> [Vector<D>; 3] {
    [-u, u - v, v]
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// A rod that is nearly folded back gives way across its plane the more the less is missing.
    #[test]
    fn folded_rods_give_way_across_their_plane() {
        let rest = [[-1.0, 0.0, 0.0], [0.0; 3], [1.0, 0.0, 0.0]].map(Vector);
        let bend = Bend::new(Stencil([0, 1, 2]), &rest, 3.0);
        let folded = |missing: f64| {
            let end = Vector([-missing.cos(), missing.sin(), 0.0]);
            [rest[0], rest[1], end]
        };
        let form_along = |h: &[[Matrix<3>; 3]; 3], axis: usize| -> f64 {
            let way = [-Vector::<3>::axis(axis), Vector::ZERO, Vector::axis(axis)];
            (0..3).map(|i| (0..3).map(|j| way[i].dot(h[i][j] * way[j])).sum::<f64>()).sum()
        };
        let form = |h: &[[Matrix<3>; 3]; 3]| form_along(h, 2);
        for missing in [1.0, 1e-2, 1e-4, 1e-6, 1e-8] {
            let h = bend.hessian(&folded(missing), Psd::None);
            let expected = -2.0 * bend.stiffness * (PI - missing) / (0.5 * missing).tan();
            assert!((form(&h) / expected - 1.0).abs() < 1e-6, "{missing}: {} for {expected}", form(&h));
        }
        // Folded back wholly, the rod is bent in any plane that holds it: it gives way across that one.
        let h = bend.hessian(&folded(0.0), Psd::None);
        assert!(form_along(&h, 1).min(form(&h)) < -1e12, "{} {}", form_along(&h, 1), form(&h));
        assert!(h.as_flattened().iter().all(|block| block.norm_squared().is_finite()));
        let projected = bend.hessian(&folded(0.0), Psd::Clamp);
        assert!(form(&projected) >= 0.0 && form_along(&projected, 1) >= 0.0);
    }
}
