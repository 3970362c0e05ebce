//! Quadrilaterals: stones, wedges and other pieces that are no rectangles.

use serde::Deserialize;
use stiction::math::{Matrix, Vector};

use super::shape_mesh::ShapeMesh;
use super::shapes::BoxMesh;
use super::{Scene, SceneError};

/// `shape.quad`: a convex quadrilateral in 2D, cut into cells.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuadShape {
    /// Its corners in m, counter-clockwise; the sides from each to the next are `bottom`, `right`, `top` and `left`.
    pub corners: Vec<Vec<f64>>,
    /// Number of cells along the bottom and along the right side.
    pub cells: Vec<usize>,
}

impl Scene {
    pub(super) fn quad<const D: usize>(
        &self,
        key: &str,
        shape: &QuadShape,
    ) -> Result<ShapeMesh<D>, SceneError> {
        if D != 2 {
            return Err(self.error(key, "quadrilaterals exist only in 2D: choose a box or a mesh"));
        }
        let corners_key = format!("{key}.corners");
        let corner = |(k, numbers): (usize, &Vec<f64>)| self.vector(&format!("{corners_key}[{k}]"), numbers);
        let corners = shape.corners.iter().enumerate().map(corner).collect::<Result<Vec<Vector<D>>, _>>()?;
        let Ok(corners) = <[Vector<D>; 4]>::try_from(corners) else {
            return Err(self.error(&corners_key, "needs 4 corners"));
        };
        if !is_convex(&corners) {
            return Err(self.error(&corners_key, "must be convex and counter-clockwise"));
        }
        let cells = self.cells(&format!("{key}.cells"), &shape.cells)?;
        Ok(ShapeMesh::from(quad_mesh(&corners, cells)))
    }
}

/// Whether the way from corner to corner turns left at each of them.
fn is_convex<const D: usize>(corners: &[Vector<D>; 4]) -> bool {
    let side = |k: usize| corners[(k + 1) % 4] - corners[k % 4];
    let turn =
        |k: usize| Matrix::<2>::from_columns([side(k), side(k + 1)].map(|s| Vector([s[0], s[1]]))).det();
    (0..4).all(|k| turn(k) > 0.0)
}

/// The mesh of a square, of which each point goes to its weighted mean of the corners.
fn quad_mesh<const D: usize>(corners: &[Vector<D>; 4], cells: [usize; D]) -> BoxMesh<D> {
    let one = Vector([1.0; D]);
    let mut mesh = BoxMesh::new(one * 0.5, one, cells, 0.0);
    for x in &mut mesh.vertices {
        let (u, v) = (x[0], x[1]);
        let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v];
        *x = corners.iter().zip(weights).fold(Vector::ZERO, |sum, (corner, weight)| sum + *corner * weight);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Side;

    const WEDGE: [Vector<2>; 4] =
        [Vector([0.0, 0.0]), Vector([2.0, 0.0]), Vector([1.5, 1.0]), Vector([0.5, 1.0])];

    #[test]
    fn cells_fill_a_wedge() {
        let mesh = quad_mesh(&WEDGE, [4, 3]);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            Matrix::from_columns([b - a, c - a]).det() / 2.0
        };
        assert!(mesh.triangles.iter().all(|t| area(t) > 0.0));
        assert!((mesh.triangles.iter().map(area).sum::<f64>() - 1.5).abs() < 1e-14);
        let mesh = ShapeMesh::from(mesh);
        assert!(mesh.side(Side::Top).iter().all(|&v| (mesh.vertices[v as usize][1] - 1.0).abs() < 1e-15));
        let right = |v: &u32| {
            let x = mesh.vertices[*v as usize];
            (x[0] - 2.0 + 0.5 * x[1]).abs() < 1e-15
        };
        assert!(mesh.side(Side::Right).len() == 4 && mesh.side(Side::Right).iter().all(right));
    }

    #[test]
    fn corners_must_turn_left() {
        assert!(is_convex(&WEDGE));
        let [a, b, c, d] = WEDGE;
        assert!(!is_convex(&[d, c, b, a]) && !is_convex(&[a, c, b, d]) && !is_convex(&[a, b, b, d]));
        assert!(!is_convex(&[a, b, Vector([0.6, 0.1]), d]));
    }
}
