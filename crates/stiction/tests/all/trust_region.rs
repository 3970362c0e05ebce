//! Steps that nothing crosses: by the trust region and by continuous collision detection; and how stiff contacts should be.

use std::time::Instant;

use crate::support::{self, Random};
use stiction::barrier::stiffness::SemiImplicit;
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential, Kappa};
use stiction::broad_phase::{BroadPhaseKind, Candidates};
use stiction::ccd::{Ccd, CcdKind, PairSearch};
use stiction::closest;
use stiction::contact::{Contacts, PerContact, Selection, smallest_distance};
use stiction::crossing::Check;
use stiction::distance;
use stiction::math::{Matrix, Vector};
use stiction::mesh::{Mixed, MovingSurface, Surface};
use stiction::obstacle::{Cylinder, Obstacle, Plane, Sphere};
use stiction::ogc::TrustRegion;
use stiction::potential::Potential;
use stiction::stencil::VERTEX_FACE;

/// Two wavy sheets of `cells` × `cells` squares, a quarter of a square apart, the upper one turned by 7°; d̂ is half a square.
struct Sheets {
    surface: Surface<3>,
    x: Vec<Vector<3>>,
    dhat: f64,
}

impl Sheets {
    fn new(random: &mut Random, cells: usize) -> Self {
        let h = 1.0 / cells as f64;
        let (mut x, mut faces) = (Vec::new(), Vec::new());
        for layer in 0..2_u32 {
            let first = x.len() as u32;
            let (sin, cos) = (f64::from(layer) * 7.0_f64.to_radians()).sin_cos();
            for i in 0..=cells {
                for j in 0..=cells {
                    let p = [i, j].map(|k| (k as f64 + random.between(-0.1, 0.1)) * h - 0.5);
                    let (u, v) = (cos * p[0] - sin * p[1] + 0.5, sin * p[0] + cos * p[1] + 0.5);
                    let height = (f64::from(layer) + random.between(-0.05, 0.05)) * 0.25 * h;
                    x.push(on_wave(u, v, height));
                }
            }
            faces.extend(grid(cells, first));
        }
        let surface = Surface::new(x.clone(), vec![], faces).unwrap();
        Self { surface, x, dhat: 0.5 * h }
    }
}

/// A point above z = sin(kx) cos(ky) / 20, at a height along the normal.
fn on_wave(u: f64, v: f64, height: f64) -> Vector<3> {
    let (k, a) = (3.0 * std::f64::consts::PI, 0.05);
    let ((su, cu), (sv, cv)) = ((k * u).sin_cos(), (k * v).sin_cos());
    let normal = Vector([-a * k * cu * cv, a * k * su * sv, 1.0]).normalized();
    Vector([u, v, a * su * cv]) + normal * height
}

/// The triangles of a grid of squares whose diagonals alternate.
fn grid(cells: usize, first: u32) -> Vec<[u32; 3]> {
    let mut faces = Vec::new();
    for i in 0..cells {
        for j in 0..cells {
            let number = |i: usize, j: usize| first + (i * (cells + 1) + j) as u32;
            let (a, b, c, d) = (number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1));
            faces.extend(if (i + j) % 2 == 1 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
    }
    faces
}

/// What bounds a step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    Ccd,
    Filter,
    WarmStart,
    Planar,
    /// Balls twice as large as they may be.
    Unsafe,
}

/// A surface that is pushed into itself.
struct Tangle<const D: usize> {
    surface: Surface<D>,
    obstacles: Vec<Obstacle<D>>,
    x: Vec<Vector<D>>,
    region: TrustRegion<D>,
    random: Random,
    /// Steps in which something moved, and vertices that were held.
    moved: usize,
    held: usize,
    smallest: f64,
}

const DHAT: f64 = 0.1;

impl<const D: usize> Tangle<D> {
    fn new(seed: u64, surface: Surface<D>, obstacles: Vec<Obstacle<D>>) -> Self {
        let x = surface.rest().to_vec();
        let region = TrustRegion::new(DHAT).unwrap();
        let random = Random::new(seed);
        Self { surface, obstacles, x, region, random, moved: 0, held: 0, smallest: f64::INFINITY }
    }

    /// A number from 0 on below `count`.
    fn below(&mut self, count: usize) -> usize {
        let number = self.random.between(0.0, count as f64);
        (0..count).rev().find(|k| *k as f64 <= number).unwrap_or(0)
    }

    fn middle(&self) -> Vector<D> {
        self.x.iter().fold(Vector::ZERO, |sum, x| sum + *x) * (1.0 / self.x.len() as f64)
    }

    /// Into the middle, flat, around, across each other, back, at random, or down a barrier.
    fn direction(&mut self) -> Vec<Vector<D>> {
        let (x, middle) = (self.x.clone(), self.middle());
        let amount = 10.0_f64.powf(self.random.between(-3.0, 0.3));
        let [axis, other] = self.random.points::<D, 2>(1.0).map(Vector::normalized);
        match self.below(7) {
            0 => x.iter().map(|x| (middle - *x) * amount).collect(),
            1 => x.iter().map(|x| axis * (axis.dot(middle - *x) * amount)).collect(),
            2 => x.iter().map(|x| axis * other.dot(*x - middle) - other * axis.dot(*x - middle)).collect(),
            3 => x.iter().map(|y| (x[self.below(x.len())] - *y) * amount).collect(),
            4 => x.iter().zip(self.surface.rest()).map(|(x, rest)| (*rest - *x) * amount).collect(),
            5 => x.iter().map(|_| self.random.points::<D, 1>(amount)[0]).collect(),
            _ => self.downhill(middle, amount),
        }
    }

    /// Newton's direction with the diagonal of the Hessian that the mass alone has: towards the middle and out of contacts.
    fn downhill(&self, middle: Vector<D>, amount: f64) -> Vec<Vector<D>> {
        let law = BarrierLaw::new(BarrierKind::ClampedLog, DHAT).unwrap();
        let candidates = BroadPhaseKind::default().candidates(&self.surface, &self.x, &self.x, 0.5 * DHAT);
        let selection = Selection::within(DHAT);
        let contacts = Contacts::build(&self.surface, &candidates, &self.obstacles, &self.x, &selection);
        let barrier =
            BarrierPotential { contacts: &contacts, obstacles: &self.obstacles, law, kappa: amount.into() };
        let mut g: Vec<_> = self.x.iter().map(|x| (*x - middle) * amount).collect();
        barrier.gradient(&self.x, 1.0, &mut g);
        g.into_iter().map(|g| if g.is_finite() { -g } else { Vector::ZERO }).collect()
    }

    fn step(&mut self, bound: Bound) {
        let before = self.x.clone();
        let p = self.direction();
        match bound {
            Bound::Ccd => self.step_by_ccd(&p),
            Bound::Filter => self.step_by_filter(p),
            Bound::WarmStart => {
                let predicted: Vec<_> = self.x.iter().zip(&p).map(|(x, p)| *x + *p).collect();
                self.held +=
                    self.region.warm_start(&self.surface, &self.obstacles, &mut self.x, &predicted).unwrap();
            }
            Bound::Planar => self.step_by_planes(p),
            Bound::Unsafe => self.step_too_far(&p),
        }
        self.moved += usize::from(before != self.x);
    }

    fn step_by_ccd(&mut self, p: &[Vector<D>]) {
        let end: Vec<_> = self.x.iter().zip(p).map(|(x, p)| *x + *p).collect();
        let candidates = BroadPhaseKind::default().candidates(&self.surface, &self.x, &end, 0.0);
        let ccd = Ccd::default();
        let mut t = ccd.largest_step(&self.surface, &candidates, &self.x, &end).unwrap();
        let moving = MovingSurface::new(&self.surface, &self.x, &end);
        for obstacle in &self.obstacles {
            t = t.min(ccd.obstacle_step(obstacle, Vector::ZERO, &moving).unwrap());
        }
        for (x, p) in self.x.iter_mut().zip(p) {
            *x += *p * t;
        }
    }

    /// Sometimes a part of the step only, as after a line search.
    fn step_by_filter(&mut self, mut p: Vec<Vector<D>>) {
        self.region.update_if_needed(&self.surface, &self.obstacles, &self.x).unwrap();
        self.held += self.region.filter_step(&self.surface, &self.x, &mut p).unwrap();
        let part = if self.random.between(0.0, 1.0) < 0.3 { self.random.between(0.0, 1.0) } else { 1.0 };
        for (x, p) in self.x.iter_mut().zip(&p) {
            *x += *p * part;
        }
    }

    fn step_by_planes(&mut self, mut p: Vec<Vector<D>>) {
        self.held += self.region.planar_filter_step(&self.surface, &self.obstacles, &self.x, &mut p).unwrap();
        for (x, p) in self.x.iter_mut().zip(&p) {
            *x += *p;
        }
    }

    fn step_too_far(&mut self, p: &[Vector<D>]) {
        self.region.update(&self.surface, &self.obstacles, &self.x).unwrap();
        for ((x, p), radius) in self.x.iter_mut().zip(p).zip(self.region.radii()) {
            *x += *p * (2.0 * radius / 0.9 / p.norm().max(1e-300)).min(1.0);
        }
    }

    /// The exact check, with boxes found in another way than the bounds find them.
    fn is_crossed(&self) -> bool {
        let check = Check { filtered: true, broad_phase: BroadPhaseKind::SweepAndPrune };
        check.any(&self.surface, &self.x).unwrap() || self.obstacles.iter().any(|o| self.is_entered(o))
    }

    /// Particles and whole primitives that pass through others leave no crossing behind.
    fn went_through_nothing(&self, before: &[Vector<D>]) -> bool {
        let ccd = Ccd::new(CcdKind::TightInclusion);
        let other = BroadPhaseKind::SweepAndPrune;
        if ccd.is_motion_free(&self.surface, before, &self.x, other).unwrap() {
            return true;
        }
        // Detection has doubts about pairs whose gap is a matter of rounding; about others it must have none.
        let Candidates { vv, ve, ee, vf } = other.candidates(&self.surface, before, &self.x, 0.0);
        let none = Candidates::default;
        let all = (vv.into_iter().map(|c| Candidates { vv: vec![c], ..none() }))
            .chain(ve.into_iter().map(|c| Candidates { ve: vec![c], ..none() }))
            .chain(ee.into_iter().map(|c| Candidates { ee: vec![c], ..none() }))
            .chain(vf.into_iter().map(|c| Candidates { vf: vec![c], ..none() }));
        let distance =
            |c: &Candidates, x: &[Vector<D>]| smallest_distance(&self.surface, c, &[], x).unwrap().0;
        all.into_iter().all(|c| {
            distance(&c, before).min(distance(&c, &self.x)) < 1e-10
                || ccd.is_free(&self.surface, &c, before, &self.x).unwrap()
        })
    }

    fn is_entered(&self, obstacle: &Obstacle<D>) -> bool {
        let at = |v: u32| self.x[v as usize];
        if let Obstacle::Cylinder(cylinder) = obstacle {
            let (o, long) = (cylinder.point(), cylinder.axis() * 100.0);
            let limit = cylinder.radius().powi(2) * (1.0 - 1e-14);
            let edges = self.surface.edges().iter();
            return edges.map(|e| closest::edge_edge(e.map(at), [o - long, o + long]).1).any(|d2| d2 < limit);
        }
        let Obstacle::Sphere(sphere) = obstacle else {
            return self.surface.vertices().iter().any(|v| obstacle.distance(self.x[*v as usize]) <= 0.0);
        };
        let (o, limit) = (sphere.center(), sphere.radius().powi(2) * (1.0 - 1e-14));
        let faces = self.surface.faces().iter().map(|f| closest::vertex_face(o, f.map(at)).1);
        let edges = self.surface.edges().iter().map(|&[a, b]| closest::vertex_edge(o, at(a), at(b)).1);
        faces.chain(edges).any(|d2| d2 < limit)
    }

    /// Steps in runs of 20 with the same bound; the first step at which something crosses, if any.
    fn run(&mut self, steps: usize, bounds: &[Bound]) -> Option<(usize, Bound)> {
        assert!(!self.is_crossed(), "the scene is crossed from the start");
        for k in 0..steps {
            let bound = bounds[k / 20 % bounds.len()];
            if k % 20 == 0 {
                self.note_gap();
            }
            let before = self.x.clone();
            self.step(bound);
            // Steps that collision detection allows it does not judge again: it may pass others more closely than it can tell.
            let through = bound != Bound::Ccd && !self.went_through_nothing(&before);
            if self.is_crossed() || through {
                return Some((k, bound));
            }
        }
        None
    }

    /// Looks at the smallest gap; positions may have changed without the region, so it is updated.
    fn note_gap(&mut self) {
        self.region.update(&self.surface, &self.obstacles, &self.x).unwrap();
        let radius = self.region.radii().iter().copied().fold(f64::INFINITY, f64::min);
        self.smallest = self.smallest.min(2.0 * radius);
    }
}

/// Chains in the plane, side by side.
fn chains(seed: u64, count: usize, obstacles: bool) -> Tangle<2> {
    let (mut x, mut edges, mut random) = (Vec::new(), Vec::new(), Random::new(seed));
    for i in 0..count {
        for j in 0..10 {
            let along = f64::from(j) * 0.15;
            let across = 0.1 * i as f64 + 0.05 * (along * 7.0).sin() + random.between(-0.02, 0.02);
            if j > 0 {
                edges.push([x.len() as u32 - 1, x.len() as u32]);
            }
            x.push(Vector([along, across]));
        }
    }
    let solids = [
        Obstacle::Plane(Plane::new(Vector([0.0, -0.2]), Vector([0.1, 1.0])).unwrap()),
        Obstacle::Sphere(Sphere::new(Vector([0.7, 0.1 * count as f64 + 0.3]), 0.3).unwrap()),
    ];
    let surface = Surface::new(x, edges, vec![]).unwrap();
    Tangle::new(seed, surface, if obstacles { solids.to_vec() } else { vec![] })
}

/// Two wavy sheets close to each other, above a plane and below a ball.
fn cloth(seed: u64, cells: usize) -> Tangle<3> {
    let Sheets { surface, .. } = Sheets::new(&mut Random::new(seed), cells);
    let obstacles = vec![
        Obstacle::Plane(Plane::new(Vector([0.0, 0.0, -0.3]), Vector([0.0, 0.1, 1.0])).unwrap()),
        Obstacle::Sphere(Sphere::new(Vector([0.5, 0.5, 0.7]), 0.4).unwrap()),
    ];
    Tangle::new(seed, surface, obstacles)
}

/// Triangles in all directions with tiny gaps; loose edges and vertices between them.
fn soup(seed: u64, count: usize) -> Tangle<3> {
    let mut random = Random::new(seed);
    let mut tangle: Option<Tangle<3>> = None;
    let (mut x, mut faces, mut edges, mut loose) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    while faces.len() < count {
        // A new primitive stays if it crosses nothing.
        let [middle] = random.points::<3, 1>(0.4);
        let sizes = (x.len(), faces.len(), edges.len(), loose.len());
        let dice = random.between(0.0, 5.0);
        let kind = if dice < 1.0 { 0 } else { 1 + usize::from(dice > 2.0) };
        x.extend(random.points::<3, 3>(0.4)[..3 - kind.min(2)].iter().map(|y| middle + *y));
        let n = sizes.0 as u32;
        match kind {
            0 => faces.push([n, n + 1, n + 2]),
            1 => edges.push([n, n + 1]),
            _ => loose.push(n),
        }
        let surface = Surface::new(x.clone(), edges.clone(), faces.clone()).unwrap();
        let pipe = Cylinder::new(Vector([0.0, 0.0, 0.9]), Vector([1.0, 0.3, 0.0]), 0.15).unwrap();
        let surface = surface.with_loose_vertices(loose.clone()).unwrap();
        let next = Tangle::new(seed, surface, vec![Obstacle::Cylinder(pipe)]);
        if next.is_crossed() {
            x.truncate(sizes.0);
            faces.truncate(sizes.1);
            edges.truncate(sizes.2);
            loose.truncate(sizes.3);
        } else {
            tangle = Some(next);
        }
    }
    let tangle = tangle.unwrap();
    assert!(!tangle.surface.loose_edges().is_empty() && !tangle.surface.loose_vertices().is_empty());
    tangle
}

/// Cubes of tetrahedra with a node inside each.
fn solids(seed: u64, count: usize) -> Tangle<3> {
    let (mut x, mut tetrahedra) = (Vec::new(), Vec::new());
    for cube in 0..count {
        let first = x.len() as u32;
        let shift = Vector([1.05 * (cube % 2) as f64, 1.05 * (cube / 2) as f64, 0.13 * cube as f64]);
        for k in 0..27_u32 {
            x.push(shift + Vector([k % 3, k / 3 % 3, k / 9].map(|c| 0.5 * f64::from(c))));
        }
        for corner in [0, 1, 3, 4, 9, 10, 12, 13] {
            for [a, b] in [[1, 4], [1, 10], [3, 4], [3, 12], [9, 10], [9, 12]] {
                tetrahedra.push([0, a, b, 13].map(|v| first + corner + v));
            }
        }
    }
    let surface = Surface::of_mixed(x, Mixed { tetrahedra, ..Mixed::default() }).unwrap();
    assert_eq!(surface.vertices().len(), 26 * count);
    Tangle::new(seed, surface, vec![])
}

const SAFE: [Bound; 4] = [Bound::Ccd, Bound::Filter, Bound::WarmStart, Bound::Planar];

fn assert_never_crossed<const D: usize>(mut tangle: Tangle<D>, steps: usize) {
    assert_eq!(tangle.run(steps, &SAFE), None);
    // Something happened: most steps moved something, many vertices were held, and gaps became small.
    println!(
        "{steps} steps, {} moved, {} held, smallest gap {:.1e}",
        tangle.moved, tangle.held, tangle.smallest
    );
    assert!(tangle.moved > steps / 2, "{} of {steps} moved", tangle.moved);
    assert!(tangle.held > steps, "{} held", tangle.held);
    assert!(tangle.smallest < 1e-4, "smallest gap {:e}", tangle.smallest);
}

/// 10,000 steps, with the tests below.
#[test]
fn nothing_crosses_in_two_dimensions() {
    assert_never_crossed(chains(1, 6, false), 2000);
    assert_never_crossed(chains(2, 5, true), 2000);
}

#[test]
fn nothing_crosses_in_cloth() {
    assert_never_crossed(cloth(3, 5), 2000);
}

#[test]
fn nothing_crosses_in_a_soup() {
    assert_never_crossed(soup(4, 12), 2000);
}

#[test]
fn nothing_crosses_in_solids() {
    assert_never_crossed(solids(5, 2), 2000);
}

/// Run with `cargo test --release -p stiction --test all trust_region:: -- --ignored larger`: some minutes.
#[test]
#[ignore = "takes minutes"]
fn nothing_crosses_in_larger_tangles() {
    for seed in 10..20 {
        assert_never_crossed(chains(seed, 20, seed % 2 == 0), 5000);
        assert_never_crossed(cloth(seed, 12), 2000);
        assert_never_crossed(soup(seed, 40), 5000);
        assert_never_crossed(solids(seed, 6), 2000);
    }
}

#[test]
fn balls_twice_as_large_let_things_cross() {
    assert!(chains(1, 6, false).run(1000, &[Bound::Unsafe]).is_some());
    assert!(cloth(3, 5).run(1000, &[Bound::Unsafe]).is_some());
    assert!(soup(4, 12).run(1000, &[Bound::Unsafe]).is_some());
    assert!(solids(5, 2).run(1000, &[Bound::Unsafe]).is_some());
}

/// Radii by their definition: all pairs, one after the other.
fn plain_radii(tangle: &Tangle<3>, inflation: f64, min_distance: f64) -> Vec<f64> {
    let (surface, x) = (&tangle.surface, &tangle.x);
    let mut room = vec![f64::INFINITY; x.len()];
    for v in surface.vertices() {
        room[*v as usize] = inflation;
    }
    let at = |v: u32| x[v as usize];
    let edge = |e: u32| surface.edges()[e as usize];
    let mut lower = |vertices: &[u32], d2: f64| {
        for v in vertices {
            room[*v as usize] = room[*v as usize].min(d2.sqrt());
        }
    };
    let all = BroadPhaseKind::BruteForce.candidates(surface, x, x, 100.0);
    for &(v, w) in &all.vv {
        lower(&[v, w], (at(v) - at(w)).norm_squared());
    }
    for &(v, e) in &all.ve {
        let [a, b] = edge(e);
        lower(&[v, a, b], closest::vertex_edge(at(v), at(a), at(b)).1);
    }
    for &(e, f) in &all.ee {
        let ([a, b], [c, d]) = (edge(e), edge(f));
        lower(&[a, b, c, d], closest::edge_edge([at(a), at(b)], [at(c), at(d)]).1);
    }
    for &(v, f) in &all.vf {
        let [a, b, c] = surface.faces()[f as usize];
        lower(&[v, a, b, c], closest::vertex_face(at(v), [at(a), at(b), at(c)]).1);
    }
    for obstacle in &tangle.obstacles {
        for &v in surface.vertices() {
            let d = obstacle.distance(at(v));
            lower(&[v], d * d);
        }
        if let Obstacle::Sphere(sphere) = obstacle {
            for &[a, b, c] in surface.faces() {
                let d2 = closest::vertex_face(sphere.center(), [at(a), at(b), at(c)]).1;
                lower(&[a, b, c], (d2.sqrt() - sphere.radius()).powi(2));
            }
        }
        if let Obstacle::Cylinder(cylinder) = obstacle {
            let (o, long) = (cylinder.point(), cylinder.axis() * 100.0);
            let to_axis = |e: [u32; 2]| {
                (closest::edge_edge(e.map(at), [o - long, o + long]).1.sqrt() - cylinder.radius()).powi(2)
            };
            // The axis pierces no face, so an edge of it is closest.
            for &[a, b, c] in surface.faces() {
                lower(&[a, b, c], to_axis([a, b]).min(to_axis([b, c])).min(to_axis([c, a])));
            }
            for e in surface.loose_edges().iter().map(|e| surface.edges()[*e as usize]) {
                lower(&e, to_axis(e));
            }
        }
    }
    room.into_iter().map(|d| 0.45 * (d - min_distance)).collect()
}

#[test]
fn radii_are_those_of_all_pairs_by_every_broad_phase_and_any_number_of_threads() {
    for seed in 0..6 {
        for mut tangle in [soup(20 + seed, 15), cloth(30 + seed, 6), solids(40 + seed, 4)] {
            tangle.run(10, &SAFE);
            for min_distance in [0.0, 1e-6] {
                let mut first: Option<Vec<f64>> = None;
                for (broad_phase, threads) in BroadPhaseKind::ALL.into_iter().zip([1, 2, 8, 3, 8]) {
                    let region = TrustRegion::new(DHAT).unwrap().with_min_distance(min_distance).unwrap();
                    let mut region = region.with_broad_phase(broad_phase);
                    stiction::threads::set_count(threads).unwrap();
                    region.update(&tangle.surface, &tangle.obstacles, &tangle.x).unwrap();
                    assert_eq!(
                        *first.get_or_insert(region.radii().to_vec()),
                        region.radii(),
                        "{broad_phase}"
                    );
                }
                let plain = plain_radii(&tangle, 2.0 * DHAT, min_distance);
                for (found, plain) in first.unwrap().into_iter().zip(plain) {
                    let tolerance = 1e-12 * plain.abs() + 1e-13;
                    assert!(
                        found == plain || (found - plain.max(0.0)).abs() <= tolerance,
                        "{found:e} {plain:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn vertices_inside_solids_go_anywhere_and_the_others_stay_in_their_balls() {
    let mut tangle = solids(1, 2);
    tangle.region.update(&tangle.surface, &[], &tangle.x).unwrap();
    let inside = 13;
    assert_eq!(tangle.region.radii()[inside], f64::INFINITY);
    let mut step = vec![Vector([3.0, -40.0, 1e9]); tangle.x.len()];
    let held = tangle.region.filter_step(&tangle.surface, &tangle.x, &mut step).unwrap();
    assert_eq!((held, step[inside]), (52, Vector([3.0, -40.0, 1e9])));
    assert!(tangle.region.needs_update());
    for v in 0..tangle.x.len() {
        let (end, radius) = (tangle.x[v] + step[v], tangle.region.radii()[v]);
        let moved = (end - tangle.region.centers()[v]).norm();
        assert!(moved <= radius && (v == inside || v == 40 || moved > radius * (1.0 - 1e-12)));
    }
    // Predictions within the balls are reached exactly.
    let near: Vec<_> = tangle.x.iter().map(|x| *x + Vector([1e-3, 1e-3, 0.0])).collect();
    let mut x = tangle.x.clone();
    assert_eq!((tangle.region.warm_start(&tangle.surface, &[], &mut x, &near).unwrap(), x), (0, near));
}

/// The upper segment moves along the lower one by more than the gap: balls hold it, planes do not.
#[test]
fn planes_let_things_slide() {
    let x = [[0.0, 0.0], [1.0, 0.0], [0.2, 0.01], [0.6, 0.01]].map(Vector).to_vec();
    let surface = Surface::new(x.clone(), vec![[0, 1], [2, 3]], vec![]).unwrap();
    let mut region = TrustRegion::new(0.1).unwrap();
    let slide = [[0.0, 0.0], [0.0, 0.0], [0.05, 0.0], [0.05, 0.0]].map(Vector).to_vec();
    let mut step = slide.clone();
    region.update(&surface, &[], &x).unwrap();
    assert_eq!(region.filter_step(&surface, &x, &mut step).unwrap(), 2);
    let mut step = slide.clone();
    assert_eq!(region.planar_filter_step(&surface, &[], &x, &mut step).unwrap(), 0);
    assert_eq!(step, slide);
    // Down: nine tenths of the gap, all of it for the one that moves.
    let mut step = [[0.0, 0.0], [0.0, 0.0], [0.0, -0.05], [0.0, -0.05]].map(Vector).to_vec();
    assert_eq!(region.planar_filter_step(&surface, &[], &x, &mut step).unwrap(), 2);
    assert!(step[2..].iter().all(|p| (p[1] + 0.009).abs() < 1e-12), "{step:?}");
    // The path is safe all the way.
    let end: Vec<_> = x.iter().zip(&step).map(|(x, p)| *x + *p).collect();
    assert!(Ccd::default().is_motion_free(&surface, &x, &end, BroadPhaseKind::default()).unwrap());
}

/// All pairs that come within reach inside the region are found from its centres.
#[test]
fn contacts_inside_the_region_are_among_the_candidates_of_its_centres() {
    let mut tangle = cloth(7, 5);
    tangle.run(40, &SAFE);
    tangle.note_gap();
    let (surface, x, reach) = (&tangle.surface, tangle.x.clone(), DHAT);
    let inflation = tangle.region.contact_inflation(reach);
    let candidates = BroadPhaseKind::default().candidates(surface, &x, &x, inflation);
    for _ in 0..20 {
        let mut step: Vec<_> = x.iter().map(|_| tangle.random.points::<3, 1>(0.2)[0]).collect();
        tangle.region.filter_step(surface, &x, &mut step).unwrap();
        let y: Vec<_> = x.iter().zip(&step).map(|(x, p)| *x + *p).collect();
        let fresh = BroadPhaseKind::default().candidates(surface, &y, &y, 0.5 * reach);
        let of = |candidates| Contacts::build(surface, candidates, &[], &y, &Selection::within(reach));
        assert_eq!(of(&candidates), of(&fresh));
    }
}

#[test]
fn what_cannot_be_used_is_refused() {
    let mut tangle = cloth(7, 3);
    let mut step = vec![Vector([0.1; 3]); tangle.x.len()];
    let message = |r: Result<usize, stiction::error::Error>| r.unwrap_err().to_string();
    let early = tangle.region.filter_step(&tangle.surface, &tangle.x, &mut step);
    assert!(message(early).contains("update it"));
    tangle.region.update(&tangle.surface, &tangle.obstacles, &tangle.x).unwrap();
    let mut away = tangle.x.clone();
    away[4] += Vector([0.0, 0.0, 1.0]);
    let outside = message(tangle.region.filter_step(&tangle.surface, &away, &mut step));
    assert!(outside.contains("vertex 4") && outside.contains("radius"), "{outside}");
    step[3][0] = f64::NAN;
    assert!(message(tangle.region.filter_step(&tangle.surface, &tangle.x, &mut step)).contains("vertex 3"));
    assert!(tangle.region.filter_step(&tangle.surface, &tangle.x, &mut step[..2]).is_err());
    away[2][1] = f64::INFINITY;
    assert!(tangle.region.update(&tangle.surface, &tangle.obstacles, &away).is_err());
    assert!(tangle.region.warm_start(&tangle.surface, &tangle.obstacles, &mut tangle.x, &away).is_err());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e308] {
        assert!(TrustRegion::<3>::new(bad).is_err());
    }
    for bad in [0.0, 1.0, -0.5, f64::NAN] {
        assert!(TrustRegion::<3>::new(1.0).unwrap().with_relaxation(bad).is_err());
    }
    assert!(TrustRegion::<3>::new(1.0).unwrap().with_min_distance(-1.0).is_err());
    assert!(TrustRegion::<3>::new(1.0).unwrap().with_update_threshold(f64::NAN).is_err());
}

#[test]
fn huge_and_tiny_scenes_have_balls_too() {
    for scale in [1e-250, 1e-120, 1e120, 1e250] {
        let x: Vec<_> =
            [[0.0, 0.0], [1.0, 0.0], [0.5, 0.125], [0.5, 1.0]].map(|x| Vector(x) * scale).to_vec();
        let surface = Surface::new(x.clone(), vec![[0, 1], [2, 3]], vec![]).unwrap();
        let mut region = TrustRegion::new(scale).unwrap();
        region.update(&surface, &[], &x).unwrap();
        // The last vertex is far from all, but its edge is not.
        let radii = [0.125, 0.125, 0.125, 0.265_625_f64.sqrt()].map(|d| 0.45 * d);
        let mut step = vec![Vector([0.0, -scale]); 4];
        assert_eq!(region.filter_step(&surface, &x, &mut step).unwrap(), 4);
        for (v, expected) in radii.into_iter().enumerate() {
            let radius = region.radii()[v];
            assert!((radius / scale / expected - 1.0).abs() < 1e-12, "{scale:e}: {radius:e}");
            assert!((step[v][1] / scale + expected).abs() < 1e-12, "{step:?}");
        }
    }
}

/// A Hessian that couples all vertices: the identity of the diagonal blocks and a constant between others.
fn springs(v: u32, w: u32) -> Matrix<3> {
    let spread = Vector([1.0, 2.0, -1.0]);
    if v == w { Matrix::scalar(f64::from(3 + v)) } else { spread.outer(spread) * 0.125 }
}

#[test]
fn stiffness_of_each_contact_is_what_it_feels() {
    let mut tangle = cloth(9, 4);
    let dhat = 0.3;
    tangle.x.iter_mut().for_each(|x| x[2] *= 0.5);
    let (surface, x, obstacles) = (&tangle.surface, &tangle.x, tangle.obstacles.as_slice());
    let law = BarrierLaw::new(BarrierKind::Cubic, dhat).unwrap().with_dmin(0.001).unwrap();
    let candidates = BroadPhaseKind::default().candidates(surface, x, x, dhat);
    let contacts = Contacts::build(surface, &candidates, obstacles, x, &Selection::within(law.reach()));
    let masses: Vec<_> = (0..x.len()).map(|v| 1.0 + 0.1 * v as f64).collect();
    let of = SemiImplicit { x, masses: &masses, hessian: &springs, dmin: law.dmin() };
    let kappa = of.stiffnesses(&contacts, obstacles).unwrap();
    assert!(!contacts.obstacle.is_empty() && !contacts.parallel.is_empty() && !contacts.vf.is_empty());
    // By hand: the mass and the stiffness along the gradient of the distance, by differences.
    let feel = |vertices: &[u32], distance: &dyn Fn(&[Vector<3>]) -> f64| {
        let h = 1e-6;
        let slope = |v: u32, k: usize| {
            let at = |step: f64| distance(&support::moved(x, v as usize * 3 + k, step));
            (at(h) - at(-h)) / (2.0 * h)
        };
        let g: Vec<_> = vertices.iter().map(|v| Vector([0, 1, 2].map(|k| slope(*v, k)))).collect();
        let (mut mass, mut behind, mut square) = (0.0, 0.0, 0.0);
        for (i, v) in vertices.iter().enumerate() {
            mass += g[i].norm_squared() * masses[*v as usize];
            square += g[i].norm_squared();
            for (j, w) in vertices.iter().enumerate() {
                behind += g[i].dot(springs(*v, *w) * g[j]);
            }
        }
        (mass / (distance(x) - law.dmin()).powi(2) + behind) / square
    };
    let assert_same =
        |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    for (c, kappa) in contacts.vf.iter().zip(&kappa.vf).take(20) {
        let [p, a, b, d] = c.stencil.0;
        assert_same(
            *kappa,
            feel(&c.stencil.0, &|x| {
                closest::vertex_face(x[p as usize], [a, b, d].map(|v| x[v as usize])).1.sqrt()
            }),
        );
    }
    for (c, kappa) in contacts.parallel.iter().zip(&kappa.parallel).take(20) {
        let pair = c.pair();
        let distance = |x: &[Vector<3>]| distance::distance(&pair, &c.contact.stencil.gather(x));
        assert_same(*kappa, feel(&c.contact.stencil.0, &distance));
    }
    for (c, kappa) in contacts.obstacle.iter().zip(&kappa.obstacle) {
        let v = c.stencil.0[0];
        assert_same(*kappa, feel(&[v], &|x| obstacles[c.obstacle as usize].distance(x[v as usize])));
    }
    // The potential really uses them.
    let zeros = |kappa: &[f64]| vec![0.0; kappa.len()];
    let some = PerContact {
        vv: zeros(&kappa.vv),
        ve: zeros(&kappa.ve),
        ee: zeros(&kappa.ee),
        parallel: zeros(&kappa.parallel),
        ..kappa.clone()
    };
    let faces = contacts.vf.iter().zip(&kappa.vf).map(|(c, kappa)| {
        let d = distance::distance(&VERTEX_FACE, &c.stencil.gather(x));
        kappa * c.weight * law.value(d * d)
    });
    let solids = contacts.obstacle.iter().zip(&kappa.obstacle).map(|(c, kappa)| {
        let d = obstacles[c.obstacle as usize].distance(x[c.stencil.0[0] as usize]);
        kappa * c.weight * law.value(d * d)
    });
    let by_hand: f64 = faces.chain(solids).sum();
    let potential = BarrierPotential { contacts: &contacts, obstacles, law, kappa: Kappa::Each(&some) };
    assert!((potential.energy(x) / by_hand - 1.0).abs() < 1e-12);
    assert!(SemiImplicit { masses: &masses[1..], ..of }.stiffnesses(&contacts, obstacles).is_err());
}

/// Ando's pair: a barrier that is finite at contact, with a stiffness that grows like the inverse square of the gap.
#[test]
fn a_point_that_falls_stays_above_the_plane() {
    let (h, mass, gravity) = (0.01, 0.2, 9.81);
    let law = BarrierLaw::new(BarrierKind::Cubic, 0.02).unwrap();
    let plane = [Obstacle::Plane(Plane::new(Vector([0.0, 0.0]), Vector([0.0, 1.0])).unwrap())];
    let surface = Surface::new(vec![Vector([0.0, 0.1])], vec![], vec![]).unwrap();
    let surface = surface.with_loose_vertices(vec![0]).unwrap();
    let mut region = TrustRegion::new(law.reach()).unwrap();
    let (mut x, mut v) = (surface.rest().to_vec(), 0.0);
    let mut lowest = f64::INFINITY;
    for _ in 0..300 {
        let before = x[0][1];
        let predicted = before + h * v - h * h * gravity;
        for _ in 0..30 {
            let contacts = Contacts::build(
                &surface,
                &Candidates::default(),
                &plane,
                &x,
                &Selection::within(law.reach()),
            );
            let inertia = |_, _| Matrix::scalar(mass / (h * h));
            let of = SemiImplicit { x: &x, masses: &[mass], hessian: &inertia, dmin: 0.0 };
            let kappa = of.stiffnesses(&contacts, &plane).unwrap();
            let barrier =
                BarrierPotential { contacts: &contacts, obstacles: &plane, law, kappa: Kappa::Each(&kappa) };
            let mut g = [Vector([0.0, mass / (h * h) * (x[0][1] - predicted)])];
            barrier.gradient(&x, 1.0, &mut g);
            let bend = kappa.obstacle.first().map_or(0.0, |k| {
                let s = x[0][1].powi(2);
                k * (4.0 * s * law.second(s) + 2.0 * law.first(s)).max(0.0)
            });
            region.update(&surface, &plane, &x).unwrap();
            let mut p = [g[0] * (-1.0 / (mass / (h * h) + bend))];
            region.filter_step(&surface, &x, &mut p).unwrap();
            x[0] += p[0];
            lowest = lowest.min(x[0][1]);
            assert!(x[0][1] > 0.0);
        }
        v = (x[0][1] - before) / h;
    }
    // It came down, and rests within the barrier.
    assert!(lowest < law.reach() && x[0][1] < law.reach() && v.abs() < 0.1, "{} {v}", x[0][1]);
}

/// Run with `cargo test --release -p stiction --test all trust_region:: -- --ignored --nocapture time`.
#[test]
#[ignore = "a measurement"]
fn time_of_an_update() {
    stiction::threads::set_count(1).unwrap();
    for cells in [35, 112, 274] {
        let Sheets { surface, x, dhat } = Sheets::new(&mut Random::new(1), cells);
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let start = Instant::now();
            let search = PairSearch { reach: 2.0 * dhat, broad_phase: BroadPhaseKind::default() };
            let radii = Ccd::default().safe_distances_within(&surface, &[], &x, search).unwrap();
            best = best.min(start.elapsed().as_secs_f64());
            assert!(radii.iter().all(|r| *r > 0.0));
        }
        println!("{} faces: {:.1} ms", surface.faces().len(), best * 1e3);
    }
}
