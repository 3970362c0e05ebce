//! From contacts to slides.

use super::coefficient::Coefficients;
use super::law::Mu;
use super::slide::{Slide, Slides};
use crate::barrier::{Barrier, BarrierPotential};
use crate::contact::Contact;
use crate::distance::Separation;
use crate::math::Vector;
use crate::stencil::{EDGE_EDGE, Pair, Stencil, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX};

/// Freezes normal force, sliding plane and closest points of the barrier's contacts at positions `x`.
///
/// ```text
/// λ: see BarrierPotential::forces  [N]       n = r/|r|       c: weights of the closest points
/// ```
/// Nearly parallel edges keep the friction that belongs to their mollified normal force, so it
/// is continuous when edges turn. Nothing is returned where there is no friction at all. \[Li2020\]
///
/// # Panics
/// If `x` is shorter than the array that the contacts were built with.
pub fn lag<const D: usize, B: Barrier>(
    barrier: &BarrierPotential<'_, D, B>,
    x: &[Vector<D>],
    coefficients: &Coefficients<D>,
) -> Slides<D> {
    let mu = coefficients.default.mu;
    if coefficients.is_zero() {
        return Slides::default();
    }
    let (contacts, forces) = (barrier.contacts, barrier.forces(x));
    let mut ee = of_pairs(&contacts.ee, &forces.ee, &EDGE_EDGE, x, mu);
    ee.extend(contacts.parallel.iter().zip(&forces.parallel).map(|(c, &force)| {
        let stencil = c.contact.stencil;
        of_pair(stencil, &Separation::new(&c.pair(), &stencil.gather(x)), force, mu)
    }));
    let obstacle = contacts.obstacle.iter().zip(&forces.obstacle).map(|(c, &force)| {
        let normal = barrier.obstacles[c.obstacle as usize].normal(x[c.stencil.0[0] as usize]);
        Slide { stencil: c.stencil, detail: Slide::<D, 1>::PLAIN, c: [1.0], normal, force, mu }
    });
    Slides {
        obstacle: obstacle.collect(),
        vv: of_pairs(&contacts.vv, &forces.vv, &VERTEX_VERTEX, x, mu),
        ve: of_pairs(&contacts.ve, &forces.ve, &VERTEX_EDGE, x, mu),
        ee,
        vf: of_pairs(&contacts.vf, &forces.vf, &VERTEX_FACE, x, mu),
        details: vec![],
    }
}

fn of_pairs<const D: usize, const N: usize>(
    contacts: &[Contact<N>],
    forces: &[f64],
    pair: &Pair<N>,
    x: &[Vector<D>],
    mu: Mu,
) -> Vec<Slide<D, N>> {
    let slide = |(c, &force): (&Contact<N>, &f64)| {
        of_pair(c.stencil, &Separation::new(pair, &c.stencil.gather(x)), force, mu)
    };
    contacts.iter().zip(forces).map(slide).collect()
}

fn of_pair<const D: usize, const N: usize>(
    stencil: Stencil<N>,
    separation: &Separation<D, N>,
    force: f64,
    mu: Mu,
) -> Slide<D, N> {
    let normal = separation.r.normalized();
    Slide { stencil, detail: Slide::<D, N>::PLAIN, c: separation.c, normal, force, mu }
}
