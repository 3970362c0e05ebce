//! Collision detection against queries whose truth is known exactly: no false negative, ever.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Random;
use stiction::ccd::{Ccd, CcdKind, Query};
use stiction::closest;
use stiction::math::Vector;

/// Minimum distances to test with, in m.
const MIN_DISTANCES: [f64; 2] = [0.0, 1e-3];

/// What a method said of queries whose truth is known.
#[derive(Default, Debug)]
struct Tally {
    collide: usize,
    false_negatives: usize,
    free: usize,
    false_positives: usize,
}

impl Tally {
    fn add(&mut self, collides: bool, said_free: bool) {
        if collides {
            self.collide += 1;
            self.false_negatives += usize::from(said_free);
        } else {
            self.free += 1;
            self.false_positives += usize::from(!said_free);
        }
    }
}

/// Whether a query is free, by both questions that can be asked; a step to the end must be free.
fn says_free<const D: usize>(ccd: &Ccd, query: &Query<D>) -> bool {
    let (free, step) = (ccd.is_free_of(query), ccd.largest_step_of(query));
    assert!((0.0..=1.0).contains(&step));
    free || step >= 1.0
}

// --- Published queries with exact truth ---

/// The folder of the queries, if it is there.
fn folder() -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ccd-queries");
    shared.is_dir().then_some(shared)
}

/// A fraction of integers whose denominator is a power of two, as a number: exact.
fn fraction(numerator: &str, denominator: &str) -> f64 {
    let (n, d): (i128, i128) = (numerator.parse().unwrap(), denominator.parse().unwrap());
    assert!((n.abs() < 1 << 53) && d > 0 && d.count_ones() == 1, "{n}/{d} is no double");
    n as f64 / d as f64
}

/// The queries of a file: eight points, and whether they collide.
fn read(path: &Path) -> Vec<([Vector<3>; 8], bool)> {
    let text = fs::read_to_string(path).unwrap();
    let rows: Vec<(Vector<3>, bool)> = text
        .lines()
        .map(|line| {
            let c: Vec<&str> = line.split(',').collect();
            let x = Vector([fraction(c[0], c[1]), fraction(c[2], c[3]), fraction(c[4], c[5])]);
            (x, c[6].trim() == "1")
        })
        .collect();
    assert_eq!(rows.len() % 8, 0);
    rows.chunks(8).map(|q| (std::array::from_fn(|i| q[i].0), q[0].1)).collect()
}

fn query(kind: &str, x: &[Vector<3>; 8]) -> Query<3> {
    let (start, end) = ([x[0], x[1], x[2], x[3]], [x[4], x[5], x[6], x[7]]);
    if kind == "edge-edge" { Query::EdgeEdge(start, end) } else { Query::VertexFace(start, end) }
}

/// The smallest distance at 200 times, in m: where it is below the minimum distance, that is not kept.
fn smallest_sample(query: &Query<3>) -> f64 {
    let (Query::EdgeEdge(start, end) | Query::VertexFace(start, end)) = query else { return f64::INFINITY };
    let distance = |t: f64| {
        let x: [Vector<3>; 4] = std::array::from_fn(|i| start[i] * (1.0 - t) + end[i] * t);
        match query {
            Query::EdgeEdge(..) => closest::edge_edge([x[0], x[1]], [x[2], x[3]]).1,
            _ => closest::vertex_face(x[0], [x[1], x[2], x[3]]).1,
        }
    };
    (0..=200).map(|k| distance(f64::from(k) / 200.0)).fold(f64::INFINITY, f64::min).sqrt()
}

#[test]
fn published_queries_have_no_false_negative() {
    let Some(folder) = folder() else {
        println!("skipped: there is no folder ../shared/data/ccd-queries beside the project");
        return;
    };
    let mut scenes: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scenes.retain(|path| path.is_dir());
    scenes.sort();
    for kind in CcdKind::ALL {
        for xi in MIN_DISTANCES {
            let ccd = Ccd::new(kind).with_min_distance(xi).unwrap();
            let mut total = Tally::default();
            for scene in &scenes {
                for pair in ["edge-edge", "vertex-face"] {
                    let mut files: Vec<_> =
                        fs::read_dir(scene.join(pair)).unwrap().map(|f| f.unwrap().path()).collect();
                    files.sort();
                    for (x, truth) in files.iter().flat_map(|file| read(file)) {
                        let query = query(pair, &x);
                        let collides = truth || (xi > 0.0 && smallest_sample(&query) < xi * (1.0 - 1e-9));
                        total.add(collides, says_free(&ccd, &query));
                    }
                }
            }
            println!("{kind}, minimum distance {xi}: {total:?}");
            assert!(total.collide > 300 && total.free > 500, "{total:?}");
            assert_eq!(total.false_negatives, 0, "{kind}, minimum distance {xi}");
        }
    }
}

// --- Generated queries: a touch placed exactly, or a separation proven exactly ---

/// Integer coordinates, exact in every sum and product below.
type Whole = [i64; 3];

fn plus(a: Whole, b: Whole, factor: i64) -> Whole {
    [0, 1, 2].map(|k| a[k] + factor * b[k])
}

fn times(a: Whole, b: Whole) -> i128 {
    (0..3).map(|k| i128::from(a[k]) * i128::from(b[k])).sum()
}

/// Draws queries.
struct Draw(Random);

impl Draw {
    fn whole(&mut self, half: i64) -> i64 {
        self.0.between(-(half as f64), half as f64).round() as i64
    }

    fn point(&mut self, half: i64) -> Whole {
        [self.whole(half), self.whole(half), self.whole(half)]
    }

    /// One of `0..n`.
    fn choice(&mut self, n: i64) -> i64 {
        (self.0.between(0.0, n as f64) as i64).min(n - 1)
    }

    /// One of `0..n`, as an index.
    #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
    fn index(&mut self, n: i64) -> usize {
        self.choice(n) as usize
    }

    /// Two directions that span a primitive: ordinary, nearly parallel, or exactly parallel.
    fn directions(&mut self) -> [Whole; 2] {
        let (u, v) = (self.point(1 << 16), self.point(1 << 16));
        match self.choice(4) {
            0 => [u, plus(u, self.point(1), 1)],
            1 => [u, plus(u, self.point(100), 1)],
            2 if self.choice(8) == 0 => [u, [2 * u[0], 2 * u[1], 2 * u[2]]],
            _ => [u, v],
        }
    }
}

/// A point whose four vertices meet it exactly at one time, with coordinates `a/8` and `b/8` of the pair:
/// vertex-face (v, f₀, f₁, f₂).
fn vertex_on_face(q: Whole, [u, v]: [Whole; 2], (a, b): (i64, i64)) -> [Whole; 4] {
    let first = plus(plus(q, u, -a), v, -b);
    [q, first, plus(first, u, 8), plus(first, v, 8)]
}

/// The same for two edges that meet at `a/8` of the one and `b/8` of the other.
fn edge_on_edge(q: Whole, [u, v]: [Whole; 2], (a, b): (i64, i64)) -> [Whole; 4] {
    [plus(q, u, -a), plus(q, u, 8 - a), plus(q, v, -b), plus(q, v, 8 - b)]
}

/// A query that touches at time `m/2ᵏ`, exactly.
struct Touch {
    start: [Whole; 4],
    end: [Whole; 4],
    face: bool,
    time: f64,
}

impl Draw {
    fn touch(&mut self) -> Touch {
        let face = self.choice(2) == 0;
        let half = if self.choice(4) == 0 { 1 << 30 } else { 1 << 16 };
        let q = self.point(half);
        let directions = self.directions();
        let place = self.place(face);
        let at = if face { vertex_on_face(q, directions, place) } else { edge_on_edge(q, directions, place) };
        let moves = self.moves(directions);
        let k = 1 + self.choice(6);
        let m = 1 + self.choice(1 << k);
        let start = [0, 1, 2, 3].map(|i| plus(at[i], moves[i], -m));
        let end = [0, 1, 2, 3].map(|i| plus(at[i], moves[i], (1 << k) - m));
        Touch { start, end, face, time: m as f64 / (1_i64 << k) as f64 }
    }

    /// Coordinates in eighths, often at an end or a corner.
    fn place(&mut self, face: bool) -> (i64, i64) {
        let a = if self.choice(2) == 0 { 8 * self.choice(2) } else { self.choice(9) };
        let b = if self.choice(2) == 0 { 8 * self.choice(2) } else { self.choice(9) };
        if face && a + b > 8 { (8 - a, 8 - b) } else { (a, b) }
    }

    /// How the vertices move: any way, or almost along the primitives, so that they graze each other.
    fn moves(&mut self, [u, v]: [Whole; 2]) -> [Whole; 4] {
        let common = self.point(1 << 12);
        let (a, b) = (self.choice(5) - 2, self.choice(5) - 2);
        let along = plus(plus([0; 3], u, a), v, b);
        match self.choice(3) {
            0 => [(); 4].map(|()| self.point(1 << 16)),
            1 => [plus(common, along, 1), common, common, common],
            _ => {
                let graze = plus(along, self.point(2), 1);
                [plus(common, graze, 1), common, plus(common, self.point(1), 1), common]
            }
        }
    }

    /// Primitives on two sides of a plane along which they slide: a query that is free, and its normal. The gap is
    /// one to eight times the normal's length.
    fn miss(&mut self) -> (Touch, Whole) {
        let face = self.choice(2) == 0;
        let (u, v) = (self.point(9), self.point(9));
        let normal = [0, 1, 2].map(|k| u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]);
        let half = 1 << (10 + 2 * self.choice(6));
        let lift = 1 + self.choice(8);
        let split = if face { 1 } else { 2 };
        let mut in_plane = |i: usize, half: i64| {
            let point = plus(plus([0; 3], u, self.whole(half)), v, self.whole(half));
            if i < split { plus(point, normal, lift) } else { point }
        };
        let start = [0, 1, 2, 3].map(|i| in_plane(i, half));
        let end = [0, 1, 2, 3].map(|i| in_plane(i, half));
        (Touch { start, end, face, time: f64::INFINITY }, normal)
    }
}

/// Whether the first primitive is above the second along `normal` at both ends: then it is on the whole way.
fn is_separated(query: &Touch, normal: Whole) -> bool {
    let split = if query.face { 1 } else { 2 };
    [query.start, query.end].iter().all(|x| {
        let heights = x.map(|x| times(x, normal));
        heights[..split].iter().min() > heights[split..].iter().max()
    })
}

/// With coordinates of about 1 m.
fn to_query(touch: &Touch) -> Query<3> {
    let scaled = |x: [Whole; 4]| {
        x.map(|x| {
            assert!(x.iter().all(|c| c.abs() < 1 << 53), "no double");
            Vector(x.map(|c| c as f64 / f64::from(1 << 20)))
        })
    };
    let (start, end) = (scaled(touch.start), scaled(touch.end));
    if touch.face { Query::VertexFace(start, end) } else { Query::EdgeEdge(start, end) }
}

/// Directions across whole normals of whole length, and these.
const FRAMES: [([Whole; 2], Whole, i64); 3] = [
    ([[2, -1, 0], [0, 1, -1]], [1, 2, 2], 3),
    ([[3, -2, 0], [0, 2, -1]], [2, 3, 6], 7),
    ([[4, -1, 0], [0, 8, -4]], [1, 4, 8], 9),
];

impl Draw {
    /// Primitives in two parallel planes that are an exact distance apart at a chosen time, before and after
    /// which they are further apart, or as far; and that distance in units.
    fn pass(&mut self) -> (Touch, i64) {
        let ([e, f], normal, length) = FRAMES[self.index(3)];
        let mut along = |half: i64| plus(plus([0; 3], e, self.whole(half)), f, self.whole(half));
        let (directions, q, slide) = ([along(1 << 12), along(1 << 12)], along(1 << 14), along(1 << 12));
        let (face, lift) = (self.choice(2) == 0, 1 + self.choice(40));
        let place = self.place(face);
        let at = if face { vertex_on_face(q, directions, place) } else { edge_on_edge(q, directions, place) };
        let split = if face { 1 } else { 2 };
        let above = [0, 1, 2, 3].map(|i| if i < split { plus(at[i], normal, lift) } else { at[i] });
        // Down and past, or along the plane.
        let sink = -self.choice(3);
        let moves = [0, 1, 2, 3].map(|i| if i < split { plus(slide, normal, sink) } else { [0; 3] });
        let (k, m) = (1 + self.choice(4), 1 + self.choice(2));
        let start = [0, 1, 2, 3].map(|i| plus(above[i], moves[i], -m));
        let end = [0, 1, 2, 3].map(|i| plus(above[i], moves[i], (1 << k) - m));
        (Touch { start, end, face, time: m as f64 / (1_i64 << k) as f64 }, lift * length)
    }
}

/// Distances that are reached exactly, and not proven to be more than they are.
#[test]
fn exact_minimum_distances_are_noticed() {
    let mut draw = Draw(Random::new(4));
    for _ in 0..100_000 {
        let (pass, units) = draw.pass();
        let query = to_query(&pass);
        let distance = units as f64 / f64::from(1 << 20);
        for kind in CcdKind::ALL {
            let ccd = Ccd::new(kind).with_min_distance(distance).unwrap();
            assert!(!ccd.is_free_of(&query), "{kind}: {distance} is reached by {query:?}");
            assert!(ccd.largest_step_of(&query) <= pass.time, "{kind}: beyond {distance} of {query:?}");
        }
    }
}

/// The same touches seen in the plane, where they are touches, too, and of a vertex with an edge or a vertex.
fn smaller_queries(touch: &Touch) -> ([Query<2>; 2], Vec<Query<3>>) {
    let Query::EdgeEdge(start, end) = to_query(touch) else { return ([NOTHING; 2], Vec::new()) };
    let flat = |x: Vector<3>| Vector([x[0], x[1]]);
    let pick = |x: [Vector<3>; 4], i: usize| [x[i], x[2], x[3]];
    let ends = [0, 1].map(|i| Query::VertexEdge(pick(start, i).map(flat), pick(end, i).map(flat)));
    let space = [0, 1].map(|i| Query::VertexEdge(pick(start, i), pick(end, i))).to_vec();
    (ends, space)
}

/// A query that touches nothing.
const NOTHING: Query<2> =
    Query::VertexVertex([Vector([0.0, 0.0]), Vector([1.0, 0.0])], [Vector([0.0, 0.0]), Vector([1.0, 0.0])]);

/// Ends of edges that meet the other edge exactly.
#[test]
fn touches_of_vertices_are_noticed_in_2d_and_3d() {
    let (mut draw, mut seen) = (Draw(Random::new(5)), 0);
    while seen < 50_000 {
        let mut touch = draw.touch();
        touch.face = false;
        let (k, at) = (draw.index(2), touch.time);
        // The end that takes part in the touch, if one does: it is on the other edge at that time.
        // All in 64ths, exactly.
        let late = (64.0 * at) as i128;
        let then = |i: usize| {
            [0, 1, 2]
                .map(|c| i128::from(touch.start[i][c]) * (64 - late) + i128::from(touch.end[i][c]) * late)
        };
        let (p, a, b) = (then(k), then(2), then(3));
        let on_edge = (0..3).all(|c| {
            let d = (c + 1) % 3;
            (p[c] - a[c]) * (b[d] - a[d]) == (p[d] - a[d]) * (b[c] - a[c])
        });
        let between = (0..3).all(|c| p[c] >= a[c].min(b[c]) && p[c] <= a[c].max(b[c]));
        if !(on_edge && between) {
            continue;
        }
        seen += 1;
        let (flat, space) = smaller_queries(&touch);
        for kind in CcdKind::ALL {
            let ccd = Ccd::new(kind);
            assert!(!ccd.is_free_of(&flat[k]) && ccd.largest_step_of(&flat[k]) < at, "{kind}: {:?}", flat[k]);
            assert!(
                !ccd.is_free_of(&space[k]) && ccd.largest_step_of(&space[k]) < at,
                "{kind}: {:?}",
                space[k]
            );
        }
    }
}

#[test]
fn a_million_grazing_queries_have_no_false_negative() {
    let mut draw = Draw(Random::new(2));
    let mut tallies: Vec<(Ccd, Tally)> = CcdKind::ALL
        .into_iter()
        .flat_map(|kind| MIN_DISTANCES.map(|xi| Ccd::new(kind).with_min_distance(xi).unwrap()))
        .map(|ccd| (ccd, Tally::default()))
        .collect();
    for round in 0..1_000_000 {
        if round % 2 == 0 {
            let touch = draw.touch();
            let query = to_query(&touch);
            for (ccd, tally) in &mut tallies {
                tally.add(true, says_free(ccd, &query));
                assert!(
                    ccd.largest_step_of(&query) < touch.time,
                    "{}: beyond the touch of {query:?}",
                    ccd.kind()
                );
            }
        } else {
            let (miss, normal) = draw.miss();
            if is_separated(&miss, normal) {
                let query = to_query(&miss);
                tallies.iter_mut().filter(|(ccd, _)| ccd.min_distance() == 0.0).for_each(|(ccd, tally)| {
                    tally.add(false, says_free(ccd, &query));
                });
            }
        }
    }
    for (ccd, tally) in tallies {
        println!("{}, minimum distance {}: {tally:?}", ccd.kind(), ccd.min_distance());
        assert_eq!(tally.false_negatives, 0, "{}, minimum distance {}", ccd.kind(), ccd.min_distance());
    }
}
