//! Scenes: changed, and those that are accepted built and run for two steps.

use std::path::Path;
use std::sync::Arc;

use stiction_sim::model::Model;
use stiction_sim::scene::{Scene, Shape};
use stiction_sim::state::State;
use stiction_sim::step::step;
use toml::{Table, Value};

use super::Stop;
use super::bytes::{self, NUMBERS};
use super::random::Random;

/// Cells that a scene may have here: cases are to be quick.
const MAX_CELLS: usize = 150;

/// What became of an input.
pub enum Fate {
    Refused,
    Accepted,
    /// Accepted, but too large to be run here.
    Skipped,
    /// Against what is promised.
    Broken(String),
}

/// A scene made from one of the corpus.
pub fn changed(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut text = random.pick(corpus).clone();
    match random.below(10) {
        0 | 1 => bytes::change(random, &mut text),
        2..=4 => bytes::change_words(random, &mut text),
        _ => {
            let table = std::str::from_utf8(&text).ok().and_then(|text| text.parse::<Table>().ok());
            if let Some(table) = table {
                let mut value = Value::Table(table);
                for _ in 0..=random.below(3) {
                    change_structure(random, &mut value, corpus);
                }
                text = toml::to_string(&value).unwrap_or_default().into_bytes();
            }
        }
    }
    text
}

/// The paths of all values inside.
fn paths(value: &Value, path: &mut Vec<String>, out: &mut Vec<Vec<String>>) {
    let mut inside = |name: String, child: &Value| {
        path.push(name);
        out.push(path.clone());
        paths(child, path, out);
        path.pop();
    };
    match value {
        Value::Table(table) => table.iter().for_each(|(name, child)| inside(name.clone(), child)),
        Value::Array(list) => list.iter().enumerate().for_each(|(i, child)| inside(i.to_string(), child)),
        _ => {}
    }
}

fn at<'a>(value: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, name| match value {
        Value::Table(table) => table.get_mut(name),
        Value::Array(list) => list.get_mut(name.parse::<usize>().ok()?),
        _ => None,
    })
}

/// One change of a random place: another value, none, twice, or one from elsewhere.
fn change_structure(random: &mut Random, root: &mut Value, corpus: &[Vec<u8>]) {
    let mut all = Vec::new();
    paths(root, &mut Vec::new(), &mut all);
    if all.is_empty() {
        return;
    }
    let path = random.pick(&all).clone();
    let other = elsewhere(random, root, corpus);
    let Some((name, parent)) = path.split_last() else { return };
    let choice = random.below(8);
    let Some(place) = at(root, if choice < 3 { parent } else { &path }) else { return };
    match (choice, other) {
        (0, _) => remove(place, name),
        (1, _) => insert(place, random, name, None),
        (2, other) => insert(place, random, name, other),
        (3, Some((_, value))) => *place = value,
        _ => *place = changed_value(random, place),
    }
}

/// A value with its key, from this scene or another.
fn elsewhere(random: &mut Random, root: &Value, corpus: &[Vec<u8>]) -> Option<(String, Value)> {
    let mut source = root.clone();
    if random.one_in(2) {
        source = Value::Table(std::str::from_utf8(random.pick::<Vec<u8>>(corpus)).ok()?.parse().ok()?);
    }
    let mut all = Vec::new();
    paths(&source, &mut Vec::new(), &mut all);
    let path = random.pick(&all).clone();
    Some((path.last()?.clone(), at(&mut source, &path)?.clone()))
}

fn remove(parent: &mut Value, name: &str) {
    match parent {
        Value::Table(table) => drop(table.remove(name)),
        Value::Array(list) => drop(list.remove(name.parse().unwrap_or(0))),
        _ => {}
    }
}

/// Puts a value beside another: a copy of that without one given.
fn insert(parent: &mut Value, random: &mut Random, name: &str, new: Option<(String, Value)>) {
    match parent {
        Value::Table(table) => {
            if let Some((name, value)) = new {
                table.insert(name, value);
            }
        }
        Value::Array(list) => {
            let copy = list[name.parse::<usize>().unwrap_or(0)].clone();
            list.insert(random.below(list.len() + 1), new.map_or(copy, |(_, value)| value));
        }
        _ => {}
    }
}

fn changed_value(random: &mut Random, value: &Value) -> Value {
    let number = |random: &mut Random| random.pick(&NUMBERS).parse::<f64>().unwrap_or(1.0);
    match (value, random.below(8)) {
        (Value::Float(x), 0..=2) => Value::Float(x * [0.5, 2.0, 0.9, -1.0, 10.0, 1e-3][random.below(6)]),
        (Value::Float(_), 3..=6) => Value::Float(number(random)),
        (Value::Integer(x), 0..=3) => Value::Integer(x.wrapping_add([1, -1, 2, 10][random.below(4)])),
        (Value::Integer(_), 4..=6) => Value::Integer(number(random) as i64),
        (Value::Boolean(x), 0..=6) => Value::Boolean(!x),
        (Value::String(_), 0..=5) => Value::String((*random.pick(&WORDS)).to_owned()),
        _ => match random.below(6) {
            0 => Value::Float(number(random)),
            1 => Value::Integer(number(random) as i64),
            2 => Value::Boolean(true),
            3 => Value::String((*random.pick(&WORDS)).to_owned()),
            4 => Value::Array(vec![value.clone(); random.below(4)]),
            _ => Value::Table(Table::new()),
        },
    }
}

/// Words that scenes know, and some that they do not.
const WORDS: [&str; 44] = [
    "left",
    "right",
    "bottom",
    "top",
    "back",
    "front",
    "implicit_euler",
    "bdf2",
    "newmark",
    "quasi_static",
    "bvh",
    "hash_grid",
    "spatial_hash",
    "sweep_and_prune",
    "brute_force",
    "peak",
    "smooth_mu",
    "direct",
    "cg",
    "auto",
    "neo_hookean",
    "stable_neo_hookean",
    "fixed_corotated",
    "stvk",
    "block",
    "other",
    "floor",
    "",
    "t",
    "1/t",
    "0.1*sin(10*t)",
    "t^t",
    "exp(t*1000)",
    "log(t)",
    "sqrt(-t)",
    "min(t, 0.01)",
    "((((t))))",
    "1/0",
    "-t",
    "0",
    "tetra.msh",
    "tetra.obj",
    "nothing.stl",
    "é\u{0}\n",
];

/// Reads a scene and, if it is one, makes two steps.
pub fn run(text: &[u8], folder: &Path, stop: &Stop) -> Fate {
    let Ok(text) = std::str::from_utf8(text) else { return Fate::Refused };
    let scene = match Scene::parse_in(text, folder) {
        Ok(scene) => scene,
        Err(error) => {
            let _ = error.to_string();
            return Fate::Refused;
        }
    };
    if !is_small(&scene) {
        return Fate::Skipped;
    }
    if scene.dimension == 2 { steps::<2>(&scene, stop) } else { steps::<3>(&scene, stop) }
}

fn steps<const D: usize>(scene: &Scene, stop: &Stop) -> Fate {
    let (model, mut state) = match scene.build::<D>() {
        Ok(built) => built,
        Err(error) => {
            let _ = error.to_string();
            return Fate::Refused;
        }
    };
    for _ in 0..scene.steps().min(2) {
        let mut work = scene.workspace().unwrap().with_stop(Arc::clone(stop));
        if let Err(error) = step(&model, &mut state, &mut work) {
            let _ = scene.explain(&model, &error).to_string();
            break;
        }
        if let Some(broken) = broken(&model, &state) {
            return Fate::Broken(broken);
        }
    }
    Fate::Accepted
}

/// What a state must never be: with something that is no number, or that intersects.
pub fn broken<const D: usize>(model: &Model<D>, state: &State<D>) -> Option<String> {
    if state.q.iter().chain(&state.v).any(|x| !x.is_finite()) {
        return Some("a position or velocity is no number".to_owned());
    }
    model.check_free(state).err().map(|error| error.to_string())
}

/// Whether a scene is quick, and reads only files of the corpus.
fn is_small(scene: &Scene) -> bool {
    let cells = |shape: &Shape| match shape {
        Shape::Box(shape) => shape.cells.iter().try_fold(1_usize, |all, n| all.checked_mul(*n)),
        Shape::Quad(shape) => shape.cells.iter().try_fold(1_usize, |all, n| all.checked_mul(*n)),
        Shape::Sheet(shape) => shape.cells.iter().try_fold(1_usize, |all, n| all.checked_mul(*n)),
        Shape::Rod(shape) => Some(shape.segments),
        Shape::Mesh(shape) => (!shape.file.contains(['/', '\\']) && !shape.file.contains("..")).then_some(10),
    };
    let sum = scene.bodies.iter().try_fold(0_usize, |sum, body| sum.checked_add(cells(&body.shape)?));
    sum.is_some_and(|sum| sum <= MAX_CELLS)
}
