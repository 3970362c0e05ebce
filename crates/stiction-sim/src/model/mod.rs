//! What stays constant during a simulation.

mod body;
mod build;
mod check;
mod describe;
mod elements;
mod skin;
mod stiffness;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

pub use body::{Body, BodyDamping};
pub(crate) use check::THIN;
pub use skin::Skin;
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::broad_phase::{Aabb, Candidates};
use stiction::contact::{Contacts, Selection};
use stiction::friction::Coefficients;
use stiction::linear_map::LinearMap;
use stiction::math::Vector;
use stiction::mesh::{Mixed, Surface};
use stiction::obstacle::Obstacle;
pub use stiffness::Stiffness;

use crate::boundary::{Boundary, Trajectory};
use crate::constraint::{Constraints, Link, check_length};
use crate::energy::{BodyForce, Elastic, Rayleigh};
use crate::error::{Error, Result};
use crate::load::Loads;
use crate::mass::MassMatrix;
use crate::obstacles::Obstacles;
use crate::params::Params;
use crate::reach::{BarrierByReach, ContactsByReach, Reaches};
use crate::state::{FrictionForces, Memory, State};
use crate::term::{Term, Terms};
use elements::Matter;

/// Names of the energies that every model has.
const ENERGIES: [&str; 8] =
    ["kinetic", "elastic", "damping", "gravity", "barrier", "friction", "total", "numerical"];

/// Where a body is in a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The body's name.
    pub name: String,
    /// Its nodes in the model: what moves by itself.
    pub nodes: Range<usize>,
    /// Its vertices in the surface of the model: what touches and is drawn.
    pub vertices: Range<usize>,
    /// Whether its surface is one of its own, which its nodes carry.
    pub embedded: bool,
    /// Whether it is a fixed shape.
    pub is_static: bool,
    /// The name of its material; that of its law if it has none, nothing if it is a fixed shape.
    pub material: String,
    /// How wide a line of its surface is, in m: thickness of a solid in 2D, diameter of a rod.
    pub width: f64,
    /// Its prescribed motions.
    pub motions: Vec<Motion>,
}

/// A part of a body that moves as prescribed.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Its name in reports: `fixed1`, `fixed2` and so on of what stands still, `motion1` and so on of what moves.
    pub name: String,
    /// Its nodes, ascending, by their number in the model.
    pub nodes: Vec<u32>,
}

impl Part {
    /// The numbers in the model of nodes of the body.
    fn nodes_of<const N: usize>(&self, elements: &[[u32; N]]) -> impl Iterator<Item = [u32; N]> {
        shifted(elements, self.nodes.start)
    }

    /// The numbers in the model of vertices of the body's surface.
    fn vertices_of<const N: usize>(&self, primitives: &[[u32; N]]) -> impl Iterator<Item = [u32; N]> {
        shifted(primitives, self.vertices.start)
    }
}

fn shifted<const N: usize>(primitives: &[[u32; N]], offset: usize) -> impl Iterator<Item = [u32; N]> {
    primitives.iter().map(move |primitive| primitive.map(|v| v + offset as u32))
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
    /// Positions of the nodes at rest, in m.
    pub rest: Vec<Vector<D>>,
    /// Tetrahedra, triangles and edges of all bodies, for pictures and files, by vertices of the surface.
    pub cells: Mixed,
    /// What can touch; shared with copies of the model, so that what is known of it can be told from what is known of others.
    pub surface: Arc<Surface<D>>,
    /// `W`: how nodes move the vertices of the surface; nothing where every vertex is a node.
    pub map: Option<LinearMap>,
    /// What bodies cannot enter.
    pub obstacles: Obstacles<D>,
    /// The elements.
    pub elastic: Elastic<D>,
    /// Masses of the nodes; 0 of those of fixed shapes.
    pub mass: MassMatrix,
    /// What damps the bodies.
    pub rayleigh: Rayleigh,
    /// Nodes whose motion is given.
    pub boundary: Boundary<D>,
    /// How nodes follow from the unknowns and from prescribed motion.
    pub constraints: Constraints<D>,
    /// For every vertex of the surface whether no unknown moves it.
    pub driven: Vec<bool>,
    /// Forces that are given.
    pub loads: Loads<D>,
    /// The barrier.
    pub barrier: BarrierLaw,
    /// Which pairs it reaches less far, because they are nearer at rest.
    pub reaches: Reaches,
    /// Friction of all contacts.
    pub coefficients: Coefficients<D>,
    /// How stiff contacts of each two bodies are.
    pub stiffness: Stiffness,
    /// Diagonal of the bounding box at rest, in m.
    pub diagonal: f64,
    /// Energies that users added.
    pub terms: Terms<D>,
}

impl<const D: usize> Model<D> {
    /// Puts bodies and obstacles together and checks that nothing is wrong with them.
    ///
    /// # Errors
    /// If a parameter is out of range, an element is inverted, flat or given twice, an index out of range, a vertex in no
    /// element, or anything intersects.
    pub fn new(
        bodies: &[Body<D>],
        obstacles: impl Into<Obstacles<D>>,
        gravity: Vector<D>,
        params: Params,
    ) -> Result<(Self, State<D>)> {
        params.check()?;
        if !gravity.is_finite() {
            return Err(stiction::error::Error::NotFinite { what: "gravity", index: 0 }.into());
        }
        let parts = build::parts(bodies);
        build::check_bodies(bodies)?;
        let rest: Vec<Vector<D>> = bodies.iter().flat_map(|body| body.vertices.iter().copied()).collect();
        let matter = Matter::new(bodies, &parts, &rest)?;
        let (elastic, mass) = (matter.elastic, build::mass(bodies, &parts, matter.volumes, matter.pairs)?);
        let map = build::map(bodies, &parts)?;
        let vertices = bodies.iter().flat_map(|body| build::surface_vertices(body).iter().copied());
        let surface = build::surface(bodies, &parts, vertices.collect())?;
        let surface = build::without_rings(surface, params.contact.excluded_rings)?;
        let boundary = build::prescribed(bodies, &parts)?;
        let diagonal = Aabb::around(surface.rest().iter().copied(), 0.0).diagonal();
        let barrier = barrier(&params, diagonal)?;
        let constraints = Constraints::new(&rest, &boundary, Vec::new())?;
        let driven = build::driven(constraints.free(), map.as_ref());
        let loads = build::loads(bodies, &parts)?;
        let softness =
            build::softness(bodies, &parts, &surface, constraints.free(), params.contact.weighting);
        let stiffness = Stiffness::new(stiffness::policy(softness, &parts, &barrier)?, &params.contact);
        let mut model = Self {
            params,
            gravity,
            rest: rest.clone(),
            cells: build::cells(bodies, &parts),
            surface: Arc::new(surface),
            map,
            obstacles: obstacles.into(),
            elastic,
            rayleigh: build::rayleigh(bodies, &parts, &mass),
            mass,
            parts,
            boundary,
            constraints,
            driven,
            loads,
            barrier,
            reaches: Reaches::default(),
            coefficients: params.friction.mu.into(),
            stiffness,
            diagonal,
            terms: Terms::default(),
        };
        model.obstacles.check_at(0.0)?;
        model.check_free_of(&rest, &model.obstacles.at(0.0))?;
        let vertices = model.surface.rest();
        model.check_distances(vertices)?;
        check::check_nested(bodies)?;
        model.reaches = model.reaches_at_rest()?;
        model.check_round_obstacles()?;
        let state = model.start(bodies, rest);
        Ok((model, state))
    }

    fn start(&self, bodies: &[Body<D>], rest: Vec<Vector<D>>) -> State<D> {
        let velocity = |body: &Body<D>| std::iter::repeat_n(body.velocity, body.vertices.len());
        let mut v: Vec<_> = bodies.iter().flat_map(velocity).collect();
        for node in self.boundary.nodes() {
            v[node as usize] = Vector::ZERO;
        }
        let contacts = self.contacts_at(&self.surface_at(&rest), &self.obstacles.at(0.0));
        let kappa = (!contacts.is_empty()).then(|| self.stiffness.first());
        State {
            q: rest,
            v,
            time: 0.0,
            step: 0,
            a: Vec::new(),
            f: Vec::new(),
            before: None,
            kappa,
            reserve: 0.0,
            memory: Memory::default(),
            acceleration: Vec::new(),
            friction: FrictionForces::default(),
        }
    }

    /// The same with other friction: tables of pairs, coefficients of vertices, anisotropy.
    ///
    /// # Errors
    /// If it does not fit the vertices and obstacles, a coefficient is not possible, or it has velocities of obstacles: those follow from
    /// their trajectories.
    pub fn with_coefficients(self, coefficients: Coefficients<D>) -> Result<Self> {
        coefficients.check(self.surface.rest().len(), self.obstacles.len())?;
        let found = coefficients.obstacle_velocities.len();
        if found > 0 {
            let what = "list of velocities of obstacles, which a model has from their trajectories,";
            return Err(stiction::error::Error::WrongLength { what, found, expected: 0 }.into());
        }
        Ok(Self { coefficients, ..self })
    }

    /// The same with these links in place of those it had, and the state with velocities that they allow.
    ///
    /// # Errors
    /// If a link names a node that does not exist, contradicts prescribed motion, or does not hold in the state: what it moved there at once could
    /// pass through something. If the state has not one place and one velocity for each node.
    pub fn with_links(self, links: Vec<Link>, mut state: State<D>) -> Result<(Self, State<D>)> {
        let constraints = Constraints::new(&self.rest, &self.boundary, links)?;
        constraints.check(&self.rest, &state.q)?;
        check_length("list of velocities of nodes", state.v.len(), self.rest.len())?;
        constraints.lead(&mut state.v);
        Ok((self.with_constraints(constraints), state))
    }

    /// The same with other conditions on its nodes.
    fn with_constraints(self, constraints: Constraints<D>) -> Self {
        let driven = build::driven(constraints.free(), self.map.as_ref());
        Self { constraints, driven, ..self }
    }

    /// The same with some of its bodies held where they are, by number.
    ///
    /// # Errors
    /// If a held body is linked to one that is not held and whose motion is prescribed.
    pub(crate) fn holding(&self, bodies: impl Iterator<Item = usize>) -> Result<Self> {
        let nodes: Vec<u32> =
            bodies.flat_map(|body| self.parts[body].nodes.clone()).map(|node| node as u32).collect();
        let mut boundary = self.boundary.clone();
        boundary.prescribe(nodes.iter().copied(), Trajectory::default());
        let constraints = self.constraints.holding(&nodes, &self.rest, &boundary)?;
        Ok(self.clone().with_constraints(constraints))
    }

    /// The places `q + t p` of the nodes, in m, with followers where the others lead them.
    pub fn along(&self, q: &[Vector<D>], p: &[Vector<D>], t: f64) -> Vec<Vector<D>> {
        let mut there: Vec<_> = q.iter().zip(p).map(|(q, p)| *q + *p * t).collect();
        self.constraints.place(&mut there);
        there
    }

    /// The same with one more energy.
    ///
    /// # Errors
    /// If its name is empty, has other characters than letters, digits and `_`, or is that of another energy.
    pub fn with_term(mut self, term: Arc<dyn Term<D>>) -> Result<Self> {
        let name = term.name();
        let odd = |c: char| !(c.is_alphanumeric() || c == '_');
        let taken = ENERGIES.contains(&name) || self.terms.0.iter().any(|other| other.name() == name);
        if name.is_empty() || name.contains(odd) || taken {
            let must = if taken { "another energy has it" } else { "it must be of letters, digits and _" };
            return Err(Error::TermName { name: name.to_owned(), must });
        }
        self.terms.0.push(term);
        Ok(self)
    }

    /// The middle of the bounding box of the surface at rest, in m.
    pub fn rest_center(&self) -> Vector<D> {
        let first = self.surface.rest().first().copied().unwrap_or(Vector::ZERO);
        let ends = self.surface.rest().iter().fold([first; 2], |[low, high], x| [low.min(*x), high.max(*x)]);
        (ends[0] + ends[1]) * 0.5
    }

    /// The name of each obstacle; none is that of a body.
    pub fn obstacle_names(&self) -> Vec<String> {
        self.obstacles.names(&self.parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>())
    }

    /// The number of the body of a vertex of the surface.
    pub fn body_of(&self, vertex: u32) -> usize {
        self.parts.partition_point(|part| part.vertices.end <= vertex as usize)
    }

    /// `x = W q`: a field of the nodes (positions, ways, velocities) at the vertices of the surface.
    ///
    /// # Panics
    /// If there is not one entry for each node.
    pub fn surface_at<'a>(&self, q: &'a [Vector<D>]) -> Cow<'a, [Vector<D>]> {
        self.map.as_ref().map_or(Cow::Borrowed(q), |map| Cow::Owned(map.apply(q)))
    }

    /// The contacts of a configuration of the surface, with obstacles where they are then.
    pub fn contacts_at(&self, x: &[Vector<D>], obstacles: &[Obstacle<D>]) -> ContactsByReach {
        self.contacts_among(&self.candidates_at(x), x, obstacles)
    }

    /// All pairs of a configuration of the surface that may be in contact.
    fn candidates_at(&self, x: &[Vector<D>]) -> Candidates {
        self.params.contact.broad_phase.candidates(&self.surface, x, x, 0.5 * self.barrier.reach())
    }

    /// The contacts of a configuration among given pairs, and with obstacles.
    pub fn contacts_among(
        &self,
        candidates: &Candidates,
        x: &[Vector<D>],
        obstacles: &[Obstacle<D>],
    ) -> ContactsByReach {
        if self.reaches.is_empty() {
            return self.contacts_within(self.barrier.reach(), candidates, x, obstacles).into();
        }
        let sorted = self.reaches.sorted(&self.surface, candidates);
        let near = self.reaches.near().iter().zip(&sorted[1..]);
        ContactsByReach {
            usual: self.contacts_within(self.barrier.reach(), &sorted[0], x, obstacles),
            near: near.map(|(reach, pairs)| self.contacts_within(reach.law.reach(), pairs, x, &[])).collect(),
        }
    }

    /// Those of them that are within a `reach`, in m.
    fn contacts_within(
        &self,
        reach: f64,
        candidates: &Candidates,
        x: &[Vector<D>],
        obstacles: &[Obstacle<D>],
    ) -> Contacts {
        if candidates.is_empty() && obstacles.is_empty() {
            return Contacts::default();
        }
        let selection = Selection { weighting: self.params.contact.weighting, ..Selection::within(reach) };
        let mut contacts = Contacts::build(&self.surface, candidates, obstacles, x, &selection);
        if self.driven.contains(&true) {
            self.leave_out_driven(&mut contacts);
        }
        self.stiffness.weigh(&mut contacts);
        contacts
    }

    /// Leaves out contacts of nothing but vertices whose motion is given: their forces move nothing, and their gaps would ask for ever
    /// stiffer barriers.
    fn leave_out_driven(&self, contacts: &mut Contacts) {
        let moves = |vertices: &[u32]| vertices.iter().any(|v| !self.driven[*v as usize]);
        contacts.retain(|contact| moves(contact.vertices()));
    }

    /// Gravity as an energy.
    pub fn body_force(&self) -> BodyForce<'_, D> {
        BodyForce { masses: self.mass.of_nodes(), gravity: self.gravity, forces: &[] }
    }

    /// The barrier over given contacts; `kappa` may be missing only as long as there is none.
    pub fn barrier_potential<'a>(
        &self,
        contacts: &'a ContactsByReach,
        obstacles: &'a [Obstacle<D>],
        kappa: Option<f64>,
    ) -> BarrierByReach<'a, D> {
        let kappa = kappa.unwrap_or_else(|| self.stiffness.first());
        let usual = &contacts.usual;
        let usual = BarrierPotential { contacts: usual, obstacles, law: self.barrier, kappa: kappa.into() };
        BarrierByReach::new(usual, (kappa, contacts), &self.reaches)
    }
}

fn barrier(params: &Params, diagonal: f64) -> Result<BarrierLaw> {
    let contact = &params.contact;
    let dhat = if contact.dhat_is_relative { contact.dhat * diagonal } else { contact.dhat };
    let law = BarrierLaw::new(BarrierKind::ClampedLog, dhat).map_err(|error| {
        let scale = Error::OutOfScale { what: "contact.dhat", value: dhat };
        if contact.dhat_is_relative { scale } else { error.into() }
    })?;
    Ok(law.with_dmin(contact.dmin)?)
}
