//! Where the blocks of a sum of local matrices are added.

use std::sync::Arc;

use super::pattern::{Builder, Pattern};
use super::stencils::{Stencils, pair_count};

/// The stencils of a sum of local matrices, the pattern that they make, and where in it each of them belongs.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    stencils: Stencils,
    pattern: Arc<Pattern>,
    /// Which block each pair of each stencil adds to.
    slots: Vec<u32>,
    /// Whether the pattern is that of the stencils.
    is_built: bool,
    next: Next,
    builder: Builder,
}

/// Which list is added next, and where its vertices and slots start.
#[derive(Clone, Copy, Debug, Default)]
struct Next {
    list: usize,
    vertices: usize,
    slots: usize,
}

/// Where a list of local matrices is added.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    /// The vertices of the list's stencils.
    pub(crate) vertices: &'a [u32],
    /// The blocks of its pairs.
    pub(crate) slots: &'a [u32],
    /// The block on the diagonal of each vertex.
    pub(crate) diagonal: &'a [u32],
}

impl Layout {
    /// Begins a sum at stencils that `list` lists.
    ///
    /// # Panics
    /// If a stencil names a vertex beyond `vertices`, or there are 2³² blocks or more.
    pub(super) fn begin(&mut self, vertices: usize, list: impl FnOnce(&mut Stencils)) {
        self.stencils.rewind();
        // If listing ends in a panic, what is listed is not what the pattern is of.
        let is_built = std::mem::replace(&mut self.is_built, false);
        list(&mut self.stencils);
        if !is_built || !self.stencils.same() || self.pattern.vertices() != vertices {
            self.rebuild(vertices);
        }
        self.is_built = true;
        self.next = Next::default();
    }

    fn rebuild(&mut self, vertices: usize) {
        // Whoever shares the old pattern keeps it.
        if Arc::get_mut(&mut self.pattern).is_none() {
            self.pattern = Arc::default();
        }
        if let Some(pattern) = Arc::get_mut(&mut self.pattern) {
            self.builder.build(&self.stencils, vertices, pattern, &mut self.slots);
        }
    }

    /// Takes a pattern that is not that of its stencils; the next sum makes its own again.
    pub(super) fn replace(&mut self, pattern: &Arc<Pattern>) {
        self.is_built = false;
        self.pattern = Arc::clone(pattern);
    }

    /// Where the next list is added.
    ///
    /// # Panics
    /// If `count` stencils of `N` vertices were not what was listed next.
    pub(super) fn next_list<const N: usize>(&mut self, count: usize) -> Places<'_> {
        let listed = self.stencils.list(self.next.list);
        assert!(
            listed == Some((N, count)),
            "list {}: {count} local matrices of {N} vertices are added where (vertices, stencils) are listed as {listed:?}",
            self.next.list,
        );
        let (from, pairs) = (self.next, pair_count(N));
        self.next.list += 1;
        self.next.vertices += N * count;
        self.next.slots += pairs * count;
        Places {
            vertices: self.stencils.vertices(from.vertices..self.next.vertices),
            slots: &self.slots[from.slots..self.next.slots],
            diagonal: self.pattern.starts(),
        }
    }

    /// Ends the sum.
    ///
    /// # Panics
    /// If not every list was added.
    pub(super) fn finish(&self) {
        let (added, listed) = (self.next.list, self.stencils.len());
        assert!(added == listed, "only {added} of {listed} lists of local matrices were added");
    }

    /// The same object as long as it does not change.
    pub(super) fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }
}
