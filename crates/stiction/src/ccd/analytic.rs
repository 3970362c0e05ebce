//! Solids given by a formula, fixed or moving along a straight line.
//!
//! A sphere is what keeps its radius away from a point, a cylinder what keeps it from a line, so both are
//! pairs of primitives with a larger minimum distance: the centre against faces, the axis against edges (a
//! line without ends enters a face only through its edges). The free side of a plane is convex, so vertices
//! tell everything there.

use std::ops::Range;

use super::motion::SLACK;
use super::{Ccd, Query};
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::mesh::Surface;
use crate::obstacle::{Cylinder, Obstacle, Plane, Sphere};
use crate::stencil::Stencil;
use crate::threads;

/// A surface on its way.
#[derive(Clone, Copy)]
struct Path<'a, const D: usize> {
    surface: &'a Surface<D>,
    start: &'a [Vector<D>],
    end: &'a [Vector<D>],
}

impl Ccd {
    /// The largest fraction, at most 1, of the motion from `start` to `end` during which the surface keeps
    /// its distance from an obstacle that moves by `p` (in m; zero if it is fixed) in the same time.
    ///
    /// The part of the distance that is kept is that of the closest primitive. Zero where something is too
    /// close from the start.
    ///
    /// # Errors
    /// If an array has another length than the surface's vertex array, or a number is not finite.
    pub fn obstacle_step<const D: usize>(
        &self,
        (obstacle, p): (&Obstacle<D>, Vector<D>),
        surface: &Surface<D>,
        start: &[Vector<D>],
        end: &[Vector<D>],
    ) -> Result<f64> {
        surface.check_positions(start)?;
        surface.check_positions(end)?;
        if !p.is_finite() {
            return Err(Error::NotFinite { what: "motion of obstacle", index: 0 });
        }
        let path = Path { surface, start, end };
        Ok(match obstacle {
            Obstacle::Plane(plane) => self.plane_step(plane, p, &path),
            Obstacle::Sphere(sphere) => self.sphere_step(sphere, p, &path),
            Obstacle::Cylinder(cylinder) => self.cylinder_step(cylinder, p, &path),
        })
    }

    /// Whether the surface is proven to stay further from the obstacle than the minimum distance during the
    /// whole motion.
    ///
    /// # Errors
    /// As for [`Self::obstacle_step`].
    pub fn is_free_of_obstacle<const D: usize>(
        &self,
        obstacle: (&Obstacle<D>, Vector<D>),
        surface: &Surface<D>,
        start: &[Vector<D>],
        end: &[Vector<D>],
    ) -> Result<bool> {
        Ok(self.with_nothing_kept().obstacle_step(obstacle, surface, start, end)? >= 1.0)
    }

    /// Heights above a plane are linear in time.
    fn plane_step<const D: usize>(&self, plane: &Plane<D>, p: Vector<D>, path: &Path<'_, D>) -> f64 {
        let (n, o) = (plane.normal(), plane.point());
        let heights = path.surface.vertices().iter().map(|&v| {
            let (x, y) = (path.start[v as usize], path.end[v as usize]);
            let slack = SLACK * [x, y, o, p].iter().flat_map(|x| x.0).map(f64::abs).sum::<f64>();
            (n.dot(x - o) - slack - self.min_distance, n.dot((y - x) - p))
        });
        let smallest = heights.clone().map(|(room, _)| room).fold(f64::INFINITY, f64::min);
        let kept = self.keep * smallest;
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

    fn sphere_step<const D: usize>(&self, sphere: &Sphere<D>, p: Vector<D>, path: &Path<'_, D>) -> f64 {
        let (from, to) = (sphere.center(), sphere.center() + p);
        let Path { surface, .. } = path;
        let face = |f: usize| {
            let [a, b, c] = surface.faces()[f];
            let (s, e) = path.ends(Stencil([a, b, c]));
            Query::VertexFace([from, s[0], s[1], s[2]], [to, e[0], e[1], e[2]])
        };
        let edge = |[a, b]: [u32; 2]| {
            let (s, e) = path.ends(Stencil([a, b]));
            Query::VertexEdge([from, s[0], s[1]], [to, e[0], e[1]])
        };
        let loose_edge = |k: usize| edge(surface.edges()[surface.loose_edges()[k] as usize]);
        let any_edge = |k: usize| edge(surface.edges()[k]);
        let vertex = |k: usize| {
            let (s, e) = path.ends(Stencil([surface.loose_vertices()[k]]));
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

    fn cylinder_step<const D: usize>(&self, cylinder: &Cylinder<D>, p: Vector<D>, path: &Path<'_, D>) -> f64 {
        let edge = |k: usize| {
            let (s, e) = path.ends(Stencil(path.surface.edges()[k]));
            let [from, to] = axis_beside(cylinder, p, &[s[0], s[1]], &[e[0], e[1]]);
            Query::EdgeEdge([s[0], s[1], from[0], from[1]], [e[0], e[1], to[0], to[1]])
        };
        let vertex = |k: usize| {
            let (s, e) = path.ends(Stencil([path.surface.loose_vertices()[k]]));
            let [from, to] = axis_beside(cylinder, p, &s, &e);
            Query::VertexEdge([s[0], from[0], from[1]], [e[0], to[0], to[1]])
        };
        let counts = (path.surface.edges().len(), path.surface.loose_vertices().len());
        self.away(cylinder.radius()).step_of_all(&[(counts.0, &edge), (counts.1, &vertex)])
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

/// The part of the moving axis beside points, at the start and at the end: where the closest points of the
/// axis are.
fn axis_beside<const D: usize, const N: usize>(
    cylinder: &Cylinder<D>,
    p: Vector<D>,
    start: &[Vector<D>; N],
    end: &[Vector<D>; N],
) -> [[Vector<D>; 2]; 2] {
    let (o, axis) = (cylinder.point(), cylinder.axis());
    let along = |x: &Vector<D>, origin: Vector<D>| axis.dot(*x - origin);
    let places = start.iter().map(|x| along(x, o)).chain(end.iter().map(|x| along(x, o + p)));
    let (low, high) =
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), s| (low.min(s), high.max(s)));
    // Longer by a radius and more than rounding can shift.
    let more = cylinder.radius() + 1e-6 * (high - low);
    let ends = |origin: Vector<D>| [origin + axis * (low - more), origin + axis * (high + more)];
    [ends(o), ends(o + p)]
}

impl<const D: usize> Path<'_, D> {
    fn ends<const N: usize>(&self, stencil: Stencil<N>) -> ([Vector<D>; N], [Vector<D>; N]) {
        (stencil.gather(self.start), stencil.gather(self.end))
    }
}
