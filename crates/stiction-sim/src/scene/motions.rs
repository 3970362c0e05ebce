//! What moves as given, and forces that are given.

use serde::Deserialize;
use stiction::math::Vector;
use stiction::mesh::boundary;

use super::shape_mesh::ShapeMesh;
use super::{Body, Scene, SceneError, Side};
use crate::boundary::{Trajectory, Turn};
use crate::formula::Formula;
use crate::load::{self, LoadKind};
use crate::signal::Signal;

/// `[[bodies.motions]]`: a side or a region of a body, or all of it, moves as given. `motion` of an obstacle: all of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrescribedMotion {
    /// The side of a box.
    pub side: Option<Side>,
    /// The vertices in a region.
    pub region: Option<Region>,
    /// Rows of time in s and displacement in m; linear between them.
    pub keyframes: Option<Vec<Vec<f64>>>,
    /// A formula of `t` for each axis: the displacement in m.
    pub formula: Option<Vec<String>>,
    /// A velocity in m/s.
    pub velocity: Option<Vec<f64>>,
    /// A rotation, before the displacement.
    pub rotation: Option<Rotation>,
}

/// `region`: what is between two corners at rest.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// The lower corner, in m.
    pub min: Vec<f64>,
    /// The upper corner, in m.
    pub max: Vec<f64>,
}

/// `rotation`: about a point (2D) or an axis (3D).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// A point of the axis, in m.
    pub point: Vec<f64>,
    /// Its direction; only in 3D.
    pub axis: Option<Vec<f64>>,
    /// How fast it turns.
    pub degrees_per_second: Option<f64>,
    /// Rows of time in s and angle in degrees; linear between them.
    pub keyframes: Option<Vec<[f64; 2]>>,
    /// A formula of `t`: the angle in degrees.
    pub formula: Option<String>,
}

/// `[[bodies.loads]]`: a force on a side or a region of a body, or on all of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// The side of a box.
    pub side: Option<Side>,
    /// The vertices in a region.
    pub region: Option<Region>,
    /// A force in N, all together; shared by the surface of the vertices.
    pub force: Option<Vec<f64>>,
    /// A pressure in Pa on the surface.
    pub pressure: Option<f64>,
    /// An acceleration in m/s².
    pub acceleration: Option<Vec<f64>>,
    /// How much of it acts when.
    pub factor: Option<Factor>,
}

/// `factor`: a formula of `t`, or rows of time in s and factor.
#[derive(Clone, Debug)]
pub enum Factor {
    /// A formula.
    Formula(String),
    /// Key frames.
    Frames(Vec<[f64; 2]>),
}

/// Where on a body: all of it without either.
struct Place<'a> {
    side: Option<Side>,
    region: Option<&'a Region>,
}

impl Scene {
    pub(super) fn prescribed<const D: usize>(
        &self,
        key: &str,
        body: &Body,
        mesh: &ShapeMesh<D>,
    ) -> Result<Vec<(Vec<u32>, Trajectory<D>)>, SceneError> {
        let mut out = Vec::new();
        for (i, side) in body.fixed.iter().enumerate() {
            if body.fixed[..i].contains(side) {
                return Err(self.error(&format!("{key}.fixed[{i}]"), "is there twice: remove one of the two"));
            }
            out.push((self.side(&format!("{key}.fixed[{i}]"), mesh, *side)?, Trajectory::default()));
        }
        for (i, motion) in body.motions.iter().enumerate() {
            let key = format!("{key}.motions[{i}]");
            let place = Place { side: motion.side, region: motion.region.as_ref() };
            let vertices = self.chosen(&key, mesh, place)?;
            out.push((vertices, self.trajectory(&key, motion)?));
        }
        Ok(out)
    }

    /// The vertices of a side or in a region; all without either.
    fn chosen<const D: usize>(
        &self,
        key: &str,
        mesh: &ShapeMesh<D>,
        Place { side, region }: Place<'_>,
    ) -> Result<Vec<u32>, SceneError> {
        match (side, region) {
            (Some(_), Some(_)) => {
                Err(self.error(&format!("{key}.region"), "excludes side: choose one of the two"))
            }
            (Some(side), None) => self.side(&format!("{key}.side"), mesh, side),
            (None, None) => Ok(mesh.all()),
            (None, Some(region)) => {
                let key = format!("{key}.region");
                let low: Vector<D> = self.vector(&format!("{key}.min"), &region.min)?;
                let high: Vector<D> = self.vector(&format!("{key}.max"), &region.max)?;
                let inside = |x: &Vector<D>| (0..D).all(|k| (low[k]..=high[k]).contains(&x[k]));
                let all = mesh.vertices.iter().enumerate();
                let vertices: Vec<u32> = all.filter(|(_, x)| inside(x)).map(|(v, _)| v as u32).collect();
                if vertices.is_empty() {
                    return Err(self.error(&key, "there is no vertex of the body in it"));
                }
                Ok(vertices)
            }
        }
    }

    pub(super) fn trajectory<const D: usize>(
        &self,
        key: &str,
        motion: &PrescribedMotion,
    ) -> Result<Trajectory<D>, SceneError> {
        let trajectory = match (&motion.keyframes, &motion.formula) {
            (Some(_), Some(_)) => {
                return Err(
                    self.error(&format!("{key}.formula"), "excludes keyframes: choose one of the two")
                );
            }
            (Some(rows), None) => self.frames(&format!("{key}.keyframes"), rows)?,
            (None, Some(texts)) => Trajectory::by_formulas(self.formulas(&format!("{key}.formula"), texts)?),
            (None, None) if motion.velocity.is_none() && motion.rotation.is_none() => {
                return Err(self.error(key, "moves nothing: give keyframes, formula, velocity or rotation"));
            }
            (None, None) => Trajectory::default(),
        };
        let trajectory = match &motion.velocity {
            Some(velocity) => trajectory.with_velocity(self.vector(&format!("{key}.velocity"), velocity)?),
            None => trajectory,
        };
        match &motion.rotation {
            Some(rotation) => Ok(trajectory.with_turn(self.turn(&format!("{key}.rotation"), rotation)?)),
            None => Ok(trajectory),
        }
    }

    fn frames<const D: usize>(&self, key: &str, rows: &[Vec<f64>]) -> Result<Trajectory<D>, SceneError> {
        if rows.is_empty() {
            return Err(self.error(key, "is empty: give rows of a time and a displacement"));
        }
        let mut frames = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let Some((time, displacement)) = row.split_first() else {
                return Err(self.error(&format!("{key}[{i}]"), "is empty: give a time and a displacement"));
            };
            frames.push((*time, self.vector_named(&format!("{key}[{i}]"), displacement, "a time and ")?));
        }
        Trajectory::new(frames).map_err(|error| self.error(key, error.to_string()))
    }

    fn formulas<const D: usize>(&self, key: &str, texts: &[String]) -> Result<[Formula; D], SceneError> {
        let read = |(k, text): (usize, &String)| self.formula(&format!("{key}[{k}]"), text);
        let all = texts.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        all.try_into().map_err(|_| self.error(key, format!("needs {D} formulas, one for each axis")))
    }

    fn formula(&self, key: &str, text: &str) -> Result<Formula, SceneError> {
        Formula::parse(text).map_err(|error| self.error(key, error.to_string()))
    }

    fn turn<const D: usize>(&self, key: &str, rotation: &Rotation) -> Result<Turn<D>, SceneError> {
        let point = self.vector(&format!("{key}.point"), &rotation.point)?;
        let axis = match (&rotation.axis, D) {
            (Some(axis), 3) => self.vector(&format!("{key}.axis"), axis)?,
            (None, 2) => Vector::ZERO,
            (Some(_), _) => return Err(self.error(&format!("{key}.axis"), "exists only in 3D")),
            (None, _) => return Err(self.error(key, "needs an axis in 3D")),
        };
        Turn::new(point, axis, self.angle(key, rotation)?)
            .map_err(|error| self.error(&format!("{key}.axis"), error.to_string()))
    }

    /// The angle in rad.
    fn angle(&self, key: &str, rotation: &Rotation) -> Result<Signal, SceneError> {
        let Rotation { degrees_per_second: speed, keyframes, formula, .. } = rotation;
        match (speed, keyframes, formula) {
            (Some(speed), None, None) => {
                let text = format!("{speed:e} * t * pi / 180");
                Ok(Signal::Formula(self.formula(&format!("{key}.degrees_per_second"), &text)?))
            }
            (None, Some(rows), None) => {
                let frames = rows.iter().map(|[t, degrees]| (*t, degrees.to_radians())).collect();
                Signal::frames(frames)
                    .map_err(|error| self.error(&format!("{key}.keyframes"), error.to_string()))
            }
            (None, None, Some(text)) => {
                self.formula(&format!("{key}.formula"), text)?;
                let text = format!("({text}) * pi / 180");
                Ok(Signal::Formula(self.formula(&format!("{key}.formula"), &text)?))
            }
            _ => Err(self.error(key, "needs one of degrees_per_second, keyframes and formula")),
        }
    }

    pub(super) fn loads<const D: usize>(
        &self,
        key: &str,
        body: &Body,
        mesh: &ShapeMesh<D>,
    ) -> Result<Vec<load::Load<D>>, SceneError> {
        let read = |(i, load): (usize, &Load)| {
            let key = format!("{key}.loads[{i}]");
            let place = Place { side: load.side, region: load.region.as_ref() };
            let vertices = self.chosen(&key, mesh, place)?;
            let factor = self.factor(&format!("{key}.factor"), load.factor.as_ref())?;
            Ok(load::Load { kind: self.load_kind(&key, load, mesh, vertices)?, factor })
        };
        body.loads.iter().enumerate().map(read).collect()
    }

    fn factor(&self, key: &str, factor: Option<&Factor>) -> Result<Signal, SceneError> {
        match factor {
            None => Ok(Signal::default()),
            Some(Factor::Formula(text)) => Ok(Signal::Formula(self.formula(key, text)?)),
            Some(Factor::Frames(rows)) => {
                let frames = rows.iter().map(|[t, factor]| (*t, *factor)).collect();
                Signal::frames(frames).map_err(|error| self.error(key, error.to_string()))
            }
        }
    }

    fn load_kind<const D: usize>(
        &self,
        key: &str,
        load: &Load,
        mesh: &ShapeMesh<D>,
        vertices: Vec<u32>,
    ) -> Result<LoadKind<D>, SceneError> {
        match (&load.force, load.pressure, &load.acceleration) {
            (Some(force), None, None) => {
                let force: Vector<D> = self.vector(&format!("{key}.force"), force)?;
                Ok(LoadKind::Force(shared(force, mesh, &vertices)))
            }
            (None, Some(pressure), None) if pressure.is_finite() => {
                let sides = sides(mesh, &vertices);
                if sides.is_empty() {
                    return Err(
                        self.error(&format!("{key}.pressure"), "there is no whole edge or face to push")
                    );
                }
                Ok(LoadKind::Pressure(sides, pressure))
            }
            (None, Some(_), None) => Err(self.error(&format!("{key}.pressure"), "must be finite")),
            (None, None, Some(acceleration)) => {
                let acceleration = self.vector(&format!("{key}.acceleration"), acceleration)?;
                Ok(LoadKind::Acceleration(vertices, acceleration))
            }
            _ => Err(self.error(key, "needs one of force, pressure and acceleration")),
        }
    }
}

/// The sides of the boundary all of whose vertices are among these.
fn sides<const D: usize>(mesh: &ShapeMesh<D>, vertices: &[u32]) -> Vec<[u32; D]> {
    let mut chosen = vec![false; mesh.vertices.len()];
    for v in vertices {
        chosen[*v as usize] = true;
    }
    // In 3D triangles are sheets, which are pushed where their normals come from.
    let edges = if D == 2 { boundary::of_triangles(&mesh.triangles) } else { Vec::new() };
    let sheet = if D == 3 { &mesh.triangles[..] } else { &[] };
    let faces = boundary::of_tetrahedra(&mesh.tetrahedra);
    let corners = edges.iter().map(|e| e.to_vec()).chain(faces.iter().chain(sheet).map(|f| f.to_vec()));
    let all = corners.filter_map(|corners| <[u32; D]>::try_from(corners).ok());
    all.filter(|side| side.iter().all(|v| chosen[*v as usize])).collect()
}

/// A force shared by vertices as their surface is; equally if they have none.
fn shared<const D: usize>(force: Vector<D>, mesh: &ShapeMesh<D>, vertices: &[u32]) -> Vec<(u32, Vector<D>)> {
    let mut shares = vec![0.0; mesh.vertices.len()];
    for side in sides(mesh, vertices) {
        let corners = side.map(|v| mesh.vertices[v as usize]);
        for v in side {
            shares[v as usize] += load::size(corners);
        }
    }
    let total: f64 = vertices.iter().map(|v| shares[*v as usize]).sum();
    let share = |v: u32| if total > 0.0 { shares[v as usize] / total } else { 1.0 / vertices.len() as f64 };
    vertices.iter().map(|&v| (v, force * share(v))).collect()
}
