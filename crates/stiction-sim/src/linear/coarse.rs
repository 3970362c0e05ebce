//! Rigid motions of clusters.

use std::ops::Range;

use stiction::assemble::{self, Assembly};
use stiction::blocks::Blocks;
use stiction::math::{Matrix, Vector, vector};
use stiction::stencil::Stencil;
use stiction::threads;

use super::clusters::{Clusters, Large};
use super::fronts::Fronts;
use super::rows::Rows;

/// Clusters that a task works on.
const CLUSTERS: usize = 8;

/// Stiffness against turning that a cluster has at least, relative to that against shifting: a single vertex cannot turn.
const LEAST_STIFFNESS: f64 = 1e-8;

/// A block of `A P`: its row, and what shifting and turning a cluster does there.
type Entry<const D: usize> = (u32, [Matrix<D>; 2]);

/// A block of `PᵀAP`: two clusters, and what shifting and turning one does to the other.
type Pair<const D: usize> = ([u32; 2], [[Matrix<D>; 2]; 2]);

/// The motions `P y` in which each cluster is rigid, and `A` among them.
///
/// ```text
/// (P y)ᵢ = sₖ + Xᵢ tₖ     for vertex i of cluster k, y = (s₁, t₁, s₂, t₂, …)
/// Xᵢ t = t × (xᵢ − x̄ₖ)/Rₖ in 3D,     (t₁ J + t₂)(xᵢ − x̄ₖ)/Rₖ in 2D, with a turn J by 90°
/// ```
/// `x̄ₖ` and `Rₖ` are the mean of the places `x` of the cluster's vertices and their distance from it (root mean square). A plane cluster can grow besides: `t`
/// has two numbers then, too, and `PᵀAP` has blocks as `A` has.
#[derive(Debug, Default)]
pub(super) struct Coarse<const D: usize> {
    /// `X`.
    turns: Vec<Matrix<D>>,
    /// `A P` by clusters, rows ascending.
    products: Vec<Vec<Entry<D>>>,
    /// `PᵀAP`.
    fronts: Fronts,
}

impl<const D: usize> Coarse<D> {
    /// From now on nothing depends on what was solved before.
    pub fn forget(&mut self) {
        self.fronts.begin_step();
    }

    /// Takes the motions of the large clusters of a matrix whose rows are at `x`, in m. Nothing if it is not positive definite.
    pub fn set(&mut self, rows: &Rows<D>, clusters: &Clusters, x: &[Vector<D>]) -> Option<()> {
        let large = &clusters.large;
        let turns = of_each(large.len(), &|k| turns(&x[large[k].rows.clone()])).concat();
        let products: Vec<Vec<Entry<D>>> = of_each(large.len(), &|k| products(rows, &turns, &large[k].rows));
        let mut of_row = vec![0; rows.len()];
        for (k, cluster) in large.iter().enumerate() {
            of_row[cluster.rows.clone()].fill(k as u32);
        }
        let pairs = of_each(large.len(), &|k| pairs(k as u32, &products[k], &turns, &of_row)).concat();
        let matrix = assembled(large.len(), &pairs);
        (self.turns, self.products) = (turns, products);
        self.fronts.of(matrix.pattern())?.factorise(&matrix, &[])
    }

    /// `Pᵀ r` of some clusters.
    pub fn restrict(&self, clusters: &[Large], r: &[Vector<D>]) -> Vec<[Vector<D>; 2]> {
        let of = |cluster: &Large| {
            let mut sum = [Vector::ZERO; 2];
            for row in cluster.rows.clone() {
                sum[0] += r[row];
                sum[1] += transposed_product(&self.turns[row], r[row]);
            }
            sum
        };
        clusters.iter().map(of).collect()
    }

    /// `(P y)` of some rows of a cluster that moves by `y`.
    pub fn motion(&self, row: usize, y: &[Vector<D>]) -> Vector<D> {
        y[0] + self.turns[row] * y[1]
    }

    /// `(PᵀAP)⁻¹ (g − PᵀA z)`.
    pub fn solve(&mut self, g: &[[Vector<D>; 2]], z: &[Vector<D>]) -> Vec<Vector<D>> {
        let products = &self.products;
        let rest = of_each(g.len(), &|k| {
            let mut rest = g[k];
            for (row, blocks) in &products[k] {
                for (rest, block) in rest.iter_mut().zip(blocks) {
                    *rest -= transposed_product(block, z[*row as usize]);
                }
            }
            rest
        });
        self.fronts.last().substitute(rest.as_flattened())
    }
}

/// `f` of all clusters.
fn of_each<R: Send>(count: usize, f: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    threads::in_chunks_of(CLUSTERS, count, &|range| range.map(f).collect::<Vec<R>>())
        .into_iter()
        .flatten()
        .collect()
}

/// `Aᵀ v`.
#[inline]
fn transposed_product<const D: usize>(a: &Matrix<D>, v: Vector<D>) -> Vector<D> {
    let mut sum = Vector::ZERO;
    for k in 0..D {
        for l in 0..D {
            sum[l] += a.0[k][l] * v[k];
        }
    }
    sum
}

/// `X` of a cluster.
fn turns<const D: usize>(x: &[Vector<D>]) -> Vec<Matrix<D>> {
    let mean = x.iter().fold(Vector::ZERO, |sum, x| sum + *x) * (1.0 / x.len() as f64);
    let square = x.iter().map(|x| (*x - mean).norm_squared()).sum::<f64>() / x.len() as f64;
    let per_radius = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
    let of = |x: &Vector<D>| {
        let r = (*x - mean) * per_radius;
        if D == 2 {
            Matrix::from_columns(std::array::from_fn(|k| if k == 0 { vector::turn(r) } else { r }))
        } else {
            Matrix::cross(-r)
        }
    };
    x.iter().map(of).collect()
}

/// The part of `A P` that belongs to a cluster.
fn products<const D: usize>(rows: &Rows<D>, turns: &[Matrix<D>], cluster: &Range<usize>) -> Vec<Entry<D>> {
    let mut places: Vec<u32> =
        cluster.clone().flat_map(|row| rows.row(row).map(|(column, _)| column as u32)).collect();
    places.sort_unstable();
    places.dedup();
    let mut out: Vec<Entry<D>> = places.iter().map(|row| (*row, [Matrix::ZERO; 2])).collect();
    for row in cluster.clone() {
        for (column, block) in rows.row(row) {
            // The matrix is symmetric: this is block (row, column), transposed.
            let block = block.transpose();
            if let Ok(place) = places.binary_search(&(column as u32)) {
                out[place].1[0] += block;
                out[place].1[1] += block * turns[row];
            }
        }
    }
    out
}

/// The blocks of `PᵀAP` on and below the diagonal in the columns of cluster `k`.
fn pairs<const D: usize>(k: u32, entries: &[Entry<D>], turns: &[Matrix<D>], of_row: &[u32]) -> Vec<Pair<D>> {
    let mut out: Vec<Pair<D>> = Vec::new();
    for (row, [shift, turn]) in entries {
        let row = *row as usize;
        let other = of_row[row];
        if other < k {
            continue;
        }
        let transposed = turns[row].transpose();
        let own = [[*shift, *turn], [transposed * *shift, transposed * *turn]];
        match out.last_mut() {
            Some((clusters, sum)) if clusters[0] == other => {
                for (sum, own) in sum.as_flattened_mut().iter_mut().zip(own.as_flattened()) {
                    *sum += *own;
                }
            }
            _ => out.push(([other, k], own)),
        }
    }
    out
}

/// `PᵀAP`, with two vertices for each cluster.
fn assembled<const D: usize>(count: usize, pairs: &[Pair<D>]) -> Blocks<D> {
    let (own, others): (Vec<Pair<D>>, Vec<Pair<D>>) = pairs.iter().copied().partition(|([a, b], _)| a == b);
    let single = |_: usize, ([k, _], _): &Pair<D>| Stencil([2 * k, 2 * k + 1]);
    let pair = |_: usize, ([l, k], _): &Pair<D>| Stencil([2 * l, 2 * l + 1, 2 * k, 2 * k + 1]);
    let mut matrix = Blocks::default();
    matrix.begin(2 * count, |stencils| {
        stencils.push(own.iter().map(|own| single(0, own)));
        stencils.push(others.iter().map(|other| pair(0, other)));
    });
    let out = &mut Assembly::Matrix(&mut matrix);
    assemble::hessian(&own, out, single, |_, (_, blocks)| {
        let mut blocks = *blocks;
        let stiffness: f64 = (0..D).map(|k| blocks[0][0].0[k][k]).sum();
        blocks[1][1] += Matrix::scalar(LEAST_STIFFNESS * stiffness);
        blocks
    });
    assemble::hessian(&others, out, pair, |_, (_, [[a, b], [c, d]])| {
        let zero = Matrix::ZERO;
        [
            [zero, zero, *a, *b],
            [zero, zero, *c, *d],
            [a.transpose(), c.transpose(), zero, zero],
            [b.transpose(), d.transpose(), zero, zero],
        ]
    });
    matrix.finish();
    matrix
}
