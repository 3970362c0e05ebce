//! Fields of a state: what frames show besides positions.
//!
//! A new field is an entry of [`FieldKind`] and a line of [`Fields::of`]; its documentation in `scenes/FIELDS.md` follows.

mod element;
mod kind;
mod obstacle_mesh;
mod vertex;

pub use kind::{FieldChoice, FieldKind, Place};
pub use obstacle_mesh::ObstacleMesh;

use crate::error::Result;
use crate::forces::ContactForces;
use crate::model::Model;
use crate::state::State;

/// The values of a field: as many numbers for each vertex or cell as the kind has components.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Which field.
    pub kind: FieldKind,
    /// The components of one value after the other.
    pub values: Vec<f64>,
}

/// The chosen fields of a state, on the vertices of the surface and on the cells: edges first, then triangles, then tetrahedra.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    /// In the order of [`FieldKind::ALL`].
    pub list: Vec<Field>,
}

impl Fields {
    /// The fields of a state, given its contact forces.
    pub fn of<const D: usize>(
        model: &Model<D>,
        state: &State<D>,
        forces: &ContactForces<D>,
        choice: &FieldChoice,
    ) -> Self {
        let vertices = vertex::VertexFields::new(model, state, forces);
        let needs_stress =
            FieldKind::ALL.iter().any(|kind| kind.place() == Place::Cells && choice.has(*kind));
        let strained = if needs_stress { element::strained(model, state) } else { Vec::new() };
        let values = |kind: FieldKind| match kind {
            FieldKind::Displacement => vertices.displacement(),
            FieldKind::Velocity => vertices.velocity(),
            FieldKind::Acceleration => vertices.acceleration(),
            FieldKind::ContactForce => vertices.contact_force(),
            FieldKind::FrictionForce => vertices.friction_force(),
            FieldKind::ContactPressure => vertices.pressure(false),
            FieldKind::ContactPressureRest => vertices.pressure(true),
            FieldKind::ShearTraction => vertices.shear(false),
            FieldKind::ShearTractionRest => vertices.shear(true),
            FieldKind::ContactState => vertices.contact_state(),
            FieldKind::Stress => strained.iter().flat_map(|of| of.stress).collect(),
            FieldKind::VonMises => strained.iter().map(|of| of.von_mises).collect(),
            FieldKind::Strain => strained.iter().flat_map(|of| of.strain).collect(),
        };
        let chosen = FieldKind::ALL.into_iter().filter(|kind| choice.has(*kind));
        Self { list: chosen.map(|kind| Field { kind, values: values(kind) }).collect() }
    }

    /// The fields of a place.
    pub fn on(&self, place: Place) -> impl Iterator<Item = &Field> {
        self.list.iter().filter(move |field| field.kind.place() == place)
    }
}

/// A state with its contacts and fields: what a frame is written from.
#[derive(Clone, Debug)]
pub struct Frame<'a, const D: usize> {
    /// The model.
    pub model: &'a Model<D>,
    /// The state.
    pub state: &'a State<D>,
    /// Its contacts.
    pub forces: ContactForces<D>,
    /// Its fields.
    pub fields: Fields,
}

impl<'a, const D: usize> Frame<'a, D> {
    /// The chosen fields of a state.
    ///
    /// # Errors
    /// If the state is not one of the model.
    pub fn new(model: &'a Model<D>, state: &'a State<D>, choice: &FieldChoice) -> Result<Self> {
        let forces = ContactForces::of(model, state)?;
        let fields = Fields::of(model, state, &forces, choice);
        Ok(Self { model, state, forces, fields })
    }
}
