//! Singular values of a deformation gradient.

use std::array::from_fn;

use stiction::math::{Matrix, Vector, eigen};

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

/// The singular value decomposition, from the eigenvectors of `FᵀF`.
///
/// Small `σ` carry a relative error of about `10⁻¹⁶ (σ_max/σ)²`: enough for a Hessian, not used for forces of materials that have
/// others. Any finite `F` will do, also 0.
pub fn svd<const D: usize>(f: Matrix<D>) -> Svd<D> {
    let v = right_vectors(f);
    let stretched: [Vector<D>; D] = from_fn(|k| f * v.column(k));
    let mut u = [Vector::ZERO; D];
    for k in 0..D {
        u[k] = if k + 1 == D { last_of_rotation(&u) } else { perpendicular(stretched[k], &u[..k]) };
    }
    Svd { u: Matrix::from_columns(u), sigma: Vector(from_fn(|k| stretched[k].dot(u[k]))), v }
}

/// Eigenvectors of `FᵀF` as a rotation, those of large eigenvalues first.
fn right_vectors<const D: usize>(f: Matrix<D>) -> Matrix<D> {
    let (values, vectors) = eigen::symmetric((f.transpose() * f).0, D);
    let mut order: [usize; D] = from_fn(|k| k);
    order.sort_unstable_by(|a, b| values[*b].total_cmp(&values[*a]));
    let mut columns = order.map(|k| Matrix(vectors).column(k));
    if Matrix::from_columns(columns).det() < 0.0 {
        columns[D - 1] = -columns[D - 1];
    }
    Matrix::from_columns(columns)
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

/// The column that completes a rotation.
fn last_of_rotation<const D: usize>(columns: &[Vector<D>; D]) -> Vector<D> {
    // The cofactors of the last column of a matrix whose other columns are these.
    let with = |k: usize| {
        let mut all = *columns;
        all[D - 1] = Vector::axis(k);
        Matrix::from_columns(all).det()
    };
    Vector(from_fn(with)).normalized()
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
        assert!((0..D - 1).all(|k| sigma[k] >= sigma[k + 1].abs() * (1.0 - 1e-12)), "{sigma:?}");
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
}
