//! What an energy is.

use crate::blocks::{Blocks, Stencils};
use crate::distance::Psd;
use crate::math::Vector;

/// An energy of the positions `x` of all vertices, with its derivatives.
pub trait Potential<const D: usize> {
    /// The energy, in J; infinite where the configuration is impossible.
    fn energy(&self, x: &[Vector<D>]) -> f64;

    /// Adds `scale` times the gradient, in N, to `out`.
    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]);

    /// Lists the stencils of the Hessian's terms, in the order in which [`hessian`](Self::hessian) adds them.
    fn stencils(&self, out: &mut Stencils);

    /// Adds `scale` times the Hessian, in N/m, to `out`, its negative curvature treated term by term
    /// as `psd` says; `scale` must not be negative.
    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Blocks<D>);
}
