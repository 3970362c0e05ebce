//! What is driven, as part of Newton's direction: walls and what they push move together.

use stiction::blocks::Blocks;
use stiction::contact::Contacts;
use stiction::math::Vector;
use stiction::potential::Potential;

use crate::obstacles;
use crate::problem::{Problem, Solution};
use crate::reach::ContactsByReach;

/// What is still missing of prescribed motion.
#[derive(Clone, Debug)]
pub struct Push<const D: usize> {
    /// `Δc` of prescribed nodes and of those that follow them, in m; zero where unknowns alone decide.
    pub ways: Vec<Vector<D>>,
    /// `s` of each obstacle, in m.
    pub shifts: Vec<Vector<D>>,
}

impl<const D: usize> Push<D> {
    /// What is missing; nothing if all is where it should be.
    pub fn missing(problem: &Problem<'_, D>, solution: &Solution<D>) -> Option<Self> {
        let mut ways = vec![Vector::ZERO; solution.q.len()];
        for &(node, target) in &problem.drive.targets {
            ways[node as usize] = target - solution.q[node as usize];
        }
        problem.model.constraints.lead(&mut ways);
        let shifts = obstacles::missing(&solution.obstacles, &problem.drive.obstacles);
        let is_there = ways.iter().chain(&shifts).all(|way| *way == Vector::ZERO);
        (!is_there).then_some(Self { ways, shifts })
    }
}

/// What a push adds to the quadratic model of the energy, so that Newton's direction brings walls and what they push along together.
///
/// With the increments `Δc` of prescribed nodes and `sₖ` of obstacles, the model is smallest for
///
/// ```text
/// ZᵀHZ Δz = −Zᵀ(g + f)        f = H Δc − Σₖ Hₖ sₖ        p = Z Δz + Δc        [increments in m]
/// ```
/// with `Hₖ` the part of `H` that contacts with obstacle `k` make: they see the difference of both places.
///
/// The energy may rise by the work of what drives. The part `t` of the way must lower
///
/// ```text
/// φ(t) = E(t) − t R        R = S + C        S = gᵀp − Σₖ gₖᵀsₖ        C = pᵀHp − 2 pᵀ Σₖ Hₖ sₖ + Σₖ sₖᵀHₖsₖ
/// ```
/// with the work `R` of the reactions that the model foresees at the end of the way: `φ′(0) = −C ≤ 0`.
#[derive(Clone, Debug)]
pub struct Coupling<const D: usize> {
    /// `f` of the nodes.
    pub force: Vec<Vector<D>>,
    /// `Σₖ Hₖ sₖ`.
    by_obstacles: Vec<Vector<D>>,
    /// `Σₖ gₖᵀsₖ`.
    slope: f64,
    /// `Σₖ sₖᵀHₖsₖ`.
    curvature: f64,
}

impl<const D: usize> Coupling<D> {
    /// Of a push from a solution, with the Hessian there.
    pub fn new(
        problem: &Problem<'_, D>,
        solution: &Solution<D>,
        hessian: &Blocks<D>,
        push: &Push<D>,
    ) -> Self {
        let mut force = vec![Vector::ZERO; solution.q.len()];
        hessian.multiply(&push.ways, &mut force);
        let by_obstacles = vec![Vector::ZERO; solution.q.len()];
        let mut coupling = Self { force, by_obstacles, slope: 0.0, curvature: 0.0 };
        let moving = push.shifts.iter().enumerate().filter(|(_, shift)| **shift != Vector::ZERO);
        for (obstacle, shift) in moving {
            coupling.add_obstacle(problem, solution, obstacle, *shift);
        }
        for (force, by_obstacle) in coupling.force.iter_mut().zip(&coupling.by_obstacles) {
            *force -= *by_obstacle;
        }
        coupling
    }

    fn add_obstacle(
        &mut self,
        problem: &Problem<'_, D>,
        solution: &Solution<D>,
        obstacle: usize,
        shift: Vector<D>,
    ) {
        let contacts = touching(&solution.contacts.usual, obstacle);
        if contacts.is_empty() {
            return;
        }
        let (model, scale, count) = (problem.model, problem.scheme.scale, solution.x.len());
        let barrier = model.barrier_potential(&contacts, &solution.obstacles, solution.kappa);
        let (x, everywhere) = (&solution.x, vec![shift; count]);
        let mut field = vec![Vector::ZERO; count];
        barrier.gradient(x, scale, &mut field);
        self.slope += field.iter().map(|g| g.dot(shift)).sum::<f64>();
        self.curvature += scale * barrier.quadratic_form(x, problem.psd(), &everywhere);
        field.fill(Vector::ZERO);
        barrier.product(x, scale, problem.psd(), &everywhere, &mut field);
        match &model.map {
            Some(map) => map.add_transposed(&field, &mut self.by_obstacles),
            None => self.by_obstacles.iter_mut().zip(field).for_each(|(sum, field)| *sum += field),
        }
    }

    /// `R` and `C` of a direction, given the gradient and the Hessian.
    pub fn course(&self, p: &[Vector<D>], gradient: &[Vector<D>], hessian: &Blocks<D>) -> Course {
        let mut product = vec![Vector::ZERO; p.len()];
        hessian.multiply(p, &mut product);
        let dot = |field: &[Vector<D>]| p.iter().zip(field).map(|(p, f)| p.dot(*f)).sum::<f64>();
        let slope = dot(gradient) - self.slope;
        let curvature = dot(&product) - 2.0 * dot(&self.by_obstacles) + self.curvature;
        Course { decrease: 0.5 * curvature, work: slope + curvature }
    }
}

/// What the quadratic model says of the energy along a direction, with the energy in the units of the incremental potential.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// By how much it falls on the whole way, beside the work of what drives: `C/2`.
    pub decrease: f64,
    /// `R`; 0 where nothing is driven.
    pub work: f64,
}

impl Course {
    /// Of a direction that a Hessian `H` gave, `H p = −g` in all unknowns, where nothing is driven.
    pub fn along<const D: usize>(p: &[Vector<D>], gradient: &[Vector<D>]) -> Self {
        let slope: f64 = p.iter().zip(gradient).map(|(p, g)| p.dot(*g)).sum();
        Self { decrease: -0.5 * slope, work: 0.0 }
    }
}

/// The contacts with one obstacle.
fn touching(contacts: &Contacts, obstacle: usize) -> ContactsByReach {
    let own = contacts.obstacle.iter().filter(|contact| contact.obstacle as usize == obstacle);
    Contacts { obstacle: own.copied().collect(), ..Contacts::default() }.into()
}
