//! What the tests share: random numbers, difference quotients and small scenes.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::array::from_fn;
use std::collections::BTreeMap;

use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::blocks::Blocks;
use stiction::broad_phase::BroadPhaseKind;
use stiction::contact::{Contacts, Selection};
use stiction::distance::Psd;
use stiction::math::vector::{flat, flat_mut};
use stiction::math::{Matrix, Vector};
use stiction::mesh::Surface;
use stiction::obstacle::{Obstacle, Plane};
use stiction::potential::Potential;

/// The same numbers in every run: a linear congruential generator, of which the high bits are used.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d)
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// `N` points of the cube of half side `half`.
    pub fn points<const D: usize, const N: usize>(&mut self, half: f64) -> [Vector<D>; N] {
        from_fn(|_| Vector(from_fn(|_| self.between(-half, half))))
    }

    /// A rotation: one turn in every coordinate plane.
    pub fn rotation<const D: usize>(&mut self) -> Matrix<D> {
        let mut rotation = Matrix::scalar(1.0);
        for p in 0..D {
            for q in p + 1..D {
                let (sin, cos) = self.between(-3.0, 3.0).sin_cos();
                let mut turn = Matrix::<D>::scalar(1.0);
                (turn.0[p][p], turn.0[p][q], turn.0[q][p], turn.0[q][q]) = (cos, -sin, sin, cos);
                rotation = rotation * turn;
            }
        }
        rotation
    }
}

/// Derivative of `f` by the `k`-th number of `x`: central differences of fourth order.
pub fn slope<const D: usize>(
    x: &[Vector<D>],
    k: usize,
    h: f64,
    f: impl Fn(&[Vector<D>]) -> Vec<f64>,
) -> Vec<f64> {
    let at = |step: f64| f(&moved(x, k, step));
    let (near, far) = ((at(h), at(-h)), (at(2.0 * h), at(-2.0 * h)));
    (0..near.0.len()).map(|i| (8.0 * (near.0[i] - near.1[i]) - (far.0[i] - far.1[i])) / (12.0 * h)).collect()
}

/// `x` with its `k`-th number changed by `step`.
pub fn moved<const D: usize>(x: &[Vector<D>], k: usize, step: f64) -> Vec<Vector<D>> {
    let mut y = x.to_vec();
    flat_mut(&mut y)[k] += step;
    y
}

/// The largest absolute value; NaN if there is one.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, v| if v.abs() > m || v.is_nan() { v.abs() } else { m })
}

/// Asserts that no entry differs by more than `tolerance`; NaN differs from everything.
pub fn assert_close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (k, (p, q)) in a.iter().zip(b).enumerate() {
        assert!((p - q).abs() <= tolerance, "{what}, entry {k}: {p:e} and {q:e}, allowed {tolerance:e}");
    }
}

/// Numbers of the largest scene: 7 vertices in 3D.
pub const ROOM: usize = 21;

/// A matrix of a small scene.
pub type Dense = [[f64; ROOM]; ROOM];

/// The whole symmetric matrix that the blocks stand for.
pub fn dense<const D: usize>(blocks: &Blocks<D>) -> Dense {
    let mut out = [[0.0; ROOM]; ROOM];
    for (row, column, block) in blocks.iter() {
        for k in 0..D {
            for l in 0..D {
                let (i, j) = (row * D + k, column * D + l);
                out[i][j] += block.0[k][l];
                if row != column {
                    out[j][i] += block.0[k][l];
                }
            }
        }
    }
    out
}

pub const DHAT: f64 = 0.2;

/// A surface of at most 7 vertices with its obstacles, and how its contacts act.
pub struct Scene<const D: usize> {
    pub surface: Surface<D>,
    pub x: Vec<Vector<D>>,
    pub obstacles: Vec<Obstacle<D>>,
    pub law: BarrierLaw,
    pub selection: Selection,
}

impl<const D: usize> Scene<D> {
    /// The surface, somewhere and turned at random, with a plane close to one of its vertices.
    pub fn new(
        random: &mut Random,
        points: &[Vector<D>],
        edges: Vec<[u32; 2]>,
        faces: Vec<[u32; 3]>,
    ) -> Self {
        let rotation = random.rotation();
        let x: Vec<_> = points.iter().map(|p| rotation * *p).collect();
        let [normal] = random.points::<D, 1>(1.0);
        let normal = normal.normalized();
        let lowest = x.iter().map(|p| p.dot(normal)).fold(f64::INFINITY, f64::min);
        let gap = DHAT * random.between(0.2, 1.5);
        let plane = Plane::new(normal * (lowest - gap), normal).unwrap();
        let surface = Surface::new(x.clone(), edges, faces).unwrap();
        Self { obstacles: vec![Obstacle::Plane(plane)], ..Self::of(surface, x) }
    }

    /// Without obstacles.
    pub fn of(surface: Surface<D>, x: Vec<Vector<D>>) -> Self {
        let law = BarrierLaw::new(BarrierKind::ClampedLog, DHAT).unwrap();
        Self { surface, x, obstacles: vec![], law, selection: Selection::within(DHAT) }
    }

    /// The same scene with other contacts; both must reach d̂.
    pub fn with(mut self, law: BarrierLaw, selection: Selection) -> Self {
        (self.law, self.selection) = (law, selection);
        self
    }

    /// The contacts at `x`, found anew.
    pub fn contacts(&self, x: &[Vector<D>]) -> Contacts {
        let candidates = BroadPhaseKind::BruteForce.candidates(&self.surface, x, x, DHAT);
        Contacts::build(&self.surface, &candidates, &self.obstacles, x, &self.selection)
    }

    pub fn barrier<'a>(&'a self, contacts: &'a Contacts) -> BarrierPotential<'a, D> {
        BarrierPotential { contacts, obstacles: &self.obstacles, law: self.law, kappa: 7.0.into() }
    }

    pub fn energy(&self, x: &[Vector<D>]) -> f64 {
        self.barrier(&self.contacts(x)).energy(x)
    }

    pub fn gradient(&self, x: &[Vector<D>]) -> Vec<f64> {
        gradient(&self.barrier(&self.contacts(x)), x)
    }

    pub fn hessian(&self, x: &[Vector<D>], psd: Psd) -> Dense {
        hessian(&self.barrier(&self.contacts(x)), x, psd)
    }

    fn acceptable(&self) -> bool {
        let contacts = self.contacts(&self.x);
        contacts.len() > contacts.obstacle.len()
            && contacts.smallest_gap(&self.x, &self.obstacles) > 0.15 * DHAT
    }
}

/// The gradient of a potential as one list of numbers.
pub fn gradient<const D: usize>(potential: &impl Potential<D>, x: &[Vector<D>]) -> Vec<f64> {
    let mut out = vec![Vector::ZERO; x.len()];
    potential.gradient(x, 1.0, &mut out);
    flat(&out).to_vec()
}

/// The Hessian of a potential, in full.
pub fn hessian<const D: usize>(potential: &impl Potential<D>, x: &[Vector<D>], psd: Psd) -> Dense {
    let mut blocks = Blocks::default();
    blocks.assemble(potential, x, 1.0, psd);
    dense(&blocks)
}

/// Two chains of two segments each.
pub fn chains(random: &mut Random) -> Scene<2> {
    loop {
        let x: [Vector<2>; 6] = random.points(0.5);
        let edges = [[0, 1], [1, 2], [3, 4], [4, 5]];
        let long = edges.iter().all(|&[a, b]: &[usize; 2]| (x[a] - x[b]).norm() > 0.3);
        let scene = Scene::new(random, &x, edges.map(|e| e.map(|v| v as u32)).to_vec(), vec![]);
        if long && scene.acceptable() {
            return scene;
        }
    }
}

/// Two triangles that are not slivers.
pub fn triangles(random: &mut Random) -> Scene<3> {
    loop {
        let x: [Vector<3>; 6] = random.points(0.5);
        let round = |a: Vector<3>, b: Vector<3>, c: Vector<3>| {
            let (u, v) = (b - a, c - a);
            u.norm_squared() * v.norm_squared() - u.dot(v).powi(2) > 0.01
        };
        let scene = Scene::new(random, &x, vec![], vec![[0, 1, 2], [3, 4, 5]]);
        if round(x[0], x[1], x[2]) && round(x[3], x[4], x[5]) && scene.acceptable() {
            return scene;
        }
    }
}

/// Two edges between 0.4° and 1.8° from parallel, shifted along each other by up to a length.
pub fn nearly_parallel(random: &mut Random) -> Scene<3> {
    loop {
        let around = random.between(0.0, 6.0);
        // Lines that turn across the gap have their closest points near the middle.
        let across = around + std::f64::consts::FRAC_PI_2 + random.between(-0.3, 0.3);
        let turn = if random.between(0.0, 1.0) < 0.5 { across } else { random.between(0.0, 6.0) };
        let tilt = random.between(0.007, 0.032);
        let half = Vector([0.5, 0.5 * tilt * turn.cos(), 0.5 * tilt * turn.sin()]);
        let gap = random.between(0.2, 0.9) * DHAT;
        let centre = Vector([random.between(-1.15, 1.15), gap * around.cos(), gap * around.sin()]);
        let half = if random.between(0.0, 1.0) < 0.5 { -half } else { half };
        let x = [Vector([-0.5, 0.0, 0.0]), Vector([0.5, 0.0, 0.0]), centre - half, centre + half];
        let scene = Scene::new(random, &x, vec![[0, 1], [2, 3]], vec![]);
        if scene.acceptable() && !scene.contacts(&scene.x).parallel.is_empty() {
            return scene;
        }
    }
}

/// Two triangles with a common edge close to a third one.
pub fn strips(random: &mut Random) -> Scene<3> {
    loop {
        let jitter: [Vector<3>; 7] = random.points(0.2);
        let flat = [[-0.6, 0.0], [0.0, -0.5], [0.0, 0.5], [0.6, 0.0], [-0.5, -0.3], [0.5, -0.4], [0.0, 0.5]];
        let shift = Vector([random.between(-0.6, 0.6), random.between(-0.6, 0.6), random.between(0.1, 0.4)]);
        let place = |i: usize| Vector([flat[i][0], flat[i][1], 0.0]) + jitter[i];
        let x: [Vector<3>; 7] = from_fn(|i| if i < 4 { place(i) } else { place(i) + shift });
        let scene = Scene::new(random, &x, vec![], vec![[0, 1, 2], [1, 3, 2], [4, 5, 6]]);
        if scene.acceptable() {
            return scene;
        }
    }
}

/// [`nearly_parallel`] edges, each with a triangle on the side away from the other.
pub fn nearly_parallel_triangles(random: &mut Random) -> Scene<3> {
    loop {
        let edges = nearly_parallel(random);
        let mut x = edges.x.clone();
        let apart = (x[0] + x[1] - x[2] - x[3]).normalized();
        let [a, b] = random.points::<3, 2>(0.4);
        x.push((x[0] + x[1]) * 0.5 + apart * 0.7 + a);
        x.push((x[2] + x[3]) * 0.5 - apart * 0.7 + b);
        let scene = Scene::new(random, &x, vec![], vec![[0, 1, 4], [2, 5, 3]]);
        if scene.acceptable() && !scene.contacts(&scene.x).parallel.is_empty() {
            return scene;
        }
    }
}

/// How many contacts of each kind were met.
#[derive(Default)]
pub struct Census(BTreeMap<String, usize>);

impl Census {
    pub fn note(&mut self, kind: impl Into<String>, count: usize) {
        *self.0.entry(kind.into()).or_default() += count;
    }

    pub fn add(&mut self, contacts: &Contacts) {
        for (kind, count) in counts(contacts) {
            self.note(kind, count);
        }
        let negative = contacts.weights().iter().filter(|weight| **weight < 0.0).count();
        self.note("negative", negative);
        for c in &contacts.parallel {
            self.note(format!("parallel {:?} {:?}", c.parts.0, c.parts.1), 1);
        }
    }

    /// Notes which kinds became fewer and which more.
    pub fn add_changes(&mut self, before: &Contacts, after: &Contacts) {
        let changes = || counts(before).into_iter().zip(counts(after));
        for ((lost, _), _) in changes().filter(|((_, a), (_, b))| a > b) {
            for ((found, _), _) in changes().filter(|((_, a), (_, b))| a < b) {
                self.note(format!("{lost} to {found}"), 1);
            }
        }
        // Alone: the others are as they were.
        let changed: Vec<_> = changes().filter(|((_, a), (_, b))| a != b).collect();
        if let [((kind, a), (_, b))] = changed[..] {
            self.note(format!("{kind} {}", if a < b { "appears" } else { "vanishes" }), 1);
        }
    }

    pub fn require(&self, kind: &str, least: usize) {
        self.require_for(kind, least, "");
    }

    pub fn of(&self, kind: &str) -> usize {
        self.0.get(kind).copied().unwrap_or(0)
    }

    pub fn require_for(&self, kind: &str, least: usize, what: &str) {
        let found = self.of(kind);
        assert!(found >= least, "{what} only {found} of kind {kind}: {:?}", self.0);
    }
}

/// How many contacts there are of each kind.
fn counts(c: &Contacts) -> [(&'static str, usize); 6] {
    [
        ("vv", c.vv.len()),
        ("ve", c.ve.len()),
        ("ee", c.ee.len()),
        ("vf", c.vf.len()),
        ("parallel", c.parallel.len()),
        ("obstacle", c.obstacle.len()),
    ]
}

/// The contacts one by one.
pub fn single_contacts(all: &Contacts) -> Vec<Contacts> {
    let mut out = Vec::new();
    out.extend(all.vv.iter().map(|c| Contacts { vv: vec![*c], ..Contacts::default() }));
    out.extend(all.ve.iter().map(|c| Contacts { ve: vec![*c], ..Contacts::default() }));
    out.extend(all.ee.iter().map(|c| Contacts { ee: vec![*c], ..Contacts::default() }));
    out.extend(all.vf.iter().map(|c| Contacts { vf: vec![*c], ..Contacts::default() }));
    out.extend(all.parallel.iter().map(|c| Contacts { parallel: vec![*c], ..Contacts::default() }));
    out.extend(all.obstacle.iter().map(|c| Contacts { obstacle: vec![*c], ..Contacts::default() }));
    out
}
