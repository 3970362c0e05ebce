//! Planes that nothing enters.

use numpy::PyArray1;
use pyo3::prelude::*;
use stiction::obstacle::{Obstacle, Plane};

use crate::array::vector;
use crate::error::at;

/// The planes from a sequence of pairs (point, normal).
pub fn read_planes<const D: usize>(planes: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Obstacle<D>>> {
    let Some(planes) = planes else { return Ok(Vec::new()) };
    let entries =
        planes.try_iter().map_err(|_| at("planes", "expected a sequence of pairs (point, normal)"))?;
    entries.enumerate().map(|(index, entry)| read_plane(&format!("planes[{index}]"), &entry?)).collect()
}

/// The planes as pairs (point, normal).
pub fn plane_list<'py, const D: usize>(py: Python<'py>, obstacles: &[Obstacle<D>]) -> PlaneList<'py> {
    let pair = |obstacle: &Obstacle<D>| match obstacle {
        Obstacle::Plane(plane) => Some((plane.point().0.to_vec(), plane.normal().0.to_vec())),
        _ => None,
    };
    let array = |values: Vec<f64>| PyArray1::from_vec(py, values);
    obstacles.iter().filter_map(pair).map(|(point, normal)| (array(point), array(normal))).collect()
}

/// Pairs (point, normal).
pub type PlaneList<'py> = Vec<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)>;

fn read_plane<const D: usize>(name: &str, entry: &Bound<'_, PyAny>) -> PyResult<Obstacle<D>> {
    let pair: Vec<_> = entry.try_iter().and_then(Iterator::collect).unwrap_or_default();
    let [point, normal] = pair.as_slice() else {
        return Err(at(name, "expected a pair (point, normal)"));
    };
    let (point, normal) = (vector(name, point)?, vector(name, normal)?);
    Plane::new(point, normal).map(Obstacle::Plane).map_err(|error| at(name, error))
}
