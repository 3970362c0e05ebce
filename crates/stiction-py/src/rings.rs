//! Surfaces whose neighbours do not touch.

use std::sync::Arc;

use pyo3::prelude::*;
use stiction::mesh::{self, Filter, VertexFilter};

use crate::error::at;
use crate::surface::{AnySurface, Surface};

/// The same surface, of which primitives do not touch if all their vertices are at most `rings` edges apart.
///
/// Primitives that share a vertex never touch anyway. With a minimum distance beyond the edge length, the next neighbours would always
/// be too close.
#[pyfunction]
pub fn exclude_rings(surface: &Surface, rings: u32) -> PyResult<Surface> {
    fn of<const D: usize>(surface: &mesh::Surface<D>, rings: u32) -> PyResult<Arc<mesh::Surface<D>>> {
        let filter = Filter::Any(VertexFilter::rings(surface, rings));
        let found = surface.clone().with_filter(filter).map_err(|error| at("rings", error))?;
        Ok(Arc::new(found))
    }
    Ok(Surface(match &surface.0 {
        AnySurface::Flat(surface) => AnySurface::Flat(of(surface, rings)?),
        AnySurface::Solid(surface) => AnySurface::Solid(of(surface, rings)?),
    }))
}
