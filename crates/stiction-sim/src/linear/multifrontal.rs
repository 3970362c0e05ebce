//! Multifrontal Cholesky factorisation on all threads.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use stiction::blocks::Blocks;
use stiction::math::Vector;
use stiction::threads;

use super::assembly_tree::{AssemblyTree, Front};
use super::dense;
use super::task::Task;

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
    panels: Vec<Mat<f64>>,
}

/// What a front leaves to its parent, for its rows.
struct Remainder {
    /// `U`, in the lower triangle.
    matrix: Mat<f64>,
    /// What is to be added to the right-hand side.
    rhs: Vec<f64>,
}

/// The part of the factor and of the solution that belongs to some fronts.
struct Part<'a> {
    panels: &'a mut [Mat<f64>],
    x: &'a mut [f64],
}

impl Multifrontal {
    /// Prepares factorisations with these fronts.
    pub fn new(tree: AssemblyTree) -> Self {
        let task = Task::new(&tree.fronts);
        let panels = tree.fronts.iter().map(|_| Mat::new()).collect();
        Self { tree, task, panels }
    }

    /// Solves `(A + diag(shifts)) p = b` for the vertices of the tree; `p` is zero at others. Nothing if the matrix is not positive definite.
    pub fn solve<const D: usize>(
        &mut self,
        matrix: &Blocks<D>,
        b: &[Vector<D>],
        shifts: &[f64],
    ) -> Option<Vec<Vector<D>>> {
        let Self { tree, task, panels } = self;
        let mut x: Vec<f64> = tree.order.iter().flat_map(|row| b[*row as usize].0).collect();
        let work = Work::<D> { tree, matrix, shifts };
        work.forward(task, Part { panels, x: &mut x })?;
        Substitution::<D> { tree }.backward(task, Part { panels, x: &mut x }, vec![Vec::new(); task.roots]);
        let mut p = vec![Vector::ZERO; b.len()];
        for (row, x) in tree.order.iter().zip(x.as_chunks::<D>().0) {
            p[*row as usize] = Vector(*x);
        }
        x.iter().all(|x| x.is_finite()).then_some(p)
    }
}

impl Multifrontal {
    /// Factorises `A + diag(shifts)`, to [`substitute`](Self::substitute) then; nothing if it is not positive definite.
    pub fn factorise<const D: usize>(&mut self, matrix: &Blocks<D>, shifts: &[f64]) -> Option<()> {
        let Self { tree, task, panels } = self;
        let mut x = vec![0.0; D * tree.order.len()];
        Work::<D> { tree, matrix, shifts }.forward(task, Part { panels, x: &mut x })?;
        Some(())
    }

    /// `p` of `A p = b` with the factor of the last matrix.
    pub fn substitute<const D: usize>(&mut self, b: &[Vector<D>]) -> Vec<Vector<D>> {
        let Self { tree, task, panels } = self;
        let mut x: Vec<f64> = tree.order.iter().flat_map(|row| b[*row as usize].0).collect();
        let work = Substitution::<D> { tree };
        work.forward(task, Part { panels, x: &mut x });
        work.backward(task, Part { panels, x: &mut x }, vec![Vec::new(); task.roots]);
        let mut p = vec![Vector::ZERO; b.len()];
        for (row, x) in tree.order.iter().zip(x.as_chunks::<D>().0) {
            p[*row as usize] = Vector(*x);
        }
        p
    }
}

/// A factorisation under way.
struct Work<'a, const D: usize> {
    tree: &'a AssemblyTree,
    matrix: &'a Blocks<D>,
    /// What is added to the diagonal, row by row, or nothing.
    shifts: &'a [f64],
}

impl<const D: usize> Work<'_, D> {
    /// Factorises the fronts of a task and solves `L y = b`: `x` is `b` before and `y` after. What its roots leave, in their order.
    fn forward(&self, task: &Task, part: Part<'_>) -> Option<Vec<Remainder>> {
        let (parts, own) = split::<D>(self.tree, task, part);
        let mut done: Vec<Option<Vec<Remainder>>> = task.before.iter().map(|_| None).collect();
        let work = task.before.iter().zip(parts).zip(&mut done).collect();
        threads::for_each(work, &|_, ((task, part), done)| *done = self.forward(task, part));
        let done: Option<Vec<Vec<Remainder>>> = done.into_iter().collect();
        let mut waiting: Vec<Remainder> = done?.into_iter().flatten().collect();
        let mut rest = own.x;
        for (front, panel) in self.tree.fronts[task.own.clone()].iter().zip(own.panels) {
            let children = waiting.split_off(waiting.len() - front.children.len());
            let (x, others) = rest.split_at_mut(D * front.columns);
            waiting.push(self.eliminate(front, children, (panel, x))?);
            rest = others;
        }
        Some(waiting)
    }

    /// Factorises a front and replaces its right-hand side `b` by `y` of `L y = b`.
    fn eliminate(
        &self,
        front: &Front,
        children: Vec<Remainder>,
        (panel, y): (&mut Mat<f64>, &mut [f64]),
    ) -> Option<Remainder> {
        let (k, m) = (D * front.columns, D * front.rows.len());
        self.load(front, panel);
        let mut left = Remainder { matrix: Mat::zeros(m, m), rhs: vec![0.0; m] };
        for (child, number) in children.into_iter().zip(&front.children) {
            child.add_to::<D>(&self.tree.fronts[*number].in_parent, (panel, y), &mut left);
        }
        let (mut above, mut below) = panel.as_mut().split_at_row_mut(k);
        dense::factorise(above.as_mut())?;
        dense::divide(below.as_mut(), above.as_ref());
        dense::subtract_square(left.matrix.as_mut(), below.as_ref());
        solve_lower_triangular_in_place(above.as_ref(), column(y), Par::Seq);
        matmul(column(&mut left.rhs), Accum::Add, below.as_ref(), column(y).as_ref(), -1.0, Par::Seq);
        Some(left)
    }

    /// Writes the matrix into the columns of a front.
    fn load(&self, front: &Front, panel: &mut Mat<f64>) {
        let shape = (D * (front.columns + front.rows.len()), D * front.columns);
        if panel.shape() == shape {
            panel.fill(0.0);
        } else {
            *panel = Mat::zeros(shape.0, shape.1);
        }
        for entry in &front.entries {
            let block = self.matrix.values()[entry.block as usize];
            let block = if entry.transposed { block } else { block.transpose() };
            for (l, numbers) in block.0.iter().enumerate() {
                let column = panel.col_as_slice_mut(D * entry.column as usize + l);
                column[D * entry.row as usize..][..D].copy_from_slice(numbers);
            }
        }
        if self.shifts.is_empty() {
            return;
        }
        for (place, row) in self.tree.order[front.first..][..front.columns].iter().enumerate() {
            for k in D * place..D * (place + 1) {
                panel[(k, k)] += self.shifts[*row as usize];
            }
        }
    }
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
        let mut rest = own.x;
        for (front, panel) in self.tree.fronts[task.own.clone()].iter().zip(own.panels) {
            let (x, others) = rest.split_at_mut(D * front.columns);
            let mut left = vec![0.0; D * front.rows.len()];
            let children = waiting.split_off(waiting.len() - front.children.len());
            for (child, number) in children.iter().zip(&front.children) {
                add_groups::<D>(child, &self.tree.fronts[*number].in_parent, (x, &mut left));
            }
            substitute(panel, x, &mut left);
            waiting.push(left);
            rest = others;
        }
        waiting
    }

    /// Solves `Lᵀ x = y` in the fronts of a task: `x` is `y` before. `above` is `x` in the rows of its roots.
    fn backward(&self, task: &Task, part: Part<'_>, mut above: Vec<Vec<f64>>) {
        let (parts, own) = split::<D>(self.tree, task, part);
        let mut rest = own.x;
        for (front, panel) in self.tree.fronts[task.own.clone()].iter().zip(own.panels).rev() {
            let (others, x) = rest.split_at_mut(rest.len() - D * front.columns);
            let rows = above.pop().unwrap_or_default();
            substitute_back(panel.as_ref(), x, &rows);
            let at = |place: usize| if place < x.len() { x[place] } else { rows[place - x.len()] };
            above.extend(front.children.iter().map(|child| {
                let places = self.tree.fronts[*child].in_parent.iter().map(|place| D * *place as usize);
                places.flat_map(|place| (place..place + D).map(at)).collect()
            }));
            rest = others;
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
    let Part { mut panels, mut x } = part;
    let mut parts = Vec::with_capacity(task.before.len());
    for before in &task.before {
        let all = before.all();
        let columns: usize = tree.fronts[all.clone()].iter().map(|front| front.columns).sum();
        let (own, others) = panels.split_at_mut(all.len());
        let (own_x, other_x) = x.split_at_mut(D * columns);
        parts.push(Part { panels: own, x: own_x });
        (panels, x) = (others, other_x);
    }
    (parts, Part { panels, x })
}

impl Remainder {
    /// Adds it to the columns and the right-hand side of the parent, and to what that leaves to its own. `places` says where its rows lie there.
    fn add_to<const D: usize>(
        &self,
        places: &[u32],
        (panel, rhs): (&mut Mat<f64>, &mut [f64]),
        left: &mut Self,
    ) {
        let k = panel.ncols();
        for (number, &place) in places.iter().enumerate() {
            for l in 0..D {
                let (from, to) = (D * number + l, D * place as usize + l);
                let own = self.matrix.col_as_slice(from);
                // Columns that are left begin with the row below the parent's columns.
                let (to, first) = if to < k {
                    (panel.col_as_slice_mut(to), 0)
                } else {
                    (left.matrix.col_as_slice_mut(to - k), k / D)
                };
                add_column::<D>(&own[D * number..], &places[number..], (to, first as u32));
            }
        }
        add_groups::<D>(&self.rhs, places, (rhs, &mut left.rhs));
    }
}

/// Adds groups of `D` numbers to those at `places` of two lists, one behind the other.
fn add_groups<const D: usize>(own: &[f64], places: &[u32], (first, second): (&mut [f64], &mut [f64])) {
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
fn add_column<const D: usize>(own: &[f64], places: &[u32], (to, first): (&mut [f64], u32)) {
    let to = to.as_chunks_mut::<D>().0;
    for (own, &place) in own.as_chunks::<D>().0.iter().zip(places) {
        let to = &mut to[(place - first) as usize];
        for k in 0..D {
            to[k] += own[k];
        }
    }
}

/// `x := L₁₁⁻¹ x`, then `rows := rows − L₂₁ x`: column by column, as they lie in memory.
fn substitute(panel: &Mat<f64>, x: &mut [f64], rows: &mut [f64]) {
    for j in 0..x.len() {
        let (above, below) = panel.col_as_slice(j).split_at(x.len());
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
    use crate::linear::graph::Graph;
    use crate::linear::order;
    use crate::linear::samples::{grid, matrix, vectors};

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
