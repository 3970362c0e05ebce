//! What can go wrong in a simulation, said so that the reader knows where and what to do.

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
         inverted, remove it if it is flat"
    )]
    InvertedElement {
        /// The body's name.
        body: String,
        /// Number of the element in its body.
        element: usize,
        /// Its volume in m³ (area in m² in 2D).
        volume: f64,
    },
    /// A vertex that belongs to no element and so has no mass.
    #[error("vertex {vertex} of body \"{body}\" belongs to no element: remove it")]
    LooseVertex {
        /// The body's name.
        body: String,
        /// Number of the vertex in its body.
        vertex: usize,
    },
    /// Primitives that intersect before the first step.
    #[error("{first} and {second} intersect at the start, near {place}: move them apart")]
    Intersecting {
        /// One of them, with its body.
        first: String,
        /// The other.
        second: String,
        /// Where.
        place: String,
    },
    /// A vertex inside an obstacle before the first step.
    #[error(
        "vertex {vertex} of body \"{body}\" is {depth:e} m inside obstacle {obstacle} at the start: move it out"
    )]
    InsideObstacle {
        /// Number of the vertex.
        vertex: usize,
        /// Its body.
        body: String,
        /// Number of the obstacle.
        obstacle: usize,
        /// How deep, in m.
        depth: f64,
    },
    /// A prescribed motion that contact does not let happen.
    #[error(
        "step {step}: the prescribed motion of vertex {vertex} is blocked, {missing:e} m before its goal: \
         slow it down, make the time step smaller or take the obstacle away"
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
        "step {step}: no solution after {iterations} Newton iterations (last change {speed:e} m/s, wanted \
         {tolerance:e}): make the time step smaller or allow more iterations"
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
    /// The linear system could not be solved.
    #[error("step {step}: the linear system has no solution even after regularisation")]
    Singular {
        /// The step that failed, from 1.
        step: usize,
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
