//! Inertia in the incremental potential.

use stiction::assemble::{self, Assembly};
use stiction::blocks::Stencils;
use stiction::distance::Psd;
use stiction::math::{Matrix, Vector};
use stiction::potential::Potential;
use stiction::stencil::Stencil;

/// ```text
/// I(x) = ½ f Σᵢ mᵢ |xᵢ − x̃ᵢ|²        [kg m²]
/// ```
/// with masses in kg lumped to the vertices and the predicted positions `x̃` of the time integrator.
#[derive(Clone, Copy, Debug)]
pub struct Inertia<'a, const D: usize> {
    /// Masses.
    pub masses: &'a [f64],
    /// `x̃`.
    pub predicted: &'a [Vector<D>],
    /// Factor of the masses: 1, or 0 without inertia.
    pub factor: f64,
}

impl<const D: usize> Potential<D> for Inertia<'_, D> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        0.5 * self.factor
            * assemble::sum(x.len(), |i| self.masses[i] * (x[i] - self.predicted[i]).norm_squared())
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        for i in 0..x.len() {
            out[i] += (x[i] - self.predicted[i]) * (scale * self.factor * self.masses[i]);
        }
    }

    fn stencils(&self, out: &mut Stencils) {
        out.push((0..self.masses.len() as u32).map(|i| Stencil([i])));
    }

    fn hessian(&self, _x: &[Vector<D>], scale: f64, _psd: Psd, out: &mut Assembly<'_, D>) {
        let (masses, scale) = (self.masses, scale * self.factor);
        assemble::hessian(
            masses,
            out,
            |i, _| Stencil([i as u32]),
            |_, mass| [[Matrix::scalar(scale * mass)]],
        );
    }
}
