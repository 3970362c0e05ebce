//! Motions from one configuration to another, and how far parts of them may go.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use stiction::broad_phase::{BroadPhaseKind, Candidates, Primitive};
use stiction::ccd::{self, Ccd, PairSearch, Query};
use stiction::closest::{self, EdgePart, FacePart};
use stiction::math::Vector;
use stiction::mesh;
use stiction::ogc::{feasible, shorten_to_balls};

use crate::array::{Table, from_vectors, reals, vector, vectors};
use crate::candidates::pair_array;
use crate::contacts::read_candidates;
use crate::distance::{Kind, exact_positions, wrong_dimension};
use crate::error::{at, plain};
use crate::obstacles::Obstacles;
use crate::shared_surface::SharedSurface;
use crate::surface::{AnySurface, Surface, either, vertex_field};
use crate::way::{Near, Way};

/// Collision detection by a rule, which is a tuple in Python: method, minimum distance, part of the rest that is kept, and the most of it, in m.
#[derive(Clone, Copy)]
pub struct Rule(Ccd);

impl<'py> FromPyObject<'_, 'py> for Rule {
    type Error = PyErr;

    fn extract(rule: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (method, min_distance, keep, most_kept): (String, f64, f64, f64) = rule.extract()?;
        let kind = method.parse().map_err(|error| at("method", error))?;
        let ccd =
            Ccd::new(kind).with_min_distance(min_distance).map_err(|error| at("min_distance", error))?;
        let ccd = ccd.with_keep(keep).map_err(|error| plain(&error))?;
        ccd.with_most_kept(most_kept).map(Self).map_err(|error| plain(&error))
    }
}

/// The way from `vertices_t0` to `vertices_t1`, as ipctk calls them.
fn read_way<'a, const D: usize>(
    surface: &'a SharedSurface<D>,
    start: &Bound<'_, PyAny>,
    end: &Bound<'_, PyAny>,
    obstacles: Option<&Bound<'_, PyAny>>,
) -> PyResult<Way<'a, D>> {
    let start = vertex_field(surface, "vertices_t0", start)?;
    let end = vertex_field(surface, "vertices_t1", end)?;
    Way::new(surface, start, end, obstacles)
}

/// The largest fraction of a motion from `start` to `end` that keeps distances by a rule (method, minimum distance, part of the
/// rest, the most of it), for the pairs in `near`: a name of a broad phase, or pairs as `candidates` returns them.
#[pyfunction]
#[pyo3(signature = (surface, start, end, rule, near, obstacles=None))]
pub fn path_step(
    surface: &Surface,
    start: &Bound<'_, PyAny>,
    end: &Bound<'_, PyAny>,
    rule: Rule,
    near: &Bound<'_, PyAny>,
    obstacles: Option<&Bound<'_, PyAny>>,
) -> PyResult<f64> {
    let near = Near::read(near)?;
    either!(AnySurface, &surface.0, surface => {
        let way = read_way(surface, start, end, obstacles)?;
        start.py().detach(|| way.largest_step(&rule.0, &near)).map_err(|error| plain(&error))
    })
}

/// Whether that whole motion is proven to keep the minimum distance. Arguments as for `path_step`.
#[pyfunction]
#[pyo3(signature = (surface, start, end, rule, near, obstacles=None))]
pub fn path_is_free(
    surface: &Surface,
    start: &Bound<'_, PyAny>,
    end: &Bound<'_, PyAny>,
    rule: Rule,
    near: &Bound<'_, PyAny>,
    obstacles: Option<&Bound<'_, PyAny>>,
) -> PyResult<bool> {
    let near = Near::read(near)?;
    either!(AnySurface, &surface.0, surface => {
        let way = read_way(surface, start, end, obstacles)?;
        start.py().detach(|| way.is_free(&rule.0, &near)).map_err(|error| plain(&error))
    })
}

/// The largest fraction of the motion of one pair from `start` to `end`, shapes (N, D), that keeps its distance by a rule as for
/// `path_step`; `kind` as for `distance_squared`.
#[pyfunction]
pub fn pair_step(kind: &str, start: &Bound<'_, PyAny>, end: &Bound<'_, PyAny>, rule: Rule) -> PyResult<f64> {
    let kind = Kind::read(kind)?;
    let (start, end) = (Table::read("start", start)?, Table::read("end", end)?);
    match start.columns() {
        2 => Ok(rule.0.largest_step_of(&query::<2>(kind, &start, &end)?)),
        3 => Ok(rule.0.largest_step_of(&query::<3>(kind, &start, &end)?)),
        columns => Err(wrong_dimension(columns)),
    }
}

fn query<const D: usize>(kind: Kind, start: &Table, end: &Table) -> PyResult<Query<D>> {
    Ok(match kind {
        Kind::VertexVertex => Query::VertexVertex(exact_positions(start)?, exact_positions(end)?),
        Kind::VertexEdge => Query::VertexEdge(exact_positions(start)?, exact_positions(end)?),
        Kind::EdgeEdge => Query::EdgeEdge(exact_positions(start)?, exact_positions(end)?),
        Kind::VertexFace => Query::VertexFace(exact_positions(start)?, exact_positions(end)?),
    })
}

/// The smallest distance in m of the given pairs of each vertex at positions x, shape (n,); infinite without any.
#[pyfunction]
pub fn vertex_distances<'py>(
    surface: &Surface,
    candidates: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let near = read_candidates(candidates)?;
    let distances = either!(AnySurface, &surface.0, surface => {
        let x = vertex_field(surface, "vertices", x)?;
        candidates.py().detach(|| ccd::vertex_distances(surface, &near, &x)).map_err(|error| plain(&error))?
    });
    Ok(PyArray1::from_vec(x.py(), distances))
}

/// How far in m each vertex may move from x whatever the others do, looking as far as `reach` in m; infinite for vertices that
/// take no part. `rule` as for `path_step`.
#[pyfunction]
#[pyo3(signature = (surface, x, reach, rule, broad_phase, obstacles=None))]
pub fn safe_distances<'py>(
    surface: &Surface,
    x: &Bound<'py, PyAny>,
    reach: f64,
    rule: Rule,
    broad_phase: &str,
    obstacles: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let broad_phase = broad_phase.parse().map_err(|error| at("broad_phase", error))?;
    let distances = either!(AnySurface, &surface.0, surface => {
        let field = vertex_field(surface, "x", x)?;
        let obstacles = Obstacles::read(obstacles)?.solids;
        let search = PairSearch { reach, broad_phase };
        let found = || rule.0.safe_distances_within(surface, &obstacles, &field, search);
        x.py().detach(found).map_err(|error| plain(&error))?
    });
    Ok(PyArray1::from_vec(x.py(), distances))
}

/// The part of its way from `start` to `end` that each vertex may go where planes divide the pairs within `reach` in m, shape (n,).
/// `rule` as for `path_step`.
#[pyfunction]
#[pyo3(signature = (surface, start, end, reach, rule, obstacles=None))]
pub fn divided_steps<'py>(
    surface: &Surface,
    start: &Bound<'py, PyAny>,
    end: &Bound<'py, PyAny>,
    reach: f64,
    rule: Rule,
    obstacles: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let parts = either!(AnySurface, &surface.0, surface => {
        let way = read_way(surface, start, end, obstacles)?;
        let search = PairSearch { reach, broad_phase: BroadPhaseKind::default() };
        let divided = || rule.0.divided_steps(&way.moving(), &way.obstacles, search);
        start.py().detach(divided).map_err(|error| plain(&error))?
    });
    Ok(PyArray1::from_vec(start.py(), parts))
}

/// The steps from x, shortened to end in balls (centers, radii), and how many were held; all of shape (n, D) but the radii, (n,).
#[pyfunction]
pub fn shortened_to_balls<'py>(
    centers: &Bound<'py, PyAny>,
    radii: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    step: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
    let (x, radii) = (Table::read("x", x)?, reals("trust_region_radii", radii)?);
    match x.columns() {
        2 => shortened::<2>(centers, &radii, &x, step),
        3 => shortened::<3>(centers, &radii, &x, step),
        columns => Err(wrong_dimension(columns)),
    }
}

fn shortened<'py, const D: usize>(
    centers: &Bound<'py, PyAny>,
    radii: &[f64],
    x: &Table,
    step: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
    let centers_of = vectors::<D>("trust_region_centers", centers)?;
    let mut steps = vectors::<D>("dx", step)?;
    let held = shorten_to_balls(&centers_of, radii, &x.vectors::<D>("x")?, &mut steps);
    Ok((from_vectors(step.py(), &steps), held.map_err(|error| plain(&error))?))
}

/// All pairs of two kinds of primitives whose boxes meet, shape (k, 2): `kinds` is two of "v", "e", "f"; the rest as for `candidates`.
#[pyfunction]
#[pyo3(signature = (surface, kinds, x, x_end, inflation, method))]
pub fn primitive_pairs<'py>(
    surface: &Surface,
    kinds: &str,
    x: &Bound<'py, PyAny>,
    x_end: &Bound<'py, PyAny>,
    inflation: f64,
    method: &str,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let kind: BroadPhaseKind = method.parse().map_err(|error| at("method", error))?;
    let primitives = read_kinds(kinds)?;
    let pairs = either!(AnySurface, &surface.0, surface => {
        let (start, end) = (vertex_field(surface, "x", x)?, vertex_field(surface, "x_end", x_end)?);
        let found = || kind.pairs(&mesh::MovingSurface::new(surface, &start, &end), primitives, inflation);
        x.py().detach(found).map_err(|error| plain(&error))?
    });
    pair_array(x.py(), pairs)
}

fn read_kinds(kinds: &str) -> PyResult<[Primitive; 2]> {
    let primitive = |letter| match letter {
        'v' => Some(Primitive::Vertex),
        'e' => Some(Primitive::Edge),
        'f' => Some(Primitive::Face),
        _ => None,
    };
    let found: Option<Vec<_>> = kinds.chars().map(primitive).collect();
    found
        .and_then(|found| found.try_into().ok())
        .ok_or_else(|| at("kinds", format!("\"{kinds}\" is unknown: choose two of \"v\", \"e\", \"f\"")))
}

/// Whether a pair of primitives at positions x counts as a contact of offset geometry: `kind` 've', 'ee' or 'vf', `pair` their
/// numbers in that order, `part` the number of the closest part if it is known: ends, then inside (edges), vertices, edges, inside
/// (faces), all pairs of ends, then the others (two edges).
#[pyfunction]
#[pyo3(signature = (surface, x, kind, pair, part=None))]
pub fn is_feasible(
    surface: &Surface,
    x: &Bound<'_, PyAny>,
    kind: &str,
    pair: (u32, u32),
    part: Option<usize>,
) -> PyResult<bool> {
    let kind = Kind::read(kind)?;
    either!(AnySurface, &surface.0, surface => {
        let x = vertex_field(surface, "vertices", x)?;
        check_pair(surface, kind, pair)?;
        Ok(feasible_pair(surface, &x, kind, pair, part))
    })
}

/// Checks that there are such primitives.
fn check_pair<const D: usize>(surface: &mesh::Surface<D>, kind: Kind, pair: (u32, u32)) -> PyResult<()> {
    let mut listed = Candidates::default();
    match kind {
        Kind::VertexVertex => return Err(at("kind", "'vv' has no regions: choose 've', 'ee' or 'vf'")),
        Kind::VertexEdge => listed.ve.push(pair),
        Kind::EdgeEdge => listed.ee.push(pair),
        Kind::VertexFace => listed.vf.push(pair),
    }
    listed.check(surface).map_err(|error| plain(&error))
}

fn feasible_pair<const D: usize>(
    surface: &mesh::Surface<D>,
    x: &[Vector<D>],
    kind: Kind,
    pair: (u32, u32),
    part: Option<usize>,
) -> bool {
    const EDGE: [EdgePart; 3] = [EdgePart::Start, EdgePart::End, EdgePart::Inside];
    let at = |v: u32| x[v as usize];
    let edge = |e: u32| surface.edges()[e as usize].map(at);
    match kind {
        Kind::VertexVertex => true,
        Kind::VertexEdge => {
            let [a, b] = edge(pair.1);
            let known = part.and_then(|part| EDGE.get(part).copied());
            let part = known.unwrap_or_else(|| closest::vertex_edge(at(pair.0), a, b).0);
            feasible::vertex_edge(surface, x, pair, part)
        }
        Kind::EdgeEdge => {
            const BOTH: [(usize, usize); 9] =
                [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (0, 2), (1, 2), (2, 2)];
            let known = part.and_then(|part| BOTH.get(part)).map(|&(p, q)| (EDGE[p], EDGE[q]));
            let (first, second) = known.unwrap_or_else(|| closest::edge_edge(edge(pair.0), edge(pair.1)).0);
            feasible::edge_edge(surface, x, pair, first, second)
        }
        Kind::VertexFace => {
            let known = part.filter(|part| *part < 7).map(|part| match part {
                0..3 => FacePart::Vertex(part),
                3..6 => FacePart::Edge(part - 3),
                _ => FacePart::Inside,
            });
            let corners = surface.faces()[pair.1 as usize].map(at);
            let part = known.unwrap_or_else(|| closest::vertex_face(at(pair.0), corners).0);
            feasible::vertex_face(surface, x, pair, part)
        }
    }
}

/// Whether a point belongs to a vertex (`kind` 'v') or an edge ('e') of the surface at positions x, by its number.
#[pyfunction]
pub fn belongs_to(
    surface: &Surface,
    x: &Bound<'_, PyAny>,
    point: &Bound<'_, PyAny>,
    kind: &str,
    number: u32,
) -> PyResult<bool> {
    either!(AnySurface, &surface.0, surface => {
        let (x, point) = (vertex_field(surface, "vertices", x)?, vector("point", point)?);
        let count = if kind == "v" { x.len() } else { surface.edges().len() };
        if number as usize >= count {
            return Err(at("number", format!("is {number}, but there are {count} (counted from 0)")));
        }
        Ok(if kind == "v" {
            feasible::belongs_to_vertex(surface, &x, point, number)
        } else {
            feasible::belongs_to_edge(surface, &x, point, number)
        })
    })
}
