//! Unstructured grids with data, as VTU text.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use stiction::math::Vector;

use super::{SEGMENT, TETRAHEDRON, TRIANGLE};
use crate::io::mesh::Mesh;

/// Points and cells with data on them.
#[derive(Debug, Default)]
pub(super) struct Grid {
    /// Positions in m, three numbers each.
    pub points: Vec<f64>,
    pub cells: Cells,
    pub point_data: Vec<Array>,
    pub cell_data: Vec<Array>,
    /// Of the grid as a whole.
    pub field_data: Vec<Array>,
}

/// Numbers by name.
#[derive(Debug)]
pub(super) struct Array {
    pub name: &'static str,
    pub components: usize,
    pub values: Numbers,
}

/// Numbers of a type.
#[derive(Debug)]
pub(super) enum Numbers {
    Double(Vec<f64>),
    Single(Vec<f32>),
    Whole(Vec<u64>),
    Small(Vec<u8>),
    Words(Vec<String>),
}

impl Array {
    pub fn new(name: &'static str, components: usize, values: Numbers) -> Self {
        Self { name, components, values }
    }

    /// Numbers in single precision, which is enough to look at.
    pub fn single(name: &'static str, components: usize, values: &[f64]) -> Self {
        Self::new(name, components, Numbers::Single(values.iter().map(|value| *value as f32).collect()))
    }
}

/// The cells of a grid.
#[derive(Debug, Default)]
pub(super) struct Cells {
    connectivity: Vec<u64>,
    offsets: Vec<u64>,
    types: Vec<u8>,
}

impl Cells {
    pub fn push(&mut self, vertices: &[u32], kind: u8) {
        self.connectivity.extend(vertices.iter().map(|&v| u64::from(v)));
        self.offsets.push(self.connectivity.len() as u64);
        self.types.push(kind);
    }
}

/// All components of vectors, with a zero third one in 2D.
pub(super) fn in_space<const D: usize>(vectors: &[Vector<D>]) -> Vec<f64> {
    let components = |v: &Vector<D>| std::array::from_fn::<f64, 3, _>(|k| v.0.get(k).copied().unwrap_or(0.0));
    vectors.iter().flat_map(components).collect()
}

impl Grid {
    /// A mesh without data.
    pub fn of_mesh(mesh: &Mesh) -> Self {
        let mut cells = Cells::default();
        mesh.edges.iter().for_each(|edge| cells.push(edge, SEGMENT));
        mesh.triangles.iter().for_each(|triangle| cells.push(triangle, TRIANGLE));
        mesh.tetrahedra.iter().for_each(|element| cells.push(element, TETRAHEDRON));
        Self { points: in_space(&mesh.points), cells, ..Self::default() }
    }

    pub fn text(&self) -> String {
        let mut out =
            String::from("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" ");
        out.push_str("byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
        section(&mut out, "FieldData", &self.field_data);
        let (points, cells) = (self.points.len() / 3, &self.cells);
        let _ = writeln!(out, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{}\">", cells.types.len());
        out.push_str("<Points>\n");
        binary(&mut out, "type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"", &bytes(&self.points));
        out.push_str("</Points>\n");
        section(&mut out, "PointData", &self.point_data);
        section(&mut out, "CellData", &self.cell_data);
        out.push_str("<Cells>\n");
        binary(&mut out, "type=\"Int64\" Name=\"connectivity\"", &whole(&cells.connectivity));
        binary(&mut out, "type=\"Int64\" Name=\"offsets\"", &whole(&cells.offsets));
        binary(&mut out, "type=\"UInt8\" Name=\"types\"", &cells.types);
        out.push_str("</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
        out
    }
}

fn section(out: &mut String, name: &str, arrays: &[Array]) {
    if arrays.is_empty() {
        return;
    }
    let _ = writeln!(out, "<{name}>");
    for array in arrays {
        push(out, array, name == "FieldData");
    }
    let _ = writeln!(out, "</{name}>");
}

fn push(out: &mut String, array: &Array, of_grid: bool) {
    let Array { name, components, values } = array;
    let (kind, data, count) = match values {
        Numbers::Double(values) => ("Float64", bytes(values), values.len()),
        Numbers::Single(values) => {
            ("Float32", values.iter().flat_map(|value| value.to_le_bytes()).collect(), values.len())
        }
        Numbers::Whole(values) => ("Int64", whole(values), values.len()),
        Numbers::Small(values) => ("UInt8", values.clone(), values.len()),
        Numbers::Words(words) => return push_words(out, name, words),
    };
    let tuples =
        if of_grid { format!(" NumberOfTuples=\"{}\"", count / components.max(&1)) } else { String::new() };
    // Some readers make columns of numbers that say so.
    let count =
        if *components == 1 { String::new() } else { format!(" NumberOfComponents=\"{components}\"") };
    let attributes = format!("type=\"{kind}\" Name=\"{name}\"{count}{tuples}");
    binary(out, &attributes, &data);
}

/// Words as the numbers of their bytes, each ended by 0.
fn push_words(out: &mut String, name: &str, words: &[String]) {
    let _ = write!(
        out,
        "<DataArray type=\"String\" Name=\"{name}\" NumberOfTuples=\"{}\" format=\"ascii\">",
        words.len()
    );
    for word in words {
        for byte in word.bytes() {
            let _ = write!(out, "{byte} ");
        }
        out.push_str("0 ");
    }
    out.push_str("</DataArray>\n");
}

fn bytes(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Counts, which VTK wants as signed numbers: below 2⁶³ the bytes are the same.
fn whole(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The bytes behind their length, as text.
fn binary(out: &mut String, attributes: &str, bytes: &[u8]) {
    let mut data = (bytes.len() as u64).to_le_bytes().to_vec();
    data.extend_from_slice(bytes);
    let _ = write!(out, "<DataArray {attributes} format=\"binary\">");
    STANDARD.encode_string(data, out);
    out.push_str("</DataArray>\n");
}
