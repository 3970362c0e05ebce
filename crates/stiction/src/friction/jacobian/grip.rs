//! A contact with all that friction takes from it, and how that changes with the positions.

use super::axis::{Axis, Source};
use crate::barrier::{Barrier, BarrierLaw};
use crate::contact::{Contact, ParallelContact};
use crate::distance::Separation;
use crate::math::{Matrix, Vector};
use crate::mollifier;
use crate::obstacle::Obstacle;
use crate::stencil::Pair;

/// Normal force, plane and closest points of a contact, and their derivatives by its vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grip<const D: usize, const N: usize> {
    /// Weights of the vertices in the relative velocity.
    pub(super) c: [f64; N],
    /// `Cₚ = ∂c/∂αₚ`.
    pub(super) directions: [[f64; N]; 2],
    /// `∂αₚ/∂xᵢ`, in 1/m.
    pub(super) alpha_by_x: [[Vector<D>; N]; 2],
    /// `n`.
    pub(super) n: Vector<D>,
    /// `∂n/∂xᵢ`, in 1/m.
    pub(super) n_by_x: [Matrix<D>; N],
    /// λ for a weight of 1, in N.
    pub(super) per_weight: f64,
    /// The weight.
    pub(super) weight: f64,
    /// `∂λ/∂xᵢ`, in N/m.
    pub(super) lambda_by_x: [Vector<D>; N],
}

impl<const D: usize, const N: usize> Grip<D, N> {
    /// Of two primitives.
    ///
    /// ```text
    /// λ = κ w L(d) ,  L = −2d f′(d²)        ∂λ/∂xᵢ = κ w L′ cᵢ n
    /// ```
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the constants of the pair fold")]
    pub(super) fn of_pair<B: Barrier>(
        pair: &Pair<N>,
        x: &[Vector<D>; N],
        law: &BarrierLaw<B>,
        kappa: f64,
        weight: f64,
    ) -> Self {
        let separation = Separation::new(pair, x);
        let (force, slope) = law.force_and_slope(separation.distance_squared());
        let n = separation.normal();
        let mut directions = [[0.0; N]; 2];
        directions[..pair.free].copy_from_slice(&pair.directions[..pair.free]);
        Self {
            c: separation.c,
            directions,
            alpha_by_x: separation.alpha_jacobian(),
            n,
            n_by_x: separation.normal_jacobian(),
            per_weight: kappa * force,
            weight,
            lambda_by_x: separation.c.map(|c| n * (kappa * weight * slope * c)),
        }
    }

    /// λ in N.
    #[inline]
    pub(super) fn lambda(&self) -> f64 {
        self.per_weight * self.weight
    }

    /// The axis of anisotropic friction that follows `source`.
    pub(super) fn axis(&self, source: Source<D>, x: &[Vector<D>; N]) -> Axis<D, N> {
        Axis::new(source, x, self.n, &self.n_by_x)
    }
}

impl<const D: usize> Grip<D, 4> {
    /// Of two nearly parallel edges: λ has the mollifier m as a factor.
    pub(super) fn of_parallel<B: Barrier>(
        c: &ParallelContact,
        x: &[Vector<D>; 4],
        law: &BarrierLaw<B>,
        kappa: f64,
    ) -> Self {
        let Contact { weight, .. } = c.contact;
        let mut grip = Self::of_pair(&c.pair(), x, law, kappa, weight);
        let s = mollifier::cross_squared(x);
        let (m, (m1, _)) = (mollifier::value(s, c.threshold), mollifier::derivatives(s, c.threshold));
        let (by_m, by_x) = (grip.lambda(), mollifier::cross_squared_gradient(x));
        for i in 0..4 {
            grip.lambda_by_x[i] = grip.lambda_by_x[i] * m + by_x[i] * (by_m * m1);
        }
        grip.per_weight *= m;
        grip
    }

    /// Adds how λ changes with the edges at rest while `x` is held: through the threshold of the mollifier m, given `by_m = ∂λ/∂m` in N.
    pub(super) fn with_rest(mut self, x: &[Vector<D>; 4], rest: &[Vector<D>; 4], by_m: f64) -> Self {
        let by_rest = mollifier::rest_gradient(x, rest);
        for i in 0..4 {
            self.lambda_by_x[i] += by_rest[i] * by_m;
        }
        self
    }
}

impl<const D: usize> Grip<D, 1> {
    /// Of a vertex and an obstacle: `∂n/∂x` is the curvature of the distance.
    pub(super) fn of_obstacle<B: Barrier>(
        obstacle: &Obstacle<D>,
        x: Vector<D>,
        law: &BarrierLaw<B>,
        kappa: f64,
        weight: f64,
    ) -> Self {
        let (d, n) = (obstacle.distance(x), obstacle.normal(x));
        let (force, slope) = law.force_and_slope(d * d);
        Self {
            c: [1.0],
            directions: [[0.0]; 2],
            alpha_by_x: [[Vector::ZERO]; 2],
            n,
            n_by_x: [obstacle.curvature(x)],
            per_weight: kappa * force,
            weight,
            lambda_by_x: [n * (kappa * weight * slope)],
        }
    }
}
