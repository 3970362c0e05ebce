//! How the forces of contacts change with the shape at rest.

use super::kappa::StiffContacts;
use super::{Barrier, BarrierPotential};
use crate::contact::sources::Shares;
use crate::contact::{AreaShare, Contact, ObstacleContact, ParallelContact, WeightSources};
use crate::distance::{Psd, Separation};
use crate::math::{Matrix, Vector};
use crate::mesh::Surface;
use crate::mesh::areas::AreaGradient;
use crate::mollifier;
use crate::stencil::{EdgeEdge, PairKind, Stencil, VertexEdge, VertexFace, VertexVertex};
use crate::threads;

pub use crate::blocks::Entry;

/// What one contact adds: the gradient with weight 1, and the derivative of the gradient with the weight held.
type Local<const D: usize, const N: usize> = ([Vector<D>; N], [[Matrix<D>; N]; N]);

impl<const D: usize, B: Barrier> BarrierPotential<'_, D, B> {
    /// The derivative of the gradient by the positions at rest X, with displacements u held and `x = X + u`, in N/m.
    ///
    /// ```text
    /// d(∂B/∂xᵢ)/dXⱼ = Σₖ κ [ w ∂²(m f)/∂xᵢ∂xⱼ + w (f ∂²m/∂xᵢ∂Xⱼ + ∂f/∂xᵢ ∂m/∂Xⱼ) + ∂(m f)/∂xᵢ ∂w/∂Xⱼ ]
    /// ```
    /// Through its threshold the mollifier depends on X, through areas the weights do. Returns blocks, of which several may have
    /// the same place: rows belong to x, columns to X. The contacts and their `sources` must be those of
    /// [`Contacts::build_with_sources`](crate::contact::Contacts::build_with_sources) on this surface. Obstacles do not move.
    ///
    /// # Panics
    /// If `x` or `obstacles` is not the array that the contacts were built with.
    pub fn shape_derivative(
        &self,
        surface: &Surface<D>,
        sources: &WeightSources,
        x: &[Vector<D>],
    ) -> Vec<Entry<D>> {
        let c = self.contacts;
        let (parallel, obstacle) = (self.parallel().kappa, self.obstacle().kappa);
        let areas = |shares| Areas { surface, shares };
        let mut out = self.pair_shape::<VertexVertex, 2>(self.vv(), areas(&sources.vv), x);
        out.extend(self.pair_shape::<VertexEdge, 3>(self.ve(), areas(&sources.ve), x));
        out.extend(self.pair_shape::<EdgeEdge, 4>(self.ee(), areas(&sources.ee), x));
        out.extend(self.pair_shape::<VertexFace, 4>(self.vf(), areas(&sources.vf), x));
        out.extend(each(&c.parallel, areas(&sources.parallel), |k, c| {
            let stencil = c.contact.stencil;
            let local = self.parallel_shape(c, &stencil.gather(x), &stencil.gather(surface.rest()));
            (stencil, scaled(local, parallel.at(k)))
        }));
        out.extend(each(&c.obstacle, areas(&sources.obstacle), |k, c| {
            let unit = ObstacleContact { weight: 1.0, ..*c };
            let local = ([self.obstacle_gradient(&unit, x)], [[self.obstacle_hessian(c, x, Psd::None)]]);
            (c.stencil, scaled(local, obstacle.at(k)))
        }));
        out
    }

    fn pair_shape<K: PairKind<N>, const N: usize>(
        &self,
        StiffContacts { contacts, kappa }: StiffContacts<'_, Contact<N>>,
        areas: Areas<'_, D>,
        x: &[Vector<D>],
    ) -> Vec<Entry<D>> {
        each(contacts, areas, |k, c| {
            let separation = Separation::new(&K::PAIR, &c.stencil.gather(x));
            let (f1, f2) = self.law.derivatives(separation.distance_squared());
            let second = separation.hessian(c.weight * f1, c.weight * f2, Psd::None);
            (c.stencil, scaled((separation.gradient(f1), second), kappa.at(k)))
        })
    }

    fn parallel_shape(&self, c: &ParallelContact, x: &[Vector<D>; 4], rest: &[Vector<D>; 4]) -> Local<D, 4> {
        let separation = Separation::new(&c.pair(), x);
        let d2 = separation.distance_squared();
        let (f, by_x) = (self.law.value(d2), separation.gradient(self.law.first(d2)));
        let (mixed, by_rest) = (mollifier::mixed_hessian(x, rest), mollifier::rest_gradient(x, rest));
        let mut second = self.parallel_hessian(c, x, Psd::None);
        for i in 0..4 {
            for j in 0..4 {
                second[i][j] += (mixed[i][j] * f + by_x[i].outer(by_rest[j])) * c.contact.weight;
            }
        }
        let mut unit = *c;
        unit.contact.weight = 1.0;
        (self.parallel_gradient(&unit, x), second)
    }
}

/// Where the weights of one kind of contact come from.
#[derive(Clone, Copy)]
struct Areas<'a, const D: usize> {
    surface: &'a Surface<D>,
    shares: &'a Shares,
}

impl<const D: usize> Areas<'_, D> {
    /// `∂w/∂X` of contact `k`, in parts.
    fn gradient(&self, k: usize) -> impl Iterator<Item = (u32, Vector<D>)> {
        self.shares.of(k).iter().flat_map(|share| {
            let (gradient, factor): (AreaGradient<D>, f64) = match *share {
                AreaShare::Vertex(v, factor) => (self.surface.vertex_area_gradient(v), factor),
                AreaShare::Edge(e, factor) => (self.surface.edge_area_gradient(e), factor),
            };
            gradient.into_iter().map(move |(v, slope)| (v, slope * factor))
        })
    }
}

fn scaled<const D: usize, const N: usize>((first, second): Local<D, N>, factor: f64) -> Local<D, N> {
    (first.map(|g| g * factor), second.map(|row| row.map(|block| block * factor)))
}

/// The blocks of all contacts of one kind, in their order.
fn each<T: Sync, const D: usize, const N: usize>(
    contacts: &[T],
    areas: Areas<'_, D>,
    local: impl Fn(usize, &T) -> (Stencil<N>, Local<D, N>) + Sync,
) -> Vec<Entry<D>> {
    threads::collect(contacts.len(), &|range| {
        let mut out = Vec::with_capacity(range.len() * N * N);
        for k in range {
            let (stencil, (first, second)) = local(k, &contacts[k]);
            for i in 0..N {
                for j in 0..N {
                    out.push((stencil.0[i], stencil.0[j], second[i][j]));
                }
            }
            for (v, slope) in areas.gradient(k) {
                out.extend((0..N).map(|i| (stencil.0[i], v, first[i].outer(slope))));
            }
        }
        out
    })
}
