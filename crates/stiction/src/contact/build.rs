//! From candidates to contacts.

use super::{Contact, Contacts, ObstacleContact, ParallelContact, Selection};
use crate::broad_phase::Candidates;
use crate::closest::{self, EdgePart, FacePart};
use crate::math::Vector;
use crate::mesh::Surface;
use crate::mollifier;
use crate::obstacle::Obstacle;
use crate::stencil::Stencil;
use crate::threads;

/// What a close pair of primitives comes down to.
enum Reduced {
    Vv([u32; 2]),
    Ve([u32; 3]),
    Ee([u32; 4]),
    Vf([u32; 4]),
    Parallel(ParallelContact),
}

impl Contacts {
    /// The contacts among the candidates that `selection` picks at positions `x`, and those of the surface's
    /// vertices with the obstacles.
    ///
    /// # Panics
    /// If `x` is shorter than the surface's vertex array.
    pub fn build<const D: usize>(
        surface: &Surface<D>,
        candidates: &Candidates,
        obstacles: &[Obstacle<D>],
        x: &[Vector<D>],
        selection: &Selection,
    ) -> Self {
        let dhat = selection.reach;
        let dhat2 = dhat * dhat;
        let (edges, faces) = (surface.edges(), surface.faces());
        let vv = reduce(&candidates.vv, |&(v, w)| {
            let d2 = (x[v as usize] - x[w as usize]).norm_squared();
            (d2 < dhat2).then_some(Reduced::Vv([v, w]))
        });
        let ve = reduce(&candidates.ve, |&(v, e)| vertex_edge(v, edges[e as usize], x, dhat2));
        let ee = reduce(&candidates.ee, |&(e, f)| {
            edge_edge(edges[e as usize], edges[f as usize], x, surface.rest(), dhat2)
        });
        let vf = reduce(&candidates.vf, |&(v, f)| vertex_face(v, faces[f as usize], x, dhat2));
        let mut contacts = collect(vv.into_iter().chain(ve).chain(ee).chain(vf));
        contacts.obstacle = near_obstacles(surface.vertices(), obstacles, x, dhat);
        contacts
    }
}

fn reduce<T: Sync>(items: &[T], f: impl Fn(&T) -> Option<Reduced> + Sync) -> Vec<Reduced> {
    threads::collect(items.len(), &|range| items[range].iter().filter_map(&f).collect())
}

fn vertex_edge<const D: usize>(v: u32, edge: [u32; 2], x: &[Vector<D>], dhat2: f64) -> Option<Reduced> {
    let [p, a, b] = Stencil([v, edge[0], edge[1]]).gather(x);
    let (part, d2) = closest::vertex_edge(p, a, b);
    (d2 < dhat2).then(|| vertex_edge_part(v, edge, part))
}

fn vertex_edge_part(v: u32, edge: [u32; 2], part: EdgePart) -> Reduced {
    match part {
        EdgePart::Start => Reduced::Vv([v, edge[0]]),
        EdgePart::End => Reduced::Vv([v, edge[1]]),
        EdgePart::Inside => Reduced::Ve([v, edge[0], edge[1]]),
    }
}

fn vertex_face<const D: usize>(v: u32, face: [u32; 3], x: &[Vector<D>], dhat2: f64) -> Option<Reduced> {
    let (part, d2) = closest::vertex_face(x[v as usize], Stencil(face).gather(x));
    (d2 < dhat2).then(|| match part {
        FacePart::Vertex(k) => Reduced::Vv([v, face[k]]),
        FacePart::Edge(k) => Reduced::Ve([v, face[k], face[(k + 1) % 3]]),
        FacePart::Inside => Reduced::Vf([v, face[0], face[1], face[2]]),
    })
}

fn edge_edge<const D: usize>(
    a: [u32; 2],
    b: [u32; 2],
    x: &[Vector<D>],
    rest: &[Vector<D>],
    dhat2: f64,
) -> Option<Reduced> {
    let vertices = [a[0], a[1], b[0], b[1]];
    let stencil = Stencil(vertices);
    let positions = stencil.gather(x);
    let (parts, d2) = closest::edge_edge([positions[0], positions[1]], [positions[2], positions[3]]);
    if d2 >= dhat2 {
        return None;
    }
    let threshold = mollifier::threshold(&stencil.gather(rest));
    if mollifier::cross_squared(&positions) < threshold {
        let contact = Contact { stencil, weight: 1.0 };
        return Some(Reduced::Parallel(ParallelContact { contact, parts, threshold }));
    }
    let end = |edge: [u32; 2], part| if part == EdgePart::Start { edge[0] } else { edge[1] };
    Some(match parts {
        (EdgePart::Inside, EdgePart::Inside) => Reduced::Ee(vertices),
        (EdgePart::Inside, part) => Reduced::Ve([end(b, part), a[0], a[1]]),
        (part, other) => vertex_edge_part(end(a, part), b, other),
    })
}

/// Sorts into kinds, puts equal pairs into one form, merges them.
fn collect(reduced: impl Iterator<Item = Reduced>) -> Contacts {
    let (mut vv, mut ve, mut ee, mut vf) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut parallel = Vec::new();
    for pair in reduced {
        match pair {
            Reduced::Vv([a, b]) => vv.push([a.min(b), a.max(b)]),
            Reduced::Ve([v, a, b]) => ve.push([v, a.min(b), a.max(b)]),
            Reduced::Ee(stencil) => ee.push(stencil),
            Reduced::Vf(stencil) => vf.push(stencil),
            Reduced::Parallel(contact) => parallel.push(contact),
        }
    }
    parallel.sort_by_key(|c| c.contact.stencil);
    Contacts { vv: merge(vv), ve: merge(ve), ee: merge(ee), vf: merge(vf), parallel, obstacle: Vec::new() }
}

fn merge<const N: usize>(mut stencils: Vec<[u32; N]>) -> Vec<Contact<N>> {
    stencils.sort_unstable();
    stencils
        .chunk_by(|a, b| a == b)
        .map(|same| Contact { stencil: Stencil(same[0]), weight: same.len() as f64 })
        .collect()
}

fn near_obstacles<const D: usize>(
    vertices: &[u32],
    obstacles: &[Obstacle<D>],
    x: &[Vector<D>],
    dhat: f64,
) -> Vec<ObstacleContact> {
    let mut contacts = Vec::new();
    for &v in vertices {
        for (index, obstacle) in obstacles.iter().enumerate() {
            if obstacle.distance(x[v as usize]) < dhat {
                contacts.push(ObstacleContact { stencil: Stencil([v]), obstacle: index as u32, weight: 1.0 });
            }
        }
    }
    contacts
}
