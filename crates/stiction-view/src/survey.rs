//! What pictures of a film have in common, from one pass over its frames: extent, range of the field, size of forces.

use crate::camera::Stage;
use crate::color::{Map, Rgb, UNKNOWN, of_category};
use crate::error::Result;
use crate::film::{Field, Film, Frame, Kind, Place, Scenery};
use crate::look::{Arrows, Look, Quantity};
use crate::vector::{Vector, add, dot, norm, scale};

/// What one pass over the frames finds.
pub struct Survey {
    /// The extent of the bodies.
    pub stage: Stage,
    /// How values become colours.
    pub tint: Option<Tint>,
    /// A force that few exceed, in N; zero if there are none.
    pub force: f64,
    /// Times of the frames in s.
    pub times: Vec<f64>,
}

/// How the values of a field become colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Tint {
    /// The field.
    pub quantity: Quantity,
    /// The values at both ends of the colour bar.
    pub range: [f64; 2],
    /// The colour map.
    pub map: Map,
}

/// At most this many values of a frame enter the colour range, evenly spread.
const VALUES_PER_FRAME: usize = 20_000;

impl Survey {
    /// Goes through some frames of a film.
    pub fn new(film: &Film, look: &Look, frames: &[usize]) -> Result<Self> {
        let quantity = look.quantity(&film.scenery)?;
        let mut reach = Reach::new(&film.scenery, look)?;
        let (mut values, mut forces, mut times) = (Vec::new(), Vec::new(), Vec::new());
        for index in frames {
            let frame = film.frame(*index)?;
            times.push(frame.time);
            reach.take(&film.scenery, &frame);
            if let (Some(quantity), None) = (quantity, look.range) {
                sample_values(&film.scenery, &frame, quantity, &mut values);
            }
            if look.arrows != Arrows::Off {
                forces.extend(frame.contacts.iter().map(|contact| norm(contact.normal_force) as f32));
            }
        }
        forces.retain(|force| *force > 0.0 && force.is_finite());
        let force = quantile(&mut forces, 0.98).unwrap_or(0.0);
        let tint = quantity.map(|quantity| Tint::new(quantity, look.range, values));
        Ok(Self { stage: reach.stage(&film.scenery), tint, force, times })
    }
}

/// Adds values of a frame: those of bodies, as obstacles keep their colour.
fn sample_values(scenery: &Scenery, frame: &Frame, quantity: Quantity, out: &mut Vec<f32>) {
    let field = &scenery.fields[quantity.field];
    let bodies = scenery.things.iter().filter(|thing| thing.kind != Kind::Obstacle);
    let places: Vec<usize> = match field.place {
        Place::Vertices => bodies.flat_map(|thing| thing.vertices.clone()).map(|i| i as usize).collect(),
        Place::Triangles => bodies.flat_map(|thing| thing.triangles.clone()).map(|i| i as usize).collect(),
        Place::Contacts => (0..frame.contacts.len()).collect(),
    };
    let values = &frame.fields[quantity.field];
    let stride = places.len().div_ceil(VALUES_PER_FRAME).max(1);
    let sampled = places.iter().step_by(stride).map(|place| quantity.value(field.components, values, *place));
    out.extend(sampled.filter(|value| value.is_finite()));
}

/// The value that a share of all values is below.
fn quantile(values: &mut [f32], share: f64) -> Option<f64> {
    let index = ((values.len().max(1) - 1) as f64 * share).round() as usize;
    (!values.is_empty()).then(|| f64::from(*values.select_nth_unstable_by(index, f32::total_cmp).1))
}

impl Tint {
    fn new(quantity: Quantity, range: Option<[f64; 2]>, values: Vec<f32>) -> Self {
        let range = range.unwrap_or_else(|| robust_range(values));
        let signed = range[0] < 0.0 && range[1] > 0.0;
        Self { quantity, range, map: if signed { Map::Diverging } else { Map::Sequential } }
    }

    /// The colour of a value of the field.
    pub fn color(&self, field: &Field, value: f64) -> Rgb {
        if !value.is_finite() {
            UNKNOWN
        } else if field.categories.is_empty() {
            self.map.at(self.place(value))
        } else {
            of_category(value.round().max(0.0) as usize)
        }
    }

    /// Where a value is between the ends of the colour bar.
    pub fn place(&self, value: f64) -> f64 {
        (value - self.range[0]) / (self.range[1] - self.range[0])
    }
}

/// The range of the values without their extremes: from zero for magnitudes, symmetric for values of both signs.
fn robust_range(mut values: Vec<f32>) -> [f64; 2] {
    // Many fields, such as pressure, are zero nearly everywhere.
    values.retain(|value| *value != 0.0);
    let (Some(least), Some(most)) = (quantile(&mut values, 0.005), quantile(&mut values, 0.995)) else {
        return [0.0, 1.0];
    };
    let largest = least.abs().max(most.abs());
    if least < -0.02 * largest && most > 0.02 * largest {
        [-largest, largest]
    } else if least > 0.5 * most {
        if least < most { [least, most] } else { [0.0, most] }
    } else if most < 0.5 * least {
        if least < most { [least, most] } else { [least, 0.0] }
    } else if most > 0.0 {
        [0.0, most]
    } else {
        [least, 0.0]
    }
}

/// How far bodies reach in some directions.
struct Reach {
    directions: Vec<Vector>,
    farthest: Vec<Option<(f64, Vector)>>,
    bounds: [Vector; 2],
    /// Things that must be in the picture.
    things: Vec<usize>,
    up: Vector,
}

impl Reach {
    fn new(scenery: &Scenery, look: &Look) -> Result<Self> {
        let up = scenery.up();
        let (low, high) = ([-1.0; 3], [1.0; 3]);
        let stage = Stage { bounds: [low, high], points: Vec::new(), up, flat: scenery.dimension == 2 };
        let axes = look.view.first_axes(&stage)?;
        let directions = directions(axes);
        let has = |kinds: &dyn Fn(Kind) -> bool| {
            let things = scenery.things.iter().enumerate();
            let some = things.filter(|(_, thing)| kinds(thing.kind) && !thing.vertices.is_empty());
            some.map(|(index, _)| index).collect::<Vec<_>>()
        };
        let bodies = has(&|kind| kind != Kind::Obstacle);
        let things = if bodies.is_empty() { has(&|_| true) } else { bodies };
        let farthest = vec![None; directions.len()];
        Ok(Self { directions, farthest, bounds: [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], things, up })
    }

    fn take(&mut self, scenery: &Scenery, frame: &Frame) {
        for thing in &self.things {
            let vertices = scenery.things[*thing].vertices.clone();
            for point in &frame.points[vertices.start as usize..vertices.end as usize] {
                for axis in 0..3 {
                    self.bounds[0][axis] = self.bounds[0][axis].min(point[axis]);
                    self.bounds[1][axis] = self.bounds[1][axis].max(point[axis]);
                }
                for (direction, farthest) in self.directions.iter().zip(&mut self.farthest) {
                    let reach = dot(*point, *direction);
                    if farthest.is_none_or(|(most, _)| reach > most) {
                        *farthest = Some((reach, *point));
                    }
                }
            }
        }
    }

    fn stage(self, scenery: &Scenery) -> Stage {
        let bounds = if self.bounds[0][0] <= self.bounds[1][0] { self.bounds } else { [[-1.0; 3], [1.0; 3]] };
        let points = self.farthest.into_iter().flatten().map(|(_, point)| point).collect();
        Stage { bounds, points, up: self.up, flat: scenery.dimension == 2 }
    }
}

/// Both ways along the axes of the view, so that an orthographic picture fits exactly, and the directions between them.
fn directions(axes: [Vector; 3]) -> Vec<Vector> {
    let times = |index: usize| [index % 3, index / 3 % 3, index / 9].map(|digit| digit as f64 - 1.0);
    let sum = |index| (0..3).fold([0.0; 3], |sum, axis| add(sum, scale(axes[axis], times(index)[axis])));
    (0..27).filter(|index| *index != 13).map(sum).collect()
}
