//! Coefficients given on vertices.

use super::blend::Blend;
use super::law::{Mu, MuOrder};
use super::sides::Sides;
use crate::error::{Error, Result};

/// Coefficients of every vertex, and the rule that makes one of two sides.
///
/// ```text
/// μ = blend(Σ −cⱼ μⱼ , Σ cᵢ μᵢ)        at the closest points; edge or face first, then the vertex
/// ```
/// On an obstacle, the vertex's own.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexMu {
    mu: Vec<Mu>,
    blend: Blend,
    order: MuOrder,
}

impl VertexMu {
    /// One pair of coefficients for each vertex of the full vertex array.
    ///
    /// # Errors
    /// If one is negative or not finite, or `μ_s < μ_k`.
    pub fn new(mu: Vec<Mu>, blend: Blend) -> Result<Self> {
        Self::in_order(mu, blend, MuOrder::Descending)
    }

    /// Like [`new`](Self::new), for any order of the coefficients.
    ///
    /// # Errors
    /// If one is negative or not finite, or not in the order.
    pub fn in_order(mu: Vec<Mu>, blend: Blend, order: MuOrder) -> Result<Self> {
        for (index, mu) in mu.iter().enumerate() {
            for (what, value) in [("mu_s of vertex", mu.s), ("mu_k of vertex", mu.k)] {
                if !(value >= 0.0 && value.is_finite()) {
                    return Err(Error::BadEntry { what, index, value, must: "0 or positive, and finite" });
                }
            }
            if !order.allows(*mu) {
                let (what, must) = ("mu_s of vertex", "at least mu_k of the vertex");
                return Err(Error::BadEntry { what, index, value: mu.s, must });
            }
        }
        Ok(Self { mu, blend, order })
    }

    /// Of every vertex.
    pub fn mu(&self) -> &[Mu] {
        &self.mu
    }

    /// The rule.
    pub fn blend(&self) -> &Blend {
        &self.blend
    }

    /// Whether no contact has friction by it.
    pub fn is_zero(&self) -> bool {
        !matches!(self.blend, Blend::Custom(_)) && self.mu.iter().all(|mu| *mu == Mu::default())
    }

    /// Of a contact between two primitives.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[inline]
    pub fn of_pair<const N: usize>(&self, sides: &Sides<N>) -> Mu {
        let [first, second] = sides.interpolate(|v| self.mu[v as usize]);
        let vertex_last = sides.first == 1 && N > 2;
        let (a, b) = if vertex_last { (second, first) } else { (first, second) };
        // Interpolation leaves the numbers that it is between by rounding, and a root would not like that.
        let blend = |a, b| not_negative(self.blend.of(not_negative(a), not_negative(b)));
        let mu = Mu { s: blend(a.s, b.s), k: blend(a.k, b.k) };
        if self.order.allows(mu) { mu } else { Mu::same(mu.k) }
    }

    /// The smallest `μ_s` and the largest `μ_k` of all vertices.
    pub(super) fn closest(&self) -> Mu {
        let first = Mu { s: f64::INFINITY, k: 0.0 };
        self.mu.iter().fold(first, |found, mu| Mu { s: found.s.min(mu.s), k: found.k.max(mu.k) })
    }
}

/// 0 for negative numbers, as interpolation beyond an edge may give. Not `max`, which would hide a NaN.
#[inline]
pub(super) fn not_negative(mu: f64) -> f64 {
    if mu < 0.0 { 0.0 } else { mu }
}
