//! What goes wrong in a run, at the key that it comes from.

use super::{Scene, SceneError};
use crate::error::Error;
use crate::model::Model;

impl Scene {
    /// An error of a step of the scene's model, with names for numbers and, where it is known, the key that it comes from.
    pub fn explain<const D: usize>(&self, model: &Model<D>, error: &Error) -> SceneError {
        let message = model.describe(error);
        if let Some(key) = self.cause(model, error) {
            return self.error(&key, message);
        }
        match self.suspect(model).filter(|_| is_unsolved(error)) {
            Some((key, why)) => self.error(&key, format!("{message}; {why}")),
            None => SceneError::plain(message),
        }
    }

    fn cause<const D: usize>(&self, model: &Model<D>, error: &Error) -> Option<String> {
        match error {
            Error::InSubsteps { first, .. } | Error::BetweenVertices { first, .. } => {
                self.cause(model, first)
            }
            Error::Blocked { vertex, .. } | Error::NoNumber { what: "motion", vertex, .. } => {
                self.motion_key(model, *vertex)
            }
            Error::NoNumber { vertex, .. } => {
                self.body_of(model, *vertex).map(|index| format!("bodies[{index}].loads"))
            }
            Error::ObstacleBlocked { obstacle, .. } | Error::NoPlace { obstacle, .. } => {
                Some(format!("{}.motion", self.obstacle_key(*obstacle)))
            }
            _ => None,
        }
    }

    /// The number of the body that has a node of the model.
    fn body_of<const D: usize>(&self, model: &Model<D>, node: usize) -> Option<usize> {
        let index = model.parts.iter().position(|part| part.nodes.contains(&node))?;
        (index < self.bodies.len()).then_some(index)
    }

    /// The key of the motion that a node of the model follows.
    fn motion_key<const D: usize>(&self, model: &Model<D>, node: usize) -> Option<String> {
        let index = self.body_of(model, node)?;
        let number = model.boundary.trajectory_of(node as u32)?;
        // Each static body has a trajectory of its own before those of its motions.
        let trajectories =
            |body: &super::Body| usize::from(body.is_static) + body.fixed.len() + body.motions.len();
        let before: usize = self.bodies[..index].iter().map(trajectories).sum();
        let body = &self.bodies[index];
        let number = number.checked_sub(before + usize::from(body.is_static));
        Some(match number {
            Some(number) => format!("bodies[{index}].{}", body.prescription(number)),
            None => format!("bodies[{index}].static"),
        })
    }
}

/// Whether a step ended without a solution.
fn is_unsolved(error: &Error) -> bool {
    match error {
        Error::InSubsteps { first, .. } | Error::BetweenVertices { first, .. } => is_unsolved(first),
        Error::NotConverged { .. } | Error::Stalled { .. } | Error::Singular { .. } => true,
        _ => false,
    }
}
