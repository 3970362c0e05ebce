//! The graph of a block matrix.

use stiction::blocks::Pattern;

/// No vertex, or no block.
pub(super) const NONE: u32 = u32::MAX;

/// Which vertices share a block of the matrix, both ways, and which block it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Graph {
    /// The block on the diagonal of each vertex that has one.
    pub diagonals: Vec<Option<u32>>,
    starts: Vec<usize>,
    neighbours: Vec<u32>,
    blocks: Vec<u32>,
}

impl Graph {
    /// The graph of a pattern.
    pub fn new(pattern: &Pattern) -> Self {
        let mut graph = Self { starts: vec![0], ..Self::default() };
        for vertex in 0..pattern.vertices() {
            let lower = pattern.lower(vertex);
            let (above, transposed) = pattern.upper(vertex);
            let before = above.iter().copied().zip(transposed.iter().copied());
            let after = lower.clone().skip(1).map(|block| (pattern.rows()[block], block as u32));
            for (row, block) in before.chain(after) {
                graph.push(row, block);
            }
            graph.starts.push(graph.neighbours.len());
            graph.diagonals.push((!lower.is_empty()).then_some(lower.start as u32));
        }
        graph
    }

    /// The same with the neighbours of another graph of the same vertices, without blocks for what only that one has.
    pub fn with(&self, other: &Self) -> Self {
        let mut graph = Self { starts: vec![0], ..Self::default() };
        for vertex in 0..self.len() {
            let mut others = other.neighbours(vertex).iter().copied().peekable();
            for (neighbour, block) in self.edges(vertex) {
                while let Some(only) = others.next_if(|other| *other < neighbour) {
                    graph.push(only, NONE);
                }
                others.next_if_eq(&neighbour);
                graph.push(neighbour, block);
            }
            others.for_each(|only| graph.push(only, NONE));
            graph.starts.push(graph.neighbours.len());
            graph.diagonals.push(self.diagonals[vertex]);
        }
        graph
    }

    fn push(&mut self, neighbour: u32, block: u32) {
        self.neighbours.push(neighbour);
        self.blocks.push(block);
    }

    /// How many vertices there are.
    pub fn len(&self) -> usize {
        self.diagonals.len()
    }

    /// The neighbours of a vertex, ascending.
    pub fn neighbours(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// The neighbours of a vertex, ascending, with the block that they share, which is stored below the diagonal.
    pub fn edges(&self, vertex: usize) -> impl Iterator<Item = (u32, u32)> {
        let range = self.starts[vertex]..self.starts[vertex + 1];
        self.neighbours[range.clone()].iter().copied().zip(self.blocks[range].iter().copied())
    }

    /// Where the neighbours of each vertex start in the list of all neighbours; one more entry than vertices.
    pub fn columns(&self) -> (&[usize], &[u32]) {
        (&self.starts, &self.neighbours)
    }
}
