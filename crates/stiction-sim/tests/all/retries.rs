//! A step that fails as a whole is made in substeps, and nobody outside can tell but by the report.

use crate::support;
use stiction_sim::error::Error;
use stiction_sim::model::Model;
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::state::State;
use stiction_sim::step::step;

/// Scenes with so few Newton iterations that some whole steps cannot be solved.
const HARD: [(&str, &str, usize); 3] =
    [("rub-2d.toml", "implicit_euler", 4), ("rub-2d.toml", "bdf2", 4), ("press-2d.toml", "newmark", 8)];

const STEPS: usize = 20;

fn hard(name: &str, integrator: &str, max_iterations: usize, retries: usize) -> Scene {
    let text = support::scene(name)
        .text()
        .replace("[time]", &format!("[time]\nintegrator = \"{integrator}\""))
        .replace(
            "[contact]",
            &format!(
                "[solver]\nmax_iterations = {max_iterations}\nretries = {retries}\n[contact]\nsettle = false"
            ),
        )
        .replace("[friction]", "[friction]\nlag_iterations = 1");
    Scene::parse(&text).unwrap()
}

/// What every step keeps, in one piece or in many.
fn check(name: &str, model: &Model<2>, state: &State<2>, (step, report): (usize, &StepReport<2>)) {
    assert_eq!((state.step, report.step), (step, step));
    // The same bits as a step in one piece gives.
    let time = step as f64 * model.params.time.step;
    assert!(state.time == time && report.time == time, "{name}: {} and {time}", state.time);
    for (vertex, target) in model.boundary.targets(model.surface.rest(), time) {
        assert_eq!(state.q[vertex as usize], target, "{name}");
    }
    assert!(state.before.as_ref().is_none_or(|before| before.h == model.params.time.step));
    assert!(report.substeps.is_power_of_two() && report.rounds >= report.substeps);
    model.check_free(state).unwrap();
}

#[test]
fn hard_steps_are_made_in_substeps() {
    for (name, integrator, limit) in HARD {
        let (model, mut state, mut work) = support::begin::<2>(&hard(name, integrator, limit, 5));
        let mut last = StepReport::at_start(&model, &state);
        let mut divided = 0;
        for k in 1..=STEPS {
            let before = state.clone();
            let report = step(&model, &mut state, &mut work).unwrap();
            check(name, &model, &state, (k, &report));
            divided += usize::from(report.substeps > 1);
            if let Some(remembered) = &state.before {
                assert!(remembered.q == before.q && remembered.v == before.v);
            }
            if integrator == "implicit_euler" {
                let gain =
                    report.energies.total() - last.energies.total() - report.work - report.stiffness_work;
                assert!(
                    gain <= 1e-9 * report.energies.total().abs(),
                    "{name}, step {k}: {gain:e} J from nowhere"
                );
            }
            last = report;
        }
        assert!(divided > 0, "{name}, {integrator}: no step was hard");
    }
}

/// What is not restored by a file of the state, such as memory of failed attempts, changes nothing.
#[test]
fn hard_steps_have_the_same_bits_from_any_start() {
    for (name, integrator, limit) in HARD {
        let scene = hard(name, integrator, limit, 5);
        let (model, mut state, mut work) = support::begin::<2>(&scene);
        let mut other = state.clone();
        for _ in 0..STEPS {
            let report = step(&model, &mut state, &mut work).unwrap();
            assert_eq!(step(&model, &mut other, &mut scene.workspace().unwrap()).unwrap(), report);
            assert_eq!(state, other);
        }
    }
}

#[test]
fn without_retries_the_first_hard_step_fails_and_changes_nothing() {
    for (name, integrator, limit) in HARD {
        let (model, mut state, mut work) = support::begin::<2>(&hard(name, integrator, limit, 0));
        let failed = (0..STEPS).find_map(|_| {
            let before = state.clone();
            let error = step(&model, &mut state, &mut work).err()?;
            assert_eq!(before, state);
            Some(error)
        });
        assert!(matches!(failed, Some(Error::NotConverged { .. })), "{name}, {integrator}: {failed:?}");
    }
}

#[test]
fn a_step_that_fails_in_substeps_too_says_so_and_changes_nothing() {
    let (model, mut state, mut work) = support::begin::<2>(&hard("rub-2d.toml", "bdf2", 2, 3));
    let before = state.clone();
    let error = step(&model, &mut state, &mut work).unwrap_err();
    assert!(matches!(&error, Error::InSubsteps { substeps: 8, .. }), "{error}");
    let message = error.to_string();
    for words in ["step 1: no solution after 2 Newton iterations", "in 8 substeps, too"] {
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(before, state);
}
