//! Linear conditions on nodes: what is prescribed, what is linked, and what follows.

use super::derivatives::compare_increments;
use super::support::{Random, precise};
use stiction::math::Vector;
use stiction::obstacle::{Obstacle, Plane};
use stiction_sim::boundary::{Boundary, Trajectory, Turn};
use stiction_sim::constraint::{Constraints, Link};
use stiction_sim::formula::Formula;
use stiction_sim::mass::{MassKind, MassMatrix};
use stiction_sim::material::Lame;
use stiction_sim::model::{Body, Model};
use stiction_sim::newton::Workspace;
use stiction_sim::params::Params;
use stiction_sim::report::StepReport;
use stiction_sim::scene::shape_mesh::ShapeMesh;
use stiction_sim::scene::shapes::BoxMesh;
use stiction_sim::settle::settle;
use stiction_sim::signal::Signal;
use stiction_sim::state::State;
use stiction_sim::step::step;

fn link(name: &str, nodes: &[(u32, f64)]) -> Link {
    Link { name: name.to_owned(), nodes: nodes.to_vec() }
}

/// Links with two to five random nodes each; every fourth is a sum of those before.
fn random_links(nodes: u32, count: usize, random: &mut Random) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for k in 0..count {
        let mut weights: Vec<(u32, f64)> = if k % 4 == 3 {
            links[k - 2].nodes.iter().chain(&links[k - 1].nodes).map(|(v, a)| (*v, 0.5 * a)).collect()
        } else {
            let mut node = || (random.number() * 1e9).to_bits() as u32 % nodes;
            (0..2 + k % 4).map(|i| (node(), i as f64 - 1.7)).collect()
        };
        weights.sort_by_key(|(node, _)| *node);
        links.push(link(&format!("link {k}"), &weights));
    }
    links
}

/// The rank of the links' rows without the columns of prescribed nodes, by elimination with the largest pivot of all.
fn rank(links: &[Link], prescribed: &[bool]) -> usize {
    let mut rows: Vec<Vec<f64>> = links
        .iter()
        .map(|link| {
            let mut row = vec![0.0; prescribed.len()];
            link.nodes.iter().for_each(|(v, a)| row[*v as usize] += a);
            row.iter_mut().zip(prescribed).filter(|(_, held)| **held).for_each(|(a, _)| *a = 0.0);
            row
        })
        .collect();
    let mut rank = 0;
    loop {
        let entries = (rank..rows.len()).flat_map(|i| (0..prescribed.len()).map(move |j| (i, j)));
        let size = |(i, j): (usize, usize)| rows[i][j].abs();
        let Some((i, j)) = entries.max_by(|a, b| size(*a).total_cmp(&size(*b))) else { return rank };
        if size((i, j)) < 1e-9 {
            return rank;
        }
        rows.swap(rank, i);
        let pivot = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let factor = row[j] / pivot[j];
            row.iter_mut().zip(&pivot).for_each(|(a, b)| *a -= factor * b);
        }
        rank += 1;
    }
}

/// Whether links leave a node free: to pin it says something new.
fn moves(node: usize, links: &[Link], prescribed: &[bool]) -> bool {
    let pinned = [links, &[link("pin", &[(node as u32, 1.0)])]].concat();
    rank(&pinned, prescribed) > rank(links, prescribed)
}

/// Row reduction of sparse rows against a dense one: as many unknowns as the rank leaves, and every link holds wherever they are.
#[test]
fn as_many_nodes_follow_as_links_are_independent() {
    let mut random = Random::new(11);
    for round in 0..200 {
        let nodes = 8 + round % 20;
        let rest: Vec<Vector<3>> = (0..nodes).map(|_| random.vector()).collect();
        let mut boundary = Boundary::default();
        boundary.prescribe((0..nodes as u32).filter(|v| v % 5 == 2), Trajectory::default());
        let prescribed = boundary.mask(nodes).unwrap();
        let links = random_links(nodes as u32, round % 7, &mut random);
        let constraints = Constraints::new(&rest, &boundary, links.clone()).unwrap();
        let (rank, held) = (rank(&links, &prescribed), prescribed.iter().filter(|held| **held).count());
        assert_eq!(constraints.unknowns(), nodes - held - rank, "{links:?}");
        assert_eq!(constraints.redundant().len(), links.len() - rank);
        for node in 0..nodes {
            assert_eq!(constraints.free()[node], moves(node, &links, &prescribed), "node {node}: {links:?}");
        }
        let mut q: Vec<Vector<3>> = (0..nodes).map(|_| random.vector()).collect();
        q.iter_mut().zip(&rest).zip(&prescribed).filter(|(_, held)| **held).for_each(|((q, x), _)| *q = *x);
        constraints.place(&mut q);
        let mut ways = constraints.expanded(vec![random.vector(); constraints.unknowns()]);
        for link in &links {
            let sum = |field: &[Vector<3>]| {
                link.nodes.iter().fold(Vector::ZERO, |sum, (v, a)| sum + field[*v as usize] * *a)
            };
            assert!(
                (sum(&q) - sum(&rest)).norm() < 1e-9 && sum(&ways).norm() < 1e-9,
                "{link:?} of {links:?}"
            );
        }
        let before = ways.clone();
        constraints.lead(&mut ways);
        assert!(ways.iter().zip(&before).all(|(a, b)| (*a - *b).norm() < 1e-9));
    }
}

/// The second link cancels what the first says of a node.
#[test]
fn a_node_whose_leaders_cancel_is_not_free() {
    let rest = [0.0, 1.0, 2.0, 3.0].map(|x| Vector([x, 0.0]));
    let links = [link("a", &[(0, 1.0), (1, -0.5), (2, -0.5)]), link("b", &[(1, 1.0), (2, 1.0)])];
    let constraints = Constraints::new(&rest, &Boundary::default(), links.to_vec()).unwrap();
    assert_eq!((constraints.free(), constraints.unknowns()), (&[false, true, true, true][..], 2));
    for node in 0..4 {
        assert_eq!(constraints.free()[node], moves(node, &links, &[false; 4]));
    }
}

/// Many nodes tied to one, or each to the next: in time about proportional to their number.
#[test]
fn many_links_are_eliminated() {
    let count = 20_000;
    let rest: Vec<Vector<2>> = (0..count).map(|k| Vector([f64::from(k), 0.5])).collect();
    let tie = |a: u32, b: u32| link("tie", &[(a, 1.0), (b, -1.0)]);
    for links in
        [(1..count).map(|k| tie(0, k)).collect::<Vec<_>>(), (1..count).map(|k| tie(k - 1, k)).collect()]
    {
        let constraints = Constraints::new(&rest, &Boundary::default(), links).unwrap();
        assert_eq!((constraints.unknowns(), constraints.redundant().len()), (1, 0));
        let ways = constraints.expanded(vec![Vector([1.0, -2.0])]);
        assert!(ways.iter().all(|way| *way == Vector([1.0, -2.0])));
    }
}

/// How far a link is from holding counts by its own nodes and its own weights.
#[test]
fn what_is_far_away_does_not_excuse_a_link() {
    let rest = [Vector([0.0, 0.0]), Vector([1.0, 0.0]), Vector([1e9, 0.0])];
    let moved = |by: f64| [rest[0], rest[1] + Vector([by, 0.0]), rest[2]];
    for scale in [1.0, 1e300, 1e-300] {
        let links = vec![link("pair", &[(0, scale), (1, -scale)])];
        let constraints = Constraints::new(&rest, &Boundary::default(), links).unwrap();
        assert!(constraints.check(&rest, &moved(1e-12)).is_ok());
        for by in [1e-3, f64::NAN, f64::INFINITY] {
            let error = constraints.check(&rest, &moved(by)).unwrap_err().to_string();
            assert!(error.contains("link \"pair\" is ") && error.contains("m from holding"), "{error}");
        }
        assert!(constraints.check(&rest, &rest[..2]).is_err());
        assert!(constraints.check(&rest[..2], &rest).is_err());
    }
}

#[test]
fn nodes_that_do_not_exist_are_errors() {
    let mut boundary = Boundary::default();
    boundary.prescribe([1, 3], Trajectory::default());
    let error = Constraints::new(&[Vector([0.0, 0.0]); 3], &boundary, vec![]).unwrap_err().to_string();
    assert!(error.contains("prescribed node") && error.contains('3'), "{error}");
    let body = block::<2>("block", Vector::axis(1), MassKind::Lumped);
    let (model, state) = Model::new(&[body], vec![], Vector::ZERO, Params::default()).unwrap();
    for short in [State { q: Vec::new(), ..state.clone() }, State { v: Vec::new(), ..state }] {
        let error = model.clone().with_links(vec![link("tie", &[(0, 1.0), (1, -1.0)])], short);
        assert!(error.is_err_and(|error| error.to_string().contains("of nodes")));
    }
}

/// A node far from the axis of a turn, or an axis far from the origin: rounding is no contradiction.
#[test]
fn turns_about_far_axes_contradict_nothing() {
    let mut random = Random::new(23);
    for (middle, center) in [(0.0, 1e6), (1e6, 0.0), (1e6, 1e6), (0.0, 0.0)] {
        let rest: Vec<Vector<3>> = (0..4).map(|_| random.vector() + Vector([middle; 3])).collect();
        // A point of the last three nodes that is where the first is, but for rounding.
        let weights = [0.3, 0.3, 0.4];
        let first = (0..3).fold(Vector::ZERO, |sum, k| sum + rest[k + 1] * weights[k]);
        let rest = [&[first][..], &rest[1..]].concat();
        let angle = Signal::Formula(Formula::parse("t").unwrap());
        let turn = Turn::new(Vector([center; 3]), Vector([1.0, 2.0, 3.0]), angle).unwrap();
        let mut boundary = Boundary::default();
        boundary.prescribe(0..4, Trajectory::default().with_turn(turn));
        let point = |off: f64| {
            let others = (0..3).map(|k| (k as u32 + 1, -weights[k]));
            vec![link("point", &others.chain([(0, 1.0 + off)]).collect::<Vec<_>>())]
        };
        let constraints = Constraints::new(&rest, &boundary, point(0.0)).unwrap();
        assert_eq!(constraints.redundant(), ["point"]);
        assert!(Constraints::new(&rest, &boundary, point(1e-3)).is_err());
    }
}

/// Forces that are gathered at leaders do the same work as those they came from.
#[test]
fn gathered_forces_do_the_same_work() {
    let mut random = Random::new(7);
    let rest: Vec<Vector<2>> = (0..12).map(|_| random.vector()).collect();
    let constraints =
        Constraints::new(&rest, &Boundary::default(), random_links(12, 3, &mut random)).unwrap();
    let forces: Vec<Vector<2>> = (0..12).map(|_| random.vector()).collect();
    let ways = constraints.expanded((0..constraints.unknowns()).map(|_| random.vector()).collect());
    let work = |forces: &[Vector<2>]| forces.iter().zip(&ways).map(|(f, way)| f.dot(*way)).sum::<f64>();
    let mut gathered = forces.clone();
    constraints.gather(&mut gathered);
    assert!(gathered != forces && (work(&gathered) - work(&forces)).abs() < 1e-12);
    let reduced = constraints.reduced(&gathered);
    let expected = constraints.reduced(&forces);
    assert!(reduced.iter().zip(expected.iter()).all(|(a, b)| (*a - *b).norm() < 1e-12));
}

#[test]
fn wrong_links_are_named() {
    let rest = [Vector([0.0, 0.0]), Vector([1.0, 0.0]), Vector([2.0, 1.0])];
    let mut boundary = Boundary::default();
    boundary.prescribe([0], Trajectory::default());
    boundary.prescribe([1], Trajectory::new(vec![(0.0, Vector::ZERO), (1.0, Vector([0.0, 1.0]))]).unwrap());
    for (nodes, expected) in [
        (&[(7, 1.0)][..], "names node 7 of 3"),
        (&[(2, f64::NAN)], "weighs node 2 with NaN"),
        (&[], "binds nothing"),
        (&[(2, 0.0)], "binds nothing"),
        (&[(0, 1.0), (1, -1.0)], "contradicts the prescribed motion of node 1"),
    ] {
        let error = Constraints::new(&rest, &boundary, vec![link("pin", nodes)]).unwrap_err().to_string();
        assert!(error.contains("pin") && error.contains(expected), "{error}");
    }
    // The second says what the first and the prescribed motion say; the third, that a node at rest rests.
    let links =
        vec![link("a", &[(2, 1.0), (1, -1.0)]), link("b", &[(1, 2.0), (2, -2.0)]), link("c", &[(0, 1.0)])];
    let constraints = Constraints::new(&rest, &boundary, links).unwrap();
    assert_eq!(constraints.redundant(), ["b", "c"]);
    assert_eq!((constraints.unknowns(), constraints.free()), (0, &[false; 3][..]));
}

/// Nodes that are prescribed one by one, but move alike, may be linked; so may those that a turn moves alike.
#[test]
fn links_between_nodes_that_move_together_say_nothing_new() {
    let rest = [Vector([0.0, 0.0, 0.0]), Vector([1.0, 0.0, 0.0]), Vector([1.0, 0.0, 2.0])];
    let turn =
        || Turn::new(Vector::ZERO, Vector::axis(2), Signal::Formula(Formula::parse("t").unwrap())).unwrap();
    let shift = || Trajectory::new(vec![(0.0, Vector::ZERO), (1.0, Vector([0.0, 1.0, 0.0]))]).unwrap();
    for (trajectory, nodes, holds) in [
        (shift(), [(0, 1.0), (1, -1.0)], true),
        (shift(), [(0, 1.0), (1, -2.0)], false),
        (Trajectory::default().with_turn(turn()), [(1, 1.0), (2, -1.0)], true),
        (Trajectory::default().with_turn(turn()), [(0, 1.0), (2, -1.0)], false),
    ] {
        let mut boundary = Boundary::default();
        (0..3).for_each(|node| boundary.prescribe([node], trajectory.clone()));
        let constraints = Constraints::new(&rest, &boundary, vec![link("pair", &nodes)]);
        assert_eq!(
            constraints.as_ref().is_ok_and(|c| c.redundant() == ["pair"]),
            holds,
            "{nodes:?} {trajectory:?}"
        );
    }
}

/// What links alone hold touches nothing that asks for a stiffer barrier.
#[test]
fn contacts_of_pinned_nodes_are_left_out() {
    let mut params = Params::default();
    (params.contact.dhat, params.contact.dhat_is_relative) = (0.02, false);
    let body = block::<2>("pinned", Vector::axis(1) * 0.06, MassKind::Lumped);
    let floor = Obstacle::Plane(Plane::new(Vector::ZERO, Vector::axis(1)).unwrap());
    let (model, state) = Model::new(&[body], vec![floor], Vector::ZERO, params).unwrap();
    let obstacles = model.obstacles.at(0.0);
    assert!(!model.contacts_at(&state.q, &obstacles).is_empty());
    let pins = (0..model.rest.len() as u32).map(|node| link("pin", &[(node, 1.0)])).collect();
    let (model, state) = model.with_links(pins, state).unwrap();
    assert!(model.contacts_at(&state.q, &obstacles).is_empty());
}

fn block<const D: usize>(name: &str, center: Vector<D>, mass: MassKind) -> Body<D> {
    let size = Vector(std::array::from_fn(|k| [0.2, 0.1, 0.15][k]));
    let mesh = ShapeMesh::from(BoxMesh::new(center, size, std::array::from_fn(|k| 2 + k % 2), 0.0));
    Body {
        triangles: mesh.triangles,
        tetrahedra: mesh.tetrahedra,
        mass,
        ..Body::new(name, mesh.vertices, Lame::new(2e4, 0.3).unwrap(), 1000.0)
    }
}

/// The node of a body that is nearest to a place.
fn nearest<const D: usize>(model: &Model<D>, body: usize, place: Vector<D>) -> u32 {
    let away = |node: &usize| (model.rest[*node] - place).norm_squared();
    let nodes = model.parts[body].nodes.clone();
    nodes.min_by(|a, b| away(a).total_cmp(&away(b))).unwrap() as u32
}

/// What solves the steps of [`hung`].
fn solver<const D: usize>() -> Workspace<D> {
    precise(1e-6)
}

/// Two blocks, the lower one hung on the upper one by a corner, that fall on a floor with friction.
fn hung<const D: usize>(mass: MassKind, prescribed: bool) -> (Model<D>, State<D>, [u32; 2]) {
    let (upper, lower) = (Vector::axis(1) * 0.35, Vector::axis(1) * 0.2 + Vector::axis(0) * 0.07);
    let mut bodies = [block::<D>("upper", upper, mass), block("lower", lower, mass)];
    if prescribed {
        let way = Trajectory::new(vec![(0.0, Vector::ZERO), (1.0, Vector::axis(0) * 0.5)]).unwrap();
        let all = 0..bodies[0].vertices.len() as u32;
        bodies[0].prescribed = vec![(all.collect(), way)];
    }
    let floor = Obstacle::Plane(Plane::new(Vector::ZERO, Vector::axis(1)).unwrap());
    let mut params = Params::default();
    (params.time.step, params.contact.dhat, params.contact.dhat_is_relative) = (0.005, 4e-3, false);
    params.friction.mu = 0.3.into();
    let (model, state) = Model::new(&bodies, vec![floor], Vector::axis(1) * -9.81, params).unwrap();
    let corner = upper - Vector(std::array::from_fn(|k| [-0.1, 0.05, 0.075][k]));
    let pair = [nearest(&model, 0, corner), nearest(&model, 1, corner)];
    let (model, state) =
        model.with_links(vec![link("hook", &[(pair[0], 1.0), (pair[1], -1.0)])], state).unwrap();
    (model, state, pair)
}

/// Before the start, linked bodies stay where they are if none of them touches anything; if one does, the others go along.
#[test]
fn linked_bodies_that_touch_nothing_do_not_fall_before_the_start() {
    let mut params = Params::default();
    (params.contact.dhat, params.contact.dhat_is_relative) = (0.02, false);
    // The second is further from the first than contact reaches.
    let places = [("resting", 0.06), ("carried", 0.2), ("lower", 0.5), ("upper", 0.7)];
    let bodies = places.map(|(name, y)| block::<2>(name, Vector([0.0, y]), MassKind::Lumped));
    let floor = Obstacle::Plane(Plane::new(Vector::ZERO, Vector::axis(1)).unwrap());
    let (model, state) = Model::new(&bodies, vec![floor], Vector::axis(1) * -9.81, params).unwrap();
    let tie = |name: &str, a: usize, b: usize| {
        let nodes = [a, b].map(|body| model.parts[body].nodes.start as u32);
        link(name, &[(nodes[0], 1.0), (nodes[1], -1.0)])
    };
    let links = vec![tie("below", 0, 1), tie("above", 2, 3)];
    let (model, mut state) = model.with_links(links, state).unwrap();
    let before = state.clone();
    let settled = settle(&model, &mut state, &mut Workspace::default());
    assert!(settled.rounds > 0 && settled.moved > 0.0, "{settled:?}");
    let range = |body: usize| model.parts[body].nodes.clone();
    for body in [2, 3] {
        assert_eq!(state.q[range(body)], before.q[range(body)], "{}", model.parts[body].name);
    }
    for body in [0, 1] {
        assert!(state.q[range(body)] != before.q[range(body)], "{}", model.parts[body].name);
    }
    model.constraints.check(&model.rest, &state.q).unwrap();
}

/// A link holds to rounding through a fall, an impact and friction; energy does not come out of nowhere.
fn holds<const D: usize>() {
    let (model, mut state, [a, b]) = hung::<D>(MassKind::Lumped, false);
    let apart = |state: &State<D>| state.q[a as usize] - state.q[b as usize];
    let (start, mut work) = (apart(&state), solver());
    let mut reports = vec![StepReport::at_start(&model, &state)];
    for _ in 0..60 {
        reports.push(step(&model, &mut state, &mut work).unwrap());
        model.check_free(&state).unwrap();
        assert!((apart(&state) - start).norm() < 1e-14);
        assert!((state.v[a as usize] - state.v[b as usize]).norm() < 1e-11);
    }
    assert!(reports.iter().any(|report| report.contacts.obstacle > 0));
    for report in &reports[1..] {
        let size = report.energies.kinetic + report.energies.elastic + report.energies.barrier;
        assert!(report.numerical_energy <= 1e-6 * size, "{} s: {:e} J", report.time, report.numerical_energy);
    }
}

#[test]
fn a_link_between_bodies_holds() {
    holds::<2>();
    holds::<3>();
}

/// A body that falls freely keeps the momentum of its fall, whatever is linked: the link's forces cancel.
#[test]
fn links_act_on_both_sides_alike() {
    let (model, mut state, _) = hung::<3>(MassKind::Lumped, false);
    let masses = model.mass.of_nodes();
    state.v.iter_mut().zip(&state.q).for_each(|(v, q)| *v = Vector([q[1], -q[0], 0.3]));
    let (model, mut state) = model.clone().with_links(model.constraints.links().to_vec(), state).unwrap();
    let momentum =
        |state: &State<3>| state.v.iter().zip(masses).fold(Vector::ZERO, |sum, (v, m)| sum + *v * *m);
    let (start, mut work) = (momentum(&state), solver());
    for _ in 0..5 {
        assert_eq!(step(&model, &mut state, &mut work).unwrap().contacts.total(), 0);
    }
    let mass: f64 = masses.iter().sum();
    let expected = start + Vector([0.0, -9.81 * 5.0 * 0.005, 0.0]) * mass;
    let error = (momentum(&state) - expected).norm() / (mass * 0.25);
    assert!(error < 1e-6, "{error:e}");
}

/// A prescribed node leads the one that is linked to it, and the rest of its body hangs on it.
fn leads<const D: usize>() {
    let (model, mut state, [a, b]) = hung::<D>(MassKind::Consistent, true);
    assert!(!model.constraints.free()[a as usize] && !model.constraints.free()[b as usize]);
    let (start, mut work) = (state.q[b as usize], solver());
    for k in 1..=20 {
        step(&model, &mut state, &mut work).unwrap();
        let expected = start + Vector::axis(0) * (0.5 * 0.005 * f64::from(k));
        assert!((state.q[b as usize] - expected).norm() < 1e-14);
    }
}

#[test]
fn prescribed_nodes_lead_those_that_are_linked_to_them() {
    leads::<2>();
    leads::<3>();
}

/// The same bits with any number of threads, and after a file; a file of a model with other links is refused.
#[test]
fn linked_runs_repeat_to_the_bit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (model, mut state, _) = hung::<3>(MassKind::Consistent, false);
            let mut work = solver();
            (0..30).for_each(|_| drop(step(&model, &mut state, &mut work).unwrap()));
            (model, state)
        })
    };
    let (model, mut one) = run(1);
    assert!([2, 8].into_iter().all(|threads| run(threads).1 == one));
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("linked.bin");
    one.save(&path, &model).unwrap();
    let mut loaded = State::load(&path, &model).unwrap();
    let mut work = solver();
    for _ in 0..5 {
        step(&model, &mut one, &mut work).unwrap();
        step(&model, &mut loaded, &mut solver()).unwrap();
    }
    assert!(one == loaded);
    let other = || vec![link("other", &[(0, 1.0), (1, -1.0)])];
    let error = model.clone().with_links(other(), loaded.clone()).unwrap_err().to_string();
    assert!(error.contains("link \"other\" is ") && error.contains("m from holding"), "{error}");
    let rest = State { q: model.rest.clone(), ..loaded };
    let (other, _) = model.with_links(other(), rest).unwrap();
    assert!(State::load(&path, &other).is_err());
    std::fs::remove_file(path).unwrap();
}

/// Inertia with masses of pairs, and all else, against differences.
fn derivatives<const D: usize>() {
    let mut params = Params::default();
    (params.time.step, params.contact.dhat, params.contact.dhat_is_relative) = (0.01, 0.02, false);
    let bodies = [
        block::<D>("lower", Vector::axis(1) * 0.06, MassKind::Consistent),
        block("upper", Vector::axis(1) * 0.17 + Vector::axis(0) * 0.03, MassKind::Consistent),
    ];
    let floor = Obstacle::Plane(Plane::new(Vector::ZERO, Vector::axis(1)).unwrap());
    let (model, mut state) = Model::new(&bodies, vec![floor], Vector::axis(1) * -9.81, params).unwrap();
    assert!(!model.mass.pairs().is_empty());
    let mut random = Random::new(5);
    state.v.iter_mut().for_each(|v| *v = random.vector() * 0.3);
    compare_increments(&format!("consistent {D}D"), &model, &state, &mut random);
}

#[test]
fn derivatives_with_consistent_masses_are_those_of_differences() {
    derivatives::<2>();
    derivatives::<3>();
}

/// Consistent masses sum to those of the bodies, are those of the shape functions, and fall as all masses do.
fn falls<const D: usize>() {
    let model = |mass| {
        let bodies = [block::<D>("block", Vector::axis(1), mass)];
        Model::new(&bodies, vec![], Vector::axis(1) * -9.81, Params::default()).unwrap()
    };
    let (lumped, _) = model(MassKind::Lumped);
    let (consistent, mut state) = model(MassKind::Consistent);
    let total = |m: &MassMatrix| m.of_nodes().iter().sum::<f64>();
    assert!((total(&consistent.mass) / total(&lumped.mass) - 1.0).abs() < 1e-14);
    for (a, b) in consistent.mass.of_nodes().iter().zip(lumped.mass.of_nodes()) {
        assert!((a / b - 1.0).abs() < 1e-13, "the row sums of linear shape functions are the lumped masses");
    }
    // Second moments are exact for consistent masses: ∫ ρ y² of a box about its middle.
    let mass = total(&consistent.mass);
    let moment = consistent.mass.form(|k| Vector::<1>([consistent.rest[k][1] - 1.0]));
    assert!((moment / (mass * 0.1 * 0.1 / 12.0) - 1.0).abs() < 1e-12);
    let (mut work, h) = (Workspace::default(), Params::default().time.step);
    for k in 1..=5 {
        let report = step(&consistent, &mut state, &mut work).unwrap();
        let fall = report.bodies[0].velocity[1] / (-9.81 * h * f64::from(k)) - 1.0;
        assert!(fall.abs() < 1e-9 && report.energies.elastic < 1e-12, "{fall:e}");
    }
}

#[test]
fn consistent_masses_fall() {
    falls::<2>();
    falls::<3>();
}

#[test]
fn wrong_masses_are_named() {
    for (diagonal, pairs, expected) in [
        (vec![1.0, -1.0], vec![], "the mass -1 of node 1"),
        (vec![1.0, f64::NAN], vec![], "the mass NaN of node 1"),
        (vec![1.0, 1.0], vec![([0, 2], 0.1)], "the pair of nodes 0 and 2"),
        (vec![1.0, 1.0], vec![([1, 1], 0.1)], "the pair of nodes 1 and 1"),
        (vec![1.0, 1.0], vec![([0, 1], f64::INFINITY)], "the mass inf of the pair"),
    ] {
        let error = MassMatrix::new(diagonal, pairs).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let twice = MassMatrix::new(vec![1.0, 2.0], vec![([1, 0], 0.25), ([0, 1], 0.25)]).unwrap();
    assert_eq!((twice.pairs(), twice.of_nodes()), (&[([0, 1], 0.5)][..], &[1.5, 2.5][..]));
}
