//! Where the time goes.

use std::time::{Duration, Instant};

/// Kinds of work in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Search for pairs that may touch, and bounds on steps.
    Search,
    /// Contacts and energies along directions.
    LineSearch,
    /// Gradients and Hessians.
    Assembly,
    /// Linear systems.
    Solve,
}

impl Phase {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Search, Self::LineSearch, Self::Assembly, Self::Solve];

    /// What it is called in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Search => "pairs and bounds",
            Self::LineSearch => "line search",
            Self::Assembly => "assembly",
            Self::Solve => "linear solve",
        }
    }
}

/// Wall time by phase, added up over steps. It is no part of a report: reports of the same step are equal, times are not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    phases: [Duration; 4],
    total: Duration,
    steps: usize,
}

impl Timings {
    /// Time spent in a phase.
    pub fn of(&self, phase: Phase) -> Duration {
        self.phases[phase as usize]
    }

    /// Time spent in steps.
    pub fn total(&self) -> Duration {
        self.total
    }

    /// Time spent in steps outside all phases.
    pub fn rest(&self) -> Duration {
        self.total.saturating_sub(self.phases.iter().sum())
    }

    /// How many steps were made, with those that failed.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Does some work of a phase.
    pub(crate) fn time<R>(&mut self, phase: Phase, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.phases[phase as usize] += start.elapsed();
        result
    }

    /// Counts a step that began then.
    pub(crate) fn end_step(&mut self, start: Instant) {
        self.steps += 1;
        self.total += start.elapsed();
    }
}
