//! What changes during a simulation.

use stiction::math::Vector;

/// Positions and velocities at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct State<const D: usize> {
    /// Positions in m.
    pub x: Vec<Vector<D>>,
    /// Velocities in m/s.
    pub v: Vec<Vector<D>>,
    /// Time in s.
    pub time: f64,
    /// Steps made.
    pub step: usize,
    /// Barrier stiffness `κ` in J/m⁴, once contact has set it.
    pub kappa: Option<f64>,
}
