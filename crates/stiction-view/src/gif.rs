//! Animations as GIF files.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};

use crate::draft::Draft;
use crate::encoder::{Change, Encoder};
use crate::error::{Error, Result};
use crate::palette::Palette;
use crate::picture::Picture;
use crate::tempo::Clock;

/// A GIF file. Its palette is the same for all pictures, so that colours do not flicker.
pub struct Gif {
    writer: ::gif::Encoder<BufWriter<File>>,
    palette: Palette,
    clock: Clock,
    draft: Draft,
    before: Vec<u8>,
}

/// Delays are multiples of 1/100 s.
pub const PER_SECOND: u16 = 100;
/// Viewers show shorter delays than 2/100 s as long ones.
pub const MOST_FPS: f64 = 50.0;

impl Gif {
    pub fn new(draft: Draft, size: [u32; 2], (palette, fps): (Palette, f64)) -> Result<Self> {
        let file = BufWriter::new(draft.create()?);
        let mut writer =
            ::gif::Encoder::new(file, size[0] as u16, size[1] as u16, palette.colors.as_flattened())
                .map_err(error_at(&draft))?;
        writer.set_repeat(::gif::Repeat::Infinite).map_err(error_at(&draft))?;
        Ok(Self { writer, palette, clock: Clock::new(fps, f64::from(PER_SECOND)), draft, before: Vec::new() })
    }
}

impl Encoder for Gif {
    fn add(&mut self, picture: &Picture, ticks: u32) -> Result<()> {
        let part = if self.before.is_empty() {
            Change::all(picture)
        } else {
            Change::between(&self.before, picture)
        };
        let frame = ::gif::Frame {
            delay: self.clock.advance(ticks),
            dispose: ::gif::DisposalMethod::Keep,
            left: part.left as u16,
            top: part.top as u16,
            width: part.width as u16,
            height: part.height as u16,
            buffer: Cow::Owned(part.pixels(picture).map(|color| self.palette.entry(color)).collect()),
            ..::gif::Frame::default()
        };
        self.writer.write_frame(&frame).map_err(error_at(&self.draft))?;
        self.before.clone_from(&picture.rgba);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let mut file = self.writer.into_inner().map_err(error_at(&self.draft))?;
        file.flush().map_err(Error::at(&self.draft.target))?;
        self.draft.name()
    }
}

fn error_at(draft: &Draft) -> impl FnOnce(::gif::EncodingError) -> Error + use<> {
    let path = draft.target.clone();
    move |error| match error {
        ::gif::EncodingError::Io(source) => Error::File { path, source },
        other => Error::Request(format!("{}: {other}", path.display())),
    }
}
