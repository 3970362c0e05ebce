//! Forces of contacts: they balance, add up, and are those of closed forms.

use std::path::Path;

use crate::support;
use stiction::friction::Side;
use stiction::math::Vector;
use stiction_sim::fields::{FieldChoice, FieldKind, Fields};
use stiction_sim::forces::{ContactForces, areas_at};
use stiction_sim::model::{Body, Model};
use stiction_sim::obstacles::Obstacles;
use stiction_sim::params::{Params, TimeParams};
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::state::State;
use stiction_sim::step::step;

/// Steps that a scene makes at most until something is in contact.
const UNTIL_CONTACT: usize = 150;

/// The largest part of a body's weight, or of the forces on it, that forces on it do not balance.
fn imbalance<const D: usize>(model: &Model<D>, state: &State<D>, report: &StepReport<D>) -> f64 {
    let loads = model.loads.forces(&state.q, model.mass.of_nodes(), state.time);
    let mut worst = 0.0_f64;
    for (body, part) in model.parts.iter().enumerate() {
        let masses = model.mass.of_nodes();
        let inertia = part.nodes.clone().fold(Vector::ZERO, |sum, i| {
            let load = loads.get(i).copied().unwrap_or(Vector::ZERO);
            sum + (state.acceleration[i] - model.gravity) * masses[i] - load
        });
        let load = &report.forces.bodies[body];
        let drives = report.forces.drives.iter().filter(|drive| drive.body == body);
        let drive = drives.fold(Vector::ZERO, |sum, drive| sum + drive.force);
        // Fixed shapes and sides without a motion are held by what nobody reports.
        let held = part.nodes.clone().any(|i| !model.constraints.free()[i]);
        if held
            && part.motions.iter().map(|motion| motion.nodes.len()).sum::<usize>() < prescribed(model, body)
        {
            continue;
        }
        let weight: f64 = part.nodes.clone().map(|i| masses[i]).sum::<f64>() * model.gravity.norm();
        let size = weight.max(load.normal_force);
        worst = worst.max((load.force() + drive - inertia).norm() / size.max(1e-300));
    }
    worst
}

fn prescribed<const D: usize>(model: &Model<D>, body: usize) -> usize {
    model.boundary.nodes().filter(|node| model.parts[body].nodes.contains(&(*node as usize))).count()
}

/// Runs a scene until there is contact, and a few steps precisely: forces on each body are its mass times its acceleration less gravity.
fn balances<const D: usize>(name: &str) {
    let scene = support::scene(name);
    let (model, mut state, mut work) = support::begin::<D>(&scene);
    for _ in 0..UNTIL_CONTACT {
        let report = step(&model, &mut state, &mut work).unwrap();
        if report.normal_force > 0.0 && report.step > 2 {
            break;
        }
    }
    let mut precise = support::precise(1e-11);
    for _ in 0..2 {
        let report = step(&model, &mut state, &mut precise).unwrap();
        let worst = imbalance(&model, &state, &report);
        println!("{name}: {:.3e} N of contact, imbalance {worst:.1e}", report.normal_force);
        assert!(worst < 1e-8, "{name}: forces do not balance by {worst:e}");
        adds_up(&model, &state, &report);
    }
}

/// Pressure times area is the normal force, pairs sum up to bodies and obstacles, and what acts on one side acts on the other.
fn adds_up<const D: usize>(model: &Model<D>, state: &State<D>, report: &StepReport<D>) {
    let forces = ContactForces::of(model, state).unwrap();
    let fields = Fields::of(model, state, &forces, &FieldChoice::these([FieldKind::ContactPressure]));
    let areas = areas_at(model, &model.surface_at(&state.q));
    let total = report.normal_force.max(1e-300);
    for (body, part) in model.parts.iter().enumerate() {
        let load = &report.forces.bodies[body];
        let own = Side::Body(body as u32);
        let of_body = forces.contacts.iter().filter(|contact| contact.sides.contains(&own));
        let twice = |sides: [Side; 2]| if sides == [own; 2] { 2.0 } else { 1.0 };
        let expected: f64 = of_body.map(|contact| contact.normal_force * twice(contact.sides)).sum();
        let pressed: f64 = part
            .vertices
            .clone()
            .filter(|i| areas[*i] > 0.0)
            .map(|i| fields.list[0].values[i] * areas[i])
            .sum();
        assert!((pressed - expected).abs() <= 1e-10 * total, "{}: {pressed} N, {expected} N", part.name);
        let mut sum = Vector::ZERO;
        for pair in report.forces.pairs.iter().filter(|pair| pair.sides[0] != pair.sides[1]) {
            let sign = f64::from(i8::from(pair.sides[0] == own) - i8::from(pair.sides[1] == own));
            sum += pair.load.force() * sign;
        }
        assert!((sum - load.force()).norm() <= 1e-8 * total, "{}: {sum:?} {:?}", part.name, load.force());
    }
    for (number, load) in report.forces.obstacles.iter().enumerate() {
        let of = |pair: &&stiction_sim::forces::PairLoad<D>| pair.sides[1] == Side::Obstacle(number as u32);
        let sum =
            report.forces.pairs.iter().filter(of).fold(Vector::ZERO, |sum, pair| sum + pair.load.force());
        assert!((sum + load.force()).norm() <= 1e-10 * total);
    }
}

#[test]
fn forces_balance_in_flat_scenes() {
    for name in [
        "slide-2d",
        "stick-2d",
        "rub-2d",
        "stack-2d",
        "cards-2d",
        "arch-2d",
        "squeeze-2d",
        "rollers-2d",
        "press-2d",
    ] {
        balances::<2>(&format!("{name}.toml"));
    }
}

#[test]
fn forces_balance_in_space() {
    for name in ["slide-3d", "stick-3d", "rub-3d", "stack-3d", "squeeze-3d", "knobs-3d"] {
        balances::<3>(&format!("{name}.toml"));
    }
}

#[test]
fn forces_balance_on_sheets_and_rods() {
    for name in ["drape-3d", "knives-3d", "sphere-3d", "twist-3d"] {
        balances::<3>(&format!("{name}.toml"));
    }
}

const CLAMP: &str = r#"
dimension = 2
time = { step = 0.1, end = 2.0, integrator = "quasi_static" }
contact.dhat = 1e-3
friction.mu = 0.3
solver.tolerance = 1e-10
[[bodies]]
name = "block"
shape.box = { center = [0.0, 0.1006], size = [0.4, 0.2], cells = [8, 4] }
material = { young = 1e6, poisson = 0.3, density = 1000.0 }
[[bodies]]
name = "plate"
shape.box = { center = [0.0, 0.2512], size = [0.6, 0.1], cells = [3, 1] }
static = true
[[bodies.motions]]
keyframes = [[0.0, 0.0, 0.0], [2.0, 0.0, -0.01]]
[[planes]]
name = "table"
point = [0.0, 0.0]
normal = [0.0, 1.0]
"#;

/// Between two plates each reports what it carries, and the drive what it takes to push.
#[test]
fn a_clamp_reports_the_force_of_its_plates() {
    let finished = support::run_text::<2>("clamp", CLAMP);
    let report = &finished.reports[finished.reports.len() - 1];
    let (block, plate) = (&report.forces.bodies[0], &report.forces.bodies[1]);
    let (table, drive) = (&report.forces.obstacles[0], &report.forces.drives[0]);
    // Friction holds the ends: between plane strain without it, E/(1 − ν²) ε A, and no strain across, E (1 − ν)/((1 + ν)(1 − 2ν)) ε A.
    let (strain, area) = (0.0094 / 0.2, 0.4);
    let (plain, held) = (1e6 / (1.0 - 0.09) * strain * area, 1e6 * 0.7 / (1.3 * 0.4) * strain * area);
    assert!((plain..held).contains(&plate.force()[1]), "{} N, {plain} to {held} N", plate.force()[1]);
    let close = |a: f64, b: f64| (a - b).abs() < 1e-5 * plain;
    assert!(close(table.force()[1], -plate.force()[1]), "{} {}", table.force()[1], plate.force()[1]);
    assert!(close(drive.force[1], -plate.force()[1]), "{} {}", drive.force[1], plate.force()[1]);
    assert!(block.force().norm() < 1e-5 * plain);
    // Magnitudes add up, and forces of opposite sides do not.
    assert!(close(block.normal_force, plate.normal_force + table.normal_force));
    // Contacts at corners are tilted a little: magnitudes are more than their resultant.
    let tilt = plate.normal_force / plate.force()[1];
    assert!((1.0..1.01).contains(&tilt), "{tilt}");
    // Both sides, which have become a little wider.
    assert!((0.8..0.81).contains(&block.area), "{} m²", block.area);
    assert!(report.forces.pairs.len() == 2 && plate.stick_share > 0.5);
}

/// A block of graded rectangles: fine under the middle of its upper side.
fn graded(half: f64, fine: f64, count: usize) -> Body<2> {
    let mut xs = vec![0.0_f64];
    let mut size = fine;
    while xs[xs.len() - 1] < half {
        if xs.len() > count {
            size *= 1.12;
        }
        xs.push(xs[xs.len() - 1] + size.min(3.5e-3));
    }
    let depth: Vec<f64> = {
        let (mut out, mut size) = (vec![0.0], fine);
        while out[out.len() - 1] < half {
            if out.len() > count / 2 {
                size *= 1.2;
            }
            out.push(out[out.len() - 1] + size.min(3.5e-3));
        }
        out
    };
    let all: Vec<f64> = xs.iter().skip(1).rev().map(|x| -x).chain(xs.iter().copied()).collect();
    let (nx, ny) = (all.len(), depth.len());
    let bottom = depth[ny - 1];
    let vertices =
        depth.iter().rev().flat_map(|d| all.iter().map(move |x| Vector([*x, bottom - d - bottom])));
    let at = |i: usize, j: usize| (j * nx + i) as u32;
    let mut body =
        Body::new("block", vertices.collect(), stiction_sim::material::Lame::new(1e6, 0.3).unwrap(), 1000.0);
    for j in 0..ny - 1 {
        for i in 0..nx - 1 {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            // Alternating diagonals: no direction is preferred.
            if (i + j) % 2 == 0 {
                body.triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                body.triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    body.prescribed.push(((0..nx as u32).collect(), stiction_sim::boundary::Trajectory::default()));
    body
}

/// A rigid cylinder on a half-plane: p = p₀ √(1 − x²/a²) with a = √(4 P R/(π E*)), p₀ = 2 P/(π a), E* = E/(1 − ν²). \[V09\]
#[test]
fn the_pressure_under_a_cylinder_is_that_of_hertz() {
    let (radius, dhat, push) = (0.1, 5e-5, 5e-4);
    let disc = stiction::obstacle::Sphere::new(Vector([0.0, radius + 1.2 * dhat]), radius).unwrap();
    let way = stiction_sim::boundary::Trajectory::new(vec![
        (0.0, Vector::ZERO),
        (1.0, Vector([0.0, -1.2 * dhat - push])),
    ])
    .unwrap();
    let mut obstacles = Obstacles::default();
    obstacles.push(stiction::obstacle::Obstacle::Sphere(disc), way).unwrap();
    let mut params = Params { time: TimeParams { step: 0.25, ..TimeParams::default() }, ..Params::default() };
    params.time.integrator = stiction_sim::integrator::IntegratorKind::QuasiStatic;
    params.contact.dhat = dhat;
    params.contact.dhat_is_relative = false;
    let body = graded(0.12, 4.5e-4, 24);
    let (model, mut state) = Model::new(&[body], obstacles, Vector::ZERO, params).unwrap();
    let mut work = support::precise(1e-9);
    let mut report = StepReport::at_start(&model, &state);
    for _ in 0..4 {
        report = step(&model, &mut state, &mut work).unwrap();
    }
    // The block pushes the cylinder up.
    let force = report.forces.obstacles[0].force()[1];
    let modulus = 1e6 / (1.0 - 0.09);
    let a = (4.0 * force * radius / (std::f64::consts::PI * modulus)).sqrt();
    let p0 = 2.0 * force / (std::f64::consts::PI * a);
    let forces = ContactForces::of(&model, &state).unwrap();
    let fields = Fields::of(&model, &state, &forces, &FieldChoice::these([FieldKind::ContactPressure]));
    let pressure = &fields.list[0].values;
    let points: Vec<(f64, f64)> =
        state.q.iter().zip(pressure).filter(|(_, p)| **p > 0.0).map(|(q, p)| (q[0], *p)).collect();
    // p² is a straight line over x².
    let inside: Vec<_> =
        points.iter().filter(|(x, _)| x.abs() < 0.9 * a).map(|(x, p)| (x * x, p * p)).collect();
    let n = inside.len() as f64;
    let (sx, sy) = inside.iter().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x, sy + y));
    let (sxx, sxy) = inside.iter().fold((0.0, 0.0), |(xx, xy), (x, y)| (xx + x * x, xy + x * y));
    let slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    let (peak, width) = (((sy - slope * sx) / n).sqrt(), (-(sy - slope * sx) / n / slope).sqrt());
    println!(
        "P = {force:.2} N/m over {n} vertices: p₀ {peak:.1} Pa, Hertz {p0:.1} ({:+.2} %); a {width:.4e} m, Hertz {a:.4e} ({:+.2} %)",
        100.0 * (peak / p0 - 1.0),
        100.0 * (width / a - 1.0)
    );
    assert!((peak / p0 - 1.0).abs() < 0.02 && (width / a - 1.0).abs() < 0.02);
    let sum: f64 = pressure.iter().zip(areas_at(&model, &state.q)).map(|(p, area)| p * area).sum();
    assert!((sum - report.normal_force).abs() < 1e-10 * sum);
}

/// Forces are those of the state, whoever made it: saved and loaded they are the same, bit by bit.
#[test]
fn forces_survive_a_file() {
    let (model, mut state, mut work) = support::begin::<2>(&support::scene("rub-2d.toml"));
    for _ in 0..12 {
        step(&model, &mut state, &mut work).unwrap();
    }
    let before = ContactForces::of(&model, &state).unwrap();
    assert!(before.friction.iter().any(|force| *force != Vector::ZERO));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("forces.bin");
    state.save(&path, &model).unwrap();
    let loaded = State::load(&path, &model).unwrap();
    assert_eq!(ContactForces::of(&model, &loaded).unwrap(), before);
}

/// Names of obstacles are those of the scene, or counted; one that is taken is refused.
#[test]
fn obstacles_have_names() {
    let more = "\n[[planes]]\npoint = [0.0, -1.0]\nnormal = [0.0, 1.0]\n";
    let scene = Scene::parse(&format!("{CLAMP}{more}")).unwrap();
    let (model, _) = scene.placed::<2>().unwrap();
    assert_eq!(model.obstacle_names(), ["table", "plane1"]);
    let error = Scene::parse(&CLAMP.replace("\"table\"", "\"block\"")).unwrap_err().to_string();
    assert!(error.contains("planes[0].name") && error.contains("block"), "{error}");
}

/// A corner of two fixed sides belongs to the later one only: together the sides carry the weight.
#[test]
fn nodes_of_two_sides_are_held_once() {
    let text = r#"
dimension = 2
gravity = [0.0, -9.81]
time = { step = 0.1, end = 0.5, integrator = "quasi_static" }
solver.tolerance = 1e-10
[[bodies]]
name = "block"
shape.box = { center = [0.0, 0.1], size = [0.2, 0.2], cells = [4, 4] }
material = { young = 1e6, poisson = 0.3, density = 1000.0 }
fixed = ["left", "bottom"]
"#;
    let finished = support::run_text::<2>("fixed", text);
    let drives = &finished.reports[finished.reports.len() - 1].forces.drives;
    let sum = drives.iter().fold(Vector::ZERO, |sum, drive| sum + drive.force);
    assert_eq!(drives.len(), 2);
    assert!((sum - Vector([0.0, 0.04 * 1000.0 * 9.81])).norm() < 1e-6, "{sum:?}");
}

/// Heat of all substeps counts, of each body, obstacle and pair.
#[test]
fn heat_of_substeps_adds_up() {
    let text = support::scene("rub-2d.toml").text().to_owned();
    let text = text
        .replace("[time]", "[time]\nintegrator = \"implicit_euler\"")
        .replace("[contact]", "[solver]\nmax_iterations = 4\n[contact]\nsettle = false")
        .replace("[friction]", "[friction]\nlag_iterations = 1");
    let (model, mut state, mut work) = support::begin::<2>(&Scene::parse(&text).unwrap());
    let mut divided = 0;
    for _ in 0..20 {
        let report = step(&model, &mut state, &mut work).unwrap();
        let heat = report.friction.dissipation;
        let pairs: f64 = report.forces.pairs.iter().map(|pair| pair.load.heat).sum();
        let bodies: f64 = report.forces.bodies.iter().map(|load| load.heat).sum();
        assert!((pairs - heat).abs() <= 1e-9 * heat.abs() + 1e-15, "{pairs} J of {heat} J");
        assert!((bodies - 2.0 * heat).abs() <= 1e-9 * heat.abs() + 1e-15);
        divided += usize::from(report.substeps > 1);
    }
    assert!(divided > 0);
}

/// A surface that a coarse mesh carries has the stress of the mesh.
#[test]
fn carried_surfaces_have_stress() {
    let (model, mut state, mut work) = support::begin::<3>(&support::scene("knobs-3d.toml"));
    for _ in 0..5 {
        step(&model, &mut state, &mut work).unwrap();
    }
    let forces = ContactForces::of(&model, &state).unwrap();
    let fields = Fields::of(&model, &state, &forces, &FieldChoice::these([FieldKind::VonMises]));
    let (none, all) =
        (fields.list[0].values.iter().filter(|stress| **stress <= 0.0).count(), fields.list[0].values.len());
    assert!(all > 500 && none == 0, "{none} of {all} cells have no stress");
}
