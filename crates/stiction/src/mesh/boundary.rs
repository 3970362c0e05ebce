//! The boundary of a solid made of triangles (2D) or tetrahedra (3D).

/// The edges that belong to exactly one triangle, oriented as the triangle is.
pub fn of_triangles(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    unshared(sides.collect())
}

/// The faces that belong to exactly one tetrahedron, oriented outwards if the tetrahedra have
/// positive volume.
pub fn of_tetrahedra(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let sides = tetrahedra.iter().flat_map(|&[a, b, c, d]| [[a, c, b], [a, b, d], [a, d, c], [b, c, d]]);
    unshared(sides.collect())
}

/// The sides that occur once, whatever the order of their vertices.
fn unshared<const N: usize>(sides: Vec<[u32; N]>) -> Vec<[u32; N]> {
    let key = |side: &[u32; N]| {
        let mut sorted = *side;
        sorted.sort_unstable();
        sorted
    };
    let mut keyed: Vec<_> = sides.into_iter().map(|side| (key(&side), side)).collect();
    keyed.sort_unstable();
    keyed.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1).map(|same| same[0].1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Matrix, Vector};

    #[test]
    fn a_square_of_two_triangles_has_four_edges() {
        assert_eq!(of_triangles(&[[0, 1, 2], [0, 2, 3]]).len(), 4);
        assert!(of_triangles(&[]).is_empty());
    }

    #[test]
    fn faces_point_outwards() {
        let x = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vector);
        let centre = (x[0] + x[1] + x[2] + x[3]) * 0.25;
        let faces = of_tetrahedra(&[[0, 1, 2, 3]]);
        assert_eq!(faces.len(), 4);
        for face in faces {
            let [a, b, c] = face.map(|v| x[v as usize]);
            assert!(Matrix::from_columns([b - a, c - a, centre - a]).det() < 0.0);
        }
    }
}
