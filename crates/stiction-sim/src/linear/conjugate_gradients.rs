//! Conjugate gradients, preconditioned on two levels.

use stiction::math::Vector;
use stiction::threads;

use super::two_level::TwoLevel;
use super::{Precision, System};

/// Iterations after which a solution is given up: about the time of a factorisation of a solid with 25,000 vertices.
const MAX_ITERATIONS: usize = 1000;

/// Errors relative to the solution that nothing can be said about.
const ROUNDING: f64 = 1e-13;

/// How many times as many iterations for each digit kept clusters may cost before they are made anew.
const WORSE: f64 = 1.5;

/// Iterations that kept clusters may take beyond twice what is usual before they are given up.
const FIRST: f64 = 20.0;

/// The error is judged by what the last iterations found: one of so many, but at least as many.
const PART: usize = 4;

/// A solver for symmetric positive definite block matrices that needs little memory for factors.
///
/// ```text
/// pₖ minimises ½ pᵀAp − bᵀp over p₀ + span(z₀, M⁻¹A z₀, …)        ‖p∞ − pⱼ‖² = Σ αₖ rₖᵀzₖ, k ≥ j        ‖p‖² = pᵀAp
/// ```
/// The second sum, over the last quarter of the iterations, says how far away the solution was before them \[Hestenes1952\]; where that is little
/// beside `‖p‖` (see [`Precision`]), iterations end.
///
/// Every `pₖ` is a direction of descent: the minimum over a space that is not at 0 has `bᵀp = pᵀAp > 0`. Clusters of the preconditioner are kept within a time
/// [step](Self::begin_step), until solutions take half as many iterations again for each digit. The bits of the result are the same for any number of
/// threads, and depend on the systems since the step began.
#[derive(Debug, Default)]
pub struct ConjugateGradients<const D: usize> {
    inverse: TwoLevel<D>,
    iterations: usize,
    /// Iterations for each digit with clusters that were new.
    usual: Option<f64>,
}

/// How iterations end.
enum Outcome<const D: usize> {
    /// With the solution.
    Found(Vec<Vector<D>>),
    /// With kept clusters that are too bad for it.
    Slow,
    /// Without a solution.
    None,
}

/// Where the iterations are; all by rows.
struct Iterate<const D: usize> {
    p: Vec<Vector<D>>,
    residual: Vec<Vector<D>>,
    preconditioned: Vec<Vector<D>>,
    direction: Vec<Vector<D>>,
    product: Vec<Vector<D>>,
    /// `rᵀ z`.
    size: f64,
    /// `pᵀ A p` after each iteration.
    found: Vec<f64>,
}

impl<const D: usize> ConjugateGradients<D> {
    /// From now on nothing depends on what was solved before.
    pub fn begin_step(&mut self) {
        self.renew_clusters();
    }

    /// Solves `A p = b`.
    ///
    /// Returns nothing where the matrix turns out not to be positive definite, or the solution is not found in 1000 iterations.
    pub fn solve(&mut self, system: &System<'_, D>, precision: &Precision) -> Option<Vec<Vector<D>>> {
        self.iterations = 0;
        let mut found = self.iterate(system, precision);
        if matches!(found, Outcome::Slow) {
            self.renew_clusters();
            found = self.iterate(system, precision);
        }
        match found {
            Outcome::Found(p) => Some(p),
            Outcome::Slow | Outcome::None => {
                self.renew_clusters();
                None
            }
        }
    }

    fn renew_clusters(&mut self) {
        self.inverse.renew_clusters();
        self.usual = None;
    }

    fn iterate(&mut self, system: &System<'_, D>, precision: &Precision) -> Outcome<D> {
        let Self { inverse, iterations, usual } = self;
        let before = *iterations;
        if inverse.set(system.matrix, system.places).is_none() {
            return Outcome::None;
        }
        let mut at = Iterate::start(inverse, system.b);
        while !at.is_enough(precision) {
            let count = *iterations - before;
            if usual.is_some_and(|usual| count as f64 > FIRST + 2.0 * usual * (1.0 + at.digits())) {
                return Outcome::Slow;
            }
            if *iterations >= MAX_ITERATIONS {
                return Outcome::None;
            }
            *iterations += 1;
            if at.advance(inverse).is_none() {
                return Outcome::None;
            }
        }
        let cost = ((*iterations - before) as f64 / at.digits().max(1.0)).max(1.0);
        let p = inverse.by_vertices(&at.p);
        if cost > WORSE * *usual.get_or_insert(cost) {
            self.renew_clusters();
        }
        if p.iter().all(|p| p.is_finite()) { Outcome::Found(p) } else { Outcome::None }
    }

    /// Iterations of the last solution, with those that kept clusters took in vain.
    pub fn iterations(&self) -> usize {
        self.iterations
    }
}

impl<const D: usize> Iterate<D> {
    fn start(inverse: &mut TwoLevel<D>, b: &[Vector<D>]) -> Self {
        let mut residual = inverse.by_rows(b);
        let p = inverse.start(&residual);
        let mut product = vec![Vector::ZERO; b.len()];
        let found = inverse.multiply(&p, &mut product);
        for (r, product) in residual.iter_mut().zip(&product) {
            *r -= *product;
        }
        let mut preconditioned = vec![Vector::ZERO; b.len()];
        let size = inverse.precondition(&residual, &mut preconditioned);
        let direction = preconditioned.clone();
        Self { p, residual, preconditioned, direction, product, size, found: vec![found] }
    }

    /// Goes to the minimum along the direction, and finds the next one; nothing if there is no minimum.
    fn advance(&mut self, inverse: &mut TwoLevel<D>) -> Option<()> {
        let curvature = inverse.multiply(&self.direction, &mut self.product);
        // Neither is true of what is no number.
        if !(curvature > 0.0 && self.size > 0.0) {
            return None;
        }
        let t = self.size / curvature;
        let (p, residual) = (inverse.split(&mut self.p), inverse.split(&mut self.residual));
        let (direction, product) = (inverse.parts_of(&self.direction), inverse.parts_of(&self.product));
        let work: Vec<_> = p.into_iter().zip(residual).zip(direction.into_iter().zip(product)).collect();
        threads::for_each(work, &|_, ((p, residual), (direction, product))| {
            add_times(p, direction, t);
            add_times(residual, product, -t);
        });
        let next = inverse.precondition(&self.residual, &mut self.preconditioned);
        let ratio = next / self.size;
        let parts = inverse
            .split(&mut self.direction)
            .into_iter()
            .zip(inverse.parts_of(&self.preconditioned))
            .collect();
        threads::for_each(parts, &|_, (direction, preconditioned): (&mut [Vector<D>], &[Vector<D>])| {
            for (d, z) in direction.iter_mut().zip(preconditioned) {
                *d = *z + *d * ratio;
            }
        });
        self.found.push(self.found.last().unwrap_or(&0.0) + t * self.size);
        self.size = next;
        Some(())
    }

    /// `pᵀ A p`.
    fn now(&self) -> f64 {
        self.found.last().copied().unwrap_or(0.0)
    }

    /// The error of the solution some iterations ago, relative to the solution, if there have been so many.
    fn error(&self) -> Option<f64> {
        let (last, now) = (self.found.len() - 1, self.now());
        let before = last.checked_sub(PART.max(last / PART))?;
        Some(((now - self.found[before]) / now).sqrt())
    }

    /// Digits of the solution that are known, as far as that can be said.
    fn digits(&self) -> f64 {
        self.error().map_or(0.0, |error| -error.max(ROUNDING).log10()).max(0.0)
    }

    /// Whether the solution is as good as it should be.
    fn is_enough(&self, precision: &Precision) -> bool {
        let now = self.now();
        if self.size.abs() <= ROUNDING * ROUNDING * now {
            return true;
        }
        let Some(error) = self.error() else { return false };
        let longest = || self.p.iter().map(|p| p.norm_squared()).fold(0.0, f64::max).sqrt();
        error <= precision.relative(now) && (error <= precision.fine || longest() > precision.short)
    }
}

/// `a += t b`.
fn add_times<const D: usize>(a: &mut [Vector<D>], b: &[Vector<D>], t: f64) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += *b * t;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Sequential;
    use crate::linear::samples::{grid, matrix, places, random, touching, vectors};
    use rayon::ThreadPoolBuilder;
    use stiction::blocks::Blocks;

    type Contacts = Vec<([u32; 2], f64)>;

    fn iterate<const D: usize>(matrix: &Blocks<D>, places: &[Vector<D>]) -> (Option<Vec<Vector<D>>>, usize) {
        let b = vectors(matrix.vertices(), &mut 5);
        let mut solver = ConjugateGradients::default();
        let system = System { matrix, b: &b, places, longest: f64::INFINITY };
        (solver.solve(&system, &Precision::FULL), solver.iterations())
    }

    /// Iterations until what the direct solver finds.
    fn agree<const D: usize>(matrix: &Blocks<D>, places: &[Vector<D>]) -> usize {
        let (p, iterations) = iterate(matrix, places);
        let b = vectors(matrix.vertices(), &mut 5);
        let (p, q) = (p.unwrap(), Sequential::default().solve(matrix, &b, &[]).unwrap());
        let size = q.iter().map(|q| q.norm()).fold(0.0, f64::max);
        let apart = p.iter().zip(&q).map(|(p, q)| (*p - *q).norm()).fold(0.0, f64::max);
        assert!(apart <= 1e-7 * size, "{} vertices: {apart:e} of {size:e}", matrix.vertices());
        iterations
    }

    /// Contacts between opposite sides of a grid, with stiffnesses up to `most`.
    fn contacts([nx, ny, nz]: [u32; 3], most: f64) -> Contacts {
        let (seed, top) = (&mut 9, nx * ny * (nz - 1));
        (0..nx * ny).map(|v| ([v, top + (v + 1) % (nx * ny)], most.powf(random(seed).abs()))).collect()
    }

    fn both<const D: usize>() {
        for size in [[1, 1, 1], [2, 1, 1], [3, 2, 1], [300, 1, 1], [30, 30, 1], [10, 11, 12]] {
            let (n, pairs) = grid(size);
            for ground in [1e-4, 0.1, 1e4] {
                let blocks = matrix::<D>(n, &pairs, ground);
                let (with, without) = (agree(&blocks, &places(size)), agree(&blocks, &[]));
                assert!(with.max(without) < 300, "{size:?}, {ground}: {with} and {without} iterations");
            }
        }
    }

    #[test]
    fn solutions_are_those_of_the_direct_solver() {
        both::<2>();
        both::<3>();
    }

    #[test]
    fn stiff_contacts_cost_few_iterations() {
        let size = [10, 11, 12];
        let (n, pairs) = grid(size);
        for most in [1e3, 1e6] {
            let blocks = touching::<3>(n, &pairs, &contacts(size, most), 0.01);
            let iterations = agree(&blocks, &places(size));
            assert!(iterations < 150, "up to {most:e}: {iterations} iterations");
        }
    }

    /// Two blocks that nothing holds together, and vertices that are alone.
    #[test]
    fn bodies_need_not_touch() {
        let (n, one) = grid([6, 6, 6]);
        let pairs: Vec<_> =
            one.iter().copied().chain(one.iter().map(|pair| pair.map(|v| v + n + 5))).collect();
        agree(&matrix::<3>(2 * n + 10, &pairs, 1e-3), &vectors(2 * n as usize + 10, &mut 7));
        agree(&matrix::<2>(1000, &[], 0.1), &[]);
        assert_eq!(iterate(&matrix::<3>(0, &[], 1.0), &[]).0, Some(Vec::new()));
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let size = [22, 15, 15];
        let (n, pairs) = grid(size);
        let blocks = touching::<3>(n, &pairs, &contacts(size, 1e5), 0.1);
        let on = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| iterate(&blocks, &places(size)))
        };
        let alone = on(1);
        assert!(alone.0.is_some());
        for threads in [2, 3, 8, 8] {
            assert!(on(threads) == alone, "{threads} threads");
        }
    }

    /// Clusters are kept within a step, and found anew where contacts make them bad.
    #[test]
    fn what_came_before_a_step_leaves_no_trace() {
        let size = [10, 11, 12];
        let (n, pairs) = grid(size);
        let touching = |most| touching::<3>(n, &pairs, &contacts(size, most), 0.1);
        let (apart, pressed) = (matrix::<3>(n, &pairs, 0.1), touching(1e6));
        let (b, places) = (vectors(n as usize, &mut 5), places(size));
        let solve = |solver: &mut ConjugateGradients<3>, matrix: &Blocks<3>| {
            let system = System { matrix, b: &b, places: &places, longest: f64::INFINITY };
            (solver.solve(&system, &Precision::FULL).unwrap(), solver.iterations())
        };
        let mut used = ConjugateGradients::default();
        for first in [&apart, &pressed, &apart] {
            let mut fresh = ConjugateGradients::default();
            used.begin_step();
            let all: Vec<_> =
                [first, &pressed, &pressed, first].map(|matrix| solve(&mut fresh, matrix)).into();
            let again: Vec<_> =
                [first, &pressed, &pressed, first].map(|matrix| solve(&mut used, matrix)).into();
            assert!(all == again);
            // Clusters that do not suit contacts are not kept for them, and what they took in vain is little.
            let counts: Vec<_> = all.iter().map(|(_, iterations)| *iterations).collect();
            assert!(counts[1] < 250 && counts[2] < 150, "{counts:?} iterations");
        }
    }

    #[test]
    fn clusters_are_kept_while_they_are_good() {
        let size = [10, 11, 12];
        let (n, pairs) = grid(size);
        let (soft, stiff) = (contacts(size, 1.0), contacts(size, 1e6));
        let matrices = [touching::<3>(n, &pairs, &soft[..50], 0.1), touching(n, &pairs, &soft[..60], 0.1)];
        let (b, places) = (vectors(n as usize, &mut 5), places(size));
        let mut solver = ConjugateGradients::<3>::default();
        let mut order_after = |matrix: &Blocks<3>| {
            let system = System { matrix, b: &b, places: &places, longest: f64::INFINITY };
            solver.solve(&system, &Precision::FULL).unwrap();
            solver.inverse.order().to_vec()
        };
        let first = order_after(&matrices[0]);
        // Other contacts, other clusters of their own.
        assert!(order_after(&matrices[1]) == first);
        assert!(order_after(&touching(n, &pairs, &stiff, 0.1)) != first);
    }

    #[test]
    fn matrices_that_are_not_positive_are_refused() {
        let (n, pairs) = grid([8, 8, 8]);
        for ground in [-1000.0, -0.2, -0.05, f64::NAN] {
            assert_eq!(iterate(&matrix::<3>(n, &pairs, ground), &[]).0, None);
            assert_eq!(iterate(&matrix::<2>(n, &pairs, ground), &[]).0, None);
        }
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        let (n, pairs) = grid([5, 5, 5]);
        let blocks = matrix::<3>(n, &pairs, 0.1);
        for wrong in [f64::NAN, f64::INFINITY] {
            let mut b = vectors(n as usize, &mut 5);
            b[7][1] = wrong;
            let system = System { matrix: &blocks, b: &b, places: &[], longest: f64::INFINITY };
            assert_eq!(ConjugateGradients::default().solve(&system, &Precision::FULL), None);
        }
        let nowhere = vec![Vector([f64::NAN; 3]); n as usize];
        assert_eq!(iterate(&blocks, &nowhere).0, None);
        let still = System { matrix: &blocks, b: &vec![Vector::ZERO; n as usize], places: &[], longest: 0.0 };
        let solved = ConjugateGradients::default().solve(&still, &Precision::FULL);
        assert_eq!(solved, Some(vec![Vector::ZERO; n as usize]));
    }

    #[test]
    fn a_rougher_solution_takes_less() {
        let size = [12, 12, 12];
        let (n, pairs) = grid(size);
        let (blocks, b) = (matrix::<3>(n, &pairs, 1e-3), vectors(n as usize, &mut 5));
        let system = System { matrix: &blocks, b: &b, places: &places(size), longest: f64::INFINITY };
        let exact = Sequential::default().solve(&blocks, &b, &[]).unwrap();
        let norm = |p: &[Vector<3>]| {
            let mut product = vec![Vector::ZERO; p.len()];
            blocks.multiply(p, &mut product);
            p.iter().zip(&product).map(|(p, q)| p.dot(*q)).sum::<f64>().sqrt()
        };
        let mut before = 0;
        for wanted in [1e-1, 1e-3, 1e-6] {
            let mut solver = ConjugateGradients::default();
            let precision = Precision { coarse: wanted, fine: wanted, before: None, short: 0.0 };
            let p = solver.solve(&system, &precision).unwrap();
            let apart: Vec<_> = p.iter().zip(&exact).map(|(p, q)| *p - *q).collect();
            assert!(norm(&apart) <= wanted * norm(&exact));
            assert!(solver.iterations() > before);
            before = solver.iterations();
        }
    }
}
