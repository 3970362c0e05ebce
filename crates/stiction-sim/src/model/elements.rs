//! From bodies to elements, each with its share of the volume.

use std::f64::consts::PI;

use stiction::math::Vector;
use stiction::stencil::Stencil;

use super::{Body, Part};
use crate::element::{Bend, Hinge, Membrane, Simplex, Spring};
use crate::energy::Elastic;
use crate::error::{Error, Result};
use crate::mass::{MassKind, MassPair};

/// The elements of all bodies, and what the nodes have of them.
pub(super) struct Matter<'a, const D: usize> {
    rest: &'a [Vector<D>],
    pub elastic: Elastic<D>,
    /// The volume of each node, in m³.
    pub volumes: Vec<f64>,
    /// Masses of pairs of nodes.
    pub pairs: Vec<MassPair>,
}

impl<'a, const D: usize> Matter<'a, D> {
    pub fn new(bodies: &[Body<D>], parts: &[Part], rest: &'a [Vector<D>]) -> Result<Self> {
        let (volumes, pairs) = (vec![0.0; rest.len()], Vec::new());
        let mut matter = Self { rest, elastic: Elastic::default(), volumes, pairs };
        for (body, part) in bodies.iter().zip(parts) {
            matter.add_solids(body, part)?;
            if !body.is_static {
                matter.add_sheet(body, part)?;
                matter.add_rods(body, part)?;
            }
        }
        Ok(matter)
    }

    /// The shares that nodes have of the volume of an element.
    fn share<const N: usize>(&mut self, body: &Body<D>, nodes: [u32; N], volume: f64) {
        let n = N as f64;
        let (own, mixed) = match body.mass {
            MassKind::Lumped => (volume / n, None),
            MassKind::Consistent => (2.0 * volume / (n * (n + 1.0)), Some(volume / (n * (n + 1.0)))),
        };
        let mixed = mixed.map(|volume| body.density * volume);
        for (i, node) in nodes.into_iter().enumerate() {
            self.volumes[node as usize] += own;
            self.pairs.extend(
                mixed
                    .into_iter()
                    .flat_map(|mixed| nodes[..i].iter().map(move |other| ([*other, node], mixed))),
            );
        }
    }

    fn add_solids(&mut self, body: &Body<D>, part: &Part) -> Result<()> {
        if D == 2 {
            for mut simplex in self.solids(body, &body.triangles, part)? {
                simplex.volume *= body.thickness;
                self.share(body, simplex.stencil.0, simplex.volume);
                self.elastic.triangles.push(simplex);
            }
        }
        for simplex in self.solids(body, &body.tetrahedra, part)? {
            self.share(body, simplex.stencil.0, simplex.volume);
            self.elastic.tetrahedra.push(simplex);
        }
        Ok(())
    }

    /// Solid elements, which must have positive volumes; none of a fixed shape, of which only this is checked.
    fn solids<const N: usize>(
        &self,
        body: &Body<D>,
        list: &[[u32; N]],
        part: &Part,
    ) -> Result<Vec<Simplex<D, N>>> {
        let mut out = Vec::new();
        for (element, vertices) in part.nodes_of(list).enumerate() {
            let simplex = Simplex::new(Stencil(vertices), self.rest, body.material);
            let volume = simplex.volume;
            if !(volume > 0.0 && volume.is_finite()) {
                return Err(Error::InvertedElement { body: body.name.clone(), element, volume });
            }
            out.push(simplex);
        }
        Ok(if body.is_static { Vec::new() } else { out })
    }

    fn add_sheet(&mut self, body: &Body<D>, part: &Part) -> Result<()> {
        if !body.is_sheet() {
            return Ok(());
        }
        for (element, vertices) in part.nodes_of(&body.triangles).enumerate() {
            let membrane = Membrane::new(Stencil(vertices), self.rest, body.material, body.thickness);
            check_size(body, "triangle", element, "area", membrane.volume / body.thickness)?;
            self.share(body, vertices, membrane.volume);
            self.elastic.membranes.push(membrane);
        }
        let lame = body.material.lame;
        let bending = Hinge::<D>::bending_stiffness(lame.young(), lame.poisson(), body.thickness);
        for vertices in part.nodes_of(&hinges(&body.triangles)) {
            self.elastic.hinges.push(Hinge::new(Stencil(vertices), self.rest, bending));
        }
        Ok(())
    }

    fn add_rods(&mut self, body: &Body<D>, part: &Part) -> Result<()> {
        let section = PI * body.radius * body.radius;
        let young = body.material.lame.young();
        for (element, vertices) in part.nodes_of(&body.edges).enumerate() {
            let spring = Spring::new(Stencil(vertices), self.rest, young * section);
            check_size(body, "edge", element, "length", spring.length)?;
            self.share(body, vertices, section * spring.length);
            self.elastic.springs.push(spring);
        }
        // The second moment of area of a disc, about a diameter.
        let bending = young * section * body.radius * body.radius / 4.0;
        for vertices in part.nodes_of(&bends(&body.edges)) {
            self.elastic.bends.push(Bend::new(Stencil(vertices), self.rest, bending));
        }
        Ok(())
    }
}

/// Checks that an element of a sheet or rod is not flat.
fn check_size<const D: usize>(
    body: &Body<D>,
    what: &'static str,
    element: usize,
    measure: &'static str,
    size: f64,
) -> Result<()> {
    if size > 0.0 && size.is_finite() {
        return Ok(());
    }
    Err(Error::FlatElement { body: body.name.clone(), what, element, measure, size })
}

/// The edges between triangles, each with the vertices opposite to it.
fn hinges(triangles: &[[u32; 3]]) -> Vec<[u32; 4]> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]]);
    let mut sides: Vec<[u32; 3]> = sides.map(|[a, b, c]| [a.min(b), a.max(b), c]).collect();
    sides.sort_unstable();
    let same = |pair: &[[u32; 3]]| pair[0][..2] == pair[1][..2];
    sides.windows(2).filter(|pair| same(pair)).map(|p| [p[0][0], p[0][1], p[0][2], p[1][2]]).collect()
}

/// The vertices where just two segments meet, each between its neighbours.
fn bends(edges: &[[u32; 2]]) -> Vec<[u32; 3]> {
    let mut ends: Vec<[u32; 2]> = edges.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
    ends.sort_unstable();
    let meet = ends.chunk_by(|a, b| a[0] == b[0]).filter(|meet| meet.len() == 2);
    meet.map(|meet| [meet[0][1], meet[0][0], meet[1][1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hinges_are_where_triangles_meet() {
        assert_eq!(hinges(&[[0, 1, 2], [2, 1, 3]]), [[1, 2, 0, 3]]);
        // Three triangles at an edge: each is joined to the next.
        assert_eq!(hinges(&[[0, 1, 2], [0, 1, 3], [1, 0, 4]]), [[0, 1, 2, 3], [0, 1, 3, 4]]);
        assert!(hinges(&[[0, 1, 2]]).is_empty());
    }

    #[test]
    fn bends_are_where_two_segments_meet() {
        assert_eq!(bends(&[[0, 1], [2, 1]]), [[0, 1, 2]]);
        assert_eq!(bends(&[[0, 1], [1, 2], [2, 0]]).len(), 3);
        assert!(bends(&[[0, 1], [0, 2], [0, 3]]).is_empty());
    }
}
