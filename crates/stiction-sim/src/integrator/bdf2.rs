//! The backward differentiation formula of second order, for steps of any length.
//!
//! ```text
//! ω = h / h before        w = ω²/(1 + 2ω)        ĥ = h (1 + ω)/(1 + 2ω)        scale = ĥ²
//! v(x) = (x − x_ref)/ĥ    x_ref = xⁿ + w (xⁿ − xⁿ⁻¹)    x̃ = x_ref + ĥ (vⁿ + w (vⁿ − vⁿ⁻¹))
//! ```
//! With equal steps `ĥ = 2h/3` and `w = ⅓`. The first step is one of implicit Euler, and so is one that is longer than [`MAX_GROWTH`] times the
//! step before it.

use stiction::math::Vector;

use super::{Scheme, implicit_euler};
use crate::state::{Before, State};

/// Steps that go on growing by 1 + √2 and more each are not stable.
const MAX_GROWTH: f64 = 2.0;

pub(super) fn begin<const D: usize>(state: &State<D>, h: f64) -> Scheme<D> {
    let Some(before) = state.before.as_ref().filter(|before| h <= MAX_GROWTH * before.h) else {
        return implicit_euler::begin(state, h);
    };
    let growth = h / before.h;
    let h_hat = (1.0 + growth) * h / (1.0 + 2.0 * growth);
    let weight = growth * growth / (1.0 + 2.0 * growth);
    // So written that what is at rest stays exactly where it is.
    let ahead = |(now, before): (&Vector<D>, &Vector<D>)| *now + (*now - *before) * weight;
    let x_ref: Vec<_> = state.q.iter().zip(&before.q).map(ahead).collect();
    let speeds = state.v.iter().zip(&before.v).map(ahead);
    let predicted = x_ref.iter().zip(speeds).map(|(x, v)| *x + v * h_hat).collect();
    Scheme { predicted, scale: h_hat * h_hat, x_ref, v_ref: Vec::new(), h_hat, inertia: 1.0 }
}

pub(super) fn finish<const D: usize>(state: &mut State<D>, scheme: &Scheme<D>, x: Vec<Vector<D>>, h: f64) {
    let before = Before { q: state.q.clone(), v: state.v.clone(), h };
    implicit_euler::finish(state, scheme, x);
    state.before = Some(before);
}
