//! A page that plays a film in a browser: one HTML file that needs no server, no network and no other file.
//!
//! ```no_run
//! use std::path::Path;
//! use stiction_view::film::{Film, Frame, Scenery};
//! use stiction_view::page;
//!
//! # fn scenery() -> Scenery { Scenery::default() }
//! # fn frames() -> Vec<Frame> { vec![Frame::default()] }
//! let film = Film::new(scenery(), Box::new(frames()))?;
//! let size = page::write(&film, Path::new("out/view.html"), page::Options::default(), &|_, _| true)?;
//! println!("{} of {} frames, {} bytes", size.frames, size.film_frames, size.bytes);
//! # Ok::<(), stiction_view::error::Error>(())
//! ```
//!
//! The film is read twice, one frame at a time: first for the ranges of all numbers, then to write them. Numbers become integers (see `survey`),
//! integers differences to what the frames before let expect (see `ints`), and these are compressed (see `pack`). Blocks of [`CHUNK`] frames can be
//! decoded alone, so that the page begins at once and jumps anywhere. The player is in `viewer/`; `page/bundle.html` is what its build writes.

mod ints;
mod pack;
mod survey;
mod curves;
mod header;
mod blocks;
#[cfg(test)]
mod decode;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::Path;

use crate::draft::DraftFile;
use crate::error::{Error, Result};
use crate::film::{Film, kept};
use crate::progress::{Progress, complete, report};

use blocks::Blocks;
use survey::Survey;

/// Frames that are encoded together: a frame needs those before it in its chunk, and no others.
pub const CHUNK: usize = 16;

/// The player, with a mark where the title belongs and one where the film does.
const BUNDLE: &str = include_str!("page/bundle.html");
const TITLE_MARK: &str = "<!--stiction:title-->";
const FILM_MARK: &str = "<!--stiction:film-->";

/// Options of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Longer films are thinned evenly to so many frames; the page then says so. The first and the last frame stay; 1 leaves the first.
    pub max_frames: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_frames: 400 }
    }
}

/// What a page has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize {
    /// Size of the page in bytes.
    pub bytes: u64,
    /// Frames in the page.
    pub frames: usize,
    /// Frames in the film.
    pub film_frames: usize,
}

/// Writes the page of a film to a file.
///
/// # Errors
/// If the film cannot be read or contradicts itself, the file cannot be written, or the progress function says stop. What was there before then stays.
pub fn write(film: &Film, path: &Path, options: Options, progress: Progress<'_>) -> Result<PageSize> {
    let mut out = Counted { inner: DraftFile::create(path)?, bytes: 0 };
    let frames = write_to(film, &mut out, path, (options, progress))?;
    out.inner.finish()?;
    complete(progress, 2 * frames);
    Ok(PageSize { bytes: out.bytes, frames, film_frames: film.count() })
}

/// The page of a film as text, for notebooks: it also runs as the `srcdoc` of an `iframe`.
///
/// # Errors
/// If the film cannot be read or contradicts itself.
pub fn html(film: &Film, options: Options) -> Result<String> {
    let mut out = Vec::new();
    write_to(film, &mut out, Path::new("the page"), (options, &|_, _| true))?;
    String::from_utf8(out).map_err(|_| Error::Request("the page is not text".to_owned()))
}

/// Writes a page and returns how many frames it has.
fn write_to(
    film: &Film,
    out: &mut dyn Write,
    path: &Path,
    (options, progress): (Options, Progress<'_>),
) -> Result<usize> {
    let chosen = kept(film.count(), options.max_frames)?;
    let survey = Survey::of(film, &chosen, progress)?;
    let (head, body, tail) = parts_of_bundle()?;
    let at = |result: io::Result<()>| result.map_err(Error::at(path));
    at(out.write_all(head.as_bytes()))?;
    at(out.write_all(pack::text(&film.scenery.title).as_bytes()))?;
    at(out.write_all(body.as_bytes()))?;
    at(header::write(film, &survey, out))?;
    at(pack::block(out, "mesh", &blocks::mesh(&film.scenery)))?;
    at(pack::block(out, "curves", &curves::encode(&film.scenery)))?;
    for (index, part) in chosen.chunks(CHUNK).enumerate() {
        let mut blocks = Blocks::new(&film.scenery, &survey);
        for (done, frame) in part.iter().enumerate() {
            report(progress, chosen.len() + index * CHUNK + done, 2 * chosen.len())?;
            blocks.push(&film.frame(*frame)?);
        }
        at(blocks.write(out, index))?;
    }
    at(out.write_all(tail.as_bytes()))?;
    Ok(chosen.len())
}

/// The player before the title, between title and film, and after the film.
fn parts_of_bundle() -> Result<(&'static str, &'static str, &'static str)> {
    let parts = BUNDLE
        .split_once(TITLE_MARK)
        .and_then(|(head, rest)| rest.split_once(FILM_MARK).map(|(body, tail)| (head, body, tail)));
    parts.ok_or_else(|| Error::Request("the player was built without its marks".to_owned()))
}

/// Counts what is written.
struct Counted<W> {
    inner: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
