//! What changes during a simulation.

use stiction::contact::ContactMemory;
use stiction::math::Vector;

/// Three numbers for each contact: [`BIRTH`], [`SLIP`], [`HEAT`].
pub type Memory = ContactMemory<3>;

/// The time in s at which a contact began: 0 if it was there at the start, else the end of the step in which it was found.
pub const BIRTH: usize = 0;

/// The distance in m that its two sides have slid on each other since, however they turned: never less than it was.
pub const SLIP: usize = 1;

/// The heat in J that friction has made in it since.
pub const HEAT: usize = 2;

/// Positions and velocities at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct State<const D: usize> {
    /// Positions of the nodes in m; [`Model::surface_at`](crate::model::Model::surface_at) has those of the surface.
    pub q: Vec<Vector<D>>,
    /// Velocities of the nodes in m/s.
    pub v: Vec<Vector<D>>,
    /// Time in s.
    pub time: f64,
    /// Steps made.
    pub step: usize,
    /// Accelerations in m/s², for integrators that use them; none before their first step.
    pub a: Vec<Vector<D>>,
    /// Forces divided by masses, in m/s², for integrators that weigh those of two steps; none before their first step.
    pub f: Vec<Vector<D>>,
    /// One step earlier, for integrators that use it: a whole one, also where it was made in substeps.
    pub before: Option<Before<D>>,
    /// Barrier stiffness `κ` in J/m⁴, once contact has set it.
    pub kappa: Option<f64>,
    /// Energy in J that the integrator has lost and may take back, see [`Balance`](crate::balance::Balance).
    pub reserve: f64,
    /// What each contact remembers, see [`memory`](crate::memory): none before the first step.
    pub memory: Memory,
}

/// What integrators of two steps remember.
#[derive(Clone, Debug, PartialEq)]
pub struct Before<const D: usize> {
    /// Positions in m.
    pub q: Vec<Vector<D>>,
    /// Velocities in m/s.
    pub v: Vec<Vector<D>>,
    /// Length in s of the step from there to now.
    pub h: f64,
}
