//! Forces of contacts, summed.

use std::collections::BTreeSet;

use stiction::math::Vector;

use super::area::covered;
use super::{ContactForce, Regime};
use crate::model::Model;

/// What contacts do to a body, to an obstacle, or to the first of two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactLoad<const D: usize> {
    /// Sum of the normal forces on it, in N.
    pub normal: Vector<D>,
    /// Sum of the friction forces on it, in N.
    pub friction: Vector<D>,
    /// Moment of both about the [`center`](Self::center), in N m; in 2D only the last number, about the axis out of the plane, is not 0.
    pub moment: [f64; 3],
    /// The point that the moment is about, in m.
    pub center: Vector<D>,
    /// Sum of the magnitudes `|λ|` of the normal forces of its contacts, in N: forces from opposite sides add up. A contact of a body with itself counts once.
    pub normal_force: f64,
    /// Power of both forces on it, in W: force times velocity where it acts, at the end of the step.
    pub power: f64,
    /// Heat of its contacts in the step, in J.
    pub heat: f64,
    /// Area of the faces all of whose vertices are pushed, in m²; in 2D, and of rods, of the edges. That of an obstacle is the area of what touches it.
    pub area: f64,
    /// The part of `normal_force` that is in contacts that stick, of those with friction; 0 without friction.
    pub stick_share: f64,
    /// How many contacts it has.
    pub contacts: usize,
}

impl<const D: usize> ContactLoad<D> {
    /// Nothing, about a point.
    pub fn none(center: Vector<D>) -> Self {
        Self {
            normal: Vector::ZERO,
            friction: Vector::ZERO,
            moment: [0.0; 3],
            center,
            normal_force: 0.0,
            power: 0.0,
            heat: 0.0,
            area: 0.0,
            stick_share: 0.0,
            contacts: 0,
        }
    }

    /// The whole force, in N.
    pub fn force(&self) -> Vector<D> {
        self.normal + self.friction
    }
}

/// `r × F`, in 2D about the axis out of the plane.
pub(super) fn moment<const D: usize>(arm: Vector<D>, force: Vector<D>) -> [f64; 3] {
    let at = |v: Vector<D>, k: usize| v.0.get(k).copied().unwrap_or(0.0);
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        at(arm, i) * at(force, j) - at(arm, j) * at(force, i)
    })
}

/// A load that is being summed, contact by contact.
pub(super) struct Sum<const D: usize> {
    pub load: ContactLoad<D>,
    sticking: f64,
    rubbing: f64,
    touched: BTreeSet<u32>,
}

impl<const D: usize> Sum<D> {
    pub fn new(center: Vector<D>) -> Self {
        Self { load: ContactLoad::none(center), sticking: 0.0, rubbing: 0.0, touched: BTreeSet::new() }
    }

    /// Counts a contact: magnitudes, heat and how it rubs.
    pub fn count(&mut self, contact: &ContactForce<D>) {
        let force = contact.normal_force.abs();
        self.load.contacts += usize::from(contact.touch.normal != Vector::ZERO);
        self.load.normal_force += force;
        self.load.heat += contact.heat_of_step;
        if contact.regime != Regime::Frictionless {
            self.rubbing += force;
            self.sticking += if contact.regime == Regime::Stick { force } else { 0.0 };
        }
    }

    /// Adds forces, in N, at a point that has a velocity in m/s.
    pub fn push(&mut self, [normal, friction]: [Vector<D>; 2], point: Vector<D>, velocity: Vector<D>) {
        self.load.normal += normal;
        self.load.friction += friction;
        self.load.power += (normal + friction).dot(velocity);
        let moment = moment(point - self.load.center, normal + friction);
        (0..3).for_each(|k| self.load.moment[k] += moment[k]);
    }

    /// Notes that contacts push a vertex.
    pub fn touch(&mut self, vertex: u32) {
        self.touched.insert(vertex);
    }

    /// The load, with the area of surface that its vertices cover at positions `x`.
    pub fn finished(mut self, model: &Model<D>, x: &[Vector<D>]) -> ContactLoad<D> {
        self.load.area = covered(model, x, &self.touched);
        self.load.stick_share = if self.rubbing > 0.0 { self.sticking / self.rubbing } else { 0.0 };
        self.load
    }
}
