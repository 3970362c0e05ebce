//! Dense matrices of a few vertices.

use std::ops::Range;

use faer::Mat;
use stiction::math::Vector;

use super::dense;
use super::rows::Rows;

/// Numbers that are summed at the same time.
const LANES: usize = 8;

/// `A = L Lᵀ` of a small part `A` of a matrix, in single precision.
///
/// Factorised in double precision and then rounded: what it solves with is positive definite, however large the condition of `A`. It takes a
/// quarter of the memory of `A`, which is what its speed depends on.
#[derive(Clone, Debug)]
pub(super) struct SmallFactor {
    /// `L/s` by columns from the diagonal down, with the inverses of the diagonal.
    numbers: Vec<f32>,
    /// `1/s²`.
    scale: f64,
}

impl SmallFactor {
    /// Factorises the block of some rows on the diagonal; nothing if it is not positive definite.
    pub fn new<const D: usize>(rows: &Rows<D>, range: &Range<usize>) -> Option<Self> {
        let n = D * range.len();
        let mut a = Mat::<f64>::zeros(n, n);
        for row in range.clone() {
            for (column, block) in rows.row(row).filter(|(column, _)| range.contains(column)) {
                let (i, j) = (D * (row - range.start), D * (column - range.start));
                for k in 0..D {
                    for l in 0..D {
                        a[(i + k, j + l)] = block.0[k][l];
                    }
                }
            }
        }
        dense::factorise(a.as_mut())?;
        let scale = (0..n).map(|k| a[(k, k)]).fold(0.0, f64::max);
        let mut numbers = Vec::with_capacity(n * (n + 1) / 2);
        for j in 0..n {
            numbers.push((scale / a[(j, j)]) as f32);
            numbers.extend(a.col_as_slice(j)[j + 1..].iter().map(|l| (l / scale) as f32));
        }
        numbers
            .iter()
            .all(|number| number.is_finite())
            .then_some(Self { numbers, scale: 1.0 / (scale * scale) })
    }

    /// `z = A⁻¹ r`, with memory for numbers on the way.
    pub fn solve<const D: usize>(&self, r: &[Vector<D>], z: &mut [Vector<D>], x: &mut Vec<f32>) {
        let size = r.iter().fold(0.0, |size: f64, r| size.max(r.max_abs()));
        if size == 0.0 {
            return z.fill(Vector::ZERO);
        }
        x.clear();
        x.extend(r.iter().flat_map(|r| r.0.map(|r| (r / size) as f32)));
        self.substitute(x);
        self.substitute_back(x);
        for (z, x) in z.iter_mut().zip(x.as_chunks::<D>().0) {
            *z = Vector(x.map(|x| f64::from(x) * size * self.scale));
        }
    }

    fn substitute(&self, x: &mut [f32]) {
        let mut rest = &self.numbers[..];
        for j in 0..x.len() {
            let (column, others) = rest.split_at(x.len() - j);
            x[j] *= column[0];
            let y = x[j];
            for (x, l) in x[j + 1..].iter_mut().zip(&column[1..]) {
                *x -= y * l;
            }
            rest = others;
        }
    }

    fn substitute_back(&self, x: &mut [f32]) {
        let mut rest = &self.numbers[..];
        for j in (0..x.len()).rev() {
            let (others, column) = rest.split_at(rest.len() - (x.len() - j));
            x[j] = (x[j] - dot(&x[j + 1..], &column[1..])) * column[0];
            rest = others;
        }
    }
}

/// `Σ aᵢ bᵢ`, several terms at a time.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for k in 0..LANES {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::samples::{grid, matrix, vectors};

    fn rows<const D: usize>(ground: f64) -> Rows<D> {
        let (n, pairs) = grid([3, 3, 2]);
        let mut rows = Rows::default();
        rows.set(&matrix(n, &pairs, ground), &(0..n).collect::<Vec<_>>());
        rows
    }

    fn solves<const D: usize>(size: f64) {
        let (rows, range) = (rows::<D>(0.1), 0..18);
        let factor = SmallFactor::new(&rows, &range).unwrap();
        let r: Vec<Vector<D>> = vectors(18, &mut 3).iter().map(|r| *r * size).collect();
        let (mut z, mut back) = (vec![Vector::ZERO; 18], vec![Vector::ZERO; 18]);
        factor.solve(&r, &mut z, &mut Vec::new());
        rows.multiply(&z, range, &mut back);
        assert!(r.iter().zip(&back).all(|(r, back)| (*r - *back).norm() < 1e-4 * size));
        factor.solve(&[Vector::ZERO; 18], &mut z, &mut Vec::new());
        assert_eq!(z, vec![Vector::ZERO; 18]);
    }

    #[test]
    fn parts_are_solved_to_single_precision_in_any_units() {
        for size in [1e-60, 1.0, 1e60] {
            solves::<2>(size);
            solves::<3>(size);
        }
    }

    #[test]
    fn what_is_not_positive_has_no_factor() {
        for ground in [-5.0, f64::NAN, f64::INFINITY] {
            assert!(SmallFactor::new(&rows::<3>(ground), &(0..18)).is_none());
        }
    }
}
