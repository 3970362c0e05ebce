//! Pictures of scenes show what is in front: every pixel's body, compared with rays.

use std::path::PathBuf;
use std::sync::Arc;

use stiction_cli::film;
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::state::State;
use stiction_sim::step::step;
use stiction_view::camera::View;
use stiction_view::film::Film;
use stiction_view::look::Look;
use stiction_view::picture::{Picture, Renderer};
use stiction_view::ray;

const SCENES: [&str; 10] = [
    "slide-3d",
    "stick-3d",
    "rub-3d",
    "drape-3d",
    "stack-3d",
    "knives-3d",
    "sphere-3d",
    "squeeze-3d",
    "twist-3d",
    "knobs-3d",
];

/// The film of a scene with its start and some states of its first steps, or of all of it.
fn film_of(name: &str, steps: usize) -> Film {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(format!("{name}.toml"));
    let scene = Scene::load(&path).unwrap();
    let (model, mut state) = scene.build::<3>().unwrap();
    let mut work = scene.workspace().unwrap();
    let steps = steps.min(scene.steps());
    let mut states: Vec<Arc<State<3>>> = vec![Arc::new(state.clone())];
    let reports = vec![StepReport::at_start(&model, &state)];
    for done in 1..=steps {
        step(&model, &mut state, &mut work).unwrap();
        if done == steps || done == steps / 2 {
            states.push(Arc::new(state.clone()));
        }
    }
    film::of_states(name, &model, &states, &reports).unwrap()
}

/// Pixels whose body is not the one that a ray through their centre meets first, and of those the ones that are not at a silhouette.
fn wrong(film: &Film, renderer: &Renderer<'_>, index: usize) -> (usize, usize, usize) {
    let (picture, frame) = (renderer.picture(index).unwrap(), film.frame(index).unwrap());
    let (mut wrong, mut inside) = (0, 0);
    for row in 0..picture.height {
        for column in 0..picture.width {
            let hit = ray::first_hit(&film.scenery, &frame, renderer.camera(), [column, row]);
            let shown = at(&picture, column, row);
            if hit.map(|hit| hit.thing) != shown {
                wrong += 1;
                inside += usize::from(!is_at_silhouette(&picture, column, row));
            }
        }
    }
    (wrong, inside, picture.things.len())
}

fn at(picture: &Picture, column: u32, row: u32) -> Option<u32> {
    picture.things[(row * picture.width + column) as usize]
}

fn is_at_silhouette(picture: &Picture, column: u32, row: u32) -> bool {
    let around = |of: u32, most: u32| of.saturating_sub(1)..=(of + 1).min(most - 1);
    let own = at(picture, column, row);
    around(column, picture.width).any(|c| around(row, picture.height).any(|r| at(picture, c, r) != own))
}

fn compare(name: &str, steps: usize, cameras: &[&str]) {
    let film = film_of(name, steps);
    let (mut total, mut all, mut hidden) = (0, 0, 0);
    for camera in cameras {
        let view: View = camera.parse().unwrap();
        let look = Look { size: [120, 90], view, samples: 1, decoration: false, ..Look::default() };
        let renderer = Renderer::new(&film, &look).unwrap();
        for index in 0..film.count() {
            let (wrong, inside, pixels) = wrong(&film, &renderer, index);
            (total, all, hidden) = (total + wrong, all + pixels, hidden + inside);
        }
    }
    println!("{name}: {total} of {all} pixels wrong, {hidden} of them not at a silhouette");
    assert!(total * 1000 < all && hidden == 0, "{name}: {total} of {all} pixels are wrong");
}

#[test]
fn pixels_show_the_body_in_front() {
    for name in SCENES {
        compare(name, 4, &["iso"]);
    }
}

/// The same for whole runs: minutes. `cargo test -p stiction-cli --test all pictures:: -- --ignored --nocapture`
#[test]
#[ignore = "runs every scene in 3D to its end"]
fn pixels_show_the_body_in_front_to_the_end() {
    for name in SCENES {
        compare(name, usize::MAX, &["iso", "azimuth=-30,elevation=15", "top,perspective=40"]);
    }
}
