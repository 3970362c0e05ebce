//! Solids given by a formula, fixed or moving along a straight line.
//!
//! A sphere is what keeps its radius away from a point: a vertex with a larger minimum distance. So is a
//! cylinder, seen along its axis. The free side of a plane is convex, so vertices tell everything there.

use std::ops::Range;

use super::motion::SLACK;
use super::pairs::largest_entry;
use super::{Ccd, Query};
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::math::vector::cross;
use crate::mesh::MovingSurface;
use crate::obstacle::{Cylinder, Obstacle, Plane, Sphere};
use crate::stencil::Stencil;
use crate::threads;

impl Ccd {
    /// The largest fraction, at most 1, of a motion during which the surface keeps its distance from an
    /// obstacle that moves by `p` (in m; zero if it is fixed) in the same time.
    ///
    /// The part of the distance that is kept is that of the closest primitive. Zero where something is too
    /// close from the start.
    ///
    /// # Errors
    /// If an array has another length than the surface's vertex array, or a number is not finite.
    pub fn obstacle_step<const D: usize>(
        &self,
        obstacle: &Obstacle<D>,
        p: Vector<D>,
        moving: &MovingSurface<'_, D>,
    ) -> Result<f64> {
        moving.check()?;
        if !p.is_finite() {
            return Err(Error::NotFinite { what: "motion of obstacle", index: 0 });
        }
        Ok(match obstacle {
            Obstacle::Plane(plane) => self.plane_step(plane, p, moving),
            Obstacle::Sphere(sphere) => self.sphere_step(sphere, p, moving),
            Obstacle::Cylinder(cylinder) => self.cylinder_step(cylinder, p, moving),
        })
    }

    /// Whether the surface is proven to stay further from the obstacle than the minimum distance during the
    /// whole motion.
    ///
    /// # Errors
    /// As for [`Self::obstacle_step`].
    pub fn is_free_of_obstacle<const D: usize>(
        &self,
        obstacle: &Obstacle<D>,
        p: Vector<D>,
        moving: &MovingSurface<'_, D>,
    ) -> Result<bool> {
        Ok(self.with_nothing_kept().obstacle_step(obstacle, p, moving)? >= 1.0)
    }

    /// Heights above a plane are linear in time.
    fn plane_step<const D: usize>(
        &self,
        plane: &Plane<D>,
        p: Vector<D>,
        moving: &MovingSurface<'_, D>,
    ) -> f64 {
        let (n, o) = (plane.normal(), plane.point());
        let heights = moving.surface.vertices().iter().map(|&v| {
            let (x, y) = (moving.start[v as usize], moving.end[v as usize]);
            let slack = SLACK * [x, y, o, p].iter().flat_map(|x| x.0).map(f64::abs).sum::<f64>();
            (n.dot(x - o) - slack - self.min_distance, n.dot((y - x) - p))
        });
        let smallest = heights.clone().map(|(room, _)| room).fold(f64::INFINITY, f64::min);
        let kept = (self.keep * smallest).min(self.most_kept);
        heights.fold(1.0, |step, (room, rise)| {
            if room.is_nan() || room <= 0.0 {
                0.0
            } else if room + rise < kept {
                step.min((room - kept) / -rise)
            } else {
                step
            }
        })
    }

    fn sphere_step<const D: usize>(
        &self,
        sphere: &Sphere<D>,
        p: Vector<D>,
        moving: &MovingSurface<'_, D>,
    ) -> f64 {
        let (from, to) = (sphere.center(), sphere.center() + p);
        let MovingSurface { surface, .. } = moving;
        let face = |f: usize| {
            let [a, b, c] = surface.faces()[f];
            let (s, e) = moving.ends(Stencil([a, b, c]));
            Query::VertexFace([from, s[0], s[1], s[2]], [to, e[0], e[1], e[2]])
        };
        let edge = |[a, b]: [u32; 2]| {
            let (s, e) = moving.ends(Stencil([a, b]));
            Query::VertexEdge([from, s[0], s[1]], [to, e[0], e[1]])
        };
        let loose_edge = |k: usize| edge(surface.edges()[surface.loose_edges()[k] as usize]);
        let any_edge = |k: usize| edge(surface.edges()[k]);
        let vertex = |k: usize| {
            let (s, e) = moving.ends(Stencil([surface.loose_vertices()[k]]));
            Query::VertexVertex([from, s[0]], [to, e[0]])
        };
        let vertices = surface.loose_vertices().len();
        let away = self.away(sphere.radius());
        if D == 2 {
            away.step_of_all(&[(surface.edges().len(), &any_edge), (vertices, &vertex)])
        } else {
            away.step_of_all(&[
                (surface.faces().len(), &face),
                (surface.loose_edges().len(), &loose_edge),
                (vertices, &vertex),
            ])
        }
    }

    /// Seen along the axis, a cylinder is a disc.
    fn cylinder_step<const D: usize>(
        &self,
        cylinder: &Cylinder<D>,
        p: Vector<D>,
        moving: &MovingSurface<'_, D>,
    ) -> f64 {
        let (o, [u, v]) = (cylinder.point(), across(cylinder.axis()));
        let flat = |x: Vector<D>, o: Vector<D>| Vector([u.dot(x - o), v.dot(x - o)]);
        let seen = |x: &[Vector<D>], o: Vector<D>| x.iter().map(|x| flat(*x, o)).collect::<Vec<_>>();
        let (start, end) = (seen(moving.start, o), seen(moving.end, o + p));
        let ends = |v: u32| [start[v as usize], end[v as usize]];
        let face = |f: usize| {
            let [[a, d], [b, e], [c, f]] = moving.surface.faces()[f].map(ends);
            Query::VertexFace([Vector::ZERO, a, b, c], [Vector::ZERO, d, e, f])
        };
        let edge = |k: usize| {
            let [[a, c], [b, d]] = moving.surface.edges()[moving.surface.loose_edges()[k] as usize].map(ends);
            Query::VertexEdge([Vector::ZERO, a, b], [Vector::ZERO, c, d])
        };
        let vertex = |k: usize| {
            let [a, b] = ends(moving.surface.loose_vertices()[k]);
            Query::VertexVertex([Vector::ZERO, a], [Vector::ZERO, b])
        };
        // What is lost by looking along the axis from afar.
        let largest = [moving.start, moving.end, &[o, p]].map(largest_entry).into_iter().fold(0.0, f64::max);
        let away = self.away(cylinder.radius() + SLACK * D as f64 * largest);
        away.step_of_all(&[
            (moving.surface.faces().len(), &face),
            (moving.surface.loose_edges().len(), &edge),
            (moving.surface.loose_vertices().len(), &vertex),
        ])
    }

    /// The same with a minimum distance from the centre or axis of a solid, rounded up.
    fn away(&self, radius: f64) -> Self {
        Self { min_distance: (radius + self.min_distance).next_up(), ..*self }
    }

    /// The smallest step of lists of queries, each given by its length and its entries.
    fn step_of_all<const D: usize>(&self, lists: &[(usize, &(dyn Fn(usize) -> Query<D> + Sync))]) -> f64 {
        let smallest = fold(lists, f64::INFINITY, &|query| self.room(query));
        let wanted = self.wanted(smallest);
        fold(lists, 1.0, &|query| self.wanted_step_of(query, &wanted))
    }
}

/// The smallest value of all queries, at most `start`.
fn fold<const D: usize>(
    lists: &[(usize, &(dyn Fn(usize) -> Query<D> + Sync))],
    start: f64,
    value: &(dyn Fn(&Query<D>) -> f64 + Sync),
) -> f64 {
    let mut smallest = start;
    for (count, query) in lists {
        let of_range = |range: Range<usize>| range.map(|k| value(&query(k))).fold(start, f64::min);
        smallest = threads::in_chunks(*count, &of_range).into_iter().fold(smallest, f64::min);
    }
    smallest
}

/// Two unit vectors across a unit vector in 3D, and across each other.
pub(super) fn across<const D: usize>(axis: Vector<D>) -> [Vector<D>; 2] {
    let least = (0..D).fold(0, |least, k| if axis[k].abs() < axis[least].abs() { k } else { least });
    let u = cross(axis, Vector::axis(least)).normalized();
    [u, cross(axis, u)]
}
