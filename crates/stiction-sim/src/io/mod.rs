//! Files for other programs.

pub mod vtu;
