//! Contacts and the energies that act at them.

use std::sync::Arc;

use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::blocks::Blocks;
use stiction::broad_phase::BroadPhaseKind;
use stiction::contact;
use stiction::distance::Psd;
use stiction::friction::{self, FrictionPotential, Motion, Slides};
use stiction::math::Vector;
use stiction::mesh;
use stiction::obstacle::{Obstacle, Plane};
use stiction::potential::Potential;

use crate::array::{from_vectors, vector};
use crate::error::{at, not_negative, plain, positive};
use crate::sparse::Csc;
use crate::surface::{AnySurface, Surface, either, vertex_field};

/// Contacts in 2D or 3D.
enum AnyContacts {
    Flat(Scene<2>),
    Solid(Scene<3>),
}

/// The contacts of a surface, with all that their energies need.
struct Scene<const D: usize> {
    surface: Arc<mesh::Surface<D>>,
    obstacles: Vec<Obstacle<D>>,
    barrier: BarrierLaw,
    contacts: contact::Contacts,
}

/// The pairs of primitives that are closer than dhat, and the energies that act at them.
///
/// `surface`: what can touch.
/// `x`: positions, shape (n, D), in m.
/// `dhat`: distance in m below which a pair is in contact.
/// `planes`: pairs (point, normal); everything behind the plane is solid, free space is where the normal points to.
///
/// A pair is listed as its closest features; equal pairs are merged and count as often as they occurred. The
/// methods take positions anew: these must have the same closest features, as those that Contacts was made with do.
#[pyclass(frozen, subclass, module = "stiction._stiction")]
pub struct Contacts(AnyContacts);

#[pymethods]
impl Contacts {
    #[new]
    #[pyo3(signature = (surface, x, dhat, planes=None))]
    fn new(
        surface: &Surface,
        x: &Bound<'_, PyAny>,
        dhat: f64,
        planes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self(match &surface.0 {
            AnySurface::Flat(surface) => AnyContacts::Flat(Scene::new(surface, x, dhat, planes)?),
            AnySurface::Solid(surface) => AnyContacts::Solid(Scene::new(surface, x, dhat, planes)?),
        }))
    }

    fn __len__(&self) -> usize {
        either!(AnyContacts, &self.0, scene => scene.contacts.len())
    }

    fn __repr__(&self) -> String {
        either!(AnyContacts, &self.0, scene => format!(
            "Contacts({} pairs closer than {})", scene.contacts.len(), scene.barrier.dhat()
        ))
    }

    /// The distance below which a pair is in contact, in m.
    #[getter]
    fn dhat(&self) -> f64 {
        either!(AnyContacts, &self.0, scene => scene.barrier.dhat())
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
    ///     b(s) = −(s − d̂²)² ln(s/d̂²)   for 0 < s < d̂²
    ///
    /// `x`: positions, shape (n, D), in m.
    /// `kappa`: stiffness κ in J/m⁴. w is how often the pair counts, m the edge-edge mollifier.
    fn barrier_energy(&self, x: &Bound<'_, PyAny>, kappa: f64) -> PyResult<f64> {
        either!(AnyContacts, &self.0, scene => {
            let (positions, barrier) = (scene.field("x", x)?, scene.barrier(kappa)?);
            Ok(x.py().detach(|| barrier.energy(&positions)))
        })
    }

    /// Gradient of `barrier_energy` in N, shape (n, D): minus the contact forces.
    fn barrier_gradient<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        kappa: f64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnyContacts, &self.0, scene => {
            let (positions, barrier) = (scene.field("x", x)?, scene.barrier(kappa)?);
            Ok(from_vectors(x.py(), &x.py().detach(|| gradient(&barrier, &positions))))
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
        kappa: f64,
        psd: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let psd = read_psd(psd)?;
        let matrix = either!(AnyContacts, &self.0, scene => {
            let (positions, barrier) = (scene.field("x", x)?, scene.barrier(kappa)?);
            x.py().detach(|| hessian(&barrier, &positions, psd))
        });
        matrix.into_arrays(x.py())
    }

    /// The friction energy P(x) in J, with normal forces λ and sliding planes held fixed.
    ///
    ///     P(x) = Σ μ λ f₀(|u|; ε_v h)      u = T Σ cᵢ (xᵢ − x_startᵢ)      T = I − nnᵀ
    ///
    /// `x_lagged`: positions that normal forces, planes and closest points are taken from, shape (n, D), in m.
    /// `x_start`, `x`: positions at the start and end of the time h, shape (n, D), in m.
    /// `kappa`: stiffness of the barrier in J/m⁴. `mu`: friction coefficient.
    /// `eps_v`: speed in m/s below which a pair sticks. `h`: time in s.
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn friction_energy(
        &self,
        x_lagged: &Bound<'_, PyAny>,
        x_start: &Bound<'_, PyAny>,
        x: &Bound<'_, PyAny>,
        kappa: f64,
        mu: f64,
        eps_v: f64,
        h: f64,
    ) -> PyResult<f64> {
        either!(AnyContacts, &self.0, scene => {
            let friction = scene.friction([x_lagged, x_start, x], [kappa, mu, eps_v, h])?;
            Ok(x.py().detach(|| friction.potential().energy(&friction.end)))
        })
    }

    /// Gradient of `friction_energy` with respect to x in N, shape (n, D): minus the friction forces.
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn friction_gradient<'py>(
        &self,
        x_lagged: &Bound<'py, PyAny>,
        x_start: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
        kappa: f64,
        mu: f64,
        eps_v: f64,
        h: f64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnyContacts, &self.0, scene => {
            let friction = scene.friction([x_lagged, x_start, x], [kappa, mu, eps_v, h])?;
            let gradient = x.py().detach(|| gradient(&friction.potential(), &friction.end));
            Ok(from_vectors(x.py(), &gradient))
        })
    }

    /// Hessian of `friction_energy` with respect to x in N/m as (data, indices, indptr) of a compressed sparse
    /// column matrix. It has no negative eigenvalues.
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn friction_hessian_csc<'py>(
        &self,
        x_lagged: &Bound<'py, PyAny>,
        x_start: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
        kappa: f64,
        mu: f64,
        eps_v: f64,
        h: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let matrix = either!(AnyContacts, &self.0, scene => {
            let friction = scene.friction([x_lagged, x_start, x], [kappa, mu, eps_v, h])?;
            x.py().detach(|| hessian(&friction.potential(), &friction.end, Psd::None))
        });
        matrix.into_arrays(x.py())
    }
}

impl<const D: usize> Scene<D> {
    fn new(
        surface: &Arc<mesh::Surface<D>>,
        x: &Bound<'_, PyAny>,
        dhat: f64,
        planes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let positions = vertex_field(surface, "x", x)?;
        let barrier = BarrierLaw::new(BarrierKind::ClampedLog, dhat).map_err(|error| plain(&error))?;
        let obstacles = read_planes(planes)?;
        let contacts = x.py().detach(|| {
            // Both boxes of a pair grow, so half the distance each.
            let candidates =
                BroadPhaseKind::default().candidates(surface, &positions, &positions, 0.5 * dhat);
            contact::Contacts::build(
                surface,
                &candidates,
                &obstacles,
                &positions,
                &contact::Selection::within(dhat),
            )
        });
        Ok(Self { surface: surface.clone(), obstacles, barrier, contacts })
    }

    fn field(&self, name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Vector<D>>> {
        vertex_field(&self.surface, name, object)
    }

    fn barrier(&self, kappa: f64) -> PyResult<BarrierPotential<'_, D>> {
        let kappa = not_negative("kappa", kappa)?;
        Ok(BarrierPotential {
            contacts: &self.contacts,
            obstacles: &self.obstacles,
            law: self.barrier,
            kappa: kappa.into(),
        })
    }

    fn friction(
        &self,
        [x_lagged, x_start, x]: [&Bound<'_, PyAny>; 3],
        [kappa, mu, eps_v, h]: [f64; 4],
    ) -> PyResult<Friction<D>> {
        let lagged = self.field("x_lagged", x_lagged)?;
        let (start, end) = (self.field("x_start", x_start)?, self.field("x", x)?);
        let barrier = self.barrier(kappa)?;
        let mu = not_negative("mu", mu)?;
        let eps_v = positive("eps_v", eps_v)?;
        let h = positive("h", h)?;
        let slides = x.py().detach(|| friction::lag(&barrier, &lagged, mu));
        Ok(Friction { slides, start, end, eps_v, h })
    }
}

/// Slides, and the motion during which they act.
struct Friction<const D: usize> {
    slides: Slides<D>,
    start: Vec<Vector<D>>,
    end: Vec<Vector<D>>,
    eps_v: f64,
    h: f64,
}

impl<const D: usize> Friction<D> {
    fn potential(&self) -> FrictionPotential<'_, D> {
        let motion = Motion { x_ref: &self.start, v_ref: &[], h_hat: self.h };
        FrictionPotential { slides: &self.slides, motion, eps_v: self.eps_v }
    }
}

fn gradient<const D: usize>(potential: &impl Potential<D>, x: &[Vector<D>]) -> Vec<Vector<D>> {
    let mut out = vec![Vector::ZERO; x.len()];
    potential.gradient(x, 1.0, &mut out);
    out
}

fn hessian<const D: usize>(potential: &impl Potential<D>, x: &[Vector<D>], psd: Psd) -> Csc {
    let mut blocks = Blocks::default();
    potential.hessian(x, 1.0, psd, &mut blocks);
    Csc::new(&blocks, x.len())
}

fn read_psd(name: &str) -> PyResult<Psd> {
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
