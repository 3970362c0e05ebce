//! From contacts to slides.

use super::{Slide, Slides};
use crate::barrier::BarrierPotential;
use crate::contact::Contact;
use crate::distance::Separation;
use crate::math::Vector;
use crate::mollifier;
use crate::stencil::{EDGE_EDGE, Pair, Stencil, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX};

/// Freezes normal force, sliding plane and closest points of the barrier's contacts at positions `x`.
///
/// ```text
/// λ = −w m κ b′(d²) 2d  [N]       n = r/|r|       c: weights of the closest points
/// ```
/// Nearly parallel edges keep the friction that belongs to their mollified normal force, so it
/// is continuous when edges turn. Nothing is returned for `mu = 0`. \[Li2020\]
///
/// # Panics
/// If `x` is shorter than the array that the contacts were built with.
pub fn lag<const D: usize>(barrier: &BarrierPotential<'_, D>, x: &[Vector<D>], mu: f64) -> Slides<D> {
    if mu == 0.0 {
        return Slides::default();
    }
    let contacts = barrier.contacts;
    let mut ee = of_pairs(barrier, &contacts.ee, &EDGE_EDGE, x, mu);
    ee.extend(contacts.parallel.iter().map(|c| {
        let positions = c.contact.stencil.gather(x);
        let m = mollifier::value(mollifier::cross_squared(&positions), c.threshold);
        let weight = c.contact.weight * m;
        of_pair(barrier, c.contact.stencil, weight, &Separation::new(&c.pair(), &positions), mu)
    }));
    let obstacle = contacts.obstacle.iter().map(|c| {
        let position = x[c.stencil.0[0] as usize];
        let obstacle = &barrier.obstacles[c.obstacle as usize];
        let force = c.weight * barrier.force(obstacle.distance(position).powi(2));
        Slide { stencil: c.stencil, c: [1.0], normal: obstacle.normal(position), force, mu }
    });
    Slides {
        obstacle: obstacle.collect(),
        vv: of_pairs(barrier, &contacts.vv, &VERTEX_VERTEX, x, mu),
        ve: of_pairs(barrier, &contacts.ve, &VERTEX_EDGE, x, mu),
        ee,
        vf: of_pairs(barrier, &contacts.vf, &VERTEX_FACE, x, mu),
    }
}

fn of_pairs<const D: usize, const N: usize>(
    barrier: &BarrierPotential<'_, D>,
    contacts: &[Contact<N>],
    pair: &Pair<N>,
    x: &[Vector<D>],
    mu: f64,
) -> Vec<Slide<D, N>> {
    let slide = |c: &Contact<N>| {
        of_pair(barrier, c.stencil, c.weight, &Separation::new(pair, &c.stencil.gather(x)), mu)
    };
    contacts.iter().map(slide).collect()
}

fn of_pair<const D: usize, const N: usize>(
    barrier: &BarrierPotential<'_, D>,
    stencil: Stencil<N>,
    weight: f64,
    separation: &Separation<D, N>,
    mu: f64,
) -> Slide<D, N> {
    let force = weight * barrier.force(separation.distance_squared());
    Slide { stencil, c: separation.c, normal: separation.r.normalized(), force, mu }
}
