//! Animations as PNG files.

use std::fs::File;
use std::io::BufWriter;

use crate::draft::Draft;
use crate::encoder::{Change, Encoder};
use crate::error::Result;
use crate::picture::Picture;
use crate::png::error_at;
use crate::tempo::Clock;

/// A PNG file that is animated.
pub struct Apng {
    writer: ::png::Writer<BufWriter<File>>,
    clock: Clock,
    draft: Draft,
    before: Vec<u8>,
}

/// Delays are multiples of 1/1000 s.
pub const PER_SECOND: u16 = 1000;

impl Apng {
    pub fn new(draft: Draft, size: [u32; 2], (pictures, fps): (usize, f64)) -> Result<Self> {
        let file = BufWriter::new(draft.create()?);
        let mut encoder = ::png::Encoder::new(file, size[0], size[1]);
        encoder.set_color(::png::ColorType::Rgb);
        let writer = encoder.set_animated(pictures as u32, 0).and_then(|()| encoder.write_header());
        let writer = writer.map_err(error_at(&draft.target))?;
        Ok(Self { writer, clock: Clock::new(fps, f64::from(PER_SECOND)), draft, before: Vec::new() })
    }

    fn write(&mut self, picture: &Picture, delay: u16) -> std::result::Result<(), ::png::EncodingError> {
        self.writer.set_frame_delay(delay, PER_SECOND)?;
        let mut part = Change::all(picture);
        if !self.before.is_empty() {
            part = Change::between(&self.before, picture);
            self.writer.reset_frame_position()?;
            self.writer.set_frame_dimension(part.width, part.height)?;
            self.writer.set_frame_position(part.left, part.top)?;
        }
        self.writer.write_image_data(&part.pixels(picture).flatten().collect::<Vec<u8>>())
    }
}

impl Encoder for Apng {
    fn add(&mut self, picture: &Picture, ticks: u32) -> Result<()> {
        let delay = self.clock.advance(ticks);
        self.write(picture, delay).map_err(error_at(&self.draft.target))?;
        self.before.clone_from(&picture.rgba);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.writer.finish().map_err(error_at(&self.draft.target))?;
        self.draft.name()
    }
}
