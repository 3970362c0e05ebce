//! Friction forces of slides and between bodies.

use std::collections::BTreeMap;

use super::law::FrictionLaw;
use super::per_slide::PerSlide;
use super::potential::FrictionPotential;
use super::slide::Slide;
use crate::assemble;
use crate::contact::Contacts;
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::potential::Potential;

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// A part of the surface, by its number.
    Body(u32),
    /// An obstacle, by its number.
    Obstacle(u32),
}

/// What acts between two bodies, or a body and an obstacle: on the first side; on the second acts the opposite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairForce<const D: usize> {
    /// The two sides, ascending, bodies before obstacles.
    pub sides: [Side; 2],
    /// Sum of the friction forces on the first side, in N; zero where both sides are the same.
    pub friction: Vector<D>,
    /// Sum of the normal forces on the first side, in N; zero where both sides are the same.
    pub normal: Vector<D>,
    /// Sum of the normal forces λ, in N; those of negative weights count against the others.
    pub normal_force: f64,
    /// How many slides there are between them.
    pub slides: usize,
}

impl<const D: usize, L: FrictionLaw> FrictionPotential<'_, D, L> {
    /// The friction force on the first primitive of each slide, in N: of a vertex and a face the vertex, of two edges the first, of a
    /// vertex and an obstacle the vertex. On the other acts the opposite.
    ///
    /// ```text
    /// F = −λ (g/y) S z
    /// ```
    ///
    /// # Panics
    /// If `x` is shorter than the array that the contacts were built with.
    pub fn slide_forces(&self, x: &[Vector<D>]) -> PerSlide<Vector<D>> {
        let s = self.slides;
        PerSlide {
            vv: self.each_force(&s.vv, x),
            ve: self.each_force(&s.ve, x),
            ee: self.each_force(&s.ee, x),
            vf: self.each_force(&s.vf, x),
            obstacle: self.each_force(&s.obstacle, x),
        }
    }

    fn each_force<const N: usize>(&self, slides: &[Slide<D, N>], x: &[Vector<D>]) -> Vec<Vector<D>> {
        assemble::each(slides, |_, slide| self.slide_force(slide, x))
    }

    /// The friction force on the first primitive of a slide.
    pub(super) fn slide_force<const N: usize>(&self, slide: &Slide<D, N>, x: &[Vector<D>]) -> Vector<D> {
        let pace = self.pace(slide, x);
        pace.along * (-slide.force * self.law.ratio(pace.speed(), slide.mu, self.eps_v))
    }

    /// Adds the friction force on every vertex, minus the gradient, in N, to `out`.
    pub fn force(&self, x: &[Vector<D>], out: &mut [Vector<D>]) {
        self.gradient(x, -1.0, out);
    }

    /// Friction and normal forces between bodies, given the number of the body of every vertex and the contacts that the slides were
    /// lagged from; ascending by sides. A primitive belongs to the body of its first vertex. Normal forces are the lagged ones.
    ///
    /// # Errors
    /// If the contacts are not as many as the slides, or a vertex has no body.
    ///
    /// # Panics
    /// As [`slide_forces`](Self::slide_forces).
    pub fn forces_between(
        &self,
        x: &[Vector<D>],
        bodies: &[u32],
        contacts: &Contacts,
    ) -> Result<Vec<PairForce<D>>> {
        if bodies.len() < x.len() {
            let (what, found, expected) = ("bodies of vertices", bodies.len(), x.len());
            return Err(Error::WrongLength { what, found, expected });
        }
        let (s, forces) = (self.slides, self.slide_forces(x));
        if !s.is_empty() {
            PerSlide::from(&contacts.weights()).check(s)?;
        }
        let body = |vertex: u32| Side::Body(bodies[vertex as usize]);
        let mut sums = Sums(BTreeMap::new());
        sums.add_pairs(&s.vv, &forces.vv, |[a, b]| [a, b].map(body));
        sums.add_pairs(&s.ve, &forces.ve, |[v, e, _]| [v, e].map(body));
        sums.add_pairs(&s.ee, &forces.ee, |[a, _, b, _]| [a, b].map(body));
        sums.add_pairs(&s.vf, &forces.vf, |[v, f, _, _]| [v, f].map(body));
        for ((slide, force), contact) in s.obstacle.iter().zip(&forces.obstacle).zip(&contacts.obstacle) {
            sums.add([body(slide.stencil.0[0]), Side::Obstacle(contact.obstacle)], slide, *force);
        }
        Ok(sums.0.into_values().collect())
    }
}

struct Sums<const D: usize>(BTreeMap<[Side; 2], PairForce<D>>);

impl<const D: usize> Sums<D> {
    fn add_pairs<const N: usize>(
        &mut self,
        slides: &[Slide<D, N>],
        forces: &[Vector<D>],
        sides: impl Fn([u32; N]) -> [Side; 2],
    ) {
        for (slide, force) in slides.iter().zip(forces) {
            self.add(sides(slide.stencil.0), slide, *force);
        }
    }

    /// Adds the friction `force` on the first of two sides.
    fn add<const N: usize>(&mut self, [a, b]: [Side; 2], slide: &Slide<D, N>, force: Vector<D>) {
        let sides = [a.min(b), a.max(b)];
        let none =
            PairForce { sides, friction: Vector::ZERO, normal: Vector::ZERO, normal_force: 0.0, slides: 0 };
        let sum = self.0.entry(sides).or_insert(none);
        // The normal points to the first primitive.
        let (normal, sign) = (slide.normal * slide.force, if a < b { 1.0 } else { -1.0 });
        if a != b {
            sum.friction += force * sign;
            sum.normal += normal * sign;
        }
        sum.normal_force += slide.force;
        sum.slides += 1;
    }
}
