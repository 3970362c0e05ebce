//! The barrier summed over all contacts.

use std::array::from_fn;

use super::kappa::{Kappa, StiffContacts};
use super::{Barrier, BarrierKind, BarrierLaw};
use crate::assemble::{self, Along, Assembly};
use crate::blocks::Stencils;
use crate::contact::{Contact, Contacts, ObstacleContact, ParallelContact};
use crate::distance::{Projection, Psd, Separation};
use crate::error::Result;
use crate::math::{Matrix, Vector, span};
use crate::mollifier::{self, relative};
use crate::obstacle::Obstacle;
use crate::potential::Potential;
use crate::stencil::{EdgeEdge, PairKind, VertexEdge, VertexFace, VertexVertex};

/// ```text
/// B(x) = Σₖ κₖ wₖ mₖ(x) f(dₖ²(x))        [J]
/// ```
/// `f` the barrier law, `m` the edge-edge mollifier (1 except for nearly parallel edges), weights `w` of the contacts. Units: those
/// of `κ w f` are J; with the clamped logarithm and counted contacts κ is in J/m⁴. The contacts must be those at the
/// positions asked for, or a superset with the same closest features. Where the energy is infinite, at the minimum distance or below and
/// inside obstacles, there are no derivatives: entries of the gradient that belong to such contacts are not finite, those of the projected
/// Hessian mean nothing. [`check_apart`](Self::check_apart) tells. \[Li2020\]
#[derive(Clone, Copy, Debug)]
pub struct BarrierPotential<'a, const D: usize, B = BarrierKind> {
    /// The contacts to sum over.
    pub contacts: &'a Contacts,
    /// The obstacles that the contacts name.
    pub obstacles: &'a [Obstacle<D>],
    /// `f`.
    pub law: BarrierLaw<B>,
    /// `κ`.
    pub kappa: Kappa<'a>,
}

impl<'a, const D: usize, B> BarrierPotential<'a, D, B> {
    /// The contacts of two vertices.
    pub(crate) fn vv(&self) -> StiffContacts<'a, Contact<2>> {
        StiffContacts { contacts: &self.contacts.vv, kappa: self.kappa.of(|k| &k.vv) }
    }

    /// The contacts of a vertex and an edge.
    pub(crate) fn ve(&self) -> StiffContacts<'a, Contact<3>> {
        StiffContacts { contacts: &self.contacts.ve, kappa: self.kappa.of(|k| &k.ve) }
    }

    /// The contacts of two edges that are not nearly parallel.
    pub(crate) fn ee(&self) -> StiffContacts<'a, Contact<4>> {
        StiffContacts { contacts: &self.contacts.ee, kappa: self.kappa.of(|k| &k.ee) }
    }

    /// The contacts of a vertex and a face.
    pub(crate) fn vf(&self) -> StiffContacts<'a, Contact<4>> {
        StiffContacts { contacts: &self.contacts.vf, kappa: self.kappa.of(|k| &k.vf) }
    }

    /// The contacts of two nearly parallel edges.
    pub(crate) fn parallel(&self) -> StiffContacts<'a, ParallelContact> {
        StiffContacts { contacts: &self.contacts.parallel, kappa: self.kappa.of(|k| &k.parallel) }
    }

    /// The contacts of a vertex and an obstacle.
    pub(crate) fn obstacle(&self) -> StiffContacts<'a, ObstacleContact> {
        StiffContacts { contacts: &self.contacts.obstacle, kappa: self.kappa.of(|k| &k.obstacle) }
    }
}

impl<const D: usize, B: Barrier> BarrierPotential<'_, D, B> {
    /// Checks that the derivatives exist at positions `x`: that pairs are further apart than the minimum distance where the barrier goes to
    /// infinity, and nothing is inside an obstacle.
    ///
    /// # Errors
    /// If they do not, with the first pair that is too close.
    ///
    /// # Panics
    /// If `x` or `obstacles` is not the array that the contacts were built with.
    pub fn check_apart(&self, x: &[Vector<D>]) -> Result<()> {
        // A barrier that is finite at contact has derivatives there, but nothing has any inside an obstacle.
        let limit = if self.law.barrier().is_interior() { self.law.dmin() } else { -f64::MIN_POSITIVE };
        self.contacts.check_apart(x, self.obstacles, limit)
    }

    fn pair_energy<K: PairKind<N>, const N: usize>(
        &self,
        StiffContacts { contacts, kappa }: StiffContacts<'_, Contact<N>>,
        x: &[Vector<D>],
    ) -> f64 {
        let d2 = |_, c: &Contact<N>| Separation::new(&K::PAIR, &c.stencil.gather(x)).distance_squared();
        assemble::energy_of(contacts, d2, |k, d2| kappa.at(k) * contacts[k].weight * self.law.value(d2))
    }

    fn pair_gradient<K: PairKind<N>, const N: usize>(
        &self,
        StiffContacts { contacts, kappa }: StiffContacts<'_, Contact<N>>,
        x: &[Vector<D>],
        scale: f64,
        out: &mut [Vector<D>],
    ) {
        let along = |_, contact: &Contact<N>| {
            let separation = Separation::new(&K::PAIR, &contact.stencil.gather(x));
            let d2 = separation.distance_squared();
            Along { stencil: contact.stencil, c: separation.c, r: separation.r, d2 }
        };
        let factor = |k: usize, d2| 2.0 * scale * kappa.at(k) * contacts[k].weight * self.law.first(d2);
        assemble::gradient_along(contacts, out, along, factor);
    }

    fn pair_hessian<K: PairKind<N>, const N: usize>(
        &self,
        StiffContacts { contacts, kappa }: StiffContacts<'_, Contact<N>>,
        x: &[Vector<D>],
        Projection { scale, psd }: Projection,
        out: &mut Assembly<'_, D>,
    ) {
        assemble::hessian(
            contacts,
            out,
            |_, c| c.stencil,
            |k, c| {
                let separation = Separation::new(&K::PAIR, &c.stencil.gather(x));
                let (f1, f2) = self.law.derivatives(separation.distance_squared());
                let factor = scale * kappa.at(k) * c.weight;
                separation.hessian(factor * f1, factor * f2, psd)
            },
        );
    }

    /// `w m f` of two nearly parallel edges.
    fn parallel_energy(&self, c: &ParallelContact, x: &[Vector<D>; 4]) -> f64 {
        let d2 = Separation::new(&c.pair(), x).distance_squared();
        let m = mollifier::value(mollifier::cross_squared(x), c.threshold);
        let f = self.law.value(d2);
        // Also where edges are exactly parallel: they must not touch.
        if f == f64::INFINITY { f } else { c.contact.weight * m * f }
    }

    /// `w (f ∇m + m ∇f)`.
    pub(super) fn parallel_gradient(&self, c: &ParallelContact, x: &[Vector<D>; 4]) -> [Vector<D>; 4] {
        let Product { m, grad_m, f, grad_f } = self.parallel_product(c, x);
        from_fn(|i| grad_m[i] * f + grad_f[i] * m)
    }

    /// `w (f ∇²m + ∇m ∇fᵀ + ∇f ∇mᵀ + m ∇²f)`; the projection is of the whole 4D × 4D block. Gauss–Newton takes `m` for
    /// a constant.
    pub(super) fn parallel_hessian(
        &self,
        c: &ParallelContact,
        x: &[Vector<D>; 4],
        psd: Psd,
    ) -> [[Matrix<D>; 4]; 4] {
        let y = relative::vectors(x);
        let separation = Separation::new(&relative::pair(&c.pair()), &y);
        let (s, d2, weight) =
            (span::area_squared(y[0], y[1]), separation.distance_squared(), c.contact.weight);
        let scale = weight * mollifier::value(s, c.threshold);
        let (f1, f2) = self.law.derivatives(d2);
        if psd == Psd::GaussNewton {
            return relative::spread(&separation.hessian(scale * f1, scale * f2, psd));
        }
        let mut h = separation.hessian(scale * f1, scale * f2, Psd::None);
        let ((m1, m2), f) = (mollifier::derivatives(s, c.threshold), weight * self.law.value(d2));
        let (grad_s, hess_s) =
            (span::area_squared_gradient(y[0], y[1]), mollifier::area_squared_hessian(y[0], y[1]));
        let grad_f = separation.gradient(weight * f1);
        for i in 0..2 {
            for j in 0..3 {
                let product = grad_s[i].outer(grad_f[j] * m1);
                h[i][j] += product;
                h[j][i] += product.transpose();
            }
            for j in 0..2 {
                h[i][j] += hess_s[i][j] * (f * m1) + grad_s[i].outer(grad_s[j] * (f * m2));
            }
        }
        relative::spread(&if psd == Psd::None { h } else { relative::project(&h, psd) })
    }

    fn parallel_product(&self, c: &ParallelContact, x: &[Vector<D>; 4]) -> Product<D> {
        let separation = Separation::new(&c.pair(), x);
        let d2 = separation.distance_squared();
        let weight = c.contact.weight;
        let s = mollifier::cross_squared(x);
        let (m1, _) = mollifier::derivatives(s, c.threshold);
        Product {
            m: mollifier::value(s, c.threshold),
            grad_m: mollifier::cross_squared_gradient(x).map(|g| g * m1),
            f: weight * self.law.value(d2),
            grad_f: separation.gradient(weight * self.law.first(d2)),
        }
    }

    pub(super) fn obstacle_distance(&self, c: &ObstacleContact, x: &[Vector<D>]) -> (f64, Vector<D>) {
        let obstacle = &self.obstacles[c.obstacle as usize];
        let position = x[c.stencil.0[0] as usize];
        (obstacle.distance(position), obstacle.normal(position))
    }

    /// The sign matters: behind the obstacle the energy is infinite.
    fn obstacle_energy(&self, c: &ObstacleContact, x: &[Vector<D>]) -> f64 {
        let (d, _) = self.obstacle_distance(c, x);
        if d > 0.0 { c.weight * self.law.value(d * d) } else { f64::INFINITY }
    }

    /// `−λ n`; not finite inside the obstacle.
    pub(super) fn obstacle_gradient(&self, c: &ObstacleContact, x: &[Vector<D>]) -> Vector<D> {
        let (d, normal) = self.obstacle_distance(c, x);
        normal * if d > 0.0 { -c.weight * self.law.force(d * d) } else { f64::NAN }
    }

    /// `w ((4 f″ d² + 2 f′) nnᵀ + 2 f′ d ∇²d)`: the curvature of the distance is across `n`, so each part is projected alone.
    pub(super) fn obstacle_hessian(&self, c: &ObstacleContact, x: &[Vector<D>], psd: Psd) -> Matrix<D> {
        let (d, normal) = self.obstacle_distance(c, x);
        let d2 = d * d;
        let (f1, f2) = self.law.derivatives(d2);
        let along = normal.outer(normal) * psd.apply(c.weight * (4.0 * f2 * d2 + 2.0 * f1));
        let bend = self.obstacles[c.obstacle as usize].curvature(x[c.stencil.0[0] as usize]);
        along + bend * psd.apply(c.weight * 2.0 * f1 * d)
    }
}

/// The two factors of a nearly parallel contact, the second with the weight.
struct Product<const D: usize> {
    m: f64,
    grad_m: [Vector<D>; 4],
    f: f64,
    grad_f: [Vector<D>; 4],
}

impl<const D: usize, B: Barrier> Potential<D> for BarrierPotential<'_, D, B> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        let c = self.contacts;
        let (parallel, obstacle) = (self.parallel().kappa, self.obstacle().kappa);
        self.pair_energy::<VertexVertex, 2>(self.vv(), x)
            + self.pair_energy::<VertexEdge, 3>(self.ve(), x)
            + self.pair_energy::<EdgeEdge, 4>(self.ee(), x)
            + self.pair_energy::<VertexFace, 4>(self.vf(), x)
            + assemble::energy(&c.parallel, |k, c| {
                parallel.at(k) * self.parallel_energy(c, &c.contact.stencil.gather(x))
            })
            + assemble::energy(&c.obstacle, |k, c| obstacle.at(k) * self.obstacle_energy(c, x))
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        let c = self.contacts;
        let (parallel, obstacle) = (self.parallel().kappa, self.obstacle().kappa);
        self.pair_gradient::<VertexVertex, 2>(self.vv(), x, scale, out);
        self.pair_gradient::<VertexEdge, 3>(self.ve(), x, scale, out);
        self.pair_gradient::<EdgeEdge, 4>(self.ee(), x, scale, out);
        self.pair_gradient::<VertexFace, 4>(self.vf(), x, scale, out);
        assemble::gradient(&c.parallel, out, |k, c| {
            let (stencil, factor) = (c.contact.stencil, scale * parallel.at(k));
            (stencil, self.parallel_gradient(c, &stencil.gather(x)).map(|g| g * factor))
        });
        assemble::gradient(&c.obstacle, out, |k, c| {
            (c.stencil, [self.obstacle_gradient(c, x) * (scale * obstacle.at(k))])
        });
    }

    fn stencils(&self, out: &mut Stencils) {
        let c = self.contacts;
        out.push(c.vv.iter().map(|c| c.stencil));
        out.push(c.ve.iter().map(|c| c.stencil));
        out.push(c.ee.iter().map(|c| c.stencil));
        out.push(c.vf.iter().map(|c| c.stencil));
        out.push(c.parallel.iter().map(|c| c.contact.stencil));
        out.push(c.obstacle.iter().map(|c| c.stencil));
    }

    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Assembly<'_, D>) {
        let (c, projection) = (self.contacts, Projection { scale, psd });
        let (parallel, obstacle) = (self.parallel().kappa, self.obstacle().kappa);
        self.pair_hessian::<VertexVertex, 2>(self.vv(), x, projection, out);
        self.pair_hessian::<VertexEdge, 3>(self.ve(), x, projection, out);
        self.pair_hessian::<EdgeEdge, 4>(self.ee(), x, projection, out);
        self.pair_hessian::<VertexFace, 4>(self.vf(), x, projection, out);
        assemble::hessian(
            &c.parallel,
            out,
            |_, c| c.contact.stencil,
            |k, c| {
                let factor = scale * parallel.at(k);
                let local = self.parallel_hessian(c, &c.contact.stencil.gather(x), psd);
                local.map(|row| row.map(|block| block * factor))
            },
        );
        assemble::hessian(
            &c.obstacle,
            out,
            |_, c| c.stencil,
            |k, c| [[self.obstacle_hessian(c, x, psd) * (scale * obstacle.at(k))]],
        );
    }
}
