//! Where the time of a run went, as a table.

use std::fmt::Write as _;
use std::time::Duration;

use stiction_sim::timings::{Phase, Timings};

/// A line for each phase: seconds, milliseconds a step, and the part of the whole.
pub fn table(timings: &Timings) -> String {
    let mut out = format!("{:18}{:>10}{:>12}{:>8}\n", "wall time", "s", "ms a step", "%");
    let (whole, steps) = (timings.total().as_secs_f64(), timings.steps().max(1) as f64);
    let mut line = |name: &str, time: Duration| {
        let seconds = time.as_secs_f64();
        let part = if whole > 0.0 { 100.0 * seconds / whole } else { 0.0 };
        // Writing to a string does not fail.
        let _ = writeln!(out, "{name:18}{seconds:10.3}{:12.3}{part:8.1}", 1e3 * seconds / steps);
    };
    for phase in Phase::ALL {
        line(phase.name(), timings.of(phase));
    }
    line("rest", timings.rest());
    line("all steps", timings.total());
    out
}
