//! Films as binary glTF 2.0 (`.glb`), which Blender, three.js and most other viewers load.
//!
//! Each thing is a node with a mesh and a material of its own, below a root node that turns the scene so that up is +y. Units are metres and seconds;
//! the first frame is at time 0.
//!
//! - What deforms has one morph target for each frame but the first. A frame is shown by the weight 1 of its target; between frames, vertices move in straight
//!   lines.
//! - What moves rigidly has an animated node and no targets: 28 bytes a frame instead of 12 for each vertex.
//! - What stands has neither.
//!
//! Positions are in single precision relative to the centre of the thing in the first frame: within 10⁻⁶ of its size plus the way that it goes. Where a
//! rigid thing is in later frames is in single precision relative to the origin of the film. Vertices that no triangle and no edge has are left out.
//!
//! Choices:
//! - No quantised positions (`KHR_mesh_quantization`): vertex attributes are aligned to 4 bytes, so that 16-bit targets save a third only, for an
//!   extension that readers must know.
//! - No normals: they would have to be morphed, too, which doubles the file. Viewers shade flat, as glTF asks.
//! - Rods are lines. A film does not know their radii, and tubes would multiply the vertices.

mod document;
mod part;
mod pose;

use std::path::Path;

use self::document::Document;
use self::part::Part;
use crate::draft::DraftFile;
use crate::error::{Error, Result};
use crate::film::{Film, kept};
use crate::progress::{Progress, complete, report};

/// Frames at most: each has a weight for each in the animation, and every viewer loads all targets at once.
const MOST: usize = 4096;

/// How to write a film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Frames at most. Of longer films, frames are taken at even distances, the first and the last among them; 1 gives a still of the first.
    pub max_frames: usize,
}

impl Default for Options {
    /// Blender becomes slow with some hundreds of shape keys.
    fn default() -> Self {
        Self { max_frames: 120 }
    }
}

/// Writes a film; returns how many of its frames are used. Reads each of them twice, one at a time.
///
/// # Errors
/// If there is nothing to draw, a frame cannot be read, times do not increase, the file would be longer than 4 GiB or cannot be written, or the progress
/// function says stop.
pub fn write(film: &Film, path: &Path, options: &Options, progress: Progress<'_>) -> Result<usize> {
    let kept = kept(film.count(), options.max_frames)?;
    check_count(kept.len())?;
    let survey = survey(film, &kept, progress)?;
    let document = Document::new(&film.scenery, &survey);
    let mut file = DraftFile::create(path)?;
    file.push(&document.head(kept.len())?)?;
    for (done, index) in kept.iter().enumerate().skip(1) {
        report(progress, kept.len() + done, 2 * kept.len())?;
        let points = film.frame(*index)?.points;
        for part in survey.parts.iter().filter(|part| part.deforms()) {
            file.push(&part.displacements(&points))?;
        }
    }
    file.finish()?;
    complete(progress, 2 * kept.len());
    Ok(kept.len())
}

fn check_count(frames: usize) -> Result<()> {
    if frames <= MOST {
        return Ok(());
    }
    let what = format!("{frames} frames are too many for viewers: set max_frames to {MOST} or fewer");
    Err(Error::Request(what))
}

/// What is known of a film when all its frames have been read once.
struct Survey {
    /// Numbers of the frames.
    frames: Vec<usize>,
    /// Their times in s, from the first.
    times: Vec<f32>,
    /// The time of the first in s.
    start: f64,
    /// What is drawn.
    parts: Vec<Part>,
}

fn survey(film: &Film, kept: &[usize], progress: Progress<'_>) -> Result<Survey> {
    let first = film.frame(kept[0])?;
    let mut parts = Part::all(&film.scenery, &first.points)?;
    if parts.is_empty() {
        return Err(Error::Request("the film has neither triangles nor edges to write".to_owned()));
    }
    let mut times = vec![0.0];
    for (done, index) in kept.iter().enumerate().skip(1) {
        report(progress, done, 2 * kept.len())?;
        let frame = film.frame(*index)?;
        times.push(next_time(times[done - 1], frame.time - first.time, *index)?);
        for part in &mut parts {
            part.follow(&frame.points)?;
        }
    }
    Ok(Survey { frames: kept.to_vec(), times, start: first.time, parts })
}

/// A time in single precision, after the one before.
fn next_time(before: f32, time: f64, index: usize) -> Result<f32> {
    let rounded = time as f32;
    if rounded > before && rounded.is_finite() {
        return Ok(rounded);
    }
    let what = format!(
        "frame {index} is {time} s after the first, which is not after the frame before it; use fewer frames"
    );
    Err(Error::Film(what))
}
