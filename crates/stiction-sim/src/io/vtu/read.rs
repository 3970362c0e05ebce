//! Reading VTU files: one piece, not compressed, the data within the tags.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{POINT, QUADRANGLE, SEGMENT, TETRAHEDRON, TRIANGLE};
use crate::io::mesh::{Draft, Mesh};
use crate::io::scan::{Coding, Number, Scan, Scanned, Trouble, parsed};

/// Reads points, segments, triangles, quadrangles (cut in two) and tetrahedra.
pub(in crate::io) fn read(bytes: &[u8]) -> Scanned<Mesh> {
    let scan = Scan::new(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(scan.trouble("raw appended data cannot be read: write the data within the tags"));
    };
    Document { text, scan, number: Number::U32 }.checked()?.mesh()
}

/// The text of a file, from which arrays are read.
pub(super) struct Document<'a> {
    text: &'a str,
    scan: Scan<'a>,
    /// Type of the number of bytes before data.
    number: Number,
}

impl<'a> Document<'a> {
    /// The document in the bytes of a file.
    pub fn new(bytes: &'a [u8]) -> Scanned<Self> {
        let scan = Scan::new(bytes);
        let text = std::str::from_utf8(bytes).map_err(|_| scan.trouble("this is no text"))?;
        Self { text, scan, number: Number::U32 }.checked()
    }

    /// Its points and cells.
    pub fn mesh(&self) -> Scanned<Mesh> {
        let (mut draft, scan) = (Draft::default(), &self.scan);
        for point in self.array("Points", None)?.chunks(3) {
            let &[x, y, z] = point else { return Err(scan.trouble("points have not 3 coordinates each")) };
            draft.point(scan, [x, y, z])?;
        }
        cells(self, &mut draft)?;
        draft.finished(scan)
    }

    /// The numbers of all arrays in a section, by name, with how many each value has; none if there is no such section. Words are left out.
    pub fn arrays(&self, section: &str) -> Scanned<Vec<(String, usize, Vec<f64>)>> {
        let mut out = Vec::new();
        for (at, head, body) in self.heads(section) {
            if attribute(head, "type") == Some("String") {
                continue;
            }
            let numbers = self.numbers(head, body).map_err(|message| self.trouble(at, message))?;
            let components = attribute(head, "NumberOfComponents").and_then(|count| count.parse().ok());
            out.push((
                attribute(head, "Name").unwrap_or_default().to_owned(),
                components.unwrap_or(1),
                numbers,
            ));
        }
        Ok(out)
    }

    /// The words of all arrays in a section, by name.
    pub fn words(&self, section: &str) -> Scanned<Vec<(String, Vec<String>)>> {
        let mut out = Vec::new();
        for (at, head, body) in
            self.heads(section).filter(|(_, head, _)| attribute(head, "type") == Some("String"))
        {
            let bytes = body.split_ascii_whitespace().map(|word| parsed(word, "a byte"));
            let bytes: Vec<u8> =
                bytes.collect::<Result<_, String>>().map_err(|message| self.trouble(at, message))?;
            let words = bytes.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
            let mut words: Vec<String> = words.collect();
            // What follows the last end.
            words.pop();
            out.push((attribute(head, "Name").unwrap_or_default().to_owned(), words));
        }
        Ok(out)
    }

    /// The arrays of a section: where each is, its tag and what it contains.
    fn heads(&self, section: &str) -> impl Iterator<Item = (usize, &'a str, &'a str)> {
        let begin = self.tag(0, section).map_or(self.text.len(), |(at, _)| at);
        let end = self.text[begin..].find(&format!("</{section}>")).map_or(self.text.len(), |at| begin + at);
        let mut from = begin;
        std::iter::from_fn(move || {
            let (at, head) = self.tag(from, "DataArray").filter(|(at, _)| *at < end)?;
            from = at + head.len();
            let body = self.text.get(at + head.len() + 1..).unwrap_or_default();
            Some((at, head, body.split('<').next().unwrap_or_default()))
        })
    }

    fn checked(mut self) -> Scanned<Self> {
        let Some((at, head)) = self.tag(0, "VTKFile") else {
            return Err(self.trouble(0, "there is no VTKFile"));
        };
        if attribute(head, "type") != Some("UnstructuredGrid") {
            return Err(self.trouble(at, "only the type UnstructuredGrid can be read"));
        }
        if attribute(head, "compressor").is_some() || attribute(head, "byte_order") == Some("BigEndian") {
            return Err(self.trouble(at, "only little-endian data without compression can be read"));
        }
        if self.text.matches("<Piece").count() != 1 {
            return Err(self.trouble(at, "only files of one piece can be read"));
        }
        if attribute(head, "header_type") == Some("UInt64") {
            self.number = Number::U64;
        }
        Ok(self)
    }

    pub fn trouble(&self, at: usize, message: impl std::fmt::Display) -> Trouble {
        self.scan.trouble_at(at, message)
    }

    /// The next tag of this name from a place on: where it is, and what is in it.
    fn tag(&self, from: usize, name: &str) -> Option<(usize, &'a str)> {
        let open = format!("<{name}");
        let ends = |c: char| c.is_ascii_whitespace() || c == '>' || c == '/';
        let begins = self.text.get(from..)?.match_indices(&open).map(|(at, _)| from + at);
        let at = begins.into_iter().find(|at| self.text[at + open.len()..].starts_with(ends))?;
        Some((at, self.text[at..].split_once('>')?.0))
    }

    /// The numbers of the array called `name` in a section, of its first one without a name.
    fn array(&self, section: &str, name: Option<&str>) -> Scanned<Vec<f64>> {
        let (begin, _) =
            self.tag(0, section).ok_or_else(|| self.trouble(0, format!("there is no {section}")))?;
        let found =
            self.heads(section).find(|(_, head, _)| name.is_none() || attribute(head, "Name") == name);
        let missing = || format!("{section} has no DataArray {}", name.unwrap_or_default());
        let (at, head, body) = found.ok_or_else(|| self.trouble(begin, missing()))?;
        self.numbers(head, body).map_err(|message| self.trouble(at, message))
    }

    fn numbers(&self, head: &str, body: &str) -> Result<Vec<f64>, String> {
        let number = number(attribute(head, "type").unwrap_or_default())?;
        match attribute(head, "format") {
            Some("ascii") => body.split_ascii_whitespace().map(|word| parsed(word, "a number")).collect(),
            Some("binary") => self.decoded(number, body.trim()),
            _ => Err("only the formats ascii and binary can be read".to_owned()),
        }
    }

    fn decoded(&self, number: Number, body: &str) -> Result<Vec<f64>, String> {
        let bytes = STANDARD.decode(body).map_err(|error| format!("the data is no base64: {error}"))?;
        let mut scan = Scan::new(&bytes);
        scan.coding = Coding::Little;
        let mut read = || {
            let size = scan.count(self.number, "the number of bytes")?;
            if size != scan.left() {
                return Err(scan.trouble(format!("{size} bytes are announced, {} are there", scan.left())));
            }
            (0..size / number.size()).map(|_| scan.real(number, "a number")).collect()
        };
        read().map_err(|trouble: Trouble| format!("{}: {}", trouble.place, trouble.message))
    }
}

/// The value of an attribute in a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

fn number(name: &str) -> Result<Number, String> {
    Ok(match name {
        "Int8" => Number::I8,
        "UInt8" => Number::U8,
        "Int16" => Number::I16,
        "UInt16" => Number::U16,
        "Int32" => Number::I32,
        "UInt32" => Number::U32,
        "Int64" => Number::I64,
        "UInt64" => Number::U64,
        "Float32" => Number::F32,
        "Float64" => Number::F64,
        _ => return Err(format!("the type \"{name}\" is unknown")),
    })
}

fn cells(document: &Document<'_>, draft: &mut Draft) -> Scanned<()> {
    let array = |name| document.array("Cells", Some(name));
    let (connectivity, offsets, types) = (array("connectivity")?, array("offsets")?, array("types")?);
    let scan = &document.scan;
    if offsets.len() != types.len() {
        return Err(scan.trouble(format!(
            "{} cells have types, {} have offsets",
            types.len(),
            offsets.len()
        )));
    }
    let mut begin = 0;
    for (cell, (end, kind)) in offsets.iter().zip(&types).enumerate() {
        let end = whole(*end).filter(|end| *end >= begin && *end <= connectivity.len());
        let end = end.ok_or_else(|| scan.trouble(format!("the offset of cell {cell} is not possible")))?;
        let names = connectivity[begin..end]
            .iter()
            .map(|name| whole(*name).and_then(|name| i64::try_from(name).ok()).unwrap_or(-1));
        let vertices = names.map(|name| draft.vertex(scan, name, 0)).collect::<Scanned<Vec<_>>>()?;
        push(draft, scan, *kind, &vertices)?;
        begin = end;
    }
    Ok(())
}

/// The count that a number is.
#[allow(clippy::cast_sign_loss)] // checked to be positive
fn whole(number: f64) -> Option<usize> {
    ((0.0..9e15).contains(&number) && number.fract() == 0.0).then_some(number as usize)
}

#[allow(clippy::cast_sign_loss)] // numbers that are none of ours become 0 or 255
fn push(draft: &mut Draft, scan: &Scan<'_>, kind: f64, vertices: &[u32]) -> Scanned<()> {
    match (kind as u8, vertices) {
        (POINT, [_]) => Ok(()),
        (SEGMENT, [_, _]) | (TRIANGLE, [_, _, _]) | (QUADRANGLE, [_, _, _, _]) => {
            draft.polygon(scan, vertices)
        }
        (TETRAHEDRON, &[a, b, c, d]) => {
            draft.mesh.tetrahedra.push([a, b, c, d]);
            Ok(())
        }
        _ => {
            Err(scan.trouble(format!("cells of type {kind} with {} vertices cannot be read", vertices.len())))
        }
    }
}
