//! The simulator.

use std::ffi::CString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyUserWarning};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice};
use stiction::contact::ContactKey;
use stiction::friction::Side;
use stiction::math::Vector;
use stiction::obstacle::Obstacle;
use stiction_sim::error::Error;
use stiction_sim::fields::{FieldChoice, FieldKind, Fields};
use stiction_sim::forces::{ContactForce, ContactForces};
use stiction_sim::io::vtu;
use stiction_sim::model::Model;
use stiction_sim::newton::Workspace;
use stiction_sim::report::StepReport;
use stiction_sim::report::schema::{Schema, Value, pair_columns};
use stiction_sim::settle::Settled;
use stiction_sim::state::{Before, ContactFriction, FrictionForces, Memory, State};
use stiction_sim::step::step;
use stiction_sim::timings::{Phase, Timings};

use crate::array::{from_rows, from_vectors, vectors};
use crate::error::{at, file_error, not_negative, positive};
use crate::interrupt::watched;
use crate::lock::Lock;
use crate::scene::Scene;
use crate::shared_surface::SharedSurface;
use crate::surface::{AnySurface, Surface, either};
use crate::term::{not_inside, with_term};

pyo3::create_exception!(
    stiction._stiction,
    StepError,
    PyRuntimeError,
    "A time step that cannot be solved; the simulation is as it was before the step."
);

/// A simulation in 2D or 3D.
enum AnyRun {
    Flat(Run<2>),
    Solid(Run<3>),
}

/// A simulation and what it remembers.
struct Run<const D: usize> {
    model: Model<D>,
    /// What reports have.
    schema: Schema<D>,
    surface: Arc<SharedSurface<D>>,
    /// The state after the last whole step; replaced, never changed, so that it can be read during a step.
    state: Lock<Arc<State<D>>>,
    /// Of the steps of this object, and of the start.
    reports: Lock<Vec<StepReport<D>>>,
    /// States to look back at.
    past: Lock<Past<D>>,
    /// Locked during a step: steps of several threads wait for each other.
    work: Lock<Workspace<D>>,
}

/// Bytes that states to look back at may have together, about.
const MEMORY: usize = 256 << 20;

/// States of a simulation so far, evenly spaced: of long or large runs some are left out, so that memory is bounded.
#[derive(Clone)]
struct Past<const D: usize> {
    kept: Vec<Arc<State<D>>>,
    /// Every how many steps one is kept.
    every: usize,
    most: usize,
}

impl<const D: usize> Past<D> {
    fn new(state: Arc<State<D>>) -> Self {
        let size = 8 * D * 7 * state.q.len() + 1;
        let most = (MEMORY / size).clamp(4, 400);
        Self { kept: vec![state], every: 1, most }
    }

    fn push(&mut self, state: Arc<State<D>>) {
        let first = self.kept.first().map_or(0, |first| first.step);
        let steps = state.step.saturating_sub(first);
        // The last one is always there; it goes when the next comes unless it is one to keep.
        if self.kept.last().is_some_and(|last| !last.step.saturating_sub(first).is_multiple_of(self.every)) {
            self.kept.pop();
        }
        self.kept.push(state);
        if self.kept.len() > self.most && steps.is_multiple_of(self.every) {
            self.every *= 2;
            let every = self.every;
            let last = self.kept.len() - 1;
            let mut index = 0;
            self.kept.retain(|state| {
                index += 1;
                index - 1 == last || state.step.saturating_sub(first).is_multiple_of(every)
            });
        }
    }
}

/// A simulation of a scene, which starts at time 0.
///
/// `scene`: a `Scene`. `terms`: energies that are added to those of the scene, objects with
///
/// - `name`: its name in reports, of letters, digits and `_`;
/// - `stencils`: whole numbers of shape (m, k), k from 1 to 4: the nodes of the m local matrices of its Hessian;
/// - `energy(x, t)` in J, `gradient(x, t)` in N of shape (n, D), `hessian(x, t)` in N/m of shape (m, k D, k D), of the positions `x` of shape
///   (n, D) in m and the time `t` in s;
/// - perhaps `domain`: `"nodes"`, as without it, or `"surface"`, whose vertices `positions` has.
///
/// Its forces are minus the gradient; its energy is `NAME_energy` of reports, and what it does as time goes on is part of `load_work`. An exception in it
/// fails the step. In its methods no simulation makes steps, loads states or gives timings.
///
/// Raises `ValueError` if bodies intersect or a value is not possible, and `StepError` if the energy of a term cannot be computed at the start.
///
/// While a step is computed other threads may read positions and velocities: those after the last whole step.
#[pyclass(frozen, subclass, module = "stiction._stiction")]
pub struct Simulation {
    scene: Py<Scene>,
    /// Shared with the model: for Python's search for cycles each is one reference.
    terms: Vec<Arc<Py<PyAny>>>,
    run: AnyRun,
    /// Reports of steps before the simulation was stored and restored.
    earlier: Lock<Option<Py<PyList>>>,
}

/// What is stored of a simulation: time, steps, stiffness and reserve of energy, vectors of the vertices, the length in s of the last step of an integrator that
/// remembers one, reports.
type Stored<'py> = (f64, usize, (Option<f64>, f64), Vectors<'py>, Option<f64>, Bound<'py, PyList>);

/// The code of a contact's key, and its numbers.
type Remembered = ((u8, [u32; 2]), [f64; 3]);

/// Friction in a contact: the code of its key, vertices, weights, force, speed, whether it sticks, heat.
type Rubbing = ((u8, [u32; 2]), [u32; 4], [f64; 4], Vec<f64>, f64, bool, f64);

/// Positions, velocities, accelerations, forces by mass, and positions and velocities one step earlier; the last four where an integrator has them;
/// then what contacts remember, accelerations, friction on vertices and in contacts.
type Vectors<'py> = Vec<Bound<'py, PyAny>>;

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, terms = Vec::new()))]
    fn new(scene: &Bound<'_, Scene>, terms: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        let (py, whole) = (scene.py(), scene.get());
        let terms: Vec<_> = terms.into_iter().map(|term| Arc::new(term.unbind())).collect();
        let (run, settled) = if whole.scene.dimension == 2 {
            let (run, settled) = Run::start(py, whole, &terms)?;
            (AnyRun::Flat(run), settled)
        } else {
            let (run, settled) = Run::start(py, whole, &terms)?;
            (AnyRun::Solid(run), settled)
        };
        for warning in settled.warnings {
            let text = CString::new(warning).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
        }
        Ok(Self { scene: scene.clone().unbind(), terms, run, earlier: Lock::new(None) })
    }

    /// Makes one time step and returns its report, a dictionary with these keys; `report_columns` has those of this simulation, by body.
    ///
    #[doc = include_str!("report.md")]
    ///
    /// Raises `StepError` if the step cannot be solved; the simulation is then as it was. So it is if Ctrl-C ends the step.
    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        not_inside()?;
        let stop = Arc::new(AtomicBool::new(false));
        either!(AnyRun, &self.run, run => {
            let (made, raised) = watched(py, &stop, || run.step(&stop));
            match (made, raised) {
                (_, Some(error)) | (Err(error), None) => Err(error),
                (Ok(report), None) => record(py, &run.schema, &report),
            }
        })
    }

    /// The reports of the start and of all steps so far, as `step` returns them: what a data frame is made of.
    #[getter]
    fn reports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        // Nothing of Python is made under a lock: it may run anybody's finaliser, which may want the lock.
        let out = PyList::empty(py);
        let earlier = self.earlier.lock()?.as_ref().map(|earlier| earlier.clone_ref(py));
        if let Some(earlier) = earlier {
            earlier.bind(py).iter().try_for_each(|report| out.append(report))?;
        }
        either!(AnyRun, &self.run, run => {
            let reports = run.reports.lock()?.clone();
            for report in &reports {
                out.append(record(py, &run.schema, report)?)?;
            }
        });
        Ok(out)
    }

    /// What the keys of a report are: for each the unit (empty where it has none) and a sentence. `steps.csv` has the same columns in the same order,
    /// with the unit, where there is one, behind the name: `f"{name} [{unit}]"`.
    #[getter]
    fn report_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        either!(AnyRun, &self.run, run => {
            for column in run.schema.columns() {
                out.set_item(column.name(), (column.unit(), column.meaning()))?;
            }
        });
        Ok(out)
    }

    /// Wall time in s of all steps of this object, by phase, with those that failed: `search` for pairs and bounds, `line_search`, `assembly`, `solve`, `rest`
    /// and `total`. It waits for a step of another thread.
    #[getter]
    fn timings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        not_inside()?;
        let timings: Timings =
            either!(AnyRun, &self.run, run => py.detach(|| run.work.lock().map(|work| *work.timings())))?;
        let out = PyDict::new(py);
        let names = ["search", "line_search", "assembly", "solve"];
        for (name, phase) in names.into_iter().zip(Phase::ALL) {
            out.set_item(name, timings.of(phase).as_secs_f64())?;
        }
        out.set_item("rest", timings.rest().as_secs_f64())?;
        out.set_item("total", timings.total().as_secs_f64())?;
        Ok(out)
    }

    /// The scene.
    #[getter]
    fn scene(&self, py: Python<'_>) -> Py<Scene> {
        self.scene.clone_ref(py)
    }

    /// Time in s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        either!(AnyRun, &self.run, run => Ok(run.state()?.time))
    }

    /// Steps made.
    #[getter]
    fn steps(&self) -> PyResult<usize> {
        either!(AnyRun, &self.run, run => Ok(run.state()?.step))
    }

    /// Positions in m of the vertices of `surface`, shape (n, D).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnyRun, &self.run, run => Ok(from_vectors(py, &run.model.surface_at(&run.state()?.q))))
    }

    /// Positions in m of the nodes, shape (n, D): what moves by itself. The same as `positions` unless a mesh carries a finer surface.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnyRun, &self.run, run => Ok(from_vectors(py, &run.state()?.q)))
    }

    /// Velocities in m/s of the vertices of `surface`, shape (n, D).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnyRun, &self.run, run => Ok(from_vectors(py, &run.model.surface_at(&run.state()?.v))))
    }

    /// Vertices of the solid elements: triangles in 2D, shape (m, 3); tetrahedra in 3D, shape (m, 4). Sheets, rods and surfaces that a coarser mesh carries are in `surface`.
    #[getter]
    fn elements<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        match &self.run {
            AnyRun::Flat(run) => from_rows(py, run.model.cells.triangles.as_flattened(), 3),
            AnyRun::Solid(run) => from_rows(py, run.model.cells.tetrahedra.as_flattened(), 4),
        }
    }

    /// What can touch, over all vertices.
    #[getter]
    fn surface(&self) -> Surface {
        Surface(match &self.run {
            AnyRun::Flat(run) => AnySurface::Flat(run.surface.clone()),
            AnyRun::Solid(run) => AnySurface::Solid(run.surface.clone()),
        })
    }

    /// The vertices of each body by its name, as slices: `positions[bodies["block"]]`.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = either!(AnyRun, &self.run, run => &run.model.parts);
        slices(py, parts.iter().map(|part| (&part.name, &part.vertices)))
    }

    /// The nodes of each body by its name, as slices: `nodes[node_bodies["block"]]`. Those of `bodies` unless a mesh carries a finer surface.
    #[getter]
    fn node_bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = either!(AnyRun, &self.run, run => &run.model.parts);
        slices(py, parts.iter().map(|part| (&part.name, &part.nodes)))
    }

    /// All contacts with their forces, as arrays with a row for each: `first`, `second` (numbers of things: bodies in the order of `bodies`, then
    /// obstacles in that of `obstacles`), `kind` (0 vertex–vertex, 1 vertex–edge, 2 edge–edge, 3 vertex–face, 4 vertex–obstacle), `place` (m), `normal` (from
    /// the second to the first), `normal_force` (λ in N), `friction` (N, on the first; the opposite acts on the second), `regime` (0 without friction, 1 stick, 2
    /// slip), `slip_speed` (m/s), `birth` (s), `slip` (m), `heat` (J). Friction is that of the last step; one that ended in it has `normal_force` 0.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        either!(AnyRun, &self.run, run => contact_arrays(py, &run.model, &run.forces(py)?))
    }

    /// Contact forces on the vertices of `surface` in N: a dictionary with `normal` and `friction`, both of shape (n, D).
    fn forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        either!(AnyRun, &self.run, run => {
            let forces = run.forces(py)?;
            let out = PyDict::new(py);
            out.set_item("normal", from_vectors(py, &forces.normal))?;
            out.set_item("friction", from_vectors(py, &forces.friction))?;
            Ok(out)
        })
    }

    /// Contact pressure on the vertices of `surface` in Pa, shape (n,): normal forces by the area that each vertex has now, or at rest. In 2D areas are lengths
    /// times thickness.
    #[pyo3(signature = (at_rest = false))]
    fn pressure<'py>(&self, py: Python<'py>, at_rest: bool) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let kind = if at_rest { FieldKind::ContactPressureRest } else { FieldKind::ContactPressure };
        either!(AnyRun, &self.run, run => {
            let fields = run.fields(py, &FieldChoice::these([kind]))?;
            let values = fields.list.into_iter().next().map(|field| field.values).unwrap_or_default();
            Ok(PyArray1::from_vec(py, values))
        })
    }

    /// Fields by name, all or those with the given names: on the vertices of `surface`, or in its cells (edges, triangles, then tetrahedra: `von_mises`, `stress`, `strain`). Vectors
    /// have three components, tensors nine. `stiction.field_names()` says which there are.
    #[pyo3(signature = (names = None))]
    fn fields<'py>(&self, py: Python<'py>, names: Option<Vec<String>>) -> PyResult<Bound<'py, PyDict>> {
        let choice = match names {
            None => FieldChoice::all(),
            Some(names) => {
                let kinds =
                    names.iter().map(|name| name.parse::<FieldKind>().map_err(|error| at("names", error)));
                FieldChoice::these(kinds.collect::<PyResult<Vec<_>>>()?)
            }
        };
        let out = PyDict::new(py);
        either!(AnyRun, &self.run, run => {
            for field in run.fields(py, &choice)?.list {
                let components = field.kind.components();
                let array = PyArray1::from_vec(py, field.values);
                if components == 1 {
                    out.set_item(field.kind.name(), array)?;
                } else {
                    let rows = array.len()? / components;
                    out.set_item(field.kind.name(), array.reshape([rows, components])?)?;
                }
            }
        });
        Ok(out)
    }

    /// What each two bodies, or a body and an obstacle, did to each other at the end of the last step: a dictionary for each pair that touches, with the columns of
    /// `pairs.csv`. Forces act on `first`; those on `second` are opposite.
    #[getter]
    fn pair_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        either!(AnyRun, &self.run, run => run.pairs(py))
    }

    /// Where the obstacles are, by name: for each its kind (`plane`, `sphere`, `cylinder`) and its numbers.
    #[getter]
    fn obstacles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        either!(AnyRun, &self.run, run => {
            let out = PyDict::new(py);
            let solids = run.model.obstacles.at(run.state()?.time);
            for (name, solid) in run.model.obstacle_names().into_iter().zip(&solids) {
                out.set_item(name, obstacle_numbers(py, solid)?)?;
            }
            Ok(out)
        })
    }

    /// A page that plays the steps of this object, as HTML: what `show` displays.
    ///
    /// Of long runs some steps are left out. `title`: of the page.
    #[pyo3(signature = (title = "simulation"))]
    fn page(&self, py: Python<'_>, title: &str) -> PyResult<String> {
        either!(AnyRun, &self.run, run => {
            let (states, reports) = (run.past.lock()?.clone(), run.reports.lock()?.clone());
            let made = py.detach(|| {
                let film = stiction_cli::film::of_states(title, &run.model, &states.kept, &reports)?;
                stiction_view::page::html(&film, stiction_view::page::Options::default())
            });
            made.map_err(|error| PyRuntimeError::new_err(error.to_string()))
        })
    }

    /// Writes elements, positions, velocities and all fields for ParaView, as VTU.
    #[expect(clippy::needless_pass_by_value, reason = "paths of Python become owned ones")]
    fn write_vtu(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        either!(AnyRun, &self.run, run => {
            let state = run.state()?;
            py.detach(|| vtu::write(&path, &run.model, &state)).map_err(|error| file_error(py, &error))
        })
    }

    /// Saves positions, velocities and all that the next steps need, to go on from to the last bit. `stiction run` saves `state.bin` in the same
    /// format.
    ///
    /// Whenever the process ends, the file has what it had before or all of this state.
    #[expect(clippy::needless_pass_by_value, reason = "paths of Python become owned ones")]
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        either!(AnyRun, &self.run, run => {
            let state = run.state()?;
            py.detach(|| state.save(&path, &run.model)).map_err(|error| file_error(py, &error))
        })
    }

    /// Goes to a state that `save` or `stiction run` saved, of this scene or one whose bodies have the same vertices, elements and masses:
    /// friction or stiffness, say, may be others, but not the time step. `reports` begins anew with that state.
    ///
    /// Raises `ValueError` if the file is no such state, is damaged, or bodies intersect in it, and `StepError` if a term fails in it; the
    /// simulation is then as it was.
    #[expect(clippy::needless_pass_by_value, reason = "paths of Python become owned ones")]
    fn load(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        not_inside()?;
        either!(AnyRun, &self.run, run => {
            let state = py.detach(|| run.loaded(&path)).map_err(|error| file_error(py, &error))?;
            py.detach(|| run.go_to(state))?;
        });
        // Dropped without the lock: what is Python's may run anybody's finaliser, which may want it.
        let earlier = self.earlier.lock()?.take();
        drop(earlier);
        Ok(())
    }

    fn __repr__(&self) -> PyResult<String> {
        either!(AnyRun, &self.run, run => {
            let state = run.state()?;
            Ok(format!("Simulation({} vertices, step {}, t = {} s)", run.model.surface.rest().len(), state.step, state.time))
        })
    }

    fn __getnewargs__(&self, py: Python<'_>) -> (Py<Scene>, Vec<Py<PyAny>>) {
        (self.scene.clone_ref(py), self.terms.iter().map(|term| term.clone_ref(py)).collect())
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Stored<'py>> {
        let reports = self.reports(py)?;
        either!(AnyRun, &self.run, run => {
            let state = run.state()?;
            let (earlier, length) = match &state.before {
                Some(before) => ([&before.q[..], &before.v], Some(before.h)),
                None => ([&[][..], &[]], None),
            };
            let fields = [&state.q[..], &state.v, &state.a, &state.f, earlier[0], earlier[1]];
            let mut fields = fields.map(|field| from_vectors(py, field).into_any()).to_vec();
            let memory = state.memory.iter().map(|(key, numbers)| (key.code(), *numbers));
            fields.push(PyList::new(py, memory.collect::<Vec<Remembered>>())?.into_any());
            fields.push(from_vectors(py, &state.acceleration).into_any());
            fields.push(from_vectors(py, &state.friction.on_vertices).into_any());
            let rubbing = state.friction.in_contacts.iter().map(stored_friction);
            fields.push(PyList::new(py, rubbing.collect::<Vec<Rubbing>>())?.into_any());
            Ok((state.time, state.step, (state.kappa, state.reserve), fields, length, reports))
        })
    }

    fn __setstate__(&self, stored: Stored<'_>) -> PyResult<()> {
        let (time, step, (kappa, reserve), fields, length, reports) = stored;
        let time = not_negative("time", time)?;
        let kappa = kappa.map(|kappa| positive("kappa", kappa)).transpose()?;
        if !reserve.is_finite() {
            return Err(at("reserve", "must be finite"));
        }
        let [q, v, a, f, q_before, v_before, memory, acceleration, on_vertices, in_contacts] = &fields[..]
        else {
            return Err(at("state", format!("has {} fields, expected 10", fields.len())));
        };
        let memory = remembered(memory)?;
        either!(AnyRun, &self.run, run => {
            let field = |name, array: &Bound<'_, PyAny>| run.node_field(name, array);
            let before = match length {
                Some(h) => {
                    let (q, v) = (field("q before", q_before)?, field("v before", v_before)?);
                    Some(Before { q, v, h: positive("length", h)? })
                }
                None => None,
            };
            let a = if a.len()? == 0 { Vec::new() } else { field("a", a)? };
            let f = if f.len()? == 0 { Vec::new() } else { field("f", f)? };
            let (q, v) = (field("q", q)?, field("v", v)?);
            let acceleration =
                if acceleration.len()? == 0 { Vec::new() } else { field("acceleration", acceleration)? };
            let friction = run.friction(on_vertices, in_contacts)?;
            let state = State { q, v, time, step, a, f, before, kappa, reserve, memory, acceleration, friction };
            let state = Arc::new(state);
            *run.past.lock()? = Past::new(state.clone());
            *run.state.lock()? = state;
            run.reports.lock()?.clear();
        });
        // Dropped without the lock, as in `load`.
        let old = self.earlier.lock()?.replace(reports.unbind());
        drop(old);
        Ok(())
    }

    /// A term may hold the simulation that holds it: Python finds such cycles and clears the term.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.terms.iter().try_for_each(|term| visit.call(&**term))
    }
}

/// Ranges by name.
fn slices<'a, 'py>(
    py: Python<'py>,
    ranges: impl Iterator<Item = (&'a String, &'a Range<usize>)>,
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    for (name, range) in ranges {
        out.set_item(name, PySlice::new(py, range.start.cast_signed(), range.end.cast_signed(), 1))?;
    }
    Ok(out)
}

/// What contacts remember; a key that there is not, or twice, is refused.
fn remembered(stored: &Bound<'_, PyAny>) -> PyResult<Memory> {
    let stored: Vec<Remembered> = stored.extract()?;
    let entries = stored.into_iter().map(|((kind, sides), numbers)| {
        let key =
            ContactKey::from_code(kind, sides).filter(|_| numbers.iter().all(|number| number.is_finite()));
        Ok((key.ok_or_else(|| at("memory", "must have keys of contacts and finite numbers"))?, numbers))
    });
    let entries = entries.collect::<PyResult<Vec<_>>>()?;
    Memory::new(entries).map_err(|error| at("memory", error))
}

fn stored_friction<const D: usize>(of: &ContactFriction<D>) -> Rubbing {
    (of.key.code(), of.vertices, of.weights, of.force.0.to_vec(), of.speed, of.sticks, of.heat)
}

/// Friction in a contact as it was stored, if its numbers are possible.
fn restored_friction<const D: usize>(stored: Rubbing, vertices: usize) -> Option<ContactFriction<D>> {
    let ((kind, sides), list, weights, force, speed, sticks, heat) = stored;
    let key = ContactKey::from_code(kind, sides)?;
    let force = Vector(<[f64; D]>::try_from(force).ok()?);
    let is_good = force.is_finite()
        && weights.iter().chain([&speed, &heat]).all(|number| number.is_finite())
        && list.iter().all(|v| (*v as usize) < vertices);
    is_good.then_some(ContactFriction { key, vertices: list, weights, force, speed, sticks, heat })
}

impl<const D: usize> Run<D> {
    /// The start of a scene, with more energies.
    fn start(py: Python<'_>, whole: &Scene, terms: &[Arc<Py<PyAny>>]) -> PyResult<(Self, Settled)> {
        let placed = py.detach(|| whole.scene.placed::<D>());
        let (mut model, mut state) = placed.map_err(|error| whole.error(error))?;
        for term in terms {
            model = with_term(py, model, term)?;
        }
        let workspace = || whole.scene.workspace().map_err(|error| whole.error(error));
        let (mut work, fresh) = (workspace()?, workspace()?);
        let settled = py.detach(|| whole.scene.settle(&model, &mut state, &mut work));
        let run = py.detach(|| Self::new(model, state, fresh));
        run.check_terms("at the start")?;
        Ok((run, settled))
    }

    /// Raises what went wrong in a term since that was last asked.
    fn check_terms(&self, place: &str) -> PyResult<()> {
        match self.model.terms.trouble() {
            Some((term, what)) => {
                Err(StepError::new_err(format!("the term \"{term}\" failed {place}: {what}")))
            }
            None => Ok(()),
        }
    }

    fn new(model: Model<D>, state: State<D>, work: Workspace<D>) -> Self {
        Self {
            schema: Schema::of(&model),
            surface: SharedSurface::new((*model.surface).clone()),
            reports: Lock::new(vec![StepReport::at_start(&model, &state)]),
            past: Lock::new(Past::new(Arc::new(state.clone()))),
            state: Lock::new(Arc::new(state)),
            work: Lock::new(work),
            model,
        }
    }

    /// One vector for each node.
    fn node_field(&self, name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Vector<D>>> {
        let (field, nodes) = (vectors(name, object)?, self.model.mass.of_nodes().len());
        if field.len() != nodes {
            return Err(at(name, format!("has {} rows, expected {nodes}, one for each node", field.len())));
        }
        match field.iter().position(|vector: &Vector<D>| !vector.is_finite()) {
            Some(row) => Err(at(name, format!("row {row} is not finite"))),
            None => Ok(field),
        }
    }

    /// Friction as it was stored.
    fn friction(
        &self,
        on_vertices: &Bound<'_, PyAny>,
        in_contacts: &Bound<'_, PyAny>,
    ) -> PyResult<FrictionForces<D>> {
        let count = self.model.surface.rest().len();
        let on_vertices: Vec<Vector<D>> =
            if on_vertices.len()? == 0 { Vec::new() } else { vectors("friction", on_vertices)? };
        if !(on_vertices.is_empty() || on_vertices.len() == count) {
            return Err(at("friction", format!("has {} rows, expected {count}", on_vertices.len())));
        }
        let stored: Vec<Rubbing> = in_contacts.extract()?;
        let restored = stored.into_iter().map(|stored| restored_friction(stored, count));
        let restored: Option<Vec<ContactFriction<D>>> = restored.collect();
        let mut in_contacts = restored
            .ok_or_else(|| at("friction", "must have keys of contacts, their vertices and finite numbers"))?;
        in_contacts.sort_by_key(|of| of.key);
        Ok(FrictionForces { on_vertices, in_contacts })
    }

    fn state(&self) -> PyResult<Arc<State<D>>> {
        Ok(self.state.lock()?.clone())
    }

    /// Makes a step, unless `stop` is raised before its end.
    fn step(&self, stop: &Arc<AtomicBool>) -> PyResult<StepReport<D>> {
        let mut work = self.work.lock()?;
        work.stop_at(stop.clone());
        let mut state = State::clone(&*self.state()?);
        let report = step(&self.model, &mut state, &mut work)
            .map_err(|error| StepError::new_err(self.model.describe(&error)))?;
        self.reports.lock()?.push(report.clone());
        let state = Arc::new(state);
        self.past.lock()?.push(state.clone());
        *self.state.lock()? = state;
        Ok(report)
    }

    /// The forces in the state.
    fn forces(&self, py: Python<'_>) -> PyResult<ContactForces<D>> {
        let state = self.state()?;
        py.detach(|| ContactForces::of(&self.model, &state))
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// Fields of the state.
    fn fields(&self, py: Python<'_>, choice: &FieldChoice) -> PyResult<Fields> {
        let (state, forces) = (self.state()?, self.forces(py)?);
        Ok(py.detach(|| Fields::of(&self.model, &state, &forces, choice)))
    }

    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let known = self.reports.lock()?.last().map(|report| report.forces.pairs.clone());
        let pairs = match known {
            Some(pairs) => pairs,
            // One that was stored has a state, and reports of earlier steps in Python only.
            None => StepReport::at_start(&self.model, &*self.state()?).forces.pairs,
        };
        let names: Vec<String> = self
            .model
            .parts
            .iter()
            .map(|part| part.name.clone())
            .chain(self.model.obstacle_names())
            .collect();
        let (out, columns) = (PyList::empty(py), pair_columns::<D>());
        for pair in &pairs {
            let row = PyDict::new(py);
            let sides = pair.sides.map(|side| thing(&self.model, side) as usize);
            row.set_item("first", names.get(sides[0]))?;
            row.set_item("second", names.get(sides[1]))?;
            for column in &columns {
                set_value(&row, column.name(), column.value(&pair.load))?;
            }
            out.append(row)?;
        }
        Ok(out)
    }
}

impl<const D: usize> Run<D> {
    fn loaded(&self, path: &Path) -> Result<State<D>, Error> {
        State::load(path, &self.model)
    }

    /// Goes to a state, once a step of another thread has ended.
    fn go_to(&self, state: State<D>) -> PyResult<()> {
        // What goes wrong in terms is that of whoever has the lock.
        let _work = self.work.lock()?;
        let _ = self.model.terms.trouble();
        let report = StepReport::at_start(&self.model, &state);
        self.check_terms("in the state of the file")?;
        *self.reports.lock()? = vec![report];
        let state = Arc::new(state);
        *self.past.lock()? = Past::new(state.clone());
        *self.state.lock()? = state;
        Ok(())
    }
}

/// A report as a dictionary without further ones in it.
fn record<'py, const D: usize>(
    py: Python<'py>,
    schema: &Schema<D>,
    report: &StepReport<D>,
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    for column in schema.columns() {
        set_value(&out, column.name(), column.value(report))?;
    }
    Ok(out)
}

fn set_value(out: &Bound<'_, PyDict>, name: &str, value: Value<'_>) -> PyResult<()> {
    match value {
        Value::Count(count) => out.set_item(name, count),
        Value::Number(number) => out.set_item(name, number),
        Value::Text(text) => out.set_item(name, text),
    }
}

/// The number of a side among all things: bodies first, then obstacles.
fn thing<const D: usize>(model: &Model<D>, side: Side) -> u32 {
    match side {
        Side::Body(body) => body,
        Side::Obstacle(obstacle) => model.parts.len() as u32 + obstacle,
    }
}

/// Contacts as arrays.
fn contact_arrays<'py, const D: usize>(
    py: Python<'py>,
    model: &Model<D>,
    forces: &ContactForces<D>,
) -> PyResult<Bound<'py, PyDict>> {
    let (out, list) = (PyDict::new(py), &forces.contacts);
    let whole = |of: &dyn Fn(&ContactForce<D>) -> i64| PyArray1::from_iter(py, list.iter().map(of));
    let numbers = |of: fn(&ContactForce<D>) -> f64| PyArray1::from_iter(py, list.iter().map(of));
    let vectors =
        |of: fn(&ContactForce<D>) -> Vector<D>| from_vectors(py, &list.iter().map(of).collect::<Vec<_>>());
    out.set_item("first", whole(&|contact| i64::from(thing(model, contact.sides[0]))))?;
    out.set_item("second", whole(&|contact| i64::from(thing(model, contact.sides[1]))))?;
    out.set_item("kind", whole(&|contact| i64::from(contact.key.code().0)))?;
    out.set_item("place", vectors(ContactForce::place))?;
    out.set_item("normal", vectors(|contact| contact.touch.normal))?;
    out.set_item("normal_force", numbers(|contact| contact.normal_force))?;
    out.set_item("friction", vectors(|contact| contact.friction))?;
    out.set_item("regime", whole(&|contact| contact.regime as i64))?;
    out.set_item("slip_speed", numbers(|contact| contact.slip_speed))?;
    out.set_item("birth", numbers(|contact| contact.birth))?;
    out.set_item("slip", numbers(|contact| contact.slip))?;
    out.set_item("heat", numbers(|contact| contact.heat))?;
    Ok(out)
}

/// The kind and the numbers of an obstacle.
fn obstacle_numbers<'py, const D: usize>(
    py: Python<'py>,
    solid: &Obstacle<D>,
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let array = |vector: Vector<D>| PyArray1::from_slice(py, &vector.0);
    out.set_item("kind", solid.kind_name())?;
    match solid {
        Obstacle::Plane(plane) => {
            out.set_item("point", array(plane.point()))?;
            out.set_item("normal", array(plane.normal()))?;
        }
        Obstacle::Sphere(sphere) => {
            out.set_item("center", array(sphere.center()))?;
            out.set_item("radius", sphere.radius())?;
        }
        Obstacle::Cylinder(cylinder) => {
            out.set_item("point", array(cylinder.point()))?;
            out.set_item("axis", array(cylinder.axis()))?;
            out.set_item("radius", cylinder.radius())?;
        }
        _ => {}
    }
    Ok(out)
}
