//! The backward differentiation formula of second order.
//!
//! ```text
//! v(x) = (3x − 4xⁿ + xⁿ⁻¹)/2h      x̃ = (4xⁿ − xⁿ⁻¹)/3 + ĥ (4vⁿ − vⁿ⁻¹)/3      scale = ĥ²      ĥ = 2h/3
//! ```
//! The first step, and one that follows a step of another length, is one of implicit Euler.

use stiction::math::Vector;

use super::{Scheme, implicit_euler};
use crate::state::{Before, State};

pub(super) fn begin<const D: usize>(state: &State<D>, h: f64) -> Scheme<D> {
    let Some(before) = state.before.as_ref().filter(|before| before.h == h) else {
        return implicit_euler::begin(state, h);
    };
    let h_hat = 2.0 * h / 3.0;
    // So written that what is at rest stays exactly where it is.
    let ahead = |(now, before): (&Vector<D>, &Vector<D>)| *now + (*now - *before) * (1.0 / 3.0);
    let x_ref: Vec<_> = state.x.iter().zip(&before.x).map(ahead).collect();
    let speeds = state.v.iter().zip(&before.v).map(ahead);
    let predicted = x_ref.iter().zip(speeds).map(|(x, v)| *x + v * h_hat).collect();
    Scheme { predicted, scale: h_hat * h_hat, x_ref, v_ref: Vec::new(), h_hat, inertia: 1.0 }
}

pub(super) fn finish<const D: usize>(state: &mut State<D>, scheme: &Scheme<D>, x: Vec<Vector<D>>, h: f64) {
    let before = Before { x: state.x.clone(), v: state.v.clone(), h };
    implicit_euler::finish(state, scheme, x);
    state.before = Some(before);
}
