//! Meshes in files, and where solids end.

use std::path::PathBuf;

use numpy::PyArray2;
use pyo3::prelude::*;
use stiction::math::Vector;
use stiction::mesh::{self, Mixed, boundary};
use stiction_sim::io;

use crate::array::{Table, from_rows, from_vectors, indices};
use crate::error::{at, file_error};
use crate::shared_surface::SharedSurface;
use crate::surface::{AnySurface, Surface};

/// Points with the segments, triangles and tetrahedra between them, as files have them.
///
/// `points`: shape (n, 2) or (n, 3); flat ones get a zero third coordinate.
/// `edges`, `triangles`, `tetrahedra`: vertex numbers, shapes (m, 2), (m, 3), (m, 4).
#[pyclass(frozen, module = "stiction")]
pub struct Mesh(io::Mesh);

#[pymethods]
impl Mesh {
    #[new]
    #[pyo3(signature = (points, edges=None, triangles=None, tetrahedra=None))]
    fn new(
        points: &Bound<'_, PyAny>,
        edges: Option<&Bound<'_, PyAny>>,
        triangles: Option<&Bound<'_, PyAny>>,
        tetrahedra: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let points = read_points(points)?;
        let count = points.len();
        Ok(Self(io::Mesh {
            points,
            edges: elements("edges", edges, count)?,
            triangles: elements("triangles", triangles, count)?,
            tetrahedra: elements("tetrahedra", tetrahedra, count)?,
        }))
    }

    /// Positions, shape (n, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        from_vectors(py, &self.0.points)
    }

    /// Vertices of the segments, shape (m, 2).
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        from_rows(py, self.0.edges.as_flattened(), 2)
    }

    /// Vertices of the triangles, shape (m, 3).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        from_rows(py, self.0.triangles.as_flattened(), 3)
    }

    /// Vertices of the tetrahedra, shape (m, 4).
    #[getter]
    fn tetrahedra<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        from_rows(py, self.0.tetrahedra.as_flattened(), 4)
    }

    /// What of the mesh can touch.
    ///
    /// In 3D the boundary of the tetrahedra, the triangles as shells and the edges as rods; in 2D the boundary of the triangles, and the
    /// edges. In 2D all points must have a zero third coordinate.
    ///
    /// Raises `ValueError` if elements have no volume, occur twice, or more than two share a side.
    #[pyo3(signature = (dimension=3))]
    fn surface(&self, dimension: usize) -> PyResult<Surface> {
        Ok(Surface(match dimension {
            2 => AnySurface::Flat(SharedSurface::new(self.surface_of(self.flat_points()?)?)),
            3 => AnySurface::Solid(SharedSurface::new(self.surface_of(self.0.points.clone())?)),
            other => return Err(at("dimension", format!("is {other}, expected 2 or 3"))),
        }))
    }

    fn __repr__(&self) -> String {
        let io::Mesh { points, edges, triangles, tetrahedra } = &self.0;
        format!(
            "Mesh({} points, {} edges, {} triangles, {} tetrahedra)",
            points.len(),
            edges.len(),
            triangles.len(),
            tetrahedra.len()
        )
    }

    #[expect(clippy::type_complexity, reason = "as Python wants it")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (
        Bound<'py, PyAny>,
        (
            Bound<'py, PyArray2<f64>>,
            Bound<'py, PyArray2<u32>>,
            Bound<'py, PyArray2<u32>>,
            Bound<'py, PyArray2<u32>>,
        ),
    ) {
        let (py, mesh) = (slf.py(), slf.get());
        let arrays = (mesh.points(py), mesh.edges(py), mesh.triangles(py), mesh.tetrahedra(py));
        (slf.get_type().into_any(), arrays)
    }
}

impl Mesh {
    fn flat_points(&self) -> PyResult<Vec<Vector<2>>> {
        if let Some(row) = self.0.points.iter().position(|point| point[2] != 0.0) {
            return Err(at("dimension", format!("is 2, but point {row} has a third coordinate")));
        }
        Ok(self.0.points.iter().map(|&Vector([x, y, _])| Vector([x, y])).collect())
    }

    fn surface_of<const D: usize>(&self, points: Vec<Vector<D>>) -> PyResult<mesh::Surface<D>> {
        let io::Mesh { edges, triangles, tetrahedra, .. } = &self.0;
        let mixed = Mixed {
            tetrahedra: tetrahedra.clone(),
            triangles: triangles.clone(),
            edges: edges.clone(),
            vertices: Vec::new(),
        };
        mesh::Surface::of_mixed(points, mixed).map_err(|error| at("mesh", error))
    }
}

fn read_points(points: &Bound<'_, PyAny>) -> PyResult<Vec<Vector<3>>> {
    let table = Table::read("points", points)?;
    if table.columns() == 2 {
        let flat = table.vectors::<2>("points")?;
        return Ok(flat.into_iter().map(|Vector([x, y])| Vector([x, y, 0.0])).collect());
    }
    table.vectors("points")
}

fn elements<const N: usize>(
    name: &str,
    object: Option<&Bound<'_, PyAny>>,
    points: usize,
) -> PyResult<Vec<[u32; N]>> {
    let elements = object.map_or(Ok(Vec::new()), |object| indices::<N>(name, object))?;
    let wrong = |vertex: &&u32| **vertex as usize >= points;
    for (row, element) in elements.iter().enumerate() {
        if let Some(vertex) = element.iter().find(wrong) {
            return Err(at(name, format!("row {row} names vertex {vertex}, but there are {points} points")));
        }
    }
    Ok(elements)
}

/// Reads a mesh from a file in the format that the name's ending says: OBJ, PLY, STL, MSH (2 and 4.1) or VTU.
///
/// Polygons and quadrangles are cut into triangles; points of STL files with equal coordinates become one.
///
/// Raises `OSError` if the file cannot be read, `ValueError` with the line or byte if it is not what its name says.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "paths of Python become owned ones")]
pub fn read_mesh(py: Python<'_>, path: PathBuf) -> PyResult<Mesh> {
    py.detach(|| io::read_mesh(&path)).map(Mesh).map_err(|error| file_error(py, &error))
}

/// Writes a mesh into a file in the format that the name's ending says: OBJ, PLY, STL, MSH (2.2) or VTU.
///
/// `binary`: bytes rather than text where the format has both: PLY, STL (bytes only in single precision) and MSH.
///
/// Raises `OSError` if the file cannot be written, `ValueError` if the format has no place for tetrahedra or edges that the mesh has.
#[pyfunction]
#[pyo3(signature = (path, mesh, *, binary=true))]
#[expect(clippy::needless_pass_by_value, reason = "paths of Python become owned ones")]
pub fn write_mesh(py: Python<'_>, path: PathBuf, mesh: &Mesh, binary: bool) -> PyResult<()> {
    py.detach(|| io::write_mesh(&path, &mesh.0, binary)).map_err(|error| file_error(py, &error))
}

/// The faces that belong to exactly one tetrahedron, shape (k, 3), outwards if the tetrahedra have positive volume.
///
/// `tetrahedra`: vertex numbers, shape (m, 4).
#[pyfunction]
pub fn boundary_faces<'py>(tetrahedra: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let faces = boundary::of_tetrahedra(&indices("tetrahedra", tetrahedra)?);
    Ok(from_rows(tetrahedra.py(), faces.as_flattened(), 3))
}

/// The edges that belong to exactly one triangle, shape (k, 2), directed as the triangle is.
///
/// `triangles`: vertex numbers, shape (m, 3).
#[pyfunction]
pub fn boundary_edges<'py>(triangles: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let edges = boundary::of_triangles(&indices("triangles", triangles)?);
    Ok(from_rows(triangles.py(), edges.as_flattened(), 2))
}
