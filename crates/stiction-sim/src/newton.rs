//! Projected Newton: finds the minimum of the incremental potential without ever touching.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stiction::barrier::policy::DEEP;
use stiction::blocks::Blocks;
use stiction::distance::Psd;
use stiction::math::Vector;
use stiction::potential::Potential;
use stiction::pull_back::Congruence;

use crate::convergence::{Accuracy, Crawl, is_rough};
use crate::descent::{self, Direction, Extent, Search, Slope};
use crate::error::{Error, Result};
use crate::linear::{LinearKind, LinearSolver, Precision, System};
use crate::model::Model;
use crate::neighbours::Neighbours;
use crate::obstacles;
use crate::params::{NewtonParams, Params};
use crate::problem::{Problem, Solution};
use crate::push::{Coupling, Course, Push};
use crate::state::State;
use crate::timings::{Phase, Timings};

/// Precision of a speed that Newton's method can ask for, relative to the largest speed of a vertex.
const ROUNDING: f64 = 1e-8;

/// What remains of the speed of the last iteration, if Newton's method is slow.
const SLOW: f64 = 0.25;

/// How often inertia is made larger before a true Hessian counts as indefinite.
const MAX_SHIFTS: usize = 4;

/// The largest and the smallest error of a direction that iterations leave, relative to the direction, as measured by the matrix.
const COARSE: f64 = 5e-3;
const FINE: f64 = 1e-7;

/// The part of `d̂` that vertices move at most in an iteration close to the minimum.
const NEAR: f64 = 0.1;

/// What solves steps: how, memory that is used again from step to step, and a way to stop.
#[derive(Debug, Default)]
pub struct Workspace<const D: usize> {
    newton: NewtonParams,
    stop: Arc<AtomicBool>,
    gradient: Vec<Vector<D>>,
    hessian: Blocks<D>,
    reduction: Congruence<D>,
    solver: LinearSolver<D>,
    neighbours: Neighbours<D>,
    pub(crate) timings: Timings,
}

impl<const D: usize> Workspace<D> {
    /// A workspace that solves steps in this way. That of a scene is [`Scene::workspace`](crate::scene::Scene::workspace).
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(newton: NewtonParams) -> Result<Self> {
        newton.check()?;
        Ok(Self { newton, ..Self::default() })
    }

    /// The same, whose steps end with [`Error::Interrupted`] once the flag is raised.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// The same, whose linear systems another solver solves.
    #[must_use]
    pub fn with_solver(self, solver: LinearSolver<D>) -> Self {
        Self { solver, ..self }
    }

    /// How it solves steps.
    pub fn newton(&self) -> &NewtonParams {
        &self.newton
    }

    /// The speed in m/s below which Newton's iterations end: what was asked for, or a thousandth of `ε_v`, or without friction 10⁻⁵ `d̂` a step.
    pub fn tolerance(&self, model: &Model<D>) -> f64 {
        let slides = !model.coefficients.is_zero();
        let Params { time, friction, .. } = &model.params;
        let usual = if slides { 1e-3 * friction.eps_v } else { 1e-5 * model.barrier.dhat() / time.step };
        self.newton.tolerance.unwrap_or(usual)
    }

    /// What `solve` returns if a step may take no more iterations than `most`, either.
    pub(crate) fn within<T>(&mut self, most: usize, solve: impl FnOnce(&mut Self) -> T) -> T {
        let usual = self.newton.max_iterations;
        self.newton.max_iterations = usual.min(most);
        let solved = solve(self);
        self.newton.max_iterations = usual;
        solved
    }

    /// From now on, another flag ends the steps.
    pub fn stop_at(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }

    /// Gradient and Hessian of the incremental potential by the nodes, the Hessian by the unknowns, too.
    fn assemble(&mut self, problem: &Problem<'_, D>, solution: &Solution<D>, psd: Psd) {
        let Self { gradient, hessian, reduction, timings, .. } = self;
        let (potential, constraints) = (problem.potential(solution), &problem.model.constraints);
        timings.time(Phase::Assembly, || {
            gradient.clear();
            gradient.resize(solution.q.len(), Vector::ZERO);
            potential.gradient(&solution.q, 1.0, gradient);
            hessian.assemble(&potential, &solution.q, 1.0, psd);
            reduction.reduce(hessian, constraints.map());
        });
    }

    /// `−Zᵀ(g + f)` with the force `f` of a push, if there is one.
    fn downhill(&self, problem: &Problem<'_, D>, coupling: Option<&Coupling<D>>) -> Vec<Vector<D>> {
        let constraints = &problem.model.constraints;
        let uphill = match coupling {
            None => constraints.reduced(&self.gradient),
            Some(Coupling { force, .. }) => {
                let sum: Vec<_> = self.gradient.iter().zip(force).map(|(g, f)| *g + *f).collect();
                Cow::Owned(constraints.reduced(&sum).into_owned())
            }
        };
        uphill.iter().map(|g| -*g).collect()
    }

    /// Says that a time step begins: nothing but memory is kept from those before, and close pairs, which are the same whoever finds them.
    pub(crate) fn begin_step(&mut self) {
        self.solver.begin_step();
    }

    /// Where the search for the end of a step begins.
    pub(crate) fn begin(&mut self, model: &Model<D>, state: &State<D>) -> Solution<D> {
        let Self { timings, neighbours, .. } = self;
        timings.time(Phase::Search, || Solution::at(model, state, neighbours))
    }

    /// What finds out how far a direction may be gone.
    fn search(&mut self) -> Search<'_, D> {
        Search { neighbours: &mut self.neighbours, timings: &mut self.timings }
    }

    /// Where the time of all steps went so far.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }

    /// The same, and counts from zero again.
    pub fn take_timings(&mut self) -> Timings {
        std::mem::take(&mut self.timings)
    }
}

/// Moves `solution` to the minimum of the incremental potential, with prescribed vertices and obstacles at their targets.
///
/// What is prescribed goes there as a part of Newton's directions, see [`Coupling`]: what it meets makes way in the same iterations. Returns how well
/// the minimum is known: at least as well as asked for.
///
/// # Errors
/// If the iterations do not converge, the system cannot be solved, or a prescribed motion is blocked.
pub fn minimise<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    work: &mut Workspace<D>,
    accuracy: Accuracy,
) -> Result<Accuracy> {
    let model = problem.model;
    let usual = work.tolerance(model);
    let (mut speed, mut tolerance) = (f64::INFINITY, usual);
    let (mut calm, mut known) = (0, None);
    let mut ending = Ending::new(problem, solution, &work.newton, accuracy);
    for _ in 0..work.newton.max_iterations {
        if work.stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted { step: problem.step });
        }
        begin_stiffness(problem, solution);
        let push = Push::missing(problem, solution);
        let (p, course) = direction(problem, solution, work, push.as_ref())?;
        let (longest, last) = (p.iter().map(|p| p.norm()).fold(0.0, f64::max), speed);
        speed = longest / problem.scheme.h_hat;
        solution.curvature.slow = speed > SLOW * last && longest < NEAR * model.barrier.dhat();
        let before = (speed <= 2.0 * tolerance).then(|| solution.contacts.clone());
        let direction = Direction { p: &p, push: push.as_ref() };
        let slope = Slope { course, known: &mut known };
        let mut gone = descent::descend(problem, solution, work.search(), direction, slope);
        if let Some(push) = push.as_ref().filter(|_| gone == Extent::Nowhere) {
            gone = descent::press_on(problem, solution, work.search(), push);
            known = None;
        }
        solution.iterations += 1;
        solution.curvature.cut = gone != Extent::All;
        tolerance = usual + ROUNDING * fastest(problem, solution);
        calm = if speed <= tolerance { calm + 1 } else { 0 };
        if gone == Extent::Nowhere && (calm == 0 || push.is_some()) {
            let (step, iterations) = (problem.step, solution.iterations);
            let stalled = Error::Stalled { step, iterations, speed, tolerance };
            return Err(blocked(problem, solution).unwrap_or(stalled));
        }
        if blocked(problem, solution).is_some() {
            continue;
        }
        let changed = before.is_some_and(|before| !before.has_same_pairs(&solution.contacts));
        if calm > more_iterations(model, solution, changed) {
            return Ok(Accuracy::Full);
        }
        if ending.is_here(problem, solution, course.decrease) && gone != Extent::Nowhere {
            return Ok(accuracy);
        }
    }
    let (step, iterations) = (problem.step, solution.iterations);
    let slow = Error::NotConverged { step, iterations, speed, tolerance };
    Err(blocked(problem, solution).unwrap_or(slow))
}

/// The error that something prescribed is not where it should be, if so: the vertex that is furthest from it, or else the obstacle.
fn blocked<const D: usize>(problem: &Problem<'_, D>, solution: &Solution<D>) -> Option<Error> {
    let step = problem.step;
    let distance = |&(v, target): &(u32, Vector<D>)| (v as usize, (target - solution.q[v as usize]).norm());
    if let Some((vertex, missing)) = furthest(problem.drive.targets.iter().map(distance)) {
        return Some(Error::Blocked { step, vertex, missing });
    }
    let ways = obstacles::missing(&solution.obstacles, &problem.drive.obstacles);
    let (obstacle, missing) = furthest(ways.iter().map(|way| way.norm()).enumerate())?;
    Some(Error::ObstacleBlocked { step, obstacle, missing })
}

/// What is furthest from where it should be, and how far, in m; nothing if all is there.
fn furthest(distances: impl Iterator<Item = (usize, f64)>) -> Option<(usize, f64)> {
    distances.filter(|(_, distance)| *distance > 0.0).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Moves to where velocities stay `v`, in m/s, and prescribed motion leads, as far as nothing touches or inverts and inertia and barrier do not rise:
/// what slides begins as sliding, what sticks as sticking.
pub fn keep_velocity<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    v: &[Vector<D>],
    work: &mut Workspace<D>,
) {
    let there = problem.scheme.with_velocity(v);
    let mut p: Vec<Vector<D>> = there.iter().zip(&solution.q).map(|(to, from)| *to - *from).collect();
    for &(node, target) in &problem.drive.targets {
        p[node as usize] = target - solution.q[node as usize];
    }
    problem.model.constraints.lead(&mut p);
    let push = Push::missing(problem, solution);
    descent::begin(problem, solution, work.search(), Direction { p: &p, push: push.as_ref() });
}

/// Whether what has been found is good enough before the tolerance is reached.
enum Ending<const D: usize> {
    /// Contact forces have settled; here are those of the last iteration, in N.
    Rough(Vec<Vector<D>>),
    /// Nobody sees what is missing.
    Unseen(Crawl),
    /// Only the tolerance counts: it is given, or there is no inertia, and a load that is carried is a balance of forces.
    Tolerance,
}

impl<const D: usize> Ending<D> {
    fn new(
        problem: &Problem<'_, D>,
        solution: &Solution<D>,
        newton: &NewtonParams,
        accuracy: Accuracy,
    ) -> Self {
        let strict = problem.scheme.inertia == 0.0 || newton.tolerance.is_some();
        match accuracy {
            Accuracy::Rough => Self::Rough(contact_forces(problem.model, solution)),
            Accuracy::Full if strict => Self::Tolerance,
            Accuracy::Full => Self::Unseen(Crawl::default()),
        }
    }

    /// Whether it is reached with an iteration that was to lower the energy by `decrease`.
    fn is_here(&mut self, problem: &Problem<'_, D>, solution: &Solution<D>, decrease: f64) -> bool {
        match self {
            Self::Rough(last) => {
                let forces = contact_forces(problem.model, solution);
                is_rough(&std::mem::replace(last, forces), last)
            }
            Self::Unseen(crawl) => crawl.is_enough(decrease, kinetic(problem, solution)),
            Self::Tolerance => false,
        }
    }
}

/// Contact forces on all vertices, in N, of the other sign.
fn contact_forces<const D: usize>(model: &Model<D>, solution: &Solution<D>) -> Vec<Vector<D>> {
    let mut forces = vec![Vector::ZERO; solution.x.len()];
    solution.barrier(model).gradient(&solution.x, 1.0, &mut forces);
    forces
}

/// `K` of [`Crawl`], in kg m².
fn kinetic<const D: usize>(problem: &Problem<'_, D>, solution: &Solution<D>) -> f64 {
    let (model, motion) = (problem.model, problem.scheme.motion());
    let least = if model.coefficients.is_zero() { 0.0 } else { model.params.friction.eps_v };
    let square = |i| motion.velocity(&solution.q, i).norm_squared().max(least * least);
    let free = (0..solution.q.len()).filter(|&i| model.constraints.free()[i]);
    let sum: f64 = free.map(|i| model.mass.of_nodes()[i] * square(i)).sum();
    0.5 * problem.scheme.h_hat * problem.scheme.h_hat * sum
}

/// Iterations within the tolerance that are asked for beyond the first: contacts that changed have not been seen by the last direction, and
/// where gaps are small the barrier bends most.
fn more_iterations<const D: usize>(model: &Model<D>, solution: &Solution<D>, changed: bool) -> usize {
    let depth = solution.clearance(model) / model.barrier.dhat();
    if depth < 0.01 { 3 } else { usize::from(changed || depth < DEEP) }
}

/// The largest speed of a vertex in this step, in m/s.
fn fastest<const D: usize>(problem: &Problem<'_, D>, solution: &Solution<D>) -> f64 {
    let motion = problem.scheme.motion();
    (0..solution.q.len()).map(|i| motion.velocity(&solution.q, i).norm()).fold(0.0, f64::max)
}

/// `−Z (ZᵀHZ)⁻¹ Zᵀg`: Newton's direction of the nodes, zero at those that are prescribed, and its course; with a push, what is driven goes there.
///
/// A Hessian whose parts are made positive converges at best linearly where they were not. So the true one is tried first, unless the last step
/// was cut short, something is driven, or the system is solved by iteration.
fn direction<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    work: &mut Workspace<D>,
    push: Option<&Push<D>>,
) -> Result<(Vec<Vector<D>>, Course)> {
    let model = problem.model;
    let unknowns = D * model.constraints.unknowns();
    // Who wants no factorisation gets none, as long as it can be done without.
    let factorises =
        solution.fallbacks > 0 || work.solver.decided(work.newton.linear, unknowns) == Some(false);
    if factorises
        && push.is_none()
        && solution.curvature.is_worth_a_try()
        && let Some(p) = true_direction(problem, solution, work)
    {
        let course = Course::along(&p, &work.gradient);
        return Ok((p, course));
    }
    work.assemble(problem, solution, problem.psd());
    let coupling = push.map(|push| Coupling::new(problem, solution, &work.hessian, push));
    let downhill = work.downhill(problem, coupling.as_ref());
    let precision = precision(problem, solution, work.tolerance(model));
    let Workspace { newton, gradient, hessian, reduction, solver, timings, .. } = work;
    let matrix = reduction.matrix(hessian);
    // What failed once in a step will fail again: contacts are as stiff as before.
    let kind = if solution.fallbacks > 0 { LinearKind::Direct } else { newton.linear };
    let places = model.constraints.unknown_places(&solution.q);
    let system = System { matrix, b: &downhill, places: &places, longest: problem.longest() };
    let solved = timings.time(Phase::Solve, || solver.solve(kind, &system, &precision));
    let solved = solved.ok_or(Error::Singular { step: problem.step })?;
    solution.regularised += solved.shifts;
    solution.fallbacks += usize::from(solved.fell_back);
    solution.decrease = Some(solved.p.iter().zip(&downhill).map(|(p, b)| p.dot(*b)).sum());
    let mut p = model.constraints.expanded(solved.p);
    let Some((push, coupling)) = push.zip(coupling) else {
        let course = Course::along(&p, gradient);
        return Ok((p, course));
    };
    p.iter_mut().zip(&push.ways).for_each(|(p, way)| *p += *way);
    let course = coupling.course(&p, gradient, hessian);
    Ok((p, course))
}

/// How well iterations solve a system, with Newton's tolerance in m/s.
fn precision<const D: usize>(problem: &Problem<'_, D>, solution: &Solution<D>, tolerance: f64) -> Precision {
    let tolerance = tolerance + ROUNDING * fastest(problem, solution);
    let short = 2.0 * tolerance * problem.scheme.h_hat;
    Precision { coarse: COARSE, fine: FINE, before: solution.decrease, short }
}

/// `−(H + σ M)⁻¹ g` with the true Hessian: as a whole it is positive close to most minima, and with a little more inertia also
/// where a sheet is about to wrinkle. Nothing if it is not with the largest `σ` that is tried.
///
/// More inertia is a shorter time step: it bounds the way along directions of negative curvature, along which parts made positive hardly move.
/// The `shift` σ is as small as it could be made so far.
fn true_direction<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    work: &mut Workspace<D>,
) -> Option<Vec<Vector<D>>> {
    let model = problem.model;
    work.assemble(problem, solution, Psd::None);
    let downhill = work.downhill(problem, None);
    let Workspace { hessian, reduction, solver, timings, .. } = work;
    let matrix = reduction.matrix(hessian);
    let masses = model.constraints.reduced_diagonal(model.mass.diagonal());
    let curvature = &mut solution.curvature;
    let tries = if problem.scheme.inertia != 0.0 && curvature.slow { MAX_SHIFTS } else { 1 };
    let shift = &mut curvature.shift;
    for again in 0..tries {
        let shifts: Vec<f64> = masses.iter().map(|m| *shift * m).collect();
        let found = timings.time(Phase::Solve, || solver.try_direct(matrix, &downhill, &shifts));
        if let Some(p) = found.filter(|p| p.iter().all(|p| p.norm() <= problem.longest())) {
            curvature.indefinite = false;
            if again == 0 {
                *shift = if *shift > 0.25 { 0.25 * *shift } else { 0.0 };
            }
            return Some(model.constraints.expanded(p));
        }
        *shift = (4.0 * *shift).max(1.0);
    }
    (*shift, curvature.indefinite) = (0.0, true);
    None
}

/// Sets the stiffness of the barrier when contact first appears.
fn begin_stiffness<const D: usize>(problem: &Problem<'_, D>, solution: &mut Solution<D>) {
    if !solution.contacts.is_empty() {
        solution.kappa.get_or_insert_with(|| problem.model.stiffness.first());
    }
}

/// Makes the barrier stiffer if gaps have become deep; whether it did, so that the step must be solved once more.
pub fn raise_stiffness<const D: usize>(model: &Model<D>, solution: &mut Solution<D>) -> bool {
    let Some(kappa) = solution.kappa else { return false };
    let raised = model.stiffness.raised(kappa, solution.clearance(model));
    solution.kappa = Some(raised);
    raised > kappa
}
