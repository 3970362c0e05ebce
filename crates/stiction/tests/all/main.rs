//! All tests in one program: what they share, generic in the dimension, is compiled once.

mod broad_phase;
mod ccd;
mod ccd_exact;
mod contacts;
mod degenerate;
mod derivatives;
mod exact;
mod friction;
mod friction_data;
mod friction_lag;
mod kernels;
mod memory;
mod mesh;
mod point_mass;
mod pull_back;
mod support;
mod threads;
mod trust_region;
mod twin;
