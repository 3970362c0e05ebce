//! Tests of pictures and animations.

mod films;
mod gallery;
mod visibility;
