//! Bounds that do not look at the motion of each pair.

use super::Ccd;
use super::pairs::{Pairs, Place, Visit, with_motion};
use super::slab::Between;
use crate::broad_phase::{BroadPhaseKind, Candidates, check_inflation};
use crate::error::Result;
use crate::math::Vector;
use crate::mesh::{MovingSurface, Surface};

impl Ccd {
    /// How far each vertex may move, whatever the others do within their own distances, in m.
    ///
    /// ```text
    /// ρᵢ = ½ (1 − k) min over pairs of i (d − ξ)        at most ½ (1 − k) (2 inflation − ξ)
    /// ```
    /// The points of a primitive move no further than the furthest of its vertices, so no pair comes closer
    /// than `ξ`. The candidates must be those of `x` at rest with this `inflation` (in m): pairs that are not
    /// among them are at least `2 inflation` apart. Infinite for vertices that are not on the surface; 0 for
    /// those of a pair that is too close.
    ///
    /// # Errors
    /// If `x` has another length than the surface's vertex array, a position or the inflation is not finite,
    /// or a candidate does not exist.
    pub fn safe_distances<const D: usize>(
        &self,
        surface: &Surface<D>,
        candidates: &Candidates,
        x: &[Vector<D>],
        inflation: f64,
    ) -> Result<Vec<f64>> {
        check_inflation(inflation)?;
        let mut safe = vertex_distances(surface, candidates, x)?;
        for &v in surface.vertices() {
            let nearest = safe[v as usize].min(2.0 * inflation);
            safe[v as usize] = self.half_room(nearest);
        }
        Ok(safe)
    }

    /// `½ (1 − k) (d − ξ)`, not negative.
    fn half_room(&self, distance: f64) -> f64 {
        (0.5 * (1.0 - self.keep) * (distance - self.min_distance)).max(0.0)
    }

    /// A safe fraction of the motion from few candidates: a bound of Courant's kind.
    ///
    /// ```text
    /// α = min(step of the candidates, (1 − k)(2 inflation − ξ) / (2 max |p|))        max over all vertices of the surface
    /// ```
    /// Pairs that are not among the candidates at the start, at rest, are at least `2 inflation` (in m) apart and
    /// approach by at most twice the largest displacement. Where that bound is below half of the candidates'
    /// step, the pairs of the whole motion are looked at instead.
    ///
    /// # Errors
    /// As for [`Self::largest_step`], and if the inflation is negative or not finite.
    pub fn courant_step<const D: usize>(
        &self,
        moving: &MovingSurface<'_, D>,
        candidates: &Candidates,
        inflation: f64,
        broad_phase: BroadPhaseKind,
    ) -> Result<f64> {
        let MovingSurface { surface, start, end } = *moving;
        check_inflation(inflation)?;
        let room = self.half_room(2.0 * inflation);
        let listed = self.largest_step(surface, candidates, start, end)?;
        let moved = |&v: &u32| longest_side(end[v as usize] - start[v as usize]);
        let fastest = surface.vertices().iter().map(moved).fold(0.0, f64::max);
        let others = if room > 0.0 && fastest <= room { 1.0 } else { room / fastest.max(f64::MIN_POSITIVE) };
        if others >= 0.5 * listed {
            return Ok(others.min(listed));
        }
        let swept = broad_phase.candidates(surface, start, end, 0.5 * self.min_distance);
        self.largest_step(surface, &swept, start, end)
    }
}

/// The smallest distance of the candidates of each vertex at positions `x`, in m, not rounded up; infinite without any.
///
/// # Errors
/// If `x` has another length than the surface's vertex array, a position is not finite, or a candidate does not exist.
pub fn vertex_distances<const D: usize>(
    surface: &Surface<D>,
    candidates: &Candidates,
    x: &[Vector<D>],
) -> Result<Vec<f64>> {
    let pairs = Pairs::new(surface, candidates, x, x)?;
    let mut nearest = vec![f64::INFINITY; x.len()];
    for (place, distance) in pairs.visit_all(1, &Distances).into_iter().flatten() {
        pairs.for_vertices(place, |v| nearest[v as usize] = nearest[v as usize].min(distance));
    }
    Ok(nearest)
}

/// Lower bounds of the distances of all pairs at the start, in m.
struct Distances;

impl<const D: usize> Visit<D> for Distances {
    type Sum = Vec<(Place, f64)>;

    fn visit<K: Between<D, N>, const N: usize>(
        &self,
        sum: &mut Self::Sum,
        place: Place,
        start: &[Vector<D>; N],
        end: &[Vector<D>; N],
    ) {
        sum.push((place, with_motion(start, end, 0.0, |m| (K::slab(&m.start).gap - m.slack) / m.unit)));
    }
}

/// An upper bound of a length that neither overflows nor vanishes where the sum of squares would.
fn longest_side<const D: usize>(p: Vector<D>) -> f64 {
    let side = p.0.iter().fold(0.0, |side: f64, entry| side.max(entry.abs()));
    let length = if (1e-100..1e100).contains(&side) { p.norm() } else { side * D as f64 };
    length * (1.0 + 8.0 * f64::EPSILON)
}
