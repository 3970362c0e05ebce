//! `pairs.csv`: what each two bodies, or a body and an obstacle, do to each other in every step, a row for each pair that touches.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use stiction::friction::Side;
use stiction_sim::error::{Error, Result};
use stiction_sim::model::Model;
use stiction_sim::report::StepReport;
use stiction_sim::report::schema::{Names, PairColumn, pair_columns};

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
        let titles: Vec<String> = table.columns.iter().map(|column| quoted(&column.title())).collect();
        table.write(&format!("step,time [s],first,second,{}\n", titles.join(",")))?;
        Ok(table)
    }

    /// The table of a run that goes on after a step: rows of later steps are cut off.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn resume(path: &Path, model: &Model<D>, step: usize) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(failed(path))?;
        let is_earlier =
            |line: &str| line.split(',').next().and_then(|field| field.parse().ok()) <= Some(step);
        let rows = text.split_inclusive('\n').enumerate();
        let kept = rows.take_while(|(row, line)| *row == 0 || line.ends_with('\n') && is_earlier(line));
        let length: usize = kept.map(|(_, line)| line.len()).sum();
        let opened = OpenOptions::new().write(true).open(path).and_then(|mut file| {
            file.set_len(length as u64)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        });
        Ok(Self::on(path, opened.map_err(failed(path))?, model))
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

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    |source| Error::File { path, source }
}
