//! The program as people use it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name)
}

/// An empty folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        fs::remove_dir_all(&path).unwrap();
    }
    fs::create_dir_all(&path).unwrap();
    path
}

fn stiction() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.stdin(Stdio::null());
    command
}

fn run(scene: &Path, output: &Path) -> Output {
    stiction().arg("run").arg(scene).arg("-o").arg(output).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Rows of `steps.csv` without the header, which all rows must fit.
fn rows(output: &Path) -> Vec<Vec<String>> {
    let table = fs::read_to_string(output.join("steps.csv")).unwrap();
    let mut lines = table.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<_> = lines.collect();
    assert!(rows.iter().all(|row| row.len() == header.len()));
    rows
}

#[test]
fn a_scene_leaves_frames_table_and_picture() {
    let output = folder("slide");
    let done = run(&scene("slide-2d.toml"), &output);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let said = text(&done.stdout);
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("picture:") && last.ends_with("picture.svg"), "{said}");
    assert_eq!(rows(&output).len(), 151);
    let series = fs::read_to_string(output.join("frames.pvd")).unwrap();
    assert_eq!(series.matches("<DataSet").count(), 31);
    for frame in series.split("file=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(output.join(frame).is_file(), "{frame}");
    }
    let picture = fs::read_to_string(output.join("picture.svg")).unwrap();
    for words in ["Sliding distance", "Energy", "Smallest gap", "t = 1.500 s"] {
        assert!(picture.contains(words), "no \"{words}\"");
    }
    assert!(!picture.contains("NaN") && !picture.contains("inf"));
    assert!(picture.len() > 20_000 && picture.ends_with("</svg>\n"));
}

#[test]
fn a_second_run_replaces_the_first() {
    let output = folder("again");
    let short = folder("again-scene").join("short.toml");
    let text = fs::read_to_string(scene("slide-2d.toml")).unwrap();
    fs::write(&short, text.replace("end = 1.5", "end = 0.1")).unwrap();
    assert!(run(&scene("slide-2d.toml"), &output).status.success());
    let own = output.join("frames/my-own.vtu");
    fs::write(&own, "precious").unwrap();
    assert!(run(&short, &output).status.success());
    assert!(own.is_file());
    assert_eq!(fs::read_dir(output.join("frames")).unwrap().count(), 4);
    assert_eq!(rows(&output).len(), 11);
}

#[test]
fn threads_do_not_change_the_table() {
    let tables = ["1", "2", "8"].map(|threads| {
        let output = folder(&format!("threads-{threads}"));
        let scene = scene("rub-2d.toml");
        let done = stiction().args(["run", "--threads", threads]).arg(scene).arg("-o").arg(&output).output();
        assert!(done.unwrap().status.success());
        fs::read(output.join("steps.csv")).unwrap()
    });
    assert!(tables[0] == tables[1] && tables[0] == tables[2]);
}

#[test]
fn errors_say_what_where_and_how() {
    let place = folder("errors");
    let bad = place.join("bad.toml");
    let good = fs::read_to_string(scene("slide-2d.toml")).unwrap();
    fs::write(&bad, good.replace("mu = 0.5", "mu = -0.5")).unwrap();
    let done = run(&bad, &place.join("out"));
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(1));
    for words in ["bad.toml", "line 15", "friction.mu", "-0.5 is not possible", "mu = -0.5"] {
        assert!(said.contains(words), "no \"{words}\" in {said}");
    }
    let done = run(&place.join("nowhere.toml"), &place.join("out"));
    assert_eq!(done.status.code(), Some(1));
    assert!(text(&done.stderr).contains("nowhere.toml"));
    // A file where the folder should be.
    let done = run(&scene("slide-2d.toml"), &bad);
    assert_eq!(done.status.code(), Some(1));
    assert!(text(&done.stderr).contains("bad.toml"));
    for threads in ["0", "100000"] {
        let done = stiction().args(["run", "x.toml", "-o", "x", "--threads", threads]).output().unwrap();
        assert_eq!(done.status.code(), Some(2));
    }
    let done = stiction().arg("walk").output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("walk"));
}

/// A step that fails keeps all steps before it.
#[test]
fn a_failure_keeps_the_results_so_far() {
    let place = folder("failure");
    let bad = place.join("blocked.toml");
    let good = fs::read_to_string(scene("rub-2d.toml")).unwrap();
    fs::write(&bad, good.replace("[1.0, 0.08, -0.004]", "[0.205, 0.08, -5.0]")).unwrap();
    let done = run(&bad, &place);
    assert_eq!(done.status.code(), Some(1));
    let said = text(&done.stderr);
    assert!(said.contains("step 41") && said.contains("results up to step 40 are kept"), "{said}");
    assert_eq!(rows(&place).len(), 41);
    assert!(place.join("picture.svg").is_file());
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_results_so_far() {
    let place = folder("interrupt");
    let long = place.join("long.toml");
    let good = fs::read_to_string(scene("rub-3d.toml")).unwrap();
    fs::write(&long, good.replace("end = 1.0", "end = 1000.0")).unwrap();
    let mut command = stiction();
    command.arg("run").arg(&long).arg("-o").arg(&place).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let begun = Instant::now();
    while fs::read_to_string(place.join("steps.csv")).map_or(0, |table| table.lines().count()) < 5 {
        assert!(begun.elapsed() < Duration::from_secs(60), "no steps after a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130));
    assert!(text(&done.stderr).contains("interrupted after step"));
    assert!(rows(&place).len() >= 4 && place.join("picture.svg").is_file());
}
