//! All triangles of a frame that are drawn: those of things, and tubes for rods; with normals and with lines on their edges.

use crate::camera::Camera;
use crate::film::{Frame, Kind, Scenery, Thing};
use crate::raster::NONE;
use crate::vector::{Vector, add, cross, dot, norm, scale, sub, unit};

/// What is drawn on an edge of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Nothing.
    Off,
    /// An edge between elements.
    Mesh,
    /// A boundary or a sharp edge.
    Sharp,
}

/// Which triangles share edges and vertices: the same in all frames.
pub struct Topology {
    /// The triangle beyond the edge opposite to each corner, if there is just one.
    neighbours: Vec<[u32; 3]>,
    /// Triangles of vertex `i`: `around[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    around: Vec<u32>,
}

/// The triangles of a frame.
pub struct Surface {
    /// Vertices: those of the scenery, then those of tubes.
    pub points: Vec<Vector>,
    /// Corners.
    pub triangles: Vec<[u32; 3]>,
    /// Normals at the corners.
    pub normals: Vec<[Vector; 3]>,
    /// The thing of each triangle.
    pub things: Vec<u32>,
    /// Lines on the edges opposite to the corners.
    pub lines: Vec<[Line; 3]>,
    /// For each vertex of a tube the vertex of its rod.
    pub rod_vertices: Vec<u32>,
    /// How many triangles are not of tubes.
    pub own: usize,
}

/// Faces whose normals enclose less than 35° are drawn as one smooth surface.
const SMOOTH: f64 = 0.82;
/// Sides of a tube.
const SIDES: usize = 8;
/// Rings of a tube: their end of the edge, how far they are beyond it and how wide they are, in radii.
const RINGS: [(usize, f64, f64); 6] =
    [(0, -1.0, 0.0), (0, -0.7, 0.7), (0, 0.0, 1.0), (1, 0.0, 1.0), (1, 0.7, 0.7), (1, 1.0, 0.0)];

impl Topology {
    pub fn new(scenery: &Scenery) -> Self {
        let (starts, around) = triangles_around(scenery);
        Self { neighbours: neighbours(&scenery.triangles), starts, around }
    }

    fn around(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.around[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

fn triangles_around(scenery: &Scenery) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0; scenery.vertices as usize + 1];
    for vertex in scenery.triangles.as_flattened() {
        starts[*vertex as usize + 1] += 1;
    }
    for vertex in 0..scenery.vertices as usize {
        starts[vertex + 1] += starts[vertex];
    }
    let mut next = starts.clone();
    let mut around = vec![0; scenery.triangles.len() * 3];
    for (index, vertex) in scenery.triangles.as_flattened().iter().enumerate() {
        around[next[*vertex as usize] as usize] = (index / 3) as u32;
        next[*vertex as usize] += 1;
    }
    (starts, around)
}

fn neighbours(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut edges: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(triangles.len() * 3);
    for (index, triangle) in triangles.iter().enumerate() {
        for corner in 0..3 {
            let (a, b) = (triangle[(corner + 1) % 3], triangle[(corner + 2) % 3]);
            edges.push(([a.min(b), a.max(b)], index as u32, corner));
        }
    }
    edges.sort_unstable();
    let mut out = vec![[NONE; 3]; triangles.len()];
    for sharing in edges.chunk_by(|one, other| one.0 == other.0) {
        if let [(_, first, at), (_, second, there)] = *sharing {
            out[first as usize][at] = second;
            out[second as usize][there] = first;
        }
    }
    out
}

impl Surface {
    pub fn new(scenery: &Scenery, topology: &Topology, frame: &Frame) -> Self {
        let faces: Vec<Vector> =
            scenery.triangles.iter().map(|triangle| face_normal(triangle, &frame.points)).collect();
        let units: Vec<Vector> = faces.iter().map(|face| unit(*face).unwrap_or([0.0; 3])).collect();
        let smooth = Smooth { topology, faces: &faces, units: &units };
        let own = scenery.triangles.len();
        let normals = (0..own).map(|index| smooth.corners(scenery.triangles[index], index)).collect();
        let things = scenery.things_of_triangles();
        let lines =
            (0..own).map(|index| smooth.lines(&scenery.things[things[index] as usize], index)).collect();
        Self {
            points: frame.points.clone(),
            triangles: scenery.triangles.clone(),
            normals,
            things,
            lines,
            rod_vertices: Vec::new(),
            own,
        }
    }

    /// Adds tubes for all rods, some pixels wide.
    pub fn add_rods(&mut self, scenery: &Scenery, camera: &Camera, pixels: f64) {
        for (index, thing) in scenery.things.iter().enumerate() {
            for edge in &scenery.edges[thing.edges.start as usize..thing.edges.end as usize] {
                self.add_tube(*edge, index as u32, |point| {
                    let depth = camera.coordinates(point)[2];
                    0.5 * pixels / camera.scale_at(depth.max(camera.near()))
                });
            }
        }
    }

    /// A tube with round ends, so that the tubes of a rod join.
    fn add_tube(&mut self, edge: [u32; 2], thing: u32, radius: impl Fn(Vector) -> f64) {
        let ends = edge.map(|vertex| self.points[vertex as usize]);
        let Some(along) = unit(sub(ends[1], ends[0])) else { return };
        let aside = perpendicular(along);
        let around = cross(along, aside);
        let first = self.points.len();
        let mut normals = Vec::with_capacity(RINGS.len() * SIDES);
        for (end, beyond, width) in RINGS {
            let radius = radius(ends[end]);
            for side in 0..SIDES {
                let angle = std::f64::consts::TAU * side as f64 / SIDES as f64;
                let out = add(scale(aside, angle.cos()), scale(around, angle.sin()));
                let normal = add(scale(out, width), scale(along, beyond));
                self.points.push(add(ends[end], scale(normal, radius)));
                self.rod_vertices.push(edge[end]);
                normals.push(normal);
            }
        }
        self.join_rings(first as u32, &normals, thing);
    }

    /// Triangles between the rings of a tube.
    fn join_rings(&mut self, first: u32, normals: &[Vector], thing: u32) {
        for ring in 0..RINGS.len() - 1 {
            for side in 0..SIDES {
                let [a, b] = [ring * SIDES + side, ring * SIDES + (side + 1) % SIDES];
                for corners in [[a, b, b + SIDES], [a, b + SIDES, a + SIDES]] {
                    self.triangles.push(corners.map(|corner| first + corner as u32));
                    self.normals.push(corners.map(|corner| normals[corner]));
                    self.things.push(thing);
                    self.lines.push([Line::Off; 3]);
                }
            }
        }
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [Vector; 3] {
        self.triangles[triangle].map(|vertex| self.points[vertex as usize])
    }
}

fn face_normal(triangle: &[u32; 3], points: &[Vector]) -> Vector {
    let [a, b, c] = triangle.map(|vertex| points[vertex as usize]);
    cross(sub(b, a), sub(c, a))
}

fn perpendicular(along: Vector) -> Vector {
    let least = (0..3).min_by(|i, j| along[*i].abs().total_cmp(&along[*j].abs())).unwrap_or(0);
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    unit(cross(along, axis)).unwrap_or([1.0, 0.0, 0.0])
}

/// Normals that are smooth where the surface is.
struct Smooth<'a> {
    topology: &'a Topology,
    /// Normals as long as twice the area, and of length 1.
    faces: &'a [Vector],
    units: &'a [Vector],
}

impl Smooth<'_> {
    fn corners(&self, triangle: [u32; 3], index: usize) -> [Vector; 3] {
        triangle.map(|vertex| {
            let around = self.topology.around(vertex).iter().map(|face| *face as usize);
            let alike = around.filter(|face| dot(self.units[*face], self.units[index]) > SMOOTH);
            let sum = alike.fold([0.0; 3], |sum, face| add(sum, self.faces[face]));
            unit(sum).unwrap_or(self.units[index])
        })
    }

    fn lines(&self, thing: &Thing, index: usize) -> [Line; 3] {
        self.topology.neighbours[index].map(|neighbour| {
            if neighbour == NONE || dot(self.units[neighbour as usize], self.units[index]) < SMOOTH {
                Line::Sharp
            } else if thing.kind == Kind::Obstacle {
                Line::Off
            } else {
                Line::Mesh
            }
        })
    }
}

/// Barycentric coordinates of the point where a ray meets the plane of a triangle, moved into the triangle; none if they are parallel.
pub fn barycentric(ray: &crate::camera::Ray, [a, b, c]: [Vector; 3]) -> Option<[f64; 3]> {
    let normal = cross(sub(b, a), sub(c, a));
    let along = dot(ray.direction, normal);
    if along.abs() <= 1e-12 * norm(normal) * norm(ray.direction) {
        return None;
    }
    let point = ray.at(dot(sub(a, ray.origin), normal) / along);
    let square = dot(normal, normal);
    let u = dot(cross(sub(c, b), sub(point, b)), normal) / square;
    let v = dot(cross(sub(a, c), sub(point, c)), normal) / square;
    let inside = [u, v, 1.0 - u - v].map(|share| share.clamp(0.0, 1.0));
    let sum: f64 = inside.iter().sum();
    Some(inside.map(|share| share / sum))
}
