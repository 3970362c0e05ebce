//! Contacts: which pairs are close, and how much each counts.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use stiction::barrier::BarrierLaw;
use stiction::barrier::stiffness::SemiImplicit;
use stiction::broad_phase::{BroadPhaseKind, Candidates};
use stiction::closest::EdgePart;
use stiction::contact::{self, AreaShare, ContactSet, Selection, WeightSources, Weighting};
use stiction::error::Error;
use stiction::math::Vector;
use stiction::math::vector::flat;

use crate::array::{check_size, from_rows, from_vectors, index_pairs, reals};
use crate::contact_lists::{Lists, set_weights};
use crate::crowd;
use crate::error::{at, plain};
use crate::obstacles::Obstacles;
use crate::shared_surface::SharedSurface;
use crate::sparse::Given;
use crate::surface::{AnySurface, Surface, either, vertex_field};
use crate::weight_lists;

/// Contacts in 2D or 3D.
pub enum AnyContacts {
    Flat(Arc<SurfaceContacts<2>>),
    Solid(Arc<SurfaceContacts<3>>),
}

/// The contacts of a surface, with all that their energies need.
pub struct SurfaceContacts<const D: usize> {
    pub surface: Arc<SharedSurface<D>>,
    pub obstacles: Obstacles<D>,
    dhat: f64,
    pub dmin: f64,
    pub contacts: contact::Contacts,
    /// What the weights depend on, if it was asked for.
    pub sources: Option<WeightSources>,
    /// What they were built from, where nothing but a surface and positions came in.
    origin: Option<Origin<D>>,
}

/// Positions, and which pairs were asked for there.
struct Origin<const D: usize> {
    x: Vec<Vector<D>>,
    selection: Selection,
}

/// The pairs of primitives that are closer than dhat.
///
/// `surface`: what can touch.
/// `x`: positions, shape (n, D), in m.
/// `dhat`: distance in m below which a pair is in contact.
/// `obstacles`: a `Plane`, `Sphere` or `Cylinder` each, or a pair (point, normal) for a plane, with free space where the normal points to.
/// `dmin`: distance in m that no pair may fall below; pairs are in contact below dmin + dhat.
/// `contact_set`: `"ipc"`, all close pairs; `"improved_max"`, without counting shared edges and vertices twice; `"ogc"`, only pairs
/// whose direction is normal to both surfaces.
/// `weights`: `"count"`, how often a pair occurs; `"area"`, the area of the surface at rest that it stands for.
/// `candidates`: the pairs to look at, as `candidates` returns them; by default those of x.
/// `broad_phase`: how candidates are found where none are given; see `candidates`.
/// `shape_derivatives`: whether to keep what `BarrierPotential.shape_derivative` needs.
/// `weight_factor`: a function that gets the places of all contacts, shape (k, D), in m, and returns the k factors of their weights; for a
/// body of revolution about the y axis, `lambda places: 2 * np.pi * places[:, 0]`.
///
/// A pair is listed as its closest features; equal pairs are merged and their weights added. Energies take
/// positions anew: these must have the same closest features, as those that Contacts was made with do.
#[pyclass(frozen, module = "stiction")]
pub struct Contacts(pub AnyContacts);

#[pymethods]
impl Contacts {
    #[new]
    #[pyo3(signature = (
        surface, x, dhat, obstacles=None, *, dmin=0.0, contact_set="ipc", weights="count", candidates=None,
        broad_phase="bvh", shape_derivatives=false, weight_factor=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        surface: &Surface,
        x: &Bound<'_, PyAny>,
        dhat: f64,
        obstacles: Option<&Bound<'_, PyAny>>,
        dmin: f64,
        contact_set: &str,
        weights: &str,
        candidates: Option<&Bound<'_, PyAny>>,
        broad_phase: &str,
        shape_derivatives: bool,
        weight_factor: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if shape_derivatives && weight_factor.is_some() {
            return Err(at("shape_derivatives", "do not know weight_factor: choose one of them"));
        }
        let near = candidates.map(read_candidates).transpose()?;
        let pick = Pick::read(Distances::new(dhat, dmin)?, contact_set, weights, broad_phase, near)?;
        let pick = Pick { shape_derivatives, factor: weight_factor, ..pick };
        Self::at(surface, x, obstacles, pick)
    }

    /// Contacts from lists of vertices, for pairs that are known already.
    ///
    /// `vv`, `ve`, `ee`, `vf`: vertices of the pairs, shapes (k, 2), (k, 3), (k, 4) and (k, 4): first those of the first primitive.
    /// `parallel`: nearly parallel edges, shape (k, 4); `parts`: which parts of the two are closest, shape (k, 2), 0 the first vertex,
    /// 1 the second, 2 the inside; `thresholds`: of their mollifiers, shape (k,), in m⁴.
    /// `obstacle`: vertices near obstacles, shape (k,); `numbers`: of these obstacles, shape (k,).
    /// `weights`: one for each contact, in the order of `vertices`; by default 1.
    #[staticmethod]
    #[pyo3(signature = (
        surface, dhat, obstacles=None, *, dmin=0.0, vv=None, ve=None, ee=None, vf=None, parallel=None, parts=None,
        thresholds=None, obstacle=None, numbers=None, weights=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn of(
        surface: &Surface,
        dhat: f64,
        obstacles: Option<&Bound<'_, PyAny>>,
        dmin: f64,
        vv: Option<&Bound<'_, PyAny>>,
        ve: Option<&Bound<'_, PyAny>>,
        ee: Option<&Bound<'_, PyAny>>,
        vf: Option<&Bound<'_, PyAny>>,
        parallel: Option<&Bound<'_, PyAny>>,
        parts: Option<&Bound<'_, PyAny>>,
        thresholds: Option<&Bound<'_, PyAny>>,
        obstacle: Option<&Bound<'_, PyAny>>,
        numbers: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let distances = Distances::new(dhat, dmin)?;
        let lists = Lists { vv, ve, ee, vf, parallel, parts, thresholds, obstacle, numbers, weights };
        Ok(Self(match &surface.0 {
            AnySurface::Flat(surface) => {
                AnyContacts::Flat(SurfaceContacts::of(surface, distances, obstacles, &lists)?.into())
            }
            AnySurface::Solid(surface) => {
                AnyContacts::Solid(SurfaceContacts::of(surface, distances, obstacles, &lists)?.into())
            }
        }))
    }

    /// The same contacts with other weights, one for each, in the order of `vertices`.
    ///
    /// `keep_shape_derivatives`: whether the derivatives of the weights by the positions at rest stay as they are; by default they are
    /// forgotten, with all that `shape_derivative` needs.
    #[pyo3(signature = (weights, *, keep_shape_derivatives=false))]
    fn with_weights(&self, weights: &Bound<'_, PyAny>, keep_shape_derivatives: bool) -> PyResult<Self> {
        let keep = keep_shape_derivatives;
        Ok(Self(match &self.0 {
            AnyContacts::Flat(touching) => AnyContacts::Flat(touching.with_weights(weights, keep)?.into()),
            AnyContacts::Solid(touching) => AnyContacts::Solid(touching.with_weights(weights, keep)?.into()),
        }))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (surface, sources, obstacles) = match &self.0 {
            AnyContacts::Flat(touching) => {
                let obstacles = touching.obstacles.list(py)?;
                (AnySurface::Flat(touching.surface.clone()), &touching.sources, obstacles)
            }
            AnyContacts::Solid(touching) => {
                let obstacles = touching.obstacles.list(py)?;
                (AnySurface::Solid(touching.surface.clone()), &touching.sources, obstacles)
            }
        };
        let lists = self.vertices(py)?;
        lists.set_item("obstacle", lists.as_any().get_item("obstacle")?.call_method0("ravel")?)?;
        lists.set_item("parts", self.parts(py))?;
        lists.set_item("thresholds", self.thresholds(py))?;
        lists.set_item("numbers", self.obstacle_numbers(py))?;
        lists.set_item("weights", self.weights(py))?;
        let sources = sources.as_ref().map(|sources| weight_lists::to_arrays(py, sources));
        let arguments = (Surface(surface), self.dhat(), self.dmin(), obstacles, lists, sources);
        let restore = py.import("stiction._stiction")?.getattr("_restore_contacts")?;
        Ok((restore, arguments.into_pyobject(py)?))
    }

    /// The derivative of the weight of contact `index`, in the order of `vertices`, by the positions at rest: vertices, shape (m,), and
    /// a row for each, shape (m, D). A vertex may occur several times. Without `shape_derivatives` there are none.
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn weight_gradient<'py>(
        &self,
        py: Python<'py>,
        index: usize,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray2<f64>>)> {
        either!(AnyContacts, &self.0, touching => {
            if index >= touching.contacts.len() {
                let count = touching.contacts.len();
                return Err(PyIndexError::new_err(format!("index: {index} of {count} contacts")));
            }
            let (vertices, slopes): (Vec<_>, Vec<_>) = touching.weight_gradient(index).into_iter().unzip();
            Ok((PyArray1::from_vec(py, vertices), from_vectors(py, &slopes)))
        })
    }

    #[pyo3(name = "__len__")]
    pub fn len(&self) -> usize {
        either!(AnyContacts, &self.0, touching => touching.contacts.len())
    }

    fn __repr__(&self) -> String {
        either!(AnyContacts, &self.0, touching => format!(
            "Contacts({} pairs closer than {})", touching.contacts.len(), touching.dmin + touching.dhat
        ))
    }

    /// The distance beyond dmin below which a pair is in contact, in m.
    #[getter]
    fn dhat(&self) -> f64 {
        either!(AnyContacts, &self.0, touching => touching.dhat)
    }

    /// The distance that no pair may fall below, in m.
    #[getter]
    fn dmin(&self) -> f64 {
        either!(AnyContacts, &self.0, touching => touching.dmin)
    }

    /// Whether they have what `BarrierPotential.shape_derivative` needs.
    #[getter]
    fn has_shape_derivatives(&self) -> bool {
        either!(AnyContacts, &self.0, touching => touching.sources.is_some())
    }

    /// The vertices of the contacts by kind, arrays of shape (k, 2), (k, 3), (k, 4) or (k, 1): vv, ve, ee, vf, parallel, obstacle.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let c = either!(AnyContacts, &self.0, touching => &touching.contacts);
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
        let contacts = either!(AnyContacts, &self.0, touching => &touching.contacts);
        PyArray1::from_iter(py, contacts.weights().iter().copied())
    }

    /// How many contacts there are of each kind: vv, ve, ee, vf, parallel (nearly parallel edges) and obstacle.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let contacts = either!(AnyContacts, &self.0, touching => &touching.contacts);
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
    pub fn smallest_gap(&self, x: &Bound<'_, PyAny>) -> PyResult<f64> {
        either!(AnyContacts, &self.0, touching => {
            let positions = touching.field("x", x)?;
            Ok(x.py().detach(|| touching.contacts.smallest_gap(&positions, &touching.obstacles.solids)))
        })
    }

    /// Which parts of nearly parallel edges are closest, shape (k, 2): 0 the first vertex, 1 the second, 2 the inside.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u8>> {
        let contacts = either!(AnyContacts, &self.0, touching => &touching.contacts);
        let parts: Vec<u8> =
            contacts.parallel.iter().flat_map(|c| [part_number(c.parts.0), part_number(c.parts.1)]).collect();
        from_rows(py, &parts, 2)
    }

    /// Thresholds of the mollifiers of nearly parallel edges, shape (k,), in m⁴.
    #[getter]
    fn thresholds<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let contacts = either!(AnyContacts, &self.0, touching => &touching.contacts);
        PyArray1::from_iter(py, contacts.parallel.iter().map(|c| c.threshold))
    }

    /// Numbers of the obstacles of the contacts with obstacles, shape (k,).
    #[getter]
    fn obstacle_numbers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let contacts = either!(AnyContacts, &self.0, touching => &touching.contacts);
        PyArray1::from_iter(py, contacts.obstacle.iter().map(|c| c.obstacle))
    }

    /// One stiffness for each contact, from its mass, its gap and what is behind it; to be used as `kappa`.
    ///
    ///     κ = m̄/(d − dmin)² + wᵀHw        w = c⊗n/|c|,  m̄ = cᵀMc/|c|²
    ///
    /// c are the weights of the contact's vertices in the vector between the closest points, n its direction.
    ///
    /// `masses`: of the vertices, shape (n,). `hessian`: of all other energies, shape (n·D, n·D), dense or sparse.
    /// `dmin`: another one than that of the contacts.
    #[pyo3(signature = (x, masses, hessian, *, dmin=None))]
    fn semi_implicit_stiffness<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        masses: &Bound<'py, PyAny>,
        hessian: &Bound<'py, PyAny>,
        dmin: Option<f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        either!(AnyContacts, &self.0, touching => {
            let positions = touching.field("x", x)?;
            let masses = reals("masses", masses)?;
            if let Some(entry) = masses.iter().position(|mass| !(mass.is_finite() && *mass >= 0.0)) {
                return Err(at("masses", format!("entry {entry} is {}, expected 0 or more", masses[entry])));
            }
            let hessian = Given::read(hessian, flat(&positions).len())?;
            let block = |row, column| hessian.block(row, column);
            let dmin = dmin.unwrap_or(touching.dmin);
            let found = x.py().detach(|| {
                let of = SemiImplicit { x: &positions, masses: &masses, hessian: &block, dmin };
                of.stiffnesses(&touching.contacts, &touching.obstacles.solids)
            });
            let found = found.map_err(|error| plain(&error))?;
            Ok(PyArray1::from_iter(x.py(), found.iter().copied()))
        })
    }
}

impl Contacts {
    /// The contacts at positions, as picked.
    pub fn at(
        surface: &Surface,
        x: &Bound<'_, PyAny>,
        obstacles: Option<&Bound<'_, PyAny>>,
        pick: Pick<'_, '_>,
    ) -> PyResult<Self> {
        Ok(Self(match &surface.0 {
            AnySurface::Flat(surface) => {
                AnyContacts::Flat(SurfaceContacts::new(surface, x, obstacles, pick)?)
            }
            AnySurface::Solid(surface) => {
                AnyContacts::Solid(SurfaceContacts::new(surface, x, obstacles, pick)?)
            }
        }))
    }
}

/// Where contacts begin and where nothing may come.
#[derive(Clone, Copy)]
pub struct Distances {
    dhat: f64,
    dmin: f64,
}

impl Distances {
    /// Both in m, checked.
    pub fn new(dhat: f64, dmin: f64) -> PyResult<Self> {
        // The barrier's own checks, whichever it will be.
        let kind = stiction::barrier::BarrierKind::default();
        BarrierLaw::new(kind, dhat).and_then(|law| law.with_dmin(dmin)).map_err(|error| plain(&error))?;
        Ok(Self { dhat, dmin })
    }

    fn reach(self) -> f64 {
        self.dmin + self.dhat
    }
}

/// The pairs to look at, or how to find them.
enum Near {
    Given(Candidates),
    By(BroadPhaseKind),
}

/// Which pairs are contacts, the pairs to look at, and what to keep.
pub struct Pick<'a, 'py> {
    distances: Distances,
    selection: Selection,
    near: Near,
    shape_derivatives: bool,
    factor: Option<&'a Bound<'py, PyAny>>,
}

impl Pick<'_, '_> {
    /// From names; `near` are the pairs to look at, by default those that the broad phase finds.
    fn read(
        distances: Distances,
        contact_set: &str,
        weights: &str,
        broad_phase: &str,
        near: Option<Candidates>,
    ) -> PyResult<Self> {
        let set = contact_set.parse().map_err(|error| at("contact_set", error))?;
        let weighting = weights.parse().map_err(|error| at("weights", error))?;
        let method = broad_phase.parse().map_err(|error| at("broad_phase", error))?;
        let pick = Self::new(distances, set, weighting, method);
        Ok(match near {
            Some(near) => Self { near: Near::Given(near), ..pick },
            None => pick,
        })
    }

    /// Pairs within `dmin + dhat`, in m, that a broad phase finds.
    pub fn new(distances: Distances, set: ContactSet, weighting: Weighting, method: BroadPhaseKind) -> Self {
        let selection = Selection { reach: distances.reach(), set, weighting };
        Self { distances, selection, near: Near::By(method), shape_derivatives: false, factor: None }
    }

    /// The same, also with what shape derivatives need.
    pub fn with_shape_derivatives(self, shape_derivatives: bool) -> Self {
        Self { shape_derivatives, ..self }
    }
}

impl<const D: usize> SurfaceContacts<D> {
    /// The contacts at positions; those built last, if someone still has them and they are asked for again.
    fn new(
        surface: &Arc<SharedSurface<D>>,
        x: &Bound<'_, PyAny>,
        obstacles: Option<&Bound<'_, PyAny>>,
        pick: Pick<'_, '_>,
    ) -> PyResult<Arc<Self>> {
        let positions = vertex_field(surface, "x", x)?;
        let obstacles = Obstacles::read(obstacles)?;
        let is_plain =
            obstacles.solids.is_empty() && pick.factor.is_none() && matches!(pick.near, Near::By(_));
        if !is_plain {
            return Self::build(x.py(), surface, &positions, obstacles, pick).map(Arc::new);
        }
        if let Some(last) = surface.last_contacts::<Self>()
            && last.is_of(&positions, &pick)
        {
            return Ok(last);
        }
        let selection = pick.selection;
        let touching = Self::build(x.py(), surface, &positions, obstacles, pick)?;
        let touching = Arc::new(Self { origin: Some(Origin { x: positions, selection }), ..touching });
        surface.keep_contacts(&touching);
        Ok(touching)
    }

    /// Whether these are the contacts that building them once more would give.
    fn is_of(&self, x: &[Vector<D>], pick: &Pick<'_, '_>) -> bool {
        let Distances { dhat, dmin } = pick.distances;
        (self.dhat, self.dmin) == (dhat, dmin)
            && self.sources.is_some() == pick.shape_derivatives
            && self.origin.as_ref().is_some_and(|origin| origin.selection == pick.selection && origin.x == x)
    }

    fn build(
        py: Python<'_>,
        surface: &Arc<SharedSurface<D>>,
        positions: &[Vector<D>],
        obstacles: Obstacles<D>,
        Pick { distances, selection, near, shape_derivatives, factor }: Pick<'_, '_>,
    ) -> PyResult<Self> {
        // Both boxes of a pair grow, so half the distance each.
        let inflation = 0.5 * selection.reach;
        if matches!(near, Near::By(_)) {
            crowd::check(surface, positions, positions, inflation)?;
        }
        let contacts = py.detach(|| {
            selection.check()?;
            let near = match near {
                Near::Given(near) => {
                    contact::Contacts::check_input(surface, &near, positions, &selection)?;
                    near
                }
                // Candidates of our own need no check, and positions have had theirs.
                Near::By(method) => surface.candidates(method, positions, positions, inflation),
            };
            let build = contact::Contacts::build_with_sources;
            if shape_derivatives {
                let (contacts, sources) = build(surface, &near, &obstacles.solids, positions, &selection);
                return Ok((contacts, Some(sources)));
            }
            Ok((contact::Contacts::build(surface, &near, &obstacles.solids, positions, &selection), None))
        });
        let (mut contacts, sources) = contacts.map_err(|error: Error| plain(&error))?;
        if let Some(function) = factor {
            scale_weights(&mut contacts, positions, function)?;
        }
        Ok(Self { sources, ..Self::plain(surface, obstacles, distances, contacts) })
    }

    /// Of lists.
    fn of(
        surface: &Arc<SharedSurface<D>>,
        distances: Distances,
        obstacles: Option<&Bound<'_, PyAny>>,
        lists: &Lists<'_, '_>,
    ) -> PyResult<Self> {
        let obstacles = Obstacles::read(obstacles)?;
        let contacts = lists.read(surface.rest().len(), obstacles.solids.len())?;
        Ok(Self::plain(surface, obstacles, distances, contacts))
    }

    fn restored(
        surface: &Arc<SharedSurface<D>>,
        distances: Distances,
        obstacles: &Bound<'_, PyAny>,
        stored: &Bound<'_, PyDict>,
        sources: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let list = |name| stored.get_item(name);
        let (vv, ve, ee, vf) = (list("vv")?, list("ve")?, list("ee")?, list("vf")?);
        let (parallel, parts, thresholds) = (list("parallel")?, list("parts")?, list("thresholds")?);
        let (obstacle, numbers, weights) = (list("obstacle")?, list("numbers")?, list("weights")?);
        let lists = Lists {
            vv: vv.as_ref(),
            ve: ve.as_ref(),
            ee: ee.as_ref(),
            vf: vf.as_ref(),
            parallel: parallel.as_ref(),
            parts: parts.as_ref(),
            thresholds: thresholds.as_ref(),
            obstacle: obstacle.as_ref(),
            numbers: numbers.as_ref(),
            weights: weights.as_ref(),
        };
        let (vertices, edges) = (surface.rest().len(), surface.edges().len());
        let sources = sources.map(|sources| weight_lists::read(sources, vertices, edges)).transpose()?;
        Ok(Self { sources, ..Self::of(surface, distances, Some(obstacles), &lists)? })
    }

    fn plain(
        surface: &Arc<SharedSurface<D>>,
        obstacles: Obstacles<D>,
        Distances { dhat, dmin }: Distances,
        contacts: contact::Contacts,
    ) -> Self {
        let surface = surface.clone();
        Self { surface, obstacles, dhat, dmin, contacts, sources: None, origin: None }
    }

    pub fn with_weights(&self, weights: &Bound<'_, PyAny>, keep_sources: bool) -> PyResult<Self> {
        let mut contacts = self.contacts.clone();
        set_weights(&mut contacts, weights)?;
        let sources = self.sources.clone().filter(|_| keep_sources);
        Ok(Self { sources, ..self.with_contacts(contacts) })
    }

    /// The same with other contacts, without what shape derivatives need.
    pub fn with_contacts(&self, contacts: contact::Contacts) -> Self {
        let distances = Distances { dhat: self.dhat, dmin: self.dmin };
        Self::plain(&self.surface, self.obstacles.clone(), distances, contacts)
    }

    /// `∂w/∂X` of a contact, in parts.
    fn weight_gradient(&self, index: usize) -> Vec<(u32, Vector<D>)> {
        let (Some(sources), c) = (&self.sources, &self.contacts) else { return vec![] };
        let kinds = [
            (c.vv.len(), &sources.vv),
            (c.ve.len(), &sources.ve),
            (c.ee.len(), &sources.ee),
            (c.vf.len(), &sources.vf),
            (c.parallel.len(), &sources.parallel),
            (c.obstacle.len(), &sources.obstacle),
        ];
        let mut index = index;
        for (count, shares) in kinds {
            if index < count {
                return shares.of(index).iter().flat_map(|share| self.area_gradient(*share)).collect();
            }
            index -= count;
        }
        vec![]
    }

    fn area_gradient(&self, share: AreaShare) -> Vec<(u32, Vector<D>)> {
        let (gradient, factor) = match share {
            AreaShare::Vertex(v, factor) => (self.surface.vertex_area_gradient(v), factor),
            AreaShare::Edge(e, factor) => (self.surface.edge_area_gradient(e), factor),
        };
        gradient.into_iter().map(|(v, slope)| (v, slope * factor)).collect()
    }

    /// The distance up to which contacts were collected, in m.
    pub fn reach(&self) -> f64 {
        self.dmin + self.dhat
    }

    /// The positions or other vectors of all vertices called `name`.
    pub fn field(&self, name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Vector<D>>> {
        let field = vertex_field(&self.surface, name, object)?;
        check_size(name, &field)?;
        Ok(field)
    }
}

/// Contacts as they were stored.
#[pyfunction]
#[pyo3(name = "_restore_contacts")]
pub fn restore_contacts(
    surface: &Surface,
    dhat: f64,
    dmin: f64,
    obstacles: &Bound<'_, PyAny>,
    lists: &Bound<'_, PyDict>,
    sources: Option<&Bound<'_, PyAny>>,
) -> PyResult<Contacts> {
    let distances = Distances::new(dhat, dmin)?;
    Ok(Contacts(match &surface.0 {
        AnySurface::Flat(surface) => AnyContacts::Flat(
            SurfaceContacts::restored(surface, distances, obstacles, lists, sources)?.into(),
        ),
        AnySurface::Solid(surface) => AnyContacts::Solid(
            SurfaceContacts::restored(surface, distances, obstacles, lists, sources)?.into(),
        ),
    }))
}

/// The number of a part of an edge in Python.
fn part_number(part: EdgePart) -> u8 {
    match part {
        EdgePart::Start => 0,
        EdgePart::End => 1,
        EdgePart::Inside => 2,
    }
}

/// Multiplies the weights by what a function of Python returns for the places of the contacts.
fn scale_weights<const D: usize>(
    contacts: &mut contact::Contacts,
    x: &[Vector<D>],
    function: &Bound<'_, PyAny>,
) -> PyResult<()> {
    // Other threads may be asking Python meanwhile.
    let places: Vec<Vector<D>> = function.py().detach(|| contacts.places(x).iter().copied().collect());
    let factors = reals("weight_factor", &function.call1((from_vectors(function.py(), &places),))?)?;
    if let Some(entry) = factors.iter().position(|factor| !factor.is_finite()) {
        return Err(at("weight_factor", format!("returned a number that is not finite, entry {entry}")));
    }
    contacts.multiply_weights(&factors).map_err(|error| at("weight_factor", error))
}

/// Pairs of primitives, as the function `candidates` returns them.
pub fn read_candidates(object: &Bound<'_, PyAny>) -> PyResult<Candidates> {
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
