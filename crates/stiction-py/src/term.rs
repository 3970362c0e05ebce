//! Energies that are written in Python.

use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use stiction::assemble::{self, Assembly};
use stiction::blocks::Stencils;
use stiction::distance::Psd;
use stiction::math::{Matrix, Vector, eigen};
use stiction::potential::Potential;
use stiction::stencil::Stencil;
use stiction_sim::energy::Domain;
use stiction_sim::model::Model;
use stiction_sim::term::Term;

use crate::array::from_vectors;
use crate::error::at;

/// Most rows of a local matrix: four vertices in 3D.
const ROWS: usize = 12;

thread_local! {
    /// Whether this thread is in an energy that Python computes.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Refuses what waits for the end of a step inside a term, which may be one of that step.
pub fn not_inside() -> PyResult<()> {
    if INSIDE.get() {
        let message = "a term cannot make steps, load states or read timings, of any simulation: it could wait for the step that it is part of";
        return Err(PyRuntimeError::new_err(message));
    }
    Ok(())
}

/// An object of Python with `name`, `stencils`, `energy(x, t)`, `gradient(x, t)` and `hessian(x, t)`, and perhaps `domain`.
struct PyTerm {
    name: String,
    domain: Domain,
    /// Vertices of the local matrices, `width` each.
    stencils: Vec<u32>,
    width: usize,
    object: Arc<Py<PyAny>>,
    /// The first exception since it was last asked for.
    trouble: Mutex<Option<String>>,
}

impl fmt::Debug for PyTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PyTerm").field("name", &self.name).field("width", &self.width).finish_non_exhaustive()
    }
}

/// The model with one more energy.
pub fn with_term<const D: usize>(
    py: Python<'_>,
    model: Model<D>,
    object: &Arc<Py<PyAny>>,
) -> PyResult<Model<D>> {
    let term = object.bind(py);
    let name: String =
        term.getattr("name")?.extract().map_err(|_| at("name of a term", "must be a string"))?;
    let domain =
        match term.getattr_opt("domain")?.map(|domain| domain.extract::<String>()).transpose()?.as_deref() {
            None | Some("nodes") => Domain::Nodes,
            Some("surface") => Domain::Surface,
            Some(other) => {
                return Err(at("domain", format!("is {other:?}: it must be \"nodes\" or \"surface\"")));
            }
        };
    let count =
        if domain == Domain::Nodes { model.mass.of_nodes().len() } else { model.surface.rest().len() };
    let (stencils, width) = stencils(&name, term, count)?;
    let object = Arc::clone(object);
    let term = PyTerm { name: name.clone(), domain, stencils, width, object, trouble: Mutex::default() };
    model.with_term(Arc::new(term)).map_err(|error| at("name of a term", error))
}

/// The vertices of the local matrices of a term, and how many each has.
fn stencils(name: &str, term: &Bound<'_, PyAny>, count: usize) -> PyResult<(Vec<u32>, usize)> {
    for method in ["energy", "gradient", "hessian"] {
        if !term.getattr_opt(method)?.is_some_and(|method| method.is_callable()) {
            return Err(PyTypeError::new_err(format!("term {name:?} has no method {method}(x, t)")));
        }
    }
    let wrong = |what: String| at(&format!("stencils of term {name:?}"), what);
    let given = term.getattr("stencils")?;
    let rows: Vec<Vec<i64>> = given
        .call_method0("tolist")
        .and_then(|rows| rows.extract())
        .or_else(|_| given.extract())
        .map_err(|_| wrong("must be an array of whole numbers of shape (m, k)".to_owned()))?;
    let width = rows.first().map_or(1, Vec::len);
    if !(1..=4).contains(&width) || rows.iter().any(|row| row.len() != width) {
        return Err(wrong(format!("must have rows of the same length, from 1 to 4, not {width}")));
    }
    let all = rows.iter().flatten().map(|&v| u32::try_from(v).ok().filter(|v| (*v as usize) < count));
    let all: Option<Vec<u32>> = all.collect();
    Ok((all.ok_or_else(|| wrong(format!("have a number that is not from 0 to {}", count - 1)))?, width))
}

impl PyTerm {
    /// Calls a method of the object; what goes wrong is kept for the step to fail with.
    fn call<const D: usize, T>(
        &self,
        method: &str,
        x: &[Vector<D>],
        time: f64,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        let was_inside = INSIDE.replace(true);
        let made = Python::attach(|py| {
            let answer = self.object.bind(py).call_method1(method, (from_vectors(py, x), time));
            answer.and_then(|answer| read(&answer)).map_err(|error| error.to_string())
        });
        INSIDE.set(was_inside);
        made.map_err(|what| {
            let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
            trouble.get_or_insert(format!("{method}: {what}"));
        })
        .ok()
    }

    fn len(&self) -> usize {
        self.stencils.len() / self.width
    }
}

impl<const D: usize> Term<D> for PyTerm {
    fn name(&self) -> &str {
        &self.name
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn at(&self, time: f64) -> Box<dyn Potential<D> + '_> {
        Box::new(AtTime { term: self, time })
    }

    fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A term at a time.
struct AtTime<'a> {
    term: &'a PyTerm,
    time: f64,
}

impl AtTime<'_> {
    /// The local matrices, one after the other; none if Python failed.
    fn matrices<const D: usize>(&self, x: &[Vector<D>]) -> Vec<f64> {
        let (count, rows) = (self.term.len(), D * self.term.width);
        let read = |answer: &Bound<'_, PyAny>| {
            let array: PyReadonlyArray3<'_, f64> = answer.extract()?;
            check_shape(array.shape(), &[count, rows, rows])?;
            finite(array.as_array().iter().copied().collect())
        };
        self.term.call("hessian", x, self.time, read).unwrap_or_else(|| vec![0.0; count * rows * rows])
    }

    fn add<const D: usize, const N: usize>(
        &self,
        x: &[Vector<D>],
        scale: f64,
        psd: Psd,
        out: &mut Assembly<'_, D>,
    ) {
        let (stencils, matrices) = (self.term.stencils.as_chunks::<N>().0, self.matrices(x));
        let size = D * N * D * N;
        let local = |k: usize, _: &[u32; N]| local::<D, N>(&matrices[k * size..][..size], scale, psd);
        assemble::hessian(stencils, out, |_, stencil| Stencil(*stencil), local);
    }
}

fn check_shape(found: &[usize], expected: &[usize]) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(at("the array", format!("has shape {found:?}, expected {expected:?}")))
}

fn finite(numbers: Vec<f64>) -> PyResult<Vec<f64>> {
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(numbers),
        Some(place) => {
            Err(at("the array", format!("has {} at its place {place}: it must be finite", numbers[place])))
        }
    }
}

/// A local matrix, row by row, in blocks: its symmetric part, its eigenvalues treated as `psd` says.
fn local<const D: usize, const N: usize>(matrix: &[f64], scale: f64, psd: Psd) -> [[Matrix<D>; N]; N] {
    let rows = D * N;
    let mut dense = [[0.0; ROWS]; ROWS];
    for i in 0..rows {
        for j in 0..rows {
            dense[i][j] = 0.5 * (matrix[i * rows + j] + matrix[j * rows + i]);
        }
    }
    if psd != Psd::None {
        dense = eigen::map_eigenvalues(dense, rows, |value| psd.apply(value));
    }
    let block = |i: usize, j: usize| {
        Matrix(std::array::from_fn(|k| std::array::from_fn(|l| scale * dense[i * D + k][j * D + l])))
    };
    std::array::from_fn(|i| std::array::from_fn(|j| block(i, j)))
}

impl<const D: usize> Potential<D> for AtTime<'_> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        let read = |answer: &Bound<'_, PyAny>| {
            let energy = answer.extract::<f64>()?;
            if energy.is_nan() { Err(at("the energy", "is no number")) } else { Ok(energy) }
        };
        // Where Python fails no energy is low enough.
        self.term.call("energy", x, self.time, read).unwrap_or(f64::NAN)
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        let read = |answer: &Bound<'_, PyAny>| {
            let array: PyReadonlyArray2<'_, f64> = answer.extract()?;
            check_shape(array.shape(), &[x.len(), D])?;
            finite(array.as_array().iter().copied().collect())
        };
        let Some(gradient) = self.term.call("gradient", x, self.time, read) else { return };
        for (out, row) in out.iter_mut().zip(gradient.as_chunks::<D>().0) {
            *out += Vector(*row) * scale;
        }
    }

    fn stencils(&self, out: &mut Stencils) {
        let all = &self.term.stencils;
        match self.term.width {
            1 => out.push(all.as_chunks::<1>().0.iter().map(|s| Stencil(*s))),
            2 => out.push(all.as_chunks::<2>().0.iter().map(|s| Stencil(*s))),
            3 => out.push(all.as_chunks::<3>().0.iter().map(|s| Stencil(*s))),
            _ => out.push(all.as_chunks::<4>().0.iter().map(|s| Stencil(*s))),
        }
    }

    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        match self.term.width {
            1 => self.add::<D, 1>(x, scale, psd, out),
            2 => self.add::<D, 2>(x, scale, psd, out),
            3 => self.add::<D, 3>(x, scale, psd, out),
            _ => self.add::<D, 4>(x, scale, psd, out),
        }
    }
}
