//! What weights depend on, as arrays.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use stiction::contact::sources::Shares;
use stiction::contact::{AreaShare, WeightSources};

use crate::array::{from_rows, indices, numbers, reals};
use crate::error::at;

/// The shares of one kind of contacts: how many each has, vertices (0) or edges (1) with their numbers, factors.
pub type SharesArrays<'py> =
    (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray2<u32>>, Bound<'py, PyArray1<f64>>);

/// The lists of all kinds, in the order of the contacts.
pub fn to_arrays<'py>(py: Python<'py>, sources: &WeightSources) -> Vec<SharesArrays<'py>> {
    let WeightSources { vv, ve, ee, vf, parallel, obstacle } = sources;
    [vv, ve, ee, vf, parallel, obstacle].map(|shares| shares_to_arrays(py, shares)).into()
}

fn shares_to_arrays<'py>(py: Python<'py>, shares: &Shares) -> SharesArrays<'py> {
    let lists = || (0..shares.len()).map(|k| shares.of(k));
    let counts = PyArray1::from_iter(py, lists().map(|list| list.len() as u32));
    let places: Vec<u32> = lists().flatten().flat_map(place).collect();
    let factors = lists().flatten().map(|share| match share {
        AreaShare::Vertex(_, factor) | AreaShare::Edge(_, factor) => *factor,
    });
    (counts, from_rows(py, &places, 2), PyArray1::from_iter(py, factors))
}

fn place(share: &AreaShare) -> [u32; 2] {
    match share {
        AreaShare::Vertex(vertex, _) => [0, *vertex],
        AreaShare::Edge(edge, _) => [1, *edge],
    }
}

/// The lists of all kinds from arrays, for contacts of which there are so many of each kind.
pub fn read(lists: &Bound<'_, PyAny>, vertices: usize, edges: usize) -> PyResult<WeightSources> {
    let lists = lists.try_iter()?.map(|list| read_shares(&list?, vertices, edges));
    let lists: Vec<Shares> = lists.collect::<PyResult<_>>()?;
    let Ok([vv, ve, ee, vf, parallel, obstacle]) = <[Shares; 6]>::try_from(lists) else {
        return Err(at("sources", "expected six lists"));
    };
    Ok(WeightSources { vv, ve, ee, vf, parallel, obstacle })
}

fn read_shares(list: &Bound<'_, PyAny>, vertices: usize, edges: usize) -> PyResult<Shares> {
    let (counts, places, factors): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) = list.extract()?;
    let (counts, places) = (numbers("sources", &counts)?, indices::<2>("sources", &places)?);
    let factors = reals("sources", &factors)?;
    let total: usize = counts.iter().map(|count| *count as usize).sum();
    if places.len() != total || factors.len() != total {
        return Err(at("sources", "the lengths of the lists do not fit"));
    }
    let mut all = Vec::with_capacity(total);
    for (place, factor) in places.into_iter().zip(factors) {
        all.push(match place {
            [0, vertex] if (vertex as usize) < vertices => AreaShare::Vertex(vertex, factor),
            [1, edge] if (edge as usize) < edges => AreaShare::Edge(edge, factor),
            _ => return Err(at("sources", "a vertex or an edge does not exist")),
        });
    }
    let (mut shares, mut rest) = (Shares::default(), all.into_iter());
    for count in counts {
        shares.push(rest.by_ref().take(count as usize));
    }
    Ok(shares)
}
