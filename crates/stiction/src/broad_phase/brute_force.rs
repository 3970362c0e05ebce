//! Every box against every other: the yardstick for faster methods.

use super::group::{Group, Rule};
use crate::threads;

/// The pairs of a group with itself. Cost: all pairs of boxes.
pub(super) fn within<const D: usize, const N: usize>(
    group: &Group<'_, D, N>,
    rule: Rule<'_>,
) -> Vec<(u32, u32)> {
    let items = group.items();
    threads::collect(items.len(), &|range| {
        let mut out = Vec::new();
        for i in range {
            let others = items[i + 1..].iter().filter(|other| rule.may_touch(&items[i], other));
            out.extend(others.map(|other| (group.number(i as u32), group.number(other.place))));
        }
        out
    })
}

/// The pairs of two groups. Cost: all pairs of boxes.
pub(super) fn between<const D: usize, const N: usize, const M: usize>(
    first: &Group<'_, D, N>,
    second: &Group<'_, D, M>,
    rule: Rule<'_>,
) -> Vec<(u32, u32)> {
    let others = second.items();
    threads::collect(first.len(), &|range| {
        let mut out = Vec::new();
        for place in range {
            let item = first.item(place);
            let near = others.iter().filter(|other| rule.may_touch(&item, other));
            out.extend(near.map(|other| (first.number(item.place), second.number(other.place))));
        }
        out
    })
}
