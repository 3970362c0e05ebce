//! Whether an integrator may be trusted with a step: it must not create energy, nor carry an impact on.

use stiction::math::Vector;

use crate::model::Model;
use crate::report::{Energies, StepReport};
use crate::state::State;

/// The part of the energy of motion, deformation and contact that counts as rounding.
const ROUNDING: f64 = 1e-8;

/// The largest part of it that a run may take back of what its integrator lost before.
const LARGEST_RESERVE: f64 = 0.05;

/// The part of an acceleration by which it changes in a step where something hits.
const JUMP: f64 = 0.5;

/// Accelerations beyond so many times those of loads are impacts.
const IMPACT: f64 = 2.0;

/// The part of the largest speed below which changes of speed do not matter.
const SLIGHT: f64 = 1e-3;

/// What an integrator may do with energy.
///
/// Schemes of second order keep energy in the mean: their energies go up and down about a value that is kept, or slowly lost. In contact they may
/// go up for good. So a state has a reserve `R`, what was lost so far and has not been given back,
///
/// ```text
/// R ← min(R − (ΔE − W), 0.05 S)        S = max(K + Ψ + B, 0) + Σ |Eᵢ|
/// ```
/// with the change of all energies `ΔE` and the work `W` of the step, the energies `K`, `Ψ` and `B` of motion, deformation and contact, and
/// the energies `Eᵢ` that users added. A step that would bring `R` below −10⁻⁸ S creates energy. Heat counts as lost: it is booked with the
/// forces at the end of a step, too roughly to be held against it.
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
        self.reserve - gain(report) < -ROUNDING * scale(&report.energies)
    }

    /// Whether a body was hit in the step from one state to the next, of length `h` in s, where loads accelerate bodies by `pulls`, in m/s².
    ///
    /// ```text
    /// |Δvⁿ⁺¹ − Δvⁿ| > ½ max(|Δvⁿ⁺¹|, |Δvⁿ|)        |Δvⁿ⁺¹| > 2 a h        of centres of mass
    /// ```
    /// Schemes of two steps take the velocities before an impact for a part of the acceleration after it.
    pub fn has_impact<const D: usize>(
        model: &Model<D>,
        from: &State<D>,
        to: &State<D>,
        h: f64,
        pulls: &[f64],
    ) -> bool {
        let fastest = to.v.iter().map(|v| v.norm()).fold(0.0, f64::max);
        let earlier = |i: usize| match &from.before {
            Some(before) => (from.v[i] - before.v[i]) * (h / before.h),
            None => from.a.get(i).map_or(Vector::ZERO, |a| *a * h),
        };
        model.parts.iter().zip(pulls).any(|(part, pull)| {
            let least = (IMPACT * pull * h).max(SLIGHT * fastest);
            let masses = model.mass.of_nodes();
            let (mut now, mut last, mut mass) = (Vector::ZERO, Vector::ZERO, 0.0);
            for i in part.nodes.clone().filter(|&i| model.constraints.free()[i]) {
                now += (to.v[i] - from.v[i]) * masses[i];
                last += earlier(i) * masses[i];
                mass += masses[i];
            }
            now.norm() > least * mass && (now - last).norm() > JUMP * now.norm().max(last.norm())
        })
    }

    /// The reserve after a step, in J.
    pub fn after<const D: usize>(&self, report: &StepReport<D>) -> f64 {
        if !self.kept {
            return 0.0;
        }
        let scale = scale(&report.energies);
        // What could not be prevented is not asked back from later steps.
        (self.reserve - gain(report)).max(-ROUNDING * scale).min(LARGEST_RESERVE * scale)
    }
}

/// `ΔE − W`.
fn gain<const D: usize>(report: &StepReport<D>) -> f64 {
    report.numerical_energy - report.friction.dissipation - report.damping_heat
}

/// `S`.
fn scale(energies: &Energies) -> f64 {
    // Energies of rest may be rounded below zero.
    let own = (energies.kinetic + energies.elastic + energies.barrier).max(0.0);
    energies.added.iter().fold(own, |sum, (_, energy)| sum + energy.abs())
}
