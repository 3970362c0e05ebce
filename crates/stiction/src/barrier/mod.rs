//! The normal force: an energy that grows without bound as two primitives approach each other.

pub mod clamped_log;
pub mod potential;
pub mod stiffness;

pub use clamped_log::ClampedLog;
pub use potential::BarrierPotential;
