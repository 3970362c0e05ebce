//! Draws pictures to look at into a folder, and says how long each takes:
//! `cargo run -p stiction-view --example gallery -- FOLDER`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use stiction_view::error::{Error, Result};
use stiction_view::film::{Contact, Field, Film, Kind, Place, Regime};
use stiction_view::look::{Arrows, Look};
use stiction_view::picture::Renderer;
use stiction_view::png;

#[path = "../tests/all/films.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod films;
use films::{Builder, blocks, cloth, rods, sheet, slope};

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).ok_or_else(|| Error::Request("usage: gallery FOLDER".to_owned()))?;
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder).map_err(Error::at(&folder))?;
    bodies(&folder)?;
    fields(&folder)?;
    contacts(&folder)?;
    flat(&folder)?;
    durations()
}

fn save(folder: &Path, name: &str, film: &Film, look: &Look) -> Result<()> {
    let start = Instant::now();
    let picture = Renderer::new(film, look)?.picture(0)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    println!("{name}: {} triangles, {milliseconds:.0} ms", film.scenery.triangles.len());
    png::write(&picture, &folder.join(format!("{name}.png")))
}

fn seen(view: &str, size: [u32; 2]) -> Result<Look> {
    Ok(Look { view: view.parse()?, size, ..Look::default() })
}

fn coloured(field: &str) -> Look {
    Look { field: Some(field.to_owned()), ..Look::default() }
}

fn bodies(folder: &Path) -> Result<()> {
    let look = Look::default();
    save(folder, "cloth", &cloth(40).film(), &look)?;
    save(folder, "cloth-near", &cloth(40).film(), &seen("perspective=50,azimuth=-40", look.size)?)?;
    save(folder, "cloth-fine", &cloth(158).film(), &look)?;
    save(folder, "blocks", &blocks(6).film(), &look)?;
    save(folder, "rods", &rods().film(), &look)?;
    save(folder, "top", &blocks(6).film(), &seen("top", [600, 450])?)
}

fn fields(folder: &Path) -> Result<()> {
    let mut tinted = cloth(60);
    tinted.field("contact_pressure", "Pa", |point| {
        3.1e4 * (1.0 + (25.0 * point[0]).sin() * (25.0 * point[2]).cos())
    });
    save(folder, "field", &tinted.film(), &coloured("contact_pressure"))?;
    let mut tinted = blocks(8);
    tinted.field("temperature_change", "K", |point| 20.0 * point[0] + 3.0 * (20.0 * point[1]).sin());
    let look = Look { view: "iso".parse()?, size: [800, 600], ..coloured("temperature_change") };
    save(folder, "diverging", &tinted.film(), &look)?;
    let mut tinted = rods();
    tinted.field("axial_strain", "", |point| 3e-5 * point[1]);
    let look = Look { view: "perspective=40".parse()?, size: [640, 480], ..coloured("axial_strain") };
    save(folder, "rods-tinted", &tinted.film(), &look)
}

fn contacts(folder: &Path) -> Result<()> {
    let mut pressed = blocks(6);
    press(&mut pressed);
    save(folder, "forces", &pressed.film(), &Look { arrows: Arrows::Forces, ..Look::default() })?;
    save(folder, "dots", &pressed.film(), &coloured("gap"))
}

fn flat(folder: &Path) -> Result<()> {
    save(folder, "slope", &slope().film(), &Look { arrows: Arrows::Forces, ..Look::default() })?;
    let mut sliding = slope();
    sliding.field("regime", "", |point| if point[0] < 0.3 { 2.0 } else { f64::from(point[0] < 0.5) });
    sliding.scenery.fields[0].categories = ["free", "stick", "slip"].map(str::to_owned).to_vec();
    let look = Look { arrows: Arrows::Friction, size: [800, 500], ..coloured("regime") };
    save(folder, "regime", &sliding.film(), &look)?;
    let mut bridge = Builder::new("A beam on two rods", 2);
    bridge.rod("left", &[[0.0, 0.0, 0.0], [0.05, 0.1, 0.0], [0.0, 0.2, 0.0]]);
    bridge.rod("right", &[[0.4, 0.0, 0.0], [0.35, 0.1, 0.0], [0.4, 0.2, 0.0]]);
    let (points, triangles) = sheet(6, |s, t| [-0.1 + 0.6 * s, 0.203 + 0.05 * t, 0.0]);
    bridge.add("beam", Kind::Solid, &points, &triangles);
    save(folder, "bridge", &bridge.film(), &Look { size: [640, 400], ..Look::default() })
}

/// Contacts between the lower and the middle block.
fn press(builder: &mut Builder) {
    let gap = Field {
        name: "gap".to_owned(),
        unit: "m".to_owned(),
        meaning: String::new(),
        place: Place::Contacts,
        components: 1,
        categories: Vec::new(),
    };
    builder.scenery.fields.push(gap);
    builder.frame.contacts = (0..49)
        .map(|i| {
            let (x, z) = (f64::from(i % 7 - 3) * 0.028, f64::from(i / 7 - 3) * 0.018);
            Contact {
                things: [1, 0],
                point: [x, 0.1005, z],
                normal_force: [0.0, 10.0 + 60.0 * x, 0.0],
                friction_force: [3.0 * z / 0.05, 0.0, -3.0 * x / 0.08],
                regime: if x * x + z * z > 2e-3 { Regime::Slip } else { Regime::Stick },
            }
        })
        .collect();
    builder.frame.fields.push((0..49i16).map(|i| 1e-5 * f32::from(i)).collect());
}

/// The least time of three, for each way to save time.
fn durations() -> Result<()> {
    let film = cloth(158).film();
    let look = Look::default();
    for (name, look) in [
        ("default", look.clone()),
        ("no shadows", Look { shadows: false, ..look.clone() }),
        ("one sample", Look { samples: 1, ..look.clone() }),
        ("one sample, no shadows", Look { samples: 1, shadows: false, ..look }),
    ] {
        let renderer = Renderer::new(&film, &look)?;
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            renderer.picture(0)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{name}: {:.0} ms", best * 1e3);
    }
    Ok(())
}
