//! Blocks on an incline and on each other, against the closed forms of Coulomb's law.

use crate::support::{Finished, run, run_changed};
use stiction_sim::material::MaterialKind;

const G: f64 = 9.81;
/// Slope and coefficients of the scenes.
const TAN: f64 = 0.6;
const MU_SLIDE: f64 = 0.5;
const MU_STICK: f64 = 0.7;

/// Speed of the block, in m/s, in the report at `index`.
fn speed<const D: usize>(run: &Finished<D>, index: usize) -> f64 {
    run.reports[index].bodies[0].velocity.norm()
}

/// Acceleration g (sin θ − μ cos θ) within 0.1 % after settling, and the normal force m g cos θ.
fn slides<const D: usize>(name: &str) {
    check_slide(name, &run::<D>(name));
}

fn check_slide<const D: usize>(name: &str, run: &Finished<D>) {
    let last = run.reports.len() - 1;
    let cos = 1.0 / (1.0 + TAN * TAN).sqrt();
    let expected = G * cos * (TAN - MU_SLIDE);
    for (from, to) in [(last / 3, 2 * last / 3), (last / 2, last)] {
        let time = run.reports[to].time - run.reports[from].time;
        let found = (speed(run, to) - speed(run, from)) / time;
        println!(
            "{name}: acceleration {found:.7} m/s², expected {expected:.7}, error {:.1e}",
            found / expected - 1.0
        );
        assert!((found / expected - 1.0).abs() < 1e-3);
    }
    let weight: f64 = run.model.mass.of_nodes().iter().sum::<f64>() * G * cos;
    let force = run.reports[last].normal_force;
    println!("{name}: normal force {force:.6} N, expected {weight:.6}");
    assert!((force / weight - 1.0).abs() < 1e-6);
    assert_eq!(run.reports[last].friction.stick, 0);
}

/// Creep of at most `ε_v` (1 − √(1 − tan θ/μ)) (1 + 1 %).
fn sticks<const D: usize>(name: &str) {
    check_stick(name, &run::<D>(name));
}

fn check_stick<const D: usize>(name: &str, run: &Finished<D>) {
    let last = run.reports.len() - 1;
    let creep = creep_of(run);
    println!("{name}: creep {:.4e} m/s, bound {creep:.4e}", speed(run, last));
    for index in 4 * last / 5..=last {
        assert!(speed(run, index) <= 1.01 * creep);
    }
    assert!(speed(run, last) > 0.9 * creep, "smoothed friction creeps: {:e}", speed(run, last));
    assert_eq!(run.reports[last].friction.slip, 0);
}

#[test]
fn a_block_slides_in_2d() {
    slides::<2>("slide-2d.toml");
}

#[test]
fn a_block_slides_in_3d() {
    slides::<3>("slide-3d.toml");
}

#[test]
fn a_block_sticks_in_2d() {
    sticks::<2>("stick-2d.toml");
}

#[test]
fn a_block_sticks_in_3d() {
    sticks::<3>("stick-3d.toml");
}

/// The words of scenes in which a material is chosen.
fn with_material(kind: MaterialKind) -> [(&'static str, String); 1] {
    [("young = 1e6", format!("kind = \"{kind}\", young = 1e6"))]
}

/// The words that follow `step` in `[time]`.
fn with_integrator(words: &str) -> [(&'static str, String); 1] {
    [("step = 0.01", format!("{words}\nstep = 0.01"))]
}

/// How stiff blocks slide and stick does not depend on how they deform.
#[test]
fn every_material_slides_and_sticks() {
    for kind in MaterialKind::ALL {
        check_slide(kind.name(), &run_changed::<2>("slide-2d.toml", &with_material(kind)));
        check_stick(kind.name(), &run_changed::<2>("stick-2d.toml", &with_material(kind)));
    }
}

/// Newmark's method with damping: without, the stiff contact rings for ever, and what rings neither sticks nor slides steadily.
const DAMPED_NEWMARK: &str = "integrator = \"newmark\"\nbeta = 0.4225\ngamma = 0.8";

/// Means over the second half: integrators of second order let the block bounce longer than implicit Euler does.
#[test]
fn every_integrator_slides_and_sticks() {
    for words in ["integrator = \"implicit_euler\"", "integrator = \"bdf2\"", DAMPED_NEWMARK] {
        let run = run_changed::<2>("slide-2d.toml", &with_integrator(words));
        let (half, last) = (run.reports.len() / 2, run.reports.len() - 1);
        let time = |run: &Finished<2>| run.reports[last].time - run.reports[half].time;
        let found = (speed(&run, last) - speed(&run, half)) / time(&run);
        let expected = G * (TAN - MU_SLIDE) / (1.0 + TAN * TAN).sqrt();
        println!("{words}: acceleration {found:.7} m/s², error {:.1e}", found / expected - 1.0);
        assert!((found / expected - 1.0).abs() < 1e-3);

        let run = run_changed::<2>("stick-2d.toml", &with_integrator(words));
        let (half, last) = (run.reports.len() / 2, run.reports.len() - 1);
        let way = run.reports[last].bodies[0].center - run.reports[half].bodies[0].center;
        let (creep, bound) = (way.norm() / (run.reports[last].time - run.reports[half].time), creep_of(&run));
        println!("{words}: creep {creep:.4e} m/s, closed form {bound:.4e}");
        assert!((creep / bound - 1.0).abs() < 0.01);
    }
}

/// `ε_v` (1 − √(1 − tan θ/μ)) of the scenes that stick, in m/s.
fn creep_of<const D: usize>(run: &Finished<D>) -> f64 {
    run.model.params.friction.eps_v * (1.0 - (1.0 - TAN / MU_STICK).sqrt())
}

/// Step of the scenes of rubbing blocks from which on they slide steadily.
const STEADY: usize = 140;

/// The upper block is drawn: the work of the drive, from its reactions, becomes heat, from slip and normal forces.
fn rubs<const D: usize>(name: &str) {
    let run = run::<D>(name);
    let mut heat = 0.0;
    for report in run.reports.iter().skip(STEADY + 1) {
        assert_eq!(report.friction.stick, 0, "{name}, {} s", report.time);
        heat += report.friction.dissipation;
    }
    // What the drive puts in is what friction turns into heat, but for the integrator's own damping.
    let (first, last) = (&run.reports[STEADY], &run.reports[run.reports.len() - 1]);
    let work: f64 = run.reports.iter().skip(STEADY + 1).map(|report| report.work).sum();
    let lost = work - heat - (last.energies.total() - first.energies.total());
    println!("{name}: work {work:.5} J, heat {heat:.5} J, lost to damping {lost:.5} J");
    // Where contacts change, the barrier is not convex, and a little comes back.
    assert!(lost > -1e-5 * work && lost < 0.02 * work);
    // While it is pressed it does not slide.
    assert!(run.reports[40].friction.distance < 1e-4);
    // The upper block as a whole moves with its driven top.
    let way = run.reports[run.reports.len() - 1].bodies[1].center[0] - run.reports[0].bodies[1].center[0];
    assert!((way - 0.08).abs() < 0.02, "{name}: {way}");
}

#[test]
fn blocks_rub_in_2d() {
    rubs::<2>("rub-2d.toml");
}

#[test]
fn blocks_rub_in_3d() {
    rubs::<3>("rub-3d.toml");
}
