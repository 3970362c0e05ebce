//! Adds many small terms to an array in their order, on any number of threads.

use std::cell::Cell;
use std::ops::{AddAssign, Range};

use bytemuck::Pod;

use crate::threads;

/// Items that a task computes at a time.
const CHUNK: usize = 256;

/// Numbers that wait to be added at a time, about: they should stay in the cache.
const WAITING: usize = 1 << 18;

/// Neighbouring entries of the array that the same task adds to, as a power of two: few, so that terms which are close
/// to each other, as those of a sorted list are, give work to all tasks.
const STRIPE: u32 = 6;

/// The most tasks that add.
const MAX_OWNERS: usize = 64;

/// What a term is made of: numbers.
pub(super) trait Entry: Pod + AddAssign + Send + Sync {}

impl<T: Pod + AddAssign + Send + Sync> Entry for T {}

/// Where the terms of some items go.
pub(super) enum Sink<'a, E> {
    /// Into the array.
    Direct(&'a mut [E]),
    /// To the tasks that own its parts.
    Queued(&'a mut [Queue]),
}

impl<E: Entry> Sink<'_, E> {
    /// Adds `value` to an entry.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn add(&mut self, place: u32, value: &E) {
        match self {
            Self::Direct(out) => out[place as usize] += *value,
            Self::Queued(queues) => {
                let owner = (place >> STRIPE) as usize & (queues.len() - 1);
                queues[owner].places.push(place);
                queues[owner].numbers.extend_from_slice(bytemuck::cast_slice(std::slice::from_ref(value)));
            }
        }
    }
}

/// Terms for one owner, in their order.
#[derive(Default)]
pub(super) struct Queue {
    places: Vec<u32>,
    numbers: Vec<f64>,
}

thread_local! {
    /// Queues of earlier sums: fresh memory costs more than the sums.
    static QUEUES: Cell<Vec<Queue>> = const { Cell::new(Vec::new()) };
}

/// The stripes of an array that one task adds to: every `owners`-th.
struct Owned<'a, E> {
    stripes: Vec<&'a mut [E]>,
    shift: u32,
}

impl<E: Entry> Owned<'_, E> {
    fn add(&mut self, queue: &Queue) {
        let values: &[E] = bytemuck::cast_slice(&queue.numbers);
        for (&place, value) in queue.places.iter().zip(values) {
            let inside = place as usize & ((1 << STRIPE) - 1);
            self.stripes[(place >> self.shift) as usize][inside] += *value;
        }
    }
}

fn share<E>(out: &mut [E], owners: usize) -> Vec<Owned<'_, E>> {
    let shift = STRIPE + owners.trailing_zeros();
    let mut all: Vec<_> = (0..owners).map(|_| Owned { stripes: Vec::new(), shift }).collect();
    for (k, stripe) in out.chunks_mut(1 << STRIPE).enumerate() {
        all[k % owners].stripes.push(stripe);
    }
    all
}

/// Adds the terms of `count` items, at most `terms` each, to `out`; `fill` computes those of a range of items.
///
/// Every entry of `out` gets its terms one by one in the order of the items: the bits are the same for any number of
/// threads. One thread adds at once. Several compute a batch of items, each term into the queue of the task that owns its
/// place, and then each task adds what is its own.
pub(super) fn add<E: Entry>(
    count: usize,
    terms: usize,
    out: &mut [E],
    fill: &(dyn Fn(Range<usize>, &mut Sink<'_, E>) + Sync),
) {
    let owners = threads::count().next_power_of_two().min(MAX_OWNERS);
    if owners == 1 || count <= CHUNK {
        return fill(0..count, &mut Sink::Direct(out));
    }
    let numbers = terms * size_of::<E>() / size_of::<f64>();
    let chunks = (WAITING / (numbers.max(1) * CHUNK)).clamp(2 * owners, 1 << 10);
    let mut queues = QUEUES.take();
    queues.resize_with(queues.len().max(chunks * owners), Queue::default);
    let mut owned = share(out, owners);
    let mut done = 0;
    while done < count {
        let batch = done..count.min(done + chunks * CHUNK);
        let used = batch.len().div_ceil(CHUNK) * owners;
        compute(batch.clone(), &mut queues[..used], owners, fill);
        let all = &queues[..used];
        let tasks: Vec<_> = owned.iter_mut().collect();
        threads::for_each(tasks, &|owner, owned| {
            for queue in all.iter().skip(owner).step_by(owners) {
                owned.add(queue);
            }
        });
        done = batch.end;
    }
    QUEUES.set(queues);
}

/// Computes a batch, the terms of each chunk of it into its own queues.
fn compute<E: Entry>(
    batch: Range<usize>,
    queues: &mut [Queue],
    owners: usize,
    fill: &(dyn Fn(Range<usize>, &mut Sink<'_, E>) + Sync),
) {
    threads::for_each(queues.chunks_mut(owners).collect(), &|chunk, queues| {
        for queue in &mut *queues {
            queue.places.clear();
            queue.numbers.clear();
        }
        let start = batch.start + chunk * CHUNK;
        fill(start..batch.end.min(start + CHUNK), &mut Sink::Queued(queues));
    });
}
