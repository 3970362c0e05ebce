//! Elastic energy of all elements.

use stiction::assemble::{self, Assembly};
use stiction::blocks::Stencils;
use stiction::distance::{Projection, Psd};
use stiction::math::Vector;
use stiction::potential::Potential;

use crate::element::{Bend, Element, Hinge, Membrane, Simplex, Spring};

/// The sum of the elements' energies, in J: solids, sheets that stretch and bend, rods that stretch and bend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Elastic<const D: usize> {
    /// Solid elements in 2D.
    pub triangles: Vec<Simplex<D, 3>>,
    /// Solid elements in 3D.
    pub tetrahedra: Vec<Simplex<D, 4>>,
    /// Sheets.
    pub membranes: Vec<Membrane<D>>,
    /// Bending of sheets, in 3D.
    pub hinges: Vec<Hinge<D>>,
    /// Rods and springs.
    pub springs: Vec<Spring>,
    /// Bending of rods.
    pub bends: Vec<Bend<D>>,
}

fn energy<const D: usize, const N: usize>(elements: &[impl Element<D, N>], x: &[Vector<D>]) -> f64 {
    assemble::energy(elements, |_, element| element.energy(&element.stencil().gather(x)))
}

fn gradient<const D: usize, const N: usize>(
    elements: &[impl Element<D, N>],
    x: &[Vector<D>],
    scale: f64,
    out: &mut [Vector<D>],
) {
    assemble::gradient(elements, out, |_, element| {
        let local = element.gradient(&element.stencil().gather(x));
        (element.stencil(), local.map(|g| g * scale))
    });
}

fn stencils<const D: usize, const N: usize>(elements: &[impl Element<D, N>], out: &mut Stencils) {
    out.push(elements.iter().map(Element::stencil));
}

fn hessian<const D: usize, const N: usize>(
    elements: &[impl Element<D, N>],
    x: &[Vector<D>],
    Projection { scale, psd }: Projection,
    out: &mut Assembly<'_, D>,
) {
    assemble::hessian(
        elements,
        out,
        |_, element| element.stencil(),
        |_, element| {
            let mut local = element.hessian(&element.stencil().gather(x), psd);
            // In place: a copy of so many numbers is not free.
            for block in local.as_flattened_mut() {
                *block = *block * scale;
            }
            local
        },
    );
}

impl<const D: usize> Potential<D> for Elastic<D> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        let solids = energy(&self.triangles, x) + energy(&self.tetrahedra, x);
        let sheets = energy(&self.membranes, x) + energy(&self.hinges, x);
        solids + sheets + energy(&self.springs, x) + energy(&self.bends, x)
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        gradient(&self.triangles, x, scale, out);
        gradient(&self.tetrahedra, x, scale, out);
        gradient(&self.membranes, x, scale, out);
        gradient(&self.hinges, x, scale, out);
        gradient(&self.springs, x, scale, out);
        gradient(&self.bends, x, scale, out);
    }

    fn stencils(&self, out: &mut Stencils) {
        stencils(&self.triangles, out);
        stencils(&self.tetrahedra, out);
        stencils(&self.membranes, out);
        stencils(&self.hinges, out);
        stencils::<D, 2>(&self.springs, out);
        stencils(&self.bends, out);
    }

    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        let how = Projection { scale, psd };
        hessian(&self.triangles, x, how, out);
        hessian(&self.tetrahedra, x, how, out);
        hessian(&self.membranes, x, how, out);
        hessian(&self.hinges, x, how, out);
        hessian(&self.springs, x, how, out);
        hessian(&self.bends, x, how, out);
    }
}
