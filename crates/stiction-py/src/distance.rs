//! Distances of one pair of primitives.

use numpy::PyArray2;
use pyo3::prelude::*;
use stiction::closest;
use stiction::distance::{Psd, Separation};
use stiction::math::vector::flat;
use stiction::math::{Matrix, Vector};
use stiction::stencil::{EDGE_EDGE, Pair, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX};

use crate::array::{Table, check_size, from_rows};
use crate::error::at;

/// A kind of pair.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Two vertices.
    VertexVertex,
    /// A vertex and an edge.
    VertexEdge,
    /// Two edges.
    EdgeEdge,
    /// A vertex and a face.
    VertexFace,
}

impl Kind {
    /// Reads the argument called `kind`.
    pub fn read(name: &str) -> PyResult<Self> {
        match name {
            "vv" => Ok(Self::VertexVertex),
            "ve" => Ok(Self::VertexEdge),
            "ee" => Ok(Self::EdgeEdge),
            "vf" => Ok(Self::VertexFace),
            _ => Err(at("kind", format!("{name:?} is unknown: choose 'vv', 've', 'ee' or 'vf'"))),
        }
    }
}

/// d² of a pair and its derivatives, entries row by row.
struct Derivatives {
    value: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    columns: usize,
}

/// Squared distance in m² between the vertices, lines and planes through a pair of primitives.
///
///     d²(x) = min_α |Σ cᵢ(α) xᵢ|²
///
/// `kind`: 'vv' (v, v), 've' (v, e₀, e₁), 'ee' (a₀, a₁, b₀, b₁) or 'vf' (v, f₀, f₁, f₂).
/// `x`: positions of these vertices in that order, shape (N, D), D = 2 or 3, in m.
///
/// Where lines are parallel or a face has no area, one coordinate is held: the distance is that of a vertex from a line.
#[pyfunction]
pub fn distance_squared(kind: &str, x: &Bound<'_, PyAny>) -> PyResult<f64> {
    Ok(of_kind(kind, x)?.value)
}

/// Gradient of `distance_squared` in m, shape (N, D): ∂d²/∂xᵢ = 2 cᵢ r.
#[pyfunction]
pub fn distance_squared_gradient<'py>(
    kind: &str,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let of = of_kind(kind, x)?;
    Ok(from_rows(x.py(), &of.gradient, of.columns))
}

/// Hessian of `distance_squared`, shape (N·D, N·D), entries in the order x₀ y₀ z₀ x₁ …
#[pyfunction]
pub fn distance_squared_hessian<'py>(
    kind: &str,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let of = of_kind(kind, x)?;
    Ok(from_rows(x.py(), &of.hessian, of.gradient.len()))
}

/// Squared distance in m² between the primitives themselves, which end at their vertices.
///
/// Arguments as for `distance_squared`. A primitive without extent counts as its first vertex.
#[pyfunction]
pub fn closest_distance_squared(kind: &str, x: &Bound<'_, PyAny>) -> PyResult<f64> {
    let (kind, table) = (Kind::read(kind)?, Table::read("x", x)?);
    match table.columns() {
        2 => closest_of_kind::<2>(kind, &table),
        3 => closest_of_kind::<3>(kind, &table),
        columns => Err(wrong_dimension(columns)),
    }
}

fn closest_of_kind<const D: usize>(kind: Kind, x: &Table) -> PyResult<f64> {
    Ok(match kind {
        Kind::VertexVertex => {
            let [p, q] = positions::<D, 2>(x)?;
            (p - q).norm_squared()
        }
        Kind::VertexEdge => {
            let [p, a, b] = positions::<D, 3>(x)?;
            closest::vertex_edge(p, a, b).1
        }
        Kind::EdgeEdge => {
            let [a, b, c, d] = positions::<D, 4>(x)?;
            closest::edge_edge([a, b], [c, d]).1
        }
        Kind::VertexFace => {
            let [p, a, b, c] = positions::<D, 4>(x)?;
            closest::vertex_face(p, [a, b, c]).1
        }
    })
}

fn of_kind(kind: &str, x: &Bound<'_, PyAny>) -> PyResult<Derivatives> {
    let (kind, table) = (Kind::read(kind)?, Table::read("x", x)?);
    match kind {
        Kind::VertexVertex => of_pair(&VERTEX_VERTEX, &table),
        Kind::VertexEdge => of_pair(&VERTEX_EDGE, &table),
        Kind::EdgeEdge => of_pair(&EDGE_EDGE, &table),
        Kind::VertexFace => of_pair(&VERTEX_FACE, &table),
    }
}

fn of_pair<const N: usize>(pair: &Pair<N>, x: &Table) -> PyResult<Derivatives> {
    match x.columns() {
        2 => Ok(derivatives(pair, &positions::<2, N>(x)?)),
        3 => Ok(derivatives(pair, &positions::<3, N>(x)?)),
        columns => Err(wrong_dimension(columns)),
    }
}

fn derivatives<const D: usize, const N: usize>(pair: &Pair<N>, x: &[Vector<D>; N]) -> Derivatives {
    let separation = Separation::new(pair, x);
    let blocks = separation.hessian(1.0, 0.0, Psd::None);
    Derivatives {
        value: separation.distance_squared(),
        gradient: flat(&separation.gradient(1.0)).to_vec(),
        hessian: rows_of_blocks(&blocks),
        columns: D,
    }
}

/// A local Hessian, row by row.
pub fn rows_of_blocks<const D: usize, const N: usize>(blocks: &[[Matrix<D>; N]; N]) -> Vec<f64> {
    let mut rows = Vec::with_capacity(N * D * N * D);
    for row in blocks {
        for k in 0..D {
            rows.extend(row.iter().flat_map(|block| block.0[k]));
        }
    }
    rows
}

/// The rows of `x`, as many as the kind of pair has vertices.
pub fn positions<const D: usize, const N: usize>(x: &Table) -> PyResult<[Vector<D>; N]> {
    let found = exact_positions(x)?;
    check_size("x", &found)?;
    Ok(found)
}

/// The same for functions that are right for all numbers, however large.
pub fn exact_positions<const D: usize, const N: usize>(x: &Table) -> PyResult<[Vector<D>; N]> {
    let vectors = x.vectors::<D>("x")?;
    let found = vectors.len();
    vectors.try_into().map_err(|_| at("x", format!("has {found} rows, expected {N} for this kind of pair")))
}

/// Neither 2D nor 3D.
pub fn wrong_dimension(columns: usize) -> PyErr {
    at("x", format!("has {columns} columns, expected 2 or 3"))
}
