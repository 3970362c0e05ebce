//! Every broad phase against brute force: the same candidates in the same order.

use crate::support::Random;
use stiction::broad_phase::{Aabb, BroadPhaseKind, Candidates, Nearby, Primitive};
use stiction::math::Vector;
use stiction::mesh::{Filter, MovingSurface, Surface, VertexFilter};

/// How the places and sizes of random triangles are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Spread {
    Even,
    Clustered,
    Flat,
    HugeAndTiny,
    OnePlace,
    /// A few are so far away that the others seem to be in one place.
    FarAway,
    /// All boxes are identical.
    Stacked,
}

const SPREADS: [Spread; 7] = [
    Spread::Even,
    Spread::Clustered,
    Spread::Flat,
    Spread::HugeAndTiny,
    Spread::OnePlace,
    Spread::FarAway,
    Spread::Stacked,
];

fn triangles<const D: usize>(count: u32, spread: Spread, random: &mut Random) -> Vec<Vector<D>> {
    let mut x = Vec::new();
    for k in 0..count {
        let (place, size) = match spread {
            Spread::Even => (random.points::<D, 1>(1.0)[0], 0.25),
            Spread::Clustered => (random.points::<D, 1>(1.0)[0] * random.between(0.0, 1.0).powi(6), 0.03),
            Spread::Flat => {
                let mut place = random.points::<D, 1>(1.0)[0];
                place[1] = 0.0;
                (place, 0.1)
            }
            Spread::HugeAndTiny => (random.points::<D, 1>(1.0)[0], 10_f64.powf(random.between(-6.0, 0.5))),
            Spread::OnePlace => (Vector([3.0; D]), 1e-3),
            Spread::FarAway if k % 50 == 7 => (random.points::<D, 1>(1e12)[0], 1e-3),
            Spread::FarAway => (random.points::<D, 1>(1e-2)[0], 2e-3),
            Spread::Stacked => (Vector::ZERO, 0.0),
        };
        if spread == Spread::Stacked {
            x.extend([Vector([0.0; D]), Vector([1.0; D]), Vector::axis(0)]);
        } else {
            x.extend(random.points::<D, 3>(size).map(|corner| place + corner));
        }
    }
    x
}

/// Triangles, of which every fifth is a loose edge and a loose vertex instead; in 2D only their edges.
fn surface<const D: usize>(x: &[Vector<D>], filter: bool) -> Surface<D> {
    let corners = (0..x.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
    let (loose, faces): (Vec<[u32; 3]>, Vec<[u32; 3]>) = corners.partition(|corners| corners[0] % 5 == 0);
    let mut edges: Vec<[u32; 2]> = loose.iter().map(|&[a, b, _]| [a, b]).collect();
    if D == 2 {
        edges.extend(faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]));
    }
    let surface = Surface::new(x.to_vec(), edges, if D == 2 { vec![] } else { faces }).unwrap();
    let surface = surface.with_loose_vertices(loose.iter().map(|corners| corners[2]).collect()).unwrap();
    let half: Vec<u32> = (0..x.len() as u32 / 2).collect();
    if filter { surface.with_filter(Filter::fixed(&half)).unwrap() } else { surface }
}

fn compare<const D: usize>() {
    let mut random = Random::new(D as u64);
    let mut kinds = [0; 2];
    for spread in SPREADS {
        for count in [0, 1, 2, 3, 5, 40, 150] {
            let x = triangles::<D>(count, spread, &mut random);
            let end: Vec<_> = x.iter().map(|x| *x + random.points::<D, 1>(0.1)[0]).collect();
            for filter in [false, true] {
                let surface = surface(&x, filter);
                for (end, inflation) in [(&x, 0.0), (&x, 0.05), (&end, 0.0), (&end, 0.01)] {
                    let exact = by_hand(&surface, &x, end, inflation);
                    for kind in BroadPhaseKind::ALL {
                        let found = kind.candidates(&surface, &x, end, inflation);
                        let scene = format!("{spread:?}, {count} triangles in {D}D, inflation {inflation}");
                        assert_eq!(exact, found, "{kind}: {scene}, filter {filter}");
                    }
                    if count == 150 && inflation > 0.0 {
                        assert!(exact.ve.len() + exact.ee.len() > 100, "{spread:?} has no candidates");
                    }
                    kinds = [kinds[0] + exact.vv.len(), kinds[1] + exact.ve.len()];
                }
            }
        }
    }
    assert!(kinds[0] > 1000 && kinds[1] > 1000, "pairs of loose ones: {kinds:?}");
}

/// The candidates by their definition.
fn by_hand<const D: usize>(
    surface: &Surface<D>,
    x: &[Vector<D>],
    end: &[Vector<D>],
    inflation: f64,
) -> Candidates {
    let meet = |a: &[u32], b: &[u32]| {
        let around =
            |p: &[u32]| Aabb::around(p.iter().flat_map(|&v| [x[v as usize], end[v as usize]]), inflation);
        around(a).meets(&around(b))
            && !a.iter().any(|v| b.contains(v))
            && surface.filter().is_none_or(|filter| filter.allows(a, b))
    };
    let (vertices, loose) = (surface.vertices(), surface.loose_vertices());
    let edges: Vec<_> = (0..).zip(surface.edges()).collect();
    let faces: Vec<_> = (0..).zip(surface.faces()).collect();
    let mut out = Candidates::default();
    for (k, &v) in loose.iter().enumerate() {
        out.vv.extend(loose[k + 1..].iter().filter(|w| meet(&[v], &[**w])).map(|w| (v, *w)));
    }
    for &v in if D == 2 { vertices } else { loose } {
        let open = |e: u32| D == 2 || surface.loose_edges().contains(&e);
        let met = edges.iter().filter(|(e, edge)| open(*e) && meet(&[v], *edge));
        out.ve.extend(met.map(|(e, _)| (v, *e)));
    }
    if D == 3 {
        for &(e, edge) in &edges {
            let met = edges[e as usize + 1..].iter().filter(|(_, other)| meet(edge, *other));
            out.ee.extend(met.map(|(f, _)| (e, *f)));
        }
        for &v in vertices {
            out.vf.extend(faces.iter().filter(|(_, face)| meet(&[v], *face)).map(|(f, _)| (v, *f)));
        }
    }
    out
}

/// Pairs of any two kinds by their definition: both lists of primitives, and whether they are the same list.
fn pairs_by_hand(
    surface: &Surface<3>,
    x: &[Vector<3>],
    (first, second): (&[Vec<u32>], &[Vec<u32>]),
    numbers: (&[u32], &[u32]),
    same: bool,
) -> Vec<(u32, u32)> {
    let around = |p: &[u32]| Aabb::around(p.iter().map(|&v| x[v as usize]), 0.05);
    let meet = |a: &[u32], b: &[u32]| {
        around(a).meets(&around(b))
            && !a.iter().any(|v| b.contains(v))
            && surface.filter().is_none_or(|filter| filter.allows(a, b))
    };
    let mut out = Vec::new();
    for (i, a) in first.iter().enumerate() {
        for (j, b) in second.iter().enumerate().skip(if same { i + 1 } else { 0 }) {
            if meet(a, b) {
                out.push((numbers.0[i], numbers.1[j]));
            }
        }
    }
    out
}

#[test]
fn all_pairs_of_two_kinds() {
    let mut random = Random::new(11);
    for filter in [false, true] {
        let x = triangles::<3>(60, Spread::Even, &mut random);
        let surface = surface(&x, filter);
        let lists = [
            (Primitive::Vertex, surface.vertices().iter().map(|v| vec![*v]).collect::<Vec<_>>()),
            (Primitive::Edge, surface.edges().iter().map(|e| e.to_vec()).collect()),
            (Primitive::Face, surface.faces().iter().map(|f| f.to_vec()).collect()),
        ];
        for (p, first) in &lists {
            for (q, second) in &lists {
                let number = |kind: &Primitive, count: usize| match kind {
                    Primitive::Vertex => surface.vertices().to_vec(),
                    _ => (0..count as u32).collect::<Vec<_>>(),
                };
                let numbers = (number(p, first.len()), number(q, second.len()));
                let both = (&first[..], &second[..]);
                let exact = pairs_by_hand(&surface, &x, both, (&numbers.0, &numbers.1), p == q);
                assert!(!exact.is_empty(), "{p:?} {q:?}");
                for kind in BroadPhaseKind::ALL {
                    let found = kind.pairs(&MovingSurface::at_rest(&surface, &x), [*p, *q], 0.05).unwrap();
                    assert_eq!(found, exact, "{kind} {p:?} {q:?}");
                }
            }
        }
    }
    let surface = surface(&triangles::<3>(2, Spread::Even, &mut random), false);
    let kinds = [Primitive::Vertex, Primitive::Face];
    assert!(BroadPhaseKind::Bvh.pairs(&MovingSurface::at_rest(&surface, &[]), kinds, 0.1).is_err());
    assert!(
        BroadPhaseKind::Bvh.pairs(&MovingSurface::at_rest(&surface, surface.rest()), kinds, -0.1).is_err()
    );
}

#[test]
fn all_methods_find_what_the_definition_says_in_2d() {
    compare::<2>();
}

#[test]
fn all_methods_find_what_the_definition_says_in_3d() {
    compare::<3>();
}

#[test]
fn edges_with_faces_and_edges_with_edges() {
    let mut random = Random::new(5);
    for spread in SPREADS {
        let (flat, solid) =
            (triangles::<2>(60, spread, &mut random), triangles::<3>(60, spread, &mut random));
        for filter in [false, true] {
            let (flat_surface, solid_surface) = (surface(&flat, filter), surface(&solid, filter));
            let edges = BroadPhaseKind::BruteForce.edge_edges(&flat_surface, &flat);
            let faces = BroadPhaseKind::BruteForce.edge_faces(&solid_surface, &solid);
            assert!(!edges.is_empty() && !faces.is_empty());
            assert!(edges.is_sorted_by(|a, b| a < b) && faces.is_sorted_by(|a, b| a < b));
            let apart = |(e, f): &(u32, u32)| {
                let (edge, face) = (solid_surface.edges()[*e as usize], solid_surface.faces()[*f as usize]);
                edge.iter().all(|v| !face.contains(v))
                    && solid_surface.filter().is_none_or(|filter| filter.allows(&edge, &face))
            };
            assert!(faces.iter().all(apart));
            for kind in BroadPhaseKind::ALL {
                assert_eq!(kind.edge_edges(&flat_surface, &flat), edges, "{kind}: {spread:?}");
                assert_eq!(kind.edge_faces(&solid_surface, &solid), faces, "{kind}: {spread:?}");
            }
        }
    }
}

/// Coordinates whose differences overflow, or that inflation makes infinite.
#[test]
fn nothing_is_lost_where_differences_overflow() {
    let mut random = Random::new(8);
    for scale in [1e300, 1.7e308] {
        for inflation in [0.0, 1e305, 1.7e308] {
            let mut x = triangles::<3>(300, Spread::Even, &mut random);
            let unit = x.clone();
            for (x, unit) in x.iter_mut().zip(&unit) {
                *x = Vector(unit.0.map(|x| x.clamp(-1.0, 1.0) * scale));
            }
            // A part of normal size and a part that is tiny.
            x[300..600].copy_from_slice(&unit[300..600]);
            for (x, unit) in x[600..].iter_mut().zip(&unit[600..]) {
                *x = *unit * 1e-300;
            }
            // The rest shape is of normal size: only positions are extreme.
            let surface = surface(&triangles::<3>(300, Spread::Even, &mut random), false);
            let exact = by_hand(&surface, &x, &x, inflation);
            assert!(exact.ee.len() > 100);
            for kind in BroadPhaseKind::ALL {
                let found = kind.try_candidates(&surface, &x, &x, inflation).unwrap();
                assert_eq!(exact, found, "{kind}: {scale:e}, inflation {inflation:e}");
            }
        }
    }
}

/// Filters name vertices by their numbers in the whole array, not among the loose ones.
#[test]
fn a_filter_on_loose_vertices_removes_the_pair_it_names() {
    let near = |k: u32| Vector([0.01 * f64::from(k), 0.0, 0.0]);
    let x: Vec<_> = [Vector([9.0, 0.0, 0.0]), Vector([9.0, 1.0, 0.0]), Vector([9.0, 0.0, 1.0])]
        .into_iter()
        .chain((3..7).map(near))
        .collect();
    let surface = Surface::new(x.clone(), vec![], vec![[0, 1, 2]]).unwrap();
    let surface = surface.with_loose_vertices(vec![3, 4, 5, 6]).unwrap();
    let only = |pair: [u32; 2]| Filter::Any(VertexFilter::excluding(&[pair]));
    let all = [(3, 4), (3, 5), (3, 6), (4, 5), (4, 6), (5, 6)];
    for kind in BroadPhaseKind::ALL {
        assert_eq!(kind.candidates(&surface, &x, &x, 0.1).vv, all);
        for (a, b) in all {
            let filtered = surface.clone().with_filter(only([a, b])).unwrap();
            let rest: Vec<_> = all.into_iter().filter(|&pair| pair != (a, b)).collect();
            assert_eq!(kind.candidates(&filtered, &x, &x, 0.1).vv, rest, "{kind}: without {a} and {b}");
        }
        let places = surface.clone().with_filter(only([0, 1])).unwrap();
        assert_eq!(kind.candidates(&places, &x, &x, 0.1).vv, all, "{kind}: 0 and 1 are not loose");
    }
}

#[test]
fn bad_input_is_an_error_that_names_the_vertex() {
    let x = triangles::<3>(4, Spread::Even, &mut Random::new(1));
    let surface = surface(&x, false);
    for kind in BroadPhaseKind::ALL {
        let message = |x: &[Vector<3>], end: &[Vector<3>], inflation: f64| {
            kind.try_candidates(&surface, x, end, inflation).unwrap_err().to_string()
        };
        assert!(kind.try_candidates(&surface, &x, &x, 0.1).is_ok());
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut bad = x.clone();
            bad[7][1] = wrong;
            assert!(message(&bad, &x, 0.1).contains("vertex 7 is not finite"));
            assert!(message(&x, &bad, 0.1).contains("vertex 7 is not finite"));
            assert!(message(&x, &x, wrong).contains("inflation"));
        }
        assert!(message(&x, &x, -1e-9).contains("inflation = -1e-9"));
        assert!(message(&x[..5], &x, 0.1).contains("positions has 5 entries, expected 12"));
        assert!(message(&x, &[x.clone(), x.clone()].concat(), 0.1).contains("24 entries"));
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let mut random = Random::new(11);
    let x = triangles::<3>(6000, Spread::Flat, &mut random);
    let end: Vec<_> = x.iter().map(|x| *x + random.points::<3, 1>(0.01)[0]).collect();
    let surface = surface(&x, true);
    let run = |kind: BroadPhaseKind, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (kind.candidates(&surface, &x, &end, 1e-4), kind.edge_faces(&surface, &x)))
    };
    let one = run(BroadPhaseKind::Bvh, 1);
    assert!(one.0.ee.len() > 100_000 && one.0.vf.len() > 10_000 && !one.0.ve.is_empty());
    for kind in BroadPhaseKind::ALL {
        if kind != BroadPhaseKind::BruteForce {
            for threads in [1, 2, 8] {
                assert!(run(kind, threads) == one, "{kind} with {threads} threads finds something else");
            }
        }
    }
}

/// Asks as a solver does: a motion, then the place where it ends; motions of every size, sometimes none, sometimes back.
fn compare_remembered<const D: usize>() {
    let mut random = Random::new(7 + D as u64);
    for spread in SPREADS {
        let rest = triangles::<D>(60, spread, &mut random);
        let surface = surface(&rest, true);
        let (mut nearby, mut x, mut found) = (Nearby::default(), rest.clone(), 0);
        for step in 0..200 {
            let size = if step % 40 < 35 { 1e-4 } else { 10_f64.powf(random.between(-6.0, 0.0)) };
            let drift = random.points::<D, 1>(size)[0];
            let move_by = |x: &Vector<D>| *x + drift + random.points::<D, 1>(0.3 * size)[0];
            let end: Vec<_> = x.iter().map(move_by).collect();
            for (start, end, inflation) in [(&x, &end, 0.0), (&end, &end, 0.01), (&end, &end, 0.01)] {
                let exact = BroadPhaseKind::default().candidates(&surface, start, end, inflation);
                assert_eq!(
                    exact,
                    nearby.candidates(&surface, start, end, inflation),
                    "{spread:?}, step {step}"
                );
                found += exact.len();
            }
            if step % 7 > 0 {
                x = end;
            }
        }
        assert!(found > 1000, "{spread:?} has no candidates");
        assert!(nearby.searches() < 400, "{spread:?}: {} searches for 600 questions", nearby.searches());
    }
}

#[test]
fn a_search_that_remembers_finds_the_same() {
    compare_remembered::<2>();
    compare_remembered::<3>();
}

/// Of the pairs of a long way, those of a part of it and of its end are what a search finds.
fn compare_among<const D: usize>() {
    let mut random = Random::new(11 + D as u64);
    for spread in SPREADS {
        let rest = triangles::<D>(60, spread, &mut random);
        let surface = surface(&rest, true);
        let p: Vec<_> = rest.iter().map(|_| random.points::<D, 1>(0.5)[0]).collect();
        let at = |t: f64| rest.iter().zip(&p).map(|(x, p)| *x + *p * t).collect::<Vec<_>>();
        let search =
            |start: &[_], end: &[_], size| BroadPhaseKind::Bvh.candidates(&surface, start, end, size);
        let mut left = search(&rest, &at(1.0), 0.02);
        for t in [1.0, 0.5, 0.1, 1e-3, 0.0] {
            let end = at(t);
            left = left.among(&surface, &rest, &end, 0.02);
            assert_eq!(left, search(&rest, &end, 0.02), "{spread:?}, t = {t}");
            assert_eq!(
                left.among(&surface, &end, &end, 0.01),
                search(&end, &end, 0.01),
                "{spread:?}, t = {t}"
            );
        }
    }
}

#[test]
fn pairs_of_a_motion_hold_those_of_its_parts() {
    compare_among::<2>();
    compare_among::<3>();
}

/// A solver that went astray asks with what is no number, and then goes on from where it was.
#[test]
fn positions_that_are_no_numbers_are_not_remembered() {
    let x = triangles::<3>(60, Spread::Even, &mut Random::new(3));
    let surface = surface(&x, false);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut nearby = Nearby::new(BroadPhaseKind::Bvh);
        let mut wrong = x.clone();
        wrong[17][1] = bad;
        for step in 0..12 {
            let end: Vec<_> = x.iter().map(|x| *x + Vector([1e-4 * f64::from(step), 0.0, 0.0])).collect();
            if step % 3 == 2 {
                nearby.candidates(&surface, &end, &wrong, 0.01);
                nearby.candidates(&surface, &wrong, &wrong, 0.01);
            }
            let exact = BroadPhaseKind::Bvh.candidates(&surface, &x, &end, 0.01);
            assert_eq!(nearby.candidates(&surface, &x, &end, 0.01), exact, "{bad}, step {step}");
        }
    }
}

#[test]
fn steady_motion_is_searched_once_in_a_few_steps() {
    let x = triangles::<3>(60, Spread::Even, &mut Random::new(1));
    let (surface, mut nearby) = (surface(&x, false), Nearby::new(BroadPhaseKind::Bvh));
    let at = |step: f64| x.iter().map(|x| *x + Vector([1e-3 * step, 0.0, 0.0])).collect::<Vec<_>>();
    for step in 0..100 {
        nearby.candidates(&surface, &at(f64::from(step)), &at(f64::from(step + 1)), 0.0);
        nearby.candidates(&surface, &at(f64::from(step + 1)), &at(f64::from(step + 1)), 0.01);
    }
    assert!(nearby.searches() < 50, "{} searches for 200 questions", nearby.searches());
}

#[test]
fn one_large_question_is_not_remembered() {
    let x = triangles::<3>(60, Spread::Even, &mut Random::new(2));
    let (surface, mut nearby) = (surface(&x, false), Nearby::new(BroadPhaseKind::Bvh));
    let all = nearby.candidates(&surface, &x, &x, 100.0).len();
    let mut end = x.clone();
    for _ in 0..5 {
        for x in &mut end {
            x[0] += 1e-4;
        }
        nearby.candidates(&surface, &end, &end, 1e-3);
        assert!(nearby.kept() > 0 && nearby.kept() < all / 4, "{} of {all} pairs are kept", nearby.kept());
    }
}
