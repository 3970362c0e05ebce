//! Where contacts touch, and which vertices share their forces.

use super::{Contact, Contacts, ObstacleContact, PerContact};
use crate::distance::Separation;
use crate::math::Vector;
use crate::obstacle::Obstacle;
use crate::stencil::{EDGE_EDGE, Pair, Stencil, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX};
use crate::threads;

/// The closest points of a contact.
///
/// A force `F` on the first side acts on vertex `i` as `cᵢ F`: the weights of the first side sum to 1, those of the second to −1, as the opposite force
/// acts there. Both sides of a contact with an obstacle are the vertex and the solid, which has no vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch<const D: usize> {
    /// Its vertices; those beyond [`count`](Self::count) mean nothing.
    pub vertices: [u32; 4],
    /// `cᵢ`.
    pub weights: [f64; 4],
    /// How many vertices it has.
    pub count: usize,
    /// The closest point of each side, in m.
    pub points: [Vector<D>; 2],
    /// The unit normal, from the second side to the first.
    pub normal: Vector<D>,
}

impl<const D: usize> Touch<D> {
    /// Each vertex with its weight.
    pub fn shares(&self) -> impl Iterator<Item = (u32, f64)> {
        self.vertices.into_iter().zip(self.weights).take(self.count)
    }

    /// The same contact seen from the other side.
    pub fn turned(self) -> Self {
        let [first, second] = self.points;
        Self { weights: self.weights.map(|c| -c), points: [second, first], normal: -self.normal, ..self }
    }
}

impl Contacts {
    /// Where every contact touches at positions `x`.
    ///
    /// # Panics
    /// If `x` or `obstacles` is not the array that the contacts were built with.
    pub fn touches<const D: usize>(
        &self,
        x: &[Vector<D>],
        obstacles: &[Obstacle<D>],
    ) -> PerContact<Touch<D>> {
        PerContact {
            vv: of_pairs(&self.vv, (&VERTEX_VERTEX, 1), x),
            ve: of_pairs(&self.ve, (&VERTEX_EDGE, 1), x),
            ee: of_pairs(&self.ee, (&EDGE_EDGE, 2), x),
            vf: of_pairs(&self.vf, (&VERTEX_FACE, 1), x),
            parallel: each(&self.parallel, |c| of_pair(c.contact.stencil, (&c.pair(), 2), x)),
            obstacle: each(&self.obstacle, |c| of_obstacle(c, x, obstacles)),
        }
    }
}

fn of_pairs<const D: usize, const N: usize>(
    contacts: &[Contact<N>],
    pair: (&Pair<N>, usize),
    x: &[Vector<D>],
) -> Vec<Touch<D>> {
    each(contacts, |c| of_pair(c.stencil, pair, x))
}

/// A pair whose first side has the first `first` vertices.
fn of_pair<const D: usize, const N: usize>(
    stencil: Stencil<N>,
    (pair, first): (&Pair<N>, usize),
    x: &[Vector<D>],
) -> Touch<D> {
    let separation = Separation::new(pair, &stencil.gather(x));
    let (mut vertices, mut weights, mut points) = ([0; 4], [0.0; 4], [Vector::ZERO; 2]);
    for (i, (&v, &c)) in stencil.0.iter().zip(&separation.c).enumerate() {
        (vertices[i], weights[i]) = (v, c);
        let side = usize::from(i >= first);
        points[side] += x[v as usize] * if side == 0 { c } else { -c };
    }
    Touch { vertices, weights, count: N, points, normal: separation.normal() }
}

fn of_obstacle<const D: usize>(
    contact: &ObstacleContact,
    x: &[Vector<D>],
    obstacles: &[Obstacle<D>],
) -> Touch<D> {
    let ([vertex], solid) = (contact.stencil.0, &obstacles[contact.obstacle as usize]);
    let place = x[vertex as usize];
    let normal = solid.normal(place);
    let points = [place, place - normal * solid.distance(place)];
    Touch { vertices: [vertex, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0], count: 1, points, normal }
}

fn each<T: Sync, U: Send>(contacts: &[T], f: impl Fn(&T) -> U + Sync) -> Vec<U> {
    threads::collect(contacts.len(), &|range| contacts[range].iter().map(&f).collect())
}
