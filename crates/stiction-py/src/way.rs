//! The way of a surface past obstacles that it must not enter.

use pyo3::prelude::*;
use stiction::broad_phase::{BroadPhaseKind, Candidates};
use stiction::ccd::Ccd;
use stiction::error::Result;
use stiction::math::Vector;
use stiction::mesh::MovingSurface;
use stiction::obstacle::Obstacle;

use crate::contacts::read_candidates;
use crate::error::at;
use crate::obstacles::Obstacles;
use crate::shared_surface::SharedSurface;

/// Which pairs to look at.
pub enum Near {
    Given(Candidates),
    By(BroadPhaseKind),
}

impl Near {
    /// A name of a broad phase, or pairs as `candidates` returns them.
    pub fn read(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        match object.extract::<String>() {
            Ok(name) => Ok(Self::By(name.parse().map_err(|error| at("broad_phase", error))?)),
            Err(_) => Ok(Self::Given(read_candidates(object)?)),
        }
    }
}

/// A straight way from positions to others.
pub struct Way<'a, const D: usize> {
    pub surface: &'a SharedSurface<D>,
    pub start: Vec<Vector<D>>,
    pub end: Vec<Vector<D>>,
    pub obstacles: Vec<Obstacle<D>>,
}

impl<'a, const D: usize> Way<'a, D> {
    pub fn new(
        surface: &'a SharedSurface<D>,
        start: Vec<Vector<D>>,
        end: Vec<Vector<D>>,
        obstacles: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self { surface, start, end, obstacles: Obstacles::read(obstacles)?.solids })
    }

    /// The same without obstacles.
    pub fn moving(&self) -> MovingSurface<'_, D> {
        MovingSurface::new(self.surface, &self.start, &self.end)
    }

    /// The part of it before a pair or an obstacle comes too close.
    pub fn largest_step(&self, ccd: &Ccd, near: &Near) -> Result<f64> {
        let found;
        let candidates = match near {
            Near::Given(candidates) => candidates,
            Near::By(kind) => {
                let inflation = 0.5 * ccd.min_distance();
                found = self.surface.candidates(*kind, &self.start, &self.end, inflation);
                &found
            }
        };
        let mut step = ccd.largest_step(self.surface, candidates, &self.start, &self.end)?;
        // ipctk's limit of what is kept is a rule for pairs: planes keep their part of any height.
        let ccd = ccd.with_most_kept(f64::INFINITY)?;
        for obstacle in &self.obstacles {
            step = step.min(ccd.obstacle_step(obstacle, Vector::ZERO, &self.moving())?);
        }
        Ok(step)
    }

    /// Whether no pair and no obstacle comes too close on all of it.
    pub fn is_free(&self, ccd: &Ccd, near: &Near) -> Result<bool> {
        let mut free = match near {
            Near::Given(candidates) => ccd.is_free(self.surface, candidates, &self.start, &self.end)?,
            Near::By(kind) => ccd.is_motion_free(self.surface, &self.start, &self.end, *kind)?,
        };
        for obstacle in &self.obstacles {
            free = free && ccd.is_free_of_obstacle(obstacle, Vector::ZERO, &self.moving())?;
        }
        Ok(free)
    }
}
