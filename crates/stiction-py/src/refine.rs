//! Solving again with friction frozen at the solution.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::friction::{LagChange, Lagged, Refinement, RefinementReport, refine as in_rounds};

use crate::error::plain;

/// Solves, freezes friction at the solution, and solves again, until friction does not change any more. Returns what happened, a dictionary.
///
/// `solve()`: solves with friction as it is frozen now, from the last solution on.
/// `measure()`: freezes friction at the solution, sets it aside, and returns how much its forces differ from those used, and the larger norm
/// of the two: see `FrictionPotential.change`.
/// `relag()`: takes what was set aside for the next `solve`.
/// `rounds`: most solves. `tolerance`: relative change of the friction forces that is small enough.
///
/// It ends early when three times in a row no change was smaller than all before by at least 2 %. However it ends, the problem is left at
/// its last solution with the friction that this was found with.
///
/// Of the result: `outcome` is "converged", "exhausted", "stalled" or "diverged"; `rounds` how many solves were made; `residual` the last
/// relative change; `changes` all changes in N; `contraction` the part of the change that a round leaves, None after a single one.
#[pyfunction]
#[pyo3(signature = (solve, measure, relag, *, rounds=10, tolerance=1e-3))]
pub fn refine<'py>(
    solve: &Bound<'py, PyAny>,
    measure: &Bound<'py, PyAny>,
    relag: &Bound<'py, PyAny>,
    rounds: usize,
    tolerance: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let refinement = Refinement { rounds, tolerance }.check().map_err(|error| plain(&error))?;
    let mut problem = Functions { solve, measure, relag, failed: None };
    let report = in_rounds(&mut problem, &refinement)?;
    as_dict(solve.py(), &report)
}

fn as_dict<'py>(py: Python<'py>, report: &RefinementReport) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("outcome", report.outcome.name())?;
    out.set_item("rounds", report.rounds())?;
    out.set_item("residual", report.residual())?;
    out.set_item("changes", report.changes.iter().map(|change| change.change).collect::<Vec<_>>())?;
    out.set_item("contraction", report.contraction())?;
    Ok(out)
}

/// A problem of three functions of Python.
struct Functions<'a, 'py> {
    solve: &'a Bound<'py, PyAny>,
    measure: &'a Bound<'py, PyAny>,
    relag: &'a Bound<'py, PyAny>,
    /// What `relag` raised; it is raised instead of the solve that follows.
    failed: Option<PyErr>,
}

impl Lagged for Functions<'_, '_> {
    type Error = PyErr;

    fn solve(&mut self) -> PyResult<()> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.solve.call0().map(|_| ()),
        }
    }

    fn measure(&mut self) -> PyResult<LagChange> {
        let (change, scale) = self.measure.call0()?.extract()?;
        Ok(LagChange { change, scale })
    }

    fn relag(&mut self) {
        self.failed = self.relag.call0().err();
    }
}
