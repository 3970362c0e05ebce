//! Deformable bodies in contact: elastic solids, sheets and rods, time integration, a Newton solver that keeps them
//! apart, scenes, and files in and out.
//!
//! `Model` is constant, `State` changes, [`step::step`] connects them; [`newton::Workspace`] has how it solves.
//!
//! The order of the modules below is the order of the layers: a module uses only those above it.

pub mod error;
pub mod formula;
pub mod signal;
pub mod state;
pub mod material;
pub mod element;
pub mod mass;
pub mod energy;
pub mod term;
pub mod boundary;
pub mod constraint;
pub mod obstacles;
pub mod load;
pub mod integrator;
pub mod linear;
pub mod params;
pub mod reach;
pub mod model;
pub mod memory;
pub mod forces;
pub mod fields;
pub mod neighbours;
pub mod step_bound;
pub mod line_search;
pub mod timings;
pub mod convergence;
pub mod problem;
pub mod push;
pub mod descent;
pub mod newton;
pub mod report;
pub mod balance;
pub mod step;
pub mod settle;
pub mod io;
pub mod scene;

/// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
