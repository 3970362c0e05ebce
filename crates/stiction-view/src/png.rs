//! Pictures as PNG files.

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::picture::Picture;

/// Writes a picture.
///
/// # Errors
/// If the file cannot be written. What was there before then stays.
pub fn write(picture: &Picture, path: &Path) -> Result<()> {
    let draft = Draft::new(path)?;
    encode(picture, BufWriter::new(draft.create()?)).map_err(error_at(path))?;
    draft.name()
}

/// The bytes of a PNG file.
///
/// # Errors
/// If the picture's size is none that PNG allows.
pub fn bytes(picture: &Picture) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    encode(picture, &mut out).map_err(error_at(Path::new("picture")))?;
    Ok(out)
}

fn encode(picture: &Picture, out: impl Write) -> std::result::Result<(), ::png::EncodingError> {
    let mut encoder = ::png::Encoder::new(out, picture.width, picture.height);
    encoder.set_color(::png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb(picture))?;
    writer.finish()
}

/// Red, green and blue of each pixel.
pub(crate) fn rgb(picture: &Picture) -> Vec<u8> {
    picture.rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

pub(crate) fn error_at(path: &Path) -> impl FnOnce(::png::EncodingError) -> Error {
    let path = path.to_owned();
    move |error| match error {
        ::png::EncodingError::IoError(source) => Error::File { path, source },
        other => Error::Request(format!("{}: {other}", path.display())),
    }
}
