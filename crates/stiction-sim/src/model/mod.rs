//! What stays constant during a simulation.

mod body;
mod build;
mod check;
mod elements;

use std::ops::Range;

pub use body::Body;
use stiction::barrier::stiffness::{AdaptiveStiffness, StiffnessScale};
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::broad_phase::{Aabb, BroadPhaseKind};
use stiction::contact::{Contacts, Selection};
use stiction::math::Vector;
use stiction::mesh::{Mixed, Surface};
use stiction::obstacle::Obstacle;
use stiction::potential::Potential;

use crate::boundary::Boundary;
use crate::energy::{BodyForce, Elastic};
use crate::error::{Error, Result};
use crate::params::{Params, Stiffness};
use crate::state::State;
use elements::Matter;

/// Where a body is in a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The body's name.
    pub name: String,
    /// Its vertices in the model.
    pub vertices: Range<usize>,
}

impl Part {
    /// Numbers in the model of primitives of the body.
    fn shifted<const N: usize>(&self, primitives: &[[u32; N]]) -> impl Iterator<Item = [u32; N]> {
        let offset = self.vertices.start as u32;
        primitives.iter().map(move |primitive| primitive.map(|v| v + offset))
    }
}

/// Bodies, obstacles and parameters: all that a step reads and never writes.
#[derive(Clone, Debug)]
pub struct Model<const D: usize> {
    /// Everything that is not geometry.
    pub params: Params,
    /// Gravity in m/s².
    pub gravity: Vector<D>,
    /// Where each body is.
    pub parts: Vec<Part>,
    /// Tetrahedra, triangles and edges of all bodies, for pictures and files.
    pub cells: Mixed,
    /// What can touch.
    pub surface: Surface<D>,
    /// What bodies cannot enter.
    pub obstacles: Vec<Obstacle<D>>,
    /// The elements.
    pub elastic: Elastic<D>,
    /// Mass of each vertex, in kg; 0 for those of fixed shapes.
    pub masses: Vec<f64>,
    /// Vertices whose motion is given.
    pub boundary: Boundary<D>,
    /// For every vertex whether its motion is given.
    pub fixed: Vec<bool>,
    /// The barrier.
    pub barrier: BarrierLaw,
    /// How candidates are found; the result does not depend on it.
    pub broad_phase: BroadPhaseKind,
    /// The automatic barrier stiffness before there is contact.
    pub stiffness: AdaptiveStiffness,
    /// Diagonal of the bounding box at rest, in m.
    pub diagonal: f64,
    /// Mean mass of a vertex that has one, in kg.
    pub mean_mass: f64,
}

impl<const D: usize> Model<D> {
    /// Puts bodies and obstacles together and checks that nothing is wrong with them.
    ///
    /// # Errors
    /// If a parameter is out of range, an element is inverted, flat or given twice, an index out of range, a vertex in no
    /// element, or anything intersects.
    pub fn new(
        bodies: &[Body<D>],
        obstacles: Vec<Obstacle<D>>,
        gravity: Vector<D>,
        params: Params,
    ) -> Result<(Self, State<D>)> {
        params.check()?;
        if !gravity.is_finite() {
            return Err(stiction::error::Error::NotFinite { what: "gravity", index: 0 }.into());
        }
        let parts = build::parts(bodies);
        build::check_bodies(bodies, &parts)?;
        let rest: Vec<Vector<D>> = bodies.iter().flat_map(|body| body.vertices.iter().copied()).collect();
        let matter = Matter::new(bodies, &parts, &rest)?;
        let (elastic, masses) = (matter.elastic, build::masses(bodies, &parts, matter.volumes)?);
        let surface = build::surface(bodies, &parts, rest.clone())?;
        let boundary = build::prescribed(bodies, &parts)?;
        let barrier = BarrierLaw::new(BarrierKind::ClampedLog, params.contact.dhat)?;
        let diagonal = Aabb::around(rest.iter().copied(), 0.0).diagonal();
        let heavy = masses.iter().filter(|mass| **mass > 0.0).count();
        // Where nothing can move, any mass will do.
        let mean_mass = if heavy > 0 { masses.iter().sum::<f64>() / heavy as f64 } else { 1.0 };
        let scale =
            StiffnessScale { diagonal, mean_mass, scale: params.time.integrator.scale(params.time.step) };
        let fixed = boundary.mask(rest.len());
        let model = Self {
            params,
            gravity,
            cells: build::cells(bodies, &parts),
            parts,
            surface,
            obstacles,
            elastic,
            masses,
            boundary,
            fixed,
            barrier,
            broad_phase: BroadPhaseKind::default(),
            stiffness: AdaptiveStiffness::new(&barrier, &scale).map_err(out_of_scale)?,
            diagonal,
            mean_mass,
        };
        model.check_free(&rest)?;
        check::check_nested(bodies)?;
        model.check_self_contact(&rest)?;
        let state = model.start(bodies, rest)?;
        Ok((model, state))
    }

    fn start(&self, bodies: &[Body<D>], rest: Vec<Vector<D>>) -> Result<State<D>> {
        let velocity = |body: &Body<D>| std::iter::repeat_n(body.velocity, body.vertices.len());
        let mut v: Vec<_> = bodies.iter().flat_map(velocity).collect();
        for vertex in self.boundary.vertices() {
            v[vertex as usize] = Vector::ZERO;
        }
        let contacts = self.contacts_at(&rest);
        let mut others = vec![Vector::ZERO; rest.len()];
        self.elastic.gradient(&rest, 1.0, &mut others);
        self.body_force().gradient(&rest, 1.0, &mut others);
        let mut stiffness = self.stiffness;
        self.begin_stiffness(&mut stiffness, &contacts, &rest, &others)?;
        Ok(State { x: rest, v, time: 0.0, step: 0, a: Vec::new(), before: None, kappa: stiffness.kappa() })
    }

    /// The contacts of a configuration.
    pub fn contacts_at(&self, x: &[Vector<D>]) -> Contacts {
        let selection = self.selection();
        let candidates = self.broad_phase.candidates(&self.surface, x, x, 0.5 * selection.reach);
        Contacts::build(&self.surface, &candidates, &self.obstacles, x, &selection)
    }

    /// Which pairs are contacts.
    pub fn selection(&self) -> Selection {
        Selection::within(self.barrier.reach())
    }

    /// Gravity as an energy.
    pub fn body_force(&self) -> BodyForce<'_, D> {
        BodyForce { masses: &self.masses, gravity: self.gravity }
    }

    /// The barrier over given contacts; `kappa` may be missing only as long as there is none.
    pub fn barrier_potential<'a>(
        &'a self,
        contacts: &'a Contacts,
        kappa: Option<f64>,
    ) -> BarrierPotential<'a, D> {
        let kappa = kappa.unwrap_or(self.stiffness.range().min);
        BarrierPotential { contacts, obstacles: &self.obstacles, law: self.barrier, kappa: kappa.into() }
    }

    /// Sets the barrier stiffness if contact appears, given the gradient (in N) of all other energies.
    ///
    /// # Errors
    /// If there is not one entry of the gradient for each vertex.
    pub fn begin_stiffness(
        &self,
        stiffness: &mut AdaptiveStiffness,
        contacts: &Contacts,
        x: &[Vector<D>],
        others: &[Vector<D>],
    ) -> Result<()> {
        if contacts.is_empty() || stiffness.kappa().is_some() {
            return Ok(());
        }
        if let Stiffness::Fixed(kappa) = self.params.contact.stiffness {
            *stiffness = stiffness.at(Some(kappa), f64::INFINITY);
            return Ok(());
        }
        let mut gradient = vec![Vector::ZERO; x.len()];
        self.barrier_potential(contacts, Some(1.0)).gradient(x, 1.0, &mut gradient);
        stiffness.begin(&gradient, others)?;
        Ok(())
    }
}

/// The range of the barrier stiffness must be one of numbers.
fn out_of_scale(error: stiction::error::Error) -> Error {
    match error {
        stiction::error::Error::BadParameter { value, .. } => {
            Error::OutOfScale { what: "the smallest barrier stiffness", value }
        }
        other => other.into(),
    }
}
