//! Going on with a run from what it left in its folder, so that the results are those of a run that was never stopped.

use std::fs;
use std::path::Path;

use stiction::math::Vector;
use stiction_sim::error::Error as SimError;
use stiction_sim::io::{Frame, FrameWriter};
use stiction_sim::model::Model;
use stiction_sim::scene::Scene;
use stiction_sim::state::State;

use crate::error::Error;
use crate::history::{History, kept_of};
use crate::output::{Output, remove_frames};
use crate::pairs::{EarlierPairs, PairTable};
use crate::table::{Earlier, Table};

/// A run as it was when its state was last saved.
#[derive(Debug)]
pub struct Resumed<const D: usize> {
    /// The state.
    pub state: State<D>,
    /// What the picture is made of, so far.
    pub history: History<D>,
    /// The table, open behind the row of the state.
    pub table: Table<D>,
    /// The table of pairs, open behind those of the state.
    pub pairs: PairTable<D>,
    /// Whether the frame of the state is there.
    pub has_frame: bool,
}

impl<const D: usize> Resumed<D> {
    /// Loads the state of a run of the scene, and takes rows and frames away that came after it, or that an uninterrupted run would not have: one
    /// of where it was interrupted. Nothing is changed before everything needed is found. The writer goes on behind the frames that stay.
    ///
    /// # Errors
    /// If the state, a row or a frame is missing.
    pub fn load(
        output: &Output,
        scene: &Scene,
        model: &Model<D>,
        writer: &mut dyn FrameWriter<D>,
    ) -> Result<Self, Error> {
        let state = State::load(&output.state(), model)?;
        let (step, end) = (state.step, scene.steps());
        if step > end {
            return Err(Error::BeyondEnd { path: output.state(), step, end });
        }
        let earlier = Earlier::read(&output.table(), model, step)?;
        let pairs = EarlierPairs::read::<D>(&output.pairs(), step)?;
        let frames = Frames { last: step, every: scene.time.frame_every, h: model.params.time.step };
        let (kept, snapshots) = (frames.kept(writer)?, frames.snapshots(writer, model.surface.rest().len())?);
        remove_frames(writer, |step| !frames.has(step))?;
        let (table, records) = earlier.reopen()?;
        let pairs = pairs.reopen(model)?;
        writer.resume(&kept)?;
        Ok(Self { state, history: History { records, snapshots }, table, pairs, has_frame: frames.has(step) })
    }
}

/// Whether there is a run of this scene, in the file `path`; touches nothing.
///
/// # Errors
/// If there is none, or it is one of another scene.
pub fn check_scene(output: &Output, path: &Path, scene: &Scene) -> Result<(), Error> {
    for path in [output.state(), output.scene()] {
        if !path.is_file() {
            return Err(Error::NothingToResume { path });
        }
    }
    let copy = output.scene();
    let earlier = fs::read_to_string(&copy).map_err(|source| Error::File { path: copy, source })?;
    let Some(mut error) = scene.change_since(&earlier) else { return Ok(()) };
    error.message.push_str(" when this run began: change it back, or begin anew with --overwrite");
    Err(Error::Scene { path: path.to_owned(), error })
}

/// The frames that an uninterrupted run has up to a step.
#[derive(Clone, Copy, Debug)]
struct Frames {
    /// The step.
    last: usize,
    /// Steps from one to the next.
    every: usize,
    /// Length of a step, in s.
    h: f64,
}

impl Frames {
    fn has(self, step: usize) -> bool {
        step <= self.last && step.is_multiple_of(self.every)
    }

    fn steps(self) -> impl Iterator<Item = usize> {
        (0..=self.last).step_by(self.every)
    }

    fn time(self, step: usize) -> f64 {
        step as f64 * self.h
    }

    /// All of them, which must be there.
    fn kept<const D: usize>(self, writer: &dyn FrameWriter<D>) -> Result<Vec<Frame>, SimError> {
        let kept = |step| match writer.files(step).iter().find(|path| !path.is_file()) {
            None => Ok(Frame { step, time: self.time(step) }),
            Some(path) => Err(wrong(path, "it is missing")),
        };
        self.steps().map(kept).collect()
    }

    /// The configurations that the history would have, from their frames.
    fn snapshots<const D: usize>(
        self,
        writer: &dyn FrameWriter<D>,
        vertices: usize,
    ) -> Result<Vec<(f64, Vec<Vector<D>>)>, SimError> {
        let read = |step| {
            let points = writer.read(step)?;
            if points.len() != vertices {
                return Err(wrong(&writer.frame_path(step), "it is of another scene"));
            }
            Ok((self.time(step), points))
        };
        kept_of(self.steps()).into_iter().map(read).collect()
    }
}

fn wrong(path: &Path, message: &str) -> SimError {
    SimError::BadFile {
        path: path.to_owned(),
        place: "frame".to_owned(),
        message: format!("{message}: begin anew with --overwrite"),
    }
}
