//! What an energy is.

use crate::blocks::Blocks;
use crate::distance::Psd;
use crate::math::Vector;

/// An energy of the positions `x` of all vertices, with its derivatives.
pub trait Potential<const D: usize> {
    /// The energy, in J; infinite where the configuration is impossible.
    fn energy(&self, x: &[Vector<D>]) -> f64;

    /// Adds `scale` times the gradient, in N, to `out`.
    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]);

    /// Adds `scale` times the Hessian, in N/m, to `out`, its negative curvature treated term by term
    /// as `psd` says; `scale` must not be negative.
    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Blocks<D>);
}
