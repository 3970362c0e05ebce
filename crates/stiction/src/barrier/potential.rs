//! The barrier summed over all contacts.

use std::array::from_fn;

use super::ClampedLog;
use crate::assemble;
use crate::blocks::Blocks;
use crate::contact::{Contact, Contacts, ObstacleContact, ParallelContact};
use crate::distance::{Psd, Separation};
use crate::math::{Matrix, Vector, eigen};
use crate::mollifier;
use crate::obstacle::Obstacle;
use crate::potential::Potential;
use crate::stencil::{EdgeEdge, PairKind, Stencil, VertexEdge, VertexFace, VertexVertex};

/// ```text
/// B(x) = κ Σₖ wₖ mₖ(x) b(dₖ²(x))        [J]
/// ```
/// κ in J/m⁴, weights `w` without unit, `m` the edge-edge mollifier (1 except for nearly parallel edges),
/// `b` the barrier in m⁴. The contacts must be those at the positions asked for, or a superset
/// with the same closest features. \[Li2020\]
#[derive(Clone, Copy, Debug)]
pub struct BarrierPotential<'a, const D: usize> {
    /// The contacts to sum over.
    pub contacts: &'a Contacts,
    /// The obstacles that the contacts name.
    pub obstacles: &'a [Obstacle<D>],
    /// `b`.
    pub barrier: ClampedLog,
    /// `κ` in J/m⁴.
    pub kappa: f64,
}

impl<const D: usize> BarrierPotential<'_, D> {
    /// Normal force of a contact of weight 1 at squared distance `d2`, in N: `λ = −κ b′(d²) 2d`.
    #[inline]
    pub fn force(&self, d2: f64) -> f64 {
        -self.kappa * self.barrier.first(d2) * 2.0 * d2.sqrt()
    }

    fn pair_energy<K: PairKind<N>, const N: usize>(&self, contacts: &[Contact<N>], x: &[Vector<D>]) -> f64 {
        assemble::energy(contacts, |c| {
            let d2 = Separation::new(&K::PAIR, &c.stencil.gather(x)).distance_squared();
            self.kappa * c.weight * self.barrier.value(d2)
        })
    }

    fn pair_gradient<K: PairKind<N>, const N: usize>(
        &self,
        contacts: &[Contact<N>],
        x: &[Vector<D>],
        scale: f64,
        out: &mut [Vector<D>],
    ) {
        assemble::gradient(contacts, out, |c| {
            let separation = Separation::new(&K::PAIR, &c.stencil.gather(x));
            let f1 = scale * self.kappa * c.weight * self.barrier.first(separation.distance_squared());
            (c.stencil, separation.gradient(f1))
        });
    }

    fn pair_hessian<K: PairKind<N>, const N: usize>(
        &self,
        contacts: &[Contact<N>],
        x: &[Vector<D>],
        (scale, psd): (f64, Psd),
        out: &mut Blocks<D>,
    ) {
        assemble::hessian(contacts, out, |c| {
            let separation = Separation::new(&K::PAIR, &c.stencil.gather(x));
            let d2 = separation.distance_squared();
            let factor = scale * self.kappa * c.weight;
            let (b1, b2) = self.barrier.derivatives(d2);
            (c.stencil, separation.hessian(factor * b1, factor * b2, psd))
        });
    }

    /// `κ w m b` of two nearly parallel edges.
    fn parallel_energy(&self, c: &ParallelContact, x: &[Vector<D>; 4]) -> f64 {
        let d2 = Separation::new(&c.pair(), x).distance_squared();
        let m = mollifier::value(mollifier::cross_squared(x), c.threshold);
        self.kappa * c.contact.weight * m * self.barrier.value(d2)
    }

    /// `κ w (b ∇m + m ∇b)`.
    fn parallel_gradient(&self, c: &ParallelContact, x: &[Vector<D>; 4]) -> [Vector<D>; 4] {
        let Product { m, grad_m, b, grad_b, .. } = self.parallel_product(c, x);
        from_fn(|i| grad_m[i] * b + grad_b[i] * m)
    }

    /// `κ w (b ∇²m + ∇m ∇bᵀ + ∇b ∇mᵀ + m ∇²b)`; the projection is of the whole 4D × 4D block. Gauss–Newton takes `m` for
    /// a constant.
    fn parallel_hessian(&self, c: &ParallelContact, x: &[Vector<D>; 4], psd: Psd) -> [[Matrix<D>; 4]; 4] {
        let Product { separation, m, m1, grad_m, b, grad_b } = self.parallel_product(c, x);
        let scale = self.kappa * c.contact.weight * m;
        let (b1, b2) = self.barrier.derivatives(separation.distance_squared());
        if psd == Psd::GaussNewton {
            return separation.hessian(scale * b1, scale * b2, psd);
        }
        let second = separation.hessian(scale * b1, scale * b2, Psd::None);
        let m2 = mollifier::derivatives(mollifier::cross_squared(x), c.threshold).1;
        let (grad_s, hess_s) = (mollifier::cross_squared_gradient(x), mollifier::cross_squared_hessian(x));
        let full = from_fn(|i| {
            from_fn(|j| {
                (hess_s[i][j] * m1 + grad_s[i].outer(grad_s[j]) * m2) * b
                    + grad_m[i].outer(grad_b[j])
                    + grad_b[i].outer(grad_m[j])
                    + second[i][j]
            })
        });
        if psd == Psd::None { full } else { project_dense(&full, psd) }
    }

    fn parallel_product(&self, c: &ParallelContact, x: &[Vector<D>; 4]) -> Product<D> {
        let separation = Separation::new(&c.pair(), x);
        let d2 = separation.distance_squared();
        let factor = self.kappa * c.contact.weight;
        let s = mollifier::cross_squared(x);
        let (m1, _) = mollifier::derivatives(s, c.threshold);
        Product {
            separation,
            m: mollifier::value(s, c.threshold),
            m1,
            grad_m: mollifier::cross_squared_gradient(x).map(|g| g * m1),
            b: factor * self.barrier.value(d2),
            grad_b: separation.gradient(factor * self.barrier.first(d2)),
        }
    }

    fn obstacle_distance(&self, c: &ObstacleContact, x: &[Vector<D>]) -> (f64, Vector<D>) {
        let obstacle = &self.obstacles[c.obstacle as usize];
        let position = x[c.stencil.0[0] as usize];
        (obstacle.distance(position), obstacle.normal(position))
    }

    /// The sign matters: behind the obstacle the energy is infinite.
    fn obstacle_energy(&self, c: &ObstacleContact, x: &[Vector<D>]) -> f64 {
        let (d, _) = self.obstacle_distance(c, x);
        if d > 0.0 { self.kappa * c.weight * self.barrier.value(d * d) } else { f64::INFINITY }
    }

    /// `−λ n`.
    fn obstacle_gradient(&self, c: &ObstacleContact, x: &[Vector<D>]) -> Vector<D> {
        let (d, normal) = self.obstacle_distance(c, x);
        normal * (-c.weight * self.force(d * d))
    }

    /// `κ w ((4 b″ d² + 2 b′) nnᵀ + 2 b′ d ∇²d)`: the curvature of the distance is across `n`, so each part is projected alone.
    fn obstacle_hessian(&self, c: &ObstacleContact, x: &[Vector<D>], psd: Psd) -> Matrix<D> {
        let (d, normal) = self.obstacle_distance(c, x);
        let d2 = d * d;
        let (b1, b2) = self.barrier.derivatives(d2);
        let along = normal.outer(normal) * psd.apply(4.0 * b2 * d2 + 2.0 * b1);
        let bend = self.obstacles[c.obstacle as usize].curvature(x[c.stencil.0[0] as usize]);
        (along + bend * psd.apply(2.0 * b1 * d)) * (self.kappa * c.weight)
    }
}

/// The two factors of a nearly parallel contact, the second with κ and the weight.
struct Product<const D: usize> {
    separation: Separation<D, 4>,
    m: f64,
    m1: f64,
    grad_m: [Vector<D>; 4],
    b: f64,
    grad_b: [Vector<D>; 4],
}

/// The projection of a block matrix of 4 vertices by a full eigen-decomposition.
fn project_dense<const D: usize>(h: &[[Matrix<D>; 4]; 4], psd: Psd) -> [[Matrix<D>; 4]; 4] {
    let mut dense = [[0.0; 12]; 12];
    for i in 0..4 * D {
        for j in 0..4 * D {
            dense[i][j] = h[i / D][j / D].0[i % D][j % D];
        }
    }
    let dense = eigen::map_eigenvalues(dense, 4 * D, |value| psd.apply(value));
    from_fn(|i| from_fn(|j| Matrix(from_fn(|k| from_fn(|l| dense[i * D + k][j * D + l])))))
}

impl<const D: usize> Potential<D> for BarrierPotential<'_, D> {
    fn energy(&self, x: &[Vector<D>]) -> f64 {
        let c = self.contacts;
        self.pair_energy::<VertexVertex, 2>(&c.vv, x)
            + self.pair_energy::<VertexEdge, 3>(&c.ve, x)
            + self.pair_energy::<EdgeEdge, 4>(&c.ee, x)
            + self.pair_energy::<VertexFace, 4>(&c.vf, x)
            + assemble::energy(&c.parallel, |c| self.parallel_energy(c, &c.contact.stencil.gather(x)))
            + assemble::energy(&c.obstacle, |c| self.obstacle_energy(c, x))
    }

    fn gradient(&self, x: &[Vector<D>], scale: f64, out: &mut [Vector<D>]) {
        let c = self.contacts;
        self.pair_gradient::<VertexVertex, 2>(&c.vv, x, scale, out);
        self.pair_gradient::<VertexEdge, 3>(&c.ve, x, scale, out);
        self.pair_gradient::<EdgeEdge, 4>(&c.ee, x, scale, out);
        self.pair_gradient::<VertexFace, 4>(&c.vf, x, scale, out);
        assemble::gradient(&c.parallel, out, |c| {
            let stencil = c.contact.stencil;
            (stencil, self.parallel_gradient(c, &stencil.gather(x)).map(|g| g * scale))
        });
        assemble::gradient(&c.obstacle, out, |c| (c.stencil, [self.obstacle_gradient(c, x) * scale]));
    }

    fn hessian(&self, x: &[Vector<D>], scale: f64, psd: Psd, out: &mut Blocks<D>) {
        let c = self.contacts;
        self.pair_hessian::<VertexVertex, 2>(&c.vv, x, (scale, psd), out);
        self.pair_hessian::<VertexEdge, 3>(&c.ve, x, (scale, psd), out);
        self.pair_hessian::<EdgeEdge, 4>(&c.ee, x, (scale, psd), out);
        self.pair_hessian::<VertexFace, 4>(&c.vf, x, (scale, psd), out);
        assemble::hessian(&c.parallel, out, |c| {
            let stencil: Stencil<4> = c.contact.stencil;
            let local = self.parallel_hessian(c, &stencil.gather(x), psd);
            (stencil, local.map(|row| row.map(|block| block * scale)))
        });
        assemble::hessian(&c.obstacle, out, |c| (c.stencil, [[self.obstacle_hessian(c, x, psd) * scale]]));
    }
}
