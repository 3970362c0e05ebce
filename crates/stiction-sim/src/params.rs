//! The numbers a user can set, with their defaults.

use crate::error::{Error, Result};
use crate::integrator::IntegratorKind;

/// Time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeParams {
    /// Length `h` of a step, in s.
    pub step: f64,
    /// How velocities follow from positions.
    pub integrator: IntegratorKind,
}

impl Default for TimeParams {
    fn default() -> Self {
        Self { step: 0.01, integrator: IntegratorKind::default() }
    }
}

/// How stiff the barrier is.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Stiffness {
    /// Balanced with the other forces when contact first appears, doubled while a tiny gap shrinks.
    #[default]
    Automatic,
    /// `κ` in J/m⁴, never changed.
    Fixed(f64),
}

/// Normal contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactParams {
    /// Distance `d̂` below which bodies push each other, in m.
    pub dhat: f64,
    /// Barrier stiffness.
    pub stiffness: Stiffness,
}

impl Default for ContactParams {
    fn default() -> Self {
        Self { dhat: 1e-3, stiffness: Stiffness::Automatic }
    }
}

/// Friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionParams {
    /// Coefficient `μ`.
    pub mu: f64,
    /// Speed `ε_v` below which contacts count as sticking, in m/s.
    pub eps_v: f64,
    /// How often at most a step is solved, each time with normal forces and planes of the solution before.
    pub refinements: usize,
    /// Refinement stops when the friction forces change by less than this part of themselves.
    pub lag_tolerance: f64,
}

impl Default for FrictionParams {
    fn default() -> Self {
        Self { mu: 0.0, eps_v: 1e-3, refinements: 1, lag_tolerance: 1e-3 }
    }
}

/// Newton's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonParams {
    /// A step has converged when no vertex moved faster than this in the last iteration, in m/s. By
    /// default a thousandth of `ε_v`, so that stick is not an artefact of stopping early.
    pub tolerance: Option<f64>,
    /// Iterations after which a step fails.
    pub max_iterations: usize,
    /// How often a step that fails is tried again in twice as many substeps, 2, 4, 8 and so on; 0: never.
    pub retries: usize,
}

impl Default for NewtonParams {
    fn default() -> Self {
        Self { tolerance: None, max_iterations: 200, retries: 5 }
    }
}

/// Everything that is not geometry.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Params {
    /// Time.
    pub time: TimeParams,
    /// Normal contact.
    pub contact: ContactParams,
    /// Friction.
    pub friction: FrictionParams,
    /// Newton's method.
    pub newton: NewtonParams,
}

impl Params {
    /// Checks every number.
    ///
    /// # Errors
    /// If one is outside its range.
    pub fn check(&self) -> Result<()> {
        positive("time.step", self.time.step)?;
        self.time.integrator.check()?;
        positive("contact.dhat", self.contact.dhat)?;
        if let Stiffness::Fixed(kappa) = self.contact.stiffness {
            positive("contact.stiffness", kappa)?;
        }
        let mu = self.friction.mu;
        if !(mu >= 0.0 && mu.is_finite()) {
            return Err(Error::BadParameter { name: "friction.mu", value: mu, must: "0 or positive" });
        }
        positive("friction.eps_v", self.friction.eps_v)?;
        positive("friction.lag_tolerance", self.friction.lag_tolerance)?;
        positive("friction.refinements", self.friction.refinements as f64)?;
        positive("solver.tolerance", self.tolerance())?;
        positive("solver.max_iterations", self.newton.max_iterations as f64)?;
        let retries = self.newton.retries as f64;
        if retries > MAX_RETRIES {
            return Err(Error::BadParameter { name: "solver.retries", value: retries, must: "at most 16" });
        }
        Ok(())
    }

    /// Newton's tolerance in m/s.
    pub fn tolerance(&self) -> f64 {
        self.newton.tolerance.unwrap_or(1e-3 * self.friction.eps_v)
    }
}

/// 65,536 substeps: whoever wants more wants another time step.
const MAX_RETRIES: f64 = 16.0;

fn positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(Error::BadParameter { name, value, must: "positive" })
    }
}
