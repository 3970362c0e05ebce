//! States go to files and come back to the last bit, or are refused with the reason.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support;
use stiction::math::vector;
use stiction_sim::model::Model;
use stiction_sim::scene::Scene;
use stiction_sim::state::State;
use stiction_sim::step::step;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Everything in a state as bits: zeros of both signs differ.
fn bits<const D: usize>(state: &State<D>) -> Vec<u64> {
    let State { q: x, v, time, step, a, f, before, kappa, reserve, memory, acceleration, friction } = state;
    let mut fields = vec![x, v, a, f, acceleration, &friction.on_vertices];
    fields.extend(before.iter().flat_map(|before| [&before.q, &before.v]));
    let numbers = fields.into_iter().flat_map(|field| vector::flat(field));
    let numbers =
        numbers.chain([time]).chain(before.iter().map(|before| &before.h)).chain(kappa).chain([reserve]);
    let numbers = numbers.chain(memory.iter().flat_map(|(_, numbers)| numbers));
    let rubbing = friction.in_contacts.iter();
    let numbers = numbers
        .chain(rubbing.flat_map(|of| of.weights.iter().chain(&of.force.0).chain([&of.speed, &of.heat])));
    numbers.map(|number| number.to_bits()).chain([*step as u64]).collect()
}

fn scene(name: &str, integrator: &str) -> Scene {
    let text = support::scene(name).text().to_owned();
    Scene::parse(&text.replace("[time]", &format!("[time]\nintegrator = \"{integrator}\""))).unwrap()
}

/// Saved after `steps` and loaded, the rest of the way has the same bits.
fn comes_back<const D: usize>(name: &str, integrator: &str, steps: usize) {
    let scene = scene(name, integrator);
    let (model, mut state, mut work) = support::begin::<D>(&scene);
    for _ in 0..steps {
        step(&model, &mut state, &mut work).unwrap();
    }
    let path = file(&format!("{name}-{integrator}-{steps}.state"));
    state.save(&path, &model).unwrap();
    let mut loaded = State::load(&path, &model).unwrap();
    assert_eq!(bits(&state), bits(&loaded));
    assert_eq!(state.memory, loaded.memory);
    let mut other = scene.workspace().unwrap();
    for _ in 0..4 {
        let report = step(&model, &mut state, &mut work).unwrap();
        assert_eq!(step(&model, &mut loaded, &mut other).unwrap(), report);
        assert_eq!(bits(&state), bits(&loaded), "{name}, {integrator}");
        assert_eq!(state.memory, loaded.memory);
    }
    assert!(!path.with_extension("state.part").exists());
}

#[test]
fn states_come_back_to_the_last_bit() {
    for integrator in ["implicit_euler", "bdf2", "newmark"] {
        for steps in [0, 1, 5] {
            comes_back::<2>("slide-2d.toml", integrator, steps);
            comes_back::<2>("rub-2d.toml", integrator, steps);
            comes_back::<2>("rollers-2d.toml", integrator, steps);
            comes_back::<2>("press-2d.toml", integrator, 5 * steps);
        }
        comes_back::<3>("slide-3d.toml", integrator, 2);
    }
}

/// A model, a state of it with all parts, and the bytes of its file.
fn example(name: &str) -> (Model<2>, Vec<u8>, PathBuf) {
    let (model, mut state, mut work) = support::begin::<2>(&support::scene("slide-2d.toml"));
    step(&model, &mut state, &mut work).unwrap();
    state.a = state.v.clone();
    state.before = Some(stiction_sim::state::Before { q: state.q.clone(), v: state.v.clone(), h: 0.01 });
    state.kappa = Some(1e5);
    let path = file(name);
    state.save(&path, &model).unwrap();
    assert_eq!(State::load(&path, &model).unwrap(), state);
    (model, fs::read(&path).unwrap(), path)
}

/// What is said of a file with these bytes.
fn refusal(path: &Path, bytes: &[u8], model: &Model<2>) -> String {
    fs::write(path, bytes).unwrap();
    State::load(path, model).unwrap_err().to_string()
}

/// Puts the hash of all before it at the end of a file: FNV-1a.
fn sign(bytes: &mut [u8]) {
    let end = bytes.len() - 8;
    let hash = bytes[..end].iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    bytes[end..].copy_from_slice(&hash.to_le_bytes());
}

#[test]
fn bad_files_are_refused_with_place_and_reason() {
    let (model, good, path) = example("bad.state");
    let state = State::load(&path, &model).unwrap();
    let (contacts, rubbing) = (state.memory.len(), state.friction.in_contacts.len());
    assert!(contacts > 1 && rubbing > 1);
    // Accelerations and friction come last.
    let vectors = state.acceleration.len() + state.friction.on_vertices.len();
    let end = good.len() - 8 - 16 * vectors - 104 * rubbing;
    let kappa = end - 16 - 40 * contacts;
    let changed = |at: usize, new: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + new.len()].copy_from_slice(new);
        sign(&mut bytes);
        bytes
    };
    let first_speed = 72 + 16 * model.mass.of_nodes().len();
    let contact = end - 40;
    let friction = good.len() - 8 - 104;
    for (bytes, words) in [
        (changed(0, b"notation"), vec!["byte 0", "no state that stiction saved"]),
        (changed(8, &[7]), vec!["byte 8", "version 7", "knows 4"]),
        (changed(12, &[3]), vec!["byte 12", "3D", "2D"]),
        (changed(16, &[1, 2, 3]), vec!["byte 16", "other bodies than the scene"]),
        (changed(24, &u64::MAX.to_le_bytes()), vec!["byte 24", "nodes"]),
        (changed(24, &(1_u64 << 40).to_le_bytes()), vec!["byte 16", "other bodies"]),
        (changed(40, &f64::NAN.to_le_bytes()), vec!["byte 40", "the time is NaN"]),
        (changed(40, &(-1.0_f64).to_le_bytes()), vec!["byte 40", "the time is -1"]),
        (changed(48, &[64]), vec!["byte 48", "damaged"]),
        (changed(48, &[3]), vec!["goes on", "bytes"]),
        (changed(72, &f64::NAN.to_le_bytes()), vec!["byte 72", "position of vertex 0 is not finite"]),
        (changed(first_speed + 16, &f64::INFINITY.to_le_bytes()), vec!["velocity of vertex 1 is not finite"]),
        (changed(kappa, &0.0_f64.to_le_bytes()), vec!["the barrier stiffness is 0"]),
        (changed(kappa + 8, &f64::NAN.to_le_bytes()), vec!["the reserve of energy is NaN"]),
        (changed(56, &u64::MAX.to_le_bytes()), vec!["byte 56", "contacts"]),
        (changed(56, &(1_u64 << 60).to_le_bytes()), vec!["cut short"]),
        (changed(56, &[0]), vec!["goes on"]),
        (changed(64, &(1_u64 << 60).to_le_bytes()), vec!["cut short"]),
        (changed(contact, &[5]), vec!["no contact of kind 5"]),
        (changed(contact, &[0]), vec!["no contact of kind 0 with sides"]),
        (changed(contact, &[3]), vec!["face 0 do not belong there"]),
        (changed(contact + 8, &[255; 4]), vec!["vertex 4294967295 and obstacle 0 do not belong there"]),
        (changed(contact + 8, &[0]), vec!["do not belong there"]),
        (changed(contact + 16, &9.0_f64.to_le_bytes()), vec!["the birth of the contact of vertex", "is 9"]),
        (changed(contact + 24, &(-1.0_f64).to_le_bytes()), vec!["the distance slid", "is -1"]),
        (changed(contact + 32, &f64::NAN.to_le_bytes()), vec!["the heat", "is NaN"]),
        (
            changed(80, &(-9.0_f64).to_le_bytes()),
            vec!["positions: ", "not outside obstacle 0", "move it out"],
        ),
        (changed(friction + 16, &[255; 4]), vec!["friction of vertex", "does not belong there"]),
        (changed(friction + 32, &f64::NAN.to_le_bytes()), vec!["a weight of a contact is NaN"]),
        (changed(friction + 80, &(-1.0_f64).to_le_bytes()), vec!["the speed of a contact is -1"]),
        (changed(friction + 88, &0.5_f64.to_le_bytes()), vec!["whether a contact sticks is 0.5"]),
        (vec![], vec!["byte 0", "no state"]),
        (good[..78].to_vec(), vec!["byte 78", "cut short"]),
        (good[..20].to_vec(), vec!["byte 16", "the file ends within"]),
        ([&good[..], &[0; 100]].concat(), vec!["goes on"]),
    ] {
        let message = refusal(&path, &bytes, &model);
        assert!(message.contains("bad.state"), "{message}");
        for word in words {
            assert!(message.contains(word), "no \"{word}\" in {message}");
        }
    }
    assert!(State::load(&file("nowhere.state"), &model).unwrap_err().to_string().contains("nowhere.state"));
}

#[test]
fn every_cut_and_every_flipped_bit_is_seen() {
    let (model, good, path) = example("damaged.state");
    // Enough of each kind of place, without a file system's patience for all of them.
    for length in (0..good.len()).filter(|k| *k < 80 || k % 97 == 0 || k + 20 > good.len()) {
        refusal(&path, &good[..length], &model);
    }
    for at in (0..good.len()).filter(|k| *k < 80 || k % 97 == 0 || k + 20 > good.len()) {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        refusal(&path, &bytes, &model);
    }
}

#[test]
fn a_state_of_other_bodies_is_refused_and_of_other_parameters_not() {
    let (model, _, path) = example("other.state");
    let text = support::scene("slide-2d.toml").text().to_owned();
    let load = |from: &str, to: &str| {
        let (other, _) = Scene::parse(&text.replace(from, to)).unwrap().build::<2>().unwrap();
        State::load(&path, &other)
    };
    assert!(load("mu = 0.5", "mu = 0.1").is_ok());
    let message = load("step = 0.01", "step = 0.02").unwrap_err().to_string();
    assert!(message.contains("step 1 at 0.01 s was made with another time.step than 0.02 s"), "{message}");
    for (from, to) in [("cells = [12, 6]", "cells = [6, 12]"), ("density = 1000.0", "density = 999.0")] {
        let message = load(from, to).unwrap_err().to_string();
        assert!(message.contains("other bodies"), "{message}");
    }
    let (solid, _) = support::scene("slide-3d.toml").build::<3>().unwrap();
    assert!(State::load(&path, &solid).unwrap_err().to_string().contains("in 2D, this one is in 3D"));
    let mut short = State::load(&path, &model).unwrap();
    short.v.pop();
    assert!(short.save(&path, &model).unwrap_err().to_string().contains("not every list"));
    assert!(State::load(&path, &model).is_ok(), "a state that cannot be saved must not cost the one before");
    assert!(State::load(&path, &model).unwrap().save(Path::new("/nowhere/at/all"), &model).is_err());
}
