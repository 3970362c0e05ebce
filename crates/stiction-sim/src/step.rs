//! One time step.

use std::time::Instant;

use stiction::contact::ObstacleContact;
use stiction::friction::{self, LagChange, RefinementReport};
use stiction::math::Vector;
use stiction::potential::Potential;

use crate::balance::Balance;
use crate::convergence::{Accuracy, LagRounds, Verdict};
use crate::error::{Error, Result};
use crate::forces::friction_forces;
use crate::integrator::{IntegratorKind, Scheme};
use crate::memory::{self, Transition};
use crate::model::Model;
use crate::newton::{self, Workspace};
use crate::problem::{Drive, Problem, Solution, TimeSpan};
use crate::report::{Energies, FrictionReport, StepReport};
use crate::state::{Before, State};
use crate::term::Configuration;
use crate::timings::Phase;

/// Makes one time step: moves `state` to the end of it.
///
/// A step that cannot be solved is tried again in 2, 4, 8, … substeps, as often as [`NewtonParams::retries`](crate::params::NewtonParams::retries) allows. At the end of each, prescribed
/// vertices and obstacles are where they should be at that time.
///
/// # Errors
/// If the step cannot be solved. Then `state` is as it was.
///
/// # Panics
/// If `state` does not have as many nodes as `model`.
pub fn step<const D: usize>(
    model: &Model<D>,
    state: &mut State<D>,
    work: &mut Workspace<D>,
) -> Result<StepReport<D>> {
    let start = Instant::now();
    // What went wrong outside of steps is not this one's.
    let _ = model.terms.trouble();
    work.begin_step();
    let done = with_retries(model, state, work);
    work.timings.end_step(start);
    done
}

/// Makes a step whole or, where that fails, in ever more substeps.
fn with_retries<const D: usize>(
    model: &Model<D>,
    state: &mut State<D>,
    work: &mut Workspace<D>,
) -> Result<StepReport<D>> {
    let retries = work.newton().retries;
    let first = match attempt(model, state, work, TimeSpan::part(model, state, 0, 1)) {
        Err(error) if is_hard(&error) && retries > 0 => error,
        done => return done,
    };
    for power in 1..=retries {
        match in_substeps(model, state, work, 1 << power) {
            Err(error) if is_hard(&error) => {}
            done => return done,
        }
    }
    Err(Error::InSubsteps { first: Box::new(first), substeps: 1 << retries })
}

/// Whether shorter steps may succeed. A motion that is blocked may find what it pushes on its way in motion.
fn is_hard(error: &Error) -> bool {
    matches!(
        error,
        Error::NotConverged { .. }
            | Error::Stalled { .. }
            | Error::Singular { .. }
            | Error::Blocked { .. }
            | Error::ObstacleBlocked { .. }
            | Error::BetweenVertices { .. }
    )
}

/// Makes a step in parts of equal length; `state` moves only if all of them succeed.
fn in_substeps<const D: usize>(
    model: &Model<D>,
    state: &mut State<D>,
    work: &mut Workspace<D>,
    count: usize,
) -> Result<StepReport<D>> {
    let mut trial = state.clone();
    let mut whole = attempt(model, &mut trial, work, TimeSpan::part(model, state, 0, count))?;
    for index in 1..count {
        whole = whole.then(attempt(model, &mut trial, work, TimeSpan::part(model, state, index, count))?);
    }
    let earlier = std::mem::replace(state, trial);
    // The next step is a whole one: what it remembers should be one such step back, whatever this one was made of.
    if let Some(before) = &mut state.before {
        *before = Before { q: earlier.q, v: earlier.v, h: model.params.time.step };
    }
    Ok(whole)
}

/// Makes a step or a part of one; if it fails, `state` is as it was.
///
/// A step that would create energy, or in which a body is hit, is made with implicit Euler instead, see [`Balance`].
fn attempt<const D: usize>(
    model: &Model<D>,
    state: &mut State<D>,
    work: &mut Workspace<D>,
    span: TimeSpan,
) -> Result<StepReport<D>> {
    let drive = Drive::new(model, state, span)?;
    let (usual, balance) = (model.params.time.integrator, Balance::new(model, state.reserve));
    let (mut after, mut report) = advance(model, state, &drive, usual.begin(state, span.h), work)?;
    let creates = balance.creates_energy(&report);
    let hit = || Balance::has_impact(model, state, &after, span.h, &drive.pulls_until(model, &after));
    if usual.may_create_energy() && (creates || hit()) {
        let euler = IntegratorKind::ImplicitEuler.begin(state, span.h);
        match advance(model, state, &drive, euler, work) {
            Ok(damped) => (after, report) = (damped.0, StepReport { damped: 1, ..damped.1 }),
            Err(error) if creates || matches!(error, Error::Interrupted { .. } | Error::Term { .. }) => {
                return Err(error);
            }
            // An impact that implicit Euler cannot make is made as it was.
            Err(_) => {}
        }
    }
    *state = State { reserve: balance.after(&report), ..after };
    Ok(report)
}

/// The state at the end of a span, and how it came there, with an integrator's numbers: the algorithm of a step.
///
/// Normal forces and sliding planes are frozen at the last configuration, then the incremental potential is made smallest, from where velocities stay
/// what they are. Then friction is frozen anew at the solution, until its forces settle.
pub(crate) fn advance<const D: usize>(
    model: &Model<D>,
    state: &State<D>,
    drive: &Drive<D>,
    scheme: Scheme<D>,
    work: &mut Workspace<D>,
) -> Result<(State<D>, StepReport<D>)> {
    let problem = work.timings.time(Phase::Assembly, || Problem::new(model, state, drive, scheme))?;
    let mut solution = work.begin(model, state);
    let before = Energies::new(model, state, &solution.barrier(model));
    solution.slides = problem.freeze(&solution, &model.surface_at(&state.v), false);
    newton::keep_velocity(&problem, &mut solution, &state.v, work);
    let mut rounds = LagRounds::new(model.params.friction.refinement(), problem.is_frictionless());
    let refined = loop {
        let solved = minimise(&problem, &mut solution, work, rounds.accuracy());
        solved.map_err(|error| explained(error, &problem, &solution))?;
        let v = problem.surface_motion().velocities(&solution.x);
        let again = problem.freeze(&solution, &v, true);
        let (used, next) = (problem.friction(&solution.slides), problem.friction(&again));
        match rounds.after(LagChange::between(&used, &next, &solution.x)) {
            Verdict::Finer => {}
            Verdict::Again => solution.relag(again),
            Verdict::Settled(report) => break report,
        }
    };
    finish(&problem, state, &before, solution, &refined)
}

/// Makes the incremental potential smallest and, where it must be known well, the barrier as stiff as its gaps ask for.
fn minimise<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    work: &mut Workspace<D>,
    accuracy: Accuracy,
) -> Result<()> {
    if accuracy == Accuracy::Rough || solution.known != Some(Accuracy::Full) {
        solution.known = Some(newton::minimise(problem, solution, work, accuracy)?);
    }
    while accuracy == Accuracy::Full && newton::raise_stiffness(problem.model, solution) {
        newton::minimise(problem, solution, work, accuracy)?;
    }
    Ok(())
}

/// The state at the end of a step that is solved, with the account of energy, work and heat since `before` it.
fn finish<const D: usize>(
    problem: &Problem<'_, D>,
    state: &State<D>,
    before: &Energies,
    mut solution: Solution<D>,
    refined: &RefinementReport,
) -> Result<(State<D>, StepReport<D>)> {
    let (model, TimeSpan { h, steps, time }) = (problem.model, problem.span);
    if !solution.q.iter().all(|q| q.is_finite()) {
        return Err(Error::Singular { step: problem.step });
    }
    let x_start = model.surface_at(&state.q);
    let way = friction::Step { x_start: &x_start, x: &solution.x, h };
    let friction = friction_report(problem, &solution, &way, refined.residual())?;
    let stiffness_work = stiffness_work(before.barrier, state.kappa, solution.kappa);
    let reactions = reactions(problem, &solution);
    let prescribed = prescribed_work(problem, &solution, &state.q, &reactions);
    let work = prescribed + h * obstacle_power(problem, &solution);
    let load_work = load_work(problem, state, &solution, &x_start);
    let damping_heat = problem.damping().heat(&solution.q, h);
    let mut after = state.clone();
    let q = std::mem::take(&mut solution.q);
    let acceleration = problem.scheme.acceleration(&q);
    model.params.time.integrator.finish(&mut after, &problem.scheme, q, h);
    // Those that an integrator has of its own are at the end of the step.
    after.acceleration = if after.a.is_empty() { acceleration } else { after.a.clone() };
    (after.step, after.time, after.kappa) = (steps, time, solution.kappa);
    let (x, obstacles, drifts) =
        ([&x_start[..], &solution.x], &solution.obstacles[..], &problem.drive.drifts[..]);
    let (lagged, contacts) = (&*solution.lagged.all(), &*solution.contacts.all());
    let heats = problem.friction(&solution.slides).heats(&way);
    let transition = Transition { before: state, x, time, h, contacts, obstacles, drifts, lagged, heats };
    after.memory = memory::after(model, &transition)?;
    after.friction = friction_forces(model, &problem.friction(&solution.slides), lagged, &way)?;
    let mut report = StepReport::of_step(model, &after, &solution, friction);
    report.forces = report.forces.with_drives(model, &after, &reactions);
    let (rounds, refinement) = (refined.rounds(), Some(refined.outcome));
    let report = StepReport { work, load_work, stiffness_work, damping_heat, rounds, refinement, ..report };
    check_terms(problem, &report)?;
    Ok((after, report.since(before)))
}

/// Checks that nothing went wrong in energies that users added, and that they are numbers at the start and the end.
fn check_terms<const D: usize>(problem: &Problem<'_, D>, report: &StepReport<D>) -> Result<()> {
    let step = problem.step;
    if let Some((term, what)) = problem.model.terms.trouble() {
        return Err(Error::Term { step, term, what });
    }
    let infinite = report.energies.added.iter().find(|(_, energy)| !energy.is_finite());
    let first = problem.model.terms.0.first().map(|term| term.name().to_owned());
    let bad =
        infinite.map(|(name, _)| name.clone()).or_else(|| first.filter(|_| !report.load_work.is_finite()));
    match bad {
        Some(term) => Err(Error::Term { step, term, what: "its energy or work is no number".to_owned() }),
        None => Ok(()),
    }
}

/// The error, with the reason for it if that is known.
fn explained<const D: usize>(error: Error, problem: &Problem<'_, D>, solution: &Solution<D>) -> Error {
    if let Some((term, what)) = problem.model.terms.trouble() {
        return Error::Term { step: problem.step, term, what };
    }
    if !matches!(error, Error::NotConverged { .. } | Error::Stalled { .. } | Error::Singular { .. }) {
        return error;
    }
    match problem.model.met_between_vertices(&solution.x, &solution.obstacles) {
        Some(obstacle) => Error::BetweenVertices { first: Box::new(error), obstacle },
        None => error,
    }
}

/// What friction did on the `way`, given the contacts that it was frozen at.
fn friction_report<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &Solution<D>,
    way: &friction::Step<'_, D>,
    lag_residual: f64,
) -> Result<FrictionReport> {
    let barrier = problem.model.barrier_potential(&solution.lagged, &solution.obstacles, solution.kappa);
    let at_end = barrier.forces_at_end(&solution.x);
    Ok(problem.friction(&solution.slides).account(way, &at_end, lag_residual)?)
}

/// Work of loads and of time through energies that users added, in J.
fn load_work<const D: usize>(
    problem: &Problem<'_, D>,
    state: &State<D>,
    solution: &Solution<D>,
    x_start: &[Vector<D>],
) -> f64 {
    let moved = solution.q.iter().zip(&state.q).map(|(q, before)| *q - *before);
    let loads: f64 = problem.drive.forces.iter().zip(moved).map(|(force, moved)| force.dot(moved)).sum();
    let start = Configuration { q: &state.q, x: x_start };
    let end = Configuration { q: &solution.q, x: &solution.x };
    loads + problem.model.terms.work(start, end, [state.time, problem.span.time])
}

/// The forces that make prescribed nodes move as they do, in N, for each node; none if nothing is prescribed.
fn reactions<const D: usize>(problem: &Problem<'_, D>, solution: &Solution<D>) -> Vec<Vector<D>> {
    if problem.drive.targets.is_empty() {
        return Vec::new();
    }
    let mut reactions = vec![Vector::ZERO; solution.q.len()];
    problem.potential(solution).gradient(&solution.q, 1.0 / problem.scheme.scale, &mut reactions);
    problem.model.constraints.gather(&mut reactions);
    reactions
}

/// Work that the prescribed nodes did on the way from `before`, in J: their reactions times their motion.
fn prescribed_work<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &Solution<D>,
    before: &[Vector<D>],
    reactions: &[Vector<D>],
) -> f64 {
    let moved = |v: usize| solution.q[v] - before[v];
    problem.drive.targets.iter().map(|&(v, _)| reactions[v as usize].dot(moved(v as usize))).sum()
}

/// Power of the obstacles, in W: normal forces at the end times the velocities of their solids, which spin does not change, and friction
/// times the velocity that it was frozen with where they are touched.
fn obstacle_power<const D: usize>(problem: &Problem<'_, D>, solution: &Solution<D>) -> f64 {
    let drifts = &problem.drive.drifts;
    if drifts.is_empty() {
        return 0.0;
    }
    let contacts = &solution.contacts.usual.obstacle;
    let push = |(contact, force): (&ObstacleContact, &f64)| {
        let (vertex, solid) = (contact.stencil.0[0] as usize, contact.obstacle as usize);
        force * solution.obstacles[solid].normal(solution.x[vertex]).dot(drifts[solid].velocity)
    };
    let forces = solution.barrier(problem.model).usual.forces(&solution.x).obstacle;
    let pushes: f64 = contacts.iter().zip(&forces).map(push).sum();
    let drift = |slide| solution.slides.detail(slide).map_or(Vector::ZERO, |detail| detail.drift);
    let drags = problem.friction(&solution.slides).slide_forces(&solution.x).obstacle;
    let drag = |(slide, force): (_, &Vector<D>)| force.dot(drift(slide));
    pushes + solution.slides.obstacle.iter().zip(&drags).map(drag).sum::<f64>()
}

/// What a change of the stiffness from `old` to `new` added to the barrier's energy of `before`, in J.
fn stiffness_work(before: f64, old: Option<f64>, new: Option<f64>) -> f64 {
    match (old, new) {
        (Some(old), Some(new)) => before * (new / old - 1.0),
        _ => 0.0,
    }
}
