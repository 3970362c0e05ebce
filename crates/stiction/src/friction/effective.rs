//! Effective coefficients of matchstick friction, which follow the direction of the slide.

use super::anisotropy::matchstick;
use super::law::Mu;
use super::slide::{Detail, Slide, Slides};
use crate::math::Vector;
use crate::math::vector::cross;
use crate::threads;

/// Slower slides (in m/s) have no direction: the first axis counts.
const STILL: f64 = 1e-10;

/// Slides that a task handles.
const CHUNK: usize = 1024;

impl<const D: usize> Slides<D> {
    /// Takes the effective coefficients of matchstick friction anew, for the slides that vertices with these velocities (in m/s) make.
    ///
    /// ```text
    /// t ∥ S T (Σ cᵢ vᵢ − v_obstacle) in the axes        μ_eff = √((μ₀t₀)² + (μ₁t₁)²)
    /// ```
    /// Static and kinetic ellipses each by itself, so either may be given alone. Below 1e-10 m/s the first axis counts. In 2D, and
    /// for slides without an ellipse, nothing changes.
    ///
    /// # Panics
    /// If `velocities` is shorter than the array that the contacts were built with.
    pub fn refresh_anisotropy(&mut self, velocities: &[Vector<D>]) {
        self.each_ellipse(&Effective { velocities });
    }

    /// Sets the coefficients of matchstick friction back to those of its entry, as they are after [`lag`](super::lag()).
    pub fn reset_anisotropy(&mut self) {
        self.each_ellipse(&Isotropic);
    }

    fn each_ellipse(&mut self, rule: &impl Rule<D>) {
        if D == 2 || self.details.is_empty() {
            return;
        }
        let Self { vv, ve, ee, vf, obstacle, details } = self;
        apply(vv, details, rule);
        apply(ve, details, rule);
        apply(ee, details, rule);
        apply(vf, details, rule);
        apply(obstacle, details, rule);
    }
}

/// What the coefficients of a slide with an ellipse become.
trait Rule<const D: usize>: Sync {
    fn mu<const N: usize>(&self, slide: &Slide<D, N>, detail: &Detail<D>) -> Mu;
}

struct Isotropic;

impl<const D: usize> Rule<D> for Isotropic {
    fn mu<const N: usize>(&self, _: &Slide<D, N>, detail: &Detail<D>) -> Mu {
        detail.mu
    }
}

struct Effective<'a, const D: usize> {
    velocities: &'a [Vector<D>],
}

impl<const D: usize> Rule<D> for Effective<'_, D> {
    fn mu<const N: usize>(&self, slide: &Slide<D, N>, detail: &Detail<D>) -> Mu {
        let relative = slide.stencil.gather(self.velocities).into_iter().zip(slide.c);
        let u = relative.fold(-detail.drift, |sum, (v, c)| sum + v * c);
        let [a0, a1] = detail.scaling;
        let (t0, t1) = (a0 * u.dot(detail.axis), a1 * u.dot(cross(slide.normal, detail.axis)));
        let speed = (t0 * t0 + t1 * t1).sqrt();
        let t = if speed < STILL { [1.0, 0.0] } else { [t0 / speed, t1 / speed] };
        matchstick(t, detail.ellipse_s, detail.ellipse_k, detail.mu)
    }
}

fn apply<const D: usize, const N: usize>(
    slides: &mut [Slide<D, N>],
    details: &[Detail<D>],
    rule: &impl Rule<D>,
) {
    threads::for_each(slides.chunks_mut(CHUNK).collect(), &|_, part: &mut [Slide<D, N>]| {
        for slide in part {
            let detail = details.get(slide.detail as usize);
            let round = |detail: &&Detail<D>| detail.ellipse_s != [0.0; 2] || detail.ellipse_k != [0.0; 2];
            if let Some(detail) = detail.filter(round) {
                slide.mu = rule.mu(slide, detail);
            }
        }
    });
}
