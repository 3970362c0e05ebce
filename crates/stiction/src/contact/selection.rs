//! Which pairs count as contacts, and how much each counts.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// How the sum over close pairs of primitives is made up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContactSet {
    /// `ipc`: every close pair of a vertex and a face, of two edges (3D), of a vertex and an edge (2D). \[Li2020\]
    #[default]
    Ipc,
    /// `improved_max`: the same, without counting twice what several primitives share. The sum then approximates the
    /// barrier of the closest point. Meant for weights by area. \[Li2023\]
    ///
    /// With n the number of close pairs of a vertex v with the faces of an edge e (and so on), added are
    /// ```text
    /// (1 − n) v-e     for each edge of n faces, all close to v        3D
    /// (1 − n) e-v     for each vertex of n edges, all close to e      3D
    /// (1 − E + F) v-w for each vertex w of F faces with E edges there, all close to v: 1 inside, 0 on a boundary, 2 on a seam
    /// (1 − n) v-w     for each vertex w of n edges, all close to v    2D, and loose edges
    /// ```
    /// each where v is close to the edge or vertex itself. Nearly parallel edges are mollified, so their terms are taken
    /// off one by one, each with the mollifier of its pair.
    ImprovedMax,
    /// `ogc`: only pairs where each closest point belongs to the other's feature, see [`ogc`](crate::ogc::feasible); a vertex or an edge
    /// that a vertex is close to counts 1/n for each of the n faces or edges around it. An edge that is close to a vertex counts for
    /// each edge of that vertex. \[Chen2025\]
    ///
    /// The energy jumps where a pair begins or ceases to belong: it is meant for trust regions, not for line searches.
    Ogc,
}

impl ContactSet {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ipc, Self::ImprovedMax, Self::Ogc];

    /// Its name in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ipc => "ipc",
            Self::ImprovedMax => "improved_max",
            Self::Ogc => "ogc",
        }
    }
}

impl fmt::Display for ContactSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ContactSet {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let unknown = || Error::UnknownName {
            what: "contact set",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        };
        Self::ALL.into_iter().find(|set| set.name() == name).ok_or_else(unknown)
    }
}

/// How much a contact counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weighting {
    /// `count`: how often its pair of closest features occurs; without unit.
    #[default]
    Count,
    /// `area`: the area of the surface at rest that it stands for, in m² (m in 2D). \[Li2023\]
    ///
    /// ```text
    /// vertex-face ¼ A_v      edge-edge ¼ (A_a + A_b)      vertex-edge (2D) ½ A_v      vertex-vertex ½ (A_v + A_w)      obstacle A_v
    /// ```
    /// A vertex and an edge, or two vertices, to which one of these comes down weigh as much as the pair they come from.
    Area,
}

impl Weighting {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Count, Self::Area];

    /// Its name in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Area => "area",
        }
    }
}

impl fmt::Display for Weighting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Weighting {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let unknown = || Error::UnknownName {
            what: "weighting",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        };
        Self::ALL.into_iter().find(|weighting| weighting.name() == name).ok_or_else(unknown)
    }
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

    /// Checks that the reach is finite and larger than 0.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self) -> Result<()> {
        if self.reach > 0.0 && (self.reach * self.reach).is_normal() {
            return Ok(());
        }
        let must = "larger than 0, with a square that is a number";
        Err(Error::BadParameter { name: "reach", value: self.reach, must })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_choices_and_back() {
        for set in ContactSet::ALL {
            assert_eq!(set.to_string().parse(), Ok(set));
        }
        for weighting in Weighting::ALL {
            assert_eq!(weighting.to_string().parse(), Ok(weighting));
        }
        let message = "max".parse::<ContactSet>().unwrap_err().to_string();
        assert!(
            message.contains("contact set \"max\"") && message.contains("improved_max, ogc"),
            "{message}"
        );
        let message = "mass".parse::<Weighting>().unwrap_err().to_string();
        assert!(message.contains("count, area"), "{message}");
    }

    #[test]
    fn reach_must_be_a_length() {
        assert!(Selection::within(0.1).check().is_ok());
        for reach in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Selection::within(reach).check().unwrap_err().to_string().contains("reach"));
        }
    }
}
