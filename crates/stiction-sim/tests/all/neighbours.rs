//! What a workspace remembers of close pairs changes no bit.

use crate::support;
use stiction::math::Vector;
use stiction_sim::model::Model;
use stiction_sim::neighbours::Neighbours;
use stiction_sim::newton::Workspace;
use stiction_sim::state::State;
use stiction_sim::step::step;
use stiction_sim::step_bound::{Sweep, Way};

/// Steps with one memory for all of them, and with a new one for each.
fn compare<const D: usize>(name: &str, steps: usize) {
    let scene = support::scene(name);
    let (model, mut state, mut work) = support::begin::<D>(&scene);
    let (mut other, mut contacts) = (state.clone(), 0);
    for _ in 0..steps {
        let report = step(&model, &mut state, &mut work).unwrap();
        contacts += report.contacts.total();
        assert_eq!(step(&model, &mut other, &mut scene.workspace().unwrap()).unwrap(), report, "{name}");
        assert_eq!(state, other, "{name}");
    }
    assert!(contacts > 0, "{name} touches nothing");
}

#[test]
fn a_memory_changes_no_bit() {
    compare::<2>("slide-2d.toml", 40);
    compare::<2>("rollers-2d.toml", 20);
    compare::<3>("slide-3d.toml", 15);
    compare::<3>("squeeze-3d.toml", 8);
}

/// Two models of which one is the other with a body more take turns.
#[test]
fn models_may_share_a_workspace() {
    let scenes = ["slide-2d.toml", "stack-2d.toml"];
    let starts = scenes.map(|name| support::scene(name).build::<2>().unwrap());
    let mut apart = starts.clone();
    let mut together = starts;
    let mut works = [Workspace::default(), Workspace::default()];
    let mut shared = Workspace::default();
    for _ in 0..15 {
        for index in 0..2 {
            let (model, state) = &mut apart[index];
            let report = step(model, state, &mut works[index]).unwrap();
            let (model, state) = &mut together[index];
            assert_eq!(step(model, state, &mut shared).unwrap(), report, "{}", scenes[index]);
        }
    }
    assert_eq!(apart[0].1, together[0].1);
    assert_eq!(apart[1].1, together[1].1);
}

/// A scene after some steps, in which something touches.
fn touching<const D: usize>(name: &str, steps: usize) -> (Model<D>, State<D>) {
    let (model, mut state, mut work) = support::begin::<D>(&support::scene(name));
    for _ in 0..steps {
        step(&model, &mut state, &mut work).unwrap();
    }
    (model, state)
}

/// Contacts on shorter and shorter parts of a motion that leads through everything are those of a new search.
#[test]
fn shorter_parts_of_a_motion_have_the_same_contacts() {
    let (model, state) = touching::<3>("slide-3d.toml", 10);
    let obstacles = model.obstacles.at(state.time);
    let x = model.surface_at(&state.q).into_owned();
    let size = 20.0 * model.barrier.reach();
    let p: Vec<_> = (0..x.len()).map(|i| Vector([0.0, -size, 0.5 * size]) * (i as f64 * 0.7).sin()).collect();
    let way = Way { x: &x, p: &p, obstacles: &obstacles, shifts: &[] };
    let sweep = Sweep::uniform(&model, &way, &mut Neighbours::default());
    let mut shortened = sweep.shortened(&model, &x);
    for t in [1.0, 0.5, 0.25, 0.2, 0.02, 1e-4, 0.0] {
        let end: Vec<_> = x.iter().zip(&p).map(|(x, p)| *x + *p * t).collect();
        let contacts = shortened.contacts(t, &end, &obstacles);
        assert_eq!(contacts, model.contacts_at(&end, &obstacles), "t = {t}");
        assert!(!contacts.is_empty());
    }
}

/// Iterations that go ever less far take few searches.
#[test]
fn small_motions_take_few_searches() {
    let (model, state) = touching::<3>("slide-3d.toml", 2);
    let (mut x, mut near) = (model.surface_at(&state.q).into_owned(), Neighbours::default());
    for round in 0..20 {
        let size = 0.1 * model.barrier.reach() * 0.5_f64.powi(round);
        let end: Vec<_> = x.iter().map(|x| *x + Vector([size, 0.0, 0.0])).collect();
        let kind = model.params.contact.broad_phase;
        let new = kind.candidates(&model.surface, &x, &end, 0.5 * model.barrier.reach());
        assert_eq!(near.on_way(&model, &x, &end), new, "round {round}");
        x = end;
    }
    assert!(near.searches() <= 5, "{} searches for 20 questions", near.searches());
}
