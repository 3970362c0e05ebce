//! The Hessian with closest points held fixed, without ever making it.
//!
//! ```text
//! H ≈ Σₖ κ w (4f″ (Jᵀr)(Jᵀr)ᵀ + 2f′ JᵀJ)        r = Σ cᵢ xᵢ ,   J = [c₀I … cₙI]
//! ```
//! Closest points are held, and the mollifier of nearly parallel edges is taken as 1: an upper bound, as a preconditioner wants it. Negative curvature is kept: for the
//! projected one see [`Psd::GaussNewton`](crate::distance::Psd::GaussNewton). For a preconditioner and the step length of
//! conjugate gradients. \[Shen2024\]

use super::kappa::StiffContacts;
use super::{Barrier, BarrierPotential};
use crate::assemble;
use crate::contact::{Contact, ObstacleContact, ParallelContact};
use crate::distance::Separation;
use crate::math::Vector;
use crate::stencil::{EdgeEdge, Pair, PairKind, Stencil, VertexEdge, VertexFace, VertexVertex};

/// One term of the sum: vertices and weights, `r`, `κ w 4f″` and `κ w 2f′`.
struct Term<const D: usize, const N: usize> {
    stencil: Stencil<N>,
    c: [f64; N],
    r: Vector<D>,
    along: f64,
    across: f64,
}

impl<const D: usize, const N: usize> Term<D, N> {
    /// `pᵀHp`.
    fn form(&self, p: &[Vector<D>]) -> f64 {
        let moved = self.stencil.gather(p);
        let relative = (0..N).fold(Vector::ZERO, |sum, i| sum + moved[i] * self.c[i]);
        self.along * relative.dot(self.r).powi(2) + self.across * relative.norm_squared()
    }

    /// The diagonal of `H`.
    fn diagonal(&self) -> (Stencil<N>, [Vector<D>; N]) {
        let entry = Vector(self.r.0.map(|r| self.along * r * r + self.across));
        (self.stencil, self.c.map(|c| entry * (c * c)))
    }
}

impl<const D: usize, B: Barrier> BarrierPotential<'_, D, B> {
    /// Adds `scale` times the diagonal of the approximation, in N/m, to `out`.
    ///
    /// # Panics
    /// If `x`, `out` or `obstacles` is not as long as the array that the contacts were built with.
    pub fn gauss_newton_diagonal(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        self.pair_diagonal::<VertexVertex, 2>(self.vv(), x, scale, out);
        self.pair_diagonal::<VertexEdge, 3>(self.ve(), x, scale, out);
        self.pair_diagonal::<EdgeEdge, 4>(self.ee(), x, scale, out);
        self.pair_diagonal::<VertexFace, 4>(self.vf(), x, scale, out);
        let (parallel, obstacle) = (self.parallel().kappa, self.obstacle().kappa);
        assemble::gradient(&self.contacts.parallel, out, |k, c| {
            self.parallel_term(c, x, scale * parallel.at(k)).diagonal()
        });
        assemble::gradient(&self.contacts.obstacle, out, |k, c| {
            self.obstacle_term(c, x, scale * obstacle.at(k)).diagonal()
        });
    }

    /// `pᵀHp` with the approximation, in J for `p` in m.
    ///
    /// # Panics
    /// If `x`, `p` or `obstacles` is not as long as the array that the contacts were built with.
    pub fn gauss_newton_form(&self, x: &[Vector<D>], p: &[Vector<D>]) -> f64 {
        let c = self.contacts;
        let (parallel, obstacle) = (self.parallel().kappa, self.obstacle().kappa);
        self.pair_form::<VertexVertex, 2>(self.vv(), x, p)
            + self.pair_form::<VertexEdge, 3>(self.ve(), x, p)
            + self.pair_form::<EdgeEdge, 4>(self.ee(), x, p)
            + self.pair_form::<VertexFace, 4>(self.vf(), x, p)
            + assemble::energy(&c.parallel, |k, c| self.parallel_term(c, x, parallel.at(k)).form(p))
            + assemble::energy(&c.obstacle, |k, c| self.obstacle_term(c, x, obstacle.at(k)).form(p))
    }

    fn pair_diagonal<K: PairKind<N>, const N: usize>(
        &self,
        StiffContacts { contacts, kappa }: StiffContacts<'_, Contact<N>>,
        x: &[Vector<D>],
        scale: f64,
        out: &mut [Vector<D>],
    ) {
        assemble::gradient(contacts, out, |k, c| self.term(&K::PAIR, c, x, scale * kappa.at(k)).diagonal());
    }

    fn pair_form<K: PairKind<N>, const N: usize>(
        &self,
        StiffContacts { contacts, kappa }: StiffContacts<'_, Contact<N>>,
        x: &[Vector<D>],
        p: &[Vector<D>],
    ) -> f64 {
        assemble::energy(contacts, |k, c| self.term(&K::PAIR, c, x, kappa.at(k)).form(p))
    }

    fn term<const N: usize>(
        &self,
        pair: &Pair<N>,
        contact: &Contact<N>,
        x: &[Vector<D>],
        factor: f64,
    ) -> Term<D, N> {
        let Separation { c, r, .. } = Separation::new(pair, &contact.stencil.gather(x));
        let (f1, f2) = self.law.derivatives(r.norm_squared());
        let factor = factor * contact.weight;
        Term { stencil: contact.stencil, c, r, along: 4.0 * factor * f2, across: 2.0 * factor * f1 }
    }

    fn parallel_term(&self, c: &ParallelContact, x: &[Vector<D>], factor: f64) -> Term<D, 4> {
        self.term(&c.pair(), &c.contact, x, factor)
    }

    fn obstacle_term(&self, c: &ObstacleContact, x: &[Vector<D>], factor: f64) -> Term<D, 1> {
        let (d, normal) = self.obstacle_distance(c, x);
        let (f1, f2) = self.law.derivatives(d * d);
        let factor = factor * c.weight;
        Term {
            stencil: c.stencil,
            c: [1.0],
            r: normal * d,
            along: 4.0 * factor * f2,
            across: 2.0 * factor * f1,
        }
    }
}
