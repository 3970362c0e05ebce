//! Frames of another format, written by somebody else's writer through the command.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use stiction::math::Vector;
use stiction_cli::run::{Outcome, RunArgs, run_with};
use stiction_sim::error::{Error, Result};
use stiction_sim::io::{Frame, FrameWriter};
use stiction_sim::model::Model;
use stiction_sim::state::State;

/// Positions of the vertices of the surface as lines of bits in `frame-7.txt`, all files beside each other.
struct Lines {
    folder: PathBuf,
    frames: Vec<Frame>,
    course: Course,
}

/// What happens to a writer.
#[derive(Clone)]
struct Course {
    /// The run is stopped with the frame of this step.
    until: usize,
    stop: Arc<AtomicBool>,
    /// The disk is full when the frame of this step is written.
    full: usize,
    /// How long a frame takes.
    pause: Duration,
}

impl Default for Course {
    fn default() -> Self {
        Self { until: usize::MAX, stop: Arc::default(), full: usize::MAX, pause: Duration::ZERO }
    }
}

/// The most steps that are made while one is written: two wait, and one is not taken yet.
const AHEAD: usize = 3;

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

/// Checks what is on disk when a frame is about to be written: all rows up to its own and none beyond, and a state of before.
fn check_order<const D: usize>(folder: &Path, model: &Model<D>, step: usize) {
    assert_eq!(steps_in(folder), (0..=step).collect::<Vec<_>>());
    let state = folder.join("state.bin");
    assert!(!state.is_file() || State::load(&state, model).unwrap().step < step);
}

/// The steps of the rows of the table.
fn steps_in(folder: &Path) -> Vec<usize> {
    let table = fs::read_to_string(folder.join("steps.csv")).unwrap();
    table.lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap()).collect()
}

impl<const D: usize> FrameWriter<D> for Lines {
    fn index_path(&self) -> PathBuf {
        self.folder.join("frames.txt")
    }

    fn frame_path(&self, step: usize) -> PathBuf {
        self.folder.join(format!("frame-{step}.txt"))
    }

    fn write(&mut self, model: &Model<D>, state: &State<D>) -> Result<()> {
        check_order(&self.folder, model, state.step);
        thread::sleep(self.course.pause);
        if state.step == self.course.full {
            let path = FrameWriter::<D>::frame_path(self, state.step);
            return Err(Error::File { path, source: io::ErrorKind::StorageFull.into() });
        }
        let mut text = String::new();
        for x in model.surface_at(&state.q).iter() {
            let bits = x.0.map(|component| component.to_bits().to_string());
            let _ = writeln!(text, "{}", bits.join(" "));
        }
        self.put(&format!("frame-{}.txt", state.step), &text)?;
        self.frames.push(Frame { step: state.step, time: state.time });
        if state.step == self.course.until {
            self.course.stop.store(true, Ordering::Relaxed);
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
    let text = include_str!("../../../../scenes/slide-2d.toml").replace("end = 1.5", "end = 0.23");
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

/// Runs the scene until the frame of a step and what is made while that is written, at most.
fn run(args: &RunArgs, until: usize) -> Outcome {
    let outcome = run_on(args, &Course { until, ..Course::default() }).unwrap();
    assert!(!outcome.interrupted || (until..=until + AHEAD).contains(&outcome.steps), "{}", outcome.steps);
    outcome
}

/// Runs the scene with what happens to its writer.
fn run_on(args: &RunArgs, course: &Course) -> std::result::Result<Outcome, stiction_cli::error::Error> {
    run_with(args, &course.stop, &|folder, _| {
        Box::new(Lines { folder: folder.to_owned(), frames: Vec::new(), course: course.clone() })
    })
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
    // Pages are made from frames for ParaView.
    let others = [
        "frames.txt",
        "pairs.csv",
        "pairs.parquet",
        "picture.svg",
        "state.bin",
        "state.toml",
        "steps.csv",
        "steps.parquet",
    ];
    assert_eq!(files.len(), own.len() + others.len());
    assert!(others.iter().all(|name| files.contains_key(Path::new(name))));
}

#[test]
fn a_run_with_another_writer_is_resumed_to_the_same_bytes() {
    let whole = scene("writer-uninterrupted");
    assert!(!run(&whole, usize::MAX).interrupted);
    let mut args = scene("writer-resumed");
    let stopped = run(&args, 10);
    assert!(stopped.interrupted);
    // Left by a run that was killed between a frame and its state: frame and index are put back.
    let next = stopped.steps + 1;
    fs::copy(args.output.join("frame-5.txt"), args.output.join(format!("frame-{next}.txt"))).unwrap();
    fs::write(args.output.join("frames.txt"), format!("0 0.0\n{next} 0.11\n")).unwrap();
    args.resume = true;
    assert_eq!(run(&args, usize::MAX).resumed, Some(stopped.steps));
    assert_eq!(contents(&args.output), contents(&whole.output));
}

/// A disk that is slower than the steps holds them up, and changes nothing of what they leave; the order is checked with every frame.
#[test]
fn a_slow_disk_changes_nothing() {
    let fast = scene("writer-fast");
    assert!(!run(&fast, usize::MAX).interrupted);
    let slow = scene("writer-slow");
    let pause = Duration::from_millis(100);
    assert_eq!(run_on(&slow, &Course { pause, ..Course::default() }).unwrap().steps, 23);
    assert_eq!(contents(&slow.output), contents(&fast.output));
}

/// All steps that were made are on disk when an interrupted run has ended, with the frame of the last.
#[test]
fn an_interruption_loses_nothing() {
    let args = scene("writer-interrupted");
    let pause = Duration::from_millis(100);
    let stopped = run_on(&args, &Course { until: 5, pause, ..Course::default() }).unwrap();
    // Steps were made while the frame was written, but no more than may wait.
    assert!(stopped.interrupted && (6..=5 + AHEAD).contains(&stopped.steps), "{}", stopped.steps);
    assert_eq!(steps_in(&args.output), (0..=stopped.steps).collect::<Vec<_>>());
    let listed = fs::read_to_string(args.output.join("frames.txt")).unwrap();
    let listed: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(listed, ["0", "5", &stopped.steps.to_string()]);
    assert!(listed.iter().all(|step| args.output.join(format!("frame-{step}.txt")).is_file()));
}

/// The end says which file it was, what was there before stays, and the run goes on once there is room.
#[test]
fn a_full_disk_ends_a_run_that_can_be_resumed() {
    let whole = scene("writer-not-full");
    assert!(!run(&whole, usize::MAX).interrupted);
    let mut args = scene("writer-full");
    let said = run_on(&args, &Course { full: 10, ..Course::default() }).unwrap_err().to_string();
    assert!(said.contains("frame-10.txt: ") && said.contains("no storage space"), "{said}");
    // The row came before the frame, and nothing after it.
    assert_eq!(steps_in(&args.output), (0..=10).collect::<Vec<_>>());
    let files = contents(&args.output);
    let has = |step: &str| files.contains_key(Path::new(&format!("frame-{step}.txt")));
    assert!(has("0") && has("5") && !has("10") && !has("15"));
    args.resume = true;
    assert_eq!(run(&args, usize::MAX).resumed, Some(5));
    assert_eq!(contents(&args.output), contents(&whole.output));
}

#[test]
fn frames_of_another_writer_are_replaced_on_request_only() {
    let mut args = scene("writer-replaced");
    assert!(run(&args, 10).interrupted);
    let before = contents(&args.output);
    let refused = run_on(&args, &Course::default()).unwrap_err().to_string();
    assert!(refused.contains("--overwrite") && before == contents(&args.output), "{refused}");
    args.overwrite = true;
    let theirs = args.output.join("frame-3.txt");
    fs::write(&theirs, "theirs").unwrap();
    let refused = run_on(&args, &Course::default()).unwrap_err().to_string();
    assert!(refused.contains("frame-3.txt: this file is none"), "{refused}");
    fs::remove_file(theirs).unwrap();
    fs::write(args.output.join("frame-07.txt"), "precious").unwrap();
    assert!(run(&args, 5).interrupted);
    let files = contents(&args.output);
    let left = |step: &str| files.contains_key(Path::new(&format!("frame-{step}.txt")));
    assert!(left("0") && left("5") && left("07") && !left("10"));
}
