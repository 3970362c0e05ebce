//! Files that appear under their name only when they are complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A file that is being written beside the one that it will become. Without [`Draft::name`] it vanishes.
pub struct Draft {
    /// Where it is written.
    pub path: PathBuf,
    /// Where it will be.
    pub target: PathBuf,
}

impl Draft {
    /// A draft of a file.
    pub fn new(target: &Path) -> Result<Self> {
        let name = target
            .file_name()
            .ok_or_else(|| Error::Request(format!("\"{}\" is not the name of a file", target.display())))?;
        let name = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
        Ok(Self { path: target.with_file_name(name), target: target.to_owned() })
    }

    /// The file, empty.
    pub fn create(&self) -> Result<File> {
        File::create(&self.path).map_err(Error::at(&self.target))
    }

    /// Gives the file its name.
    pub fn name(&self) -> Result<()> {
        fs::rename(&self.path, &self.target).map_err(Error::at(&self.target))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After `name` there is none; otherwise nothing better can be done than to try.
        let _ = fs::remove_file(&self.path);
    }
}

/// A draft that is written from its beginning to its end.
pub struct DraftFile {
    draft: Draft,
    file: BufWriter<File>,
}

impl DraftFile {
    /// Begins a file.
    pub fn create(target: &Path) -> Result<Self> {
        let draft = Draft::new(target)?;
        Ok(Self { file: BufWriter::new(draft.create()?), draft })
    }

    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(Error::at(&self.draft.target))
    }

    /// Gives the file its name. It does not wait for the disk: what is written here can be made again.
    pub fn finish(mut self) -> Result<()> {
        self.file.flush().map_err(Error::at(&self.draft.target))?;
        self.draft.name()
    }
}

impl Write for DraftFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
