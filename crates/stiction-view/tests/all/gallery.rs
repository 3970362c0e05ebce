//! Pictures to look at, in /tmp/raster-out: `cargo test -p stiction-view -- --ignored gallery`.

use std::path::Path;
use std::time::Instant;

use stiction_view::film::{Contact, Field, Film, Kind, Place, Regime};
use stiction_view::look::{Arrows, Look};
use stiction_view::picture::Renderer;
use stiction_view::png;

use crate::films::{Builder, blocks, cloth, rods, sheet, slope};

fn save(name: &str, film: &Film, look: &Look) {
    let folder = Path::new("/tmp/raster-out");
    std::fs::create_dir_all(folder).unwrap();
    let start = Instant::now();
    let picture = Renderer::new(film, look).unwrap().picture(0).unwrap();
    println!(
        "{name}: {} triangles, {:.0} ms",
        film.scenery.triangles.len(),
        start.elapsed().as_secs_f64() * 1e3
    );
    png::write(&picture, &folder.join(format!("{name}.png"))).unwrap();
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

#[test]
#[ignore = "makes pictures for people"]
fn gallery() {
    let look = Look::default();
    save("cloth", &cloth(40).film(), &look);
    save(
        "cloth-near",
        &cloth(40).film(),
        &Look { view: "perspective=50,azimuth=-40".parse().unwrap(), ..look.clone() },
    );
    save("cloth-fine", &cloth(158).film(), &look);
    save("blocks", &blocks(6).film(), &look);
    save("rods", &rods().film(), &look);
    save("slope", &slope().film(), &Look { arrows: Arrows::Forces, ..look.clone() });
    let mut tinted = cloth(60);
    tinted.field("contact_pressure", "Pa", |point| {
        3.1e4 * (1.0 + (25.0 * point[0]).sin() * (25.0 * point[2]).cos())
    });
    save("field", &tinted.film(), &Look { field: Some("contact_pressure".to_owned()), ..look.clone() });
    let mut tinted = blocks(8);
    tinted.field("temperature_change", "K", |point| 20.0 * point[0] + 3.0 * (20.0 * point[1]).sin());
    let field = Some("temperature_change".to_owned());
    save(
        "diverging",
        &tinted.film(),
        &Look { field, size: [800, 600], view: "iso".parse().unwrap(), ..look.clone() },
    );
    let mut sliding = slope();
    sliding.field("regime", "", |point| if point[0] < 0.3 { 2.0 } else { f64::from(point[0] < 0.5) });
    sliding.scenery.fields[0].categories = ["free", "stick", "slip"].map(str::to_owned).to_vec();
    let field = Some("regime".to_owned());
    save(
        "regime",
        &sliding.film(),
        &Look { field, arrows: Arrows::Friction, size: [800, 500], ..look.clone() },
    );
    let mut pressed = blocks(6);
    press(&mut pressed);
    save("forces", &pressed.film(), &Look { arrows: Arrows::Forces, ..look.clone() });
    save("dots", &pressed.film(), &Look { field: Some("gap".to_owned()), ..look.clone() });
    let mut tinted = rods();
    tinted.field("axial_strain", "", |point| 3e-5 * point[1]);
    let field = Some("axial_strain".to_owned());
    save(
        "rods-tinted",
        &tinted.film(),
        &Look { field, size: [640, 480], view: "perspective=40".parse().unwrap(), ..look.clone() },
    );
    let mut bridge = Builder::new("A beam on two rods", 2);
    bridge.rod("left", &[[0.0, 0.0, 0.0], [0.05, 0.1, 0.0], [0.0, 0.2, 0.0]]);
    bridge.rod("right", &[[0.4, 0.0, 0.0], [0.35, 0.1, 0.0], [0.4, 0.2, 0.0]]);
    let (points, triangles) = sheet(6, |s, t| [-0.1 + 0.6 * s, 0.203 + 0.05 * t, 0.0]);
    bridge.add("beam", Kind::Solid, &points, &triangles);
    save("bridge", &bridge.film(), &Look { size: [640, 400], ..look.clone() });
    save("top", &blocks(6).film(), &Look { view: "top".parse().unwrap(), size: [600, 450], ..look });
}

#[test]
#[ignore = "measures time"]
fn duration() {
    let film = cloth(158).film();
    let look = Look::default();
    for (name, look) in [
        ("default", look.clone()),
        ("no shadows", Look { shadows: false, ..look.clone() }),
        ("one sample", Look { samples: 1, ..look.clone() }),
        ("one sample, no shadows", Look { samples: 1, shadows: false, ..look }),
    ] {
        let renderer = Renderer::new(&film, &look).unwrap();
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            renderer.picture(0).unwrap();
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{name}: {:.0} ms", best * 1e3);
    }
}
