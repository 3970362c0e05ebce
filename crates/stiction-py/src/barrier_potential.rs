//! The barrier summed over contacts.

use numpy::{PyArray1, PyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use stiction::barrier::{self, Adhesion, Barrier, BarrierKind, BarrierLaw, Kappa};
use stiction::contact::PerContact;
use stiction::distance::Psd;
use stiction::error::Result;
use stiction::math::Vector;
use stiction::math::vector::flat;
use stiction::potential::Potential;

use crate::any_barrier::{AnyBarrier, BarrierChoice};
use crate::array::{from_vectors, reals};
use crate::contacts::{AnyContacts, Contacts, SurfaceContacts};
use crate::error::{at, not_negative, plain};
use crate::sparse::{Columns, sum_of};
use crate::surface::either;
use crate::trouble::Trouble;

/// The energy that keeps contacts apart.
///
///     B(x) = κ Σ w m(x) f(d²(x))      f(d²) = u b(d² − dmin², (2 dmin + dhat) dhat)
///
/// w is the weight of a contact, m the edge-edge mollifier (1 except for nearly parallel edges), dmin that of the contacts. b is the barrier
/// and u its unit: see `barrier_value`.
///
/// `dhat`: distance beyond dmin below which the barrier acts, in m; as a rule that of the contacts. A larger one than theirs is an error,
/// because pairs between the two would be missing. A smaller one is possible: contacts beyond it have neither energy nor force.
/// `kappa`: stiffness κ, one, or one for each contact, in the order of `Contacts.vertices`. In J/m⁴ for the clamped logarithm and counted
/// contacts.
/// `barrier`: `"clamped_log"`, `"normalized_clamped_log"`, `"clamped_log_squared"`, `"cubic"`, `"two_stage"`, `"linear_log"`,
/// `"linear_log_squared"`, or an object with methods `__call__(s, s_hat)`, `first_derivative(s, s_hat)`, `second_derivative(s, s_hat)` and
/// `units(s_hat)` of squared distances.
/// `physical_units`: whether the barrier is in m, so that kappa of contacts weighted by areas is in Pa.
///
/// The methods take contacts and positions x, shape (n, D), in m.
///
/// Where a pair is not further apart than dmin, or a vertex is inside an obstacle, the energy is infinite, and there are neither forces nor
/// other derivatives: asking for them raises `ValueError` with the pair. (The barrier `cubic` is finite at contact, with derivatives.)
#[pyclass(frozen, module = "stiction")]
pub struct BarrierPotential(pub Setting);

/// A barrier with its distance and stiffness.
#[derive(Clone)]
pub struct Setting {
    barrier: BarrierChoice,
    dhat: f64,
    physical: bool,
    kappa: Stiffness,
    /// Whether contacts may have been collected for less than the barrier's reach, and derivatives asked for where there are none.
    lenient: bool,
}

/// One stiffness, or one for each contact.
#[derive(Clone)]
enum Stiffness {
    Same(f64),
    Each(Vec<f64>),
}

#[pymethods]
impl BarrierPotential {
    #[new]
    #[pyo3(signature = (dhat, kappa=None, *, barrier=None, physical_units=false))]
    fn new(
        dhat: f64,
        kappa: Option<&Bound<'_, PyAny>>,
        barrier: Option<&Bound<'_, PyAny>>,
        physical_units: bool,
    ) -> PyResult<Self> {
        BarrierLaw::new(BarrierKind::default(), dhat).map_err(|error| plain(&error))?;
        let kappa = kappa.map_or(Ok(Stiffness::Same(1.0)), Stiffness::read)?;
        let named = BarrierChoice::Named(BarrierKind::default());
        let barrier = barrier.map_or(Ok(named), BarrierChoice::read)?;
        Ok(Self(Setting { barrier, dhat, physical: physical_units, kappa, lenient: false }))
    }

    /// Adhesion instead of a barrier: a force that pulls, `strength` (in N by weight) at the distance `peak` and none from `dhat` on,
    /// distances in m beyond dmin.
    #[staticmethod]
    fn adhesion(peak: f64, dhat: f64, strength: f64) -> PyResult<Self> {
        Adhesion::new(peak, dhat, 0.0, strength).map_err(|error| plain(&error))?;
        Self::of(BarrierChoice::Adhesion { peak, strength }, dhat)
    }

    /// A force that is the same at all distances below dhat, in N by weight: for the normal force of `Slides`, not as an energy.
    #[staticmethod]
    fn steady(force: f64, dhat: f64) -> PyResult<Self> {
        Self::of(BarrierChoice::Steady(not_negative("force", force)?), dhat)
    }

    fn __repr__(&self) -> String {
        format!("BarrierPotential(dhat={}, kappa={})", self.0.dhat, self.0.kappa.name())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (class, Setting { barrier, dhat, physical, .. }) = (py.get_type::<Self>(), &self.0);
        if self.0.lenient {
            let strict = Self(Setting { lenient: false, ..self.0.clone() });
            let lenient = py.import("stiction._stiction.drop_in")?.getattr("lenient")?;
            return Ok((lenient, (strict,).into_pyobject(py)?));
        }
        match barrier {
            BarrierChoice::Adhesion { peak, strength } => {
                Ok((class.getattr("adhesion")?, (*peak, *dhat, *strength).into_pyobject(py)?))
            }
            BarrierChoice::Steady(force) => {
                Ok((class.getattr("steady")?, (*force, *dhat).into_pyobject(py)?))
            }
            BarrierChoice::Named(_) | BarrierChoice::Own(_) => {
                let named = PyDict::new(py);
                named.set_item("barrier", self.barrier(py)?)?;
                named.set_item("physical_units", *physical)?;
                let make = py.import("functools")?.getattr("partial")?.call((class,), Some(&named))?;
                Ok((make, (*dhat, self.kappa(py)?).into_pyobject(py)?))
            }
        }
    }

    /// The distance beyond dmin below which the barrier acts, in m.
    #[getter]
    fn dhat(&self) -> f64 {
        self.0.dhat
    }

    /// The stiffness, one or one for each contact.
    #[getter]
    fn kappa<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.0.kappa {
            Stiffness::Same(kappa) => Ok(kappa.into_pyobject(py)?.into_any()),
            Stiffness::Each(all) => Ok(PyArray1::from_slice(py, all).into_any()),
        }
    }

    /// The name of the barrier, or the object that was given.
    #[getter]
    fn barrier<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.0.barrier {
            BarrierChoice::Named(kind) => Ok(kind.name().into_pyobject(py)?.into_any()),
            BarrierChoice::Own(object) => Ok(object.bind(py).clone()),
            BarrierChoice::Adhesion { .. } => Ok("adhesion".into_pyobject(py)?.into_any()),
            BarrierChoice::Steady(_) => Ok("steady".into_pyobject(py)?.into_any()),
        }
    }

    /// Whether the barrier is in m.
    #[getter]
    fn physical_units(&self) -> bool {
        self.0.physical
    }

    /// The energy B in J; infinite where something touches.
    fn energy(&self, contacts: &Contacts, x: &Bound<'_, PyAny>) -> PyResult<f64> {
        either!(AnyContacts, &contacts.0, touching => {
            let positions = touching.field("x", x)?;
            let found = self.0.on(x.py(), touching, |barrier| {
                let energy = barrier.energy(&positions);
                // No stiffness times an infinite barrier.
                if energy.is_nan() { self.0.refuse(barrier, &positions)?; }
                Ok(energy)
            })?;
            found.map_err(|error| plain(&error))
        })
    }

    /// Gradient of `energy` in N, shape (n, D): minus the contact forces.
    fn gradient<'py>(
        &self,
        contacts: &Contacts,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnyContacts, &contacts.0, touching => {
            let positions = touching.field("x", x)?;
            let found = self.0.on(x.py(), touching, |barrier| self.0.gradient(barrier, &positions))?;
            let found = found.map_err(|error| plain(&error))?;
            Ok(from_vectors(x.py(), &found))
        })
    }

    /// Hessian of `energy` in N/m, a `scipy.sparse.csc_array` of shape (n·D, n·D), entries in the order x₀ y₀ z₀ x₁ …
    ///
    /// `psd`: 'clamp' replaces the negative eigenvalues of each contact by zero, 'abs' by their absolute values;
    /// `'gauss_newton'` keeps only first derivatives of the distance; 'none' is the exact Hessian.
    #[pyo3(signature = (contacts, x, psd="clamp"))]
    fn hessian<'py>(
        &self,
        contacts: &Contacts,
        x: &Bound<'py, PyAny>,
        psd: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.columns(contacts, x, psd)?.into_scipy(x.py())
    }

    /// `hessian` as the arrays (data, indices, indptr) of a compressed sparse column matrix.
    #[pyo3(signature = (contacts, x, psd="clamp"))]
    fn hessian_csc<'py>(
        &self,
        contacts: &Contacts,
        x: &Bound<'py, PyAny>,
        psd: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.columns(contacts, x, psd)?.into_arrays(x.py())
    }

    /// The Hessian times p, without making the matrix; p and the result of shape (n, D).
    #[pyo3(signature = (contacts, x, p, psd="clamp"))]
    fn product<'py>(
        &self,
        contacts: &Contacts,
        x: &Bound<'py, PyAny>,
        p: &Bound<'py, PyAny>,
        psd: &str,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let psd = read_psd(psd)?;
        either!(AnyContacts, &contacts.0, touching => {
            let (positions, p) = (touching.field("x", x)?, touching.field("p", p)?);
            let mut out = vec![Vector::ZERO; positions.len()];
            let done = self.0.on(x.py(), touching, |barrier| {
                self.0.check(barrier, &positions)?;
                barrier.product(&positions, 1.0, psd, &p, &mut out);
                Ok(())
            })?;
            done.map_err(|error| plain(&error))?;
            Ok(from_vectors(x.py(), &out))
        })
    }

    /// Normal force of every contact in N, in the order of `Contacts.vertices`: λ = −κ w m ∂f/∂d.
    fn forces<'py>(&self, contacts: &Contacts, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        either!(AnyContacts, &contacts.0, touching => {
            let positions = touching.field("x", x)?;
            let forces = self.0.on(x.py(), touching, |barrier| {
                self.0.check(barrier, &positions)?;
                Ok(barrier.forces(&positions))
            })?;
            let forces = forces.map_err(|error| plain(&error))?;
            Ok(PyArray1::from_iter(x.py(), forces.iter().copied()))
        })
    }

    /// Diagonal of the Hessian with closest points held fixed, in N/m, shape (n, D): a preconditioner.
    fn gauss_newton_diagonal<'py>(
        &self,
        contacts: &Contacts,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnyContacts, &contacts.0, touching => {
            let positions = touching.field("x", x)?;
            let mut out = vec![Vector::ZERO; positions.len()];
            let done = self.0.on(x.py(), touching, |barrier| {
                self.0.check(barrier, &positions)?;
                barrier.gauss_newton_diagonal(&positions, 1.0, &mut out);
                Ok(())
            })?;
            done.map_err(|error| plain(&error))?;
            Ok(from_vectors(x.py(), &out))
        })
    }

    /// pᵀHp of the Hessian with closest points held fixed; p in m, shape (n, D).
    fn gauss_newton_form(
        &self,
        contacts: &Contacts,
        x: &Bound<'_, PyAny>,
        p: &Bound<'_, PyAny>,
    ) -> PyResult<f64> {
        either!(AnyContacts, &contacts.0, touching => {
            let (positions, p) = (touching.field("x", x)?, touching.field("p", p)?);
            let form = self.0.on(x.py(), touching, |barrier| {
                self.0.check(barrier, &positions)?;
                Ok(barrier.gauss_newton_form(&positions, &p))
            })?;
            form.map_err(|error| plain(&error))
        })
    }

    /// The derivative of `gradient` by the positions at rest X, with displacements u held and x = X + u.
    ///
    /// In N/m, a `scipy.sparse.csc_array` of shape (n·D, n·D): rows belong to x, columns to X. Areas and mollifiers depend on X, too. Contacts
    /// must have been made with `shape_derivatives=True`.
    fn shape_derivative<'py>(
        &self,
        contacts: &Contacts,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        either!(AnyContacts, &contacts.0, touching => {
            let positions = touching.field("x", x)?;
            let Some(sources) = &touching.sources else {
                return Err(at("contacts", "were made without shape_derivatives=True"));
            };
            let blocks = self.0.on(x.py(), touching, |barrier| {
                self.0.check(barrier, &positions)?;
                Ok(barrier.shape_derivative(&touching.surface, sources, &positions))
            })?;
            let blocks = blocks.map_err(|error| plain(&error))?;
            sum_of(x.py(), &blocks, flat(&positions).len())
        })
    }
}

impl BarrierPotential {
    fn of(barrier: BarrierChoice, dhat: f64) -> PyResult<Self> {
        BarrierLaw::new(BarrierKind::default(), dhat).map_err(|error| plain(&error))?;
        Ok(Self(Setting { barrier, dhat, physical: false, kappa: Stiffness::Same(1.0), lenient: false }))
    }

    /// The Hessian by columns.
    pub fn columns(&self, contacts: &Contacts, x: &Bound<'_, PyAny>, psd: &str) -> PyResult<Columns> {
        let psd = read_psd(psd)?;
        either!(AnyContacts, &contacts.0, touching => {
            let positions = touching.field("x", x)?;
            self.0.on(x.py(), touching, |barrier| {
                self.0.check(barrier, &positions).map_err(|error| plain(&error))?;
                touching.surface.hessian.hessian(barrier, &positions, psd)
            })?
        })
    }
}

/// Distances that differ by this part count as the same.
const ROUNDING: f64 = 1e-12;

/// A barrier on contacts.
pub type Placed<'a, const D: usize> = barrier::BarrierPotential<'a, D, AnyBarrier>;

impl Setting {
    /// The same, which takes contacts of any reach, and whose derivatives where there are none are not finite.
    pub fn lenient(&self) -> Self {
        Self { lenient: true, ..self.clone() }
    }

    /// The gradient, checked for finiteness: cheaper than to look at all distances first.
    pub fn gradient<const D: usize>(
        &self,
        barrier: &Placed<'_, D>,
        x: &[Vector<D>],
    ) -> Result<Vec<Vector<D>>> {
        let found = gradient(barrier, x);
        if !flat(&found).iter().all(|entry| entry.is_finite()) {
            self.refuse(barrier, x)?;
        }
        Ok(found)
    }

    /// Refuses positions at which there are no derivatives.
    pub fn check<const D: usize>(&self, barrier: &Placed<'_, D>, x: &[Vector<D>]) -> Result<()> {
        if self.lenient { Ok(()) } else { barrier.check_apart(x) }
    }

    /// Says which pair it is that has no normal, or no force that is a number.
    pub fn refuse<const D: usize>(&self, barrier: &Placed<'_, D>, x: &[Vector<D>]) -> Result<()> {
        if self.lenient {
            return Ok(());
        }
        let limit = if barrier.law.barrier().is_interior() { barrier.law.dmin() } else { 0.0 };
        barrier.contacts.check_apart(x, barrier.obstacles, limit)
    }

    /// Refuses a barrier that acts beyond the distance for which contacts were collected: pairs would be missing.
    fn check_reach<const D: usize>(&self, touching: &SurfaceContacts<D>, dmin: f64) -> PyResult<()> {
        let (own, collected) = (dmin + self.dhat, touching.reach());
        if self.lenient || own <= collected * (1.0 + ROUNDING) {
            return Ok(());
        }
        let message = format!(
            "were collected up to {collected} m, but the barrier acts up to dmin + dhat = {own} m: pairs between are missing. Make \
             contacts with the dhat of the barrier, or a larger one"
        );
        Err(at("contacts", message))
    }

    /// What `f` makes of the barrier on contacts, with the interpreter free for others.
    pub fn on<const D: usize, R: Send>(
        &self,
        py: Python<'_>,
        touching: &SurfaceContacts<D>,
        f: impl FnOnce(&Placed<'_, D>) -> R + Send,
    ) -> PyResult<R> {
        self.on_beyond(py, touching, touching.dmin, f)
    }

    /// Like [`on`](Self::on), with another minimum distance than that of the contacts.
    pub fn on_beyond<const D: usize, R: Send>(
        &self,
        py: Python<'_>,
        touching: &SurfaceContacts<D>,
        dmin: f64,
        f: impl FnOnce(&Placed<'_, D>) -> R + Send,
    ) -> PyResult<R> {
        self.check_reach(touching, dmin)?;
        let stiffness = self.kappa.of(touching)?;
        let trouble = Trouble::default();
        let found = py.detach(|| {
            let law = BarrierLaw::new(self.barrier.with(&trouble, self.dhat, dmin)?, self.dhat);
            let law = law.and_then(|law| law.with_dmin(dmin))?.with_physical_units(self.physical);
            let (contacts, obstacles) = (&touching.contacts, touching.obstacles.solids.as_slice());
            let kappa = stiffness.as_ref().map_or(Kappa::Same(self.kappa.same()), Kappa::Each);
            Ok(f(&Placed { contacts, obstacles, law, kappa }))
        });
        trouble.raise()?;
        found.map_err(|error| plain(&error))
    }
}

impl Stiffness {
    fn read(kappa: &Bound<'_, PyAny>) -> PyResult<Self> {
        let is_list = kappa.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() > 0);
        if let (false, Ok(same)) = (is_list, kappa.extract::<f64>()) {
            return Ok(Self::Same(not_negative("kappa", same)?));
        }
        let values = reals("kappa", kappa)?;
        if let Some(entry) = values.iter().position(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(at("kappa", format!("entry {entry} is {}, expected 0 or more", values[entry])));
        }
        Ok(Self::Each(values))
    }

    /// The stiffnesses of the contacts, if they are different.
    fn of<const D: usize>(&self, touching: &SurfaceContacts<D>) -> PyResult<Option<PerContact<f64>>> {
        match self {
            Self::Same(_) => Ok(None),
            Self::Each(values) => {
                PerContact::of(&touching.contacts, values).map(Some).map_err(|error| at("kappa", error))
            }
        }
    }

    /// The stiffness that all have.
    fn same(&self) -> f64 {
        match self {
            Self::Same(kappa) => *kappa,
            Self::Each(_) => 0.0,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Same(kappa) => kappa.to_string(),
            Self::Each(values) => format!("{} numbers", values.len()),
        }
    }
}

/// The gradient of a potential.
pub fn gradient<const D: usize>(potential: &impl Potential<D>, x: &[Vector<D>]) -> Vec<Vector<D>> {
    let mut out = vec![Vector::ZERO; x.len()];
    potential.gradient(x, 1.0, &mut out);
    out
}

/// What becomes of negative eigenvalues.
pub fn read_psd(name: &str) -> PyResult<Psd> {
    match name {
        "none" => Ok(Psd::None),
        "clamp" => Ok(Psd::Clamp),
        "gauss_newton" => Ok(Psd::GaussNewton),
        "abs" => Ok(Psd::Abs),
        _ => Err(at("psd", format!("{name:?} is unknown: choose 'clamp', 'abs', 'gauss_newton' or 'none'"))),
    }
}
