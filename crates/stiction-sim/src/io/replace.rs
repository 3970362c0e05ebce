//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::error::{Error, Result};

/// Puts bytes into a file so that, whenever the process ends, it has either what it had before or all of the new.
///
/// They go into a file beside it first, with `.part` behind the name, and are on disk before it takes the name.
///
/// # Errors
/// If the file cannot be written; then the one before is still there.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    let part = Path::new(&name);
    let written = write(part, bytes).and_then(|()| fs::rename(part, path));
    written.map_err(|source| {
        // What is wrong has been found; a part that cannot be removed either is no news.
        let _ = fs::remove_file(part);
        Error::File { path: path.to_owned(), source }
    })
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
