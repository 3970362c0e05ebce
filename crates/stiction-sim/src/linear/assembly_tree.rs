//! How a factor is cut into dense fronts, and which front adds to which.

use std::ops::Range;

use stiction::threads;

use super::elimination::{Elimination, children, inverse, postorder};
use super::graph::{Graph, NONE};

/// Fronts with up to so many columns of blocks take up a child with at most this part of zeros: they save more in overhead than zeros cost.
const RELAXATION: [(u32, f64); 3] = [(8, 0.5), (24, 0.2), (u32::MAX, 0.05)];

/// A dense part of the factor: columns that have about the same rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    /// The first of its columns, which follow each other; all in blocks.
    pub first: usize,
    /// How many there are.
    pub columns: usize,
    /// The rows below its columns, ascending.
    pub rows: Vec<u32>,
    /// Where `rows` lie in the parent: its columns come first, then its rows.
    pub in_parent: Vec<u32>,
    /// The fronts that add to this one, ascending.
    pub children: Vec<usize>,
    /// The blocks of the matrix that belong to it, by columns.
    pub entries: Vec<Entry>,
}

/// Where a block of the matrix belongs in a front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Its row in the front.
    pub row: u32,
    /// Its column in the front.
    pub column: u32,
    /// Its number in the matrix.
    pub block: u32,
    /// Whether it is stored transposed.
    pub transposed: bool,
}

impl Front {
    /// Its columns and the rows below them.
    pub fn height(&self) -> usize {
        self.columns + self.rows.len()
    }

    /// The blocks of the matrix in a range of its columns.
    pub fn entries_of(&self, columns: &Range<usize>) -> &[Entry] {
        let before = |end: usize| self.entries.partition_point(|entry| (entry.column as usize) < end);
        &self.entries[before(columns.start)..before(columns.end)]
    }

    /// Where a row of the factor that is not above the front lies in it, if it does.
    fn local(&self, place: u32) -> Option<u32> {
        let own = place as usize - self.first;
        if own < self.columns {
            return Some(own as u32);
        }
        self.rows.binary_search(&place).ok().map(|below| (self.columns + below) as u32)
    }

    /// Multiplications of blocks to eliminate its columns, about.
    pub fn work(&self) -> f64 {
        work(self.columns as f64, self.rows.len() as f64)
    }
}

/// `k (k²/6 + m k/2 + m²/2)` for `k` columns and `m` rows below them.
fn work(k: f64, m: f64) -> f64 {
    k * (k * k / 6.0 + 0.5 * m * k + 0.5 * m * m)
}

/// The fronts of a factorisation, children before parents and every subtree contiguous.
#[derive(Clone, Debug, Default)]
pub(super) struct AssemblyTree {
    /// The fronts.
    pub fronts: Vec<Front>,
    /// Which row of the matrix comes at each place.
    pub order: Vec<u32>,
}

impl AssemblyTree {
    /// The fronts of an elimination.
    pub fn new(graph: &Graph, elimination: &Elimination) -> Self {
        let merged = Merged::new(elimination);
        let nodes = merged.heavy_first();
        let (mut numbers, mut first) = (vec![NONE; merged.parents.len()], 0);
        for (number, node) in nodes.iter().enumerate() {
            numbers[*node as usize] = number as u32;
        }
        let parents: Vec<u32> = nodes
            .iter()
            .map(|node| numbers.get(merged.parents[*node as usize] as usize).copied().unwrap_or(NONE))
            .collect();
        let mut fronts = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let columns = merged.columns[*node as usize] as usize;
            fronts.push(Front { first, columns, ..Front::default() });
            first += columns;
        }
        let order = merged.order(elimination, &numbers, &fronts);
        let mut filler = Filler::new(graph, &order);
        for (number, &parent) in parents.iter().enumerate() {
            filler.fill(&mut fronts, number);
            if parent != NONE {
                fronts[parent as usize].children.push(number);
            }
        }
        let mut tree = Self { fronts, order };
        tree.fit(graph);
        tree
    }

    /// Puts the blocks of a graph with the same vertices into the fronts; whether there is a place for each of them, and nothing changes if not.
    ///
    /// A matrix may have fewer blocks than the fronts have places: those that are missing are zeros.
    pub fn fit(&mut self, graph: &Graph) -> bool {
        if graph.len() != self.order.len() {
            return false;
        }
        let places = inverse(&self.order);
        let entries = |front: &Front| entries(front, graph, &self.order, &places);
        let of = |range: Range<usize>| -> Vec<Option<Vec<Entry>>> {
            self.fronts[range].iter().map(entries).collect()
        };
        let Some(entries) = threads::collect(self.fronts.len(), &of).into_iter().collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        for (front, entries) in self.fronts.iter_mut().zip(entries) {
            front.entries = entries;
        }
        true
    }
}

/// The blocks of a matrix in the columns of a front, on and below the diagonal; nothing if one has no place there.
fn entries(front: &Front, graph: &Graph, order: &[u32], places: &[u32]) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    for column in 0..front.columns as u32 {
        let place = front.first as u32 + column;
        let vertex = order[place as usize];
        if let Some(block) = graph.diagonals[vertex as usize] {
            entries.push(Entry { row: column, column, block, transposed: false });
        }
        for (neighbour, block) in graph.edges(vertex as usize) {
            let row = places[neighbour as usize];
            if row > place {
                entries.push(Entry { row: front.local(row)?, column, block, transposed: neighbour < vertex });
            }
        }
    }
    Some(entries)
}

/// Columns of a factor, put together where they have about the same rows.
struct Merged {
    /// The front of each column.
    fronts: Vec<u32>,
    /// The parent of each front; fronts that another one took up have no columns.
    parents: Vec<u32>,
    /// Columns of each front.
    columns: Vec<u32>,
    /// Rows below the columns of each front.
    rows: Vec<u32>,
}

impl Merged {
    fn new(elimination: &Elimination) -> Self {
        let mut merged = Self::of_equal_rows(elimination);
        merged.relax();
        merged
    }

    /// Fronts of columns that have exactly the same rows.
    fn of_equal_rows(elimination: &Elimination) -> Self {
        let (parents, counts) = (&elimination.parents, &elimination.counts);
        let mut out = Self { fronts: Vec::new(), parents: Vec::new(), columns: Vec::new(), rows: Vec::new() };
        for column in 0..parents.len() {
            let follows = column > 0
                && parents[column - 1] == column as u32
                && counts[column - 1] == counts[column] + 1;
            if !follows {
                out.columns.push(0);
                out.rows.push(0);
                out.parents.push(NONE);
            }
            let front = out.columns.len() - 1;
            out.fronts.push(front as u32);
            out.columns[front] += 1;
            (out.rows[front], out.parents[front]) = (counts[column] - 1, parents[column]);
        }
        for parent in out.parents.iter_mut().filter(|parent| **parent != NONE) {
            *parent = out.fronts[*parent as usize];
        }
        out
    }

    /// Takes up children where that leaves few zeros.
    fn relax(&mut self) {
        let count = self.parents.len();
        let (starts, children) = children(&self.parents);
        let (mut into, mut zeros): (Vec<u32>, Vec<f64>) = ((0..count as u32).collect(), vec![0.0; count]);
        for front in 0..count {
            for &child in children[starts[front]..starts[front + 1]].iter().rev() {
                let child = child as usize;
                if let Some(more) = self.zeros_with(front, child, zeros[front] + zeros[child]) {
                    zeros[front] = more;
                    self.columns[front] += self.columns[child];
                    self.columns[child] = 0;
                    into[child] = front as u32;
                }
            }
        }
        // Parents come later: theirs are known.
        for front in (0..count).rev() {
            into[front] = into[into[front] as usize];
        }
        for front in self.fronts.iter_mut().chain(self.parents.iter_mut().filter(|parent| **parent != NONE)) {
            *front = into[*front as usize];
        }
    }

    /// The zeros of a front with a child, which have so many apart, if they are few.
    fn zeros_with(&self, front: usize, child: usize, apart: f64) -> Option<f64> {
        let blocks = |k: u32, m: u32| 0.5 * f64::from(k) * f64::from(k + 1) + f64::from(k) * f64::from(m);
        let of = |front: usize| blocks(self.columns[front], self.rows[front]);
        let columns = self.columns[front] + self.columns[child];
        let whole = blocks(columns, self.rows[front]);
        let zeros = apart + whole - of(front) - of(child);
        RELAXATION.iter().any(|(most, part)| columns <= *most && zeros <= part * whole).then_some(zeros)
    }

    /// The fronts that have columns, children before parents, those with most work below them first: the others wait for less.
    fn heavy_first(&self) -> Vec<u32> {
        let mut works: Vec<f64> =
            self.columns.iter().zip(&self.rows).map(|(k, m)| work(f64::from(*k), f64::from(*m))).collect();
        for front in 0..works.len() {
            if self.parents[front] != NONE && self.columns[front] > 0 {
                works[self.parents[front] as usize] += works[front];
            }
        }
        let mut nodes = postorder(&self.parents, |a, b| works[*b as usize].total_cmp(&works[*a as usize]));
        nodes.retain(|node| self.columns[*node as usize] > 0);
        nodes
    }

    /// Which vertex comes at each place, with the columns of each front together.
    fn order(&self, elimination: &Elimination, numbers: &[u32], fronts: &[Front]) -> Vec<u32> {
        let mut next: Vec<usize> = fronts.iter().map(|front| front.first).collect();
        let mut order = vec![0; elimination.order.len()];
        for (front, vertex) in self.fronts.iter().zip(&elimination.order) {
            let next = &mut next[numbers[*front as usize] as usize];
            order[*next] = *vertex;
            *next += 1;
        }
        order
    }
}

/// Finds the rows of fronts.
struct Filler<'a> {
    graph: &'a Graph,
    order: &'a [u32],
    places: Vec<u32>,
    /// The front that has met a row last.
    marks: Vec<u32>,
}

impl<'a> Filler<'a> {
    fn new(graph: &'a Graph, order: &'a [u32]) -> Self {
        Self { graph, order, places: inverse(order), marks: vec![NONE; order.len()] }
    }

    /// Fills a front, after its children, and says where they lie in it.
    fn fill(&mut self, fronts: &mut [Front], number: usize) {
        fronts[number].rows = self.rows(fronts, number);
        let (before, front) = fronts.split_at_mut(number);
        let front = &front[0];
        for &child in &front.children {
            let rows = &before[child].rows;
            before[child].in_parent = rows.iter().filter_map(|row| front.local(*row)).collect();
        }
    }

    /// The rows below the columns of a front: those of its part of the matrix and of its children.
    fn rows(&mut self, fronts: &[Front], number: usize) -> Vec<u32> {
        let Self { graph, order, places, marks } = self;
        let Front { first, columns, ref children, .. } = fronts[number];
        let end = first + columns;
        let own = order[first..end].iter().flat_map(|vertex| graph.neighbours(*vertex as usize));
        let below = children.iter().flat_map(|child| fronts[*child].rows.iter().copied());
        let all = own.map(|neighbour| places[*neighbour as usize]).chain(below);
        let is_new = |row: &u32| {
            *row >= end as u32 && std::mem::replace(&mut marks[*row as usize], number as u32) != number as u32
        };
        let mut rows: Vec<u32> = all.filter(is_new).collect();
        rows.sort_unstable();
        rows
    }
}
