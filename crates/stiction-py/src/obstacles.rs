//! Solids given by a formula, which nothing enters.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use stiction::math::Vector;
use stiction::obstacle::{self, RigidVelocity};

use crate::array::reals;
use crate::error::at;

/// An obstacle as it was given: its form and its motion, with the vectors of either dimension.
#[derive(Clone)]
pub struct Given {
    form: Form,
    velocity: Option<Vec<f64>>,
    spin: Option<Vec<f64>>,
    about: Option<Vec<f64>>,
}

#[derive(Clone)]
enum Form {
    Plane { point: Vec<f64>, normal: Vec<f64> },
    Sphere { center: Vec<f64>, radius: f64 },
    Cylinder { point: Vec<f64>, axis: Vec<f64>, radius: f64 },
}

/// An obstacle that nothing enters: a `Plane`, a `Sphere` or a `Cylinder`.
#[pyclass(frozen, subclass, module = "stiction")]
pub struct Obstacle(Given);

#[pymethods]
impl Obstacle {
    /// 2 or 3.
    #[getter]
    fn dimension(&self) -> usize {
        self.0.form.dimension()
    }

    fn __repr__(&self) -> String {
        match &self.0.form {
            Form::Plane { point, normal } => format!("Plane({point:?}, {normal:?})"),
            Form::Sphere { center, radius } => format!("Sphere({center:?}, {radius})"),
            Form::Cylinder { point, axis, radius } => format!("Cylinder({point:?}, {axis:?}, {radius})"),
        }
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        let array = |values: &Vec<f64>| PyArray1::from_slice(py, values);
        named.set_item("velocity", self.0.velocity.as_ref().map(array))?;
        named.set_item("spin", self.0.spin.as_ref().map(array))?;
        named.set_item("about", self.0.about.as_ref().map(array))?;
        let form = match &self.0.form {
            Form::Plane { point, normal } => (array(point), array(normal)).into_pyobject(py)?,
            Form::Sphere { center, radius } => (array(center), *radius).into_pyobject(py)?,
            Form::Cylinder { point, axis, radius } => {
                (array(point), array(axis), *radius).into_pyobject(py)?
            }
        };
        Ok((form, named))
    }
}

/// Everything behind a plane is solid; free space is where the normal points to.
///
/// `point`: of the plane, shape (D,), in m. `normal`: of any length, shape (D,).
/// `velocity`, `spin`, `about`: the velocity in m/s of the point `about`, and how the obstacle turns around it, in rad/s: a number in 2D, a
/// vector in 3D. Friction acts against the velocity relative to it; the place of the obstacle is up to you.
#[pyclass(frozen, extends = Obstacle, module = "stiction")]
pub struct Plane;

#[pymethods]
impl Plane {
    #[new]
    #[pyo3(signature = (point, normal, *, velocity=None, spin=None, about=None))]
    fn new(
        point: &Bound<'_, PyAny>,
        normal: &Bound<'_, PyAny>,
        velocity: Option<&Bound<'_, PyAny>>,
        spin: Option<&Bound<'_, PyAny>>,
        about: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let form = Form::Plane { point: reals("point", point)?, normal: reals("normal", normal)? };
        let given = Given::new(form, velocity, spin, about)?;
        Ok(PyClassInitializer::from(Obstacle(given)).add_subclass(Self))
    }
}

/// A solid ball; a disc in 2D.
///
/// `center`: shape (D,), in m. `radius`: in m. `velocity`, `spin`, `about`: as for `Plane`.
#[pyclass(frozen, extends = Obstacle, module = "stiction")]
pub struct Sphere;

#[pymethods]
impl Sphere {
    #[new]
    #[pyo3(signature = (center, radius, *, velocity=None, spin=None, about=None))]
    fn new(
        center: &Bound<'_, PyAny>,
        radius: f64,
        velocity: Option<&Bound<'_, PyAny>>,
        spin: Option<&Bound<'_, PyAny>>,
        about: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let form = Form::Sphere { center: reals("center", center)?, radius };
        let given = Given::new(form, velocity, spin, about)?;
        Ok(PyClassInitializer::from(Obstacle(given)).add_subclass(Self))
    }
}

/// A solid cylinder without ends, in 3D.
///
/// `point`: of its axis, shape (3,), in m. `axis`: along it, of any length. `radius`: in m. `velocity`, `spin`, `about`: as for `Plane`.
#[pyclass(frozen, extends = Obstacle, module = "stiction")]
pub struct Cylinder;

#[pymethods]
impl Cylinder {
    #[new]
    #[pyo3(signature = (point, axis, radius, *, velocity=None, spin=None, about=None))]
    fn new(
        point: &Bound<'_, PyAny>,
        axis: &Bound<'_, PyAny>,
        radius: f64,
        velocity: Option<&Bound<'_, PyAny>>,
        spin: Option<&Bound<'_, PyAny>>,
        about: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let form = Form::Cylinder { point: reals("point", point)?, axis: reals("axis", axis)?, radius };
        let given = Given::new(form, velocity, spin, about)?;
        Ok(PyClassInitializer::from(Obstacle(given)).add_subclass(Self))
    }
}

impl Form {
    fn dimension(&self) -> usize {
        match self {
            Self::Plane { point, .. } | Self::Cylinder { point, .. } => point.len(),
            Self::Sphere { center, .. } => center.len(),
        }
    }
}

impl Given {
    fn new(
        form: Form,
        velocity: Option<&Bound<'_, PyAny>>,
        spin: Option<&Bound<'_, PyAny>>,
        about: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let given = Self {
            velocity: velocity.map(|velocity| reals("velocity", velocity)).transpose()?,
            spin: spin.map(read_spin).transpose()?,
            about: about.map(|about| reals("about", about)).transpose()?,
            form,
        };
        match given.form.dimension() {
            2 => given.place::<2>("obstacle").map(|_| ())?,
            3 => given.place::<3>("obstacle").map(|_| ())?,
            dimension => return Err(at("obstacle", format!("has {dimension} coordinates, expected 2 or 3"))),
        }
        Ok(given)
    }

    /// The obstacle in this dimension, and how it moves.
    fn place<const D: usize>(&self, name: &str) -> PyResult<(obstacle::Obstacle<D>, RigidVelocity<D>)> {
        if self.form.dimension() != D {
            let found = self.form.dimension();
            return Err(at(name, format!("has {found} coordinates, expected {D}")));
        }
        let solid = match &self.form {
            Form::Plane { point, normal } => {
                let (point, normal) = (fixed(point, "point")?, fixed(normal, "normal")?);
                obstacle::Plane::new(point, normal).map(obstacle::Obstacle::Plane)
            }
            Form::Sphere { center, radius } => {
                obstacle::Sphere::new(fixed(center, "center")?, *radius).map(obstacle::Obstacle::Sphere)
            }
            Form::Cylinder { point, axis, radius } => {
                obstacle::Obstacle::cylinder(fixed(point, "point")?, fixed(axis, "axis")?, *radius)
            }
        };
        let solid = solid.map_err(|error| at(name, error))?;
        Ok((solid, self.motion(name)?))
    }

    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let whole = PyClassInitializer::from(Obstacle(self.clone()));
        Ok(match self.form {
            Form::Plane { .. } => Bound::new(py, whole.add_subclass(Plane))?.into_any(),
            Form::Sphere { .. } => Bound::new(py, whole.add_subclass(Sphere))?.into_any(),
            Form::Cylinder { .. } => Bound::new(py, whole.add_subclass(Cylinder))?.into_any(),
        })
    }

    fn motion<const D: usize>(&self, name: &str) -> PyResult<RigidVelocity<D>> {
        let vector = |given: &Option<Vec<f64>>, what| {
            given.as_ref().map_or(Ok(Vector::ZERO), |given| fixed::<D>(given, what))
        };
        let (velocity, about) = (vector(&self.velocity, "velocity")?, vector(&self.about, "about")?);
        let spin = self.spin.as_deref().unwrap_or_default();
        RigidVelocity::turning(velocity, spin, about).map_err(|error| at(name, error))
    }
}

/// A vector of as many numbers as there are dimensions.
fn fixed<const D: usize>(values: &[f64], name: &str) -> PyResult<Vector<D>> {
    match <[f64; D]>::try_from(values) {
        Ok(values) => Ok(Vector(values)),
        Err(_) => Err(at(name, format!("has {} numbers, expected {D}", values.len()))),
    }
}

/// One number or several.
fn read_spin(spin: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if let Ok(number) = spin.extract::<f64>() {
        return Ok(vec![number]);
    }
    reals("spin", spin)
}

/// Obstacles, and how they move.
#[derive(Clone)]
pub struct Obstacles<const D: usize> {
    /// Where they are.
    pub solids: Vec<obstacle::Obstacle<D>>,
    /// How they move; empty if none does.
    pub velocities: Vec<RigidVelocity<D>>,
    given: Vec<Given>,
}

impl<const D: usize> Obstacles<D> {
    /// From a sequence of obstacles and pairs (point, normal).
    pub fn read(obstacles: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut out = Self { solids: vec![], velocities: vec![], given: vec![] };
        let Some(obstacles) = obstacles else { return Ok(out) };
        let must = "expected a sequence of obstacles or pairs (point, normal)";
        let entries = obstacles.try_iter().map_err(|_| at("obstacles", must))?;
        for (index, entry) in entries.enumerate() {
            let name = format!("obstacles[{index}]");
            let given = read_given(&name, &entry?)?;
            let (solid, velocity) = given.place(&name)?;
            out.solids.push(solid);
            out.velocities.push(velocity);
            out.given.push(given);
        }
        if out.velocities.iter().all(|velocity| *velocity == RigidVelocity::REST) {
            out.velocities.clear();
        }
        Ok(out)
    }

    /// The obstacles as Python has them.
    pub fn list<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.given.iter().map(|given| given.object(py)).collect()
    }
}

fn read_given(name: &str, entry: &Bound<'_, PyAny>) -> PyResult<Given> {
    if let Ok(obstacle) = entry.cast::<Obstacle>() {
        return Ok(obstacle.get().0.clone());
    }
    let pair: Vec<_> = entry.try_iter().and_then(Iterator::collect).unwrap_or_default();
    let [point, normal] = pair.as_slice() else {
        return Err(at(name, "expected a Plane, a Sphere, a Cylinder or a pair (point, normal)"));
    };
    let form = Form::Plane { point: reals(name, point)?, normal: reals(name, normal)? };
    Ok(Given { form, velocity: None, spin: None, about: None })
}
