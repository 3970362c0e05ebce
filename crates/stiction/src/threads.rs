//! Work in chunks of fixed size: the only place that knows threads.
//!
//! The chunks and the order of their results do not depend on the number of threads, so what is made of them has
//! the same bits for any number.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

/// Items a task handles; part of the bits of sums, so never a function of the number of threads.
const CHUNK: usize = 256;

/// More threads than this are refused: they cannot help, and to start them can stop the machine.
pub const MAX_COUNT: usize = 1024;

/// Forks of forks of forks that get threads of their own; processes beyond work alone, with the same results.
const GENERATIONS: usize = 32;

/// The threads of each generation of processes: those that [`set_count`] asked for. Without, the first generation uses
/// rayon's own, one for each core.
///
/// A child gets another entry than its parent, because a lock that some thread of the parent held at the fork stays
/// locked in the child for ever.
static POOLS: [RwLock<Option<Arc<ThreadPool>>>; GENERATIONS] = [const { RwLock::new(None) }; GENERATIONS];

/// How many forks lie between this process and the first one, or [`GENERATIONS`] if it has to work alone.
static GENERATION: AtomicUsize = AtomicUsize::new(0);

/// What [`set_count`] asked for last; 0 if it was never called.
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// From now on, work that starts outside a thread pool of rayon uses `count` threads; inside one, that pool is
/// used.
///
/// # Errors
/// If `count` is 0 or more than [`MAX_COUNT`], or the system refuses to start threads; the threads so far are kept.
pub fn set_count(count: usize) -> Result<()> {
    let refuse = |must| Error::BadParameter { name: "number of threads", value: count as f64, must };
    if count == 0 || count > MAX_COUNT {
        return Err(refuse("1 to 1024"));
    }
    if let Some(pool) = POOLS.get(generation()) {
        let new = ThreadPoolBuilder::new().num_threads(count).build();
        let new = new.map_err(|_| refuse("as many as the system can start"))?;
        *pool.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(new));
    }
    CHOSEN.store(count, Ordering::Relaxed);
    Ok(())
}

/// To be called in the child of a fork, before anything else of this crate: threads do not survive a fork, so the child
/// starts its own, as many as its parent was told to use, when it first needs them.
///
/// The Python package does this by itself.
pub fn after_fork() {
    // A fork out of one of the threads: rayon goes on to take this thread for one of a pool, whose others are gone.
    let next = if rayon::current_thread_index().is_some() { GENERATIONS } else { generation() + 1 };
    GENERATION.store(next.min(GENERATIONS), Ordering::Relaxed);
}

/// A number that changes at every [`after_fork`]: what was locked under another one may stay so for ever.
pub fn generation() -> usize {
    GENERATION.load(Ordering::Relaxed)
}

thread_local! {
    /// Whether this thread [works alone](work_alone).
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// From now on, this thread does by itself what is started in it, with the same results: for what goes on beside the work of others, whose threads
/// it leaves to them.
pub fn work_alone() {
    IS_ALONE.set(true);
}

/// Who works.
enum Workers {
    /// The caller alone.
    Caller,
    /// The pool of rayon that the caller is in, or rayon's own.
    Rayon,
    /// The threads of this process.
    Own(Arc<ThreadPool>),
}

impl Workers {
    fn here() -> Self {
        if IS_ALONE.get() {
            return Self::Caller;
        }
        let generation = generation();
        let Some(pool) = POOLS.get(generation) else { return Self::Caller };
        if rayon::current_thread_index().is_some() {
            return Self::Rayon;
        }
        let known = pool.read().unwrap_or_else(PoisonError::into_inner).clone();
        match known {
            Some(pool) => Self::Own(pool),
            None if generation == 0 => Self::Rayon,
            None => Self::of_child(pool),
        }
    }

    /// Starts the threads of a child, for which rayon's own are lost.
    fn of_child(pool: &RwLock<Option<Arc<ThreadPool>>>) -> Self {
        let mut pool = pool.write().unwrap_or_else(PoisonError::into_inner);
        if pool.is_none() {
            let count = CHOSEN.load(Ordering::Relaxed);
            *pool = ThreadPoolBuilder::new().num_threads(count).build().ok().map(Arc::new);
        }
        pool.clone().map_or(Self::Caller, Self::Own)
    }
}

/// The number of threads that work started here uses.
pub fn count() -> usize {
    // Without entering the pool, which wakes one of its threads.
    match Workers::here() {
        Workers::Caller => 1,
        Workers::Rayon => rayon::current_num_threads(),
        Workers::Own(pool) => pool.current_num_threads(),
    }
}

/// Whether work that starts here has no thread to share it with: then it is done at once, since to wake another thread and wait for it costs
/// some 20 µs.
fn is_alone() -> bool {
    count() == 1
}

/// Runs `f` inside the chosen threads, unless it is inside threads already.
fn inside<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    match Workers::here() {
        Workers::Own(pool) => pool.install(f),
        Workers::Rayon | Workers::Caller => f(),
    }
}

/// The results of `f` for ranges that together are `0..count`, in their order.
///
/// `f` is called through a pointer: for a chunk that costs nothing, and to compile the threads' machinery for every
/// kind of work doubles the time of a build.
pub fn in_chunks<R: Send>(count: usize, f: &(dyn Fn(Range<usize>) -> R + Sync)) -> Vec<R> {
    in_chunks_of(CHUNK, count, f)
}

/// Like [`in_chunks`], with another size of the chunks (0 counts as 1), which must not depend on the number of
/// threads either.
pub fn in_chunks_of<R: Send>(size: usize, count: usize, f: &(dyn Fn(Range<usize>) -> R + Sync)) -> Vec<R> {
    let size = size.max(1);
    if count <= size {
        return vec![f(0..count)];
    }
    let range = |chunk: usize| chunk * size..count.min((chunk + 1) * size);
    if is_alone() {
        return (0..count.div_ceil(size)).map(|chunk| f(range(chunk))).collect();
    }
    inside(|| (0..count.div_ceil(size)).into_par_iter().map(|chunk| f(range(chunk))).collect())
}

/// The lists that `f` makes for ranges that together are `0..count`, one behind the other.
pub fn collect<R: Send>(count: usize, f: &(dyn Fn(Range<usize>) -> Vec<R> + Sync)) -> Vec<R> {
    in_chunks(count, f).into_iter().flatten().collect()
}

/// Calls `f` for every part with its place in the list: parts that are written to, such as pieces of an array.
pub fn for_each<T: Send>(parts: Vec<T>, f: &(dyn Fn(usize, T) + Sync)) {
    for_each_of(usize::MAX, parts, f);
}

/// Like [`for_each`], where the parts have so many items together: a few are not worth another thread.
pub fn for_each_of<T: Send>(items: usize, parts: Vec<T>, f: &(dyn Fn(usize, T) + Sync)) {
    if parts.len() < 2 || items <= CHUNK || is_alone() {
        return parts.into_iter().enumerate().for_each(|(place, part)| f(place, part));
    }
    inside(|| parts.into_par_iter().enumerate().for_each(|(place, part)| f(place, part)));
}

/// The results of two pieces of work on so many items together, which may run at the same time.
pub fn join<A: Send, B: Send>(
    items: usize,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if items <= CHUNK || is_alone() {
        return (a(), b());
    }
    inside(|| rayon::join(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_everything_once_and_in_order() {
        for count in [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            assert_eq!(collect(count, &|range| range.collect::<Vec<_>>()), (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_number_of_threads_can_be_chosen_again_and_again() {
        for count in [1, 2, 1, 3] {
            set_count(count).unwrap();
            assert_eq!(super::count(), count);
            let inside = in_chunks(3 * CHUNK, &|_| rayon::current_thread_index().is_some());
            // One thread alone is the caller's.
            assert_eq!(inside, [count > 1; 3]);
            let (a, b) = join(3 * CHUNK, super::count, super::count);
            assert_eq!((a, b), (count, count));
        }
        let alone = std::thread::spawn(|| {
            work_alone();
            let inside = in_chunks(3 * CHUNK, &|_| rayon::current_thread_index().is_some());
            (super::count(), inside, join(3 * CHUNK, super::count, super::count))
        });
        assert_eq!((alone.join().unwrap(), super::count()), ((1, vec![false; 3], (1, 1)), 3));
        for count in [0, MAX_COUNT + 1, usize::MAX] {
            assert!(set_count(count).unwrap_err().to_string().contains("number of threads = "));
        }
        assert_eq!(super::count(), 3);
        // As in a child: other threads, and as many.
        let before = generation();
        after_fork();
        assert_eq!((generation(), super::count()), (before + 1, 3));
        assert_eq!(in_chunks(3 * CHUNK, &|_| rayon::current_thread_index().is_some()), [true; 3]);
        for _ in 0..GENERATIONS {
            after_fork();
        }
        assert_eq!((generation(), super::count()), (GENERATIONS, 1));
        assert_eq!(in_chunks(3 * CHUNK, &|_| rayon::current_thread_index().is_some()), [false; 3]);
    }
}
