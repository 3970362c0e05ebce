//! Whether two primitives share a point, decided exactly.

use pyo3::prelude::*;
use stiction::crossing;
use stiction::math::Vector;

use crate::array::{Table, vectors};
use crate::distance::{exact_positions, wrong_dimension};
use crate::error::at;

/// Whether two closed segments share a point: exact, also where they only touch or have no length.
///
/// `x`: positions of their ends (p₀, p₁, q₀, q₁), shape (4, D), D = 2 or 3, in m.
#[pyfunction]
pub fn segments_meet(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    fn of<const D: usize>(x: &Table) -> PyResult<bool> {
        let [p0, p1, q0, q1] = exact_positions::<D, 4>(x)?;
        Ok(crossing::segments_meet([p0, p1], [q0, q1]))
    }
    let x = Table::read("x", x)?;
    match x.columns() {
        2 => of::<2>(&x),
        3 => of::<3>(&x),
        columns => Err(wrong_dimension(columns)),
    }
}

/// Whether a closed segment and a closed triangle share a point: exact, also where they only touch, lie in one plane or have no extent.
///
/// `x`: positions of the ends of the segment and of the vertices of the triangle, shape (5, 3), in m.
#[pyfunction]
pub fn segment_meets_triangle(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    let rows = vectors::<3>("x", x)?;
    let found = rows.len();
    let rows: [Vector<3>; 5] = rows
        .try_into()
        .map_err(|_| at("x", format!("has {found} rows, expected 5 for a segment and a triangle")))?;
    let [p0, p1, t0, t1, t2] = rows;
    Ok(crossing::segment_meets_triangle([p0, p1], [t0, t1, t2]))
}
