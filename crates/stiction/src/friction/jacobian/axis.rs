//! How an axis of anisotropic friction turns with its contact.

use std::array::from_fn;

use crate::friction::axis::LEFT;
use crate::math::vector::{cross, turn};
use crate::math::{Matrix, Vector};

/// What the axis of a contact follows: the first that is not along the normal, and without any the normal alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<const D: usize> {
    /// A direction that is held.
    pub(super) held: Option<Vector<D>>,
    /// The edge between two vertices of the stencil, given by their places in it.
    pub(super) edge: Option<[usize; 2]>,
}

/// An axis in the plane with its derivatives by the vertices, in 1/m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis<const D: usize, const N: usize> {
    pub(super) t: Vector<D>,
    pub(super) by_x: [Matrix<D>; N],
}

impl<const D: usize, const N: usize> Axis<D, N> {
    /// No axis.
    pub(super) const NONE: Self = Self { t: Vector::ZERO, by_x: [Matrix::ZERO; N] };

    /// The axis of a contact with unit normal `n` and its derivatives `by_x`.
    ///
    /// ```text
    /// q = T a  (held a, or an edge)   or  e × n        t = q/|q|        ∂t = (I − ttᵀ) ∂q/|q|
    /// ∂q = T ∂a − (n·a) ∂n − n (a·∂n)              or  e × ∂n
    /// ```
    pub(super) fn new(source: Source<D>, x: &[Vector<D>; N], n: Vector<D>, by_x: &[Matrix<D>; N]) -> Self {
        let held = source.held.and_then(|a| Self::projected(a, [0.0; N], n, by_x));
        let along = || {
            let [i, j] = source.edge?;
            let sign = |k: usize| f64::from(u8::from(k == j)) - f64::from(u8::from(k == i));
            Self::projected(x[j] - x[i], from_fn(sign), n, by_x)
        };
        held.or_else(along).unwrap_or_else(|| Self::of_normal(n, by_x))
    }

    /// Of `a`, whose derivatives are multiples of 1; nothing where `a` is along the normal.
    fn projected(a: Vector<D>, by_x: [f64; N], n: Vector<D>, by_n: &[Matrix<D>; N]) -> Option<Self> {
        let along = n.dot(a);
        let q = a - n * along;
        let plane = Matrix::scalar(1.0) - n.outer(n);
        let slope = |k: usize| plane * by_x[k] - by_n[k] * along - n.outer(by_n[k].transpose() * a);
        (q.norm() > LEFT * a.norm()).then(|| Self::unit(q, slope))
    }

    /// As two vertices have it, see [`tangent`].
    fn of_normal(n: Vector<D>, by_n: &[Matrix<D>; N]) -> Self {
        if D == 2 {
            let quarter = Matrix::from_columns(from_fn(|k| turn(Vector::axis(k))));
            return Self::unit(turn(n), |k| quarter * by_n[k]);
        }
        // Exactly as the tangents do: where both are as long, rounding decides.
        let [by_0, by_1] = [0, 1].map(|k| cross(Vector::axis(k), n).norm_squared());
        let turned = Matrix::cross(Vector::axis(usize::from(by_0 <= by_1)));
        Self::unit(turned * n, |k| turned * by_n[k])
    }

    fn unit(q: Vector<D>, slope: impl Fn(usize) -> Matrix<D>) -> Self {
        let length = q.norm();
        if length == 0.0 {
            return Self::NONE;
        }
        let t = q * (1.0 / length);
        let across = (Matrix::scalar(1.0) - t.outer(t)) * (1.0 / length);
        Self { t, by_x: from_fn(|k| across * slope(k)) }
    }
}
