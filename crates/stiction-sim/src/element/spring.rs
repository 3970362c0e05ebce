//! Segments that resist stretching.

use stiction::distance::Psd;
use stiction::math::{Matrix, Vector};
use stiction::stencil::Stencil;

use super::Element;

/// The shortest length, relative to that at rest, that is divided by.
const SHORTEST: f64 = 1e-12;

/// A straight segment of a rod, or a spring.
///
/// ```text
/// E = ½ EA L (l/L − 1)²        l = |x₁ − x₀|        d = (x₁ − x₀)/l
/// ∂E/∂x₁ = EA (l/L − 1) d      ∂²E/∂x₁∂x₁ = EA/L (ddᵀ + (1 − L/l)(I − ddᵀ))
/// ```
/// with length `L` at rest in m and stiffness `EA` in N, Young's modulus times cross-section. The eigenvalue across is negative
/// where the segment is compressed: it gives way sideways. Finite for every length; without length there is no direction and no force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Its vertices.
    pub stencil: Stencil<2>,
    /// `L` in m.
    pub length: f64,
    /// `EA` in N.
    pub stiffness: f64,
}

impl Spring {
    /// The segment between two vertices at positions `rest`. Its length may be 0: the caller checks.
    ///
    /// # Panics
    /// If a vertex is not in `rest`.
    pub fn new<const D: usize>(stencil: Stencil<2>, rest: &[Vector<D>], stiffness: f64) -> Self {
        let [a, b] = stencil.gather(rest);
        Self { stencil, length: (b - a).norm(), stiffness }
    }
}

impl<const D: usize> Element<D, 2> for Spring {
    fn stencil(&self) -> Stencil<2> {
        self.stencil
    }

    fn energy(&self, x: &[Vector<D>; 2]) -> f64 {
        let strain = (x[1] - x[0]).norm() / self.length - 1.0;
        0.5 * self.stiffness * self.length * strain * strain
    }

    fn gradient(&self, x: &[Vector<D>; 2]) -> [Vector<D>; 2] {
        let way = x[1] - x[0];
        let force = way.normalized() * (self.stiffness * (way.norm() / self.length - 1.0));
        [-force, force]
    }

    fn hessian(&self, x: &[Vector<D>; 2], psd: Psd) -> [[Matrix<D>; 2]; 2] {
        let way = x[1] - x[0];
        let along = way.normalized().outer(way.normalized());
        let k = self.stiffness / self.length;
        let length = way.norm().max(SHORTEST * self.length);
        let across = psd.apply(k * (1.0 - self.length / length));
        let h = along * k + (Matrix::scalar(1.0) - along) * across;
        [[h, h * -1.0], [h * -1.0, h]]
    }
}
