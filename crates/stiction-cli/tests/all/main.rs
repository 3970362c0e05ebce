//! All tests in one program: what they share, generic in the dimension, is compiled once.

mod frame_writer;
mod journal;
mod layers;
mod pictures;
mod run;
mod tidy;
