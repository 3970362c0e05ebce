//! What is wrong with a scene or a model is said with its place, and a failed step changes nothing.

use crate::support;
use stiction::math::Vector;
use stiction_sim::boundary::Path;
use stiction_sim::error::Error;
use stiction_sim::material::Lame;
use stiction_sim::model::{Body, Model};
use stiction_sim::newton::Workspace;
use stiction_sim::params::Params;
use stiction_sim::scene::Scene;
use stiction_sim::step::step;

const GOOD: &str = r#"dimension = 2
gravity = [0.0, -9.81]
time = { step = 0.01, end = 0.1 }
contact.dhat = 1e-3
[friction]
mu = 0.5
[[bodies]]
name = "block"
shape.box = { center = [0.0, 0.2], size = [0.2, 0.2], cells = [2, 2] }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
[[planes]]
point = [0.0, 0.0]
normal = [0.0, 1.0]
"#;

/// The message for the good scene with `from` replaced by `to`.
fn message(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    let scene = Scene::parse(&GOOD.replacen(from, to, 1));
    match scene.and_then(|scene| scene.build::<2>()) {
        Ok(_) => panic!("{from} → {to} is accepted"),
        Err(error) => error.to_string(),
    }
}

/// What contradicts itself, or says half of something.
#[test]
fn contradictory_options_are_refused() {
    let contact = "contact.dhat = 1e-3";
    for (words, expected) in [
        ("use_ccd = true, use_ogc = true", ["contact.use_ogc", "excludes use_ccd"]),
        ("use_ccd = false", ["contact.use_ccd", "needs use_ogc = true"]),
        ("dmin = -1e-4", ["contact.dmin", "0 or positive"]),
        ("dmin = 0.11", ["of body \"block\"", "contact.dmin = 1.1e-1"]),
        ("excluded_rings = 0", ["contact.excluded_rings", "positive"]),
        ("broad_phase = \"grid\"", ["contact.broad_phase", "hash_grid"]),
        ("barrier_stiffness = -1.0", ["contact.barrier_stiffness", "positive"]),
    ] {
        refuses(contact, &format!("contact = {{ dhat = 1e-3, {words} }}"), &expected);
    }
    for (words, expected) in [
        ("mu = 0.5\nmu_s = 0.6", ["friction.mu", "excludes mu_s"]),
        ("mu_s = 0.6", ["friction", "needs both mu_s and mu_k"]),
        ("mu_s = 0.3\nmu_k = 0.5", ["friction.mu_s", "mu_k or larger"]),
        ("elliptic = [0.5, 0.2]", ["friction.elliptic", "in 2D"]),
        ("mu = 0.5\ndirection = [1.0, 0.0]", ["friction.direction", "needs elliptic"]),
        ("mu = 0.5\nlaw = \"sticky\"", ["friction.law", "\"sticky\""]),
        ("mu = 0.5\nlaw = { stribeck = { speed = 0.0 } }", ["friction.law", "speed"]),
        ("pairs = [{ between = [\"block\", \"wall\"], mu = 0.1 }]", ["friction.pairs[0].between", "wall"]),
    ] {
        refuses("mu = 0.5", words, &expected);
    }
}

#[test]
fn motions_and_loads_say_what_is_wrong() {
    let end = "density = 1000.0 }";
    for (words, expected) in [
        ("motions = [{ side = \"top\" }]", ["bodies[0].motions[0]", "moves nothing"]),
        ("motions = [{ side = \"front\", velocity = [0.0, 1.0] }]", ["motions[0].side", "only in 3D"]),
        ("motions = [{ formula = [\"t\", \"2 *\"] }]", ["motions[0].formula[1]", "character 4: ends where"]),
        ("motions = [{ formula = [\"t\"] }]", ["motions[0].formula", "needs 2 formulas"]),
        ("motions = [{ rotation = { point = [0.0, 0.0] } }]", ["motions[0].rotation", "needs one of"]),
        (
            "motions = [{ rotation = { point = [0.0, 0.0], axis = [0.0, 1.0], degrees_per_second = 1.0 } }]",
            ["rotation.axis", "only in 3D"],
        ),
        ("loads = [{ side = \"top\" }]", ["bodies[0].loads[0]", "needs one of force"]),
        (
            "loads = [{ pressure = 1.0, region = { min = [0.0, 0.2], max = [0.0, 0.2] } }]",
            ["pressure", "no whole edge"],
        ),
        ("loads = [{ pressure = nan }]", ["loads[0].pressure", "finite"]),
        ("loads = [{ force = [1.0] }]", ["loads[0].force", "needs 2 numbers"]),
        ("loads = [{ pressure = 1.0, factor = \"2 * x\" }]", ["loads[0].factor", "\"x\" is not known"]),
        (
            "loads = [{ pressure = 1.0, region = { min = [5.0, 5.0], max = [6.0, 6.0] } }]",
            ["loads[0].region", "no vertex"],
        ),
    ] {
        refuses(end, &format!("{end}\n{words}"), &expected);
    }
}

/// A formula that has no value from some time on ends the run there, with the state as it was.
#[test]
fn motions_without_a_value_are_named() {
    let words =
        "density = 1000.0 }\nmotions = [{ side = \"top\", formula = [\"0\", \"0.01 * sqrt(0.025 - t)\"] }]";
    let scene = Scene::parse(&GOOD.replace("density = 1000.0 }", words)).unwrap();
    let (model, mut state) = scene.build::<2>().unwrap();
    let mut work = Workspace::default();
    let error = (0..3).find_map(|_| {
        let before = state.clone();
        step(&model, &mut state, &mut work).err().inspect(|_| assert_eq!(state, before))
    });
    let message = error.unwrap().to_string();
    assert!(message.contains("the motion of vertex") && message.contains("no number at 0.03 s"), "{message}");
}

fn refuses(from: &str, to: &str, expected: &[&str]) {
    let message = message(from, to);
    for words in expected {
        assert!(message.contains(words), "{to}: no \"{words}\" in\n{message}");
    }
}

#[test]
fn errors_in_scenes_name_line_and_key() {
    assert!(Scene::parse(GOOD).unwrap().build::<2>().is_ok());
    let cases = [
        ("mu = 0.5", "mu = -0.5", vec!["line 6", "friction.mu", "-0.5"]),
        ("mu = 0.5", "mu = nan", vec!["line 6", "friction.mu"]),
        ("mu = 0.5", "mu_static = 0.5", vec!["line 6", "mu_static", "unknown field", "eps_v"]),
        ("mu = 0.5", "mu = \"much\"", vec!["line 6", "friction.mu", "invalid type"]),
        ("contact.dhat = 1e-3", "contact.dhat = -1e-3", vec!["line 4", "contact.dhat", "positive"]),
        (
            "contact.dhat = 1e-3",
            "contact.dhat = 1e-3\ncontact.barrier_stiffness = \"soft\"",
            vec!["line 5", "stiffness"],
        ),
        (
            "contact.dhat = 1e-3",
            "contact.dhat = 1e-3\nsolver.retries = 17",
            vec!["line 5", "solver.retries", "17", "at most 16"],
        ),
        ("step = 0.01", "step = 0.0", vec!["line 3", "time.step"]),
        ("end = 0.1", "end = 0.001", vec!["line 3", "time.end"]),
        ("end = 0.1", "end = 0.1, frame_every = 0", vec!["line 3", "time.frame_every"]),
        (
            "end = 0.1",
            "end = 0.1, integrator = \"leapfrog\"",
            vec!["line 3", "time.integrator", "leapfrog", "bdf2"],
        ),
        ("end = 0.1", "end = 0.1, integrator = \"newmark\", gamma = 2.0", vec!["line 3", "time.gamma"]),
        ("end = 0.1", "end = 0.1, beta = 0.3", vec!["line 3", "time.beta", "newmark"]),
        ("end = 0.1", "end = 0.1, integrator = \"newmark\", beta = 0.1", vec!["line 3", "time.beta", "γ/2"]),
        ("end = 0.1", "end = 0.1, integrator = \"newmark\", gamma = 0.4", vec!["line 3", "time.gamma", "½"]),
        (
            "young = 1e5",
            "young = 1e5, kind = \"rubber\"",
            vec!["line 10", "bodies[0].material.kind", "rubber", "stvk"],
        ),
        ("dimension = 2", "dimension = 4", vec!["line 1", "dimension"]),
        ("[0.0, -9.81]", "[0.0, -9.81, 0.0]", vec!["line 2", "gravity", "2 numbers"]),
        ("[0.0, -9.81]", "[0.0, inf]", vec!["line 2", "gravity", "finite"]),
        ("size = [0.2, 0.2]", "size = [0.2, 0.0]", vec!["line 9", "bodies[0].shape.box.size", "positive"]),
        ("cells = [2, 2]", "cells = [2]", vec!["line 9", "bodies[0].shape.box.cells", "2 numbers"]),
        ("cells = [2, 2]", "cells = [2, 0]", vec!["line 9", "cells", "at least 1"]),
        ("cells = [2, 2]", "cells = [2, 99999999999]", vec!["line 9", "cells"]),
        ("shape.box", "shape.ball", vec!["line 9", "ball", "box"]),
        ("poisson = 0.3", "poisson = 0.5", vec!["line 10", "bodies[0].material.poisson", "less than 0.5"]),
        ("young = 1e5", "young = 0.0", vec!["line 10", "bodies[0].material.young"]),
        ("density = 1000.0", "density = 0.0", vec!["line 10", "bodies[0].material.density"]),
        ("normal = [0.0, 1.0]", "normal = [0.0, 0.0]", vec!["line 13", "planes[0].normal"]),
        (
            "name = \"block\"",
            "name = \"block\"\nfixed = [\"front\"]",
            vec!["line 9", "bodies[0].fixed[0]", "3D"],
        ),
        ("name = \"block\"", "name = \"block\"\nfixed = [\"underneath\"]", vec!["line 9", "underneath"]),
        (
            "center = [0.0, 0.2]",
            "center = [0.0, 0.05]",
            vec!["line 9", "not outside obstacle 0", "block", "move it out"],
        ),
        ("center = [0.0, 0.2]", "center = [0.0, 0.1]", vec!["line 9", "bodies[0].shape", "signed distance"]),
        (
            "contact.dhat = 1e-3",
            "contact.dhat = 0.11",
            vec!["line 4", "contact.dhat", "within body", "less than 1.000e-1"],
        ),
        (
            "size = [0.2, 0.2]",
            "size = [1e-155, 1e-155]",
            vec!["line 9", "element 0 of body \"block\"", "volume 0"],
        ),
        ("size = [0.2, 0.2]", "size = [1e200, 1e200]", vec!["block", "volume inf"]),
        ("normal = [0.0, 1.0]", "normal = [0.0, 1.", vec!["line 13"]),
    ];
    for (from, to, words) in cases {
        let message = message(from, to);
        for word in words {
            assert!(message.contains(word), "{to}: no \"{word}\" in\n{message}");
        }
    }
    assert!(Scene::parse("").unwrap_err().to_string().contains("dimension"));
}

#[test]
fn keyframes_are_checked() {
    let with = |frames: &str| {
        message(
            "[[planes]]",
            &format!("[[bodies.motions]]\nside = \"top\"\nkeyframes = {frames}\n[[planes]]"),
        )
    };
    assert!(with("[[0.0, 0.0]]").contains("bodies[0].motions[0].keyframes[0]: needs a time and 2 numbers"));
    assert!(with("[[]]").contains("is empty"));
    assert!(with("[[1.0, 0.0, 0.0], [0.5, 0.0, 0.0]]").contains("later than the one before"));
}

#[test]
fn two_bodies_need_two_names_and_two_places() {
    let body = GOOD[GOOD.find("[[bodies]]").unwrap()..GOOD.find("[[planes]]").unwrap()].to_owned();
    let twice = |other: String| {
        let text = format!("{GOOD}{other}");
        Scene::parse(&text).and_then(|scene| scene.build::<2>()).unwrap_err().to_string()
    };
    assert!(twice(body.clone()).contains("bodies[1].name: \"block\" is taken"));
    let message = twice(body.replace("block", "other").replace("0.2], size", "0.35], size"));
    for word in ["line 16", "body \"block\"", "body \"other\"", "intersect near", "move them apart"] {
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn a_body_inside_another_is_refused() {
    for dimension in [2, 3] {
        let z = if dimension == 2 { "" } else { ", 0.0" };
        let body = |name: &str, size: f64| {
            let (side, cells) = (
                if dimension == 2 { String::new() } else { format!(", {size}") },
                &"1, 1, 1"[..3 * dimension - 2],
            );
            format!(
                "[[bodies]]\nname = \"{name}\"\nmaterial = {{ young = 1e5, poisson = 0.3, density = 1000.0 }}\n\
                 shape.box = {{ center = [0.0, 0.0{z}], size = [{size}, {size}{side}], cells = [{cells}] }}\n"
            )
        };
        let text = format!(
            "dimension = {dimension}\ntime = {{ step = 0.01, end = 0.1 }}\n{}{}",
            body("outer", 0.2),
            body("inner", 0.02)
        );
        let scene = Scene::parse(&text).unwrap();
        let built = if dimension == 2 { scene.build::<2>().map(drop) } else { scene.build::<3>().map(drop) };
        let message = built.unwrap_err().to_string();
        assert!(message.contains("body \"inner\" and body \"outer\" around it intersect"), "{message}");
    }
}

fn triangle() -> Body<2> {
    let vertices = vec![Vector([0.0, 0.0]), Vector([1.0, 0.0]), Vector([0.0, 1.0])];
    Body { triangles: vec![[0, 1, 2]], ..Body::new("piece", vertices, Lame::new(1e5, 0.3).unwrap(), 1.0) }
}

fn refused(body: Body<2>) -> String {
    Model::new(&[body], vec![], Vector::ZERO, Params::default()).unwrap_err().to_string()
}

#[test]
fn bad_bodies_are_refused_by_name() {
    assert!(Model::new(&[triangle()], vec![], Vector::ZERO, Params::default()).is_ok());
    let mut inverted = triangle();
    inverted.triangles[0] = [0, 2, 1];
    assert!(refused(inverted).contains("element 0 of body \"piece\" has volume -5e-1"));
    let mut loose = triangle();
    loose.vertices.push(Vector([5.0, 5.0]));
    assert!(refused(loose).contains("vertex 3 of body \"piece\" belongs to no element"));
    let mut missing = triangle();
    missing.triangles[0][2] = 9;
    assert!(refused(missing).contains("triangle 0 names vertex 9"));
    let mut solid = triangle();
    solid.tetrahedra = vec![[0, 1, 2, 0]];
    assert!(refused(solid).contains("tetrahedra of a body in 2D has 1 entries, expected 0"));
    let mut nan = triangle();
    nan.vertices[1] = Vector([f64::NAN, 0.0]);
    assert!(refused(nan).contains("vertex 1 is not finite"));
    let mut tiny = triangle();
    tiny.vertices.iter_mut().for_each(|x| *x = *x * 1e-155);
    assert!(refused(tiny).contains("choose units"));
    let mut nowhere = triangle();
    nowhere.prescribed = vec![(vec![7], Path::default())];
    assert!(refused(nowhere).contains("prescribed vertex 0 names vertex 7"));
    let mut fast = triangle();
    fast.velocity = Vector([f64::INFINITY, 0.0]);
    assert!(refused(fast).contains("velocity of body 0 is not finite"));
}

/// A fixed and a driven block: the motion goes through the fixed one, which cannot be.
#[test]
fn a_blocked_motion_is_reported_and_changes_nothing() {
    let text = r#"dimension = 2
time = { step = 0.01, end = 0.1 }
[[bodies]]
name = "wall"
shape.box = { center = [0.0, 0.0], size = [0.2, 0.2], cells = [1, 1] }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
fixed = ["left", "right"]
[[bodies]]
name = "ram"
shape.box = { center = [0.0, 0.25], size = [0.1, 0.2], cells = [1, 1] }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
[[bodies.motions]]
side = "top"
keyframes = [[0.0, 0.0, 0.0], [0.01, 0.0, -0.001], [0.02, 0.0, -0.5]]
[[bodies.motions]]
side = "bottom"
keyframes = [[0.0, 0.0, 0.0], [0.01, 0.0, -0.001], [0.02, 0.0, -0.5]]
"#;
    let (model, mut state) = Scene::parse(text).and_then(|scene| scene.build::<2>()).unwrap();
    let mut work = Workspace::default();
    step(&model, &mut state, &mut work).unwrap();
    let before = state.clone();
    let error = step(&model, &mut state, &mut work).unwrap_err();
    let Error::InSubsteps { first, .. } = &error else { panic!("{error}") };
    assert!(matches!(**first, Error::Blocked { step: 2, .. }), "{error}");
    assert_eq!(before, state);
}

#[test]
fn an_interrupted_step_changes_nothing() {
    let (model, mut state) = support::scene("rub-2d.toml").build::<2>().unwrap();
    let before = state.clone();
    let mut work = Workspace::with_stop(std::sync::Arc::new(true.into()));
    let error = step(&model, &mut state, &mut work).unwrap_err();
    assert!(matches!(error, Error::Interrupted { step: 1 }), "{error}");
    assert_eq!(before, state);
}

#[test]
fn too_few_iterations_are_reported_and_change_nothing() {
    let (mut model, mut state) = support::scene("rub-2d.toml").build::<2>().unwrap();
    model.params.newton.max_iterations = 1;
    model.params.newton.retries = 0;
    let before = state.clone();
    let error = step(&model, &mut state, &mut Workspace::default()).unwrap_err();
    assert!(matches!(error, Error::NotConverged { step: 1, iterations: 1, .. }), "{error}");
    assert_eq!(before, state);
}
