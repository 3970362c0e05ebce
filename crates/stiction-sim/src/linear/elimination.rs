//! What elimination in some order does to a graph.

use super::graph::{Graph, NONE};

/// The tree of an elimination, in an equivalent order in which every subtree is contiguous, and how long the columns of the factor are.
///
/// The parent of a column is the first one that its elimination changes.
#[derive(Clone, Debug)]
pub(super) struct Elimination {
    /// Which vertex comes at each place.
    pub order: Vec<u32>,
    /// The parent of each column, which comes later, or [`NONE`].
    pub parents: Vec<u32>,
    /// Blocks in each column of the factor, with the one on the diagonal.
    pub counts: Vec<u32>,
}

impl Elimination {
    /// Eliminates the vertices of a graph in an order.
    pub fn new(graph: &Graph, order: &[u32]) -> Self {
        let parents = tree(graph, order, &inverse(order));
        let postorder = postorder(&parents, |_, _| std::cmp::Ordering::Equal);
        let order: Vec<u32> = postorder.iter().map(|place| order[*place as usize]).collect();
        let (places, moved) = (inverse(&order), inverse(&postorder));
        let parent = |place: &u32| match parents[*place as usize] {
            NONE => NONE,
            parent => moved[parent as usize],
        };
        let parents: Vec<u32> = postorder.iter().map(parent).collect();
        let counts = counts(graph, &order, &places, &parents);
        Self { order, parents, counts }
    }

    /// Multiplications of blocks that a factorisation takes, about: `½ Σ counts²`.
    pub fn work(&self) -> f64 {
        self.counts.iter().map(|&count| 0.5 * f64::from(count) * f64::from(count)).sum()
    }
}

/// The inverse of a permutation.
pub(super) fn inverse(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, &item) in order.iter().enumerate() {
        places[item as usize] = place as u32;
    }
    places
}

/// The parents of all columns: climbs from every neighbour that comes earlier, by shortcuts to where others have climbed to. [Liu1986]
fn tree(graph: &Graph, order: &[u32], places: &[u32]) -> Vec<u32> {
    let n = order.len();
    let (mut parents, mut shortcuts) = (vec![NONE; n], vec![NONE; n]);
    for (column, &vertex) in order.iter().enumerate() {
        for &neighbour in graph.neighbours(vertex as usize) {
            let mut place = places[neighbour as usize];
            while place < column as u32 {
                let next = std::mem::replace(&mut shortcuts[place as usize], column as u32);
                if next == NONE {
                    parents[place as usize] = column as u32;
                    break;
                }
                place = next;
            }
        }
    }
    parents
}

/// The nodes of a forest, children before parents and every subtree contiguous; children in the order of `compare`, those that are equal as
/// they are numbered.
pub(super) fn postorder(parents: &[u32], compare: impl Fn(&u32, &u32) -> std::cmp::Ordering) -> Vec<u32> {
    let (starts, mut children) = children(parents);
    for node in 0..=parents.len() {
        children[starts[node]..starts[node + 1]].sort_by(&compare);
    }
    let root = parents.len();
    // From the end: parents before children, the last child first.
    let mut stack = children[starts[root]..starts[root + 1]].to_vec();
    let mut out = Vec::with_capacity(parents.len());
    while let Some(node) = stack.pop() {
        out.push(node);
        stack.extend_from_slice(&children[starts[node as usize]..starts[node as usize + 1]]);
    }
    out.reverse();
    out
}

/// The children of each node, ascending, and those without a parent as the last list: where each list starts, and all lists.
pub(super) fn children(parents: &[u32]) -> (Vec<usize>, Vec<u32>) {
    let n = parents.len();
    let list = |parent: u32| if parent == NONE { n } else { parent as usize };
    let mut starts = vec![0; n + 2];
    for &parent in parents {
        starts[list(parent) + 1] += 1;
    }
    for node in 0..=n {
        starts[node + 1] += starts[node];
    }
    let (mut next, mut children) = (starts.clone(), vec![0; n]);
    for (node, &parent) in parents.iter().enumerate() {
        children[next[list(parent)]] = node as u32;
        next[list(parent)] += 1;
    }
    (starts, children)
}

/// The lengths of the columns of the factor, without the factor: a row's columns are a subtree, whose leaves are counted, less their common
/// ancestors. [Gilbert1994]
fn counts(graph: &Graph, order: &[u32], places: &[u32], parents: &[u32]) -> Vec<u32> {
    let n = order.len();
    let first = first_descendants(parents);
    let mut counts: Vec<i64> = (0..n).map(|column| i64::from(first[column] == column as u32)).collect();
    let (mut reached, mut leaves) = (vec![0; n], vec![NONE; n]);
    let mut ancestors: Vec<u32> = (0..n as u32).collect();
    for column in 0..n {
        let parent = parents[column];
        if parent != NONE {
            counts[parent as usize] -= 1;
        }
        for &neighbour in graph.neighbours(order[column] as usize) {
            let row = places[neighbour as usize] as usize;
            // A descendant's entry in the same row has counted this column already.
            if row <= column || first[column] < reached[row] {
                continue;
            }
            reached[row] = column as u32 + 1;
            counts[column] += 1;
            let last = std::mem::replace(&mut leaves[row], column as u32);
            if last != NONE {
                counts[find(&mut ancestors, last) as usize] -= 1;
            }
        }
        if parent != NONE {
            ancestors[column] = parent;
        }
    }
    for column in 0..n {
        if parents[column] != NONE {
            counts[parents[column] as usize] += counts[column];
        }
    }
    // Each column counts itself.
    counts.into_iter().map(|count: i64| count.unsigned_abs() as u32).collect()
}

/// The first column of each subtree.
fn first_descendants(parents: &[u32]) -> Vec<u32> {
    let mut first: Vec<u32> = (0..parents.len() as u32).collect();
    for node in 0..parents.len() {
        if parents[node] != NONE {
            let parent = parents[node] as usize;
            first[parent] = first[parent].min(first[node]);
        }
    }
    first
}

/// The last ancestor known so far; the way there becomes shorter.
fn find(ancestors: &mut [u32], node: u32) -> u32 {
    let mut root = node;
    while ancestors[root as usize] != root {
        root = ancestors[root as usize];
    }
    let mut node = node;
    while ancestors[node as usize] != root {
        node = std::mem::replace(&mut ancestors[node as usize], root);
    }
    root
}
