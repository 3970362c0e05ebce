//! How parallel two edges are: the squared cross product that mollifiers are made of.

use numpy::PyArray2;
use pyo3::prelude::*;
use stiction::math::vector::flat;
use stiction::mollifier;

use crate::array::from_rows;
use crate::distance::rows_of_blocks;
use crate::kernels::four;

/// s = |(a₁ − a₀) × (b₁ − b₀)|² of two edges (a₀, a₁, b₀, b₁) in m⁴, positions of shape (4, 3).
#[pyfunction]
pub fn edge_edge_cross_squared(x: &Bound<'_, PyAny>) -> PyResult<f64> {
    Ok(mollifier::cross_squared(&four("x", x)?))
}

/// Gradient of `edge_edge_cross_squared` in m³, shape (4, 3).
#[pyfunction]
pub fn edge_edge_cross_squared_gradient<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(from_rows(x.py(), flat(&mollifier::cross_squared_gradient(&four("x", x)?)), 3))
}

/// Hessian of `edge_edge_cross_squared` in m², shape (12, 12).
#[pyfunction]
pub fn edge_edge_cross_squared_hessian<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(from_rows(x.py(), &rows_of_blocks(&mollifier::cross_squared_hessian(&four("x", x)?)), 12))
}
