//! Bending of a sheet at an edge between two triangles.

use std::array::from_fn;

use stiction::distance::Psd;
use stiction::math::vector::cross;
use stiction::math::{Matrix, Vector};
use stiction::stencil::Stencil;

use super::Element;

/// Two triangles in 3D that share an edge: vertices (e₀, e₁, a, b), the edge first, then what is opposite to it on both sides.
///
/// ```text
/// E = ½ k (θ − θ̄)²        k = B |ē|²/(A₁ + A₂)  [J]        θ = atan2(e·(m × n)/|e|, m·n)
/// m = e × (a − e₀)        n = (b − e₀) × e                e = e₁ − e₀
/// ∂θ/∂a = −|e| m/|m|²     ∂θ/∂b = −|e| n/|n|²             ∂θ/∂e₁ = −α ∂θ/∂a − β ∂θ/∂b
/// ```
/// with the bending stiffness `B` of the sheet [N m], length of the edge and areas at rest, θ̄ = θ at rest, and α, β the coordinates on the edge of
/// the feet of `a` and `b`; ∂θ/∂e₀ is what makes the sum 0. Valid for |θ| < π: contact keeps sheets from folding through themselves.
///
/// The factor of `k` is such that a sheet bent to a cylinder has the energy ½ B/R² by area: exactly for meshes of regular triangles, in every
/// direction, and for grids along their lines; grids whose diagonals alternate are up to 1.5 times as stiff across the diagonals. An angle at an edge
/// knows no Poisson's ratio: where bending in the other direction is free, a strip is 8/9 B stiff on regular triangles and 5/6 B on such grids, whatever
/// the material (a plate: (1 − ν²) B). References: \[Grinspun2003\], \[Seung1988\] for the factor.
///
/// The exact Hessian has negative eigenvalues wherever θ ≠ θ̄ (`a` has no stiffness along its triangle, yet is coupled), so a projection would always
/// have to decompose it: a quarter of the time of a step of cloth, for no fewer iterations. Every projection keeps k ∇θ∇θᵀ instead. A triangle without area has no angle and no force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge<const D: usize> {
    /// Its vertices.
    pub stencil: Stencil<4>,
    /// `k` in J.
    pub stiffness: f64,
    /// `θ̄`.
    pub rest_angle: f64,
}

/// What angle and derivatives are made of.
struct Fold<const D: usize> {
    e: Vector<D>,
    a: Vector<D>,
    b: Vector<D>,
    m: Vector<D>,
    n: Vector<D>,
}

impl<const D: usize> Hinge<D> {
    /// The hinge with these vertices at positions `rest`, in a sheet of `bending` stiffness `B` (N m). Its stiffness is not finite if
    /// both triangles have no area: the caller checks.
    ///
    /// # Panics
    /// If `D` is not 3, or a vertex is not in `rest`.
    pub fn new(stencil: Stencil<4>, rest: &[Vector<D>], bending: f64) -> Self {
        assert!(D == 3, "a sheet bends in 3 dimensions");
        let fold = Fold::new(&stencil.gather(rest));
        let areas = 0.5 * (fold.m.norm() + fold.n.norm());
        Self { stencil, stiffness: bending * fold.e.norm_squared() / areas, rest_angle: fold.angle() }
    }

    /// `B = E t³/12 (1 − ν²)` in N m of a sheet of thickness `t` (m).
    pub fn bending_stiffness(young: f64, poisson: f64, thickness: f64) -> f64 {
        young * thickness.powi(3) / (12.0 * (1.0 - poisson * poisson))
    }

    /// `θ` with the vertices at `x`.
    pub fn angle(x: &[Vector<D>; 4]) -> f64 {
        Fold::new(x).angle()
    }
}

impl<const D: usize> Fold<D> {
    #[inline]
    fn new(x: &[Vector<D>; 4]) -> Self {
        let [e, a, b] = from_fn(|k| x[k + 1] - x[0]);
        Self { e, a, b, m: cross(e, a), n: cross(b, e) }
    }

    fn angle(&self) -> f64 {
        cross(self.m, self.n).dot(self.e.normalized()).atan2(self.m.dot(self.n))
    }

    /// `α` and `β`.
    #[inline]
    fn feet(&self) -> [f64; 2] {
        let inverse = 1.0 / self.e.norm_squared().max(f64::MIN_POSITIVE);
        [self.a.dot(self.e) * inverse, self.b.dot(self.e) * inverse]
    }

    /// Derivatives of `θ` by `e`, `a` and `b`.
    #[inline]
    fn slopes(&self) -> [Vector<D>; 3] {
        let [alpha, beta] = self.feet();
        let length = self.e.norm();
        let (by_a, by_b) = (inverse(self.m) * -length, inverse(self.n) * -length);
        [-(by_a * alpha + by_b * beta), by_a, by_b]
    }

    /// Second derivatives of `θ` by `e`, `a` and `b`; `a` and `b` have none in common.
    fn curvature(&self) -> [[Matrix<D>; 3]; 3] {
        let length = self.e.norm();
        let direction = self.e.normalized();
        let one = |m: Vector<D>, by_a: Matrix<D>, by_e: Matrix<D>| {
            let turned = inverse_slope(m) * -length;
            (turned * by_a, turned * by_e - inverse(m).outer(direction))
        };
        let (aa, ae) = one(self.m, Matrix::cross(self.e), Matrix::cross(self.a) * -1.0);
        let (bb, be) = one(self.n, Matrix::cross(self.e) * -1.0, Matrix::cross(self.b));
        let ([alpha, beta], [_, by_a, by_b]) = (self.feet(), self.slopes());
        let moved = |a: Vector<D>, alpha: f64| {
            (a - self.e * (2.0 * alpha)) * (1.0 / self.e.norm_squared().max(f64::MIN_POSITIVE))
        };
        let ee = ae * -alpha - be * beta - by_a.outer(moved(self.a, alpha)) - by_b.outer(moved(self.b, beta));
        let zero = Matrix::ZERO;
        [[ee, ae.transpose(), be.transpose()], [ae, aa, zero], [be, zero, bb]]
    }
}

/// `m/|m|²`; 0 for 0.
#[inline]
fn inverse<const D: usize>(m: Vector<D>) -> Vector<D> {
    m * (1.0 / m.norm_squared().max(f64::MIN_POSITIVE))
}

/// The derivative of `m/|m|²`: (I − 2mmᵀ/|m|²)/|m|²; 0 for 0.
fn inverse_slope<const D: usize>(m: Vector<D>) -> Matrix<D> {
    let square = m.norm_squared();
    if square < f64::MIN_POSITIVE {
        return Matrix::ZERO;
    }
    (Matrix::scalar(1.0) - m.outer(m) * (2.0 / square)) * (1.0 / square)
}

impl<const D: usize> Element<D, 4> for Hinge<D> {
    fn stencil(&self) -> Stencil<4> {
        self.stencil
    }

    fn energy(&self, x: &[Vector<D>; 4]) -> f64 {
        let turned = Self::angle(x) - self.rest_angle;
        0.5 * self.stiffness * turned * turned
    }

    fn gradient(&self, x: &[Vector<D>; 4]) -> [Vector<D>; 4] {
        let fold = Fold::new(x);
        let moment = self.stiffness * (fold.angle() - self.rest_angle);
        of_vertices(fold.slopes()).map(|g| g * moment)
    }

    fn hessian(&self, x: &[Vector<D>; 4], psd: Psd) -> [[Matrix<D>; 4]; 4] {
        let fold = Fold::new(x);
        let slopes = of_vertices(fold.slopes());
        // In place: copies of so many numbers cost more than they do.
        let mut h = [[Matrix::ZERO; 4]; 4];
        for i in 0..4 {
            let weighted = slopes[i] * self.stiffness;
            for j in 0..4 {
                h[i][j] = weighted.outer(slopes[j]);
            }
        }
        if psd != Psd::None {
            return h;
        }
        let moment = self.stiffness * (fold.angle() - self.rest_angle);
        let curvature = fold.curvature();
        // Rows and columns of the first vertex take the others' away.
        let first = |j: usize| curvature[0][j] + curvature[1][j] + curvature[2][j];
        let entry = |i: usize, j: usize| match (i, j) {
            (0, 0) => first(0) + first(1) + first(2),
            (0, j) => first(j - 1) * -1.0,
            (i, 0) => first(i - 1).transpose() * -1.0,
            (i, j) => curvature[i - 1][j - 1],
        };
        for i in 0..4 {
            for j in 0..4 {
                h[i][j] += entry(i, j) * moment;
            }
        }
        h
    }
}

/// Derivatives by the vertices from those by `e`, `a` and `b`.
#[inline]
fn of_vertices<const D: usize>([e, a, b]: [Vector<D>; 3]) -> [Vector<D>; 4] {
    [-(e + a + b), e, a, b]
}
