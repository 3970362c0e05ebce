//! Where local matrices will be added.

use std::ops::Range;

use crate::stencil::Stencil;

/// Where local matrices will be added: lists of stencils, one for each kind of term, in their order.
///
/// Listed again, stencils are compared with those of the last time and stored only from the first difference on.
#[derive(Clone, Debug, Default)]
pub struct Stencils {
    /// How many vertices the stencils of each list have, and how many stencils there are.
    lists: Vec<(usize, usize)>,
    /// The vertices of all of them.
    vertices: Vec<u32>,
    /// How many lists and vertices have been listed this time.
    now: (usize, usize),
    /// Whether something differs from the last time.
    changed: bool,
}

/// Some stencils of one list: how many vertices each has, and the vertices of all.
#[derive(Clone, Copy, Debug)]
pub(super) struct StencilList<'a> {
    pub(super) n: usize,
    pub(super) vertices: &'a [u32],
}

impl Stencils {
    /// Adds a list, which may be empty.
    pub fn push<const N: usize>(&mut self, mut stencils: impl Iterator<Item = Stencil<N>>) {
        let start = self.now.1;
        if !self.changed {
            self.compare(&mut stencils);
        }
        // After a comparison without difference nothing is left.
        for stencil in stencils {
            self.vertices.extend_from_slice(&stencil.0);
            self.now.1 += N;
        }
        let list = (N, (self.now.1 - start) / N.max(1));
        if self.lists.get(self.now.0) != Some(&list) {
            self.change();
            self.lists.truncate(self.now.0);
            self.lists.push(list);
        }
        self.now.0 += 1;
    }

    /// Passes over stencils that are the same as the last time; the first that is not is stored.
    fn compare<const N: usize>(&mut self, stencils: &mut impl Iterator<Item = Stencil<N>>) {
        let mut at = self.now.1;
        for stencil in stencils.by_ref() {
            let before = self.vertices.get(at..).and_then(|rest| rest.first_chunk::<N>());
            if before != Some(&stencil.0) {
                self.now.1 = at;
                self.change();
                self.vertices.extend_from_slice(&stencil.0);
                at += N;
                break;
            }
            at += N;
        }
        self.now.1 = at;
    }

    /// What comes from here on is stored.
    fn change(&mut self) {
        if !self.changed {
            self.changed = true;
            self.vertices.truncate(self.now.1);
        }
    }

    /// Begins to list again.
    pub(super) fn rewind(&mut self) {
        (self.now, self.changed) = ((0, 0), false);
    }

    /// Whether the stencils listed since [`rewind`](Self::rewind) are those of the time before; ends the listing.
    pub(super) fn same(&mut self) -> bool {
        let same = !self.changed && self.now == (self.lists.len(), self.vertices.len());
        self.lists.truncate(self.now.0);
        self.vertices.truncate(self.now.1);
        same
    }

    /// How many vertices the stencils of a list have, and how many stencils there are; nothing beyond the last list.
    pub(super) fn list(&self, index: usize) -> Option<(usize, usize)> {
        self.lists.get(index).copied()
    }

    /// How many lists there are.
    pub(super) fn len(&self) -> usize {
        self.lists.len()
    }

    /// Vertices of a range of all that are stored.
    pub(super) fn vertices(&self, range: Range<usize>) -> &[u32] {
        &self.vertices[range]
    }

    /// All stencils, in chunks of at most `size`.
    pub(super) fn chunks(&self, size: usize) -> Vec<StencilList<'_>> {
        let (mut out, mut rest) = (Vec::new(), &self.vertices[..]);
        for &(n, count) in &self.lists {
            let (list, others) = rest.split_at(n * count);
            out.extend(list.chunks((n * size).max(1)).map(|vertices| StencilList { n, vertices }));
            rest = others;
        }
        out
    }
}

/// How many pairs of different places a stencil of `n` vertices has.
pub(crate) const fn pair_count(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

impl StencilList<'_> {
    /// How many stencils there are.
    pub(super) fn count(&self) -> usize {
        self.vertices.len() / self.n.max(1)
    }

    /// Calls `visit(row, column)`, row ≥ column, for every pair `(i, j)` with `j < i` of every stencil.
    // Inlined with a constant number of vertices: the loops over pairs are then written out.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn pairs(&self, mut visit: impl FnMut(u32, u32)) {
        match self.n {
            0 | 1 => {}
            2 => self.pairs_of::<2>(visit),
            3 => self.pairs_of::<3>(visit),
            4 => self.pairs_of::<4>(visit),
            n => {
                for stencil in self.vertices.chunks_exact(n) {
                    for (i, a) in stencil.iter().enumerate() {
                        for b in &stencil[..i] {
                            visit(*a.max(b), *a.min(b));
                        }
                    }
                }
            }
        }
    }

    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn pairs_of<const N: usize>(&self, mut visit: impl FnMut(u32, u32)) {
        for stencil in self.vertices.as_chunks::<N>().0 {
            for i in 1..N {
                for j in 0..i {
                    visit(stencil[i].max(stencil[j]), stencil[i].min(stencil[j]));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(out: &mut Stencils, pairs: &[[u32; 2]], single: &[u32]) -> bool {
        out.rewind();
        out.push(pairs.iter().map(|p| Stencil(*p)));
        out.push(single.iter().map(|v| Stencil([*v])));
        out.same()
    }

    #[test]
    fn every_difference_is_seen_and_stored() {
        let cases: [(&[[u32; 2]], &[u32]); 8] = [
            (&[[1, 2], [3, 4]], &[5]),
            (&[[1, 2]], &[3, 4, 5]),
            (&[[1, 2], [3, 4]], &[5, 6]),
            (&[[1, 2], [4, 3]], &[5, 6]),
            (&[], &[]),
            (&[], &[1, 2]),
            (&[[1, 2]], &[]),
            (&[[1, 2], [1, 2]], &[]),
        ];
        for first in cases {
            for second in cases {
                let mut out = Stencils::default();
                listed(&mut out, first.0, first.1);
                assert!(listed(&mut out, first.0, first.1));
                assert_eq!(listed(&mut out, second.0, second.1), first == second);
                assert!(listed(&mut out, second.0, second.1), "{first:?}, then {second:?}");
                let chunks = out.chunks(1);
                assert_eq!(chunks.len(), second.0.len() + second.1.len());
                let stored: Vec<_> = chunks.iter().flat_map(|p| p.vertices).copied().collect();
                assert_eq!(stored, [second.0.as_flattened(), second.1].concat());
            }
        }
    }

    #[test]
    fn fewer_or_more_lists_are_a_difference() {
        let mut out = Stencils::default();
        listed(&mut out, &[[1, 2]], &[3]);
        out.rewind();
        out.push([Stencil([1, 2])].into_iter());
        assert!(!out.same());
        assert_eq!((out.len(), out.list(0), out.list(1)), (1, Some((2, 1)), None));
        out.rewind();
        assert!(!out.same());
        assert_eq!(out.len(), 0);
    }
}
