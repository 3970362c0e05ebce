//! Fine surfaces that coarse solids carry.

use super::derivatives::compare_increments;
use super::support::{Random, precise, run_changed, scene};
use stiction::math::{Matrix, Vector};
use stiction::obstacle::{Obstacle, Plane};
use stiction_sim::boundary::Trajectory;
use stiction_sim::integrator::IntegratorKind;
use stiction_sim::material::Lame;
use stiction_sim::model::{Body, Model};
use stiction_sim::newton::Workspace;
use stiction_sim::params::Params;
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::scene::shape_mesh::ShapeMesh;
use stiction_sim::scene::shapes::BoxMesh;
use stiction_sim::state::State;
use stiction_sim::step::step;

/// The solids of a coarse box of 0.3 × 0.2 (× 0.25) m about a centre, with a finer surface inside, whose lower side has bumps.
fn bumpy<const D: usize>(name: &str, center: Vector<D>, young: f64, fine: usize) -> Body<D> {
    let vector = |values: [f64; 3]| Vector(std::array::from_fn(|k| values[k]));
    let size: Vector<D> = vector([0.3, 0.2, 0.25]);
    let coarse = ShapeMesh::from(BoxMesh::new(center, size, std::array::from_fn(|k| [2, 1, 1][k]), 0.0));
    let cells = std::array::from_fn(|k| [3 * fine, 2 * fine, 2 * fine][k]);
    let mut skin = ShapeMesh::from(BoxMesh::new(center, size * 0.99, cells, 0.0)).into_skin().unwrap();
    let low = center[1] - 0.495 * size[1];
    for x in skin.vertices.iter_mut().filter(|x| x[1] < low + 1e-9) {
        let wave = |k: usize| if k < D { (30.0 * (x[k] - center[k]) + 0.4).cos() } else { 1.0 };
        x[1] += 2e-3 * (1.0 - wave(0) * wave(2));
    }
    Body {
        triangles: coarse.triangles,
        tetrahedra: coarse.tetrahedra,
        skin: Some(skin),
        ..Body::new(name, coarse.vertices, Lame::new(young, 0.3).unwrap(), 1000.0)
    }
}

fn floor<const D: usize>(height: f64) -> Vec<Obstacle<D>> {
    vec![Obstacle::Plane(Plane::new(Vector::axis(1) * height, Vector::axis(1)).unwrap())]
}

/// A linear motion of the nodes moves the surface exactly.
fn patch<const D: usize>() {
    let mut random = Random::new(3);
    let center = random.vector();
    let (model, state) =
        Model::new(&[bumpy::<D>("a", center, 1e5, 3)], vec![], Vector::ZERO, Params::default()).unwrap();
    assert!(model.surface.rest().len() > 2 * model.mass.of_nodes().len());
    let by: Vector<D> = random.vector();
    let linear = Matrix(std::array::from_fn(|_| random.vector::<D>().0));
    let moved = |x: &Vector<D>| linear * *x + by;
    let q: Vec<_> = state.q.iter().map(moved).collect();
    let x = model.surface_at(&q);
    let error =
        x.iter().zip(model.surface.rest()).map(|(x, rest)| (*x - moved(rest)).norm()).fold(0.0, f64::max);
    println!("{D}D: {error:e} m");
    assert!(error < 1e-14 * 10.0, "{error:e}");
}

#[test]
fn a_linear_motion_is_exact() {
    patch::<2>();
    patch::<3>();
}

/// Two bumpy blocks on each other and on a floor, within reach.
pub fn pair<const D: usize>(params: Params) -> (Model<D>, State<D>) {
    let lower = bumpy("lower", Vector::ZERO, 1e4, 1);
    let upper = bumpy("upper", Vector::axis(0) * 0.03 + Vector::axis(1) * 0.208, 1e4, 1);
    let gravity = Vector::axis(1) * -9.81 + Vector::axis(0) * 0.5;
    Model::new(&[lower, upper], floor::<D>(-0.109), gravity, params).unwrap()
}

pub fn soft_params() -> Params {
    let mut params = Params::default();
    (params.contact.dhat, params.contact.dhat_is_relative, params.time.step) = (0.02, false, 0.01);
    (params.friction.mu, params.friction.eps_v) = (0.4.into(), 0.5);
    params
}

/// Barrier and friction through the map, gradient and Hessian, against differences.
fn derivatives<const D: usize>() {
    let (model, mut state) = pair::<D>(soft_params());
    let mut random = Random::new(5);
    state.v.iter_mut().for_each(|v| *v = random.vector() * 0.3);
    compare_increments(&format!("embedded {D}D"), &model, &state, &mut random);
}

#[test]
fn derivatives_through_the_map_are_those_of_differences() {
    derivatives::<2>();
    derivatives::<3>();
}

/// A coarse block with a fine, bumpy sole slides with g (sin θ − μ cos θ).
fn incline<const D: usize>() {
    let (tan, mu) = (0.6_f64, 0.5);
    let (cos, sin) = (1.0 / (1.0 + tan * tan).sqrt(), tan / (1.0 + tan * tan).sqrt());
    let gravity = (Vector::axis(0) * sin - Vector::axis(1) * cos) * 9.81;
    let mut params = Params::default();
    (params.contact.dhat, params.contact.dhat_is_relative, params.time.step) = (1e-3, false, 0.01);
    (params.friction.mu, params.friction.eps_v) = (mu.into(), 1e-3);
    params.time.integrator = IntegratorKind::ImplicitEuler;
    let body = bumpy::<D>("block", Vector::axis(1) * 0.0995, 1e6, 3);
    let (model, mut state) = Model::new(&[body], floor::<D>(0.0), gravity, params).unwrap();
    let mut work = precise(1e-10);
    let mut reports = vec![StepReport::at_start(&model, &state)];
    for _ in 0..300 {
        reports.push(step(&model, &mut state, &mut work).unwrap());
        model.check_free(&state).unwrap();
    }
    let speed = |k: usize| reports[k].bodies[0].velocity[0];
    let (found, expected) = ((speed(300) - speed(200)) / 1.0, 9.81 * (sin - mu * cos));
    let last = &reports[300];
    println!("{D}D: {found} m/s², error {:.1e}, {} contacts", found / expected - 1.0, last.contacts.total());
    assert!((found / expected - 1.0).abs() < 1e-9);
    assert!(last.contacts.obstacle >= D && last.friction.stick == 0);
    // Implicit Euler loses energy and never creates any.
    for report in &reports[1..] {
        let size = report.energies.kinetic + report.energies.elastic + report.energies.barrier;
        assert!(report.numerical_energy <= 1e-9 * size, "{} s: {:e} J", report.time, report.numerical_energy);
    }
    // Of a block that slides steadily it takes ½ m Δv², and friction μ N Δx, in every step.
    let (mass, change) = (model.mass.of_nodes().iter().sum::<f64>(), speed(300) - speed(299));
    let lost = -0.5 * mass * change * change;
    assert!((last.numerical_energy / lost - 1.0).abs() < 1e-4, "{} J for {lost}", last.numerical_energy);
    let way = last.bodies[0].center[0] - reports[299].bodies[0].center[0];
    let heat = mu * last.normal_force * way;
    assert!(
        (last.friction.dissipation / heat - 1.0).abs() < 1e-6,
        "{} J for {heat}",
        last.friction.dissipation
    );
}

#[test]
fn a_bumpy_block_obeys_coulomb_in_2d() {
    incline::<2>();
}

#[test]
fn a_bumpy_block_obeys_coulomb_in_3d() {
    incline::<3>();
}

fn bits<const D: usize>(state: &State<D>) -> Vec<u64> {
    state.q.iter().chain(&state.v).flat_map(|v| v.0).map(f64::to_bits).collect()
}

/// The same bits with any number of threads, and after a file.
fn repeats<const D: usize>() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (model, mut state) = pair::<D>(soft_params());
            let (mut work, mut touching) = (Workspace::default(), None);
            for _ in 0..20 {
                if step(&model, &mut state, &mut work).unwrap().contacts.pairs() > 0 {
                    touching = Some(state.clone());
                }
            }
            (model, touching.unwrap())
        })
    };
    let (model, one) = run(1);
    for threads in [2, 8] {
        assert!(bits(&one) == bits(&run(threads).1), "{D}D differs on {threads} threads");
    }
    let (path, mut work) = (
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("embedded-{D}.bin")),
        Workspace::default(),
    );
    assert!(!one.memory.is_empty(), "contacts are part of what is saved");
    one.save(&path, &model).unwrap();
    let (mut on, mut loaded) = (one, State::load(&path, &model).unwrap());
    for _ in 0..5 {
        step(&model, &mut on, &mut work).unwrap();
        step(&model, &mut loaded, &mut Workspace::default()).unwrap();
    }
    assert!(on == loaded);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn threads_and_files_do_not_matter() {
    repeats::<2>();
    repeats::<3>();
}

/// A vertex on a side of an element moves with the nodes of that side alone: where these are prescribed, so is the vertex.
#[test]
fn what_lies_on_prescribed_nodes_is_driven() {
    let coarse = BoxMesh::<3>::new(Vector::ZERO, Vector([0.3, 0.2, 0.25]), [2, 1, 1], 0.0);
    let bottom: Vec<u32> =
        (0..coarse.vertices.len() as u32).filter(|v| coarse.vertices[*v as usize][1] < 0.0).collect();
    let fine = BoxMesh::<3>::new(Vector::ZERO, Vector([0.3, 0.2, 0.25]), [5, 3, 4], 0.0);
    let skin = ShapeMesh::from(fine).into_skin().unwrap();
    let body = Body {
        tetrahedra: coarse.tetrahedra.clone(),
        skin: Some(skin.clone()),
        prescribed: vec![(bottom, Trajectory::default())],
        ..Body::new("block", coarse.vertices.clone(), Lame::new(1e5, 0.3).unwrap(), 1000.0)
    };
    let (model, _) = Model::new(&[body], vec![], Vector::ZERO, Params::default()).unwrap();
    for (x, driven) in skin.vertices.iter().zip(&model.driven) {
        assert_eq!(*driven, x[1] < -0.099, "{x:?}");
    }
}

/// A surface that is not closed has no inside: what lies beside it is free.
#[test]
fn open_surfaces_have_no_inside() {
    let mut open = bumpy::<3>("open", Vector::ZERO, 1e5, 2);
    open.skin.as_mut().unwrap().triangles.retain(|face| face[0] % 3 != 0);
    let mesh = ShapeMesh::from(BoxMesh::new(Vector([-0.4, 0.0, 0.0]), Vector([0.1; 3]), [1; 3], 0.0));
    let beside = Body {
        tetrahedra: mesh.tetrahedra,
        ..Body::new("beside", mesh.vertices, Lame::new(1e5, 0.3).unwrap(), 1000.0)
    };
    assert!(Model::new(&[open, beside], vec![], Vector::ZERO, Params::default()).is_ok());
}

/// The scene with files: the ball rolls on its knobs rather than slides.
#[test]
fn a_ball_with_knobs_rolls() {
    let finished = run_changed::<3>("knobs-3d.toml", &[]);
    assert_eq!((finished.model.mass.of_nodes().len(), finished.model.surface.rest().len()), (125, 642));
    let (start, end) = (&finished.reports[0].bodies[0], &finished.reports[100].bodies[0]);
    let way = end.center - start.center;
    let slip: f64 = finished.reports.iter().map(|report| report.friction.distance).sum();
    println!("rolled {} m, slipped {slip} m, sideways {:e} m", way[0], way[2]);
    assert!(way[0] > 0.6 && slip < 0.05 * way[0] && way[2].abs() < 1e-9);
    // It turns about its centre, clockwise seen from the side.
    let front = finished.model.rest.iter().position(|x| x[0] > 0.09).unwrap();
    assert!((finished.state.q[front] - end.center).norm() < 0.12);
}

/// Surfaces outside of what should carry them are refused with the number of the vertex; so are those without a solid.
#[test]
fn surfaces_need_a_solid_around_them() {
    let new =
        |body: Body<3>| Model::new(&[body], vec![], Vector::ZERO, Params::default()).unwrap_err().to_string();
    let mut outside = bumpy::<3>("a", Vector::ZERO, 1e5, 2);
    outside.skin.as_mut().unwrap().vertices[7][0] += 0.4;
    let message = new(outside);
    assert!(
        message.contains("vertex 7 of the surface of body \"a\"") && message.contains("outside"),
        "{message}"
    );
    let message = new(Body { is_static: true, ..bumpy("b", Vector::ZERO, 1e5, 2) });
    assert!(message.contains("embedded surface") && message.contains("\"b\""), "{message}");
    let mut broken = bumpy::<3>("c", Vector::ZERO, 1e5, 2);
    broken.skin.as_mut().unwrap().triangles[0][1] = 10_000;
    assert!(new(broken).contains("body \"c\""));
    let mut endless = bumpy::<3>("d", Vector::ZERO, 1e5, 2);
    endless.skin.as_mut().unwrap().vertices[3][2] = f64::NAN;
    assert!(new(endless).contains("surface vertex 3"));
}

/// The same in scenes, at their keys.
#[test]
fn scenes_say_what_cannot_be_carried() {
    let given = scene("knobs-3d.toml").text().to_owned();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    for (from, to, words) in [
        ("meshes/ball.msh", "meshes/sphere.obj", ["shape.mesh.embed", "no tetrahedra"]),
        ("meshes/ball.msh", "meshes/none.msh", ["shape.mesh.embed", "No such file"]),
        ("meshes/knobs.obj", "meshes/sphere.obj", ["shape.mesh.embed", "outside of the mesh"]),
        ("name = \"ball\"", "name = \"ball\"\nthickness = 0.1", ["bodies[0].thickness", "has none"]),
    ] {
        let text = given.replacen(from, to, 1);
        let error =
            Scene::parse_in(&text, &folder).and_then(|scene| scene.build::<3>()).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
    let fixed =
        given.replacen("material = { young = 2e5, poisson = 0.4, density = 1000.0 }", "static = true", 1);
    let error =
        Scene::parse_in(&fixed, &folder).and_then(|scene| scene.build::<3>()).unwrap_err().to_string();
    assert!(error.contains("shape.mesh.embed") && error.contains("static body"), "{error}");
}

/// A body may lie within the coarse mesh, beside the surface that it carries, but not within the surface; nor may a ball.
#[test]
fn only_the_surface_keeps_others_out() {
    let mut hollow = bumpy::<3>("cage", Vector::ZERO, 1e5, 2);
    // The surface fills the lower half of its carrier only.
    hollow.skin.as_mut().unwrap().vertices.iter_mut().for_each(|x| x[1] = 0.5 * x[1] - 0.045);
    let small = |y: f64| {
        let mesh = ShapeMesh::from(BoxMesh::new(Vector([0.02, y, 0.01]), Vector([0.03; 3]), [1; 3], 0.0));
        Body {
            tetrahedra: mesh.tetrahedra,
            ..Body::new("small", mesh.vertices, Lame::new(1e5, 0.3).unwrap(), 1000.0)
        }
    };
    let new = |y: f64| Model::new(&[hollow.clone(), small(y)], vec![], Vector::ZERO, Params::default());
    assert!(new(0.06).is_ok());
    let message = new(-0.045).unwrap_err().to_string();
    assert!(message.contains("\"small\"") && message.contains("\"cage\" around it"), "{message}");
}
