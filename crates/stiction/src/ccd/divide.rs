//! Each vertex stays on its side of planes that divide the pairs it is in.
//!
//! Along the normal `n` of the slab between two primitives, the first may come down by `A` and the second go up by `B`:
//! ```text
//! A + B = (1 − k)(g − ξ)        A : B = a : b        a = max(−n·pᵢ, 0) over the first, b = max(n·pⱼ, 0) over the second
//! ```
//! where `g` is the width of the slab less rounding and `p` are the steps that were asked for. A vertex that is higher than
//! the lowest of its primitive may come down by so much more. All heights are linear in time, so the plane in between
//! divides the pair all the time, although every vertex goes another part of its way. \[Chen2026\]

use std::sync::atomic::{AtomicU64, Ordering};

use super::analytic::across;
use super::motion::SLACK;
use super::pairs::{largest_entry, with_motion};
use super::slab::Between;
use super::{Ccd, PairSearch};
use crate::broad_phase::{Candidates, check_inflation};
use crate::error::Result;
use crate::math::Vector;
use crate::mesh::MovingSurface;
use crate::obstacle::{Obstacle, Plane};
use crate::stencil::{EdgeEdge, Stencil, VertexEdge, VertexFace, VertexVertex};

impl Ccd {
    /// The part of its way that each vertex of a moving surface may go, so that no pair comes closer than the minimum
    /// distance; 1 for vertices that are not on the surface.
    ///
    /// Pairs within the reach of the search are divided by a plane each, and only what goes towards it is held back: sliding is
    /// free. Vertices go no further than `½ (1 − k)(reach − ξ)`, so the others need no plane. Obstacles are at rest. The
    /// vertices of a pair that is too close may only go apart.
    ///
    /// # Errors
    /// If an array has another length than the surface's vertex array, a position is not finite, or the reach is
    /// negative or not finite.
    pub fn divided_steps<const D: usize>(
        &self,
        moving: &MovingSurface<'_, D>,
        obstacles: &[Obstacle<D>],
        PairSearch { reach, broad_phase }: PairSearch,
    ) -> Result<Vec<f64>> {
        moving.check()?;
        check_inflation(reach)?;
        let (far, end) = self.shortened(moving, reach);
        let MovingSurface { surface, start, .. } = *moving;
        let parts = Parts::new(*self, MovingSurface::new(surface, start, &end));
        broad_phase.any_candidate(&MovingSurface::at_rest(surface, start), 0.5 * reach, &|candidates| {
            parts.divide(candidates);
            false
        });
        for obstacle in obstacles {
            parts.keep_out(obstacle);
        }
        let known = parts.known.into_iter().map(|part| f64::from_bits(part.into_inner()));
        Ok(known.zip(far).map(|(part, far)| part * far).collect())
    }

    /// The part of its way that each vertex may go whatever it meets, and where it then is: planes should share their room by what
    /// vertices can do, not by what they were asked for.
    fn shortened<const D: usize>(
        &self,
        &MovingSurface { surface, start, end }: &MovingSurface<'_, D>,
        reach: f64,
    ) -> (Vec<f64>, Vec<Vector<D>>) {
        let far = 0.5 * (1.0 - self.keep) * (reach - self.min_distance).max(0.0);
        let (mut parts, mut ends) = (vec![1.0; start.len()], end.to_vec());
        for v in surface.vertices().iter().map(|v| *v as usize) {
            let p = end[v] - start[v];
            // No shorter than the way, and no square.
            let length = p.0.iter().map(|entry| entry.abs()).sum::<f64>();
            let length = if (1e-100..1e100).contains(&length) { p.norm() } else { length };
            if length > far {
                parts[v] = far / length * (1.0 - 8.0 * f64::EPSILON);
                ends[v] = start[v] + p * parts[v];
            }
        }
        (parts, ends)
    }
}

/// The part of its way that each vertex may go, as far as it is known.
struct Parts<'a, const D: usize> {
    ccd: Ccd,
    moving: MovingSurface<'a, D>,
    /// The bits of numbers that are not negative have the order of the numbers.
    known: Vec<AtomicU64>,
}

impl<'a, const D: usize> Parts<'a, D> {
    fn new(ccd: Ccd, moving: MovingSurface<'a, D>) -> Self {
        let known = moving.start.iter().map(|_| AtomicU64::new(1.0_f64.to_bits())).collect();
        Self { ccd, moving, known }
    }

    fn divide(&self, candidates: &Candidates) {
        let (edges, faces) = (self.moving.surface.edges(), self.moving.surface.faces());
        for &(v, w) in &candidates.vv {
            self.divide_pair::<VertexVertex, 2>([v, w]);
        }
        for &(v, e) in &candidates.ve {
            let [a, b] = edges[e as usize];
            self.divide_pair::<VertexEdge, 3>([v, a, b]);
        }
        for &(e, f) in &candidates.ee {
            let ([a, b], [c, d]) = (edges[e as usize], edges[f as usize]);
            self.divide_pair::<EdgeEdge, 4>([a, b, c, d]);
        }
        for &(v, f) in &candidates.vf {
            let [a, b, c] = faces[f as usize];
            self.divide_pair::<VertexFace, 4>([v, a, b, c]);
        }
    }

    fn divide_pair<K: Between<D, N>, const N: usize>(&self, vertices: [u32; N]) {
        let stencil = Stencil(vertices);
        let (start, end) = self.moving.ends(stencil);
        let parts = divided::<K, D, N>(&start, &end, self.ccd.min_distance, self.ccd.keep);
        for (v, part) in vertices.into_iter().zip(parts) {
            self.lower(v, part);
        }
    }

    fn keep_out(&self, obstacle: &Obstacle<D>) {
        match obstacle {
            Obstacle::Plane(plane) => self.keep_above(plane),
            Obstacle::Sphere(sphere) => {
                self.keep_around(self.moving.start, self.moving.end, sphere.center(), sphere.radius());
            }
            Obstacle::Cylinder(cylinder) => {
                let (o, [u, v]) = (cylinder.point(), across(cylinder.axis()));
                let seen = |x: &[Vector<D>]| -> Vec<_> {
                    x.iter().map(|x| Vector([u.dot(*x - o), v.dot(*x - o)])).collect()
                };
                // What is lost by looking along the axis from afar.
                let largest = [self.moving.start, self.moving.end, &[o]]
                    .map(largest_entry)
                    .into_iter()
                    .fold(0.0, f64::max);
                let radius = cylinder.radius() + SLACK * D as f64 * largest;
                self.keep_around(&seen(self.moving.start), &seen(self.moving.end), Vector::ZERO, radius);
            }
        }
    }

    fn keep_above(&self, plane: &Plane<D>) {
        let (n, o) = (plane.normal(), plane.point());
        for &v in self.moving.surface.vertices() {
            let (x, y) = (self.moving.start[v as usize], self.moving.end[v as usize]);
            let slack = SLACK * [x, y, o].iter().flat_map(|x| x.0).map(f64::abs).sum::<f64>();
            let room = n.dot(x - o) - slack - self.ccd.min_distance;
            let is_open = n.dot(x - o) > slack;
            self.lower(v, part_of(n.dot(x - y), (1.0 - self.ccd.keep) * room, room, is_open));
        }
    }

    /// What is closer to a point than a radius is solid.
    fn keep_around<const E: usize>(
        &self,
        start: &[Vector<E>],
        end: &[Vector<E>],
        center: Vector<E>,
        radius: f64,
    ) {
        let far = (radius + self.ccd.min_distance).next_up();
        let (x, y) = (|v: u32| start[v as usize], |v: u32| end[v as usize]);
        for &[a, b, c] in self.moving.surface.faces() {
            let (from, to) = ([center, x(a), x(b), x(c)], [center, y(a), y(b), y(c)]);
            let [_, parts @ ..] = divided::<VertexFace, E, 4>(&from, &to, far, self.ccd.keep);
            [a, b, c].into_iter().zip(parts).for_each(|(v, part)| self.lower(v, part));
        }
        let edge = |[a, b]: [u32; 2]| {
            let (from, to) = ([center, x(a), x(b)], [center, y(a), y(b)]);
            let [_, parts @ ..] = divided::<VertexEdge, E, 3>(&from, &to, far, self.ccd.keep);
            [a, b].into_iter().zip(parts).for_each(|(v, part)| self.lower(v, part));
        };
        if D == 2 {
            self.moving.surface.edges().iter().copied().for_each(edge);
        }
        self.moving
            .surface
            .loose_edges()
            .iter()
            .map(|&e| self.moving.surface.edges()[e as usize])
            .for_each(edge);
        for &v in self.moving.surface.loose_vertices() {
            let [_, part] =
                divided::<VertexVertex, E, 2>(&[center, x(v)], &[center, y(v)], far, self.ccd.keep);
            self.lower(v, part);
        }
    }

    fn lower(&self, v: u32, part: f64) {
        if part < 1.0 {
            self.known[v as usize].fetch_min(part.to_bits(), Ordering::Relaxed);
        }
    }
}

/// The part of its way that each vertex of a pair may go, see the head of the file; `far` is the minimum distance in m.
fn divided<K: Between<D, N>, const D: usize, const N: usize>(
    start: &[Vector<D>; N],
    end: &[Vector<D>; N],
    far: f64,
    keep: f64,
) -> [f64; N] {
    with_motion(start, end, [0.0; N], |motion| {
        let slab = K::slab(&motion.start);
        let n = slab.normal;
        let room = slab.gap - motion.slack - far * motion.unit;
        // How high each vertex is, towards its own side, and how far it comes to the other one; scaled.
        let side = |i: usize| if i < K::SPLIT { 1.0 } else { -1.0 };
        let height: [f64; N] = std::array::from_fn(|i| side(i) * n.dot(motion.start[i]));
        let comes: [f64; N] = std::array::from_fn(|i| -side(i) * n.dot((end[i] - start[i]) * motion.unit));
        let most = |range: std::ops::Range<usize>| comes[range].iter().copied().fold(0.0, f64::max);
        let lowest =
            |range: std::ops::Range<usize>| height[range].iter().copied().fold(f64::INFINITY, f64::min);
        let (a, b) = (most(0..K::SPLIT), most(K::SPLIT..N));
        let low = [lowest(0..K::SPLIT), lowest(K::SPLIT..N)];
        let share = if a + b > 0.0 { a / (a + b) } else { 0.5 };
        std::array::from_fn(|i| {
            let (own, low) = if i < K::SPLIT { (share, low[0]) } else { (1.0 - share, low[1]) };
            let is_open = slab.gap > motion.slack;
            part_of(comes[i], own * (1.0 - keep) * room + (height[i] - low), room, is_open)
        })
    })
}

/// The part of its way by which a vertex comes no closer than `allowed`. Where there is no `room`, it may only go away from the
/// other side, and that only if the gap is open.
fn part_of(comes: f64, allowed: f64, room: f64, is_open: bool) -> f64 {
    if room.is_nan() || comes.is_nan() || allowed.is_nan() {
        0.0
    } else if room <= 0.0 {
        f64::from(u8::from(is_open && comes <= 0.0))
    } else if comes > allowed {
        (allowed / comes).clamp(0.0, 1.0)
    } else {
        1.0
    }
}
