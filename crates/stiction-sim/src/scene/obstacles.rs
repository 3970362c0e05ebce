//! The obstacles of a scene.

use serde::Deserialize;
use stiction::obstacle::{self, Obstacle};

use super::motions::PrescribedMotion;
use super::{Scene, SceneError};
use crate::boundary::Trajectory;
use crate::obstacles::Obstacles;

/// `[[planes]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// A point of it.
    pub point: Vec<f64>,
    /// Towards free space; of any length.
    pub normal: Vec<f64>,
    /// Its name in reports and pictures.
    pub name: Option<String>,
    /// What it is for friction: a name in `[[friction.pairs]]`.
    pub surface: Option<String>,
    /// How it moves; it may turn about its normal.
    pub motion: Option<PrescribedMotion>,
}

/// `[[spheres]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Its centre.
    pub center: Vec<f64>,
    /// Its radius, in m.
    pub radius: f64,
    /// Its name in reports and pictures.
    pub name: Option<String>,
    /// What it is for friction: a name in `[[friction.pairs]]`.
    pub surface: Option<String>,
    /// How it moves.
    pub motion: Option<PrescribedMotion>,
}

/// `[[cylinders]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// A point of its axis.
    pub point: Vec<f64>,
    /// Along its axis; of any length.
    pub axis: Vec<f64>,
    /// Its radius, in m.
    pub radius: f64,
    /// Its name in reports and pictures.
    pub name: Option<String>,
    /// What it is for friction: a name in `[[friction.pairs]]`.
    pub surface: Option<String>,
    /// How it moves; it may turn about lines along its axis.
    pub motion: Option<PrescribedMotion>,
}

impl Scene {
    /// All obstacles: planes, spheres, cylinders.
    pub(super) fn obstacles<const D: usize>(&self) -> Result<Obstacles<D>, SceneError> {
        let mut out = Obstacles::default();
        for (i, plane) in self.planes.iter().enumerate() {
            let key = format!("planes[{i}]");
            self.add(&mut out, &key, self.plane(&key, plane)?, plane.motion.as_ref())?;
            name_last(&mut out, plane.name.as_ref());
        }
        for (i, sphere) in self.spheres.iter().enumerate() {
            let key = format!("spheres[{i}]");
            self.add(&mut out, &key, self.sphere(&key, sphere)?, sphere.motion.as_ref())?;
            name_last(&mut out, sphere.name.as_ref());
        }
        for (i, cylinder) in self.cylinders.iter().enumerate() {
            let key = format!("cylinders[{i}]");
            self.add(&mut out, &key, self.cylinder(&key, cylinder)?, cylinder.motion.as_ref())?;
            name_last(&mut out, cylinder.name.as_ref());
        }
        Ok(out)
    }

    /// Checks that no name is empty or taken: reports and pictures tell things apart by them.
    pub(super) fn check_obstacle_names(&self) -> Result<(), SceneError> {
        let planes = self.planes.iter().enumerate().map(|(i, plane)| ("planes", i, &plane.name));
        let spheres = self.spheres.iter().enumerate().map(|(i, sphere)| ("spheres", i, &sphere.name));
        let cylinders =
            self.cylinders.iter().enumerate().map(|(i, cylinder)| ("cylinders", i, &cylinder.name));
        let mut taken: Vec<&str> = self.bodies.iter().map(|body| body.name.as_str()).collect();
        for (list, index, name) in planes.chain(spheres).chain(cylinders) {
            let (Some(name), key) = (name, format!("{list}[{index}].name")) else { continue };
            if name.is_empty() || name.contains(char::is_control) {
                return Err(self.error(&key, "is empty or has a control character: choose another name"));
            }
            if taken.contains(&name.as_str()) {
                let message =
                    format!("\"{name}\" is taken by a body or another obstacle: choose another name");
                return Err(self.error(&key, message));
            }
            taken.push(name);
        }
        Ok(())
    }

    /// What obstacles are for friction, in the same order.
    pub(super) fn obstacle_surfaces(&self) -> impl Iterator<Item = Option<&str>> {
        let planes = self.planes.iter().map(|plane| &plane.surface);
        let spheres = self.spheres.iter().map(|sphere| &sphere.surface);
        let cylinders = self.cylinders.iter().map(|cylinder| &cylinder.surface);
        planes.chain(spheres).chain(cylinders).map(Option::as_deref)
    }

    /// The key of an obstacle with this number.
    pub(super) fn obstacle_key(&self, number: usize) -> String {
        let (planes, spheres) = (self.planes.len(), self.spheres.len());
        if number < planes {
            format!("planes[{number}]")
        } else if number < planes + spheres {
            format!("spheres[{}]", number - planes)
        } else {
            format!("cylinders[{}]", number - planes - spheres)
        }
    }

    fn add<const D: usize>(
        &self,
        obstacles: &mut Obstacles<D>,
        key: &str,
        solid: Obstacle<D>,
        motion: Option<&PrescribedMotion>,
    ) -> Result<(), SceneError> {
        let key = format!("{key}.motion");
        let trajectory = match motion {
            None => Trajectory::default(),
            Some(PrescribedMotion { side: Some(_), .. }) => {
                return Err(self.error(&format!("{key}.side"), "obstacles move as a whole: remove it"));
            }
            Some(PrescribedMotion { region: Some(_), .. }) => {
                return Err(self.error(&format!("{key}.region"), "obstacles move as a whole: remove it"));
            }
            Some(motion) => self.trajectory(&key, motion)?,
        };
        obstacles
            .push(solid, trajectory)
            .map_err(|error| self.error(&format!("{key}.rotation"), error.to_string()))
    }

    fn plane<const D: usize>(&self, key: &str, plane: &Plane) -> Result<Obstacle<D>, SceneError> {
        let point = self.vector(&format!("{key}.point"), &plane.point)?;
        let normal = self.vector(&format!("{key}.normal"), &plane.normal)?;
        let plane = obstacle::Plane::new(point, normal)
            .map_err(|error| self.error(&format!("{key}.normal"), error.to_string()))?;
        Ok(Obstacle::Plane(plane))
    }

    fn sphere<const D: usize>(&self, key: &str, sphere: &Sphere) -> Result<Obstacle<D>, SceneError> {
        let center = self.vector(&format!("{key}.center"), &sphere.center)?;
        let sphere = obstacle::Sphere::new(center, sphere.radius)
            .map_err(|error| self.error(&format!("{key}.radius"), error.to_string()))?;
        Ok(Obstacle::Sphere(sphere))
    }

    fn cylinder<const D: usize>(&self, key: &str, cylinder: &Cylinder) -> Result<Obstacle<D>, SceneError> {
        if D != 3 {
            return Err(self.error(key, "cylinders exist only in 3D: choose a sphere, which is a disc in 2D"));
        }
        let radius_key = format!("{key}.radius");
        if !(cylinder.radius > 0.0 && cylinder.radius.is_finite()) {
            return Err(self.error(&radius_key, "must be positive, in m"));
        }
        let point = self.vector(&format!("{key}.point"), &cylinder.point)?;
        let axis = self.vector(&format!("{key}.axis"), &cylinder.axis)?;
        Obstacle::cylinder(point, axis, cylinder.radius)
            .map_err(|error| self.error(&format!("{key}.axis"), error.to_string()))
    }
}

/// Gives the last obstacle the name that it has in the scene, if it has one.
fn name_last<const D: usize>(obstacles: &mut Obstacles<D>, name: Option<&String>) {
    if let Some(name) = name {
        obstacles.name_last(name.clone());
    }
}
