//! How stiff the barrier is.

use stiction::barrier::BarrierLaw;
use stiction::barrier::policy::{Softness, StiffnessPolicy};
use stiction::contact::Contacts;

use super::Part;
use crate::error::{Error, Result};
use crate::params::ContactParams;

/// The barrier stiffness `κ` in J/m⁴: what was given, or as stiff as the bodies ask for, by the rule of [`StiffnessPolicy`].
///
/// A part of the model, not of what solves it: weights of contacts depend on it, and so do all forces that are measured.
#[derive(Clone, Debug)]
pub struct Stiffness {
    policy: StiffnessPolicy,
    given: Option<f64>,
    /// Whether it rises where clearances are deep.
    rises: bool,
}

impl Stiffness {
    /// The rule of a policy, or what the parameters say.
    pub(super) fn new(policy: StiffnessPolicy, params: &ContactParams) -> Self {
        Self { policy, given: params.barrier_stiffness, rises: params.adaptive_barrier_stiffness }
    }

    /// What contact begins with.
    pub fn first(&self) -> f64 {
        self.given.unwrap_or_else(|| self.usual())
    }

    /// What contact would begin with if nothing was given.
    pub fn usual(&self) -> f64 {
        self.policy.first()
    }

    /// What follows `kappa` at the end of a solve with the smallest `clearance`, in m: no less.
    pub fn raised(&self, kappa: f64, clearance: f64) -> f64 {
        if self.rises { self.policy.raised(kappa, self.first(), clearance) } else { kappa }
    }

    /// Weighs contacts by the two bodies of each; a number that was given is that of every contact.
    pub fn weigh(&self, contacts: &mut Contacts) {
        if self.given.is_none() {
            self.policy.weigh(contacts);
        }
    }
}

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

/// The number of the body of each vertex of the surface.
pub(super) fn body_of(parts: &[Part]) -> Vec<u32> {
    let numbered = parts.iter().enumerate();
    numbered.flat_map(|(number, part)| part.vertices.clone().map(move |_| number as u32)).collect()
}
