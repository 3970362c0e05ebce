//! Friction of a step, contact by contact.

use stiction::contact::{ContactKey, Contacts};
use stiction::friction::{FrictionPotential, SlideAction, Step};
use stiction::math::Vector;
use stiction::potential::Potential;

use super::turned;
use crate::error::Result;
use crate::model::Model;
use crate::state::{ContactFriction, FrictionForces};

/// What friction did in a step, given the contacts that it was lagged at.
pub(crate) fn friction_forces<const D: usize>(
    model: &Model<D>,
    friction: &FrictionPotential<'_, D>,
    lagged: &Contacts,
    step: &Step<'_, D>,
) -> Result<FrictionForces<D>> {
    if friction.slides.is_empty() {
        return Ok(FrictionForces::default());
    }
    let mut on_vertices = vec![Vector::ZERO; step.x.len()];
    friction.gradient(step.x, -1.0, &mut on_vertices);
    let actions = friction.actions(step).to_contacts(lagged)?;
    let (keys, turned) = (lagged.keys(&model.surface)?, turned(lagged, model)?);
    let each = keys.into_iter().zip(actions.iter()).zip(turned);
    let in_contacts = each.map(|((key, action), turned)| one(key, action, turned)).collect();
    Ok(FrictionForces { on_vertices, in_contacts: joined(in_contacts) })
}

/// Friction of a contact, seen from the first side of its key.
fn one<const D: usize>(key: ContactKey, action: &SlideAction<D>, turned: bool) -> ContactFriction<D> {
    let SlideAction { vertices, weights, force, speed, sticks, heat } = *action;
    let (weights, force) = if turned { (weights.map(|c| -c), -force) } else { (weights, force) };
    ContactFriction { key, vertices, weights, force, speed, sticks, heat }
}

/// One for each key, ascending: parts of nearly parallel edges share theirs.
fn joined<const D: usize>(mut list: Vec<ContactFriction<D>>) -> Vec<ContactFriction<D>> {
    list.sort_by_key(|friction| friction.key);
    list.dedup_by(|next, first| {
        let same = next.key == first.key;
        if same {
            first.force += next.force;
            first.heat += next.heat;
            first.speed = first.speed.max(next.speed);
            first.sticks &= next.sticks;
        }
        same
    });
    list
}
