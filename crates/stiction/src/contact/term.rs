//! Parts of the weights of contacts, before equal contacts are merged.

use super::group::{self, Keyed};
use super::sources::{AreaShare, Shares};
use super::{Selection, Weighting};
use crate::mesh::{Areas, Surface};

/// A part of the weight of a contact: a factor of one area.
#[derive(Clone, Copy, Default)]
pub(super) struct Term {
    /// The contact, as a pair of numbers.
    pub key: u64,
    /// What else tells contacts with the same key apart.
    pub parts: u8,
    is_edge: bool,
    source: u32,
    factor: f64,
}

impl Term {
    #[inline]
    pub fn new(key: u64, parts: u8, share: AreaShare) -> Self {
        let (is_edge, source, factor) = match share {
            AreaShare::Vertex(v, factor) => (false, v, factor),
            AreaShare::Edge(e, factor) => (true, e, factor),
        };
        Self { key, parts, is_edge, source, factor }
    }

    fn same_source(&self, other: &Self) -> bool {
        (self.is_edge, self.source) == (other.is_edge, other.source)
    }

    fn share(&self, factor: f64) -> AreaShare {
        if self.is_edge {
            AreaShare::Edge(self.source, factor)
        } else {
            AreaShare::Vertex(self.source, factor)
        }
    }
}

impl Keyed for Term {
    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    #[inline]
    fn rank(&self) -> u64 {
        u64::from(self.parts) << 33 | u64::from(self.is_edge) << 32 | u64::from(self.source)
    }
}

/// How much pairs weigh.
///
/// Counted pairs are treated as shares of one vertex of area 1: their factors add up as integers do.
#[derive(Clone, Copy)]
pub(super) struct Weigher<'a> {
    areas: Option<&'a Areas>,
}

impl<'a> Weigher<'a> {
    pub fn new<const D: usize>(surface: &'a Surface<D>, selection: &Selection) -> Self {
        Self { areas: (selection.weighting == Weighting::Area).then(|| surface.areas()) }
    }

    /// Whether weights depend on areas.
    pub fn is_by_area(self) -> bool {
        self.areas.is_some()
    }

    /// `times` as often as one pair, which is a `fraction` of the area of a vertex.
    #[inline]
    pub fn of_vertex(self, vertex: u32, times: f64, fraction: f64) -> AreaShare {
        if self.is_by_area() {
            AreaShare::Vertex(vertex, times * fraction)
        } else {
            AreaShare::Vertex(0, times)
        }
    }

    /// The same for an edge.
    #[inline]
    pub fn of_edge(self, edge: u32, times: f64, fraction: f64) -> AreaShare {
        if self.is_by_area() { AreaShare::Edge(edge, times * fraction) } else { AreaShare::Vertex(0, times) }
    }

    /// `factor · A`.
    #[inline]
    pub fn weight(self, share: AreaShare) -> f64 {
        match (self.areas, share) {
            (None, AreaShare::Vertex(_, factor) | AreaShare::Edge(_, factor)) => factor,
            (Some(areas), AreaShare::Vertex(v, factor)) => factor * areas.vertices[v as usize],
            (Some(areas), AreaShare::Edge(e, factor)) => factor * areas.edges[e as usize],
        }
    }

    /// The sum of the shares of the terms of one contact, sorted by rank. Shares of the same area are added before they
    /// are multiplied, so those that cancel do so exactly; the others are handed to `keep`.
    fn total(self, terms: &[Term], mut keep: impl FnMut(AreaShare)) -> f64 {
        let mut total = 0.0;
        for same in terms.chunk_by(Term::same_source) {
            let factor: f64 = same.iter().map(|term| term.factor).sum();
            if factor != 0.0 {
                let share = same[0].share(factor);
                total += self.weight(share);
                keep(share);
            }
        }
        total
    }
}

/// Contacts with the shares of their weights.
pub(super) struct Merged<C> {
    pub contacts: Vec<C>,
    pub shares: Shares,
    /// Shares of the contact at hand.
    current: Vec<AreaShare>,
}

impl<C> Default for Merged<C> {
    fn default() -> Self {
        Self { contacts: Vec::new(), shares: Shares::default(), current: Vec::new() }
    }
}

/// One contact for all terms of the same, as `make` makes it of a term and the weight; ascending. Those that come to
/// nothing are left out. Shares are kept only if asked for.
pub(super) fn merge<C: Send>(
    lists: &[Vec<Term>],
    weigher: Weigher<'_>,
    keep: bool,
    make: impl Fn(&Term, f64) -> C + Sync,
) -> Merged<C> {
    let parts = group::by_key(lists, &|same: &[Term], out: &mut Merged<C>| {
        for terms in same.chunk_by(|a, b| a.parts == b.parts) {
            let weight = weigher.total(terms, |share| {
                if keep {
                    out.current.push(share);
                }
            });
            if weight != 0.0 {
                out.contacts.push(make(&terms[0], weight));
                if keep {
                    out.shares.push(out.current.iter().copied());
                }
            }
            out.current.clear();
        }
    });
    let mut all = Merged::default();
    all.contacts.reserve_exact(parts.iter().map(|part| part.contacts.len()).sum());
    for mut part in parts {
        all.contacts.append(&mut part.contacts);
        all.shares.append(&part.shares);
    }
    all
}
