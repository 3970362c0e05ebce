//! Going along a direction: as far as nothing touches and the energy falls.

use std::collections::BTreeSet;

use stiction::contact::{AnyContact, ObstacleContact};
use stiction::math::Vector;
use stiction::obstacle::Obstacle;
use stiction::potential::Potential;

use crate::line_search;
use crate::model::Model;
use crate::neighbours::Neighbours;
use crate::params::StepBound;
use crate::problem::{Problem, Solution};
use crate::push::{Course, Push};
use crate::reach::ContactsByReach;
use crate::step_bound::{Shortened, Sweep, Way};
use crate::timings::{Phase, Timings};

/// How nodes and obstacles would go.
#[derive(Clone, Copy, Debug)]
pub struct Direction<'a, const D: usize> {
    /// The ways of all nodes, in m.
    pub p: &'a [Vector<D>],
    /// What is driven, if anything is not where it should be.
    pub push: Option<&'a Push<D>>,
}

/// How much of a direction was gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Nothing.
    Nowhere,
    /// The way was cut short.
    Part,
    /// The whole way.
    All,
}

/// Energy at a place and the sum of the absolute values of its parts, once they have been computed.
pub type Known = Option<(f64, f64)>;

/// The energy along a direction.
pub struct Slope<'a> {
    /// What is promised.
    pub course: Course,
    /// What is known where it begins, and afterwards where that led.
    pub known: &'a mut Known,
}

/// What finds out how far a direction may be gone.
pub struct Search<'a, const D: usize> {
    /// What is near.
    pub neighbours: &'a mut Neighbours<D>,
    /// What it costs.
    pub timings: &'a mut Timings,
}

/// A direction from a solution, with what may touch on the way.
struct Line<'a, const D: usize> {
    problem: &'a Problem<'a, D>,
    solution: &'a Solution<D>,
    direction: Direction<'a, D>,
    sweep: Sweep<D>,
}

/// Where part of the way leads.
struct Place<const D: usize> {
    t: f64,
    q: Vec<Vector<D>>,
    x: Vec<Vector<D>>,
    obstacles: Vec<Obstacle<D>>,
    contacts: ContactsByReach,
}

/// A way to find what may touch.
type Method<const D: usize> = fn(&Model<D>, &Way<'_, D>, &mut Neighbours<D>) -> Sweep<D>;

impl<'a, const D: usize> Line<'a, D> {
    fn new(
        problem: &'a Problem<'a, D>,
        solution: &'a Solution<D>,
        direction: Direction<'a, D>,
        method: Method<D>,
        neighbours: &mut Neighbours<D>,
    ) -> Self {
        let (model, p) = (problem.model, &problem.model.surface_at(direction.p));
        // The work of what drives is known for the whole direction, not for one that was shortened vertex by vertex.
        let method = if direction.push.is_some() { Sweep::uniform } else { method };
        let shifts = direction.push.map_or(&[][..], |push| &push.shifts);
        let way = Way { x: &solution.x, p, obstacles: &solution.obstacles, shifts };
        let sweep = method(model, &way, neighbours).of_nodes(model, direction.p);
        Self { problem, solution, direction, sweep }
    }

    /// The place after the part `t` of the way, no longer than any part before; on the whole way what is driven is exactly at its targets.
    fn at(&self, t: f64, left: &mut Shortened<'_, D>) -> Place<D> {
        let Self { problem, solution, direction, sweep } = self;
        let mut q = problem.model.along(&solution.q, &sweep.p, t);
        let mut obstacles = solution.obstacles.clone();
        if let Some(push) = direction.push {
            for &(v, target) in problem.drive.targets.iter().filter(|_| t == 1.0) {
                let v = v as usize;
                if sweep.p[v] == direction.p[v] {
                    q[v] = target;
                }
            }
            problem.model.constraints.place(&mut q);
            for (k, (solid, shift)) in obstacles.iter_mut().zip(&push.shifts).enumerate() {
                *solid = if t == 1.0 { problem.drive.obstacles[k] } else { solid.moved(*shift * t) };
            }
        }
        let x = problem.model.surface_at(&q).into_owned();
        let contacts = left.contacts(t, &x, &obstacles);
        Place { t, q, x, obstacles, contacts }
    }

    /// How much of the direction is gone at a place.
    fn extent(&self, place: &Place<D>) -> Extent {
        if place.t == 0.0 {
            Extent::Nowhere
        } else if place.t == 1.0 && self.sweep.p == self.direction.p {
            Extent::All
        } else {
            Extent::Part
        }
    }

    /// The whole safe way, but not to where the energy is infinite.
    fn as_far_as_allowed(&self) -> Place<D> {
        let mut left = self.sweep.shortened(self.problem.model, &self.solution.x);
        let (place, _) = line_search::finite(self.sweep.bound, |t| {
            let place = self.at(t, &mut left);
            let energy =
                self.problem.potential_at(self.solution, &place.contacts, &place.obstacles).energy(&place.q);
            (energy.is_finite(), place)
        });
        place
    }

    /// The first place at which the energy has fallen enough, with its energy.
    fn downhill(&self, course: Course, known: &mut Known) -> Option<(Place<D>, Known)> {
        let Self { problem, solution, .. } = self;
        let energy = |contacts: &ContactsByReach, obstacles: &[Obstacle<D>], q: &[Vector<D>]| {
            problem.potential_at(solution, contacts, obstacles).energy_and_magnitude(q)
        };
        let here = || energy(&solution.contacts, &solution.obstacles, &solution.q);
        let (start, magnitude) = *known.get_or_insert_with(here);
        let limit = line_search::Limit { start, magnitude, decrease: course.decrease };
        let mut left = self.sweep.shortened(problem.model, &solution.x);
        line_search::downhill(self.sweep.bound, limit, |t| {
            let place = self.at(t, &mut left);
            let there = energy(&place.contacts, &place.obstacles, &place.q);
            let unforeseen = if self.direction.push.is_some() { self.unforeseen(&place) } else { 0.0 };
            (there.0 - t * course.work - unforeseen, (place, Some(there)))
        })
    }

    /// The first place at which inertia and the barrier have not risen, and no element is inverted.
    fn not_into_the_barrier(&self) -> Option<Place<D>> {
        let Self { problem, solution, .. } = self;
        let energies =
            |q: &[Vector<D>], x: &[Vector<D>], contacts: &ContactsByReach, obstacles: &[Obstacle<D>]| {
                let barrier = problem.model.barrier_potential(contacts, obstacles, solution.kappa);
                let potential = problem.potential_at(solution, contacts, obstacles);
                let sum = potential.inertia.energy(q) + potential.scale * barrier.energy(x);
                if potential.energy(q).is_finite() { sum } else { f64::INFINITY }
            };
        let start = energies(&solution.q, &solution.x, &solution.contacts, &solution.obstacles);
        let limit = line_search::Limit { start, magnitude: start, decrease: 0.0 };
        let mut left = self.sweep.shortened(problem.model, &solution.x);
        line_search::downhill(self.sweep.bound, limit, |t| {
            let place = self.at(t, &mut left);
            (energies(&place.q, &place.x, &place.contacts, &place.obstacles), place)
        })
    }

    /// The energy of contacts at a place that the quadratic model could not foresee, because they begin on the way: what is driven does the work.
    fn unforeseen(&self, place: &Place<D>) -> f64 {
        let Self { problem, solution, .. } = self;
        let mut touched = vec![false; solution.x.len()];
        solution.contacts.for_each_vertex(|v| touched[v as usize] = true);
        let of_obstacle = |c: &ObstacleContact| (c.stencil.0[0], c.obstacle);
        let known: BTreeSet<_> = solution.contacts.usual.obstacle.iter().map(of_obstacle).collect();
        let mut begun = place.contacts.clone();
        begun.retain(|contact| match contact {
            AnyContact::Obstacle(c) => !known.contains(&of_obstacle(c)),
            other => other.vertices().iter().any(|v| !touched[*v as usize]),
        });
        let barrier = problem.model.barrier_potential(&begun, &place.obstacles, solution.kappa);
        problem.scheme.scale * barrier.energy(&place.x)
    }
}

impl<const D: usize> Solution<D> {
    fn go_to(&mut self, place: Place<D>) {
        let Place { q, x, obstacles, contacts, .. } = place;
        (self.q, self.x, self.obstacles, self.contacts) = (q, x, obstacles, contacts);
    }
}

/// Goes along a direction as far as nothing touches and the energy falls as promised.
pub fn descend<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    search: Search<'_, D>,
    direction: Direction<'_, D>,
    Slope { course, known }: Slope<'_>,
) -> Extent {
    let contact = &problem.model.params.contact;
    if !contact.line_search_energy {
        return go(problem, solution, search, direction);
    }
    // Motions that were shortened one by one may lead uphill.
    let again: &[Method<D>] = &[Sweep::new, Sweep::uniform];
    let methods = if contact.bound == StepBound::Ogc { again } else { &again[..1] };
    let Search { neighbours, timings } = search;
    for method in methods {
        let line =
            timings.time(Phase::Search, || Line::new(problem, solution, direction, *method, neighbours));
        if let Some((place, there)) = timings.time(Phase::LineSearch, || line.downhill(course, known)) {
            let extent = line.extent(&place);
            solution.go_to(place);
            *known = there;
            return extent;
        }
    }
    Extent::Nowhere
}

/// Brings what is driven closer to its targets, and nothing else, as far as nothing touches or inverts. For ways on which the model of the energy does
/// not see yet what will be in contact.
pub fn press_on<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    search: Search<'_, D>,
    push: &Push<D>,
) -> Extent {
    match go(problem, solution, search, Direction { p: &push.ways, push: Some(push) }) {
        Extent::Nowhere => Extent::Nowhere,
        _ => Extent::Part,
    }
}

/// Goes along a direction as far as nothing touches and inertia and the barrier together do not rise, to begin from there; nowhere if they rise at once.
///
/// Where the barrier is stiff, the whole safe way would end deep in it, with an energy that takes many iterations to get rid of.
pub fn begin<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    search: Search<'_, D>,
    direction: Direction<'_, D>,
) {
    let Search { neighbours, timings } = search;
    let line =
        timings.time(Phase::Search, || Line::new(problem, solution, direction, Sweep::new, neighbours));
    if let Some(place) = timings.time(Phase::LineSearch, || line.not_into_the_barrier()) {
        solution.go_to(place);
    }
}

/// Goes along a direction as far as nothing touches or inverts.
fn go<const D: usize>(
    problem: &Problem<'_, D>,
    solution: &mut Solution<D>,
    search: Search<'_, D>,
    direction: Direction<'_, D>,
) -> Extent {
    let Search { neighbours, timings } = search;
    let line =
        timings.time(Phase::Search, || Line::new(problem, solution, direction, Sweep::new, neighbours));
    let place = timings.time(Phase::LineSearch, || line.as_far_as_allowed());
    let extent = line.extent(&place);
    solution.go_to(place);
    extent
}
