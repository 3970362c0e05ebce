//! What can be wrong with the input, said so that the reader knows where and what to do.

use std::fmt;

/// The result of an operation that checks its input.
pub type Result<T> = std::result::Result<T, Error>;

/// Input that cannot be used.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A coordinate that is NaN or infinite.
    NotFinite {
        /// Which array.
        what: &'static str,
        /// Which of its entries.
        index: usize,
    },
    /// A primitive that names a vertex that does not exist.
    IndexOutOfRange {
        /// Which kind of primitive.
        what: &'static str,
        /// Which of them.
        index: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A primitive that names the same vertex twice.
    RepeatedVertex {
        /// Which kind of primitive.
        what: &'static str,
        /// Which of them.
        index: usize,
        /// The vertex it repeats.
        vertex: u32,
    },
    /// A primitive without length, area or volume.
    Degenerate {
        /// Which kind of primitive.
        what: &'static str,
        /// Which of them.
        index: usize,
    },
    /// An array of the wrong length.
    WrongLength {
        /// Which array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// A candidate that names a primitive that does not exist.
    UnknownCandidate {
        /// Which kind of candidate.
        what: &'static str,
        /// Which of them.
        index: usize,
        /// What it names.
        pair: (u32, u32),
    },
    /// A contact of primitives that the surface does not have.
    UnknownContact {
        /// Its number, in the order of [`Contacts`](crate::contact::Contacts).
        index: usize,
    },
    /// A parameter outside its range.
    BadParameter {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// A choice that does not exist.
    UnknownName {
        /// What is chosen.
        what: &'static str,
        /// The name that was given.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A primitive with the vertices of another one.
    Duplicate {
        /// Which kind of primitive.
        what: &'static str,
        /// Which of them.
        index: usize,
        /// The one that came first.
        first: usize,
    },
    /// A side that more than two elements share.
    SharedTooOften {
        /// Its vertices, ascending.
        vertices: Vec<u32>,
        /// How many elements share it.
        count: usize,
    },
    /// An edge of a face that is not among the given edges.
    MissingEdge {
        /// Which face.
        face: usize,
        /// Its vertices.
        edge: [u32; 2],
    },
    /// A primitive whose length or area is larger than the largest number.
    TooLarge {
        /// Which kind of primitive.
        what: &'static str,
        /// Which of them.
        index: usize,
    },
    /// A number outside its range in an array.
    BadEntry {
        /// Which array.
        what: &'static str,
        /// Which of its entries.
        index: usize,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// An entry of a list of names that does not exist.
    UnknownEntry {
        /// Which list.
        what: &'static str,
        /// Which of its entries.
        index: usize,
        /// The name that was given.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A name that is given twice.
    RepeatedName {
        /// What has the name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// What is wrong between two materials.
    Between {
        /// Their names.
        names: [String; 2],
        /// What is wrong.
        error: Box<Error>,
    },
    /// Two things that are so close that barrier and friction have no derivatives.
    TooClose {
        /// Which ones.
        pair: String,
        /// How far apart they are, in m.
        distance: f64,
        /// How far apart they must be at least, in m, and a little more.
        limit: f64,
    },
    /// Something that is needed and was not given.
    Missing {
        /// What.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { what, index } => {
                write!(f, "{what} {index} is not finite: replace NaN and infinite numbers")
            }
            Self::IndexOutOfRange { what, index, vertex, vertices } => write!(
                f,
                "{what} {index} names vertex {vertex}, but there are {vertices} vertices (counted from 0)"
            ),
            Self::RepeatedVertex { what, index, vertex } => {
                write!(f, "{what} {index} names vertex {vertex} twice: remove or mend it")
            }
            Self::Degenerate { what, index } => {
                write!(f, "{what} {index} has no length, area or volume: remove or mend it")
            }
            Self::WrongLength { what, found, expected } => {
                write!(f, "{what} has {found} entries, expected {expected}")
            }
            Self::UnknownCandidate { what, index, pair } => write!(
                f,
                "{what} {index} names {} and {}, which the surface does not have: find candidates for this surface",
                pair.0, pair.1
            ),
            Self::UnknownContact { index } => write!(
                f,
                "contact {index} is of an edge or a face that the surface does not have: use the surface that the contacts \
                 were built with"
            ),
            // Without three hundred zeros.
            Self::BadParameter { name, value, must }
                if *value != 0.0 && value.is_finite() && !(1e-5..1e16).contains(&value.abs()) =>
            {
                write!(f, "{name} = {value:e} is not possible: it must be {must}")
            }
            Self::BadParameter { name, value, must } => {
                write!(f, "{name} = {value} is not possible: it must be {must}")
            }
            Self::UnknownName { what, name, known } => {
                write!(f, "there is no {what} \"{name}\": choose one of {known}")
            }
            Self::Duplicate { what, index, first } => {
                write!(f, "{what} {index} has the same vertices as {what} {first}: remove one of them")
            }
            Self::SharedTooOften { vertices, count } => {
                write!(
                    f,
                    "{count} elements share the side {vertices:?}, at most 2 can: remove those that overlap"
                )
            }
            Self::MissingEdge { face, edge: [a, b] } => {
                write!(
                    f,
                    "face {face} has an edge between vertices {a} and {b} that is not among the edges: add it"
                )
            }
            Self::TooLarge { what, index } => {
                write!(f, "{what} {index} is so large that its length or area overflows: use larger units")
            }
            Self::BadEntry { what, index, value, must } => {
                write!(f, "{what} {index} is {value}: it must be {must}")
            }
            Self::UnknownEntry { what, index, name, known } => {
                write!(f, "{what} {index} is \"{name}\", which is not known: choose one of {known}")
            }
            Self::RepeatedName { what, name } => {
                write!(f, "{what} \"{name}\" is given twice: remove one of them")
            }
            Self::Between { names: [a, b], error } => {
                write!(f, "friction between \"{a}\" and \"{b}\": {error}")
            }
            Self::TooClose { pair, distance, limit } => write!(
                f,
                "{pair} are {distance:?} m apart, expected more than {limit:?} m: there are no contact forces where things \
                 touch. Begin with things apart, and bound steps by collision detection"
            ),
            Self::Missing { what, remedy } => write!(f, "{what} is missing: {remedy}"),
        }
    }
}

impl std::error::Error for Error {}
