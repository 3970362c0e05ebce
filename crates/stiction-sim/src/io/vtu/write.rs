//! What the files of a frame have.

use stiction::contact::ContactKey;
use stiction::friction::Side;

use super::grid::{Array, Cells, Grid, Numbers, in_space};
use super::{POINT, SEGMENT, TETRAHEDRON, TRIANGLE};
use crate::fields::{Frame, ObstacleMesh, Place};
use crate::forces::{ContactForce, Regime};
use crate::model::Model;

/// Bodies with their fields.
pub(super) fn bodies<const D: usize>(frame: &Frame<'_, D>) -> Grid {
    let (model, state) = (frame.model, frame.state);
    let (mut cells, mut bodies) = (Cells::default(), Vec::new());
    push_cells(&mut cells, &mut bodies, model, &model.cells.edges, SEGMENT);
    push_cells(&mut cells, &mut bodies, model, &model.cells.triangles, TRIANGLE);
    push_cells(&mut cells, &mut bodies, model, &model.cells.tetrahedra, TETRAHEDRON);
    let fields = |place| {
        let on = frame.fields.on(place);
        on.map(|field| Array::single(field.kind.name(), field.kind.components(), &field.values))
    };
    let cell_data =
        vec![Array::new("body", 1, Numbers::Whole(bodies))].into_iter().chain(fields(Place::Cells));
    Grid {
        points: in_space(&model.surface_at(&state.q)),
        cells,
        point_data: fields(Place::Vertices).collect(),
        cell_data: cell_data.collect(),
        field_data: moment(frame),
    }
}

/// Time and step, and which way gravity pulls.
fn moment<const D: usize>(frame: &Frame<'_, D>) -> Vec<Array> {
    let gravity = in_space(&[frame.model.gravity]);
    vec![
        Array::new("TimeValue", 1, Numbers::Double(vec![frame.state.time])),
        Array::new("step", 1, Numbers::Whole(vec![frame.state.step as u64])),
        Array::new("dimension", 1, Numbers::Whole(vec![D as u64])),
        Array::new("gravity", 3, Numbers::Double(gravity)),
    ]
}

/// Cells of a kind, each with the number of the body that has its vertices.
fn push_cells<const D: usize, const N: usize>(
    cells: &mut Cells,
    bodies: &mut Vec<u64>,
    model: &Model<D>,
    list: &[[u32; N]],
    kind: u8,
) {
    for vertices in list {
        cells.push(vertices, kind);
        bodies.push(model.body_of(vertices[0]) as u64);
    }
}

/// Contacts as points, with the names of everything that can touch: bodies first, then obstacles.
pub(super) fn contacts<const D: usize>(frame: &Frame<'_, D>) -> Grid {
    let (model, list) = (frame.model, &frame.forces.contacts);
    let mut cells = Cells::default();
    (0..list.len() as u32).for_each(|k| cells.push(&[k], POINT));
    let vectors = |name, of: fn(&ContactForce<D>) -> stiction::math::Vector<D>| {
        Array::single(name, 3, &in_space(&list.iter().map(of).collect::<Vec<_>>()))
    };
    let numbers = |name, of: fn(&ContactForce<D>) -> f64| {
        Array::single(name, 1, &list.iter().map(of).collect::<Vec<_>>())
    };
    let sides =
        |k: usize| Numbers::Whole(list.iter().map(|contact| number(model, contact.sides[k])).collect());
    let small = |of: fn(&ContactForce<D>) -> u8| Numbers::Small(list.iter().map(of).collect());
    let places: Vec<_> = list.iter().map(ContactForce::place).collect();
    let mut field_data = moment(frame);
    field_data.extend(names(model));
    Grid {
        points: in_space(&places),
        cells,
        point_data: vec![
            Array::new("first", 1, sides(0)),
            Array::new("second", 1, sides(1)),
            Array::new("kind", 1, small(|contact| kind(contact.key))),
            Array::new("regime", 1, small(|contact| regime(contact.regime))),
            vectors("normal_force", |contact| contact.touch.normal * contact.normal_force),
            vectors("friction_force", |contact| contact.friction),
            numbers("lambda", |contact| contact.normal_force),
            numbers("slip_speed", |contact| contact.slip_speed),
            numbers("slip", |contact| contact.slip),
            numbers("heat", |contact| contact.heat),
            numbers("birth", |contact| contact.birth),
        ],
        cell_data: Vec::new(),
        field_data,
    }
}

/// The names of all things, and what bodies are made of.
fn names<const D: usize>(model: &Model<D>) -> [Array; 2] {
    let bodies = model.parts.iter().map(|part| part.name.clone());
    let things = bodies.chain(model.obstacle_names()).collect();
    let materials = model.parts.iter().map(|part| part.material.clone()).collect();
    let words = |name, words| Array::new(name, 1, Numbers::Words(words));
    [words("things", things), words("materials", materials)]
}

/// The number of a side among all things: bodies first, then obstacles.
fn number<const D: usize>(model: &Model<D>, side: Side) -> u64 {
    match side {
        Side::Body(body) => u64::from(body),
        Side::Obstacle(obstacle) => model.parts.len() as u64 + u64::from(obstacle),
    }
}

/// The number of a kind of contacts: 0 vertex–vertex, 1 vertex–edge, 2 edge–edge, 3 vertex–face, 4 vertex–obstacle.
fn kind(key: ContactKey) -> u8 {
    key.code().0
}

fn regime(regime: Regime) -> u8 {
    Regime::ALL.iter().position(|other| *other == regime).unwrap_or_default() as u8
}

/// Obstacles where they are.
pub(super) fn obstacles<const D: usize>(frame: &Frame<'_, D>) -> Grid {
    let (model, mut grid, mut owners) = (frame.model, Grid::default(), Vec::new());
    let center = model.rest_center();
    for (index, obstacle) in model.obstacles.at(frame.state.time).iter().enumerate() {
        let mesh = ObstacleMesh::new(obstacle, center, model.diagonal);
        let first = (grid.points.len() / 3) as u32;
        grid.points.extend(mesh.points.as_flattened());
        for triangle in mesh.triangles {
            grid.cells.push(&triangle.map(|v| first + v), TRIANGLE);
            owners.push((model.parts.len() + index) as u64);
        }
    }
    grid.cell_data = vec![Array::new("thing", 1, Numbers::Whole(owners))];
    grid.field_data = moment(frame);
    grid
}
