//! Surfaces of either dimension.

use std::sync::Arc;

use numpy::PyArray2;
use pyo3::prelude::*;
use stiction::math::Vector;
use stiction::mesh;

use crate::array::{Table, from_rows, from_vectors, indices, vectors};
use crate::error::at;

/// Runs the same code for the 2D and the 3D case of an enum with the variants `Flat` and `Solid`.
macro_rules! either {
    ($kind:ident, $value:expr, $inner:ident => $body:expr) => {
        match $value {
            $kind::Flat($inner) => $body,
            $kind::Solid($inner) => $body,
        }
    };
}
pub(crate) use either;

/// A surface in 2D or 3D.
#[derive(Clone)]
pub enum AnySurface {
    /// In 2D.
    Flat(Arc<mesh::Surface<2>>),
    /// In 3D.
    Solid(Arc<mesh::Surface<3>>),
}

/// The edges (2D) or faces (3D) that can touch each other.
///
/// `vertices`: positions at rest, shape (n, D), D = 2 or 3, in m. Further vertices that no edge or face uses are
/// allowed; they take no part in contact.
/// `edges`: pairs of vertex numbers, shape (m, 2). The edges of the faces are added by themselves.
/// `faces`: triples of vertex numbers, shape (k, 3); none in 2D.
///
/// Raises `ValueError` if a position is not finite, an index is out of range, a primitive names a vertex twice, or
/// an edge has no length or a face no area.
#[pyclass(frozen, module = "stiction")]
pub struct Surface(pub AnySurface);

#[pymethods]
impl Surface {
    #[new]
    #[pyo3(signature = (vertices, edges, faces=None))]
    fn new(
        vertices: &Bound<'_, PyAny>,
        edges: &Bound<'_, PyAny>,
        faces: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let rest = Table::read("vertices", vertices)?;
        let edges = indices("edges", edges)?;
        let faces = faces.map_or(Ok(Vec::new()), |faces| indices("faces", faces))?;
        Ok(Self(match rest.columns() {
            2 => AnySurface::Flat(build(&rest, edges, faces)?),
            3 => AnySurface::Solid(build(&rest, edges, faces)?),
            columns => return Err(at("vertices", format!("has {columns} columns, expected 2 or 3"))),
        }))
    }

    /// 2 or 3.
    #[getter]
    fn dimension(&self) -> usize {
        match self.0 {
            AnySurface::Flat(_) => 2,
            AnySurface::Solid(_) => 3,
        }
    }

    /// Positions at rest in m, shape (n, D).
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        either!(AnySurface, &self.0, surface => from_vectors(py, surface.rest()))
    }

    /// All edges, each once and with its smaller vertex first, ascending, shape (m, 2).
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        either!(AnySurface, &self.0, surface => from_rows(py, surface.edges().as_flattened(), 2))
    }

    /// The faces, shape (k, 3).
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        either!(AnySurface, &self.0, surface => from_rows(py, surface.faces().as_flattened(), 3))
    }

    fn __repr__(&self) -> String {
        either!(AnySurface, &self.0, surface => format!(
            "Surface({}D, {} vertices, {} edges, {} faces)",
            self.dimension(),
            surface.rest().len(),
            surface.edges().len(),
            surface.faces().len(),
        ))
    }
}

fn build<const D: usize>(
    rest: &Table,
    edges: Vec<[u32; 2]>,
    faces: Vec<[u32; 3]>,
) -> PyResult<Arc<mesh::Surface<D>>> {
    let surface = mesh::Surface::new(rest.vectors("vertices")?, edges, faces);
    surface.map(Arc::new).map_err(|error| at("Surface", error))
}

/// One vector for each vertex of the surface, from the argument called `name`.
pub fn vertex_field<const D: usize>(
    surface: &mesh::Surface<D>,
    name: &str,
    object: &Bound<'_, PyAny>,
) -> PyResult<Vec<Vector<D>>> {
    let field = vectors(name, object)?;
    surface.check_positions(&field).map_err(|error| at(name, error))?;
    Ok(field)
}
