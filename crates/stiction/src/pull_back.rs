//! Energies of a surface as energies of the nodes that move it.

use std::sync::Arc;

use crate::assemble::{self, Assembly};
use crate::blocks::{Blocks, Pattern, Stencils, Submatrix};
use crate::distance::Psd;
use crate::linear_map::LinearMap;
use crate::math::{Matrix, Vector};
use crate::potential::Potential;
use crate::stencil::Stencil;

/// A potential `P` of the vertices as a potential of the nodes, with the weights `W` of a [`LinearMap`]:
///
/// ```text
/// E(q) = P(W q)        ∇E = Wᵀ ∇P        ∇²E = Wᵀ ∇²P W        q in m
/// ```
/// Block `Hᵢⱼ` of two vertices goes to the blocks `(k, l)` of the nodes that move them, with the factor `Wᵢₖ Wⱼₗ`, in the order of
/// the blocks of `P`. What is positive semi-definite stays so.
#[derive(Debug)]
pub struct PullBack<'a, P: ?Sized> {
    /// `P`.
    pub potential: &'a P,
    /// `W`.
    pub map: &'a LinearMap,
}

/// A block of the vertices in the matrix of the nodes: where it goes, its factor, its place among the blocks of the vertices.
#[derive(Clone, Debug)]
struct Term<const N: usize> {
    nodes: Stencil<N>,
    weight: f64,
    block: usize,
}

/// All terms of a pattern: of single nodes, and of pairs of them.
#[derive(Clone, Debug)]
struct Terms {
    single: Vec<Term<1>>,
    pairs: Vec<Term<2>>,
}

impl Terms {
    fn new(pattern: &Pattern, map: &LinearMap) -> Self {
        let mut terms = Self { single: Vec::new(), pairs: Vec::new() };
        for column in 0..pattern.vertices() {
            for block in pattern.lower(column) {
                let row = pattern.rows()[block] as usize;
                if row == column {
                    terms.add_diagonal(map, row, block);
                } else {
                    terms.add_pair(map, row, column, block);
                }
            }
        }
        terms
    }

    /// A block that is symmetric: each pair of nodes once, its transpose comes by itself.
    fn add_diagonal(&mut self, map: &LinearMap, vertex: usize, block: usize) {
        for (place, (k, a)) in map.row(vertex).enumerate() {
            self.single.push(Term { nodes: Stencil([k as u32]), weight: a * a, block });
            for (l, b) in map.row(vertex).skip(place + 1) {
                self.pairs.push(Term { nodes: Stencil([k as u32, l as u32]), weight: a * b, block });
            }
        }
    }

    fn add_pair(&mut self, map: &LinearMap, row: usize, column: usize, block: usize) {
        for (k, a) in map.row(row) {
            for (l, b) in map.row(column) {
                self.pairs.push(Term { nodes: Stencil([k as u32, l as u32]), weight: a * b, block });
            }
        }
    }
}

impl Terms {
    /// Where the blocks go.
    fn list(&self, out: &mut Stencils) {
        out.push(self.single.iter().map(|term| term.nodes));
        out.push(self.pairs.iter().map(|term| term.nodes));
    }

    /// Adds them with the values of a matrix of the vertices.
    fn add<const D: usize>(&self, values: &[Matrix<D>], out: &mut Assembly<'_, D>) {
        let single = |_, term: &Term<1>| [[values[term.block] * term.weight]];
        assemble::hessian(&self.single, out, |_, term| term.nodes, single);
        let pair = |_, term: &Term<2>| {
            let block = values[term.block] * term.weight;
            [[Matrix::ZERO, block], [block.transpose(), Matrix::ZERO]]
        };
        assemble::hessian(&self.pairs, out, |_, term| term.nodes, pair);
    }
}

/// How a matrix of the nodes is made.
#[derive(Clone, Debug)]
enum Way {
    /// The map takes some of the vertices: their blocks are copied.
    Copy(Submatrix),
    /// Any other map.
    Sum(Terms),
}

impl Way {
    fn new(pattern: &Pattern, map: &LinearMap) -> Self {
        match map.selection() {
            Some(numbers) => Self::Copy(Submatrix::new(pattern, &numbers, map.nodes())),
            None => Self::Sum(Terms::new(pattern, map)),
        }
    }
}

/// `Wᵀ A W` of a matrix of the vertices, as a matrix of the nodes, with its memory: where blocks go is kept while `W` and the pattern of `A` stay.
/// Where `W` only takes some of the vertices, as with prescribed nodes and no links, blocks are copied.
#[derive(Clone, Debug, Default)]
pub struct Congruence<const D: usize> {
    pattern: Arc<Pattern>,
    map: Option<LinearMap>,
    /// Nothing without a map.
    way: Option<Way>,
    product: Blocks<D>,
}

impl<const D: usize> Congruence<D> {
    /// Multiplies a matrix; without a map there is nothing to do.
    ///
    /// # Panics
    /// If there is not one row of the map for each row of blocks.
    pub fn reduce(&mut self, matrix: &Blocks<D>, map: Option<&LinearMap>) {
        let same = self.map.as_ref() == map && Arc::ptr_eq(&self.pattern, matrix.pattern());
        if !same {
            (self.map, self.way) = (map.cloned(), None);
            self.pattern = Arc::clone(matrix.pattern());
        }
        let Some(map) = &self.map else { return };
        assert_eq!(matrix.vertices(), map.vertices(), "a row of the map for each row of blocks");
        match self.way.get_or_insert_with(|| Way::new(&self.pattern, map)) {
            Way::Copy(part) => part.copy(matrix, &mut self.product),
            Way::Sum(terms) => {
                self.product.begin(map.nodes(), |stencils| terms.list(stencils));
                terms.add(matrix.values(), &mut Assembly::Matrix(&mut self.product));
                self.product.finish();
            }
        }
    }

    /// The product, or the matrix itself where there was no map.
    pub fn matrix<'a>(&'a self, matrix: &'a Blocks<D>) -> &'a Blocks<D> {
        if self.map.is_some() { &self.product } else { matrix }
    }
}

impl<const D: usize, P: Potential<D> + ?Sized> Potential<D> for PullBack<'_, P> {
    fn energy(&self, q: &[Vector<D>]) -> f64 {
        self.potential.energy(&self.map.apply(q))
    }

    fn gradient(&self, q: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        let mut surface = vec![Vector::ZERO; self.map.vertices()];
        self.potential.gradient(&self.map.apply(q), scale, &mut surface);
        self.map.add_transposed(&surface, out);
    }

    fn stencils(&self, out: &mut Stencils) {
        let mut surface = Blocks::<D>::default();
        surface.begin(self.map.vertices(), |stencils| self.potential.stencils(stencils));
        Terms::new(surface.pattern(), self.map).list(out);
    }

    fn hessian(&self, q: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        let x = self.map.apply(q);
        match out {
            Assembly::Product { p, out } => {
                let mut product = vec![Vector::ZERO; x.len()];
                self.potential.product(&x, scale, psd, &self.map.apply(p), &mut product);
                self.map.add_transposed(&product, out);
            }
            Assembly::Form { p, sum } => {
                **sum += scale * self.potential.quadratic_form(&x, psd, &self.map.apply(p));
            }
            _ => {
                let mut surface = Blocks::default();
                surface.assemble(self.potential, &x, scale, psd);
                Terms::new(surface.pattern(), self.map).add(surface.values(), out);
            }
        }
    }
}
