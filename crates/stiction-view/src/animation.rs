//! Animations of films: GIF, animated PNG, and MP4 where the program ffmpeg is installed.
//!
//! ```
//! use std::path::Path;
//! use stiction_view::animation::{self, Clip};
//! use stiction_view::error::Result;
//! use stiction_view::film::Film;
//! use stiction_view::look::Look;
//!
//! fn save(film: &Film, path: &Path) -> Result<()> {
//!     animation::write(film, &Look::default(), path, &Clip::for_path(path)?, &|done, of| {
//!         eprintln!("{done} of {of}");
//!         true
//!     })
//! }
//! ```

use std::path::Path;

use crate::apng::{self, Apng};
use crate::draft::Draft;
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::film::Film;
use crate::gif::{self, Gif, MOST_FPS};
use crate::look::Look;
use crate::mp4::Mp4;
use crate::palette::Palette;
use crate::picture::Renderer;
use crate::progress::{Progress, complete, report};
use crate::tempo::{Shot, Tempo};

/// A format of animations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Animated PNG: all colours; browsers play it.
    Apng,
    /// GIF: 256 colours; everything plays it.
    Gif,
    /// MP4: small files; needs the program ffmpeg.
    Mp4,
}

/// How a film becomes an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip {
    /// Its format.
    pub format: Format,
    /// Its speed.
    pub tempo: Tempo,
}

/// So many pictures, evenly spread, choose the colours of a GIF.
const PALETTE_PICTURES: usize = 5;

impl Clip {
    /// The format that the name of a file ends with, at the default tempo.
    ///
    /// # Errors
    /// If it ends with none.
    pub fn for_path(path: &Path) -> Result<Self> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let format = match ending.as_deref() {
            Some("gif") => Format::Gif,
            Some("png" | "apng") => Format::Apng,
            Some("mp4") => Format::Mp4,
            _ => {
                let what = format!("{}: the names of animations end with .gif, .png or .mp4", path.display());
                return Err(Error::Request(what));
            }
        };
        Ok(Self { format, tempo: Tempo::default() })
    }

    fn check(&self) -> Result<()> {
        self.tempo.check()?;
        if self.format == Format::Gif && self.tempo.fps > MOST_FPS {
            return Err(Error::Request(format!("a GIF can show at most {MOST_FPS} pictures a second")));
        }
        Ok(())
    }

    /// Checks that the format allows delays as long as these.
    fn check_delays(&self, shots: &[Shot]) -> Result<()> {
        let (name, per_second) = match self.format {
            Format::Apng => ("an animated PNG", apng::PER_SECOND),
            Format::Gif => ("a GIF", gif::PER_SECOND),
            Format::Mp4 => return Ok(()),
        };
        // One step less than fits, as the clock may round up.
        let most = f64::from(u16::MAX - 1) / f64::from(per_second);
        let ticks = shots.iter().map(|shot| shot.ticks).max().unwrap_or(0);
        let longest = f64::from(ticks) / self.tempo.fps;
        if longest <= most {
            return Ok(());
        }
        Err(Error::Request(format!(
            "a frame would be shown for {longest:.1} s, but {name} allows {most:.1} s: choose a greater speed, or write an .mp4"
        )))
    }
}

/// Writes an animation of a film. Progress counts pictures.
///
/// # Errors
/// If the film cannot look like this, a frame cannot be read, the file cannot be written, or the progress function says stop. What was there before
/// then stays.
pub fn write(film: &Film, look: &Look, path: &Path, clip: &Clip, progress: Progress<'_>) -> Result<()> {
    look.check(&film.scenery)?;
    clip.check()?;
    let mut look = look.clone();
    if clip.format == Format::Mp4 {
        look.size = look.size.map(|side| side.next_multiple_of(2));
    }
    let renderer = Renderer::new(film, &look)?;
    let shots = clip.tempo.shots(renderer.times())?;
    clip.check_delays(&shots)?;
    let mut encoder = encoder(&renderer, &shots, clip, Draft::new(path)?)?;
    let total = shots.len();
    for (done, shot) in shots.iter().enumerate() {
        report(progress, done, total)?;
        let picture = renderer.picture(shot.frame)?;
        encoder.add(&picture, shot.ticks).or_else(|error| stopped_or(error, progress, [done, total]))?;
    }
    encoder.finish().or_else(|error| stopped_or(error, progress, [total, total]))?;
    complete(progress, total);
    Ok(())
}

/// Ctrl-C ends ffmpeg, too: then its error is only a consequence of the request to stop.
fn stopped_or(error: Error, progress: Progress<'_>, [done, total]: [usize; 2]) -> Result<()> {
    report(progress, done, total).and(Err(error))
}

fn encoder(renderer: &Renderer<'_>, shots: &[Shot], clip: &Clip, draft: Draft) -> Result<Box<dyn Encoder>> {
    let (size, fps) = (renderer.camera().size, clip.tempo.fps);
    Ok(match clip.format {
        Format::Apng => Box::new(Apng::new(draft, size, (shots.len(), fps))?),
        Format::Gif => Box::new(Gif::new(draft, size, (palette(renderer, shots)?, fps))?),
        Format::Mp4 => Box::new(Mp4::new(draft, size, ("ffmpeg", fps))?),
    })
}

fn palette(renderer: &Renderer<'_>, shots: &[Shot]) -> Result<Palette> {
    let last = shots.len().saturating_sub(1);
    let mut chosen: Vec<usize> =
        (0..PALETTE_PICTURES).map(|index| index * last / (PALETTE_PICTURES - 1)).collect();
    chosen.dedup();
    let pictures = chosen.iter().map(|index| renderer.picture(shots[*index].frame));
    Ok(Palette::new(&pictures.collect::<Result<Vec<_>>>()?, renderer.background()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_after_a_request_to_stop_are_stops() {
        let broken = || Error::Request("broken pipe".to_owned());
        assert!(matches!(stopped_or(broken(), &|_, _| false, [1, 2]), Err(Error::Stopped)));
        assert!(matches!(stopped_or(broken(), &|_, _| true, [1, 2]), Err(Error::Request(_))));
    }
}
