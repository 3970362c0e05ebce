//! The order in which unknowns are eliminated.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use feral_metis::{CscPattern, metis_order};
use stiction::threads;

use super::elimination::Elimination;
use super::graph::Graph;

/// Elimination in the better of two orders: approximate minimum degree, which suits thin bodies and cloth, and nested dissection, which takes a
/// third of the work in a solid with 50,000 vertices. Which one it is the predicted work decides. Nothing if memory runs out.
pub(super) fn best(graph: &Graph) -> Option<Elimination> {
    let (by_degree, by_dissection) = threads::join(
        graph.len(),
        || minimum_degree(graph).map(|order| Elimination::new(graph, &order)),
        || nested_dissection(graph).map(|order| Elimination::new(graph, &order)),
    );
    let by_degree = by_degree?;
    Some(by_dissection.filter(|other| other.work() < by_degree.work()).unwrap_or(by_degree))
}

/// Multiplications of blocks that a factorisation takes, about, in an order that is found quickly. Nothing if memory runs out.
pub(super) fn work(graph: &Graph) -> Option<f64> {
    Some(Elimination::new(graph, &minimum_degree(graph)?).work())
}

/// Approximate minimum degree: which vertex comes at each place. Nothing if memory runs out.
fn minimum_degree(graph: &Graph) -> Option<Vec<u32>> {
    let (mut starts, mut rows) = (vec![0], Vec::new());
    for column in 0..graph.len() {
        let neighbours = graph.neighbours(column).iter().map(|row| *row as usize);
        rows.push(column);
        rows.extend(neighbours.filter(|row| *row > column));
        starts.push(rows.len());
    }
    let (order, _) = minimum_degree_of(&starts, &rows)?;
    Some(order.into_iter().map(|vertex| vertex as u32).collect())
}

/// The same of a graph given by the columns of a triangle, with the inverse of the order.
pub(super) fn minimum_degree_of(starts: &[usize], rows: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
    let n = starts.len() - 1;
    let graph = SymbolicSparseColMatRef::new_checked(n, n, starts, None, rows);
    let need = amd::order_maybe_unsorted_scratch::<usize>(n, rows.len());
    let mut memory = MemBuffer::try_new(need).ok()?;
    let (mut order, mut inverse) = (vec![0; n], vec![0; n]);
    let stack = MemStack::new(&mut memory);
    amd::order_maybe_unsorted(&mut order, &mut inverse, graph, amd::Control::default(), stack).ok()?;
    Some((order, inverse))
}

/// Nested dissection: which vertex comes at each place. Nothing if the graph is too large for it, or what it finds is no order.
fn nested_dissection(graph: &Graph) -> Option<Vec<u32>> {
    let (starts, neighbours) = graph.columns();
    let starts: Vec<i32> = starts.iter().map(|start| i32::try_from(*start).ok()).collect::<Option<_>>()?;
    let neighbours: Vec<i32> =
        neighbours.iter().map(|row| i32::try_from(*row).ok()).collect::<Option<_>>()?;
    let order = metis_order(&CscPattern::new(graph.len(), &starts, &neighbours)?).ok()?;
    let order: Vec<u32> = order.into_iter().map(|v| u32::try_from(v).ok()).collect::<Option<_>>()?;
    is_permutation(&order, graph.len()).then_some(order)
}

fn is_permutation(order: &[u32], n: usize) -> bool {
    let mut seen = vec![false; n];
    let is_new = |v: &u32| seen.get_mut(*v as usize).is_some_and(|seen| !std::mem::replace(seen, true));
    order.len() == n && order.iter().all(is_new)
}
