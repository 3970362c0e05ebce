//! How far a surface may move, and whether it intersects itself.

use numpy::PyArray2;
use pyo3::prelude::*;
use stiction::broad_phase::BroadPhaseKind;
use stiction::ccd::{self, additive};
use stiction::contact::Obstacle;
use stiction::crossing::{self, CrossingPair};
use stiction::math::Vector;
use stiction::mesh;

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
        Ok(x.py().detach(|| safe_step(surface, &start, &move_by, &obstacles)))
    })
}

fn safe_step<const D: usize>(
    surface: &mesh::Surface<D>,
    x: &[Vector<D>],
    p: &[Vector<D>],
    obstacles: &[Obstacle<D>],
) -> f64 {
    let end: Vec<_> = x.iter().zip(p).map(|(&x, &p)| x + p).collect();
    let candidates = BroadPhaseKind::default().candidates(surface, x, &end, 0.0);
    let vertices = surface.vertices().iter().map(|&v| v as usize);
    vertices
        .flat_map(|v| obstacles.iter().map(move |o| o.largest_step(x[v], p[v], 1.0 - additive::RESCALING)))
        .fold(ccd::largest_step(surface, &candidates, x, p), f64::min)
}

/// Pairs of primitives that share a point though they share no vertex, ascending, decided exactly.
///
/// `surface`: what to check.
/// `x`: positions, shape (n, D), in m.
/// `kind`: which pairs: "ee" (two edges; in 3D two loose ones), "ef" (edge and face), or with loose vertices "vv", "ve",
/// "vf". By default "ee" in 2D and "ef" in 3D: without loose edges and vertices there are no others.
///
/// Returns shape (k, 2): vertices by their numbers, edges and faces by their places in surface.edges and surface.faces.
#[pyfunction]
#[pyo3(signature = (surface, x, kind=None))]
pub fn crossings<'py>(
    surface: &Surface,
    x: &Bound<'py, PyAny>,
    kind: Option<&str>,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let kind = kind.unwrap_or(match surface.0 {
        AnySurface::Flat(_) => "ee",
        AnySurface::Solid(_) => "ef",
    });
    if !["vv", "ve", "ee", "vf", "ef"].contains(&kind) {
        return Err(at("kind", format!("\"{kind}\" is none of \"vv\", \"ve\", \"ee\", \"vf\", \"ef\"")));
    }
    let found = either!(AnySurface, &surface.0, surface => {
        let found = found(surface, x)?;
        found.into_iter().map(|crossing| crossing.pair).collect::<Vec<_>>()
    });
    let pairs = found.into_iter().filter(|pair| kind_of(*pair) == kind);
    let numbers: Vec<u32> = pairs.flat_map(CrossingPair::numbers).collect();
    Ok(from_rows(x.py(), &numbers, 2))
}

/// What crosses at x, of every kind, in words for people: the primitives, their bodies, the place.
///
/// `surface`: what to check.
/// `x`: positions, shape (n, D), in m.
#[pyfunction]
pub fn describe_crossings(surface: &Surface, x: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    either!(AnySurface, &surface.0, surface => {
        Ok(found(surface, x)?.iter().map(ToString::to_string).collect())
    })
}

/// Whether anything crosses at x, of any kind; sooner known than all that does.
///
/// `surface`: what to check.
/// `x`: positions, shape (n, D), in m.
#[pyfunction]
pub fn has_crossings(surface: &Surface, x: &Bound<'_, PyAny>) -> PyResult<bool> {
    either!(AnySurface, &surface.0, surface => {
        let positions = vertex_field(surface, "x", x)?;
        x.py().detach(|| crossing::has_crossings(surface, &positions)).map_err(|error| at("x", error))
    })
}

fn found<const D: usize>(
    surface: &mesh::Surface<D>,
    x: &Bound<'_, PyAny>,
) -> PyResult<Vec<crossing::Crossing<D>>> {
    let positions = vertex_field(surface, "x", x)?;
    x.py().detach(|| crossing::crossings(surface, &positions)).map_err(|error| at("x", error))
}

fn kind_of(pair: CrossingPair) -> &'static str {
    match pair {
        CrossingPair::VertexVertex(..) => "vv",
        CrossingPair::VertexEdge(..) => "ve",
        CrossingPair::EdgeEdge(..) => "ee",
        CrossingPair::VertexFace(..) => "vf",
        _ => "ef",
    }
}
