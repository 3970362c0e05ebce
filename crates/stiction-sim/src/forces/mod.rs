//! The forces of contacts: one by one, on the vertices of the surface, and summed over bodies, pairs of bodies and obstacles.

mod area;
mod friction;
mod load;
mod total;

use stiction::contact::{AnyContact, Contact, ContactKey, Contacts, Feature, Touch};
use stiction::friction::Side;
use stiction::math::Vector;
use stiction::obstacle::Obstacle;
use stiction::potential::Potential;

pub use area::{areas_at, rest_areas};
pub(crate) use friction::friction_forces;
pub use load::ContactLoad;
pub use total::{DriveLoad, ForceReport, PairLoad};

use crate::error::Result;
use crate::model::Model;
use crate::reach::ContactsByReach;
use crate::state::{BIRTH, ContactFriction, HEAT, SLIP, State};

/// How a contact rubs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Regime {
    /// No friction acts.
    #[default]
    Frictionless,
    /// It slides slower than `friction.eps_v`.
    Stick,
    /// It slides as fast as that, or faster.
    Slip,
}

impl Regime {
    /// All of them, in the order of their numbers in files.
    pub const ALL: [Self; 3] = [Self::Frictionless, Self::Stick, Self::Slip];

    /// Its name in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Frictionless => "frictionless",
            Self::Stick => "stick",
            Self::Slip => "slip",
        }
    }
}

/// The forces of one contact.
///
/// Normal forces are those at the end of the step. Friction was lagged at contacts that may be others: one that had friction in the step and is not in
/// contact at its end is listed with a normal force of 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce<const D: usize> {
    /// Which contact. Parts of two nearly parallel edges share a key; the first of them has their friction and heat.
    pub key: ContactKey,
    /// Bodies and obstacles, by number; the same body twice where it touches itself.
    pub sides: [Side; 2],
    /// Where it touches, seen from its first side; without a normal if it has ended.
    pub touch: Touch<D>,
    /// The normal force `λ`, in N: `λ n` acts on the first side, the opposite on the second.
    pub normal_force: f64,
    /// The friction force on the first side, in N; the opposite acts on the second.
    pub friction: Vector<D>,
    /// How it rubs.
    pub regime: Regime,
    /// How fast it slides, in m/s; 0 without friction.
    pub slip_speed: f64,
    /// The time at which it began, in s.
    pub birth: f64,
    /// How far its sides have slid on each other since, in m.
    pub slip: f64,
    /// The heat that friction has made in it since, in J.
    pub heat: f64,
    /// The heat of the last step alone, or of the last of its substeps, in J.
    pub heat_of_step: f64,
}

impl<const D: usize> ContactForce<D> {
    /// The whole force on the first side, in N.
    pub fn force(&self) -> Vector<D> {
        self.touch.normal * self.normal_force + self.friction
    }

    fn rub(&mut self, friction: &ContactFriction<D>) {
        self.friction = friction.force;
        self.regime = if friction.sticks { Regime::Stick } else { Regime::Slip };
        (self.slip_speed, self.heat_of_step) = (friction.speed, friction.heat);
    }

    /// The middle between its closest points, in m.
    pub fn place(&self) -> Vector<D> {
        (self.touch.points[0] + self.touch.points[1]) * 0.5
    }
}

/// All forces of contacts in a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactForces<const D: usize> {
    /// Contact by contact, ascending by keys.
    pub contacts: Vec<ContactForce<D>>,
    /// The normal contact force on every vertex of the surface, in N: minus the gradient of the barrier.
    pub normal: Vec<Vector<D>>,
    /// The friction force on every vertex of the surface, in N.
    pub friction: Vec<Vector<D>>,
    /// What presses on every vertex of the surface, in N: its shares of the normal forces `λ` of contacts, whatever their directions. The sum over one side of
    /// a contact is `λ`.
    pub pressing: Vec<f64>,
}

impl<const D: usize> ContactForces<D> {
    /// The forces in a state. Friction is that of the last step; a state that has not made one has none.
    ///
    /// # Errors
    /// If the state is not one of the model.
    pub fn of(model: &Model<D>, state: &State<D>) -> Result<Self> {
        let obstacles = model.obstacles.at(state.time);
        let contacts = model.contacts_at(&model.surface_at(&state.q), &obstacles);
        Self::of_contacts(model, state, &contacts, &obstacles)
    }

    /// The same, where the contacts of the state are known.
    pub(crate) fn of_contacts(
        model: &Model<D>,
        state: &State<D>,
        contacts: &ContactsByReach,
        obstacles: &[Obstacle<D>],
    ) -> Result<Self> {
        let x = model.surface_at(&state.q);
        let barrier = model.barrier_potential(contacts, obstacles, state.kappa);
        let mut normal = vec![Vector::ZERO; x.len()];
        barrier.gradient(&x, -1.0, &mut normal);
        let (all, forces) = (contacts.all(), barrier.forces(&x));
        let touches = oriented(&all, &all.touches(&x, obstacles).iter().copied().collect::<Vec<_>>(), model)?;
        let mut pressing = vec![0.0; x.len()];
        for ((_, touch), force) in touches.iter().zip(forces.iter()) {
            touch.shares().for_each(|(v, c)| pressing[v as usize] += c.abs() * force);
        }
        let mut listed: Vec<_> = touches.into_iter().zip(forces.iter().copied()).collect();
        // Stable: parts of nearly parallel edges keep their order.
        listed.sort_by_key(|((key, _), _)| *key);
        let contacts =
            listed.iter().map(|((key, touch), force)| at_end(model, *key, *touch, *force)).collect();
        let friction = if state.friction.on_vertices.is_empty() {
            vec![Vector::ZERO; x.len()]
        } else {
            state.friction.on_vertices.clone()
        };
        let mut out = Self { contacts, normal, friction, pressing };
        out.add_friction(model, &x, &state.friction.in_contacts);
        out.add_memory(state);
        Ok(out)
    }

    /// Adds friction to the contacts that it acted in, and lists those that have ended. Of parts of nearly parallel edges, which share a key, all rub alike, and the
    /// first has the force and the heat.
    fn add_friction(&mut self, model: &Model<D>, x: &[Vector<D>], friction: &[ContactFriction<D>]) {
        let mut ended = Vec::new();
        for of in friction.iter().filter(|of| has_obstacle(model, of.key)) {
            let mut parts = self.contacts_of(of.key).iter_mut();
            match parts.next() {
                Some(first) => {
                    first.rub(of);
                    parts.for_each(|part| {
                        part.rub(&ContactFriction { force: Vector::ZERO, heat: 0.0, ..*of });
                    });
                }
                None => ended.push(ended_contact(model, x, of)),
            }
        }
        self.contacts.append(&mut ended);
        self.contacts.sort_by_key(|contact| contact.key);
    }

    /// The contacts with a key.
    fn contacts_of(&mut self, key: ContactKey) -> &mut [ContactForce<D>] {
        let first = self.contacts.partition_point(|contact| contact.key < key);
        let count = self.contacts[first..].partition_point(|contact| contact.key == key);
        &mut self.contacts[first..first + count]
    }

    /// Adds what contacts remember; heat to the first of those that share a key.
    fn add_memory(&mut self, state: &State<D>) {
        let mut last = None;
        for contact in &mut self.contacts {
            if let Some(numbers) = state.memory.get(contact.key) {
                (contact.birth, contact.slip) = (numbers[BIRTH], numbers[SLIP]);
                contact.heat = if last == Some(contact.key) { 0.0 } else { numbers[HEAT] };
            }
            last = Some(contact.key);
        }
    }
}

/// Whether the model has the obstacle of a contact: a state may be of a scene with more of them.
fn has_obstacle<const D: usize>(model: &Model<D>, key: ContactKey) -> bool {
    match key {
        ContactKey::VertexObstacle(_, obstacle) => (obstacle as usize) < model.obstacles.len(),
        _ => true,
    }
}

/// The bodies and obstacles of a contact.
fn sides<const D: usize>(model: &Model<D>, key: ContactKey) -> [Side; 2] {
    key.sides().map(|feature| match feature {
        Feature::Obstacle(number) => Side::Obstacle(number),
        feature => {
            let mut body = 0;
            feature.for_each_vertex(&model.surface, |v| body = model.body_of(v) as u32);
            Side::Body(body)
        }
    })
}

/// A contact with its normal force, and nothing else.
fn at_end<const D: usize>(
    model: &Model<D>,
    key: ContactKey,
    touch: Touch<D>,
    normal_force: f64,
) -> ContactForce<D> {
    ContactForce {
        key,
        sides: sides(model, key),
        touch,
        normal_force,
        friction: Vector::ZERO,
        regime: Regime::Frictionless,
        slip_speed: 0.0,
        birth: 0.0,
        slip: 0.0,
        heat: 0.0,
        heat_of_step: 0.0,
    }
}

/// A contact that had friction in the step and ended in it, at the points between which friction acted.
fn ended_contact<const D: usize>(
    model: &Model<D>,
    x: &[Vector<D>],
    friction: &ContactFriction<D>,
) -> ContactForce<D> {
    let ContactFriction { key, vertices, weights, .. } = *friction;
    let count = vertices_of(key);
    let mut points = [Vector::ZERO; 2];
    for (&v, &c) in vertices.iter().zip(&weights).take(count) {
        points[usize::from(c < 0.0)] += x[v as usize] * c.abs();
    }
    if count == 1 {
        points[1] = points[0];
    }
    let mut contact =
        at_end(model, key, Touch { vertices, weights, count, points, normal: Vector::ZERO }, 0.0);
    contact.rub(friction);
    contact
}

/// How many vertices a contact has.
pub(crate) fn vertices_of(key: ContactKey) -> usize {
    match key {
        ContactKey::VertexObstacle(..) => 1,
        ContactKey::VertexVertex(..) => 2,
        ContactKey::VertexEdge(..) => 3,
        ContactKey::EdgeEdge(..) | ContactKey::VertexFace(..) => 4,
    }
}

/// The key of each contact with its touch seen from the first side of the key.
fn oriented<const D: usize>(
    contacts: &Contacts,
    touches: &[Touch<D>],
    model: &Model<D>,
) -> Result<Vec<(ContactKey, Touch<D>)>> {
    let (keys, turned) = (contacts.keys(&model.surface)?, turned(contacts, model)?);
    let each = keys.into_iter().zip(touches).zip(turned);
    Ok(each.map(|((key, touch), turned)| (key, if turned { touch.turned() } else { *touch })).collect())
}

/// For each contact whether its first primitive is the second side of its key.
fn turned<const D: usize>(contacts: &Contacts, model: &Model<D>) -> Result<Vec<bool>> {
    let (keys, mut out) = (contacts.keys(&model.surface)?, Vec::with_capacity(contacts.len()));
    let edge = |a, b| model.surface.edge_between(a, b);
    let is_other = |c: &Contact<4>, first| edge(c.stencil.0[0], c.stencil.0[1]) != Some(first);
    contacts.for_each(|contact| {
        out.push(match (contact, keys[out.len()]) {
            (AnyContact::VertexVertex(c), ContactKey::VertexVertex(first, _)) => c.stencil.0[0] != first,
            (AnyContact::EdgeEdge(c), ContactKey::EdgeEdge(first, _)) => is_other(c, first),
            (AnyContact::Parallel(c), ContactKey::EdgeEdge(first, _)) => is_other(&c.contact, first),
            _ => false,
        });
    });
    Ok(out)
}
