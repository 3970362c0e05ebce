//! What an energy is.

use crate::assemble::Assembly;
use crate::blocks::{Blocks, Stencils};
use crate::distance::Psd;
use crate::math::{Matrix, Vector};

/// An energy of the positions `x` of all vertices, with its derivatives.
///
/// A slice of potentials is their sum.
pub trait Potential<const D: usize> {
    /// The energy, in J; infinite where the configuration is impossible.
    fn energy(&self, x: &[Vector<D>]) -> f64;

    /// Adds `scale` times the gradient, in N, to `out`.
    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]);

    /// Lists the stencils of the Hessian's terms: one list for each call of
    /// [`assemble::hessian`](crate::assemble::hessian) that [`hessian`](Self::hessian) makes, in the same order.
    fn stencils(&self, out: &mut Stencils);

    /// Adds `scale` times the Hessian, in N/m, to `out`, its negative curvature treated term by term as `psd` says; `scale`
    /// must not be negative, unless nothing is treated ([`Psd::None`]).
    ///
    /// [`Blocks::assemble`], [`product`](Self::product), [`diagonal`](Self::diagonal) and
    /// [`quadratic_form`](Self::quadratic_form) are made of it.
    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>);

    /// Adds `scale` times the Hessian times `p` to `out`, without storing the matrix.
    ///
    /// # Panics
    /// If `p` or `out` is shorter than `x`.
    fn product(&self, x: &[Vector<D>], scale: f64, psd: Psd, p: &[Vector<D>], out: &mut [Vector<D>]) {
        self.hessian(x, scale, psd, &mut Assembly::Product { p, out });
    }

    /// Adds `scale` times the blocks on the Hessian's diagonal, in N/m, to `out`, without storing the matrix.
    ///
    /// # Panics
    /// If `out` is shorter than `x`.
    fn diagonal(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut [Matrix<D>]) {
        self.hessian(x, scale, psd, &mut Assembly::Diagonal(out));
    }

    /// `pᵀ H p` with the Hessian `H`, in J for `p` in m, without storing the matrix.
    ///
    /// # Panics
    /// If `p` is shorter than `x`.
    fn quadratic_form(&self, x: &[Vector<D>], psd: Psd, p: &[Vector<D>]) -> f64 {
        let mut sum = 0.0;
        self.hessian(x, 1.0, psd, &mut Assembly::Form { p, sum: &mut sum });
        sum
    }
}

impl<const D: usize, P: Potential<D> + ?Sized> Potential<D> for &P {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        (**self).energy(x)
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        (**self).gradient(x, scale, out);
    }

    fn stencils(&self, out: &mut Stencils) {
        (**self).stencils(out);
    }

    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        (**self).hessian(x, scale, psd, out);
    }
}

impl<const D: usize, P: Potential<D> + ?Sized> Potential<D> for [&P] {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        self.iter().map(|part| part.energy(x)).sum()
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        for part in self {
            part.gradient(x, scale, out);
        }
    }

    fn stencils(&self, out: &mut Stencils) {
        for part in self {
            part.stencils(out);
        }
    }

    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        for part in self {
            part.hessian(x, scale, psd, out);
        }
    }
}

impl<const D: usize> Blocks<D> {
    /// Becomes `scale` times the Hessian of a potential at positions `x`, in N/m, its negative curvature treated term by
    /// term as `psd` says.
    ///
    /// The pattern is kept where the stencils are those of the last time. The bits are the same for any number of threads.
    ///
    /// # Panics
    /// If a stencil names a vertex beyond `x`, or the potential adds other stencils than it lists.
    pub fn assemble<P: Potential<D> + ?Sized>(
        &mut self,
        potential: &P,
        x: &[Vector<D>],
        scale: f64,
        psd: Psd,
    ) {
        self.begin(x.len(), |stencils| potential.stencils(stencils));
        potential.hessian(x, scale, psd, &mut Assembly::Matrix(self));
        self.finish();
    }
}
