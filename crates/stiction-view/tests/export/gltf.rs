//! Binary glTF, taken apart again.

use std::fs;

use serde_json::Value;
use stiction_view::error::Error;
use stiction_view::film::{Film, Frame, Scenery};
use stiction_view::gltf::{self, Options};

use crate::folder::Folder;
use crate::sample::{film, frame, on, scenery};

/// A file that has been taken apart.
struct Glb {
    json: Value,
    binary: Vec<u8>,
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or(0) as usize
}

impl Glb {
    fn new(bytes: &[u8]) -> Self {
        assert_eq!((&bytes[..4], word(bytes, 4), word(bytes, 8)), (&b"glTF"[..], 2, bytes.len()));
        let length = word(bytes, 12);
        assert_eq!((&bytes[16..20], length % 4), (&b"JSON"[..], 0));
        let start = 20 + length;
        assert_eq!(
            (&bytes[start + 4..start + 8], word(bytes, start)),
            (&b"BIN\0"[..], bytes.len() - start - 8)
        );
        let json = serde_json::from_slice(&bytes[20..start]).unwrap();
        Self { json, binary: bytes[start + 8..].to_vec() }
    }

    /// The words of an accessor, which has to lie within its view, and its view within the buffer.
    fn words(&self, accessor: usize) -> Vec<[u8; 4]> {
        let accessor = &self.json["accessors"][accessor];
        let view = &self.json["bufferViews"][number(&accessor["bufferView"])];
        let width =
            ["SCALAR", "", "VEC3", "VEC4"].iter().position(|kind| accessor["type"] == *kind).unwrap() + 1;
        let length = 4 * width * number(&accessor["count"]);
        let at = number(&accessor["byteOffset"]);
        let start = number(&view["byteOffset"]) + at;
        assert!(length > 0 && start.is_multiple_of(4) && at + length <= number(&view["byteLength"]));
        let (words, _) = self.binary[start..start + length].as_chunks();
        words.to_vec()
    }

    fn floats(&self, accessor: usize) -> Vec<f32> {
        self.words(accessor).into_iter().map(f32::from_le_bytes).collect()
    }

    fn points(&self, accessor: usize) -> Vec<[f32; 3]> {
        self.floats(accessor).as_chunks().0.to_vec()
    }

    fn node(&self, name: &str) -> usize {
        self.list("nodes").iter().position(|node| node["name"] == name).unwrap()
    }

    fn primitives(&self, node: usize) -> &Value {
        &self.json["meshes"][number(&self.json["nodes"][node]["mesh"])]["primitives"]
    }

    fn list(&self, name: &str) -> &[Value] {
        self.json[name].as_array().map_or(&[], Vec::as_slice)
    }

    /// The accessor of what a channel does to a node.
    fn channel(&self, node: usize, path: &str) -> Option<usize> {
        let animation = &self.json["animations"][0];
        let target = serde_json::json!({ "node": node, "path": path });
        let channel = animation["channels"].as_array()?.iter().find(|channel| channel["target"] == target)?;
        Some(number(&animation["samplers"][number(&channel["sampler"])]["output"]))
    }

    /// Where the vertices of a thing are in a frame, in the coordinates of the film.
    fn drawn(&self, name: &str, frame: usize) -> Vec<[f64; 3]> {
        let node = self.node(name);
        let primitive = &self.primitives(node)[0];
        let mut points = self.points(number(&primitive["attributes"]["POSITION"]));
        if self.channel(node, "weights").is_some() && frame > 0 {
            let target = self.points(number(&primitive["targets"][frame - 1]["POSITION"]));
            let pairs = points.as_flattened_mut().iter_mut().zip(target.as_flattened());
            pairs.for_each(|(position, displacement)| *position += displacement);
        }
        let (turn, shift) = self.pose(node, frame);
        let moved = |point: [f32; 3]| {
            let turned = rotated(turn, point.map(f64::from));
            [0, 1, 2].map(|axis| turned[axis] + shift[axis])
        };
        points.into_iter().map(moved).collect()
    }

    /// Rotation and translation of a node in a frame.
    fn pose(&self, node: usize, frame: usize) -> ([f64; 4], [f64; 3]) {
        let (Some(turns), Some(shifts)) = (self.channel(node, "rotation"), self.channel(node, "translation"))
        else {
            let shift = serde_json::from_value(self.json["nodes"][node]["translation"].clone()).unwrap();
            return ([0., 0., 0., 1.], shift);
        };
        let turn: [f32; 4] = self.floats(turns).as_chunks().0[frame];
        (turn.map(f64::from), self.points(shifts)[frame].map(f64::from))
    }
}

/// v + 2 q × (q × v + w v)
fn rotated([x, y, z, w]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let cross = |b: [f64; 3]| [y * b[2] - z * b[1], z * b[0] - x * b[2], x * b[1] - y * b[0]];
    let inner = cross(v);
    let outer = cross([0, 1, 2].map(|axis| inner[axis] + w * v[axis]));
    [0, 1, 2].map(|axis| v[axis] + 2.0 * outer[axis])
}

fn written(film: &Film, max_frames: usize) -> (usize, Vec<u8>) {
    let folder = Folder::new();
    let path = folder.path.join("film.glb");
    let used = gltf::write(film, &path, &Options { max_frames }, &on).unwrap();
    assert_eq!(folder.names(), ["film.glb"]);
    (used, fs::read(path).unwrap())
}

fn still(scenery: Scenery, points: Vec<[f64; 3]>) -> Film {
    let fields = vec![vec![0.0; points.len()]; scenery.fields.len()];
    Film::new(scenery, Box::new(vec![Frame { points, fields, ..Frame::default() }])).unwrap()
}

#[test]
fn vertices_are_where_the_film_has_them() {
    let glb = Glb::new(&written(&film(20), 120).1);
    for index in 0..20 {
        let points = frame(index).points;
        for thing in &scenery().things {
            let range = thing.vertices.start as usize..thing.vertices.end as usize;
            let expected: Vec<_> = range.filter(|vertex| *vertex != 4).map(|vertex| points[vertex]).collect();
            let drawn = glb.drawn(&thing.name, index);
            assert_eq!(drawn.len(), expected.len(), "{}", thing.name);
            let pairs = drawn.as_flattened().iter().zip(expected.as_flattened());
            let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-6, "{} is off by {worst} m in frame {index}", thing.name);
        }
    }
}

#[test]
fn bounds_are_exact_and_views_fill_the_buffer() {
    let glb = Glb::new(&written(&film(12), 120).1);
    let mut used = 0;
    for (index, accessor) in glb.list("accessors").iter().enumerate() {
        used += 4 * glb.words(index).len();
        let Some(low) = accessor["min"].as_array() else { continue };
        let floats = glb.floats(index);
        // serde_json reads decimals to the last digit but one of double precision.
        let single = |value: &Value| value.as_f64().unwrap() as f32;
        for axis in 0..low.len() {
            let values = || floats[axis..].iter().step_by(low.len()).copied();
            assert_eq!(single(&low[axis]), values().fold(f32::INFINITY, f32::min));
            assert_eq!(single(&accessor["max"][axis]), values().fold(f32::NEG_INFINITY, f32::max));
        }
    }
    assert_eq!((used, number(&glb.json["buffers"][0]["byteLength"])), (glb.binary.len(), glb.binary.len()));
}

#[test]
fn only_what_deforms_has_targets() {
    let glb = Glb::new(&written(&film(12), 120).1);
    let targets = |name| glb.primitives(glb.node(name))[0]["targets"].as_array().map_or(0, Vec::len);
    let counts = ["block", "a sheet", "rod", "floor", "paddle"].map(targets);
    assert_eq!(counts, [11, 11, 11, 0, 0]);
    let channel = |name, path| glb.channel(glb.node(name), path).is_some();
    assert!(channel("rod", "weights") && channel("paddle", "rotation") && channel("paddle", "translation"));
    assert!(!["weights", "rotation", "translation"].iter().any(|path| channel("floor", path)));
    let modes = ["block", "rod"].map(|name| number(&glb.primitives(glb.node(name))[0]["mode"]));
    assert_eq!(modes, [4, 1]);
}

#[test]
fn triangles_and_materials_are_those_of_the_things() {
    let glb = Glb::new(&written(&film(2), 120).1);
    let primitive = &glb.primitives(glb.node("a sheet"))[0];
    let corners: Vec<_> =
        glb.words(number(&primitive["indices"])).into_iter().map(u32::from_le_bytes).collect();
    assert_eq!(corners, [0, 1, 2, 1, 3, 2]);
    let sides: Vec<_> =
        glb.list("materials").iter().map(|material| material["doubleSided"] == true).collect();
    assert_eq!(sides, [false, true, true, true, true]);
    let blue = &glb.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"];
    assert_eq!(blue, &serde_json::json!([0.0284, 0.159, 0.4452, 1.0]));
}

#[test]
fn long_films_are_thinned_and_begin_at_zero() {
    let (used, bytes) = written(&film(100), 12);
    let glb = Glb::new(&bytes);
    let times = glb.floats(number(&glb.json["animations"][0]["samplers"][0]["input"]));
    assert_eq!((used, times.len(), times[0], times[11]), (12, 12, 0.0, 3.3));
    assert_eq!(glb.json["meshes"][0]["extras"]["targetNames"][0], "frame 9");
    let weights = glb.floats(glb.channel(1, "weights").unwrap());
    assert_eq!(weights.len(), 12 * 11);
    let ones = weights.iter().enumerate().filter(|(_, weight)| **weight == 1.0).map(|(at, _)| at);
    assert!(ones.eq((1..12).map(|frame| frame * 11 + frame - 1)));
    assert_eq!(written(&film(100), 12).1, bytes, "the same bytes again");
}

#[test]
fn up_is_up() {
    let root = |gravity| {
        let scenery = Scenery { gravity, ..scenery() };
        let glb = Glb::new(&written(&still(scenery, frame(0).points), 120).1);
        assert!(glb.json["animations"].is_null());
        serde_json::from_value::<Option<[f64; 4]>>(glb.json["nodes"][0]["rotation"].clone()).unwrap()
    };
    assert_eq!((root([0., -9.81, 0.]), root([0.; 3])), (None, None));
    for gravity in [[0., 0., -9.81], [0., 0., 1.], [0., 9.81, 0.], [-3., 0., 4.], [1., 2., 3.]] {
        let [x, y, z] = rotated(root(gravity).unwrap(), gravity);
        assert!(y < 0.0 && x.abs().max(z.abs()) < 1e-12, "{gravity:?} becomes {:?}", [x, y, z]);
    }
}

#[test]
fn rigid_motions_are_told_from_others() {
    let channels = |change: fn(usize, [f64; 3]) -> [f64; 3]| {
        let mut frames: Vec<_> = (0..5).map(frame).collect();
        for (index, frame) in frames.iter_mut().enumerate() {
            for point in &mut frame.points[16..20] {
                *point = change(index, *point);
            }
        }
        let glb = Glb::new(&written(&Film::new(scenery(), Box::new(frames)).unwrap(), 120).1);
        let node = glb.node("paddle");
        ["weights", "rotation"].map(|path| glb.channel(node, path).is_some())
    };
    assert_eq!(channels(|_, point| point), [false, true]);
    assert_eq!(channels(|index, [x, y, z]| [x, y, z + index as f64]), [false, true]);
    assert_eq!(channels(|index, [x, y, z]| [x, y, z * (1.0 + 1e-4 * index as f64)]), [true, false]);
    assert_eq!(
        channels(|index, [x, y, z]| [x, y, if index == 3 { -z } else { z }]),
        [true, false],
        "a mirror image"
    );
    assert_eq!(channels(|_, _| [0.0; 3]), [false, false], "a point");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let folder = Folder::new();
    let path = folder.path.join("film.glb");
    let refused = |film: &Film, max_frames, expected: &str| {
        let error = gltf::write(film, &path, &Options { max_frames }, &on).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused(&film(3), 0, "max_frames is 0");
    refused(&film(5000), 5000, "set max_frames to 4096 or fewer");
    refused(
        &Film::new(scenery(), Box::new(vec![frame(1), frame(1)])).unwrap(),
        9,
        "not after the frame before",
    );
    refused(
        &still(Scenery { triangles: vec![], edges: vec![], things: vec![], ..scenery() }, frame(0).points),
        9,
        "neither",
    );
    refused(&still(scenery(), vec![[1e39, 0., 0.]; 20]), 9, "too far");
    let stop = |done: usize, total: usize| done < 8 && total == 10;
    let stopped = gltf::write(&film(5), &path, &Options::default(), &stop);
    assert!(matches!(stopped, Err(Error::Stopped)));
    assert!(folder.names().is_empty(), "nothing is left");
    let missing = gltf::write(&film(2), &folder.path.join("no/film.glb"), &Options::default(), &on);
    assert!(matches!(missing, Err(Error::File { .. })));
}
