//! Scenes: models as text.
//!
//! A scene is a TOML file. Unknown keys are errors, and every error names its line and key.

mod bodies;
mod build;
mod change;
mod choices;
mod explain;
mod friction;
mod locate;
mod motions;
mod obstacles;
mod output;
pub mod shape_mesh;
mod quad;
mod reader;
mod scale;
pub mod shapes;

use std::path::{Path, PathBuf};

use serde::Deserialize;

pub use friction::{Friction, LawValue, PairFriction, StribeckNumbers};
pub use locate::SceneError;
pub use motions::{Factor, Load, PrescribedMotion, Region, Rotation};
pub use obstacles::{Cylinder, Plane, Sphere};
pub use output::Output;
pub use quad::QuadShape;
pub use shape_mesh::{MeshShape, RodShape, SheetShape};
pub use shapes::{BoxShape, Side};

/// A scene as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// 2 or 3.
    pub dimension: usize,
    /// Gravity in m/s²; none if not given.
    pub gravity: Option<Vec<f64>>,
    /// Time.
    pub time: Time,
    /// Normal contact.
    #[serde(default)]
    pub contact: Contact,
    /// Friction.
    #[serde(default)]
    pub friction: Friction,
    /// Newton's method.
    #[serde(default)]
    pub solver: Solver,
    /// What a run writes.
    #[serde(default)]
    pub output: Output,
    /// The bodies.
    #[serde(default)]
    pub bodies: Vec<Body>,
    /// Half-spaces that bodies cannot enter.
    #[serde(default)]
    pub planes: Vec<Plane>,
    /// Balls, in 2D discs, that bodies cannot enter.
    #[serde(default)]
    pub spheres: Vec<Sphere>,
    /// Cylinders without ends that bodies cannot enter, in 3D.
    #[serde(default)]
    pub cylinders: Vec<Cylinder>,
    /// The text, to find the places of errors in.
    #[serde(skip)]
    text: String,
    /// Where its files are.
    #[serde(skip)]
    folder: PathBuf,
}

/// `[time]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Length of a step, in s.
    pub step: f64,
    /// End of the simulation, in s.
    pub end: f64,
    /// Every how many steps the configuration is written.
    #[serde(default = "one")]
    pub frame_every: usize,
    /// The integrator, by name.
    pub integrator: Option<String>,
    /// `β` of Newmark's method.
    pub beta: Option<f64>,
    /// `γ` of Newmark's method.
    pub gamma: Option<f64>,
    /// `ρ` of the generalised-α method.
    pub rho_infinity: Option<f64>,
}

fn one() -> usize {
    1
}

/// `barrier_stiffness`: `"auto"` or a number in J/m⁴, with weights by area in J/m⁶ (J/m⁵ in 2D).
#[derive(Clone, Copy, Debug)]
pub enum StiffnessValue {
    /// Chosen by the program.
    Auto,
    /// `κ`.
    Number(f64),
}

/// `[contact]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// `d̂`, in m or as a part of the diagonal of the bounding box; by default a thousandth of it.
    pub dhat: Option<f64>,
    /// Whether `dhat` is a part of the diagonal.
    pub dhat_is_relative: Option<bool>,
    /// Distance in m that nothing falls below.
    pub dmin: Option<f64>,
    /// `κ`.
    pub barrier_stiffness: Option<StiffnessValue>,
    /// Whether `κ` rises where clearances become small.
    pub adaptive_barrier_stiffness: Option<bool>,
    /// Whether contacts are weighted by the area that they stand for.
    pub use_area_weighting: Option<bool>,
    /// Rings of neighbours that never touch.
    pub excluded_rings: Option<u32>,
    /// How near pairs are found, by name.
    pub broad_phase: Option<String>,
    /// Whether steps are bounded by continuous collision detection.
    pub use_ccd: Option<bool>,
    /// Whether steps are bounded by a trust region.
    pub use_ogc: Option<bool>,
    /// Whether steps are halved until the energy has fallen.
    pub line_search_energy: Option<bool>,
    /// Whether Hessians are made positive.
    pub psd_projection: Option<bool>,
    /// Whether contacts are brought to rest before the first step.
    pub settle: Option<bool>,
}

/// `[solver]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solver {
    /// Newton's tolerance in m/s.
    pub tolerance: Option<f64>,
    /// Most iterations.
    pub max_iterations: Option<usize>,
    /// How often a step that fails is tried again in twice as many substeps.
    pub retries: Option<usize>,
    /// How linear systems are solved, by name.
    pub linear: Option<String>,
}

/// `material`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Young's modulus in Pa.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density in kg/m³.
    pub density: f64,
    /// The law, by name.
    pub kind: Option<String>,
}

/// `damping`: Rayleigh's.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Damping {
    /// `α` in 1/s, of the mass.
    pub mass: f64,
    /// `β` in s, of the stiffness.
    pub stiffness: f64,
}

/// `shape`, one of its kinds.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A rectangle or cuboid.
    Box(BoxShape),
    /// A quadrilateral in 2D.
    Quad(QuadShape),
    /// A flat sheet in 3D.
    Sheet(SheetShape),
    /// A straight rod.
    Rod(RodShape),
    /// A mesh from a file.
    Mesh(MeshShape),
}

/// `[[bodies]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Its material; fixed shapes need none.
    pub material: Option<Material>,
    /// Whether it is a fixed shape: without mass and elasticity, moved only by `motions`.
    #[serde(default, rename = "static")]
    pub is_static: bool,
    /// How its vibrations fade.
    pub damping: Option<Damping>,
    /// Thickness of sheets, and of solids in 2D (1 by default), in m.
    pub thickness: Option<f64>,
    /// Radius of rods, in m.
    pub radius: Option<f64>,
    /// Its velocity at the start, in m/s.
    pub velocity: Option<Vec<f64>>,
    /// What it is for friction: a name in `[[friction.pairs]]`; by default its own.
    pub surface: Option<String>,
    /// Sides that do not move.
    #[serde(default)]
    pub fixed: Vec<Side>,
    /// What moves as given.
    #[serde(default)]
    pub motions: Vec<PrescribedMotion>,
    /// Forces that are given.
    #[serde(default)]
    pub loads: Vec<Load>,
}

impl Scene {
    /// Reads a scene from a file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a scene.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        let text = std::fs::read_to_string(path).map_err(|error| SceneError::plain(error.to_string()))?;
        Self::parse_in(&text, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads a scene from a text; files that it names are relative to the working directory.
    ///
    /// # Errors
    /// If it is not a scene.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        Self::parse_in(text, Path::new(""))
    }

    /// Reads a scene from a text; files that it names are relative to `folder`.
    ///
    /// # Errors
    /// If it is not a scene.
    pub fn parse_in(text: &str, folder: &Path) -> Result<Self, SceneError> {
        let scene: Self = reader::read(text)?;
        let scene = Self { text: text.to_owned(), folder: folder.to_owned(), ..scene };
        scene.check()?;
        Ok(scene)
    }

    /// Where the files that it names are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The text that it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of steps to the end, or to the first time after it where it is not a whole number of steps.
    #[allow(clippy::cast_sign_loss)] // both numbers are checked to be positive
    pub fn steps(&self) -> usize {
        // Rounding of the quotient must not cost one more step.
        (self.time.end / self.time.step * (1.0 - 1e-9)).ceil() as usize
    }
}
