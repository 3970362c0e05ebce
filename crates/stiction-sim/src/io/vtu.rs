//! VTU (one configuration) and PVD (a series of them), which ParaView and meshio read.

mod frames;
pub(super) mod read;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
pub use frames::VtuFrames;
use stiction::math::Vector;

use super::mesh::Mesh;
use crate::error::{Error, Result};
use crate::model::{Model, Part};
use crate::state::State;

/// VTK's numbers for what we read and write.
const POINT: u8 = 1;
const SEGMENT: u8 = 3;
const TRIANGLE: u8 = 5;
const QUADRANGLE: u8 = 9;
const TETRAHEDRON: u8 = 10;

/// Writes the elements, positions and velocities of a state; each cell carries the number of its body.
///
/// # Errors
/// If the file cannot be written.
pub fn write<const D: usize>(path: &Path, model: &Model<D>, state: &State<D>) -> Result<()> {
    write_file(path, &text(model, state))
}

/// A series of configurations in time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    frames: Vec<(f64, PathBuf)>,
}

impl Series {
    /// Adds a file, named relative to the series' own.
    pub fn push(&mut self, time: f64, file: impl Into<PathBuf>) {
        self.frames.push((time, file.into()));
    }

    /// How many files it names.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether it names none.
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
        for (time, file) in &self.frames {
            let _ = writeln!(out, "<DataSet timestep=\"{time}\" part=\"0\" file=\"{}\"/>", file.display());
        }
        out.push_str("</Collection>\n</VTKFile>\n");
        write_file(path, &out)
    }
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|source| Error::File { path: path.to_owned(), source })
}

fn text<const D: usize>(model: &Model<D>, state: &State<D>) -> String {
    let cells = Cells::of_model(model);
    let mut data = String::from("<PointData Vectors=\"velocity\">\n");
    floats(&mut data, "velocity", &model.surface_at(&state.v));
    data.push_str("</PointData>\n<CellData>\n");
    integers(&mut data, "body", &cells.bodies);
    data.push_str("</CellData>\n");
    document(&model.surface_at(&state.q), &cells, &data)
}

/// The text of a mesh.
pub(super) fn mesh_text(mesh: &Mesh) -> String {
    let mut cells = Cells::default();
    mesh.edges.iter().for_each(|edge| cells.push(edge, SEGMENT));
    mesh.triangles.iter().for_each(|triangle| cells.push(triangle, TRIANGLE));
    mesh.tetrahedra.iter().for_each(|element| cells.push(element, TETRAHEDRON));
    document(&mesh.points, &cells, "")
}

/// Points and cells, with `data` about them.
fn document<const D: usize>(points: &[Vector<D>], cells: &Cells, data: &str) -> String {
    let mut out =
        String::from("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" ");
    out.push_str("byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
    let _ =
        writeln!(out, "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">", points.len(), cells.types.len());
    out.push_str("<Points>\n");
    floats(&mut out, "Points", points);
    out.push_str("</Points>\n");
    out.push_str(data);
    out.push_str("<Cells>\n");
    integers(&mut out, "connectivity", &cells.connectivity);
    integers(&mut out, "offsets", &cells.offsets);
    array(&mut out, "type=\"UInt8\" Name=\"types\"", &cells.types);
    out.push_str("</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    out
}

#[derive(Default)]
struct Cells {
    connectivity: Vec<u64>,
    offsets: Vec<u64>,
    types: Vec<u8>,
    bodies: Vec<u64>,
}

impl Cells {
    fn of_model<const D: usize>(model: &Model<D>) -> Self {
        let mut cells = Self::default();
        cells.push_bodies(model, &model.cells.edges, SEGMENT);
        cells.push_bodies(model, &model.cells.triangles, TRIANGLE);
        cells.push_bodies(model, &model.cells.tetrahedra, TETRAHEDRON);
        cells
    }

    fn push(&mut self, vertices: &[u32], kind: u8) {
        self.connectivity.extend(vertices.iter().map(|&v| u64::from(v)));
        self.offsets.push(self.connectivity.len() as u64);
        self.types.push(kind);
    }

    /// Cells of a kind, each with the number of the body that has its vertices.
    fn push_bodies<const D: usize, const N: usize>(&mut self, model: &Model<D>, list: &[[u32; N]], kind: u8) {
        for vertices in list {
            let has = |part: &Part| part.vertices.contains(&(vertices[0] as usize));
            self.push(vertices, kind);
            self.bodies.push(model.parts.iter().position(has).unwrap_or_default() as u64);
        }
    }
}

/// Vectors, with a zero third component in 2D.
fn floats<const D: usize>(out: &mut String, name: &str, vectors: &[Vector<D>]) {
    let component = |v: &Vector<D>, k: usize| v.0.get(k).copied().unwrap_or(0.0);
    let bytes: Vec<u8> =
        vectors.iter().flat_map(|v| (0..3).flat_map(move |k| component(v, k).to_le_bytes())).collect();
    array(out, &format!("type=\"Float64\" Name=\"{name}\" NumberOfComponents=\"3\""), &bytes);
}

/// Counts, which VTK wants as signed numbers: below 2⁶³ the bytes are the same.
fn integers(out: &mut String, name: &str, values: &[u64]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    array(out, &format!("type=\"Int64\" Name=\"{name}\""), &bytes);
}

/// The bytes behind their length, as text.
fn array(out: &mut String, attributes: &str, bytes: &[u8]) {
    let mut data = (bytes.len() as u64).to_le_bytes().to_vec();
    data.extend_from_slice(bytes);
    let _ = writeln!(out, "<DataArray {attributes} format=\"binary\">{}</DataArray>", STANDARD.encode(data));
}
