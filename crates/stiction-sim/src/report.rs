//! What happened in a step; what its numbers are called is in [`schema`].

pub mod schema;

use stiction::contact::Contacts;
use stiction::friction::{FrictionAccount, Outcome};
use stiction::math::Vector;
use stiction::obstacle::Obstacle;
use stiction::potential::Potential;

use crate::forces::{ContactForces, ForceReport};
use crate::model::Model;
use crate::problem::Solution;
use crate::reach::{BarrierByReach, ContactsByReach};
use crate::state::State;
use crate::term::Configuration;

/// Energies of a configuration, in J.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Energies {
    /// Of motion.
    pub kinetic: f64,
    /// Of deformation.
    pub elastic: f64,
    /// Of height.
    pub gravity: f64,
    /// Of contact.
    pub barrier: f64,
    /// Those that users added, by name.
    pub added: Vec<(String, f64)>,
}

impl Energies {
    /// The energies of a state.
    pub fn new<const D: usize>(model: &Model<D>, state: &State<D>, barrier: &BarrierByReach<'_, D>) -> Self {
        let x = model.surface_at(&state.q);
        let has_inertia = model.params.time.integrator.has_inertia();
        let kinetic = if has_inertia { 0.5 * model.mass.form(|i| state.v[i]) } else { 0.0 };
        Self {
            kinetic,
            elastic: model.elastic.energy(&state.q),
            gravity: model.body_force().energy(&state.q),
            barrier: barrier.energy(&x),
            added: model.terms.energies(Configuration { q: &state.q, x: &x }, state.time),
        }
    }

    /// Each of them with its name, in J; those that every model has first, always in this order.
    pub fn terms(&self) -> impl Iterator<Item = (&str, f64)> {
        let Self { kinetic, elastic, gravity, barrier, .. } = *self;
        let own = [("kinetic", kinetic), ("elastic", elastic), ("gravity", gravity), ("barrier", barrier)];
        own.into_iter().chain(self.added.iter().map(|(name, energy)| (name.as_str(), *energy)))
    }

    /// Their sum.
    pub fn total(&self) -> f64 {
        let own = self.kinetic + self.elastic + self.gravity + self.barrier;
        self.added.iter().fold(own, |sum, (_, energy)| sum + energy)
    }
}

/// How friction acted in a step.
pub type FrictionReport = FrictionAccount;

/// How many contacts there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactCounts {
    /// Of two vertices.
    pub vv: usize,
    /// Of a vertex and an edge.
    pub ve: usize,
    /// Of two edges, nearly parallel ones among them.
    pub ee: usize,
    /// Of a vertex and a face.
    pub vf: usize,
    /// Of a vertex and an obstacle.
    pub obstacle: usize,
}

impl ContactCounts {
    fn of(contacts: &Contacts) -> Self {
        Self {
            vv: contacts.vv.len(),
            ve: contacts.ve.len(),
            ee: contacts.ee.len() + contacts.parallel.len(),
            vf: contacts.vf.len(),
            obstacle: contacts.obstacle.len(),
        }
    }

    /// Those of two bodies, or of a body with itself.
    pub fn pairs(&self) -> usize {
        self.vv + self.ve + self.ee + self.vf
    }

    /// All of them.
    pub fn total(&self) -> usize {
        self.pairs() + self.obstacle
    }
}

/// A body as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyReport<const D: usize> {
    /// Centre of mass in m; of a fixed shape the mean of its vertices.
    pub center: Vector<D>,
    /// Its velocity in m/s.
    pub velocity: Vector<D>,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport<const D: usize> {
    /// Number of the step, from 1.
    pub step: usize,
    /// Time at its end, in s.
    pub time: f64,
    /// In how many substeps it was made: 1, or a power of two where the whole step failed; 0 at the start.
    pub substeps: usize,
    /// Newton iterations; those of attempts that failed do not count.
    pub iterations: usize,
    /// How often the matrix had to be made more positive.
    pub regularised: usize,
    /// How often conjugate gradients failed and the direct solver took over.
    pub fallbacks: usize,
    /// Energies at its end.
    pub energies: Energies,
    /// Work done by prescribed vertices and obstacles, in J.
    pub work: f64,
    /// Work done by loads, and by time through energies that users added, in J.
    pub load_work: f64,
    /// Energy put in or taken out by a change of the barrier stiffness, in J.
    pub stiffness_work: f64,
    /// Heat of damping, in J.
    pub damping_heat: f64,
    /// Energy that nothing but the integrator made, in J: the change of all energies plus heat less work. Negative where it damps.
    pub numerical_energy: f64,
    /// Whether, or in how many substeps, implicit Euler had to take over: energy would have been created, or a body was hit.
    pub damped: usize,
    /// Smallest distance of any two primitives in contact, in m; infinite without contact.
    pub gap: f64,
    /// Sum of the normal forces of all contacts, in N.
    pub normal_force: f64,
    /// Barrier stiffness in J/m⁴, of contacts weighted by area in J/m⁶ (J/m⁵ in 2D).
    pub kappa: f64,
    /// Contacts at its end.
    pub contacts: ContactCounts,
    /// Friction.
    pub friction: FrictionReport,
    /// How often the step was solved, each time with friction frozen at the solution before.
    pub rounds: usize,
    /// How that ended; nothing at the start.
    pub refinement: Option<Outcome>,
    /// Each body.
    pub bodies: Vec<BodyReport<D>>,
    /// Forces by body, obstacle, pair and prescribed motion, at its end.
    pub forces: ForceReport<D>,
}

impl<const D: usize> StepReport<D> {
    /// The report of a state without a step: the start.
    pub fn at_start(model: &Model<D>, state: &State<D>) -> Self {
        let obstacles = model.obstacles.at(state.time);
        let contacts = model.contacts_at(&model.surface_at(&state.q), &obstacles);
        Self::of_state(model, state, &contacts, &obstacles)
    }

    fn of_state(
        model: &Model<D>,
        state: &State<D>,
        contacts: &ContactsByReach,
        obstacles: &[Obstacle<D>],
    ) -> Self {
        let barrier = model.barrier_potential(contacts, obstacles, state.kappa);
        let x = model.surface_at(&state.q);
        let bodies = bodies(model, state);
        let centers: Vec<_> = bodies.iter().map(|body| body.center).collect();
        // Contacts that were built of the model's own surface have keys.
        let forces = ContactForces::of_contacts(model, state, contacts, obstacles).unwrap_or_default();
        Self {
            step: state.step,
            time: state.time,
            substeps: 0,
            iterations: 0,
            regularised: 0,
            fallbacks: 0,
            energies: Energies::new(model, state, &barrier),
            work: 0.0,
            load_work: 0.0,
            stiffness_work: 0.0,
            damping_heat: 0.0,
            numerical_energy: 0.0,
            damped: 0,
            gap: contacts.smallest_gap(&x, obstacles),
            normal_force: barrier.total_force(&x),
            kappa: state.kappa.unwrap_or_else(|| model.stiffness.first()),
            contacts: ContactCounts::of(&contacts.all()),
            friction: FrictionReport::default(),
            rounds: 0,
            refinement: None,
            forces: ForceReport::new(model, state, &forces, &centers),
            bodies,
        }
    }

    /// The report of a step that has just been made.
    pub fn of_step(
        model: &Model<D>,
        state: &State<D>,
        solution: &Solution<D>,
        friction: FrictionReport,
    ) -> Self {
        let start = Self::of_state(model, state, &solution.contacts, &solution.obstacles);
        let Solution { iterations, regularised, fallbacks, .. } = *solution;
        Self { substeps: 1, iterations, regularised, fallbacks, friction, ..start }
    }

    /// The same, with the balance of energies since those `before` the step.
    pub fn since(self, before: &Energies) -> Self {
        let work = self.work + self.load_work + self.stiffness_work;
        let heat = self.friction.dissipation + self.damping_heat;
        Self { numerical_energy: self.energies.total() - before.total() + heat - work, ..self }
    }

    /// The report of this part of a step and the `next` one together: what is done adds up, the largest of what should be small counts, and
    /// the rest is as at the end.
    pub fn then(self, next: Self) -> Self {
        Self {
            substeps: self.substeps + next.substeps,
            iterations: self.iterations + next.iterations,
            regularised: self.regularised + next.regularised,
            fallbacks: self.fallbacks + next.fallbacks,
            work: self.work + next.work,
            load_work: self.load_work + next.load_work,
            stiffness_work: self.stiffness_work + next.stiffness_work,
            damping_heat: self.damping_heat + next.damping_heat,
            numerical_energy: self.numerical_energy + next.numerical_energy,
            damped: self.damped + next.damped,
            friction: friction_then(&self.friction, &next.friction),
            forces: next.forces.after(&self.forces),
            rounds: self.rounds + next.rounds,
            refinement: self.refinement.filter(|outcome| *outcome == Outcome::Diverged).or(next.refinement),
            ..next
        }
    }
}

/// Friction in two parts of a step: distance and heat add up, counts are those at the end.
fn friction_then(first: &FrictionReport, next: &FrictionReport) -> FrictionReport {
    FrictionReport {
        distance: first.distance + next.distance,
        dissipation: first.dissipation + next.dissipation,
        cone_excess: first.cone_excess.max(next.cone_excess),
        relative_cone_excess: first.relative_cone_excess.max(next.relative_cone_excess),
        creep: first.creep.max(next.creep),
        creep_bound: first.creep_bound.max(next.creep_bound),
        lag_residual: first.lag_residual.max(next.lag_residual),
        ..*next
    }
}

fn bodies<const D: usize>(model: &Model<D>, state: &State<D>) -> Vec<BodyReport<D>> {
    let report = |range: std::ops::Range<usize>| {
        let (mut mass, mut center, mut velocity) = (0.0, Vector::ZERO, Vector::ZERO);
        // Fixed shapes have no mass: all of their vertices count the same.
        let masses = model.mass.of_nodes();
        let heavy = masses[range.clone()].iter().any(|mass| *mass > 0.0);
        for i in range {
            let weight = if heavy { masses[i] } else { 1.0 };
            mass += weight;
            center += state.q[i] * weight;
            velocity += state.v[i] * weight;
        }
        BodyReport { center: center * (1.0 / mass), velocity: velocity * (1.0 / mass) }
    };
    model.parts.iter().map(|part| report(part.nodes.clone())).collect()
}
