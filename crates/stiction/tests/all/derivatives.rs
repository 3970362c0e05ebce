//! The barrier against differences: gradients of energies, Hessians of gradients, in 2D and 3D. Friction is in `friction.rs`.

use std::array::from_fn;

use crate::support::{
    self, Census, DHAT, ROOM, Random, Scene, assert_close, gradient, hessian, largest, moved,
    single_contacts, slope,
};
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential, Kappa};
use stiction::broad_phase::BroadPhaseKind;
use stiction::contact::{ContactSet, Contacts, PerContact, Selection, Weighting};
use stiction::distance::{Psd, Separation};
use stiction::math::vector::flat;
use stiction::math::{Matrix, Vector, eigen};
use stiction::mesh::Surface;
use stiction::mollifier;
use stiction::obstacle::{Cylinder, Obstacle, Plane, Sphere};
use stiction::potential::Potential;
use stiction::stencil::{EDGE_EDGE, Pair, Stencil, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX};

/// Runs a test inside a pool of one thread: handing tiny sums to other threads costs more than the sums.
fn alone(test: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(test);
}

/// A local Hessian, row by row.
fn flatten<const D: usize, const N: usize>(h: &[[Matrix<D>; N]; N]) -> Vec<Vec<f64>> {
    (0..N * D).map(|i| (0..N * D).map(|j| h[i / D][j / D].0[i % D][j % D]).collect()).collect()
}

fn array<const D: usize, const N: usize>(x: &[Vector<D>]) -> [Vector<D>; N] {
    from_fn(|i| x[i])
}

// --- The edge-edge mollifier ---

fn check_cross_squared<const D: usize>() {
    let mut random = Random::new(D as u64);
    for _ in 0..500 {
        let x = random.points::<D, 4>(0.5);
        let exact = mollifier::cross_squared_gradient(&x);
        let h = flatten(&mollifier::cross_squared_hessian(&x));
        for k in 0..4 * D {
            let value = |y: &[Vector<D>]| vec![mollifier::cross_squared(&array(y))];
            let first = |y: &[Vector<D>]| flat(&mollifier::cross_squared_gradient(&array(y))).to_vec();
            // A polynomial of fourth degree: differences of fourth order are exact.
            assert_close(&slope(&x, k, 1e-2, value), &flat(&exact)[k..=k], 1e-12, "gradient of s");
            assert_close(&slope(&x, k, 1e-2, first), &h[k], 1e-12, "Hessian of s");
        }
    }
}

#[test]
fn edge_edge_mollifier() {
    check_cross_squared::<2>();
    check_cross_squared::<3>();
    let (eps, h) = (0.3, 1e-5);
    let m = |s: f64| mollifier::value(s, eps);
    for k in (1..150).filter(|&k| k != 100) {
        let s = eps * f64::from(k) / 100.0;
        let (m1, m2) = mollifier::derivatives(s, eps);
        assert_close(&[(m(s + h) - m(s - h)) / (2.0 * h)], &[m1], 1e-9, "m′");
        let bend = mollifier::derivatives(s + h, eps).0 - mollifier::derivatives(s - h, eps).0;
        assert_close(&[bend / (2.0 * h)], &[m2], 1e-8, "m″");
    }
    assert_eq!((m(0.0), m(eps), mollifier::derivatives(eps, eps).0), (0.0, 1.0, 0.0));
}

// --- The barrier ---

/// Compares at every number whose change does not change the contacts: there the energy is smooth.
fn check_barrier<const D: usize>(scene: &Scene<D>, census: &mut Census) {
    const H: f64 = 1e-5;
    let x = &scene.x;
    let contacts = scene.contacts(x);
    let (exact, h) = (scene.gradient(x), scene.hessian(x, Psd::None));
    let (g_scale, h_scale) = (largest(&exact), largest(h.as_flattened()));
    let steady =
        |k: &usize| [-2.0 * H, 2.0 * H].iter().all(|s| scene.contacts(&moved(x, *k, *s)) == contacts);
    let numbers: Vec<usize> = (0..exact.len()).filter(steady).collect();
    for &k in &numbers {
        let difference = slope(x, k, H, |y| vec![scene.energy(y)]);
        assert_close(&difference, &exact[k..=k], 1e-6 * g_scale, &format!("gradient with {contacts:?}"));
        let difference = slope(x, k, H, |y| scene.gradient(y));
        assert_close(
            &difference,
            &h[k][..exact.len()],
            1e-5 * h_scale,
            &format!("Hessian with {contacts:?}"),
        );
    }
    if numbers.len() == exact.len() {
        census.add(&contacts);
    }
}

#[test]
fn barrier_2d() {
    alone(|| {
        let (mut random, mut census) = (Random::new(1), Census::default());
        for _ in 0..300 {
            check_barrier(&support::chains(&mut random), &mut census);
        }
        for kind in ["vv", "ve", "obstacle"] {
            census.require(kind, 100);
        }
    });
}

/// A ball and a pipe that touch d̂ around some vertices, and nothing inside them.
fn with_round_obstacles(mut scene: Scene<3>, random: &mut Random) -> Option<Scene<3>> {
    let [to_center, to_axis, along] = random.points::<3, 3>(1.0).map(Vector::normalized);
    let radius = random.between(0.1, 0.5);
    let away = radius + DHAT * random.between(0.2, 0.9);
    let ball = Sphere::new(scene.x[0] + to_center * away, radius).unwrap();
    let pipe = Cylinder::new(scene.x[3] + to_axis * away, along, radius).unwrap();
    scene.obstacles = vec![Obstacle::Sphere(ball), Obstacle::Cylinder(pipe)];
    let outside = |o: &Obstacle<3>| scene.x.iter().all(|x| o.distance(*x) > 0.15 * DHAT);
    scene.obstacles.iter().all(outside).then_some(scene)
}

#[test]
fn barrier_of_round_obstacles() {
    alone(|| {
        let (mut random, mut census) = (Random::new(12), Census::default());
        for _ in 0..300 {
            let scene = support::triangles(&mut random);
            if let Some(scene) = with_round_obstacles(scene, &mut random) {
                check_barrier(&scene, &mut census);
                for psd in [Psd::Clamp, Psd::Abs, Psd::GaussNewton] {
                    let (w, _) = eigen::symmetric(scene.hessian(&scene.x, psd), 18);
                    let scale = largest(&w);
                    assert!(w.iter().all(|w| *w > -1e-12 * scale), "{psd:?}: {w:?}");
                }
            }
        }
        census.require("obstacle", 100);
    });
}

#[test]
fn barrier_3d() {
    alone(|| {
        let (mut random, mut census) = (Random::new(2), Census::default());
        for _ in 0..900 {
            check_barrier(&support::triangles(&mut random), &mut census);
            check_barrier(&support::nearly_parallel(&mut random), &mut census);
        }
        for kind in ["vv", "ve", "ee", "vf", "obstacle"] {
            census.require(kind, 100);
        }
        for parts in
            ["Start", "End", "Inside"].map(|a| ["Start", "End", "Inside"].map(|b| format!("{a} {b}")))
        {
            for kind in parts {
                census.require(&format!("parallel {kind}"), 5);
            }
        }
    });
}

/// Every way to choose contacts and to let them act.
fn settings() -> Vec<(BarrierLaw, Selection)> {
    let mut all = Vec::new();
    for kind in BarrierKind::ALL {
        for set in ContactSet::ALL {
            for weighting in Weighting::ALL {
                for dmin in [0.0, 0.1 * DHAT] {
                    let physical = (all.len() % 5).is_multiple_of(2);
                    let law = BarrierLaw::new(kind, DHAT - dmin).unwrap().with_dmin(dmin).unwrap();
                    let selection = Selection { reach: DHAT, set, weighting };
                    all.push((law.with_physical_units(physical), selection));
                }
            }
        }
    }
    all
}

/// The projection of every contact alone has no negative eigenvalue.
fn check_definite<const D: usize>(scene: &Scene<D>) {
    for contacts in single_contacts(&scene.contacts(&scene.x)) {
        for psd in [Psd::Clamp, Psd::Abs, Psd::GaussNewton] {
            let n = scene.x.len() * D;
            let (w, _) = eigen::symmetric(hessian(&scene.barrier(&contacts), &scene.x, psd), n);
            let smallest = w[..n].iter().copied().fold(f64::INFINITY, f64::min);
            assert!(
                smallest >= -1e-12 * largest(&w[..n]),
                "eigenvalue {smallest:e}, {psd:?} of {contacts:?}"
            );
        }
    }
}

#[test]
fn every_barrier_set_and_weighting() {
    alone(|| {
        let (mut random, mut met_vv) = (Random::new(31), 0);
        let settings = settings();
        assert_eq!(settings.len(), 7 * 3 * 2 * 2);
        for (law, selection) in settings {
            let (mut flat, mut solid) = (Census::default(), Census::default());
            for _ in 0..20 {
                let scene = support::chains(&mut random).with(law, selection);
                check_barrier(&scene, &mut flat);
                check_definite(&scene);
                let makers = [support::strips, support::nearly_parallel, support::nearly_parallel_triangles];
                for scene in makers.map(|make| make(&mut random).with(law, selection)) {
                    check_barrier(&scene, &mut solid);
                    check_definite(&scene);
                }
            }
            let what = format!("{law:?} {selection:?}");
            flat.require_for("ve", 3, &what);
            met_vv += solid.of("vv");
            for kind in ["ve", "ee", "vf", "parallel"] {
                solid.require_for(kind, 3, &what);
            }
            if selection.set == ContactSet::ImprovedMax {
                solid.require_for("negative", 3, &what);
            }
        }
        assert!(met_vv > 200, "only {met_vv} pairs of vertices");
    });
}

// --- Projection ---

/// Each contact's projection must equal the one by a full eigen-decomposition.
fn check_projection<const D: usize>(scene: &Scene<D>, census: &mut Census) {
    let (x, n) = (&scene.x, scene.x.len() * D);
    census.add(&scene.contacts(x));
    for psd in [Psd::Clamp, Psd::Abs] {
        for contacts in single_contacts(&scene.contacts(x)) {
            let barrier = scene.barrier(&contacts);
            let exact = hessian(&barrier, x, Psd::None);
            let slow = eigen::map_eigenvalues(exact, n, |w| psd.apply(w));
            let fast = hessian(&barrier, x, psd);
            let scale = largest(exact.as_flattened());
            let what = format!("{psd:?} of {contacts:?}");
            assert_close(fast.as_flattened(), slow.as_flattened(), 1e-9 * scale, &what);
        }
        let (eigenvalues, _) = eigen::symmetric(scene.hessian(x, psd), n);
        let smallest = eigenvalues[..n].iter().copied().fold(f64::INFINITY, f64::min);
        assert!(smallest >= -1e-12 * largest(&eigenvalues), "eigenvalue {smallest:e} with {psd:?}");
    }
}

#[test]
fn projections() {
    alone(|| {
        let (mut random, mut census) = (Random::new(3), Census::default());
        for _ in 0..300 {
            check_projection(&support::chains(&mut random), &mut census);
            check_projection(&support::triangles(&mut random), &mut census);
            check_projection(&support::nearly_parallel(&mut random), &mut census);
        }
        for kind in ["vv", "ve", "ee", "vf", "parallel", "obstacle"] {
            census.require(kind, 50);
        }
    });
}

// --- Stiffness, forces, Gauss–Newton ---

/// The only contact of a list as four numbers of vertices and weights: those of the vector between closest points.
fn relative_weights<const D: usize>(scene: &Scene<D>, contacts: &Contacts) -> Vec<(u32, f64)> {
    fn of<const D: usize, const N: usize>(pair: &Pair<N>, v: Stencil<N>, x: &[Vector<D>]) -> Vec<(u32, f64)> {
        v.0.into_iter().zip(Separation::new(pair, &v.gather(x)).c).collect()
    }
    let x = &scene.x;
    let mut all = Vec::new();
    all.extend(contacts.vv.iter().flat_map(|c| of(&VERTEX_VERTEX, c.stencil, x)));
    all.extend(contacts.ve.iter().flat_map(|c| of(&VERTEX_EDGE, c.stencil, x)));
    all.extend(contacts.ee.iter().flat_map(|c| of(&EDGE_EDGE, c.stencil, x)));
    all.extend(contacts.vf.iter().flat_map(|c| of(&VERTEX_FACE, c.stencil, x)));
    all.extend(contacts.parallel.iter().flat_map(|c| of(&c.pair(), c.contact.stencil, x)));
    all
}

/// The weight of the only contact of a list.
fn weight(c: &Contacts) -> f64 {
    let pairs = c.vv.iter().map(|c| c.weight).chain(c.ve.iter().map(|c| c.weight));
    let pairs = pairs.chain(c.ee.iter().chain(&c.vf).map(|c| c.weight));
    pairs.chain(c.parallel.iter().map(|c| c.contact.weight)).sum()
}

/// The second derivative along `p` of the energy whose closest points do not move, by differences.
fn check_gauss_newton<const D: usize>(scene: &Scene<D>, p: &[Vector<D>], census: &mut Census) {
    for contacts in single_contacts(&scene.contacts(&scene.x)).iter().filter(|c| c.obstacle.is_empty()) {
        let (barrier, c) = (scene.barrier(contacts), relative_weights(scene, contacts));
        let energy = |t: f64| {
            let at = |v: u32| scene.x[v as usize] + p[v as usize] * t;
            let r = c.iter().fold(Vector::ZERO, |r, &(v, c)| r + at(v) * c);
            7.0 * weight(contacts) * scene.law.value(r.norm_squared())
        };
        // At d̂ the third derivative jumps: differences are accurate only away from it.
        if contacts.smallest_gap(&scene.x, &scene.obstacles) > 0.98 * DHAT {
            continue;
        }
        let h = 1e-4;
        let middle = -30.0 * energy(0.0) + 16.0 * (energy(h) + energy(-h));
        let bend = (middle - energy(2.0 * h) - energy(-2.0 * h)) / (12.0 * h * h);
        let form = barrier.gauss_newton_form(&scene.x, p);
        assert!((form - bend).abs() < 1e-5 * (form.abs() + 1.0), "{form} and {bend} with {contacts:?}");
        let mut diagonal = vec![Vector::ZERO; p.len()];
        barrier.gauss_newton_diagonal(&scene.x, 1.0, &mut diagonal);
        for (k, entry) in flat(&diagonal).iter().enumerate() {
            let unit = moved(&vec![Vector::ZERO; p.len()], k, 1.0);
            let form = barrier.gauss_newton_form(&scene.x, &unit);
            assert!(
                (form - entry).abs() < 1e-12 * (form.abs() + 1.0),
                "{form} and {entry} with {contacts:?}"
            );
        }
        census.add(contacts);
    }
}

#[test]
fn gauss_newton_holds_closest_points() {
    alone(|| {
        let (mut random, mut census) = (Random::new(41), Census::default());
        for _ in 0..100 {
            let scene = support::chains(&mut random);
            check_gauss_newton(&scene, &random.points::<2, 6>(1.0), &mut census);
            let scene = support::strips(&mut random);
            check_gauss_newton(&scene, &random.points::<3, 7>(1.0), &mut census);
            let scene = support::nearly_parallel(&mut random);
            check_gauss_newton(&scene, &random.points::<3, 4>(1.0), &mut census);
        }
        for kind in ["vv", "ve", "ee", "vf", "parallel"] {
            census.require(kind, 20);
        }
    });
}

/// On a plane the approximation is the Hessian along the normal, and `2f′` across it.
#[test]
fn gauss_newton_of_a_plane() {
    let x = vec![Vector([0.3, 0.1, 0.05])];
    let surface = Surface::new(x.clone(), vec![], vec![]).unwrap().with_loose_vertices(vec![0]).unwrap();
    let mut scene = Scene::of(surface, x);
    scene.obstacles = vec![Obstacle::Plane(Plane::new(Vector([0.0; 3]), Vector([0.0, 0.0, 2.0])).unwrap())];
    let contacts = scene.contacts(&scene.x);
    let mut diagonal = [Vector::ZERO];
    scene.barrier(&contacts).gauss_newton_diagonal(&scene.x, 1.0, &mut diagonal);
    let along = scene.hessian(&scene.x, Psd::None)[2][2];
    let across = 7.0 * 2.0 * scene.law.first(0.05_f64.powi(2));
    assert_close(&diagonal[0].0, &[across, across, along], 1e-12 * along, "diagonal");
}

// --- Shape ---

/// The gradient where the surface at rest is `rest` and displacements are `u`, with the contacts found anew.
fn gradient_of_shape<const D: usize>(
    scene: &Scene<D>,
    rest: &[Vector<D>],
    u: &[Vector<D>],
) -> (Contacts, Vec<f64>) {
    let old = &scene.surface;
    let surface = Surface::new(rest.to_vec(), old.edges().to_vec(), old.faces().to_vec()).unwrap();
    let x: Vec<Vector<D>> = rest.iter().zip(u).map(|(rest, u)| *rest + *u).collect();
    let moved = Scene { obstacles: scene.obstacles.clone(), ..Scene::of(surface, x) }
        .with(scene.law, scene.selection);
    let contacts = moved.contacts(&moved.x);
    let gradient = gradient(&moved.barrier(&contacts), &moved.x);
    (contacts, gradient)
}

/// Whether two lists differ in nothing but numbers.
fn same_pairs(a: &Contacts, b: &Contacts) -> bool {
    fn pairs(c: &Contacts) -> impl PartialEq {
        let parallel: Vec<_> = c.parallel.iter().map(|c| (c.contact.stencil, c.parts)).collect();
        let three: Vec<_> = c.ve.iter().map(|c| c.stencil).collect();
        let four: Vec<_> = c.ee.iter().chain(&c.vf).map(|c| c.stencil).collect();
        let few: Vec<_> = c.vv.iter().map(|c| c.stencil).collect();
        (parallel, few, three, four, c.obstacle.len())
    }
    pairs(a) == pairs(b)
}

fn check_shape<const D: usize>(scene: &Scene<D>, random: &mut Random, census: &mut Census) {
    const H: f64 = 1e-5;
    let rest = scene.surface.rest();
    let u: Vec<Vector<D>> = rest.iter().map(|_| random.points::<D, 1>(0.01)[0]).collect();
    let x: Vec<Vector<D>> = rest.iter().zip(&u).map(|(rest, u)| *rest + *u).collect();
    let near = BroadPhaseKind::BruteForce.candidates(&scene.surface, &x, &x, DHAT);
    let (contacts, sources) =
        Contacts::build_with_sources(&scene.surface, &near, &scene.obstacles, &x, &scene.selection);
    if contacts.smallest_gap(&x, &scene.obstacles) < 0.15 * DHAT {
        return;
    }
    let mut exact = [[0.0; ROOM]; ROOM];
    for (i, j, block) in scene.barrier(&contacts).shape_derivative(&scene.surface, &sources, &x) {
        for k in 0..D {
            for l in 0..D {
                exact[i as usize * D + k][j as usize * D + l] += block.0[k][l];
            }
        }
    }
    let scale = largest(exact.as_flattened());
    let (mut met, n) = (0, rest.len() * D);
    for j in 0..n {
        let steady = |s: f64| same_pairs(&contacts, &gradient_of_shape(scene, &moved(rest, j, s), &u).0);
        if !steady(2.0 * H) || !steady(-2.0 * H) {
            continue;
        }
        let difference = slope(rest, j, H, |rest| gradient_of_shape(scene, rest, &u).1);
        let column: Vec<f64> = (0..n).map(|i| exact[i][j]).collect();
        assert_close(&difference, &column, 1e-5 * scale, &format!("shape derivative with {contacts:?}"));
        met += 1;
    }
    if met == n {
        census.add(&contacts);
    }
}

#[test]
fn forces_by_the_shape_at_rest() {
    alone(|| {
        let mut random = Random::new(43);
        for set in ContactSet::ALL {
            for weighting in Weighting::ALL {
                let mut census = Census::default();
                let law = BarrierLaw::new(BarrierKind::ClampedLog, DHAT).unwrap();
                let selection = Selection { reach: DHAT, set, weighting };
                for _ in 0..25 {
                    let scene = support::chains(&mut random).with(law, selection);
                    check_shape(&scene, &mut random, &mut census);
                    let scene = support::strips(&mut random).with(law, selection);
                    check_shape(&scene, &mut random, &mut census);
                    let scene = support::nearly_parallel_triangles(&mut random).with(law, selection);
                    check_shape(&scene, &mut random, &mut census);
                }
                for kind in ["ve", "ee", "vf", "parallel", "obstacle"] {
                    census.require_for(kind, 3, &format!("{selection:?}"));
                }
            }
        }
    });
}

/// As many stiffnesses as contacts, all different.
fn stiffnesses(contacts: &Contacts, random: &mut Random) -> PerContact<f64> {
    let values: Vec<f64> = (0..contacts.len()).map(|_| random.between(1.0, 9.0)).collect();
    assert!(PerContact::of(contacts, &values[1..]).unwrap_err().to_string().contains("values of contacts"));
    PerContact::of(contacts, &values).unwrap()
}

/// Sums over contacts with a stiffness each are sums of those of each contact alone.
fn check_stiffness<const D: usize>(scene: &Scene<D>, random: &mut Random) {
    let x = &scene.x;
    let contacts = scene.contacts(x);
    let each = stiffnesses(&contacts, random);
    let of_each = BarrierPotential { kappa: Kappa::Each(&each), ..scene.barrier(&contacts) };
    let (mut energy, mut g, mut h, mut force) = (0.0, vec![0.0; x.len() * D], [[0.0; ROOM]; ROOM], 0.0);
    for (alone, &kappa) in single_contacts(&contacts).iter().zip(each.iter()) {
        let one = BarrierPotential { kappa: kappa.into(), ..scene.barrier(alone) };
        energy += one.energy(x);
        force += one.total_force(x);
        g = g.iter().zip(gradient(&one, x)).map(|(a, b)| a + b).collect();
        let dense = hessian(&one, x, Psd::Clamp);
        h = from_fn(|i| from_fn(|j| h[i][j] + dense[i][j]));
    }
    let what = "a stiffness for each contact";
    assert_close(&[of_each.energy(x), of_each.total_force(x)], &[energy, force], 1e-12 * force, what);
    assert_close(&gradient(&of_each, x), &g, 1e-12 * largest(&g), what);
    let scale = largest(h.as_flattened());
    assert_close(hessian(&of_each, x, Psd::Clamp).as_flattened(), h.as_flattened(), 1e-12 * scale, what);
    for (force, &kappa) in of_each.forces(x).iter().zip(each.iter()) {
        assert!(*force > 0.0 && kappa > 0.0);
    }
}

#[test]
fn every_contact_can_have_its_own_stiffness() {
    alone(|| {
        let mut random = Random::new(42);
        for _ in 0..50 {
            check_stiffness(&support::chains(&mut random), &mut random);
            check_stiffness(&support::strips(&mut random), &mut random);
            check_stiffness(&support::nearly_parallel(&mut random), &mut random);
        }
    });
}

// --- Continuity ---

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Everything at one point of a path.
struct Sample {
    contacts: Contacts,
    energy: f64,
    gradient: Vec<f64>,
    stiffness: f64,
}

impl Sample {
    fn new<const D: usize>(scene: &Scene<D>, x: &[Vector<D>]) -> Self {
        let stiffness = norm(scene.hessian(x, Psd::None).as_flattened());
        let (energy, gradient) = (scene.energy(x), scene.gradient(x));
        Self { contacts: scene.contacts(x), energy, gradient, stiffness }
    }

    /// Asserts that energy and gradient differ no more than the derivatives at both ends explain.
    fn assert_continuous(&self, next: &Self, length: f64) {
        let what = || format!("from {:?} to {:?}", self.contacts, next.contacts);
        let stiffness = self.stiffness.max(next.stiffness);
        let jump: Vec<f64> = self.gradient.iter().zip(&next.gradient).map(|(a, b)| a - b).collect();
        assert!(norm(&jump) <= 1.5 * stiffness * length + 1e-9, "gradient jumps {}", what());
        let climb = norm(&self.gradient).max(norm(&next.gradient)) + stiffness * length;
        assert!((next.energy - self.energy).abs() <= climb * length + 1e-9, "energy jumps {}", what());
    }
}

/// Walks along `x + t p` until `t = 1` or something comes too close.
fn walk<const D: usize>(scene: &Scene<D>, p: &[Vector<D>], census: &mut Census) {
    const STEPS: u32 = 400;
    let length = norm(flat(p)) / f64::from(STEPS);
    let mut before = Sample::new(scene, &scene.x);
    for step in 1..=STEPS {
        let t = f64::from(step) / f64::from(STEPS);
        let x: Vec<Vector<D>> = scene.x.iter().zip(p).map(|(x, p)| *x + *p * t).collect();
        let after = Sample::new(scene, &x);
        if after.contacts.smallest_gap(&x, &scene.obstacles) < 0.15 * DHAT {
            return;
        }
        before.assert_continuous(&after, length);
        census.add_changes(&before.contacts, &after.contacts);
        before = after;
    }
}

/// 1,500 paths for every set that is continuous, each with both weightings: contacts appear, change their kind, vanish.
#[test]
fn energy_and_gradient_are_continuous() {
    alone(|| {
        for set in [ContactSet::Ipc, ContactSet::ImprovedMax] {
            let (mut random, mut census) = (Random::new(5), Census::default());
            for path in 0..300 {
                let weighting = Weighting::ALL[path % 2];
                let law = BarrierLaw::new(BarrierKind::ClampedLog, DHAT).unwrap();
                let selection = Selection { reach: DHAT, set, weighting };
                let scene = support::chains(&mut random).with(law, selection);
                walk(&scene, &random.points::<2, 6>(DHAT), &mut census);
                let scene = support::triangles(&mut random).with(law, selection);
                walk(&scene, &random.points::<3, 6>(DHAT), &mut census);
                let scene = support::strips(&mut random).with(law, selection);
                walk(&scene, &random.points::<3, 7>(DHAT), &mut census);
                let scene = support::nearly_parallel(&mut random).with(law, selection);
                walk(&scene, &random.points::<3, 4>(0.1 * DHAT), &mut census);
                let scene = support::nearly_parallel_triangles(&mut random).with(law, selection);
                walk(&scene, &random.points::<3, 6>(0.1 * DHAT), &mut census);
            }
            let both_ways = ["vf to ve", "ve to vf", "ve to vv", "vv to ve", "ee to ve", "ve to ee"];
            for change in both_ways.into_iter().chain(["parallel to ee", "parallel to ve", "parallel to vv"])
            {
                let least = if change == "parallel to vv" { 3 } else { 10 };
                census.require_for(change, least, &format!("{set:?}"));
            }
            for kind in ["vv", "ve", "ee", "vf", "parallel"] {
                let least = if kind == "parallel" { 2 } else { 10 };
                census.require_for(&format!("{kind} appears"), least, &format!("{set:?}"));
                census.require_for(&format!("{kind} vanishes"), 10, &format!("{set:?}"));
            }
        }
    });
}

#[test]
fn parallel_edges_have_no_energy_but_curvature() {
    let x = [[0.0; 3], [1.0, 0.0, 0.0], [0.3, 0.1, 0.0], [1.3, 0.1, 0.0]].map(Vector);
    let surface = Surface::new(x.to_vec(), vec![[0, 1], [2, 3]], vec![]).unwrap();
    let scene = Scene::of(surface, x.to_vec());
    assert_eq!(scene.contacts(&x).parallel.len(), 1);
    assert_eq!((scene.energy(&x), largest(&scene.gradient(&x))), (0.0, 0.0));
    let h = scene.hessian(&x, Psd::None);
    assert!(h.as_flattened().iter().all(|v| v.is_finite()) && largest(h.as_flattened()) > 0.0);
}

/// Exactly parallel edges closer than the minimum distance are impossible, not free.
#[test]
fn parallel_edges_do_not_touch() {
    let x = [[0.0; 3], [1.0, 0.0, 0.0], [0.3, 0.1, 0.0], [1.3, 0.1, 0.0]].map(Vector);
    let surface = Surface::new(x.to_vec(), vec![[0, 1], [2, 3]], vec![]).unwrap();
    let law = BarrierLaw::new(BarrierKind::ClampedLog, 0.1).unwrap().with_dmin(0.15).unwrap();
    let scene = Scene::of(surface, x.to_vec()).with(law, Selection::within(law.reach()));
    assert_eq!(scene.energy(&x), f64::INFINITY);
}
