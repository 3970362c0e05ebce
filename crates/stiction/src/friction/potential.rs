//! The friction potential summed over all slides.

use super::kind::FrictionKind;
use super::law::FrictionLaw;
use super::slide::{Detail, Slide, Slides};
use crate::assemble::{self, Along, Assembly};
use crate::blocks::Stencils;
use crate::distance::{Projection, Psd};
use crate::math::{Matrix, Vector};
use crate::potential::Potential;
use crate::stencil::Stencil;

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

    /// `v(x)` at all vertices, in m/s.
    pub fn velocities(&self, x: &[Vector<D>]) -> Vec<Vector<D>> {
        (0..x.len()).map(|i| self.velocity(x, i)).collect()
    }

    /// `Σ cᵢ vᵢ(x)` over the vertices of a stencil, in m/s.
    #[inline]
    pub fn relative<const N: usize>(&self, x: &[Vector<D>], stencil: &Stencil<N>, c: &[f64; N]) -> Vector<D> {
        let mut sum = Vector::ZERO;
        for i in 0..N {
            let v = stencil.0[i] as usize;
            sum += (x[v] - self.x_ref[v]) * c[i];
        }
        sum = sum * (1.0 / self.h_hat);
        if !self.v_ref.is_empty() {
            for i in 0..N {
                sum += self.v_ref[stencil.0[i] as usize] * c[i];
            }
        }
        sum
    }
}

/// ```text
/// P(x) = Σₖ λₖ ĥ G(yₖ)       yₖ = |zₖ| ,  zₖ = S uₖ ,  uₖ = T (Σᵢ cᵢ vᵢ(x) − v_obstacle) ,  T = I − nnᵀ      [J]
/// ∂P/∂xᵢ = Σₖ λ cᵢ (g/y) S z
/// ∂²P/∂xᵢ∂xⱼ = Σₖ λ cᵢcⱼ/ĥ S [ g′ ẑẑᵀ + (g/y)(T − ẑẑᵀ) ] S
/// ```
/// λ in N, speeds in m/s, `g` the friction law ([`FrictionLaw`]) with the slide's coefficients and `ε_v`, `S` the scaling of
/// anisotropic friction ([`Detail::scaling`](super::Detail::scaling)), else 1. Between the two S the eigenvalues of a slide are `λ g′`
/// along the slip, `λ g/y` across it and 0 along n: with λ > 0 only the first can be negative, where the law descends. Each is treated
/// as [`Psd`] says (Gauss–Newton as `Clamp`). At `z = 0` the direction does not matter: `g′ = g/y` there. Slides faster than 1e150
/// m/s count as that fast. \[Li2020\]
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

/// The fastest slide that is told apart from faster ones, in m/s: beyond it squares leave the range of numbers. Only the direction
/// counts there.
const FASTEST: f64 = 1e150;

/// How a slide moves as its law sees it.
#[derive(Clone, Copy)]
pub(super) struct Pace<const D: usize> {
    /// `z = S u`, in m/s.
    pub(super) z: Vector<D>,
    /// `S z`, in m/s.
    pub(super) along: Vector<D>,
    /// `y²`.
    pub(super) y2: f64,
}

impl<const D: usize> Pace<D> {
    /// Of a slide with the relative velocity `w`, of which only the tangential part counts.
    #[inline]
    pub(super) fn new(normal: Vector<D>, detail: Option<&Detail<D>>, w: Vector<D>) -> Self {
        let Some(detail) = detail else {
            let u = capped(across(normal, w));
            return Self { z: u, along: u, y2: u.norm_squared() };
        };
        let scaling = detail.scaling(normal);
        let z = capped(scaling * across(normal, w - detail.drift));
        Self { z, along: scaling * z, y2: z.norm_squared() }
    }

    /// `y`.
    #[inline]
    pub(super) fn speed(&self) -> f64 {
        self.y2.sqrt()
    }
}

/// `T w`.
#[inline]
pub(super) fn across<const D: usize>(normal: Vector<D>, w: Vector<D>) -> Vector<D> {
    w - normal * normal.dot(w)
}

/// The same, not longer than [`FASTEST`].
#[inline]
fn capped<const D: usize>(u: Vector<D>) -> Vector<D> {
    if u.norm_squared() > FASTEST * FASTEST { shortened(u) } else { u }
}

#[cold]
fn shortened<const D: usize>(u: Vector<D>) -> Vector<D> {
    let largest = u.0.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
    (u * (1.0 / largest)).normalized() * FASTEST
}

impl<const D: usize, L: FrictionLaw> FrictionPotential<'_, D, L> {
    /// `u`: the relative velocity of the closest points in the sliding plane, in m/s.
    #[inline]
    pub fn slip<const N: usize>(&self, slide: &Slide<D, N>, x: &[Vector<D>]) -> Vector<D> {
        let w = self.motion.relative(x, &slide.stencil, &slide.c);
        let drift = self.slides.detail(slide).map_or(Vector::ZERO, |detail| detail.drift);
        across(slide.normal, w - drift)
    }

    #[inline]
    pub(super) fn pace<const N: usize>(&self, slide: &Slide<D, N>, x: &[Vector<D>]) -> Pace<D> {
        let w = self.motion.relative(x, &slide.stencil, &slide.c);
        Pace::new(slide.normal, self.slides.detail(slide), w)
    }

    fn slide_energy<const N: usize>(&self, slides: &[Slide<D, N>], x: &[Vector<D>]) -> f64 {
        let y2 = |_, slide: &Slide<D, N>| self.pace(slide, x).y2;
        assemble::energy_of(slides, y2, |k, y2| {
            let slide = &slides[k];
            slide.force * self.motion.h_hat * self.law.integral(y2.sqrt(), slide.mu, self.eps_v)
        })
    }

    fn slide_gradient<const N: usize>(
        &self,
        slides: &[Slide<D, N>],
        x: &[Vector<D>],
        scale: f64,
        out: &mut [Vector<D>],
    ) {
        let along = |_, slide: &Slide<D, N>| {
            let pace = self.pace(slide, x);
            Along { stencil: slide.stencil, c: slide.c, r: pace.along, d2: pace.y2 }
        };
        let factor = |k: usize, y2: f64| {
            let slide = &slides[k];
            scale * slide.force * self.law.ratio(y2.sqrt(), slide.mu, self.eps_v)
        };
        assemble::gradient_along(slides, out, along, factor);
    }

    fn slide_hessian<const N: usize>(
        &self,
        slides: &[Slide<D, N>],
        x: &[Vector<D>],
        Projection { scale, psd }: Projection,
        out: &mut Assembly<'_, D>,
    ) {
        let factor = scale / self.motion.h_hat;
        assemble::hessian(
            slides,
            out,
            |_, slide| slide.stencil,
            |_, slide| {
                let core = self.core(slide, &self.pace(slide, x), factor * slide.force, psd);
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

    /// `factor S (g′ ẑẑᵀ + (g/y)(T − ẑẑᵀ)) S`, negative eigenvalues between the two S as asked.
    #[inline]
    pub(super) fn core<const N: usize>(
        &self,
        slide: &Slide<D, N>,
        pace: &Pace<D>,
        factor: f64,
        psd: Psd,
    ) -> Matrix<D> {
        let (y, hat) = (pace.speed(), pace.z.normalized());
        let across = psd.apply(factor * self.law.ratio(y, slide.mu, self.eps_v));
        let along = psd.apply(factor * self.law.slope(y, slide.mu, self.eps_v));
        let plane = Matrix::scalar(1.0) - slide.normal.outer(slide.normal);
        // In 2D the plane is a line along the slip; at rest both are the same.
        let core = if D == 2 { plane * along } else { plane * across + hat.outer(hat * (along - across)) };
        match self.slides.detail(slide) {
            None => core,
            Some(detail) => {
                let scaling = detail.scaling(slide.normal);
                scaling * core * scaling
            }
        }
    }
}

impl<const D: usize, L: FrictionLaw> Potential<D> for FrictionPotential<'_, D, L> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        let s = self.slides;
        self.slide_energy(&s.vv, x)
            + self.slide_energy(&s.ve, x)
            + self.slide_energy(&s.ee, x)
            + self.slide_energy(&s.vf, x)
            + self.slide_energy(&s.obstacle, x)
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        let s = self.slides;
        self.slide_gradient(&s.vv, x, scale, out);
        self.slide_gradient(&s.ve, x, scale, out);
        self.slide_gradient(&s.ee, x, scale, out);
        self.slide_gradient(&s.vf, x, scale, out);
        self.slide_gradient(&s.obstacle, x, scale, out);
    }

    fn stencils(&self, out: &mut Stencils) {
        let s = self.slides;
        out.push(s.vv.iter().map(|s| s.stencil));
        out.push(s.ve.iter().map(|s| s.stencil));
        out.push(s.ee.iter().map(|s| s.stencil));
        out.push(s.vf.iter().map(|s| s.stencil));
        out.push(s.obstacle.iter().map(|s| s.stencil));
    }

    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        let (s, projection) = (self.slides, Projection { scale, psd });
        self.slide_hessian(&s.vv, x, projection, out);
        self.slide_hessian(&s.ve, x, projection, out);
        self.slide_hessian(&s.ee, x, projection, out);
        self.slide_hessian(&s.vf, x, projection, out);
        self.slide_hessian(&s.obstacle, x, projection, out);
    }
}
