//! Films of runs: from the folder of a finished run, or from a model and positions in memory.

mod layout;
mod load;
mod memory;

pub use layout::{Layout, Shapes, obstacle_meshes};
pub use load::load;
pub use memory::of_states;
use stiction_sim::fields::FieldKind;

/// The fields that a page has.
pub const PAGE_FIELDS: [FieldKind; 6] = [
    FieldKind::Displacement,
    FieldKind::Velocity,
    FieldKind::ContactPressure,
    FieldKind::ShearTraction,
    FieldKind::ContactState,
    FieldKind::VonMises,
];
