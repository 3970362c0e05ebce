//! A lock that a fork cannot leave locked for ever.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use pyo3::PyResult;
use pyo3::exceptions::PyRuntimeError;
use stiction::threads;

/// How often a child looks again before it takes a lock for one that its parent held, and how long it waits each time.
const LOOKS: usize = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// A lock that is held while the interpreter is free for others: one of these may fork, and the child waits in vain for
/// the thread that held it.
#[derive(Default)]
pub struct Lock<T> {
    inner: Mutex<T>,
    /// The generation of processes that locked it last.
    holder: AtomicUsize,
}

impl<T> Lock<T> {
    pub fn new(value: T) -> Self {
        Self { inner: Mutex::new(value), holder: AtomicUsize::new(threads::generation()) }
    }

    /// Waits for the lock. Raises `RuntimeError` in a child of a fork whose parent held it.
    pub fn lock(&self) -> PyResult<MutexGuard<'_, T>> {
        let generation = threads::generation();
        for _ in 0..LOOKS {
            let guard = match self.inner.try_lock() {
                Ok(guard) => guard,
                Err(TryLockError::Poisoned(broken)) => broken.into_inner(),
                // Somebody of this process, who will be done one day.
                Err(TryLockError::WouldBlock) if self.holder.load(Ordering::Relaxed) == generation => {
                    self.inner.lock().unwrap_or_else(PoisonError::into_inner)
                }
                Err(TryLockError::WouldBlock) => {
                    thread::sleep(PAUSE);
                    continue;
                }
            };
            self.holder.store(generation, Ordering::Relaxed);
            return Ok(guard);
        }
        let message =
            "another thread was using this object when the process was forked: make a new one in the child";
        Err(PyRuntimeError::new_err(message))
    }
}
