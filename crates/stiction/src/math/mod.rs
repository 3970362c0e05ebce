//! Small fixed-size vectors and matrices, and a symmetric eigen-solver.

pub mod vector;
pub mod matrix;
pub mod span;
pub mod eigen;

pub use matrix::Matrix;
pub use vector::Vector;
