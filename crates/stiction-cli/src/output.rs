//! The folder of a run: what is where in it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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

    /// The list of frames for ParaView.
    pub fn series(&self) -> PathBuf {
        self.0.join("frames.pvd")
    }

    /// The picture.
    pub fn picture(&self) -> PathBuf {
        self.0.join("picture.svg")
    }

    /// The last state that was saved, to go on from.
    pub fn state(&self) -> PathBuf {
        self.0.join("state.bin")
    }

    /// The scene whose state it is.
    pub fn scene(&self) -> PathBuf {
        self.0.join("state.toml")
    }

    /// The frame after a step.
    pub fn frame(&self, step: usize) -> PathBuf {
        self.0.join(frame_name(step))
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

    /// Makes the folder ready for a new run: one with results is refused unless they are to be replaced. Then only what that run made is removed.
    ///
    /// # Errors
    /// If there are results that are to be kept, a file of somebody else has a name that the run needs, or the disk does not let it.
    pub fn begin(&self, overwrite: bool) -> Result<(), Error> {
        let made = [self.state(), self.scene(), self.table(), self.series(), self.picture()];
        if let Some(path) = made.iter().find(|path| path.exists()).filter(|_| !overwrite) {
            return Err(Error::Used { path: path.clone() });
        }
        let failed = |path: &Path| {
            let path = path.to_owned();
            |source| Error::File { path, source }
        };
        let (steps, frames) = (self.made_frames(), self.frames());
        fs::create_dir_all(&frames).map_err(failed(&frames))?;
        let numbered = self.numbered().map_err(failed(&frames))?;
        if let Some((_, path)) = numbered.into_iter().find(|(step, _)| !steps.contains(step)) {
            return Err(Error::InTheWay { path });
        }
        // First of all: a run that is killed while it begins must not be resumed from a state of another.
        remove(&self.state()).map_err(failed(&self.state()))?;
        self.remove_frames(|step| steps.contains(&step)).map_err(failed(&self.frames()))?;
        for path in &made {
            remove(path).map_err(failed(path))?;
        }
        Ok(())
    }

    /// The steps whose frames the run in this folder is known to have made: those in its list, and that of the last row of its table, which a
    /// run that was killed had begun but not yet listed.
    fn made_frames(&self) -> BTreeSet<usize> {
        let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
        let list = read(self.series());
        let names = list.split("file=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let listed = names.filter_map(|name| step_of(Path::new(name.strip_prefix("frames/")?)));
        let table = read(self.table());
        let last = table.lines().skip(1).last().and_then(|row| row.split(',').next()?.parse().ok());
        listed.chain(last).collect()
    }

    /// Removes the frames of some steps.
    ///
    /// # Errors
    /// If the disk does not let it.
    pub fn remove_frames(&self, remove: impl Fn(usize) -> bool) -> io::Result<()> {
        for (_, path) in self.numbered()?.into_iter().filter(|(step, _)| remove(*step)) {
            fs::remove_file(path)?;
        }
        Ok(())
    }

    /// Files with the names of frames, with their steps.
    fn numbered(&self) -> io::Result<Vec<(usize, PathBuf)>> {
        let mut out = Vec::new();
        let entries = match fs::read_dir(self.frames()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(out),
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            let name = Path::new(path.file_name().unwrap_or_default());
            out.extend(step_of(name).map(|step| (step, path.clone())));
        }
        out.sort();
        Ok(out)
    }

    fn frames(&self) -> PathBuf {
        self.0.join("frames")
    }
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The step of a frame with this name; none of other files.
fn step_of(name: &Path) -> Option<usize> {
    let step = name.to_str()?.strip_suffix(".vtu")?.parse().ok()?;
    (Path::new("frames").join(name) == Path::new(&frame_name(step))).then_some(step)
}

/// The name of a frame, as the list of them has it.
pub fn frame_name(step: usize) -> String {
    format!("frames/{step:06}.vtu")
}
