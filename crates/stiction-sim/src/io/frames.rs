//! Frames: the configurations of a run in files, one after the other, and an index of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use stiction::math::Vector;

use crate::error::Result;
use crate::model::Model;
use crate::state::State;

/// A frame that a run has written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The step after which it was written; 0 for the start.
    pub step: usize,
    /// Its time in s.
    pub time: f64,
}

/// Writes the frames of a run in a format of its choice, [`VtuFrames`](super::vtu::VtuFrames) for ParaView.
///
/// A writer owns its place on disk: one file for each frame, all of them in one folder, perhaps more files beside each, and the index, a file that names
/// them in order. It writes the same bytes for the same states, so that a resumed run leaves the files of one that was never stopped. `stiction run` calls it from a
/// thread of its own, while the next step is made.
pub trait FrameWriter<const D: usize> {
    /// The index: the file to open first.
    fn index_path(&self) -> PathBuf;

    /// The file of the frame after a step. Different steps have different files, and names contain the step as a decimal number.
    fn frame_path(&self, step: usize) -> PathBuf;

    /// All files of the frame after a step, its own first.
    fn files(&self, step: usize) -> Vec<PathBuf> {
        vec![self.frame_path(step)]
    }

    /// Writes the frame of a state, then the index with it. A frame has at least the positions of the vertices of the surface, which
    /// [`Model::surface_at`] gives.
    ///
    /// # Errors
    /// If a file cannot be written.
    fn write(&mut self, model: &Model<D>, state: &State<D>) -> Result<()>;

    /// The positions of the vertices of the surface in the frame after a step, in m, with all their bits.
    ///
    /// # Errors
    /// If the file cannot be read or is no frame.
    fn read(&self, step: usize) -> Result<Vec<Vector<D>>>;

    /// The steps of the frames that the index on disk names; none if there is no index.
    fn listed(&self) -> Vec<usize>;

    /// Goes on from an earlier run: puts the index back to these frames, which are on disk, and continues behind them.
    ///
    /// # Errors
    /// If the index cannot be written.
    fn resume(&mut self, frames: &[Frame]) -> Result<()>;

    /// The step whose frame a file is; nothing for other files.
    fn step_of(&self, path: &Path) -> Option<usize> {
        let name = path.file_name()?.to_str()?;
        let mut numbers = name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
        numbers.find(|step| self.frame_path(*step) == path)
    }

    /// The steps of all frames on disk, in order, whether the index names them or not.
    ///
    /// # Errors
    /// If the folder cannot be read; one that does not exist has no frames.
    fn found(&self) -> io::Result<Vec<usize>> {
        let first = self.frame_path(0);
        let mut out = Vec::new();
        let entries = match fs::read_dir(first.parent().unwrap_or(Path::new("."))) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(out),
            entries => entries?,
        };
        for entry in entries {
            out.extend(self.step_of(&entry?.path()));
        }
        out.sort_unstable();
        Ok(out)
    }
}
