//! Which primitives may be close: a superset, found by bounding boxes.

pub mod aabb;
pub mod brute_force;

pub use aabb::Aabb;

/// Pairs of primitives that may come close, by their numbers in the surface, ascending.
///
/// In 2D only `ve` is filled, in 3D `ee` and `vf`. Primitives that share a vertex are never listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// A vertex (number in the full vertex array) and an edge.
    pub ve: Vec<(u32, u32)>,
    /// Two edges.
    pub ee: Vec<(u32, u32)>,
    /// A vertex (number in the full vertex array) and a face.
    pub vf: Vec<(u32, u32)>,
}
