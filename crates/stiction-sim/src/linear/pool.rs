//! Memory that is used again and again.

use std::sync::{Mutex, PoisonError};

/// Lists that are shorter than this are cheap to make.
const SHORT: usize = 4096;

/// Lists of numbers that were used before: for large ones, the system's memory is slow, above all when many threads ask for it.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Vec<Vec<f64>>>);

impl Pool {
    /// A list of so many numbers, whatever they are: the shortest that is at hand, unless it is more than twice as long.
    pub fn take(&self, len: usize) -> Vec<f64> {
        if len < SHORT {
            return vec![0.0; len];
        }
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = lists.partition_point(|list| list.len() < len);
        let found = lists.get(place).is_some_and(|list| list.len() <= 2 * len).then(|| lists.remove(place));
        drop(lists);
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
