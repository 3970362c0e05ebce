//! Parquet files, whose headers and footer are decoded here.

use std::collections::BTreeMap;
use std::fs;

use stiction_view::parquet;
use stiction_view::table::{Table, TableColumn, Values};

use crate::folder::Folder;

/// A value of Thrift's compact protocol.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Number(i64),
    Text(String),
    List(Vec<Item>),
    Struct(BTreeMap<u8, Item>),
}

impl Item {
    fn at(&self, field: u8) -> &Self {
        let Self::Struct(fields) = self else { panic!("{self:?} is no struct") };
        fields.get(&field).unwrap_or_else(|| panic!("no field {field} in {self:?}"))
    }

    fn number(&self) -> i64 {
        let Self::Number(number) = self else { panic!("{self:?} is no number") };
        *number
    }

    fn size(&self) -> usize {
        usize::try_from(self.number()).unwrap()
    }

    fn text(&self) -> &str {
        let Self::Text(text) = self else { panic!("{self:?} is no text") };
        text
    }

    fn list(&self) -> &[Self] {
        let Self::List(items) = self else { panic!("{self:?} is no list") };
        items
    }
}

/// Bytes that are read from the front.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap();
        self.0 = rest;
        *first
    }

    fn varint(&mut self) -> u64 {
        let byte = self.byte();
        u64::from(byte & 0x7f) | if byte < 0x80 { 0 } else { self.varint() << 7 }
    }

    fn item(&mut self, kind: u8) -> Item {
        match kind {
            5 | 6 => {
                let coded = self.varint();
                Item::Number((coded >> 1).cast_signed() ^ -(coded & 1).cast_signed())
            }
            8 => self.text(),
            9 => self.list(),
            12 => self.structure(),
            _ => panic!("type {kind}"),
        }
    }

    fn text(&mut self) -> Item {
        let length = self.varint() as usize;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        Item::Text(String::from_utf8(text.to_vec()).unwrap())
    }

    fn list(&mut self) -> Item {
        let head = self.byte();
        let length = if head >> 4 == 15 { self.varint() } else { u64::from(head >> 4) };
        Item::List((0..length).map(|_| self.item(head & 15)).collect())
    }

    fn structure(&mut self) -> Item {
        let mut fields = BTreeMap::new();
        let mut field = 0;
        loop {
            let head = self.byte();
            if head == 0 {
                return Item::Struct(fields);
            }
            field += head >> 4;
            fields.insert(field, self.item(head & 15));
        }
    }
}

fn column(name: &str, unit: &str, values: Values) -> TableColumn {
    TableColumn { name: name.to_owned(), unit: unit.to_owned(), meaning: String::new(), values }
}

fn written(table: &Table) -> Vec<u8> {
    let folder = Folder::new();
    let path = folder.path.join("table.parquet");
    parquet::write(&path, table).unwrap();
    assert_eq!(folder.names(), ["table.parquet"]);
    fs::read(path).unwrap()
}

fn footer(file: &[u8]) -> Item {
    assert_eq!((&file[..4], &file[file.len() - 4..]), (&b"PAR1"[..], &b"PAR1"[..]));
    let end = file.len() - 8;
    let length = u32::from_le_bytes(file[end..end + 4].try_into().unwrap()) as usize;
    let mut bytes = Bytes(&file[end - length..end]);
    let footer = bytes.structure();
    assert!(bytes.0.is_empty());
    footer
}

/// The bytes of the values of a column of a row group.
fn page<'a>(file: &'a [u8], group: &Item, column: usize) -> &'a [u8] {
    let data = group.at(1).list()[column].at(3);
    let start = data.at(9).size();
    let all = &file[start..start + data.at(7).size()];
    let mut bytes = Bytes(all);
    let header = bytes.structure();
    assert_eq!(header.at(3).size(), bytes.0.len());
    assert_eq!(header.at(5).at(1), data.at(5));
    bytes.0
}

fn words(page: &[u8]) -> Vec<u64> {
    page.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn values_and_units_are_read_back() {
    let numbers = [0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];
    let notes = [Some("a"), None, Some(""), Some("ü"), None].map(|text| text.map(str::to_owned));
    let columns = vec![
        column("step", "", Values::Counts(vec![0, 1, 2, 3, 1 << 62])),
        column("energy", "J", Values::Numbers(numbers.to_vec())),
        column("note", "", Values::Texts(notes.to_vec())),
    ];
    let file = written(&Table { columns });
    let footer = footer(&file);
    let schema = footer.at(2).list();
    let names: Vec<_> = schema.iter().map(|element| element.at(4).text()).collect();
    assert_eq!(names, ["schema", "step", "energy", "note"]);
    let types: Vec<_> = schema[1..].iter().map(|element| element.at(1).number()).collect();
    assert_eq!((types, schema[0].at(5).number(), footer.at(3).number()), (vec![2, 5, 6], 3, 5));
    let units = footer.at(5).list();
    assert_eq!((units.len(), units[0].at(1).text(), units[0].at(2).text()), (1, "unit.energy", "J"));
    let [group] = footer.at(4).list() else { panic!("one row group") };
    assert_eq!(words(page(&file, group, 0)), [0, 1, 2, 3, 1 << 62]);
    assert_eq!(words(page(&file, group, 1)), numbers.map(f64::to_bits));
    let texts = page(&file, group, 2);
    assert_eq!(&texts[..6], [2, 0, 0, 0, 3, 0b01101]);
    assert_eq!(&texts[6..], b"\x01\0\0\0a\0\0\0\0\x02\0\0\0\xc3\xbc");
}

#[test]
fn long_tables_have_several_groups() {
    let file = written(&Table { columns: vec![column("step", "", Values::Counts((0..200_000).collect()))] });
    let footer = footer(&file);
    let values: Vec<_> = footer.at(4).list().iter().flat_map(|group| words(page(&file, group, 0))).collect();
    assert!(footer.at(4).list().len() == 2 && values.into_iter().eq(0..200_000));
}

#[test]
fn wide_and_empty_tables() {
    let columns = (0..300).map(|index| column(&format!("c{index}"), "m", Values::Numbers(Vec::new())));
    let footer = footer(&written(&Table { columns: columns.collect() }));
    assert_eq!(
        (footer.at(2).list().len(), footer.at(4).list().len(), footer.at(5).list().len()),
        (301, 0, 300)
    );
}

#[test]
fn wrong_tables_are_refused() {
    let counts = |name: &str, values: &[u64]| column(name, "", Values::Counts(values.to_vec()));
    let cases = [
        (vec![], "at least one column"),
        (vec![counts("a", &[1]), counts("b", &[])], "column \"b\" has 0 values, but \"a\" has 1"),
        (vec![counts("a", &[1]), counts("a", &[2])], "two columns are named \"a\""),
        (vec![counts("a", &[u64::MAX])], "above 2⁶³ − 1"),
    ];
    for (columns, expected) in cases {
        let folder = Folder::new();
        let error = parquet::write(&folder.path.join("t.parquet"), &Table { columns }).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(folder.names().is_empty(), "nothing is left");
    }
}
