//! Contacts as friction sees them: normal force, plane and coefficient, frozen.

use crate::math::Vector;
use crate::stencil::Stencil;

/// A contact whose normal force and geometry are held fixed ("lagged").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide<const D: usize, const N: usize> {
    /// Its vertices.
    pub stencil: Stencil<N>,
    /// Weights of the vertices in the relative velocity `Σ cᵢ vᵢ` of the closest points.
    pub c: [f64; N],
    /// Unit normal of the sliding plane.
    pub normal: Vector<D>,
    /// Normal force λ in N.
    pub force: f64,
    /// Friction coefficient μ.
    pub mu: f64,
}

impl<const D: usize, const N: usize> Slide<D, N> {
    /// The tangential part `T Σ cᵢ vᵢ`, `T = I − nnᵀ`, of a relative field such as the velocity.
    #[inline]
    pub fn tangential(&self, field: &[Vector<D>; N]) -> Vector<D> {
        let mut sum = Vector::ZERO;
        for i in 0..N {
            sum += field[i] * self.c[i];
        }
        sum - self.normal * self.normal.dot(sum)
    }
}

/// All slides, by kind of contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Slides<const D: usize> {
    /// A vertex on an obstacle.
    pub obstacle: Vec<Slide<D, 1>>,
    /// Two vertices.
    pub vv: Vec<Slide<D, 2>>,
    /// A vertex and an edge.
    pub ve: Vec<Slide<D, 3>>,
    /// Two edges, also nearly parallel ones.
    pub ee: Vec<Slide<D, 4>>,
    /// A vertex and a face.
    pub vf: Vec<Slide<D, 4>>,
}

impl<const D: usize> Default for Slides<D> {
    fn default() -> Self {
        Self { obstacle: vec![], vv: vec![], ve: vec![], ee: vec![], vf: vec![] }
    }
}

impl<const D: usize> Slides<D> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.obstacle.len() + self.vv.len() + self.ve.len() + self.ee.len() + self.vf.len()
    }

    /// Whether there is no friction at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
