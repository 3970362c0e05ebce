//! Memory that is used again and again.

use std::sync::{Mutex, PoisonError};

/// Lists that are shorter than this are cheap to make.
const SHORT: usize = 4096;

/// Lists of numbers that were used before: for large ones, the system's memory is slow, above all when many threads ask for it.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Vec<Vec<f64>>>);

impl Pool {
    /// A list of so many numbers, whatever they are: the shortest that is at hand, unless it is more than twice as long.
    ///
    /// A new one replaces the longest that is too short: lists that grow by a little each time leave none behind.
    pub fn take(&self, len: usize) -> Vec<f64> {
        if len < SHORT {
            return vec![0.0; len];
        }
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = lists.partition_point(|list| list.len() < len);
        let found = lists.get(place).is_some_and(|list| list.len() <= 2 * len).then(|| lists.remove(place));
        let short = if found.is_none() && place > 0 { Some(lists.remove(place - 1)) } else { None };
        drop(lists);
        drop(short);
        found.unwrap_or_else(|| vec![0.0; len])
    }

    /// Takes a list back.
    pub fn give(&self, list: Vec<f64>) {
        if list.len() >= SHORT {
            let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let place = lists.partition_point(|other| other.len() < list.len());
            lists.insert(place, list);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_are_too_short_make_room() {
        let pool = Pool::default();
        for len in SHORT..SHORT + 100 {
            let (one, other) = (pool.take(len), pool.take(2 * len + 1));
            assert!(one.len() >= len && other.len() > 2 * len);
            pool.give(one);
            pool.give(other);
        }
        let kept = pool.0.lock().unwrap();
        assert!(kept.len() <= 2 && kept.is_sorted_by_key(Vec::len));
        drop(kept);
        // Longer than asked for, but used again.
        let list = pool.take(SHORT + 90);
        assert!(list.len() > SHORT + 90 && pool.0.lock().unwrap().len() < 2);
    }
}
