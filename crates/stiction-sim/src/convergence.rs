//! When Newton's iterations may end before the tolerance.

use stiction::friction::{LagChange, Refinement, RefinementReport};
use stiction::math::Vector;

/// How well a minimum must be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accuracy {
    /// Well enough to freeze friction there: the step is solved again from there.
    Rough,
    /// To the tolerance, or as far as anyone can see.
    Full,
}

/// Rounds of lagging iterations that are solved roughly.
const ROUGH_ROUNDS: usize = 5;

/// Rounds within which friction must settle to the tolerance; where it takes more of them, [`LESS_STRICT`] times as much will do.
const CHEAP_ROUNDS: usize = 3;

/// The largest lag residual that counts as settled all the same.
const LEAST_STRICT: f64 = 0.03;

/// See [`CHEAP_ROUNDS`]: a cloth that wrinkles has contacts that come and go.
const LESS_STRICT: f64 = 30.0;

/// What follows from how much friction changed when it was frozen at a solution.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It hardly changes: solve to the end with what was used.
    Finer,
    /// It changes: solve again with what was frozen at the solution.
    Again,
    /// It has settled, or never will.
    Settled(RefinementReport),
}

/// The lagging iterations of a step: solve, freeze friction at the solution, solve again.
///
/// The first rounds are solved roughly: digits found with a friction that changes would be lost. How friction changes between rough solutions says nothing
/// about whether it will settle.
#[derive(Clone, Debug)]
pub struct LagRounds {
    refinement: Refinement,
    /// Changes after rough rounds, and after the others.
    changes: [Vec<LagChange>; 2],
    accuracy: Accuracy,
}

impl LagRounds {
    /// At most as many rounds as a refinement allows. Without friction there is nothing to settle, so none of them is rough.
    pub fn new(refinement: Refinement, frictionless: bool) -> Self {
        let accuracy = if frictionless { Accuracy::Full } else { Accuracy::Rough };
        let mut rounds = Self { refinement, changes: [Vec::new(), Vec::new()], accuracy };
        rounds.begin();
        rounds
    }

    /// How well the next solution must be known.
    pub fn accuracy(&self) -> Accuracy {
        self.accuracy
    }

    fn begin(&mut self) {
        let (rough, tolerance) = (self.changes[0].len(), self.refinement.tolerance);
        if rough + 1 >= self.refinement.rounds || rough >= ROUGH_ROUNDS {
            self.accuracy = Accuracy::Full;
        } else if rough == CHEAP_ROUNDS && self.accuracy == Accuracy::Rough {
            self.refinement.tolerance = tolerance.max((LESS_STRICT * tolerance).min(LEAST_STRICT));
        }
    }

    /// Takes note of how friction changed after a solution.
    pub fn after(&mut self, change: LagChange) -> Verdict {
        if self.accuracy == Accuracy::Full {
            return self.after_full(change);
        }
        if change.relative() <= self.refinement.tolerance {
            self.accuracy = Accuracy::Full;
            return Verdict::Finer;
        }
        self.changes[0].push(change);
        self.begin();
        Verdict::Again
    }

    fn after_full(&mut self, change: LagChange) -> Verdict {
        let [rough, full] = &mut self.changes;
        full.push(change);
        let Refinement { rounds, tolerance } = self.refinement;
        match (Refinement { rounds: rounds - rough.len(), tolerance }).outcome(full) {
            None => Verdict::Again,
            Some(outcome) => {
                let changes = rough.iter().chain(full.iter()).copied().collect();
                Verdict::Settled(RefinementReport { changes, outcome })
            }
        }
    }
}

/// Relative change of the contact forces in the last iteration of a rough solution. The next one would change them by about its square.
const ROUGH: f64 = 0.2;

/// The part of all kinetic energy that nobody sees: 3 % of the speeds.
const UNSEEN: f64 = 1e-3;

/// What remains of the decrease of the last iteration where Newton's method only crawls: close to a minimum it converges
/// quadratically, and the remaining digits are cheap.
const CRAWL: f64 = 0.1;

/// Iterations in a row after which crawling counts.
const PATIENCE: usize = 2;

/// Whether Newton's method crawls, for digits that nobody sees.
///
/// A thin sheet under pressure passes saddle after saddle while it wrinkles: the finer its mesh, the more of them. Near each,
/// Newton's method crawls, for energies that are a small part of what the step turns over. So an iteration that
/// crawls may be the last one once
///
/// ```text
/// ΔE ≤ 10⁻³ K        ΔE = ½ pᵀHp        K = ½ ĥ² Σ m max(|v|, ε_v)²
/// ```
/// with the decrease `ΔE` that the quadratic model foresees. Then the speeds are right to about 3 %, as a mean over the masses. What is at rest
/// or converges quadratically always reaches the tolerance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Crawl {
    last: Option<f64>,
    iterations: usize,
}

impl Crawl {
    /// Takes note of an iteration that was to lower the energy by `decrease`; whether it may be the last, where things move with `kinetic`.
    pub fn is_enough(&mut self, decrease: f64, kinetic: f64) -> bool {
        let crawls = self.last.is_some_and(|last| decrease > CRAWL * last);
        self.iterations = if crawls { self.iterations + 1 } else { 0 };
        self.last = Some(decrease);
        self.iterations >= PATIENCE && decrease <= UNSEEN * kinetic
    }
}

/// Whether contact forces changed so little in an iteration that friction may be frozen at them.
pub fn is_rough<const D: usize>(before: &[Vector<D>], after: &[Vector<D>]) -> bool {
    let square = |forces: &mut dyn Iterator<Item = Vector<D>>| forces.map(Vector::norm_squared).sum::<f64>();
    let change = square(&mut before.iter().zip(after).map(|(a, b)| *b - *a));
    let size = square(&mut after.iter().copied());
    change <= ROUGH * ROUGH * size
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The iteration, from 0, after which it is enough, of decreases by a rule; nothing within 100.
    fn end(decrease: impl Fn(i32) -> f64) -> Option<i32> {
        let mut crawl = Crawl::default();
        (0..100).find(|&k| crawl.is_enough(decrease(k), 1.0))
    }

    #[test]
    fn quadratic_convergence_goes_on_to_the_tolerance() {
        assert_eq!(end(|k| 10_f64.powi(-(1 << k.min(10)))), None);
    }

    #[test]
    fn crawling_ends_when_little_is_left() {
        assert_eq!(end(|k| 0.5_f64.powi(k)), Some(10));
        assert_eq!(end(|_| 1e-3), Some(2));
        assert_eq!(end(|_| 1.1e-3), None);
    }

    #[test]
    fn forces_that_hardly_change_are_rough() {
        let force = |f: f64| [Vector([f, 0.0]), Vector([0.0, 1.0])];
        assert!(is_rough(&force(1.0), &force(1.2)));
        assert!(!is_rough(&force(1.0), &force(2.0)));
        // Nothing touches.
        assert!(is_rough::<2>(&[Vector::ZERO], &[Vector::ZERO]));
    }
}
