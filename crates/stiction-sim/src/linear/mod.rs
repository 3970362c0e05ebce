//! Solvers of linear systems.

mod order;
pub mod cholesky;
pub mod conjugate_gradients;
pub mod solver;

pub use cholesky::Cholesky;
pub use conjugate_gradients::ConjugateGradients;
pub use solver::{DirectSolver, LinearKind, LinearSolver, Solved};
