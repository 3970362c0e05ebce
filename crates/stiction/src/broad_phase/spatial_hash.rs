//! Boxes in a hash table of cells, of a size that suits each box.
//!
//! A box of half extent up to 2ˡ is entered at level l, whose cells have half sides of 2ˡ, so it meets at most two of
//! them along each axis. What is searched looks into the cells that it meets at its own and at all larger levels
//! that occur: a pair is found from its smaller box. Neither huge nor tiny boxes cost more than others, in time or
//! in memory.

use super::group::{Boxed, Group, Places, Rule, exchanged, numbered, places, sorted_places};
use super::{Aabb, aabb::bounded};
use crate::threads;

/// A cell by its coordinates at a level.
type Cell<const D: usize> = [i64; D];

/// The cells that a box meets at a level, by their first and last coordinates; it never shrinks with the box.
fn cells<const D: usize>(aabb: &Aabb<D>, level: i32) -> (Cell<D>, Cell<D>) {
    // Half coordinates over half sides. Beyond the range of numbers everything is in one cell.
    let half_side = 2_f64.powi(level);
    let cell = |x: f64| (bounded(x) * 0.5 / half_side).floor() as i64;
    (aabb.low().0.map(cell), aabb.high().0.map(cell))
}

/// The level of a box: the smallest at which it meets at most two cells along each axis.
fn level<const D: usize>(aabb: &Aabb<D>) -> i32 {
    let extent = aabb.half_extent().max(f64::MIN_POSITIVE);
    let mut level = extent.log2().ceil() as i32;
    let fits = |(low, high): (Cell<D>, Cell<D>)| (0..D).all(|k| high[k].saturating_sub(low[k]) <= 1);
    // Rounding may ask for one more.
    while !fits(cells(aabb, level)) {
        level += 1;
    }
    level
}

/// Calls `visit` for the cells that a box meets at a level.
fn each_cell<const D: usize>(aabb: &Aabb<D>, level: i32, mut visit: impl FnMut(Cell<D>)) {
    let (low, high) = cells(aabb, level);
    let mut cell = low;
    loop {
        visit(cell);
        let Some(k) = (0..D).find(|&k| cell[k] < high[k]) else { return };
        cell[..k].copy_from_slice(&low[..k]);
        cell[k] += 1;
    }
}

/// A group entered into a table.
struct Table<const D: usize, const N: usize> {
    items: Vec<Boxed<D, N>>,
    levels: Vec<i32>,
    /// The levels that occur, ascending.
    present: Vec<i32>,
    /// Where the entries of each slot start; one more than there are slots, whose number is a power of two.
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl<const D: usize, const N: usize> Table<D, N> {
    fn new(group: &Group<'_, D, N>) -> Self {
        let items = group.items();
        let levels: Vec<i32> = items.iter().map(|item| level(&item.aabb)).collect();
        let mut present = levels.clone();
        present.sort_unstable();
        present.dedup();
        let slots = (2 * items.len()).next_power_of_two();
        let (mut starts, mut placed) = (vec![0; slots + 1], Vec::new());
        for (item, &level) in items.iter().zip(&levels) {
            each_cell(&item.aabb, level, |cell| placed.push((slot(level, cell, slots) as u32, item.place)));
        }
        for &(slot, _) in &placed {
            starts[slot as usize + 1] += 1;
        }
        for slot in 0..slots {
            starts[slot + 1] += starts[slot];
        }
        let (mut next, mut entries) = (starts.clone(), vec![0; placed.len()]);
        for (slot, place) in placed {
            let next: &mut u32 = &mut next[slot as usize];
            entries[*next as usize] = place;
            *next += 1;
        }
        Self { items, levels, present, starts, entries }
    }

    /// The places of all items from level `least` on that may touch the given one, ascending, into `found`.
    fn near<const M: usize>(&self, item: &Boxed<D, M>, least: i32, rule: Rule<'_>, found: &mut Vec<u32>) {
        found.clear();
        let larger = &self.present[self.present.partition_point(|&level| level < least)..];
        for &level in larger {
            each_cell(&item.aabb, level, |cell| {
                let slot = slot(level, cell, self.starts.len() - 1);
                let entries = &self.entries[self.starts[slot] as usize..self.starts[slot + 1] as usize];
                let here = entries.iter().filter(|&&place| {
                    self.levels[place as usize] == level && rule.may_touch(item, &self.items[place as usize])
                });
                found.extend(here);
            });
        }
        // A pair may share several cells, and several cells a slot.
        found.sort_unstable();
        found.dedup();
    }
}

/// The slot of a cell: its coordinates mixed by multiplication with odd numbers.
fn slot<const D: usize>(level: i32, cell: Cell<D>, slots: usize) -> usize {
    let mut hash = u64::from(level.unsigned_abs());
    for coordinate in cell {
        hash = (hash ^ coordinate.cast_unsigned()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash as usize % slots
}

/// The pairs of a group with itself. Cost: n times the number of levels that occur, and the pairs in each cell.
pub(super) fn within<const D: usize, const N: usize>(
    group: &Group<'_, D, N>,
    rule: Rule<'_>,
) -> Vec<(u32, u32)> {
    let table = Table::new(group);
    let found = threads::in_chunks(table.items.len(), &|range| {
        let (mut out, mut near) = (Vec::new(), Vec::new());
        for item in &table.items[range] {
            let own = table.levels[item.place as usize];
            table.near(item, own, rule, &mut near);
            // Two of one level find each other twice.
            let once = |&&other: &&u32| table.levels[other as usize] > own || other > item.place;
            out.extend(near.iter().filter(once).map(|&other| sorted_places(item.place, other)));
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
    let (a, b) = threads::join(first.len() + second.len(), || Table::new(first), || Table::new(second));
    let mut found = one_way(&a, &b, 0, rule);
    found.extend(exchanged(one_way(&b, &a, 1, rule)));
    numbered(found, first, second)
}

/// The pairs of an item and another that is at least `above` levels larger.
fn one_way<const D: usize, const N: usize, const M: usize>(
    items: &Table<D, N>,
    others: &Table<D, M>,
    above: i32,
    rule: Rule<'_>,
) -> Vec<Vec<Places>> {
    threads::in_chunks(items.items.len(), &|range| {
        let (mut out, mut near) = (Vec::new(), Vec::new());
        for item in &items.items[range] {
            others.near(item, items.levels[item.place as usize] + above, rule, &mut near);
            out.extend(near.iter().map(|&other| places(item.place, other)));
        }
        out
    })
}
