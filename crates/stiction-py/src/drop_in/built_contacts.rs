//! What `NormalCollisions` of the drop-in stands on: contacts, built in one call.
//!
//! Solvers build contacts in every iteration, with caches that were emptied since: each frame of Python shows. What is unusual is left to
//! methods of the class in Python that stands on it, which also has the classes to make: nothing here imports them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use stiction::broad_phase::BroadPhaseKind;
use stiction::contact::{ContactSet, Weighting};

use super::contact_names::{Names, named_in_plane};
use crate::contacts::{Contacts, Distances, Pick};
use crate::error::at;
use crate::surface::Surface;

/// Contacts that were built last, or a set of collisions that someone made.
///
/// A subclass has `_new_set(mesh, contacts, planes)` and `_empty_set()`, which make sets; `_plane_classes`, the classes of collisions in 2D; and
/// `_methods`, the names of broad phases by their classes.
#[pyclass(frozen, subclass, module = "stiction._stiction.drop_in")]
#[derive(Default)]
pub struct BuiltContacts {
    choice: Mutex<Choice>,
    last: Mutex<Last>,
}

/// Which pairs are contacts and what is kept of them.
#[derive(Clone, Copy, Default)]
struct Choice {
    set: ContactSet,
    weighting: Weighting,
    shape_derivatives: bool,
}

/// What was built last, and the set that shows it and its collisions, once someone has asked.
#[derive(Default)]
struct Last {
    built: Option<Built>,
    set: Option<Py<PyAny>>,
    shown: Option<Py<PyList>>,
}

struct Built {
    mesh: Py<PyAny>,
    contacts: Py<Contacts>,
}

#[pymethods]
impl BuiltContacts {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Finds the collisions: `build(mesh, vertices, dhat, dmin=0, broad_phase=None)` or `build(candidates, mesh, vertices, dhat, dmin=0)`.
    ///
    /// `vertices`: positions, (n, D), in m. `dhat`: distance in m beyond dmin below which a pair collides. `dmin`: distance in m that no
    /// pair may fall below.
    #[pyo3(signature = (*args, **kwargs))]
    fn build<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<()> {
        // Whatever is wrong or unusual is found again, and put into words, by the method that takes everything.
        let plain = Plain::read(slf, args, kwargs);
        if let Ok(Some(built)) = plain.and_then(|plain| slf.get().build_plain(plain)) {
            slf.get().replace(Last { built: Some(built), ..Last::default() });
            return Ok(());
        }
        slf.call_method(intern!(slf.py(), "_build_any"), args, kwargs).map(drop)
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        let last = slf.get().last();
        match (&last.built, &last.set) {
            (Some(built), _) => Ok(built.contacts.get().len()),
            (None, Some(set)) => {
                let set = set.bind(slf.py()).clone();
                drop(last);
                set.len()
            }
            (None, None) => Ok(0),
        }
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, i: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if let Ok(place) = i.extract::<usize>() {
            let shown = slf.get().last().shown.as_ref().map(|shown| shown.bind(py).clone());
            if let Some(shown) = shown.filter(|shown| place < shown.len()) {
                return shown.get_item(place);
            }
            if place < Self::__len__(slf)?
                && let Some(shown) = Self::show(slf)?.filter(|shown| place < shown.len())
            {
                return shown.get_item(place);
            }
        }
        slf.call_method1(intern!(py, "_collision"), (i,))
    }

    /// The smallest d² of a collision in m²; infinite without collisions. `vertices`: positions, (n, D), in m.
    fn compute_minimum_distance(
        slf: &Bound<'_, Self>,
        mesh: &Bound<'_, PyAny>,
        vertices: &Bound<'_, PyAny>,
    ) -> PyResult<f64> {
        let contacts = Self::_contacts(slf, mesh, vertices)?;
        let found = contacts.cast::<Contacts>()?.get().smallest_gap(vertices);
        match found {
            Ok(gap) => Ok(gap * gap),
            // There, errors name the argument.
            Err(_) => slf.call_method1(intern!(slf.py(), "_minimum_distance"), (mesh, vertices))?.extract(),
        }
    }

    /// Which pairs `build` takes, by the names of `Contacts`.
    fn _choose(&self, contact_set: &str, weights: &str, shape_derivatives: bool) -> PyResult<()> {
        let set = contact_set.parse().map_err(|error| at("contact_set", error))?;
        let weighting = weights.parse().map_err(|error| at("weights", error))?;
        *self.choice.lock().unwrap_or_else(PoisonError::into_inner) =
            Choice { set, weighting, shape_derivatives };
        Ok(())
    }

    /// The set of collisions: made when it is first asked for, the same from then on.
    #[getter(_set)]
    fn set<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let built = {
            let last = slf.get().last();
            match (&last.set, &last.built) {
                (Some(set), _) => return Ok(set.bind(py).clone()),
                (None, Some(built)) => Some((built.mesh.clone_ref(py), built.contacts.clone_ref(py))),
                (None, None) => None,
            }
        };
        // Not with the lock: Python may run anything meanwhile, also another thread that asks.
        let Some((mesh, contacts)) = built else { return slf.call_method0(intern!(py, "_empty_set")) };
        let made = slf.call_method1(intern!(py, "_new_set"), (mesh, &contacts, PyTuple::empty(py)))?;
        let mut last = slf.get().last();
        match (&last.built, &last.set) {
            (Some(built), None) if built.contacts.is(&contacts) => {
                last.set = Some(made.clone().unbind());
                Ok(made)
            }
            (Some(built), Some(set)) if built.contacts.is(&contacts) => Ok(set.bind(py).clone()),
            // Built anew meanwhile.
            _ => Ok(made),
        }
    }

    #[setter(_set)]
    fn write_set(&self, set: Py<PyAny>) {
        self.replace(Last { set: Some(set), ..Last::default() });
    }

    /// The contacts with all that was written on collisions, for a mesh and positions.
    fn _contacts<'py>(
        slf: &Bound<'py, Self>,
        mesh: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if let Last { built: Some(built), set: None, .. } = &*slf.get().last()
            && built.mesh.is(mesh)
        {
            return Ok(built.contacts.bind(py).clone().into_any());
        }
        Self::set(slf)?.call_method1(intern!(py, "native"), (mesh, x))
    }
}

impl BuiltContacts {
    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replace(&self, new: Last) {
        let old = std::mem::replace(&mut *self.last(), new);
        // Without the lock: what ends with it may be of Python, and ask.
        drop(old);
    }

    /// All collisions, if they are few: solvers that write weights ask for every one. They are kept here, not with the set that they keep.
    fn show<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyList>>> {
        if Self::__len__(slf)? > FEW {
            return Ok(None);
        }
        let (py, set) = (slf.py(), Self::set(slf)?);
        // Of the set that was found: another thread may have built anew.
        let built = {
            let last = slf.get().last();
            let same = last.set.as_ref().is_some_and(|own| own.is(&set));
            last.built.as_ref().filter(|_| same).map(|built| built.contacts.clone_ref(py))
        };
        let shown = match built.and_then(|contacts| named_in_plane(contacts.get())) {
            Some(names) => views(&set, names, &slf.getattr(intern!(py, "_plane_classes"))?)?,
            None => set.call_method0(intern!(py, "all"))?.cast_into::<PyList>()?,
        };
        let mut last = slf.get().last();
        if last.set.as_ref().is_some_and(|own| own.is(&set)) {
            let old = last.shown.replace(shown.clone().unbind());
            drop(last);
            drop(old);
        }
        Ok(Some(shown))
    }

    fn build_plain(&self, plain: Option<Plain<'_>>) -> PyResult<Option<Built>> {
        let Some(Plain { mesh, surface, x, distances, method }) = plain else { return Ok(None) };
        let Choice { set, weighting, shape_derivatives } =
            *self.choice.lock().unwrap_or_else(PoisonError::into_inner);
        let pick = Pick::new(distances, set, weighting, method).with_shape_derivatives(shape_derivatives);
        let contacts = Contacts::at(surface.get(), &x, None, pick)?;
        let contacts = Py::new(mesh.py(), contacts)?;
        Ok(Some(Built { mesh: mesh.unbind(), contacts }))
    }
}

/// So many collisions are made at once when the first of them is asked for.
const FEW: usize = 256;

/// The collisions of a set with these names.
fn views<'py>(
    set: &Bound<'py, PyAny>,
    names: Names,
    classes: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let py = set.py();
    let make = py.get_type::<PyAny>().getattr(intern!(py, "__new__"))?;
    let keys = [
        (intern!(py, "vertex0_id"), intern!(py, "vertex1_id")),
        (intern!(py, "edge_id"), intern!(py, "vertex_id")),
    ];
    let shown = PyList::empty(py);
    for (kind, names) in names.into_iter().enumerate() {
        let class = classes.get_item(kind)?;
        for (first, second) in names {
            let view = make.call1((&class,))?;
            view.setattr(keys[kind].0, first)?;
            view.setattr(keys[kind].1, second)?;
            view.setattr(intern!(py, "_set"), set)?;
            view.setattr(intern!(py, "_index"), shown.len())?;
            shown.append(view)?;
        }
    }
    Ok(shown)
}

/// The arguments of a build without anything of Python's in it: no plane, no filter or search that asks back.
struct Plain<'py> {
    mesh: Bound<'py, PyAny>,
    surface: Bound<'py, Surface>,
    x: Bound<'py, PyAny>,
    distances: Distances,
    method: BroadPhaseKind,
}

impl<'py> Plain<'py> {
    fn read(
        of: &Bound<'py, BuiltContacts>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Self>> {
        if args.len() != 3 {
            return Ok(None);
        }
        let (py, mesh) = (args.py(), args.get_item(0)?);
        let surface = mesh.getattr(intern!(py, "_surface"))?.cast_into::<Surface>()?;
        let planes = mesh.getattr(intern!(py, "_planes"))?;
        if mesh.getattr(intern!(py, "_asks_python"))?.is_truthy()? || planes.cast::<PyList>()?.len() > 0 {
            return Ok(None);
        }
        let (mut dmin, mut method) = (0.0, BroadPhaseKind::default());
        for (name, value) in kwargs.into_iter().flatten() {
            if name.eq(intern!(py, "dmin"))? {
                dmin = value.extract()?;
            } else if name.eq(intern!(py, "broad_phase"))? {
                let Some(found) = method_of(of, &value)? else { return Ok(None) };
                method = found;
            } else {
                return Ok(None);
            }
        }
        let distances = Distances::new(args.get_item(2)?.extract()?, dmin)?;
        Ok(Some(Self { mesh, surface, x: args.get_item(1)?, distances, method }))
    }
}

/// The search of a broad phase of the drop-in; nothing for those of Python.
fn method_of(
    of: &Bound<'_, BuiltContacts>,
    broad_phase: &Bound<'_, PyAny>,
) -> PyResult<Option<BroadPhaseKind>> {
    if broad_phase.is_none() {
        return Ok(Some(BroadPhaseKind::default()));
    }
    let methods = of.getattr(intern!(of.py(), "_methods"))?.cast_into::<PyDict>()?;
    let name = methods.get_item(broad_phase.get_type())?;
    name.map(|name| name.extract::<&str>()?.parse().map_err(|error| at("broad_phase", error))).transpose()
}
