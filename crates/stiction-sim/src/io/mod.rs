//! Files: meshes of other programs and for them, frames, and states to go on from.
//!
//! The order of the modules below is the order of the layers, too.

mod fnv;
mod replace;
mod scan;
pub mod mesh;
mod obj;
mod ply;
mod stl;
mod msh;
pub mod frames;
pub mod vtu;
mod state;

use std::path::Path;

pub use frames::{Frame, FrameWriter};
pub use mesh::Mesh;
pub use replace::replace;

use crate::error::{Error, Result};
use scan::Scanned;

/// Formats of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Points, segments and polygons as text.
    Obj,
    /// Tables of points, polygons and segments, as text or bytes of either order.
    Ply,
    /// Triangles, as text or bytes (single precision).
    Stl,
    /// Gmsh's, of version 2 or 4.1, as text or bytes; written in version 2.2.
    Msh,
    /// ParaView's, of one piece without compression.
    Vtu,
}

impl Format {
    /// The format that the ending of the name says.
    ///
    /// # Errors
    /// If it is none of ours.
    pub fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match ending.as_str() {
            "obj" => Ok(Self::Obj),
            "ply" => Ok(Self::Ply),
            "stl" => Ok(Self::Stl),
            "msh" => Ok(Self::Msh),
            "vtu" => Ok(Self::Vtu),
            _ => Err(wrong(path, "the name", "must end with .obj, .ply, .stl, .msh or .vtu")),
        }
    }

    /// Reads a mesh from the bytes of a file, which is named in errors.
    ///
    /// # Errors
    /// If they are not of this format; with the line or byte.
    pub fn parse(self, path: &Path, bytes: &[u8]) -> Result<Mesh> {
        self.read(bytes).map_err(|trouble| wrong(path, &trouble.place, trouble.message))
    }

    fn read(self, bytes: &[u8]) -> Scanned<Mesh> {
        match self {
            Self::Obj => obj::read(bytes),
            Self::Ply => ply::read(bytes),
            Self::Stl => stl::read(bytes),
            Self::Msh => msh::read(bytes),
            Self::Vtu => vtu::read::read(bytes),
        }
    }

    fn bytes(self, mesh: &Mesh, binary: bool) -> Vec<u8> {
        match self {
            Self::Obj => obj::text(mesh).into_bytes(),
            Self::Ply => ply::bytes(mesh, binary),
            Self::Stl => stl::bytes(mesh, binary),
            Self::Msh => msh::bytes(mesh, binary),
            Self::Vtu => vtu::mesh_text(mesh).into_bytes(),
        }
    }

    /// What of the mesh the format has no place for.
    fn lacks(self, mesh: &Mesh) -> Option<&'static str> {
        match self {
            Self::Obj | Self::Ply | Self::Stl if !mesh.tetrahedra.is_empty() => Some("tetrahedra"),
            Self::Stl if !mesh.edges.is_empty() => Some("edges"),
            _ => None,
        }
    }
}

/// Reads a mesh; the format is that of the name's ending.
///
/// # Errors
/// If the file cannot be read or is not what its name says; with the line or byte.
pub fn read_mesh(path: &Path) -> Result<Mesh> {
    let format = Format::of(path)?;
    let bytes = std::fs::read(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
    format.parse(path, &bytes)
}

/// Writes a mesh in the format of the name's ending, `binary` where the format has that.
///
/// # Errors
/// If the file cannot be written, a vertex does not exist, or the format has no place for something.
pub fn write_mesh(path: &Path, mesh: &Mesh, binary: bool) -> Result<()> {
    let format = Format::of(path)?;
    if !mesh.is_valid() {
        return Err(wrong(path, "mesh", "a vertex is used that does not exist"));
    }
    if let Some(what) = format.lacks(mesh) {
        let message = format!("has {what}, for which the format has no place: choose .msh or .vtu");
        return Err(wrong(path, "mesh", message));
    }
    std::fs::write(path, format.bytes(mesh, binary))
        .map_err(|source| Error::File { path: path.to_owned(), source })
}

fn wrong(path: &Path, place: &str, message: impl Into<String>) -> Error {
    Error::BadFile { path: path.to_owned(), place: place.to_owned(), message: message.into() }
}
