//! Sheets, rods and fixed shapes: known answers of mechanics, scenes and files with them, and what is refused.

use std::f64::consts::PI;
use std::path::PathBuf;

use crate::support;
use stiction::math::Vector;
use stiction::potential::Potential;
use stiction_sim::boundary::Trajectory;
use stiction_sim::element::Element;
use stiction_sim::io::{self, Mesh};
use stiction_sim::material::Lame;
use stiction_sim::model::{Body, Model};
use stiction_sim::newton::Workspace;
use stiction_sim::params::Params;
use stiction_sim::scene::Scene;
use stiction_sim::scene::shape_mesh::{ShapeMesh, SheetFrame};
use stiction_sim::scene::shapes::Side;
use stiction_sim::state::State;
use stiction_sim::step::step;

const YOUNG: f64 = 2e5;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 500.0;

fn lame() -> Lame {
    Lame::new(YOUNG, POISSON).unwrap()
}

fn sheet(size: [f64; 2], cells: [usize; 2], degrees: f64) -> ShapeMesh<3> {
    SheetFrame { center: Vector::ZERO, normal: Vector::axis(2), degrees }.sheet(Vector(size), cells)
}

fn sheet_body(mesh: ShapeMesh<3>, thickness: f64) -> Body<3> {
    let ShapeMesh { vertices, triangles, .. } = mesh;
    Body { triangles, thickness, ..Body::new("sheet", vertices, lame(), DENSITY) }
}

fn rod_body<const D: usize>(mesh: ShapeMesh<D>, radius: f64) -> Body<D> {
    let ShapeMesh { vertices, edges, .. } = mesh;
    Body { edges, radius, ..Body::new("rod", vertices, lame(), DENSITY) }
}

/// Parameters with steps so long that inertia does not matter: every step ends at rest.
fn at_rest() -> Params {
    let mut params = Params::default();
    params.time.step = 1e4;
    params
}

/// Where a model comes to rest.
fn settled<const D: usize>(bodies: &[Body<D>], gravity: Vector<D>) -> State<D> {
    let (model, mut state) = Model::new(bodies, vec![], gravity, at_rest()).unwrap();
    let mut work = support::precise(1e-12);
    for _ in 0..3 {
        step(&model, &mut state, &mut work).unwrap();
    }
    state
}

fn model<const D: usize>(body: Body<D>) -> Model<D> {
    Model::new(&[body], vec![], Vector::ZERO, Params::default()).unwrap().0
}

/// A strip that is stretched by ε and narrows by ν ε carries E ε by cross-section, and nothing sideways.
#[test]
fn a_stretched_strip_follows_hooke() {
    let (strain, thickness) = (1e-6, 0.01);
    let mesh = sheet([1.0, 0.2], [5, 2], 0.0);
    let (right, top) = (mesh.side(Side::Right).to_vec(), mesh.side(Side::Top).to_vec());
    let model = model(sheet_body(mesh, thickness));
    let stretched: Vec<_> = model
        .surface
        .rest()
        .iter()
        .map(|x| Vector([x[0] * (1.0 + strain), x[1] * (1.0 - POISSON * strain), x[2]]))
        .collect();
    let mut force = vec![Vector::ZERO; stretched.len()];
    model.elastic.gradient(&stretched, 1.0, &mut force);
    let sum = |side: &[u32], axis: usize| side.iter().map(|&v| force[v as usize][axis]).sum::<f64>();
    let expected = YOUNG * strain * 0.2 * thickness;
    assert!((sum(&right, 0) / expected - 1.0).abs() < 1e-5, "{} for {expected}", sum(&right, 0));
    assert!(sum(&top, 1).abs() < 1e-5 * expected, "{} sideways", sum(&top, 1));
}

/// Bending energy of a sheet that is rolled to a cylinder about the y axis, by that of a plate, ½ B area/R².
fn rolled(mesh: ShapeMesh<3>, area: f64) -> f64 {
    let (radius, thickness) = (1.0, 0.01);
    let model = model(sheet_body(mesh, thickness));
    let roll = |x: &Vector<3>| {
        let (sin, cos) = (x[0] / radius).sin_cos();
        Vector([radius * sin, x[1], radius * (1.0 - cos)])
    };
    let x: Vec<_> = model.surface.rest().iter().map(roll).collect();
    let bending: f64 = model.elastic.hinges.iter().map(|hinge| hinge.energy(&hinge.stencil.gather(&x))).sum();
    let stiffness = YOUNG * thickness.powi(3) / (12.0 * (1.0 - POISSON * POISSON));
    bending / (0.5 * stiffness * area / (radius * radius))
}

/// A parallelogram of regular triangles, turned.
fn regular(side: f64, count: usize, degrees: f64) -> ShapeMesh<3> {
    let mut mesh = sheet([1.0, 1.0], [count, count], 0.0);
    mesh.triangles.clear();
    let (row, n) = (count + 1, count as f64);
    let (sin, cos) = degrees.to_radians().sin_cos();
    for (k, x) in mesh.vertices.iter_mut().enumerate() {
        let (i, j) = ((k % row) as f64 - 0.5 * n, (k / row) as f64 - 0.5 * n);
        let flat = [side * (i + 0.5 * j), side * j * 0.75_f64.sqrt()];
        *x = Vector([cos * flat[0] - sin * flat[1], sin * flat[0] + cos * flat[1], 0.0]);
    }
    for (i, j) in (0..count * count).map(|k| (k % count, k / count)) {
        let [a, b] = [j * row + i, (j + 1) * row + i].map(|v| v as u32);
        mesh.triangles.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
    }
    mesh
}

#[test]
fn a_rolled_sheet_has_the_energy_of_a_plate() {
    for count in [20, 40] {
        let grid = rolled(sheet([1.0, 0.3], [count, 6], 0.0), 0.3);
        // The outermost half cells do not bend.
        let expected = 1.0 - 1.0 / count as f64;
        assert!((grid - expected).abs() < 2e-3, "grid of {count}: {grid}");
    }
    for degrees in [0.0, 10.0, 30.0, 77.0] {
        let (side, count) = (0.012, 50);
        let area = 0.75_f64.sqrt() * (side * count as f64).powi(2);
        let ratio = rolled(regular(side, count, degrees), area);
        println!("regular triangles at {degrees}°: {ratio}");
        assert!((ratio - 1.0).abs() < 0.04, "regular triangles at {degrees}°: {ratio}");
    }
    let diagonal = rolled(sheet([0.6, 0.6], [50, 50], 45.0), 0.36);
    assert!((diagonal - 1.5).abs() < 0.06, "across the diagonals of a grid: {diagonal}");
}

/// A rod that hangs is longer by ρ g L²/2E.
fn hanging<const D: usize>() {
    let (length, gravity) = (2.0, 10.0);
    let down = Vector::axis(1) * -1.0;
    for segments in [1, 7] {
        let rod = rod_body(ShapeMesh::rod(Vector::<D>::ZERO, down * length, segments), 0.01);
        let body = Body { prescribed: vec![(vec![0], Trajectory::default())], ..rod };
        let state = settled(&[body], down * gravity);
        let longer = -state.q[segments][1] - length;
        let expected = DENSITY * gravity * length * length / (2.0 * YOUNG);
        assert!((longer / expected - 1.0).abs() < 1e-8, "{D}D, {segments}: {longer} for {expected}");
    }
}

#[test]
fn a_rod_hangs() {
    hanging::<2>();
    hanging::<3>();
}

/// A clamped beam bends under its weight as the sum over its vertices says, and as ρ A g L⁴/8EI in the limit.
fn cantilever<const D: usize>() {
    let (segments, length, radius, gravity) = (40, 1.0, 0.02, 1e-3);
    let part = length / segments as f64;
    let rod = rod_body(ShapeMesh::rod(Vector::<D>::ZERO, Vector::axis(0) * length, segments), radius);
    let body = Body { prescribed: vec![(vec![0, 1], Trajectory::default())], ..rod };
    let state = settled(&[body], Vector::axis(1) * -gravity);
    let sag = -state.q[segments][1];

    let (area, stiffness) = (PI * radius * radius, YOUNG * PI * radius.powi(4) / 4.0);
    let weight = |j: usize| DENSITY * area * part * gravity * if j == segments { 0.5 } else { 1.0 };
    let arm = |i: usize, j: usize| (j - i) as f64 * part;
    let moment = |i: usize| (i + 1..=segments).map(|j| weight(j) * arm(i, j)).sum::<f64>();
    let expected: f64 = (1..segments).map(|i| moment(i) * part / stiffness * arm(i, segments)).sum();
    assert!((sag / expected - 1.0).abs() < 1e-4, "{D}D: {sag} for {expected}");
    // It is clamped in the middle of its first segment.
    let free = length - 0.5 * part;
    let limit = DENSITY * area * gravity * free.powi(4) / (8.0 * stiffness);
    assert!((sag / limit - 1.0).abs() < 0.02, "{D}D: {sag} for {limit}");
}

#[test]
fn a_beam_bends() {
    cantilever::<2>();
    cantilever::<3>();
}

/// A clamped plate bends as a beam of its width does, of 5/6 of the stiffness on a grid whose diagonals alternate.
#[test]
fn a_plate_bends() {
    let (cells, thickness, gravity) = ([24, 4], 0.01, 1e-3);
    let mesh = sheet([0.6, 0.1], cells, 0.0);
    let part = 0.6 / cells[0] as f64;
    let clamped = |x: &Vector<3>| x[0] < -0.3 + 1.5 * part;
    let held = (0..mesh.vertices.len() as u32).filter(|&v| clamped(&mesh.vertices[v as usize])).collect();
    let tip = mesh.side(Side::Right)[cells[1] / 2] as usize;
    let mut body = sheet_body(mesh, thickness);
    body.material = Lame::new(YOUNG, 0.0).unwrap().into();
    body.prescribed = vec![(held, Trajectory::default())];
    let state = settled(&[body], Vector([0.0, 0.0, -gravity]));
    let free = 0.6 - 0.5 * part;
    let expected = DENSITY * gravity * free.powi(4) / (8.0 * YOUNG * thickness.powi(2) / 12.0);
    let sag = -state.q[tip][2];
    assert!((sag / expected - 1.2).abs() < 0.01, "{sag} for {expected}");
}

#[test]
fn masses_are_those_of_the_volumes() {
    let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-12;
    let cloth = model(sheet_body(sheet([0.5, 0.4], [3, 4], 25.0), 2e-3));
    assert!(close(cloth.mass.of_nodes().iter().sum(), DENSITY * 0.5 * 0.4 * 2e-3));
    assert_eq!((cloth.elastic.membranes.len(), cloth.elastic.hinges.len()), (24, 12 + 2 * 4 + 3 * 3));
    let rod = model(rod_body(ShapeMesh::rod(Vector([0.0, 0.0]), Vector([3.0, 4.0]), 10), 0.01));
    assert!(close(rod.mass.of_nodes().iter().sum(), DENSITY * PI * 1e-4 * 5.0));
    assert!(close(rod.mass.of_nodes()[0], 0.5 * rod.mass.of_nodes()[1]));
    let thin = |thickness| {
        let mut block = Body::new("block", triangle_of::<2>(1.0), lame(), DENSITY);
        (block.triangles, block.thickness) = (vec![[0, 1, 2]], thickness);
        let model = model(block);
        let squeezed: Vec<_> = model.surface.rest().iter().map(|x| *x * 0.9).collect();
        (model.mass.of_nodes()[0], model.elastic.energy(&squeezed))
    };
    let ((mass, energy), (half_mass, half_energy)) = (thin(1.0), thin(0.5));
    assert!(close(mass, DENSITY / 6.0) && close(half_mass, 0.5 * mass) && close(half_energy, 0.5 * energy));
}

fn triangle_of<const D: usize>(size: f64) -> Vec<Vector<D>> {
    vec![Vector::ZERO, Vector::axis(0) * size, Vector::axis(1) * size]
}

/// A sheet in 3D, a rod, and both of a solid: joined at their vertices.
#[test]
fn parts_can_be_joined() {
    let vertices = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [3.0, 0.0, 0.0]].map(Vector);
    let body = Body {
        tetrahedra: vec![[0, 1, 2, 3]],
        // On the solid.
        triangles: vec![[1, 2, 3]],
        edges: vec![[1, 4]],
        thickness: 0.01,
        radius: 0.1,
        ..Body::new("all", vertices.to_vec(), lame(), DENSITY)
    };
    let model = model(body);
    assert_eq!(model.surface.faces().len(), 4);
    assert_eq!((model.surface.edges().len(), model.surface.loose_edges().len()), (7, 1));
    let volume = 1.0 / 6.0 + 0.01 * 0.75_f64.sqrt() + 2.0 * PI * 0.01;
    assert!((model.mass.of_nodes().iter().sum::<f64>() / (DENSITY * volume) - 1.0).abs() < 1e-12);
}

fn refused<const D: usize>(body: Body<D>) -> String {
    Model::new(&[body], vec![], Vector::ZERO, Params::default()).unwrap_err().to_string()
}

#[test]
fn bad_sheets_and_rods_are_refused_by_name() {
    let good =
        || Body { triangles: vec![[0, 1, 2]], ..Body::new("cloth", triangle_of::<3>(1.0), lame(), 1.0) };
    assert!(Model::new(&[good()], vec![], Vector::ZERO, Params::default()).is_ok());
    let mut flat = good();
    flat.vertices[2] = Vector([2.0, 0.0, 0.0]);
    assert!(refused(flat).contains("triangle 0 of body \"cloth\" has area 0e0"));
    let mut twice = good();
    twice.triangles.push([1, 2, 0]);
    assert!(refused(twice).contains("triangle 1 of body \"cloth\" is triangle 0 once more"));
    for thickness in [0.0, -1.0, f64::NAN] {
        assert!(refused(Body { thickness, ..good() }).contains("thickness = "));
    }
    assert!(refused(Body { density: 0.0, ..good() }).contains("density = 0 of body \"cloth\""));
    let mut loose = good();
    loose.vertices.push(Vector([5.0; 3]));
    assert!(refused(loose).contains("vertex 3 of body \"cloth\" belongs to no element"));
    let mut missing = good();
    missing.triangles[0][2] = 9;
    assert!(refused(missing).contains("triangle 0 names vertex 9"));

    let rod = |x: f64| {
        let vertices = vec![Vector([0.0, 0.0]), Vector([1.0, 0.0]), Vector([x, 0.0])];
        Body { edges: vec![[0, 1], [1, 2]], radius: 0.1, ..Body::new("rod", vertices, lame(), 1.0) }
    };
    assert!(Model::new(&[rod(2.0)], vec![], Vector::ZERO, Params::default()).is_ok());
    assert!(refused(rod(1.0)).contains("edge 1 of body \"rod\" has length 0e0"));
    assert!(refused(Body { radius: 0.0, ..rod(2.0) }).contains("radius = 0 of body \"rod\""));
    let mut twice = rod(2.0);
    twice.edges.push([1, 0]);
    assert!(refused(twice).contains("edge 2 of body \"rod\" is edge 0 once more"));
    // d̂ beyond the mesh.
    let (mut params, body) = (Params::default(), sheet_body(sheet([0.1, 0.1], [10, 10], 0.0), 1e-3));
    (params.contact.dhat, params.contact.dhat_is_relative) = (0.011, false);
    let (model, state) = Model::new(&[body], vec![], Vector::ZERO, params).unwrap();
    assert!(!model.reaches.is_empty() && model.contacts_at(&state.q, &[]).is_empty());
}

/// Fixed shapes need no density, may be finer than d̂, move as told, and push.
#[test]
fn fixed_shapes_push() {
    let floor = Body {
        edges: (0..40).map(|k| [k, k + 1]).collect(),
        prescribed: vec![(
            (0..41).collect(),
            Trajectory::new(vec![(0.0, Vector::ZERO), (1.0, Vector([0.0, 0.5]))]).unwrap(),
        )],
        ..Body::fixed_shape("floor", (0..41).map(|k| Vector([0.05 * f64::from(k) - 1.0, 0.0])).collect())
    };
    let ball = {
        let vertices = triangle_of::<2>(0.5).into_iter().map(|x| x + Vector([0.0, 0.11])).collect();
        Body { triangles: vec![[0, 1, 2]], ..Body::new("piece", vertices, lame(), 10.0) }
    };
    let mut params = Params::default();
    (params.contact.dhat, params.time.step) = (0.1, 0.02);
    let (model, mut state) = Model::new(&[floor, ball], vec![], Vector([0.0, -5.0]), params).unwrap();
    assert!(model.mass.of_nodes()[..41].iter().all(|mass| *mass == 0.0));
    let mut work = Workspace::default();
    for _ in 0..50 {
        let report = step(&model, &mut state, &mut work).unwrap();
        model.check_free(&state).unwrap();
        assert!(report.bodies.iter().all(|body| body.center.is_finite() && body.velocity.is_finite()));
    }
    assert!((state.q[0][1] - 0.5).abs() < 1e-12);
    assert!(state.q[41..].iter().all(|x| x[1] > 0.5), "{:?}", &state.q[41..]);
}

/// Nothing can move, and nothing does.
#[test]
fn fixed_shapes_alone_stand_still() {
    let body =
        Body { edges: vec![[0, 1], [1, 2], [2, 0]], ..Body::fixed_shape("shape", triangle_of::<2>(1.0)) };
    let (model, mut state) = Model::new(&[body], vec![], Vector([0.0, -9.81]), Params::default()).unwrap();
    let before = state.q.clone();
    step(&model, &mut state, &mut Workspace::default()).unwrap();
    assert_eq!(before, state.q);
}

#[test]
fn a_body_inside_a_fixed_solid_is_refused() {
    let outer = Body { triangles: vec![[0, 1, 2]], ..Body::fixed_shape("outer", triangle_of::<2>(9.0)) };
    let inner = Body {
        edges: vec![[0, 1]],
        radius: 0.01,
        ..Body::new("inner", vec![Vector([1.0, 1.0]), Vector([2.0, 1.0])], lame(), 1.0)
    };
    let error = Model::new(&[outer, inner], vec![], Vector::ZERO, Params::default()).unwrap_err();
    assert!(error.to_string().contains("body \"inner\" and body \"outer\" around it"), "{error}");
}

/// Never through each other, at rest at the end, and the box carries the weight.
#[test]
fn a_cloth_falls_onto_a_box() {
    let finished = support::run::<3>("drape-3d.toml");
    let iterations: usize = finished.reports.iter().map(|report| report.iterations).sum();
    let last = &finished.reports[finished.reports.len() - 1];
    let weight = 9.81 * 300.0 * 0.25 * 1e-3;
    println!(
        "{iterations} iterations; normal force {} for weight {weight}; {:?}",
        last.normal_force, last.bodies[0]
    );
    assert!(last.bodies[0].velocity.norm() < 0.1 && last.bodies[0].center[1] > -0.2);
    assert!(last.normal_force > 0.8 * weight);
    let lowest = finished.state.q[..121].iter().fold(0.0, |low: f64, x| low.min(x[1]));
    assert!(lowest < -0.05, "the cloth does not hang: {lowest}");
}

/// What falls is caught: a rod by a rod across it in 3D, a string by a box in 2D.
fn caught<const D: usize>(falling: Body<D>, fixed: Body<D>, below: f64) {
    let mut params = Params::default();
    (params.contact.dhat, params.time.step) = (5e-3, 0.01);
    let gravity = Vector::axis(1) * -9.81;
    let (model, mut state) = Model::new(&[falling, fixed], vec![], gravity, params).unwrap();
    let mut work = support::precise(1e-4);
    let mut contacts = 0;
    for _ in 0..40 {
        contacts += step(&model, &mut state, &mut work).unwrap().contacts.pairs();
        model.check_free(&state).unwrap();
    }
    let middle = state.q[5][1];
    assert!(contacts > 0 && middle > below, "{D}D: the middle is at {middle}");
    assert!(state.q[0][1] < middle - 0.05, "{D}D: the end is at {}, the middle at {middle}", state.q[0][1]);
}

#[test]
fn rods_are_caught() {
    let rod = ShapeMesh::rod(Vector([-0.5, 0.02, 0.0]), Vector([0.5, 0.02, 0.0]), 10);
    let across = ShapeMesh::rod(Vector([0.01, 0.0, -0.5]), Vector([0.01, 0.0, 0.5]), 1);
    let bar = Body { edges: across.edges, ..Body::fixed_shape("bar", across.vertices) };
    caught(rod_body(rod, 2e-3), bar, -0.01);
    let string = ShapeMesh::rod(Vector([-0.5, 0.02]), Vector([0.5, 0.02]), 10);
    let corners = [[-0.2, -0.5], [0.2, -0.5], [0.2, 0.0], [-0.2, 0.0]].map(Vector);
    let block =
        Body { triangles: vec![[0, 1, 2], [0, 2, 3]], ..Body::fixed_shape("block", corners.to_vec()) };
    caught(rod_body(string, 2e-3), block, 0.0);
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stiction-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

const MESHES: &str = r#"dimension = 3
time = { step = 0.01, end = 0.1 }
[[bodies]]
name = "solid"
shape.mesh = { file = "solid.msh", scale = 0.1, translate = [5.0, 0.0, 0.0] }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
[[bodies]]
name = "cloth"
shape.mesh = { file = "sheet.obj", rotate_deg = 90.0, axis = [1.0, 0.0, 0.0] }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
thickness = 1e-3
fixed = ["right"]
[[bodies]]
name = "rod"
shape.rod = { start = [0.0, 0.0, 4.0], end = [0.0, 0.0, 5.0], segments = 4 }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
radius = 1e-2
[[bodies]]
name = "obstacle"
shape.mesh = { file = "sheet.obj", translate = [0.0, 0.0, -2.0] }
static = true
[[bodies.motions]]
keyframes = [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, -1.0]]
"#;

/// A scene with meshes of files beside it, and its frames as files that are read again.
#[test]
fn meshes_of_files_become_bodies() {
    let folder = folder("meshes");
    let corner: Vec<Vector<3>> =
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vector).into();
    let sheet = Mesh { points: corner.clone(), triangles: vec![[0, 1, 2]], ..Mesh::default() };
    let solid = Mesh { tetrahedra: vec![[0, 2, 1, 3]], ..sheet.clone() };
    io::write_mesh(&folder.join("sheet.obj"), &sheet, false).unwrap();
    io::write_mesh(&folder.join("solid.msh"), &solid, false).unwrap();
    std::fs::write(folder.join("scene.toml"), MESHES).unwrap();
    let scene = Scene::load(&folder.join("scene.toml")).unwrap();
    let (model, mut state) = scene.build::<3>().unwrap();
    assert_eq!((model.elastic.tetrahedra.len(), model.elastic.membranes.len()), (1, 1));
    assert_eq!((model.elastic.springs.len(), model.elastic.bends.len()), (4, 3));
    assert!((state.q[1] - Vector([5.1, 0.0, 0.0])).norm() < 1e-15);
    assert!((state.q[6] - Vector([0.0, 0.0, 1.0])).norm() < 1e-15, "turned: {:?}", state.q[6]);
    assert_eq!(model.boundary.nodes().collect::<Vec<_>>(), [5, 12, 13, 14]);
    step(&model, &mut state, &mut Workspace::default()).unwrap();
    assert!((state.q[12] - Vector([0.0, 0.0, -2.01])).norm() < 1e-15);

    let path = folder.join("frame.vtu");
    io::vtu::write(&path, &model, &state).unwrap();
    let frame = io::read_mesh(&path).unwrap();
    assert_eq!((frame.edges.len(), frame.triangles.len(), frame.tetrahedra.len()), (4, 2, 1));
    std::fs::remove_dir_all(folder).unwrap();
}

const SHEET: &str = r#"dimension = 3
time = { step = 0.01, end = 0.1 }
[[bodies]]
name = "cloth"
shape.sheet = { center = [0.0, 0.0, 0.0], size = [0.2, 0.2], cells = [2, 2] }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
thickness = 1e-3
[[bodies]]
name = "rod"
shape.rod = { start = [0.0, 1.0, 0.0], end = [1.0, 1.0, 0.0], segments = 5 }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
radius = 1e-2
"#;

#[test]
fn errors_of_shapes_name_line_and_key() {
    assert!(Scene::parse(SHEET).unwrap().build::<3>().is_ok());
    let cases = [
        ("thickness = 1e-3", "", vec!["bodies[0].thickness", "is missing"]),
        ("thickness = 1e-3", "thickness = 0.0", vec!["line 7", "bodies[0].thickness", "positive"]),
        (
            "thickness = 1e-3",
            "thickness = 1e-3\nradius = 1.0",
            vec!["line 8", "bodies[0].radius", "remove it"],
        ),
        ("radius = 1e-2", "", vec!["bodies[1].radius", "is missing"]),
        ("radius = 1e-2", "radius = -1.0", vec!["line 12", "bodies[1].radius", "positive"]),
        ("radius = 1e-2", "radius = 1e-2\nfixed = [\"top\"]", vec!["line 13", "fixed[0]", "no such side"]),
        ("segments = 5", "segments = 0", vec!["line 10", "rod.segments", "at least 1"]),
        ("thickness = 1e-3", "thickness = 10.0", vec!["bodies[0].thickness", "is too large"]),
        ("segments = 5", "pieces = 5", vec!["line 10", "is not a key here"]),
        (
            "end = [1.0, 1.0, 0.0]",
            "end = [0.0, 1.0, 0.0]",
            vec!["line 10", "edge 0 of body \"rod\"", "length 0"],
        ),
        ("size = [0.2, 0.2]", "size = [0.2]", vec!["line 5", "sheet.size", "2 numbers"]),
        ("size = [0.2, 0.2]", "size = [0.2, -0.2]", vec!["line 5", "sheet.size", "positive"]),
        (
            "cells = [2, 2]",
            "cells = [2, 2], normal = [0.0, 0.0, 0.0]",
            vec!["line 5", "sheet.normal", "length"],
        ),
        ("cells = [2, 2]", "cells = [2, 2], rotate_deg = inf", vec!["line 5", "sheet.rotate_deg", "finite"]),
        (
            "shape.sheet = { center = [0.0, 0.0, 0.0], size = [0.2, 0.2], cells = [2, 2] }",
            "shape.mesh = { file = \"nowhere.obj\" }",
            vec!["line 5", "mesh.file", "nowhere.obj"],
        ),
        (
            "shape.sheet = { center = [0.0, 0.0, 0.0], size = [0.2, 0.2], cells = [2, 2] }",
            "shape.mesh = { file = \"nowhere.obj\", scale = 0.0 }",
            vec!["line 5", "mesh.scale", "positive"],
        ),
        (
            "material = { young = 1e5, poisson = 0.3, density = 1000.0 }\nthickness",
            "thickness",
            vec!["bodies[0]", "needs a material, or static = true"],
        ),
    ];
    for (from, to, words) in cases {
        assert!(SHEET.contains(from), "{from}");
        let scene = Scene::parse(&SHEET.replacen(from, to, 1));
        let message = scene.and_then(|scene| scene.build::<3>()).unwrap_err().to_string();
        for word in words {
            assert!(message.contains(word), "{to}: no \"{word}\" in\n{message}");
        }
    }
    let flat = SHEET.replace("dimension = 3", "dimension = 2");
    let message = Scene::parse(&flat).and_then(|scene| scene.build::<2>()).unwrap_err().to_string();
    assert!(message.contains("sheets exist only in 3D"), "{message}");
}
