//! Eigenvalues of small symmetric matrices, fast: by a tridiagonal matrix on the way.

use std::array::from_fn;

/// QR steps that one eigenvalue may take; it takes about two.
const MAX_STEPS: usize = 40;

/// Eigenvalues and eigenvectors of the leading `n × n` part of a symmetric matrix: reflections to tridiagonal form, then
/// QR steps with Wilkinson's shift.
///
/// ```text
/// A = Vᵀ diag(w) V        V has the eigenvectors as rows
/// ```
/// Returns `(w, V)`, unordered; entries beyond `n` are those of the identity. Accurate to a few units in the last place
/// of `|A|`: small eigenvalues of a positive definite matrix have their relative precision only from
/// Jacobi's rotations, `eigen::symmetric`. Only the lower triangle is read. Entries that are not finite give
/// entries that are not finite.
#[inline]
pub fn eigen<const M: usize>(a: [[f64; M]; M], n: usize) -> ([f64; M], [[f64; M]; M]) {
    let mut t = Tridiagonal::new(a, n);
    for last in (1..n).rev() {
        for _ in 0..MAX_STEPS {
            let first = t.start_of_block(last);
            if first == last {
                break;
            }
            t.step(first, last);
        }
    }
    (t.diagonal, t.rows)
}

/// `rows · A · rowsᵀ`: a tridiagonal matrix, on its way to a diagonal one.
struct Tridiagonal<const M: usize> {
    diagonal: [f64; M],
    /// Entry `k` couples `k` and `k + 1`.
    beside: [f64; M],
    rows: [[f64; M]; M],
}

impl<const M: usize> Tridiagonal<M> {
    #[inline]
    fn new(mut a: [[f64; M]; M], n: usize) -> Self {
        let mut rows = from_fn(|i| from_fn(|j| f64::from(u8::from(i == j))));
        let mut beside = [0.0; M];
        for k in 0..n.saturating_sub(2) {
            beside[k] = reflect(&mut a, &mut rows, n, k);
        }
        if n > 1 {
            beside[n - 2] = a[n - 1][n - 2];
        }
        Self { diagonal: from_fn(|i| if i < n { a[i][i] } else { 1.0 }), beside, rows }
    }

    /// Where the block that ends at `last` starts.
    #[inline]
    fn start_of_block(&self, last: usize) -> usize {
        let mut first = last;
        while first > 0 {
            let scale = self.diagonal[first - 1].abs() + self.diagonal[first].abs();
            let couples = self.beside[first - 1].abs() > 0.5 * f64::EPSILON * scale;
            // What is not a number does not couple: it ends the iteration, and is in the result.
            if !couples {
                break;
            }
            first -= 1;
        }
        first
    }

    /// The eigenvalue of the last two rows of a block that is closer to the last entry.
    #[inline]
    fn shift(&self, last: usize) -> f64 {
        let e = self.beside[last - 1];
        let half = 0.5 * (self.diagonal[last - 1] - self.diagonal[last]);
        self.diagonal[last] - e * e / (half + (half * half + e * e).sqrt().copysign(half))
    }

    /// One QR step: a rotation of neighbours that would start it, then rotations that move what this one put beside the
    /// tridiagonal down and out.
    #[inline]
    fn step(&mut self, first: usize, last: usize) {
        let (mut x, mut z) = (self.diagonal[first] - self.shift(last), self.beside[first]);
        for k in first..last {
            let length = (x * x + z * z).sqrt();
            let (c, s) = if length == 0.0 { (1.0, 0.0) } else { (x / length, z / length) };
            let (p, q, e) = (self.diagonal[k], self.diagonal[k + 1], self.beside[k]);
            if k > first {
                self.beside[k - 1] = length;
            }
            let (cc, cs, ss) = (c * c, c * s, s * s);
            self.diagonal[k] = cc * p + 2.0 * cs * e + ss * q;
            self.diagonal[k + 1] = ss * p - 2.0 * cs * e + cc * q;
            self.beside[k] = cs * (q - p) + (cc - ss) * e;
            (x, z) = (self.beside[k], s * self.beside[k + 1]);
            self.beside[k + 1] *= c;
            for i in 0..M {
                let (upper, lower) = (self.rows[k][i], self.rows[k + 1][i]);
                self.rows[k][i] = c * upper + s * lower;
                self.rows[k + 1][i] = c * lower - s * upper;
            }
        }
    }
}

/// Reflects rows and columns `k + 1 … n − 1` so that column `k` is zero below its first entry beside the diagonal, which
/// is returned.
///
/// ```text
/// A ← A − v wᵀ − w vᵀ     v = x − α e ,  p = 2Av/|v|² ,  w = p − (p·v) v/|v|²
/// ```
#[inline]
fn reflect<const M: usize>(a: &mut [[f64; M]; M], rows: &mut [[f64; M]; M], n: usize, k: usize) -> f64 {
    let mut v = [0.0; M];
    let mut below = 0.0;
    for i in k + 1..n {
        v[i] = a[i][k];
        if i > k + 1 {
            below += v[i] * v[i];
        }
    }
    if below == 0.0 {
        return v[k + 1];
    }
    let alpha = -(v[k + 1] * v[k + 1] + below).sqrt().copysign(v[k + 1]);
    v[k + 1] -= alpha;
    let scale = 2.0 / (v[k + 1] * v[k + 1] + below);
    let (mut w, mut along) = ([0.0; M], 0.0);
    for i in k + 1..n {
        for j in k + 1..n {
            w[i] += a[i.max(j)][i.min(j)] * v[j];
        }
        w[i] *= scale;
        along += w[i] * v[i];
    }
    for i in k + 1..n {
        w[i] -= 0.5 * scale * along * v[i];
    }
    for i in k + 1..n {
        for j in k + 1..=i {
            a[i][j] -= v[i] * w[j] + w[i] * v[j];
        }
    }
    reflect_rows(rows, &v, scale, k + 1..n);
    alpha
}

#[inline]
fn reflect_rows<const M: usize>(
    rows: &mut [[f64; M]; M],
    v: &[f64; M],
    scale: f64,
    range: std::ops::Range<usize>,
) {
    let mut sum = [0.0; M];
    for j in range.clone() {
        for i in 0..M {
            sum[i] += v[j] * rows[j][i];
        }
    }
    for j in range {
        for i in 0..M {
            rows[j][i] -= scale * v[j] * sum[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_ends() {
        let (w, _) = eigen([[f64::NAN, 1.0], [1.0, 2.0]], 2);
        assert!(w.iter().any(|w| w.is_nan()));
        let (w, _) = eigen([[1.0, 0.0, 0.0], [f64::NAN, 2.0, 0.0], [1.0, 1.0, 1.0]], 3);
        assert!(w.iter().any(|w| w.is_nan()));
    }
}
