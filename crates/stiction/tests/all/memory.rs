//! Contacts keep their identity: keys, what is remembered, and who goes on for whom, against all pairs by the definition.

use crate::contacts::{flat_scene, moved, selections, solid_scene};
use crate::support::{Random, nearly_parallel};
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::broad_phase::BroadPhaseKind;
use stiction::contact::{
    AnyContact, Carried, Carry, ContactKey, ContactMemory, Contacts, Feature, Origin, Passage, Selection,
};
use stiction::friction::{PerSlide, lag};
use stiction::math::Vector;
use stiction::mesh::Surface;
use stiction::obstacle::{Obstacle, Plane};

use ContactKey::{EdgeEdge, VertexEdge, VertexFace, VertexObstacle, VertexVertex};

const RULES: [Carry; 3] = [Carry::Extensive, Carry::Smallest, Carry::Largest];
const FRESH: [f64; 3] = [7.0, 8.0, 9.0];

fn plane<const D: usize>() -> [Obstacle<D>; 1] {
    [Obstacle::Plane(Plane::new(Vector::axis(0) * 0.1, Vector::axis(0)).unwrap())]
}

fn build<const D: usize>(surface: &Surface<D>, x: &[Vector<D>], selection: &Selection) -> Contacts {
    let candidates = BroadPhaseKind::Bvh.candidates(surface, x, x, 0.5 * selection.reach);
    Contacts::build(surface, &candidates, &plane(), x, selection)
}

/// Keys with weights, in the order of kinds.
fn weighed<const D: usize>(contacts: &Contacts, surface: &Surface<D>) -> Vec<(ContactKey, f64)> {
    let weights = contacts.weights();
    contacts.keys(surface).unwrap().into_iter().zip(weights.iter().copied()).collect()
}

fn remembered(random: &mut Random, contacts: &[(ContactKey, f64)]) -> ContactMemory<3> {
    let mut keys: Vec<_> = contacts.iter().map(|contact| contact.0).collect();
    keys.sort_unstable();
    keys.dedup();
    let entries = keys.into_iter().map(|key| (key, std::array::from_fn(|_| random.between(0.0, 1.0))));
    ContactMemory::new(entries.rev().collect()).unwrap()
}

/// The vertices of a side, ascending.
fn vertices<const D: usize>(side: Feature, surface: &Surface<D>) -> Vec<u32> {
    let mut out = match side {
        Feature::Vertex(v) => vec![v],
        Feature::Edge(e) => surface.edges()[e as usize].to_vec(),
        Feature::Face(f) => surface.faces()[f as usize].to_vec(),
        Feature::Obstacle(_) => vec![],
    };
    out.sort_unstable();
    out
}

/// The definition, from the vertices of both sides, either way round.
fn are_neighbours<const D: usize>(one: ContactKey, other: ContactKey, surface: &Surface<D>) -> bool {
    let sides = |key: ContactKey| key.sides().map(|side| vertices(side, surface));
    let (a, b) = (sides(one), sides(other));
    let touch = |p: &[u32], q: &[u32]| p.iter().any(|v| q.contains(v));
    let within = |p: &[u32], q: &[u32]| p.iter().all(|v| q.contains(v));
    let flipped = [b[1].clone(), b[0].clone()];
    let edges_and_ends = |p: &[Vec<u32>; 2], q: &[Vec<u32>; 2]| {
        p.iter().all(|side| side.len() == 2) && q.iter().all(|side| side.len() == 1) && {
            within(&q[0], &p[0]) && within(&q[1], &p[1])
        }
    };
    [b, flipped].iter().any(|b| {
        (a[0] == b[0] && touch(&a[1], &b[1]))
            || (a[1] == b[1] && touch(&a[0], &b[0]))
            || edges_and_ends(&a, b)
            || edges_and_ends(b, &a)
    }) && !matches!((one, other), (VertexObstacle(..), _) | (_, VertexObstacle(..)))
}

/// All pairs of all contacts.
fn slowly<const D: usize>(
    old: &ContactMemory<3>,
    now: &[(ContactKey, f64)],
    surface: &Surface<D>,
) -> Carried<3> {
    let mut keys: Vec<_> = now.iter().map(|contact| contact.0).collect();
    keys.sort_unstable();
    keys.dedup();
    let weight = |key| now.iter().filter(|contact| contact.0 == key).map(|contact| contact.1.abs()).sum();
    let is_new = |key| old.get(key).is_none();
    let heirs = |gone: ContactKey| -> Vec<(ContactKey, f64)> {
        let heirs = keys.iter().filter(|&&key| is_new(key) && are_neighbours(gone, key, surface));
        heirs.map(|&key| (key, weight(key))).collect()
    };
    let gone: Vec<_> = old.iter().filter(|entry| !keys.contains(&entry.0)).collect();
    let (mut entries, mut origins) = (Vec::new(), Vec::new());
    for &key in &keys {
        let mut numbers = [0.0, f64::INFINITY, f64::NEG_INFINITY];
        let mut origin = Origin::New;
        for (before, [force, birth, slip]) in &gone {
            let heirs = heirs(*before);
            let Some(own) = heirs.iter().find(|heir| heir.0 == key) else { continue };
            let total: f64 = heirs.iter().map(|heir| heir.1).sum();
            numbers = [
                numbers[0] + force * own.1 / total,
                f64::min(numbers[1], *birth),
                f64::max(numbers[2], *slip),
            ];
            origin = Origin::Neighbour;
        }
        if origin == Origin::New {
            numbers = old.get(key).copied().unwrap_or(FRESH);
            origin = if is_new(key) { Origin::New } else { Origin::Same };
        }
        entries.push((key, numbers));
        origins.push(origin);
    }
    let ended = gone.iter().map(|entry| entry.0).filter(|key| heirs(*key).is_empty()).collect();
    Carried { memory: ContactMemory::new(entries).unwrap(), origins, ended }
}

/// How often each origin was met, and how many ended.
type Fates = [usize; 4];

fn compare<const D: usize>(
    random: &mut Random,
    surface: &Surface<D>,
    [before, after]: [&[(ContactKey, f64)]; 2],
    fates: &mut Fates,
) {
    let old = remembered(random, before);
    let fast = old.carried_over(after, surface, &RULES, FRESH);
    let slow = slowly(&old, after, surface);
    assert_eq!((&fast.origins, &fast.ended), (&slow.origins, &slow.ended));
    for ((key, a), (other, b)) in fast.memory.iter().zip(slow.memory.iter()) {
        assert_eq!((key, a[1], a[2]), (other, b[1], b[2]));
        assert!((a[0] - b[0]).abs() < 1e-14, "{key}: {a:?}, by definition {b:?}");
    }
    let ended = |key: &ContactKey| fast.ended.binary_search(key).is_ok();
    let passed: f64 = old.iter().filter(|entry| !ended(&entry.0)).map(|entry| entry.1[0]).sum();
    let with_origin = || fast.memory.iter().zip(&fast.origins);
    let arrived = with_origin().filter(|(_, origin)| **origin != Origin::New);
    let arrived: f64 = arrived.map(|(entry, _)| entry.1[0]).sum();
    assert!((passed - arrived).abs() <= 1e-13 * passed.max(1.0), "{passed} became {arrived}");
    assert!(fast.memory.iter().map(|entry| entry.0).is_sorted_by(|a, b| a < b));
    for origin in &fast.origins {
        fates[*origin as usize] += 1;
    }
    fates[3] += fast.ended.len();
}

#[test]
fn memory_goes_where_the_definition_says() {
    let (mut random, mut fates) = (Random::new(91), [[0; 4]; 2]);
    for round in 0..12 {
        let (surface, x) = flat_scene(&mut random);
        let y = moved(&mut random, &x, [0.02, 0.1][round % 2]);
        for selection in selections() {
            let both = [&x, &y].map(|x| weighed(&build(&surface, x, &selection), &surface));
            compare(&mut random, &surface, [&both[0], &both[1]], &mut fates[0]);
        }
        let (surface, x) = solid_scene(&mut random, [0.002, 0.01, 0.04][round % 3]);
        let y = moved(&mut random, &x, [0.02, 0.06][round % 2]);
        // The scene is dense: most pairs of primitives are contacts at the reach of other tests.
        for selection in selections().into_iter().map(|s| Selection { reach: 0.15, ..s }) {
            let both = [&x, &y].map(|x| weighed(&build(&surface, x, &selection), &surface));
            compare(&mut random, &surface, [&both[0], &both[1]], &mut fates[1]);
        }
    }
    println!("same, neighbour, new, ended: {fates:?}");
    assert!(fates.as_flattened().iter().all(|count| *count > 100), "{fates:?}");
}

/// Two triangles of a square, `0 1 2` and `1 3 2`, a third `3 1 4` beside them, and a triangle `5 6 7` above.
fn square() -> Surface<3> {
    let x = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0]].map(|[x, y]| Vector([x, y, 0.0]));
    let above = [[0.3, 0.3], [1.3, 0.4], [0.4, 1.2]].map(|[x, y]| Vector([x, y, 0.1]));
    let rest = x.into_iter().chain(above).collect();
    Surface::new(rest, vec![], vec![[0, 1, 2], [1, 3, 2], [3, 1, 4], [5, 6, 7]]).unwrap()
}

#[test]
fn the_same_place_is_the_same_contact() {
    let surface = square();
    let edge = |a, b| surface.edge_between(a, b).unwrap();
    let (side, diagonal, far) = (edge(0, 1), edge(1, 2), edge(3, 4));
    let (above, beside) = (edge(5, 6), edge(6, 7));
    let edges = |a: u32, b: u32| EdgeEdge(a.min(b), a.max(b));
    let cases = [
        // A vertex over a face, over its edge, over a vertex of that.
        (VertexFace(5, 0), VertexEdge(5, diagonal), true),
        (VertexEdge(5, diagonal), VertexVertex(1, 5), true),
        (VertexFace(5, 0), VertexVertex(2, 5), true),
        // On to the next within a step.
        (VertexFace(5, 0), VertexFace(5, 1), true),
        (VertexEdge(5, side), VertexEdge(5, diagonal), true),
        (VertexFace(5, 0), VertexFace(6, 0), false),
        (VertexEdge(5, side), VertexEdge(5, far), false),
        (VertexVertex(0, 5), VertexVertex(1, 5), false),
        // Edges that come to an end.
        (edges(above, diagonal), VertexEdge(5, diagonal), true),
        (edges(above, diagonal), VertexEdge(2, above), true),
        (edges(above, diagonal), VertexVertex(2, 6), true),
        (edges(above, diagonal), VertexVertex(3, 6), false),
        (edges(above, diagonal), edges(above, side), true),
        (edges(above, diagonal), edges(beside, side), false),
        // A vertex of a on a face of b, and a vertex of b on a face of a.
        (VertexFace(5, 0), VertexFace(0, 3), false),
        (VertexEdge(5, diagonal), VertexEdge(1, above), false),
        // Obstacles.
        (VertexObstacle(5, 0), VertexObstacle(5, 1), false),
        (VertexObstacle(5, 0), VertexVertex(0, 5), false),
    ];
    for (one, other, expected) in cases {
        assert_eq!(are_neighbours(one, other, &surface), expected, "{one}, {other}");
        for (old, new) in [(one, other), (other, one)] {
            let memory = ContactMemory::new(vec![(old, [1.0, 2.0, 3.0])]).unwrap();
            let carried = memory.carried_over(&[(new, 1.0)], &surface, &RULES, FRESH);
            let (numbers, origin, ended) = if expected {
                ([1.0, 2.0, 3.0], Origin::Neighbour, vec![])
            } else {
                (FRESH, Origin::New, vec![old])
            };
            assert_eq!(carried.memory.get(new), Some(&numbers), "{old}, {new}");
            assert_eq!((carried.origins, carried.ended), (vec![origin], ended));
        }
    }
}

#[test]
fn extensive_numbers_are_summed_and_shared_by_weight() {
    let surface = square();
    let edge = |a, b| surface.edge_between(a, b).unwrap();
    let memory = |keys: &[ContactKey]| {
        let entries = keys.iter().zip(1..).map(|(key, k)| (*key, [f64::from(k); 3]));
        ContactMemory::new(entries.collect()).unwrap()
    };
    // Two become one.
    let two = memory(&[VertexFace(5, 0), VertexFace(5, 1)]);
    let one = two.carried_over(&[(VertexEdge(5, edge(1, 2)), -2.0)], &surface, &RULES, FRESH);
    assert_eq!(one.memory.get(VertexEdge(5, edge(1, 2))), Some(&[3.0, 1.0, 2.0]));
    // One becomes two; weights of any sign, and a key that is there twice.
    let heirs = [(VertexFace(5, 1), -2.0), (VertexFace(5, 0), 0.5), (VertexFace(5, 0), 0.5)];
    let again = one.memory.carried_over(&heirs, &surface, &RULES, FRESH);
    assert_eq!(again.memory.get(VertexFace(5, 0)), Some(&[1.0, 1.0, 2.0]));
    assert_eq!(again.memory.get(VertexFace(5, 1)), Some(&[2.0, 1.0, 2.0]));
    // Without weights they share alike.
    let none = heirs.map(|(key, _)| (key, 0.0));
    let alike = one.memory.carried_over(&none, &surface, &RULES, FRESH);
    assert!(alike.memory.iter().all(|entry| entry.1[0] == 1.5));
    // What stays takes nothing.
    let stays = two.carried_over(&[(VertexFace(5, 0), 1.0)], &surface, &RULES, FRESH);
    assert_eq!(stays.memory.get(VertexFace(5, 0)), Some(&[1.0; 3]));
    assert_eq!((stays.origins, stays.ended), (vec![Origin::Same], vec![VertexFace(5, 1)]));
    assert_eq!(stays.memory.get(VertexFace(5, 1)), None);
}

/// Whatever the order of candidates, and whichever end of a pair comes first.
#[test]
fn keys_are_the_same_in_every_build() {
    let mut random = Random::new(92);
    for _ in 0..3 {
        let (surface, x) = solid_scene(&mut random, 0.01);
        for selection in selections() {
            let mut candidates = BroadPhaseKind::Bvh.candidates(&surface, &x, &x, 0.5 * selection.reach);
            let first = Contacts::build(&surface, &candidates, &plane(), &x, &selection);
            for list in [&mut candidates.vv, &mut candidates.ve, &mut candidates.ee, &mut candidates.vf] {
                list.reverse();
            }
            for list in [&mut candidates.vv, &mut candidates.ee] {
                list.iter_mut().step_by(2).for_each(|pair| *pair = (pair.1, pair.0));
            }
            let second = Contacts::build(&surface, &candidates, &plane(), &x, &selection);
            let keys = first.keys(&surface).unwrap();
            assert_eq!(keys, second.keys(&surface).unwrap());
            let kind = |key: &ContactKey| match key {
                VertexVertex(a, b) | EdgeEdge(a, b) => assert!(a < b),
                _ => {}
            };
            keys.iter().for_each(kind);
            first.for_each(|c| {
                let key = keys.iter().filter(|key| key.sides().map(|s| vertices(s, &surface)) == sorted(c));
                let obstacle = matches!(c, AnyContact::Obstacle(_));
                assert!(key.count() >= 1 || obstacle, "{c:?}");
            });
        }
    }
}

/// The vertices of both primitives, ascending, the smaller edge or vertex first.
fn sorted(contact: AnyContact<'_>) -> [Vec<u32>; 2] {
    contact.primitives().map(|side| {
        let mut side = side.to_vec();
        side.sort_unstable();
        side
    })
}

#[test]
fn kinds_are_visited_in_one_order() {
    let mut random = Random::new(93);
    let (surface, x) = solid_scene(&mut random, 0.01);
    let contacts = build(&surface, &x, &selections()[0]);
    let kind = |contact: AnyContact<'_>| match contact {
        AnyContact::VertexVertex(_) => 0,
        AnyContact::VertexEdge(_) => 1,
        AnyContact::EdgeEdge(_) => 2,
        AnyContact::VertexFace(_) => 3,
        AnyContact::Parallel(_) => 4,
        AnyContact::Obstacle(_) => 5,
    };
    let (mut visited, mut kinds) = (Vec::new(), Vec::new());
    contacts.for_each(|c| {
        visited.push((c.vertices().to_vec(), c.weight()));
        kinds.push(kind(c));
    });
    assert!(kinds.is_sorted() && (0..6).all(|kind| kinds.contains(&kind)) && kinds.len() == contacts.len());
    let mapped = contacts.map(|c| (c.vertices().to_vec(), c.weight()));
    assert!(mapped.iter().eq(&visited));
    let (mut odd, mut count) = (contacts.clone(), 0);
    odd.retain(|c| {
        assert_eq!(c.vertices(), visited[count].0);
        count += 1;
        count % 2 == 0
    });
    let mut left = Vec::new();
    odd.for_each(|c| left.push(c.vertices().to_vec()));
    assert!(visited.iter().skip(1).step_by(2).map(|v| &v.0).eq(&left));
    let mut all = Vec::new();
    contacts.for_each_vertex(|v| all.push(v));
    assert_eq!(all, visited.into_iter().flat_map(|v| v.0).collect::<Vec<_>>());
}

#[test]
fn keys_can_be_read() {
    for (key, words) in [
        (VertexVertex(1, 2), "vertex 1 and vertex 2"),
        (VertexEdge(1, 2), "vertex 1 and edge 2"),
        (EdgeEdge(1, 2), "edge 1 and edge 2"),
        (VertexFace(1, 2), "vertex 1 and face 2"),
        (VertexObstacle(1, 2), "vertex 1 and obstacle 2"),
    ] {
        assert_eq!(key.to_string(), words);
        let (kind, sides) = key.code();
        assert_eq!(ContactKey::from_code(kind, sides), Some(key));
    }
    for (kind, sides) in [(0, [2, 1]), (0, [1, 1]), (2, [2, 1]), (5, [1, 2])] {
        assert_eq!(ContactKey::from_code(kind, sides), None);
    }
    let ascending = [VertexVertex(9, 9), VertexEdge(8, 8), EdgeEdge(1, 2), EdgeEdge(1, 3), VertexFace(0, 0)];
    assert!(ascending.is_sorted() && VertexFace(9, 9) < VertexObstacle(0, 0));
    let surface = square().with_bodies(vec![4, 4, 4, 4, 4, 7, 7, 7]).unwrap();
    assert_eq!(VertexFace(5, 0).bodies(&surface), [Some(7), Some(4)]);
    assert_eq!(VertexObstacle(5, 0).bodies(&surface), [Some(7), None]);
    assert_eq!(EdgeEdge(900, 0).bodies(&surface), [None, Some(4)]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let twice = vec![(VertexFace(3, 1), [0.0]), (VertexEdge(3, 1), [0.0]), (VertexFace(3, 1), [1.0])];
    let message = ContactMemory::new(twice).unwrap_err().to_string();
    assert!(message.contains("contact 2") && message.contains("contact 0"), "{message}");
    let mut random = Random::new(94);
    let (surface, x) = solid_scene(&mut random, 0.01);
    let contacts = build(&surface, &x, &selections()[0]);
    let other = Surface::new(x.clone(), vec![[0, 1]], vec![]).unwrap();
    let message = contacts.keys(&other).unwrap_err().to_string();
    assert!(message.contains(&format!("contact {}", contacts.vv.len())), "{message}");
    // Memory of another surface is no danger: what it names is not there.
    let memory = ContactMemory::new(vec![(EdgeEdge(900, 901), [1.0; 3]), (VertexFace(1, 900), [1.0; 3])]);
    let carried = memory.unwrap().carried_over(&weighed(&contacts, &surface), &surface, &RULES, FRESH);
    assert_eq!(carried.ended.len(), 2);
    assert!(carried.origins.iter().all(|origin| *origin == Origin::New));
}

/// The slip of a contact is what friction's frozen plane and closest points say of the same motion.
#[test]
fn slips_are_those_of_slides() {
    let mut random = Random::new(95);
    for _ in 0..5 {
        let (surface, x) = solid_scene(&mut random, 0.01);
        let start = moved(&mut random, &x, 0.1);
        let contacts = build(&surface, &x, &selections()[0]);
        let law = BarrierLaw::new(BarrierKind::ClampedLog, 0.3).unwrap();
        let barrier = BarrierPotential { contacts: &contacts, obstacles: &plane(), law, kappa: 1.0.into() };
        let slides = lag(&barrier, &x, &0.5.into());
        let field: Vec<_> = x.iter().zip(&start).map(|(x, start)| *x - *start).collect();
        let of = |slide: &stiction::friction::Slide<3, 4>| slide.tangential(&slide.stencil.gather(&field));
        let expected = PerSlide {
            obstacle: slides
                .obstacle
                .iter()
                .map(|s| s.tangential(&s.stencil.gather(&field)).norm())
                .collect(),
            vv: slides.vv.iter().map(|s| s.tangential(&s.stencil.gather(&field)).norm()).collect(),
            ve: slides.ve.iter().map(|s| s.tangential(&s.stencil.gather(&field)).norm()).collect(),
            ee: slides.ee.iter().map(|s| of(s).norm()).collect(),
            vf: slides.vf.iter().map(|s| of(s).norm()).collect(),
        };
        let expected = expected.to_contacts(&contacts).unwrap();
        let rest = |_: u32, _: Vector<3>| Vector::ZERO;
        let step = Passage { x_start: &start, x: &x, obstacles: &plane(), moved: &rest };
        let slips = contacts.slips(&step);
        assert!(slips.iter().count() == contacts.len() && contacts.len() > 100);
        for (a, b) in slips.iter().zip(expected.iter()) {
            assert!((a - b).abs() < 1e-12, "{a} and {b}");
        }
        // With an obstacle that moves as the vertices do, nothing slides on it.
        let along = |_: u32, _: Vector<3>| Vector([0.0, 0.1, 0.2]);
        let start: Vec<_> = x.iter().map(|x| *x - Vector([0.3, 0.1, 0.2])).collect();
        let step = Passage { x_start: &start, x: &x, obstacles: &plane(), moved: &along };
        assert!(contacts.slips(&step).obstacle.iter().all(|slip| *slip < 1e-12));
    }
}

/// Whichever parts of them are closest.
#[test]
fn parallel_edges_have_the_key_of_their_edges() {
    let mut random = Random::new(96);
    let scene = nearly_parallel(&mut random);
    let contacts = scene.contacts(&scene.x);
    let keys = contacts.keys(&scene.surface).unwrap();
    let first = contacts.len() - contacts.obstacle.len() - contacts.parallel.len();
    assert!(!contacts.parallel.is_empty());
    for key in &keys[first..first + contacts.parallel.len()] {
        assert!(matches!(key, EdgeEdge(..)), "{key}");
    }
}
