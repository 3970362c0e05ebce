//! The folder of a run: what is where in it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use stiction_sim::io::FrameWriter;

use crate::error::Error;

/// The folder of results.
#[derive(Clone, Debug)]
pub struct Output(PathBuf);

impl Output {
    /// The results in this folder.
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// The table of steps.
    pub fn table(&self) -> PathBuf {
        self.0.join("steps.csv")
    }

    /// The picture.
    pub fn picture(&self) -> PathBuf {
        self.0.join("picture.svg")
    }

    /// The table of pairs.
    pub fn pairs(&self) -> PathBuf {
        self.0.join("pairs.csv")
    }

    /// A table in Parquet instead of CSV.
    pub fn columnar(table: &Path) -> PathBuf {
        table.with_extension("parquet")
    }

    /// The page.
    pub fn page(&self) -> PathBuf {
        self.0.join("view.html")
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// The last state that was saved, to go on from.
    pub fn state(&self) -> PathBuf {
        self.0.join("state.bin")
    }

    /// The scene whose state it is.
    pub fn scene(&self) -> PathBuf {
        self.0.join("state.toml")
    }

    /// The lock of a run that writes.
    pub fn lock(&self) -> PathBuf {
        self.0.join("run.lock")
    }

    /// Makes the folder.
    ///
    /// # Errors
    /// If the disk does not let it.
    pub fn make(&self) -> Result<(), Error> {
        fs::create_dir_all(&self.0).map_err(|source| Error::File { path: self.0.clone(), source })
    }

    /// Makes the folder ready for a new run with such frames: one with results is refused unless they are to be replaced. Then only what that run made is removed.
    ///
    /// # Errors
    /// If there are results that are to be kept, a file of somebody else has a name that the run needs, or the disk does not let it.
    pub fn begin<const D: usize>(&self, frames: &dyn FrameWriter<D>, overwrite: bool) -> Result<(), Error> {
        let tables = [self.table(), self.pairs()];
        let columnar = tables.each_ref().map(|table| Self::columnar(table));
        let own = [self.state(), self.scene(), frames.index_path(), self.picture(), self.page()];
        let made: Vec<PathBuf> = own.into_iter().chain(tables).chain(columnar).collect();
        if let Some(path) = made.iter().find(|path| path.exists()).filter(|_| !overwrite) {
            return Err(Error::Used { path: path.clone() });
        }
        let failed = |path: &Path| {
            let path = path.to_owned();
            |source| Error::File { path, source }
        };
        let known = self.known_frames(frames);
        let found = frames.found().map_err(failed(&frames.frame_path(0)))?;
        if let Some(step) = found.into_iter().find(|step| !known.contains(step)) {
            return Err(Error::InTheWay { path: frames.frame_path(step) });
        }
        // First of all: a run that is killed while it begins must not be resumed from a state of another.
        delete(&self.state()).map_err(failed(&self.state()))?;
        remove_frames(frames, |step| known.contains(&step))?;
        for path in &made {
            delete(path).map_err(failed(path))?;
        }
        Ok(())
    }

    /// The steps whose frames the run in this folder is known to have made: those in its index, and that of the last row of its table, which
    /// a run that was killed had begun but not yet listed.
    fn known_frames<const D: usize>(&self, frames: &dyn FrameWriter<D>) -> BTreeSet<usize> {
        let table = fs::read_to_string(self.table()).unwrap_or_default();
        let last = table.lines().skip(1).last().and_then(|row| row.split(',').next()?.parse().ok());
        frames.listed().into_iter().chain(last).collect()
    }
}

/// Removes the frames of some steps.
///
/// # Errors
/// If the disk does not let it.
pub fn remove_frames<const D: usize>(
    frames: &dyn FrameWriter<D>,
    remove: impl Fn(usize) -> bool,
) -> Result<(), Error> {
    let failed = |path: PathBuf| |source| Error::File { path, source };
    let found = frames.found().map_err(failed(frames.frame_path(0)))?;
    // The frame goes last: as long as it is there, somebody finds what is beside it.
    let files = |step: usize| frames.files(step).into_iter().rev();
    for path in found.into_iter().filter(|step| remove(*step)).flat_map(files) {
        delete(&path).map_err(failed(path))?;
    }
    Ok(())
}

/// Removes a file, if it is there.
fn delete(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
