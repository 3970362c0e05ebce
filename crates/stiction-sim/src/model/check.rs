//! Whether a configuration is one that a simulation can start from.

use stiction::broad_phase::BroadPhaseKind;
use stiction::ccd::Ccd;
use stiction::contact::Contacts;
use stiction::crossing::{Check, Crossing};
use stiction::math::Vector;
use stiction::mesh::MovingSurface;
use stiction::obstacle::Obstacle;
use stiction::stencil::Stencil;

/// Another way to find pairs than that of the steps, so that what one loses the other finds.
const CHECK: Check = Check { filtered: false, broad_phase: BroadPhaseKind::SpatialHash };

use super::build::surface_vertices;
use super::skin::{is_within_edges, is_within_faces};
use super::stiffness::body_of;
use super::{Body, Model, Part};
use crate::element::Simplex;
use crate::error::{Error, Result};
use crate::reach::{Reaches, for_each_near, part_of};
use crate::state::State;
use crate::term::Configuration;

/// Lengths against the size of everything, below which distances are mostly rounding.
pub(crate) const THIN: f64 = 1e-11;

impl<const D: usize> Model<D> {
    /// Checks that nothing intersects, exactly, and that nothing is inside an obstacle.
    ///
    /// # Errors
    /// Naming the first offender.
    pub fn check_free(&self, state: &State<D>) -> Result<()> {
        self.obstacles.check_at(state.time)?;
        self.check_free_of(&state.q, &self.obstacles.at(state.time))
    }

    /// The same with obstacles at given places.
    pub(super) fn check_free_of(&self, q: &[Vector<D>], obstacles: &[Obstacle<D>]) -> Result<()> {
        let x = &self.surface_at(q)[..];
        for &vertex in self.surface.vertices() {
            for (obstacle, solid) in obstacles.iter().enumerate() {
                let distance = solid.distance(x[vertex as usize]);
                if distance <= 0.0 {
                    let (body, vertex) = self.name(vertex);
                    return Err(Error::InsideObstacle { vertex, body, obstacle, distance });
                }
            }
        }
        self.check_round(x, obstacles)?;
        self.check_swallowed(Configuration { q, x }, obstacles)?;
        match CHECK.crossings(&self.surface, x)?.first() {
            Some(crossing) => Err(self.intersecting(crossing)),
            None => Ok(()),
        }
    }

    /// Checks that nothing is closer than the minimum distance.
    ///
    /// # Errors
    /// Naming the first vertex that is.
    pub(super) fn check_distances(&self, x: &[Vector<D>]) -> Result<()> {
        let (dmin, obstacles) = (self.barrier.dmin(), self.obstacles.at(0.0));
        let contacts = if dmin > 0.0 { self.contacts_at(x, &obstacles).usual } else { Contacts::default() };
        let first = contacts.map(|contact| contact.vertices()[0]);
        let distances = contacts.distances(x, &obstacles);
        let Some((place, distance)) = distances.iter().enumerate().find(|(_, d)| **d <= dmin) else {
            return Ok(());
        };
        let (body, vertex) = first.iter().nth(place).map(|vertex| self.name(*vertex)).unwrap_or_default();
        Err(Error::TooClose { vertex, body, distance: *distance, dmin })
    }

    /// Checks that round obstacles are not inside edges or faces either: all of a plane's free side is
    /// between its vertices.
    fn check_round(&self, x: &[Vector<D>], obstacles: &[Obstacle<D>]) -> Result<()> {
        let at_rest = MovingSurface::at_rest(&self.surface, x);
        for (obstacle, solid) in obstacles.iter().enumerate() {
            let flat = matches!(solid, Obstacle::Plane(_));
            if flat || Ccd::default().is_free_of_obstacle(solid, Vector::ZERO, &at_rest)? {
                continue;
            }
            let near = |v: &u32| solid.distance(x[*v as usize]);
            let closest = self.surface.vertices().iter().min_by(|a, b| near(a).total_cmp(&near(b)));
            if let Some(&vertex) = closest {
                let (distance, (body, vertex)) = (near(&vertex), self.name(vertex));
                return Err(Error::InsideObstacle { vertex, body, obstacle, distance });
            }
        }
        Ok(())
    }

    /// Checks that no ball is wholly inside a solid body: where none crosses its surface, the centre tells.
    fn check_swallowed(&self, at: Configuration<'_, D>, obstacles: &[Obstacle<D>]) -> Result<()> {
        for (obstacle, solid) in obstacles.iter().enumerate() {
            let Obstacle::Sphere(ball) = solid else { continue };
            let around = if D == 2 {
                self.first_around(ball.center(), &self.elastic.triangles, at.q)
            } else {
                self.first_around(ball.center(), &self.elastic.tetrahedra, at.q)
            };
            let around = around.map(|node| self.name_of_node(node).0);
            if let Some(body) = around.or_else(|| self.embedded_around(ball.center(), at.x)) {
                return Err(Error::ObstacleInside { obstacle, body });
            }
        }
        Ok(())
    }

    /// A node of the first element that a point is in; elements that carry a surface may reach beyond it.
    fn first_around<const N: usize>(
        &self,
        point: Vector<D>,
        elements: &[Simplex<D, N>],
        q: &[Vector<D>],
    ) -> Option<u32> {
        let around = |element: &&Simplex<D, N>| Simplex::contains(&element.stencil.gather(q), point);
        let carries = |node: usize| self.parts.iter().any(|part| part.embedded && part.nodes.contains(&node));
        let first = |element: &Simplex<D, N>| element.stencil.0[0];
        let mut nodes = elements.iter().filter(around).map(first);
        nodes.find(|node| !carries(*node as usize))
    }

    /// The first body with a surface of its own that a point is in.
    fn embedded_around(&self, point: Vector<D>, x: &[Vector<D>]) -> Option<String> {
        let around = |part: &&Part| {
            let of_part = |vertex: u32| part.vertices.contains(&(vertex as usize));
            let edges = self.surface.edges().iter().filter(|edge| of_part(edge[0]));
            let faces = self.surface.faces().iter().filter(|face| of_part(face[0]));
            part.embedded
                && if D == 2 { is_within_edges(point, x, edges) } else { is_within_faces(point, x, faces) }
        };
        self.parts.iter().find(around).map(|part| part.name.clone())
    }

    /// The round obstacle that edges or faces are much closer to than any vertex, if there is one.
    pub(crate) fn met_between_vertices(&self, x: &[Vector<D>], obstacles: &[Obstacle<D>]) -> Option<usize> {
        let (dmin, at_rest) = (self.barrier.dmin(), MovingSurface::at_rest(&self.surface, x));
        obstacles.iter().position(|solid| {
            if matches!(solid, Obstacle::Plane(_)) {
                return false;
            }
            let near = self.surface.vertices().iter().map(|v| solid.distance(x[*v as usize]));
            let clearance = near.fold(f64::INFINITY, f64::min) - dmin;
            // What nothing pushes away comes closer by a factor of ten with every step.
            let ccd = Ccd::default().with_min_distance(dmin + 0.01 * clearance.max(0.0)).ok();
            ccd.and_then(|ccd| ccd.is_free_of_obstacle(solid, Vector::ZERO, &at_rest).ok()) == Some(false)
        })
    }

    /// Checks that edges are short against the radii of round obstacles, which push at vertices alone.
    ///
    /// ```text
    /// sag of a triangle with sides L on a ball:  L²/(6R) ≤ d̂/2
    /// ```
    /// Otherwise faces would meet them between vertices, where nothing pushes, and no step could go on.
    pub(super) fn check_round_obstacles(&self) -> Result<()> {
        let rest = self.surface.rest();
        let moves = |edge: &&[u32; 2]| edge.iter().any(|v| !self.driven[*v as usize]);
        let length = |edge: &[u32; 2]| (rest[edge[0] as usize] - rest[edge[1] as usize]).norm();
        let edges = self.surface.edges().iter().filter(moves);
        let longest = edges.map(|edge| (length(edge), edge[0])).max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((length, vertex)) = longest else { return Ok(()) };
        for (obstacle, solid) in self.obstacles.at(0.0).iter().enumerate() {
            let radius = match solid {
                Obstacle::Sphere(sphere) => sphere.radius(),
                Obstacle::Cylinder(cylinder) => cylinder.radius(),
                _ => continue,
            };
            let limit = (3.0 * radius * self.barrier.dhat()).sqrt();
            if length > limit {
                let body = self.name(vertex).0;
                return Err(Error::CoarseForObstacle { obstacle, radius, body, length, limit });
            }
        }
        Ok(())
    }

    /// How far pairs within bodies reach that are nearer than `d̂` at rest.
    ///
    /// # Errors
    /// If a pair is so near that distances on the way there would be mostly rounding.
    pub(super) fn reaches_at_rest(&self) -> Result<Reaches> {
        let (law, rest, bodies) = (&self.barrier, self.surface.rest(), body_of(&self.parts));
        let (mut parts, mut touching) = (vec![1.0_f64; rest.len()], None);
        let least = law.dmin() + THIN * self.diagonal;
        for_each_near((&self.surface, rest), &self.candidates_at(rest), law.reach(), |vertices, distance| {
            let within = vertices.iter().all(|v| bodies[*v as usize] == bodies[vertices[0] as usize]);
            // What is driven stays as it is.
            if !within || vertices.iter().all(|v| self.driven[*v as usize]) {
                return;
            }
            if distance <= least {
                touching.get_or_insert((vertices[0], distance));
                return;
            }
            let part = part_of(law, distance);
            for &v in vertices {
                parts[v as usize] = parts[v as usize].max(part);
            }
        });
        if let Some((vertex, distance)) = touching {
            let (body, vertex) = self.name(vertex);
            return Err(Error::TooClose { vertex, body, distance, dmin: law.dmin() });
        }
        Ok(Reaches::new(law, &parts, bodies)?)
    }

    /// The body of a node and its number there.
    pub(super) fn name_of_node(&self, node: u32) -> (String, usize) {
        let node = node as usize;
        let part = self.parts.iter().find(|part| part.nodes.contains(&node));
        part.map_or((String::new(), node), |part| (part.name.clone(), node - part.nodes.start))
    }

    /// The body of a vertex of the surface and its number there.
    pub(super) fn name(&self, vertex: u32) -> (String, usize) {
        let vertex = vertex as usize;
        let part = self.parts.iter().find(|part| part.vertices.contains(&vertex));
        part.map_or((String::new(), vertex), |part| (part.name.clone(), vertex - part.vertices.start))
    }

    fn intersecting(&self, crossing: &Crossing<D>) -> Error {
        let words = |vertices: &[u32]| {
            let what = ["vertex", "edge", "face"][vertices.len().clamp(1, 3) - 1];
            let (body, _) = self.name(vertices[0]);
            let numbers: Vec<_> = vertices.iter().map(|&v| self.name(v).1.to_string()).collect();
            format!("{what} ({}) of body \"{body}\"", numbers.join(", "))
        };
        let last = crossing.first[0].max(crossing.second[0]);
        Error::Intersecting {
            body: self.name(last).0,
            first: words(&crossing.first),
            second: words(&crossing.second),
            place: format!("{:?}", crossing.place.0),
        }
    }
}

/// Checks that no body is wholly inside a solid at rest; where nothing crosses, one vertex tells.
pub(super) fn check_nested<const D: usize>(bodies: &[Body<D>]) -> Result<()> {
    for (inner, body) in bodies.iter().enumerate() {
        let Some(&point) = surface_vertices(body).first() else { continue };
        let others = bodies.iter().enumerate().filter(|(outer, _)| *outer != inner);
        if let Some((index, outer)) = others.into_iter().find(|(_, outer)| is_inside(point, outer)) {
            return Err(Error::Intersecting {
                body: if index > inner { outer.name.clone() } else { body.name.clone() },
                first: format!("body \"{}\"", body.name),
                second: format!("body \"{}\" around it", outer.name),
                place: format!("{:?}", point.0),
            });
        }
    }
    Ok(())
}

/// Whether a point is inside a solid.
fn is_inside<const D: usize>(point: Vector<D>, body: &Body<D>) -> bool {
    if let Some(skin) = &body.skin {
        return skin.contains(point);
    }
    if D == 2 { is_in_any(point, &body.triangles, body) } else { is_in_any(point, &body.tetrahedra, body) }
}

fn is_in_any<const D: usize, const N: usize>(
    point: Vector<D>,
    elements: &[[u32; N]],
    body: &Body<D>,
) -> bool {
    elements.iter().any(|element| Simplex::contains(&Stencil(*element).gather(&body.vertices), point))
}
