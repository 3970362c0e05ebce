//! Surfaces, filters and the exact check for crossings.

use std::collections::BTreeSet;

use crate::support::{Random, assert_close, moved};
use stiction::broad_phase::BroadPhaseKind;
use stiction::closest;
use stiction::crossing::{Check, Crossing, CrossingPair, crossings, has_crossings};
use stiction::linear_map::LinearMap;
use stiction::math::Vector;
use stiction::math::vector::{cross, flat};
use stiction::mesh::filter::Patches;
use stiction::mesh::{Areas, Filter, Mixed, Surface, VertexFilter};

impl Random {
    /// A whole number below `count`.
    fn below(&mut self, count: u32) -> u32 {
        let number = self.between(0.0, f64::from(count));
        (0..count - 1).find(|k| number < f64::from(k + 1)).unwrap_or(count - 1)
    }

    /// `N` different whole numbers below `count`.
    fn different<const N: usize>(&mut self, count: u32) -> [u32; N] {
        loop {
            let numbers: [u32; N] = std::array::from_fn(|_| self.below(count));
            if numbers.iter().collect::<BTreeSet<_>>().len() == N {
                return numbers;
            }
        }
    }
}

/// `n × n` vertices in the unit square, a bit off their places, with two triangles in each cell.
fn grid(n: u32) -> (Vec<Vector<3>>, Vec<[u32; 3]>) {
    let place = |k: u32| f64::from(k) / f64::from(n - 1);
    let x = (0..n * n).map(|v| Vector([place(v / n), place(v % n), 0.1 * (f64::from(v)).sin()])).collect();
    let cells = (0..(n - 1) * (n - 1)).map(|c| c / (n - 1) * n + c % (n - 1));
    (x, cells.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect())
}

/// The corners of a unit cube and five tetrahedra that fill it, of both orientations.
fn cube() -> (Vec<Vector<3>>, Vec<[u32; 4]>) {
    let corner = |v: u32| Vector([f64::from(v & 1), f64::from(v >> 1 & 1), f64::from(v >> 2)]);
    let x = (0..8).map(corner).collect();
    (x, vec![[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 4, 2, 7], [1, 2, 4, 7]])
}

/// Everything at once: a cube, a shell that shares an edge with it, a rod from its corner, a free rod, particles.
fn everything() -> Surface<3> {
    let (mut x, tetrahedra) = cube();
    x.extend(
        [
            [2.0, 0.0, 0.5],
            [2.5, 1.0, 0.25],
            [3.0, 0.0, 0.0],
            [4.0, 0.0, 0.0],
            [4.0, 2.0, 1.0],
            [9.0, 9.0, 9.0],
        ]
        .map(Vector),
    );
    x.extend([[5.0, 5.0, 5.0], [7.0, 7.0, 7.0]].map(Vector));
    let mixed = Mixed {
        tetrahedra,
        triangles: vec![[1, 3, 8], [3, 9, 8], [4, 7, 5]],
        edges: vec![[8, 10], [11, 12], [0, 1]],
        vertices: vec![14, 0, 13, 14],
    };
    Surface::of_mixed(x, mixed).unwrap()
}

#[test]
fn mixed_input_is_one_surface() {
    let surface = everything();
    // 12 sides of the cube (one of them given as a shell as well) and two shells.
    assert_eq!(surface.faces().len(), 14);
    assert_eq!(surface.edges().len(), 18 + 4 + 2);
    assert_eq!(surface.loose_vertices(), [13, 14]);
    let loose: Vec<_> = surface.loose_edges().iter().map(|e| surface.edges()[*e as usize]).collect();
    assert_eq!(loose, [[8, 10], [11, 12]]);
    assert_eq!(surface.vertices(), (0..15).collect::<Vec<_>>());
    assert_eq!(surface.components()[..11], [Some(0); 11]);
    assert_eq!(surface.components()[11..], [Some(1), Some(1), Some(2), Some(3), None]);
    for face in &surface.faces()[..12] {
        let [a, b, c] = face.map(|v| surface.rest()[v as usize]);
        assert!(cross(b - a, c - a).dot(a - Vector([0.5; 3])) > 0.0, "{face:?} looks inwards");
    }
}

#[test]
fn mixed_input_in_the_plane() {
    let x: Vec<_> =
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [2.0, 2.0], [3.0, 3.0]].map(Vector).to_vec();
    let mixed = Mixed {
        triangles: vec![[0, 1, 2], [2, 0, 3]],
        edges: vec![[2, 4]],
        vertices: vec![5],
        ..Mixed::default()
    };
    let surface = Surface::of_mixed(x.clone(), mixed).unwrap();
    assert_eq!(surface.edges(), [[0, 1], [0, 3], [1, 2], [2, 3], [2, 4]]);
    assert!(surface.loose_edges().is_empty());
    assert_eq!(surface.loose_vertices(), [5]);
    let ends: Vec<_> = (0..6).filter(|v| surface.is_boundary_vertex(*v)).collect();
    assert_eq!(ends, [4, 5]);
    assert!(!surface.is_boundary_edge(4));
    let diagonal = 2.0_f64.sqrt();
    assert_eq!(surface.areas().vertices, [1.0, 1.0, 0.5 * (2.0 + diagonal), 1.0, 0.5 * diagonal, 1.0]);
    let tetrahedra = Mixed { tetrahedra: vec![[0, 1, 2, 4]], ..Mixed::default() };
    assert!(
        Surface::of_mixed(x, tetrahedra)
            .unwrap_err()
            .to_string()
            .contains("tetrahedra of a surface in 2D has 1")
    );
}

/// The peer marks 2 of the 9 vertices: D10.
#[test]
fn the_boundary_of_an_open_mesh() {
    let (x, faces) = grid(3);
    let surface = Surface::new(x, vec![], faces).unwrap();
    let boundary: Vec<_> = (0..9).filter(|v| surface.is_boundary_vertex(*v)).collect();
    assert_eq!(boundary, [0, 1, 2, 3, 5, 6, 7, 8]);
    let edges = surface.edges();
    let ends: Vec<_> = (0..edges.len() as u32).filter(|e| surface.is_boundary_edge(*e)).collect();
    assert_eq!(ends.len(), 8);
    assert!(ends.iter().all(|e| !edges[*e as usize].contains(&4)));
    assert!(!surface.is_boundary_vertex(99) && !surface.is_boundary_edge(99));
}

#[test]
fn closed_and_joined_meshes_have_the_boundary_they_have() {
    let (x, tetrahedra) = cube();
    let solid = Surface::of_mixed(x.clone(), Mixed { tetrahedra, ..Mixed::default() }).unwrap();
    assert!((0..8).all(|v| !solid.is_boundary_vertex(v)) && (0..18).all(|e| !solid.is_boundary_edge(e)));
    // Three sheets on one edge: that edge is no boundary, its ends are.
    let book = Surface::new(x, vec![], vec![[0, 1, 2], [0, 1, 4], [0, 1, 7]]).unwrap();
    let boundary = |e: &[u32; 2]| book.is_boundary_edge(book.edges().binary_search(e).unwrap() as u32);
    assert!(!boundary(&[0, 1]) && boundary(&[0, 2]) && boundary(&[1, 7]) && book.is_boundary_vertex(0));
    let surface = everything();
    let ends: Vec<_> = (0..16).filter(|v| surface.is_boundary_vertex(*v)).collect();
    assert_eq!(ends, [1, 3, 8, 9, 10, 11, 12, 13, 14]);
}

#[test]
fn areas_add_up_and_faces_count_before_rods() {
    let surface = everything();
    let areas = surface.areas();
    let shells = surface.faces()[12..].iter().map(|f| {
        let [a, b, c] = f.map(|v| surface.rest()[v as usize]);
        0.5 * cross(b - a, c - a).norm()
    });
    let total = 6.0 + shells.sum::<f64>();
    let on_faces = (0..10).map(|v| areas.vertices[v]).sum::<f64>();
    assert_close(&[on_faces], &[total], 1e-14, "vertices with faces");
    let length = 5.0_f64.sqrt();
    assert_close(&areas.vertices[11..13], &[0.5 * length; 2], 1e-15, "a free rod");
    assert_eq!(areas.vertices[13..], [1.0, 1.0, 0.0]);
    let rods: Vec<_> = surface.loose_edges().iter().map(|e| areas.edges[*e as usize]).collect();
    assert_close(&rods, &[1.25_f64.sqrt(), length], 1e-15, "rods");
    assert_close(&[areas.edges.iter().sum::<f64>()], &[total + rods.iter().sum::<f64>()], 1e-13, "edges");
}

/// Every area, as a function of the positions at rest.
fn all_areas<const D: usize>(surface: &Surface<D>, rest: &[Vector<D>]) -> Vec<f64> {
    let moved = Surface::new(rest.to_vec(), surface.edges().to_vec(), surface.faces().to_vec()).unwrap();
    let moved = moved.with_loose_vertices(surface.loose_vertices().to_vec()).unwrap();
    [&moved.areas().vertices[..], &moved.areas().edges].concat()
}

fn check_area_gradients<const D: usize>(surface: &Surface<D>) {
    let (rest, h) = (surface.rest(), 1e-6);
    let n = rest.len() as u32;
    let gradients = (0..n).map(|v| surface.vertex_area_gradient(v));
    let gradients: Vec<_> =
        gradients.chain((0..surface.edges().len() as u32).map(|e| surface.edge_area_gradient(e))).collect();
    assert!(gradients.iter().flatten().count() > 10);
    for k in 0..D * rest.len() {
        let [high, low] = [h, -h].map(|h| all_areas(surface, &moved(rest, k, h)));
        let differences: Vec<_> = high.iter().zip(&low).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        let entry = |gradient: &Vec<(u32, Vector<D>)>| {
            gradient.iter().find(|(v, _)| *v as usize == k / D).map_or(0.0, |(_, g)| g[k % D])
        };
        let derivatives: Vec<_> = gradients.iter().map(entry).collect();
        assert_close(&derivatives, &differences, 1e-9, &format!("by number {k}"));
    }
    assert!(gradients.iter().all(|gradient| gradient.windows(2).all(|pair| pair[0].0 < pair[1].0)));
}

#[test]
fn area_gradients_match_differences() {
    check_area_gradients(&everything());
    let x = [[0.0, 0.0], [1.0, 0.2], [1.0, 1.0], [0.0, 1.0], [2.0, 2.0]].map(Vector).to_vec();
    let chain = Surface::new(x, vec![[0, 1], [1, 2], [1, 3]], vec![]).unwrap();
    check_area_gradients(&chain.with_loose_vertices(vec![4]).unwrap());
    assert!(
        everything().vertex_area_gradient(99).is_empty() && everything().edge_area_gradient(99).is_empty()
    );
}

#[test]
fn areas_may_be_given() {
    let surface = everything();
    let (vertices, edges) = (surface.rest().len(), surface.edges().len());
    let given = Areas { vertices: vec![2.0; vertices], edges: vec![3.0; edges] };
    let other = surface.clone().with_areas(given.clone()).unwrap();
    assert_eq!(other.areas(), &given);
    assert!(other.vertex_area_gradient(0).is_empty() && other.edge_area_gradient(0).is_empty());
    assert_eq!(other.with_loose_vertices(vec![]).unwrap().areas(), &given);
    let say = |areas: Areas| surface.clone().with_areas(areas).unwrap_err().to_string();
    let mut bad = given.clone();
    bad.edges[4] = -1.0;
    assert!(say(bad).contains("edge area 4 is -1"));
    let mut bad = given.clone();
    bad.vertices[3] = f64::NAN;
    assert!(say(bad).contains("vertex area 3 is NaN"));
    assert!(say(Areas { vertices: vec![], ..given }).contains("vertex areas has 0 entries, expected 16"));
}

#[test]
fn adjacency_of_everything() {
    let surface = everything();
    let adjacency = surface.adjacency();
    for (f, (face, edges)) in surface.faces().iter().zip(surface.faces_to_edges()).enumerate() {
        for k in 0..3 {
            let mut ends = [face[k], face[(k + 1) % 3]];
            ends.sort_unstable();
            assert_eq!(surface.edges()[edges[k] as usize], ends);
            assert!(adjacency.edge_faces.of(edges[k]).contains(&(f as u32)));
            assert!(adjacency.vertex_faces.of(face[k]).contains(&(f as u32)));
        }
    }
    for (e, &[a, b]) in surface.edges().iter().enumerate() {
        assert!(adjacency.vertex_vertices.of(a).contains(&b) && adjacency.vertex_vertices.of(b).contains(&a));
        assert!(adjacency.vertex_edges.of(a).contains(&(e as u32)));
    }
    let ends: usize = (0..16).map(|v| adjacency.vertex_edges.of(v).len()).sum();
    let sides: usize = (0..surface.edges().len() as u32).map(|e| adjacency.edge_faces.of(e).len()).sum();
    let corners: usize = (0..16).map(|v| adjacency.vertex_faces.of(v).len()).sum();
    assert_eq!((ends, sides, corners), (48, 42, 42));
}

#[test]
fn bodies_are_pieces_unless_they_are_given() {
    let surface = everything();
    assert_eq!(
        [0, 10, 12, 14, 15, 99].map(|v| surface.body(v)),
        [Some(0), Some(0), Some(1), Some(3), None, None]
    );
    let labels: Vec<u32> = (0..16).map(|v| 100 + v / 8).collect();
    let surface = surface.with_bodies(labels).unwrap();
    assert_eq!([0, 10, 14, 15].map(|v| surface.body(v)), [Some(100), Some(101), Some(101), None]);
    let filter = Filter::bodies(&surface);
    assert!(!filter.allows(&[0], &[1, 2]) && filter.allows(&[0], &[8, 9]) && filter.allows(&[15], &[0]));
    let error = surface.with_bodies(vec![0; 3]).unwrap_err();
    assert_eq!(error.to_string(), "bodies has 3 entries, expected 16");
}

/// Bad input in 3D and what is said about it.
#[test]
fn bad_input_names_the_element() {
    let x = || {
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]].map(Vector).to_vec()
    };
    let say = |x: Vec<Vector<3>>, mixed: Mixed| Surface::of_mixed(x, mixed).unwrap_err().to_string();
    let new =
        |edges: Vec<[u32; 2]>, faces: Vec<[u32; 3]>| Surface::new(x(), edges, faces).unwrap_err().to_string();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut x = x();
        x[3][1] = bad;
        assert!(say(x.clone(), Mixed::default()).contains("vertex 3 is not finite"));
        assert!(
            Surface::new(x.clone(), vec![], vec![])
                .unwrap_err()
                .to_string()
                .contains("vertex 3 is not finite")
        );
        let surface = Surface::new(self::cube().0[..5].to_vec(), vec![], vec![[0, 1, 2]]).unwrap();
        assert!(crossings(&surface, &x).unwrap_err().to_string().contains("vertex 3 is not finite"));
        assert!(
            has_crossings(&surface, &x[..4]).unwrap_err().to_string().contains("positions has 4 entries")
        );
    }
    assert!(new(vec![[0, 1], [1, 5]], vec![]).contains("edge 1 names vertex 5, but there are 5"));
    assert!(new(vec![[3, 3]], vec![]).contains("edge 0 names vertex 3 twice"));
    assert!(new(vec![[1, 0], [4, 0]], vec![]).contains("edge 1 has no length"));
    assert!(new(vec![], vec![[0, 1, 2], [0, 4, 2]]).contains("face 1 has no"));
    assert!(
        new(vec![], vec![[0, 1, 2], [0, 1, 3], [2, 0, 1]]).contains("face 2 has the same vertices as face 0")
    );
    let of = |tetrahedra: &[[u32; 4]], triangles: &[[u32; 3]], edges: &[[u32; 2]], vertices: &[u32]| {
        let (tetrahedra, triangles) = (tetrahedra.to_vec(), triangles.to_vec());
        say(x(), Mixed { tetrahedra, triangles, edges: edges.to_vec(), vertices: vertices.to_vec() })
    };
    assert!(of(&[[0, 1, 2, 9]], &[], &[], &[]).contains("tetrahedron 0 names vertex 9"));
    assert!(of(&[[0, 1, 2, 4]], &[], &[], &[]).contains("tetrahedron 0 has no"));
    assert!(of(&[[0, 1, 2, 3], [1, 2, 0, 3]], &[], &[], &[]).contains("tetrahedron 1 has the same vertices"));
    assert!(of(&[], &[[1, 2, 3], [1, 2, 2]], &[], &[]).contains("triangle 1 names vertex 2 twice"));
    assert!(of(&[], &[[1, 2, 3], [0, 4, 3]], &[], &[]).contains("triangle 1 has no"));
    assert!(of(&[], &[[1, 2, 3], [3, 2, 1]], &[], &[]).contains("triangle 1 has the same vertices"));
    assert!(of(&[], &[], &[[0, 4]], &[]).contains("edge 0 has no length"));
    assert!(of(&[], &[], &[], &[0, 5]).contains("loose vertex 1 names vertex 5"));
}

/// Where squares and products overflow or vanish, an extent is still an extent and a line still a line.
#[test]
fn extents_are_decided_exactly_at_any_scale() {
    for exponent in [-1074, -1000, -700, -300, 0, 300, 500, 700, 1000] {
        // In two steps: the smallest power of two is no power of a normal one.
        let unit = 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2);
        let scaled = |x: [[f64; 3]; 3]| x.map(|x| Vector(x) * unit).to_vec();
        let flat = Surface::new(scaled([[1.0; 3], [2.0; 3], [3.0; 3]]), vec![], vec![[0, 1, 2]]);
        assert!(flat.unwrap_err().to_string().contains("face 0 has no"), "{exponent}");
        let face = Surface::new(scaled([[1.0; 3], [2.0; 3], [3.0, 3.0, 4.0]]), vec![], vec![[0, 1, 2]]);
        match face {
            Ok(surface) => assert!(exponent <= 500 && surface.areas().edges[0].is_finite()),
            Err(error) => assert!(exponent >= 700 && error.to_string().contains("face 0 is so large")),
        }
    }
    let line = Surface::new(vec![Vector([-f64::MAX, 0.0]), Vector([f64::MAX, 0.0])], vec![[0, 1]], vec![]);
    assert!(line.unwrap_err().to_string().contains("edge 0 is so large"));
    let short =
        Surface::new(vec![Vector([0.0, 3e-200]), Vector([4e-200, 0.0])], vec![[0, 1]], vec![]).unwrap();
    assert_close(&[short.areas().edges[0] / 5e-200], &[1.0], 1e-15, "a short edge");
}

#[test]
fn linear_maps() {
    // Quadratic edges: vertices 0, 1 are nodes, vertex 2 the middle between them, vertex 3 does not move.
    let made = |offsets: &[usize], columns: &[u32], values: &[f64]| {
        LinearMap::new(3, offsets.to_vec(), columns.to_vec(), values.to_vec())
    };
    let map = made(&[0, 1, 2, 4, 4], &[0, 2, 2, 0], &[1.0, 1.0, 0.5, 0.5]).unwrap();
    assert_eq!((map.nodes(), map.vertices()), (3, 4));
    let u = [[1.0, 2.0], [9.0, 9.0], [3.0, -4.0]].map(Vector);
    assert_eq!(map.apply(&u), [[1.0, 2.0], [3.0, -4.0], [2.0, -1.0], [0.0, 0.0]].map(Vector));
    let mut random = Random::new(7);
    for _ in 0..100 {
        let (u, g) = (random.points::<2, 3>(1.0), random.points::<2, 4>(1.0));
        let inner =
            |a: &[Vector<2>], b: &[Vector<2>]| flat(a).iter().zip(flat(b)).map(|(a, b)| a * b).sum::<f64>();
        let (left, right) = (inner(&map.apply(&u), &g), inner(&u, &map.apply_transposed(&g)));
        assert_close(&[left], &[right], 1e-15 * 10.0, "transposition");
    }
    let message = |made: stiction::error::Result<LinearMap>| made.unwrap_err().to_string();
    assert!(message(made(&[], &[], &[])).contains("offsets of the linear map has 0"));
    assert!(message(made(&[1, 1], &[0], &[1.0])).contains("row 0 is 1: it must be 0"));
    assert!(message(made(&[0, 2, 1], &[0], &[1.0])).contains("row 2 is 1"));
    assert!(message(made(&[0, 2], &[0], &[1.0])).contains("row 1 is 2"));
    assert!(message(made(&[0, 1], &[3], &[1.0])).contains("column of linear map entry 0 is 3"));
    assert!(message(made(&[0, 1], &[0, 1], &[1.0])).contains("columns of the linear map has 2"));
    assert!(message(made(&[0, 1], &[0], &[f64::NAN])).contains("linear map entry 0 is not finite"));
}

/// A vertex filter and what it should say, as a table.
type Told = (VertexFilter, Vec<Vec<bool>>);

fn table(n: u32, allowed: impl Fn(u32, u32) -> bool) -> Vec<Vec<bool>> {
    (0..n).map(|a| (0..n).map(|b| allowed(a, b)).collect()).collect()
}

/// The number of edges from one vertex to every other, by repeated relaxation.
fn hops(surface: &Surface<3>) -> Vec<Vec<u32>> {
    let n = surface.rest().len();
    let mut hops = vec![vec![u32::MAX / 2; n]; n];
    for v in 0..n {
        hops[v][v] = 0;
        for _ in 0..n {
            for [a, b] in surface.edges().iter().map(|e| e.map(|v| v as usize)) {
                hops[v][a] = hops[v][a].min(hops[v][b] + 1);
                hops[v][b] = hops[v][b].min(hops[v][a] + 1);
            }
        }
    }
    hops
}

fn leaf(random: &mut Random, surface: &Surface<3>, hops: &[Vec<u32>]) -> Told {
    let n = surface.rest().len() as u32;
    let labels: Vec<Option<u32>> = (0..n).map(|_| Some(random.below(4)).filter(|label| *label < 3)).collect();
    let label = |v: u32| labels[v as usize];
    match random.below(6) {
        0 => {
            let told = table(n, |a, b| label(a).is_none() || label(a) != label(b));
            (VertexFilter::patches(labels.clone()), told)
        }
        1 => {
            let pairs: Vec<[u32; 2]> = (0..3).map(|_| random.different(3)).collect();
            let told = table(n, |a, b| {
                let (Some(p), Some(q)) = (label(a), label(b)) else { return true };
                pairs.contains(&[p, q]) || pairs.contains(&[q, p])
            });
            (VertexFilter::Patches(Patches::new(labels.clone(), 3, &pairs).unwrap()), told)
        }
        2 => {
            let pairs: Vec<[u32; 2]> = (0..10).map(|_| random.different(n)).collect();
            let told = table(n, |a, b| !pairs.contains(&[a, b]) && !pairs.contains(&[b, a]));
            (VertexFilter::excluding(&pairs), told)
        }
        3 => {
            let fixed: Vec<u32> = (0..n / 2).map(|_| random.below(n)).collect();
            (VertexFilter::fixed(&fixed), table(n, |a, b| !(fixed.contains(&a) && fixed.contains(&b))))
        }
        4 => {
            let told = table(n, |a, b| {
                let apart = hops[a as usize][b as usize] > n;
                apart || surface.body(a).is_none()
            });
            (VertexFilter::components(surface), told)
        }
        _ => {
            let rings = random.below(4);
            let told = table(n, |a, b| hops[a as usize][b as usize] > rings);
            (VertexFilter::rings(surface, rings), told)
        }
    }
}

fn vertex_tree(random: &mut Random, surface: &Surface<3>, hops: &[Vec<u32>], depth: u32) -> Told {
    if depth == 0 {
        return leaf(random, surface, hops);
    }
    let n = surface.rest().len() as u32;
    let at = |told: &Told, a: u32, b: u32| told.1[a as usize][b as usize];
    let first = vertex_tree(random, surface, hops, depth - 1);
    let second = vertex_tree(random, surface, hops, depth - 1);
    match random.below(4) {
        0 => (first.0.clone().and(second.0.clone()), table(n, |a, b| at(&first, a, b) && at(&second, a, b))),
        1 => (first.0.clone().or(second.0.clone()), table(n, |a, b| at(&first, a, b) || at(&second, a, b))),
        2 => (first.0.clone().not(), table(n, |a, b| !at(&first, a, b))),
        _ => first,
    }
}

#[test]
fn filter_trees_say_what_a_table_says() {
    let surface = everything();
    let (n, hops, mut random) = (16, hops(&surface), Random::new(3));
    let mut counts = [0; 2];
    for case in 0..300 {
        let (filter, told) = vertex_tree(&mut random, &surface, &hops, case % 4);
        let (other, other_told) = leaf(&mut random, &surface, &hops);
        let any = Filter::Any(filter.clone());
        let mixed = any.clone().and(Filter::All(other)).or(Filter::All(filter.clone()).not());
        assert!(surface.clone().with_filter(mixed.clone()).is_ok());
        for _ in 0..40 {
            let (first, second) = (random.different::<3>(n), random.different::<2>(n));
            let first = &first[..=random.below(3) as usize];
            let pairs = || first.iter().flat_map(|a| second.iter().map(|b| (*a as usize, *b as usize)));
            let is_any = pairs().any(|(a, b)| told[a][b]);
            let is_all = pairs().all(|(a, b)| told[a][b]);
            let expected = is_any && pairs().all(|(a, b)| other_told[a][b]) || !is_all;
            assert_eq!(any.allows(first, &second), is_any, "{filter:?} {first:?} {second:?}");
            assert_eq!(mixed.allows(first, &second), expected, "{mixed:?} {first:?} {second:?}");
            assert_eq!(any.allows(&second, first), is_any, "the order does not matter");
            counts[usize::from(is_any)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 1000), "{counts:?}");
    assert!(Filter::And(vec![]).allows(&[0], &[1]) && !Filter::Or(vec![]).allows(&[0], &[1]));
}

#[test]
fn primitives_within_rings_never_touch() {
    let (x, faces) = grid(6);
    let surface = Surface::new(x, vec![], faces).unwrap();
    let hops = hops(&surface);
    for rings in 0..4 {
        let filter = Filter::rings(&surface, rings);
        for f in surface.faces() {
            for e in surface.edges() {
                let least = f.iter().flat_map(|a| e.iter().map(|b| hops[*a as usize][*b as usize])).min();
                assert_eq!(filter.allows(f, e), least > Some(rings), "{f:?} {e:?}");
            }
        }
    }
    let other = Surface::new(grid(3).0, vec![], grid(3).1).unwrap();
    let error = surface.with_filter(Filter::rings(&other, 1)).unwrap_err();
    assert!(error.to_string().contains("has 9 entries, expected 36"), "{error}");
}

/// Whether two hulls of points with small whole coordinates are disjoint: a direction parts them. The directions are
/// all that can be needed: those of differences of points, of their cross products and of the cross products of both.
fn parted(first: &[Vector<3>], second: &[Vector<3>]) -> bool {
    let points = [first, second].concat();
    let pairs = (0..points.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let lines: Vec<_> = pairs.map(|(i, j)| points[i] - points[j]).collect();
    let normals: Vec<_> = lines.iter().flat_map(|a| lines.iter().map(|b| cross(*a, *b))).collect();
    let parts = |n: Vector<3>| {
        // Exact: whole numbers far below 2⁵³.
        let range = |points: &[Vector<3>]| {
            let heights = points.iter().map(|p| p.dot(n) as i64);
            (heights.clone().min(), heights.max())
        };
        let ((low, high), (other_low, other_high)) = (range(first), range(second));
        low > other_high || other_low > high
    };
    let across = |n: &Vector<3>| *n != Vector::ZERO && lines.iter().any(|line| parts(cross(*n, *line)));
    lines.iter().any(|n| parts(*n)) || normals.iter().any(|n| parts(*n)) || normals.iter().any(across)
}

fn lifted<const D: usize>(x: &[Vector<D>], vertices: &[u32]) -> Vec<Vector<3>> {
    let lift = |v: &u32| Vector(std::array::from_fn(|k| if k < D { x[*v as usize][k] } else { 0.0 }));
    vertices.iter().map(lift).collect()
}

/// What crosses by the oracle, of all pairs.
fn oracle<const D: usize>(surface: &Surface<D>, x: &[Vector<D>]) -> Vec<CrossingPair> {
    let (edges, faces) = (surface.edges(), surface.faces());
    let numbered = |list: &[u32]| list.iter().map(|e| (*e, edges[*e as usize].to_vec())).collect::<Vec<_>>();
    let all: Vec<u32> = (0..edges.len() as u32).collect();
    let particles: Vec<_> = surface.loose_vertices().iter().map(|v| (*v, vec![*v])).collect();
    let rods = numbered(if D == 2 { &all } else { surface.loose_edges() });
    let (all, triangles): (_, Vec<_>) =
        (numbered(&all), (0..).zip(faces.iter().map(|f| f.to_vec())).collect());
    let mut out = Vec::new();
    let mut add =
        |kind: fn(u32, u32) -> CrossingPair, first: &[(u32, Vec<u32>)], second: &[(u32, Vec<u32>)]| {
            let same = first == second;
            for (a, p) in first {
                for (b, q) in second.iter().filter(|(b, _)| !same || b > a) {
                    if !p.iter().any(|v| q.contains(v)) && !parted(&lifted(x, p), &lifted(x, q)) {
                        out.push(kind(*a, *b));
                    }
                }
            }
        };
    add(CrossingPair::VertexVertex, &particles, &particles);
    add(CrossingPair::VertexEdge, &particles, &rods);
    add(CrossingPair::EdgeEdge, &rods, &rods);
    add(CrossingPair::VertexFace, &particles, &triangles);
    add(CrossingPair::EdgeFace, if D == 2 { &[] } else { &all }, &triangles);
    out
}

fn pairs<const D: usize>(found: &[Crossing<D>]) -> Vec<CrossingPair> {
    found.iter().map(|crossing| crossing.pair).collect()
}

/// A surface of a few primitives of every kind, over vertices that are given places afterwards.
fn jumble<const D: usize>(random: &mut Random, n: u32) -> Surface<D> {
    let rest = (0..n).map(|_| random.points::<D, 1>(1.0)[0]).collect();
    let face = |_| {
        let mut face = random.different::<3>(n);
        face.sort_unstable();
        face
    };
    let faces: BTreeSet<_> = (0..if D == 2 { 0 } else { 5 }).map(face).collect();
    let edges = (0..if D == 2 { 8 } else { 4 }).map(|_| random.different(n)).collect();
    let surface = Surface::new(rest, edges, faces.into_iter().collect()).unwrap();
    surface.with_loose_vertices((0..n).collect()).unwrap()
}

/// Crossings against the oracle at places with small whole coordinates, where most pairs that meet do so by touching,
/// in a plane or on a line, and many primitives have no extent.
fn check_against_oracle<const D: usize>(cases: u64, size: u32) -> [usize; 5] {
    let mut counts = [0; 5];
    for case in 0..cases {
        let mut random = Random::new(1000 * u64::from(size) + case);
        let surface = jumble::<D>(&mut random, 16);
        let x: Vec<Vector<D>> =
            (0..16).map(|_| Vector(std::array::from_fn(|_| f64::from(random.below(size))))).collect();
        let expected = oracle(&surface, &x);
        for broad_phase in [BroadPhaseKind::Bvh, BroadPhaseKind::BruteForce] {
            let found = Check { broad_phase, ..Check::default() }.crossings(&surface, &x).unwrap();
            assert_eq!(pairs(&found), expected, "case {case} of {size}: {surface:?} at {x:?}");
        }
        assert_eq!(has_crossings(&surface, &x).unwrap(), !expected.is_empty());
        for pair in expected {
            counts[match pair {
                CrossingPair::VertexVertex(..) => 0,
                CrossingPair::VertexEdge(..) => 1,
                CrossingPair::EdgeEdge(..) => 2,
                CrossingPair::VertexFace(..) => 3,
                _ => 4,
            }] += 1;
        }
    }
    counts
}

#[test]
fn crossings_in_space_are_those_of_an_exact_oracle() {
    let counts = [(3, 400), (5, 300), (9, 300)].map(|(size, cases)| check_against_oracle::<3>(cases, size));
    for kind in 0..5 {
        assert!(counts.iter().map(|c| c[kind]).sum::<usize>() > 20, "{counts:?}");
    }
}

#[test]
fn crossings_in_the_plane_are_those_of_an_exact_oracle() {
    let counts =
        [(3, 1000), (6, 1000), (20, 1000)].map(|(size, cases)| check_against_oracle::<2>(cases, size));
    for kind in 0..3 {
        assert!(counts.iter().map(|c| c[kind]).sum::<usize>() > 50, "{counts:?}");
    }
}

/// A power of two changes nothing, also where no product of coordinates is a number.
#[test]
fn crossings_do_not_depend_on_the_scale() {
    for case in 0..6 {
        let mut random = Random::new(case);
        let (solid, flat) = (jumble::<3>(&mut random, 16), jumble::<2>(&mut random, 16));
        let x: Vec<Vector<3>> =
            (0..16).map(|_| Vector(std::array::from_fn(|_| f64::from(random.below(6))))).collect();
        let y: Vec<Vector<2>> = x.iter().map(|x| Vector([x[0], x[1]])).collect();
        let (of_solid, of_flat) =
            (pairs(&crossings(&solid, &x).unwrap()), pairs(&crossings(&flat, &y).unwrap()));
        assert!(!of_solid.is_empty() && !of_flat.is_empty());
        for exponent in [-1074, -400, 400, 1020] {
            let unit = 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2);
            let scaled: Vec<_> = x.iter().map(|x| *x * unit).collect();
            assert_eq!(pairs(&crossings(&solid, &scaled).unwrap()), of_solid, "2^{exponent}");
            let scaled: Vec<_> = y.iter().map(|y| *y * unit).collect();
            assert_eq!(pairs(&crossings(&flat, &scaled).unwrap()), of_flat, "2^{exponent}");
        }
    }
}

/// The distance of a point from a triangle, a segment or a point, from below: to the plane or line through it.
fn offset(p: Vector<3>, hull: &[Vector<3>]) -> f64 {
    match *hull {
        [a, b, c] if cross(b - a, c - a).norm() > 1e-3 => (p - a).dot(cross(b - a, c - a).normalized()).abs(),
        [a, b] => cross((b - a).normalized(), p - a).norm(),
        _ => 0.0,
    }
}

#[test]
#[expect(clippy::unreadable_literal, reason = "as they were found")]
fn the_place_is_on_both_primitives() {
    let (mut random, mut seen) = (Random::new(11), 0);
    for _ in 0..300 {
        let surface = jumble::<3>(&mut random, 16);
        let x: Vec<_> = (0..16).map(|_| random.points::<3, 1>(1.0)[0]).collect();
        for crossing in crossings(&surface, &x).unwrap() {
            let hulls = [&crossing.first, &crossing.second].map(|v| lifted(&x, v));
            for hull in &hulls {
                assert!(offset(crossing.place, hull) < 1e-13, "{crossing}");
            }
            // Inside the edge, and inside the face: the areas seen from the place add up to its own.
            let [a, b, c] = hulls[1][..] else { panic!("only edges and faces cross at random places") };
            let area = |a, b, c| cross(b - a, c - a).norm();
            let p = crossing.place;
            let (parts, whole) = (area(p, b, c) + area(a, p, c) + area(a, b, p), cross(b - a, c - a).norm());
            assert!((parts - whole).abs() < 1e-13, "{crossing}");
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen}");
    // Nearly parallel: the place is ill-conditioned, and right all the same.
    let (p, q) = (
        [[0.6547311031038703, 0.968360443261588], [0.07444249727330998, 0.15233719436940873]],
        [[0.2892070416411202, 0.45434702099874885], [0.2923818479871199, 0.45881155082586517]],
    );
    let x = [p[0], p[1], q[0], q[1]].map(Vector).to_vec();
    let flat = Surface::new(x.clone(), vec![[0, 1], [2, 3]], vec![]).unwrap();
    for crossing in crossings(&flat, &x).unwrap() {
        let off = |a: Vector<2>, b: Vector<2>| closest::vertex_edge(crossing.place, a, b).1.sqrt();
        assert!(off(x[0], x[1]) < 1e-15 && off(x[2], x[3]) < 1e-15, "{crossing}");
    }
    // Edges and faces in one plane, on one line and end to end.
    let rest =
        [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [9.0, 9.0, 9.0], [8.0, 9.0, 9.0]].map(Vector).to_vec();
    let surface = Surface::new(rest.clone(), vec![[3, 4]], vec![[0, 1, 2]]).unwrap();
    let at = |a: [f64; 3], b: [f64; 3]| {
        let mut x = rest.clone();
        (x[3], x[4]) = (Vector(a), Vector(b));
        let found = crossings(&surface, &x).unwrap();
        let pair = found.iter().find(|c| matches!(c.pair, CrossingPair::EdgeFace(..)));
        pair.unwrap().place.0
    };
    assert_eq!(at([1.0, 1.0, 0.0], [9.0, 9.0, 0.0]), [1.0, 1.0, 0.0]);
    assert_eq!(at([9.0, 9.0, 0.0], [1.0, 1.0, 0.0]), [1.0, 1.0, 0.0]);
    assert_eq!(at([-1.0, 1.0, 0.0], [5.0, 1.0, 0.0])[1..], [1.0, 0.0]);
    assert_eq!(at([-2.0, 0.0, 0.0], [9.0, 0.0, 0.0])[1..], [0.0, 0.0]);
    assert_eq!(at([0.0, 4.0, 0.0], [0.0, 9.0, 3.0]), [0.0, 4.0, 0.0]);
}

#[test]
fn a_filter_excuses_what_it_names_and_nothing_else() {
    // Two rods and a particle at one place, over a face.
    let x = [
        [0.0; 3],
        [4.0, 0.0, 0.0],
        [0.0, 4.0, 0.0],
        [1.0, 1.0, -1.0],
        [1.0, 1.0, 1.0],
        [0.0, 1.0, 1.0],
        [2.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
    ];
    let x = x.map(Vector).to_vec();
    let surface = Surface::new(x.clone(), vec![[3, 4], [5, 6]], vec![[0, 1, 2]]).unwrap();
    let surface =
        surface.with_loose_vertices(vec![7]).unwrap().with_bodies(vec![0, 0, 0, 5, 5, 6, 6, 7]).unwrap();
    let edge = |e: [u32; 2]| surface.edges().binary_search(&e).unwrap() as u32;
    let (needle, bar) = (edge([3, 4]), edge([5, 6]));
    let all = crossings(&surface, &x).unwrap();
    let expected = [
        CrossingPair::VertexEdge(7, needle),
        CrossingPair::VertexEdge(7, bar),
        CrossingPair::EdgeEdge(needle, bar),
        CrossingPair::EdgeFace(needle, 0),
    ];
    assert_eq!(pairs(&all), expected);
    assert_eq!(all[0].bodies, [Some(7), Some(5)]);
    let message = "vertex (7) of body 7 crosses edge (3, 4) of body 5 near (1.0, 1.0, 1.0): move them apart, or exclude the pair by a filter";
    assert_eq!(all[0].to_string(), message);
    let strict = Filter::All(VertexFilter::excluding(&[[7, 4]]));
    let filtered = surface.with_filter(strict).unwrap();
    assert_eq!(pairs(&crossings(&filtered, &x).unwrap()), expected[1..]);
    let check = Check { filtered: true, ..Check::default() };
    assert_eq!(pairs(&check.crossings(&filtered, &x).unwrap()), expected);
    let filtered = filtered.with_filter(Filter::And(vec![]).not()).unwrap();
    assert!(!has_crossings(&filtered, &x).unwrap() && check.any(&filtered, &x).unwrap());
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let (mut x, mut faces) = grid(40);
    let n = x.len() as u32;
    x.extend(x.clone().iter().map(|x| Vector([x[0] + 0.3, x[1] + 0.2, x[2] + 0.05])));
    faces.extend(faces.clone().iter().map(|f| f.map(|v| v + n)));
    let surface = Surface::new(x.clone(), vec![], faces).unwrap();
    let found = [1, 2, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| crossings(&surface, &x).unwrap())
    });
    assert!(found[0].len() > 300, "{}", found[0].len());
    assert!(found[0] == found[1] && found[0] == found[2]);
}
