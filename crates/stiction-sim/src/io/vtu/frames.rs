//! Frames as VTU files, with a PVD file as their index.

use std::fs;
use std::path::{Path, PathBuf};

use stiction::math::Vector;

use super::{Series, write};
use crate::error::{Error, Result};
use crate::io::frames::{Frame, FrameWriter};
use crate::io::read_mesh;
use crate::model::Model;
use crate::state::State;

/// The folder of the frames, beside the index.
const FOLDER: &str = "frames";

/// Writes frames for ParaView: `frames.pvd` in a folder, and `frames/000000.vtu` and so on beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct VtuFrames {
    folder: PathBuf,
    series: Series,
}

impl VtuFrames {
    /// A writer without frames. It makes the folder with the first one.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), series: Series::default() }
    }

    fn index(&self) -> PathBuf {
        self.folder.join("frames.pvd")
    }

    fn frame(&self, step: usize) -> PathBuf {
        self.folder.join(name(step))
    }
}

impl<const D: usize> FrameWriter<D> for VtuFrames {
    fn index_path(&self) -> PathBuf {
        self.index()
    }

    fn frame_path(&self, step: usize) -> PathBuf {
        self.frame(step)
    }

    fn write(&mut self, model: &Model<D>, state: &State<D>) -> Result<()> {
        let frames = self.folder.join(FOLDER);
        fs::create_dir_all(&frames).map_err(|source| Error::File { path: frames, source })?;
        write(&self.frame(state.step), model, state)?;
        self.series.push(state.time, name(state.step));
        self.series.write(&self.index())
    }

    fn read(&self, step: usize) -> Result<Vec<Vector<D>>> {
        let flat = |x: Vector<3>| Vector(std::array::from_fn(|k| x[k]));
        Ok(read_mesh(&self.frame(step))?.points.into_iter().map(flat).collect())
    }

    fn listed(&self) -> Vec<usize> {
        let list = fs::read_to_string(self.index()).unwrap_or_default();
        let names = list.split("file=\"").skip(1).filter_map(|rest| rest.split('"').next());
        names.filter_map(|name| FrameWriter::<D>::step_of(self, &self.folder.join(name))).collect()
    }

    fn resume(&mut self, frames: &[Frame]) -> Result<()> {
        self.series = Series::default();
        for Frame { step, time } in frames {
            self.series.push(*time, name(*step));
        }
        self.series.write(&self.index())
    }
}

/// The name of a frame, as the index has it.
fn name(step: usize) -> String {
    format!("{FOLDER}/{step:06}.vtu")
}
