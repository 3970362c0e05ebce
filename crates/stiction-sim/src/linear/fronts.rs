//! Fronts that are kept while a matrix gets and loses blocks.

use std::sync::Arc;

use stiction::blocks::Pattern;

use super::assembly_tree::AssemblyTree;
use super::elimination::Elimination;
use super::graph::Graph;
use super::multifrontal::Multifrontal;
use super::order;

/// How much more work than when it was found an order may cost before another one is looked for.
const MORE: f64 = 1.5;

/// An order of elimination.
#[derive(Debug)]
struct Order {
    /// What it was found for.
    pattern: Arc<Pattern>,
    /// Which vertex comes at each place.
    vertices: Vec<u32>,
    /// What it cost there, as predicted.
    work: f64,
}

/// Fronts for the matrices of a time step.
///
/// An order of elimination is found for the first matrix of a [step](Self::begin_step) and kept while contacts come and go, until it costs half as much
/// again. The fronts are kept, too, as long as they have a place for every block, and made anew for the contacts of now and of before where they have
/// not. What was solved before the step leaves no trace.
#[derive(Debug, Default)]
pub(super) struct Fronts {
    factor: Multifrontal,
    /// The pattern of the last matrix.
    pattern: Option<Arc<Pattern>>,
    /// What the fronts were made for.
    graph: Option<Graph>,
    order: Option<Order>,
    /// Whether all of this is of the step before.
    is_old: bool,
}

impl Fronts {
    /// From now on nothing depends on what was solved before.
    pub fn begin_step(&mut self) {
        self.is_old = true;
    }

    /// The factorisation of matrices of a pattern. Nothing if memory runs out.
    pub fn of(&mut self, pattern: &Arc<Pattern>) -> Option<&mut Multifrontal> {
        let is_old = std::mem::take(&mut self.is_old);
        let is_last = self.pattern.as_ref().is_some_and(|last| last == pattern);
        if is_last && !is_old {
            return Some(&mut self.factor);
        }
        self.pattern = None;
        let graph = Graph::new(pattern);
        if is_old {
            self.forget(pattern, &graph);
        }
        if self.graph.is_none() || !self.factor.fit(&graph) {
            self.rebuild(pattern, &graph)?;
        }
        self.pattern = Some(Arc::clone(pattern));
        Some(&mut self.factor)
    }

    /// The last factorisation.
    pub fn last(&mut self) -> &mut Multifrontal {
        &mut self.factor
    }

    /// Which vertex comes at each place, if there is an order.
    #[cfg(test)]
    pub fn order(&self) -> Option<&[u32]> {
        self.order.as_ref().map(|order| &order.vertices[..])
    }

    /// Forgets what came before a step, unless its first pattern alone would lead there again.
    fn forget(&mut self, pattern: &Arc<Pattern>, graph: &Graph) {
        if self.order.as_ref().is_some_and(|order| order.pattern == *pattern) {
            self.graph = self.graph.take().filter(|own| own == graph);
        } else {
            (self.order, self.graph) = (None, None);
        }
    }

    /// Makes fronts for a graph and, where that costs little, for what there was a place for before: contacts come back.
    fn rebuild(&mut self, pattern: &Arc<Pattern>, graph: &Graph) -> Option<()> {
        let both = self.graph.take().filter(|old| old.len() == graph.len()).map(|old| graph.with(&old));
        let known = [both.as_ref(), Some(graph)].into_iter().flatten().find_map(|wide| {
            let elimination = self.eliminate(wide)?;
            Some((wide.clone(), elimination))
        });
        let (wide, elimination) = match known {
            Some(known) => known,
            None => (graph.clone(), self.reorder(pattern, graph)?),
        };
        self.factor.set(AssemblyTree::new(&wide, &elimination));
        self.factor.fit(graph);
        self.graph = Some(wide);
        Some(())
    }

    /// Elimination in the order that is known, unless there is none or it has become costly.
    fn eliminate(&self, graph: &Graph) -> Option<Elimination> {
        let order = self.order.as_ref().filter(|order| order.vertices.len() == graph.len())?;
        let elimination = Elimination::new(graph, &order.vertices);
        (elimination.work() <= MORE * order.work).then_some(elimination)
    }

    /// Elimination in a new order.
    fn reorder(&mut self, pattern: &Arc<Pattern>, graph: &Graph) -> Option<Elimination> {
        let elimination = order::best(graph)?;
        let (vertices, work) = (elimination.order.clone(), elimination.work());
        self.order = Some(Order { pattern: Arc::clone(pattern), vertices, work });
        Some(elimination)
    }
}
