//! How stiff the barrier should be.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use stiction::barrier::stiffness::{StiffnessRange, StiffnessScale, tiny_gap};
use stiction::math::Vector;

use crate::array::reals_of_any_shape;
use crate::barrier::read_law;
use crate::error::{at, not_negative, positive};

/// The stiffness κ that balances the barrier with all other energies, and the largest that it may grow to, as a pair.
///
///     κ = −g_b·g / |g_b|²      within κ_min … κ_max = 100 κ_min
///     κ_min = 10¹¹ m̄ / (scale · 4 d₀² f″(d₀²))      d₀ = dmin + 10⁻⁸ diagonal
///
/// `diagonal`: of the bounding box, in m. `mean_mass`: of a vertex, in kg.
/// `gradient`: of all other energies, in N; `barrier_gradient`: of the barrier at κ = 1; arrays of the same shape.
/// `scale`: the factor with which energies enter the incremental potential, such as h²; 1 for energies as they are.
/// `dhat`, `dmin`, `barrier`, `physical_units`: as for Contacts.
#[pyfunction]
#[pyo3(signature = (
    diagonal, mean_mass, gradient, barrier_gradient, dhat, *, dmin=0.0, barrier="clamped_log", physical_units=false, scale=1.0
))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn initial_stiffness(
    diagonal: f64,
    mean_mass: f64,
    gradient: &Bound<'_, PyAny>,
    barrier_gradient: &Bound<'_, PyAny>,
    dhat: f64,
    dmin: f64,
    barrier: &str,
    physical_units: bool,
    scale: f64,
) -> PyResult<(f64, f64)> {
    let law = read_law(barrier, dhat, dmin, physical_units)?;
    let of = StiffnessScale {
        diagonal: positive("diagonal", diagonal)?,
        mean_mass: positive("mean_mass", mean_mass)?,
        scale: positive("scale", scale)?,
    };
    let (others, own) = (entries("gradient", gradient)?, entries("barrier_gradient", barrier_gradient)?);
    if others.len() != own.len() {
        return Err(at(
            "gradient",
            format!("has {} entries where barrier_gradient has {}", others.len(), own.len()),
        ));
    }
    let range = StiffnessRange::new(&law, &of);
    if !(range.min > 0.0 && range.max < f64::INFINITY) {
        let why = format!("and the other sizes give a smallest stiffness of {}, which is no use", range.min);
        return Err(at("diagonal", why));
    }
    Ok((range.balance(&own, &others), range.max))
}

/// κ after a step: doubled, up to `kappa_max`, if the smallest distance is tiny before and after the step and has become smaller.
///
/// `distance_before`, `distance`: smallest distances as `Contacts.smallest_gap` gives them, in m. Tiny is less than 10⁻⁹ (diagonal + dmin)
/// beyond dmin.
#[pyfunction]
#[pyo3(signature = (kappa, kappa_max, distance_before, distance, diagonal, *, dmin=0.0))]
pub fn updated_stiffness(
    kappa: f64,
    kappa_max: f64,
    distance_before: f64,
    distance: f64,
    diagonal: f64,
    dmin: f64,
) -> PyResult<f64> {
    let (kappa, max) = (not_negative("kappa", kappa)?, not_negative("kappa_max", kappa_max)?);
    let tiny = tiny_gap(positive("diagonal", diagonal)?, not_negative("dmin", dmin)?);
    let gaps = (distance_before - dmin, distance - dmin);
    Ok(StiffnessRange { min: 0.0, max }.update(kappa, gaps, tiny))
}

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

/// The numbers of an array of any shape, each a vector of its own.
fn entries(name: &str, array: &Bound<'_, PyAny>) -> PyResult<Vec<Vector<1>>> {
    let values = reals_of_any_shape(name, array)?;
    match values.iter().position(|value| !value.is_finite()) {
        Some(entry) => Err(at(name, format!("entry {entry} is not finite"))),
        None => Ok(values.into_iter().map(|value| Vector([value])).collect()),
    }
}
