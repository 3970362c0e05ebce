//! Scenes: text, files or dictionaries.

use std::fmt::Display;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyMapping, PyString};
use stiction_sim::scene::{self, SceneError};
use toml::{Table, Value};

use crate::error::at;

/// A scene: bodies, obstacles and parameters, as in the TOML files of the command line.
///
/// `values`: a dictionary of dictionaries, lists, numbers and words with the keys of such a file. See `Scene.load` and `Scene.parse` for
/// files and text.
///
/// Raises `ValueError` that names the key, and the line of a text, if something is missing, unknown or not possible.
#[pyclass(frozen, module = "stiction")]
pub struct Scene {
    pub scene: scene::Scene,
    /// Whether somebody wrote the text, who knows its lines.
    written: bool,
}

#[pymethods]
impl Scene {
    #[new]
    fn new(values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let values = values.cast::<PyMapping>().map_err(|_| at("values", "expected a dictionary"))?;
        let text = toml::to_string(&table(Place { name: "", depth: 0 }, values)?)
            .map_err(|error| at("values", error))?;
        match scene::Scene::parse(&text) {
            Ok(scene) => Ok(Self { scene, written: false }),
            Err(error) => Err(placeless(error)),
        }
    }

    /// The scene of a TOML text. Files that it names are relative to `folder`, by default the working directory.
    #[staticmethod]
    #[pyo3(signature = (text, folder = PathBuf::new()))]
    #[expect(clippy::needless_pass_by_value, reason = "paths of Python become owned ones")]
    fn parse(text: &str, folder: PathBuf) -> PyResult<Self> {
        let scene = scene::Scene::parse_in(text, &folder)
            .map_err(|error| PyValueError::new_err(clipped(&error.to_string())))?;
        Ok(Self { scene, written: true })
    }

    /// The scene of a TOML file. Files that it names are relative to its own.
    ///
    /// Raises `OSError` if it cannot be read.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "paths of Python become owned ones")]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let how = PyDict::new(py);
        how.set_item("encoding", "utf-8")?;
        let file = py.import("pathlib")?.getattr("Path")?.call1((&path,))?;
        let text: String = file.call_method("read_text", (), Some(&how))?.extract()?;
        let folder = path.parent().unwrap_or(&path);
        let scene = scene::Scene::parse_in(&text, folder)
            .map_err(|error| at(&path.display().to_string(), clipped(&error.to_string())))?;
        Ok(Self { scene, written: true })
    }

    /// 2 or 3.
    #[getter]
    fn dimension(&self) -> usize {
        self.scene.dimension
    }

    /// The scene as a TOML text.
    #[getter]
    fn text(&self) -> &str {
        self.scene.text()
    }

    /// Number of steps to its end.
    #[getter]
    fn steps(&self) -> usize {
        self.scene.steps()
    }

    /// Length of a step, in s.
    #[getter]
    fn time_step(&self) -> f64 {
        self.scene.time.step
    }

    /// When it ends, in s.
    #[getter]
    fn end(&self) -> f64 {
        self.scene.time.end
    }

    fn __repr__(&self) -> String {
        let names: Vec<_> = self.scene.bodies.iter().map(|body| body.name.as_str()).collect();
        format!("Scene({}D, bodies {}, {} steps)", self.dimension(), names.join(", "), self.steps())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, PathBuf))> {
        let scene = &slf.get().scene;
        Ok((slf.get_type().getattr("parse")?, (scene.text().to_owned(), scene.folder().to_owned())))
    }
}

impl Scene {
    /// What is wrong with the scene, with the line if there is a text.
    pub fn error(&self, error: SceneError) -> PyErr {
        if self.written { PyValueError::new_err(error.to_string()) } else { placeless(error) }
    }
}

/// The message without the rest of very long lines, which it quotes.
fn clipped(message: &str) -> String {
    const LONGEST: usize = 300;
    let clip = |line: &str| match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    };
    message.lines().map(clip).collect::<Vec<_>>().join("\n")
}

/// An error without its line: nobody has seen the text.
fn placeless(error: SceneError) -> PyErr {
    PyValueError::new_err(SceneError { place: None, ..error }.to_string())
}

/// Lists and dictionaries inside each other; one that contains itself has no end. No key of a scene needs a tenth of it.
const DEEPEST: usize = 64;

/// Where a value is, in words, and in how many lists and dictionaries.
#[derive(Clone, Copy)]
struct Place<'a> {
    name: &'a str,
    depth: usize,
}

impl Place<'_> {
    fn error(self, message: impl Display) -> PyErr {
        at(if self.name.is_empty() { "values" } else { self.name }, message)
    }

    /// Refuses to go deeper than anything sensible does.
    fn check(self) -> PyResult<()> {
        if self.depth <= DEEPEST {
            return Ok(());
        }
        let start: String = self.name.chars().take(40).collect();
        Err(at(&format!("{start}…"), format!("is nested more than {DEEPEST} deep: does it contain itself?")))
    }
}

fn table(place: Place<'_>, values: &Bound<'_, PyMapping>) -> PyResult<Table> {
    place.check()?;
    let mut out = Table::new();
    for item in values.items()? {
        let (key, entry): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let Ok(key) = key.extract::<String>() else {
            return Err(place.error("has a key that is not a word"));
        };
        let name = if place.name.is_empty() { key.clone() } else { format!("{}.{key}", place.name) };
        out.insert(key, value(Place { name: &name, depth: place.depth + 1 }, &entry)?);
    }
    Ok(out)
}

/// A value as TOML has it.
fn value(place: Place<'_>, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(values) = object.cast::<PyMapping>() {
        return table(place, values).map(Value::Table);
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_owned()));
    }
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(Value::Boolean(flag.is_true()));
    }
    // Arrays and numbers of NumPy become lists and numbers of Python.
    if object.hasattr("tolist")? {
        place.check()?;
        return value(Place { depth: place.depth + 1, ..place }, &object.call_method0("tolist")?);
    }
    if object.is_instance_of::<PyInt>() {
        return object.extract().map(Value::Integer).map_err(|error| place.error(error));
    }
    if let Ok(number) = object.extract::<f64>() {
        return Ok(Value::Float(number));
    }
    list(place, object).map(Value::Array)
}

/// The entries of a list or of anything else that has a length; what has none may have no end.
fn list(place: Place<'_>, object: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
    place.check()?;
    let (Ok(entries), Ok(_)) = (object.try_iter(), object.len()) else {
        let kind = object.get_type().name()?;
        return Err(place
            .error(format!("{kind} is no value of a scene: give a number, a word, a list or a dictionary")));
    };
    let entry = |(index, entry): (usize, PyResult<Bound<'_, PyAny>>)| {
        let name = format!("{}[{index}]", place.name);
        value(Place { name: &name, depth: place.depth + 1 }, &entry?)
    };
    entries.enumerate().map(entry).collect()
}
