//! `steps.csv`: a row for the start and for every step. What the picture needs of them is read back when a run is resumed.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use stiction::friction::Outcome;
use stiction_sim::error::{Error, Result};
use stiction_sim::model::Model;
use stiction_sim::report::StepReport;
use stiction_sim::report::schema::{Column, Kind, Schema, Value};

/// What the picture and the closing words need of a step; all of it is in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Time at the end of the step, in s.
    pub time: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// Kinetic energy at its end, in J.
    pub kinetic: f64,
    /// Elastic energy, in J.
    pub elastic: f64,
    /// Gravitational potential energy, in J.
    pub gravity: f64,
    /// Energy of the barriers, in J.
    pub barrier: f64,
    /// Energies that users added, by name, in J.
    pub added: Vec<(String, f64)>,
    /// Sum of all energies, in J.
    pub total: f64,
    /// Work done by prescribed vertices, by loads and by changes of the barrier stiffness, in J.
    pub work: f64,
    /// Heat of friction, in J.
    pub heat: f64,
    /// Heat of damping, in J.
    pub damping: f64,
    /// Mean slip of contacts, in m.
    pub slip: f64,
    /// Smallest distance of a contact, in m; infinite without contact.
    pub gap: f64,
    /// Whether friction changed ever more as it was frozen anew.
    pub diverged: bool,
    /// In how many substeps it was made.
    pub substeps: usize,
}

impl<const D: usize> From<&StepReport<D>> for Record {
    fn from(report: &StepReport<D>) -> Self {
        let energies = &report.energies;
        Self {
            time: report.time,
            iterations: report.iterations,
            kinetic: energies.kinetic,
            elastic: energies.elastic,
            gravity: energies.gravity,
            barrier: energies.barrier,
            added: energies.added.clone(),
            total: energies.total(),
            work: report.work + report.load_work + report.stiffness_work,
            heat: report.friction.dissipation,
            damping: report.damping_heat,
            slip: report.friction.distance,
            gap: report.gap,
            diverged: report.refinement == Some(Outcome::Diverged),
            substeps: report.substeps,
        }
    }
}

/// The values of a step by the names of their columns.
struct Row<'a, const D: usize> {
    schema: &'a Schema<D>,
    values: Vec<Value<'a>>,
}

impl<'a, const D: usize> Row<'a, D> {
    /// The values of a line of the table, if it has one for each column.
    fn parse(schema: &'a Schema<D>, line: &'a str) -> Option<Self> {
        let columns = schema.columns();
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != columns.len() {
            return None;
        }
        let values = columns.iter().zip(fields).map(|(column, field)| column.parse(field));
        Some(Self { schema, values: values.collect::<Option<_>>()? })
    }

    fn value(&self, name: &str) -> Option<Value<'a>> {
        self.schema.position(name).and_then(|index| self.values.get(index).copied())
    }

    fn count(&self, name: &str) -> Option<usize> {
        if let Value::Count(count) = self.value(name)? { Some(count) } else { None }
    }

    fn number(&self, name: &str) -> Option<f64> {
        if let Value::Number(number) = self.value(name)? { Some(number) } else { None }
    }

    fn record(&self) -> Option<Record> {
        let number = |name| self.number(name);
        let added = self.schema.added_energies();
        let added = added.map(|(term, column)| Some((term.to_owned(), self.number(column.name())?)));
        Some(Record {
            time: number("time")?,
            iterations: self.count("newton_iterations")?,
            kinetic: number("kinetic_energy")?,
            elastic: number("elastic_energy")?,
            gravity: number("gravity_energy")?,
            barrier: number("barrier_energy")?,
            added: added.collect::<Option<_>>()?,
            total: number("total_energy")?,
            work: number("prescribed_work")? + number("load_work")? + number("stiffness_work")?,
            heat: number("friction_heat")?,
            damping: number("damping_heat")?,
            slip: number("mean_slip")?,
            gap: number("smallest_gap")?,
            diverged: self.value("refinement")? == Value::Text(Some(Outcome::Diverged.name())),
            substeps: self.count("substeps")?,
        })
    }
}

/// The table of a run, open at its end.
#[derive(Debug)]
pub struct Table<const D: usize> {
    path: PathBuf,
    file: File,
    schema: Schema<D>,
}

impl<const D: usize> Table<D> {
    /// A new table with nothing but the names of its columns.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, model: &Model<D>) -> Result<Self> {
        let file = File::create(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        let mut table = Self { path: path.to_owned(), file, schema: Schema::of(model) };
        table.write(&header(&table.schema))?;
        Ok(table)
    }

    /// The kinds of the columns, for tables of other formats.
    pub fn kinds(&self) -> Vec<Kind> {
        self.schema.columns().iter().map(Column::kind).collect()
    }

    /// Writes the row of a step to the disk: whatever happens to the process, rows that were written are there.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push(&mut self, report: &StepReport<D>) -> Result<()> {
        self.write(&row(&self.schema, report))
    }

    fn write(&mut self, text: &str) -> Result<()> {
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|source| Error::File { path: self.path.clone(), source })
    }
}

/// The table of a run that is to be resumed.
#[derive(Debug)]
pub struct Earlier<const D: usize> {
    path: PathBuf,
    schema: Schema<D>,
    /// What its rows say, from the start to the step to go on from.
    pub records: Vec<Record>,
    /// Bytes up to the end of the last of them.
    length: u64,
}

impl<const D: usize> Earlier<D> {
    /// Reads the rows up to that of a step.
    ///
    /// # Errors
    /// If the file cannot be read, has other columns, or lacks one of the rows.
    pub fn read(path: &Path, model: &Model<D>, step: usize) -> Result<Self> {
        let text =
            fs::read_to_string(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        let wrong = |place: String, message: &str| Error::BadFile {
            path: path.to_owned(),
            place,
            message: format!("{message}: begin anew without --resume"),
        };
        let schema = Schema::of(model);
        let header = header(&schema);
        let Some(rows) = text.strip_prefix(&header) else {
            return Err(wrong("line 1".to_owned(), "the columns are not those of this program and scene"));
        };
        let first = header.lines().count() + 1;
        let (mut records, mut length) = (Vec::new(), header.len());
        for (index, line) in rows.split_inclusive('\n').take(step + 1).enumerate() {
            let record = line.strip_suffix('\n').and_then(|line| record_of(&schema, line, index));
            let message = format!("is not the row of step {index}");
            records.push(record.ok_or_else(|| wrong(format!("line {}", first + index), &message))?);
            length += line.len();
        }
        if records.len() <= step {
            return Err(wrong(format!("line {}", first + records.len()), "rows are missing at the end"));
        }
        Ok(Self { path: path.to_owned(), schema, records, length: length as u64 })
    }

    /// Cuts off what comes after the last record, to go on from there.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn reopen(self) -> Result<(Table<D>, Vec<Record>)> {
        let Self { path, schema, records, length } = self;
        let opened = OpenOptions::new().write(true).open(&path).and_then(|mut file| {
            file.set_len(length)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        });
        match opened {
            Ok(file) => Ok((Table { path, file, schema }, records)),
            Err(source) => Err(Error::File { path, source }),
        }
    }
}

/// What a line says, if it is the row of this step.
fn record_of<const D: usize>(schema: &Schema<D>, line: &str, step: usize) -> Option<Record> {
    let row = Row::parse(schema, line)?;
    if row.count("step")? == step { row.record() } else { None }
}

/// Names of all columns.
fn header<const D: usize>(schema: &Schema<D>) -> String {
    let titles: Vec<String> = schema.columns().iter().map(|column| quoted(&column.title())).collect();
    format!("{}\n", titles.join(","))
}

/// A line of the table. Numbers are written so that reading them gives the same bits.
fn row<const D: usize>(schema: &Schema<D>, report: &StepReport<D>) -> String {
    let mut out = String::new();
    for (index, value) in schema.values(report).into_iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(out, "{comma}{value}");
    }
    out.push('\n');
    out
}

/// A field of a CSV file, in quotes if it needs them.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_sim::report::schema::Names;
    use stiction_sim::scene::Scene;

    /// What the picture needs is the same from a report and from its row, with energies that users added.
    #[test]
    fn a_row_has_what_its_report_has() {
        let scene = Scene::parse(include_str!("../../../scenes/slide-2d.toml")).unwrap();
        let (model, state) = scene.build::<2>().unwrap();
        let mut report = StepReport::at_start(&model, &state);
        report.energies.added = vec![("spring".to_owned(), 0.1), ("glue".to_owned(), -1e-300)];
        let schema = Schema::new(&Names::new(["spring", "glue"], ["block"]));
        let line = row(&schema, &report);
        let found = record_of(&schema, line.trim_end(), 0).unwrap();
        assert_eq!(found, Record::from(&report));
        assert_eq!(found.added, report.energies.added);
        assert!(
            record_of(&Schema::<2>::new(&Names::new(["spring"], ["block"])), line.trim_end(), 0).is_none()
        );
    }
}
