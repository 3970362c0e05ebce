//! What contacts and slides do, one by one.

use numpy::PyArray1;
use pyo3::prelude::*;
use stiction::contact::{self, ClosePair, Selection};
use stiction::error::Error;
use stiction::friction::{self, FrictionKind, Motion};

use crate::contacts::{AnyContacts, Contacts, read_candidates};
use crate::error::plain;
use crate::obstacles::Obstacles;
use crate::slides::{AnySlides, Slides};
use crate::surface::{AnySurface, Surface, either, vertex_field};

/// The distance of every contact at positions x, shape (n, D), in m; in the order of `Contacts.vertices`. Not squared.
#[pyfunction]
pub fn contact_distances<'py>(
    contacts: &Contacts,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    either!(AnyContacts, &contacts.0, touching => {
        let positions = touching.field("x", x)?;
        let found = x.py().detach(|| touching.contacts.distances(&positions, &touching.obstacles.solids));
        Ok(PyArray1::from_iter(x.py(), found.iter().copied()))
    })
}

/// How fast every contact slides at velocities v, shape (n, D), in m/s; in the order of `Contacts.vertices`.
///
///     |u|        u = T (Σ cᵢ vᵢ)     T = I − nnᵀ
#[pyfunction]
pub fn slip_speeds<'py>(slides: &Slides, v: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    either!(AnySlides, &slides.0, held => {
        let velocities = held.touching.field("v", v)?;
        let speeds = v.py().detach(|| {
            let motion = Motion { x_ref: &velocities, v_ref: &velocities, h_hat: 1.0 };
            let slides = held.read();
            // The law has no part in speeds.
            let law = FrictionKind::default();
            let potential = friction::FrictionPotential { slides: &slides, motion, law, eps_v: 1.0 };
            potential.speeds(&velocities).to_contacts(&held.touching.contacts)
        });
        Ok(PyArray1::from_iter(v.py(), speeds.map_err(|error| plain(&error))?.iter().copied()))
    })
}

/// Two things by their numbers, with the kind of the pair.
type Pair = (&'static str, u32, u32);

/// The smallest distance in m among candidates, however large, and among vertices and obstacles, at positions x, with the first pair that has
/// it: `(distance, (kind, first, second))`, kind 'vv', 've', 'ee', 'vf' or 'obstacle', then the numbers of the two. None if there is no pair.
///
/// `candidates`: the pairs to look at, as `candidates` returns them. `obstacles`: as for Contacts; the distance inside one is negative.
#[pyfunction]
#[pyo3(signature = (surface, x, candidates, obstacles=None))]
pub fn smallest_distance(
    surface: &Surface,
    x: &Bound<'_, PyAny>,
    candidates: &Bound<'_, PyAny>,
    obstacles: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<(f64, Pair)>> {
    let near = read_candidates(candidates)?;
    let found = either!(AnySurface, &surface.0, surface => {
        let (positions, obstacles) = (vertex_field(surface, "x", x)?, Obstacles::read(obstacles)?);
        x.py().detach(|| {
            contact::Contacts::check_input(surface, &near, &positions, &Selection::within(1.0))?;
            Ok(contact::smallest_distance(surface, &near, &obstacles.solids, &positions))
        })
    });
    let found = found.map_err(|error: Error| plain(&error))?;
    Ok(found.map(|(distance, pair)| (distance, named(pair))))
}

fn named(pair: ClosePair) -> Pair {
    match pair {
        ClosePair::VertexVertex(a, b) => ("vv", a, b),
        ClosePair::VertexEdge(a, b) => ("ve", a, b),
        ClosePair::EdgeEdge(a, b) => ("ee", a, b),
        ClosePair::VertexFace(a, b) => ("vf", a, b),
        ClosePair::VertexObstacle(a, b) => ("obstacle", a, b),
    }
}
