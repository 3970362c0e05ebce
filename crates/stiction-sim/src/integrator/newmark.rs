//! Newmark's method.
//!
//! ```text
//! xⁿ⁺¹ = xⁿ + h vⁿ + h² ((½ − β) aⁿ + β aⁿ⁺¹)        vⁿ⁺¹ = vⁿ + h ((1 − γ) aⁿ + γ aⁿ⁺¹)
//! x̃ = xⁿ + h vⁿ + h² (½ − β) aⁿ      v(x) = (x − x̃)/ĥ + vⁿ + h (1 − γ) aⁿ      scale = β h²      ĥ = β h/γ
//! ```
//! Second order for γ = ½; β = ¼ keeps the energy of linear systems, and lets high frequencies ring. The first step is one of implicit
//! Euler, whose acceleration the second begins with: what is at rest must not be torn loose by a guess.

use stiction::math::Vector;

use super::{Newmark, Scheme, implicit_euler};
use crate::state::State;

pub(super) fn begin<const D: usize>(of: Newmark, state: &State<D>, h: f64) -> Scheme<D> {
    let Newmark { beta, gamma } = of;
    if state.a.is_empty() {
        return implicit_euler::begin(state, h);
    }
    let a = &state.a;
    let there =
        |((x, v), a): ((&Vector<D>, &Vector<D>), &Vector<D>)| *x + *v * h + *a * (h * h * (0.5 - beta));
    let predicted: Vec<_> = state.q.iter().zip(&state.v).zip(a).map(there).collect();
    let v_ref = state.v.iter().zip(a).map(|(v, a)| *v + *a * (h * (1.0 - gamma))).collect();
    Scheme {
        x_ref: predicted.clone(),
        predicted,
        scale: beta * h * h,
        v_ref,
        h_hat: beta * h / gamma,
        inertia: 1.0,
    }
}

pub(super) fn finish<const D: usize>(state: &mut State<D>, scheme: &Scheme<D>, x: Vec<Vector<D>>) {
    let motion = scheme.motion();
    state.v = (0..x.len()).map(|i| motion.velocity(&x, i)).collect();
    state.a = x.iter().zip(&scheme.predicted).map(|(x, to)| (*x - *to) * (1.0 / scheme.scale)).collect();
    state.q = x;
}
