//! Numbers that are possible each by itself, but not together: which of them is to blame, and what to do.

use stiction::broad_phase::Aabb;

use super::{Body, Material, Scene, SceneError};
use crate::error::Error;
use crate::model::{Model, THIN};

/// What a body, or a tolerance, may cross in a step against the size of everything.
const FAR: f64 = 1e9;

/// The largest coefficient of friction that is no slip of the pen.
const MAX_MU: f64 = 1e6;

/// How far a given barrier stiffness may be from the one that follows from the bodies.
const STIFFNESS_RANGE: f64 = 1e12;

/// How far forces of a body may be from each other.
struct Limits {
    /// Elastic forces against inertia within a step: velocities beyond are mostly rounding.
    stiff: f64,
    /// The body's own weight against its stiffness: nothing is left of it beyond.
    heavy: f64,
}

/// What no step could be computed with.
const REFUSED: Limits = Limits { stiff: 1e14, heavy: 1e4 };

/// What is to blame first when a step has no solution.
const SUSPECT: Limits = Limits { stiff: 1e11, heavy: 10.0 };

/// A number that may be to blame: its key, its value, a value that is usual, and which way it should be changed.
type Candidate = (String, f64, f64, &'static str);

impl Scene {
    /// Refuses numbers with which no step could be computed.
    pub(super) fn check_scales<const D: usize>(&self, model: &Model<D>) -> Result<(), SceneError> {
        let (dhat, size) = (model.barrier.dhat(), model.diagonal);
        if dhat < THIN * size {
            let message = format!(
                "{dhat:.1e} m is too small for bodies that span {size:.1e} m, in which rounding is larger: make it at \
                 least {:.0e}",
                100.0 * THIN * size
            );
            return Err(self.error("contact.dhat", message));
        }
        self.check_wide(model)?;
        self.check_thin(model)?;
        self.check_speeds(model)?;
        self.check_stiffness(model)?;
        match self.imbalance(model, &REFUSED) {
            Some((key, why)) => Err(self.error(&key, why)),
            None => Ok(()),
        }
    }

    /// Checks that `d̂` is smaller than what it keeps apart: a body that is smaller would be pushed about by things it does not come near.
    fn check_wide<const D: usize>(&self, model: &Model<D>) -> Result<(), SceneError> {
        let dhat = model.barrier.dhat();
        for (index, body) in self.bodies.iter().enumerate() {
            let Some(part) = model.parts.get(index) else { continue };
            let place = |v: usize| model.surface.rest()[v];
            let size = Aabb::around(part.vertices.clone().map(place), 0.0).diagonal();
            // Particles have no size.
            if size > 0.0 && dhat > size && part.vertices.clone().any(|v| !model.driven[v]) {
                let unit = if model.params.contact.dhat_is_relative { model.diagonal } else { 1.0 };
                let message = format!(
                    "d̂ is {dhat:.1e} m, more than body \"{}\" spans, {size:.1e} m: everything within d̂ of it would push it; make it at \
                     most {:.0e}",
                    body.name,
                    0.1 * size / unit
                );
                return Err(self.error("contact.dhat", message));
            }
        }
        Ok(())
    }

    /// Checks that sheets are thinner, and rods more slender, than they are large.
    fn check_thin<const D: usize>(&self, model: &Model<D>) -> Result<(), SceneError> {
        for (index, body) in self.bodies.iter().enumerate() {
            let Some((size, _)) = sizes(model, index) else { continue };
            // In 2D it is the thickness across the plane.
            let thickness = body.thickness.filter(|_| D == 3);
            for (name, value) in [("thickness", thickness), ("radius", body.radius)] {
                if value.is_some_and(|value| value > size) {
                    let message =
                        format!("is too large: the body has a size of {size:.1e} m; choose a solid");
                    return Err(self.error(&format!("bodies[{index}].{name}"), message));
                }
            }
        }
        Ok(())
    }

    /// Checks that nothing crosses everything many times in a step.
    fn check_speeds<const D: usize>(&self, model: &Model<D>) -> Result<(), SceneError> {
        let (h, size) = (self.time.step, model.diagonal);
        let norm = |numbers: &[f64]| numbers.iter().fold(0.0_f64, |norm, x| norm.max(x.abs()));
        let mut speeds = vec![("gravity".to_owned(), self.gravity.as_deref().map_or(0.0, norm) * h)];
        for (i, body) in self.bodies.iter().enumerate() {
            speeds.push((format!("bodies[{i}].velocity"), body.velocity.as_deref().map_or(0.0, norm)));
        }
        speeds.push(("solver.tolerance".to_owned(), self.solver.tolerance.unwrap_or(0.0) * FAR));
        match speeds.into_iter().find(|(_, speed)| speed * h > FAR * size) {
            None => Ok(()),
            Some((key, _)) => {
                let message = format!(
                    "is too large: in one step of {h:e} s a vertex would cross all bodies, {size:.1e} m, many times; choose a \
                     smaller one"
                );
                Err(self.error(&key, message))
            }
        }
    }

    /// Checks that a given barrier stiffness has to do with the bodies.
    fn check_stiffness<const D: usize>(&self, model: &Model<D>) -> Result<(), SceneError> {
        let Some(kappa) = model.params.contact.barrier_stiffness else { return Ok(()) };
        let usual = model.stiffness.usual();
        if kappa < usual * STIFFNESS_RANGE && kappa > usual / STIFFNESS_RANGE {
            return Ok(());
        }
        let message =
            format!("{kappa:e} is far from the {usual:.0e} that follow from the bodies: choose \"auto\"");
        Err(self.error("contact.barrier_stiffness", message))
    }

    /// Refuses a coefficient of friction that is too large to be meant.
    pub(super) fn check_mu(
        &self,
        key: &str,
        numbers: impl IntoIterator<Item = f64>,
    ) -> Result<(), SceneError> {
        match numbers.into_iter().find(|mu| *mu > MAX_MU) {
            None => Ok(()),
            Some(mu) => {
                Err(self.error(key, format!("{mu:e} is not possible: it must be at most {MAX_MU:e}")))
            }
        }
    }

    /// A number that came out too large or too small, at the key that it comes from.
    pub(super) fn scale_error(&self, what: &str, value: f64) -> SceneError {
        let extreme = |number: f64| number.abs().log10().abs();
        let young = |body: &Body| body.material.as_ref().map_or(0.0, |material| extreme(material.young));
        let bodies = self.bodies.iter().enumerate();
        let worst = bodies.max_by(|a, b| young(a.1).total_cmp(&young(b.1))).map(|(index, _)| index);
        match (what, worst) {
            ("contact.dhat", _) => self.error(
                "bodies",
                format!(
                    "are too large or too small: contact.dhat, a thousandth of the distance that they span, would be \
                     {value:.1e} m; look at the sizes of shapes"
                ),
            ),
            (_, Some(index)) if young(&self.bodies[index]) > 0.0 => self.error(
                &format!("bodies[{index}].material.young"),
                format!("{what} that follows from it and from contact.dhat would be {value:.1e}: choose another"),
            ),
            _ => SceneError::plain(Error::OutOfScale { what: "a number", value }.to_string()),
        }
    }

    /// The key of the number that is likely to blame for a step without a solution, and why.
    pub(super) fn suspect<const D: usize>(&self, model: &Model<D>) -> Option<(String, String)> {
        self.imbalance(model, &SUSPECT)
    }

    /// The most unusual of the numbers that make forces of a body so different that the smaller ones are lost.
    fn imbalance<const D: usize>(&self, model: &Model<D>, limits: &Limits) -> Option<(String, String)> {
        let (h, g) = (self.time.step, model.gravity.norm());
        let inertia = model.params.time.integrator.has_inertia();
        let bodies =
            self.bodies.iter().enumerate().filter_map(|(i, body)| Some((i, body.material.as_ref()?)));
        for (index, &Material { young, density, .. }) in bodies {
            let Some((size, edge)) = sizes(model, index) else { continue };
            let key = |name: &str| format!("bodies[{index}].material.{name}");
            let (step, gravity) = ("time.step".to_owned(), "gravity".to_owned());
            if inertia && young / density * (h / edge).powi(2) > limits.stiff {
                let all = [
                    (key("young"), young, 1e7, "smaller (or static = true for what is rigid)"),
                    (key("density"), density, 1e3, "larger"),
                    (step, h, 1e-2, "smaller"),
                ];
                return Some(blame(all, "inertia within a step is lost in the rounding of elastic forces"));
            }
            if density * g / young * size > limits.heavy {
                let all = [
                    (key("young"), young, 1e7, "larger"),
                    (key("density"), density, 1e3, "smaller"),
                    (gravity, g, 10.0, "smaller"),
                ];
                return Some(blame(all, "the body is crushed by its own weight"));
            }
        }
        None
    }
}

/// The most unusual of some numbers, and what to do about it.
fn blame<const N: usize>(all: [Candidate; N], why: &str) -> (String, String) {
    let unusual = |(_, value, usual, _): &Candidate| (value / usual).abs().log10().abs();
    let worst = all.into_iter().max_by(|a, b| unusual(a).total_cmp(&unusual(b)));
    let (key, value, _, change) = worst.unwrap_or_default();
    (key, format!("{value:e} is not possible here, {why}: make it {change}"))
}

/// The size of a body and the length of its first edge, in m.
fn sizes<const D: usize>(model: &Model<D>, body: usize) -> Option<(f64, f64)> {
    let part = model.parts.get(body)?;
    let rest = model.surface.rest();
    let first = rest[part.vertices.clone()].first()?;
    let size = rest[part.vertices.clone()].iter().map(|x| (*x - *first).norm()).fold(0.0, f64::max);
    let edge = model.surface.edges().iter().find(|edge| part.vertices.contains(&(edge[0] as usize)))?;
    Some((size, (rest[edge[0] as usize] - rest[edge[1] as usize]).norm()))
}
