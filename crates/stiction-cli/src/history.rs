//! What a run remembers: a row for every step, and some configurations for the picture.

use std::fmt::Write as _;

use stiction::friction::Outcome;
use stiction::math::Vector;
use stiction_sim::model::Model;
use stiction_sim::report::StepReport;
use stiction_sim::state::State;

/// Configurations kept at most; beyond, every other one is dropped.
const MAX_SNAPSHOTS: usize = 48;

/// Everything the table and the picture are made of.
#[derive(Clone, Debug)]
pub struct History<const D: usize> {
    /// One a step, and one of the start.
    pub reports: Vec<StepReport<D>>,
    /// Time and positions now and then, the first and the last among them.
    pub snapshots: Vec<(f64, Vec<Vector<D>>)>,
}

impl<const D: usize> History<D> {
    /// Begins with the start.
    pub fn new(model: &Model<D>, state: &State<D>) -> Self {
        let reports = vec![StepReport::at_start(model, state)];
        Self { reports, snapshots: vec![(state.time, state.x.clone())] }
    }

    /// Keeps a configuration.
    pub fn snapshot(&mut self, state: &State<D>) {
        if self.snapshots.last().is_some_and(|(time, _)| *time == state.time) {
            return;
        }
        if self.snapshots.len() == MAX_SNAPSHOTS {
            let mut index = 0;
            self.snapshots.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
        self.snapshots.push((state.time, state.x.clone()));
    }

    /// How many steps ended with friction that changed ever more as it was frozen anew.
    pub fn diverged(&self) -> usize {
        self.reports.iter().filter(|report| report.refinement == Some(Outcome::Diverged)).count()
    }

    /// Sum of a quantity over the steps so far, for each step.
    pub fn running_sum(&self, quantity: impl Fn(&StepReport<D>) -> f64) -> Vec<f64> {
        let mut sum = 0.0;
        let add = |report| {
            sum += quantity(report);
            sum
        };
        self.reports.iter().map(add).collect()
    }
}

/// Names of the columns of `steps.csv`, with units.
pub fn header<const D: usize>(model: &Model<D>) -> String {
    let mut out = String::from(
        "step,time [s],newton iterations,kinetic [J],elastic [J],gravity [J],barrier [J],total [J],\
         prescribed work [J],stiffness work [J],friction heat [J],mean slip [m],smallest gap [m],\
         normal force [N],kappa [J/m^4],pair contacts,obstacle contacts,sticking,slipping,separated,\
         cone excess [N],creep [m/s],creep bound [m/s],lag residual,friction rounds,refinement,regularised",
    );
    for part in &model.parts {
        for unit in ["m", "m/s"] {
            for axis in &["x", "y", "z"][..D] {
                let prefix = if unit == "m" { "" } else { "v" };
                let _ = write!(out, ",{}", quoted(&format!("{} {prefix}{axis} [{unit}]", part.name)));
            }
        }
    }
    out.push('\n');
    out
}

/// A line of `steps.csv`. Numbers are written so that reading them gives the same bits.
pub fn row<const D: usize>(report: &StepReport<D>) -> String {
    let (e, f) = (&report.energies, &report.friction);
    let mut out = format!("{},{:?},{}", report.step, report.time, report.iterations);
    let energies = [e.kinetic, e.elastic, e.gravity, e.barrier, e.total()];
    let work = [report.work, report.stiffness_work, f.dissipation];
    for number in energies.iter().chain(&work) {
        let _ = write!(out, ",{number:?}");
    }
    let _ = write!(out, ",{:?},{:?},{:?},{:?}", f.distance, report.gap, report.normal_force, report.kappa);
    let _ = write!(out, ",{},{}", report.pair_contacts, report.obstacle_contacts);
    let _ = write!(out, ",{},{},{}", f.stick, f.slip, f.separated);
    let _ = write!(out, ",{:?},{:?},{:?},{:?}", f.cone_excess, f.creep, f.creep_bound, f.lag_residual);
    let refinement = report.refinement.map_or("", Outcome::name);
    let _ = write!(out, ",{},{refinement},{}", report.rounds, report.regularised);
    for body in &report.bodies {
        for number in body.center.0.iter().chain(&body.velocity.0) {
            let _ = write!(out, ",{number:?}");
        }
    }
    out.push('\n');
    out
}

/// A field of a CSV file, in quotes if it needs them.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
