//! Hessians without negative curvature, for elements whose eigenvalues have no formula.

use stiction::distance::Psd;
use stiction::math::{Matrix, eigen};

/// Most rows of a matrix that is left when the motion as a whole is taken out: 3 (4 − 1).
const ROWS: usize = 9;

/// The Hessian of an energy that does not change as its `N` vertices move together, with eigenvalues treated as `psd` says.
///
/// ```text
/// H = Tᵀ (T H Tᵀ) T        T: N − 1 orthonormal rows, each orthogonal to (1, …, 1)
/// ```
/// so the eigenvalues that are not 0 are those of a matrix of D (N − 1) rows.
pub(super) fn project<const D: usize, const N: usize>(
    h: &[[Matrix<D>; N]; N],
    psd: Psd,
) -> [[Matrix<D>; N]; N] {
    if psd == Psd::None {
        return *h;
    }
    let t = differences::<N>();
    let mut small = [[0.0; ROWS]; ROWS];
    for p in 0..N - 1 {
        for q in 0..N - 1 {
            let block = combined(h, &t[p], &t[q]);
            for k in 0..D {
                small[p * D + k][q * D..(q + 1) * D].copy_from_slice(&block.0[k]);
            }
        }
    }
    expanded(&eigen::map_eigenvalues(small, D * (N - 1), |value| psd.apply(value)), &t)
}

/// `Σᵢⱼ aᵢ bⱼ Hᵢⱼ`.
fn combined<const D: usize, const N: usize>(
    h: &[[Matrix<D>; N]; N],
    a: &[f64; N],
    b: &[f64; N],
) -> Matrix<D> {
    let mut sum = Matrix::ZERO;
    for i in 0..N {
        for j in 0..N {
            sum += h[i][j] * (a[i] * b[j]);
        }
    }
    sum
}

/// `Tᵀ A T` in blocks.
fn expanded<const D: usize, const N: usize>(
    small: &[[f64; ROWS]; ROWS],
    t: &[[f64; N]; N],
) -> [[Matrix<D>; N]; N] {
    let mut out = [[Matrix::ZERO; N]; N];
    for p in 0..N - 1 {
        for q in 0..N - 1 {
            let block = Matrix(std::array::from_fn(|k| std::array::from_fn(|l| small[p * D + k][q * D + l])));
            for i in 0..N {
                for j in 0..N {
                    out[i][j] += block * (t[p][i] * t[q][j]);
                }
            }
        }
    }
    out
}

/// `T` (after Helmert): row k has k + 1 equal entries and their sum with the other sign; the last row is not used.
fn differences<const N: usize>() -> [[f64; N]; N] {
    std::array::from_fn(|k| {
        let count = (k + 1) as f64;
        let norm = (count * (count + 1.0)).sqrt();
        std::array::from_fn(|i| match i {
            i if i <= k => 1.0 / norm,
            i if i == k + 1 => -count / norm,
            _ => 0.0,
        })
    })
}
