//! Frames as VTU files, with a PVD file as their index.

use std::fs;
use std::path::{Path, PathBuf};

use stiction::math::Vector;

use super::grid::Grid;
use super::{Series, write, write_file};
use crate::error::{Error, Result};
use crate::fields::{self, FieldChoice};
use crate::io::frames::{Frame, FrameWriter};
use crate::io::read_mesh;
use crate::model::Model;
use crate::state::State;

/// The folder of the frames, beside the index.
const FOLDER: &str = "frames";

/// Folders in it: contacts and obstacles.
const CONTACTS: &str = "frames/contacts";
const OBSTACLES: &str = "frames/obstacles";

/// Writes frames for ParaView: `frames.pvd` in a folder, and `frames/000000.vtu` and so on beside it. Each has its contacts as points, in
/// `frames/contacts`, and the obstacles as meshes, in `frames/obstacles`; the index names them as parts of the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct VtuFrames {
    folder: PathBuf,
    series: Series,
    fields: Option<FieldChoice>,
}

impl VtuFrames {
    /// A writer without frames. It makes the folders with the first one.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), series: Series::default(), fields: None }
    }

    /// The same with these fields, whatever the size of the model.
    pub fn with_fields(self, fields: FieldChoice) -> Self {
        Self { fields: Some(fields), ..self }
    }

    fn index(&self) -> PathBuf {
        self.folder.join("frames.pvd")
    }

    fn frame(&self, step: usize) -> PathBuf {
        self.folder.join(name(FOLDER, step))
    }

    fn write_grid(&self, folder: &str, step: usize, grid: &Grid) -> Result<()> {
        let path = self.folder.join(folder);
        fs::create_dir_all(&path).map_err(|source| Error::File { path, source })?;
        write_file(&self.folder.join(name(folder, step)), &grid.text())
    }
}

impl<const D: usize> FrameWriter<D> for VtuFrames {
    fn index_path(&self) -> PathBuf {
        self.index()
    }

    fn frame_path(&self, step: usize) -> PathBuf {
        self.frame(step)
    }

    fn files(&self, step: usize) -> Vec<PathBuf> {
        names(step).map(|name| self.folder.join(name)).to_vec()
    }

    fn write(&mut self, model: &Model<D>, state: &State<D>) -> Result<()> {
        let usual = || FieldChoice::usual(model);
        let choice = self.fields.clone().unwrap_or_else(usual);
        let frame = fields::Frame::new(model, state, &choice)?;
        self.write_grid(FOLDER, state.step, &write::bodies(&frame))?;
        self.write_grid(CONTACTS, state.step, &write::contacts(&frame))?;
        self.write_grid(OBSTACLES, state.step, &write::obstacles(&frame))?;
        self.series.push(state.time, names(state.step));
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
            self.series.push(*time, names(*step));
        }
        self.series.write(&self.index())
    }
}

/// The names of the files of a frame, in the order of their parts in the index.
fn names(step: usize) -> [String; 3] {
    [FOLDER, CONTACTS, OBSTACLES].map(|folder| name(folder, step))
}

/// The name of a file of a frame, as the index has it.
fn name(folder: &str, step: usize) -> String {
    format!("{folder}/{step:06}.vtu")
}
