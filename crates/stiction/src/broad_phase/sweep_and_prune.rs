//! Boxes in the order of their lower sides along one axis: only boxes whose intervals overlap are compared.

use super::group::{Boxed, Group, Places, Rule, exchanged, numbered, places, sorted_places};
use crate::threads;

/// The pairs of a group with itself. Cost: n log n and the pairs that overlap along the axis.
pub(super) fn within<const D: usize, const N: usize>(
    group: &Group<'_, D, N>,
    rule: Rule<'_>,
) -> Vec<(u32, u32)> {
    let axis = longest_axis(&[group.spread()]);
    let items = sorted(group, axis);
    let found = threads::in_chunks(items.len(), &|range| {
        let mut out = Vec::new();
        for i in range {
            sweep(&items[i], &items[i + 1..], axis, rule, |other| {
                out.push(sorted_places(items[i].place, other.place));
            });
        }
        out
    });
    numbered(found, group, group)
}

/// The pairs of two groups. Cost: as [`within`].
pub(super) fn between<const D: usize, const N: usize, const M: usize>(
    first: &Group<'_, D, N>,
    second: &Group<'_, D, M>,
    rule: Rule<'_>,
) -> Vec<(u32, u32)> {
    let axis = longest_axis(&[first.spread(), second.spread()]);
    let (a, b) = (sorted(first, axis), sorted(second, axis));
    // Each pair once: found from the box that begins first, from `a` where both begin together.
    let mut found = one_way(&a, &b, axis, rule, true);
    found.extend(exchanged(one_way(&b, &a, axis, rule, false)));
    numbered(found, first, second)
}

/// The pairs of an item and another that begins within it, or also with it if `ties`.
fn one_way<const D: usize, const N: usize, const M: usize>(
    items: &[Boxed<D, N>],
    others: &[Boxed<D, M>],
    axis: usize,
    rule: Rule<'_>,
    ties: bool,
) -> Vec<Vec<Places>> {
    threads::in_chunks(items.len(), &|range| {
        let mut out = Vec::new();
        for item in &items[range] {
            let begin = item.aabb.low()[axis];
            let before = |other: &Boxed<D, M>| {
                let low = other.aabb.low()[axis];
                if ties { low < begin } else { low <= begin }
            };
            let rest = &others[others.partition_point(before)..];
            sweep(item, rest, axis, rule, |other| out.push(places(item.place, other.place)));
        }
        out
    })
}

/// Calls `visit` for those of `rest` that may touch the item; `rest` is sorted and begins within the item.
fn sweep<const D: usize, const N: usize, const M: usize>(
    item: &Boxed<D, N>,
    rest: &[Boxed<D, M>],
    axis: usize,
    rule: Rule<'_>,
    mut visit: impl FnMut(&Boxed<D, M>),
) {
    let end = item.aabb.high()[axis];
    for other in rest.iter().take_while(|other| other.aabb.low()[axis] <= end) {
        if rule.may_touch(item, other) {
            visit(other);
        }
    }
}

fn sorted<const D: usize, const N: usize>(group: &Group<'_, D, N>, axis: usize) -> Vec<Boxed<D, N>> {
    let mut items = group.items();
    items.sort_unstable_by(|a, b| {
        let (low, other) = (a.aabb.low()[axis], b.aabb.low()[axis]);
        low.total_cmp(&other).then(a.place.cmp(&b.place))
    });
    items
}

/// The axis along which the boxes are spread most.
fn longest_axis<const D: usize>(spreads: &[[f64; D]]) -> usize {
    let total = |k: usize| spreads.iter().map(|spread| spread[k]).sum::<f64>();
    (1..D).fold(0, |best, k| if total(k) > total(best) { k } else { best })
}

impl<const D: usize, const N: usize> Group<'_, D, N> {
    /// The variance of the middles of the boxes along each axis, in units of the whole group's longest side squared.
    fn spread(&self) -> [f64; D] {
        let count = self.len() as f64;
        let whole = (0..self.len()).fold(super::Aabb::EMPTY, |whole, place| whole.union(&self.aabb(place)));
        let unit = whole.half_extent().max(f64::MIN_POSITIVE);
        let middle = |place: usize, k: usize| self.aabb(place).center()[k] / unit;
        std::array::from_fn(|k| {
            let mean = (0..self.len()).map(|place| middle(place, k) / count).sum::<f64>();
            (0..self.len()).map(|place| (middle(place, k) - mean).powi(2) / count).sum()
        })
    }
}
