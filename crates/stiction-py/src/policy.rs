//! The stiffness that a barrier begins with and grows to, as the simulator's.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use stiction::barrier::policy::{self, Softness};
use stiction::barrier::{BarrierKind, BarrierLaw};
use stiction::contact::Weighting;

use crate::any_barrier::{AnyBarrier, BarrierChoice};
use crate::array::reals;
use crate::contacts::{AnyContacts, Contacts, SurfaceContacts};
use crate::error::{at, not_negative, plain, positive};
use crate::surface::{AnySurface, Surface, either};
use crate::trouble::Trouble;

/// The barrier stiffness that follows from the bodies: the rule of simulations and of `IPCContact`.
///
/// A contact of two bodies carries a tenth of their modulus as pressure at half its reach:
///
///     κ₁₂ |b′(dmin + dhat/2)| = ε E* A        ε = 0.1,  1/E* = 1/E₁ + 1/E₂,  A = min(A₁, A₂)
///
/// b′ is the slope of the barrier by the distance, E in Pa and A in m² are medians of a body over the vertices of its surface; A is 1 for
/// contacts weighted by area. A body with a modulus of 0 is driven, as good as rigid, as obstacles are: its 1/E is 0. A body in contact
/// with itself counts once. κ of all contacts is that of the stiffest pair, `first`; contacts of softer pairs have smaller weights, `weighed`;
/// `raised_stiffness` says how κ grows.
///
/// `surface`: with its `bodies`. `dhat`, `dmin`, `barrier`: as for `BarrierPotential` and `Contacts`.
/// `moduli`: one in Pa for each vertex, shape (n,); those off the surface do not matter.
/// `weights`: of the contacts, "count" or "area".
#[pyclass(frozen, module = "stiction")]
pub struct StiffnessPolicy {
    policy: policy::StiffnessPolicy<AnyBarrier>,
    vertices: usize,
    given: Given,
}

/// What it was made of.
struct Given {
    surface: Py<Surface>,
    dhat: f64,
    moduli: Vec<f64>,
    dmin: f64,
    barrier: Option<Py<PyAny>>,
    weighting: Weighting,
}

#[pymethods]
impl StiffnessPolicy {
    #[new]
    #[pyo3(signature = (surface, dhat, moduli, *, dmin=0.0, barrier=None, weights="count"))]
    fn new(
        surface: &Bound<'_, Surface>,
        dhat: f64,
        moduli: &Bound<'_, PyAny>,
        dmin: f64,
        barrier: Option<&Bound<'_, PyAny>>,
        weights: &str,
    ) -> PyResult<Self> {
        let weighting = weights.parse().map_err(|error| at("weights", error))?;
        let moduli = reals("moduli", moduli)?;
        let (bodies, body_of) = softness(surface.get(), &moduli, weighting)?;
        let (vertices, trouble) = (body_of.len(), Trouble::default());
        let made = read_law(barrier, dhat, dmin, &trouble).and_then(|law| {
            policy::StiffnessPolicy::new(law, bodies, body_of).map_err(|error| plain(&error))
        });
        trouble.raise()?;
        let (surface, barrier) = (surface.clone().unbind(), barrier.map(|barrier| barrier.clone().unbind()));
        let given = Given { surface, dhat, moduli, dmin, barrier, weighting };
        Ok(Self { policy: made?, vertices, given })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let Given { surface, dhat, moduli, dmin, barrier, weighting } = &self.given;
        let named = PyDict::new(py);
        named.set_item("dmin", dmin)?;
        named.set_item("barrier", barrier)?;
        named.set_item("weights", weighting.name())?;
        let make =
            py.import("functools")?.getattr("partial")?.call((py.get_type::<Self>(),), Some(&named))?;
        Ok((make, (surface, *dhat, PyArray1::from_slice(py, moduli)).into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        format!("StiffnessPolicy(first={})", self.first())
    }

    /// κ of the stiffest pair of bodies, in contact or not: what contact begins with.
    #[getter]
    fn first(&self) -> f64 {
        self.policy.first()
    }

    /// The same contacts with weights multiplied by what the κ of their pair of bodies is of `first`.
    fn weighed(slf: &Bound<'_, Self>, contacts: &Bound<'_, Contacts>) -> PyResult<Py<Contacts>> {
        let (own, py) = (slf.get(), slf.py());
        if own.policy.is_uniform() {
            return Ok(contacts.clone().unbind());
        }
        let weighed = match &contacts.get().0 {
            AnyContacts::Flat(touching) => AnyContacts::Flat(own.on(touching)?.into()),
            AnyContacts::Solid(touching) => AnyContacts::Solid(own.on(touching)?.into()),
        };
        Py::new(py, Contacts(weighed))
    }
}

impl StiffnessPolicy {
    fn on<const D: usize>(&self, touching: &SurfaceContacts<D>) -> PyResult<SurfaceContacts<D>> {
        let found = touching.surface.rest().len();
        if found != self.vertices {
            let expected = self.vertices;
            return Err(at(
                "contacts",
                format!("are of {found} vertices, expected {expected} as of the surface"),
            ));
        }
        let mut contacts = touching.contacts.clone();
        self.policy.weigh(&mut contacts);
        Ok(touching.with_contacts(contacts))
    }
}

/// The bodies of a surface, and the number of each vertex's.
fn softness(surface: &Surface, moduli: &[f64], weighting: Weighting) -> PyResult<(Vec<Softness>, Vec<u32>)> {
    let by_area = weighting == Weighting::Area;
    either!(AnySurface, &surface.0, surface => {
        policy::softness_of(surface, moduli, by_area).map_err(|error| at("moduli", error))
    })
}

/// A barrier by name or an object of Python, by default the usual one, below `dhat` beyond `dmin`, in m.
fn read_law(
    barrier: Option<&Bound<'_, PyAny>>,
    dhat: f64,
    dmin: f64,
    trouble: &Trouble,
) -> PyResult<BarrierLaw<AnyBarrier>> {
    let usual = BarrierChoice::Named(BarrierKind::default());
    let choice = barrier.map_or(Ok(usual), BarrierChoice::read)?;
    let law = choice.with(trouble, dhat, dmin).and_then(|barrier| BarrierLaw::new(barrier, dhat));
    law.and_then(|law| law.with_dmin(dmin)).map_err(|error| plain(&error))
}

/// κ after a solution with the smallest `clearance` (distance less dmin) in m: larger where that is below 0.1 dhat.
///
///     κ → κ · 4ⁿ      n = ⌊log₄(|b′(dmin + clearance)| / |b′(dmin + 0.1 dhat)|)⌋, at least 1 and at most 8
///
/// Never more than 10⁹ `first`, the κ that contact began with. `dhat`, `dmin`, `barrier`: as for `StiffnessPolicy`.
#[pyfunction]
#[pyo3(signature = (kappa, first, clearance, dhat, *, dmin=0.0, barrier=None))]
pub fn raised_stiffness(
    kappa: f64,
    first: f64,
    clearance: f64,
    dhat: f64,
    dmin: f64,
    barrier: Option<&Bound<'_, PyAny>>,
) -> PyResult<f64> {
    let (kappa, first) = (not_negative("kappa", kappa)?, positive("first", first)?);
    if clearance.is_nan() {
        return Err(at("clearance", "is NaN, expected a distance in m, infinite without contacts"));
    }
    let trouble = Trouble::default();
    let raised =
        read_law(barrier, dhat, dmin, &trouble).map(|law| policy::raised(kappa, first, clearance, &law));
    trouble.raise()?;
    raised
}
