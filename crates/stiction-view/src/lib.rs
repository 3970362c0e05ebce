//! Runs to look at: rendered pictures, animations, files for other programs, and a page that plays in a browser.
//!
//! Everything here is made from a [`Film`](film::Film): meshes whose vertices move from frame to frame, with fields on them. This crate knows
//! nothing of mechanics, and nothing of how a film came to be.
//!
//! The order of the modules below is the order of the layers: a module uses only those above it.

// Places in a picture become numbers of pixels after they are clamped to it; a cast turns what is negative into 0.
#![allow(clippy::cast_sign_loss)]

pub mod error;
mod vector;
pub mod color;
pub mod film;
pub mod progress;
mod draft;
pub mod table;
mod thrift;
pub mod parquet;
pub mod sequence;
pub mod gltf;
pub mod page;
pub mod camera;
pub mod ray;
mod raster;
mod scale;
pub mod look;
mod survey;
mod surface;
mod light;
mod shade;
mod canvas;
mod text;
mod arrow;
mod decoration;
pub mod picture;
pub mod png;
pub mod tempo;
mod encoder;
mod apng;
mod palette;
mod gif;
mod mp4;
pub mod animation;
