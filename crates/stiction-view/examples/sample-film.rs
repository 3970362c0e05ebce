//! Writes what `tests/gltf/check.mjs` reads: `cargo run -p stiction-view --example sample-film -- FOLDER`.
//!
//! `sample.glb` is a film, and `sample.json` says what it shows: the points of each thing in each frame, with up along +z.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

use serde_json::json;
use stiction_view::gltf::{self, Options};

#[path = "../tests/export/sample.rs"]
mod sample;

/// How many frames there are.
const FRAMES: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("usage: sample-film FOLDER")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let film = sample::film(FRAMES);
    gltf::write(&film, &folder.join("sample.glb"), &Options::default(), &sample::on)?;
    let things: Vec<_> = film
        .scenery
        .things
        .iter()
        .map(|thing| {
            json!({
                "name": thing.name,
                "vertices": [thing.vertices.start, thing.vertices.end],
            })
        })
        .collect();
    let frames: Vec<_> = (0..FRAMES)
        .map(sample::frame)
        .map(|frame| json!({ "time": frame.time, "points": frame.points }))
        .collect();
    let said = json!({ "things": things, "frames": frames, "hidden": [4], "deforming": 3, "rigid": 1 });
    fs::write(folder.join("sample.json"), said.to_string())?;
    Ok(())
}
