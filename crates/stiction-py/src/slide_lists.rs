//! Slides as arrays.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use stiction::friction::slide::Detail;
use stiction::friction::{Mu, Slide, Slides};
use stiction::math::Vector;
use stiction::stencil::Stencil;

use crate::array::{from_rows, indices, numbers, reals_of_any_shape};
use crate::error::at;

/// Slides of one kind: vertices, numbers of details, and a row of numbers for each.
pub type Group<'py> = (Bound<'py, PyArray2<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

/// All kinds of slides, and the numbers of the details.
pub type Groups<'py> = (Vec<Group<'py>>, Bound<'py, PyArray1<f64>>);

/// Slides as arrays.
pub fn to_arrays<'py, const D: usize>(py: Python<'py>, slides: &Slides<D>) -> Groups<'py> {
    let Slides { vv, ve, ee, vf, obstacle, details } = slides;
    let groups = vec![group(py, vv), group(py, ve), group(py, ee), group(py, vf), group(py, obstacle)];
    (groups, PyArray1::from_iter(py, details.iter().flat_map(detail_row)))
}

fn group<'py, const D: usize, const N: usize>(py: Python<'py>, slides: &[Slide<D, N>]) -> Group<'py> {
    let vertices: Vec<u32> = slides.iter().flat_map(|slide| slide.stencil.0).collect();
    let details = slides.iter().map(|slide| slide.detail);
    let row = |slide: &Slide<D, N>| {
        let rest = [slide.force, slide.mu.s, slide.mu.k];
        slide.c.into_iter().chain(slide.normal.0).chain(rest).collect::<Vec<_>>()
    };
    (
        from_rows(py, &vertices, N),
        PyArray1::from_iter(py, details),
        PyArray1::from_iter(py, slides.iter().flat_map(row)),
    )
}

fn detail_row<const D: usize>(detail: &Detail<D>) -> Vec<f64> {
    let direction = detail.direction.unwrap_or(Vector::ZERO);
    let is_given = f64::from(u8::from(detail.direction.is_some()));
    let mut row: Vec<f64> = detail.drift.0.into_iter().chain(detail.axis.0).chain(direction.0).collect();
    row.push(is_given);
    row.extend(detail.scaling.into_iter().chain(detail.ellipse_s).chain(detail.ellipse_k));
    row.extend([detail.mu.s, detail.mu.k]);
    row
}

/// Slides from arrays, over so many vertices.
pub fn read<const D: usize>(stored: &Bound<'_, PyAny>, vertices: usize) -> PyResult<Slides<D>> {
    let (groups, details): (Vec<Bound<'_, PyAny>>, Bound<'_, PyAny>) = stored.extract()?;
    let [vv, ve, ee, vf, obstacle] = groups.as_slice() else {
        return Err(at("slides", "expected five lists"));
    };
    let numbers = reals_of_any_shape("slides", &details)?;
    if !numbers.len().is_multiple_of(3 * D + 9) {
        return Err(at("slides", "the lengths of the details do not fit"));
    }
    let details: Vec<Detail<D>> = numbers.chunks_exact(3 * D + 9).map(read_detail).collect();
    let count = details.len();
    Ok(Slides {
        vv: read_group(vv, vertices, count)?,
        ve: read_group(ve, vertices, count)?,
        ee: read_group(ee, vertices, count)?,
        vf: read_group(vf, vertices, count)?,
        obstacle: read_group(obstacle, vertices, count)?,
        details,
    })
}

fn read_group<const D: usize, const N: usize>(
    stored: &Bound<'_, PyAny>,
    vertices: usize,
    details: usize,
) -> PyResult<Vec<Slide<D, N>>> {
    let (stencils, which, rows): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) = stored.extract()?;
    let (stencils, which) = (indices::<N>("slides", &stencils)?, numbers("slides", &which)?);
    let rows = reals_of_any_shape("slides", &rows)?;
    if which.len() != stencils.len() || rows.len() != stencils.len() * (N + D + 3) {
        return Err(at("slides", "the lengths of the lists do not fit"));
    }
    let exists = |detail: u32| detail == Slide::<D, N>::PLAIN || (detail as usize) < details;
    if stencils.iter().flatten().any(|vertex| *vertex as usize >= vertices)
        || !which.iter().all(|d| exists(*d))
    {
        return Err(at("slides", "a vertex or a detail does not exist"));
    }
    let slides = stencils.into_iter().zip(which).zip(rows.chunks_exact(N + D + 3));
    Ok(slides.map(|((stencil, detail), row)| read_slide(stencil, detail, row)).collect())
}

fn read_slide<const D: usize, const N: usize>(stencil: [u32; N], detail: u32, row: &[f64]) -> Slide<D, N> {
    Slide {
        stencil: Stencil(stencil),
        detail,
        c: std::array::from_fn(|k| row[k]),
        normal: Vector(std::array::from_fn(|k| row[N + k])),
        force: row[N + D],
        mu: Mu { s: row[N + D + 1], k: row[N + D + 2] },
    }
}

fn read_detail<const D: usize>(row: &[f64]) -> Detail<D> {
    let part = |k: usize| Vector(std::array::from_fn(|i| row[k * D + i]));
    let pair = |k: usize| [row[3 * D + 1 + 2 * k], row[3 * D + 2 + 2 * k]];
    let [s, k] = pair(3);
    Detail {
        drift: part(0),
        axis: part(1),
        direction: (row[3 * D] != 0.0).then(|| part(2)),
        scaling: pair(0),
        ellipse_s: pair(1),
        ellipse_k: pair(2),
        mu: Mu { s, k },
    }
}
