//! A tree of boxes: near boxes are neighbours in the order of a space-filling curve, and boxes around runs of
//! neighbours, around runs of these and so on are tested before what is inside.
//!
//! Boxes come in blocks of [`WIDTH`] that are tested at once. What is searched is not one box but a block of
//! neighbours: the tree is descended once for all of them. The boxes of the tree are exact unions and the last
//! test is that of brute force, so the candidates are those of brute force.

use super::block::{Block, WIDTH, lanes};
use super::curve;
use super::group::{Boxed, Group, Places, Rule, numbered, places, sorted_places};
use crate::threads;

/// Blocks that a task searches for.
const CHUNK: usize = 64;

/// Primitives in the order of the curve, and boxes around them.
struct Tree<const D: usize, const N: usize> {
    items: Vec<Boxed<D, N>>,
    /// From the leaves to the root. Lane `l` of block `k` is the box of item `WIDTH k + l` in the first level, and
    /// around that block of the level below in the others.
    levels: Vec<Vec<Block<D>>>,
}

impl<const D: usize, const N: usize> Tree<D, N> {
    fn new(group: &Group<'_, D, N>) -> Self {
        let items: Vec<_> = curve::order(group).into_iter().map(|place| group.item(place as usize)).collect();
        let leaves: Vec<Block<D>> =
            items.chunks(WIDTH).map(|run| Block::new(run.iter().map(|item| item.aabb))).collect();
        let around = |level: &Vec<Block<D>>| -> Vec<Block<D>> {
            level.chunks(WIDTH).map(|run| Block::new(run.iter().map(Block::whole))).collect()
        };
        let mut levels = vec![around(&leaves)];
        levels.insert(0, leaves);
        while levels[levels.len() - 1].len() > 1 {
            levels.push(around(&levels[levels.len() - 1]));
        }
        Self { items, levels }
    }

    fn leaves(&self) -> &[Block<D>] {
        &self.levels[0]
    }

    /// Calls `visit` for every leaf from number `from` on whose box meets that of `block`.
    fn descend(&self, block: &Block<D>, from: usize, stack: &mut Vec<(u32, u32)>, mut visit: impl FnMut(usize)) {
        let whole = block.whole();
        stack.clear();
        stack.push((self.levels.len() as u32 - 1, 0));
        while let Some((level, k)) = stack.pop() {
            let node = &self.levels[level as usize][k as usize];
            // Leaves in one lane of this level, as a power of two.
            let shift = WIDTH.trailing_zeros() * (level - 1);
            for lane in lanes(node.meets(&whole)) {
                let child = k as usize * WIDTH + lane;
                if ((child + 1) << shift) <= from {
                    continue;
                }
                if level == 1 {
                    visit(child);
                } else {
                    stack.push((level - 1, child as u32));
                }
            }
        }
    }
}

/// The pairs of a group with itself. Cost: n log n and the pairs.
pub(super) fn within<const D: usize, const N: usize>(group: &Group<'_, D, N>, rule: Rule<'_>) -> Vec<(u32, u32)> {
    let tree = Tree::new(group);
    let found = threads::in_chunks_of(CHUNK, tree.leaves().len(), &|range| {
        let (mut out, mut stack) = (Vec::new(), Vec::new());
        for a in range {
            tree.descend(&tree.leaves()[a], a, &mut stack, |b| meet_within(&tree, a, b, rule, &mut out));
        }
        out
    });
    numbered(found, group, group)
}

/// The pairs of two groups. Cost: n log n and the pairs.
pub(super) fn between<const D: usize, const N: usize, const M: usize>(
    first: &Group<'_, D, N>,
    second: &Group<'_, D, M>,
    rule: Rule<'_>,
) -> Vec<(u32, u32)> {
    let (queries, tree) = threads::join(|| Tree::new(first), || Tree::new(second));
    let found = threads::in_chunks_of(CHUNK, queries.leaves().len(), &|range| {
        let (mut out, mut stack) = (Vec::new(), Vec::new());
        for a in range {
            tree.descend(&queries.leaves()[a], 0, &mut stack, |b| {
                meet_between(&queries, a, &tree, b, rule, &mut out);
            });
        }
        out
    });
    numbered(found, first, second)
}

/// Adds the pairs of an item of leaf `a` and a later one of leaf `b`.
fn meet_within<const D: usize, const N: usize>(
    tree: &Tree<D, N>,
    a: usize,
    b: usize,
    rule: Rule<'_>,
    out: &mut Vec<Places>,
) {
    let other = &tree.leaves()[b];
    for i in lanes(tree.leaves()[a].meets(&other.whole())) {
        let item = &tree.items[a * WIDTH + i];
        for j in lanes(other.meets(&item.aabb)) {
            let near = &tree.items[b * WIDTH + j];
            if (a < b || i < j) && rule.may_touch(item, near) {
                out.push(sorted_places(item.place, near.place));
            }
        }
    }
}

/// Adds the pairs of an item of leaf `a` of one tree and an item of leaf `b` of another.
fn meet_between<const D: usize, const N: usize, const M: usize>(
    queries: &Tree<D, N>,
    a: usize,
    tree: &Tree<D, M>,
    b: usize,
    rule: Rule<'_>,
    out: &mut Vec<Places>,
) {
    let other = &tree.leaves()[b];
    for i in lanes(queries.leaves()[a].meets(&other.whole())) {
        let item = &queries.items[a * WIDTH + i];
        for j in lanes(other.meets(&item.aabb)) {
            let near = &tree.items[b * WIDTH + j];
            if rule.may_touch(item, near) {
                out.push(places(item.place, near.place));
            }
        }
    }
}
