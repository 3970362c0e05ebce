//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A film that contradicts itself, such as a triangle of a vertex that does not exist.
    #[error("the film is wrong: {0}")]
    Film(String),
    /// Something that was asked for cannot be done.
    #[error("{0}")]
    Request(String),
    /// The caller's progress function said so.
    #[error("stopped before the end, on request")]
    Stopped,
}

/// A result with an [`Error`] of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Names the file that an input or output error is about.
    pub fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::File { path, source }
    }
}
