//! How friction forces change with positions at rest through the weights of contacts.
//!
//! Weights are sums of areas. Forces by areas are added up first, since contacts share areas, and only then multiplied by how each
//! area changes.

use super::grip::Grip;
use super::{Kind, LaggedForce};
use crate::barrier::Barrier;
use crate::blocks::Entry;
use crate::contact::sources::Shares;
use crate::contact::{AreaShare, Contact, WeightSources};
use crate::friction::law::FrictionLaw;
use crate::friction::slide::Slide;
use crate::math::Vector;
use crate::mesh::Surface;
use crate::stencil::{EdgeEdge, PairKind, VertexEdge, VertexFace, VertexVertex};
use crate::threads;

/// The derivative of the force on a vertex by an area: number of the area (vertices, then edges), vertex, and force by area.
type Term<const D: usize> = (u32, u32, Vector<D>);

/// The areas that contacts of one kind weigh.
#[derive(Clone, Copy)]
struct Areas<'a> {
    shares: &'a Shares,
    /// How many vertices come before the edges.
    vertices: usize,
}

/// Areas that a task handles.
const AREAS: usize = 256;

impl<const D: usize, B: Barrier, L: FrictionLaw> LaggedForce<'_, D, B, L> {
    /// What the weights add, with several entries at the same places.
    pub(super) fn by_weights(
        &self,
        surface: &Surface<D>,
        sources: &WeightSources,
        x: &[Vector<D>],
        v: &[Vector<D>],
    ) -> Vec<Entry<D>> {
        let (parallel, obstacles) = (self.parallel(), self.obstacles());
        let of = |shares| Areas { shares, vertices: surface.rest().len() };
        let mut out = self.pair_weights::<VertexVertex, 2>(&self.vv(), of(&sources.vv), x, v);
        out.extend(self.pair_weights::<VertexEdge, 3>(&self.ve(), of(&sources.ve), x, v));
        out.extend(self.pair_weights::<EdgeEdge, 4>(&self.ee(), of(&sources.ee), x, v));
        out.extend(self.pair_weights::<VertexFace, 4>(&self.vf(), of(&sources.vf), x, v));
        out.extend(weighted(parallel.slides, of(&sources.parallel), |k, slide| {
            let grip = self.parallel_grip(k, &slide.stencil.gather(x));
            self.by_weight(slide, &grip, self.axis(&parallel, slide, &grip, x).t, v)
        }));
        out.extend(weighted(obstacles.slides, of(&sources.obstacle), |k, slide| {
            let grip = self.obstacle_grip(k, x);
            self.by_weight(slide, &grip, self.axis(&obstacles, slide, &grip, x).t, v)
        }));
        spread(surface, &out)
    }

    fn pair_weights<K: PairKind<N>, const N: usize>(
        &self,
        kind: &Kind<'_, Contact<N>, D, N>,
        areas: Areas<'_>,
        x: &[Vector<D>],
        v: &[Vector<D>],
    ) -> Vec<Term<D>> {
        weighted(kind.slides, areas, |k, slide| {
            let grip = self.pair_grip::<K, N>(kind, k, &slide.stencil.gather(x));
            self.by_weight(slide, &grip, self.axis(kind, slide, &grip, x).t, v)
        })
    }

    /// The forces of a slide with axis `t` by its weight.
    fn by_weight<const N: usize>(
        &self,
        slide: &Slide<D, N>,
        grip: &Grip<D, N>,
        t: Vector<D>,
        v: &[Vector<D>],
    ) -> [Vector<D>; N] {
        self.sliding(slide).by_weight(grip, t, &slide.stencil.gather(v))
    }
}

/// The terms of all slides of one kind, in their order, given how their forces change with their weights.
fn weighted<const D: usize, const N: usize>(
    slides: &[Slide<D, N>],
    Areas { shares, vertices }: Areas<'_>,
    by_weight: impl Fn(usize, &Slide<D, N>) -> [Vector<D>; N] + Sync,
) -> Vec<Term<D>> {
    if shares.is_empty() {
        return Vec::new();
    }
    threads::collect(slides.len(), &|range| {
        let mut out = Vec::with_capacity(2 * N * range.len());
        for k in range {
            let (stencil, forces) = (slides[k].stencil, by_weight(k, &slides[k]));
            for share in shares.of(k) {
                let (area, factor) = match *share {
                    AreaShare::Vertex(v, factor) => (v, factor),
                    AreaShare::Edge(e, factor) => (vertices as u32 + e, factor),
                };
                out.extend((0..N).map(|i| (area, stencil.0[i], forces[i] * factor)));
            }
        }
        out
    })
}

/// The terms of each area one behind the other, in their order, and where those of each area end.
fn by_area<const D: usize>(count: usize, terms: &[Term<D>]) -> (Vec<usize>, Vec<(u32, Vector<D>)>) {
    let mut ends = vec![0; count];
    for (area, _, _) in terms {
        ends[*area as usize] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        (*end, sum) = (sum, sum + *end);
    }
    let mut out = vec![(0, Vector::ZERO); terms.len()];
    for &(area, vertex, force) in terms {
        let end = &mut ends[area as usize];
        out[*end] = (vertex, force);
        *end += 1;
    }
    (ends, out)
}

/// Entries of the matrix: forces by areas times areas by positions at rest.
fn spread<const D: usize>(surface: &Surface<D>, terms: &[Term<D>]) -> Vec<Entry<D>> {
    if terms.is_empty() {
        return Vec::new();
    }
    let vertices = surface.rest().len();
    let (ends, mut terms) = by_area(vertices + surface.edges().len(), terms);
    let (mut parts, mut rest, mut done) = (Vec::new(), &mut terms[..], 0);
    for (number, ends) in ends.chunks(AREAS).enumerate() {
        let end = ends[ends.len() - 1];
        let (own, others) = rest.split_at_mut(end - done);
        parts.push((number * AREAS, done, ends, own, Vec::new()));
        (rest, done) = (others, end);
    }
    let work: Vec<_> = parts.iter_mut().collect();
    threads::for_each(work, &|_, (first, start, ends, terms, out)| {
        let mut from = 0;
        for (k, end) in ends.iter().enumerate() {
            let own = &mut terms[from..end - *start];
            spread_area(surface, *first + k, own, out);
            from = end - *start;
        }
    });
    parts.into_iter().flat_map(|(.., out)| out).collect()
}

fn spread_area<const D: usize>(
    surface: &Surface<D>,
    area: usize,
    terms: &mut [(u32, Vector<D>)],
    out: &mut Vec<Entry<D>>,
) {
    if terms.is_empty() {
        return;
    }
    let vertices = surface.rest().len();
    let gradient = if area < vertices {
        surface.vertex_area_gradient(area as u32)
    } else {
        surface.edge_area_gradient((area - vertices) as u32)
    };
    // Stable: forces on the same vertex stay in their order.
    terms.sort_by_key(|(vertex, _)| *vertex);
    for same in terms.chunk_by(|a, b| a.0 == b.0) {
        let force = same[1..].iter().fold(same[0].1, |sum, (_, force)| sum + *force);
        out.extend(gradient.iter().map(|(v, slope)| (same[0].0, *v, force.outer(*slope))));
    }
}
