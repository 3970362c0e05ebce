//! `pairs.csv`: what each two bodies, or a body and an obstacle, do to each other in every step, a row for each pair that touches.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use stiction::friction::Side;
use stiction_sim::error::{Error, Result};
use stiction_sim::model::Model;
use stiction_sim::report::StepReport;
use stiction_sim::report::schema::{Kind, Names, PairColumn, pair_columns};

use crate::table::quoted;

/// The table of a run, open at its end.
#[derive(Debug)]
pub struct PairTable<const D: usize> {
    path: PathBuf,
    file: File,
    columns: Vec<PairColumn<D>>,
    /// Names of bodies, then of obstacles.
    names: Vec<String>,
    bodies: usize,
}

impl<const D: usize> PairTable<D> {
    /// A new table with nothing but the names of its columns.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, model: &Model<D>) -> Result<Self> {
        let file = File::create(path).map_err(failed(path))?;
        let mut table = Self::on(path, file, model);
        table.write(&header(&table.columns))?;
        Ok(table)
    }

    /// The kinds of the columns, for tables of other formats.
    pub fn kinds(&self) -> Vec<Kind> {
        let own = [Kind::Count, Kind::Number, Kind::Text, Kind::Text];
        own.into_iter().chain(self.columns.iter().map(PairColumn::kind)).collect()
    }

    fn on(path: &Path, file: File, model: &Model<D>) -> Self {
        let Names { bodies, obstacles, .. } = Names::of(model);
        let count = bodies.len();
        let names = bodies.into_iter().map(|(name, _)| name).chain(obstacles).collect();
        Self { path: path.to_owned(), file, columns: pair_columns(), names, bodies: count }
    }

    /// Writes the rows of a step to the disk.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push(&mut self, report: &StepReport<D>) -> Result<()> {
        let mut out = String::new();
        for pair in &report.forces.pairs {
            let [first, second] = pair.sides.map(|side| quoted(self.name(side)));
            let _ = write!(out, "{},{:?},{first},{second}", report.step, report.time);
            for column in &self.columns {
                let _ = write!(out, ",{}", column.value(&pair.load));
            }
            out.push('\n');
        }
        self.write(&out)
    }

    fn name(&self, side: Side) -> &str {
        let number = match side {
            Side::Body(body) => body as usize,
            Side::Obstacle(obstacle) => self.bodies + obstacle as usize,
        };
        self.names.get(number).map_or("", String::as_str)
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.file.write_all(text.as_bytes()).map_err(failed(&self.path))
    }
}

fn header<const D: usize>(columns: &[PairColumn<D>]) -> String {
    let titles: Vec<String> = columns.iter().map(|column| quoted(&column.title())).collect();
    format!("step,time [s],first,second,{}\n", titles.join(","))
}

/// The table of a run that is to be resumed.
#[derive(Debug)]
pub struct EarlierPairs {
    path: PathBuf,
    /// Bytes up to the end of the last row of the step to go on from.
    length: u64,
}

impl EarlierPairs {
    /// Reads the rows up to those of a step.
    ///
    /// # Errors
    /// If the file cannot be read, has other columns, or its rows are not in order.
    pub fn read<const D: usize>(path: &Path, step: usize) -> Result<Self> {
        let wrong = |place: &str, message: &str| Error::BadFile {
            path: path.to_owned(),
            place: place.to_owned(),
            message: format!("{message}: begin anew without --resume"),
        };
        let text = fs::read_to_string(path).map_err(|error| wrong("file", &error.to_string()))?;
        let header = header(&pair_columns::<D>());
        let Some(rows) = text.strip_prefix(&header) else {
            return Err(wrong("line 1", "the columns are not those of this program and scene"));
        };
        let (mut length, mut last) = (header.len(), 0);
        for (index, line) in rows.split_inclusive('\n').enumerate() {
            let of = line.split(',').next().and_then(|field| field.parse().ok());
            // What a run that was killed had begun to write comes after the step.
            let Some(of) = of.filter(|_| line.ends_with('\n')).filter(|of| *of <= step) else { break };
            if of < last {
                return Err(wrong(
                    &format!("line {}", index + 2),
                    "its step is before that of the line above",
                ));
            }
            (length, last) = (length + line.len(), of);
        }
        Ok(Self { path: path.to_owned(), length: length as u64 })
    }

    /// Cuts off what comes after, to go on from there.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn reopen<const D: usize>(self, model: &Model<D>) -> Result<PairTable<D>> {
        let opened = OpenOptions::new().write(true).open(&self.path).and_then(|mut file| {
            file.set_len(self.length)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        });
        Ok(PairTable::on(&self.path, opened.map_err(failed(&self.path))?, model))
    }
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    |source| Error::File { path, source }
}
