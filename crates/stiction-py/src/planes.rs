//! Planes that nothing enters.

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

fn read_plane<const D: usize>(name: &str, entry: &Bound<'_, PyAny>) -> PyResult<Obstacle<D>> {
    let pair: Vec<_> = entry.try_iter().and_then(Iterator::collect).unwrap_or_default();
    let [point, normal] = pair.as_slice() else {
        return Err(at(name, "expected a pair (point, normal)"));
    };
    let (point, normal) = (vector(name, point)?, vector(name, normal)?);
    Plane::new(point, normal).map(Obstacle::Plane).map_err(|error| at(name, error))
}
