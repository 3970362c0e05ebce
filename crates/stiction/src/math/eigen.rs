//! Eigenvalues of small symmetric matrices.

use super::tridiagonal;

/// Sweeps after which Jacobi's method stops; it needs about 6 for full precision at these sizes.
const MAX_SWEEPS: usize = 32;

/// Eigenvalues and eigenvectors of the leading `n × n` part of a symmetric matrix, by cyclic Jacobi
/// rotations.
///
/// ```text
/// A = V diag(w) Vᵀ        V has the eigenvectors as columns
/// ```
/// Returns `(w, V)`, unordered; entries beyond `n` are those of the identity. Accurate to a few units
/// in the last place of `|A|`. Entries that are not finite give entries that are not finite.
pub fn symmetric<const M: usize>(mut a: [[f64; M]; M], n: usize) -> ([f64; M], [[f64; M]; M]) {
    let mut v: [[f64; M]; M] = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for _ in 0..MAX_SWEEPS {
        if !sweep(&mut a, &mut v, n) {
            break;
        }
    }
    (std::array::from_fn(|i| if i < n { a[i][i] } else { 1.0 }), v)
}

/// One rotation for every pair of indices; false when all off-diagonal entries were negligible.
fn sweep<const M: usize>(a: &mut [[f64; M]; M], v: &mut [[f64; M]; M], n: usize) -> bool {
    let mut rotated = false;
    for p in 0..n {
        for q in p + 1..n {
            let small = f64::EPSILON * 0.25 * (a[p][p].abs() + a[q][q].abs());
            if a[p][q].abs() > small {
                rotate(a, v, n, p, q);
                rotated = true;
            }
        }
    }
    rotated
}

/// Makes `a[p][q]` zero by a rotation in the plane of `p` and `q`.
fn rotate<const M: usize>(a: &mut [[f64; M]; M], v: &mut [[f64; M]; M], n: usize, p: usize, q: usize) {
    // Where θ² overflows, t is 0: the entry is too small to turn anything.
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..n {
        (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
    }
    for k in 0..n {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
        (v[k][p], v[k][q]) = (c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]);
    }
    (a[p][q], a[q][p]) = (0.0, 0.0);
}

/// The symmetric matrix whose eigenvalues are `f` of those of `a`: `V diag(f(w)) Vᵀ`, leading `n × n` part. To a few units
/// in the last place of `|A|`.
#[inline]
pub fn map_eigenvalues<const M: usize>(a: [[f64; M]; M], n: usize, f: impl Fn(f64) -> f64) -> [[f64; M]; M] {
    let (w, v) = tridiagonal::eigen(a, n);
    let mut out = [[0.0; M]; M];
    for k in 0..n {
        let value = f(w[k]);
        // Eigenvalues that were cut to zero need no work.
        if value == 0.0 {
            continue;
        }
        for i in 0..n {
            let weight = value * v[k][i];
            for j in 0..n {
                out[i][j] += weight * v[k][j];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_rebuild_the_matrix() {
        let a = [[4.0, 1.0, -2.0], [1.0, -3.0, 0.5], [-2.0, 0.5, 1e-3]];
        let b = map_eigenvalues(a, 3, |w| w);
        for i in 0..3 {
            for j in 0..3 {
                assert!((a[i][j] - b[i][j]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn clamping_keeps_only_positive_eigenvalues() {
        let a = [[1.0, 2.0, 7.0], [2.0, 1.0, 7.0], [7.0, 7.0, 7.0]];
        let b = map_eigenvalues(a, 2, |w| w.max(0.0));
        assert!((b[0][0] - 1.5).abs() < 1e-15 && (b[0][1] - 1.5).abs() < 1e-15 && b[2][2] == 0.0);
    }

    #[test]
    fn a_zero_matrix_has_zero_eigenvalues() {
        assert_eq!(symmetric([[0.0; 2]; 2], 2).0, [0.0; 2]);
    }

    /// The same numbers from −1 to 1 in every run.
    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn check<const M: usize>(a: [[f64; M]; M], n: usize) {
        let (w, v) = tridiagonal::eigen(a, n);
        let (mut jacobi, _) = symmetric(a, n);
        let size = jacobi[..n].iter().fold(f64::MIN_POSITIVE, |m: f64, w| m.max(w.abs()));
        let mut sorted = w;
        sorted[..n].sort_by(f64::total_cmp);
        jacobi[..n].sort_by(f64::total_cmp);
        for i in 0..n {
            assert!((sorted[i] - jacobi[i]).abs() < 1e-14 * size, "{sorted:?} and {jacobi:?}");
            for j in 0..n {
                let entry: f64 = (0..n).map(|k| v[k][i] * w[k] * v[k][j]).sum();
                assert!((entry - a[i.max(j)][i.min(j)]).abs() < 1e-14 * size, "{entry} at {i} {j}");
                let product: f64 = (0..n).map(|k| v[i][k] * v[j][k]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn both_ways_rebuild_random_graded_and_sparse_matrices() {
        let mut seed = 1;
        for round in 0..2000 {
            let mut a = [[0.0; 12]; 12];
            for i in 0..12 {
                for j in 0..=i {
                    let grade = 0.1_f64.powf((i + j) as f64 * f64::from(round % 3));
                    let kept = round % 5 != 0 || random(&mut seed) < -0.2;
                    a[i][j] = if kept { random(&mut seed) * grade } else { 0.0 };
                    a[j][i] = a[i][j];
                }
            }
            for n in 0..=12 {
                check(a, n);
            }
        }
        check([[0.0; 5]; 5], 5);
        check([[1.0; 5]; 5], 5);
    }
}
