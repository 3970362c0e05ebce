//! Long work that Ctrl-C can end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use pyo3::prelude::*;

/// How long Ctrl-C may have to wait.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does `work` on a thread of its own, while this one leaves the interpreter free and looks for signals.
///
/// A signal handler that raises an exception, as that of Ctrl-C does, raises `stop`, which should make `work` end soon. Returns what `work`
/// returned, and the exception if there was one.
pub fn watched<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> (T, Option<PyErr>) {
    let done = Done { flag: Mutex::new(false), bell: Condvar::new() };
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _guard = Ring(&done);
            work()
        });
        let mut raised = None;
        while !py.detach(|| done.wait()) {
            if let Err(error) = py.check_signals() {
                stop.store(true, Ordering::Relaxed);
                raised = Some(error);
            }
        }
        (py.detach(|| joined(worker)), raised)
    })
}

/// What the thread returned; its panic goes on here.
fn joined<T>(worker: ScopedJoinHandle<'_, T>) -> T {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Whether the work is done, and a bell for those who wait for that.
struct Done {
    flag: Mutex<bool>,
    bell: Condvar,
}

impl Done {
    /// Waits for a while; whether the work is done.
    fn wait(&self) -> bool {
        let flag = self.flag.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.bell.wait_timeout_while(flag, PATIENCE, |done| !*done);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Rings the bell at the end, also that of a panic.
struct Ring<'a>(&'a Done);

impl Drop for Ring<'_> {
    fn drop(&mut self) {
        *self.0.flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.bell.notify_all();
    }
}
