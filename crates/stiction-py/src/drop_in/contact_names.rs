//! Contacts by the numbers of their primitives, as ipctk names collisions.

use pyo3::prelude::*;
use stiction::contact::Contact;
use stiction::stencil::Stencil;

use crate::contacts::{AnyContacts, Contacts};
use crate::error::at;
use crate::surface::either;

/// The numbers by which the surface knows the primitives of all contacts of a kind, a list for the first and one for the second:
/// of "vv" two vertices, of "ve" an edge and a vertex, of "ee" two edges, nearly parallel ones last.
#[pyfunction]
pub fn primitives(contacts: &Contacts, kind: &str) -> PyResult<(Vec<u32>, Vec<u32>)> {
    either!(AnyContacts, &contacts.0, touching => {
        let none = |[a, b]: [u32; 2]| at("contacts", format!("vertices {a} and {b} have no edge in this surface"));
        let edge = |a, b| touching.surface.edge_between(a, b).ok_or_else(|| none([a, b]));
        let c = &touching.contacts;
        let pairs: PyResult<Vec<(u32, u32)>> = match kind {
            "vv" => Ok(c.vv.iter().map(|c| (c.stencil.0[0], c.stencil.0[1])).collect()),
            "ve" => c.ve.iter().map(|c| Ok((edge(c.stencil.0[1], c.stencil.0[2])?, c.stencil.0[0]))).collect(),
            "ee" => {
                let parallel = c.parallel.iter().map(|c| c.contact.stencil);
                let all = c.ee.iter().map(|c| c.stencil).chain(parallel);
                all.map(|Stencil([a, b, c, d])| Ok((edge(a, b)?, edge(c, d)?))).collect()
            }
            _ => Err(at("kind", format!("\"{kind}\" is none of \"vv\", \"ve\", \"ee\""))),
        };
        Ok(pairs?.into_iter().unzip())
    })
}

/// `Contacts.counts` as six numbers, in the order of `Contacts.vertices`.
#[pyfunction]
pub fn kind_counts(contacts: &Contacts) -> (usize, usize, usize, usize, usize, usize) {
    let c = either!(AnyContacts, &contacts.0, touching => &touching.contacts);
    (c.vv.len(), c.ve.len(), c.ee.len(), c.vf.len(), c.parallel.len(), c.obstacle.len())
}

/// The two numbers that name each contact of two vertices, and each of an edge and a vertex.
pub type Names = [Vec<(u32, u32)>; 2];

/// The names of all contacts, if none is of two edges, a face or an obstacle, as in 2D.
pub fn named_in_plane(contacts: &Contacts) -> Option<Names> {
    either!(AnyContacts, &contacts.0, touching => {
        let c = &touching.contacts;
        let others = c.ee.len() + c.vf.len() + c.parallel.len() + c.obstacle.len();
        let edge = |a, b| touching.surface.edge_between(a, b);
        let of_edge = |c: &Contact<3>| Some((edge(c.stencil.0[1], c.stencil.0[2])?, c.stencil.0[0]));
        let edges: Option<Vec<_>> = c.ve.iter().map(of_edge).collect();
        let vertices = c.vv.iter().map(|c| (c.stencil.0[0], c.stencil.0[1])).collect();
        edges.filter(|_| others == 0).map(|edges| [vertices, edges])
    })
}
