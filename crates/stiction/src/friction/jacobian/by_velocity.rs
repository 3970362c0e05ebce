//! The forces themselves, and how they change with velocities.

use super::LaggedForce;
use crate::barrier::Barrier;
use crate::blocks::Blocks;
use crate::distance::Psd;
use crate::friction::law::FrictionLaw;
use crate::friction::potential::{FrictionPotential, Motion};
use crate::friction::slide::Slides;
use crate::math::Vector;
use crate::potential::Potential;

impl<const D: usize, B: Barrier, L: FrictionLaw> LaggedForce<'_, D, B, L> {
    /// The slides as they are at positions `x`, with all that is held: see [`LaggedForce`].
    ///
    /// # Panics
    /// If `x` is shorter than the array that the contacts were built with.
    pub fn slides(&self, x: &[Vector<D>]) -> Slides<D> {
        let mut slides = self.slides.clone();
        if !slides.is_empty() {
            slides.reshape(self.barrier, x);
        }
        slides
    }

    /// `F`: adds the friction force on every vertex, in N, to `out`.
    ///
    /// # Panics
    /// If `x`, `v` or `out` is shorter than the array that the contacts were built with.
    pub fn force(&self, x: &[Vector<D>], v: &[Vector<D>], out: &mut [Vector<D>]) {
        let slides = self.slides(x);
        self.potential(&slides, x, v).gradient(x, -1.0, out);
    }

    /// `∂F/∂v`, in N·s/m: symmetric, and negative semi-definite where the law ascends.
    ///
    /// # Panics
    /// As [`force`](Self::force).
    pub fn by_velocity(&self, x: &[Vector<D>], v: &[Vector<D>], out: &mut Blocks<D>) {
        let slides = self.slides(x);
        let potential = self.potential(&slides, x, v);
        out.assemble(&potential, x, -1.0, Psd::None);
    }

    /// The potential of slides at the velocities `v`: those at `x` of a motion that takes 1 s.
    fn potential<'b>(
        &self,
        slides: &'b Slides<D>,
        x: &'b [Vector<D>],
        v: &'b [Vector<D>],
    ) -> FrictionPotential<'b, D, L> {
        let motion = Motion { x_ref: x, v_ref: v, h_hat: 1.0 };
        FrictionPotential { slides, motion, law: self.law, eps_v: self.eps_v }
    }
}
