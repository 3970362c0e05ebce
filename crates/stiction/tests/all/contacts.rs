//! Which pairs are contacts and how much each counts, against all pairs by the definitions.

use std::f64::consts::TAU;
use std::time::Instant;

use crate::support::{Census, Random};
use crate::twin::{self, by_key};
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::broad_phase::{BroadPhaseKind, Candidates};
use stiction::closest::{self, EdgePart};
use stiction::contact::{
    AreaShare, ClosePair, ContactSet, Contacts, Selection, WeightSources, Weighting, smallest_distance,
};
use stiction::friction::{Coefficients, Mu, lag};
use stiction::math::Vector;
use stiction::mesh::{Areas, Filter, Mixed, Surface, VertexFilter};
use stiction::obstacle::{Obstacle, Plane, Sphere};
use stiction::potential::Potential;

const REACH: f64 = 0.3;

pub fn selections() -> Vec<Selection> {
    let of = |set| Weighting::ALL.map(|weighting| Selection { reach: REACH, set, weighting });
    ContactSet::ALL.into_iter().flat_map(of).collect()
}

fn candidates<const D: usize>(surface: &Surface<D>, x: &[Vector<D>], reach: f64) -> Candidates {
    BroadPhaseKind::Bvh.candidates(surface, x, x, 0.5 * reach)
}

fn build<const D: usize>(surface: &Surface<D>, x: &[Vector<D>], selection: &Selection) -> Contacts {
    Contacts::build(surface, &candidates(surface, x, selection.reach), &[], x, selection)
}

/// Points of the plane as points at a height.
fn at_height(points: Vec<Vector<2>>, z: f64) -> Vec<Vector<3>> {
    points.into_iter().map(|p| Vector([p[0], p[1], z])).collect()
}

/// A grid of `rows × columns` points of spacing `h`, each moved by up to `jitter` h.
fn grid(random: &mut Random, [rows, columns]: [u32; 2], h: f64, jitter: f64) -> Vec<Vector<2>> {
    let mut points = Vec::new();
    for i in 0..rows {
        for j in 0..columns {
            let [offset] = random.points::<2, 1>(jitter * h);
            points.push(Vector([f64::from(i) * h, f64::from(j) * h]) + offset);
        }
    }
    points
}

/// The triangles of such a grid whose vertices start at `first`, with alternating diagonals.
fn grid_faces(first: u32, [rows, columns]: [u32; 2]) -> Vec<[u32; 3]> {
    let mut faces = Vec::new();
    for i in 1..rows {
        for j in 1..columns {
            let d = first + i * columns + j;
            let (a, b, c) = (d - columns - 1, d - columns, d - 1);
            if (i + j) % 2 == 0 {
                faces.extend([[a, c, b], [b, c, d]]);
            } else {
                faces.extend([[a, c, d], [a, d, b]]);
            }
        }
    }
    faces
}

/// An octahedron around a point.
fn octahedron(centre: Vector<3>, radius: f64) -> (Vec<Vector<3>>, Vec<[u32; 3]>) {
    let x = (0..6).map(|k| centre + Vector::axis(k / 2) * if k % 2 == 0 { radius } else { -radius });
    let mut faces = Vec::new();
    for k in 0..8_u32 {
        let [a, b, c] = [k & 1, 2 + (k >> 1 & 1), 4 + (k >> 2 & 1)];
        faces.push(if k.count_ones() % 2 == 0 { [a, b, c] } else { [a, c, b] });
    }
    (x.collect(), faces)
}

/// A 2D surface with where it is now: an open chain, a ring, a star of three edges, particles.
pub fn flat_scene(random: &mut Random) -> (Surface<2>, Vec<Vector<2>>) {
    let chain = (0..8).map(|k| Vector([0.2 * f64::from(k), 0.0]));
    let ring = (0..7).map(|k| {
        let angle = TAU * f64::from(k) / 7.0;
        Vector([0.7 + 0.3 * angle.cos(), 0.45 + 0.3 * angle.sin()])
    });
    let star = [[0.5, -0.2], [0.4, -0.3], [0.6, -0.3], [0.5, -0.1]].map(Vector);
    let particles = random.points::<2, 5>(0.5).map(|p| p + Vector([0.7, 0.0]));
    let rest: Vec<_> = chain.chain(ring).chain(star).chain(particles).collect();
    let mut edges: Vec<[u32; 2]> = (0..7).map(|k| [k, k + 1]).collect();
    edges.extend((0..7).map(|k| [8 + k, 8 + (k + 1) % 7]));
    edges.extend([[15, 16], [15, 17], [18, 15]]);
    let mixed = Mixed { edges, vertices: (19..24).collect(), ..Mixed::default() };
    let x = moved(random, &rest, 0.06);
    (Surface::of_mixed(rest, mixed).unwrap(), x)
}

pub fn moved<const D: usize>(random: &mut Random, rest: &[Vector<D>], amount: f64) -> Vec<Vector<D>> {
    rest.iter().map(|p| *p + random.points::<D, 1>(amount)[0]).collect()
}

/// A 3D surface with where it is now: two sheets (one of aligned edges, nearly parallel to those of the other), a closed body, a rod,
/// one that is fixed to a sheet, particles.
pub fn solid_scene(random: &mut Random, amount: f64) -> (Surface<3>, Vec<Vector<3>>) {
    let (low, high) = ([4, 4], [3, 4]);
    let mut rest = at_height(grid(random, low, 0.3, 0.01), 0.0);
    let mut triangles = grid_faces(0, low);
    let first = rest.len() as u32;
    let aside = Vector([0.1, 0.05, 0.0]);
    rest.extend(at_height(grid(random, high, 0.28, 0.01), 0.15).into_iter().map(|p| p + aside));
    triangles.extend(grid_faces(first, high));
    let first = rest.len() as u32;
    let (body, faces) = octahedron(Vector([0.4, 0.4, 0.42]), 0.25);
    rest.extend(body);
    triangles.extend(faces.iter().map(|face| face.map(|v| v + first)));
    let rod = rest.len() as u32;
    rest.extend([[0.0, 0.0, 0.3], [0.3, 0.1, 0.3], [0.6, 0.0, 0.32], [0.45, 0.45, -0.2]].map(Vector));
    // From the inside of the lower sheet downwards.
    let edges = vec![[rod, rod + 1], [rod + 1, rod + 2], [5, rod + 3]];
    rest.extend(random.points::<3, 5>(0.3).map(|p| p + Vector([0.4, 0.4, 0.0])));
    let vertices = (rod + 4..rod + 9).collect();
    let x = moved(random, &rest, amount);
    let mixed = Mixed { triangles, edges, vertices, ..Mixed::default() };
    (Surface::of_mixed(rest, mixed).unwrap(), x)
}

/// Compares with the twin; weights that cancel come to nothing here, to rounding there.
fn assert_as_defined<const D: usize>(
    surface: &Surface<D>,
    x: &[Vector<D>],
    selection: Selection,
) -> Contacts {
    let contacts = build(surface, x, &selection);
    let (found, expected) = (by_key(&contacts), twin::contacts(surface, x, selection));
    let mut keys: Vec<_> = found.keys().chain(expected.keys()).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        let of = |map: &std::collections::HashMap<_, f64>| map.get(&key).copied().unwrap_or(0.0);
        let (a, b) = (of(&found), of(&expected));
        let tolerance = match selection.weighting {
            Weighting::Count if selection.set != ContactSet::Ogc => 0.0,
            _ => 1e-14,
        };
        assert!((a - b).abs() <= tolerance, "{selection:?}, {key:?}: weight {a}, by definition {b}");
    }
    assert!(found.values().all(|weight| *weight != 0.0));
    contacts
}

#[test]
fn contacts_in_2d_are_those_of_the_definition() {
    let mut random = Random::new(71);
    let (mut census, mut negative) = (Census::default(), 0);
    for _ in 0..40 {
        let (surface, x) = flat_scene(&mut random);
        for selection in selections() {
            let contacts = assert_as_defined(&surface, &x, selection);
            census.add(&contacts);
            negative += contacts.vv.iter().filter(|c| c.weight < 0.0).count();
        }
    }
    census.require("vv", 1000);
    census.require("ve", 1000);
    assert!(negative > 100);
}

#[test]
fn contacts_in_3d_are_those_of_the_definition() {
    let mut random = Random::new(72);
    let (mut census, mut negative) = (Census::default(), [0; 3]);
    for round in 0..10 {
        let (surface, x) = solid_scene(&mut random, [0.002, 0.01, 0.04][round % 3]);
        for selection in selections() {
            let contacts = assert_as_defined(&surface, &x, selection);
            census.add(&contacts);
            negative[0] += contacts.vv.iter().filter(|c| c.weight < 0.0).count();
            negative[1] += contacts.ve.iter().filter(|c| c.weight < 0.0).count();
            negative[2] += contacts.parallel.iter().filter(|c| c.contact.weight < 0.0).count();
        }
    }
    for kind in ["vv", "ve", "ee", "vf", "parallel"] {
        census.require(kind, 1000);
    }
    for parts in ["Start Inside", "Inside End", "End Start", "End Inside"] {
        census.require(&format!("parallel {parts}"), 100);
    }
    census.require("parallel Inside Inside", 5);
    assert!(negative.iter().all(|count| *count > 100), "{negative:?}");
}

#[test]
fn what_a_filter_keeps_apart_is_not_counted_as_shared() {
    let mut random = Random::new(73);
    for _ in 0..4 {
        let (surface, x) = solid_scene(&mut random, 0.02);
        let rings = surface.clone().with_filter(Filter::rings(&surface, 1)).unwrap();
        let pairs: Vec<_> = (0..12).map(|k| [k, 16 + (5 * k) % 12]).collect();
        let all = Filter::All(VertexFilter::excluding(&pairs));
        let pairs = surface.clone().with_filter(all).unwrap();
        for selection in selections() {
            assert_as_defined(&rings, &x, selection);
            assert_as_defined(&pairs, &x, selection);
        }
    }
}

#[test]
fn more_candidates_and_another_order_change_nothing() {
    let mut random = Random::new(74);
    for _ in 0..5 {
        let (surface, x) = solid_scene(&mut random, 0.02);
        let (flat, y) = flat_scene(&mut random);
        for selection in selections() {
            let (least, least_flat) = (build(&surface, &x, &selection), build(&flat, &y, &selection));
            for inflation in [0.2, 0.5, 10.0] {
                let mut more = BroadPhaseKind::BruteForce.candidates(&surface, &x, &x, inflation);
                let flat_more = BroadPhaseKind::BruteForce.candidates(&flat, &y, &y, inflation);
                assert!(inflation < 1.0 || more.ee.len() > 1000);
                assert_eq!(Contacts::build(&flat, &flat_more, &[], &y, &selection), least_flat);
                assert_eq!(Contacts::build(&surface, &more, &[], &x, &selection), least);
                for list in [&mut more.vv, &mut more.ve, &mut more.ee, &mut more.vf] {
                    list.sort_by_key(|(a, b)| (a.wrapping_mul(2_654_435_761), b ^ 5));
                }
                more.ee.iter_mut().step_by(3).for_each(|pair| *pair = (pair.1, pair.0));
                assert_eq!(Contacts::build(&surface, &more, &[], &x, &selection), least);
            }
        }
    }
}

#[test]
fn order_is_ascending_without_repetition() {
    let mut random = Random::new(75);
    for _ in 0..5 {
        let (surface, x) = solid_scene(&mut random, 0.01);
        for selection in selections() {
            let c = build(&surface, &x, &selection);
            assert!(c.vv.is_sorted_by(|a, b| a.stencil < b.stencil));
            assert!(c.ve.is_sorted_by(|a, b| a.stencil < b.stencil));
            assert!(c.ee.is_sorted_by(|a, b| a.stencil < b.stencil));
            assert!(c.vf.is_sorted_by(|a, b| a.stencil < b.stencil));
            let code =
                |part| [EdgePart::Start, EdgePart::End, EdgePart::Inside].iter().position(|p| *p == part);
            let key = |c: &stiction::contact::ParallelContact| {
                (c.contact.stencil, code(c.parts.0), code(c.parts.1))
            };
            assert!(c.parallel.is_sorted_by(|a, b| key(a) < key(b)));
            assert!(c.parallel.len() > 20 || selection.set == ContactSet::Ogc);
        }
    }
}

/// The factors of the areas of vertices, each summed over all contacts.
fn vertex_factors(sources: &WeightSources, vertices: usize) -> Vec<f64> {
    let mut sums = vec![0.0; vertices];
    for shares in [&sources.vv, &sources.ve, &sources.ee, &sources.vf, &sources.parallel] {
        for share in (0..shares.len()).flat_map(|k| shares.of(k)) {
            if let AreaShare::Vertex(v, factor) = share {
                sums[*v as usize] += factor;
            }
        }
    }
    sums
}

/// Two flat sheets, 0.1 m apart, whose grids do not match; the lower one is larger.
fn two_sheets(random: &mut Random) -> Surface<3> {
    let (low, high) = ([12, 12], [7, 6]);
    let mut x = at_height(grid(random, low, 0.1, 0.2), 0.0);
    let mut faces = grid_faces(0, low);
    faces.extend(grid_faces(x.len() as u32, high));
    let aside = Vector([0.33, 0.31, 0.0]);
    x.extend(at_height(grid(random, high, 0.07, 0.2), 0.1).into_iter().map(|p| p + aside));
    Surface::new(x, vec![], faces).unwrap()
}

#[test]
fn the_improved_maximum_counts_every_vertex_once() {
    let mut random = Random::new(76);
    for reach in [0.12, 0.15, 0.2] {
        let surface = two_sheets(&mut random);
        // The pairs of a vertex with its own sheet are another matter.
        let surface = surface.clone().with_filter(Filter::components(&surface)).unwrap();
        let x = surface.rest();
        let candidates = candidates(&surface, x, reach);
        let of = |set| {
            let selection = Selection { reach, set, weighting: Weighting::Area };
            let (_, sources) = Contacts::build_with_sources(&surface, &candidates, &[], x, &selection);
            vertex_factors(&sources, x.len())
        };
        let (ipc, improved, ogc) = (of(ContactSet::Ipc), of(ContactSet::ImprovedMax), of(ContactSet::Ogc));
        for v in 144..x.len() {
            assert_eq!(improved[v], 0.25, "vertex {v}");
            assert!((ogc[v] - 0.25).abs() < 1e-15 && ipc[v] > 0.4, "vertex {v}");
        }
    }
}

#[test]
fn the_improved_maximum_in_2d_counts_every_vertex_once() {
    let chain = |n: u32, h: f64, y: f64, x0: f64| (0..n).map(move |k| Vector([x0 + h * f64::from(k), y]));
    let x: Vec<_> = chain(15, 0.1, 0.0, 0.0).chain(chain(8, 0.083, 0.1, 0.31)).collect();
    let mut edges: Vec<_> = (0..14).map(|k| [k, k + 1]).collect();
    edges.extend((15..22).map(|k| [k, k + 1]));
    let surface = Surface::new(x.clone(), edges, vec![]).unwrap();
    let surface = surface.clone().with_filter(Filter::components(&surface)).unwrap();
    let selection = Selection { reach: 0.2, set: ContactSet::ImprovedMax, weighting: Weighting::Area };
    let candidates = candidates(&surface, &x, 0.2);
    let (_, sources) = Contacts::build_with_sources(&surface, &candidates, &[], &x, &selection);
    let factors = vertex_factors(&sources, x.len());
    assert!(factors[15..].iter().all(|factor| *factor == 0.5), "{factors:?}");
}

/// The energy of two flat sheets that face each other hardly depends on their meshes if every point counts once, and the
/// reach is smaller than the edges: the improved maximum does not know of cycles of edges.
#[test]
fn energies_hardly_depend_on_the_mesh_where_every_point_counts_once() {
    let energy = |set, n: u32| {
        let mut random = Random::new(77);
        let h = 1.0 / f64::from(n - 1);
        let mut x = at_height(grid(&mut random, [n, n], h, 0.2), 0.0);
        let mut faces = grid_faces(0, [n, n]);
        faces.extend(grid_faces(x.len() as u32, [n, n]));
        x.extend(at_height(grid(&mut random, [n, n], h, 0.2), 0.02));
        let surface = Surface::new(x.clone(), vec![], faces).unwrap();
        let surface = surface.clone().with_filter(Filter::components(&surface)).unwrap();
        let selection = Selection { reach: 0.04, set, weighting: Weighting::Area };
        let contacts = build(&surface, &x, &selection);
        let law = BarrierLaw::new(BarrierKind::ClampedLog, 0.04).unwrap();
        BarrierPotential { contacts: &contacts, obstacles: &[], law, kappa: 1.0.into() }.energy(&x)
    };
    let growth = |set| energy(set, 17) / energy(set, 9);
    let [plain, improved, ogc] = ContactSet::ALL.map(growth);
    assert!(plain > 1.5, "the plain sum grows by {plain}");
    assert!((0.8..1.2).contains(&improved), "the improved one by {improved}");
    assert!((0.97..1.03).contains(&ogc), "that of offset geometric contact by {ogc}");
}

#[test]
fn sheets_that_face_each_other_have_no_corners_in_offset_geometric_contact() {
    let surface = two_sheets(&mut Random::new(78));
    let surface = surface.clone().with_filter(Filter::components(&surface)).unwrap();
    let selection = Selection { set: ContactSet::Ogc, ..Selection::within(0.2) };
    let contacts = build(&surface, surface.rest(), &selection);
    assert!(contacts.vf.len() > 50 && contacts.ee.len() > 150);
    // Only the rim of the upper sheet has others.
    let rim = |v: &u32| surface.is_boundary_vertex(*v);
    assert!(contacts.vv.is_empty() && contacts.ve.iter().all(|c| c.stencil.0.iter().any(rim)));
}

#[test]
fn weights_are_the_sums_of_their_shares() {
    let mut random = Random::new(79);
    for _ in 0..5 {
        let (surface, x) = solid_scene(&mut random, 0.02);
        check_sources(&surface, &x);
        let (surface, x) = flat_scene(&mut random);
        check_sources(&surface, &x);
    }
}

fn check_sources<const D: usize>(surface: &Surface<D>, x: &[Vector<D>]) {
    let plane = Plane::new(Vector([0.0; D]), Vector([1.0; D])).unwrap();
    let obstacles = [Obstacle::Plane(plane)];
    let candidates = candidates(surface, x, REACH);
    for selection in selections() {
        let plain = Contacts::build(surface, &candidates, &obstacles, x, &selection);
        let (c, sources) = Contacts::build_with_sources(surface, &candidates, &obstacles, x, &selection);
        assert_eq!(plain, c);
        if selection.weighting == Weighting::Count {
            assert_eq!(sources, WeightSources::default());
            continue;
        }
        let check = |weights: Vec<f64>, shares: &stiction::contact::sources::Shares| {
            assert_eq!(weights.len(), shares.len());
            for (k, weight) in weights.into_iter().enumerate() {
                assert!((weight - weight_of(shares.of(k), surface.areas())).abs() <= 1e-14 * weight.abs());
            }
        };
        check(c.vv.iter().map(|c| c.weight).collect(), &sources.vv);
        check(c.ve.iter().map(|c| c.weight).collect(), &sources.ve);
        check(c.ee.iter().map(|c| c.weight).collect(), &sources.ee);
        check(c.vf.iter().map(|c| c.weight).collect(), &sources.vf);
        check(c.parallel.iter().map(|c| c.contact.weight).collect(), &sources.parallel);
        check(c.obstacle.iter().map(|c| c.weight).collect(), &sources.obstacle);
        assert!(!c.obstacle.is_empty() && !c.vv.is_empty());
    }
}

fn weight_of(shares: &[AreaShare], areas: &Areas) -> f64 {
    let of = |share: &AreaShare| match *share {
        AreaShare::Vertex(v, factor) => factor * areas.vertices[v as usize],
        AreaShare::Edge(e, factor) => factor * areas.edges[e as usize],
    };
    shares.iter().map(of).sum()
}

/// The peer looks for planes within half the distance only.
#[test]
fn obstacles_are_met_from_the_whole_reach() {
    let x: Vec<_> = [0.05, 0.15, 0.299, 0.301].map(|z| Vector([z, 0.0, z])).to_vec();
    let surface = Surface::new(x.clone(), vec![[0, 1], [2, 3]], vec![]).unwrap();
    let floor = Obstacle::Plane(Plane::new(Vector([0.0; 3]), Vector([0.0, 0.0, 1.0])).unwrap());
    let ball = Obstacle::Sphere(Sphere::new(Vector([0.0, 1.0, 0.0]), 0.9).unwrap());
    for weighting in Weighting::ALL {
        let selection = Selection { weighting, ..Selection::within(REACH) };
        let c = Contacts::build(&surface, &Candidates::default(), &[floor, ball], &x, &selection);
        let found: Vec<_> = c.obstacle.iter().map(|c| (c.stencil.0[0], c.obstacle)).collect();
        assert_eq!(found, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 1)]);
        for contact in &c.obstacle {
            let area = surface.areas().vertices[contact.stencil.0[0] as usize];
            assert_eq!(contact.weight, if weighting == Weighting::Area { area } else { 1.0 });
        }
    }
}

#[test]
fn places_are_in_the_middle_and_weights_scale_with_them() {
    let mut random = Random::new(80);
    let (surface, x) = solid_scene(&mut random, 0.02);
    let floor = Obstacle::Plane(Plane::new(Vector([0.0, 0.0, -0.1]), Vector([0.0, 0.0, 1.0])).unwrap());
    let before =
        Contacts::build(&surface, &candidates(&surface, &x, REACH), &[floor], &x, &Selection::within(REACH));
    let places = before.places(&x);
    let half = |a: Vector<3>, b: f64, d: f64| {
        assert!((a.norm() - 0.5 * d).abs() < 1e-12 && (b - 0.5 * d).abs() < 1e-12);
    };
    for (c, p) in before.vv.iter().zip(&places.vv) {
        let [a, b] = c.stencil.gather(&x);
        half(*p - a, (*p - b).norm(), (a - b).norm());
    }
    for (c, p) in before.vf.iter().zip(&places.vf) {
        let [v, a, b, c] = c.stencil.gather(&x);
        let to_face = |q| closest::vertex_face(q, [a, b, c]).1.sqrt();
        half(*p - v, to_face(*p), to_face(v));
    }
    for (c, p) in before.parallel.iter().map(|c| c.contact.stencil).zip(&places.parallel) {
        let [a, b, c, d] = c.gather(&x);
        let distance = closest::edge_edge([a, b], [c, d]).1.sqrt();
        let to = |a, b| closest::vertex_edge(*p, a, b).1.sqrt();
        assert!((to(a, b) - 0.5 * distance).abs() < 1e-12 && (to(c, d) - 0.5 * distance).abs() < 1e-12);
    }
    let mut after = before.clone();
    after.scale_weights(&x, |place| TAU * place[0]);
    let pairs = before.ve.iter().zip(&after.ve).zip(&places.ve);
    assert!(pairs.clone().count() > 20);
    pairs.for_each(|((a, b), place)| assert_eq!(b.weight, a.weight * (TAU * place[0])));
    let pairs = before.obstacle.iter().zip(&after.obstacle);
    assert!(pairs.clone().count() > 5);
    pairs.for_each(|(a, b)| assert_eq!(b.weight, a.weight * (TAU * x[a.stencil.0[0] as usize][0])));
}

#[test]
fn the_smallest_distance_names_its_pair() {
    let x: Vec<_> = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 0.07], [5.0, 5.0, 5.0]]
        .map(Vector)
        .to_vec();
    let mixed = Mixed { triangles: vec![[0, 1, 2]], vertices: vec![3, 4], ..Mixed::default() };
    let surface = Surface::of_mixed(x.clone(), mixed).unwrap();
    let all = BroadPhaseKind::BruteForce.candidates(&surface, &x, &x, 10.0);
    let (distance, pair) = smallest_distance(&surface, &all, &[], &x).unwrap();
    assert_eq!(pair, ClosePair::VertexFace(3, 0));
    assert!((distance - 0.07).abs() < 1e-15);
    assert_eq!(pair.to_string(), "vertex 3 and face 0");
    assert_eq!(smallest_distance(&surface, &Candidates::default(), &[], &x), None);
    let ball = Obstacle::Sphere(Sphere::new(Vector([5.0, 5.0, 5.5]), 1.0).unwrap());
    let found = smallest_distance(&surface, &all, &[ball], &x).unwrap();
    assert_eq!(found, (-0.5, ClosePair::VertexObstacle(4, 0)));
    let mut lost = x.clone();
    lost[4] = Vector([f64::NAN; 3]);
    assert_eq!(smallest_distance(&surface, &all, &[], &lost).unwrap().1, ClosePair::VertexFace(3, 0));
}

#[test]
fn smallest_distances_are_those_of_all_pairs_and_of_the_contacts() {
    let mut random = Random::new(81);
    for _ in 0..20 {
        let (surface, x) = solid_scene(&mut random, 0.03);
        let all = BroadPhaseKind::BruteForce.candidates(&surface, &x, &x, 100.0);
        let (distance, _) = smallest_distance(&surface, &all, &[], &x).unwrap();
        let contacts = build(&surface, &x, &Selection::within(REACH));
        let gap = contacts.smallest_gap(&x, &[]);
        assert!((gap - distance).abs() < 1e-13, "{gap} {distance}");
        let each = contacts.distances(&x, &[]);
        assert!(each.iter().count() == contacts.len() && each.iter().all(|d| *d < REACH));
        assert_eq!(each.iter().copied().fold(f64::INFINITY, f64::min), gap);
        let (surface, x) = flat_scene(&mut random);
        let all = BroadPhaseKind::BruteForce.candidates(&surface, &x, &x, 100.0);
        let (distance, _) = smallest_distance(&surface, &all, &[], &x).unwrap();
        let contacts = build(&surface, &x, &Selection::within(REACH));
        let gap = contacts.smallest_gap(&x, &[]);
        assert!((gap - distance).abs() < 1e-13, "{gap} {distance}");
        let each = contacts.distances(&x, &[]);
        assert!(each.iter().count() == contacts.len() && each.iter().all(|d| *d < REACH));
        assert_eq!(each.iter().copied().fold(f64::INFINITY, f64::min), gap);
    }
    assert_eq!(Contacts::default().smallest_gap::<3>(&[], &[]), f64::INFINITY);
}

#[test]
fn bad_input_is_named() {
    let (surface, x) = solid_scene(&mut Random::new(82), 0.01);
    let good = candidates(&surface, &x, REACH);
    let attempt = |candidates: &Candidates, x: &[Vector<3>], reach: f64| {
        Contacts::try_build(&surface, candidates, &[], x, &Selection::within(reach))
    };
    assert_eq!(attempt(&good, &x, REACH).unwrap(), build(&surface, &x, &Selection::within(REACH)));
    let says = |result: stiction::error::Result<Contacts>, words: &str| {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    };
    says(attempt(&good, &x[1..], REACH), "positions has");
    let mut lost = x.clone();
    lost[7][1] = f64::NAN;
    says(attempt(&good, &lost, REACH), "vertex 7 is not finite");
    for reach in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        says(attempt(&good, &x, reach), "reach");
    }
    let mut bad = good.clone();
    bad.vf.push((3, 999));
    says(attempt(&bad, &x, REACH), "names 3 and 999");
    let mut bad = good.clone();
    let (e, f) = bad.ee[4];
    bad.ee.push((f, e));
    says(attempt(&bad, &x, REACH), "has the same vertices as edge-edge candidate 4");
}

/// Two wavy sheets of `n × n` cells, the gap a quarter of an edge, the reach half of one.
fn wavy_sheets(n: u32) -> (Surface<3>, f64) {
    let mut random = Random::new(83);
    let h = 1.0 / f64::from(n);
    let reach = 0.5 * h;
    let k = 1.5 * TAU;
    let (sin, cos) = 7_f64.to_radians().sin_cos();
    let (mut x, mut faces) = (Vec::new(), Vec::new());
    for sheet in 0..2 {
        faces.extend(grid_faces(x.len() as u32, [n + 1; 2]));
        for p in grid(&mut random, [n + 1; 2], h, 0.1) {
            let q = p - Vector([0.5; 2]);
            let turned =
                Vector([cos * q[0] - sin * q[1] + 0.5 + 0.37 * h, sin * q[0] + cos * q[1] + 0.5 + 0.21 * h]);
            let p = if sheet == 0 { p } else { turned };
            let (a, b) = ((k * p[0]).sin_cos(), (k * p[1]).sin_cos());
            let normal = Vector([-0.05 * k * a.1 * b.1, 0.05 * k * a.0 * b.0, 1.0]).normalized();
            let lift = 0.5 * reach * (f64::from(sheet) + random.between(-0.05, 0.05));
            x.push(Vector([p[0], p[1], 0.05 * a.0 * b.1]) + normal * lift);
        }
    }
    (Surface::new(x, vec![], faces).unwrap(), reach)
}

fn in_threads<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(f)
}

#[test]
fn nothing_depends_on_the_number_of_threads() {
    let (surface, reach) = wavy_sheets(30);
    let x = surface.rest();
    let floor = Obstacle::Plane(Plane::new(Vector([0.0; 3]), Vector([0.0, 0.0, 1.0])).unwrap());
    let candidates = candidates(&surface, x, reach);
    assert!(candidates.ee.len() > 20_000);
    for selection in selections().into_iter().map(|selection| Selection { reach, ..selection }) {
        let all = |threads| {
            in_threads(threads, || {
                let built = Contacts::build_with_sources(&surface, &candidates, &[floor], x, &selection);
                let gap = built.0.smallest_gap(x, &[floor]).to_bits();
                let places = (built.0.places(x), built.0.distances(x, &[floor]));
                (built, gap, places, smallest_distance(&surface, &candidates, &[floor], x))
            })
        };
        let one = all(1);
        assert!(one.0.0.vf.len() > 500);
        assert!(one == all(2) && one == all(8), "{selection:?}");
    }
}

/// Times of building, best of several: `cargo test --release -p stiction --test all contacts:: -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn time_of_building() {
    for n in [35, 112] {
        let (surface, reach) = wavy_sheets(n);
        let x = surface.rest();
        let candidates = candidates(&surface, x, reach);
        println!(
            "{} triangles, {} candidates ({} ee)",
            surface.faces().len(),
            candidates.len(),
            candidates.ee.len()
        );
        for selection in selections().into_iter().map(|selection| Selection { reach, ..selection }) {
            for threads in [1, 2] {
                let (best, c) = in_threads(threads, || {
                    let run = || {
                        let start = Instant::now();
                        let contacts = Contacts::build(&surface, &candidates, &[], x, &selection);
                        (start.elapsed().as_secs_f64() * 1e3, contacts)
                    };
                    let best = (0..7).map(|_| run().0).fold(f64::INFINITY, f64::min);
                    (best, run().1)
                });
                let counts = [c.vv.len(), c.ve.len(), c.ee.len(), c.vf.len(), c.parallel.len()];
                println!(
                    "  {} {} {threads} threads: {best:.1} ms, {} contacts {counts:?}",
                    selection.set,
                    selection.weighting,
                    c.len()
                );
            }
        }
    }
}

/// A sheet of 2 × 1 cells from the seam along x in a direction across it; the seam's vertices are 0, 1 and 2.
fn half_sheet(x: &mut Vec<Vector<3>>, faces: &mut Vec<[u32; 3]>, across: [f64; 2]) {
    let n = x.len() as u32;
    x.extend([0.0, 1.0, 2.0].map(|along| Vector([along, across[0], across[1]])));
    faces.extend([[0, 1, n], [1, n + 1, n], [1, 2, n + 2], [1, n + 2, n + 1]]);
}

#[test]
fn improved_maximum_counts_a_vertex_of_a_seam_once() {
    let mut x: Vec<Vector<3>> = [0.0, 1.0, 2.0].map(|along| Vector([along, 0.0, 0.0])).to_vec();
    let mut faces = Vec::new();
    for across in [[1.0, 0.0], [-1.0, 0.0], [0.0, -1.0]] {
        half_sheet(&mut x, &mut faces, across);
    }
    let particle = x.len() as u32;
    x.push(Vector([1.0, 0.0, 0.05]));
    // A rod that ends on the seam makes no boundary of it, and counts once itself.
    let rod = x.len() as u32;
    x.push(Vector([1.0, -0.7, -0.7]));
    for edges in [vec![], vec![[1, rod]]] {
        let expected = 1.0 + edges.len() as f64;
        let surface = Surface::new(x.clone(), edges, faces.clone()).unwrap();
        let surface = surface.with_loose_vertices(vec![particle]).unwrap();
        let near = BroadPhaseKind::BruteForce.candidates(&surface, &x, &x, 0.1);
        let selection = Selection { set: ContactSet::ImprovedMax, ..Selection::within(0.2) };
        let contacts = Contacts::build(&surface, &near, &[], &x, &selection);
        let with_particle = contacts.vv.iter().filter(|c| c.stencil.0.contains(&particle));
        assert_eq!(with_particle.map(|c| c.weight).sum::<f64>(), expected, "{contacts:?}");
    }
}

/// Whatever the rotation, a particle above a flat grid has a contact, although the part of a vertex or an edge is a line or plane.
#[test]
fn offset_geometric_contact_has_no_holes() {
    let mut random = Random::new(77);
    for _ in 0..300 {
        let rotation = random.rotation::<3>();
        for above in [[2.0, 2.0], [2.5, 2.0], [2.5, 2.5], [2.3, 2.1]] {
            let mut x: Vec<_> =
                (0..25_u32).map(|k| Vector([f64::from(k % 5), f64::from(k / 5), 0.0])).collect();
            let cells = (0..16_u32).map(|k| k / 4 * 5 + k % 4);
            let faces = cells.flat_map(|c| [[c, c + 1, c + 6], [c, c + 6, c + 5]]).collect();
            x.push(Vector([above[0], above[1], 0.1]));
            let x: Vec<_> = x.into_iter().map(|x| rotation * x).collect();
            let surface = Surface::new(x.clone(), vec![], faces).unwrap();
            let surface = surface.with_loose_vertices(vec![25]).unwrap();
            let near = BroadPhaseKind::BruteForce.candidates(&surface, &x, &x, 0.1);
            let selection = Selection { set: ContactSet::Ogc, ..Selection::within(0.2) };
            let contacts = Contacts::build(&surface, &near, &[], &x, &selection);
            let total: f64 = contacts.weights().iter().sum();
            assert!((0.99..=4.0).contains(&total), "{total} above {above:?}");
        }
    }
}

/// Where things touch or are inside an obstacle, nothing that is returned looks like a force, and the check names the pair.
#[test]
fn there_are_no_forces_where_things_touch() {
    let rest = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.05], [0.5, 1.0]].map(Vector).to_vec();
    let surface = Surface::new(rest.clone(), vec![[0, 1], [2, 3]], vec![]).unwrap();
    let plane = [Obstacle::Plane(Plane::new(Vector([0.0, -0.1]), Vector([0.0, 1.0])).unwrap())];
    let selection = Selection { reach: REACH, set: ContactSet::Ipc, weighting: Weighting::Count };
    let contacts = Contacts::build(&surface, &candidates(&surface, &rest, REACH), &plane, &rest, &selection);
    let law = BarrierLaw::new(BarrierKind::ClampedLog, REACH).unwrap();
    let barrier = BarrierPotential { contacts: &contacts, obstacles: &plane, law, kappa: 1.0.into() };
    let coefficients = Coefficients::from(Mu::same(0.5));
    let moved = |vertex: usize, y: f64| {
        let mut x = rest.clone();
        x[vertex].0[1] = y;
        x
    };
    assert!(barrier.check_apart(&rest).is_ok() && lag(&barrier, &rest, &coefficients).is_finite());
    for (x, pair) in [
        (moved(2, 0.0), "vertex 2 and edge (0, 1) are 0.0 m apart"),
        (moved(0, -0.1), "vertex 0 and obstacle 0 are 0.0 m apart"),
        (moved(0, -0.12), "vertex 0 and obstacle 0 are -0.0"),
    ] {
        let mut gradient = vec![Vector::ZERO; x.len()];
        barrier.gradient(&x, 1.0, &mut gradient);
        assert_eq!(barrier.energy(&x), f64::INFINITY, "{pair}");
        assert!(!gradient.iter().all(|g| g.is_finite()), "{pair}");
        assert!(
            !barrier.total_force(&x).is_finite() && !lag(&barrier, &x, &coefficients).is_finite(),
            "{pair}"
        );
        let message = barrier.check_apart(&x).unwrap_err().to_string();
        assert!(message.starts_with(pair), "{message}");
    }
}
