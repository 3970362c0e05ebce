//! What is wrong with a scene or a model is said with its place, and a failed step changes nothing.

use crate::support;
use stiction::math::Vector;
use stiction_sim::boundary::Trajectory;
use stiction_sim::error::Error;
use stiction_sim::linear::LinearKind;
use stiction_sim::material::Lame;
use stiction_sim::model::{Body, Model};
use stiction_sim::newton::Workspace;
use stiction_sim::params::{NewtonParams, Params};
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
        ("mu = 0.5\nlaw = \"adhesion\"", ["friction.law", "attraction"]),
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
    let (model, mut state, mut work) = support::begin::<2>(&scene);
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

/// Names tell things apart in tables and pictures, and fields are those that there are.
#[test]
fn names_and_fields_that_cannot_be_are_refused() {
    let plane = "point = [0.0, 0.0]";
    refuses(plane, "name = \"block\"\npoint = [0.0, 0.0]", &["planes[0].name", "taken by a body"]);
    refuses(plane, "name = \"\"\npoint = [0.0, 0.0]", &["planes[0].name", "empty"]);
    refuses("name = \"block\"", "name = \"a\\nb\"", &["bodies[0].name", "control character"]);
    refuses(
        "contact.dhat",
        "output.fields = [\"heat\"]\ncontact.dhat",
        &["output.fields[0]", "von_mises", "all"],
    );
    refuses("contact.dhat", "output.field = []\ncontact.dhat", &["field"]);
    for good in ["[]", "[\"all\"]", "[\"velocity\", \"stress\"]"] {
        let text = GOOD.replacen("contact.dhat", &format!("output.fields = {good}\ncontact.dhat"), 1);
        assert!(Scene::parse(&text).is_ok(), "{good}");
    }
    let both =
        format!("{GOOD}name = \"block.fixed1\"\n").replace("material =", "fixed = [\"top\"]\nmaterial =");
    let error = Scene::parse(&both).unwrap().build::<2>().unwrap_err().to_string();
    assert!(error.contains("block.fixed1.moment") && error.contains("other names"), "{error}");
}

#[test]
fn errors_in_scenes_name_line_and_key() {
    assert!(Scene::parse(GOOD).unwrap().build::<2>().is_ok());
    let cases = [
        ("mu = 0.5", "mu = -0.5", vec!["line 6", "friction.mu", "-0.5"]),
        ("mu = 0.5", "mu = nan", vec!["line 6", "friction.mu"]),
        ("mu = 0.5", "mu_static = 0.5", vec!["line 6", "mu_static", "is not a key here", "eps_v"]),
        ("mu = 0.5", "mu = \"much\"", vec!["line 6", "friction.mu: needs a number, not the text \"much\""]),
        ("contact.dhat = 1e-3", "contact.dhat = -1e-3", vec!["line 4", "contact.dhat", "positive"]),
        (
            "contact.dhat = 1e-3",
            "contact.dhat = 1e-3\ncontact.barrier_stiffness = \"soft\"",
            vec!["line 5", "contact.barrier_stiffness", "needs a number or \"auto\", not the text \"soft\""],
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
            "size = [0.2, 0.2]",
            "size = [1e-155, 1e-155]",
            vec!["line 9", "element 0 of body \"block\"", "volume 0"],
        ),
        (
            "size = [0.2, 0.2]",
            "size = [1e200, 1e200]",
            vec!["line 9", "bodies[0].shape.box.size", "at most 1e50"],
        ),
        ("normal = [0.0, 1.0]", "normal = [0.0, 1.", vec!["line 13"]),
    ];
    for (from, to, words) in cases {
        let message = message(from, to);
        for word in words {
            assert!(message.contains(word), "{to}: no \"{word}\" in\n{message}");
        }
    }
    assert_eq!(Scene::parse("").unwrap_err().to_string(), "dimension: is missing");
}

/// Lists that are too long and lists where tables belong: not an entry is ignored.
#[test]
fn lists_have_the_entries_that_they_need() {
    let (pairs, frames) = ("friction.pairs[0].between", "bodies[0].motions[0].rotation.keyframes[1]");
    let block = "name = \"block\"";
    for (from, to, expected) in [
        (
            "mu = 0.5",
            "pairs = [{ between = [\"block\", \"block\", \"x\"], mu = 0.1 }]",
            [pairs, "needs 2 entries, has 3"],
        ),
        ("mu = 0.5", "pairs = [{ between = [\"block\"], mu = 0.1 }]", [pairs, "needs 2 entries, has 1"]),
        ("mu = 0.5", "static_axes = [0.5, 0.1, 0.7]", ["friction.static_axes", "needs 2 entries"]),
        ("mu = 0.5", "kinetic_axes = [0.5, 0.1, 0.7]", ["friction.kinetic_axes", "needs 2 entries"]),
        ("mu = 0.5", "elliptic = [0.5, 0.1, 0.7]", ["friction.elliptic", "needs 2 entries"]),
        (
            block,
            "name = \"block\"\nmotions = [{ rotation = { point = [0.0, 0.0], keyframes = [[0, 0], [1, 2, 3, 4]] } }]",
            [frames, "needs 2 entries, has 4"],
        ),
        (
            block,
            "name = \"block\"\nloads = [{ pressure = 1.0, factor = [[0.0, 1.0, 2.0]] }]",
            ["bodies[0].loads[0].factor[0]", "needs 2 entries, has 3"],
        ),
        (
            "time = { step = 0.01, end = 0.1 }",
            "time = [0.01, 0.05]",
            ["line 3: time", "needs a table such as { step = …"],
        ),
        ("contact.dhat = 1e-3", "contact = [0.001]", ["line 4: contact", "needs a table"]),
        (
            "{ center = [0.0, 0.2], size = [0.2, 0.2], cells = [2, 2] }",
            "[[0.0, 0.2], [0.2, 0.2], [2, 2]]",
            ["bodies[0].shape.box", "needs a table such as { center = …"],
        ),
        (
            "{ young = 1e5, poisson = 0.3, density = 1000.0 }",
            "[1e6, 0.4, 1000.0]",
            ["bodies[0].material", "needs a table"],
        ),
        ("mu = 0.5", "mu = 0.5\nlaw = { stribeck = [1.0, 2.0] }", ["friction.law.stribeck", "needs a table"]),
        (
            "mu = 0.5",
            "mu = 0.5\nlaw = { stribeck = { speed = 1.0 }, more = 1 }",
            ["friction.law.more", "is not a key"],
        ),
        ("[[planes]]", "[planes]", ["line 11: planes", "double brackets"]),
        ("mu = 0.5", "mu = 0.5\nrefinements = 3", ["friction.refinements", "is now called lag_iterations"]),
        (
            "contact.dhat = 1e-3",
            "contact = { dhat = 1e-3, stiffness = 1e9 }",
            ["contact.stiffness", "is now called barrier_stiffness"],
        ),
        ("shape.box", "shape = \"box\"\nx", ["bodies[0].shape", "needs a table such as { box = { … } }"]),
        (block, "name = \"block\"\nfixed = [{ left = 1 }]", ["bodies[0].fixed[0]", "needs a text in quotes"]),
        (block, "name = \"block\"\nshape.rod = {}", ["bodies[0].shape", "needs one of the keys box, quad"]),
    ] {
        refuses(from, to, &expected);
    }
}

/// What would do nothing is refused: whoever wrote it expects something.
#[test]
fn nothing_is_ignored_in_silence() {
    let (name, matter) = ("name = \"block\"", "material = { young = 1e5, poisson = 0.3, density = 1000.0 }");
    for (words, expected) in [
        ("velocity = [1.0, 0.0]", ["bodies[0].velocity", "[[bodies.motions]]"]),
        (matter, ["bodies[0].material", "means nothing for a static body"]),
        ("damping = { mass = 1.0 }", ["bodies[0].damping", "means nothing for a static body"]),
        ("thickness = 0.1", ["bodies[0].thickness", "means nothing for a static body"]),
        ("radius = 0.1", ["bodies[0].radius", "means nothing for a static body"]),
        ("fixed = [\"left\"]", ["bodies[0].fixed", "means nothing for a static body"]),
        ("loads = [{ pressure = 1.0 }]", ["bodies[0].loads", "means nothing for a static body"]),
    ] {
        refuses(matter, &format!("static = true\n{words}"), &expected);
    }
    for (words, expected) in [
        ("motions = [{ keyframes = [] }]", ["bodies[0].motions[0].keyframes", "is empty"]),
        ("fixed = [\"left\", \"left\"]", ["bodies[0].fixed[1]", "twice"]),
        (
            "fixed = [\"left\"]\nmotions = [{ velocity = [1.0, 0.0] }]",
            ["bodies[0].fixed[0]", "moves nothing"],
        ),
        (
            "motions = [{ side = \"top\", velocity = [1.0, 0.0] }, { velocity = [0.0, 1.0] }]",
            ["bodies[0].motions[0]", "moves nothing"],
        ),
        ("velocity = [1.0, 0.0]\nmotions = [{ velocity = [0.0, 1.0] }]", ["bodies[0].velocity", "no vertex"]),
        (
            "fixed = [\"top\"]\nloads = [{ side = \"top\", pressure = 1.0 }]",
            ["bodies[0].loads[0]", "moves nothing"],
        ),
        ("velocity = []", ["bodies[0].velocity", "needs 2 numbers"]),
        ("surface = \"\"", ["bodies[0].surface", "is empty"]),
    ] {
        refuses(name, &format!("{name}\n{words}"), &expected);
    }
    refuses(name, "name = \"\"", &["bodies[0].name", "is empty"]);
    refuses("[0.0, -9.81]", "[]", &["gravity", "needs 2 numbers"]);
    refuses(
        "mu = 0.5",
        "pairs = [{ between = [\"block\", \"block\"] }]",
        &["friction.pairs[0]", "has no coefficient"],
    );
    let twice = "pairs = [{ between = [\"block\", \"block\"], mu = 0.1 }, { between = [\"block\", \"block\"], mu = 0.2 }]";
    refuses("mu = 0.5", twice, &["friction.pairs[1].between", "block"]);
}

/// A motion is one of the same vertices as another without taking all of them, or goes the same way.
#[test]
fn motions_may_share_corners() {
    let name = "name = \"block\"";
    for words in [
        "fixed = [\"left\", \"bottom\"]\nmotions = [{ side = \"top\", velocity = [0.0, 1.0] }]",
        "motions = [{ side = \"top\", velocity = [0.0, 1.0] }, { velocity = [0.0, 1.0] }]",
        "fixed = [\"left\"]\nloads = [{ pressure = 1.0 }]",
    ] {
        Scene::parse(&GOOD.replacen(name, &format!("{name}\n{words}"), 1)).unwrap().build::<2>().unwrap();
    }
}

/// A scene with most keys that there are.
const MANY: &str = r#"dimension = 3
gravity = [0.0, -9.81, 0.0]
[time]
step = 0.01
end = 0.1
frame_every = 1
integrator = "newmark"
beta = 0.25
gamma = 0.5
[contact]
dhat = 1e-3
dhat_is_relative = false
dmin = 0.0
barrier_stiffness = "auto"
adaptive_barrier_stiffness = true
use_area_weighting = false
excluded_rings = 1
broad_phase = "bvh"
use_ccd = true
use_ogc = false
line_search_energy = true
psd_projection = true
[friction]
mu_s = 0.5
mu_k = 0.4
static_axes = [0.5, 0.4]
direction = [1.0, 0.0, 0.0]
law = { stribeck = { speed = 1.0, viscous = 0.1 } }
eps_v = 1e-3
lag_iterations = 1
lag_tolerance = 1e-3
[[friction.pairs]]
between = ["steel", "block"]
elliptic = [0.3, 0.2]
direction = [1.0, 0.0, 0.0]
[solver]
tolerance = 1e-4
max_iterations = 100
retries = 3
linear = "direct"
[[bodies]]
name = "block"
shape.box = { center = [0.0, 0.2, 0.0], size = [0.2, 0.2, 0.2], cells = [2, 2, 2], rotate_deg = 5.0 }
material = { young = 1e5, poisson = 0.3, density = 1000.0, kind = "stvk" }
damping = { mass = 0.1, stiffness = 0.1 }
static = false
velocity = [0.1, 0.0, 0.0]
fixed = ["left"]
[[bodies.motions]]
side = "top"
keyframes = [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.1, 0.0]]
velocity = [0.0, 0.0, 0.0]
rotation = { point = [0.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0], keyframes = [[0.0, 0.0], [1.0, 2.0]] }
[[bodies.motions]]
region = { min = [0.05, 0.0, -1.0], max = [1.0, 0.15, 1.0] }
formula = ["0", "t", "0"]
rotation = { point = [0.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0], degrees_per_second = 1.0 }
[[bodies.loads]]
pressure = 1.0
factor = [[0.0, 0.0], [1.0, 1.0]]
[[bodies.loads]]
force = [1.0, 0.0, 0.0]
factor = "sin(t)"
[[bodies.loads]]
acceleration = [1.0, 0.0, 0.0]
[[bodies]]
name = "cloth"
shape.sheet = { center = [0.0, 0.6, 0.0], size = [0.2, 0.2], cells = [2, 2], normal = [0.0, 1.0, 0.0], rotate_deg = 1.0 }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
thickness = 1e-3
surface = "steel"
[[bodies]]
name = "rod"
shape.rod = { start = [0.0, 0.8, 0.0], end = [0.2, 0.8, 0.0], segments = 2 }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
radius = 1e-3
[[bodies]]
name = "wall"
static = true
shape.mesh = { file = "wall.obj", scale = 1.0, rotate_deg = 3.0, axis = [0.0, 1.0, 0.0], translate = [0.0, 1.0, 0.0] }
[[planes]]
point = [0.0, 0.0, 0.0]
normal = [0.0, 1.0, 0.0]
surface = "steel"
motion = { velocity = [0.0, 0.0, 0.0] }
[[spheres]]
center = [50.0, 50.0, 50.0]
radius = 20.0
surface = "steel"
motion = { velocity = [0.0, 0.0, 0.0] }
[[cylinders]]
point = [90.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
radius = 60.0
surface = "steel"
motion = { rotation = { point = [90.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0], formula = "t" } }
"#;

/// A quadrilateral, which is in 2D only, and the choices that the other scene does not make.
const QUAD: &str = r#"dimension = 2
time = { step = 0.01, end = 0.1 }
contact.barrier_stiffness = 1e3
friction = { mu = 0.5, law = "peak" }
[[bodies]]
name = "stone"
shape.quad = { corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], cells = [1, 1] }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
thickness = 1.0
"#;

/// Calls `try_it` with a copy of the value for each place in it, of which that place is replaced.
fn everywhere(root: &toml::Value, new: &toml::Value, try_it: &mut dyn FnMut(&str, &toml::Value)) {
    fn places(value: &toml::Value, path: &mut Vec<String>, out: &mut Vec<Vec<String>>) {
        let mut inside = |name: String, child: &toml::Value| {
            path.push(name);
            out.push(path.clone());
            places(child, path, out);
            path.pop();
        };
        match value {
            toml::Value::Table(table) => table.iter().for_each(|(name, child)| inside(name.clone(), child)),
            toml::Value::Array(list) => {
                list.iter().enumerate().for_each(|(i, child)| inside(i.to_string(), child));
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    places(root, &mut Vec::new(), &mut all);
    for path in all {
        let mut copy = root.clone();
        let place = path.iter().fold(&mut copy, |value, name| match value {
            toml::Value::Array(list) => &mut list[name.parse::<usize>().unwrap()],
            table => &mut table[name.as_str()],
        });
        *place = new.clone();
        try_it(&path.join("."), &copy);
    }
}

/// Whatever value a key has, nobody hears of the types of this program.
#[test]
fn wrong_kinds_are_said_in_plain_words() {
    const JARGON: [&str; 12] = [
        "untagged",
        "usize",
        "u32",
        "f64",
        "i64",
        "struct",
        "enum",
        "variant",
        "sequence",
        "invalid type",
        "deserialize",
        "field `",
    ];
    const VALUES: &str = r#"all = ["word", true, -3, 2.5, [], [[1]], [1.5, "x"], { x = 1 }, {}, 2026-01-01, nan, inf, 1e300, ""]"#;
    let values = VALUES.parse::<toml::Table>().unwrap()["all"].clone();
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("wall.obj"), "v 20 0 0\nv 21 0 0\nv 20 1 0\nf 1 2 3\n").unwrap();
    let build = |text: &str| {
        Scene::parse_in(text, folder).and_then(|scene| match scene.dimension {
            2 => scene.build::<2>().map(drop),
            _ => scene.build::<3>().map(drop),
        })
    };
    let (mut refused, mut wrong) = (0, Vec::new());
    for text in [MANY, QUAD] {
        // Otherwise whatever is changed would be refused for another reason.
        build(text).unwrap_or_else(|error| panic!("{error}"));
        let root = toml::Value::Table(text.parse().unwrap());
        for value in values.as_array().unwrap() {
            everywhere(&root, value, &mut |path, scene| {
                let text = toml::to_string(scene).unwrap();
                let Err(error) = build(&text) else { return };
                refused += 1;
                let plain = JARGON.iter().all(|word| !error.message.contains(word));
                let placed = error.key.is_some();
                if !plain || !placed {
                    wrong.push(format!("{path} = {value}: {error}"));
                }
            });
        }
    }
    assert!(wrong.is_empty(), "{} without a key or in other words:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused > 2000, "{refused}");
}

/// Numbers that no step can be computed with are named, with what to do.
#[test]
fn absurd_numbers_are_named() {
    let dhat = "contact.dhat = 1e-3";
    for (from, to, expected) in [
        ("young = 1e5", "young = 1e20", ["bodies[0].material.young: 1e20", "make it smaller"]),
        ("young = 1e5", "young = 1e300", ["bodies[0].material.young", "1e300"]),
        ("young = 1e5", "young = 1e-20", ["bodies[0].material.young: 1e-20", "make it larger"]),
        ("young = 1e5", "young = 1e-300", ["bodies[0].material.young", ""]),
        ("density = 1000.0", "density = 1e30", ["bodies[0].material.density: 1e30", "make it smaller"]),
        ("density = 1000.0", "density = 1e-30", ["bodies[0].material.density: 1e-30", "make it larger"]),
        ("density = 1000.0", "density = 1e308", ["bodies[0].material.density", "1"]),
        (dhat, "contact.dhat = 1e-30", ["contact.dhat: 1.0e-30 m is too small", "make it at least"]),
        (
            dhat,
            "contact.dhat = 1.0",
            ["contact.dhat: d̂ is 1.0e0 m, more than body \"block\"", "make it at most 3e-2"],
        ),
        (
            dhat,
            "contact.dhat = 1e-3\ncontact.barrier_stiffness = 1e-30",
            ["contact.barrier_stiffness", "\"auto\""],
        ),
        (
            dhat,
            "contact.dhat = 1e-3\ncontact.barrier_stiffness = 1e30",
            ["contact.barrier_stiffness", "\"auto\""],
        ),
        (dhat, "contact.dhat = 1e-3\nsolver.tolerance = 1e30", ["solver.tolerance", "choose a smaller one"]),
        ("step = 0.01", "step = 1e-12", ["time.step: makes 1e11 steps", "make it larger"]),
        ("step = 0.01, end = 0.1", "step = 1e10, end = 1e12", ["gravity", "cross"]),
        ("-9.81", "-1e30", ["gravity", "choose a smaller one"]),
        ("mu = 0.5", "mu = 1e30", ["friction.mu: 1e30", "at most 1e6"]),
        (
            "name = \"block\"",
            "name = \"block\"\nvelocity = [1e30, 0.0]",
            ["bodies[0].velocity", "choose a smaller"],
        ),
        ("center = [0.0, 0.2]", "center = [1e16, 0.2]", ["bodies[0].shape", "far from the origin"]),
        ("point = [0.0, 0.0]", "point = [0.0, 1e300]", ["planes[0].point", "at most 1e50"]),
    ] {
        refuses(from, to, &expected);
    }
}

/// Flat, inverted and repeated elements of files are said with body, key and line.
#[test]
fn bad_elements_of_files_name_body_and_line() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let corners = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\n";
    let scene = |dimension: usize, rest: &str| {
        format!(
            "dimension = {dimension}\ntime = {{ step = 0.01, end = 0.1 }}\n[[bodies]]\nname = \"a\"\n\
             shape.mesh = {{ file = \"bad-elements.obj\" }}\n{rest}\n"
        )
    };
    let soft = "material = { young = 1e5, poisson = 0.3, density = 1000.0 }";
    let sheet = "material = { young = 1e5, poisson = 0.3, density = 1000.0 }\nthickness = 0.01";
    for (elements, dimension, rest, words) in [
        ("f 1 2 3\nf 1 2 4\n", 2, soft, "element 0 of body \"a\" has volume 0"),
        ("f 1 2 3\nf 1 2 4\n", 3, sheet, "triangle 0 of body \"a\" has area 0"),
        ("f 1 2 3\nf 1 2 4\n", 3, "static = true", "body \"a\""),
        ("f 1 2 4\nf 2 4 1\n", 3, sheet, "triangle 1 of body \"a\""),
        ("f 1 2 2\nf 1 2 4\n", 3, sheet, "body \"a\""),
        ("l 1 2\nl 4 4\n", 3, "static = true", "body \"a\""),
    ] {
        std::fs::write(folder.join("bad-elements.obj"), format!("{corners}{elements}")).unwrap();
        let scene = Scene::parse_in(&scene(dimension, rest), folder).unwrap();
        let built = if dimension == 2 { scene.build::<2>().map(drop) } else { scene.build::<3>().map(drop) };
        let message = built.unwrap_err().to_string();
        assert!(
            message.contains(words) && message.contains("line 5: bodies[0].shape"),
            "{elements}: {message}"
        );
    }
}

/// Of a long line what is near the error is shown.
#[test]
fn long_lines_are_cut() {
    let long = format!("mu = [{}]", "1.0, ".repeat(100_000));
    let message = message("mu = 0.5", &long);
    assert!(message.len() < 600 && message.contains("needs a number, not a list"), "{message}");
    let spaces = " ".repeat(1000);
    let message = message_of(&format!("name = {{ {spaces} }}{spaces}"));
    assert!(message.len() < 600, "{message}");
    for (from, to) in [
        ("mu = 0.5", format!("{} = 0.5", "mu".repeat(100_000))),
        ("mu = 0.5", format!("law = \"{}\"", "mu".repeat(100_000))),
        ("name = \"block\"", format!("name = \"block\"\nfixed = [\"{}\"]", "é".repeat(100_000))),
    ] {
        let message = self::message(from, &to);
        assert!(message.len() < 3000, "{}", message.len());
    }
}

fn message_of(line: &str) -> String {
    message("name = \"block\"", line)
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
    nowhere.prescribed = vec![(vec![7], Trajectory::default())];
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
    let (model, mut state, mut work) = support::begin::<2>(&Scene::parse(text).unwrap());
    step(&model, &mut state, &mut work).unwrap();
    let before = state.clone();
    let error = step(&model, &mut state, &mut work).unwrap_err();
    let Error::InSubsteps { first, .. } = &error else { panic!("{error}") };
    assert!(matches!(**first, Error::Blocked { step: 2, .. }), "{error}");
    assert_eq!(before, state);
}

#[test]
fn an_interrupted_step_changes_nothing() {
    let (model, mut state, work) = support::begin::<2>(&support::scene("rub-2d.toml"));
    let before = state.clone();
    let mut work = work.with_stop(std::sync::Arc::new(true.into()));
    let error = step(&model, &mut state, &mut work).unwrap_err();
    assert!(matches!(error, Error::Interrupted { step: 1 }), "{error}");
    assert_eq!(before, state);
}

/// What a scene says about its solver gets there, and is checked where it does.
#[test]
fn a_workspace_has_the_solver_of_its_scene_and_checks_it() {
    let text = GOOD.replacen(
        "[[bodies]]",
        "[solver]\ntolerance = 1e-5\nmax_iterations = 70\nretries = 2\nlinear = \"cg\"\n[[bodies]]",
        1,
    );
    let work = Scene::parse(&text).unwrap().workspace::<2>().unwrap();
    let linear = LinearKind::ConjugateGradients;
    assert_eq!(
        *work.newton(),
        NewtonParams { tolerance: Some(1e-5), max_iterations: 70, retries: 2, linear }
    );
    let refused = |newton| Workspace::<2>::new(newton).unwrap_err().to_string();
    let usual = NewtonParams::default();
    assert!(refused(NewtonParams { tolerance: Some(0.0), ..usual }).contains("solver.tolerance = 0 "));
    assert!(refused(NewtonParams { max_iterations: 0, ..usual }).contains("solver.max_iterations = 0 "));
    assert!(refused(NewtonParams { retries: 17, ..usual }).contains("solver.retries = 17 "));
}

#[test]
fn too_few_iterations_are_reported_and_change_nothing() {
    let (mut model, mut state) = support::scene("rub-2d.toml").build::<2>().unwrap();
    model.params.friction.lag_iterations = 1;
    let before = state.clone();
    let newton = NewtonParams { max_iterations: 1, retries: 0, ..NewtonParams::default() };
    let mut work = Workspace::new(newton).unwrap();
    let error = step(&model, &mut state, &mut work).unwrap_err();
    assert!(matches!(error, Error::NotConverged { step: 1, iterations: 1, .. }), "{error}");
    assert_eq!(before, state);
}
