//! The graph of the vertices that a system is solved for.

use stiction::blocks::Pattern;

/// Which free vertices share a block of the matrix, both ways, and which block it is. Free vertices are numbered in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Graph {
    /// The row of the matrix that each free vertex stands for.
    pub vertices: Vec<u32>,
    /// The block on the diagonal of each vertex that has one.
    pub diagonals: Vec<Option<u32>>,
    starts: Vec<usize>,
    neighbours: Vec<u32>,
    blocks: Vec<u32>,
}

impl Graph {
    /// The graph of the vertices that are not `fixed`.
    pub fn new(pattern: &Pattern, fixed: &[bool]) -> Self {
        let vertices: Vec<u32> = (0..fixed.len() as u32).filter(|v| !fixed[*v as usize]).collect();
        let mut numbers = vec![u32::MAX; fixed.len()];
        for (number, vertex) in vertices.iter().enumerate() {
            numbers[*vertex as usize] = number as u32;
        }
        let mut graph = Self { vertices, starts: vec![0], ..Self::default() };
        for &vertex in &graph.vertices {
            let lower = pattern.lower(vertex as usize);
            let (above, transposed) = pattern.upper(vertex as usize);
            let before = above.iter().copied().zip(transposed.iter().copied());
            let after = lower.clone().skip(1).map(|block| (pattern.rows()[block], block as u32));
            for (row, block) in before.chain(after).filter(|(row, _)| !fixed[*row as usize]) {
                graph.neighbours.push(numbers[row as usize]);
                graph.blocks.push(block);
            }
            graph.starts.push(graph.neighbours.len());
            graph.diagonals.push((!lower.is_empty()).then_some(lower.start as u32));
        }
        graph
    }

    /// How many vertices there are.
    pub fn len(&self) -> usize {
        self.vertices.len()
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
