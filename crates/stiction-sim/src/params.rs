//! The numbers a user can set, with their defaults.

use stiction::broad_phase::BroadPhaseKind;
use stiction::contact::Weighting;
use stiction::friction::{FrictionKind, Mu, Refinement};

use crate::error::{Error, Result};
use crate::integrator::IntegratorKind;
use crate::linear::LinearKind;

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

/// What keeps a step of Newton's method from passing through anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StepBound {
    /// Continuous collision detection: all vertices go the same part of their ways.
    #[default]
    Ccd,
    /// A trust region: each vertex goes as far as planes between it and what is near allow (offset geometric contact). Surfaces that nodes carry
    /// or links hold, and directions that drive something, are bounded by collision detection.
    Ogc,
}

/// Normal contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a choice of its own, with a name that people know"
)]
pub struct ContactParams {
    /// Distance `d̂` below which bodies push each other, in m or as a part of the diagonal of the bounding box at rest. What is nearer than that
    /// to its own body at rest has a shorter reach, see [`Reaches`](crate::reach::Reaches).
    pub dhat: f64,
    /// Whether `dhat` is a part of the diagonal.
    pub dhat_is_relative: bool,
    /// Distance in m that nothing falls below: the thickness of what is drawn as a surface.
    pub dmin: f64,
    /// Barrier stiffness `κ` in J/m⁴, or of contacts weighted by area in J/m⁶ (J/m⁵ in 2D); by default that of
    /// [`StiffnessPolicy`](stiction::barrier::policy::StiffnessPolicy).
    pub barrier_stiffness: Option<f64>,
    /// Whether `κ` rises where clearances at the end of a step are below 0.1 `d̂`.
    pub adaptive_barrier_stiffness: bool,
    /// How much a contact counts.
    pub weighting: Weighting,
    /// Primitives of a body that so many edges, or fewer, lead from one to the other never touch; those with a common vertex do not anyway.
    pub excluded_rings: u32,
    /// How near pairs are found; the result does not depend on it.
    pub broad_phase: BroadPhaseKind,
    /// What bounds a step.
    pub bound: StepBound,
    /// Whether a step is halved until the energy has fallen.
    pub line_search_energy: bool,
    /// Whether the Hessian of each element and contact is made positive.
    pub psd_projection: bool,
}

impl Default for ContactParams {
    fn default() -> Self {
        Self {
            dhat: 1e-3,
            dhat_is_relative: true,
            dmin: 0.0,
            barrier_stiffness: None,
            adaptive_barrier_stiffness: true,
            weighting: Weighting::default(),
            excluded_rings: 1,
            broad_phase: BroadPhaseKind::default(),
            bound: StepBound::default(),
            line_search_energy: true,
            psd_projection: true,
        }
    }
}

/// Friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionParams {
    /// Coefficients `μ_s` and `μ_k` of contacts for which a model says nothing else.
    pub mu: Mu,
    /// The friction law.
    pub law: FrictionKind,
    /// Speed `ε_v` below which contacts count as sticking, in m/s.
    pub eps_v: f64,
    /// Maximum number of lagging iterations: how often a step is solved at most, each time with the normal forces and planes of the
    /// solution before. They end by themselves where friction does not change; 1 means that friction is lagged once per step.
    pub lag_iterations: usize,
    /// Lagging iterations end when the friction forces change by less than this part of themselves; after three of them 30 times as much will
    /// do, but at most 3 %.
    pub lag_tolerance: f64,
}

impl FrictionParams {
    /// How often to solve a step, and when friction has settled.
    pub fn refinement(&self) -> Refinement {
        Refinement { rounds: self.lag_iterations, tolerance: self.lag_tolerance }
    }
}

impl Default for FrictionParams {
    fn default() -> Self {
        Self {
            mu: Mu::default(),
            law: FrictionKind::default(),
            eps_v: 1e-3,
            lag_iterations: 20,
            lag_tolerance: 1e-3,
        }
    }
}

/// How steps are solved, whatever the model: a [`Workspace`](crate::newton::Workspace) has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonParams {
    /// A step has converged when no vertex moved faster than this in the last iteration, in m/s. By
    /// default a thousandth of `ε_v`, so that stick is not an artefact of stopping early; without friction, 10⁻⁵ `d̂` a step.
    pub tolerance: Option<f64>,
    /// Iterations after which a step fails.
    pub max_iterations: usize,
    /// How often a step that fails is tried again in twice as many substeps, 2, 4, 8 and so on; 0: never.
    pub retries: usize,
    /// How linear systems are solved.
    pub linear: LinearKind,
}

impl Default for NewtonParams {
    fn default() -> Self {
        Self { tolerance: None, max_iterations: 200, retries: 5, linear: LinearKind::default() }
    }
}

impl NewtonParams {
    /// Checks every number.
    ///
    /// # Errors
    /// If one is outside its range.
    pub fn check(&self) -> Result<()> {
        if let Some(tolerance) = self.tolerance {
            positive("solver.tolerance", tolerance)?;
        }
        positive("solver.max_iterations", self.max_iterations as f64)?;
        let iterations = self.max_iterations as f64;
        if iterations > MAX_ITERATIONS {
            let must = "at most 1,000,000: a step that takes more has no solution";
            return Err(Error::BadParameter { name: "solver.max_iterations", value: iterations, must });
        }
        let retries = self.retries as f64;
        if retries > MAX_RETRIES {
            return Err(Error::BadParameter { name: "solver.retries", value: retries, must: "at most 16" });
        }
        Ok(())
    }
}

/// Everything of a model that is not geometry.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Params {
    /// Time.
    pub time: TimeParams,
    /// Normal contact.
    pub contact: ContactParams,
    /// Friction.
    pub friction: FrictionParams,
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
        if let Some(kappa) = self.contact.barrier_stiffness {
            positive("contact.barrier_stiffness", kappa)?;
        }
        let dmin = self.contact.dmin;
        if !(dmin >= 0.0 && dmin.is_finite()) {
            return Err(Error::BadParameter { name: "contact.dmin", value: dmin, must: "0 or positive" });
        }
        positive("contact.excluded_rings", f64::from(self.contact.excluded_rings))?;
        let Mu { s, k } = self.friction.mu;
        // One number for both has a name of its own.
        let names = if s == k || (s.is_nan() && k.is_nan()) {
            ["friction.mu"; 2]
        } else {
            ["friction.mu_s", "friction.mu_k"]
        };
        for (name, value) in names.into_iter().zip([s, k]) {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::BadParameter { name, value, must: "0 or positive" });
            }
        }
        if s < k {
            return Err(Error::BadParameter { name: "friction.mu_s", value: s, must: "mu_k or larger" });
        }
        positive("friction.eps_v", self.friction.eps_v)?;
        positive("friction.lag_tolerance", self.friction.lag_tolerance)?;
        positive("friction.lag_iterations", self.friction.lag_iterations as f64)
    }
}

/// Newton iterations of a step that nobody waits for.
const MAX_ITERATIONS: f64 = 1e6;

/// 65,536 substeps: whoever wants more wants another time step.
const MAX_RETRIES: f64 = 16.0;

fn positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(Error::BadParameter { name, value, must: "positive" })
    }
}
