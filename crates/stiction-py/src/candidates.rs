//! Which primitives may be close, and how many threads look for them.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::broad_phase::{self, BroadPhaseKind};
use stiction::{mesh, threads};

use crate::array::whole;
use crate::crowd;
use crate::error::{at, not_negative, plain};
use crate::surface::{AnySurface, Surface, either, vertex_field};

/// Pairs of primitives whose boxes meet, without those that share a vertex and those that a filter keeps apart.
///
/// `surface`: what to search.
/// `x`: positions, shape (n, D), in m.
/// `x_end`: where the vertices move from there on straight lines, shape (n, D); by default they do not move.
/// `inflation`: by how much every box is grown on every side, in m: pairs that come within twice that are all found.
/// `method`: `"brute_force"`, `"hash_grid"`, `"spatial_hash"`, `"sweep_and_prune"` or `"bvh"`; all find the same.
///
/// Returns arrays of shape (k, 2), ascending, by kind. In 2D: "ve", all vertices with all edges. In 3D: "ee", all edges;
/// "vf", all vertices with all faces; "ve", loose vertices with loose edges. In both: "vv", loose vertices.
/// Vertices by their numbers, edges and faces by their places in surface.edges and surface.faces.
#[pyfunction]
#[pyo3(signature = (surface, x, x_end=None, inflation=0.0, method="bvh"))]
pub fn candidates<'py>(
    surface: &Surface,
    x: &Bound<'py, PyAny>,
    x_end: Option<&Bound<'py, PyAny>>,
    inflation: f64,
    method: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let kind: BroadPhaseKind = method.parse().map_err(|error| at("method", error))?;
    not_negative("inflation", inflation)?;
    let found = either!(AnySurface, &surface.0, surface => found(surface, x, x_end, inflation, kind)?);
    let out = PyDict::new(x.py());
    for (name, pairs) in [("vv", found.vv), ("ve", found.ve), ("ee", found.ee), ("vf", found.vf)] {
        out.set_item(name, pair_array(x.py(), pairs)?)?;
    }
    Ok(out)
}

fn found<const D: usize>(
    surface: &mesh::Surface<D>,
    x: &Bound<'_, PyAny>,
    x_end: Option<&Bound<'_, PyAny>>,
    inflation: f64,
    kind: BroadPhaseKind,
) -> PyResult<broad_phase::Candidates> {
    let start = vertex_field(surface, "x", x)?;
    let end = x_end.map(|end| vertex_field(surface, "x_end", end)).transpose()?;
    let end = end.as_deref().unwrap_or(&start);
    x.py().detach(|| {
        crowd::check(surface, &start, end, inflation)?;
        Ok(kind.candidates(surface, &start, end, inflation))
    })
}

/// The pairs as an array of shape (k, 2), in the memory that they have.
pub fn pair_array(py: Python<'_>, pairs: Vec<(u32, u32)>) -> PyResult<Bound<'_, PyArray2<u32>>> {
    let count = pairs.len();
    // Rust reuses the memory of the list, since entries have the same size.
    let rows: Vec<[u32; 2]> = pairs.into_iter().map(|(a, b)| [a, b]).collect();
    PyArray1::from_vec(py, rows.into_flattened()).reshape([count, 2])
}

/// Chooses how many threads every function uses from now on; at first, one for each core.
///
/// Results do not depend on it, to the last bit. A child of a fork starts as many threads of its own.
///
/// `count`: 1 to 1024. Raises `ValueError` for other numbers and if the system cannot start so many; the threads so far are kept.
#[pyfunction]
pub fn set_num_threads(py: Python<'_>, count: &Bound<'_, PyAny>) -> PyResult<()> {
    let count = whole("count", count)?;
    let count = usize::try_from(count)
        .map_err(|_| at("count", format!("is {count}, expected 1 to {}", threads::MAX_COUNT)))?;
    py.detach(|| threads::set_count(count)).map_err(|error| plain(&error))
}

/// How many threads every function uses.
#[pyfunction]
pub fn num_threads() -> usize {
    threads::count()
}
