//! The incremental potential: its minimum is the next configuration.

use std::borrow::Cow;

use stiction::assemble::Assembly;
use stiction::blocks::Stencils;
use stiction::distance::Psd;
use stiction::linear_map::LinearMap;
use stiction::math::Vector;
use stiction::potential::Potential;
use stiction::pull_back::PullBack;

use super::Inertia;

/// Whose positions an energy depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Domain {
    /// Nodes `q`: what moves by itself.
    #[default]
    Nodes,
    /// Vertices of the surface `x = W q`: what touches and is drawn.
    Surface,
}

/// One of the energies that a step makes small.
pub struct NamedPotential<'a, const D: usize> {
    /// Its name in reports.
    pub name: &'a str,
    /// What it depends on.
    pub domain: Domain,
    /// The energy, in J.
    pub potential: Box<dyn Potential<D> + 'a>,
}

/// ```text
/// E(q) = I(q) + s Σ Pₖ        [kg m²]
/// ```
/// inertia, and all other energies `Pₖ` with the integrator's scale `s` in s² (h² for implicit Euler), each of the nodes or of the
/// surface that they move. \[Li2020\]
pub struct Incremental<'a, const D: usize> {
    /// `I`.
    pub inertia: Inertia<'a, D>,
    /// `P`, in the order in which they are summed.
    pub terms: Vec<NamedPotential<'a, D>>,
    /// `s` in s².
    pub scale: f64,
    /// `W`; nothing where every vertex is a node.
    pub map: Option<&'a LinearMap>,
}

impl<const D: usize> Incremental<'_, D> {
    /// The energy and the sum of the absolute values of its parts, which bounds its rounding error.
    pub fn energy_and_magnitude(&self, q: &[Vector<D>]) -> (f64, f64) {
        let x = self.map.map_or(Cow::Borrowed(q), |map| Cow::Owned(map.apply(q)));
        let inertia = self.inertia.energy(q);
        let (mut energy, mut magnitude) = (inertia, inertia.abs());
        for term in &self.terms {
            let at = if term.domain == Domain::Surface { &x[..] } else { q };
            let value = self.scale * term.potential.energy(at);
            energy += value;
            magnitude += value.abs();
        }
        (energy, magnitude)
    }

    /// Shows each term as an energy of the nodes.
    fn for_each(&self, mut f: impl FnMut(&dyn Potential<D>)) {
        for NamedPotential { domain, potential, .. } in &self.terms {
            match self.map {
                Some(map) if *domain == Domain::Surface => f(&PullBack { potential: &**potential, map }),
                _ => f(&**potential),
            }
        }
    }
}

impl<const D: usize> Potential<D> for Incremental<'_, D> {
    fn energy(&self, q: &[Vector<D>]) -> f64 {
        self.energy_and_magnitude(q).0
    }

    fn gradient(&self, q: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        self.inertia.gradient(q, scale, out);
        self.for_each(|term| term.gradient(q, scale * self.scale, out));
    }

    fn stencils(&self, out: &mut Stencils) {
        self.inertia.stencils(out);
        self.for_each(|term| term.stencils(out));
    }

    fn hessian(&self, q: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        self.inertia.hessian(q, scale, psd, out);
        self.for_each(|term| term.hessian(q, scale * self.scale, psd, out));
    }
}
