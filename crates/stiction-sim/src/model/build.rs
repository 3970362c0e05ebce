//! From bodies to the arrays of a model.

use std::collections::BTreeSet;

use stiction::barrier::policy::Softness;
use stiction::contact::Weighting;
use stiction::linear_map::LinearMap;
use stiction::math::Vector;
use stiction::mesh::surface::check_indices;
use stiction::mesh::{Filter, Mixed, Surface, VertexFilter, boundary};

use super::{Body, Motion, Part};
use crate::boundary::{Boundary, Trajectory};
use crate::energy::Rayleigh;
use crate::error::{Error, Result};
use crate::load::Loads;
use crate::mass::{MassMatrix, MassPair};

/// Checks all but the sizes of elements.
pub(super) fn check_bodies<const D: usize>(bodies: &[Body<D>]) -> Result<()> {
    let check = |(i, body): (usize, &Body<D>)| body.check(i).map_err(|error| error.in_body(&body.name));
    bodies.iter().enumerate().try_for_each(check)
}

/// Where each body is in the model: one behind the other.
pub(super) fn parts<const D: usize>(bodies: &[Body<D>]) -> Vec<Part> {
    let (mut node, mut vertex) = (0, 0);
    let mut part = |body: &Body<D>| {
        let nodes = node..node + body.vertices.len();
        let vertices = vertex..vertex + surface_vertices(body).len();
        (node, vertex) = (nodes.end, vertices.end);
        let motions = motions(body, nodes.start);
        let (name, embedded, is_static) = (body.name.clone(), body.skin.is_some(), body.is_static);
        let material = if is_static { String::new() } else { body.material.kind.name().to_owned() };
        Part { name, nodes, vertices, embedded, is_static, material, width: width(body), motions }
    };
    bodies.iter().map(&mut part).collect()
}

/// The prescribed motions of a body whose nodes begin with the `first` in the model.
fn motions<const D: usize>(body: &Body<D>, first: usize) -> Vec<Motion> {
    let mut counts = [0, 0];
    let mut motion = |(list, trajectory): &(Vec<u32>, Trajectory<D>)| {
        let moves = usize::from(*trajectory != Trajectory::default());
        counts[moves] += 1;
        let name = format!("{}{}", ["fixed", "motion"][moves], counts[moves]);
        Motion { name, nodes: numbered(list, first) }
    };
    let mut motions: Vec<Motion> = body.prescribed.iter().map(&mut motion).collect();
    // The later prescription of a node wins, so each node counts once.
    let mut taken = BTreeSet::new();
    for motion in motions.iter_mut().rev() {
        motion.nodes.retain(|node| taken.insert(*node));
    }
    motions
}

/// Nodes of a body, ascending, by their number in the model.
fn numbered(nodes: &[u32], first: usize) -> Vec<u32> {
    let mut out: Vec<u32> = nodes.iter().map(|node| node.saturating_add(first as u32)).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// How wide a line of the surface is, in m. Static lines in 3D have no radius, and no area.
fn width<const D: usize>(body: &Body<D>) -> f64 {
    if D == 2 && (body.is_static || !body.triangles.is_empty()) { body.thickness } else { 2.0 * body.radius }
}

/// The vertices that touch and are drawn: all of a body, or those of its skin.
pub(super) fn surface_vertices<const D: usize>(body: &Body<D>) -> &[Vector<D>] {
    body.skin.as_ref().map_or(&body.vertices, |skin| &skin.vertices)
}

/// How nodes move the vertices of the surface; nothing where every vertex is a node.
pub(super) fn map<const D: usize>(bodies: &[Body<D>], parts: &[Part]) -> Result<Option<LinearMap>> {
    if bodies.iter().all(|body| body.skin.is_none()) {
        return Ok(None);
    }
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for (body, part) in bodies.iter().zip(parts) {
        let rows = match &body.skin {
            Some(skin) => skin.weights(body)?,
            None => (0..body.vertices.len() as u32).map(|node| vec![(node, 1.0)]).collect(),
        };
        for row in rows {
            columns.extend(row.iter().map(|(node, _)| node + part.nodes.start as u32));
            values.extend(row.iter().map(|(_, weight)| weight));
            offsets.push(columns.len());
        }
    }
    let nodes = parts.last().map_or(0, |part| part.nodes.end);
    Ok(Some(LinearMap::new(nodes, offsets, columns, values)?))
}

/// For every vertex of the surface whether none of the nodes that move it is `free`.
pub(super) fn driven(free: &[bool], map: Option<&LinearMap>) -> Vec<bool> {
    let Some(map) = map else { return free.iter().map(|free| !free).collect() };
    (0..map.vertices()).map(|v| map.row(v).all(|(node, _)| !free[node])).collect()
}

/// What damps nodes of these masses.
pub(super) fn rayleigh<const D: usize>(bodies: &[Body<D>], parts: &[Part], mass: &MassMatrix) -> Rayleigh {
    let of_vertices = |of: fn(&Body<D>) -> f64| -> Vec<f64> {
        if bodies.iter().all(|body| of(body) == 0.0) {
            return Vec::new();
        }
        bodies.iter().zip(parts).flat_map(|(body, part)| part.nodes.clone().map(move |_| of(body))).collect()
    };
    // Fixed shapes have nothing to damp, whatever they say.
    let alpha = of_vertices(|body| if body.is_static { 0.0 } else { body.damping.mass });
    Rayleigh {
        drag: mass.times(&alpha),
        beta: of_vertices(|body| if body.is_static { 0.0 } else { body.damping.stiffness }),
    }
}

/// What bodies are made of, by the model's numbers.
pub(super) fn cells<const D: usize>(bodies: &[Body<D>], parts: &[Part]) -> Mixed {
    let mut cells = Mixed::default();
    for (body, part) in bodies.iter().zip(parts) {
        if let Some(skin) = &body.skin {
            cells.triangles.extend(part.vertices_of(&skin.triangles));
            cells.edges.extend(part.vertices_of(&skin.edges));
            continue;
        }
        cells.tetrahedra.extend(part.vertices_of(&body.tetrahedra));
        cells.triangles.extend(part.vertices_of(&body.triangles));
        cells.edges.extend(part.vertices_of(&body.edges));
    }
    cells
}

/// What can touch: the boundaries of solids, sheets and rods. Fixed shapes do not touch themselves.
pub(super) fn surface<const D: usize>(
    bodies: &[Body<D>],
    parts: &[Part],
    rest: Vec<Vector<D>>,
) -> Result<Surface<D>> {
    let (mut edges, mut faces) = (Vec::new(), Vec::new());
    for (body, part) in bodies.iter().zip(parts) {
        let (of_body, faces_of_body) = primitives(body);
        edges.extend(part.vertices_of(&of_body));
        faces.extend(part.vertices_of(&faces_of_body));
    }
    let surface = Surface::new(rest, edges, faces).map_err(|error| surface_error(bodies, error))?;
    if bodies.iter().all(|body| !body.is_static) {
        return Ok(surface);
    }
    let label = |(i, body): (usize, &Body<D>)| {
        std::iter::repeat_n(body.is_static.then_some(i as u32), surface_vertices(body).len())
    };
    let labels = bodies.iter().enumerate().flat_map(label).collect();
    Ok(surface.with_filter(Filter::Any(VertexFilter::patches(labels)))?)
}

/// What is wrong with the surface of all bodies, as an error of the first that it is wrong of.
fn surface_error<const D: usize>(bodies: &[Body<D>], error: stiction::error::Error) -> Error {
    let alone = |body: &Body<D>| {
        let (edges, faces) = primitives(body);
        let wrong = Surface::new(surface_vertices(body).to_vec(), edges, faces).err();
        wrong.map(|source| Error::InBody { body: body.name.clone(), source })
    };
    bodies.iter().find_map(alone).unwrap_or(error.into())
}

/// The edges and faces of a body that can touch.
fn primitives<const D: usize>(body: &Body<D>) -> (Vec<[u32; 2]>, Vec<[u32; 3]>) {
    if let Some(skin) = &body.skin {
        return (skin.edges.clone(), skin.triangles.clone());
    }
    let mut edges = body.edges.clone();
    if D == 2 {
        edges.extend(boundary::of_triangles(&body.triangles));
        return (edges, Vec::new());
    }
    (edges, faces_of(body))
}

/// The boundary of a solid, and sheets but for those that lie on it.
fn faces_of<const D: usize>(body: &Body<D>) -> Vec<[u32; 3]> {
    let sorted = |face: &[u32; 3]| {
        let mut face = *face;
        face.sort_unstable();
        face
    };
    let mut faces = boundary::of_tetrahedra(&body.tetrahedra);
    let mut known: Vec<_> = faces.iter().map(sorted).collect();
    known.sort_unstable();
    faces.extend(body.triangles.iter().filter(|face| known.binary_search(&sorted(face)).is_err()));
    faces
}

/// Density times volume of every node, nothing of fixed shapes; and the masses of pairs.
pub(super) fn mass<const D: usize>(
    bodies: &[Body<D>],
    parts: &[Part],
    mut volumes: Vec<f64>,
    pairs: Vec<MassPair>,
) -> Result<MassMatrix> {
    for (body, part) in bodies.iter().zip(parts).filter(|(body, _)| !body.is_static) {
        for mass in &mut volumes[part.nodes.clone()] {
            *mass *= body.density;
            if !(*mass > 0.0 && mass.is_finite()) {
                let must = "one with which the masses of vertices are numbers: look at it and at the size of the body";
                let (body, value) = (body.name.clone(), body.density);
                return Err(Error::BadBody { body, name: "density", value, must });
            }
        }
    }
    MassMatrix::new(volumes, pairs)
}

/// The prescribed nodes of all bodies.
pub(super) fn prescribed<const D: usize>(bodies: &[Body<D>], parts: &[Part]) -> Result<Boundary<D>> {
    let mut boundary = Boundary::default();
    for (body, part) in bodies.iter().zip(parts) {
        if body.is_static {
            boundary.prescribe(part.nodes.clone().map(|v| v as u32), Trajectory::default());
        }
        for (vertices, trajectory) in &body.prescribed {
            let single: Vec<[u32; 1]> = vertices.iter().map(|&v| [v]).collect();
            check_indices("prescribed vertex", &single, body.vertices.len())
                .map_err(|error| Error::from(error).in_body(&body.name))?;
            boundary.prescribe(part.nodes_of(&single).map(|[v]| v), trajectory.clone());
        }
    }
    Ok(boundary)
}

/// The loads of all bodies.
pub(super) fn loads<const D: usize>(bodies: &[Body<D>], parts: &[Part]) -> Result<Loads<D>> {
    let mut all = Vec::new();
    for (body, part) in bodies.iter().zip(parts) {
        for load in &body.loads {
            let single: Vec<[u32; 1]> = load.vertices().into_iter().map(|v| [v]).collect();
            check_indices("loaded vertex", &single, body.vertices.len())
                .map_err(|error| Error::from(error).in_body(&body.name))?;
            let thickness = if D == 2 { body.thickness } else { 1.0 };
            all.push(load.shifted(part.nodes.start as u32).of_thickness(thickness));
        }
    }
    Ok(Loads(all))
}

/// The surface whose neighbours in this many rings of edges do not touch; in one they never do.
pub(super) fn without_rings<const D: usize>(surface: Surface<D>, rings: u32) -> Result<Surface<D>> {
    if rings <= 1 {
        return Ok(surface);
    }
    let near = Filter::rings(&surface, rings);
    let filter = match surface.filter() {
        Some(other) => near.and(other.clone()),
        None => near,
    };
    Ok(surface.with_filter(filter)?)
}

/// Each body as its contacts feel it.
pub(super) fn softness<const D: usize>(
    bodies: &[Body<D>],
    parts: &[Part],
    surface: &Surface<D>,
    free: &[bool],
    weighting: Weighting,
) -> Vec<Softness> {
    let areas = &surface.areas().vertices;
    let of = |(body, part): (&Body<D>, &Part)| {
        let area = median(&areas[part.vertices.clone()]);
        let driven = !free[part.nodes.clone()].contains(&true);
        let modulus = body.material.lame.young() * solidity(body, area);
        let inverse_modulus = if driven { 0.0 } else { 1.0 / modulus };
        Softness { inverse_modulus, area: if weighting == Weighting::Area { 1.0 } else { area } }
    };
    bodies.iter().zip(parts).map(of).collect()
}

/// How much there is of a body behind a piece of its surface of this area, in m², compared with a solid.
fn solidity<const D: usize>(body: &Body<D>, area: f64) -> f64 {
    let length = if D == 2 { area } else { area.sqrt() };
    if D == 2 && !body.triangles.is_empty() {
        body.thickness
    } else if body.is_sheet() && body.tetrahedra.is_empty() {
        (body.thickness / length).min(1.0)
    } else if body.tetrahedra.is_empty() && !body.edges.is_empty() {
        (2.0 * body.radius / length).min(1.0)
    } else {
        1.0
    }
}

/// The median of the positive numbers; 1 if there is none.
fn median(numbers: &[f64]) -> f64 {
    let mut positive: Vec<f64> = numbers.iter().copied().filter(|number| *number > 0.0).collect();
    positive.sort_by(f64::total_cmp);
    positive.get(positive.len() / 2).copied().unwrap_or(1.0)
}
