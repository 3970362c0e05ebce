//! Progress reports, and requests to stop.

use crate::error::{Error, Result};

/// Called with the amount done and the amount there is, in the same order; `false` stops the work.
pub type Progress<'a> = &'a dyn Fn(usize, usize) -> bool;

/// Tells how far the work is.
///
/// # Errors
/// [`Error::Stopped`] if the work shall not go on.
pub(crate) fn report(progress: Progress<'_>, done: usize, total: usize) -> Result<()> {
    if progress(done, total) { Ok(()) } else { Err(Error::Stopped) }
}

/// Tells that the work is complete. The answer does not matter: there is nothing left to stop.
pub(crate) fn complete(progress: Progress<'_>, total: usize) {
    let _ = progress(total, total);
}
