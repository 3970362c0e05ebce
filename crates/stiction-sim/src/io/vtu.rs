//! VTU (one configuration) and PVD (a series of them), which ParaView and meshio read.

mod data;
mod frames;
mod grid;
pub(super) mod read;
mod write;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

pub use data::{FrameData, NamedArray, read_frame};
pub use frames::VtuFrames;
use grid::Grid;

use super::mesh::Mesh;
use super::replace::replace;
use crate::error::{Error, Result};
use crate::fields::{FieldChoice, Frame};
use crate::model::Model;
use crate::state::State;

/// VTK's numbers for what we read and write.
const POINT: u8 = 1;
const SEGMENT: u8 = 3;
const TRIANGLE: u8 = 5;
const QUADRANGLE: u8 = 9;
const TETRAHEDRON: u8 = 10;

/// Writes the elements, positions and all fields of a state; each cell carries the number of its body.
///
/// # Errors
/// If the file cannot be written, or the state is not one of the model.
pub fn write<const D: usize>(path: &Path, model: &Model<D>, state: &State<D>) -> Result<()> {
    let frame = Frame::new(model, state, &FieldChoice::all())?;
    write_file(path, &write::bodies(&frame).text())
}

/// A series of configurations in time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    frames: Vec<(f64, Vec<PathBuf>)>,
}

impl Series {
    /// Adds the files of a time, named relative to the series' own.
    pub fn push(&mut self, time: f64, files: impl IntoIterator<Item = impl Into<PathBuf>>) {
        self.frames.push((time, files.into_iter().map(Into::into).collect()));
    }

    /// How many times it has.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Writes the series as a PVD file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut out = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n",
        );
        for (time, files) in &self.frames {
            for (part, file) in files.iter().enumerate() {
                let file = file.display();
                let _ = writeln!(out, "<DataSet timestep=\"{time}\" part=\"{part}\" file=\"{file}\"/>");
            }
        }
        out.push_str("</Collection>\n</VTKFile>\n");
        // Whenever the process ends, the index of earlier frames is there.
        replace(path, out.as_bytes())
    }
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|source| Error::File { path: path.to_owned(), source })
}

/// The text of a mesh.
pub(super) fn mesh_text(mesh: &Mesh) -> String {
    Grid::of_mesh(mesh).text()
}
