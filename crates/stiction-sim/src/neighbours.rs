//! Close pairs of a model's surface, remembered from question to question.

use std::sync::Arc;

use stiction::broad_phase::{BroadPhaseKind, Candidates, Nearby};
use stiction::math::Vector;
use stiction::mesh::Surface;
use stiction::obstacle::Obstacle;

use crate::model::Model;
use crate::reach::ContactsByReach;

/// The pairs of a surface that are near each other, of which a small motion leaves most as they were.
///
/// Answers are pair by pair those of a new search, in the same order, whatever was asked before: steps have the same bits with a memory of other
/// steps, with an empty one, and after a run was resumed. A model with another surface begins with nothing.
#[derive(Debug, Default)]
pub struct Neighbours<const D: usize> {
    /// The surface that the pairs are of: as long as it is held here, no other one has its address.
    surface: Option<Arc<Surface<D>>>,
    kind: BroadPhaseKind,
    nearby: Nearby<D>,
}

impl<const D: usize> Neighbours<D> {
    /// All pairs that come within the reach of the barrier while the surface moves from `start` to `end` on straight lines, both in m.
    pub fn on_way(&mut self, model: &Model<D>, start: &[Vector<D>], end: &[Vector<D>]) -> Candidates {
        self.follow(model);
        self.nearby.candidates(&model.surface, start, end, 0.5 * model.barrier.reach())
    }

    /// The contacts of a configuration of the surface, in m, with obstacles where they are then.
    pub fn contacts(
        &mut self,
        model: &Model<D>,
        x: &[Vector<D>],
        obstacles: &[Obstacle<D>],
    ) -> ContactsByReach {
        let candidates = self.on_way(model, x, x);
        model.contacts_among(&candidates, x, obstacles)
    }

    /// How many searches all questions about the present surface have taken so far.
    pub fn searches(&self) -> usize {
        self.nearby.searches()
    }

    /// Forgets what it knows of another surface.
    fn follow(&mut self, model: &Model<D>) {
        let kind = model.params.contact.broad_phase;
        let same = self.surface.as_ref().is_some_and(|surface| Arc::ptr_eq(surface, &model.surface));
        if !same || self.kind != kind {
            *self = Self { surface: Some(Arc::clone(&model.surface)), kind, nearby: Nearby::new(kind) };
        }
    }
}
