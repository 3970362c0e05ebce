//! Contacts as friction sees them.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use numpy::{PyArray1, PyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use stiction::error::Error;
use stiction::friction::LaggedForce;
use stiction::friction::{self, Anisotropy, Axes, Blend, Coefficients, Entry, FrictionKind, Mu, MuOrder};
use stiction::math::Vector;

use crate::array::{from_rows, from_vectors, reals, vector};
use crate::barrier_potential::{BarrierPotential, Setting};
use crate::contacts::{AnyContacts, Contacts, Scene};
use crate::error::{at, plain};
use crate::friction_law::read_law;
use crate::slide_arrays::{Arrays, Replacement};
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
    pub scene: Arc<Scene<D>>,
    pub barrier: Setting,
    /// Where they were lagged.
    x: Arc<Vec<Vector<D>>>,
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
            AnyContacts::Flat(scene) => AnySlides::Flat(Held::new(scene, x, &potential.0, &pick)?),
            AnyContacts::Solid(scene) => AnySlides::Solid(Held::new(scene, x, &potential.0, &pick)?),
        }))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        either!(AnySlides, &self.0, held => py.detach(|| held.read().len()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Slides({} contacts)", self.__len__(py))
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

    /// The same slides with other contacts, which must be of the same vertices: normal forces taken anew, the rest as it is.
    fn of_contacts(&self, contacts: &Contacts) -> PyResult<Self> {
        Ok(Self(match (&self.0, &contacts.0) {
            (AnySlides::Flat(held), AnyContacts::Flat(scene)) => AnySlides::Flat(held.of_contacts(scene)?),
            (AnySlides::Solid(held), AnyContacts::Solid(scene)) => AnySlides::Solid(held.of_contacts(scene)?),
            _ => return Err(at("contacts", "are of another dimension")),
        }))
    }

    /// Makes effective coefficients of `static_axes` and `kinetic_axes`, in the directions of the slides that velocities v make.
    ///
    ///     μ_eff = √((μ₀t₀)² + (μ₁t₁)²)
    fn refresh_anisotropy(&self, v: &Bound<'_, PyAny>) -> PyResult<()> {
        either!(AnySlides, &self.0, held => {
            let velocities = held.scene.field("v", v)?;
            v.py().detach(|| held.write().refresh_anisotropy(&velocities));
            Ok(())
        })
    }

    /// Other slides of the same contacts that have what is given, arrays with a row for each contact, in their order, and the rest of these.
    ///
    /// `forces`: normal forces in N, shape (k,). `mu`: effective coefficients, shape (k, 2), and `own_mu` those that they are where there is no
    /// direction to them. `scaling`, `static_axes`, `kinetic_axes`: as for the constructor, shape (k, 2); where one of them is given,
    /// what is not is ones and zeros. `normals`: unit vectors, shape (k, D), and `axes`: the first axes of anisotropic friction, across the normals; a row of zeros leaves a slide its own.
    /// `closest`: weights of the vertices in the relative velocity, shape (k, 4), zeros beyond the last vertex.
    /// `weights`: of the contacts, shape (k,), for `FrictionPotential.force`.
    #[pyo3(signature = (
        *, forces=None, mu=None, own_mu=None, scaling=None, static_axes=None, kinetic_axes=None, normals=None, axes=None,
        closest=None, weights=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn replaced(
        &self,
        forces: Option<&Bound<'_, PyAny>>,
        mu: Option<&Bound<'_, PyAny>>,
        own_mu: Option<&Bound<'_, PyAny>>,
        scaling: Option<&Bound<'_, PyAny>>,
        static_axes: Option<&Bound<'_, PyAny>>,
        kinetic_axes: Option<&Bound<'_, PyAny>>,
        normals: Option<&Bound<'_, PyAny>>,
        axes: Option<&Bound<'_, PyAny>>,
        closest: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let arrays =
            Arrays { forces, mu, own_mu, scaling, static_axes, kinetic_axes, normals, axes, closest };
        Ok(Self(match &self.0 {
            AnySlides::Flat(held) => AnySlides::Flat(held.replaced(&arrays, weights)?),
            AnySlides::Solid(held) => AnySlides::Solid(held.replaced(&arrays, weights)?),
        }))
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

/// What the constructor is told about coefficients.
struct Pick<'a, 'py> {
    mu: &'a Bound<'py, PyAny>,
    mu_k: Option<&'a Bound<'py, PyAny>>,
    blend: Option<&'a Bound<'py, PyAny>>,
    anisotropy: Anisotropy,
    direction: Option<&'a Bound<'py, PyAny>>,
    order: MuOrder,
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
        scene: &Arc<Scene<D>>,
        x: &Bound<'_, PyAny>,
        barrier: &Setting,
        pick: &Pick<'_, '_>,
    ) -> PyResult<Self> {
        let positions = scene.field("x", x)?;
        let trouble = Trouble::default();
        let coefficients = pick.coefficients(scene.surface.rest().len(), &trouble)?;
        let slides = barrier.on(x.py(), scene, |barrier| {
            friction::lag::check(barrier, &positions, &coefficients)?;
            Ok(friction::lag(barrier, &positions, &coefficients))
        })?;
        trouble.raise()?;
        let slides = slides.map_err(|error| plain(&error))?;
        Ok(Self::of(scene.clone(), barrier.clone(), positions.into(), slides))
    }

    fn of(
        scene: Arc<Scene<D>>,
        barrier: Setting,
        x: Arc<Vec<Vector<D>>>,
        slides: friction::Slides<D>,
    ) -> Self {
        Self { scene, barrier, x, slides: RwLock::new(slides), hessian: Kept::default() }
    }

    fn replaced(&self, arrays: &Arrays<'_, '_>, weights: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let scene = match weights {
            Some(weights) => self.scene.with_weights(weights, true)?.into(),
            None => self.scene.clone(),
        };
        let mut slides = self.read().clone();
        let replacement: Replacement<D> = arrays.read(slides.len())?;
        replacement.apply(&mut slides, self.scene.contacts.ee.len(), &self.x);
        Ok(Self::of(scene, self.barrier.clone(), self.x.clone(), slides))
    }

    fn at(&self, x: &Bound<'_, PyAny>) -> PyResult<Self> {
        let positions = self.scene.field("x", x)?;
        self.lagged_at(x.py(), &self.scene, positions.into())
    }

    fn of_contacts(&self, scene: &Arc<Scene<D>>) -> PyResult<Self> {
        Python::attach(|py| self.lagged_at(py, scene, self.x.clone()))
    }

    fn lagged_at(&self, py: Python<'_>, scene: &Arc<Scene<D>>, x: Arc<Vec<Vector<D>>>) -> PyResult<Self> {
        let slides = self.barrier.on(py, scene, |barrier| {
            let slides = self.read();
            let force = LaggedForce::new(barrier, &slides, FrictionKind::default(), 1.0)?;
            Ok(force.slides(&x))
        })?;
        let slides = slides.map_err(|error: Error| plain(&error))?;
        Ok(Self::of(scene.clone(), self.barrier.clone(), x, slides))
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
        let (ee, parallel) = s.ee.split_at(s.ee.len().min(self.scene.contacts.ee.len()));
        all(&s.vv)
            .chain(all(&s.ve))
            .chain(all(ee))
            .chain(all(&s.vf))
            .chain(all(parallel))
            .chain(all(&s.obstacle))
            .collect()
    }
}

impl Pick<'_, '_> {
    fn coefficients<const D: usize>(&self, vertices: usize, trouble: &Trouble) -> PyResult<Coefficients<D>> {
        let (s, k) =
            (read_numbers("mu", self.mu)?, self.mu_k.map(|mu| read_numbers("mu_k", mu)).transpose()?);
        let k = k.as_ref().unwrap_or(&s);
        let blend = self.blend.map_or(Ok(Blend::Mean), |blend| read_blend(blend, trouble))?;
        let axes = self.axes()?;
        let (s, k) = (&s, k);
        if self.blend.is_some() && matches!((s, k), (Numbers::One(_), Numbers::One(_))) {
            return Err(at("blend", "means nothing where mu is one number: give one for each vertex"));
        }
        let mu = Mu { s: s.at(0), k: k.at(0) };
        let entry = Entry { mu, anisotropy: self.anisotropy, axes };
        if matches!((s, k), (Numbers::One(_), Numbers::One(_))) {
            return Ok(Coefficients::from(entry).with_order(self.order));
        }
        for (name, numbers) in [("mu", s), ("mu_k", k)] {
            if let Numbers::Each(list) = numbers
                && list.len() != vertices
            {
                let found = list.len();
                return Err(at(
                    name,
                    format!("has {found} entries, expected {vertices}, one for each vertex"),
                ));
            }
        }
        let list = (0..vertices).map(|vertex| Mu { s: s.at(vertex), k: k.at(vertex) }).collect();
        let coefficients = Coefficients::from(Entry { mu: Mu::default(), ..entry }).with_order(self.order);
        coefficients.with_vertices(list, blend).map_err(|error| plain(&error))
    }

    fn axes<const D: usize>(&self) -> PyResult<Axes<D>> {
        let Some(direction) = self.direction else { return Ok(Axes::Contact) };
        if self.anisotropy == Anisotropy::None {
            return Err(at("direction", "means nothing without scaling, static_axes or kinetic_axes"));
        }
        Ok(Axes::World(vector("direction", direction)?))
    }
}

/// One number, or a list.
enum Numbers {
    One(f64),
    Each(Vec<f64>),
}

impl Numbers {
    /// The number of a vertex; 0 where the list has none.
    fn at(&self, vertex: usize) -> f64 {
        match self {
            Self::One(number) => *number,
            Self::Each(list) => list.get(vertex).copied().unwrap_or(0.0),
        }
    }
}

fn read_numbers(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Numbers> {
    let is_list = object.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() > 0);
    if let (false, Ok(number)) = (is_list, object.extract::<f64>()) {
        return Ok(Numbers::One(number));
    }
    reals(name, object).map(Numbers::Each)
}

/// A blend by name, or a function of two numbers, whose first error is kept in `trouble`.
fn read_blend(blend: &Bound<'_, PyAny>, trouble: &Trouble) -> PyResult<Blend> {
    if let Ok(name) = blend.extract::<String>() {
        return name.parse().map_err(|error| at("blend", error));
    }
    if !blend.is_callable() {
        return Err(at("blend", "expected a name or a function of two numbers"));
    }
    let (function, trouble) = (blend.clone().unbind(), trouble.clone());
    Ok(Blend::Custom(Arc::new(move |a, b| {
        if trouble.is_there() {
            return 0.0;
        }
        Python::attach(|py| call_blend(function.bind(py), a, b)).unwrap_or_else(|error| {
            trouble.note(error);
            0.0
        })
    })))
}

fn call_blend(function: &Bound<'_, PyAny>, a: f64, b: f64) -> PyResult<f64> {
    let found: f64 = function.call1((a, b))?.extract().map_err(|_| at("blend", "returned no number"))?;
    if found >= 0.0 && found.is_finite() {
        return Ok(found);
    }
    Err(at("blend", format!("returned {found} for {a} and {b}, expected a number, 0 or larger")))
}

fn read_anisotropy(
    scaling: Option<[f64; 2]>,
    static_axes: Option<[f64; 2]>,
    kinetic_axes: Option<[f64; 2]>,
) -> Anisotropy {
    match (scaling, static_axes, kinetic_axes) {
        (None, None, None) => Anisotropy::None,
        (Some(scaling), None, None) => Anisotropy::Scaling(scaling),
        (scaling, s, k) => Anisotropy::Matchstick {
            s: s.unwrap_or_default(),
            k: k.unwrap_or_default(),
            scaling: scaling.unwrap_or([1.0; 2]),
        },
    }
}
