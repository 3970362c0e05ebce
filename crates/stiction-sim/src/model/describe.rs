//! What errors say, with names for numbers.

use super::Model;
use crate::error::{Error, before, between_vertices, in_substeps};

impl<const D: usize> Model<D> {
    /// The message of an error of a step, with the body's name where the error itself has only the number of a vertex in the model.
    pub fn describe(&self, error: &Error) -> String {
        match error {
            Error::Blocked { step, vertex, missing } => {
                let (body, vertex) = self.name_of_node(*vertex as u32);
                format!(
                    "step {step}: the prescribed motion of body \"{body}\" is blocked at its vertex {vertex}, {} its goal: \
                     something is in its way; slow it down, make the time step smaller or make room",
                    before(*missing)
                )
            }
            Error::NoNumber { what, vertex, time } => {
                let (body, vertex) = self.name_of_node(*vertex as u32);
                format!(
                    "the {what} of body \"{body}\" is no number at {time:.6} s, at its vertex {vertex}: look at its formula"
                )
            }
            Error::BetweenVertices { first, obstacle } => between_vertices(&self.describe(first), *obstacle),
            Error::InSubsteps { first, substeps } => in_substeps(&self.describe(first), *substeps),
            other => other.to_string(),
        }
    }
}
