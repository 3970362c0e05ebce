//! Files that get their name when they are whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A file under a temporary name: its own with `.part` behind it.
///
/// It is removed when it is dropped before [`Draft::finish`], so that an error leaves the file that was there before.
pub(crate) struct Draft {
    path: PathBuf,
    part: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Draft {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::create(&part).map_err(Error::at(&part))?;
        Ok(Self { path: path.to_owned(), part, file: Some(BufWriter::new(file)) })
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(bytes).map_err(Error::at(&self.part))
    }

    /// Gives the file its name. It does not wait for the disk: what is written here can be made again from the film.
    ///
    /// # Errors
    /// If the rest cannot be written, or the file not renamed.
    pub(crate) fn finish(mut self) -> Result<()> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let done = file.flush().and_then(|()| fs::rename(&self.part, &self.path));
        done.map_err(|source| self.give_up(source))
    }

    fn give_up(&self, source: io::Error) -> Error {
        // The first error is the one to tell; a part that cannot be removed either is no news.
        let _ = fs::remove_file(&self.part);
        Error::at(&self.path)(source)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = fs::remove_file(&self.part);
        }
    }
}
