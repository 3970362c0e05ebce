//! Isotropic materials by their stretches.
//!
//! With `F = U diag(σ) Vᵀ` the energy is a function of the `σ`, and ∂P/∂F has the eigen-matrices (Uᵢ = column i of U, and so on)
//! ```text
//! U diag(w) Vᵀ            w eigenvectors of  Aᵢⱼ = ∂²Ψ/∂σᵢ∂σⱼ
//! (UᵢVⱼᵀ + UⱼVᵢᵀ)/√2      eigenvalue  (ψᵢ − ψⱼ)/(σᵢ − σⱼ)            ψᵢ = ∂Ψ/∂σᵢ
//! (UᵢVⱼᵀ − UⱼVᵢᵀ)/√2      eigenvalue  (ψᵢ + ψⱼ)/(σᵢ + σⱼ)
//! ```
//! so a projection needs no more than the eigenvectors of a D × D matrix. Materials give both quotients without their denominators, where
//! they can. Reference: \[Smith2018\].

use std::array::from_fn;

use stiction::distance::Psd;
use stiction::math::{Matrix, Vector, eigen};

use super::svd::Svd;

/// The largest `|A|²` that counts as near rest.
const NEAR: f64 = 0.25;

/// `tr A` and `m = det(1 + A) − 1 − tr A` of `A = FᵀF − 1`, which is small near rest whatever the rotation: energies written in them do not cancel there.
/// Nothing far from rest, where they would.
pub fn small_strain<const D: usize>(f: &Matrix<D>) -> Option<(f64, f64)> {
    let a = f.transpose() * *f - Matrix::scalar(1.0);
    // Also where it is no number.
    let near = a.norm_squared() < NEAR;
    if !near {
        return None;
    }
    let minor = |i: usize, j: usize| a.0[i][i] * a.0[j][j] - a.0[i][j] * a.0[j][i];
    let second: f64 = (0..D).flat_map(|i| (0..i).map(move |j| minor(i, j))).sum();
    let trace = (0..D).map(|i| a.0[i][i]).sum();
    Some((trace, if D == 3 { second + a.det() } else { second }))
}

/// Second derivatives of an energy by its stretches, in Pa.
///
/// Pairs (i, j) of stretches have the number of the third in 3D; in 2D there is one, of any number.
#[derive(Clone, Copy, Debug)]
pub struct Curvature<const D: usize> {
    /// `A`.
    pub stretch: [[f64; D]; D],
    /// `(ψᵢ − ψⱼ)/(σᵢ − σⱼ)` of each pair.
    pub minus: [f64; D],
    /// `(ψᵢ + ψⱼ)/(σᵢ + σⱼ)` of each pair.
    pub plus: [f64; D],
}

impl<const D: usize> Curvature<D> {
    /// The eigenvalues of ∂P/∂F treated as `psd` says.
    #[inline]
    pub fn projected(self, psd: Psd) -> Self {
        if psd == Psd::None {
            return self;
        }
        let map = |values: [f64; D]| values.map(|value| psd.apply(value));
        let stretch = if is_positive(&self.stretch) { self.stretch } else { projected(self.stretch, psd) };
        Self { stretch, minus: map(self.minus), plus: map(self.plus) }
    }
}

// Apart and rare: only materials that soften, or are stretched far.
#[cold]
#[inline(never)]
fn projected<const D: usize>(a: [[f64; D]; D], psd: Psd) -> [[f64; D]; D] {
    eigen::map_eigenvalues(a, D, |value| psd.apply(value))
}

/// Whether a symmetric matrix has only positive eigenvalues: its leading minors are positive.
#[inline]
pub fn is_positive<const D: usize>(a: &[[f64; D]; D]) -> bool {
    a[0][0] > 0.0 && a[0][0] * a[1][1] > a[1][0] * a[1][0] && Matrix(*a).det() > 0.0
}

/// The two stretches of each pair.
#[inline]
pub fn pairs<const D: usize>(value: impl Fn(usize, usize) -> f64) -> [f64; D] {
    from_fn(|k| if D == 3 { value((k + 1) % 3, (k + 2) % 3) } else { value(0, 1) })
}

/// The number of a pair.
#[inline]
const fn pair<const D: usize>(i: usize, j: usize) -> usize {
    if D == 3 { 3 - i - j } else { 0 }
}

/// A symmetric matrix from its entries on and below the diagonal.
#[inline]
pub fn symmetric<const D: usize>(entry: impl Fn(usize, usize) -> f64) -> [[f64; D]; D] {
    let mut out = [[0.0; D]; D];
    for i in 0..D {
        for j in 0..=i {
            out[i][j] = entry(i, j);
            out[j][i] = out[i][j];
        }
    }
    out
}

/// ∂P/∂F of an isotropic material, in Pa.
///
/// ```text
/// dP = U (…) Vᵀ        (…)ᵢᵢ = Σⱼ Aᵢⱼ dⱼⱼ        (…)ᵢⱼ = kᵢⱼ dᵢⱼ + sᵢⱼ dⱼᵢ        d = Uᵀ dF V
/// ```
/// with half of the sum and of the difference of the two quotients, `k` and `s`.
#[derive(Clone, Copy, Debug)]
pub struct Tangent<const D: usize> {
    /// `U`.
    pub u: Matrix<D>,
    /// `V`.
    pub v: Matrix<D>,
    stretch: [[f64; D]; D],
    kept: [f64; D],
    swapped: [f64; D],
}

impl<const D: usize> Tangent<D> {
    /// The tangent of a deformation, from second derivatives by its stretches.
    #[inline]
    pub fn new(svd: &Svd<D>, of: &Curvature<D>) -> Self {
        Self {
            u: svd.u,
            v: svd.v,
            stretch: of.stretch,
            kept: from_fn(|k| 0.5 * (of.minus[k] + of.plus[k])),
            swapped: from_fn(|k| 0.5 * (of.minus[k] - of.plus[k])),
        }
    }

    /// `dP` for `dF`.
    pub fn times(&self, by: &Matrix<D>) -> Matrix<D> {
        let d = self.u.transpose() * *by * self.v;
        let entry = |i: usize, j: usize| {
            if i == j {
                return (0..D).map(|k| self.stretch[i][k] * d.0[k][k]).sum();
            }
            self.kept[pair::<D>(i, j)] * d.0[i][j] + self.swapped[pair::<D>(i, j)] * d.0[j][i]
        };
        self.u * Matrix(from_fn(|i| from_fn(|j| entry(i, j)))) * self.v.transpose()
    }

    /// The blocks `(i, j)`, `0 < j ≤ i`, of the Hessian of `Ψ(F)`, `F = Σᵢ xᵢ bᵢᵀ`, by positions `x`.
    #[inline]
    pub fn hessian<const N: usize>(&self, b: &[Vector<D>; N]) -> [[Matrix<D>; N]; N] {
        let turn = self.v.transpose();
        let left = from_fn(|k| self.u.column(k));
        let b = b.map(|b| turn * b);
        let mut h = [[Matrix::ZERO; N]; N];
        for i in 1..N {
            for j in 1..=i {
                h[i][j] = turned(&self.block(b[i], b[j]), &left);
            }
        }
        h
    }

    /// The block of two vertices, in the frame of `U`.
    #[inline]
    fn block(&self, b: Vector<D>, c: Vector<D>) -> Matrix<D> {
        let mut h = Matrix::ZERO;
        for i in 0..D {
            for j in 0..D {
                if i == j {
                    h.0[i][i] += self.stretch[i][i] * (b[i] * c[i]);
                } else {
                    let pair = pair::<D>(i, j);
                    h.0[i][j] = self.stretch[i][j] * (b[i] * c[j]) + self.swapped[pair] * (b[j] * c[i]);
                    h.0[i][i] += self.kept[pair] * (b[j] * c[j]);
                }
            }
        }
        h
    }
}

/// `Σᵢⱼ Hᵢⱼ uᵢuⱼᵀ`.
#[inline]
pub fn turned<const D: usize, const E: usize>(h: &Matrix<D>, u: &[Vector<E>; D]) -> Matrix<E> {
    let mut out = Matrix::ZERO;
    for i in 0..D {
        let mut row = u[0] * h.0[i][0];
        for j in 1..D {
            row += u[j] * h.0[i][j];
        }
        out += u[i].outer(row);
    }
    out
}

/// Fills in what follows of the blocks `(i, j)`, `0 < j ≤ i`, of an energy that does not change as all vertices move together.
#[inline]
pub fn complete<const D: usize, const N: usize>(h: &mut [[Matrix<D>; N]; N]) {
    let mut corner = Matrix::ZERO;
    for i in 1..N {
        for j in 1..i {
            h[j][i] = h[i][j].transpose();
        }
    }
    for i in 1..N {
        let mut sum = h[i][1];
        for j in 2..N {
            sum += h[i][j];
        }
        corner += sum;
        h[i][0] = sum * -1.0;
        h[0][i] = h[i][0].transpose();
    }
    h[0][0] = corner;
}

/// The products of all stretches but one, `∂J/∂σᵢ`.
pub fn without_one<const D: usize>(sigma: Vector<D>) -> [f64; D] {
    from_fn(|i| (0..D).filter(|k| *k != i).map(|k| sigma[k]).product())
}

/// The product of all stretches but two, `∂²J/∂σᵢ∂σⱼ`; 0 for the same.
pub fn without_two<const D: usize>(sigma: Vector<D>, i: usize, j: usize) -> f64 {
    if i == j {
        return 0.0;
    }
    (0..D).filter(|k| *k != i && *k != j).map(|k| sigma[k]).product()
}

/// `∂J/∂F`, the cofactors of `F`.
pub fn cofactors<const D: usize>(f: &Matrix<D>) -> Matrix<D> {
    f.adjugate().transpose()
}
