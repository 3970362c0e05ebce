//! Friction laws, and contacts as friction sees them.

use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use numpy::{PyArray1, PyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::blocks::{Blocks, FullBlocks};
use stiction::friction::{
    self, Anisotropy, Axes, Blend, Coefficients, Entry, FrictionKind, FrictionLaw as _, FrictionPotential,
    LaggedForce, Motion, Mu, Stribeck,
};
use stiction::math::Vector;
use stiction::potential::Potential;

use crate::array::{from_rows, from_vectors, reals, vector};
use crate::contacts::{AnyContacts, Contacts, Scene, Stiffness, gradient, read_psd};
use crate::error::{at, plain, positive};
use crate::sparse::{Columns, Kept};
use crate::surface::either;

/// Friction by normal force, g(y), as a function of the speed y of the slide.
///
/// `name`: `"peak"` rises to exactly `mu_s` and falls to `mu_k`; `"smooth_mu"` multiplies the smoothed step with a coefficient that goes from
/// `mu_s` to `mu_k`, and stays below `mu_s` (as in ipctk); `"stribeck"` rises to `mu_s` and falls slowly to `mu_k`, plus a viscous term.
/// `speed`: of `"stribeck"`, how far above `eps_v` friction is halfway between `mu_s` and `mu_k`, in m/s.
/// `viscous`: of `"stribeck"`, friction by normal force and speed, in s/m.
///
/// Of the first, `mu_s` may not be less than `mu_k`.
#[pyclass(frozen, module = "stiction._stiction", name = "FrictionLaw")]
#[derive(Clone, Copy)]
pub struct Law(FrictionKind);

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

/// Slides in 2D or 3D.
enum AnySlides {
    Flat(Held<2>),
    Solid(Held<3>),
}

/// Slides with the contacts that they are of.
struct Held<const D: usize> {
    scene: Arc<Scene<D>>,
    stiffness: Stiffness,
    /// Many may read it at a time; who changes it is alone.
    slides: RwLock<friction::Slides<D>>,
    hessian: Kept<D>,
}

/// Contacts as friction sees them: normal forces, sliding planes, closest points and coefficients, held fixed ("lagged") at positions x.
///
///     energy P = Σ λ ĥ G(|z|)    z = S T (Σ cᵢ vᵢ)    T = I − nnᵀ        forces −Σ λ cᵢ (g/|z|) S z
///
/// with the friction law g, G′ = g (see `FrictionLaw`). v are velocities as a time integrator gives them, and ĥ = (dv/dx)⁻¹ is its time: h for
/// implicit Euler, h/2 for Newmark's rule, 2h/3 for BDF2. Gradients are by positions x, in N, and Hessians in N/m; with ĥ = 1 they are
/// those by v.
///
/// `contacts`: what touches. `x`: positions to lag at, shape (n, D), in m. `kappa`: stiffness of the barrier, as for Contacts.
/// `mu`: friction coefficient, one number or one for each vertex, shape (n,); `mu_k`: the kinetic one, if it is another.
/// `blend`: makes one coefficient of two vertices' ones: `"mean"`, `"product"`, `"minimum"`, `"maximum"`, `"geometric_mean"` or a function of two numbers.
/// `scaling`: two factors of the slide along the axes of anisotropic friction; along axis i friction is that of mu times factor i.
/// `static_axes`, `kinetic_axes`: coefficients along the axes, of which `refresh_anisotropy` makes those in the direction of the slide.
/// `direction`: of the first axis, a vector that is projected to the sliding plane; by default the tangent of the contact.
#[pyclass(frozen, subclass, module = "stiction._stiction")]
pub struct Slides(AnySlides);

#[pymethods]
impl Slides {
    #[new]
    #[pyo3(signature = (
        contacts, x, kappa, mu, mu_k=None, *, blend=None, scaling=None, static_axes=None, kinetic_axes=None, direction=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        contacts: &Contacts,
        x: &Bound<'_, PyAny>,
        kappa: &Bound<'_, PyAny>,
        mu: &Bound<'_, PyAny>,
        mu_k: Option<&Bound<'_, PyAny>>,
        blend: Option<&Bound<'_, PyAny>>,
        scaling: Option<&Bound<'_, PyAny>>,
        static_axes: Option<&Bound<'_, PyAny>>,
        kinetic_axes: Option<&Bound<'_, PyAny>>,
        direction: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let two = |name, pair: Option<&Bound<'_, PyAny>>| -> PyResult<Option<[f64; 2]>> {
            pair.map(|pair| Ok(vector(name, pair)?.0)).transpose()
        };
        let (s, k) = (two("static_axes", static_axes)?, two("kinetic_axes", kinetic_axes)?);
        let anisotropy = read_anisotropy(two("scaling", scaling)?, s, k);
        let pick = Pick { mu, mu_k, blend, anisotropy, direction };
        Ok(Self(match &contacts.0 {
            AnyContacts::Flat(scene) => AnySlides::Flat(Held::new(scene, x, kappa, &pick)?),
            AnyContacts::Solid(scene) => AnySlides::Solid(Held::new(scene, x, kappa, &pick)?),
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

    /// The energy P in J.
    ///
    /// `v`: velocities, shape (n, D), in m/s. `eps_v`: speed in m/s below which a slide counts as sticking. `law`: a `FrictionLaw` or the name of one
    /// without parameters. `h_hat`: ĥ in s.
    #[pyo3(signature = (v, eps_v, law=None, h_hat=1.0))]
    fn energy(
        &self,
        v: &Bound<'_, PyAny>,
        eps_v: f64,
        law: Option<&Bound<'_, PyAny>>,
        h_hat: f64,
    ) -> PyResult<f64> {
        either!(AnySlides, &self.0, held => {
            let drive = held.drive(v, eps_v, law, h_hat)?;
            Ok(v.py().detach(|| held.with(&drive, |potential| potential.energy(&drive.v))))
        })
    }

    /// Gradient of `energy` by positions in N, shape (n, D): minus the friction forces.
    #[pyo3(signature = (v, eps_v, law=None, h_hat=1.0))]
    fn gradient<'py>(
        &self,
        v: &Bound<'py, PyAny>,
        eps_v: f64,
        law: Option<&Bound<'py, PyAny>>,
        h_hat: f64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnySlides, &self.0, held => {
            let drive = held.drive(v, eps_v, law, h_hat)?;
            let found = v.py().detach(|| held.with(&drive, |potential| gradient(potential, &drive.v)));
            Ok(from_vectors(v.py(), &found))
        })
    }

    /// Hessian of `energy` by positions in N/m as (data, indices, indptr) of a compressed sparse column matrix.
    ///
    /// `psd`: what becomes of negative eigenvalues, which only laws that descend and negative weights have: `'clamp'` and `'gauss_newton'` make
    /// them zero, `'abs'` positive, `'none'` keeps them.
    #[pyo3(signature = (v, eps_v, law=None, h_hat=1.0, psd="clamp"))]
    fn hessian_csc<'py>(
        &self,
        v: &Bound<'py, PyAny>,
        eps_v: f64,
        law: Option<&Bound<'py, PyAny>>,
        h_hat: f64,
        psd: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let psd = read_psd(psd)?;
        let matrix = either!(AnySlides, &self.0, held => {
            let drive = held.drive(v, eps_v, law, h_hat)?;
            v.py().detach(|| held.with(&drive, |potential| held.hessian.hessian(potential, &drive.v, psd)))
        })?;
        matrix.into_arrays(v.py())
    }

    /// The derivatives of the friction forces (minus the gradient) by `mu_s` and by `mu_k` of all slides, in N, each of shape (n, D).
    #[pyo3(signature = (v, eps_v, law=None))]
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn force_by_mu<'py>(
        &self,
        v: &Bound<'py, PyAny>,
        eps_v: f64,
        law: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
        either!(AnySlides, &self.0, held => {
            let drive = held.drive(v, eps_v, law, 1.0)?;
            let found = v.py().detach(|| held.with(&drive, |potential| potential.force_by_mu(&drive.v, None)));
            let found = found.map_err(|error| plain(&error))?;
            Ok((from_vectors(v.py(), &found.s), from_vectors(v.py(), &found.k)))
        })
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

    /// Goes back to `mu` and `mu_k`, as before `refresh_anisotropy`.
    fn reset_anisotropy(&self, py: Python<'_>) {
        either!(AnySlides, &self.0, held => py.detach(|| held.write().reset_anisotropy()));
    }

    /// The friction forces in N, shape (n, D), as a function of positions at rest, displacements u to lag at and velocities v.
    ///
    /// Normal forces, planes, closest points and axes are those at rest + u; the contacts, their weights and coefficients stay as they are.
    #[pyo3(signature = (rest, u, v, eps_v, law=None))]
    fn force<'py>(
        &self,
        rest: &Bound<'py, PyAny>,
        u: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        eps_v: f64,
        law: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnySlides, &self.0, held => {
            let (drive, x) = (held.drive(v, eps_v, law, 1.0)?, held.displaced(rest, u)?);
            let mut out = vec![Vector::ZERO; x.len()];
            v.py().detach(|| held.at(&drive, |force| { force.force(&x, &drive.v, &mut out); Ok(()) }))?;
            Ok(from_vectors(v.py(), &out))
        })
    }

    /// See `force_jacobian`; as (data, indices, indptr) of a compressed sparse column matrix.
    #[pyo3(signature = (wrt, rest, u, v, eps_v, law=None))]
    fn force_jacobian_csc<'py>(
        &self,
        wrt: &str,
        rest: &Bound<'py, PyAny>,
        u: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        eps_v: f64,
        law: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wrt = Wrt::read(wrt)?;
        let matrix = either!(AnySlides, &self.0, held => {
            let (drive, x) = (held.drive(v, eps_v, law, 1.0)?, held.displaced(rest, u)?);
            if matches!(wrt, Wrt::Rest) && held.scene.field("rest", rest)? != held.scene.surface.rest() {
                return Err(at("rest", "must be the positions that the surface was made with: its areas are those"));
            }
            v.py().detach(|| held.at(&drive, |force| held.jacobian(wrt, force, &x, &drive.v)))
        })?;
        matrix.into_arrays(v.py())
    }
}

/// What a derivative is by.
#[derive(Clone, Copy)]
enum Wrt {
    Velocities,
    Lagged,
    Rest,
}

impl Wrt {
    fn read(name: &str) -> PyResult<Self> {
        match name {
            "velocities" => Ok(Self::Velocities),
            "lagged" => Ok(Self::Lagged),
            "rest" => Ok(Self::Rest),
            _ => Err(at("wrt", format!("{name:?} is unknown: choose 'velocities', 'lagged' or 'rest'"))),
        }
    }
}

/// What the constructor is told about coefficients.
struct Pick<'a, 'py> {
    mu: &'a Bound<'py, PyAny>,
    mu_k: Option<&'a Bound<'py, PyAny>>,
    blend: Option<&'a Bound<'py, PyAny>>,
    anisotropy: Anisotropy,
    direction: Option<&'a Bound<'py, PyAny>>,
}

/// Velocities, and how they make friction.
struct Drive<const D: usize> {
    v: Vec<Vector<D>>,
    law: FrictionKind,
    eps_v: f64,
    h_hat: f64,
}

/// What slides of any kind have.
struct Any<const D: usize> {
    force: f64,
    normal: Vector<D>,
    mu: Mu,
}

impl<const D: usize> Held<D> {
    fn new(
        scene: &Arc<Scene<D>>,
        x: &Bound<'_, PyAny>,
        kappa: &Bound<'_, PyAny>,
        pick: &Pick<'_, '_>,
    ) -> PyResult<Self> {
        let (positions, stiffness) = (scene.field("x", x)?, scene.stiffness(kappa)?);
        let trouble = Trouble::default();
        let coefficients = pick.coefficients(scene.surface.rest().len(), &trouble)?;
        let barrier = scene.barrier(&stiffness);
        friction::lag::check(&barrier, &positions, &coefficients).map_err(|error| plain(&error))?;
        let slides = x.py().detach(|| friction::lag(&barrier, &positions, &coefficients));
        trouble.raise()?;
        Ok(Self { scene: scene.clone(), stiffness, slides: RwLock::new(slides), hessian: Kept::default() })
    }

    fn read(&self) -> RwLockReadGuard<'_, friction::Slides<D>> {
        self.slides.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, friction::Slides<D>> {
        self.slides.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn drive(
        &self,
        v: &Bound<'_, PyAny>,
        eps_v: f64,
        law: Option<&Bound<'_, PyAny>>,
        h_hat: f64,
    ) -> PyResult<Drive<D>> {
        let (eps_v, h_hat) = (positive("eps_v", eps_v)?, positive("h_hat", h_hat)?);
        Ok(Drive { v: self.scene.field("v", v)?, law: read_law(law)?, eps_v, h_hat })
    }

    /// What `f` makes of the potential whose velocities are those of the drive, at positions of any value.
    fn with<R>(&self, drive: &Drive<D>, f: impl FnOnce(&FrictionPotential<'_, D>) -> R) -> R {
        let slides = self.read();
        let motion = Motion { x_ref: &drive.v, v_ref: &drive.v, h_hat: drive.h_hat };
        f(&FrictionPotential { slides: &slides, motion, law: drive.law, eps_v: drive.eps_v })
    }

    /// Positions `rest + u`.
    fn displaced(&self, rest: &Bound<'_, PyAny>, u: &Bound<'_, PyAny>) -> PyResult<Vec<Vector<D>>> {
        let (rest, u) = (self.scene.field("rest", rest)?, self.scene.field("u", u)?);
        Ok(rest.iter().zip(u).map(|(rest, u)| *rest + u).collect())
    }

    /// What `f` makes of the friction forces as a function of positions and velocities.
    fn at<R>(&self, drive: &Drive<D>, f: impl FnOnce(&LaggedForce<'_, D>) -> PyResult<R>) -> PyResult<R> {
        let (slides, barrier) = (self.read(), self.scene.barrier(&self.stiffness));
        let force = LaggedForce::new(&barrier, &slides, drive.law, drive.eps_v);
        f(&force.map_err(|error| plain(&error))?)
    }

    fn jacobian(
        &self,
        wrt: Wrt,
        force: &LaggedForce<'_, D>,
        x: &[Vector<D>],
        v: &[Vector<D>],
    ) -> PyResult<Columns> {
        match wrt {
            Wrt::Velocities => {
                let mut blocks = Blocks::default();
                force.by_velocity(x, v, &mut blocks);
                Columns::new(&blocks)
            }
            Wrt::Lagged => {
                let mut blocks = FullBlocks::default();
                force.by_displacement(x, v, &mut blocks);
                Columns::of_full(&blocks)
            }
            Wrt::Rest => {
                let Some(sources) = &self.scene.sources else {
                    return Err(at("contacts", "were made without shape_derivatives=True"));
                };
                Columns::of_entries(&force.by_rest(&self.scene.surface, sources, x, v))
            }
        }
    }

    /// All slides in the order of the contacts.
    fn in_order(&self) -> Vec<Any<D>> {
        fn all<const D: usize, const N: usize>(
            slides: &[friction::Slide<D, N>],
        ) -> impl Iterator<Item = Any<D>> {
            slides.iter().map(|slide| Any { force: slide.force, normal: slide.normal, mu: slide.mu })
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

fn read_law(law: Option<&Bound<'_, PyAny>>) -> PyResult<FrictionKind> {
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

/// The first error that a function of Python made.
#[derive(Clone, Default)]
struct Trouble(Arc<Mutex<Option<PyErr>>>);

impl Trouble {
    fn note(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Whether there is one: then nothing more needs to be asked.
    fn is_there(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn raise(&self) -> PyResult<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
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
            return Ok(entry.into());
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
        let coefficients = Coefficients::from(Entry { mu: Mu::default(), ..entry });
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
