//! The friction potential summed over all slides.

use super::kind::FrictionKind;
use super::law::FrictionLaw;
use super::slide::{Slide, Slides};
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
    /// `v(x)` at vertex `i`, in m/s.
    #[inline]
    pub fn velocity(&self, x: &[Vector<D>], i: usize) -> Vector<D> {
        let moved = (x[i] - self.x_ref[i]) * (1.0 / self.h_hat);
        if self.v_ref.is_empty() { moved } else { moved + self.v_ref[i] }
    }
}

/// ```text
/// P(x) = Σₖ λₖ ĥ G(yₖ)       yₖ = |zₖ| ,  zₖ = S uₖ ,  uₖ = T (Σᵢ cᵢ vᵢ(x) − v_obstacle) ,  T = I − nnᵀ      [J]
/// ∂P/∂xᵢ = Σₖ λ cᵢ (g/y) S z
/// ∂²P/∂xᵢ∂xⱼ = Σₖ λ cᵢcⱼ/ĥ S [ g′ ẑẑᵀ + (g/y)(T − ẑẑᵀ) ] S
/// ```
/// λ in N, speeds in m/s, `g` the friction law ([`FrictionLaw`]) with the slide's coefficients and `ε_v`, `S` the scaling of
/// anisotropic friction ([`Detail::scaling`](super::Detail::scaling)), else 1. Between the two S the eigenvalues of a slide are `λ g′`
/// along the slip, `λ g/y` across it and 0 along n: only the first can be negative, where the law descends, and is treated as
/// [`Psd`] says (Gauss–Newton as `Clamp`). \[Li2020\]
#[derive(Clone, Copy, Debug)]
pub struct FrictionPotential<'a, const D: usize, L = FrictionKind> {
    /// The slides to sum over.
    pub slides: &'a Slides<D>,
    /// Velocity as a function of position.
    pub motion: Motion<'a, D>,
    /// `g`.
    pub law: L,
    /// `ε_v` in m/s.
    pub eps_v: f64,
}

impl<const D: usize, L: FrictionLaw> FrictionPotential<'_, D, L> {
    /// `u`: the relative velocity of the closest points in the sliding plane, in m/s.
    #[inline]
    pub fn slip<const N: usize>(&self, slide: &Slide<D, N>, x: &[Vector<D>]) -> Vector<D> {
        let v = slide.stencil.0.map(|v| self.motion.velocity(x, v as usize));
        slide.tangential(&v)
    }

    fn slide_energy<const N: usize>(&self, slides: &[Slide<D, N>], x: &[Vector<D>]) -> f64 {
        assemble::energy(slides, |_, slide| {
            let y = self.slip(slide, x).norm();
            slide.force * self.motion.h_hat * self.law.integral(y, slide.mu, self.eps_v)
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
            let along = u * (scale * slide.force * self.law.ratio(u.norm(), slide.mu, self.eps_v));
            (slide.stencil, slide.c.map(|c| along * c))
        });
    }

    fn slide_hessian<const N: usize>(
        &self,
        slides: &[Slide<D, N>],
        x: &[Vector<D>],
        (scale, psd): (f64, Psd),
        out: &mut Assembly<'_, D>,
    ) {
        assemble::hessian(
            slides,
            out,
            |_, slide| slide.stencil,
            |_, slide| {
                let core = self.core(slide, x, scale * slide.force / self.motion.h_hat, psd);
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

    /// `factor (g′ ûûᵀ + (g/y)(T − ûûᵀ))`.
    fn core<const N: usize>(&self, slide: &Slide<D, N>, x: &[Vector<D>], factor: f64, psd: Psd) -> Matrix<D> {
        let u = self.slip(slide, x);
        let (y, hat) = (u.norm(), u.normalized());
        let across = psd.apply(factor * self.law.ratio(y, slide.mu, self.eps_v));
        let along = psd.apply(factor * self.law.slope(y, slide.mu, self.eps_v));
        (Matrix::scalar(1.0) - slide.normal.outer(slide.normal)) * across + hat.outer(hat) * (along - across)
    }
}

impl<const D: usize, L: FrictionLaw> Potential<D> for FrictionPotential<'_, D, L> {
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

    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        let s = self.slides;
        self.slide_hessian(&s.obstacle, x, (scale, psd), out);
        self.slide_hessian(&s.vv, x, (scale, psd), out);
        self.slide_hessian(&s.ve, x, (scale, psd), out);
        self.slide_hessian(&s.ee, x, (scale, psd), out);
        self.slide_hessian(&s.vf, x, (scale, psd), out);
    }
}
