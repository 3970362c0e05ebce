//! How far contacts slide.

use super::{Contact, Contacts, PerContact};
use crate::distance::Separation;
use crate::math::Vector;
use crate::obstacle::Obstacle;
use crate::stencil::{EDGE_EDGE, Pair, Stencil, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX};
use crate::threads;

/// A step in which things slide on each other.
#[derive(Clone, Copy)]
pub struct Passage<'a, const D: usize> {
    /// Positions before, in m.
    pub x_start: &'a [Vector<D>],
    /// Positions after, in m.
    pub x: &'a [Vector<D>],
    /// Obstacles after.
    pub obstacles: &'a [Obstacle<D>],
    /// How far the obstacle with a number moved where it is touched, at a point, in m.
    pub moved: &'a (dyn Fn(u32, Vector<D>) -> Vector<D> + Sync),
}

impl Contacts {
    /// How far the two sides of every contact slid on each other in a step, in m, with or without friction.
    ///
    /// ```text
    /// |T (Σ cᵢ (xᵢ − xᵢ_start) − motion of the obstacle)|        T = I − nnᵀ
    /// ```
    /// Closest points `c` and normals `n` are those after the step, at which the contacts were built.
    ///
    /// # Panics
    /// If an array of the step is shorter than that which the contacts were built with.
    pub fn slips<const D: usize>(&self, step: &Passage<'_, D>) -> PerContact<f64> {
        PerContact {
            vv: step.of_pairs(&self.vv, &VERTEX_VERTEX),
            ve: step.of_pairs(&self.ve, &VERTEX_EDGE),
            ee: step.of_pairs(&self.ee, &EDGE_EDGE),
            vf: step.of_pairs(&self.vf, &VERTEX_FACE),
            parallel: each(&self.parallel, |c| step.of_pair(c.contact.stencil, &c.pair())),
            obstacle: each(&self.obstacle, |c| step.of_obstacle(c.stencil.0[0], c.obstacle)),
        }
    }
}

impl<const D: usize> Passage<'_, D> {
    fn of_pairs<const N: usize>(&self, contacts: &[Contact<N>], pair: &Pair<N>) -> Vec<f64> {
        each(contacts, |c| self.of_pair(c.stencil, pair))
    }

    #[inline]
    fn of_pair<const N: usize>(&self, stencil: Stencil<N>, pair: &Pair<N>) -> f64 {
        let separation = Separation::new(pair, &stencil.gather(self.x));
        let mut sum = Vector::ZERO;
        for (&v, &c) in stencil.0.iter().zip(&separation.c) {
            sum += self.way(v) * c;
        }
        let r = separation.r;
        (sum - r * (r.dot(sum) / r.norm_squared())).norm()
    }

    #[inline]
    fn of_obstacle(&self, v: u32, obstacle: u32) -> f64 {
        let x = self.x[v as usize];
        let normal = self.obstacles[obstacle as usize].normal(x);
        let sum = self.way(v) - (self.moved)(obstacle, x);
        (sum - normal * normal.dot(sum)).norm()
    }

    /// The way of a vertex.
    #[inline]
    fn way(&self, v: u32) -> Vector<D> {
        self.x[v as usize] - self.x_start[v as usize]
    }
}

fn each<T: Sync>(contacts: &[T], f: impl Fn(&T) -> f64 + Sync) -> Vec<f64> {
    threads::collect(contacts.len(), &|range| contacts[range].iter().map(&f).collect())
}
