//! Filters as nested tuples of Python: a word, and what belongs to it.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use stiction::mesh::filter::{Labels, Patches, Rings};
use stiction::mesh::{Filter, VertexFilter};

use crate::array::{any_numbers, from_rows, indices, numbers};
use crate::error::{at, plain};

/// A filter of pairs of primitives.
pub fn of_filter<'py>(py: Python<'py>, filter: &Filter) -> PyResult<Bound<'py, PyAny>> {
    let all =
        |filters: &[Filter]| filters.iter().map(|filter| of_filter(py, filter)).collect::<PyResult<Vec<_>>>();
    Ok(match filter {
        Filter::Any(vertices) => ("any", of_vertices(py, vertices)?).into_pyobject(py)?.into_any(),
        Filter::All(vertices) => ("all", of_vertices(py, vertices)?).into_pyobject(py)?.into_any(),
        Filter::And(filters) => ("and", all(filters)?).into_pyobject(py)?.into_any(),
        Filter::Or(filters) => ("or", all(filters)?).into_pyobject(py)?.into_any(),
        Filter::Not(filter) => ("not", of_filter(py, filter)?).into_pyobject(py)?.into_any(),
        _ => return Err(at("filter", "cannot be stored")),
    })
}

/// A filter of pairs of vertices.
pub fn of_vertices<'py>(py: Python<'py>, filter: &VertexFilter) -> PyResult<Bound<'py, PyAny>> {
    let all = |filters: &[VertexFilter]| {
        filters.iter().map(|filter| of_vertices(py, filter)).collect::<PyResult<Vec<_>>>()
    };
    Ok(match filter {
        VertexFilter::Different(labels) => {
            ("different", label_array(py, labels)).into_pyobject(py)?.into_any()
        }
        VertexFilter::Patches(patches) => {
            let touching = pair_array(py, &patches.touching());
            ("patches", label_array(py, patches.labels()), patches.count(), touching)
                .into_pyobject(py)?
                .into_any()
        }
        VertexFilter::Except(pairs) => ("except", pair_array(py, pairs.all())).into_pyobject(py)?.into_any(),
        VertexFilter::NotBoth(set) => {
            ("not both", PyArray1::from_slice(py, set.all())).into_pyobject(py)?.into_any()
        }
        VertexFilter::Beyond(rings) => {
            ("beyond", rings.vertices(), pair_array(py, &rings.pairs())).into_pyobject(py)?.into_any()
        }
        VertexFilter::And(filters) => ("and", all(filters)?).into_pyobject(py)?.into_any(),
        VertexFilter::Or(filters) => ("or", all(filters)?).into_pyobject(py)?.into_any(),
        VertexFilter::Not(filter) => ("not", of_vertices(py, filter)?).into_pyobject(py)?.into_any(),
        _ => return Err(at("filter", "cannot be stored")),
    })
}

fn label_array<'py>(py: Python<'py>, labels: &Labels) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_iter(py, labels.all().iter().map(|label| label.map_or(-1, i64::from)))
}

fn pair_array<'py>(py: Python<'py>, pairs: &[[u32; 2]]) -> Bound<'py, PyArray2<u32>> {
    from_rows(py, pairs.as_flattened(), 2)
}

/// The filter of pairs of primitives that a tuple is.
pub fn read_filter(tree: &Bound<'_, PyAny>) -> PyResult<Filter> {
    let (word, inner) = (word(tree)?, tree.get_item(1)?);
    let all = || inner.try_iter()?.map(|filter| read_filter(&filter?)).collect::<PyResult<Vec<_>>>();
    match word.as_str() {
        "any" => read_vertices(&inner).map(Filter::Any),
        "all" => read_vertices(&inner).map(Filter::All),
        "and" => all().map(Filter::And),
        "or" => all().map(Filter::Or),
        "not" => read_filter(&inner).map(Filter::not),
        _ => Err(unknown(&word)),
    }
}

/// The filter of pairs of vertices that a tuple is.
pub fn read_vertices(tree: &Bound<'_, PyAny>) -> PyResult<VertexFilter> {
    let (word, inner) = (word(tree)?, tree.get_item(1)?);
    let all = || inner.try_iter()?.map(|filter| read_vertices(&filter?)).collect::<PyResult<Vec<_>>>();
    match word.as_str() {
        "different" => Ok(VertexFilter::patches(read_labels(&inner)?)),
        "patches" => {
            let (count, touching) = (tree.get_item(2)?.extract()?, indices("filter", &tree.get_item(3)?)?);
            let patches = Patches::new(read_labels(&inner)?, count, &touching);
            patches.map(VertexFilter::Patches).map_err(|error| plain(&error))
        }
        "except" => Ok(VertexFilter::excluding(&indices("filter", &inner)?)),
        "not both" => Ok(VertexFilter::fixed(&numbers("filter", &inner)?)),
        "beyond" => {
            let rings = Rings::of_pairs(inner.extract()?, &indices("filter", &tree.get_item(2)?)?);
            rings.map(VertexFilter::Beyond).map_err(|error| plain(&error))
        }
        "and" => all().map(VertexFilter::And),
        "or" => all().map(VertexFilter::Or),
        "not" => read_vertices(&inner).map(VertexFilter::not),
        _ => Err(unknown(&word)),
    }
}

fn word(tree: &Bound<'_, PyAny>) -> PyResult<String> {
    tree.get_item(0)?.extract()
}

fn unknown(word: &str) -> PyErr {
    at("filter", format!("{word:?} is unknown"))
}

fn read_labels(labels: &Bound<'_, PyAny>) -> PyResult<Vec<Option<u32>>> {
    Ok(any_numbers("filter", labels)?.into_iter().map(|label| u32::try_from(label).ok()).collect())
}
