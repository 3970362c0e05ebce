//! Which vertices, triangles and edges of a run are drawn, and in which order.

use std::collections::BTreeMap;

use stiction::math::Vector;
use stiction_sim::fields::{ObstacleMesh, Place};
use stiction_sim::io::Mesh;
use stiction_sim::model::Model;
use stiction_view::film::{Kind, Scenery, Thing};

/// What is drawn, as frames have it.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    /// 2 or 3.
    pub dimension: usize,
    /// Edges, triangles and tetrahedra of bodies; positions do not matter.
    pub mesh: Mesh,
    /// The body of each cell: edges first, then triangles, then tetrahedra.
    pub bodies: Vec<usize>,
    /// Names of bodies, then of obstacles.
    pub names: Vec<String>,
    /// Materials of bodies.
    pub materials: Vec<String>,
    /// Triangles of obstacles.
    pub obstacle_triangles: Vec<[u32; 3]>,
    /// The number of the thing of each of them.
    pub obstacle_owners: Vec<usize>,
    /// How many vertices obstacles have.
    pub obstacle_vertices: usize,
}

impl Shapes {
    /// Those of a model.
    pub fn of_model<const D: usize>(model: &Model<D>) -> Self {
        let cells = &model.cells;
        let body = |vertices: &[u32]| model.body_of(vertices[0]);
        let edges = cells.edges.iter().map(|cell| body(cell));
        let triangles = cells.triangles.iter().map(|cell| body(cell));
        let tetrahedra = cells.tetrahedra.iter().map(|cell| body(cell));
        let mut out = Self {
            dimension: D,
            mesh: Mesh {
                points: Vec::new(),
                edges: cells.edges.clone(),
                triangles: cells.triangles.clone(),
                tetrahedra: cells.tetrahedra.clone(),
            },
            bodies: edges.chain(triangles).chain(tetrahedra).collect(),
            names: model.parts.iter().map(|part| part.name.clone()).chain(model.obstacle_names()).collect(),
            materials: model.parts.iter().map(|part| part.material.clone()).collect(),
            ..Self::default()
        };
        for (index, mesh) in obstacle_meshes(model, 0.0).enumerate() {
            let first = out.obstacle_vertices as u32;
            out.obstacle_triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|v| first + v)));
            out.obstacle_owners.resize(out.obstacle_triangles.len(), model.parts.len() + index);
            out.obstacle_vertices += mesh.points.len();
        }
        out
    }
}

/// The obstacles of a model as meshes, where they are at a time.
pub fn obstacle_meshes<const D: usize>(model: &Model<D>, time: f64) -> impl Iterator<Item = ObstacleMesh> {
    let (center, diagonal) = (model.rest_center(), model.diagonal);
    model.obstacles.at(time).into_iter().map(move |obstacle| ObstacleMesh::new(&obstacle, center, diagonal))
}

/// From vertices and cells of frames to those of a film: only what is seen, thing by thing.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The vertex in frames of each vertex of bodies.
    pub vertices: Vec<u32>,
    /// The cell in frames of each triangle of bodies.
    pub cells: Vec<usize>,
    /// The vertex of obstacles of each of their vertices in the film.
    pub obstacle_vertices: Vec<u32>,
    /// How many triangles obstacles have.
    pub obstacle_triangles: usize,
}

/// A triangle that is seen, with its cell.
type Seen = ([u32; 3], usize);

/// Numbers vertices anew in the order in which they are asked for.
#[derive(Default)]
struct Numbering {
    numbers: BTreeMap<u32, u32>,
    order: Vec<u32>,
    offset: u32,
}

impl Numbering {
    fn of(&mut self, vertex: u32) -> u32 {
        *self.numbers.entry(vertex).or_insert_with(|| {
            self.order.push(vertex);
            self.offset + self.order.len() as u32 - 1
        })
    }
}

impl Layout {
    /// The layout of what is drawn, and the scenery without fields and curves.
    pub fn new(shapes: &Shapes) -> (Self, Scenery) {
        let mut scenery = Scenery { dimension: shapes.dimension, ..Scenery::default() };
        let mut layout = Self::default();
        let (edges, faces) = seen(shapes);
        let mut numbering = Numbering::default();
        for body in 0..shapes.materials.len() {
            let first = [numbering.order.len(), scenery.triangles.len(), scenery.edges.len()];
            for (face, cell) in &faces[body] {
                scenery.triangles.push(face.map(|v| numbering.of(v)));
                layout.cells.push(*cell);
            }
            scenery.edges.extend(edges[body].iter().map(|edge| edge.map(|v| numbering.of(v))));
            let last = [numbering.order.len(), scenery.triangles.len(), scenery.edges.len()];
            let kind = kind(shapes, body, faces[body].is_empty());
            scenery.things.push(thing(shapes, body, kind, [first, last]));
        }
        layout.vertices = std::mem::take(&mut numbering.order);
        layout.add_obstacles(shapes, &mut scenery);
        scenery.vertices = (layout.vertices.len() + layout.obstacle_vertices.len()) as u32;
        (layout, scenery)
    }

    fn add_obstacles(&mut self, shapes: &Shapes, scenery: &mut Scenery) {
        let mut numbering = Numbering { offset: self.vertices.len() as u32, ..Numbering::default() };
        for number in shapes.materials.len()..shapes.names.len() {
            let first =
                [self.vertices.len() + numbering.order.len(), scenery.triangles.len(), scenery.edges.len()];
            let own = shapes.obstacle_triangles.iter().zip(&shapes.obstacle_owners);
            for (triangle, _) in own.filter(|(_, owner)| **owner == number) {
                scenery.triangles.push(triangle.map(|v| numbering.of(v)));
            }
            let last =
                [self.vertices.len() + numbering.order.len(), scenery.triangles.len(), scenery.edges.len()];
            scenery.things.push(thing(shapes, number, Kind::Obstacle, [first, last]));
        }
        self.obstacle_vertices = numbering.order;
        self.obstacle_triangles = scenery.triangles.len() - self.cells.len();
    }

    /// A field at the places of the film, given its values on vertices or cells of frames; 0 on obstacles.
    pub fn values(&self, place: Place, components: usize, values: &[f64]) -> Vec<f32> {
        let of = |k: usize| {
            (0..components).map(move |c| values.get(k * components + c).map_or(0.0, |value| *value as f32))
        };
        let (mut out, missing): (Vec<f32>, usize) = match place {
            Place::Vertices => {
                (self.vertices.iter().flat_map(|v| of(*v as usize)).collect(), self.obstacle_vertices.len())
            }
            Place::Cells => (self.cells.iter().flat_map(|cell| of(*cell)).collect(), self.obstacle_triangles),
        };
        out.resize(out.len() + missing * components, 0.0);
        out
    }

    /// The points of the film, given those of bodies and of obstacles.
    pub fn points(&self, bodies: &[Vector<3>], obstacles: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let of_bodies = self.vertices.iter().map(|v| bodies.get(*v as usize).map_or([0.0; 3], |x| x.0));
        let of_obstacles =
            self.obstacle_vertices.iter().map(|v| obstacles.get(*v as usize).copied().unwrap_or_default());
        of_bodies.chain(of_obstacles).collect()
    }
}

fn thing(shapes: &Shapes, number: usize, kind: Kind, [first, last]: [[usize; 3]; 2]) -> Thing {
    let range = |k: usize| first[k] as u32..last[k] as u32;
    Thing {
        name: shapes.names.get(number).cloned().unwrap_or_default(),
        kind,
        material: shapes.materials.get(number).cloned().unwrap_or_default(),
        vertices: range(0),
        triangles: range(1),
        edges: range(2),
    }
}

/// What a body is, as far as drawing it is concerned. Of triangles in 3D nobody knows whether they are closed: they are drawn from both sides.
fn kind(shapes: &Shapes, body: usize, has_no_faces: bool) -> Kind {
    let first = shapes.mesh.edges.len() + shapes.mesh.triangles.len();
    let tetrahedra = shapes.bodies.get(first..).unwrap_or_default();
    if has_no_faces {
        Kind::Rod
    } else if shapes.dimension == 2 || tetrahedra.contains(&body) {
        Kind::Solid
    } else {
        Kind::Sheet
    }
}

/// The edges and the triangles of each body that are seen: of tetrahedra those that only one of them has.
fn seen(shapes: &Shapes) -> (Vec<Vec<[u32; 2]>>, Vec<Vec<Seen>>) {
    let count = shapes.materials.len();
    let (mut edges, mut faces) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    let Mesh { edges: segments, triangles, tetrahedra, .. } = &shapes.mesh;
    for (edge, body) in segments.iter().zip(&shapes.bodies) {
        if let Some(list) = edges.get_mut(*body) {
            list.push(*edge);
        }
    }
    for (cell, triangle) in triangles.iter().enumerate() {
        let cell = segments.len() + cell;
        if let Some(list) = shapes.bodies.get(cell).and_then(|body| faces.get_mut(*body)) {
            list.push((*triangle, cell));
        }
    }
    let first = segments.len() + triangles.len();
    for (face, tetrahedron) in outside(tetrahedra) {
        let cell = first + tetrahedron;
        if let Some(list) = shapes.bodies.get(cell).and_then(|body| faces.get_mut(*body)) {
            list.push((face, cell));
        }
    }
    (edges, faces)
}

/// The faces that only one tetrahedron has, counter-clockwise seen from outside, with its number; in the order of tetrahedra.
fn outside(tetrahedra: &[[u32; 4]]) -> Vec<Seen> {
    let faces = |[a, b, c, d]: [u32; 4]| [[a, c, b], [a, b, d], [a, d, c], [b, c, d]];
    let mut keyed: Vec<([u32; 3], [u32; 3], usize)> = Vec::with_capacity(4 * tetrahedra.len());
    for (number, tetrahedron) in tetrahedra.iter().enumerate() {
        for face in faces(*tetrahedron) {
            let mut key = face;
            key.sort_unstable();
            keyed.push((key, face, number));
        }
    }
    keyed.sort_unstable();
    let single = keyed.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1);
    let mut out: Vec<Seen> = single.map(|same| (same[0].1, same[0].2)).collect();
    out.sort_unstable_by_key(|(face, number)| (*number, *face));
    out
}
