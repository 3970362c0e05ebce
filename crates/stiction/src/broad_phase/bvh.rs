//! A tree of boxes: near boxes are neighbours in the order of a space-filling curve, and boxes around runs of
//! neighbours, around pairs of runs and so on are tested before what is inside.
//!
//! The boxes of the tree are exact unions, so the candidates are those of brute force, in the same order.

use super::{Aabb, Boxed};
use crate::threads;

/// Primitives in a leaf of the tree.
const LEAF: usize = 4;

/// Bits of a coordinate on the curve.
const BITS: u32 = 20;

/// Primitives in the order of the curve, and the boxes of a binary tree over them.
struct Tree<const D: usize, const N: usize> {
    items: Vec<Boxed<D, N>>,
    /// From the leaves to the root; box `k` of a level holds the boxes `2k` and `2k + 1` of the level below.
    levels: Vec<Vec<Aabb<D>>>,
}

impl<const D: usize, const N: usize> Tree<D, N> {
    fn new(items: &[Boxed<D, N>]) -> Self {
        let whole = union(items.iter().map(|item| &item.aabb));
        let mut keyed: Vec<_> =
            items.iter().map(|item| (curve(&item.aabb, &whole), item.number, *item)).collect();
        keyed.sort_unstable_by_key(|&(code, number, _)| (code, number));
        let items: Vec<_> = keyed.into_iter().map(|(_, _, item)| item).collect();
        let mut levels: Vec<Vec<Aabb<D>>> =
            vec![items.chunks(LEAF).map(|leaf| union(leaf.iter().map(|item| &item.aabb))).collect()];
        while levels[levels.len() - 1].len() > 1 {
            let next = levels[levels.len() - 1].chunks(2).map(union).collect();
            levels.push(next);
        }
        Self { items, levels }
    }

    /// Calls `visit` for every primitive in a leaf whose box, and those around it, meet the given one.
    fn query(&self, aabb: &Aabb<D>, stack: &mut Vec<(usize, usize)>, mut visit: impl FnMut(&Boxed<D, N>)) {
        stack.clear();
        stack.push((self.levels.len() - 1, 0));
        while let Some((level, k)) = stack.pop() {
            if !self.levels[level].get(k).is_some_and(|node| node.meets(aabb)) {
                continue;
            }
            if level == 0 {
                let leaf = k * LEAF..self.items.len().min((k + 1) * LEAF);
                self.items[leaf].iter().for_each(&mut visit);
            } else {
                stack.extend([(level - 1, 2 * k), (level - 1, 2 * k + 1)]);
            }
        }
    }
}

fn union<'a, const D: usize>(boxes: impl IntoIterator<Item = &'a Aabb<D>>) -> Aabb<D> {
    boxes.into_iter().fold(Aabb::EMPTY, |a, b| a.union(b))
}

/// Place of a box's centre on the Z-order curve through `whole`: the bits of its coordinates, interleaved.
fn curve<const D: usize>(aabb: &Aabb<D>, whole: &Aabb<D>) -> u64 {
    let cells = f64::from(1_u32 << BITS);
    let place = whole.relative(aabb.center());
    let mut code = 0;
    for k in 0..D {
        // Saturates, and is 0 for what is not a number: only the speed depends on it.
        let cell = (place[k] * cells).clamp(0.0, cells - 1.0) as i64;
        for bit in 0..BITS {
            code |= (cell.unsigned_abs() >> bit & 1) << (bit * D as u32 + k as u32);
        }
    }
    code
}

/// See [`super::BroadPhaseKind::pairs`]. Cost: n log n and the pairs.
pub(super) fn pairs<const D: usize, const N: usize, const M: usize>(
    first: &[Boxed<D, N>],
    second: &[Boxed<D, M>],
    same: bool,
) -> Vec<(u32, u32)> {
    let tree = Tree::new(second);
    threads::collect(first.len(), &|range| {
        let (mut out, mut found, mut stack) = (Vec::new(), Vec::new(), Vec::new());
        for item in &first[range] {
            found.clear();
            tree.query(&item.aabb, &mut stack, |other| {
                if (!same || other.number > item.number) && item.may_touch(other) {
                    found.push(other.number);
                }
            });
            found.sort_unstable();
            out.extend(found.iter().map(|number| (item.number, *number)));
        }
        out
    })
}
