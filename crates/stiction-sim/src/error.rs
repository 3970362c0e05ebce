//! What can go wrong in a simulation, said so that the reader knows where and what to do.

use std::fmt::Display;
use std::path::PathBuf;

/// The result of an operation of the simulator.
pub type Result<T> = std::result::Result<T, Error>;

/// A simulation that cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Bad geometry or parameters of the contact library.
    #[error(transparent)]
    Contact(#[from] stiction::error::Error),
    /// Bad geometry of a body.
    #[error("body \"{body}\": {source}")]
    InBody {
        /// The body's name.
        body: String,
        /// What is wrong; vertices and elements count from 0 in the body.
        source: stiction::error::Error,
    },
    /// A parameter outside its range.
    #[error("{name} = {value} is not possible: it must be {must}")]
    BadParameter {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// An element without positive volume.
    #[error(
        "element {element} of body \"{body}\" has volume {volume:e}: exchange two of its vertices if it is \
         inverted, remove it if it is flat, scale the body if it is too large or too small, move it if it is far from the origin"
    )]
    InvertedElement {
        /// The body's name.
        body: String,
        /// Number of the element in its body.
        element: usize,
        /// Its volume in m³ (area in m² in 2D).
        volume: f64,
    },
    /// A sheet's triangle without area or a rod's segment without length.
    #[error(
        "{what} {element} of body \"{body}\" has {measure} {size:e}: remove it, or scale the body if it is too large"
    )]
    FlatElement {
        /// The body's name.
        body: String,
        /// `triangle` or `edge`.
        what: &'static str,
        /// Number of the element in its list.
        element: usize,
        /// `area` or `length`.
        measure: &'static str,
        /// Its area in m² or length in m.
        size: f64,
    },
    /// A parameter of a body outside its range.
    #[error("{name} = {value} of body \"{body}\" is not possible: it must be {must}")]
    BadBody {
        /// The body's name.
        body: String,
        /// The parameter's name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// Elements that are given twice.
    #[error("{what} {second} of body \"{body}\" is {what} {first} once more: remove it")]
    Twice {
        /// The body's name.
        body: String,
        /// `triangle` or `edge`.
        what: &'static str,
        /// Number of the one.
        first: usize,
        /// Number of the other.
        second: usize,
    },
    /// Numbers so large or small that nothing can be computed with them.
    #[error("{what} is {value:e}: choose units in which lengths, masses and times are closer to 1")]
    OutOfScale {
        /// What came out of the numbers.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A matrix of masses that is none.
    #[error("{what}")]
    BadMass {
        /// What is wrong.
        what: String,
    },
    /// A link that cannot hold.
    #[error("link \"{link}\" {what}")]
    Link {
        /// Its name.
        link: String,
        /// What is wrong.
        what: String,
    },
    /// An energy that a user added failed.
    #[error("step {step}: the term \"{term}\" failed: {what}")]
    Term {
        /// Number of the step, from 1.
        step: usize,
        /// Its name.
        term: String,
        /// What it said.
        what: String,
    },
    /// The name of an energy that a user added.
    #[error("{name:?} cannot be the name of a term: {must}")]
    TermName {
        /// The name.
        name: String,
        /// What it must be.
        must: &'static str,
    },
    /// A vertex of an embedded surface that no element of its carrier contains.
    #[error(
        "vertex {vertex} of the surface of body \"{body}\", at {place}, is outside of the mesh that should carry it: make that mesh larger, or move \
         the surface into it"
    )]
    OutsideCarrier {
        /// The body's name.
        body: String,
        /// Number of the vertex in the surface.
        vertex: usize,
        /// Where it is, in m.
        place: String,
    },
    /// A vertex that belongs to no element and so has no mass.
    #[error("vertex {vertex} of body \"{body}\" belongs to no element: remove it")]
    LooseVertex {
        /// The body's name.
        body: String,
        /// Number of the vertex in its body.
        vertex: usize,
    },
    /// Primitives that intersect, or bodies of which one is inside another.
    #[error("{first} and {second} intersect near {place}: move them apart")]
    Intersecting {
        /// The name of the body that comes last, of the two.
        body: String,
        /// One of them, with its body.
        first: String,
        /// The other.
        second: String,
        /// Where.
        place: String,
    },
    /// A vertex that touches an obstacle or is inside it.
    #[error(
        "vertex {vertex} of body \"{body}\" is not outside obstacle {obstacle} (signed distance {distance:.2e} m): \
         move it out"
    )]
    InsideObstacle {
        /// Number of the vertex.
        vertex: usize,
        /// Its body.
        body: String,
        /// Number of the obstacle.
        obstacle: usize,
        /// Its signed distance, in m.
        distance: f64,
    },
    /// Something closer than the minimum distance.
    #[error(
        "vertex {vertex} of body \"{body}\", or an edge or face of it, is {distance:.2e} m from something, no more than \
         contact.dmin = {dmin:e} and rounding: move it away, merge vertices that lie in the same place, or make contact.dmin smaller"
    )]
    TooClose {
        /// Number of the vertex in its body.
        vertex: usize,
        /// Its body.
        body: String,
        /// The distance in m.
        distance: f64,
        /// The minimum distance in m.
        dmin: f64,
    },
    /// A motion or a load that is no number at some time.
    #[error("the {what} of vertex {vertex} is no number at {time} s: look at its formula")]
    NoNumber {
        /// What it is of.
        what: &'static str,
        /// Number of the vertex in the model.
        vertex: usize,
        /// When, in s.
        time: f64,
    },
    /// An obstacle whose motion has no value at some time.
    #[error("the motion of obstacle {obstacle} is no number at {time} s: look at its formula")]
    NoPlace {
        /// Number of the obstacle.
        obstacle: usize,
        /// When, in s.
        time: f64,
    },
    /// A body whose edges are too long for a round obstacle.
    #[error(
        "body \"{body}\" has edges of {length:.2e} m, too long for obstacle {obstacle} of radius {radius} m, which pushes at vertices alone: make \
         them shorter than {limit:.2e} m or contact.dhat larger, or take a body with static = true, which pushes everywhere"
    )]
    CoarseForObstacle {
        /// Number of the obstacle.
        obstacle: usize,
        /// Its radius in m.
        radius: f64,
        /// The body with the longest edge.
        body: String,
        /// Length of that edge, in m.
        length: f64,
        /// How long edges may be, in m.
        limit: f64,
    },
    /// A step that failed where something meets a round obstacle between vertices.
    #[error("{}", between_vertices(first, *obstacle))]
    BetweenVertices {
        /// How it failed.
        first: Box<Error>,
        /// Number of the obstacle.
        obstacle: usize,
    },
    /// A ball wholly inside a solid body.
    #[error("obstacle {obstacle} is inside body \"{body}\": move it out")]
    ObstacleInside {
        /// Number of the obstacle.
        obstacle: usize,
        /// The body around it.
        body: String,
    },
    /// An obstacle that turns about a line that changes its direction.
    #[error(
        "the rotation of obstacle {obstacle} would tilt it: planes turn about their normals, cylinders about lines along their axes; \
         take a body with static = true for other motions"
    )]
    TiltingObstacle {
        /// Number of the obstacle.
        obstacle: usize,
    },
    /// An obstacle that bodies do not let through.
    #[error(
        "step {step}: the motion of obstacle {obstacle} is blocked {} its goal: a body is in its way; slow it down, make \
         the time step smaller or make room",
        before(*missing)
    )]
    ObstacleBlocked {
        /// The step that failed, from 1.
        step: usize,
        /// The obstacle that is furthest from its goal.
        obstacle: usize,
        /// How far it is, in m.
        missing: f64,
    },
    /// A prescribed motion that contact does not let happen.
    #[error(
        "step {step}: the prescribed motion of vertex {vertex} is blocked {} its goal: something is in its way; slow it \
         down, make the time step smaller or make room",
        before(*missing)
    )]
    Blocked {
        /// The step that failed, from 1.
        step: usize,
        /// The vertex that is furthest from its goal.
        vertex: usize,
        /// How far it is, in m.
        missing: f64,
    },
    /// Newton's method did not reach its tolerance.
    #[error(
        "step {step}: no solution after {iterations} Newton iterations (last change {speed:.2e} m/s, wanted \
         {tolerance:.2e}): make the time step smaller or allow more iterations"
    )]
    NotConverged {
        /// The step that failed, from 1.
        step: usize,
        /// Iterations made.
        iterations: usize,
        /// Largest change of a vertex in the last iteration, divided by the time step, in m/s.
        speed: f64,
        /// What it should have been, in m/s.
        tolerance: f64,
    },
    /// Newton's method found no lower energy before it reached its tolerance.
    #[error(
        "step {step}: the energy no longer falls after {iterations} Newton iterations, at a change of {speed:.2e} m/s \
         (wanted {tolerance:.2e}): allow a larger solver.tolerance, or make contact.dhat larger if gaps are tiny"
    )]
    Stalled {
        /// The step that failed, from 1.
        step: usize,
        /// Iterations made.
        iterations: usize,
        /// Largest change of a vertex in the last iteration, divided by the time step, in m/s.
        speed: f64,
        /// What it should have been, in m/s.
        tolerance: f64,
    },
    /// A step that failed as a whole and in substeps.
    #[error("{}", in_substeps(first, *substeps))]
    InSubsteps {
        /// Why the whole step failed.
        first: Box<Error>,
        /// The largest number of substeps that was tried.
        substeps: usize,
    },
    /// The step was stopped from outside.
    #[error("step {step} was interrupted")]
    Interrupted {
        /// The step that was not finished, from 1.
        step: usize,
    },
    /// The linear system could not be solved.
    #[error("step {step}: the linear system has no solution even after regularisation")]
    Singular {
        /// The step that failed, from 1.
        step: usize,
    },
    /// A file with something wrong in it.
    #[error("{}: {place}: {message}", path.display())]
    BadFile {
        /// Which file.
        path: PathBuf,
        /// Where: a line, from 1, or a byte, from 0.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Error {
    /// The name of the body that it is about, if it is about one.
    pub fn body(&self) -> Option<&str> {
        match self {
            Self::InBody { body, .. }
            | Self::InvertedElement { body, .. }
            | Self::FlatElement { body, .. }
            | Self::BadBody { body, .. }
            | Self::Twice { body, .. }
            | Self::LooseVertex { body, .. }
            | Self::OutsideCarrier { body, .. }
            | Self::Intersecting { body, .. }
            | Self::InsideObstacle { body, .. }
            | Self::TooClose { body, .. }
            | Self::CoarseForObstacle { body, .. }
            | Self::ObstacleInside { body, .. } => Some(body),
            _ => None,
        }
    }

    /// The same, as one of a body if it is one of bad geometry.
    pub(crate) fn in_body(self, name: &str) -> Self {
        match self {
            Self::Contact(source) => Self::InBody { body: name.to_owned(), source },
            other => other,
        }
    }
}

/// The message of [`Error::BetweenVertices`], after how the step failed `first`.
pub(crate) fn between_vertices(first: &impl Display, obstacle: usize) -> String {
    format!(
        "{first}; edges or faces meet obstacle {obstacle} between their vertices, where it does not push: make \
         edges shorter or contact.dhat larger, or take a body with static = true, which pushes everywhere"
    )
}

/// The message of [`Error::InSubsteps`], after how the step failed `first`.
pub(crate) fn in_substeps(first: &impl Display, substeps: usize) -> String {
    format!("{first} (it failed in {substeps} substeps, too)")
}

/// How far before something, in m; what is only rounding has no number.
pub(crate) fn before(missing: f64) -> String {
    if missing < ROUNDING { "right at".to_owned() } else { format!("{missing:.2e} m before") }
}

/// A distance in m that nobody can see.
const ROUNDING: f64 = 1e-12;
