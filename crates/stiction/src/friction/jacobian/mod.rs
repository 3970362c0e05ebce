//! Friction as a function of positions at rest, displacements and velocities, and its Jacobians.

mod axis;
mod grip;
mod response;
mod by_weights;
mod by_positions;
mod by_velocity;

use super::kind::FrictionKind;
use super::lag::{EE_AXIS, VE_AXIS, VF_AXIS};
use super::law::FrictionLaw;
use super::slide::{Detail, Slide, Slides};
use crate::barrier::kappa::{KindKappa, StiffContacts};
use crate::barrier::{Barrier, BarrierKind, BarrierPotential};
use crate::contact::{Contact, ObstacleContact, ParallelContact};
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::stencil::PairKind;
use axis::{Axis, Source};
use grip::Grip;
use response::Sliding;

/// The friction forces of contacts, lagged at positions `x = X + u`, on vertices with velocities `v`.
///
/// ```text
/// F(X, u, v)ᵢ = −Σₖ λ cᵢ (g/y) S² w        w = Σⱼ cⱼ vⱼ − v_obstacle ,  y = |S w|        [N]
/// ```
/// λ, n, c and the axes of S are functions of x; weights and thresholds of mollifiers are functions of X. Held are which
/// contacts there are and their closest features, the stiffness κ, and of the slides the coefficients `μ`, the scaling, the
/// direction whose projection an axis is (not its projection), and the velocity of obstacles. \[Li2020\]
#[derive(Clone, Copy, Debug)]
pub struct LaggedForce<'a, const D: usize, B = BarrierKind, L = FrictionKind> {
    barrier: &'a BarrierPotential<'a, D, B>,
    slides: &'a Slides<D>,
    law: L,
    eps_v: f64,
}

/// The contacts of one kind and their slides.
#[derive(Clone, Copy)]
struct Kind<'a, C, const D: usize, const N: usize> {
    contacts: &'a [C],
    kappa: KindKappa<'a>,
    slides: &'a [Slide<D, N>],
    /// Which vertices of a stencil its own axis goes through.
    edge: Option<[usize; 2]>,
}

impl<'a, C, const D: usize, const N: usize> Kind<'a, C, D, N> {
    fn new(
        StiffContacts { contacts, kappa }: StiffContacts<'a, C>,
        slides: &'a [Slide<D, N>],
        edge: Option<[usize; 2]>,
    ) -> Self {
        Self { contacts, kappa, slides, edge }
    }

    /// What the axis of anisotropic friction follows, if there is one.
    fn source(&self, detail: &Detail<D>) -> Option<Source<D>> {
        let source = Source { held: detail.direction, edge: self.edge };
        (detail.axis != Vector::ZERO).then_some(source)
    }
}

impl<'a, const D: usize, B: Barrier, L: FrictionLaw> LaggedForce<'a, D, B, L> {
    /// The friction of the slides that [`lag`](super::lag()) made of the barrier's contacts. Without slides there is none.
    ///
    /// # Errors
    /// If the slides are not as many as the contacts of each kind, or one is of other vertices, or `eps_v` is not positive and finite.
    pub fn new(
        barrier: &'a BarrierPotential<'a, D, B>,
        slides: &'a Slides<D>,
        law: L,
        eps_v: f64,
    ) -> Result<Self> {
        if !(eps_v > 0.0 && eps_v.is_finite()) {
            return Err(Error::BadParameter { name: "eps_v", value: eps_v, must: "positive and finite" });
        }
        let c = barrier.contacts;
        let edges = c.ee.iter().chain(c.parallel.iter().map(|c| &c.contact));
        if !slides.is_empty() {
            same("slides of two vertices", &slides.vv, c.vv.iter().map(|c| c.stencil.0))?;
            same("slides of a vertex and an edge", &slides.ve, c.ve.iter().map(|c| c.stencil.0))?;
            same("slides of two edges", &slides.ee, edges.map(|c| c.stencil.0))?;
            same("slides of a vertex and a face", &slides.vf, c.vf.iter().map(|c| c.stencil.0))?;
            same("slides on obstacles", &slides.obstacle, c.obstacle.iter().map(|c| c.stencil.0))?;
        }
        Ok(Self { barrier, slides, law, eps_v })
    }

    fn obstacles(&self) -> Kind<'a, ObstacleContact, D, 1> {
        Kind::new(self.barrier.obstacle(), &self.slides.obstacle, None)
    }

    fn vv(&self) -> Kind<'a, Contact<2>, D, 2> {
        Kind::new(self.barrier.vv(), &self.slides.vv, None)
    }

    fn ve(&self) -> Kind<'a, Contact<3>, D, 3> {
        Kind::new(self.barrier.ve(), &self.slides.ve, VE_AXIS)
    }

    fn ee(&self) -> Kind<'a, Contact<4>, D, 4> {
        Kind::new(self.barrier.ee(), self.edges().0, EE_AXIS)
    }

    fn parallel(&self) -> Kind<'a, ParallelContact, D, 4> {
        Kind::new(self.barrier.parallel(), self.edges().1, EE_AXIS)
    }

    fn vf(&self) -> Kind<'a, Contact<4>, D, 4> {
        Kind::new(self.barrier.vf(), &self.slides.vf, VF_AXIS)
    }

    /// The slides of two edges that are not nearly parallel, and of those that are.
    fn edges(&self) -> (&'a [Slide<D, 4>], &'a [Slide<D, 4>]) {
        self.slides.ee.split_at(self.barrier.contacts.ee.len().min(self.slides.ee.len()))
    }

    fn sliding<const N: usize>(&self, slide: &Slide<D, N>) -> Sliding<'_, D, L> {
        let detail = self.slides.detail(slide);
        let (scaling, drift) = detail.map_or(([1.0; 2], Vector::ZERO), |d| (d.scaling, d.drift));
        Sliding { law: &self.law, eps_v: self.eps_v, mu: slide.mu, scaling, drift }
    }

    fn axis<C, const N: usize>(
        &self,
        kind: &Kind<'_, C, D, N>,
        slide: &Slide<D, N>,
        grip: &Grip<D, N>,
        x: &[Vector<D>],
    ) -> Axis<D, N> {
        let source = self.slides.detail(slide).and_then(|detail| {
            if detail.scaling[0] == detail.scaling[1] { None } else { kind.source(detail) }
        });
        source.map_or(Axis::NONE, |source| grip.axis(source, &slide.stencil.gather(x)))
    }

    fn obstacle_grip(&self, k: usize, x: &[Vector<D>]) -> Grip<D, 1> {
        let kind = self.obstacles();
        let c = &kind.contacts[k];
        let obstacle = &self.barrier.obstacles[c.obstacle as usize];
        let x = x[c.stencil.0[0] as usize];
        Grip::of_obstacle(obstacle, x, &self.barrier.law, kind.kappa.at(k), c.weight)
    }

    #[inline]
    fn pair_grip<K: PairKind<N>, const N: usize>(
        &self,
        kind: &Kind<'_, Contact<N>, D, N>,
        k: usize,
        x: &[Vector<D>; N],
    ) -> Grip<D, N> {
        Grip::of_pair(&K::PAIR, x, &self.barrier.law, kind.kappa.at(k), kind.contacts[k].weight)
    }

    fn parallel_grip(&self, k: usize, x: &[Vector<D>; 4]) -> Grip<D, 4> {
        let kind = self.parallel();
        Grip::of_parallel(&kind.contacts[k], x, &self.barrier.law, kind.kappa.at(k))
    }
}

/// Checks that slides are those of contacts with these vertices.
fn same<const D: usize, const N: usize>(
    what: &'static str,
    slides: &[Slide<D, N>],
    contacts: impl Iterator<Item = [u32; N]> + Clone,
) -> Result<()> {
    let (found, expected) = (slides.len(), contacts.clone().count());
    if found != expected {
        return Err(Error::WrongLength { what, found, expected });
    }
    let must = "of the vertices of its contact: lag the slides from the same contacts";
    let other = slides.iter().zip(contacts).position(|(slide, vertices)| slide.stencil.0 != vertices);
    other.map_or(Ok(()), |index| {
        let value = f64::from(slides[index].stencil.0[0]);
        Err(Error::BadEntry { what, index, value, must })
    })
}
