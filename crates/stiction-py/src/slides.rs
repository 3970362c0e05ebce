//! Contacts as friction sees them.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use stiction::error::Error;
use stiction::friction::LaggedForce;
use stiction::friction::{self, FrictionKind, Mu, MuOrder};
use stiction::math::Vector;

use crate::array::{from_rows, from_vectors, vector};
use crate::barrier_potential::{BarrierPotential, Placed, Setting};
use crate::coefficients::{Pick, read_anisotropy};
use crate::contacts::{AnyContacts, Contacts, SurfaceContacts};
use crate::error::plain;
use crate::friction_law::read_law;
use crate::slide_lists;
use crate::sparse::Kept;
use crate::surface::either;
use crate::trouble::Trouble;

/// Slides in 2D or 3D.
pub enum AnySlides {
    Flat(Held<2>),
    Solid(Held<3>),
}

/// Slides with the contacts that they are of.
pub struct Held<const D: usize> {
    pub touching: Arc<SurfaceContacts<D>>,
    pub barrier: Setting,
    /// Where they were lagged.
    pub x: Arc<Vec<Vector<D>>>,
    /// Many may read it at a time; who changes it is alone.
    slides: RwLock<friction::Slides<D>>,
    pub hessian: Kept<D>,
}

/// Contacts as friction sees them: normal forces, sliding planes, closest points and coefficients, held fixed ("lagged") at positions x.
///
/// See `FrictionPotential` for the friction on them.
///
/// `contacts`: what touches. `x`: positions to lag at, shape (n, D), in m. `potential`: the barrier, whose forces are the normal forces.
/// `mu`: friction coefficient, one number or one for each vertex, shape (n,); `mu_k`: the kinetic one, if it is another.
/// `blend`: makes one coefficient of two vertices' ones: `"mean"`, `"product"`, `"minimum"`, `"maximum"`, `"geometric_mean"` or a function of two numbers.
/// `scaling`: two factors of the slide along the axes of anisotropic friction; along axis i friction is that of mu times factor i.
/// `static_axes`, `kinetic_axes`: coefficients along the axes, of which `refresh_anisotropy` makes those in the direction of the slide.
/// `direction`: of the first axis, a vector that is projected to the sliding plane; by default the tangent of the contact.
/// `law`: that will act on the slides; `mu` less than `mu_k` is possible only with a law that has no peak, such as `"smooth_mu"`.
#[pyclass(frozen, module = "stiction")]
pub struct Slides(pub AnySlides);

#[pymethods]
impl Slides {
    #[new]
    #[pyo3(signature = (
        contacts, x, potential, mu, mu_k=None, *, blend=None, scaling=None, static_axes=None, kinetic_axes=None, direction=None,
        law=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        contacts: &Contacts,
        x: &Bound<'_, PyAny>,
        potential: &BarrierPotential,
        mu: &Bound<'_, PyAny>,
        mu_k: Option<&Bound<'_, PyAny>>,
        blend: Option<&Bound<'_, PyAny>>,
        scaling: Option<&Bound<'_, PyAny>>,
        static_axes: Option<&Bound<'_, PyAny>>,
        kinetic_axes: Option<&Bound<'_, PyAny>>,
        direction: Option<&Bound<'_, PyAny>>,
        law: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let two = |name, pair: Option<&Bound<'_, PyAny>>| -> PyResult<Option<[f64; 2]>> {
            pair.map(|pair| Ok(vector(name, pair)?.0)).transpose()
        };
        let (s, k) = (two("static_axes", static_axes)?, two("kinetic_axes", kinetic_axes)?);
        let anisotropy = read_anisotropy(two("scaling", scaling)?, s, k);
        let order = if read_law(law)? == FrictionKind::Peak { MuOrder::Descending } else { MuOrder::Any };
        let pick = Pick { mu, mu_k, blend, anisotropy, direction, order };
        Ok(Self(match &contacts.0 {
            AnyContacts::Flat(touching) => AnySlides::Flat(Held::new(touching, x, &potential.0, &pick)?),
            AnyContacts::Solid(touching) => AnySlides::Solid(Held::new(touching, x, &potential.0, &pick)?),
        }))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        either!(AnySlides, &self.0, held => py.detach(|| held.read().len()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Slides({} contacts)", self.__len__(py))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (contacts, barrier, stored) = match &self.0 {
            AnySlides::Flat(held) => (
                AnyContacts::Flat(held.touching.clone()),
                &held.barrier,
                slide_lists::to_arrays(py, &held.copied(py)),
            ),
            AnySlides::Solid(held) => (
                AnyContacts::Solid(held.touching.clone()),
                &held.barrier,
                slide_lists::to_arrays(py, &held.copied(py)),
            ),
        };
        let x = either!(AnySlides, &self.0, held => from_vectors(py, &held.x));
        let arguments = (Contacts(contacts), BarrierPotential(barrier.clone()), x, stored);
        let restore = py.import("stiction._stiction")?.getattr("_restore_slides")?;
        Ok((restore, arguments.into_pyobject(py)?))
    }

    /// Normal forces λ in N, in the order of the contacts.
    #[getter]
    fn normal_forces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        either!(AnySlides, &self.0, held => {
            PyArray1::from_iter(py, py.detach(|| held.in_order()).iter().map(|slide| slide.force))
        })
    }

    /// Normals of the sliding planes, shape (k, D), in the order of the contacts.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        either!(AnySlides, &self.0, held => {
            let normals: Vec<_> = py.detach(|| held.in_order()).iter().map(|slide| slide.normal).collect();
            from_vectors(py, &normals)
        })
    }

    /// Coefficients `mu_s` and `mu_k`, shape (k, 2), in the order of the contacts: effective ones where they depend on the direction.
    #[getter]
    fn mu<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let pairs: Vec<[f64; 2]> = either!(AnySlides, &self.0, held => {
            py.detach(|| held.in_order()).iter().map(|slide| [slide.mu.s, slide.mu.k]).collect()
        });
        from_rows(py, pairs.as_flattened(), 2)
    }

    /// Weights of the vertices in the relative velocity of the closest points, shape (k, 4), in the order of the contacts; zeros beyond the
    /// last vertex.
    #[getter]
    fn closest<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let weights: Vec<[f64; 4]> = either!(AnySlides, &self.0, held => {
            py.detach(|| held.in_order()).iter().map(|slide| slide.c).collect()
        });
        from_rows(py, weights.as_flattened(), 4)
    }

    /// Makes effective coefficients of `static_axes` and `kinetic_axes`, in the directions of the slides that velocities v make.
    ///
    ///     μ_eff = √((μ₀t₀)² + (μ₁t₁)²)
    fn refresh_anisotropy(&self, v: &Bound<'_, PyAny>) -> PyResult<()> {
        either!(AnySlides, &self.0, held => {
            let velocities = held.touching.field("v", v)?;
            v.py().detach(|| held.write().refresh_anisotropy(&velocities));
            Ok(())
        })
    }

    /// The same slides lagged at other positions: normal forces, planes, closest points and axes taken anew, the rest as it is.
    fn at(&self, x: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(match &self.0 {
            AnySlides::Flat(held) => AnySlides::Flat(held.at(x)?),
            AnySlides::Solid(held) => AnySlides::Solid(held.at(x)?),
        }))
    }

    /// Goes back to `mu` and `mu_k`, as before `refresh_anisotropy`.
    fn reset_anisotropy(&self, py: Python<'_>) {
        either!(AnySlides, &self.0, held => py.detach(|| held.write().reset_anisotropy()));
    }
}

/// Slides as they were stored.
#[pyfunction]
#[pyo3(name = "_restore_slides")]
pub fn restore_slides(
    contacts: &Contacts,
    potential: &BarrierPotential,
    x: &Bound<'_, PyAny>,
    stored: &Bound<'_, PyAny>,
) -> PyResult<Slides> {
    Ok(Slides(match &contacts.0 {
        AnyContacts::Flat(touching) => AnySlides::Flat(Held::restored(touching, &potential.0, x, stored)?),
        AnyContacts::Solid(touching) => AnySlides::Solid(Held::restored(touching, &potential.0, x, stored)?),
    }))
}

/// Refuses slides where things touch, which have no normals or no normal forces.
fn refuse_touching<const D: usize>(
    setting: &Setting,
    barrier: &Placed<'_, D>,
    x: &[Vector<D>],
    slides: &friction::Slides<D>,
) -> Result<(), Error> {
    if slides.is_finite() { Ok(()) } else { setting.refuse(barrier, x) }
}

/// What slides of any kind have.
struct Any<const D: usize> {
    force: f64,
    normal: Vector<D>,
    mu: Mu,
    /// Weights of the vertices; zeros beyond the last.
    c: [f64; 4],
}

impl<const D: usize> Held<D> {
    fn new(
        touching: &Arc<SurfaceContacts<D>>,
        x: &Bound<'_, PyAny>,
        barrier: &Setting,
        pick: &Pick<'_, '_>,
    ) -> PyResult<Self> {
        let positions = touching.field("x", x)?;
        let trouble = Trouble::default();
        let coefficients = pick.coefficients(&touching.surface, &trouble)?;
        let coefficients = coefficients.with_obstacle_velocities(touching.obstacles.velocities.clone());
        let setting = barrier;
        let slides = barrier.on(x.py(), touching, |barrier| {
            friction::lag::check(barrier, &positions, &coefficients)?;
            let slides = friction::lag(barrier, &positions, &coefficients);
            refuse_touching(setting, barrier, &positions, &slides)?;
            Ok(slides)
        })?;
        trouble.raise()?;
        let slides = slides.map_err(|error| plain(&error))?;
        Ok(Self::of(touching.clone(), barrier.clone(), positions.into(), slides))
    }

    pub fn of(
        touching: Arc<SurfaceContacts<D>>,
        barrier: Setting,
        x: Arc<Vec<Vector<D>>>,
        slides: friction::Slides<D>,
    ) -> Self {
        Self { touching, barrier, x, slides: RwLock::new(slides), hessian: Kept::default() }
    }

    fn at(&self, x: &Bound<'_, PyAny>) -> PyResult<Self> {
        let positions = self.touching.field("x", x)?;
        self.lagged_at(x.py(), &self.touching, positions.into())
    }

    /// Lagged anew, for contacts of the same vertices.
    pub fn lagged_at(
        &self,
        py: Python<'_>,
        touching: &Arc<SurfaceContacts<D>>,
        x: Arc<Vec<Vector<D>>>,
    ) -> PyResult<Self> {
        let slides = self.barrier.on(py, touching, |barrier| {
            let slides = self.read();
            let force = LaggedForce::new(barrier, &slides, FrictionKind::default(), 1.0)?;
            let slides = force.slides(&x);
            refuse_touching(&self.barrier, barrier, &x, &slides)?;
            Ok(slides)
        })?;
        let slides = slides.map_err(|error: Error| plain(&error))?;
        Ok(Self::of(touching.clone(), self.barrier.clone(), x, slides))
    }

    fn restored(
        touching: &Arc<SurfaceContacts<D>>,
        barrier: &Setting,
        x: &Bound<'_, PyAny>,
        stored: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let positions = touching.field("x", x)?;
        let slides = slide_lists::read(stored, positions.len())?;
        Ok(Self::of(touching.clone(), barrier.clone(), positions.into(), slides))
    }

    /// A copy, for which those who change it are waited for.
    pub fn copied(&self, py: Python<'_>) -> friction::Slides<D> {
        py.detach(|| self.read().clone())
    }

    pub fn read(&self) -> RwLockReadGuard<'_, friction::Slides<D>> {
        self.slides.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, friction::Slides<D>> {
        self.slides.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// All slides in the order of the contacts.
    fn in_order(&self) -> Vec<Any<D>> {
        fn all<const D: usize, const N: usize>(
            slides: &[friction::Slide<D, N>],
        ) -> impl Iterator<Item = Any<D>> {
            let padded = |c: [f64; N]| std::array::from_fn(|i| c.get(i).copied().unwrap_or(0.0));
            slides.iter().map(move |slide| Any {
                force: slide.force,
                normal: slide.normal,
                mu: slide.mu,
                c: padded(slide.c),
            })
        }
        let s = self.read();
        let (ee, parallel) = s.ee.split_at(s.ee.len().min(self.touching.contacts.ee.len()));
        all(&s.vv)
            .chain(all(&s.ve))
            .chain(all(ee))
            .chain(all(&s.vf))
            .chain(all(parallel))
            .chain(all(&s.obstacle))
            .collect()
    }
}
