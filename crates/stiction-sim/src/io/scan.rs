//! Reading files piece by piece, as text or bytes, and where something is wrong with them.

use std::fmt::Display;
use std::str::FromStr;

/// What is wrong with a file, and where: a line from 1 of a text, a byte from 0 of other data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    pub place: String,
    pub message: String,
}

pub(super) type Scanned<T> = Result<T, Trouble>;

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// In digits.
    Text,
    /// In bytes, the least significant first.
    Little,
    /// In bytes, the most significant first.
    Big,
}

/// Types of numbers in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Number {
    /// How many bytes it takes.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// A file and how far it has been read.
#[derive(Clone, Debug)]
pub(super) struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    pub coding: Coding,
}

impl<'a> Scan<'a> {
    /// At the start of a text.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, coding: Coding::Text }
    }

    /// How far it has been read, for [`Scan::trouble_at`].
    pub fn offset(&self) -> usize {
        self.at
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// What is wrong here.
    pub fn trouble(&self, message: impl Display) -> Trouble {
        self.trouble_at(self.at, message)
    }

    /// What is wrong at a place that was read before.
    pub fn trouble_at(&self, offset: usize, message: impl Display) -> Trouble {
        let place = match self.coding {
            Coding::Text => {
                let before = &self.bytes[..offset.min(self.bytes.len())];
                format!("line {}", before.split(|byte| *byte == b'\n').count())
            }
            Coding::Little | Coding::Big => format!("byte {offset}"),
        };
        Trouble { place, message: message.to_string() }
    }

    /// The next line without what ends it; none at the end.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        if self.left() == 0 {
            return None;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        Some(rest[..length].trim_ascii())
    }

    /// The next word, behind any space.
    pub fn word(&mut self, what: &str) -> Scanned<&'a str> {
        let rest = &self.bytes[self.at..];
        let begin = rest.iter().position(|byte| !byte.is_ascii_whitespace());
        let Some(begin) = begin else {
            return Err(self.trouble_at(self.bytes.len(), format!("the file ends where {what} should be")));
        };
        let word = &rest[begin..];
        let length = word.iter().position(u8::is_ascii_whitespace).unwrap_or(word.len());
        self.at += begin;
        let text =
            std::str::from_utf8(&word[..length]).map_err(|_| self.trouble(format!("{what} is no text")))?;
        self.at += length;
        Ok(text)
    }

    /// The next bytes.
    pub fn take(&mut self, count: usize, what: &str) -> Scanned<&'a [u8]> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else {
            return Err(self.trouble(format!("the file ends within {what}")));
        };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// Goes behind the next place that reads `mark`; whether there is one.
    pub fn skip_past(&mut self, mark: &str) -> bool {
        let found = self.bytes[self.at..].windows(mark.len()).position(|part| part == mark.as_bytes());
        self.at += found.map_or(0, |found| found + mark.len());
        found.is_some()
    }

    /// A whole number.
    pub fn integer(&mut self, number: Number, what: &str) -> Scanned<i64> {
        let start = self.at;
        if self.coding == Coding::Text {
            return parsed(self.word(what)?, what).map_err(|message| self.trouble(message));
        }
        match self.binary(number, what)? {
            Binary::Integer(value) => Ok(value),
            Binary::Real(_) => Err(self.trouble_at(start, format!("{what} is no whole number"))),
        }
    }

    /// A whole number from 0 on.
    pub fn count(&mut self, number: Number, what: &str) -> Scanned<usize> {
        let value = self.integer(number, what)?;
        usize::try_from(value).map_err(|_| self.trouble(format!("{what} is {value}")))
    }

    /// A real number.
    pub fn real(&mut self, number: Number, what: &str) -> Scanned<f64> {
        if self.coding == Coding::Text {
            return parsed(self.word(what)?, what).map_err(|message| self.trouble(message));
        }
        match self.binary(number, what)? {
            Binary::Integer(value) => Ok(value as f64),
            Binary::Real(value) => Ok(value),
        }
    }

    fn binary(&mut self, number: Number, what: &str) -> Scanned<Binary> {
        let start = self.at;
        let mut bytes = [0; 8];
        let size = number.size();
        bytes[..size].copy_from_slice(self.take(size, what)?);
        if self.coding == Coding::Big {
            bytes[..size].reverse();
        }
        let [a, b, c, d, ..] = bytes;
        Ok(match number {
            Number::I8 => Binary::Integer(i64::from(i8::from_le_bytes([a]))),
            Number::U8 => Binary::Integer(i64::from(a)),
            Number::I16 => Binary::Integer(i64::from(i16::from_le_bytes([a, b]))),
            Number::U16 => Binary::Integer(i64::from(u16::from_le_bytes([a, b]))),
            Number::I32 => Binary::Integer(i64::from(i32::from_le_bytes([a, b, c, d]))),
            Number::U32 => Binary::Integer(i64::from(u32::from_le_bytes([a, b, c, d]))),
            Number::I64 => Binary::Integer(i64::from_le_bytes(bytes)),
            Number::U64 => {
                let value = u64::from_le_bytes(bytes);
                let value =
                    i64::try_from(value).map_err(|_| self.trouble_at(start, format!("{what} is {value}")))?;
                Binary::Integer(value)
            }
            Number::F32 => Binary::Real(f64::from(f32::from_le_bytes([a, b, c, d]))),
            Number::F64 => Binary::Real(f64::from_le_bytes(bytes)),
        })
    }
}

/// A number that was in bytes.
enum Binary {
    Integer(i64),
    Real(f64),
}

/// The number that a word is.
pub(super) fn parsed<T: FromStr>(word: &str, what: &str) -> Result<T, String> {
    let shown: String = word.chars().take(40).collect();
    word.parse().map_err(|_| format!("\"{shown}\" is not {what}"))
}
