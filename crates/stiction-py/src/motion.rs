//! How far a surface may move, and whether it intersects itself.

use numpy::PyArray2;
use pyo3::prelude::*;
use stiction::broad_phase::BroadPhaseKind;
use stiction::ccd::Ccd;
use stiction::crossing::{self, CrossingPair};
use stiction::error::Result;
use stiction::mesh;

use crate::array::from_rows;
use crate::crowd;
use crate::error::at;
use crate::shared_surface::SharedSurface;
use crate::surface::{AnySurface, Surface, either, vertex_field};
use crate::way::{Near, Way};

/// The largest fraction of the motion x + t p, at most 1, during which nothing touches.
///
/// A tenth of the smallest distance is kept. 0 where something touches or is too close from the start. Raises `ValueError` with the place
/// if surfaces intersect at the start: distances between vertices, edges and faces do not tell that.
///
/// The exact check for intersections is made once, not for starts that are on the part of the last motion that was free.
///
/// `surface`: what moves.
/// `x`: positions at the start, shape (n, D), in m.
/// `p`: displacements, shape (n, D), in m.
/// `obstacles`: as for Contacts.
/// `method`: `"additive"` or `"tight_inclusion"`; both may stop early, never late.
/// `min_distance`: no pair may come closer than this, in m.
#[pyfunction]
#[pyo3(signature = (surface, x, p, obstacles=None, *, method="additive", min_distance=0.0))]
pub fn largest_step(
    surface: &Surface,
    x: &Bound<'_, PyAny>,
    p: &Bound<'_, PyAny>,
    obstacles: Option<&Bound<'_, PyAny>>,
    method: &str,
    min_distance: f64,
) -> PyResult<f64> {
    let ccd = read_ccd(method, min_distance)?;
    either!(AnySurface, &surface.0, surface => {
        let way = read_way(surface, x, p, obstacles)?;
        crowd::check(surface, &way.start, &way.end, 0.5 * min_distance)?;
        let found = x.py().detach(|| proven_step(&way, &ccd)).map_err(|error| at("x + p", error))?;
        found.map_err(|crossing| at("x", format!("intersects itself at the start: {crossing}")))
    })
}

/// Whether nothing comes closer than `min_distance` during the whole motion x + t p.
///
/// True is proven, from a start at which nothing intersects; False may also mean that it is too close to tell. Arguments as for
/// `largest_step`.
#[pyfunction]
#[pyo3(signature = (surface, x, p, obstacles=None, *, method="additive", min_distance=0.0))]
pub fn is_free(
    surface: &Surface,
    x: &Bound<'_, PyAny>,
    p: &Bound<'_, PyAny>,
    obstacles: Option<&Bound<'_, PyAny>>,
    method: &str,
    min_distance: f64,
) -> PyResult<bool> {
    let ccd = read_ccd(method, min_distance)?;
    either!(AnySurface, &surface.0, surface => {
        let way = read_way(surface, x, p, obstacles)?;
        x.py().detach(|| is_proven_free(&way, &ccd)).map_err(|error| at("x + p", error))
    })
}

fn read_ccd(method: &str, min_distance: f64) -> PyResult<Ccd> {
    let kind = method.parse().map_err(|error| at("method", error))?;
    Ccd::new(kind).with_min_distance(min_distance).map_err(|error| at("min_distance", error))
}

/// The way from x to x + p.
fn read_way<'a, const D: usize>(
    surface: &'a SharedSurface<D>,
    x: &Bound<'_, PyAny>,
    p: &Bound<'_, PyAny>,
    obstacles: Option<&Bound<'_, PyAny>>,
) -> PyResult<Way<'a, D>> {
    let (start, mut end) = (vertex_field(surface, "x", x)?, vertex_field(surface, "p", p)?);
    for (end, start) in end.iter_mut().zip(&start) {
        *end += *start;
    }
    Way::new(surface, start, end, obstacles)
}

/// The step, or what intersects at the start.
fn proven_step<const D: usize>(way: &Way<'_, D>, ccd: &Ccd) -> Result<std::result::Result<f64, String>> {
    // A sum of finite numbers may not be one.
    way.surface.check_positions(&way.end)?;
    let step = way.largest_step(ccd, &Near::By(BroadPhaseKind::default()))?;
    // Nowhere to go needs no proof.
    if step == 0.0 {
        return Ok(Ok(0.0));
    }
    Ok(way.surface.crossing_at_start(&way.start, &way.end, step)?.map_or(Ok(step), Err))
}

fn is_proven_free<const D: usize>(way: &Way<'_, D>, ccd: &Ccd) -> Result<bool> {
    let free = way.is_free(ccd, &Near::By(BroadPhaseKind::default()))?;
    Ok(free && way.surface.crossing_at_start(&way.start, &way.end, 1.0)?.is_none())
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
