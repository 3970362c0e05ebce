//! A tree of boxes: near boxes are neighbours in the order of a space-filling curve, and boxes around runs of
//! neighbours, around runs of these and so on are tested before what is inside.
//!
//! Boxes come in blocks of [`WIDTH`] that are tested at once. What is searched for is not one box but a leaf
//! of neighbours: the tree is descended once for all of them. All boxes are exact, so the candidates are
//! those of brute force.

use super::block::{Block, Leaf, WIDTH, Wide, lanes};
use super::curve;
use super::group::{Group, Places, Rule, Test, numbered, places, sorted_places};
use crate::threads;

/// Leaves that a task searches for.
const CHUNK: usize = 64;

/// Pairs that a task has room for at first.
const ROOM: usize = 8 * CHUNK * WIDTH;

/// Primitives in the order of the curve, and boxes around them.
struct Tree<const D: usize, const N: usize> {
    leaves: Vec<Leaf<D, N>>,
    /// From the leaves to the root: lane `l` of block `k` is the box around leaf `WIDTH k + l` in the first level,
    /// and around that block of the level below in the others.
    levels: Vec<Vec<Block<D>>>,
}

impl<const D: usize, const N: usize> Tree<D, N> {
    fn new(group: &Group<'_, D, N>) -> Self {
        let order = curve::order(group);
        let leaf = |places: &[u32]| Leaf::new(places.iter().map(|&place| group.item(place as usize)));
        let leaves: Vec<_> = order.chunks(WIDTH).map(leaf).collect();
        let above = |run: &[Leaf<D, N>]| Block::new(run.iter().map(|leaf| leaf.block.whole));
        let mut levels: Vec<Vec<_>> = vec![leaves.chunks(WIDTH).map(above).collect()];
        while levels[levels.len() - 1].len() > 1 {
            let above = |run: &[Block<D>]| Block::new(run.iter().map(|block| block.whole));
            levels.push(levels[levels.len() - 1].chunks(WIDTH).map(above).collect());
        }
        Self { leaves, levels }
    }

    /// Calls `visit` for every leaf from number `from` on whose box meets that of `block`.
    fn descend(
        &self,
        block: &Block<D>,
        from: usize,
        stack: &mut Vec<(u32, u32)>,
        mut visit: impl FnMut(usize),
    ) {
        let whole = Wide::new(&block.whole);
        stack.clear();
        stack.push((self.levels.len() as u32 - 1, 0));
        while let Some((level, k)) = stack.pop() {
            let node = &self.levels[level as usize][k as usize];
            // The number of leaves under a lane of this level is a power of two.
            let shift = WIDTH.trailing_zeros() * level;
            for lane in lanes(node.meets(&whole).into()) {
                let child = k as usize * WIDTH + lane;
                if ((child + 1) << shift) <= from {
                    continue;
                }
                if level == 0 {
                    visit(child);
                } else {
                    stack.push((level - 1, child as u32));
                }
            }
        }
    }
}

/// The pairs of a group with itself. Cost: n log n and the pairs.
pub(super) fn within<const D: usize, const N: usize>(
    group: &Group<'_, D, N>,
    rule: Rule<'_>,
) -> Vec<(u32, u32)> {
    numbered(search_within(group, rule, &|| false, &|found| found), group, group)
}

/// The pairs of two groups. Cost: n log n and the pairs.
pub(super) fn between<const D: usize, const N: usize, const M: usize>(
    first: &Group<'_, D, N>,
    second: &Group<'_, D, M>,
    rule: Rule<'_>,
) -> Vec<(u32, u32)> {
    numbered(search_between(first, second, rule, &|| false, &|found| found), first, second)
}

/// Hands the pairs of a group with itself to a test, until it holds.
pub(super) fn test_within<const D: usize, const N: usize>(
    group: &Group<'_, D, N>,
    rule: Rule<'_>,
    test: &Test<'_>,
) {
    search_within(group, rule, &|| test.holds(), &|found| test.look(&found, group, group));
}

/// Hands the pairs of two groups to a test, until it holds.
pub(super) fn test_between<const D: usize, const N: usize, const M: usize>(
    first: &Group<'_, D, N>,
    second: &Group<'_, D, M>,
    rule: Rule<'_>,
    test: &Test<'_>,
) {
    let look = |found: Vec<Places>| test.look(&found, first, second);
    search_between(first, second, rule, &|| test.holds(), &look);
}

/// What `f` makes of the pairs that are found from each chunk of leaves; nothing is looked for any more once
/// `is_done`.
fn search_within<const D: usize, const N: usize, R: Send>(
    group: &Group<'_, D, N>,
    rule: Rule<'_>,
    is_done: &(dyn Fn() -> bool + Sync),
    f: &(dyn Fn(Vec<Places>) -> R + Sync),
) -> Vec<R> {
    let tree = Tree::new(group);
    threads::in_chunks_of(CHUNK, tree.leaves.len(), &|range| {
        let (mut out, mut stack) = (Vec::with_capacity(ROOM), Vec::new());
        for a in if is_done() { 0..0 } else { range } {
            let leaf = &tree.leaves[a];
            tree.descend(&leaf.block, a, &mut stack, |b| {
                meet(leaf, &tree.leaves[b], a == b, rule, |i, j| out.push(sorted_places(i, j)));
            });
        }
        f(out)
    })
}

/// The same for two groups.
fn search_between<const D: usize, const N: usize, const M: usize, R: Send>(
    first: &Group<'_, D, N>,
    second: &Group<'_, D, M>,
    rule: Rule<'_>,
    is_done: &(dyn Fn() -> bool + Sync),
    f: &(dyn Fn(Vec<Places>) -> R + Sync),
) -> Vec<R> {
    let (queries, tree) =
        threads::join(first.len() + second.len(), || Tree::new(first), || Tree::new(second));
    threads::in_chunks_of(CHUNK, queries.leaves.len(), &|range| {
        let (mut out, mut stack) = (Vec::with_capacity(ROOM), Vec::new());
        for leaf in &queries.leaves[if is_done() { 0..0 } else { range }] {
            tree.descend(&leaf.block, 0, &mut stack, |b| {
                meet(leaf, &tree.leaves[b], false, rule, |i, j| out.push(places(i, j)));
            });
        }
        f(out)
    })
}

/// Calls `visit` for the places of all pairs of two leaves that may touch; each pair once if they are `same`.
#[inline]
fn meet<const D: usize, const N: usize, const M: usize>(
    a: &Leaf<D, N>,
    b: &Leaf<D, M>,
    same: bool,
    rule: Rule<'_>,
    mut visit: impl FnMut(u32, u32),
) {
    // One bit for each pair of lanes: a single loop over all of them is what processors foresee best.
    let mut hits = 0;
    for i in lanes(a.block.meets(&Wide::new(&b.block.whole)).into()) {
        let later = if same { !1 << i } else { !0 };
        let near = b.block.meets(&a.block.lane(i)) & !b.having(&a.vertices(i)) & later;
        hits |= u64::from(near) << (WIDTH * i);
    }
    for pair in lanes(hits) {
        let (i, j) = (pair / WIDTH, pair % WIDTH);
        if rule.allows(|| (a.vertices(i), b.vertices(j))) {
            visit(a.places[i], b.places[j]);
        }
    }
}
