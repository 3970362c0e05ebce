//! Contacts keep their identity while things slide and roll: each goes on for an old one or is new, never both.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use crate::support;
use stiction::contact::{ContactKey, ContactMemory, Origin};
use stiction::math::Vector;
use stiction_sim::material::Lame;
use stiction_sim::memory::RULES;
use stiction_sim::model::{Body, Model};
use stiction_sim::newton::Workspace;
use stiction_sim::params::Params;
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::state::{BIRTH, HEAT, SLIP, State};
use stiction_sim::step::step;

/// The scene with a drive that presses for a tenth of the time, so that sliding begins early.
fn rub<const D: usize>(name: &str) -> (Model<D>, State<D>) {
    let text = support::scene(name).text().replace("[0.2, 0.0, -0.004", "[0.02, 0.0, -0.004");
    Scene::parse(&text).unwrap().build::<D>().unwrap()
}

/// The keys of the contacts of a state with their weights, found anew.
fn contacts<const D: usize>(model: &Model<D>, state: &State<D>) -> Vec<(ContactKey, f64)> {
    let contacts = model.contacts_at(&state.q, &model.obstacles.at(state.time)).all().into_owned();
    let weights = contacts.weights();
    contacts.keys(&model.surface).unwrap().into_iter().zip(weights.iter().copied()).collect()
}

/// What happened to contacts in some steps.
#[derive(Debug, Default)]
struct Fates {
    same: usize,
    neighbour: usize,
    /// Of these, the ones that no contact of another kind ended for: from one segment or face to the next within a step.
    across: usize,
    new: usize,
    ended: usize,
    /// Heat of contacts that ended, in J.
    heat_ended: f64,
}

/// Checks the memory after a step in one piece against that before it.
fn check<const D: usize>(model: &Model<D>, before: &State<D>, after: &State<D>, fates: &mut Fates) {
    let now = contacts(model, after);
    let mut keys: Vec<_> = now.iter().map(|contact| contact.0).collect();
    keys.sort_unstable();
    keys.dedup();
    assert!(after.memory.iter().map(|entry| &entry.0).eq(&keys), "memory is of the contacts of the state");
    let carried = before.memory.carried_over(&now, &model.surface, &RULES, [after.time, 0.0, 0.0]);
    for ((key, numbers), (origin, (_, old))) in
        after.memory.iter().zip(carried.origins.iter().zip(carried.memory.iter()))
    {
        let is_new = numbers[BIRTH] == after.time;
        // Born in this step or before it: one of both, and as the rule of neighbours says.
        assert!(is_new || numbers[BIRTH] <= before.time, "{key}: {numbers:?}");
        assert_eq!(is_new, *origin == Origin::New, "{key}");
        assert!(numbers[BIRTH] == old[BIRTH] && numbers[SLIP] >= old[SLIP], "{key}");
        assert!(!is_new || numbers[SLIP] == 0.0, "{key}: {numbers:?}");
        match origin {
            Origin::Same => fates.same += 1,
            Origin::Neighbour => {
                fates.neighbour += 1;
                fates.across += usize::from(goes_across(model, before, (*key, &keys)));
            }
            Origin::New => fates.new += 1,
        }
    }
    fates.ended += carried.ended.len();
    fates.heat_ended += carried.ended.iter().map(|key| before.memory.get(*key).unwrap()[HEAT]).sum::<f64>();
}

/// Whether a contact goes on for none of another kind, of those that are not among `keys` any more.
fn goes_across<const D: usize>(
    model: &Model<D>,
    before: &State<D>,
    (key, keys): (ContactKey, &[ContactKey]),
) -> bool {
    let is_other = |old: &ContactKey| old.code().0 != key.code().0 && keys.binary_search(old).is_err();
    let others = before.memory.iter().filter(|entry| is_other(&entry.0)).copied().collect();
    let others = ContactMemory::new(others).unwrap();
    let carried = others.carried_over(&[(key, 1.0)], &model.surface, &RULES, [0.0; 3]);
    carried.origins == [Origin::New]
}

fn heat<const D: usize>(state: &State<D>) -> f64 {
    state.memory.iter().map(|entry| entry.1[HEAT]).sum()
}

/// Makes steps, each checked.
fn follow<const D: usize>(
    name: &str,
    (model, state): (&Model<D>, &mut State<D>),
    steps: usize,
    mut look: impl FnMut(&State<D>, &State<D>),
) -> (Fates, Vec<StepReport<D>>) {
    let (mut work, mut fates, mut reports) = (Workspace::default(), Fates::default(), Vec::new());
    assert!(state.memory.is_empty());
    for k in 0..steps {
        let before = state.clone();
        let report = step(model, state, &mut work).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(report.substeps, 1, "{name}");
        if k > 0 {
            check(model, &before, state, &mut fates);
        }
        look(&before, state);
        reports.push(report);
    }
    println!("{name}: {fates:?}");
    (fates, reports)
}

/// A body slides mesh on mesh: contacts go over from segment to segment, and all heat of friction is remembered.
fn rubs<const D: usize>(name: &str, steps: usize, neighbours: usize) {
    let (model, mut state) = rub::<D>(name);
    let start = contacts(&model, &state);
    let (fates, reports) = follow(name, (&model, &mut state), steps, |before, after| {
        if before.step == 0 {
            let of_start = |key: &ContactKey| start.iter().any(|contact| contact.0 == *key);
            let born = |entry: &(ContactKey, [f64; 3])| entry.1[BIRTH] == 0.0;
            assert!(after.memory.iter().all(|entry| !of_start(&entry.0) || born(entry)));
            assert!(!start.is_empty() && after.memory.iter().any(born));
        }
    });
    assert!(fates.same > 100 && fates.neighbour >= neighbours && fates.new > 0 && fates.ended > 0);
    let made: f64 = reports.iter().map(|report| report.friction.dissipation).sum();
    let kept = heat(&state) + fates.heat_ended;
    println!("{name}: heat {made:e} J, remembered {:e}, ended {:e}", heat(&state), fates.heat_ended);
    // All but that of contacts that friction was frozen at, and that ended before the step did.
    assert!((kept - made).abs() <= 1e-5 * made && made > 0.0, "{kept} of {made}");
}

#[test]
fn contacts_go_on_while_blocks_rub_in_2d() {
    rubs::<2>("rub-2d.toml", 100, 5);
}

#[test]
fn contacts_go_on_while_blocks_rub_in_3d() {
    rubs::<3>("rub-3d.toml", 40, 5);
}

/// A block that slides on a floor of short segments, at most five of which it passes in a tenth of a second.
const SLIDING: &str = r#"
dimension = 2
gravity = [0.0, -9.81]
time = { step = 0.005, end = 1.0 }
contact.dhat = 1e-3
friction = { mu = 0.2, eps_v = 1e-3 }
[[bodies]]
name = "floor"
shape.box = { center = [0.0, -0.05], size = [1.0, 0.1], cells = [50, 1] }
static = true
[[bodies]]
name = "block"
shape.box = { center = [-0.2, 0.0508], size = [0.2, 0.1], cells = [4, 2] }
material = { young = 1e6, poisson = 0.3, density = 1000.0 }
velocity = [1.0, 0.0]
"#;

/// The distance that a contact remembers is that of its vertex, over all segments that it passed.
#[test]
fn slip_is_the_distance_slid_over_many_segments() {
    let (model, mut state) = Scene::parse(SLIDING).unwrap().build::<2>().unwrap();
    let floor = model.parts[0].vertices.clone();
    let on_floor = |key: &ContactKey| match *key {
        ContactKey::VertexEdge(v, e) if !floor.contains(&(v as usize)) => Some((v, e)),
        _ => None,
    };
    let (mut paths, mut segments) = (vec![0.0; state.q.len()], BTreeMap::new());
    let (fates, _) = follow("sliding", (&model, &mut state), 60, |before, after| {
        for (path, (x, y)) in paths.iter_mut().zip(before.q.iter().zip(&after.q)) {
            *path += (y[0] - x[0]).abs();
        }
        for (v, e) in after.memory.iter().filter_map(|entry| on_floor(&entry.0)) {
            segments.entry(v).or_insert_with(Vec::new).push(e);
        }
    });
    assert!(fates.neighbour > 20);
    let mut followed = 0;
    for (key, [birth, slip, _]) in state.memory.iter() {
        if let (Some((v, _)), 0.0) = (on_floor(key), *birth) {
            let path = paths[v as usize];
            assert!((slip - path).abs() < 1e-9 * path, "{key}: {slip} m of {path}");
            let passed = segments.get_mut(&v).unwrap();
            passed.dedup();
            assert!(passed.len() > 5 && path > 0.1, "{key}: {passed:?}, {path}");
            followed += 1;
        }
    }
    assert!(followed >= 2, "{:?}", state.memory);
}

/// A disc of 32 sides that rolls down a slope of 10° from rest.
fn rolling() -> (Model<2>, State<2>) {
    let (sides, radius) = (32, 0.1);
    let rim = |k: u32| {
        let angle = TAU * (f64::from(k) + 0.5) / f64::from(sides);
        Vector([radius * angle.sin(), -radius * angle.cos()])
    };
    let lift = Vector([-0.3, 1e-3 - rim(0)[1]]);
    let vertices = (0..sides).map(|k| rim(k) + lift).chain([lift]).collect();
    let mut disc = Body::new("disc", vertices, Lame { shear: 4e6, lambda: 6e6 }, 1000.0);
    disc.triangles = (0..sides).map(|k| [sides, k, (k + 1) % sides]).collect();
    let corners = |k: u32, y| Vector([f64::from(k) * 0.021 - 0.5, y]);
    let floor = (0..50).map(|k| corners(k, -0.05)).chain((0..50).map(|k| corners(k, 0.0))).collect();
    let mut floor = Body::fixed_shape("floor", floor);
    floor.triangles = (0..49).flat_map(|k| [[k, k + 1, k + 51], [k, k + 51, k + 50]]).collect();
    let mut params = Params::default();
    params.time.step = 0.005;
    params.contact.dhat = 1e-3;
    params.contact.dhat_is_relative = false;
    params.friction.mu = stiction::friction::Mu::same(0.5);
    let (sin, cos) = 10_f64.to_radians().sin_cos();
    Model::new(&[disc, floor], vec![], Vector([9.81 * sin, -9.81 * cos]), params).unwrap()
}

/// Contacts come and go under a disc that rolls, and hardly slide.
#[test]
fn contacts_of_a_rolling_disc_come_and_go() {
    let (model, mut state) = rolling();
    let centre = state.q[32];
    let mut births = Vec::new();
    let (fates, _) = follow("rolling", (&model, &mut state), 120, |_, after| {
        births.extend(after.memory.iter().map(|entry| entry.1[BIRTH].to_bits()));
        let slipped = after.memory.iter().map(|entry| entry.1[SLIP]).fold(0.0, f64::max);
        assert!(slipped < 0.01, "{slipped} m");
    });
    births.sort_unstable();
    births.dedup();
    let way = (state.q[32] - centre).norm();
    println!("rolled {way} m, {} births", births.len());
    assert!(way > 0.1 && births.len() > 10 && fates.new > 10 && fates.ended > 10);
}

/// All numbers of a memory as bits.
fn bits<const D: usize>(state: &State<D>) -> Vec<(ContactKey, [u64; 3])> {
    state.memory.iter().map(|(key, numbers)| (*key, numbers.map(f64::to_bits))).collect()
}

fn on_threads<const D: usize>(name: &str, steps: usize, threads: usize) -> Vec<(ContactKey, [u64; 3])> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let (model, mut state) = rub::<D>(name);
        let mut work = Workspace::default();
        (0..steps).for_each(|_| drop(step(&model, &mut state, &mut work).unwrap()));
        assert!(state.memory.iter().any(|entry| entry.1[SLIP] > 0.0 && entry.1[HEAT] > 0.0));
        bits(&state)
    })
}

#[test]
fn memory_does_not_depend_on_threads() {
    let (flat, solid) = (on_threads::<2>("rub-2d.toml", 25, 1), on_threads::<3>("rub-3d.toml", 8, 1));
    for threads in [2, 8] {
        assert!(flat == on_threads::<2>("rub-2d.toml", 25, threads), "{threads} threads");
        assert!(solid == on_threads::<3>("rub-3d.toml", 8, threads), "{threads} threads");
    }
}

/// What is loaded goes on as what was saved, births, slip and heat to the last bit.
#[test]
fn memory_comes_back_from_files() {
    let (model, mut state) = rub::<2>("rub-2d.toml");
    let mut work = Workspace::default();
    (0..20).for_each(|_| drop(step(&model, &mut state, &mut work).unwrap()));
    let path: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory.state");
    state.save(&path, &model).unwrap();
    let mut loaded = State::load(&path, &model).unwrap();
    assert!(!state.memory.is_empty() && bits(&loaded) == bits(&state));
    for _ in 0..20 {
        step(&model, &mut state, &mut work).unwrap();
        step(&model, &mut loaded, &mut Workspace::default()).unwrap();
        assert_eq!(bits(&loaded), bits(&state));
    }
}

/// Steps in pieces: memory is carried from piece to piece, and births are at the ends of pieces.
#[test]
fn memory_goes_through_substeps() {
    let text = support::scene("rub-2d.toml").text().replace("[0.2, 0.0, -0.004", "[0.02, 0.0, -0.004");
    let few = "[solver]\nmax_iterations = 5\nretries = 5\n[contact]\nsettle = false";
    let text = text.replace("[contact]", few).replace("[friction]", "[friction]\nlag_iterations = 1");
    let (model, mut state, mut work) = support::begin::<2>(&Scene::parse(&text).unwrap());
    let (mut divided, mut within) = (0, 0);
    for _ in 0..40 {
        let before = state.clone();
        let report = step(&model, &mut state, &mut work).unwrap();
        divided += usize::from(report.substeps > 1);
        let mut keys: Vec<_> = contacts(&model, &state).into_iter().map(|contact| contact.0).collect();
        keys.sort_unstable();
        assert!(state.memory.iter().map(|entry| &entry.0).eq(&keys));
        let piece = model.params.time.step / report.substeps as f64;
        for (key, numbers) in state.memory.iter() {
            let since = (numbers[BIRTH] - before.time) / piece;
            if since > 0.0 {
                assert!((since - since.round()).abs() < 1e-6, "{key}: born after {since} pieces");
                within += usize::from(numbers[BIRTH] < state.time);
            } else if before.time > 0.0 {
                let known = before.memory.iter().any(|old| old.1[BIRTH] == numbers[BIRTH]);
                assert!(known, "{key}: goes on for nothing");
            }
        }
    }
    println!("{divided} steps in pieces, {within} contacts born within one");
    assert!(divided > 0);
}
