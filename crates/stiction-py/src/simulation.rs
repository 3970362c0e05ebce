//! The simulator.

use std::ffi::CString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use numpy::PyArray2;
use pyo3::exceptions::{PyRuntimeError, PyUserWarning};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice};
use stiction::contact::ContactKey;
use stiction::math::Vector;
use stiction_sim::error::Error;
use stiction_sim::io::vtu;
use stiction_sim::model::Model;
use stiction_sim::newton::Workspace;
use stiction_sim::report::StepReport;
use stiction_sim::report::schema::{Schema, Value};
use stiction_sim::settle::Settled;
use stiction_sim::state::{Before, Memory, State};
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
    /// Locked during a step: steps of several threads wait for each other.
    work: Lock<Workspace<D>>,
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
type Stored<'py> = (f64, usize, (Option<f64>, f64), Fields<'py>, Option<f64>, Bound<'py, PyList>);

/// The code of a contact's key, and its numbers.
type Remembered = ((u8, [u32; 2]), [f64; 3]);

/// Positions, velocities, accelerations, forces by mass, and positions and velocities one step earlier; the last four where an integrator has them;
/// then what contacts remember.
type Fields<'py> = Vec<Bound<'py, PyAny>>;

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

    /// Writes elements, positions, velocities and bodies for ParaView, as VTU.
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
        let [q, v, a, f, q_before, v_before, memory @ ..] = &fields[..] else {
            return Err(at("state", format!("has {} fields of vectors, expected 6", fields.len())));
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
            *run.state.lock()? = Arc::new(State { q, v, time, step, a, f, before, kappa, reserve, memory });
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

/// What contacts remember, if it was stored; a key that there is not, or twice, is refused.
fn remembered(stored: &[Bound<'_, PyAny>]) -> PyResult<Memory> {
    let stored: Vec<Remembered> = match stored {
        [] => Vec::new(),
        [list] => list.extract()?,
        more => return Err(at("state", format!("has {} fields, expected 6 or 7", 6 + more.len()))),
    };
    let entries = stored.into_iter().map(|((kind, sides), numbers)| {
        let key =
            ContactKey::from_code(kind, sides).filter(|_| numbers.iter().all(|number| number.is_finite()));
        Ok((key.ok_or_else(|| at("memory", "must have keys of contacts and finite numbers"))?, numbers))
    });
    let entries = entries.collect::<PyResult<Vec<_>>>()?;
    Memory::new(entries).map_err(|error| at("memory", error))
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
        *self.state.lock()? = Arc::new(state);
        Ok(report)
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
        *self.state.lock()? = Arc::new(state);
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
        match column.value(report) {
            Value::Count(count) => out.set_item(column.name(), count)?,
            Value::Number(number) => out.set_item(column.name(), number)?,
            Value::Text(text) => out.set_item(column.name(), text)?,
        }
    }
    Ok(out)
}
