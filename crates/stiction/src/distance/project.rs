//! The projection of a Hessian of `f(d²)`.

use std::array::from_fn;

use super::form::Form;
use super::{Psd, Separation};
use crate::math::{Matrix, Vector, eigen};

impl<const D: usize, const N: usize> Separation<D, N> {
    /// The Hessian lives in `span{c⊗eₖ, Cₚ⊗r}`: project it there, in at most 5 dimensions.
    ///
    /// With unit vectors `t̂ₖ` along the `aₚ` and `êᵩ` along the `Cₚ`, the latter orthonormal to `c = |c| ê₀` and each
    /// other, it is in the orthonormal basis `{ê₀⊗t̂ₖ, êᵩ⊗r̂}`
    /// ```text
    /// S = [ 0        b|c|Wᵀ          ]        Wᵩₖ = |r| Σₚ (êᵩ·Cₚ)(t̂ₖ·aᵖ)
    ///     [ b|c|W    b WWᵀ + γ e₀e₀ᵀ ]        b = −2f′ ,  γ = |c|²(4f″|r|² + 2f′)
    /// ```
    /// and, apart from all that, `−b|c|²` along `ê₀⊗ŝ` for directions `ŝ` across `r̂` and all `t̂ₖ`.
    pub(super) fn projected_hessian(&self, f1: f64, f2: f64, psd: Psd) -> [[Matrix<D>; N]; N] {
        let (basis, [t0, t1], unit) = (self.orthonormal_basis(), self.tangents(), self.normal());
        let small = if self.free == 0 {
            let mut s = [[0.0; 5]; 5];
            s[0][0] = psd.apply(self.normal_eigenvalue(&basis, f1, f2));
            s
        } else {
            eigen::map_eigenvalues(self.small_hessian(&basis, [t0, t1], f1, f2), 5, |value| psd.apply(value))
        };
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
            (_, true) => [self.a[0].normalized(), Vector::ZERO],
            (true, false) => [self.a[1].normalized(), Vector::ZERO],
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

/// `|c|`, `ê₀` and the orthonormal `ê₁`, `ê₂` of [`Separation::projected_hessian`]; zero where there are fewer.
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
