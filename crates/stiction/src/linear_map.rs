//! Sparse linear maps with scalar weights, the same for every coordinate.

use crate::error::{Error, Result};
use crate::math::Vector;

/// A sparse matrix `M` that takes displacements of nodes to displacements of vertices: `W`, from the nodes of a simulation (of higher-order elements,
/// of a skeleton) to the vertices of its surface, or `Z`, from its unknowns to its nodes.
///
/// ```text
/// u_v = Σ_k M_vk u_k      u_v displacement of vertex v in m, u_k displacement of node k in m, M without unit
/// ∂E/∂u_k = Σ_v M_vk ∂E/∂x_v
/// ```
///
/// Rows are vertices. An entry that occurs twice counts twice.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearMap {
    nodes: usize,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl LinearMap {
    /// The matrix in compressed rows: row `v` has the `values` from `offsets[v]` to `offsets[v + 1]`, in the given
    /// `columns`, each below `nodes`.
    ///
    /// # Errors
    /// If the offsets do not ascend from 0 to the number of values, the arrays differ in length, a column is out of
    /// range or a value is not finite.
    pub fn new(nodes: usize, offsets: Vec<usize>, columns: Vec<u32>, values: Vec<f64>) -> Result<Self> {
        check_offsets(&offsets, values.len())?;
        if columns.len() != values.len() {
            let (found, expected) = (columns.len(), values.len());
            return Err(Error::WrongLength { what: "columns of the linear map", found, expected });
        }
        if let Some(index) = columns.iter().position(|column| *column as usize >= nodes) {
            let value = f64::from(columns[index]);
            let what = "column of linear map entry";
            return Err(Error::BadEntry { what, index, value, must: "smaller than the number of nodes" });
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { what: "linear map entry", index });
        }
        Ok(Self { nodes, offsets, columns, values })
    }

    /// How many vertices it leads to.
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many nodes it starts from.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// `M u`, for one entry of `u` for each node; of positions, where every row sums to 1, the positions of the vertices.
    ///
    /// # Panics
    /// If `u` is shorter than there are [`nodes`](Self::nodes).
    pub fn apply<const D: usize>(&self, u: &[Vector<D>]) -> Vec<Vector<D>> {
        let row = |v| self.row(v).fold(Vector::ZERO, |sum, (node, value)| sum + u[node] * value);
        (0..self.vertices()).map(row).collect()
    }

    /// `Mᵀ g`, for one entry of `g` for each vertex: the gradient by the nodes, from that by the vertices.
    ///
    /// # Panics
    /// If `g` has not as many entries as there are [`vertices`](Self::vertices).
    pub fn apply_transposed<const D: usize>(&self, g: &[Vector<D>]) -> Vec<Vector<D>> {
        assert_eq!(g.len(), self.vertices(), "one entry for each vertex");
        let mut out = vec![Vector::ZERO; self.nodes];
        self.add_transposed(g, &mut out);
        out
    }

    /// Adds `Mᵀ g` to `out`, for one entry of `g` for each vertex; in the order of the vertices.
    ///
    /// # Panics
    /// If `g` is longer than there are [`vertices`](Self::vertices), or `out` shorter than there are [`nodes`](Self::nodes).
    pub fn add_transposed<const D: usize>(&self, g: &[Vector<D>], out: &mut [Vector<D>]) {
        for (v, g) in g.iter().enumerate() {
            for (node, value) in self.row(v) {
                out[node] += *g * value;
            }
        }
    }

    /// For every vertex the node that it is, if each is one or moved by none, and nodes ascend with their vertices: then the map takes some of the
    /// vertices and leaves out the others.
    pub(crate) fn selection(&self) -> Option<Vec<Option<u32>>> {
        let (mut out, mut next) = (Vec::with_capacity(self.vertices()), 0);
        for v in 0..self.vertices() {
            let mut row = self.row(v);
            match (row.next(), row.next()) {
                (None, _) => out.push(None),
                (Some((node, weight)), None) if weight == 1.0 && node >= next => {
                    out.push(Some(node as u32));
                    next = node + 1;
                }
                _ => return None,
            }
        }
        Some(out)
    }

    /// The nodes that move a vertex, with their weights.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn row(&self, v: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.offsets[v]..self.offsets[v + 1];
        range.map(|k| (self.columns[k] as usize, self.values[k]))
    }
}

fn check_offsets(offsets: &[usize], entries: usize) -> Result<()> {
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else {
        return Err(Error::WrongLength { what: "offsets of the linear map", found: 0, expected: 1 });
    };
    let bad = |index: usize, must| {
        Err(Error::BadEntry { what: "offset of linear map row", index, value: offsets[index] as f64, must })
    };
    if *first != 0 {
        return bad(0, "0");
    }
    if let Some(row) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
        return bad(row + 1, "no smaller than the one before");
    }
    if *last != entries {
        return bad(offsets.len() - 1, "the number of values");
    }
    Ok(())
}
