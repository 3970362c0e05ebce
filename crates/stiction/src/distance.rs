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
//! parallel (edges, slivers). With the vectors `aᵖ` dual to them ([`Span`]),
//! ```text
//! αₚ = −aᵖ·r(x, 0)     G⁻¹ₚᵩ = aᵖ·aᵩ     I − Σ aₚaᵖᵀ = nnᵀ/|n|²  where the aₚ leave one normal n or none
//! ```
//! Where they are parallel to within `16 ε` rad, the pair falls back to the lower-dimensional one: the coordinate of
//! the shorter `aₚ` is held at 0, or both where both are zero. So results are finite for all finite positions of
//! which no fourth power leaves the range of numbers.

// The constants of a pair (mostly zeros and ones) fold only where everything down to the blocks is inlined:
// the exact vertex-face Hessian takes 73 ns so, and 104 ns otherwise.
#![allow(clippy::inline_always)]

use std::array::from_fn;

use crate::math::span::Span;
use crate::math::vector::turn;
use crate::math::{Matrix, Vector, eigen};
use crate::stencil::Pair;

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
}

impl Psd {
    /// What becomes of one eigenvalue.
    #[inline]
    pub fn apply(self, eigenvalue: f64) -> f64 {
        match self {
            Self::None => eigenvalue,
            // Not `max`, which would hide a NaN.
            Self::Clamp => {
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

/// The closest points of a pair of primitives at given positions, solved.
#[derive(Clone, Copy, Debug)]
pub struct Separation<const D: usize, const N: usize> {
    /// `c(α)`: weights of the vertices in `r`.
    pub c: [f64; N],
    /// `r`: from the closest point of the second primitive to that of the first, in m.
    pub r: Vector<D>,
    /// `α`: coordinates of the closest points, see [`Pair`]; zero where there is none.
    pub alpha: [f64; 2],
    /// `Cₚ`.
    directions: [[f64; N]; 2],
    /// How many `Cₚ` count.
    free: usize,
    /// `aₚ`.
    a: [Vector<D>; 2],
    /// `aᵖ`, `G⁻¹` and `n`.
    frame: Frame<D>,
}

/// The vectors dual to the first `free` directions `aₚ`, their products `G⁻¹`, and the normal that they leave.
#[derive(Clone, Copy, Debug)]
struct Frame<const D: usize> {
    /// `aᵖ`; zero where there is no coordinate or it is held.
    dual: [Vector<D>; 2],
    /// `G⁻¹`; likewise.
    g_inverse: [[f64; 2]; 2],
    /// `n`, of any length; zero where the directions leave none (two of them in 2D).
    normal: Vector<D>,
    /// `1/|n|²`; any positive number where there is no normal, 0 where there are several.
    normal_scale: f64,
}

impl<const D: usize> Frame<D> {
    const EMPTY: Self = Self {
        dual: [Vector::ZERO; 2],
        g_inverse: [[0.0; 2]; 2],
        normal: Vector::ZERO,
        normal_scale: 0.0,
    };

    #[inline(always)]
    fn new(a: &[Vector<D>; 2], free: usize) -> Self {
        match free {
            0 => Self::EMPTY,
            1 => Self::of_one(a[0], 0),
            _ => Self::of_two(a),
        }
    }

    /// One direction, that of coordinate `p`.
    #[inline(always)]
    fn of_one(a: Vector<D>, p: usize) -> Self {
        let mut frame = Self::EMPTY;
        let g = a.norm_squared();
        if g > 0.0 {
            frame.g_inverse[p][p] = 1.0 / g;
            frame.dual[p] = a * (1.0 / g);
            if D == 2 {
                (frame.normal, frame.normal_scale) = (turn(a), 1.0 / g);
            }
        }
        frame
    }

    /// The longer of two parallel directions.
    #[inline(always)]
    fn of_longer(a: &[Vector<D>; 2]) -> Self {
        if a[0].norm_squared() >= a[1].norm_squared() { Self::of_one(a[0], 0) } else { Self::of_one(a[1], 1) }
    }

    #[inline(always)]
    fn of_two(a: &[Vector<D>; 2]) -> Self {
        let (g00, g01, g11) = (a[0].norm_squared(), a[0].dot(a[1]), a[1].norm_squared());
        let Some(span) = Span::new(a[0], a[1]) else {
            return Self::of_longer(a);
        };
        let s = 1.0 / span.area2;
        Self {
            dual: span.dual,
            g_inverse: [[g11 * s, -g01 * s], [-g01 * s, g00 * s]],
            normal: span.normal,
            normal_scale: s,
        }
    }
}

/// `Σ cᵢ xᵢ`; zeros are left out, which costs nothing where they are constants.
#[inline(always)]
fn combine<const D: usize, const N: usize>(c: &[f64; N], x: &[Vector<D>; N]) -> Vector<D> {
    let mut sum = Vector::ZERO;
    for i in 0..N {
        if c[i] != 0.0 {
            sum += x[i] * c[i];
        }
    }
    sum
}

impl<const D: usize, const N: usize> Separation<D, N> {
    /// Solves for the closest points of the pair at positions `x`.
    #[inline(always)]
    pub fn new(pair: &Pair<N>, x: &[Vector<D>; N]) -> Self {
        let a = [combine(&pair.directions[0], x), combine(&pair.directions[1], x)];
        let frame = Frame::new(&a, pair.free);
        let r0 = combine(&pair.base, x);
        let (mut c, mut alpha) = (pair.base, [0.0; 2]);
        for p in 0..pair.free {
            alpha[p] = -frame.dual[p].dot(r0);
            for i in 0..N {
                if pair.directions[p][i] != 0.0 {
                    c[i] += alpha[p] * pair.directions[p][i];
                }
            }
        }
        // Along the normal, where there is one at most, however small it is against the r(x, 0) that it is a part of.
        let mut r = r0 + a[0] * alpha[0] + a[1] * alpha[1];
        if frame.normal_scale > 0.0 {
            r = frame.normal * (frame.normal.dot(r0) * frame.normal_scale);
        }
        Self { c, r, alpha, directions: pair.directions, free: pair.free, a, frame }
    }

    /// `d²` in m².
    #[inline]
    pub fn distance_squared(&self) -> f64 {
        self.r.norm_squared()
    }

    /// Gradient of `f(d²)`: `2 f′ cᵢ r`, given `f′`.
    #[inline]
    pub fn gradient(&self, f1: f64) -> [Vector<D>; N] {
        self.c.map(|c| self.r * (2.0 * f1 * c))
    }

    /// Hessian of `f(d²)`, given `f′` and `f″`, with the negative curvature treated as asked.
    #[inline(always)]
    pub fn hessian(&self, f1: f64, f2: f64, psd: Psd) -> [[Matrix<D>; N]; N] {
        if psd == Psd::None { self.exact_hessian(f1, f2) } else { self.projected_hessian(f1, f2, psd) }
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
            return normal
                .outer(normal * ((4.0 * f2 * self.distance_squared() + 2.0 * f1) * normal_scale));
        }
        let mut k = r.outer(r * (4.0 * f2)) + Matrix::scalar(2.0 * f1);
        for p in 0..self.free {
            k += self.a[p].outer(dual[p] * (-2.0 * f1));
        }
        k
    }

    /// The Hessian lives in `span{c⊗eₖ, Cₚ⊗r}`: project it there, in at most 5 dimensions.
    ///
    /// In the orthonormal basis `{ĉ⊗eₖ, êₚ⊗r̂}`, where `êₚ` are the `Cₚ` made orthonormal to `c` and
    /// each other, it is
    /// ```text
    /// S = 4f″|c|² [r;0][r;0]ᵀ + 2f′(|c|² I_D − Σₚᵩ G⁻¹ₚᵩ wₚ wᵩᵀ)
    /// wₚ = [ |c| aₚ + (Cₚ·ĉ) r ;  |r| (Cₚ·ê₁), |r| (Cₚ·ê₂) ]
    /// ```
    fn projected_hessian(&self, f1: f64, f2: f64, psd: Psd) -> [[Matrix<D>; N]; N] {
        let basis = self.orthonormal_basis();
        let small = eigen::map_eigenvalues(self.small_hessian(&basis, f1, f2), D + basis.count, |value| {
            psd.apply(value)
        });
        let k = Matrix(from_fn(|i| from_fn(|j| small[i][j])));
        let b = from_fn(|q| Vector(from_fn(|i| small[i][D + q])));
        let w = from_fn(|p| from_fn(|q| small[D + p][D + q]));
        Form { c: basis.c, directions: basis.e, r: self.r.normalized(), k, b, w }.blocks()
    }

    fn orthonormal_basis(&self) -> Basis<N> {
        let norm = dot(&self.c, &self.c).sqrt();
        let mut basis = Basis { norm, c: self.c.map(|c| c / norm), e: [[0.0; N]; 2], count: 0 };
        for p in 0..self.free {
            let mut e = self.directions[p];
            remove(&mut e, &basis.c);
            for q in 0..basis.count {
                let previous = basis.e[q];
                remove(&mut e, &previous);
            }
            let length = dot(&e, &e).sqrt();
            if length > 1e-12 {
                basis.e[basis.count] = e.map(|value| value / length);
                basis.count += 1;
            }
        }
        basis
    }

    fn small_hessian(&self, basis: &Basis<N>, f1: f64, f2: f64) -> [[f64; 5]; 5] {
        let c2 = basis.norm * basis.norm;
        let d = self.r.norm();
        let mut s = [[0.0; 5]; 5];
        for k in 0..D {
            s[k][k] += 2.0 * f1 * c2;
            for l in 0..D {
                s[k][l] += 4.0 * f2 * c2 * self.r[k] * self.r[l];
            }
        }
        let mut w = [[0.0; 5]; 2];
        for p in 0..self.free {
            let along = dot(&self.directions[p], &basis.c);
            for k in 0..D {
                w[p][k] = basis.norm * self.a[p][k] + along * self.r[k];
            }
            for q in 0..basis.count {
                w[p][D + q] = d * dot(&self.directions[p], &basis.e[q]);
            }
        }
        for (p, row) in self.frame.g_inverse.iter().enumerate() {
            for (q, g) in row.iter().enumerate() {
                for k in 0..D + basis.count {
                    for l in 0..D + basis.count {
                        s[k][l] -= 2.0 * f1 * g * w[p][k] * w[q][l];
                    }
                }
            }
        }
        s
    }
}

/// `|c|`, `ĉ` and the orthonormal `ê` of [`Separation::projected_hessian`].
struct Basis<const N: usize> {
    norm: f64,
    c: [f64; N],
    e: [[f64; N]; 2],
    count: usize,
}

/// What every Hessian here comes down to: one matrix, two vectors and four numbers, spread over the
/// vertices by weights `c` and directions `Cₚ`.
///
/// ```text
/// Hᵢⱼ = cᵢcⱼ K + cⱼ r tᵢᵀ + cᵢ tⱼ rᵀ + wᵢⱼ rrᵀ      tᵢ = Σₚ Cₚᵢ bₚ     wᵢⱼ = Σₚᵩ Cₚᵢ Wₚᵩ Cᵩⱼ
///     = cᵢ Mⱼ + r qᵢⱼᵀ                              Mⱼ = cⱼ K + tⱼ rᵀ     qᵢⱼ = cⱼ tᵢ + wᵢⱼ r
/// ```
/// `K` and `W` are symmetric.
struct Form<const D: usize, const N: usize> {
    c: [f64; N],
    directions: [[f64; N]; 2],
    r: Vector<D>,
    k: Matrix<D>,
    b: [Vector<D>; 2],
    w: [[f64; 2]; 2],
}

impl<const D: usize, const N: usize> Form<D, N> {
    /// All blocks: those with i ≤ j by the second line, the others as their transposes.
    ///
    /// Columns and entries are written out: a loop over them stays a loop, and then the zeros of the
    /// directions cannot fold.
    #[inline(always)]
    fn blocks(&self) -> [[Matrix<D>; N]; N] {
        let mut h = [[Matrix::ZERO; N]; N];
        self.column(0, &mut h);
        self.column(1, &mut h);
        self.column(2, &mut h);
        self.column(3, &mut h);
        h
    }

    #[inline(always)]
    fn column(&self, j: usize, h: &mut [[Matrix<D>; N]; N]) {
        if j < N {
            let m = self.m(j);
            self.entry(0, j, m, h);
            self.entry(1, j, m, h);
            self.entry(2, j, m, h);
            self.entry(3, j, m, h);
        }
    }

    /// `Hᵢⱼ` and its transpose, for i ≤ j.
    #[inline(always)]
    fn entry(&self, i: usize, j: usize, m: Matrix<D>, h: &mut [[Matrix<D>; N]; N]) {
        if i > j {
            return;
        }
        let mut block = m * self.c[i];
        if let Some(t) = self.t(i) {
            block += self.r.outer(t * self.c[j] + self.r * self.w(i, j));
        }
        h[i][j] = block;
        if i < j {
            h[j][i] = block.transpose();
        }
    }

    /// `Mⱼ`.
    #[inline(always)]
    fn m(&self, j: usize) -> Matrix<D> {
        let m = self.k * self.c[j];
        self.t(j).map_or(m, |t| m + t.outer(self.r))
    }

    /// `tᵢ`; nothing for a vertex that no direction touches.
    #[inline(always)]
    fn t(&self, i: usize) -> Option<Vector<D>> {
        let (c0, c1) = (self.directions[0][i], self.directions[1][i]);
        match (c0 == 0.0, c1 == 0.0) {
            (true, true) => None,
            (false, true) => Some(self.b[0] * c0),
            (true, false) => Some(self.b[1] * c1),
            (false, false) => Some(self.b[0] * c0 + self.b[1] * c1),
        }
    }

    /// `wᵢⱼ`.
    #[inline(always)]
    fn w(&self, i: usize, j: usize) -> f64 {
        let mut sum = 0.0;
        for p in 0..2 {
            for q in 0..2 {
                let factor = self.directions[p][i] * self.directions[q][j];
                if factor != 0.0 {
                    sum += factor * self.w[p][q];
                }
            }
        }
        sum
    }
}

#[inline]
fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    Vector(*a).dot(Vector(*b))
}

/// Removes from `e` its part along the unit vector `unit`.
#[inline]
fn remove<const N: usize>(e: &mut [f64; N], unit: &[f64; N]) {
    let along = dot(e, unit);
    for i in 0..N {
        e[i] -= along * unit[i];
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
