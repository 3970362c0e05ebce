//! Sparse Cholesky factorisation, with the symbolic part kept while the pattern stays.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use stiction::blocks::Blocks;
use stiction::math::{Vector, vector};

/// Sequential: with threads the last bits would depend on their number.
const PAR: Par = Par::Seq;

/// A solver for symmetric positive definite block matrices.
#[derive(Debug, Default)]
pub struct Cholesky {
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    symbolic: Option<SymbolicCholesky<usize>>,
}

impl Cholesky {
    /// Solves `A p = b` for the vertices that are not `fixed`; `p` is zero at those that are.
    ///
    /// `shift` is added to the diagonal. Returns nothing where the matrix is not positive definite or
    /// memory runs out.
    pub fn solve<const D: usize>(
        &mut self,
        matrix: &Blocks<D>,
        b: &[Vector<D>],
        fixed: &[bool],
        shift: f64,
    ) -> Option<Vec<Vector<D>>> {
        self.load(matrix, fixed, shift);
        let mut p = b.to_vec();
        for (value, &fixed) in p.iter_mut().zip(fixed) {
            if fixed {
                *value = Vector::ZERO;
            }
        }
        self.factorise_and_solve(vector::flat_mut(&mut p))?;
        Some(p)
    }

    /// The lower triangle as plain columns; fixed vertices get a one on the diagonal and nothing else.
    fn load<const D: usize>(&mut self, matrix: &Blocks<D>, fixed: &[bool], shift: f64) {
        let before = (std::mem::take(&mut self.starts), std::mem::take(&mut self.rows));
        self.values.clear();
        self.starts.push(0);
        for column in 0..fixed.len() {
            for l in 0..D {
                for place in matrix.pattern().lower(column) {
                    self.load_column_part(matrix, fixed, (place, column, l), shift);
                }
                self.starts.push(self.rows.len());
            }
        }
        if before.0 != self.starts || before.1 != self.rows {
            self.symbolic = None;
        }
    }

    fn load_column_part<const D: usize>(
        &mut self,
        matrix: &Blocks<D>,
        fixed: &[bool],
        (place, column, l): (usize, usize, usize),
        shift: f64,
    ) {
        let row = matrix.pattern().rows()[place] as usize;
        let held = fixed[row] || fixed[column];
        for k in 0..D {
            let diagonal = row == column && k == l;
            if (row == column && k < l) || (held && !diagonal) {
                continue;
            }
            self.rows.push(row * D + k);
            let value = if held { 1.0 } else { matrix.values()[place].0[k][l] };
            self.values.push(if diagonal { value + shift } else { value });
        }
    }

    fn factorise_and_solve(&mut self, rhs: &mut [f64]) -> Option<()> {
        let n = rhs.len();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows);
        if self.symbolic.is_none() {
            let params = CholeskySymbolicParams::default();
            let order = SymmetricOrdering::Amd;
            self.symbolic = factorize_symbolic_cholesky(pattern, Side::Lower, order, params).ok();
        }
        let symbolic = self.symbolic.as_ref()?;
        let need = symbolic
            .factorize_numeric_llt_scratch::<f64>(PAR, faer::Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, PAR));
        let mut memory = MemBuffer::try_new(need).ok()?;
        let stack = MemStack::new(&mut memory);
        let mut factor = vec![0.0; symbolic.len_val()];
        symbolic
            .factorize_numeric_llt(
                &mut factor,
                SparseColMatRef::new(pattern, &self.values),
                Side::Lower,
                LltRegularization::default(),
                PAR,
                stack,
                faer::Spec::default(),
            )
            .ok()?;
        let llt = LltRef::new(symbolic, &factor);
        llt.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(rhs, n, 1), PAR, stack);
        rhs.iter().all(|value| value.is_finite()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::assemble::{self, Assembly};
    use stiction::math::Matrix;
    use stiction::stencil::Stencil;

    /// Springs of stiffness 2 between neighbours of a chain, and 1 to the ground at each vertex.
    fn chain(n: u32) -> Blocks<2> {
        let (vertices, springs): (Vec<_>, Vec<_>) = ((0..n).collect(), (1..n).collect());
        let (two, minus) = (Matrix::scalar(2.0), Matrix::scalar(-2.0));
        let mut blocks = Blocks::default();
        blocks.begin(n as usize, |stencils| {
            stencils.push(vertices.iter().map(|i| Stencil([*i])));
            stencils.push(springs.iter().map(|i| Stencil([i - 1, *i])));
        });
        let out = &mut Assembly::Matrix(&mut blocks);
        assemble::hessian(&vertices, out, |_, i| Stencil([*i]), |_, _| [[Matrix::scalar(1.0)]]);
        assemble::hessian(&springs, out, |_, i| Stencil([i - 1, *i]), |_, _| [[two, minus], [minus, two]]);
        blocks.finish();
        blocks
    }

    #[test]
    fn the_solution_satisfies_the_system() {
        let n = 40_usize;
        let mut solver = Cholesky::default();
        let b: Vec<_> = (0..n).map(|i| Vector([i as f64, 1.0])).collect();
        let fixed: Vec<_> = (0..n).map(|i| i == 7).collect();
        for _ in 0..2 {
            let p = solver.solve(&chain(n as u32), &b, &fixed, 0.0).unwrap();
            assert_eq!(p[7], Vector::ZERO);
            for i in 0..n {
                let mut residual = p[i] - b[i];
                for j in [i.wrapping_sub(1), i + 1] {
                    if j < n {
                        residual += (p[i] - p[j]) * 2.0;
                    }
                }
                assert!(i == 7 || residual.norm() < 1e-12);
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let mut blocks = Blocks::<2>::default();
        blocks.begin(1, |stencils| stencils.push([Stencil([0])].into_iter()));
        let out = &mut Assembly::Matrix(&mut blocks);
        assemble::hessian(&[-1.0], out, |_, _| Stencil([0]), |_, s| [[Matrix::scalar(*s)]]);
        blocks.finish();
        let mut solver = Cholesky::default();
        assert!(solver.solve(&blocks, &[Vector([1.0, 1.0])], &[false], 0.0).is_none());
        assert!(solver.solve(&blocks, &[Vector([1.0, 1.0])], &[false], 3.0).is_some());
    }
}
