//! The incremental potential: its minimum is the next configuration.

use stiction::assemble::Assembly;
use stiction::barrier::BarrierPotential;
use stiction::blocks::Stencils;
use stiction::distance::Psd;
use stiction::friction::FrictionPotential;
use stiction::math::Vector;
use stiction::potential::Potential;

use super::{BodyForce, Damping, Elastic, Inertia};

/// ```text
/// E(x) = I(x) + s (Ψ(x) + D(x) + W(x) + B(x) + P(x))        [kg m²]
/// ```
/// inertia, elasticity, damping, gravity, barrier and friction, with the integrator's scale `s` in s² (h² for
/// implicit Euler). \[Li2020\]
#[derive(Clone, Copy)]
pub struct Incremental<'a, const D: usize> {
    /// `I`.
    pub inertia: Inertia<'a, D>,
    /// `Ψ`.
    pub elastic: &'a Elastic<D>,
    /// `D`.
    pub damping: Damping<'a, D>,
    /// `W`.
    pub body_force: BodyForce<'a, D>,
    /// `B`.
    pub barrier: BarrierPotential<'a, D>,
    /// `P`.
    pub friction: FrictionPotential<'a, D>,
    /// `s` in s².
    pub scale: f64,
}

impl<'a, const D: usize> Incremental<'a, D> {
    /// The potentials that `s` multiplies.
    fn scaled(&self) -> [&(dyn Potential<D> + 'a); 5] {
        [self.elastic, &self.damping, &self.body_force, &self.barrier, &self.friction]
    }

    /// The energy and the sum of the absolute values of its parts, which bounds its rounding error.
    pub fn energy_and_magnitude(&self, x: &[Vector<D>]) -> (f64, f64) {
        let inertia = self.inertia.energy(x);
        let (mut energy, mut magnitude) = (inertia, inertia.abs());
        for part in self.scaled() {
            let value = self.scale * part.energy(x);
            energy += value;
            magnitude += value.abs();
        }
        (energy, magnitude)
    }
}

impl<const D: usize> Potential<D> for Incremental<'_, D> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        self.energy_and_magnitude(x).0
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        self.inertia.gradient(x, scale, out);
        for part in self.scaled() {
            part.gradient(x, scale * self.scale, out);
        }
    }

    fn stencils(&self, out: &mut Stencils) {
        self.inertia.stencils(out);
        for part in self.scaled() {
            part.stencils(out);
        }
    }

    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        self.inertia.hessian(x, scale, psd, out);
        for part in self.scaled() {
            part.hessian(x, scale * self.scale, psd, out);
        }
    }
}
