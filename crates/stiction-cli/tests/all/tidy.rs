//! What the documents say is there is there.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The documents that a newcomer sees.
const DOCUMENTS: [&str; 7] = [
    "README.md",
    "ARCHITECTURE.md",
    "DESIGN.md",
    "COMPARE.md",
    "NOTATION.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
];

/// Words in backticks that look like paths: with a slash, or a file name of a kind we have.
fn paths(document: &str) -> Vec<&str> {
    let looks = |word: &&str| {
        let known = [".rs", ".md", ".toml", ".py"].iter().any(|ending| word.ends_with(ending));
        let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
        plain && (known || word.contains('/')) && !word.starts_with('/')
    };
    document.split('`').skip(1).step_by(2).filter(looks).collect()
}

/// Targets of links to files: `](path)`.
fn links(document: &str) -> Vec<&str> {
    let targets = document.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    files.map(|target| target.split('#').next().unwrap_or(target)).collect()
}

/// Reference keys such as `[Li2020]`, also escaped ones.
fn keys(text: &str) -> Vec<String> {
    let inside = text.split('[').skip(1).filter_map(|rest| rest.split(']').next());
    let key = |word: &str| {
        let word = word.trim_end_matches('\\');
        let year =
            word.len().checked_sub(4).filter(|at| word.is_char_boundary(*at)).map(|at| word.split_at(at));
        let (name, year) = year?;
        let good = year.chars().all(|c| c.is_ascii_digit())
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphabetic());
        good.then(|| word.to_owned())
    };
    inside.filter_map(key).collect()
}

fn missing<'a>(found: &[&'a str]) -> Vec<&'a str> {
    found.iter().filter(|path| !root().join(path).exists()).copied().collect()
}

#[test]
fn paths_in_architecture_exist() {
    let document = read("ARCHITECTURE.md");
    let found = paths(&document);
    assert!(found.len() > 10, "only {} paths found", found.len());
    assert!(missing(&found).is_empty(), "not there: {:?}", missing(&found));
}

#[test]
fn links_in_documents_exist() {
    for name in DOCUMENTS {
        let document = read(name);
        let lost = missing(&links(&document)).join(", ");
        assert!(lost.is_empty(), "{name} links to what is not there: {lost}");
    }
}

/// All text files of the kinds we write, below a folder.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && !["target", "out"].contains(&name.as_str()) {
            files(&path, out);
        } else if [".rs", ".md", ".py", ".toml"].iter().any(|ending| name.ends_with(ending)) {
            out.push(path);
        }
    }
}

#[test]
fn reference_keys_are_in_notation() {
    let known = keys(&read("NOTATION.md"));
    let mut all = Vec::new();
    files(&root(), &mut all);
    let mut uses = 0;
    // This file is about keys and so has some that are none.
    for path in all.iter().filter(|path| !path.ends_with("tidy.rs")) {
        for key in keys(&fs::read_to_string(path).unwrap()) {
            uses += 1;
            assert!(known.contains(&key), "{}: [{key}] is not in NOTATION.md", path.display());
        }
    }
    assert!(uses > known.len(), "no keys found");
}

#[test]
fn every_scene_is_described() {
    let readme = read("scenes/README.md");
    for entry in fs::read_dir(root().join("scenes")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(name == "README.md" || readme.contains(&name), "scenes/README.md does not name {name}");
    }
}

#[test]
fn violations_are_seen() {
    let text = "see `crates/stiction/src/nowhere.rs`, `Cargo.toml`, `step(x)`, [Li2020], \\[Nobody1999\\] and [x](gone.md).";
    assert_eq!(paths(text), ["crates/stiction/src/nowhere.rs", "Cargo.toml"]);
    assert_eq!(missing(&paths(text)), ["crates/stiction/src/nowhere.rs"]);
    assert_eq!(missing(&links(text)), ["gone.md"]);
    assert_eq!(keys(text), ["Li2020", "Nobody1999"]);
    assert!(!keys(&read("NOTATION.md")).contains(&"Nobody1999".to_owned()));
}
