//! Gradient and Hessian of every energy of the simulator against central differences, in 2D and 3D.

use crate::support::Random;
use stiction::blocks::Blocks;
use stiction::distance::Psd;
use stiction::math::{Vector, vector};
use stiction::potential::Potential;
use stiction_sim::energy::Inertia;
use stiction_sim::model::Model;
use stiction_sim::neighbours::Neighbours;
use stiction_sim::newton::Workspace;
use stiction_sim::problem::{Drive, Problem, Solution, TimeSpan};
use stiction_sim::scene::Scene;
use stiction_sim::state::State;
use stiction_sim::step::step;

const STEP: f64 = 1e-6;

/// Two small blocks, the upper one in contact with the lower, and a plane under both.
fn model<const D: usize>() -> (Model<D>, State<D>) {
    let z = if D == 2 { "" } else { ", 0.0" };
    let (size, cells) = if D == 2 { ("[0.3, 0.2]", "[2, 1]") } else { ("[0.3, 0.2, 0.25]", "[2, 1, 1]") };
    let body = |name: &str, x: f64, y: f64, angle: f64| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmaterial = {{ young = 1e4, poisson = 0.3, density = 100.0 }}\n\
             damping = {{ mass = 3.0, stiffness = 2e-3 }}\n\
             shape.box = {{ center = [{x}, {y}{z}], size = {size}, cells = {cells}, rotate_deg = {angle} }}\n"
        )
    };
    let text = format!(
        "dimension = {D}\ngravity = [0.5, -9.81{z}]\ntime = {{ step = 0.01, end = 0.1 }}\n\
         contact.dhat = 0.02\nfriction = {{ mu = 0.4, eps_v = 0.5 }}\n{}{}\
         [[planes]]\npoint = [0.0, -0.11{z}]\nnormal = [0.0, 1.0{z}]\n",
        body("lower", 0.0, 0.0, 0.0),
        body("upper", 0.05, 0.215, 1.0),
    );
    Scene::parse(&text).and_then(|scene| scene.build()).unwrap()
}

/// Compares the derivatives of `at(x)`, a potential rebuilt at every position.
fn compare<const D: usize, P: Potential<D>>(name: &str, x: &[Vector<D>], at: &dyn Fn(&[Vector<D>]) -> P) {
    let size = x.len() * D;
    let gradient = |x: &[Vector<D>]| {
        let mut out = vec![Vector::ZERO; x.len()];
        at(x).gradient(x, 1.0, &mut out);
        vector::flat(&out).to_vec()
    };
    let moved = |k: usize, by: f64| {
        let mut x = x.to_vec();
        vector::flat_mut(&mut x)[k] += by;
        x
    };
    let g = gradient(x);
    let hessian = dense(&at(x), x, Psd::None);
    let largest = |values: &mut dyn Iterator<Item = f64>| values.map(f64::abs).fold(0.0, f64::max);
    let scale = largest(&mut g.iter().copied());
    let hessian_scale = largest(&mut hessian.iter().copied());
    for k in 0..size {
        let (up, down) = (moved(k, STEP), moved(k, -STEP));
        let slope = (at(&up).energy(&up) - at(&down).energy(&down)) / (2.0 * STEP);
        assert!((slope - g[k]).abs() <= 2e-6 * scale, "{name}: gradient {k}: {} for {slope}", g[k]);
        let (up, down) = (gradient(&up), gradient(&down));
        for l in 0..size {
            let bend = (up[l] - down[l]) / (2.0 * STEP);
            let found = hessian[k * size + l];
            assert!(
                (bend - found).abs() <= 1e-5 * hessian_scale,
                "{name}: Hessian {k} {l}: {found} for {bend}"
            );
        }
    }
}

/// The Hessian as a full matrix.
fn dense<const D: usize>(potential: &impl Potential<D>, x: &[Vector<D>], psd: Psd) -> Vec<f64> {
    let size = x.len() * D;
    let mut blocks = Blocks::default();
    blocks.assemble(potential, x, 1.0, psd);
    let mut out = vec![0.0; size * size];
    for (row, column, block) in blocks.iter() {
        for k in 0..D {
            for l in 0..D {
                let (i, j) = (row * D + k, column * D + l);
                out[i * size + j] += block.0[k][l];
                if row != column {
                    out[j * size + i] += block.0[k][l];
                }
            }
        }
    }
    out
}

/// Smallest `yᵀHy/|y|²` over random y and a few inverse-free power steps away from the largest eigenvalue.
fn smallest_quotient(h: &[f64], size: usize) -> f64 {
    let shift = h.chunks(size).map(|row| row.iter().map(|a| a.abs()).sum::<f64>()).fold(0.0, f64::max);
    let mut random = Random::new(3);
    let mut y: Vec<f64> = (0..size).map(|_| random.number() - 0.5).collect();
    let mut quotient = 0.0;
    for _ in 0..300 {
        let hy: Vec<f64> = h.chunks(size).map(|row| row.iter().zip(&y).map(|(a, b)| a * b).sum()).collect();
        let norm2: f64 = y.iter().map(|a| a * a).sum();
        quotient = y.iter().zip(&hy).map(|(a, b)| a * b).sum::<f64>() / norm2;
        y = y.iter().zip(&hy).map(|(a, b)| (shift * a - b) / (shift * norm2.sqrt())).collect();
    }
    quotient / shift
}

fn jiggle<const D: usize>(x: &[Vector<D>], amount: f64, random: &mut Random) -> Vec<Vector<D>> {
    x.iter().map(|x| *x + random.vector() * amount).collect()
}

fn every_energy<const D: usize>() {
    let (model, mut state) = model::<D>();
    let mut random = Random::new(7);
    for _ in 0..4 {
        let x = jiggle(&state.q, 0.01, &mut random);
        compare(&format!("elastic {D}D"), &x, &|_| model.elastic.clone());
        compare(&format!("gravity {D}D"), &x, &|_| model.body_force());
        let inertia = Inertia { mass: &model.mass, predicted: model.surface.rest(), factor: 1.0 };
        compare(&format!("inertia {D}D"), &x, &|_| inertia);
        let h = dense(&model.elastic, &x, Psd::Clamp);
        assert!(smallest_quotient(&h, x.len() * D) > -1e-12);
    }
    // The sum of all, with contact and friction, where contact and friction act.
    let mut work = Workspace::default();
    for _ in 0..3 {
        step(&model, &mut state, &mut work).unwrap();
    }
    compare_increments(&format!("incremental {D}D"), &model, &state, &mut random);
}

/// The incremental potential of a state in contact and close to it, with all that a model has, against differences.
pub fn compare_increments<const D: usize>(
    name: &str,
    model: &Model<D>,
    state: &State<D>,
    random: &mut Random,
) {
    let contacts = Solution::at(model, state, &mut Neighbours::default()).contacts;
    assert!(
        !contacts.usual.obstacle.is_empty()
            && contacts.len() > contacts.usual.obstacle.len()
            && state.kappa.is_some()
    );
    compare_around(name, model, state, random);
}

/// The same of a state with any contacts.
pub fn compare_around<const D: usize>(name: &str, model: &Model<D>, state: &State<D>, random: &mut Random) {
    let h = model.params.time.step;
    let span = TimeSpan { h, steps: state.step + 1, time: state.time + h };
    let drive = Drive::rest(model, state, span).unwrap();
    let scheme = model.params.time.integrator.begin(state, h);
    let problem = Problem::new(model, state, &drive, scheme).unwrap();
    let mut solution = Solution::at(model, state, &mut Neighbours::default());
    solution.slides = problem.freeze(&solution, &model.surface_at(&state.v), true);
    for _ in 0..4 {
        let q = jiggle(&state.q, 1e-3, random);
        let contacts_at = |q: &[Vector<D>]| model.contacts_at(&model.surface_at(q), &solution.obstacles);
        compare(name, &q, &|q| {
            // Leaked: the potential borrows its contacts, and a test ends soon.
            problem.potential_at(&solution, Box::leak(Box::new(contacts_at(q))), &solution.obstacles)
        });
        let contacts = contacts_at(&q);
        let h = dense(&problem.potential_at(&solution, &contacts, &solution.obstacles), &q, Psd::Clamp);
        assert!(smallest_quotient(&h, q.len() * D) > -1e-12);
    }
}

#[test]
fn every_energy_in_2d() {
    every_energy::<2>();
}

#[test]
fn every_energy_in_3d() {
    every_energy::<3>();
}

/// A rigid rotation costs no elastic energy; compression without end costs infinite energy.
#[test]
fn rotation_is_free_and_inversion_is_impossible() {
    let (model, _) = model::<3>();
    let (sin, cos, rest) = (0.7_f64.sin(), 0.7_f64.cos(), model.surface.rest());
    let turned: Vec<_> =
        rest.iter().map(|x| Vector([cos * x[0] - sin * x[1], sin * x[0] + cos * x[1], x[2]])).collect();
    assert!(model.elastic.energy(&turned).abs() < 1e-11);
    let mirrored: Vec<_> = rest.iter().map(|x| Vector([-x[0], x[1], x[2]])).collect();
    assert_eq!(model.elastic.energy(&mirrored), f64::INFINITY);
}
