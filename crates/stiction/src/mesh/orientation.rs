//! On which side a point lies, exactly, for every finite input.
//!
//! Signs of determinants come from adaptive arithmetic \[Shewchuk1997\] where no product can overflow or underflow:
//!
//! ```text
//! 2⁻³⁰⁰ ≤ |x| ≤ 2³⁰⁰ or x = 0:  coordinates are multiples of 2⁻³⁵², triple products of 2⁻¹⁰⁵⁶ > 2⁻¹⁰⁷⁴
//! ```
//!
//! and from whole numbers of 6,400 bits (units of 2⁻¹⁰⁷⁴, the smallest number) anywhere else.

use robust::{Coord, Coord3D};

use crate::math::Vector;

/// The range of coordinates in which adaptive arithmetic is exact: 2⁻³⁰⁰ to 2³⁰⁰.
const TAME: std::ops::RangeInclusive<f64> =
    f64::from_bits((1023 - 300) << 52)..=f64::from_bits((1023 + 300) << 52);

/// Whether adaptive arithmetic is exact for a point.
pub(crate) fn is_tame<const D: usize>(x: Vector<D>) -> bool {
    x.0.iter().all(|x| *x == 0.0 || TAME.contains(&x.abs()))
}

/// The sign of the area of the triangle `a b c`: 1 if it turns left, 0 if it is flat.
pub(crate) fn turn(a: Vector<2>, b: Vector<2>, c: Vector<2>) -> i8 {
    if [a, b, c].iter().all(|p| is_tame(*p)) {
        return sign(turn_value(a, b, c));
    }
    wide_turn(a, b, c).sign()
}

/// Numbers in the exact proportion of the areas of the triangles `a b p` for two points `p`, but for rounding.
pub(crate) fn exact_turns([a, b]: [Vector<2>; 2], p: [Vector<2>; 2]) -> [f64; 2] {
    in_proportion(p.map(|p| wide_turn(a, b, p)))
}

/// The same for the volumes of the tetrahedra `t p`.
pub(crate) fn exact_sides(t: [Vector<3>; 3], p: [Vector<3>; 2]) -> [f64; 2] {
    in_proportion(p.map(|p| wide_side(t, p)))
}

fn wide_turn(a: Vector<2>, b: Vector<2>, c: Vector<2>) -> Wide {
    let [u, v] = [a, b].map(|p| [0, 1].map(|k| Wide::difference(p[k], c[k])));
    u[0].times(&v[1]).minus(&u[1].times(&v[0]))
}

fn wide_side(t: [Vector<3>; 3], p: Vector<3>) -> Wide {
    let [u, v, w] = t.map(|t| [0, 1, 2].map(|k| Wide::difference(t[k], p[k])));
    let term = |i: usize, j: usize, k: usize| u[i].times(&v[j].times(&w[k]).minus(&v[k].times(&w[j])));
    term(0, 1, 2).minus(&term(1, 2, 0).negated()).minus(&term(2, 0, 1).negated())
}

/// Both numbers in units of the same power of two, which makes the larger one about 1.
fn in_proportion(numbers: [Wide; 2]) -> [f64; 2] {
    let [a, b] = numbers.map(|number| number.leading());
    let unit = a.1.max(b.1);
    [a, b].map(|(value, exponent)| value * f64::from(exponent - unit).exp2())
}

/// The side of the plane through `t` on which `p` lies: the sign of `(t₀ − p)·((t₁ − p) × (t₂ − p))`, 0 on the plane.
pub(crate) fn side(t: [Vector<3>; 3], p: Vector<3>) -> i8 {
    // A floor: no need for all digits to find that its points lie in a plane.
    if (0..3).any(|k| t.iter().all(|t| t[k] == p[k])) {
        return 0;
    }
    if t.iter().chain([&p]).all(|p| is_tame(*p)) {
        return sign(side_value(t, p));
    }
    wide_side(t, p).sign()
}

/// Twice the signed area of the triangle `a b c`, in m²: its sign is right where coordinates are tame, its digits only
/// where it is not small.
pub(crate) fn turn_value(a: Vector<2>, b: Vector<2>, c: Vector<2>) -> f64 {
    let [a, b, c] = [a, b, c].map(|p| Coord { x: p[0], y: p[1] });
    robust::orient2d(a, b, c)
}

/// Six times the signed volume of the tetrahedron `t p`, in m³, as exact as [`turn_value`].
pub(crate) fn side_value(t: [Vector<3>; 3], p: Vector<3>) -> f64 {
    let [a, b, c, d] = [t[0], t[1], t[2], p].map(|p| Coord3D { x: p[0], y: p[1], z: p[2] });
    robust::orient3d(a, b, c, d)
}

/// The point as seen along axis `k`: its two other coordinates. In 2D every view is the plane itself.
#[inline]
pub(crate) fn view<const D: usize>(p: Vector<D>, k: usize) -> Vector<2> {
    if D == 2 { Vector([p[0], p[1]]) } else { Vector([p[(k + 1) % 3], p[(k + 2) % 3]]) }
}

/// The point as one of three dimensions; of height 0 if it has two.
#[inline]
pub(crate) fn space<const D: usize>(p: Vector<D>) -> Vector<3> {
    Vector(std::array::from_fn(|k| if k < D { p[k] } else { 0.0 }))
}

/// Whether three points lie on a line.
pub(crate) fn is_flat<const D: usize>(t: [Vector<D>; 3]) -> bool {
    (0..3).all(|k| {
        let [a, b, c] = t.map(|p| view(p, k));
        turn(a, b, c) == 0
    })
}

fn sign(value: f64) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}

/// Digits of a [`Wide`]: a determinant of differences of coordinates takes at most 3·2099 + 2 bits.
const DIGITS: usize = 100;

/// A whole number, in two's complement, the lowest digit first.
#[derive(Clone)]
struct Wide([u64; DIGITS]);

impl Wide {
    /// `a − b` in units of 2⁻¹⁰⁷⁴.
    fn difference(a: f64, b: f64) -> Self {
        Self::new(a).minus(&Self::new(b))
    }

    /// A finite number in units of 2⁻¹⁰⁷⁴.
    fn new(x: f64) -> Self {
        let (exponent, fraction) = ((x.to_bits() >> 52 & 0x7ff) as usize, x.to_bits() & ((1 << 52) - 1));
        let (shift, mantissa) =
            if exponent == 0 { (0, fraction) } else { (exponent - 1, fraction | 1 << 52) };
        let mut digits = [0; DIGITS];
        let spread = u128::from(mantissa) << (shift % 64);
        digits[shift / 64] = spread as u64;
        digits[shift / 64 + 1] = (spread >> 64) as u64;
        if x < 0.0 { Self(digits).negated() } else { Self(digits) }
    }

    fn negated(&self) -> Self {
        Self([0; DIGITS]).minus(self)
    }

    fn minus(&self, other: &Self) -> Self {
        let (mut out, mut borrow) = (self.0, false);
        for (digit, other) in out.iter_mut().zip(other.0) {
            let (a, first) = digit.overflowing_sub(other);
            let (b, second) = a.overflowing_sub(u64::from(borrow));
            (*digit, borrow) = (b, first || second);
        }
        Self(out)
    }

    /// The product, whose lower digits do not depend on the signs.
    fn times(&self, other: &Self) -> Self {
        let mut out = [0_u64; DIGITS];
        for (i, a) in self.0.iter().enumerate() {
            let mut carry = 0_u128;
            for (digit, b) in out[i..].iter_mut().zip(&other.0) {
                let sum = u128::from(*a) * u128::from(*b) + u128::from(*digit) + carry;
                (*digit, carry) = (sum as u64, sum >> 64);
            }
        }
        Self(out)
    }

    /// The number as `value · 2^exponent`, with `|value|` from 1/2 to 1, rounded; zero as it is.
    fn leading(&self) -> (f64, i32) {
        let negative = self.sign() < 0;
        let digits = if negative { self.negated().0 } else { self.0 };
        let Some(top) = digits.iter().rposition(|digit| *digit != 0) else { return (0.0, i32::MIN / 2) };
        let lower = if top > 0 { digits[top - 1] } else { 0 };
        let both = u128::from(digits[top]) << 64 | u128::from(lower);
        let shift = both.leading_zeros();
        let value = (both << shift) as f64 * (-128.0_f64).exp2();
        let exponent = 64 * (top as u32 + 1) - shift;
        (if negative { -value } else { value }, exponent.cast_signed())
    }

    fn sign(&self) -> i8 {
        if self.0[DIGITS - 1] >> 63 == 1 { -1 } else { i8::from(self.0 != [0; DIGITS]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small whole numbers, of which many triples are flat, times a power of two that needs wide numbers.
    fn points<const D: usize>(k: u64, scale: f64) -> [Vector<D>; 4] {
        let mut state = k.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        std::array::from_fn(|_| {
            Vector(std::array::from_fn(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((state >> 40) % 5) as f64 * scale
            }))
        })
    }

    #[test]
    fn wide_numbers_agree_with_adaptive_arithmetic() {
        let mut flat = [0; 2];
        for k in 0..300 {
            let ([a, b, c, _], p) = (points::<2>(k, 1.0), points::<3>(k, 1.0));
            let (turned, sided) = (turn(a, b, c), side([p[0], p[1], p[2]], p[3]));
            flat[0] += usize::from(turned == 0);
            flat[1] += usize::from(sided == 0);
            for scale in [2.0_f64.powi(-1074), 2.0_f64.powi(-700), 2.0_f64.powi(1000)] {
                assert_eq!(turn(a * scale, b * scale, c * scale), turned, "{k}: {a:?} {b:?} {c:?}");
                let q = p.map(|p| p * scale);
                assert_eq!(side([q[0], q[1], q[2]], q[3]), sided, "{k}: {p:?}");
            }
        }
        assert!(flat[0] > 30 && flat[1] > 30, "{flat:?}");
    }

    #[test]
    fn numbers_with_and_without_all_digits_together() {
        let unit = f64::MIN_POSITIVE;
        let [a, b, c] = [[0.0, 0.0], [unit, 0.5 * unit], [2.0 * unit, unit]].map(Vector);
        assert_eq!(turn(a, b, c), 0);
        assert_eq!(turn(a, b, c + Vector([0.0, f64::from_bits(1)])), 1);
    }

    #[test]
    fn the_largest_and_the_smallest_numbers_together() {
        let (max, min) = (f64::MAX, f64::from_bits(1));
        let t = [Vector([-max, -max, 0.0]), Vector([max, -max, 0.0]), Vector([0.0, max, 0.0])];
        assert_eq!([min, 0.0, -min].map(|z| side(t, Vector([1.0, 1.0, z]))), [-1, 0, 1]);
        let (a, b) = (Vector([-max, -max]), Vector([max, max]));
        assert_eq!([min, 0.0, -min].map(|y| turn(a, b, Vector([0.0, y]))), [1, 0, -1]);
        assert!(is_flat([a, b, Vector([1e-300, 1e-300])]) && !is_flat([a, b, Vector([1e-300, 1.1e-300])]));
    }
}
