//! Solvers of linear systems.

mod graph;
mod elimination;
mod order;
mod assembly_tree;
mod task;
mod dense;
mod pool;
mod multifrontal;
mod fronts;
pub mod system;
mod clusters;
mod rows;
mod small_factor;
mod coarse;
mod two_level;
#[cfg(test)]
mod samples;
pub mod sequential;
pub mod cholesky;
pub mod conjugate_gradients;
pub mod solver;

pub use cholesky::Cholesky;
pub use conjugate_gradients::ConjugateGradients;
pub use sequential::Sequential;
pub use solver::{DirectSolver, LinearKind, LinearSolver, Solved};
pub use system::{Precision, System};
