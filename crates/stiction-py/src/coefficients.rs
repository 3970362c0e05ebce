//! Where friction coefficients come from: numbers, lists, and tables of materials.

use std::sync::Arc;

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyMapping;
use stiction::friction::grain::Grain;
use stiction::friction::table::PairTable;
use stiction::friction::{Anisotropy, Axes, Blend, Coefficients, Entry, Mu, MuOrder};
use stiction::mesh::Surface;

use crate::array::{Table, reals, vector, vectors};
use crate::error::{at, plain};
use crate::trouble::Trouble;

/// What the constructor is told about coefficients.
pub struct Pick<'a, 'py> {
    pub mu: &'a Bound<'py, PyAny>,
    pub mu_k: Option<&'a Bound<'py, PyAny>>,
    pub blend: Option<&'a Bound<'py, PyAny>>,
    pub anisotropy: Anisotropy,
    pub direction: Option<&'a Bound<'py, PyAny>>,
    pub order: MuOrder,
}

impl Pick<'_, '_> {
    /// The coefficients of contacts of a surface.
    pub fn coefficients<const D: usize>(
        &self,
        surface: &Surface<D>,
        trouble: &Trouble,
    ) -> PyResult<Coefficients<D>> {
        if self.mu.hasattr("pairs")? {
            self.check_alone()?;
            return Ok(read_coefficients(self.mu, surface, trouble)?.with_order(self.order));
        }
        let vertices = surface.rest().len();
        let (s, k) =
            (read_numbers("mu", self.mu)?, self.mu_k.map(|mu| read_numbers("mu_k", mu)).transpose()?);
        let k = k.as_ref().unwrap_or(&s);
        let blend = self.blend.map_or(Ok(Blend::Mean), |blend| read_blend(blend, trouble))?;
        let axes = self.axes()?;
        let (s, k) = (&s, k);
        if self.blend.is_some() && matches!((s, k), (Numbers::One(_), Numbers::One(_))) {
            return Err(at("blend", "means nothing where mu is one number: give one for each vertex"));
        }
        let mu = Mu { s: s.at(0), k: k.at(0) };
        let entry = Entry { mu, anisotropy: self.anisotropy, axes };
        if matches!((s, k), (Numbers::One(_), Numbers::One(_))) {
            return Ok(Coefficients::from(entry).with_order(self.order));
        }
        for (name, numbers) in [("mu", s), ("mu_k", k)] {
            if let Numbers::Each(list) = numbers
                && list.len() != vertices
            {
                let found = list.len();
                return Err(at(
                    name,
                    format!("has {found} entries, expected {vertices}, one for each vertex"),
                ));
            }
        }
        let list = (0..vertices).map(|vertex| Mu { s: s.at(vertex), k: k.at(vertex) }).collect();
        let coefficients = Coefficients::from(Entry { mu: Mu::default(), ..entry }).with_order(self.order);
        coefficients.with_vertices(list, blend).map_err(|error| plain(&error))
    }

    /// A `Coefficients` has all of this itself.
    fn check_alone(&self) -> PyResult<()> {
        let others = [("mu_k", self.mu_k), ("blend", self.blend), ("direction", self.direction)];
        let given = others.into_iter().find(|(_, value)| value.is_some()).map(|(name, _)| name);
        let scaled = (self.anisotropy != Anisotropy::None).then_some("scaling");
        match given.or(scaled) {
            Some(name) => Err(at(name, "means nothing where mu is a Coefficients: say it there")),
            None => Ok(()),
        }
    }

    fn axes<const D: usize>(&self) -> PyResult<Axes<D>> {
        let Some(direction) = self.direction else { return Ok(Axes::Contact) };
        if self.anisotropy == Anisotropy::None {
            return Err(at("direction", "means nothing without scaling, static_axes or kinetic_axes"));
        }
        Ok(Axes::World(vector("direction", direction)?))
    }
}

/// One number, or a list.
enum Numbers {
    One(f64),
    Each(Vec<f64>),
}

impl Numbers {
    /// The number of a vertex; 0 where the list has none.
    fn at(&self, vertex: usize) -> f64 {
        match self {
            Self::One(number) => *number,
            Self::Each(list) => list.get(vertex).copied().unwrap_or(0.0),
        }
    }
}

fn read_numbers(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Numbers> {
    let is_list = object.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() > 0);
    if let (false, Ok(number)) = (is_list, object.extract::<f64>()) {
        return Ok(Numbers::One(number));
    }
    reals(name, object).map(Numbers::Each)
}

/// A blend by name, or a function of two numbers, whose first error is kept in `trouble`.
fn read_blend(blend: &Bound<'_, PyAny>, trouble: &Trouble) -> PyResult<Blend> {
    if let Ok(name) = blend.extract::<String>() {
        return name.parse().map_err(|error| at("blend", error));
    }
    if !blend.is_callable() {
        return Err(at("blend", "expected a name or a function of two numbers"));
    }
    let (function, trouble) = (blend.clone().unbind(), trouble.clone());
    Ok(Blend::Custom(Arc::new(move |a, b| {
        if trouble.is_there() {
            return 0.0;
        }
        Python::attach(|py| call_blend(function.bind(py), a, b)).unwrap_or_else(|error| {
            trouble.note(error);
            0.0
        })
    })))
}

fn call_blend(function: &Bound<'_, PyAny>, a: f64, b: f64) -> PyResult<f64> {
    let found: f64 = function.call1((a, b))?.extract().map_err(|_| at("blend", "returned no number"))?;
    if found >= 0.0 && found.is_finite() {
        return Ok(found);
    }
    Err(at("blend", format!("returned {found} for {a} and {b}, expected a number, 0 or larger")))
}

/// How friction depends on the direction of the slide.
pub fn read_anisotropy(
    scaling: Option<[f64; 2]>,
    static_axes: Option<[f64; 2]>,
    kinetic_axes: Option<[f64; 2]>,
) -> Anisotropy {
    match (scaling, static_axes, kinetic_axes) {
        (None, None, None) => Anisotropy::None,
        (Some(scaling), None, None) => Anisotropy::Scaling(scaling),
        (scaling, s, k) => Anisotropy::Matchstick {
            s: s.unwrap_or_default(),
            k: k.unwrap_or_default(),
            scaling: scaling.unwrap_or([1.0; 2]),
        },
    }
}

/// An attribute that is not None.
fn given<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let value = object.getattr(name)?;
    Ok((!value.is_none()).then_some(value))
}

/// The coefficients that an object of Python has, on a surface.
fn read_coefficients<const D: usize>(
    object: &Bound<'_, PyAny>,
    surface: &Surface<D>,
    trouble: &Trouble,
) -> PyResult<Coefficients<D>> {
    let mut out = Coefficients::from(read_entry::<D>("default", &object.getattr("default")?)?);
    if let Some(list) = given(object, "vertices")? {
        let blend = given(object, "blend")?.map_or(Ok(Blend::Mean), |blend| read_blend(&blend, trouble))?;
        out = out.with_vertices(vertex_mu(&list)?, blend).map_err(|error| at("vertices", error))?;
    }
    if let Some(table) = read_table(object, surface)? {
        out = out.with_pairs(table);
    }
    if let Some(grain) = given(object, "grain")? {
        let grain = Grain::of_vertices(surface, &vectors::<D>("grain", &grain)?);
        out = out.with_grain(grain.map_err(|error| at("grain", error))?);
    } else if let Some(grain) = given(object, "face_grain")? {
        let grain = Grain::of_faces(surface, &vectors::<D>("face_grain", &grain)?);
        out = out.with_grain(grain.map_err(|error| at("face_grain", error))?);
    }
    Ok(out)
}

/// One or two coefficients of each vertex, shape (n,) or (n, 2).
fn vertex_mu(list: &Bound<'_, PyAny>) -> PyResult<Vec<Mu>> {
    if let Ok(list) = reals("vertices", list) {
        return Ok(list.into_iter().map(Mu::same).collect());
    }
    let rows = Table::read("vertices", list)?.vectors::<2>("vertices")?;
    Ok(rows.into_iter().map(|row| Mu { s: row[0], k: row[1] }).collect())
}

/// The table of pairs of materials, if there are any.
fn read_table<const D: usize>(
    object: &Bound<'_, PyAny>,
    surface: &Surface<D>,
) -> PyResult<Option<PairTable<D>>> {
    let entries = read_pairs::<D>(object)?;
    let mut names: Vec<String> = words("names", given(object, "names")?.as_ref())?;
    for name in entries.iter().flat_map(|(a, b, _)| [a, b]) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if names.is_empty() {
        return Ok(None);
    }
    let mut table = PairTable::new(&names).map_err(|error| at("names", error))?;
    for (a, b, entry) in entries {
        table = table.with(&a, &b, entry).map_err(|error| at("pairs", error))?;
    }
    let materials = words("materials", given(object, "materials")?.as_ref())?;
    let bodies = words("bodies", given(object, "bodies")?.as_ref())?;
    table = match (materials.is_empty(), bodies.is_empty()) {
        (false, true) => table.with_vertices(&materials).map_err(|error| at("materials", error))?,
        (true, false) => table.with_bodies(surface, &bodies).map_err(|error| at("bodies", error))?,
        _ => return Err(at("materials", "give those of the vertices, or bodies those of the bodies")),
    };
    let obstacles = words("obstacles", given(object, "obstacles")?.as_ref())?;
    if !obstacles.is_empty() {
        table = table.with_obstacles(&obstacles).map_err(|error| at("obstacles", error))?;
    }
    Ok(Some(table))
}

fn words(name: &str, list: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let Some(list) = list else { return Ok(Vec::new()) };
    let must = || at(name, "expected a sequence of words");
    if list.extract::<String>().is_ok() {
        return Err(must());
    }
    let words = list.try_iter().map_err(|_| must())?;
    words.map(|word| word?.extract::<String>().map_err(|_| must())).collect()
}

/// Pairs of names with their friction.
fn read_pairs<const D: usize>(object: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String, Entry<D>)>> {
    let Some(pairs) = given(object, "pairs")? else { return Ok(Vec::new()) };
    let must = || at("pairs", "expected a dictionary from pairs of words to friction");
    let pairs = pairs.cast_into::<PyMapping>().map_err(|_| must())?;
    let read = |item: Bound<'_, PyAny>| {
        let (key, entry): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let (a, b): (String, String) = key.extract().map_err(|_| must())?;
        let entry = read_entry(&format!("pairs[{a:?}, {b:?}]"), &entry)?;
        Ok((a, b, entry))
    };
    pairs.items()?.iter().map(read).collect()
}

/// A number, a pair of them, or a `FrictionEntry`.
fn read_entry<const D: usize>(name: &str, entry: &Bound<'_, PyAny>) -> PyResult<Entry<D>> {
    if let Ok(mu) = entry.extract::<f64>() {
        return Ok(mu.into());
    }
    if let Ok((s, k)) = entry.extract::<(f64, f64)>() {
        return Ok(Mu { s, k }.into());
    }
    if !entry.hasattr("static_axes")? {
        return Err(at(name, "expected a number, a pair (mu_s, mu_k) or a FrictionEntry"));
    }
    let pair = |part: &str| -> PyResult<Option<[f64; 2]>> {
        given(entry, part)?.map(|value| Ok(vector(&format!("{name}.{part}"), &value)?.0)).transpose()
    };
    let axes = read_axes(name, entry)?;
    let (scaling, s, k) = (pair("scaling")?, pair("static_axes")?, pair("kinetic_axes")?);
    if let Some(ellipse) = pair("ellipse")? {
        if scaling.is_some() || s.is_some() || k.is_some() {
            return Err(at(name, "ellipse goes without scaling, static_axes and kinetic_axes"));
        }
        return Entry::elliptic(ellipse, axes).map_err(|error| at(name, error));
    }
    let number = |part: &str| given(entry, part)?.map(|value| value.extract::<f64>()).transpose();
    let mu_s = number("mu")?.unwrap_or(0.0);
    let mu = Mu { s: mu_s, k: number("mu_k")?.unwrap_or(mu_s) };
    Ok(Entry { mu, anisotropy: read_anisotropy(scaling, s, k), axes })
}

/// Where the first axis points: `"grain"`, a vector, or nothing.
fn read_axes<const D: usize>(name: &str, entry: &Bound<'_, PyAny>) -> PyResult<Axes<D>> {
    let Some(direction) = given(entry, "direction")? else { return Ok(Axes::Contact) };
    match direction.extract::<String>() {
        Ok(word) if word == "grain" => Ok(Axes::Grain),
        Ok(word) => Err(at(name, format!("direction {word:?} is unknown: give \"grain\" or a vector"))),
        Err(_) => Ok(Axes::World(vector(&format!("{name}.direction"), &direction)?)),
    }
}
