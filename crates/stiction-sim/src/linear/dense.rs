//! Dense matrices on many threads.
//!
//! Large matrices are halved until their parts are small. Where they are cut depends on their size alone, so the bits are the same for any
//! number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par, Spec};
use stiction::threads;

/// Rows and columns of a part that one thread works on.
const PART: usize = 128;

/// What counts as worth another thread in any case.
const ALWAYS: usize = usize::MAX;

/// Replaces the lower triangle of `A` by `L` of `A = L Lᵀ`; nothing if `A` is not positive definite.
pub(super) fn factorise(mut a: MatMut<'_, f64>) -> Option<()> {
    let n = a.nrows();
    if n <= PART {
        let need = cholesky_in_place_scratch::<f64>(n, Par::Seq, Spec::default());
        let mut memory = MemBuffer::try_new(need).ok()?;
        let (none, stack) = (LltRegularization::default(), MemStack::new(&mut memory));
        return cholesky_in_place(a.as_mut(), none, Par::Seq, stack, Spec::default()).ok().map(|_| ());
    }
    let half = half(n);
    let (mut a11, _, mut a21, mut a22) = a.split_at_mut(half, half);
    factorise(a11.as_mut())?;
    divide(a21.as_mut(), a11.as_ref());
    subtract_square(a22.as_mut(), Accum::Add, a21.as_ref());
    factorise(a22)
}

/// `B := B L⁻ᵀ` with a lower triangle `L`.
pub(super) fn divide(b: MatMut<'_, f64>, l: MatRef<'_, f64>) {
    if b.nrows() <= PART {
        return solve_lower_triangular_in_place(l, b.transpose_mut(), Par::Seq);
    }
    let half = half(b.nrows());
    let (above, below) = b.split_at_row_mut(half);
    threads::join(ALWAYS, || divide(above, l), || divide(below, l));
}

/// `C := C − B Bᵀ`, or `C := −B Bᵀ`, in the lower triangle.
pub(super) fn subtract_square(c: MatMut<'_, f64>, accum: Accum, b: MatRef<'_, f64>) {
    if c.nrows() <= PART {
        let (triangle, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        return triangular::matmul(c, triangle, accum, b, whole, b.transpose(), whole, -1.0, Par::Seq);
    }
    let half = half(c.nrows());
    let (above, below) = b.split_at_row(half);
    let (c11, _, c21, c22) = c.split_at_mut(half, half);
    threads::join(
        ALWAYS,
        || subtract_product(c21, accum, below, above),
        || {
            threads::join(
                ALWAYS,
                || subtract_square(c11, accum, above),
                || subtract_square(c22, accum, below),
            )
        },
    );
}

/// `C := C − A Bᵀ`, or `C := −A Bᵀ`.
fn subtract_product(c: MatMut<'_, f64>, accum: Accum, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    if c.nrows().max(c.ncols()) <= PART {
        return matmul(c, accum, a, b.transpose(), -1.0, Par::Seq);
    }
    if c.nrows() >= c.ncols() {
        let half = half(c.nrows());
        let ((above, below), (a1, a2)) = (c.split_at_row_mut(half), a.split_at_row(half));
        threads::join(
            ALWAYS,
            || subtract_product(above, accum, a1, b),
            || subtract_product(below, accum, a2, b),
        );
    } else {
        let half = half(c.ncols());
        let ((left, right), (b1, b2)) = (c.split_at_col_mut(half), b.split_at_row(half));
        threads::join(
            ALWAYS,
            || subtract_product(left, accum, a, b1),
            || subtract_product(right, accum, a, b2),
        );
    }
}

/// About the half: a multiple of what vector instructions work on at once.
fn half(n: usize) -> usize {
    (n / 2).next_multiple_of(16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    /// `(i, j) ↦` numbers without a pattern, and a diagonal that makes them positive definite.
    fn matrix(n: usize) -> Mat<f64> {
        Mat::from_fn(n, n, |i, j| ((i * j + i + j) as f64).sin() + if i == j { 2.0 * n as f64 } else { 0.0 })
    }

    #[test]
    fn the_factor_of_a_large_matrix_is_right() {
        for n in [0, 1, 3, PART, PART + 1, 3 * PART + 7] {
            let a = matrix(n);
            let mut l = a.clone();
            factorise(l.as_mut()).unwrap();
            let lower = Mat::from_fn(n, n, |i, j| if j <= i { l[(i, j)] } else { 0.0 });
            let product = &lower * lower.transpose();
            for j in 0..n {
                for i in j..n {
                    assert!((product[(i, j)] - a[(i, j)]).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn a_late_pivot_that_is_not_positive_is_found() {
        for n in [1, PART, 2 * PART + 5] {
            let mut a = matrix(n);
            a[(n - 1, n - 1)] = -1.0;
            assert!(factorise(a.as_mut()).is_none());
        }
    }

    /// Panels are parts of a list, wherever that begins.
    #[test]
    fn where_matrices_lie_leaves_no_trace() {
        for (k, m) in [(3, 6), (45, 99), (PART + 9, 2 * PART + 3)] {
            let (height, whole) = (k + m, matrix(k + m));
            let columns: Vec<f64> =
                (0..k).flat_map(|j| (0..height).map(move |i| (i, j))).map(|(i, j)| whole[(i, j)]).collect();
            let at = |offset: usize| {
                let (mut panel, mut rest) = (vec![0.0; columns.len() + offset], vec![0.0; m * m + offset]);
                panel[offset..].copy_from_slice(&columns);
                let mut own = MatMut::from_column_major_slice_mut(&mut panel[offset..], height, k);
                let (mut above, mut below) = own.as_mut().split_at_row_mut(k);
                factorise(above.as_mut()).unwrap();
                divide(below.as_mut(), above.as_ref());
                let left = MatMut::from_column_major_slice_mut(&mut rest[offset..], m, m);
                subtract_square(left, Accum::Replace, below.as_ref());
                (panel.split_off(offset), rest.split_off(offset))
            };
            for offset in 1..9 {
                assert!(at(offset) == at(0), "{k} columns, {m} rows, {offset} numbers further");
            }
        }
    }
}
