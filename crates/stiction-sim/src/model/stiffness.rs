//! How stiff the barrier is: as stiff as the bodies ask for, by the rule of [`StiffnessPolicy`].

use stiction::barrier::BarrierLaw;
use stiction::barrier::policy::{Softness, StiffnessPolicy};

use super::Part;
use crate::error::{Error, Result};

/// The policy for these bodies, whose vertices are in these parts.
///
/// # Errors
/// If moduli and sizes are so different that κ is no number.
pub(super) fn policy(bodies: Vec<Softness>, parts: &[Part], law: &BarrierLaw) -> Result<StiffnessPolicy> {
    StiffnessPolicy::new(*law, bodies, body_of(parts)).map_err(|error| match error {
        stiction::error::Error::BadParameter { value, .. } => {
            Error::OutOfScale { what: "the barrier stiffness", value }
        }
        other => other.into(),
    })
}

fn body_of(parts: &[Part]) -> Vec<u32> {
    let numbered = parts.iter().enumerate();
    numbered.flat_map(|(number, part)| part.vertices.clone().map(move |_| number as u32)).collect()
}
