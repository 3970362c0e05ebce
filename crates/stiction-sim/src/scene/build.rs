//! From scenes to models.

use std::str::FromStr;

use stiction::contact::Weighting;
use stiction::error::Error::BadParameter;
use stiction::math::Vector;

use super::shapes::BoxMesh;
use super::{BoxShape, Scene, SceneError, StiffnessValue};
use crate::error::Error;
use crate::integrator::{IntegratorKind, Newmark, SpectralRadius};
use crate::model::Model;
use crate::newton::Workspace;
use crate::params::{ContactParams, NewtonParams, Params, StepBound, TimeParams};
use crate::report::schema::{Column, Schema};
use crate::settle::{Settled, settle};
use crate::state::State;

impl Scene {
    /// The model of the scene and its state at the start, with contacts at rest; `D` must be the scene's dimension.
    ///
    /// # Errors
    /// If a value is not possible, or bodies intersect.
    pub fn build<const D: usize>(&self) -> Result<(Model<D>, State<D>), SceneError> {
        let (model, state, _) = self.start(&mut self.workspace()?)?;
        Ok((model, state))
    }

    /// The same, and how contacts were brought to rest: with warnings where that was not possible. A flag of `work` that is raised ends that.
    ///
    /// # Errors
    /// If a value is not possible, or bodies intersect.
    pub fn start<const D: usize>(
        &self,
        work: &mut Workspace<D>,
    ) -> Result<(Model<D>, State<D>, Settled), SceneError> {
        let (model, mut state) = self.placed()?;
        let settled = self.settle(&model, &mut state, work);
        Ok((model, state, settled))
    }

    /// What solves the steps of the scene, as `[solver]` says.
    ///
    /// # Errors
    /// If a value is not possible.
    pub fn workspace<const D: usize>(&self) -> Result<Workspace<D>, SceneError> {
        Workspace::new(self.newton()?).map_err(|error| self.range_error(&error))
    }

    /// Brings the contacts of the scene's model, or of that with more energies, to rest, unless the scene does without.
    pub fn settle<const D: usize>(
        &self,
        model: &Model<D>,
        state: &mut State<D>,
        work: &mut Workspace<D>,
    ) -> Settled {
        if self.contact.settle == Some(false) {
            return Settled::default();
        }
        settle(model, state, work)
    }

    /// The model of the scene and its bodies where they were placed.
    ///
    /// # Errors
    /// If a value is not possible, or bodies intersect.
    pub fn placed<const D: usize>(&self) -> Result<(Model<D>, State<D>), SceneError> {
        if self.dimension != D {
            return Err(self.error("dimension", format!("this scene is not one of {D} dimensions")));
        }
        let gravity = self.vector_or_zero("gravity", self.gravity.as_deref())?;
        let bodies = (0..self.bodies.len()).map(|i| self.body(i)).collect::<Result<Vec<_>, _>>()?;
        let (model, state) =
            Model::new(&bodies, self.obstacles()?, gravity, self.params()?).map_err(|error| match error {
                Error::NoPlace { obstacle, .. } => {
                    self.error(&format!("{}.motion", self.obstacle_key(obstacle)), error.to_string())
                }
                Error::Contact(BadParameter { name: name @ ("dhat" | "dmin"), .. }) => {
                    self.error(&format!("contact.{name}"), error.to_string())
                }
                Error::OutOfScale { what, value } => self.scale_error(what, value),
                other => self.body_error(&other),
            })?;
        self.check_scales(&model)?;
        self.check_columns(&model)?;
        Ok((self.with_friction(model)?, state))
    }

    /// Checks that all columns of reports have different names.
    fn check_columns<const D: usize>(&self, model: &Model<D>) -> Result<(), SceneError> {
        let schema = Schema::of(model);
        let mut names: Vec<&str> = schema.columns().iter().map(Column::name).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let message = format!("two things would have the column \"{}\": choose other names", pair[0]);
                Err(self.error("bodies", message))
            }
            None => Ok(()),
        }
    }

    /// Checks what does not depend on the dimension.
    pub(super) fn check(&self) -> Result<(), SceneError> {
        if !(2..=3).contains(&self.dimension) {
            return Err(self.error("dimension", "must be 2 or 3"));
        }
        let (params, newton) = (self.params()?, self.newton()?);
        params.check().and_then(|()| newton.check()).map_err(|error| self.range_error(&error))?;
        if !(self.time.end >= self.time.step && self.time.end.is_finite()) {
            return Err(self.error("time.end", "must be at least one step"));
        }
        if self.time.end / self.time.step > MAX_STEPS {
            let message =
                format!("makes {:.0e} steps until time.end: make it larger", self.time.end / self.time.step);
            return Err(self.error("time.step", message));
        }
        if self.time.frame_every == 0 {
            return Err(self.error("time.frame_every", "must be at least 1"));
        }
        if self.bodies.is_empty() {
            return Err(self.error("bodies", "the scene has no bodies: add a [[bodies]] table"));
        }
        self.given_fields()?;
        self.check_names()
    }

    fn check_names(&self) -> Result<(), SceneError> {
        let surfaces = |name: &Option<String>| name.as_deref() == Some("");
        for (i, body) in self.bodies.iter().enumerate() {
            let key = format!("bodies[{i}]");
            if body.name.is_empty() || surfaces(&body.surface) {
                let part = if body.name.is_empty() { "name" } else { "surface" };
                return Err(self.error(&format!("{key}.{part}"), "is empty: choose a name"));
            }
            if body.name.contains(char::is_control) {
                return Err(self.error(
                    &format!("{key}.name"),
                    "has a control character, such as a line break: choose another name",
                ));
            }
            if self.bodies[..i].iter().any(|other| other.name == body.name) {
                let message = format!("\"{}\" is taken by another body: choose another name", body.name);
                return Err(self.error(&format!("bodies[{i}].name"), message));
            }
        }
        self.check_obstacle_names()
    }

    /// An error at the key of the body that it is about.
    fn body_error(&self, error: &Error) -> SceneError {
        let named = |name: &str| self.bodies.iter().position(|body| body.name == name);
        let message = error.to_string();
        let Some(index) = error.body().and_then(named) else { return SceneError::plain(message) };
        match error {
            Error::BadBody { name: "density", .. } => {
                self.error(&format!("bodies[{index}].material.density"), message)
            }
            Error::BadBody { name, .. } => self.error(&format!("bodies[{index}].{name}"), message),
            Error::OutsideCarrier { .. } => self.error(&format!("bodies[{index}].shape.mesh.embed"), message),
            _ => self.error(&format!("bodies[{index}].shape"), message),
        }
    }

    /// An error at the key of the parameter that is out of range.
    fn range_error(&self, error: &Error) -> SceneError {
        match error {
            Error::BadParameter { name, value, must } => {
                self.error(name, format!("{value} is not possible: it must be {must}"))
            }
            other => SceneError::plain(other.to_string()),
        }
    }

    pub(super) fn error(&self, key: &str, message: impl Into<String>) -> SceneError {
        SceneError::at(&self.text, key, message)
    }

    fn params(&self) -> Result<Params, SceneError> {
        Ok(Params {
            time: TimeParams { step: self.time.step, integrator: self.integrator()? },
            contact: self.contact_params()?,
            friction: self.friction_params()?,
        })
    }

    fn newton(&self) -> Result<NewtonParams, SceneError> {
        let (given, usual) = (&self.solver, NewtonParams::default());
        Ok(NewtonParams {
            tolerance: given.tolerance.or(usual.tolerance),
            max_iterations: given.max_iterations.unwrap_or(usual.max_iterations),
            retries: given.retries.unwrap_or(usual.retries),
            linear: self.named("solver.linear", given.linear.as_deref())?,
        })
    }

    fn contact_params(&self) -> Result<ContactParams, SceneError> {
        let (given, usual) = (&self.contact, ContactParams::default());
        Ok(ContactParams {
            dhat: given.dhat.unwrap_or(usual.dhat),
            dhat_is_relative: given.dhat_is_relative.unwrap_or(given.dhat.is_none()),
            dmin: given.dmin.unwrap_or(usual.dmin),
            barrier_stiffness: match given.barrier_stiffness {
                Some(StiffnessValue::Number(kappa)) => Some(kappa),
                Some(StiffnessValue::Auto) | None => None,
            },
            adaptive_barrier_stiffness: given
                .adaptive_barrier_stiffness
                .unwrap_or(usual.adaptive_barrier_stiffness),
            weighting: if given.use_area_weighting == Some(true) { Weighting::Area } else { usual.weighting },
            excluded_rings: given.excluded_rings.unwrap_or(usual.excluded_rings),
            broad_phase: self.named("contact.broad_phase", given.broad_phase.as_deref())?,
            bound: self.step_bound()?,
            line_search_energy: given.line_search_energy.unwrap_or(usual.line_search_energy),
            psd_projection: given.psd_projection.unwrap_or(usual.psd_projection),
        })
    }

    fn step_bound(&self) -> Result<StepBound, SceneError> {
        let wrong = |key, message: &str| Err(self.error(key, message));
        match (self.contact.use_ccd, self.contact.use_ogc) {
            (Some(true), Some(true)) => {
                wrong("contact.use_ogc", "excludes use_ccd: choose one of the two, or none for CCD")
            }
            (Some(false), None | Some(false)) => wrong(
                "contact.use_ccd",
                "false needs use_ogc = true: without either, steps pass through bodies",
            ),
            (_, Some(true)) => Ok(StepBound::Ogc),
            _ => Ok(StepBound::Ccd),
        }
    }

    fn integrator(&self) -> Result<IntegratorKind, SceneError> {
        let kind: IntegratorKind = self.named("time.integrator", self.time.integrator.as_deref())?;
        let numbers = [
            ("time.beta", self.time.beta, "newmark"),
            ("time.gamma", self.time.gamma, "newmark"),
            ("time.rho_infinity", self.time.rho_infinity, "generalized_alpha"),
        ];
        for (key, number, owner) in numbers {
            if number.is_some() && owner != kind.name() {
                let message = format!("is a number of integrator = \"{owner}\": choose it, or remove this");
                return Err(self.error(key, message));
            }
        }
        Ok(match kind {
            IntegratorKind::Newmark(usual) => {
                let gamma = self.time.gamma.unwrap_or(usual.gamma);
                // ¼ for γ = ½; with more damping, that which damps high frequencies most.
                let beta = self.time.beta.unwrap_or(0.25 * (gamma + 0.5) * (gamma + 0.5));
                IntegratorKind::Newmark(Newmark { beta, gamma })
            }
            IntegratorKind::GeneralizedAlpha(usual) => {
                IntegratorKind::GeneralizedAlpha(self.time.rho_infinity.map_or(usual, SpectralRadius))
            }
            other => other,
        })
    }

    /// The choice with a name; the usual one without.
    pub(super) fn named<T: Default + FromStr<Err = stiction::error::Error>>(
        &self,
        key: &str,
        name: Option<&str>,
    ) -> Result<T, SceneError> {
        name.map_or(Ok(T::default()), |name| {
            name.parse().map_err(|error: T::Err| self.error(key, error.to_string()))
        })
    }

    /// The error of a parameter that the library refused, at its key below `key`.
    pub(super) fn parameter_error(&self, key: &str, error: &Error) -> SceneError {
        match error {
            Error::BadParameter { name, value, must } => {
                let message = format!("{value} is not possible: it must be {must}");
                self.error(&format!("{key}.{name}"), message)
            }
            other => self.error(key, other.to_string()),
        }
    }

    pub(super) fn box_mesh<const D: usize>(
        &self,
        key: &str,
        shape: &BoxShape,
    ) -> Result<BoxMesh<D>, SceneError> {
        let center = self.vector(&format!("{key}.center"), &shape.center)?;
        let size_key = format!("{key}.size");
        let size = self.vector(&size_key, &shape.size)?;
        if shape.size.iter().any(|length| *length <= 0.0) {
            return Err(self.error(&size_key, "every length must be positive"));
        }
        let cells = self.cells(&format!("{key}.cells"), &shape.cells)?;
        if !shape.rotate_deg.is_finite() {
            return Err(self.error(&format!("{key}.rotate_deg"), "must be finite"));
        }
        Ok(BoxMesh::new(center, size, cells, shape.rotate_deg))
    }

    /// Numbers of cells along each side.
    pub(super) fn cells<const N: usize>(&self, key: &str, cells: &[usize]) -> Result<[usize; N], SceneError> {
        let cells: [usize; N] =
            cells.try_into().map_err(|_| self.error(key, format!("needs {N} numbers, one for each axis")))?;
        let vertices = cells.iter().try_fold(1_usize, |product, n| product.checked_mul(n.checked_add(1)?));
        if cells.contains(&0) || vertices.is_none_or(|count| count > MAX_VERTICES) {
            let message = format!("every number must be at least 1, and the vertices at most {MAX_VERTICES}");
            return Err(self.error(key, message));
        }
        Ok(cells)
    }

    pub(super) fn vector_or_zero<const D: usize>(
        &self,
        key: &str,
        numbers: Option<&[f64]>,
    ) -> Result<Vector<D>, SceneError> {
        numbers.map_or(Ok(Vector::ZERO), |numbers| self.vector(key, numbers))
    }

    pub(super) fn vector<const D: usize>(&self, key: &str, numbers: &[f64]) -> Result<Vector<D>, SceneError> {
        self.vector_named(key, numbers, "")
    }

    pub(super) fn vector_named<const D: usize>(
        &self,
        key: &str,
        numbers: &[f64],
        besides: &str,
    ) -> Result<Vector<D>, SceneError> {
        match <[f64; D]>::try_from(numbers) {
            Ok(array) if array.iter().all(|x| x.abs() <= LARGEST) => Ok(Vector(array)),
            Ok(array) if Vector(array).is_finite() => {
                Err(self.error(key, format!("every number must be at most {LARGEST:e}")))
            }
            Ok(_) => Err(self.error(key, "every number must be finite")),
            Err(_) => Err(self.error(key, format!("needs {besides}{D} numbers"))),
        }
    }
}

/// The largest number of a vector: powers of more overflow.
const LARGEST: f64 = 1e50;

/// Steps that a run may have: more are a slip of the pen.
const MAX_STEPS: f64 = 1e9;

/// Vertices that a shape may have: more are a slip of the pen.
pub(super) const MAX_VERTICES: usize = 1_000_000;
