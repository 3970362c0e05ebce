//! Offset geometric contact: steps that are bounded vertex by vertex. \[Chen2025\]

pub mod trust_region;

pub use trust_region::TrustRegion;
