//! Tests of pictures and animations.

mod animations;
mod films;
mod pictures;
mod sceneries;
mod visibility;
