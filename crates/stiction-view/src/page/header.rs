//! What a page knows before it decodes anything: names, ranges and grids, as JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::survey::{Bounds, Part, Scale, Survey};
use super::{CHUNK, curves, pack};
use crate::color::{BODIES, OBSTACLE, hex};
use crate::film::{Curve, Field, Film, Place, Thing};

/// Changes when the player must.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Header<'a> {
    format: u32,
    title: &'a str,
    dimension: usize,
    gravity: [f64; 3],
    /// Subtracted from positions, so that 32-bit numbers are precise.
    centre: [f64; 3],
    bounds: Box3,
    start: Box3,
    vertices: u32,
    triangles: usize,
    edges: usize,
    palette: PaletteHead,
    things: Vec<ThingHead<'a>>,
    fields: Vec<FieldHead<'a>>,
    frames: &'a [(usize, f64)],
    film_frames: usize,
    chunk: usize,
    parts: Vec<PartHead>,
    contacts: ContactHead,
    curves: Vec<CurveHead<'a>>,
    points: usize,
    steps: usize,
}

#[derive(Serialize)]
struct Box3 {
    low: [f64; 3],
    high: [f64; 3],
}

/// The same colours as in pictures: body `i` has colour `i` modulo their number.
#[derive(Serialize)]
struct PaletteHead {
    bodies: [String; BODIES.len()],
    obstacle: String,
}

#[derive(Serialize)]
struct ThingHead<'a> {
    name: &'a str,
    kind: &'static str,
    material: &'a str,
    vertices: [u32; 2],
    triangles: [u32; 2],
    edges: [u32; 2],
}

#[derive(Serialize)]
struct FieldHead<'a> {
    name: &'a str,
    unit: &'a str,
    meaning: &'a str,
    place: &'static str,
    components: usize,
    categories: &'a [String],
    low: &'a [f32],
    high: &'a [f32],
    levels: u32,
    /// Of bodies, for colours.
    body_low: &'a [f32],
    body_high: &'a [f32],
    /// Largest magnitude on bodies.
    largest: f32,
}

#[derive(Serialize)]
struct PartHead {
    vertices: [usize; 2],
    origin: [f64; 3],
    step: f64,
    /// Where the part is during the film: to place the camera.
    bounds: Box3,
}

#[derive(Serialize)]
struct ContactHead {
    origin: [f64; 3],
    step: f64,
    largest_force: f64,
}

#[derive(Serialize)]
struct CurveHead<'a> {
    name: &'a str,
    unit: &'a str,
    meaning: &'a str,
}

/// Writes the header of a film.
pub fn write(film: &Film, survey: &Survey, out: &mut dyn Write) -> io::Result<()> {
    let json = serde_json::to_string(&header(film, survey))?;
    pack::json(out, "header", &json)
}

fn header<'a>(film: &'a Film, survey: &'a Survey) -> Header<'a> {
    let scenery = &film.scenery;
    Header {
        format: FORMAT,
        title: &scenery.title,
        dimension: scenery.dimension,
        gravity: scenery.gravity,
        centre: survey.bounds.middle(),
        bounds: box3(&survey.bounds),
        start: box3(&survey.start),
        vertices: scenery.vertices,
        triangles: scenery.triangles.len(),
        edges: scenery.edges.len(),
        palette: PaletteHead { bodies: BODIES.map(hex), obstacle: hex(OBSTACLE) },
        things: scenery.things.iter().map(thing).collect(),
        fields: scenery.fields.iter().zip(&survey.scales).map(field).collect(),
        frames: &survey.frames,
        film_frames: film.count(),
        chunk: CHUNK,
        parts: parts(survey),
        contacts: ContactHead {
            origin: survey.contacts.origin,
            step: survey.contacts.step,
            largest_force: survey.largest_force,
        },
        curves: scenery.curves.iter().map(curve).collect(),
        points: curves::points(scenery),
        steps: scenery.step_times.len(),
    }
}

fn box3(bounds: &Bounds) -> Box3 {
    if bounds.is_empty() {
        return Box3 { low: [0.0; 3], high: [0.0; 3] };
    }
    Box3 { low: bounds.low, high: bounds.high }
}

fn parts(survey: &Survey) -> Vec<PartHead> {
    let head = |part: &Part| PartHead {
        vertices: [part.vertices.start, part.vertices.end],
        origin: part.grid.origin,
        step: part.grid.step,
        bounds: box3(&part.bounds),
    };
    survey.parts.iter().map(head).collect()
}

fn thing(thing: &Thing) -> ThingHead<'_> {
    ThingHead {
        name: &thing.name,
        kind: thing.kind.name(),
        material: &thing.material,
        vertices: [thing.vertices.start, thing.vertices.end],
        triangles: [thing.triangles.start, thing.triangles.end],
        edges: [thing.edges.start, thing.edges.end],
    }
}

fn field<'a>((field, scale): (&'a Field, &'a Scale)) -> FieldHead<'a> {
    let place = match field.place {
        Place::Vertices => "vertices",
        Place::Triangles => "triangles",
        Place::Contacts => "contacts",
    };
    FieldHead {
        name: &field.name,
        unit: &field.unit,
        meaning: &field.meaning,
        place,
        components: field.components,
        categories: &field.categories,
        low: &scale.all.low,
        high: &scale.all.high,
        levels: scale.levels,
        body_low: &scale.bodies.low,
        body_high: &scale.bodies.high,
        largest: scale.bodies.largest,
    }
}

fn curve(curve: &Curve) -> CurveHead<'_> {
    CurveHead { name: &curve.name, unit: &curve.unit, meaning: &curve.meaning }
}
