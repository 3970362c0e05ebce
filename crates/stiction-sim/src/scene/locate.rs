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

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, _)) = self.place {
            write!(f, "line {line}: ")?;
        }
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        write!(f, "{}", self.message)?;
        if let Some((line, column)) = self.place {
            let margin = line.to_string();
            write!(
                f,
                "\n  {margin} | {}\n  {:w$} | {:c$}^",
                self.line,
                "",
                "",
                w = margin.len(),
                c = column - 1
            )?;
        }
        Ok(())
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

    pub(super) fn from_toml(error: &toml::de::Error, text: &str) -> Self {
        let plain = Self::plain(error.message());
        match error.span() {
            // What is missing from the whole file is at no line of it.
            Some(span) if span.start == 0 && !text.starts_with('[') && is_missing(&plain) => plain,
            Some(span) => Self { key: key_at(text, span.start), ..plain }.with_offset(text, span.start),
            None => plain,
        }
    }

    fn with_offset(self, text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let place = Some((before.matches('\n').count() + 1, before[start..].chars().count() + 1));
        let line = text[start..].lines().next().unwrap_or_default().to_owned();
        Self { place, line, ..self }
    }
}

fn is_missing(error: &SceneError) -> bool {
    error.message.starts_with("missing field")
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

/// The key whose value holds the place, as deep as it goes.
fn key_at(text: &str, offset: usize) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    let mut key = String::new();
    descend(&DeValue::Table(table.into_inner()), offset, &mut key);
    (!key.is_empty()).then_some(key)
}

fn descend(value: &DeValue<'_>, offset: usize, key: &mut String) {
    match value {
        DeValue::Table(table) => {
            for (name, child) in table {
                let whole = name.span().start..child.span().end.max(name.span().end);
                if whole.contains(&offset) || holds(child.get_ref(), offset) {
                    if !key.is_empty() {
                        key.push('.');
                    }
                    key.push_str(name.get_ref());
                    return descend(child.get_ref(), offset, key);
                }
            }
        }
        DeValue::Array(array) => {
            for (index, child) in array.iter().enumerate() {
                if child.span().contains(&offset) || holds(child.get_ref(), offset) {
                    key.push_str(&["[", &index.to_string(), "]"].concat());
                    return descend(child.get_ref(), offset, key);
                }
            }
        }
        _ => {}
    }
}

/// Whether anything inside holds the place: the span of a table with a header is only its header.
fn holds(value: &DeValue<'_>, offset: usize) -> bool {
    match value {
        DeValue::Table(table) => table.iter().any(|(name, child)| {
            name.span().contains(&offset) || child.span().contains(&offset) || holds(child.get_ref(), offset)
        }),
        DeValue::Array(array) => {
            array.iter().any(|child| child.span().contains(&offset) || holds(child.get_ref(), offset))
        }
        _ => false,
    }
}
