//! Time integrators. A new one is a file with `begin` and `finish` and a variant here.

mod implicit_euler;

use stiction::friction::Motion;
use stiction::math::Vector;

use crate::state::State;

/// All that a step needs to know of its integrator.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme<const D: usize> {
    /// `x̃`: where inertia alone would carry the vertices, in m.
    pub predicted: Vec<Vector<D>>,
    /// Factor of all potentials in the incremental potential, in s².
    pub scale: f64,
    /// `x_ref` of the velocity, in m.
    pub x_ref: Vec<Vector<D>>,
    /// `v_ref` of the velocity, in m/s; empty means zero.
    pub v_ref: Vec<Vector<D>>,
    /// `ĥ = (dv/dx)⁻¹`, in s.
    pub h_hat: f64,
}

impl<const D: usize> Scheme<D> {
    /// Velocity as a function of position, as friction wants it.
    pub fn motion(&self) -> Motion<'_, D> {
        Motion { x_ref: &self.x_ref, v_ref: &self.v_ref, h_hat: self.h_hat }
    }
}

/// The integrators by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum IntegratorKind {
    /// First order, damps everything, never rings.
    #[default]
    ImplicitEuler,
}

impl IntegratorKind {
    /// Prepares a step of length `h` in s.
    pub fn begin<const D: usize>(self, state: &State<D>, h: f64) -> Scheme<D> {
        match self {
            Self::ImplicitEuler => implicit_euler::begin(state, h),
        }
    }

    /// Moves the state to the solution `x` of the step.
    pub fn finish<const D: usize>(self, state: &mut State<D>, scheme: &Scheme<D>, x: Vec<Vector<D>>, h: f64) {
        match self {
            Self::ImplicitEuler => implicit_euler::finish(state, scheme, x),
        }
        state.step += 1;
        // A product, not a sum: no drift, and a resumed run sees the same times.
        state.time = state.step as f64 * h;
    }
}
