//! How a material answers to deformation.

pub mod lame;
pub mod svd;
pub mod neo_hookean;

pub use lame::Lame;
