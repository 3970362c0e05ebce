//! Shapes as meshes, with names for their sides.

use std::array::from_fn;

use serde::Deserialize;
use stiction::math::vector::cross;
use stiction::math::{Matrix, Vector};
use stiction::mesh::boundary;

use super::shapes::{BoxMesh, Side};
use crate::io::Mesh;
use crate::model::Skin;

/// How close to the end of an axis a vertex of a file must be to count as on that side, relative to the size.
const SIDE: f64 = 1e-6;

/// `shape.sheet`: a flat rectangle of triangles in 3D.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SheetShape {
    /// Its centre, in m.
    pub center: Vec<f64>,
    /// Lengths of its two sides, in m.
    pub size: Vec<f64>,
    /// Number of cells along each side.
    pub cells: Vec<usize>,
    /// Across the sheet, of any length; up (y) by default. The first side is along x as far as that goes (along y for a normal
    /// along x), the second is at right angles to both; they begin at `left` and `bottom` and end at `right` and `top`.
    #[serde(default = "up")]
    pub normal: Vec<f64>,
    /// Turned about its normal by this angle in degrees.
    #[serde(default)]
    pub rotate_deg: f64,
}

fn up() -> Vec<f64> {
    vec![0.0, 1.0, 0.0]
}

/// `shape.rod`: a straight line of segments, from `left` to `right`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RodShape {
    /// Where it begins, in m.
    pub start: Vec<f64>,
    /// Where it ends, in m.
    pub end: Vec<f64>,
    /// Number of segments.
    pub segments: usize,
}

/// `shape.mesh`: the mesh of a file, scaled, then turned about the origin, then moved.
///
/// Of its cells those of the highest dimension count: tetrahedra are a solid, triangles a solid in 2D and a sheet in 3D, edges a rod. Points that no such
/// cell uses are left out, and inverted elements are turned round.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshShape {
    /// The file, relative to the scene's; its ending says the format.
    pub file: String,
    /// Factor from the file's unit to m.
    #[serde(default = "one")]
    pub scale: f64,
    /// Turned by this angle in degrees.
    pub rotate_deg: Option<f64>,
    /// The axis that it is turned about, in 3D; z by default.
    pub axis: Option<Vec<f64>>,
    /// How far it is moved, in m.
    pub translate: Option<Vec<f64>>,
    /// A coarser mesh of solid elements around the file's surface, which carries it: the same scale, turn and way. Then the file is what touches and is drawn; sides
    /// and regions are those of the coarse mesh.
    pub embed: Option<String>,
}

fn one() -> f64 {
    1.0
}

/// A mesh of which the sides have names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeMesh<const D: usize> {
    /// Positions in m.
    pub vertices: Vec<Vector<D>>,
    /// Segments of rods.
    pub edges: Vec<[u32; 2]>,
    /// Solid elements in 2D, sheets in 3D.
    pub triangles: Vec<[u32; 3]>,
    /// Solid elements in 3D.
    pub tetrahedra: Vec<[u32; 4]>,
    /// A surface that the solid elements carry.
    pub skin: Option<Skin<D>>,
    /// Vertices of each side, in the order of [`Side::ALL`].
    sides: [Vec<u32>; 6],
}

impl<const D: usize> ShapeMesh<D> {
    /// The vertices on a side; none where the shape has no such side.
    pub fn side(&self, side: Side) -> &[u32] {
        &self.sides[side as usize]
    }

    /// All vertices.
    pub fn all(&self) -> Vec<u32> {
        (0..self.vertices.len() as u32).collect()
    }

    /// A straight line of segments.
    pub fn rod(start: Vector<D>, end: Vector<D>, segments: usize) -> Self {
        let place = |k: usize| start + (end - start) * (k as f64 / segments as f64);
        let last = segments as u32;
        let mut sides: [Vec<u32>; 6] = Default::default();
        (sides[Side::Left as usize], sides[Side::Right as usize]) = (vec![0], vec![last]);
        Self {
            vertices: (0..=segments).map(place).collect(),
            edges: (0..last).map(|k| [k, k + 1]).collect(),
            sides,
            ..Self::default()
        }
    }

    /// The mesh of a file, of which `place` says where its points go; none if it has no cells for `D` dimensions.
    pub fn of_file(mesh: &Mesh, place: impl Fn(Vector<3>) -> Vector<D>) -> Option<Self> {
        let mut out = Self::default();
        if D == 3 && !mesh.tetrahedra.is_empty() {
            out.tetrahedra.clone_from(&mesh.tetrahedra);
        } else if !mesh.triangles.is_empty() {
            out.triangles.clone_from(&mesh.triangles);
        } else if !mesh.edges.is_empty() {
            out.edges.clone_from(&mesh.edges);
        } else {
            return None;
        }
        let points = out.renumber(&mesh.points);
        out.vertices = points.iter().map(|point| place(*point)).collect();
        out.sides = Side::ALL.map(|side| extreme(&points, side, D));
        out.turn_inverted();
        Some(out)
    }

    /// The boundary of its solids, or its sheets (3D) or segments (2D), as a surface to be carried; nothing if it has none.
    pub fn into_skin(mut self) -> Option<Skin<D>> {
        if D == 2 {
            self.edges.extend(boundary::of_triangles(&self.triangles));
            self.triangles.clear();
        } else {
            self.triangles.extend(boundary::of_tetrahedra(&self.tetrahedra));
            self.edges.clear();
        }
        self.tetrahedra.clear();
        let place = |x: &Vector<D>| Vector(from_fn(|k| if k < D { x[k] } else { 0.0 }));
        let points: Vec<Vector<3>> = self.vertices.iter().map(place).collect();
        let used = self.renumber(&points);
        let vertices: Vec<_> = used.iter().map(|x| Vector(from_fn(|k| x[k]))).collect();
        (!vertices.is_empty()).then_some(Skin { vertices, edges: self.edges, triangles: self.triangles })
    }

    /// Numbers the points that are used in their order, and returns them.
    fn renumber(&mut self, points: &[Vector<3>]) -> Vec<Vector<3>> {
        let mut lists = [
            self.edges.as_flattened_mut(),
            self.triangles.as_flattened_mut(),
            self.tetrahedra.as_flattened_mut(),
        ];
        let mut number = vec![None; points.len()];
        for &v in lists.iter().flat_map(|list| list.iter()) {
            number[v as usize] = Some(0);
        }
        let mut used = Vec::new();
        for (number, point) in number.iter_mut().zip(points).filter(|(number, _)| number.is_some()) {
            *number = Some(used.len() as u32);
            used.push(*point);
        }
        for v in lists.iter_mut().flat_map(|list| list.iter_mut()) {
            *v = number[*v as usize].unwrap_or_default();
        }
        used
    }

    /// Makes volumes positive: mesh generators do not agree on the order of vertices.
    fn turn_inverted(&mut self) {
        let x = &self.vertices;
        let side = |a: u32, b: u32| x[b as usize] - x[a as usize];
        if D == 2 {
            for t in &mut self.triangles {
                let edges = [side(t[0], t[1]), side(t[0], t[2])];
                if Matrix::<D>::from_columns(from_fn(|k| edges[k % 2])).det() < 0.0 {
                    t.swap(1, 2);
                }
            }
        }
        for t in &mut self.tetrahedra {
            let edges = [side(t[0], t[1]), side(t[0], t[2]), side(t[0], t[3])];
            if Matrix::<D>::from_columns(from_fn(|k| edges[k % 3])).det() < 0.0 {
                t.swap(2, 3);
            }
        }
    }
}

impl<const D: usize> From<BoxMesh<D>> for ShapeMesh<D> {
    fn from(mesh: BoxMesh<D>) -> Self {
        let sides = Side::ALL.map(|side| mesh.side(side));
        let BoxMesh { vertices, triangles, tetrahedra, .. } = mesh;
        Self { vertices, triangles, tetrahedra, sides, ..Self::default() }
    }
}

/// Places on a sheet: from its two coordinates to space.
#[derive(Clone, Copy, Debug)]
pub struct SheetFrame {
    /// Its centre, in m.
    pub center: Vector<3>,
    /// Across it; of length 1.
    pub normal: Vector<3>,
    /// Turned by this angle, in degrees.
    pub degrees: f64,
}

impl SheetFrame {
    fn axes(&self) -> [Vector<3>; 2] {
        let n = self.normal;
        let start = if n[0].abs() < 0.999 { Vector::axis(0) } else { Vector::axis(1) };
        let u = (start - n * n.dot(start)).normalized();
        let v = cross(n, u);
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        [u * cos + v * sin, v * cos - u * sin]
    }

    /// A flat mesh in space.
    pub fn sheet<const D: usize>(&self, size: Vector<2>, cells: [usize; 2]) -> ShapeMesh<D> {
        let flat = BoxMesh::new(Vector::ZERO, size, cells, 0.0);
        let [u, v] = self.axes();
        let place = |x: &Vector<2>| {
            let place = self.center + u * x[0] + v * x[1];
            Vector(from_fn(|k| place.0.get(k).copied().unwrap_or(0.0)))
        };
        let vertices = flat.vertices.iter().map(place).collect();
        let ShapeMesh { triangles, sides, .. } = ShapeMesh::from(flat);
        ShapeMesh { vertices, triangles, sides, ..ShapeMesh::default() }
    }
}

/// A rotation by an angle in degrees about an axis of length 1.
pub fn rotation(axis: Vector<3>, degrees: f64) -> Matrix<3> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    Matrix::scalar(cos) + Matrix::cross(axis) * sin + axis.outer(axis) * (1.0 - cos)
}

/// The points at the end of an axis; none of an axis that does not exist or has no length.
fn extreme(points: &[Vector<3>], side: Side, dimension: usize) -> Vec<u32> {
    let (axis, upper) = side.axis();
    let places = || points.iter().map(|point| point[axis]);
    let (low, high) = (places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max));
    if axis >= dimension || low >= high {
        return Vec::new();
    }
    let end = if upper { high } else { low };
    let near = |place: f64| (place - end).abs() <= SIDE * (high - low);
    places().enumerate().filter(|(_, place)| near(*place)).map(|(i, _)| i as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_lie_as_their_normal_says() {
        let up = SheetFrame { center: Vector([0.0, 2.0, 0.0]), normal: Vector::axis(1), degrees: 0.0 };
        let sheet: ShapeMesh<3> = up.sheet(Vector([2.0, 1.0]), [4, 2]);
        assert_eq!((sheet.vertices.len(), sheet.triangles.len()), (15, 16));
        let close = |a: f64, b: f64| (a - b).abs() < 1e-14;
        assert!(sheet.vertices.iter().all(|x| close(x[1], 2.0)));
        assert!(sheet.side(Side::Left).iter().all(|&v| close(sheet.vertices[v as usize][0], -1.0)));
        assert!(sheet.side(Side::Bottom).iter().all(|&v| close(sheet.vertices[v as usize][2], 0.5)));
        assert!(sheet.side(Side::Front).is_empty());
        let [a, b, c] = sheet.triangles[0].map(|v| sheet.vertices[v as usize]);
        assert!(cross(b - a, c - a)[1] > 0.0, "the normal is that of the triangles");
        let wall = SheetFrame { normal: Vector::axis(0), degrees: 90.0, ..up };
        let sheet: ShapeMesh<3> = wall.sheet(Vector([2.0, 1.0]), [1, 1]);
        assert!(sheet.vertices.iter().all(|x| close(x[0], 0.0) && close(x[2].abs(), 1.0)));
    }

    #[test]
    fn files_become_shape_meshes() {
        let corner = [[9.0; 3], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vector);
        let mesh = Mesh {
            points: corner.to_vec(),
            edges: vec![[1, 2]],
            triangles: vec![[1, 2, 3]],
            tetrahedra: vec![[1, 3, 2, 4]],
        };
        let solid = ShapeMesh::of_file(&mesh, |x| x * 2.0).unwrap();
        assert!(solid.triangles.is_empty() && solid.edges.is_empty());
        assert_eq!((solid.vertices.len(), solid.tetrahedra[0]), (4, [0, 2, 3, 1]));
        assert_eq!(solid.vertices[1], Vector([2.0, 0.0, 0.0]));
        assert_eq!(solid.side(Side::Right), [1]);
        assert_eq!(solid.side(Side::Back), [0, 1, 2]);
        let clockwise = Mesh { triangles: vec![[1, 3, 2]], tetrahedra: vec![], ..mesh };
        let flat = ShapeMesh::of_file(&clockwise, |x| Vector([x[0], x[1]])).unwrap();
        assert_eq!((flat.triangles[0], flat.vertices.len()), ([0, 1, 2], 3));
        assert!(flat.side(Side::Front).is_empty());
        assert_eq!(ShapeMesh::of_file(&Mesh::default(), |x| x), None);
    }

    #[test]
    fn rotations_turn_to_the_left() {
        let x = rotation(Vector::axis(2), 90.0) * Vector([1.0, 0.0, 5.0]);
        assert!((x - Vector([0.0, 1.0, 5.0])).norm() < 1e-15);
    }
}
