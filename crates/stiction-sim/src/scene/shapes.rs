//! Meshes of simple shapes.

use serde::Deserialize;
use stiction::math::Vector;

/// `shape.box`: a rectangle (2D) or cuboid (3D), cut into cells.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Its centre, in m.
    pub center: Vec<f64>,
    /// Lengths of its sides, in m.
    pub size: Vec<f64>,
    /// Number of cells along each side.
    pub cells: Vec<usize>,
    /// Turned about the z axis through its centre by this angle in degrees.
    #[serde(default)]
    pub rotate_deg: f64,
}

/// A side of a box, named as if it were not turned: x to the right, y up, z to the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Smallest x.
    Left,
    /// Largest x.
    Right,
    /// Smallest y.
    Bottom,
    /// Largest y.
    Top,
    /// Smallest z (3D).
    Back,
    /// Largest z (3D).
    Front,
}

impl Side {
    /// All sides, in their order.
    pub const ALL: [Self; 6] = [Self::Left, Self::Right, Self::Bottom, Self::Top, Self::Back, Self::Front];

    /// The axis it is across, and whether it is at its upper end.
    pub fn axis(self) -> (usize, bool) {
        match self {
            Self::Left => (0, false),
            Self::Right => (0, true),
            Self::Bottom => (1, false),
            Self::Top => (1, true),
            Self::Back => (2, false),
            Self::Front => (2, true),
        }
    }
}

/// The mesh of a box.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxMesh<const D: usize> {
    /// Positions in m.
    pub vertices: Vec<Vector<D>>,
    /// Its elements in 2D.
    pub triangles: Vec<[u32; 3]>,
    /// Its elements in 3D.
    pub tetrahedra: Vec<[u32; 4]>,
    cells: [usize; D],
}

/// The six tetrahedra of a cell, as the order in which a path from corner to opposite corner takes the axes.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

impl<const D: usize> BoxMesh<D> {
    /// Cuts a box into cells, and cells into triangles or tetrahedra of positive volume.
    pub fn new(center: Vector<D>, size: Vector<D>, cells: [usize; D], degrees: f64) -> Self {
        let mut mesh = Self { vertices: Vec::new(), triangles: Vec::new(), tetrahedra: Vec::new(), cells };
        let (sin, cos) = degrees.to_radians().sin_cos();
        let count: usize = cells.iter().map(|n| n + 1).product();
        for index in 0..count {
            let place = mesh.place(index);
            let mut x: Vector<D> =
                Vector(std::array::from_fn(|k| (place[k] as f64 / cells[k] as f64 - 0.5) * size[k]));
            (x[0], x[1]) = (cos * x[0] - sin * x[1], sin * x[0] + cos * x[1]);
            mesh.vertices.push(center + x);
        }
        for cell in 0..cells.iter().product() {
            mesh.cut(mesh.cell_place(cell));
        }
        mesh
    }

    /// The vertices on a side; none for a side across an axis that does not exist.
    pub fn side(&self, side: Side) -> Vec<u32> {
        let (axis, upper) = side.axis();
        if axis >= D {
            return Vec::new();
        }
        let wanted = if upper { self.cells[axis] } else { 0 };
        (0..self.vertices.len()).filter(|&i| self.place(i)[axis] == wanted).map(|i| i as u32).collect()
    }

    /// Place of a vertex in the grid.
    fn place(&self, mut index: usize) -> [usize; D] {
        self.cells.map(|n| {
            let place = index % (n + 1);
            index /= n + 1;
            place
        })
    }

    fn cell_place(&self, mut index: usize) -> [usize; D] {
        self.cells.map(|n| {
            let place = index % n;
            index /= n;
            place
        })
    }

    fn index(&self, place: [usize; D]) -> u32 {
        let mut index = 0;
        for k in (0..D).rev() {
            index = index * (self.cells[k] + 1) + place[k];
        }
        index as u32
    }

    fn cut(&mut self, cell: [usize; D]) {
        if D == 2 {
            let corner = |x: usize, y: usize| {
                let mut place = cell;
                place[0] += x;
                place[1] += y;
                self.index(place)
            };
            let (a, b, c, d) = (corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
            // Diagonals alternate, so that the mesh prefers no direction.
            if (cell[0] + cell[1]).is_multiple_of(2) {
                self.triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                self.triangles.extend([[a, b, d], [b, c, d]]);
            }
            return;
        }
        for (index, path) in PATHS.iter().enumerate() {
            let mut place = cell;
            let mut tetrahedron = [self.index(place); 4];
            for (k, &axis) in path.iter().enumerate() {
                place[axis] += 1;
                tetrahedron[k + 1] = self.index(place);
            }
            if index >= 3 {
                // Odd orders of the axes are left-handed.
                tetrahedron.swap(2, 3);
            }
            self.tetrahedra.push(tetrahedron);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::math::Matrix;
    use stiction::mesh::boundary;

    #[test]
    fn elements_fill_the_box() {
        let flat = BoxMesh::new(Vector([1.0, 2.0]), Vector([3.0, 2.0]), [4, 3], 25.0);
        let area: f64 = flat
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| flat.vertices[v as usize]);
                Matrix::from_columns([b - a, c - a]).det() / 2.0
            })
            .inspect(|area| assert!(*area > 0.0))
            .sum();
        assert!((area - 6.0).abs() < 1e-12);
        assert_eq!(boundary::of_triangles(&flat.triangles).len(), 14);
        let solid = BoxMesh::new(Vector([0.0; 3]), Vector([1.0, 2.0, 3.0]), [2, 3, 2], 40.0);
        let volume: f64 = solid
            .tetrahedra
            .iter()
            .map(|t| {
                let [a, b, c, d] = t.map(|v| solid.vertices[v as usize]);
                Matrix::from_columns([b - a, c - a, d - a]).det() / 6.0
            })
            .inspect(|volume| assert!(*volume > 0.0))
            .sum();
        assert!((volume - 6.0).abs() < 1e-12);
        assert_eq!(boundary::of_tetrahedra(&solid.tetrahedra).len(), 4 * (6 + 4 + 6));
    }

    #[test]
    fn sides_have_their_vertices() {
        let solid = BoxMesh::new(Vector([0.0; 3]), Vector([1.0, 2.0, 3.0]), [2, 3, 4], 0.0);
        assert_eq!(solid.side(Side::Top).len(), 15);
        assert!(solid.side(Side::Top).iter().all(|&v| solid.vertices[v as usize][1] == 1.0));
        assert!(solid.side(Side::Back).iter().all(|&v| solid.vertices[v as usize][2] == -1.5));
        let flat = BoxMesh::new(Vector([0.0; 2]), Vector([1.0; 2]), [1, 1], 0.0);
        assert!(flat.side(Side::Front).is_empty());
    }
}
