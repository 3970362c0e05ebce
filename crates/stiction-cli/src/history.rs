//! What a run remembers for its picture: numbers of every step, and some configurations.

use stiction::math::Vector;
use stiction_sim::model::Model;
use stiction_sim::report::StepReport;
use stiction_sim::state::State;

use crate::table::Record;

/// Configurations kept at most; beyond, every other one is dropped.
const MAX_SNAPSHOTS: usize = 48;

/// Everything the picture is made of.
#[derive(Clone, Debug)]
pub struct History<const D: usize> {
    /// One a step, and one of the start.
    pub records: Vec<Record>,
    /// Time and positions now and then, the first and the last among them.
    pub snapshots: Vec<(f64, Vec<Vector<D>>)>,
}

impl<const D: usize> History<D> {
    /// Begins with the start.
    pub fn new(model: &Model<D>, state: &State<D>) -> Self {
        let records = vec![Record::from(&StepReport::at_start(model, state))];
        Self { records, snapshots: vec![(state.time, model.surface_at(&state.q).into_owned())] }
    }

    /// Keeps a configuration.
    pub fn snapshot(&mut self, model: &Model<D>, state: &State<D>) {
        if self.snapshots.last().is_some_and(|(time, _)| *time == state.time) {
            return;
        }
        push_thinned(&mut self.snapshots, (state.time, model.surface_at(&state.q).into_owned()));
    }

    /// How many steps ended with friction that changed ever more as it was frozen anew.
    pub fn diverged(&self) -> usize {
        self.records.iter().filter(|record| record.diverged).count()
    }

    /// How many steps were made in substeps.
    pub fn divided(&self) -> usize {
        self.records.iter().filter(|record| record.substeps > 1).count()
    }

    /// Sum of a quantity over the steps so far, for each step.
    pub fn running_sum(&self, quantity: impl Fn(&Record) -> f64) -> Vec<f64> {
        let mut sum = 0.0;
        let add = |record| {
            sum += quantity(record);
            sum
        };
        self.records.iter().map(add).collect()
    }
}

/// Which of some configurations, taken one after the other, are kept: those that a run that made them all still has.
pub fn kept_of<T>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut out = Vec::new();
    for item in all {
        push_thinned(&mut out, item);
    }
    out
}

fn push_thinned<T>(list: &mut Vec<T>, item: T) {
    if list.len() == MAX_SNAPSHOTS {
        let mut index = 0;
        list.retain(|_| {
            index += 1;
            index % 2 == 1
        });
    }
    list.push(item);
}
