//! Surfaces: what can touch, where a solid ends, and whether anything intersects.

pub mod surface;
pub mod boundary;
pub mod crossing;

pub use surface::Surface;
