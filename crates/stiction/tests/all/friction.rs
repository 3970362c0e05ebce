//! Friction against differences: laws × coefficients × anisotropy × pairs, in 2D and 3D.

use std::array::from_fn;

use crate::support::{
    self, Census, DHAT, Dense, ROOM, Random, Scene, assert_close, dense, gradient, hessian, largest, moved,
    single_contacts, slope,
};
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential, Kappa};
use stiction::blocks::{Blocks, Csc, EntryColumns, FullBlocks};
use stiction::broad_phase::BroadPhaseKind;
use stiction::contact::{ContactSet, Contacts, PerContact, Selection, WeightSources, Weighting};
use stiction::distance::Psd;
use stiction::friction::{
    self, Anisotropy, Axes, Blend, Coefficients, Entry, FrictionKind, FrictionLaw, FrictionPotential, Grain,
    LaggedForce, Motion, Mu, PairTable, PerSlide, Side, Slide, Slides, Step, Stribeck,
};
use stiction::math::vector::flat;
use stiction::math::{Vector, eigen};
use stiction::mesh::Surface;
use stiction::obstacle::{Cylinder, Obstacle, RigidVelocity, Sphere};
use stiction::potential::Potential;

/// Runs a test inside a pool of one thread: handing tiny sums to other threads costs more than the sums.
fn alone(test: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(test);
}

const EPS_V: f64 = 0.1;
const H_HAT: f64 = 0.02;

// --- What is varied ---

/// All laws.
fn laws() -> Vec<FrictionKind> {
    let stribeck = Stribeck::new(0.5 * EPS_V, 0.7).unwrap();
    let mut all = FrictionKind::NAMED.to_vec();
    all.extend([FrictionKind::Stribeck(stribeck), FrictionKind::Adhesion]);
    all
}

/// Speeds where a derivative of a law may jump.
fn branches(law: &FrictionKind, mu: Mu) -> [f64; 4] {
    let peak = law.creep_bound(mu, EPS_V);
    [EPS_V, 0.5 * EPS_V, peak, 0.5 * (peak + EPS_V)]
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Number,
    StaticKinetic,
    Vertices,
    Table,
}

const KINDS: [Kind; 4] = [Kind::Number, Kind::StaticKinetic, Kind::Vertices, Kind::Table];

const MU: Mu = Mu { s: 0.5, k: 0.3 };

const ANISOTROPIES: [Anisotropy; 4] = [
    Anisotropy::None,
    Anisotropy::Scaling([1.3, 0.6]),
    Anisotropy::Matchstick { s: [0.7, 0.4], k: [0.5, 0.35], scaling: [1.0; 2] },
    Anisotropy::Matchstick { s: [0.0; 2], k: [0.5, 0.2], scaling: [0.8, 1.2] },
];

#[derive(Clone, Copy, Debug)]
struct Setting {
    law: FrictionKind,
    kind: Kind,
    anisotropy: Anisotropy,
    /// Number of the axes: own, world, grain.
    axes: usize,
}

fn settings() -> Vec<Setting> {
    let mut all = Vec::new();
    for law in laws() {
        for kind in KINDS {
            for anisotropy in ANISOTROPIES {
                let axes = if anisotropy == Anisotropy::None { 0..1 } else { 0..3 };
                all.extend(axes.map(|axes| Setting { law, kind, anisotropy, axes }));
            }
        }
    }
    all
}

impl Setting {
    fn entry<const D: usize>(&self, mu: Mu) -> Entry<D> {
        let world = Vector(from_fn(|k| [0.3, -0.8, 0.5][k]));
        let axes = [Axes::Contact, Axes::World(world), Axes::Grain][self.axes];
        Entry { mu, anisotropy: self.anisotropy, axes }
    }

    fn coefficients<const D: usize>(&self, setup: &Setup<D>, random: &mut Random) -> Coefficients<D> {
        let vertices = setup.scene.x.len();
        let of = |mu: Mu| Coefficients::from(self.entry(mu));
        let coefficients = match self.kind {
            Kind::Number => of(Mu::same(0.4)),
            Kind::StaticKinetic => of(MU),
            Kind::Vertices => {
                let mut mu = || MU.scaled(random.between(0.5, 1.5));
                of(MU).with_vertices((0..vertices).map(|_| mu()).collect(), Blend::GeometricMean).unwrap()
            }
            Kind::Table => {
                let table = PairTable::new(&["steel", "ice"]).unwrap();
                let table = table.with("steel", "ice", self.entry(MU)).unwrap();
                let names: Vec<_> = (0..vertices).map(|v| ["steel", "ice"][v / 3 % 2]).collect();
                let obstacles = vec!["ice"; setup.scene.obstacles.len()];
                let table = table.with_vertices(&names).unwrap().with_obstacles(&obstacles).unwrap();
                of(Mu::same(0.2)).with_pairs(table)
            }
        };
        let velocities = setup.drifts.iter().map(|v| RigidVelocity::translation(*v).unwrap()).collect();
        let grain: Vec<Vector<D>> = (0..vertices).map(|_| random.points::<D, 1>(1.0)[0]).collect();
        let grain = Grain::of_vertices(&setup.scene.surface, &grain).unwrap();
        coefficients.with_obstacle_velocities(velocities).with_grain(grain)
    }
}

/// A scene that has moved from rest, with its contacts.
struct Setup<const D: usize> {
    scene: Scene<D>,
    x: Vec<Vector<D>>,
    contacts: Contacts,
    sources: WeightSources,
    /// Of each contact another one, or the same for all.
    kappa: Option<PerContact<f64>>,
    /// Velocities of the obstacles, or none.
    drifts: Vec<Vector<D>>,
}

impl<const D: usize> Setup<D> {
    fn barrier(&self) -> BarrierPotential<'_, D> {
        let same = self.scene.barrier(&self.contacts);
        BarrierPotential { kappa: self.kappa.as_ref().map_or(same.kappa, Kappa::Each), ..same }
    }
}

/// Stiffnesses that differ from contact to contact, or none.
fn some_kappa(contacts: &Contacts, seed: u64) -> Option<PerContact<f64>> {
    let mut random = Random::new(seed);
    let each: Vec<f64> = (0..contacts.len()).map(|_| random.between(2.0, 20.0)).collect();
    (random.between(0.0, 1.0) < 0.5).then(|| PerContact::of(contacts, &each).unwrap())
}

fn displaced<const D: usize>(scene: Scene<D>, random: &mut Random) -> Option<Setup<D>> {
    let x: Vec<Vector<D>> =
        scene.surface.rest().iter().map(|rest| *rest + random.points::<D, 1>(0.01)[0]).collect();
    let near = BroadPhaseKind::BruteForce.candidates(&scene.surface, &x, &x, DHAT);
    let (contacts, sources) =
        Contacts::build_with_sources(&scene.surface, &near, &scene.obstacles, &x, &scene.selection);
    let gap = contacts.smallest_gap(&x, &scene.obstacles);
    let outside = scene.obstacles.iter().all(|o| x.iter().all(|x| o.distance(*x) > 0.15 * DHAT));
    let moving = random.between(0.0, 1.0) < 0.5;
    let mut drifts: Vec<Vector<D>> =
        scene.obstacles.iter().map(|_| random.points::<D, 1>(2.0 * EPS_V)[0]).collect();
    if !moving {
        drifts.clear();
    }
    let kappa = some_kappa(&contacts, x[0][0].to_bits());
    (gap > 0.15 * DHAT && gap < 0.9 * DHAT && outside).then_some(Setup {
        scene,
        x,
        contacts,
        sources,
        kappa,
        drifts,
    })
}

/// Adds a ball, and in 3D a pipe, close to some vertices.
fn with_ball<const D: usize>(mut scene: Scene<D>, random: &mut Random) -> Scene<D> {
    let [direction] = random.points::<D, 1>(1.0).map(Vector::normalized);
    let radius = random.between(0.1, 0.5);
    let away = radius + DHAT * random.between(0.25, 0.9);
    scene.obstacles.push(Obstacle::Sphere(Sphere::new(scene.x[0] + direction * away, radius).unwrap()));
    scene
}

fn with_pipe(mut scene: Scene<3>, random: &mut Random) -> Scene<3> {
    let [direction, along] = random.points::<3, 2>(1.0).map(Vector::normalized);
    let away = 0.3 + DHAT * random.between(0.25, 0.9);
    scene
        .obstacles
        .push(Obstacle::Cylinder(Cylinder::new(scene.x[3] + direction * away, along, 0.3).unwrap()));
    scene
}

/// Every set and weighting in turn.
fn selection(number: usize) -> Selection {
    Selection { reach: DHAT, set: ContactSet::ALL[number % 3], weighting: Weighting::ALL[number / 3 % 2] }
}

fn flat_setups(random: &mut Random) -> Vec<Setup<2>> {
    let law = BarrierLaw::new(BarrierKind::ClampedLog, DHAT).unwrap();
    let mut all = Vec::new();
    while all.len() < 24 {
        let scene = support::chains(random).with(law, selection(all.len()));
        let scene = if all.len() % 2 == 0 { scene } else { with_ball(scene, random) };
        all.extend(displaced(scene, random));
    }
    all
}

fn solid_setups(random: &mut Random) -> Vec<Setup<3>> {
    let law = BarrierLaw::new(BarrierKind::ClampedLog, DHAT).unwrap();
    let makers = [
        support::triangles,
        support::strips,
        support::nearly_parallel,
        support::nearly_parallel_triangles,
        support::triangles,
    ];
    let mut all = Vec::new();
    while all.len() < 60 {
        let scene = makers[all.len() % 5](random).with(law, selection(all.len()));
        let scene = match all.len() % 5 {
            0 => with_ball(scene, random),
            4 => with_pipe(scene, random),
            _ => scene,
        };
        all.extend(displaced(scene, random));
    }
    all
}

// --- Speeds ---

/// What `f` makes of every slide: its law's speed `y` and its coefficients.
fn each_slide<const D: usize, L: FrictionLaw, T>(
    potential: &FrictionPotential<'_, D, L>,
    x: &[Vector<D>],
    f: impl Fn(f64, Mu) -> T,
) -> Vec<T> {
    fn of<const D: usize, const N: usize, L: FrictionLaw, T>(
        potential: &FrictionPotential<'_, D, L>,
        slides: &[Slide<D, N>],
        x: &[Vector<D>],
        f: &impl Fn(f64, Mu) -> T,
    ) -> Vec<T> {
        let y = |s: &Slide<D, N>| {
            let (u, detail) = (potential.slip(s, x), potential.slides.detail(s));
            detail.map_or(u, |detail| detail.scaling(s.normal) * u).norm()
        };
        slides.iter().map(|s| f(y(s), s.mu)).collect()
    }
    let (s, mut out) = (potential.slides, Vec::new());
    out.extend(of(potential, &s.vv, x, &f));
    out.extend(of(potential, &s.ve, x, &f));
    out.extend(of(potential, &s.ee, x, &f));
    out.extend(of(potential, &s.vf, x, &f));
    out.extend(of(potential, &s.obstacle, x, &f));
    out
}

/// Whether no slide is so close to a jump of a third derivative that differences see it.
fn is_smooth<const D: usize>(potential: &FrictionPotential<'_, D>, x: &[Vector<D>]) -> bool {
    let far = |y: f64, mu: Mu| {
        // Adhesion jumps to nothing at 2ε.
        let mut jumps = branches(&potential.law, mu).into_iter().chain([2.0 * EPS_V]);
        y > 0.02 * EPS_V && jumps.all(|b| (y - b).abs() > 0.01 * EPS_V)
    };
    each_slide(potential, x, far).into_iter().all(|far| far)
}

// --- Energy, gradient, Hessian ---

fn check_potential<const D: usize>(potential: &FrictionPotential<'_, D>, x: &[Vector<D>], what: &str) {
    const H: f64 = 2e-7;
    let (exact, h) = (gradient(potential, x), hessian(potential, x, Psd::None));
    // Slip in 2D has no curvature at all: there the tolerance is relative to that of stick.
    let g_scale = largest(&exact);
    let h_scale = largest(h.as_flattened()).max(g_scale / (EPS_V * H_HAT));
    for k in 0..exact.len() {
        let difference = slope(x, k, H, |y| vec![potential.energy(y)]);
        assert_close(&difference, &exact[k..=k], 1e-6 * g_scale, &format!("gradient, {what}"));
        let difference = slope(x, k, H, |y| gradient(potential, y));
        assert_close(&difference, &h[k][..exact.len()], 1e-5 * h_scale, &format!("Hessian, {what}"));
        for j in 0..k {
            assert_eq!(h[k][j].to_bits(), h[j][k].to_bits(), "{what}");
        }
    }
    let mut force = vec![Vector::ZERO; x.len()];
    potential.force(x, &mut force);
    let minus: Vec<f64> = exact.iter().map(|g| -g).collect();
    assert_eq!(flat(&force), minus, "force and gradient, {what}");
}

/// The slides one by one.
fn single<const D: usize>(all: &Slides<D>) -> Vec<Slides<D>> {
    let none = || Slides { details: all.details.clone(), ..Slides::default() };
    let mut out = Vec::new();
    out.extend(all.vv.iter().map(|s| Slides { vv: vec![*s], ..none() }));
    out.extend(all.ve.iter().map(|s| Slides { ve: vec![*s], ..none() }));
    out.extend(all.ee.iter().map(|s| Slides { ee: vec![*s], ..none() }));
    out.extend(all.vf.iter().map(|s| Slides { vf: vec![*s], ..none() }));
    out.extend(all.obstacle.iter().map(|s| Slides { obstacle: vec![*s], ..none() }));
    out
}

/// Each slide's projection has no negative eigenvalue, and without scaling it is that of an eigen-decomposition.
fn check_projection<const D: usize>(
    potential: &FrictionPotential<'_, D>,
    x: &[Vector<D>],
    census: &mut Census,
) {
    let n = x.len() * D;
    for slides in single(potential.slides) {
        let one = FrictionPotential { slides: &slides, ..*potential };
        let exact = hessian(&one, x, Psd::None);
        let scale = largest(exact.as_flattened());
        let scaled = slides.details.iter().any(|d| d.scaling[0] != d.scaling[1]);
        let (w, _) = eigen::symmetric(exact, n);
        let signs = [w[..n].iter().any(|w| *w < -1e-9 * scale), w[..n].iter().any(|w| *w > 1e-9 * scale)];
        census.note(
            ["zero", "ascends", "descends", "both signs"][usize::from(signs[1]) + 2 * usize::from(signs[0])],
            1,
        );
        for psd in [Psd::Clamp, Psd::Abs, Psd::GaussNewton] {
            let h = hessian(&one, x, psd);
            let (w, _) = eigen::symmetric(h, n);
            assert!(w[..n].iter().all(|w| *w >= -1e-12 * scale), "{psd:?}: {w:?} of {slides:?}");
            if !scaled {
                let slow = eigen::map_eigenvalues(exact, n, |w| psd.apply(w));
                assert_close(h.as_flattened(), slow.as_flattened(), 1e-9 * scale, &format!("{psd:?}"));
            }
        }
    }
}

/// One-sided differences of second order, from the side of `step`.
fn one_sided<const D: usize>(
    x: &[Vector<D>],
    k: usize,
    step: f64,
    f: impl Fn(&[Vector<D>]) -> Vec<f64>,
) -> Vec<f64> {
    let (at, near, far) = (f(x), f(&moved(x, k, step)), f(&moved(x, k, 2.0 * step)));
    (0..at.len()).map(|i| (4.0 * near[i] - 3.0 * at[i] - far[i]) / (2.0 * step)).collect()
}

/// Derivatives where those of the law jump: the Hessian is that from both sides, and the gradient is what lies between energies.
fn check_branch<const D: usize>(potential: &FrictionPotential<'_, D>, x: &[Vector<D>], what: &str) {
    const H: f64 = 1e-8;
    const ACROSS: f64 = 5e-10;
    let (exact, h) = (gradient(potential, x), hessian(potential, x, Psd::None));
    let steepest = each_slide(potential, x, |_, mu| mu.s.max(mu.k)).into_iter().fold(0.0, f64::max);
    let force = total_force(potential.slides);
    let (g_scale, h_scale) =
        (steepest * force, largest(h.as_flattened()).max(steepest * force / (EPS_V * H_HAT)));
    for k in 0..exact.len() {
        let difference = slope(x, k, 10.0 * H, |y| vec![potential.energy(y)]);
        assert_close(&difference, &exact[k..=k], 1e-6 * g_scale, &format!("gradient at {what}"));
        for step in [H, -H] {
            let difference = one_sided(x, k, step, |y| gradient(potential, y));
            assert_close(&difference, &h[k][..exact.len()], 1e-5 * h_scale, &format!("Hessian at {what}"));
        }
        // Across: a trapezoid of Hessians, whose error grows with the step.
        let sides = [ACROSS, -ACROSS].map(|step| moved(x, k, step));
        let gradients = [&sides[0], &sides[1]].map(|x| gradient(potential, x));
        let hessians = [&sides[0], &sides[1]].map(|x| hessian(potential, x, Psd::None));
        for i in 0..exact.len() {
            let mean = 0.5 * (hessians[0][k][i] + hessians[1][k][i]);
            let difference = (gradients[0][i] - gradients[1][i]) / (2.0 * ACROSS);
            assert_close(&[difference], &[mean], 1e-5 * h_scale, &format!("across {what}"));
        }
    }
}

fn total_force<const D: usize>(s: &Slides<D>) -> f64 {
    let four = s.ee.iter().chain(&s.vf).map(|s| s.force.abs());
    let few = s.obstacle.iter().map(|s| s.force.abs()).chain(s.vv.iter().map(|s| s.force.abs()));
    few.chain(s.ve.iter().map(|s| s.force.abs())).chain(four).sum()
}

/// Velocities of all vertices with which one slide has the relative velocity `w`.
fn velocities_of<const D: usize>(slides: &Slides<D>, vertices: usize, w: Vector<D>) -> Vec<Vector<D>> {
    fn set<const D: usize, const N: usize>(slides: &[Slide<D, N>], w: Vector<D>, v: &mut [Vector<D>]) {
        for slide in slides {
            let square: f64 = slide.c.iter().map(|c| c * c).sum();
            for (&vertex, c) in slide.stencil.0.iter().zip(slide.c) {
                v[vertex as usize] = w * (c / square);
            }
        }
    }
    let mut v = vec![Vector::ZERO; vertices];
    set(&slides.obstacle, w, &mut v);
    set(&slides.vv, w, &mut v);
    set(&slides.ve, w, &mut v);
    set(&slides.ee, w, &mut v);
    set(&slides.vf, w, &mut v);
    v
}

/// The first detail, normal and coefficients of one slide.
fn only<const D: usize>(slides: &Slides<D>) -> (Vector<D>, Mu, u32) {
    let s = slides;
    let points = s
        .obstacle
        .iter()
        .map(|s| (s.normal, s.mu, s.detail))
        .chain(s.vv.iter().map(|s| (s.normal, s.mu, s.detail)));
    let edges = s.ve.iter().map(|s| (s.normal, s.mu, s.detail));
    let four = s.ee.iter().chain(&s.vf).map(|s| (s.normal, s.mu, s.detail));
    points.chain(edges).chain(four).next().unwrap()
}

/// Every slide alone, at rest on what it slides on and at every branch point of its law.
fn check_branches<const D: usize>(
    slides: &Slides<D>,
    x: &[Vector<D>],
    law: FrictionKind,
    random: &mut Random,
) {
    for one in single(slides) {
        let (normal, mu, number) = only(&one);
        let detail = one.details.get(number as usize);
        let drift = detail.map_or(Vector::ZERO, |d| d.drift);
        for y in [0.0].into_iter().chain(branches(&law, mu)) {
            let [direction] = random.points::<D, 1>(1.0);
            let u = direction - normal * normal.dot(direction);
            let z = detail.map_or(u, |d| d.scaling(normal) * u);
            let w = drift + direction * (y / z.norm());
            let v_ref = velocities_of(&one, x.len(), w);
            let motion = Motion { x_ref: x, v_ref: &v_ref, h_hat: H_HAT };
            let potential = FrictionPotential { slides: &one, motion, law, eps_v: EPS_V };
            assert_close(&each_slide(&potential, x, |y, _| y), &[y], 1e-12, "speed");
            check_branch(&potential, x, &format!("y = {y} of {law:?}, {one:?}"));
        }
    }
}

// --- Jacobians ---

fn dense_full<const D: usize>(blocks: &FullBlocks<D>) -> Dense {
    let mut out = [[0.0; ROOM]; ROOM];
    for column in 0..blocks.vertices() {
        for (row, block) in blocks.column(column) {
            for k in 0..D {
                for l in 0..D {
                    out[row as usize * D + k][column * D + l] = block.0[k][l];
                }
            }
        }
    }
    out
}

fn dense_entries<const D: usize>(blocks: &EntryColumns<D>) -> Dense {
    let csc = Csc::<u32>::of_entries(blocks).unwrap();
    let mut out = [[0.0; ROOM]; ROOM];
    for column in 0..csc.indptr.len() - 1 {
        for k in csc.indptr[column]..csc.indptr[column + 1] {
            out[csc.indices[k as usize] as usize][column] = csc.data[k as usize];
        }
    }
    assert_eq!(csc.indptr.len(), blocks.vertices() * D + 1);
    out
}

fn force<const D: usize>(
    setup: &Setup<D>,
    slides: &Slides<D>,
    law: FrictionKind,
    x: &[Vector<D>],
    v: &[Vector<D>],
) -> Vec<f64> {
    let barrier = setup.barrier();
    let mut out = vec![Vector::ZERO; x.len()];
    LaggedForce::new(&barrier, slides, law, EPS_V).unwrap().force(x, v, &mut out);
    flat(&out).to_vec()
}

fn column(matrix: &Dense, j: usize, rows: usize) -> Vec<f64> {
    (0..rows).map(|i| matrix[i][j]).collect()
}

fn check_jacobians<const D: usize>(
    setup: &Setup<D>,
    slides: &Slides<D>,
    law: FrictionKind,
    v: &[Vector<D>],
    what: &str,
) {
    let (x, n) = (&setup.x, setup.x.len() * D);
    let barrier = setup.barrier();
    let friction = LaggedForce::new(&barrier, slides, law, EPS_V).unwrap();
    let f = force(setup, slides, law, x, v);
    let f_scale = largest(&f);
    let mut blocks = Blocks::default();
    friction.by_velocity(x, v, &mut blocks);
    let by_v = dense(&blocks);
    let v_scale = largest(by_v.as_flattened()).max(f_scale / EPS_V);
    let mut full = FullBlocks::default();
    friction.by_displacement(x, v, &mut full);
    let by_u = dense_full(&full);
    let u_scale = largest(by_u.as_flattened());
    for k in 0..n {
        let difference = slope(v, k, 1e-5, |v| force(setup, slides, law, x, v));
        assert_close(&difference, &column(&by_v, k, n), 1e-5 * v_scale, &format!("by v, {what}"));
        let difference = slope(x, k, 1e-6, |x| force(setup, slides, law, x, v));
        assert_close(&difference, &column(&by_u, k, n), 1e-5 * u_scale, &format!("by u, {what}"));
    }
}

/// Slides lagged at other positions, with what is held of `slides`: coefficients, and the directions of axes.
fn stale<const D: usize>(
    setup: &Setup<D>,
    slides: &Slides<D>,
    coefficients: &Coefficients<D>,
    random: &mut Random,
) -> Slides<D> {
    fn hold<const D: usize, const N: usize>(slides: &mut [Slide<D, N>], held: &[Slide<D, N>]) {
        assert_eq!(slides.len(), held.len());
        for (slide, held) in slides.iter_mut().zip(held) {
            assert_eq!(slide.detail, held.detail);
            slide.mu = held.mu;
        }
    }
    let elsewhere: Vec<_> = setup.x.iter().map(|x| *x + random.points::<D, 1>(0.01)[0]).collect();
    let mut out = friction::lag(&setup.barrier(), &elsewhere, coefficients);
    hold(&mut out.obstacle, &slides.obstacle);
    hold(&mut out.vv, &slides.vv);
    hold(&mut out.ve, &slides.ve);
    hold(&mut out.ee, &slides.ee);
    hold(&mut out.vf, &slides.vf);
    for (detail, held) in out.details.iter_mut().zip(&slides.details) {
        detail.direction = held.direction;
    }
    out
}

/// The force at positions that `stale` slides were not lagged at is that of `slides`, which were.
fn check_force<const D: usize>(
    setup: &Setup<D>,
    (slides, stale): (&Slides<D>, &Slides<D>),
    (law, v): (FrictionKind, &[Vector<D>]),
    what: &str,
) {
    let motion = Motion { x_ref: &setup.x, v_ref: v, h_hat: 1.0 };
    let of =
        |slides: &Slides<D>| gradient(&FrictionPotential { slides, motion, law, eps_v: EPS_V }, &setup.x);
    let minus: Vec<f64> = of(slides).iter().map(|g| -g).collect();
    let found = force(setup, stale, law, &setup.x, v);
    assert_close(&found, &minus, 1e-12 * largest(&minus), &format!("force, {what}"));
    let change: Vec<f64> = of(stale).iter().zip(&minus).map(|(g, f)| g + f).collect();
    let gone = law == FrictionKind::Adhesion && largest(&minus) == 0.0;
    assert!(gone || largest(&change) > 1e-3 * largest(&minus), "slides are not stale, {what}");
}

/// The scene with other positions at rest and the same displacements.
fn reshaped<const D: usize>(setup: &Setup<D>, rest: &[Vector<D>]) -> Setup<D> {
    let old = &setup.scene.surface;
    let surface = Surface::new(rest.to_vec(), old.edges().to_vec(), old.faces().to_vec()).unwrap();
    let x: Vec<Vector<D>> = (0..rest.len()).map(|i| rest[i] + (setup.x[i] - old.rest()[i])).collect();
    let scene = Scene { obstacles: setup.scene.obstacles.clone(), ..Scene::of(surface, x.clone()) }
        .with(setup.scene.law, setup.scene.selection);
    let contacts = scene.contacts(&x);
    let (sources, kappa) = (WeightSources::default(), setup.kappa.clone());
    Setup { scene, x, contacts, sources, kappa, drifts: setup.drifts.clone() }
}

/// Whether two lists differ in nothing but numbers.
fn same_pairs(a: &Contacts, b: &Contacts) -> bool {
    fn pairs(c: &Contacts) -> impl PartialEq {
        let parallel: Vec<_> = c.parallel.iter().map(|c| (c.contact.stencil, c.parts)).collect();
        let three: Vec<_> = c.ve.iter().map(|c| c.stencil).collect();
        let four: Vec<_> = c.ee.iter().chain(&c.vf).map(|c| c.stencil).collect();
        let few: Vec<_> = c.vv.iter().map(|c| c.stencil).collect();
        (parallel, few, three, four, c.obstacle.len(), c.ee.len())
    }
    pairs(a) == pairs(b)
}

/// Returns whether every number at rest could be varied without changing the contacts.
fn check_rest<const D: usize>(
    setup: &Setup<D>,
    slides: &Slides<D>,
    law: FrictionKind,
    v: &[Vector<D>],
    what: &str,
) -> bool {
    const H: f64 = 1e-6;
    let (rest, n) = (setup.scene.surface.rest(), setup.x.len() * D);
    let barrier = setup.barrier();
    let friction = LaggedForce::new(&barrier, slides, law, EPS_V).unwrap();
    let exact = dense_entries(&friction.by_rest(&setup.scene.surface, &setup.sources, &setup.x, v));
    let (scale, mut met) = (largest(exact.as_flattened()), 0);
    for k in 0..n {
        let steady = |s: f64| same_pairs(&setup.contacts, &reshaped(setup, &moved(rest, k, s)).contacts);
        if !steady(2.0 * H) || !steady(-2.0 * H) {
            continue;
        }
        let difference = slope(rest, k, H, |rest| {
            let setup = reshaped(setup, rest);
            force(&setup, slides, law, &setup.x, v)
        });
        assert_close(&difference, &column(&exact, k, n), 1e-5 * scale, &format!("by X, {what}"));
        met += 1;
    }
    met == n
}

/// `Σ cᵢ vᵢ` of the only slide.
fn relative<const D: usize>(s: &Slides<D>, v: &[Vector<D>]) -> Vector<D> {
    fn sum<const D: usize, const N: usize>(slides: &[Slide<D, N>], v: &[Vector<D>]) -> Vector<D> {
        let of = |s: &Slide<D, N>| (0..N).fold(Vector::ZERO, |w, i| w + v[s.stencil.0[i] as usize] * s.c[i]);
        slides.iter().map(of).fold(Vector::ZERO, |sum, w| sum + w)
    }
    sum(&s.obstacle, v) + sum(&s.vv, v) + sum(&s.ve, v) + sum(&s.ee, v) + sum(&s.vf, v)
}

/// Velocities of all vertices, at random but for the only slide: its law sees the speed `y`. At rest it still moves along the normal, so
/// that friction comes when the contact turns.
fn velocities_at<const D: usize>(
    slides: &Slides<D>,
    vertices: usize,
    y: f64,
    random: &mut Random,
) -> Vec<Vector<D>> {
    let (normal, _, number) = only(slides);
    let detail = slides.details.get(number as usize);
    let [direction] = random.points::<D, 1>(1.0);
    let u = direction - normal * normal.dot(direction);
    let z = detail.map_or(u, |d| d.scaling(normal) * u);
    let drift = detail.map_or(Vector::ZERO, |d| d.drift);
    let w = drift + u * (y / z.norm()) + normal * random.between(-EPS_V, EPS_V);
    let any = velocities(vertices, EPS_V, random);
    let change = velocities_of(slides, vertices, w - relative(slides, &any));
    any.iter().zip(change).map(|(v, change)| *v + change).collect()
}

/// Jacobians of one slide where derivatives of its law jump: by v, u and μ, they are those from both sides.
fn check_jacobians_at<const D: usize>(
    (setup, slides): (&Setup<D>, &Slides<D>),
    law: FrictionKind,
    v: &[Vector<D>],
    what: &str,
) {
    let (x, n, barrier) = (&setup.x, setup.x.len() * D, setup.barrier());
    let friction = LaggedForce::new(&barrier, slides, law, EPS_V).unwrap();
    let (mut blocks, mut full) = (Blocks::default(), FullBlocks::default());
    friction.by_velocity(x, v, &mut blocks);
    friction.by_displacement(x, v, &mut full);
    let (by_v, by_u) = (dense(&blocks), dense_full(&full));
    let limit = only(slides).1.s * total_force(slides);
    let v_scale = largest(by_v.as_flattened()).max(limit / EPS_V);
    let u_scale = largest(by_u.as_flattened()).max(limit / DHAT);
    for k in 0..n {
        for side in [1.0, -1.0] {
            let difference = one_sided(v, k, side * 5e-7, |v| force(setup, slides, law, x, v));
            assert_close(&difference, &column(&by_v, k, n), 1e-5 * v_scale, &format!("by v at {what}"));
            let difference = one_sided(x, k, side * 1e-7, |x| force(setup, slides, law, x, v));
            assert_close(&difference, &column(&by_u, k, n), 1e-5 * u_scale, &format!("by u at {what}"));
        }
    }
    let motion = Motion { x_ref: x, v_ref: v, h_hat: 1.0 };
    check_mu(&FrictionPotential { slides, motion, law, eps_v: EPS_V }, x, true, what);
}

/// Each contact alone, at rest on what it slides on and at every branch point of its law.
fn check_jacobians_at_branches<const D: usize>(
    setup: &Setup<D>,
    setting: &Setting,
    random: &mut Random,
    census: &mut Census,
) {
    let coefficients = setting.coefficients(setup, random);
    for contacts in single_contacts(&setup.contacts) {
        let (sources, drifts, x) = (WeightSources::default(), setup.drifts.clone(), setup.x.clone());
        let old = &setup.scene;
        let scene = Scene { obstacles: old.obstacles.clone(), ..Scene::of(old.surface.clone(), x.clone()) };
        let one = Setup { scene, x, contacts, sources, kappa: None, drifts };
        let slides = friction::lag(&one.barrier(), &one.x, &coefficients);
        for y in [0.0].into_iter().chain(branches(&setting.law, only(&slides).1)) {
            let v = velocities_at(&slides, one.x.len(), y, random);
            let what = format!("y = {y} with {setting:?}, {slides:?}");
            check_jacobians_at((&one, &slides), setting.law, &v, &what);
            let scaled = slides.details.iter().any(|d| d.scaling != [1.0; 2]);
            let rest = if scaled { "rest, scaled" } else { "rest" };
            census.note(if y == 0.0 { rest } else { "branch" }, 1);
        }
    }
}

// --- By mu ---

/// The slides with `μ_s` and `μ_k` of each changed by a step times its weight.
fn with_mu<const D: usize>(slides: &Slides<D>, weights: &PerSlide<f64>, step: [f64; 2]) -> Slides<D> {
    fn change<const D: usize, const N: usize>(slides: &mut [Slide<D, N>], weights: &[f64], [s, k]: [f64; 2]) {
        for (slide, w) in slides.iter_mut().zip(weights) {
            slide.mu = Mu { s: slide.mu.s + w * s, k: slide.mu.k + w * k };
        }
    }
    let mut out = slides.clone();
    change(&mut out.obstacle, &weights.obstacle, step);
    change(&mut out.vv, &weights.vv, step);
    change(&mut out.ve, &weights.ve, step);
    change(&mut out.ee, &weights.ee, step);
    change(&mut out.vf, &weights.vf, step);
    out
}

/// Differences of `f` by a step from 0: central ones, or where a second derivative jumps those from both sides.
fn differences(jumps: bool, f: impl Fn(f64) -> Vec<f64>) -> Vec<Vec<f64>> {
    const H: f64 = 1e-6;
    let of = |factors: [(f64, f64); 3], h: f64| {
        let values =
            factors.map(|(factor, step)| f(step * h).iter().map(|f| f * factor / h).collect::<Vec<_>>());
        (0..values[0].len()).map(|i| values[0][i] + values[1][i] + values[2][i]).collect()
    };
    if jumps {
        return [H, -H].map(|h| of([(-1.5, 0.0), (2.0, 1.0), (-0.5, 2.0)], h)).to_vec();
    }
    vec![of([(0.0, 0.0), (0.5, 1.0), (-0.5, -1.0)], H)]
}

fn check_mu<const D: usize>(potential: &FrictionPotential<'_, D>, x: &[Vector<D>], jumps: bool, what: &str) {
    // Of some slides, and of all.
    let some = PerSlide::by_vertices(potential.slides, |v| f64::from(v[0] % 2) * 1.5);
    let all = PerSlide::by_vertices(potential.slides, |_| 1.0);
    assert_eq!(potential.force_by_mu(x, None).unwrap(), potential.force_by_mu(x, Some(&all)).unwrap());
    for weights in [some, all] {
        let exact = potential.force_by_mu(x, Some(&weights)).unwrap();
        let force = |step| {
            let slides = with_mu(potential.slides, &weights, step);
            gradient(&FrictionPotential { slides: &slides, ..*potential }, x)
        };
        let scale = largest(&gradient(potential, x)).max(1e-3 * total_force(potential.slides));
        // The peak of the law moves with a root of μ_s − μ_k: where both are the same, there is only a derivative along both.
        let tied = each_slide(potential, x, |_, mu| (mu.s - mu.k).abs() < 0.01).contains(&true);
        let sum: Vec<Vector<D>> = exact.s.iter().zip(&exact.k).map(|(s, k)| *s + *k).collect();
        let separate = if tied { vec![] } else { vec![(&exact.s, [1.0, 0.0]), (&exact.k, [0.0, 1.0])] };
        for (exact, by) in separate.into_iter().chain([(&sum, [1.0, 1.0])]) {
            for gradient in differences(jumps, |h| force(by.map(|by| by * h))) {
                let difference: Vec<f64> = gradient.iter().map(|g| -g).collect();
                let scale = scale.max(largest(&difference));
                assert_close(&difference, flat(exact), 1e-6 * scale, &format!("by mu, {what}"));
            }
        }
    }
    assert!(potential.force_by_mu(x, Some(&PerSlide::default())).is_err() || potential.slides.is_empty());
}

// --- The table ---

/// Which kinds of slides there are.
fn note<const D: usize>(setup: &Setup<D>, census: &mut Census) {
    census.add(&setup.contacts);
    census.note("kappa of each", usize::from(setup.kappa.is_some() && setup.contacts.len() > 1));
    for c in &setup.contacts.obstacle {
        let name = match setup.scene.obstacles[c.obstacle as usize] {
            Obstacle::Plane(_) => "plane",
            Obstacle::Sphere(_) => "sphere",
            _ => "cylinder",
        };
        census.note(name, 1);
        census.note("moving", usize::from(!setup.drifts.is_empty()));
    }
}

fn velocities<const D: usize>(count: usize, half: f64, random: &mut Random) -> Vec<Vector<D>> {
    (0..count).map(|_| random.points::<D, 1>(half)[0]).collect()
}

/// Everything of one scene; returns whether it was smooth enough.
fn check_all<const D: usize>(
    setup: &Setup<D>,
    setting: &Setting,
    random: &mut Random,
    census: &mut Census,
) -> bool {
    let (count, law) = (setup.x.len(), setting.law);
    let barrier = setup.barrier();
    let coefficients = setting.coefficients(setup, random);
    let mut slides = friction::lag(&barrier, &setup.x, &coefficients);
    let fast = random.between(0.0, 1.0) < 0.5;
    let half = EPS_V * if fast { 3.0 } else { 0.4 };
    let (v_ref, with_v_ref) = (velocities(count, 0.3 * half, random), random.between(0.0, 1.0) < 0.5);
    let x: Vec<Vector<D>> = setup.x.iter().map(|x| *x + random.points::<D, 1>(half * H_HAT)[0]).collect();
    let motion = Motion { x_ref: &setup.x, v_ref: if with_v_ref { &v_ref } else { &[] }, h_hat: H_HAT };
    let v: Vec<Vector<D>> = (0..count).map(|i| motion.velocity(&x, i)).collect();
    slides.refresh_anisotropy(&v);
    let potential = FrictionPotential { slides: &slides, motion, law, eps_v: EPS_V };
    if !is_smooth(&potential, &x) {
        return false;
    }
    let what = format!("{setting:?} with {:?}", setup.contacts);
    check_potential(&potential, &x, &what);
    check_projection(&potential, &x, census);
    let stale = stale(setup, &slides, &coefficients, random);
    check_force(setup, (&slides, &stale), (law, &v), &what);
    check_jacobians(setup, &stale, law, &v, &what);
    census.note("rest", usize::from(check_rest(setup, &stale, law, &v, &what)));
    check_mu(&potential, &x, false, &what);
    for sticks in each_slide(&potential, &x, |y, _| y < EPS_V) {
        census.note(if sticks { "stick" } else { "slip" }, 1);
    }
    note(setup, census);
    true
}

/// Scenes, starting with another one for each setting, until every kind was met.
fn check_setting<const D: usize>(
    setups: &[Setup<D>],
    (number, setting): (usize, &Setting),
    kinds: &[&str],
    random: &mut Random,
    all: &mut Census,
) {
    let mut census = Census::default();
    let missing = |census: &Census| kinds.iter().any(|kind| census.of(kind) == 0);
    for k in 0..2 * setups.len() {
        if !missing(&census) {
            break;
        }
        check_all(&setups[(number * 7 + k) % setups.len()], setting, random, &mut census);
    }
    for kind in kinds {
        census.require_for(kind, 1, &format!("{setting:?}"));
    }
    for kind in ["descends", "both signs", "negative"] {
        all.note(kind, census.of(kind));
    }
}

#[test]
fn derivatives_in_2d() {
    alone(|| {
        let mut random = Random::new(51);
        let (setups, mut all) = (flat_setups(&mut random), Census::default());
        let kinds = ["vv", "ve", "plane", "sphere", "moving", "stick", "slip", "rest", "kappa of each"];
        for setting in settings().iter().enumerate() {
            check_setting(&setups, setting, &kinds, &mut random, &mut all);
        }
        all.require("descends", 50);
    });
}

#[test]
fn derivatives_in_3d() {
    alone(|| {
        let mut random = Random::new(52);
        let (setups, mut all) = (solid_setups(&mut random), Census::default());
        let kinds = [
            "vv",
            "ve",
            "ee",
            "vf",
            "parallel",
            "plane",
            "sphere",
            "cylinder",
            "moving",
            "stick",
            "slip",
            "rest",
            "kappa of each",
        ];
        for setting in settings().iter().enumerate() {
            check_setting(&setups, setting, &kinds, &mut random, &mut all);
        }
        all.require("both signs", 50);
        all.require("negative", 50);
    });
}

/// Two uneven sheets of 20 × 20 vertices above each other and above a plane, displaced from rest; weights are areas.
fn sheets(set: ContactSet, random: &mut Random) -> Setup<3> {
    const SIDE: u32 = 20;
    const REACH: f64 = 0.06;
    let (mut rest, mut faces) = (vec![], vec![]);
    for (shift, z) in [(0.0, 0.0), (0.03, 0.04)] {
        for (i, j) in (0..SIDE).flat_map(|i| (0..SIDE).map(move |j| (i, j))) {
            let d = rest.len() as u32;
            let place = Vector([0.1 * f64::from(i) + shift, 0.1 * f64::from(j) + 0.6 * shift, z]);
            rest.push(place + random.points::<3, 1>(0.004)[0]);
            if i > 0 && j > 0 {
                faces.extend([[d, d - 1, d - SIDE], [d - SIDE - 1, d - SIDE, d - 1]]);
            }
        }
    }
    let x: Vec<_> = rest.iter().map(|x| *x + random.points::<3, 1>(0.003)[0]).collect();
    let plane = stiction::obstacle::Plane::new(Vector([0.0, 0.0, -0.03]), Vector([0.0, 0.0, 1.0])).unwrap();
    let law = BarrierLaw::new(BarrierKind::ClampedLog, REACH).unwrap();
    let selection = Selection { reach: REACH, set, weighting: Weighting::Area };
    let scene = Scene::of(Surface::new(rest, vec![], faces).unwrap(), x.clone()).with(law, selection);
    let scene = Scene { obstacles: vec![Obstacle::Plane(plane)], ..scene };
    let near = BroadPhaseKind::default().candidates(&scene.surface, &x, &x, REACH);
    let (contacts, sources) =
        Contacts::build_with_sources(&scene.surface, &near, &scene.obstacles, &x, &scene.selection);
    let kappa = some_kappa(&contacts, 1);
    Setup { scene, x, contacts, sources, kappa, drifts: vec![] }
}

/// What a matrix makes of `p`.
fn product(csc: &Csc<u32>, p: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; p.len()];
    for (column, p) in p.iter().enumerate() {
        for k in csc.indptr[column] as usize..csc.indptr[column + 1] as usize {
            out[csc.indices[k] as usize] += csc.data[k] * p;
        }
    }
    out
}

/// Jacobians of many slides, by X and by u, along directions at random.
fn check_many(setup: &Setup<3>, setting: &Setting, random: &mut Random, census: &mut Census) {
    // Closest points of edges that are nearly parallel run along them: the step must be short.
    const H: f64 = 2e-8;
    let (x, count, law) = (&setup.x, setup.x.len(), setting.law);
    let slides = friction::lag(&setup.barrier(), x, &setting.coefficients(setup, random));
    let v = velocities::<3>(count, EPS_V, random);
    let barrier = setup.barrier();
    let friction = LaggedForce::new(&barrier, &slides, law, EPS_V).unwrap();
    let by_rest = friction.by_rest(&setup.scene.surface, &setup.sources, x, &v);
    let by_rest = Csc::<u32>::of_entries(&by_rest).unwrap();
    let mut full = FullBlocks::default();
    friction.by_displacement(x, &v, &mut full);
    let by_u = Csc::<u32>::of_full(&full).unwrap();
    for _ in 0..2 {
        let p = velocities::<3>(count, 1.0, random);
        let along = |at: &[Vector<3>], h: f64| -> Vec<Vector<3>> {
            at.iter().zip(&p).map(|(x, p)| *x + *p * h).collect()
        };
        let difference = |f: &dyn Fn(f64) -> Vec<f64>| -> Vec<f64> {
            let [up, down, far, back] = [H, -H, 2.0 * H, -2.0 * H].map(f);
            let of = |i: usize| (8.0 * (up[i] - down[i]) - (far[i] - back[i])) / (12.0 * H);
            (0..up.len()).map(of).collect()
        };
        let exact = product(&by_u, flat(&p));
        let found = difference(&|h| force(setup, &slides, law, &along(x, h), &v));
        assert_close(&found, &exact, 1e-5 * largest(&exact), &format!("by u, {setting:?}"));
        let weighed = product(&by_rest, flat(&p));
        let found = difference(&|h| {
            let other = reshaped(setup, &along(setup.scene.surface.rest(), h));
            assert!(same_pairs(&setup.contacts, &other.contacts), "contacts changed");
            force(&other, &slides, law, &other.x, &v)
        });
        assert_close(&found, &weighed, 1e-5 * largest(&weighed), &format!("by X, {setting:?}"));
        let change: Vec<f64> = weighed.iter().zip(&exact).map(|(a, b)| a - b).collect();
        census.note("weights matter", usize::from(largest(&change) > 0.01 * largest(&weighed)));
    }
    census.add(&setup.contacts);
}

/// More vertices, edges and slides than are handled at a time.
#[test]
fn derivatives_of_many_slides() {
    let (mut random, mut census) = (Random::new(61), Census::default());
    for (number, set) in ContactSet::ALL.into_iter().enumerate() {
        let setup = sheets(set, &mut random);
        // Six settings far from each other: with every anisotropy and all axes.
        for setting in settings().iter().skip(12 + 31 * number).step_by(33).take(2) {
            check_many(&setup, setting, &mut random, &mut census);
        }
    }
    for kind in ["ve", "ee", "vf", "obstacle"] {
        census.require(kind, 1000);
    }
    census.require("parallel", 100);
    census.require("weights matter", 12);
}

/// At rest and at every branch point of every law, each slide alone, with every kind of coefficient and anisotropy.
fn check_at_branches<const D: usize>(setups: &[Setup<D>], kinds: &[&str], random: &mut Random) {
    let mut all = Census::default();
    for (number, setting) in settings().iter().enumerate() {
        let mut census = Census::default();
        for k in 0..2 * setups.len() {
            if kinds.iter().all(|kind| census.of(kind) > 0) {
                break;
            }
            let setup = &setups[(number * 5 + k) % setups.len()];
            let before: Vec<_> = kinds.iter().map(|kind| census.of(kind)).collect();
            note(setup, &mut census);
            // Only scenes with something new: each costs five points of every slide.
            if kinds.iter().zip(before).any(|(kind, before)| before == 0 && census.of(kind) > 0) {
                let barrier = setup.barrier();
                let mut slides = friction::lag(&barrier, &setup.x, &setting.coefficients(setup, random));
                slides.refresh_anisotropy(&velocities(setup.x.len(), EPS_V, random));
                check_branches(&slides, &setup.x, setting.law, random);
                check_jacobians_at_branches(setup, setting, random, &mut all);
            }
        }
        for kind in kinds {
            census.require_for(kind, 1, &format!("{setting:?}"));
        }
    }
    for kind in ["rest", "rest, scaled", "branch"] {
        all.require(kind, 100);
    }
}

#[test]
fn branches_in_2d() {
    alone(|| {
        let mut random = Random::new(53);
        let setups = flat_setups(&mut random);
        check_at_branches(&setups, &["vv", "ve", "plane", "sphere", "moving"], &mut random);
    });
}

#[test]
fn branches_in_3d() {
    alone(|| {
        let mut random = Random::new(54);
        let setups = solid_setups(&mut random);
        let kinds = ["vv", "ve", "ee", "vf", "parallel", "plane", "sphere", "cylinder", "moving"];
        check_at_branches(&setups, &kinds, &mut random);
    });
}

/// At rest there is no friction, nor does it come when contacts move, but it resists motion.
fn check_rest_state<const D: usize>(setup: &Setup<D>, law: FrictionKind) {
    let (x, barrier) = (&setup.x, setup.barrier());
    let slides = friction::lag(&barrier, x, &MU.into());
    let motion = Motion { x_ref: x, v_ref: &[], h_hat: H_HAT };
    let potential = FrictionPotential { slides: &slides, motion, law, eps_v: EPS_V };
    assert_eq!(largest(&gradient(&potential, x)), 0.0);
    let h = hessian(&potential, x, Psd::None);
    assert!(largest(h.as_flattened()) > 0.0 && h.as_flattened().iter().all(|h| h.is_finite()));
    check_branch(&potential, x, "rest");
    let (v, mut full) = (vec![Vector::ZERO; x.len()], FullBlocks::default());
    LaggedForce::new(&barrier, &slides, law, EPS_V).unwrap().by_displacement(x, &v, &mut full);
    assert_eq!(largest(dense_full(&full).as_flattened()), 0.0);
}

#[test]
fn at_rest() {
    alone(|| {
        let mut random = Random::new(55);
        for law in laws() {
            for setup in flat_setups(&mut random) {
                check_rest_state(&setup, law);
            }
            for setup in solid_setups(&mut random) {
                check_rest_state(&setup, law);
            }
        }
    });
}

/// Speeds from the smallest to the largest numbers give numbers, and friction that has reached its limit.
fn check_any_speed(setup: &Setup<3>, setting: &Setting, random: &mut Random, census: &mut Census) {
    let (x, law) = (&setup.x, setting.law);
    let slides = friction::lag(&setup.barrier(), x, &setting.coefficients(setup, random));
    for speed in [1e-320, 1e-200, 1e-20, 1e20, 1e140, 1e200, 1e300] {
        let v_ref: Vec<_> = velocities::<3>(x.len(), 1.0, random).iter().map(|v| *v * speed).collect();
        let motion = Motion { x_ref: x, v_ref: &v_ref, h_hat: H_HAT };
        let potential = FrictionPotential { slides: &slides, motion, law, eps_v: EPS_V };
        let g = gradient(&potential, x);
        let numbers = [Psd::None, Psd::Clamp].map(|psd| hessian(&potential, x, psd));
        assert!(potential.energy(x).is_finite() && g.iter().all(|g| g.is_finite()), "{speed:e}");
        assert!(numbers.as_flattened().as_flattened().iter().all(|h| h.is_finite()), "{speed:e}");
        // Viscous friction has no limit, and adhesion lets go.
        if speed > 1.0 && !matches!(law, FrictionKind::Stribeck(_) | FrictionKind::Adhesion) {
            for (force, limit) in forces_and_limits(&potential, x) {
                let what = || format!("{force} and {limit} at {speed:e} with {setting:?}");
                assert!((force - limit).abs() < 1e-12 * limit + 1e-300, "{}", what());
                census.note(format!("{law:?}"), 1);
                census.note(format!("{:?}", setting.anisotropy), 1);
            }
        }
    }
}

#[test]
fn any_speed() {
    alone(|| {
        let (mut random, mut census) = (Random::new(56), Census::default());
        let setups = solid_setups(&mut random);
        // Every law with every anisotropy: there are ten settings of each kind of coefficients.
        for setting in settings().iter().step_by(3) {
            for setup in &setups[..10] {
                check_any_speed(setup, setting, &mut random, &mut census);
            }
        }
        for law in FrictionKind::NAMED {
            census.require(&format!("{law:?}"), 100);
        }
        for anisotropy in [ANISOTROPIES[0], ANISOTROPIES[2]] {
            census.require(&format!("{anisotropy:?}"), 100);
        }
    });
}

/// Of every slide on a plane or of a vertex and a face, without scaling: the magnitude of its friction and `μ_k λ`.
fn forces_and_limits<const D: usize>(
    potential: &FrictionPotential<'_, D>,
    x: &[Vector<D>],
) -> Vec<(f64, f64)> {
    let forces = potential.slide_forces(x);
    let s = potential.slides;
    let of = |detail: u32| s.details.get(detail as usize).is_none_or(|d| d.scaling == [1.0; 2]);
    let points = s.obstacle.iter().zip(&forces.obstacle).filter(|(s, _)| of(s.detail));
    let points = points.map(|(s, f)| (f.norm(), s.mu.k * s.force.abs()));
    let faces = s.vf.iter().zip(&forces.vf).filter(|(s, _)| of(s.detail));
    points.chain(faces.map(|(s, f)| (f.norm(), s.mu.k * s.force.abs()))).collect()
}

// --- Normal forces, forces of slides, between bodies ---

/// The lagged force of a contact must be the sum of the barrier's forces on its first primitive.
fn check_normal_force<const D: usize>(scene: &Scene<D>) {
    fn all<const D: usize, const N: usize>(slides: &[Slide<D, N>], first: usize, g: &[f64]) -> usize {
        for slide in slides {
            let vertices = slide.stencil.0[..first].iter().map(|v| *v as usize);
            let sum = vertices.fold(Vector([0.0; D]), |sum, v| sum + Vector(from_fn(|k| g[v * D + k])));
            assert_close(&(-sum).0, &(slide.normal * slide.force).0, 1e-9 * slide.force, "normal force");
        }
        slides.len()
    }
    for contacts in single_contacts(&scene.contacts(&scene.x)) {
        let barrier = scene.barrier(&contacts);
        let (s, g) = (friction::lag(&barrier, &scene.x, &0.4.into()), gradient(&barrier, &scene.x));
        let points = all(&s.obstacle, 1, &g) + all(&s.vv, 1, &g) + all(&s.ve, 1, &g) + all(&s.vf, 1, &g);
        assert_eq!(points + all(&s.ee, 2, &g), 1);
    }
}

#[test]
fn friction_has_the_normal_force_of_the_barrier() {
    alone(|| {
        let mut random = Random::new(6);
        for _ in 0..100 {
            check_normal_force(&support::chains(&mut random));
            check_normal_force(&support::triangles(&mut random));
            check_normal_force(&support::nearly_parallel(&mut random));
        }
    });
}

/// Slides made by the force as a function of positions are those that are lagged.
fn check_held<const D: usize>(setup: &Setup<D>, setting: &Setting, random: &mut Random) {
    let barrier = setup.barrier();
    let slides = friction::lag(&barrier, &setup.x, &setting.coefficients(setup, random));
    let again = LaggedForce::new(&barrier, &slides, setting.law, EPS_V).unwrap().slides(&setup.x);
    let numbers = |s: &Slides<D>| -> Vec<f64> {
        let four = s.ee.iter().chain(&s.vf).flat_map(|s| [s.normal.0.to_vec(), s.c.to_vec(), vec![s.force]]);
        let three = s.ve.iter().flat_map(|s| [s.normal.0.to_vec(), s.c.to_vec(), vec![s.force]]);
        let axes = s.details.iter().map(|d| flat(&d.axis.outer(d.axis).0.map(Vector)).to_vec());
        let few = s.vv.iter().flat_map(|s| [s.normal.0.to_vec(), vec![s.force]]);
        let one = s.obstacle.iter().flat_map(|s| [s.normal.0.to_vec(), vec![s.force]]);
        four.chain(three).chain(axes).chain(few).chain(one).flatten().collect()
    };
    let (found, expected) = (numbers(&again), numbers(&slides));
    assert_close(&found, &expected, 1e-13 * largest(&expected).max(1.0), &format!("{setting:?}"));
}

#[test]
fn lagging_again_with_held_coefficients_is_lagging() {
    alone(|| {
        let mut random = Random::new(57);
        let (flat, solid) = (flat_setups(&mut random), solid_setups(&mut random));
        for setting in settings().iter().filter(|s| s.law == FrictionKind::Peak) {
            for setup in &flat {
                check_held(setup, setting, &mut random);
            }
            for setup in &solid {
                check_held(setup, setting, &mut random);
            }
        }
    });
}

#[test]
fn slides_of_other_contacts_are_refused() {
    let mut random = Random::new(58);
    let setups = solid_setups(&mut random);
    let setup = setups.iter().find(|s| s.contacts.ve.len() > 1).unwrap();
    let barrier = setup.barrier();
    let mut slides = friction::lag(&barrier, &setup.x, &0.3.into());
    let refused = |slides: &Slides<3>| {
        LaggedForce::new(&barrier, slides, FrictionKind::default(), EPS_V).unwrap_err().to_string()
    };
    slides.ve.swap(0, 1);
    assert!(refused(&slides).contains("slides of a vertex and an edge 0"), "{}", refused(&slides));
    slides.ve.pop();
    assert!(refused(&slides).contains("slides of a vertex and an edge"), "{}", refused(&slides));
    let none = Slides::default();
    let free = LaggedForce::new(&barrier, &none, FrictionKind::default(), EPS_V).unwrap();
    let mut force = vec![Vector::ZERO; setup.x.len()];
    free.force(&setup.x, &setup.x, &mut force);
    assert_eq!(largest(flat(&force)), 0.0);
}

/// Forces of slides add up to those on vertices, and those between bodies to those on bodies.
fn check_forces<const D: usize>(
    setup: &Setup<D>,
    setting: &Setting,
    random: &mut Random,
    census: &mut Census,
) {
    let barrier = setup.barrier();
    let slides = friction::lag(&barrier, &setup.x, &setting.coefficients(setup, random));
    let v_ref = velocities(setup.x.len(), EPS_V, random);
    let motion = Motion { x_ref: &setup.x, v_ref: &v_ref, h_hat: H_HAT };
    let potential = FrictionPotential { slides: &slides, motion, law: setting.law, eps_v: EPS_V };
    let mut force = vec![Vector::ZERO; setup.x.len()];
    potential.force(&setup.x, &mut force);
    let mut normal = vec![Vector::ZERO; setup.x.len()];
    barrier.gradient(&setup.x, -1.0, &mut normal);
    let bodies: Vec<u32> = (0..setup.x.len()).map(|v| if v < setup.x.len() / 2 { 7 } else { 2 }).collect();
    let between = potential.forces_between(&setup.x, &bodies, &setup.contacts).unwrap();
    assert!(between.is_sorted_by(|a, b| a.sides < b.sides));
    assert_eq!(between.iter().map(|pair| pair.slides).sum::<usize>(), slides.len());
    let scale = largest(flat(&force)).max(largest(flat(&normal)));
    for body in [2, 7] {
        let on_body = |field: &[Vector<D>]| {
            let own = field.iter().zip(&bodies).filter(|(_, b)| **b == body);
            own.fold(Vector::ZERO, |sum, (f, _)| sum + *f)
        };
        let side = Side::Body(body);
        let mut sums = [Vector::ZERO; 2];
        for pair in &between {
            let sign =
                f64::from(u8::from(pair.sides[0] == side)) - f64::from(u8::from(pair.sides[1] == side));
            sums[0] += pair.friction * sign;
            sums[1] += pair.normal * sign;
        }
        // Primitives of both bodies do not occur where chains and triangles are bodies.
        if D == 2 || setup.x.len() == 6 {
            assert_close(&sums[0].0, &on_body(&force).0, 1e-12 * scale, "friction of a body");
            let parallel = !setup.contacts.parallel.is_empty();
            // The mollifier adds moments, no forces along the normal: sums agree all the same.
            assert_close(&sums[1].0, &on_body(&normal).0, 1e-9 * scale, &format!("normal force, {parallel}"));
            census.note("checked", 1);
        }
    }
    for pair in &between {
        census.note(if matches!(pair.sides[1], Side::Obstacle(_)) { "obstacle" } else { "bodies" }, 1);
    }
}

#[test]
fn forces_of_slides_and_between_bodies() {
    alone(|| {
        let (mut random, mut census) = (Random::new(59), Census::default());
        let (flat, solid) = (flat_setups(&mut random), solid_setups(&mut random));
        for setting in settings().iter().step_by(7) {
            for setup in &flat {
                check_forces(setup, setting, &mut random, &mut census);
            }
            let six = solid.iter().filter(|s| s.x.len() == 6 && s.scene.surface.faces()[0] == [0, 1, 2]);
            for setup in six {
                check_forces(setup, setting, &mut random, &mut census);
            }
        }
        for kind in ["checked", "obstacle", "bodies"] {
            census.require(kind, 100);
        }
    });
}

// --- Accounting ---

/// A point on a plane, pressed by hand and moved along it.
#[test]
fn accounts_of_a_point() {
    let x = vec![Vector([0.3, 0.1, 0.05])];
    let surface = Surface::new(x.clone(), vec![], vec![]).unwrap().with_loose_vertices(vec![0]).unwrap();
    let mut scene = Scene::of(surface, x.clone());
    let plane = stiction::obstacle::Plane::new(Vector([0.0; 3]), Vector([0.0, 0.0, 1.0])).unwrap();
    scene.obstacles = vec![Obstacle::Plane(plane)];
    let contacts = scene.contacts(&x);
    let drift = RigidVelocity::translation(Vector([0.5, 0.0, 0.0])).unwrap();
    let coefficients = Coefficients::from(MU).with_obstacle_velocities(vec![drift]);
    let slides = friction::lag(&scene.barrier(&contacts), &x, &coefficients);
    let lambda = slides.obstacle[0].force;
    let account = |p: Vector<3>| {
        let motion = Motion { x_ref: &x, v_ref: &[], h_hat: H_HAT };
        let friction = FrictionPotential { slides: &slides, motion, law: FrictionKind::Peak, eps_v: EPS_V };
        let end = [x[0] + p];
        let forces = scene.barrier(&contacts).forces(&end);
        let step = Step { x_start: &x, x: &end, h: H_HAT };
        (friction.account(&step, &(&forces).into(), 0.25).unwrap(), forces.obstacle[0])
    };
    // Slips: the plane moves 0.5 m/s under it.
    let (slip, _) = account(Vector::ZERO);
    assert_eq!((slip.stick, slip.slip, slip.separated, slip.lag_residual), (0, 1, 0, 0.25));
    let (heat, way) = (MU.k * lambda * 0.5 * H_HAT, 0.5 * H_HAT);
    assert_close(
        &[slip.dissipation, slip.distance, slip.creep, slip.cone_excess],
        &[heat, way, 0.0, 0.0],
        1e-15,
        "slip",
    );
    // Carried along: it sticks and creeps.
    let (stick, _) = account(Vector([0.5 * H_HAT - 1e-4, 0.0, 0.0]));
    assert_eq!((stick.stick, stick.slip), (1, 0));
    let bound = FrictionKind::Peak.creep_bound(MU, EPS_V);
    assert_close(
        &[stick.creep, stick.creep_bound, stick.distance],
        &[1e-4 / H_HAT, bound, 1e-4],
        1e-15,
        "stick",
    );
    // Lifted: less normal force, then none.
    let (lifted, force) = account(Vector([0.0, 0.0, 0.1]));
    let excess = MU.k * lambda - MU.s * force;
    assert!(force > 0.0 && excess > 0.0);
    assert_close(
        &[lifted.cone_excess, lifted.relative_cone_excess],
        &[excess, excess / (MU.s * lambda)],
        1e-14,
        "lifted",
    );
    assert_eq!(account(Vector([0.0, 0.0, 0.2])).0.separated, 1);
    let motion = Motion { x_ref: &x, v_ref: &[], h_hat: H_HAT };
    let friction = FrictionPotential { slides: &slides, motion, law: FrictionKind::Peak, eps_v: EPS_V };
    let step = Step { x_start: &x, x: &x, h: H_HAT };
    assert!(
        friction.account(&step, &PerSlide::default(), 0.0).unwrap_err().to_string().contains("obstacles")
    );
}

/// The same slides without scaling: then `y` is the speed.
fn unscaled<const D: usize>(slides: &Slides<D>) -> Slides<D> {
    let mut out = slides.clone();
    out.details.iter_mut().for_each(|detail| detail.scaling = [1.0; 2]);
    out
}

/// Of each slide, the smaller factor of its axes; in 2D there is one axis.
fn smallest_factors<const D: usize>(slides: &Slides<D>) -> Vec<f64> {
    let factor = |one: &Slides<D>| {
        let detail = one.details.get(only(one).2 as usize);
        detail.map_or(1.0, |d| d.scaling[..D - 1].iter().copied().fold(f64::INFINITY, f64::min))
    };
    single(slides).iter().map(factor).collect()
}

/// Work against friction is what the gradient says, creep is a speed that is not scaled, and its bound grows where slides are scaled down.
fn check_account<const D: usize>(
    setup: &Setup<D>,
    setting: &Setting,
    random: &mut Random,
    census: &mut Census,
) {
    let barrier = setup.barrier();
    let slides = friction::lag(&barrier, &setup.x, &setting.coefficients(setup, random));
    let motion = Motion { x_ref: &setup.x, v_ref: &[], h_hat: H_HAT };
    let potential = FrictionPotential { slides: &slides, motion, law: setting.law, eps_v: EPS_V };
    let p = velocities::<D>(setup.x.len(), EPS_V * H_HAT, random);
    let x: Vec<_> = setup.x.iter().zip(&p).map(|(x, p)| *x + *p).collect();
    let forces = barrier.forces(&x);
    let step = Step { x_start: &setup.x, x: &x, h: H_HAT };
    let account = potential.account(&step, &(&forces).into(), 0.0).unwrap();
    let work: f64 = gradient(&potential, &x).iter().zip(flat(&p)).map(|(g, p)| g * p).sum();
    assert!((account.dissipation - work).abs() < 1e-12 * work.abs(), "{account:?} and {work}");
    let heats: f64 = potential.heats(&step).iter().sum();
    assert!((account.dissipation - heats).abs() < 1e-12 * work.abs());
    assert_eq!(account.stick + account.slip, slides.len());
    let (plain, factors) = (unscaled(&slides), smallest_factors(&slides));
    let y = each_slide(&potential, &x, |y, _| y);
    let speeds = each_slide(&FrictionPotential { slides: &plain, ..potential }, &x, |y, _| y);
    let found: Vec<f64> = potential.speeds(&x).iter().copied().collect();
    assert!(
        found.len() == speeds.len() && found.iter().zip(&speeds).all(|(a, b)| (a - b).abs() <= 1e-12 * b)
    );
    let sticks = |k: &usize| y[*k] < EPS_V;
    assert_eq!(account.stick, (0..y.len()).filter(sticks).count());
    let creep = (0..y.len()).filter(sticks).map(|k| speeds[k]).fold(0.0, f64::max);
    assert!((account.creep - creep).abs() <= 1e-12 * creep, "{account:?} and {creep}");
    let bounds = each_slide(&potential, &x, |_, mu| setting.law.creep_bound(mu, EPS_V));
    let bound = bounds.iter().zip(&factors).map(|(bound, factor)| bound / factor).fold(0.0, f64::max);
    assert!((account.creep_bound - bound).abs() <= 1e-12 * bound, "{account:?} and {bound}");
    let kind = |k: usize| if speeds[k] > y[k] { "scaled down" } else { "scaled up" };
    (0..y.len()).filter(sticks).filter(|k| speeds[*k] != y[*k]).for_each(|k| census.note(kind(k), 1));
    census.note("bound larger", usize::from(bound > 1.01 * bounds.iter().copied().fold(0.0, f64::max)));
    census.note("bound smaller", usize::from(bound < 0.99 * bounds.iter().copied().fold(0.0, f64::max)));
}

#[test]
fn accounts_add_up() {
    alone(|| {
        let mut random = Random::new(60);
        let (solid, flat) = (solid_setups(&mut random), flat_setups(&mut random));
        let (mut in_2d, mut in_3d) = (Census::default(), Census::default());
        // Every anisotropy: there are ten settings of each kind of coefficients.
        for (number, setting) in settings().iter().enumerate().step_by(3) {
            let still = |k: &usize| solid[*k].drifts.is_empty();
            for k in (0..solid.len()).filter(still).cycle().skip(number).take(4) {
                check_account(&solid[k], setting, &mut random, &mut in_3d);
            }
            let still = |k: &usize| flat[*k].drifts.is_empty();
            for k in (0..flat.len()).filter(still).cycle().skip(number).take(4) {
                check_account(&flat[k], setting, &mut random, &mut in_2d);
            }
        }
        for kind in ["scaled down", "scaled up", "bound larger"] {
            in_2d.require_for(kind, 20, "2D");
            in_3d.require_for(kind, 20, "3D");
        }
        // In 2D the first factor alone counts, which is larger than one in a half of the settings.
        in_2d.require("bound smaller", 20);
    });
}

// --- Values of slides ---

/// Contacts of all scenes, as if they were one.
fn all_contacts(setups: &[Setup<3>]) -> Contacts {
    let mut all = Contacts::default();
    for Setup { contacts: c, .. } in setups {
        all.vv.extend(&c.vv);
        all.ve.extend(&c.ve);
        all.ee.extend(&c.ee);
        all.vf.extend(&c.vf);
        all.parallel.extend(&c.parallel);
        all.obstacle.extend(&c.obstacle);
    }
    all
}

/// Values of contacts and of slides are each other's, in either direction and whichever kinds there are.
#[test]
fn values_of_slides_and_of_contacts() {
    let setups = solid_setups(&mut Random::new(62));
    let lists: Vec<Contacts> =
        setups.iter().map(|s| s.contacts.clone()).chain([all_contacts(&setups)]).collect();
    for contacts in &lists {
        let numbers: Vec<u32> = (0..contacts.len() as u32).collect();
        let of_contacts = PerContact::of(contacts, &numbers).unwrap();
        let of_slides = PerSlide::from(&of_contacts);
        assert_eq!(of_slides.to_contacts(contacts).unwrap(), of_contacts);
        let kinds = [&of_slides.obstacle, &of_slides.vv, &of_slides.ve, &of_slides.vf];
        assert_eq!(kinds, [&of_contacts.obstacle, &of_contacts.vv, &of_contacts.ve, &of_contacts.vf]);
        assert_eq!(of_slides.ee, [&of_contacts.ee[..], &of_contacts.parallel].concat());
        let fewer = PerSlide { vv: vec![], ..of_slides };
        assert_eq!(fewer.to_contacts(contacts).is_ok(), contacts.vv.is_empty());
    }
    let (mut census, all) = (Census::default(), &lists[setups.len()]);
    census.add(all);
    for kind in ["vv", "ve", "ee", "vf", "parallel", "obstacle"] {
        census.require(kind, 5);
    }
    // Slides are in that order: values by their vertices are those of the contacts' vertices.
    for setup in &setups {
        let c = &setup.contacts;
        let slides = friction::lag(&setup.barrier(), &setup.x, &0.3.into());
        let found = PerSlide::by_vertices(&slides, <[u32]>::to_vec).to_contacts(c).unwrap();
        let edges = |c: &stiction::contact::Contact<4>| c.stencil.0.to_vec();
        let expected = PerContact {
            vv: c.vv.iter().map(|c| c.stencil.0.to_vec()).collect(),
            ve: c.ve.iter().map(|c| c.stencil.0.to_vec()).collect(),
            ee: c.ee.iter().map(edges).collect(),
            vf: c.vf.iter().map(edges).collect(),
            parallel: c.parallel.iter().map(|c| edges(&c.contact)).collect(),
            obstacle: c.obstacle.iter().map(|c| c.stencil.0.to_vec()).collect(),
        };
        assert_eq!(found, expected);
    }
}
