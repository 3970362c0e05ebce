//! Thrift's compact protocol, as far as Parquet's headers and footer need it.

/// Types of fields and of elements of lists.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct that is being written, field by field, in the order of their numbers.
#[derive(Default)]
pub(crate) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    pub(crate) fn i32(mut self, field: u8, value: u32) -> Self {
        self.header(field, I32);
        zigzag(&mut self.bytes, value.into());
        self
    }

    pub(crate) fn i64(mut self, field: u8, value: u64) -> Self {
        self.header(field, I64);
        zigzag(&mut self.bytes, value);
        self
    }

    pub(crate) fn text(mut self, field: u8, value: &str) -> Self {
        self.header(field, BINARY);
        text(&mut self.bytes, value);
        self
    }

    pub(crate) fn structure(mut self, field: u8, value: Self) -> Self {
        self.header(field, STRUCT);
        self.bytes.extend(value.finish());
        self
    }

    pub(crate) fn numbers(mut self, field: u8, values: &[u32]) -> Self {
        self.list(field, I32, values.len());
        for value in values {
            zigzag(&mut self.bytes, (*value).into());
        }
        self
    }

    pub(crate) fn texts(mut self, field: u8, values: &[&str]) -> Self {
        self.list(field, BINARY, values.len());
        for value in values {
            text(&mut self.bytes, value);
        }
        self
    }

    pub(crate) fn structures(mut self, field: u8, values: Vec<Self>) -> Self {
        self.list(field, STRUCT, values.len());
        self.bytes.extend(values.into_iter().flat_map(Self::finish));
        self
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    /// Numbers of fields are told as differences, which are below 16 in Parquet.
    fn header(&mut self, field: u8, kind: u8) {
        self.bytes.push((field - self.last) << 4 | kind);
        self.last = field;
    }

    fn list(&mut self, field: u8, kind: u8, length: usize) {
        self.header(field, LIST);
        if length < 15 {
            self.bytes.push((length as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, length as u64);
        }
    }
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
pub(crate) fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Numbers of either sign in the order 0, −1, 1, −2 …; ours are not negative and below 2⁶³.
fn zigzag(bytes: &mut Vec<u8>, value: u64) {
    varint(bytes, value << 1);
}

fn text(bytes: &mut Vec<u8>, value: &str) {
    varint(bytes, value.len() as u64);
    bytes.extend_from_slice(value.as_bytes());
}
