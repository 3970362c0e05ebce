//! Columns of forces: of bodies, of obstacles, and of what drives prescribed motions.

use super::{AXES, Column, Kind, Source, Target, Value};
use crate::forces::{ContactLoad, DriveLoad};

/// A number of a load.
pub(super) type OfLoad<const D: usize> = fn(&ContactLoad<D>, usize) -> f64;

/// A number of a drive.
pub(super) type OfDrive<const D: usize> = fn(&DriveLoad<D>, usize) -> f64;

/// The axes that moments have: all in 3D, one without a name in 2D.
fn moment_axes<const D: usize>() -> Vec<(usize, String)> {
    if D == 2 {
        return vec![(2, String::new())];
    }
    AXES.iter().enumerate().map(|(k, axis)| (k, format!("_{axis}"))).collect()
}

/// The columns of what contacts do to a body or an obstacle.
pub(super) fn load<const D: usize>(target: Target, name: &str) -> Vec<Column<D>> {
    let (what, about) = match target {
        Target::Body(_) => (format!("body `{name}`"), "its centre of mass"),
        Target::Obstacle(_) => {
            (format!("obstacle `{name}`"), "its point, centre or point of its axis, where it is then")
        }
    };
    let column = |part: String, unit: &'static str, meaning: String, axis: usize, value: OfLoad<D>| {
        Column::new(format!("{name}.{part}"), unit, &meaning, Source::Load(target, axis, value))
    };
    let mut out = Vec::new();
    for (k, axis) in AXES[..D.min(AXES.len())].iter().enumerate() {
        let meaning = format!(
            "{axis} component of the sum of the normal contact forces on {what} at the end of the step."
        );
        out.push(column(format!("normal_{axis}"), "N", meaning, k, |load, k| load.normal[k]));
    }
    for (k, axis) in AXES[..D.min(AXES.len())].iter().enumerate() {
        let meaning =
            format!("{axis} component of the sum of the friction forces on {what} at the end of the step.");
        out.push(column(format!("friction_{axis}"), "N", meaning, k, |load, k| load.friction[k]));
    }
    for (k, axis) in moment_axes::<D>() {
        let side = if D == 2 {
            "M"
        } else {
            ["x component of the m", "y component of the m", "z component of the m"][k]
        };
        let meaning = format!(
            "{side}oment of normal and friction forces on {what} about {about}, at the end of the step."
        );
        out.push(column(format!("moment{axis}"), "N m", meaning, k, |load, k| load.moment[k]));
    }
    out.extend(numbers(&column, &what));
    let meaning = format!("Contacts of {what} at the end of the step.");
    out.push(Column::new(format!("{name}.contacts"), "", &meaning, Source::Contacts(target)));
    out
}

/// The columns that have no axis.
fn numbers<const D: usize>(
    column: &dyn Fn(String, &'static str, String, usize, OfLoad<D>) -> Column<D>,
    what: &str,
) -> Vec<Column<D>> {
    let of = |part: &str, unit: &'static str, meaning: String, value: OfLoad<D>| {
        column(part.to_owned(), unit, meaning, 0, value)
    };
    vec![
        of(
            "normal_force",
            "N",
            format!(
                "Sum of the magnitudes |λ| of the normal forces of all contacts of {what} at the end of the step: forces from opposite sides \
                 add up. A contact of a body with itself counts once."
            ),
            |load, _| load.normal_force,
        ),
        of(
            "contact_power",
            "W",
            format!(
                "Power of normal and friction forces on {what} at the end of the step: force times velocity where it acts."
            ),
            |load, _| load.power,
        ),
        of(
            "friction_heat",
            "J",
            format!(
                "Energy that friction dissipated during the step in contacts of {what}. A contact belongs to both of its sides, so the sum over \
                 bodies and obstacles is larger than the column `friction_heat`."
            ),
            |load, _| load.heat,
        ),
        of(
            "contact_area",
            "m^2",
            format!(
                "Area of the faces, in 2D and of rods of the edges, all of whose vertices are pushed by contacts of {what} at the end of the step; of an obstacle, the area of what touches it. \
                 Contacts that reach less than a whole face have none."
            ),
            |load, _| load.area,
        ),
        of(
            "stick_share",
            "",
            format!(
                "Part of the normal force of {what}, among contacts with friction, that is in sticking contacts; 0 without friction."
            ),
            |load, _| load.stick_share,
        ),
    ]
}

/// The columns of what drives a prescribed motion.
pub(super) fn drive<const D: usize>(index: usize, motion: &str, body: &str) -> Vec<Column<D>> {
    let name = format!("{body}.{motion}");
    let what = format!("`{motion}` of body `{body}`");
    let column = |part: String, unit: &'static str, meaning: String, axis: usize, value: OfDrive<D>| {
        Column::new(format!("{name}.{part}"), unit, &meaning, Source::Drive(index, axis, value))
    };
    let mut out = Vec::new();
    for (k, axis) in AXES[..D.min(AXES.len())].iter().enumerate() {
        let meaning = format!(
            "{axis} component of the force that holds or drives {what} at the end of the step: what a load cell would show, and inertia; 0 at the start."
        );
        out.push(column(format!("force_{axis}"), "N", meaning, k, |drive, k| drive.force[k]));
    }
    for (k, axis) in moment_axes::<D>() {
        let meaning = format!("Moment of that force about the mean of the driven nodes{}.", component(&axis));
        out.push(column(format!("moment{axis}"), "N m", meaning, k, |drive, k| drive.moment[k]));
    }
    let meaning = format!("Power of that force of {what} at the end of the step.");
    out.push(column("power".to_owned(), "W", meaning, 0, |drive, _| drive.power));
    out
}

/// Which component of a moment has a name that ends so.
fn component(ending: &str) -> String {
    if ending.is_empty() { String::new() } else { format!(", {} component", &ending[1..]) }
}

/// A number of what two bodies, or a body and an obstacle, do to each other.
#[derive(Clone, Debug)]
pub struct PairColumn<const D: usize>(Column<D>);

impl<const D: usize> PairColumn<D> {
    /// Its name.
    pub fn name(&self) -> &str {
        self.0.name.trim_start_matches('.')
    }

    /// Its SI unit; empty where it has none.
    pub fn unit(&self) -> &'static str {
        self.0.unit
    }

    /// The kind of its values.
    pub fn kind(&self) -> Kind {
        self.0.kind()
    }

    /// Name and unit.
    pub fn title(&self) -> String {
        self.0.title().trim_start_matches('.').to_owned()
    }

    /// Its value in a load.
    pub fn value(&self, load: &ContactLoad<D>) -> Value<'static> {
        match self.0.source {
            Source::Load(_, axis, value) => Value::Number(value(load, axis)),
            _ => Value::Count(load.contacts),
        }
    }
}

/// The columns of the table of pairs, behind the names of both sides.
pub fn pair_columns<const D: usize>() -> Vec<PairColumn<D>> {
    load(Target::Body(0), "").into_iter().map(PairColumn).collect()
}
