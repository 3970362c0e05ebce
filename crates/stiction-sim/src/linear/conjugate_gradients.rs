//! Conjugate gradients, preconditioned with the blocks on the diagonal.

use std::array::from_fn;

use stiction::assemble;
use stiction::blocks::Blocks;
use stiction::math::{Matrix, Vector};

/// Where iterations end: the residual `r = b − A p` relative to `b`, both measured by `√(rᵀ M⁻¹ r)`.
///
/// The energy norm of the error is at most `√κ` times that, with the condition number `κ` of `M⁻¹ A`. For `κ` up to 10⁸ a Newton direction
/// is then right to 10⁻⁴, so the last iterate of a step, which the length of its direction decides on, is no further from the minimum than
/// with a direct solver, to four digits.
const TOLERANCE: f64 = 1e-8;

/// Iterations after which a solution is given up: about half the time of a factorisation with 30,000 unknowns.
const MAX_ITERATIONS: usize = 1000;

/// A solver for symmetric positive definite block matrices that needs no memory for a factor.
///
/// ```text
/// M = diag(A₁₁, A₂₂, …)        pₖ minimises ½ pᵀAp − bᵀp over M⁻¹b, (M⁻¹A) M⁻¹b, …
/// ```
/// Every `pₖ` is a direction of descent: the minimum over a line through 0 that is not 0 has `bᵀp = pᵀAp > 0`. The bits of the result are
/// the same for any number of threads.
#[derive(Clone, Debug, Default)]
pub struct ConjugateGradients<const D: usize> {
    inverse: Vec<Matrix<D>>,
    residual: Vec<Vector<D>>,
    preconditioned: Vec<Vector<D>>,
    direction: Vec<Vector<D>>,
    product: Vec<Vector<D>>,
    iterations: usize,
}

impl<const D: usize> ConjugateGradients<D> {
    /// Solves `A p = b`.
    ///
    /// Returns nothing where the matrix turns out not to be positive definite, or the solution is not found in 1000 iterations.
    pub fn solve(&mut self, matrix: &Blocks<D>, b: &[Vector<D>]) -> Option<Vec<Vector<D>>> {
        self.iterations = 0;
        self.precondition(matrix)?;
        let mut p = vec![Vector::ZERO; b.len()];
        self.residual.clear();
        self.residual.extend_from_slice(b);
        self.apply_preconditioner();
        self.direction.clone_from(&self.preconditioned);
        self.product.resize(b.len(), Vector::ZERO);
        let mut size = dot(&self.residual, &self.preconditioned);
        let enough = TOLERANCE * TOLERANCE * size;
        while size > enough {
            if self.iterations == MAX_ITERATIONS {
                return None;
            }
            self.iterations += 1;
            self.advance(matrix, size, &mut p)?;
            self.apply_preconditioner();
            let next = dot(&self.residual, &self.preconditioned);
            let ratio = next / size;
            for (d, z) in self.direction.iter_mut().zip(&self.preconditioned) {
                *d = *z + *d * ratio;
            }
            size = next;
        }
        // A size that is no number ends the loop, too.
        (size <= enough && p.iter().all(|p| p.is_finite())).then_some(p)
    }

    /// Iterations of the last solution.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Goes to the minimum along the direction; nothing if there is none.
    fn advance(&mut self, matrix: &Blocks<D>, size: f64, p: &mut [Vector<D>]) -> Option<()> {
        matrix.multiply(&self.direction, &mut self.product);
        let curvature = dot(&self.direction, &self.product);
        if curvature.is_nan() || curvature <= 0.0 {
            return None;
        }
        let t = size / curvature;
        for i in 0..p.len() {
            p[i] += self.direction[i] * t;
            self.residual[i] -= self.product[i] * t;
        }
        Some(())
    }

    /// `M⁻¹`; nothing if a block is not positive definite.
    fn precondition(&mut self, matrix: &Blocks<D>) -> Option<()> {
        self.inverse.clear();
        let pattern = matrix.pattern();
        self.inverse.resize(pattern.vertices(), Matrix::ZERO);
        for (column, inverse) in self.inverse.iter_mut().enumerate() {
            let diagonal = pattern.lower(column).next()?;
            *inverse = inverse_of(&matrix.values()[diagonal])?;
        }
        Some(())
    }

    fn apply_preconditioner(&mut self) {
        self.preconditioned.clear();
        self.preconditioned.extend(self.inverse.iter().zip(&self.residual).map(|(inverse, r)| *inverse * *r));
    }
}

/// The sum of products in chunks of fixed size.
fn dot<const D: usize>(a: &[Vector<D>], b: &[Vector<D>]) -> f64 {
    assemble::sum(a.len(), |i| a[i].dot(b[i]))
}

/// The inverse of a symmetric block; nothing unless it is positive definite.
fn inverse_of<const D: usize>(block: &Matrix<D>) -> Option<Matrix<D>> {
    let mut pivots = block.0;
    for k in 0..D {
        if pivots[k][k].is_nan() || pivots[k][k] <= 0.0 {
            return None;
        }
        for i in k + 1..D {
            let factor = pivots[i][k] / pivots[k][k];
            for j in k + 1..D {
                pivots[i][j] -= factor * pivots[k][j];
            }
        }
    }
    let Matrix(inverse) = block.inverse();
    // Symmetric to the last bit, as conjugate gradients assume.
    Some(Matrix(from_fn(|k| from_fn(|l| 0.5 * (inverse[k][l] + inverse[l][k])))))
}
