//! Multifrontal Cholesky factorisation on all threads.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par};
use stiction::blocks::Blocks;
use stiction::math::Vector;
use stiction::threads;

use super::assembly_tree::{AssemblyTree, Front};
use super::dense;
use super::graph::Graph;
use super::pool::Pool;
use super::task::Task;

/// Numbers of a front that a thread puts together at a time.
const CHUNK: usize = 1 << 15;

/// A factorisation of symmetric positive definite block matrices of one pattern. [Duff1983]
///
/// ```text
/// front = [A₁₁ ·  ] + what its children leave = [L₁₁ ·] [L₁₁ᵀ L₂₁ᵀ] + [0 ·]
///         [A₂₁ 0  ]                             [L₂₁ I] [0    I   ]   [0 U]
/// ```
/// The columns of `L₁₁` and `L₂₁` are those of the factor; `U` is left to the front's parent. The forward substitution goes along with it, while
/// the columns are in the cache. Fronts add up what their children leave in a fixed order, so the bits are the same for any number of threads.
#[derive(Debug, Default)]
pub(super) struct Multifrontal {
    tree: AssemblyTree,
    task: Task,
    /// The columns of the factor, front by front.
    factor: Vec<f64>,
    pool: Pool,
}

/// What a front leaves to its parent, for its rows.
struct Remainder {
    /// `U`, column by column; only the lower triangle and the blocks on the diagonal have a meaning, and nothing what follows.
    matrix: Vec<f64>,
    /// What is to be added to the right-hand side.
    rhs: Vec<f64>,
}

/// The part of the factor and of the solution that belongs to some fronts.
struct Part<'a> {
    factor: &'a mut [f64],
    x: &'a mut [f64],
}

impl Multifrontal {
    /// Prepares factorisations with these fronts.
    #[cfg(test)]
    pub fn new(tree: AssemblyTree) -> Self {
        let mut new = Self::default();
        new.set(tree);
        new
    }

    /// Goes on with other fronts, in the same memory.
    pub fn set(&mut self, tree: AssemblyTree) {
        self.task = Task::new(&tree.fronts);
        self.tree = tree;
    }

    /// Goes on with matrices of another graph, if all their blocks have a place in the fronts; whether they have.
    pub fn fit(&mut self, graph: &Graph) -> bool {
        self.tree.fit(graph)
    }

    /// Solves `(A + diag(shifts)) p = b` for the vertices of the tree; `p` is zero at others. Nothing if the matrix is not positive definite.
    pub fn solve<const D: usize>(
        &mut self,
        matrix: &Blocks<D>,
        b: &[Vector<D>],
        shifts: &[f64],
    ) -> Option<Vec<Vector<D>>> {
        let mut x = self.ordered(b);
        self.forward(matrix, shifts, &mut x)?;
        let Self { tree, task, factor, .. } = self;
        let none = vec![Vec::new(); task.roots];
        Substitution::<D> { tree }.backward(task, Part { factor, x: &mut x }, none);
        x.iter().all(|x| x.is_finite()).then(|| self.by_vertex(&x, b.len()))
    }

    /// Factorises `A + diag(shifts)`, to [`substitute`](Self::substitute) then; nothing if it is not positive definite.
    pub fn factorise<const D: usize>(&mut self, matrix: &Blocks<D>, shifts: &[f64]) -> Option<()> {
        let mut x = vec![0.0; D * self.tree.order.len()];
        self.forward(matrix, shifts, &mut x)
    }

    /// `p` of `A p = b` with the factor of the last matrix.
    pub fn substitute<const D: usize>(&mut self, b: &[Vector<D>]) -> Vec<Vector<D>> {
        let mut x = self.ordered(b);
        let Self { tree, task, factor, .. } = self;
        let work = Substitution::<D> { tree };
        work.forward(task, Part { factor, x: &mut x });
        work.backward(task, Part { factor, x: &mut x }, vec![Vec::new(); task.roots]);
        self.by_vertex(&x, b.len())
    }

    /// Factorises `A + diag(shifts)` and solves `L y = b`: `x` is `b` before and `y` after.
    fn forward<const D: usize>(&mut self, matrix: &Blocks<D>, shifts: &[f64], x: &mut [f64]) -> Option<()> {
        let Self { tree, task, factor, pool } = self;
        factor.resize(tree.fronts.iter().map(panel_size::<D>).sum(), 0.0);
        let work = Work::<D> { tree, matrix, shifts, pool, has_failed: &AtomicBool::new(false) };
        work.forward(task, Part { factor, x })?;
        Some(())
    }

    /// A vector by vertices in the order of elimination.
    fn ordered<const D: usize>(&self, b: &[Vector<D>]) -> Vec<f64> {
        self.tree.order.iter().flat_map(|row| b[*row as usize].0).collect()
    }

    /// The same back again, for so many vertices.
    fn by_vertex<const D: usize>(&self, x: &[f64], count: usize) -> Vec<Vector<D>> {
        let mut p = vec![Vector::ZERO; count];
        for (row, x) in self.tree.order.iter().zip(x.as_chunks::<D>().0) {
            p[*row as usize] = Vector(*x);
        }
        p
    }
}

/// Numbers in the columns of a front.
fn panel_size<const D: usize>(front: &Front) -> usize {
    D * D * front.columns * front.height()
}

/// A factorisation under way.
struct Work<'a, const D: usize> {
    tree: &'a AssemblyTree,
    matrix: &'a Blocks<D>,
    /// What is added to the diagonal, row by row, or nothing.
    shifts: &'a [f64],
    pool: &'a Pool,
    /// Whether some pivot was not positive: then the rest is in vain.
    has_failed: &'a AtomicBool,
}

/// What a child leaves, with the places of its rows in the parent.
type Left<'a> = (Remainder, &'a [u32]);

impl<const D: usize> Work<'_, D> {
    /// Factorises the fronts of a task and solves `L y = b`: `x` is `b` before and `y` after. What its roots leave, in their order.
    fn forward(&self, task: &Task, part: Part<'_>) -> Option<Vec<Remainder>> {
        let (parts, own) = split::<D>(self.tree, task, part);
        let mut done: Vec<Option<Vec<Remainder>>> = task.before.iter().map(|_| None).collect();
        let work = task.before.iter().zip(parts).zip(&mut done).collect();
        threads::for_each(work, &|_, ((task, part), done)| *done = self.forward(task, part));
        let done: Option<Vec<Vec<Remainder>>> = done.into_iter().collect();
        let mut waiting: Vec<Remainder> = done?.into_iter().flatten().collect();
        let mut rest = own;
        for front in &self.tree.fronts[task.own.clone()] {
            if self.has_failed.load(Ordering::Relaxed) {
                return None;
            }
            let children = waiting.split_off(waiting.len() - front.children.len());
            let places = front.children.iter().map(|child| &self.tree.fronts[*child].in_parent[..]);
            let children = children.into_iter().zip(places).collect();
            let (panel, factor) = rest.factor.split_at_mut(panel_size::<D>(front));
            let (y, x) = rest.x.split_at_mut(D * front.columns);
            let left = self.eliminate(front, children, panel, y);
            if left.is_none() {
                self.has_failed.store(true, Ordering::Relaxed);
            }
            waiting.push(left?);
            rest = Part { factor, x };
        }
        Some(waiting)
    }

    /// Factorises a front and replaces its right-hand side `b` by `y` of `L y = b`.
    fn eliminate(
        &self,
        front: &Front,
        children: Vec<Left<'_>>,
        panel: &mut [f64],
        y: &mut [f64],
    ) -> Option<Remainder> {
        let (k, m) = (D * front.columns, D * front.rows.len());
        self.load(front, &children, panel);
        let panel = MatMut::from_column_major_slice_mut(panel, k + m, k);
        let (mut above, mut below) = panel.split_at_row_mut(k);
        dense::factorise(above.as_mut())?;
        dense::divide(below.as_mut(), above.as_ref());
        let matrix = self.remainder(front, &children, below.as_ref());
        let mut rhs = vec![0.0; m];
        for (child, places) in children {
            add_groups::<D>(&child.rhs, places, y, &mut rhs);
            self.pool.give(child.matrix);
        }
        solve_lower_triangular_in_place(above.as_ref(), column(y), Par::Seq);
        matmul(column(&mut rhs), Accum::Add, below.as_ref(), column(y).as_ref(), -1.0, Par::Seq);
        Some(Remainder { matrix, rhs })
    }

    /// Fills the columns of a front with the matrix and what its children leave there.
    fn load(&self, front: &Front, children: &[Left<'_>], panel: &mut [f64]) {
        in_columns::<D>(panel, front.height(), &|range, columns| {
            columns.fill(0.0);
            self.load_matrix(front, &range, columns);
            for (child, places) in children {
                child.add_to::<D>(places, &range, columns, 0);
            }
        });
    }

    /// Adds the matrix to a range of a front's columns, in blocks.
    fn load_matrix(&self, front: &Front, range: &Range<usize>, columns: &mut [f64]) {
        let height = D * front.height();
        for entry in front.entries_of(range) {
            let block = self.matrix.values()[entry.block as usize];
            let block = if entry.transposed { block } else { block.transpose() };
            let first = D * (entry.column as usize - range.start);
            for (l, numbers) in block.0.iter().enumerate() {
                let start = (first + l) * height + D * entry.row as usize;
                columns[start..start + D].copy_from_slice(numbers);
            }
        }
        if self.shifts.is_empty() {
            return;
        }
        for place in range.clone() {
            let shift = self.shifts[self.tree.order[front.first + place] as usize];
            for l in 0..D {
                columns[(D * (place - range.start) + l) * height + D * place + l] += shift;
            }
        }
    }

    /// `U`: what the children leave to the rows of a front, less `L₂₁ L₂₁ᵀ`.
    fn remainder(&self, front: &Front, children: &[Left<'_>], below: MatRef<'_, f64>) -> Vec<f64> {
        let (k, m) = (front.columns, front.rows.len());
        let mut left = self.pool.take(D * m * D * m);
        let numbers = &mut left[..D * m * D * m];
        let matrix = MatMut::from_column_major_slice_mut(numbers, D * m, D * m);
        dense::subtract_square(matrix, Accum::Replace, below);
        in_columns::<D>(numbers, m, &|range, columns| {
            // Blocks on the diagonal are added as a whole.
            for (place, l) in range.clone().flat_map(|place| (1..D).map(move |l| (place, l))) {
                let start = (D * (place - range.start) + l) * D * m + D * place;
                columns[start..start + l].fill(0.0);
            }
            let range = k + range.start..k + range.end;
            for (child, places) in children {
                child.add_to::<D>(places, &range, columns, k);
            }
        });
        left
    }
}

/// Calls `f` for ranges of the columns of a matrix with so many rows, all in blocks, and their numbers.
fn in_columns<const D: usize>(
    numbers: &mut [f64],
    rows: usize,
    f: &(dyn Fn(Range<usize>, &mut [f64]) + Sync),
) {
    let size = D * D * rows;
    let count = numbers.len().checked_div(size).unwrap_or(0);
    let columns = (CHUNK / size.max(1)).max(1);
    if count <= columns {
        return f(0..count, numbers);
    }
    let parts: Vec<_> = numbers.chunks_mut(columns * size).collect();
    threads::for_each(parts, &|part, numbers| {
        let first = part * columns;
        f(first..first + numbers.len() / size, numbers);
    });
}

/// Substitutions with a factor.
struct Substitution<'a, const D: usize> {
    tree: &'a AssemblyTree,
}

impl<const D: usize> Substitution<'_, D> {
    /// Solves `L y = b` in the fronts of a task: `x` is `b` before and `y` after. What its roots add to the right-hand sides of others, in their
    /// order.
    fn forward(&self, task: &Task, part: Part<'_>) -> Vec<Vec<f64>> {
        let (parts, own) = split::<D>(self.tree, task, part);
        let mut done = vec![Vec::new(); task.before.len()];
        let work = task.before.iter().zip(parts).zip(&mut done).collect();
        threads::for_each(work, &|_, ((task, part), done)| *done = self.forward(task, part));
        let mut waiting = done.concat();
        let mut rest = own;
        for front in &self.tree.fronts[task.own.clone()] {
            let (panel, factor) = rest.factor.split_at_mut(panel_size::<D>(front));
            let (y, x) = rest.x.split_at_mut(D * front.columns);
            let mut left = vec![0.0; D * front.rows.len()];
            let children = waiting.split_off(waiting.len() - front.children.len());
            for (child, number) in children.iter().zip(&front.children) {
                add_groups::<D>(child, &self.tree.fronts[*number].in_parent, y, &mut left);
            }
            substitute(panel, y, &mut left);
            waiting.push(left);
            rest = Part { factor, x };
        }
        waiting
    }

    /// Solves `Lᵀ x = y` in the fronts of a task: `x` is `y` before. `above` is `x` in the rows of its roots.
    fn backward(&self, task: &Task, part: Part<'_>, mut above: Vec<Vec<f64>>) {
        let (parts, own) = split::<D>(self.tree, task, part);
        let mut rest = own;
        for front in self.tree.fronts[task.own.clone()].iter().rev() {
            let (factor, panel) = rest.factor.split_at_mut(rest.factor.len() - panel_size::<D>(front));
            let (others, x) = rest.x.split_at_mut(rest.x.len() - D * front.columns);
            let rows = above.pop().unwrap_or_default();
            let panel = MatRef::from_column_major_slice(panel, D * front.height(), D * front.columns);
            substitute_back(panel, x, &rows);
            let at = |place: usize| if place < x.len() { x[place] } else { rows[place - x.len()] };
            above.extend(front.children.iter().map(|child| {
                let places = self.tree.fronts[*child].in_parent.iter().map(|place| D * *place as usize);
                places.flat_map(|place| (place..place + D).map(at)).collect()
            }));
            rest = Part { factor, x: others };
        }
        let mut work: Vec<_> =
            task.before.iter().zip(parts).map(|(task, part)| (task, part, Vec::new())).collect();
        for (task, _, of_task) in work.iter_mut().rev() {
            *of_task = above.split_off(above.len() - task.roots);
        }
        threads::for_each(work, &|_, (task, part, above)| self.backward(task, part, above));
    }
}

/// The parts of the tasks before a task, and its own.
fn split<'p, const D: usize>(tree: &AssemblyTree, task: &Task, part: Part<'p>) -> (Vec<Part<'p>>, Part<'p>) {
    let Part { mut factor, mut x } = part;
    let mut parts = Vec::with_capacity(task.before.len());
    for before in &task.before {
        let fronts = &tree.fronts[before.all()];
        let columns: usize = fronts.iter().map(|front| front.columns).sum();
        let (own, others) = factor.split_at_mut(fronts.iter().map(panel_size::<D>).sum());
        let (own_x, other_x) = x.split_at_mut(D * columns);
        parts.push(Part { factor: own, x: own_x });
        (factor, x) = (others, other_x);
    }
    (parts, Part { factor, x })
}

impl Remainder {
    /// Adds it to a range of the parent's columns, in blocks, which begin with the row `first`. `places` says where its rows lie there.
    fn add_to<const D: usize>(
        &self,
        places: &[u32],
        range: &Range<usize>,
        columns: &mut [f64],
        first: usize,
    ) {
        let size = self.rhs.len();
        let height = columns.len() / (D * range.len()).max(1);
        let start = places.partition_point(|place| (*place as usize) < range.start);
        let rest = places[start..].iter().take_while(|place| (**place as usize) < range.end);
        for (number, &place) in (start..).zip(rest) {
            for l in 0..D {
                let own = &self.matrix[(D * number + l) * size..][..size];
                let to = D * (place as usize - range.start) + l;
                let to = &mut columns[to * height..][..height];
                add_column::<D>(&own[D * number..], &places[number..], to, first as u32);
            }
        }
    }
}

/// Adds groups of `D` numbers to those at `places` of two lists, one behind the other.
fn add_groups<const D: usize>(own: &[f64], places: &[u32], first: &mut [f64], second: &mut [f64]) {
    let k = first.len();
    for (own, &place) in own.as_chunks::<D>().0.iter().zip(places) {
        let to = D * place as usize;
        let to = if to < k { &mut first[to..to + D] } else { &mut second[to - k..to - k + D] };
        for (to, own) in to.iter_mut().zip(own) {
            *to += own;
        }
    }
}

/// Adds groups of `D` numbers to those at `places` of a column that begins with place `first`.
fn add_column<const D: usize>(own: &[f64], places: &[u32], to: &mut [f64], first: u32) {
    let to = to.as_chunks_mut::<D>().0;
    for (own, &place) in own.as_chunks::<D>().0.iter().zip(places) {
        let to = &mut to[(place - first) as usize];
        for k in 0..D {
            to[k] += own[k];
        }
    }
}

/// `x := L₁₁⁻¹ x`, then `rows := rows − L₂₁ x`: column by column, as they lie in memory.
fn substitute(panel: &[f64], x: &mut [f64], rows: &mut [f64]) {
    let height = x.len() + rows.len();
    for (j, column) in panel.chunks_exact(height.max(1)).enumerate() {
        let (above, below) = column.split_at(x.len());
        let y = x[j] / above[j];
        x[j] = y;
        for (x, l) in x[j + 1..].iter_mut().zip(&above[j + 1..]) {
            *x -= y * l;
        }
        for (row, l) in rows.iter_mut().zip(below) {
            *row -= y * l;
        }
    }
}

/// `x := L₁₁⁻ᵀ (x − L₂₁ᵀ x₂)` with `x₂` in the rows of a front.
fn substitute_back(panel: MatRef<'_, f64>, x: &mut [f64], rows: &[f64]) {
    let (above, below) = panel.split_at_row(x.len());
    let rows = MatRef::from_column_major_slice(rows, rows.len(), 1);
    matmul(column(x), Accum::Add, below.transpose(), rows, -1.0, Par::Seq);
    solve_upper_triangular_in_place(above.transpose(), column(x), Par::Seq);
}

/// A vector as a matrix with one column.
fn column(x: &mut [f64]) -> MatMut<'_, f64> {
    let n = x.len();
    MatMut::from_column_major_slice_mut(x, n, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::order;
    use crate::linear::samples::{grid, matrix, vectors};
    use faer::Mat;

    /// Vectors lie wherever there is memory.
    #[test]
    fn where_vectors_lie_leaves_no_trace() {
        for (k, m) in [(3, 0), (6, 9), (33, 51), (90, 210)] {
            let panel =
                Mat::from_fn(k + m, k, |i, j| ((i * j + i) as f64).sin() + if i == j { 9.0 } else { 0.0 });
            let numbers: Vec<f64> = (0..k + m).map(|i| (i as f64).cos()).collect();
            let at = |offset: usize| {
                let mut memory = vec![0.0; k + m + offset];
                memory[offset..].copy_from_slice(&numbers);
                let (x, rows) = memory[offset..].split_at_mut(k);
                let (above, below) = panel.as_ref().split_at_row(k);
                solve_lower_triangular_in_place(above, column(x), Par::Seq);
                matmul(column(rows), Accum::Add, below, column(x).as_ref(), -1.0, Par::Seq);
                substitute_back(panel.as_ref(), x, rows);
                memory.split_off(offset)
            };
            for offset in 1..9 {
                assert!(at(offset) == at(0), "{k} columns, {m} rows, {offset} numbers further");
            }
        }
    }

    #[test]
    fn a_factor_solves_again() {
        let (n, pairs) = grid([9, 10, 11]);
        let (blocks, b) = (matrix::<3>(n, &pairs, 0.1), vectors::<3>(n as usize, &mut 5));
        let graph = Graph::new(blocks.pattern());
        let mut solver = Multifrontal::new(AssemblyTree::new(&graph, &order::best(&graph).unwrap()));
        let p = solver.solve(&blocks, &b, &[]).unwrap();
        solver.factorise(&blocks, &[]).unwrap();
        for times in [1.0, -3.0] {
            let b: Vec<_> = b.iter().map(|b| *b * times).collect();
            let again = solver.substitute(&b);
            assert!(p.iter().zip(&again).all(|(p, again)| (*p * times - *again).norm() < 1e-12));
        }
        assert!(solver.factorise(&matrix::<3>(n, &pairs, -0.05), &[]).is_none());
    }
}
