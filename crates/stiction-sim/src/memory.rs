//! What the contacts of a simulation remember, from step to step.

use std::borrow::Cow;

use stiction::contact::{Carry, ContactKey, ContactMemory, Contacts, Origin, Passage, PerContact};
use stiction::friction::PerSlide;
use stiction::math::Vector;
use stiction::obstacle::Obstacle;

use crate::error::Result;
use crate::model::Model;
use crate::obstacles::Drift;
use crate::state::{BIRTH, HEAT, Memory, SLIP, State};

/// What becomes of the numbers where contacts change their keys, meet or part: [`BIRTH`] is the earliest, [`SLIP`] the largest, and [`HEAT`] is
/// shared out and summed: what a contact that ends leaves goes to its heirs, and ends with it where it has none.
pub const RULES: [Carry; 3] = {
    let mut rules = [Carry::Extensive; 3];
    rules[BIRTH] = Carry::Smallest;
    rules[SLIP] = Carry::Largest;
    rules[HEAT] = Carry::Extensive;
    rules
};

/// A step, as contacts see it.
pub(crate) struct Transition<'a, const D: usize> {
    /// From here.
    pub before: &'a State<D>,
    /// Positions of the surface before and after, in m.
    pub x: [&'a [Vector<D>]; 2],
    /// Time at its end, in s.
    pub time: f64,
    /// How long it took, in s.
    pub h: f64,
    /// Contacts after.
    pub contacts: &'a Contacts,
    /// Obstacles after.
    pub obstacles: &'a [Obstacle<D>],
    /// How obstacles moved; none if none can.
    pub drifts: &'a [Drift<D>],
    /// The contacts that friction was frozen at.
    pub lagged: &'a Contacts,
    /// Their heat in J; nothing without friction.
    pub heats: PerSlide<f64>,
}

/// What contacts remember after a step.
///
/// Contacts that go on slid by what their closest points moved along each other in the step; new ones are born at its end and have slid
/// by nothing. Heat belongs to the contacts that friction was frozen at, and goes from them to those after the step as memory does.
pub(crate) fn after<const D: usize>(model: &Model<D>, transition: &Transition<'_, D>) -> Result<Memory> {
    let contacts = transition.contacts;
    let keys = contacts.keys(&model.surface)?;
    let now: Vec<_> = keys.iter().copied().zip(contacts.weights().iter().copied()).collect();
    let born = born(transition.time);
    let mut carried = before(model, transition.before)?.carried_over(&now, &model.surface, &RULES, born);
    let slips = one_each(keys.into_iter().zip(slips(transition)?.iter().copied()), f64::max);
    let heats = ContactMemory::new(heats(model, transition)?)?;
    let heats = heats.carried_over(&now, &model.surface, &[Carry::Extensive], [0.0]).memory;
    // All of these are ascending by the same keys.
    let earned = slips.iter().zip(heats.iter()).zip(&carried.origins);
    for ((_, numbers), (((_, [slip]), (_, [heat])), origin)) in carried.memory.iter_mut().zip(earned) {
        numbers[SLIP] += if *origin == Origin::New { 0.0 } else { *slip };
        numbers[HEAT] += heat;
    }
    Ok(carried.memory)
}

/// The numbers of a contact that begins at a time in s.
fn born(time: f64) -> [f64; 3] {
    let mut numbers = [0.0; 3];
    numbers[BIRTH] = time;
    numbers
}

/// What contacts remember before a step: at the start of a run those that there are begin.
fn before<'a, const D: usize>(model: &Model<D>, state: &'a State<D>) -> Result<Cow<'a, Memory>> {
    if state.time > 0.0 || !state.memory.is_empty() {
        return Ok(Cow::Borrowed(&state.memory));
    }
    let contacts = model.contacts_at(&model.surface_at(&state.q), &model.obstacles.at(state.time));
    let keys = contacts.all().keys(&model.surface)?;
    let begun = one_each(keys.into_iter().map(|key| (key, state.time)), f64::min);
    let entries = begun.into_iter().map(|(key, [time])| (key, born(time)));
    Ok(Cow::Owned(ContactMemory::new(entries.collect())?))
}

/// How far the contacts after a step slid in it, in m.
fn slips<const D: usize>(transition: &Transition<'_, D>) -> Result<PerContact<f64>> {
    let velocities = transition.drifts.iter().map(|drift| drift.rigid(true)).collect::<Result<Vec<_>>>()?;
    let moved = |obstacle: u32, p: Vector<D>| {
        velocities.get(obstacle as usize).map_or(Vector::ZERO, |velocity| velocity.at(p) * transition.h)
    };
    let ([x_start, x], obstacles) = (transition.x, transition.obstacles);
    Ok(transition.contacts.slips(&Passage { x_start, x, obstacles, moved: &moved }))
}

/// The heat of the contacts that friction was frozen at, in J.
fn heats<const D: usize>(
    model: &Model<D>,
    transition: &Transition<'_, D>,
) -> Result<Vec<(ContactKey, [f64; 1])>> {
    let Transition { lagged, heats, .. } = transition;
    if heats.iter().next().is_none() {
        return Ok(Vec::new());
    }
    let heats = heats.to_contacts(lagged)?;
    Ok(one_each(lagged.keys(&model.surface)?.into_iter().zip(heats.iter().copied()), |a, b| a + b))
}

/// One number for each key, ascending, where nearly parallel edges may share one.
fn one_each(
    contacts: impl Iterator<Item = (ContactKey, f64)>,
    join: impl Fn(f64, f64) -> f64,
) -> Vec<(ContactKey, [f64; 1])> {
    let mut out: Vec<_> = contacts.map(|(key, number)| (key, [number])).collect();
    // Stable: numbers of the same key are joined in the order of contacts.
    out.sort_by_key(|entry| entry.0);
    out.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 = [join(first.1[0], next.1[0])];
        }
        same
    });
    out
}
