//! What never touches, as data.
//!
//! A [`VertexFilter`] says which pairs of vertices may touch; a [`Filter`] says which pairs of primitives may, by one
//! of two rules: [`Filter::Any`] if any pair of their vertices may (as ipctk does), [`Filter::All`] if every pair may.
//! Both combine with and, or, not. A pair of vertices is unordered: both orders give the same answer.
//!
//! ```
//! use stiction::math::Vector;
//! use stiction::mesh::{Filter, Surface, VertexFilter};
//!
//! let x = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(Vector).to_vec();
//! let surface = Surface::new(x, vec![[0, 1], [2, 3]], vec![])?;
//! // No contact of a piece with itself, and none of vertex 0 with vertex 2.
//! let vertices = VertexFilter::components(&surface).and(VertexFilter::excluding(&[[2, 0]]));
//! let filter = Filter::Any(vertices);
//! assert!(!filter.allows(&[0], &[2]) && filter.allows(&[0], &[2, 3]) && !filter.allows(&[0], &[0, 1]));
//! let surface = surface.with_filter(filter)?;
//! # Ok::<(), stiction::error::Error>(())
//! ```

use super::Surface;
use super::adjacency::{Lists, within_rings};
use crate::error::{Error, Result};

/// Which pairs of primitives may touch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Filter {
    /// Those of which any pair of vertices may.
    Any(VertexFilter),
    /// Those of which every pair of vertices may.
    All(VertexFilter),
    /// Those that all of these allow; without any, all pairs.
    And(Vec<Filter>),
    /// Those that one of these allows; without any, no pair.
    Or(Vec<Filter>),
    /// Those that this one does not allow.
    Not(Box<Filter>),
}

impl Filter {
    /// Bodies do not touch themselves: primitives with all their vertices in one body.
    pub fn bodies<const D: usize>(surface: &Surface<D>) -> Self {
        Self::Any(VertexFilter::bodies(surface))
    }

    /// Connected pieces do not touch themselves.
    pub fn components<const D: usize>(surface: &Surface<D>) -> Self {
        Self::Any(VertexFilter::components(surface))
    }

    /// Primitives with all their vertices among these (fixed obstacles) do not touch each other.
    pub fn fixed(vertices: &[u32]) -> Self {
        Self::Any(VertexFilter::fixed(vertices))
    }

    /// Primitives do not touch if at most `rings` edges lead from one to the other.
    pub fn rings<const D: usize>(surface: &Surface<D>, rings: u32) -> Self {
        Self::All(VertexFilter::rings(surface, rings))
    }

    /// What both allow.
    pub fn and(self, other: Self) -> Self {
        Self::And(vec![self, other])
    }

    /// What one of them allows.
    pub fn or(self, other: Self) -> Self {
        Self::Or(vec![self, other])
    }

    /// What this one does not allow.
    #[allow(clippy::should_implement_trait, reason = "beside `and` and `or`, which are no operators either")]
    pub fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// Whether two primitives, given by their vertices, may touch.
    pub fn allows(&self, first: &[u32], second: &[u32]) -> bool {
        match self {
            Self::Any(filter) => first.iter().any(|a| second.iter().any(|b| filter.allows(*a, *b))),
            Self::All(filter) => first.iter().all(|a| second.iter().all(|b| filter.allows(*a, *b))),
            Self::And(filters) => filters.iter().all(|filter| filter.allows(first, second)),
            Self::Or(filters) => filters.iter().any(|filter| filter.allows(first, second)),
            Self::Not(filter) => !filter.allows(first, second),
        }
    }

    /// Checks that it fits an array of so many vertices.
    ///
    /// # Errors
    /// If labels are missing or a vertex does not exist.
    pub fn check(&self, vertices: usize) -> Result<()> {
        match self {
            Self::Any(filter) | Self::All(filter) => filter.check(vertices),
            Self::And(filters) | Self::Or(filters) => filters.iter().try_for_each(|f| f.check(vertices)),
            Self::Not(filter) => filter.check(vertices),
        }
    }
}

/// Which pairs of vertices may touch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum VertexFilter {
    /// Those with different labels, and those without a label.
    Different(Labels),
    /// Those whose patches may touch.
    Patches(Patches),
    /// Those that are not listed.
    Except(Pairs),
    /// Those that are not both in a set.
    NotBoth(VertexSet),
    /// Those that are further apart than some number of edges.
    Beyond(Rings),
    /// Those that all of these allow; without any, all pairs.
    And(Vec<VertexFilter>),
    /// Those that one of these allows; without any, no pair.
    Or(Vec<VertexFilter>),
    /// Those that this one does not allow.
    Not(Box<VertexFilter>),
}

impl VertexFilter {
    /// Vertices of the same body never touch.
    pub fn bodies<const D: usize>(surface: &Surface<D>) -> Self {
        Self::Different(Labels::new((0..surface.rest().len() as u32).map(|v| surface.body(v)).collect()))
    }

    /// Vertices of the same connected piece never touch.
    pub fn components<const D: usize>(surface: &Surface<D>) -> Self {
        Self::Different(Labels::new(surface.components().to_vec()))
    }

    /// Vertices of the same patch never touch: one label for each vertex, `None` for vertices that touch everything.
    pub fn patches(labels: Vec<Option<u32>>) -> Self {
        Self::Different(Labels::new(labels))
    }

    /// These pairs of vertices never touch.
    pub fn excluding(pairs: &[[u32; 2]]) -> Self {
        Self::Except(Pairs::new(pairs))
    }

    /// These vertices (of fixed obstacles) never touch each other.
    pub fn fixed(vertices: &[u32]) -> Self {
        Self::NotBoth(VertexSet::new(vertices))
    }

    /// Vertices never touch if at most `rings` edges lead from one to the other.
    ///
    /// Keeps the neighbours of every vertex: about `3·rings²` numbers each on a triangle mesh.
    pub fn rings<const D: usize>(surface: &Surface<D>, rings: u32) -> Self {
        Self::Beyond(Rings::new(surface, rings))
    }

    /// What both allow.
    pub fn and(self, other: Self) -> Self {
        Self::And(vec![self, other])
    }

    /// What one of them allows.
    pub fn or(self, other: Self) -> Self {
        Self::Or(vec![self, other])
    }

    /// What this one does not allow.
    #[allow(clippy::should_implement_trait, reason = "beside `and` and `or`, which are no operators either")]
    pub fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// Whether two vertices may touch.
    pub fn allows(&self, a: u32, b: u32) -> bool {
        match self {
            Self::Different(labels) => labels.of(a).is_none_or(|label| labels.of(b) != Some(label)),
            Self::Patches(patches) => patches.touch(a, b),
            Self::Except(pairs) => !pairs.contains(a, b),
            Self::NotBoth(set) => !(set.contains(a) && set.contains(b)),
            Self::Beyond(rings) => !rings.within(a, b),
            Self::And(filters) => filters.iter().all(|filter| filter.allows(a, b)),
            Self::Or(filters) => filters.iter().any(|filter| filter.allows(a, b)),
            Self::Not(filter) => !filter.allows(a, b),
        }
    }

    fn check(&self, vertices: usize) -> Result<()> {
        match self {
            Self::Different(labels) => check_length("labels of the filter", labels.0.len(), vertices),
            Self::Patches(patches) => check_length("patches of the filter", patches.labels.0.len(), vertices),
            Self::Except(pairs) => {
                check_vertices("sorted excluded pair", pairs.0.iter().map(|p| p[1]), vertices)
            }
            Self::NotBoth(set) => check_vertices("sorted fixed vertex", set.0.iter().copied(), vertices),
            Self::Beyond(rings) => check_length("vertices of the filter's rings", rings.0.len(), vertices),
            Self::And(filters) | Self::Or(filters) => filters.iter().try_for_each(|f| f.check(vertices)),
            Self::Not(filter) => filter.check(vertices),
        }
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::WrongLength { what, found, expected }) }
}

fn check_vertices(what: &'static str, named: impl Iterator<Item = u32>, vertices: usize) -> Result<()> {
    for (index, vertex) in named.enumerate() {
        if vertex as usize >= vertices {
            return Err(Error::IndexOutOfRange { what, index, vertex, vertices });
        }
    }
    Ok(())
}

/// A label for each vertex, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels(Vec<Option<u32>>);

impl Labels {
    /// One for each vertex of the full vertex array.
    pub fn new(labels: Vec<Option<u32>>) -> Self {
        Self(labels)
    }

    /// All of them, in the order of the vertices.
    pub fn all(&self) -> &[Option<u32>] {
        &self.0
    }

    /// The label of a vertex; none if there is no such vertex.
    #[inline]
    pub fn of(&self, vertex: u32) -> Option<u32> {
        self.0.get(vertex as usize).copied().flatten()
    }
}

/// A patch for each vertex, and which patches may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patches {
    labels: Labels,
    count: u32,
    /// Row by row, for every pair of patches; symmetric.
    table: Vec<bool>,
}

impl Patches {
    /// One label for each vertex, below `count` or `None` for vertices that touch everything, and the pairs of
    /// patches that may touch, in either order; `[a, a]` lets a patch touch itself. All other pairs never touch.
    ///
    /// # Errors
    /// If a label or a patch in a pair is not below `count`, or there are more than 4,096 patches.
    pub fn new(labels: Vec<Option<u32>>, count: u32, touching: &[[u32; 2]]) -> Result<Self> {
        if count > 4096 {
            let must = "at most 4096: give vertices that behave alike the same patch";
            return Err(Error::BadParameter { name: "number of patches", value: f64::from(count), must });
        }
        let must = "smaller than the number of patches";
        let high = |label: &Option<u32>| label.is_some_and(|label| label >= count);
        if let Some(index) = labels.iter().position(high) {
            let value = labels[index].map_or(0.0, f64::from);
            return Err(Error::BadEntry { what: "patch of vertex", index, value, must });
        }
        if let Some(index) = touching.iter().position(|pair| pair[0].max(pair[1]) >= count) {
            let value = f64::from(touching[index][0].max(touching[index][1]));
            return Err(Error::BadEntry { what: "patch in touching pair", index, value, must });
        }
        let mut table = vec![false; (count * count) as usize];
        for &[a, b] in touching {
            table[(a * count + b) as usize] = true;
            table[(b * count + a) as usize] = true;
        }
        Ok(Self { labels: Labels(labels), count, table })
    }

    /// The patch of each vertex.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// How many patches there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The pairs of patches that may touch, the smaller first, ascending.
    pub fn touching(&self) -> Vec<[u32; 2]> {
        let pairs = (0..self.count).flat_map(|a| (a..self.count).map(move |b| [a, b]));
        pairs.filter(|&[a, b]| self.table[(a * self.count + b) as usize]).collect()
    }

    /// Whether the patches of two vertices may touch.
    pub fn touch(&self, a: u32, b: u32) -> bool {
        match (self.labels.of(a), self.labels.of(b)) {
            (Some(a), Some(b)) => self.table[(a * self.count + b) as usize],
            _ => true,
        }
    }
}

/// Unordered pairs of vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs(Vec<[u32; 2]>);

impl Pairs {
    /// In any order, also within a pair.
    pub fn new(pairs: &[[u32; 2]]) -> Self {
        let mut pairs: Vec<_> = pairs.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self(pairs)
    }

    /// All of them, the smaller vertex first, ascending.
    pub fn all(&self) -> &[[u32; 2]] {
        &self.0
    }

    /// Whether the pair is among them.
    pub fn contains(&self, a: u32, b: u32) -> bool {
        self.0.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }
}

/// A set of vertices, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexSet(Vec<u32>);

impl VertexSet {
    /// In any order.
    pub fn new(vertices: &[u32]) -> Self {
        let mut vertices = vertices.to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        Self(vertices)
    }

    /// All of them, ascending.
    pub fn all(&self) -> &[u32] {
        &self.0
    }

    /// Whether the vertex is among them.
    pub fn contains(&self, vertex: u32) -> bool {
        self.0.binary_search(&vertex).is_ok()
    }
}

/// For each vertex, those that are at most some number of edges away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rings(Lists);

impl Rings {
    /// Those that at most `rings` edges of the surface lead to. A vertex is within 0 of itself.
    pub fn new<const D: usize>(surface: &Surface<D>, rings: u32) -> Self {
        Self(within_rings(&surface.adjacency().vertex_vertices, rings))
    }

    /// From pairs of neighbours, in either order or both, of so many vertices.
    ///
    /// # Errors
    /// If a vertex does not exist.
    pub fn of_pairs(vertices: usize, pairs: &[[u32; 2]]) -> Result<Self> {
        check_vertices("pair of neighbours", pairs.iter().map(|pair| pair[0].max(pair[1])), vertices)?;
        Ok(Self(Lists::new(vertices, pairs.iter().flat_map(|&[a, b]| [(a, b), (b, a)]).collect())))
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.0.len()
    }

    /// The pairs of neighbours, the smaller first, ascending.
    pub fn pairs(&self) -> Vec<[u32; 2]> {
        let of = |a: u32| self.0.of(a).iter().filter(move |b| **b > a).map(move |b| [a, *b]);
        (0..self.0.len() as u32).flat_map(of).collect()
    }

    /// Whether the vertices are that close.
    pub fn within(&self, a: u32, b: u32) -> bool {
        a == b || self.0.of(a).binary_search(&b).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excluded_pair_is_that_pair_and_nothing_else() {
        let filter = Filter::Any(VertexFilter::excluding(&[[4, 3]]));
        for a in 0..8 {
            for b in 0..8 {
                assert_eq!(filter.allows(&[a], &[b]), ![[3, 4], [4, 3]].contains(&[a, b]), "{a} {b}");
                // An edge has another vertex, which may touch.
                assert!(filter.allows(&[a], &[b, 9]));
            }
        }
        let strict = Filter::All(VertexFilter::excluding(&[[4, 3]]));
        assert!(!strict.allows(&[3], &[4, 9]) && strict.allows(&[3], &[5, 9]));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let say =
            |filter: VertexFilter| Filter::All(filter.clone().or(filter).not()).not().check(3).unwrap_err();
        assert!(
            say(VertexFilter::excluding(&[[0, 1], [7, 1]]))
                .to_string()
                .contains("excluded pair 1 names vertex 7")
        );
        assert!(say(VertexFilter::fixed(&[2, 3])).to_string().contains("names vertex 3"));
        assert!(say(VertexFilter::patches(vec![None])).to_string().contains("has 1 entries, expected 3"));
        assert!(Filter::fixed(&[2, 0]).and(Filter::fixed(&[])).check(3).is_ok());
        assert!(
            Patches::new(vec![Some(0), Some(2)], 2, &[]).unwrap_err().to_string().contains("vertex 1 is 2")
        );
        assert!(Patches::new(vec![], 2, &[[0, 1], [0, 2]]).unwrap_err().to_string().contains("pair 1 is 2"));
        assert!(Patches::new(vec![], 5000, &[]).is_err());
    }

    #[test]
    fn patches_touch_by_the_table() {
        let labels = vec![Some(0), Some(0), Some(1), None];
        let filter = VertexFilter::Patches(Patches::new(labels, 2, &[[1, 0], [1, 1]]).unwrap());
        assert!(!filter.allows(0, 1) && filter.allows(0, 2) && filter.allows(2, 2) && filter.allows(3, 0));
        assert!(filter.allows(17, 0), "vertices that do not exist have no patch");
    }
}
