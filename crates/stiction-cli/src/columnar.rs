//! Tables as Parquet, made from those in CSV.

use std::fs;
use std::path::Path;

use stiction_sim::report::schema::Kind;
use stiction_view::error::{Error, Result};
use stiction_view::parquet;
use stiction_view::table::{Table, TableColumn, Values};

/// Writes a table in CSV as Parquet, with columns of given kinds. An empty field of text is null.
///
/// # Errors
/// If a file cannot be read or written, or a field is none of its column's kind.
pub fn convert(csv: &Path, path: &Path, kinds: &[Kind]) -> Result<()> {
    let text = fs::read_to_string(csv).map_err(Error::at(csv))?;
    let wrong =
        |line: usize| Error::Request(format!("{}: line {line} does not fit its columns", csv.display()));
    parquet::write(path, &table(&text, kinds).map_err(wrong)?)
}

/// The table, or the number of the line that does not fit.
fn table(text: &str, kinds: &[Kind]) -> std::result::Result<Table, usize> {
    let mut lines = text.lines();
    let titles = fields_of(lines.next().unwrap_or_default());
    let mut columns: Vec<Values> = kinds.iter().map(|kind| empty(*kind)).collect();
    for (row, line) in lines.enumerate() {
        let fields = fields_of(line);
        let fits = fields.len() == columns.len()
            && columns.iter_mut().zip(fields).all(|(column, field)| push(column, field));
        if !fits {
            return Err(row + 2);
        }
    }
    let column = |(title, values): (&String, Values)| {
        let (name, unit) = name_and_unit(title);
        TableColumn { name: name.to_owned(), unit: unit.to_owned(), meaning: String::new(), values }
    };
    Ok(Table { columns: titles.iter().zip(columns).map(column).collect() })
}

fn empty(kind: Kind) -> Values {
    match kind {
        Kind::Count => Values::Counts(Vec::new()),
        Kind::Number => Values::Numbers(Vec::new()),
        Kind::Text => Values::Texts(Vec::new()),
    }
}

/// Adds the value of a field to a column, if it has one of its kind.
fn push(column: &mut Values, field: String) -> bool {
    match column {
        Values::Counts(counts) => field.parse().map(|count| counts.push(count)).is_ok(),
        Values::Numbers(numbers) => field.parse().map(|number| numbers.push(number)).is_ok(),
        Values::Texts(texts) => {
            texts.push(Some(field).filter(|field| !field.is_empty()));
            true
        }
    }
}

/// The name and the unit in the title of a column.
pub fn name_and_unit(title: &str) -> (&str, &str) {
    title.strip_suffix(']').and_then(|title| title.rsplit_once(" [")).unwrap_or((title, ""))
}

/// The fields of a line of a CSV file.
pub fn fields_of(line: &str) -> Vec<String> {
    let (mut out, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => {
                field.push('"');
                rest.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    out.push(field);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 5] = [Kind::Count, Kind::Number, Kind::Text, Kind::Text, Kind::Number];

    #[test]
    fn columns_have_their_kinds_whatever_is_in_them() {
        let table =
            table("step,time [s],\"a,b\",outcome,gap [m]\n0,0.0,nan,,inf\n1,1,2,settled,1e-3\n", &KINDS)
                .unwrap();
        let names: Vec<_> = table.columns.iter().map(|column| (&column.name[..], &column.unit[..])).collect();
        assert_eq!(names, [("step", ""), ("time", "s"), ("a,b", ""), ("outcome", ""), ("gap", "m")]);
        assert_eq!(table.columns[0].values, Values::Counts(vec![0, 1]));
        assert_eq!(table.columns[1].values, Values::Numbers(vec![0.0, 1.0]));
        assert_eq!(
            table.columns[2].values,
            Values::Texts(vec![Some("nan".to_owned()), Some("2".to_owned())])
        );
        assert_eq!(table.columns[3].values, Values::Texts(vec![None, Some("settled".to_owned())]));
        assert_eq!(table.columns[4].values, Values::Numbers(vec![f64::INFINITY, 1e-3]));
    }

    #[test]
    fn lines_that_do_not_fit_are_named() {
        let lines = |rows: &str| table(&format!("a,b,c,d,e\n0,0,x,y,0\n{rows}"), &KINDS).unwrap_err();
        assert_eq!((lines("1,2,x"), lines("1.5,0,x,y,0\n"), lines("1,0,x,y,z")), (3, 3, 3));
    }

    #[test]
    fn quotes_are_undone() {
        assert_eq!(fields_of("a,\"b \"\"c\"\", d\",,e"), ["a", "b \"c\", d", "", "e"]);
        assert_eq!(fields_of(""), [""]);
    }
}
