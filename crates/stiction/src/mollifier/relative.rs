//! Two edges by three vectors, which say all that does not change where both move together.
//!
//! ```text
//! y₀ = x₁ − x₀ ,  y₁ = x₃ − x₂ ,  y₂ = x₀ − x₂           y = Jᵀx
//! Σᵢ cᵢxᵢ = Σₖ γₖyₖ     γ = (c₁, c₃, c₀ + c₁)             where Σ c = 0
//! H_x = J H_y Jᵀ
//! ```
//! The differences are those that distance and mollifier start with, so nothing is rounded more often. With an
//! orthonormal `Q` of the same span, `J = QR`, eigenvalues of `H_x` are those of `R H_y Rᵀ` and zeros: a matrix of 9 rows
//! for one of 12.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use crate::distance::Psd;
use crate::math::{Matrix, Vector, eigen};
use crate::stencil::Pair;

/// Blocks by y.
pub(crate) type Relative<const D: usize> = [[Matrix<D>; 3]; 3];

/// `J`, a row for each vertex.
const J: [[f64; 3]; 4] = [[-1.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, -1.0], [0.0, 1.0, 0.0]];

/// `R` for `Q` with the columns (−1, 1, 0, 0)/√2, (0, 0, −1, 1)/√2 and (1, 1, −1, −1)/2.
const R: [[f64; 3]; 3] = [[SQRT_2, 0.0, -FRAC_1_SQRT_2], [0.0, SQRT_2, FRAC_1_SQRT_2], [0.0, 0.0, 1.0]];

/// `R⁻¹`.
const R_INVERSE: [[f64; 3]; 3] = [[FRAC_1_SQRT_2, 0.0, 0.5], [0.0, FRAC_1_SQRT_2, -0.5], [0.0, 0.0, 1.0]];

/// `y`.
#[inline]
pub(crate) fn vectors<const D: usize>(x: &[Vector<D>; 4]) -> [Vector<D>; 3] {
    [x[1] - x[0], x[3] - x[2], x[0] - x[2]]
}

/// The same pair by y: `γ` for `c`.
#[inline]
pub(crate) fn pair(pair: &Pair<4>) -> Pair<3> {
    let by_y = |c: [f64; 4]| [c[1], c[3], c[0] + c[1]];
    Pair { base: by_y(pair.base), directions: pair.directions.map(by_y), free: pair.free }
}

/// `A H Aᵀ`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the zeros and ones fold")]
fn congruent<const D: usize, const N: usize>(a: &[[f64; 3]; N], h: &Relative<D>) -> [[Matrix<D>; N]; N] {
    let (mut half, mut whole) = ([[Matrix::ZERO; 3]; N], [[Matrix::ZERO; N]; N]);
    for i in 0..N {
        for k in 0..3 {
            if a[i][k] != 0.0 {
                for l in 0..3 {
                    half[i][l] += h[k][l] * a[i][k];
                }
            }
        }
        for j in 0..N {
            for l in 0..3 {
                if a[j][l] != 0.0 {
                    whole[i][j] += half[i][l] * a[j][l];
                }
            }
        }
    }
    whole
}

/// `H_x`.
#[inline]
pub(crate) fn spread<const D: usize>(h: &Relative<D>) -> [[Matrix<D>; 4]; 4] {
    congruent(&J, h)
}

/// `H_y` of the projected `H_x`.
pub(crate) fn project<const D: usize>(h: &Relative<D>, psd: Psd) -> Relative<D> {
    let mut h = congruent(&R, h);
    let mut dense = [[0.0; 9]; 9];
    for i in 0..3 * D {
        for j in 0..3 * D {
            dense[i][j] = h[i / D][j / D].0[i % D][j % D];
        }
    }
    let dense = eigen::map_eigenvalues(dense, 3 * D, |value| psd.apply(value));
    for i in 0..3 * D {
        for j in 0..3 * D {
            h[i / D][j / D].0[i % D][j % D] = dense[i][j];
        }
    }
    congruent(&R_INVERSE, &h)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Separation;
    use crate::stencil::EDGE_EDGE;

    #[test]
    fn both_ways_give_the_same() {
        let x = [[0.1, 0.2, 0.3], [1.0, -0.1, 0.2], [0.4, 0.9, -0.8], [0.5, -0.7, -0.9]].map(Vector);
        for held in
            [EDGE_EDGE, EDGE_EDGE.hold(0, 1.0), EDGE_EDGE.hold(1, 0.0), EDGE_EDGE.hold(1, 1.0).hold(0, 1.0)]
        {
            let (whole, by_y) = (Separation::new(&held, &x), Separation::new(&pair(&held), &vectors(&x)));
            assert!((whole.distance() - by_y.distance()).abs() < 1e-15);
            let exact = by_y.hessian(-1.0, 2.0, Psd::None);
            for psd in [Psd::None, Psd::Clamp, Psd::Abs] {
                let h = if psd == Psd::None { exact } else { project(&exact, psd) };
                let (ours, other) = (spread(&h), whole.hessian(-1.0, 2.0, psd));
                for k in 0..144 {
                    let entry = |h: &[[Matrix<3>; 4]; 4]| h[k / 36][k % 12 / 3].0[k / 12 % 3][k % 3];
                    assert!((entry(&ours) - entry(&other)).abs() < 1e-13, "{psd:?} {k}");
                }
            }
        }
    }
}
