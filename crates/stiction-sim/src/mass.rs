//! Masses of the nodes: a sparse symmetric matrix of scalars, the same for each axis.

use stiction::assemble::{self, Assembly};
use stiction::blocks::Stencils;
use stiction::math::{Matrix, Vector};
use stiction::stencil::Stencil;

use crate::error::{Error, Result};

/// The mass `Mₖₗ` in kg of two nodes `k ≠ l`.
pub type MassPair = ([u32; 2], f64);

/// How the mass of an element goes to its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassKind {
    /// `lumped`: an equal part to each.
    #[default]
    Lumped,
    /// `consistent`: as its linear shape functions weigh it, `m (1 + δₖₗ)/(N (N + 1))` for `N` nodes and a mass `m` in kg.
    Consistent,
}

/// ```text
/// T = ½ Σₖₗ Mₖₗ vₖ·vₗ        M in kg, v in m/s, T in J
/// ```
/// Lumped masses are its diagonal and nothing else. Consistent masses of elements, and those of bodies whose nodes are not places in the
/// body, have entries of pairs of nodes, too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MassMatrix {
    diagonal: Vec<f64>,
    /// Each pair `k < l` once, ascending.
    pairs: Vec<MassPair>,
    /// Sums of the rows, where there are pairs.
    sums: Vec<f64>,
}

impl MassMatrix {
    /// Masses on the diagonal and of pairs of nodes, in kg; a pair that occurs twice counts twice, whichever of its nodes comes first.
    ///
    /// # Errors
    /// If a pair names a node that does not exist, or one node twice, or a mass is no number.
    pub fn new(diagonal: Vec<f64>, mut pairs: Vec<MassPair>) -> Result<Self> {
        for (nodes, _) in &mut pairs {
            nodes.sort_unstable();
        }
        check(&diagonal, &pairs)?;
        pairs.sort_by_key(|(nodes, _)| *nodes);
        let mut once: Vec<MassPair> = Vec::with_capacity(pairs.len());
        for (nodes, mass) in pairs {
            match once.last_mut() {
                Some((last, sum)) if *last == nodes => *sum += mass,
                _ => once.push((nodes, mass)),
            }
        }
        let mut sums = Vec::new();
        if !once.is_empty() {
            sums.clone_from(&diagonal);
        }
        for &([k, l], mass) in &once {
            sums[k as usize] += mass;
            sums[l as usize] += mass;
        }
        Ok(Self { diagonal, pairs: once, sums })
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// `Mₖₖ` in kg.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// `Mₖₗ` in kg of each pair `k < l` of nodes, ascending.
    pub fn pairs(&self) -> &[MassPair] {
        &self.pairs
    }

    /// `Σₗ Mₖₗ` in kg: the part of each node in the mass, in the momentum and in the weight of its body.
    pub fn of_nodes(&self) -> &[f64] {
        if self.pairs.is_empty() { &self.diagonal } else { &self.sums }
    }

    /// `M` times a number for each node, where nodes with entries in common have the same number; none at all if there is no number.
    pub fn times(&self, factors: &[f64]) -> Self {
        if factors.is_empty() {
            return Self::default();
        }
        let scale = |masses: &[f64]| factors.iter().zip(masses).map(|(factor, mass)| factor * mass).collect();
        let pair = |&(nodes, mass): &MassPair| (nodes, factors[nodes[0] as usize] * mass);
        Self {
            diagonal: scale(&self.diagonal),
            pairs: self.pairs.iter().map(pair).collect(),
            sums: scale(&self.sums),
        }
    }

    /// `Σₖₗ Mₖₗ dₖ·dₗ` of a vector for each node.
    pub fn form<const D: usize>(&self, d: impl Fn(usize) -> Vector<D> + Sync) -> f64 {
        let own = assemble::sum(self.len(), |k| {
            // What has no mass may have no velocity that is a number.
            if self.diagonal[k] == 0.0 { 0.0 } else { self.diagonal[k] * d(k).norm_squared() }
        });
        let mixed = assemble::sum(self.pairs.len(), |i| {
            let ([k, l], mass) = self.pairs[i];
            2.0 * mass * d(k as usize).dot(d(l as usize))
        });
        own + mixed
    }

    /// Adds `scale M d` to `out`.
    pub fn add_product<const D: usize>(
        &self,
        d: impl Fn(usize) -> Vector<D>,
        scale: f64,
        out: &mut [Vector<D>],
    ) {
        for (k, mass) in self.diagonal.iter().enumerate() {
            out[k] += d(k) * (scale * mass);
        }
        for &([k, l], mass) in &self.pairs {
            let (k, l) = (k as usize, l as usize);
            out[k] += d(l) * (scale * mass);
            out[l] += d(k) * (scale * mass);
        }
    }

    /// Where [`add_to`](Self::add_to) adds.
    pub fn stencils(&self, out: &mut Stencils) {
        out.push((0..self.len() as u32).map(|k| Stencil([k])));
        if !self.pairs.is_empty() {
            out.push(self.pairs.iter().map(|(nodes, _)| Stencil(*nodes)));
        }
    }

    /// Adds `scale M`, a multiple of the unit matrix in each block.
    pub fn add_to<const D: usize>(&self, scale: f64, out: &mut Assembly<'_, D>) {
        let own = |_, mass: &f64| [[Matrix::scalar(scale * mass)]];
        assemble::hessian(&self.diagonal, out, |k, _| Stencil([k as u32]), own);
        if self.pairs.is_empty() {
            return;
        }
        let mixed = |_, (_, mass): &MassPair| {
            let block = Matrix::scalar(scale * mass);
            [[Matrix::ZERO, block], [block, Matrix::ZERO]]
        };
        assemble::hessian(&self.pairs, out, |_, (nodes, _)| Stencil(*nodes), mixed);
    }
}

fn check(diagonal: &[f64], pairs: &[MassPair]) -> Result<()> {
    let wrong = |what: String| Err(Error::BadMass { what });
    if let Some(node) = diagonal.iter().position(|mass| !(*mass >= 0.0 && mass.is_finite())) {
        return wrong(format!("the mass {} of node {node} is not 0 or positive", diagonal[node]));
    }
    for &([k, l], mass) in pairs {
        if k == l || l as usize >= diagonal.len() {
            let last = diagonal.len();
            return wrong(format!("the pair of nodes {k} and {l} is not one of two of the {last} nodes"));
        }
        if !mass.is_finite() {
            return wrong(format!("the mass {mass} of the pair of nodes {k} and {l} is no number"));
        }
    }
    Ok(())
}
