//! `stiction run`.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use stiction_sim::error::Error as SimError;
use stiction_sim::io::vtu;
use stiction_sim::model::Model;
use stiction_sim::newton::Workspace;
use stiction_sim::report::StepReport;
use stiction_sim::scene::{Scene, SceneError};
use stiction_sim::state::State;
use stiction_sim::step::step;

use crate::history::{self, History};
use crate::picture;

/// What `stiction run` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct RunArgs {
    /// The scene, a TOML file.
    pub scene: PathBuf,
    /// Folder for the results; made if it does not exist.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Number of threads; results do not depend on it. By default one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// No progress bar.
    #[arg(short, long)]
    pub quiet: bool,
}

/// Why a run could not begin, or its results not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The scene is wrong.
    #[error("{}: {error}", path.display())]
    Scene {
        /// Which scene.
        path: PathBuf,
        /// What is wrong.
        error: SceneError,
    },
    /// The simulator cannot go on.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A file cannot be written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The threads cannot be started.
    #[error("cannot start {0} threads")]
    Threads(u16),
}

/// What a run left behind.
#[derive(Debug)]
pub struct Outcome {
    /// Steps made.
    pub steps: usize,
    /// Whether it was stopped from outside.
    pub interrupted: bool,
    /// Why it stopped before the end, if it did.
    pub failure: Option<SimError>,
    /// Steps whose refinement of friction diverged.
    pub diverged: usize,
    /// The PVD file.
    pub frames: PathBuf,
    /// The table of steps.
    pub table: PathBuf,
    /// The picture.
    pub picture: PathBuf,
}

/// Runs a scene to its end, to a failure or until `stop` is raised; results so far are on disk in any case.
///
/// # Errors
/// If the scene is wrong or results cannot be written.
pub fn run(args: &RunArgs, stop: &Arc<AtomicBool>) -> Result<Outcome, Error> {
    let wrong = |error| Error::Scene { path: args.scene.clone(), error };
    let scene = Scene::load(&args.scene).map_err(wrong)?;
    let go = || {
        if scene.dimension == 2 {
            let (model, state) = scene.build::<2>().map_err(wrong)?;
            Run::new(args, &scene, &model, state)?.finish(stop)
        } else {
            let (model, state) = scene.build::<3>().map_err(wrong)?;
            Run::new(args, &scene, &model, state)?.finish(stop)
        }
    };
    match args.threads {
        None => go(),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build();
            pool.map_err(|_| Error::Threads(threads))?.install(go)
        }
    }
}

/// A run under way.
struct Run<'a, const D: usize> {
    args: &'a RunArgs,
    scene: &'a Scene,
    model: &'a Model<D>,
    state: State<D>,
    history: History<D>,
    series: vtu::Series,
    table: BufWriter<File>,
}

impl<'a, const D: usize> Run<'a, D> {
    fn new(args: &'a RunArgs, scene: &'a Scene, model: &'a Model<D>, state: State<D>) -> Result<Self, Error> {
        let frames = args.output.join("frames");
        clear_frames(&frames).map_err(|source| Error::File { path: frames.clone(), source })?;
        let path = args.output.join(TABLE);
        let table = File::create(&path).map_err(|source| Error::File { path, source })?;
        let history = History::new(model, &state);
        let mut run = Self {
            args,
            scene,
            model,
            state,
            history,
            series: vtu::Series::default(),
            table: BufWriter::new(table),
        };
        run.write_table(&history::header(model))?;
        run.write_row()?;
        run.write_frame()?;
        Ok(run)
    }

    fn finish(mut self, stop: &Arc<AtomicBool>) -> Result<Outcome, Error> {
        let bar = progress_bar(self.scene.steps() as u64, self.args.quiet);
        let mut work = Workspace::with_stop(Arc::clone(stop));
        let mut failure = None;
        while self.state.step < self.scene.steps() && failure.is_none() && !stop.load(Ordering::Relaxed) {
            match step(self.model, &mut self.state, &mut work) {
                Ok(report) => failure = self.after_step(report, &bar)?,
                Err(SimError::Interrupted { .. }) => break,
                Err(error) => failure = Some(error),
            }
        }
        bar.finish_and_clear();
        let interrupted = failure.is_none() && self.state.step < self.scene.steps();
        self.close(interrupted, failure)
    }

    /// Writes what a step brought; returns what is wrong with its frame, if it has one.
    fn after_step(&mut self, report: StepReport<D>, bar: &ProgressBar) -> Result<Option<SimError>, Error> {
        bar.set_message(format!(
            "{} iterations, {} contacts, gap {:.1e} m",
            report.iterations,
            report.pair_contacts + report.obstacle_contacts,
            report.gap
        ));
        bar.inc(1);
        self.history.reports.push(report);
        self.write_row()?;
        if !self.state.step.is_multiple_of(self.scene.time.frame_every) {
            return Ok(None);
        }
        self.write_frame()
    }

    fn close(mut self, interrupted: bool, failure: Option<SimError>) -> Result<Outcome, Error> {
        let wrong = self.write_frame()?;
        let failure = failure.or(wrong);
        let picture = self.args.output.join(PICTURE);
        let title = self.args.scene.file_stem().unwrap_or_default().to_string_lossy();
        let svg = picture::sheet(&title, self.model, &self.history);
        fs::write(&picture, svg).map_err(|source| Error::File { path: picture.clone(), source })?;
        Ok(Outcome {
            steps: self.state.step,
            interrupted,
            failure,
            diverged: self.history.diverged(),
            frames: self.args.output.join(SERIES),
            table: self.args.output.join(TABLE),
            picture,
        })
    }

    fn write_row(&mut self) -> Result<(), Error> {
        let row = self.history.reports.last().map(history::row).unwrap_or_default();
        self.write_table(&row)
    }

    /// Flushed at once: whatever happens to the process, the steps made are there.
    fn write_table(&mut self, text: &str) -> Result<(), Error> {
        let path = || self.args.output.join(TABLE);
        let written = self.table.write_all(text.as_bytes()).and_then(|()| self.table.flush());
        written.map_err(|source| Error::File { path: path(), source })
    }

    /// Writes the present configuration and the series, unless they are there already, and checks the
    /// configuration exactly: returns what is wrong with it.
    fn write_frame(&mut self) -> Result<Option<SimError>, Error> {
        let name = format!("frames/{:06}.vtu", self.state.step);
        let path = self.args.output.join(&name);
        self.history.snapshot(&self.state);
        if path.exists() {
            return Ok(None);
        }
        vtu::write(&path, self.model, &self.state)?;
        self.series.push(self.state.time, name);
        self.series.write(&self.args.output.join(SERIES))?;
        Ok(self.model.check_free(&self.state.x).err())
    }
}

const TABLE: &str = "steps.csv";
const SERIES: &str = "frames.pvd";
const PICTURE: &str = "picture.svg";

/// A folder for the frames: those of an earlier run go, by their names of digits; anything else stays.
fn clear_frames(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let number = name.strip_suffix(".vtu").unwrap_or_default();
        if number.len() >= 6 && number.bytes().all(|b| b.is_ascii_digit()) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// A flag that Ctrl-C raises, to give the present step up and close. A second Ctrl-C stops at once; the table and the
/// frames so far are on disk. Where signals cannot be handled, Ctrl-C ends the process as usual.
pub fn stop_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    let _ = ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    flag
}

fn progress_bar(steps: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("step {pos}/{len} {wide_bar} {eta} left, {msg}");
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
