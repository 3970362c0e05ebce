//! From bodies to the arrays of a model.

use stiction::contact::Weighting;
use stiction::math::Vector;
use stiction::mesh::surface::check_indices;
use stiction::mesh::{Filter, Surface, boundary};
use stiction::stencil::Stencil;

use super::stiffness::Softness;
use super::{Body, Part};
use crate::boundary::Boundary;
use crate::element::Simplex;
use crate::energy::Elastic;
use crate::error::{Error, Result};
use crate::load::Loads;

/// Checks what is not geometry, and that elements are those of the dimension.
pub(super) fn check_bodies<const D: usize>(bodies: &[Body<D>]) -> Result<()> {
    for (index, body) in bodies.iter().enumerate() {
        if !body.velocity.is_finite() {
            return Err(stiction::error::Error::NotFinite { what: "velocity of body", index }.into());
        }
        let (what, found) = if D == 2 {
            ("tetrahedra of a body in 2D", body.tetrahedra.len())
        } else {
            ("triangles of a body in 3D", body.triangles.len())
        };
        if found > 0 {
            return Err(stiction::error::Error::WrongLength { what, found, expected: 0 }.into());
        }
    }
    Ok(())
}

/// Where each body is in the model: one behind the other.
pub(super) fn parts<const D: usize>(bodies: &[Body<D>]) -> Vec<Part> {
    let mut start = 0;
    let mut part = |body: &Body<D>| {
        let vertices = start..start + body.vertices.len();
        start = vertices.end;
        Part { name: body.name.clone(), vertices }
    };
    bodies.iter().map(&mut part).collect()
}

/// Numbers in the model of primitives of a body.
fn shifted<const N: usize>(primitives: &[[u32; N]], part: &Part) -> impl Iterator<Item = [u32; N]> {
    let offset = part.vertices.start as u32;
    primitives.iter().map(move |primitive| primitive.map(|v| v + offset))
}

/// The boundaries of all bodies.
pub(super) fn surface<const D: usize>(
    bodies: &[Body<D>],
    parts: &[Part],
    rest: Vec<Vector<D>>,
) -> Result<Surface<D>> {
    let (mut edges, mut faces) = (Vec::new(), Vec::new());
    for (body, part) in bodies.iter().zip(parts) {
        check_indices("triangle", &body.triangles, body.vertices.len())?;
        check_indices("tetrahedron", &body.tetrahedra, body.vertices.len())?;
        edges.extend(shifted(&boundary::of_triangles(&body.triangles), part));
        faces.extend(shifted(&boundary::of_tetrahedra(&body.tetrahedra), part));
    }
    Ok(Surface::new(rest, edges, faces)?)
}

/// The elements of all bodies, which must have positive volumes.
pub(super) fn elements<const D: usize>(
    bodies: &[Body<D>],
    parts: &[Part],
    rest: &[Vector<D>],
) -> Result<Elastic<D>> {
    let mut elastic = Elastic::default();
    for (body, part) in bodies.iter().zip(parts) {
        if D == 2 {
            solids(body, shifted(&body.triangles, part), rest, &mut elastic.triangles)?;
        } else {
            solids(body, shifted(&body.tetrahedra, part), rest, &mut elastic.tetrahedra)?;
        }
    }
    Ok(elastic)
}

fn solids<const D: usize, const N: usize>(
    body: &Body<D>,
    stencils: impl Iterator<Item = [u32; N]>,
    rest: &[Vector<D>],
    out: &mut Vec<Simplex<D, N>>,
) -> Result<()> {
    for (element, stencil) in stencils.enumerate() {
        let simplex = Simplex::new(Stencil(stencil), rest, body.material);
        let volume = simplex.volume;
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(Error::InvertedElement { body: body.name.clone(), element, volume });
        }
        out.push(simplex);
    }
    Ok(())
}

fn share_volumes<const D: usize, const N: usize>(elements: &[Simplex<D, N>], volumes: &mut [f64]) {
    for element in elements {
        for v in element.stencil.0 {
            volumes[v as usize] += element.volume / N as f64;
        }
    }
}

/// An equal share of each element's mass at each of its vertices.
pub(super) fn masses<const D: usize>(
    bodies: &[Body<D>],
    parts: &[Part],
    elastic: &Elastic<D>,
) -> Result<Vec<f64>> {
    let count = parts.last().map_or(0, |part| part.vertices.end);
    let mut volumes = vec![0.0; count];
    share_volumes(&elastic.triangles, &mut volumes);
    share_volumes(&elastic.tetrahedra, &mut volumes);
    for (body, part) in bodies.iter().zip(parts) {
        if !(body.density > 0.0 && body.density.is_finite()) {
            let must = "positive, in kg/m³";
            return Err(Error::BadParameter { name: "density", value: body.density, must });
        }
        let volumes = &mut volumes[part.vertices.clone()];
        if let Some(vertex) = volumes.iter().position(|volume| *volume == 0.0) {
            return Err(Error::LooseVertex { body: body.name.clone(), vertex });
        }
        for volume in volumes {
            *volume *= body.density;
        }
    }
    Ok(volumes)
}

/// The prescribed vertices of all bodies.
pub(super) fn prescribed<const D: usize>(bodies: &[Body<D>], parts: &[Part]) -> Result<Boundary<D>> {
    let mut boundary = Boundary::default();
    for (body, part) in bodies.iter().zip(parts) {
        for (vertices, path) in &body.prescribed {
            let single: Vec<[u32; 1]> = vertices.iter().map(|&v| [v]).collect();
            check_indices("prescribed vertex", &single, body.vertices.len())?;
            boundary.prescribe(shifted(&single, part).map(|[v]| v), path.clone());
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
            check_indices("loaded vertex", &single, body.vertices.len())?;
            all.push(load.shifted(part.vertices.start as u32));
        }
    }
    Ok(Loads(all))
}

/// The surface whose neighbours in this many rings of edges do not touch; in one they never do.
pub(super) fn without_rings<const D: usize>(surface: Surface<D>, rings: u32) -> Result<Surface<D>> {
    if rings <= 1 {
        return Ok(surface);
    }
    let filter = Filter::rings(&surface, rings);
    Ok(surface.with_filter(filter)?)
}

/// Each body as its contacts feel it.
pub(super) fn softness<const D: usize>(
    (bodies, parts): (&[Body<D>], &[Part]),
    surface: &Surface<D>,
    fixed: &[bool],
    weighting: Weighting,
) -> Vec<Softness> {
    let areas = &surface.areas().vertices;
    let of = |(body, part): (&Body<D>, &Part)| {
        let driven = fixed[part.vertices.clone()].iter().all(|fixed| *fixed);
        let inverse_modulus = if driven { 0.0 } else { 1.0 / body.material.lame.young() };
        let area = if weighting == Weighting::Area { 1.0 } else { median(&areas[part.vertices.clone()]) };
        Softness { inverse_modulus, area }
    };
    bodies.iter().zip(parts).map(of).collect()
}

/// The median of the positive numbers; 1 if there is none.
fn median(numbers: &[f64]) -> f64 {
    let mut positive: Vec<f64> = numbers.iter().copied().filter(|number| *number > 0.0).collect();
    positive.sort_by(f64::total_cmp);
    positive.get(positive.len() / 2).copied().unwrap_or(1.0)
}
