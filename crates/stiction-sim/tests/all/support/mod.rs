//! What the tests of the simulator share.
#![allow(dead_code)] // no test file uses all of it

use std::path::PathBuf;

use stiction::math::Vector;
use stiction_sim::model::Model;
use stiction_sim::newton::Workspace;
use stiction_sim::params::NewtonParams;
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::state::State;
use stiction_sim::step::step;

/// A scene of the folder `scenes`.
pub fn scene(name: &str) -> Scene {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    Scene::load(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A finished run: the model, its last state, and a report of the start and of every step.
pub struct Finished<const D: usize> {
    pub model: Model<D>,
    pub state: State<D>,
    pub reports: Vec<StepReport<D>>,
}

/// The model of a scene, its state at the start, and what solves its steps.
pub fn begin<const D: usize>(scene: &Scene) -> (Model<D>, State<D>, Workspace<D>) {
    let (model, state) = scene.build().unwrap();
    (model, state, scene.workspace().unwrap())
}

/// What solves steps with a tolerance in m/s.
pub fn precise<const D: usize>(tolerance: f64) -> Workspace<D> {
    Workspace::new(NewtonParams { tolerance: Some(tolerance), ..NewtonParams::default() }).unwrap()
}

/// Runs a scene to its end. After every step nothing intersects (exactly) and no energy came from nowhere, and contacts push no more than
/// physics explains.
pub fn run<const D: usize>(name: &str) -> Finished<D> {
    let finished = run_scene(name, &scene(name), true);
    check_forces(name, &finished.reports);
    finished
}

/// The largest sum of normal forces of scenes in which something hits or is driven, in N: what they tend to with ever shorter steps, found with an
/// eighth of theirs. Elsewhere contacts carry at the end what they carry at rest.
const DRIVEN: [(&str, f64); 6] = [
    ("drape-3d.toml", 5.83),
    ("knives-3d.toml", 354.0),
    ("sphere-3d.toml", 6.61),
    ("squeeze-2d.toml", 7540.0),
    ("squeeze-3d.toml", 12_500.0),
    ("press-2d.toml", 7925.0),
];

/// The normal forces of a scene never exceed twice what rest, impact or a drive explains.
pub fn check_forces<const D: usize>(name: &str, reports: &[StepReport<D>]) {
    let at_rest = reports[reports.len() - 1].normal_force;
    let explained = DRIVEN.iter().find(|driven| driven.0 == name).map_or(at_rest, |driven| driven.1);
    let most = reports.iter().map(|report| report.normal_force).fold(0.0, f64::max);
    println!("{name}: normal forces up to {most:.4e} N, {:.2} of {explained:.4e} N", most / explained);
    assert!(most <= 2.0 * explained, "{name}: {most} N, more than twice {explained} N");
}

/// The same of a scene in whose text some words are replaced; with an eye on energy for implicit Euler, which alone never gains any.
pub fn run_changed<const D: usize>(name: &str, changes: &[(&str, String)]) -> Finished<D> {
    let mut text = scene(name).text().to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{name} has no {from}");
        text = text.replace(from, to);
    }
    run_text(name, &text)
}

/// The same of any text; files that it names are relative to the folder `scenes`.
pub fn run_text<const D: usize>(name: &str, text: &str) -> Finished<D> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let scene = Scene::parse_in(text, &folder).unwrap_or_else(|error| panic!("{name}: {error}"));
    run_scene(name, &scene, true)
}

fn run_scene<const D: usize>(name: &str, scene: &Scene, watch_energy: bool) -> Finished<D> {
    let (model, mut state) = scene.build::<D>().unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut work = scene.workspace().unwrap();
    let mut reports = vec![StepReport::at_start(&model, &state)];
    for _ in 0..scene.steps() {
        let report = step(&model, &mut state, &mut work).unwrap_or_else(|error| panic!("{name}: {error}"));
        model.check_free(&state).unwrap_or_else(|error| panic!("{name}, {} s: {error}", state.time));
        assert!(report.gap > 0.0);
        if watch_energy {
            check_energy(name, &model, &reports, &report);
        }
        reports.push(report);
    }
    Finished { model, state, reports }
}

/// Energy is never more than that at the start plus the work put in; with implicit Euler also in every single step.
fn check_energy<const D: usize>(
    name: &str,
    model: &Model<D>,
    before: &[StepReport<D>],
    after: &StepReport<D>,
) {
    let euler = !model.params.time.integrator.may_create_energy();
    let before = if euler { &before[before.len() - 1..] } else { before };
    let work = |report: &StepReport<D>| report.work + report.load_work + report.stiffness_work;
    let input: f64 = before[1..].iter().map(work).sum::<f64>() + work(after);
    let gain = after.energies.total() - before[0].energies.total() - input;
    let e = &after.energies;
    let size = e.kinetic.abs() + e.elastic.abs() + e.gravity.abs() + e.barrier.abs() + input.abs();
    let part = if euler { 1e-9 } else { 1e-6 };
    assert!(gain <= part * size, "{name}, {} s: {gain:e} J out of nowhere, of {size:e}", after.time);
}

/// Numbers in [0, 1), the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Entries between −1 and 1.
    pub fn vector<const D: usize>(&mut self) -> Vector<D> {
        Vector(std::array::from_fn(|_| 2.0 * self.number() - 1.0))
    }
}
