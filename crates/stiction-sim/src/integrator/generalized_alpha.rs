//! The generalised-α method, of second order with as much damping of high frequencies as one likes.
//!
//! ```text
//! (1 − α_m) aⁿ⁺¹ + α_m aⁿ = (1 − α_f) fⁿ⁺¹ + α_f fⁿ        f = M⁻¹F(x)        x and v from a as in Newmark's method
//! α_m = (2ρ − 1)/(ρ + 1)    α_f = ρ/(ρ + 1)    β = ¼ (1 − α_m + α_f)²    γ = ½ − α_m + α_f
//!
//! x̂ = xⁿ + h vⁿ + h² (½ − β) aⁿ        x̃ = x̂ + β h² (α_f fⁿ − α_m aⁿ)/(1 − α_m)        scale = β h² (1 − α_f)/(1 − α_m)
//! v(x) = (x − x̂)/ĥ + vⁿ + h (1 − γ) aⁿ        ĥ = β h/γ
//! ```
//! ρ is the part of the amplitude of infinitely high frequencies that a step leaves: 1 keeps all, as Newmark's method with γ = ½ does; 0 leaves
//! nothing. The first step is one of implicit Euler, and so is one that Euler's method had to take over. \[Chung1993\]

use stiction::math::Vector;

use super::{Scheme, implicit_euler};
use crate::state::State;

/// The four numbers.
struct Numbers {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
}

impl Numbers {
    fn new(rho: f64) -> Self {
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let more = alpha_f - alpha_m;
        Self { alpha_m, alpha_f, beta: 0.25 * (1.0 + more) * (1.0 + more), gamma: 0.5 + more }
    }

    fn scale(&self, h: f64) -> f64 {
        self.beta * h * h * (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
    }
}

/// The factor in s² of potentials.
pub(super) fn scale(rho: f64, h: f64) -> f64 {
    Numbers::new(rho).scale(h)
}

pub(super) fn begin<const D: usize>(rho: f64, state: &State<D>, h: f64) -> Scheme<D> {
    if state.a.is_empty() || state.f.is_empty() {
        return implicit_euler::begin(state, h);
    }
    let of = Numbers::new(rho);
    let State { q, v, a, f, .. } = state;
    let free = |i: usize| q[i] + v[i] * h + a[i] * (h * h * (0.5 - of.beta));
    let x_ref: Vec<_> = (0..q.len()).map(free).collect();
    let part = of.beta * h * h / (1.0 - of.alpha_m);
    let pulled = |i: usize| x_ref[i] + (f[i] * of.alpha_f - a[i] * of.alpha_m) * part;
    let predicted = (0..q.len()).map(pulled).collect();
    let v_ref = v.iter().zip(a).map(|(v, a)| *v + *a * (h * (1.0 - of.gamma))).collect();
    Scheme { predicted, scale: of.scale(h), x_ref, v_ref, h_hat: of.beta * h / of.gamma, inertia: 1.0 }
}

pub(super) fn finish<const D: usize>(
    rho: f64,
    state: &mut State<D>,
    scheme: &Scheme<D>,
    x: Vec<Vector<D>>,
    h: f64,
) {
    let (of, motion) = (Numbers::new(rho), scheme.motion());
    let v: Vec<_> = (0..x.len()).map(|i| motion.velocity(&x, i)).collect();
    state.f = x.iter().zip(&scheme.predicted).map(|(x, to)| (*x - *to) * (1.0 / scheme.scale)).collect();
    state.a = if scheme.scale == of.scale(h) {
        let rest = |i: usize| v[i] - state.v[i] - state.a[i] * (h * (1.0 - of.gamma));
        (0..x.len()).map(|i| rest(i) * (1.0 / (h * of.gamma))).collect()
    } else {
        state.f.clone()
    };
    (state.q, state.v) = (x, v);
}
