//! How far each vertex may move by itself.

use std::sync::{Arc, MutexGuard};

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use stiction::ogc;

use crate::array::{from_vectors, reals, vectors};
use crate::error::{not_negative, plain};
use crate::lock::Lock;
use crate::obstacles::Obstacles;
use crate::shared_surface::SharedSurface;
use crate::surface::{AnySurface, Surface, either, vertex_field};

/// A trust region in 2D or 3D.
enum AnyRegion {
    Flat(Placed<2>),
    Solid(Placed<3>),
}

/// A trust region, and what it is for.
struct Placed<const D: usize> {
    surface: Arc<SharedSurface<D>>,
    obstacles: Obstacles<D>,
    /// The numbers that it was made with.
    numbers: [f64; 4],
    /// Locked while it is used: calls from several threads wait for each other.
    region: Lock<ogc::TrustRegion<D>>,
}

/// A ball around every vertex: while each stays in its own, nothing touches, whatever the others do.
///
///     ρ = ½ γ min(distance to what is near − ξ, inflation − ξ)
///
/// Vertices that are not on the surface, such as those inside solids, may move as they like. Arrays are taken in any order of memory
/// and never changed: methods return new ones.
///
/// `surface`: what can touch.
/// `dhat`: distance in m below which pairs are in contact; pairs are looked for up to twice that.
/// `obstacles`: as for Contacts.
/// `min_distance`: ξ in m, which no pair falls below.
/// `relaxation`: γ, the part of distances that may be used up.
/// `update_threshold`: the part of the vertices that may be held before the region needs an update.
#[pyclass(frozen, module = "stiction._stiction")]
pub struct TrustRegion(AnyRegion);

#[pymethods]
impl TrustRegion {
    #[new]
    #[pyo3(signature = (surface, dhat, obstacles=None, *, min_distance=0.0, relaxation=0.9, update_threshold=0.01))]
    fn new(
        surface: &Surface,
        dhat: f64,
        obstacles: Option<&Bound<'_, PyAny>>,
        min_distance: f64,
        relaxation: f64,
        update_threshold: f64,
    ) -> PyResult<Self> {
        let numbers = [dhat, min_distance, relaxation, update_threshold];
        Ok(Self(match &surface.0 {
            AnySurface::Flat(surface) => AnyRegion::Flat(Placed::new(surface, obstacles, numbers)?),
            AnySurface::Solid(surface) => AnyRegion::Solid(Placed::new(surface, obstacles, numbers)?),
        }))
    }

    fn __repr__(&self) -> PyResult<String> {
        either!(AnyRegion, &self.0, r => {
            // One lock for both: a second one would wait for the first.
            let region = r.lock()?;
            Ok(format!("TrustRegion({} balls, needs_update={})", region.radii().len(), region.needs_update()))
        })
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let (surface, [dhat, min_distance, relaxation, threshold], obstacles) = match &self.0 {
            AnyRegion::Flat(r) => (AnySurface::Flat(r.surface.clone()), r.numbers, r.obstacles.list(py)?),
            AnyRegion::Solid(r) => (AnySurface::Solid(r.surface.clone()), r.numbers, r.obstacles.list(py)?),
        };
        let named = PyDict::new(py);
        named.set_item("min_distance", min_distance)?;
        named.set_item("relaxation", relaxation)?;
        named.set_item("update_threshold", threshold)?;
        Ok(((Surface(surface), dhat, obstacles).into_pyobject(py)?, named))
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        either!(AnyRegion, &self.0, r => {
            let region = py.detach(|| r.lock().map(|region| region.clone()))?;
            let (centers, radii) = (from_vectors(py, region.centers()), PyArray1::from_slice(py, region.radii()));
            (centers, radii, region.inflation(), region.needs_update()).into_pyobject(py)
        })
    }

    fn __setstate__(&self, stored: (Bound<'_, PyAny>, Bound<'_, PyAny>, f64, bool)) -> PyResult<()> {
        let (centers, radii, inflation, needs_update) = stored;
        let radii = reals("radii", &radii)?;
        either!(AnyRegion, &self.0, r => {
            let centers = vectors("centers", &centers)?;
            let mut region = r.lock()?;
            let restored = region.clone().with_balls(centers, radii, inflation, needs_update);
            *region = restored.map_err(|error| plain(&error))?;
        });
        Ok(())
    }

    /// The middles of the balls in m, shape (n, D); without rows before the first update.
    #[getter]
    fn centers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnyRegion, &self.0, r => {
            // An array is not made under the lock: that may run anybody's finaliser, which may want it.
            let centers = r.lock()?.centers().to_vec();
            Ok(from_vectors(py, &centers))
        })
    }

    /// The radii of the balls in m, shape (n,); infinite for vertices that are not on the surface.
    #[getter]
    fn radii<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        either!(AnyRegion, &self.0, r => {
            let radii = r.lock()?.radii().to_vec();
            Ok(PyArray1::from_vec(py, radii))
        })
    }

    /// The distance up to which pairs are looked for, in m.
    #[getter]
    fn inflation(&self) -> PyResult<f64> {
        either!(AnyRegion, &self.0, r => Ok(r.lock()?.inflation()))
    }

    /// Whether too many vertices were held since the last update, or there was none.
    #[getter]
    fn needs_update(&self) -> PyResult<bool> {
        either!(AnyRegion, &self.0, r => Ok(r.lock()?.needs_update()))
    }

    /// The inflation with which `candidates` at the centers has all pairs that come within `reach` (in m) while the vertices stay in
    /// their balls.
    fn contact_inflation(&self, reach: f64) -> PyResult<f64> {
        let reach = not_negative("reach", reach)?;
        either!(AnyRegion, &self.0, r => Ok(r.lock()?.contact_inflation(reach)))
    }

    /// Puts the balls around positions x, shape (n, D), in m.
    fn update(&self, x: &Bound<'_, PyAny>) -> PyResult<()> {
        either!(AnyRegion, &self.0, r => {
            let positions = vertex_field(&r.surface, "x", x)?;
            x.py().detach(|| r.lock()?.update(&r.surface, &r.obstacles.solids, &positions).map_err(|error| plain(&error)))
        })
    }

    /// `update` if `needs_update`; whether it was done.
    fn update_if_needed(&self, x: &Bound<'_, PyAny>) -> PyResult<bool> {
        let needed = self.needs_update()?;
        if needed {
            self.update(x)?;
        }
        Ok(needed)
    }

    /// Moves x towards where it is predicted as far as the balls around x allow, both of shape (n, D), in m.
    ///
    /// Returns the new positions and how many vertices were held. The balls are put around the new positions if those were too many.
    fn warm_start<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        predicted: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
        either!(AnyRegion, &self.0, r => {
            let mut positions = vertex_field(&r.surface, "x", x)?;
            let predicted = vertex_field(&r.surface, "predicted", predicted)?;
            let held = x.py().detach(|| {
                let mut region = r.lock()?;
                region.warm_start(&r.surface, &r.obstacles.solids, &mut positions, &predicted).map_err(|error| plain(&error))
            })?;
            Ok((from_vectors(x.py(), &positions), held))
        })
    }

    /// The step of each vertex from x, shortened to end in its ball; all of shape (n, D), in m.
    ///
    /// Returns the new steps and how many vertices were held. If those are too many, the region needs an update.
    fn filter_step<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        step: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
        either!(AnyRegion, &self.0, r => {
            let positions = vertex_field(&r.surface, "x", x)?;
            let mut steps = vertex_field(&r.surface, "step", step)?;
            let held = x.py().detach(|| r.lock()?.filter_step(&r.surface, &positions, &mut steps).map_err(|error| plain(&error)))?;
            Ok((from_vectors(x.py(), &steps), held))
        })
    }

    /// The step of each vertex from x, shortened by planes that divide near pairs; all of shape (n, D), in m.
    ///
    /// Only what goes towards another primitive is held back, so things slide along each other. No update is needed before, but one
    /// is before the next `filter_step`. Returns the new steps and how many vertices were held.
    fn planar_filter_step<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        step: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
        either!(AnyRegion, &self.0, r => {
            let positions = vertex_field(&r.surface, "x", x)?;
            let mut steps = vertex_field(&r.surface, "step", step)?;
            let held = x.py().detach(|| {
                let mut region = r.lock()?;
                region.planar_filter_step(&r.surface, &r.obstacles.solids, &positions, &mut steps).map_err(|error| plain(&error))
            })?;
            Ok((from_vectors(x.py(), &steps), held))
        })
    }
}

impl<const D: usize> Placed<D> {
    fn lock(&self) -> PyResult<MutexGuard<'_, ogc::TrustRegion<D>>> {
        self.region.lock()
    }

    fn new(
        surface: &Arc<SharedSurface<D>>,
        obstacles: Option<&Bound<'_, PyAny>>,
        numbers: [f64; 4],
    ) -> PyResult<Self> {
        let [dhat, min_distance, relaxation, threshold] = numbers;
        let region = ogc::TrustRegion::new(dhat)
            .and_then(|region| region.with_min_distance(min_distance))
            .and_then(|region| region.with_relaxation(relaxation))
            .and_then(|region| region.with_update_threshold(threshold));
        let region = region.map_err(|error| plain(&error))?;
        Ok(Self {
            surface: surface.clone(),
            obstacles: Obstacles::read(obstacles)?,
            numbers,
            region: Lock::new(region),
        })
    }
}
