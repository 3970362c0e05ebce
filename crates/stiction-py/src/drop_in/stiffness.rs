//! The rules of ipctk's adaptive stiffness, to the last bit.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::error::at;

/// κ, doubled up to `max_barrier_stiffness` if the smallest distance is tiny before and after a step and has become smaller.
///
/// `prev_min_distance`, `min_distance`: squared, in m², as `compute_minimum_distance` has them; infinite ones are taken. Tiny is less than
/// (`dhat_epsilon_scale` (diagonal + dmin))².
#[pyfunction]
#[pyo3(signature = (
    prev_min_distance, min_distance, max_barrier_stiffness, barrier_stiffness, bbox_diagonal, dhat_epsilon_scale=1e-9, dmin=0.0
))]
pub fn update_barrier_stiffness(
    prev_min_distance: f64,
    min_distance: f64,
    max_barrier_stiffness: f64,
    barrier_stiffness: f64,
    bbox_diagonal: f64,
    dhat_epsilon_scale: f64,
    dmin: f64,
) -> PyResult<f64> {
    let finite = |name: &str, value: f64, possible: bool, must: &str| {
        let must = if value.is_finite() { must } else { "a finite number" };
        let wrong = || Err(at(name, format!("is {value}, expected {must}")));
        if possible && value.is_finite() { Ok(value) } else { wrong() }
    };
    let number = |name, value| finite(name, value, value >= 0.0, "0 or a larger number");
    let squared = |name, value| if value == f64::INFINITY { Ok(value) } else { number(name, value) };
    let before = squared("prev_min_distance", prev_min_distance)?;
    let now = squared("min_distance", min_distance)?;
    let most = number("max_barrier_stiffness", max_barrier_stiffness)?;
    let kappa = number("barrier_stiffness", barrier_stiffness)?;
    let diagonal = finite("bbox_diagonal", bbox_diagonal, bbox_diagonal > 0.0, "a number larger than 0")?;
    let tiny = number("dhat_epsilon_scale", dhat_epsilon_scale)? * (diagonal + number("dmin", dmin)?);
    Ok(if now < before && before < tiny * tiny { most.min(2.0 * kappa) } else { kappa })
}

/// `−g_b·g_E/|g_b|²`; nothing without a force of the barrier, and for what is not two plain rows of numbers of the same length.
#[pyfunction]
pub fn force_balance(grad_energy: &Bound<'_, PyAny>, grad_barrier: &Bound<'_, PyAny>) -> Option<f64> {
    let (others, own) = (plain_row(grad_energy)?, plain_row(grad_barrier)?);
    let (others, own) = (others.as_slice().ok()?, own.as_slice().ok()?);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (square, both) = (dot(own, own), dot(own, others));
    // Whatever is not finite shows in the products.
    let usable = others.len() == own.len() && square > 0.0 && square.is_finite() && both.is_finite();
    usable.then(|| -both / square)
}

fn plain_row<'py>(object: &Bound<'py, PyAny>) -> Option<PyReadonlyArray1<'py, f64>> {
    object.cast::<PyArray1<f64>>().ok()?.try_readonly().ok()
}
