//! The directions in which closest points can move, inverted.

#![allow(clippy::inline_always)]

use crate::math::Vector;
use crate::math::span::{Span, THIN};
use crate::math::vector::{cross, turn};

/// `d²` over that of `r(x, 0)` along the direction, below which `r` is made orthogonal to the direction once more:
/// what rounding left along it would be more than 10⁻¹³ of `r`.
const CLOSE: f64 = 1e-6;

/// The closest points: their coordinates and the vector between them, with the frame that they were found in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closest<const D: usize> {
    /// `α`; zero where there is no coordinate or it is held.
    pub(super) alpha: [f64; 2],
    /// `r`.
    pub(super) r: Vector<D>,
    /// `|r|²`.
    pub(super) d2: f64,
    pub(super) frame: Frame<D>,
}

impl<const D: usize> Closest<D> {
    /// Of the first `free` directions `aₚ`, given `r(x, 0)`.
    #[inline(always)]
    pub(super) fn new(a: &[Vector<D>; 2], r0: Vector<D>, free: usize) -> Self {
        match free {
            0 => Self { alpha: [0.0; 2], r: r0, d2: r0.norm_squared(), frame: Frame::EMPTY },
            1 => Self::on_line(a, r0),
            _ => Self::in_plane(a, r0),
        }
    }

    #[inline(always)]
    fn on_line(a: &[Vector<D>; 2], r0: Vector<D>) -> Self {
        let frame = Frame::of_one(a[0], 0);
        let alpha = -frame.g_inverse[0][0] * a[0].dot(r0);
        if frame.normal_scale > 0.0 {
            return frame.with_normal([alpha, 0.0], r0);
        }
        let mut r = r0 + a[0] * alpha;
        if r.norm_squared() * frame.g_inverse[0][0] < CLOSE * alpha * alpha {
            r -= a[0] * frame.dual[0].dot(r);
        }
        Self { alpha: [alpha, 0.0], r, d2: r.norm_squared(), frame }
    }

    /// Directions that are not nearly parallel, in 3D, with fewer products:
    /// ```text
    /// m = n × r(x, 0)     α₀ = −a₁·m/|n|²     α₁ = a₀·m/|n|²     r = n (n·r(x, 0))/|n|²
    /// ```
    #[inline(always)]
    fn in_plane(a: &[Vector<D>; 2], r0: Vector<D>) -> Self {
        let normal = cross(a[0], a[1]);
        let (area2, lengths) = (normal.norm_squared(), a[0].norm_squared() * a[1].norm_squared());
        if area2 > THIN * lengths && area2 > f64::MIN_POSITIVE {
            let (scale, m) = (1.0 / area2, cross(normal, r0));
            let dual = [cross(a[1], normal) * scale, cross(normal, a[0]) * scale];
            let frame = Frame::spanned(a, dual, normal, scale);
            return frame.with_normal([-a[1].dot(m) * scale, a[0].dot(m) * scale], r0);
        }
        Self::in_thin_plane(a, r0)
    }

    /// Any two directions. Apart and rare: it would cost the common case its registers.
    #[cold]
    #[inline(never)]
    fn in_thin_plane(a: &[Vector<D>; 2], r0: Vector<D>) -> Self {
        let frame = Frame::of_two(a);
        let alpha = frame.dual.map(|dual| -dual.dot(r0));
        if frame.normal_scale > 0.0 {
            return frame.with_normal(alpha, r0);
        }
        let r = r0 + a[0] * alpha[0] + a[1] * alpha[1];
        let r = r - a[0] * frame.dual[0].dot(r) - a[1] * frame.dual[1].dot(r);
        Self { alpha, r, d2: r.norm_squared(), frame }
    }
}

/// The vectors dual to the first `free` directions `aₚ`, their products `G⁻¹`, and the normal that they leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<const D: usize> {
    /// `aᵖ`; zero where there is no coordinate or it is held.
    pub(super) dual: [Vector<D>; 2],
    /// `G⁻¹`; likewise.
    pub(super) g_inverse: [[f64; 2]; 2],
    /// `n`, of any length; zero where the directions leave none (two of them in 2D).
    pub(super) normal: Vector<D>,
    /// `1/|n|²`; any positive number where there is no normal, 0 where there are several.
    pub(super) normal_scale: f64,
}

impl<const D: usize> Frame<D> {
    const EMPTY: Self =
        Self { dual: [Vector::ZERO; 2], g_inverse: [[0.0; 2]; 2], normal: Vector::ZERO, normal_scale: 0.0 };

    /// `r` and `d²` as parts of `r(x, 0)` along the only normal: all their digits are right, however small they are
    /// against the rest.
    ///
    /// ```text
    /// k = n·r(x, 0)     r = n k/|n|²     d² = k²/|n|²
    /// ```
    /// In 2D `d²` is a quotient, whose rounding does not depend on the length of an edge that a vertex is beside: programs take differences of
    /// energies for less.
    #[inline(always)]
    fn with_normal(self, alpha: [f64; 2], r0: Vector<D>) -> Closest<D> {
        let along = self.normal.dot(r0);
        let scaled = along * self.normal_scale;
        let square = along * along;
        let d2 = if D == 2 && square.is_normal() { square / self.normal.norm_squared() } else { along * scaled };
        Closest { alpha, r: self.normal * scaled, d2, frame: self }
    }

    /// One direction, that of coordinate `p`.
    #[inline(always)]
    fn of_one(a: Vector<D>, p: usize) -> Self {
        let mut frame = Self::EMPTY;
        let g = a.norm_squared();
        if g > 0.0 {
            frame.g_inverse[p][p] = 1.0 / g;
            frame.dual[p] = a * (1.0 / g);
            if D == 2 {
                (frame.normal, frame.normal_scale) = (turn(a), 1.0 / g);
            }
        }
        frame
    }

    /// The longer of two parallel directions.
    fn of_longer(a: &[Vector<D>; 2]) -> Self {
        if a[0].norm_squared() >= a[1].norm_squared() { Self::of_one(a[0], 0) } else { Self::of_one(a[1], 1) }
    }

    fn of_two(a: &[Vector<D>; 2]) -> Self {
        Span::new(a[0], a[1]).map_or_else(
            || Self::of_longer(a),
            |span| Self::spanned(a, span.dual, span.normal, 1.0 / span.area2),
        )
    }

    /// Of two directions with these dual vectors, and `1/|n|²`.
    #[inline(always)]
    fn spanned(a: &[Vector<D>; 2], dual: [Vector<D>; 2], normal: Vector<D>, scale: f64) -> Self {
        let (g00, g01, g11) = (a[0].norm_squared(), a[0].dot(a[1]), a[1].norm_squared());
        let g_inverse = [[g11 * scale, -g01 * scale], [-g01 * scale, g00 * scale]];
        Self { dual, g_inverse, normal, normal_scale: scale }
    }
}
