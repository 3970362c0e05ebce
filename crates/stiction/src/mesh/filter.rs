//! What never touches, as data.

/// A rule about pairs of primitives.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Filter {
    /// Primitives all of whose vertices are in this ascending list (fixed obstacles) do not touch each other.
    Static(Vec<u32>),
}

impl Filter {
    /// Whether two primitives, given by their vertices, may touch.
    pub fn allows(&self, first: &[u32], second: &[u32]) -> bool {
        match self {
            Self::Static(vertices) => !first.iter().chain(second).all(|v| vertices.binary_search(v).is_ok()),
        }
    }
}
