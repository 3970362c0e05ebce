//! Animations of films: GIF, animated PNG, and MP4 where the program ffmpeg is installed.
//!
//! ```no_run
//! # fn film() -> stiction_view::film::Film { unimplemented!() }
//! use std::path::Path;
//! use stiction_view::animation::{self, Clip};
//! use stiction_view::look::Look;
//!
//! let path = Path::new("run.gif");
//! let clip = Clip::for_path(path)?;
//! animation::write(&film(), &Look::default(), path, &clip, &|done, of| {
//!     eprintln!("{done} of {of}");
//!     true
//! })?;
//! # Ok::<(), stiction_view::error::Error>(())
//! ```

use std::path::Path;

use crate::apng::Apng;
use crate::draft::Draft;
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::film::Film;
use crate::gif::{Gif, MOST_FPS};
use crate::look::Look;
use crate::mp4::Mp4;
use crate::palette::Palette;
use crate::picture::Renderer;
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

/// How writing an animation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The file is complete.
    Complete,
    /// The caller stopped it, and there is no file.
    Stopped,
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
}

/// Writes an animation of a film. Before each picture `proceed` learns how many are done, and of how many; it returns whether to go on.
///
/// # Errors
/// If the film cannot look like this, a frame cannot be read, or the file cannot be written. What was there before then stays.
pub fn write(
    film: &Film,
    look: &Look,
    path: &Path,
    clip: &Clip,
    proceed: &dyn Fn(usize, usize) -> bool,
) -> Result<Ending> {
    let mut look = look.clone();
    if clip.format == Format::Mp4 {
        look.size = look.size.map(|side| side.next_multiple_of(2));
    }
    if clip.format == Format::Gif && clip.tempo.fps > MOST_FPS {
        return Err(Error::Request(format!("a GIF can show at most {MOST_FPS} pictures a second")));
    }
    let renderer = Renderer::new(film, &look)?;
    let shots = clip.tempo.shots(renderer.times())?;
    let mut encoder = encoder(&renderer, &shots, clip, Draft::new(path)?)?;
    for (done, shot) in shots.iter().enumerate() {
        if !proceed(done, shots.len()) {
            return Ok(Ending::Stopped);
        }
        encoder.add(&renderer.picture(shot.frame)?, shot.ticks)?;
    }
    encoder.finish()?;
    Ok(Ending::Complete)
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
