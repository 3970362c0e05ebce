//! What a run leaves is written beside its steps, until something is wrong with it.

use std::fs;
use std::path::{Path, PathBuf};

use stiction::math::Vector;
use stiction_cli::journal::{Entry, Journal, Subject};
use stiction_cli::output::Output;
use stiction_cli::writer;
use stiction_sim::error::Error;
use stiction_sim::io::vtu::VtuFrames;
use stiction_sim::model::Model;
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::state::State;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn scene() -> Scene {
    Scene::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/stack-2d.toml")).unwrap()
}

/// What a step would leave that moves everything by `dy` m, with a frame.
fn entry(model: &Model<2>, start: &State<2>, step: usize, dy: f64) -> Entry<2> {
    let q = start.q.iter().map(|q| *q + Vector([0.0, dy])).collect();
    let state = State { q, step, time: step as f64 * model.params.time.step, ..start.clone() };
    Entry { report: StepReport::at_start(model, &state), frame: Some(state) }
}

/// How many frames are on disk, each with its contacts and the obstacle.
fn frames_in(folder: &Path) -> usize {
    let count = |name: &str| {
        let files = fs::read_dir(folder.join(name)).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.is_file()).count()
    };
    let frames = count("frames");
    assert_eq!((count("frames/contacts"), count("frames/obstacles")), (frames, frames));
    frames
}

/// Nothing is written after a frame in which something intersects, and the steps learn of it.
#[test]
fn a_wrong_frame_is_the_last() {
    let (scene, folder) = (scene(), folder("wrong-frame"));
    let (model, start) = scene.placed::<2>().unwrap();
    let subject = Subject { scene: &scene, model: &model, output: Output::new(&folder) };
    let mut journal = Journal::begin(subject, Box::new(VtuFrames::new(&folder)), &start, false).unwrap();
    let written = writer::beside(&mut journal, |hand_on| {
        let dy = |step| if step < 3 { 0.1 } else { -1.0 };
        (1..1000).find(|&step| hand_on.send(entry(&model, &start, step, dy(step))).is_err())
    });
    let written = written.unwrap();
    assert!(matches!(written.wrong, Some(Error::InsideObstacle { .. })), "{:?}", written.wrong);
    // Two may wait when the third is looked at.
    assert!((4..=6).contains(&written.steps.unwrap()), "{:?}", written.steps);
    assert_eq!(journal.steps(), 3);
    assert_eq!(fs::read_to_string(journal.table()).unwrap().lines().count(), 5);
    assert_eq!(frames_in(&folder), 4);
    // Its state, too, and nobody goes on from that.
    let refused = State::load(&folder.join("state.bin"), &model).unwrap_err().to_string();
    assert!(refused.contains("not outside obstacle 0"), "{refused}");
}

/// A file that cannot be written ends it with its name, and what was there before stays.
#[test]
fn a_file_that_cannot_be_written_ends_it() {
    let (scene, folder) = (scene(), folder("no-file"));
    let (model, start) = scene.placed::<2>().unwrap();
    let subject = Subject { scene: &scene, model: &model, output: Output::new(&folder) };
    let mut journal = Journal::begin(subject, Box::new(VtuFrames::new(&folder)), &start, false).unwrap();
    // A folder with something in it cannot be replaced by a file.
    fs::create_dir_all(folder.join("frames/000002.vtu/in-the-way")).unwrap();
    let written = writer::beside(&mut journal, |hand_on| {
        (1..1000).find(|&step| hand_on.send(entry(&model, &start, step, 0.1)).is_err())
    });
    let said = written.unwrap_err().to_string();
    assert!(said.contains("000002.vtu"), "{said}");
    assert_eq!(State::load(&folder.join("state.bin"), &model).unwrap().step, 1);
    assert!(folder.join("frames/000001.vtu").is_file() && !folder.join("frames/000003.vtu").exists());
}

/// All that was handed on is there in the end.
#[test]
fn everything_is_written_before_the_end() {
    let (scene, folder) = (scene(), folder("everything"));
    let (model, start) = scene.placed::<2>().unwrap();
    let subject = Subject { scene: &scene, model: &model, output: Output::new(&folder) };
    let mut journal = Journal::begin(subject, Box::new(VtuFrames::new(&folder)), &start, false).unwrap();
    let written = writer::beside(&mut journal, |hand_on| {
        (1..20).all(|step| hand_on.send(entry(&model, &start, step, 0.1)).is_ok())
    });
    let written = written.unwrap();
    assert!(written.steps && written.wrong.is_none());
    assert_eq!((journal.steps(), frames_in(&folder)), (19, 20));
    assert_eq!(State::load(&folder.join("state.bin"), &model).unwrap().step, 19);
}
