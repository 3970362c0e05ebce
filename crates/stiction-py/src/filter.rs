//! What never touches, as data.

use pyo3::prelude::*;
use stiction::mesh;

use crate::array::{any_numbers, indices, numbers};
use crate::error::at;
use crate::filter_tree;
use crate::surface::{AnySurface, Surface, either, with_filter};

/// Which pairs of vertices may touch. Combine with `&`, `|` and `~`; call it with two vertices to ask.
#[pyclass(frozen, from_py_object, module = "stiction")]
#[derive(Clone)]
pub struct VertexFilter(pub mesh::VertexFilter);

#[pymethods]
impl VertexFilter {
    /// Vertices of the same body of a surface never touch.
    #[staticmethod]
    fn bodies(surface: &Surface) -> Self {
        Self(either!(AnySurface, &surface.0, surface => mesh::VertexFilter::bodies(surface)))
    }

    /// Vertices of the same connected piece of a surface never touch.
    #[staticmethod]
    fn components(surface: &Surface) -> Self {
        Self(either!(AnySurface, &surface.0, surface => mesh::VertexFilter::components(surface)))
    }

    /// Vertices of the same patch never touch: one label for each vertex, shape (n,); a negative one for vertices that touch
    /// everything.
    #[staticmethod]
    fn patches(labels: &Bound<'_, PyAny>) -> PyResult<Self> {
        let labels = any_numbers("labels", labels)?;
        let label = |(entry, label): (usize, i64)| match u32::try_from(label) {
            Ok(label) => Ok(Some(label)),
            Err(_) if label < 0 => Ok(None),
            Err(_) => Err(at("labels", format!("entry {entry} is {label}, expected at most {}", u32::MAX))),
        };
        let labels: PyResult<_> = labels.into_iter().enumerate().map(label).collect();
        Ok(Self(mesh::VertexFilter::patches(labels?)))
    }

    /// These pairs of vertices never touch, shape (k, 2), in any order.
    #[staticmethod]
    fn excluding(pairs: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(mesh::VertexFilter::excluding(&indices("pairs", pairs)?)))
    }

    /// These vertices, of fixed obstacles, never touch each other, shape (k,).
    #[staticmethod]
    fn fixed(vertices: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(mesh::VertexFilter::fixed(&numbers("vertices", vertices)?)))
    }

    /// Vertices of a surface never touch if at most `rings` edges lead from one to the other.
    #[staticmethod]
    fn rings(surface: &Surface, rings: u32) -> Self {
        Self(either!(AnySurface, &surface.0, surface => mesh::VertexFilter::rings(surface, rings)))
    }

    fn __call__(&self, a: u32, b: u32) -> bool {
        self.0.allows(a, b)
    }

    fn __and__(&self, other: &Self) -> Self {
        Self(self.0.clone().and(other.0.clone()))
    }

    fn __or__(&self, other: &Self) -> Self {
        Self(self.0.clone().or(other.0.clone()))
    }

    fn __invert__(&self) -> Self {
        Self(self.0.clone().not())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        let restore = py.import("stiction._stiction")?.getattr("_restore_vertex_filter")?;
        Ok((restore, (filter_tree::of_vertices(py, &self.0)?,)))
    }
}

/// Which pairs of primitives may touch: give it to `Surface`. Combine with `&`, `|` and `~`; `allows` asks.
///
/// `Filter(vertices, every=False)`: those of which any pair of vertices may touch by a `VertexFilter`, or with `every` each pair.
#[pyclass(frozen, from_py_object, module = "stiction")]
#[derive(Clone)]
pub struct Filter(pub mesh::Filter);

#[pymethods]
impl Filter {
    #[new]
    #[pyo3(signature = (vertices, every=false))]
    fn new(vertices: VertexFilter, every: bool) -> Self {
        Self(if every { mesh::Filter::All(vertices.0) } else { mesh::Filter::Any(vertices.0) })
    }

    /// Bodies of a surface do not touch themselves.
    #[staticmethod]
    fn bodies(surface: &Surface) -> Self {
        Self(either!(AnySurface, &surface.0, surface => mesh::Filter::bodies(surface)))
    }

    /// Connected pieces of a surface do not touch themselves.
    #[staticmethod]
    fn components(surface: &Surface) -> Self {
        Self(either!(AnySurface, &surface.0, surface => mesh::Filter::components(surface)))
    }

    /// Primitives with all their vertices among these, of fixed obstacles, do not touch each other, shape (k,).
    #[staticmethod]
    fn fixed(vertices: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(mesh::Filter::fixed(&numbers("vertices", vertices)?)))
    }

    /// Primitives of a surface do not touch if at most `rings` edges lead from one to the other.
    #[staticmethod]
    fn rings(surface: &Surface, rings: u32) -> Self {
        Self(either!(AnySurface, &surface.0, surface => mesh::Filter::rings(surface, rings)))
    }

    /// Primitives do not touch if one of these pairs of vertices is between them, shape (k, 2), in any order.
    #[staticmethod]
    fn excluding(pairs: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(mesh::Filter::All(mesh::VertexFilter::excluding(&indices("pairs", pairs)?))))
    }

    /// Whether two primitives, given by their vertices, may touch.
    fn allows(&self, first: &Bound<'_, PyAny>, second: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.0.allows(&numbers("first", first)?, &numbers("second", second)?))
    }

    /// The surface with this rule instead of the one it had.
    fn applied_to(&self, surface: &Surface) -> PyResult<Surface> {
        Ok(Surface(match &surface.0 {
            AnySurface::Flat(surface) => AnySurface::Flat(with_filter(surface, self.0.clone())?),
            AnySurface::Solid(surface) => AnySurface::Solid(with_filter(surface, self.0.clone())?),
        }))
    }

    fn __and__(&self, other: &Self) -> Self {
        Self(self.0.clone().and(other.0.clone()))
    }

    fn __or__(&self, other: &Self) -> Self {
        Self(self.0.clone().or(other.0.clone()))
    }

    fn __invert__(&self) -> Self {
        Self(self.0.clone().not())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        let restore = py.import("stiction._stiction")?.getattr("_restore_filter")?;
        Ok((restore, (filter_tree::of_filter(py, &self.0)?,)))
    }
}

/// A filter as it was stored.
#[pyfunction]
#[pyo3(name = "_restore_filter")]
pub fn restore_filter(tree: &Bound<'_, PyAny>) -> PyResult<Filter> {
    filter_tree::read_filter(tree).map(Filter)
}

/// A filter of vertices as it was stored.
#[pyfunction]
#[pyo3(name = "_restore_vertex_filter")]
pub fn restore_vertex_filter(tree: &Bound<'_, PyAny>) -> PyResult<VertexFilter> {
    filter_tree::read_vertices(tree).map(VertexFilter)
}
