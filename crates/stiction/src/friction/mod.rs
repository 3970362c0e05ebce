//! Smoothed Coulomb friction whose normal force and plane are held fixed during a solve.

pub mod mollifier;
pub mod slide;
pub mod lag;
pub mod potential;

pub use lag::lag;
pub use potential::{FrictionPotential, Motion};
pub use slide::{Slide, Slides};
