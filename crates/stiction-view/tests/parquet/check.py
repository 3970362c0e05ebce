"""Reads the file of `cargo run -p stiction-view --example sample-table -- FILE [ROWS [COLUMNS]]` with pandas and polars and checks what is in it.

    python check.py FILE [ROWS [COLUMNS]]
"""

import math
import sys

import pandas as pd
import polars as pl
import pyarrow.parquet as pq


def value(column, row):
    special = {2: math.nan, 3: math.inf, 4: -math.inf}
    return special.get((column + row) % 7, row / 3.0 - column)


def same(read, expected):
    return len(read) == len(expected) and all(a == b or (a != a and b != b) for a, b in zip(read, expected))


def columns(rows, numbers):
    yield "step", "", [row * 1_000_000_007 for row in range(rows)]
    yield "note", "", [None if row % 3 == 1 else f"Schritt {row} – ü" for row in range(rows)]
    for index in range(numbers):
        yield f"number.{index}", "kg·m/s²", [value(index, row) for row in range(rows)]


def check(file, rows=5, numbers=2):
    expected = list(columns(rows, numbers))
    names = [name for name, _, _ in expected]
    arrow = pq.read_table(file)
    pandas = pd.read_parquet(file, engine="pyarrow")
    polars = pl.read_parquet(file)
    for read in (arrow.column_names, list(pandas.columns), polars.columns):
        assert read == names, read
    assert arrow.num_rows == len(pandas) == polars.height == rows
    assert [str(kind) for kind in arrow.schema.types] == ["int64", "string"] + ["double"] * numbers
    assert list(polars.schema.values()) == [pl.Int64, pl.String] + [pl.Float64] * numbers
    assert str(pandas["step"].dtype) == "int64"
    assert all(str(pandas[name].dtype) == "float64" for name in names[2:])
    for name, unit, values in expected:
        assert same(arrow[name].to_pylist(), values), f"pyarrow: {name}"
        assert same(polars[name].to_list(), values), f"polars: {name}"
        # pandas has None or NaN for what is missing, depending on its version.
        found = [None if name == "note" and pd.isna(v) else v for v in pandas[name]]
        assert same(found, values), f"pandas: {name}"
        missing = sum(v is None for v in values)
        assert arrow[name].null_count == polars[name].null_count() == missing, name
    metadata = {key.decode(): text.decode() for key, text in (pq.read_schema(file).metadata or {}).items()}
    assert metadata == pl.read_parquet_metadata(file)
    for name, unit, _ in expected:
        assert metadata.get(f"unit.{name}", "") == unit
        assert metadata[f"meaning.{name}"] == f"{name} of the sample"
    pl.scan_parquet(file).filter(pl.col("step") > 0).select("note").collect()


if __name__ == "__main__":
    check(sys.argv[1], *map(int, sys.argv[2:]))
    print(f"{sys.argv[1]}: pandas {pd.__version__}, polars {pl.__version__}: as expected")
