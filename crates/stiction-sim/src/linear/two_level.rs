//! A preconditioner on two levels: small clusters of vertices, and rigid motions of large ones.

use std::ops::Range;

use stiction::blocks::Blocks;
use stiction::math::Vector;
use stiction::threads;

use super::clusters::{Clusters, Large};
use super::coarse::Coarse;
use super::rows::{Rows, split};
use super::small_factor::SmallFactor;

/// Rows that a task works on, at least.
const ROWS: usize = 512;

/// A part of all rows, whole clusters.
#[derive(Clone, Debug)]
struct Part {
    rows: Range<usize>,
    large: Range<usize>,
}

/// A symmetric matrix `A` with an approximation `M⁻¹` of its inverse.
///
/// ```text
/// M⁻¹ = S + Q (1 − A S)        S = diag(A₁₁, A₂₂, …)⁻¹        Q = P (PᵀAP)⁻¹ Pᵀ
/// ```
/// `Aₖₖ` is what the matrix is among the vertices of a small cluster (see [`Clusters`]), and `P y` are the rigid motions of the large clusters
/// (see [`Coarse`]). For residuals with `Pᵀ r = 0`, which it leaves and which [`start`](Self::start) begins with, that is symmetric and positive
/// definite [Tang2009]. The bits do not depend on the number of threads.
///
/// Iterations until the error is 10⁻³ of the solution (not counting those that judge it) and CPU milliseconds with all preparations, for matrices of
/// Newton's method: three blocks that slide (24,375 vertices, the 12th iteration of an impact), a mat that is twisted (19,600), a cloth that falls (6,561;
/// large clusters of 32 vertices there):
///
/// | preconditioner | blocks | mat | cloth |
/// | --- | --- | --- | --- |
/// | blocks on the diagonal | 384, 870 ms | 270, 380 ms | 425, 140 ms |
/// | incomplete factors of pieces of 512 vertices | 194, 620 ms | – | fails |
/// | small clusters + shifts of large ones | 69, 380 ms | 68, 250 ms | – |
/// | vertices + rigid motions of large clusters | 43, 310 ms | 103, 340 ms | 125, 120 ms |
/// | small clusters + rigid motions of large ones | 33, 320 ms | 50, 270 ms | 80, 130 ms |
/// | the same, one after the other, as here | 22, 300 ms | 39, 280 ms | – |
///
/// With small clusters of 8 or 32 vertices, or large ones of 128, blocks take 320 to 380 ms.
#[derive(Debug, Default)]
pub(super) struct TwoLevel<const D: usize> {
    /// Whether the next matrix gets clusters of its own.
    is_old: bool,
    rows: Rows<D>,
    clusters: Clusters,
    factors: Vec<SmallFactor>,
    coarse: Coarse<D>,
    parts: Vec<Part>,
}

impl<const D: usize> TwoLevel<D> {
    /// The next matrix gets clusters of its own, and nothing depends on what was solved before; otherwise the clusters of the last matrix are kept,
    /// whatever touches now.
    pub fn renew_clusters(&mut self) {
        self.is_old = true;
        self.coarse.forget();
    }

    /// Which vertex is in each row.
    #[cfg(test)]
    pub fn order(&self) -> &[u32] {
        &self.clusters.order
    }

    /// Prepares for a matrix of vertices that are at `x`, in m. Nothing if the matrix turns out not to be positive definite.
    pub fn set(&mut self, matrix: &Blocks<D>, x: &[Vector<D>]) -> Option<()> {
        if std::mem::take(&mut self.is_old) || self.clusters.order.len() != matrix.vertices() {
            self.clusters = Clusters::new(matrix);
            self.parts = parts(&self.clusters.large);
        }
        let Self { rows, clusters, factors, .. } = self;
        rows.set(matrix, &clusters.order);
        let made = threads::in_chunks_of(ROWS / 16, clusters.small.len(), &|range| {
            clusters.small[range]
                .iter()
                .map(|small| SmallFactor::new(rows, small))
                .collect::<Option<Vec<_>>>()
        });
        factors.clear();
        factors.extend(made.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten());
        self.coarse.set(rows, clusters, &ordered(&clusters.order, x))
    }

    /// Numbers of the vertices by rows.
    pub fn by_rows(&self, of_vertices: &[Vector<D>]) -> Vec<Vector<D>> {
        ordered(&self.clusters.order, of_vertices)
    }

    /// Numbers of the rows by vertices.
    pub fn by_vertices(&self, of_rows: &[Vector<D>]) -> Vec<Vector<D>> {
        let mut out = vec![Vector::ZERO; of_rows.len()];
        for (vertex, number) in self.clusters.order.iter().zip(of_rows) {
            out[*vertex as usize] = *number;
        }
        out
    }

    /// `Q b`: the best motion of rigid clusters.
    pub fn start(&mut self, b: &[Vector<D>]) -> Vec<Vector<D>> {
        let g = self.coarse.restrict(&self.clusters.large, b);
        let mut p = vec![Vector::ZERO; b.len()];
        let y = self.coarse.solve(&g, &p);
        self.add_motion(&y, &mut p);
        p
    }

    /// `out = A p`; returns `pᵀ A p`.
    pub fn multiply(&self, p: &[Vector<D>], out: &mut [Vector<D>]) -> f64 {
        self.sum(out, &|part, out| {
            self.rows.multiply(p, part.rows.clone(), out);
            dot(&p[part.rows.clone()], out)
        })
    }

    /// `z = M⁻¹ r`; returns `rᵀ z`.
    pub fn precondition(&mut self, r: &[Vector<D>], z: &mut [Vector<D>]) -> f64 {
        let mut g = vec![Vec::new(); self.parts.len()];
        let work: Vec<_> = self.parts.iter().zip(self.split(z)).zip(&mut g).collect();
        threads::for_each(work, &|_, ((part, z), g)| {
            let large = &self.clusters.large[part.large.clone()];
            self.smooth(large, r, z);
            *g = self.coarse.restrict(large, r);
        });
        let y = self.coarse.solve(&g.concat(), z);
        self.add_motion(&y, z);
        self.sum(z, &|part, z| dot(&r[part.rows.clone()], z))
    }

    /// `z = S r` in some clusters.
    fn smooth(&self, clusters: &[Large], r: &[Vector<D>], z: &mut [Vector<D>]) {
        let (mut rest, mut memory) = (z, Vec::new());
        for small in clusters.iter().flat_map(|large| large.small.clone()) {
            let rows = self.clusters.small[small].clone();
            let (own, others) = std::mem::take(&mut rest).split_at_mut(rows.len());
            self.factors[small].solve(&r[rows], own, &mut memory);
            rest = others;
        }
    }

    /// `z += P y`.
    fn add_motion(&self, y: &[Vector<D>], z: &mut [Vector<D>]) {
        let work = self.parts.iter().zip(self.split(z)).collect();
        threads::for_each(work, &|_, (part, z): (&Part, &mut [Vector<D>])| {
            for k in part.large.clone() {
                for row in self.clusters.large[k].rows.clone() {
                    z[row - part.rows.start] += self.coarse.motion(row, &y[2 * k..]);
                }
            }
        });
    }

    /// Parts of a list with a number for each row.
    pub fn split<'a, T>(&self, list: &'a mut [T]) -> Vec<&'a mut [T]> {
        split(list, self.parts.iter().map(|part| part.rows.clone()))
    }

    /// The same to read.
    pub fn parts_of<'a, T>(&self, list: &'a [T]) -> Vec<&'a [T]> {
        self.parts.iter().map(|part| &list[part.rows.clone()]).collect()
    }

    /// The sum of `f` of all parts, which are written to.
    fn sum(&self, list: &mut [Vector<D>], f: &(dyn Fn(&Part, &mut [Vector<D>]) -> f64 + Sync)) -> f64 {
        let mut sums = vec![0.0; self.parts.len()];
        let work = self.parts.iter().zip(self.split(list)).zip(&mut sums).collect();
        threads::for_each(work, &|_, ((part, own), sum): ((&Part, &mut [Vector<D>]), &mut f64)| {
            *sum = f(part, own);
        });
        sums.iter().sum()
    }
}

/// Numbers of vertices in an order.
fn ordered<const D: usize>(order: &[u32], of_vertices: &[Vector<D>]) -> Vec<Vector<D>> {
    order.iter().map(|vertex| of_vertices.get(*vertex as usize).copied().unwrap_or(Vector::ZERO)).collect()
}

fn dot<const D: usize>(a: &[Vector<D>], b: &[Vector<D>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// Neighbouring clusters that have enough rows together.
fn parts(large: &[Large]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (k, cluster) in large.iter().enumerate() {
        match parts.last_mut() {
            Some(last) if last.rows.len() < ROWS => {
                (last.rows.end, last.large.end) = (cluster.rows.end, k + 1);
            }
            _ => parts.push(Part { rows: cluster.rows.clone(), large: k..k + 1 }),
        }
    }
    parts
}
