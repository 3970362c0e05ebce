//! The boundary of a solid made of triangles (2D) or tetrahedra (3D).

use super::orientation::{side, space, turn, view};
use crate::error::{Error, Result};
use crate::math::Vector;

/// The edges that belong to exactly one triangle, oriented as the triangle is. Unchecked: a triangle given twice has no
/// boundary; `Surface::of_mixed` refuses it.
pub fn of_triangles(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    unshared(&keyed(sides))
}

/// The faces that belong to exactly one tetrahedron, oriented outwards if the tetrahedra have
/// positive volume.
pub fn of_tetrahedra(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    unshared(&keyed(tetrahedra.iter().flat_map(faces)))
}

/// Like [`of_triangles`], for triangles whose vertices exist: of either orientation, with the sides as they are if
/// the triangle turns left.
///
/// # Errors
/// If a triangle has no area, occurs twice, or shares a side with two others.
pub(crate) fn of_placed_triangles<const D: usize>(
    x: &[Vector<D>],
    triangles: &[[u32; 3]],
) -> Result<Vec<[u32; 2]>> {
    check_once("triangle", triangles)?;
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (index, &[a, b, c]) in triangles.iter().enumerate() {
        let [p, q, r] = [a, b, c].map(|v| view(x[v as usize], 2));
        let [b, c] = in_order(turn(p, q, r), [b, c], "triangle", index)?;
        sides.extend([[a, b], [b, c], [c, a]]);
    }
    unshared_manifold(sides)
}

/// Like [`of_tetrahedra`], for tetrahedra whose vertices exist: outwards whatever their orientation.
///
/// # Errors
/// If a tetrahedron has no volume, occurs twice, or shares a face with two others.
pub(crate) fn of_placed_tetrahedra<const D: usize>(
    x: &[Vector<D>],
    tetrahedra: &[[u32; 4]],
) -> Result<Vec<[u32; 3]>> {
    check_once("tetrahedron", tetrahedra)?;
    let mut sides = Vec::with_capacity(4 * tetrahedra.len());
    for (index, &[a, b, c, d]) in tetrahedra.iter().enumerate() {
        let [p, q, r, s] = [a, b, c, d].map(|v| space(x[v as usize]));
        // The volume is positive where the last vertex is below the plane that turns left as seen from above it.
        let [c, d] = in_order(-side([p, q, r], s), [c, d], "tetrahedron", index)?;
        sides.extend(faces(&[a, b, c, d]));
    }
    unshared_manifold(sides)
}

/// The pair as it is for a positive element, exchanged for a negative one.
fn in_order(sign: i8, [a, b]: [u32; 2], what: &'static str, index: usize) -> Result<[u32; 2]> {
    match sign {
        0 => Err(Error::Degenerate { what, index }),
        1 => Ok([a, b]),
        _ => Ok([b, a]),
    }
}

fn faces(&[a, b, c, d]: &[u32; 4]) -> [[u32; 3]; 4] {
    [[a, c, b], [a, b, d], [a, d, c], [b, c, d]]
}

/// Checks that no two primitives have the same vertices.
pub(crate) fn check_once<const N: usize>(what: &'static str, primitives: &[[u32; N]]) -> Result<()> {
    let mut keyed: Vec<_> = primitives.iter().enumerate().map(|(index, p)| (sorted(p), index)).collect();
    keyed.sort_unstable();
    let twice = keyed.windows(2).filter(|pair| pair[0].0 == pair[1].0).min_by_key(|pair| pair[1].1);
    match twice {
        Some(pair) => Err(Error::Duplicate { what, index: pair[1].1, first: pair[0].1 }),
        None => Ok(()),
    }
}

fn sorted<const N: usize>(side: &[u32; N]) -> [u32; N] {
    let mut sorted = *side;
    sorted.sort_unstable();
    sorted
}

/// Sides with their vertices ascending as well, ordered by these.
fn keyed<const N: usize>(sides: impl IntoIterator<Item = [u32; N]>) -> Vec<([u32; N], [u32; N])> {
    let mut keyed: Vec<_> = sides.into_iter().map(|side| (sorted(&side), side)).collect();
    keyed.sort_unstable();
    keyed
}

/// The sides that occur once, whatever the order of their vertices.
fn unshared<const N: usize>(keyed: &[([u32; N], [u32; N])]) -> Vec<[u32; N]> {
    keyed.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1).map(|same| same[0].1).collect()
}

/// The same, where no side occurs more than twice.
fn unshared_manifold<const N: usize>(sides: Vec<[u32; N]>) -> Result<Vec<[u32; N]>> {
    let keyed = keyed(sides);
    match keyed.chunk_by(|a, b| a.0 == b.0).find(|same| same.len() > 2) {
        Some(same) => Err(Error::SharedTooOften { vertices: same[0].0.to_vec(), count: same.len() }),
        None => Ok(unshared(&keyed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Matrix;

    const CORNER: [Vector<3>; 4] =
        [Vector([0.0; 3]), Vector([1.0, 0.0, 0.0]), Vector([0.0, 1.0, 0.0]), Vector([0.0, 0.0, 1.0])];

    #[test]
    fn a_square_of_two_triangles_has_four_edges() {
        assert_eq!(of_triangles(&[[0, 1, 2], [0, 2, 3]]).len(), 4);
        assert!(of_triangles(&[]).is_empty());
    }

    #[test]
    fn faces_point_outwards_whatever_the_order_of_vertices() {
        let centre = (CORNER[0] + CORNER[1] + CORNER[2] + CORNER[3]) * 0.25;
        let inverted = of_placed_tetrahedra(&CORNER, &[[0, 1, 3, 2]]).unwrap();
        for faces in [of_tetrahedra(&[[0, 1, 2, 3]]), inverted] {
            assert_eq!(faces.len(), 4);
            for face in faces {
                let [a, b, c] = face.map(|v| CORNER[v as usize]);
                assert!(Matrix::from_columns([b - a, c - a, centre - a]).det() < 0.0);
            }
        }
        assert_eq!(of_placed_tetrahedra(&CORNER, &[[0, 1, 2, 3]]).unwrap(), of_tetrahedra(&[[0, 1, 2, 3]]));
        let square = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(Vector);
        let left = of_placed_triangles(&square, &[[0, 2, 1]]).unwrap();
        assert_eq!(left, of_triangles(&[[0, 1, 2]]));
    }

    #[test]
    fn bad_elements_are_named() {
        let say = |x: &[Vector<3>], t: &[[u32; 4]]| of_placed_tetrahedra(x, t).unwrap_err().to_string();
        assert!(say(&CORNER, &[[0, 1, 2, 3], [3, 1, 0, 2]]).contains("tetrahedron 1 has the same vertices"));
        let mut flat = CORNER;
        flat[3] = Vector([0.3, 0.3, 0.0]);
        assert!(say(&flat, &[[0, 1, 2, 3]]).contains("tetrahedron 0 has no"));
        let mut three = CORNER.to_vec();
        three.extend([Vector([0.0, 0.0, -1.0]), Vector([0.0, 0.0, 2.0])]);
        assert!(
            say(&three, &[[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5]]).contains("share the side [0, 1, 2]")
        );
    }
}
