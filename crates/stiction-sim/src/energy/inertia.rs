//! Inertia in the incremental potential.

use stiction::assemble::Assembly;
use stiction::blocks::Stencils;
use stiction::distance::Psd;
use stiction::math::Vector;
use stiction::potential::Potential;

use crate::mass::MassMatrix;

/// ```text
/// I(q) = ½ f Σₖₗ Mₖₗ (qₖ − q̃ₖ)·(qₗ − q̃ₗ)        [kg m²]
/// ```
/// with the masses `M` of the nodes in kg and the predicted positions `q̃` of the time integrator.
#[derive(Clone, Copy, Debug)]
pub struct Inertia<'a, const D: usize> {
    /// `M`.
    pub mass: &'a MassMatrix,
    /// `q̃`.
    pub predicted: &'a [Vector<D>],
    /// Factor of the masses: 1, or 0 without inertia.
    pub factor: f64,
}

impl<const D: usize> Potential<D> for Inertia<'_, D> {
    fn energy(&self, q: &[Vector<D>]) -> f64 {
        0.5 * self.factor * self.mass.form(|k| q[k] - self.predicted[k])
    }

    fn gradient(&self, q: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        self.mass.add_product(|k| q[k] - self.predicted[k], scale * self.factor, out);
    }

    fn stencils(&self, out: &mut Stencils) {
        self.mass.stencils(out);
    }

    fn hessian(&self, _q: &[Vector<D>], scale: f64, _psd: Psd, out: &mut Assembly<'_, D>) {
        self.mass.add_to(scale * self.factor, out);
    }
}
