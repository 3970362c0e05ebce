//! Projected Newton: finds the minimum of the incremental potential without ever touching.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stiction::barrier::policy::DEEP;
use stiction::blocks::Blocks;
use stiction::contact::Contacts;
use stiction::distance::Psd;
use stiction::math::Vector;
use stiction::potential::Potential;
use stiction::pull_back::Congruence;

use crate::convergence::{Accuracy, Crawl, is_rough};
use crate::error::{Error, Result};
use crate::line_search;
use crate::linear::{LinearKind, LinearSolver, Precision, System};
use crate::model::Model;
use crate::obstacles;
use crate::params::StepBound;
use crate::problem::{Problem, Solution};
use crate::step_bound::{Sweep, Way};
use crate::timings::{Phase, Timings};

/// Portions in which a prescribed motion that meets resistance is tried before it counts as blocked.
const MAX_PORTIONS: usize = 30;

/// Precision of a speed that Newton's method can ask for, relative to the largest speed of a vertex.
const ROUNDING: f64 = 1e-8;

/// What remains of the speed of the last iteration, if Newton's method is slow.
const SLOW: f64 = 0.25;

/// How often inertia is made larger before a true Hessian counts as indefinite.
const MAX_SHIFTS: usize = 4;

/// The largest and the smallest error of a direction that iterations leave, relative to the direction, as measured by the matrix.
const COARSE: f64 = 1e-3;
const FINE: f64 = 1e-7;

/// The part of `d̂` that vertices move at most in an iteration close to the minimum.
const NEAR: f64 = 0.1;

/// Memory that is used again from step to step, and a way to stop.
#[derive(Debug, Default)]
pub struct Workspace<const D: usize> {
    stop: Arc<AtomicBool>,
    gradient: Vec<Vector<D>>,
    hessian: Blocks<D>,
    reduction: Congruence<D>,
    solver: LinearSolver<D>,
    pub(crate) timings: Timings,
}

impl<const D: usize> Workspace<D> {
    /// A workspace whose steps end with [`Error::Interrupted`] once the flag is raised.
    pub fn with_stop(stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..Self::default() }
    }

    /// A workspace whose linear systems another solver solves.
    pub fn with_solver(solver: LinearSolver<D>) -> Self {
        Self { solver, ..Self::default() }
    }

    /// From now on, another flag ends the steps.
    pub fn stop_at(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }

    /// Gradient and Hessian of the incremental potential by the nodes, the Hessian by the unknowns, too; returns `−Zᵀ g`.
    fn assemble(&mut self, problem: &Problem<'_, D>, solution: &Solution<D>, psd: Psd) -> Vec<Vector<D>> {
        let Self { gradient, hessian, reduction, timings, .. } = self;
        let (potential, constraints) = (problem.potential(solution), &problem.model.constraints);
        timings.time(Phase::Assembly, || {
            gradient.clear();
            gradient.resize(solution.q.len(), Vector::ZERO);
            potential.gradient(&solution.q, 1.0, gradient);
            hessian.assemble(&potential, &solution.q, 1.0, psd);
            reduction.reduce(hessian, constraints.map());
        });
        constraints.reduced(gradient).iter().map(|g| -*g).collect()
    }

    /// Says that a time step begins: nothing but memory is kept from those before.
    pub(crate) fn begin_step(&mut self) {
        self.solver.begin_step();
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

/// Moves `solution` to the minimum of the incremental potential, with prescribed vertices at their targets.
///
/// Where contact does not let them get there at once, they go as far as they can, the others follow,
/// and they go on. Returns how well it knows the minimum: at least as well as asked for.
///
/// # Errors
/// If the iterations do not converge, the system cannot be solved, or a prescribed motion is blocked.
pub fn minimise<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    work: &mut Workspace<D>,
    accuracy: Accuracy,
) -> Result<Accuracy> {
    for _ in 0..MAX_PORTIONS {
        if blocked(problem, solution).is_none() {
            return relax(problem, solution, work, accuracy);
        }
        relax(problem, solution, work, Accuracy::Rough)?;
        advance_prescribed(problem, solution, &mut work.timings);
    }
    match blocked(problem, solution) {
        None => relax(problem, solution, work, accuracy),
        Some(error) => Err(error),
    }
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

/// Moves the prescribed vertices and obstacles, and only them, towards their targets as far as nothing touches or inverts.
fn advance_prescribed<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    timings: &mut Timings,
) {
    let mut p = vec![Vector::ZERO; solution.q.len()];
    aim(problem, solution, &mut p);
    advance(problem, solution, &p, timings);
}

/// Leads the ways of prescribed nodes to their targets, in m, and those of followers where that leads them.
fn aim<const D: usize>(problem: &Problem<'_, D>, solution: &Solution<D>, p: &mut [Vector<D>]) {
    for &(node, target) in &problem.drive.targets {
        p[node as usize] = target - solution.q[node as usize];
    }
    problem.model.constraints.lead(p);
}

/// Moves along `p`, and obstacles towards their targets, as far as nothing touches or inverts; exactly onto the targets if that is all the way.
pub fn advance<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    p: &[Vector<D>],
    timings: &mut Timings,
) {
    let free = solution.contacts.is_empty();
    let shifts = obstacles::missing(&solution.obstacles, &problem.drive.obstacles);
    let way = Way {
        x: &solution.x,
        p: &problem.model.surface_at(p),
        obstacles: &solution.obstacles,
        shifts: &shifts,
    };
    let sweep =
        timings.time(Phase::Search, || Sweep::new(problem.model, &way, free).of_nodes(problem.model, p));
    timings.time(Phase::LineSearch, || go_to_targets(problem, solution, p, &shifts, &sweep));
}

/// Moves to where velocities stay `v`, in m/s, and prescribed motion leads, as far as nothing touches: what slides begins as sliding, what sticks as
/// sticking.
pub fn keep_velocity<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    v: &[Vector<D>],
    timings: &mut Timings,
) {
    let there = problem.scheme.with_velocity(v);
    let mut p: Vec<Vector<D>> = there.iter().zip(&solution.q).map(|(to, from)| *to - *from).collect();
    aim(problem, solution, &mut p);
    advance(problem, solution, &p, timings);
}

/// Goes the whole safe way, but not to where an element would invert.
fn go_to_targets<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    p: &[Vector<D>],
    shifts: &[Vector<D>],
    sweep: &Sweep<D>,
) {
    let none = Contacts::default();
    let (q, t) = line_search::finite(sweep.bound, |t| {
        let mut q = problem.model.along(&solution.q, &sweep.p, t);
        for &(v, target) in &problem.drive.targets {
            let v = v as usize;
            if t == 1.0 && sweep.p[v] == p[v] {
                q[v] = target;
            }
        }
        problem.model.constraints.place(&mut q);
        let energy = problem.potential_with(solution, &none).energy(&q);
        (energy.is_finite(), q)
    });
    if t > 0.0 {
        for (k, (solid, shift)) in solution.obstacles.iter_mut().zip(shifts).enumerate() {
            *solid = if t == 1.0 { problem.drive.obstacles[k] } else { solid.moved(*shift * t) };
        }
        let x = problem.model.surface_at(&q).into_owned();
        solution.contacts = sweep.contacts(problem.model, &x, &solution.obstacles);
        (solution.q, solution.x) = (q, x);
    }
}

/// Newton's iterations with the prescribed vertices held where they are.
fn relax<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    work: &mut Workspace<D>,
    accuracy: Accuracy,
) -> Result<Accuracy> {
    let model = problem.model;
    let limit = model.params.newton.max_iterations;
    let (mut speed, mut tolerance) = (f64::INFINITY, problem.tolerance());
    let (mut calm, mut known) = (0, None);
    let mut ending = Ending::new(problem, solution, accuracy);
    for _ in 0..limit {
        if work.stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted { step: problem.step });
        }
        begin_stiffness(problem, solution);
        let p = direction(problem, solution, work)?;
        let (longest, last) = (p.iter().map(|p| p.norm()).fold(0.0, f64::max), speed);
        speed = longest / problem.scheme.h_hat;
        solution.curvature.slow = speed > SLOW * last && longest < NEAR * model.barrier.dhat();
        let decrease = -0.5 * p.iter().zip(&work.gradient).map(|(p, g)| p.dot(*g)).sum::<f64>();
        let before = (speed <= 2.0 * tolerance).then(|| solution.contacts.clone());
        let from = solution.q.clone();
        let moved =
            descend(problem, solution, &mut work.timings, Descent { p: &p, decrease, known: &mut known });
        solution.iterations += 1;
        solution.curvature.cut = model.along(&from, &p, 1.0) != solution.q;
        tolerance = problem.tolerance() + ROUNDING * fastest(problem, solution);
        calm = if speed <= tolerance { calm + 1 } else { 0 };
        let changed = before.is_some_and(|before| !before.has_same_pairs(&solution.contacts));
        if calm > more_iterations(model, solution, changed) {
            return Ok(Accuracy::Full);
        }
        if ending.is_here(problem, solution, decrease) && moved {
            return Ok(accuracy);
        }
        if !moved && calm == 0 {
            let (step, iterations) = (problem.step, solution.iterations);
            return Err(Error::Stalled { step, iterations, speed, tolerance });
        }
    }
    Err(Error::NotConverged { step: problem.step, iterations: solution.iterations, speed, tolerance })
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
    fn new(problem: &Problem<'_, D>, solution: &Solution<D>, accuracy: Accuracy) -> Self {
        let strict = problem.scheme.inertia == 0.0 || problem.model.params.newton.tolerance.is_some();
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
    let depth = solution.gap(model) / model.barrier.dhat();
    if depth < 0.01 { 3 } else { usize::from(changed || depth < DEEP) }
}

/// The largest speed of a vertex in this step, in m/s.
fn fastest<const D: usize>(problem: &Problem<'_, D>, solution: &Solution<D>) -> f64 {
    let motion = problem.scheme.motion();
    (0..solution.q.len()).map(|i| motion.velocity(&solution.q, i).norm()).fold(0.0, f64::max)
}

/// `−Z (ZᵀHZ)⁻¹ Zᵀg`: Newton's direction of the nodes, zero at those that are prescribed.
///
/// A Hessian whose parts are made positive converges at best linearly where they were not. So the true one is tried first, unless the last step
/// was cut short.
fn direction<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    work: &mut Workspace<D>,
) -> Result<Vec<Vector<D>>> {
    let model = problem.model;
    let unknowns = D * model.constraints.unknowns();
    // Who wants no factorisation gets none, as long as it can be done without.
    let factorises =
        solution.fallbacks > 0 || work.solver.decided(model.params.newton.linear, unknowns) == Some(false);
    if factorises
        && solution.curvature.is_worth_a_try()
        && let Some(p) = true_direction(problem, solution, work)
    {
        return Ok(p);
    }
    let downhill = work.assemble(problem, solution, problem.psd());
    let Workspace { hessian, reduction, solver, timings, .. } = work;
    let matrix = reduction.matrix(hessian);
    // What failed once in a step will fail again: contacts are as stiff as before.
    let kind = if solution.fallbacks > 0 { LinearKind::Direct } else { model.params.newton.linear };
    let places = model.constraints.unknown_places(&solution.q);
    let system = System { matrix, b: &downhill, places: &places, longest: problem.longest() };
    let precision = precision(problem, solution);
    let solved = timings.time(Phase::Solve, || solver.solve(kind, &system, &precision));
    let solved = solved.ok_or(Error::Singular { step: problem.step })?;
    solution.regularised += solved.shifts;
    solution.fallbacks += usize::from(solved.fell_back);
    solution.decrease = Some(solved.p.iter().zip(&downhill).map(|(p, b)| p.dot(*b)).sum());
    Ok(model.constraints.expanded(solved.p))
}

/// How well iterations solve a system.
fn precision<const D: usize>(problem: &Problem<'_, D>, solution: &Solution<D>) -> Precision {
    let tolerance = problem.tolerance() + ROUNDING * fastest(problem, solution);
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
    let downhill = work.assemble(problem, solution, Psd::None);
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

/// A direction, and what is known of the energy along it.
struct Descent<'a, const D: usize> {
    /// The direction, in m.
    p: &'a [Vector<D>],
    /// By how much the quadratic model says that the energy falls.
    decrease: f64,
    /// Energy at the solution and the sum of the absolute values of its parts, once they have been computed.
    known: &'a mut Option<(f64, f64)>,
}

/// Goes along `p` as far as nothing touches and the energy falls; false if that is nowhere.
fn descend<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    timings: &mut Timings,
    mut descent: Descent<'_, D>,
) -> bool {
    let (model, p, free) = (problem.model, descent.p, solution.contacts.is_empty());
    let moved = model.surface_at(p);
    let at = |solution: &Solution<D>, method: fn(&Model<D>, &Way<'_, D>, bool) -> Sweep<D>| {
        let way = Way { x: &solution.x, p: &moved, obstacles: &solution.obstacles, shifts: &[] };
        method(model, &way, free).of_nodes(model, p)
    };
    let sweep = timings.time(Phase::Search, || at(solution, Sweep::new));
    if !model.params.contact.line_search_energy {
        return timings.time(Phase::LineSearch, || go_as_far_as_allowed(problem, solution, &sweep));
    }
    if timings.time(Phase::LineSearch, || go_downhill(problem, solution, &sweep, &mut descent)) {
        return true;
    }
    if model.params.contact.bound != StepBound::Ogc {
        return false;
    }
    // Motions that were shortened one by one may lead uphill.
    let sweep = timings.time(Phase::Search, || at(solution, Sweep::uniform));
    timings.time(Phase::LineSearch, || go_downhill(problem, solution, &sweep, &mut descent))
}

/// Goes the whole safe way, but not to where the energy is infinite.
fn go_as_far_as_allowed<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    sweep: &Sweep<D>,
) -> bool {
    let ((q, x, contacts), t) = line_search::finite(sweep.bound, |t| {
        let q = problem.model.along(&solution.q, &sweep.p, t);
        let x = problem.model.surface_at(&q).into_owned();
        let contacts = sweep.contacts(problem.model, &x, &solution.obstacles);
        let energy = problem.potential_with(solution, &contacts).energy(&q);
        (energy.is_finite(), (q, x, contacts))
    });
    (solution.q, solution.x, solution.contacts) = (q, x, contacts);
    t > 0.0
}

/// Goes as far as the energy falls.
fn go_downhill<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    sweep: &Sweep<D>,
    descent: &mut Descent<'_, D>,
) -> bool {
    let energy = |contacts: &Contacts, q: &[Vector<D>]| {
        problem.potential_with(solution, contacts).energy_and_magnitude(q)
    };
    let (start, magnitude) = *descent.known.get_or_insert_with(|| energy(&solution.contacts, &solution.q));
    let limit = line_search::Limit { start, magnitude, decrease: descent.decrease };
    let found = line_search::downhill(sweep.bound, limit, |t| {
        let q = problem.model.along(&solution.q, &sweep.p, t);
        let x = problem.model.surface_at(&q).into_owned();
        let contacts = sweep.contacts(problem.model, &x, &solution.obstacles);
        let there = energy(&contacts, &q);
        (there.0, (q, x, contacts, there))
    });
    let Some((q, x, contacts, there)) = found else { return false };
    (solution.q, solution.x, solution.contacts, *descent.known) = (q, x, contacts, Some(there));
    true
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
    let raised = model.stiffness.raised(kappa, solution.gap(model));
    solution.kappa = Some(raised);
    raised > kappa
}
