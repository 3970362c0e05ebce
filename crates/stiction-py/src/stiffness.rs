//! The barrier stiffness by the published rule, from forces and clearances.

use pyo3::prelude::*;
use stiction::barrier::stiffness::{StiffnessRange, StiffnessScale, tiny_clearance};
use stiction::math::Vector;

use crate::array::reals_of_any_shape;
use crate::barrier::read_law;
use crate::error::{at, not_negative, positive};

/// The stiffness κ that balances the barrier with all other energies, and the largest that it may grow to, as a pair: the rule of Li et al. (2020).
/// `StiffnessPolicy` depends neither on units nor on how steps are cut.
///
///     κ = −g_b·g / |g_b|²      within κ_min … κ_max = 100 κ_min
///     κ_min = 10¹¹ m̄ / (scale · 4 d₀² f″(d₀²))      d₀ = dmin + 10⁻⁸ diagonal
///
/// `diagonal`: of the bounding box, in m. `mean_mass`: of a vertex, in kg.
/// `gradient`: of all other energies, in N; `barrier_gradient`: of the barrier at κ = 1; arrays of the same shape.
/// `scale`: the factor with which energies enter the incremental potential, such as h²; 1 for energies as they are.
/// `dhat`, `barrier`, `physical_units`: as for `BarrierPotential`. `dmin`: as for `Contacts`.
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
    let tiny = tiny_clearance(positive("diagonal", diagonal)?, not_negative("dmin", dmin)?);
    let (before, clearance) = (distance_before - dmin, distance - dmin);
    Ok(StiffnessRange { min: 0.0, max }.update(kappa, before, clearance, tiny))
}

/// The numbers of an array of any shape, each a vector of its own.
fn entries(name: &str, array: &Bound<'_, PyAny>) -> PyResult<Vec<Vector<1>>> {
    let values = reals_of_any_shape(name, array)?;
    match values.iter().position(|value| !value.is_finite()) {
        Some(entry) => Err(at(name, format!("entry {entry} is not finite"))),
        None => Ok(values.into_iter().map(|value| Vector([value])).collect()),
    }
}
