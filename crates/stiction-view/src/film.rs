//! A film: what all pictures, animations and pages are made from.

use std::ops::Range;

use crate::error::{Error, Result};

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
    /// Its triangles.
    pub triangles: Range<u32>,
    /// Its edges: rods, to be drawn as lines or tubes.
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
    /// Direction of gravity, or zero: its opposite is up in pictures where it is not zero. In m/s².
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

/// How a contact rubs.
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
    /// How it rubs.
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
    /// If a triangle, an edge or a thing names what does not exist, or there is no frame.
    pub fn new(scenery: Scenery, reel: Box<dyn Reel>) -> Result<Self> {
        scenery.check()?;
        if reel.count() == 0 {
            return Err(Error::Film("it has no frames".to_owned()));
        }
        Ok(Self { scenery, reel })
    }

    /// A frame that fits the scenery.
    ///
    /// # Errors
    /// If it cannot be read or does not fit.
    pub fn frame(&self, index: usize) -> Result<Frame> {
        let frame = self.reel.frame(index)?;
        self.scenery.check_frame(&frame)?;
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

    /// The number of a field, by its name.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    fn check(&self) -> Result<()> {
        let wrong = |what: String| Err(Error::Film(what));
        if !matches!(self.dimension, 2 | 3) {
            return wrong(format!("it has {} dimensions", self.dimension));
        }
        let mut used = self.triangles.as_flattened().iter().chain(self.edges.as_flattened());
        if let Some(vertex) = used.find(|vertex| **vertex >= self.vertices) {
            return wrong(format!("vertex {vertex} is used, but there are {}", self.vertices));
        }
        let fits = |range: &Range<u32>, count: usize| range.start <= range.end && range.end as usize <= count;
        for thing in &self.things {
            if !(fits(&thing.vertices, self.vertices as usize)
                && fits(&thing.triangles, self.triangles.len())
                && fits(&thing.edges, self.edges.len()))
            {
                return wrong(format!(
                    "\"{}\" has vertices, triangles or edges that do not exist",
                    thing.name
                ));
            }
        }
        match self.curves.iter().find(|curve| curve.values.len() != self.step_times.len()) {
            Some(curve) => wrong(format!("the curve \"{}\" has not one value for each step", curve.name)),
            None => Ok(()),
        }
    }

    fn check_frame(&self, frame: &Frame) -> Result<()> {
        let wrong = |what: String| Err(Error::Film(format!("frame of step {}: {what}", frame.step)));
        if frame.points.len() != self.vertices as usize {
            return wrong(format!("{} points for {} vertices", frame.points.len(), self.vertices));
        }
        if frame.points.iter().flatten().any(|coordinate| !coordinate.is_finite()) {
            return wrong("a point is not finite".to_owned());
        }
        if frame.fields.len() != self.fields.len() {
            return wrong(format!("{} fields instead of {}", frame.fields.len(), self.fields.len()));
        }
        for (field, values) in self.fields.iter().zip(&frame.fields) {
            let places = match field.place {
                Place::Vertices => self.vertices as usize,
                Place::Triangles => self.triangles.len(),
                Place::Contacts => frame.contacts.len(),
            };
            if values.len() != places * field.components {
                return wrong(format!("{} numbers of {}", values.len(), field.name));
            }
        }
        let things = self.things.len();
        match frame.contacts.iter().flat_map(|contact| contact.things).find(|thing| *thing as usize >= things)
        {
            Some(thing) => wrong(format!("a contact of thing {thing}, but there are {things}")),
            None => Ok(()),
        }
    }
}
