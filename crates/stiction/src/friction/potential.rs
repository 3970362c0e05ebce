//! The friction potential summed over all slides.

use super::mollifier::{f0, f1_over_y, f2};
use super::{Slide, Slides};
use crate::assemble::{self, Assembly};
use crate::blocks::Stencils;
use crate::distance::Psd;
use crate::math::{Matrix, Vector};
use crate::potential::Potential;

/// The velocity of every vertex as a linear function of its position, as a time integrator defines it.
///
/// ```text
/// v(x) = (x − x_ref)/ĥ + v_ref          ĥ = (dv/dx)⁻¹
/// ```
/// x in m, ĥ in s. For implicit Euler `ĥ = h`, `x_ref = xⁿ` and `v_ref = 0`.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a, const D: usize> {
    /// `x_ref`.
    pub x_ref: &'a [Vector<D>],
    /// `v_ref`; empty means zero.
    pub v_ref: &'a [Vector<D>],
    /// `ĥ` in s.
    pub h_hat: f64,
}

impl<const D: usize> Motion<'_, D> {
    /// `v(x) ĥ` at vertex `i`, in m.
    #[inline]
    fn displacement(&self, x: &[Vector<D>], i: usize) -> Vector<D> {
        let moved = x[i] - self.x_ref[i];
        if self.v_ref.is_empty() { moved } else { moved + self.v_ref[i] * self.h_hat }
    }
}

/// ```text
/// P(x) = Σₖ μₖ λₖ f₀(yₖ; ε_v ĥ)       yₖ = |uₖ| ,  uₖ = ĥ Tₖ Σᵢ cᵢ vᵢ(x) ,  T = I − nnᵀ      [J]
/// ∂P/∂xᵢ = Σₖ μλ cᵢ (f₁/y) u
/// ∂²P/∂xᵢ∂xⱼ = Σₖ μλ cᵢcⱼ [ f₂ ûûᵀ + (f₁/y)(T − ûûᵀ) ]
/// ```
/// λ in N, `ε_v` in m/s: relative speeds below it count as stick. Eigenvalues per slide are `μλ f₂` along
/// the slip, `μλ f₁/y` across it and 0 along n: none is negative, so there is nothing to project.
/// \[Li2020\]
#[derive(Clone, Copy, Debug)]
pub struct FrictionPotential<'a, const D: usize> {
    /// The slides to sum over.
    pub slides: &'a Slides<D>,
    /// Velocity as a function of position.
    pub motion: Motion<'a, D>,
    /// `ε_v` in m/s.
    pub eps_v: f64,
}

impl<const D: usize> FrictionPotential<'_, D> {
    /// `u`: the slip of the closest points, in m.
    #[inline]
    pub fn slip<const N: usize>(&self, slide: &Slide<D, N>, x: &[Vector<D>]) -> Vector<D> {
        let moved = slide.stencil.0.map(|v| self.motion.displacement(x, v as usize));
        slide.tangential(&moved)
    }

    #[inline]
    fn eps(&self) -> f64 {
        self.eps_v * self.motion.h_hat
    }

    fn slide_energy<const N: usize>(&self, slides: &[Slide<D, N>], x: &[Vector<D>]) -> f64 {
        assemble::energy(slides, |_, slide| {
            slide.mu * slide.force * f0(self.slip(slide, x).norm(), self.eps())
        })
    }

    fn slide_gradient<const N: usize>(
        &self,
        slides: &[Slide<D, N>],
        x: &[Vector<D>],
        scale: f64,
        out: &mut [Vector<D>],
    ) {
        assemble::gradient(slides, out, |_, slide| {
            let u = self.slip(slide, x);
            let along = u * (scale * slide.mu * slide.force * f1_over_y(u.norm(), self.eps()));
            (slide.stencil, slide.c.map(|c| along * c))
        });
    }

    fn slide_hessian<const N: usize>(
        &self,
        slides: &[Slide<D, N>],
        x: &[Vector<D>],
        scale: f64,
        out: &mut Assembly<'_, D>,
    ) {
        assemble::hessian(
            slides,
            out,
            |_, slide| slide.stencil,
            |_, slide| {
                let core = self.core(slide, x) * (scale * slide.mu * slide.force);
                let mut local = [[Matrix::ZERO; N]; N];
                for i in 0..N {
                    for j in 0..N {
                        local[i][j] = core * (slide.c[i] * slide.c[j]);
                    }
                }
                local
            },
        );
    }

    /// `f₂ ûûᵀ + (f₁/y)(T − ûûᵀ)`.
    fn core<const N: usize>(&self, slide: &Slide<D, N>, x: &[Vector<D>]) -> Matrix<D> {
        let u = self.slip(slide, x);
        let y = u.norm();
        let along = u.normalized();
        let across = f1_over_y(y, self.eps());
        (Matrix::scalar(1.0) - slide.normal.outer(slide.normal)) * across
            + along.outer(along) * (f2(y, self.eps()) - across)
    }
}

impl<const D: usize> Potential<D> for FrictionPotential<'_, D> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        let s = self.slides;
        self.slide_energy(&s.obstacle, x)
            + self.slide_energy(&s.vv, x)
            + self.slide_energy(&s.ve, x)
            + self.slide_energy(&s.ee, x)
            + self.slide_energy(&s.vf, x)
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        let s = self.slides;
        self.slide_gradient(&s.obstacle, x, scale, out);
        self.slide_gradient(&s.vv, x, scale, out);
        self.slide_gradient(&s.ve, x, scale, out);
        self.slide_gradient(&s.ee, x, scale, out);
        self.slide_gradient(&s.vf, x, scale, out);
    }

    fn stencils(&self, out: &mut Stencils) {
        let s = self.slides;
        out.push(s.obstacle.iter().map(|s| s.stencil));
        out.push(s.vv.iter().map(|s| s.stencil));
        out.push(s.ve.iter().map(|s| s.stencil));
        out.push(s.ee.iter().map(|s| s.stencil));
        out.push(s.vf.iter().map(|s| s.stencil));
    }

    fn hessian(&self, x: &[Vector<D>], scale: f64, _psd: Psd, out: &mut Assembly<'_, D>) {
        let s = self.slides;
        self.slide_hessian(&s.obstacle, x, scale, out);
        self.slide_hessian(&s.vv, x, scale, out);
        self.slide_hessian(&s.ve, x, scale, out);
        self.slide_hessian(&s.ee, x, scale, out);
        self.slide_hessian(&s.vf, x, scale, out);
    }
}
