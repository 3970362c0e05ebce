//! How an axis of anisotropic friction turns with its contact.

use std::array::from_fn;

use crate::math::vector::turn;
use crate::math::{Matrix, Vector};
use crate::tangent;

/// Part of a direction that must be left in the plane: less is rounding.
const LEFT: f64 = 1e-9;

/// What the axis of a contact follows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<const D: usize> {
    /// A direction that is held.
    Held(Vector<D>),
    /// The edge between two vertices of the stencil, given by their places in it.
    Edge([usize; 2]),
    /// The normal alone.
    Normal,
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
    pub(super) fn new(
        source: Source<D>,
        x: &[Vector<D>; N],
        (n, by_x): (Vector<D>, &[Matrix<D>; N]),
    ) -> Self {
        match source {
            Source::Normal => Self::of_normal(n, by_x),
            Source::Held(a) => Self::projected(a, [0.0; N], (n, by_x)).unwrap_or(Self::NONE),
            Source::Edge([i, j]) => {
                let sign = |k: usize| f64::from(u8::from(k == j)) - f64::from(u8::from(k == i));
                let along = Self::projected(x[j] - x[i], from_fn(sign), (n, by_x));
                along.unwrap_or_else(|| Self::of_normal(n, by_x))
            }
        }
    }

    /// Of `a`, whose derivatives are multiples of 1; nothing where `a` is along the normal.
    fn projected(a: Vector<D>, by_x: [f64; N], (n, by_n): (Vector<D>, &[Matrix<D>; N])) -> Option<Self> {
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
        let [by_0, by_1] = [0, 1].map(|k| n.norm_squared() - n[k] * n[k]);
        let cross = Matrix::cross(Vector::axis(usize::from(by_0 <= by_1)));
        Self::unit(cross * n, |k| cross * by_n[k])
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

/// Only the axis.
pub(super) fn direction<const D: usize, const N: usize>(
    source: Source<D>,
    x: &[Vector<D>; N],
    n: Vector<D>,
) -> Vector<D> {
    let projected = |a: Vector<D>| {
        let q = a - n * n.dot(a);
        (q.norm() > LEFT * a.norm()).then(|| q.normalized())
    };
    let own = || tangent::vertex_vertex(&[Vector::ZERO, n]).basis[0];
    match source {
        Source::Held(a) => projected(a).unwrap_or(Vector::ZERO),
        Source::Edge([i, j]) => projected(x[j] - x[i]).unwrap_or_else(own),
        Source::Normal => own(),
    }
}
