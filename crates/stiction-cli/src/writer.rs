//! Writing while the next step is made.

use std::panic;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use stiction::threads;
use stiction_sim::error::Error as SimError;

use crate::error::Error;
use crate::journal::{Entry, Journal};

/// Steps whose results wait to be written: each may hold a state, so a disk that is slower than the steps must not let them pile up.
const WAITING: usize = 2;

/// What became of steps and of what they left.
#[derive(Debug)]
pub struct Written<R> {
    /// What the steps came to.
    pub steps: R,
    /// What is wrong with a frame. Its step is the last in the journal, whatever was made since.
    pub wrong: Option<SimError>,
}

/// Makes steps in this thread, which hands on what they leave, and writes that into the journal in another one, in its order.
///
/// All that was handed on is on disk when this returns, but for what came after a frame that is wrong, or after a file that cannot be written: from
/// then on nothing is taken any more, and the steps can end.
///
/// # Errors
/// If a file cannot be written, or there is no thread for it.
pub fn beside<const D: usize, R>(
    journal: &mut Journal<'_, D>,
    steps: impl FnOnce(SyncSender<Entry<D>>) -> R,
) -> Result<Written<R>, Error> {
    let (hand_on, entries) = sync_channel(WAITING);
    thread::scope(|scope| {
        let writer = thread::Builder::new().name("writer".to_owned());
        let writer = writer.spawn_scoped(scope, || write(journal, entries)).map_err(|_| Error::Threads(1))?;
        let steps = steps(hand_on);
        let wrong = writer.join().unwrap_or_else(|panic| panic::resume_unwind(panic))?;
        Ok(Written { steps, wrong })
    })
}

/// Writes until nothing comes any more, a frame is wrong or a file cannot be written. Who hands on learns of an end when the receiver is gone.
#[expect(clippy::needless_pass_by_value, reason = "it has to be gone in the end")]
fn write<const D: usize>(
    journal: &mut Journal<'_, D>,
    entries: Receiver<Entry<D>>,
) -> Result<Option<SimError>, Error> {
    // The threads are those of the steps.
    threads::work_alone();
    for entry in &entries {
        let wrong = journal.push(&entry)?;
        if wrong.is_some() {
            return Ok(wrong);
        }
    }
    Ok(None)
}
