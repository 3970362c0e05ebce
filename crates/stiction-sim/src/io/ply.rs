//! PLY: tables of points, polygons and segments, as text or bytes.

use std::fmt::Write as _;

use super::mesh::{Draft, Mesh};
use super::scan::{Coding, Number, Scan, Scanned};

/// A column of a table: one number, or a list of them with the type of its length.
struct Column {
    name: String,
    number: Number,
    length: Option<Number>,
}

/// A table.
struct Table {
    name: String,
    rows: usize,
    columns: Vec<Column>,
}

/// Reads the coordinates of `vertex`, the vertices of `face` and of `edge`. Polygons are cut into triangles.
pub(super) fn read(bytes: &[u8]) -> Scanned<Mesh> {
    let mut scan = Scan::new(bytes);
    let (coding, tables) = header(&mut scan)?;
    scan.coding = coding;
    let mut draft = Draft::default();
    for table in &tables {
        check_columns(&scan, table)?;
        for _ in 0..table.rows {
            row(&mut scan, &mut draft, table)?;
        }
    }
    draft.finished(&scan)
}

fn header(scan: &mut Scan<'_>) -> Scanned<(Coding, Vec<Table>)> {
    if scan.line() != Some(b"ply") {
        return Err(scan.trouble("a PLY file begins with the word ply"));
    }
    let (mut coding, mut tables) = (None, Vec::<Table>::new());
    loop {
        let here = scan.clone();
        let Some(line) = scan.line() else { return Err(scan.trouble("the header has no end_header")) };
        let line = String::from_utf8_lossy(line).into_owned();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            ["format", format, ..] => coding = Some(read_coding(&here, format)?),
            ["element", name, rows] => {
                let rows =
                    rows.parse().map_err(|_| here.trouble(format!("\"{rows}\" is not a number of rows")))?;
                tables.push(Table { name: (*name).to_owned(), rows, columns: Vec::new() });
            }
            ["property", words @ ..] => {
                let table = tables.last_mut().ok_or_else(|| here.trouble("a property before any element"))?;
                table.columns.push(column(&here, words)?);
            }
            ["end_header"] => break,
            ["comment" | "obj_info", ..] | [] => {}
            _ => return Err(here.trouble(format!("\"{line}\" is no line of a PLY header"))),
        }
    }
    let coding = coding.ok_or_else(|| scan.trouble("the header has no format"))?;
    Ok((coding, tables))
}

fn read_coding(scan: &Scan<'_>, name: &str) -> Scanned<Coding> {
    match name {
        "ascii" => Ok(Coding::Text),
        "binary_little_endian" => Ok(Coding::Little),
        "binary_big_endian" => Ok(Coding::Big),
        _ => Err(scan.trouble(format!("the format \"{name}\" is unknown"))),
    }
}

fn column(scan: &Scan<'_>, words: &[&str]) -> Scanned<Column> {
    match words {
        ["list", length, number, name] => Ok(Column {
            name: (*name).to_owned(),
            number: read_number(scan, number)?,
            length: Some(read_number(scan, length)?),
        }),
        [number, name] => {
            Ok(Column { name: (*name).to_owned(), number: read_number(scan, number)?, length: None })
        }
        _ => Err(scan.trouble("a property needs a type and a name")),
    }
}

fn read_number(scan: &Scan<'_>, name: &str) -> Scanned<Number> {
    Ok(match name {
        "char" | "int8" => Number::I8,
        "uchar" | "uint8" => Number::U8,
        "short" | "int16" => Number::I16,
        "ushort" | "uint16" => Number::U16,
        "int" | "int32" => Number::I32,
        "uint" | "uint32" => Number::U32,
        "int64" => Number::I64,
        "uint64" => Number::U64,
        "float" | "float32" => Number::F32,
        "double" | "float64" => Number::F64,
        _ => return Err(scan.trouble(format!("the type \"{name}\" is unknown"))),
    })
}

/// Points need coordinates; rows without any bytes would never end a file that is too short.
fn check_columns(scan: &Scan<'_>, table: &Table) -> Scanned<()> {
    let has = |name: &str| table.columns.iter().any(|column| column.name == name && column.length.is_none());
    if table.name == "vertex" && !(has("x") && has("y")) {
        return Err(scan.trouble("vertices have no x and y"));
    }
    if table.columns.is_empty() && table.rows > 0 {
        return Err(scan.trouble(format!("element {} has no properties", table.name)));
    }
    Ok(())
}

fn row(scan: &mut Scan<'_>, draft: &mut Draft, table: &Table) -> Scanned<()> {
    match table.name.as_str() {
        "vertex" => vertex_row(scan, draft, table),
        "face" => face_row(scan, draft, table),
        "edge" => edge_row(scan, draft, table),
        _ => table.columns.iter().try_for_each(|column| skip(scan, column)),
    }
}

fn vertex_row(scan: &mut Scan<'_>, draft: &mut Draft, table: &Table) -> Scanned<()> {
    let mut point = [0.0; 3];
    for column in &table.columns {
        match ["x", "y", "z"].iter().position(|axis| *axis == column.name) {
            Some(axis) if column.length.is_none() => {
                point[axis] = scan.real(column.number, "a coordinate")?;
            }
            _ => skip(scan, column)?,
        }
    }
    draft.point(scan, point)
}

fn face_row(scan: &mut Scan<'_>, draft: &mut Draft, table: &Table) -> Scanned<()> {
    for column in &table.columns {
        match (column.name.as_str(), column.length) {
            ("vertex_indices" | "vertex_index", Some(length)) => {
                let count = scan.count(length, "the number of vertices")?;
                let mut vertices = Vec::new();
                for _ in 0..count {
                    let name = scan.integer(column.number, "a vertex")?;
                    vertices.push(draft.vertex(scan, name, 0)?);
                }
                draft.polygon(scan, if count > 2 { &vertices } else { &[] })?;
            }
            _ => skip(scan, column)?,
        }
    }
    Ok(())
}

fn edge_row(scan: &mut Scan<'_>, draft: &mut Draft, table: &Table) -> Scanned<()> {
    let mut vertices = Vec::new();
    for column in &table.columns {
        if column.name.starts_with("vertex") && column.length.is_none() {
            let name = scan.integer(column.number, "a vertex")?;
            vertices.push(draft.vertex(scan, name, 0)?);
        } else {
            skip(scan, column)?;
        }
    }
    match vertices.as_slice() {
        [_, _] => draft.polygon(scan, &vertices),
        _ => Err(scan.trouble("an edge needs vertex1 and vertex2")),
    }
}

fn skip(scan: &mut Scan<'_>, column: &Column) -> Scanned<()> {
    let count = column.length.map_or(Ok(1), |length| scan.count(length, "the length of a list"))?;
    for _ in 0..count {
        scan.real(column.number, &column.name)?;
    }
    Ok(())
}

/// The bytes of a mesh without tetrahedra: little-endian, or text.
pub(super) fn bytes(mesh: &Mesh, binary: bool) -> Vec<u8> {
    let mut out = header_text(mesh, binary).into_bytes();
    if binary {
        for point in &mesh.points {
            out.extend(point.0.iter().flat_map(|coordinate| coordinate.to_le_bytes()));
        }
        for triangle in &mesh.triangles {
            out.push(3);
            out.extend(triangle.iter().flat_map(|vertex| vertex.to_le_bytes()));
        }
        out.extend(mesh.edges.iter().flatten().flat_map(|vertex| vertex.to_le_bytes()));
    } else {
        out.extend(rows_text(mesh).into_bytes());
    }
    out
}

fn header_text(mesh: &Mesh, binary: bool) -> String {
    let format = if binary { "binary_little_endian" } else { "ascii" };
    let mut out = format!("ply\nformat {format} 1.0\nelement vertex {}\n", mesh.points.len());
    out.push_str("property double x\nproperty double y\nproperty double z\n");
    if !mesh.triangles.is_empty() {
        let _ =
            writeln!(out, "element face {}\nproperty list uchar uint vertex_indices", mesh.triangles.len());
    }
    if !mesh.edges.is_empty() {
        let _ =
            writeln!(out, "element edge {}\nproperty uint vertex1\nproperty uint vertex2", mesh.edges.len());
    }
    out.push_str("end_header\n");
    out
}

fn rows_text(mesh: &Mesh) -> String {
    let mut out = String::new();
    for [x, y, z] in mesh.points.iter().map(|point| point.0) {
        let _ = writeln!(out, "{x:?} {y:?} {z:?}");
    }
    for [a, b, c] in &mesh.triangles {
        let _ = writeln!(out, "3 {a} {b} {c}");
    }
    for [a, b] in &mesh.edges {
        let _ = writeln!(out, "{a} {b}");
    }
    out
}
