//! Which coefficients belong to a contact.

use std::sync::Arc;

use super::anisotropy::Axes;
use super::blend::Blend;
use super::entry::Entry;
use super::grain::Grain;
use super::law::{Mu, MuOrder};
use super::sides::Sides;
use super::table::{PairTable, check_length};
use super::vertex_mu::{VertexMu, not_negative};
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::obstacle::RigidVelocity;

/// Friction coefficients of all contacts.
///
/// What is said of a contact, the first that there is:
/// 1. the entry of its pair of materials ([`PairTable`]): coefficients, anisotropy and axes. The recommended way: friction is a property of
///    pairs;
/// 2. coefficients of its vertices, interpolated at the closest points and blended ([`VertexMu`]), with anisotropy and axes of the
///    default;
/// 3. the default.
///
/// One number, a [`Mu`] or an [`Entry`] becomes a default by `into()`. Where a side of a contact has vertices of several materials, μ is the
/// mean over the pairs of vertices, weighted by the products of their weights in the closest points, so that it is continuous; anisotropy
/// and axes are those of the heaviest pair of materials.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficients<const D: usize> {
    /// Of contacts for which nothing else is said.
    pub default: Entry<D>,
    /// How the obstacles move, in their order; empty if none does.
    pub obstacle_velocities: Vec<RigidVelocity<D>>,
    vertices: Option<VertexMu>,
    table: Option<PairTable<D>>,
    grain: Option<Arc<Grain<D>>>,
    order: MuOrder,
}

impl<const D: usize> From<Entry<D>> for Coefficients<D> {
    fn from(default: Entry<D>) -> Self {
        let order = MuOrder::default();
        Self { default, obstacle_velocities: vec![], vertices: None, table: None, grain: None, order }
    }
}

impl<const D: usize> From<Mu> for Coefficients<D> {
    fn from(mu: Mu) -> Self {
        Entry::from(mu).into()
    }
}

impl<const D: usize> From<f64> for Coefficients<D> {
    fn from(mu: f64) -> Self {
        Mu::same(mu).into()
    }
}

impl<const D: usize> Coefficients<D> {
    /// The same for laws that take coefficients in that order: to be said first. Pairs of materials are descending anyway.
    pub fn with_order(mut self, order: MuOrder) -> Self {
        self.order = order;
        self
    }

    /// The same with coefficients of every vertex of the full vertex array.
    ///
    /// # Errors
    /// As for [`VertexMu::in_order`].
    pub fn with_vertices(mut self, mu: Vec<Mu>, blend: Blend) -> Result<Self> {
        self.vertices = Some(VertexMu::in_order(mu, blend, self.order)?);
        Ok(self)
    }

    /// The same with friction of pairs of materials.
    pub fn with_pairs(mut self, table: PairTable<D>) -> Self {
        self.table = Some(table);
        self
    }

    /// The same with the grain that [`Axes::Grain`] follows.
    pub fn with_grain(mut self, grain: impl Into<Arc<Grain<D>>>) -> Self {
        self.grain = Some(grain.into());
        self
    }

    /// The same with the velocities of the obstacles.
    pub fn with_obstacle_velocities(mut self, velocities: Vec<RigidVelocity<D>>) -> Self {
        self.obstacle_velocities = velocities;
        self
    }

    /// Friction of pairs of materials, if given.
    pub fn pairs(&self) -> Option<&PairTable<D>> {
        self.table.as_ref()
    }

    /// Coefficients of vertices, if given.
    pub fn vertices(&self) -> Option<&VertexMu> {
        self.vertices.as_ref()
    }

    /// The grain, if given.
    pub fn grain(&self) -> Option<&Grain<D>> {
        self.grain.as_deref()
    }

    /// Checks that everything is possible and fits so many vertices and obstacles.
    ///
    /// # Errors
    /// If a coefficient is not possible, a list has another length, or grain is asked for and not given.
    pub fn check(&self, vertices: usize, obstacles: usize) -> Result<()> {
        match &self.vertices {
            Some(mu) => {
                check_length("list of mu of vertices", mu.mu().len(), vertices)?;
                self.default.check_with(mu.closest(), self.order)?;
            }
            None => self.default.check_with(self.default.mu, self.order)?,
        }
        if let Some(table) = &self.table {
            table.check(vertices, obstacles)?;
        }
        if !self.obstacle_velocities.is_empty() {
            check_length("list of velocities of obstacles", self.obstacle_velocities.len(), obstacles)?;
        }
        self.check_grain(vertices)
    }

    fn check_grain(&self, vertices: usize) -> Result<()> {
        match &self.grain {
            Some(grain) => check_length("list of grain of vertices", grain.vertices(), vertices),
            None if self.entries().any(|entry| entry.axes == Axes::Grain) => {
                let remedy = "give the grain of vertices or faces, or choose other axes";
                Err(Error::Missing { what: "the grain that axes of friction follow", remedy })
            }
            None => Ok(()),
        }
    }

    /// The default and the entries of pairs.
    fn entries(&self) -> impl Iterator<Item = &Entry<D>> {
        std::iter::once(&self.default).chain(self.table.iter().flat_map(PairTable::entries))
    }

    /// Whether there is no friction at all.
    pub fn is_zero(&self) -> bool {
        let of_vertices = self.vertices.as_ref().is_none_or(VertexMu::is_zero);
        of_vertices && self.entries().all(Entry::is_zero)
    }

    /// The coefficients of all contacts, if they are the same.
    pub(super) fn same(&self) -> Option<Mu> {
        (self.vertices.is_none() && self.table.is_none()).then_some(self.default.mu)
    }

    /// Whether slides may have details: axes, or obstacles that move.
    pub(super) fn has_details(&self) -> bool {
        self.has_axes() || self.obstacle_velocities.iter().any(|motion| *motion != RigidVelocity::REST)
    }

    /// Whether slides of two primitives may have axes.
    pub(super) fn has_axes(&self) -> bool {
        self.entries().any(|entry| entry.anisotropy.has_axes::<D>())
    }

    /// Directions of the grain at `x`; empty where nobody asks for it.
    pub(super) fn grain_directions(&self, x: &[Vector<D>]) -> Vec<Vector<D>> {
        let asks = |entry: &Entry<D>| entry.axes == Axes::Grain && entry.anisotropy.has_axes::<D>();
        match &self.grain {
            Some(grain) if self.entries().any(asks) => grain.directions(x),
            _ => vec![],
        }
    }

    /// Of a contact between two primitives: μ, and the entry that says anisotropy and axes.
    ///
    /// # Panics
    /// If a list has no entry for one of its vertices: see [`check`](Self::check).
    #[inline]
    pub fn of_pair<const N: usize>(&self, sides: &Sides<N>) -> (Mu, &Entry<D>) {
        let Some(table) = &self.table else { return (self.without_pairs(sides), &self.default) };
        match table.of_pair(sides) {
            Ok(number) => match table.entry(number) {
                Some(entry) => (entry.mu, entry),
                None => (self.without_pairs(sides), &self.default),
            },
            Err(materials) => self.of_mixed(table, sides, &materials),
        }
    }

    /// The entry that says anisotropy and axes of a contact between two primitives.
    ///
    /// # Panics
    /// As [`of_pair`](Self::of_pair).
    pub(super) fn entry_of_pair<const N: usize>(&self, sides: &Sides<N>) -> &Entry<D> {
        // Without pairs there is one, and no rule of a user needs to be asked.
        if self.table.is_none() { &self.default } else { self.of_pair(sides).1 }
    }

    /// Of a vertex on an obstacle: μ, and the entry that says anisotropy and axes.
    ///
    /// # Panics
    /// If a list has no entry for the vertex: see [`check`](Self::check).
    pub fn of_obstacle(&self, vertex: u32, obstacle: u32) -> (Mu, &Entry<D>) {
        let number = self.table.as_ref().and_then(|table| table.of_obstacle(vertex, obstacle));
        if let Some(entry) = self.table.as_ref().and_then(|table| table.entry(number)) {
            return (entry.mu, entry);
        }
        let own = self.vertices.as_ref().map(|mu| mu.mu()[vertex as usize]);
        (own.unwrap_or(self.default.mu), &self.default)
    }

    /// μ where the table says nothing.
    #[inline]
    fn without_pairs<const N: usize>(&self, sides: &Sides<N>) -> Mu {
        self.vertices.as_ref().map_or(self.default.mu, |mu| mu.of_pair(sides))
    }

    /// Of a contact of several pairs of materials.
    fn of_mixed<const N: usize>(
        &self,
        table: &PairTable<D>,
        sides: &Sides<N>,
        materials: &[u32; N],
    ) -> (Mu, &Entry<D>) {
        let pairs = || (0..sides.first).flat_map(|i| (sides.first..N).map(move |j| (i, j)));
        let number = |(i, j): (usize, usize)| table.number_of(materials[i], materials[j]);
        let weight = |(i, j): (usize, usize)| sides.weight(i) * sides.weight(j);
        let (otherwise, mut mu) = (self.without_pairs(sides), Mu::default());
        let (mut heaviest, mut most) = (None, f64::NEG_INFINITY);
        for pair in pairs() {
            let (own, number_here) =
                (table.entry(number(pair)).map_or(otherwise, |entry| entry.mu), number(pair));
            (mu.s, mu.k) = (mu.s + weight(pair) * own.s, mu.k + weight(pair) * own.k);
            let total = pairs().filter(|other| number(*other) == number_here).map(weight).sum();
            if total > most {
                (heaviest, most) = (number_here, total);
            }
        }
        let mu = Mu { s: not_negative(mu.s), k: not_negative(mu.k) };
        (mu, self.entry_or_default(heaviest))
    }

    fn entry_or_default(&self, number: Option<u32>) -> &Entry<D> {
        self.table.as_ref().and_then(|table| table.entry(number)).unwrap_or(&self.default)
    }
}
