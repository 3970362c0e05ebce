//! Sparse Cholesky factorisation on one thread, with the symbolic part and all memory kept while the pattern stays.

use std::fmt;
use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use stiction::blocks::{Blocks, Pattern};
use stiction::math::{Vector, vector};

use super::order::minimum_degree_of;

/// Sequential: with threads the last bits would depend on their number.
const PAR: Par = Par::Seq;

/// A solver for symmetric positive definite block matrices.
///
/// What it does depends on the matrix alone, not on those before: a run that is resumed goes on with the same bits. So the order of
/// elimination is not kept when the pattern changes; it is found for vertices, not for coordinates, in a graph with a ninth of the entries in 3D.
#[derive(Debug, Default)]
pub struct Sequential {
    pattern: Arc<Pattern>,
    /// `D` of the last matrix.
    dimension: usize,
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    symbolic: Option<SymbolicCholesky<usize>>,
    factor: Vec<f64>,
    scratch: Scratch,
}

/// Memory without a meaning of its own.
#[derive(Default)]
struct Scratch(Option<MemBuffer>);

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scratch")
    }
}

impl Sequential {
    /// Solves `A p = b`.
    ///
    /// `shifts`, one for each vertex or none, are added to the diagonal. Returns nothing where the matrix is not positive definite or
    /// memory runs out.
    pub fn solve<const D: usize>(
        &mut self,
        matrix: &Blocks<D>,
        b: &[Vector<D>],
        shifts: &[f64],
    ) -> Option<Vec<Vector<D>>> {
        self.prepare::<D>(matrix.pattern())?;
        self.load(matrix, shifts);
        let mut p = b.to_vec();
        self.factorise_and_solve(vector::flat_mut(&mut p))?;
        Some(p)
    }

    /// Analyses a pattern, unless it is that of the last matrix.
    fn prepare<const D: usize>(&mut self, pattern: &Arc<Pattern>) -> Option<()> {
        let same = self.dimension == D && (Arc::ptr_eq(&self.pattern, pattern) || self.pattern == *pattern);
        (self.pattern, self.dimension) = (Arc::clone(pattern), D);
        if same && self.symbolic.is_some() {
            return Some(());
        }
        (self.symbolic, self.scratch) = (None, Scratch(None));
        self.lay_out::<D>();
        let n = pattern.vertices() * D;
        let columns = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows);
        let (order, inverse) = order::<D>(pattern)?;
        let order = SymmetricOrdering::Custom(PermRef::new_checked(&order, &inverse, n));
        let params = CholeskySymbolicParams::default();
        let symbolic = factorize_symbolic_cholesky(columns, Side::Lower, order, params).ok()?;
        let need = symbolic
            .factorize_numeric_llt_scratch::<f64>(PAR, faer::Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, PAR));
        self.scratch = Scratch(Some(MemBuffer::try_new(need).ok()?));
        self.factor.resize(symbolic.len_val(), 0.0);
        self.symbolic = Some(symbolic);
        Some(())
    }

    /// Where the lower triangle has numbers, as plain columns.
    fn lay_out<const D: usize>(&mut self) {
        self.starts.clear();
        self.rows.clear();
        self.starts.push(0);
        for column in 0..self.pattern.vertices() {
            for l in 0..D {
                for place in self.pattern.lower(column) {
                    let row = self.pattern.rows()[place] as usize;
                    let first = if row == column { l } else { 0 };
                    self.rows.extend((first..D).map(|k| row * D + k));
                }
                self.starts.push(self.rows.len());
            }
        }
    }

    /// The numbers in the order of [`lay_out`](Self::lay_out).
    fn load<const D: usize>(&mut self, matrix: &Blocks<D>, shifts: &[f64]) {
        self.values.clear();
        for column in 0..self.pattern.vertices() {
            let shift = shifts.get(column).copied().unwrap_or(0.0);
            for l in 0..D {
                for place in self.pattern.lower(column) {
                    let (row, block) = (self.pattern.rows()[place] as usize, &matrix.values()[place].0);
                    if row == column {
                        self.values.push(block[l][l] + shift);
                        self.values.extend((l + 1..D).map(|k| block[k][l]));
                    } else {
                        self.values.extend((0..D).map(|k| block[k][l]));
                    }
                }
            }
        }
    }

    fn factorise_and_solve(&mut self, rhs: &mut [f64]) -> Option<()> {
        let n = rhs.len();
        let symbolic = self.symbolic.as_ref()?;
        let stack = MemStack::new(self.scratch.0.as_mut()?);
        let columns = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows);
        symbolic
            .factorize_numeric_llt(
                &mut self.factor,
                SparseColMatRef::new(columns, &self.values),
                Side::Lower,
                LltRegularization::default(),
                PAR,
                stack,
                faer::Spec::default(),
            )
            .ok()?;
        let llt = LltRef::new(symbolic, &self.factor);
        llt.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(rhs, n, 1), PAR, stack);
        rhs.iter().all(|value| value.is_finite()).then_some(())
    }
}

/// The order in which the `D` coordinates of each vertex are eliminated, and its inverse. Nothing if memory runs out.
fn order<const D: usize>(pattern: &Pattern) -> Option<(Vec<usize>, Vec<usize>)> {
    let rows: Vec<usize> = pattern.rows().iter().map(|row| *row as usize).collect();
    let starts: Vec<usize> =
        std::iter::once(0).chain((0..pattern.vertices()).map(|column| pattern.lower(column).end)).collect();
    let (order, inverse) = minimum_degree_of(&starts, &rows)?;
    Some((coordinates::<D>(&order), coordinates::<D>(&inverse)))
}

/// The `D` coordinates of each vertex of a list, together.
fn coordinates<const D: usize>(vertices: &[usize]) -> Vec<usize> {
    vertices.iter().flat_map(|v| (0..D).map(move |k| v * D + k)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::assemble::{self, Assembly};
    use stiction::math::Matrix;
    use stiction::stencil::Stencil;

    /// Springs of stiffness 2 between neighbours of a chain, and 1 to the ground at each vertex.
    fn chain<const D: usize>(n: u32) -> Blocks<D> {
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
        let mut solver = Sequential::default();
        let b: Vec<_> = (0..n).map(|i| Vector([i as f64, 1.0])).collect();
        for _ in 0..2 {
            let p = solver.solve(&chain(n as u32), &b, &[]).unwrap();
            check(&p, &b);
        }
    }

    /// That `p` solves the system of the chain.
    fn check<const D: usize>(p: &[Vector<D>], b: &[Vector<D>]) {
        for i in 0..b.len() {
            let mut residual = p[i] - b[i];
            for j in [i.wrapping_sub(1), i + 1] {
                if j < b.len() {
                    residual += (p[i] - p[j]) * 2.0;
                }
            }
            assert!(residual.norm() < 1e-12);
        }
    }

    /// The pattern of vertices is the same in 2D and 3D, the system is not.
    #[test]
    fn a_solver_tells_dimensions_apart() {
        let mut solver = Sequential::default();
        let flat: Vec<_> = (0..9).map(|i| Vector([f64::from(i), 1.0])).collect();
        let full: Vec<_> = (0..9).map(|i| Vector([f64::from(i), 1.0, -0.5])).collect();
        for _ in 0..2 {
            check(&solver.solve(&chain(9), &flat, &[]).unwrap(), &flat);
            check(&solver.solve(&chain(9), &full, &[]).unwrap(), &full);
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let mut blocks = Blocks::<2>::default();
        blocks.begin(1, |stencils| stencils.push([Stencil([0])].into_iter()));
        let out = &mut Assembly::Matrix(&mut blocks);
        assemble::hessian(&[-1.0], out, |_, _| Stencil([0]), |_, s| [[Matrix::scalar(*s)]]);
        blocks.finish();
        let mut solver = Sequential::default();
        assert!(solver.solve(&blocks, &[Vector([1.0, 1.0])], &[]).is_none());
        assert!(solver.solve(&blocks, &[Vector([1.0, 1.0])], &[3.0]).is_some());
    }
}
