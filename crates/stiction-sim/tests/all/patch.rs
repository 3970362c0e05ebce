//! Patch test: an irregular mesh whose boundary is deformed evenly is deformed evenly inside.

use crate::support::Random;
use stiction::math::{Matrix, Vector};
use stiction_sim::boundary::Trajectory;
use stiction_sim::integrator::IntegratorKind;
use stiction_sim::material::{Lame, Material, MaterialKind};
use stiction_sim::model::{Body, Model};
use stiction_sim::newton::Workspace;
use stiction_sim::params::Params;
use stiction_sim::scene::shapes::BoxMesh;
use stiction_sim::step::step;

/// A cube of 1 m whose vertices inside are moved at random; and which of them are inside.
fn uneven<const D: usize>(cells: usize) -> (BoxMesh<D>, Vec<bool>) {
    let mut mesh = BoxMesh::new(Vector::ZERO, Vector([1.0; D]), [cells; D], 0.0);
    let mut random = Random::new(5);
    let mut inside = Vec::new();
    for x in &mut mesh.vertices {
        inside.push(x.0.iter().all(|x| x.abs() < 0.49));
        if inside[inside.len() - 1] {
            *x += Vector(std::array::from_fn(|_| (random.number() - 0.5) * 0.4 / cells as f64));
        }
    }
    (mesh, inside)
}

fn patch<const D: usize>(kind: MaterialKind) {
    let (mesh, inside) = uneven::<D>(4);
    let stretch = Matrix(std::array::from_fn(|i| {
        std::array::from_fn(|j| if i == j { 0.1 - 0.05 * i as f64 } else { 0.04 * (i + 2 * j) as f64 })
    }));
    let lame = Lame::new(1e5, 0.3).unwrap();
    let body = Body::new("cube", mesh.vertices, Material { kind, lame }, 1000.0);
    let mut body = Body { triangles: mesh.triangles, tetrahedra: mesh.tetrahedra, ..body };
    for (v, x) in body.vertices.iter().enumerate().filter(|(v, _)| !inside[*v]) {
        body.prescribed.push((vec![v as u32], Trajectory::new(vec![(0.0, stretch * *x)]).unwrap()));
    }
    let mut params = Params::default();
    params.time.integrator = IntegratorKind::QuasiStatic;
    let (model, mut state) = Model::new(&[body], vec![], Vector::ZERO, params).unwrap();
    step(&model, &mut state, &mut Workspace::default()).unwrap();
    let off = |(x, rest): (&Vector<D>, &Vector<D>)| (*x - *rest - stretch * *rest).norm();
    let worst = state.q.iter().zip(model.surface.rest()).map(off).fold(0.0, f64::max);
    println!("{D}D, {kind}: off by {worst:.1e} m, {} vertices inside", inside.iter().filter(|i| **i).count());
    assert!(worst < 1e-12, "{D}D, {kind}: {worst:e}");
}

#[test]
fn even_deformations_are_even_inside() {
    for kind in MaterialKind::ALL {
        patch::<2>(kind);
        patch::<3>(kind);
    }
}
