//! The order in which unknowns are eliminated.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use stiction::blocks::Pattern;

/// An order of coordinates that leaves few numbers in the factor: approximate minimum degree of the graph of vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Which coordinate comes at each place.
    pub forward: Vec<usize>,
    /// At which place each coordinate comes.
    pub inverse: Vec<usize>,
}

impl Order {
    /// The order of the `D` coordinates of each vertex; fixed vertices have no neighbours. Nothing if memory runs out.
    pub fn new<const D: usize>(pattern: &Pattern, fixed: &[bool]) -> Option<Self> {
        let n = fixed.len();
        let (mut starts, mut rows) = (vec![0], Vec::with_capacity(pattern.rows().len()));
        for column in 0..n {
            let own = pattern.rows()[pattern.lower(column)].iter().map(|row| *row as usize);
            rows.extend(own.filter(|row| *row == column || !(fixed[*row] || fixed[column])));
            starts.push(rows.len());
        }
        let graph = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        let need = amd::order_maybe_unsorted_scratch::<usize>(n, rows.len());
        let mut memory = MemBuffer::try_new(need).ok()?;
        let (mut forward, mut inverse) = (vec![0; n], vec![0; n]);
        let stack = MemStack::new(&mut memory);
        amd::order_maybe_unsorted(&mut forward, &mut inverse, graph, amd::Control::default(), stack).ok()?;
        Some(Self { forward: coordinates::<D>(&forward), inverse: coordinates::<D>(&inverse) })
    }
}

/// The `D` coordinates of each vertex of a list, together.
fn coordinates<const D: usize>(vertices: &[usize]) -> Vec<usize> {
    vertices.iter().flat_map(|v| (0..D).map(move |k| v * D + k)).collect()
}
