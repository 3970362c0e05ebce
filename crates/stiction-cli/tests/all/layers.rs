//! A module uses only modules above it in its crate's `lib.rs`.

use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The modules that a `lib.rs` declares, in order.
fn order(lib: &str) -> Vec<&str> {
    lib.lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect()
}

/// Uses in `source`, a file of `module`, of modules that come after it, and ways of naming modules that hide them.
fn steps_back<'a>(order: &[&'a str], module: &str, source: &str) -> Vec<&'a str> {
    let own = order.iter().position(|name| *name == module).unwrap_or(order.len());
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let used = |name: &&str| {
        let path = format!("crate::{name}");
        let follows = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        code.clone().any(|line| line.match_indices(&path).any(|(at, _)| follows(&line[at + path.len()..])))
    };
    let hidden = ["crate::{", "crate::*", "super::super"];
    let hidden = hidden.into_iter().filter(|way| code.clone().any(|line| line.contains(way)));
    order.iter().skip(own + 1).filter(|name| used(name)).copied().chain(hidden).collect()
}

/// All Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
    out.sort();
    out
}

#[test]
fn modules_use_only_those_above() {
    for name in ["stiction", "stiction-sim", "stiction-view", "stiction-cli", "stiction-py"] {
        let folder = crates().join(name).join("src");
        let lib = fs::read_to_string(folder.join("lib.rs")).unwrap();
        let order = order(&lib);
        assert!(order.len() > 2, "{name}: no modules found in lib.rs");
        for path in sources(&folder) {
            let inside = path.strip_prefix(&folder).unwrap();
            let module = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
            let back = steps_back(&order, module, &fs::read_to_string(&path).unwrap());
            let allowed = module == "lib" || module == "main";
            assert!(
                allowed || back.is_empty(),
                "{name}: {module} comes before {back:?}, but {} uses them",
                inside.display()
            );
        }
    }
}

#[test]
fn a_step_back_is_seen() {
    let order = order("//! Words.\npub mod math;\nmod mesh;\npub mod mesh_tools;\n");
    assert_eq!(order, ["math", "mesh", "mesh_tools"]);
    assert_eq!(steps_back(&order, "math", "use crate::mesh::Surface;"), ["mesh"]);
    assert_eq!(steps_back(&order, "math", "    crate::mesh_tools::f()"), ["mesh_tools"]);
    assert_eq!(steps_back(&order, "math", "use crate::{mesh::Surface, stencil::Stencil};"), ["crate::{"]);
    assert_eq!(steps_back(&order, "math", "use super::super::mesh::Surface;"), ["super::super"]);
    assert!(steps_back(&order, "mesh", "use crate::math::Vector;").is_empty());
    assert!(steps_back(&order, "mesh_tools", "use crate::mesh::Surface;").is_empty());
    assert!(steps_back(&order, "math", "// use crate::mesh::Surface;").is_empty());
}
