//! Frames of another format, written by somebody else's writer through the command.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stiction::math::Vector;
use stiction_cli::run::{Outcome, RunArgs, run_with};
use stiction_sim::error::{Error, Result};
use stiction_sim::io::{Frame, FrameWriter};
use stiction_sim::model::Model;
use stiction_sim::state::State;

/// Positions of the vertices of the surface as lines of bits in `frame-7.txt`, all files beside each other; stops the run after the frame of a step.
struct Lines {
    folder: PathBuf,
    frames: Vec<Frame>,
    stop: (usize, Arc<AtomicBool>),
}

impl Lines {
    fn put(&self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|source| Error::File { path, source })
    }

    fn put_index(&self) -> Result<()> {
        let mut lines = String::new();
        for frame in &self.frames {
            let _ = writeln!(lines, "{} {:?}", frame.step, frame.time);
        }
        self.put("frames.txt", &lines)
    }
}

impl<const D: usize> FrameWriter<D> for Lines {
    fn index_path(&self) -> PathBuf {
        self.folder.join("frames.txt")
    }

    fn frame_path(&self, step: usize) -> PathBuf {
        self.folder.join(format!("frame-{step}.txt"))
    }

    fn write(&mut self, model: &Model<D>, state: &State<D>) -> Result<()> {
        let mut text = String::new();
        for x in model.surface_at(&state.q).iter() {
            let bits = x.0.map(|component| component.to_bits().to_string());
            let _ = writeln!(text, "{}", bits.join(" "));
        }
        self.put(&format!("frame-{}.txt", state.step), &text)?;
        self.frames.push(Frame { step: state.step, time: state.time });
        if state.step == self.stop.0 {
            self.stop.1.store(true, Ordering::Relaxed);
        }
        self.put_index()
    }

    fn read(&self, step: usize) -> Result<Vec<Vector<D>>> {
        let path = FrameWriter::<D>::frame_path(self, step);
        let text = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
        let vector = |line: &str| {
            let bits: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
            Vector(std::array::from_fn(|k| f64::from_bits(bits[k])))
        };
        Ok(text.lines().map(vector).collect())
    }

    fn listed(&self) -> Vec<usize> {
        let text = fs::read_to_string(self.folder.join("frames.txt")).unwrap_or_default();
        text.lines().filter_map(|line| line.split(' ').next()?.parse().ok()).collect()
    }

    fn resume(&mut self, frames: &[Frame]) -> Result<()> {
        self.frames = frames.to_vec();
        self.put_index()
    }
}

/// A short scene and an empty folder for its results.
fn scene(name: &str) -> RunArgs {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let text = include_str!("../../../scenes/slide-2d.toml").replace("end = 1.5", "end = 0.23");
    let path = folder.join("scene.toml");
    fs::write(&path, text).unwrap();
    let output = folder.join("out");
    RunArgs {
        scene: path,
        output,
        threads: None,
        resume: false,
        overwrite: false,
        quiet: true,
        timings: false,
    }
}

/// Runs the scene until the frame of a step, at most.
fn run(args: &RunArgs, until: usize) -> Outcome {
    let stop = Arc::new(AtomicBool::new(false));
    let writer = |folder: &Path| Lines {
        folder: folder.to_owned(),
        frames: Vec::new(),
        stop: (until, Arc::clone(&stop)),
    };
    run_with(args, &stop, writer).unwrap()
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (PathBuf::from(path.file_name().unwrap()), fs::read(path).unwrap())).collect()
}

#[test]
fn another_writer_has_its_frames_and_the_command_its_files() {
    let args = scene("writer-whole");
    let outcome = run(&args, usize::MAX);
    assert!(outcome.steps == 23 && outcome.frames == args.output.join("frames.txt"));
    let files = contents(&args.output);
    let own = ["0", "5", "10", "15", "20", "23"].map(|step| PathBuf::from(format!("frame-{step}.txt")));
    assert!(own.iter().all(|name| files.contains_key(name)));
    let others = ["frames.txt", "picture.svg", "state.bin", "state.toml", "steps.csv"];
    assert_eq!(files.len(), own.len() + others.len());
    assert!(others.iter().all(|name| files.contains_key(Path::new(name))));
}

#[test]
fn a_run_with_another_writer_is_resumed_to_the_same_bytes() {
    let whole = scene("writer-uninterrupted");
    assert!(!run(&whole, usize::MAX).interrupted);
    let mut args = scene("writer-resumed");
    assert!(run(&args, 10).interrupted);
    // Left by a run that was killed between a frame and its state: frame and index are put back.
    fs::copy(args.output.join("frame-5.txt"), args.output.join("frame-11.txt")).unwrap();
    fs::write(args.output.join("frames.txt"), "0 0.0\n11 0.11\n").unwrap();
    args.resume = true;
    assert_eq!(run(&args, usize::MAX).resumed, Some(10));
    assert_eq!(contents(&args.output), contents(&whole.output));
}

#[test]
fn frames_of_another_writer_are_replaced_on_request_only() {
    let mut args = scene("writer-replaced");
    assert!(run(&args, 10).interrupted);
    let before = contents(&args.output);
    let stop = Arc::new(AtomicBool::new(false));
    let lines = |folder: &Path| Lines {
        folder: folder.to_owned(),
        frames: Vec::new(),
        stop: (usize::MAX, Arc::default()),
    };
    let refused = run_with(&args, &stop, lines).unwrap_err().to_string();
    assert!(refused.contains("--overwrite") && before == contents(&args.output), "{refused}");
    args.overwrite = true;
    let theirs = args.output.join("frame-3.txt");
    fs::write(&theirs, "theirs").unwrap();
    let refused = run_with(&args, &stop, lines).unwrap_err().to_string();
    assert!(refused.contains("frame-3.txt: this file is none"), "{refused}");
    fs::remove_file(theirs).unwrap();
    fs::write(args.output.join("frame-07.txt"), "precious").unwrap();
    assert!(run(&args, 5).interrupted);
    let files = contents(&args.output);
    let left = |step: &str| files.contains_key(Path::new(&format!("frame-{step}.txt")));
    assert!(left("0") && left("5") && left("07") && !left("10"));
}
