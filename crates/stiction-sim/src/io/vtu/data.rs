//! Frames with their fields, read back.

use std::path::Path;

use super::read::Document;
use crate::error::{Error, Result};
use crate::io::mesh::Mesh;
use crate::io::scan::Scanned;
use crate::io::wrong;

/// Numbers on points or cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedArray {
    /// Its name.
    pub name: String,
    /// How many numbers each value has.
    pub components: usize,
    /// The components of one value after the other.
    pub values: Vec<f64>,
}

/// A VTU file: a mesh with data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameData {
    /// Points and cells; cells are edges, then triangles, then tetrahedra, in the order of their data.
    pub mesh: Mesh,
    /// Data on the points.
    pub points: Vec<NamedArray>,
    /// Data on the cells.
    pub cells: Vec<NamedArray>,
    /// Numbers of the whole.
    pub whole: Vec<NamedArray>,
    /// Words of the whole, by the name of their list.
    pub words: Vec<(String, Vec<String>)>,
}

impl FrameData {
    /// Data on the points, by name.
    pub fn on_points(&self, name: &str) -> Option<&NamedArray> {
        self.points.iter().find(|array| array.name == name)
    }

    /// Data on the cells, by name.
    pub fn on_cells(&self, name: &str) -> Option<&NamedArray> {
        self.cells.iter().find(|array| array.name == name)
    }

    /// Numbers of the whole, by name; none if there are none.
    pub fn of_whole(&self, name: &str) -> &[f64] {
        self.whole.iter().find(|array| array.name == name).map_or(&[], |array| &array.values)
    }

    /// Words of the whole, by the name of their list; none if there are none.
    pub fn words(&self, name: &str) -> &[String] {
        self.words.iter().find(|(list, _)| list == name).map_or(&[], |(_, words)| words)
    }
}

/// Reads a file that [`VtuFrames`](super::VtuFrames) wrote, or another one in the same format.
///
/// # Errors
/// If it cannot be read, is no VTU file, or data does not fit points and cells.
pub fn read_frame(path: &Path) -> Result<FrameData> {
    let bytes = std::fs::read(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
    read(&bytes).map_err(|trouble| wrong(path, &trouble.place, trouble.message))
}

fn read(bytes: &[u8]) -> Scanned<FrameData> {
    let document = Document::new(bytes)?;
    let mesh = document.mesh()?;
    let cells = mesh.edges.len() + mesh.triangles.len() + mesh.tetrahedra.len();
    let named = |section, values: Option<usize>| {
        let named = |(name, components, values)| NamedArray { name, components, values };
        let arrays: Vec<NamedArray> = document.arrays(section)?.into_iter().map(named).collect();
        let fits = |array: &&NamedArray| {
            values.is_none_or(|count| count.checked_mul(array.components) == Some(array.values.len()))
        };
        match arrays.iter().find(|array| !fits(array)) {
            Some(array) => {
                let message =
                    format!("{section} {} has {} numbers, which do not fit", array.name, array.values.len());
                Err(document.trouble(0, message))
            }
            None => Ok(arrays),
        }
    };
    // Points are cells, too, but none that a mesh has.
    let (points, has_points) = (mesh.points.len(), cells == 0);
    Ok(FrameData {
        points: named("PointData", Some(points))?,
        cells: named("CellData", if has_points { None } else { Some(cells) })?,
        whole: named("FieldData", None)?,
        words: document.words("FieldData")?,
        mesh,
    })
}
