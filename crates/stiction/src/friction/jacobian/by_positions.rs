//! How friction forces change with displacements and with positions at rest.

use super::axis::Axis;
use super::grip::Grip;
use super::{Kind, LaggedForce};
use crate::assemble;
use crate::barrier::Barrier;
use crate::blocks::{EntryColumns, FullBlocks};
use crate::contact::{Contact, WeightSources};
use crate::distance::Separation;
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
        let (vv, ve, ee, vf) = (self.vv(), self.ve(), self.ee(), self.vf());
        let (parallel, obstacles) = (self.parallel(), self.obstacles());
        out.begin(x.len(), |lists| {
            lists.push(vv.slides.iter().map(|s| s.stencil));
            lists.push(ve.slides.iter().map(|s| s.stencil));
            lists.push(ee.slides.iter().map(|s| s.stencil));
            lists.push(vf.slides.iter().map(|s| s.stencil));
            lists.push(parallel.slides.iter().map(|s| s.stencil));
            lists.push(obstacles.slides.iter().map(|s| s.stencil));
        });
        self.pairs::<VertexVertex, 2>(&vv, x, v, out);
        self.pairs::<VertexEdge, 3>(&ve, x, v, out);
        self.pairs::<EdgeEdge, 4>(&ee, x, v, out);
        self.pairs::<VertexFace, 4>(&vf, x, v, out);
        assemble::jacobian(
            parallel.slides,
            out,
            |_, s| s.stencil,
            |k, slide| {
                let grip = self.parallel_grip_at(k, rest, x);
                self.local(slide, &grip, &self.axis(&parallel, slide, &grip, x), v)
            },
        );
        assemble::jacobian(
            obstacles.slides,
            out,
            |_, s| s.stencil,
            |k, slide| {
                let grip = self.obstacle_grip(k, x);
                self.local(slide, &grip, &self.axis(&obstacles, slide, &grip, x), v)
            },
        );
        out.finish();
    }

    fn pairs<K: PairKind<N>, const N: usize>(
        &self,
        kind: &Kind<'_, Contact<N>, D, N>,
        x: &[Vector<D>],
        v: &[Vector<D>],
        out: &mut FullBlocks<D>,
    ) {
        assemble::jacobian(
            kind.slides,
            out,
            |_, s| s.stencil,
            |k, slide| {
                let grip = self.pair_grip::<K, N>(kind, k, &slide.stencil.gather(x));
                self.local(slide, &grip, &self.axis(kind, slide, &grip, x), v)
            },
        );
    }

    fn parallel_grip_at(&self, k: usize, rest: Option<&[Vector<D>]>, x: &[Vector<D>]) -> Grip<D, 4> {
        let kind = self.parallel();
        let contact = &kind.contacts[k];
        let stencil = contact.contact.stencil;
        let x = stencil.gather(x);
        let grip = self.parallel_grip(k, &x);
        let Some(rest) = rest else { return grip };
        let d2 = Separation::new(&contact.pair(), &x).distance_squared();
        let by_m = kind.kappa.at(k) * contact.contact.weight * self.barrier.law.force(d2);
        grip.with_rest(&x, &stencil.gather(rest), by_m)
    }

    /// What a slide adds at its vertices, in N/m.
    #[inline]
    fn local<const N: usize>(
        &self,
        slide: &Slide<D, N>,
        grip: &Grip<D, N>,
        axis: &Axis<D, N>,
        v: &[Vector<D>],
    ) -> [[Matrix<D>; N]; N] {
        self.sliding(slide).by_positions(grip, axis, &slide.stencil.gather(v))
    }
}
