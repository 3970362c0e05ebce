//! Singular values of a deformation gradient.

use std::array::from_fn;

use stiction::math::vector::cross;
use stiction::math::{Matrix, Vector};

/// `F = U diag(σ) Vᵀ` with rotations `U` and `V`, so `Π σ = det F`: where `F` inverts, the smallest `σ` is negative.
#[derive(Clone, Copy, Debug)]
pub struct Svd<const D: usize> {
    /// `U`.
    pub u: Matrix<D>,
    /// `σ`, the largest first.
    pub sigma: Vector<D>,
    /// `V`.
    pub v: Matrix<D>,
}

/// The singular value decomposition, in closed form.
///
/// In 3D the eigenvector of `FᵀF` whose eigenvalue is farther from the other two splits `F` into a number and a 2 × 2 matrix, which is decomposed
/// without squares. So equal stretches cost no precision, and factors give `F` back to a few units in the last place of its largest entry.
/// Any finite `F` whose entries can be squared will do, also 0.
///
/// # Panics
/// If `D` is neither 2 nor 3.
#[inline]
pub fn svd<const D: usize>(f: Matrix<D>) -> Svd<D> {
    assert!(D == 2 || D == 3, "deformations are of 2 or 3 dimensions");
    if D == 2 {
        let Svd { u, sigma, v } = plane(resized(f));
        return Svd { u: resized(u), sigma: Vector(from_fn(|k| sigma[k])), v: resized(v) };
    }
    let Svd { u, sigma, v } = space(resized(f));
    Svd { u: resized(u), sigma: Vector(from_fn(|k| sigma[k])), v: resized(v) }
}

/// The same matrix, where both sizes are the same.
#[inline]
fn resized<const D: usize, const K: usize>(f: Matrix<D>) -> Matrix<K> {
    Matrix(from_fn(|i| from_fn(|j| f.0[i][j])))
}

/// `F` is a rotation by α times `q` and a reflection at the angle β times `r`:
///
/// ```text
/// F = q R(α) + r R(β) diag(1, −1)        σ = q ± r        V = R((β − α)/2)        U = R(α) V
/// ```
#[inline]
fn plane(Matrix([[a, b], [c, d]]): Matrix<2>) -> Svd<2> {
    let (turn, q) = direction(0.5 * (a + d), 0.5 * (c - b));
    let (mirror, r) = direction(0.5 * (a - d), 0.5 * (c + b));
    let twice = [mirror[0] * turn[0] + mirror[1] * turn[1], mirror[1] * turn[0] - mirror[0] * turn[1]];
    // Half of an angle, from sums that do not cancel.
    let half = if twice[0] >= 0.0 { [1.0 + twice[0], twice[1]] } else { [twice[1], 1.0 - twice[0]] };
    let (v, _) = direction(half[0], half[1]);
    let u = [turn[0] * v[0] - turn[1] * v[1], turn[1] * v[0] + turn[0] * v[1]];
    Svd { u: rotation(u), sigma: Vector([q + r, q - r]), v: rotation(v) }
}

/// A unit vector and the length; along the first axis if that is 0.
#[inline]
fn direction(x: f64, y: f64) -> ([f64; 2], f64) {
    let length = (x * x + y * y).sqrt();
    let inverse = 1.0 / length;
    (if length == 0.0 { [1.0, 0.0] } else { [x * inverse, y * inverse] }, length)
}

#[inline]
fn rotation([cosine, sine]: [f64; 2]) -> Matrix<2> {
    Matrix([[cosine, -sine], [sine, cosine]])
}

#[inline]
fn space(f: Matrix<3>) -> Svd<3> {
    let (v, largest) = lone_eigenvector(f.transpose() * f);
    // The smallest stretch gives no direction; the product of the others does.
    let image = if largest { f * v } else { f.adjugate().transpose() * v };
    let u = if image.norm_squared() > 0.0 { image.normalized() } else { v };
    let (right, left) = (complement(v), complement(u));
    let images = right.map(|e| f * e);
    let Svd { u: left_turn, sigma, v: right_turn } =
        plane(Matrix(from_fn(|i| from_fn(|j| left[i].dot(images[j])))));
    let [v1, v2] = turned(&right, &right_turn);
    let [u1, u2] = turned(&left, &left_turn);
    let lone = u.dot(f * v);
    let (u, sigma, v) = if largest {
        ([u, u1, u2], [lone, sigma[0], sigma[1]], [v, v1, v2])
    } else {
        ([u1, u2, u], [sigma[0], sigma[1], lone], [v1, v2, v])
    };
    Svd { u: Matrix::from_columns(u), sigma: Vector(sigma), v: Matrix::from_columns(v) }
}

/// The columns times a matrix.
#[inline]
fn turned(columns: &[Vector<3>; 2], by: &Matrix<2>) -> [Vector<3>; 2] {
    from_fn(|k| columns[0] * by.0[0][k] + columns[1] * by.0[1][k])
}

/// The eigenvector of a symmetric matrix whose eigenvalue is farther from the other two, and whether that is the largest.
///
/// ```text
/// B = (A − tr A/3)/p        p² = |A − tr A/3|²/6        eigenvalues ±2c of B with 4c³ − 3c = |det B|/2
/// ```
/// The others are at least √3 away, so the rows of `B ∓ 2c` span their plane whatever the matrix.
#[inline]
fn lone_eigenvector(a: Matrix<3>) -> (Vector<3>, bool) {
    let centred = a - Matrix::scalar((a.0[0][0] + a.0[1][1] + a.0[2][2]) / 3.0);
    let p = (centred.norm_squared() / 6.0).sqrt();
    let b = centred * if p > 0.0 { 1.0 / p } else { 0.0 };
    let half = 0.5 * b.det();
    let value = (2.0 * third_of_angle(half.abs().min(1.0))).copysign(half);
    let [x, y, z] = (b - Matrix::scalar(value)).0.map(Vector);
    let normals = [cross(x, y), cross(y, z), cross(z, x)];
    let [first, second, third] = normals.map(Vector::norm_squared);
    let best = if first >= second && first >= third { 0 } else { 1 + usize::from(third > second) };
    (normals[best].normalized(), half >= 0.0)
}

/// `cos(arccos(y)/3)` for y from 0 to 1, the largest root of 4c³ − 3c = y: two Newton steps from a cubic that is off by 4·10⁻⁵.
#[inline]
fn third_of_angle(y: f64) -> f64 {
    let start = 0.866_066 + y * (0.165_33 + y * (y * 0.009_32 - 0.040_691));
    let newton = |c: f64| c - ((4.0 * c * c - 3.0) * c - y) / (12.0 * c * c - 3.0);
    newton(newton(start))
}

/// Two unit vectors that make a unit vector the third of a rotation, without a branch. Reference: \[Duff2017\].
#[inline]
fn complement(n: Vector<3>) -> [Vector<3>; 2] {
    let sign = 1.0_f64.copysign(n[2]);
    let a = -1.0 / (sign + n[2]);
    let b = n[0] * n[1] * a;
    [
        Vector([1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]]),
        Vector([b, sign + n[1] * n[1] * a, -n[1]]),
    ]
}

/// A unit vector along `a` without its parts along unit vectors `others`; any perpendicular one if nothing is left.
pub fn perpendicular<const D: usize>(a: Vector<D>, others: &[Vector<D>]) -> Vector<D> {
    let without = |a: Vector<D>| others.iter().fold(a, |a, other| a - *other * a.dot(*other));
    let rest = without(without(a));
    if rest.norm() > 1e-12 * a.norm() {
        return rest.normalized();
    }
    let axes = (0..D).map(|k| without(Vector::axis(k)));
    axes.fold(Vector::ZERO, |best, axis| if axis.norm() > best.norm() { axis } else { best }).normalized()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const D: usize>(f: Matrix<D>) {
        let Svd { u, sigma, v } = svd(f);
        let scaled = Matrix::from_columns(from_fn(|k| u.column(k) * sigma[k]));
        let back = scaled * v.transpose();
        let size = f.0.iter().flatten().fold(0.0, |m: f64, a| m.max(a.abs())).max(1e-300);
        for i in 0..D {
            for j in 0..D {
                assert!((back.0[i][j] - f.0[i][j]).abs() <= 1e-14 * size, "{f:?} becomes {back:?}");
                let unit = if i == j { 1.0 } else { 0.0 };
                assert!((u.column(i).dot(u.column(j)) - unit).abs() < 1e-14);
                assert!((v.column(i).dot(v.column(j)) - unit).abs() < 1e-14);
            }
        }
        assert!((u.det() - 1.0).abs() < 1e-13 && (v.det() - 1.0).abs() < 1e-13);
        assert!(
            (0..D - 1).all(|k| sigma[k] >= sigma[k + 1].abs() * (1.0 - 1e-12) - 1e-15 * size),
            "{sigma:?}"
        );
    }

    #[test]
    fn factors_are_rotations_that_give_the_matrix_back() {
        check(Matrix([[1.2, 0.3, -0.1], [0.0, 0.8, 0.4], [0.2, 0.1, 1.1]]));
        check(Matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]));
        check(Matrix([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]]));
        check(Matrix([[0.0; 3]; 3]));
        check(Matrix([[0.3, -2.0], [1.0, 0.1]]));
        check(Matrix([[0.3, 2.0], [1.0, 0.1]]));
        check(Matrix([[1.0, 1.0], [1.0, 1.0]]));
        check(Matrix([[0.0; 2]; 2]));
    }

    /// Numbers between −1 and 1 from a linear congruence.
    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn check_stretches<const D: usize>(stretches: [f64; D], seed: &mut u64) {
        let mut any = || svd(Matrix::<D>(from_fn(|_| from_fn(|_| random(seed))))).u;
        let (u, v) = (any(), any());
        check(u * Matrix(from_fn(|i| from_fn(|j| if i == j { stretches[i] } else { 0.0 }))) * v);
    }

    /// Equal, nearly equal, tiny, huge and negative stretches, in any combination.
    #[test]
    fn no_combination_of_stretches_costs_precision() {
        let mut seed = 3;
        let all = [1.0, 1.0 + 1e-15, 1.0 - 1e-9, 1.001, 0.5, 1e-3, 1e-7, 1e-11, 0.0, -1e-9, -1.0, 37.0, 1e5];
        for a in all {
            for b in all {
                check_stretches([a, b], &mut seed);
                for c in all {
                    check_stretches([a, b, c], &mut seed);
                }
            }
        }
    }
}
