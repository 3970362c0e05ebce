//! Every box against every other: the yardstick for faster methods.

use super::Boxed;
use crate::threads;

/// See [`super::BroadPhaseKind::pairs`]. Cost: all pairs of boxes.
pub(super) fn pairs<const D: usize, const N: usize, const M: usize>(
    first: &[Boxed<D, N>],
    second: &[Boxed<D, M>],
    same: bool,
) -> Vec<(u32, u32)> {
    threads::collect(first.len(), &|range| {
        let mut out = Vec::new();
        for i in range {
            let rest = if same { &second[i + 1..] } else { second };
            let others = rest.iter().filter(|other| first[i].may_touch(other));
            out.extend(others.map(|other| (first[i].number, other.number)));
        }
        out
    })
}
