//! Films of runs: from the folder of a finished run, or from a model and positions in memory.

mod layout;
mod load;

pub use layout::{Layout, Shapes};
pub use load::load;
