//! OBJ: points, segments and polygons as text.

use std::fmt::Write as _;

use super::mesh::{Draft, Mesh};
use super::scan::{Scan, Scanned, parsed};

/// Reads `v`, `l` and `f`; polygons are cut into triangles. Everything else does not matter to contact.
pub(super) fn read(bytes: &[u8]) -> Scanned<Mesh> {
    let (mut scan, mut draft) = (Scan::new(bytes), Draft::default());
    loop {
        let start = scan.clone();
        let Some(line) = whole_line(&mut scan) else { return draft.finished(&scan) };
        let line = String::from_utf8_lossy(&line);
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => point(&mut draft, &start, words)?,
            Some("f") => {
                let vertices = vertices(&mut draft, &start, words)?;
                draft.polygon(&start, if vertices.len() > 2 { &vertices } else { &[] })?;
            }
            Some("l") => {
                let vertices = vertices(&mut draft, &start, words)?;
                draft.mesh.edges.extend(vertices.windows(2).map(|pair| [pair[0], pair[1]]));
            }
            _ => {}
        }
    }
}

/// The next line, with those that it goes on in.
fn whole_line(scan: &mut Scan<'_>) -> Option<Vec<u8>> {
    let mut line = scan.line()?.to_vec();
    while line.last() == Some(&b'\\') {
        line.pop();
        line.extend(scan.line().unwrap_or_default());
    }
    Some(line)
}

fn point<'a>(draft: &mut Draft, scan: &Scan<'_>, mut words: impl Iterator<Item = &'a str>) -> Scanned<()> {
    let mut point = [0.0; 3];
    for coordinate in &mut point {
        let word = words.next().ok_or_else(|| scan.trouble("a point has fewer than 3 coordinates"))?;
        *coordinate = parsed(word, "a coordinate").map_err(|message| scan.trouble(message))?;
    }
    draft.point(scan, point)
}

/// Vertices count from 1, or from −1 backwards from the last; what follows a slash is not their number.
fn vertices<'a>(
    draft: &mut Draft,
    scan: &Scan<'_>,
    words: impl Iterator<Item = &'a str>,
) -> Scanned<Vec<u32>> {
    words
        .map(|word| {
            let number = word.split('/').next().unwrap_or_default();
            let name: i64 = parsed(number, "a vertex").map_err(|message| scan.trouble(message))?;
            // There are fewer points than 2³².
            let points = i64::from(draft.mesh.points.len() as u32);
            draft.vertex(scan, name, if name < 0 { -points } else { 1 })
        })
        .collect()
}

/// The text of a mesh without tetrahedra.
pub(super) fn text(mesh: &Mesh) -> String {
    let mut out = String::new();
    for [x, y, z] in mesh.points.iter().map(|point| point.0) {
        let _ = writeln!(out, "v {x:?} {y:?} {z:?}");
    }
    for [a, b] in &mesh.edges {
        let _ = writeln!(out, "l {} {}", u64::from(*a) + 1, u64::from(*b) + 1);
    }
    for [a, b, c] in &mesh.triangles {
        let _ = writeln!(out, "f {} {} {}", u64::from(*a) + 1, u64::from(*b) + 1, u64::from(*c) + 1);
    }
    out
}
