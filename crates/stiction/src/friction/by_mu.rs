//! How friction changes with its coefficients: for calibration.

use super::law::FrictionLaw;
use super::per_slide::PerSlide;
use super::potential::FrictionPotential;
use super::slide::Slide;
use crate::assemble::{self, Along};
use crate::error::Result;
use crate::math::Vector;

/// Derivatives of the friction forces on all vertices, in N.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForceByMu<const D: usize> {
    /// By `μ_s`.
    pub s: Vec<Vector<D>>,
    /// By `μ_k`.
    pub k: Vec<Vector<D>>,
}

impl<const D: usize, L: FrictionLaw> FrictionPotential<'_, D, L> {
    /// Derivatives by `μ_s` and `μ_k` of the friction force that acts on the first primitive of each slide, in N.
    ///
    /// ```text
    /// ∂F/∂μ = −λ ∂(g/y)/∂μ S z
    /// ```
    /// The coefficients are those of the slide itself: of a matchstick ellipse the effective ones, which are lagged. A factor `s` of
    /// both axes of an ellipse is a factor of `μ_eff`, so `∂F/∂s = μ_eff ∂F/∂μ_eff` where `s = 1`.
    ///
    /// # Panics
    /// If `x` is shorter than the array that the contacts were built with.
    pub fn slide_forces_by_mu(&self, x: &[Vector<D>]) -> PerSlide<[Vector<D>; 2]> {
        let s = self.slides;
        PerSlide {
            vv: self.each_by_mu(&s.vv, x),
            ve: self.each_by_mu(&s.ve, x),
            ee: self.each_by_mu(&s.ee, x),
            vf: self.each_by_mu(&s.vf, x),
            obstacle: self.each_by_mu(&s.obstacle, x),
        }
    }

    fn each_by_mu<const N: usize>(&self, slides: &[Slide<D, N>], x: &[Vector<D>]) -> Vec<[Vector<D>; 2]> {
        assemble::each(slides, |_, slide| {
            let pace = self.pace(slide, x);
            let by_mu = self.law.ratio_by_mu(pace.speed(), slide.mu, self.eps_v);
            by_mu.map(|slope| pace.along * (-slide.force * slope))
        })
    }

    /// Derivatives of the friction force on every vertex (minus the gradient) by `μ_s` and by `μ_k`, in N, where the coefficients of
    /// slide k change by `weights[k]` per unit: by those of all slides if there are no weights, of some if the others weigh 0.
    ///
    /// # Errors
    /// If there is not one weight for each slide.
    ///
    /// # Panics
    /// As [`slide_forces_by_mu`](Self::slide_forces_by_mu).
    pub fn force_by_mu(&self, x: &[Vector<D>], weights: Option<&PerSlide<f64>>) -> Result<ForceByMu<D>> {
        if let Some(weights) = weights {
            weights.check(self.slides)?;
        }
        let mut out = ForceByMu { s: vec![Vector::ZERO; x.len()], k: vec![Vector::ZERO; x.len()] };
        let (s, forces) = (self.slides, self.slide_forces_by_mu(x));
        let of = |kind: fn(&PerSlide<f64>) -> &Vec<f64>| weights.map(|weights| kind(weights).as_slice());
        add(&s.vv, &forces.vv, of(|w| &w.vv), &mut out);
        add(&s.ve, &forces.ve, of(|w| &w.ve), &mut out);
        add(&s.ee, &forces.ee, of(|w| &w.ee), &mut out);
        add(&s.vf, &forces.vf, of(|w| &w.vf), &mut out);
        add(&s.obstacle, &forces.obstacle, of(|w| &w.obstacle), &mut out);
        Ok(out)
    }
}

fn add<const D: usize, const N: usize>(
    slides: &[Slide<D, N>],
    forces: &[[Vector<D>; 2]],
    weights: Option<&[f64]>,
    out: &mut ForceByMu<D>,
) {
    for (by, out) in [&mut out.s, &mut out.k].into_iter().enumerate() {
        let along = |k: usize, slide: &Slide<D, N>| {
            let r = forces[k][by];
            Along { stencil: slide.stencil, c: slide.c, r, d2: r.norm_squared() }
        };
        assemble::gradient_along(slides, out, along, |k, _| weights.map_or(1.0, |weights| weights[k]));
    }
}
