//! How friction forces change with displacements and with positions at rest.

use super::{Kind, LaggedForce};
use crate::assemble;
use crate::barrier::Barrier;
use crate::blocks::{EntryColumns, FullBlocks};
use crate::contact::{Contact, WeightSources};
use crate::friction::jacobian::grip::Grip;
use crate::friction::law::FrictionLaw;
use crate::friction::slide::Slide;
use crate::math::{Matrix, Vector};
use crate::mesh::Surface;
use crate::stencil::{EdgeEdge, PairKind, VertexEdge, VertexFace, VertexVertex};

impl<const D: usize, B: Barrier, L: FrictionLaw> LaggedForce<'_, D, B, L> {
    /// `∂F/∂u` with velocities held, in N/m: rows belong to forces, columns to displacements. Not symmetric.
    ///
    /// # Panics
    /// If `x` or `v` is shorter than the array that the contacts were built with.
    pub fn by_displacement(&self, x: &[Vector<D>], v: &[Vector<D>], out: &mut FullBlocks<D>) {
        self.at_stencils(None, x, v, out);
    }

    /// `∂F/∂X` with displacements and velocities held, in N/m: rows belong to forces, columns to positions at rest.
    ///
    /// ```text
    /// ∂F/∂X = ∂F/∂u + ∂F/∂λ (∂λ/∂ε ∂ε/∂X + ∂λ/∂w ∂w/∂X)
    /// ```
    /// ε the threshold of the mollifier, w the weight. The contacts and their `sources` must be those of
    /// [`Contacts::build_with_sources`](crate::contact::Contacts::build_with_sources) on this surface.
    ///
    /// # Panics
    /// As [`by_displacement`](Self::by_displacement).
    pub fn by_rest(
        &self,
        surface: &Surface<D>,
        sources: &WeightSources,
        x: &[Vector<D>],
        v: &[Vector<D>],
    ) -> EntryColumns<D> {
        let mut full = FullBlocks::default();
        self.at_stencils(Some(surface.rest()), x, v, &mut full);
        EntryColumns::sum(&full, &self.by_weights(surface, sources, x, v))
    }

    /// What stencils have in common with those of displacements; thresholds change only with positions at `rest`.
    fn at_stencils(
        &self,
        rest: Option<&[Vector<D>]>,
        x: &[Vector<D>],
        v: &[Vector<D>],
        out: &mut FullBlocks<D>,
    ) {
        let (s, (edges, parallel)) = (self.slides, self.edges());
        out.begin(x.len(), |lists| {
            lists.push(s.obstacle.iter().map(|s| s.stencil));
            lists.push(s.vv.iter().map(|s| s.stencil));
            lists.push(s.ve.iter().map(|s| s.stencil));
            lists.push(edges.iter().map(|s| s.stencil));
            lists.push(parallel.iter().map(|s| s.stencil));
            lists.push(s.vf.iter().map(|s| s.stencil));
        });
        let kind = self.obstacles();
        assemble::jacobian(
            &s.obstacle,
            out,
            |_, s| s.stencil,
            |k, slide| self.local((&kind, slide), &self.obstacle_grip(k, x), x, v),
        );
        self.pairs::<VertexVertex, 2>((&self.vv(), &s.vv), x, v, out);
        self.pairs::<VertexEdge, 3>((&self.ve(), &s.ve), x, v, out);
        self.pairs::<EdgeEdge, 4>((&self.ee(), edges), x, v, out);
        let kind = self.parallel();
        assemble::jacobian(
            parallel,
            out,
            |_, s| s.stencil,
            |k, slide| self.local((&kind, slide), &self.parallel_grip_at(k, rest, x), x, v),
        );
        self.pairs::<VertexFace, 4>((&self.vf(), &s.vf), x, v, out);
        out.finish();
    }

    fn pairs<K: PairKind<N>, const N: usize>(
        &self,
        (kind, slides): (&Kind<'_, Contact<N>>, &[Slide<D, N>]),
        x: &[Vector<D>],
        v: &[Vector<D>],
        out: &mut FullBlocks<D>,
    ) {
        assemble::jacobian(
            slides,
            out,
            |_, s| s.stencil,
            |k, slide| {
                let grip = self.pair_grip::<K, N>(kind, k, &slide.stencil.gather(x));
                self.local((kind, slide), &grip, x, v)
            },
        );
    }

    fn parallel_grip_at(&self, k: usize, rest: Option<&[Vector<D>]>, x: &[Vector<D>]) -> Grip<D, 4> {
        let kind = self.parallel();
        let contact = &kind.contacts[k];
        let (stencil, law) = (contact.contact.stencil, (&self.barrier.law, kind.kappa.at(k)));
        let x = stencil.gather(x);
        let grip = self.parallel_grip(k, &x);
        match rest {
            Some(rest) => grip.with_rest(contact, (&x, &stencil.gather(rest)), law),
            None => grip,
        }
    }

    #[inline]
    fn local<C, const N: usize>(
        &self,
        (kind, slide): (&Kind<'_, C>, &Slide<D, N>),
        grip: &Grip<D, N>,
        x: &[Vector<D>],
        v: &[Vector<D>],
    ) -> [[Matrix<D>; N]; N] {
        let axis = self.axis((kind, slide), grip, x);
        self.sliding(slide).by_positions(grip, &axis, &slide.stencil.gather(v))
    }
}
