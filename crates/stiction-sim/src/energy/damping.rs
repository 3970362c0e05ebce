//! Rayleigh damping in the incremental potential.

use stiction::assemble::{self, Assembly};
use stiction::blocks::Stencils;
use stiction::distance::Psd;
use stiction::friction::Motion;
use stiction::math::{Matrix, Vector};
use stiction::potential::Potential;
use stiction::stencil::Stencil;

use super::Elastic;
use crate::element::Element;
use crate::mass::MassMatrix;

/// What damps the bodies of a model; both are empty if nothing does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rayleigh {
    /// `αₖ Mₖₗ` of the nodes, in kg/s.
    pub drag: MassMatrix,
    /// `β` of the body of every node, in s.
    pub beta: Vec<f64>,
}

/// The matrix `βₑ Kₑ` of an element.
#[derive(Clone, Debug, PartialEq)]
struct Frozen<const D: usize, const N: usize> {
    stencil: Stencil<N>,
    matrix: [[Matrix<D>; N]; N],
}

/// `βₑ Kₑ` of all elements that damp, in N s/m: the stiffness at the start of a step, without negative curvature, so that damping never
/// drives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Viscosity<const D: usize> {
    pairs: Vec<Frozen<D, 2>>,
    triples: Vec<Frozen<D, 3>>,
    quadruples: Vec<Frozen<D, 4>>,
}

impl<const D: usize> Viscosity<D> {
    /// That of the configuration `x`.
    pub fn at(elastic: &Elastic<D>, x: &[Vector<D>], rayleigh: &Rayleigh) -> Self {
        let beta = &rayleigh.beta[..];
        if beta.is_empty() {
            return Self::default();
        }
        let Elastic { triangles, tetrahedra, membranes, hinges, springs, bends } = elastic;
        let mut triples = frozen(triangles, x, beta);
        triples.extend(frozen(membranes, x, beta));
        triples.extend(frozen(bends, x, beta));
        let mut quadruples = frozen(tetrahedra, x, beta);
        quadruples.extend(frozen(hinges, x, beta));
        Self { pairs: frozen(springs, x, beta), triples, quadruples }
    }
}

fn frozen<const D: usize, const N: usize>(
    elements: &[impl Element<D, N>],
    x: &[Vector<D>],
    beta: &[f64],
) -> Vec<Frozen<D, N>> {
    let damps = |stencil: &Stencil<N>| beta[stencil.0[0] as usize];
    let damped: Vec<_> = elements.iter().filter(|element| damps(&element.stencil()) > 0.0).collect();
    assemble::each(&damped, |_, element| {
        let stencil = element.stencil();
        let mut matrix = element.hessian(&stencil.gather(x), Psd::Clamp);
        for block in matrix.as_flattened_mut() {
            *block = *block * damps(&stencil);
        }
        Frozen { stencil, matrix }
    })
}

/// ```text
/// D(x) = ½ ĥ (Σₖₗ αₖ Mₖₗ vₖ·vₗ + Σₑ vₑᵀ βₑ Kₑ vₑ)        [J]
/// ∂D/∂xₖ = αₖ Σₗ Mₖₗ vₗ + (Σₑ βₑ Kₑ vₑ)ₖ
/// ```
/// with the integrator's velocity `v(x)`, of which `ĥ⁻¹` is the derivative. A vibration of angular frequency `ω` that is not forced loses
/// the fraction `α/(2ω) + β ω/2` of critical damping.
#[derive(Clone, Copy, Debug)]
pub struct Damping<'a, const D: usize> {
    /// `αₖ Mₖₗ`; none where nothing drags.
    pub drag: Option<&'a MassMatrix>,
    /// `βₑ Kₑ`.
    pub viscosity: &'a Viscosity<D>,
    /// `v(x)`.
    pub motion: Motion<'a, D>,
}

impl<const D: usize> Damping<'_, D> {
    /// Heat of a step of length `h` in s that ends at `x`, in J: `h vᵀ (α M + β K) v`.
    pub fn heat(&self, x: &[Vector<D>], h: f64) -> f64 {
        2.0 * h / self.motion.h_hat * self.energy(x)
    }

    fn force<const N: usize>(&self, element: &Frozen<D, N>, x: &[Vector<D>]) -> [Vector<D>; N] {
        let v = element.stencil.0.map(|i| self.motion.velocity(x, i as usize));
        std::array::from_fn(|i| (0..N).fold(Vector::ZERO, |sum, j| sum + element.matrix[i][j] * v[j]))
    }

    fn power<const N: usize>(&self, elements: &[Frozen<D, N>], x: &[Vector<D>]) -> f64 {
        assemble::energy(elements, |_, element| {
            let force = self.force(element, x);
            (0..N).map(|i| force[i].dot(self.motion.velocity(x, element.stencil.0[i] as usize))).sum()
        })
    }

    fn add_forces<const N: usize>(
        &self,
        elements: &[Frozen<D, N>],
        x: &[Vector<D>],
        scale: f64,
        out: &mut [Vector<D>],
    ) {
        assemble::gradient(elements, out, |_, element| {
            (element.stencil, self.force(element, x).map(|force| force * scale))
        });
    }
}

fn add_matrices<const D: usize, const N: usize>(
    elements: &[Frozen<D, N>],
    scale: f64,
    out: &mut Assembly<'_, D>,
) {
    let scaled = |element: &Frozen<D, N>| element.matrix.map(|row| row.map(|block| block * scale));
    assemble::hessian(elements, out, |_, element| element.stencil, |_, element| scaled(element));
}

impl<const D: usize> Potential<D> for Damping<'_, D> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        let Viscosity { pairs, triples, quadruples } = self.viscosity;
        let drag = self.drag.map_or(0.0, |drag| drag.form(|i| self.motion.velocity(x, i)));
        let inner = self.power(pairs, x) + self.power(triples, x) + self.power(quadruples, x);
        0.5 * self.motion.h_hat * (drag + inner)
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        let Viscosity { pairs, triples, quadruples } = self.viscosity;
        if let Some(drag) = self.drag {
            drag.add_product(|i| self.motion.velocity(x, i), scale, out);
        }
        self.add_forces(pairs, x, scale, out);
        self.add_forces(triples, x, scale, out);
        self.add_forces(quadruples, x, scale, out);
    }

    fn stencils(&self, out: &mut Stencils) {
        let Viscosity { pairs, triples, quadruples } = self.viscosity;
        if let Some(drag) = self.drag {
            drag.stencils(out);
        }
        out.push(pairs.iter().map(|element| element.stencil));
        out.push(triples.iter().map(|element| element.stencil));
        out.push(quadruples.iter().map(|element| element.stencil));
    }

    fn hessian(&self, _x: &[Vector<D>], scale: f64, _psd: Psd, out: &mut Assembly<'_, D>) {
        let Viscosity { pairs, triples, quadruples } = self.viscosity;
        let scale = scale / self.motion.h_hat;
        if let Some(drag) = self.drag {
            drag.add_to(scale, out);
        }
        add_matrices(pairs, scale, out);
        add_matrices(triples, scale, out);
        add_matrices(quadruples, scale, out);
    }
}
