//! Fields on the vertices of the surface.

use std::borrow::Cow;

use stiction::math::Vector;

use crate::forces::{ContactForces, Regime, areas_at, rest_areas};
use crate::model::Model;
use crate::state::State;

/// Fields of a state.
pub(super) struct VertexFields<'a, const D: usize> {
    model: &'a Model<D>,
    state: &'a State<D>,
    forces: &'a ContactForces<D>,
    x: Cow<'a, [Vector<D>]>,
}

/// All components of vectors, with a zero third one in 2D.
fn in_space<const D: usize>(vectors: impl Iterator<Item = Vector<D>>) -> Vec<f64> {
    vectors.flat_map(|v| (0..3).map(move |k| v.0.get(k).copied().unwrap_or(0.0))).collect()
}

/// A force by an area; nothing where there is no area.
fn by_area(force: f64, area: f64) -> f64 {
    if area > 0.0 { force / area } else { 0.0 }
}

impl<'a, const D: usize> VertexFields<'a, D> {
    pub fn new(model: &'a Model<D>, state: &'a State<D>, forces: &'a ContactForces<D>) -> Self {
        Self { model, state, forces, x: model.surface_at(&state.q) }
    }

    pub fn displacement(&self) -> Vec<f64> {
        in_space(self.x.iter().zip(self.model.surface.rest()).map(|(x, rest)| *x - *rest))
    }

    pub fn velocity(&self) -> Vec<f64> {
        in_space(self.model.surface_at(&self.state.v).iter().copied())
    }

    pub fn acceleration(&self) -> Vec<f64> {
        if self.state.acceleration.is_empty() {
            return vec![0.0; 3 * self.x.len()];
        }
        in_space(self.model.surface_at(&self.state.acceleration).iter().copied())
    }

    pub fn contact_force(&self) -> Vec<f64> {
        in_space(self.forces.normal.iter().copied())
    }

    pub fn friction_force(&self) -> Vec<f64> {
        in_space(self.forces.friction.iter().copied())
    }

    fn areas(&self, at_rest: bool) -> Vec<f64> {
        if at_rest { rest_areas(self.model) } else { areas_at(self.model, &self.x) }
    }

    pub fn pressure(&self, at_rest: bool) -> Vec<f64> {
        let areas = self.areas(at_rest);
        self.forces.pressing.iter().zip(&areas).map(|(force, area)| by_area(*force, *area)).collect()
    }

    pub fn shear(&self, at_rest: bool) -> Vec<f64> {
        let areas = self.areas(at_rest);
        in_space(self.forces.friction.iter().zip(&areas).map(|(force, area)| *force * by_area(1.0, *area)))
    }

    pub fn contact_state(&self) -> Vec<f64> {
        let mut out = vec![0.0_f64; self.x.len()];
        for contact in self.forces.contacts.iter().filter(|contact| contact.normal_force > 0.0) {
            let state = match contact.regime {
                Regime::Frictionless => 1.0,
                Regime::Stick => 2.0,
                Regime::Slip => 3.0,
            };
            for (v, _) in contact.touch.shares().filter(|(_, c)| *c != 0.0) {
                out[v as usize] = out[v as usize].max(state);
            }
        }
        out
    }
}
