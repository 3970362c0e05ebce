//! Groups of vertices that a matrix couples most strongly.

use std::ops::Range;

use stiction::blocks::Blocks;
use stiction::threads;

/// Small clusters are pairs of pairs of pairs of pairs of vertices: about 16.
const SMALL: u32 = 4;

/// Large clusters are pairs of pairs of small ones, at least.
const LARGE: u32 = 6;

/// No more large clusters than this, if possible.
const FEW: usize = 2000;

/// How often clusters are joined two by two at most.
const MOST: u32 = 20;

/// Couplings that differ by this factor are not alike.
const STIFF: f64 = 10.0;

/// No group.
const NONE: u32 = u32::MAX;

/// A large cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Large {
    /// The places of its vertices.
    pub rows: Range<usize>,
    /// The small clusters that it consists of.
    pub small: Range<usize>,
}

/// Small clusters of about 16 vertices, and large ones of about 64, which consist of small ones.
///
/// Each vertex is matched with the neighbour to which its coupling `‖Aᵢⱼ‖` is strongest, then each pair with a pair, and so on; so what stiff
/// contacts hold together shares a cluster wherever sizes allow. Vertices get an order in which those of a cluster follow each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    /// Which vertex comes at each place.
    pub order: Vec<u32>,
    /// The places of the vertices of small clusters.
    pub small: Vec<Range<usize>>,
    /// The large clusters.
    pub large: Vec<Large>,
}

impl Clusters {
    /// The clusters of a matrix.
    pub fn new<const D: usize>(matrix: &Blocks<D>) -> Self {
        let (mut couplings, mut chains) = (Couplings::new(matrix), Chains::new(matrix.vertices()));
        let mut small = chains.labels();
        for level in 1..MOST {
            let before = couplings.len();
            let groups = couplings.groups(1 << level);
            chains.join(&groups);
            couplings = couplings.joined(&groups);
            if level == SMALL {
                small = chains.labels();
            }
            if level >= LARGE && (couplings.len() <= FEW || couplings.len() == before) {
                break;
            }
        }
        Self::of_chains(&chains, &small)
    }

    /// The clusters of chains of vertices whose small clusters have these `labels`.
    fn of_chains(chains: &Chains, labels: &[u32]) -> Self {
        let mut out = Self::default();
        for &first in &chains.first {
            let (row, small) = (out.order.len(), out.small.len());
            let mut vertex = first;
            while vertex != NONE {
                let place = out.order.len();
                match out.small.get_mut(small..).and_then(<[_]>::last_mut) {
                    Some(last) if labels[out.order[last.start] as usize] == labels[vertex as usize] => {
                        last.end = place + 1;
                    }
                    _ => out.small.push(place..place + 1),
                }
                out.order.push(vertex);
                vertex = chains.next[vertex as usize];
            }
            out.large.push(Large { rows: row..out.order.len(), small: small..out.small.len() });
        }
        out
    }
}

/// Lists of vertices that can be put one behind the other.
struct Chains {
    first: Vec<u32>,
    last: Vec<u32>,
    /// The vertex after each one, or [`NONE`].
    next: Vec<u32>,
}

impl Chains {
    fn new(n: usize) -> Self {
        let all: Vec<u32> = (0..n as u32).collect();
        Self { first: all.clone(), last: all, next: vec![NONE; n] }
    }

    /// Puts chains that share a group together.
    fn join(&mut self, groups: &Groups) {
        let (mut first, mut last) = (vec![NONE; groups.sizes.len()], vec![NONE; groups.sizes.len()]);
        for (chain, &group) in groups.of.iter().enumerate() {
            let group = group as usize;
            if first[group] == NONE {
                first[group] = self.first[chain];
            } else {
                self.next[last[group] as usize] = self.first[chain];
            }
            last[group] = self.last[chain];
        }
        (self.first, self.last) = (first, last);
    }

    /// The number of each vertex's chain.
    fn labels(&self) -> Vec<u32> {
        let mut labels = vec![NONE; self.next.len()];
        for (label, &first) in self.first.iter().enumerate() {
            let mut vertex = first;
            while vertex != NONE {
                labels[vertex as usize] = label as u32;
                vertex = self.next[vertex as usize];
            }
        }
        labels
    }
}

/// Which group each item is in, numbered by their first items.
struct Groups {
    of: Vec<u32>,
    /// How many vertices each group has.
    sizes: Vec<u32>,
}

/// How strongly items are coupled: vertices at first, then groups of them.
struct Couplings {
    /// How many vertices each item has.
    sizes: Vec<u32>,
    /// Where the neighbours of each item start; one more entry than items.
    starts: Vec<usize>,
    /// The neighbours of all items, each with the sum of `‖Aᵢⱼ‖`.
    neighbours: Vec<(u32, f64)>,
}

impl Couplings {
    fn new<const D: usize>(matrix: &Blocks<D>) -> Self {
        let (pattern, values) = (matrix.pattern(), matrix.values());
        let norms = threads::collect(values.len(), &|range| {
            values[range].iter().map(|block| block.norm_squared().sqrt()).collect()
        });
        let (mut starts, mut neighbours) = (vec![0], Vec::with_capacity(2 * values.len()));
        for vertex in 0..pattern.vertices() {
            let (above, transposed) = pattern.upper(vertex);
            neighbours
                .extend(above.iter().zip(transposed).map(|(row, block)| (*row, norms[*block as usize])));
            let below = pattern.lower(vertex).skip(1);
            neighbours.extend(below.map(|block| (pattern.rows()[block], norms[block])));
            starts.push(neighbours.len());
        }
        Self { sizes: vec![1; pattern.vertices()], starts, neighbours }
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The neighbour that is coupled most strongly for its size, of those that are `wanted`.
    fn strongest(&self, item: usize, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let mut best = (0.0, None);
        for &(neighbour, coupling) in &self.neighbours[self.starts[item]..self.starts[item + 1]] {
            let neighbour = neighbour as usize;
            let strength = coupling / f64::from(self.sizes[neighbour]).sqrt();
            if strength > best.0 && wanted(neighbour) {
                best = (strength, Some(neighbour));
            }
        }
        best.1
    }

    /// All items, those with a stiff contact before others; about equal ones as they are numbered, which keeps neighbours close to each other.
    fn strongest_first(&self) -> Vec<usize> {
        let magnitude = |item: usize| {
            let own = &self.neighbours[self.starts[item]..self.starts[item + 1]];
            own.iter().map(|(_, coupling)| *coupling).fold(f64::MIN_POSITIVE, f64::max).log(STIFF) as i32
        };
        let magnitudes: Vec<i32> = (0..self.len()).map(magnitude).collect();
        let mut items: Vec<usize> = (0..self.len()).collect();
        items.sort_by_key(|item| std::cmp::Reverse(magnitudes[*item]));
        items
    }

    /// Pairs of up to `most` vertices; what finds no partner joins a pair, if that has no more than half as many again then.
    fn groups(&self, most: u32) -> Groups {
        let mut groups = Groups { of: vec![NONE; self.len()], sizes: Vec::new() };
        for item in self.strongest_first() {
            if groups.of[item] != NONE {
                continue;
            }
            let size = self.sizes[item];
            let is_free = |other: usize| groups.of[other] == NONE && size + self.sizes[other] <= most;
            let partner = self.strongest(item, is_free);
            let has_room = |other: usize| {
                groups
                    .sizes
                    .get(groups.of[other] as usize)
                    .is_some_and(|other| size + other <= most + most / 2)
            };
            let pair = if partner.is_none() { self.strongest(item, has_room) } else { None };
            if let Some(pair) = pair {
                groups.of[item] = groups.of[pair];
                groups.sizes[groups.of[pair] as usize] += size;
                continue;
            }
            groups.of[item] = groups.sizes.len() as u32;
            groups.sizes.push(size);
            if let Some(partner) = partner {
                groups.of[partner] = groups.of[item];
                groups.sizes[groups.of[item] as usize] += self.sizes[partner];
            }
        }
        groups
    }

    /// The couplings of groups.
    fn joined(&self, groups: &Groups) -> Self {
        let count = groups.sizes.len();
        let members = members(groups);
        let mut out = Self { sizes: groups.sizes.clone(), starts: vec![0], neighbours: Vec::new() };
        // Where the last group that met a neighbour has it.
        let mut places = vec![0; count];
        for group in 0..count {
            let first = out.neighbours.len();
            for &item in members.of(group) {
                for &(neighbour, coupling) in
                    &self.neighbours[self.starts[item as usize]..self.starts[item as usize + 1]]
                {
                    let other = groups.of[neighbour as usize];
                    let place: &mut usize = &mut places[other as usize];
                    match out
                        .neighbours
                        .get_mut(first..)
                        .and_then(|own| own.get_mut(place.wrapping_sub(first)))
                    {
                        _ if other as usize == group => {}
                        Some((same, sum)) if *same == other => *sum += coupling,
                        _ => {
                            *place = out.neighbours.len();
                            out.neighbours.push((other, coupling));
                        }
                    }
                }
            }
            out.starts.push(out.neighbours.len());
        }
        out
    }
}

/// The items of each group, ascending.
struct Members {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Members {
    fn of(&self, group: usize) -> &[u32] {
        &self.items[self.starts[group]..self.starts[group + 1]]
    }
}

/// The items of all groups, by counting.
fn members(groups: &Groups) -> Members {
    let mut starts = vec![0; groups.sizes.len() + 1];
    for &group in &groups.of {
        starts[group as usize + 1] += 1;
    }
    for group in 0..groups.sizes.len() {
        starts[group + 1] += starts[group];
    }
    let (mut next, mut items) = (starts.clone(), vec![0; groups.of.len()]);
    for (item, &group) in groups.of.iter().enumerate() {
        items[next[group as usize]] = item as u32;
        next[group as usize] += 1;
    }
    Members { starts, items }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::samples::{grid, matrix, touching};

    fn check(clusters: &Clusters, n: usize) {
        let mut order = clusters.order.clone();
        order.sort_unstable();
        assert!(order == (0..n as u32).collect::<Vec<_>>());
        let (mut row, mut small) = (0, 0);
        for large in &clusters.large {
            assert!(large.rows.start == row && large.small.start == small && !large.rows.is_empty());
            for part in &clusters.small[large.small.clone()] {
                assert!(part.start == row && !part.is_empty() && part.len() <= 24);
                row = part.end;
            }
            assert_eq!(large.rows.end, row);
            small = large.small.end;
        }
        assert!(row == n && small == clusters.small.len());
    }

    #[test]
    fn every_vertex_is_in_a_cluster_of_about_the_right_size() {
        for size in [[0, 1, 1], [1, 1, 1], [5, 1, 1], [500, 1, 1], [40, 40, 1], [13, 14, 15]] {
            let (n, pairs) = grid(size);
            let clusters = Clusters::new(&matrix::<3>(n, &pairs, 0.1));
            check(&clusters, n as usize);
            if n > 100 {
                assert!(clusters.small.len() < n as usize / 10 && clusters.large.len() < n as usize / 40);
            }
        }
    }

    #[test]
    fn vertices_that_nothing_couples_are_alone() {
        let clusters = Clusters::new(&matrix::<2>(3000, &[], 0.1));
        check(&clusters, 3000);
        assert_eq!(clusters.large.len(), 3000);
    }

    #[test]
    fn what_stiff_contacts_couple_shares_a_small_cluster() {
        let (n, pairs) = grid([12, 12, 12]);
        let contacts: Vec<_> = (0..n / 2).step_by(7).map(|v| ([v, n - 1 - v], 1e6)).collect();
        let clusters = Clusters::new(&touching::<3>(n, &pairs, &contacts, 0.1));
        check(&clusters, n as usize);
        for part in &clusters.small {
            let own = &clusters.order[part.clone()];
            for ([a, b], _) in &contacts {
                assert_eq!(own.contains(a), own.contains(b));
            }
        }
    }
}
