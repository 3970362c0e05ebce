//! Tables as Parquet, made from those in CSV.

use std::fs;
use std::path::Path;

use stiction_view::error::{Error, Result};
use stiction_view::parquet;
use stiction_view::table::{Table, TableColumn, Values};

/// Writes a table in CSV as Parquet. Columns of whole numbers are counts, of other numbers numbers, all else is text; an empty field is null.
///
/// # Errors
/// If a file cannot be read or written.
pub fn convert(csv: &Path, path: &Path) -> Result<()> {
    let text = fs::read_to_string(csv).map_err(Error::at(csv))?;
    parquet::write(path, &table(&text))
}

fn table(text: &str) -> Table {
    let mut lines = text.lines();
    let titles = fields_of(lines.next().unwrap_or_default());
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); titles.len()];
    for line in lines {
        let fields = fields_of(line).into_iter().map(Some).chain(std::iter::repeat_with(|| None));
        columns.iter_mut().zip(fields).for_each(|(column, field)| column.push(field.unwrap_or_default()));
    }
    Table { columns: titles.iter().zip(columns).map(|(title, fields)| column(title, fields)).collect() }
}

fn column(title: &str, fields: Vec<String>) -> TableColumn {
    let (name, unit) = name_and_unit(title);
    TableColumn {
        name: name.to_owned(),
        unit: unit.to_owned(),
        meaning: String::new(),
        values: values(fields),
    }
}

/// The name and the unit in the title of a column.
pub fn name_and_unit(title: &str) -> (&str, &str) {
    title.strip_suffix(']').and_then(|title| title.rsplit_once(" [")).unwrap_or((title, ""))
}

/// Numbers have a point, an exponent or a name (`inf`, `NaN`) wherever they are written; counts never do.
fn values(fields: Vec<String>) -> Values {
    if let Some(counts) = fields.iter().map(|field| field.parse().ok()).collect() {
        return Values::Counts(counts);
    }
    match fields.iter().map(|field| field.parse().ok()).collect() {
        Some(numbers) => Values::Numbers(numbers),
        None => Values::Texts(
            fields.into_iter().map(|field| Some(field).filter(|field| !field.is_empty())).collect(),
        ),
    }
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

    #[test]
    fn columns_have_the_type_of_their_fields() {
        let table = table("step,time [s],\"a,b\",outcome,gap [m]\n0,0.0,1,,inf\n1,0.5,2,settled,1e-3\n");
        let names: Vec<_> = table.columns.iter().map(|column| (&column.name[..], &column.unit[..])).collect();
        assert_eq!(names, [("step", ""), ("time", "s"), ("a,b", ""), ("outcome", ""), ("gap", "m")]);
        assert_eq!(table.columns[0].values, Values::Counts(vec![0, 1]));
        assert_eq!(table.columns[1].values, Values::Numbers(vec![0.0, 0.5]));
        assert_eq!(table.columns[3].values, Values::Texts(vec![None, Some("settled".to_owned())]));
        assert_eq!(table.columns[4].values, Values::Numbers(vec![f64::INFINITY, 1e-3]));
    }

    #[test]
    fn quotes_are_undone() {
        assert_eq!(fields_of("a,\"b \"\"c\"\", d\",,e"), ["a", "b \"c\", d", "", "e"]);
        assert_eq!(fields_of(""), [""]);
    }
}
