//! Slides: which coefficients, axes and normal forces contacts get, and that friction changes continuously as contacts do.

use std::sync::Arc;

use crate::support::{self, Census, DHAT, Random, Scene, assert_close, gradient, largest};
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::broad_phase::BroadPhaseKind;
use stiction::contact::{ContactSet, Contacts, ParallelContact, PerContact, Selection, Weighting};
use stiction::error::Error;
use stiction::friction::{
    self, Anisotropy, Axes, Blend, Coefficients, Detail, Entry, FrictionKind, FrictionPotential, Grain,
    Motion, Mu, PairTable, Sides, Slide, Slides, Stribeck, lag,
};
use stiction::math::vector::cross;
use stiction::math::{Matrix, Vector};
use stiction::mesh::Surface;
use stiction::mollifier::cross_squared;
use stiction::obstacle::{Obstacle, Plane, RigidVelocity, Sphere};
use stiction::tangent;

/// Runs a test inside a pool of so many threads.
fn on_threads<R: Send>(count: usize, test: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap().install(test)
}

// --- Continuity ---

const EPS_V: f64 = 0.5;

/// Parts of a path that are looked at.
const STEPS: usize = 64;

/// How often a part is halved: down to 2⁻⁴² of the path.
const DEPTH: u32 = 36;

/// Jumps below this part of the largest force are none.
const SMALL: f64 = 1e-7;

/// Friction forces at one point of a path, with the contacts that they belong to.
struct Sample {
    contacts: Contacts,
    force: Vec<f64>,
}

/// A scene on its way along `x + t p`, with fixed velocities of the vertices.
struct MovingSurface<'a, const D: usize> {
    scene: &'a Scene<D>,
    p: Vec<Vector<D>>,
    v: Vec<Vector<D>>,
    coefficients: Coefficients<D>,
    /// Whether friction of nearly parallel edges is left out.
    without_parallel: bool,
}

impl<const D: usize> MovingSurface<'_, D> {
    fn x(&self, t: f64) -> Vec<Vector<D>> {
        self.scene.x.iter().zip(&self.p).map(|(x, p)| *x + *p * t).collect()
    }

    /// Contacts found and lagged anew at `t`.
    fn at(&self, t: f64) -> Sample {
        let x = self.x(t);
        let contacts = self.scene.contacts(&x);
        let mut slides = lag(&self.scene.barrier(&contacts), &x, &self.coefficients);
        if self.without_parallel {
            slides.ee.truncate(contacts.ee.len());
        }
        let motion = Motion { x_ref: &x, v_ref: &self.v, h_hat: 1.0 };
        let law = FrictionKind::default();
        let force = gradient(&FrictionPotential { slides: &slides, motion, law, eps_v: EPS_V }, &x);
        Sample { contacts, force }
    }

    /// What is left of the change of the force between two samples, halved until it is below `small` or 36 times: around every change of
    /// the contacts, however small it seems.
    fn jump(&self, (a, b): (f64, f64), (before, after): (&Sample, &Sample), small: f64, depth: u32) -> f64 {
        let change = distance(&before.force, &after.force);
        let smooth = before.contacts == after.contacts;
        if smooth || change < small && depth > 20 {
            return if smooth { 0.0 } else { change };
        }
        if depth == DEPTH {
            return self.left((a, b), change, small);
        }
        let middle = 0.5 * (a + b);
        let between = self.at(middle);
        let first = self.jump((a, middle), (before, &between), small, depth + 1);
        first.max(self.jump((middle, b), (&between, after), small, depth + 1))
    }

    /// A change over a short interval, or 0 if it is one that shrinks with the interval, as a root does: of the change over 64 times as much, a
    /// root leaves an eighth and a jump all. A peak has such roots where μ of vertices or materials makes `μ_s` come down to `μ_k`.
    fn left(&self, (a, b): (f64, f64), change: f64, small: f64) -> f64 {
        let (width, middle) = (b - a, 0.5 * (a + b));
        let wide = distance(&self.at(middle - 32.0 * width).force, &self.at(middle + 32.0 * width).force);
        if change < small || change <= 0.25 * wide { 0.0 } else { change }
    }

    /// The same, each time for the half with more of the change.
    fn steepest(&self, (mut a, mut b): (f64, f64), small: f64) -> f64 {
        let (mut before, mut after) = (self.at(a), self.at(b));
        for _ in 0..DEPTH {
            if distance(&before.force, &after.force) < small {
                break;
            }
            let middle = 0.5 * (a + b);
            let between = self.at(middle);
            if distance(&before.force, &between.force) > distance(&between.force, &after.force) {
                (b, after) = (middle, between);
            } else {
                (a, before) = (middle, between);
            }
        }
        self.left((a, b), distance(&before.force, &after.force), small)
    }

    /// Walks until `t = 1` or something comes too close. Returns the largest jump relative to the largest force.
    fn walk(&self, census: &mut Census) -> f64 {
        let time = |step: usize| step as f64 / STEPS as f64;
        let far = |step: &usize| {
            let x = self.x(time(*step));
            self.scene.contacts(&x).smallest_gap(&x, &self.scene.obstacles) >= 0.15 * DHAT
        };
        let all: Vec<Sample> = (0..=STEPS).take_while(far).map(|step| self.at(time(step))).collect();
        let size = |sample: &Sample| distance(&sample.force, &vec![0.0; sample.force.len()]);
        let largest = all.iter().map(size).fold(1e-3, f64::max);
        let (mut jump, mut steepest, mut place) = (0.0_f64, 0.0, (0.0, 0.0));
        for (step, pair) in all.windows(2).enumerate() {
            let interval = (time(step), time(step + 1));
            jump = jump.max(self.jump(interval, (&pair[0], &pair[1]), SMALL * largest, 0));
            let change = distance(&pair[0].force, &pair[1].force);
            if change > steepest {
                (steepest, place) = (change, interval);
            }
            self.note(&pair[0].contacts, (&pair[1].contacts, interval.1), census);
        }
        jump.max(self.steepest(place, SMALL * largest)) / largest
    }

    /// Notes how the contacts changed on the way to those at `t`.
    fn note(&self, before: &Contacts, (after, t): (&Contacts, f64), census: &mut Census) {
        census.add_changes(before, after);
        let parts =
            |c: &Contacts| c.parallel.iter().map(|c| (c.contact.stencil, c.parts)).collect::<Vec<_>>();
        let (a, b) = (parts(before), parts(after));
        if a != b && a.iter().map(|c| c.0).eq(b.iter().map(|c| c.0)) {
            census.note("other parts of parallel edges", 1);
        }
        let x = self.x(t);
        let exactly =
            |c: &&ParallelContact| cross_squared(&c.contact.stencil.gather(&x)) < 1e-20 * c.threshold;
        census.note("exactly parallel", after.parallel.iter().filter(exactly).count());
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// One number, one for every vertex, or several materials on every body.
fn some_coefficients<const D: usize>(random: &mut Random, vertices: usize, path: usize) -> Coefficients<D> {
    if path.is_multiple_of(3) {
        return 0.4.into();
    }
    let mu = random_mu(random, vertices);
    let by_vertex = Coefficients::from(9.0).with_vertices(mu, Blend::ALL[path % 5].clone()).unwrap();
    if path % 3 == 1 {
        return by_vertex;
    }
    let table = PairTable::new(&["a", "b", "c"]).unwrap().with("a", "b", 0.3).unwrap();
    let table = table.with("b", "b", 0.1).unwrap().with("c", "b", 0.7).unwrap();
    let mut any = || [random.between(0.0, 1.0) < 0.4, random.between(0.0, 1.0) < 0.4];
    let materials = (0..vertices).map(|_| any().map(u32::from).iter().sum()).collect();
    by_vertex.with_pairs(table.with_numbered_vertices(materials).unwrap())
}

fn walk<const D: usize>(
    scene: &Scene<D>,
    p: Vec<Vector<D>>,
    (random, path): (&mut Random, usize),
    census: &mut Census,
) {
    let v = scene.x.iter().map(|_| random.points::<D, 1>(1.0)[0]).collect();
    let coefficients = some_coefficients(random, scene.x.len(), path);
    let jump = MovingSurface { scene, p, v, coefficients, without_parallel: false }.walk(census);
    assert!(jump < SMALL, "friction jumps by {jump:e} of its largest value");
}

/// The second of two nearly parallel edges turned through exactly parallel to as much on the other side.
fn through_parallel(scene: &Scene<3>) -> Vec<Vector<3>> {
    let x = &scene.x;
    let (along, half) = ((x[1] - x[0]).normalized(), (x[3] - x[2]) * 0.5);
    let across = half - along * along.dot(half);
    vec![Vector::ZERO, Vector::ZERO, across * 2.0, across * -2.0]
}

/// Paths for every set that is continuous, with both weightings, for one μ, for one of every vertex with every blend, and for several
/// materials on every body: contacts appear, change their kind, vanish, edges turn through parallel. Around every change of the contacts the
/// path is halved until nothing is left of the change of the force, and so is the part of it where the force changes most. (Not a
/// fixed number of times: over a face that has become a sliver, the closest point runs across within 10⁻⁵ of a path.)
#[test]
fn friction_is_continuous() {
    on_threads(1, || {
        for set in [ContactSet::Ipc, ContactSet::ImprovedMax] {
            let (mut random, mut census) = (Random::new(7), Census::default());
            for path in 0..600 {
                let law = BarrierLaw::new(BarrierKind::ClampedLog, DHAT).unwrap();
                let selection = Selection { reach: DHAT, set, weighting: Weighting::ALL[path % 2] };
                let r = &mut random;
                let (scene, p) = (support::chains(r).with(law, selection), r.points::<2, 6>(DHAT));
                walk(&scene, p.to_vec(), (r, path), &mut census);
                let (scene, p) = (support::triangles(r).with(law, selection), r.points::<3, 6>(DHAT));
                walk(&scene, p.to_vec(), (r, path), &mut census);
                let (scene, p) = (support::strips(r).with(law, selection), r.points::<3, 7>(DHAT));
                walk(&scene, p.to_vec(), (r, path), &mut census);
                let scene = support::nearly_parallel(r).with(law, selection);
                let p = r.points::<3, 4>(0.1 * DHAT);
                walk(&scene, p.to_vec(), (r, path), &mut census);
                let scene = support::nearly_parallel_triangles(r).with(law, selection);
                let p = r.points::<3, 6>(0.1 * DHAT);
                walk(&scene, p.to_vec(), (r, path), &mut census);
                let scene = support::nearly_parallel(r).with(law, selection);
                walk(&scene, through_parallel(&scene), (r, path), &mut census);
            }
            let both_ways = ["vf to ve", "ve to vf", "ve to vv", "vv to ve", "ee to ve", "ve to ee"];
            for change in both_ways.into_iter().chain(["parallel to ee", "parallel to ve"]) {
                census.require_for(change, 10, &format!("{set:?}"));
            }
            for kind in ["vv", "ve", "ee", "vf", "obstacle", "parallel"] {
                census.require_for(&format!("{kind} appears"), 5, &format!("{set:?}"));
                census.require_for(&format!("{kind} vanishes"), 10, &format!("{set:?}"));
            }
            census.require_for("other parts of parallel edges", 10, &format!("{set:?}"));
            census.require_for("exactly parallel", 100, &format!("{set:?}"));
        }
    });
}

/// The same search finds what leaving out nearly parallel edges does, as peers do: so it would find other jumps.
#[test]
fn friction_without_nearly_parallel_edges_would_jump() {
    on_threads(1, || {
        let (mut random, mut jumps) = (Random::new(8), vec![]);
        for _ in 0..100 {
            let scene = support::nearly_parallel(&mut random);
            let p = random.points::<3, 4>(0.1 * DHAT).to_vec();
            let v = random.points::<3, 4>(1.0).to_vec();
            let path =
                MovingSurface { scene: &scene, p, v, coefficients: 0.4.into(), without_parallel: true };
            jumps.push(path.walk(&mut Census::default()));
        }
        assert!(jumps.iter().filter(|jump| **jump > 0.2).count() >= 3, "{jumps:?}");
    });
}

// --- Which coefficients ---

/// A scene with its contacts.
fn contacts_of<const D: usize>(scene: &Scene<D>) -> Contacts {
    scene.contacts(&scene.x)
}

/// Random scenes of two triangles, strips and nearly parallel edges: contacts of every kind in 3D.
fn scenes(seed: u64, count: usize) -> Vec<Scene<3>> {
    let mut random = Random::new(seed);
    let three = |random: &mut Random| {
        [support::triangles(random), support::strips(random), support::nearly_parallel_triangles(random)]
    };
    (0..count).flat_map(|_| three(&mut random)).collect()
}

fn random_mu(random: &mut Random, vertices: usize) -> Vec<Mu> {
    let mut one = || {
        let k = random.between(0.05, 0.5);
        Mu { s: k + random.between(0.0, 0.5), k }
    };
    (0..vertices).map(|_| one()).collect()
}

/// Coordinates of the closest points of two lines `a₀ + s u`, `b₀ + t w`, by the normal equations.
fn crossing(x: [Vector<3>; 4]) -> [f64; 2] {
    let (u, w, r) = (x[1] - x[0], x[3] - x[2], x[0] - x[2]);
    let det = u.dot(u) * w.dot(w) - u.dot(w).powi(2);
    [(u.dot(w) * w.dot(r) - w.dot(w) * u.dot(r)) / det, (u.dot(u) * w.dot(r) - u.dot(w) * u.dot(r)) / det]
}

/// A value of the vertices at the point of a face closest to `x₀`.
fn on_face(x: [Vector<3>; 4], value: [f64; 3]) -> f64 {
    let (u, w, r) = (x[2] - x[1], x[3] - x[1], x[0] - x[1]);
    let det = u.dot(u) * w.dot(w) - u.dot(w).powi(2);
    let s = (w.dot(w) * u.dot(r) - u.dot(w) * w.dot(r)) / det;
    let t = (u.dot(u) * w.dot(r) - u.dot(w) * u.dot(r)) / det;
    value[0] + s * (value[1] - value[0]) + t * (value[2] - value[0])
}

type Rule = fn(f64, f64) -> f64;

/// Every coefficient of a vertex list, with a rule, as plain formulas say.
fn check_blend(scene: &Scene<3>, (blend, rule): (&Blend, Rule), random: &mut Random, census: &mut Census) {
    let contacts = contacts_of(scene);
    let mu = random_mu(random, scene.x.len());
    let coefficients = Coefficients::from(9.0).with_vertices(mu.clone(), blend.clone()).unwrap();
    let slides = lag(&scene.barrier(&contacts), &scene.x, &coefficients);
    for of in [|mu: Mu| mu.s, |mu: Mu| mu.k] {
        let at = |v: u32| of(mu[v as usize]);
        let check = |found: Mu, expected: f64| assert_close(&[of(found)], &[expected], 1e-12, blend.name());
        for s in &slides.obstacle {
            check(s.mu, at(s.stencil.0[0]));
        }
        for s in &slides.vv {
            check(s.mu, rule(at(s.stencil.0[0]), at(s.stencil.0[1])));
        }
        for s in &slides.ve {
            let (v, [x, a, b]) = (s.stencil.0.map(at), s.stencil.gather(&scene.x));
            let t = (b - a).dot(x - a) / (b - a).norm_squared();
            check(s.mu, rule(v[1] + t * (v[2] - v[1]), v[0]));
        }
        for s in &slides.ee[..contacts.ee.len()] {
            let (v, [t, u]) = (s.stencil.0.map(at), crossing(s.stencil.gather(&scene.x)));
            check(s.mu, rule(v[0] + t * (v[1] - v[0]), v[2] + u * (v[3] - v[2])));
        }
        for s in &slides.ee[contacts.ee.len()..] {
            let v = s.stencil.0.map(at);
            check(s.mu, rule(v[0] * s.c[0] + v[1] * s.c[1], -v[2] * s.c[2] - v[3] * s.c[3]));
        }
        for s in &slides.vf {
            let v = s.stencil.0.map(at);
            check(s.mu, rule(on_face(s.stencil.gather(&scene.x), [v[1], v[2], v[3]]), v[0]));
        }
    }
    census.add(&contacts);
}

#[test]
fn coefficients_of_vertices_are_blended_at_the_closest_points() {
    on_threads(1, || {
        // Not symmetric, so that the order of the sides is seen.
        let lopsided: Rule = |a, b| a + 2.0 * b * b;
        let rules: [(Blend, Rule); 6] = [
            (Blend::Mean, |a, b| 0.5 * a + 0.5 * b),
            (Blend::Product, |a, b| a * b),
            (Blend::Minimum, |a, b| if a < b { a } else { b }),
            (Blend::Maximum, |a, b| if a < b { b } else { a }),
            (Blend::GeometricMean, |a, b| (a * b).sqrt()),
            (Blend::Custom(Arc::new(lopsided)), lopsided),
        ];
        let (mut random, mut census) = (Random::new(21), Census::default());
        for scene in scenes(22, 100) {
            for (blend, rule) in &rules {
                check_blend(&scene, (blend, *rule), &mut random, &mut census);
            }
        }
        for kind in ["vv", "ve", "ee", "vf", "parallel", "obstacle"] {
            census.require(kind, 20);
        }
    });
}

#[test]
fn blends_have_names() {
    assert_eq!(Blend::default(), Blend::Mean);
    for blend in Blend::ALL {
        assert_eq!(blend.name().parse::<Blend>().unwrap(), blend);
    }
    let message = "median".parse::<Blend>().unwrap_err().to_string();
    assert!(message.contains("\"median\"") && message.contains("geometric_mean"), "{message}");
    let one: Arc<dyn Fn(f64, f64) -> f64 + Send + Sync> = Arc::new(|a, _| a);
    assert_eq!(Blend::Custom(one.clone()), Blend::Custom(one.clone()));
    assert_ne!(Blend::Custom(one), Blend::Custom(Arc::new(|a, _| a)));
}

/// A function that gives negative numbers gives no friction, and NaN stays visible.
#[test]
fn bad_results_of_a_blend_are_tamed_or_seen() {
    let sides = Sides { vertices: [0, 1], c: [1.0, -1.0], first: 1 };
    let of = |f: fn(f64, f64) -> f64| {
        let blend = Blend::Custom(Arc::new(f));
        let all = Coefficients::<3>::from(0.5).with_vertices(vec![0.1.into(); 2], blend).unwrap();
        all.of_pair(&sides).0
    };
    assert_eq!(of(|a, b| a - 3.0 * b), Mu::default());
    assert!(of(|_, _| f64::NAN).s.is_nan());
}

/// Two triangles, the second 0.1 m above the first: vertex 3 above its inside; and a floor 0.1 m below.
fn stack() -> Scene<3> {
    let x = [
        [0.0, 0.0, 0.0],
        [3.0, 0.0, 0.0],
        [0.0, 3.0, 0.0],
        [0.5, 0.75, 0.1],
        [0.5, 0.75, 2.0],
        [1.5, 0.75, 2.0],
    ];
    let x = x.map(Vector).to_vec();
    let surface = Surface::new(x.clone(), vec![], vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let floor = Plane::new(Vector([0.0, 0.0, -0.1]), Vector([0.0, 0.0, 1.0])).unwrap();
    Scene { obstacles: vec![Obstacle::Plane(floor)], ..Scene::of(surface, x) }
}

fn lag_stack(coefficients: &Coefficients<3>) -> Slides<3> {
    let scene = stack();
    let contacts = contacts_of(&scene);
    friction::lag::check(&scene.barrier(&contacts), &scene.x, coefficients).unwrap();
    let slides = lag(&scene.barrier(&contacts), &scene.x, coefficients);
    assert!(slides.is_empty() || (slides.vf.len(), slides.obstacle.len(), slides.len()) == (1, 3, 4));
    slides
}

/// The entry of the pair, then coefficients of vertices, then the default.
#[test]
fn entries_come_before_vertices_and_vertices_before_the_default() {
    let all = |slides: &Slides<3>| {
        let mut all = vec![slides.vf[0].mu];
        all.extend(slides.obstacle.iter().map(|s| s.mu));
        all
    };
    let default = Mu { s: 0.9, k: 0.8 };
    assert_eq!(all(&lag_stack(&default.into())), [default; 4]);

    let vertices: Vec<Mu> = (1..=6).map(|v| Mu::same(0.1 * f64::from(v))).collect();
    let by_vertex = Coefficients::from(default).with_vertices(vertices.clone(), Blend::Mean).unwrap();
    // The closest point of the face has the coordinates 7/12, 1/6, 1/4.
    let face = (7.0 * 0.1 + 2.0 * 0.2 + 3.0 * 0.3) / 12.0;
    let found = all(&lag_stack(&by_vertex));
    assert_close(&[found[0].s], &[0.5 * face + 0.2], 1e-15, "vertex on face");
    assert_eq!(found[1..], vertices[..3]);

    let table = || PairTable::new(&["wood", "felt", "stone"]).unwrap().with("felt", "wood", 0.77).unwrap();
    let wood_and_felt = ["wood", "wood", "wood", "felt", "felt", "felt"];
    let on_air = table().with_vertices(&wood_and_felt).unwrap();
    let found = all(&lag_stack(&by_vertex.clone().with_pairs(on_air.clone())));
    assert_eq!(found[0], Mu::same(0.77));
    assert_eq!(found[1..], vertices[..3], "obstacles have no material");
    let found = all(&lag_stack(&Coefficients::from(default).with_pairs(on_air)));
    assert_eq!(found[1..], [default; 3], "obstacles have no material");

    let on_stone = table().with_vertices(&wood_and_felt).unwrap().with_obstacles(&["stone"]).unwrap();
    let found = all(&lag_stack(&by_vertex.clone().with_pairs(on_stone.clone())));
    assert_eq!(found[1..], vertices[..3], "wood and stone have no entry");
    let on_stone = on_stone.with("wood", "stone", Mu { s: 0.5, k: 0.3 }).unwrap();
    let found = all(&lag_stack(&by_vertex.with_pairs(on_stone)));
    assert_eq!(found, [[Mu::same(0.77)].as_slice(), &[Mu { s: 0.5, k: 0.3 }; 3]].concat());
}

#[test]
fn bodies_have_materials_and_meet_themselves() {
    let scene = stack();
    let table = PairTable::new(&["wood", "felt"]).unwrap().with("wood", "wood", 0.3).unwrap();
    let both = table.clone().with_bodies(&scene.surface, &["wood", "wood"]).unwrap();
    assert_eq!(lag_stack(&Coefficients::from(0.9).with_pairs(both)).vf[0].mu, Mu::same(0.3));
    let one = table.clone().with_bodies(&scene.surface, &["wood", "felt"]).unwrap();
    assert_eq!(lag_stack(&Coefficients::from(0.9).with_pairs(one)).vf[0].mu, Mu::same(0.9));
    let numbered = table.clone().with_numbered_vertices(vec![0; 6]).unwrap();
    assert_eq!(lag_stack(&Coefficients::from(0.9).with_pairs(numbered)).vf[0].mu, Mu::same(0.3));
    assert_eq!(table.between("wood", "wood").unwrap().unwrap().mu, Mu::same(0.3));
    assert_eq!(table.between("felt", "wood").unwrap(), None);
    let message = table.with_bodies(&scene.surface, &["wood"]).unwrap_err().to_string();
    assert!(message.contains("list of materials of bodies has 1 entries, expected 2"), "{message}");
}

/// Of several materials on a side, μ is the mean over pairs of vertices; the rest is that of the heaviest pair of materials.
#[test]
fn several_materials_on_one_side_are_weighed() {
    let scaled = Entry { anisotropy: Anisotropy::Scaling([1.0, 0.5]), ..Entry::from(Mu { s: 0.4, k: 0.2 }) };
    let table = PairTable::<3>::new(&["a", "b", "c"]).unwrap();
    let table = table.with("a", "b", scaled).unwrap().with("b", "c", 0.8).unwrap();
    let coefficients = |materials: &[&str]| {
        let table = table.clone().with_vertices(materials).unwrap();
        Coefficients::from(0.1).with_pairs(table)
    };
    // Vertex and face: a meets b with 0.5 and 0.2, and c, without an entry, with 0.3.
    let sides = Sides { vertices: [0, 1, 2, 3], c: [1.0, -0.5, -0.3, -0.2], first: 1 };
    let all = coefficients(&["a", "b", "c", "b"]);
    let (mu, entry) = all.of_pair(&sides);
    assert_close(&[mu.s, mu.k], &[0.7 * 0.4 + 0.3 * 0.1, 0.7 * 0.2 + 0.3 * 0.1], 1e-15, "vertex and face");
    assert_eq!(*entry, scaled);
    // The heaviest vertex is of b, but together those of c are heavier.
    let sides = Sides { c: [1.0, -0.4, -0.3, -0.3], ..sides };
    let all = coefficients(&["a", "b", "c", "c"]);
    let (mu, entry) = all.of_pair(&sides);
    assert_close(&[mu.s], &[0.4 * 0.4 + 0.6 * 0.1], 1e-15, "heavier together");
    assert_eq!(*entry, Entry::from(0.1));
    // Two edges: a and c on the first, b on the second.
    let sides = Sides { vertices: [0, 1, 2, 3], c: [0.25, 0.75, -0.6, -0.4], first: 2 };
    let all = coefficients(&["a", "c", "b", "b"]);
    let (mu, entry) = all.of_pair(&sides);
    assert_close(&[mu.s], &[0.25 * 0.4 + 0.75 * 0.8], 1e-15, "two edges");
    assert_eq!(*entry, Entry::from(0.8));
    // Interpolation: where a vertex has all the weight, as if it were alone.
    let sides = Sides { c: [1.0, 0.0, -1.0, 0.0], ..sides };
    assert_eq!(all.of_pair(&sides).0, scaled.mu);
}

#[test]
fn no_coefficient_is_no_force_but_viscous_friction() {
    let vertices = |mu: f64| Coefficients::from(0.0).with_vertices(vec![mu.into(); 6], Blend::Mean).unwrap();
    let table = |mu: f64| {
        let table = PairTable::new(&["a"]).unwrap().with("a", "a", mu).unwrap();
        Coefficients::from(0.0).with_pairs(table.with_vertices(&["a"; 6]).unwrap())
    };
    for none in
        [0.0.into(), vertices(0.0), table(0.0), Entry::elliptic([0.0; 2], Axes::Contact).unwrap().into()]
    {
        let slides = lag_stack(&none);
        assert!(none.is_zero() && slides.len() == 4);
        // Viscous friction needs no coefficient.
        let v: Vec<_> = (0..6).map(|k| Vector([f64::from(k), 1.0, 0.5])).collect();
        let motion = Motion { x_ref: &v, v_ref: &v, h_hat: 1.0 };
        let of =
            |law| largest(&gradient(&FrictionPotential { slides: &slides, motion, law, eps_v: EPS_V }, &v));
        assert_eq!(of(FrictionKind::Peak), 0.0);
        assert!(of(FrictionKind::Stribeck(Stribeck::new(0.1, 0.5).unwrap())) > 1e-3);
    }
    let matchstick = Anisotropy::Matchstick { s: [0.0; 2], k: [0.1, 0.0], scaling: [1.0; 2] };
    let only_kinetic = Entry { anisotropy: matchstick, ..Entry::from(0.0) };
    assert!(!Coefficients::<3>::from(only_kinetic).is_zero());
    for some in [1e-300.into(), vertices(1e-300), table(1e-300)] {
        assert_eq!(lag_stack(&some).len(), 4);
    }
}

// --- Axes ---

/// Whether two vectors are the same line of unit length.
fn assert_same_line<const D: usize>(a: Vector<D>, b: Vector<D>, what: &str) {
    let signed = if a.dot(b) < 0.0 { -b } else { b };
    assert!((a.norm() - 1.0).abs() < 1e-12 && (a - signed).norm() < 1e-12, "{what}: {a:?} and {b:?}");
}

fn scaled<const D: usize>(axes: Axes<D>) -> Entry<D> {
    Entry { anisotropy: Anisotropy::Scaling([1.0, 0.4]), axes, ..Entry::from(0.5) }
}

/// Every axis with its normal, and the direction that it comes from.
fn details<const D: usize>(slides: &Slides<D>) -> Vec<(Vector<D>, Detail<D>)> {
    fn of<const D: usize, const N: usize>(
        slides: &Slides<D>,
        kind: &[Slide<D, N>],
    ) -> Vec<(Vector<D>, Detail<D>)> {
        kind.iter().map(|slide| (slide.normal, *slides.detail(slide).unwrap())).collect()
    }
    let s = slides;
    [of(s, &s.obstacle), of(s, &s.vv), of(s, &s.ve), of(s, &s.ee), of(s, &s.vf)].concat()
}

/// The contacts' own axes are the first tangents of their pair; of nearly parallel edges, the first edge in the plane.
#[test]
fn own_axes_are_the_tangents_of_the_pair() {
    let mut census = Census::default();
    for scene in scenes(31, 60) {
        let (contacts, x) = (contacts_of(&scene), &scene.x);
        let slides = lag(&scene.barrier(&contacts), x, &scaled(Axes::Contact).into());
        assert_eq!(slides.details.len(), contacts.len());
        let axis = |detail: u32| slides.details[detail as usize].axis;
        for s in &slides.obstacle {
            let expected = tangent::vertex_vertex(&[Vector::ZERO, s.normal]).basis[0];
            assert_same_line(axis(s.detail), expected, "obstacle");
        }
        for s in &slides.vv {
            assert_same_line(axis(s.detail), tangent::vertex_vertex(&s.stencil.gather(x)).basis[0], "vv");
        }
        for s in &slides.ve {
            assert_same_line(axis(s.detail), tangent::vertex_edge(&s.stencil.gather(x)).basis[0], "ve");
        }
        for s in &slides.ee[..contacts.ee.len()] {
            assert_same_line(axis(s.detail), tangent::edge_edge(&s.stencil.gather(x)).basis[0], "ee");
        }
        for s in &slides.ee[contacts.ee.len()..] {
            let [a, b, _, _] = s.stencil.gather(x);
            let across = (b - a) - s.normal * s.normal.dot(b - a);
            assert_same_line(axis(s.detail), across.normalized(), "parallel");
        }
        for s in &slides.vf {
            assert_same_line(axis(s.detail), tangent::vertex_face(&s.stencil.gather(x)).basis[0], "vf");
        }
        assert!(slides.details.iter().all(|d| d.direction.is_none() && d.scaling == [1.0, 0.4]));
        census.add(&contacts);
    }
    for kind in ["vv", "ve", "ee", "vf", "parallel", "obstacle"] {
        census.require(kind, 10);
    }
}

#[test]
fn a_direction_of_the_world_is_projected() {
    let world = Vector([0.3, -1.2, 2.0]);
    for scene in scenes(32, 20) {
        let contacts = contacts_of(&scene);
        let slides = lag(&scene.barrier(&contacts), &scene.x, &scaled(Axes::World(world)).into());
        for (normal, detail) in details(&slides) {
            let expected = (world - normal * normal.dot(world)).normalized();
            assert_same_line(detail.axis, expected, "world");
            assert_eq!(detail.direction, Some(world));
            // The scaling matrix: 1 along the axis, 0.4 across it, 0 along the normal.
            let s = detail.scaling(normal);
            assert!((s * detail.axis - detail.axis).norm() < 1e-14 && (s * normal).norm() < 1e-14);
            let across = cross(normal, detail.axis);
            assert!((s * across - across * 0.4).norm() < 1e-14);
        }
    }
}

/// A direction along the normal has nothing in the plane: the contact's own axis takes its place.
#[test]
fn a_direction_along_the_normal_gives_way() {
    let slides = lag_stack(&scaled(Axes::World(Vector([0.0, 0.0, 2.0]))).into());
    assert_eq!(slides, lag_stack(&scaled(Axes::Contact).into()));
    assert!(slides.details.iter().all(|d| d.direction.is_none()));
    assert_same_line(slides.detail(&slides.vf[0]).unwrap().axis, Vector([1.0, 0.0, 0.0]), "f₁ − f₀");
}

/// In 2D there is one direction: scaling holds, ellipses do not.
#[test]
fn in_2d_there_is_one_axis() {
    let mut random = Random::new(33);
    for _ in 0..50 {
        let scene = support::chains(&mut random);
        let contacts = contacts_of(&scene);
        let barrier = scene.barrier(&contacts);
        let mut slides = lag(&barrier, &scene.x, &scaled(Axes::World(Vector([1.0, 0.2]))).into());
        for (normal, detail) in details(&slides) {
            assert!(normal.dot(detail.axis).abs() < 1e-14 && (detail.axis.norm() - 1.0).abs() < 1e-14);
            assert!((detail.scaling(normal) * detail.axis - detail.axis).norm() < 1e-14);
        }
        let stick = Anisotropy::Matchstick { s: [0.9, 0.2], k: [0.8, 0.1], scaling: [1.0; 2] };
        let entry = Entry { anisotropy: stick, ..Entry::from(0.5) };
        slides.refresh(&barrier, &scene.x, &entry.into());
        assert!(slides.details.is_empty());
        slides.refresh_anisotropy(&scene.x);
        assert!(slides == lag(&barrier, &scene.x, &0.5.into()));
    }
}

// --- Grain ---

const SIDE: usize = 5;

/// A sheet of `SIDE × SIDE` vertices in the plane z = 0, with a rod and a particle.
fn sheet() -> Surface<3> {
    let (mut x, mut faces) = (vec![], vec![]);
    for i in 0..SIDE {
        for j in 0..SIDE {
            x.push(Vector([i as f64 + 0.1 * (j as f64).sin(), j as f64, 0.0]));
            if i > 0 && j > 0 {
                let v = (i * SIDE + j) as u32;
                let side = SIDE as u32;
                faces.extend([[v, v - 1, v - side], [v - side - 1, v - side, v - 1]]);
            }
        }
    }
    let rod = x.len() as u32;
    x.extend([[9.0, 0.0, 1.0], [9.0, 1.0, 1.0], [9.0, 2.0, 1.0], [12.0, 0.0, 0.0]].map(Vector));
    let surface = Surface::new(x, vec![[rod, rod + 1], [rod + 1, rod + 2]], faces).unwrap();
    surface.with_loose_vertices(vec![rod + 3]).unwrap()
}

fn transformed(matrix: Matrix<3>, x: &[Vector<3>]) -> Vec<Vector<3>> {
    x.iter().map(|x| matrix * *x + Vector([0.3, -0.2, 0.7])).collect()
}

/// One direction everywhere, with signs and lengths at random and a part along the normal, as vertices and as faces give it.
fn grains(surface: &Surface<3>, random: &mut Random) -> [Grain<3>; 2] {
    let mut any = |_| {
        let sign = if random.between(0.0, 1.0) < 0.5 { -1.0 } else { 1.0 };
        Vector([1.0, 0.5, random.between(-1.0, 1.0)]) * (sign * random.between(0.1, 10.0))
    };
    let (of_vertices, of_faces): (Vec<_>, Vec<_>) = (
        (0..surface.rest().len()).map(&mut any).collect(),
        (0..surface.faces().len()).map(&mut any).collect(),
    );
    [Grain::of_vertices(surface, &of_vertices).unwrap(), Grain::of_faces(surface, &of_faces).unwrap()]
}

/// Grain turns with the surface and is sheared with it, whatever signs and lengths it was given with.
#[test]
fn grain_turns_and_shears_with_the_surface() {
    let (surface, mut random) = (sheet(), Random::new(41));
    let count = SIDE * SIDE;
    for grain in grains(&surface, &mut random) {
        let along = Vector([1.0, 0.5, 0.0]).normalized();
        for line in &grain.directions(surface.rest())[..count] {
            assert_same_line(*line, along, "at rest");
        }
        for _ in 0..20 {
            let rotation = random.rotation::<3>();
            for line in &grain.directions(&transformed(rotation, surface.rest()))[..count] {
                assert_same_line(*line, rotation * along, "turned");
            }
            let mut shear = Matrix::<3>::scalar(1.0);
            (shear.0[0][1], shear.0[1][1]) = (random.between(-2.0, 2.0), random.between(0.3, 3.0));
            let expected = (rotation * shear * along).normalized();
            for line in &grain.directions(&transformed(rotation * shear, surface.rest()))[..count] {
                assert_same_line(*line, expected, "turned and sheared");
            }
        }
    }
}

/// On a surface that is bent, grain turns with it as a whole.
#[test]
fn grain_of_a_bent_surface_turns_with_it() {
    let (surface, mut random) = (sheet(), Random::new(42));
    let bent: Vec<_> =
        surface.rest().iter().map(|x| *x + Vector([0.0, 0.0, (x[0] + 0.3 * x[1]).sin()])).collect();
    for grain in grains(&surface, &mut random) {
        let before = grain.directions(&bent);
        let rotation = random.rotation::<3>();
        let after = grain.directions(&transformed(rotation, &bent));
        for v in 0..SIDE * SIDE {
            assert_same_line(after[v], rotation * before[v], "bent");
        }
    }
}

/// Rods turn grain by the smallest rotation of their edges; particles keep it; faces say nothing about either.
#[test]
fn grain_of_rods_and_particles() {
    let (surface, count) = (sheet(), SIDE * SIDE);
    let along = Vector([0.6, 0.0, 0.8]);
    let grain = Grain::of_vertices(&surface, &vec![along; count + 4]).unwrap();
    let mut x = surface.rest().to_vec();
    for line in &grain.directions(&x)[count..] {
        assert_same_line(*line, along, "at rest");
    }
    // The rod, along y at rest, is laid along x: a quarter turn around −z. The particle moves.
    for (k, x) in x[count..count + 3].iter_mut().enumerate() {
        *x = Vector([3.0 + k as f64, 7.0, 2.0]);
    }
    x[count + 3] = Vector([-5.0, 3.0, 1.0]);
    let now = grain.directions(&x);
    for line in &now[count..count + 3] {
        assert_same_line(*line, Vector([0.0, -0.6, 0.8]), "rod");
    }
    assert_same_line(now[count + 3], along, "particle");
    let of_faces = Grain::of_faces(&surface, &vec![along; surface.faces().len()]).unwrap();
    assert!(of_faces.directions(&x)[count..].iter().all(|line| *line == Vector::ZERO));
    // A rod turned back to front: its grain, along it, is the same line.
    let grain = Grain::of_vertices(&surface, &vec![Vector([0.0, 1.0, 0.0]); count + 4]).unwrap();
    x.swap(count, count + 2);
    let back: Vec<_> = surface.rest().iter().map(|x| Vector([x[0], -x[1], x[2]])).collect();
    assert_same_line(grain.directions(&back)[count], Vector([0.0, 1.0, 0.0]), "back to front");
}

/// At a vertex, faces count by their areas at rest, whatever they are now.
#[test]
fn grain_at_a_vertex_is_weighted_by_area() {
    // Around vertex 0: areas 0.5 and 1.5, with grain along x and slanted.
    let x = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-3.0, 0.0, 0.0]].map(Vector);
    let surface = Surface::new(x.to_vec(), vec![], vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let grain = Grain::of_faces(&surface, &[Vector([4.0, 0.0, 0.0]), Vector([-0.1, -0.1, 0.0])]).unwrap();
    let half = f64::sqrt(0.5);
    let (first, second) = (Vector([1.0, 0.0, 0.0]), Vector([half, half, 0.0]));
    let mean = (first * 0.5 + second * 1.5).normalized();
    for (found, expected) in grain.directions(&x).iter().zip([mean, first, mean, second]) {
        assert_same_line(*found, expected, "at rest");
    }
    // The first face as large as the second, which stretches its grain, and the second turned by 60° around the y axis.
    let (mut now, sin) = (x, f64::sqrt(0.75));
    (now[1], now[3]) = (Vector([3.0, 0.0, 0.0]), Vector([-1.5, 0.0, 3.0 * sin]));
    let second = Vector([0.5, 1.0, -sin]) * half;
    assert_same_line(grain.directions(&now)[0], (first * 0.5 + second * 1.5).normalized(), "stretched");
    // Sheared as well: the line of the first face stays on its edge.
    now[1] = Vector([3.0, 4.0, 0.0]);
    let first = Vector([0.6, 0.8, 0.0]);
    assert_same_line(grain.directions(&now)[0], (first * 0.5 + second * 1.5).normalized(), "sheared");
}

/// Along a rod, edges count by their lengths at rest.
#[test]
fn grain_of_rods_is_weighted_by_length() {
    let x = [[0.0; 3], [1.0, 0.0, 0.0], [4.0, 0.0, 0.0]].map(Vector);
    let surface = Surface::new(x.to_vec(), vec![[0, 1], [1, 2]], vec![]).unwrap();
    let grain = Grain::of_vertices(&surface, &[Vector([1.0, 0.0, 0.0]); 3]).unwrap();
    // Bent by 60° in the middle, and the first edge stretched to the length of the second.
    let (sin, cos) = f64::to_radians(60.0).sin_cos();
    let (first, second) = (Vector([1.0, 0.0, 0.0]), Vector([cos, sin, 0.0]));
    let now = [Vector::ZERO, first * 3.0, first * 3.0 + second * 3.0];
    let expected = [first, (first + second * 3.0).normalized(), second];
    for (found, expected) in grain.directions(&now).iter().zip(expected) {
        assert_same_line(*found, expected, "bent rod");
    }
}

/// In a contact: the lines of its vertices, weighted; those without grain do not count.
#[test]
fn grain_in_a_contact() {
    let scene = stack();
    let of = |directions: [[f64; 3]; 6]| {
        let grain = Grain::of_vertices(&scene.surface, &directions.map(Vector)).unwrap();
        let slides = lag_stack(&Coefficients::from(scaled(Axes::Grain)).with_grain(grain));
        (*slides.detail(&slides.vf[0]).unwrap(), slides)
    };
    let (none, x, slanted) = ([0.0; 3], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0]);
    let unit = Vector(slanted).normalized();
    // Only the face has grain: 7/12 along x, 5/12 slanted; that of vertex 1 points the other way.
    let (detail, slides) = of([x, [-5.0, -5.0, 0.0], slanted, none, none, none]);
    let expected = (Vector([7.0, 0.0, 0.0]) + unit * 5.0).normalized();
    assert_same_line(detail.axis, expected, "face");
    assert_same_line(detail.direction.unwrap(), expected, "face");
    for (s, axis) in slides.obstacle.iter().zip([x, slanted, slanted]) {
        assert_same_line(slides.detail(s).unwrap().axis, Vector(axis).normalized(), "obstacle");
    }
    // Both sides count the same.
    let (detail, _) = of([slanted, slanted, slanted, [-1.0, 0.0, 0.0], none, none]);
    assert_same_line(detail.axis, (unit + Vector([1.0, 0.0, 0.0])).normalized(), "both sides");
    // The face 3, 4, 5 stands upright: grain along z has nothing in the plane of the contact, but a slanted one has.
    let (detail, _) = of([none, none, none, [1.0, 0.0, 3.0], none, none]);
    assert_same_line(detail.axis, Vector([1.0, 0.0, 0.0]), "vertex");
    assert_same_line(detail.direction.unwrap(), Vector([1.0, 0.0, 3.0]).normalized(), "vertex");
    for directions in [[none; 6], [none, none, none, [0.0, 0.0, 1.0], none, none]] {
        let (detail, _) = of(directions);
        assert_eq!(detail.direction, None);
        assert_same_line(detail.axis, Vector([1.0, 0.0, 0.0]), "own");
    }
}

// --- Effective coefficients ---

fn matchstick(s: [f64; 2], k: [f64; 2], scaling: [f64; 2]) -> Entry<3> {
    let anisotropy = Anisotropy::Matchstick { s, k, scaling };
    Entry { mu: Mu { s: 0.95, k: 0.05 }, anisotropy, axes: Axes::World(Vector([1.0, 0.3, -0.4])) }
}

fn check_effective<const N: usize>(
    kind: &[Slide<3, N>],
    slides: &Slides<3>,
    entry: &Entry<3>,
    v: &[Vector<3>],
) {
    let ([s, k], [a0, a1]) = (entry.anisotropy.ellipses(), entry.anisotropy.scaling());
    for slide in kind {
        let detail = slides.detail(slide).unwrap();
        let u = slide.tangential(&slide.stencil.gather(v))
            - (detail.drift - slide.normal * slide.normal.dot(detail.drift));
        let across = cross(slide.normal, detail.axis);
        let angle = (a1 * u.dot(across)).atan2(a0 * u.dot(detail.axis));
        let ellipse = |[p, q]: [f64; 2]| ((p * angle.cos()).powi(2) + (q * angle.sin()).powi(2)).sqrt();
        let expected_s = if s == [0.0; 2] { 0.95 } else { ellipse(s) };
        let expected_k = if k == [0.0; 2] { 0.05 } else { ellipse(k) };
        assert_close(&[slide.mu.s, slide.mu.k], &[expected_s, expected_k], 1e-12, "effective μ");
        assert_eq!(detail.mu, entry.mu);
    }
}

/// Ellipses in the direction of the slide relative to obstacles that move; static or kinetic ones alone; and back.
#[test]
fn effective_coefficients_follow_the_slide() {
    let mut random = Random::new(51);
    let none = [0.0; 2];
    let entries = [
        matchstick([0.9, 0.4], [0.8, 0.3], [1.0; 2]),
        matchstick(none, [0.8, 0.3], [1.0; 2]),
        matchstick([0.9, 0.4], none, [1.0; 2]),
        matchstick([0.9, 0.4], [0.8, 0.3], [0.5, 1.7]),
        matchstick(none, [0.8, 0.3], [0.5, 1.7]),
    ];
    for scene in scenes(52, 20) {
        let contacts = contacts_of(&scene);
        let motion = RigidVelocity::translation(random.points::<3, 1>(1.0)[0]).unwrap();
        let v: Vec<_> = scene.x.iter().map(|_| random.points::<3, 1>(1.0)[0]).collect();
        for entry in &entries {
            let coefficients = Coefficients::from(*entry).with_obstacle_velocities(vec![motion]);
            coefficients.check(scene.x.len(), 1).unwrap();
            let lagged = lag(&scene.barrier(&contacts), &scene.x, &coefficients);
            let mut slides = lagged.clone();
            slides.refresh_anisotropy(&v);
            let s = &slides;
            check_effective(&s.obstacle, s, entry, &v);
            check_effective(&s.vv, s, entry, &v);
            check_effective(&s.ve, s, entry, &v);
            check_effective(&s.ee, s, entry, &v);
            check_effective(&s.vf, s, entry, &v);
            assert!(slides != lagged);
            slides.reset_anisotropy();
            assert!(slides == lagged, "reset is what lagging gave");
        }
    }
}

/// Below 1e-10 m/s relative to the obstacle, the first axis counts.
#[test]
fn what_does_not_slide_has_the_friction_of_the_first_axis() {
    let motion = RigidVelocity::translation(Vector([0.3, 0.2, 0.0])).unwrap();
    let entry = matchstick([0.9, 0.4], [0.8, 0.3], [1.0; 2]);
    let mut slides = lag_stack(&Coefficients::from(entry).with_obstacle_velocities(vec![motion]));
    for (speed, still) in [(0.0, true), (0.9e-10, true), (1.1e-10, false)] {
        // Across the first axis, with the floor.
        let axis = slides.detail(&slides.obstacle[0]).unwrap().axis;
        let v = Vector([0.3, 0.2, 5.0]) + cross(Vector([0.0, 0.0, 1.0]), axis) * speed;
        slides.refresh_anisotropy(&[v; 6]);
        let expected = if still { [0.9, 0.8] } else { [0.4, 0.3] };
        for mu in slides.obstacle.iter().map(|s| s.mu) {
            assert_close(&[mu.s, mu.k], &expected, 1e-6, "on the floor");
        }
        assert_close(&[slides.vf[0].mu.s], &[0.9], 1e-15, "vertices that move together");
    }
}

/// Only slides with an ellipse change.
#[test]
fn isotropic_slides_are_left_alone() {
    let stick = matchstick([0.9, 0.4], [0.8, 0.3], [1.0; 2]);
    let table = PairTable::new(&["a", "b", "floor"]).unwrap().with("a", "b", stick).unwrap();
    let table = table.with("a", "floor", scaled(Axes::Contact)).unwrap();
    let table =
        table.with_vertices(&["a", "a", "a", "b", "b", "b"]).unwrap().with_obstacles(&["floor"]).unwrap();
    let mut slides = lag_stack(&Coefficients::from(0.2).with_pairs(table));
    let before = slides.clone();
    assert_eq!(slides.details.len(), 4);
    slides.refresh_anisotropy(&stack().x);
    assert_eq!(slides.obstacle, before.obstacle);
    assert!(slides.vf[0].mu != before.vf[0].mu);
}

#[test]
fn elliptic_cones_are_scaled_by_the_larger_coefficient() {
    let (mu, cone) = Anisotropy::elliptic([0.2, 0.8]).unwrap();
    assert_eq!((mu, cone), (Mu::same(0.8), Anisotropy::Scaling([0.25, 1.0])));
    assert_eq!(Anisotropy::elliptic([0.5; 2]).unwrap().1.scaling(), [1.0; 2]);
    assert_eq!(Anisotropy::elliptic([0.0; 2]).unwrap(), (Mu::default(), Anisotropy::None));
    assert_eq!(Anisotropy::elliptic([0.3, 0.0]).unwrap().1, Anisotropy::Scaling([1.0, 0.0]));
    for bad in [[-0.1, 0.2], [0.2, f64::NAN], [f64::INFINITY, 0.1]] {
        let message = Anisotropy::elliptic(bad).unwrap_err().to_string();
        assert!(message.contains("mu of an elliptic cone, axis"), "{message}");
    }
}

// --- Obstacles that move ---

/// A vertex moves relative to the point of the obstacle that it touches.
#[test]
fn obstacles_drift_where_they_are_touched() {
    let scene = stack();
    let ball = Sphere::new(Vector([0.2, 0.2, -0.6]), 0.5).unwrap();
    let obstacles = [scene.obstacles[0], Obstacle::Sphere(ball)];
    let candidates = BroadPhaseKind::BruteForce.candidates(&scene.surface, &scene.x, &scene.x, DHAT);
    let contacts = Contacts::build(&scene.surface, &candidates, &obstacles, &scene.x, &scene.selection);
    let barrier =
        BarrierPotential { contacts: &contacts, obstacles: &obstacles, law: scene.law, kappa: 7.0.into() };
    assert_eq!(contacts.obstacle.iter().filter(|c| c.obstacle == 1).count(), 1);
    let spin = Vector([0.0, 0.0, 3.0]);
    let motions = vec![
        RigidVelocity::in_space(Vector([0.1, 0.0, 0.0]), spin, Vector([1.0, 1.0, 5.0])).unwrap(),
        RigidVelocity::in_space(Vector::ZERO, Vector([0.0, 2.0, 0.0]), ball.center()).unwrap(),
    ];
    let moving = Coefficients::from(0.3).with_obstacle_velocities(motions.clone());
    friction::lag::check(&barrier, &scene.x, &moving).unwrap();
    let slides = lag(&barrier, &scene.x, &moving);
    assert_eq!(slides.details.len(), contacts.obstacle.len());
    for (s, c) in slides.obstacle.iter().zip(&contacts.obstacle) {
        let (x, drift) = (scene.x[s.stencil.0[0] as usize], slides.detail(s).unwrap().drift);
        let expected = if c.obstacle == 0 {
            Vector([0.1 - 3.0 * (x[1] - 1.0), 3.0 * (x[0] - 1.0), 0.0])
        } else {
            cross(Vector([0.0, 2.0, 0.0]), (x - ball.center()).normalized() * 0.5)
        };
        assert_close(&drift.0, &expected.0, 1e-14, "drift");
        let detail = slides.detail(s).unwrap();
        assert_eq!((detail.scaling, detail.ellipse_s, detail.ellipse_k), ([1.0; 2], [0.0; 2], [0.0; 2]));
    }
    assert_eq!(slides.vf[0].detail, Slide::<3, 4>::PLAIN);
    let rest = Coefficients::from(0.3).with_obstacle_velocities(vec![RigidVelocity::REST; 2]);
    assert!(lag(&barrier, &scene.x, &rest) == lag(&barrier, &scene.x, &0.3.into()));
}

// --- Refresh, forces, threads ---

/// Slides refreshed at other positions, for other contacts, with other coefficients are those that lagging gives.
#[test]
fn refreshing_is_lagging_anew() {
    let mut random = Random::new(61);
    let mut slides = Slides::default();
    for (k, scene) in scenes(62, 30).iter().enumerate() {
        let contacts = contacts_of(scene);
        let barrier = scene.barrier(&contacts);
        let moved: Vec<_> = scene.x.iter().map(|x| *x + random.points::<3, 1>(1e-3)[0]).collect();
        let entry = matchstick([0.9, 0.4], [0.8, 0.3], [1.0; 2]);
        let vertices = random_mu(&mut random, scene.x.len());
        let by_vertex = Coefficients::from(entry).with_vertices(vertices, Blend::Product).unwrap();
        for coefficients in [0.4.into(), by_vertex, entry.into(), 0.0.into()] {
            for x in [&scene.x, &moved] {
                slides.refresh(&barrier, x, &coefficients);
                assert!(slides == lag(&barrier, x, &coefficients), "scene {k}");
                slides.refresh_anisotropy(x);
            }
        }
    }
}

/// Slides have the normal forces of the barrier to the last bit, weights, κ of each contact and mollifier included.
#[test]
fn slides_have_the_forces_of_the_barrier() {
    let mut random = Random::new(63);
    for scene in scenes(64, 40) {
        let contacts = contacts_of(&scene);
        let kappa: Vec<f64> = (0..contacts.len()).map(|_| random.between(1.0, 9.0)).collect();
        let kappa = PerContact::of(&contacts, &kappa).unwrap();
        let barrier =
            BarrierPotential { kappa: stiction::barrier::Kappa::Each(&kappa), ..scene.barrier(&contacts) };
        let (slides, forces) = (lag(&barrier, &scene.x, &0.4.into()), barrier.forces(&scene.x));
        assert!(slides.obstacle.iter().map(|s| s.force).eq(forces.obstacle));
        assert!(slides.vv.iter().map(|s| s.force).eq(forces.vv));
        assert!(slides.ve.iter().map(|s| s.force).eq(forces.ve));
        assert!(slides.ee.iter().map(|s| s.force).eq(forces.ee.into_iter().chain(forces.parallel)));
        assert!(slides.vf.iter().map(|s| s.force).eq(forces.vf));
        let stencils = contacts.ee.iter().map(|c| c.stencil);
        let parallel = contacts.parallel.iter().map(|c| c.contact.stencil);
        assert!(slides.ee.iter().map(|s| s.stencil).eq(stencils.chain(parallel)));
    }
}

/// A slide with what its detail says, wherever that is in the list.
fn with_details<const D: usize, const N: usize>(
    of: &Slides<D>,
    slides: &[Slide<D, N>],
) -> Vec<(Slide<D, N>, Option<Detail<D>>)> {
    slides.iter().map(|slide| (Slide { detail: 0, ..*slide }, of.detail(slide).copied())).collect()
}

/// Lagged in parts that are put together, contacts have the slides and the forces that they have together.
#[test]
fn parts_come_together_as_their_contacts_do() {
    let mut random = Random::new(23);
    let (coefficients, mut mixed): (Coefficients<3>, _) = (scaled(Axes::Contact).into(), 0);
    for _ in 0..1000 {
        let scene = support::nearly_parallel_triangles(&mut random);
        let mut parts: Vec<_> = support::single_contacts(&scene.contacts(&scene.x))
            .into_iter()
            .map(|part| (random.between(0.0, 1.0), part))
            .collect();
        parts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut contacts, mut slides, mut forces) =
            (Contacts::default(), Slides::default(), friction::PerSlide::default());
        for (_, part) in &parts {
            let (barrier, parallel) = (scene.barrier(part), [contacts.parallel.len(), part.parallel.len()]);
            slides.append(&lag(&barrier, &scene.x, &coefficients), parallel);
            forces.append(friction::forces_at_end(&barrier, &scene.x), parallel);
            contacts.append(part);
        }
        let barrier = scene.barrier(&contacts);
        let expected = lag(&barrier, &scene.x, &coefficients);
        mixed += usize::from(!contacts.ee.is_empty() && !contacts.parallel.is_empty());
        assert_eq!(with_details(&slides, &slides.vv), with_details(&expected, &expected.vv));
        assert_eq!(with_details(&slides, &slides.ve), with_details(&expected, &expected.ve));
        assert_eq!(with_details(&slides, &slides.ee), with_details(&expected, &expected.ee));
        assert_eq!(with_details(&slides, &slides.vf), with_details(&expected, &expected.vf));
        assert_eq!(slides.details.len(), expected.details.len());
        assert_eq!(forces, friction::forces_at_end(&barrier, &scene.x));
    }
    assert!(mixed > 10, "{mixed} scenes have all kinds of edges");
}

/// Two uneven sheets above each other and above a floor, of several materials and with grain.
#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    const SIDE: u32 = 40;
    let (mut random, mut x, mut faces) = (Random::new(65), vec![], vec![]);
    for v in 0..2 * SIDE * SIDE {
        let (sheet, i, j) = (v / (SIDE * SIDE), v / SIDE % SIDE, v % SIDE);
        x.push(Vector([i, j, sheet].map(f64::from)) + random.points::<3, 1>(0.1)[0]);
        x[v as usize][2] = 0.3 * f64::from(sheet) + random.between(-0.1, 0.1);
        if i > 0 && j > 0 {
            faces.extend([[v, v - 1, v - SIDE], [v - SIDE - 1, v - SIDE, v - 1]]);
        }
    }
    let surface = Surface::new(x.clone(), vec![], faces).unwrap();
    let floor = Obstacle::Plane(Plane::new(Vector([0.0, 0.0, -0.4]), Vector([0.001, 0.0, 1.0])).unwrap());
    let materials: Vec<&str> = (0..x.len()).map(|v| ["a", "b", "c"][v / 7 % 3]).collect();
    let stick = Entry { axes: Axes::Grain, ..matchstick([0.9, 0.4], [0.8, 0.3], [1.0; 2]) };
    let table = PairTable::new(&["a", "b", "c"]).unwrap().with("a", "b", stick).unwrap();
    let table = table.with("c", "c", 0.2).unwrap().with("a", "c", scaled(Axes::Contact)).unwrap();
    let grain = Grain::of_vertices(&surface, &x.iter().map(|x| Vector([x[1], 2.0, 0.3])).collect::<Vec<_>>())
        .unwrap();
    let mu = random_mu(&mut random, x.len());
    let motion = RigidVelocity::translation(Vector([0.2, 0.1, 0.0])).unwrap();
    let coefficients = Coefficients::from(0.5).with_vertices(mu, Blend::GeometricMean).unwrap();
    let coefficients = coefficients.with_pairs(table.with_vertices(&materials).unwrap()).with_grain(grain);
    let coefficients = coefficients.with_obstacle_velocities(vec![motion]);
    coefficients.check(x.len(), 1).unwrap();
    let of = |threads: usize| {
        on_threads(threads, || {
            let law = BarrierLaw::new(BarrierKind::ClampedLog, 0.6).unwrap();
            let candidates = BroadPhaseKind::Bvh.candidates(&surface, &x, &x, 0.6);
            let contacts = Contacts::build(&surface, &candidates, &[floor], &x, &Selection::within(0.6));
            let barrier =
                BarrierPotential { contacts: &contacts, obstacles: &[floor], law, kappa: 3.0.into() };
            let mut slides = lag(&barrier, &x, &coefficients);
            slides.refresh_anisotropy(&x);
            slides
        })
    };
    let one = of(1);
    let s = &one;
    let counts = [s.ve.len(), s.ee.len(), s.vf.len(), s.obstacle.len()];
    assert!(!s.vv.is_empty() && counts.iter().all(|count| *count > 600), "several chunks: {counts:?}");
    assert!(s.details.len() > 2000 && s.details.len() < s.len());
    for threads in [2, 8] {
        // As text, in which every number has all its digits.
        assert!(format!("{one:?}") == format!("{:?}", of(threads)), "{threads} threads");
    }
}

// --- Bad input ---

fn message<T: std::fmt::Debug>(result: Result<T, Error>, parts: &[&str]) {
    let message = result.unwrap_err().to_string();
    assert!(parts.iter().all(|part| message.contains(part)), "{message} should have {parts:?}");
}

#[test]
fn bad_tables_are_refused() {
    let table = || PairTable::<3>::new(&["steel", "ice"]).unwrap();
    message(PairTable::<3>::new(&["steel", "ice", "steel"]), &["material \"steel\" is given twice"]);
    message(table().with("steel", "glass", 0.1), &["no material \"glass\"", "steel, ice"]);
    message(table().with("glass", "ice", 0.1), &["no material \"glass\"", "steel, ice"]);
    let pair = "friction between \"steel\" and \"ice\"";
    message(table().with("steel", "ice", -0.1), &[pair, "mu_s = -0.1", "0 or positive"]);
    message(table().with("steel", "ice", f64::NAN), &[pair, "mu_s = NaN"]);
    message(table().with("steel", "ice", Mu { s: 0.3, k: f64::INFINITY }), &[pair, "mu_k = inf"]);
    message(table().with("steel", "ice", Mu { s: 0.1, k: 0.2 }), &[pair, "mu_s = 0.1", "at least mu_k"]);
    let once = table().with("steel", "ice", 0.1).unwrap();
    message(once.with("ice", "steel", 0.2), &["friction between \"steel\" and \"ice\" is given twice"]);
    message(table().with_vertices(&["ice", "snow"]), &["material of vertex 1 is \"snow\"", "steel, ice"]);
    message(table().with_obstacles(&["air"]), &["material of obstacle 0 is \"air\"", "steel, ice"]);
    message(table().with_bodies(&sheet(), &["ice", "x"]), &["material of body 1 is \"x\""]);
    message(table().with_numbered_vertices(vec![0, 1, 2]), &["material of vertex 2", "numbers below 2"]);
    message(table().between("ice", "fire"), &["no material \"fire\""]);
}

#[test]
fn bad_anisotropy_is_refused() {
    let check = |anisotropy| Entry::<3> { anisotropy, ..Entry::from(Mu { s: 0.5, k: 0.4 }) }.check();
    let ones = [1.0; 2];
    message(check(Anisotropy::Scaling([1.0, -2.0])), &["scaling of anisotropic friction, axis 1 is -2"]);
    message(check(Anisotropy::Scaling([f64::NAN, 1.0])), &["axis 0 is NaN"]);
    let stick = |s, k| Anisotropy::Matchstick { s, k, scaling: ones };
    message(check(stick([0.1, f64::INFINITY], [0.0; 2])), &["mu_s of the matchstick ellipse, axis 1 is inf"]);
    message(check(stick([0.1, 0.1], [-0.1, 0.0])), &["mu_k of the matchstick ellipse, axis 0 is -0.1"]);
    message(check(stick([0.5, 0.3], [0.4, 0.35])), &["axis 1 is 0.3", "at least mu_k"]);
    message(check(stick([0.0; 2], [0.2, 0.6])), &["axis 1 is 0.5", "at least mu_k"]);
    message(check(stick([0.7, 0.3], [0.0; 2])), &["axis 1 is 0.3", "at least mu_k"]);
    check(stick([0.0; 2], [0.2, 0.5])).unwrap();
    let axes = |axes| Entry { axes, ..Entry::from(0.5) }.check();
    message(axes(Axes::World(Vector([0.0; 3]))), &["direction of the axes of friction", "longer than 0"]);
    message(axes(Axes::World(Vector([f64::NAN, 0.0, 0.0]))), &["direction of the axes", "not finite"]);
    message(axes(Axes::World(Vector([1e200; 3]))), &["direction of the axes", "inf"]);
}

#[test]
fn lists_of_the_wrong_length_are_refused() {
    let scene = stack();
    let contacts = contacts_of(&scene);
    let check = |c: &Coefficients<3>| friction::lag::check(&scene.barrier(&contacts), &scene.x, c);
    let by_vertex =
        |count| Coefficients::from(0.1).with_vertices(vec![0.2.into(); count], Blend::Mean).unwrap();
    check(&by_vertex(6)).unwrap();
    message(check(&by_vertex(5)), &["list of mu of vertices has 5 entries, expected 6"]);
    let moving = Coefficients::from(0.1).with_obstacle_velocities(vec![RigidVelocity::REST; 2]);
    message(check(&moving), &["list of velocities of obstacles has 2 entries, expected 1"]);
    let table = PairTable::new(&["a"]).unwrap();
    let pairs = |table: &PairTable<3>| check(&Coefficients::from(0.1).with_pairs(table.clone()));
    message(pairs(&table), &["list of materials of vertices has 0 entries, expected 6"]);
    let table = table.with_vertices(&["a"; 6]).unwrap();
    pairs(&table).unwrap();
    let table = table.with_obstacles(&["a"; 3]).unwrap();
    message(pairs(&table), &["list of materials of obstacles has 3 entries, expected 1"]);
    message(check(&scaled(Axes::Grain).into()), &["the grain", "is missing", "give the grain"]);
    let other = Grain::of_faces(&sheet(), &vec![Vector([1.0; 3]); sheet().faces().len()]).unwrap();
    let grain = Coefficients::from(scaled(Axes::Grain)).with_grain(other);
    message(check(&grain), &["list of grain of vertices has 29 entries, expected 6"]);
    message(check(&(-1.0).into()), &["mu_s = -1"]);
    message(check(&Mu { s: 0.1, k: 0.2 }.into()), &["mu_s = 0.1", "at least mu_k"]);
}

#[test]
fn bad_coefficients_of_vertices_and_grain_are_refused() {
    let with = |bad: Mu| Coefficients::<3>::from(0.1).with_vertices(vec![0.2.into(), bad], Blend::Mean);
    message(with(Mu { s: f64::NAN, k: 0.1 }), &["mu_s of vertex 1 is NaN"]);
    message(with(Mu { s: 0.1, k: -0.1 }), &["mu_k of vertex 1 is -0.1", "0 or positive"]);
    message(with(Mu { s: 0.1, k: 0.2 }), &["mu_s of vertex 1 is 0.1", "at least mu_k"]);
    let surface = sheet();
    let mut lines = vec![Vector([1.0, 0.0, 0.0]); 29];
    message(Grain::of_vertices(&surface, &lines[1..]), &["grain of vertices has 28 entries, expected 29"]);
    message(Grain::of_faces(&surface, &lines), &["grain of faces has 29 entries, expected 32"]);
    lines[3][1] = f64::NAN;
    message(Grain::of_vertices(&surface, &lines), &["grain of vertex 3 is not finite"]);
}
