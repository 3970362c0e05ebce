//! Runs to look at: rendered pictures, animations, files for other programs, and a page that plays in a browser.
//!
//! Everything here is made from a [`Film`](film::Film): meshes whose vertices move from frame to frame, with fields on them. This crate knows
//! nothing of mechanics, and nothing of how a film came to be.
//!
//! The order of the modules below is the order of the layers: a module uses only those above it.

pub mod error;
pub mod film;
pub mod progress;
mod draft;
pub mod table;
mod thrift;
pub mod parquet;
pub mod sequence;
pub mod gltf;
pub mod page;

