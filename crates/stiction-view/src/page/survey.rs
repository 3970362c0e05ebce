//! Ranges of all numbers of a film, and the integers that stand for numbers.

use std::ops::Range;

use crate::error::Result;
use crate::film::{Contact, Field, Film, Frame, Kind, Place, Scenery, check_single};
use crate::progress::{Progress, report};

/// Steps across the diagonal of a thing, at least: an error of 1.25e-5 of it.
const STEPS: f64 = 4e4;
/// Steps across its shortest edge, at least, where that needs at most so many more.
const STEPS_OF_EDGE: f64 = 4.0;
const MOST_STEPS: f64 = 1e6;
/// Integers stay below this.
const LARGEST: f64 = (1_u32 << 30) as f64;
/// Steps across the range of a field, and across that of one with very many values.
const LEVELS: u32 = 65_534;
const FEW_LEVELS: u32 = 4_094;
const MANY_VALUES: usize = 2_000_000;

/// A box, empty at first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Its smallest coordinates.
    pub low: [f64; 3],
    /// Its largest coordinates.
    pub high: [f64; 3],
}

impl Bounds {
    /// A box without points.
    pub const EMPTY: Self = Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    /// Extends it to a point.
    pub fn add(&mut self, point: [f64; 3]) {
        for axis in 0..3 {
            self.low[axis] = self.low[axis].min(point[axis]);
            self.high[axis] = self.high[axis].max(point[axis]);
        }
    }

    /// Extends it to another box.
    pub fn join(&mut self, other: &Self) {
        for axis in 0..3 {
            self.low[axis] = self.low[axis].min(other.low[axis]);
            self.high[axis] = self.high[axis].max(other.high[axis]);
        }
    }

    /// Whether it has no points.
    pub fn is_empty(&self) -> bool {
        self.low[0] > self.high[0]
    }

    /// Its diagonal; 0 where it is empty.
    pub fn diagonal(&self) -> f64 {
        if self.is_empty() { 0.0 } else { distance(self.low, self.high) }
    }

    /// Its middle; the origin where it is empty.
    pub fn middle(&self) -> [f64; 3] {
        if self.is_empty() {
            return [0.0; 3];
        }
        std::array::from_fn(|axis| 0.5 * self.low[axis] + 0.5 * self.high[axis])
    }

    fn extent(&self) -> f64 {
        (0..3).map(|axis| self.high[axis] - self.low[axis]).fold(0.0, f64::max)
    }
}

/// Vertices that share a grid: those of a thing.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which vertices.
    pub vertices: Range<usize>,
    /// Their grid.
    pub grid: Grid,
    /// Where they are during the film.
    pub bounds: Bounds,
    body: bool,
    first: Bounds,
    shortest_edge: f64,
}

/// The integers that stand for coordinates: `origin + step × integer`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Where the integers are 0.
    pub origin: [f64; 3],
    /// Distance of neighbours in m.
    pub step: f64,
}

impl Grid {
    /// The integer nearest to a coordinate.
    pub fn integer(&self, axis: usize, coordinate: f64) -> i32 {
        ((coordinate - self.origin[axis]) / self.step).round() as i32
    }
}

/// The range of a field, and the integers that stand for its values: 0 for none, then evenly from the lowest to the highest.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Of all values.
    pub all: Extremes,
    /// Of those that colours must tell apart: fields are often padded with zeros on obstacles.
    pub bodies: Extremes,
    /// Steps between the lowest and the highest of all values.
    pub levels: u32,
}

/// Extremes of the values of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Extremes {
    /// Lowest value of each component; higher than the highest one where there is none.
    pub low: Vec<f32>,
    /// Highest value of each component.
    pub high: Vec<f32>,
    /// Largest magnitude of a value.
    pub largest: f32,
}

impl Extremes {
    fn none(components: usize) -> Self {
        Self { low: vec![f32::INFINITY; components], high: vec![f32::NEG_INFINITY; components], largest: 0.0 }
    }

    fn widen(&mut self, values: &[f32]) {
        for value in values.chunks_exact(self.low.len().max(1)) {
            for (component, number) in value.iter().enumerate().filter(|(_, number)| number.is_finite()) {
                self.low[component] = self.low[component].min(*number);
                self.high[component] = self.high[component].max(*number);
            }
            let magnitude = value.iter().map(|number| number * number).sum::<f32>().sqrt();
            if magnitude.is_finite() {
                self.largest = self.largest.max(magnitude);
            }
        }
    }
}

impl Scale {
    /// The integer nearest to a value.
    pub fn integer(&self, component: usize, value: f32) -> i32 {
        let (low, high) = (f64::from(self.all.low[component]), f64::from(self.all.high[component]));
        if !(f64::from(value) >= low && f64::from(value) <= high) {
            return 0;
        }
        let share = if high > low { (f64::from(value) - low) / (high - low) } else { 0.0 };
        1 + (share * f64::from(self.levels)).round() as i32
    }
}

/// What the first reading of a film finds.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Step and time of each frame.
    pub frames: Vec<(usize, f64)>,
    /// The vertices, by thing.
    pub parts: Vec<Part>,
    /// One for each field.
    pub scales: Vec<Scale>,
    /// That of the contacts.
    pub contacts: Grid,
    /// Where the bodies are, over the film; of the obstacles where there are no bodies.
    pub bounds: Bounds,
    /// Where they are at the start.
    pub start: Bounds,
    /// The largest force of a contact in N.
    pub largest_force: f64,
    reach: Bounds,
}

impl Survey {
    /// Reads some frames of a film: half of the work of a page.
    pub fn of(film: &Film, chosen: &[usize], progress: Progress<'_>) -> Result<Self> {
        let mut survey = Self::empty(&film.scenery);
        for (number, index) in chosen.iter().enumerate() {
            report(progress, number, 2 * chosen.len())?;
            let frame = film.frame(*index)?;
            if number == 0 {
                survey.begin(&film.scenery, &frame);
            }
            survey.add(&film.scenery, &frame);
        }
        survey.finish(&film.scenery)?;
        Ok(survey)
    }

    fn empty(scenery: &Scenery) -> Self {
        let scale = |components: usize| Scale {
            all: Extremes::none(components),
            bodies: Extremes::none(components),
            levels: LEVELS,
        };
        Self {
            frames: Vec::new(),
            parts: parts(scenery),
            scales: scenery.fields.iter().map(|field| scale(field.components)).collect(),
            contacts: Grid { origin: [0.0; 3], step: 1.0 },
            bounds: Bounds::EMPTY,
            start: Bounds::EMPTY,
            largest_force: 0.0,
            reach: Bounds::EMPTY,
        }
    }

    fn begin(&mut self, scenery: &Scenery, frame: &Frame) {
        let mut part_of = vec![0; frame.points.len()];
        for (index, part) in self.parts.iter_mut().enumerate() {
            part_of[part.vertices.clone()].fill(index);
            frame.points[part.vertices.clone()].iter().for_each(|point| part.first.add(*point));
        }
        let sides = scenery.triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
        for [a, b] in sides.chain(scenery.edges.iter().copied()) {
            let length = distance(frame.points[a as usize], frame.points[b as usize]);
            let shortest = &mut self.parts[part_of[a as usize]].shortest_edge;
            *shortest = shortest.min(length);
        }
    }

    fn add(&mut self, scenery: &Scenery, frame: &Frame) {
        self.frames.push((frame.step, frame.time));
        for part in &mut self.parts {
            frame.points[part.vertices.clone()].iter().for_each(|point| part.bounds.add(*point));
        }
        for ((field, values), scale) in scenery.fields.iter().zip(&frame.fields).zip(&mut self.scales) {
            scale.all.widen(values);
            for places in of_bodies(scenery, field, values.len()) {
                scale.bodies.widen(&values[places]);
            }
        }
        for contact in frame.contacts.iter().filter(|contact| is_finite(contact)) {
            self.reach.add(contact.point);
            self.largest_force = self.largest_force.max(force(contact));
        }
    }

    fn finish(&mut self, scenery: &Scenery) -> Result<()> {
        let bodies = self.parts.iter().any(|part| part.body);
        for part in self.parts.iter().filter(|part| part.body == bodies) {
            self.bounds.join(&part.bounds);
            self.start.join(&part.first);
        }
        self.check_reach()?;
        for part in &mut self.parts {
            let step = step(part.first.diagonal(), part.shortest_edge).max(part.bounds.extent() / LARGEST);
            part.grid = Grid { origin: part.bounds.low, step: if step > 0.0 { step } else { 1.0 } };
        }
        if !self.reach.is_empty() {
            let smallest = self.parts.iter().map(|part| part.grid.step).fold(f64::INFINITY, f64::min);
            let step = smallest.min(1.0).max(self.reach.extent() / LARGEST);
            self.contacts = Grid { origin: self.reach.low, step };
        }
        for (field, scale) in scenery.fields.iter().zip(&mut self.scales) {
            let values = places(scenery, field.place) * field.components * self.frames.len();
            scale.levels = if values > MANY_VALUES { FEW_LEVELS } else { LEVELS };
            if !field.categories.is_empty() {
                *scale = of_categories(field.components, field.categories.len());
            }
        }
        Ok(())
    }

    /// The player has positions relative to the middle in single precision.
    fn check_reach(&self) -> Result<()> {
        let middle = self.bounds.middle();
        for Bounds { low, high } in
            self.parts.iter().map(|part| part.bounds).filter(|bounds| !bounds.is_empty())
        {
            check_single(&[0, 1, 2].map(|axis| (low[axis] - middle[axis]) as f32))?;
            check_single(&[0, 1, 2].map(|axis| (high[axis] - middle[axis]) as f32))?;
        }
        Ok(())
    }
}

/// Whether a contact can be drawn.
pub fn is_finite(contact: &Contact) -> bool {
    let numbers = [contact.point, contact.normal_force, contact.friction_force];
    numbers.as_flattened().iter().all(|number| (*number as f32).is_finite())
}

fn force(contact: &Contact) -> f64 {
    let sum = std::array::from_fn(|axis| contact.normal_force[axis] + contact.friction_force[axis]);
    distance(sum, [0.0; 3])
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

/// Step of the grid of a thing with this diagonal and shortest edge.
fn step(diagonal: f64, edge: f64) -> f64 {
    (diagonal / STEPS).min(edge / STEPS_OF_EDGE).max(diagonal / MOST_STEPS)
}

fn of_categories(components: usize, categories: usize) -> Scale {
    let last = categories.saturating_sub(1).max(1);
    let all =
        Extremes { low: vec![0.0; components], high: vec![last as f32; components], largest: last as f32 };
    Scale { bodies: all.clone(), all, levels: last as u32 }
}

fn places(scenery: &Scenery, place: Place) -> usize {
    match place {
        Place::Vertices => scenery.vertices as usize,
        Place::Triangles => scenery.triangles.len(),
        Place::Contacts => 0,
    }
}

/// Where the values of a field on bodies are among all of its values; contacts count as bodies.
fn of_bodies(scenery: &Scenery, field: &Field, count: usize) -> Vec<Range<usize>> {
    let within =
        |range: &Range<u32>| range.start as usize * field.components..range.end as usize * field.components;
    let bodies = scenery.things.iter().filter(|thing| thing.kind != Kind::Obstacle);
    match field.place {
        Place::Vertices => bodies.map(|thing| within(&thing.vertices)).collect(),
        Place::Triangles => bodies.map(|thing| within(&thing.triangles)).collect(),
        Place::Contacts => std::iter::once(0..count).collect(),
    }
}

/// Vertices in runs that belong to the same thing, or to none.
fn parts(scenery: &Scenery) -> Vec<Part> {
    let mut owners = vec![None; scenery.vertices as usize];
    for (index, thing) in scenery.things.iter().enumerate() {
        owners[thing.vertices.start as usize..thing.vertices.end as usize].fill(Some(index));
    }
    let mut start = 0;
    let runs = owners.chunk_by(|a, b| a == b);
    let run = |owners: &[Option<usize>]| {
        let vertices = start..start + owners.len();
        start = vertices.end;
        let body = owners[0].is_some_and(|thing| scenery.things[thing].kind != Kind::Obstacle);
        let grid = Grid { origin: [0.0; 3], step: 1.0 };
        Part {
            vertices,
            grid,
            bounds: Bounds::EMPTY,
            body,
            first: Bounds::EMPTY,
            shortest_edge: f64::INFINITY,
        }
    };
    runs.map(run).collect()
}
