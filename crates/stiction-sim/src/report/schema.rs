//! The numbers of a step by name: one list that the table `steps.csv`, the dictionaries in Python, their types and `scenes/REPORT.md` are
//! all made from.
//!
//! A new number needs a field of [`StepReport`] and a line in the list here; then renew the documents that are made from it:
//! `STICTION_RENEW=1 cargo test -p stiction-sim --test all report_schema::`.

mod force;

use std::fmt;

use stiction::friction::Outcome;

use self::force::{OfDrive, OfLoad};
pub use self::force::{PairColumn, pair_columns};
use super::StepReport;
use crate::forces::ContactLoad;
use crate::model::{Model, Part};

/// Energies that every model has: name of the term, and what it is. Further terms come after them.
const ENERGIES: [(&str, &str); 4] = [
    ("kinetic", "Kinetic energy at the end of the step; 0 for quasi-static increments."),
    ("elastic", "Elastic energy of all solids, sheets and rods at the end of the step."),
    ("gravity", "Gravitational potential energy at the end of the step, 0 with all mass at the origin."),
    ("barrier", "Energy stored in the contact barriers at the end of the step."),
];

/// Names of the axes.
const AXES: [&str; 3] = ["x", "y", "z"];

/// What kind of value a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number of things.
    Count,
    /// A real number.
    Number,
    /// A word, or nothing.
    Text,
}

/// One value of a report.
///
/// [`Display`](fmt::Display) writes it as a field of a table: numbers so that reading them gives the same bits, nothing as an empty field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A number of things.
    Count(usize),
    /// A real number; infinite where a column says so.
    Number(f64),
    /// A word, or nothing.
    Text(Option<&'a str>),
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => write!(f, "{number:?}"),
            Self::Text(text) => f.write_str(text.unwrap_or_default()),
        }
    }
}

/// How a value is read from a report.
#[derive(Clone, Debug)]
enum Source<const D: usize> {
    Count(fn(&StepReport<D>) -> usize),
    Number(fn(&StepReport<D>) -> f64),
    Text(fn(&StepReport<D>) -> Option<&'static str>),
    /// The energy of the term with this name, in J.
    Energy(String),
    /// A component of the centre of mass of a body, by the body's number and the axis.
    Center(usize, usize),
    /// A component of its velocity.
    Velocity(usize, usize),
    /// A number of what contacts do to a body or an obstacle.
    Load(Target, usize, OfLoad<D>),
    /// How many contacts a body or an obstacle has.
    Contacts(Target),
    /// A number of what drives a prescribed motion, by its number among all motions.
    Drive(usize, usize, OfDrive<D>),
}

/// What contacts act on, by number.
#[derive(Clone, Copy, Debug)]
enum Target {
    Body(usize),
    Obstacle(usize),
}

/// Names that columns are made of.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Energies that users added.
    pub terms: Vec<String>,
    /// Each body with its prescribed motions.
    pub bodies: Vec<(String, Vec<String>)>,
    /// Each obstacle.
    pub obstacles: Vec<String>,
}

impl Names {
    /// Those of a model.
    pub fn of<const D: usize>(model: &Model<D>) -> Self {
        let of_part = |part: &Part| {
            (part.name.clone(), part.motions.iter().map(|motion| motion.name.clone()).collect())
        };
        Self {
            terms: model.terms.0.iter().map(|term| term.name().to_owned()).collect(),
            bodies: model.parts.iter().map(of_part).collect(),
            obstacles: model.obstacle_names(),
        }
    }

    /// Energies of terms with these names, and bodies without prescribed motions.
    pub fn new<'a>(
        terms: impl IntoIterator<Item = &'a str>,
        bodies: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self {
            terms: terms.into_iter().map(str::to_owned).collect(),
            bodies: bodies.into_iter().map(|name| (name.to_owned(), Vec::new())).collect(),
            obstacles: Vec::new(),
        }
    }
}

/// One number of a report: its name, its unit, what it means and where it comes from.
#[derive(Clone, Debug)]
pub struct Column<const D: usize> {
    name: String,
    unit: &'static str,
    meaning: String,
    source: Source<D>,
}

impl<const D: usize> Column<D> {
    fn new(name: impl Into<String>, unit: &'static str, meaning: &str, source: Source<D>) -> Self {
        Self { name: name.into(), unit, meaning: meaning.to_owned(), source }
    }

    /// Its name, the same everywhere.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its SI unit; empty where it has none.
    pub fn unit(&self) -> &'static str {
        self.unit
    }

    /// What it means, in a sentence or two.
    pub fn meaning(&self) -> &str {
        &self.meaning
    }

    /// The kind of its values.
    pub fn kind(&self) -> Kind {
        match self.source {
            Source::Count(_) | Source::Contacts(_) => Kind::Count,
            Source::Text(_) => Kind::Text,
            _ => Kind::Number,
        }
    }

    /// Name and unit: the head of the column in a table.
    pub fn title(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} [{}]", self.name, self.unit) }
    }

    /// Its value in a report of the model that the schema is of; NaN for a body or an energy that the report does not have.
    pub fn value(&self, report: &StepReport<D>) -> Value<'static> {
        let number = match &self.source {
            Source::Count(count) => return Value::Count(count(report)),
            Source::Contacts(target) => {
                return Value::Count(target.load(report).map_or(0, |load| load.contacts));
            }
            Source::Text(text) => return Value::Text(text(report)),
            Source::Number(number) => Some(number(report)),
            Source::Energy(term) => {
                report.energies.terms().find(|(name, _)| name == term).map(|(_, energy)| energy)
            }
            Source::Center(body, axis) => report.bodies.get(*body).map(|body| body.center[*axis]),
            Source::Velocity(body, axis) => report.bodies.get(*body).map(|body| body.velocity[*axis]),
            Source::Load(target, axis, value) => target.load(report).map(|load| value(load, *axis)),
            Source::Drive(drive, axis, value) => {
                report.forces.drives.get(*drive).map(|drive| value(drive, *axis))
            }
        };
        Value::Number(number.unwrap_or(f64::NAN))
    }

    /// The value that a field of a table says, as [`Value`] writes it; nothing if it is none of this kind.
    pub fn parse<'a>(&self, field: &'a str) -> Option<Value<'a>> {
        match self.kind() {
            Kind::Count => field.parse().ok().map(Value::Count),
            Kind::Number => field.parse().ok().map(Value::Number),
            Kind::Text => Some(Value::Text(Some(field).filter(|field| !field.is_empty()))),
        }
    }
}

impl Target {
    fn load<const D: usize>(self, report: &StepReport<D>) -> Option<&ContactLoad<D>> {
        match self {
            Self::Body(body) => report.forces.bodies.get(body),
            Self::Obstacle(obstacle) => report.forces.obstacles.get(obstacle),
        }
    }
}

/// The columns of all reports of a model.
///
/// First those that every model has, in an order that does not depend on the scene, then further energies, then bodies and obstacles. The name of an
/// energy ends with `_energy`, and numbers of bodies and obstacles have their names and a dot before them, so that all columns have different names where energies and
/// bodies do; `total` and `numerical` are no names for an energy.
#[derive(Clone, Debug)]
pub struct Schema<const D: usize> {
    columns: Vec<Column<D>>,
}

impl<const D: usize> Schema<D> {
    /// The columns of the reports of a model.
    pub fn of(model: &Model<D>) -> Self {
        Self::new(&Names::of(model))
    }

    /// The columns where energies that users added, bodies and obstacles have these names.
    pub fn new(names: &Names) -> Self {
        let mut columns = begin();
        columns.extend(ENERGIES.map(|(term, meaning)| energy(term, meaning)));
        columns.extend([total_energy()]);
        columns.extend(balance());
        columns.extend(contact());
        columns.extend(friction());
        columns.extend(solver());
        for term in names.terms.iter().filter(|term| is_added(term)) {
            columns.push(energy(term, &format!("Energy of the term `{term}` at the end of the step.")));
        }
        let mut drives = 0;
        for (index, (name, motions)) in names.bodies.iter().enumerate() {
            columns.extend(body(index, name));
            columns.extend(force::load(Target::Body(index), name));
            for motion in motions {
                columns.extend(force::drive(drives, motion, name));
                drives += 1;
            }
        }
        for (index, name) in names.obstacles.iter().enumerate() {
            columns.extend(force::load(Target::Obstacle(index), name));
        }
        Self { columns }
    }

    /// All of them, in order.
    pub fn columns(&self) -> &[Column<D>] {
        &self.columns
    }

    /// The energies that users added: the name of each term with its column.
    pub fn added_energies(&self) -> impl Iterator<Item = (&str, &Column<D>)> {
        self.columns.iter().filter_map(|column| match &column.source {
            Source::Energy(term) if is_added(term) => Some((term.as_str(), column)),
            _ => None,
        })
    }

    /// Where the column with this name is.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The values of a report, in the order of the columns.
    pub fn values(&self, report: &StepReport<D>) -> Vec<Value<'static>> {
        self.columns.iter().map(|column| column.value(report)).collect()
    }
}

/// Whether an energy is none of those that every model has.
fn is_added(term: &str) -> bool {
    ENERGIES.iter().all(|(name, _)| *name != term)
}

fn count<const D: usize>(name: &str, meaning: &str, value: fn(&StepReport<D>) -> usize) -> Column<D> {
    Column::new(name, "", meaning, Source::Count(value))
}

fn number<const D: usize>(
    name: &str,
    unit: &'static str,
    meaning: &str,
    value: fn(&StepReport<D>) -> f64,
) -> Column<D> {
    Column::new(name, unit, meaning, Source::Number(value))
}

fn energy<const D: usize>(term: &str, meaning: &str) -> Column<D> {
    Column::new(format!("{term}_energy"), "J", meaning, Source::Energy(term.to_owned()))
}

/// Which step it is, and how many iterations it took.
fn begin<const D: usize>() -> Vec<Column<D>> {
    vec![
        count("step", "Number of the step, from 1; 0 at the start.", |r| r.step),
        number("time", "s", "Time at the end of the step.", |r| r.time),
        count(
            "newton_iterations",
            "Newton iterations of the step, summed over substeps and lagging iterations; failed attempts do not count.",
            |r| r.iterations,
        ),
    ]
}

fn total_energy<const D: usize>() -> Column<D> {
    number("total_energy", "J", "Sum of all energies at the end of the step.", |r| r.energies.total())
}

/// What changes the energies.
fn balance<const D: usize>() -> Vec<Column<D>> {
    vec![
        number(
            "prescribed_work",
            "J",
            "Work that prescribed vertices and moving obstacles did on the bodies during the step.",
            |r| r.work,
        ),
        number(
            "load_work",
            "J",
            "Work that loads, and time through energies that users added, did during the step.",
            |r| r.load_work,
        ),
        number(
            "stiffness_work",
            "J",
            "Energy that changes of the barrier stiffness added to the barriers during the step; negative where they removed some.",
            |r| r.stiffness_work,
        ),
        number("friction_heat", "J", "Energy that friction dissipated during the step.", |r| {
            r.friction.dissipation
        }),
        number("damping_heat", "J", "Energy that material damping dissipated during the step.", |r| {
            r.damping_heat
        }),
        number(
            "numerical_energy",
            "J",
            "Energy that the time integrator itself added during the step: change of `total_energy`, plus heat, minus work. \
             Negative where the integrator dissipates.",
            |r| r.numerical_energy,
        ),
    ]
}

/// Slip, gap, force and the contacts themselves.
fn contact<const D: usize>() -> Vec<Column<D>> {
    vec![
        number(
            "mean_slip",
            "m",
            "Slip distance during the step, averaged over all contacts with friction, each weighted by its normal force.",
            |r| r.friction.distance,
        ),
        number(
            "smallest_gap",
            "m",
            "Smallest distance between two primitives in contact at the end of the step; `inf` without contact.",
            |r| r.gap,
        ),
        number(
            "normal_force",
            "N",
            "Sum of the normal force magnitudes |λ| of all contacts at the end of the step. It is not a resultant: both sides of a \
             clamped body count.",
            |r| r.normal_force,
        ),
        number(
            "kappa",
            "J/m^4",
            "Barrier stiffness κ at the end of the step; of the stiffest pair where pairs differ. With `contact.use_area_weighting` it is in \
             J/m^6 (J/m^5 in 2D).",
            |r| r.kappa,
        ),
        count("vertex_vertex_contacts", "Vertex–vertex contacts at the end of the step.", |r| {
            r.contacts.vv
        }),
        count("vertex_edge_contacts", "Vertex–edge contacts at the end of the step.", |r| r.contacts.ve),
        count(
            "edge_edge_contacts",
            "Edge–edge contacts at the end of the step, including nearly parallel edges.",
            |r| r.contacts.ee,
        ),
        count("vertex_face_contacts", "Vertex–face contacts at the end of the step.", |r| r.contacts.vf),
        count(
            "obstacle_contacts",
            "Contacts of a vertex with a plane, sphere or cylinder at the end of the step.",
            |r| r.contacts.obstacle,
        ),
    ]
}

/// How friction acted, and how lagging it ended.
fn friction<const D: usize>() -> Vec<Column<D>> {
    vec![
        count(
            "sticking",
            "Contacts with friction that slide slower than `friction.eps_v` during the step.",
            |r| r.friction.stick,
        ),
        count(
            "slipping",
            "Contacts with friction that slide at `friction.eps_v` or faster during the step.",
            |r| r.friction.slip,
        ),
        count(
            "separated",
            "Contacts with friction, sticking or slipping, that have no normal force any more at the end of the step.",
            |r| r.friction.separated,
        ),
        number(
            "cone_excess",
            "N",
            "Largest amount by which a friction force exceeds the Coulomb cone of the normal force at the end of the step; 0 if \
             none does.",
            |r| r.friction.cone_excess,
        ),
        number(
            "relative_cone_excess",
            "",
            "`cone_excess` divided by the largest μλ of all contacts; 0 without friction.",
            |r| r.friction.relative_cone_excess,
        ),
        number("creep", "m/s", "Speed of the fastest sticking contact.", |r| r.friction.creep),
        number(
            "creep_bound",
            "m/s",
            "Speed that no contact reaches while its friction force is below the static limit.",
            |r| r.friction.creep_bound,
        ),
        number(
            "lag_residual",
            "",
            "Relative change of the friction forces if normal forces and tangent planes were lagged once more at the solution.",
            |r| r.friction.lag_residual,
        ),
        count(
            "friction_rounds",
            "Lagging iterations: how often the step was solved, summed over substeps.",
            |r| r.rounds,
        ),
        Column::new(
            "refinement",
            "",
            "How the lagging iterations ended: `converged`, `exhausted`, `stalled` or `diverged`; nothing at the start.",
            Source::Text(|r| r.refinement.map(Outcome::name)),
        ),
    ]
}

/// What the solver had to do besides.
fn solver<const D: usize>() -> Vec<Column<D>> {
    vec![
        count(
            "regularised",
            "How often the matrix of a linear system was shifted to become positive definite.",
            |r| r.regularised,
        ),
        count(
            "fallbacks",
            "How often conjugate gradients failed and the direct solver took over for the rest of the substep.",
            |r| r.fallbacks,
        ),
        count(
            "substeps",
            "Substeps that the step was made in: 1, or a power of two where the whole step failed; 0 at the start.",
            |r| r.substeps,
        ),
        count(
            "damped",
            "Substeps made by implicit Euler because the chosen integrator would have created energy or a body was hit.",
            |r| r.damped,
        ),
    ]
}

/// Centre and velocity of a body.
fn body<const D: usize>(index: usize, name: &str) -> Vec<Column<D>> {
    let axes = || AXES[..D.min(AXES.len())].iter().enumerate();
    let center = axes().map(|(k, axis)| {
        let meaning = format!(
            "{axis} coordinate of the centre of mass of body `{name}` at the end of the step; for a static body, the mean of its vertices."
        );
        Column::new(format!("{name}.{axis}"), "m", &meaning, Source::Center(index, k))
    });
    let velocity = axes().map(|(k, axis)| {
        let meaning = format!("{axis} component of the velocity of that point of body `{name}`.");
        Column::new(format!("{name}.v{axis}"), "m/s", &meaning, Source::Velocity(index, k))
    });
    center.chain(velocity).collect()
}
