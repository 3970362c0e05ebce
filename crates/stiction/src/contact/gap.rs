//! How close things are: true distances in m, not squared.

use super::{AnyContact, ContactKey, Contacts, PerContact};
use crate::broad_phase::Candidates;
use crate::closest;
use crate::distance::Separation;
use crate::error::{Error, Result};
use crate::math::Vector;
use crate::mesh::Surface;
use crate::obstacle::Obstacle;
use crate::stencil::{EdgeEdge, PairKind, Stencil, VertexEdge, VertexFace, VertexVertex};
use crate::threads;

/// Two things that may touch, named as their contact would be.
pub type ClosePair = ContactKey;

/// The smallest distance among all candidates, however large, and among the surface's vertices and the obstacles, at
/// positions `x`: in m, with the first pair that has it. Negative inside an obstacle. `None` if there is no pair.
///
/// ```
/// use stiction::broad_phase::BroadPhaseKind;
/// use stiction::contact::smallest_distance;
/// use stiction::math::Vector;
/// use stiction::mesh::Surface;
///
/// let x = vec![Vector([0.0, 0.0]), Vector([1.0, 0.0]), Vector([0.5, 0.25]), Vector([0.5, 1.0])];
/// let surface = Surface::new(x.clone(), vec![[0, 1], [2, 3]], vec![])?;
/// let candidates = BroadPhaseKind::default().candidates(&surface, &x, &x, 0.5);
/// let (distance, pair) = smallest_distance(&surface, &candidates, &[], &x).unwrap();
/// assert_eq!(format!("{distance} m between {pair}"), "0.25 m between vertex 2 and edge 0");
/// # Ok::<(), stiction::error::Error>(())
/// ```
///
/// # Panics
/// If `x` is shorter than the surface's vertex array, or a candidate names what the surface does not have.
pub fn smallest_distance<const D: usize>(
    surface: &Surface<D>,
    candidates: &Candidates,
    obstacles: &[Obstacle<D>],
    x: &[Vector<D>],
) -> Option<(f64, ClosePair)> {
    let edge = |e: u32| surface.edges()[e as usize].map(|v| x[v as usize]);
    let face = |f: u32| surface.faces()[f as usize].map(|v| x[v as usize]);
    let of_pairs = [
        least(&candidates.vv, |v, w| (x[v as usize] - x[w as usize]).norm_squared(), ClosePair::VertexVertex),
        least(
            &candidates.ve,
            |v, e| closest::vertex_edge(x[v as usize], edge(e)[0], edge(e)[1]).1,
            ClosePair::VertexEdge,
        ),
        least(&candidates.ee, |e, f| closest::edge_edge(edge(e), edge(f)).1, ClosePair::EdgeEdge),
        least(&candidates.vf, |v, f| closest::vertex_face(x[v as usize], face(f)).1, ClosePair::VertexFace),
    ];
    let of_pairs = first_least(of_pairs.into_iter().flatten()).map(|(d2, pair)| (d2.sqrt(), pair));
    first_least(of_pairs.into_iter().chain(least_of_obstacles(surface, obstacles, x)))
}

/// The smallest value with the first pair that has it; NaN is never smaller.
fn first_least(values: impl Iterator<Item = (f64, ClosePair)>) -> Option<(f64, ClosePair)> {
    values.reduce(|best, other| if other.0 < best.0 || best.0.is_nan() { other } else { best })
}

fn least(
    pairs: &[(u32, u32)],
    distance2: impl Fn(u32, u32) -> f64 + Sync,
    name: fn(u32, u32) -> ClosePair,
) -> Option<(f64, ClosePair)> {
    let of_range = |range: std::ops::Range<usize>| {
        first_least(pairs[range].iter().map(|&(a, b)| (distance2(a, b), name(a, b))))
    };
    first_least(threads::in_chunks(pairs.len(), &of_range).into_iter().flatten())
}

fn least_of_obstacles<const D: usize>(
    surface: &Surface<D>,
    obstacles: &[Obstacle<D>],
    x: &[Vector<D>],
) -> Option<(f64, ClosePair)> {
    let of_vertex = |v: u32| {
        let distances = obstacles.iter().map(move |obstacle| obstacle.distance(x[v as usize]));
        distances.zip(0..).map(move |(d, index)| (d, ClosePair::VertexObstacle(v, index)))
    };
    let vertices = surface.vertices();
    let of_range =
        |range: std::ops::Range<usize>| first_least(vertices[range].iter().flat_map(|v| of_vertex(*v)));
    first_least(threads::in_chunks(vertices.len(), &of_range).into_iter().flatten())
}

impl Contacts {
    /// The smallest distance of a contact at positions `x`, in m; infinite without contacts. Negative inside an obstacle.
    ///
    /// # Panics
    /// If `x` or `obstacles` is not the array that the contacts were built with.
    pub fn smallest_gap<const D: usize>(&self, x: &[Vector<D>], obstacles: &[Obstacle<D>]) -> f64 {
        let squared = [
            smallest(self.vv.len(), |k| squared::<VertexVertex, D, 2>(self.vv[k].stencil, x)),
            smallest(self.ve.len(), |k| squared::<VertexEdge, D, 3>(self.ve[k].stencil, x)),
            smallest(self.ee.len(), |k| squared::<EdgeEdge, D, 4>(self.ee[k].stencil, x)),
            smallest(self.vf.len(), |k| squared::<VertexFace, D, 4>(self.vf[k].stencil, x)),
            smallest(self.parallel.len(), |k| {
                let c = &self.parallel[k];
                Separation::new(&c.pair(), &c.contact.stencil.gather(x)).distance_squared()
            }),
        ];
        let of_pairs = squared.into_iter().fold(f64::INFINITY, f64::min).sqrt();
        of_pairs.min(smallest(self.obstacle.len(), |k| {
            let c = &self.obstacle[k];
            obstacles[c.obstacle as usize].distance(x[c.stencil.0[0] as usize])
        }))
    }
}

impl Contacts {
    /// Checks that all contacts are further apart than `limit`, in m, at positions `x`: derivatives of a barrier exist beyond
    /// its minimum distance, normals of friction beyond 0.
    ///
    /// # Errors
    /// If a contact is not, or its distance is no number, with the first such.
    ///
    /// # Panics
    /// If `x` or `obstacles` is not the array that the contacts were built with.
    pub fn check_apart<const D: usize>(
        &self,
        x: &[Vector<D>],
        obstacles: &[Obstacle<D>],
        limit: f64,
    ) -> Result<()> {
        if self.smallest_gap(x, obstacles) > limit {
            return Ok(());
        }
        let distances = self.distances(x, obstacles);
        let (mut rest, mut first) = (distances.iter(), None);
        self.for_each(|contact| {
            let wrong = rest.next().filter(|d| d.is_nan() || **d <= limit);
            first = first.or(wrong.map(|&distance| (contact, distance)));
        });
        match first {
            Some((contact, distance)) => Err(Error::TooClose { pair: named(contact), distance, limit }),
            None => Ok(()),
        }
    }
}

/// A contact by the vertices of its primitives.
fn named(contact: AnyContact<'_>) -> String {
    let [first, second] = contact.primitives();
    match contact {
        AnyContact::Obstacle(c) => format!("{} and obstacle {}", primitive(first), c.obstacle),
        _ => format!("{} and {}", primitive(first), primitive(second)),
    }
}

fn primitive(vertices: &[u32]) -> String {
    match vertices {
        [vertex] => format!("vertex {vertex}"),
        [a, b] => format!("edge ({a}, {b})"),
        others => format!("face {}", format!("{others:?}").replace('[', "(").replace(']', ")")),
    }
}

impl Contacts {
    /// The distance of every contact at positions `x`, in m; negative inside an obstacle.
    ///
    /// # Panics
    /// If `x` or `obstacles` is not the array that the contacts were built with.
    pub fn distances<const D: usize>(&self, x: &[Vector<D>], obstacles: &[Obstacle<D>]) -> PerContact<f64> {
        PerContact {
            vv: each(&self.vv, |c| squared::<VertexVertex, D, 2>(c.stencil, x).sqrt()),
            ve: each(&self.ve, |c| squared::<VertexEdge, D, 3>(c.stencil, x).sqrt()),
            ee: each(&self.ee, |c| squared::<EdgeEdge, D, 4>(c.stencil, x).sqrt()),
            vf: each(&self.vf, |c| squared::<VertexFace, D, 4>(c.stencil, x).sqrt()),
            parallel: each(&self.parallel, |c| {
                Separation::new(&c.pair(), &c.contact.stencil.gather(x)).distance_squared().sqrt()
            }),
            obstacle: each(&self.obstacle, |c| {
                obstacles[c.obstacle as usize].distance(x[c.stencil.0[0] as usize])
            }),
        }
    }
}

fn each<T: Sync>(contacts: &[T], f: impl Fn(&T) -> f64 + Sync) -> Vec<f64> {
    threads::collect(contacts.len(), &|range| contacts[range].iter().map(&f).collect())
}

/// The smallest of `f(0)` to `f(count − 1)`; infinite without any.
fn smallest(count: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let of_range = |range: std::ops::Range<usize>| range.map(&f).fold(f64::INFINITY, f64::min);
    threads::in_chunks(count, &of_range).into_iter().fold(f64::INFINITY, f64::min)
}

fn squared<K: PairKind<N>, const D: usize, const N: usize>(stencil: Stencil<N>, x: &[Vector<D>]) -> f64 {
    Separation::new(&K::PAIR, &stencil.gather(x)).distance_squared()
}
