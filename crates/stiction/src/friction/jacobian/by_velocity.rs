//! The forces themselves, and how they change with velocities.

use super::axis::{self, Source};
use super::{Kind, LaggedForce};
use crate::barrier::Barrier;
use crate::blocks::Blocks;
use crate::contact::Contact;
use crate::distance::{Psd, Separation};
use crate::friction::law::FrictionLaw;
use crate::friction::potential::{FrictionPotential, Motion};
use crate::friction::slide::{Detail, Slide, Slides};
use crate::math::Vector;
use crate::potential::Potential;
use crate::stencil::{EdgeEdge, Pair, PairKind, VertexEdge, VertexFace, VertexVertex};

impl<const D: usize, B: Barrier, L: FrictionLaw> LaggedForce<'_, D, B, L> {
    /// The slides as they are at positions `x`, with all that is held: see [`LaggedForce`].
    ///
    /// # Panics
    /// If `x` is shorter than the array that the contacts were built with.
    pub fn slides(&self, x: &[Vector<D>]) -> Slides<D> {
        let forces = self.barrier.forces(x);
        let mut details = self.slides.details.clone();
        let (edges, parallel) = self.edges();
        let mut ee = pairs_anew::<EdgeEdge, D, 4>((&self.ee(), edges), x, &forces.ee, &mut details);
        let kind = self.parallel();
        ee.extend(parallel.iter().enumerate().map(|(k, slide)| {
            let (pair, x) = (kind.contacts[k].pair(), slide.stencil.gather(x));
            anew((&kind, slide), (&pair, &x), forces.parallel[k], &mut details)
        }));
        Slides {
            obstacle: self.anew_obstacles(x, &forces.obstacle, &mut details),
            vv: pairs_anew::<VertexVertex, D, 2>((&self.vv(), &self.slides.vv), x, &forces.vv, &mut details),
            ve: pairs_anew::<VertexEdge, D, 3>((&self.ve(), &self.slides.ve), x, &forces.ve, &mut details),
            ee,
            vf: pairs_anew::<VertexFace, D, 4>((&self.vf(), &self.slides.vf), x, &forces.vf, &mut details),
            details,
        }
    }

    fn anew_obstacles(&self, x: &[Vector<D>], forces: &[f64], details: &mut [Detail<D>]) -> Vec<Slide<D, 1>> {
        let kind = self.obstacles();
        let of = |(k, slide): (usize, &Slide<D, 1>)| {
            let x = slide.stencil.gather(x);
            let normal = self.barrier.obstacles[kind.contacts[k].obstacle as usize].normal(x[0]);
            turn((&kind, slide), &x, normal, details);
            Slide { normal, force: forces[k], ..*slide }
        };
        self.slides.obstacle.iter().enumerate().map(of).collect()
    }

    /// `F`: adds the friction force on every vertex, in N, to `out`.
    ///
    /// # Panics
    /// If `x`, `v` or `out` is shorter than the array that the contacts were built with.
    pub fn force(&self, x: &[Vector<D>], v: &[Vector<D>], out: &mut [Vector<D>]) {
        let slides = self.slides(x);
        self.potential(&slides, x, v).gradient(x, -1.0, out);
    }

    /// `∂F/∂v`, in N·s/m: symmetric, and negative semi-definite where the law ascends.
    ///
    /// # Panics
    /// As [`force`](Self::force).
    pub fn by_velocity(&self, x: &[Vector<D>], v: &[Vector<D>], out: &mut Blocks<D>) {
        let slides = self.slides(x);
        let potential = self.potential(&slides, x, v);
        out.assemble(&potential, x, -1.0, Psd::None);
    }

    /// The potential of slides at the velocities `v`: those at `x` of a motion that takes 1 s.
    fn potential<'b>(
        &self,
        slides: &'b Slides<D>,
        x: &'b [Vector<D>],
        v: &'b [Vector<D>],
    ) -> FrictionPotential<'b, D, L> {
        let motion = Motion { x_ref: x, v_ref: v, h_hat: 1.0 };
        FrictionPotential { slides, motion, law: self.law, eps_v: self.eps_v }
    }
}

fn pairs_anew<K: PairKind<N>, const D: usize, const N: usize>(
    (kind, slides): (&Kind<'_, Contact<N>>, &[Slide<D, N>]),
    x: &[Vector<D>],
    forces: &[f64],
    details: &mut [Detail<D>],
) -> Vec<Slide<D, N>> {
    let of = |(slide, &force): (&Slide<D, N>, &f64)| {
        anew((kind, slide), (&K::PAIR, &slide.stencil.gather(x)), force, details)
    };
    slides.iter().zip(forces).map(of).collect()
}

fn anew<C, const D: usize, const N: usize>(
    (kind, slide): (&Kind<'_, C>, &Slide<D, N>),
    (pair, x): (&Pair<N>, &[Vector<D>; N]),
    force: f64,
    details: &mut [Detail<D>],
) -> Slide<D, N> {
    let separation = Separation::new(pair, x);
    let normal = separation.r.normalized();
    turn((kind, slide), x, normal, details);
    Slide { c: separation.c, normal, force, ..*slide }
}

/// Turns the axis of a slide with its contact.
fn turn<C, const D: usize, const N: usize>(
    (kind, slide): (&Kind<'_, C>, &Slide<D, N>),
    x: &[Vector<D>; N],
    normal: Vector<D>,
    details: &mut [Detail<D>],
) {
    let Some(detail) = details.get_mut(slide.detail as usize) else { return };
    let source: Option<Source<D>> = kind.source(detail);
    detail.axis = source.map_or(Vector::ZERO, |source| axis::direction(source, x, normal));
}
