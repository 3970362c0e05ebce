//! How far every vertex may move, found while pairs are looked for: no list of them is kept.
//!
//! A vertex needs the smallest distance of its pairs only. So a pair is measured only where it may lower the smallest
//! distance of one of its vertices, and most are told from boxes and normals that they do not. Which pairs those are depends on
//! the order in which threads look at them, the smallest distances do not.

use std::sync::atomic::{AtomicU64, Ordering};

use super::analytic::across;
use super::pairs::{largest_entry, with_motion};
use super::slab::{Between, SHORTEST};
use super::{Ccd, PairSearch};
use crate::broad_phase::{Candidates, check_inflation};
use crate::error::Result;
use crate::math::Vector;
use crate::mesh::{MovingSurface, Surface};
use crate::obstacle::Obstacle;
use crate::stencil::{EdgeEdge, Stencil, VertexEdge, VertexFace, VertexVertex};

/// Rounding of a distance and of the vertices that are moved, in units of the largest distance of a vertex from the origin.
///
/// A distance carries `32 ε L` with `L` at most twice that length, positions on the way `3 ε`, on both sides.
const ROUNDING: f64 = 80.0 * f64::EPSILON;

/// Coordinates in this range need no scaling.
const ORDINARY: std::ops::Range<f64> = 1e-60..1e60;

/// Distances below this, in m, are measured in another scale: products of such lengths vanish.
const TINY: f64 = 1e-60;

impl Ccd {
    /// How far each vertex may move, whatever the others do within their own distances, in m.
    ///
    /// ```text
    /// ρᵢ = ½ min over pairs of i of min((1 − k)(d − ξ), d − ξ − rounding)        at most ½ (1 − k)(reach − ξ)
    /// ```
    /// Like [`safe_distances`](Self::safe_distances) with the candidates within the reach of the search, which are not listed: their
    /// distances are taken while they are found. Obstacles count as primitives that may come as near as the surface does.
    /// Infinite for vertices that are not on the surface; 0 for those of a pair that is too close.
    ///
    /// The part `k` that is kept is more than rounding takes, unless a gap is below some 10⁻¹³ of the coordinates: only then
    /// rounding is taken off.
    ///
    /// # Errors
    /// If `x` has another length than the surface's vertex array, a position is not finite, or the reach is negative or
    /// not finite.
    pub fn safe_distances_within<const D: usize>(
        &self,
        surface: &Surface<D>,
        obstacles: &[Obstacle<D>],
        x: &[Vector<D>],
        PairSearch { reach, broad_phase }: PairSearch,
    ) -> Result<Vec<f64>> {
        surface.check_positions(x)?;
        check_inflation(reach)?;
        let mut rooms = Rooms::new(*self, surface, x, reach);
        rooms.largest = obstacles.iter().map(size_of).fold(rooms.largest, f64::max);
        broad_phase.any_candidate(&MovingSurface::at_rest(surface, x), 0.5 * reach, &|candidates| {
            rooms.look(candidates);
            false
        });
        rooms.look_at_obstacles(obstacles);
        Ok(rooms.halves())
    }
}

/// The room that each vertex shares with the others, as far as it is known.
struct Rooms<'a, const D: usize> {
    ccd: Ccd,
    surface: &'a Surface<D>,
    x: &'a [Vector<D>],
    /// The bits of numbers that are not negative have the order of the numbers. In m.
    known: Vec<AtomicU64>,
    /// The largest coordinate of a vertex or an obstacle, in m.
    largest: f64,
}

impl<'a, const D: usize> Rooms<'a, D> {
    fn new(ccd: Ccd, surface: &'a Surface<D>, x: &'a [Vector<D>], reach: f64) -> Self {
        let infinite = || AtomicU64::new(f64::INFINITY.to_bits());
        let mut known: Vec<_> = x.iter().map(|_| infinite()).collect();
        let far = (1.0 - ccd.keep) * (reach - ccd.min_distance).max(0.0);
        for &v in surface.vertices() {
            known[v as usize] = AtomicU64::new(far.to_bits());
        }
        Self { ccd, surface, x, known, largest: largest_entry(x) }
    }

    fn halves(self) -> Vec<f64> {
        self.known.into_iter().map(|room| 0.5 * f64::from_bits(room.into_inner())).collect()
    }

    fn look(&self, candidates: &Candidates) {
        let (edges, faces) = (self.surface.edges(), self.surface.faces());
        for &(v, w) in &candidates.vv {
            self.look_at::<VertexVertex, 2>([v, w]);
        }
        for &(v, e) in &candidates.ve {
            let [a, b] = edges[e as usize];
            self.look_at::<VertexEdge, 3>([v, a, b]);
        }
        for &(e, f) in &candidates.ee {
            let ([a, b], [c, d]) = (edges[e as usize], edges[f as usize]);
            self.look_at::<EdgeEdge, 4>([a, b, c, d]);
        }
        for &(v, f) in &candidates.vf {
            let [a, b, c] = faces[f as usize];
            self.look_at::<VertexFace, 4>([v, a, b, c]);
        }
    }

    #[inline]
    fn look_at<K: Between<D, N>, const N: usize>(&self, vertices: [u32; N]) {
        let most = self.most(&vertices);
        let x = Stencil(vertices).gather(self.x);
        let room = if ORDINARY.contains(&self.largest) {
            if is_beyond::<K, D, N>(&x, self.limit(most).powi(2)) {
                return;
            }
            let distance = K::distance(&x);
            if distance > TINY { self.room(distance, || size(&x)) } else { self.scaled_room::<K, N>(&x) }
        } else {
            self.scaled_room::<K, N>(&x)
        };
        self.lower(&vertices, room, most);
    }

    /// The room of a pair whose products of lengths may be no numbers.
    #[cold]
    fn scaled_room<K: Between<D, N>, const N: usize>(&self, x: &[Vector<D>; N]) -> f64 {
        with_motion(x, x, 0.0, |m| self.room((K::slab(&m.start).gap - m.slack) / m.unit, || 0.0))
    }

    /// The largest room of some vertices.
    #[inline]
    fn most(&self, vertices: &[u32]) -> f64 {
        let bits = |v: &u32| self.known[*v as usize].load(Ordering::Relaxed);
        f64::from_bits(vertices.iter().map(bits).max().unwrap_or(0))
    }

    /// Takes note of the room of a pair, given the most that one of its vertices has so far.
    #[inline]
    fn lower(&self, vertices: &[u32], room: f64, most: f64) {
        if room < most {
            for &v in vertices {
                self.known[v as usize].fetch_min(room.to_bits(), Ordering::Relaxed);
            }
        }
    }

    /// A distance from which on a pair does not lower a room of `most`, in m.
    #[inline]
    fn limit(&self, most: f64) -> f64 {
        self.ccd.min_distance + most / (1.0 - self.ccd.keep) + self.rounding() / self.ccd.keep
    }

    /// `min((1 − k)(d − ξ), d − ξ − rounding)`, not negative; `size` is the largest distance from the origin, in m.
    #[inline]
    fn room(&self, distance: f64, size: impl FnOnce() -> f64) -> f64 {
        let beyond = distance - self.ccd.min_distance;
        let usual = (1.0 - self.ccd.keep) * beyond;
        if self.ccd.keep * beyond >= self.rounding() {
            return usual;
        }
        usual.min(beyond - ROUNDING * size()).max(0.0)
    }

    /// What rounding can do to any pair, in m.
    #[inline]
    fn rounding(&self) -> f64 {
        ROUNDING * self.extent()
    }

    fn look_at_obstacles(&self, obstacles: &[Obstacle<D>]) {
        for obstacle in obstacles {
            match obstacle {
                Obstacle::Plane(_) => self.above(obstacle),
                Obstacle::Sphere(sphere) => self.around(sphere.center(), sphere.radius(), self.x),
                Obstacle::Cylinder(cylinder) => {
                    let (o, [u, v]) = (cylinder.point(), across(cylinder.axis()));
                    // Seen along the axis, a cylinder is a disc.
                    let seen: Vec<_> =
                        self.x.iter().map(|x| Vector([u.dot(*x - o), v.dot(*x - o)])).collect();
                    self.around(Vector::ZERO, cylinder.radius(), &seen);
                }
            }
        }
    }

    /// The free side of a plane is convex, so vertices tell everything.
    fn above(&self, plane: &Obstacle<D>) {
        for &v in self.surface.vertices() {
            let room = self.room(plane.distance(self.x[v as usize]), || self.extent());
            self.lower(&[v], room, self.most(&[v]));
        }
    }

    /// What is closer to a point than a radius is solid; `y` are the positions as they are seen from there.
    fn around<const E: usize>(&self, center: Vector<E>, radius: f64, y: &[Vector<E>]) {
        let at = |v: u32| y[v as usize];
        for &[a, b, c] in self.surface.faces() {
            self.outside::<VertexFace, E, 4>([center, at(a), at(b), at(c)], radius, &[a, b, c]);
        }
        let edge = |[a, b]: [u32; 2]| {
            self.outside::<VertexEdge, E, 3>([center, at(a), at(b)], radius, &[a, b]);
        };
        if D == 2 {
            self.surface.edges().iter().copied().for_each(edge);
        }
        self.surface.loose_edges().iter().map(|&e| self.surface.edges()[e as usize]).for_each(edge);
        for &v in self.surface.loose_vertices() {
            self.outside::<VertexVertex, E, 2>([center, at(v)], radius, &[v]);
        }
    }

    fn outside<K: Between<E, N>, const E: usize, const N: usize>(
        &self,
        x: [Vector<E>; N],
        radius: f64,
        vertices: &[u32],
    ) {
        let most = self.most(vertices);
        let distance = if ORDINARY.contains(&self.largest) {
            if is_beyond::<K, E, N>(&x, (radius + self.limit(most)).powi(2)) {
                return;
            }
            K::distance(&x)
        } else {
            with_motion(&x, &x, 0.0, |m| (K::slab(&m.start).gap - m.slack) / m.unit)
        };
        self.lower(vertices, self.room(distance - radius, || self.extent()), most);
    }

    /// No vertex and no obstacle is further from the origin, in m.
    fn extent(&self) -> f64 {
        (D as f64).sqrt() * self.largest
    }
}

/// The largest number that the distance from an obstacle is made of, in m.
fn size_of<const D: usize>(obstacle: &Obstacle<D>) -> f64 {
    match obstacle {
        Obstacle::Plane(plane) => largest_entry(&[plane.point()]),
        Obstacle::Sphere(sphere) => largest_entry(&[sphere.center()]) + sphere.radius(),
        Obstacle::Cylinder(cylinder) => 2.0 * (largest_entry(&[cylinder.point()]) + cylinder.radius()),
    }
}

/// The largest distance of a vertex from the origin.
fn size<const D: usize>(x: &[Vector<D>]) -> f64 {
    x.iter().map(|x| x.norm_squared()).fold(0.0, f64::max).sqrt()
}

/// Whether boxes or normals tell that the squared distance is larger than `limit2`.
#[inline]
fn is_beyond<K: Between<D, N>, const D: usize, const N: usize>(x: &[Vector<D>; N], limit2: f64) -> bool {
    box_distance2::<K, D, N>(x) > limit2 || level_distance2::<K, D, N>(x) > limit2
}

/// Squared distance between the boxes of two primitives, in m².
#[inline]
fn box_distance2<K: Between<D, N>, const D: usize, const N: usize>(x: &[Vector<D>; N]) -> f64 {
    let hull = |part: &[Vector<D>]| {
        let rest = &part[1..];
        rest.iter().fold((part[0], part[0]), |(low, high), x| (low.min(*x), high.max(*x)))
    };
    let (a, b) = (hull(&x[..K::SPLIT]), hull(&x[K::SPLIT..]));
    let gap = (a.0 - b.1).max(b.0 - a.1).max(Vector::ZERO);
    gap.norm_squared() * (1.0 - 8.0 * f64::EPSILON)
}

/// Squared gap along the normal of the lines or planes through two primitives, in m²; 0 where it does not separate them.
#[inline]
fn level_distance2<K: Between<D, N>, const D: usize, const N: usize>(x: &[Vector<D>; N]) -> f64 {
    let n = K::level(x);
    let (mut up, mut down) = (f64::INFINITY, f64::INFINITY);
    for i in 0..K::SPLIT {
        for j in K::SPLIT..N {
            let height = n.dot(x[i] - x[j]);
            (up, down) = (up.min(height), down.min(-height));
        }
    }
    let (gap, length2) = (up.max(down), n.norm_squared());
    if gap > 0.0 && length2 > SHORTEST { gap * gap / length2 * (1.0 - 1e-12) } else { 0.0 }
}
