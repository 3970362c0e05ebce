//! One time step.

use stiction::contact::Contacts;
use stiction::friction::{self, FrictionPotential, Slides};
use stiction::math::Vector;
use stiction::potential::Potential;

use crate::error::Result;
use crate::model::Model;
use crate::newton::{self, Iterate, Problem, Workspace};
use crate::report::{FrictionReport, StepReport};
use crate::state::State;

/// Makes one time step: moves `state` to the end of it.
///
/// Normal forces and sliding planes are frozen at the last configuration, then the incremental potential
/// is made smallest, from the predicted positions on. With refinements friction is frozen anew at the
/// solution, until its forces settle.
///
/// # Errors
/// If the step cannot be solved. Then `state` is as it was.
///
/// # Panics
/// If `state` does not have as many vertices as `model`.
pub fn step<const D: usize>(
    model: &Model<D>,
    state: &mut State<D>,
    work: &mut Workspace<D>,
) -> Result<StepReport<D>> {
    let h = model.params.time.step;
    let scheme = model.integrator.begin(state, h);
    let targets = model.boundary.targets(model.surface.rest(), (state.step + 1) as f64 * h);
    let mut iterate = begin(model, state);
    let barrier_before = model.barrier_potential(&iterate.contacts, iterate.kappa).energy(&iterate.x);
    let mut slides = lag(model, &iterate);
    let mut lagged = iterate.contacts.clone();

    let mut round = 1;
    let (friction, work_done) = loop {
        let problem =
            Problem { model, scheme: &scheme, slides: &slides, targets: &targets, step: state.step + 1 };
        if round == 1 {
            start_at_prediction(&problem, &mut iterate);
        }
        newton::minimise(&problem, &mut iterate, work)?;
        let again = lag(model, &iterate);
        let friction = friction_report(&problem, &iterate, &again, (&lagged, &state.x))?;
        if round == model.params.friction.refinements
            || friction.lag_residual <= model.params.friction.lag_tolerance
        {
            break (friction, prescribed_work(&problem, &iterate, &state.x));
        }
        slides = again;
        lagged.clone_from(&iterate.contacts);
        round += 1;
    };

    let stiffness_work = stiffness_work(barrier_before, state.kappa, iterate.kappa);
    model.integrator.finish(state, &scheme, std::mem::take(&mut iterate.x), h);
    state.kappa = iterate.kappa;
    let report = StepReport::of_step(model, state, &iterate, friction);
    Ok(StepReport { work: work_done, stiffness_work, ..report })
}

/// The last configuration with its contacts.
fn begin<const D: usize>(model: &Model<D>, state: &State<D>) -> Iterate<D> {
    let contacts = model.contacts_at(&state.x);
    Iterate { x: state.x.clone(), contacts, kappa: state.kappa, iterations: 0, regularised: 0 }
}

/// Friction frozen at the present iterate.
fn lag<const D: usize>(model: &Model<D>, iterate: &Iterate<D>) -> Slides<D> {
    let barrier = model.barrier_potential(&iterate.contacts, iterate.kappa);
    friction::lag(&barrier, &iterate.x, &model.params.friction.mu.into())
}

/// Moves to where inertia and prescribed motion lead, as far as nothing touches.
fn start_at_prediction<const D: usize>(problem: &Problem<'_, D>, iterate: &mut Iterate<D>) {
    let mut p: Vec<Vector<D>> =
        problem.scheme.predicted.iter().zip(&iterate.x).map(|(to, from)| *to - *from).collect();
    for &(v, target) in problem.targets {
        p[v as usize] = target - iterate.x[v as usize];
    }
    newton::advance(problem, iterate, &p);
}

/// What friction did since positions `before`, given the contacts that it was frozen at.
fn friction_report<const D: usize>(
    problem: &Problem<'_, D>,
    iterate: &Iterate<D>,
    again: &Slides<D>,
    (lagged, before): (&Contacts, &[Vector<D>]),
) -> Result<FrictionReport> {
    let used = problem.potential(&iterate.contacts, iterate.kappa).friction;
    let next = FrictionPotential { slides: again, ..used };
    let lag_residual = relative_change(&used, &next, &iterate.x);
    let at_end = problem.model.barrier_potential(lagged, iterate.kappa).forces(&iterate.x);
    let step = friction::Step { x_start: before, x: &iterate.x, h: problem.model.params.time.step };
    Ok(used.account(&step, &(&at_end).into(), lag_residual)?)
}

/// `|g_used − g_next| / max(|g_used|, |g_next|)` of the friction forces; 0 where both vanish, never above 2.
fn relative_change<const D: usize>(
    used: &FrictionPotential<'_, D>,
    next: &FrictionPotential<'_, D>,
    x: &[Vector<D>],
) -> f64 {
    let norm = |vectors: &[Vector<D>]| vectors.iter().map(|v| v.norm_squared()).sum::<f64>().sqrt();
    let (mut before, mut after) = (vec![Vector::ZERO; x.len()], vec![Vector::ZERO; x.len()]);
    used.gradient(x, 1.0, &mut before);
    next.gradient(x, 1.0, &mut after);
    let change: Vec<_> = before.iter().zip(&after).map(|(before, after)| *after - *before).collect();
    let larger = norm(&before).max(norm(&after));
    if larger == 0.0 { 0.0 } else { norm(&change) / larger }
}

/// Work that the prescribed vertices did on the way from `before`, in J: their reactions times their motion.
fn prescribed_work<const D: usize>(
    problem: &Problem<'_, D>,
    iterate: &Iterate<D>,
    before: &[Vector<D>],
) -> f64 {
    let mut reaction = vec![Vector::ZERO; before.len()];
    problem.potential(&iterate.contacts, iterate.kappa).gradient(
        &iterate.x,
        1.0 / problem.scheme.scale,
        &mut reaction,
    );
    let moved = |v: usize| iterate.x[v] - before[v];
    problem.targets.iter().map(|&(v, _)| reaction[v as usize].dot(moved(v as usize))).sum()
}

/// What a change of the stiffness from `old` to `new` added to the barrier's energy of `before`, in J.
fn stiffness_work(before: f64, old: Option<f64>, new: Option<f64>) -> f64 {
    match (old, new) {
        (Some(old), Some(new)) => before * (new / old - 1.0),
        _ => 0.0,
    }
}
