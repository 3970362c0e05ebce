//! Friction that depends on the direction of the slide.

use super::law::{Mu, MuOrder};
use crate::error::{Error, Result};
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
    /// They are lagged: until [`Slides::refresh_anisotropy`](super::Slides::refresh_anisotropy) takes them, and in 2D, where there is one axis
    /// only, those of the entry hold. Axes that are both zero
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

impl Anisotropy {
    /// The associated elliptic cone with coefficient `μ₀` along the first axis and `μ₁` across it, and the coefficient that belongs
    /// to it.
    ///
    /// ```text
    /// μ = max(μ₀, μ₁)        S = diag(μ₀, μ₁)/μ
    /// ```
    /// So no slide is scaled up, and the slide along the stronger axis has `ε_v` as it is; along the weaker one it sticks up to `ε_v/aᵢ`.
    /// Two zeros are no friction.
    ///
    /// # Errors
    /// If one is negative or not finite.
    pub fn elliptic(mu: [f64; 2]) -> Result<(Mu, Self)> {
        check_axes("mu of an elliptic cone, axis", mu)?;
        let largest = mu[0].max(mu[1]);
        if largest == 0.0 {
            return Ok((Mu::default(), Self::None));
        }
        Ok((Mu::same(largest), Self::Scaling(mu.map(|mu| mu / largest))))
    }

    /// `a₀`, `a₁`: ones without scaling.
    #[inline]
    pub fn scaling(&self) -> [f64; 2] {
        match *self {
            Self::None => [1.0; 2],
            Self::Scaling(scaling) | Self::Matchstick { scaling, .. } => scaling,
        }
    }

    /// Static and kinetic axes of the ellipse; zeros without.
    #[inline]
    pub fn ellipses(&self) -> [[f64; 2]; 2] {
        match *self {
            Self::Matchstick { s, k, .. } => [s, k],
            Self::None | Self::Scaling(_) => [[0.0; 2]; 2],
        }
    }

    /// Whether slides in `D` dimensions need axes. In 2D there is one direction: it can be scaled, but it has no ellipse.
    pub fn has_axes<const D: usize>(&self) -> bool {
        self.scaling() != [1.0; 2] || D > 2 && self.ellipses() != [[0.0; 2]; 2]
    }

    /// Checks that the numbers are possible with coefficients `mu`.
    ///
    /// # Errors
    /// If a factor or a coefficient is negative or not finite, or static friction is less than kinetic along an axis.
    pub fn check(&self, mu: Mu) -> Result<()> {
        self.check_in(mu, MuOrder::Descending)
    }

    /// Like [`check`](Self::check), for any order of the coefficients.
    pub(super) fn check_in(&self, mu: Mu, order: MuOrder) -> Result<()> {
        check_axes("scaling of anisotropic friction, axis", self.scaling())?;
        let [s, k] = self.ellipses();
        check_axes("mu_s of the matchstick ellipse, axis", s)?;
        check_axes("mu_k of the matchstick ellipse, axis", k)?;
        for (axis, t) in [[1.0, 0.0], [0.0, 1.0]].into_iter().enumerate() {
            let along = matchstick(t, s, k, mu);
            if self.ellipses() != [[0.0; 2]; 2] && !order.allows(along) {
                let (what, must) = ("mu_s of the matchstick ellipse, axis", "at least mu_k");
                return Err(Error::BadEntry { what, index: axis, value: along.s, must });
            }
        }
        Ok(())
    }
}

fn check_axes(what: &'static str, axes: [f64; 2]) -> Result<()> {
    match axes.iter().position(|value| !(*value >= 0.0 && value.is_finite())) {
        Some(index) => {
            Err(Error::BadEntry { what, index, value: axes[index], must: "0 or positive, and finite" })
        }
        None => Ok(()),
    }
}

/// Where the first axis of anisotropic friction points; the second is across it and the normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Axes<const D: usize> {
    /// As the contact's own tangents, see [`tangent`](crate::tangent). They jump where contacts change their kind, and forces with
    /// them: a direction or grain does not.
    #[default]
    Contact,
    /// Along a direction of the world, projected to the plane of the contact.
    World(Vector<D>),
    /// Along the grain of the material, see [`Grain`](super::Grain): projected to the plane of the contact, and turning with the
    /// surface.
    Grain,
}

impl<const D: usize> Axes<D> {
    /// Checks that a direction of the world is one.
    ///
    /// # Errors
    /// If it is zero or not finite.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::World(direction) if !direction.is_finite() => {
                Err(Error::NotFinite { what: "direction of the axes of friction, number", index: 0 })
            }
            Self::World(direction) if !direction.norm().is_normal() => {
                let (name, value) = ("length of the direction of the axes of friction", direction.norm());
                Err(Error::BadParameter { name, value, must: "longer than 0, and finite" })
            }
            _ => Ok(()),
        }
    }
}

/// `μ_eff` of a matchstick ellipse in the direction `t`; `otherwise` if both axes are zero.
fn along([a, b]: [f64; 2], [t0, t1]: [f64; 2], otherwise: f64) -> f64 {
    if a == 0.0 && b == 0.0 { otherwise } else { ((a * t0).powi(2) + (b * t1).powi(2)).sqrt() }
}

/// Effective coefficients of the matchstick model in the direction `t`, a unit vector: see [`Anisotropy::Matchstick`].
pub fn matchstick(t: [f64; 2], s: [f64; 2], k: [f64; 2], otherwise: Mu) -> Mu {
    Mu { s: along(s, t, otherwise.s), k: along(k, t, otherwise.k) }
}
