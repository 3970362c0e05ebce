//! A few boxes side by side, compared with another box at once.

use super::Aabb;

/// Boxes in a block.
pub(super) const WIDTH: usize = 8;

/// Corners by axis, so that compilers compare several boxes with one instruction.
#[derive(Clone, Copy)]
pub(super) struct Block<const D: usize> {
    low: [[f64; WIDTH]; D],
    high: [[f64; WIDTH]; D],
    whole: Aabb<D>,
}

impl<const D: usize> Block<D> {
    /// At most [`WIDTH`] boxes; the other lanes meet nothing.
    pub fn new(boxes: impl IntoIterator<Item = Aabb<D>>) -> Self {
        // No comparison with NaN holds, also none with infinite boxes.
        let nothing = [[f64::NAN; WIDTH]; D];
        let mut out = Self { low: nothing, high: nothing, whole: Aabb::EMPTY };
        for (lane, aabb) in boxes.into_iter().take(WIDTH).enumerate() {
            for k in 0..D {
                out.low[k][lane] = aabb.low()[k];
                out.high[k][lane] = aabb.high()[k];
            }
            out.whole = out.whole.union(&aabb);
        }
        out
    }

    /// The box around all.
    pub fn whole(&self) -> Aabb<D> {
        self.whole
    }

    /// Which of the boxes share a point with another one: see [`lanes`].
    #[inline]
    pub fn meets(&self, other: &Aabb<D>) -> u64 {
        let mut hits = [1_u8; WIDTH];
        for k in 0..D {
            let (low, high) = (other.low()[k], other.high()[k]);
            for lane in 0..WIDTH {
                hits[lane] &= u8::from(self.low[k][lane] <= high) & u8::from(low <= self.high[k][lane]);
            }
        }
        u64::from_le_bytes(hits)
    }
}

/// The lanes whose byte in `hits` is 1, ascending.
#[inline]
pub(super) fn lanes(mut hits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (hits != 0).then(|| hits.trailing_zeros() as usize / 8);
        hits &= hits.wrapping_sub(1);
        lane
    })
}
