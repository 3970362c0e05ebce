//! Primitives in the order of a space-filling curve: those that are near each other in the order are near in space.

use super::group::Group;
use super::{Aabb, aabb::bounded};
use crate::math::Vector;

/// Bits of a place on the curve.
const BITS: u32 = 30;

/// Bits by which a pass of sorting deals out.
const DIGIT: u32 = 10;

/// Runs up to this length that have the same place on the curve stay as they are.
const SHORT: usize = 16;

/// How often longer ones are spread over a curve of their own.
const DEPTH: u32 = 8;

/// The places of the primitives in their group, in the order of the curve.
pub(super) fn order<const D: usize, const N: usize>(group: &Group<'_, D, N>) -> Vec<u32> {
    let centers: Vec<Vector<D>> = (0..group.len()).map(|place| group.aabb(place).center()).collect();
    let mut order: Vec<u32> = (0..centers.len() as u32).collect();
    sort(&mut order, &centers, DEPTH);
    order
}

/// Sorts places along the curve through their box. Where many fall on one place, as the crowd does when a few
/// others are far away, these get a curve of their own.
fn sort<const D: usize>(order: &mut [u32], centers: &[Vector<D>], depth: u32) {
    let points = order.iter().map(|&place| centers[place as usize]);
    let frame = Frame::new(&Aabb::around(points.clone(), 0.0));
    let codes = points.map(|point| frame.code(point));
    let mut keys: Vec<u64> =
        codes.zip(&*order).map(|(code, &place)| u64::from(code) << 32 | u64::from(place)).collect();
    radix_sort(&mut keys);
    for (place, key) in order.iter_mut().zip(&keys) {
        *place = *key as u32;
    }
    if depth == 0 {
        return;
    }
    let mut start = 0;
    for run in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        if run.len() > SHORT {
            sort(&mut order[start..start + run.len()], centers, depth - 1);
        }
        start += run.len();
    }
}

/// Sorts by the upper half of the keys and keeps the order of equal ones.
fn radix_sort(keys: &mut Vec<u64>) {
    if keys.len() < 256 {
        keys.sort_by_key(|key| key >> 32);
        return;
    }
    let mut other = vec![0; keys.len()];
    for pass in 0..BITS / DIGIT {
        let digit = |key: u64| (key >> (32 + pass * DIGIT)) as usize % (1 << DIGIT);
        let mut next = [0; 1 << DIGIT];
        for key in &*keys {
            next[digit(*key)] += 1;
        }
        let mut sum = 0;
        for entry in &mut next {
            sum += std::mem::replace(entry, sum);
        }
        for key in &*keys {
            let next = &mut next[digit(*key)];
            other[*next] = *key;
            *next += 1;
        }
        std::mem::swap(keys, &mut other);
    }
}

/// Cells of equal sides in which the curve counts; with different ones, neighbours in the order would fill long boxes.
struct Frame<const D: usize> {
    /// Half the lower corner, in m: halves, because differences may overflow.
    low: [f64; D],
    /// Cells in a metre, twice.
    scale: f64,
}

impl<const D: usize> Frame<D> {
    const BITS: u32 = BITS / D as u32;

    fn new(whole: &Aabb<D>) -> Self {
        let side = whole.half_extent().max(f64::MIN_POSITIVE);
        let low = whole.low().0.map(|x| bounded(x) * 0.5);
        Self { low, scale: (f64::from(1_u32 << Self::BITS) / side).min(f64::MAX) }
    }

    /// Place of a point on the Z-order curve: the bits of its cell's coordinates, interleaved.
    fn code(&self, point: Vector<D>) -> u32 {
        let mut code = 0;
        for k in 0..D {
            // Saturates, and is 0 for what is not a number: only the speed depends on it.
            let cell = ((point[k] * 0.5 - self.low[k]) * self.scale) as i32;
            code |= spread::<D>(cell.clamp(0, (1 << Self::BITS) - 1).cast_unsigned()) << k;
        }
        code
    }
}

/// The bits of a number with `D - 1` zeros between them.
fn spread<const D: usize>(x: u32) -> u32 {
    let (shifts, masks): (&[u32], &[u32]) = if D == 3 {
        (&[16, 8, 4, 2], &[0x0300_00ff, 0x0300_f00f, 0x030c_30c3, 0x0924_9249])
    } else {
        (&[8, 4, 2, 1], &[0x00ff_00ff, 0x0f0f_0f0f, 0x3333_3333, 0x5555_5555])
    };
    shifts.iter().zip(masks).fold(x, |x, (shift, mask)| (x | x << shift) & mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_interleaved() {
        assert_eq!(spread::<3>(0b11_1111_1111), 0x0924_9249);
        assert_eq!(spread::<3>(0b101), 0b100_0001);
        assert_eq!(spread::<2>(0x7fff), 0x1555_5555);
        assert_eq!(spread::<2>(0b110), 0b1_0100);
    }

    #[test]
    fn a_crowd_far_from_a_few_is_still_in_order() {
        let mut centers: Vec<_> = (0..1000_u32).map(|k| Vector([f64::from(k * 389 % 1000), 0.0])).collect();
        centers.push(Vector([1e12, 1e12]));
        let mut order: Vec<u32> = (0..1001).collect();
        sort(&mut order, &centers, DEPTH);
        let sorted = order[..1000].windows(2).all(|w| centers[w[0] as usize][0] < centers[w[1] as usize][0]);
        assert!(sorted && order[1000] == 1000);
    }
}
