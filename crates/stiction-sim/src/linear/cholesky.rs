//! Sparse Cholesky factorisation: which way suits a matrix.

use stiction::blocks::Blocks;
use stiction::math::Vector;

use super::Sequential;
use super::fronts::Fronts;

/// Vertices from which a matrix is worth a search for a better order, and threads.
const MANY: usize = 2000;

/// A solver for symmetric positive definite block matrices.
///
/// Below 2000 vertices, what it does depends on the matrix alone. Above, it keeps an order of elimination, and fronts with a place for every block, within a
/// time [step](Self::begin_step). What was solved before the step leaves no trace, so a run that is resumed goes on with the same bits. These are the
/// same for any number of threads.
#[derive(Debug, Default)]
pub struct Cholesky {
    small: Sequential,
    large: Fronts,
}

impl Cholesky {
    /// Solves `A p = b`.
    ///
    /// `shifts`, one for each vertex or none, are added to the diagonal. Returns nothing where the matrix is not positive definite.
    pub fn solve<const D: usize>(
        &mut self,
        matrix: &Blocks<D>,
        b: &[Vector<D>],
        shifts: &[f64],
    ) -> Option<Vec<Vector<D>>> {
        if b.len() < MANY {
            return self.small.solve(matrix, b, shifts);
        }
        self.large.of(matrix.pattern())?.solve(matrix, b, shifts)
    }

    /// From now on nothing depends on what was solved before.
    pub fn begin_step(&mut self) {
        self.large.begin_step();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assembly_tree::AssemblyTree;
    use crate::linear::graph::Graph;
    use crate::linear::multifrontal::Multifrontal;
    use crate::linear::order;
    use crate::linear::samples::{grid, matrix, random, random_pairs, vectors};
    use rayon::ThreadPoolBuilder;
    use stiction::blocks::Pattern;

    /// Graphs of all kinds: solids, sheets, chains, random ones, in pieces, with a vertex that touches all others.
    fn graphs() -> Vec<(u32, Vec<[u32; 2]>)> {
        let seed = &mut 11;
        let mut graphs = vec![(0, vec![]), (1, vec![]), (7, vec![]), (2, vec![[0, 1]])];
        graphs.extend([[9, 9, 9], [40, 40, 1], [500, 1, 1], [3, 3, 60], [20, 15, 4]].map(grid));
        graphs.extend(
            [(60, 50), (300, 250), (300, 900), (900, 3000)].map(|(n, m)| (n, random_pairs(n, m, seed))),
        );
        let (n, mut pairs) = grid([12, 12, 3]);
        pairs.extend((1..n).map(|v| [0, v]));
        graphs.push((n, pairs));
        // Two blocks in contact, the second after the first.
        let (n, one) = grid([8, 8, 8]);
        let mut two: Vec<_> = one.iter().copied().chain(one.iter().map(|pair| pair.map(|v| v + n))).collect();
        two.extend((0..64).map(|v| [n - 64 + v, n + (v * 7) % 64]));
        graphs.push((2 * n, two));
        graphs
    }

    fn analyse(pattern: &Pattern) -> Option<Multifrontal> {
        let graph = Graph::new(pattern);
        Some(Multifrontal::new(AssemblyTree::new(&graph, &order::best(&graph)?)))
    }

    fn agree<const D: usize>(n: u32, pairs: &[[u32; 2]]) {
        let (n, seed, blocks) = (n as usize, &mut 5, matrix::<D>(n, pairs, 0.1));
        let b = vectors::<D>(n, seed);
        let shifts: Vec<f64> = (0..n).map(|_| random(seed).abs()).collect();
        for shifts in [&[][..], &shifts] {
            let p = analyse(blocks.pattern()).unwrap().solve(&blocks, &b, shifts).unwrap();
            let q = Sequential::default().solve(&blocks, &b, shifts).unwrap();
            let size = q.iter().map(|q| q.norm()).fold(0.0, f64::max);
            let apart = p.iter().zip(&q).map(|(p, q)| (*p - *q).norm()).fold(0.0, f64::max);
            assert!(apart <= 1e-10 * size, "{n} vertices, {} pairs: {apart} of {size}", pairs.len());
            let mut product = vec![Vector::ZERO; n];
            blocks.multiply(&p, &mut product);
            for v in 0..n {
                let shift = shifts.get(v).copied().unwrap_or(0.0);
                assert!((product[v] + p[v] * shift - b[v]).norm() <= 1e-9 * size.max(1.0));
            }
        }
    }

    #[test]
    fn fronts_and_the_sequential_solver_find_the_same() {
        for (n, pairs) in graphs() {
            agree::<2>(n, &pairs);
            agree::<3>(n, &pairs);
        }
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let (n, pairs) = grid([22, 15, 15]);
        let blocks = matrix::<3>(n, &pairs, 0.1);
        let b = vectors::<3>(n as usize, &mut 5);
        let on = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Cholesky::default().solve(&blocks, &b, &[]).unwrap())
        };
        let alone = on(1);
        for threads in [1, 2, 3, 8, 8] {
            assert!(on(threads) == alone, "{threads} threads");
        }
    }

    /// Solids of the same size with other contacts.
    fn solids() -> (Vec<Blocks<3>>, Vec<Vector<3>>) {
        let (n, pairs) = grid([13, 14, 14]);
        let with = |count, seed: u64| {
            let contacts = random_pairs(n, count, &mut seed.clone());
            matrix::<3>(n, &pairs.iter().copied().chain(contacts).collect::<Vec<_>>(), 0.1)
        };
        (vec![with(0, 1), with(1, 2), with(4, 3), with(800, 4), with(1, 5)], vectors(n as usize, &mut 5))
    }

    /// Kept and widened fronts hold every block of the matrix.
    fn solves(matrix: &Blocks<3>, p: &[Vector<3>], b: &[Vector<3>]) {
        let mut product = vec![Vector::ZERO; p.len()];
        matrix.multiply(p, &mut product);
        let size = b.iter().map(|b| b.norm()).fold(0.0, f64::max);
        assert!(product.iter().zip(b).all(|(product, b)| (*product - *b).norm() <= 1e-9 * size));
    }

    #[test]
    fn what_came_before_a_step_leaves_no_trace() {
        let (solids, b) = solids();
        let mut used = Cholesky::default();
        for (k, solid) in solids.iter().chain(&solids).enumerate() {
            let other = &solids[k * k % solids.len()];
            let mut fresh = Cholesky::default();
            used.begin_step();
            for matrix in [solid, other, other, solid] {
                let p = fresh.solve(matrix, &b, &[]).unwrap();
                assert!(used.solve(matrix, &b, &[]).unwrap() == p);
                solves(matrix, &p, &b);
            }
        }
    }

    #[test]
    fn an_order_is_kept_until_it_becomes_costly() {
        let (solids, b) = solids();
        let mut solver = Cholesky::default();
        let mut orders = solids.iter().map(|solid| {
            solver.solve(solid, &b, &[]).unwrap();
            solver.large.order().unwrap().to_vec()
        });
        let first = orders.next().unwrap();
        assert!(orders.next() == Some(first.clone()) && orders.next() == Some(first.clone()));
        assert!(orders.next().is_some_and(|order| order != first));
    }

    #[test]
    fn indefinite_matrices_are_refused() {
        for (n, pairs) in graphs().into_iter().filter(|(n, _)| *n > 0) {
            let (blocks, b) = (matrix::<3>(n, &pairs, -0.05), vectors(n as usize, &mut 5));
            let mut solver = analyse(blocks.pattern()).unwrap();
            assert!(solver.solve(&blocks, &b, &[]).is_none());
            assert!(solver.solve(&blocks, &b, &vec![0.1; n as usize]).is_some());
            assert!(solver.solve(&blocks, &b, &[]).is_none());
        }
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        let (n, pairs) = grid([5, 5, 5]);
        let (blocks, mut b) = (matrix::<3>(n, &pairs, f64::NAN), vectors(n as usize, &mut 5));
        let mut solver = analyse(blocks.pattern()).unwrap();
        assert!(solver.solve(&blocks, &b, &[]).is_none());
        b[7][1] = f64::INFINITY;
        assert!(solver.solve(&matrix::<3>(n, &pairs, 0.1), &b, &[]).is_none());
    }
}
