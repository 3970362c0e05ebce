//! From contacts to slides.

use bytemuck::Zeroable;
use bytemuck::allocation::zeroed_vec;

use super::anisotropy::Axes;
use super::axis::{self, projected};
use super::coefficient::Coefficients;
use super::entry::Entry;
use super::grain;
use super::sides::{Sides, first_side};
use super::slide::{Detail, Slide, Slides};
use crate::barrier::kappa::StiffContacts;
use crate::barrier::{Barrier, BarrierPotential};
use crate::contact::{Contact, ObstacleContact, ParallelContact};
use crate::distance::Separation;
use crate::error::Result;
use crate::math::Vector;
use crate::mollifier;
use crate::stencil::{EDGE_EDGE, EdgeEdge, PairKind, Stencil, VertexEdge, VertexFace, VertexVertex};
use crate::threads;

/// Freezes normal force, sliding plane, closest points and coefficients of the barrier's contacts at positions `x`.
///
/// ```text
/// λ: see BarrierPotential::forces  [N]       n = r/|r|       c: weights of the closest points
/// ```
/// One slide for each contact, in the order of their kinds, but the nearly parallel ones behind the other edges. Nearly parallel
/// edges keep the friction that belongs to their mollified normal force, so it is continuous when edges turn. Coefficients of a matchstick
/// ellipse are those of its entry until [`Slides::refresh_anisotropy`]. \[Li2020\]
///
/// Where things touch or are inside each other there is neither a normal force nor a normal: those of such slides are not finite. See
/// [`Slides::is_finite`] and [`BarrierPotential::check_apart`].
///
/// Input of others is checked by [`check`] before.
///
/// # Panics
/// If `x`, the obstacles, or a list of the coefficients is shorter than the array that the contacts were built with.
pub fn lag<const D: usize, B: Barrier>(
    barrier: &BarrierPotential<'_, D, B>,
    x: &[Vector<D>],
    coefficients: &Coefficients<D>,
) -> Slides<D> {
    let mut slides = Slides::default();
    slides.refresh(barrier, x, coefficients);
    slides
}

/// Checks that the coefficients are possible and fit positions `x` of all vertices and the obstacles: then [`lag`] does not panic
/// because of them.
///
/// # Errors
/// As for [`Coefficients::check`].
pub fn check<const D: usize, B: Barrier>(
    barrier: &BarrierPotential<'_, D, B>,
    x: &[Vector<D>],
    coefficients: &Coefficients<D>,
) -> Result<()> {
    coefficients.check(x.len(), barrier.obstacles.len())
}

impl<const D: usize> Slides<D> {
    /// Whether all slides have normal forces and normals: not where things touch.
    pub fn is_finite(&self) -> bool {
        fn all<const D: usize, const N: usize>(slides: &[Slide<D, N>]) -> bool {
            slides.iter().all(|slide| slide.force.is_finite() && slide.normal.is_finite())
        }
        all(&self.vv) && all(&self.ve) && all(&self.ee) && all(&self.vf) && all(&self.obstacle)
    }

    /// What [`lag`] returns, in the memory of these slides: for the same contacts at other positions, or for other contacts.
    ///
    /// # Panics
    /// As [`lag`].
    pub fn refresh<B: Barrier>(
        &mut self,
        barrier: &BarrierPotential<'_, D, B>,
        x: &[Vector<D>],
        coefficients: &Coefficients<D>,
    ) {
        Freeze { barrier, x, coefficients: Some(coefficients) }.slides(self);
        self.details.clear();
        if coefficients.has_details() {
            Detailed { barrier, x, coefficients, grain: coefficients.grain_directions(x) }.add(self);
        }
    }

    /// Takes normal forces, planes, closest points and axes anew at positions `x`, of the contacts that the slides were lagged from;
    /// coefficients, directions of axes and velocities of obstacles stay.
    ///
    /// # Panics
    /// As [`lag`].
    pub(super) fn reshape<B: Barrier>(&mut self, barrier: &BarrierPotential<'_, D, B>, x: &[Vector<D>]) {
        Freeze { barrier, x, coefficients: None }.slides(self);
        let Self { vv, ve, ee, vf, obstacle, details } = self;
        turn(vv, details, x, None);
        turn(ve, details, x, VE_AXIS);
        turn(ee, details, x, EE_AXIS);
        turn(vf, details, x, VF_AXIS);
        turn(obstacle, details, x, None);
    }
}

/// The vertices of the edge along a contact's own first axis, by their places in its stencil; two vertices have none.
pub(super) const VE_AXIS: Option<[usize; 2]> = Some([1, 2]);

/// See [`VE_AXIS`].
pub(super) const EE_AXIS: Option<[usize; 2]> = Some([0, 1]);

/// See [`VE_AXIS`].
pub(super) const VF_AXIS: Option<[usize; 2]> = Some([1, 2]);

/// Turns the axes of slides with their contacts.
fn turn<const D: usize, const N: usize>(
    slides: &[Slide<D, N>],
    details: &mut [Detail<D>],
    x: &[Vector<D>],
    edge: Option<[usize; 2]>,
) {
    for slide in slides {
        let Some(detail) = details.get_mut(slide.detail as usize) else { continue };
        detail.axis = axis::first(detail.direction, edge_along(slide, x, edge), slide.normal);
    }
}

fn edge_along<const D: usize, const N: usize>(
    slide: &Slide<D, N>,
    x: &[Vector<D>],
    edge: Option<[usize; 2]>,
) -> Option<Vector<D>> {
    edge.map(|[from, to]| x[slide.stencil.0[to] as usize] - x[slide.stencil.0[from] as usize])
}

/// Slides whose closest points are found before their forces: the logarithm of one then waits for nothing of another.
const BLOCK: usize = 16;

/// Slides that a task handles.
const CHUNK: usize = 256;

/// A list of so many slides, which are yet to be filled in. New memory is touched by the threads that fill it in first.
fn resize<const D: usize, const N: usize>(out: &mut Vec<Slide<D, N>>, count: usize) {
    if out.capacity() < count {
        let kept = std::mem::replace(out, zeroed_vec(count));
        out[..kept.len()].copy_from_slice(&kept);
    } else {
        out.resize(count, Slide::zeroed());
    }
}

/// Fills in slides on threads: `write` those from a number on.
fn fill<const D: usize, const N: usize>(
    out: &mut [Slide<D, N>],
    write: &(dyn Fn(usize, &mut [Slide<D, N>]) + Sync),
) {
    let parts: Vec<_> = out.chunks_mut(CHUNK).collect();
    threads::for_each(parts, &|part, slides| write(part * CHUNK, slides));
}

/// Fills in slides from number `start` on, a few at a time: shapes, which return d², then forces given d².
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "separations fold with the constants of their pair only where they are inlined"
)]
fn write<const D: usize, const N: usize>(
    start: usize,
    slides: &mut [Slide<D, N>],
    shape: impl Fn(usize, &mut Slide<D, N>) -> f64,
    force: impl Fn(usize, f64) -> f64,
) {
    for (part, block) in slides.chunks_mut(BLOCK).enumerate() {
        let (at, mut d2) = (start + part * BLOCK, [0.0; BLOCK]);
        for (i, slide) in block.iter_mut().enumerate() {
            d2[i] = shape(at + i, slide);
        }
        for (i, slide) in block.iter_mut().enumerate() {
            slide.force = force(at + i, d2[i]);
        }
    }
}

/// What slides are made of.
#[derive(Clone, Copy)]
struct Freeze<'a, const D: usize, B> {
    barrier: &'a BarrierPotential<'a, D, B>,
    x: &'a [Vector<D>],
    /// Those of the slides stay where there are none.
    coefficients: Option<&'a Coefficients<D>>,
}

impl<const D: usize, B: Barrier> Freeze<'_, D, B> {
    /// All slides, without details.
    fn slides(&self, out: &mut Slides<D>) {
        let c = self.barrier.contacts;
        resize(&mut out.vv, c.vv.len());
        resize(&mut out.ve, c.ve.len());
        resize(&mut out.ee, c.ee.len() + c.parallel.len());
        resize(&mut out.vf, c.vf.len());
        resize(&mut out.obstacle, c.obstacle.len());
        let (edges, parallel) = out.ee.split_at_mut(c.ee.len());
        self.pairs::<VertexVertex, 2>(self.barrier.vv(), &mut out.vv);
        self.pairs::<VertexEdge, 3>(self.barrier.ve(), &mut out.ve);
        self.pairs::<EdgeEdge, 4>(self.barrier.ee(), edges);
        self.parallel(self.barrier.parallel(), parallel);
        self.pairs::<VertexFace, 4>(self.barrier.vf(), &mut out.vf);
        self.obstacles(self.barrier.obstacle(), &mut out.obstacle);
    }

    fn pairs<K: PairKind<N>, const N: usize>(
        &self,
        StiffContacts { contacts, kappa }: StiffContacts<'_, Contact<N>>,
        out: &mut [Slide<D, N>],
    ) {
        let law = &self.barrier.law;
        fill(out, &|start, slides| {
            let shape = |k: usize, slide: &mut Slide<D, N>| {
                let stencil = contacts[k].stencil;
                self.shape(stencil, &Separation::new(&K::PAIR, &stencil.gather(self.x)), slide)
            };
            let force = |k: usize, d2| kappa.at(k) * contacts[k].weight * law.force(d2);
            write(start, slides, shape, force);
            self.set_mu(slides, first_side(&K::PAIR));
        });
    }

    fn parallel(
        &self,
        StiffContacts { contacts, kappa }: StiffContacts<'_, ParallelContact>,
        out: &mut [Slide<D, 4>],
    ) {
        fill(out, &|start, slides| {
            let shape = |k: usize, slide: &mut Slide<D, 4>| {
                let stencil = contacts[k].contact.stencil;
                self.shape(stencil, &Separation::new(&contacts[k].pair(), &stencil.gather(self.x)), slide)
            };
            let force = |k: usize, d2| {
                let ParallelContact { contact, threshold, .. } = &contacts[k];
                let m =
                    mollifier::value(mollifier::cross_squared(&contact.stencil.gather(self.x)), *threshold);
                kappa.at(k) * contact.weight * m * self.barrier.law.force(d2)
            };
            write(start, slides, shape, force);
            self.set_mu(slides, first_side(&EDGE_EDGE));
        });
    }

    fn obstacles(
        &self,
        StiffContacts { contacts, kappa }: StiffContacts<'_, ObstacleContact>,
        out: &mut [Slide<D, 1>],
    ) {
        fill(out, &|start, slides| {
            let shape = |k: usize, slide: &mut Slide<D, 1>| {
                let ObstacleContact { stencil, obstacle, .. } = contacts[k];
                let (solid, x) = (&self.barrier.obstacles[obstacle as usize], self.x[stencil.0[0] as usize]);
                (slide.stencil, slide.c, slide.normal) = (stencil, [1.0], solid.normal(x));
                if let Some(coefficients) = self.coefficients {
                    slide.detail = Slide::<D, 1>::PLAIN;
                    (slide.mu, _) = coefficients.of_obstacle(stencil.0[0], obstacle);
                }
                let d = solid.distance(x);
                // Inside there is no normal force.
                if d > 0.0 { d * d } else { f64::NAN }
            };
            let force = |k: usize, d2| kappa.at(k) * contacts[k].weight * self.barrier.law.force(d2);
            write(start, slides, shape, force);
        });
    }

    /// Vertices, weights and normal of a slide, with the coefficients of the default. Returns d².
    #[inline]
    fn shape<const N: usize>(
        &self,
        stencil: Stencil<N>,
        separation: &Separation<D, N>,
        slide: &mut Slide<D, N>,
    ) -> f64 {
        (slide.stencil, slide.c, slide.normal) = (stencil, separation.c, separation.normal());
        if let Some(coefficients) = self.coefficients {
            (slide.detail, slide.mu) = (Slide::<D, N>::PLAIN, coefficients.default.mu);
        }
        separation.distance_squared()
    }

    /// Coefficients of slides between two primitives, unless they are those of the default.
    #[inline]
    fn set_mu<const N: usize>(&self, slides: &mut [Slide<D, N>], first: usize) {
        let Some(coefficients) = self.coefficients.filter(|coefficients| coefficients.same().is_none())
        else {
            return;
        };
        for slide in slides {
            (slide.mu, _) = coefficients.of_pair(&sides(slide, first));
        }
    }
}

#[inline]
fn sides<const D: usize, const N: usize>(slide: &Slide<D, N>, first: usize) -> Sides<N> {
    Sides { vertices: slide.stencil.0, c: slide.c, first }
}

/// What slides with axes or on moving obstacles are made of.
struct Detailed<'a, const D: usize, B> {
    barrier: &'a BarrierPotential<'a, D, B>,
    x: &'a [Vector<D>],
    coefficients: &'a Coefficients<D>,
    /// Directions of the grain at the vertices; empty where nobody asks.
    grain: Vec<Vector<D>>,
}

impl<const D: usize, B: Barrier> Detailed<'_, D, B> {
    fn add(&self, slides: &mut Slides<D>) {
        let Slides { vv, ve, ee, vf, obstacle, details } = slides;
        if self.coefficients.has_axes() {
            number(vv, details, &|_, slide| self.of_pair(slide, 1, None));
            number(ve, details, &|_, slide| self.of_pair(slide, 1, VE_AXIS));
            number(ee, details, &|_, slide| self.of_pair(slide, 2, EE_AXIS));
            number(vf, details, &|_, slide| self.of_pair(slide, 1, VF_AXIS));
        }
        number(obstacle, details, &|k, slide| self.of_obstacle(k, slide));
    }

    fn of_obstacle(&self, k: usize, slide: &Slide<D, 1>) -> Option<Detail<D>> {
        let Self { barrier, x, coefficients, .. } = *self;
        let (vertex, obstacle) = (slide.stencil.0[0], barrier.contacts.obstacle[k].obstacle);
        let (_, entry) = coefficients.of_obstacle(vertex, obstacle);
        let x = x[vertex as usize];
        let touched = x - slide.normal * barrier.obstacles[obstacle as usize].distance(x);
        let motion = coefficients.obstacle_velocities.get(obstacle as usize);
        let drift = motion.map_or(Vector::ZERO, |motion| motion.at(touched));
        if drift == Vector::ZERO && !entry.anisotropy.has_axes::<D>() {
            return None;
        }
        let direction = self.direction(entry, &sides(slide, 1));
        Some(detail(slide, entry, direction, None, drift))
    }

    fn of_pair<const N: usize>(
        &self,
        slide: &Slide<D, N>,
        first: usize,
        edge: Option<[usize; 2]>,
    ) -> Option<Detail<D>> {
        let sides = sides(slide, first);
        let entry = self.coefficients.entry_of_pair(&sides);
        if !entry.anisotropy.has_axes::<D>() {
            return None;
        }
        let along = edge_along(slide, self.x, edge);
        Some(detail(slide, entry, self.direction(entry, &sides), along, Vector::ZERO))
    }

    fn direction<const N: usize>(&self, entry: &Entry<D>, sides: &Sides<N>) -> Option<Vector<D>> {
        match entry.axes {
            Axes::Contact => None,
            Axes::World(direction) => Some(direction),
            Axes::Grain if self.grain.is_empty() => None,
            Axes::Grain => grain::at_contact(sides, &self.grain),
        }
    }
}

/// The detail of a slide whose axis is `direction`, or `along` the contact where that is missing or along the normal.
fn detail<const D: usize, const N: usize>(
    slide: &Slide<D, N>,
    entry: &Entry<D>,
    direction: Option<Vector<D>>,
    along: Option<Vector<D>>,
    drift: Vector<D>,
) -> Detail<D> {
    let direction = direction.filter(|direction| projected(*direction, slide.normal).is_some());
    let [ellipse_s, ellipse_k] = if D == 2 { [[0.0; 2]; 2] } else { entry.anisotropy.ellipses() };
    Detail {
        drift,
        axis: axis::first(direction, along, slide.normal),
        direction,
        scaling: entry.anisotropy.scaling(),
        ellipse_s,
        ellipse_k,
        mu: slide.mu,
    }
}

/// Adds the details of the slides that have some, and tells the slides.
fn number<const D: usize, const N: usize>(
    slides: &mut [Slide<D, N>],
    details: &mut Vec<Detail<D>>,
    of: &(dyn Fn(usize, &Slide<D, N>) -> Option<Detail<D>> + Sync),
) {
    let found = threads::in_chunks(slides.len(), &|range| {
        let mut found = Vec::new();
        for k in range.clone() {
            if let Some(detail) = of(k, &slides[k]) {
                // Mostly all of them or none.
                found.reserve(if found.is_empty() { range.end - k } else { 0 });
                found.push((k, detail));
            }
        }
        found
    });
    details.reserve(found.iter().map(Vec::len).sum());
    for (k, detail) in found.into_iter().flatten() {
        slides[k].detail = details.len() as u32;
        details.push(detail);
    }
}
