//! Starts in equilibrium: bodies that were placed within each other's reach are moved until they carry each other.

use stiction::math::Vector;
use stiction::potential::Potential;

use crate::constraint::Link;
use crate::error::{Error, Result};
use crate::integrator::IntegratorKind;
use crate::model::{Model, Part};
use crate::newton::Workspace;
use crate::problem::{Drive, TimeSpan};
use crate::report::StepReport;
use crate::state::State;
use crate::step::advance;

/// The part of `d̂` that what is not supported falls in a round.
const FALL: f64 = 0.1;

/// Most rounds: what is not at rest by then is on its way to fall.
const MAX_ROUNDS: usize = 12;

/// Most iterations of a round, however many a step may take: nobody can interrupt a start.
const MAX_ITERATIONS: usize = 200;

/// The part of the acceleration of loads that bodies may have left at the end.
const CALM: f64 = 0.01;

/// Contact forces beyond so many times what loads explain deserve a warning.
const TOO_MUCH: f64 = 2.0;

/// What became of a start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settled {
    /// Rounds made; 0 where nothing touched.
    pub rounds: usize,
    /// The longest way of a vertex, in m.
    pub moved: f64,
    /// Energy of contact that was stored before, and what is left of it, in J.
    pub energy: [f64; 2],
    /// What is still not at rest, and what to do about it.
    pub warnings: Vec<String>,
}

/// Moves bodies that touch at the start of a run until contacts carry what rests on them; velocities stay what they are.
///
/// The barrier of a body that was placed at a part of `d̂` stores energy, often a thousand times what its weight would: it would be thrown
/// up, and friction would see that force. So before the first step there are rounds of implicit Euler from rest, with the loads of
/// the start, friction, and steps so short,
///
/// ```text
/// τ = √(0.1 d̂/a)        a: the largest acceleration of a body by gravity and loads
/// ```
/// that what is not supported falls by a tenth of `d̂` in each. Bodies that touch nothing stay where they are, unless they are linked to
/// one that touches something. It ends when no body that touches accelerates by more than a hundredth of what its loads would, or after 12 rounds. Nothing is done without inertia: the first increment finds
/// its equilibrium itself.
///
/// Where a round fails, the start is as the round before left it, with a warning; where it is interrupted, it is as it was.
pub fn settle<const D: usize>(model: &Model<D>, state: &mut State<D>, work: &mut Workspace<D>) -> Settled {
    let mut settled = Settled { energy: [stored(model, state); 2], ..Settled::default() };
    if !model.params.time.integrator.has_inertia() || touched(model, state).iter().all(|touched| !touched) {
        return settled;
    }
    let whole = TimeSpan { h: model.params.time.step, steps: state.step, time: state.time };
    let Ok(drive) = Drive::rest(model, state, whole) else {
        settled
            .warnings
            .push("loads have no value at the start: contacts are not brought to rest".to_owned());
        return settled;
    };
    let (start, pulls) = (state.clone(), drive.pulls(model));
    let pull = pulls.iter().copied().fold(0.0, f64::max);
    let span = TimeSpan { h: round_length(model, pull), ..whole };
    let mut now = State { v: vec![Vector::ZERO; state.q.len()], ..state.clone() };
    let mut calm = false;
    while settled.rounds < MAX_ROUNDS && !calm {
        let next = match round(model, &now, work, span) {
            Ok(next) => next,
            // Halfway it would be a start of its own, which no other run has.
            Err(Error::Interrupted { .. }) => return settled,
            Err(error) => {
                settled
                    .warnings
                    .push(format!("contacts cannot be brought to rest before the start: {error}"));
                break;
            }
        };
        settled.rounds += 1;
        calm = is_calm(model, &now, &next, span.h, &pulls);
        now = next;
    }
    settled.moved = longest(&start, &now);
    if !calm && settled.moved > model.barrier.dhat() {
        settled.warnings.push(format!(
            "contacts are not at rest after {} rounds, in which bodies moved by up to {:.3e} m before the start: what touches falls or is pressed \
             together; place bodies where they rest, or set contact.settle = false",
            settled.rounds, settled.moved
        ));
    }
    *state = State { q: now.q, kappa: now.kappa, ..start };
    settled.energy[1] = stored(model, state);
    settled.warnings.extend(warnings(model, state, pull));
    settled
}

/// Energy of contact, in J.
fn stored<const D: usize>(model: &Model<D>, state: &State<D>) -> f64 {
    StepReport::at_start(model, state).energies.barrier
}

/// For every body whether it touches anything.
fn touched<const D: usize>(model: &Model<D>, state: &State<D>) -> Vec<bool> {
    let mut vertices = vec![false; model.surface.rest().len()];
    let contacts = model.contacts_at(&model.surface_at(&state.q), &model.obstacles.at(state.time));
    contacts.for_each_vertex(|v| vertices[v as usize] = true);
    model.parts.iter().map(|part| vertices[part.vertices.clone()].contains(&true)).collect()
}

/// `τ` in s; that of the run where nothing pulls.
fn round_length<const D: usize>(model: &Model<D>, pull: f64) -> f64 {
    if pull > 0.0 { (FALL * model.barrier.dhat() / pull).sqrt() } else { model.params.time.step }
}

/// One round, from rest to rest.
fn round<const D: usize>(
    model: &Model<D>,
    state: &State<D>,
    work: &mut Workspace<D>,
    span: TimeSpan,
) -> Result<State<D>> {
    let held = held(model, state)?;
    work.begin_step();
    let scheme = IntegratorKind::ImplicitEuler.begin(state, span.h);
    let drive = Drive::rest(model, state, span)?;
    let (next, _) = work.within(MAX_ITERATIONS, |work| advance(&held, state, &drive, scheme, work))?;
    Ok(State { v: state.v.clone(), a: Vec::new(), f: Vec::new(), before: None, ..next })
}

/// The model with the bodies held that touch nothing, neither by themselves nor by what they are linked to.
fn held<const D: usize>(model: &Model<D>, state: &State<D>) -> Result<Model<D>> {
    let groups = linked(&model.parts, model.constraints.links());
    let mut touching = vec![false; groups.len()];
    for (group, touched) in groups.iter().zip(touched(model, state)) {
        touching[*group] |= touched;
    }
    model.holding((0..groups.len()).filter(|body| !touching[groups[*body]]))
}

/// For every body the first of those that links join it with, directly or by others; itself without any.
fn linked(parts: &[Part], links: &[Link]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..parts.len()).collect();
    for link in links {
        let body = |(node, _): &(u32, f64)| parts.partition_point(|part| part.nodes.end <= *node as usize);
        for pair in link.nodes.windows(2) {
            let [a, b] = [&pair[0], &pair[1]].map(|node| root(&mut first, body(node)));
            first[a.max(b)] = a.min(b);
        }
    }
    (0..parts.len()).map(|body| root(&mut first, body)).collect()
}

/// The first body of the group that a body is in; bodies on the way are closer to it afterwards.
fn root(first: &mut [usize], body: usize) -> usize {
    let mut root = body;
    while first[root] != root {
        first[root] = first[first[root]];
        root = first[root];
    }
    root
}

/// Whether no body was moved, as a whole, by more than a part of what its own loads would in a round of length `h` in s.
fn is_calm<const D: usize>(
    model: &Model<D>,
    before: &State<D>,
    after: &State<D>,
    h: f64,
    pulls: &[f64],
) -> bool {
    model.parts.iter().zip(pulls).all(|(part, pull)| {
        let masses = model.mass.of_nodes();
        let moved = |i: usize| (after.q[i] - before.q[i]) * masses[i];
        let mass: f64 = masses[part.nodes.clone()].iter().sum();
        let sum = part.nodes.clone().map(moved).fold(Vector::ZERO, |sum, moved| sum + moved);
        sum.norm() <= CALM * pull * h * h * mass
    })
}

fn longest<const D: usize>(from: &State<D>, to: &State<D>) -> f64 {
    from.q.iter().zip(&to.q).map(|(a, b)| (*b - *a).norm()).fold(0.0, f64::max)
}

/// Bodies that contact pushes by more than loads explain, or by more than a tenth of `d̂` in a step.
fn warnings<const D: usize>(model: &Model<D>, state: &State<D>, pull: f64) -> Vec<String> {
    let obstacles = model.obstacles.at(state.time);
    let x = model.surface_at(&state.q);
    let contacts = model.contacts_at(&x, &obstacles);
    let barrier = model.barrier_potential(&contacts, &obstacles, state.kappa);
    let mut forces = vec![Vector::ZERO; x.len()];
    barrier.gradient(&x, -1.0, &mut forces);
    let (energy, reach) = (barrier.energy(&x), model.barrier.reach());
    let slight = FALL * model.barrier.dhat() / (model.params.time.step * model.params.time.step);
    // Bodies below carry those above.
    let explained = TOO_MUCH * model.mass.of_nodes().iter().sum::<f64>() * pull.max(slight);
    let push = |part: &Part| {
        let free = part.vertices.clone().filter(|&i| !model.driven[i]);
        free.map(|i| forces[i]).fold(Vector::ZERO, |sum, force| sum + force).norm()
    };
    let warning = |part: &Part| {
        let force = push(part);
        (force > explained).then(|| {
            format!(
                "body \"{}\" starts with a contact force of {force:.3e} N, more than loads explain ({energy:.3e} J are stored in all \
                 contacts): place it further from what it touches (contacts push below {reach:.3e} m)",
                part.name
            )
        })
    };
    model.parts.iter().filter_map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_make_groups_of_bodies() {
        let part = |k: usize| {
            let nodes = 3 * k..3 * k + 3;
            let (name, vertices, motions) = (k.to_string(), nodes.clone(), Vec::new());
            Part {
                name,
                nodes,
                vertices,
                embedded: false,
                is_static: false,
                material: String::new(),
                width: 1.0,
                motions,
            }
        };
        let link = |nodes: &[u32]| {
            let nodes = nodes.iter().map(|node| (*node, 1.0)).collect();
            Link { name: String::new(), nodes }
        };
        let parts: Vec<Part> = (0..7).map(part).collect();
        assert_eq!(linked(&parts, &[]), [0, 1, 2, 3, 4, 5, 6]);
        // Bodies 5 and 3, then 1, 5 and 6; one within body 4.
        let links = [link(&[17, 9]), link(&[3, 15, 20]), link(&[12, 14])];
        assert_eq!(linked(&parts, &links), [0, 1, 2, 1, 4, 1, 1]);
    }
}
