//! Which solver is used, and what happens when it fails.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use stiction::blocks::{Blocks, Pattern};
use stiction::math::Vector;

use super::graph::Graph;
use super::order;
use super::{Cholesky, ConjugateGradients, Precision, Sequential, System};

/// Unknowns from which [`LinearKind::Auto`] may iterate: below, a factorisation of a solid takes 0.05 s at most, and Newton's method can have the true
/// Hessian.
const MANY: usize = 15_000;

/// Multiplications of blocks in a factorisation, for each block of the matrix, from which iterations take less time.
///
/// CPU seconds for a direction of Newton's method, with all preparations, in the first steps of scenes of `bench/README.md`:
///
/// | scene | vertices | multiplications a block | factorisation | iterations |
/// | --- | --- | --- | --- | --- |
/// | cloth that falls | 6,561 | 440 to 550 | 0.024 | 0.077 |
/// | trash compactor | 14,904 | 880 | 0.066 | 0.065 |
/// | dolphin | 8,027 | 880 | 0.043 | 0.087 |
/// | roller ball | 7,034 | 1,430 | 0.049 | 0.024 |
/// | three blocks | 7,803 | 1,240 to 4,600 | 0.117 | 0.038 |
const COSTLY: f64 = 1200.0;

/// How often the diagonal grows before a matrix counts as singular.
const MAX_SHIFTS: usize = 8;

/// The solvers by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinearKind {
    /// `direct`: a sparse Cholesky factorisation, which stiff contacts do not disturb.
    Direct,
    /// `cg`: conjugate gradients, and the direct solver where they fail.
    ConjugateGradients,
    /// `auto`: `cg` from 15,000 unknowns where a factorisation would cost more, as of solids; `direct` below, and of sheets.
    #[default]
    Auto,
}

impl LinearKind {
    /// All solvers.
    pub const ALL: [Self; 3] = [Self::Direct, Self::ConjugateGradients, Self::Auto];

    /// The name of the solver.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::ConjugateGradients => "cg",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for LinearKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for LinearKind {
    type Err = stiction::error::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let unknown = || stiction::error::Error::UnknownName {
            what: "linear solver",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        };
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(unknown)
    }
}

/// A solution and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved<const D: usize> {
    /// The solution.
    pub p: Vec<Vector<D>>,
    /// How often the matrix had to be made more positive.
    pub shifts: usize,
    /// Whether conjugate gradients failed.
    pub fell_back: bool,
}

/// A direct solver with its memory: the one place where matrices are factorised, so that users can put another one there
/// (see [`LinearSolver::with_direct`]).
pub trait DirectSolver<const D: usize>: fmt::Debug + Send {
    /// Solves `(A + diag(shifts)) p = b`.
    ///
    /// `shifts` has a number for each vertex, or none at all. Nothing where the matrix is not positive definite: Newton's method relies on
    /// being told so. Called again with the same [pattern](Blocks::pattern), it may keep what it found out about it. The same input since a
    /// [step began](Self::begin_step) must give the same bits.
    fn solve(&mut self, matrix: &Blocks<D>, b: &[Vector<D>], shifts: &[f64]) -> Option<Vec<Vector<D>>>;

    /// Says that a time step begins. No bit of it may depend on steps before, so that a run can be resumed from any state.
    fn begin_step(&mut self) {}
}

impl<const D: usize> DirectSolver<D> for Cholesky {
    fn solve(&mut self, matrix: &Blocks<D>, b: &[Vector<D>], shifts: &[f64]) -> Option<Vec<Vector<D>>> {
        Self::solve(self, matrix, b, shifts)
    }

    fn begin_step(&mut self) {
        Self::begin_step(self);
    }
}

impl<const D: usize> DirectSolver<D> for Sequential {
    fn solve(&mut self, matrix: &Blocks<D>, b: &[Vector<D>], shifts: &[f64]) -> Option<Vec<Vector<D>>> {
        Self::solve(self, matrix, b, shifts)
    }
}

/// The solvers with their memory.
#[derive(Debug)]
pub struct LinearSolver<const D: usize> {
    direct: Box<dyn DirectSolver<D>>,
    iterative: ConjugateGradients<D>,
    /// Whether `auto` iterates in this step, once that is known.
    iterates: Option<bool>,
    /// Whether a factorisation of this pattern is costly: where nothing happens, the next step begins with the same one.
    costly: Option<(Arc<Pattern>, bool)>,
}

impl<const D: usize> Default for LinearSolver<D> {
    fn default() -> Self {
        Self::with_direct(Cholesky::default())
    }
}

impl<const D: usize> LinearSolver<D> {
    /// With another direct solver.
    pub fn with_direct(direct: impl DirectSolver<D> + 'static) -> Self {
        Self {
            direct: Box::new(direct),
            iterative: ConjugateGradients::default(),
            iterates: None,
            costly: None,
        }
    }

    /// Says that a time step begins: no bit of it depends on what was solved before.
    pub fn begin_step(&mut self) {
        self.direct.begin_step();
        self.iterative.begin_step();
        self.iterates = None;
    }

    /// Whether systems with a matrix of this pattern are solved by iteration. `auto` decides once a step.
    pub fn iterates(&mut self, kind: LinearKind, pattern: &Arc<Pattern>) -> bool {
        match kind {
            LinearKind::Direct => false,
            LinearKind::ConjugateGradients => true,
            LinearKind::Auto => {
                if D * pattern.vertices() < MANY {
                    return false;
                }
                let iterates = self.iterates.unwrap_or_else(|| self.is_costly(pattern));
                self.iterates = Some(iterates);
                iterates
            }
        }
    }

    /// Whether a factorisation costs more than iterations.
    fn is_costly(&mut self, pattern: &Arc<Pattern>) -> bool {
        match &self.costly {
            Some((known, costly)) if known == pattern => *costly,
            _ => {
                let work = order::work(&Graph::new(pattern));
                let costly = work.is_none_or(|work| work > COSTLY * pattern.rows().len() as f64);
                self.costly = Some((Arc::clone(pattern), costly));
                costly
            }
        }
    }

    /// What `auto` has decided in this step, if that is known already; a system with so many unknowns.
    pub fn decided(&self, kind: LinearKind, unknowns: usize) -> Option<bool> {
        match kind {
            LinearKind::Direct => Some(false),
            LinearKind::ConjugateGradients => Some(true),
            LinearKind::Auto if unknowns < MANY => Some(false),
            LinearKind::Auto => self.iterates,
        }
    }

    /// Solves a system.
    ///
    /// Where conjugate gradients fail, the direct solver takes over; where that fails, the diagonal grows until the matrix can be
    /// factorised. Nothing if it cannot even then.
    pub fn solve(
        &mut self,
        kind: LinearKind,
        system: &System<'_, D>,
        precision: &Precision,
    ) -> Option<Solved<D>> {
        let System { matrix, b, longest, .. } = *system;
        let iterates = self.iterates(kind, matrix.pattern());
        let is_near = |p: &Vec<Vector<D>>| p.iter().all(|p| p.norm() <= longest);
        if iterates && let Some(p) = self.iterative.solve(system, precision).filter(is_near) {
            return Some(Solved { p, shifts: 0, fell_back: false });
        }
        let mut shift = 0.0;
        for shifts in 0..MAX_SHIFTS {
            let shifts_of_all = if shift > 0.0 { vec![shift; b.len()] } else { Vec::new() };
            if let Some(p) = self.direct.solve(matrix, b, &shifts_of_all).filter(is_near) {
                return Some(Solved { p, shifts, fell_back: iterates });
            }
            shift = (100.0_f64 * shift).max(1e-10 * largest_diagonal(matrix));
        }
        None
    }
}

impl<const D: usize> LinearSolver<D> {
    /// The solution by factorisation of the matrix with `shifts` of the vertices, or none, on its diagonal; nothing if that is not positive.
    pub fn try_direct(
        &mut self,
        matrix: &Blocks<D>,
        b: &[Vector<D>],
        shifts: &[f64],
    ) -> Option<Vec<Vector<D>>> {
        self.direct.solve(matrix, b, shifts)
    }
}

/// The largest number on the diagonal of a matrix.
fn largest_diagonal<const D: usize>(matrix: &Blocks<D>) -> f64 {
    let blocks = matrix.iter().filter(|(row, column, _)| row == column);
    blocks.flat_map(|(.., block)| (0..D).map(move |k| block.0[k][k].abs())).fold(f64::MIN_POSITIVE, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::samples::grid;
    use stiction::assemble::{self, Assembly};
    use stiction::math::Matrix;
    use stiction::stencil::Stencil;

    /// Numbers between −1 and 1, the same in every run.
    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector<const D: usize>(seed: &mut u64) -> Vector<D> {
        Vector(std::array::from_fn(|_| random(seed)))
    }

    /// A sum of local matrices of random pairs of vertices, `s g gᵀ` each with stiffnesses `s` over six orders of magnitude, and
    /// `ground` at each vertex.
    fn matrix<const D: usize>(n: u32, ground: f64, seed: &mut u64) -> Blocks<D> {
        let vertices: Vec<u32> = (0..n).collect();
        let pairs: Vec<([u32; 2], Vector<D>)> = (0..4 * n)
            .map(|k| {
                let other = (random(seed).abs() * 1e9).to_bits() as u32 % n;
                let size = 10_f64.powf(1.5 * random(seed));
                ([k % n, if other == k % n { (other + 1) % n } else { other }], vector(seed) * size)
            })
            .collect();
        let mut blocks = Blocks::default();
        blocks.begin(n as usize, |stencils| {
            stencils.push(vertices.iter().map(|v| Stencil([*v])));
            stencils.push(pairs.iter().map(|(pair, _)| Stencil(*pair)));
        });
        let out = &mut Assembly::Matrix(&mut blocks);
        assemble::hessian(&vertices, out, |_, v| Stencil([*v]), |_, _| [[Matrix::scalar(ground)]]);
        assemble::hessian(
            &pairs,
            out,
            |_, (pair, _)| Stencil(*pair),
            |_, (_, g)| {
                let one = g.outer(*g);
                [[one, one * -1.0], [one * -1.0, one]]
            },
        );
        blocks.finish();
        blocks
    }

    fn system<'a, const D: usize>(matrix: &'a Blocks<D>, b: &'a [Vector<D>]) -> System<'a, D> {
        System { matrix, b, places: &[], longest: f64::INFINITY }
    }

    fn agree<const D: usize>(seed: u64) {
        let seed = &mut seed.clone();
        let n = 200;
        let blocks = matrix::<D>(n, 0.1, seed);
        let b: Vec<Vector<D>> = (0..n).map(|_| vector(seed)).collect();
        let mut solver = LinearSolver::default();
        let direct = solver.solve(LinearKind::Direct, &system(&blocks, &b), &Precision::FULL).unwrap();
        let iterative =
            solver.solve(LinearKind::ConjugateGradients, &system(&blocks, &b), &Precision::FULL).unwrap();
        assert_eq!((iterative.shifts, iterative.fell_back), (0, false));
        assert!(solver.iterative.iterations() > 10);
        let size = direct.p.iter().map(|p| p.norm()).fold(0.0, f64::max);
        let downhill: f64 = iterative.p.iter().zip(&b).map(|(p, b)| p.dot(*b)).sum();
        assert!(size > 0.0 && downhill > 0.0);
        for (p, q) in direct.p.iter().zip(&iterative.p) {
            assert!((*p - *q).norm() < 1e-6 * size);
        }
    }

    #[test]
    fn both_solvers_find_the_same() {
        for seed in 1..10 {
            agree::<2>(seed);
            agree::<3>(seed);
        }
    }

    #[test]
    fn an_indefinite_matrix_is_regularised_and_said_to_be() {
        let (seed, n) = (&mut 5, 30);
        let b: Vec<Vector<3>> = (0..n).map(|_| vector(seed)).collect();
        // The second has positive blocks on the diagonal: only the curvature along a direction tells.
        for ground in [-1000.0, -0.2] {
            let blocks = matrix::<3>(n, ground, seed);
            let mut solver = LinearSolver::default();
            for kind in LinearKind::ALL {
                let Solved { p, shifts, fell_back } =
                    solver.solve(kind, &system(&blocks, &b), &Precision::FULL).unwrap();
                assert!(shifts > 0 && fell_back == (kind == LinearKind::ConjugateGradients));
                assert!(p.iter().zip(&b).map(|(p, b)| p.dot(*b)).sum::<f64>() > 0.0);
            }
        }
    }

    #[test]
    fn auto_factorises_sheets_and_iterates_in_solids() {
        let chosen = |size: [u32; 3]| {
            let (n, pairs) = grid(size);
            let matrix = crate::linear::samples::matrix::<3>(n, &pairs, 0.1);
            let mut solver = LinearSolver::<3>::default();
            assert!(!solver.iterates(LinearKind::Direct, matrix.pattern()));
            assert!(solver.iterates(LinearKind::ConjugateGradients, matrix.pattern()));
            let unknowns = 3 * n as usize;
            let early = solver.decided(LinearKind::Auto, unknowns);
            let iterates = solver.iterates(LinearKind::Auto, matrix.pattern());
            assert!(early.is_none_or(|early| early == iterates));
            assert!(unknowns < MANY || solver.decided(LinearKind::Auto, unknowns) == Some(iterates));
            solver.begin_step();
            assert_eq!(solver.decided(LinearKind::Auto, unknowns), early);
            iterates
        };
        assert!(!chosen([9, 9, 9]) && !chosen([110, 110, 1]) && chosen([23, 23, 23]));
    }

    #[test]
    fn precision_follows_newtons_method() {
        let precision = Precision { coarse: 0.1, fine: 1e-3, before: Some(2.0), short: 0.0 };
        assert_eq!([10.0, 0.1, 1e-9].map(|square| precision.relative(square)), [0.1, 0.05, 1e-3]);
        assert_eq!(Precision { before: None, ..precision }.relative(1e-9), 0.1);
    }

    #[test]
    fn names_are_understood() {
        for kind in LinearKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert!("lu".parse::<LinearKind>().is_err());
    }
}
