//! Which pairs count as contacts, and how much each counts.

use crate::error::{Error, Result};

/// How the sum over close pairs of primitives is made up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContactSet {
    /// Every close pair of a vertex and a face, of two edges (3D), of a vertex and an edge (2D). \[Li2020\]
    #[default]
    Ipc,
    /// The same, without counting twice what several primitives share: terms of shared edges are taken off, those of shared
    /// vertices given back. The sum then approximates the barrier of the closest point. Meant for weights by area. \[Li2023\]
    ImprovedMax,
    /// Only pairs whose direction is normal to both surfaces: offset geometric contact. \[Chen2025\]
    Ogc,
}

impl ContactSet {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ipc, Self::ImprovedMax, Self::Ogc];

    /// Its name in scenes and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ipc => "ipc",
            Self::ImprovedMax => "improved_max",
            Self::Ogc => "ogc",
        }
    }
}

impl std::str::FromStr for ContactSet {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|set| set.name() == name);
        found.ok_or_else(|| unknown("contact set", name, &Self::ALL.map(Self::name)))
    }
}

/// How much a contact counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weighting {
    /// How often its pair of closest features occurs; without unit.
    #[default]
    Count,
    /// The area of the surface at rest that it stands for, in m² (m in 2D). \[Li2023\]
    ///
    /// ```text
    /// vertex-face ¼ A_v      edge-edge ¼ (A_a + A_b)      vertex-edge (2D) ½ A_v      vertex-vertex ½ (A_v + A_w)      obstacle A_v
    /// ```
    Area,
}

impl Weighting {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Count, Self::Area];

    /// Its name in scenes and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Area => "area",
        }
    }
}

impl std::str::FromStr for Weighting {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|weighting| weighting.name() == name);
        found.ok_or_else(|| unknown("weighting", name, &Self::ALL.map(Self::name)))
    }
}

fn unknown(what: &'static str, name: &str, known: &[&str]) -> Error {
    Error::UnknownName { what, name: name.to_owned(), known: known.join(", ") }
}

/// Which pairs are contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selection {
    /// Distance in m below which pairs are in contact: `d_min + d̂`, see [`BarrierLaw::reach`](crate::barrier::BarrierLaw::reach).
    pub reach: f64,
    /// How the sum is made up.
    pub set: ContactSet,
    /// How much each contact counts.
    pub weighting: Weighting,
}

impl Selection {
    /// All pairs closer than `reach` (in m), counted.
    pub fn within(reach: f64) -> Self {
        Self { reach, set: ContactSet::default(), weighting: Weighting::default() }
    }
}
