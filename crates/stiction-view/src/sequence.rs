//! Sequences of mesh files, one for each frame, for programs that read no animated glTF.
//!
//! Every file has the same vertices, triangles and edges in the same order, as importers of sequences need. Vertex `i` of the film is vertex
//! `i` of every file (`i + 1` in OBJ, which counts from 1).
//!
//! OBJ has an object for each thing and coordinates that read back exactly. PLY is binary with coordinates in single precision; each vertex has the
//! number of its thing, from 0, and the scalar vertex fields as properties.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::draft::DraftFile;
use crate::error::{Error, Result};
use crate::film::{Field, Film, Frame, Place, Scenery, Thing};
use crate::progress::{Progress, complete, report};

/// What the files are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ: text, an object for each thing, no fields.
    Obj,
    /// Binary PLY: the scalar fields of the vertices, too.
    #[default]
    Ply,
}

/// How to write a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What the files are.
    pub format: Format,
    /// What their names begin with: `NAME_000012.ply`.
    pub name: String,
    /// Whether the folder may have files already. Those of this sequence are replaced.
    pub overwrite: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { format: Format::default(), name: "frame".to_owned(), overwrite: false }
    }
}

/// Writes a file for each frame into a folder, which is created if need be; returns how many.
///
/// # Errors
/// If the folder is not empty and `overwrite` is not set, a frame cannot be read, a file cannot be written, or the progress function says stop. Files of
/// the frames before stay.
pub fn write(film: &Film, folder: &Path, options: &Options, progress: Progress<'_>) -> Result<usize> {
    check(film, options)?;
    open(folder, options.overwrite)?;
    let scenery = &film.scenery;
    let count = film.count();
    for index in 0..count {
        report(progress, index, count)?;
        let frame = film.frame(index)?;
        let bytes = match options.format {
            Format::Obj => obj(scenery, &frame).into_bytes(),
            Format::Ply => ply(scenery, &frame),
        };
        let mut file = DraftFile::create(&path(folder, options, index))?;
        file.push(&bytes)?;
        file.finish()?;
    }
    remove_rest(folder, options, count)?;
    complete(progress, count);
    Ok(count)
}

fn check(film: &Film, options: &Options) -> Result<()> {
    let name = &options.name;
    if name.is_empty() || name.contains(['/', '\\', '\0']) {
        let what = format!("\"{name}\" cannot begin the names of files: use letters and digits");
        return Err(Error::Request(what));
    }
    if i32::try_from(film.scenery.vertices).is_err() {
        let what = format!("{} vertices are more than PLY files can number", film.scenery.vertices);
        return Err(Error::Request(what));
    }
    Ok(())
}

/// Creates the folder, or sees that it may be used.
fn open(folder: &Path, overwrite: bool) -> Result<()> {
    fs::create_dir_all(folder).map_err(Error::at(folder))?;
    let mut files = fs::read_dir(folder).map_err(Error::at(folder))?;
    if !overwrite && files.next().is_some() {
        let what = format!("{} is not empty: name another folder, or allow to overwrite", folder.display());
        return Err(Error::Request(what));
    }
    Ok(())
}

/// `FOLDER/NAME_000012.ply`.
fn path(folder: &Path, options: &Options, index: usize) -> PathBuf {
    let extension = match options.format {
        Format::Obj => "obj",
        Format::Ply => "ply",
    };
    folder.join(format!("{}_{index:06}.{extension}", options.name))
}

/// Removes what a longer sequence of the same name left: it would look like the end of this one.
fn remove_rest(folder: &Path, options: &Options, count: usize) -> Result<()> {
    for index in count.. {
        let old = path(folder, options, index);
        match fs::remove_file(&old) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(Error::at(&old)(error)),
        }
    }
    Ok(())
}

fn obj(scenery: &Scenery, frame: &Frame) -> String {
    let mut out = format!("# {}\n# time {:?} s\n", line(&scenery.title), frame.time);
    for [x, y, z] in &frame.points {
        push(&mut out, format_args!("v {x:?} {y:?} {z:?}\n"));
    }
    for thing in &scenery.things {
        obj_thing(&mut out, scenery, thing);
    }
    out
}

fn obj_thing(out: &mut String, scenery: &Scenery, thing: &Thing) {
    push(out, format_args!("o {}\n", line(&thing.name)));
    for [a, b, c] in &scenery.triangles[thing.triangles.start as usize..thing.triangles.end as usize] {
        push(out, format_args!("f {} {} {}\n", a + 1, b + 1, c + 1));
    }
    for [a, b] in &scenery.edges[thing.edges.start as usize..thing.edges.end as usize] {
        push(out, format_args!("l {} {}\n", a + 1, b + 1));
    }
}

/// Writing into a text cannot fail.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// A text without what would end its line.
fn line(text: &str) -> String {
    text.replace(char::is_control, "_")
}

fn ply(scenery: &Scenery, frame: &Frame) -> Vec<u8> {
    let scalars = scalars(scenery);
    let mut out = ply_header(scenery, frame, &scalars).into_bytes();
    let things = things_of_vertices(scenery);
    for (index, point) in frame.points.iter().enumerate() {
        out.extend(point.iter().flat_map(|coordinate| (*coordinate as f32).to_le_bytes()));
        out.extend(things[index].to_le_bytes());
        out.extend(scalars.iter().flat_map(|(field, _)| frame.fields[*field][index].to_le_bytes()));
    }
    for triangle in &scenery.triangles {
        out.push(3);
        out.extend(triangle.iter().flat_map(|vertex| vertex.to_le_bytes()));
    }
    out.extend(scenery.edges.as_flattened().iter().flat_map(|vertex| vertex.to_le_bytes()));
    out
}

fn ply_header(scenery: &Scenery, frame: &Frame, scalars: &[(usize, String)]) -> String {
    let mut out = format!(
        "ply\nformat binary_little_endian 1.0\ncomment {}\ncomment time {:?} s\n",
        line(&scenery.title),
        frame.time
    );
    for (index, thing) in scenery.things.iter().enumerate() {
        push(&mut out, format_args!("comment thing {index}: {}\n", line(&thing.name)));
    }
    for (field, name) in scalars {
        push(&mut out, format_args!("comment {name}: {}\n", about(&scenery.fields[*field])));
    }
    push(&mut out, format_args!("element vertex {}\n", scenery.vertices));
    out += "property float x\nproperty float y\nproperty float z\nproperty int thing\n";
    for (_, name) in scalars {
        push(&mut out, format_args!("property float {name}\n"));
    }
    push(&mut out, format_args!("element face {}\n", scenery.triangles.len()));
    out += "property list uchar int vertex_indices\n";
    push(&mut out, format_args!("element edge {}\n", scenery.edges.len()));
    out += "property int vertex1\nproperty int vertex2\nend_header\n";
    out
}

/// Meaning, unit and categories of a field.
fn about(field: &Field) -> String {
    let unit = if field.unit.is_empty() { "no unit" } else { &field.unit };
    let mut out = format!("{} [{unit}]", field.meaning);
    for (value, category) in field.categories.iter().enumerate() {
        push(&mut out, format_args!(" {value}={category}"));
    }
    line(&out)
}

/// The scalar fields of vertices, with names that a PLY header can have and nothing else in it has.
fn scalars(scenery: &Scenery) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    for (index, field) in scenery.fields.iter().enumerate() {
        if field.place == Place::Vertices && field.components == 1 {
            let mut name = word(&field.name);
            while ["x", "y", "z", "thing"].contains(&&*name) || out.iter().any(|(_, other)| *other == name) {
                name.push('_');
            }
            out.push((index, name));
        }
    }
    out
}

/// Letters, digits and underscores only, and one at least.
fn word(text: &str) -> String {
    let kept = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>();
    if kept.is_empty() { "_".to_owned() } else { kept }
}

/// The number of the thing of each vertex; the number of things where there is none.
fn things_of_vertices(scenery: &Scenery) -> Vec<u32> {
    let mut out = vec![scenery.things.len() as u32; scenery.vertices as usize];
    for (index, thing) in scenery.things.iter().enumerate() {
        out[thing.vertices.start as usize..thing.vertices.end as usize].fill(index as u32);
    }
    out
}
