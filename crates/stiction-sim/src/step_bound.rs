//! How far a step may go, and what may touch on the way.

use stiction::broad_phase::Candidates;
use stiction::ccd::Ccd;
use stiction::contact::Contacts;
use stiction::math::Vector;

use crate::model::Model;

/// What a motion `x + t p`, 0 ≤ t ≤ 1, may bring close, and the largest safe `t`.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// All pairs that come within d̂ on the way.
    pub candidates: Candidates,
    /// The largest fraction of the motion without contact.
    pub bound: f64,
}

impl Sweep {
    /// Looks at the whole motion.
    pub fn new<const D: usize>(model: &Model<D>, x: &[Vector<D>], p: &[Vector<D>]) -> Self {
        let end: Vec<_> = x.iter().zip(p).map(|(x, p)| *x + *p).collect();
        let inflation = 0.5 * model.barrier.dhat();
        let candidates = model.broad_phase.candidates(&model.surface, x, &end, inflation);
        let ccd = Ccd::default();
        // Motions that are no numbers may not begin.
        let pairs = ccd.largest_step(&model.surface, &candidates, x, &end).unwrap_or(0.0);
        let to_obstacle = |o| ccd.obstacle_step((o, Vector::ZERO), &model.surface, x, &end).unwrap_or(0.0);
        let bound = model.obstacles.iter().map(to_obstacle).fold(pairs, f64::min);
        Self { candidates, bound }
    }

    /// The contacts at a position on the way.
    pub fn contacts<const D: usize>(&self, model: &Model<D>, x: &[Vector<D>]) -> Contacts {
        Contacts::build(&model.surface, &self.candidates, &model.obstacles, x, &model.selection())
    }
}
