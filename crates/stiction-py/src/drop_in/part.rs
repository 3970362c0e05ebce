//! Distances between parts of primitives: d² of what is left of a pair, with derivatives by all of its vertices.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use stiction::distance::{Psd, Separation};
use stiction::math::vector::flat;
use stiction::math::{Matrix, Vector};
use stiction::stencil::{EDGE_EDGE, Pair, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX};

use crate::array::{Table, from_rows};
use crate::distance::{Kind, positions, rows_of_blocks, wrong_dimension};
use crate::error::at;
use crate::kernels::features;

/// What is left of a pair where parts of the primitives are closest, by the places of its vertices.
enum Left {
    VertexVertex([usize; 2]),
    VertexEdge([usize; 3]),
    EdgeEdge([usize; 4]),
    VertexFace([usize; 4]),
}

impl Left {
    /// Reads the argument called `part`, as `closest_features` writes it.
    fn read(kind: Kind, part: &str) -> PyResult<Self> {
        let left = match kind {
            Kind::VertexVertex => part.is_empty().then_some(Self::VertexVertex([0, 1])),
            Kind::VertexEdge => Self::of_edge(part),
            Kind::EdgeEdge => Self::of_edges(part),
            Kind::VertexFace => Self::of_face(part),
        };
        left.ok_or_else(|| at("part", format!("{part:?} is no part of this kind of pair")))
    }

    fn of_edge(part: &str) -> Option<Self> {
        Some(match part {
            "start" => Self::VertexVertex([0, 1]),
            "end" => Self::VertexVertex([0, 2]),
            "inside" => Self::VertexEdge([0, 1, 2]),
            _ => return None,
        })
    }

    fn of_edges(part: &str) -> Option<Self> {
        Some(match part {
            "start start" => Self::VertexVertex([0, 2]),
            "start end" => Self::VertexVertex([0, 3]),
            "end start" => Self::VertexVertex([1, 2]),
            "end end" => Self::VertexVertex([1, 3]),
            "inside start" => Self::VertexEdge([2, 0, 1]),
            "inside end" => Self::VertexEdge([3, 0, 1]),
            "start inside" => Self::VertexEdge([0, 2, 3]),
            "end inside" => Self::VertexEdge([1, 2, 3]),
            "inside inside" => Self::EdgeEdge([0, 1, 2, 3]),
            _ => return None,
        })
    }

    fn of_face(part: &str) -> Option<Self> {
        Some(match part {
            "vertex 0" => Self::VertexVertex([0, 1]),
            "vertex 1" => Self::VertexVertex([0, 2]),
            "vertex 2" => Self::VertexVertex([0, 3]),
            "edge 0" => Self::VertexEdge([0, 1, 2]),
            "edge 1" => Self::VertexEdge([0, 2, 3]),
            "edge 2" => Self::VertexEdge([0, 3, 1]),
            "inside" => Self::VertexFace([0, 1, 2, 3]),
            _ => return None,
        })
    }
}

/// d² and its derivatives by all vertices of the pair.
struct Derivatives<const D: usize, const N: usize> {
    value: f64,
    gradient: [Vector<D>; N],
    hessian: [[Matrix<D>; N]; N],
}

impl<const D: usize, const N: usize> Derivatives<D, N> {
    fn of(x: &[Vector<D>; N], left: &Left) -> Self {
        match left {
            Left::VertexVertex(places) => Self::at(&VERTEX_VERTEX, x, places),
            Left::VertexEdge(places) => Self::at(&VERTEX_EDGE, x, places),
            Left::EdgeEdge(places) => Self::at(&EDGE_EDGE, x, places),
            Left::VertexFace(places) => Self::at(&VERTEX_FACE, x, places),
        }
    }

    /// Of the vertices at `places`; the others have no part in it.
    fn at<const M: usize>(pair: &Pair<M>, x: &[Vector<D>; N], places: &[usize; M]) -> Self {
        let separation = Separation::new(pair, &places.map(|place| x[place]));
        let (gradient, hessian) = (separation.gradient(1.0), separation.hessian(1.0, 0.0, Psd::None));
        let mut all = Self {
            value: separation.distance_squared(),
            gradient: [Vector::ZERO; N],
            hessian: [[Matrix::ZERO; N]; N],
        };
        for (i, &row) in places.iter().enumerate() {
            all.gradient[row] = gradient[i];
            for (j, &column) in places.iter().enumerate() {
                all.hessian[row][column] = hessian[i][j];
            }
        }
        all
    }
}

/// What is asked of a part.
#[derive(Clone, Copy)]
enum Order {
    Value,
    Gradient,
    Hessian,
}

fn evaluate(order: Order, kind: &str, x: &Bound<'_, PyAny>, part: Option<&str>) -> PyResult<Vec<f64>> {
    let (kind, x) = (Kind::read(kind)?, Table::read("x", x)?);
    match x.columns() {
        2 => of_dimension::<2>(order, kind, &x, part),
        3 => of_dimension::<3>(order, kind, &x, part),
        columns => Err(wrong_dimension(columns)),
    }
}

fn of_dimension<const D: usize>(
    order: Order,
    kind: Kind,
    x: &Table,
    part: Option<&str>,
) -> PyResult<Vec<f64>> {
    let left = match part {
        Some(part) => Left::read(kind, part)?,
        None => Left::read(kind, &features::<D>(kind, x)?)?,
    };
    match kind {
        Kind::VertexVertex => of_pair::<D, 2>(order, x, &left),
        Kind::VertexEdge => of_pair::<D, 3>(order, x, &left),
        Kind::EdgeEdge | Kind::VertexFace => of_pair::<D, 4>(order, x, &left),
    }
}

fn of_pair<const D: usize, const N: usize>(order: Order, x: &Table, left: &Left) -> PyResult<Vec<f64>> {
    let derivatives = Derivatives::of(&positions::<D, N>(x)?, left);
    Ok(match order {
        Order::Value => vec![derivatives.value],
        Order::Gradient => flat(&derivatives.gradient).to_vec(),
        Order::Hessian => rows_of_blocks(&derivatives.hessian),
    })
}

/// Squared distance in m² between parts of a pair of primitives, or between the lines and planes through them.
///
/// `kind`, `x`: as for `distance_squared`. `part`: as `closest_features` gives it; by default the closest.
#[pyfunction]
#[pyo3(signature = (kind, x, part=None))]
pub fn part_distance_squared(kind: &str, x: &Bound<'_, PyAny>, part: Option<&str>) -> PyResult<f64> {
    Ok(evaluate(Order::Value, kind, x, part)?[0])
}

/// Gradient of `part_distance_squared` in m by all vertices of the pair, shape (N·D,).
#[pyfunction]
#[pyo3(signature = (kind, x, part=None))]
pub fn part_distance_squared_gradient<'py>(
    kind: &str,
    x: &Bound<'py, PyAny>,
    part: Option<&str>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(evaluate(Order::Gradient, kind, x, part)?.into_pyarray(x.py()))
}

/// Hessian of `part_distance_squared` by all vertices of the pair, shape (N·D, N·D).
#[pyfunction]
#[pyo3(signature = (kind, x, part=None))]
pub fn part_distance_squared_hessian<'py>(
    kind: &str,
    x: &Bound<'py, PyAny>,
    part: Option<&str>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let entries = evaluate(Order::Hessian, kind, x, part)?;
    let columns = entries.len().isqrt();
    Ok(from_rows(x.py(), &entries, columns))
}
