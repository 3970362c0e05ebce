//! Numbers of a step have one name everywhere, and the documents that are made from the list of them are up to date.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support;
use stiction::friction::Outcome;
use stiction::math::Vector;
use stiction_sim::fields::{FieldKind, Place};
use stiction_sim::report::StepReport;
use stiction_sim::report::schema::{Column, Kind, Names, Schema, Value};
use stiction_sim::step::step;

/// How to make the documents anew.
const RENEW: &str = "STICTION_RENEW=1 cargo test -p stiction-sim --test all report_schema::";

const REPORT_BEGINS: &str = "# Numbers of a step
Look up here what a column of `steps.csv` or a key of a report in Python means, and in which unit it is. The command
`stiction run` writes a row for the start and one for each step; `Simulation.step()` returns a step's dictionary, and
`Simulation.reports` has all of them. Both use these names in this order; the table adds the unit: `time [s]`.

Contacts between parts whose motion is prescribed on both sides do not count. Of a step that is made in substeps, work, heat,
`numerical_energy`, `mean_slip`, `newton_iterations`, `friction_rounds`, `regularised`, `fallbacks`, `substeps` and `damped` are sums;
`cone_excess`, `relative_cone_excess`, `creep`, `creep_bound` and `lag_residual` are the largest values of all substeps; `refinement` is
`diverged` if it was in one of them. All else is as at the end.

";

const REPORT_ENDS: &str =
    "\nEach body has its own columns, with its name in place of `BODY`. So has each of its prescribed motions: `motion1`, `motion2` and so on in the order of
`motions`, and each of its `fixed` sides: `fixed1`, `fixed2` and so on in place of `motion1`. So has each obstacle, with its name in place of `OBSTACLE`: the `name` that the scene gives it, or `plane1`, `sphere1`, `cylinder1` and so on. Scenes in 2D have
no `z`, and moments there have one number, `moment`, about the axis out of the plane.

The forces between two bodies, or a body and an obstacle, are in `pairs.csv` (`Simulation.pair_forces` in Python), a row for each pair that touches: `step`,
`time [s]`, `first`, `second`, then the columns of a body from `normal_x` on. They act on `first`, about its centre of mass; the forces on `second` are
opposite. A body that touches itself is both.
This file is made from `crates/stiction-sim/src/report/schema.rs`: see there how to add a number.
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The columns of scenes in 3D with a body called `BODY`.
fn columns() -> Vec<Column<3>> {
    let names = Names {
        bodies: vec![("BODY".to_owned(), vec!["motion1".to_owned()])],
        obstacles: vec!["OBSTACLE".to_owned()],
        ..Names::default()
    };
    Schema::new(&names).columns().to_vec()
}

/// Compares a file with what it should have, or writes that if it is asked for.
fn check(name: &str, expected: &str) {
    let path = root().join(name);
    if std::env::var_os("STICTION_RENEW").is_some() {
        fs::write(&path, expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{name} is not what the schema of reports says; renew it: {RENEW}");
}

/// `scenes/REPORT.md`.
fn document() -> String {
    let mut out = format!("{REPORT_BEGINS}| name | unit | meaning |\n| --- | --- | --- |\n");
    for column in columns() {
        let unit = if column.unit().is_empty() { "–" } else { column.unit() };
        let meaning = column.meaning().replace('|', "\\|");
        let _ = writeln!(out, "| `{}` | {unit} | {meaning} |", column.name());
    }
    out + REPORT_ENDS
}

const FIELDS_BEGIN: &str = "# Fields of frames
Look up here what an array in a frame of `stiction run` means. Frames are VTU files: open `frames.pvd` in ParaView, or read them in Python with
`stiction.Run.load(folder).frames`, `Simulation.fields()` or meshio. Choose fields with the key `output.fields` of a scene. Fields on vertices belong to the vertices
of the surface, those in cells to edges, triangles and tetrahedra. Each cell also has `body`, the number of its body.

";

const FIELDS_END: &str = "
## Contacts
Each frame has its contacts as points, in `frames/contacts`. A contact has two sides; forces are those on the first one, and the second has the opposite.

| array | unit | meaning |
| --- | --- | --- |
| `first`, `second` | – | Numbers of the two sides in the list `things` of the file: bodies first, then obstacles. The same twice where a body touches itself. |
| `kind` | – | 0 vertex–vertex, 1 vertex–edge, 2 edge–edge, 3 vertex–face, 4 vertex–obstacle. |
| `regime` | – | 0 without friction, 1 sticking, 2 slipping. |
| `normal_force` | N | Normal force on the first side. |
| `friction_force` | N | Friction force on the first side. |
| `lambda` | N | Normal force λ, negative where it attracts; 0 where a contact that had friction in the step has ended. |
| `slip_speed` | m/s | How fast the contact slides. |
| `slip` | m | How far its sides have slid on each other since it began. |
| `heat` | J | The heat that friction has made in it since. |
| `birth` | s | When it began. |

The lists `things` and `materials` in the same file name bodies and obstacles, and what bodies are made of.

## Obstacles
`frames/obstacles` has the obstacles as triangles where they are at the time of the frame; `thing` is the number of each in the list `things`. Planes and cylinders end ten
diagonals of the scene away from it.

This file is made from `crates/stiction-sim/src/fields/kind.rs`: see there how to add a field.
";

/// `scenes/FIELDS.md`.
fn fields() -> String {
    let mut out =
        format!("{FIELDS_BEGIN}| field | on | numbers | unit | meaning |\n| --- | --- | --- | --- | --- |\n");
    for kind in FieldKind::ALL {
        let unit = if kind.unit().is_empty() { "–" } else { kind.unit() };
        let place = if kind.place() == Place::Vertices { "vertices" } else { "cells" };
        let _ = writeln!(out, "| `{kind}` | {place} | {} | {unit} | {} |", kind.components(), kind.meaning());
    }
    out + FIELDS_END
}

#[test]
fn the_document_of_fields_is_that_of_their_list() {
    check("scenes/FIELDS.md", &fields());
}

/// What `help(stiction.Simulation.step)` says of the keys.
fn docstring() -> String {
    let line = |column: &Column<3>| {
        let unit = if column.unit().is_empty() { String::new() } else { format!(" ({})", column.unit()) };
        format!("- `{}`{unit}: {}\n", column.name(), column.meaning())
    };
    columns().iter().map(line).collect()
}

/// Names of the keys that every report has, as types of Python.
fn types() -> String {
    let alias = |name: &str, kind: Kind| {
        let columns = columns();
        let of_kind = columns.iter().filter(|column| column.kind() == kind && !column.name().contains('.'));
        let names: Vec<String> = of_kind.map(|column| format!("    \"{}\",", column.name())).collect();
        format!("{name}: TypeAlias = Literal[\n{}\n]\n", names.join("\n"))
    };
    let kinds = [("_ReportCount", Kind::Count), ("_ReportNumber", Kind::Number), ("_ReportText", Kind::Text)];
    kinds.map(|(name, kind)| alias(name, kind)).concat()
}

/// A text with what is between two lines replaced.
fn with_section(text: &str, section: &str) -> String {
    let (begin, end) = ("# Keys of reports: begin\n", "# Keys of reports: end\n");
    let (before, rest) = text.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    format!("{before}{begin}{section}{end}{after}")
}

#[test]
fn the_document_is_that_of_the_schema() {
    check("scenes/REPORT.md", &document());
}

#[test]
fn the_docstring_is_that_of_the_schema() {
    check("crates/stiction-py/src/report.md", &docstring());
}

#[test]
fn the_types_are_those_of_the_schema() {
    let name = "python/stiction/_stiction/__init__.pyi";
    let stub = fs::read_to_string(root().join(name)).unwrap();
    check(name, &with_section(&stub, &types()));
    // A stub that lacks a name is not what it should be.
    let stub = fs::read_to_string(root().join(name)).unwrap();
    let lacking = stub.replace("    \"fallbacks\",\n", "");
    assert!(lacking != stub && with_section(&lacking, &types()) == stub);
}

/// Names are in snake case, behind the name of a body or an obstacle and a dot where they are one's, and the number of a motion.
fn is_good(name: &str) -> bool {
    let word = ["BODY.motion1.", "BODY.", "OBSTACLE."]
        .iter()
        .find_map(|start| name.strip_prefix(start))
        .unwrap_or(name);
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

#[test]
fn names_differ_and_sentences_are_whole() {
    let columns = columns();
    let names: BTreeSet<&str> = columns.iter().map(Column::name).collect();
    assert_eq!(names.len(), columns.len());
    for column in &columns {
        let meaning = column.meaning();
        assert!(is_good(column.name()), "{}", column.name());
        let units = ["", "s", "J", "m", "N", "m/s", "J/m^4", "N m", "W", "m^2"];
        assert!(units.contains(&column.unit()), "{}", column.unit());
        assert!(meaning.ends_with('.') && meaning.len() > 20, "{}: {meaning}", column.name());
        assert!(!meaning.contains("  ") && !meaning.contains('\n'), "{}: {meaning}", column.name());
    }
    assert!(!is_good("newton iterations") && !is_good("energy.total") && is_good("BODY.vx"));
}

/// A report of a scene whose numbers all differ.
fn distinct() -> (Schema<2>, StepReport<2>) {
    let (model, state) = support::scene("slide-2d.toml").build::<2>().unwrap();
    let mut report = StepReport::at_start(&model, &state);
    let mut last = 100;
    let mut next = || {
        last += 1;
        last
    };
    let r = &mut report;
    let (c, f) = (&mut r.contacts, &mut r.friction);
    let counts = [&mut r.step, &mut r.iterations, &mut r.substeps, &mut r.regularised, &mut r.fallbacks];
    let contacts = [&mut c.vv, &mut c.ve, &mut c.ee, &mut c.vf, &mut c.obstacle];
    let others = [&mut r.damped, &mut r.rounds, &mut f.stick, &mut f.slip, &mut f.separated];
    counts.into_iter().chain(contacts).chain(others).for_each(|count| *count = next());
    let e = &mut r.energies;
    let energies = [&mut e.kinetic, &mut e.elastic, &mut e.gravity, &mut e.barrier];
    let work = [&mut r.work, &mut r.load_work, &mut r.stiffness_work, &mut r.damping_heat];
    let numbers = [&mut r.time, &mut r.numerical_energy, &mut r.gap, &mut r.normal_force, &mut r.kappa];
    let cone = [&mut f.cone_excess, &mut f.relative_cone_excess, &mut f.creep, &mut f.creep_bound];
    let slip = [&mut f.distance, &mut f.dissipation, &mut f.lag_residual];
    let numbers = energies.into_iter().chain(work).chain(numbers).chain(cone).chain(slip);
    numbers.for_each(|number| *number = next() as f64 + 0.25);
    for body in &mut r.bodies {
        body.center = Vector([next() as f64, next() as f64]);
        body.velocity = Vector([next() as f64, next() as f64]);
    }
    r.refinement = Some(Outcome::Stalled);
    // Pairs have a table of their own.
    r.forces.pairs.clear();
    for (load, body) in r.forces.bodies.iter_mut().zip(&r.bodies) {
        load.center = body.center;
    }
    for load in r.forces.bodies.iter_mut().chain(&mut r.forces.obstacles) {
        load.normal = Vector([next() as f64, next() as f64]);
        load.friction = Vector([next() as f64, next() as f64]);
        load.moment = [0.0, 0.0, next() as f64];
        let numbers =
            [&mut load.normal_force, &mut load.power, &mut load.heat, &mut load.area, &mut load.stick_share];
        for number in numbers {
            *number = next() as f64;
        }
        load.contacts = next();
    }
    for load in &mut r.forces.obstacles {
        load.center = Vector::ZERO;
    }
    (Schema::of(&model), report)
}

fn number_of(value: Value<'_>) -> Option<f64> {
    match value {
        Value::Count(count) => Some(count as f64),
        Value::Number(number) => Some(number),
        Value::Text(_) => None,
    }
}

/// The numbers of a report that no column shows, from all that it consists of.
fn not_shown(report: &StepReport<2>, shown: &[Value<'_>]) -> Vec<f64> {
    let everything = format!("{report:?}");
    let words = everything.split(|c: char| !(c.is_ascii_alphanumeric() || "._-+".contains(c)));
    let numbers = words.filter_map(|word| word.parse::<f64>().ok());
    let numbers = numbers.filter(|number| *number != 0.0);
    numbers.filter(|number| !shown.iter().any(|value| number_of(*value) == Some(*number))).collect()
}

/// A number of the report without a column, or two columns of one number, are mistakes.
#[test]
fn every_number_has_a_column_of_its_own() {
    let (schema, report) = distinct();
    let values = schema.values(&report);
    assert!(not_shown(&report, &values).is_empty(), "without a column: {:?}", not_shown(&report, &values));
    let numbers: BTreeSet<u64> =
        values.iter().filter_map(|value| number_of(*value)).map(f64::to_bits).collect();
    assert_eq!(numbers.len() + 1, values.len(), "two columns have the same number");
    let fallbacks = schema.position("fallbacks").unwrap();
    assert_eq!(values[fallbacks], Value::Count(report.fallbacks));
    assert_eq!(values[schema.position("refinement").unwrap()], Value::Text(Some("stalled")));
    let others: Vec<_> =
        values.iter().enumerate().filter(|(k, _)| *k != fallbacks).map(|(_, v)| *v).collect();
    assert_eq!(not_shown(&report, &others), [report.fallbacks as f64]);
}

/// Fields of a table say what the report had, to the last bit.
#[test]
fn values_come_back_from_their_fields() {
    let (model, mut state, mut work) = support::begin::<2>(&support::scene("slide-2d.toml"));
    let schema = Schema::of(&model);
    let start = StepReport::at_start(&model, &state);
    let empty = StepReport { gap: f64::INFINITY, ..start.clone() };
    let made = step(&model, &mut state, &mut work).unwrap();
    for report in [start, empty, made, distinct().1] {
        for (column, value) in schema.columns().iter().zip(schema.values(&report)) {
            let field = value.to_string();
            let again = column.parse(&field).unwrap();
            assert_eq!(again, value, "{}", column.name());
            assert_eq!(again.to_string(), field);
        }
    }
    let time = &schema.columns()[schema.position("time").unwrap()];
    assert!(time.title() == "time [s]" && time.parse("soon").is_none());
    assert!(schema.columns()[0].title() == "step" && schema.columns()[0].parse("1.5").is_none());
}

#[test]
fn further_energies_come_after_what_every_scene_has() {
    let names = |schema: &Schema<2>| -> Vec<String> {
        schema.columns().iter().map(|column| column.name().to_owned()).collect()
    };
    let (plain, bodies) =
        (names(&Schema::new(&Names::default())), ["block.x", "block.y", "block.vx", "block.vy"]);
    let schema = Schema::new(&Names::new(["kinetic", "spring"], ["block"]));
    let all = names(&schema);
    assert_eq!(all[..plain.len()], plain[..]);
    let further = [&["spring_energy"][..], &bodies].concat();
    assert_eq!(all[plain.len()..plain.len() + 5], further);
    assert!(all[plain.len() + 5..].iter().all(|name| name.starts_with("block.")));
    // The report of another model has no such energy.
    let spring = &schema.columns()[plain.len()];
    assert!(matches!(spring.value(&distinct().1), Value::Number(energy) if energy.is_nan()));
}

/// The list of energies is the same in the report and in the schema, and the sum is that of all.
#[test]
fn energies_are_those_of_the_report() {
    let (schema, report) = distinct();
    let value =
        |name: &str| number_of(schema.columns()[schema.position(name).unwrap()].value(&report)).unwrap();
    for (term, energy) in report.energies.terms() {
        assert_eq!(value(&format!("{term}_energy")), energy, "{term}");
    }
    let sum: f64 = report.energies.terms().map(|(_, energy)| energy).sum();
    assert_eq!(value("total_energy"), sum);
}
