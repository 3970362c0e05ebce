//! The program as people use it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
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

/// The line at which the barrier begins is d̂ in m, also where d̂ is a part of the diagonal, which is 5 m here.
#[test]
fn the_picture_shows_where_the_barrier_begins() {
    let place = folder("barrier-begins");
    let picture = |name: &str, dhat: &str| {
        let path = place.join(name).join("scene.toml");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let scene = format!(
            "dimension = 2\ngravity = [0.0, -9.81]\ntime = {{ step = 0.01, end = 0.05 }}\n{dhat}\n[[bodies]]\nname = \"block\"\n\
             shape.box = {{ center = [0.0, 2.004], size = [3.0, 4.0], cells = [3, 4] }}\n\
             material = {{ young = 1e7, poisson = 0.3, density = 1000.0 }}\n[[planes]]\npoint = [0.0, 0.0]\nnormal = [0.0, 1.0]\n"
        );
        fs::write(&path, scene).unwrap();
        let output = place.join(name).join("out");
        let done = run(&path, &output);
        assert!(done.status.success(), "{}", text(&done.stderr));
        let picture = fs::read_to_string(output.join("picture.svg")).unwrap();
        picture.split_once("Smallest gap").unwrap().1.to_owned()
    };
    let given = picture("given", "contact.dhat = 5e-3");
    assert!(given.contains("barrier begins") && given.contains(">0.005<"));
    assert!(picture("by default", "") == given);
}

#[test]
fn a_scene_leaves_frames_table_and_picture() {
    let output = folder("slide");
    let done = run(&scene("slide-2d.toml"), &output);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let said = text(&done.stdout);
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("open ") && last.contains("view.html"), "{said}");
    let page = fs::read_to_string(output.join("view.html")).unwrap();
    assert!(page.contains("<title>slide-2d") && page.len() > 500_000);
    assert_eq!(rows(&output).len(), 151);
    let series = fs::read_to_string(output.join("frames.pvd")).unwrap();
    // Bodies, contacts and the plane.
    assert_eq!(series.matches("<DataSet").count(), 3 * 31);
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

/// The names of columns and their units in the document, in its order.
fn documented() -> Vec<(String, String)> {
    let document = fs::read_to_string(scene("REPORT.md")).unwrap();
    let rows = document.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.map(|(name, rest)| (name.to_owned(), rest.split(" | ").next().unwrap().to_owned())).collect()
}

/// The header of a table has the names and units of the document, in its order.
#[test]
fn the_table_has_the_columns_of_the_document() {
    let (path, output) = changed("columns", "rub-3d.toml", &[("end = 1.0", "end = 0.01")]);
    assert!(run(&path, &output).status.success());
    let title =
        |(name, unit): (String, String)| if unit == "–" { name } else { format!("{name} [{unit}]") };
    let (own, fixed): (Vec<_>, Vec<_>) = documented().into_iter().partition(|(name, _)| name.contains('.'));
    let fixed: Vec<String> = fixed.into_iter().map(title).collect();
    assert!(own.len() > 30 && fixed.len() > 30 && fixed.contains(&"fallbacks".to_owned()));
    let of_body = |name: &str, motion: &str| -> Vec<String> {
        let of = |part: &str| -> Vec<(String, String)> {
            let begin = format!("BODY.{part}");
            let is_of = |column: &&(String, String)| {
                column.0.starts_with(&begin) && (!part.is_empty() || !column.0.contains("motion"))
            };
            own.iter()
                .filter(is_of)
                .map(|(column, unit)| (column.replace("BODY", name), unit.clone()))
                .collect()
        };
        let of_motion =
            of("motion1.").into_iter().map(|(column, unit)| (column.replace("motion1", motion), unit));
        of("").into_iter().chain(of_motion).map(title).collect()
    };
    let expected = [fixed.clone(), of_body("lower", "fixed1"), of_body("upper", "motion1")].concat();
    let table = fs::read_to_string(output.join("steps.csv")).unwrap();
    let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    assert_eq!(header, expected);
}

/// Times are shown when asked for, and are no part of what is kept.
#[test]
fn times_are_printed_on_request() {
    let text_of = fs::read_to_string(scene("slide-2d.toml")).unwrap();
    let short = folder("timings-scene").join("short.toml");
    fs::write(&short, text_of.replace("end = 1.5", "end = 0.1")).unwrap();
    let (with, without) = (folder("timings"), folder("no-timings"));
    let done = stiction().arg("run").arg(&short).arg("-o").arg(&with).arg("--timings").output().unwrap();
    assert!(done.status.success(), "{}", text(&done.stderr));
    let said = text(&done.stdout);
    let phases =
        ["wall time", "pairs and bounds", "line search", "assembly", "linear solve", "rest", "all steps"];
    for (line, name) in said.lines().zip(phases) {
        assert!(line.starts_with(name), "{said}");
    }
    let whole = said.lines().find(|line| line.starts_with("all steps")).unwrap();
    assert!(whole.ends_with(" 100.0"), "{said}");
    let plain = run(&short, &without);
    assert!(!text(&plain.stdout).contains("linear solve"));
    let table = |folder: &Path| fs::read(folder.join("steps.csv")).unwrap();
    assert_eq!(table(&with), table(&without));
}

fn overwrite(scene: &Path, output: &Path) -> Output {
    stiction().args(["run", "--overwrite"]).arg(scene).arg("-o").arg(output).output().unwrap()
}

/// Results are replaced only by whoever says so, and files of others never.
#[test]
fn a_used_folder_is_replaced_on_request_only() {
    let (long, output) = changed("again", "slide-2d.toml", &[("end = 1.5", "end = 0.5")]);
    let short = output.with_file_name("short.toml");
    let words = fs::read_to_string(&long).unwrap();
    fs::write(&short, words.replace("end = 0.5", "end = 0.1")).unwrap();
    assert!(run(&long, &output).status.success());
    let own = ["frames/my-own.vtu", "frames/7.vtu", "notes.txt"].map(|name| output.join(name));
    for path in &own {
        fs::write(path, "precious").unwrap();
    }
    let before = contents(&output);
    let done = run(&short, &output);
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(1));
    assert!(["state.bin", "--resume", "--overwrite"].iter().all(|word| said.contains(word)), "{said}");
    assert_same("refused", &before, &output);
    // A frame that no run made, but which this one would write.
    let theirs = output.join("frames/000003.vtu");
    fs::write(&theirs, "theirs").unwrap();
    let done = overwrite(&short, &output);
    assert!(done.status.code() == Some(1) && text(&done.stderr).contains("000003.vtu: this file is none"));
    fs::rename(&theirs, output.join("theirs")).unwrap();
    assert!(overwrite(&short, &output).status.success());
    assert!(own.iter().all(|path| fs::read(path).unwrap() == b"precious"));
    let frames: Vec<_> = contents(&output.join("frames")).into_keys().collect();
    let steps = ["000000.vtu", "000005.vtu", "000010.vtu"];
    let companions = ["contacts", "obstacles"].map(|folder| steps.map(|name| Path::new(folder).join(name)));
    let mut expected: Vec<_> = steps.into_iter().chain(["7.vtu", "my-own.vtu"]).map(PathBuf::from).collect();
    expected.extend(companions.into_iter().flatten());
    expected.sort();
    assert_eq!(frames, expected);
    assert_eq!(rows(&output).len(), 11);
    let both = stiction().args(["run", "--overwrite", "--resume", "x.toml", "-o", "x"]).output().unwrap();
    assert_eq!(both.status.code(), Some(2));
}

/// A frame that was written but not yet listed when its run was killed is one of that run.
#[test]
fn frames_of_killed_runs_are_replaced() {
    let (path, output) = changed("orphan", "slide-2d.toml", &[("end = 1.5", "end = 0.1")]);
    assert!(run(&path, &output).status.success());
    let expected = contents(&output);
    let list = fs::read_to_string(output.join("frames.pvd")).unwrap();
    let shorter: String =
        list.lines().filter(|line| !line.contains("000010")).flat_map(|line| [line, "\n"]).collect();
    assert_ne!(list, shorter);
    fs::write(output.join("frames.pvd"), shorter).unwrap();
    assert!(overwrite(&path, &output).status.success());
    assert_same("replaced", &expected, &output);
}

/// Of two runs into one folder at the same time, one has it.
#[test]
fn two_runs_at_once_do_not_meet() {
    let (path, output) = changed("at-once", "rub-3d.toml", &[("end = 1.0", "end = 1000.0")]);
    let mut command = stiction();
    let mut child = run_until(command.arg("run").arg(&path).arg("-o").arg(&output), &output, 2);
    for other in [run(&path, &output), resume(&path, &output), overwrite(&path, &output)] {
        let said = text(&other.stderr);
        assert_eq!(other.status.code(), Some(1));
        assert!(said.contains(&format!("another run (process {})", child.id())), "{said}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The lock of a process that is no more keeps nobody out.
    assert!(output.join("run.lock").is_file());
    let short = fs::read_to_string(&path).unwrap().replace("end = 1000.0", "end = 0.02");
    fs::write(&path, short).unwrap();
    let done = overwrite(&path, &output);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(!output.join("run.lock").exists());
}

/// What stops a run names bodies and keys, not numbers of vertices in the model.
#[test]
fn failures_name_body_line_and_key() {
    let place = folder("failures");
    let scene = place.join("scene.toml");
    let head = "dimension = 2\ntime = { step = 0.01, end = 0.5 }\ncontact.dhat = 1e-3\n";
    let body = |name: &str, x: f64, motion: &str| {
        let shape = format!("{{ center = [{x}, 0.0], size = [0.1, 0.1], cells = [2, 2] }}");
        format!(
            "[[bodies]]\nname = \"{name}\"\nstatic = true\nshape.box = {shape}\nmotions = [{{ {motion} }}]\n"
        )
    };
    let soft = "[[bodies]]\nname = \"c\"\nshape.box = { center = [0.0, 1.0], size = [0.1, 0.1], cells = [2, 2] }\n\
                material = { young = 1e6, poisson = 0.4, density = 1000.0 }\n";
    for (second, words) in [
        (
            "velocity = [-1.0, 0.0]",
            ["body \"", "is blocked at its vertex", "right at its goal", "something is in its way"],
        ),
        ("velocity = [-1.1, 0.0]", ["body \"", ".motions[0]: step 15", "m before its goal", "line "]),
        (
            "formula = [\"sqrt(0.025 - t)\", \"0\"]",
            ["line 13: bodies[1].motions[0]", "motion of body \"b\"", "0.03", "formula"],
        ),
    ] {
        let text_of =
            format!("{head}{}{}{soft}", body("a", -0.2, "velocity = [1.0, 0.0]"), body("b", 0.2, second));
        fs::write(&scene, text_of).unwrap();
        let done = overwrite(&scene, &place.join("out"));
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(1));
        assert!(words.iter().all(|word| said.contains(word)), "not {words:?} in {said}");
    }
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
    // Nothing random: the same step fails again, and nothing else changes.
    let before = contents(&place);
    let again = resume(&bad, &place);
    assert!(again.status.code() == Some(1) && text(&again.stderr) == said);
    assert_same("failed again", &before, &place);
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

/// A scene of the folder with some words replaced, in a folder of its own with the results.
fn changed(name: &str, from: &str, changes: &[(&str, &str)]) -> (PathBuf, PathBuf) {
    let place = folder(name);
    let mut text = fs::read_to_string(scene(from)).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "no {from}");
        text = text.replace(from, to);
    }
    // All with the same name: the picture has it as its title.
    let path = place.join("scene.toml");
    fs::write(&path, text).unwrap();
    (path, place.join("out"))
}

fn resume(scene: &Path, output: &Path) -> Output {
    stiction().args(["run", "--resume"]).arg(scene).arg("-o").arg(output).output().unwrap()
}

/// Every file below a folder, by its name, with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            out.extend(contents(&path).into_iter().map(|(inner, bytes)| (name.join(inner), bytes)));
        } else {
            out.insert(name, fs::read(&path).unwrap());
        }
    }
    out
}

fn assert_same(name: &str, expected: &BTreeMap<PathBuf, Vec<u8>>, output: &Path) {
    let found = contents(output);
    assert_eq!(expected.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>(), "{name}");
    for (file, bytes) in expected {
        assert!(*bytes == found[file], "{name}: {} is not what it was", file.display());
    }
}

/// Rows in the table so far, with that of the start.
fn rows_so_far(output: &Path) -> usize {
    fs::read_to_string(output.join("steps.csv")).map_or(0, |table| table.lines().count().saturating_sub(1))
}

/// Runs until there are so many rows and the process can be ended somewhere in the next step.
fn run_until(command: &mut Command, output: &Path, rows: usize) -> Child {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while rows_so_far(output) < rows && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no {rows} rows after two minutes");
        std::thread::sleep(Duration::from_micros(200));
    }
    child
}

/// Numbers that differ from run to run, as moments at which processes end do.
fn random(below: u64) -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()) % below
}

/// Kills a run at a random step, resumes it and kills it again; false if it was done before.
fn killed_twice(path: &Path, output: &Path, steps: usize) -> bool {
    [3, 2].into_iter().all(|rest| {
        let so_far = rows_so_far(output);
        // With a second row, the state of the start has been saved.
        let rows = so_far.max(1) + 1 + random((steps.saturating_sub(so_far) / rest).max(1) as u64) as usize;
        let mut command = stiction();
        command.arg("run").arg(path).arg("-o").arg(output);
        if so_far > 0 {
            command.arg("--resume");
        }
        let mut child = run_until(&mut command, output, rows);
        child.kill().unwrap();
        !child.wait().unwrap().success()
    })
}

/// However a run was killed and resumed, all its files have the bytes of an uninterrupted one.
fn survives(name: &str, from: &str, changes: &[(&str, &str)], steps: usize) {
    let (path, output) = changed(&format!("{name}-whole"), from, changes);
    let done = run(&path, &output);
    assert!(done.status.success(), "{name}: {}", text(&done.stderr));
    let expected = contents(&output);
    let (path, output) = changed(name, from, changes);
    // On a busy machine a run may be done before the test has its turn.
    let killed = (0..50).any(|_| {
        let _ = fs::remove_dir_all(&output);
        killed_twice(&path, &output, steps)
    });
    assert!(killed, "{name}: was done 50 times before it could be killed");
    let rows = rows_so_far(&output);
    let done = resume(&path, &output);
    assert!(done.status.success(), "{name}, killed after row {rows}: {}", text(&done.stderr));
    assert_same(&format!("{name}, killed after row {rows}"), &expected, &output);
}

#[test]
fn a_killed_run_is_resumed_to_the_same_bytes() {
    for integrator in ["implicit_euler", "bdf2", "newmark", "generalized_alpha"] {
        let time = format!("[time]\nintegrator = \"{integrator}\"");
        let slide =
            [("[time]", time.as_str()), ("end = 1.5", "end = 0.83"), ("frame_every = 5", "frame_every = 4")];
        survives(&format!("killed-slide-{integrator}"), "slide-2d.toml", &slide, 83);
        let rub = [("[time]", time.as_str()), ("end = 1.0", "end = 0.25")];
        survives(&format!("killed-rub-{integrator}"), "rub-2d.toml", &rub, 50);
    }
}

#[test]
fn a_killed_run_with_substeps_and_many_frames_is_resumed_to_the_same_bytes() {
    for (integrator, limit, end, steps) in [("bdf2", "6", "1.5", 150), ("newmark", "8", "0.3", 30)] {
        let time = format!("[solver]\nmax_iterations = {limit}\n[time]\nintegrator = \"{integrator}\"");
        let end = format!("end = {end}");
        let changes = [
            ("[time]", time.as_str()),
            ("frame_every = 5", "frame_every = 1"),
            ("end = 1.5", &end),
            // Hard from the start: thrown up by the barrier, and friction with it.
            ("[contact]", "[contact]\nsettle = false"),
            ("[friction]", "[friction]\nlag_iterations = 1"),
        ];
        survives(&format!("killed-substeps-{integrator}"), "slide-2d.toml", &changes, steps);
        let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("killed-substeps-{integrator}/out"));
        let header = fs::read_to_string(output.join("steps.csv")).unwrap();
        let column = header.lines().next().unwrap().split(',').position(|name| name == "substeps").unwrap();
        assert!(rows(&output).iter().any(|row| row[column].parse::<usize>().unwrap() > 1));
    }
}

#[test]
fn a_killed_run_in_3d_is_resumed_to_the_same_bytes() {
    survives("killed-3d", "rub-3d.toml", &[("end = 1.0", "end = 0.1")], 10);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_resumed_to_the_same_bytes() {
    let changes = [("end = 1.0", "end = 0.4"), ("frame_every = 8", "frame_every = 7")];
    let (path, output) = changed("interrupted-whole", "rub-2d.toml", &changes);
    assert!(run(&path, &output).status.success());
    let expected = contents(&output);
    let (path, output) = changed("interrupted", "rub-2d.toml", &changes);
    let mut command = stiction();
    let child = run_until(command.arg("run").arg(&path).arg("-o").arg(&output), &output, 10);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.code() == Some(130) && text(&done.stderr).contains("--resume goes on"));
    // Not a row is lost: the state is that of the last one.
    let rows = rows_so_far(&output);
    assert!(output.join(format!("frames/{:06}.vtu", rows - 1)).is_file());
    assert!(resume(&path, &output).status.success());
    assert_same("interrupted", &expected, &output);
}

#[test]
fn a_finished_run_can_be_made_longer() {
    let (path, output) = changed("longer-whole", "slide-2d.toml", &[("end = 1.5", "end = 0.5")]);
    assert!(run(&path, &output).status.success());
    let expected = contents(&output);
    // Ends between two frames: the frame of that end is none of the longer run.
    let (path, output) = changed("longer", "slide-2d.toml", &[("end = 1.5", "end = 0.23")]);
    assert!(run(&path, &output).status.success());
    let short = contents(&output);
    assert!(short.contains_key(Path::new("frames/000023.vtu")));
    let done = resume(&path, &output);
    assert!(done.status.success() && text(&done.stdout).contains("the run had ended with step 23"));
    assert_same("resumed at its end", &short, &output);
    let scene = fs::read_to_string(&path).unwrap();
    fs::write(&path, scene.replace("end = 0.23", "end = 0.5 # longer")).unwrap();
    assert!(resume(&path, &output).status.success());
    let mut found = contents(&output);
    let copy = PathBuf::from("state.toml");
    assert!(found.remove(&copy).is_some());
    assert!(expected.iter().filter(|(name, _)| **name != copy).all(|(name, bytes)| found[name] == *bytes));
    assert_eq!(found.len() + 1, expected.len());
    fs::write(&path, scene.replace("end = 0.23", "end = 0.3")).unwrap();
    let done = resume(&path, &output);
    let said = text(&done.stderr);
    assert!(
        done.status.code() == Some(1) && said.contains("at step 50, beyond the end of the scene at step 30"),
        "{said}"
    );
}

/// What cannot be resumed is said, and nothing of it is touched.
#[test]
fn what_cannot_be_resumed_is_refused() {
    let (path, output) = changed("refused", "slide-2d.toml", &[("end = 1.5", "end = 0.1")]);
    let refused = |words: &[&str]| {
        let before = output.exists().then(|| contents(&output));
        let done = resume(&path, &output);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "not {words:?} in {said}");
        assert_eq!(before, output.exists().then(|| contents(&output)));
    };
    refused(&["state.bin", "no state to resume from", "--overwrite"]);
    assert!(run(&path, &output).status.success());
    let good = fs::read_to_string(&path).unwrap();
    fs::write(&path, good.replace("mu = 0.5", "mu = 0.4")).unwrap();
    refused(&[
        "scene.toml",
        "line 15",
        "friction.mu: was 0.5 when this run began",
        "mu = 0.4",
        "--overwrite",
    ]);
    fs::write(&path, format!("# Other words, the same scene.\n{good}")).unwrap();
    assert!(resume(&path, &output).status.success());
    fs::write(&path, &good).unwrap();
    let spoiled = |file: &str, bytes: &[u8], words: &[&str]| {
        let file = output.join(file);
        let kept = fs::read(&file).unwrap();
        fs::write(&file, bytes).unwrap();
        refused(words);
        fs::write(&file, kept).unwrap();
    };
    let state = fs::read(output.join("state.bin")).unwrap();
    spoiled("state.bin", &state[..state.len() / 2], &["state.bin", "byte", "cut short"]);
    let table = fs::read(output.join("steps.csv")).unwrap();
    spoiled("steps.csv", &table[..table.len() - 3], &["steps.csv", "line 12", "is not the row of step 10"]);
    spoiled("steps.csv", b"step\n", &["steps.csv", "line 1", "columns"]);
    spoiled("frames/000005.vtu", b"<VTKFile>", &["000005.vtu"]);
    fs::remove_file(output.join("frames/000005.vtu")).unwrap();
    refused(&["000005.vtu", "missing"]);
}

/// Frames that are damaged, or of another scene, are refused by name; nothing panics and no picture is made.
#[test]
fn damaged_frames_are_not_drawn() {
    let (path, output) = changed("damaged", "slide-2d.toml", &[("end = 1.5", "end = 0.1")]);
    assert!(run(&path, &output).status.success());
    let frame = output.join("frames/000000.vtu");
    let good = fs::read_to_string(&frame).unwrap();
    let without = good.replace("Name=\"body\"", "Name=\"bodies\"");
    let vectors = "Name=\"displacement\" NumberOfComponents=";
    let components = good.replace(&format!("{vectors}\"3\""), &format!("{vectors}\"18446744073709551615\""));
    for (text, word) in
        [(without, "body"), (components, "000000.vtu"), (good[..good.len() / 2].to_owned(), "000000.vtu")]
    {
        fs::write(&frame, text).unwrap();
        let done = stiction().arg("render").arg(&output).arg("-q").output().unwrap();
        let said = self::text(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(said.contains(word) && said.contains("000000.vtu"), "{said}");
        assert!(!output.join("render.png").exists());
    }
    fs::write(&frame, good).unwrap();
    assert!(stiction().arg("render").arg(&output).arg("-q").output().unwrap().status.success());
    let unknown = stiction().arg("render").arg(&output).args(["-o", "film.webm"]).output().unwrap();
    assert!(unknown.status.code() == Some(1) && text(&unknown.stderr).contains(".mp4"));
}
