//! Where in a scene an error is.

use std::fmt;

use toml::de::{DeTable, DeValue};

/// What is wrong with a scene, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    /// Line and column, from 1.
    pub place: Option<(usize, usize)>,
    /// The key, such as `bodies[1].shape.box.size`.
    pub key: Option<String>,
    /// The line itself.
    pub line: String,
    /// What is wrong and what to do.
    pub message: String,
}

/// Characters of a line, of a key and of a message that are shown at most: files may have lines of megabytes.
const LINE: usize = 100;
const KEY: usize = 120;
const MESSAGE: usize = 600;

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, _)) = self.place {
            write!(f, "line {line}: ")?;
        }
        if let Some(key) = &self.key {
            write!(f, "{}: ", shortened(key, KEY))?;
        }
        write!(f, "{}", shortened(&self.message, MESSAGE))?;
        if let Some((line, column)) = self.place {
            let (shown, before) = window(&self.line, column.saturating_sub(1));
            let margin = line.to_string();
            write!(f, "\n  {margin} | {shown}\n  {:w$} | {:before$}^", "", "", w = margin.len())?;
        }
        Ok(())
    }
}

/// The part of a line around a place, and how many characters of it are before that place.
fn window(line: &str, before: usize) -> (String, usize) {
    let count = line.chars().count();
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    if count <= LINE {
        return (line.chars().map(clean).collect(), before);
    }
    let start = before.saturating_sub(LINE / 2).min(count - LINE);
    let (head, tail) = (if start > 0 { "…" } else { "" }, if start + LINE < count { "…" } else { "" });
    let part: String = line.chars().skip(start).take(LINE).map(clean).collect();
    (format!("{head}{part}{tail}"), before - start + usize::from(start > 0))
}

/// A text in at most so many characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

impl std::error::Error for SceneError {}

impl SceneError {
    /// An error without a place.
    pub fn plain(message: impl Into<String>) -> Self {
        Self { place: None, key: None, line: String::new(), message: message.into() }
    }

    /// An error of the value at `key`, a path such as `bodies[1].velocity`.
    pub(super) fn at(text: &str, key: &str, message: impl Into<String>) -> Self {
        let error = Self { key: Some(key.to_owned()), ..Self::plain(message) };
        match offset_of(text, key) {
            Some(offset) => error.with_offset(text, offset),
            None => error,
        }
    }

    /// An error of a text that is no TOML.
    pub(super) fn from_toml(error: &toml::de::Error, text: &str) -> Self {
        let plain = Self::plain(error.message());
        match error.span() {
            Some(span) => plain.with_offset(text, span.start),
            None => plain,
        }
    }

    pub(super) fn with_offset(self, text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let place = Some((before.matches('\n').count() + 1, before[start..].chars().count() + 1));
        let line = text[start..].lines().next().unwrap_or_default().to_owned();
        Self { place, line, ..self }
    }
}

/// Where the value of a key begins; of its closest parent that exists if the key is missing.
fn offset_of(text: &str, key: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let mut value = DeValue::Table(table.into_inner());
    let mut offset = None;
    for part in key.split(['.', '[', ']']).filter(|part| !part.is_empty()) {
        let next = match &value {
            DeValue::Table(table) => table.get(part),
            DeValue::Array(array) => part.parse::<usize>().ok().and_then(|index| array.get(index)),
            _ => None,
        };
        let Some(next) = next.cloned() else { break };
        offset = Some(next.span().start);
        value = next.into_inner();
    }
    offset
}
