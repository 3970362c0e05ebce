//! Solvers of linear systems.

pub mod cholesky;

pub use cholesky::Cholesky;
