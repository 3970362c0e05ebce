//! Writes the table that `tests/parquet/check.py` reads: `cargo run -p stiction-view --example sample-table -- FILE [ROWS [COLUMNS]]`.

use std::env;
use std::error::Error;
use std::path::Path;

use stiction_view::parquet;
use stiction_view::table::{Table, TableColumn, Values};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize, otherwise| arguments.get(at).map_or(Ok(otherwise), |text| text.parse());
    let (rows, numbers) = (number(1, 5)?, number(2, 2)?);
    let file = arguments.first().ok_or("usage: sample-table FILE [ROWS [COLUMNS]]")?;
    parquet::write(Path::new(file), &table(rows, numbers))?;
    Ok(())
}

/// Step numbers, a column of texts, and columns of numbers.
fn table(rows: usize, numbers: usize) -> Table {
    let column = |name: &str, unit: &str, values| TableColumn {
        name: name.to_owned(),
        unit: unit.to_owned(),
        meaning: format!("{name} of the sample"),
        values,
    };
    let steps = (0..rows as u64).map(|row| row * 1_000_000_007).collect();
    let notes = (0..rows).map(|row| (row % 3 != 1).then(|| format!("Schritt {row} – ü"))).collect();
    let mut columns =
        vec![column("step", "", Values::Counts(steps)), column("note", "", Values::Texts(notes))];
    for index in 0..numbers {
        let values = (0..rows).map(|row| value(index, row)).collect();
        columns.push(column(&format!("number.{index}"), "kg·m/s²", Values::Numbers(values)));
    }
    Table { columns }
}

/// NaN, ∞ and −∞ among ordinary numbers.
fn value(column: usize, row: usize) -> f64 {
    match (column + row) % 7 {
        2 => f64::NAN,
        3 => f64::INFINITY,
        4 => f64::NEG_INFINITY,
        _ => row as f64 / 3.0 - column as f64,
    }
}
