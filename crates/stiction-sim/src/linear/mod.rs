//! Solvers of linear systems.

mod graph;
mod elimination;
mod order;
mod assembly_tree;
mod task;
mod dense;
mod multifrontal;
pub mod sequential;
pub mod cholesky;
pub mod conjugate_gradients;
pub mod solver;

pub use cholesky::Cholesky;
pub use conjugate_gradients::ConjugateGradients;
pub use sequential::Sequential;
pub use solver::{DirectSolver, LinearKind, LinearSolver, Solved};
