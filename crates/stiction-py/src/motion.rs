//! How far a surface may move, and whether it intersects itself.

use numpy::PyArray2;
use pyo3::prelude::*;
use stiction::broad_phase::{BroadPhaseKind, Candidates};
use stiction::ccd::Ccd;
use stiction::crossing::{self, CrossingPair};
use stiction::error::Result;
use stiction::math::Vector;
use stiction::mesh;
use stiction::obstacle::Obstacle;

use crate::array::from_rows;
use crate::crowd;
use crate::error::at;
use crate::obstacles::Obstacles;
use crate::shared_surface::SharedSurface;
use crate::surface::{AnySurface, Surface, either, vertex_field};

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
        let path = Passage::read(surface, x, p, obstacles)?;
        crowd::check(surface, &path.start, &path.end, 0.5 * min_distance)?;
        let found = x.py().detach(|| path.largest_step(&ccd)).map_err(|error| at("x + p", error))?;
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
        let path = Passage::read(surface, x, p, obstacles)?;
        x.py().detach(|| path.is_free(&ccd)).map_err(|error| at("x + p", error))
    })
}

fn read_ccd(method: &str, min_distance: f64) -> PyResult<Ccd> {
    let kind = method.parse().map_err(|error| at("method", error))?;
    Ccd::new(kind).with_min_distance(min_distance).map_err(|error| at("min_distance", error))
}

/// The way of a surface past obstacles that it must not enter.
struct Passage<'a, const D: usize> {
    surface: &'a SharedSurface<D>,
    start: Vec<Vector<D>>,
    end: Vec<Vector<D>>,
    obstacles: Vec<Obstacle<D>>,
}

impl<'a, const D: usize> Passage<'a, D> {
    fn read(
        surface: &'a SharedSurface<D>,
        x: &Bound<'_, PyAny>,
        p: &Bound<'_, PyAny>,
        obstacles: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (start, mut end) = (vertex_field(surface, "x", x)?, vertex_field(surface, "p", p)?);
        for (end, start) in end.iter_mut().zip(&start) {
            *end += *start;
        }
        Ok(Self { surface, start, end, obstacles: Obstacles::read(obstacles)?.solids })
    }

    /// The same without obstacles.
    fn moving(&self) -> mesh::MovingSurface<'_, D> {
        mesh::MovingSurface::new(self.surface, &self.start, &self.end)
    }

    fn candidates(&self, ccd: &Ccd) -> Result<Candidates> {
        let inflation = 0.5 * ccd.min_distance();
        // A sum of finite numbers may not be one.
        self.surface.check_positions(&self.end)?;
        Ok(self.surface.candidates(BroadPhaseKind::default(), &self.start, &self.end, inflation))
    }

    /// The step, or what intersects at the start.
    fn largest_step(&self, ccd: &Ccd) -> Result<std::result::Result<f64, String>> {
        let mut step = ccd.largest_step(self.surface, &self.candidates(ccd)?, &self.start, &self.end)?;
        for obstacle in &self.obstacles {
            step = step.min(ccd.obstacle_step(obstacle, Vector::ZERO, &self.moving())?);
        }
        // Nowhere to go needs no proof.
        if step == 0.0 {
            return Ok(Ok(0.0));
        }
        Ok(self.surface.crossing_at_start(&self.start, &self.end, step)?.map_or(Ok(step), Err))
    }

    fn is_free(&self, ccd: &Ccd) -> Result<bool> {
        let broad_phase = BroadPhaseKind::default();
        let mut free = ccd.is_motion_free(self.surface, &self.start, &self.end, broad_phase)?;
        for obstacle in &self.obstacles {
            free = free && ccd.is_free_of_obstacle(obstacle, Vector::ZERO, &self.moving())?;
        }
        Ok(free && self.surface.crossing_at_start(&self.start, &self.end, 1.0)?.is_none())
    }
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
