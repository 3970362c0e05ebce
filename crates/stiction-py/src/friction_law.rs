//! Friction by speed.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::friction::{FrictionKind, FrictionLaw as _, Mu, Stribeck};

use crate::array::reals;
use crate::error::{at, plain, positive};

/// Friction by normal force, g(y), as a function of the speed y of the slide.
///
/// `name`: `"peak"` rises to exactly `mu_s` and falls to `mu_k`; `"smooth_mu"` multiplies the smoothed step with a coefficient that goes from
/// `mu_s` to `mu_k`, and stays below `mu_s` (as in ipctk); `"stribeck"` rises to `mu_s` and falls slowly to `mu_k`, plus a viscous term;
/// `"adhesion"` is `"smooth_mu"` up to `eps_v`, falls from there and has let go at twice that.
/// `speed`: of `"stribeck"`, how far above `eps_v` friction is halfway between `mu_s` and `mu_k`, in m/s.
/// `viscous`: of `"stribeck"`, friction by normal force and speed, in s/m.
///
/// Of the first, `mu_s` may not be less than `mu_k`.
#[pyclass(frozen, module = "stiction", name = "FrictionLaw")]
#[derive(Clone, Copy)]
pub struct Law(pub FrictionKind);

/// One of the functions that a law has.
type Function = fn(&FrictionKind, f64, Mu, f64) -> f64;

#[pymethods]
impl Law {
    #[new]
    #[pyo3(signature = (name="peak", *, speed=None, viscous=0.0))]
    fn new(name: &str, speed: Option<f64>, viscous: f64) -> PyResult<Self> {
        read_kind(name, speed, viscous).map(Self)
    }

    fn __repr__(&self) -> String {
        format!("FrictionLaw({:?})", self.0)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&'static str,), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        if let FrictionKind::Stribeck(law) = self.0 {
            named.set_item("speed", law.speed())?;
            named.set_item("viscous", law.viscous())?;
        }
        Ok(((self.0.name(),), named))
    }

    /// The law and what belongs to it, a dictionary of arrays of shape (n,):
    ///
    ///     value g(y)    slope g′(y)    integral G(y), G′ = g    ratio g(y)/y    ratio_slope (g′(y) y − g(y))/y²
    ///
    /// The last two are finite at y = 0, too.
    ///
    /// `y`: speeds, shape (n,), in m/s. `mu_s`, `mu_k`: static and kinetic coefficient, `mu_k` by default the same. `eps_v`: speed in m/s below
    /// which a slide counts as sticking.
    #[pyo3(signature = (y, mu_s, mu_k=None, eps_v=1e-3))]
    fn evaluate<'py>(
        &self,
        y: &Bound<'py, PyAny>,
        mu_s: f64,
        mu_k: Option<f64>,
        eps_v: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mu = Mu { s: mu_s, k: mu_k.unwrap_or(mu_s) };
        let mu = self.0.check(mu).map_err(|error| plain(&error))?;
        let eps = positive("eps_v", eps_v)?;
        let speeds = reals("y", y)?;
        if let Some(entry) = speeds.iter().position(|y| y.is_nan() || *y < 0.0) {
            return Err(at("y", format!("entry {entry} is {}, expected a speed, 0 or more", speeds[entry])));
        }
        let out = PyDict::new(y.py());
        let functions: [(&str, Function); 5] = [
            ("value", FrictionKind::value),
            ("slope", FrictionKind::slope),
            ("integral", FrictionKind::integral),
            ("ratio", FrictionKind::ratio),
            ("ratio_slope", FrictionKind::ratio_slope),
        ];
        for (name, function) in functions {
            let values = speeds.iter().map(|y| function(&self.0, *y, mu, eps));
            out.set_item(name, PyArray1::from_iter(y.py(), values))?;
        }
        Ok(out)
    }
}

/// A law, or the name of one without parameters; by default ours.
pub fn read_law(law: Option<&Bound<'_, PyAny>>) -> PyResult<FrictionKind> {
    let Some(law) = law else { return Ok(FrictionKind::default()) };
    if let Ok(law) = law.cast::<Law>() {
        return Ok(law.get().0);
    }
    let name: String = law.extract().map_err(|_| at("law", "expected a FrictionLaw or a name"))?;
    read_kind(&name, None, 0.0)
}

/// The law called `name`; `speed` and `viscous` belong to Stribeck's.
fn read_kind(name: &str, speed: Option<f64>, viscous: f64) -> PyResult<FrictionKind> {
    if name == "stribeck" {
        let Some(speed) = speed else {
            return Err(at("law", "\"stribeck\" needs a speed: FrictionLaw(\"stribeck\", speed=0.1)"));
        };
        let stribeck = Stribeck::new(speed, viscous).map_err(|error| plain(&error))?;
        return Ok(FrictionKind::Stribeck(stribeck));
    }
    let kind = name.parse().map_err(|error| at("law", error))?;
    if speed.is_some() || viscous != 0.0 {
        return Err(at("speed", format!("and viscous belong to \"stribeck\", not to {name:?}")));
    }
    Ok(kind)
}
