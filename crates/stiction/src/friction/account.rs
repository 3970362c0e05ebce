//! What friction did in a step.

use super::law::FrictionLaw;
use super::per_slide::PerSlide;
use super::potential::{FrictionPotential, across};
use super::slide::Slide;
use crate::assemble;
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
    /// Slides slower than `ε_v`: `y < ε_v`, with scaled speeds where friction scales them.
    pub stick: usize,
    /// The others.
    pub slip: usize,
    /// Slides, of either kind, whose contact is out of reach at the end: they have no normal force there.
    pub separated: usize,
    /// How far the largest friction is beyond the cone of the normal force at the end, in N; 0 if none is.
    ///
    /// ```text
    /// max(0, λ g(y) − max(μ_s, μ_k) λ_end)
    /// ```
    /// `λ g` is the magnitude of the friction force, or of the unscaled one, `|S⁻¹F|`, where the cone is an ellipse.
    pub cone_excess: f64,
    /// The same relative to the largest `max(μ_s, μ_k) λ` of all slides, at the start or at the end; 0 without friction.
    pub relative_cone_excess: f64,
    /// Speed `|u|` of the fastest slide that sticks, in m/s.
    pub creep: f64,
    /// The speed that no slide under less than its largest static friction reaches, in m/s: that of the law, divided by the smaller
    /// factor of the axes where slides are scaled; the largest of all slides.
    pub creep_bound: f64,
    /// Mean slip of the slides, weighted by their normal forces, in m.
    pub distance: f64,
    /// Work against friction, turned into heat, in J.
    ///
    /// ```text
    /// −Σ F·(Σ cᵢ (xᵢ − xᵢ_start) − h v_obstacle)
    /// ```
    pub dissipation: f64,
    /// Change of the friction forces if normal forces and planes were taken anew, relative to them.
    pub lag_residual: f64,
}

/// What one slide did.
struct Record {
    sticks: bool,
    speed: f64,
    creep_bound: f64,
    /// `λ g`.
    friction: f64,
    /// `max(μ_s, μ_k)`.
    mu: f64,
    /// λ at the start and at the end.
    force: [f64; 2],
    distance: f64,
    work: f64,
}

impl<const D: usize, L: FrictionLaw> FrictionPotential<'_, D, L> {
    /// What friction did in a step, given the normal forces at its end of the contacts that the slides were lagged from, in N: see
    /// [`BarrierPotential::forces`](crate::barrier::BarrierPotential::forces), which is 0 for those out of reach.
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
        let mut records = self.records(&s.obstacle, step, &forces.obstacle);
        records.extend(self.records(&s.vv, step, &forces.vv));
        records.extend(self.records(&s.ve, step, &forces.ve));
        records.extend(self.records(&s.ee, step, &forces.ee));
        records.extend(self.records(&s.vf, step, &forces.vf));
        Ok(FrictionAccount { lag_residual, ..total(&records) })
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
        // In 2D there is one axis only.
        let smallest =
            detail.map_or(1.0, |d| if D == 2 { d.scaling[0] } else { d.scaling[0].min(d.scaling[1]) });
        Record {
            sticks: y < self.eps_v,
            speed: self.slip(slide, step.x).norm(),
            creep_bound: self.law.creep_bound(slide.mu, self.eps_v) / smallest,
            friction: (slide.force * ratio * y).abs(),
            mu: slide.mu.s.max(slide.mu.k),
            force: [slide.force, end],
            distance: across(slide.normal, moved).norm(),
            work: slide.force * ratio * pace.along.dot(moved),
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
        force += r.force[0];
        force_distance += r.force[0] * r.distance;
        largest = largest.max(start).max(end);
    }
    out.distance = if force > 0.0 { force_distance / force } else { 0.0 };
    out.relative_cone_excess = if largest > 0.0 { out.cone_excess / largest } else { 0.0 };
    out
}
