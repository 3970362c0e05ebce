//! What can go wrong with a run.

use std::path::PathBuf;

use stiction_sim::error::Error as SimError;
use stiction_sim::scene::SceneError;

/// Why a run could not begin, or its results not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The scene is wrong.
    #[error("{}: {error}", path.display())]
    Scene {
        /// Which scene.
        path: PathBuf,
        /// What is wrong.
        error: SceneError,
    },
    /// The simulator cannot go on.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// Something cannot be shown.
    #[error(transparent)]
    View(#[from] stiction_view::error::Error),
    /// A file cannot be written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another run writes into the folder.
    #[error(
        "{}: another run (process {process}) is writing into this folder: wait for it, stop it or choose another folder",
        path.display()
    )]
    Busy {
        /// The lock.
        path: PathBuf,
        /// The number of its process.
        process: String,
    },
    /// The folder has the results of a run.
    #[error(
        "{}: this folder has the results of a run: --resume goes on with it, --overwrite replaces it, or choose \
         another folder",
        path.display()
    )]
    Used {
        /// A file of that run.
        path: PathBuf,
    },
    /// A file that no run is known to have made has the name of a result.
    #[error(
        "{}: this file is none of the run's in this folder, but would be replaced: move it away or choose another folder",
        path.display()
    )]
    InTheWay {
        /// The file.
        path: PathBuf,
    },
    /// There is no run to resume.
    #[error("{}: there is no state to resume from: begin anew with --overwrite instead of --resume", path.display())]
    NothingToResume {
        /// The file that is missing.
        path: PathBuf,
    },
    /// The run is beyond the end of the scene.
    #[error(
        "{}: the run is at step {step}, beyond the end of the scene at step {end}: make time.end larger, or begin anew \
         with --overwrite instead of --resume",
        path.display()
    )]
    BeyondEnd {
        /// The file with the state.
        path: PathBuf,
        /// Steps made.
        step: usize,
        /// Steps of the scene.
        end: usize,
    },
    /// The threads cannot be started.
    #[error("cannot start {0} threads")]
    Threads(u16),
}
