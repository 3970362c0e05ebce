//! Bytes and text as parts of a page.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Writes bytes as a script of data that the player finds by its name: compressed, in base64.
pub fn block(out: &mut dyn Write, name: &str, bytes: &[u8]) -> io::Result<()> {
    let packed = deflated(bytes)?;
    write!(out, "<script type=\"application/octet-stream\" id=\"data-{name}\">")?;
    out.write_all(STANDARD.encode(packed).as_bytes())?;
    out.write_all(b"</script>\n")
}

/// Writes JSON as a script of data. No text in it can end the script: `<` is written as an escape.
pub fn json(out: &mut dyn Write, name: &str, json: &str) -> io::Result<()> {
    write!(out, "<script type=\"application/json\" id=\"data-{name}\">")?;
    out.write_all(json.replace('<', "\\u003c").as_bytes())?;
    out.write_all(b"</script>\n")
}

/// Text with nothing in it that HTML would understand as markup.
pub fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn deflated(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(bytes)?;
    encoder.finish()
}
