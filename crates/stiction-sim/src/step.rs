//! One time step.

use std::borrow::Cow;
use std::time::Instant;

use stiction::contact::{Contacts, ObstacleContact};
use stiction::friction::{
    self, Coefficients, FrictionPotential, LagChange, Lagged, Refinement, RefinementReport, Slides,
};
use stiction::math::Vector;
use stiction::obstacle::Obstacle;
use stiction::potential::Potential;

use crate::balance::Balance;
use crate::convergence::Accuracy;
use crate::energy::Viscosity;
use crate::error::{Error, Result};
use crate::integrator::{IntegratorKind, Scheme};
use crate::memory::{self, Course};
use crate::model::{Model, Part};
use crate::newton::{self, Curvature, Iterate, Problem, Workspace};
use crate::obstacles::Drift;
use crate::report::{Energies, FrictionReport, StepReport};
use crate::state::{Before, State};
use crate::timings::{Phase, Timings};

/// Rounds of lagging iterations that are solved roughly.
const ROUGH_ROUNDS: usize = 5;

/// Rounds within which friction must settle to the tolerance; where it takes more of them, [`LESS_STRICT`] times as much will do.
const CHEAP_ROUNDS: usize = 3;

/// The largest lag residual that counts as settled all the same.
const LEAST_STRICT: f64 = 0.03;

/// See [`CHEAP_ROUNDS`]: a cloth that wrinkles has contacts that come and go.
const LESS_STRICT: f64 = 30.0;

/// Makes one time step: moves `state` to the end of it.
///
/// A step that cannot be solved is tried again in 2, 4, 8, … substeps, as often as `solver.retries` allows. At the end of each, prescribed
/// vertices and obstacles are where they should be at that time.
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
    let start = Instant::now();
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
    let retries = model.params.newton.retries;
    let first = match attempt(model, state, work, Piece { index: 0, count: 1 }) {
        Err(error) if is_hard(&error) && retries > 0 => error,
        done => return done,
    };
    for power in 1..=retries {
        match in_substeps(model, state, work, 1 << power) {
            Err(Error::Interrupted { step }) => return Err(Error::Interrupted { step }),
            Err(_) => {}
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

/// Makes a step in pieces of equal length; `state` moves only if all of them succeed.
fn in_substeps<const D: usize>(
    model: &Model<D>,
    state: &mut State<D>,
    work: &mut Workspace<D>,
    count: usize,
) -> Result<StepReport<D>> {
    let mut trial = state.clone();
    let mut whole = attempt(model, &mut trial, work, Piece { index: 0, count })?;
    for index in 1..count {
        whole = whole.then(attempt(model, &mut trial, work, Piece { index, count })?);
    }
    let earlier = std::mem::replace(state, trial);
    // The next step is a whole one: what it remembers should be one such step back, whatever this one was made of.
    if let Some(before) = &mut state.before {
        *before = Before { x: earlier.x, v: earlier.v, h: model.params.time.step };
    }
    Ok(whole)
}

/// A step, or one of the equal pieces of it.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Its number, from 0.
    index: usize,
    /// How many pieces the step has, a power of two: lengths and times are then exact parts of the whole.
    count: usize,
}

impl Piece {
    /// The way of this piece, after `steps` whole steps of length `h` in s. Its time is a product, not a sum of lengths, as for whole steps.
    fn span(self, steps: usize, h: f64) -> Span {
        let (done, count) = (self.index + 1, self.count as f64);
        let time = (steps as f64 + done as f64 / count) * h;
        Span { h: h / count, steps: steps + done / self.count, time }
    }
}

/// From a state to a later one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Its length in s.
    pub h: f64,
    /// Steps made at its end.
    pub steps: usize,
    /// Time at its end, in s.
    pub time: f64,
}

/// Makes a step or a piece of one; if it fails, `state` is as it was.
///
/// A step that would create energy, or in which a body is hit, is made with implicit Euler instead, see [`Balance`].
fn attempt<const D: usize>(
    model: &Model<D>,
    state: &mut State<D>,
    work: &mut Workspace<D>,
    piece: Piece,
) -> Result<StepReport<D>> {
    let span = piece.span(state.step, model.params.time.step);
    let asked = Asked::new(model, state, span.time)?;
    let (usual, balance) = (model.params.time.integrator, Balance::new(model, state.reserve));
    let (mut after, mut report) = asked.make(model, state, work, (span, usual.begin(state, span.h)))?;
    let creates = balance.creates_energy(&report);
    let hit = || Balance::has_impact(model, (state, &after), (span.h, &asked.pulls(model)));
    if usual.may_create_energy() && (creates || hit()) {
        let euler = IntegratorKind::ImplicitEuler.begin(state, span.h);
        match asked.make(model, state, work, (span, euler)) {
            Ok(damped) => (after, report) = (damped.0, StepReport { damped: 1, ..damped.1 }),
            Err(error) if creates || matches!(error, Error::Interrupted { .. }) => return Err(error),
            // An impact that implicit Euler cannot make is made as it was.
            Err(_) => {}
        }
    }
    *state = State { reserve: balance.after(&report), ..after };
    Ok(report)
}

/// What a step is asked for: where things must be at its end, and what acts.
pub(crate) struct Asked<const D: usize> {
    targets: Vec<(u32, Vector<D>)>,
    obstacles: Vec<Obstacle<D>>,
    drifts: Vec<Drift<D>>,
    /// Loads in N; none if empty.
    pub forces: Vec<Vector<D>>,
}

impl<const D: usize> Asked<D> {
    /// From a state to a time in s.
    fn new(model: &Model<D>, state: &State<D>, time: f64) -> Result<Self> {
        let targets = model.boundary.targets(model.surface.rest(), time);
        let forces = model.loads.forces(&state.x, &model.masses, time);
        check_numbers(&targets, &forces, time)?;
        model.obstacles.check_at(time)?;
        let (obstacles, drifts) = (model.obstacles.at(time), model.obstacles.drifts(state.time, time));
        Ok(Self { targets, obstacles, drifts, forces })
    }

    /// The acceleration of each body by gravity and loads, in m/s²; 0 of one that cannot move.
    pub fn pulls(&self, model: &Model<D>) -> Vec<f64> {
        let of = |part: &Part| {
            let (mut force, mut mass) = (Vector::ZERO, 0.0);
            for i in part.vertices.clone().filter(|&i| !model.fixed[i]) {
                let load = self.forces.get(i).copied().unwrap_or(Vector::ZERO);
                force += model.gravity * model.masses[i] + load;
                mass += model.masses[i];
            }
            if mass > 0.0 { force.norm() / mass } else { 0.0 }
        };
        model.parts.iter().map(of).collect()
    }

    /// To stay where things are, under the loads of the time of the state.
    pub fn rest(model: &Model<D>, state: &State<D>) -> Result<Self> {
        let targets = model.boundary.vertices().map(|v| (v, state.x[v as usize])).collect();
        let (obstacles, drifts) = (model.obstacles.at(state.time), Vec::new());
        let forces = model.loads.forces(&state.x, &model.masses, state.time);
        check_numbers(&[], &forces, state.time)?;
        Ok(Self { targets, obstacles, drifts, forces })
    }

    /// Solves the step with an integrator's numbers, for the state at its end.
    ///
    /// Normal forces and sliding planes are frozen at the last configuration, then the incremental potential
    /// is made smallest, from where velocities stay what they are. Then friction is frozen anew at the
    /// solution, until its forces settle.
    pub fn make(
        &self,
        model: &Model<D>,
        state: &State<D>,
        work: &mut Workspace<D>,
        (span, scheme): (Span, Scheme<D>),
    ) -> Result<(State<D>, StepReport<D>)> {
        let (h, scheme) = (span.h, self.with_prescribed(state, scheme, span.h));
        let [at_start, at_end] = [false, true].map(|at_end| coefficients(model, &self.drifts, at_end));
        let (at_start, at_end) = (at_start?, at_end?);
        let mut iterate = work.timings.time(Phase::Search, || begin(model, state));
        let before = Energies::new(model, state, &iterate.barrier(model));
        let slides = lag((model, &at_start), &iterate, &state.v);
        let lagged = iterate.contacts.clone();
        let viscosity = work.timings.time(Phase::Assembly, || viscosity(model, state));
        let (coefficients, viscosity, step) = (&*at_end, &viscosity, state.step + 1);
        let given = Given { model, scheme: &scheme, asked: self, coefficients, viscosity, step };
        start_at_last_velocity(&given.problem(&slides), &state.v, &mut iterate, &mut work.timings);
        let again = Slides::default();
        let mut rounds = Rounds { given, slides, lagged, again, iterate, work, solved: false };
        let refined = rounds.refine();
        let refined = refined.map_err(|error| explained(error, model, &rounds.iterate))?;
        let Rounds { slides, lagged, mut iterate, .. } = rounds;
        if !iterate.x.iter().all(|x| x.is_finite()) {
            return Err(Error::Singular { step });
        }
        let problem = given.problem(&slides);
        let way = friction::Step { x_start: &state.x, x: &iterate.x, h };
        let friction = friction_report(&problem, &iterate, (&lagged, &way), refined.residual())?;
        let heat = (&lagged, problem.potential(&iterate).friction.heats(&way));
        let stiffness_work = stiffness_work(before.barrier, state.kappa, iterate.kappa);
        let (work, load_work) = self.work(&problem, &iterate, &way);
        let damping_heat = problem.damping().heat(&iterate.x, h);
        let mut after = state.clone();
        model.params.time.integrator.finish(&mut after, &scheme, std::mem::take(&mut iterate.x), h);
        (after.step, after.time, after.kappa) = (span.steps, span.time, iterate.kappa);
        let (end, drifts) = ((&iterate.contacts, &iterate.obstacles[..]), &self.drifts[..]);
        after.memory = memory::after(model, &Course { before: state, after: &after, h, end, drifts, heat })?;
        let report = StepReport::of_step(model, &after, &iterate, friction);
        let (rounds, refinement) = (refined.rounds(), Some(refined.outcome));
        let report =
            StepReport { work, load_work, stiffness_work, damping_heat, rounds, refinement, ..report };
        Ok((after, report.since(&before)))
    }

    /// The integrator's numbers for a step of length `h` in s, in which prescribed vertices have the velocities of their ways.
    fn with_prescribed(&self, state: &State<D>, mut scheme: Scheme<D>, h: f64) -> Scheme<D> {
        for &(vertex, target) in &self.targets {
            let i = vertex as usize;
            scheme.prescribe(i, (state.x[i], target), state.v[i], h);
        }
        scheme
    }

    /// Work of what is prescribed, and of loads, on the way to the solution, in J.
    fn work(
        &self,
        problem: &Problem<'_, D>,
        iterate: &Iterate<D>,
        way: &friction::Step<'_, D>,
    ) -> (f64, f64) {
        let moved = way.x.iter().zip(way.x_start).map(|(x, before)| *x - *before);
        let loads = self.forces.iter().zip(moved).map(|(force, moved)| force.dot(moved)).sum();
        let obstacles = way.h * obstacle_power(problem, iterate, &self.drifts);
        (prescribed_work(problem, iterate, way.x_start) + obstacles, loads)
    }
}

/// The error, with the reason for it if that is known.
fn explained<const D: usize>(error: Error, model: &Model<D>, iterate: &Iterate<D>) -> Error {
    if !matches!(error, Error::NotConverged { .. } | Error::Stalled { .. } | Error::Singular { .. }) {
        return error;
    }
    match model.met_between_vertices(&iterate.x, &iterate.obstacles) {
        Some(obstacle) => Error::BetweenVertices { first: Box::new(error), obstacle },
        None => error,
    }
}

/// Friction on obstacles that move so, as it is at the start of the step or at its end.
fn coefficients<'a, const D: usize>(
    model: &'a Model<D>,
    drifts: &[Drift<D>],
    at_end: bool,
) -> Result<Cow<'a, Coefficients<D>>> {
    if drifts.is_empty() || model.coefficients.is_zero() {
        return Ok(Cow::Borrowed(&model.coefficients));
    }
    let velocities = drifts.iter().map(|drift| drift.rigid(at_end)).collect::<Result<Vec<_>>>()?;
    Ok(Cow::Owned(model.coefficients.clone().with_obstacle_velocities(velocities)))
}

/// Inner damping of a step that begins with a state.
fn viscosity<const D: usize>(model: &Model<D>, state: &State<D>) -> Viscosity<D> {
    if !model.params.time.integrator.has_inertia() {
        return Viscosity::default();
    }
    Viscosity::at(&model.elastic, &state.x, &model.rayleigh)
}

/// Formulas may have no value at some time.
fn check_numbers<const D: usize>(
    targets: &[(u32, Vector<D>)],
    forces: &[Vector<D>],
    time: f64,
) -> Result<()> {
    if let Some(&(vertex, _)) = targets.iter().find(|(_, target)| !target.is_finite()) {
        return Err(Error::NoNumber { what: "motion", vertex: vertex as usize, time });
    }
    match forces.iter().position(|force| !force.is_finite()) {
        Some(vertex) => Err(Error::NoNumber { what: "load", vertex, time }),
        None => Ok(()),
    }
}

/// The last configuration with its contacts.
fn begin<const D: usize>(model: &Model<D>, state: &State<D>) -> Iterate<D> {
    let obstacles = model.obstacles.at(state.time);
    let contacts = model.contacts_at(&state.x, &obstacles);
    let (x, kappa) = (state.x.clone(), state.kappa);
    Iterate {
        x,
        obstacles,
        contacts,
        kappa,
        iterations: 0,
        curvature: Curvature::default(),
        regularised: 0,
        fallbacks: 0,
    }
}

/// Friction frozen at the present iterate, where vertices have velocities `v`, in m/s.
fn lag<const D: usize>(
    (model, coefficients): (&Model<D>, &Coefficients<D>),
    iterate: &Iterate<D>,
    v: &[Vector<D>],
) -> Slides<D> {
    if coefficients.is_zero() {
        return Slides::default();
    }
    let mut slides = friction::lag(&iterate.barrier(model), &iterate.x, coefficients);
    slides.refresh_anisotropy(v);
    slides
}

/// Moves to where velocities stay what they are and prescribed motion leads, as far as nothing touches: what slides begins as
/// sliding, what sticks as sticking.
fn start_at_last_velocity<const D: usize>(
    problem: &Problem<'_, D>,
    v: &[Vector<D>],
    iterate: &mut Iterate<D>,
    timings: &mut Timings,
) {
    let there = problem.scheme.with_velocity(v);
    let mut p: Vec<Vector<D>> = there.iter().zip(&iterate.x).map(|(to, from)| *to - *from).collect();
    for &(v, target) in problem.targets {
        p[v as usize] = target - iterate.x[v as usize];
    }
    newton::advance(problem, iterate, &p, timings);
}

/// What friction did on the `way`, given the contacts that it was frozen at.
fn friction_report<const D: usize>(
    problem: &Problem<'_, D>,
    iterate: &Iterate<D>,
    (lagged, way): (&Contacts, &friction::Step<'_, D>),
    lag_residual: f64,
) -> Result<FrictionReport> {
    let used = problem.potential(iterate).friction;
    let barrier = problem.model.barrier_potential(lagged, &iterate.obstacles, iterate.kappa);
    let at_end = friction::forces_at_end(&barrier, &iterate.x);
    Ok(used.account(way, &at_end, lag_residual)?)
}

/// What stays the same in all rounds of a step.
#[derive(Clone, Copy)]
struct Given<'a, const D: usize> {
    model: &'a Model<D>,
    scheme: &'a Scheme<D>,
    asked: &'a Asked<D>,
    coefficients: &'a Coefficients<D>,
    viscosity: &'a Viscosity<D>,
    step: usize,
}

impl<const D: usize> Given<'_, D> {
    fn problem<'b>(&'b self, slides: &'b Slides<D>) -> Problem<'b, D> {
        let Self { model, scheme, asked, viscosity, step, .. } = *self;
        let Asked { targets, obstacles, forces, .. } = asked;
        Problem { model, scheme, slides, viscosity, targets, obstacles, forces, step }
    }
}

/// A step that is solved, and again with friction frozen at its solution.
struct Rounds<'a, const D: usize> {
    given: Given<'a, D>,
    slides: Slides<D>,
    /// The contacts that friction is frozen at.
    lagged: Contacts,
    /// Friction frozen at the last solution.
    again: Slides<D>,
    iterate: Iterate<D>,
    work: &'a mut Workspace<D>,
    /// Whether the iterate solves the step to the tolerance, with friction as it is frozen now.
    solved: bool,
}

impl<const D: usize> Rounds<'_, D> {
    /// Solves until friction does not change any more, or does not settle.
    ///
    /// The first rounds are solved roughly: digits found with a friction that changes would be lost. How friction changes between
    /// rough solutions says nothing about whether it will settle.
    fn refine(&mut self) -> Result<RefinementReport> {
        let Refinement { rounds, mut tolerance } = refinement(self.given.model);
        let mut rough = Vec::new();
        while rough.len() + 1 < rounds && rough.len() < ROUGH_ROUNDS && !self.given.coefficients.is_zero() {
            if rough.len() == CHEAP_ROUNDS {
                tolerance = tolerance.max((LESS_STRICT * tolerance).min(LEAST_STRICT));
            }
            self.minimise(Accuracy::Rough)?;
            let change = self.change();
            if change.relative() <= tolerance {
                break;
            }
            rough.push(change);
            self.relag();
        }
        let mut report = friction::refine(self, &Refinement { rounds: rounds - rough.len(), tolerance })?;
        report.changes.splice(0..0, rough);
        Ok(report)
    }

    fn minimise(&mut self, accuracy: Accuracy) -> Result<()> {
        let problem = self.given.problem(&self.slides);
        let found = newton::minimise(&problem, &mut self.iterate, self.work, accuracy)?;
        self.solved = found == Accuracy::Full;
        Ok(())
    }

    /// Freezes friction at the solution; how much it changes.
    fn change(&mut self) -> LagChange {
        let x = &self.iterate.x;
        let motion = self.given.scheme.motion();
        let v: Vec<_> = (0..x.len()).map(|i| motion.velocity(x, i)).collect();
        self.again = lag((self.given.model, self.given.coefficients), &self.iterate, &v);
        let used = self.given.problem(&self.slides).potential(&self.iterate).friction;
        let next = FrictionPotential { slides: &self.again, ..used };
        LagChange::between(&used, &next, x)
    }
}

impl<const D: usize> Lagged for Rounds<'_, D> {
    type Error = Error;

    fn solve(&mut self) -> Result<()> {
        if !self.solved {
            self.minimise(Accuracy::Full)?;
        }
        while newton::raise_stiffness(self.given.model, &mut self.iterate) {
            self.minimise(Accuracy::Full)?;
        }
        Ok(())
    }

    fn measure(&mut self) -> Result<LagChange> {
        Ok(self.change())
    }

    fn relag(&mut self) {
        std::mem::swap(&mut self.slides, &mut self.again);
        self.solved = false;
        self.lagged.clone_from(&self.iterate.contacts);
    }
}

fn refinement<const D: usize>(model: &Model<D>) -> Refinement {
    let friction = &model.params.friction;
    Refinement { rounds: friction.lag_iterations, tolerance: friction.lag_tolerance }
}

/// Work that the prescribed vertices did on the way from `before`, in J: their reactions times their motion.
fn prescribed_work<const D: usize>(
    problem: &Problem<'_, D>,
    iterate: &Iterate<D>,
    before: &[Vector<D>],
) -> f64 {
    let mut reaction = vec![Vector::ZERO; before.len()];
    problem.potential(iterate).gradient(&iterate.x, 1.0 / problem.scheme.scale, &mut reaction);
    let moved = |v: usize| iterate.x[v] - before[v];
    problem.targets.iter().map(|&(v, _)| reaction[v as usize].dot(moved(v as usize))).sum()
}

/// Power of the obstacles, in W: normal forces at the end times the velocities of their solids, which spin does not change, and friction
/// times the velocity that it was frozen with where they are touched.
fn obstacle_power<const D: usize>(
    problem: &Problem<'_, D>,
    iterate: &Iterate<D>,
    drifts: &[Drift<D>],
) -> f64 {
    if drifts.is_empty() {
        return 0.0;
    }
    let (potential, contacts) = (problem.potential(iterate), &iterate.contacts.obstacle);
    let push = |(contact, force): (&ObstacleContact, &f64)| {
        let (vertex, solid) = (contact.stencil.0[0] as usize, contact.obstacle as usize);
        force * iterate.obstacles[solid].normal(iterate.x[vertex]).dot(drifts[solid].velocity)
    };
    let forces = potential.barrier.forces(&iterate.x).obstacle;
    let pushes: f64 = contacts.iter().zip(&forces).map(push).sum();
    let drift = |slide| problem.slides.detail(slide).map_or(Vector::ZERO, |detail| detail.drift);
    let drags = potential.friction.slide_forces(&iterate.x).obstacle;
    let drag = |(slide, force): (_, &Vector<D>)| force.dot(drift(slide));
    pushes + problem.slides.obstacle.iter().zip(&drags).map(drag).sum::<f64>()
}

/// What a change of the stiffness from `old` to `new` added to the barrier's energy of `before`, in J.
fn stiffness_work(before: f64, old: Option<f64>, new: Option<f64>) -> f64 {
    match (old, new) {
        (Some(old), Some(new)) => before * (new / old - 1.0),
        _ => 0.0,
    }
}
