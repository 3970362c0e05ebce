//! Small fixed-size vectors and matrices, and symmetric eigen-solvers.

pub mod vector;
pub mod matrix;
pub mod span;
pub mod tridiagonal;
pub mod eigen;

pub use matrix::Matrix;
pub use vector::Vector;
