//! Which parts of an assembly tree are worked on at the same time.

use std::ops::Range;

use super::assembly_tree::Front;

/// Parts of the work of all fronts that a task should not be smaller than.
const PARTS: f64 = 256.0;

/// Multiplications of blocks that are worth another thread.
const LEAST: f64 = 20_000.0;

/// Fronts that one thread works on one after the other, after tasks that can run at the same time.
///
/// All of them together are contiguous: those of the first task of `before`, those of the second, …, then `own`. So lists of what belongs to
/// fronts can be split between tasks. Nothing but time depends on where they are.
#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    /// What comes first.
    pub before: Vec<Task>,
    /// The fronts of the task itself.
    pub own: Range<usize>,
    /// How many fronts of the task have their parents outside of it.
    pub roots: usize,
}

impl Task {
    /// The task of all fronts.
    pub fn new(fronts: &[Front]) -> Self {
        let subtrees = Subtrees::new(fronts);
        subtrees.task(0..fronts.len())
    }

    /// The fronts of the task and those before.
    pub fn all(&self) -> Range<usize> {
        self.before.first().map_or(self.own.start, |first| first.all().start)..self.own.end
    }
}

/// The subtrees of all fronts.
struct Subtrees<'a> {
    fronts: &'a [Front],
    /// Where each one's begins.
    starts: Vec<usize>,
    /// The work before each front, and of all.
    works: Vec<f64>,
    least: f64,
}

impl<'a> Subtrees<'a> {
    fn new(fronts: &'a [Front]) -> Self {
        let (mut starts, mut works, mut sum): (Vec<usize>, _, _) = (Vec::new(), vec![0.0], 0.0);
        for (number, front) in fronts.iter().enumerate() {
            starts.push(front.children.first().map_or(number, |&first| starts[first]));
            sum += front.work();
            works.push(sum);
        }
        Self { fronts, starts, works, least: LEAST.max(sum / PARTS) }
    }

    fn work(&self, range: &Range<usize>) -> f64 {
        self.works[range.end] - self.works[range.start]
    }

    /// The task of contiguous subtrees. What little is left beside a single large subtree joins what is above; so tasks are nested no
    /// deeper than there are large parts, however deep the tree is.
    fn task(&self, all: Range<usize>) -> Task {
        let mut below = all.clone();
        while self.work(&below) >= 2.0 * self.least {
            let groups = self.groups(&below);
            match &groups[..] {
                [one] if one.len() == below.len() => below.end -= 1,
                [first, rest] if self.work(rest) < self.least => below.end = first.end,
                _ => {
                    let before = groups.into_iter().map(|group| self.task(group)).collect();
                    return self.finished(before, below.end..all.end);
                }
            }
        }
        self.finished(Vec::new(), all)
    }

    fn finished(&self, before: Vec<Task>, own: Range<usize>) -> Task {
        let roots: usize = before.iter().map(|task| task.roots).sum();
        let roots = own.clone().fold(roots, |roots, front| roots + 1 - self.fronts[front].children.len());
        Task { before, own, roots }
    }

    /// Neighbouring subtrees that together make up a range, in groups with enough work; the last may have less.
    fn groups(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let mut roots = Vec::new();
        let mut end = range.end;
        while end > range.start {
            roots.push(self.starts[end - 1]..end);
            end = self.starts[end - 1];
        }
        let mut groups: Vec<Range<usize>> = Vec::new();
        for root in roots.into_iter().rev() {
            match groups.last_mut() {
                Some(last) if self.work(last) < self.least => last.end = root.end,
                _ => groups.push(root),
            }
        }
        groups
    }
}
