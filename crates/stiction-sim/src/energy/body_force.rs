//! Gravity and other forces that are given.

use stiction::assemble::{self, Assembly};
use stiction::blocks::Stencils;
use stiction::distance::Psd;
use stiction::math::Vector;
use stiction::potential::Potential;

/// ```text
/// W(x) = −Σᵢ (mᵢ g + fᵢ)·xᵢ        [J]
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BodyForce<'a, const D: usize> {
    /// Masses in kg.
    pub masses: &'a [f64],
    /// `g` in m/s².
    pub gravity: Vector<D>,
    /// `f` in N; none if empty.
    pub forces: &'a [Vector<D>],
}

impl<const D: usize> Potential<D> for BodyForce<'_, D> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        let weight = assemble::sum(x.len(), |i| self.masses[i] * self.gravity.dot(x[i]));
        -weight - assemble::sum(self.forces.len(), |i| self.forces[i].dot(x[i]))
    }

    fn gradient(&self, _x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        for (g, mass) in out.iter_mut().zip(self.masses) {
            *g -= self.gravity * (scale * mass);
        }
        for (g, force) in out.iter_mut().zip(self.forces) {
            *g -= *force * scale;
        }
    }

    fn stencils(&self, _out: &mut Stencils) {}

    fn hessian(&self, _x: &[Vector<D>], _scale: f64, _psd: Psd, _out: &mut Assembly<'_, D>) {}
}
