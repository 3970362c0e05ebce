//! Meshes: changed, and those that are accepted made bodies of.

use std::sync::Arc;

use stiction::math::Vector;
use stiction::mesh::Surface;
use stiction_sim::io::{Format, Mesh};
use stiction_sim::material::Lame;
use stiction_sim::model::{Body, Model};
use stiction_sim::newton::Workspace;
use stiction_sim::obstacles::Obstacles;
use stiction_sim::params::Params;
use stiction_sim::scene::shape_mesh::ShapeMesh;
use stiction_sim::step::step;

use super::Stop;
use super::bytes;
use super::random::Random;
use super::scenes::{Fate, broken};

/// Points that a mesh may have here.
const MAX_POINTS: usize = 100;

/// A mesh made from one of the corpus.
pub fn changed(random: &mut Random, seed: &[u8]) -> Vec<u8> {
    let mut out = seed.to_vec();
    if random.one_in(2) {
        bytes::change(random, &mut out);
    } else {
        bytes::change_words(random, &mut out);
    }
    out
}

/// Reads a mesh and, if it is one, makes a surface and a body of it, in 2D and in 3D.
pub fn run(format: Format, bytes: &[u8], stop: &Stop) -> Fate {
    let Ok(mesh) = format.parse("mesh".as_ref(), bytes) else { return Fate::Refused };
    if !mesh.is_valid() {
        return Fate::Broken("a vertex is used that does not exist".to_owned());
    }
    if mesh.points.len() > MAX_POINTS {
        return Fate::Skipped;
    }
    let _ = Surface::new(mesh.points.clone(), mesh.edges.clone(), mesh.triangles.clone());
    for fate in [body::<2>(&mesh, stop), body::<3>(&mesh, stop)] {
        if matches!(fate, Fate::Broken(_)) {
            return fate;
        }
    }
    Fate::Accepted
}

fn body<const D: usize>(mesh: &Mesh, stop: &Stop) -> Fate {
    let Some(shape) = ShapeMesh::<D>::of_file(mesh, |x| Vector(std::array::from_fn(|k| x[k]))) else {
        return Fate::Refused;
    };
    let Ok(material) = Lame::new(1e5, 0.3) else { return Fate::Refused };
    let body = Body {
        edges: shape.edges,
        triangles: shape.triangles,
        tetrahedra: shape.tetrahedra,
        thickness: 1e-2,
        radius: 1e-2,
        ..Body::new("mesh", shape.vertices, material, 1000.0)
    };
    let Ok((model, mut state)) =
        Model::new(&[body], Obstacles::default(), Vector::axis(1), Params::default())
    else {
        return Fate::Refused;
    };
    match step(&model, &mut state, &mut Workspace::default().with_stop(Arc::clone(stop))) {
        Ok(_) => broken(&model, &state).map_or(Fate::Accepted, Fate::Broken),
        Err(error) => {
            let _ = model.describe(&error);
            Fate::Accepted
        }
    }
}
