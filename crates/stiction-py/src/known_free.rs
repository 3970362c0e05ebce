//! Where a surface is known not to intersect itself.

use stiction::crossing;
use stiction::error::Result;
use stiction::math::Vector;
use stiction::math::vector::flat;
use stiction::mesh::Surface;

/// The last motion that began without an intersection, and the part of it that was proven to be free of contact.
///
/// An exact check takes about as long as a step bound. Solvers begin each step where the last one ended, or where it began, so they
/// pay for one check, not for one in every iteration.
pub struct KnownFree<const D: usize> {
    start: Vec<Vector<D>>,
    end: Vec<Vector<D>>,
    part: f64,
}

/// How far rounding may take positions off the motion, by the size of their coordinates.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl<const D: usize> KnownFree<D> {
    /// A motion from a start without intersections, of which this part is free.
    pub fn new(start: &[Vector<D>], end: &[Vector<D>], part: f64) -> Self {
        Self { start: start.to_vec(), end: end.to_vec(), part }
    }

    /// Whether the positions are on that part of the motion.
    pub fn has(&self, x: &[Vector<D>]) -> bool {
        let (start, end, x) = (flat(&self.start), flat(&self.end), flat(x));
        if start.len() != x.len() {
            return false;
        }
        let ways = start.iter().zip(end).map(|(a, b)| (b - a).abs()).enumerate();
        let longest = ways.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, way)| *way > 0.0);
        let part = longest.map_or(0.0, |(k, _)| (x[k] - start[k]) / (end[k] - start[k]));
        let near = |((a, b), x): ((&f64, &f64), &f64)| {
            (a + part * (b - a) - x).abs() <= ROUNDING * (a.abs() + b.abs() + x.abs())
        };
        part >= -ROUNDING && part <= self.part + ROUNDING && start.iter().zip(end).zip(x).all(near)
    }
}

/// The first intersection of a surface in words, if there is one.
pub fn first_crossing<const D: usize>(surface: &Surface<D>, x: &[Vector<D>]) -> Result<Option<String>> {
    if !crossing::has_crossings(surface, x)? {
        return Ok(None);
    }
    Ok(crossing::crossings(surface, x)?.first().map(ToString::to_string))
}
