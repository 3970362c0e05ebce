//! Continuous collision detection against an exact check of the configurations on the way.

use crate::support::Random;
use stiction::broad_phase::{BroadPhaseKind, Candidates};
use stiction::ccd::{Ccd, CcdKind, Query};
use stiction::closest;
use stiction::contact::{Contacts, Selection};
use stiction::crossing::Check;
use stiction::math::Vector;
use stiction::math::vector::cross;
use stiction::mesh::{MovingSurface, Surface};
use stiction::obstacle::{Cylinder, Obstacle, Plane, Sphere};

/// Pairs that the tree of boxes loses are found here.
const CHECK: Check = Check { filtered: false, broad_phase: BroadPhaseKind::SweepAndPrune };

fn advance<const D: usize>(x: &[Vector<D>], p: &[Vector<D>], t: f64) -> Vec<Vector<D>> {
    x.iter().zip(p).map(|(x, p)| *x + *p * t).collect()
}

/// What happened to the random motions of one kind of surface.
#[derive(Default)]
struct Tally {
    cross_without_bound: usize,
    held_by_vf: usize,
    held_by_ee: usize,
    held_by_ve: usize,
    free: usize,
}

impl Tally {
    fn add<const D: usize>(&mut self, ccd: &Ccd, surface: &Surface<D>, x: &[Vector<D>], p: &[Vector<D>]) {
        let end = advance(x, p, 1.0);
        let all = BroadPhaseKind::BruteForce.candidates(surface, x, &end, 0.0);
        let free = ccd.is_free(surface, &all, x, &end).unwrap();
        for broad_phase in [BroadPhaseKind::Bvh, BroadPhaseKind::SweepAndPrune] {
            assert_eq!(ccd.is_motion_free(surface, x, &end, broad_phase).unwrap(), free);
        }
        let only = |candidates: Candidates| ccd.largest_step(surface, &candidates, x, &end).unwrap();
        let vf = only(Candidates { vf: all.vf.clone(), ..Candidates::default() });
        let ee = only(Candidates { ee: all.ee.clone(), ..Candidates::default() });
        let ve = only(Candidates { ve: all.ve.clone(), ..Candidates::default() });
        let t = only(all);
        // Together they may come as close as the closest of them, which is closer than each kind alone.
        assert!(t >= 0.99 * vf.min(ee).min(ve), "{t} of {vf} {ee} {ve}");
        assert!(t > 0.0);
        for sample in 1..=20 {
            let y = advance(x, p, t * f64::from(sample) / 20.0);
            assert_eq!(CHECK.crossings(surface, &y).unwrap(), [], "sample {sample} of {t} of the motion");
        }
        self.cross_without_bound += usize::from(CHECK.any(surface, &advance(x, p, 1.0)).unwrap());
        self.held_by_vf += usize::from(vf < ee.min(1.0));
        self.held_by_ee += usize::from(ee < vf.min(1.0));
        self.held_by_ve += usize::from(ve < 1.0);
        self.free += usize::from(t == 1.0);
        assert!(free || t < 1.0, "a step that keeps distances is free");
        assert!(!free || !CHECK.any(surface, &advance(x, p, 1.0)).unwrap());
    }
}

/// 2000 random motions of a surface that does not cross itself at the start.
fn tally<const D: usize, const N: usize>(kind: CcdKind, edges: &[[u32; 2]], faces: &[[u32; 3]]) -> Tally {
    let (mut random, mut tally, mut count) = (Random::new(D as u64), Tally::default(), 0);
    while count < 2000 {
        let (x, p) = (random.points::<D, N>(0.5), random.points::<D, N>(0.5));
        let surface = Surface::new(x.to_vec(), edges.to_vec(), faces.to_vec()).unwrap();
        if !CHECK.any(&surface, &x).unwrap() {
            tally.add(&Ccd::new(kind), &surface, &x, &p);
            count += 1;
        }
    }
    tally
}

#[test]
fn segments_never_cross() {
    for kind in CcdKind::ALL {
        let tally = tally::<2, 4>(kind, &[[0, 1], [2, 3]], &[]);
        assert!(tally.cross_without_bound > 200 && tally.held_by_ve > 200 && tally.free > 200);
    }
}

#[test]
fn triangles_never_cross() {
    for kind in CcdKind::ALL {
        let tally = tally::<3, 6>(kind, &[], &[[0, 1, 2], [3, 4, 5]]);
        assert!(tally.cross_without_bound > 200 && tally.free > 200);
        assert!(tally.held_by_vf > 200 && tally.held_by_ee > 200);
    }
}

/// A step below 1 must end where the distance has fallen to the part that is kept, and not earlier than
/// `allowed`; a step of 1 must keep it everywhere.
fn check_tightness<const D: usize, const N: usize>(
    (kind, allowed): (CcdKind, f64),
    query: impl Fn([Vector<D>; N], [Vector<D>; N]) -> Query<D>,
    distance_squared: impl Fn(&[Vector<D>]) -> f64,
) {
    const SAMPLES: u32 = 500;
    let (mut random, mut free, mut held) = (Random::new(N as u64), 0, 0);
    let ccd = Ccd::new(kind);
    for _ in 0..1000 {
        let (x, p) = (random.points::<D, N>(0.5), random.points::<D, N>(0.5));
        let end: [Vector<D>; N] = std::array::from_fn(|i| x[i] + p[i]);
        let t = ccd.largest_step_of(&query(x, end));
        let distance = |t: f64| distance_squared(&advance(&x, &p, t)).sqrt();
        let kept = ccd.keep() * distance(0.0);
        for k in 0..=SAMPLES {
            assert!(distance(t * f64::from(k) / f64::from(SAMPLES)) > kept * (1.0 - 1e-9) - 1e-13);
        }
        if t < 1.0 {
            let used = (distance(t) - kept) / distance(0.0);
            assert!(used < allowed, "{kind} stops at {t} with {used} of the distance left");
        }
        free += u32::from(t == 1.0);
        held += u32::from(t < 1.0);
    }
    assert!(free > 100 && held > 5, "{free} {held}");
}

#[test]
fn motions_are_not_shortened_without_need() {
    for how in [(CcdKind::Additive, 1e-4), (CcdKind::TightInclusion, 1e-3)] {
        check_tightness::<2, 3>(how, Query::VertexEdge, |x| closest::vertex_edge(x[0], x[1], x[2]).1);
        check_tightness::<3, 3>(how, Query::VertexEdge, |x| closest::vertex_edge(x[0], x[1], x[2]).1);
        check_tightness::<3, 4>(how, Query::EdgeEdge, |x| closest::edge_edge([x[0], x[1]], [x[2], x[3]]).1);
        check_tightness::<3, 4>(how, Query::VertexFace, |x| closest::vertex_face(x[0], [x[1], x[2], x[3]]).1);
    }
}

/// A vertex over a face and two crossing edges, turned at random: they meet at a third of the motion, whatever the
/// gap and the angle of the edges.
#[test]
fn small_gaps_are_kept_at_any_angle() {
    let mut random = Random::new(5);
    for k in 0..3000 {
        let gap = 10_f64.powf(random.between(-11.0, -2.0));
        let angle = 10_f64.powf(random.between(-10.0, 0.0));
        let rotation = random.rotation::<3>();
        let (sin, cos) = angle.sin_cos();
        let along = random.between(0.2, 0.8);
        let edges = [
            [-along, 0.0, 0.0],
            [1.0 - along, 0.0, 0.0],
            [-0.5 * cos, -0.5 * sin, gap],
            [0.5 * cos, 0.5 * sin, gap],
        ];
        let face = [[0.0, 0.0, gap], [-along, -0.4, 0.0], [1.0 - along, -0.3, 0.0], [0.1, 0.6, 0.0]];
        let down = rotation * Vector([0.0, 0.0, -3.0 * gap]);
        let turned = |points: [[f64; 3]; 4]| points.map(|x| rotation * Vector(x));
        let still = Vector::ZERO;
        let moved = |x: [Vector<3>; 4], p: [Vector<3>; 4]| [0, 1, 2, 3].map(|i| x[i] + p[i]);
        for kind in CcdKind::ALL {
            let (edges, face) = (turned(edges), turned(face));
            for query in [
                Query::EdgeEdge(edges, moved(edges, [still, still, down, down])),
                Query::VertexFace(face, moved(face, [down, still, still, still])),
            ] {
                let t = Ccd::new(kind).largest_step_of(&query);
                // What is safe shrinks by rounding of the positions, about 1e-15, relative to the gap.
                let shortfall = 1e-14 / gap;
                assert!(
                    t < 1.0 / 3.0 && t > 0.29 - shortfall,
                    "{kind} {k}: gap {gap:e}, angle {angle:e}: {t}"
                );
            }
        }
    }
}

/// Unit edges that cross at half length, at all angles and gaps: they meet at a third of the motion.
#[test]
fn nearly_parallel_edges_stop_in_time() {
    for angle in [1e-1, 1e-3, 1e-5, 1e-6, 1e-7, 3e-8, 1e-8, 1e-9, 1e-12, 0.0_f64] {
        for gap in [1e-2, 1e-5, 1e-8, 1e-9, 1e-10, 1e-12] {
            let (sin, cos) = angle.sin_cos();
            let edges = |height: f64| {
                let half = Vector([0.5 * cos, 0.5 * sin, 0.0]);
                let centre = Vector([0.0, 0.0, height]);
                [Vector([-0.5, 0.0, 0.0]), Vector([0.5, 0.0, 0.0]), centre - half, centre + half]
            };
            for kind in CcdKind::ALL {
                let t = Ccd::new(kind).largest_step_of(&Query::EdgeEdge(edges(gap), edges(-2.0 * gap)));
                assert!(t < 1.0 / 3.0 && t > 0.28, "{kind}, angle {angle:e}, gap {gap:e}: {t}");
            }
        }
    }
}

#[test]
fn pairs_that_move_together_are_free_and_touching_ones_may_not_move() {
    let apart = [[0.0; 3], [1.0, 0.0, 0.0], [0.3, 0.2, 1e-3], [0.3, 1.0, 1e-3]].map(Vector);
    let together = apart.map(|x| x + Vector([5.0, 1.0, -2.0]));
    let touching = [Vector([0.5, 0.0]), Vector([0.0, 0.0]), Vector([1.0, 0.0])];
    let leaving = [Vector([0.5, 1.0]), Vector([0.0, 0.0]), Vector([1.0, 0.0])];
    for kind in CcdKind::ALL {
        let ccd = Ccd::new(kind);
        assert_eq!(ccd.largest_step_of(&Query::EdgeEdge(apart, together)), 1.0);
        assert_eq!(ccd.largest_step_of(&Query::VertexEdge(touching, leaving)), 0.0);
        assert_eq!(ccd.largest_step_of(&Query::VertexEdge(touching, touching)), 0.0);
        assert!(!ccd.is_free_of(&Query::VertexEdge(touching, touching)));
    }
}

#[test]
fn particles_stop_before_each_other() {
    let start = [Vector([0.0, 0.0, 0.0]), Vector([1.0, 2.0, 2.0])];
    let (through, past) = ([start[0], Vector([-1.0, -2.0, -2.0])], [start[0], Vector([-1.0, 2.0, 2.0])]);
    for kind in CcdKind::ALL {
        let ccd = Ccd::new(kind);
        let t = ccd.largest_step_of(&Query::VertexVertex(start, through));
        assert!(t <= 0.45 && t > 0.44, "{kind}: {t}");
        assert_eq!(ccd.largest_step_of(&Query::VertexVertex(start, past)), 1.0);
        let t = ccd.with_min_distance(1.0).unwrap().largest_step_of(&Query::VertexVertex(start, through));
        assert!(t <= 0.3 && t > 0.29, "{kind}: {t}");
    }
}

#[test]
fn motions_that_are_no_numbers_may_not_begin() {
    let x = [Vector([0.5, 1.0]), Vector([0.0, 0.0]), Vector([1.0, 0.0])];
    for kind in CcdKind::ALL {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for place in 0..3 {
                let mut end = x;
                end[place][1] = bad;
                assert_eq!(Ccd::new(kind).largest_step_of(&Query::VertexEdge(x, end)), 0.0);
                assert_eq!(Ccd::new(kind).largest_step_of(&Query::VertexEdge(end, x)), 0.0);
            }
        }
    }
}

/// The same motion in all units of length that a number can hold.
#[test]
fn size_does_not_matter() {
    let start = [[0.2, 0.2, 1.0], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vector);
    let end = [[0.2, 0.2, -1.0], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vector);
    for exponent in [-1030, -600, -300, -70, -1, 0, 1, 70, 300, 600, 1020] {
        let unit = f64::from(exponent).exp2();
        let query = Query::VertexFace(start.map(|x| x * unit), end.map(|x| x * unit));
        for kind in CcdKind::ALL {
            let t = Ccd::new(kind).largest_step_of(&query);
            assert!((t - 0.45).abs() < 0.01, "{kind}, unit 2^{exponent}: {t}");
            let apart = Ccd::new(kind).with_min_distance(0.5 * unit).unwrap();
            let t = apart.largest_step_of(&query);
            assert!((t - 0.225).abs() < 0.01, "{kind}, unit 2^{exponent}, minimum distance: {t}");
            assert!(!apart.is_free_of(&query));
        }
    }
}

#[test]
fn bad_parameters_are_refused() {
    let ccd = Ccd::default();
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(ccd.with_min_distance(bad).unwrap_err().to_string().contains("minimum distance"));
        assert!(ccd.with_keep(bad).unwrap_err().to_string().contains("to keep"));
    }
    assert!(ccd.with_keep(0.0).is_err() && ccd.with_keep(1.0).is_err());
    assert!("exact".parse::<CcdKind>().unwrap_err().to_string().contains("additive, tight_inclusion"));
    for kind in CcdKind::ALL {
        assert_eq!(kind.to_string().parse::<CcdKind>().unwrap(), kind);
    }
}

// --- Exactly parallel and coplanar input ---

/// A flat grid of `n × n` vertices with side 1, at `offset`, as vertices and faces.
fn plate(n: u32, offset: Vector<3>) -> (Vec<Vector<3>>, Vec<[u32; 3]>) {
    let (mut x, mut faces) = (Vec::new(), Vec::new());
    for i in 0..n {
        for j in 0..n {
            let side = f64::from(n - 1);
            x.push(Vector([f64::from(i) / side, f64::from(j) / side, 0.0]) + offset);
            if i > 0 && j > 0 {
                let v = i * n + j;
                faces.extend([[v, v - 1, v - n], [v - n - 1, v - n, v - 1]]);
            }
        }
    }
    (x, faces)
}

/// Both in one surface.
fn joined(
    (mut x, mut faces): (Vec<Vector<3>>, Vec<[u32; 3]>),
    (y, others): (Vec<Vector<3>>, Vec<[u32; 3]>),
) -> Surface<3> {
    let first = x.len() as u32;
    x.extend(y);
    faces.extend(others.iter().map(|face| face.map(|v| v + first)));
    Surface::new(x, vec![], faces).unwrap()
}

/// The step of both methods when the vertices from `first` on move by `p`, with the time it would take to touch.
fn check_step(surface: &Surface<3>, first: usize, p: Vector<3>, touch: f64) {
    let start = surface.rest();
    let moved = |(i, x): (usize, &Vector<3>)| if i < first { *x } else { *x + p };
    let end: Vec<_> = start.iter().enumerate().map(moved).collect();
    let candidates = BroadPhaseKind::default().candidates(surface, start, &end, 0.0);
    for kind in CcdKind::ALL {
        let ccd = Ccd::new(kind);
        let t = ccd.largest_step(surface, &candidates, start, &end).unwrap();
        let wanted = (0.9 * touch).min(1.0);
        assert!(t <= wanted + 1e-12 && t > 0.97 * wanted, "{kind}: {t}, touching at {touch}");
        assert_eq!(ccd.is_free(surface, &candidates, start, &end).unwrap(), touch > 1.0);
        assert_eq!(ccd.is_motion_free(surface, start, &end, BroadPhaseKind::Bvh).unwrap(), touch > 1.0);
    }
}

#[test]
fn parallel_plates_stop_in_time() {
    let surface = joined(plate(7, Vector::ZERO), plate(5, Vector([0.1, 0.05, 1e-2])));
    check_step(&surface, 49, Vector([0.0, 0.0, -2e-2]), 0.5);
    check_step(&surface, 49, Vector([0.3, 0.1, -2e-2]), 0.5);
    check_step(&surface, 49, Vector([0.3, 0.1, 0.0]), 2.0);
    let same = joined(plate(7, Vector::ZERO), plate(7, Vector([0.0, 0.0, 1e-2])));
    check_step(&same, 49, Vector([0.0, 0.0, -2e-2]), 0.5);
}

/// Grids beside each other in one plane, which slide towards each other, past each other, and apart.
#[test]
fn plates_in_one_plane_stop_in_time() {
    let surface = joined(plate(7, Vector::ZERO), plate(5, Vector([1.1, 0.1, 0.0])));
    check_step(&surface, 49, Vector([-0.2, 0.0, 0.0]), 0.5);
    check_step(&surface, 49, Vector([-0.2, 0.3, 0.0]), 0.5);
    check_step(&surface, 49, Vector([0.0, 0.7, 0.0]), 2.0);
    check_step(&surface, 49, Vector([0.5, 0.0, 0.0]), 2.0);
}

#[test]
fn cubes_face_to_face_stop_in_time() {
    let corner = |k: u32| Vector([f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2 & 1)]);
    let faces = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    let cube = |offset: Vector<3>| ((0..8).map(|k| corner(k) + offset).collect(), faces.clone());
    let surface = joined(cube(Vector::ZERO), cube(Vector([0.0, 0.0, 1.01])));
    check_step(&surface, 8, Vector([0.0, 0.0, -0.02]), 0.5);
    check_step(&surface, 8, Vector([0.4, 0.0, -0.02]), 0.5);
    check_step(&surface, 8, Vector([0.4, 0.3, 0.0]), 2.0);
}

/// What is kept is a part of the distance, but no more than asked for, one by one and all together.
#[test]
fn no_more_is_kept_than_asked_for() {
    let x = [[0.0, 0.0], [1.0, 0.0], [0.4, 0.5], [0.4, 1.5], [0.6, 0.02], [0.6, 1.5]].map(Vector).to_vec();
    let surface = Surface::new(x.clone(), vec![[0, 1], [2, 3], [4, 5]], vec![]).unwrap();
    let down = Vector([0.0, -1.0]);
    let gap_after = |ccd: &Ccd, mover: usize| {
        let mut end = x.clone();
        end[mover] += down;
        end[mover + 1] += down;
        let all = BroadPhaseKind::BruteForce.candidates(&surface, &x, &end, 0.0);
        let pair = Candidates { ve: vec![(mover as u32, 0)], ..Candidates::default() };
        let step = ccd.largest_step(&surface, &all, &x, &end).unwrap();
        assert!((step - ccd.largest_step(&surface, &pair, &x, &end).unwrap()).abs() < 1e-4);
        let query = Query::VertexEdge([x[mover], x[0], x[1]], [end[mover], x[0], x[1]]);
        assert!((step - ccd.largest_step_of(&query)).abs() < 1e-4);
        (x[mover] + down * step)[1]
    };
    for kind in CcdKind::ALL {
        let ccd = Ccd::new(kind).with_keep(0.2).unwrap().with_most_kept(1e-3).unwrap();
        assert!((gap_after(&ccd, 2) - 1e-3).abs() < 1e-5, "{}", gap_after(&ccd, 2));
        assert!((gap_after(&ccd, 4) - 1e-3).abs() < 1e-5);
        let less = ccd.with_most_kept(0.1).unwrap();
        assert!((gap_after(&less, 4) - 0.004).abs() < 1e-4);
        let xi = ccd.with_min_distance(0.01).unwrap();
        assert!((gap_after(&xi, 4) - 0.011).abs() < 1e-4);
    }
    assert!(Ccd::default().with_most_kept(0.0).is_err() && Ccd::default().with_most_kept(f64::NAN).is_err());
}

// --- Bounds that do not look at the motion of each pair ---

#[test]
fn distances_of_vertices_are_those_of_their_pairs() {
    let mut random = Random::new(5);
    for _ in 0..200 {
        let x = random.points::<3, 7>(0.5);
        let surface = Surface::new(x.to_vec(), vec![], vec![[0, 1, 2], [3, 4, 5]]).unwrap();
        let near = Candidates { vf: vec![(3, 0), (4, 0)], ..Candidates::default() };
        let found = stiction::ccd::vertex_distances(&surface, &near, &x).unwrap();
        let [a, b] = [3, 4].map(|v| closest::vertex_face(x[v], [x[0], x[1], x[2]]).1.sqrt());
        for (v, wanted) in [(0, a.min(b)), (1, a.min(b)), (3, a), (4, b)] {
            assert!(found[v] <= wanted && found[v] > wanted - 1e-13, "{} {wanted}", found[v]);
        }
        assert!(found[5] == f64::INFINITY && found[6] == f64::INFINITY);
    }
    let x = [Vector([0.0, 0.0]), Vector([1.0, 0.0])];
    let surface = Surface::new(x.to_vec(), vec![[0, 1]], vec![]).unwrap();
    let unknown = Candidates { ve: vec![(0, 7)], ..Candidates::default() };
    assert!(stiction::ccd::vertex_distances(&surface, &unknown, &x).is_err());
}

/// Moves every vertex by up to its safe distance: nothing may cross.
#[test]
fn safe_distances_are_safe() {
    let mut random = Random::new(17);
    let (mut moved, inflation) = (0, 0.2);
    while moved < 2000 {
        let x = random.points::<3, 6>(0.5);
        let surface = Surface::new(x.to_vec(), vec![], vec![[0, 1, 2], [3, 4, 5]]).unwrap();
        if CHECK.any(&surface, &x).unwrap() {
            continue;
        }
        let near = BroadPhaseKind::default().candidates(&surface, &x, &x, inflation);
        let xi = if moved % 2 == 0 { 0.0 } else { 1e-2 };
        let ccd = Ccd::default().with_min_distance(xi).unwrap();
        let safe = ccd.safe_distances(&surface, &near, &x, inflation).unwrap();
        assert!(safe.iter().all(|r| *r >= 0.0 && *r <= inflation));
        let end: Vec<_> =
            (0..6).map(|i| x[i] + random.points::<3, 1>(1.0)[0].normalized() * safe[i]).collect();
        assert!(!CHECK.any(&surface, &end).unwrap());
        let all = BroadPhaseKind::BruteForce.candidates(&surface, &x, &end, xi);
        let far = safe.iter().all(|r| *r > 0.0);
        assert!(!far || ccd.is_free(&surface, &all, &x, &end).unwrap());
        moved += 1;
    }
}

/// ipctk 1.6.1 takes the fastest vertex among those of candidates only: it answers 1 here, and the vertex
/// passes the face.
#[test]
fn fast_vertices_far_from_everything_bound_the_step() {
    let x: Vec<_> = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.2, 0.2, 1.0],
        [0.3, 0.2, 1.0],
        [0.2, 0.3, 1.1],
    ]
    .map(Vector)
    .to_vec();
    let surface = Surface::new(x.clone(), vec![], vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let end: Vec<_> = (0..6).map(|i| if i < 3 { x[i] } else { x[i] + Vector([0.0, 0.0, -2.0]) }).collect();
    let inflation = 1e-2;
    let near = BroadPhaseKind::default().candidates(&surface, &x, &x, inflation);
    assert!(near.vf.is_empty() && near.ee.is_empty(), "nothing is near at first");
    let all = BroadPhaseKind::default().candidates(&surface, &x, &end, 0.0);
    for kind in CcdKind::ALL {
        let ccd = Ccd::new(kind);
        let full = ccd.largest_step(&surface, &all, &x, &end).unwrap();
        let step = ccd
            .courant_step(
                &MovingSurface::new(&surface, &x, &end),
                &near,
                inflation,
                BroadPhaseKind::default(),
            )
            .unwrap();
        assert_eq!(step, full, "too fast for the cheap bound: the whole motion is looked at");
        assert!(step < 0.5 && step > 0.4);
        // Slow enough for the cheap bound, which then must hold.
        let slow: Vec<_> = x.iter().zip(&end).map(|(x, y)| *x * 0.992 + *y * 0.008).collect();
        let step = ccd
            .courant_step(
                &MovingSurface::new(&surface, &x, &slow),
                &near,
                inflation,
                BroadPhaseKind::default(),
            )
            .unwrap();
        assert!((0.56..=0.57).contains(&step), "{step}");
    }
}

// --- Obstacles ---

fn distance_of_face(obstacle: &Obstacle<3>, x: &[Vector<3>]) -> f64 {
    let face = [x[0], x[1], x[2]];
    match obstacle {
        Obstacle::Sphere(sphere) => closest::vertex_face(sphere.center(), face).1.sqrt() - sphere.radius(),
        Obstacle::Cylinder(c) => {
            let far = c.axis() * 100.0;
            let axis = [c.point() - far, c.point() + far];
            let edges =
                [[0, 1], [1, 2], [2, 0]].map(|[i, j]| closest::edge_edge([x[i], x[j]], axis).1.sqrt());
            let least = edges.into_iter().fold(f64::INFINITY, f64::min) - c.radius();
            // A line that is close to no edge may go through the inside: it then passes all edges on the same hand.
            let hands = [[0, 1], [1, 2], [2, 0]]
                .map(|[i, j]| c.axis().dot(cross(x[i] - c.point(), x[j] - c.point())).signum());
            if hands[0] == hands[1] && hands[1] == hands[2] { -c.radius() } else { least }
        }
        _ => x.iter().map(|x| obstacle.distance(*x)).fold(f64::INFINITY, f64::min),
    }
}

/// A triangle and an obstacle, both moving: at the end of the step the distance has fallen to the part that
/// is kept, and nowhere before.
fn check_obstacle(kind: CcdKind, xi: f64, seed: u64, make: impl Fn(&mut Random) -> Obstacle<3>) {
    let (mut random, mut held, mut free, mut count) = (Random::new(seed), 0, 0, 0);
    let ccd = Ccd::new(kind).with_min_distance(xi).unwrap();
    while count < 500 {
        let obstacle = make(&mut random);
        let (x, y, [p]) =
            (random.points::<3, 3>(1.0), random.points::<3, 3>(1.0), random.points::<3, 1>(0.5));
        let surface = Surface::new(x.to_vec(), vec![], vec![[0, 1, 2]]).unwrap();
        let distance = |t: f64| {
            let at: Vec<_> = (0..3).map(|i| x[i] * (1.0 - t) + y[i] * t).collect();
            distance_of_face(&obstacle.moved(p * t), &at)
        };
        if distance(0.0) <= xi + 1e-3 {
            assert!(
                distance(0.0) > xi
                    || ccd.obstacle_step(&obstacle, p, &MovingSurface::new(&surface, &x, &y)).unwrap() == 0.0
            );
            continue;
        }
        count += 1;
        let t = ccd.obstacle_step(&obstacle, p, &MovingSurface::new(&surface, &x, &y)).unwrap();
        let kept = xi + ccd.keep() * (distance(0.0) - xi);
        let samples = |t: f64| (0..=200).map(move |k| t * f64::from(k) / 200.0).map(distance);
        assert!(samples(t).all(|d| d > kept - 1e-9), "{obstacle:?}");
        let room = distance(t) - kept;
        assert!(t == 1.0 || room < 0.1 * (distance(0.0) - xi), "{obstacle:?} {t} {room}");
        let is_free = ccd.is_free_of_obstacle(&obstacle, p, &MovingSurface::new(&surface, &x, &y)).unwrap();
        assert!(!is_free || samples(1.0).all(|d| d > xi));
        assert!(is_free || samples(1.0).any(|d| d < xi + 1e-2));
        held += u32::from(t < 1.0);
        free += u32::from(is_free);
    }
    assert!(held > 50 && free > 50, "{held} {free}");
}

#[test]
fn obstacles_are_not_entered() {
    for kind in CcdKind::ALL {
        for xi in [0.0, 1e-2] {
            check_obstacle(kind, xi, 3, |random| {
                let [point, normal] = random.points::<3, 2>(1.0);
                Obstacle::Plane(Plane::new(point - normal, normal).unwrap())
            });
            check_obstacle(kind, xi, 4, |random| {
                let [center] = random.points::<3, 1>(1.0);
                Obstacle::Sphere(Sphere::new(center, random.between(0.05, 0.5)).unwrap())
            });
            check_obstacle(kind, xi, 5, |random| {
                let [point, axis] = random.points::<3, 2>(1.0);
                Obstacle::Cylinder(Cylinder::new(point, axis, random.between(0.05, 0.5)).unwrap())
            });
        }
    }
}

/// A cylinder through the inside of a face, far from its edges; and one whose axis is given by a point far away.
#[test]
fn cylinders_are_seen_where_they_are() {
    let x: Vec<_> = [[-10.0, -10.0, 0.0], [10.0, -10.0, 0.0], [0.0, 10.0, 0.0]].map(Vector).to_vec();
    let surface = Surface::new(x.clone(), vec![], vec![[0, 1, 2]]).unwrap();
    let up = Vector([0.0, 0.0, 1.0]);
    let through = Obstacle::Cylinder(Cylinder::new(Vector::ZERO, up, 0.1).unwrap());
    let particle = vec![Vector([0.5e-9, 0.0, 0.3])];
    let alone = Surface::new(particle.clone(), vec![], vec![]).unwrap().with_loose_vertices(vec![0]).unwrap();
    let from_afar = Obstacle::Cylinder(Cylinder::new(Vector([0.0, 0.0, 1e9]), up, 1e-9).unwrap());
    for kind in CcdKind::ALL {
        let ccd = Ccd::new(kind);
        for p in [Vector::ZERO, Vector([1.0, 0.0, 0.0])] {
            assert_eq!(ccd.obstacle_step(&through, p, &MovingSurface::new(&surface, &x, &x)).unwrap(), 0.0);
            assert!(!ccd.is_free_of_obstacle(&through, p, &MovingSurface::new(&surface, &x, &x)).unwrap());
        }
        assert_eq!(
            ccd.obstacle_step(&from_afar, Vector::ZERO, &MovingSurface::new(&alone, &particle, &particle))
                .unwrap(),
            0.0
        );
    }
}

#[test]
fn loose_primitives_and_discs_are_not_entered() {
    let x: Vec<_> = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.5]].map(Vector).to_vec();
    let surface =
        Surface::new(x.clone(), vec![[0, 1]], vec![]).unwrap().with_loose_vertices(vec![2]).unwrap();
    let down = Vector([0.0, 0.0, -2.0]);
    let sphere = Obstacle::Sphere(Sphere::new(Vector([0.5, 0.0, 2.0]), 0.5).unwrap());
    let pipe =
        Obstacle::Cylinder(Cylinder::new(Vector([0.5, 0.0, 2.0]), Vector([0.0, 3.0, 0.0]), 0.5).unwrap());
    let disc = Obstacle::Sphere(Sphere::new(Vector([0.5, 2.0]), 0.5).unwrap());
    let flat: Vec<_> = [[0.0, 0.0], [1.0, 0.0]].map(Vector).to_vec();
    let segment = Surface::new(flat.clone(), vec![[0, 1]], vec![]).unwrap();
    for kind in CcdKind::ALL {
        let ccd = Ccd::new(kind);
        for obstacle in [&sphere, &pipe] {
            // 1 m above the particle, falling by 2 m.
            let t = ccd.obstacle_step(obstacle, down, &MovingSurface::new(&surface, &x, &x)).unwrap();
            assert!(t <= 0.45 + 1e-9 && t > 0.44, "{kind}: {t}");
        }
        let t = ccd
            .obstacle_step(&disc, Vector([0.0, -3.0]), &MovingSurface::new(&segment, &flat, &flat))
            .unwrap();
        assert!(t <= 0.45 + 1e-9 && t > 0.44, "{kind}: {t}");
        assert!(
            ccd.obstacle_step(&disc, Vector([0.0, f64::NAN]), &MovingSurface::new(&segment, &flat, &flat))
                .is_err()
        );
        assert_eq!(
            ccd.obstacle_step(&disc, Vector([0.0, 3.0]), &MovingSurface::new(&segment, &flat, &flat))
                .unwrap(),
            1.0
        );
    }
}

#[test]
fn particles_are_in_contact_with_everything() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.05, 0.0], [0.5, 0.13, 0.0], [5.0, 0.0, 0.0]];
    let x: Vec<_> = points.map(Vector).to_vec();
    let surface = Surface::new(x.clone(), vec![[0, 1]], vec![]).unwrap();
    let surface = surface.with_loose_vertices(vec![2, 3, 4]).unwrap();
    let candidates = BroadPhaseKind::default().candidates(&surface, &x, &x, 0.05);
    let contacts = Contacts::build(&surface, &candidates, &[], &x, &Selection::within(0.1));
    assert_eq!(contacts.vv.iter().map(|c| c.stencil.0).collect::<Vec<_>>(), [[2, 3]]);
    assert_eq!(contacts.ve.iter().map(|c| c.stencil.0).collect::<Vec<_>>(), [[2, 0, 1]]);
}

/// ipctk 1.6.1 finds contacts with planes only below half of d̂.
#[test]
fn contact_with_a_plane_begins_at_dhat() {
    let (dhat, x) = (0.1, vec![Vector([0.0, 0.0]), Vector([1.0, 1.0])]);
    let surface = Surface::new(x.clone(), vec![[0, 1]], vec![]).unwrap();
    for (gap, count) in [(0.25, 1), (0.5, 1), (0.75, 1), (0.999, 1), (1.001, 0)] {
        let plane = Plane::new(Vector([0.0, -gap * dhat]), Vector([0.0, 1.0])).unwrap();
        let contacts = Contacts::build(
            &surface,
            &Candidates::default(),
            &[Obstacle::Plane(plane)],
            &x,
            &Selection::within(dhat),
        );
        assert_eq!(contacts.obstacle.len(), count, "{gap} of dhat");
    }
}

#[test]
fn bad_input_names_the_place() {
    let x: Vec<_> = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 1.0]].map(Vector).to_vec();
    let surface = Surface::new(x.clone(), vec![[0, 3]], vec![[0, 1, 2]]).unwrap();
    let (ccd, none) = (Ccd::default(), Candidates::default());
    let mut bad = x.clone();
    bad[3][1] = f64::NAN;
    let message = |candidates: &Candidates, start: &[Vector<3>], end: &[Vector<3>]| {
        let step = ccd.largest_step(&surface, candidates, start, end).unwrap_err().to_string();
        assert_eq!(ccd.is_free(&surface, candidates, start, end).unwrap_err().to_string(), step);
        step
    };
    assert!(message(&none, &bad, &x).contains("vertex 3 is not finite"));
    assert!(message(&none, &x, &bad).contains("vertex 3 is not finite"));
    assert!(message(&none, &x, &x[..2]).contains("2 entries, expected 4"));
    let unknown = Candidates { vf: vec![(3, 0), (3, 9)], ..Candidates::default() };
    assert!(message(&unknown, &x, &x).contains("vertex-face candidate 1 names 3 and 9"));
    for inflation in [-1.0, f64::NAN] {
        assert!(ccd.safe_distances(&surface, &none, &x, inflation).is_err());
        assert!(
            ccd.courant_step(
                &MovingSurface::new(&surface, &x, &x),
                &none,
                inflation,
                BroadPhaseKind::default()
            )
            .is_err()
        );
    }
    assert!(ccd.safe_distances(&surface, &none, &bad, 1.0).is_err());
    // Candidates of less than the minimum distance tell nothing of other pairs.
    let wide = ccd.with_min_distance(1.0).unwrap();
    assert_eq!(
        wide.courant_step(&MovingSurface::new(&surface, &x, &x), &none, 0.1, BroadPhaseKind::default())
            .unwrap(),
        0.0
    );
    let message = ccd.is_motion_free(&surface, &x, &bad, BroadPhaseKind::Bvh).unwrap_err().to_string();
    assert!(message.contains("vertex 3 is not finite"));
}

/// Plates that turn together close above each other: no direction separates them for long.
#[test]
fn turning_plates_are_free() {
    for gap in [1e-3, 1e-5, 1e-7] {
        let surface = joined(plate(7, Vector::ZERO), plate(7, Vector([0.0, 0.0, gap])));
        let (sin, cos) = 0.5_f64.sin_cos();
        let turn = |x: &Vector<3>| Vector([cos * x[0] + sin * x[2], x[1], cos * x[2] - sin * x[0]]);
        let (start, end) = (surface.rest(), surface.rest().iter().map(turn).collect::<Vec<_>>());
        let candidates = BroadPhaseKind::default().candidates(&surface, start, &end, 0.0);
        for kind in CcdKind::ALL {
            let ccd = Ccd::new(kind);
            assert_eq!(ccd.largest_step(&surface, &candidates, start, &end).unwrap(), 1.0, "{kind}, {gap}");
            assert!(ccd.is_free(&surface, &candidates, start, &end).unwrap(), "{kind}, {gap}");
        }
    }
}

/// The cross product of these edges has a square with few digits; they are closer than the minimum distance.
#[test]
fn directions_without_digits_separate_nothing() {
    let half = 1.6455e-162;
    let x = [[-0.3716, 0.0, 1.0], [0.3716, 0.0, 1.0], [0.0, -half, 0.0], [0.0, half, 0.0]].map(Vector);
    let point = [Vector([0.0, 0.0, 1.0]), Vector([0.0, 0.0, 0.0]), Vector([1e-200, 0.0, 0.0])];
    for kind in CcdKind::ALL {
        let ccd = Ccd::new(kind).with_min_distance(1.1).unwrap();
        assert_eq!(ccd.largest_step_of(&Query::EdgeEdge(x, x)), 0.0);
        assert_eq!(ccd.largest_step_of(&Query::VertexEdge(point, point)), 0.0);
    }
}

// --- Many pairs: most are settled by a sample, a quick test and the order of looking ---

/// Two uneven sheets above each other, the upper one moved by about `push`, each vertex a little differently.
fn sheets(random: &mut Random, push: Vector<3>) -> (Surface<3>, Vec<Vector<3>>) {
    let (lower, upper) = (plate(30, Vector::ZERO), plate(30, Vector([0.01, 0.02, 0.02])));
    let bumpy = |(x, faces): (Vec<Vector<3>>, Vec<[u32; 3]>), random: &mut Random| {
        let bump = |x: Vector<3>| x + Vector([0.0, 0.0, 0.1 * (5.0 * x[0]).sin() * (4.0 * x[1]).cos()]);
        (x.into_iter().map(|x| bump(x) + random.points::<3, 1>(2e-3)[0]).collect::<Vec<_>>(), faces)
    };
    let surface = joined(bumpy(lower, random), bumpy(upper, random));
    let half = surface.rest().len() / 2;
    let moved = |(v, x): (usize, &Vector<3>)| {
        let shake = random.points::<3, 1>(2e-3)[0];
        if v < half { *x + shake } else { *x + push + shake }
    };
    let end = surface.rest().iter().enumerate().map(moved).collect();
    (surface, end)
}

/// The candidates in pieces that are too small for a sample.
fn pieces(all: &Candidates) -> Vec<Candidates> {
    let none = Candidates::default;
    let ee = all.ee.chunks(2000).map(|ee| Candidates { ee: ee.to_vec(), ..none() });
    ee.chain(all.vf.chunks(2000).map(|vf| Candidates { vf: vf.to_vec(), ..none() })).collect()
}

#[test]
fn many_pairs_are_as_safe_as_each() {
    let mut random = Random::new(23);
    for (push, touches) in [([0.01, 0.0, -0.06], true), ([0.3, 0.1, -0.04], true), ([0.0, 0.0, 0.05], false)]
    {
        let (surface, end) = sheets(&mut random, Vector(push));
        let start = surface.rest();
        let all = BroadPhaseKind::default().candidates(&surface, start, &end, 0.0);
        assert!(all.len() > 5000, "enough for a sample: {}", all.len());
        for (kind, xi) in
            [(CcdKind::Additive, 0.0), (CcdKind::TightInclusion, 0.0), (CcdKind::Additive, 1e-3)]
        {
            let ccd = Ccd::new(kind).with_min_distance(xi).unwrap();
            let step = |c: &Candidates, ccd: &Ccd| ccd.largest_step(&surface, c, start, &end).unwrap();
            let t = step(&all, &ccd);
            assert_eq!(t < 1.0, touches);
            assert_eq!(ccd.is_free(&surface, &all, start, &end).unwrap(), !touches);
            // Pieces keep a part of their own smallest distance, which is not smaller than that of all.
            let kept = pieces(&all).iter().map(|c| step(c, &ccd)).fold(1.0, f64::min);
            let almost_touching = ccd.with_keep(1e-6).unwrap();
            let bound = pieces(&all).iter().map(|c| step(c, &almost_touching)).fold(1.0, f64::min);
            assert!(t >= 0.99 * kept && t <= bound, "{kind}: {t} of {kept} to {bound}");
            for sample in 0..=10 {
                let at = |(x, y): (&Vector<3>, &Vector<3>)| *x + (*y - *x) * (t * f64::from(sample) / 10.0);
                let x: Vec<_> = start.iter().zip(&end).map(at).collect();
                assert!(!CHECK.any(&surface, &x).unwrap());
            }
        }
    }
}

/// One vertex among thousands that rest is pushed through the other sheet: few pairs touch, and most samples
/// have none of them.
#[test]
fn the_only_pair_that_touches_is_found() {
    let mut random = Random::new(24);
    let (surface, _) = sheets(&mut random, Vector::ZERO);
    let start = surface.rest();
    let half = start.len() / 2;
    for k in 0..100 {
        let v = half + 37 * k % half;
        let mut end = start.to_vec();
        end[v] += Vector([0.0, 0.0, -0.06]);
        let all = BroadPhaseKind::default().candidates(&surface, start, &end, 5e-3);
        assert!(all.len() > 5000, "enough for a sample: {}", all.len());
        for kind in CcdKind::ALL {
            let ccd = Ccd::new(kind);
            let step = |c: &Candidates, ccd: &Ccd| ccd.largest_step(&surface, c, start, &end).unwrap();
            let t = step(&all, &ccd);
            let almost_touching = ccd.with_keep(1e-6).unwrap();
            let bound = pieces(&all).iter().map(|c| step(c, &almost_touching)).fold(1.0, f64::min);
            assert!(bound < 1.0 && t <= bound && t > 0.8 * bound, "{kind}: {t} of {bound}");
            assert!(!ccd.is_free(&surface, &all, start, &end).unwrap());
            assert!(!ccd.is_motion_free(&surface, start, &end, BroadPhaseKind::Bvh).unwrap());
        }
    }
}
