//! Tables: what is known of every step, column by column.

use std::collections::BTreeSet;

use crate::error::{Error, Result};

/// Columns of the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its columns, from left to right.
    pub columns: Vec<TableColumn>,
}

/// A column of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
pub struct TableColumn {
    /// Its name, such as `kinetic_energy`.
    pub name: String,
    /// Its SI unit; empty where it has none.
    pub unit: String,
    /// What it means, in a sentence; may be empty.
    pub meaning: String,
    /// Its values, from top to bottom.
    pub values: Values,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Whole numbers.
    Counts(Vec<u64>),
    /// Numbers, which may be NaN or infinite.
    Numbers(Vec<f64>),
    /// Texts, or nothing.
    Texts(Vec<Option<String>>),
}

impl Values {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Counts(values) => values.len(),
            Self::Numbers(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Table {
    /// The number of rows.
    ///
    /// # Errors
    /// If there is no column, two have the same name, or not all have the same length.
    pub fn rows(&self) -> Result<usize> {
        let Some(first) = self.columns.first() else {
            return Err(Error::Request("a table needs at least one column".to_owned()));
        };
        let rows = first.values.len();
        let mut names = BTreeSet::new();
        for column in &self.columns {
            let (name, count) = (&column.name, column.values.len());
            if count != rows {
                let what = format!("column \"{name}\" has {count} values, but \"{}\" has {rows}", first.name);
                return Err(Error::Request(what));
            }
            if !names.insert(name) {
                return Err(Error::Request(format!("two columns are named \"{name}\": rename one")));
            }
        }
        Ok(rows)
    }
}
