//! Offset geometric contact: every point around a surface belongs to one vertex, edge or face, and steps are bounded vertex by
//! vertex. \[Chen2025\]

pub mod feasible;
pub mod trust_region;

pub use trust_region::{TrustRegion, shorten_to_balls};
