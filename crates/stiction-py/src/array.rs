//! `NumPy` arrays to vectors and back.
//!
//! Whatever `NumPy` can turn into an array of numbers is taken, with any type of number and order in memory.

use std::fmt::Display;

use numpy::ndarray::{Array2, Dimension, Ix1, IxDyn};
use numpy::{Element, IntoPyArray, PyArray, PyArray2, PyArrayDyn, PyArrayMethods};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use numpy::{PyReadonlyArray, PyReadonlyArrayDyn};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyList, PyTuple};
use stiction::math::Vector;
use stiction::math::vector::flat;

use crate::error::at;

/// Integers (`i`, `u`) and real numbers (`f`), as `NumPy` abbreviates them.
const REAL: &str = "iuf";
const INTEGER: &str = "iu";

/// Views that repeat their entries may have more than anybody has memory for. Up to this many are copied.
const MOST_REPEATED: usize = 1 << 27;

/// An array of finite numbers with rows and columns.
pub struct Table {
    values: Vec<f64>,
    shape: [usize; 2],
}

impl Table {
    /// Reads the argument called `name`: an array, or a tuple of its rows.
    pub fn read(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(table) = object.cast_exact::<PyTuple>().ok().and_then(Self::of_rows) {
            return Ok(table);
        }
        let array = real_array(name, object)?;
        let &[rows, columns] = array.shape() else {
            return Err(at(name, format!("has shape {:?}, expected two dimensions (n, D)", array.shape())));
        };
        Ok(Self { values: row_by_row(name, &array)?, shape: [rows, columns] })
    }

    /// Rows that are arrays of the same length, taken as they are; anything else goes the long way.
    fn of_rows(rows: &Bound<'_, PyTuple>) -> Option<Self> {
        let rows = rows.iter().map(|row| plain::<Ix1>(&row)).collect::<Option<Vec<_>>>()?;
        let columns = rows.first()?.len();
        let mut values = Vec::with_capacity(rows.len() * columns);
        for row in &rows {
            values.extend(row.as_array());
        }
        let even = rows.iter().all(|row| row.len() == columns);
        even.then_some(Self { values, shape: [rows.len(), columns] })
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.shape[1]
    }

    /// The rows as vectors.
    pub fn vectors<const D: usize>(&self, name: &str) -> PyResult<Vec<Vector<D>>> {
        let [rows, columns] = self.shape;
        if columns != D {
            return Err(at(name, format!("has shape ({rows}, {columns}), expected {D} columns")));
        }
        let mut vectors: Vec<Vector<D>> = reserved(name, rows)?;
        vectors.extend(self.values.chunks_exact(D).map(to_vector));
        match vectors.iter().position(|v| !v.is_finite()) {
            Some(row) => Err(at(name, format!("row {row} is not finite: replace NaN and infinite numbers"))),
            None => Ok(vectors),
        }
    }
}

/// Coordinates beyond this have powers that are no numbers: energies and thresholds go with the fourth.
const LARGEST: f64 = 1e75;

/// Refuses numbers whose powers overflow: results would not be numbers.
pub fn check_size<const D: usize>(name: &str, vectors: &[Vector<D>]) -> PyResult<()> {
    match flat(vectors).iter().position(|entry| entry.abs() > LARGEST) {
        Some(entry) => Err(at(name, format!("row {} has a number larger than {LARGEST:e}", entry / D))),
        None => Ok(()),
    }
}

/// The rows of the `(n, D)` array called `name`.
pub fn vectors<const D: usize>(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Vector<D>>> {
    Table::read(name, object)?.vectors(name)
}

/// The array of `D` numbers called `name`.
pub fn vector<const D: usize>(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vector<D>> {
    let array = real_array(name, object)?;
    if array.shape() != [D] {
        return Err(at(name, format!("has shape {:?}, expected {D} numbers", array.shape())));
    }
    Ok(Vector(std::array::from_fn(|k| array.as_array()[[k]])))
}

/// The entries of the `(n,)` array of numbers called `name`.
pub fn reals(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if let Some(values) = floats(object) {
        return Ok(values);
    }
    let array = real_array(name, object)?;
    if array.ndim() != 1 {
        return Err(at(name, format!("has shape {:?}, expected (n,)", array.shape())));
    }
    row_by_row(name, &array)
}

/// The entries of a list of numbers of Python, without a detour by an array.
fn floats(object: &Bound<'_, PyAny>) -> Option<Vec<f64>> {
    let list = object.cast_exact::<PyList>().ok()?;
    list.iter().map(|item| Some(item.cast_exact::<PyFloat>().ok()?.value())).collect()
}

/// The entries of the `(n,)` array of finite numbers called `name`.
pub fn finite_reals(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let values = reals(name, object)?;
    match values.iter().position(|value| !value.is_finite()) {
        Some(entry) => Err(at(name, format!("entry {entry} is not finite"))),
        None => Ok(values),
    }
}

/// The entries of the array of numbers called `name`, row by row.
pub fn reals_of_any_shape(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    row_by_row(name, &real_array(name, object)?)
}

/// The entries in the order of C; at once where they are in it already.
fn row_by_row<T: Element + Copy>(name: &str, array: &PyReadonlyArrayDyn<'_, T>) -> PyResult<Vec<T>> {
    // The array's own `as_slice` has Fortran's order, too.
    let view = array.as_array();
    let mut out = reserved(name, view.len())?;
    if let Some(values) = view.as_slice() {
        out.extend_from_slice(values);
    } else if let (Some(values), &[rows, columns]) = (view.t().as_slice(), view.shape()) {
        // Column by column, as Fortran has it: many times as fast as to iterate over any view.
        for i in 0..rows {
            out.extend((0..columns).map(|j| values[j * rows + i]));
        }
    } else {
        out.extend(view.iter().copied());
    }
    Ok(out)
}

/// An empty list with room for so many entries of the argument called `name`; `MemoryError` if there is none.
fn reserved<T>(name: &str, count: usize) -> PyResult<Vec<T>> {
    let mut out = Vec::new();
    let full = |_| {
        PyMemoryError::new_err(format!("{name}: no memory for {count} entries of {} bytes", size_of::<T>()))
    };
    out.try_reserve_exact(count).map_err(full)?;
    Ok(out)
}

/// The rows of the `(n, N)` array of vertex numbers called `name`; without entries, its shape does not matter.
pub fn indices<const N: usize>(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; N]>> {
    let array = any_array(name, object)?;
    if array.is_empty() {
        return Ok(Vec::new());
    }
    if array.ndim() != 2 || array.shape()[1] != N {
        return Err(at(name, format!("has shape {:?}, expected (n, {N})", array.shape())));
    }
    match kind(name, &array, INTEGER)? {
        'u' => vertex_numbers::<u64, N>(name, &cast(&array, "uint64")?),
        _ => vertex_numbers::<i64, N>(name, &cast(&array, "int64")?),
    }
}

/// The rows of the `(n, 2)` array of numbers called `name` as pairs; at once where they are such already.
pub fn index_pairs(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<(u32, u32)>> {
    if let Ok(array) = any_array(name, object)?.cast::<PyArrayDyn<u32>>()
        && let (&[_, 2], Some(values)) = (array.shape(), array.readonly().as_array().as_slice())
    {
        return Ok(values.as_chunks().0.iter().map(|&[a, b]| (a, b)).collect());
    }
    Ok(indices(name, object)?.into_iter().map(|[a, b]| (a, b)).collect())
}

/// The entries of the `(n,)` array of whole numbers from 0 called `name`; without entries, its shape does not matter.
pub fn numbers(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let array = any_array(name, object)?;
    if array.is_empty() {
        return Ok(Vec::new());
    }
    if array.ndim() != 1 {
        return Err(at(name, format!("has shape {:?}, expected (n,)", array.shape())));
    }
    match kind(name, &array, INTEGER)? {
        'u' => whole_numbers::<u64>(name, &cast(&array, "uint64")?),
        _ => whole_numbers::<i64>(name, &cast(&array, "int64")?),
    }
}

/// The entries of the `(n,)` array of whole numbers called `name`, also negative ones.
pub fn any_numbers(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let array = any_array(name, object)?;
    if array.ndim() != 1 {
        return Err(at(name, format!("has shape {:?}, expected (n,)", array.shape())));
    }
    if !array.is_empty() {
        kind(name, &array, INTEGER)?;
    }
    row_by_row(name, &cast(&array, "int64")?)
}

fn whole_numbers<T>(name: &str, array: &PyReadonlyArrayDyn<'_, T>) -> PyResult<Vec<u32>>
where
    T: Element + Copy + Display + TryInto<u32>,
{
    let view = array.as_array();
    let mut out = reserved(name, view.len())?;
    for (entry, number) in view.iter().enumerate() {
        let range = |_| at(name, format!("entry {entry} is {number}, expected 0 to {}", u32::MAX));
        out.push((*number).try_into().map_err(range)?);
    }
    Ok(out)
}

fn vertex_numbers<T, const N: usize>(name: &str, array: &PyReadonlyArrayDyn<'_, T>) -> PyResult<Vec<[u32; N]>>
where
    T: Element + Copy + Display + TryInto<u32>,
{
    let view = array.as_array();
    let entry = |row: usize, k: usize| {
        let number = view[[row, k]];
        number
            .try_into()
            .map_err(|_| at(name, format!("row {row} names vertex {number}, which cannot exist")))
    };
    let mut out = reserved(name, view.shape()[0])?;
    for row in 0..view.shape()[0] {
        let mut primitive = [0; N];
        for (k, vertex) in primitive.iter_mut().enumerate() {
            *vertex = entry(row, k)?;
        }
        out.push(primitive);
    }
    Ok(out)
}

/// The whole number called `name`; neither `True` nor 2.0 is one.
pub fn whole(name: &str, object: &Bound<'_, PyAny>) -> PyResult<i64> {
    let wrong = || {
        let kind = object.get_type();
        PyTypeError::new_err(format!("{name}: is of type {kind}, expected a whole number"))
    };
    if object.is_instance_of::<PyBool>() {
        return Err(wrong());
    }
    let number = object.py().import("operator")?.call_method1("index", (object,)).map_err(|_| wrong())?;
    number.extract().map_err(|_| at(name, format!("{number} is too large")))
}

/// A new `(n, D)` array.
pub fn from_vectors<'py, const D: usize>(
    py: Python<'py>,
    vectors: &[Vector<D>],
) -> Bound<'py, PyArray2<f64>> {
    from_rows(py, flat(vectors), D)
}

/// A new array of rows of `columns` entries.
pub fn from_rows<'py, T: Element + Copy + Default>(
    py: Python<'py>,
    values: &[T],
    columns: usize,
) -> Bound<'py, PyArray2<T>> {
    let shape = (values.len() / columns, columns);
    let rows = Array2::from_shape_vec(shape, values[..shape.0 * columns].to_vec());
    rows.unwrap_or_default().into_pyarray(py)
}

fn to_vector<const D: usize>(row: &[f64]) -> Vector<D> {
    Vector(std::array::from_fn(|k| row[k]))
}

/// An array of `f64` in memory as Rust has them: taken at once, since the long way takes longer than many a function.
fn plain<'py, D: Dimension>(object: &Bound<'py, PyAny>) -> Option<PyReadonlyArray<'py, f64, D>> {
    // Classes of their own may mean something else by their entries.
    if !object.is_exact_instance_of::<PyUntypedArray>() {
        return None;
    }
    let array = object.cast::<PyArray<f64, D>>().ok()?;
    let step = size_of::<f64>().cast_signed();
    let aligned = array.data().is_aligned() && array.strides().iter().all(|stride| stride % step == 0);
    (aligned && !repeats_too_much(array.as_untyped())).then(|| array.readonly())
}

fn real_array<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    if let Some(array) = plain::<IxDyn>(object) {
        return Ok(array);
    }
    let array = any_array(name, object)?;
    kind(name, &array, REAL)?;
    cast(&array, "float64")
}

fn any_array<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let numpy = object.py().import("numpy")?;
    if object.hasattr("mask")? && numpy.getattr("ma")?.call_method1("is_masked", (object,))?.is_truthy()? {
        return Err(at(name, "has masked entries: fill them in or leave them out"));
    }
    let array =
        numpy.call_method1("asarray", (object,)).map_err(|error| unreadable(name, object.py(), error))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    if repeats_too_much(&array) {
        return Err(at(
            name,
            format!("has shape {:?}, which repeats a few entries too often to be copied", array.shape()),
        ));
    }
    // Fields of packed records have strides that are no multiple of their size: they are copied.
    let aligned = numpy.call_method1("require", (array, object.py().None(), "A"))?;
    Ok(aligned.cast_into::<PyUntypedArray>()?)
}

/// Whether the array is a view, as of `numpy.broadcast_to`, with far more entries than it has memory.
fn repeats_too_much(array: &Bound<'_, PyUntypedArray>) -> bool {
    array.len() > MOST_REPEATED && array.strides().contains(&0)
}

/// What `NumPy` says of an argument that is no array; what is not about the argument is passed on as it is.
fn unreadable(name: &str, py: Python<'_>, error: PyErr) -> PyErr {
    let about_it = error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyTypeError>(py);
    if about_it { at(name, error) } else { error }
}

/// The kind of number in the array, which must be one of `allowed`.
fn kind(name: &str, array: &Bound<'_, PyUntypedArray>, allowed: &str) -> PyResult<char> {
    let dtype = array.dtype();
    let kind = char::from(dtype.kind());
    if allowed.contains(kind) {
        return Ok(kind);
    }
    let expected = if allowed == INTEGER { "integers" } else { "real numbers" };
    Err(at(name, format!("has entries of type {dtype}, expected {expected}")))
}

fn cast<'py, T: Element>(
    array: &Bound<'py, PyUntypedArray>,
    dtype: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    if let Ok(same) = array.clone().cast_into::<PyArrayDyn<T>>() {
        return Ok(same.readonly());
    }
    let array = array.call_method1("astype", (dtype,))?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?.readonly())
}
