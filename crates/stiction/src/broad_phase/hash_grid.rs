//! Boxes entered into every cell of a uniform grid that they meet; the entries, sorted by cell, bring together what
//! is near.
//!
//! A pair that meets in several cells counts in one: that of the larger of the two lower corners. Boxes that would
//! fill many cells are kept apart and compared with all others, so memory stays linear in the number of boxes.

use super::group::{Boxed, Group, Places, Rule, numbered, places, sorted_places};
use super::{Aabb, aabb::bounded};
use crate::threads;

/// Bits of a cell's coordinate: three of them fit into a key.
const BITS: u32 = 20;

/// Cells that a box may fill.
const MOST: u64 = 64;

/// A cell by its coordinates.
type Cell<const D: usize> = [u64; D];

/// Cells of the same size along all axes, unless an axis is too long for that.
struct Grid<const D: usize> {
    /// Half the lower corner and half the sides of a cell, in m: halves, because differences may overflow.
    low: [f64; D],
    side: [f64; D],
}

impl<const D: usize> Grid<D> {
    /// A grid over the boxes, with cells twice as large as the given half side, in m.
    fn new(whole: &Aabb<D>, half_side: f64) -> Self {
        let low = whole.low().0.map(|x| bounded(x) * 0.5);
        let high = whole.high().0.map(|x| bounded(x) * 0.5);
        let least = |k: usize| (high[k] - low[k]) / f64::from((1_u32 << BITS) - 1);
        Self { low, side: std::array::from_fn(|k| half_side.max(least(k)).max(f64::MIN_POSITIVE)) }
    }

    /// The cell that a point is in; it never decreases with a coordinate.
    fn cell(&self, point: [f64; D]) -> Cell<D> {
        std::array::from_fn(|k| {
            let cell = ((bounded(point[k]) * 0.5 - self.low[k]) / self.side[k]) as i64;
            cell.clamp(0, (1 << BITS) - 1).unsigned_abs()
        })
    }

    fn key(cell: Cell<D>) -> u64 {
        cell.iter().fold(0, |key, coordinate| key << BITS | coordinate)
    }
}

/// A group entered into a grid.
struct Entered<const D: usize, const N: usize> {
    items: Vec<Boxed<D, N>>,
    /// The cell of every item's lower corner.
    lows: Vec<Cell<D>>,
    /// Cells and what is in them, ascending.
    entries: Vec<(u64, u32)>,
    /// What fills too many cells.
    large: Vec<u32>,
}

impl<const D: usize, const N: usize> Entered<D, N> {
    fn new(group: &Group<'_, D, N>, grid: &Grid<D>) -> Self {
        let items = group.items();
        let lows: Vec<_> = items.iter().map(|item| grid.cell(item.aabb.low().0)).collect();
        let (mut entries, mut large) = (Vec::new(), Vec::new());
        for (item, low) in items.iter().zip(&lows) {
            let high = grid.cell(item.aabb.high().0);
            let filled = (0..D).fold(1, |cells: u64, k| cells.saturating_mul(high[k] - low[k] + 1));
            if filled > MOST {
                large.push(item.place);
            } else {
                each_cell(*low, high, |cell| entries.push((Grid::key(cell), item.place)));
            }
        }
        entries.sort_unstable();
        Self { items, lows, entries, large }
    }

    /// The entries of a cell, as a range.
    fn of_cell(&self, key: u64) -> &[(u64, u32)] {
        let start = self.entries.partition_point(|entry| entry.0 < key);
        let length = self.entries[start..].partition_point(|entry| entry.0 == key);
        &self.entries[start..start + length]
    }
}

/// Calls `visit` for the cells from `low` to `high`.
fn each_cell<const D: usize>(low: Cell<D>, high: Cell<D>, mut visit: impl FnMut(Cell<D>)) {
    let mut cell = low;
    loop {
        visit(cell);
        let Some(k) = (0..D).find(|&k| cell[k] < high[k]) else { return };
        cell[..k].copy_from_slice(&low[..k]);
        cell[k] += 1;
    }
}

/// Whether the cell with this key is the one in which a pair counts.
fn counts_here<const D: usize>(key: u64, a: &Cell<D>, b: &Cell<D>) -> bool {
    Grid::<D>::key(std::array::from_fn(|k| a[k].max(b[k]))) == key
}

/// The box around a group, and the mean of half its boxes' longest sides, in m.
fn measure<const D: usize, const N: usize>(group: &Group<'_, D, N>) -> (Aabb<D>, f64) {
    let (mut whole, mut mean) = (Aabb::EMPTY, 0.0);
    for place in 0..group.len() {
        let aabb = group.aabb(place);
        whole = whole.union(&aabb);
        mean += aabb.half_extent() / group.len() as f64;
    }
    (whole, mean)
}

/// The pairs of a group with itself. Cost: n log n and the pairs in each cell; large boxes times all.
pub(super) fn within<const D: usize, const N: usize>(
    group: &Group<'_, D, N>,
    rule: Rule<'_>,
) -> Vec<(u32, u32)> {
    let (whole, half_side) = measure(group);
    let entered = Entered::new(group, &Grid::new(&whole, half_side));
    let Entered { items, lows, entries, large } = &entered;
    let pair = |a: u32, b: u32| rule.may_touch(&items[a as usize], &items[b as usize]);
    let mut found = threads::in_chunks(entries.len(), &|range| {
        let mut out = Vec::new();
        for at in range {
            let (key, a) = entries[at];
            for &(_, b) in entries[at + 1..].iter().take_while(|entry| entry.0 == key) {
                if counts_here(key, &lows[a as usize], &lows[b as usize]) && pair(a, b) {
                    out.push(sorted_places(a, b));
                }
            }
        }
        out
    });
    // Of two large ones the first in the list counts.
    let met = |a: u32, b: u32| pair(a, b) && (b > a || large.binary_search(&b).is_err());
    found.extend(against_all(large, items.len(), &|a, b| met(a, b).then(|| sorted_places(a, b))));
    numbered(found, group, group)
}

/// The pairs of two groups. Cost: as [`within`].
pub(super) fn between<const D: usize, const N: usize, const M: usize>(
    first: &Group<'_, D, N>,
    second: &Group<'_, D, M>,
    rule: Rule<'_>,
) -> Vec<(u32, u32)> {
    let ((a_whole, a_half), (b_whole, b_half)) = (measure(first), measure(second));
    let grid = Grid::new(&a_whole.union(&b_whole), a_half.max(b_half));
    let (a, b) = (Entered::new(first, &grid), Entered::new(second, &grid));
    let pair = |i: u32, j: u32| rule.may_touch(&a.items[i as usize], &b.items[j as usize]);
    let mut found = threads::in_chunks(a.entries.len(), &|range| {
        let (mut out, mut here) = (Vec::new(), (u64::MAX, [].as_slice()));
        for &(key, i) in &a.entries[range] {
            if key != here.0 {
                here = (key, b.of_cell(key));
            }
            for &(_, j) in here.1 {
                if counts_here(key, &a.lows[i as usize], &b.lows[j as usize]) && pair(i, j) {
                    out.push(places(i, j));
                }
            }
        }
        out
    });
    found.extend(against_all(&a.large, b.items.len(), &|i, j| pair(i, j).then(|| places(i, j))));
    let rest = |i: u32, j: u32| a.large.binary_search(&i).is_err() && pair(i, j);
    found.extend(against_all(&b.large, a.items.len(), &|j, i| rest(i, j).then(|| places(i, j))));
    numbered(found, first, second)
}

/// What `pair` makes of every large item with every other.
fn against_all(
    large: &[u32],
    count: usize,
    pair: &(dyn Fn(u32, u32) -> Option<Places> + Sync),
) -> Vec<Vec<Places>> {
    threads::in_chunks_of(16, large.len(), &|range| {
        let others = |&a: &u32| (0..count as u32).filter_map(move |b| pair(a, b));
        large[range].iter().flat_map(others).collect()
    })
}
