//! The balance of energy: whether a step created any.

use crate::model::Model;
use crate::report::{Energies, StepReport};

/// The part of the energy of motion, deformation and contact that counts as rounding.
const ROUNDING: f64 = 1e-7;

/// The largest part of it that a run may take back of what its integrator lost before.
const LARGEST_RESERVE: f64 = 1e-3;

/// The part of prescribed work that is not known: it is booked with the force at the end of the step.
const UNKNOWN_WORK: f64 = 0.5;

/// What an integrator may do with energy.
///
/// Schemes of second order keep energy in the mean: their energies go up and down about a value that is kept, or slowly lost. In contact they may
/// go up for good. So a state has a reserve `R`, what its integrator lost so far and has not given back,
///
/// ```text
/// R ← min(R − N, 10⁻³ S)        N = ΔE + Q − W        S = K + Ψ + B
/// ```
/// with the change of all energies `ΔE`, heat `Q` and work `W` of the step, and energies of motion, deformation and contact. A step that would
/// bring `R` below −10⁻⁷ S creates energy.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    reserve: f64,
    kept: bool,
}

impl Balance {
    /// The balance of a state with this `reserve`, in J.
    pub fn new<const D: usize>(model: &Model<D>, reserve: f64) -> Self {
        Self { reserve, kept: model.params.time.integrator.may_create_energy() }
    }

    /// Whether a step creates energy.
    pub fn creates_energy<const D: usize>(&self, report: &StepReport<D>) -> bool {
        let unknown = UNKNOWN_WORK * (report.work.abs() + report.load_work.abs());
        self.reserve - report.numerical_energy < -ROUNDING * scale(&report.energies) - unknown
    }

    /// The reserve after a step, in J.
    pub fn after<const D: usize>(&self, report: &StepReport<D>) -> f64 {
        if !self.kept {
            return 0.0;
        }
        let scale = scale(&report.energies);
        // What could not be prevented is not asked back from later steps.
        (self.reserve - report.numerical_energy).clamp(-ROUNDING * scale, LARGEST_RESERVE * scale)
    }
}

/// `S`.
fn scale(energies: &Energies) -> f64 {
    energies.kinetic + energies.elastic + energies.barrier
}
