//! A thing as it is written: what is drawn of it, and how it moves.

use std::ops::Range;

use super::pose::{Anchors, Pose};
use crate::error::Result;
use crate::film::{Scenery, check_single};
use crate::vector::{Vector, sub};

/// The least and the greatest coordinates.
pub(super) type Bounds = [[f32; 3]; 2];

/// What is drawn of a thing.
pub(super) struct Part {
    /// The number of the thing.
    pub(super) thing: usize,
    /// Corners of its triangles, as numbers of its own vertices.
    pub(super) triangles: Vec<u32>,
    /// Ends of its edges, likewise.
    pub(super) edges: Vec<u32>,
    /// Where it has its origin in the first frame, in m.
    pub(super) origin: Vector,
    /// Positions in the first frame, from the origin.
    pub(super) rest: Vec<[f32; 3]>,
    /// Bounds of the displacements of each frame but the first.
    pub(super) bounds: Vec<Bounds>,
    /// Its vertices, as numbers of those of the film.
    vertices: Vec<u32>,
    first: Vec<Vector>,
    moves: bool,
    /// None once it has deformed.
    anchors: Option<Anchors>,
    poses: Vec<Pose>,
}

impl Part {
    /// All things that have triangles or edges.
    ///
    /// # Errors
    /// If one is too far away for single precision.
    pub(super) fn all(scenery: &Scenery, points: &[Vector]) -> Result<Vec<Self>> {
        let parts = (0..scenery.things.len()).map(|thing| Self::new(scenery, thing, points));
        let parts: Vec<_> = parts.filter(|part| !part.vertices.is_empty()).collect();
        for part in &parts {
            finite(bounds(part.rest.iter().copied()))?;
        }
        Ok(parts)
    }

    fn new(scenery: &Scenery, thing: usize, points: &[Vector]) -> Self {
        let thing_of_film = &scenery.things[thing];
        let within = |range: &Range<u32>| range.start as usize..range.end as usize;
        let triangles = scenery.triangles[within(&thing_of_film.triangles)].as_flattened();
        let edges = scenery.edges[within(&thing_of_film.edges)].as_flattened();
        let mut vertices = [triangles, edges].concat();
        vertices.sort_unstable();
        vertices.dedup();
        let own = |used: &[u32]| {
            used.iter().map(|vertex| vertices.partition_point(|other| other < vertex) as u32).collect()
        };
        let first: Vec<_> = vertices.iter().map(|vertex| points[*vertex as usize]).collect();
        let origin = centre(&first);
        Self {
            thing,
            triangles: own(triangles),
            edges: own(edges),
            origin,
            rest: first.iter().map(|point| single(sub(*point, origin))).collect(),
            bounds: Vec::new(),
            moves: false,
            anchors: Anchors::new(&first),
            poses: vec![Pose { rotation: [0.0, 0.0, 0.0, 1.0], translation: origin }],
            vertices,
            first,
        }
    }

    /// Sees where it is in the next frame.
    ///
    /// # Errors
    /// If that is too far away for single precision.
    pub(super) fn follow(&mut self, points: &[Vector]) -> Result<()> {
        let now: Vec<_> = self.vertices.iter().map(|vertex| points[*vertex as usize]).collect();
        self.moves |= now != self.first;
        self.bounds.push(finite(bounds(self.displaced(points)))?);
        match self.anchors.and_then(|anchors| anchors.pose(&self.first, &now, self.origin)) {
            Some(pose) => self.turn(pose),
            None => self.anchors = None,
        }
        Ok(())
    }

    /// Adds a pose, with the one of its two quaternions that is nearer to the one before.
    fn turn(&mut self, mut pose: Pose) {
        let before = self.poses[self.poses.len() - 1].rotation;
        let same = before.iter().zip(pose.rotation).map(|(a, b)| a * b).sum::<f64>();
        pose.rotation = pose.rotation.map(|value| value * 1.0_f64.copysign(same));
        self.poses.push(pose);
    }

    /// Whether it needs morph targets.
    pub(super) fn deforms(&self) -> bool {
        self.moves && self.anchors.is_none()
    }

    /// Its poses in all frames, if it moves rigidly.
    pub(super) fn poses(&self) -> Option<&[Pose]> {
        (self.moves && self.anchors.is_some()).then_some(&self.poses)
    }

    /// Bytes of its morph target.
    pub(super) fn displacements(&self, points: &[Vector]) -> Vec<u8> {
        self.displaced(points).flatten().flat_map(f32::to_le_bytes).collect()
    }

    /// Displacements from the positions at rest as they are written, so that their rounding does not add up.
    fn displaced(&self, points: &[Vector]) -> impl Iterator<Item = [f32; 3]> {
        self.vertices.iter().zip(&self.rest).map(|(vertex, rest)| {
            let position = sub(points[*vertex as usize], self.origin);
            single(sub(position, rest.map(f64::from)))
        })
    }
}

/// The centre of the bounding box, as it can be written in single precision.
fn centre(points: &[Vector]) -> Vector {
    let middle = |axis: usize| {
        let values = points.iter().map(|point| point[axis]);
        let (low, high) =
            (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
        f64::from((0.5 * low + 0.5 * high) as f32)
    };
    [0, 1, 2].map(middle)
}

fn single(point: Vector) -> [f32; 3] {
    point.map(|value| value as f32)
}

/// Bounds of some points.
pub(super) fn bounds(points: impl Iterator<Item = [f32; 3]>) -> Bounds {
    let nothing = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    points.fold(nothing, |[low, high], point| {
        let with = |bound: [f32; 3], pick: fn(f32, f32) -> f32| [0, 1, 2].map(|i| pick(bound[i], point[i]));
        [with(low, f32::min), with(high, f32::max)]
    })
}

fn finite(bounds: Bounds) -> Result<Bounds> {
    check_single(bounds.as_flattened())?;
    Ok(bounds)
}
