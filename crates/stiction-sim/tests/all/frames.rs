//! Frames for ParaView, through the trait that all writers of frames share.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support;
use stiction_sim::io::vtu::{self, VtuFrames};
use stiction_sim::io::{Frame, FrameWriter};
use stiction_sim::step::step;

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

/// What a writer leaves is found, read back to the last bit, and put back to an earlier state.
fn comes_back<const D: usize>(name: &str) {
    let folder = folder(&format!("frames-{D}"));
    let (model, mut state, mut work) = support::begin::<D>(&support::scene(name));
    let mut frames: Box<dyn FrameWriter<D>> = Box::new(VtuFrames::new(&folder));
    assert!(frames.listed().is_empty() && frames.found().unwrap().is_empty());
    let mut written = Vec::new();
    for _ in 0..3 {
        frames.write(&model, &state).unwrap();
        written.push((Frame { step: state.step, time: state.time }, state.q.clone()));
        step(&model, &mut state, &mut work).unwrap();
    }
    assert_eq!(frames.listed(), [0, 1, 2]);
    for (frame, x) in &written {
        assert!(frames.read(frame.step).unwrap() == *x);
    }
    assert!(frames.read(3).is_err());
    let alone = folder.join("alone.vtu");
    vtu::write(&alone, &model, &state).unwrap();
    frames.write(&model, &state).unwrap();
    assert_eq!(fs::read(alone).unwrap(), fs::read(frames.frame_path(3)).unwrap());
    // Files of others are no frames, frames that the index does not name are.
    for other in ["7.vtu", "000007.vtu.part", "000007.txt", "mine.vtu"] {
        fs::write(folder.join("frames").join(other), "mine").unwrap();
    }
    let index = fs::read(frames.index_path()).unwrap();
    frames.resume(&written.iter().map(|(frame, _)| *frame).take(2).collect::<Vec<_>>()).unwrap();
    assert_eq!((frames.listed(), frames.found().unwrap()), (vec![0, 1], vec![0, 1, 2, 3]));
    assert!(frames.step_of(&folder.join("000001.vtu")).is_none());
    // Another writer goes on as if there had been one.
    let mut again: Box<dyn FrameWriter<D>> = Box::new(VtuFrames::new(&folder));
    again.resume(&written.iter().map(|(frame, _)| *frame).collect::<Vec<_>>()).unwrap();
    again.write(&model, &state).unwrap();
    assert_eq!(fs::read(again.index_path()).unwrap(), index);
}

#[test]
fn frames_come_back_to_the_last_bit() {
    comes_back::<2>("slide-2d.toml");
    comes_back::<3>("stick-3d.toml");
}

#[test]
fn a_folder_that_cannot_be_is_named() {
    let folder = folder("frames-blocked");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("frames"), "a file").unwrap();
    let (model, state) = support::scene("slide-2d.toml").build::<2>().unwrap();
    let error = VtuFrames::new(&folder).write(&model, &state).unwrap_err();
    assert!(error.to_string().contains("frames-blocked"), "{error}");
}
