//! `steps.csv`: a row for the start and for every step. What the picture needs of them is read back when a run is resumed.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use stiction::friction::Outcome;
use stiction_sim::error::{Error, Result};
use stiction_sim::model::Model;
use stiction_sim::report::{Energies, StepReport};

/// Names of the columns before those of the bodies, with units.
const COLUMNS: [&str; 35] = [
    "step",
    "time [s]",
    "newton iterations",
    "kinetic [J]",
    "elastic [J]",
    "gravity [J]",
    "barrier [J]",
    "total [J]",
    "prescribed work [J]",
    "load work [J]",
    "stiffness work [J]",
    "friction heat [J]",
    "damping heat [J]",
    "numerical energy [J]",
    "mean slip [m]",
    "smallest gap [m]",
    "normal force [N]",
    "kappa [J/m^4]",
    "vertex-vertex contacts",
    "vertex-edge contacts",
    "edge-edge contacts",
    "vertex-face contacts",
    "obstacle contacts",
    "sticking",
    "slipping",
    "separated",
    "cone excess [N]",
    "creep [m/s]",
    "creep bound [m/s]",
    "lag residual",
    "friction rounds",
    "refinement",
    "regularised",
    "substeps",
    "damped",
];

/// What the picture and the closing words need of a step; all of it is in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Time at the end of the step, in s.
    pub time: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// Energies at its end.
    pub energies: Energies,
    /// Work done by prescribed vertices and by changes of the barrier stiffness, in J.
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
        Self {
            time: report.time,
            iterations: report.iterations,
            energies: report.energies.clone(),
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

impl Record {
    /// What a row says, if it is the row of this step.
    fn parse(row: &str, step: usize) -> Option<Self> {
        let fields: Vec<&str> = row.split(',').collect();
        if number::<usize>(&fields, "step")? != step {
            return None;
        }
        let real = |name| number::<f64>(&fields, name);
        Some(Self {
            time: real("time [s]")?,
            iterations: number(&fields, "newton iterations")?,
            energies: Energies {
                kinetic: real("kinetic [J]")?,
                elastic: real("elastic [J]")?,
                gravity: real("gravity [J]")?,
                barrier: real("barrier [J]")?,
                terms: Vec::new(),
            },
            work: real("prescribed work [J]")? + real("load work [J]")? + real("stiffness work [J]")?,
            heat: real("friction heat [J]")?,
            damping: real("damping heat [J]")?,
            slip: real("mean slip [m]")?,
            gap: real("smallest gap [m]")?,
            diverged: field(&fields, "refinement")? == Outcome::Diverged.name(),
            substeps: number(&fields, "substeps")?,
        })
    }
}

fn field<'a>(fields: &[&'a str], name: &str) -> Option<&'a str> {
    COLUMNS.iter().position(|column| *column == name).and_then(|index| fields.get(index).copied())
}

fn number<T: FromStr>(fields: &[&str], name: &str) -> Option<T> {
    field(fields, name)?.parse().ok()
}

/// The table of a run, open at its end.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    file: File,
}

impl Table {
    /// A new table with nothing but the names of its columns.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create<const D: usize>(path: &Path, model: &Model<D>) -> Result<Self> {
        let file = File::create(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        let mut table = Self { path: path.to_owned(), file };
        table.write(&header(model))?;
        Ok(table)
    }

    /// Writes the row of a step, at once: whatever happens to the process, the steps made are there.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push<const D: usize>(&mut self, report: &StepReport<D>) -> Result<()> {
        self.write(&row(report))
    }

    fn write(&mut self, text: &str) -> Result<()> {
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|source| Error::File { path: self.path.clone(), source })
    }
}

/// The table of a run that is to be resumed.
#[derive(Debug)]
pub struct Earlier {
    path: PathBuf,
    /// What its rows say, from the start to the step to go on from.
    pub records: Vec<Record>,
    /// Bytes up to the end of the last of them.
    length: u64,
}

impl Earlier {
    /// Reads the rows up to that of a step.
    ///
    /// # Errors
    /// If the file cannot be read, has other columns, or lacks one of the rows.
    pub fn read<const D: usize>(path: &Path, model: &Model<D>, step: usize) -> Result<Self> {
        let text =
            fs::read_to_string(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        let wrong = |place: String, message: &str| Error::BadFile {
            path: path.to_owned(),
            place,
            message: format!("{message}: begin anew without --resume"),
        };
        let header = header(model);
        let Some(rows) = text.strip_prefix(&header) else {
            return Err(wrong("line 1".to_owned(), "the columns are not those of this program and scene"));
        };
        let first = header.lines().count() + 1;
        let (mut records, mut length) = (Vec::new(), header.len());
        for (index, line) in rows.split_inclusive('\n').take(step + 1).enumerate() {
            let record = line.strip_suffix('\n').and_then(|row| Record::parse(row, index));
            let message = format!("is not the row of step {index}");
            records.push(record.ok_or_else(|| wrong(format!("line {}", first + index), &message))?);
            length += line.len();
        }
        if records.len() <= step {
            return Err(wrong(format!("line {}", first + records.len()), "rows are missing at the end"));
        }
        Ok(Self { path: path.to_owned(), records, length: length as u64 })
    }

    /// Cuts off what comes after the last record, to go on from there.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn reopen(self) -> Result<(Table, Vec<Record>)> {
        let Self { path, records, length } = self;
        let opened = OpenOptions::new().write(true).open(&path).and_then(|mut file| {
            file.set_len(length)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        });
        match opened {
            Ok(file) => Ok((Table { path, file }, records)),
            Err(source) => Err(Error::File { path, source }),
        }
    }
}

/// Names of all columns.
fn header<const D: usize>(model: &Model<D>) -> String {
    let mut out = COLUMNS.join(",");
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

/// A line of the table. Numbers are written so that reading them gives the same bits.
fn row<const D: usize>(report: &StepReport<D>) -> String {
    let (e, f) = (&report.energies, &report.friction);
    let mut out = format!("{},{:?},{}", report.step, report.time, report.iterations);
    let energies = [e.kinetic, e.elastic, e.gravity, e.barrier, e.total()];
    let work = [
        report.work,
        report.load_work,
        report.stiffness_work,
        f.dissipation,
        report.damping_heat,
        report.numerical_energy,
    ];
    for number in energies.iter().chain(&work) {
        let _ = write!(out, ",{number:?}");
    }
    let _ = write!(out, ",{:?},{:?},{:?},{:?}", f.distance, report.gap, report.normal_force, report.kappa);
    let c = &report.contacts;
    let _ = write!(out, ",{},{},{},{},{}", c.vv, c.ve, c.ee, c.vf, c.obstacle);
    let _ = write!(out, ",{},{},{}", f.stick, f.slip, f.separated);
    let _ = write!(out, ",{:?},{:?},{:?},{:?}", f.cone_excess, f.creep, f.creep_bound, f.lag_residual);
    let refinement = report.refinement.map_or("", Outcome::name);
    let _ = write!(out, ",{},{refinement},{}", report.rounds, report.regularised);
    let _ = write!(out, ",{},{}", report.substeps, report.damped);
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
