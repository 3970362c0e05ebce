//! What changes during a simulation.

use stiction::contact::{ContactKey, ContactMemory};
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
    /// Accelerations of the nodes at the end of the last step, in m/s²: for results only. None before the first step, and without inertia.
    pub acceleration: Vec<Vector<D>>,
    /// Friction of the last step: for results only.
    pub friction: FrictionForces<D>,
}

/// The forces of friction at the end of a step. Those of normal contact follow from positions, these do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionForces<const D: usize> {
    /// On every vertex of the surface, in N; none without friction, and before the first step.
    pub on_vertices: Vec<Vector<D>>,
    /// In every contact with friction, ascending by keys.
    pub in_contacts: Vec<ContactFriction<D>>,
}

/// Friction in one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactFriction<const D: usize> {
    /// Which contact.
    pub key: ContactKey,
    /// Its vertices; those beyond as many as its kind has are 0.
    pub vertices: [u32; 4],
    /// Their weights: the force `F` acts on vertex `i` as `cᵢ F`. Those of the first side sum to 1, of the second to −1.
    pub weights: [f64; 4],
    /// The force on its first side, in N.
    pub force: Vector<D>,
    /// How fast it slides, in m/s.
    pub speed: f64,
    /// Whether it sticks.
    pub sticks: bool,
    /// The heat that it made in the last step, or in the last of its substeps, in J.
    pub heat: f64,
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
