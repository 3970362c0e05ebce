//! Additive collision detection against an exact check of the configurations on the way.

mod support;

use stiction::broad_phase::{BroadPhaseKind, Candidates};
use stiction::ccd::{self, additive::Query, additive::RESCALING};
use stiction::closest;
use stiction::crossing::{crossings, has_crossings};
use stiction::math::Vector;
use stiction::mesh::Surface;
use support::Random;

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
    fn add<const D: usize>(&mut self, surface: &Surface<D>, x: &[Vector<D>], p: &[Vector<D>]) {
        let all = BroadPhaseKind::BruteForce.candidates(surface, x, &advance(x, p, 1.0), 0.0);
        let only = |candidates: Candidates| ccd::largest_step(surface, &candidates, x, p);
        let vf = only(Candidates { vf: all.vf.clone(), ..Candidates::default() });
        let ee = only(Candidates { ee: all.ee.clone(), ..Candidates::default() });
        let ve = only(Candidates { ve: all.ve.clone(), ..Candidates::default() });
        let t = only(all);
        assert_eq!(t, vf.min(ee).min(ve));
        assert!(t > 0.0);
        for sample in 1..=20 {
            let y = advance(x, p, t * f64::from(sample) / 20.0);
            assert_eq!(crossings(surface, &y).unwrap(), [], "sample {sample} of {t} of the motion");
        }
        self.cross_without_bound += usize::from(has_crossings(surface, &advance(x, p, 1.0)).unwrap());
        self.held_by_vf += usize::from(vf < ee.min(1.0));
        self.held_by_ee += usize::from(ee < vf.min(1.0));
        self.held_by_ve += usize::from(ve < 1.0);
        self.free += usize::from(t == 1.0);
    }
}

/// 2000 random motions of a surface that does not cross itself at the start.
fn tally<const D: usize, const N: usize>(edges: &[[u32; 2]], faces: &[[u32; 3]]) -> Tally {
    let (mut random, mut tally, mut count) = (Random::new(D as u64), Tally::default(), 0);
    while count < 2000 {
        let (x, p) = (random.points::<D, N>(0.5), random.points::<D, N>(0.5));
        let surface = Surface::new(x.to_vec(), edges.to_vec(), faces.to_vec()).unwrap();
        if !has_crossings(&surface, &x).unwrap() {
            tally.add(&surface, &x, &p);
            count += 1;
        }
    }
    tally
}

#[test]
fn segments_never_cross() {
    let tally = tally::<2, 4>(&[[0, 1], [2, 3]], &[]);
    assert!(tally.cross_without_bound > 200 && tally.held_by_ve > 200 && tally.free > 200);
}

#[test]
fn triangles_never_cross() {
    let tally = tally::<3, 6>(&[], &[[0, 1, 2], [3, 4, 5]]);
    assert!(tally.cross_without_bound > 200 && tally.free > 200);
    assert!(tally.held_by_vf > 200 && tally.held_by_ee > 200);
}

/// The bound must be at least what the first advance proves, and 1 where the distance, sampled so
/// finely that nothing hides between the samples, never falls to the part that is kept.
fn check_tightness<const D: usize, const N: usize>(
    query: impl Fn([Vector<D>; N], [Vector<D>; N]) -> Query<D>,
    distance_squared: impl Fn(&[Vector<D>]) -> f64,
    split: usize,
) {
    const SAMPLES: u32 = 500;
    let (mut random, mut free, mut held) = (Random::new(N as u64), 0, 0);
    for _ in 0..1000 {
        let (x, p) = (random.points::<D, N>(0.5), random.points::<D, N>(0.5));
        let t = query(x, p).largest_step();
        let mean = p.iter().fold(Vector::ZERO, |sum, v| sum + *v) * (1.0 / N as f64);
        let speed = |part: &[Vector<D>]| part.iter().map(|v| (*v - mean).norm()).fold(0.0, f64::max);
        let approach = speed(&p[..split]) + speed(&p[split..]);
        let distance = |t: f64| distance_squared(&advance(&x, &p, t)).sqrt();
        let proven = (RESCALING * distance(0.0) / approach).min(1.0);
        // Less what the search takes off for rounding.
        assert!(t >= proven - 1e-13 / approach, "{t} but {proven} is safe");
        let samples = (0..=SAMPLES).map(|k| distance(f64::from(k) / f64::from(SAMPLES)));
        let smallest = samples.fold(f64::INFINITY, f64::min) - approach / f64::from(2 * SAMPLES);
        if smallest > (1.0 - RESCALING) * distance(0.0) {
            assert_eq!(t, 1.0, "{x:?} moves freely by {p:?}");
            free += 1;
        }
        held += usize::from(t < 1.0);
    }
    assert!(free > 100 && held > 50, "{free} {held}");
}

#[test]
fn free_motions_are_not_shortened() {
    check_tightness::<2, 3>(Query::VertexEdge, |x| closest::vertex_edge(x[0], x[1], x[2]).1, 1);
    check_tightness::<3, 4>(Query::EdgeEdge, |x| closest::edge_edge([x[0], x[1]], [x[2], x[3]]).1, 2);
    check_tightness::<3, 4>(Query::VertexFace, |x| closest::vertex_face(x[0], [x[1], x[2], x[3]]).1, 1);
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
        for t in [
            Query::EdgeEdge(turned(edges), [still, still, down, down]).largest_step(),
            Query::VertexFace(turned(face), [down, still, still, still]).largest_step(),
        ] {
            // What is safe shrinks by rounding of the positions, about 1e-15, relative to the gap.
            let shortfall = 1e-14 / gap;
            assert!(t < 1.0 / 3.0 && t > 0.29 - shortfall, "{k}: gap {gap:e}, angle {angle:e}: {t}");
        }
    }
}
