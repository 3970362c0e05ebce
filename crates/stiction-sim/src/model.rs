//! What stays constant during a simulation.

use std::ops::Range;

use stiction::barrier::stiffness::{StiffnessRange, StiffnessScale};
use stiction::barrier::{BarrierPotential, ClampedLog};
use stiction::broad_phase::{Aabb, brute_force};
use stiction::contact::{Contacts, Obstacle};
use stiction::math::Vector;
use stiction::mesh::crossing::{Crossing, crossings};
use stiction::mesh::surface::check_indices;
use stiction::mesh::{Surface, boundary};
use stiction::potential::Potential;
use stiction::stencil::Stencil;

use crate::boundary::{Boundary, Path};
use crate::element::Simplex;
use crate::energy::{BodyForce, Elastic};
use crate::error::{Error, Result};
use crate::integrator::IntegratorKind;
use crate::material::Lame;
use crate::params::{Params, Stiffness};
use crate::state::State;

/// An elastic body as it is put into a model. Vertex numbers count from 0 in each body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body<const D: usize> {
    /// Its name, for messages and reports.
    pub name: String,
    /// Positions of its vertices, at rest and at the start, in m.
    pub vertices: Vec<Vector<D>>,
    /// Its elements in 2D, counter-clockwise.
    pub triangles: Vec<[u32; 3]>,
    /// Its elements in 3D, of positive volume.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Its stiffness.
    pub lame: Lame,
    /// Its density in kg/m³; 2D bodies are 1 m thick.
    pub density: f64,
    /// Its velocity at the start, in m/s.
    pub velocity: Vector<D>,
    /// Vertices whose motion is given.
    pub prescribed: Vec<(Vec<u32>, Path<D>)>,
}

/// Where a body is in a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The body's name.
    pub name: String,
    /// Its vertices in the model.
    pub vertices: Range<usize>,
}

/// Bodies, obstacles and parameters: all that a step reads and never writes.
#[derive(Clone, Debug)]
pub struct Model<const D: usize> {
    /// Everything that is not geometry.
    pub params: Params,
    /// The time integrator.
    pub integrator: IntegratorKind,
    /// Gravity in m/s².
    pub gravity: Vector<D>,
    /// Where each body is.
    pub parts: Vec<Part>,
    /// What can touch.
    pub surface: Surface<D>,
    /// What bodies cannot enter.
    pub obstacles: Vec<Obstacle<D>>,
    /// The elements.
    pub elastic: Elastic<D>,
    /// Mass of each vertex, in kg.
    pub masses: Vec<f64>,
    /// Vertices whose motion is given.
    pub boundary: Boundary<D>,
    /// For every vertex whether its motion is given.
    pub fixed: Vec<bool>,
    /// The barrier.
    pub barrier: ClampedLog,
    /// Range of the automatic barrier stiffness.
    pub stiffness_range: StiffnessRange,
    /// Diagonal of the bounding box at rest, in m.
    pub diagonal: f64,
    /// Mean mass of a vertex, in kg.
    pub mean_mass: f64,
}

impl<const D: usize> Model<D> {
    /// Puts bodies and obstacles together and checks that nothing is wrong with them.
    ///
    /// # Errors
    /// If a parameter is out of range, an element is inverted, an index out of range, a vertex in no
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
        check_bodies(bodies)?;
        let parts = parts(bodies);
        let rest: Vec<Vector<D>> = bodies.iter().flat_map(|body| body.vertices.iter().copied()).collect();
        let surface = surface(bodies, &parts, rest.clone())?;
        let elastic = elements(bodies, &parts, &rest)?;
        let masses = masses(bodies, &parts, &elastic)?;
        let boundary = prescribed(bodies, &parts)?;
        let barrier = ClampedLog::new(params.contact.dhat)?;
        let diagonal = Aabb::around(rest.iter().copied(), 0.0).diagonal();
        let mean_mass = masses.iter().sum::<f64>() / masses.len().max(1) as f64;
        let scale = StiffnessScale { diagonal, mean_mass, scale: params.time.step * params.time.step };
        let fixed = boundary.mask(rest.len());
        let model = Self {
            params,
            integrator: IntegratorKind::default(),
            gravity,
            parts,
            surface,
            obstacles,
            elastic,
            masses,
            boundary,
            fixed,
            barrier,
            stiffness_range: stiffness_range(&barrier, &scale)?,
            diagonal,
            mean_mass,
        };
        model.check_free(&rest)?;
        model.check_nested(&rest)?;
        model.check_self_contact(&rest)?;
        let state = model.start(bodies, rest);
        Ok((model, state))
    }

    fn start(&self, bodies: &[Body<D>], rest: Vec<Vector<D>>) -> State<D> {
        let velocity = |body: &Body<D>| std::iter::repeat_n(body.velocity, body.vertices.len());
        let mut v: Vec<_> = bodies.iter().flat_map(velocity).collect();
        for vertex in self.boundary.vertices() {
            v[vertex as usize] = Vector::ZERO;
        }
        let contacts = self.contacts_at(&rest);
        let mut others = vec![Vector::ZERO; rest.len()];
        self.elastic.gradient(&rest, 1.0, &mut others);
        self.body_force().gradient(&rest, 1.0, &mut others);
        let kappa = self.initial_stiffness(&contacts, &rest, &others);
        State { x: rest, v, time: 0.0, step: 0, kappa }
    }

    /// The contacts of a configuration.
    pub fn contacts_at(&self, x: &[Vector<D>]) -> Contacts {
        let dhat = self.barrier.dhat();
        let candidates = brute_force::candidates(&self.surface, x, x, 0.5 * dhat);
        Contacts::build(&self.surface, &candidates, &self.obstacles, x, dhat)
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
        let kappa = kappa.unwrap_or(self.stiffness_range.min);
        BarrierPotential { contacts, obstacles: &self.obstacles, barrier: self.barrier, kappa }
    }

    /// The barrier stiffness with which to begin, given the gradient (in N) of all other energies; none
    /// without contact.
    pub fn initial_stiffness(
        &self,
        contacts: &Contacts,
        x: &[Vector<D>],
        others: &[Vector<D>],
    ) -> Option<f64> {
        if contacts.is_empty() {
            return None;
        }
        if let Stiffness::Fixed(kappa) = self.params.contact.stiffness {
            return Some(kappa);
        }
        let mut gradient = vec![Vector::ZERO; x.len()];
        self.barrier_potential(contacts, Some(1.0)).gradient(x, 1.0, &mut gradient);
        Some(self.stiffness_range.balance(&gradient, others))
    }

    /// Checks that nothing intersects and no vertex is inside an obstacle, exactly.
    ///
    /// # Errors
    /// Naming the first offender.
    pub fn check_free(&self, x: &[Vector<D>]) -> Result<()> {
        for &vertex in self.surface.vertices() {
            for (obstacle, solid) in self.obstacles.iter().enumerate() {
                let distance = solid.distance(x[vertex as usize]);
                if distance <= 0.0 {
                    let (body, vertex) = self.name(vertex);
                    return Err(Error::InsideObstacle { vertex, body, obstacle, distance });
                }
            }
        }
        match crossings(&self.surface, x).first() {
            Some(crossing) => Err(self.describe(*crossing, x)),
            None => Ok(()),
        }
    }

    /// Checks that no body is wholly inside another; where nothing crosses, one vertex tells.
    fn check_nested(&self, x: &[Vector<D>]) -> Result<()> {
        for part in &self.parts {
            let Some(&vertex) = x.get(part.vertices.start) else { continue };
            let around = solid_around(&self.elastic.triangles, part, x, vertex)
                .or_else(|| solid_around(&self.elastic.tetrahedra, part, x, vertex));
            if let Some(outer) = around {
                return Err(Error::Intersecting {
                    first: format!("body \"{}\"", part.name),
                    second: format!("body \"{}\" around it", self.name(outer).0),
                    place: format!("{:?}", vertex.0),
                });
            }
        }
        Ok(())
    }

    /// Checks that the barrier does not act within a body at rest.
    fn check_self_contact(&self, rest: &[Vector<D>]) -> Result<()> {
        let within = self.within_bodies(self.contacts_at(rest));
        let first = within.vv.iter().map(|c| c.stencil.0[0]).chain(within.ve.iter().map(|c| c.stencil.0[0]));
        let first = first.chain(within.ee.iter().chain(&within.vf).map(|c| c.stencil.0[0]));
        let first = first.chain(within.parallel.iter().map(|c| c.contact.stencil.0[0])).next();
        let Some(vertex) = first else { return Ok(()) };
        Err(Error::SelfContact {
            dhat: self.barrier.dhat(),
            body: self.name(vertex).0,
            contacts: within.len(),
            limit: within.smallest_gap(rest, &self.obstacles),
        })
    }

    /// The contacts of bodies with themselves.
    fn within_bodies(&self, mut contacts: Contacts) -> Contacts {
        let same = |vertices: &[u32]| {
            let part = self.parts.iter().find(|part| part.vertices.contains(&(vertices[0] as usize)));
            part.is_some_and(|part| vertices.iter().all(|&v| part.vertices.contains(&(v as usize))))
        };
        contacts.vv.retain(|c| same(&c.stencil.0));
        contacts.ve.retain(|c| same(&c.stencil.0));
        contacts.ee.retain(|c| same(&c.stencil.0));
        contacts.vf.retain(|c| same(&c.stencil.0));
        contacts.parallel.retain(|c| same(&c.contact.stencil.0));
        contacts.obstacle.clear();
        contacts
    }

    /// The body of a vertex and its number there.
    fn name(&self, vertex: u32) -> (String, usize) {
        let vertex = vertex as usize;
        let part = self.parts.iter().find(|part| part.vertices.contains(&vertex));
        part.map_or((String::new(), vertex), |part| (part.name.clone(), vertex - part.vertices.start))
    }

    fn describe(&self, crossing: Crossing, x: &[Vector<D>]) -> Error {
        let (edge, other): (u32, Vec<u32>) = match crossing {
            Crossing::EdgeEdge(a, b) => (a, self.surface.edges()[b as usize].to_vec()),
            Crossing::EdgeFace(a, f) => (a, self.surface.faces()[f as usize].to_vec()),
        };
        let edge = self.surface.edges()[edge as usize];
        let words = |what: &str, vertices: &[u32]| {
            let (body, _) = self.name(vertices[0]);
            let numbers: Vec<_> = vertices.iter().map(|&v| self.name(v).1.to_string()).collect();
            format!("{what} ({}) of body \"{body}\"", numbers.join(", "))
        };
        let place = (x[edge[0] as usize] + x[edge[1] as usize]) * 0.5;
        Error::Intersecting {
            first: words("edge", &edge),
            second: words(if other.len() == 2 { "edge" } else { "face" }, &other),
            place: format!("{:?}", place.0),
        }
    }
}

/// A vertex of an element around a point, of a body other than `part`.
fn solid_around<const D: usize, const N: usize>(
    elements: &[Simplex<D, N>],
    part: &Part,
    x: &[Vector<D>],
    point: Vector<D>,
) -> Option<u32> {
    let other = elements.iter().filter(|e| !part.vertices.contains(&(e.stencil.0[0] as usize)));
    let around = |e: &&Simplex<D, N>| Simplex::contains(&e.stencil.gather(x), point);
    other.into_iter().find(around).map(|element| element.stencil.0[0])
}

/// The range of the barrier stiffness, which must be one of numbers.
fn stiffness_range(barrier: &ClampedLog, scale: &StiffnessScale) -> Result<StiffnessRange> {
    let range = StiffnessRange::new(barrier, scale);
    if range.min > 0.0 && range.max.is_finite() {
        Ok(range)
    } else {
        Err(Error::OutOfScale { what: "the smallest barrier stiffness", value: range.min })
    }
}

fn check_bodies<const D: usize>(bodies: &[Body<D>]) -> Result<()> {
    for (index, body) in bodies.iter().enumerate() {
        if !body.velocity.is_finite() {
            return Err(stiction::error::Error::NotFinite { what: "velocity of body", index }.into());
        }
        let (what, found) = if D == 2 {
            ("tetrahedra of a body in 2D", body.tetrahedra.len())
        } else {
            ("triangles of a body in 3D", body.triangles.len())
        };
        if found > 0 {
            return Err(stiction::error::Error::WrongLength { what, found, expected: 0 }.into());
        }
    }
    Ok(())
}

fn parts<const D: usize>(bodies: &[Body<D>]) -> Vec<Part> {
    let mut start = 0;
    let mut part = |body: &Body<D>| {
        let vertices = start..start + body.vertices.len();
        start = vertices.end;
        Part { name: body.name.clone(), vertices }
    };
    bodies.iter().map(&mut part).collect()
}

/// Numbers in the model of primitives of a body.
fn shifted<const N: usize>(primitives: &[[u32; N]], part: &Part) -> impl Iterator<Item = [u32; N]> {
    let offset = part.vertices.start as u32;
    primitives.iter().map(move |primitive| primitive.map(|v| v + offset))
}

fn surface<const D: usize>(bodies: &[Body<D>], parts: &[Part], rest: Vec<Vector<D>>) -> Result<Surface<D>> {
    let (mut edges, mut faces) = (Vec::new(), Vec::new());
    for (body, part) in bodies.iter().zip(parts) {
        check_indices("triangle", &body.triangles, body.vertices.len())?;
        check_indices("tetrahedron", &body.tetrahedra, body.vertices.len())?;
        edges.extend(shifted(&boundary::of_triangles(&body.triangles), part));
        faces.extend(shifted(&boundary::of_tetrahedra(&body.tetrahedra), part));
    }
    Ok(Surface::new(rest, edges, faces)?)
}

fn elements<const D: usize>(bodies: &[Body<D>], parts: &[Part], rest: &[Vector<D>]) -> Result<Elastic<D>> {
    let mut elastic = Elastic::default();
    for (body, part) in bodies.iter().zip(parts) {
        if D == 2 {
            solids(body, shifted(&body.triangles, part), rest, &mut elastic.triangles)?;
        } else {
            solids(body, shifted(&body.tetrahedra, part), rest, &mut elastic.tetrahedra)?;
        }
    }
    Ok(elastic)
}

fn solids<const D: usize, const N: usize>(
    body: &Body<D>,
    stencils: impl Iterator<Item = [u32; N]>,
    rest: &[Vector<D>],
    out: &mut Vec<Simplex<D, N>>,
) -> Result<()> {
    for (element, stencil) in stencils.enumerate() {
        let simplex = Simplex::new(Stencil(stencil), rest, body.lame);
        let volume = simplex.volume;
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(Error::InvertedElement { body: body.name.clone(), element, volume });
        }
        out.push(simplex);
    }
    Ok(())
}

fn share_volumes<const D: usize, const N: usize>(elements: &[Simplex<D, N>], volumes: &mut [f64]) {
    for element in elements {
        for v in element.stencil.0 {
            volumes[v as usize] += element.volume / N as f64;
        }
    }
}

/// An equal share of each element's mass at each of its vertices.
fn masses<const D: usize>(bodies: &[Body<D>], parts: &[Part], elastic: &Elastic<D>) -> Result<Vec<f64>> {
    let count = parts.last().map_or(0, |part| part.vertices.end);
    let mut volumes = vec![0.0; count];
    share_volumes(&elastic.triangles, &mut volumes);
    share_volumes(&elastic.tetrahedra, &mut volumes);
    for (body, part) in bodies.iter().zip(parts) {
        if !(body.density > 0.0 && body.density.is_finite()) {
            let must = "positive, in kg/m³";
            return Err(Error::BadParameter { name: "density", value: body.density, must });
        }
        let volumes = &mut volumes[part.vertices.clone()];
        if let Some(vertex) = volumes.iter().position(|volume| *volume == 0.0) {
            return Err(Error::LooseVertex { body: body.name.clone(), vertex });
        }
        for volume in volumes {
            *volume *= body.density;
        }
    }
    Ok(volumes)
}

fn prescribed<const D: usize>(bodies: &[Body<D>], parts: &[Part]) -> Result<Boundary<D>> {
    let mut boundary = Boundary::default();
    for (body, part) in bodies.iter().zip(parts) {
        for (vertices, path) in &body.prescribed {
            let single: Vec<[u32; 1]> = vertices.iter().map(|&v| [v]).collect();
            check_indices("prescribed vertex", &single, body.vertices.len())?;
            boundary.prescribe(shifted(&single, part).map(|[v]| v), path.clone());
        }
    }
    Ok(boundary)
}
