//! Surfaces: what can touch, what never does, and where a solid ends.

pub(crate) mod orientation;
pub mod adjacency;
pub mod areas;
pub mod boundary;
pub mod filter;
mod moving;
pub mod surface;

pub use adjacency::Adjacency;
pub use areas::Areas;
pub use filter::{Filter, VertexFilter};
pub use moving::MovingSurface;
pub use surface::{Mixed, Surface};
