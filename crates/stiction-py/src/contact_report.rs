//! What contacts and slides do, one by one.

use numpy::PyArray1;
use pyo3::prelude::*;
use stiction::friction::{self, FrictionKind, Motion};

use crate::contacts::{AnyContacts, Contacts};
use crate::error::plain;
use crate::slides::{AnySlides, Slides};
use crate::surface::either;

/// The distance of every contact at positions x, shape (n, D), in m; in the order of `Contacts.vertices`. Not squared.
#[pyfunction]
pub fn contact_distances<'py>(
    contacts: &Contacts,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    either!(AnyContacts, &contacts.0, scene => {
        let positions = scene.field("x", x)?;
        let found = x.py().detach(|| scene.contacts.distances(&positions, &scene.obstacles));
        Ok(PyArray1::from_iter(x.py(), found.iter().copied()))
    })
}

/// How fast every contact slides at velocities v, shape (n, D), in m/s; in the order of `Contacts.vertices`.
///
///     |u|        u = T (Σ cᵢ vᵢ)     T = I − nnᵀ
#[pyfunction]
pub fn slip_speeds<'py>(slides: &Slides, v: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    either!(AnySlides, &slides.0, held => {
        let velocities = held.scene.field("v", v)?;
        let speeds = v.py().detach(|| {
            let motion = Motion { x_ref: &velocities, v_ref: &velocities, h_hat: 1.0 };
            let slides = held.read();
            // The law has no part in speeds.
            let law = FrictionKind::default();
            let potential = friction::FrictionPotential { slides: &slides, motion, law, eps_v: 1.0 };
            potential.speeds(&velocities).to_contacts(&held.scene.contacts)
        });
        Ok(PyArray1::from_iter(v.py(), speeds.map_err(|error| plain(&error))?.iter().copied()))
    })
}
