//! STL: triangles, each with points of its own.

use std::collections::HashMap;
use std::fmt::Write as _;

use stiction::math::Vector;

use super::mesh::{Draft, Mesh};
use super::scan::{Coding, Number, Scan, Scanned};

/// Bytes before the triangles: words, and how many triangles there are.
const HEADER: usize = 80;
/// Bytes of a triangle: normal, corners, and two that mean nothing.
const TRIANGLE: usize = 50;

/// Reads the triangles; points with equal coordinates become one, in the order in which they come.
pub(super) fn read(bytes: &[u8]) -> Scanned<Mesh> {
    let mut reader = Reader { scan: Scan::new(bytes), draft: Draft::default(), known: HashMap::new() };
    if is_text(bytes) {
        reader.text()?;
    } else {
        reader.binary()?;
    }
    reader.draft.finished(&reader.scan)
}

/// Text begins with the word solid, but so do some binary files, of which the length fits.
fn is_text(bytes: &[u8]) -> bool {
    let count =
        bytes.get(HEADER..).and_then(|rest| rest.first_chunk()).map(|bytes| u32::from_le_bytes(*bytes));
    let fits = count
        .is_some_and(|count| bytes.len() as u64 == HEADER as u64 + 4 + TRIANGLE as u64 * u64::from(count));
    bytes.trim_ascii_start().starts_with(b"solid") && !fits
}

struct Reader<'a> {
    scan: Scan<'a>,
    draft: Draft,
    known: HashMap<[u64; 3], u32>,
}

impl Reader<'_> {
    fn text(&mut self) -> Scanned<()> {
        let mut corners = Vec::new();
        self.scan.line();
        while !self.ended() {
            match self.scan.word("endsolid")? {
                "vertex" => corners.push(self.corner()?),
                "endfacet" => {
                    let here = self.scan.clone();
                    let triangle = corners.as_slice().try_into();
                    let triangle = triangle
                        .map_err(|_| here.trouble(format!("a facet has {} vertices", corners.len())))?;
                    self.draft.mesh.triangles.push(triangle);
                    corners.clear();
                }
                // A name may follow, and another solid.
                "endsolid" | "solid" => {
                    self.scan.line();
                }
                "facet" | "outer" | "endloop" | "normal" | "loop" => {}
                word if word.parse::<f64>().is_ok() => {}
                word => return Err(self.scan.trouble(format!("\"{word}\" is no word of an STL file"))),
            }
        }
        if corners.is_empty() { Ok(()) } else { Err(self.scan.trouble("the file ends within a facet")) }
    }

    fn ended(&self) -> bool {
        self.scan.clone().word("").is_err()
    }

    fn binary(&mut self) -> Scanned<()> {
        self.scan.coding = Coding::Little;
        self.scan.take(HEADER, "the header")?;
        let count = self.scan.count(Number::U32, "the number of triangles")?;
        if count.checked_mul(TRIANGLE).is_none_or(|size| size > self.scan.left()) {
            let message =
                format!("{count} triangles do not fit into the {} bytes that follow", self.scan.left());
            return Err(self.scan.trouble(message));
        }
        for _ in 0..count {
            self.scan.take(12, "a normal")?;
            let triangle = [self.corner()?, self.corner()?, self.corner()?];
            self.draft.mesh.triangles.push(triangle);
            self.scan.take(2, "a triangle")?;
        }
        Ok(())
    }

    fn corner(&mut self) -> Scanned<u32> {
        let mut point = [0.0; 3];
        for coordinate in &mut point {
            // Minus zero is zero.
            *coordinate = self.scan.real(Number::F32, "a coordinate")? + 0.0;
        }
        let key = point.map(f64::to_bits);
        if let Some(number) = self.known.get(&key) {
            return Ok(*number);
        }
        let number = self.draft.mesh.points.len() as u32;
        self.draft.point(&self.scan, point)?;
        self.known.insert(key, number);
        Ok(number)
    }
}

/// The bytes of a mesh of triangles: in single precision, or text.
pub(super) fn bytes(mesh: &Mesh, binary: bool) -> Vec<u8> {
    if !binary {
        return text(mesh).into_bytes();
    }
    let mut out = vec![b' '; HEADER];
    out.extend((mesh.triangles.len() as u32).to_le_bytes());
    for triangle in &mesh.triangles {
        let corners = triangle.map(|vertex| mesh.points[vertex as usize]);
        for vector in [normal(corners)].iter().chain(&corners) {
            out.extend(vector.0.iter().flat_map(|number| (*number as f32).to_le_bytes()));
        }
        out.extend([0, 0]);
    }
    out
}

fn text(mesh: &Mesh) -> String {
    let mut out = String::from("solid\n");
    for triangle in &mesh.triangles {
        let corners = triangle.map(|vertex| mesh.points[vertex as usize]);
        let Vector([x, y, z]) = normal(corners);
        let _ = writeln!(out, "facet normal {x:?} {y:?} {z:?}\nouter loop");
        for Vector([x, y, z]) in corners {
            let _ = writeln!(out, "vertex {x:?} {y:?} {z:?}");
        }
        out.push_str("endloop\nendfacet\n");
    }
    out.push_str("endsolid\n");
    out
}

/// The unit normal; zero without area.
fn normal([a, b, c]: [Vector<3>; 3]) -> Vector<3> {
    let (Vector([ux, uy, uz]), Vector([vx, vy, vz])) = (b - a, c - a);
    let normal = Vector([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]).normalized();
    if normal.is_finite() { normal } else { Vector::ZERO }
}
