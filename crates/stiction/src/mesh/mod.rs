//! Surfaces: what can touch, what never does, and where a solid ends.

pub mod filter;
pub mod surface;
pub mod boundary;

pub use filter::Filter;
pub use surface::Surface;
