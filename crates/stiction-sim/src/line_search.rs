//! How far to go along a direction.

/// Halvings after which a search gives up.
const MAX_HALVINGS: usize = 40;

/// Rounding error of an energy, relative to the sum of the absolute values of its parts.
const ROUNDING: f64 = 1e-14;

/// `c`: the part of the promised fall that a step must bring. More than nothing: a step that ends deep in the barrier has hardly lowered the
/// energy, and the next one has to undo it.
const ENOUGH: f64 = 0.25;

/// What an energy along a direction starts from.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The energy.
    pub start: f64,
    /// The sum of the absolute values of its parts.
    pub magnitude: f64,
    /// By how much the quadratic model says that it falls.
    pub decrease: f64,
}

/// The first of `t = bound`, `bound/2`, `bound/4`, … at which the energy has fallen by a part of what the quadratic model says,
///
/// ```text
/// φ(t) ≤ φ(0) − c ΔE (2t − t²)        c = 1/4
/// ```
/// for a fall of `ΔE` on the whole way. Where that is lost in the rounding of the energy, the energy may rise by that rounding. Nothing is returned if
/// no step is good. \[Nocedal2006\]
pub fn downhill<T>(bound: f64, limit: Limit, mut at: impl FnMut(f64) -> (f64, T)) -> Option<T> {
    // No way at all is none, and from infinity everything would be down.
    if bound <= 0.0 || !limit.start.is_finite() {
        return None;
    }
    let (noise, enough) = (ROUNDING * limit.magnitude, ENOUGH * limit.decrease.max(0.0));
    let highest = if enough <= noise { limit.start + noise } else { limit.start };
    let mut t = bound;
    for _ in 0..MAX_HALVINGS {
        let (energy, result) = at(t);
        if energy <= highest - enough * t * (2.0 - t) {
            return Some(result);
        }
        t *= 0.5;
    }
    None
}

/// The first of `bound`, `bound/2`, … at which `at` is content, with its result; 0 at the end.
pub fn finite<T>(bound: f64, mut at: impl FnMut(f64) -> (bool, T)) -> (T, f64) {
    let mut t = bound;
    for _ in 0..MAX_HALVINGS {
        let (good, result) = at(t);
        if good {
            return (result, t);
        }
        t *= 0.5;
    }
    (at(0.0).1, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_stops_where_the_energy_is_low() {
        let limit = Limit { start: 1.0, magnitude: 1.0, decrease: 0.5 };
        assert_eq!(downhill(1.0, limit, |t| ((4.0 * t - 1.0) * (4.0 * t - 1.0), t)), Some(0.25));
        assert_eq!(downhill(1.0, limit, |t| (1.0 + t, t)), None);
        assert_eq!(downhill(0.0, limit, |t| (1.0, t)), None);
        let nowhere = Limit { start: f64::INFINITY, ..limit };
        assert_eq!(downhill(1.0, nowhere, |t| (f64::INFINITY, t)), None);
    }

    #[test]
    fn rounding_is_no_rise() {
        let limit = Limit { start: 1.0, magnitude: 1.0, decrease: 1e-20 };
        assert_eq!(downhill(1.0, limit, |t| (1.0 + 1e-15, t)), Some(1.0));
    }

    #[test]
    fn infinite_energies_are_left() {
        assert_eq!(finite(1.0, |t| (t < 0.3, t)), (0.25, 0.25));
        assert_eq!(finite(1.0, |t| (false, t)), (0.0, 0.0));
    }
}
