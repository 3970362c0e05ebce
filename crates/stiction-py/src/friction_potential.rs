//! Friction summed over slides.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use stiction::blocks::{Blocks, FullBlocks};
use stiction::error::Error;
use stiction::friction::{
    self, FrictionAccount, FrictionKind, LagChange, LaggedForce, Motion, PairForce, Side, Step, forces_at_end,
};
use stiction::math::Vector;
use stiction::potential::Potential;

use crate::any_barrier::AnyBarrier;
use crate::array::from_vectors;
use crate::barrier_potential::{BarrierPotential, gradient, read_psd};
use crate::error::{at, plain, positive};
use crate::friction_law::{Law, read_law};
use crate::slides::{AnySlides, Held, Slides};
use crate::sparse::Columns;
use crate::surface::either;

/// Friction on slides, as an energy of velocities.
///
///     energy P = Σ λ ĥ G(|z|)    z = S T (Σ cᵢ vᵢ)    T = I − nnᵀ        forces −Σ λ cᵢ (g/|z|) S z
///
/// with the friction law g, G′ = g (see `FrictionLaw`). v are velocities as a time integrator gives them, and ĥ = (dv/dx)⁻¹ is its time: h for
/// implicit Euler, h/2 for Newmark's rule, 2h/3 for BDF2. Gradients are by positions x, in N, and Hessians in N/m; with ĥ = 1 they are
/// those by v.
///
/// `eps_v`: speed in m/s below which a slide counts as sticking. `law`: a `FrictionLaw` or the name of one without parameters, by default `"peak"`.
/// `h_hat`: ĥ in s.
///
/// The methods take slides and velocities v, shape (n, D), in m/s.
#[pyclass(frozen, module = "stiction")]
pub struct FrictionPotential {
    law: FrictionKind,
    eps_v: f64,
    h_hat: f64,
}

#[pymethods]
impl FrictionPotential {
    #[new]
    #[pyo3(signature = (eps_v, law=None, h_hat=1.0))]
    fn new(eps_v: f64, law: Option<&Bound<'_, PyAny>>, h_hat: f64) -> PyResult<Self> {
        let (eps_v, h_hat) = (positive("eps_v", eps_v)?, positive("h_hat", h_hat)?);
        Ok(Self { law: read_law(law)?, eps_v, h_hat })
    }

    fn __repr__(&self) -> String {
        format!("FrictionPotential(eps_v={}, law={:?}, h_hat={})", self.eps_v, self.law, self.h_hat)
    }

    fn __getnewargs__(&self) -> (f64, Law, f64) {
        (self.eps_v, Law(self.law), self.h_hat)
    }

    /// The speed below which a slide counts as sticking, in m/s.
    #[getter]
    fn eps_v(&self) -> f64 {
        self.eps_v
    }

    /// The friction law.
    #[getter]
    fn law(&self) -> Law {
        Law(self.law)
    }

    /// ĥ in s.
    #[getter]
    fn h_hat(&self) -> f64 {
        self.h_hat
    }

    /// The energy P in J.
    fn energy(&self, slides: &Slides, v: &Bound<'_, PyAny>) -> PyResult<f64> {
        either!(AnySlides, &slides.0, held => {
            let velocities = held.touching.field("v", v)?;
            Ok(v.py().detach(|| self.on(held, &velocities, |potential| potential.energy(&velocities))))
        })
    }

    /// Gradient of `energy` by positions in N, shape (n, D): minus the friction forces.
    fn gradient<'py>(&self, slides: &Slides, v: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnySlides, &slides.0, held => {
            let velocities = held.touching.field("v", v)?;
            let found = v.py().detach(|| self.on(held, &velocities, |potential| gradient(potential, &velocities)));
            Ok(from_vectors(v.py(), &found))
        })
    }

    /// Hessian of `energy` by positions in N/m, a `scipy.sparse.csc_array` of shape (n·D, n·D), entries in the order x₀ y₀ z₀ x₁ …
    ///
    /// `psd`: what becomes of negative eigenvalues, which only laws that descend and negative weights have: `'clamp'` and `'gauss_newton'` make
    /// them zero, `'abs'` positive, `'none'` keeps them.
    #[pyo3(signature = (slides, v, psd="clamp"))]
    fn hessian<'py>(&self, slides: &Slides, v: &Bound<'py, PyAny>, psd: &str) -> PyResult<Bound<'py, PyAny>> {
        self.columns(slides, v, psd)?.into_scipy(v.py())
    }

    /// `hessian` as the arrays (data, indices, indptr) of a compressed sparse column matrix.
    #[pyo3(signature = (slides, v, psd="clamp"))]
    fn hessian_csc<'py>(
        &self,
        slides: &Slides,
        v: &Bound<'py, PyAny>,
        psd: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.columns(slides, v, psd)?.into_arrays(v.py())
    }

    /// The derivatives of the friction forces (minus the gradient) by `mu_s` and by `mu_k` of all slides, in N, each of shape (n, D).
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn force_by_mu<'py>(
        &self,
        slides: &Slides,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
        either!(AnySlides, &slides.0, held => {
            let velocities = held.touching.field("v", v)?;
            let found = v.py().detach(|| self.on(held, &velocities, |potential| potential.force_by_mu(&velocities, None)));
            let found = found.map_err(|error| plain(&error))?;
            Ok((from_vectors(v.py(), &found.s), from_vectors(v.py(), &found.k)))
        })
    }

    /// The friction force on the first primitive of each slide in N, shape (k, D), in the order of `Contacts.vertices`: of a vertex and a face
    /// the vertex, of two edges the first, of a vertex and an obstacle the vertex. On the other acts the opposite.
    fn slide_forces<'py>(
        &self,
        slides: &Slides,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnySlides, &slides.0, held => {
            let velocities = held.touching.field("v", v)?;
            let found = v.py().detach(|| self.on(held, &velocities, |potential| potential.slide_forces(&velocities)));
            let found = found.to_contacts(&held.touching.contacts).map_err(|error| plain(&error))?;
            Ok(from_vectors(v.py(), &found.iter().copied().collect::<Vec<_>>()))
        })
    }

    /// Friction and normal forces between bodies (see `Surface.bodies`), and between bodies and obstacles: a list of dictionaries.
    ///
    /// `first`, `second`: pairs such as ("body", 0) and ("obstacle", 1); `friction`, `normal`: the forces on the first in N, shape (D,), zero
    /// where both are the same; `normal_force`: the sum of all λ in N; `slides`: how many there are.
    fn forces_between<'py>(&self, slides: &Slides, v: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let out = PyList::empty(v.py());
        either!(AnySlides, &slides.0, held => {
            let velocities = held.touching.field("v", v)?;
            let surface = &held.touching.surface;
            let bodies: Vec<u32> =
                (0..surface.rest().len() as u32).map(|v| surface.body(v).unwrap_or(u32::MAX)).collect();
            let found = v.py().detach(|| self.on(held, &velocities, |potential| {
                potential.forces_between(&velocities, &bodies, &held.touching.contacts)
            }));
            for force in found.map_err(|error| plain(&error))? {
                out.append(pair_force(v.py(), &force)?)?;
            }
        });
        Ok(out)
    }

    /// What friction did in a step from positions `x_start` to x, both of shape (n, D), in m, that took `h` in s: a dictionary.
    ///
    /// `stick`, `slip`, `separated`: numbers of slides; `cone_excess` in N and `relative_cone_excess`: how far friction is beyond the cone of
    /// the normal forces at the end; `creep` and `creep_bound` in m/s, `distance` in m, `dissipation` in J.
    /// `v`: the velocities that friction acted at.
    fn account<'py>(
        &self,
        slides: &Slides,
        v: &Bound<'py, PyAny>,
        x_start: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
        h: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let h = positive("h", h)?;
        let account = either!(AnySlides, &slides.0, held => {
            let velocities = held.touching.field("v", v)?;
            let (start, end) = (held.touching.field("x_start", x_start)?, held.touching.field("x", x)?);
            let at_end = held.barrier.on(v.py(), &held.touching, |barrier| forces_at_end(barrier, &end))?;
            let motion = Motion { x_ref: &end, v_ref: &velocities, h_hat: self.h_hat };
            let step = Step { x_start: &start, x: &end, h };
            v.py().detach(|| self.moving(held, motion, |potential| potential.account(&step, &at_end, 0.0)))
        });
        account_dict(v.py(), &account.map_err(|error| plain(&error))?)
    }

    /// How much the friction forces change from slides `used` to slides `again`, both at velocities v, and the larger norm of the two, in N:
    /// for `refine`.
    fn change(&self, used: &Slides, again: &Slides, v: &Bound<'_, PyAny>) -> PyResult<(f64, f64)> {
        match (&used.0, &again.0) {
            (AnySlides::Flat(used), AnySlides::Flat(again)) => self.change_of(used, again, v),
            (AnySlides::Solid(used), AnySlides::Solid(again)) => self.change_of(used, again, v),
            _ => Err(at("again", "is of another dimension than used")),
        }
    }

    /// The friction forces in N, shape (n, D), as a function of positions at rest, displacements u to lag at and velocities v.
    ///
    /// Normal forces, planes, closest points and axes are those at rest + u; the contacts, their weights and coefficients stay as they are.
    ///
    /// `potential`, `dmin`: other ones for the normal forces than those that the slides were made with.
    #[pyo3(signature = (slides, rest, u, v, *, potential=None, dmin=None))]
    fn force<'py>(
        &self,
        slides: &Slides,
        rest: &Bound<'py, PyAny>,
        u: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        potential: Option<&BarrierPotential>,
        dmin: Option<f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        either!(AnySlides, &slides.0, held => {
            let (x, velocities) = (displaced(held, rest, u)?, held.touching.field("v", v)?);
            let mut out = vec![Vector::ZERO; x.len()];
            self.lagged(v.py(), held, NormalForces { potential, dmin }, |force| { force.force(&x, &velocities, &mut out); Ok(()) })?;
            Ok(from_vectors(v.py(), &out))
        })
    }

    /// Derivative of `force`, a `scipy.sparse.csc_array` of shape (n·D, n·D), rows are those of the forces.
    ///
    /// `wrt`: `"velocities"` in N s/m; `"lagged"`, by displacements u, or `"rest"`, by positions at rest with displacements held, in N/m.
    /// With `"rest"` areas and mollifiers move, too; contacts must have been made with `shape_derivatives=True`.
    /// `potential`, `dmin`: as for `force`.
    #[pyo3(signature = (slides, wrt, rest, u, v, *, potential=None, dmin=None))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn force_jacobian<'py>(
        &self,
        slides: &Slides,
        wrt: &str,
        rest: &Bound<'py, PyAny>,
        u: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        potential: Option<&BarrierPotential>,
        dmin: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wrt = Wrt::read(wrt)?;
        let matrix = either!(AnySlides, &slides.0, held => {
            let (x, velocities) = (displaced(held, rest, u)?, held.touching.field("v", v)?);
            if matches!(wrt, Wrt::Rest) && held.touching.field("rest", rest)? != held.touching.surface.rest() {
                return Err(at("rest", "must be the positions that the surface was made with: its areas are those"));
            }
            self.lagged(v.py(), held, NormalForces { potential, dmin }, |force| jacobian(held, wrt, force, &x, &velocities))
        })?;
        matrix.into_scipy(v.py())
    }
}

/// What normal forces are made with, where that is not what the slides were made with.
#[derive(Clone, Copy)]
struct NormalForces<'a> {
    potential: Option<&'a BarrierPotential>,
    /// Minimum distance in m.
    dmin: Option<f64>,
}

/// The force of slides with any barrier.
type Force<'a, const D: usize> = LaggedForce<'a, D, AnyBarrier>;

impl FrictionPotential {
    /// What `f` makes of the potential whose velocities are `v`, at positions of any value.
    fn on<const D: usize, R>(
        &self,
        held: &Held<D>,
        v: &[Vector<D>],
        f: impl FnOnce(&friction::FrictionPotential<'_, D>) -> R,
    ) -> R {
        self.moving(held, Motion { x_ref: v, v_ref: v, h_hat: self.h_hat }, f)
    }

    /// What `f` makes of the potential with velocities that depend on positions.
    fn moving<const D: usize, R>(
        &self,
        held: &Held<D>,
        motion: Motion<'_, D>,
        f: impl FnOnce(&friction::FrictionPotential<'_, D>) -> R,
    ) -> R {
        let slides = held.read();
        f(&friction::FrictionPotential { slides: &slides, motion, law: self.law, eps_v: self.eps_v })
    }

    fn change_of<const D: usize>(
        &self,
        used: &Held<D>,
        again: &Held<D>,
        v: &Bound<'_, PyAny>,
    ) -> PyResult<(f64, f64)> {
        let velocities = used.touching.field("v", v)?;
        again.touching.field("v", v)?;
        let change = v.py().detach(|| {
            self.on(used, &velocities, |before| {
                if std::ptr::eq(used, again) {
                    // To read twice could wait for somebody who waits to write.
                    return LagChange::between(before, before, &velocities);
                }
                self.on(again, &velocities, |after| LagChange::between(before, after, &velocities))
            })
        });
        Ok((change.change, change.scale))
    }

    /// What `f` makes of the friction forces as a function of positions and velocities.
    fn lagged<const D: usize, R: Send>(
        &self,
        py: Python<'_>,
        held: &Held<D>,
        NormalForces { potential, dmin }: NormalForces<'_>,
        f: impl FnOnce(&Force<'_, D>) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        let barrier = potential.map_or(&held.barrier, |potential| &potential.0);
        barrier.on_beyond(py, &held.touching, dmin.unwrap_or(held.touching.dmin), |barrier| {
            let slides = held.read();
            let force = LaggedForce::new(barrier, &slides, self.law, self.eps_v);
            f(&force.map_err(|error: Error| plain(&error))?)
        })?
    }

    /// The Hessian by columns.
    pub fn columns(&self, slides: &Slides, v: &Bound<'_, PyAny>, psd: &str) -> PyResult<Columns> {
        let psd = read_psd(psd)?;
        either!(AnySlides, &slides.0, held => {
            let velocities = held.touching.field("v", v)?;
            v.py().detach(|| self.on(held, &velocities, |potential| held.hessian.hessian(potential, &velocities, psd)))
        })
    }
}

/// Positions `rest + u`.
fn displaced<const D: usize>(
    held: &Held<D>,
    rest: &Bound<'_, PyAny>,
    u: &Bound<'_, PyAny>,
) -> PyResult<Vec<Vector<D>>> {
    let (rest, u) = (held.touching.field("rest", rest)?, held.touching.field("u", u)?);
    Ok(rest.iter().zip(u).map(|(rest, u)| *rest + u).collect())
}

fn jacobian<const D: usize>(
    held: &Held<D>,
    wrt: Wrt,
    force: &Force<'_, D>,
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
            let Some(sources) = &held.touching.sources else {
                return Err(at("contacts", "were made without shape_derivatives=True"));
            };
            Columns::of_entries(&force.by_rest(&held.touching.surface, sources, x, v))
        }
    }
}

fn pair_force<'py, const D: usize>(py: Python<'py>, force: &PairForce<D>) -> PyResult<Bound<'py, PyDict>> {
    let side = |side: Side| match side {
        Side::Body(number) => ("body", number),
        Side::Obstacle(number) => ("obstacle", number),
    };
    let out = PyDict::new(py);
    out.set_item("first", side(force.sides[0]))?;
    out.set_item("second", side(force.sides[1]))?;
    out.set_item("friction", PyArray1::from_slice(py, &force.friction.0))?;
    out.set_item("normal", PyArray1::from_slice(py, &force.normal.0))?;
    out.set_item("normal_force", force.normal_force)?;
    out.set_item("slides", force.slides)?;
    Ok(out)
}

fn account_dict<'py>(py: Python<'py>, account: &FrictionAccount) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("stick", account.stick)?;
    out.set_item("slip", account.slip)?;
    out.set_item("separated", account.separated)?;
    out.set_item("cone_excess", account.cone_excess)?;
    out.set_item("relative_cone_excess", account.relative_cone_excess)?;
    out.set_item("creep", account.creep)?;
    out.set_item("creep_bound", account.creep_bound)?;
    out.set_item("distance", account.distance)?;
    out.set_item("dissipation", account.dissipation)?;
    Ok(out)
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
