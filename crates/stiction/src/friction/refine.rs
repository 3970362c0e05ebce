//! Solving again with friction frozen at the solution, until it does not change any more.

use super::law::FrictionLaw;
use super::potential::FrictionPotential;
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::math::vector::flat;
use crate::potential::Potential;

/// How much friction forces change when friction is frozen anew.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LagChange {
    /// Norm of the change of the friction forces on all vertices, in N.
    pub change: f64,
    /// The larger norm of the forces before and after, in N.
    pub scale: f64,
}

impl LagChange {
    /// From friction that was frozen before a solve to friction frozen at its solution `x`, both at `x`.
    ///
    /// ```text
    /// change = |F_next − F_used|        scale = max(|F_used|, |F_next|)
    /// ```
    ///
    /// # Panics
    /// If a slide names a vertex beyond `x`.
    pub fn between<const D: usize, L: FrictionLaw>(
        used: &FrictionPotential<'_, D, L>,
        next: &FrictionPotential<'_, D, L>,
        x: &[Vector<D>],
    ) -> Self {
        let mut forces = vec![Vector::ZERO; x.len()];
        used.gradient(x, 1.0, &mut forces);
        let before = norm(&forces);
        let mut after = vec![Vector::ZERO; x.len()];
        next.gradient(x, 1.0, &mut after);
        for (force, after) in forces.iter_mut().zip(&after) {
            *force -= *after;
        }
        Self { change: norm(&forces), scale: before.max(norm(&after)) }
    }

    /// The lag residual `change/scale`: 0 where there is no friction, never above 2.
    pub fn relative(self) -> f64 {
        if self.scale == 0.0 { 0.0 } else { self.change / self.scale }
    }
}

fn norm<const D: usize>(vectors: &[Vector<D>]) -> f64 {
    flat(vectors).iter().map(|a| a * a).sum::<f64>().sqrt()
}

/// A problem whose friction is frozen while it is solved: what a solver brings to [`refine`].
pub trait Lagged {
    /// What can go wrong.
    type Error;

    /// Solves with friction as it is frozen now, from the last solution on.
    ///
    /// # Errors
    /// If it cannot be solved.
    fn solve(&mut self) -> std::result::Result<(), Self::Error>;

    /// Freezes friction at the solution, sets it aside, and says how much it differs from what was used: see
    /// [`LagChange::between`].
    ///
    /// # Errors
    /// If that is not possible.
    fn measure(&mut self) -> std::result::Result<LagChange, Self::Error>;

    /// Takes what [`measure`](Self::measure) set aside for the next [`solve`](Self::solve).
    fn relag(&mut self);
}

/// How often to solve, and when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refinement {
    /// Most solves; at least one is made.
    pub rounds: usize,
    /// Lag residual that is small enough.
    pub tolerance: f64,
}

impl Default for Refinement {
    fn default() -> Self {
        Self { rounds: 1, tolerance: 1e-3 }
    }
}

impl Refinement {
    /// Checks both.
    ///
    /// # Errors
    /// If there is no round, or the tolerance is negative or not finite.
    pub fn check(self) -> Result<Self> {
        if self.rounds == 0 {
            return Err(Error::BadParameter { name: "rounds", value: 0.0, must: "at least 1" });
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            let must = "0 or positive, and finite";
            return Err(Error::BadParameter { name: "lag tolerance", value: self.tolerance, must });
        }
        Ok(self)
    }
}

impl Refinement {
    /// How it ends with these changes, one after each solve; nothing if it goes on.
    pub fn outcome(&self, changes: &[LagChange]) -> Option<Outcome> {
        let last = changes.last()?;
        if !last.relative().is_finite() || !last.change.is_finite() {
            Some(Outcome::Diverged)
        } else if last.relative() <= self.tolerance {
            Some(Outcome::Converged)
        } else if let Some(ended) = without_progress(changes) {
            Some(ended)
        } else {
            (changes.len() >= self.rounds).then_some(Outcome::Exhausted)
        }
    }
}

/// How a refinement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The lag residual is within the tolerance.
    Converged,
    /// All rounds are used, and the residual is larger than the tolerance.
    Exhausted,
    /// The residual stopped falling at a small part of what it was: it is that of the solver's own tolerance.
    Stalled,
    /// The changes grow, go round in circles, hardly shrink, or are not finite: more rounds do not help, shorter time steps do.
    Diverged,
}

impl Outcome {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Exhausted => "exhausted",
            Self::Stalled => "stalled",
            Self::Diverged => "diverged",
        }
    }
}

/// What a refinement did.
#[derive(Clone, Debug, PartialEq)]
pub struct RefinementReport {
    /// How friction changed after each solve.
    pub changes: Vec<LagChange>,
    /// How it ended.
    pub outcome: Outcome,
}

impl RefinementReport {
    /// How many solves were made.
    pub fn rounds(&self) -> usize {
        self.changes.len()
    }

    /// The lag residual of the last solution.
    pub fn residual(&self) -> f64 {
        self.changes.last().map_or(0.0, |last| last.relative())
    }

    /// ρ: the part of the change that a round leaves, from the last two; nothing after a single round, or where nothing changed.
    ///
    /// ```text
    /// ρ = changeⱼ/changeⱼ₋₁
    /// ```
    /// Freezing friction anew is a fixed point: the error of the j-th solution is about ρʲ times that of the first, and more rounds
    /// help only if ρ < 1.
    pub fn contraction(&self) -> Option<f64> {
        let [.., before, last] = self.changes[..] else { return None };
        (before.change > 0.0).then(|| last.change / before.change)
    }
}

/// Rounds in which there must be a change smaller than [`PROGRESS`] times all before. Three: changes may alternate, and grow once
/// before they shrink.
const PATIENCE: usize = 3;

/// See [`PATIENCE`]. Nearly 1, but circles are approached ever more slowly: they count as such 16 rounds later with 1.
const PROGRESS: f64 = 0.98;

/// Part of the largest change below which changes that stop falling are noise of the solver.
const NOISE: f64 = 1e-3;

/// Solves, freezes friction at the solution, and solves again, until friction does not change any more.
///
/// ```text
/// x₁ = solve(lag(x₀)) ,  x₂ = solve(lag(x₁)) , …     until |F(lag(xⱼ)) − F(lag(xⱼ₋₁))| ≤ tolerance · |F| at xⱼ
/// ```
/// At most `rounds` times. It ends early when three times in a row no change was smaller than all before by at least 2 %: then changes
/// grow or go round in circles. However it ends, the problem is left at its last solution with the friction that this was found with, so that its
/// forces balance; whether a solution with a large residual is good enough is for the caller to say. \[Li2020\]
///
/// # Errors
/// Those of the problem, at once.
pub fn refine<P: Lagged>(
    problem: &mut P,
    refinement: &Refinement,
) -> std::result::Result<RefinementReport, P::Error> {
    let mut changes = Vec::new();
    loop {
        problem.solve()?;
        changes.push(problem.measure()?);
        if let Some(outcome) = refinement.outcome(&changes) {
            return Ok(RefinementReport { changes, outcome });
        }
        problem.relag();
    }
}

/// What it means that the last few changes were hardly smaller than all before, if so.
fn without_progress(changes: &[LagChange]) -> Option<Outcome> {
    let (early, late) = changes.split_at(changes.len().checked_sub(PATIENCE)?);
    let smallest = |part: &[LagChange]| part.iter().map(|c| c.change).fold(f64::INFINITY, f64::min);
    if early.is_empty() || smallest(late) < PROGRESS * smallest(early) {
        return None;
    }
    let largest = |part: &[LagChange]| part.iter().map(|c| c.change).fold(0.0, f64::max);
    Some(if largest(late) <= NOISE * largest(early) { Outcome::Stalled } else { Outcome::Diverged })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes by a rule of the round, with a limit beyond which a solve fails.
    struct Rule<F> {
        change: F,
        solved: i32,
        relagged: i32,
        fail_at: i32,
    }

    impl<F: Fn(i32) -> f64> Lagged for Rule<F> {
        type Error = &'static str;

        fn solve(&mut self) -> std::result::Result<(), Self::Error> {
            self.solved += 1;
            if self.solved == self.fail_at { Err("cannot be solved") } else { Ok(()) }
        }

        fn measure(&mut self) -> std::result::Result<LagChange, Self::Error> {
            Ok(LagChange { change: (self.change)(self.solved), scale: 10.0 })
        }

        fn relag(&mut self) {
            self.relagged += 1;
        }
    }

    fn run(change: impl Fn(i32) -> f64, rounds: usize, tolerance: f64) -> RefinementReport {
        let mut rule = Rule { change, solved: 0, relagged: 0, fail_at: i32::MAX };
        let report = refine(&mut rule, &Refinement { rounds, tolerance }).unwrap();
        assert_eq!((Ok(rule.solved), rule.relagged), (i32::try_from(report.rounds()), rule.solved - 1));
        report
    }

    #[test]
    fn a_contraction_converges() {
        let report = run(|j| 0.5_f64.powi(j), 50, 1e-3);
        assert_eq!(report.outcome, Outcome::Converged);
        assert_eq!(report.rounds(), 7);
        assert_eq!(report.contraction(), Some(0.5));
        assert!(report.residual() <= 1e-3);
    }

    #[test]
    fn rounds_are_counted() {
        let report = run(|j| 0.5_f64.powi(j), 3, 1e-9);
        assert_eq!((report.outcome, report.rounds()), (Outcome::Exhausted, 3));
        let report = run(|j| 0.5_f64.powi(j), 1, 1e-9);
        assert_eq!((report.outcome, report.rounds(), report.contraction()), (Outcome::Exhausted, 1, None));
        assert_eq!(run(|j| 0.5_f64.powi(j), 0, 1e-9).rounds(), 1);
    }

    #[test]
    fn growth_circles_and_nonsense_are_divergence() {
        let report = run(|j| 1.8_f64.powi(j), 1000, 1e-3);
        assert_eq!((report.outcome, report.rounds()), (Outcome::Diverged, 4));
        assert!((report.contraction().unwrap() - 1.8).abs() < 1e-12);
        let circle = run(|j| if j % 2 == 0 { 5.0 } else { 3.0 }, 1000, 1e-3);
        assert_eq!((circle.outcome, circle.rounds()), (Outcome::Diverged, 4));
        assert_eq!(run(|_| 4.0, 1000, 1e-3).outcome, Outcome::Diverged);
        // A circle that is approached from above.
        let circle = run(|j| if j % 2 == 0 { 5.0 } else { 9.0 } + 0.5_f64.powi(j + 3), 1000, 1e-3);
        assert_eq!((circle.outcome, circle.rounds()), (Outcome::Diverged, 5));
        assert_eq!(run(|_| f64::NAN, 1000, 1e-3).outcome, Outcome::Diverged);
        assert_eq!(run(|_| f64::INFINITY, 1000, 1e-3).outcome, Outcome::Diverged);
    }

    #[test]
    fn one_step_back_is_forgiven() {
        let report = run(|j| if j == 3 { 1.0 } else { 0.5_f64.powi(j) }, 50, 1e-3);
        assert_eq!(report.outcome, Outcome::Converged);
    }

    #[test]
    fn noise_is_not_divergence() {
        let report = run(|j| 0.1_f64.powi(j.min(6)), 50, 0.0);
        assert_eq!((report.outcome, report.rounds()), (Outcome::Stalled, 9));
    }

    /// Changes of the first rounds, then those of the last of them.
    fn listed(changes: &[f64]) -> Outcome {
        let place = |j: i32| usize::try_from(j - 1).unwrap().min(changes.len() - 1);
        run(|j| changes[place(j)], 1000, 1e-3).outcome
    }

    #[test]
    fn fast_growth_and_one_lucky_round_are_not_noise() {
        assert_eq!(run(|j| 40.0_f64.powi(j), 1000, 1e-3).outcome, Outcome::Diverged);
        assert_eq!(run(|j| 0.1 * 100.0_f64.powi(j), 1000, 1e-3).outcome, Outcome::Diverged);
        assert_eq!(listed(&[1.0, 0.02, 0.5, 0.9]), Outcome::Diverged);
        assert_eq!(listed(&[1.0, 0.1, 0.05, 0.02, 0.9]), Outcome::Diverged);
        assert_eq!(listed(&[1.0, 3.0, 2.0, 0.2, 0.02, 0.002]), Outcome::Converged);
        assert_eq!(listed(&[1.0, 2.0, 3.0, 0.1, 0.2, 0.3, 0.001]), Outcome::Converged);
    }

    #[test]
    fn errors_of_the_solver_pass() {
        let mut rule = Rule { change: |j| 0.5_f64.powi(j), solved: 0, relagged: 0, fail_at: 3 };
        assert_eq!(refine(&mut rule, &Refinement { rounds: 9, tolerance: 0.0 }), Err("cannot be solved"));
        assert_eq!((rule.solved, rule.relagged), (3, 2));
    }

    #[test]
    fn without_friction_one_round_is_enough() {
        assert_eq!(LagChange::default().relative(), 0.0);
        assert_eq!(run(|_| 0.0, 50, 0.0).rounds(), 1);
    }

    #[test]
    fn bad_numbers_are_refused() {
        assert_eq!(Refinement::default().check(), Ok(Refinement::default()));
        assert!(Refinement { rounds: 0, tolerance: 0.1 }.check().is_err());
        for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Refinement { rounds: 2, tolerance }.check().is_err());
        }
    }
}
