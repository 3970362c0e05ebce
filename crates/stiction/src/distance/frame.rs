//! The directions in which closest points can move, inverted.

#![allow(clippy::inline_always)]

use crate::math::Vector;
use crate::math::span::Span;
use crate::math::vector::turn;

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

    #[inline(always)]
    pub(super) fn new(a: &[Vector<D>; 2], free: usize) -> Self {
        match free {
            0 => Self::EMPTY,
            1 => Self::of_one(a[0], 0),
            _ => Self::of_two(a),
        }
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
    #[inline(always)]
    fn of_longer(a: &[Vector<D>; 2]) -> Self {
        if a[0].norm_squared() >= a[1].norm_squared() { Self::of_one(a[0], 0) } else { Self::of_one(a[1], 1) }
    }

    #[inline(always)]
    fn of_two(a: &[Vector<D>; 2]) -> Self {
        let (g00, g01, g11) = (a[0].norm_squared(), a[0].dot(a[1]), a[1].norm_squared());
        let Some(span) = Span::new(a[0], a[1]) else {
            return Self::of_longer(a);
        };
        let s = 1.0 / span.area2;
        Self {
            dual: span.dual,
            g_inverse: [[g11 * s, -g01 * s], [-g01 * s, g00 * s]],
            normal: span.normal,
            normal_scale: s,
        }
    }
}
