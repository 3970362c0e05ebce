//! What changes, in blocks of frames: positions, contacts, and each field in a block of its own, as the player shows one at a time.
//!
//! ```text
//! positions of a frame   an array for each part
//! contacts of a frame    things (2), points (3), normal and friction forces (6, the upper 24 bits of 32-bit numbers), regimes (1)
//! field of a frame       an array
//! ```

use std::io::{self, Write};

use super::ints::Channel;
use super::pack;
use super::survey::{Scale, Survey, is_finite};
use crate::film::{Contact, Frame, Place, Regime, Scenery};

/// Triangles and edges.
pub fn mesh(scenery: &Scenery) -> Vec<u8> {
    let mut out = Vec::new();
    let ints = |numbers: &[u32]| numbers.iter().map(|number| number.cast_signed()).collect();
    Channel::new(3).push(ints(scenery.triangles.as_flattened()), &mut out);
    Channel::new(2).push(ints(scenery.edges.as_flattened()), &mut out);
    out
}

/// Successive frames, encoded.
pub struct Blocks<'a> {
    scenery: &'a Scenery,
    survey: &'a Survey,
    parts: Vec<Channel>,
    fields: Vec<Channel>,
    positions: Vec<u8>,
    contacts: Vec<u8>,
    values: Vec<Vec<u8>>,
}

impl<'a> Blocks<'a> {
    /// Without frames.
    pub fn new(scenery: &'a Scenery, survey: &'a Survey) -> Self {
        Self {
            scenery,
            survey,
            parts: survey.parts.iter().map(|_| Channel::new(3)).collect(),
            fields: scenery.fields.iter().map(|field| Channel::new(field.components)).collect(),
            positions: Vec::new(),
            contacts: Vec::new(),
            values: vec![Vec::new(); scenery.fields.len()],
        }
    }

    /// Appends a frame.
    pub fn push(&mut self, frame: &Frame) {
        for (part, channel) in self.survey.parts.iter().zip(&mut self.parts) {
            let points = &frame.points[part.vertices.clone()];
            let integers = |point: &[f64; 3]| [0, 1, 2].map(|axis| part.grid.integer(axis, point[axis]));
            channel.push(points.iter().flat_map(integers).collect(), &mut self.positions);
        }
        self.push_contacts(frame);
        self.push_fields(frame);
    }

    fn push_contacts(&mut self, frame: &Frame) {
        let contacts: Vec<&Contact> = frame.contacts.iter().filter(|contact| is_finite(contact)).collect();
        let grid = self.survey.contacts;
        let things = contacts.iter().flat_map(|contact| contact.things.map(u32::cast_signed)).collect();
        let points =
            contacts.iter().flat_map(|contact| [0, 1, 2].map(|axis| grid.integer(axis, contact.point[axis])));
        let forces = contacts.iter().flat_map(|contact| [contact.normal_force, contact.friction_force]);
        let regimes = contacts.iter().map(|contact| regime(contact.regime)).collect();
        Channel::new(2).push(things, &mut self.contacts);
        Channel::new(3).push(points.collect(), &mut self.contacts);
        Channel::new(6).push(forces.flatten().map(upper_bits).collect(), &mut self.contacts);
        Channel::new(1).push(regimes, &mut self.contacts);
    }

    fn push_fields(&mut self, frame: &Frame) {
        let channels = self.fields.iter_mut().zip(&mut self.values);
        let fields = self.scenery.fields.iter().zip(&frame.fields).zip(&self.survey.scales);
        for ((channel, out), ((field, values), scale)) in channels.zip(fields) {
            let integers = integers(scale, values);
            if field.place == Place::Contacts {
                channel.push(of_drawn(frame, &integers, field.components), out);
            } else {
                channel.push(integers, out);
            }
        }
    }

    /// Writes the blocks of the chunk of this number.
    pub fn write(&self, out: &mut dyn Write, chunk: usize) -> io::Result<()> {
        pack::block(out, &format!("positions-{chunk}"), &self.positions)?;
        pack::block(out, &format!("contacts-{chunk}"), &self.contacts)?;
        for (index, values) in self.values.iter().enumerate() {
            pack::block(out, &format!("field-{index}-{chunk}"), values)?;
        }
        Ok(())
    }
}

fn integers(scale: &Scale, values: &[f32]) -> Vec<i32> {
    let components = scale.all.low.len().max(1);
    values.iter().enumerate().map(|(index, value)| scale.integer(index % components, *value)).collect()
}

/// The values of those contacts that are in the page.
fn of_drawn(frame: &Frame, integers: &[i32], components: usize) -> Vec<i32> {
    let values = frame.contacts.iter().zip(integers.chunks_exact(components.max(1)));
    values.filter(|(contact, _)| is_finite(contact)).flat_map(|(_, value)| value).copied().collect()
}

fn regime(regime: Regime) -> i32 {
    match regime {
        Regime::Frictionless => 0,
        Regime::Stick => 1,
        Regime::Slip => 2,
    }
}

/// Sign, exponent and 15 bits of the fraction.
fn upper_bits(number: f64) -> i32 {
    let bits = (number as f32).to_bits();
    // Rounded to nearest, unless that were infinite.
    let rounded = if bits & 0x7fff_ffff >= 0x7f7f_ff80 { bits } else { bits + 0x80 };
    (rounded >> 8).cast_signed()
}
