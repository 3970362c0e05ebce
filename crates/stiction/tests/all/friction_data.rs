//! Friction of single steps that the original implementation of incremental potential contact wrote down.
//!
//! Each file has two cubes: contacts, positions where friction was lagged, at the start and at the end of the step, and the
//! normal forces, closest points, tangents, energy, gradient and projected Hessian that were found.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use stiction::barrier::{BarrierKind, BarrierLaw, BarrierPotential};
use stiction::blocks::Blocks;
use stiction::contact::{Contact, Contacts};
use stiction::distance::Psd;
use stiction::friction::{self, FrictionKind, FrictionPotential, Motion, Slides};
use stiction::math::Vector;
use stiction::math::vector::flat;
use stiction::potential::Potential;
use stiction::stencil::Stencil;
use stiction::tangent;

/// Allowed relative to the largest entry.
const TOLERANCE: f64 = 1e-11;

fn folder() -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ipc-friction");
    shared.is_dir().then_some(shared)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn rows<const N: usize>(value: &Value) -> Vec<[f64; N]> {
    value.as_array().unwrap().iter().map(|row| numbers(row).try_into().unwrap()).collect()
}

fn points(value: &Value) -> Vec<Vector<3>> {
    rows(value).into_iter().map(Vector).collect()
}

/// Which kind of pair a line of four integers means, and its place among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Vv(usize),
    Ve(usize),
    Ee(usize),
    Vf(usize),
}

/// The contacts, and where each line went.
fn contacts(ids: &Value) -> (Contacts, Vec<Place>) {
    let (mut contacts, mut places) = (Contacts::default(), vec![]);
    for row in ids.as_array().unwrap() {
        let row: Vec<i64> = row.as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
        let [a, b, c, d] = row.try_into().unwrap();
        let id = |number: i64| u32::try_from(number).unwrap();
        let first = id(if a < 0 { -a - 1 } else { a });
        let four = || Contact { stencil: Stencil([first, id(b), id(c), id(d)]), weight: 1.0 };
        places.push(if a >= 0 {
            contacts.ee.push(four());
            Place::Ee(contacts.ee.len() - 1)
        } else if c < 0 {
            contacts.vv.push(Contact { stencil: Stencil([first, id(b)]), weight: -d as f64 });
            Place::Vv(contacts.vv.len() - 1)
        } else if d < 0 {
            contacts.ve.push(Contact { stencil: Stencil([first, id(b), id(c)]), weight: -d as f64 });
            Place::Ve(contacts.ve.len() - 1)
        } else {
            contacts.vf.push(four());
            Place::Vf(contacts.vf.len() - 1)
        });
    }
    (contacts, places)
}

/// The largest relative errors met.
#[derive(Debug, Default)]
struct Errors {
    force: f64,
    closest: f64,
    tangents: f64,
    plane: f64,
    energy: f64,
    gradient: f64,
    hessian: f64,
}

fn note(worst: &mut f64, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    for (f, e) in found.iter().zip(expected) {
        let error = if scale == 0.0 { (f - e).abs() } else { (f - e).abs() / scale };
        assert!(error.is_finite());
        *worst = worst.max(error);
    }
}

/// Normal force, weights of the closest points, normal and tangents of the slide of a line.
fn slide(slides: &Slides<3>, x: &[Vector<3>], place: Place) -> (f64, Vec<f64>, Vector<3>, [Vector<3>; 2]) {
    match place {
        Place::Vv(k) => {
            let s = &slides.vv[k];
            (s.force, vec![], s.normal, tangent::vertex_vertex(&s.stencil.gather(x)).basis)
        }
        Place::Ve(k) => {
            let s = &slides.ve[k];
            (s.force, vec![-s.c[2]], s.normal, tangent::vertex_edge(&s.stencil.gather(x)).basis)
        }
        Place::Ee(k) => {
            let s = &slides.ee[k];
            (s.force, vec![s.c[1], -s.c[3]], s.normal, tangent::edge_edge(&s.stencil.gather(x)).basis)
        }
        Place::Vf(k) => {
            let s = &slides.vf[k];
            (s.force, vec![-s.c[2], -s.c[3]], s.normal, tangent::vertex_face(&s.stencil.gather(x)).basis)
        }
    }
}

/// Tangents are compared up to their signs; whatever these are, the plane I − nnᵀ must be the same.
fn check_plane(errors: &mut Errors, normal: Vector<3>, ours: [Vector<3>; 2], theirs: &[[f64; 2]]) {
    for k in 0..2 {
        let column = Vector([theirs[0][k], theirs[1][k], theirs[2][k]]);
        let sign = column.dot(ours[k]).signum();
        note(&mut errors.tangents, &(ours[k] * sign).0, &column.0);
        errors.plane = errors.plane.max(normal.dot(column).abs());
    }
}

fn check(file: &Path, errors: &mut Errors, counts: &mut [usize; 3]) {
    let data: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let (contacts, places) = contacts(&data["mmcvids"]);
    let [start, lagged, end] = ["V_start", "V_lagged", "V_end"].map(|name| points(&data[name]));
    let law = BarrierLaw::new(BarrierKind::ClampedLog, number(&data["dhat_squared"]).sqrt()).unwrap();
    let kappa = number(&data["barrier_stiffness"]).into();
    let barrier = BarrierPotential { contacts: &contacts, obstacles: &[], law, kappa };
    let slides = friction::lag(&barrier, &lagged, &number(&data["mu"]).into());

    let (forces, closest) = (numbers(&data["normal_force_magnitudes"]), &data["closest_point_coordinates"]);
    let bases = rows::<2>(&data["tangent_bases"]);
    assert_eq!(slides.len(), forces.len());
    for (k, &place) in places.iter().enumerate() {
        let (force, weights, normal, tangents) = slide(&slides, &lagged, place);
        note(&mut errors.force, &[force], &forces[k..=k]);
        note(&mut errors.closest, &weights, &numbers(&closest[k])[..weights.len()]);
        check_plane(errors, normal, tangents, &bases[3 * k..3 * k + 3]);
    }

    // Displacements stand for velocities: a time of 1 s.
    let motion = Motion { x_ref: &start, v_ref: &[], h_hat: 1.0 };
    let eps_v = number(&data["epsv_times_h_squared"]).sqrt();
    let potential = FrictionPotential { slides: &slides, motion, law: FrictionKind::default(), eps_v };
    note(&mut errors.energy, &[potential.energy(&end)], &[number(&data["energy"])]);
    let mut gradient = vec![Vector([0.0; 3]); end.len()];
    potential.gradient(&end, 1.0, &mut gradient);
    note(&mut errors.gradient, flat(&gradient), &numbers(&data["gradient"]));
    let size = 3 * end.len();
    let expected = dense(&data["hessian_triplets"], size);
    note(&mut errors.hessian, &hessian(&potential, &end, size), &expected);
    *counts = [counts[0] + contacts.ve.len(), counts[1] + contacts.ee.len(), counts[2] + contacts.vf.len()];
}

fn dense(triplets: &Value, size: usize) -> Vec<f64> {
    let mut out = vec![0.0; size * size];
    for triplet in triplets.as_array().unwrap() {
        let place = |k: usize| usize::try_from(triplet[k].as_u64().unwrap()).unwrap();
        out[place(0) * size + place(1)] += number(&triplet[2]);
    }
    out
}

fn hessian(potential: &impl Potential<3>, x: &[Vector<3>], size: usize) -> Vec<f64> {
    let mut blocks = Blocks::default();
    blocks.assemble(potential, x, 1.0, Psd::Clamp);
    let mut out = vec![0.0; size * size];
    for (row, column, block) in blocks.iter() {
        for k in 0..3 {
            for l in 0..3 {
                out[(3 * row + k) * size + 3 * column + l] = block.0[k][l];
                out[(3 * column + l) * size + 3 * row + k] = block.0[k][l];
            }
        }
    }
    out
}

#[test]
fn steps_of_the_original_implementation() {
    let Some(folder) = folder() else {
        println!("skipped: there is no folder ../shared/data/ipc-friction");
        return;
    };
    let (mut errors, mut counts, mut files) = (Errors::default(), [0; 3], 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|name| name == "json") {
            check(&path, &mut errors, &mut counts);
            files += 1;
        }
    }
    println!("{files} files, {counts:?} ve, ee, vf: {errors:?}");
    assert!(files > 0 && counts.iter().all(|count| *count > 0));
    let all = [errors.force, errors.closest, errors.tangents, errors.plane, errors.energy, errors.gradient];
    assert!(all.iter().all(|error| *error <= TOLERANCE) && errors.hessian <= TOLERANCE, "{errors:?}");
}
