//! The normal forces of contacts.

use super::kappa::StiffContacts;
use super::{Barrier, BarrierPotential};
use crate::assemble;
use crate::contact::{Contact, PerContact};
use crate::distance::Separation;
use crate::math::Vector;
use crate::mollifier;
use crate::stencil::{EdgeEdge, PairKind, VertexEdge, VertexFace, VertexVertex};

impl<const D: usize, B: Barrier> BarrierPotential<'_, D, B> {
    /// Normal force of every contact at positions `x`, in N.
    ///
    /// ```text
    /// λₖ = −κₖ wₖ mₖ ∂f/∂d = −κₖ wₖ mₖ 2d f′(d²)
    /// ```
    /// Not finite where the energy is infinite.
    ///
    /// # Panics
    /// If `x` or `obstacles` is not the array that the contacts were built with.
    pub fn forces(&self, x: &[Vector<D>]) -> PerContact<f64> {
        let c = self.contacts;
        let (parallel, obstacle) = (self.parallel().kappa, self.obstacle().kappa);
        PerContact {
            vv: self.pair_forces::<VertexVertex, 2>(self.vv(), x),
            ve: self.pair_forces::<VertexEdge, 3>(self.ve(), x),
            ee: self.pair_forces::<EdgeEdge, 4>(self.ee(), x),
            vf: self.pair_forces::<VertexFace, 4>(self.vf(), x),
            parallel: assemble::each(&c.parallel, |k, c| {
                let x = c.contact.stencil.gather(x);
                let d2 = Separation::new(&c.pair(), &x).distance_squared();
                let m = mollifier::value(mollifier::cross_squared(&x), c.threshold);
                parallel.at(k) * c.contact.weight * m * self.law.force(d2)
            }),
            obstacle: assemble::each(&c.obstacle, |k, c| {
                let (d, _) = self.obstacle_distance(c, x);
                if d > 0.0 { obstacle.at(k) * c.weight * self.law.force(d * d) } else { f64::NAN }
            }),
        }
    }

    fn pair_forces<K: PairKind<N>, const N: usize>(
        &self,
        StiffContacts { contacts, kappa }: StiffContacts<'_, Contact<N>>,
        x: &[Vector<D>],
    ) -> Vec<f64> {
        assemble::each(contacts, |k, c| {
            let d2 = Separation::new(&K::PAIR, &c.stencil.gather(x)).distance_squared();
            kappa.at(k) * c.weight * self.law.force(d2)
        })
    }

    /// Sum of the normal forces of all contacts, in N.
    ///
    /// # Panics
    /// As [`Self::forces`].
    pub fn total_force(&self, x: &[Vector<D>]) -> f64 {
        self.forces(x).iter().sum()
    }
}
