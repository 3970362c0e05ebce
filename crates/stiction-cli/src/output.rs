//! The folder of a run: what is where in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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

    /// Makes the folders, and removes what an earlier run left of states and frames; anything else stays.
    ///
    /// # Errors
    /// If the disk does not let it.
    pub fn begin(&self) -> io::Result<()> {
        fs::create_dir_all(self.frames())?;
        // First of all: a run that is killed while it begins must not be resumed from a state of another.
        match fs::remove_file(self.state()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.keep_frames(|_| false)
    }

    /// Removes the frames, known by their names of digits, of all steps but some.
    ///
    /// # Errors
    /// If the disk does not let it.
    pub fn keep_frames(&self, keep: impl Fn(usize) -> bool) -> io::Result<()> {
        for entry in fs::read_dir(self.frames())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let digits = name.strip_suffix(".vtu").unwrap_or_default();
            let is_frame = digits.len() >= 6 && digits.bytes().all(|b| b.is_ascii_digit());
            let kept = digits.parse().is_ok_and(|step| keep(step) && path == self.frame(step));
            if is_frame && !kept {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    fn frames(&self) -> PathBuf {
        self.0.join("frames")
    }
}

/// The name of a frame, as the list of them has it.
pub fn frame_name(step: usize) -> String {
    format!("frames/{step:06}.vtu")
}
