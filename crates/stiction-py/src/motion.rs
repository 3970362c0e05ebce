//! How far a surface may move, and whether it intersects itself.

use numpy::PyArray2;
use pyo3::prelude::*;
use stiction::broad_phase::{BroadPhaseKind, Candidates};
use stiction::ccd::Ccd;
use stiction::crossing;
use stiction::error::Result;
use stiction::math::Vector;
use stiction::mesh;
use stiction::obstacle::Obstacle;

use crate::array::from_rows;
use crate::contacts::read_planes;
use crate::error::at;
use crate::surface::{AnySurface, Surface, either, vertex_field};

/// The largest fraction of the motion x + t p, at most 1, during which nothing touches.
///
/// A tenth of the smallest distance is kept. 0 where something is too close from the start.
///
/// `surface`: what moves.
/// `x`: positions at the start, shape (n, D), in m.
/// `p`: displacements, shape (n, D), in m.
/// `planes`: pairs (point, normal); free space is where the normal points to.
/// `method`: 'additive' or 'tight_inclusion'; both may stop early, never late.
/// `min_distance`: no pair may come closer than this, in m.
#[pyfunction]
#[pyo3(signature = (surface, x, p, planes=None, *, method="additive", min_distance=0.0))]
pub fn largest_step(
    surface: &Surface,
    x: &Bound<'_, PyAny>,
    p: &Bound<'_, PyAny>,
    planes: Option<&Bound<'_, PyAny>>,
    method: &str,
    min_distance: f64,
) -> PyResult<f64> {
    let ccd = read_ccd(method, min_distance)?;
    either!(AnySurface, &surface.0, surface => {
        let path = Path::read(surface, x, p, planes)?;
        x.py().detach(|| path.largest_step(&ccd)).map_err(|error| at("x", error))
    })
}

/// Whether nothing comes closer than `min_distance` during the whole motion x + t p.
///
/// True is proven; False may also mean that it is too close to tell. Arguments as for `largest_step`.
#[pyfunction]
#[pyo3(signature = (surface, x, p, planes=None, *, method="additive", min_distance=0.0))]
pub fn is_free(
    surface: &Surface,
    x: &Bound<'_, PyAny>,
    p: &Bound<'_, PyAny>,
    planes: Option<&Bound<'_, PyAny>>,
    method: &str,
    min_distance: f64,
) -> PyResult<bool> {
    let ccd = read_ccd(method, min_distance)?;
    either!(AnySurface, &surface.0, surface => {
        let path = Path::read(surface, x, p, planes)?;
        x.py().detach(|| path.is_free(&ccd)).map_err(|error| at("x", error))
    })
}

fn read_ccd(method: &str, min_distance: f64) -> PyResult<Ccd> {
    let kind = method.parse().map_err(|error| at("method", error))?;
    Ccd::new(kind).with_min_distance(min_distance).map_err(|error| at("min_distance", error))
}

/// A surface on its way, with the planes that it must not enter.
struct Path<'a, const D: usize> {
    surface: &'a mesh::Surface<D>,
    start: Vec<Vector<D>>,
    end: Vec<Vector<D>>,
    obstacles: Vec<Obstacle<D>>,
}

impl<'a, const D: usize> Path<'a, D> {
    fn read(
        surface: &'a mesh::Surface<D>,
        x: &Bound<'_, PyAny>,
        p: &Bound<'_, PyAny>,
        planes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (start, mut end) = (vertex_field(surface, "x", x)?, vertex_field(surface, "p", p)?);
        for (end, start) in end.iter_mut().zip(&start) {
            *end += *start;
        }
        Ok(Self { surface, start, end, obstacles: read_planes(planes)? })
    }

    fn candidates(&self, ccd: &Ccd) -> Candidates {
        let inflation = 0.5 * ccd.min_distance();
        BroadPhaseKind::default().candidates(self.surface, &self.start, &self.end, inflation)
    }

    fn largest_step(&self, ccd: &Ccd) -> Result<f64> {
        let mut step = ccd.largest_step(self.surface, &self.candidates(ccd), &self.start, &self.end)?;
        for obstacle in &self.obstacles {
            let fixed = (obstacle, Vector::ZERO);
            step = step.min(ccd.obstacle_step(fixed, self.surface, &self.start, &self.end)?);
        }
        Ok(step)
    }

    fn is_free(&self, ccd: &Ccd) -> Result<bool> {
        let mut free = ccd.is_free(self.surface, &self.candidates(ccd), &self.start, &self.end)?;
        for obstacle in &self.obstacles {
            let fixed = (obstacle, Vector::ZERO);
            free = free && ccd.is_free_of_obstacle(fixed, self.surface, &self.start, &self.end)?;
        }
        Ok(free)
    }
}

/// All pairs of primitives that share a point though they share no vertex, ascending, decided exactly.
///
/// `surface`: what to check; rows name its edges and faces by their numbers in surface.edges and surface.faces.
/// `x`: positions, shape (n, D), in m.
///
/// Returns shape (k, 2): edge and edge in 2D, edge and face in 3D.
#[pyfunction]
pub fn crossings<'py>(surface: &Surface, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let pairs = either!(AnySurface, &surface.0, surface => {
        let positions = vertex_field(surface, "x", x)?;
        x.py().detach(|| crossing::crossings(surface, &positions))
    });
    let numbers: Vec<u32> = pairs
        .into_iter()
        .flat_map(|pair| match pair {
            crossing::Crossing::EdgeEdge(a, b) | crossing::Crossing::EdgeFace(a, b) => [a, b],
        })
        .collect();
    Ok(from_rows(x.py(), &numbers, 2))
}
