//! Pieces of elastic bodies.

pub mod simplex;

pub use simplex::Simplex;
