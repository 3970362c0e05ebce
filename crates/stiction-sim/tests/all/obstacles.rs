//! Obstacles that move, and round ones, against closed forms.

use crate::support::{Finished, begin, run, run_text};
use stiction_sim::error::Error;
use stiction_sim::scene::Scene;
use stiction_sim::step::step;

const G: f64 = 9.81;

/// A block 0.2 m long with this centre, and an obstacle.
fn scene<const D: usize>(mu: f64, time: &str, block: (&str, &str), obstacle: &str) -> String {
    let (center, more) = block;
    let (gravity, size, cells) = if D == 2 {
        ("[0.0, -9.81]", "[0.2, 0.1]", "[4, 2]")
    } else {
        ("[0.0, -9.81, 0.0]", "[0.2, 0.1, 0.1]", "[4, 2, 2]")
    };
    // The closed forms below count what implicit Euler loses.
    let euler = if time.contains("integrator") { "" } else { "integrator = \"implicit_euler\", " };
    format!(
        "dimension = {D}\ngravity = {gravity}\ntime = {{ {euler}{time} }}\ncontact.dhat = 1e-3\nfriction = {{ mu = {mu} }}\n\
         [[bodies]]\nname = \"block\"\nmaterial = {{ young = 1e8, poisson = 0.3, density = 1000.0 }}\n\
         shape.box = {{ center = {center}, size = {size}, cells = {cells} }}\n{more}\n{obstacle}"
    )
}

/// Energy at the end is that at the start and the work less the heat, but for what implicit Euler loses.
fn energy_lost<const D: usize>(finished: &Finished<D>) -> f64 {
    let reports = &finished.reports;
    let work: f64 = reports.iter().map(|report| report.work + report.stiffness_work).sum();
    let heat: f64 = reports.iter().map(|report| report.friction.dissipation).sum();
    reports[0].energies.total() + work - heat - reports[reports.len() - 1].energies.total()
}

/// V21 with a plane that runs along itself.
fn belt<const D: usize>() {
    let z = if D == 2 { "" } else { ", 0.0" };
    let text = scene::<D>(
        0.2,
        "step = 0.01, end = 1.2 }\nsolver = { tolerance = 1e-9",
        (&format!("[0.0, 0.051{z}]"), ""),
        &format!(
            "[[planes]]\npoint = [0.0, 0.0{z}]\nnormal = [0.0, 1.0{z}]\nmotion.keyframes = [[0.2, 0.0, 0.0{z}], [1.2, 1.0, 0.0{z}]]"
        ),
    );
    let finished = run_text::<D>("belt", &text);
    // It has come to rest when the belt begins.
    let end = &finished.reports[120];
    let (x, v) = (end.bodies[0].center[0], end.bodies[0].velocity[0]);
    let lag = 1.0 / (2.0 * 0.2 * G) - 0.005;
    println!("{D}D: on the belt {v} m/s, {} m behind it for {lag}", 1.0 - x);
    assert!((v - 1.0).abs() < 1e-4 && (1.0 - x - lag).abs() < 1e-3 * lag);
    // Half of the work of the belt becomes motion, half heat.
    let work: f64 = finished.reports.iter().map(|report| report.work).sum();
    let mass: f64 = finished.model.mass.of_nodes().iter().sum();
    println!("{D}D: work of the belt {work} J for {mass} J");
    assert!((work - mass).abs() < 1e-9 * mass);
    assert!((-1e-9..0.02 * mass).contains(&energy_lost(&finished)));
}

#[test]
fn a_plane_that_runs_along_itself_is_a_belt() {
    belt::<2>();
    belt::<3>();
}

/// A plane that rises takes a block up, and does the work of lifting it.
fn lift<const D: usize>() {
    let z = if D == 2 { "" } else { ", 0.0" };
    let text = scene::<D>(
        0.2,
        "step = 0.01, end = 1.0",
        (&format!("[0.0, 0.051{z}]"), ""),
        &format!(
            "[[planes]]\npoint = [0.0, 0.0{z}]\nnormal = [0.0, 1.0{z}]\n\
             motion.formula = [\"0\", \"0.1 * (1 - cos(pi * t))\"{}]",
            if D == 2 { "" } else { ", \"0\"" }
        ),
    );
    let finished = run_text::<D>("lift", &text);
    let (start, end) = (&finished.reports[0], &finished.reports[100]);
    let risen = end.bodies[0].center[1] - start.bodies[0].center[1];
    let work: f64 = finished.reports.iter().map(|report| report.work).sum();
    let mass: f64 = finished.model.mass.of_nodes().iter().sum();
    println!("{D}D: risen by {risen} m with {work} J for {} J", mass * G * 0.2);
    assert!((risen - 0.2).abs() < 1e-3, "{risen}");
    assert!((work - mass * G * 0.2).abs() < 0.02 * mass * G * 0.2, "{work}");
    assert!(finished.model.obstacles.at(1.0)[0].point()[1] == 0.2);
}

#[test]
fn a_plane_lifts_a_block() {
    lift::<2>();
    lift::<3>();
}

/// On a turntable a block stays where ω² r < μ g, and leaves where not.
#[test]
fn a_turntable_holds_what_is_close_to_its_axis() {
    let go = |degrees: f64, point: &str| {
        let text = scene::<3>(
            0.5,
            "step = 0.01, end = 1.5",
            ("[0.5, 0.051, 0.0]", ""),
            &format!(
                "[[planes]]\npoint = {point}\nnormal = [0.0, 1.0, 0.0]\n\
                 motion.rotation = {{ point = [0.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0], formula = \"{degrees} * t^2 / 2\" }}"
            ),
        );
        run_text::<3>("turntable", &text)
    };
    // Both reach their speeds ω = ω̇ t at 1.5 s; at r = 0.5 m the limit is √(μ g/r) = 3.13 rad/s.
    for (rate, stays) in [(1.2_f64, true), (4.0, false)] {
        let finished = go(rate.to_degrees(), "[0.0, 0.0, 0.0]");
        let end = finished.reports[150].bodies[0].center;
        let (radius, angle) = (end[0].hypot(end[2]), (-end[2]).atan2(end[0]));
        println!("turntable at {rate} rad/s²: r = {radius} m, angle {angle} for {}", rate * 1.125);
        // The same plane by another of its points.
        let again = go(rate.to_degrees(), "[7.0, 0.0, -3.0]").reports[150].bodies[0].center;
        assert!((again - end).norm() < 1e-6, "{:e}", (again - end).norm());
        let (lost, kinetic) = (energy_lost(&finished), finished.reports[150].energies.kinetic);
        println!("turntable: {lost} J lost, {kinetic} J of motion");
        assert!(lost > -1e-9 * kinetic);
        if stays {
            assert!(lost < 0.05 * kinetic, "{lost}");
            // Implicit Euler drifts outwards: each step ends on the tangent, h ω²/2 of the radius a second.
            assert!((radius - 0.5).abs() < 0.01, "{radius}");
            assert!((angle - rate * 1.125).abs() < 0.02, "{angle}");
        } else {
            assert!(radius > 0.6, "{radius}");
        }
    }
}

/// What a ball puts into a damped block comes back but for heat; then the belt under it runs.
#[test]
fn a_ball_presses_a_damped_block() {
    let finished = run::<2>("press-2d.toml");
    let (pressed, left) = (&finished.reports[50], &finished.reports[100]);
    let work = |to: usize| finished.reports[..=to].iter().map(|report| report.work).sum::<f64>();
    let heat: f64 = finished.reports[..=100].iter().map(|report| report.damping_heat).sum();
    let elastic = pressed.energies.elastic;
    println!(
        "work {} J, {elastic} J stored; {} J given back, {heat} J of heat",
        work(50),
        work(50) - work(100)
    );
    assert!(elastic > 0.8 * work(50) && left.energies.elastic < 0.05 * elastic);
    assert!(heat > 0.0 && work(100) > 0.9 * heat && work(100) < 0.5 * work(50));
    let end = finished.reports.last().unwrap().bodies[0].clone();
    println!("taken along to {} m at {} m/s", end.center[0], end.velocity[0]);
    assert!((end.velocity[0] - 0.5).abs() < 0.05 && end.center[0] > 0.2);
}

/// Zero crossings of the plank's motion about the middle.
fn quarter_periods<const D: usize>(finished: &Finished<D>) -> Vec<f64> {
    let x = |k: usize| finished.reports[k].bodies[0].center[0];
    let steps = 1..finished.reports.len();
    let crossing = |k: usize| {
        let (a, b) = (x(k - 1), x(k));
        finished.reports[k - 1].time + finished.model.params.time.step * a / (a - b)
    };
    steps.filter(|&k| (x(k - 1) > 0.0) != (x(k) > 0.0)).map(crossing).collect()
}

/// Friction of two rollers is a spring: half a period between zeros.
#[test]
fn rollers_draw_a_plank_to_and_fro() {
    let half = std::f64::consts::PI / (0.3 * G / (0.4 - 0.3 * 0.03_f64)).sqrt();
    let flat = run::<2>("rollers-2d.toml");
    let heat: f64 = flat.reports.iter().map(|report| report.friction.dissipation).sum();
    println!("2D: {} J lost of {heat} J of heat", energy_lost(&flat));
    assert!((0.0..0.02 * heat).contains(&energy_lost(&flat)));
    let zeros = quarter_periods(&flat);
    println!("2D: zeros at {zeros:?}, half a period is {half}");
    assert!(zeros.len() >= 2 && ((zeros[1] - zeros[0]) / half - 1.0).abs() < 0.01);
    assert!(flat.reports.iter().all(|report| report.contacts.pairs() == 0));
    let mut text = crate::support::scene("rollers-2d.toml").text().to_owned();
    for (from, to) in [
        ("dimension = 2", "dimension = 3"),
        ("gravity = [0.0, -9.81]", "gravity = [0.0, -9.81, 0.0]"),
        (
            "center = [0.1, 0.035], size = [2.0, 0.06], cells = [200, 1]",
            "center = [0.1, 0.035, 0.0], size = [2.0, 0.06, 0.02], cells = [200, 1, 1]",
        ),
        ("step = 0.005\nend = 3.0", "step = 0.01\nend = 2.0"),
        ("[[spheres]]", "[[cylinders]]\naxis = [0.0, 0.0, 1.0]"),
        ("center = [-0.4, -0.35]", "point = [-0.4, -0.35, 0.0]"),
        ("center = [0.4, -0.35]", "point = [0.4, -0.35, 0.0]"),
        ("{ point = [-0.4, -0.35],", "{ point = [-0.4, -0.35, 0.0], axis = [0.0, 0.0, 1.0],"),
        ("{ point = [0.4, -0.35],", "{ point = [0.4, -0.35, 0.0], axis = [0.0, 0.0, 1.0],"),
    ] {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let zeros = quarter_periods(&run_text::<3>("rollers in 3D", &text));
    println!("3D: zeros at {zeros:?}");
    assert!(zeros.len() >= 2 && ((zeros[1] - zeros[0]) / half - 1.0).abs() < 0.01);
}

/// A ball pushes a block along; nothing ever touches.
fn push<const D: usize>(more: &str) {
    let z = if D == 2 { "" } else { ", 0.0" };
    let mut text = scene::<D>(
        0.1,
        &format!("step = 0.01, end = 1.0{more}"),
        (&format!("[0.0, 0.051{z}]"), ""),
        &format!(
            "[[planes]]\npoint = [0.0, 0.0{z}]\nnormal = [0.0, 1.0{z}]\n\
             [[spheres]]\ncenter = [-1.0, 0.05{z}]\nradius = 1.2\nmotion.velocity = [0.3, 0.0{z}]\n\
             motion.keyframes = [[0.0, -0.35, 0.0{z}]]"
        ),
    );
    text = text.replace("cells = [4, 2", "cells = [4, 4").replace("4, 4, 2]", "4, 4, 4]");
    let finished = run_text::<D>("push", &text);
    let end = &finished.reports[100].bodies[0];
    println!("{D}D{more}: pushed to {} m at {} m/s", end.center[0], end.velocity[0]);
    // The ball begins 0.05 m away, 0.35 m before its place at rest, and goes 0.3 m.
    // What keeps energy bounces ahead.
    let bounces = ["bdf2", "newmark"].iter().any(|name| more.contains(name));
    let ahead = end.center[0] - 0.25;
    assert!((-2e-3..if bounces { 0.2 } else { 2e-3 }).contains(&ahead), "{ahead}");
    assert!(bounces || (end.velocity[0] - 0.3).abs() < 0.01);
}

#[test]
fn a_ball_pushes_a_block_along() {
    push::<2>("");
    push::<3>("");
    for integrator in ["bdf2", "newmark", "quasi_static"] {
        push::<2>(&format!(", integrator = \"{integrator}\""));
    }
    push::<2>(" }\ncontact.use_ogc = true\ncontact.dmin = 1e-4\nsolver = { retries = 3");
    // So few iterations that some steps are made in pieces.
    push::<2>(" }\nsolver = { max_iterations = 6");
}

#[test]
fn an_obstacle_that_is_blocked_is_reported_and_changes_nothing() {
    let plane = "[[planes]]\npoint = [0.0, 0.3]\nnormal = [0.0, -1.0]\n\
                 motion.keyframes = [[0.0, 0.0, 0.0], [0.01, 0.0, -0.01], [0.02, 0.0, -0.35]]";
    let text = scene::<2>(0.1, "step = 0.01, end = 1.0", ("[0.0, 0.05]", "fixed = [\"bottom\"]"), plane);
    let text = text.replace("[[bodies]]", "solver.retries = 1\n[[bodies]]");
    let (model, mut state, mut work) = begin::<2>(&Scene::parse(&text).unwrap());
    step(&model, &mut state, &mut work).unwrap();
    let before = state.clone();
    let error = step(&model, &mut state, &mut work).unwrap_err();
    let Error::InSubsteps { first, .. } = &error else { panic!("{error}") };
    assert!(matches!(**first, Error::ObstacleBlocked { step: 2, obstacle: 0, .. }), "{error}");
    assert_eq!(before, state);
}

/// A soft block pressed so hard onto a disc that the disc reaches its edges between the vertices: the reason is named.
#[test]
fn what_is_met_between_vertices_is_named() {
    let text = scene::<2>(
        0.0,
        "step = 0.01, end = 1.0, integrator = \"quasi_static\"",
        (
            "[0.0, 0.051]",
            "[[bodies.motions]]\nside = \"top\"\nkeyframes = [[0.0, 0.0, 0.0], [1.0, 0.0, -0.08]]",
        ),
        "[[spheres]]\ncenter = [0.025, -1.0]\nradius = 1.0",
    );
    let text = text
        .replace("cells = [4, 2]", "cells = [4, 4]")
        .replace("[[bodies]]", "solver.retries = 1\n[[bodies]]");
    let (model, mut state, mut work) = begin::<2>(&Scene::parse(&text).unwrap());
    let error = loop {
        let before = state.clone();
        match step(&model, &mut state, &mut work) {
            Ok(report) => assert!(report.step < 100, "nothing was met"),
            Err(error) => {
                assert_eq!(before, state);
                break error;
            }
        }
        model.check_free(&state).unwrap();
    };
    println!("{error}");
    assert!(error.to_string().contains("between their vertices"), "{error}");
    // Another failure on a ball is not blamed on it.
    let text = scene::<2>(
        0.5,
        "step = 0.01, end = 1.0",
        ("[0.0, 0.051]", ""),
        "[[spheres]]\ncenter = [0.025, -1.0]\nradius = 1.0\n[solver]\nmax_iterations = 1\nretries = 0",
    );
    let text = text.replace("cells = [4, 2]", "cells = [4, 4]");
    let (model, mut state, mut work) = begin::<2>(&Scene::parse(&text).unwrap());
    let error = (0..20).find_map(|_| step(&model, &mut state, &mut work).err()).unwrap();
    assert!(matches!(error, Error::NotConverged { .. }), "{error}");
}

#[test]
fn bad_obstacles_are_refused_at_their_keys() {
    let refused = |obstacle: &str| {
        let text = scene::<2>(0.1, "step = 0.01, end = 1.0", ("[0.0, 0.051]", ""), obstacle);
        Scene::parse(&text).and_then(|scene| scene.build::<2>()).unwrap_err().to_string()
    };
    for (obstacle, words) in [
        ("[[spheres]]\ncenter = [0.0, -1.0]\nradius = 0.0", "radius"),
        ("[[spheres]]\ncenter = [0.01, 0.055]\nradius = 0.01", "obstacle 0 is inside body \"block\""),
        ("[[spheres]]\ncenter = [0.0, 0.0]\nradius = 0.01", "obstacle 0"),
        ("[[spheres]]\ncenter = [0.0, -0.2]\nradius = 0.1", "vertices alone"),
        ("[[cylinders]]\npoint = [0.0, -1.0]\naxis = [0.0, 1.0]\nradius = 0.1", "only in 3D"),
        ("[[planes]]\npoint = [0.0, 0.0]\nnormal = [0.0, 1.0]\nmotion.side = \"top\"", "as a whole"),
        ("[[planes]]\npoint = [0.0, 0.0]\nnormal = [0.0, 1.0]\nmotion = {}", "moves nothing"),
        (
            "[[planes]]\npoint = [0.0, 0.0]\nnormal = [0.0, 1.0]\nmotion.formula = [\"0\", \"log(t)\"]",
            "planes[0].motion: the motion of obstacle 0 is no number at 0 s",
        ),
        (
            "[[planes]]\npoint = [0.0, 0.0]\nnormal = [0.0, 1.0]\nmotion.rotation = { point = [0.0, 0.0], degrees_per_second = 1.0 }",
            "tilt",
        ),
    ] {
        let message = refused(obstacle);
        assert!(message.contains(words), "{message}");
        println!("{message}");
    }
}
