//! Where contacts are, and weights that depend on it.

use super::{Contacts, PerContact};
use crate::distance::Separation;
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::stencil::{EDGE_EDGE, Pair, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX};
use crate::threads;

impl Contacts {
    /// The place of every contact at positions `x`, in m: the middle between its two closest points; for a contact with
    /// an obstacle the vertex.
    ///
    /// # Panics
    /// If `x` is not the array that the contacts were built with.
    pub fn places<const D: usize>(&self, x: &[Vector<D>]) -> PerContact<Vector<D>> {
        PerContact {
            vv: each(&self.vv, |c| middle(&VERTEX_VERTEX, 1, &c.stencil.gather(x))),
            ve: each(&self.ve, |c| middle(&VERTEX_EDGE, 1, &c.stencil.gather(x))),
            ee: each(&self.ee, |c| middle(&EDGE_EDGE, 2, &c.stencil.gather(x))),
            vf: each(&self.vf, |c| middle(&VERTEX_FACE, 1, &c.stencil.gather(x))),
            parallel: each(&self.parallel, |c| middle(&c.pair(), 2, &c.contact.stencil.gather(x))),
            obstacle: each(&self.obstacle, |c| x[c.stencil.0[0] as usize]),
        }
    }

    /// Multiplies the weight of every contact by a function of its [place](Self::places) at positions `x`.
    ///
    /// For a body that is the same all around the y axis, each contact of its half plane (R, y) stands for a ring:
    /// ```
    /// use std::f64::consts::TAU;
    /// use stiction::broad_phase::BroadPhaseKind;
    /// use stiction::contact::{Contacts, Selection};
    /// use stiction::math::Vector;
    /// use stiction::mesh::Surface;
    ///
    /// let x = vec![Vector([1.0, 0.0]), Vector([2.0, 0.0]), Vector([1.5, 0.05]), Vector([1.5, 1.0])];
    /// let surface = Surface::new(x.clone(), vec![[0, 1], [2, 3]], vec![])?;
    /// let candidates = BroadPhaseKind::default().candidates(&surface, &x, &x, 0.05);
    /// let mut contacts = Contacts::build(&surface, &candidates, &[], &x, &Selection::within(0.1));
    /// contacts.scale_weights(&x, |place| TAU * place[0]);
    /// assert!((contacts.ve[0].weight - TAU * 1.5).abs() < 1e-14);
    /// # Ok::<(), stiction::error::Error>(())
    /// ```
    /// Weights then are constants: forces and Hessians do not know that they depend on positions. With weights by area
    /// and positions at rest, they are those of the surface of revolution at rest.
    ///
    /// # Panics
    /// If `x` is not the array that the contacts were built with.
    pub fn scale_weights<const D: usize>(&mut self, x: &[Vector<D>], factor: impl Fn(Vector<D>) -> f64) {
        let places = self.places(x);
        self.weights_mut().zip(places.iter()).for_each(|(weight, place)| *weight *= factor(*place));
    }

    /// Multiplies the weight of every contact by its own factor.
    ///
    /// # Errors
    /// If there are not as many factors as contacts, in the order of [`PerContact`].
    pub fn multiply_weights(&mut self, factors: &[f64]) -> Result<()> {
        if factors.len() != self.len() {
            let (found, expected) = (factors.len(), self.len());
            return Err(Error::WrongLength { what: "factors of weights", found, expected });
        }
        self.weights_mut().zip(factors).for_each(|(weight, factor)| *weight *= factor);
        Ok(())
    }

    /// Gives every contact its own weight.
    ///
    /// # Errors
    /// If there are not as many weights as contacts, in the order of [`PerContact`].
    pub fn set_weights(&mut self, weights: &[f64]) -> Result<()> {
        if weights.len() != self.len() {
            let (found, expected) = (weights.len(), self.len());
            return Err(Error::WrongLength { what: "weights of contacts", found, expected });
        }
        self.weights_mut().zip(weights).for_each(|(weight, new)| *weight = *new);
        Ok(())
    }

    /// The weights, in the order of [`PerContact`].
    fn weights_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        let pairs = self.vv.iter_mut().map(|c| &mut c.weight);
        let pairs = pairs.chain(self.ve.iter_mut().map(|c| &mut c.weight));
        let pairs = pairs.chain(self.ee.iter_mut().map(|c| &mut c.weight));
        let pairs = pairs.chain(self.vf.iter_mut().map(|c| &mut c.weight));
        let parallel = self.parallel.iter_mut().map(|c| &mut c.contact.weight);
        pairs.chain(parallel).chain(self.obstacle.iter_mut().map(|c| &mut c.weight))
    }
}

fn each<T: Sync, const D: usize>(contacts: &[T], f: impl Fn(&T) -> Vector<D> + Sync) -> Vec<Vector<D>> {
    threads::collect(contacts.len(), &|range| contacts[range].iter().map(&f).collect())
}

/// `½ (Σ cᵢ xᵢ over the first primitive − Σ cᵢ xᵢ over the second)`, since `r` is the sum of both; the first
/// primitive has the first `first` vertices.
fn middle<const D: usize, const N: usize>(pair: &Pair<N>, first: usize, x: &[Vector<D>; N]) -> Vector<D> {
    let c = Separation::new(pair, x).c;
    let mut sum = Vector::ZERO;
    for i in 0..N {
        sum += x[i] * if i < first { 0.5 * c[i] } else { -0.5 * c[i] };
    }
    sum
}
