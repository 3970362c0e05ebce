//! Friction of scenes.

use serde::Deserialize;
use stiction::friction::{Anisotropy, Axes, Coefficients, Entry, FrictionKind, Mu, PairTable, Stribeck};

use super::{Scene, SceneError};
use crate::model::Model;
use crate::params::FrictionParams;

/// `[friction]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Friction {
    /// `μ`, if the static and the kinetic coefficient are the same.
    pub mu: Option<f64>,
    /// The static coefficient `μ_s`.
    pub mu_s: Option<f64>,
    /// The kinetic coefficient `μ_k`.
    pub mu_k: Option<f64>,
    /// Coefficients along a direction and across it: the elliptic cone.
    pub elliptic: Option<[f64; 2]>,
    /// Static coefficients along a direction and across it, of friction against the slide.
    pub static_axes: Option<[f64; 2]>,
    /// Kinetic coefficients along a direction and across it, of friction against the slide.
    pub kinetic_axes: Option<[f64; 2]>,
    /// The direction of the first axis.
    pub direction: Option<Vec<f64>>,
    /// The law, by name.
    pub law: Option<LawValue>,
    /// `ε_v` in m/s.
    pub eps_v: Option<f64>,
    /// Maximum number of lagging iterations a step.
    pub lag_iterations: Option<usize>,
    /// Relative change of the friction forces at which lagging iterations end.
    pub lag_tolerance: Option<f64>,
    /// Friction of pairs of surfaces.
    #[serde(default)]
    pub pairs: Vec<PairFriction>,
}

/// `law`: a name, or the numbers of Stribeck's.
#[derive(Clone, Debug)]
pub enum LawValue {
    /// A name.
    Name(String),
    /// `{ stribeck = { speed = …, viscous = … } }`.
    Stribeck {
        /// Its numbers.
        stribeck: StribeckNumbers,
    },
}

/// `law.stribeck`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StribeckNumbers {
    /// Speed in m/s by which half of the way from static to kinetic friction is gone.
    pub speed: f64,
    /// Growth of friction with speed, in s/m.
    #[serde(default)]
    pub viscous: f64,
}

/// `[[friction.pairs]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairFriction {
    /// The names of the two surfaces.
    pub between: [String; 2],
    /// As in `[friction]`.
    pub mu: Option<f64>,
    /// As in `[friction]`.
    pub mu_s: Option<f64>,
    /// As in `[friction]`.
    pub mu_k: Option<f64>,
    /// As in `[friction]`.
    pub elliptic: Option<[f64; 2]>,
    /// As in `[friction]`.
    pub static_axes: Option<[f64; 2]>,
    /// As in `[friction]`.
    pub kinetic_axes: Option<[f64; 2]>,
    /// As in `[friction]`.
    pub direction: Option<Vec<f64>>,
}

/// What is said of the friction of two surfaces: as in `[friction]`.
struct Said<'a> {
    mu: Option<f64>,
    mu_s: Option<f64>,
    mu_k: Option<f64>,
    elliptic: Option<[f64; 2]>,
    static_axes: Option<[f64; 2]>,
    kinetic_axes: Option<[f64; 2]>,
    direction: Option<&'a [f64]>,
}

impl<'a> From<&'a Friction> for Said<'a> {
    fn from(f: &'a Friction) -> Self {
        Self {
            mu: f.mu,
            mu_s: f.mu_s,
            mu_k: f.mu_k,
            elliptic: f.elliptic,
            static_axes: f.static_axes,
            kinetic_axes: f.kinetic_axes,
            direction: f.direction.as_deref(),
        }
    }
}

impl<'a> From<&'a PairFriction> for Said<'a> {
    fn from(pair: &'a PairFriction) -> Self {
        Self {
            mu: pair.mu,
            mu_s: pair.mu_s,
            mu_k: pair.mu_k,
            elliptic: pair.elliptic,
            static_axes: pair.static_axes,
            kinetic_axes: pair.kinetic_axes,
            direction: pair.direction.as_deref(),
        }
    }
}

impl Said<'_> {
    fn has_mu(&self) -> bool {
        self.mu.is_some() || self.mu_s.is_some() || self.mu_k.is_some()
    }

    fn has_axes(&self) -> bool {
        self.static_axes.is_some() || self.kinetic_axes.is_some()
    }

    fn is_empty(&self) -> bool {
        !self.has_mu() && self.elliptic.is_none() && !self.has_axes()
    }
}

impl Scene {
    pub(super) fn friction_params(&self) -> Result<FrictionParams, SceneError> {
        let (given, usual) = (&self.friction, FrictionParams::default());
        Ok(FrictionParams {
            mu: self.mu("friction", &given.into())?,
            law: self.law()?,
            eps_v: given.eps_v.unwrap_or(usual.eps_v),
            lag_iterations: given.lag_iterations.unwrap_or(usual.lag_iterations),
            lag_tolerance: given.lag_tolerance.unwrap_or(usual.lag_tolerance),
        })
    }

    fn law(&self) -> Result<FrictionKind, SceneError> {
        match &self.friction.law {
            None => Ok(FrictionKind::default()),
            Some(LawValue::Name(name)) => match self.named("friction.law", Some(name))? {
                FrictionKind::Adhesion => {
                    let message = "\"adhesion\" belongs to an attraction, which scenes do not have: choose peak or smooth_mu";
                    Err(self.error("friction.law", message))
                }
                law => Ok(law),
            },
            Some(LawValue::Stribeck { stribeck: StribeckNumbers { speed, viscous } }) => {
                let law = Stribeck::new(*speed, *viscous);
                law.map(FrictionKind::Stribeck).map_err(|error| self.error("friction.law", error.to_string()))
            }
        }
    }

    fn mu(&self, key: &str, said: &Said<'_>) -> Result<Mu, SceneError> {
        match (said.mu, said.mu_s, said.mu_k) {
            (None, None, None) => Ok(Mu::default()),
            (Some(mu), None, None) => Ok(Mu::same(mu)),
            (None, Some(s), Some(k)) => Ok(Mu { s, k }),
            (None, ..) => Err(self.error(key, "needs both mu_s and mu_k, or mu for both")),
            _ => Err(self.error(&format!("{key}.mu"), "excludes mu_s and mu_k")),
        }
    }

    /// The model with the friction of pairs and directions.
    pub(super) fn with_friction<const D: usize>(&self, model: Model<D>) -> Result<Model<D>, SceneError> {
        let f = &self.friction;
        let all = Coefficients::from(self.entry("friction", &f.into())?);
        let coefficients = if f.pairs.is_empty() { all } else { all.with_pairs(self.table(&model)?) };
        model.with_coefficients(coefficients).map_err(|error| self.error("friction", error.to_string()))
    }

    /// Checks what does not depend on what else is said.
    fn check_said<const D: usize>(&self, key: &str, said: &Said<'_>) -> Result<(), SceneError> {
        let Said { mu, mu_s, mu_k, elliptic, static_axes, kinetic_axes, .. } = *said;
        for (part, given) in
            [("elliptic", elliptic), ("static_axes", static_axes), ("kinetic_axes", kinetic_axes)]
        {
            let key = format!("{key}.{part}");
            if D == 2 && given.is_some() {
                return Err(self.error(&key, "there is one direction to slide in in 2D: give mu"));
            }
            self.check_mu(&key, given.into_iter().flatten())?;
        }
        for (part, given) in [("mu", mu), ("mu_s", mu_s), ("mu_k", mu_k)] {
            self.check_mu(&format!("{key}.{part}"), given)?;
        }
        Ok(())
    }

    fn entry<const D: usize>(&self, key: &str, said: &Said<'_>) -> Result<Entry<D>, SceneError> {
        let wrong = |part: &str, error: String| self.error(&format!("{key}.{part}"), error);
        self.check_said::<D>(key, said)?;
        let axes = match said.direction {
            Some(direction) => Axes::World(self.vector(&format!("{key}.direction"), direction)?),
            None => Axes::Contact,
        };
        if let Some(mu) = said.elliptic {
            if said.has_mu() || said.has_axes() {
                return Err(wrong(
                    "elliptic",
                    "excludes mu, mu_s, mu_k, static_axes and kinetic_axes".into(),
                ));
            }
            return Entry::elliptic(mu, axes).map_err(|error| wrong("elliptic", error.to_string()));
        }
        let entry = Entry { mu: self.mu(key, said)?, anisotropy: Anisotropy::None, axes };
        match (said.static_axes, said.kinetic_axes) {
            (None, None) if said.direction.is_some() => {
                Err(wrong("direction", "needs elliptic, static_axes or kinetic_axes".into()))
            }
            (None, None) => Ok(entry),
            (Some(_), Some(_)) if said.has_mu() => Err(wrong(
                "static_axes",
                "with kinetic_axes says all there is: remove mu, mu_s and mu_k".into(),
            )),
            (s, k) => {
                let (s, k) = (s.unwrap_or_default(), k.unwrap_or_default());
                Ok(Entry { anisotropy: Anisotropy::Matchstick { s, k, scaling: [1.0; 2] }, ..entry })
            }
        }
    }

    fn table<const D: usize>(&self, model: &Model<D>) -> Result<PairTable<D>, SceneError> {
        let mut names: Vec<&str> = self.bodies.iter().map(super::Body::surface_name).collect();
        names.extend(self.obstacle_surfaces().map(|surface| surface.unwrap_or(NOTHING)));
        let (mut known, of_bodies) = (names.clone(), &names[..self.bodies.len()]);
        known.sort_unstable();
        known.dedup();
        let plain = |error: stiction::error::Error| self.error("friction.pairs", error.to_string());
        let mut table = PairTable::new(&known).map_err(plain)?;
        for (i, pair) in self.friction.pairs.iter().enumerate() {
            let key = format!("friction.pairs[{i}]");
            let said = Said::from(pair);
            if said.is_empty() {
                return Err(self.error(&key, "has no coefficient: give mu (0.0 for no friction)"));
            }
            let (entry, [a, b]) = (self.entry(&key, &said)?, &pair.between);
            let wrong =
                |error: stiction::error::Error| self.error(&format!("{key}.between"), error.to_string());
            table = table.with(a, b, entry).map_err(wrong)?;
        }
        let of_vertex = |(part, name): (&crate::model::Part, &&str)| {
            part.vertices.clone().map(|_| (*name).to_owned()).collect::<Vec<_>>()
        };
        let vertices: Vec<String> = model.parts.iter().zip(of_bodies).flat_map(of_vertex).collect();
        let table = table.with_vertices(&vertices).map_err(plain)?;
        table.with_obstacles(&names[self.bodies.len()..]).map_err(plain)
    }
}

/// What has no name for friction; no name in a file is empty.
const NOTHING: &str = "";

impl super::Body {
    /// What it is for friction.
    fn surface_name(&self) -> &str {
        self.surface.as_deref().unwrap_or(&self.name)
    }
}
