//! What is driven, as part of Newton's direction.

use crate::support::{Random, begin};
use stiction::blocks::Blocks;
use stiction::distance::Psd;
use stiction::math::Vector;
use stiction::potential::Potential;
use stiction_sim::neighbours::Neighbours;
use stiction_sim::problem::{Drive, Problem, Solution, TimeSpan};
use stiction_sim::push::{Coupling, Push};
use stiction_sim::scene::Scene;
use stiction_sim::step::step;

/// A block whose top is pushed down onto a floor that comes up, and a ball that comes from the side.
fn squeezed<const D: usize>() -> String {
    let (z, size, cells) =
        if D == 2 { ("", "[0.2, 0.1]", "[4, 2]") } else { (", 0.0", "[0.2, 0.1, 0.1]", "[4, 2, 2]") };
    format!(
        "dimension = {D}\ngravity = [0.0, -9.81{z}]\ntime = {{ step = 0.01, end = 1.0 }}\nfriction.mu = 0.3\n\
         contact.dhat = 1e-3\n\
         [[planes]]\npoint = [0.0, 0.0{z}]\nnormal = [0.1, 1.0{z}]\nmotion.velocity = [0.01, 0.05{z}]\n\
         [[spheres]]\ncenter = [-4.1008, 0.0608{z}]\nradius = 4.0\nmotion.velocity = [0.01, 0.02{z}]\n\
         [[bodies]]\nname = \"block\"\nmaterial = {{ young = 1e5, poisson = 0.3, density = 1000.0 }}\n\
         shape.box = {{ center = [0.0, 0.0608{z}], size = {size}, cells = {cells} }}\n\
         [[bodies.motions]]\nside = \"top\"\nvelocity = [0.0, -0.2{z}]"
    )
}

/// Along a direction in which everything moves, driven or not, the model of the energy has the slope `R − C` and the curvature `C`.
fn the_model_has_the_slope_and_curvature_of_the_energy<const D: usize>() {
    let (mut model, mut state, mut work) = begin::<D>(&Scene::parse(&squeezed::<D>()).unwrap());
    for _ in 0..3 {
        step(&model, &mut state, &mut work).unwrap();
    }
    // Differences know nothing of projections.
    model.params.contact.psd_projection = false;
    let h = model.params.time.step;
    let span = TimeSpan { h, steps: state.step + 1, time: state.time + h };
    let drive = Drive::new(&model, &state, span).unwrap();
    let problem =
        Problem::new(&model, &state, &drive, model.params.time.integrator.begin(&state, h)).unwrap();
    let mut solution = Solution::at(&model, &state, &mut Neighbours::default());
    solution.slides = problem.freeze(&solution, &model.surface_at(&state.v), false);
    let touched = |k: u32| solution.contacts.usual.obstacle.iter().any(|c| c.obstacle == k);
    assert!(touched(0) && touched(1), "the block touches the floor and the ball");
    let push = Push::missing(&problem, &solution).unwrap();
    assert!(push.shifts.iter().all(|shift| *shift != Vector::ZERO));

    let mut hessian = Blocks::default();
    let potential = problem.potential(&solution);
    hessian.assemble(&potential, &solution.q, 1.0, Psd::None);
    let mut gradient = vec![Vector::ZERO; solution.q.len()];
    potential.gradient(&solution.q, 1.0, &mut gradient);
    let coupling = Coupling::new(&problem, &solution, &hessian, &push);
    let mut random = Random::new(5);
    let mut p = push.ways.clone();
    for (p, free) in p.iter_mut().zip(model.constraints.free()) {
        *p += if *free { random.vector() * 1e-3 } else { Vector::ZERO };
    }
    let course = coupling.course(&p, &gradient, &hessian);

    let at = |t: f64| {
        let q = model.along(&solution.q, &p, t);
        let solids = solution.obstacles.iter().zip(&push.shifts);
        let obstacles: Vec<_> = solids.map(|(solid, shift)| solid.moved(*shift * t)).collect();
        problem.potential_at(&solution, &solution.contacts, &obstacles).energy(&q)
    };
    let t = 1e-4;
    let (slope, curvature) = ((at(t) - at(-t)) / (2.0 * t), (at(t) - 2.0 * at(0.0) + at(-t)) / (t * t));
    let (c, r) = (2.0 * course.decrease, course.work);
    assert!((curvature - c).abs() < 1e-4 * c.abs(), "{D}D: curvature {curvature} for {c}");
    assert!((slope - (r - c)).abs() < 1e-5 * (r.abs() + c.abs()), "{D}D: slope {slope} for {}", r - c);
}

#[test]
fn the_model_has_the_slope_and_curvature_of_the_energy_in_2d_and_3d() {
    the_model_has_the_slope_and_curvature_of_the_energy::<2>();
    the_model_has_the_slope_and_curvature_of_the_energy::<3>();
}

/// Walls that move ten `d̂` in a step and what they push arrive together: few iterations, and no step is divided.
#[test]
fn walls_and_what_they_push_move_together() {
    let text = "dimension = 2\ngravity = [0.0, 0.0]\ntime = { step = 0.01, end = 0.1 }\ncontact = { dhat = 1e-3 }\nfriction.mu = 0.2\n\
                [[planes]]\npoint = [0.0, 0.0]\nnormal = [0.0, 1.0]\n\
                [[planes]]\npoint = [-0.1009, 0.0]\nnormal = [1.0, 0.0]\nmotion.velocity = [1.0, 0.0]\n\
                [[bodies]]\nname = \"block\"\nmaterial = { young = 1e6, poisson = 0.3, density = 1000.0 }\n\
                shape.box = { center = [0.0, 0.0509], size = [0.2, 0.1], cells = [8, 4] }";
    let (model, mut state, mut work) = begin::<2>(&Scene::parse(text).unwrap());
    for k in 1..=10 {
        let report = step(&model, &mut state, &mut work).unwrap();
        assert!(
            report.substeps == 1 && report.iterations <= 40,
            "step {k}: {} iterations",
            report.iterations
        );
    }
    let pushed = state.q.iter().map(|q| q[0]).fold(f64::INFINITY, f64::min);
    assert!(pushed > -0.1009 + 0.1, "the block is pushed along: {pushed}");
}
