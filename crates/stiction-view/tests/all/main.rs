//! Tests of pictures and animations.

mod animations;
mod films;
mod gallery;
mod pictures;
mod visibility;
