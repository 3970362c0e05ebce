//! Contacts as lists of vertices.

use pyo3::prelude::*;
use stiction::closest::EdgePart;
use stiction::contact::{self, Contact, ObstacleContact, ParallelContact};
use stiction::stencil::Stencil;

use crate::array::{finite_reals, indices, numbers};
use crate::error::at;

/// A list that may be missing.
type List<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The lists of `Contacts.of`.
pub struct Lists<'a, 'py> {
    pub vv: List<'a, 'py>,
    pub ve: List<'a, 'py>,
    pub ee: List<'a, 'py>,
    pub vf: List<'a, 'py>,
    pub parallel: List<'a, 'py>,
    pub parts: List<'a, 'py>,
    pub thresholds: List<'a, 'py>,
    pub obstacle: List<'a, 'py>,
    pub numbers: List<'a, 'py>,
    pub weights: List<'a, 'py>,
}

impl Lists<'_, '_> {
    /// The contacts of a surface with so many vertices and obstacles.
    pub fn read(&self, vertices: usize, obstacles: usize) -> PyResult<contact::Contacts> {
        let mut contacts = contact::Contacts {
            vv: pairs("vv", self.vv, vertices)?,
            ve: pairs("ve", self.ve, vertices)?,
            ee: pairs("ee", self.ee, vertices)?,
            vf: pairs("vf", self.vf, vertices)?,
            parallel: self.parallel(vertices)?,
            obstacle: self.obstacle(vertices, obstacles)?,
        };
        if let Some(weights) = self.weights {
            set_weights(&mut contacts, weights)?;
        }
        Ok(contacts)
    }

    fn parallel(&self, vertices: usize) -> PyResult<Vec<ParallelContact>> {
        let edges = pairs("parallel", self.parallel, vertices)?;
        let parts: Vec<[u32; 2]> = self.parts.map_or(Ok(vec![]), |parts| indices("parts", parts))?;
        let thresholds = self.thresholds.map_or(Ok(vec![]), |list| finite_reals("thresholds", list))?;
        same_length("parts", parts.len(), edges.len())?;
        same_length("thresholds", thresholds.len(), edges.len())?;
        if let Some(entry) = thresholds.iter().position(|threshold| *threshold < 0.0) {
            return Err(at("thresholds", format!("entry {entry} is negative")));
        }
        let read = |(k, ((contact, parts), threshold)): (usize, ((Contact<4>, [u32; 2]), f64))| {
            let parts = (part(k, parts[0])?, part(k, parts[1])?);
            Ok(ParallelContact { contact, parts, threshold })
        };
        edges.into_iter().zip(parts).zip(thresholds).enumerate().map(read).collect()
    }

    fn obstacle(&self, vertices: usize, obstacles: usize) -> PyResult<Vec<ObstacleContact>> {
        let near = self.obstacle.map_or(Ok(vec![]), |list| numbers("obstacle", list))?;
        let planes = self.numbers.map_or(Ok(vec![]), |list| numbers("numbers", list))?;
        same_length("numbers", planes.len(), near.len())?;
        in_range("obstacle", &near, vertices, "vertices")?;
        in_range("numbers", &planes, obstacles, "obstacles")?;
        let contact =
            |(vertex, obstacle)| ObstacleContact { stencil: Stencil([vertex]), obstacle, weight: 1.0 };
        Ok(near.into_iter().zip(planes).map(contact).collect())
    }
}

fn pairs<const N: usize>(name: &str, list: List<'_, '_>, vertices: usize) -> PyResult<Vec<Contact<N>>> {
    let stencils: Vec<[u32; N]> = list.map_or(Ok(vec![]), |list| indices(name, list))?;
    for (row, stencil) in stencils.iter().enumerate() {
        in_range(&format!("{name}, row {row}"), stencil, vertices, "vertices")?;
        if let Some(k) = (1..N).find(|k| stencil[..*k].contains(&stencil[*k])) {
            return Err(at(name, format!("row {row} names vertex {} twice", stencil[k])));
        }
    }
    Ok(stencils.into_iter().map(|stencil| Contact { stencil: Stencil(stencil), weight: 1.0 }).collect())
}

fn part(row: usize, number: u32) -> PyResult<EdgePart> {
    match number {
        0 => Ok(EdgePart::Start),
        1 => Ok(EdgePart::End),
        2 => Ok(EdgePart::Inside),
        _ => Err(at("parts", format!("row {row} has {number}, expected 0, 1 or 2"))),
    }
}

fn same_length(name: &str, found: usize, expected: usize) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(at(name, format!("has {found} entries, expected {expected}, one for each contact")))
}

fn in_range(name: &str, list: &[u32], count: usize, what: &str) -> PyResult<()> {
    match list.iter().find(|number| **number as usize >= count) {
        Some(number) => Err(at(name, format!("{number} is out of range: there are {count} {what}"))),
        None => Ok(()),
    }
}

/// Gives the contacts the weights of a list.
pub fn set_weights(contacts: &mut contact::Contacts, weights: &Bound<'_, PyAny>) -> PyResult<()> {
    let weights = finite_reals("weights", weights)?;
    contacts.set_weights(&weights).map_err(|error| at("weights", error))
}
