//! Bodies whose own parts are nearer than d̂ at rest: no force there, and no way through later.

use std::path::Path;

use super::derivatives::compare_around;
use super::support::Random;
use stiction::friction::Mu;
use stiction::math::{Vector, vector};
use stiction::potential::Potential;
use stiction_sim::boundary::Trajectory;
use stiction_sim::integrator::IntegratorKind;
use stiction_sim::material::Lame;
use stiction_sim::model::{Body, Model, Skin};
use stiction_sim::neighbours::Neighbours;
use stiction_sim::newton::Workspace;
use stiction_sim::params::{Params, StepBound};
use stiction_sim::report::StepReport;
use stiction_sim::scene::shape_mesh::ShapeMesh;
use stiction_sim::scene::shapes::BoxMesh;
use stiction_sim::state::State;
use stiction_sim::step::step;
use stiction_sim::step_bound::{Sweep, Way};

const DHAT: f64 = 0.1;

/// The width of a narrow slot.
const WIDTH: f64 = 0.03;

/// The depth of bodies in 3D.
const DEPTH: f64 = 0.4;

/// Two plates of 1 × 0.2 (× 0.4) m, the slot between them from y = 0.2 to 0.2 + width(x), closed by a bridge on the left or open.
fn slotted<const D: usize>(bridge: bool, width: impl Fn(f64) -> f64) -> Body<D> {
    let cells: [usize; D] = std::array::from_fn(|k| [5, 3, 2][k]);
    let size = Vector(std::array::from_fn(|k| cells[k] as f64));
    let mut mesh = ShapeMesh::from(BoxMesh::new(size * 0.5, size, cells, 0.0));
    let keeps = |element: &[u32]| {
        let sum = element.iter().fold(Vector::ZERO, |sum, v| sum + mesh.vertices[*v as usize]);
        let middle = sum * (1.0 / element.len() as f64);
        middle[1].floor() != 1.0 || bridge && middle[0] < 1.0
    };
    let (triangles, tetrahedra): (Vec<_>, Vec<_>) = (
        mesh.triangles.iter().copied().filter(|t| keeps(t)).collect(),
        mesh.tetrahedra.iter().copied().filter(|t| keeps(t)).collect(),
    );
    for x in &mut mesh.vertices {
        let row: usize = [0.5, 1.5, 2.5].into_iter().map(|y| usize::from(x[1] > y)).sum();
        let y = [0.0, 0.2, 0.2 + width(0.2 * x[0]), 0.4 + width(0.2 * x[0])][row];
        let place = [0.2 * x[0], y, 0.0];
        *x = Vector(std::array::from_fn(|k| if k < 2 { place[k] } else { 0.5 * DEPTH * x[k] }));
    }
    Body {
        triangles,
        tetrahedra,
        ..Body::new("slotted", mesh.vertices, Lame::new(1e5, 0.3).unwrap(), 1000.0)
    }
}

/// The vertices of a body that are where `is_there` says.
fn select<const D: usize>(body: &Body<D>, is_there: impl Fn(&Vector<D>) -> bool) -> Vec<u32> {
    (0..body.vertices.len() as u32).filter(|v| is_there(&body.vertices[*v as usize])).collect()
}

fn vector<const D: usize>(x: f64, y: f64) -> Vector<D> {
    Vector(std::array::from_fn(|k| [x, y, 0.0][k]))
}

/// Holds the lower side and leads the part of the upper one that begins at `from` through places at times.
fn press<const D: usize>(body: &mut Body<D>, from: f64, places: &[(f64, f64, f64)]) {
    let lower = select(body, |x| x[1] < 1e-9);
    let upper = select(body, |x| x[0] > from && x[1] > 0.4);
    let frames = places.iter().map(|&(t, x, y)| (t, vector(x, y))).collect();
    body.prescribed = vec![(lower, Trajectory::default()), (upper, Trajectory::new(frames).unwrap())];
}

fn params(dhat: f64) -> Params {
    let mut params = Params::default();
    (params.contact.dhat, params.contact.dhat_is_relative) = (dhat, false);
    params.time.integrator = IntegratorKind::ImplicitEuler;
    params
}

fn model<const D: usize>(body: Body<D>, params: Params) -> (Model<D>, State<D>) {
    Model::new(&[body], vec![], Vector::ZERO, params).unwrap()
}

/// Makes steps, after each of which nothing intersects and no energy came from nowhere: with implicit Euler in no step, otherwise in none since the
/// start.
fn run<const D: usize>(model: &Model<D>, state: &mut State<D>, steps: usize) -> Vec<StepReport<D>> {
    let mut work = Workspace::default();
    let mut reports = vec![StepReport::at_start(model, state)];
    for _ in 0..steps {
        let report = step(model, state, &mut work).unwrap();
        model.check_free(state).unwrap();
        let euler = !model.params.time.integrator.may_create_energy();
        let size = reports[0].energies.total().abs() + report.energies.total().abs() + report.work.abs();
        reports.push(report);
        let counted = if euler { &reports[reports.len() - 1..] } else { &reports[..] };
        let made: f64 = counted.iter().map(|report| report.numerical_energy).sum();
        assert!(made <= 1e-7 * size + 1e-12, "{made} J of {size}");
    }
    reports
}

/// How far anything moved, in m.
fn moved<const D: usize>(model: &Model<D>, state: &State<D>) -> f64 {
    state.q.iter().zip(&model.rest).map(|(q, rest)| (*q - *rest).norm()).fold(0.0, f64::max)
}

/// At rest nothing pushes, and a step leaves everything where it is, as it does with a d̂ that is shorter than the slot.
fn stays<const D: usize>() {
    for bridge in [false, true] {
        let iterations = [1e-3, DHAT].map(|dhat| {
            let (model, mut state) = model(slotted::<D>(bridge, |_| WIDTH), params(dhat));
            assert_eq!(model.reaches.is_empty(), dhat < WIDTH);
            assert!(model.contacts_at(&state.q, &[]).is_empty() && state.kappa.is_none());
            let reports = run(&model, &mut state, 1);
            assert_eq!((reports[1].contacts.total(), reports[1].energies.barrier), (0, 0.0));
            assert!(moved(&model, &state) < 1e-12, "{:e}", moved(&model, &state));
            reports[1].iterations
        });
        assert!(iterations[1] <= iterations[0] + 1, "{iterations:?}");
    }
}

#[test]
fn a_narrow_slot_stays_at_rest_in_2d() {
    stays::<2>();
}

#[test]
fn a_narrow_slot_stays_at_rest_in_3d() {
    stays::<3>();
}

/// A seam whose vertices should have been merged is no slot: collision detection could not let anything move.
#[test]
fn seams_that_were_not_merged_are_refused() {
    for (width, refused) in [(1e-13, true), (1e-9, false)] {
        let made = Model::new(&[slotted::<2>(true, |_| width)], vec![], Vector::ZERO, params(DHAT));
        let message = made.err().map(|error| error.to_string());
        assert_eq!(message.is_some(), refused, "{message:?}");
        assert!(message.is_none_or(|message| message.contains("slotted") && message.contains("merge")));
    }
}

/// A narrow slot does not make steps of what is far from it dare more: each reach has its own smallest gap.
#[test]
fn a_slot_leaves_other_gaps_as_they_are() {
    let falling = |y: f64| {
        let mut block = slotted::<2>(false, |_| 0.2);
        block.vertices.iter_mut().for_each(|x| x[1] += y);
        block.name = format!("block at {y}");
        block
    };
    let kept = |width: f64| {
        let bodies = [slotted::<2>(true, |_| width), falling(-2.0), falling(-0.6 - 2.0 - 0.9 * DHAT)];
        let (model, state) = Model::new(&bodies, vec![], Vector::ZERO, params(DHAT)).unwrap();
        let lower = model.parts[2].vertices.clone();
        // Up to where the lowest body would meet the one above.
        let up = |v: usize| Vector([0.0, if lower.contains(&v) { 0.9 * DHAT } else { 0.0 }]);
        let p: Vec<_> = (0..state.q.len()).map(up).collect();
        let way = Way { x: &state.q, p: &p, obstacles: &[], shifts: &[] };
        Sweep::new(&model, &way, &mut Neighbours::default()).bound
    };
    assert!((kept(1e-3 * DHAT) - kept(0.9)).abs() < 1e-3, "{} and {}", kept(1e-3 * DHAT), kept(0.9));
}

/// The reach of a slot is the largest part of d̂, a power of 2, that is no more than half of its clearance, and a contact carries the same force at the same
/// part of it.
#[test]
fn reaches_are_parts_of_half_the_clearance() {
    for (dmin, part) in [(0.0, 8.0), (0.01, 16.0)] {
        let mut params = params(DHAT);
        params.contact.dmin = dmin;
        let (model, _) = model(slotted::<2>(false, |_| WIDTH), params);
        let [reach] = model.reaches.near() else { panic!("one width, one reach") };
        assert_eq!((reach.part, reach.law.dhat(), reach.law.dmin()), (part, DHAT / part, dmin));
        let force = |law: &stiction::barrier::BarrierLaw| law.force((dmin + 0.5 * law.dhat()).powi(2));
        assert!((reach.stiffness * force(&reach.law) / force(&model.barrier) - 1.0).abs() < 1e-14);
        if dmin == 0.0 {
            assert_eq!(reach.stiffness, part.powi(3));
        }
    }
    // A wedge has several; beyond d̂ it has that.
    let (model, _) = model(slotted::<3>(true, |x| 0.015 + 0.12 * x), params(DHAT));
    let parts: Vec<f64> = model.reaches.near().iter().map(|reach| reach.part).collect();
    println!("{parts:?}");
    assert!(parts.len() > 2 && parts.windows(2).all(|two| two[0] < two[1]));
}

/// A slot that is pressed shut carries the force, and its sides never cross.
fn closes<const D: usize>(bound: StepBound, dmin: f64) {
    let mut body = slotted::<D>(true, |x| 0.02 + 0.06 * x);
    press(&mut body, 0.3, &[(0.0, 0.0, 0.0), (0.2, 0.0, -0.09)]);
    let mut params = params(DHAT);
    (params.contact.bound, params.contact.dmin) = (bound, dmin);
    let (model, mut state) = model(body, params);
    let reports = run(&model, &mut state, 25);
    let last = &reports[25];
    let (gap, force) = (last.gap - dmin, last.normal_force);
    println!("{D}D: {gap:e} m, {force:.1} N, {:?}, {} rounds", last.contacts, last.rounds);
    // E A ε of a column of 0.4 m that is made shorter by what the slot does not give, across the part that is pressed.
    assert!(gap > 0.0 && gap < 0.5 * 0.08 && force > 1e5 * 0.2 * if D == 3 { DEPTH } else { 1.0 } * 0.05);
    let iterations: usize = reports.iter().map(|report| report.iterations).sum();
    println!("{iterations} iterations");
    assert!(iterations < 25 * 8, "{iterations}");
}

#[test]
fn a_slot_carries_what_presses_it_shut() {
    closes::<2>(StepBound::Ccd, 0.0);
    closes::<2>(StepBound::Ogc, 0.0);
    closes::<2>(StepBound::Ccd, 0.005);
    closes::<3>(StepBound::Ccd, 0.0);
}

/// Friction acts in a slot: at the end of a slide it makes the heat that normal forces and slip explain.
fn rubs<const D: usize>(width: f64) {
    let mut body = slotted::<D>(false, |_| width);
    let down = -width - 0.01;
    press(&mut body, -1.0, &[(0.0, 0.0, 0.0), (0.05, 0.0, down), (0.3, 0.2, down)]);
    let mut params = params(DHAT);
    params.friction.mu = Mu::same(0.3);
    let (model, mut state) = model(body, params);
    let reports = run(&model, &mut state, 30);
    let (mut heat, mut explained) = (0.0, 0.0);
    for report in &reports[10..] {
        let friction = &report.friction;
        assert!(friction.relative_cone_excess < 0.05, "{friction:?}");
        assert!(report.contacts.total() > 0 && report.normal_force > 0.0);
        (heat, explained) =
            (heat + friction.dissipation, explained + 0.3 * report.normal_force * friction.distance);
    }
    println!("{D}D: {heat:.3} J of {explained:.3} J, {:?}", reports[30].friction);
    assert!(reports[30].friction.slip > 0 && (heat / explained - 1.0).abs() < 0.03, "{heat} {explained}");
    // All of it is remembered by contacts or ended with them.
    let kept: f64 = state.memory.iter().map(|(_, numbers)| numbers[stiction_sim::state::HEAT]).sum();
    assert!(
        kept > 0.0 && kept < 1.001 * reports.iter().map(|report| report.friction.dissipation).sum::<f64>()
    );
}

#[test]
fn friction_acts_in_a_slot() {
    rubs::<2>(WIDTH);
    rubs::<3>(WIDTH);
    rubs::<2>(0.01 * WIDTH);
}

/// The sides of a slot slide along each other as far as they are long, and feel nothing.
fn slides_freely<const D: usize>() {
    let mut body = slotted::<D>(false, |_| WIDTH);
    press(&mut body, -1.0, &[(0.0, 0.0, 0.0), (0.3, 0.9, 0.0)]);
    let mut params = params(DHAT);
    params.time.integrator = IntegratorKind::QuasiStatic;
    let (model, mut state) = model(body, params);
    let reports = run(&model, &mut state, 30);
    assert!(reports.iter().all(|report| report.contacts.total() == 0 && report.normal_force == 0.0));
}

#[test]
fn the_sides_of_a_slot_slide_freely() {
    slides_freely::<2>();
    slides_freely::<3>();
}

/// A body whose arms are thrown at each other: they meet and part, and energy never grows.
fn claps<const D: usize>() -> (Model<D>, State<D>) {
    let mut body = slotted::<D>(true, |x| 0.02 + 0.06 * x);
    body.prescribed = vec![(select(&body, |x| x[0] < 1e-9), Trajectory::default())];
    let mut params = params(DHAT);
    params.time.integrator = IntegratorKind::default();
    params.friction.mu = Mu::same(0.2);
    let (model, mut state) = model(body, params);
    for (v, q) in state.v.iter_mut().zip(&state.q) {
        *v = vector(0.0, if q[1] > 0.21 { -3.0 * q[0] } else { 2.0 * q[0] });
    }
    (model, state)
}

#[test]
fn energy_is_balanced_where_a_slot_claps() {
    let (model, mut state) = claps::<2>();
    let reports = run(&model, &mut state, 40);
    let touched = reports.iter().filter(|report| report.contacts.total() > 0).count();
    let most = reports.iter().map(|report| report.energies.barrier).fold(0.0, f64::max);
    println!("{touched} steps with contact, up to {most:e} J");
    assert!(touched > 2 && most > 0.0);
    // What is missing at the end is heat, and what the integrator damped.
    let (start, end) = (&reports[0].energies, &reports[40].energies);
    let sum = |f: fn(&StepReport<2>) -> f64| reports.iter().map(f).sum::<f64>();
    let input = sum(|report| report.work + report.stiffness_work);
    let heat = sum(|report| report.friction.dissipation + report.damping_heat);
    let balance = end.total() - start.total() + heat - input - sum(|report| report.numerical_energy);
    println!("heat {heat:e} J, input {input:e} J, balance {balance:e} J of {:e} J", start.total());
    assert!(heat > 0.0 && balance.abs() < 1e-9 * start.total());
}

/// Gradient and Hessian of the incremental potential against differences, with contacts of several reaches and friction.
fn derives<const D: usize>() {
    let mut body = slotted::<D>(true, |x| 0.02 + 0.06 * x);
    press(&mut body, 0.3, &[(0.0, 0.0, 0.0), (0.1, 0.0, -0.06), (0.2, 0.1, -0.06)]);
    let mut params = params(DHAT);
    params.friction.mu = Mu::same(0.3);
    params.friction.eps_v = 0.5;
    let (model, mut state) = model(body, params);
    run(&model, &mut state, 13);
    let contacts = model.contacts_at(&state.q, &[]);
    println!("{:?}", contacts.iter().map(stiction::contact::Contacts::len).collect::<Vec<_>>());
    assert!(contacts.near.iter().filter(|near| !near.is_empty()).count() > 1);
    // Seeds with which no closest feature changes within the difference: there the Hessian jumps.
    for seed in [1, 2, 6] {
        compare_around(&format!("near {D}D"), &model, &state, &mut Random::new(seed));
    }
}

#[test]
fn near_contacts_have_derivatives_in_2d() {
    derives::<2>();
}

#[test]
fn near_contacts_have_derivatives_in_3d() {
    derives::<3>();
}

/// Everything in a state that steps depend on, as bits.
fn bits<const D: usize>(state: &State<D>) -> Vec<u64> {
    let numbers = [&state.q, &state.v].into_iter().flat_map(|field| vector::flat(field));
    let memory = state.memory.iter().flat_map(|(_, numbers)| numbers);
    numbers.chain(memory).chain(&state.kappa).map(|number| number.to_bits()).collect()
}

#[test]
fn threads_do_not_matter_and_runs_resume() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (model, mut state) = claps::<3>();
            let reports = run(&model, &mut state, 15);
            let rubs = |report: &StepReport<3>| report.friction.slip + report.friction.stick > 0;
            println!("{:?}", reports.iter().map(rubs).collect::<Vec<_>>());
            assert!(reports.iter().any(rubs));
            bits(&state)
        })
    };
    let one = on(1);
    for threads in [2, 8] {
        assert!(one == on(threads), "differs on {threads} threads");
    }
    let (model, mut state) = claps::<3>();
    run(&model, &mut state, 3);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("slotted.state");
    state.save(&path, &model).unwrap();
    let mut loaded = State::load(&path, &model).unwrap();
    let reports = run(&model, &mut loaded, 12);
    assert!(reports.iter().any(|report| report.contacts.total() > 0));
    assert!(bits(&loaded) == one, "a run that was resumed differs");
}

/// A block of edges of a third of d̂ bends and is compressed by a tenth without any contact.
fn is_fine<const D: usize>() {
    let cells: [usize; D] = std::array::from_fn(|k| [10, 4, 3][k]);
    let edge = DHAT / 3.0;
    let size = Vector(std::array::from_fn(|k| edge * cells[k] as f64));
    let mesh = ShapeMesh::from(BoxMesh::new(size * 0.5, size, cells, 0.0));
    let mut body = Body {
        triangles: mesh.triangles,
        tetrahedra: mesh.tetrahedra,
        ..Body::new("fine", mesh.vertices, Lame::new(1e5, 0.3).unwrap(), 1000.0)
    };
    let frames = |x: f64, y: f64| Trajectory::new(vec![(0.0, Vector::ZERO), (0.1, vector(x, y))]).unwrap();
    for (x, y) in [(-0.1 * size[0], 0.0), (0.0, 0.2 * size[0])] {
        let left = select(&body, |x| x[0] < 1e-9);
        let right = select(&body, |x| x[0] > size[0] - 1e-9);
        body.prescribed = vec![(left, Trajectory::default()), (right, frames(x, y))];
        let (model, mut state) = model(body.clone(), params(DHAT));
        assert!(!model.reaches.is_empty());
        let reports = run(&model, &mut state, 12);
        assert!(reports.iter().all(|report| report.contacts.total() == 0 && report.energies.barrier == 0.0));
        assert!(reports[12].energies.elastic > 0.0);
    }
}

#[test]
fn meshes_finer_than_dhat_deform_without_contact() {
    is_fine::<2>();
    is_fine::<3>();
}

/// The energy has no jump where the closest features change, between pairs of the usual reach and of shorter ones, too.
fn is_continuous<const D: usize>() {
    let (model, state) = model(slotted::<D>(false, |x| 0.03 + 0.15 * x), params(DHAT));
    let kappa = Some(model.stiffness.first());
    // The upper plate turns until the slot is 0.004 m wide and slides along the lower one.
    let at = |s: f64| -> Vec<Vector<D>> {
        let upper = |x: &Vector<D>| x[1] > 0.2 + 1e-9;
        let turned = |x: &Vector<D>| {
            let angle = -0.15 * (s * 2.0).min(1.0);
            *x + vector(0.5 * s + 0.02, -0.026 * (s * 2.0).min(1.0)) + vector(0.0, angle * x[0])
        };
        state.q.iter().map(|x| if upper(x) { turned(x) } else { *x }).collect()
    };
    let energy = |s: f64| {
        let x = at(s);
        let contacts = model.contacts_at(&x, &[]);
        let both = !contacts.usual.is_empty() && contacts.near.iter().any(|near| !near.is_empty());
        (model.barrier_potential(&contacts, &[], kappa).energy(&x), both)
    };
    let largest = [1000, 4000].map(|count| {
        let energies: Vec<_> = (0..=count).map(|k| energy(f64::from(k) / f64::from(count))).collect();
        assert!(energies.iter().filter(|(_, both)| *both).count() > 100);
        energies.windows(2).map(|two| (two[1].0 - two[0].0).abs()).fold(0.0, f64::max)
    });
    println!("{D}D: {largest:?} J");
    assert!(largest[1] < 0.3 * largest[0], "steps a fourth as long change it by {largest:?}");
}

#[test]
fn energy_is_continuous_across_reaches() {
    is_continuous::<2>();
    is_continuous::<3>();
}

/// A fine surface with a slot that a coarse solid carries.
#[test]
fn embedded_surfaces_have_slots() {
    let coarse = ShapeMesh::from(BoxMesh::new(Vector([0.5, 0.215]), Vector([1.2, 0.5]), [4, 2], 0.0));
    let fine = slotted::<2>(true, |_| WIDTH);
    let edges = stiction::mesh::boundary::of_triangles(&fine.triangles);
    let mut used = vec![u32::MAX; fine.vertices.len()];
    let mut vertices = Vec::new();
    let edges = edges.into_iter().map(|edge| {
        edge.map(|v| {
            if used[v as usize] == u32::MAX {
                used[v as usize] = vertices.len() as u32;
                vertices.push(fine.vertices[v as usize]);
            }
            used[v as usize]
        })
    });
    let skin = Skin { edges: edges.collect(), vertices, triangles: vec![] };
    let mut body = Body {
        triangles: coarse.triangles,
        skin: Some(skin),
        ..Body::new("carried", coarse.vertices, Lame::new(1e5, 0.3).unwrap(), 1000.0)
    };
    let upper = select(&body, |x| x[1] > 0.46);
    let lower = select(&body, |x| x[1] < 0.0);
    let down = Trajectory::new(vec![(0.0, Vector::ZERO), (0.2, Vector([0.0, -0.32]))]).unwrap();
    body.prescribed = vec![(lower, Trajectory::default()), (upper, down)];
    let (model, mut state) = model(body, params(DHAT));
    assert!(!model.reaches.is_empty() && model.contacts_at(model.surface.rest(), &[]).is_empty());
    let reports = run(&model, &mut state, 20);
    println!("{:?}, {} N", reports[20].contacts, reports[20].normal_force);
    assert!(reports[1].contacts.total() == 0 && reports[20].contacts.total() > 0);
}
