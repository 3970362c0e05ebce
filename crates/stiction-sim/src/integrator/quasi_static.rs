//! Load increments: equilibrium without inertia.
//!
//! ```text
//! v(x) = (x − xⁿ)/h      scale = 1 s²      ĥ = h      no mass
//! ```
//! Time counts the load; friction sees its speed.

use super::Scheme;
use crate::state::State;

pub(super) fn begin<const D: usize>(state: &State<D>, h: f64) -> Scheme<D> {
    let x = state.q.clone();
    Scheme { predicted: x.clone(), scale: 1.0, x_ref: x, v_ref: Vec::new(), h_hat: h, inertia: 0.0 }
}
