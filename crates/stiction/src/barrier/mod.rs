//! The normal force: an energy that grows as two primitives approach each other.
//!
//! A [`Barrier`] is a function of the squared distance; [`BarrierLaw`] says at which distances it acts; and
//! [`BarrierPotential`] sums it over contacts.

pub mod clamped_log;
pub mod normalized;
pub mod clamped_log_squared;
pub mod cubic;
pub mod two_stage;
pub mod linear_log;
pub mod adhesion;
pub mod kind;
pub mod law;
pub mod kappa;
pub mod potential;
mod forces;
mod gauss_newton;
pub mod shape;
pub mod stiffness;
pub mod policy;

pub use adhesion::{Adhesion, SteadyForce};
pub use clamped_log::ClampedLog;
pub use clamped_log_squared::ClampedLogSquared;
pub use cubic::Cubic;
pub use kappa::Kappa;
pub use kind::BarrierKind;
pub use law::BarrierLaw;
pub use linear_log::{LinearLog, LinearLogSquared};
pub use normalized::NormalizedClampedLog;
pub use potential::BarrierPotential;
pub use two_stage::TwoStage;

/// An energy `b(s, ŝ)` of a squared distance `s` in m² that acts below `ŝ`.
///
/// Implementations must be zero with zero slope for `s ≥ ŝ` (the two-parameter forms need no check of their own: the
/// [`BarrierLaw`] does not ask beyond), convex and falling below. Where the minimum distance is not zero, `s` and `ŝ` are
/// measured from its square: see [`BarrierLaw`].
pub trait Barrier: Send + Sync {
    /// `b(s, ŝ)` for `s < ŝ`; infinite for `s ≤ 0` unless [`is_interior`](Self::is_interior) is false.
    fn value(&self, s: f64, s_hat: f64) -> f64;

    /// `∂b/∂s` and `∂²b/∂s²` for `s < ŝ`; `(−∞, ∞)` for `s ≤ 0` unless [`is_interior`](Self::is_interior) is false.
    fn derivatives(&self, s: f64, s_hat: f64) -> (f64, f64);

    /// The unit of `b` in terms of `ŝ`: what `b` is divided by to be a pure number.
    fn units(&self, s_hat: f64) -> f64;

    /// Whether the energy is infinite at contact. Where it is not, only the bound of steps keeps primitives apart.
    fn is_interior(&self) -> bool {
        true
    }
}
