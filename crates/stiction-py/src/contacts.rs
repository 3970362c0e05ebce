//! Contacts and the energies that act at them.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::barrier::stiffness::semi_implicit;
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential, Kappa};
use stiction::broad_phase::{BroadPhaseKind, Candidates};
use stiction::contact::{self, PerContact, Selection, WeightSources};
use stiction::distance::Psd;
use stiction::error::Error;
use stiction::math::Vector;
use stiction::math::vector::flat;
use stiction::mesh;
use stiction::obstacle::{Obstacle, Plane};
use stiction::potential::Potential;

use crate::array::{from_rows, from_vectors, index_pairs, reals, vector};
use crate::error::{at, not_negative, plain};
use crate::sparse::{Given, Kept, entries_of};
use crate::surface::{AnySurface, Surface, either, vertex_field};

/// Contacts in 2D or 3D.
pub enum AnyContacts {
    Flat(Arc<Scene<2>>),
    Solid(Arc<Scene<3>>),
}

/// The contacts of a surface, with all that their energies need.
pub struct Scene<const D: usize> {
    pub surface: Arc<mesh::Surface<D>>,
    pub obstacles: Vec<Obstacle<D>>,
    law: BarrierLaw,
    pub contacts: contact::Contacts,
    /// What the weights depend on, if it was asked for.
    pub sources: Option<WeightSources>,
    hessian: Kept<D>,
}

/// The pairs of primitives that are closer than dhat, and the energies that act at them.
///
/// `surface`: what can touch.
/// `x`: positions, shape (n, D), in m.
/// `dhat`: distance in m below which a pair is in contact.
/// `planes`: pairs (point, normal); everything behind the plane is solid, free space is where the normal points to.
/// `dmin`: distance in m that no pair may fall below; pairs are in contact below dmin + dhat.
/// `barrier`: `"clamped_log"`, `"normalized_clamped_log"`, `"clamped_log_squared"`, `"cubic"`, `"two_stage"`, `"linear_log"` or
/// `"linear_log_squared"`; see `barrier_value`.
/// `physical_units`: whether the barrier is in m, so that kappa of contacts weighted by areas is in Pa.
/// `contact_set`: `"ipc"`, all close pairs; `"improved_max"`, without counting shared edges and vertices twice; `"ogc"`, only pairs
/// whose direction is normal to both surfaces.
/// `weights`: `"count"`, how often a pair occurs; `"area"`, the area of the surface at rest that it stands for.
/// `candidates`: the pairs to look at, as `candidates` returns them; by default those of x.
/// `shape_derivatives`: whether to keep what `shape_derivative` needs.
/// `weight_factor`: a function that gets the places of all contacts, shape (k, D), in m, and returns the k factors of their weights; for a
/// body of revolution about the y axis, `lambda places: 2 * np.pi * places[:, 0]`.
///
/// A pair is listed as its closest features; equal pairs are merged and their weights added. The methods take
/// positions anew: these must have the same closest features, as those that Contacts was made with do. `kappa` is one
/// stiffness, or an array with one for each contact, in the order of `vertices`.
#[pyclass(frozen, subclass, module = "stiction._stiction")]
pub struct Contacts(pub AnyContacts);

#[pymethods]
impl Contacts {
    #[new]
    #[pyo3(signature = (
        surface, x, dhat, planes=None, *, dmin=0.0, barrier="clamped_log", physical_units=false, contact_set="ipc",
        weights="count", candidates=None, shape_derivatives=false, weight_factor=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        surface: &Surface,
        x: &Bound<'_, PyAny>,
        dhat: f64,
        planes: Option<&Bound<'_, PyAny>>,
        dmin: f64,
        barrier: &str,
        physical_units: bool,
        contact_set: &str,
        weights: &str,
        candidates: Option<&Bound<'_, PyAny>>,
        shape_derivatives: bool,
        weight_factor: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if shape_derivatives && weight_factor.is_some() {
            return Err(at("shape_derivatives", "do not know weight_factor: choose one of them"));
        }
        let law = read_law(barrier, dhat, dmin, physical_units)?;
        let set = contact_set.parse().map_err(|error| at("contact_set", error))?;
        let weighting = weights.parse().map_err(|error| at("weights", error))?;
        let selection = Selection { reach: law.reach(), set, weighting };
        let near = candidates.map(read_candidates).transpose()?;
        let pick = Pick { law, selection, near, shape_derivatives, factor: weight_factor };
        Ok(Self(match &surface.0 {
            AnySurface::Flat(surface) => AnyContacts::Flat(Scene::new(surface, x, planes, pick)?.into()),
            AnySurface::Solid(surface) => AnyContacts::Solid(Scene::new(surface, x, planes, pick)?.into()),
        }))
    }

    fn __len__(&self) -> usize {
        either!(AnyContacts, &self.0, scene => scene.contacts.len())
    }

    fn __repr__(&self) -> String {
        either!(AnyContacts, &self.0, scene => format!(
            "Contacts({} pairs closer than {})", scene.contacts.len(), scene.law.reach()
        ))
    }

    /// The distance beyond dmin below which a pair is in contact, in m.
    #[getter]
    fn dhat(&self) -> f64 {
        either!(AnyContacts, &self.0, scene => scene.law.dhat())
    }

    /// The distance that no pair may fall below, in m.
    #[getter]
    fn dmin(&self) -> f64 {
        either!(AnyContacts, &self.0, scene => scene.law.dmin())
    }

    /// The vertices of the contacts by kind, arrays of shape (k, 2), (k, 3), (k, 4) or (k, 1): vv, ve, ee, vf, parallel, obstacle.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let c = either!(AnyContacts, &self.0, scene => &scene.contacts);
        let out = PyDict::new(py);
        out.set_item("vv", stencil_array(py, c.vv.iter().map(|c| c.stencil.0)))?;
        out.set_item("ve", stencil_array(py, c.ve.iter().map(|c| c.stencil.0)))?;
        out.set_item("ee", stencil_array(py, c.ee.iter().map(|c| c.stencil.0)))?;
        out.set_item("vf", stencil_array(py, c.vf.iter().map(|c| c.stencil.0)))?;
        out.set_item("parallel", stencil_array(py, c.parallel.iter().map(|c| c.contact.stencil.0)))?;
        out.set_item("obstacle", stencil_array(py, c.obstacle.iter().map(|c| c.stencil.0)))?;
        Ok(out)
    }

    /// How much each contact counts, in the order of `vertices`: vv, then ve, ee, vf, parallel and obstacle.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let contacts = either!(AnyContacts, &self.0, scene => &scene.contacts);
        PyArray1::from_iter(py, contacts.weights().iter().copied())
    }

    /// How many contacts there are of each kind: vv, ve, ee, vf, parallel (nearly parallel edges) and obstacle.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let contacts = either!(AnyContacts, &self.0, scene => &scene.contacts);
        let counts = PyDict::new(py);
        counts.set_item("vv", contacts.vv.len())?;
        counts.set_item("ve", contacts.ve.len())?;
        counts.set_item("ee", contacts.ee.len())?;
        counts.set_item("vf", contacts.vf.len())?;
        counts.set_item("parallel", contacts.parallel.len())?;
        counts.set_item("obstacle", contacts.obstacle.len())?;
        Ok(counts)
    }

    /// The smallest distance of a contact at positions x, in m; infinite without contacts.
    fn smallest_gap(&self, x: &Bound<'_, PyAny>) -> PyResult<f64> {
        either!(AnyContacts, &self.0, scene => {
            let positions = scene.field("x", x)?;
            Ok(x.py().detach(|| scene.contacts.smallest_gap(&positions, &scene.obstacles)))
        })
    }

    /// The barrier energy B(x) = κ Σ w m(x) b(d²(x)) in J; infinite where something touches.
    ///
    ///     b(s) = −(s − d̂²)² ln(s/d̂²)   for 0 < s < d̂²     (clamped_log, dmin = 0)
    ///
    /// `x`: positions, shape (n, D), in m.
    /// `kappa`: stiffness κ, one or one for each contact; in J/m⁴ for this barrier and counted contacts. w is the weight of the
    /// pair, m the edge-edge mollifier.
    fn barrier_energy(&self, x: &Bound<'_, PyAny>, kappa: &Bound<'_, PyAny>) -> PyResult<f64> {
        either!(AnyContacts, &self.0, scene => {
            let (positions, kappa) = (scene.field("x", x)?, scene.stiffness(kappa)?);
            Ok(x.py().detach(|| scene.barrier(&kappa).energy(&positions)))
        })
    }

    /// Gradient of `barrier_energy` in N, shape (n, D): minus the contact forces.
    fn barrier_gradient<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        kappa: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnyContacts, &self.0, scene => {
            let (positions, kappa) = (scene.field("x", x)?, scene.stiffness(kappa)?);
            Ok(from_vectors(x.py(), &x.py().detach(|| gradient(&scene.barrier(&kappa), &positions))))
        })
    }

    /// Normal force of every contact in N, in the order of `vertices`: λ = −κ w m ∂f/∂d.
    fn barrier_forces<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        kappa: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        either!(AnyContacts, &self.0, scene => {
            let (positions, kappa) = (scene.field("x", x)?, scene.stiffness(kappa)?);
            let forces = x.py().detach(|| scene.barrier(&kappa).forces(&positions));
            Ok(PyArray1::from_iter(x.py(), forces.iter().copied()))
        })
    }

    /// Diagonal of the Hessian with closest points held fixed, in N/m, shape (n, D): a preconditioner.
    fn gauss_newton_diagonal<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        kappa: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnyContacts, &self.0, scene => {
            let (positions, kappa) = (scene.field("x", x)?, scene.stiffness(kappa)?);
            let mut out = vec![Vector::ZERO; positions.len()];
            x.py().detach(|| scene.barrier(&kappa).gauss_newton_diagonal(&positions, 1.0, &mut out));
            Ok(from_vectors(x.py(), &out))
        })
    }

    /// pᵀHp of the Hessian with closest points held fixed; p in m, shape (n, D).
    fn gauss_newton_form(
        &self,
        x: &Bound<'_, PyAny>,
        kappa: &Bound<'_, PyAny>,
        p: &Bound<'_, PyAny>,
    ) -> PyResult<f64> {
        either!(AnyContacts, &self.0, scene => {
            let (positions, kappa) = (scene.field("x", x)?, scene.stiffness(kappa)?);
            let p = scene.field("p", p)?;
            Ok(x.py().detach(|| scene.barrier(&kappa).gauss_newton_form(&positions, &p)))
        })
    }

    /// Hessian of `barrier_energy` in N/m as (data, indices, indptr) of a compressed sparse column matrix.
    ///
    /// `psd`: 'clamp' replaces the negative eigenvalues of each contact by zero, 'abs' by their absolute values;
    /// `'gauss_newton'` keeps only first derivatives of the distance; 'none' is the exact Hessian.
    #[pyo3(signature = (x, kappa, psd="clamp"))]
    fn barrier_hessian_csc<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        kappa: &Bound<'py, PyAny>,
        psd: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let psd = read_psd(psd)?;
        let matrix = either!(AnyContacts, &self.0, scene => {
            let (positions, kappa) = (scene.field("x", x)?, scene.stiffness(kappa)?);
            x.py().detach(|| scene.hessian.hessian(&scene.barrier(&kappa), &positions, psd))
        })?;
        matrix.into_arrays(x.py())
    }

    /// The Hessian of `barrier_energy` times p, without making the matrix; p and the result of shape (n, D).
    #[pyo3(signature = (x, kappa, p, psd="clamp"))]
    fn barrier_product<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        kappa: &Bound<'py, PyAny>,
        p: &Bound<'py, PyAny>,
        psd: &str,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let psd = read_psd(psd)?;
        either!(AnyContacts, &self.0, scene => {
            let (positions, kappa) = (scene.field("x", x)?, scene.stiffness(kappa)?);
            let p = scene.field("p", p)?;
            let mut out = vec![Vector::ZERO; positions.len()];
            x.py().detach(|| scene.barrier(&kappa).product(&positions, 1.0, psd, &p, &mut out));
            Ok(from_vectors(x.py(), &out))
        })
    }

    /// The derivative of `barrier_gradient` by the positions at rest, with displacements held, in N/m: entries (data, rows, columns), of which
    /// several may have the same place. Contacts must have been made with `shape_derivatives=True`.
    fn shape_derivative_coo<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        kappa: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        either!(AnyContacts, &self.0, scene => {
            let (positions, kappa) = (scene.field("x", x)?, scene.stiffness(kappa)?);
            let Some(sources) = &scene.sources else {
                return Err(at("contacts", "were made without shape_derivatives=True"));
            };
            let barrier = scene.barrier(&kappa);
            let blocks = x.py().detach(|| barrier.shape_derivative(&scene.surface, sources, &positions));
            entries_of(x.py(), &blocks)
        })
    }

    /// See `semi_implicit_stiffness`; the Hessian as the three arrays of a compressed sparse column matrix.
    fn semi_implicit_csc<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        masses: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        indices: &Bound<'py, PyAny>,
        indptr: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        either!(AnyContacts, &self.0, scene => {
            let positions = scene.field("x", x)?;
            let masses = reals("masses", masses)?;
            if let Some(entry) = masses.iter().position(|mass| !(mass.is_finite() && *mass >= 0.0)) {
                return Err(at("masses", format!("entry {entry} is {}, expected 0 or more", masses[entry])));
            }
            let hessian = Given::read([data, indices, indptr], flat(&positions).len())?;
            let found = x.py().detach(|| semi_implicit(
                (&scene.contacts, &scene.obstacles),
                &positions,
                &masses,
                &|row, column| hessian.block(row, column),
                scene.law.dmin(),
            ));
            let found = found.map_err(|error| plain(&error))?;
            Ok(PyArray1::from_iter(x.py(), found.iter().copied()))
        })
    }
}

/// Which pairs are contacts and how they act, the pairs to look at, if they are given, and what to keep.
struct Pick<'a, 'py> {
    law: BarrierLaw,
    selection: Selection,
    near: Option<Candidates>,
    shape_derivatives: bool,
    factor: Option<&'a Bound<'py, PyAny>>,
}

/// The stiffnesses that a call asks for.
pub enum Stiffness {
    Same(f64),
    Each(PerContact<f64>),
}

impl<const D: usize> Scene<D> {
    fn new(
        surface: &Arc<mesh::Surface<D>>,
        x: &Bound<'_, PyAny>,
        planes: Option<&Bound<'_, PyAny>>,
        Pick { law, selection, near, shape_derivatives, factor }: Pick<'_, '_>,
    ) -> PyResult<Self> {
        let positions = vertex_field(surface, "x", x)?;
        let obstacles = read_planes(planes)?;
        let contacts = x.py().detach(|| {
            // Both boxes of a pair grow, so half the distance each.
            let inflation = 0.5 * selection.reach;
            selection.check()?;
            // Candidates of our own need no check, and positions have had theirs.
            if let Some(near) = &near {
                contact::Contacts::check_input(surface, near, &positions, &selection)?;
            }
            let near = near.unwrap_or_else(|| {
                BroadPhaseKind::default().candidates(surface, &positions, &positions, inflation)
            });
            let build = contact::Contacts::build_with_sources;
            if shape_derivatives {
                let (contacts, sources) = build(surface, &near, &obstacles, &positions, &selection);
                return Ok((contacts, Some(sources)));
            }
            Ok((contact::Contacts::build(surface, &near, &obstacles, &positions, &selection), None))
        });
        let (mut contacts, sources) = contacts.map_err(|error: Error| plain(&error))?;
        if let Some(function) = factor {
            scale_weights(&mut contacts, &positions, function)?;
        }
        let surface = surface.clone();
        Ok(Self { surface, obstacles, law, contacts, sources, hessian: Kept::default() })
    }

    /// The positions or other vectors of all vertices called `name`.
    pub fn field(&self, name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Vector<D>>> {
        vertex_field(&self.surface, name, object)
    }

    /// κ, which may be one number or one for each contact.
    pub fn stiffness(&self, kappa: &Bound<'_, PyAny>) -> PyResult<Stiffness> {
        let is_list = kappa.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() > 0);
        if let (false, Ok(same)) = (is_list, kappa.extract::<f64>()) {
            return Ok(Stiffness::Same(not_negative("kappa", same)?));
        }
        let values = reals("kappa", kappa)?;
        if let Some(entry) = values.iter().position(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(at("kappa", format!("entry {entry} is {}, expected 0 or more", values[entry])));
        }
        PerContact::of(&self.contacts, &values).map(Stiffness::Each).map_err(|error| at("kappa", error))
    }

    /// The energy of the contacts.
    pub fn barrier<'a>(&'a self, stiffness: &'a Stiffness) -> BarrierPotential<'a, D> {
        let kappa = match stiffness {
            Stiffness::Same(kappa) => Kappa::Same(*kappa),
            Stiffness::Each(all) => Kappa::Each(all),
        };
        BarrierPotential { contacts: &self.contacts, obstacles: &self.obstacles, law: self.law, kappa }
    }
}

/// The gradient of a potential.
pub fn gradient<const D: usize>(potential: &impl Potential<D>, x: &[Vector<D>]) -> Vec<Vector<D>> {
    let mut out = vec![Vector::ZERO; x.len()];
    potential.gradient(x, 1.0, &mut out);
    out
}

/// Multiplies the weights by what a function of Python returns for the places of the contacts.
fn scale_weights<const D: usize>(
    contacts: &mut contact::Contacts,
    x: &[Vector<D>],
    function: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let places: Vec<Vector<D>> = contacts.places(x).iter().copied().collect();
    let factors = reals("weight_factor", &function.call1((from_vectors(function.py(), &places),))?)?;
    if let Some(entry) = factors.iter().position(|factor| !factor.is_finite()) {
        return Err(at("weight_factor", format!("returned a number that is not finite, entry {entry}")));
    }
    contacts.multiply_weights(&factors).map_err(|error| at("weight_factor", error))
}

/// The barrier called `name`, placed.
pub fn read_law(name: &str, dhat: f64, dmin: f64, physical_units: bool) -> PyResult<BarrierLaw> {
    let kind: BarrierKind = name.parse().map_err(|error| at("barrier", error))?;
    let law = BarrierLaw::new(kind, dhat).and_then(|law| law.with_dmin(dmin));
    Ok(law.map_err(|error| plain(&error))?.with_physical_units(physical_units))
}

/// Pairs of primitives, as the function `candidates` returns them.
fn read_candidates(object: &Bound<'_, PyAny>) -> PyResult<Candidates> {
    let pairs = |kind: &str| {
        let name = format!("candidates[\"{kind}\"]");
        let array = object.get_item(kind).map_err(|_| at(&name, "is missing"))?;
        index_pairs(&name, &array)
    };
    Ok(Candidates { vv: pairs("vv")?, ve: pairs("ve")?, ee: pairs("ee")?, vf: pairs("vf")? })
}

fn stencil_array<const N: usize>(
    py: Python<'_>,
    stencils: impl Iterator<Item = [u32; N]>,
) -> Bound<'_, PyArray2<u32>> {
    let vertices: Vec<u32> = stencils.flatten().collect();
    from_rows(py, &vertices, N)
}

pub fn read_psd(name: &str) -> PyResult<Psd> {
    match name {
        "none" => Ok(Psd::None),
        "clamp" => Ok(Psd::Clamp),
        "gauss_newton" => Ok(Psd::GaussNewton),
        "abs" => Ok(Psd::Abs),
        _ => Err(at("psd", format!("{name:?} is unknown: choose 'clamp', 'abs', 'gauss_newton' or 'none'"))),
    }
}

/// The planes from a sequence of pairs (point, normal).
pub fn read_planes<const D: usize>(planes: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Obstacle<D>>> {
    let Some(planes) = planes else { return Ok(Vec::new()) };
    let entries =
        planes.try_iter().map_err(|_| at("planes", "expected a sequence of pairs (point, normal)"))?;
    entries.enumerate().map(|(index, entry)| read_plane(&format!("planes[{index}]"), &entry?)).collect()
}

fn read_plane<const D: usize>(name: &str, entry: &Bound<'_, PyAny>) -> PyResult<Obstacle<D>> {
    let pair: Vec<_> = entry.try_iter().and_then(Iterator::collect).unwrap_or_default();
    let [point, normal] = pair.as_slice() else {
        return Err(at(name, "expected a pair (point, normal)"));
    };
    let (point, normal) = (vector(name, point)?, vector(name, normal)?);
    Plane::new(point, normal).map(Obstacle::Plane).map_err(|error| at(name, error))
}
