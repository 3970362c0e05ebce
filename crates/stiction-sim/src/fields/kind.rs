//! Which fields there are.

use std::fmt;
use std::str::FromStr;

use crate::model::Model;

/// Where a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the vertices of the surface.
    Vertices,
    /// In the edges, triangles and tetrahedra.
    Cells,
}

/// The fields by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FieldKind {
    /// `displacement`.
    Displacement,
    /// `velocity`.
    Velocity,
    /// `acceleration`.
    Acceleration,
    /// `contact_force`.
    ContactForce,
    /// `friction_force`.
    FrictionForce,
    /// `contact_pressure`.
    ContactPressure,
    /// `contact_pressure_rest`.
    ContactPressureRest,
    /// `shear_traction`.
    ShearTraction,
    /// `shear_traction_rest`.
    ShearTractionRest,
    /// `contact_state`.
    ContactState,
    /// `stress`.
    Stress,
    /// `von_mises`.
    VonMises,
    /// `strain`.
    Strain,
}

impl FieldKind {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Displacement,
        Self::Velocity,
        Self::Acceleration,
        Self::ContactForce,
        Self::FrictionForce,
        Self::ContactPressure,
        Self::ContactPressureRest,
        Self::ShearTraction,
        Self::ShearTractionRest,
        Self::ContactState,
        Self::Stress,
        Self::VonMises,
        Self::Strain,
    ];

    /// Its name in files and scenes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Displacement => "displacement",
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
            Self::ContactForce => "contact_force",
            Self::FrictionForce => "friction_force",
            Self::ContactPressure => "contact_pressure",
            Self::ContactPressureRest => "contact_pressure_rest",
            Self::ShearTraction => "shear_traction",
            Self::ShearTractionRest => "shear_traction_rest",
            Self::ContactState => "contact_state",
            Self::Stress => "stress",
            Self::VonMises => "von_mises",
            Self::Strain => "strain",
        }
    }

    /// Its SI unit; empty where it has none.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Displacement => "m",
            Self::Velocity => "m/s",
            Self::Acceleration => "m/s^2",
            Self::ContactForce | Self::FrictionForce => "N",
            Self::ContactState | Self::Strain => "",
            _ => "Pa",
        }
    }

    /// What it means.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Displacement => "Position less position at rest.",
            Self::Velocity => "Velocity.",
            Self::Acceleration => {
                "Acceleration that balances all forces at the end of the last step; 0 at the start and in quasi-static increments."
            }
            Self::ContactForce => {
                "Normal contact force on the vertex: minus the gradient of the barrier energy."
            }
            Self::FrictionForce => "Friction force on the vertex.",
            Self::ContactPressure => {
                "Normal forces of the vertex's contacts, by the area that the vertex has now; 0 where it has none, as on static rods. Shares of a contact's normal force add up to it on each side."
            }
            Self::ContactPressureRest => "The same normal forces, by the area that the vertex has at rest.",
            Self::ShearTraction => "Friction force on the vertex, by the area that it has now.",
            Self::ShearTractionRest => "Friction force on the vertex, by the area that it has at rest.",
            Self::ContactState => {
                "0 free, 1 in contact without friction, or since this step, 2 sticking, 3 slipping; the largest of all contacts of the vertex."
            }
            Self::Stress => {
                "Cauchy stress in the axes of the scene, 9 components in rows. In 2D solids are in plane strain; of sheets the force by their present width and their thickness at rest, of rods by the cross-section at rest, both without bending."
            }
            Self::VonMises => {
                "Von Mises equivalent of the Cauchy stress. In 2D it includes the stress across the plane, ν (σ_xx + σ_yy)."
            }
            Self::Strain => {
                "Finger strain ½ (F Fᵀ − 1) in the axes of the scene, 9 components in rows; in a sheet and along a rod the part in its plane or axis."
            }
        }
    }

    /// Where it is.
    pub const fn place(self) -> Place {
        match self {
            Self::Stress | Self::VonMises | Self::Strain => Place::Cells,
            _ => Place::Vertices,
        }
    }

    /// How many numbers a value has.
    pub const fn components(self) -> usize {
        match self {
            Self::Displacement
            | Self::Velocity
            | Self::Acceleration
            | Self::ContactForce
            | Self::FrictionForce
            | Self::ShearTraction
            | Self::ShearTractionRest => 3,
            Self::Stress | Self::Strain => 9,
            _ => 1,
        }
    }

    /// Names of the values 0, 1, 2, … of a field of categories; none of numbers.
    pub const fn categories(self) -> &'static [&'static str] {
        match self {
            Self::ContactState => &["free", "frictionless", "stick", "slip"],
            _ => &[],
        }
    }
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for FieldKind {
    type Err = stiction::error::Error;

    fn from_str(name: &str) -> std::result::Result<Self, Self::Err> {
        let unknown = || stiction::error::Error::UnknownName {
            what: "field",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        };
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(unknown)
    }
}

/// Vertices beyond which frames have few fields unless a scene asks for more.
const MANY: usize = 100_000;

/// The fields that frames have.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FieldChoice(Vec<FieldKind>);

impl FieldChoice {
    /// All fields.
    pub fn all() -> Self {
        Self(FieldKind::ALL.to_vec())
    }

    /// These fields.
    pub fn these(kinds: impl IntoIterator<Item = FieldKind>) -> Self {
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_unstable();
        kinds.dedup();
        Self(kinds)
    }

    /// All fields of models up to 100,000 vertices; of larger ones velocities, pressures, contact states and von Mises stresses.
    pub fn usual<const D: usize>(model: &Model<D>) -> Self {
        if model.surface.rest().len() <= MANY {
            return Self::all();
        }
        let few =
            [FieldKind::Velocity, FieldKind::ContactPressure, FieldKind::ContactState, FieldKind::VonMises];
        Self(few.to_vec())
    }

    /// Whether it has a field.
    pub fn has(&self, kind: FieldKind) -> bool {
        self.0.contains(&kind)
    }
}
