//! The scene in the README is one.

use crate::support;
use stiction_sim::scene::Scene;
use stiction_sim::step::step;

#[test]
fn the_scene_of_the_readme_runs() {
    let readme = include_str!("../../../../README.md");
    let text = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let (model, mut state, mut work) = support::begin::<2>(&Scene::parse(text).unwrap());
    let mut heat = 0.0;
    for _ in 0..20 {
        heat += step(&model, &mut state, &mut work).unwrap().friction.dissipation;
    }
    assert!(heat > 0.0);
}
