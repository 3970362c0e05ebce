//! Surfaces of either dimension.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use stiction::math::Vector;
use stiction::mesh::{self, Areas};

use crate::array::{Table, from_rows, from_vectors, indices, numbers, reals, vectors};
use crate::error::at;
use crate::filter_tree;
use crate::shared_surface::SharedSurface;

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
    Flat(Arc<SharedSurface<2>>),
    /// In 3D.
    Solid(Arc<SharedSurface<3>>),
}

/// The edges (2D) or faces (3D) that can touch each other.
///
/// `vertices`: positions at rest, shape (n, D), D = 2 or 3, in m. Further vertices that no edge or face uses are
/// allowed; they take no part in contact.
/// `edges`: pairs of vertex numbers, shape (m, 2). The edges of the faces are added by themselves.
/// `faces`: triples of vertex numbers, shape (k, 3); none in 2D.
/// `loose_vertices`: numbers of vertices that take part by themselves: particles, which touch edges, faces and, as in ipctk, each other.
/// For particles that pass through each other give `filter=Filter(VertexFilter.patches(labels))` with one label for all of them and others
/// for the rest; list no nodes inside solids here. Those that an edge uses count once.
/// `bodies`: a label for each vertex, shape (n,); by default connected pieces are bodies.
/// `filter`: a `Filter` that says what never touches.
/// `numbered_edges`: whether edges keep their places and directions; then `edges` must have those of the faces, too.
///
/// Raises `ValueError` if a position is not finite, an index is out of range, a primitive names a vertex twice, an edge
/// has no length or a face no area, or a face occurs twice.
#[pyclass(frozen, module = "stiction")]
#[derive(Clone)]
pub struct Surface(pub AnySurface);

#[pymethods]
impl Surface {
    #[new]
    #[pyo3(signature = (
        vertices, edges, faces=None, loose_vertices=None, bodies=None, *, filter=None, numbered_edges=false
    ))]
    fn new(
        vertices: &Bound<'_, PyAny>,
        edges: &Bound<'_, PyAny>,
        faces: Option<&Bound<'_, PyAny>>,
        loose_vertices: Option<&Bound<'_, PyAny>>,
        bodies: Option<&Bound<'_, PyAny>>,
        filter: Option<&Bound<'_, PyAny>>,
        numbered_edges: bool,
    ) -> PyResult<Self> {
        let rest = Table::read("vertices", vertices)?;
        let parts = Parts {
            edges: indices("edges", edges)?,
            faces: faces.map_or(Ok(Vec::new()), |faces| indices("faces", faces))?,
            loose: loose_vertices.map_or(Ok(Vec::new()), |loose| numbers("loose_vertices", loose))?,
            bodies: bodies.map(|bodies| numbers("bodies", bodies)).transpose()?,
            numbered_edges,
        };
        let surface = Self(match rest.columns() {
            2 => AnySurface::Flat(build(&rest, parts)?),
            3 => AnySurface::Solid(build(&rest, parts)?),
            columns => return Err(at("vertices", format!("has {columns} columns, expected 2 or 3"))),
        });
        filter.map_or(Ok(surface.clone()), |filter| surface.filtered(filter))
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

    /// All edges, each once, shape (m, 2): with the smaller vertex first, ascending, unless they were numbered by whoever gave them.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        either!(AnySurface, &self.0, surface => from_rows(py, surface.edges().as_flattened(), 2))
    }

    /// The faces, shape (k, 3).
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        either!(AnySurface, &self.0, surface => from_rows(py, surface.faces().as_flattened(), 3))
    }

    /// For each face, the places of its edges in surface.edges, shape (k, 3): from its first vertex to its second, from
    /// there to the third, and back.
    #[getter]
    fn faces_to_edges<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        either!(AnySurface, &self.0, surface => from_rows(py, surface.faces_to_edges().as_flattened(), 3))
    }

    /// The vertices of no edge that take part: particles.
    #[getter]
    fn loose_vertices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        either!(AnySurface, &self.0, surface => PyArray1::from_slice(py, surface.loose_vertices()))
    }

    /// The places in surface.edges of edges of no face: rods. None in 2D, where edges are the boundary.
    #[getter]
    fn loose_edges<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        either!(AnySurface, &self.0, surface => PyArray1::from_slice(py, surface.loose_edges()))
    }

    /// How much of the surface at rest each vertex stands for, shape (n,): a third of its faces in m², without faces
    /// half of its edges in m, without edges 1; 0 for vertices that take no part.
    #[getter]
    fn vertex_areas<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        either!(AnySurface, &self.0, surface => PyArray1::from_slice(py, &surface.areas().vertices))
    }

    /// How much of the surface at rest each edge stands for, shape (m,): a third of its faces in m², without faces its
    /// length in m.
    #[getter]
    fn edge_areas<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        either!(AnySurface, &self.0, surface => PyArray1::from_slice(py, &surface.areas().edges))
    }

    /// Whether the surface ends at a vertex, shape (n,): in 3D if one of its edges has fewer than two faces, in 2D if
    /// it has one edge; true for loose vertices.
    #[getter]
    fn boundary_vertices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        either!(AnySurface, &self.0, surface => {
            let flags = (0..surface.rest().len() as u32).map(|v| surface.is_boundary_vertex(v));
            PyArray1::from_iter(py, flags)
        })
    }

    /// Whether the surface ends at an edge, shape (m,): in 3D if it has fewer than two faces; never in 2D.
    #[getter]
    fn boundary_edges<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        either!(AnySurface, &self.0, surface => {
            let flags = (0..surface.edges().len() as u32).map(|e| surface.is_boundary_edge(e));
            PyArray1::from_iter(py, flags)
        })
    }

    /// The body of each vertex, shape (n,); -1 for vertices that take no part.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        either!(AnySurface, &self.0, surface => {
            let bodies = (0..surface.rest().len() as u32).map(|v| surface.body(v).map_or(-1, i64::from));
            PyArray1::from_iter(py, bodies)
        })
    }

    /// The same surface with a `Filter` that says what never touches, or without one.
    #[pyo3(signature = (filter=None))]
    fn with_filter(&self, filter: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let none = || match &self.0 {
            AnySurface::Flat(surface) => {
                AnySurface::Flat(SharedSurface::new((***surface).clone().without_filter()))
            }
            AnySurface::Solid(surface) => {
                AnySurface::Solid(SharedSurface::new((***surface).clone().without_filter()))
            }
        };
        filter.map_or_else(|| Ok(Self(none())), |filter| self.filtered(filter))
    }

    /// The same surface with other areas, for example of curved elements: shapes (n,) and (m,). They count as constant.
    fn with_areas(&self, vertices: &Bound<'_, PyAny>, edges: &Bound<'_, PyAny>) -> PyResult<Self> {
        let areas = Areas { vertices: reals("vertices", vertices)?, edges: reals("edges", edges)? };
        let wrong = |error| at("areas", error);
        Ok(Self(match &self.0 {
            AnySurface::Flat(surface) => {
                AnySurface::Flat(SharedSurface::new((***surface).clone().with_areas(areas).map_err(wrong)?))
            }
            AnySurface::Solid(surface) => {
                AnySurface::Solid(SharedSurface::new((***surface).clone().with_areas(areas).map_err(wrong)?))
            }
        }))
    }

    /// The derivative of the area of a vertex by the positions at rest: the vertices, shape (k,), and the gradient by each,
    /// shape (k, D).
    fn vertex_area_gradient<'py>(&self, py: Python<'py>, vertex: u32) -> PyResult<AreaGradient<'py>> {
        either!(AnySurface, &self.0, surface => {
            known("vertex", vertex, surface.rest().len())?;
            Ok(area_gradient(py, &surface.vertex_area_gradient(vertex)))
        })
    }

    /// The same for an edge.
    fn edge_area_gradient<'py>(&self, py: Python<'py>, edge: u32) -> PyResult<AreaGradient<'py>> {
        either!(AnySurface, &self.0, surface => {
            known("edge", edge, surface.edges().len())?;
            Ok(area_gradient(py, &surface.edge_area_gradient(edge)))
        })
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

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (bodies, filter, areas) = either!(AnySurface, &self.0, surface => (
            surface.bodies().map(|bodies| PyArray1::from_slice(py, bodies)),
            surface.filter().map(|filter| filter_tree::of_filter(py, filter)).transpose()?,
            surface.has_given_areas().then(|| (self.vertex_areas(py), self.edge_areas(py))),
        ));
        let parts = (self.rest(py), self.edges(py), self.faces(py), self.loose_vertices(py), bodies);
        let restore = py.import("stiction._stiction")?.getattr("_restore_surface")?;
        Ok((restore, (parts, filter, areas).into_pyobject(py)?))
    }
}

/// A surface as it was stored.
#[pyfunction]
#[pyo3(name = "_restore_surface")]
pub fn restore_surface(
    parts: &Bound<'_, PyTuple>,
    filter: Option<&Bound<'_, PyAny>>,
    areas: Option<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
) -> PyResult<Surface> {
    let py = parts.py();
    let named = PyDict::new(py);
    // Edges are stored as they are numbered, with those of the faces.
    named.set_item("numbered_edges", true)?;
    let surface = py.get_type::<Surface>().call(parts, Some(&named))?;
    let mut surface = surface.cast::<Surface>()?.get().clone();
    if let Some((vertices, edges)) = areas {
        surface = surface.with_areas(&vertices, &edges)?;
    }
    let Some(filter) = filter else { return Ok(surface) };
    let filter = filter_tree::read_filter(filter)?;
    Ok(Surface(match &surface.0 {
        AnySurface::Flat(surface) => AnySurface::Flat(with_filter(surface, filter)?),
        AnySurface::Solid(surface) => AnySurface::Solid(with_filter(surface, filter)?),
    }))
}

/// The surface with this rule instead of the one it had.
pub fn with_filter<const D: usize>(
    surface: &mesh::Surface<D>,
    filter: mesh::Filter,
) -> PyResult<Arc<SharedSurface<D>>> {
    surface.clone().with_filter(filter).map(SharedSurface::new).map_err(|error| at("filter", error))
}

impl Surface {
    /// The same surface with a filter, which knows surfaces: not the other way round.
    fn filtered(&self, filter: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(apply) = filter.getattr("applied_to") else {
            return Err(at("filter", format!("is of type {}, expected a Filter", filter.get_type())));
        };
        let surface = apply.call1((self.clone(),))?;
        Ok(surface.cast::<Self>()?.get().clone())
    }
}

/// Refuses a number that nothing has.
fn known(name: &str, number: u32, count: usize) -> PyResult<()> {
    if (number as usize) < count {
        return Ok(());
    }
    Err(at(name, format!("is {number}, there are {count}")))
}

/// Vertices and the gradient by each.
type AreaGradient<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray2<f64>>);

fn area_gradient<'py, const D: usize>(
    py: Python<'py>,
    gradient: &mesh::areas::AreaGradient<D>,
) -> AreaGradient<'py> {
    let vertices = PyArray1::from_iter(py, gradient.iter().map(|(vertex, _)| *vertex));
    let by_each: Vec<_> = gradient.iter().map(|(_, by)| *by).collect();
    (vertices, from_vectors(py, &by_each))
}

/// What a surface is made of, besides its vertices.
struct Parts {
    edges: Vec<[u32; 2]>,
    faces: Vec<[u32; 3]>,
    loose: Vec<u32>,
    bodies: Option<Vec<u32>>,
    numbered_edges: bool,
}

fn build<const D: usize>(rest: &Table, parts: Parts) -> PyResult<Arc<SharedSurface<D>>> {
    let rest = rest.vectors("vertices")?;
    let surface = if parts.numbered_edges {
        mesh::Surface::with_numbered_edges(rest, parts.edges, parts.faces)
    } else {
        mesh::Surface::new(rest, parts.edges, parts.faces)
    };
    let surface = surface.map_err(|error| at("Surface", error))?;
    let surface = surface.with_loose_vertices(parts.loose).map_err(|error| at("loose_vertices", error))?;
    let surface = match parts.bodies {
        Some(bodies) => surface.with_bodies(bodies).map_err(|error| at("bodies", error))?,
        None => surface,
    };
    Ok(SharedSurface::new(surface))
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
