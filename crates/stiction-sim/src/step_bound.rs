//! How far a step may go, and what may touch on the way.

use std::borrow::Cow;

use stiction::broad_phase::Candidates;
use stiction::ccd::{Ccd, PairSearch};
use stiction::math::Vector;
use stiction::mesh::MovingSurface;
use stiction::obstacle::Obstacle;

use crate::model::Model;
use crate::neighbours::Neighbours;
use crate::params::StepBound;
use crate::reach::ContactsByReach;

/// What an iteration leaves of the smallest gap of pairs with the same reach, or of `d̂` where that is less. From too deep in the barrier, Newton's method only doubles gaps: what one iteration
/// takes to a hundredth, seven have to bring back.
const KEPT: f64 = 0.5;

/// A motion that is cut to this part of itself is worth another look at its pairs.
const SHORT: f64 = 0.5;

/// Shorter parts of a motion leave the boxes of longer ones by what positions are rounded by, so these are larger than they have to be.
const SPARE: f64 = 1.01;

/// A motion `x + t p`, 0 ≤ t ≤ 1, of vertices and obstacles, in m.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a, const D: usize> {
    /// Where vertices begin.
    pub x: &'a [Vector<D>],
    /// How they move.
    pub p: &'a [Vector<D>],
    /// Where obstacles begin.
    pub obstacles: &'a [Obstacle<D>],
    /// How they move; empty if none does.
    pub shifts: &'a [Vector<D>],
}

/// What a motion may bring close, and the largest safe `t`.
#[derive(Clone, Debug)]
pub struct Sweep<const D: usize> {
    /// The motion of the vertices, or, after [`of_nodes`](Self::of_nodes), of the nodes, in m; a trust region has shortened it, vertex by vertex.
    pub p: Vec<Vector<D>>,
    /// All pairs that come within `dmin + d̂` on the way.
    pub candidates: Candidates,
    /// The largest fraction of the motion without contact.
    pub bound: f64,
}

impl<const D: usize> Sweep<D> {
    /// Looks at the whole motion by the method of the model. The pairs are those `near` knows.
    pub fn new(model: &Model<D>, way: &Way<'_, D>, near: &mut Neighbours<D>) -> Self {
        // Planes between vertices and what is near stand still.
        let moving = way.shifts.iter().any(|shift| *shift != Vector::ZERO);
        match model.params.contact.bound {
            // A trust region shortens the ways of vertices one by one; those of nodes that move several of them have no such bound.
            StepBound::Ogc if !moving && model.map.is_none() && !model.constraints.has_followers() => {
                Self::divided(model, way, near)
            }
            _ => Self::uniform(model, way, near),
        }
    }

    /// All vertices go the same part of their ways.
    pub fn uniform(model: &Model<D>, way: &Way<'_, D>, near: &mut Neighbours<D>) -> Self {
        let end = ends(way.x, way.p);
        let candidates = near.on_way(model, way.x, &end);
        let bound = bound(model, way, &end, &candidates);
        Self { p: way.p.to_vec(), candidates, bound }
    }

    /// Each vertex goes as far as planes between it and what is near allow.
    fn divided(model: &Model<D>, way: &Way<'_, D>, near: &mut Neighbours<D>) -> Self {
        let Way { x, p, obstacles, .. } = *way;
        let longest = p.iter().map(|p| p.norm()).fold(0.0, f64::max);
        let reach = (2.0 * model.barrier.reach()).max(4.0 * longest);
        let parts = Ccd::default().with_min_distance(model.barrier.dmin()).ok().and_then(|ccd| {
            let (end, broad_phase) = (ends(x, p), model.params.contact.broad_phase);
            let moving = MovingSurface::new(&model.surface, x, &end);
            ccd.divided_steps(&moving, obstacles, PairSearch { reach, broad_phase }).ok()
        });
        // Motions that are no numbers may not begin.
        let parts = parts.unwrap_or_else(|| vec![0.0; p.len()]);
        let p: Vec<_> = p.iter().zip(parts).map(|(p, part)| *p * part).collect();
        let candidates = near.on_way(model, x, &ends(x, &p));
        Self { p, candidates, bound: 1.0 }
    }

    /// The same as the motion `p` of the nodes, in m, that made this one of the vertices.
    pub fn of_nodes(self, model: &Model<D>, p: &[Vector<D>]) -> Self {
        if model.map.is_none() { self } else { Self { p: p.to_vec(), ..self } }
    }

    /// The contacts at shorter and shorter parts of the way from `x`, in m.
    pub fn shortened<'a>(&'a self, model: &'a Model<D>, x: &'a [Vector<D>]) -> Shortened<'a, D> {
        Shortened { model, start: x, candidates: Cow::Borrowed(&self.candidates), part: 1.0 }
    }
}

/// A part of a motion that becomes shorter and shorter, as in a line search, and the pairs that come near each other on it: of a long way
/// through many things few are left.
#[derive(Clone, Debug)]
pub struct Shortened<'a, const D: usize> {
    model: &'a Model<D>,
    start: &'a [Vector<D>],
    candidates: Cow<'a, Candidates>,
    /// The part of the motion that the pairs are of.
    part: f64,
}

impl<const D: usize> Shortened<'_, D> {
    /// The contacts at the end `x` of the part `t` of the motion, in m, which is no longer than any part before; with obstacles where they are then.
    ///
    /// They are those among all pairs of the motion.
    pub fn contacts(&mut self, t: f64, x: &[Vector<D>], obstacles: &[Obstacle<D>]) -> ContactsByReach {
        if t <= SHORT * self.part {
            let inflation = SPARE * 0.5 * self.model.barrier.reach();
            let left = self.candidates.among(&self.model.surface, self.start, x, inflation);
            (self.candidates, self.part) = (Cow::Owned(left), t);
        }
        self.model.contacts_among(&self.candidates, x, obstacles)
    }
}

fn ends<const D: usize>(x: &[Vector<D>], p: &[Vector<D>]) -> Vec<Vector<D>> {
    x.iter().zip(p).map(|(x, p)| *x + *p).collect()
}

fn ccd<const D: usize>(model: &Model<D>) -> Option<Ccd> {
    let (dmin, dhat) = (model.barrier.dmin(), model.barrier.dhat());
    Ccd::default()
        .with_min_distance(dmin)
        .and_then(|ccd| ccd.with_keep(KEPT)?.with_most_kept(KEPT * dhat))
        .ok()
}

/// The largest part of a motion to `end` on which gaps stay wide enough; 0 for motions that are no numbers.
fn bound<const D: usize>(
    model: &Model<D>,
    way: &Way<'_, D>,
    end: &[Vector<D>],
    candidates: &Candidates,
) -> f64 {
    let Some(ccd) = ccd(model) else { return 0.0 };
    let of = |pairs: &Candidates| ccd.largest_step(&model.surface, pairs, way.x, end).unwrap_or(0.0);
    // A narrow slot has a smallest gap of its own: what is far from it keeps more.
    let pairs = if model.reaches.is_empty() {
        of(candidates)
    } else {
        model.reaches.sorted(&model.surface, candidates).iter().map(of).fold(1.0, f64::min)
    };
    let moving = MovingSurface::new(&model.surface, way.x, end);
    let to_obstacle = |(k, solid)| {
        let shift = way.shifts.get(k).copied().unwrap_or(Vector::ZERO);
        ccd.obstacle_step(solid, shift, &moving).unwrap_or(0.0)
    };
    way.obstacles.iter().enumerate().map(to_obstacle).fold(pairs, f64::min)
}
