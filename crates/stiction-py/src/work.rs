//! Work that leaves the interpreter free.

use pyo3::Python;
use stiction::threads;

/// Surfaces with fewer vertices are done sooner than other threads wake up.
const FEW: usize = 500;

/// What `f` makes of a surface with so many vertices, with the interpreter free for others.
pub fn detached<R: Send>(py: Python<'_>, vertices: usize, f: impl FnOnce() -> R + Send) -> R {
    py.detach(|| if vertices < FEW { threads::alone(f) } else { f() })
}
