//! Pairs of primitives that are close enough to push each other.

pub mod selection;
pub mod sources;
mod group;
mod term;
mod apart;
mod reduce;
mod improved;
mod build;
pub mod visit;
pub mod key;
pub mod memory;
pub mod gap;
mod place;
pub mod slip;
mod touch;

use crate::closest::EdgePart;
use crate::error::{Error, Result};
use crate::stencil::{EDGE_EDGE, Pair, Stencil};

pub use gap::{ClosePair, smallest_distance};
pub use key::{ContactKey, Feature};
pub use memory::{Carried, Carry, ContactMemory, Origin};
pub use selection::{ContactSet, Selection, Weighting};
pub use slip::Passage;
pub use sources::{AreaShare, WeightSources};
pub use touch::Touch;
pub use visit::AnyContact;

/// A pair of primitives under the barrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact<const N: usize> {
    /// Its vertices.
    pub stencil: Stencil<N>,
    /// How much it counts, see [`Weighting`]: several faces or edges may share their closest vertex or edge. Negative where
    /// [`ContactSet::ImprovedMax`] takes off what would be counted twice.
    pub weight: f64,
}

/// Two nearly parallel edges, whose contact is multiplied by the edge-edge mollifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParallelContact {
    /// The two edges.
    pub contact: Contact<4>,
    /// Which parts of them are closest.
    pub parts: (EdgePart, EdgePart),
    /// `ε` of the mollifier, from the edges at rest, in m⁴.
    pub threshold: f64,
}

impl ParallelContact {
    /// How `r` between the closest parts depends on the four vertices.
    pub fn pair(&self) -> Pair<4> {
        // The second coordinate first: holding the first one moves the second into its place.
        hold(hold(EDGE_EDGE, 1, self.parts.1), 0, self.parts.0)
    }
}

fn hold(pair: Pair<4>, p: usize, part: EdgePart) -> Pair<4> {
    match part {
        EdgePart::Start => pair.hold(p, 0.0),
        EdgePart::End => pair.hold(p, 1.0),
        EdgePart::Inside => pair,
    }
}

/// A vertex near an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObstacleContact {
    /// The vertex.
    pub stencil: Stencil<1>,
    /// Number of the obstacle.
    pub obstacle: u32,
    /// How much it counts, see [`Weighting`].
    pub weight: f64,
}

/// All contacts of a configuration, by kind, each kind ascending by its vertices. \[Li2020\]
///
/// Every pair that the [`Selection`] picks (a vertex and a face or two edges in 3D, a vertex and an edge in 2D, and what is
/// loose) is listed as the pair of its closest features; equal pairs are merged and their weights added, and those
/// whose weights cancel are left out. Edges within 1.8° of parallel at rest length stay edge-edge pairs, in
/// `parallel`, of which those with different closest parts are different contacts.
///
/// Weights may be changed at will: see [`scale_weights`](Contacts::scale_weights).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Two vertices.
    pub vv: Vec<Contact<2>>,
    /// A vertex and the inside of an edge.
    pub ve: Vec<Contact<3>>,
    /// The insides of two edges.
    pub ee: Vec<Contact<4>>,
    /// A vertex and the inside of a face.
    pub vf: Vec<Contact<4>>,
    /// Two nearly parallel edges.
    pub parallel: Vec<ParallelContact>,
    /// A vertex and an obstacle.
    pub obstacle: Vec<ObstacleContact>,
}

/// One value for each contact, in the order of [`Contacts`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PerContact<T> {
    /// Of `vv`.
    pub vv: Vec<T>,
    /// Of `ve`.
    pub ve: Vec<T>,
    /// Of `ee`.
    pub ee: Vec<T>,
    /// Of `vf`.
    pub vf: Vec<T>,
    /// Of `parallel`.
    pub parallel: Vec<T>,
    /// Of `obstacle`.
    pub obstacle: Vec<T>,
}

impl<T> PerContact<T> {
    /// All values: those of `vv`, then `ve`, `ee`, `vf`, `parallel` and `obstacle`.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        [&self.vv, &self.ve, &self.ee, &self.vf, &self.parallel, &self.obstacle].into_iter().flatten()
    }
}

impl<T> PerContact<T> {
    /// Puts the values of other contacts behind these, as [`Contacts::append`] does with contacts.
    pub fn append(&mut self, mut others: Self) {
        self.vv.append(&mut others.vv);
        self.ve.append(&mut others.ve);
        self.ee.append(&mut others.ee);
        self.vf.append(&mut others.vf);
        self.parallel.append(&mut others.parallel);
        self.obstacle.append(&mut others.obstacle);
    }
}

impl<T: Clone> PerContact<T> {
    /// One value for each of the contacts, from a list in the order of [`iter`](Self::iter).
    ///
    /// # Errors
    /// If there are not as many values as contacts.
    pub fn of(contacts: &Contacts, values: &[T]) -> Result<Self> {
        if values.len() != contacts.len() {
            let (found, expected) = (values.len(), contacts.len());
            return Err(Error::WrongLength { what: "values of contacts", found, expected });
        }
        let mut rest = values.iter();
        let mut take = |count: usize| rest.by_ref().take(count).cloned().collect();
        Ok(Self {
            vv: take(contacts.vv.len()),
            ve: take(contacts.ve.len()),
            ee: take(contacts.ee.len()),
            vf: take(contacts.vf.len()),
            parallel: take(contacts.parallel.len()),
            obstacle: take(contacts.obstacle.len()),
        })
    }
}

impl Contacts {
    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.vv.len()
            + self.ve.len()
            + self.ee.len()
            + self.vf.len()
            + self.parallel.len()
            + self.obstacle.len()
    }

    /// Puts others behind these, kind by kind: for what asks each contact by itself, such as keys, slips and distances. Kinds are no longer ascending.
    pub fn append(&mut self, others: &Self) {
        self.vv.extend_from_slice(&others.vv);
        self.ve.extend_from_slice(&others.ve);
        self.ee.extend_from_slice(&others.ee);
        self.vf.extend_from_slice(&others.vf);
        self.parallel.extend_from_slice(&others.parallel);
        self.obstacle.extend_from_slice(&others.obstacle);
    }

    /// Calls `f` with every vertex of every contact, as often as it is in one.
    pub fn for_each_vertex(&self, mut f: impl FnMut(u32)) {
        self.for_each(|contact| contact.vertices().iter().for_each(|v| f(*v)));
    }

    /// Whether nothing is close to anything.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether these are the same pairs of features as the others, whatever their weights.
    pub fn has_same_pairs(&self, other: &Self) -> bool {
        fn same<const N: usize>(a: &[Contact<N>], b: &[Contact<N>]) -> bool {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.stencil == b.stencil)
        }
        let parallel = |c: &ParallelContact| (c.contact.stencil, c.parts);
        let obstacle = |c: &ObstacleContact| (c.stencil, c.obstacle);
        same(&self.vv, &other.vv)
            && same(&self.ve, &other.ve)
            && same(&self.ee, &other.ee)
            && same(&self.vf, &other.vf)
            && self.parallel.iter().map(parallel).eq(other.parallel.iter().map(parallel))
            && self.obstacle.iter().map(obstacle).eq(other.obstacle.iter().map(obstacle))
    }

    /// The weights.
    pub fn weights(&self) -> PerContact<f64> {
        self.map(AnyContact::weight)
    }
}
