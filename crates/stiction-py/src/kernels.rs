//! Distances, coordinates, normals and tangents of one pair of primitives, with derivatives.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use stiction::closest::{self, EdgePart, FacePart};
use stiction::distance::{Separation, distance_gradient as gradient_of, distance_hessian as hessian_of};
use stiction::math::vector::flat;
use stiction::math::{Matrix, Vector};
use stiction::mollifier;
use stiction::signed::{self, Signed};
use stiction::stencil::{EDGE_EDGE, Pair, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX};
use stiction::tangent::{self, Tangents};

use crate::array::{Table, check_size, from_rows, reals, vectors};
use crate::distance::{Kind, positions, rows_of_blocks, wrong_dimension};
use crate::error::at;

/// What is asked of a pair.
#[derive(Clone, Copy)]
enum Quantity {
    Distance,
    DistanceGradient,
    DistanceHessian,
    Normal,
    NormalJacobian,
    ClosestPoint,
    ClosestPointJacobian,
}

/// Entries row by row, and the length of a row.
struct Rows(Vec<f64>, usize);

impl Rows {
    fn table(self, py: Python<'_>) -> Bound<'_, PyArray2<f64>> {
        from_rows(py, &self.0, self.1)
    }

    fn list(self, py: Python<'_>) -> Bound<'_, PyArray1<f64>> {
        self.0.into_pyarray(py)
    }
}

/// The Jacobian of a vector, one row for each of its entries.
fn rows_of_vector<const D: usize, const N: usize>(jacobian: &[Matrix<D>; N]) -> Vec<f64> {
    (0..D).flat_map(|k| jacobian.iter().flat_map(move |block| block.0[k])).collect()
}

fn evaluate<const D: usize, const N: usize>(what: Quantity, pair: &Pair<N>, x: &[Vector<D>; N]) -> Rows {
    let separation = Separation::new(pair, x);
    match what {
        Quantity::Distance => Rows(vec![separation.distance()], 1),
        Quantity::DistanceGradient => Rows(flat(&gradient_of(pair, x)).to_vec(), D),
        Quantity::DistanceHessian => Rows(rows_of_blocks(&hessian_of(pair, x)), N * D),
        Quantity::Normal => Rows(separation.normal().0.to_vec(), D),
        Quantity::NormalJacobian => Rows(rows_of_vector(&separation.normal_jacobian()), N * D),
        Quantity::ClosestPoint => Rows(separation.alpha[..pair.free].to_vec(), pair.free),
        Quantity::ClosestPointJacobian => {
            let jacobian = separation.alpha_jacobian();
            Rows(jacobian[..pair.free].iter().flat_map(|row| flat(row).to_vec()).collect(), N * D)
        }
    }
}

fn of_kind(what: Quantity, kind: &str, x: &Bound<'_, PyAny>) -> PyResult<Rows> {
    let (kind, x) = (Kind::read(kind)?, Table::read("x", x)?);
    match kind {
        Kind::VertexVertex => of_pair(what, &VERTEX_VERTEX, &x),
        Kind::VertexEdge => of_pair(what, &VERTEX_EDGE, &x),
        Kind::EdgeEdge => of_pair(what, &EDGE_EDGE, &x),
        Kind::VertexFace => of_pair(what, &VERTEX_FACE, &x),
    }
}

fn of_pair<const N: usize>(what: Quantity, pair: &Pair<N>, x: &Table) -> PyResult<Rows> {
    match x.columns() {
        2 => Ok(evaluate(what, pair, &positions::<2, N>(x)?)),
        3 => Ok(evaluate(what, pair, &positions::<3, N>(x)?)),
        columns => Err(wrong_dimension(columns)),
    }
}

/// Distance in m between the vertices, lines and planes through a pair of primitives.
///
/// Arguments as for `distance_squared`, of which it is the root.
#[pyfunction]
pub fn distance(kind: &str, x: &Bound<'_, PyAny>) -> PyResult<f64> {
    Ok(of_kind(Quantity::Distance, kind, x)?.0[0])
}

/// Gradient of `distance`, shape (N, D): ∂d/∂xᵢ = cᵢ r/|r|.
#[pyfunction]
pub fn distance_gradient<'py>(kind: &str, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(of_kind(Quantity::DistanceGradient, kind, x)?.table(x.py()))
}

/// Hessian of `distance` in 1/m, shape (N·D, N·D).
#[pyfunction]
pub fn distance_hessian<'py>(kind: &str, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(of_kind(Quantity::DistanceHessian, kind, x)?.table(x.py()))
}

/// Unit vector r/|r| from the closest point of the second primitive to that of the first, shape (D,).
#[pyfunction]
pub fn pair_normal<'py>(kind: &str, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(of_kind(Quantity::Normal, kind, x)?.list(x.py()))
}

/// Jacobian of `pair_normal` in 1/m, shape (D, N·D).
#[pyfunction]
pub fn pair_normal_jacobian<'py>(kind: &str, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(of_kind(Quantity::NormalJacobian, kind, x)?.table(x.py()))
}

/// Coordinates α of the closest points of lines and planes: none for 'vv', one for 've' (along the edge), two for 'ee' (along
/// each edge) and 'vf' (weights of f₁ and f₂). They may lie outside the primitives.
#[pyfunction]
pub fn closest_point<'py>(kind: &str, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(of_kind(Quantity::ClosestPoint, kind, x)?.list(x.py()))
}

/// Jacobian of `closest_point` in 1/m, one row for each coordinate, N·D columns.
#[pyfunction]
pub fn closest_point_jacobian<'py>(kind: &str, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(of_kind(Quantity::ClosestPointJacobian, kind, x)?.table(x.py()))
}

/// Weights c(α) of the vertices' velocities in the relative velocity Σ cᵢ vᵢ of two points of the primitives, shape (N,).
///
/// `alpha`: coordinates as `closest_point` gives them.
#[pyfunction]
pub fn relative_weights<'py>(kind: &str, alpha: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    fn of<const N: usize>(pair: &Pair<N>, alpha: &[f64]) -> PyResult<Vec<f64>> {
        let (found, free) = (alpha.len(), pair.free);
        if found != free {
            return Err(at("alpha", format!("has {found} numbers, expected {free} for this kind of pair")));
        }
        let number = |p: usize| alpha.get(p).copied().unwrap_or(0.0);
        Ok(pair.weights([number(0), number(1)]).to_vec())
    }
    let py = alpha.py();
    let alpha = reals("alpha", alpha)?;
    let weights = match Kind::read(kind)? {
        Kind::VertexVertex => of(&VERTEX_VERTEX, &alpha),
        Kind::VertexEdge => of(&VERTEX_EDGE, &alpha),
        Kind::EdgeEdge => of(&EDGE_EDGE, &alpha),
        Kind::VertexFace => of(&VERTEX_FACE, &alpha),
    };
    Ok(weights?.into_pyarray(py))
}

/// Derivative ∂c/∂α of `relative_weights`, one row for each coordinate, N columns. It depends on the kind only.
#[pyfunction]
pub fn relative_weights_jacobian<'py>(py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
    fn of<const N: usize>(pair: &Pair<N>) -> Rows {
        Rows(pair.directions[..pair.free].concat(), N)
    }
    let rows = match Kind::read(kind)? {
        Kind::VertexVertex => of(&VERTEX_VERTEX),
        Kind::VertexEdge => of(&VERTEX_EDGE),
        Kind::EdgeEdge => of(&EDGE_EDGE),
        Kind::VertexFace => of(&VERTEX_FACE),
    };
    Ok(rows.table(py))
}

/// Which features of the primitives are closest: for 've' the part of the edge, 'start', 'inside' or 'end'; for 'ee' the parts of
/// both; for 'vf' the part of the face, 'vertex k', 'edge k' (from vertex k to k + 1 of the face) or 'inside'; for 'vv' ''.
#[pyfunction]
pub fn closest_features(kind: &str, x: &Bound<'_, PyAny>) -> PyResult<String> {
    let (kind, x) = (Kind::read(kind)?, Table::read("x", x)?);
    match x.columns() {
        2 => features::<2>(kind, &x),
        3 => features::<3>(kind, &x),
        columns => Err(wrong_dimension(columns)),
    }
}

/// The closest features in words.
pub fn features<const D: usize>(kind: Kind, x: &Table) -> PyResult<String> {
    Ok(match kind {
        Kind::VertexVertex => {
            positions::<D, 2>(x)?;
            String::new()
        }
        Kind::VertexEdge => {
            let [p, a, b] = positions::<D, 3>(x)?;
            edge_part(closest::vertex_edge(p, a, b).0).into()
        }
        Kind::EdgeEdge => {
            let [a, b, c, d] = positions::<D, 4>(x)?;
            let (first, second) = closest::edge_edge([a, b], [c, d]).0;
            format!("{} {}", edge_part(first), edge_part(second))
        }
        Kind::VertexFace => {
            let [p, a, b, c] = positions::<D, 4>(x)?;
            match closest::vertex_face(p, [a, b, c]).0 {
                FacePart::Vertex(k) => format!("vertex {k}"),
                FacePart::Edge(k) => format!("edge {k}"),
                FacePart::Inside => "inside".into(),
            }
        }
    })
}

fn edge_part(part: EdgePart) -> &'static str {
    match part {
        EdgePart::Start => "start",
        EdgePart::End => "end",
        EdgePart::Inside => "inside",
    }
}

/// What is asked of a signed distance.
#[derive(Clone, Copy)]
enum Side {
    Value,
    Gradient,
    Hessian,
    Normal,
    NormalJacobian,
}

fn of_signed<const D: usize, const N: usize>(what: Side, signed: &Signed<D, N>) -> Rows {
    match what {
        Side::Value => Rows(vec![signed.value], 1),
        Side::Gradient => Rows(flat(&signed.gradient()).to_vec(), D),
        Side::Hessian => Rows(rows_of_blocks(&signed.hessian()), N * D),
        Side::Normal => Rows(signed.normal.0.to_vec(), D),
        Side::NormalJacobian => Rows(rows_of_vector(&signed.normal_jacobian()), N * D),
    }
}

fn signed_of_kind(what: Side, kind: &str, x: &Bound<'_, PyAny>) -> PyResult<Rows> {
    let (kind, x) = (Kind::read(kind)?, Table::read("x", x)?);
    match (kind, x.columns()) {
        (Kind::VertexEdge, 2) => Ok(of_signed(what, &signed::vertex_line(&positions::<2, 3>(&x)?))),
        (Kind::EdgeEdge, 3) => Ok(of_signed(what, &signed::line_line(&positions::<3, 4>(&x)?))),
        (Kind::VertexFace, 3) => Ok(of_signed(what, &signed::vertex_plane(&positions::<3, 4>(&x)?))),
        (_, columns) => Err(at(
            "kind",
            format!(
                "this kind of pair has no sides in {columns} dimensions: choose 've' in 2D, 'ee' or 'vf' in 3D"
            ),
        )),
    }
}

/// Signed distance in m: of a vertex from the line through an edge in 2D ('ve', positive to the left of e₀ → e₁), of a vertex from the
/// plane through a face ('vf', positive where (f₁ − f₀) × (f₂ − f₀) points), or between two lines in 3D ('ee', along (a₁ − a₀) ×
/// (b₁ − b₀)).
#[pyfunction]
pub fn signed_distance(kind: &str, x: &Bound<'_, PyAny>) -> PyResult<f64> {
    Ok(signed_of_kind(Side::Value, kind, x)?.0[0])
}

/// Gradient of `signed_distance`, shape (N, D).
#[pyfunction]
pub fn signed_distance_gradient<'py>(
    kind: &str,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(signed_of_kind(Side::Gradient, kind, x)?.table(x.py()))
}

/// Hessian of `signed_distance` in 1/m, shape (N·D, N·D).
#[pyfunction]
pub fn signed_distance_hessian<'py>(
    kind: &str,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(signed_of_kind(Side::Hessian, kind, x)?.table(x.py()))
}

/// Unit normal of `signed_distance`, towards which it grows, shape (D,).
#[pyfunction]
pub fn signed_normal<'py>(kind: &str, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(signed_of_kind(Side::Normal, kind, x)?.list(x.py()))
}

/// Jacobian of `signed_normal` in 1/m, shape (D, N·D).
#[pyfunction]
pub fn signed_normal_jacobian<'py>(kind: &str, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(signed_of_kind(Side::NormalJacobian, kind, x)?.table(x.py()))
}

/// The basis as a table with tangents as columns, or its Jacobian with one row for each entry, tangent after tangent.
fn of_tangents<const D: usize, const N: usize>(tangents: &Tangents<D, N>, derivative: bool) -> Rows {
    if derivative {
        let rows = tangents.jacobian[..D - 1].iter().flat_map(rows_of_vector);
        return Rows(rows.collect(), N * D);
    }
    Rows((0..D).flat_map(|k| tangents.basis[..D - 1].iter().map(move |t| t[k])).collect(), D - 1)
}

fn tangents_of_kind(derivative: bool, kind: &str, x: &Bound<'_, PyAny>) -> PyResult<Rows> {
    let (kind, x) = (Kind::read(kind)?, Table::read("x", x)?);
    Ok(match (kind, x.columns()) {
        (Kind::VertexVertex, 2) => of_tangents(&tangent::vertex_vertex(&positions::<2, 2>(&x)?), derivative),
        (Kind::VertexVertex, 3) => of_tangents(&tangent::vertex_vertex(&positions::<3, 2>(&x)?), derivative),
        (Kind::VertexEdge, 2) => of_tangents(&tangent::vertex_edge(&positions::<2, 3>(&x)?), derivative),
        (Kind::VertexEdge, 3) => of_tangents(&tangent::vertex_edge(&positions::<3, 3>(&x)?), derivative),
        (Kind::EdgeEdge, 3) => of_tangents(&tangent::edge_edge(&positions::<3, 4>(&x)?), derivative),
        (Kind::VertexFace, 3) => of_tangents(&tangent::vertex_face(&positions::<3, 4>(&x)?), derivative),
        (_, 2) => return Err(at("kind", "has no tangents in 2D: choose 'vv' or 've'")),
        (_, columns) => return Err(wrong_dimension(columns)),
    })
}

/// Unit vectors across the normal of a pair, as columns, shape (D, D − 1).
///
/// 'vv', 2D: x₁ − x₀ turned by 90°; 3D: x or y axis × (x₁ − x₀), and across it. 've', 2D: along the edge; 3D: also across it and
/// v − e₀. 'ee' and 'vf': along the first edge, and across it and the normal.
#[pyfunction]
pub fn tangent_basis<'py>(kind: &str, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(tangents_of_kind(false, kind, x)?.table(x.py()))
}

/// Jacobian of `tangent_basis` in 1/m, shape (D·(D − 1), N·D): rows are the entries of the first tangent, then of the second.
#[pyfunction]
pub fn tangent_basis_jacobian<'py>(kind: &str, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(tangents_of_kind(true, kind, x)?.table(x.py()))
}

pub fn four(name: &str, x: &Bound<'_, PyAny>) -> PyResult<[Vector<3>; 4]> {
    let rows = vectors::<3>(name, x)?;
    check_size(name, &rows)?;
    let found = rows.len();
    rows.try_into().map_err(|_| at(name, format!("has {found} rows, expected 4 for two edges")))
}

/// Threshold ε of the edge-edge mollifier in m⁴, from the edges (a₀, a₁, b₀, b₁) at rest, shape (4, 3): 10⁻³|U|²|V|².
#[pyfunction]
pub fn edge_edge_threshold(rest: &Bound<'_, PyAny>) -> PyResult<f64> {
    Ok(mollifier::threshold(&four("rest", rest)?))
}

/// Mollifier m of two edges (a₀, a₁, b₀, b₁) at positions `x` that were at `rest`, shapes (4, 3):
///
///     m = (2 − s/ε) s/ε  for s = |(a₁ − a₀) × (b₁ − b₀)|² < ε ,  1 beyond
#[pyfunction]
pub fn edge_edge_mollifier(x: &Bound<'_, PyAny>, rest: &Bound<'_, PyAny>) -> PyResult<f64> {
    let (x, rest) = (four("x", x)?, four("rest", rest)?);
    Ok(mollifier::value(mollifier::cross_squared(&x), mollifier::threshold(&rest)))
}

/// ∂m/∂x in 1/m, shape (4, 3).
#[pyfunction]
pub fn edge_edge_mollifier_gradient<'py>(
    x: &Bound<'py, PyAny>,
    rest: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let gradient = mollifier::gradient(&four("x", x)?, mollifier::threshold(&four("rest", rest)?));
    Ok(from_rows(x.py(), flat(&gradient), 3))
}

/// ∂²m/∂x² in 1/m², shape (12, 12).
#[pyfunction]
pub fn edge_edge_mollifier_hessian<'py>(
    x: &Bound<'py, PyAny>,
    rest: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let hessian = mollifier::hessian(&four("x", x)?, mollifier::threshold(&four("rest", rest)?));
    Ok(from_rows(x.py(), &rows_of_blocks(&hessian), 12))
}

/// ∂m/∂X in 1/m, by the positions at rest with those at present held, shape (4, 3).
#[pyfunction]
pub fn edge_edge_mollifier_rest_gradient<'py>(
    x: &Bound<'py, PyAny>,
    rest: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let gradient = mollifier::rest_gradient(&four("x", x)?, &four("rest", rest)?);
    Ok(from_rows(x.py(), flat(&gradient), 3))
}

/// ∂²m/∂x∂X in 1/m², shape (12, 12): rows belong to the positions at present, columns to those at rest.
#[pyfunction]
pub fn edge_edge_mollifier_mixed_hessian<'py>(
    x: &Bound<'py, PyAny>,
    rest: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let hessian = mollifier::mixed_hessian(&four("x", x)?, &four("rest", rest)?);
    Ok(from_rows(x.py(), &rows_of_blocks(&hessian), 12))
}
