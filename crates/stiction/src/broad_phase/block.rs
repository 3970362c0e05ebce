//! A few boxes side by side, compared with another box at once.

use wide::{CmpEq, CmpLe, f64x2, i32x4};

use super::Aabb;
use super::group::Boxed;

/// Boxes in a block; the square of it is the number of bits in [`lanes`].
pub(super) const WIDTH: usize = 8;

/// A box whose coordinates fill registers.
pub(super) struct Wide<const D: usize> {
    low: [f64x2; D],
    high: [f64x2; D],
}

impl<const D: usize> Wide<D> {
    #[inline]
    pub fn new(aabb: &Aabb<D>) -> Self {
        Self { low: aabb.low().0.map(f64x2::splat), high: aabb.high().0.map(f64x2::splat) }
    }
}

/// At most [`WIDTH`] boxes, their corners sorted by axis; and the box around them.
#[derive(Clone, Copy)]
pub(super) struct Block<const D: usize> {
    low: [[f64x2; WIDTH / 2]; D],
    high: [[f64x2; WIDTH / 2]; D],
    pub whole: Aabb<D>,
}

impl<const D: usize> Block<D> {
    /// A block of the first [`WIDTH`] of the boxes. Lanes without one meet nothing.
    pub fn new(boxes: impl IntoIterator<Item = Aabb<D>>) -> Self {
        // No comparison with NaN holds, not even one with an infinite box.
        let nothing = [[f64x2::splat(f64::NAN); WIDTH / 2]; D];
        let mut out = Self { low: nothing, high: nothing, whole: Aabb::EMPTY };
        for (lane, aabb) in boxes.into_iter().take(WIDTH).enumerate() {
            for k in 0..D {
                out.low[k][lane / 2].as_array_mut()[lane % 2] = aabb.low()[k];
                out.high[k][lane / 2].as_array_mut()[lane % 2] = aabb.high()[k];
            }
            out.whole = out.whole.union(&aabb);
        }
        out
    }

    /// The box in a lane.
    #[inline]
    pub fn lane(&self, lane: usize) -> Wide<D> {
        let at = |x: &[f64x2; WIDTH / 2]| f64x2::splat(x[lane / 2].as_array_ref()[lane % 2]);
        Wide {
            low: std::array::from_fn(|k| at(&self.low[k])),
            high: std::array::from_fn(|k| at(&self.high[k])),
        }
    }

    /// Which of the boxes share a point with another one: see [`lanes`].
    #[inline]
    pub fn meets(&self, other: &Wide<D>) -> u32 {
        let mut hits = 0;
        for pair in 0..WIDTH / 2 {
            let along =
                |k: usize| self.low[k][pair].cmp_le(other.high[k]) & other.low[k].cmp_le(self.high[k][pair]);
            let both = (1..D).fold(along(0), |both, k| both & along(k));
            hits |= both.move_mask().cast_unsigned() << (2 * pair);
        }
        hits
    }
}

/// The lanes whose bit in `hits` is set, ascending.
#[inline]
pub(super) fn lanes(mut hits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (hits != 0).then(|| hits.trailing_zeros() as usize);
        hits &= hits.wrapping_sub(1);
        lane
    })
}

/// At most [`WIDTH`] primitives.
pub(super) struct Leaf<const D: usize, const N: usize> {
    pub block: Block<D>,
    pub places: [u32; WIDTH],
    /// First vertices, second vertices, and so on.
    vertices: [[i32x4; WIDTH / 4]; N],
}

impl<const D: usize, const N: usize> Leaf<D, N> {
    /// A leaf of the first [`WIDTH`] of the primitives.
    pub fn new(items: impl Iterator<Item = Boxed<D, N>> + Clone) -> Self {
        let block = Block::new(items.clone().map(|item| item.aabb));
        let mut out = Self { block, places: [0; WIDTH], vertices: [[i32x4::ZERO; WIDTH / 4]; N] };
        for (lane, item) in items.take(WIDTH).enumerate() {
            out.places[lane] = item.place;
            for k in 0..N {
                out.vertices[k][lane / 4].as_array_mut()[lane % 4] = item.vertices[k].cast_signed();
            }
        }
        out
    }

    /// The vertices of the primitive in a lane.
    #[inline]
    pub fn vertices(&self, lane: usize) -> [u32; N] {
        std::array::from_fn(|k| self.vertices[k][lane / 4].as_array_ref()[lane % 4].cast_unsigned())
    }

    /// Which of the primitives have one of the given vertices.
    #[inline]
    pub fn having<const M: usize>(&self, vertices: &[u32; M]) -> u32 {
        let mut any = [i32x4::ZERO; WIDTH / 4];
        for vertex in vertices {
            let vertex = i32x4::splat(vertex.cast_signed());
            for own in &self.vertices {
                for four in 0..WIDTH / 4 {
                    any[four] |= own[four].cmp_eq(vertex);
                }
            }
        }
        let mut hits = 0;
        for four in 0..WIDTH / 4 {
            hits |= any[four].move_mask().cast_unsigned() << (4 * four);
        }
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vector;

    #[test]
    fn lanes_without_a_box_meet_nothing_not_even_everything() {
        let everything = Aabb::around([Vector([0.0; 3])], f64::INFINITY);
        let block = Block::new([Aabb::around([Vector([1.0; 3])], 0.0), everything]);
        assert_eq!(block.meets(&Wide::new(&everything)), 0b11);
        assert_eq!(block.meets(&block.lane(0)), 0b11);
        assert_eq!(block.meets(&Wide::new(&Aabb::around([Vector([2.0; 3])], 0.5))), 0b10);
        assert_eq!(lanes(0b1001_0110).collect::<Vec<_>>(), [1, 2, 4, 7]);
    }
}
