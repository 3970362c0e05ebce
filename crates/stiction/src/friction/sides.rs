//! The two sides of a contact.

use std::ops::Range;

use super::law::Mu;
use crate::stencil::Pair;

/// The vertices of a contact between two primitives, with their weights at the closest points.
///
/// ```text
/// r = Σᵢ cᵢ xᵢ        Σ cᵢ = 1 on the first side (i < first) and −1 on the second
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sides<const N: usize> {
    /// The vertices.
    pub vertices: [u32; N],
    /// `c`.
    pub c: [f64; N],
    /// How many vertices the first primitive has.
    pub first: usize,
}

/// How many vertices the first primitive of a pair has: those before the first that enters `r` with a minus.
pub const fn first_side<const N: usize>(pair: &Pair<N>) -> usize {
    let mut first = 0;
    while first < N && pair.base[first] >= 0.0 {
        first += 1;
    }
    first
}

impl<const N: usize> Sides<N> {
    /// Weight of vertex `i` on its own side.
    #[inline]
    pub fn weight(&self, i: usize) -> f64 {
        if i < self.first { self.c[i] } else { -self.c[i] }
    }

    /// A value of every vertex, interpolated at the closest point of each side.
    #[inline]
    pub fn interpolate(&self, value: impl Fn(u32) -> Mu) -> [Mu; 2] {
        let side = |range: Range<usize>| {
            let mut sum = Mu::default();
            for i in range {
                let (mu, weight) = (value(self.vertices[i]), self.weight(i));
                (sum.s, sum.k) = (sum.s + weight * mu.s, sum.k + weight * mu.k);
            }
            sum
        };
        [side(0..self.first), side(self.first..N)]
    }
}
