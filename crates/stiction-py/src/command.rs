//! The command line.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;

use crate::interrupt::watched;

/// The command line `stiction`: runs `args`, of which the first is the program's name, prints to the terminal and returns the exit code.
///
/// 0: done, 1: failed, 2: not understood, 130: interrupted by Ctrl-C; the results so far are kept.
#[pyfunction]
pub fn main(py: Python<'_>, args: Vec<OsString>) -> PyResult<u8> {
    let stop = Arc::new(AtomicBool::new(false));
    let (code, raised) = watched(py, &stop, || stiction_cli::main_until(args, &stop));
    match raised {
        // An interrupted run says so itself, by its exit code.
        Some(error) if code != INTERRUPTED => Err(error),
        _ => Ok(code),
    }
}

const INTERRUPTED: u8 = 130;
