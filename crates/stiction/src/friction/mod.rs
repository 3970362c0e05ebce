//! Smoothed Coulomb friction whose normal force and plane are held fixed during a solve.

pub mod mollifier;
pub mod law;
pub mod peak;
pub mod static_kinetic;
pub mod stribeck;
pub mod kind;
pub mod anisotropy;
pub mod entry;
pub mod sides;
pub mod blend;
pub mod vertex_mu;
pub mod table;
pub mod axis;
pub mod grain;
pub mod coefficient;
pub mod slide;
pub mod effective;
pub mod lag;
pub mod potential;

pub use anisotropy::{Anisotropy, Axes};
pub use blend::Blend;
pub use coefficient::Coefficients;
pub use entry::Entry;
pub use grain::Grain;
pub use kind::FrictionKind;
pub use lag::lag;
pub use law::{FrictionLaw, Mu};
pub use peak::Peak;
pub use potential::{FrictionPotential, Motion};
pub use sides::Sides;
pub use slide::{Detail, Slide, Slides};
pub use static_kinetic::SmoothMu;
pub use stribeck::Stribeck;
pub use table::PairTable;
pub use vertex_mu::VertexMu;
