//! Films of simulations in memory.

use std::borrow::Borrow;

use stiction::friction::Side;
use stiction::math::Vector;
use stiction_sim::fields::{FieldChoice, FieldKind, Fields};
use stiction_sim::forces::{ContactForce, ContactForces, Regime as Rubbing};
use stiction_sim::model::Model;
use stiction_sim::report::StepReport;
use stiction_sim::report::schema::{Schema, Value};
use stiction_sim::state::State;
use stiction_view::error::{Error, Result};
use stiction_view::film::{Contact, Curve, Film, Frame, Regime, Scenery};

use super::PAGE_FIELDS;
use super::layout::{Layout, Shapes, obstacle_meshes};
use super::load::field;

/// The film of some states of a model, with the fields of a page, and the numbers of all steps as curves.
///
/// # Errors
/// If there is no state, or one is not of the model.
pub fn of_states<const D: usize>(
    title: &str,
    model: &Model<D>,
    states: &[impl Borrow<State<D>>],
    reports: &[StepReport<D>],
) -> Result<Film> {
    let (layout, mut scenery) = Layout::new(&Shapes::of_model(model));
    title.clone_into(&mut scenery.title);
    scenery.gravity = in_space(model.gravity);
    scenery.fields = PAGE_FIELDS.into_iter().map(field).collect();
    add_curves(&mut scenery, &Schema::of(model), reports);
    let frames =
        states.iter().map(|state| frame(model, &layout, state.borrow())).collect::<Result<Vec<_>>>()?;
    Film::new(scenery, Box::new(frames))
}

fn in_space<const D: usize>(x: Vector<D>) -> [f64; 3] {
    std::array::from_fn(|k| x.0.get(k).copied().unwrap_or(0.0))
}

fn frame<const D: usize>(model: &Model<D>, layout: &Layout, state: &State<D>) -> Result<Frame> {
    let forces = ContactForces::of(model, state).map_err(|error| Error::Request(error.to_string()))?;
    let fields = Fields::of(model, state, &forces, &FieldChoice::these(PAGE_FIELDS));
    let values = |kind: FieldKind| {
        let found = fields.list.iter().find(|field| field.kind == kind);
        layout.values(kind.place(), kind.components(), found.map_or(&[], |field| &field.values))
    };
    let bodies: Vec<Vector<3>> = model.surface_at(&state.q).iter().map(|x| Vector(in_space(*x))).collect();
    let obstacles: Vec<[f64; 3]> = obstacle_meshes(model, state.time).flat_map(|mesh| mesh.points).collect();
    Ok(Frame {
        step: state.step,
        time: state.time,
        points: layout.points(&bodies, &obstacles),
        fields: PAGE_FIELDS.into_iter().map(values).collect(),
        contacts: forces.contacts.iter().map(|of| contact(model, of)).collect(),
    })
}

fn contact<const D: usize>(model: &Model<D>, of: &ContactForce<D>) -> Contact {
    let thing = |side: Side| match side {
        Side::Body(body) => body,
        Side::Obstacle(obstacle) => model.parts.len() as u32 + obstacle,
    };
    Contact {
        things: of.sides.map(thing),
        point: in_space(of.place()),
        normal_force: in_space(of.touch.normal * of.normal_force),
        friction_force: in_space(of.friction),
        regime: match of.regime {
            Rubbing::Frictionless => Regime::Frictionless,
            Rubbing::Stick => Regime::Stick,
            Rubbing::Slip => Regime::Slip,
        },
    }
}

fn add_curves<const D: usize>(scenery: &mut Scenery, schema: &Schema<D>, reports: &[StepReport<D>]) {
    scenery.step_times = reports.iter().map(|report| report.time).collect();
    for column in schema.columns() {
        let number = |report: &StepReport<D>| match column.value(report) {
            Value::Count(count) => count as f64,
            Value::Number(number) => number,
            Value::Text(_) => f64::NAN,
        };
        let values: Vec<f64> = reports.iter().map(number).collect();
        if values.iter().any(|value| !value.is_nan()) {
            let (name, unit, meaning) = (column.name(), column.unit(), column.meaning());
            let [name, unit, meaning] = [name, unit, meaning].map(str::to_owned);
            scenery.curves.push(Curve { name, unit, meaning, values });
        }
    }
}
