//! Items with the same key, brought together.

use crate::threads;

/// Something with a key, of which items with the same are brought together.
pub(super) trait Keyed: Copy + Send + Sync + Default {
    /// The pair it is about: two numbers, the first in the high half.
    fn key(&self) -> u64;

    /// The order among items with the same key.
    fn rank(&self) -> u64;
}

/// Two numbers as a key, which orders by the first, then by the second.
#[inline]
pub(super) fn pair_key(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// The two numbers of a key.
#[inline]
pub(super) fn pair_of(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

/// Buckets that a task handles.
const BUCKETS: usize = 512;

/// Items dealt out by the first number of their key, buckets in ascending order.
struct Dealt<T> {
    items: Vec<T>,
    /// Where each bucket starts, and the end.
    starts: Vec<u32>,
}

impl<T: Keyed> Dealt<T> {
    /// Buckets are runs of 2ᵏ first numbers, at most as many as items.
    fn new(lists: &[Vec<T>]) -> Self {
        let count: usize = lists.iter().map(Vec::len).sum();
        let last = lists.iter().flatten().map(|item| item.key() >> 32).max().unwrap_or(0);
        let shift = 32 + (0..32).find(|k| (last >> k) as usize <= count).unwrap_or(32);
        let mut starts = vec![0_u32; (last >> (shift - 32)) as usize + 2];
        for list in lists {
            for item in list {
                starts[(item.key() >> shift) as usize + 1] += 1;
            }
        }
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        let mut next = starts.clone();
        let mut dealt = vec![T::default(); count];
        for list in lists {
            for item in list {
                let next = &mut next[(item.key() >> shift) as usize];
                dealt[*next as usize] = *item;
                *next += 1;
            }
        }
        Self { items: dealt, starts }
    }

    /// [`BUCKETS`] buckets at a time.
    fn tasks(&mut self) -> Vec<Task<'_, T>> {
        let mut rest = &mut self.items[..];
        let last = self.starts.len() - 1;
        let mut tasks = Vec::with_capacity(last.div_ceil(BUCKETS));
        for first in (0..last).step_by(BUCKETS) {
            let starts = &self.starts[first..=last.min(first + BUCKETS)];
            let length = (starts[starts.len() - 1] - starts[0]) as usize;
            let (items, tail) = std::mem::take(&mut rest).split_at_mut(length);
            tasks.push(Task { items, starts });
            rest = tail;
        }
        tasks
    }
}

/// The items of some buckets.
struct Task<'a, T> {
    items: &'a mut [T],
    /// Where each bucket starts among all items, and the end.
    starts: &'a [u32],
}

/// Calls `f` for the items of every key, in ascending order of keys, with what the results are gathered in: one gatherer
/// for some keys, the next for those that follow. Items of a key come in the order of their rank, and those of the same
/// rank in the order of the lists: so nothing depends on the number of threads.
pub(super) fn by_key<T: Keyed, R: Default + Send>(
    lists: &[Vec<T>],
    f: &(dyn Fn(&[T], &mut R) + Sync),
) -> Vec<R> {
    let mut dealt = Dealt::new(lists);
    let tasks = dealt.tasks();
    let mut results: Vec<R> = tasks.iter().map(|_| R::default()).collect();
    let parts: Vec<_> = tasks.into_iter().zip(&mut results).collect();
    threads::for_each(parts, &|_, (task, result)| {
        for ends in task.starts.windows(2) {
            let [start, end] = [ends[0], ends[1]].map(|place| (place - task.starts[0]) as usize);
            let items = &mut task.items[start..end];
            if items.len() > 1 {
                items.sort_by_key(|item| (item.key(), item.rank()));
            }
            items.chunk_by(|a, b| a.key() == b.key()).for_each(|same| f(same, result));
        }
    });
    results
}

/// Lists one behind the other.
pub(super) fn joined<T>(lists: Vec<Vec<T>>) -> Vec<T> {
    let mut out = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    for mut list in lists {
        out.append(&mut list);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Default, Debug, PartialEq)]
    struct Item(u64, u64);

    impl Keyed for Item {
        fn key(&self) -> u64 {
            self.0
        }

        fn rank(&self) -> u64 {
            self.1
        }
    }

    #[test]
    fn equal_keys_come_together_in_order() {
        for spread in [1, 50, 3_000_000_000] {
            let mut items = Vec::new();
            for k in 0..5000_u32 {
                let (a, b) = (k.wrapping_mul(2_654_435_761) % spread, k.wrapping_mul(40_503) % 20);
                items.push(Item(pair_key(a, b), u64::from(k % 3)));
            }
            let lists: Vec<_> = items.chunks(300).map(<[_]>::to_vec).collect();
            let groups = by_key(&lists, &|same: &[Item], out: &mut Vec<Vec<Item>>| out.push(same.to_vec()));
            let groups = joined(groups);
            assert!(groups.windows(2).all(|two| two[0][0].0 < two[1][0].0));
            items.sort_by_key(|item| (item.0, item.1));
            assert_eq!(groups.concat(), items);
        }
        let none = by_key(&[], &|_: &[Item], out: &mut Vec<u32>| out.push(1));
        assert!(joined(none).is_empty());
    }
}
