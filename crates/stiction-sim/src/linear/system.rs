//! What is to be solved, and how well.

use stiction::blocks::Blocks;
use stiction::math::Vector;

/// A linear system `A p = b` of Newton's method.
#[derive(Clone, Copy, Debug)]
pub struct System<'a, const D: usize> {
    /// `A` in N/m.
    pub matrix: &'a Blocks<D>,
    /// `b` in N.
    pub b: &'a [Vector<D>],
    /// Where the unknowns are, in m: what turns like a rigid body is known then. Need not be known.
    pub places: &'a [Vector<D>],
    /// A solution in which a vertex goes further than this, in m, is none: its matrix is singular, to rounding.
    pub longest: f64,
}

/// How well conjugate gradients solve a system: until `‖error‖ ≤ η ‖p‖`, both measured by `‖p‖² = pᵀAp`.
///
/// ```text
/// η = ‖p‖²/‖p before‖²     at least `fine`, at most `coarse`     [Eisenstat1996]
/// ```
/// As long as Newton's method goes slowly, better directions do not make it faster; once it converges quadratically, so does it still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The largest `η`.
    pub coarse: f64,
    /// The smallest `η`.
    pub fine: f64,
    /// `‖p‖²` in J of Newton's iteration before, if there is one.
    pub before: Option<f64>,
    /// Where no vertex goes further than this, in m, the direction is as good as `fine` says: the iterations may end with it.
    pub short: f64,
}

impl Precision {
    /// As good as rounding lets it be, nearly.
    pub const FULL: Self = Self { coarse: 1e-10, fine: 1e-10, before: None, short: 0.0 };

    /// `η` for a solution with this `‖p‖²`, in J.
    pub fn relative(&self, square: f64) -> f64 {
        self.before.map_or(self.coarse, |before| (square / before).max(self.fine).min(self.coarse))
    }
}
