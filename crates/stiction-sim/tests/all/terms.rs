//! Energies that users add.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::derivatives::compare_increments;
use super::embedded;
use super::support::Random;
use stiction::assemble::{self, Assembly};
use stiction::blocks::Stencils;
use stiction::distance::Psd;
use stiction::math::{Matrix, Vector};
use stiction::potential::Potential;
use stiction::stencil::Stencil;
use stiction_sim::convergence::Accuracy;
use stiction_sim::energy::Domain;
use stiction_sim::integrator::IntegratorKind;
use stiction_sim::model::Model;
use stiction_sim::neighbours::Neighbours;
use stiction_sim::newton::{self, Workspace};
use stiction_sim::params::NewtonParams;
use stiction_sim::problem::{Drive, Problem, Solution, TimeSpan};
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::state::State;
use stiction_sim::step::step;
use stiction_sim::term::{Term, Terms};

/// Springs from some nodes to points that move: E = ½ k Σ |qᵢ − Qᵢ − v t|².
#[derive(Clone, Debug)]
struct Springs {
    stiffness: f64,
    nodes: Vec<Stencil<1>>,
    rest: Vec<Vector<2>>,
    velocity: Vector<2>,
    domain: Domain,
}

struct Stretched<'a>(&'a Springs, f64);

impl Stretched<'_> {
    fn stretch(&self, x: &[Vector<2>], node: Stencil<1>) -> Vector<2> {
        let i = node.0[0] as usize;
        x[i] - self.0.rest[i] - self.0.velocity * self.1
    }
}

impl Potential<2> for Stretched<'_> {
    fn energy(&self, x: &[Vector<2>]) -> f64 {
        assemble::energy(&self.0.nodes, |_, node| {
            0.5 * self.0.stiffness * self.stretch(x, *node).norm_squared()
        })
    }

    fn gradient(&self, x: &[Vector<2>], scale: f64, out: &mut [Vector<2>]) {
        assemble::gradient(&self.0.nodes, out, |_, node| {
            (*node, [self.stretch(x, *node) * (scale * self.0.stiffness)])
        });
    }

    fn stencils(&self, out: &mut Stencils) {
        out.push(self.0.nodes.iter().copied());
    }

    fn hessian(&self, _: &[Vector<2>], scale: f64, _: Psd, out: &mut Assembly<'_, 2>) {
        let matrix = Matrix::scalar(scale * self.0.stiffness);
        assemble::hessian(&self.0.nodes, out, |_, node| *node, |_, _| [[matrix]]);
    }
}

impl Term<2> for Springs {
    fn name(&self) -> &'static str {
        "springs"
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn at(&self, time: f64) -> Box<dyn Potential<2> + '_> {
        Box::new(Stretched(self, time))
    }
}

/// A stiff block that slides without friction, drawn by springs of k in all to points that run away with 0.5 m/s.
fn drawn(domain: Domain, mu: f64) -> (Model<2>, State<2>, f64) {
    let scene = Scene::parse(&format!(
        "dimension = 2\ngravity = [0.0, -9.81]\ntime = {{ step = 0.002, end = 0.5 }}\ncontact.dhat = 1e-3\nfriction.mu = {mu}\n\
         [[bodies]]\nname = \"block\"\nshape.box = {{ center = [0.0, 0.0508], size = [0.2, 0.1], cells = [2, 1] }}\n\
         material = {{ young = 1e8, poisson = 0.3, density = 1000.0 }}\n\
         [[planes]]\npoint = [0.0, 0.0]\nnormal = [0.0, 1.0]"
    ))
    .unwrap();
    let (model, state) = scene.build::<2>().unwrap();
    let (count, stiffness) = (model.mass.of_nodes().len(), 4000.0);
    let springs = Springs {
        stiffness: stiffness / count as f64,
        nodes: (0..count as u32).map(|node| Stencil([node])).collect(),
        rest: state.q.clone(),
        velocity: Vector([0.5, 0.0]),
        domain,
    };
    (model.with_term(Arc::new(springs)).unwrap(), state, (stiffness / 20.0_f64).sqrt())
}

/// The way of the closed form, x = v t − (v/ω) sin ωt; energy by name, the work of the points, and Newton's method as fast as without.
fn follows(domain: Domain) {
    let (model, mut state, omega) = drawn(domain, 0.0);
    let mut work = Workspace::default();
    let start = StepReport::at_start(&model, &state);
    assert_eq!(start.energies.added, [("springs".to_owned(), 0.0)]);
    let (mut total, mut worst, mut iterations) = (0.0, 0.0_f64, 0);
    for _ in 0..250 {
        let report = step(&model, &mut state, &mut work).unwrap();
        let t = report.time;
        let expected = 0.5 * t - 0.5 / omega * (omega * t).sin();
        let way = report.bodies[0].center[0] - start.bodies[0].center[0];
        worst = worst.max((way - expected).abs());
        total += report.load_work;
        iterations += report.iterations;
        let stored = report.energies.added[0].1;
        assert!((stored - 2000.0 * (way - 0.5 * t).powi(2)).abs() < 1e-3, "{t} s: {stored} J");
        let gained = report.energies.total() - start.energies.total() - total - report.stiffness_work;
        assert!(gained.abs() < 0.02 * total.max(1.0), "{t} s: {gained} J beyond the work of {total}");
    }
    println!("{domain:?}: way off by {worst:e} m, work {total} J, {iterations} iterations in 250 steps");
    assert!(worst < 2e-4 && iterations <= 2 * 250 + 20);
}

#[test]
fn springs_to_moving_points_draw_a_block() {
    follows(Domain::Nodes);
    follows(Domain::Surface);
}

/// A spring from each node to a point of its own that it has not met: E = ¼ k Σ |qᵢ − Qᵢ|⁴/ℓ².
#[derive(Clone, Debug)]
struct Hardening {
    stiffness: f64,
    length: f64,
    nodes: Vec<Stencil<1>>,
    targets: Vec<Vector<2>>,
}

impl Hardening {
    fn stretch(&self, x: &[Vector<2>], node: Stencil<1>) -> Vector<2> {
        (x[node.0[0] as usize] - self.targets[node.0[0] as usize]) * self.length.recip()
    }
}

impl Potential<2> for &Hardening {
    fn energy(&self, x: &[Vector<2>]) -> f64 {
        let factor = 0.25 * self.stiffness * self.length * self.length;
        assemble::energy(&self.nodes, |_, node| factor * self.stretch(x, *node).norm_squared().powi(2))
    }

    fn gradient(&self, x: &[Vector<2>], scale: f64, out: &mut [Vector<2>]) {
        let factor = scale * self.stiffness * self.length;
        assemble::gradient(&self.nodes, out, |_, node| {
            let s = self.stretch(x, *node);
            (*node, [s * (factor * s.norm_squared())])
        });
    }

    fn stencils(&self, out: &mut Stencils) {
        out.push(self.nodes.iter().copied());
    }

    fn hessian(&self, x: &[Vector<2>], scale: f64, _: Psd, out: &mut Assembly<'_, 2>) {
        let matrix = |_, node: &Stencil<1>| {
            let s = self.stretch(x, *node);
            [[(Matrix::scalar(s.norm_squared()) + s.outer(s) * 2.0) * (scale * self.stiffness)]]
        };
        assemble::hessian(&self.nodes, out, |_, node| *node, matrix);
    }
}

impl Term<2> for Hardening {
    fn name(&self) -> &'static str {
        "hardening"
    }

    fn domain(&self) -> Domain {
        Domain::Nodes
    }

    fn at(&self, _: f64) -> Box<dyn Potential<2> + '_> {
        Box::new(self)
    }
}

/// Errors fall as e → C e² over the last iterations of a step in which springs, which harden, press a block onto a plane and turn it.
#[test]
fn newtons_method_is_quadratic_near_the_end_with_a_term() {
    let (model, state, _) = drawn(Domain::Nodes, 0.0);
    let turned = |p: &Vector<2>| Vector([p[0] + 0.3 * p[1] + 0.2, p[1] - 0.3 * p[0] - 0.15]);
    let hardening = Hardening {
        stiffness: 2e5,
        length: 0.1,
        nodes: (0..state.q.len() as u32).map(|node| Stencil([node])).collect(),
        targets: state.q.iter().map(turned).collect(),
    };
    let model = Model { terms: Terms::default(), ..model }.with_term(Arc::new(hardening)).unwrap();
    let span = TimeSpan { h: 0.05, steps: 1, time: 0.05 };
    let drive = Drive::new(&model, &state, span).unwrap();
    let scheme = IntegratorKind::ImplicitEuler.begin(&state, span.h);
    let problem = Problem::new(&model, &state, &drive, scheme).unwrap();
    let after = |max_iterations: usize| {
        let newton = NewtonParams { tolerance: Some(1e-12), max_iterations, ..NewtonParams::default() };
        let mut work = Workspace::new(newton).unwrap();
        let mut solution = Solution::at(&model, &state, &mut Neighbours::default());
        // That a few iterations are too few is no matter: where they lead counts.
        let _ = newton::minimise(&problem, &mut solution, &mut work, Accuracy::Full);
        solution
    };
    let end = after(100);
    let apart = |q: &[Vector<2>]| q.iter().zip(&end.q).map(|(q, end)| (*q - *end).norm()).fold(0.0, f64::max);
    let errors: Vec<f64> = (1..end.iterations).map(|k| apart(&after(k).q)).filter(|e| *e > 1e-12).collect();
    println!("{} contacts, errors after each iteration {errors:?} m", end.contacts.usual.obstacle.len());
    assert!(!end.contacts.usual.obstacle.is_empty());
    let last: &[f64; 4] = errors.last_chunk().unwrap();
    for e in last.windows(2) {
        // C in 1/m, of a block of 0.2 m.
        assert!(e[1] <= 10.0 * e[0] * e[0], "{e:?}");
    }
    for e in last.windows(3) {
        assert!((e[2] / e[1]).ln() <= 1.7 * (e[1] / e[0]).ln(), "{e:?}");
    }
}

/// A block under friction moves only once the springs pull with μ m g.
#[test]
fn a_drawn_block_sticks_until_coulomb_lets_it_go() {
    let (model, mut state, _) = drawn(Domain::Nodes, 0.3);
    let mut work = Workspace::default();
    // 4000 N/m · 0.5 m/s · t = 0.3 · 20 kg · g.
    let release = 0.3 * 20.0 * 9.81 / 2000.0;
    for _ in 0..40 {
        let report = step(&model, &mut state, &mut work).unwrap();
        let speed = report.bodies[0].velocity[0];
        if report.time < release - 0.004 {
            assert!(speed < 1.1e-3, "{} s: {speed} m/s before {release} s", report.time);
        } else if report.time > release + 0.02 {
            assert!(speed > 5e-3, "{} s: {speed} m/s after {release} s", report.time);
        }
    }
}

/// A term of a surface that a coarse mesh carries, against differences.
#[test]
fn terms_of_embedded_surfaces_have_their_derivatives() {
    let (model, mut state) = embedded::pair::<2>(embedded::soft_params());
    let count = model.surface.rest().len();
    let springs = Springs {
        stiffness: 300.0,
        nodes: (0..count as u32).step_by(3).map(|vertex| Stencil([vertex])).collect(),
        rest: model.surface.rest().iter().map(|x| *x + Vector([0.02, -0.01])).collect(),
        velocity: Vector([0.5, 0.1]),
        domain: Domain::Surface,
    };
    let model = model.with_term(Arc::new(springs)).unwrap();
    let mut random = Random::new(9);
    state.v.iter_mut().for_each(|v| *v = random.vector() * 0.3);
    compare_increments("springs of an embedded surface", &model, &state, &mut random);
}

/// A body on springs, without gravity and contact, is a free oscillator: no step of it counts as an impact.
#[test]
fn springs_are_no_impacts() {
    let scene = Scene::parse(
        "dimension = 2\ntime = { step = 0.005, end = 1.0 }\n[[bodies]]\nname = \"block\"\n\
         shape.box = { center = [0.0, 0.0], size = [0.2, 0.1], cells = [2, 1] }\n\
         material = { young = 1e8, poisson = 0.3, density = 1000.0 }\nvelocity = [1.0, 0.0]",
    )
    .unwrap();
    let (model, mut state) = scene.build::<2>().unwrap();
    let count = model.mass.of_nodes().len();
    let springs = Springs {
        stiffness: 4000.0 / count as f64,
        nodes: (0..count as u32).map(|node| Stencil([node])).collect(),
        rest: state.q.clone(),
        velocity: Vector::ZERO,
        domain: Domain::Nodes,
    };
    let model = model.with_term(Arc::new(springs)).unwrap();
    let (mut work, mut fastest) = (Workspace::default(), 0.0_f64);
    for k in 0..200 {
        let report = step(&model, &mut state, &mut work).unwrap();
        // The first step of BDF2 is one of implicit Euler anyway.
        assert!(k == 0 || report.damped == 0, "{} s", report.time);
        fastest = if k < 100 { 0.0 } else { fastest.max(report.bodies[0].velocity[0]) };
    }
    println!("{fastest} m/s are left after two periods");
    assert!(fastest > 0.95);
}

#[test]
fn names_of_terms_are_checked() {
    #[derive(Debug)]
    struct Named(&'static str);
    impl Term<2> for Named {
        fn name(&self) -> &str {
            self.0
        }
        fn at(&self, _: f64) -> Box<dyn Potential<2> + '_> {
            Box::new(&[] as &[&Stretched<'_>])
        }
    }
    let (model, ..) = drawn(Domain::Nodes, 0.0);
    for (name, word) in [("", "letters"), ("a b", "letters"), ("elastic", "another"), ("springs", "another")]
    {
        let message = model.clone().with_term(Arc::new(Named(name))).unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    }
    assert!(model.with_term(Arc::new(Named("magnet_2"))).is_ok());
}

/// What goes wrong in a term fails the step, which changes nothing and is not tried in substeps.
#[test]
fn trouble_of_a_term_fails_the_step() {
    #[derive(Debug)]
    struct Broken;
    impl Term<2> for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }
        fn at(&self, _: f64) -> Box<dyn Potential<2> + '_> {
            Box::new(&[] as &[&Stretched<'_>])
        }
        fn trouble(&self) -> Option<String> {
            Some("it has no value".to_owned())
        }
    }
    let (model, mut state, _) = drawn(Domain::Nodes, 0.0);
    let (model, before) = (model.with_term(Arc::new(Broken)).unwrap(), state.clone());
    let message = step(&model, &mut state, &mut Workspace::default()).unwrap_err().to_string();
    assert_eq!(message, "step 1: the term \"broken\" failed: it has no value");
    assert!(state == before);
}

/// A term that fails only in substeps fails the step, too: more substeps, in which it may not, would hide it.
#[test]
fn trouble_in_a_substep_is_not_tried_again() {
    #[derive(Debug, Default)]
    struct Fragile(AtomicBool);
    impl Term<2> for Fragile {
        fn name(&self) -> &'static str {
            "fragile"
        }
        fn at(&self, time: f64) -> Box<dyn Potential<2> + '_> {
            // The middle of the first step.
            self.0.fetch_or((time - 0.001).abs() < 1e-9, Ordering::Relaxed);
            Box::new(&[] as &[&Stretched<'_>])
        }
        fn trouble(&self) -> Option<String> {
            self.0.swap(false, Ordering::Relaxed).then(|| "it has no value".to_owned())
        }
    }
    let (model, mut state, _) = drawn(Domain::Nodes, 0.0);
    let (model, before) = (model.with_term(Arc::new(Fragile::default())).unwrap(), state.clone());
    let hard = NewtonParams { max_iterations: 1, retries: 3, ..NewtonParams::default() };
    let message = step(&model, &mut state, &mut Workspace::new(hard).unwrap()).unwrap_err().to_string();
    assert_eq!(message, "step 1: the term \"fragile\" failed: it has no value");
    assert!(state == before);
}
