//! A film to write: what deforms, what stands, what turns, a sheet and a rod.

use std::f64::consts::PI;

use stiction_view::film::{Field, Film, Frame, Kind, Place, Scenery, Thing};

/// A tetrahedron, of which vertex 4 is inside and in no triangle.
const SOLID: [[f64; 3]; 5] = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [0.2, 0.2, 0.2]];
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

fn thing(name: &str, kind: Kind, vertices: [u32; 2], triangles: [u32; 2], edges: [u32; 2]) -> Thing {
    Thing {
        name: name.to_owned(),
        kind,
        material: if kind == Kind::Obstacle { String::new() } else { "rubber".to_owned() },
        vertices: vertices[0]..vertices[1],
        triangles: triangles[0]..triangles[1],
        edges: edges[0]..edges[1],
    }
}

/// What stands is named "floor", what turns "paddle".
pub fn scenery() -> Scenery {
    let shifted = |by: u32| FACES.map(|face| face.map(|vertex| vertex + by));
    let mut triangles = shifted(0).to_vec();
    triangles.extend([[5, 6, 7], [6, 8, 7]]);
    triangles.extend([[12, 13, 14], [13, 15, 14]]);
    triangles.extend(shifted(16));
    let pressure = Field {
        name: "contact pressure".to_owned(),
        unit: "Pa".to_owned(),
        meaning: "Normal traction".to_owned(),
        place: Place::Vertices,
        components: 1,
        categories: Vec::new(),
    };
    Scenery {
        title: "sample\nof things".to_owned(),
        dimension: 3,
        gravity: [0., 0., -9.81],
        things: vec![
            thing("block", Kind::Solid, [0, 5], [0, 4], [0, 0]),
            thing("a sheet", Kind::Sheet, [5, 9], [4, 6], [0, 0]),
            thing("rod", Kind::Rod, [9, 12], [0, 0], [0, 2]),
            thing("floor", Kind::Obstacle, [12, 16], [6, 8], [0, 0]),
            thing("paddle", Kind::Obstacle, [16, 20], [8, 12], [0, 0]),
        ],
        vertices: 20,
        triangles,
        edges: vec![[9, 10], [10, 11]],
        fields: vec![pressure],
        ..Scenery::default()
    }
}

/// One of the frames: 30 a second.
pub fn frame(index: usize) -> Frame {
    let time = index as f64 / 30.0;
    let square = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [1., 1., 0.]];
    let mut points: Vec<_> = SOLID.map(|[x, y, z]| [x * (1.0 + time), y, z - 0.3 * time]).to_vec();
    points.extend(square.map(|[x, y, _]| [x, y, 2.0 + 0.1 * (7.0 * time + x).sin()]));
    points.extend([0., 1., 2.].map(|x: f64| [x, 3.0 + time * x * x, 0.0]));
    points.extend(square.map(|[x, y, _]| [4.0 * x, 4.0 * y, -1.0]));
    let (sin, cos) = (PI * time).sin_cos();
    let turned = |[x, y, z]: [f64; 3]| [cos * x - sin * y - 5.0 + time, sin * x + cos * y, z];
    points.extend(SOLID[..4].iter().copied().map(turned));
    let pressure = (0..20).map(|vertex| (vertex * index) as f32).collect();
    Frame { step: index, time, points, fields: vec![pressure], contacts: Vec::new() }
}

pub fn film(frames: usize) -> Film {
    let frames: Vec<_> = (0..frames).map(frame).collect();
    Film::new(scenery(), Box::new(frames)).unwrap()
}

/// Goes on always.
pub fn on(_: usize, _: usize) -> bool {
    true
}
