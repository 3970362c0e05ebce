//! How the friction of one contact answers to changes of what it is made of.

// Inlined down to the blocks: the local matrix of a contact is then made where it is added.
#![allow(clippy::inline_always)]

use super::axis::Axis;
use super::grip::Grip;
use crate::friction::law::{FrictionLaw, Mu};
use crate::math::{Matrix, Vector};

/// What acts on a slide, apart from its contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sliding<'a, const D: usize, L> {
    pub(super) law: &'a L,
    pub(super) eps_v: f64,
    pub(super) mu: Mu,
    /// `a₀`, `a₁`.
    pub(super) scaling: [f64; 2],
    /// Velocity of an obstacle, in m/s.
    pub(super) drift: Vector<D>,
}

/// Friction `p = λ (g/y) M w` against the relative velocity `w`, with its derivatives.
///
/// ```text
/// M = S² = b₁T + (b₀ − b₁) ttᵀ ,  bᵢ = aᵢ²       y² = wᵀMw       ρ = g/y
/// ∂p = ρMw ∂λ + A_w ∂w + A_n ∂n + A_t ∂t          e = Mw/y
/// A_w = λ [ρM + ρ′ e (Mw)ᵀ]
/// A_n = −λ b₁ [ρ((n·w) + n wᵀ) + ρ′ (n·w) e wᵀ]
/// A_t = λ (b₀ − b₁) [ρ((t·w) + t wᵀ) + ρ′ (t·w) e wᵀ]
/// ```
/// Where y = 0, so is ρ′∂y, and e counts as zero.
struct Response<const D: usize> {
    p: Vector<D>,
    by_lambda: Vector<D>,
    by_w: Matrix<D>,
    by_n: Matrix<D>,
    by_t: Matrix<D>,
}

impl<const D: usize, L: FrictionLaw> Sliding<'_, D, L> {
    #[inline(always)]
    fn response(&self, lambda: f64, n: Vector<D>, t: Vector<D>, w: Vector<D>) -> Response<D> {
        let [b0, b1] = self.scaling.map(|a| a * a);
        let (n_w, t_w) = (n.dot(w), t.dot(w));
        let m_w = (w - n * n_w) * b1 + t * ((b0 - b1) * t_w);
        let y = w.dot(m_w).max(0.0).sqrt();
        let (ratio, slope) =
            (self.law.ratio(y, self.mu, self.eps_v), self.law.ratio_slope(y, self.mu, self.eps_v));
        let e = if y > 0.0 { m_w * (slope / y) } else { Vector::ZERO };
        let m = (Matrix::scalar(1.0) - n.outer(n)) * b1 + t.outer(t) * (b0 - b1);
        let turned =
            |axis: Vector<D>, along: f64| Matrix::scalar(ratio * along) + (axis * ratio + e * along).outer(w);
        Response {
            p: m_w * (lambda * ratio),
            by_lambda: m_w * ratio,
            by_w: (m * ratio + e.outer(m_w)) * lambda,
            by_n: turned(n, n_w) * (-lambda * b1),
            by_t: if b0 == b1 { Matrix::ZERO } else { turned(t, t_w) * (lambda * (b0 - b1)) },
        }
    }

    /// `∂Fᵢ/∂xⱼ` of the force `Fᵢ = −cᵢ p` on vertex i with velocities `v` held, in N/m.
    ///
    /// ```text
    /// ∂Fᵢ/∂xⱼ = −cᵢ ∂p/∂xⱼ − Σₚ Cₚᵢ p (∂αₚ/∂xⱼ)ᵀ        ∂w/∂αₚ = Σᵢ Cₚᵢ vᵢ
    /// ```
    #[inline(always)]
    pub(super) fn by_positions<const N: usize>(
        &self,
        grip: &Grip<D, N>,
        axis: &Axis<D, N>,
        v: &[Vector<D>; N],
    ) -> [[Matrix<D>; N]; N] {
        let w = combined(&grip.c, v) - self.drift;
        let r = self.response(grip.lambda(), grip.n, axis.t, w);
        let by_alpha = grip.directions.map(|c| r.by_w * combined(&c, v));
        let anisotropic = self.scaling[0] != self.scaling[1];
        let mut out = [[Matrix::ZERO; N]; N];
        for j in 0..N {
            let alpha = [grip.alpha_by_x[0][j], grip.alpha_by_x[1][j]];
            let mut by_x = r.by_lambda.outer(grip.lambda_by_x[j]) + r.by_n * grip.n_by_x[j];
            by_x += by_alpha[0].outer(alpha[0]) + by_alpha[1].outer(alpha[1]);
            if anisotropic {
                by_x += r.by_t * axis.by_x[j];
            }
            let moved = alpha.map(|alpha| r.p.outer(alpha));
            for i in 0..N {
                let [c0, c1] = [grip.directions[0][i], grip.directions[1][i]];
                out[i][j] = by_x * -grip.c[i] + moved[0] * -c0 + moved[1] * -c1;
            }
        }
        out
    }

    /// `∂Fᵢ/∂w_k`: by the weight of the contact.
    pub(super) fn by_weight<const N: usize>(
        &self,
        grip: &Grip<D, N>,
        t: Vector<D>,
        v: &[Vector<D>; N],
    ) -> [Vector<D>; N] {
        let w = combined(&grip.c, v) - self.drift;
        let by_weight = self.response(grip.lambda(), grip.n, t, w).by_lambda * grip.per_weight;
        grip.c.map(|c| by_weight * -c)
    }
}

#[inline(always)]
fn combined<const D: usize, const N: usize>(c: &[f64; N], v: &[Vector<D>; N]) -> Vector<D> {
    let mut sum = Vector::ZERO;
    for i in 0..N {
        sum += v[i] * c[i];
    }
    sum
}
