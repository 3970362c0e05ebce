//! Implicit Euler.
//!
//! ```text
//! x̃ = xⁿ + h vⁿ      v(x) = (x − xⁿ)/h      scale = h²      ĥ = h
//! ```

use stiction::math::Vector;

use super::Scheme;
use crate::state::State;

pub(super) fn begin<const D: usize>(state: &State<D>, h: f64) -> Scheme<D> {
    let predicted = state.q.iter().zip(&state.v).map(|(x, v)| *x + *v * h).collect();
    Scheme { predicted, scale: h * h, x_ref: state.q.clone(), v_ref: Vec::new(), h_hat: h, inertia: 1.0 }
}

pub(super) fn finish<const D: usize>(state: &mut State<D>, scheme: &Scheme<D>, x: Vec<Vector<D>>) {
    let motion = scheme.motion();
    state.v = (0..x.len()).map(|i| motion.velocity(&x, i)).collect();
    state.q = x;
}
