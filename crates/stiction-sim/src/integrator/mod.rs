//! Time integrators. A new one is a file with `begin` and `finish` and a variant here.

mod implicit_euler;
mod quasi_static;
mod newmark;
mod generalized_alpha;
mod bdf2;

use std::fmt;
use std::str::FromStr;

use stiction::friction::Motion;
use stiction::math::Vector;

use crate::error::{Error, Result};
use crate::state::State;

/// All that a step needs to know of its integrator.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme<const D: usize> {
    /// `x̃`: where inertia alone would carry the nodes, in m.
    pub predicted: Vec<Vector<D>>,
    /// Factor of all potentials in the incremental potential, in s².
    pub scale: f64,
    /// `x_ref` of the velocity, in m.
    pub x_ref: Vec<Vector<D>>,
    /// `v_ref` of the velocity, in m/s; empty means zero.
    pub v_ref: Vec<Vector<D>>,
    /// `ĥ = (dv/dx)⁻¹`, in s.
    pub h_hat: f64,
    /// Factor of the masses: 0 without inertia.
    pub inertia: f64,
}

impl<const D: usize> Scheme<D> {
    /// Velocity as a function of position, as friction wants it.
    pub fn motion(&self) -> Motion<'_, D> {
        Motion { x_ref: &self.x_ref, v_ref: &self.v_ref, h_hat: self.h_hat }
    }

    /// The accelerations of nodes that end at `q`, in m/s²: what balances all forces. None without inertia.
    pub fn acceleration(&self, q: &[Vector<D>]) -> Vec<Vector<D>> {
        if self.inertia == 0.0 {
            return Vec::new();
        }
        let factor = self.inertia / self.scale;
        q.iter().zip(&self.predicted).map(|(q, predicted)| (*q - *predicted) * factor).collect()
    }

    /// Gives a node whose motion is prescribed the mean velocity of its way from a state to the place `to`, in m, in a step of length `h` in s, whatever
    /// the integrator makes of free ones.
    pub fn prescribe(&mut self, state: &State<D>, node: usize, to: Vector<D>, h: f64) {
        self.v_ref.resize(self.x_ref.len(), Vector::ZERO);
        let mean = (to - state.q[node]) * (1.0 / h);
        self.x_ref[node] = to;
        self.v_ref[node] = mean;
        self.predicted[node] = to - (mean - state.v[node]) * (self.scale / h);
    }

    /// The positions, in m, at which nodes have these velocities, in m/s.
    pub fn with_velocity(&self, v: &[Vector<D>]) -> Vec<Vector<D>> {
        let v_ref = self.v_ref.iter().copied().chain(std::iter::repeat(Vector::ZERO));
        self.x_ref.iter().zip(v).zip(v_ref).map(|((x, v), v_ref)| *x + (*v - v_ref) * self.h_hat).collect()
    }
}

/// The integrators by name.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum IntegratorKind {
    /// `implicit_euler`: first order, damps everything, also rotation, never rings.
    ImplicitEuler,
    /// `bdf2`: second order, damps high frequencies.
    #[default]
    Bdf2,
    /// `newmark`: second order for γ = ½, keeps energy, rings.
    Newmark(Newmark),
    /// `generalized_alpha`: second order, damps high frequencies as much as its ρ says.
    GeneralizedAlpha(SpectralRadius),
    /// `quasi_static`: no inertia; each step is an increment of the load.
    QuasiStatic,
}

/// The two numbers of Newmark's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newmark {
    /// `β`: stable for every step where 2β ≥ γ.
    pub beta: f64,
    /// `γ`, from ½ on; beyond, it damps and is of first order.
    pub gamma: f64,
}

impl Default for Newmark {
    fn default() -> Self {
        Self { beta: 0.25, gamma: 0.5 }
    }
}

/// `ρ`: the part of the amplitude of infinitely high frequencies that a step of the generalised-α method leaves, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpectralRadius(pub f64);

impl Default for SpectralRadius {
    fn default() -> Self {
        Self(0.5)
    }
}

impl IntegratorKind {
    /// All integrators, with their usual numbers.
    pub const ALL: [Self; 5] = [
        Self::ImplicitEuler,
        Self::Bdf2,
        Self::Newmark(Newmark { beta: 0.25, gamma: 0.5 }),
        Self::GeneralizedAlpha(SpectralRadius(0.5)),
        Self::QuasiStatic,
    ];

    /// The name of the integrator.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ImplicitEuler => "implicit_euler",
            Self::Bdf2 => "bdf2",
            Self::Newmark(_) => "newmark",
            Self::GeneralizedAlpha(_) => "generalized_alpha",
            Self::QuasiStatic => "quasi_static",
        }
    }

    /// Checks its numbers.
    ///
    /// # Errors
    /// If one is outside its range, or the method would not be stable whatever the step: it is for 2β ≥ γ ≥ ½.
    pub fn check(self) -> Result<()> {
        if let Self::GeneralizedAlpha(SpectralRadius(rho)) = self
            && !(0.0..=1.0).contains(&rho)
        {
            let must = "at least 0 and at most 1";
            return Err(Error::BadParameter { name: "time.rho_infinity", value: rho, must });
        }
        let Self::Newmark(Newmark { beta, gamma }) = self else { return Ok(()) };
        if !(0.5..=1.0).contains(&gamma) {
            let must = "at least ½ and at most 1";
            return Err(Error::BadParameter { name: "time.gamma", value: gamma, must });
        }
        if !(2.0 * beta >= gamma && beta <= 1.0) {
            let must = "at least γ/2 and at most 1";
            return Err(Error::BadParameter { name: "time.beta", value: beta, must });
        }
        Ok(())
    }
}

impl fmt::Display for IntegratorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for IntegratorKind {
    type Err = stiction::error::Error;

    fn from_str(name: &str) -> std::result::Result<Self, Self::Err> {
        let unknown = || stiction::error::Error::UnknownName {
            what: "integrator",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        };
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(unknown)
    }
}

impl IntegratorKind {
    /// The factor in s² of potentials in the incremental potential, for steps of length `h` in s.
    pub fn scale(self, h: f64) -> f64 {
        match self {
            Self::ImplicitEuler => h * h,
            Self::Bdf2 => (2.0 * h / 3.0) * (2.0 * h / 3.0),
            Self::Newmark(Newmark { beta, .. }) => beta * h * h,
            Self::GeneralizedAlpha(SpectralRadius(rho)) => generalized_alpha::scale(rho, h),
            Self::QuasiStatic => 1.0,
        }
    }

    /// Whether a step may end with more energy than it has from work: implicit Euler damps everything.
    pub fn may_create_energy(self) -> bool {
        matches!(self, Self::Bdf2 | Self::Newmark(_) | Self::GeneralizedAlpha(_))
    }

    /// Whether masses count.
    pub fn has_inertia(self) -> bool {
        self != Self::QuasiStatic
    }

    /// Prepares a step of length `h` in s.
    pub fn begin<const D: usize>(self, state: &State<D>, h: f64) -> Scheme<D> {
        match self {
            Self::ImplicitEuler => implicit_euler::begin(state, h),
            Self::Bdf2 => bdf2::begin(state, h),
            Self::Newmark(of) => newmark::begin(of, state, h),
            Self::GeneralizedAlpha(SpectralRadius(rho)) => generalized_alpha::begin(rho, state, h),
            Self::QuasiStatic => quasi_static::begin(state, h),
        }
    }

    /// Moves the state to the solution `x` of the step.
    pub fn finish<const D: usize>(self, state: &mut State<D>, scheme: &Scheme<D>, x: Vec<Vector<D>>, h: f64) {
        match self {
            Self::ImplicitEuler | Self::QuasiStatic => implicit_euler::finish(state, scheme, x),
            Self::Bdf2 => bdf2::finish(state, scheme, x, h),
            Self::Newmark(_) => newmark::finish(state, scheme, x),
            Self::GeneralizedAlpha(SpectralRadius(rho)) => {
                generalized_alpha::finish(rho, state, scheme, x, h);
            }
        }
        // What another integrator remembered is out of date.
        if !matches!(self, Self::Bdf2) {
            state.before = None;
        }
        if !matches!(self, Self::Newmark(_) | Self::GeneralizedAlpha(_)) {
            state.a.clear();
        }
        if !matches!(self, Self::GeneralizedAlpha(_)) {
            state.f.clear();
        }
        state.step += 1;
        // A product, not a sum: no drift, and a resumed run sees the same times.
        state.time = state.step as f64 * h;
    }
}
