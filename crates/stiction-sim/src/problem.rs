//! What a step must solve, and its solution.

use std::borrow::Cow;

use stiction::contact::Contacts;
use stiction::distance::Psd;
use stiction::friction::{Coefficients, FrictionPotential, Motion, Slides};
use stiction::math::Vector;
use stiction::obstacle::Obstacle;

use crate::convergence::Accuracy;
use crate::energy::{BodyForce, Damping, Domain, Incremental, Inertia, NamedPotential, Viscosity};
use crate::error::{Error, Result};
use crate::integrator::Scheme;
use crate::model::{Model, Part};
use crate::neighbours::Neighbours;
use crate::obstacles::Drift;
use crate::reach::{BarrierByReach, ContactsByReach};
use crate::state::State;
use crate::term::Configuration;

/// From a state to a later one.
#[derive(Clone, Copy, Debug)]
pub struct TimeSpan {
    /// Its length in s.
    pub h: f64,
    /// Steps made at its end.
    pub steps: usize,
    /// Time at its end, in s.
    pub time: f64,
}

impl TimeSpan {
    /// Part `index`, from 0, of a step from a state that is made in `count` equal parts, a power of two: lengths and times are then exact parts of the
    /// whole. Its time is a product, not a sum of lengths.
    pub fn part<const D: usize>(model: &Model<D>, state: &State<D>, index: usize, count: usize) -> Self {
        let (h, done, parts) = (model.params.time.step, index + 1, count as f64);
        let time = (state.step as f64 + done as f64 / parts) * h;
        Self { h: h / parts, steps: state.step + done / count, time }
    }
}

/// What drives a step: where things must be at its end, and what pulls.
#[derive(Clone, Debug)]
pub struct Drive<const D: usize> {
    /// From when to when.
    pub span: TimeSpan,
    /// Where prescribed nodes must end.
    pub targets: Vec<(u32, Vector<D>)>,
    /// Where obstacles must end.
    pub obstacles: Vec<Obstacle<D>>,
    /// How obstacles move on the way; empty if none does.
    pub drifts: Vec<Drift<D>>,
    /// Forces of loads on the nodes, in N; none if empty.
    pub forces: Vec<Vector<D>>,
    /// Forces on the nodes of energies that users added, in N, at the start; none if empty.
    pub added: Vec<Vector<D>>,
}

impl<const D: usize> Drive<D> {
    /// From a state to the end of a span.
    ///
    /// # Errors
    /// If a formula has no value then.
    pub fn new(model: &Model<D>, state: &State<D>, span: TimeSpan) -> Result<Self> {
        let time = span.time;
        let targets = model.boundary.targets(&model.rest, time);
        let forces = model.loads.forces(&state.q, model.mass.of_nodes(), time);
        check_numbers(&targets, &forces, time)?;
        model.obstacles.check_at(time)?;
        let (obstacles, drifts) = (model.obstacles.at(time), model.obstacles.drifts(state.time, time));
        Ok(Self { span, targets, obstacles, drifts, forces, added: added(model, state) })
    }

    /// To stay where things are, under the loads of the time of the state.
    ///
    /// # Errors
    /// If a load has no value then.
    pub fn rest(model: &Model<D>, state: &State<D>, span: TimeSpan) -> Result<Self> {
        let targets = model.boundary.nodes().map(|v| (v, state.q[v as usize])).collect();
        let (obstacles, drifts) = (model.obstacles.at(state.time), Vec::new());
        let forces = model.loads.forces(&state.q, model.mass.of_nodes(), state.time);
        check_numbers(&[], &forces, state.time)?;
        Ok(Self { span, targets, obstacles, drifts, forces, added: added(model, state) })
    }

    /// The acceleration of each body by gravity, loads and energies that users added, in m/s²; 0 of one that cannot move.
    pub fn pulls(&self, model: &Model<D>) -> Vec<f64> {
        let of = |part: &Part| {
            let masses = model.mass.of_nodes();
            let (mut force, mut mass) = (Vector::ZERO, 0.0);
            for i in part.nodes.clone().filter(|&i| model.constraints.free()[i]) {
                let load = self.forces.get(i).copied().unwrap_or(Vector::ZERO);
                force += model.gravity * masses[i] + load;
                force += self.added.get(i).copied().unwrap_or(Vector::ZERO);
                mass += masses[i];
            }
            if mass > 0.0 { force.norm() / mass } else { 0.0 }
        };
        model.parts.iter().map(of).collect()
    }

    /// The same, or that at the end of the step where energies that users added pull more there.
    pub fn pulls_until(&self, model: &Model<D>, after: &State<D>) -> Vec<f64> {
        let pulls = self.pulls(model);
        if model.terms.0.is_empty() {
            return pulls;
        }
        let late = Self { added: added(model, after), ..self.clone() };
        pulls.into_iter().zip(late.pulls(model)).map(|(start, end)| start.max(end)).collect()
    }

    /// The integrator's numbers for a step of length `h` in s, in which prescribed nodes have the velocities of their ways, and
    /// followers those that they are led to.
    fn prescribe(&self, model: &Model<D>, state: &State<D>, mut scheme: Scheme<D>, h: f64) -> Scheme<D> {
        for &(node, target) in &self.targets {
            scheme.prescribe(state, node as usize, target, h);
        }
        model.constraints.place(&mut scheme.predicted);
        model.constraints.place(&mut scheme.x_ref);
        if !scheme.v_ref.is_empty() {
            model.constraints.lead(&mut scheme.v_ref);
        }
        scheme
    }

    /// Friction on the obstacles as they move at the start of the step or at its end.
    fn coefficients<'a>(&self, model: &'a Model<D>, at_end: bool) -> Result<Cow<'a, Coefficients<D>>> {
        if self.drifts.is_empty() || model.coefficients.is_zero() {
            return Ok(Cow::Borrowed(&model.coefficients));
        }
        let velocities = self.drifts.iter().map(|drift| drift.rigid(at_end)).collect::<Result<Vec<_>>>()?;
        Ok(Cow::Owned(model.coefficients.clone().with_obstacle_velocities(velocities)))
    }
}

/// Forces of energies that users added, on the nodes of a state.
fn added<const D: usize>(model: &Model<D>, state: &State<D>) -> Vec<Vector<D>> {
    let x = model.surface_at(&state.q);
    model.terms.forces(Configuration { q: &state.q, x: &x }, model.map.as_ref(), state.time)
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

/// The minimisation of one step: what stays the same while it is solved.
#[derive(Clone, Debug)]
pub struct Problem<'a, const D: usize> {
    /// The model.
    pub model: &'a Model<D>,
    /// What drives it.
    pub drive: &'a Drive<D>,
    /// The integrator's numbers of the nodes.
    pub scheme: Scheme<D>,
    /// `x_ref` and `v_ref` of the vertices of the surface, where they are not the nodes'.
    surface: Option<[Vec<Vector<D>>; 2]>,
    /// Inner damping, frozen.
    viscosity: Viscosity<D>,
    /// Friction coefficients at the start and at the end of the step.
    coefficients: [Cow<'a, Coefficients<D>>; 2],
    /// From when to when.
    pub span: TimeSpan,
    /// Number of the step, from 1, for messages.
    pub step: usize,
}

impl<'a, const D: usize> Problem<'a, D> {
    /// The step from a state with an integrator's numbers.
    ///
    /// # Errors
    /// If the motion of an obstacle has no velocity.
    pub fn new(
        model: &'a Model<D>,
        state: &State<D>,
        drive: &'a Drive<D>,
        scheme: Scheme<D>,
    ) -> Result<Self> {
        let span = drive.span;
        let scheme = drive.prescribe(model, state, scheme, span.h);
        let map = |map: &stiction::linear_map::LinearMap| {
            let v_ref = if scheme.v_ref.is_empty() { Vec::new() } else { map.apply(&scheme.v_ref) };
            [map.apply(&scheme.x_ref), v_ref]
        };
        let surface = model.map.as_ref().map(map);
        let viscosity = if model.params.time.integrator.has_inertia() {
            Viscosity::at(&model.elastic, &state.q, &model.rayleigh)
        } else {
            Viscosity::default()
        };
        let coefficients = [drive.coefficients(model, false)?, drive.coefficients(model, true)?];
        Ok(Self { model, drive, scheme, surface, viscosity, coefficients, span, step: state.step + 1 })
    }

    /// Whether nothing rubs.
    pub fn is_frictionless(&self) -> bool {
        self.coefficients[1].is_zero()
    }

    /// The velocity of vertices of the surface as a function of their positions.
    pub fn surface_motion(&self) -> Motion<'_, D> {
        match &self.surface {
            Some([x_ref, v_ref]) => Motion { x_ref, v_ref, h_hat: self.scheme.h_hat },
            None => self.scheme.motion(),
        }
    }

    /// Friction frozen at a configuration whose vertices have velocities `v`, in m/s, with the coefficients of the start of the step or of its end.
    pub fn freeze(&self, at: &Solution<D>, v: &[Vector<D>], at_end: bool) -> Slides<D> {
        let coefficients = &self.coefficients[usize::from(at_end)];
        if coefficients.is_zero() {
            return Slides::default();
        }
        let mut slides = at.barrier(self.model).lag(&at.x, coefficients);
        slides.refresh_anisotropy(v);
        slides
    }

    /// Friction of given slides.
    pub fn friction<'b>(&'b self, slides: &'b Slides<D>) -> FrictionPotential<'b, D> {
        let friction = &self.model.params.friction;
        FrictionPotential { slides, motion: self.surface_motion(), law: friction.law, eps_v: friction.eps_v }
    }

    /// Damping; nothing without inertia, where only what a step ends with counts.
    pub fn damping(&self) -> Damping<'_, D> {
        let drag =
            Some(&self.model.rayleigh.drag).filter(|drag| self.scheme.inertia != 0.0 && !drag.is_empty());
        Damping { drag, viscosity: &self.viscosity, motion: self.scheme.motion() }
    }

    /// The incremental potential at a solution, or on the way to it.
    pub fn potential<'b>(&'b self, at: &'b Solution<D>) -> Incremental<'b, D> {
        self.potential_at(at, &at.contacts, &at.obstacles)
    }

    /// The same with other contacts, and obstacles elsewhere.
    pub fn potential_at<'b>(
        &'b self,
        at: &'b Solution<D>,
        contacts: &'b ContactsByReach,
        obstacles: &'b [Obstacle<D>],
    ) -> Incremental<'b, D> {
        let (model, scheme) = (self.model, &self.scheme);
        let (mass, predicted) = (&model.mass, &scheme.predicted[..]);
        let weight = BodyForce { forces: &self.drive.forces, ..model.body_force() };
        let barrier = model.barrier_potential(contacts, obstacles, at.kappa);
        let nodes = |name, potential| NamedPotential { name, domain: Domain::Nodes, potential };
        let surface = |name, potential| NamedPotential { name, domain: Domain::Surface, potential };
        let mut terms = vec![
            nodes("elastic", Box::new(&model.elastic)),
            nodes("damping", Box::new(self.damping())),
            nodes("gravity", Box::new(weight)),
            surface("barrier", Box::new(barrier)),
            surface("friction", Box::new(self.friction(&at.slides))),
        ];
        terms.extend(model.terms.0.iter().map(|term| {
            let (name, domain) = (term.name(), term.domain());
            NamedPotential { name, domain, potential: term.at(self.span.time) }
        }));
        let inertia = Inertia { mass, predicted, factor: scheme.inertia };
        Incremental { inertia, terms, scale: scheme.scale, map: model.map.as_ref() }
    }

    /// What is done with negative eigenvalues.
    pub fn psd(&self) -> Psd {
        if self.model.params.contact.psd_projection { Psd::Clamp } else { Psd::None }
    }

    /// The longest way of a node, in m, that an iteration may want: without inertia nothing holds what does not touch.
    pub fn longest(&self) -> f64 {
        if self.scheme.inertia == 0.0 { self.model.diagonal } else { f64::INFINITY }
    }
}

/// The solution of a step, or where its search has come to.
#[derive(Clone, Debug)]
pub struct Solution<const D: usize> {
    /// Positions of the nodes, in m.
    pub q: Vec<Vector<D>>,
    /// Positions of the vertices of the surface, in m.
    pub x: Vec<Vector<D>>,
    /// Where obstacles are.
    pub obstacles: Vec<Obstacle<D>>,
    /// Contacts at `x`.
    pub contacts: ContactsByReach,
    /// Friction, frozen.
    pub slides: Slides<D>,
    /// The contacts that friction is frozen at.
    pub lagged: ContactsByReach,
    /// Barrier stiffness in J/m⁴; none before there is contact.
    pub kappa: Option<f64>,
    /// Newton iterations so far.
    pub iterations: usize,
    /// How well the minimum is known, with friction as it is frozen now.
    pub known: Option<Accuracy>,
    /// What the iterations say about the Hessian.
    pub curvature: Curvature,
    /// `pᵀHp` of the last direction with a projected Hessian `H`, in J, if there is one.
    pub decrease: Option<f64>,
    /// How often the matrix had to be made more positive.
    pub regularised: usize,
    /// How often conjugate gradients failed.
    pub fallbacks: usize,
}

impl<const D: usize> Solution<D> {
    /// The configuration of a state, with its contacts, which are among its neighbours, and without friction.
    pub fn at(model: &Model<D>, state: &State<D>, neighbours: &mut Neighbours<D>) -> Self {
        let obstacles = model.obstacles.at(state.time);
        let x = model.surface_at(&state.q).into_owned();
        let contacts = neighbours.contacts(model, &x, &obstacles);
        Self {
            q: state.q.clone(),
            x,
            obstacles,
            lagged: contacts.clone(),
            contacts,
            slides: Slides::default(),
            kappa: state.kappa,
            iterations: 0,
            known: None,
            curvature: Curvature::default(),
            decrease: None,
            regularised: 0,
            fallbacks: 0,
        }
    }

    /// Goes on with friction that was frozen here.
    pub fn relag(&mut self, slides: Slides<D>) {
        (self.slides, self.known) = (slides, None);
        self.lagged.clone_from(&self.contacts);
    }

    /// The barrier of its contacts.
    pub fn barrier(&self, model: &Model<D>) -> BarrierByReach<'_, D> {
        model.barrier_potential(&self.contacts, &self.obstacles, self.kappa)
    }

    /// The smallest distance of a contact less the minimum distance, in m; one with a shorter reach counts as if that, and its clearance, were longer by as much as
    /// `d̂` is.
    pub fn clearance(&self, model: &Model<D>) -> f64 {
        let clearance =
            |contacts: &Contacts| contacts.smallest_gap(&self.x, &self.obstacles) - model.barrier.dmin();
        let near = self.contacts.near.iter().zip(model.reaches.near());
        let near = near.map(|(contacts, reach)| clearance(contacts) * reach.part);
        near.fold(clearance(&self.contacts.usual), f64::min)
    }
}

/// What the iterations of a step say about its Hessian.
#[derive(Clone, Copy, Debug, Default)]
pub struct Curvature {
    /// Whether the last step was cut short: far from the minimum the true Hessian is of little use.
    pub cut: bool,
    /// Whether Newton's method is slow although it is near.
    pub slow: bool,
    /// Whether the true Hessian was not positive when it was last tried.
    pub indefinite: bool,
    /// `σ`: the part of the masses that last made the true Hessian positive.
    pub shift: f64,
}

impl Curvature {
    /// Whether the true Hessian may be of use.
    pub fn is_worth_a_try(&self) -> bool {
        self.slow || !(self.cut || self.indefinite)
    }
}
