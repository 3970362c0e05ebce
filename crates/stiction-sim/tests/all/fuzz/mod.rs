//! Input that nobody would write: changed scenes, meshes and states are refused, or run; nothing panics, hangs or breaks the guarantee.
//!
//! Every case follows from a seed and its number. `scripts/fuzz` makes long runs; `STICTION_FUZZ_CASES`, `STICTION_FUZZ_SEED` and `STICTION_FUZZ_FIRST`
//! choose the cases, `STICTION_FUZZ_SHOW` prints so many random scenes that were accepted, to be judged by people.

mod bytes;
mod meshes;
mod random;
mod scenes;
mod states;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use random::Random;
use scenes::Fate;
use states::Seed;
use stiction_sim::io::Format;

/// Ends a step when it is raised.
type Stop = Arc<AtomicBool>;

/// Cases without `STICTION_FUZZ_CASES`: some seconds.
const CASES: u64 = 3000;

/// A step is stopped after this time.
const PATIENCE: Duration = Duration::from_millis(150);

/// Whatever cannot be stopped has hung after this time.
const HUNG: Duration = Duration::from_secs(60);

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// The files of a folder of the corpus, by name.
fn files(folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(corpus().join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

/// All that cases are made from.
struct Corpus {
    scenes: Vec<Vec<u8>>,
    meshes: Vec<(Format, Vec<u8>)>,
    states: Vec<Seed>,
    folder: PathBuf,
    file: PathBuf,
}

/// An input.
enum Input {
    Scene(Vec<u8>),
    Mesh(Format, Vec<u8>),
    State(usize, Vec<u8>),
}

impl Corpus {
    /// The corpus, with a file of its own for states.
    fn load(name: &str) -> Self {
        let (folder, file) = (
            corpus().join("meshes"),
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}.bin")),
        );
        let all = files("states");
        let mut seeds = Vec::new();
        for (path, text) in all.iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "toml")) {
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let own = |other: &&(PathBuf, Vec<u8>)| {
                let of_scene = other.0.file_stem().unwrap().to_str().unwrap().starts_with(stem);
                of_scene && other.0.extension().is_some_and(|ending| ending == "bin")
            };
            let more = all.iter().filter(own).map(|(_, bytes)| bytes.clone()).collect();
            seeds.push(Seed::new(std::str::from_utf8(text).unwrap(), &folder, more, &file));
        }
        Self {
            scenes: files("scenes").into_iter().map(|(_, bytes)| bytes).collect(),
            meshes: files("meshes")
                .into_iter()
                .map(|(path, bytes)| (Format::of(&path).unwrap(), bytes))
                .collect(),
            states: seeds,
            folder,
            file,
        }
    }

    /// Input number `index` of a seed.
    fn input(&self, seed: u64, index: u64) -> Input {
        let random = &mut Random::new(seed, index);
        match random.below(20) {
            0..=12 => Input::Scene(scenes::changed(random, &self.scenes)),
            13..=17 => {
                let (format, bytes) = random.pick(&self.meshes);
                Input::Mesh(*format, meshes::changed(random, bytes))
            }
            _ => {
                let seed = random.below(self.states.len());
                Input::State(seed, states::changed(random, &self.states[seed]))
            }
        }
    }

    fn run(&self, input: &Input, stop: &Stop) -> Fate {
        match input {
            Input::Scene(text) => scenes::run(text, &self.folder, stop),
            Input::Mesh(format, bytes) => meshes::run(*format, bytes, stop),
            Input::State(seed, bytes) => self.states[*seed].run(bytes, &self.file, stop),
        }
    }

    /// Every file of the corpus as it is.
    fn inputs(&self) -> Vec<Input> {
        let scenes = self.scenes.iter().map(|text| Input::Scene(text.clone()));
        let meshes = self.meshes.iter().map(|(format, bytes)| Input::Mesh(*format, bytes.clone()));
        let states = self.states.iter().enumerate();
        let states =
            states.flat_map(|(i, seed)| seed.all().into_iter().map(move |bytes| Input::State(i, bytes)));
        scenes.chain(meshes).chain(states).collect()
    }
}

impl Input {
    fn show(&self) -> String {
        match self {
            Self::Scene(text) => format!("scene:\n{}", String::from_utf8_lossy(text)),
            Self::Mesh(format, bytes) => format!("{format:?}: {}", escaped(bytes)),
            Self::State(seed, bytes) => format!("state of scene {seed}: {}", escaped(bytes)),
        }
    }
}

fn escaped(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// Ends steps that take long, and the program if a case hangs.
struct Watch {
    stop: Arc<AtomicBool>,
    /// Milliseconds since the start at which the present case began.
    begun: Arc<AtomicU64>,
    start: Instant,
    /// What to say of a case that hangs.
    name: Arc<Mutex<String>>,
}

impl Watch {
    fn new() -> Self {
        let watch =
            Self { stop: Arc::default(), begun: Arc::default(), start: Instant::now(), name: Arc::default() };
        let (stop, begun, name) =
            (Arc::clone(&watch.stop), Arc::clone(&watch.begun), Arc::clone(&watch.name));
        let start = watch.start;
        std::thread::spawn(move || {
            // Ends with the test, which holds the other ends.
            while Arc::strong_count(&name) > 1 {
                std::thread::sleep(Duration::from_millis(20));
                let now = start.elapsed();
                let since = now.saturating_sub(Duration::from_millis(begun.load(Ordering::Relaxed)));
                stop.fetch_or(since > PATIENCE, Ordering::Relaxed);
                if since > HUNG {
                    eprintln!("hung: {}", name.lock().unwrap_or_else(PoisonError::into_inner));
                    std::process::exit(1);
                }
            }
        });
        watch
    }

    fn begin(&self, name: impl FnOnce() -> String) {
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = name();
        self.begun.store(self.start.elapsed().as_millis() as u64, Ordering::Relaxed);
        self.stop.store(false, Ordering::Relaxed);
    }
}

/// What is wrong with what became of an input.
fn wrong(corpus: &Corpus, input: &Input, stop: &Stop) -> Result<Fate, String> {
    let run = || corpus.run(input, stop);
    match panic::catch_unwind(AssertUnwindSafe(run)) {
        Ok(Fate::Broken(how)) => Err(how),
        Ok(fate) => Ok(fate),
        Err(_) => Err("panicked".to_owned()),
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Each file of the corpus, among them all that ever failed.
#[test]
fn the_corpus_is_refused_or_runs() {
    let (corpus, watch) = (Corpus::load("corpus"), Watch::new());
    for input in corpus.inputs() {
        watch.begin(|| input.show());
        if let Err(how) = wrong(&corpus, &input, &watch.stop) {
            panic!("{how}: {}", input.show());
        }
    }
    // Cases are made from what is good; inputs that failed once need not be.
    for (path, bytes) in files("scenes") {
        let (name, input) = (path.file_name().unwrap().to_string_lossy(), Input::Scene(bytes));
        watch.begin(|| input.show());
        let fate = corpus.run(&input, &watch.stop);
        assert!(name.starts_with("failed") || matches!(fate, Fate::Accepted), "{name}");
    }
    let _ = fs::remove_file(&corpus.file);
}

/// What became of the cases so far.
struct Tally {
    /// Refused, accepted and skipped.
    counts: [u64; 3],
    failures: u64,
    said: Instant,
}

impl Tally {
    /// Counts a case, and prints it if it failed; whether it was accepted.
    fn add(&mut self, name: &str, input: &Input, fate: Result<Fate, String>) -> bool {
        let kind = match fate {
            Ok(Fate::Refused) => 0,
            Ok(Fate::Accepted) => 1,
            Ok(_) => 2,
            Err(how) => {
                self.failures += 1;
                println!("{name}: {how}\n{}\n", input.show());
                return false;
            }
        };
        self.counts[kind] += 1;
        kind == 1
    }

    /// Says now and then how far it is.
    fn progress(&mut self, start: Instant) {
        if self.said.elapsed() > Duration::from_secs(20) {
            self.said = Instant::now();
            let count = self.counts.iter().sum::<u64>() + self.failures;
            let rate = count as f64 / start.elapsed().as_secs_f64();
            println!("{count} cases, {rate:.0} a second: {self}");
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [refused, accepted, skipped] = self.counts;
        write!(f, "{refused} refused, {accepted} accepted, {skipped} skipped, {} failed", self.failures)
    }
}

#[test]
fn changed_input_is_refused_or_runs() {
    let (cases, seed) = (number("STICTION_FUZZ_CASES"), number("STICTION_FUZZ_SEED").unwrap_or(1));
    let (first, show) =
        (number("STICTION_FUZZ_FIRST").unwrap_or(0), number("STICTION_FUZZ_SHOW").unwrap_or(0));
    let (corpus, watch) = (Corpus::load(&format!("{seed}-{}", std::process::id())), Watch::new());
    let mut tally = Tally { counts: [0; 3], failures: 0, said: Instant::now() };
    let count = cases.unwrap_or(CASES);
    // About a tenth of all cases are accepted scenes.
    let shown = |index| show > 0 && Random::new(!seed, index).below((count / 10 / show) as usize) == 0;
    for index in first..first + count {
        let (name, input) = (format!("seed {seed}, case {index}"), corpus.input(seed, index));
        watch.begin(|| format!("{name}: {}", input.show()));
        let accepted = tally.add(&name, &input, wrong(&corpus, &input, &watch.stop));
        if accepted && matches!(input, Input::Scene(_)) && shown(index) {
            println!("accepted, {name}: {}\n", input.show());
        }
        if cases.is_some() {
            tally.progress(watch.start);
        }
    }
    let _ = fs::remove_file(&corpus.file);
    println!("{count} cases of seed {seed} in {:.1?}: {tally}", watch.start.elapsed());
    assert_eq!(tally.failures, 0, "cases failed; they are printed above");
}
