//! Squared distance between two primitives, and the derivatives of any function of it.
//!
//! One formula serves every pair in every dimension. With `r(x, α) = Σ cᵢ(α) xᵢ` as in [`Pair`],
//! ```text
//! d²(x) = min_α |r|²     aₚ = ∂r/∂αₚ     Gₚᵩ = aₚ·aᵩ     α = −G⁻¹ [aₚ·r(x, 0)]
//! ∂d²/∂xᵢ = 2 cᵢ r
//! ∇²d²    = 2 ccᵀ⊗I − Fᵀ(2G)⁻¹F          Fₚ = 2(Cₚ⊗r + c⊗aₚ)
//! ```
//! Units: positions in m, d² in m². Distances are to the lines and planes through the primitives;
//! `closest` says which pair to use. \[Li2020\]
//!
//! `G` is never inverted by its determinant of dot products, which has no digits left where the `aₚ` are nearly
//! parallel (edges, slivers). With the vectors `aᵖ` dual to them ([`Span`](crate::math::span::Span)),
//! ```text
//! αₚ = −aᵖ·r(x, 0)     G⁻¹ₚᵩ = aᵖ·aᵩ     I − Σ aₚaᵖᵀ = nnᵀ/|n|²  where the aₚ leave one normal n or none
//! ```
//! Where they are parallel to within `16 ε` rad, the pair falls back to the lower-dimensional one: the coordinate of
//! the shorter `aₚ` is held at 0, or both where both are zero. So results are finite for all finite positions of
//! which no fourth power leaves the range of numbers.

// The constants of a pair (mostly zeros and ones) fold only where everything down to the blocks is inlined:
// the exact vertex-face Hessian takes 73 ns so, and 104 ns otherwise.
#![allow(clippy::inline_always)]

mod frame;
mod form;
mod project;
mod secular;

use std::array::from_fn;

use crate::math::{Matrix, Vector};
use crate::stencil::Pair;
use form::Form;
use frame::{Closest, Frame};

/// What to do with the negative curvature of a Hessian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Psd {
    /// Keep it: the exact Hessian.
    None,
    /// Replace negative eigenvalues by zero: the nearest positive semi-definite matrix.
    #[default]
    Clamp,
    /// Replace eigenvalues by their absolute values.
    Abs,
    /// Keep only first derivatives of the distance, `max(0, d²f/dd²) ∇d∇dᵀ`: what is left where closest points and the
    /// normal are held fixed, without negative curvature. Cheapest; its Newton steps ignore that contacts turn.
    GaussNewton,
}

impl Psd {
    /// What becomes of one eigenvalue.
    #[inline]
    pub fn apply(self, eigenvalue: f64) -> f64 {
        match self {
            Self::None => eigenvalue,
            // Not `max`, which would hide a NaN.
            Self::Clamp | Self::GaussNewton => {
                if eigenvalue < 0.0 {
                    0.0
                } else {
                    eigenvalue
                }
            }
            Self::Abs => eigenvalue.abs(),
        }
    }
}

/// How a Hessian is added to a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    /// The factor, without a unit.
    pub scale: f64,
    /// What becomes of negative curvature.
    pub psd: Psd,
}

/// The closest points of a pair of primitives at given positions, solved.
#[derive(Clone, Copy, Debug)]
pub struct Separation<const D: usize, const N: usize> {
    /// `c(α)`: weights of the vertices in `r`.
    pub c: [f64; N],
    /// `r`: from the closest point of the second primitive to that of the first, in m.
    pub r: Vector<D>,
    /// `α`: coordinates of the closest points, see [`Pair`]; zero where there is none.
    pub alpha: [f64; 2],
    /// `d²`.
    d2: f64,
    /// `Cₚ`.
    directions: [[f64; N]; 2],
    /// How many `Cₚ` count.
    free: usize,
    /// `aₚ`.
    a: [Vector<D>; 2],
    /// `aᵖ`, `G⁻¹` and `n`.
    frame: Frame<D>,
}

/// `Σ cᵢ xᵢ`; zeros are left out, which costs nothing where they are constants.
#[inline(always)]
fn combine<const D: usize, const N: usize>(c: &[f64; N], x: &[Vector<D>; N]) -> Vector<D> {
    let mut sum = None;
    for i in 0..N {
        if c[i] != 0.0 {
            let term = x[i] * c[i];
            sum = Some(sum.map_or(term, |sum| sum + term));
        }
    }
    sum.unwrap_or(Vector::ZERO)
}

impl<const D: usize, const N: usize> Separation<D, N> {
    /// Solves for the closest points of the pair at positions `x`.
    #[inline(always)]
    pub fn new(pair: &Pair<N>, x: &[Vector<D>; N]) -> Self {
        let a = [combine(&pair.directions[0], x), combine(&pair.directions[1], x)];
        let Closest { alpha, r, d2, frame } = Closest::new(&a, combine(&pair.base, x), pair.free);
        let mut c = pair.base;
        for p in 0..pair.free {
            for i in 0..N {
                if pair.directions[p][i] != 0.0 {
                    c[i] += alpha[p] * pair.directions[p][i];
                }
            }
        }
        Self { c, r, alpha, d2, directions: pair.directions, free: pair.free, a, frame }
    }

    /// The unit normal that the `aₚ` leave: `a₀ × a₁` in 3D, `a₀` turned by 90° in 2D; nothing where there are several.
    pub(crate) fn oriented_normal(&self) -> Option<Vector<D>> {
        let normal = self.frame.normal.normalized();
        (normal != Vector::ZERO).then_some(normal)
    }

    /// `d²` in m².
    #[inline]
    pub fn distance_squared(&self) -> f64 {
        self.d2
    }

    /// Gradient of `f(d²)`: `2 f′ cᵢ r`, given `f′`.
    #[inline]
    pub fn gradient(&self, f1: f64) -> [Vector<D>; N] {
        self.c.map(|c| self.r * (2.0 * f1 * c))
    }

    /// `d` in m.
    #[inline]
    pub fn distance(&self) -> f64 {
        self.d2.sqrt()
    }

    /// `r̂`: the direction of `r`; where `r` is zero, that of the normal to the `aₚ`, and zero where there are several.
    #[inline]
    pub fn normal(&self) -> Vector<D> {
        let unit = self.r.normalized();
        if unit == Vector::ZERO { self.frame.normal.normalized() } else { unit }
    }

    /// `∂r̂/∂xᵢ`, in 1/m.
    ///
    /// ```text
    /// ∂r̂/∂xᵢ = cᵢ (I − Σₚ aₚaᵖᵀ − r̂r̂ᵀ)/d − Σₚ Cₚᵢ aᵖ r̂ᵀ
    /// ```
    /// The first term is zero where there is one normal only: a vertex and a line in 2D, a vertex and a plane, two lines in
    /// 3D. Otherwise it is left out where `d = 0`: there is no derivative.
    #[inline]
    pub fn normal_jacobian(&self) -> [Matrix<D>; N] {
        self.jacobian_of(self.normal())
    }

    /// [`normal_jacobian`](Self::normal_jacobian) for a unit normal of either sign.
    #[inline]
    pub(crate) fn jacobian_of(&self, unit: Vector<D>) -> [Matrix<D>; N] {
        let across = self.across(unit);
        from_fn(|i| {
            let turned = (0..2).fold(Vector::ZERO, |sum, p| sum + self.frame.dual[p] * self.directions[p][i]);
            across * self.c[i] - turned.outer(unit)
        })
    }

    /// `(I − Σ aₚaᵖᵀ − r̂r̂ᵀ)/d`, zero where `d = 0` or there is one normal only.
    #[inline]
    fn across(&self, unit: Vector<D>) -> Matrix<D> {
        let d = self.distance();
        if self.frame.normal_scale > 0.0 || d == 0.0 {
            return Matrix::ZERO;
        }
        let [t0, t1] = self.tangents();
        (Matrix::scalar(1.0) - unit.outer(unit) - t0.outer(t0) - t1.outer(t1)) * (1.0 / d)
    }

    /// `∂αₚ/∂xᵢ`, in 1/m; zero for coordinates that there are not.
    ///
    /// ```text
    /// ∂αₚ/∂xᵢ = −cᵢ aᵖ − (Σᵩ G⁻¹ₚᵩ Cᵩᵢ) r
    /// ```
    #[inline]
    pub fn alpha_jacobian(&self) -> [[Vector<D>; N]; 2] {
        let g = &self.frame.g_inverse;
        from_fn(|p| {
            from_fn(|i| {
                let slope = g[p][0] * self.directions[0][i] + g[p][1] * self.directions[1][i];
                -(self.frame.dual[p] * self.c[i]) - self.r * slope
            })
        })
    }

    /// Gradient of the distance along a unit normal of either sign, `cᵢ n`.
    pub(crate) fn along(&self, unit: Vector<D>) -> [Vector<D>; N] {
        self.c.map(|c| unit * c)
    }

    /// Hessian of the distance along a unit normal of either sign, in 1/m: [`Form`] with
    /// ```text
    /// K = (I − Σ aₚaᵖᵀ − nnᵀ)/d     W = −(n·r) G⁻¹     bₚ = −aᵖ
    /// ```
    pub(crate) fn bend(&self, unit: Vector<D>) -> [[Matrix<D>; N]; N] {
        let (Frame { dual, g_inverse, .. }, signed) = (self.frame, unit.dot(self.r));
        let w = g_inverse.map(|row| row.map(|g| -signed * g));
        let (k, b) = (self.across(unit), dual.map(|a| -a));
        Form { c: self.c, directions: self.directions, r: unit, k, b, w }.blocks()
    }

    /// Hessian of `f(d²)`, given `f′` and `f″`, with the negative curvature treated as asked.
    #[inline(always)]
    pub fn hessian(&self, f1: f64, f2: f64, psd: Psd) -> [[Matrix<D>; N]; N] {
        match psd {
            Psd::None => self.exact_hessian(f1, f2),
            Psd::Clamp | Psd::Abs => self.projected_hessian(f1, f2, psd),
            Psd::GaussNewton => self.gauss_newton_hessian(f1, f2),
        }
    }

    /// [`Form`] with
    /// ```text
    /// K = 4f″ rrᵀ + 2f′ (I − Σₚ aₚaᵖᵀ)     W = −2f′G⁻¹     bₚ = −2f′ aᵖ
    /// ```
    #[inline(always)]
    fn exact_hessian(&self, f1: f64, f2: f64) -> [[Matrix<D>; N]; N] {
        let (Frame { dual, g_inverse, .. }, r) = (self.frame, self.r);
        let w = g_inverse.map(|row| row.map(|g| -2.0 * f1 * g));
        let b = dual.map(|a| a * (-2.0 * f1));
        Form { c: self.c, directions: self.directions, r, k: self.normal_curvature(f1, f2), b, w }.blocks()
    }

    /// `K` of [`exact_hessian`](Self::exact_hessian).
    #[inline(always)]
    fn normal_curvature(&self, f1: f64, f2: f64) -> Matrix<D> {
        let (Frame { dual, normal, normal_scale, .. }, r) = (self.frame, self.r);
        if normal_scale > 0.0 {
            return normal.outer(normal * ((4.0 * f2 * self.distance_squared() + 2.0 * f1) * normal_scale));
        }
        let mut k = r.outer(r * (4.0 * f2)) + Matrix::scalar(2.0 * f1);
        for p in 0..self.free {
            k += self.a[p].outer(dual[p] * (-2.0 * f1));
        }
        k
    }

    /// `max(0, 4f″d² + 2f′) ccᵀ⊗r̂r̂ᵀ`.
    #[inline(always)]
    fn gauss_newton_hessian(&self, f1: f64, f2: f64) -> [[Matrix<D>; N]; N] {
        let curvature = Psd::GaussNewton.apply(4.0 * f2 * self.distance_squared() + 2.0 * f1);
        let unit = self.normal();
        let k = unit.outer(unit * curvature);
        let none = [[0.0; N]; 2];
        Form { c: self.c, directions: none, r: unit, k, b: [Vector::ZERO; 2], w: [[0.0; 2]; 2] }.blocks()
    }
}

/// Squared distance between the pair's primitives, in m².
#[inline]
pub fn distance_squared<const D: usize, const N: usize>(pair: &Pair<N>, x: &[Vector<D>; N]) -> f64 {
    Separation::new(pair, x).distance_squared()
}

/// Gradient of [`distance_squared`], in m.
#[inline]
pub fn gradient<const D: usize, const N: usize>(pair: &Pair<N>, x: &[Vector<D>; N]) -> [Vector<D>; N] {
    Separation::new(pair, x).gradient(1.0)
}

/// Hessian of [`distance_squared`], without unit.
#[inline]
pub fn hessian<const D: usize, const N: usize>(pair: &Pair<N>, x: &[Vector<D>; N]) -> [[Matrix<D>; N]; N] {
    Separation::new(pair, x).hessian(1.0, 0.0, Psd::None)
}

/// Distance between the pair's primitives, in m.
#[inline]
pub fn distance<const D: usize, const N: usize>(pair: &Pair<N>, x: &[Vector<D>; N]) -> f64 {
    Separation::new(pair, x).distance()
}

/// Gradient of [`distance`], without unit: `∂d/∂xᵢ = cᵢ r̂`, with [`Separation::normal`] for `r̂`.
pub fn distance_gradient<const D: usize, const N: usize>(
    pair: &Pair<N>,
    x: &[Vector<D>; N],
) -> [Vector<D>; N] {
    let separation = Separation::new(pair, x);
    separation.along(separation.normal())
}

/// Hessian of [`distance`], in 1/m; where `d = 0` and there is more than one normal, there is none, and the part that
/// grows like `1/d` is left out.
pub fn distance_hessian<const D: usize, const N: usize>(
    pair: &Pair<N>,
    x: &[Vector<D>; N],
) -> [[Matrix<D>; N]; N] {
    let separation = Separation::new(pair, x);
    separation.bend(separation.normal())
}
