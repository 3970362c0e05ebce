//! Tables as Parquet files, which pandas and polars read.
//!
//! The files use the smallest part of the format that all readers know: no compression, PLAIN values, one page for each column of a row group.
//! Counts are INT64, numbers DOUBLE (NaN and infinities stay what they are), texts UTF-8 or null. Units and meanings are in the key-value
//! metadata of the file, under `unit.COLUMN` and `meaning.COLUMN`.
//!
//! Reference: the Apache Parquet format, version 2.11, `parquet.thrift`.

use std::ops::Range;
use std::path::Path;

use crate::draft::DraftFile;
use crate::error::{Error, Result};
use crate::table::{Table, TableColumn, Values};
use crate::thrift::{Struct, varint};

/// At both ends of every file.
const MAGIC: &[u8; 4] = b"PAR1";
/// Rows of a group, at most: what is held in memory twice is one column of them.
const GROUP: usize = 131_072;
/// Bytes of a page, at most: the header has its size as a signed number of 32 bits.
const MAX_PAGE: u64 = i32::MAX as u64;
/// Numbers of the encodings.
const PLAIN: u32 = 0;
const RLE: u32 = 3;

/// Writes a table.
///
/// # Errors
/// If the table contradicts itself (see [`Table::rows`]), a count is above 2⁶³ − 1, or the file cannot be written.
pub fn write(path: &Path, table: &Table) -> Result<()> {
    let rows = table.rows()?;
    let mut file = File { draft: DraftFile::create(path)?, length: 0 };
    file.push(MAGIC)?;
    let mut groups = Vec::new();
    for start in (0..rows).step_by(GROUP) {
        groups.push(file.group(table, start..rows.min(start + GROUP))?);
    }
    let footer = footer(table, rows, groups);
    file.push(&footer)?;
    let length = u32::try_from(footer.len()).map_err(|_| too_long("the names, units and meanings"))?;
    file.push(&length.to_le_bytes())?;
    file.push(MAGIC)?;
    file.draft.finish()
}

/// A file and how long it is so far.
struct File {
    draft: DraftFile,
    length: u64,
}

impl File {
    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.length += bytes.len() as u64;
        self.draft.push(bytes)
    }

    /// Writes some rows; returns the `RowGroup` of the footer.
    fn group(&mut self, table: &Table, rows: Range<usize>) -> Result<Struct> {
        let start = self.length;
        let mut chunks = Vec::new();
        for column in &table.columns {
            chunks.push(self.chunk(column, rows.clone())?);
        }
        Ok(Struct::default().structures(1, chunks).i64(2, self.length - start).i64(3, rows.len() as u64))
    }

    /// Writes some rows of a column as one page; returns the `ColumnChunk` of the footer.
    fn chunk(&mut self, column: &TableColumn, rows: Range<usize>) -> Result<Struct> {
        let start = self.length;
        let count = rows.len();
        let page = page(column, rows)?;
        let size = page.len() as u64;
        if size > MAX_PAGE {
            return Err(too_long(&format!("column \"{}\"", column.name)));
        }
        self.push(&page_header(size as u32, count as u32))?;
        self.push(&page)?;
        let size = self.length - start;
        let data = Struct::default()
            .i32(1, physical_type(&column.values))
            .numbers(2, &[PLAIN, RLE])
            .texts(3, &[&column.name])
            .i32(4, 0)
            .i64(5, count as u64)
            .i64(6, size)
            .i64(7, size)
            .i64(9, start);
        Ok(Struct::default().i64(2, start).structure(3, data))
    }
}

fn too_long(what: &str) -> Error {
    Error::Request(format!("{what}: more than 2 GiB, which Parquet cannot hold; shorten the texts"))
}

fn page_header(size: u32, count: u32) -> Vec<u8> {
    let data = Struct::default().i32(1, count).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
    Struct::default().i32(1, 0).i32(2, size).i32(3, size).structure(5, data).finish()
}

/// The values of some rows.
fn page(column: &TableColumn, rows: Range<usize>) -> Result<Vec<u8>> {
    match &column.values {
        Values::Counts(values) => counts(&column.name, &values[rows]),
        Values::Numbers(values) => Ok(values[rows].iter().flat_map(|value| value.to_le_bytes()).collect()),
        Values::Texts(values) => Ok(texts(&values[rows])),
    }
}

fn counts(name: &str, values: &[u64]) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(8 * values.len());
    for value in values {
        let signed = i64::try_from(*value).map_err(|_| {
            Error::Request(format!("column \"{name}\": {value} is above 2⁶³ − 1; write it as a number"))
        })?;
        out.extend(signed.to_le_bytes());
    }
    Ok(out)
}

/// One bit for each row, which says whether there is a text; then the texts that there are.
fn texts(values: &[Option<String>]) -> Vec<u8> {
    let groups = values.len().div_ceil(8);
    let mut levels = Vec::new();
    varint(&mut levels, (groups as u64) << 1 | 1);
    for eight in values.chunks(8) {
        levels.push((0..).zip(eight).fold(0, |bits, (at, text)| bits | u8::from(text.is_some()) << at));
    }
    let mut out = (levels.len() as u32).to_le_bytes().to_vec();
    out.extend(levels);
    for text in values.iter().flatten() {
        out.extend((text.len() as u32).to_le_bytes());
        out.extend_from_slice(text.as_bytes());
    }
    out
}

fn footer(table: &Table, rows: usize, groups: Vec<Struct>) -> Vec<u8> {
    Struct::default()
        .i32(1, 2)
        .structures(2, schema(table))
        .i64(3, rows as u64)
        .structures(4, groups)
        .structures(5, notes(table))
        .text(6, concat!("stiction version ", env!("CARGO_PKG_VERSION")))
        .finish()
}

/// The root, then the columns.
fn schema(table: &Table) -> Vec<Struct> {
    let root = Struct::default().text(4, "schema").i32(5, table.columns.len() as u32);
    std::iter::once(root).chain(table.columns.iter().map(column_schema)).collect()
}

/// Texts may be missing and are UTF-8, which is said in the old way and in the new one.
fn column_schema(column: &TableColumn) -> Struct {
    let is_text = matches!(column.values, Values::Texts(_));
    let element =
        Struct::default().i32(1, physical_type(&column.values)).i32(3, is_text.into()).text(4, &column.name);
    if is_text {
        let string = Struct::default().structure(1, Struct::default());
        element.i32(6, 0).structure(10, string)
    } else {
        element
    }
}

/// INT64, DOUBLE or `BYTE_ARRAY`.
fn physical_type(values: &Values) -> u32 {
    match values {
        Values::Counts(_) => 2,
        Values::Numbers(_) => 5,
        Values::Texts(_) => 6,
    }
}

/// Units and meanings, where there are any.
fn notes(table: &Table) -> Vec<Struct> {
    let columns = table.columns.iter();
    let pairs = columns.flat_map(|column| {
        let pair = |what, value| (format!("{what}.{}", column.name), value);
        [pair("unit", &column.unit), pair("meaning", &column.meaning)]
    });
    let said = pairs.filter(|(_, value)| !value.is_empty());
    said.map(|(key, value)| Struct::default().text(1, &key).text(2, value)).collect()
}
