//! The JSON of a film, and what comes before the morph targets in its file.

use serde_json::{Value, json};

use super::Survey;
use super::part::{Part, bounds};
use super::pose::upright;
use crate::color::{OBSTACLE, Rgb, light, of_body};
use crate::error::{Error, Result};
use crate::film::{Kind, Scenery};

/// glTF's numbers of component types, primitives and buffer targets.
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Parts of the binary chunk, in their order. Films that do not move have the first two only, and those that do not deform the first three.
#[derive(Clone, Copy)]
enum View {
    Indices,
    Rest,
    Animation,
    Targets,
}

/// A file but for its morph targets.
pub(super) struct Document {
    json: Vec<u8>,
    bytes: Vec<u8>,
    targets: u64,
}

impl Document {
    pub(super) fn new(scenery: &Scenery, survey: &Survey) -> Self {
        let mut writer = Writer::default();
        let meshes = writer.meshes(scenery, survey);
        let mut json = json!({
            "asset": { "version": "2.0", "generator": concat!("stiction ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": scenery.title, "nodes": [0], "extras": { "start_time": survey.start } }],
            "nodes": nodes(scenery, survey),
            "meshes": meshes,
            "materials": materials(scenery, survey),
        });
        if let Some(animation) = writer.animation(survey) {
            json["animations"] = json!([animation]);
        }
        json["bufferViews"] = writer.views();
        json["buffers"] = json!([{ "byteLength": writer.lengths().iter().sum::<u64>() }]);
        let targets = writer.targets;
        json["accessors"] = Value::Array(writer.accessors);
        Self { json: padded(json.to_string()), bytes: writer.bytes.concat(), targets }
    }

    /// The file up to the morph targets.
    ///
    /// # Errors
    /// If it is too long for its format.
    pub(super) fn head(&self, frames: usize) -> Result<Vec<u8>> {
        let binary = self.bytes.len() as u64 + self.targets;
        let total = 28 + self.json.len() as u64 + binary;
        let Ok(length) = u32::try_from(total) else { return Err(too_long(total, frames)) };
        let mut out = [*b"glTF", 2_u32.to_le_bytes(), length.to_le_bytes()].concat();
        out.extend((self.json.len() as u32).to_le_bytes());
        out.extend(b"JSON");
        out.extend_from_slice(&self.json);
        out.extend((binary as u32).to_le_bytes());
        out.extend(b"BIN\0");
        out.extend_from_slice(&self.bytes);
        Ok(out)
    }
}

fn too_long(total: u64, frames: usize) -> Error {
    let fits = (frames as u64 * u64::from(u32::MAX) / total).max(1);
    let size = total as f64 / 1e9;
    Error::Request(format!(
        "{frames} frames need {size:.1} GB, but a .glb file holds 4.2 GB at most: set max_frames to {fits} or fewer"
    ))
}

/// To a multiple of four bytes, with spaces.
fn padded(mut text: String) -> Vec<u8> {
    while !text.len().is_multiple_of(4) {
        text.push(' ');
    }
    text.into_bytes()
}

/// What is written so far.
#[derive(Default)]
struct Writer {
    accessors: Vec<Value>,
    /// Bytes of the views but the last, which follow when the frames are read again.
    bytes: [Vec<u8>; 3],
    targets: u64,
}

impl Writer {
    /// Adds an accessor of 32-bit components to a view; its values are not added. Returns its number.
    fn accessor(&mut self, view: View, mut accessor: Value) -> usize {
        accessor["bufferView"] = json!(view as usize);
        accessor["byteOffset"] = match view {
            View::Targets => json!(self.targets),
            view => json!(self.bytes[view as usize].len()),
        };
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds an accessor and its values, which are `width` numbers each.
    fn floats(&mut self, view: View, values: &[f32], width: usize) -> usize {
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
        let count = values.len() / width;
        let index = self.accessor(view, json!({ "componentType": FLOAT, "count": count, "type": kind }));
        self.bytes[view as usize].extend(values.iter().flat_map(|value| value.to_le_bytes()));
        index
    }

    fn indices(&mut self, corners: &[u32]) -> usize {
        let accessor = json!({ "componentType": UNSIGNED_INT, "count": corners.len(), "type": "SCALAR" });
        let index = self.accessor(View::Indices, accessor);
        self.bytes[View::Indices as usize].extend(corners.iter().flat_map(|corner| corner.to_le_bytes()));
        index
    }

    /// The accessors of the morph targets of each part, frame after frame, as they are written later.
    fn targets(&mut self, survey: &Survey) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); survey.parts.len()];
        for frame in 0..survey.frames.len() - 1 {
            for (part, targets) in survey.parts.iter().zip(&mut out).filter(|(part, _)| part.deforms()) {
                let count = part.rest.len();
                let accessor = json!({ "componentType": FLOAT, "count": count, "type": "VEC3" });
                let index = self.accessor(View::Targets, accessor);
                bound(&mut self.accessors[index], &part.bounds[frame]);
                self.targets += 12 * count as u64;
                targets.push(index);
            }
        }
        out
    }

    /// A primitive for the triangles of a part and one for its edges.
    fn primitives(&mut self, part: &Part, material: usize, targets: &[usize]) -> Vec<Value> {
        let rest = self.floats(View::Rest, part.rest.as_flattened(), 3);
        bound(&mut self.accessors[rest], &bounds(part.rest.iter().copied()));
        let targets: Vec<_> = targets.iter().map(|target| json!({ "POSITION": target })).collect();
        let kinds = [(TRIANGLES, &part.triangles), (LINES, &part.edges)];
        let kinds = kinds.into_iter().filter(|(_, corners)| !corners.is_empty());
        let primitive = |(mode, corners): (u32, &Vec<u32>)| {
            let attributes = json!({ "POSITION": rest });
            let indices = self.indices(corners);
            let mut out =
                json!({ "attributes": attributes, "indices": indices, "mode": mode, "material": material });
            if !targets.is_empty() {
                out["targets"] = json!(targets);
            }
            out
        };
        kinds.map(primitive).collect()
    }

    fn meshes(&mut self, scenery: &Scenery, survey: &Survey) -> Vec<Value> {
        let targets = self.targets(survey);
        let parts = survey.parts.iter().zip(&targets).enumerate();
        let mesh = |(index, (part, targets)): (usize, (&Part, &Vec<usize>))| {
            let primitives = self.primitives(part, index, targets);
            let mut mesh = json!({ "name": scenery.things[part.thing].name, "primitives": primitives });
            if part.deforms() {
                let names = survey.frames[1..].iter().map(|frame| format!("frame {frame}"));
                mesh["extras"] = json!({ "targetNames": names.collect::<Vec<_>>() });
            }
            mesh
        };
        parts.map(mesh).collect()
    }

    /// What the parts do, if any moves.
    fn animation(&mut self, survey: &Survey) -> Option<Value> {
        if !survey.parts.iter().any(|part| part.deforms() || part.poses().is_some()) {
            return None;
        }
        let times = self.floats(View::Animation, &survey.times, 1);
        let last = survey.times[survey.times.len() - 1];
        bound(&mut self.accessors[times], &[[0.0], [last]]);
        let mut animation = Animation { times, ..Animation::default() };
        if survey.parts.iter().any(Part::deforms) {
            let weights = self.floats(View::Animation, &weights(survey.times.len()), 1);
            let sampler = animation.sampler(weights);
            let deforming = survey.parts.iter().enumerate().filter(|(_, part)| part.deforms());
            deforming.for_each(|(index, _)| animation.channel(index, "weights", sampler));
        }
        for (index, part) in survey.parts.iter().enumerate() {
            self.animate_node(&mut animation, index, part);
        }
        Some(json!({ "name": "motion", "samplers": animation.samplers, "channels": animation.channels }))
    }

    fn animate_node(&mut self, animation: &mut Animation, index: usize, part: &Part) {
        let Some(poses) = part.poses() else { return };
        let rotations: Vec<_> =
            poses.iter().flat_map(|pose| pose.rotation.map(|value| value as f32)).collect();
        let translations: Vec<_> =
            poses.iter().flat_map(|pose| pose.translation.map(|value| value as f32)).collect();
        for (path, values, width) in [("rotation", rotations, 4), ("translation", translations, 3)] {
            let output = self.floats(View::Animation, &values, width);
            let sampler = animation.sampler(output);
            animation.channel(index, path, sampler);
        }
    }

    fn lengths(&self) -> [u64; 4] {
        let [indices, rest, animation] = [0, 1, 2].map(|view| self.bytes[view].len() as u64);
        [indices, rest, animation, self.targets]
    }

    /// The buffer views, without those at the end that are empty.
    fn views(&self) -> Value {
        let mut start = 0;
        let mut out = Vec::new();
        for (view, length) in self.lengths().into_iter().enumerate().filter(|(_, length)| *length > 0) {
            let mut json = json!({ "buffer": 0, "byteOffset": start, "byteLength": length });
            if view == View::Indices as usize {
                json["target"] = json!(INDICES);
            } else if view != View::Animation as usize {
                json["target"] = json!(VERTICES);
                json["byteStride"] = json!(12);
            }
            out.push(json);
            start += length;
        }
        Value::Array(out)
    }
}

/// An animation that is being put together.
#[derive(Default)]
struct Animation {
    times: usize,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Animation {
    /// A sampler of all times.
    fn sampler(&mut self, output: usize) -> usize {
        self.samplers.push(json!({ "input": self.times, "interpolation": "LINEAR", "output": output }));
        self.samplers.len() - 1
    }

    fn channel(&mut self, part: usize, path: &str, sampler: usize) {
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node(part), "path": path } }));
    }
}

/// The node of a part: the root comes first.
fn node(part: usize) -> usize {
    part + 1
}

/// In the first frame no morph target counts, in each later one its own.
fn weights(frames: usize) -> Vec<f32> {
    let mut out = vec![0.0; frames * (frames - 1)];
    for frame in 1..frames {
        out[frame * (frames - 1) + frame - 1] = 1.0;
    }
    out
}

/// Adds the least and the greatest value of each component, every digit of them.
fn bound<const N: usize>(accessor: &mut Value, [low, high]: &[[f32; N]; 2]) {
    accessor["min"] = low.iter().copied().map(f64::from).collect();
    accessor["max"] = high.iter().copied().map(f64::from).collect();
}

/// The root, which turns up to +y, and a node for each part.
fn nodes(scenery: &Scenery, survey: &Survey) -> Vec<Value> {
    let children: Vec<_> = (0..survey.parts.len()).map(node).collect();
    let mut root = json!({ "name": scenery.title, "children": children });
    if let Some(rotation) = upright(scenery.up()) {
        root["rotation"] = json!(rotation);
    }
    let parts = survey.parts.iter().enumerate().map(|(mesh, part)| {
        let thing = &scenery.things[part.thing];
        let extras = json!({ "kind": thing.kind.name(), "material": thing.material });
        json!({ "name": thing.name, "mesh": mesh, "translation": part.origin, "extras": extras })
    });
    std::iter::once(root).chain(parts).collect()
}

/// A material for each part. Closed surfaces need no back.
fn materials(scenery: &Scenery, survey: &Survey) -> Vec<Value> {
    let material = |part: &Part| {
        let thing = &scenery.things[part.thing];
        let obstacle = thing.kind == Kind::Obstacle;
        let color = linear(if obstacle { OBSTACLE } else { of_body(part.thing) });
        let finish = json!({ "baseColorFactor": color, "metallicFactor": 0.0, "roughnessFactor": 0.6 });
        let closed = thing.kind == Kind::Solid && scenery.dimension == 3;
        json!({ "name": thing.name, "pbrMetallicRoughness": finish, "doubleSided": !closed })
    };
    survey.parts.iter().map(material).collect()
}

/// A colour as glTF has it: linear, opaque. Four digits are more than one can see.
fn linear(color: Rgb) -> [f64; 4] {
    let [red, green, blue] = light(color).map(|part| (f64::from(part) * 1e4).round() / 1e4);
    [red, green, blue, 1.0]
}
