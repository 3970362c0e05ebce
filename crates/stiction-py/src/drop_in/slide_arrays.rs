//! Slides that have what arrays say, one by one: what is written on ipctk's collisions.

use pyo3::prelude::*;
use stiction::friction::{self, Detail, Mu, Slide, axis};
use stiction::math::Vector;

use crate::array::{finite_reals, vectors};
use crate::contacts::{AnyContacts, Contacts};
use crate::error::at;
use crate::slides::{AnySlides, Held, Slides};

/// Slides of the same contacts that have what is given, arrays with a row for each contact, in their order, and the rest of `slides`.
///
/// `forces`: normal forces in N, shape (k,). `mu`: effective coefficients, shape (k, 2), and `own_mu` those that they are where there is no
/// direction to them. `scaling`, `static_axes`, `kinetic_axes`: as for the constructor, shape (k, 2); where one of them is given,
/// what is not is ones and zeros. `normals`: unit vectors, shape (k, D), and `axes`: the first axes of anisotropic friction, across the normals;
/// a row of zeros leaves a slide its own.
/// `closest`: weights of the vertices in the relative velocity, shape (k, 4), zeros beyond the last vertex.
/// `weights`: of the contacts, shape (k,), for `FrictionPotential.force`.
#[pyfunction]
#[pyo3(signature = (
    slides, *, forces=None, mu=None, own_mu=None, scaling=None, static_axes=None, kinetic_axes=None, normals=None, axes=None,
    closest=None, weights=None
))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn replaced(
    py: Python<'_>,
    slides: &Slides,
    forces: Option<&Bound<'_, PyAny>>,
    mu: Option<&Bound<'_, PyAny>>,
    own_mu: Option<&Bound<'_, PyAny>>,
    scaling: Option<&Bound<'_, PyAny>>,
    static_axes: Option<&Bound<'_, PyAny>>,
    kinetic_axes: Option<&Bound<'_, PyAny>>,
    normals: Option<&Bound<'_, PyAny>>,
    axes: Option<&Bound<'_, PyAny>>,
    closest: Option<&Bound<'_, PyAny>>,
    weights: Option<&Bound<'_, PyAny>>,
) -> PyResult<Slides> {
    let arrays = Arrays { forces, mu, own_mu, scaling, static_axes, kinetic_axes, normals, axes, closest };
    Ok(Slides(match &slides.0 {
        AnySlides::Flat(held) => AnySlides::Flat(arrays.applied_to(py, held, weights)?),
        AnySlides::Solid(held) => AnySlides::Solid(arrays.applied_to(py, held, weights)?),
    }))
}

/// The same slides with other contacts, which must be of the same vertices: normal forces taken anew, the rest as it is.
#[pyfunction]
pub fn of_contacts(py: Python<'_>, slides: &Slides, contacts: &Contacts) -> PyResult<Slides> {
    Ok(Slides(match (&slides.0, &contacts.0) {
        (AnySlides::Flat(held), AnyContacts::Flat(touching)) => {
            AnySlides::Flat(held.lagged_at(py, touching, held.x.clone())?)
        }
        (AnySlides::Solid(held), AnyContacts::Solid(touching)) => {
            AnySlides::Solid(held.lagged_at(py, touching, held.x.clone())?)
        }
        _ => return Err(at("contacts", "are of another dimension")),
    }))
}

/// An array that may be missing.
type Array<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The arrays of [`replaced`].
struct Arrays<'a, 'py> {
    forces: Array<'a, 'py>,
    mu: Array<'a, 'py>,
    own_mu: Array<'a, 'py>,
    scaling: Array<'a, 'py>,
    static_axes: Array<'a, 'py>,
    kinetic_axes: Array<'a, 'py>,
    normals: Array<'a, 'py>,
    axes: Array<'a, 'py>,
    closest: Array<'a, 'py>,
}

/// What replaces what slides have, in the order of the contacts.
struct Replacement<const D: usize> {
    forces: Option<Vec<f64>>,
    mu: Option<Vec<Vector<2>>>,
    own_mu: Option<Vec<Vector<2>>>,
    /// Scaling, static and kinetic axes.
    anisotropy: Option<[Vec<Vector<2>>; 3]>,
    normals: Option<Vec<Vector<D>>>,
    axes: Option<Vec<Vector<D>>>,
    /// Weights of the vertices in the relative velocity; those beyond the last vertex do not matter.
    closest: Option<Vec<Vector<4>>>,
}

impl Arrays<'_, '_> {
    fn applied_to<const D: usize>(
        &self,
        py: Python<'_>,
        held: &Held<D>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Held<D>> {
        let touching = match weights {
            Some(weights) => held.touching.with_weights(weights, true)?.into(),
            None => held.touching.clone(),
        };
        let mut slides = held.copied(py);
        let replacement: Replacement<D> = self.read(slides.len())?;
        replacement.apply(&mut slides, held.touching.contacts.ee.len(), &held.x);
        Ok(Held::of(touching, held.barrier.clone(), held.x.clone(), slides))
    }

    /// Reads them, for so many slides.
    fn read<const D: usize>(&self, count: usize) -> PyResult<Replacement<D>> {
        let some = self.scaling.is_some() || self.static_axes.is_some() || self.kinetic_axes.is_some();
        let pair = |name, array: Array<'_, '_>, otherwise: f64| match array {
            Some(array) => not_negative(name, rows(name, array, count)?),
            None => Ok(vec![Vector([otherwise; 2]); count]),
        };
        let anisotropy = || {
            Ok::<_, PyErr>([
                pair("scaling", self.scaling, 1.0)?,
                pair("static_axes", self.static_axes, 0.0)?,
                pair("kinetic_axes", self.kinetic_axes, 0.0)?,
            ])
        };
        let mu = |name, array: Array<'_, '_>| {
            array.map(|array| not_negative(name, rows(name, array, count)?)).transpose()
        };
        Ok(Replacement {
            forces: self.forces.map(|forces| numbers("forces", forces, count)).transpose()?,
            mu: mu("mu", self.mu)?,
            own_mu: mu("own_mu", self.own_mu)?,
            anisotropy: some.then(anisotropy).transpose()?,
            normals: self.normals.map(|normals| units("normals", normals, count)).transpose()?,
            axes: self.axes.map(|axes| rows("axes", axes, count)).transpose()?,
            closest: self.closest.map(|closest| rows("closest", closest, count)).transpose()?,
        })
    }
}

fn numbers(name: &str, array: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<f64>> {
    let values = finite_reals(name, array)?;
    same_length(name, values.len(), count)?;
    Ok(values)
}

fn rows<const N: usize>(name: &str, array: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Vector<N>>> {
    let values = vectors(name, array)?;
    same_length(name, values.len(), count)?;
    Ok(values)
}

fn not_negative(name: &str, values: Vec<Vector<2>>) -> PyResult<Vec<Vector<2>>> {
    match values.iter().position(|value| value.0.iter().any(|entry| *entry < 0.0)) {
        Some(row) => Err(at(name, format!("row {row} has a negative number"))),
        None => Ok(values),
    }
}

/// Unit vectors, up to rounding of whoever made them.
fn units<const D: usize>(name: &str, array: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Vector<D>>> {
    let values: Vec<Vector<D>> = rows(name, array, count)?;
    match values.iter().position(|value| (value.norm() - 1.0).abs() > 1e-6) {
        Some(row) => Err(at(name, format!("row {row} is no unit vector"))),
        None => Ok(values),
    }
}

fn same_length(name: &str, found: usize, expected: usize) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(at(name, format!("has {found} rows, expected {expected}, one for each contact")))
}

impl<const D: usize> Replacement<D> {
    /// Replaces what slides have, of which the first `edges` of two edges are not nearly parallel; `x`: where they were lagged.
    fn apply(&self, slides: &mut friction::Slides<D>, edges: usize, x: &[Vector<D>]) {
        if self.anisotropy.is_some() {
            slides.details.clear();
        }
        let friction::Slides { obstacle, vv, ve, ee, vf, details } = slides;
        let edges = edges.min(ee.len());
        let (edges, parallel) = ee.split_at_mut(edges);
        let mut next = 0;
        let mut each = Each { with: self, details, x, next: &mut next };
        each.slides(vv, None);
        each.slides(ve, Some([1, 2]));
        each.slides(edges, Some([0, 1]));
        each.slides(vf, Some([1, 2]));
        each.slides(parallel, Some([0, 1]));
        each.slides(obstacle, None);
    }
}

/// The slides as they are gone through.
struct Each<'a, const D: usize> {
    with: &'a Replacement<D>,
    details: &'a mut Vec<Detail<D>>,
    x: &'a [Vector<D>],
    next: &'a mut usize,
}

impl<const D: usize> Each<'_, D> {
    /// Of one kind, with the edge of the stencil that its own first axis is along.
    fn slides<const N: usize>(&mut self, slides: &mut [Slide<D, N>], edge: Option<[usize; 2]>) {
        for slide in slides {
            let k = *self.next;
            *self.next += 1;
            self.plain(slide, k);
            self.anisotropic(slide, k, edge);
        }
    }

    fn plain<const N: usize>(&self, slide: &mut Slide<D, N>, k: usize) {
        if let Some(forces) = &self.with.forces {
            slide.force = forces[k];
        }
        if let Some(mu) = &self.with.mu {
            slide.mu = pair(mu[k]);
        }
        if let Some(normals) = &self.with.normals {
            slide.normal = normals[k];
        }
        if let Some(closest) = &self.with.closest {
            slide.c = std::array::from_fn(|i| closest[k].0[i.min(3)]);
        }
    }

    fn anisotropic<const N: usize>(&mut self, slide: &mut Slide<D, N>, k: usize, edge: Option<[usize; 2]>) {
        if let Some([scaling, s, kinetic]) = &self.with.anisotropy {
            let (scaling, s, kinetic) = (scaling[k].0, s[k].0, kinetic[k].0);
            slide.detail = Slide::<D, N>::PLAIN;
            if scaling != [1.0; 2] || s != [0.0; 2] || kinetic != [0.0; 2] {
                slide.detail = self.details.len() as u32;
                let along = edge.map(|[i, j]| self.at(slide, j) - self.at(slide, i));
                let axis = axis::own(along, slide.normal);
                self.details.push(Detail {
                    drift: Vector::ZERO,
                    axis,
                    direction: None,
                    scaling,
                    ellipse_s: s,
                    ellipse_k: kinetic,
                    mu: slide.mu,
                });
            }
        }
        let Some(detail) = self.details.get_mut(slide.detail as usize) else { return };
        if let Some(own) = &self.with.own_mu {
            detail.mu = pair(own[k]);
        }
        if let Some(axes) = &self.with.axes
            && axes[k] != Vector::ZERO
        {
            detail.axis = axes[k].normalized();
        }
    }

    fn at<const N: usize>(&self, slide: &Slide<D, N>, vertex: usize) -> Vector<D> {
        self.x[slide.stencil.0[vertex] as usize]
    }
}

fn pair(Vector([s, k]): Vector<2>) -> Mu {
    Mu { s, k }
}
