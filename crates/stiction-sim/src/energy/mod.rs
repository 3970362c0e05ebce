//! The energies of a body, and their sum that a time step makes small.

pub mod inertia;
pub mod body_force;
pub mod elastic;
pub mod damping;
pub mod incremental;

pub use body_force::BodyForce;
pub use damping::{Damping, Rayleigh, Viscosity};
pub use elastic::Elastic;
pub use incremental::{Domain, Incremental, NamedPotential};
pub use inertia::Inertia;
