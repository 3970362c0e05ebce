//! The projection of a Hessian of `f(d²)`.

#![allow(clippy::inline_always)]

use std::array::from_fn;

use super::form::Form;
use super::secular::{Coupled, Negative};
use super::{Psd, Separation};
use crate::math::vector::cross;
use crate::math::{Matrix, Vector, eigen};

/// `|c|` beyond which closest points are so far outside that `c` is no good member of a basis.
const FAR: f64 = 10.0;

/// An eigenvector `c⊗g + Σₚ μₚ Cₚ⊗r̂` of the Hessian and the size of its eigenvalue, over `2|f′|`.
#[derive(Clone, Copy)]
struct Mode<const D: usize> {
    size: f64,
    g: Vector<D>,
    mu: [f64; 2],
}

impl<const D: usize, const N: usize> Separation<D, N> {
    /// The Hessian lives in `span{c⊗eₖ, Cₚ⊗r}`, in at most 5 dimensions.
    ///
    /// The directions `Cₚ` and the `aᵖ` have a common singular value decomposition, with unit vectors `uᵢ` along the
    /// `Cₚ` and `vᵢ` along the `aₚ`; let `u₂` be the unit vector along what of `c` is across the `Cₚ`:
    /// ```text
    /// |r| Σₚ Cₚ aᵖᵀ = Σᵢ σᵢ uᵢvᵢᵀ       c = |c| Σᵢ zᵢ uᵢ
    /// ```
    /// In the orthonormal basis `{ĉ⊗vᵢ, uᵢ⊗r̂}` the Hessian is `−2f′` times the matrix of [`Coupled`] with
    /// ```text
    /// C = |c|     g = −|c|²(4f″|r|² + 2f′)/2f′
    /// ```
    /// and, apart from all that, `2f′|c|²` along `ĉ⊗ŝ` for directions `ŝ` across `r̂` and all `vᵢ`. Where `g > 0`, it
    /// has one eigenvalue of the sign of `f′` for each direction, and the others are of the other sign: the former
    /// are solved for, and changed or kept.
    #[inline(always)]
    pub(super) fn projected_hessian(&self, f1: f64, f2: f64, psd: Psd) -> [[Matrix<D>; N]; N] {
        if self.free == 0 {
            return self.projected_point_hessian(f1, f2, psd);
        }
        match self.modes(f1, f2) {
            Some(modes) => self.spread(modes, f1, f2, psd),
            None => self.projected_in_general(f1, f2, psd),
        }
    }

    /// The eigenvalues of the sign of `f′`; nothing where `g` is not positive or the numbers are no good.
    #[inline(always)]
    fn modes(&self, f1: f64, f2: f64) -> Option<[Mode<D>; 2]> {
        let (d2, c2) = (self.distance_squared(), Vector(self.c).norm_squared());
        let g = -c2 * (4.0 * f2 * d2 + 2.0 * f1) / (2.0 * f1);
        let good = g > 0.0 && g < f64::INFINITY && c2 < FAR * FAR;
        let (d, c) = (d2.sqrt(), c2.sqrt());
        if good && self.free == 1 && self.frame.g_inverse[0][0] > 0.0 {
            return Some([self.one_mode(d, c, g)?, Mode { size: 0.0, g: Vector::ZERO, mu: [0.0; 2] }]);
        }
        if good && self.free == 2 && D == 3 && self.frame.normal_scale > 0.0 {
            return self.two_modes(d, c, g);
        }
        None
    }

    /// Without directions: `4f″d² + 2f′` along `r̂` and `2f′` across.
    #[inline(always)]
    fn projected_point_hessian(&self, f1: f64, f2: f64, psd: Psd) -> [[Matrix<D>; N]; N] {
        let (r, unit) = (self.r, self.normal());
        let along = psd.apply(4.0 * f2 * self.distance_squared() + 2.0 * f1);
        let across = psd.apply(2.0 * f1);
        let k = unit.outer(unit * (along - across)) + Matrix::scalar(across);
        Form { c: self.c, directions: self.directions, r, k, b: [Vector::ZERO; 2], w: [[0.0; 2]; 2] }.blocks()
    }

    /// The eigenvalue of the sign of `f′` where there is one direction.
    #[inline(always)]
    fn one_mode(&self, d: f64, c: f64, g: f64) -> Option<Mode<D>> {
        let directions = &self.directions[0];
        let length = dot(directions, directions).sqrt();
        let (dual, size) = (self.frame.dual[0], self.frame.dual[0].norm());
        let z0 = dot(directions, &self.c) / (length * c);
        let coupled = Coupled { c, sigma: [d * size * length, 0.0], z: [z0, 0.0, (1.0 - z0 * z0).sqrt()], g };
        let Negative { x, p, w } = coupled.negative_of_first()?;
        let rest = w[2] / (c * coupled.z[2]);
        let g = dual * (p[0] / (size * c)) + self.normal() * rest;
        Some(Mode { size: x, g, mu: [(w[0] - rest * c * z0) / length, 0.0] })
    }

    /// Both eigenvalues of the sign of `f′` where there are two directions.
    #[inline(always)]
    fn two_modes(&self, d: f64, c: f64, g: f64) -> Option<[Mode<D>; 2]> {
        let Singular { sigma, u, v } = self.singular(d);
        let along = [dot(&self.directions[0], &self.c) / c, dot(&self.directions[1], &self.c) / c];
        let [z0, z1]: [f64; 2] = from_fn(|i| u[i][0] * along[0] + u[i][1] * along[1]);
        let coupled = Coupled { c, sigma, z: [z0, z1, (1.0 - z0 * z0 - z1 * z1).sqrt()], g };
        let negative = coupled.negative()?;
        let (unit, inverse) = (self.normal(), 1.0 / c);
        Some(negative.map(|Negative { x, p, w }| {
            // u₂ = (ĉ − z₀u₀ − z₁u₁)/z₂.
            let rest = w[2] / coupled.z[2];
            let (w0, w1) = (w[0] - rest * z0, w[1] - rest * z1);
            let g = (v[0] * p[0] + v[1] * p[1] + unit * rest) * inverse;
            Mode { size: x, g, mu: from_fn(|q| u[0][q] * w0 + u[1][q] * w1) }
        }))
    }

    /// `|r| Σₚ Cₚ aᵖᵀ = Σᵢ σᵢ uᵢvᵢᵀ`, in 3D: with the `Cₚ` made orthonormal, `C = QR`, by a rotation of the two rows
    /// `|r| R [aᵖ]` that makes them orthogonal.
    #[inline(always)]
    fn singular(&self, d: f64) -> Singular<D> {
        let [c0, c1] = &self.directions;
        let r00 = dot(c0, c0).sqrt();
        let r01 = dot(c0, c1) / r00;
        let r11 = (dot(c1, c1) - r01 * r01).sqrt();
        let [a0, a1] = self.frame.dual;
        let (b0, b1) = ((a0 * r00 + a1 * r01) * d, a1 * (r11 * d));
        let (cos, sin) = rotation(b0.norm_squared(), b0.dot(b1), b1.norm_squared());
        // Over C: the columns of R⁻¹ times those of the rotation.
        let over = |x: f64, y: f64| [(x - r01 / r11 * y) / r00, y / r11];
        let mut rows = [b0 * cos - b1 * sin, b0 * sin + b1 * cos];
        let mut u = [over(cos, -sin), over(sin, cos)];
        let mut sigma = rows.map(Vector::norm);
        if sigma[0] < sigma[1] {
            (rows, u, sigma) = ([rows[1], rows[0]], [u[1], u[0]], [sigma[1], sigma[0]]);
        }
        let first = rows[0] * (1.0 / sigma[0]);
        // Across the first to all digits, which a short second row is not.
        let second = cross(self.normal(), first);
        Singular { sigma, u, v: [first, second * 1.0_f64.copysign(second.dot(rows[1]))] }
    }

    /// The blocks, with `E` the exact Hessian:
    /// ```text
    ///           f′ < 0                f′ > 0
    /// Clamp     E + 2|f′| Σ size ξξᵀ    2|f′| Σ size ξξᵀ           ξ = c⊗g + Σₚ μₚ Cₚ⊗r̂
    /// Abs       E + 4|f′| Σ size ξξᵀ    4|f′| Σ size ξξᵀ − E
    /// ```
    #[inline(always)]
    fn spread(&self, modes: [Mode<D>; 2], f1: f64, f2: f64, psd: Psd) -> [[Matrix<D>; N]; N] {
        let (kept, factor) = match (psd == Psd::Abs, f1 < 0.0) {
            (false, negative) => (f64::from(u8::from(negative)), 2.0 * f1.abs()),
            (true, negative) => (if negative { 1.0 } else { -1.0 }, 4.0 * f1.abs()),
        };
        let (unit, d2) = (self.normal(), self.distance_squared());
        let (d, slope) = (d2.sqrt(), -2.0 * f1 * kept);
        let mut k = unit.outer(unit * (kept * (4.0 * f2 * d2 + 2.0 * f1)));
        if self.frame.normal_scale == 0.0 {
            k += self.beside(unit) * psd.apply(2.0 * f1);
        }
        let mut b = self.frame.dual.map(|a| a * (slope * d));
        let mut w = self.frame.g_inverse.map(|row| row.map(|g| g * (slope * d2)));
        for Mode { size, g, mu } in modes {
            let weight = factor * size;
            k += g.outer(g * weight);
            for p in 0..self.free {
                b[p] += g * (weight * mu[p]);
                for q in 0..self.free {
                    w[p][q] += weight * mu[p] * mu[q];
                }
            }
        }
        Form { c: self.c, directions: self.directions, r: unit, k, b, w }.blocks()
    }

    /// `I − r̂r̂ᵀ − v₀v₀ᵀ` where there is one direction.
    #[inline(always)]
    fn beside(&self, unit: Vector<D>) -> Matrix<D> {
        let t = self.a[0];
        Matrix::scalar(1.0) - unit.outer(unit) - t.outer(self.frame.dual[0])
    }

    /// The same for any numbers: with unit vectors `t̂ₖ` along the `aₚ` and `êᵩ` along the `Cₚ`, the latter orthonormal to
    /// `c = |c| ê₀` and each other, the Hessian is in the orthonormal basis `{ê₀⊗t̂ₖ, êᵩ⊗r̂}`
    /// ```text
    /// S = [ 0        b|c|Wᵀ          ]        Wᵩₖ = |r| Σₚ (êᵩ·Cₚ)(t̂ₖ·aᵖ)
    ///     [ b|c|W    b WWᵀ + γ e₀e₀ᵀ ]        b = −2f′ ,  γ = |c|²(4f″|r|² + 2f′)
    /// ```
    /// and is projected there.
    #[cold]
    #[inline(never)]
    fn projected_in_general(&self, f1: f64, f2: f64, psd: Psd) -> [[Matrix<D>; N]; N] {
        let (basis, [t0, t1], unit) = (self.orthonormal_basis(), self.tangents(), self.normal());
        let small =
            eigen::map_eigenvalues(self.small_hessian(&basis, [t0, t1], f1, f2), 5, |value| psd.apply(value));
        let across = psd.apply(2.0 * f1 * basis.norm * basis.norm);
        let rest = Matrix::scalar(1.0) - unit.outer(unit) - t0.outer(t0) - t1.outer(t1);
        // In terms of r̂, t̂₀ and t̂₁: the first three rows of the small matrix.
        let row = |i: usize| unit * small[i][0] + t0 * small[i][1] + t1 * small[i][2];
        let mut k = unit.outer(row(0)) + t0.outer(row(1)) + t1.outer(row(2));
        if across != 0.0 && self.frame.normal_scale == 0.0 {
            k += rest * across;
        }
        let w = from_fn(|p| from_fn(|q| small[3 + p][3 + q]));
        Form { c: basis.c, directions: basis.e, r: unit, k, b: [row(3), row(4)], w }.blocks()
    }

    /// Orthonormal `t̂ₖ` in the span of the `aₚ`; zero where there are fewer.
    #[inline]
    pub(super) fn tangents(&self) -> [Vector<D>; 2] {
        let dual = &self.frame.dual;
        // The direction of a₀ is across a¹, so only one product of the two with the aᵖ remains.
        match (dual[0] == Vector::ZERO, dual[1] == Vector::ZERO) {
            (false, false) => [self.a[0].normalized(), dual[1].normalized()],
            (false, true) => [self.a[0].normalized(), Vector::ZERO],
            (true, false) => [self.a[1].normalized(), Vector::ZERO],
            // Also where coordinates are held: then there are directions that do not count.
            (true, true) => [Vector::ZERO; 2],
        }
    }

    #[inline]
    fn normal_eigenvalue(&self, basis: &Basis<N>, f1: f64, f2: f64) -> f64 {
        basis.norm * basis.norm * (4.0 * f2 * self.distance_squared() + 2.0 * f1)
    }

    /// `S`, in the order ê₀, t̂₀, t̂₁, ê₁, ê₂: the largest entry first.
    #[inline]
    fn small_hessian(&self, basis: &Basis<N>, t: [Vector<D>; 2], f1: f64, f2: f64) -> [[f64; 5]; 5] {
        const E: [usize; 3] = [0, 3, 4];
        let (b, d) = (-2.0 * f1, self.r.norm());
        let along: [[f64; 2]; 2] = from_fn(|k| from_fn(|p| d * t[k].dot(self.frame.dual[p])));
        let e = [basis.c, basis.e[0], basis.e[1]];
        let w: [[f64; 2]; 3] = from_fn(|q| {
            let c = [dot(&e[q], &self.directions[0]), dot(&e[q], &self.directions[1])];
            from_fn(|k| c[0] * along[k][0] + c[1] * along[k][1])
        });
        let mut s = [[0.0; 5]; 5];
        for q in 0..3 {
            for k in 0..2 {
                s[E[q]][1 + k] = b * basis.norm * w[q][k];
                s[1 + k][E[q]] = s[E[q]][1 + k];
            }
            for l in 0..3 {
                s[E[q]][E[l]] = b * (w[q][0] * w[l][0] + w[q][1] * w[l][1]);
            }
        }
        s[0][0] += self.normal_eigenvalue(basis, f1, f2);
        s
    }

    #[inline]
    fn orthonormal_basis(&self) -> Basis<N> {
        let norm = dot(&self.c, &self.c).sqrt();
        let c = self.c.map(|c| c / norm);
        let mut e = [[0.0; N]; 2];
        for p in 0..self.free {
            let mut rest = self.directions[p];
            let whole = dot(&rest, &rest);
            // Twice: once leaves rounding of the whole, which is much where little is left.
            for unit in [&c, &e[0], &c, &e[0]] {
                remove(&mut rest, unit);
            }
            let length2 = dot(&rest, &rest);
            if length2 > 1e-24 * whole {
                let inverse = 1.0 / length2.sqrt();
                e[p] = rest.map(|value| value * inverse);
            }
        }
        Basis { norm, c, e }
    }
}

/// See [`Separation::singular`]: `uᵢ` over the `Cₚ`.
struct Singular<const D: usize> {
    sigma: [f64; 2],
    u: [[f64; 2]; 2],
    v: [Vector<D>; 2],
}

/// Cosine and sine of the rotation that makes two rows orthogonal, given their products.
#[inline(always)]
fn rotation(p: f64, r: f64, q: f64) -> (f64, f64) {
    let (difference, twice) = (q - p, 2.0 * r);
    let length = difference.abs() + (difference * difference + twice * twice).sqrt();
    if length == 0.0 {
        return (1.0, 0.0);
    }
    let tan = twice.copysign(twice * difference) / length;
    let cos = 1.0 / (tan * tan + 1.0).sqrt();
    (cos, tan * cos)
}

/// `|c|`, `ê₀` and the orthonormal `ê₁`, `ê₂` of [`Separation::projected_in_general`]; zero where there are fewer.
struct Basis<const N: usize> {
    norm: f64,
    c: [f64; N],
    e: [[f64; N]; 2],
}

#[inline]
fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    Vector(*a).dot(Vector(*b))
}

/// Removes from `e` its part along the unit vector `unit`.
#[inline]
fn remove<const N: usize>(e: &mut [f64; N], unit: &[f64; N]) {
    let along = dot(e, unit);
    for i in 0..N {
        e[i] -= along * unit[i];
    }
}
