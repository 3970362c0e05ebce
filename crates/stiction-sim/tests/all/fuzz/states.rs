//! States: changed, loaded with their scene, and those that are accepted gone on from.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use stiction_sim::model::Model;
use stiction_sim::scene::Scene;
use stiction_sim::state::State;
use stiction_sim::step::step;

use super::Stop;
use super::bytes;
use super::random::Random;
use super::scenes::{Fate, broken};

/// A scene with the bytes of its states.
pub enum Seed {
    Flat(Scene, Box<Model<2>>, Vec<Vec<u8>>),
    Solid(Scene, Box<Model<3>>, Vec<Vec<u8>>),
}

impl Seed {
    /// The scene of a text, with the states of its first steps, and others.
    pub fn new(text: &str, folder: &Path, more: Vec<Vec<u8>>, file: &Path) -> Self {
        let scene = Scene::parse_in(text, folder).unwrap();
        if scene.dimension == 2 {
            let (model, states) = states::<2>(&scene, more, file);
            Self::Flat(scene, Box::new(model), states)
        } else {
            let (model, states) = states::<3>(&scene, more, file);
            Self::Solid(scene, Box::new(model), states)
        }
    }

    fn states(&self) -> &[Vec<u8>] {
        match self {
            Self::Flat(.., states) | Self::Solid(.., states) => states,
        }
    }

    /// All states as they are.
    pub fn all(&self) -> Vec<Vec<u8>> {
        self.states().to_vec()
    }

    /// Loads a state from a file and makes a step.
    pub fn run(&self, bytes: &[u8], file: &Path, stop: &Stop) -> Fate {
        fs::write(file, bytes).unwrap();
        match self {
            Self::Flat(scene, model, _) => go_on(scene, model, file, stop),
            Self::Solid(scene, model, _) => go_on(scene, model, file, stop),
        }
    }
}

fn states<const D: usize>(scene: &Scene, more: Vec<Vec<u8>>, file: &Path) -> (Model<D>, Vec<Vec<u8>>) {
    let (model, mut state) = scene.build::<D>().unwrap();
    let (mut out, mut work) = (more, scene.workspace().unwrap());
    for _ in 0..3 {
        state.save(file, &model).unwrap();
        out.push(fs::read(file).unwrap());
        step(&model, &mut state, &mut work).unwrap();
    }
    (model, out)
}

/// A state made from one of a scene; often with a checksum that fits, so that more than that is tried.
pub fn changed(random: &mut Random, seed: &Seed) -> Vec<u8> {
    let mut out = random.pick(seed.states()).clone();
    if random.one_in(3) {
        // A number for another.
        let place = 8 * random.below(out.len() / 8);
        let number = random.pick(&bytes::NUMBERS).parse::<f64>().unwrap_or(1.0);
        out[place..place + 8].copy_from_slice(&number.to_le_bytes());
    } else {
        bytes::change(random, &mut out);
    }
    if !random.one_in(4) && out.len() > 8 {
        let end = out.len() - 8;
        let checksum = out[..end].iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        out[end..].copy_from_slice(&checksum.to_le_bytes());
    }
    out
}

fn go_on<const D: usize>(scene: &Scene, model: &Model<D>, file: &Path, stop: &Stop) -> Fate {
    let mut state = match State::load(file, model) {
        Ok(state) => state,
        Err(error) => {
            let _ = error.to_string();
            return Fate::Refused;
        }
    };
    match step(model, &mut state, &mut scene.workspace().unwrap().with_stop(Arc::clone(stop))) {
        Ok(_) => broken(model, &state).map_or(Fate::Accepted, Fate::Broken),
        Err(error) => {
            let _ = model.describe(&error);
            Fate::Accepted
        }
    }
}
