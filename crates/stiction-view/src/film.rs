//! A film: what all pictures, animations and pages are made from.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::vector::{scale, unit};

/// What a thing is made of, as far as drawing it is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A solid: its triangles are its closed surface, counter-clockwise seen from outside. In 2D they fill it.
    Solid,
    /// A sheet: triangles that are seen from both sides.
    Sheet,
    /// A rod: edges, no triangles.
    Rod,
    /// An obstacle: a rigid shape that bodies cannot enter. Its triangles are seen from both sides; in 2D they fill it.
    Obstacle,
}

impl Kind {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Solid => "solid",
            Self::Sheet => "sheet",
            Self::Rod => "rod",
            Self::Obstacle => "obstacle",
        }
    }
}

/// A body or an obstacle. Its vertices, triangles and edges are ranges of those of the [`Scenery`].
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    /// Its name, as the scene has it.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Name of its material; empty for obstacles.
    pub material: String,
    /// Its vertices.
    pub vertices: Range<u32>,
    /// Its triangles. Each triangle of the scenery belongs to exactly one thing.
    pub triangles: Range<u32>,
    /// Its edges: rods, to be drawn as lines or tubes. Each edge of the scenery belongs to exactly one thing.
    pub edges: Range<u32>,
}

/// Where the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// One for each vertex.
    Vertices,
    /// One for each triangle.
    Triangles,
    /// One for each contact of the frame.
    Contacts,
}

/// What a field is. Its values are in the frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name, the same as in VTU files, such as `contact_pressure`.
    pub name: String,
    /// Its SI unit; empty where it has none.
    pub unit: String,
    /// What it means, in a sentence.
    pub meaning: String,
    /// Where its values are.
    pub place: Place,
    /// Numbers for each value: 1 for scalars, 3 for vectors.
    pub components: usize,
    /// Names of the values 0, 1, 2, … of a field of categories (`free`, `stick`, `slip`); empty for numbers.
    pub categories: Vec<String>,
}

/// A number of every step, for plots: a column of `steps.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name, such as `kinetic_energy` or `block.normal_force_x`.
    pub name: String,
    /// Its SI unit; empty where it has none.
    pub unit: String,
    /// What it means, in a sentence.
    pub meaning: String,
    /// One value for each step, at [`Scenery::step_times`]; may be infinite or NaN where there is none.
    pub values: Vec<f64>,
}

/// What stays the same in all frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenery {
    /// Title: the name of the scene.
    pub title: String,
    /// 2 or 3. In 2D the third coordinate of everything is 0 and the view is along −z.
    pub dimension: usize,
    /// Acceleration of gravity in m/s², or zero. In 3D the opposite direction is up, in 2D +y is, as where gravity is zero; only the `up` of a
    /// [`View`](crate::camera::View) overrides this.
    pub gravity: [f64; 3],
    /// Bodies first, then obstacles.
    pub things: Vec<Thing>,
    /// Number of vertices of all things.
    pub vertices: u32,
    /// Triangles of all things.
    pub triangles: Vec<[u32; 3]>,
    /// Edges of all rods.
    pub edges: Vec<[u32; 2]>,
    /// The fields that every frame has, in the order of [`Frame::fields`].
    pub fields: Vec<Field>,
    /// Times of the steps in s, for curves. Steps are usually more than frames.
    pub step_times: Vec<f64>,
    /// Numbers of the steps.
    pub curves: Vec<Curve>,
}

/// A configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The step after which it is; 0 for the start.
    pub step: usize,
    /// Its time in s.
    pub time: f64,
    /// Positions of all vertices in m; obstacles that move have theirs here as well.
    pub points: Vec<[f64; 3]>,
    /// Values of each field, the components of one value after the other.
    pub fields: Vec<Vec<f32>>,
    /// Its contacts.
    pub contacts: Vec<Contact>,
}

/// Friction regime of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Regime {
    /// Without friction.
    #[default]
    Frictionless,
    /// Slower than the speed below which friction counts as static.
    Stick,
    /// Faster.
    Slip,
}

/// Two places of things that push each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// The things, by their number in [`Scenery::things`]; the same twice where a body touches itself.
    pub things: [u32; 2],
    /// The place on the first thing, in m.
    pub point: [f64; 3],
    /// The normal force on the first thing, in N. The second thing has the opposite one.
    pub normal_force: [f64; 3],
    /// The friction force on the first thing, in N.
    pub friction_force: [f64; 3],
    /// Its friction regime.
    pub regime: Regime,
}

/// Frames that are made or read when they are needed: long runs do not fit into memory.
pub trait Reel {
    /// How many there are.
    fn count(&self) -> usize;

    /// One of them, from 0.
    ///
    /// # Errors
    /// If it cannot be read.
    fn frame(&self, index: usize) -> Result<Frame>;
}

impl Reel for Vec<Frame> {
    fn count(&self) -> usize {
        self.len()
    }

    fn frame(&self, index: usize) -> Result<Frame> {
        self.get(index).cloned().ok_or_else(|| Error::Request(format!("there is no frame {index}")))
    }
}

/// A run to look at.
pub struct Film {
    /// What stays the same.
    pub scenery: Scenery,
    /// What changes.
    pub reel: Box<dyn Reel>,
}

impl Film {
    /// A film whose scenery does not contradict itself.
    ///
    /// # Errors
    /// If a triangle, an edge or a thing names what does not exist, a triangle or an edge does not belong to exactly one thing, or there is no frame.
    pub fn new(scenery: Scenery, reel: Box<dyn Reel>) -> Result<Self> {
        scenery.check()?;
        if reel.count() == 0 {
            return Err(Error::Film(
                "it has no frames, expected one at least: give it that of the start".to_owned(),
            ));
        }
        Ok(Self { scenery, reel })
    }

    /// A frame that fits the scenery.
    ///
    /// # Errors
    /// If it cannot be read or does not fit.
    pub fn frame(&self, index: usize) -> Result<Frame> {
        let frame = self.reel.frame(index)?;
        let wrong = |what| Error::Film(format!("frame {index}, of step {}, {what}", frame.step));
        self.scenery.check_frame(&frame).map_err(wrong)?;
        Ok(frame)
    }

    /// How many frames there are.
    pub fn count(&self) -> usize {
        self.reel.count()
    }
}

impl Scenery {
    /// The thing of each triangle.
    pub fn things_of_triangles(&self) -> Vec<u32> {
        let mut out = vec![0; self.triangles.len()];
        for (index, thing) in self.things.iter().enumerate() {
            out[thing.triangles.start as usize..thing.triangles.end as usize].fill(index as u32);
        }
        out
    }

    /// The unit vector to the top of pictures: see [`Scenery::gravity`].
    pub fn up(&self) -> [f64; 3] {
        let opposite = if self.dimension == 3 { unit(scale(self.gravity, -1.0)) } else { None };
        opposite.unwrap_or([0.0, 1.0, 0.0])
    }

    /// The number of a field, by its name.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    fn check(&self) -> Result<()> {
        if !matches!(self.dimension, 2 | 3) {
            return wrong(format!("it has {} dimensions, expected 2 or 3", self.dimension));
        }
        self.check_corners("triangle", &self.triangles)?;
        self.check_corners("edge", &self.edges)?;
        self.check_ranges("vertices", self.vertices as usize, |thing| &thing.vertices)?;
        self.check_ranges("triangles", self.triangles.len(), |thing| &thing.triangles)?;
        self.check_ranges("edges", self.edges.len(), |thing| &thing.edges)?;
        self.check_owners("triangle", &self.triangles, |thing| &thing.triangles)?;
        self.check_owners("edge", &self.edges, |thing| &thing.edges)?;
        let steps = self.step_times.len();
        match self.curves.iter().find(|curve| curve.values.len() != steps) {
            Some(Curve { name, values, .. }) => wrong(format!(
                "the curve \"{name}\" has {} values, expected {steps}: give one for each of `step_times`, NaN where there is none",
                values.len()
            )),
            None => Ok(()),
        }
    }

    fn check_corners<const N: usize>(&self, what: &str, all: &[[u32; N]]) -> Result<()> {
        let count = self.vertices;
        match all.as_flattened().iter().position(|vertex| *vertex >= count) {
            Some(at) => wrong(format!(
                "{what} {} has vertex {}, but there are {count} vertices, numbered from 0: correct it, or `vertices`",
                at / N,
                all.as_flattened()[at]
            )),
            None => Ok(()),
        }
    }

    fn check_ranges(&self, what: &str, count: usize, of: impl Fn(&Thing) -> &Range<u32>) -> Result<()> {
        let fits = |range: &Range<u32>| range.start <= range.end && range.end as usize <= count;
        match self.things.iter().find(|thing| !fits(of(thing))) {
            Some(thing) => wrong(format!(
                "\"{}\" has {what} {:?}, expected a range within 0..{count}",
                thing.name,
                of(thing)
            )),
            None => Ok(()),
        }
    }

    /// Each triangle and each edge needs one thing that it is drawn as.
    fn check_owners<const N: usize>(
        &self,
        what: &str,
        all: &[[u32; N]],
        of: impl Fn(&Thing) -> &Range<u32>,
    ) -> Result<()> {
        let mut owners = vec![0_u32; all.len()];
        for range in self.things.iter().map(of) {
            owners[range.start as usize..range.end as usize].iter_mut().for_each(|count| *count += 1);
        }
        match owners.iter().position(|count| *count != 1) {
            Some(index) => wrong(format!(
                "{what} {index}, at vertex {}, belongs to {} things, expected 1: let the ranges of things cover each {what} once",
                all[index][0], owners[index]
            )),
            None => Ok(()),
        }
    }

    fn check_frame(&self, frame: &Frame) -> std::result::Result<(), String> {
        if frame.points.len() != self.vertices as usize {
            return Err(format!(
                "has {} points, expected {}: one for each vertex",
                frame.points.len(),
                self.vertices
            ));
        }
        let lost = |point: &[f64; 3]| point.iter().any(|coordinate| !coordinate.is_finite());
        if let Some(vertex) = frame.points.iter().position(lost) {
            let point = frame.points[vertex];
            return Err(format!(
                "has vertex {vertex} at {point:?}, expected finite coordinates: leave the frame out"
            ));
        }
        if frame.fields.len() != self.fields.len() {
            let (found, expected) = (frame.fields.len(), self.fields.len());
            return Err(format!("has {found} fields, expected {expected}: one for each of the scenery"));
        }
        for (field, values) in self.fields.iter().zip(&frame.fields) {
            self.check_values(frame, field, values.len())?;
        }
        let things = self.things.len();
        match frame.contacts.iter().position(|contact| contact.things.iter().any(|at| *at as usize >= things))
        {
            Some(index) => Err(format!(
                "has contact {index} between things {:?}, but there are {things} things, numbered from 0",
                frame.contacts[index].things
            )),
            None => Ok(()),
        }
    }

    fn check_values(&self, frame: &Frame, field: &Field, found: usize) -> std::result::Result<(), String> {
        let (places, what) = match field.place {
            Place::Vertices => (self.vertices as usize, "vertex"),
            Place::Triangles => (self.triangles.len(), "triangle"),
            Place::Contacts => (frame.contacts.len(), "contact"),
        };
        let expected = places * field.components;
        if found == expected {
            return Ok(());
        }
        let Field { name, components, .. } = field;
        Err(format!(
            "has {found} numbers of the field \"{name}\", expected {expected}: {components} for each {what}"
        ))
    }
}

fn wrong(what: String) -> Result<()> {
    Err(Error::Film(what))
}

/// Numbers of the frames that stay of so many: at most `max_frames`, at even distances, with the first and the last. 1 leaves the first.
pub(crate) fn kept(count: usize, max_frames: usize) -> Result<Vec<usize>> {
    let stay = count.min(max_frames);
    match stay {
        0 => Err(Error::Request("max_frames is 0: ask for one frame at least".to_owned())),
        1 => Ok(vec![0]),
        stay => Ok((0..stay).map(|at| (2 * at * (count - 1) + stay - 1) / (2 * (stay - 1))).collect()),
    }
}

/// Refuses coordinates that are infinite in single precision, which other programs use.
pub(crate) fn check_single(coordinates: &[f32]) -> Result<()> {
    if coordinates.iter().all(|coordinate| coordinate.is_finite()) {
        return Ok(());
    }
    wrong("a point is more than 3·10³⁸ m away, too far for single precision: scale the scene down".to_owned())
}
