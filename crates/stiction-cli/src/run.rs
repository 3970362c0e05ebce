//! `stiction run`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use indicatif::{ProgressBar, ProgressStyle};
use stiction_sim::error::Error as SimError;
use stiction_sim::io::FrameWriter;
use stiction_sim::io::vtu::VtuFrames;
use stiction_sim::model::Model;
use stiction_sim::newton::Workspace;
use stiction_sim::report::StepReport;
use stiction_sim::scene::{Scene, SceneError};
use stiction_sim::state::State;
use stiction_sim::step::step;
use stiction_sim::timings::Timings;

pub use crate::error::Error;
use crate::journal::{Entry, Frames, Journal, Subject};
use crate::output::Output;
use crate::resume::check_scene;
use crate::writer::{self, Written};

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
    /// The page; none of frames in a format of somebody else's.
    pub page: Option<PathBuf>,
    /// Why the picture, tables of other formats or the page could not be made.
    pub missing: Vec<Error>,
}

/// Runs a scene to its end, to a failure or until `stop` is raised; results so far are on disk in any case.
///
/// # Errors
/// If the scene is wrong or results cannot be written.
pub fn run(args: &RunArgs, stop: &Arc<AtomicBool>) -> Result<Outcome, Error> {
    run_with(args, stop, &|folder, scene| {
        let frames = VtuFrames::new(folder);
        Box::new(match scene.field_choice() {
            Some(fields) => frames.with_fields(fields),
            None => frames,
        })
    })
}

/// A format of frames for bodies of both dimensions.
pub trait AnyFrameWriter: FrameWriter<2> + FrameWriter<3> + Send {}

impl<W: FrameWriter<2> + FrameWriter<3> + Send> AnyFrameWriter for W {}

/// Makes the writer of frames for the folder of the results of a scene.
pub type MakeFrames<'a> = &'a (dyn Fn(&Path, &Scene) -> Box<dyn AnyFrameWriter> + Sync);

/// Like [`run`], with frames of another format. Their writer is called while the next step is made.
///
/// # Errors
/// As [`run`].
pub fn run_with(args: &RunArgs, stop: &Arc<AtomicBool>, frames: MakeFrames<'_>) -> Result<Outcome, Error> {
    let wrong = |error| Error::Scene { path: args.scene.clone(), error };
    let scene = Scene::load(&args.scene).map_err(wrong)?;
    let go = || {
        if scene.dimension == 2 {
            let (model, state) = start::<2>(args, &scene).map_err(wrong)?;
            Run::new(args, &scene, &model, frames(&args.output, &scene), state)?.finish(stop)
        } else {
            let (model, state) = start::<3>(args, &scene).map_err(wrong)?;
            Run::new(args, &scene, &model, frames(&args.output, &scene), state)?.finish(stop)
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
    let (model, state, settled) = scene.start(&mut scene.workspace()?)?;
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
    state: State<D>,
    resumed: Option<usize>,
    journal: Journal<'a, D>,
}

impl<'a, const D: usize> Run<'a, D> {
    fn new(
        args: &'a RunArgs,
        scene: &'a Scene,
        model: &'a Model<D>,
        frames: Frames<D>,
        state: State<D>,
    ) -> Result<Self, Error> {
        let output = Output::new(&args.output);
        if args.resume {
            check_scene(&output, &args.scene, scene)?;
            let (journal, state) = Journal::resume(Subject { scene, model, output }, frames)?;
            return Ok(Self { args, scene, model, resumed: Some(state.step), state, journal });
        }
        let journal = Journal::begin(Subject { scene, model, output }, frames, &state, args.overwrite)?;
        Ok(Self { args, scene, model, state, resumed: None, journal })
    }

    /// Makes the steps that are left, while those before are written.
    fn finish(mut self, stop: &Arc<AtomicBool>) -> Result<Outcome, Error> {
        let wrong = |error| Error::Scene { path: self.args.scene.clone(), error };
        let mut work = self.scene.workspace().map_err(wrong)?.with_stop(Arc::clone(stop));
        let bar = progress_bar(self.scene.steps() as u64, self.args.quiet);
        bar.set_position(self.state.step as u64);
        let mut steps = Steps { scene: self.scene, model: self.model, state: &mut self.state, bar };
        let written = writer::beside(&mut self.journal, |hand_on| steps.make(&mut work, stop, &hand_on));
        steps.bar.finish_and_clear();
        let timings = self.args.timings.then(|| work.take_timings());
        Ok(Outcome { timings, ..self.close(written?, stop)? })
    }

    fn close(mut self, written: Written<Option<SimError>>, stop: &AtomicBool) -> Result<Outcome, Error> {
        let failure = match (written.wrong, written.steps) {
            // What was made since counts no more.
            (Some(wrong), _) => Some(wrong),
            (None, failure) => {
                let wrong = self.journal.frame(&self.state)?;
                failure.or(wrong)
            }
        };
        let failure = failure.map(|error| self.explained(&error));
        let title = self.args.scene.file_stem().unwrap_or_default().to_string_lossy();
        let (page, missing) = self.show(&title, stop);
        let (steps, history) = (self.journal.steps(), self.journal.history());
        Ok(Outcome {
            steps,
            resumed: self.resumed,
            interrupted: failure.is_none() && steps < self.scene.steps(),
            failure,
            diverged: history.diverged(),
            divided: history.divided(),
            timings: None,
            frames: self.journal.index(),
            table: self.journal.table(),
            picture: self.journal.picture(),
            page,
            missing,
        })
    }

    /// Makes the picture, tables in other formats and the page. None of these keeps the others from being made: returns the page, and what went wrong.
    fn show(&self, title: &str, stop: &AtomicBool) -> (Option<PathBuf>, Vec<Error>) {
        let (drawn, converted) = (self.journal.draw(title), self.journal.convert_tables());
        let (bar, ended) = (page_bar(self.args.quiet), stop.load(Ordering::Relaxed));
        // Ctrl-C that ended the steps leaves what there is; one that comes while the page is made ends that.
        let made = self.journal.make_page(title, &|done, total| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            ended || !stop.load(Ordering::Relaxed)
        });
        bar.finish_and_clear();
        let (page, failed) = made.map_or_else(|error| (None, Some(error)), |page| (page, None));
        (page, drawn.err().into_iter().chain(converted.err()).chain(failed).collect())
    }

    /// An error of a step, at the key of the scene that it comes from.
    fn explained(&self, error: &SimError) -> Error {
        Error::Scene { path: self.args.scene.clone(), error: self.scene.explain(self.model, error) }
    }
}

/// The steps of a run, in the thread that makes them.
struct Steps<'a, const D: usize> {
    scene: &'a Scene,
    model: &'a Model<D>,
    state: &'a mut State<D>,
    bar: ProgressBar,
}

impl<const D: usize> Steps<'_, D> {
    /// Makes steps until the end, a failure, `stop`, or until what they leave is not taken any more; returns the failure.
    fn make(
        &mut self,
        work: &mut Workspace<D>,
        stop: &AtomicBool,
        hand_on: &SyncSender<Entry<D>>,
    ) -> Option<SimError> {
        while self.state.step < self.scene.steps() && !stop.load(Ordering::Relaxed) {
            match step(self.model, self.state, work) {
                Ok(report) => {
                    self.show(&report);
                    let has_frame = self.state.step.is_multiple_of(self.scene.time.frame_every);
                    let frame = has_frame.then(|| self.state.clone());
                    if hand_on.send(Entry { report, frame }).is_err() {
                        return None;
                    }
                }
                Err(SimError::Interrupted { .. }) => return None,
                Err(error) => return Some(error),
            }
        }
        None
    }

    fn show(&self, report: &StepReport<D>) {
        self.bar.set_message(format!(
            "{} iterations, {} contacts, gap {:.1e} m",
            report.iterations,
            report.contacts.total(),
            report.gap
        ));
        self.bar.inc(1);
    }
}

/// A flag that Ctrl-C raises, to give the present step up and close. A second Ctrl-C stops at once; what was
/// written by then is on disk, without the last few steps. Where signals cannot be handled, Ctrl-C ends the process as usual.
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

/// Shows how far the page is.
fn page_bar(quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("page {wide_bar} {eta} left");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn progress_bar(steps: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("step {pos}/{len} {wide_bar} {eta} left, {msg}");
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
