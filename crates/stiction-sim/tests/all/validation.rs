//! Elastic blocks against Coulomb's law in closed form: thresholds, stopping, creep, energy, stick-slip, belts, gaps at rest.
//!
//! `cargo test -p stiction-sim --test all validation:: -- --nocapture` prints what is measured. Blocks begin where they rest: what they do then is
//! friction, not bouncing.

use crate::support;
use stiction::friction::Mu;
use stiction::math::Vector;
use stiction::obstacle::{Obstacle, Plane};
use stiction::potential::Potential;
use stiction_sim::boundary::Trajectory;
use stiction_sim::integrator::{IntegratorKind, Newmark};
use stiction_sim::material::Lame;
use stiction_sim::model::{Body, Model};
use stiction_sim::newton::Workspace;
use stiction_sim::params::Params;
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::scene::shapes::BoxMesh;
use stiction_sim::state::State;
use stiction_sim::step::step;

const G: f64 = 9.81;
const EPS_V: f64 = 1e-3;
/// Young's modulus in Pa: stiff, so that answers are those of a rigid block.
const YOUNG: f64 = 1e9;

/// A block on a floor, gravity tilted by a slope.
#[derive(Clone, Copy)]
struct Case {
    /// Static and kinetic coefficient.
    mu: (f64, f64),
    /// Tangent of the slope.
    slope: f64,
    /// Speed at the start, in m/s.
    v0: f64,
    /// Time step in s.
    h: f64,
    integrator: IntegratorKind,
}

impl Case {
    fn new(mu: f64, slope: f64) -> Self {
        Self { mu: (mu, mu), slope, v0: 0.0, h: 0.01, integrator: IntegratorKind::ImplicitEuler }
    }

    fn params(&self) -> Params {
        let mut params = Params::default();
        params.time.step = self.h;
        params.time.integrator = self.integrator;
        (params.contact.dhat, params.contact.dhat_is_relative) = (1e-3, false);
        params.friction.mu = Mu { s: self.mu.0, k: self.mu.1 };
        params.friction.eps_v = EPS_V;
        params
    }

    fn gravity<const D: usize>(&self) -> Vector<D> {
        let cos = 1.0 / (1.0 + self.slope * self.slope).sqrt();
        let mut gravity = Vector::ZERO;
        (gravity[0], gravity[1]) = (G * cos * self.slope, -G * cos);
        gravity
    }
}

/// A stiff block of 1 kg with its bottom at this height: 0.2 m long, 0.1 m high (and 0.1 m deep).
fn block<const D: usize>(height: f64) -> Body<D> {
    let (mut center, mut size, mut cells) = (Vector::ZERO, Vector([0.1; D]), [2; D]);
    (center[1], size[0], cells[0]) = (height + 0.05, 0.2, 4);
    let mesh = BoxMesh::new(center, size, cells, 0.0);
    let volume = size.0.iter().product::<f64>();
    let body = Body::new("block", mesh.vertices, Lame::new(YOUNG, 0.3).unwrap(), 1.0 / volume);
    Body { triangles: mesh.triangles, tetrahedra: mesh.tetrahedra, ..body }
}

fn floor<const D: usize>() -> Vec<Obstacle<D>> {
    vec![Obstacle::Plane(Plane::new(Vector::ZERO, Vector::axis(1)).unwrap())]
}

/// Positions in which the bodies rest on what is below them, with gravity straight down, in m/s².
fn rest<const D: usize>(bodies: &[Body<D>], obstacles: Vec<Obstacle<D>>, gravity: f64) -> Vec<Vector<D>> {
    let case = Case { integrator: IntegratorKind::QuasiStatic, ..Case::new(0.5, 0.0) };
    let down = Vector::axis(1) * -gravity;
    let (model, mut state) = Model::new(bodies, obstacles, down, case.params()).unwrap();
    step(&model, &mut state, &mut Workspace::default()).unwrap();
    state.q
}

/// A block that slides or sticks, from where it rests.
struct Run<const D: usize> {
    model: Model<D>,
    state: State<D>,
    work: Workspace<D>,
    reports: Vec<StepReport<D>>,
}

impl<const D: usize> Run<D> {
    fn new(case: Case) -> Self {
        let body = block::<D>(0.95e-3);
        // What presses it onto the slope: otherwise it would bounce.
        let x = rest(std::slice::from_ref(&body), floor(), -case.gravity::<D>()[1]);
        let (model, mut state) = Model::new(&[body], floor(), case.gravity(), case.params()).unwrap();
        state.q = x;
        state.v.iter_mut().for_each(|v| v[0] = case.v0);
        Self { model, state, work: Workspace::default(), reports: vec![] }
    }

    /// The speed of the first body along x, in m/s.
    fn speed(&self) -> f64 {
        self.reports.last().map_or(0.0, |report| report.bodies[0].velocity[0])
    }

    fn place(&self) -> f64 {
        self.reports.last().map_or(0.0, |report| report.bodies[0].center[0])
    }

    fn go(&mut self, steps: usize) -> &mut Self {
        for _ in 0..steps {
            let report = step(&self.model, &mut self.state, &mut self.work).unwrap();
            self.model.check_free(&self.state).unwrap();
            assert!(report.gap > 0.0);
            self.reports.push(report);
        }
        self
    }

    /// The mean acceleration of the next steps, in m/s².
    fn acceleration(&mut self, steps: usize) -> f64 {
        let before = self.speed();
        let time = steps as f64 * self.model.params.time.step;
        (self.go(steps).speed() - before) / time
    }
}

fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    let error = found / expected - 1.0;
    println!("{what}: {found:.8}, expected {expected:.8}, error {error:.1e}");
    assert!(error.abs() <= tolerance, "{what}: {found}, expected {expected}, error {error:e}");
}

fn acceleration(mu: f64, slope: f64) -> f64 {
    G * (slope - mu) / (1.0 + slope * slope).sqrt()
}

/// Creep of a law whose peak is at `p`, under a part `phi` of the static limit, in m/s.
fn creep(p: f64, phi: f64) -> f64 {
    p * (1.0 - (1.0 - phi).sqrt())
}

/// V01, V02, V04: blocks stick below tan θ = μ and creep as the law says, and slide beyond with g (sin θ − μ cos θ).
fn incline<const D: usize>() {
    for slope in [0.25, 0.45, 0.49] {
        let mut run = Run::<D>::new(Case::new(0.5, slope));
        let expected = creep(EPS_V, slope / 0.5);
        close(&format!("{D}D, tan {slope}: creep"), run.go(60).speed(), expected, 1e-6);
    }
    for (mu, slope) in [(0.5, 0.51), (0.5, 0.6), (0.09, 0.1)] {
        let mut run = Run::<D>::new(Case::new(mu, slope));
        let found = run.go(20).acceleration(60);
        close(&format!("{D}D, tan {slope}: acceleration"), found, acceleration(mu, slope), 1e-6);
    }
}

#[test]
fn blocks_stick_below_the_threshold_and_slide_beyond_in_2d() {
    incline::<2>();
}

#[test]
fn blocks_stick_below_the_threshold_and_slide_beyond_in_3d() {
    incline::<3>();
}

/// V04 for every integrator.
#[test]
fn every_integrator_creeps_as_the_law_says() {
    for integrator in IntegratorKind::ALL.into_iter().filter(|kind| kind.has_inertia()) {
        for phi in [0.5, 0.9, 0.98] {
            let newmark = integrator.name() == "newmark";
            let case = Case { integrator, ..Case::new(0.5, 0.5 * phi) };
            // As it is by default: Newmark's method rings about the mean for ever.
            let mean = mean_creep(&mut Run::new(case), 200);
            let tolerance = if newmark { 1e-3 } else { 1e-6 };
            close(&format!("{integrator}, load {phi}: creep"), mean, creep(EPS_V, phi), tolerance);
            if newmark {
                // What Newton's method leaves does not go away by itself, and vibrations only by damping.
                let mut run = Run::new(case);
                run.work = support::precise(1e-12);
                // Nor with friction that follows them.
                run.model.params.friction.lag_iterations = 1;
                run.model.rayleigh.beta = vec![1e-2; run.state.q.len()];
                let mean = mean_creep(run.go(400), 2000);
                close(&format!("{integrator}, damped, load {phi}: creep"), mean, creep(EPS_V, phi), 1e-6);
            }
        }
    }
}

/// The mean speed of so many steps, after 200, in m/s.
fn mean_creep(run: &mut Run<2>, steps: usize) -> f64 {
    let before = run.go(200).place();
    (run.go(steps).place() - before) / (steps as f64 * run.model.params.time.step)
}

/// V03 and V05: a block that slides to a stop, and where its energy went.
fn stopping<const D: usize>(integrator: IntegratorKind) -> (f64, Run<D>) {
    let mut run = Run::<D>::new(Case { v0: 1.0, integrator, ..Case::new(0.2, 0.0) });
    let start = run.state.q.iter().zip(run.model.mass.of_nodes()).map(|(x, m)| x[0] * m).sum::<f64>();
    if matches!(integrator, IntegratorKind::Newmark(_)) {
        // Friction acts from the start; without this, the first step is one of implicit Euler, μ g h²/2 short.
        run.state.a = vec![Vector::axis(0) * (-0.2 * G); run.state.q.len()];
        // Normal forces ring, and lagging iterations would make friction ring with them.
        run.model.params.friction.lag_iterations = 1;
    }
    run.go(60);
    let way = run.place() - start / run.model.mass.of_nodes().iter().sum::<f64>();
    println!("{D}D, {integrator}: stops after {way:.6} m, expected {:.6}", 1.0 / (0.4 * G));
    (way, run)
}

#[test]
fn blocks_stop_where_they_should() {
    let expected = 1.0 / (0.4 * G);
    for (integrator, offset, tolerance) in [
        (IntegratorKind::ImplicitEuler, -0.005, 2e-5),
        (IntegratorKind::Bdf2, 0.0, 1e-4),
        (IntegratorKind::Newmark(Newmark::default()), 0.0, 1e-5),
    ] {
        let (way, run) = stopping::<2>(integrator);
        assert!(run.reports.iter().all(|report| report.substeps == 1));
        assert!((way - expected - offset).abs() < tolerance, "{integrator}: {:e}", way - expected - offset);
    }
    let (way, _) = stopping::<3>(IntegratorKind::ImplicitEuler);
    assert!((way - expected + 0.005).abs() < 2e-5, "{:e}", way - expected + 0.005);
}

#[test]
fn energy_becomes_heat() {
    let (_, run) = stopping::<2>(IntegratorKind::ImplicitEuler);
    let heat: f64 = run.reports.iter().map(|report| report.friction.dissipation).sum();
    let mut before = Vector([1.0, 0.0]);
    let mut lost = 0.0;
    for report in &run.reports {
        let v = report.bodies[0].velocity;
        lost += 0.5 * (v - before).norm_squared();
        before = v;
    }
    println!("heat {heat:.6} J, lost to the integrator {lost:.6} J, together {:.9} J of 0.5 J", heat + lost);
    assert!((heat - 0.490_209).abs() < 2e-5 && (lost - 0.009_791).abs() < 2e-5);
    assert!((heat + lost - 0.5).abs() < 1e-5);
}

/// V06b: on the same slope, what rests creeps and what slides goes on.
#[test]
fn friction_depends_on_the_past() {
    for integrator in [IntegratorKind::ImplicitEuler, IntegratorKind::Bdf2] {
        let case = Case { mu: (0.5, 0.3), integrator, ..Case::new(0.5, 0.4) };
        // p of the law that reaches μ_s.
        let p = EPS_V / (1.0 + (2.0_f64 * (1.0 - 0.3 / 0.5)).sqrt());
        let found = Run::<2>::new(case).go(100).speed();
        close(&format!("{integrator}: creep from rest"), found, creep(p, 0.8), 1e-4);
        let found = Run::<2>::new(Case { v0: 0.05, ..case }).go(20).acceleration(60);
        close(&format!("{integrator}: acceleration from 5 cm/s"), found, acceleration(0.3, 0.4), 1e-4);
    }
}

/// V20: normal forces carry the weight, and the gap is positive.
#[test]
fn normal_forces_carry_the_weight() {
    let mut flat = Run::<2>::new(Case::new(0.5, 0.0));
    close("2D: normal force", flat.go(20).reports[19].normal_force, G, 1e-6);
    let mut solid = Run::<3>::new(Case::new(0.5, 0.0));
    close("3D: normal force", solid.go(20).reports[19].normal_force, G, 1e-6);
}

/// V21: a belt takes a block along.
fn belt<const D: usize>() {
    let case = Case::new(0.2, 0.0);
    let mut vertices = vec![Vector::ZERO; D];
    let far = |x: f64, z: f64| {
        let mut place = Vector::ZERO;
        place[0] = x;
        if D == 3 {
            place[2] = z;
        }
        place
    };
    (vertices[0], vertices[1]) = (far(-3.0, -3.0), far(3.0, -3.0));
    let mut band = Body::fixed_shape("belt", vertices);
    if D == 3 {
        band.vertices[2] = far(0.0, 4.0);
        band.triangles = vec![[0, 2, 1]];
    } else {
        band.edges = vec![[0, 1]];
    }
    let bodies = [block::<D>(0.95e-3), band.clone()];
    let x = rest(&bodies, vec![], G);
    let drive = Trajectory::default().with_velocity(Vector::axis(0));
    let moving = Body { prescribed: vec![((0..D as u32).collect(), drive)], ..band };
    let (model, mut state) =
        Model::new(&[bodies[0].clone(), moving], vec![], case.gravity(), case.params()).unwrap();
    state.q = x;
    let mut run = Run { model, state, work: Workspace::default(), reports: vec![] };
    let start: f64 = run.state.q.iter().zip(run.model.mass.of_nodes()).map(|(x, m)| x[0] * m).sum();
    run.go(100);
    // What it lags behind the belt: v²/(2μg), less half a step for implicit Euler.
    let lag = 1.0 - (run.place() - start);
    close(&format!("{D}D: speed on the belt"), run.speed(), 1.0, 1e-5);
    close(&format!("{D}D: lag on the belt"), lag, 1.0 / (0.4 * G) - 0.005, 1e-3);
    let reached = run.reports.iter().find(|report| report.bodies[0].velocity[0] > 1.0 - 2.0 * EPS_V);
    assert!((reached.unwrap().time - 1.0 / (0.2 * G)).abs() < 0.01);
}

#[test]
fn a_belt_takes_a_block_along() {
    belt::<2>();
    belt::<3>();
}

/// V06: a block on a spring that is drawn sticks and slips.
#[test]
fn a_drawn_block_sticks_and_slips() {
    let (stiffness, speed, length) = (100.0, 0.05, 1.0);
    let case = Case { mu: (0.5, 0.3), h: 0.005, integrator: IntegratorKind::Bdf2, ..Case::new(0.5, 0.0) };
    let mut body = block::<2>(0.95e-3);
    let middle = body.vertices.iter().position(|x| x[0] > 0.09 && (x[1] - 0.05).abs() < 0.01).unwrap() as u32;
    let end = body.vertices.len() as u32;
    body.vertices.push(body.vertices[middle as usize] + Vector([length, 0.0]));
    body.edges = vec![[middle, end]];
    // EA/L is the stiffness of the spring.
    body.radius = (stiffness * length / (YOUNG * std::f64::consts::PI)).sqrt();
    body.prescribed = vec![(vec![end], Trajectory::default())];
    let x = rest(std::slice::from_ref(&body), floor(), G);
    body.prescribed = vec![(vec![end], Trajectory::default().with_velocity(Vector([speed, 0.0])))];
    let (model, mut state) = Model::new(&[body], floor(), case.gravity(), case.params()).unwrap();
    state.q = x;
    let mut run = Run { model, state, work: Workspace::default(), reports: vec![] };
    run.go(1200);
    // Slips begin where the block first moves faster than it is drawn.
    let moves: Vec<bool> = run.reports.iter().map(|report| report.bodies[0].velocity[0] > speed).collect();
    let begins: Vec<f64> =
        (1..moves.len()).filter(|k| moves[*k] && !moves[k - 1]).map(|k| run.reports[k].time).collect();
    let periods: Vec<f64> = begins.windows(2).map(|two| two[1] - two[0]).collect();
    println!("slips at {begins:.3?}, periods {periods:.4?}");
    let last = periods[1..].iter().sum::<f64>() / (periods.len() - 1) as f64;
    close("period of stick and slip", last, 1.148_87, 0.02);
}

/// A quasi-static press of two blocks, all sizes in other units: lengths, stiffnesses (with densities and loads), and so many increments.
struct Press {
    length: f64,
    force: f64,
    increments: usize,
}

impl Press {
    fn scene(&self) -> Scene {
        let (l, f) = (self.length, self.force);
        // Loads are forces a metre of depth in 2D, which is no length of the drawing.
        let text = format!(
            "dimension = 2
[time]
integrator = \"quasi_static\"
step = {step}
end = 1.0
[[bodies]]
name = \"lower\"
shape.box = {{ center = [0.0, {low}], size = [{wide}, {high}], cells = [8, 3] }}
material = {{ young = {young}, poisson = 0.3, density = {density} }}
fixed = [\"bottom\"]
[[bodies]]
name = \"upper\"
shape.box = {{ center = [0.0, {up}], size = [{slim}, {high}], cells = [5, 3] }}
material = {{ young = {young}, poisson = 0.3, density = {density} }}
[[bodies.motions]]
side = \"top\"
formula = [\"0\", \"-{press:e} * t\"]
",
            step = 1.0 / self.increments as f64,
            low = -0.15 * l,
            up = 0.1505 * l,
            wide = l,
            slim = 0.6 * l,
            high = 0.3 * l,
            young = 1e6 * f,
            density = 1000.0 * f,
            press = 0.01 * l,
        );
        Scene::parse(&text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The smallest gap as a part of d̂, Newton's iterations, and κ in units of its own.
    fn run(&self) -> (f64, usize, f64) {
        let (model, mut state, mut work) = support::begin::<2>(&self.scene());
        let (mut iterations, mut gap) = (0, 0.0);
        for _ in 0..self.increments {
            let report = step(&model, &mut state, &mut work).unwrap();
            model.check_free(&state).unwrap();
            (iterations, gap) = (iterations + report.iterations, report.gap);
        }
        (gap / model.barrier.dhat(), iterations, state.kappa.unwrap() / model.stiffness.first())
    }
}

#[test]
fn units_do_not_matter() {
    let usual = Press { length: 1.0, force: 1.0, increments: 10 }.run();
    println!("gap {:.6} d̂, {} iterations, κ {} times that of first contact", usual.0, usual.1, usual.2);
    for (length, force) in [(1.0, 1e-6), (1.0, 1e6), (1e-3, 1.0), (1e3, 1.0), (1e-3, 1e6), (1e3, 1e-6)] {
        let (gap, iterations, rise) = Press { length, force, increments: 10 }.run();
        println!("lengths {length:e}, forces {force:e}: gap {gap:.6} d̂, {iterations} iterations, κ {rise}");
        assert!((gap / usual.0 - 1.0).abs() < 0.01 && rise == usual.2);
        assert!((iterations as f64 / usual.1 as f64 - 1.0).abs() < 0.1);
    }
}

#[test]
fn stiffness_does_not_depend_on_how_steps_were_cut() {
    let all = [5, 10, 20, 40].map(|increments| Press { length: 1.0, force: 1.0, increments }.run());
    println!("{all:?}");
    assert!(all.iter().all(|(gap, _, rise)| (gap / all[0].0 - 1.0).abs() < 0.01 && *rise == all[0].2));
}

/// A dead load, quasi-static, with default settings: as many increments as asked for, none in pieces.
#[test]
fn a_dead_load_takes_ten_increments() {
    let text = "dimension = 2
time = { integrator = \"quasi_static\", step = 0.1, end = 1.0 }
friction = { mu = 0.3 }
planes = [{ point = [0.0, 0.0], normal = [0.0, 1.0] }]
[[bodies]]
name = \"block\"
shape.box = { center = [0.0, 0.1005], size = [0.4, 0.2], cells = [8, 4] }
material = { young = 1e6, poisson = 0.3, density = 1000.0 }
loads = [{ side = \"top\", force = [0.0, -4e4], factor = \"t\" }]
";
    let scene = Scene::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let (model, mut state, mut work) = support::begin::<2>(&scene);
    let mut pieces = 0;
    for _ in 0..scene.steps() {
        let report = step(&model, &mut state, &mut work).unwrap();
        model.check_free(&state).unwrap();
        pieces += report.substeps;
        close("normal force", report.normal_force, 4e4 * report.time, 1e-6);
    }
    println!(
        "{pieces} increments, gap {:.3} d̂",
        StepReport::at_start(&model, &state).gap / model.barrier.dhat()
    );
    assert!(pieces <= 12);
}

/// A soft block is pressed and drawn: what holds it back is μ times what presses it.
#[test]
fn a_drawn_block_feels_coulomb_friction() {
    let text = "dimension = 2
time = { integrator = \"quasi_static\", step = 0.05, end = 2.0 }
contact = { line_search_energy = true }
friction = { mu = 0.3, eps_v = 1e-4, lag_iterations = 20 }
planes = [{ point = [0.0, 0.0], normal = [0.0, 1.0] }]
[[bodies]]
name = \"block\"
shape.box = { center = [0.0, 0.1005], size = [0.4, 0.2], cells = [8, 4] }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
[[bodies.motions]]
side = \"top\"
keyframes = [[0.0, 0.0, 0.0], [0.5, 0.0, -0.01], [2.0, 0.06, -0.01]]
";
    let scene = Scene::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let (model, mut state, mut work) = support::begin::<2>(&scene);
    let mut ratio = 0.0;
    for _ in 0..scene.steps() {
        step(&model, &mut state, &mut work).unwrap();
        model.check_free(&state).unwrap();
        let mut forces = vec![Vector::ZERO; state.q.len()];
        model.elastic.gradient(&state.q, 1.0, &mut forces);
        let top = model.boundary.nodes().fold(Vector::ZERO, |sum, v| sum + forces[v as usize]);
        ratio = (top[0] / top[1]).abs();
    }
    close("Ft/Fn", ratio, 0.3, 5e-3);
}

/// A sheet that is driven under a trust region arrives exactly, or the motion is reported as blocked.
#[test]
fn a_trust_region_does_not_swallow_motion() {
    let text = |floor: f64| {
        format!(
            "dimension = 3
time = {{ step = 0.02, end = 0.4 }}
contact = {{ use_ogc = true, dhat = 5e-3 }}
planes = [{{ point = [0.0, {floor}, 0.0], normal = [0.0, 1.0, 0.0] }}]
[[bodies]]
name = \"sheet\"
shape.sheet = {{ center = [0.0, 0.1, 0.0], size = [0.4, 0.4], cells = [4, 4] }}
material = {{ young = 1e6, poisson = 0.3, density = 500.0 }}
thickness = 2e-3
[[bodies.motions]]
side = \"left\"
keyframes = [[0.0, 0.0, 0.0, 0.0], [0.4, 0.0, -0.08, 0.0]]
"
        )
    };
    let (model, mut state, mut work) = support::begin::<3>(&Scene::parse(&text(0.0)).unwrap());
    for _ in 0..20 {
        step(&model, &mut state, &mut work).unwrap();
        model.check_free(&state).unwrap();
        for (vertex, target) in model.boundary.targets(model.surface.rest(), state.time) {
            assert_eq!(state.q[vertex as usize], target);
        }
    }
    // A floor in the way.
    let (model, mut state, mut work) = support::begin::<3>(&Scene::parse(&text(0.06)).unwrap());
    let error = (0..20).find_map(|_| {
        let before = state.clone();
        step(&model, &mut state, &mut work).err().inspect(|_| assert_eq!(state, before))
    });
    let message = error.expect("the floor is in the way").to_string();
    assert!(message.contains("is blocked"), "{message}");
}
