//! Frames of runs, read back.

use std::path::PathBuf;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction_sim::fields::FieldKind;
use stiction_sim::io::vtu::{self, NamedArray};

use crate::array::{from_rows, from_vectors};
use crate::error::file_error;

/// What the fields of frames and of `Simulation.fields` are: for each the unit (empty where it has none) and a sentence.
#[pyfunction]
pub fn field_names(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    for kind in FieldKind::ALL {
        out.set_item(kind.name(), (kind.unit(), kind.meaning()))?;
    }
    Ok(out)
}

/// Reads a frame that `stiction run` wrote: `points`, `cells` (`edges`, `triangles`, `tetrahedra`), `point_data`, `cell_data`, `field_data` and `words`.
///
/// Raises `ValueError` if the file is no such frame, with the place, and `OSError` if it cannot be read.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "paths of Python become owned ones")]
pub fn read_frame(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let frame = py.detach(|| vtu::read_frame(&path)).map_err(|error| file_error(py, &error))?;
    let (out, cells, words) = (PyDict::new(py), PyDict::new(py), PyDict::new(py));
    cells.set_item("edges", from_rows(py, frame.mesh.edges.as_flattened(), 2))?;
    cells.set_item("triangles", from_rows(py, frame.mesh.triangles.as_flattened(), 3))?;
    cells.set_item("tetrahedra", from_rows(py, frame.mesh.tetrahedra.as_flattened(), 4))?;
    out.set_item("points", from_vectors(py, &frame.mesh.points))?;
    out.set_item("cells", cells)?;
    for (name, arrays) in
        [("point_data", &frame.points), ("cell_data", &frame.cells), ("field_data", &frame.whole)]
    {
        out.set_item(name, arrays_by_name(py, arrays)?)?;
    }
    for (name, list) in frame.words {
        words.set_item(name, list)?;
    }
    out.set_item("words", words)?;
    Ok(out)
}

fn arrays_by_name<'py>(py: Python<'py>, arrays: &[NamedArray]) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    for NamedArray { name, components, values } in arrays {
        let array = PyArray1::from_slice(py, values);
        if *components > 1 && values.len().is_multiple_of(*components) {
            out.set_item(name, array.reshape([values.len() / components, *components])?)?;
        } else {
            out.set_item(name, array)?;
        }
    }
    Ok(out)
}
