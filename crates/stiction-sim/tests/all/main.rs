//! All tests in one program: what they share, generic in the dimension, is compiled once.

mod bad_input;
mod closed_forms;
mod constraints;
mod damping;
mod derivatives;
mod elements;
mod embedded;
mod frames;
mod incline;
mod integrators;
mod linear;
mod materials;
mod memory;
mod neighbours;
mod obstacles;
mod patch;
mod readme;
mod report_schema;
mod retries;
mod robustness;
mod saved_states;
mod shells;
mod support;
mod terms;
mod threads;
mod validation;
