//! Friction that depends on the direction of the slide.

use super::law::Mu;
use crate::math::Vector;

/// How friction depends on the direction of the slide, along two axes across the normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Anisotropy {
    /// Not at all.
    #[default]
    None,
    /// The associated elliptic cone: friction from the potential `λ ĥ G(|S v|)`, `S = diag(a₀, a₁)` in the axes.
    ///
    /// ```text
    /// F = −λ (g(y)/y) S² v ,  y = |S v|
    /// ```
    /// Along axis i friction is `aᵢ μ`; other slides are deflected towards the axis of more friction. The coefficients are those of
    /// the entry; the potential is convex where `g` ascends, and nothing but λ, plane and axes is lagged.
    Scaling([f64; 2]),
    /// The matchstick model: friction opposes the slide, with coefficients from ellipses in the direction `t` of the slide.
    ///
    /// ```text
    /// μ_eff = √((μ₀t₀)² + (μ₁t₁)²)
    /// ```
    /// They are lagged: [`Slides::refresh_anisotropy`](super::Slides::refresh_anisotropy) takes them anew. Axes that are both zero
    /// stand for the coefficient of the entry, so that only static or only kinetic axes may be given. Slides may be scaled first
    /// (`scaling`; `[1.0; 2]` for no scaling): then `t` is the direction of the scaled slide.
    Matchstick {
        /// Static axes.
        s: [f64; 2],
        /// Kinetic axes.
        k: [f64; 2],
        /// As in [`Anisotropy::Scaling`].
        scaling: [f64; 2],
    },
}

/// Where the first axis of anisotropic friction points; the second is across it and the normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Axes<const D: usize> {
    /// As the contact's own tangents, see [`tangent`](crate::tangent).
    #[default]
    Contact,
    /// Along a direction of the world, projected to the plane of the contact.
    World(Vector<D>),
    /// Along the grain of the material, see [`Coefficients`](super::Coefficients): projected to the plane of the contact, and turning
    /// with the surface.
    Grain,
}

/// `μ_eff` of a matchstick ellipse in the direction `t`; `otherwise` if both axes are zero.
fn along([a, b]: [f64; 2], [t0, t1]: [f64; 2], otherwise: f64) -> f64 {
    if a == 0.0 && b == 0.0 { otherwise } else { (a * t0).hypot(b * t1) }
}

/// Effective coefficients of the matchstick model in the direction `t`, a unit vector: see [`Anisotropy::Matchstick`].
pub fn matchstick(t: [f64; 2], s: [f64; 2], k: [f64; 2], otherwise: Mu) -> Mu {
    Mu { s: along(s, t, otherwise.s), k: along(k, t, otherwise.k) }
}
