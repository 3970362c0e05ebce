//! How far a surface may move, and whether it intersects itself.

use numpy::PyArray2;
use pyo3::prelude::*;
use stiction::broad_phase::BroadPhaseKind;
use stiction::ccd::Ccd;
use stiction::crossing;
use stiction::error;
use stiction::math::Vector;
use stiction::mesh;
use stiction::obstacle::Obstacle;

use crate::array::from_rows;
use crate::contacts::read_planes;
use crate::error::at;
use crate::surface::{AnySurface, Surface, either, vertex_field};

/// The largest fraction of the motion x + t p, at most 1, during which nothing touches.
///
/// A part of every distance is kept. 0 where something touches already.
///
/// `surface`: what moves.
/// `x`: positions at the start, shape (n, D), in m.
/// `p`: displacements, shape (n, D), in m.
/// `planes`: pairs (point, normal); free space is where the normal points to.
#[pyfunction]
#[pyo3(signature = (surface, x, p, planes=None))]
pub fn largest_step(
    surface: &Surface,
    x: &Bound<'_, PyAny>,
    p: &Bound<'_, PyAny>,
    planes: Option<&Bound<'_, PyAny>>,
) -> PyResult<f64> {
    either!(AnySurface, &surface.0, surface => {
        let (start, move_by) = (vertex_field(surface, "x", x)?, vertex_field(surface, "p", p)?);
        let obstacles = read_planes(planes)?;
        x.py().detach(|| safe_step(surface, &start, &move_by, &obstacles)).map_err(|error| at("x", error))
    })
}

fn safe_step<const D: usize>(
    surface: &mesh::Surface<D>,
    x: &[Vector<D>],
    p: &[Vector<D>],
    obstacles: &[Obstacle<D>],
) -> error::Result<f64> {
    let end: Vec<_> = x.iter().zip(p).map(|(&x, &p)| x + p).collect();
    let candidates = BroadPhaseKind::default().candidates(surface, x, &end, 0.0);
    let ccd = Ccd::default();
    let mut step = ccd.largest_step(surface, &candidates, x, &end)?;
    for obstacle in obstacles {
        step = step.min(ccd.obstacle_step((obstacle, Vector::ZERO), surface, x, &end)?);
    }
    Ok(step)
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
