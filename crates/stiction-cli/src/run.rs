//! `stiction run`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use stiction_sim::error::Error as SimError;
use stiction_sim::io::vtu::VtuFrames;
use stiction_sim::io::{self, FrameWriter};
use stiction_sim::model::Model;
use stiction_sim::newton::Workspace;
use stiction_sim::report::StepReport;
use stiction_sim::scene::{Scene, SceneError};
use stiction_sim::state::State;
use stiction_sim::step::step;
use stiction_sim::timings::Timings;

pub use crate::error::Error;
use crate::history::History;
use crate::lock::Lock;
use crate::output::Output;
use crate::picture;
use crate::resume::{Resumed, check_scene};
use crate::table::{Record, Table};

/// What `stiction run` takes.
#[derive(Clone, Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct RunArgs {
    /// The scene, a TOML file.
    pub scene: PathBuf,
    /// Folder for the results; made if it does not exist.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Number of threads; results do not depend on it. By default one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Go on from where a run into the same folder ended, by Ctrl-C, by a failure or with its process.
    #[arg(long)]
    pub resume: bool,
    /// Replace the results of an earlier run in the same folder; files that it did not make stay.
    #[arg(long, conflicts_with = "resume")]
    pub overwrite: bool,
    /// No progress bar.
    #[arg(short, long)]
    pub quiet: bool,
    /// Print at the end where the time of the steps went.
    #[arg(long)]
    pub timings: bool,
}

/// What a run left behind.
#[derive(Debug)]
pub struct Outcome {
    /// Steps made.
    pub steps: usize,
    /// The step that it went on from, if it was resumed.
    pub resumed: Option<usize>,
    /// Whether it was stopped from outside.
    pub interrupted: bool,
    /// Why it stopped before the end, if it did.
    pub failure: Option<Error>,
    /// Steps whose refinement of friction diverged.
    pub diverged: usize,
    /// Steps that had to be made in substeps.
    pub divided: usize,
    /// Where the time went, if that was asked for.
    pub timings: Option<Timings>,
    /// The index of frames.
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
    run_with(args, stop, VtuFrames::new)
}

/// Like [`run`], with frames of another format: `frames` makes the writer for the folder of the results.
///
/// # Errors
/// As [`run`].
pub fn run_with<W: FrameWriter<2> + FrameWriter<3> + 'static>(
    args: &RunArgs,
    stop: &Arc<AtomicBool>,
    frames: impl Fn(&Path) -> W + Sync,
) -> Result<Outcome, Error> {
    let wrong = |error| Error::Scene { path: args.scene.clone(), error };
    let scene = Scene::load(&args.scene).map_err(wrong)?;
    let go = || {
        if scene.dimension == 2 {
            let (model, state) = start::<2>(args, &scene).map_err(wrong)?;
            Run::new(args, &scene, &model, Box::new(frames(&args.output)), state)?.finish(stop)
        } else {
            let (model, state) = start::<3>(args, &scene).map_err(wrong)?;
            Run::new(args, &scene, &model, Box::new(frames(&args.output)), state)?.finish(stop)
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

/// The model of a scene and its state at the start, and says what is wrong with that. A run that is resumed has a state of its own.
///
/// Ctrl-C waits for it: a run that goes on later must begin as one that was never stopped.
fn start<const D: usize>(args: &RunArgs, scene: &Scene) -> Result<(Model<D>, State<D>), SceneError> {
    if args.resume {
        return scene.placed();
    }
    let (model, state, settled) = scene.start(&mut Workspace::default())?;
    for warning in &settled.warnings {
        eprintln!("warning: {warning}");
    }
    Ok((model, state))
}

/// A run under way.
struct Run<'a, const D: usize> {
    args: &'a RunArgs,
    scene: &'a Scene,
    model: &'a Model<D>,
    output: Output,
    state: State<D>,
    resumed: Option<usize>,
    history: History<D>,
    frames: Box<dyn FrameWriter<D>>,
    table: Table<D>,
    /// The step of the last frame.
    framed: Option<usize>,
    /// Last, so that it is given back when all files are closed.
    _lock: Lock,
}

impl<'a, const D: usize> Run<'a, D> {
    fn new(
        args: &'a RunArgs,
        scene: &'a Scene,
        model: &'a Model<D>,
        frames: Box<dyn FrameWriter<D>>,
        state: State<D>,
    ) -> Result<Self, Error> {
        if args.resume {
            Self::resume(args, scene, model, frames)
        } else {
            Self::begin(args, scene, model, frames, state)
        }
    }

    fn begin(
        args: &'a RunArgs,
        scene: &'a Scene,
        model: &'a Model<D>,
        frames: Box<dyn FrameWriter<D>>,
        state: State<D>,
    ) -> Result<Self, Error> {
        let output = Output::new(&args.output);
        output.make()?;
        let lock = Lock::take(&output.lock())?;
        output.begin(&*frames, args.overwrite)?;
        io::replace(&output.scene(), scene.text().as_bytes())?;
        let mut table = Table::create(&output.table(), model)?;
        table.push(&StepReport::at_start(model, &state))?;
        let history = History::new(model, &state);
        let mut run = Self {
            args,
            scene,
            model,
            output,
            state,
            resumed: None,
            history,
            frames,
            table,
            framed: None,
            _lock: lock,
        };
        run.write_frame()?;
        Ok(run)
    }

    fn resume(
        args: &'a RunArgs,
        scene: &'a Scene,
        model: &'a Model<D>,
        mut frames: Box<dyn FrameWriter<D>>,
    ) -> Result<Self, Error> {
        let output = Output::new(&args.output);
        check_scene(&output, &args.scene, scene)?;
        let lock = Lock::take(&output.lock())?;
        let Resumed { state, history, table, has_frame } =
            Resumed::load(&output, scene, model, &mut *frames)?;
        let (resumed, framed) = (Some(state.step), has_frame.then_some(state.step));
        Ok(Self { args, scene, model, output, state, resumed, history, frames, table, framed, _lock: lock })
    }

    fn finish(mut self, stop: &Arc<AtomicBool>) -> Result<Outcome, Error> {
        let bar = progress_bar(self.scene.steps() as u64, self.args.quiet);
        bar.set_position(self.state.step as u64);
        let mut work = Workspace::with_stop(Arc::clone(stop));
        let mut failure = None;
        while self.state.step < self.scene.steps() && failure.is_none() && !stop.load(Ordering::Relaxed) {
            match step(self.model, &mut self.state, &mut work) {
                Ok(report) => failure = self.after_step(&report, &bar)?,
                Err(SimError::Interrupted { .. }) => break,
                Err(error) => failure = Some(error),
            }
        }
        bar.finish_and_clear();
        let interrupted = failure.is_none() && self.state.step < self.scene.steps();
        let timings = self.args.timings.then(|| work.take_timings());
        Ok(Outcome { timings, ..self.close(interrupted, failure)? })
    }

    /// Writes what a step brought; returns what is wrong with its frame, if it has one.
    fn after_step(&mut self, report: &StepReport<D>, bar: &ProgressBar) -> Result<Option<SimError>, Error> {
        bar.set_message(format!(
            "{} iterations, {} contacts, gap {:.1e} m",
            report.iterations,
            report.contacts.total(),
            report.gap
        ));
        bar.inc(1);
        self.history.records.push(Record::from(report));
        self.table.push(report)?;
        if !self.state.step.is_multiple_of(self.scene.time.frame_every) {
            return Ok(None);
        }
        self.write_frame()
    }

    fn close(mut self, interrupted: bool, failure: Option<SimError>) -> Result<Outcome, Error> {
        let wrong = self.write_frame()?;
        let failure = failure.or(wrong).map(|error| self.explained(&error));
        let picture = self.output.picture();
        let title = self.args.scene.file_stem().unwrap_or_default().to_string_lossy();
        let svg = picture::sheet(&title, self.model, &self.history);
        fs::write(&picture, svg).map_err(|source| Error::File { path: picture.clone(), source })?;
        Ok(Outcome {
            steps: self.state.step,
            resumed: self.resumed,
            interrupted,
            failure,
            diverged: self.history.diverged(),
            divided: self.history.divided(),
            timings: None,
            frames: self.frames.index_path(),
            table: self.output.table(),
            picture,
        })
    }

    /// An error of a step, at the key of the scene that it comes from.
    fn explained(&self, error: &SimError) -> Error {
        Error::Scene { path: self.args.scene.clone(), error: self.scene.explain(self.model, error) }
    }

    /// Writes the present configuration, the index of frames and the state to go on from, unless they are there already, and checks the
    /// configuration exactly: returns what is wrong with it.
    ///
    /// The state comes last: whatever it is resumed with is there before it.
    fn write_frame(&mut self) -> Result<Option<SimError>, Error> {
        self.history.snapshot(self.model, &self.state);
        if self.framed.replace(self.state.step) == Some(self.state.step) {
            return Ok(None);
        }
        self.frames.write(self.model, &self.state)?;
        self.state.save(&self.output.state(), self.model)?;
        Ok(self.model.check_free(&self.state).err())
    }
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
