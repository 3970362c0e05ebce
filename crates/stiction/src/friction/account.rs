//! What friction did in a step.

use super::law::FrictionLaw;
use super::per_slide::PerSlide;
use super::potential::{FrictionPotential, across};
use super::slide::{Detail, Slide};
use crate::assemble;
use crate::barrier::{Barrier, BarrierPotential};
use crate::closest;
use crate::error::Result;
use crate::math::Vector;

/// The step that friction acted in.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a, const D: usize> {
    /// Positions before, in m.
    pub x_start: &'a [Vector<D>],
    /// Positions after, in m.
    pub x: &'a [Vector<D>],
    /// How long it took, in s: as long obstacles moved.
    pub h: f64,
}

/// What friction did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionAccount {
    /// Slides slower than `ε_v`: `y < ε_v`, with scaled speeds where friction scales them; along an axis without friction the speed
    /// counts as it is.
    pub stick: usize,
    /// The others.
    pub slip: usize,
    /// Slides, of either kind, whose contact is out of reach at the end: they have no normal force there.
    pub separated: usize,
    /// How far the largest friction is beyond the cone of the normal force at the end, in N; 0 if none is.
    ///
    /// ```text
    /// max(0, λ g(y) − max(μ_s, μ_k, g(y)) λ_end)
    /// ```
    /// Viscous friction is beyond the cone as it is: of it only what comes from lagging counts.
    /// `λ g` is the magnitude of the friction force, or of the unscaled one, `|S⁻¹F|`, where the cone is an ellipse.
    pub cone_excess: f64,
    /// The same relative to the largest `max(μ_s, μ_k) λ` of all slides, at the start or at the end; 0 without friction.
    pub relative_cone_excess: f64,
    /// Speed `|u|` of the fastest slide that sticks, in m/s.
    pub creep: f64,
    /// The speed that no slide under less than its largest static friction reaches, in m/s: that of the law, divided by the smaller
    /// factor of the axes where slides are scaled and that is not 0; the largest of all slides.
    pub creep_bound: f64,
    /// Mean slip of the slides, weighted by the magnitudes of their normal forces, in m.
    pub distance: f64,
    /// Work against friction, turned into heat, in J.
    ///
    /// ```text
    /// −Σ F·(Σ cᵢ (xᵢ − xᵢ_start) − h v_obstacle)
    /// ```
    /// Negative where contacts have negative weights, or an integrator's velocity is not along the motion of the step.
    pub dissipation: f64,
    /// Change of the friction forces if normal forces and planes were taken anew, relative to them.
    pub lag_residual: f64,
}

/// What one slide did in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlideAction<const D: usize> {
    /// Its vertices; those beyond as many as its kind has mean nothing.
    pub vertices: [u32; 4],
    /// Their weights `cᵢ`: the force `F` acts on vertex `i` as `cᵢ F`.
    pub weights: [f64; 4],
    /// The friction force on its first primitive at the end, in N, see [`FrictionPotential::slide_forces`].
    pub force: Vector<D>,
    /// `|u|` at the end, in m/s.
    pub speed: f64,
    /// Whether it counts as [`FrictionAccount::stick`].
    pub sticks: bool,
    /// The heat that it made in the step, in J; the sum over all slides is the [`FrictionAccount::dissipation`].
    pub heat: f64,
}

/// What one slide did.
struct Record {
    sticks: bool,
    speed: f64,
    creep_bound: f64,
    /// `λ g`.
    friction: f64,
    /// `max(μ_s, μ_k, g)`.
    mu: f64,
    /// λ at the start and at the end.
    force: [f64; 2],
    distance: f64,
    work: f64,
}

impl<const D: usize, L: FrictionLaw> FrictionPotential<'_, D, L> {
    /// What friction did in a step, given the normal forces at its end of the contacts that the slides were lagged from, in N: see
    /// [`forces_at_end`].
    ///
    /// # Errors
    /// If there are slides, and not one force for each of them.
    ///
    /// # Panics
    /// If positions are shorter than the array that the contacts were built with.
    pub fn account(
        &self,
        step: &Step<'_, D>,
        forces: &PerSlide<f64>,
        lag_residual: f64,
    ) -> Result<FrictionAccount> {
        let s = self.slides;
        if s.is_empty() {
            return Ok(FrictionAccount { lag_residual, ..FrictionAccount::default() });
        }
        forces.check(s)?;
        let mut records = self.records(&s.vv, step, &forces.vv);
        records.extend(self.records(&s.ve, step, &forces.ve));
        records.extend(self.records(&s.ee, step, &forces.ee));
        records.extend(self.records(&s.vf, step, &forces.vf));
        records.extend(self.records(&s.obstacle, step, &forces.obstacle));
        Ok(FrictionAccount { lag_residual, ..total(&records) })
    }

    /// `|u|` of every slide at positions `x`, in m/s.
    ///
    /// # Panics
    /// If `x` is shorter than the array that the contacts were built with.
    pub fn speeds(&self, x: &[Vector<D>]) -> PerSlide<f64> {
        let s = self.slides;
        PerSlide {
            vv: assemble::each(&s.vv, |_, slide| self.slip(slide, x).norm()),
            ve: assemble::each(&s.ve, |_, slide| self.slip(slide, x).norm()),
            ee: assemble::each(&s.ee, |_, slide| self.slip(slide, x).norm()),
            vf: assemble::each(&s.vf, |_, slide| self.slip(slide, x).norm()),
            obstacle: assemble::each(&s.obstacle, |_, slide| self.slip(slide, x).norm()),
        }
    }

    /// The heat of every slide in a step, in J; their sum is the [`FrictionAccount::dissipation`].
    ///
    /// # Panics
    /// If positions are shorter than the array that the contacts were built with.
    pub fn heats(&self, step: &Step<'_, D>) -> PerSlide<f64> {
        let s = self.slides;
        PerSlide {
            vv: assemble::each(&s.vv, |_, slide| self.record(slide, step, 0.0).work),
            ve: assemble::each(&s.ve, |_, slide| self.record(slide, step, 0.0).work),
            ee: assemble::each(&s.ee, |_, slide| self.record(slide, step, 0.0).work),
            vf: assemble::each(&s.vf, |_, slide| self.record(slide, step, 0.0).work),
            obstacle: assemble::each(&s.obstacle, |_, slide| self.record(slide, step, 0.0).work),
        }
    }

    /// What every slide did in a step.
    ///
    /// # Panics
    /// If positions are shorter than the array that the contacts were built with.
    pub fn actions(&self, step: &Step<'_, D>) -> PerSlide<SlideAction<D>> {
        let s = self.slides;
        PerSlide {
            vv: assemble::each(&s.vv, |_, slide| self.action(slide, step)),
            ve: assemble::each(&s.ve, |_, slide| self.action(slide, step)),
            ee: assemble::each(&s.ee, |_, slide| self.action(slide, step)),
            vf: assemble::each(&s.vf, |_, slide| self.action(slide, step)),
            obstacle: assemble::each(&s.obstacle, |_, slide| self.action(slide, step)),
        }
    }

    fn action<const N: usize>(&self, slide: &Slide<D, N>, step: &Step<'_, D>) -> SlideAction<D> {
        let Record { sticks, speed, work, .. } = self.record(slide, step, 0.0);
        let (mut vertices, mut weights) = ([0; 4], [0.0; 4]);
        vertices[..N].copy_from_slice(&slide.stencil.0);
        weights[..N].copy_from_slice(&slide.c);
        let force = self.slide_force(slide, step.x);
        SlideAction { vertices, weights, force, speed, sticks, heat: work }
    }

    fn records<const N: usize>(
        &self,
        slides: &[Slide<D, N>],
        step: &Step<'_, D>,
        forces: &[f64],
    ) -> Vec<Record> {
        assemble::each(slides, |k, slide| self.record(slide, step, forces[k]))
    }

    fn record<const N: usize>(&self, slide: &Slide<D, N>, step: &Step<'_, D>, end: f64) -> Record {
        let (pace, detail) = (self.pace(slide, step.x), self.slides.detail(slide));
        let y = pace.speed();
        let mut moved = detail.map_or(Vector::ZERO, |detail| detail.drift * -step.h);
        for (&v, &c) in slide.stencil.0.iter().zip(&slide.c) {
            moved += (step.x[v as usize] - step.x_start[v as usize]) * c;
        }
        let ratio = self.law.ratio(y, slide.mu, self.eps_v);
        let (speed, smallest) = (self.slip(slide, step.x).norm(), detail.map_or(1.0, smallest_factor));
        Record {
            sticks: y < self.eps_v && speed * smallest < self.eps_v,
            speed,
            creep_bound: self.law.creep_bound(slide.mu, self.eps_v) / smallest,
            friction: (slide.force * ratio * y).abs(),
            mu: slide.mu.s.max(slide.mu.k).max(ratio * y),
            force: [slide.force, end],
            distance: across(slide.normal, moved).norm(),
            work: slide.force * ratio * pace.along.dot(moved),
        }
    }
}

/// The smaller factor of the axes that is not 0; in 2D there is one axis only. 1 where there is none.
fn smallest_factor<const D: usize>(detail: &Detail<D>) -> f64 {
    let smallest =
        detail.scaling[..D - 1].iter().filter(|factor| **factor > 0.0).fold(f64::INFINITY, |a, b| a.min(*b));
    if smallest.is_finite() { smallest } else { 1.0 }
}

/// Normal forces at positions `x` of the contacts that slides were lagged from, in N, for [`FrictionPotential::account`]: 0 of those whose
/// primitives are out of reach. Others have the force of the features that were closest when they were found.
///
/// # Panics
/// If `x` or `obstacles` is not the array that the contacts were built with.
pub fn forces_at_end<const D: usize, B: Barrier>(
    barrier: &BarrierPotential<'_, D, B>,
    x: &[Vector<D>],
) -> PerSlide<f64> {
    let reach2 = barrier.law.reach().powi(2);
    let mut forces = PerSlide::from(&barrier.forces(x));
    let c = barrier.contacts;
    let edges = c.ee.iter().chain(c.parallel.iter().map(|c| &c.contact));
    cut(&mut forces.ve, c.ve.iter().map(|c| c.stencil.gather(x)), |[p, a, b]| {
        closest::vertex_edge(p, a, b).1 >= reach2
    });
    cut(&mut forces.ee, edges.map(|c| c.stencil.gather(x)), |[a, b, c, d]| {
        closest::edge_edge([a, b], [c, d]).1 >= reach2
    });
    cut(&mut forces.vf, c.vf.iter().map(|c| c.stencil.gather(x)), |[p, a, b, c]| {
        closest::vertex_face(p, [a, b, c]).1 >= reach2
    });
    forces
}

/// Sets forces of pairs that are too far to 0.
fn cut<const D: usize, const N: usize>(
    forces: &mut [f64],
    pairs: impl Iterator<Item = [Vector<D>; N]>,
    is_far: impl Fn([Vector<D>; N]) -> bool,
) {
    for (force, x) in forces.iter_mut().zip(pairs) {
        if is_far(x) {
            *force = 0.0;
        }
    }
}

fn total(records: &[Record]) -> FrictionAccount {
    let mut out = FrictionAccount::default();
    let (mut force, mut force_distance, mut largest) = (0.0, 0.0, 0.0_f64);
    for r in records {
        if r.sticks {
            out.stick += 1;
            out.creep = out.creep.max(r.speed);
        } else {
            out.slip += 1;
        }
        let [start, end] = r.force.map(|force| r.mu * force.abs());
        out.separated += usize::from(r.force[1] == 0.0);
        out.cone_excess = out.cone_excess.max(r.friction - end);
        out.creep_bound = out.creep_bound.max(r.creep_bound);
        out.dissipation += r.work;
        force += r.force[0].abs();
        force_distance += r.force[0].abs() * r.distance;
        largest = largest.max(start).max(end);
    }
    out.distance = if force > 0.0 { force_distance / force } else { 0.0 };
    out.relative_cone_excess = if largest > 0.0 { out.cone_excess / largest } else { 0.0 };
    out
}
