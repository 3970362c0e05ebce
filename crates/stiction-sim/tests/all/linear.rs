//! Scenes end in the same place whatever solves their linear systems.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support;
use stiction::assemble::{self, Assembly};
use stiction::blocks::Blocks;
use stiction::math::{Matrix, Vector};
use stiction::stencil::Stencil;
use stiction_sim::linear::{ConjugateGradients, DirectSolver, LinearKind, LinearSolver, Precision, System};
use stiction_sim::model::Model;
use stiction_sim::newton::Workspace;
use stiction_sim::params::NewtonParams;
use stiction_sim::report::StepReport;
use stiction_sim::state::State;
use stiction_sim::step::step;
use stiction_sim::timings::Phase;

fn solver<const D: usize>(linear: LinearKind) -> Workspace<D> {
    Workspace::new(NewtonParams { linear, ..NewtonParams::default() }).unwrap()
}

/// Some steps of a scene with a solver.
fn run<const D: usize>(
    name: &str,
    steps: usize,
    kind: LinearKind,
) -> (Model<D>, State<D>, Vec<StepReport<D>>) {
    let (model, mut state) = support::scene(name).build::<D>().unwrap();
    let mut work = solver(kind);
    let reports = (0..steps).map(|_| step(&model, &mut state, &mut work).unwrap()).collect();
    (model, state, reports)
}

/// Each step stops within Newton's tolerance of its minimum, so after all of them solutions are as many tolerances apart.
fn compare<const D: usize>(name: &str, steps: usize) {
    let (model, direct, _) = run::<D>(name, steps, LinearKind::Direct);
    let (_, iterative, reports) = run::<D>(name, steps, LinearKind::ConjugateGradients);
    let apart = direct.q.iter().zip(&iterative.q).map(|(a, b)| (*a - *b).norm()).fold(0.0, f64::max);
    let fallbacks: usize = reports.iter().map(|report| report.fallbacks).sum();
    let allowed = Workspace::default().tolerance(&model) * model.params.time.step * steps as f64;
    println!(
        "{name}: {apart:.1e} m apart, {allowed:.1e} allowed, {fallbacks} solutions by the direct solver"
    );
    assert!(apart <= allowed);
    assert!(fallbacks < steps, "conjugate gradients solve nothing");
}

#[test]
fn solvers_agree() {
    compare::<2>("slide-2d.toml", 60);
    compare::<3>("stick-3d.toml", 30);
    compare::<3>("rub-3d.toml", 20);
}

/// What a workspace solved in earlier steps leaves no trace: a run goes on from a state with the same bits.
#[test]
fn a_step_does_not_depend_on_systems_before_it() {
    let (model, mut state) = support::scene("stack-3d.toml").build::<3>().unwrap();
    let mut used = solver(LinearKind::ConjugateGradients);
    for k in 0..12 {
        let mut again = state.clone();
        step(&model, &mut state, &mut used).unwrap();
        if k % 3 == 2 {
            step(&model, &mut again, &mut solver(LinearKind::ConjugateGradients)).unwrap();
            assert!(again == state, "step {k}");
        }
    }
}

/// Cholesky's factorisation of the whole matrix, as in a textbook.
#[derive(Debug, Default)]
struct Textbook(Arc<AtomicUsize>);

impl<const D: usize> DirectSolver<D> for Textbook {
    fn solve(&mut self, matrix: &Blocks<D>, b: &[Vector<D>], shifts: &[f64]) -> Option<Vec<Vector<D>>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let n = D * b.len();
        let mut a = vec![vec![0.0; n]; n];
        for (row, column, block) in matrix.iter() {
            for (k, values) in block.0.iter().enumerate() {
                for (l, value) in values.iter().enumerate() {
                    let (i, j) = (row * D + k, column * D + l);
                    (a[i][j], a[j][i]) = (*value, *value);
                }
            }
        }
        for i in 0..n {
            a[i][i] += shifts.get(i / D).copied().unwrap_or(0.0);
        }
        let mut p: Vec<f64> = (0..n).map(|i| b[i / D][i % D]).collect();
        for j in 0..n {
            let pivot = a[j][j] - (0..j).map(|k| a[j][k] * a[j][k]).sum::<f64>();
            if pivot.is_nan() || pivot <= 0.0 {
                return None;
            }
            a[j][j] = pivot.sqrt();
            for i in j + 1..n {
                a[i][j] = (a[i][j] - (0..j).map(|k| a[i][k] * a[j][k]).sum::<f64>()) / a[j][j];
            }
            p[j] = (p[j] - (0..j).map(|k| a[j][k] * p[k]).sum::<f64>()) / a[j][j];
        }
        for j in (0..n).rev() {
            p[j] = (p[j] - (j + 1..n).map(|i| a[i][j] * p[i]).sum::<f64>()) / a[j][j];
        }
        Some(p.as_chunks::<D>().0.iter().map(|p| Vector(*p)).collect())
    }
}

/// A solver of a user's own takes the place of ours, also where the matrix is indefinite.
#[test]
fn another_solver_finds_the_same() {
    let (model, ours, reports) = run::<2>("rub-2d.toml", 10, LinearKind::Direct);
    let calls = Arc::new(AtomicUsize::new(0));
    let (_, mut theirs) = support::scene("rub-2d.toml").build::<2>().unwrap();
    let mut work = Workspace::default().with_solver(LinearSolver::with_direct(Textbook(calls.clone())));
    let iterations: usize = (0..10).map(|_| step(&model, &mut theirs, &mut work).unwrap().iterations).sum();
    assert!(calls.load(Ordering::Relaxed) >= iterations && iterations > 10);
    assert_eq!(iterations, reports.iter().map(|report| report.iterations).sum::<usize>());
    let apart = ours.q.iter().zip(&theirs.q).map(|(a, b)| (*a - *b).norm()).fold(0.0, f64::max);
    assert!(apart < 1e-10, "{apart:e} m apart");
}

#[test]
fn few_unknowns_are_solved_directly() {
    let (_, direct, _) = run::<2>("rub-2d.toml", 10, LinearKind::Direct);
    let (_, auto, _) = run::<2>("rub-2d.toml", 10, LinearKind::Auto);
    assert!(direct.q == auto.q && direct.v == auto.v);
}

/// Springs between neighbours in a square of `side²` vertices, each of them held by a weak spring.
fn square_of_springs(side: u32) -> Blocks<3> {
    let count = side * side;
    let single: Vec<u32> = (0..count).collect();
    let across = single.iter().filter(|v| *v % side > 0).map(|v| [v - 1, *v]);
    let springs: Vec<[u32; 2]> = across.chain((side..count).map(|v| [v - side, v])).collect();
    let mut matrix = Blocks::default();
    matrix.begin(count as usize, |stencils| {
        stencils.push(single.iter().map(|v| Stencil([*v])));
        stencils.push(springs.iter().map(|nodes| Stencil(*nodes)));
    });
    let out = &mut Assembly::Matrix(&mut matrix);
    assemble::hessian(&single, out, |_, v| Stencil([*v]), |_, _| [[Matrix::scalar(1e-3)]]);
    assemble::hessian(
        &springs,
        out,
        |_, nodes| Stencil(*nodes),
        |k, _| {
            let way = Vector([1.0, (k as f64).sin(), 0.3 * (k as f64).cos()]);
            let block = way.outer(way) + Matrix::scalar(0.1);
            [[block, block * -1.0], [block * -1.0, block]]
        },
    );
    matrix.finish();
    matrix
}

/// Of so many vertices that sums and products are shared among threads: a run with 140 would be the same whatever these do.
#[test]
fn conjugate_gradients_do_not_depend_on_threads() {
    let matrix = square_of_springs(60);
    let b: Vec<Vector<3>> =
        (0..3600).map(|i| Vector([(0.1 * f64::from(i)).sin(), 0.3, f64::from(i % 7)])).collect();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut solver = ConjugateGradients::default();
            let system = System { matrix: &matrix, b: &b, places: &[], longest: f64::INFINITY };
            let p = solver.solve(&system, &Precision::FULL).unwrap();
            (p, solver.iterations())
        })
    };
    let one = on(1);
    assert!(one.1 > 10, "{} iterations", one.1);
    assert!([2, 3, 8].into_iter().all(|threads| on(threads) == one));
}

#[test]
fn a_scene_names_its_solver() {
    let text = support::scene("slide-2d.toml").text().to_owned();
    let with = |name: &str| {
        let text = text.replace("[[bodies]]", &format!("[solver]\nlinear = \"{name}\"\n\n[[bodies]]"));
        stiction_sim::scene::Scene::parse(&text).and_then(|scene| scene.workspace::<2>())
    };
    for kind in LinearKind::ALL {
        assert_eq!(with(kind.name()).unwrap().newton().linear, kind);
    }
    let said = with("lu").unwrap_err().to_string();
    assert!(said.contains("solver.linear") && said.contains("direct, cg, auto"), "{said}");
}

#[test]
fn times_add_up_and_can_be_taken() {
    let (model, mut state, mut work) = support::begin::<2>(&support::scene("slide-2d.toml"));
    for _ in 0..5 {
        step(&model, &mut state, &mut work).unwrap();
    }
    let timings = *work.timings();
    assert_eq!(timings.steps(), 5);
    let phases = Phase::ALL.map(|phase| timings.of(phase));
    assert!(phases.iter().all(|time| !time.is_zero()));
    assert_eq!(phases.iter().sum::<std::time::Duration>() + timings.rest(), timings.total());
    assert_eq!(work.take_timings().total(), timings.total());
    assert_eq!((work.timings().steps(), work.timings().total()), (0, std::time::Duration::ZERO));
}
