//! Where the weights of contacts come from.

/// A part of a weight that is proportional to an area of the surface at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AreaShare {
    /// The vertex v and the factor of `A_v`.
    Vertex(u32, f64),
    /// The edge e and the factor of `A_e`.
    Edge(u32, f64),
}

/// A list of shares for each contact of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares {
    /// Where the list of each contact ends.
    ends: Vec<u32>,
    shares: Vec<AreaShare>,
}

impl Shares {
    /// The shares of contact `k`, vertices ascending and then edges; empty if there is no such contact.
    ///
    /// ```text
    /// w_k = Σ factor · A
    /// ```
    pub fn of(&self, k: usize) -> &[AreaShare] {
        let start = if k == 0 { 0 } else { self.ends.get(k - 1).copied().unwrap_or(0) };
        let end = self.ends.get(k).copied().unwrap_or(start);
        &self.shares[start as usize..end as usize]
    }

    /// How many contacts have a list; 0 where weights depend on no area.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no contact has a list.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a contact with its shares.
    pub fn push(&mut self, shares: impl IntoIterator<Item = AreaShare>) {
        self.shares.extend(shares);
        self.ends.push(self.shares.len() as u32);
    }

    pub(super) fn append(&mut self, other: &Self) {
        let offset = self.shares.len() as u32;
        self.ends.extend(other.ends.iter().map(|end| end + offset));
        self.shares.extend(&other.shares);
    }
}

/// How the weight of each contact depends on the areas of vertices and edges at rest: for derivatives by the positions at
/// rest. Empty where contacts are counted, since then no weight does.
///
/// With [`Surface::vertex_area_gradient`](crate::mesh::Surface::vertex_area_gradient) and
/// [`Surface::edge_area_gradient`](crate::mesh::Surface::edge_area_gradient),
/// ```text
/// ∂w_k/∂X = Σ factor · ∂A/∂X
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightSources {
    /// Of `vv`.
    pub vv: Shares,
    /// Of `ve`.
    pub ve: Shares,
    /// Of `ee`.
    pub ee: Shares,
    /// Of `vf`.
    pub vf: Shares,
    /// Of `parallel`.
    pub parallel: Shares,
    /// Of `obstacle`.
    pub obstacle: Shares,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_one_behind_the_other() {
        let mut one = Shares::default();
        one.push([AreaShare::Vertex(1, 0.5)]);
        one.push([]);
        let mut other = Shares::default();
        other.push([AreaShare::Vertex(2, 0.25), AreaShare::Edge(3, 0.25)]);
        one.append(&other);
        assert_eq!(one.of(0), [AreaShare::Vertex(1, 0.5)]);
        assert!(one.of(1).is_empty() && one.of(3).is_empty() && one.of(9).is_empty());
        assert_eq!(one.of(2), [AreaShare::Vertex(2, 0.25), AreaShare::Edge(3, 0.25)]);
        assert_eq!(one.len(), 3);
    }
}
