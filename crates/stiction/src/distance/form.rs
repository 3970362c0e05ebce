//! The blocks of a local Hessian.

#![allow(clippy::inline_always)]

use crate::math::{Matrix, Vector};

/// What every Hessian here comes down to: one matrix, two vectors and four numbers, spread over the
/// vertices by weights `c` and directions `Cₚ`.
///
/// ```text
/// Hᵢⱼ = cᵢcⱼ K + cⱼ r tᵢᵀ + cᵢ tⱼ rᵀ + wᵢⱼ rrᵀ      tᵢ = Σₚ Cₚᵢ bₚ     wᵢⱼ = Σₚᵩ Cₚᵢ Wₚᵩ Cᵩⱼ
///     = cᵢ Mⱼ + r qᵢⱼᵀ                              Mⱼ = cⱼ K + tⱼ rᵀ     qᵢⱼ = cⱼ tᵢ + wᵢⱼ r
/// ```
/// `K` and `W` are symmetric.
pub(super) struct Form<const D: usize, const N: usize> {
    pub(super) c: [f64; N],
    pub(super) directions: [[f64; N]; 2],
    pub(super) r: Vector<D>,
    pub(super) k: Matrix<D>,
    pub(super) b: [Vector<D>; 2],
    pub(super) w: [[f64; 2]; 2],
}

impl<const D: usize, const N: usize> Form<D, N> {
    /// All blocks: those with i ≤ j by the second line, the others as their transposes.
    ///
    /// Columns and entries are written out: a loop over them stays a loop, and then the zeros of the
    /// directions cannot fold.
    #[inline(always)]
    pub(super) fn blocks(&self) -> [[Matrix<D>; N]; N] {
        let mut h = [[Matrix::ZERO; N]; N];
        self.column(0, &mut h);
        self.column(1, &mut h);
        self.column(2, &mut h);
        self.column(3, &mut h);
        h
    }

    #[inline(always)]
    fn column(&self, j: usize, h: &mut [[Matrix<D>; N]; N]) {
        if j < N {
            let m = self.m(j);
            self.entry(0, j, m, h);
            self.entry(1, j, m, h);
            self.entry(2, j, m, h);
            self.entry(3, j, m, h);
        }
    }

    /// `Hᵢⱼ` and its transpose, for i ≤ j.
    #[inline(always)]
    fn entry(&self, i: usize, j: usize, m: Matrix<D>, h: &mut [[Matrix<D>; N]; N]) {
        if i > j {
            return;
        }
        let mut block = m * self.c[i];
        if let Some(t) = self.t(i) {
            block += self.r.outer(t * self.c[j] + self.r * self.w(i, j));
        }
        h[i][j] = block;
        if i < j {
            h[j][i] = block.transpose();
        }
    }

    /// `Mⱼ`.
    #[inline(always)]
    fn m(&self, j: usize) -> Matrix<D> {
        let m = self.k * self.c[j];
        self.t(j).map_or(m, |t| m + t.outer(self.r))
    }

    /// `tᵢ`; nothing for a vertex that no direction touches.
    #[inline(always)]
    fn t(&self, i: usize) -> Option<Vector<D>> {
        let (c0, c1) = (self.directions[0][i], self.directions[1][i]);
        match (c0 == 0.0, c1 == 0.0) {
            (true, true) => None,
            (false, true) => Some(self.b[0] * c0),
            (true, false) => Some(self.b[1] * c1),
            (false, false) => Some(self.b[0] * c0 + self.b[1] * c1),
        }
    }

    /// `wᵢⱼ`.
    #[inline(always)]
    fn w(&self, i: usize, j: usize) -> f64 {
        let mut sum = 0.0;
        for p in 0..2 {
            for q in 0..2 {
                let factor = self.directions[p][i] * self.directions[q][j];
                if factor != 0.0 {
                    sum += factor * self.w[p][q];
                }
            }
        }
        sum
    }
}
