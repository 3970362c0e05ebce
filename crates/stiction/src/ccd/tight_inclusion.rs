//! Tight inclusion: enclose all pairs of points at all times in boxes, and discard boxes until the earliest that
//! remains is small. \[Wang2021\]
//!
//! The vector between a point of each primitive, over time and the coordinates of the points,
//! ```text
//! r(t, α) = Σᵢ cᵢ(α) yᵢ(t)        (t, α) ∈ [0, 1] × the coordinates of the pair
//! ```
//! is affine in each argument alone, so on a box of arguments it lies in the convex hull of its values at the
//! corners: each of its coordinates, and its component along any direction, lies between those at the
//! corners. A box where one of these intervals, widened by the minimum distance and the rounding of its ends,
//! misses zero holds no contact.
//!
//! Boxes wait in a queue, the earliest first and the smallest of equally early ones first. The first one
//! taken out whose values differ by less than the tolerance ends the search: nothing touches before its
//! start. So contact along whole faces or edges, where infinitely many points touch at once, costs one
//! descent and not a subdivision of the face.

use std::array::from_fn;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::motion::PairMotion;
use super::slab::Between;
use crate::math::Vector;

/// Boxes looked at before the search stops with the start of the earliest that remains, which is safe.
const MAX_BOXES: usize = 20_000;

/// What a search asks for, in scaled lengths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<const D: usize> {
    /// No two points may come closer than this.
    pub distance: f64,
    /// Values that differ by less are one.
    pub tolerance: f64,
    /// A direction along which the primitives are apart at first: it discards more than the axes do.
    pub normal: Vector<D>,
    /// The part of the motion to look at.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

/// A box of times and coordinates.
#[derive(Clone, Copy, Debug)]
struct Cell {
    time: [f64; 2],
    alpha: [[f64; 2]; 2],
    depth: u32,
}

/// The earliest is the greatest, and of equally early ones the deepest, for [`BinaryHeap`].
impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        other.time[0].total_cmp(&self.time[0]).then(self.depth.cmp(&other.depth))
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

/// What is known of a cell that may hold a contact.
struct Spread {
    /// How much the values differ along time and the coordinates.
    along: [f64; 3],
    /// How much they differ at all.
    whole: f64,
}

/// The time from `target.from` to `target.to` before which no two points come closer than the target;
/// infinite if none do.
pub(super) fn first_contact<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    target: &Target<D>,
) -> f64 {
    let mut queue = BinaryHeap::new();
    queue.push(Cell { time: [target.from, target.to], alpha: [[0.0, 1.0]; 2], depth: 0 });
    let (mut proven, mut tried) = (target.from, f64::NEG_INFINITY);
    for _ in 0..MAX_BOXES {
        let Some(mut cell) = queue.pop() else { return f64::INFINITY };
        cell.time[0] = cell.time[0].max(proven);
        if cell.time[0] > tried && cell.time[0] < cell.time[1] {
            tried = cell.time[0];
            match slab_holds_until::<K, D, N>(motion, target, tried) {
                Some(time) => proven = proven.max(time),
                None => return tried,
            }
            cell.time[0] = proven.max(tried);
        }
        if cell.time[0] >= cell.time[1] {
            continue;
        }
        let Some(spread) = examine::<K, D, N>(motion, target, &cell) else { continue };
        if spread.whole <= target.tolerance {
            return cell.time[0];
        }
        match split(&cell, &spread) {
            Some(halves) => queue.extend(halves),
            None => return cell.time[0],
        }
    }
    queue.peek().map_or(f64::INFINITY, |cell| cell.time[0].max(proven))
}

/// Until when the slab at time `t` proves that nothing is too close, before `t` if it separates nothing;
/// nothing if it shows the primitives to be as close as the target, but for the tolerance.
fn slab_holds_until<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    target: &Target<D>,
    t: f64,
) -> Option<f64> {
    let (slab, keep) = (K::slab(&motion.at(t)), target.distance + motion.slack);
    if slab.gap < keep - target.tolerance {
        return Some(f64::NEG_INFINITY);
    }
    (slab.gap > keep + target.tolerance).then(|| K::holds_until(motion, slab.normal, keep))
}

/// How much the values differ on a cell; nothing if no two of its points are too close.
fn examine<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    target: &Target<D>,
    cell: &Cell,
) -> Option<Spread> {
    if K::TRIANGLE && cell.alpha[0][0] + cell.alpha[1][0] > 1.0 {
        return None;
    }
    let corners = corners::<K, D, N>(motion, cell);
    let reach = target.distance + motion.slack;
    let mean = corners.iter().fold(Vector::ZERO, |sum, r| sum + *r);
    if misses(&corners, target.normal, reach) || misses(&corners, mean.normalized(), reach) {
        return None;
    }
    let (low, high) =
        corners.iter().fold((corners[0], corners[0]), |(low, high), r| (low.min(*r), high.max(*r)));
    // The distance of the box of values from zero; the factor is for the rounding of the squares.
    let miss: Vector<D> = Vector(from_fn(|k| low[k].max(-high[k]).max(0.0)));
    if miss.norm_squared() > reach * reach * (1.0 + 8.0 * f64::EPSILON) {
        return None;
    }
    let along = from_fn(|k| differences(&corners, k));
    let whole = (0..D).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    Some(Spread { along, whole })
}

/// Whether all values are further than `reach` from zero on one side along a unit vector.
fn misses<const D: usize>(corners: &[Vector<D>; 8], n: Vector<D>, reach: f64) -> bool {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for r in corners {
        let height = n.dot(*r);
        (low, high) = (low.min(height), high.max(height));
    }
    low > reach || high < -reach
}

/// The values at the corners; bit 0 of the index is for time, bits 1 and 2 are for the coordinates.
/// Coordinates that the pair does not have make equal corners.
fn corners<K: Between<D, N>, const D: usize, const N: usize>(
    motion: &PairMotion<D, N>,
    cell: &Cell,
) -> [Vector<D>; 8] {
    let y = cell.time.map(|t| motion.at(t));
    from_fn(|corner| {
        let mut c = K::PAIR.base;
        for p in 0..K::PAIR.free {
            let alpha = cell.alpha[p][corner >> (1 + p) & 1];
            for i in 0..N {
                c[i] += alpha * K::PAIR.directions[p][i];
            }
        }
        let y = &y[corner & 1];
        (0..N).fold(Vector::ZERO, |r, i| r + y[i] * c[i])
    })
}

/// The largest difference between corners that differ in bit `k`.
fn differences<const D: usize>(corners: &[Vector<D>; 8], k: usize) -> f64 {
    let mut largest: f64 = 0.0;
    for corner in (0..8).filter(|corner| corner >> k & 1 == 0) {
        let difference = corners[corner | 1 << k] - corners[corner];
        largest = difference.0.iter().fold(largest, |largest, d| largest.max(d.abs()));
    }
    largest
}

/// Two halves of a cell, cut across the argument along which the values differ most; nothing if its ends are
/// neighbours.
fn split(cell: &Cell, spread: &Spread) -> Option<[Cell; 2]> {
    let mut k = 0;
    for other in 1..3 {
        if spread.along[other] > spread.along[k] {
            k = other;
        }
    }
    let mut halves = [Cell { depth: cell.depth + 1, ..*cell }; 2];
    let [low, high] = if k == 0 { cell.time } else { cell.alpha[k - 1] };
    let middle = 0.5 * (low + high);
    if !(low < middle && middle < high) {
        return None;
    }
    for (half, ends) in halves.iter_mut().zip([[low, middle], [middle, high]]) {
        *(if k == 0 { &mut half.time } else { &mut half.alpha[k - 1] }) = ends;
    }
    Some(halves)
}
