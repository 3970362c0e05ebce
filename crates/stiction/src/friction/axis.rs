//! Axes of anisotropic friction in the plane of a contact.

use crate::math::Vector;
use crate::tangent;

/// Part of a direction that must be left in the plane: less is rounding.
pub(super) const LEFT: f64 = 1e-9;

/// The unit vector along the projection of `direction` to the plane with unit normal `normal`; nothing where it is along the normal.
pub fn projected<const D: usize>(direction: Vector<D>, normal: Vector<D>) -> Option<Vector<D>> {
    let across = |direction: Vector<D>| direction - normal * normal.dot(direction);
    let once = across(direction);
    // Twice: of a direction close to the normal, the first time leaves rounding along it.
    (once.norm() > LEFT * direction.norm()).then(|| across(once.normalized()).normalized())
}

/// The contact's own first axis: `along` (an edge of it), projected to the plane, and without one as for two vertices.
///
/// ```text
/// vertex-edge  e₁ − e₀        edge-edge, also nearly parallel ones  a₁ − a₀        vertex-face  f₁ − f₀
/// vertex-vertex, obstacles, and edges along the normal:  e × n (e: x or y axis, whichever gives the longer); in 2D n turned by 90°
/// ```
/// As [`tangent`] has them, up to the sign, which does not matter.
pub fn own<const D: usize>(along: Option<Vector<D>>, normal: Vector<D>) -> Vector<D> {
    let edge = along.and_then(|edge| projected(edge, normal));
    edge.unwrap_or_else(|| tangent::vertex_vertex(&[Vector::ZERO, normal]).basis[0])
}

/// The first axis: the projection of `direction`, or the contact's own where that is missing or along the normal.
pub(super) fn first<const D: usize>(
    direction: Option<Vector<D>>,
    along: Option<Vector<D>>,
    normal: Vector<D>,
) -> Vector<D> {
    direction.and_then(|direction| projected(direction, normal)).unwrap_or_else(|| own(along, normal))
}

/// Adds `weight` times a line to a mean of lines, which have no sign: whichever end points along the mean so far.
#[inline]
pub(super) fn add_line<const D: usize>(mean: &mut Vector<D>, line: Vector<D>, weight: f64) {
    *mean += line * if mean.dot(line) < 0.0 { -weight } else { weight };
}
