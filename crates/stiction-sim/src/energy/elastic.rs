//! Elastic energy of all elements.

use stiction::assemble::{self, Assembly};
use stiction::blocks::Stencils;
use stiction::distance::Psd;
use stiction::math::Vector;
use stiction::potential::Potential;

use crate::element::Simplex;

/// The sum of the elements' energies, in J: triangles in 2D, tetrahedra in 3D.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Elastic<const D: usize> {
    /// Solid elements in 2D.
    pub triangles: Vec<Simplex<D, 3>>,
    /// Solid elements in 3D.
    pub tetrahedra: Vec<Simplex<D, 4>>,
}

fn energy<const D: usize, const N: usize>(elements: &[Simplex<D, N>], x: &[Vector<D>]) -> f64 {
    assemble::energy(elements, |_, element| element.energy(&element.stencil.gather(x)))
}

fn gradient<const D: usize, const N: usize>(
    elements: &[Simplex<D, N>],
    x: &[Vector<D>],
    scale: f64,
    out: &mut [Vector<D>],
) {
    assemble::gradient(elements, out, |_, element| {
        let local = element.gradient(&element.stencil.gather(x));
        (element.stencil, local.map(|g| g * scale))
    });
}

fn hessian<const D: usize, const N: usize>(
    elements: &[Simplex<D, N>],
    x: &[Vector<D>],
    (scale, psd): (f64, Psd),
    out: &mut Assembly<'_, D>,
) {
    assemble::hessian(
        elements,
        out,
        |_, element| element.stencil,
        |_, element| {
            let local = element.hessian(&element.stencil.gather(x), psd);
            local.map(|row| row.map(|block| block * scale))
        },
    );
}

impl<const D: usize> Potential<D> for Elastic<D> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        energy(&self.triangles, x) + energy(&self.tetrahedra, x)
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        gradient(&self.triangles, x, scale, out);
        gradient(&self.tetrahedra, x, scale, out);
    }

    fn stencils(&self, out: &mut Stencils) {
        out.push(self.triangles.iter().map(|element| element.stencil));
        out.push(self.tetrahedra.iter().map(|element| element.stencil));
    }

    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        hessian(&self.triangles, x, (scale, psd), out);
        hessian(&self.tetrahedra, x, (scale, psd), out);
    }
}
