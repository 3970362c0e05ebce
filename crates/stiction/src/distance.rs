//! Squared distance between two primitives, and the derivatives of any function of it.
//!
//! One formula serves every pair in every dimension. With `r(x, α) = Σ cᵢ(α) xᵢ` as in [`Pair`],
//! ```text
//! d²(x) = min_α |r|²     aₚ = ∂r/∂αₚ     Gₚᵩ = aₚ·aᵩ     α = −G⁻¹ [aₚ·r(x, 0)]
//! ∂d²/∂xᵢ = 2 cᵢ r
//! ∇²d²    = 2 ccᵀ⊗I − Fᵀ(2G)⁻¹F          Fₚ = 2(Cₚ⊗r + c⊗aₚ)
//! ```
//! Units: positions in m, d² in m². Distances are to the lines and planes through the primitives;
//! `closest` says which pair to use. Where `G` is singular (parallel edges, a face without area) the
//! results are not finite: `closest` never asks for such a pair. [Li2020]

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
            Self::Clamp => eigenvalue.max(0.0),
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
    /// `Cₚ`.
    directions: [[f64; N]; 2],
    /// How many `Cₚ` count.
    free: usize,
    /// `aₚ`.
    a: [Vector<D>; 2],
    /// `G⁻¹`; zero where there is no coordinate.
    g_inverse: [[f64; 2]; 2],
}

/// `Σ cᵢ xᵢ`.
#[inline]
fn combine<const D: usize, const N: usize>(c: &[f64; N], x: &[Vector<D>; N]) -> Vector<D> {
    let mut sum = Vector::ZERO;
    for i in 0..N {
        sum += x[i] * c[i];
    }
    sum
}

/// `G⁻¹` for the first `free` directions, zero elsewhere.
#[inline]
fn invert_gram<const D: usize>(a: &[Vector<D>; 2], free: usize) -> [[f64; 2]; 2] {
    let g00 = a[0].norm_squared();
    match free {
        0 => [[0.0; 2]; 2],
        1 => [[1.0 / g00, 0.0], [0.0, 0.0]],
        _ => {
            let (g01, g11) = (a[0].dot(a[1]), a[1].norm_squared());
            let s = 1.0 / (g00 * g11 - g01 * g01);
            [[g11 * s, -g01 * s], [-g01 * s, g00 * s]]
        }
    }
}

impl<const D: usize, const N: usize> Separation<D, N> {
    /// Solves for the closest points of the pair at positions `x`.
    #[inline]
    pub fn new(pair: &Pair<N>, x: &[Vector<D>; N]) -> Self {
        let a = [combine(&pair.directions[0], x), combine(&pair.directions[1], x)];
        let g_inverse = invert_gram(&a, pair.free);
        let r0 = combine(&pair.base, x);
        let b = [a[0].dot(r0), a[1].dot(r0)];
        let mut c = pair.base;
        for p in 0..pair.free {
            let alpha = -(g_inverse[p][0] * b[0] + g_inverse[p][1] * b[1]);
            for i in 0..N {
                c[i] += alpha * pair.directions[p][i];
            }
        }
        Self { c, r: combine(&c, x), directions: pair.directions, free: pair.free, a, g_inverse }
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
    #[inline]
    pub fn hessian(&self, f1: f64, f2: f64, psd: Psd) -> [[Matrix<D>; N]; N] {
        if psd == Psd::None { self.exact_hessian(f1, f2) } else { self.projected_hessian(f1, f2, psd) }
    }

    /// ```text
    /// Hᵢⱼ = cᵢcⱼ(4f″ rrᵀ + 2f′ I + Σₚ aₚbₚᵀ) + cⱼ r tᵢᵀ + cᵢ tⱼ rᵀ + (Σₚᵩ Cₚᵢ Wₚᵩ Cᵩⱼ) rrᵀ
    /// W = −2f′G⁻¹     bₚ = Σᵩ Wₚᵩ aᵩ     tᵢ = Σₚ Cₚᵢ bₚ
    /// ```
    #[inline]
    fn exact_hessian(&self, f1: f64, f2: f64) -> [[Matrix<D>; N]; N] {
        let r = self.r;
        let rr = r.outer(r);
        let w = self.g_inverse.map(|row| row.map(|g| -2.0 * f1 * g));
        let b: [Vector<D>; 2] = std::array::from_fn(|p| self.a[0] * w[p][0] + self.a[1] * w[p][1]);
        let mut core = rr * (4.0 * f2) + Matrix::scalar(2.0 * f1);
        for p in 0..self.free {
            core += self.a[p].outer(b[p]);
        }
        let t: [Vector<D>; N] = std::array::from_fn(|i| {
            (0..self.free).fold(Vector::ZERO, |sum, p| sum + b[p] * self.directions[p][i])
        });
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let (ci, cj) = (self.c[i], self.c[j]);
                let mut wij = 0.0;
                for p in 0..self.free {
                    for q in 0..self.free {
                        wij += self.directions[p][i] * w[p][q] * self.directions[q][j];
                    }
                }
                // Row k, column l; written out so that nothing but the result is stored.
                Matrix(std::array::from_fn(|k| {
                    std::array::from_fn(|l| {
                        ci * cj * core.0[k][l] + cj * t[i][l] * r[k] + ci * t[j][k] * r[l] + wij * rr.0[k][l]
                    })
                }))
            })
        })
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
        let r_hat = self.r.normalized();
        std::array::from_fn(|i| std::array::from_fn(|j| basis.expand(&small, r_hat, i, j)))
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
        for (p, row) in self.g_inverse.iter().enumerate() {
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

impl<const N: usize> Basis<N> {
    /// Block (i, j) of the full matrix whose form in the small space is `s`.
    fn expand<const D: usize>(&self, s: &[[f64; 5]; 5], r_hat: Vector<D>, i: usize, j: usize) -> Matrix<D> {
        let mut block =
            Matrix(std::array::from_fn(|k| std::array::from_fn(|l| s[k][l] * self.c[i] * self.c[j])));
        for q in 0..self.count {
            let column = Vector::<D>(std::array::from_fn(|k| s[k][D + q]));
            block += column.outer(r_hat) * (self.c[i] * self.e[q][j]);
            block += r_hat.outer(column) * (self.e[q][i] * self.c[j]);
            for p in 0..self.count {
                block += r_hat.outer(r_hat) * (self.e[p][i] * self.e[q][j] * s[D + p][D + q]);
            }
        }
        block
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
