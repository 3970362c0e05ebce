//! Stress and strain in the elements, cell by cell.

use std::collections::BTreeMap;

use stiction::math::{Matrix, Vector};

use crate::element::{Element, Spring, Strained};
use crate::model::{Model, Part};
use crate::state::State;

/// Stress and strain of a cell as files have them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CellStrain {
    /// Cauchy stress in Pa, in rows.
    pub stress: [f64; 9],
    /// Its von Mises equivalent, in Pa.
    pub von_mises: f64,
    /// Finger strain, in rows.
    pub strain: [f64; 9],
}

/// Stress and strain of every cell, zero in fixed shapes.
pub(super) fn strained<const D: usize>(model: &Model<D>, state: &State<D>) -> Vec<CellStrain> {
    let elements = Elements::new(model, state);
    let cells = &model.cells;
    let edges = cells.edges.iter().map(|cell| elements.of(model, cell));
    let triangles = cells.triangles.iter().map(|cell| elements.of(model, cell));
    let tetrahedra = cells.tetrahedra.iter().map(|cell| elements.of(model, cell));
    edges.chain(triangles).chain(tetrahedra).collect()
}

/// The stress and strain of all elements, by their nodes in ascending order.
struct Elements {
    by_nodes: BTreeMap<Vec<u32>, CellStrain>,
    /// The elements at each node, of models in which nodes carry a surface.
    at_node: BTreeMap<u32, Vec<Vec<u32>>>,
}

impl Elements {
    fn new<const D: usize>(model: &Model<D>, state: &State<D>) -> Self {
        let mut by_nodes = BTreeMap::new();
        let mut add = |nodes: &[u32], of: CellStrain| {
            by_nodes.insert(sorted(nodes), of);
        };
        let q = &state.q;
        let elastic = &model.elastic;
        for element in &elastic.triangles {
            let poisson = element.material.lame.poisson();
            add(&element.stencil.0, of_solid(&element.strained(&element.stencil.gather(q)), poisson));
        }
        for element in &elastic.tetrahedra {
            add(&element.stencil.0, of_solid(&element.strained(&element.stencil.gather(q)), 0.0));
        }
        for element in &elastic.membranes {
            add(&element.stencil.0, of_solid(&element.strained(&element.stencil.gather(q)), 0.0));
        }
        for element in &elastic.springs {
            let width =
                model.parts.get(body_of_node(&model.parts, element.stencil.0[0])).map_or(0.0, |p| p.width);
            let section = std::f64::consts::FRAC_PI_4 * width * width;
            add(&element.stencil.0, of_rod(&element.stencil.gather(q), element, section));
        }
        let mut out = Self { by_nodes, at_node: BTreeMap::new() };
        if model.map.is_some() {
            for nodes in out.by_nodes.keys() {
                for node in nodes {
                    out.at_node.entry(*node).or_default().push(nodes.clone());
                }
            }
        }
        out
    }

    /// That of a cell; on a surface that nodes carry, of an element that has all nodes of the cell, or of the one that carries its first vertex.
    fn of<const D: usize>(&self, model: &Model<D>, cell: &[u32]) -> CellStrain {
        let Some(map) = &model.map else {
            return self.by_nodes.get(&sorted(cell)).copied().unwrap_or_default();
        };
        let row = |v: &u32| map.row(*v as usize).map(|(node, _)| node as u32).collect::<Vec<_>>();
        let mut all = sorted(&cell.iter().flat_map(row).collect::<Vec<_>>());
        all.dedup();
        let first = cell.first().map(row).unwrap_or_default();
        let found = self.by_nodes.get(&all).or_else(|| self.carrier(&all)).or_else(|| self.carrier(&first));
        found.copied().unwrap_or_default()
    }

    /// The first element that has all these nodes.
    fn carrier(&self, nodes: &[u32]) -> Option<&CellStrain> {
        let at_first = self.at_node.get(nodes.first()?)?;
        let element = at_first.iter().find(|element| nodes.iter().all(|node| element.contains(node)))?;
        self.by_nodes.get(element)
    }
}

fn body_of_node(parts: &[Part], node: u32) -> usize {
    parts.partition_point(|part| part.nodes.end <= node as usize)
}

fn sorted(nodes: &[u32]) -> Vec<u32> {
    let mut out = nodes.to_vec();
    out.sort_unstable();
    out
}

/// A matrix in rows, with zeros where there is no third axis.
fn rows<const D: usize>(a: &Matrix<D>) -> [f64; 9] {
    std::array::from_fn(|k| {
        let (i, j) = (k / 3, k % 3);
        if i < D && j < D { a.column(j)[i] } else { 0.0 }
    })
}

/// `√(3/2 s·s)` with the deviator s.
fn von_mises(stress: &[f64; 9]) -> f64 {
    let [xx, xy, xz, _, yy, yz, _, _, zz] = *stress;
    let normal = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
    (0.5 * normal + 3.0 * (xy * xy + yz * yz + xz * xz)).sqrt()
}

/// In 2D with the stress across the plane.
fn of_solid<const D: usize>(of: &Strained<D>, poisson: f64) -> CellStrain {
    let mut stress = rows(&of.stress);
    if D == 2 {
        stress[8] = poisson * (stress[0] + stress[4]);
    }
    CellStrain { stress, von_mises: von_mises(&stress), strain: rows(&of.strain) }
}

/// Along a segment of a rod with a cross-section in m².
fn of_rod<const D: usize>(x: &[Vector<D>; 2], rod: &Spring, section: f64) -> CellStrain {
    let way = x[1] - x[0];
    let (along, force) = (way.normalized(), rod.gradient(x)[1]);
    let tension = if section > 0.0 { force.dot(along) / section } else { 0.0 };
    let stress = rows(&(along.outer(along) * tension));
    let stretch = way.norm() / rod.length;
    let strain = rows(&(along.outer(along) * (0.5 * (stretch * stretch - 1.0))));
    CellStrain { stress, von_mises: von_mises(&stress), strain }
}
