//! Forces summed over bodies, obstacles, pairs and prescribed motions.

use std::collections::BTreeMap;

use stiction::friction::Side;
use stiction::math::Vector;
use stiction::obstacle::{Obstacle, RigidVelocity};

use super::load::{Sum, moment};
use super::{ContactForce, ContactForces, ContactLoad};
use crate::model::{Model, Part};
use crate::state::State;

/// What two bodies, or a body and an obstacle, do to each other.
#[derive(Clone, Debug, PartialEq)]
pub struct PairLoad<const D: usize> {
    /// The two sides, ascending, bodies before obstacles. The same body twice where it touches itself.
    pub sides: [Side; 2],
    /// What acts on the first side, about its centre of mass; forces on the second are opposite. Where a body touches itself, forces, moment and power are of
    /// the first side of each contact.
    pub load: ContactLoad<D>,
}

/// What drives a prescribed motion.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveLoad<const D: usize> {
    /// The number of the body.
    pub body: usize,
    /// The number of the motion in its body, from 0.
    pub motion: usize,
    /// The force that moves its nodes as prescribed, in N: what a load cell would show, and inertia.
    pub force: Vector<D>,
    /// Its moment about the mean of the nodes, in N m; in 2D only the last number is not 0.
    pub moment: [f64; 3],
    /// The power of the drive, in W.
    pub power: f64,
}

/// Forces of a step by body, obstacle, pair and prescribed motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForceReport<const D: usize> {
    /// On each body, about its centre of mass.
    pub bodies: Vec<ContactLoad<D>>,
    /// On each obstacle, about the point that it is given by.
    pub obstacles: Vec<ContactLoad<D>>,
    /// Between all that touch, ascending by sides.
    pub pairs: Vec<PairLoad<D>>,
    /// Of each prescribed motion, in the order of bodies.
    pub drives: Vec<DriveLoad<D>>,
}

impl<const D: usize> ForceReport<D> {
    /// The sums of the forces in a state, whose bodies have these centres of mass. What drives prescribed motions is not known: it counts as 0.
    pub fn new(model: &Model<D>, state: &State<D>, forces: &ContactForces<D>, centers: &[Vector<D>]) -> Self {
        let (x, v) = (model.surface_at(&state.q), model.surface_at(&state.v));
        let scene = Surroundings {
            model,
            x: &x,
            v: &v,
            obstacles: model.obstacles.at(state.time),
            velocities: obstacle_velocities(model, state.time),
            centers,
        };
        Self {
            bodies: scene.on_bodies(forces),
            obstacles: scene.on_obstacles(&forces.contacts),
            pairs: scene.between(&forces.contacts),
            drives: drives(model, state, &[]),
        }
    }

    /// The same with the forces that drive prescribed nodes, one for each node of the model, in N.
    pub fn with_drives(self, model: &Model<D>, state: &State<D>, reactions: &[Vector<D>]) -> Self {
        Self { drives: drives(model, state, reactions), ..self }
    }

    /// The same with the heat of an earlier part of the step.
    pub fn after(mut self, earlier: &Self) -> Self {
        let both = |now: &mut Vec<ContactLoad<D>>, before: &[ContactLoad<D>]| {
            now.iter_mut().zip(before).for_each(|(now, before)| now.heat += before.heat);
        };
        both(&mut self.bodies, &earlier.bodies);
        both(&mut self.obstacles, &earlier.obstacles);
        for before in &earlier.pairs {
            match self.pairs.binary_search_by_key(&before.sides, |pair| pair.sides) {
                Ok(index) => self.pairs[index].load.heat += before.load.heat,
                Err(index) => {
                    let load =
                        ContactLoad { heat: before.load.heat, ..ContactLoad::none(before.load.center) };
                    self.pairs.insert(index, PairLoad { sides: before.sides, load });
                }
            }
        }
        self
    }
}

/// The mean velocities of the obstacles in the step that ends at a time; none if none moves. What has no velocity before the start rests.
pub(super) fn obstacle_velocities<const D: usize>(model: &Model<D>, time: f64) -> Vec<RigidVelocity<D>> {
    let before = time - model.params.time.step;
    let drifts = model.obstacles.drifts(before, time);
    drifts.iter().map(|drift| drift.rigid(true).unwrap_or(RigidVelocity::REST)).collect()
}

/// What sums need to know besides the forces.
struct Surroundings<'a, const D: usize> {
    model: &'a Model<D>,
    x: &'a [Vector<D>],
    v: &'a [Vector<D>],
    obstacles: Vec<Obstacle<D>>,
    velocities: Vec<RigidVelocity<D>>,
    centers: &'a [Vector<D>],
}

impl<const D: usize> Surroundings<'_, D> {
    fn on_bodies(&self, forces: &ContactForces<D>) -> Vec<ContactLoad<D>> {
        let mut sums: Vec<_> = self.centers.iter().map(|center| Sum::new(*center)).collect();
        for (part, sum) in self.model.parts.iter().zip(&mut sums) {
            for i in part.vertices.clone() {
                if forces.normal[i] != Vector::ZERO || forces.friction[i] != Vector::ZERO {
                    sum.push([forces.normal[i], forces.friction[i]], self.x[i], self.v[i]);
                }
                if forces.pressing[i] > 0.0 {
                    sum.touch(i as u32);
                }
            }
        }
        for contact in &forces.contacts {
            let [first, second] = contact.sides;
            for side in [Some(first), Some(second).filter(|second| *second != first)].into_iter().flatten() {
                if let Side::Body(body) = side {
                    sums[body as usize].count(contact);
                }
            }
        }
        sums.into_iter().map(|sum| sum.finished(self.model, self.x)).collect()
    }

    fn on_obstacles(&self, contacts: &[ContactForce<D>]) -> Vec<ContactLoad<D>> {
        let mut sums: Vec<_> = self.obstacles.iter().map(|solid| Sum::new(solid.point())).collect();
        for contact in contacts {
            let Side::Obstacle(number) = contact.sides[1] else { continue };
            let (number, point) = (number as usize, contact.touch.points[1]);
            let Some(sum) = sums.get_mut(number) else { continue };
            let velocity = self.velocities.get(number).map_or(Vector::ZERO, |velocity| velocity.at(point));
            sum.count(contact);
            sum.push([-(contact.touch.normal * contact.normal_force), -contact.friction], point, velocity);
            touch(sum, contact, |_| true);
        }
        sums.into_iter().map(|sum| sum.finished(self.model, self.x)).collect()
    }

    fn between(&self, contacts: &[ContactForce<D>]) -> Vec<PairLoad<D>> {
        let mut sums: BTreeMap<[Side; 2], Sum<D>> = BTreeMap::new();
        for contact in contacts {
            let [a, b] = contact.sides;
            let (sides, sign) = if a <= b { ([a, b], 1.0) } else { ([b, a], -1.0) };
            let sum = sums.entry(sides).or_insert_with(|| Sum::new(self.center(sides[0])));
            let (mut velocity, side) = (Vector::ZERO, usize::from(sign < 0.0));
            for (v, c) in contact.touch.shares().filter(|(_, c)| *c * sign > 0.0) {
                velocity += self.v[v as usize] * c.abs();
            }
            let normal = contact.touch.normal * (contact.normal_force * sign);
            sum.count(contact);
            sum.push([normal, contact.friction * sign], contact.touch.points[side], velocity);
            touch(sum, contact, |c| c * sign > 0.0);
        }
        let pair =
            |(sides, sum): ([Side; 2], Sum<D>)| PairLoad { sides, load: sum.finished(self.model, self.x) };
        sums.into_iter().map(pair).collect()
    }

    fn center(&self, side: Side) -> Vector<D> {
        match side {
            Side::Body(body) => self.centers.get(body as usize).copied().unwrap_or(Vector::ZERO),
            Side::Obstacle(_) => Vector::ZERO,
        }
    }
}

/// Notes the vertices of a contact that its normal force pushes, of the side that weights belong to.
fn touch<const D: usize>(sum: &mut Sum<D>, contact: &ContactForce<D>, is_of_side: impl Fn(f64) -> bool) {
    if contact.normal_force > 0.0 {
        contact.touch.shares().filter(|(_, c)| is_of_side(*c)).for_each(|(v, _)| sum.touch(v));
    }
}

/// What drives each prescribed motion, given the force on each node; nothing if none are known.
fn drives<const D: usize>(model: &Model<D>, state: &State<D>, reactions: &[Vector<D>]) -> Vec<DriveLoad<D>> {
    let of = |(body, part): (usize, &Part)| {
        let each = part.motions.iter().enumerate();
        each.map(|(index, motion)| drive(state, reactions, [body, index], &motion.nodes)).collect::<Vec<_>>()
    };
    model.parts.iter().enumerate().flat_map(of).collect()
}

fn drive<const D: usize>(
    state: &State<D>,
    reactions: &[Vector<D>],
    [body, motion]: [usize; 2],
    nodes: &[u32],
) -> DriveLoad<D> {
    let mean = nodes.iter().fold(Vector::ZERO, |sum, v| sum + state.q[*v as usize]);
    let mean = mean * (1.0 / nodes.len().max(1) as f64);
    let mut out = DriveLoad { body, motion, force: Vector::ZERO, moment: [0.0; 3], power: 0.0 };
    for (&v, force) in nodes.iter().filter_map(|v| Some((v, *reactions.get(*v as usize)?))) {
        let v = v as usize;
        out.force += force;
        out.power += force.dot(state.v[v]);
        let moment = moment(state.q[v] - mean, force);
        (0..3).for_each(|k| out.moment[k] += moment[k]);
    }
    out
}
