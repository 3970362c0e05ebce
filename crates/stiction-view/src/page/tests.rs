//! Pages against the films that they are made from.

use std::path::{Path, PathBuf};

use super::decode::{Decoded, array};
use super::ints::Channel;
use super::{BUNDLE, CHUNK, Options, html, write};
use crate::error::Error;
use crate::film::{Contact, Curve, Field, Film, Frame, Kind, Place, Regime, Scenery, Thing, kept};

const SCRIPT: &str = "</script><script>alert(1)</script>";

fn thing(name: &str, kind: Kind, ranges: [std::ops::Range<u32>; 3]) -> Thing {
    let [vertices, triangles, edges] = ranges;
    Thing { name: name.to_owned(), kind, material: "steel".to_owned(), vertices, triangles, edges }
}

fn field(name: &str, place: Place, components: usize, categories: &[&str]) -> Field {
    Field {
        name: name.to_owned(),
        unit: "Pa".to_owned(),
        meaning: "A number.".to_owned(),
        place,
        components,
        categories: categories.iter().map(|category| (*category).to_owned()).collect(),
    }
}

/// A small tetrahedron that flies past a rod, above ground that is a million times as large.
fn scenery() -> Scenery {
    Scenery {
        title: SCRIPT.to_owned(),
        dimension: 3,
        gravity: [0.0, 0.0, -9.81],
        things: vec![
            thing(SCRIPT, Kind::Solid, [0..4, 0..4, 0..0]),
            thing("rod", Kind::Rod, [4..7, 4..4, 0..2]),
            thing("ground", Kind::Obstacle, [7..10, 4..5, 2..2]),
        ],
        vertices: 10,
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2], [7, 8, 9]],
        edges: vec![[4, 5], [5, 6]],
        fields: vec![
            field("stress", Place::Triangles, 1, &[]),
            field("velocity", Place::Vertices, 3, &[]),
            field("state", Place::Vertices, 1, &["free", "stick", "slip"]),
            field("gap", Place::Contacts, 1, &[]),
        ],
        step_times: vec![0.0, 0.5, 1.0],
        curves: vec![Curve {
            name: "gap".to_owned(),
            unit: "m".to_owned(),
            meaning: SCRIPT.to_owned(),
            values: vec![f64::INFINITY, 0.25, f64::NAN],
        }],
    }
}

fn frame(index: usize) -> Frame {
    let time = index as f64 / 10.0;
    let mut points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for point in &mut points {
        *point = point.map(|x| 1000.0 + 1e-3 * x + 0.02 * (3.0 * time).sin());
    }
    points.extend((0..3).map(|i| [f64::from(i), (time + f64::from(i)).sin(), 0.0]));
    points.extend([[-1e6, -1e6, 0.0], [1e6, -1e6, 0.0], [0.0, 1e6, 0.0]]);
    let wave = |number: usize| ((number as f64).sin() * 1e5 * time.cos()) as f32;
    let mut stress: Vec<f32> = (0..5).map(wave).collect();
    stress[1] = f32::NAN;
    stress[2] = f32::INFINITY;
    let contact = Contact {
        things: [0, 2],
        point: points[0],
        normal_force: [0.0, 1e-7, 1.0 + time],
        friction_force: [-123.456, 0.0, 0.0],
        regime: Regime::Slip,
    };
    let contacts = vec![contact; index % 3];
    let fields = vec![
        stress,
        (0..30).map(wave).collect(),
        (0..10).map(|i| [0.0, 1.0, 2.0, f32::NAN, 7.0][i % 5]).collect(),
        contacts.iter().map(|_| 1e-3).collect(),
    ];
    Frame { step: 10 * index, time, points, fields, contacts }
}

fn film(frames: usize) -> Film {
    Film::new(scenery(), Box::new((0..frames).map(frame).collect::<Vec<_>>())).unwrap()
}

fn page(frames: usize) -> String {
    html(&film(frames), Options::default()).unwrap()
}

#[test]
fn positions_are_precise_beside_huge_obstacles() {
    let text = page(2 * CHUNK + 3);
    let decoded = Decoded::new(&text);
    for index in 0..decoded.frames() {
        let errors: Vec<f64> = decoded
            .positions(index)
            .as_flattened()
            .iter()
            .zip(frame(index).points.as_flattened())
            .map(|(a, b)| (a - b).abs())
            .collect();
        let largest = |vertices: std::ops::Range<usize>| {
            errors[3 * vertices.start..3 * vertices.end].iter().copied().fold(0.0, f64::max)
        };
        assert!(largest(0..4) < 1.74e-3 * 1.3e-5, "{}", largest(0..4));
        assert!(largest(4..7) < 3.1 * 1.3e-5);
        assert!(largest(7..10) < 2.9e6 * 1.3e-5);
    }
}

#[test]
fn fields_keep_values_and_what_is_none() {
    let text = page(CHUNK + 2);
    let decoded = Decoded::new(&text);
    for index in [0, 7, CHUNK, CHUNK + 1] {
        for (number, values) in frame(index).fields.iter().enumerate() {
            let found = decoded.values(number, index);
            assert_eq!(found.len(), values.len());
            for (found, value) in found.iter().zip(values) {
                let none = !value.is_finite() || (number == 2 && *value > 2.0);
                let error = (found - f64::from(*value)).abs();
                assert!(
                    if none { found.is_nan() } else { error <= 2e5 / 65_534.0 },
                    "{number}: {found} {value}"
                );
            }
        }
    }
}

#[test]
fn contacts_keep_places_forces_and_regimes() {
    let text = page(6);
    let decoded = Decoded::new(&text);
    for index in 0..6 {
        let contacts = frame(index).contacts;
        let found = decoded.contacts(index);
        assert_eq!(found.len(), contacts.len());
        for (found, contact) in found.iter().zip(&contacts) {
            assert_eq!((found.things, found.regime), ([0, 2], 2));
            let forces = [contact.normal_force, contact.friction_force];
            for (a, b) in found.forces.iter().zip(forces.as_flattened()) {
                assert!((a - b).abs() <= 1e-4 * b.abs());
            }
            assert!((0..3).all(|axis| (found.point[axis] - contact.point[axis]).abs() < 1e-7));
        }
    }
}

#[test]
fn names_cannot_end_scripts() {
    let text = page(2);
    assert!(!text.contains("alert(1)</script>"));
    assert!(!text.contains("<script>alert"));
    assert!(text.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    let decoded = Decoded::new(&text);
    assert_eq!(decoded.header["things"][0]["name"], SCRIPT);
    assert_eq!(decoded.header["title"], SCRIPT);
}

#[test]
fn curves_keep_infinite_values() {
    let text = page(1);
    let bytes = Decoded::new(&text).block("curves");
    let (times, values) = bytes.split_at(24);
    assert_eq!(f64::from_le_bytes(times[8..16].try_into().unwrap()), 0.5);
    let value = |index: usize| f32::from_le_bytes(values[4 * index..][..4].try_into().unwrap());
    assert!(value(0).is_infinite() && value(1) == 0.25 && value(2).is_nan());
}

#[test]
fn long_curves_keep_their_peaks() {
    let steps = 100_000;
    let mut values = vec![0.0; steps];
    values[77_777] = 5.0;
    values[12_345] = -3.0;
    let curve = Curve { name: "force".to_owned(), unit: String::new(), meaning: String::new(), values };
    let step_times = (0..steps).map(|step| step as f64).collect();
    let long = Scenery { step_times, curves: vec![curve], ..scenery() };
    let bytes = super::curves::encode(&long);
    let points = super::curves::points(&long);
    assert_eq!(bytes.len(), 12 * points);
    let values =
        bytes[8 * points..].chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
    assert_eq!(values.fold((0.0, 0.0), |(low, high), x| (x.min(low), x.max(high))), (-3.0, 5.0));
}

#[test]
fn long_films_are_thinned_evenly() {
    assert_eq!(kept(5, 400).unwrap(), [0, 1, 2, 3, 4]);
    assert_eq!(kept(9, 5).unwrap(), [0, 2, 4, 6, 8]);
    assert_eq!(kept(1000, 2).unwrap(), [0, 999]);
    assert_eq!(kept(7, 1).unwrap(), [0]);
    assert!(kept(7, 0).unwrap_err().to_string().contains("max_frames is 0"));
    let text = html(&film(50), Options { max_frames: 8 }).unwrap();
    let decoded = Decoded::new(&text);
    assert_eq!(decoded.steps(), [0, 70, 140, 210, 280, 350, 420, 490]);
    assert_eq!(decoded.header["film_frames"], 50);
}

#[test]
fn bytes_are_the_same_every_time() {
    let path = std::env::temp_dir().join(format!("stiction-page-{}.html", std::process::id()));
    let size = write(&film(20), &path, Options::default(), &|done, of| done < of).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(text, page(20));
    assert_eq!((size.bytes, size.frames, size.film_frames), (text.len() as u64, 20, 20));
}

#[test]
fn pages_that_fail_or_are_stopped_leave_the_old_one() {
    let folder = std::env::temp_dir().join(format!("stiction-page-old-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("view.html");
    std::fs::write(&path, "old").unwrap();
    for last in [0, 2, 30] {
        let stopped = write(&film(20), &path, Options::default(), &|done, of| done < last && of == 40);
        assert!(matches!(stopped, Err(Error::Stopped)));
    }
    let frames = vec![frame(0), Frame::default()];
    let broken = Film::new(scenery(), Box::new(frames)).unwrap();
    assert!(write(&broken, &path, Options::default(), &|_, _| true).is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn padding_on_obstacles_does_not_widen_colour_ranges() {
    let mut frame = frame(0);
    let mut scenery = scenery();
    scenery.fields.truncate(1);
    frame.fields = vec![vec![5.0, 6.0, 7.0, 8.0, 0.0]];
    frame.contacts.clear();
    let text = html(&Film::new(scenery, Box::new(vec![frame])).unwrap(), Options::default()).unwrap();
    let decoded = Decoded::new(&text);
    let head = &decoded.header["fields"][0];
    assert_eq!((&head["body_low"][0], &head["body_high"][0]), (&5.0.into(), &8.0.into()));
    assert_eq!(decoded.values(0, 0)[4], 0.0);
    assert_eq!(decoded.header["palette"]["bodies"][0], "2f6fb2");
}

#[test]
fn points_too_far_for_single_precision_are_refused() {
    let mut far = frame(0);
    far.points[2] = [1e200, 0.0, 0.0];
    let film = Film::new(scenery(), Box::new(vec![far])).unwrap();
    assert!(
        html(&film, Options::default()).unwrap_err().to_string().contains("too far for single precision")
    );
}

#[test]
fn films_of_little_are_pages_too() {
    let rod = Scenery {
        dimension: 2,
        things: vec![thing("rod", Kind::Rod, [0..2, 0..0, 0..1])],
        vertices: 2,
        edges: vec![[0, 1]],
        ..Scenery::default()
    };
    let points = vec![[1.0, 2.0, 0.0], [1.0, 2.0, 0.0]];
    for (scenery, points) in [(rod, points), (Scenery { dimension: 3, ..Scenery::default() }, Vec::new())] {
        let frames = vec![Frame { points: points.clone(), ..Frame::default() }; 3];
        let text = html(&Film::new(scenery, Box::new(frames)).unwrap(), Options::default()).unwrap();
        let decoded = Decoded::new(&text);
        assert!((0..3).all(|frame| decoded.positions(frame) == points));
        assert!(decoded.contacts(2).is_empty());
    }
}

#[test]
fn integers_of_any_size_survive() {
    let arrays = [
        vec![0, -1, i32::MAX, i32::MIN, 7, 300],
        vec![5, 4, i32::MIN, i32::MAX, 7, 300],
        vec![10, 9, 0, 0, 7, 301],
    ];
    let mut channel = Channel::new(2);
    let mut bytes = Vec::new();
    for values in &arrays {
        channel.push(values.clone(), &mut bytes);
    }
    channel.push(vec![1, 2], &mut bytes);
    let mut rest = bytes.as_slice();
    let first = array(&mut rest, &[], &[]);
    let second = array(&mut rest, &first, &[]);
    let third = array(&mut rest, &second, &first);
    assert_eq!([first, second, third], arrays);
    assert_eq!(array(&mut rest, &arrays[2], &arrays[1]), [1, 2]);
    assert!(rest.is_empty());
}

/// The player must be built from the sources that lie beside it. `npm run build` in `viewer/` does so.
#[test]
fn the_player_is_as_new_as_its_sources() {
    let viewer = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../viewer");
    if !viewer.join("src").is_dir() {
        println!("skipped: the sources of the player are not here");
        return;
    }
    let mut paths = files_in(&viewer, "src");
    paths.extend(["build.mjs", "package-lock.json", "package.json", "tsconfig.json"].map(str::to_owned));
    paths.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    for path in paths {
        for bytes in [path.as_bytes().to_vec(), std::fs::read(viewer.join(&path)).unwrap()] {
            bytes.iter().filter(|byte| **byte != b'\r').for_each(|byte| add(*byte));
            add(0);
        }
    }
    let mark = format!("name=\"stiction-viewer\" content=\"{hash:016x}\"");
    assert!(BUNDLE.contains(&mark), "page/bundle.html is stale: run `npm ci && npm run build` in viewer/");
}

fn files_in(root: &Path, folder: &str) -> Vec<String> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let name = |path: &PathBuf| format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap());
    entries
        .iter()
        .flat_map(|path| if path.is_dir() { files_in(root, &name(path)) } else { vec![name(path)] })
        .collect()
}
